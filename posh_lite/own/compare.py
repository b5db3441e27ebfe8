"""Is one model better than another? Paired tests on the images that both describe.

Three answers to one question, since each assumes something else: the bootstrap draws images anew; the permutation test
exchanges the two models' captions of an image, and asks how often a difference as large comes about; Wilcoxon's test
looks at the ranks of the differences. Effects of position are ratios over pooled sentences, so there the captions are
exchanged by their sums, and ranks of images have no meaning.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from posh_lite.errors import InputError
from posh_lite.evaluation.bootstrap import Estimate, bootstrap
from posh_lite.evaluation.significance import bootstrap_p
from posh_lite.own.record import EFFECTS, SCORES

if TYPE_CHECKING:
    import pandas as pd

    from posh_lite.evaluation.bootstrap import Floats
    from posh_lite.metric.score import Score
    from posh_lite.own.run import Model
    from posh_lite.position.types import CaptionProfile

#: Up to this many images all exchanges are tried; beyond, so many are drawn.
EXACT, DRAWN = 13, 9999
_TINY = 1e-12  # differences that rounding alone makes


@dataclass(frozen=True, slots=True)
class Tested:
    """One quantity of two models on the same images.

    Attributes:
        quantity: "overall", "mistakes", "omissions" or an effect of position (each sentence counted once).
        first, second: the values of the two.
        difference: first less second with its interval over images.
        share: of the images on which the first is better, equal ones by half; NaN for effects.
        p_bootstrap: two-sided p of the paired bootstrap.
        p_permutation: two-sided p of the exchange within images.
        p_wilcoxon: of the signed ranks; NaN for effects, and where no image differs.
        p_holm: that of the permutation test, corrected for all quantities that were tested (Holm).
        exact: whether all exchanges were tried.
    """

    quantity: str
    first: float
    second: float
    difference: Estimate
    share: float
    p_bootstrap: float
    p_permutation: float
    p_wilcoxon: float
    p_holm: float = math.nan
    exact: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two models side by side.

    Attributes:
        first, second: the models.
        images: that both describe, in the order of the first, with the index of the captions of either.
        tests: of scores, then of effects.
        why_no_effects: why effects are not among them; else empty.
        n_resamples, level, seed: of the draws.
    """

    first: Model
    second: Model
    images: tuple[tuple[str, tuple[int, ...], tuple[int, ...]], ...]
    tests: tuple[Tested, ...]
    why_no_effects: str = ""
    n_resamples: int = 2000
    level: float = 0.95
    seed: int = 0

    def test(self, quantity: str) -> Tested:
        """The test of a quantity.

        Raises:
            KeyError: it was not tested.
        """
        for one in self.tests:
            if one.quantity == quantity:
                return one
        raise KeyError(quantity)

    def to_frame(self) -> pd.DataFrame:
        """A row a quantity."""
        import pandas as pd

        return pd.DataFrame([
            {"quantity": t.quantity, self.first.record.name: t.first, self.second.record.name: t.second,
             "difference": t.difference.value, "low": t.difference.low, "high": t.difference.high, "share": t.share,
             "p bootstrap": t.p_bootstrap, "p permutation": t.p_permutation, "p Wilcoxon": t.p_wilcoxon,
             "p Holm": t.p_holm, "images": t.difference.n_units}
            for t in self.tests
        ])

    def furthest(self, most: int = 10, score: str = "overall") -> list[tuple[int, int, float]]:
        """The captions that differ most: index in the first, index in the second, difference of their scores.

        Where a model has several captions of an image, its first one stands for it.
        """
        rows = []
        for _, a, b in self.images:
            gap = float(getattr(self.first.scores[a[0]], score)) - float(getattr(self.second.scores[b[0]], score))
            if not math.isnan(gap):
                rows.append((a[0], b[0], gap))
        return sorted(rows, key=lambda row: -abs(row[2]))[:most]


