"""Coarse metrics against judgments of whole descriptions (PoSh paper, section "Experiments", paragraph "Benchmarks").

Comparisons: a label says how much better the first text is than the second (appendix "Coarse Metric Evaluation"), and
the metric's difference of the two is held against it: by the accuracy of its choice, where as many ties are called
as there are gold ties; by the accuracy of its sign where people saw a difference; by Spearman's rho and Kendall's
tau-b. Ratings: rho and tau-b between score and rating, and rho given how long the text is, since much of what such
correlations show is length.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from posh_lite.benchmarks.contract import DIMENSIONS, Benchmark, Comparison, Dimension, Rating
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.evaluation.correlation import Method, correlate
from posh_lite.evaluation.pairwise import directional_accuracy, pairwise_accuracy
from posh_lite.evaluation.significance import Finding, bootstrap_p, scipy_p

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    #: Value of a metric by dimension, then by pair id.
    Values = Mapping[Dimension, Mapping[str, float]]

#: Statistics of comparisons and of ratings, in the order of the tables.
OF_COMPARISONS = ("accuracy", "sign", "spearman", "kendall")
OF_RATINGS = ("spearman", "kendall", "spearman_given_length")
#: tau-b compares every row with every other: beyond so many rows it is given without an interval.
MOST_ROWS = 2500
_SILENT = "the metric says nothing of this dimension"
#: Tag of the comparisons that rank models; no subset of its own.
ARENA = "arena"


def values_of(frame: pd.DataFrame) -> Values:
    """A metric's frame as values by dimension and pair id."""
    return {name: dict(zip(frame["id"], frame[name].astype(float), strict=True)) for name in DIMENSIONS}


def coarse(benchmark: Benchmark, frame: pd.DataFrame, **settings: Any) -> list[Finding]:
    """Every coarse figure of a metric: of comparisons, of their subsets by tag, and of ratings.

    Args:
        benchmark: with comparisons or ratings; without either the result is empty.
        frame: of the metric, with columns ``id``, ``mistakes``, ``omissions``, ``overall``.
        settings: ``n_resamples``, ``level``, ``interval``, ``seed`` of
            :func:`~posh_lite.evaluation.bootstrap.bootstrap`.

    Returns:
        One :class:`Finding` for each dimension that was judged and each statistic. Subsets have accuracies only.
    """
    values = values_of(frame)
    found = [f for name in DIMENSIONS for f in compare(benchmark.comparisons, values[name], name, **settings)]
    for tag in sorted({tag for c in benchmark.comparisons for tag in c.tags} - {ARENA}):
        part = [c for c in benchmark.comparisons if tag in c.tags]
        for name in DIMENSIONS:
            rows = compare(part, values[name], name, statistics=OF_COMPARISONS[:2], **settings)
            found += [replace(row, subset=tag) for row in rows]
    lengths = {p.id: len(p.generation.split()) / max(len(p.reference.split()), 1) for p in benchmark.pairs}
    for name in DIMENSIONS:
        found += rate(benchmark.ratings, values[name], name, lengths, **settings)
    return found


