"""What the chapters on baselines and on the arena show of an evaluation: differences, who leads, what is lacking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.benchmarks.contract import DIMENSIONS
from posh_lite.errors import InputError
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.evaluation.evaluate import Evaluation, evaluate, read_evaluation

if TYPE_CHECKING:
    import pandas as pd

#: Statistics in which PoSh is held against the others, and where they are found.
LEADS = (("granular", "f1", "macro F1"), ("coarse", "accuracy", "accuracy"), ("coarse", "spearman", "Spearman's ρ"))


def evaluation_for(
    benchmark: str, metrics: Sequence[str], record: str | Path, **settings: Any
) -> tuple[Evaluation, bool]:
    """A recorded evaluation where there is one of that benchmark, else one that is made now.

    Args:
        benchmark: name, as of ``posh-lite evaluate``.
        metrics: what is run where nothing is recorded.
        record: folder that ``posh-lite evaluate`` wrote, or empty to run in any case.
        settings: further keywords of :func:`posh_lite.evaluation.evaluate.evaluate`.

    Returns:
        The evaluation, and whether it is a recorded one.

    Raises:
        InputError: there is neither a record nor the data.
    """
    if record and (Path(record) / "results.json").is_file():
        found = read_evaluation(record)
        if found.about["name"] != benchmark:
            raise InputError(f"is of the benchmark {found.about['name']}, not of {benchmark}", path=Path(record))
        return found, True
    return evaluate(benchmark, metrics, progress=False, **settings), False


def repeated(recorded: Evaluation, metrics: Sequence[str], **settings: Any) -> pd.DataFrame:
    """Run a few metrics again and hold their values against the record.

    Args:
        recorded: of a benchmark that can be loaded here.
        metrics: names of the record.
        settings: as for :func:`evaluation_for`.

    Returns:
        Columns ``metric``, ``figures`` (how many), ``largest`` (absolute difference) and ``same_signature``.
    """
    import pandas as pd

    again = evaluate(str(recorded.about["name"]), metrics, progress=False, **settings)
    rows = []
    keys = ["metric", "protocol", "subset", "dimension", "statistic"]
    both = recorded.estimates.merge(again.estimates, on=keys, suffixes=("", "_again"))
    for name in metrics:
        part = both[both["metric"] == name]
        gaps = (part["value"] - part["value_again"]).abs().dropna()
        same = len(part) > 0 and recorded.run(name).signature == again.run(name).signature
        rows.append({"metric": name, "figures": len(gaps), "largest": float(gaps.max()) if len(gaps) else math.nan,
                     "same_signature": same})  # fmt: skip
    return pd.DataFrame(rows)


def figure(evaluation: Evaluation, metric: str, dimension: str, statistic: str, subset: str = "") -> Estimate:
    """One figure with its interval; NaN with a reason where the metric has none."""
    row = row_of(evaluation, metric, dimension, statistic, subset)
    if row is None:
        return Estimate(math.nan, math.nan, math.nan, 0, 0, reason="the metric has no such figure")
    return Estimate(float(row["value"]), float(row["low"]), float(row["high"]), int(row["n"]), int(row["n_units"]),
                    method=statistic, reason=str(row["reason"]))  # fmt: skip


def row_of(evaluation: Evaluation, metric: str, dimension: str, statistic: str, subset: str = "") -> Any:
    """The row of one figure among the estimates, or None."""
    e = evaluation.estimates
    if not len(e):
        return None
    keep = (e["metric"] == metric) & (e["dimension"] == dimension) & (e["statistic"] == statistic)
    found = e[keep & (e["subset"] == subset)]
    return found.iloc[0] if len(found) else None


def is_grey(row: Any) -> bool:
    """Whether a figure was tested and is not significant; a frame without gaps holds numpy's truths, not Python's."""
    return row is not None and row["significant"] is not None and not row["significant"]


def titles_of(evaluation: Evaluation) -> dict[str, str]:
    """Name and title of each metric that ran."""
    return {run.name: run.title for run in evaluation.runs if not run.skipped}


def gaps(evaluation: Evaluation, statistic: str, base: str = "posh") -> dict[str, dict[str, Estimate]]:
    """PoSh less each other metric on the same resamples: title, then dimension, then the difference.

    Args:
        evaluation: whose differences were taken from ``base``.
        statistic: such as "f1_cv" or "accuracy".
        base: name of the metric that the others are taken from.
    """
    d, titles = evaluation.differences, titles_of(evaluation)
    found: dict[str, dict[str, Estimate]] = {}
    if not len(d) or evaluation.settings.get("against") != base:
        return found
    for row in d[d["statistic"] == statistic].to_dict("records"):
        low, high = -float(row["high"]), -float(row["low"])  # the record has the other metric less PoSh
        one = Estimate(-float(row["difference"]), low, high, int(row["n"]), int(row["n_units"]), method=statistic)
        found.setdefault(titles[row["metric"]], {})[str(row["dimension"])] = one
    return found


def ahead(evaluation: Evaluation, name: str = "posh") -> pd.DataFrame:
    """Where a metric leads and where it does not: a row for each statistic and dimension that there is.

    Returns:
        Columns ``statistic``, ``dimension``, ``value`` of the metric, ``clear`` (False where it is not significant),
        ``best`` (title of the best other one), ``best_value``, ``leads`` (whether no other is as good), and ``above``,
        the titles of those that are. Variants of PoSh itself are not among the others.
    """
    import pandas as pd

    titles, rows = titles_of(evaluation), []
    for _, statistic, label in LEADS:
        for dimension in DIMENSIONS:
            mine = figure(evaluation, name, dimension, statistic).value
            others = {t: figure(evaluation, n, dimension, statistic).value
                      for n, t in titles.items() if n != name and not _ours(n)}  # fmt: skip
            others = {t: v for t, v in others.items() if not math.isnan(v)}
            if math.isnan(mine) or not others:
                continue
            best = max(others, key=lambda t: others[t])
            above = sorted((t for t, v in others.items() if v >= mine), key=lambda t: -others[t])
            clear = not is_grey(row_of(evaluation, name, dimension, statistic))
            rows.append({"statistic": label, "dimension": dimension, "value": mine, "clear": clear, "best": best,
                         "best_value": others[best], "leads": not above, "above": above})  # fmt: skip
    columns = ["statistic", "dimension", "value", "clear", "best", "best_value", "leads", "above"]
    return pd.DataFrame(rows, columns=columns)


def led_in_both(first: Evaluation, second: Evaluation, name: str = "posh") -> tuple[list[str], list[str], list[str]]:
    """Where a metric leads in two evaluations: in both, in the first alone, in the second alone.

    Each is a list such as "accuracy on mistakes", of the figures that both have; see :func:`ahead`.
    """
    led = [{f"{r.statistic} on {r.dimension}": bool(r.leads) for r in ahead(e, name).itertuples()}
           for e in (first, second)]  # fmt: skip
    shared = [key for key in led[0] if key in led[1]]
    return (
        [k for k in shared if led[0][k] and led[1][k]],
        [k for k in shared if led[0][k] and not led[1][k]],
        [k for k in shared if led[1][k] and not led[0][k]],
    )


def _ours(name: str) -> bool:
    from posh_lite.baselines.registry import METRICS

    entry = METRICS.get(name.partition(":")[0])
    return entry is not None and entry.family == "ours"


def needs_table(evaluation: Evaluation | None = None) -> pd.DataFrame:
    """Every row of the registry: title, the paper's name, what it needs, and why it has no figures in an evaluation."""
    import pandas as pd

    from posh_lite.baselines.registry import METRICS

    runs = {} if evaluation is None else {run.name.partition(":")[0]: run for run in evaluation.runs}
    rows = []
    for name, entry in METRICS.items():
        run = runs.get(name)
        why = "not asked for" if run is None else _short(run.skipped) if run.skipped else "ran"
        rows.append({"metric": entry.title, "needs": ", ".join(sorted(entry.needs)) or "nothing", "here": why})
    return pd.DataFrame(rows)


def _short(reason: str, longest: int = 90) -> str:
    """The first thing that a metric lacks, without the advice that follows."""
    text = reason.split("cannot run here: ")[-1].split("; ")[0].split(": pip ")[0].split(", or ")[0]
    return text if len(text) <= longest else text[: longest - 1].rpartition(" ")[0] + " …"
