"""The cells of the challenge matrix for one metric: is the worse text ranked lower, by how much, and where.

Every figure has an interval that draws works, or originals, anew.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from posh_lite.benchmarks.contract import DIMENSIONS
from posh_lite.evaluation.bootstrap import Estimate, ratio
from posh_lite.evaluation.challenge_trials import ATTACHMENT, CONDITIONS, OMISSION, PARAPHRASE, Trial, TrialSet
from posh_lite.evaluation.localisation import WordSet, words_of
from posh_lite.evaluation.pairwise import directional_accuracy

if TYPE_CHECKING:
    from posh_lite.evaluation.evaluate_scores import Scored
    from posh_lite.metric.protocol import Located

#: Of the ranking: what each says, and its value without skill.
RANKING: dict[str, tuple[str, float]] = {
    "share": ("trials in which the worse text has the lower score, ties half", 0.5),
    "ties": ("trials in which both texts have the same score", math.nan),
    "drop": ("mean drop, in standard deviations of the metric on texts as they were written", 0.0),
    "relative": ("drop over the drop that a paraphrase of the same original costs", 0.0),
}
#: Of the places, the same; without skill the last two depend on the texts and stand beside the figure.
PLACES: dict[str, tuple[str, float]] = {
    "place": ("changed word scored below an unchanged one of the same text, ties half", 0.5),
    "lowest": ("the lowest-scored word is a changed one, ties shared", math.nan),
    "hit": ("a changed word lies below the threshold", math.nan),
    "lowest_by_chance": ("share of changed words, which a guess at the lowest word would find", math.nan),
    "alarms": ("unchanged words below the threshold", math.nan),
}
#: The threshold flags at most this share of the words of captions without a mistake.
FALSE_ALARMS = 0.05
ALL, ALL_ATTACHMENT = "all", "attachment"
#: Differences that are smaller than this part of the spread come from the order of sums and are ties.
_SAME = 1e-9


def spread_of(trials: TrialSet, scored: Scored) -> dict[str, float]:
    """Standard deviation of each score over the natural texts of a set; NaN where fewer than two have one."""
    frame = scored.frame[scored.frame["id"].isin(trials.natural)]
    return {name: float(frame[name].std(ddof=1)) for name in DIMENSIONS}


def calm_threshold(trials: TrialSet, scored: Scored, share: float = FALSE_ALARMS) -> float:
    """The highest score below which at most ``share`` of the words of captions without a mistake lie.

    No trial is looked at, so that the same rule holds for every metric on every set. NaN for a metric that points at
    no places in generations, or a set without such captions.
    """
    import numpy as np

    if scored.places is None or "generation" not in scored.sides or not trials.calm:
        return math.nan
    located = {one.id: one for one in scored.places}
    values = np.sort([s for i in trials.calm for s in _words(trials, located[i], (), scored.uncovered).scores])
    if not len(values):
        return math.nan
    distinct, first = np.unique(values, return_index=True)  # `first` words lie below each distinct value
    return float(distinct[first <= share * len(values)][-1])


def figures(trials: TrialSet, scored: Scored, threshold: float = math.nan, **settings: Any) -> list[dict[str, Any]]:
    """Rows of the matrix: condition, kind, statistic, dimension and the figure with its interval.

    Args:
        trials: a set.
        scored: what a metric said of its pairs.
        threshold: of :func:`calm_threshold`, for ``hit`` and ``alarms``.
        settings: ``n_resamples``, ``level``, ``interval``, ``seed``.

    Returns:
        For each condition and kind, and for all mistakes and those of attachment together: "share" by the dimension
        that has to drop (``own``) and by ``overall``; "ties", "drop" and, under ``copy``, "relative" by the former; and
        where the metric points at places, :data:`PLACES`.
    """
    values: dict[str, dict[str, float]] = {
        name: dict(zip(scored.frame["id"], scored.frame[name].astype(float), strict=True)) for name in DIMENSIONS
    }
    spread = spread_of(trials, scored)
    places = _places(trials, scored, threshold)
    rows = []
    for condition in CONDITIONS:
        mine = [t for t in trials.trials if t.condition == condition]
        for kind, part in _groups(mine):
            for name in ("own", "overall"):
                gaps, units = [_gap(t, values, spread, name) for t in part], [t.unit for t in part]
                signs = [0.0 if abs(g) < _SAME else g for g in gaps]
                share = directional_accuracy(signs, [1] * len(signs), units=units, **settings)
                if all(math.isnan(g) for g in signs):
                    share = _nothing(share, "the metric gives no scores")
                rows.append(_row(condition, kind, "share", name, share))
                if name == "own":
                    same = [math.nan if math.isnan(g) else float(g == 0) for g in signs]
                    rows.append(_row(condition, kind, "ties", name, _mean(same, units, "share of ties", settings)))
            gaps = [_gap(t, values, spread, "own") for t in part]
            rows.append(_row(condition, kind, "drop", "own", _mean(gaps, units, "mean drop", settings)))
            if condition == "copy" and kind != PARAPHRASE:
                rows.append(_row(condition, kind, "relative", "own",
                                 _relative(part, mine, values, spread, settings)))  # fmt: skip
            if condition != "copy" and places:
                rows += [_row(condition, kind, name, "own", one) for name, one in _located(part, places, settings)]
    return rows


def _groups(trials: Sequence[Trial]) -> Iterable[tuple[str, list[Trial]]]:
    kinds = list(dict.fromkeys(t.kind for t in trials))
    for kind in kinds:
        yield kind, [t for t in trials if t.kind == kind]
    wrong = [t for t in trials if t.kind not in (PARAPHRASE, OMISSION)]
    for name, part in ((ALL, wrong), (ALL_ATTACHMENT, [t for t in wrong if t.kind in ATTACHMENT])):
        if part:
            yield name, part


def _gap(trial: Trial, values: Mapping[str, Mapping[str, float]], spread: Mapping[str, float], name: str) -> float:
    """Score of the better text less that of the worse, in standard deviations; raw where there is no spread."""
    of = trial.dimension if name == "own" else name
    unit = spread[of] if spread[of] > 0 else 1.0
    return (values[of][trial.better] - values[of][trial.worse]) / unit


def _mean(gaps: Sequence[float], units: Sequence[Any], method: str, settings: Mapping[str, Any]) -> Estimate:
    return ratio(gaps, [1.0] * len(gaps), units=units, method=method, **settings)


def _relative(
    part: Sequence[Trial], of_condition: Sequence[Trial], values: Mapping[str, Mapping[str, float]],
    spread: Mapping[str, float], settings: Mapping[str, Any],
) -> Estimate:
    """Mean drop over the mean drop of the paraphrases of the same originals."""
    costs: dict[Any, list[float]] = {}
    for trial in of_condition:
        if trial.kind == PARAPHRASE:
            costs.setdefault(trial.unit, []).append(_gap(trial, values, spread, "own"))
    kept = [t for t in part if t.unit in costs]
    gaps = [_gap(t, values, spread, "own") for t in kept]
    below = [sum(costs[t.unit]) / len(costs[t.unit]) for t in kept]
    return ratio(gaps, below, units=[t.unit for t in kept], method="drop over that of paraphrases", **settings)


def _words(trials: TrialSet, one: Located, spans: Sequence[tuple[int, int]], uncovered: float) -> WordSet:
    text = trials.benchmark.by_id[one.id].generation
    return words_of(text, one.generation, spans, one.id, uncovered)


def _places(trials: TrialSet, scored: Scored, threshold: float) -> dict[str, dict[str, float]]:
    """What each worse text with a place gives, by its id; empty for a metric that points at no generations."""
    if scored.places is None or "generation" not in scored.sides:
        return {}
    located = {one.id: one for one in scored.places}
    spans = {t.worse: t.spans for t in trials.trials if t.spans}
    return {i: place_figures(_words(trials, located[i], s, scored.uncovered), threshold) for i, s in spans.items()}


def place_figures(words: WordSet, threshold: float) -> dict[str, float]:
    """Figures of :data:`PLACES` for one text; NaN where all or none of its words are changed.

    Args:
        words: scores, and which words are changed.
        threshold: NaN leaves ``hit`` and ``alarms`` undefined.
    """
    import numpy as np

    scores, changed = np.array(words.scores, dtype=float), np.array(words.errors, dtype=bool)
    found = dict.fromkeys(PLACES, math.nan)
    if changed.any() and not changed.all():
        gap = scores[~changed][None, :] - scores[changed][:, None]
        lowest = scores == scores.min()
        found["place"] = float(((gap > 0) + (gap == 0) / 2).mean())
        found["lowest"] = float((lowest & changed).sum() / lowest.sum())
        found["lowest_by_chance"] = float(changed.mean())
        if not math.isnan(threshold):
            found["hit"] = float((scores[changed] < threshold).any())
            found["alarms"] = float((scores[~changed] < threshold).mean())
    return found


def _located(
    part: Sequence[Trial], places: Mapping[str, Mapping[str, float]], settings: Mapping[str, Any]
) -> list[tuple[str, Estimate]]:
    """Means over the worse texts, each counted once, whatever it is compared with."""
    units = {t.worse: t.unit for t in part if t.worse in places}
    if not units:
        return []
    return [
        (name, _mean([places[i][name] for i in units], list(units.values()), name, settings)) for name in PLACES
    ]


def _nothing(estimate: Estimate, reason: str) -> Estimate:
    return Estimate(math.nan, math.nan, math.nan, estimate.n, estimate.n_units, method=estimate.method, reason=reason)


def _row(condition: str, kind: str, statistic: str, dimension: str, e: Estimate) -> dict[str, Any]:
    return {"condition": condition, "kind": kind, "statistic": statistic, "dimension": dimension, "value": e.value,
            "low": e.low, "high": e.high, "n": e.n, "n_units": e.n_units, "n_dropped": e.n_dropped,
            "reason": e.reason}  # fmt: skip
