"""How well scores on spans find the errors that people marked, word by word and span by span.

Word by word, as DOCENT is evaluated (PoSh paper, section "Experiments", paragraph on the benchmarks): a word's
score is the highest of the components that cover it and 5 if none does, a word is called an error below a
threshold, and the macro F1 is the mean of the F1 of errors and of the F1 of words that are none. The best
threshold is picked on the very data it is judged by, which flatters every metric alike; the cross-validated
figure is not flattered.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from posh_lite.evaluation.bootstrap import Estimate, bootstrap
from posh_lite.records import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from posh_lite.evaluation.bootstrap import Floats
    from posh_lite.judge.contract import Side
    from posh_lite.metric.protocol import ScoredSpan
    from posh_lite.metric.score import Component, Score


@dataclass(frozen=True, slots=True)
class WordSet:
    """The words of one text: a score each, and whether people marked it as an error."""

    unit: Hashable  # the image
    scores: tuple[float, ...]
    errors: tuple[bool, ...]


def overlaps(span: Span, spans: Iterable[Span]) -> bool:
    """Whether a span shares at least one character with any of the others."""
    return any(max(start, span[0]) < min(end, span[1]) for start, end in spans)  # an empty span shares nothing


def words_of(
    text: str, spans: Iterable[ScoredSpan], marked: Sequence[Span], unit: Hashable, uncovered: float = 5.0
) -> WordSet:
    """The words of a text with the scores that any metric puts on its spans; punctuation is skipped.

    Args:
        text: one side of a pair.
        spans: ``(start, end, score)``; a word's score is the highest of those that touch it. NaN is no score.
        marked: what people marked; a word is an error if a mark touches it.
        unit: the image.
        uncovered: score of a word that no span touches.
    """
    from posh_lite.text import tokens

    words = [(token.start, token.end) for token in tokens(text) if token.is_word]
    best = [-math.inf] * len(text)  # by character: texts have hundreds of spans
    touched = [False] * len(text)
    for start, end, score in spans:
        if not math.isnan(score):
            for place in range(max(start, 0), min(end, len(text))):
                best[place], touched[place] = max(best[place], score), True
    scores = tuple(max(best[a:b]) if any(touched[a:b]) else uncovered for a, b in words)
    return WordSet(unit, scores, tuple(overlaps(word, marked) for word in words))


def word_set(score: Score, side: Side, marked: Sequence[Span], unit: Hashable) -> WordSet:
    """The words of one side of a pair that PoSh scored, as :func:`words_of`; 5 where no component covers a word."""
    spans = [(start, end, c.score) for c in score.of(side) if c.score is not None for start, end in c.spans]
    return words_of(score.text(side), spans, marked, unit)


def thresholds_of(sets: Sequence[WordSet]) -> list[float]:
    """Every threshold that separates the scores differently, with one below and one above all of them."""
    values = sorted({score for words in sets for score in words.scores})
    middles = [middle if (middle := (a + b) / 2) > a else b for a, b in pairwise(values)]  # neighbours round to a
    return [values[0] - 0.5, *middles, values[-1] + 0.5] if values else []


def confusion(sets: Sequence[WordSet], thresholds: Sequence[float]) -> NDArray[np.float64]:
    """True and false alarms, misses and true passes, of shape ``(4, sets, thresholds)``; NaN flags nothing."""
    import numpy as np

    counts = np.zeros((4, len(sets), len(thresholds)))
    for row, words in enumerate(sets):
        scores, errors = np.array(words.scores, dtype=float), np.array(words.errors, dtype=bool)
        flagged = scores[None, :] < np.asarray(thresholds, dtype=float)[:, None]
        counts[0, row] = (flagged & errors).sum(axis=1)
        counts[1, row] = (flagged & ~errors).sum(axis=1)
        counts[2, row] = (~flagged & errors).sum(axis=1)
        counts[3, row] = (~flagged & ~errors).sum(axis=1)
    return counts


def macro_of(hit: Floats, alarm: Floats, miss: Floats, passed: Floats) -> Floats:
    """Mean of both classes' F1; NaN where people marked all words or none, so that there is one class only."""
    import numpy as np

    with np.errstate(invalid="ignore", divide="ignore"):
        value = (2 * hit / (2 * hit + alarm + miss) + 2 * passed / (2 * passed + alarm + miss)) / 2
    return np.where((hit + miss > 0) & (alarm + passed > 0), value, np.nan)


def macro_f1(sets: Sequence[WordSet], threshold: float, **settings: Any) -> Estimate:
    """Macro F1 at a threshold, pooled over the words of all texts, with its interval over images.

    Args:
        sets: the words of each text.
        threshold: a word scored below it is called an error.
        settings: ``n_resamples``, ``level``, ``interval``, ``seed`` of
            :func:`~posh_lite.evaluation.bootstrap.bootstrap`.
    """
    counts = confusion(sets, [threshold])[:, :, 0]

    def statistic(weights: Floats) -> Floats:
        return macro_of(*(weights @ one for one in counts))

    return bootstrap(
        statistic, len(sets), units=[words.unit for words in sets], method=f"macro F1 below {threshold:g}",
        reason="all words are of one class", **settings,
    )


