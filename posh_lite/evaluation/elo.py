"""Ratings of models from battles between their captions: bootstrapped Elo, and Bradley and Terry as a check.

Elo is sequential: the order of the battles decides, so one pass over them says little. As CapArena does (and the PoSh
paper after it), battles are drawn with replacement and played in the order of the draw, many times over, and a
model's rating is the median of the rounds. All rounds are played at once: the loop runs over battles, each step is a
vector over rounds. The Bradley-Terry fit has no order; the two should agree on the ranking.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from posh_lite.evaluation.bootstrap import unit_codes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

#: Of CapArena's code: how far one battle moves a rating, the scale of expectations, where everyone starts.
K, SCALE, START = 4.0, 400.0, 1000.0
ROUNDS = 1000
_STEPS, _CLOSE = 100_000, 1e-10  # of the Bradley-Terry fit


@dataclass(frozen=True, slots=True)
class Battles:
    """Who met whom, and how it ended; row by row.

    Attributes:
        models: names.
        first, second: numbers of the two models, shape ``(n,)``.
        outcome: 1 where the first won, 0 where the second did, 0.5 for a tie; NaN leaves a battle out.
        units: the image of each battle.
    """

    models: tuple[str, ...]
    first: Whole
    second: Whole
    outcome: Floats
    units: tuple[Hashable, ...]

    @property
    def n(self) -> int:
        """Battles with an outcome."""
        import numpy as np

        return int((~np.isnan(self.outcome)).sum())


def make_battles(
    rows: Sequence[tuple[str, str, float]], units: Sequence[Hashable] | None = None, models: Sequence[str] = ()
) -> Battles:
    """Battles from ``(first model, second model, outcome)``.

    Args:
        rows: outcomes are 1, 0.5, 0 or NaN.
        units: the image of each row; by default every row is one of its own.
        models: their order; by default as they appear, sorted.

    Raises:
        ValueError: a model meets itself or is not listed, or an outcome is none of these.
    """
    import numpy as np

    names = tuple(models) or tuple(sorted({name for a, b, _ in rows for name in (a, b)}))
    number = {name: place for place, name in enumerate(names)}
    for a, b, outcome in rows:
        if a == b or a not in number or b not in number:
            raise ValueError(f"{a!r} against {b!r}: a battle is between two different models of {', '.join(names)}")
        if not np.isnan(outcome) and outcome not in (0, 0.5, 1):
            raise ValueError(f"{a!r} against {b!r}: the outcome is 1, 0.5 or 0, got {outcome!r}")
    first = np.array([number[a] for a, _, _ in rows], dtype=np.int64)
    second = np.array([number[b] for _, b, _ in rows], dtype=np.int64)
    outcomes = np.array([outcome for _, _, outcome in rows], dtype=np.float64)
    return Battles(names, first, second, outcomes, tuple(range(len(rows)) if units is None else units))


def elo(battles: Battles, *, k: float = K, scale: float = SCALE, start: float = START) -> Floats:
    """Ratings after one pass in the order of the rows, shape ``(models,)``; NaN for a model without a battle.

    A battle moves both ratings by ``k`` times the outcome less what was expected of the first,
    ``1 / (1 + 10 ** ((second - first) / scale))``, in opposite directions, so that their sum stays.
    """
    import numpy as np

    return np.asarray(_play(battles, np.arange(len(battles.outcome))[:, None], k, scale, start)[0])


def bootstrap_elo(
    battles: Battles, *, rounds: int = ROUNDS, seed: int = 0, by: Literal["battles", "units"] = "battles",
    k: float = K, scale: float = SCALE, start: float = START,
) -> Floats:
    """Ratings of every round, shape ``(rounds, models)``; NaN where a model was not drawn.

    Args:
        battles: to draw from. The draws depend on the number of rows and their units alone, not on outcomes: two sets
            of outcomes of the same battles are paired.
        rounds: how many.
        seed: of the draws.
        by: draw "battles", as CapArena does, or "units": images with all of their battles, in a random order.
        k: how far a battle moves a rating.
        scale: of expectations.
        start: rating of every model.

    Raises:
        ValueError: there is nothing to draw, or no round.
    """
    import numpy as np

    n = len(battles.outcome)
    if n == 0 or rounds < 1:
        raise ValueError(f"{n} battles and {rounds} rounds: at least one of each is needed")
    generator = np.random.default_rng(seed)
    if by == "battles":
        order = generator.integers(0, n, size=(n, rounds))
    else:
        order = _drawn_units(battles.units, rounds, generator)
    return _play(battles, order, k, scale, start)


def _drawn_units(units: Sequence[Hashable], rounds: int, generator: np.random.Generator) -> Whole:
    """Rows of drawn units, shape ``(most rows, rounds)``, shuffled; ``n`` stands for no battle."""
    import numpy as np

    codes, n_units = unit_codes(units, len(units))
    by_unit = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes, minlength=n_units)
    starts = np.cumsum(sizes) - sizes
    columns = []
    for _ in range(rounds):
        drawn = generator.integers(0, n_units, size=n_units)
        lengths = sizes[drawn]
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        columns.append(generator.permutation(by_unit[np.repeat(starts[drawn], lengths) + within]))
    order = np.full((max(map(len, columns)), rounds), len(units), dtype=np.int64)
    for place, rows in enumerate(columns):
        order[: len(rows), place] = rows
    return order


def _play(battles: Battles, order: Whole, k: float, scale: float, start: float) -> Floats:
    """Play the rows of ``order``, shape ``(steps, rounds)``, each round by itself; row ``n`` is no battle."""
    import numpy as np

    rounds, models = order.shape[1], len(battles.models)
    known = ~np.isnan(battles.outcome)
    weight = np.append(np.where(known, k, 0.0), 0.0)
    outcome = np.append(np.where(known, battles.outcome, 0.5), 0.5)
    # ratings lie model after model, so that a model's number times `rounds` and the round point into one flat array
    columns = np.arange(rounds)
    first, second = (np.append(side, 0) * rounds for side in (battles.first, battles.second))
    ratings, rate = np.full(models * rounds, float(start)), np.log(10.0) / scale
    every = bool((weight[order] > 0).all())
    met = np.zeros(models * rounds, dtype=bool)
    for rows in order:
        a, b = first[rows], second[rows]
        a += columns
        b += columns
        if every:
            step = k
        else:  # a round may lack this battle
            played = weight[rows] > 0
            a, b, rows, step = a[played], b[played], rows[played], weight[rows[played]]
        expected = ratings[b]
        expected -= ratings[a]
        expected *= rate
        np.exp(expected, out=expected)
        expected += 1.0
        step = step * (outcome[rows] - 1.0 / expected)
        ratings[a] += step
        ratings[b] -= step
        met[a] = True
        met[b] = True
    return np.where(met, ratings, np.nan).reshape(models, rounds).T


def bradley_terry(battles: Battles, *, scale: float = SCALE, start: float = START) -> Floats:
    """Maximum-likelihood ratings on Elo's scale, of mean ``start``; ties count half. Shape ``(models,)``.

    All NaN where the likelihood has no maximum: where some models never won against the rest, or never lost, or
    never met them. Fitted by the minorization of Hunter (2004), which always rises.
    """
    import numpy as np

    known = ~np.isnan(battles.outcome)
    models = len(battles.models)
    wins = np.zeros((models, models))
    np.add.at(wins, (battles.first[known], battles.second[known]), battles.outcome[known])
    np.add.at(wins, (battles.second[known], battles.first[known]), 1 - battles.outcome[known])
    if not _connected(wins > 0):
        return np.full(models, np.nan)
    met, won, strength = wins + wins.T, wins.sum(axis=1), np.ones(models)
    for _ in range(_STEPS):
        before = strength
        strength = won / (met / (strength[:, None] + strength[None, :])).sum(axis=1)
        strength /= np.exp(np.log(strength).mean())
        if np.abs(np.log(strength / before)).max() < _CLOSE:
            break
    return np.asarray(start + scale * np.log10(strength))


def _connected(beats: NDArray[np.bool_]) -> bool:
    """Whether every model reaches every other one along wins."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    number, _ = connected_components(csr_array(beats), directed=True, connection="strong")
    return bool(number == 1)
