"""The table of an evaluation, as the PoSh paper lays out its coarse and granular results: one row a metric.

The best value of a column is bold, what is not significant is grey; intervals stand in a table of their own, with the
same rows and columns. :mod:`.tables_latex` writes it for a paper.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from posh_lite.evaluation.evaluate import Evaluation
from posh_lite.evaluation.significance import GREYING

#: Protocol, statistic, heading of the column, whether it is shown in per cent; in order.
COLUMNS = (
    ("coarse", "accuracy", "acc", True), ("coarse", "spearman", "ρ", False), ("coarse", "kendall", "τ", False),
    ("ratings", "spearman", "ρ", False), ("ratings", "kendall", "τ", False),
    ("ratings", "spearman_given_length", "ρ | length", False), ("granular", "f1", "F1", False),
    ("granular", "f1_cv", "F1 held out", False), ("arena", "model_spearman", "model ρ", False),
    ("arena", "model_kendall", "model τ", False),
)  # fmt: skip
GROUPS = {"mistakes": "Mistakes", "omissions": "Omissions", "overall": "Overall quality"}


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure as it is shown, with its interval; empty where the metric has none."""

    value: float = math.nan
    text: str = "–"
    interval: str = "–"
    best: bool = False
    grey: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Groups of columns, rows of cells, and what has to be said below.

    Attributes:
        title: of the benchmark.
        columns: group and heading of each.
        keys: protocol, dimension and statistic of each.
        rows: title of the metric and its cells.
        notes: lines below the table.
        skipped: title of each metric that did not run, and why.
        against: title of the metric that differences are taken from.
        differences: title of each other metric, and for each column its difference from that one.
    """

    title: str
    columns: tuple[tuple[str, str], ...]
    keys: tuple[tuple[str, str, str], ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    notes: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]
    against: str = ""
    differences: tuple[tuple[str, tuple[str, ...]], ...] = ()


def table_of(evaluation: Evaluation) -> Table:
    """Lay out an evaluation; columns without any figure are left out."""
    e = evaluation.estimates
    known: dict[tuple[str, str, str, str], Any] = {}
    if len(e):
        for row in e[e["subset"] == ""].itertuples():
            known[str(row.metric), str(row.protocol), str(row.dimension), str(row.statistic)] = row
    present = {key[1:] for key in known}
    keys = [
        (protocol, dimension, statistic, label, percent)
        for dimension in GROUPS for protocol, statistic, label, percent in COLUMNS
        if (protocol, dimension, statistic) in present
    ]  # fmt: skip
    ran = [run for run in evaluation.runs if not run.skipped]
    columns = [[_cell(known.get((run.name, p, d, s)), percent) for run in ran] for p, d, s, _, percent in keys]
    marked = [_best(column) for column in columns]
    rows = tuple((run.title, tuple(column[place] for column in marked)) for place, run in enumerate(ran))
    return Table(
        str(evaluation.about["title"]), tuple((GROUPS[d], label) for _, d, _, label, _ in keys),
        tuple((p, d, s) for p, d, s, _, _ in keys), rows, tuple(_notes(evaluation, {key[2] for key in keys})),
        tuple((run.title, run.skipped) for run in evaluation.runs if run.skipped),
        next((run.title for run in ran if run.name == evaluation.settings["against"]), ""),
        _differences(evaluation, keys),
    )  # fmt: skip


def shown(value: float, percent: bool) -> str:
    """A figure as the paper prints it: per cent with one decimal, all else with three."""
    return "–" if math.isnan(value) else f"{100 * value:.1f}" if percent else f"{value:.3f}"


def _cell(row: Any, percent: bool) -> Cell:
    if row is None:
        return Cell()
    interval = "–" if math.isnan(row.low) else f"{shown(row.low, percent)} to {shown(row.high, percent)}"
    grey = row.significant is not None and not row.significant
    return Cell(row.value, shown(row.value, percent), interval, grey=grey)


def _differences(
    evaluation: Evaluation, keys: Sequence[tuple[str, str, str, str, bool]]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Difference, interval and share of the resamples in which a metric is the better one."""
    rows: dict[tuple[str, str, str, str], dict[Any, Any]] = {
        (row["metric"], row["protocol"], row["dimension"], row["statistic"]): row
        for row in evaluation.differences.to_dict("records")
    }
    found = []
    for run in evaluation.runs:
        cells = []
        for protocol, dimension, statistic, _, percent in keys:
            row = rows.get((run.name, protocol, dimension, statistic))
            if row is None or math.isnan(row["low"]):
                cells.append("–")
            else:
                gap, low, high = (shown(float(row[name]), percent) for name in ("difference", "low", "high"))
                cells.append(f"{gap} ({low} to {high}; {100 * row['share']:.0f}%)")
        if any(cell != "–" for cell in cells):
            found.append((run.title, tuple(cells)))
    return tuple(found)


def _best(column: Sequence[Cell]) -> list[Cell]:
    """The column with its highest figure marked; what reads the same is as good."""
    values = [cell.value for cell in column if not math.isnan(cell.value)]
    top = next((cell.text for cell in column if values and cell.value == max(values)), None)
    alone = len(values) < 2
    return [Cell(c.value, c.text, c.interval, not alone and c.text == top and c.text != "–", c.grey) for c in column]


