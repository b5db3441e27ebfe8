"""The four terms of the PAGER reward (section 4 of "Where Do Long Captions Fail?"), from a caption through the lens.

Pure arithmetic: what was verified and judged comes in, numbers come out. Who asks the judges is
:mod:`posh_lite.reward.pager`; the laboratory calls the same functions. With the guard "none" the terms are the paper's
to the letter; what the other guards change is told in :mod:`posh_lite.reward.guard`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from posh_lite.position.generic import THRESHOLD as GENERIC
from posh_lite.position.types import CaptionProfile
from posh_lite.reward.guard import first_supported, places, repeats, tail_of
from posh_lite.reward.settings import PagerSettings

#: Dimensions that the middle term calls fine-grained (section 4).
FINE = ("Visual_Detail", "Interaction")


@dataclass(frozen=True, slots=True)
class Terms:
    """The reward of one caption, term by term; each already carries its weight, so that the total is their sum.

    Attributes:
        coverage: credit for supported claims less the charge for contradicted ones, over the weight of all:
            -beta to alpha (with ``itemwise`` off: alpha times the mark of the checklist).
        middle: supported fine-grained claims whose evidence lies in the second or third quarter: 0 to lambda_mid
            (the rising weight with ``position`` "monotone").
        tail: minus the mean genericity of the last quarter's sentences: -lambda_tail to 0.
        length: minus the charge beyond the budget: at most 0.
    """

    coverage: float
    middle: float
    tail: float
    length: float

    @property
    def total(self) -> float:
        return self.coverage + self.middle + self.tail + self.length


def pager_terms(
    profile: CaptionProfile, settings: PagerSettings, *, length: float, genericity: Mapping[int, float] | None = None,
    mark: float | None = None,
) -> Terms:
    """The terms of one caption.

    Args:
        profile: its claims, findings and labelled sentences.
        settings: see there.
        length: of the caption, in the unit of ``settings.length_unit``.
        genericity: g of sentences by their number (from 1), 0 to 1; needed with ``tail`` "judge" (for the last
            quarter; for all sentences with the guard "full" or "repeats"), and with ``position`` "monotone" on
            specificity (for all). :func:`judged` says which.
        mark: of the whole checklist, 0 to 1, in place of coverage and middle where ``itemwise`` is off.

    Raises:
        ValueError: the rubric has no claim, or something that the settings need is not given.
    """
    total = sum(c.weight if settings.weighted else 1.0 for c in profile.rubric.claims)
    if total <= 0:
        raise ValueError("a rubric without claims gives no reward")
    if not settings.itemwise:
        if mark is None:
            raise ValueError("the holistic variant needs the mark of the checklist")
        coverage, middle = settings.alpha * mark, 0.0
    else:
        coverage = _coverage(profile, settings) / total
        if settings.position == "monotone" and settings.monotone_on == "specificity":
            middle = _rising(profile, settings, genericity) if settings.lambda_mid else 0.0
        else:
            middle = _middle(profile, settings) / total
    return Terms(
        coverage, settings.lambda_mid * middle, 0.0 - settings.lambda_tail * _tail(profile, settings, genericity),
        0.0 - settings.lambda_len * over_budget(length, settings, len(profile.rubric.claims)),
    )


def judged(profile: CaptionProfile, settings: PagerSettings) -> tuple[int, ...]:
    """Numbers of the sentences whose genericity the terms need."""
    numbers = tuple(s.number for s in profile.sentences)
    rising = settings.itemwise and settings.position == "monotone" and settings.monotone_on == "specificity"
    if rising and settings.lambda_mid:
        return numbers
    if settings.position != "split" or not settings.lambda_tail or settings.tail != "judge":
        return ()
    if settings.guard == "none":
        return tuple(s.number for s in profile.sentences if s.quartile == 4)
    return numbers


def over_budget(length: float, settings: PagerSettings, n_claims: int) -> float:
    """The charge for length before its weight; 0 within the budget."""
    budget = settings.budget(n_claims)
    if settings.length_form == "none" or length <= budget:
        return 0.0
    if settings.length_form == "log_ratio":
        return math.log(length / budget)
    return math.log1p(length - budget)


def _weights(profile: CaptionProfile, settings: PagerSettings) -> dict[int, float]:
    return {c.id: c.weight if settings.weighted else 1.0 for c in profile.rubric.claims}


def _coverage(profile: CaptionProfile, settings: PagerSettings) -> float:
    weights = _weights(profile, settings)
    worth = {"Supported": settings.alpha, "Contradicted": -settings.beta}
    return sum(weights[f.claim] * worth.get(f.status or "", 0.0) for f in profile.findings)


def _middle(profile: CaptionProfile, settings: PagerSettings) -> float:
    if settings.position == "none" or not settings.lambda_mid:
        return 0.0
    weights = _weights(profile, settings)
    kinds = {c.id: c.kind for c in profile.rubric.claims}
    again = _again(profile, settings)
    first = first_supported(profile, again)  # a claim counts where it is supported first
    if settings.guard == "none":
        at = {s.number: s.quartile for s in profile.sentences}
    elif settings.guard == "repeats":
        at = places(profile.sentences, {s.number for s in profile.sentences} - again)
    else:
        at = places(profile.sentences, set(first.values()))
    if settings.position == "monotone":
        return sum(weights[i] * (at[k] - 1) / 3 for i, k in first.items())
    return sum(weights[i] for i, k in first.items() if at[k] in (2, 3) and kinds[i] in FINE)


def _rising(profile: CaptionProfile, settings: PagerSettings, genericity: Mapping[int, float] | None) -> float:
    """Mean specificity of the sentences, each counting by its quarter: 0, 1/3, 2/3, 1."""
    if genericity is None:
        raise ValueError("a rising weight on specificity needs the genericity of all sentences")
    again = _again(profile, settings)
    g = {s.number: 1.0 if s.number in again else genericity[s.number] for s in profile.sentences}
    if settings.guard == "none":
        at = {s.number: s.quartile for s in profile.sentences}
    else:
        filler = {k for k, v in g.items() if v >= GENERIC} if settings.guard == "full" else again
        at = places(profile.sentences, set(g) - filler)
    rising = {k: (q - 1) / 3 for k, q in at.items()}
    told = sum(r * (1 - g[k]) for k, r in rising.items())
    return told / sum(rising.values()) if any(rising.values()) else 0.0


def _tail(profile: CaptionProfile, settings: PagerSettings, genericity: Mapping[int, float] | None) -> float:
    if settings.position != "split" or not settings.lambda_tail:
        return 0.0
    if settings.tail == "residual":
        genericity = {s.number: float(s.label == "Generic") for s in profile.sentences}
    elif settings.tail == "evidence":
        genericity = {s.number: float(s.label != "Supported") for s in profile.sentences}
    if genericity is None:
        raise ValueError("the tail term needs the genericity of the last quarter's sentences")
    sentences, again = profile.sentences, _again(profile, settings)
    if settings.guard == "full":
        filler = {s.number for s in sentences if s.number in again or genericity[s.number] >= GENERIC}
        last = tail_of(sentences, {s.number for s in sentences} - filler)
        return sum(s.number in filler for s in last) / max(1, len(last))
    if settings.guard == "repeats":
        at = places(sentences, {s.number for s in sentences} - again)
        last = tuple(s for s in sentences if at[s.number] == 4)
    else:
        last = tuple(s for s in sentences if s.quartile == 4)
    return sum(1.0 if s.number in again else genericity[s.number] for s in last) / max(1, len(last))


def _again(profile: CaptionProfile, settings: PagerSettings) -> frozenset[int]:
    """Numbers of the sentences that the guard takes for repeated."""
    if settings.guard == "none":
        return frozenset()
    return repeats(profile.caption, [s.span for s in profile.sentences])
