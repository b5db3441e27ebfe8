"""The challenge matrix: every text metric against every kind of error (neither paper has it).

Each metric scores pairs of texts of which one is worse for a known reason (:mod:`.challenge_trials`); a cell says how
often it ranks the worse one lower, by how much, and whether it points at the place (:mod:`.challenge_figures`).
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError, PoshLiteError
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.evaluation.challenge_figures import FALSE_ALARMS, calm_threshold, figures, spread_of
from posh_lite.evaluation.challenge_trials import TrialSet, contrast_trials, planted_trials
from posh_lite.evaluation.evaluate import MetricRun, title_of
from posh_lite.evaluation.evaluate_scores import Scored, pairs_hash, score_benchmark
from posh_lite.metric.protocol import Metric

if TYPE_CHECKING:
    import pandas as pd

RECORD = "challenge.json"
#: Folder of the kept scores, below the output folder.
SCORES = "scores"
#: What else than a reference and a machine a metric needs; such a row is asked for by its name.
COSTLY = frozenset({"gpu", "network", "key", "server", "image"})


@dataclass(frozen=True, slots=True)
class Matrix:
    """Everything that was measured.

    Attributes:
        about: the sets: name, title, note, hash of the pairs, numbers of pairs and trials; and the day.
        settings: of the bootstrap, and the share of false alarms of the threshold.
        runs: one for each metric, in the order asked for.
        cells: long frame, columns ``metric`` and those of the rows of :func:`.challenge_figures.figures`.
        scales: by metric and set: the standard deviation of its scores, which is the unit of a drop, and the threshold.
    """

    about: Mapping[str, Any]
    settings: Mapping[str, Any]
    runs: tuple[MetricRun, ...]
    cells: pd.DataFrame
    scales: Mapping[str, Any]

    def cell(
        self, metric: str, condition: str, kind: str, statistic: str = "share", dimension: str = "own"
    ) -> Estimate:
        """One figure with its interval; NaN with the reason where the metric has none."""
        c = self.cells
        if len(c):
            keep = (c["metric"] == metric) & (c["condition"] == condition) & (c["kind"] == kind)
            found = c[keep & (c["statistic"] == statistic) & (c["dimension"] == dimension)]
            if len(found):
                row = found.iloc[0]
                return Estimate(float(row["value"]), float(row["low"]), float(row["high"]), int(row["n"]),
                                int(row["n_units"]), n_dropped=int(row["n_dropped"]), method=statistic,
                                reason=str(row["reason"]))  # fmt: skip
        return Estimate(math.nan, math.nan, math.nan, 0, 0, method=statistic, reason="the metric has no such figure")

    def kinds(self, condition: str) -> list[str]:
        """Kinds of a condition in the order of the columns, those that stand for several last."""
        if not len(self.cells):
            return []
        return list(dict.fromkeys(self.cells[self.cells["condition"] == condition]["kind"]))

    @property
    def ran(self) -> list[MetricRun]:
        """The metrics that have figures."""
        return [run for run in self.runs if not run.skipped]

    def write(self, folder: str | Path) -> Path:
        """Write ``challenge.json``, a line a figure; returns its path."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        columns = list(self.cells.columns)
        rows = [[_plain(row[name]) for name in columns] for row in self.cells.to_dict("records")]
        head = {"about": dict(self.about), "settings": dict(self.settings), "metrics": [asdict(r) for r in self.runs],
                "scales": dict(self.scales), "columns": columns}  # fmt: skip
        lines = [json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows]
        text = json.dumps(_plain(head), indent=1, ensure_ascii=False, allow_nan=False).removesuffix("\n}")
        path = place / RECORD
        path.write_text(text + ',\n "cells": [\n  ' + ",\n  ".join(lines) + "\n ]\n}\n", "utf-8")
        return path


def _plain(value: Any) -> Any:
    """JSON-ready: no finite number becomes None, floats keep six digits."""
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value


def read_matrix(folder: str | Path) -> Matrix:
    """Read what :meth:`Matrix.write` wrote; undefined figures are NaN again.

    Raises:
        InputError: it is not there, or not of that form.
    """
    import pandas as pd

    path = Path(folder) / RECORD
    try:
        record = json.loads(path.read_text("utf-8"))
        cells = pd.DataFrame(record["cells"], columns=record["columns"])
        for column in ("value", "low", "high"):
            cells[column] = cells[column].astype(float)
        runs = tuple(MetricRun(**row) for row in record["metrics"])
        return Matrix(record["about"], record["settings"], runs, cells, record["scales"])
    except OSError as error:
        raise InputError(error.strerror or str(error), path=path) from None
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"not written by posh-lite challenge: {error}", path=path) from None


