"""The sentences that captions of the laboratory are composed of, with what is known and what was verified of each.

They are the sentences of the known-answer corpus ``data/mini``, each verified alone and once, so that a caption of any
composition is verified by moving findings to their places. That a verdict on a sentence does not depend on its
neighbours is an assumption; :mod:`posh_lite.reward.lab.check` says how often it holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from posh_lite.errors import InputError
from posh_lite.position.types import Claim, Finding, Rubric
from posh_lite.records import Span
from posh_lite.reward.terms import FINE

if TYPE_CHECKING:
    from posh_lite.benchmarks.mini import Gold, MiniCorpus, Mistake, Work

#: What a sentence is in truth, by the gold labels of the corpus.
Truth = Literal["true", "contradicted", "invented", "generic"]
#: Whose word the reward takes: of the planted mistakes, or of the embedded verifier alone, which misses most of them.
Witness = Literal["planted", "lens"]
#: How many claims a rubric has; see :func:`make_world`.
Grain = Literal["facts", "all", "sparse"]

TRUTHS: tuple[Truth, ...] = get_args(Truth)
#: Constructed: sentences that say nothing of any picture, beside the generic ones that the corpus has of each work.
FILLER = (
    "Altogether, the work leaves a deep and lasting impression.",
    "It speaks to anyone who takes the time to look.",
    "There is a sense of balance and harmony throughout.",
    "One could return to it again and again.",
    "The overall effect is both subtle and powerful.",
    "It rewards patience with ever new meaning.",
)
#: Kinds of mistake that put one thing for another, so that a claim that only names the thing is false as well.
_THING = ("object",)


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence that can stand in a caption.

    Attributes:
        text: the sentence.
        truth: what it is by the gold labels.
        findings: supported and contradicted claims, with evidence in offsets into ``text``.
        genericity: g of the embedded judge, 0 to 1.
        tokens: about how many a language model would count.
        fine: share of its supported weight that lies in fine-grained claims.
        source: style of the caption that it is from, or "constructed".
    """

    text: str
    truth: Truth
    findings: tuple[Finding, ...]
    genericity: float
    tokens: int
    fine: float
    source: str

    @property
    def supported(self) -> frozenset[int]:
        """Claims that it supports."""
        return frozenset(f.claim for f in self.findings if f.status == "Supported")

    @property
    def contradicted(self) -> frozenset[int]:
        """Claims that it contradicts."""
        return frozenset(f.claim for f in self.findings if f.status == "Contradicted")


@dataclass(frozen=True, slots=True)
class Pool:
    """All that can be said of one work."""

    slug: str
    rubric: Rubric  # with the claims that are asked alone, numbered anew
    lines: tuple[Line, ...]

    def of(self, truth: Truth) -> tuple[int, ...]:
        """Numbers of the lines of one kind."""
        return tuple(i for i, line in enumerate(self.lines) if line.truth == truth)


