"""What the answers of a preference study say: who wins, how far raters agree, and what their answers are worth.

"Where Do Long Captions Fail?", section 5.2 (win rates without ties) and Table 15 (first places, ranges by rater,
Fleiss' kappa). Repeats and checks count for their own figures alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import Any

from posh_lite.evaluation.annotators import fleiss_kappa, krippendorff_alpha
from posh_lite.evaluation.bootstrap import Estimate, ratio
from posh_lite.position.winrate import (
    Duel,
    FirstChoice,
    Vote,
    first_choices,
    wilson,
    win_rate,
    win_rate_over_images,
)
from posh_lite.preference.answers import Answers, Judgment


@dataclass(frozen=True, slots=True)
class WinRate:
    """How often a model is put before another, or before all others.

    Attributes:
        model: whose rate it is.
        against: one opponent, or None for all of them pooled.
        wins, losses, ties: over the comparisons.
        decided: wins of wins and losses, with Wilson's interval, which takes answers as independent.
        over_images: the same with the interval that draws images.
        with_ties: a tie counts half; the interval draws images.
    """

    model: str
    against: str | None
    wins: int
    losses: int
    ties: int
    decided: Estimate
    over_images: Estimate
    with_ties: Estimate


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far raters agree on one set of models, or on one pair of them.

    Attributes:
        among: the models.
        measure: Fleiss' kappa or Krippendorff's alpha, and on what.
        estimate: with its interval over images.
    """

    among: tuple[str, ...]
    measure: str
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class Rater:
    """What one rater's answers are worth.

    Attributes:
        name: the code.
        answered, open: trials of any kind.
        repeats_same, repeats: repeated items with the same first caption, and how many there were.
        checks_passed, checks: the same of attention checks.
        leftmost: share of the items decided for one caption whose leftmost was put first.
        seconds: median of a trial, NaN where none was told.
    """

    name: str
    answered: int
    open: int
    repeats_same: int
    repeats: int
    checks_passed: int
    checks: int
    leftmost: float
    seconds: float


@dataclass(frozen=True, slots=True)
class PreferenceReport:
    """The whole analysis.

    Attributes:
        wins: every model against every other, and against all where there are more than two.
        first: first places, items without a single first left out (``n_no_first`` of them); empty where not all
            models stood side by side, since a first place among others is another thing.
        agreement: kappa and alpha.
        positions: share of first places by position from the left, with Wilson's interval.
        repeats: share of repeated items in which the same caption, or none, was put first both times.
        checks: share of attention checks that were passed.
        raters: one by one.
        n_items, n_images, n_no_first: counts; items are answers to items that are neither repeat nor check.
    """

    wins: tuple[WinRate, ...]
    first: tuple[FirstChoice, ...]
    agreement: tuple[Agreement, ...]
    positions: tuple[Estimate, ...]
    repeats: Estimate
    checks: Estimate
    raters: tuple[Rater, ...]
    n_items: int
    n_images: int
    n_no_first: int


def analyse(answers: Answers, **settings: Any) -> PreferenceReport:
    """Analyse the answers of a study.

    Args:
        answers: of :func:`~posh_lite.preference.answers.read_answers`.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.
    """
    study = answers.study
    items = [j for j in answers.judgments if j.kind == "item"]
    chosen = [(j, j.first) for j in items]
    votes = [Vote(j.image, j.rater, name) for j, name in chosen if name is not None]
    first: tuple[FirstChoice, ...] = ()
    if votes and len(study.models) == study.settings.at_once:
        first = tuple(first_choices(votes, study.models, **settings))
    duels = [d for j in items for d in _duels(j, study.settings.task)]
    again = [(j, _before(j, items)) for j in answers.judgments if j.kind == "repeat"]
    same = [j.first == before.first for j, before in again if before is not None]
    checks = [j.passed for j in answers.judgments if j.passed is not None]
    decided = [j.places.index(1) for j, name in chosen if name is not None]
    return PreferenceReport(
        wins=tuple(_wins(duels, study.models, settings)), first=first,
        agreement=tuple(_agreement(items, answers, settings)),
        positions=tuple(wilson(decided.count(k), len(decided), method=f"first places of position {k + 1}")
                        for k in range(study.settings.at_once)),
        repeats=wilson(sum(same), len(same), n_dropped=len(again) - len(same), method="repeats with the same first"),
        checks=wilson(sum(checks), len(checks), method="attention checks passed"),
        raters=tuple(_rater(name, left, answers.judgments) for name, left in answers.open.items()),
        n_items=len(items), n_images=len({j.image for j in items}), n_no_first=len(items) - len(votes),
    )