def _notes(evaluation: Evaluation, statistics: set[str]) -> list[str]:
    about, e = evaluation.about, evaluation.estimates
    gold = "people judged" if about["gold"] == "people" else "constructed gold: nobody was asked"
    notes = [f"{about['title']} ({about['name']}): {about['n_pairs']} pairs; {gold}."]
    if about["note"]:
        notes.append(str(about["note"]))
    for protocol, what in (("coarse", "comparisons"), ("ratings", "single texts"), ("granular", "texts")):
        counts = []
        for dimension in GROUPS:
            rows = e[(e.protocol == protocol) & (e.dimension == dimension) & (e.subset == "")] if len(e) else e
            if len(rows):
                counts.append(f"{dimension} n = {rows['n'].max()} on {rows['n_units'].max()} images or works")
        if counts:
            notes.append(f"{protocol.capitalize()} ({what}): {'; '.join(counts)}.")
    short = [run for run in evaluation.runs if run.n_missing and not run.skipped]
    notes += [f"{run.title}: {run.n_missing} of {about['n_pairs']} pairs without an overall score; they count as wrong"
              " choices, and correlations leave them out." for run in short]  # fmt: skip
    if any(run.name.endswith(("-minilm", "-chars")) and not run.skipped for run in evaluation.runs):
        notes.append("4GramEmbed and SGEmbed: the paper embeds with Qwen3-Embedding-8B; MiniLM is all-MiniLM-L6-v2 (22"
                     " million parameters), and spelling only stands for character n-grams without a model.")
    notes += [f"{run.title}: from recorded scores, not run again here ({run.signature})." for run in evaluation.runs
              if run.recorded]  # fmt: skip
    base = next((run for run in evaluation.runs if run.name == evaluation.settings["against"]), None)
    if base is not None and base.skipped:
        notes.append(f"No differences are given: {base.title}, from which they are taken, did not run.")
    if "accuracy" in statistics:
        notes.append("acc: share of right choices in per cent, as many ties called as there are gold ties.")
    if "f1" in statistics:
        notes.append("F1: macro F1 over words at the best of all thresholds, picked on the same words; held out:"
                     " thresholds picked on other images.")  # fmt: skip
    if "spearman_given_length" in statistics:
        notes.append("ρ | length: with the ratio of lengths, generation to reference, held fixed.")
    if "model_spearman" in statistics:
        notes.append(f"model ρ and τ: rankings of models by Elo, median of {evaluation.settings['rounds']} rounds.")
    if {"spearman", "kendall", "model_spearman"} & statistics:
        notes.append(GREYING)
    notes.append(f"Intervals: 95%, {evaluation.settings['n_resamples']} resamples of images or works; seed"
                 f" {evaluation.settings['seed']}.")  # fmt: skip
    return notes


def markdown(table: Table) -> str:
    """The table, the intervals and the notes in Markdown; in brackets what is not significant."""

    def said(cell: Cell) -> str:
        text = f"({cell.text})" if cell.grey else cell.text
        return f"**{text}**" if cell.best else text

    headings = [f"{group}: {label}" for group, label in table.columns]
    parts = [f"# {table.title}"]
    if table.rows:
        parts.append(_grid(headings, [(t, [said(c) for c in cells]) for t, cells in table.rows]))
        parts.append("Bold: best of the column. In brackets: not significant.")
    if table.skipped:
        parts.append("\n".join(["Not run here:", "", *(f"- {title}: {why}" for title, why in table.skipped)]))
    if table.rows:
        parts.append("## Intervals")
        parts.append(_grid(headings, [(t, [c.interval for c in cells]) for t, cells in table.rows]))
    if table.differences:
        parts.append(f"## Differences from {table.against}")
        parts.append(_grid(headings, [(title, list(cells)) for title, cells in table.differences]))
        parts.append(f"In brackets: interval, and the share of resamples in which the metric is better than"
                     f" {table.against}.")  # fmt: skip
    parts.append("## Notes")
    parts.append("\n".join(f"- {note}" for note in table.notes))
    return "\n\n".join(parts) + "\n"


def _grid(headings: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    lines = [line(["metric", *headings]), "|---" + "|---:" * len(headings) + "|"]
    return "\n".join([*lines, *(line([title, *cells]) for title, cells in rows)])


def comma_separated(evaluation: Evaluation) -> str:
    """One row a metric with every figure unrounded, its interval and whether it is significant, as CSV."""
    table, ran = table_of(evaluation), [run for run in evaluation.runs if not run.skipped]
    names = [_column(*key) for key in table.keys]
    e = evaluation.estimates
    out = io.StringIO()
    fields = ["metric", "title", "signature", "seconds", "n_missing", "skipped"]
    fields += [f"{name}{end}" for name in names for end in ("", "_low", "_high", "_significant")]
    writer = csv.DictWriter(out, fields, lineterminator="\n")
    writer.writeheader()
    by_name = {run.name: run for run in ran}
    for run in evaluation.runs:
        row: dict[str, Any] = {"metric": run.name, "title": run.title, "signature": run.signature,
                               "seconds": run.seconds, "n_missing": run.n_missing, "skipped": run.skipped}  # fmt: skip
        if run.name in by_name and len(e):
            for one in e[(e["metric"] == run.name) & (e["subset"] == "")].itertuples():
                name = _column(str(one.protocol), str(one.dimension), str(one.statistic))
                if name in names:
                    row |= {f"{name}{end}": _number(getattr(one, field))
                            for end, field in (("", "value"), ("_low", "low"), ("_high", "high"))}  # fmt: skip
                    row[f"{name}_significant"] = "" if one.significant is None else bool(one.significant)
        writer.writerow(row)
    return out.getvalue()


def _column(protocol: str, dimension: str, statistic: str) -> str:
    return f"{dimension}_rating_{statistic}" if protocol == "ratings" else f"{dimension}_{statistic}"


def _number(value: Any) -> str:
    return "" if math.isnan(value) else repr(float(value))
