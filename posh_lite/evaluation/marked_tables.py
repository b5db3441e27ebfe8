"""Tables of an evaluation as the chapters print them: the best in bold, what is not significant muted in brackets.

Published figures stand in columns of their own, and a row of the paper that could not run has these alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from posh_lite.benchmarks.contract import DIMENSIONS
from posh_lite.errors import InputError
from posh_lite.evaluation.baselines_view import figure, is_grey, row_of, titles_of
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.evaluation.evaluate import Evaluation

if TYPE_CHECKING:
    import pandas as pd

#: Columns of the coarse table: statistic, heading, whether it is shown in per cent, ending of the published column.
COARSE = (("accuracy", "acc", True, "acc"), ("spearman", "ρ", False, "rho"), ("kendall", "τ", False, "tau"))
#: Cell of a row of the paper that could not run; what it lacks is in :func:`needs_table`.
NOT_RUN = '<span class="posh-muted">not\u00a0run</span>'


def _not_run(evaluation: Evaluation) -> dict[str, str]:
    """Rows of the paper that were asked for and could not run: name and title."""
    from posh_lite.baselines.registry import METRICS

    found = {}
    for run in evaluation.runs:
        entry = METRICS.get(run.name.partition(":")[0])
        if run.skipped and entry is not None and entry.paper:
            found[run.name] = run.title
    return found


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

    A row of the paper that could not run stands below the others with its published values, and says so.

    Args:
        evaluation: of any benchmark with comparisons or ratings.
        dimension: of :data:`~posh_lite.benchmarks.contract.DIMENSIONS`.
        published: benchmark of the published columns, "docent"; empty for none, and for no row that did not run.

    Returns:
        Column ``metric``, those of :data:`COARSE` that there are (the first with its interval), and the published
        ones with the benchmark's name. Cells are Markdown.
    """
    import pandas as pd

    titles = titles_of(evaluation)
    absent = {name: title for name, title in (_not_run(evaluation) if published else {}).items()
              if any(_published(name, f"{published}_{dimension}_{end}") != "–" for *_, end in COARSE)}
    table: dict[str, list[str]] = {"metric": [*titles.values(), *absent.values()]}
    for statistic, heading, percent, _ in COARSE:
        rows = [row_of(evaluation, name, dimension, statistic) for name in titles]
        if all(row is None for row in rows):
            continue
        gap = NOT_RUN if len(table) == 1 else "–"
        values = [math.nan if row is None else float(row["value"]) for row in rows]
        table[heading] = _marked(values, [is_grey(row) for row in rows], percent) + [gap] * len(absent)
        if statistic == COARSE[0][0]:
            known = ["–" if row is None or math.isnan(row["low"]) else
                     f"{100 * row['low']:.0f}\u2013{100 * row['high']:.0f}" for row in rows]  # fmt: skip
            table["interval"] = known + ["–"] * len(absent)
    if published:
        for _, heading, _, end in COARSE:
            texts = [_published(name, f"{published}_{dimension}_{end}") for name in (*titles, *absent)]
            table[f"{published.upper()} {heading}"] = texts
    return pd.DataFrame(table)


def beside_table(first: Evaluation, second: Evaluation, statistic: str) -> pd.DataFrame:
    """One statistic of the metrics that two evaluations have, as "0.65 / 0.63"; marked as in :func:`coarse_table`.

    Args:
        first: an evaluation.
        second: another, such as that of a clean test set.
        statistic: such as "accuracy" (shown in per cent) or "f1_cv".

    Returns:
        Column ``metric``, and one for each dimension that has the statistic; cells are Markdown, best and gray marked
        for each evaluation by itself. Metrics that neither has it of are left out.
    """
    import pandas as pd

    other = titles_of(second)
    titles = {name: title for name, title in titles_of(first).items() if name in other}
    table: dict[str, list[str]] = {"metric": list(titles.values())}
    for dimension in DIMENSIONS:
        cells = []
        for evaluation in (first, second):
            rows = [row_of(evaluation, name, dimension, statistic) for name in titles]
            values = [math.nan if row is None else float(row["value"]) for row in rows]
            cells.append(_marked(values, [is_grey(row) for row in rows], statistic == "accuracy"))
        if any(cell != "–" for column in cells for cell in column):
            table[dimension] = [f"{a} / {b}" for a, b in zip(*cells, strict=True)]
    found = pd.DataFrame(table)
    return found[(found.drop(columns="metric") != "– / –").any(axis=1)].reset_index(drop=True)


def ratings_table(evaluation: Evaluation) -> pd.DataFrame:
    """Spearman's rho with people's ratings, a row a metric: each dimension with its interval, and given length.

    Returns:
        Column ``metric``, and for each dimension that was rated two columns; cells are Markdown, marked as in
        :func:`coarse_table`.
    """
    import pandas as pd

    titles = titles_of(evaluation)
    table: dict[str, list[str]] = {"metric": list(titles.values())}
    for dimension in DIMENSIONS:
        for statistic, heading in (("spearman", dimension), ("spearman_given_length", f"| length, {dimension}")):
            rows = [row_of(evaluation, name, dimension, statistic) for name in titles]
            if all(row is None for row in rows):
                continue
            values = [math.nan if row is None else float(row["value"]) for row in rows]
            cells = _marked(values, [is_grey(row) for row in rows], False)
            if statistic == "spearman":
                estimates = [figure(evaluation, name, dimension, statistic) for name in titles]
                cells = [c if math.isnan(e.low) else f"{c}, {_interval(e)}"
                         for c, e in zip(cells, estimates, strict=True)]  # fmt: skip
            table[heading] = cells
    return pd.DataFrame(table)


def arena_table(evaluation: Evaluation) -> pd.DataFrame:
    """How each metric's ranking of models agrees with the gold, best first; Markdown cells as in :func:`coarse_table`.

    Returns:
        Columns ``metric``, ``acc`` (of single battles, in per cent), ``ρ of rankings``, ``interval`` and
        ``τ of rankings``.
    """
    import pandas as pd

    titles = titles_of(evaluation)
    order = sorted(titles, key=lambda n: -_sortable(figure(evaluation, n, "overall", "model_spearman").value))
    table: dict[str, list[str]] = {"metric": [titles[name] for name in order]}
    for statistic, heading, percent in (("accuracy", "acc", True), ("model_spearman", "ρ of rankings", False),
                                        ("model_kendall", "τ of rankings", False)):  # fmt: skip
        rows = [row_of(evaluation, name, "overall", statistic) for name in order]
        values = [math.nan if row is None else float(row["value"]) for row in rows]
        table[heading] = _marked(values, [is_grey(row) for row in rows], percent)
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

    Metrics without places are left out. Rows of the two dimensions stand below each other; a row of the paper that
    could not run comes after the others of its dimension, with its published value.
    """
    import pandas as pd

    titles = {n: t for n, t in titles_of(evaluation).items() if evaluation.run(n).granular}
    parts = []
    for dimension in DIMENSIONS[:2]:
        rows = {name: row_of(evaluation, name, dimension, "f1") for name in titles}
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
        absent = {n: t for n, t in _not_run(evaluation).items() if names and _published_f1(n, dimension) != "–"}
        parts += [pd.DataFrame([{
            "dimension": dimension, "metric": title, "F1": NOT_RUN, "threshold": "–", "held out": "–",
            "interval": "–", "DOCENT F1": _published_f1(name, dimension),
        }]) for name, title in absent.items()]  # fmt: skip
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
