"""Rank and linear correlations as functions of row weights, and their estimates.

All are exact for integer weights: a row of weight two counts as two equal rows. Undefined cases (a constant
input, fewer than three rows, a covariate that explains a variable wholly) are NaN, never zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from posh_lite.evaluation.bootstrap import Estimate, Interval, bootstrap

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from posh_lite.evaluation.bootstrap import Floats, Statistic

Method = Literal["spearman", "kendall", "pearson", "partial_spearman"]
_MIN_ROWS = 3
_FLAT = 1e-24  # variance of values scaled to 1 below which an input counts as constant: rounding makes about 1e-32


def weighted_ranks(values: Floats, weights: Floats) -> Floats:
    """Average ranks of ``values`` in each resample.

    Args:
        values: shape ``(n,)``, without NaN.
        weights: shape ``(B, n)``, integers.

    Returns:
        Shape ``(B, n)``: the mean of the ranks that the copies of each row share.
    """
    import numpy as np

    if not len(values):
        return np.zeros_like(weights)
    order = np.argsort(values, kind="stable")
    _, first, group = np.unique(values[order], return_index=True, return_inverse=True)
    group = group[np.argsort(order)]
    sizes = np.add.reduceat(weights[:, order], first, axis=1)  # no matrix of rows by values: both may be thousands
    below = np.cumsum(sizes, axis=1) - sizes
    return np.asarray((below + (sizes + 1) / 2)[:, group])


def _matrix(columns: Sequence[Floats], weights: Floats) -> NDArray[np.float64]:
    """Weighted correlation matrices, shape ``(B, k, k)``; NaN where a column does not vary."""
    import numpy as np

    scaled = []
    for column in columns:  # very large or small values would leave the range of numbers when squared
        largest = float(np.abs(column).max(initial=0.0))
        scaled.append(np.broadcast_to(column / largest if 0 < largest < np.inf else column, weights.shape))
    stacked = np.stack(scaled, axis=1)  # (B, k, n)
    total = weights.sum(axis=1)[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.einsum("bkn,bn->bk", stacked, weights) / total
        centred = stacked - mean[:, :, None]
        cov = np.einsum("bkn,bln,bn->bkl", centred, centred, weights) / total[:, :, None]
        variance = np.einsum("bkk->bk", cov)
        deviation = np.sqrt(np.where(variance > _FLAT, variance, np.nan))
        out = cov / (deviation[:, :, None] * deviation[:, None, :])
    return np.asarray(np.clip(out, -1.0, 1.0))


def _enough(weights: Floats, values: Floats) -> Floats:
    """NaN where a resample has fewer than three rows in all or fewer than two different ones."""
    import numpy as np

    few = (weights.sum(axis=1) < _MIN_ROWS) | ((weights > 0).sum(axis=1) < 2)
    return np.where(few, np.nan, values)


def pearson_statistic(x: Floats, y: Floats) -> Statistic:
    """Pearson's r."""
    return lambda weights: _enough(weights, _matrix([x, y], weights)[:, 0, 1])


def spearman_statistic(x: Floats, y: Floats) -> Statistic:
    """Spearman's rho: Pearson's r of average ranks."""
    return lambda weights: _enough(
        weights, _matrix([weighted_ranks(x, weights), weighted_ranks(y, weights)], weights)[:, 0, 1]
    )


def partial_spearman_statistic(x: Floats, y: Floats, covariates: Sequence[Floats]) -> Statistic:
    """Spearman's rho of what is left of ``x`` and ``y`` once the ranks of the covariates are regressed out."""
    import numpy as np

    def statistic(weights: Floats) -> Floats:
        ranks = [weighted_ranks(v, weights) for v in (x, y, *covariates)]
        full = _matrix(ranks, weights)
        out = np.full(len(full), np.nan)
        known = np.asarray(~np.isnan(full).any(axis=(1, 2)))
        # partial correlation from the inverse matrix; a singular one means that nothing is left to correlate
        known[known] = np.linalg.matrix_rank(full[known], hermitian=True, tol=1e-9) == full.shape[1]
        inverse = np.linalg.inv(full[known])
        out[known] = -inverse[:, 0, 1] / np.sqrt(inverse[:, 0, 0] * inverse[:, 1, 1])
        return _enough(weights, np.clip(out, -1.0, 1.0))

    return statistic


