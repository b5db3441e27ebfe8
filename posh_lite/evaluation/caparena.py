"""Ranking models by a metric and by people (PoSh paper, section "Experiments", paragraph on CapArena).

In every battle the metric picks the better caption or calls a tie, with as many ties as people called; both sets of
outcomes give bootstrapped Elo ratings, and the two rankings are held against each other by Spearman's rho and
Kendall's tau. The accuracy on single captions is the coarse protocol's. Few models make such a correlation rough:
the intervals, which draw images and play every draw for people and metric alike, say how rough.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from posh_lite.benchmarks.caparena import MANY_PEOPLE
from posh_lite.benchmarks.contract import Benchmark, Comparison
from posh_lite.errors import InputError
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.evaluation.coarse import ARENA, values_of
from posh_lite.evaluation.elo import ROUNDS, Battles, bootstrap_elo, bradley_terry, make_battles
from posh_lite.evaluation.pairwise import tie_threshold
from posh_lite.evaluation.significance import Finding, bootstrap_p, scipy_p

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: Subsets on which models are ranked, too; of the others only accuracies are given.
RANKED = (MANY_PEOPLE,)
STATISTICS = ("model_spearman", "model_kendall", "model_spearman_bt")


@dataclass(frozen=True, slots=True)
class Ranking:
    """Ratings of the models, in the order of ``models``.

    Attributes:
        models: names.
        elo, low, high: median over the rounds and its interval.
        bradley_terry: ratings without an order; NaN where the fit has no maximum.
        n: battles with an outcome.
    """

    models: tuple[str, ...]
    elo: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    bradley_terry: tuple[float, ...]
    n: int

    def rows(self, by: str, subset: str = "") -> list[dict[str, Any]]:
        """A row a model, best first, with its rank; equal ratings share the better one."""
        order = sorted(range(len(self.models)), key=lambda i: (-self.elo[i], self.models[i]))
        return [
            {"by": by, "subset": subset, "model": self.models[i], "rank": 1 + sum(e > self.elo[i] for e in self.elo),
             "elo": self.elo[i], "low": self.low[i], "high": self.high[i], "bradley_terry": self.bradley_terry[i],
             "battles": self.n}
            for i in order
        ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Arena:
    """The two rankings of one set of battles, and how they agree."""

    subset: str
    people: Ranking
    metric: Ranking
    findings: tuple[Finding, ...]


def arenas(benchmark: Benchmark, frame: pd.DataFrame, **settings: Any) -> list[Arena]:
    """The arena of all battles and of :data:`RANKED`; none where the benchmark has no battles of models."""
    battles = [c for c in benchmark.comparisons if ARENA in c.tags]
    found = [arena(benchmark, frame, battles, **settings)] if battles else []
    for tag in RANKED:
        if part := [c for c in battles if tag in c.tags]:
            found.append(arena(benchmark, frame, part, subset=tag, **settings))
    return found


def arena(
    benchmark: Benchmark, frame: pd.DataFrame, battles: Sequence[Comparison], *, subset: str = "",
    rounds: int = ROUNDS, seed: int = 0, level: float = 0.95,
) -> Arena:
    """Rank the models by people and by a metric.

    Args:
        benchmark: whose pairs name the models.
        frame: of the metric; its ``overall`` decides.
        battles: comparisons judged on overall quality.
        subset: their tag; empty for all.
        rounds: of the bootstrap.
        seed: of its draws.
        level: of the intervals.

    Raises:
        InputError: a pair names no model.
    """
    import numpy as np

    values = values_of(frame)["overall"]
    labels = np.sign([c.labels["overall"] for c in battles])
    gaps = np.array([values[c.a] - values[c.b] for c in battles])
    threshold = tie_threshold(gaps, int((labels == 0).sum()))
    called = np.where(np.isnan(gaps), np.nan, np.where(np.abs(gaps) <= threshold, 0.0, np.sign(gaps)))
    sides = [(_model(benchmark, c.a), _model(benchmark, c.b)) for c in battles]
    people, metric = (_battles(sides, outcomes, battles) for outcomes in (labels, called))
    played = [_played(_key(one), rounds, seed) for one in (people, metric)]
    rankings = [_ranking(one, ratings, level) for one, (ratings, _) in zip((people, metric), played, strict=True)]
    drawn = [by_units for _, by_units in played]
    n_units = len({c.unit for c in battles})
    by_elo = [np.array(r.elo) for r in rankings]
    findings = []
    for name, method in (("model_spearman", "spearman"), ("model_kendall", "kendall")):
        value = _agreement(by_elo[0][None], by_elo[1][None], method)[0]
        in_rounds = _agreement(drawn[0], drawn[1], method)
        estimate = _estimate(float(value), in_rounds, len(people.models), n_units, level, name)
        findings.append(Finding("arena", "overall", name, estimate, subset, scipy_p(method, *by_elo),
                                bootstrap_p(in_rounds), {"battles": metric.n, "models": len(people.models)}, in_rounds))
    fits = [np.array(r.bradley_terry) for r in rankings]
    value = _agreement(fits[0][None], fits[1][None], "spearman")[0]
    why = "some models never won against the others, or never lost" if np.isnan(value) else "no resamples"
    estimate = Estimate(float(value), np.nan, np.nan, len(people.models), n_units, reason=why,
                        method="Spearman of Bradley-Terry ratings")  # fmt: skip
    findings.append(Finding("arena", "overall", "model_spearman_bt", estimate, subset, scipy_p("spearman", *fits)))
    return Arena(subset, rankings[0], rankings[1], tuple(findings))


def _model(benchmark: Benchmark, pair_id: str) -> str:
    model = benchmark.by_id[pair_id].model
    if not model:
        raise InputError(f'{benchmark.name}: the pair "{pair_id}" names no model, so that no model can be ranked')
    return model


def _battles(sides: Sequence[tuple[str, str]], signs: Floats, battles: Sequence[Comparison]) -> Battles:
    rows = [(a, b, float((sign + 1) / 2)) for (a, b), sign in zip(sides, signs, strict=True)]
    return make_battles(rows, [c.unit for c in battles])


@dataclass(frozen=True, slots=True)
class _Key:
    """Battles, the same where their content is."""

    content: tuple[Hashable, ...]
    battles: Battles = field(compare=False)


def _key(battles: Battles) -> _Key:
    columns = (battles.first, battles.second, battles.outcome)
    return _Key((battles.models, battles.units, *(column.tobytes() for column in columns)), battles)


@lru_cache(maxsize=4)  # those of people are the same for every metric
def _played(key: _Key, rounds: int, seed: int) -> tuple[Floats, Floats]:
    """Ratings of the rounds by draws of battles and by draws of images."""
    battles = key.battles
    return (bootstrap_elo(battles, rounds=rounds, seed=seed),
            bootstrap_elo(battles, rounds=rounds, seed=seed, by="units"))  # fmt: skip


def _ranking(battles: Battles, ratings: Floats, level: float) -> Ranking:
    import warnings

    import numpy as np

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a model that was never drawn has no rating
        low, middle, high = np.nanquantile(ratings, [(1 - level) / 2, 0.5, (1 + level) / 2], axis=0)
    fitted = bradley_terry(battles)
    columns = [tuple(float(v) for v in column) for column in (middle, low, high, fitted)]
    return Ranking(battles.models, columns[0], columns[1], columns[2], columns[3], battles.n)


def _agreement(x: Floats, y: Floats, method: str) -> Floats:
    """Correlation of two rankings in every round, shapes ``(rounds, models)``; NaN where a rating is missing."""
    import numpy as np
    from scipy.stats import rankdata

    if method == "spearman":
        a, b = (rankdata(v, axis=1, nan_policy="propagate") for v in (x, y))
        a, b = (v - v.mean(axis=1, keepdims=True) for v in (a, b))
    else:  # tau-b: the correlation of the signs of all pairs of models
        a, b = (np.sign(v[:, :, None] - v[:, None, :]).reshape(len(v), -1) for v in (x, y))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((a * b).sum(axis=1) / np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1)))


def _estimate(value: float, rounds: Floats, n: int, n_units: int, level: float, name: str) -> Estimate:
    import numpy as np

    known = rounds[~np.isnan(rounds)]
    undefined = len(rounds) - len(known)
    method = f"{name}, percentile bootstrap over images"
    if np.isnan(value) or len(known) * 2 < len(rounds):
        why = "all ratings are equal" if np.isnan(value) else f"undefined in {undefined} of {len(rounds)} rounds"
        return Estimate(value, np.nan, np.nan, n, n_units, undefined, len(rounds), 0, level, method, why)
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(value, float(low), float(high), n, n_units, undefined, len(rounds), 0, level, method)
