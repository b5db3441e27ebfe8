"""What a caption must not gain by: saying things again, padding, and saying both the right and the wrong thing.

The paper's terms are gamed by all three; ``PagerSettings.guard`` says which of them are blocked.

"repeats": a sentence that says again what one earlier sentence says is not shown to the verifier, holds no evidence,
counts as generic, and does not move other sentences into another quarter. It blocks filling the tail with copies of
specific sentences, and pushing details into the middle by copies around them. Copies of headings and of clauses are not
shown either, and a heading as long as a sentence counts as one, so that filler in bold type is filler.

"full", beside that: the embedded verifier reads a caption a second time without its filler, so that words of filler
change nothing in how the rest is read (:func:`without_filler`). The middle term counts quarters over the sentences that
support something new, so that no sentence that adds nothing (filler, copies, what no claim is about, what is false)
moves evidence into the middle. The tail term looks at everything after the first three quarters of the specific
sentences, so that filler at the head does not widen the tail, and takes the share of filler there, so that a mildly
vague sentence dilutes nothing. A claim that one sentence alone contradicts is contradicted, even where another sentence
says the right thing, and "red or blue" supports nothing where one of the two is wrong (:func:`hedged`).

What remains is the paper's design. Fine details earn more in the middle, and filler that is moved out of the tail costs
nothing. What is invented costs nothing, since no claim is about it: a list of likely things collects claims, and two
invented sentences at the end hide the filler before them from the tail's judge, which looks at how specific a sentence
is and not whether it is true (``PagerSettings.tail`` "evidence" closes the second).

Remaining, too: filler that hangs on a specific sentence by a comma; a question or a condition ("if there were a red
car"), which the embedded verifier takes for a statement; a recap in other words, which adds no evidence but counts as
specific in the tail; and an order that changes what words refer to, since "the car" before "a blue car" speaks of two
cars.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from posh_lite.position.graphs import Graphs
from posh_lite.position.label import content_sentences
from posh_lite.position.types import CaptionProfile, ClaimKind, Finding, Rubric, SentenceLabel, Verifier, quartile
from posh_lite.records import Span
from posh_lite.text import segments, tokens

#: Words that make no sentence say another thing. Prepositions of place and negations are not among them.
_EMPTY = frozenset({
    "a", "an", "the", "is", "are", "was", "were", "be", "been", "being", "am", "has", "have", "had", "do", "does",
    "did", "and", "also", "again", "there", "here", "it", "its", "he", "she", "they", "his", "her", "their", "them",
    "this", "that", "these", "those", "which", "who", "whom", "of", "as", "so", "too", "very", "quite", "indeed",
    "clearly", "really", "just", "once", "more", "still", "then", "moreover", "furthermore", "additionally",
    "overall", "can", "could", "may", "might", "would", "seen", "see", "visible", "shown", "we", "one",
})  # fmt: skip
#: "It is red." may speak of a second thing, though an earlier sentence has a red car.
_PRONOUNS = frozenset({"it", "its", "he", "she", "they", "his", "her", "their", "them"})
#: Share of an earlier sentence's words that a sentence has to have to be the same again in another order.
_SHARE = 0.75
#: Turns of speech that lead into a sentence, or out of it, and say nothing of the picture.
_SHOWN = r"(?:image|picture|photo|photograph|painting|scene)"
_TURN = re.compile(
    r"(?:^|,\s*)\W*(?:as (?:already |was )?(?:mentioned|noted|described|said|stated|seen)"
    r"(?: above| before| earlier| already)?"
    r"|to (?:recap|repeat|conclude|summari[sz]e|sum up|be clear)"
    r"|in (?:summary|conclusion|short|fact|addition|other words)"
    rf"|(?:with)?in (?:the|this) {_SHOWN}|notably|importantly|interestingly|finally"
    r"|it (?:is|can be) (?:clear|seen|noted|worth noting) that|we (?:can )?(?:also )?see(?: that)?"
    rf"|the {_SHOWN} (?:also )?(?:shows|depicts|features|contains|includes))\b,?",
    re.I,
)
#: Words from which on a heading or title is a sentence.
_LONG = 6
#: Words that make a clause, so that "a red hat, a blue hat and a red hat" stays.
_CLAUSE = 4
#: From here on a clause is a copy: twice may be a slip, or two things of one kind.
_THRICE = 3
#: "red or blue", "red, blue, or green".
_OR = re.compile(r"(?:\b(?:either|maybe|perhaps)\s+)?(?P<words>\b[\w-]+(?:,\s+[\w-]+)*,?\s+or\s+[\w-]+)\b\s*", re.I)
_BETWEEN = re.compile(r",?\s+or\s+|,\s+", re.I)
#: Genericity from which on a sentence counts as filler whatever the verifier found in it.
_NOTHING_ELSE = 0.9
_CUT = re.compile(r"[,;\u2014]\s")


@lru_cache(maxsize=65536)
def _words(sentence: str) -> tuple[str, ...]:
    """The words of a sentence that can make it say something, in small type and without a plural's ending."""
    found = _plain(_TURN.sub(" ", sentence)) or _plain(sentence)
    told = [w for w in found if w not in _EMPTY] or found
    return tuple(w[:-1] if len(w) > 3 and w.endswith("s") and not w.endswith("ss") else w for w in told)