@dataclass(frozen=True, slots=True)
class World:
    """The pools of all works."""

    pools: tuple[Pool, ...]
    grain: Grain
    witness: Witness
    signature: str  # of extractor, verifier and judge of genericity

    def counts(self) -> dict[Truth, int]:
        """Lines by what they are in truth."""
        return {t: sum(len(p.of(t)) for p in self.pools) for t in TRUTHS}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as the verifier saw it: standing alone, against all claims of the reference."""

    text: str
    truth: Truth
    mistakes: tuple[Mistake, ...]  # in offsets into the sentence
    source: str
    findings: tuple[Finding, ...]  # supported and contradicted, in such offsets
    genericity: float


@dataclass(frozen=True, slots=True)
class Verified:
    """All sentences of one work and its whole rubric."""

    work: Work
    rubric: Rubric
    sentences: tuple[Sentence, ...]
    signature: str


def current_signature() -> str:
    """Of the extractor, the verifier and the judge of genericity that :func:`verify_corpus` uses."""
    from posh_lite.position.generic import LexicalGenericity
    from posh_lite.position.profile import embedded

    extractor, verifier = embedded()
    return f"{extractor.signature} > {verifier.signature} > {LexicalGenericity().signature}"


def verify_corpus(corpus: MiniCorpus | None = None) -> tuple[Verified, ...]:
    """Verify every sentence of the corpus's captions, each alone (some ten seconds).

    Lists and headings are no sentences; a sentence that comes twice counts once.

    Args:
        corpus: default ``data/mini``.
    """
    from posh_lite.benchmarks.mini import load_mini
    from posh_lite.position.generic import LexicalGenericity
    from posh_lite.position.profile import embedded

    corpus = load_mini() if corpus is None else corpus
    extractor, verifier = embedded()
    judge = LexicalGenericity()
    name = current_signature()
    made = []
    for work, rubric in zip(corpus.works, extractor.extract([w.reference for w in corpus.works]), strict=True):
        raw = {row[0]: row for p, g in zip(corpus.pairs, corpus.gold, strict=True) if corpus.work_of(p) is work
               for row in _sentences(p.generation, g)}
        raw |= {text: (text, "generic", (), "constructed") for text in FILLER}
        found = verifier.verify([(text, rubric) for text in raw])
        made.append(Verified(work, rubric, tuple(
            Sentence(*row, tuple(f for f in findings if f.evidence is not None), judge.judge(row[0]).score)
            for row, findings in zip(raw.values(), found, strict=True)
        ), name))
    return tuple(made)


def make_world(
    verified: Sequence[Verified] | None = None, *, grain: Grain = "facts", witness: Witness = "planted"
) -> World:
    """Pools of lines from verified sentences.

    A true sentence that supports no claim is left out, since it could not be told from filler; so is a wrong one whose
    mistakes meet no claim. What is left out goes by the planted mistakes, so that both witnesses see the same lines.

    Args:
        verified: default: of :func:`verify_corpus`.
        grain: how fine the rubric is. "all": every claim of the embedded extractor, some ninety a work. "facts": one
            claim for each visual fact of the gold annotation, the heaviest that overlaps it, some twenty-five.
            "sparse": of every second fact. The paper's rubrics take 423 tokens to write (Table 22), about a dozen
            claims in its format.
        witness: "planted" takes contradictions from the gold labels: the words of a mistake contradict the claims of
            the fact that they misstate, what the verifier finds supported elsewhere in the sentence stays supported,
            and true and generic sentences contradict nothing. "lens" takes all from the verifier.

    Raises:
        InputError: ``grain`` or ``witness`` is not one of these.
    """
    from posh_lite.evaluation.token_count import approximate_tokens

    for name, value, kind in (("grain", grain, Grain), ("witness", witness, Witness)):
        if value not in get_args(kind):
            raise InputError(f"{name} must be one of {', '.join(get_args(kind))}, got {value!r}")
    verified = verify_corpus() if verified is None else verified
    pools = []
    for one in verified:
        about = claims_of_facts(one.work, one.rubric, grain)
        kept = sorted({c for own in about.values() for c in own})
        if grain == "all":
            kept = [c.id for c in one.rubric.claims]
        number = {old: new for new, old in enumerate(kept)}
        claims = tuple(replace(one.rubric.claims[old], id=new) for old, new in number.items())
        lines = []
        for s in one.sentences:
            lens = _renumbered((f for f in s.findings if f.claim in number), number)
            known = _renumbered(planted(s, about, one.rubric.claims, set(number)), number)
            due = {"true": "Supported", "contradicted": "Contradicted"}.get(s.truth)
            if due is not None and all(f.status != due for f in known):
                continue
            told = known if witness == "planted" else lens
            lines.append(Line(s.text, s.truth, told, s.genericity, len(approximate_tokens(s.text)),
                              _fine(told, claims), s.source))
        pools.append(Pool(one.work.slug, replace(one.rubric, claims=claims), tuple(lines)))
    return World(tuple(pools), grain, witness, verified[0].signature if verified else "")


def claims_of_facts(work: Work, rubric: Rubric, grain: Grain) -> dict[str, tuple[int, ...]]:
    """For each fact of the gold annotation the claims that a mistake about it contradicts, as far as they are kept."""
    found: dict[str, tuple[int, ...]] = {}
    for place, fact in enumerate(work.facts):
        over = [c for c in rubric.claims if _overlap(fact.span, c.spans)]
        if grain == "all":
            found[fact.fact] = tuple(c.id for c in over)
        elif over and not (grain == "sparse" and place % 2):
            best = max(over, key=lambda c: (c.weight, _overlap(fact.span, c.spans), -c.id))
            found[fact.fact] = (best.id,)
    return found


def planted(
    sentence: Sentence, about: Mapping[str, Sequence[int]], claims: Sequence[Claim], kept: set[int]
) -> tuple[Finding, ...]:
    """Findings of one sentence as they would be if every planted mistake were seen, and nothing else.

    Args:
        sentence: verified.
        about: claims of each fact, see :func:`claims_of_facts`.
        claims: of the whole rubric.
        kept: ids of those that are asked.
    """
    if sentence.truth == "generic":
        return ()
    wrong = [(m.start, m.end) for m in sentence.mistakes]
    held = {f.claim: f for f in sentence.findings if f.claim in kept and f.status == "Supported"
            and f.evidence is not None and not _overlap(f.evidence, wrong)}
    against: dict[int, Finding] = {}
    for m in sentence.mistakes:
        over = about.get(m.fact or "", ())
        if len(over) > 1:  # all claims are asked: what is said right elsewhere in the sentence is right
            open_ = [c for c in over if c not in held]
            # a wrong colour does not make it false that the thing is there
            over = [c for c in open_ if m.type in _THING or claims[c].kind in FINE] or open_
        for c in over:
            held.pop(c, None)
            against.setdefault(c, Finding(c, "Contradicted", (m.start, m.end), m.text, "given", "planted"))
    return tuple(sorted((*held.values(), *against.values()), key=lambda f: f.claim))


def _renumbered(findings: Iterable[Finding], number: Mapping[int, int]) -> tuple[Finding, ...]:
    return tuple(replace(f, claim=number[f.claim]) for f in findings)


def _overlap(span: Span, others: Sequence[Span]) -> int:
    """Characters that a span shares with others."""
    return sum(max(0, min(span[1], b) - max(span[0], a)) for a, b in others)


def _sentences(text: str, gold: Gold) -> list[tuple[str, Truth, tuple[Mistake, ...], str]]:
    """Sentences with what they are in truth and the mistakes in them, in offsets into the sentence."""
    found = []
    for s in gold.sentences:
        own = tuple(replace(m, start=m.start - s.start, end=m.end - s.start)
                    for m in gold.mistakes if s.start <= m.start < s.end)
        truth: Truth = "true" if s.label == "supported" else "generic"
        if own:
            truth = "contradicted" if any(m.fact is not None for m in own) else "invented"
        found.append((text[s.start : s.end], truth, own, gold.id.split("/")[1]))
    return found


def _fine(findings: Sequence[Finding], claims: Sequence[Claim]) -> float:
    held = [claims[f.claim] for f in findings if f.status == "Supported"]
    total = sum(c.weight for c in held)
    return sum(c.weight for c in held if c.kind in FINE) / total if total else 0.0
