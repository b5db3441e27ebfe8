"""Whether the position effects hang on a choice: precedence, weights, bins, the verifier, the training seed.

"Where Do Long Captions Fail?", appendices B.1 (unweighted), J.5 and Table 18 (second verifier), J.7 and Table 21
(seeds) and J.8 (mixed evidence, reversed precedence); the bins are moved as well, which the paper does not do.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from posh_lite.evaluation.agreement import kappa_statistic
from posh_lite.evaluation.bootstrap import Estimate, bootstrap, ratio
from posh_lite.position.composition import QUARTERS, Bins, Reading, as_labelled, equal_bins
from posh_lite.position.effects import EFFECTS, Diagnosis, diagnose
from posh_lite.position.resample import summarise
from posh_lite.position.types import LABELS, STATUSES, CaptionProfile, Label, SentenceLabel


def reversed_precedence(profile: CaptionProfile, sentence: SentenceLabel) -> tuple[Label, float]:
    """A sentence with any conflicting evidence is contradicted, whatever else bears it out (appendix J.8).

    A sentence without located claims keeps its label and weight.
    """
    if not sentence.contradicted:
        return sentence.label, sentence.weight
    weights = {c.id: c.weight for c in profile.rubric.claims}
    return "Contradicted", sum(weights[claim] for claim in sentence.contradicted)


def mixed_evidence(profiles: Iterable[CaptionProfile], **settings: Any) -> Estimate:
    """Share of the sentences with both supported and conflicting evidence (appendix J.8: 187 of 11,714).

    Args:
        profiles: of one or several models.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`; images are resampled.
    """
    rows = [(p.unit, float(bool(s.supported and s.contradicted))) for p in profiles for s in p.sentences]
    return ratio([mixed for _, mixed in rows], [1.0] * len(rows), units=[unit for unit, _ in rows],
                 method="sentences with mixed evidence", **settings)


@dataclass(frozen=True, slots=True)
class Variant:
    """One way of reading the same captions."""

    name: str
    weighted: bool = True
    bins: Bins = QUARTERS
    reading: Reading = as_labelled


#: The first is the paper's main reading.
VARIANTS = (
    Variant("weighted, quartiles"),
    Variant("unweighted", weighted=False),
    Variant("contradicted before supported", reading=reversed_precedence),
    Variant("edges 0.05 earlier", bins=equal_bins(4, offset="-0.05")),
    Variant("edges 0.05 later", bins=equal_bins(4, offset="0.05")),
    Variant("by the middle of sentences", bins=equal_bins(4, anchor="0.5")),
    Variant("three parts", bins=equal_bins(3)),
    Variant("five parts", bins=equal_bins(5)),
    Variant("six parts", bins=equal_bins(6)),
)


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """An effect of a model in one reading, and how far it lies from that in the first, on the same resamples."""

    variant: str
    model: str
    quantity: str
    estimate: Estimate
    change: Estimate


def sensitivity(
    profiles: Sequence[CaptionProfile], variants: Sequence[Variant] = VARIANTS, *, n_resamples: int = 2000,
    level: float = 0.95, seed: int = 0, quantities: Sequence[str] = EFFECTS,
) -> list[Sensitivity]:
    """Effects under several readings, each compared with the first in pairs.

    Args:
        profiles: of one or several models.
        variants: the first is the one that the others are compared with.
        n_resamples: B.
        level: of the intervals.
        seed: of the draws, which are the same for all readings.
        quantities: effects, or rates that all variants have.

    Raises:
        ValueError: no variants.
        KeyError: a quantity that a variant does not have.
    """
    if not variants:
        raise ValueError("no variants")
    made = [
        diagnose(profiles, weighted=v.weighted, n_resamples=n_resamples, level=level, seed=seed, bins=v.bins,
                 reading=v.reading)
        for v in variants
    ]
    return [
        Sensitivity(variant.name, model, quantity, own.estimate(model, quantity),
                    change(own, made[0], model, quantity))
        for variant, own in zip(variants, made, strict=True) for model in own.models for quantity in quantities
    ]


def change(one: Diagnosis, other: Diagnosis, model: str, quantity: str) -> Estimate:
    """A quantity of a model in one diagnosis minus the same in another of the same images, in pairs.

    Raises:
        ValueError: the two were not resampled alike.
    """
    if (one.seed, one.n_images, len(one.replicates)) != (other.seed, other.n_images, len(other.replicates)):
        raise ValueError("two diagnoses are paired only with the same images, seed and number of resamples")
    mine, theirs = one.estimate(model, quantity), other.estimate(model, quantity)
    gaps = one.replicates_of(model, quantity) - other.replicates_of(model, quantity)
    return summarise(mine.value - theirs.value, gaps, n=mine.n, n_units=one.n_images, level=one.level,
                     n_dropped=mine.n_dropped, method=f"change of {quantity}", reason=mine.reason or theirs.reason)


# -- a second verifier --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VerifierAgreement:
    """How far two verifiers say the same (appendix J.5: 90 % and kappa .83).

    Attributes:
        claims, claims_kappa: share of the claims with one status from both, and Cohen's kappa; claims without a
            readable verdict of either are left out and counted.
        sentences, sentences_kappa: the same of the induced labels; sentences that only one has are left out.
        n_captions: that both verified.
        n_other_rubric: of these, how many have other claims in the two runs: they count by sentences alone.
    """

    claims: Estimate
    claims_kappa: Estimate
    sentences: Estimate
    sentences_kappa: Estimate
    n_captions: int
    n_other_rubric: int = 0


def verifier_agreement(
    first: Iterable[CaptionProfile], second: Iterable[CaptionProfile], **settings: Any
) -> VerifierAgreement:
    """Agreement of two verifiers on the same captions and rubrics, with intervals over images.

    Args:
        first: captions by one verifier.
        second: by the other, matched by model and id. Gold labels, whose rubrics are empty, are compared by sentences.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.

    Raises:
        ValueError: no caption in common, or a caption has other words in the two.
    """
    known = {(p.model, p.id): p for p in second}
    couples = [(p, known[p.model, p.id]) for p in first if (p.model, p.id) in known]
    if not couples:
        raise ValueError("the two runs have no caption in common")
    claims: list[tuple[Hashable, str | None, str | None]] = []
    labels: list[tuple[Hashable, str | None, str | None]] = []
    n_other = 0
    for a, b in couples:
        if a.caption != b.caption:
            raise ValueError(f'caption "{a.id}" of model "{a.model}" has other words in the second run')
        if a.rubric.claims == b.rubric.claims:
            said = {f.claim: f.status for f in b.findings}
            claims += [(a.unit, f.status, said.get(f.claim)) for f in a.findings] if said else []
        else:
            n_other += 1
        other = {s.span: s.label for s in b.sentences}
        labels += [(a.unit, s.label, other.get(s.span)) for s in a.sentences]
    return VerifierAgreement(
        *_agree(claims, STATUSES, settings), *_agree(labels, LABELS, settings), len(couples), n_other
    )


def _agree(
    rows: Sequence[tuple[Hashable, str | None, str | None]], names: Sequence[str], settings: Mapping[str, Any]
) -> tuple[Estimate, Estimate]:
    """Share and kappa of rows in which both spoke."""
    import numpy as np

    kept = [(unit, names.index(a), names.index(b)) for unit, a, b in rows if a is not None and b is not None]
    units, lost = [unit for unit, _, _ in kept], len(rows) - len(kept)
    share = ratio([float(a == b) for _, a, b in kept], [1.0] * len(kept), units=units, method="agreement", **settings)
    one, two = (np.array([row[k] for row in kept], dtype=np.int64) for k in (1, 2))
    why = "both put everything into one category" if kept else "nothing that both judged"
    kappa = bootstrap(kappa_statistic(one, two, len(names)), len(kept), units=units, method="Cohen's kappa",
                      n_dropped=lost, reason=why, **settings)
    return replace(share, n_dropped=lost), kappa


@dataclass(frozen=True, slots=True)
class TwoVerifiers:
    """A quantity of a model under two verifiers (a cell of Table 18), and their paired difference."""

    model: str
    quantity: str
    first: Estimate
    second: Estimate
    difference: Estimate


def under_two_verifiers(
    first: Sequence[CaptionProfile], second: Sequence[CaptionProfile],
    quantities: Sequence[str] = ("d_mid", "s_q4", "h_q4", "g_q4"), **settings: Any,
) -> list[TwoVerifiers]:
    """Position metrics under two verifiers, in the form of Table 18.

    Args:
        first: captions of all models by one verifier.
        second: the same captions by the other; captions that only one has are left out.
        quantities: the columns.
        settings: keywords of :func:`~posh_lite.position.effects.diagnose`.

    Raises:
        ValueError: no caption in common.
    """
    keys = {(p.model, p.id) for p in first} & {(p.model, p.id) for p in second}
    if not keys:
        raise ValueError("the two runs have no caption in common")
    unit_of = {(p.model, p.id): p.unit for p in first}
    one, two = (
        diagnose([replace(p, unit=unit_of[p.model, p.id]) for p in run if (p.model, p.id) in keys], **settings)
        for run in (first, second)
    )
    return [
        TwoVerifiers(m, q, one.estimate(m, q), two.estimate(m, q), change(two, one, m, q))
        for m in one.models for q in quantities
    ]


# -- seeds --------------------------------------------------------------------------------------------------


def t_interval(values: Sequence[float], *, level: float = 0.95, method: str = "mean over seeds") -> Estimate:
    """Mean with Student's interval, as for three training seeds (Table 21).

    Args:
        values: one a seed; NaN is left out and counted.
        level: coverage, between 0 and 1.
        method: name kept in the result.

    Returns:
        Without an interval where there is one value only.

    Raises:
        ValueError: ``level`` is out of range.
    """
    from statistics import fmean, stdev

    from scipy.special import stdtrit

    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}")
    kept = [float(v) for v in values if not math.isnan(v)]
    n, lost, name, nan = len(kept), len(values) - len(kept), f"{method}, t interval", math.nan
    if n < 2:
        why = "one value only: no interval" if n else "no values"
        return Estimate(kept[0] if n else nan, nan, nan, n, n, n_dropped=lost, level=level, method=name, reason=why)
    mean = fmean(kept)
    half = float(stdtrit(n - 1, (1 + level) / 2)) * stdev(kept) / math.sqrt(n)
    return Estimate(mean, mean - half, mean + half, n, n, n_dropped=lost, level=level, method=name)


def implied_spread(low: float, high: float, n: int = 3, *, level: float = 0.95) -> float:
    """The standard deviation between seeds that a printed t interval stands for.

    Args:
        low: its lower end.
        high: its upper end.
        n: seeds, at least 2.
        level: its coverage.

    Raises:
        ValueError: fewer than two seeds, or the ends are the wrong way round.
    """
    from scipy.special import stdtrit

    if n < 2 or high < low:
        raise ValueError(f"an interval from {low} to {high} over {n} seeds")
    return (high - low) / 2 * math.sqrt(n) / float(stdtrit(n - 1, (1 + level) / 2))
