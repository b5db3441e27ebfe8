"""From chosen sentences to a verified caption, its labels and its reward: the real code over findings that were moved.

Labels and quarters are those of :func:`posh_lite.position.label.label_sentences`, made faster; the reward is
:func:`posh_lite.reward.terms.pager_terms` itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from posh_lite.position.label import Precedence
from posh_lite.position.types import CaptionProfile, Finding, Label, SentenceLabel, quartile
from posh_lite.reward.lab.world import Line, Pool, Truth
from posh_lite.reward.settings import PagerSettings
from posh_lite.reward.terms import FINE, Terms, pager_terms

#: A caption-level judge marks in steps of a tenth. *The paper does not print its prompt's scale.*
MARK_STEP = 0.1


@dataclass(frozen=True, slots=True)
class Composed:
    """A caption made of lines of a pool.

    Attributes:
        pool: of the work.
        chosen: numbers of its lines, in text order.
        profile: verified and labelled.
        told: for each sentence, whether it is the first to support or contradict any claim.
        hedged: see :func:`compose_caption`.
    """

    pool: Pool
    chosen: tuple[int, ...]
    profile: CaptionProfile
    told: tuple[bool, ...]
    hedged: bool

    @property
    def lines(self) -> tuple[Line, ...]:
        """In text order."""
        return tuple(self.pool.lines[i] for i in self.chosen)

    def as_seen(self, settings: PagerSettings) -> Composed:
        """The caption as the guard of a reward has it verified."""
        hedged = settings.guard == "full"
        if hedged is self.hedged:
            return self
        return compose_caption(self.pool, self.chosen, id=self.profile.id, model=self.profile.model, hedged=hedged)

    @property
    def truths(self) -> tuple[Truth, ...]:
        """What each sentence is by the gold labels."""
        return tuple(line.truth for line in self.lines)

    @property
    def tokens(self) -> int:
        """About how many tokens the caption has."""
        return sum(line.tokens for line in self.lines)


def compose_caption(
    pool: Pool, chosen: Sequence[int], *, id: str = "caption", model: str = "policy",
    precedence: Precedence = "contradicted", hedged: bool = False,
    random: Random | None = None, miss: float = 0.0,
) -> Composed:
    """Join lines by a space and move their findings to their places.

    A claim has one finding a caption, as of every verifier: supported where it is supported first, else contradicted
    where it is contradicted first, else missing.

    Args:
        pool: of the work.
        chosen: numbers of its lines, in text order; a number may come again.
        id: of the caption.
        model: the captioner's name.
        precedence: what labels a sentence with both kinds of evidence. The corpus's gold labels call a sentence wrong
            where any word of it is, hence the default; the paper's rule is "supported".
        hedged: a fine-grained claim that any sentence contradicts is contradicted, whatever another says: what
            :func:`posh_lite.reward.guard.hedged` does for the guard "full". A copied line is not verified again.
        random: draws what a verifier misses; needed where ``miss`` is not 0.
        miss: how often a verifier overlooks a finding, each time that its sentence stands in the caption.
    """
    fine = {c.id for c in pool.rubric.claims if c.kind in FINE} if hedged else set()
    lines = [pool.lines[i] for i in chosen]
    found: dict[int, tuple[int, Finding]] = {}
    starts, told, at = [], [], 0
    for k, line in enumerate(lines):
        starts.append(at)
        new = False
        for f in () if hedged and chosen[k] in chosen[:k] else line.findings:
            if miss and random is not None and random.random() < miss:
                continue
            stays = "Contradicted" if f.claim in fine else "Supported"
            if f.claim in found and (found[f.claim][1].status == stays or f.status != stays):
                continue
            new = True
            assert f.evidence is not None
            moved = Finding(f.claim, f.status, (f.evidence[0] + at, f.evidence[1] + at), f.quote, f.match)
            found[f.claim] = (k, moved)
        told.append(new)
        at += len(line.text) + 1
    findings = tuple(found[c.id][1] if c.id in found else Finding(c.id, "Missing") for c in pool.rubric.claims)
    labelled = _labelled(lines, starts, found, pool, precedence)
    text = " ".join(line.text for line in lines)
    made = CaptionProfile(id, pool.slug, model, text, pool.rubric, findings, labelled, "composed")
    return Composed(pool, tuple(chosen), made, tuple(told), hedged)


def _labelled(
    lines: Sequence[Line], starts: Sequence[int], found: Mapping[int, tuple[int, Finding]], pool: Pool,
    precedence: Precedence,
) -> tuple[SentenceLabel, ...]:
    """What ``label_sentences`` gives, where the sentence of every finding is known; a test holds them together."""
    held: list[list[int]] = [[] for _ in lines]
    against: list[list[int]] = [[] for _ in lines]
    for claim, (k, f) in sorted(found.items()):
        (held if f.status == "Supported" else against)[k].append(claim)
    made = []
    for k, (line, start) in enumerate(zip(lines, starts, strict=True)):
        label: Label = "Generic"
        deciding: list[int] = []
        if held[k] and (precedence == "supported" or not against[k]):
            label, deciding = "Supported", held[k]
        elif against[k]:
            label, deciding = "Contradicted", against[k]
        weight = sum(pool.rubric.claims[c].weight for c in deciding) if deciding else 1.0
        made.append(SentenceLabel(start, start + len(line.text), k + 1, quartile(k + 1, len(lines)), label, weight,
                                  tuple(held[k]), tuple(against[k])))
    return tuple(made)


def terms_of(caption: Composed, settings: PagerSettings, *, random: Random | None = None, blur: float = 0.0) -> Terms:
    """The reward of a caption.

    Args:
        caption: composed.
        settings: of the reward.
        random: draws the error of the caption-level judge; needed where ``itemwise`` is off and ``blur`` is not 0.
        blur: standard deviation of that error.
    """
    caption = caption.as_seen(settings)
    text = caption.profile.caption
    length = {"tokens": caption.tokens, "words": len(text.split()), "characters": len(text)}[settings.length_unit]
    mark = None if settings.itemwise else holistic_mark(caption, settings, random, blur)
    return pager_terms(
        caption.profile, settings, length=float(length), mark=mark,
        genericity={number: line.genericity for number, line in enumerate(caption.lines, start=1)},
    )


def holistic_mark(caption: Composed, settings: PagerSettings, random: Random | None = None, blur: float = 0.0) -> float:
    """A simulated caption-level judge: the coverage term seen through steps of a tenth and an error.

    *An assumption.* It knows as much of truth as the itemwise terms and differs in grain and place alone.

    Returns:
        0 to 1.
    """
    alone = replace(settings, itemwise=True, position="none", lambda_tail=0.0, lambda_len=0.0)
    exact = pager_terms(caption.profile, alone, length=0.0, genericity={}).coverage
    if blur:
        if random is None:
            raise ValueError("a judge that errs needs a source of chance")
        exact += random.gauss(0.0, blur)
    return min(1.0, max(0.0, round(exact / MARK_STEP) * MARK_STEP))
