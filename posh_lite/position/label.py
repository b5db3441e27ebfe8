"""From findings to labelled sentences (section 2 and appendices A.2 and A.3 of "Where Do Long Captions Fail?")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from posh_lite.position.types import Finding, Label, Rubric, SentenceLabel, quartile
from posh_lite.records import Span
from posh_lite.text import segments, tokens

#: Which evidence decides where a sentence has both kinds: the paper's rule is "supported", its check "contradicted".
Precedence = Literal["supported", "contradicted"]


def label_sentences(
    caption: str, rubric: Rubric, findings: Sequence[Finding], *, precedence: Precedence = "supported",
    sentences: Sequence[Span] | None = None,
) -> tuple[SentenceLabel, ...]:
    """Label every sentence of a caption by the evidence that lies in it.

    Headings, titles, bullet signs and talk to the user are no sentences; evidence in one of them counts for the nearest
    sentence, which is the one that a heading stands over. Evidence over several sentences counts for each in which it
    has a word. A caption of fewer than four leaves quartiles empty: of three, they lie in the quartiles 1, 2 and 3. A
    finding without a place counts nowhere.

    Args:
        caption: the caption.
        rubric: the claims, for their weights.
        findings: of the verifier, in any order; at most one a claim counts.
        precedence: what decides where a sentence has supported and contradicted evidence.
        sentences: spans of the sentences in text order (default: :func:`content_sentences`).

    Raises:
        ValueError: ``precedence`` is neither, or a finding is of a claim that the rubric does not have.
    """
    if precedence not in ("supported", "contradicted"):
        raise ValueError(f"precedence must be supported or contradicted, got {precedence!r}")
    weights = {c.id: c.weight for c in rubric.claims}
    spans = list(content_sentences(caption) if sentences is None else sentences)
    held: list[list[int]] = [[] for _ in spans]
    against: list[list[int]] = [[] for _ in spans]
    for finding in findings:
        if finding.claim not in weights:
            raise ValueError(f"a finding is of claim {finding.claim}, which is not among the {len(weights)} claims")
        if finding.evidence is None or finding.status not in ("Supported", "Contradicted"):
            continue
        for k in bearing(caption, spans, finding.evidence):
            rows = held if finding.status == "Supported" else against
            if finding.claim not in rows[k]:
                rows[k].append(finding.claim)
    found = []
    for k, (start, end) in enumerate(spans):
        label = _label(held[k], against[k], precedence)
        deciding = held[k] if label == "Supported" else against[k] if label == "Contradicted" else []
        weight = sum(weights[i] for i in deciding) if deciding else 1.0
        found.append(SentenceLabel(
            start, end, k + 1, quartile(k + 1, len(spans)), label, weight, tuple(held[k]), tuple(against[k])
        ))
    return tuple(found)


def content_sentences(caption: str) -> tuple[Span, ...]:
    """Spans of the sentences that say something of the picture: no headings, no titles, no talk to the user.

    Beside what :func:`posh_lite.text.segments` calls a heading or a label, a line that begins with bold type or "#" and
    ends without a mark is a title ("**The Bedroom** (Vincent van Gogh)"). Of a caption that is nothing but titles and
    labels, as one that stands in bold type throughout, these are the sentences.
    """
    parts = segments(caption)
    told = tuple(s.span for s in parts if s.kind == "sentence" and not _is_title(caption, s.start, s.end))
    return told or tuple(s.span for s in parts if s.kind in ("sentence", "label"))


def _is_title(caption: str, start: int, end: int) -> bool:
    at, to = caption.rfind("\n", 0, start) + 1, caption.find("\n", end)
    line = caption[at : to if to >= 0 else len(caption)].strip()
    marked = line.startswith(("**", "__", "#"))
    alone = len(caption[at:start].strip(" \t*_#")) == 0 and len(line) - (end - start) < 8
    return marked and alone and not line.rstrip("*_ ").endswith((".", "!", "?", ";", ":", '"', "\u201d"))


def bearing(caption: str, sentences: Sequence[Span], evidence: Span) -> list[int]:
    """Indices of the sentences in which the evidence has a word; the nearest one where it has none in any."""
    start, end = evidence
    if not sentences:
        return []
    within = [
        k for k, (a, b) in enumerate(sentences)
        if start < b and a < end and any(t.is_word for t in tokens(caption, max(a, start), min(b, end)))
    ]
    if within:
        return within
    gaps = [max(a - end, start - b, 0) for a, b in sentences]
    return [gaps.index(min(gaps))]


def _label(held: Sequence[int], against: Sequence[int], precedence: Precedence) -> Label:
    if held and (precedence == "supported" or not against):
        return "Supported"
    return "Contradicted" if against else "Generic"