def _duels(j: Judgment, task: str) -> list[Duel]:
    """The answer as comparisons of two; of captions that were not chosen, nothing is known."""
    found = []
    for a, b in combinations(j.models, 2):
        one, two = j.place(a), j.place(b)
        if task == "choose" and one == two == 2:
            continue
        found.append(Duel(j.image, a, b, None if one == two else a if one < two else b))
    return found


def _wins(duels: Sequence[Duel], models: Sequence[str], settings: dict[str, Any]) -> list[WinRate]:
    opponents: list[tuple[str, str | None]] = [(a, b) for a, b in combinations(models, 2)]
    if len(models) > 2:
        opponents += [(model, None) for model in models]
    rows = []
    for model, against in opponents:
        own = [d for d in duels if model in (d.first, d.second) and (against is None or against in (d.first, d.second))]
        ties = sum(d.winner is None for d in own)
        wins = sum(d.winner == model for d in own)
        half = [0.5 if d.winner is None else float(d.winner == model) for d in own]
        rows.append(WinRate(
            model, against, wins, len(own) - ties - wins, ties, win_rate(own, model),
            win_rate_over_images(own, model, **settings),
            ratio(half, [1.0] * len(own), units=[d.unit for d in own], method=f"wins of {model}, ties half",
                  **settings),
        ))
    return rows


def _agreement(items: Sequence[Judgment], answers: Answers, settings: dict[str, Any]) -> list[Agreement]:
    """Kappa and alpha of first places within each set of models shown together, alpha of order for each pair."""
    import numpy as np

    raters = {name: column for column, name in enumerate(answers.open)}

    def table(of: dict[int, dict[str, float]]) -> Any:
        made = np.full((len(of), len(raters)), np.nan)
        for row, own in enumerate(of.values()):
            for rater, value in own.items():
                made[row, raters[rater]] = value
        return made

    found = []
    sets = dict.fromkeys(tuple(sorted(j.models)) for j in items)
    for group in sets:
        firsts: dict[int, dict[str, float]] = {}
        images: dict[int, str] = {}
        for j in items:
            if tuple(sorted(j.models)) == group:
                value = float(len(group)) if j.first is None else float(group.index(j.first))
                firsts.setdefault(j.item, {})[j.rater] = value
                images[j.item] = j.image
        units = list(images.values())
        found.append(Agreement(group, "Fleiss' kappa of first places",
                               fleiss_kappa(table(firsts), units=units, **settings)))
        found.append(Agreement(group, "Krippendorff's alpha of first places",
                               krippendorff_alpha(table(firsts), "nominal", units=units, **settings)))
    if answers.study.settings.task == "rank":
        for a, b in combinations(answers.study.models, 2):
            signs: dict[int, dict[str, float]] = {}
            images = {}
            for j in items:
                if {a, b} <= set(j.models):
                    signs.setdefault(j.item, {})[j.rater] = float(np.sign(j.place(b) - j.place(a)))
                    images[j.item] = j.image
            if signs:
                found.append(Agreement((a, b), "Krippendorff's alpha of order, ordinal",
                                       krippendorff_alpha(table(signs), "ordinal", units=list(images.values()),
                                                          **settings)))
    return found


def _before(j: Judgment, items: Sequence[Judgment]) -> Judgment | None:
    return next((i for i in items if i.rater == j.rater and i.item == j.item), None)


def _rater(name: str, left: int, judgments: Sequence[Judgment]) -> Rater:
    own = [j for j in judgments if j.rater == name]
    items = [j for j in own if j.kind == "item"]
    again = [(j, before) for j in own if j.kind == "repeat" and (before := _before(j, items)) is not None]
    checks = [j.passed for j in own if j.passed is not None]
    decided = [j.places[0] == 1 for j in items if j.first is not None]
    times = [j.seconds for j in own if j.seconds is not None]
    return Rater(
        name, len(own), left, sum(a.first == b.first for a, b in again), len(again), sum(checks), len(checks),
        sum(decided) / len(decided) if decided else math.nan, median(times) if times else math.nan,
    )
