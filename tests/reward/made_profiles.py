"""Captions through the lens, made by hand: no parser, no verifier, only what the terms see."""

from __future__ import annotations

from collections.abc import Sequence

from posh_lite.position.label import label_sentences
from posh_lite.position.types import WEIGHTS, CaptionProfile, Claim, ClaimKind, Finding, Rubric

#: A sentence: its words, its genericity, the claims that it supports and those that it contradicts.
Made = tuple[str, float, tuple[int, ...], tuple[int, ...]]


def rubric_of(kinds: Sequence[ClaimKind]) -> Rubric:
    return Rubric("the reference", tuple(
        Claim(i, f"claim {i}", kind, WEIGHTS[kind], str(i)) for i, kind in enumerate(kinds)
    ), "made")


def profile_of(kinds: Sequence[ClaimKind], sentences: Sequence[Made]) -> tuple[CaptionProfile, dict[int, float]]:
    """A profile and the genericity of its sentences; a claim's evidence is where it is first spoken of."""
    rubric = rubric_of(kinds)
    caption, spans = "", []
    for words, *_ in sentences:
        spans.append((len(caption), len(caption) + len(words)))
        caption += f"{words} "
    findings = []
    for claim in rubric.claims:
        found = Finding(claim.id, "Missing")
        for (start, end), (_, _, held, against) in zip(spans, sentences, strict=True):
            if claim.id in held:
                found = Finding(claim.id, "Supported", (start, end), caption[start:end], "given")
                break
            if claim.id in against:
                found = Finding(claim.id, "Contradicted", (start, end), caption[start:end], "given")
                break
        findings.append(found)
    labelled = label_sentences(caption, rubric, findings, sentences=spans)
    made = CaptionProfile("p", "image", "", caption, rubric, tuple(findings), labelled, "made")
    return made, {k: g for k, (_, g, _, _) in enumerate(sentences, start=1)}