def best_threshold(sets: Sequence[WordSet]) -> tuple[float, float]:
    """The threshold with the highest pooled macro F1, and that F1; the lowest such threshold on a tie.

    Returns NaN twice where no threshold gives a defined value.
    """
    import numpy as np

    thresholds = thresholds_of(sets)
    if not thresholds:
        return math.nan, math.nan
    scores = np.array([score for words in sets for score in words.scores], dtype=float)
    errors = np.array([error for words in sets for error in words.errors], dtype=bool)
    # the k-th threshold flags the k lowest distinct scores: sums instead of a table of words by thresholds
    _, place = np.unique(scores, return_inverse=True)
    hit, alarm = (
        np.concatenate([[0.0], np.cumsum(np.bincount(place[kind], minlength=len(thresholds) - 1))])
        for kind in (errors, ~errors)
    )
    values = macro_of(hit, alarm, hit[-1] - hit, alarm[-1] - alarm)
    if np.isnan(values).all():
        return math.nan, math.nan
    # equal by arithmetic may differ in the last digit: a tie must not hang on rounding
    best = int(np.argmax(values >= np.nanmax(values) - 1e-12))
    return thresholds[best], float(values[best])


@dataclass(frozen=True, slots=True)
class CrossValidated:
    """Macro F1 of held-out words; each fold's threshold was picked on the other folds."""

    f1: float
    thresholds: tuple[float, ...]
    n_units: int
    estimate: Estimate  # with the interval over images, the thresholds held fixed


def cross_validated_f1(
    sets: Sequence[WordSet], *, folds: int = 5, seed: int = 0, **settings: Any
) -> CrossValidated:
    """Pick the threshold on some images, apply it to the others, pool the held-out words.

    Args:
        sets: the words of each text; all texts of an image go into the same fold.
        folds: number of folds, at most the number of images.
        seed: of the assignment of images to folds, and of the resamples.
        settings: further keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.
    """
    import numpy as np

    units = list(dict.fromkeys(words.unit for words in sets))
    folds = min(folds, len(units))
    if folds < 2:
        why = "one image only: nothing to hold out" if units else "there are no words"
        nothing = Estimate(math.nan, math.nan, math.nan, len(sets), len(units), reason=why)
        return CrossValidated(math.nan, (), len(units), nothing)
    order = np.random.default_rng(seed).permutation(len(units))
    fold_of = {units[unit]: place % folds for place, unit in enumerate(order)}
    counts, chosen = np.zeros((4, len(sets))), []
    for fold in range(folds):
        rows = [row for row, words in enumerate(sets) if fold_of[words.unit] == fold]
        threshold, _ = best_threshold([words for words in sets if fold_of[words.unit] != fold])
        chosen.append(threshold)
        if not math.isnan(threshold):
            counts[:, rows] = confusion([sets[row] for row in rows], [threshold])[:, :, 0]
    estimate = bootstrap(
        lambda weights: macro_of(*(weights @ one for one in counts)), len(sets), units=[words.unit for words in sets],
        method=f"macro F1, {folds} folds", reason="all words are of one class", seed=seed, **settings,
    )  # fmt: skip
    return CrossValidated(estimate.value, tuple(chosen), len(units), estimate)


@dataclass(frozen=True, slots=True)
class Detection:
    """What was flagged in one text, against the spans that are known to be errors there."""

    unit: Hashable
    found: tuple[bool, ...]  # for each known error, whether a flagged component touches it
    right: tuple[Component, ...]  # flagged, and touching a known error
    wrong: tuple[Component, ...]  # flagged where nothing is known to be wrong


def detect(
    score: Score, side: Side, known: Sequence[Span], *, threshold: float, unit: Hashable,
    tolerated: Sequence[Span] = (),
) -> Detection:
    """Hold the components scored below a threshold against known errors.

    Args:
        score: of the pair.
        side: which text.
        known: spans of the errors in that text.
        threshold: components with a score below it are flagged.
        unit: the image or work.
        tolerated: spans where a flag counts neither for nor against, such as misstated facts of a reference.
    """
    flagged = [c for c in score.of(side) if c.score is not None and c.score < threshold]
    found = tuple(any(overlaps(span, c.spans) for c in flagged) for span in known)
    right = tuple(c for c in flagged if any(overlaps(s, known) for s in c.spans))
    rest = [c for c in flagged if not any(overlaps(s, known) for s in c.spans)]
    wrong = tuple(c for c in rest if not any(overlaps(s, tolerated) for s in c.spans))
    return Detection(unit, found, right, wrong)
