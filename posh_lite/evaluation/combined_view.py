"""What the chapter on judges shows of two judges weighed: how PoSh's figures change against the first judge alone.

The records are those of :mod:`~posh_lite.evaluation.combined_works`: a folder for each way of weighing, and in it one
for each benchmark.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from posh_lite.benchmarks.contract import DIMENSIONS
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.evaluation.evaluate import RESULTS, Evaluation, read_evaluation

if TYPE_CHECKING:
    import pandas as pd

#: Figures that are shown where a benchmark has them, and what a reader calls them.
SHOWN = (("spearman", "ρ"), ("f1_cv", "word F1"))


def weighed(folder: str | Path) -> dict[str, Evaluation]:
    """The evaluations of a folder by benchmark; empty where nothing was recorded.

    Raises:
        InputError: one is not of the form that was written.
    """
    places = sorted(p for p in Path(folder).glob("*") if (p / RESULTS).is_file())
    found = {str(e.about["name"]): e for e in map(read_evaluation, places)}
    first = [name for name in ("mini", "fresh") if name in found]
    return {name: found[name] for name in dict.fromkeys((*first, *found))}


def gains(evaluation: Evaluation) -> dict[str, Estimate]:
    """Both judges less the first on the same draws, by figure such as "ρ of mistakes"; see :data:`SHOWN`."""
    rows = evaluation.differences.to_dict("records")
    found = {}
    for statistic, label in SHOWN:
        for dimension in DIMENSIONS:
            for row in rows:
                if (row["statistic"], row["dimension"], row["subset"]) == (statistic, dimension, ""):
                    found[f"{label} of {dimension}"] = Estimate(
                        float(row["difference"]), float(row["low"]), float(row["high"]), int(row["n"]),
                        int(row["n_units"]), method=statistic,
                    )  # fmt: skip
    return found


def gains_table(runs: Mapping[str, Mapping[str, Evaluation]]) -> pd.DataFrame:
    """A row for each benchmark and figure, a column for each way of weighing; bold where the interval leaves out zero.

    Args:
        runs: by way of weighing, what :func:`weighed` read.
    """
    import pandas as pd

    from posh_lite.book import show

    rows: dict[tuple[str, str], dict[str, str]] = {}
    for benchmark in dict.fromkeys(name for own in runs.values() for name in own):
        for way, own in runs.items():
            for figure, e in (gains(own[benchmark]) if benchmark in own else {}).items():
                value = show.number(e.value) if e.value < 0 else f"+{show.number(e.value)}"
                value = f"**{value}**" if e.low > 0 or e.high < 0 else value
                row = rows.setdefault((benchmark, figure), {"texts": benchmark, "figure": figure,
                                                            **dict.fromkeys(runs, "–")})  # fmt: skip
                row[way] = f"{value} ({show.interval(e)})"
    return pd.DataFrame(list(rows.values()))


def sure(evaluation: Evaluation) -> tuple[list[str], list[str], int]:
    """Figures that both judges raise, and that they lower, with the whole interval; and how many figures there are."""
    found = gains(evaluation)
    up = [figure for figure, e in found.items() if e.low > 0]
    return up, [figure for figure, e in found.items() if e.high < 0], len(found)
