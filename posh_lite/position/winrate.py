"""Preferences between captioners: win rates without ties, and first choices of several raters.

"Where Do Long Captions Fail?": CapArena's protocol among four models (section 5.2, Table 4) and the blind
three-way study (appendix J.3, Table 15).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from posh_lite.evaluation.bootstrap import Estimate, ratio


def wilson(successes: float, n: float, *, level: float = 0.95, n_dropped: int = 0, method: str = "share") -> Estimate:
    """A share with the interval of Wilson (1927), which holds for few trials and near 0 and 1.

    Args:
        successes: at most ``n``.
        n: trials, taken as independent; no whole number where dependent ones are counted by what they are worth.
        level: coverage, between 0 and 1.
        n_dropped: trials left out, such as ties.
        method: name kept in the result.

    Raises:
        ValueError: a number is out of range.
    """
    from scipy.special import ndtri

    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}")
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}")
    name = f"{method}, Wilson interval"
    if n == 0:
        nan = math.nan
        return Estimate(nan, nan, nan, 0, 0, n_dropped=n_dropped, level=level, method=name, reason="no trials")
    z = float(ndtri((1 + level) / 2))
    share, scale = successes / n, 1 + z * z / n
    centre = (share + z * z / (2 * n)) / scale
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / scale
    # at the ends the bound is exact; sums would leave a rounding error
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    whole = max(1, round(n))
    return Estimate(share, low, high, whole, whole, n_dropped=n_dropped, level=level, method=name)


@dataclass(frozen=True, slots=True)
class Duel:
    """Two captions of one image compared by a judge or a person.

    Attributes:
        unit: the image.
        first, second: the models.
        winner: one of them, or None for a tie.
    """

    unit: Hashable
    first: str
    second: str
    winner: str | None

    def __post_init__(self) -> None:
        if self.first == self.second:
            raise ValueError(f'image "{self.unit}": {self.first} against itself')
        if self.winner not in (self.first, self.second, None):
            raise ValueError(
                f'image "{self.unit}": the winner {self.winner!r} is neither {self.first!r} nor {self.second!r}; '
                "give None for a tie"
            )


def win_rate(duels: Iterable[Duel], model: str, *, against: str | None = None, level: float = 0.95) -> Estimate:
    """Share of its decided comparisons that a model wins, ties left out (section 5.2 of the paper).

    Args:
        duels: of any models; those without ``model`` are skipped.
        model: whose rate it is; all its opponents are pooled.
        against: one opponent only.
        level: of the Wilson interval, which takes the comparisons as independent.

    Returns:
        Ties are counted in ``n_dropped``. The value is the same whatever the order of the two models in a comparison.
    """
    own = [d for d in duels if model in (d.first, d.second) and (against is None or against in (d.first, d.second))]
    decided = [d for d in own if d.winner is not None]
    name = f"wins of {model}" + (f" against {against}" if against else "")
    return wilson(sum(d.winner == model for d in decided), len(decided), level=level,
                  n_dropped=len(own) - len(decided), method=name)


def win_rate_over_images(duels: Iterable[Duel], model: str, **settings: Any) -> Estimate:
    """The same rate with an interval that resamples images, since comparisons on one image go together.

    Args:
        duels: see :func:`win_rate`.
        model: whose rate it is.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.
    """
    own = [d for d in duels if model in (d.first, d.second)]
    won = [math.nan if d.winner is None else float(d.winner == model) for d in own]
    return ratio(won, [1.0] * len(own), units=[d.unit for d in own], method=f"wins of {model}", **settings)


@dataclass(frozen=True, slots=True)
class Vote:
    """A rater's first choice among the captions of one image."""

    unit: Hashable
    rater: str
    choice: str


@dataclass(frozen=True, slots=True)
class FirstChoice:
    """How often one model was put first (Table 15).

    Attributes:
        model: its name.
        votes: first places.
        share: of all votes, with its interval over images.
        rater_low, rater_high: the smallest and largest share that one rater gave.
    """

    model: str
    votes: int
    share: Estimate
    rater_low: float
    rater_high: float


def first_choices(votes: Sequence[Vote], models: Sequence[str] | None = None, **settings: Any) -> list[FirstChoice]:
    """Shares of first places by model, those with more first.

    Args:
        votes: one for each image and rater.
        models: that could be chosen, so that one without a vote is in the table; by default those that were.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.

    Raises:
        ValueError: no votes, a rater voted twice on an image, or for a model that is not in ``models``.
    """
    _check(votes, models)
    counts = Counter(v.choice for v in votes)
    raters = Counter(v.rater for v in votes)
    by_rater = Counter((v.rater, v.choice) for v in votes)
    units = [v.unit for v in votes]
    rows = []
    for model in models or sorted(counts):
        share = ratio([float(v.choice == model) for v in votes], [1.0] * len(votes), units=units,
                      method=f"first places of {model}", **settings)
        each = [by_rater[rater, model] / n for rater, n in raters.items()]
        rows.append(FirstChoice(model, counts[model], share, min(each), max(each)))
    return sorted(rows, key=lambda row: (-row.votes, row.model))


def _check(votes: Sequence[Vote], models: Sequence[str] | None) -> None:
    if not votes:
        raise ValueError("no votes")
    seen = Counter((v.unit, v.rater) for v in votes)
    for (unit, rater), n in seen.items():
        if n > 1:
            raise ValueError(f'rater "{rater}" voted {n} times on image "{unit}"')
    for vote in votes:
        if models is not None and vote.choice not in models:
            raise ValueError(f'image "{vote.unit}": choice "{vote.choice}" is none of {", ".join(models)}')
