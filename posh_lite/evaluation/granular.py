"""Does a metric point at the places that are wrong or left out? (PoSh paper, section "Experiments", table of F1)

Word by word, by :mod:`.localisation`: macro F1 at the best of all thresholds, as the paper reports it, with the
threshold; and, since that flatters whoever picks it on the very data, the macro F1 of held-out images.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from posh_lite.benchmarks.contract import Benchmark, Dimension
from posh_lite.evaluation.bootstrap import bootstrap, ratio
from posh_lite.evaluation.localisation import (
    WordSet,
    best_threshold,
    confusion,
    cross_validated_f1,
    macro_of,
    words_of,
)
from posh_lite.evaluation.significance import Finding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from posh_lite.judge.contract import Side
    from posh_lite.metric.protocol import Located

    Floats = NDArray[np.float64]

SIDE_OF: dict[Dimension, Side] = {"mistakes": "generation", "omissions": "reference"}
#: In the order of the tables: the paper's figure, the unflattered one, then of each class at the best threshold.
STATISTICS = ("f1", "f1_cv", "precision_error", "recall_error", "precision_rest", "recall_rest")
_FOLDS = 5


def word_sets(benchmark: Benchmark, places: Sequence[Located], dimension: Dimension, uncovered: float) -> list[WordSet]:
    """The words of each text that was annotated on that side, with the metric's scores and the gold.

    Args:
        benchmark: with marks.
        places: scored spans of the benchmark's pairs, in any order.
        dimension: "mistakes" (in generations) or "omissions" (in references).
        uncovered: score of a word that no span touches.

    Raises:
        ValueError: a pair that was annotated has no entry in ``places``.
    """
    side = SIDE_OF[dimension]
    located = {one.id: one for one in places}
    found = []
    for marks in benchmark.marks:
        marked = marks.mistakes if dimension == "mistakes" else marks.omissions
        if marked is None:
            continue
        if marks.id not in located:
            raise ValueError(f"no spans of the pair {marks.id!r}")
        text = getattr(benchmark.by_id[marks.id], side)
        found.append(words_of(text, getattr(located[marks.id], side), marked, marks.unit, uncovered))
    return found


def granular(
    benchmark: Benchmark, places: Sequence[Located], *, uncovered: float,
    sides: Sequence[str] = ("generation", "reference"), **settings: Any,
) -> list[Finding]:
    """Every granular figure of a metric.

    Args:
        benchmark: with marks; without any the result is empty.
        places: of the metric, see :class:`~posh_lite.metric.protocol.Localizer`.
        uncovered: of the metric.
        sides: of the metric; the other dimension is left out.
        settings: ``n_resamples``, ``level``, ``interval``, ``seed``.

    Returns:
        For each dimension one :class:`Finding` for each of :data:`STATISTICS`. ``detail`` holds the threshold (or
        those of the folds), the number of words and of words in errors. Intervals draw images anew and hold the
        threshold fixed.
    """
    found = []
    for dimension, side in SIDE_OF.items():
        if side not in sides:
            continue
        sets = word_sets(benchmark, places, dimension, uncovered)
        if sets:
            found += _figures(sets, dimension, settings)
    return found


def _figures(sets: Sequence[WordSet], dimension: Dimension, settings: dict[str, Any]) -> list[Finding]:
    units = [words.unit for words in sets]
    threshold, _ = best_threshold(sets)
    counts = confusion(sets, [threshold])[:, :, 0]
    hit, alarm, miss, passed = counts
    about = {"threshold": threshold, "words": int(counts.sum()), "error_words": int((hit + miss).sum())}
    kept: list[Floats] = []
    estimate = bootstrap(
        lambda weights: macro_of(*(weights @ one for one in counts)), len(sets), units=units,
        method="macro F1, best threshold", reason="all words are of one class, or there are none",
        on_values=kept.append, **settings,
    )
    found = [Finding("granular", dimension, "f1", estimate, detail=about, values=kept[0] if kept else None)]
    kept = []
    crossed = cross_validated_f1(sets, folds=_FOLDS, on_values=kept.append, **settings)
    thresholds = {"thresholds": list(crossed.thresholds)}
    found.append(Finding("granular", dimension, "f1_cv", crossed.estimate, detail=thresholds,
                         values=kept[0] if kept else None))  # fmt: skip
    for name, right, of in (
        ("precision_error", hit, hit + alarm), ("recall_error", hit, hit + miss),
        ("precision_rest", passed, passed + miss), ("recall_rest", passed, passed + alarm),
    ):  # fmt: skip
        kept = []
        one = ratio(right, of, units=units, method=name, on_values=kept.append, **settings)
        found.append(Finding("granular", dimension, name, one, detail=about, values=kept[0] if kept else None))
    return found
