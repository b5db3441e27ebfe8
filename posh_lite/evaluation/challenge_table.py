"""The challenge matrix as Markdown, one table a condition."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.evaluation.challenge_figures import ALL, PLACES, RANKING
from posh_lite.evaluation.challenge_trials import CONDITIONS

if TYPE_CHECKING:
    from posh_lite.evaluation.challenge import Matrix

#: Statistic, whether it is a share shown in per cent, and the conditions that have it.
_TABLES = (("share", True), ("ties", True), ("drop", False), ("relative", False), ("place", True), ("lowest", True),
           ("hit", True), ("alarms", True))  # fmt: skip


def shown(estimate: Estimate, percent: bool) -> str:
    """A cell: per cent without decimals, or two decimals; a dash where it is undefined."""
    if math.isnan(estimate.value):
        return "–"
    return f"{100 * estimate.value:.0f}" if percent else f"{estimate.value:.2f}".replace("-", "\N{MINUS SIGN}")


def with_interval(estimate: Estimate, percent: bool) -> str:
    """A cell with its interval in brackets, where it has one."""
    if math.isnan(estimate.low):
        return shown(estimate, percent)
    ends = (shown(Estimate(v, v, v, 0, 0), percent) for v in (estimate.low, estimate.high))
    return f"{shown(estimate, percent)} [{', '.join(ends)}]"


def markdown(matrix: Matrix) -> str:
    """Every table, and what has to be said with them."""
    parts = ["# Challenge matrix"]
    about = {**{k: v for k, (v, _) in RANKING.items()}, **{k: v for k, (v, _) in PLACES.items()}}
    for condition in CONDITIONS:
        kinds = matrix.kinds(condition)
        for statistic, percent in _TABLES:
            rows = []
            for run in matrix.ran:
                cells = [matrix.cell(run.name, condition, kind, statistic) for kind in kinds]
                if not all(math.isnan(c.value) for c in cells):
                    total = matrix.cell(run.name, condition, ALL, statistic)
                    rows.append([run.title, *(shown(c, percent) for c in cells), with_interval(total, percent)])
            if rows:
                head = ["metric", *kinds, "all mistakes, interval"]
                unit = ", in per cent" if percent else ""
                parts += [f"## {condition}: {about[statistic]}{unit}", _grid(head, rows)]
    for run in matrix.runs:
        if run.skipped:
            parts.append(f"Not run here: {run.title}: {run.skipped}")
    sets, settings = matrix.about["sets"], matrix.settings
    notes = [f"- {s['title']}: {s['n_trials']} trials on {s['n_pairs']} pairs. {s['note']}" for s in sets]
    notes.append(f"- Intervals: 95%, {settings['n_resamples']} resamples of works or originals, seed"
                 f" {settings['seed']}.")  # fmt: skip
    notes.append(f"- The threshold of hits and alarms flags at most {settings['false_alarms']:.0%} of the words of"
                 " captions without a mistake; no trial is looked at.")  # fmt: skip
    notes += [f"- {run.title}: `{run.signature}`" for run in matrix.ran]
    return "\n\n".join([*parts, "## Notes", "\n".join(notes)]) + "\n"


def _grid(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (head, *rows)]
    return "\n".join([lines[0], "|---" + "|---:" * (len(head) - 1) + "|", *lines[1:]])
