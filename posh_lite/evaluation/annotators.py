"""Whether people agree in their ratings: Krippendorff's alpha, Cohen's and Fleiss' kappa, and a second rater.

Ratings are a table with a row a task and a column an annotator, NaN where somebody did not rate. Every figure has an
interval that resamples images, since the tasks of an image share its difficulty. (PoSh paper, section "DOCENT",
paragraph "Agreement", and the table of coarse judgments in its appendix.)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from posh_lite.evaluation.bootstrap import Estimate, bootstrap, ratio
from posh_lite.evaluation.correlation import correlate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from posh_lite.evaluation.bootstrap import Floats, Statistic

#: How far two different values are apart.
Level = Literal["nominal", "ordinal", "interval"]
LEVELS: tuple[Level, ...] = get_args(Level)
#: What a disagreement costs in Cohen's kappa.
Weights = Literal["none", "linear", "quadratic"]
WEIGHTS: tuple[Weights, ...] = get_args(Weights)


def _table(ratings: ArrayLike) -> Floats:
    import numpy as np

    table = np.asarray(ratings, dtype=np.float64)
    if table.size == 0:
        return np.zeros((0, 2))
    if table.ndim != 2:
        raise ValueError(f"expected a table with a row a task and a column an annotator, got shape {table.shape}")
    if np.isinf(table).any():
        raise ValueError("a rating is infinite")
    return table


def _counts(table: Floats) -> tuple[Floats, Floats]:
    """The values that occur, ascending, and how often each was given in each row."""
    import numpy as np

    values = np.unique(table[~np.isnan(table)])
    return values, np.stack([(table == value).sum(axis=1) for value in values], axis=1).astype(float) if len(
        values) else np.zeros((len(table), 0))  # fmt: skip


def alpha_statistic(counts: Floats, values: Floats, level: Level) -> Statistic:
    """Krippendorff's alpha as a function of row weights.

    Args:
        counts: how often each value was given in each row, shape ``(n, v)``.
        values: the values, ascending, shape ``(v,)``.
        level: of measurement.

    Returns:
        NaN where all paired ratings have one value, so that nothing could have disagreed.
    """
    import numpy as np

    given = counts.sum(axis=1)
    paired = given >= 2
    each = np.where(paired, 1 / np.maximum(given - 1, 1), 0.0)
    # pairs of different ratings of the same row; the diagonal holds pairs of equal values
    pairs = counts[:, :, None] * counts[:, None, :] - np.eye(len(values))[None] * counts[:, :, None]
    flat = (pairs * each[:, None, None]).reshape(len(counts), -1)

    def statistic(weights: Floats) -> Floats:
        observed = (weights @ flat).reshape(-1, len(values), len(values))
        marginal = observed.sum(axis=2)
        total = marginal.sum(axis=1)
        apart = _distances(marginal, values, level)
        disagreement = (observed * apart).sum(axis=(1, 2))
        expected = np.einsum("bi,bj,bij->b", marginal, marginal, apart)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(expected > 0, 1 - (total - 1) * disagreement / expected, np.nan)

    return statistic


def _distances(marginal: Floats, values: Floats, level: Level) -> Floats:
    """Squared distances of every two values, shape ``(B, v, v)`` or one that broadcasts to it."""
    import numpy as np

    if level == "nominal":
        return (1.0 - np.eye(len(values)))[None]
    if level == "interval":
        return np.asarray(np.subtract.outer(values, values) ** 2)[None]
    # ordinal: the ratings between two values, each end counted by half
    middle = np.cumsum(marginal, axis=1) - marginal / 2
    return np.asarray((middle[:, :, None] - middle[:, None, :]) ** 2)


def krippendorff_alpha(
    ratings: ArrayLike, level: Level = "ordinal", *, units: Sequence[Hashable] | None = None, **settings: Any
) -> Estimate:
    """Krippendorff's alpha (1970), the paper's measure of agreement among annotators of coarse tasks.

    Args:
        ratings: shape ``(tasks, annotators)``, NaN where not rated. A missing rating is no category: rows with fewer
            than two ratings are left out and counted.
        level: nominal (any two values are equally far apart), ordinal (by rank) or interval (by difference). The
            paper does not say which it uses.
        units: the image of each task.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.

    Raises:
        ValueError: an unknown level, or no such table.
    """
    import numpy as np

    if level not in LEVELS:
        raise ValueError(f"level must be one of {', '.join(LEVELS)}, got {level!r}")
    table = _table(ratings)
    kept, rows, dropped = _rated_twice(table, units)
    values, counts = _counts(kept)
    reason = (
        "no task with two ratings" if not len(kept)
        else f"all ratings are {values[0]:g}: nothing could have disagreed" if len(values) < 2
        else "undefined for these values"
    )
    return bootstrap(
        alpha_statistic(counts, values, level) if len(values) else lambda w: np.full(len(w), np.nan), len(kept),
        units=rows, method=f"Krippendorff's alpha, {level}", n_dropped=dropped, reason=reason, **settings,
    )


def _rated_twice(
    table: Floats, units: Sequence[Hashable] | None
) -> tuple[Floats, list[Hashable] | None, int]:
    import numpy as np

    if units is not None and len(units) != len(table):
        raise ValueError(f"{len(units)} units for {len(table)} tasks")
    good: NDArray[np.bool_] = (~np.isnan(table)).sum(axis=1) >= 2
    rows = None if units is None else [u for u, ok in zip(units, good, strict=True) if ok]
    return table[good], rows, int((~good).sum())


def cohen_kappa(
    first: ArrayLike, second: ArrayLike, *, weights: Weights = "none", values: Sequence[float] | None = None,
    units: Sequence[Hashable] | None = None, **settings: Any,
) -> Estimate:
    """Cohen's kappa of two annotators (1960), or weighted kappa (1968).

    Args:
        first: ratings, shape ``(n,)``; rows with a NaN in either are left out and counted.
        second: of the same shape.
        weights: what a disagreement costs: one, its distance in steps, or the square of that.
        values: the whole scale, ascending; by default the values that occur. It matters for the weights alone.
        units: the image of each row.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.

    Raises:
        ValueError: lengths differ, unknown weights, or a rating that is not on the scale.
    """
    import numpy as np

    if weights not in WEIGHTS:
        raise ValueError(f"weights must be one of {', '.join(WEIGHTS)}, got {weights!r}")
    a, b = np.asarray(first, dtype=np.float64).ravel(), np.asarray(second, dtype=np.float64).ravel()
    if a.shape != b.shape:
        raise ValueError(f"lengths differ: {len(a)} and {len(b)}")
    kept, rows, dropped = _rated_twice(np.stack([a, b], axis=1), units)
    scale = np.unique(kept) if values is None else np.asarray(values, dtype=np.float64)
    if not np.isin(kept, scale).all():
        raise ValueError(f"a rating is not on the scale {', '.join(f'{v:g}' for v in scale)}")
    codes = np.searchsorted(scale, kept).astype(np.int64)
    v = len(scale)
    member = np.zeros((len(kept), v * v))
    member[np.arange(len(kept)), codes[:, 0] * v + codes[:, 1]] = 1.0
    steps = np.abs(np.subtract.outer(np.arange(v), np.arange(v))).astype(np.float64)
    cost = {"none": (steps > 0).astype(np.float64), "linear": steps, "quadratic": steps**2}[weights]

    def statistic(row_weights: Floats) -> Floats:
        table = (row_weights @ member).reshape(-1, v, v)
        chance = np.einsum("bi,bj->bij", table.sum(axis=2), table.sum(axis=1))
        observed, expected = (table * cost).sum(axis=(1, 2)), (chance * cost).sum(axis=(1, 2))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(expected > 0, 1 - observed * table.sum(axis=(1, 2)) / expected, np.nan)

    reason = "no task that both rated" if not len(kept) else "both gave one and the same rating throughout"
    named = "Cohen's kappa" if weights == "none" else f"Cohen's kappa, {weights} weights"
    return bootstrap(statistic, len(kept), units=rows, method=named, n_dropped=dropped, reason=reason, **settings)


def fleiss_kappa(
    ratings: ArrayLike, *, raters: int | None = None, units: Sequence[Hashable] | None = None, **settings: Any
) -> Estimate:
    """Fleiss' kappa (1971) of several annotators, who need not be the same for each task.

    Args:
        ratings: shape ``(tasks, annotators)``, NaN where not rated.
        raters: how many ratings a task must have; by default the number that most tasks with two or more have, the
            larger on a tie. Other tasks are left out and counted: the measure is defined for a fixed number.
        units: the image of each task.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.

    Raises:
        ValueError: fewer than two raters asked for, or no such table.
    """
    import numpy as np

    if raters is not None and raters < 2:
        raise ValueError(f"raters must be at least 2, got {raters}")
    table = _table(ratings)
    if units is not None and len(units) != len(table):
        raise ValueError(f"{len(units)} units for {len(table)} tasks")
    given = (~np.isnan(table)).sum(axis=1)
    if raters is None:
        often = Counter(int(n) for n in given if n >= 2)
        raters = max(often, key=lambda n: (often[n], n), default=2)
    good = given == raters
    rows = None if units is None else [u for u, ok in zip(units, good, strict=True) if ok]
    _, counts = _counts(table[good])
    agreeing = ((counts**2).sum(axis=1) - raters) / (raters * (raters - 1))
    m = raters

    def statistic(weights: Floats) -> Floats:
        total = weights.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = weights @ counts / (total * m)[:, None]
            chance = (shares**2).sum(axis=1)
            observed = weights @ agreeing / total
            return np.where(chance < 1 - 1e-12, (observed - chance) / (1 - chance), np.nan)

    reason = f"no task with {raters} ratings" if not good.any() else "all ratings are one and the same"
    return bootstrap(
        statistic, int(good.sum()), units=rows, method=f"Fleiss' kappa, {raters} raters",
        n_dropped=int((~good).sum()), reason=reason, **settings,
    )


def second_rater(
    first: ArrayLike, second: ArrayLike, *, units: Sequence[Hashable] | None = None, **settings: Any
) -> tuple[Estimate, Estimate]:
    """Pearson's r with a second rater, and the mean absolute difference, as the paper reports for its expert.

    Args:
        first: ratings, shape ``(n,)``.
        second: of the same shape; rows with a NaN in either are left out and counted.
        units: the image of each row.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.
    """
    import numpy as np

    a, b = np.asarray(first, dtype=np.float64).ravel(), np.asarray(second, dtype=np.float64).ravel()
    apart = np.abs(a - b)
    ones = np.where(np.isnan(apart), math.nan, 1.0)
    return (
        correlate(a, b, "pearson", units=units, **settings),
        ratio(apart, ones, units=units, method="mean absolute difference", **settings),
    )