def _plain(sentence: str) -> list[str]:
    return [t.text.casefold() for t in tokens(sentence) if t.is_word]


def says_again(sentence: str, earlier: str) -> bool:
    """Whether a sentence adds no word to one earlier sentence and is a stretch of it, or most of it in any order."""
    mine, theirs = _words(sentence), _words(earlier)
    if not mine or not set(mine) <= set(theirs):
        return False
    if len(set(mine)) >= _SHARE * len(set(theirs)):
        return True
    if not any(theirs[i : i + len(mine)] == mine for i in range(len(theirs) - len(mine) + 1)):
        return False
    return _PRONOUNS.intersection(_plain(sentence)) <= _PRONOUNS.intersection(_plain(earlier))


def sentences_of(caption: str) -> tuple[Span, ...]:
    """Spans of the sentences, and of headings that are as long as one: filler is filler in bold type, too."""
    told = set(content_sentences(caption))
    told |= {s.span for s in segments(caption)
             if s.kind in ("sentence", "heading", "label") and len(_plain(caption[s.start : s.end])) >= _LONG}
    return tuple(sorted(told))


def repeats(caption: str, sentences: Sequence[Span] | None = None) -> frozenset[int]:
    """Numbers (from 1) of the sentences that say again what an earlier one says; copies of a copy too."""
    spans = sentences_of(caption) if sentences is None else sentences
    told: list[str] = []
    found = set()
    for number, (start, end) in enumerate(spans, start=1):
        sentence = caption[start:end]
        if any(says_again(sentence, t) for t in told):
            found.add(number)
        else:
            told.append(sentence)
    return frozenset(found)


def without_repeats(caption: str) -> str:
    """The caption with blanks in place of repeated sentences, headings and clauses, so that every offset stays.

    A heading is left out where it says again what stands before it, and a clause where its sentence has it twice
    already ("two dogs sleep under a tree, two dogs sleep under a tree, ...").
    """
    spans = sentences_of(caption)
    again = [spans[number - 1] for number in repeats(caption, spans)]
    for s in segments(caption):
        if s.kind != "gap" and s.span not in spans:
            earlier = [p.span for p in segments(caption) if p.kind != "gap" and p.end <= s.start]
            again += [s.span] * any(says_again(caption[slice(*s.span)], caption[slice(*e)]) for e in earlier)
    again += [clause for span in spans for clause in _clauses_again(caption, span)]
    if not again:
        return caption
    out = list(caption)
    for start, end in again:
        out[start:end] = [c if c == "\n" else " " for c in caption[start:end]]
    return "".join(out)


def without_filler(caption: str, findings: Iterable[Finding]) -> str:
    """The caption with blanks in place of filler, so that every offset stays.

    Filler is a sentence that is generic by its words and holds no evidence, or so generic that evidence in it can only
    be a slip ("one of warmth" is no foot warmer).
    """
    from posh_lite.position.generic import LexicalGenericity

    judge = LexicalGenericity()
    told = [f.evidence for f in findings if f.evidence is not None]
    out = list(caption)
    for start, end in sentences_of(caption):
        found = judge.judge(caption[start:end])
        bare = not any(a < end and start < b for a, b in told)
        if found.generic and (bare or found.score >= _NOTHING_ELSE):
            out[start:end] = [c if c == "\n" else " " for c in caption[start:end]]
    return "".join(out)


def _clauses_again(caption: str, sentence: Span) -> list[Span]:
    """Clauses of a sentence that stand in it twice before, with the same words in the same order."""
    start, end = sentence
    cuts = [start, *(m.end() + start for m in _CUT.finditer(caption[start:end])), end]
    told: Counter[tuple[str, ...]] = Counter()
    found = []
    for a, b in pairwise(cuts):
        words = _words(caption[a:b])
        told[words] += 1
        if len(words) >= _CLAUSE and told[words] >= _THRICE:
            found.append((a, b))
    return found


def places(sentences: Sequence[SentenceLabel], counted: Collection[int]) -> dict[int, int]:
    """Quartile by number of the sentence, counting the sentences of ``counted`` alone.

    Any other sentence has the quartile of the counted one before it, and 1 before the first.
    """
    n, rank, at = sum(s.number in counted for s in sentences), 0, 1
    found = {}
    for s in sentences:
        if s.number in counted:
            rank += 1
            at = quartile(rank, n)
        found[s.number] = at
    return found


def first_supported(profile: CaptionProfile, left_out: Collection[int] = ()) -> dict[int, int]:
    """The sentence in which each claim is supported first, by claim."""
    first: dict[int, int] = {}
    for s in profile.sentences:
        if s.number not in left_out:
            for claim in s.supported:
                first.setdefault(claim, s.number)
    return first