def trial_sets() -> list[TrialSet]:
    """The sets that are at hand: the planted mistakes always, the contrast set in a checkout."""
    sets = [planted_trials()]
    try:
        sets.append(contrast_trials())
    except InputError:  # it is not part of an installed package
        return sets
    return sets


def challenge(
    metrics: Sequence[str | Metric], *, sets: Sequence[TrialSet] | None = None, scores: str | Path | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None, n_resamples: int = 2000, seed: int = 0,
    progress: bool | None = None,
) -> Matrix:
    """Hold metrics against every kind of error.

    Args:
        metrics: of the protocol, or names as :func:`posh_lite.baselines.registry.make_metric` takes them.
        sets: trials; by default those of :func:`trial_sets`.
        scores: folder in which scores are kept, so that a stopped run goes on; None keeps nothing.
        options: keywords by name of the metric.
        n_resamples: draws of the bootstrap over works and originals.
        seed: of the draws.
        progress: whether to show a bar on stderr; by default only in a terminal.

    Raises:
        InputError: no metric, one that is named twice, or options for none of them. Whatever a metric lacks or does
            wrong is told in its row, and the others go on.
    """
    from datetime import date

    import pandas as pd
    from tqdm import tqdm

    given, data = options or {}, list(trial_sets() if sets is None else sets)
    names = [m if isinstance(m, str) else m.name for m in metrics]
    if not names:
        raise InputError("no metric to challenge")
    if twice := sorted({n for n in names if names.count(n) > 1}):
        raise InputError(f'the metric "{twice[0]}" is asked for twice')
    if unknown := sorted(set(given) - set(names)):
        raise InputError(f'options for "{unknown[0]}", which is none of the metrics; there are {", ".join(names)}')
    settings = {"n_resamples": n_resamples, "seed": seed}
    runs, rows, scales = [], [], {}
    shown = sys.stderr.isatty() if progress is None else progress
    with tqdm(total=len(names), unit=" metric", disable=not shown, file=sys.stderr, dynamic_ncols=True) as bar:
        for name, metric in zip(names, metrics, strict=True):
            bar.set_description(name)
            run, found = _run(name, metric, data, given.get(name, {}), scores)
            runs.append(run)
            if found:
                threshold = next((t for s, one in zip(data, found, strict=True)
                                  if not math.isnan(t := calm_threshold(s, one))), math.nan)  # fmt: skip
                scales[name] = {s.benchmark.name: {**spread_of(s, one), "threshold": threshold}
                                for s, one in zip(data, found, strict=True)}  # fmt: skip
                for one, scored in zip(data, found, strict=True):
                    rows += [{"metric": name, **row} for row in figures(one, scored, threshold, **settings)]
            bar.update(1)
    about = {
        "made": date.today().isoformat(),
        "sets": [{"name": s.benchmark.name, "title": s.benchmark.title, "note": s.benchmark.note,
                  "pairs": pairs_hash(s.benchmark.pairs), "n_pairs": len(s.benchmark.pairs),
                  "n_trials": len(s.trials)} for s in data],
    }  # fmt: skip
    return Matrix(about, {**settings, "false_alarms": FALSE_ALARMS}, tuple(runs), pd.DataFrame(rows), scales)


def _run(
    name: str, metric: str | Metric, sets: Sequence[TrialSet], options: Mapping[str, Any], folder: str | Path | None
) -> tuple[MetricRun, list[Scored]]:
    """Score every set with a metric; whatever goes wrong is told in the run."""
    from posh_lite.baselines.registry import make_metric

    title = title_of(name)
    try:
        made = make_metric(name, **options) if isinstance(metric, str) else metric
        if "image" in made.needs:
            raise InputError("needs images, and the texts of the challenge have none")
        found = [score_benchmark(made, s.benchmark, name=f"{name}-{s.benchmark.name}", options=options, folder=folder)
                 for s in sets]  # fmt: skip
    except PoshLiteError as error:
        return MetricRun(name, title, skipped=" ".join(str(error).split())), []
    except Exception as error:  # a metric of one's own may raise anything, and the others go on
        why = f"failed with {type(error).__name__}: {' '.join(str(error).split())}"
        return MetricRun(name, title, skipped=why), []
    run = MetricRun(
        name, title if isinstance(metric, str) and title != name else made.name, found[0].signature,
        round(sum(one.seconds for one in found), 3), all(one.cached for one in found), found[0].places is not None,
        sum(int(one.frame["overall"].isna().sum()) for one in found),
    )  # fmt: skip
    return run, found


def default_metrics() -> list[str]:
    """Every metric of the registry that can run here on texts alone, without a service or a GPU."""
    from posh_lite.baselines.registry import METRICS

    return [name for name, entry in METRICS.items() if not entry.needs & COSTLY and not entry.lacks()]
