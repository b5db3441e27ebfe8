"""What the chapter on the challenge matrix shows: single trials with their words marked, and rows of the record."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError
from posh_lite.evaluation.challenge import RECORD, Matrix, challenge, read_matrix
from posh_lite.evaluation.challenge_trials import TrialSet, planted_trials

if TYPE_CHECKING:
    import pandas as pd

    from posh_lite.metric.protocol import Metric
    from posh_lite.records import Pair, Span


@dataclass(frozen=True, slots=True)
class Example:
    """One trial, opened.

    Attributes:
        kind: of the mistake.
        better, worse: the two pairs.
        spans: the changed words in the worse text.
    """

    kind: str
    better: Pair
    worse: Pair
    spans: tuple[Span, ...]

    def to_html(self, around: int = 90) -> str:
        """The sentences about the change in both texts, the changed words of the worse one marked."""
        first, last = min(a for a, _ in self.spans), max(b for _, b in self.spans)
        # both texts are the same before and after the change
        start = _next_word(self.worse.generation, _same(self.better.generation, self.worse.generation) - around)
        wrong = self.worse.generation
        stop = _next_word(wrong, min(len(wrong), last + around))
        right = self.better.generation[start : len(self.better.generation) - (len(wrong) - stop)].rstrip()
        parts, at = [], min(start, first)
        for a, b in sorted(self.spans):
            parts += [html.escape(wrong[at:a]), f"<mark>{html.escape(wrong[a:b])}</mark>"]
            at = b
        parts.append(html.escape(wrong[at:stop].rstrip()))
        lines = (("right", html.escape(right)), (f"wrong: {self.kind}", "".join(parts)))
        return "".join(f"<p><strong>{html.escape(name)}</strong>: …{text}…</p>" for name, text in lines)


def _next_word(text: str, at: int) -> int:
    """The first place from ``at`` on at which a word begins; 0 before the text, and its length where none follows."""
    return 0 if at <= 0 else next((i for i in range(at, len(text)) if text[i - 1].isspace()), len(text))


def _same(a: str, b: str) -> int:
    """Characters with which both texts begin."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def example(worse: str, trials: TrialSet | None = None) -> Example:
    """The trial of a worse text by its id, such as "bedroom/confuser+1".

    Raises:
        InputError: there is no such trial with a place.
    """
    data = trials or planted_trials()
    for trial in data.trials:
        if trial.worse == worse and trial.spans:
            by_id = data.benchmark.by_id
            return Example(trial.kind, by_id[trial.better], by_id[trial.worse], trial.spans)
    raise InputError(f'no trial with the worse text "{worse}"')


def compare(examples: Sequence[Example], metrics: Sequence[str | Metric]) -> pd.DataFrame:
    """Scores of both texts of each example: columns ``kind``, ``metric``, ``right``, ``wrong``, ``says``.

    Args:
        examples: trials of mistakes.
        metrics: of the protocol, or names of the registry. One that weighs words by the whole corpus sees these few
            texts alone.
    """
    import pandas as pd

    from posh_lite.baselines.registry import make_metric
    from posh_lite.evaluation.evaluate import title_of

    pairs = [pair for one in examples for pair in (one.better, one.worse)]
    rows = []
    for metric in metrics:
        made = make_metric(metric) if isinstance(metric, str) else metric
        title = title_of(metric) if isinstance(metric, str) else made.name
        figures = [float(v) for v in made.score(pairs)["mistakes"]]
        for place, one in enumerate(examples):
            right, wrong = figures[2 * place : 2 * place + 2]
            gap = 0.0 if math.isclose(right, wrong, rel_tol=1e-9, abs_tol=1e-12) else right - wrong
            says = "sees no difference" if gap == 0 else "right" if gap > 0 else "prefers the wrong one"
            rows.append({"kind": one.kind, "metric": title, "right": right, "wrong": wrong, "says": says})
    return pd.DataFrame(rows).sort_values("kind", kind="stable", ignore_index=True)


def matrix_for(record: str | Path, metrics: Sequence[str | Metric], **settings: Any) -> tuple[Matrix, bool]:
    """The recorded matrix where there is one, else one that is made now; and whether it is recorded."""
    if record and (Path(record) / RECORD).is_file():
        return read_matrix(record), True
    return challenge(metrics, progress=False, **settings), False


def summary(matrix: Matrix, columns: Sequence[tuple[str, str, str]], statistic: str = "share") -> pd.DataFrame:
    """Chosen cells with their intervals: a row a metric, best first by the first column; values in per cent.

    Args:
        matrix: whole.
        columns: condition, kind and heading of each.
        statistic: of the cells, a share.
    """
    import pandas as pd

    def key(name: str) -> float:
        value = matrix.cell(name, *columns[0][:2], statistic).value
        return -math.inf if math.isnan(value) else value

    rows = []
    for run in sorted(matrix.ran, key=lambda r: -key(r.name)):
        cells = [matrix.cell(run.name, condition, kind, statistic) for condition, kind, _ in columns]
        if all(math.isnan(c.value) for c in cells):
            continue
        row: dict[str, str] = {"metric": run.title}
        for cell, (_, _, heading) in zip(cells, columns, strict=True):
            ends = "" if math.isnan(cell.low) else f" ({100 * cell.low:.0f} to {100 * cell.high:.0f})"
            row[heading] = "–" if math.isnan(cell.value) else f"{100 * cell.value:.0f}{ends}".replace(" ", "\u00a0")
        rows.append(row)
    return pd.DataFrame(rows)


def agreement(recorded: Matrix, live: Matrix) -> float:
    """Largest difference between the shares of both matrices, over the metrics that both have; NaN where none."""
    keys = ["metric", "condition", "kind", "statistic", "dimension"]
    both = recorded.cells.merge(live.cells, on=keys, suffixes=("", "_live"))
    gaps = (both[both["statistic"] == "share"]["value"] - both[both["statistic"] == "share"]["value_live"]).abs()
    return float(gaps.max()) if len(gaps.dropna()) else math.nan