def tail_of(sentences: Sequence[SentenceLabel], specific: Collection[int]) -> tuple[SentenceLabel, ...]:
    """All that comes after the first three quarters of the specific sentences; everything where none is specific.

    Filler before the last specific sentences is in it: one detail at the very end does not hide it.
    """
    told = [i for i, s in enumerate(sentences) if s.number in specific]
    before = len(told) - max(1, len(told) // 4)
    return tuple(sentences[told[before - 1] + 1 if before > 0 else 0 :])


def hedged(
    caption: str, rubric: Rubric, findings: Sequence[Finding], verifier: Verifier, graphs: Graphs
) -> tuple[Finding, ...]:
    """Findings in which a claim is contradicted where one sentence by itself contradicts it.

    "A red car. The car is blue." supports a red car for a verifier that looks for the best words. Each sentence is
    verified alone; its contradiction of a claim that another sentence supports counts, unless its words support
    another claim of the same dimension: then it speaks of another thing, such as the second of two cars. A sentence
    that mentions one of many things is no contradiction of their number, unless it gives a number itself, and that a
    thing is there at all is not questioned.

    Args:
        caption: as the verifier saw it; a sentence that is blanked is none.
        rubric: the claims.
        findings: of the whole caption.
        verifier: reads the single sentences.
        graphs: shared with the verifier; all sentences are parsed in one batch.
    """
    spans = [(a, b) for a, b in sentences_of(caption) if caption[a:b].strip()]
    findings = _undecided(caption, spans, rubric, findings, verifier, graphs)
    held = {f.claim: f for f in findings if f.status == "Supported" and f.evidence is not None}
    if len(spans) < 2 or not held:
        return tuple(findings)
    texts = [caption[a:b] for a, b in spans]
    graphs.of(texts)
    kinds = {c.id: c.kind for c in rubric.claims}
    changed: dict[int, Finding] = {}
    for (start, end), alone in zip(spans, verifier.verify([(t, rubric) for t in texts]), strict=True):
        borne = [(kinds[f.claim], f.evidence) for f in held.values() if f.evidence is not None]
        borne += [(kinds[f.claim], _moved(f.evidence, start)) for f in alone
                  if f.status == "Supported" and f.evidence is not None]
        for f in alone:
            whole = held.get(f.claim)
            if f.status != "Contradicted" or f.evidence is None or whole is None or f.claim in changed:
                continue
            evidence = _moved(f.evidence, start)
            assert whole.evidence is not None
            if not _weighs(kinds[f.claim], whole, f) or start <= whole.evidence[0] < end or any(
                kind == kinds[f.claim] and _covers(span, evidence) for kind, span in borne
            ):
                continue
            changed[f.claim] = replace(f, evidence=evidence, reason=f"{f.reason}; elsewhere it says the right thing")
    return tuple(changed.get(f.claim, f) for f in findings)


def _undecided(
    caption: str, spans: Sequence[Span], rubric: Rubric, findings: Sequence[Finding], verifier: Verifier, graphs: Graphs
) -> tuple[Finding, ...]:
    """Findings in which a claim is Missing that "red or blue" supports by one word and contradicts by the other."""
    asked: list[tuple[Span, str]] = []
    for start, end in spans:
        sentence = caption[start:end]
        for m in _OR.finditer(sentence):
            if m["words"].casefold() not in rubric.reference.casefold():  # what the reference leaves open may stay open
                asked += [((start, end), f"{sentence[: m.start()]}{word} {sentence[m.end() :]}")
                          for word in _BETWEEN.split(m["words"])]
    if not asked:
        return tuple(findings)
    graphs.of([text for _, text in asked])
    told = verifier.verify([(text, rubric) for _, text in asked])
    denied = {(span, f.claim) for (span, _), row in zip(asked, told, strict=True) for f in row
              if f.status == "Contradicted"}

    def open_(f: Finding) -> bool:
        return f.status == "Supported" and f.evidence is not None and any(
            claim == f.claim and a <= f.evidence[0] < b for (a, b), claim in denied
        )

    return tuple(Finding(f.claim, "Missing", reason=f'"{f.quote}" leaves it open') if open_(f) else f for f in findings)


def _weighs(kind: ClaimKind, whole: Finding, alone: Finding) -> bool:
    """Whether a sentence alone can speak against a claim of this kind, held by the whole caption."""
    if kind not in ("Visual_Detail", "Interaction"):
        return False
    return not _counts(whole.quote) or _counts(alone.quote)


def _counts(quote: str) -> bool:
    """Whether words give a number beyond the article."""
    from posh_lite.judge.lexical import words

    return any(t not in ("a", "an", "one") and words.number(t) is not None for t in words.tokens(quote))


def _moved(span: Span, by: int) -> Span:
    return (span[0] + by, span[1] + by)


def _covers(outer: Span, inner: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]
