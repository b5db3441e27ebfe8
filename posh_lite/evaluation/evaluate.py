"""Any metrics on any benchmark: every protocol that the gold allows, side by side.

Comparisons and ratings go to the coarse protocol, marks to the granular one, battles of models to the arena. A metric
that fails, or lacks something here, is a row that says so; the others go on.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.benchmarks.contract import Benchmark
from posh_lite.errors import InputError, MissingDependency, PoshLiteError
from posh_lite.evaluation.evaluate_scores import Scored, damaged, pairs_hash, read_recorded, score_benchmark
from posh_lite.evaluation.significance import Finding, difference
from posh_lite.metric.protocol import Metric

if TYPE_CHECKING:
    import pandas as pd

RESULTS = "results.json"
#: Folder of the kept scores, below the output folder.
SCORES = "scores"
#: Statistics whose paired differences are given.
COMPARED = ("accuracy", "spearman", "kendall", "f1", "f1_cv", "model_spearman")


@dataclass(frozen=True, slots=True)
class MetricRun:
    """How one metric fared.

    Attributes:
        name: as it was asked for.
        title: for tables.
        signature: what its figures depend on; empty where it did not run.
        seconds: of scoring, in the run that computed the scores.
        cached: whether they were there from an earlier run.
        granular: whether it points at places.
        n_missing: pairs without an overall score.
        skipped: why it did not run; empty where it did.
        recorded: whether it cannot run here, and its scores are those of a record.
    """

    name: str
    title: str
    signature: str = ""
    seconds: float = 0.0
    cached: bool = False
    granular: bool = False
    n_missing: int = 0
    skipped: str = ""
    recorded: bool = False


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything that was measured.

    Attributes:
        about: of the benchmark: name, title, gold, note, citation, n_pairs, pairs (their hash).
        settings: of the bootstrap, and ``against``: the metric that the differences are taken from.
        runs: one for each metric, in the order asked for.
        estimates: long frame, one row a metric and statistic; columns ``metric``, then those of
            :meth:`~posh_lite.evaluation.significance.Finding.to_row`.
        differences: paired differences, ``metric`` less ``against``.
        rankings: of models by people and by each metric; empty where no models are ranked.
        scores: what each metric said, by name; not written.
    """

    about: Mapping[str, Any]
    settings: Mapping[str, Any]
    runs: tuple[MetricRun, ...]
    estimates: pd.DataFrame
    differences: pd.DataFrame
    rankings: pd.DataFrame
    scores: Mapping[str, Scored] = field(default_factory=dict, repr=False)

    def run(self, name: str) -> MetricRun:
        """The run of a metric by name.

        Raises:
            KeyError: it was not asked for.
        """
        for one in self.runs:
            if one.name == name:
                return one
        raise KeyError(name)

    def estimate(self, metric: str, dimension: str, statistic: str, *, protocol: str = "", subset: str = "") -> float:
        """One value, the first that fits; NaN where the metric has none."""
        e = self.estimates
        if not len(e):
            return float("nan")
        rows = e[(e.metric == metric) & (e.dimension == dimension) & (e.statistic == statistic) & (e.subset == subset)]
        rows = rows[rows.protocol == protocol] if protocol else rows
        return float(rows["value"].iloc[0]) if len(rows) else float("nan")

    def write(self, folder: str | Path) -> Path:
        """Write ``results.json``; returns its path."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        record = {
            "benchmark": dict(self.about), "settings": dict(self.settings), "metrics": [asdict(r) for r in self.runs],
            **{n: _rows(getattr(self, n)) for n in ("estimates", "differences", "rankings")},
        }  # fmt: skip
        path = place / RESULTS
        path.write_text(json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False) + "\n", "utf-8")
        return path


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): _plain(value) for key, value in row.items()} for row in frame.to_dict("records")]


def _plain(value: Any) -> Any:
    """JSON-ready; what is no finite number becomes None."""
    import math

    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read_evaluation(folder: str | Path) -> Evaluation:
    """Read what :meth:`Evaluation.write` wrote; undefined figures are NaN again.

    Raises:
        InputError: it is not there, or not of that form.
    """
    import pandas as pd

    path = Path(folder) / RESULTS
    try:
        record = json.loads(path.read_text("utf-8"))
        runs = tuple(MetricRun(**row) for row in record["metrics"])
        frames = [pd.DataFrame(record[name]) for name in ("estimates", "differences", "rankings")]
        for frame in frames:
            for column in ("value", "low", "high", "p", "p_bootstrap", "difference", "share", "bradley_terry"):
                if column in frame:
                    frame[column] = frame[column].astype(float)
        return Evaluation(record["benchmark"], record["settings"], runs, frames[0], frames[1], frames[2])
    except OSError as error:
        raise InputError(error.strerror or str(error), path=path) from None
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"not written by posh-lite evaluate: {error}", path=path) from None


def evaluate(
    benchmark: str | Benchmark, metrics: Sequence[str | Metric], *, output: str | Path | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None, against: str | None = None, n_resamples: int = 2000,
    rounds: int = 1000, seed: int = 0, progress: bool | None = None, recorded: str | Path | None = None,
) -> Evaluation:
    """Evaluate metrics on a benchmark.

    Args:
        benchmark: one, or its name in :data:`posh_lite.benchmarks.registry.BENCHMARKS`, or ``module:function``.
        metrics: of the protocol, or names in :data:`posh_lite.baselines.registry.METRICS`, or ``module:Class``.
        output: folder in which scores are kept (below ``scores``), so that a stopped run goes on; None keeps nothing.
        options: keywords by name of the metric.
        against: name of the metric that the paired differences are taken from; by default the first that ran.
        n_resamples: draws of the bootstrap over images.
        rounds: of the bootstrapped Elo ratings.
        seed: of all draws.
        progress: whether to show a bar on stderr; by default only in a terminal.
        recorded: folder of an earlier run's ``scores``: a metric that lacks something here is taken from it.

    Raises:
        InputError: there is no such benchmark or its data is not at hand; a metric is named twice; ``against`` or a
            key of ``options`` is none of the metrics. Whatever a metric lacks or does wrong is told in its row.
    """
    import pandas as pd
    from tqdm import tqdm

    from posh_lite.benchmarks.registry import load_benchmark

    data = load_benchmark(benchmark) if isinstance(benchmark, str) else benchmark
    names = [m if isinstance(m, str) else m.name for m in metrics]
    _check_names(names, options or {}, against)
    settings: dict[str, Any] = {"n_resamples": n_resamples, "seed": seed}
    runs, findings, rankings, scores = [], {}, [], {}
    folder = None if output is None else Path(output) / SCORES
    shown = sys.stderr.isatty() if progress is None else progress
    with tqdm(total=len(names), unit=" metric", disable=not shown, file=sys.stderr, dynamic_ncols=True) as bar:
        for name, metric in zip(names, metrics, strict=True):
            bar.set_description(name)
            run, scored = _run(name, metric, data, (options or {}).get(name, {}), folder, recorded)
            if scored is not None:
                try:
                    findings[name], ranked = figures(data, scored, rounds=rounds, **settings)
                except PoshLiteError as error:
                    run, scored = MetricRun(run.name, run.title, skipped=_line(error)), None
                else:
                    rankings += [{**row, "by": name if row["by"] == "metric" else row["by"]} for row in ranked]
            runs.append(run)
            if scored is not None:
                scores[name] = scored
            bar.update(1)
    runs = _told_apart(runs)
    base = against if against is not None else next((r.name for r in runs if not r.skipped), "")
    gaps = [row for name in findings if name != base and base in findings
            for row in _differences(name, base, findings, scores, data, settings)]  # fmt: skip
    about = {"name": data.name, "title": data.title, "gold": data.gold, "note": data.note, "citation": data.citation,
             "n_pairs": len(data.pairs), "pairs": pairs_hash(data.pairs)}  # fmt: skip
    estimates = [{"metric": name, **f.to_row()} for name, rows in findings.items() for f in rows]
    return Evaluation(
        about, {**settings, "rounds": rounds, "against": base}, tuple(runs), pd.DataFrame(estimates),
        pd.DataFrame(gaps), pd.DataFrame(rankings).drop_duplicates(ignore_index=True) if rankings else pd.DataFrame(),
        scores,
    )  # fmt: skip


def _check_names(names: Sequence[str], options: Mapping[str, Any], against: str | None) -> None:
    if not names:
        raise InputError("no metric to evaluate")
    if twice := sorted({n for n in names if names.count(n) > 1}):
        raise InputError(f'the metric "{twice[0]}" is asked for twice')
    if against is not None and against not in names:
        raise InputError(f'"{against}" is none of the metrics; there are {", ".join(names)}')
    if unknown := sorted(set(options) - set(names)):
        raise InputError(f'options for "{unknown[0]}", which is none of the metrics; there are {", ".join(names)}')


def _run(
    name: str, metric: str | Metric, data: Benchmark, options: Mapping[str, Any], folder: Path | None,
    recorded: str | Path | None = None,
) -> tuple[MetricRun, Scored | None]:
    """Make a metric and score with it; whatever goes wrong is told in the run."""
    from posh_lite.baselines.registry import make_metric

    title = title_of(name)
    try:
        made = make_metric(name, **options) if isinstance(metric, str) else metric
        if "image" in made.needs and not any(pair.image for pair in data.pairs):
            raise InputError(f"needs images, and the benchmark {data.name} has none")
        scored = score_benchmark(made, data, name=name, options=options, folder=folder)
    except PoshLiteError as error:
        kept = None
        if recorded is not None and isinstance(error, MissingDependency):
            kept = read_recorded(recorded, name, data)
        if kept is None:
            lost = damaged(recorded, name) if recorded is not None and isinstance(error, MissingDependency) else []
            more = f"; {', '.join(lost)} of its kept scores cannot be read" if lost else ""
            return MetricRun(name, title, skipped=_line(error) + more), None
        missing = int(kept.frame["overall"].isna().sum())
        return MetricRun(name, title, kept.signature, round(kept.seconds, 3), True, kept.places is not None, missing,
                         recorded=True), kept  # fmt: skip
    except Exception as error:  # a metric of one's own may raise anything, and the others go on
        return MetricRun(name, title, skipped=f"failed with {type(error).__name__}: {_line(error)}"), None
    missing = int(scored.frame["overall"].isna().sum())
    run = MetricRun(name, title if isinstance(metric, str) and title != name else made.name, scored.signature,
                    round(scored.seconds, 3), scored.cached, scored.places is not None, missing)  # fmt: skip
    return run, scored


def title_of(name: str) -> str:
    """How tables call a metric: the registry's title, with the model where one is named."""
    from posh_lite.baselines.registry import METRICS

    known, _, model = name.partition(":")
    entry = METRICS.get(known)
    if entry is None:
        return name
    return f"{entry.title} ({model})" if model else entry.title