def compare(
    first: Model, second: Model, *, n_resamples: int = 2000, level: float = 0.95, seed: int = 0
) -> Comparison:
    """Hold two models against each other on the images that both describe.

    Args:
        first: a model.
        second: another that was scored with the same metric.
        n_resamples: draws of images.
        level: of the intervals.
        seed: of all draws.

    Raises:
        InputError: they were scored otherwise, or describe no image in common.
    """
    a, b = first.record, second.record
    if a.scores_by != b.scores_by:
        parts = [p for p in a.scores_by.split("|") if p not in b.scores_by.split("|")]
        raise InputError(f"{a.name} and {b.name} were scored in different ways ({a.name}: {' | '.join(parts)}); run"
                         " `posh-lite model` on both with the same judge and version")
    places: dict[str, tuple[list[int], list[int]]] = {}
    for side, model in enumerate((first, second)):
        for i, unit in enumerate(model.units):
            places.setdefault(unit, ([], []))[side].append(i)
    images = tuple((u, tuple(own), tuple(other)) for u, (own, other) in places.items() if own and other)
    if not images:
        raise InputError(f"{a.name} and {b.name} describe no image in common: no reference of the one is a reference of"
                         " the other; give both the same references, in their files or as `posh-lite model FILE"
                         " --benchmark` (the constructed captioners have those of mini)")
    tests = [_score(name, first.scores, second.scores, images, n_resamples, level, seed) for name in SCORES]
    why = ""
    if a.position_by != b.position_by:
        why = "the two were read through different position lenses"
    elif not a.position_by:
        why = "no reference gave a claim"
    else:
        tests += _effects(first, second, {u for u, _, _ in images}, n_resamples, level, seed)
    return Comparison(first, second, images, tuple(_corrected(tests)), why, n_resamples, level, seed)


def _score(
    name: str, first: Sequence[Score], second: Sequence[Score],
    images: Sequence[tuple[str, Sequence[int], Sequence[int]]], n_resamples: int, level: float, seed: int,
) -> Tested:
    """A score by image: the mean over a model's captions of it, where all are defined."""
    import numpy as np

    rows = []
    for _, a, b in images:
        rows.append((np.mean([getattr(first[i], name) for i in a]), np.mean([getattr(second[i], name) for i in b])))
    both = np.asarray(rows, dtype=np.float64)
    kept = both[~np.isnan(both).any(axis=1)]
    gaps = kept[:, 0] - kept[:, 1]
    gaps[np.abs(gaps) < _TINY] = 0.0
    drawn: list[Floats] = []

    def statistic(weights: Floats) -> Floats:
        return np.asarray(weights @ gaps / weights.sum(axis=1))

    estimate = bootstrap(statistic, len(gaps), n_resamples=n_resamples, level=level, seed=seed,
                         method=f"paired difference of {name}", n_dropped=len(both) - len(kept),
                         reason="no image has a score of both", on_values=drawn.append)
    nothing = math.nan
    if not len(gaps):
        return Tested(name, nothing, nothing, estimate, nothing, nothing, nothing, nothing)
    signs, exact = signs_of(len(gaps), seed)
    share = float(np.mean((gaps > 0) + (gaps == 0) / 2))
    return Tested(name, float(kept[:, 0].mean()), float(kept[:, 1].mean()), estimate, share,
                  bootstrap_p(drawn[0] if drawn else None), as_large(signs @ gaps), wilcoxon_p(gaps), exact=exact)


