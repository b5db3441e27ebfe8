"""Is a figure more than chance, and is one metric better than another?

Two p-values stand beside each correlation: that of scipy, two-sided, which takes the rows for independent, and that
of the bootstrap over images, which does not. The PoSh paper greys what is not significant at 0.05 and does not say by
which test; here a cell is greyed unless **both** are below 0.05. Differences between metrics are paired: both are
computed on the same resamples of the images.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from posh_lite.evaluation.bootstrap import Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: Level of the greyed cells.
ALPHA = 0.05
GREYING = (
    f"Grey: not significant at {ALPHA:g}. A figure is significant where both the two-sided test that takes rows for"
    " independent and the bootstrap over images have a smaller p."
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One figure of one metric.

    Attributes:
        protocol: "coarse" (comparisons), "ratings", "granular" or "arena".
        dimension: what was judged.
        statistic: name, such as "accuracy" or "spearman".
        estimate: value and interval.
        subset: tag of the comparisons it is restricted to; empty for all.
        p: two-sided p of scipy's test; NaN where there is none.
        p_bootstrap: two-sided p of the bootstrap over images; NaN where there is none.
        detail: what else belongs to it, such as the threshold.
        values: the statistic in each resample, for paired differences; empty where there are none.
    """

    protocol: str
    dimension: str
    statistic: str
    estimate: Estimate
    subset: str = ""
    p: float = math.nan
    p_bootstrap: float = math.nan
    detail: Mapping[str, Any] = field(default_factory=dict)
    values: Floats | None = field(default=None, repr=False, compare=False)

    @property
    def significant(self) -> bool | None:
        """Whether it would not be greyed; None where nothing was tested."""
        return significant(self.p, self.p_bootstrap)

    def to_row(self) -> dict[str, Any]:
        """A flat row for a frame."""
        e = self.estimate
        return {
            "protocol": self.protocol, "subset": self.subset, "dimension": self.dimension,
            "statistic": self.statistic, "value": e.value, "low": e.low, "high": e.high, "n": e.n,
            "n_units": e.n_units, "p": self.p, "p_bootstrap": self.p_bootstrap, "significant": self.significant,
            "n_dropped": e.n_dropped, "n_undefined": e.n_undefined, "n_resamples": e.n_resamples, "level": e.level,
            "method": e.method, "reason": e.reason, "detail": dict(self.detail),
        }  # fmt: skip


def significant(p: float, p_bootstrap: float) -> bool | None:
    """Whether both p-values are below :data:`ALPHA`; a single one decides where it is alone, and None means neither."""
    known = [value for value in (p, p_bootstrap) if not math.isnan(value)]
    return all(value < ALPHA for value in known) if known else None


def bootstrap_p(values: Floats | Sequence[float] | None, null: float = 0.0) -> float:
    """Two-sided p from resampled values: twice the smaller share that lies at or beyond the null value.

    One is added to both counts, so that it is never zero; undefined resamples are left out.

    Args:
        values: shape ``(B,)``; None or all NaN gives NaN.
        null: the value of no effect.
    """
    import numpy as np

    known = np.asarray([] if values is None else values, dtype=np.float64)
    known = known[~np.isnan(known)]
    if not len(known):
        return math.nan
    tail = min(int((known <= null).sum()), int((known >= null).sum()))
    return min(1.0, 2 * (tail + 1) / (len(known) + 1))


def scipy_p(method: str, x: Floats, y: Floats) -> float:
    """Two-sided p of scipy for "spearman" (t distribution) or "kendall" (tau-b); NaN where it is undefined.

    Rows with a NaN are left out; scipy takes what is left for independent.
    """
    import warnings

    import numpy as np
    from scipy import stats

    kept = ~(np.isnan(x) | np.isnan(y))
    x, y = x[kept], y[kept]
    if len(x) < 3 or len(np.unique(x)) < 2 or len(np.unique(y)) < 2:
        return math.nan
    test = {"spearman": stats.spearmanr, "kendall": stats.kendalltau}[method]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # infinite scores: the p is then NaN
        return float(test(x, y).pvalue)


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric less another, on the same resamples.

    Attributes:
        protocol, dimension, statistic, subset: of the two findings.
        estimate: the difference with its interval over images.
        share: of the resamples in which the first is better; equal ones count half.
        p: two-sided p of the bootstrap.
    """

    protocol: str
    dimension: str
    statistic: str
    estimate: Estimate
    share: float
    p: float
    subset: str = ""

    def to_row(self) -> dict[str, Any]:
        """A flat row for a frame."""
        e = self.estimate
        return {
            "protocol": self.protocol, "subset": self.subset, "dimension": self.dimension, "statistic": self.statistic,
            "difference": e.value, "low": e.low, "high": e.high, "share": self.share, "p": self.p, "n": e.n,
            "n_units": e.n_units, "n_resamples": e.n_resamples, "n_undefined": e.n_undefined, "reason": e.reason,
        }  # fmt: skip


def difference(a: Finding, b: Finding, level: float = 0.95) -> Difference:
    """Paired difference of two findings on the same rows.

    Args:
        a: of one metric.
        b: of another one, of the same benchmark, statistic and seed, so that the resamples are the same.
        level: coverage of the interval.

    Raises:
        ValueError: the two do not belong together.
    """
    import numpy as np

    if (a.protocol, a.dimension, a.statistic, a.subset) != (b.protocol, b.dimension, b.statistic, b.subset):
        raise ValueError("a difference is of one statistic on one dimension")
    if (a.estimate.n, a.estimate.n_units) != (b.estimate.n, b.estimate.n_units):
        raise ValueError("a difference is of the same rows: leave out what one of the two lacks")
    value = a.estimate.value - b.estimate.value
    n, units = a.estimate.n, a.estimate.n_units
    name = f"paired difference of {a.statistic}"
    if a.values is None or b.values is None or math.isnan(value):
        why = a.estimate.reason or b.estimate.reason or "no resamples"
        nothing = Estimate(value, math.nan, math.nan, n, units, level=level, method=name, reason=why)
        return Difference(a.protocol, a.dimension, a.statistic, nothing, math.nan, math.nan, a.subset)
    gaps = a.values - b.values
    known = gaps[~np.isnan(gaps)]
    undefined = len(gaps) - len(known)
    if len(known) * 2 < len(gaps):
        why = f"undefined in {undefined} of {len(gaps)} resamples: no interval"
        low = high = share = p = math.nan
    else:
        why = ""
        low, high = (float(v) for v in np.quantile(known, [(1 - level) / 2, (1 + level) / 2]))
        share, p = float(np.mean((known > 0) + (known == 0) / 2)), bootstrap_p(known)
    estimate = Estimate(value, low, high, n, units, undefined, len(gaps), 0, level, name, why)
    return Difference(a.protocol, a.dimension, a.statistic, estimate, share, p, a.subset)