def kendall_statistic(x: Floats, y: Floats) -> Statistic:
    """Kendall's tau-b, which corrects for ties in either variable. Memory grows with the square of the rows."""
    import numpy as np

    def signs(v: Floats) -> Floats:  # by comparison, since infinity less infinity has no sign
        return (v[:, None] > v[None, :]).astype(np.float64) - (v[:, None] < v[None, :])

    sign_x, sign_y = signs(x), signs(y)
    concordance, untied_x, untied_y = sign_x * sign_y, np.abs(sign_x), np.abs(sign_y)

    def statistic(weights: Floats) -> Floats:
        def quadratic(matrix: Floats) -> Floats:
            return np.asarray(np.einsum("bn,bn->b", weights @ matrix, weights))

        denominator = np.sqrt(quadratic(untied_x) * quadratic(untied_y))
        with np.errstate(invalid="ignore", divide="ignore"):
            value = np.where(denominator > 0, quadratic(concordance) / denominator, np.nan)
        return _enough(weights, value)

    return statistic


def _why_undefined(arrays: Sequence[Floats], n: int) -> str:
    if n < _MIN_ROWS:
        return f"{n} complete rows, at least {_MIN_ROWS} are needed"
    if any(len(set(a.tolist())) < 2 for a in arrays):
        return "an input is constant"
    if any(a in (math.inf, -math.inf) for values in arrays for a in values.tolist()):
        return "an input is infinite"
    if len(arrays) == 2:
        return "an input is constant but for rounding"
    return "nothing is left once the covariates are regressed out"


def _statistic(method: Method, arrays: Sequence[Floats]) -> Statistic:
    if method == "partial_spearman":
        return partial_spearman_statistic(arrays[0], arrays[1], arrays[2:])
    makers: dict[str, Callable[[Floats, Floats], Statistic]] = {
        "spearman": spearman_statistic, "kendall": kendall_statistic, "pearson": pearson_statistic,
    }
    return makers[method](arrays[0], arrays[1])


def correlate(
    x: ArrayLike,
    y: ArrayLike,
    method: Method = "spearman",
    *,
    given: Sequence[ArrayLike] = (),
    units: Sequence[Hashable] | None = None,
    n_resamples: int = 2000,
    level: float = 0.95,
    interval: Interval = "percentile",
    seed: int = 0,
    on_values: Callable[[Floats], None] | None = None,
) -> Estimate:
    """Correlation of two variables with its bootstrap interval over units.

    Args:
        x: shape ``(n,)``; rows with a NaN anywhere are left out and counted.
        y: of the same shape.
        method: ``spearman``, ``kendall`` (tau-b), ``pearson``, or ``partial_spearman`` with ``given``.
        given: covariates of shape ``(n,)``, for ``partial_spearman`` only.
        units: the image of each row; None where each row is an image of its own.
        n_resamples: as in :func:`~posh_lite.evaluation.bootstrap.bootstrap`, like the next three.
        level: coverage.
        interval: its kind.
        seed: of the resamples.
        on_values: told of the value of each resample.

    Raises:
        ValueError: lengths differ, an unknown method, or covariates that do not go with the method.
    """
    import numpy as np

    if method not in ("spearman", "kendall", "pearson", "partial_spearman"):
        raise ValueError(f"unknown method {method!r}")
    if (method == "partial_spearman") != bool(given):
        raise ValueError("covariates (given=) go with method='partial_spearman', and only with it")
    arrays = [np.asarray(a, dtype=np.float64).ravel() for a in (x, y, *given)]
    if len({len(a) for a in arrays}) != 1:
        raise ValueError(f"lengths differ: {[len(a) for a in arrays]}")
    if units is not None and len(units) != len(arrays[0]):
        raise ValueError(f"{len(units)} units for {len(arrays[0])} rows")
    complete = np.asarray(~np.isnan(np.stack(arrays)).any(axis=0))
    kept = [a[complete] for a in arrays]
    n = int(complete.sum())
    rows: list[Any] | None = None if units is None else [u for u, ok in zip(units, complete, strict=True) if ok]
    return bootstrap(
        _statistic(method, kept), n, units=rows, n_resamples=n_resamples, level=level, interval=interval, seed=seed,
        method=method, n_dropped=len(complete) - n, reason=_why_undefined(kept, n), on_values=on_values,
    )