def _effects(
    first: Model, second: Model, units: set[str], n_resamples: int, level: float, seed: int
) -> list[Tested]:
    from posh_lite.position.composition import compose
    from posh_lite.position.effects import diagnose

    own = compose([*_named(first.profiles, "first", units), *_named(second.profiles, "second", units)])
    if len(own) < 2:
        return []
    made = diagnose(own, weighted=False, n_resamples=n_resamples, level=level, seed=seed)
    rows = {model: {u: i for i, u in enumerate(own[model].units)} for model in made.models}
    common = [u for u in own["first"].units if u in rows["second"]]
    a = own["first"].counts[[rows["first"][u] for u in common]]
    b = own["second"].counts[[rows["second"][u] for u in common]]
    signs, exact = signs_of(len(common), seed)
    values = exchanged_effects(a, b, signs)
    found = []
    for place, name in enumerate(EFFECTS):
        replicates = made.replicates_of("first", name) - made.replicates_of("second", name)
        estimate = made.difference("first", "second", name)
        defined = not math.isnan(estimate.low)
        found.append(Tested(
            name, made.estimate("first", name).value, made.estimate("second", name).value, estimate, math.nan,
            bootstrap_p(replicates) if defined else math.nan, as_large(values[:, place]), math.nan, exact=exact,
        ))
    return found


def exchanged_effects(a: Floats, b: Floats, signs: Floats) -> Floats:
    """Differences of the effects of two models whose captions of some images are exchanged.

    Args:
        a: sums of the first model by image, quarter and label, shape ``(n, 4, 3)``.
        b: those of the second, of the same images.
        signs: shape ``(rows, n)``, -1 where an image is exchanged, else 1.

    Returns:
        First less second, shape ``(rows, 4)`` in the order of ``EFFECTS``; NaN where a quarter is empty.
    """
    import numpy as np

    from posh_lite.position.composition import shares_of
    from posh_lite.position.effects import effects_of

    total, moved = (a + b).sum(axis=0), np.tensordot(signs, a - b, axes=1)
    return np.asarray(effects_of(shares_of((total + moved) / 2)) - effects_of(shares_of((total - moved) / 2)))


def _named(profiles: Sequence[CaptionProfile], name: str, units: set[str]) -> list[CaptionProfile]:
    return [replace(p, model=name) for p in profiles if p.rubric.claims and p.unit in units]


def signs_of(n: int, seed: int) -> tuple[Floats, bool]:
    """Exchanges of two models within images: 1 leaves an image as it is, -1 exchanges it.

    Args:
        n: images.
        seed: of the draws.

    Returns:
        Shape ``(exchanges, n)``, and whether these are all. The first row leaves everything as it is.
    """
    import numpy as np

    if n <= EXACT:
        bits = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
        return np.asarray(1.0 - 2.0 * bits, dtype=np.float64), True
    drawn = np.random.default_rng(seed).integers(0, 2, size=(DRAWN, n))
    return np.asarray(np.concatenate([np.ones((1, n)), 1.0 - 2.0 * drawn]), dtype=np.float64), False


def as_large(values: Floats) -> float:
    """Two-sided p of a permutation test.

    Args:
        values: of all exchanges, the real one first, shape ``(rows,)``.

    Returns:
        The share of the exchanges, the real one among them, whose value is at least as large; NaN where the real one is
        undefined.
    """
    import numpy as np

    if math.isnan(float(values[0])):
        return math.nan
    known = values[~np.isnan(values)]
    return float(np.mean(np.abs(known) >= abs(float(values[0])) - _TINY))


def wilcoxon_p(gaps: Floats) -> float:
    """Two-sided p of the signed ranks, images without a difference left out; NaN where none differs."""
    import warnings

    from scipy import stats

    gaps = gaps[gaps != 0]  # scipy, too, leaves them out, but then gives up the exact distribution
    if not len(gaps):
        return math.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few images, or ties: scipy says that it takes the other method
        return float(stats.wilcoxon(gaps, zero_method="wilcox").pvalue)


def holm(values: Sequence[float]) -> list[float]:
    """Correct p values for their number (Holm); NaN stays NaN and is not counted.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted((i for i, p in enumerate(values) if not math.isnan(p)), key=lambda i: values[i])
    found, largest = [math.nan] * len(values), 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * values[i]))
        found[i] = largest
    return found


def _corrected(tests: Sequence[Tested]) -> list[Tested]:
    adjusted = holm([t.p_permutation for t in tests])
    return [replace(t, p_holm=p) for t, p in zip(tests, adjusted, strict=True)]
