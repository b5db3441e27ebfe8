"""Which of two texts is better: accuracy of a metric's choice, ties included.

PoSh paper, section "Experiments": a metric calls a tie where its two scores lie closer together than a
threshold, and the threshold is the one that makes its ties as many as the gold ties.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from posh_lite.evaluation.bootstrap import Estimate, ratio

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from posh_lite.evaluation.bootstrap import Floats


@dataclass(frozen=True, slots=True)
class PairwiseAccuracy:
    """Share of pairs in which the metric's choice, a tie included, is the gold choice."""

    accuracy: Estimate
    tie_threshold: float  # differences up to it are ties
    n_gold_ties: int


def _paired(differences: ArrayLike, gold: Sequence[int]) -> tuple[Floats, Floats]:
    """Differences and the signs of the labels, of one length."""
    import numpy as np

    values, labels = np.asarray(differences, dtype=np.float64), np.sign(np.asarray(gold, dtype=np.float64))
    if values.shape != labels.shape:
        raise ValueError(f"{len(values)} differences for {len(labels)} labels")
    return values, labels


def directional_accuracy(
    differences: ArrayLike, gold: Sequence[int], *, units: Sequence[Hashable] | None = None, **settings: Any
) -> Estimate:
    """Share of the pairs that are no gold tie in which the metric's difference has the right sign (chance: a half).

    Args:
        differences: metric of the first text less metric of the second; NaN and exact ties count as half right.
        gold: as in :func:`pairwise_accuracy`; zeros are left out.
        units: the image of each pair.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.

    Raises:
        ValueError: lengths differ.
    """
    import numpy as np

    values, labels = _paired(differences, gold)
    called = np.nan_to_num(np.sign(values))
    right = np.where(called == 0, 0.5, called == labels)
    counted = (labels != 0).astype(np.float64)
    return ratio(right * counted, counted, units=units, method="directional accuracy", **settings)


def tie_threshold(differences: ArrayLike, n_ties: int) -> float:
    """The size of the ``n_ties``-th smallest difference, or a value below all of them where no tie is wanted."""
    import numpy as np

    sizes = np.sort(np.abs(np.asarray(differences, dtype=np.float64)))
    sizes = sizes[~np.isnan(sizes)]
    if n_ties <= 0 or not len(sizes):
        return -1.0
    return float(sizes[min(n_ties, len(sizes)) - 1])


def pairwise_accuracy(
    differences: ArrayLike, gold: Sequence[int], *, units: Sequence[Hashable] | None = None, **settings: Any
) -> PairwiseAccuracy:
    """Accuracy of a metric on pairs of texts, with its interval over images.

    Args:
        differences: metric of the first text less metric of the second; a NaN counts as a wrong choice.
        gold: above zero where the first text is better, below where the second is, zero for a tie.
        units: the image of each pair.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.

    Raises:
        ValueError: lengths differ.
    """
    import numpy as np

    values, labels = _paired(differences, gold)
    n_ties = int((labels == 0).sum())
    threshold = tie_threshold(values, n_ties)
    called = np.where(np.abs(values) <= threshold, 0.0, np.sign(values))
    # without gold ties an exact tie of the metric is still no choice
    right = np.where(np.isnan(values), 0.0, called == labels)
    accuracy = ratio(right, np.ones(len(right)), units=units, method="pairwise accuracy", **settings)
    return PairwiseAccuracy(accuracy, threshold if threshold >= 0 else math.nan, n_ties)