def _told_apart(runs: Sequence[MetricRun]) -> list[MetricRun]:
    """Titles that several metrics share get the names by which they were asked for."""
    titles = [run.title for run in runs]
    return [replace(run, title=f"{run.title} ({run.name})") if titles.count(run.title) > 1 and run.title != run.name
            else run for run in runs]  # fmt: skip


def _line(error: object) -> str:
    return " ".join(str(error).split())


def figures(
    data: Benchmark, scored: Scored, *, n_resamples: int, seed: int, rounds: int
) -> tuple[list[Finding], list[dict[str, Any]]]:
    """The figures of one metric under every protocol that the gold allows, and rows of the rankings of models."""
    from posh_lite.evaluation.caparena import arenas
    from posh_lite.evaluation.coarse import coarse
    from posh_lite.evaluation.granular import granular

    found = coarse(data, scored.frame, n_resamples=n_resamples, seed=seed)
    if scored.places is not None:
        found += granular(data, scored.places, uncovered=scored.uncovered, sides=scored.sides,
                          n_resamples=n_resamples, seed=seed)  # fmt: skip
    rows: list[dict[str, Any]] = []
    for one in arenas(data, scored.frame, rounds=rounds, seed=seed):
        found += one.findings
        rows += [*one.people.rows("people", one.subset), *one.metric.rows("metric", one.subset)]
    return found, rows


