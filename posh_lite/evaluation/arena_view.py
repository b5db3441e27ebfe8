"""What the chapter on arenas shows: how far the order of battles moves sequential Elo, and who ranks models how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from posh_lite.benchmarks.contract import Benchmark
from posh_lite.errors import InputError
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.evaluation.coarse import ARENA
from posh_lite.evaluation.elo import ROUNDS, Battles, K, bootstrap_elo, bradley_terry, elo, make_battles

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from posh_lite.evaluation.evaluate import Evaluation

    Floats = NDArray[np.float64]

#: Names of the three ways to rate, as figures and tables call them.
ONE_PASS, BOOTSTRAP, FITTED = "one pass, any order", "bootstrap of battles", "Bradley-Terry"


def gold_battles(benchmark: Benchmark) -> Battles:
    """The battles of a benchmark as people, or its construction, decided them.

    Raises:
        InputError: it has no battles, or a pair names no model.
    """
    rows, units = [], []
    for one in benchmark.comparisons:
        if ARENA not in one.tags:
            continue
        first, second = (benchmark.by_id[i].model for i in (one.a, one.b))
        if not first or not second:
            raise InputError(f"{benchmark.name}: a pair of a battle names no model")
        label = one.labels["overall"]
        rows.append((first, second, 0.5 if label == 0 else float(label > 0)))
        units.append(one.unit)
    if not rows:
        raise InputError(f"{benchmark.name}: no battles of models")
    return make_battles(rows, units)


def one_pass(battles: Battles, orders: int, seed: int = 0, k: float = K) -> Floats:
    """Ratings after one pass over all battles, each once, in many random orders; shape ``(orders, models)``.

    Args:
        battles: each is played once in every order.
        orders: how many.
        seed: of the orders.
        k: how far one battle moves a rating.
    """
    import numpy as np

    generator = np.random.default_rng(seed)
    found = np.empty((orders, len(battles.models)))
    for row in range(orders):
        order = generator.permutation(len(battles.outcome))
        played = replace(battles, first=battles.first[order], second=battles.second[order],
                         outcome=battles.outcome[order], units=tuple(battles.units[i] for i in order))  # fmt: skip
        found[row] = elo(played, k=k)
    return found


def ratings(
    battles: Battles, *, orders: int = 200, rounds: int = ROUNDS, seed: int = 0, level: float = 0.95
) -> dict[str, dict[str, Estimate]]:
    """Each model's rating in three ways, best first by the bootstrap.

    Args:
        battles: who met whom.
        orders: of :func:`one_pass`; its interval runs from the lowest to the highest rating over all orders.
        rounds: of the bootstrap; its value is the median, as in CapArena.
        seed: of both.
        level: of the bootstrap's interval.

    Returns:
        Model, then way, then the rating; Bradley-Terry has no interval here, and NaN where the fit has no maximum.
    """
    import numpy as np

    passes, drawn = one_pass(battles, orders, seed), bootstrap_elo(battles, rounds=rounds, seed=seed)
    fitted = bradley_terry(battles)
    low, middle, high = np.nanquantile(drawn, [(1 - level) / 2, 0.5, (1 + level) / 2], axis=0)
    nothing = float("nan")
    found = {}
    for place in np.argsort(-middle, kind="stable"):
        ones = passes[:, place]
        why = "" if not np.isnan(fitted[place]) else "some models never won against the others, or never lost"
        found[battles.models[place]] = {
            ONE_PASS: Estimate(float(np.median(ones)), float(ones.min()), float(ones.max()), battles.n, orders),
            BOOTSTRAP: Estimate(float(middle[place]), float(low[place]), float(high[place]), battles.n, rounds),
            FITTED: Estimate(float(fitted[place]), nothing, nothing, battles.n, 1, reason=why),
        }
    return found


def leaders(passes: Floats, models: Sequence[str]) -> dict[str, float]:
    """How often each model comes out on top over the orders, as a share; only those that ever do."""
    import numpy as np

    counts = np.bincount(np.argmax(passes, axis=1), minlength=len(models)) / len(passes)
    return {models[i]: float(counts[i]) for i in np.argsort(-counts, kind="stable") if counts[i] > 0}


def rank_table(evaluation: Evaluation, subset: str = "") -> pd.DataFrame:
    """Ranks of the models by the gold and by each metric: a row a model, in the order of the gold.

    Args:
        evaluation: with rankings, of ``posh-lite evaluate``.
        subset: of the battles; empty for all.

    Raises:
        InputError: the evaluation ranks no models.
    """
    import pandas as pd

    r = evaluation.rankings
    if not len(r) or not len(r := r[r["subset"] == subset]):
        raise InputError(f"{evaluation.about['name']}: no rankings of models")
    titles = {"people": "gold"} | {run.name: run.title for run in evaluation.runs}
    gold = r[r["by"] == "people"].sort_values("rank")
    table = pd.DataFrame({"model": gold["model"].tolist()})
    for by in ["people", *(run.name for run in evaluation.runs if not run.skipped)]:
        ranks = dict(zip(r[r["by"] == by]["model"], r[r["by"] == by]["rank"], strict=True))
        if ranks:
            table[titles[by]] = [int(ranks[m]) if m in ranks else None for m in table["model"]]
    return table
