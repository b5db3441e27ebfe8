"""Bootstrap intervals that resample images, not rows.

A resample is a vector of integer weights: how often each image was drawn, repeated for each of its rows. A
statistic is a function of such weights, ``(B, n) -> (B,)``, so that all resamples are computed at once, images
may have any number of rows, and two statistics that are given the same weights are paired.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    #: From weights of shape ``(B, n)`` to values of shape ``(B,)``; NaN where the statistic is undefined.
    Statistic = Callable[[Floats], Floats]

Interval = Literal["percentile", "bca"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval. ``value`` is NaN where it is undefined, and ``reason`` then says why.

    ``low`` and ``high`` are NaN where fewer than half of the resamples are defined.
    """

    value: float
    low: float
    high: float
    n: int  # rows used
    n_units: int  # images (or other units) they come from
    n_undefined: int = 0  # resamples in which the statistic is undefined
    n_resamples: int = 0
    n_dropped: int = 0  # rows left out because a value was missing
    level: float = 0.95
    method: str = ""
    reason: str = ""

    def __str__(self) -> str:
        """``0.39 [0.21, 0.55], n = 100``; undefined values are a dash with their reason."""
        if math.isnan(self.value):
            return f"– ({self.reason or 'undefined'}), n = {self.n}"
        interval = "no interval" if math.isnan(self.low) else f"[{self.low:.2f}, {self.high:.2f}]"
        return f"{self.value:.2f} {interval}, n = {self.n}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; undefined numbers become None."""
        shown = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {k: (None if isinstance(v, float) and math.isnan(v) else v) for k, v in shown.items()}


def estimate_from_dict(row: dict[str, Any]) -> Estimate:
    """The inverse of :meth:`Estimate.to_dict`."""
    undefined = ("value", "low", "high")
    values: dict[str, Any] = {k: math.nan if k in undefined and v is None else v for k, v in row.items()}
    return Estimate(**values)


def unit_codes(units: Sequence[Hashable] | None, n: int) -> tuple[NDArray[np.int64], int]:
    """Number the units in order of first appearance; None makes every row its own unit.

    Raises:
        ValueError: ``units`` is not of length ``n``.
    """
    import numpy as np

    if units is None:
        return np.arange(n), n
    if len(units) != n:
        raise ValueError(f"{len(units)} units for {n} rows")
    numbers: dict[Hashable, int] = {}
    codes = np.array([numbers.setdefault(unit, len(numbers)) for unit in units], dtype=np.int64)
    return codes, len(numbers)


def resample_weights(n_units: int, n_resamples: int, seed: int) -> Floats:
    """How often each unit is drawn in each resample, shape ``(n_resamples, n_units)``; each row sums to ``n_units``."""
    import numpy as np

    generator = np.random.default_rng(seed)
    if n_units == 0:
        return np.zeros((n_resamples, 0))
    drawn = generator.integers(0, n_units, size=(n_resamples, n_units))
    flat = drawn + n_units * np.arange(n_resamples)[:, None]
    counts = np.bincount(flat.ravel(), minlength=n_resamples * n_units)
    return counts.reshape(n_resamples, n_units).astype(np.float64)