def _differences(
    name: str, base: str, findings: Mapping[str, list[Finding]], scores: Mapping[str, Scored], data: Benchmark,
    settings: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """Paired differences of a metric from the base; rows that one of them lacks are left out of both."""
    import numpy as np

    mine, theirs = findings[name], findings[base]
    if any(f.estimate.n_dropped for f in (*mine, *theirs)):
        from posh_lite.evaluation.coarse import coarse

        a, b = scores[name].frame.copy(), scores[base].frame.copy()
        for column in ("mistakes", "omissions", "overall"):
            hole = ~(np.isfinite(a[column]) & np.isfinite(b[column]))  # of two infinite scores none is the larger
            a.loc[hole, column] = b.loc[hole, column] = float("nan")
        others = [[f for f in rows if f.protocol not in ("coarse", "ratings")] for rows in (mine, theirs)]
        mine, theirs = ([*coarse(data, f, **settings), *rest] for f, rest in zip((a, b), others, strict=True))
    known = {(f.protocol, f.dimension, f.statistic): f for f in theirs if not f.subset}
    return [
        {"metric": name, "against": base, **difference(f, known[key]).to_row()}
        for f in mine
        if not f.subset and f.statistic in COMPARED and (key := (f.protocol, f.dimension, f.statistic)) in known
    ]
