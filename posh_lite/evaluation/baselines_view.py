"""What the chapters on baselines and on the arena show of an evaluation: tables, differences, and who leads."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.benchmarks.contract import DIMENSIONS
from posh_lite.errors import InputError
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.evaluation.evaluate import Evaluation, evaluate, read_evaluation

if TYPE_CHECKING:
    import pandas as pd

#: Columns of the coarse table: statistic, heading, whether it is shown in per cent, ending of the published column.
COARSE = (("accuracy", "acc", True, "acc"), ("spearman", "ρ", False, "rho"), ("kendall", "τ", False, "tau"))
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
    row = _row(evaluation, metric, dimension, statistic, subset)
    if row is None:
        return Estimate(math.nan, math.nan, math.nan, 0, 0, reason="the metric has no such figure")
    return Estimate(float(row["value"]), float(row["low"]), float(row["high"]), int(row["n"]), int(row["n_units"]),
                    method=statistic, reason=str(row["reason"]))  # fmt: skip


def _row(evaluation: Evaluation, metric: str, dimension: str, statistic: str, subset: str = "") -> Any:
    e = evaluation.estimates
    if not len(e):
        return None
    keep = (e["metric"] == metric) & (e["dimension"] == dimension) & (e["statistic"] == statistic)
    found = e[keep & (e["subset"] == subset)]
    return found.iloc[0] if len(found) else None


def _grey(row: Any) -> bool:
    """Whether a figure was tested and is not significant; a frame without gaps holds numpy's truths, not Python's."""
    return row is not None and row["significant"] is not None and not row["significant"]


def _ran(evaluation: Evaluation) -> dict[str, str]:
    return {run.name: run.title for run in evaluation.runs if not run.skipped}


def _marked(values: Sequence[float], grey: Sequence[bool], percent: bool) -> list[str]:
    """Cells in Markdown: the best in bold, what is not significant in brackets and muted."""
    known = [v for v in values if not math.isnan(v)]
    cells = []
    for value, muted in zip(values, grey, strict=True):
        if math.isnan(value):
            cells.append("–")
            continue
        text = f"{100 * value:.1f}" if percent else f"{value:.2f}".replace("-", "\N{MINUS SIGN}")
        if muted:
            text = f'<span class="posh-muted">({text})</span>'
        cells.append(f"**{text}**" if len(known) > 1 and value == max(known) else text)
    return cells


def coarse_table(evaluation: Evaluation, dimension: str, published: str = "docent") -> pd.DataFrame:
    """Rows of metrics as in the PoSh paper's table of coarse results, with the published values in their own columns.

    Args:
        evaluation: of any benchmark with comparisons or ratings.
        dimension: of :data:`~posh_lite.benchmarks.contract.DIMENSIONS`.
        published: benchmark of the published columns, "docent"; empty for none.

    Returns:
        Column ``metric``, those of :data:`COARSE` that there are (the first with its interval), and the published
        ones with the benchmark's name. Cells are Markdown.
    """
    import pandas as pd

    titles = _ran(evaluation)
    table: dict[str, list[str]] = {"metric": list(titles.values())}
    for statistic, heading, percent, _ in COARSE:
        rows = [_row(evaluation, name, dimension, statistic) for name in titles]
        if all(row is None for row in rows):
            continue
        values = [math.nan if row is None else float(row["value"]) for row in rows]
        table[heading] = _marked(values, [_grey(row) for row in rows], percent)
        if statistic == COARSE[0][0]:
            table["interval"] = ["–" if row is None or math.isnan(row["low"]) else
                                 f"{100 * row['low']:.0f}\u2013{100 * row['high']:.0f}" for row in rows]  # fmt: skip
    if published:
        for _, heading, _, end in COARSE:
            texts = [_published(name, f"{published}_{dimension}_{end}") for name in titles]
            table[f"{published.upper()} {heading}"] = texts
    return pd.DataFrame(table)


def ratings_table(evaluation: Evaluation) -> pd.DataFrame:
    """Spearman's rho with people's ratings, a row a metric: each dimension, its interval, and with length held fixed.

    Returns:
        Column ``metric``, and for each dimension that was rated three columns; cells are Markdown, marked as in
        :func:`coarse_table`.
    """
    import pandas as pd

    titles = _ran(evaluation)
    table: dict[str, list[str]] = {"metric": list(titles.values())}
    for dimension in DIMENSIONS:
        for statistic, heading in (("spearman", dimension), ("spearman_given_length", f"| length, {dimension}")):
            rows = [_row(evaluation, name, dimension, statistic) for name in titles]
            if all(row is None for row in rows):
                continue
            values = [math.nan if row is None else float(row["value"]) for row in rows]
            table[heading] = _marked(values, [_grey(row) for row in rows], False)
            if statistic == "spearman":
                table[f"interval, {dimension}"] = [_interval(figure(evaluation, n, dimension, statistic))
                                                   for n in titles]  # fmt: skip
    return pd.DataFrame(table)


def arena_table(evaluation: Evaluation) -> pd.DataFrame:
    """How each metric's ranking of models agrees with the gold, best first; Markdown cells as in :func:`coarse_table`.

    Returns:
        Columns ``metric``, ``acc`` (of single battles, in per cent), ``ρ of rankings``, ``interval`` and
        ``τ of rankings``.
    """
    import pandas as pd

    titles = _ran(evaluation)
    order = sorted(titles, key=lambda n: -_sortable(figure(evaluation, n, "overall", "model_spearman").value))
    table: dict[str, list[str]] = {"metric": [titles[name] for name in order]}
    for statistic, heading, percent in (("accuracy", "acc", True), ("model_spearman", "ρ of rankings", False),
                                        ("model_kendall", "τ of rankings", False)):  # fmt: skip
        rows = [_row(evaluation, name, "overall", statistic) for name in order]
        values = [math.nan if row is None else float(row["value"]) for row in rows]
        table[heading] = _marked(values, [_grey(row) for row in rows], percent)
        if statistic == "model_spearman":
            table["interval"] = [_interval(figure(evaluation, name, "overall", statistic)) for name in order]
    return pd.DataFrame(table)


def _sortable(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def _published(name: str, column: str) -> str:
    """The printed figure of a metric's row in the paper; a dash where it has none."""
    from posh_lite import paper
    from posh_lite.baselines.registry import METRICS

    entry = METRICS.get(name.partition(":")[0])
    if entry is None or not entry.paper:
        return "–"
    try:
        return paper.printed("full_coarse_results", entry.paper, column).text.replace("-", "\N{MINUS SIGN}")
    except InputError:  # the paper has the row, and not this figure
        return "–"