def bootstrap(
    statistic: Statistic,
    n: int,
    *,
    units: Sequence[Hashable] | None = None,
    n_resamples: int = 2000,
    level: float = 0.95,
    interval: Interval = "percentile",
    seed: int = 0,
    method: str = "",
    n_dropped: int = 0,
    reason: str = "undefined for these values",
    on_values: Callable[[Floats], None] | None = None,
) -> Estimate:
    """Value of a statistic on all rows and its bootstrap interval over units.

    Args:
        statistic: a function of row weights, see :data:`Statistic`.
        n: number of rows.
        units: the image of each row; None where every row is an image of its own.
        n_resamples: B.
        level: coverage, between 0 and 1.
        interval: ``percentile``, or ``bca`` (bias-corrected and accelerated, Efron 1987, with a jackknife over units).
        seed: of the resamples; the same seed and units give the same resamples for every statistic.
        method: name of the statistic, kept in the result.
        n_dropped: rows that the caller left out, kept in the result.
        reason: why the value would be undefined.
        on_values: called with the value of each resample, shape ``(B,)``, where there are resamples.

    Raises:
        ValueError: a setting is out of range, or ``units`` is not of length ``n``.
    """
    import numpy as np

    if n_resamples < 1:
        raise ValueError(f"n_resamples must be at least 1, got {n_resamples}")
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}")
    if interval not in get_args(Interval):
        raise ValueError(f"interval must be percentile or bca, got {interval!r}")
    codes, n_units = unit_codes(units, n)
    name = f"{method}, {interval} bootstrap over units".lstrip(", ")
    value = float(statistic(np.ones((1, n)))[0]) if n else math.nan
    if math.isnan(value) or n_units < 2:
        why = reason if math.isnan(value) else "one unit only: no interval"
        return Estimate(value, math.nan, math.nan, n, n_units, n_resamples, n_resamples, n_dropped, level, name, why)
    values = statistic(resample_weights(n_units, n_resamples, seed)[:, codes])
    if on_values is not None:
        on_values(values)
    defined = values[~np.isnan(values)]
    undefined = len(values) - len(defined)
    if len(defined) * 2 < len(values):
        why = f"undefined in {undefined} of {len(values)} resamples: no interval"
        return Estimate(value, math.nan, math.nan, n, n_units, undefined, n_resamples, n_dropped, level, name, why)
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    if interval == "bca":
        jackknife = statistic((1.0 - np.eye(n_units))[:, codes])
        tails = _bca_tails(value, defined, jackknife, tails)
    low, high = np.quantile(defined, tails)
    return Estimate(value, float(low), float(high), n, n_units, undefined, n_resamples, n_dropped, level, name)


def ratio(
    numerators: Sequence[float] | Floats, denominators: Sequence[float] | Floats, *,
    units: Sequence[Hashable] | None = None, method: str = "ratio", **settings: Any,
) -> Estimate:
    """Sum over sum (a rate, a precision, a mean with denominators of 1) with its interval over units.

    Args:
        numerators: shape ``(n,)``.
        denominators: of the same shape; rows with a NaN in either are left out and counted.
        units: the image of each row.
        method: name kept in the result.
        settings: further keywords of :func:`bootstrap`.

    Raises:
        ValueError: lengths differ.
    """
    import numpy as np

    top, bottom = np.asarray(numerators, dtype=np.float64), np.asarray(denominators, dtype=np.float64)
    if top.shape != bottom.shape:
        raise ValueError(f"lengths differ: {top.shape} and {bottom.shape}")
    complete = ~(np.isnan(top) | np.isnan(bottom))
    rows = None if units is None else [u for u, ok in zip(units, complete, strict=True) if ok]
    top, bottom = top[complete], bottom[complete]

    def statistic(weights: Floats) -> Floats:
        below = weights @ bottom
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(below > 0, weights @ top / below, np.nan)

    return bootstrap(
        statistic, len(top), units=rows, method=method, n_dropped=int((~complete).sum()),
        reason="there is nothing to count", **settings,
    )


def _bca_tails(value: float, values: Floats, jackknife: Floats, tails: Floats) -> Floats:
    """Tail probabilities moved for bias and skewness; unmoved where the jackknife does not vary."""
    import numpy as np
    from scipy.stats import norm

    below = (np.sum(values < value) + np.sum(values == value) / 2) / len(values)
    gaps = np.nanmean(jackknife) - jackknife[~np.isnan(jackknife)]
    spread = float(np.sum(gaps**2))
    if not 0 < below < 1 or spread == 0:
        return tails
    bias = norm.ppf(below)
    skew = float(np.sum(gaps**3)) / (6 * spread**1.5)
    moved = bias + norm.ppf(tails)
    return np.asarray(norm.cdf(bias + moved / (1 - skew * moved)))
