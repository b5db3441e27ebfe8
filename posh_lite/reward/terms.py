"""The four terms of the PAGER reward (section 4 of "Where Do Long Captions Fail?"), from a caption through the lens.

Pure arithmetic: what was verified and judged comes in, numbers come out. Who asks the judges is
:mod:`posh_lite.reward.pager`; the laboratory calls the same functions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from posh_lite.position.types import CaptionProfile
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
        genericity: g of sentences by their number (from 1), 0 to 1; needed for the last quarter with ``tail`` "judge",
            and for all sentences with ``position`` "monotone" on specificity.
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
            middle = _rising(profile, genericity) if settings.lambda_mid else 0.0
        else:
            middle = _middle(profile, settings) / total
    return Terms(
        coverage, settings.lambda_mid * middle, -settings.lambda_tail * _tail(profile, settings, genericity),
        -settings.lambda_len * over_budget(length, settings, len(profile.rubric.claims)),
    )


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
    first: dict[int, int] = {}  # a claim counts where it is supported first
    for s in profile.sentences:
        for claim in s.supported:
            first.setdefault(claim, s.quartile)
    if settings.position == "monotone":
        return sum(weights[i] * (q - 1) / 3 for i, q in first.items())
    return sum(weights[i] for i, q in first.items() if q in (2, 3) and kinds[i] in FINE)


def _rising(profile: CaptionProfile, genericity: Mapping[int, float] | None) -> float:
    """Mean specificity of the sentences, each counting by its quarter: 0, 1/3, 2/3, 1."""
    if genericity is None:
        raise ValueError("a rising weight on specificity needs the genericity of all sentences")
    rising = [(s.quartile - 1) / 3 for s in profile.sentences]
    told = sum(r * (1 - genericity[s.number]) for r, s in zip(rising, profile.sentences, strict=True))
    return told / sum(rising) if any(rising) else 0.0


def _tail(profile: CaptionProfile, settings: PagerSettings, genericity: Mapping[int, float] | None) -> float:
    if settings.position != "split" or not settings.lambda_tail:
        return 0.0
    last = [s for s in profile.sentences if s.quartile == 4]
    if settings.tail == "residual":
        return sum(s.label == "Generic" for s in last) / max(1, len(last))
    if genericity is None:
        raise ValueError("the tail term needs the genericity of the last quarter's sentences")
    return sum(genericity[s.number] for s in last) / max(1, len(last))