def granular_table(evaluation: Evaluation) -> pd.DataFrame:
    """Macro F1 of the words that metrics point at: best threshold, threshold, held out, published; Markdown cells.

    Metrics without places are left out. Rows of the two dimensions stand below each other.
    """
    import pandas as pd

    titles = {n: t for n, t in _ran(evaluation).items() if evaluation.run(n).granular}
    parts = []
    for dimension in DIMENSIONS[:2]:
        rows = {name: _row(evaluation, name, dimension, "f1") for name in titles}
        names = [name for name in titles if rows[name] is not None]
        best = [float(rows[name]["value"]) for name in names]
        held = [figure(evaluation, name, dimension, "f1_cv") for name in names]
        parts.append(pd.DataFrame({
            "dimension": [dimension] * len(names), "metric": [titles[name] for name in names],
            "F1": _marked(best, [False] * len(best), False),
            "threshold": [_threshold(rows[name]["detail"]) for name in names],
            "held out": _marked([h.value for h in held], [False] * len(held), False),
            "interval": [_interval(h) for h in held],
            "DOCENT F1": [_published_f1(name, dimension) for name in names],
        }))  # fmt: skip
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _threshold(detail: Any) -> str:
    value = detail.get("threshold") if isinstance(detail, Mapping) else None
    return "–" if value is None or math.isnan(value) else f"{value:.3g}".replace("-", "\N{MINUS SIGN}")


def _interval(estimate: Estimate) -> str:
    from posh_lite.book.show import interval

    return interval(estimate)


def _published_f1(name: str, dimension: str) -> str:
    from posh_lite import paper
    from posh_lite.baselines.registry import METRICS

    entry = METRICS.get(name.partition(":")[0])
    frame = paper.table("docent_granular_results")
    known = frame[(frame["quantity"] == f"{dimension}_macro_f1") & (frame["method"] == (entry.paper if entry else ""))]
    return f"{float(known['value'].iloc[0]):.3f}" if len(known) else "–"


def gaps(evaluation: Evaluation, statistic: str, base: str = "posh") -> dict[str, dict[str, Estimate]]:
    """PoSh less each other metric on the same resamples: title, then dimension, then the difference.

    Args:
        evaluation: whose differences were taken from ``base``.
        statistic: such as "f1_cv" or "accuracy".
        base: name of the metric that the others are taken from.
    """
    d, titles = evaluation.differences, _ran(evaluation)
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

    titles, rows = _ran(evaluation), []
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
            clear = not _grey(_row(evaluation, name, dimension, statistic))
            rows.append({"statistic": label, "dimension": dimension, "value": mine, "clear": clear, "best": best,
                         "best_value": others[best], "leads": not above, "above": above})  # fmt: skip
    columns = ["statistic", "dimension", "value", "clear", "best", "best_value", "leads", "above"]
    return pd.DataFrame(rows, columns=columns)


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