def compare(
    comparisons: Sequence[Comparison], values: Mapping[str, float], dimension: Dimension, *,
    statistics: Sequence[str] = OF_COMPARISONS, **settings: Any,
) -> list[Finding]:
    """Figures of one dimension on comparisons; none where the dimension was judged in none of them.

    A pair without a value makes its comparisons wrong choices for the accuracy and half right ones for the sign; the
    correlations leave them out and count them. A metric that says nothing of the dimension has no accuracy at all.
    """
    import numpy as np

    judged = [c for c in comparisons if dimension in c.labels]
    if not judged:
        return []
    gold = [c.labels[dimension] for c in judged]
    gaps = np.array([values[c.a] - values[c.b] for c in judged])
    units: list[Hashable] = [c.unit for c in judged]
    found = []
    for statistic in statistics:
        kept = _Kept()
        given = {"units": units, "on_values": kept, **settings}
        detail: dict[str, Any] = {}
        p, null = np.nan, 0.0
        if statistic in OF_COMPARISONS[:2] and np.isnan(gaps).all():
            estimate, null = Estimate(np.nan, np.nan, np.nan, len(gaps), len(set(units)), reason=_SILENT), np.nan
        elif statistic == "accuracy":
            pairwise = pairwise_accuracy(gaps, gold, **given)
            estimate, null = pairwise.accuracy, np.nan
            detail = {"tie_threshold": pairwise.tie_threshold, "gold_ties": pairwise.n_gold_ties}
        elif statistic == "sign":
            estimate, null = directional_accuracy(gaps, gold, **given), 0.5
        else:
            estimate, p = _correlation(statistic, gaps, np.array(gold, dtype=float), given)
        found.append(_finding("coarse", dimension, statistic, estimate, p, null, kept, detail))
    return found


def rate(
    ratings: Sequence[Rating], values: Mapping[str, float], dimension: Dimension, lengths: Mapping[str, float],
    **settings: Any,
) -> list[Finding]:
    """Correlations of one dimension on ratings; none where it was not rated.

    Args:
        ratings: judgments of single generations.
        values: of the metric, by pair id.
        dimension: which one.
        lengths: words of the generation over words of the reference, by pair id.
        settings: see :func:`coarse`.
    """
    import numpy as np

    judged = [r for r in ratings if dimension in r.labels]
    if not judged:
        return []
    scores, gold = np.array([values[r.id] for r in judged]), np.array([r.labels[dimension] for r in judged], float)
    ratio = np.array([lengths[r.id] for r in judged])
    found = []
    for statistic in OF_RATINGS:
        kept = _Kept()
        given = {"units": [r.unit for r in judged], "on_values": kept, **settings}
        if statistic == "spearman_given_length":
            estimate, p = correlate(scores, gold, "partial_spearman", given=[ratio], **given), np.nan
        else:
            estimate, p = _correlation(statistic, scores, gold, given)
        found.append(_finding("ratings", dimension, statistic, estimate, p, 0.0, kept, {}))
    return found


class _Kept:
    """Keeps the values of the resamples."""

    def __init__(self) -> None:
        self.values: Floats | None = None

    def __call__(self, values: Floats) -> None:
        self.values = values


def _finding(
    protocol: str, dimension: str, statistic: str, estimate: Estimate, p: float, null: float, kept: _Kept,
    detail: dict[str, Any],
) -> Finding:
    import math

    boot = math.nan if math.isnan(null) else bootstrap_p(kept.values, null)
    return Finding(protocol, dimension, statistic, estimate, p=p, p_bootstrap=boot, detail=detail, values=kept.values)


def _correlation(method: str, x: Floats, y: Floats, given: dict[str, Any]) -> tuple[Estimate, float]:
    import numpy as np

    rows = int((~(np.isnan(x) | np.isnan(y))).sum())
    if method == "kendall" and rows > MOST_ROWS:
        return _without_interval(x, y, given), scipy_p(method, x, y)
    known: dict[str, Method] = {"spearman": "spearman", "kendall": "kendall"}
    return correlate(x, y, known[method], **given), scipy_p(method, x, y)


def _without_interval(x: Floats, y: Floats, given: dict[str, Any]) -> Estimate:
    """tau-b of very many rows, by scipy."""
    import numpy as np
    from scipy.stats import kendalltau

    kept = ~(np.isnan(x) | np.isnan(y))
    value, n = float(kendalltau(x[kept], y[kept]).statistic), int(kept.sum())
    units = len({u for u, ok in zip(given["units"], kept, strict=True) if ok})
    why = f"an input is constant, {n} rows" if np.isnan(value) else f"{n} rows: no interval beyond {MOST_ROWS}"
    return Estimate(value, np.nan, np.nan, n, units, n_dropped=len(x) - n, method="kendall", reason=why)


