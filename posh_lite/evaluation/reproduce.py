"""What still reproduces: figures that were recorded, held against those of a new run.

``data/expected/BENCHMARK.json`` holds, for each metric that could be run when it was recorded, the value of every
figure, its n, the signature of the metric and a tolerance. No text is in it.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from posh_lite.errors import InputError
from posh_lite.evaluation.evaluate import Evaluation, evaluate

Status = Literal["reproduces", "differs", "cannot run", "not recorded"]

#: Values are recorded, not intervals, so that few resamples do; Elo ratings are medians of these rounds.
SETTINGS: dict[str, Any] = {"n_resamples": 200, "rounds": 1000, "seed": 0}
#: Absolute, on figures between -1 and 1: of metrics that compute the same everywhere, and of those that ask a model.
EXACT, OF_MODELS = 0.001, 0.02
_WHAT = "figures of posh-lite evaluate, to be held against a new run by posh-lite reproduce; no texts"


@dataclass(frozen=True, slots=True)
class Check:
    """How one metric fared on one benchmark.

    Attributes:
        benchmark, metric: names.
        status: the outcome.
        said: what to read after it: how many figures, by how much, or why not.
        details: a line for each figure that differs.
    """

    benchmark: str
    metric: str
    status: Status
    said: str
    details: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """The outcome in a line, and what differs below."""
        head = f"{self.benchmark:<20}{self.metric:<20}{self.status:<14}{self.said}"
        return [head, *(f"{'':<40}{line}" for line in self.details)]


def expected_folder() -> Path:
    """``data/expected`` of a checkout."""
    return Path(__file__).parents[2] / "data" / "expected"


def read_expected(folder: str | Path | None = None) -> dict[str, dict[str, Any]]:
    """Recorded figures by benchmark.

    Raises:
        InputError: the folder is not there or holds none, or a file is not of the recorded form.
    """
    place = expected_folder() if folder is None else Path(folder)
    paths = sorted(place.glob("*.json"))
    if not paths:
        raise InputError("no recorded figures here; run in a checkout, or record some with --record", path=place)
    found = {}
    for path in paths:
        record = _read(path)
        found[str(record["benchmark"])] = record
    return found


def _read(path: Path) -> dict[str, Any]:
    """One file of recorded figures."""
    try:
        record: dict[str, Any] = json.loads(path.read_text("utf-8"))
        _ = (record["benchmark"], record["pairs"])
        for metric in record["metrics"].values():
            _ = (metric["signature"], float(metric["tolerance"]), dict(metric["figures"]))
    except OSError as error:
        raise InputError(error.strerror or str(error), path=path) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"not a file of recorded figures: {error!r}; mend it, or remove it and record anew", path=path
        ) from None
    return record


def figures_of(evaluation: Evaluation, metric: str) -> dict[str, dict[str, Any]]:
    """Value and n of every figure of a metric, by ``protocol/dimension/statistic`` and, for a part, ``/subset``."""
    e = evaluation.estimates
    found = {}
    if len(e):
        rows: list[dict[Any, Any]] = e[e["metric"] == metric].to_dict("records")
        for row in rows:
            parts = [row[column] for column in ("protocol", "dimension", "statistic", "subset")]
            value = float(row["value"])
            found["/".join(part for part in parts if part)] = {
                "value": None if math.isnan(value) else round(value, 9), "n": int(row["n"]),
            }  # fmt: skip
    return found


def record(
    benchmarks: Sequence[str], metrics: Sequence[str], folder: str | Path | None = None, *, progress: bool | None = None
) -> Iterator[Check]:
    """Run metrics and write their figures; what is recorded of other metrics and benchmarks stays.

    Args:
        benchmarks: names of the registry; one that cannot be loaded here is told and left as it is.
        metrics: names; one that cannot run here is told and left as it is.
        folder: by default :func:`expected_folder`.
        progress: whether to show a bar on stderr.

    Raises:
        InputError: what was recorded before is not readable, so that what is to stay of it cannot be kept.
    """
    place = expected_folder() if folder is None else Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scores:  # of this run alone: benchmarks of the same pairs share them
        for name in benchmarks:
            yield from _record(name, metrics, place, scores, progress)


def _record(name: str, metrics: Sequence[str], place: Path, scores: str, progress: bool | None) -> Iterator[Check]:
    path = place / f"{name}.json"
    old = _read(path) if path.is_file() else {}  # first: a file that cannot be kept is told before any work
    found = _evaluated(name, metrics, scores, progress)
    if isinstance(found, str):
        yield Check(name, "all", "cannot run", found)
        return
    same = old.get("pairs") == found.about["pairs"] and old.get("settings") == SETTINGS
    kept: dict[str, Any] = old.get("metrics", {}) if same else {}
    for run in found.runs:
        if run.skipped:
            yield Check(name, run.name, "cannot run", run.skipped)
            continue
        figures = figures_of(found, run.name)
        kept[run.name] = {"signature": run.signature, "tolerance": tolerance_of(run.name), "figures": figures}
        yield Check(name, run.name, "reproduces", f"recorded, {len(figures)} figures")
    content = {"what": _WHAT, "benchmark": name, "gold": found.about["gold"], "pairs": found.about["pairs"],
               "n_pairs": found.about["n_pairs"], "settings": SETTINGS,
               "metrics": dict(sorted(kept.items()))}  # fmt: skip
    if kept:
        text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
        # one line a figure, so that a change of the file reads well
        text = re.sub(r'\{\s+("value": [^,]+),\s*("n": \d+)\s+\}', r"{\1, \2}", text) + "\n"
        part = path.with_name(f"{path.name}.{os.getpid()}.part")  # not *.json, so that nothing reads half a file
        try:
            part.write_text(text, "utf-8")
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)


def tolerance_of(metric: str) -> float:
    """How far a figure may lie from the recorded one: more where a model on other hardware answers."""
    from posh_lite.baselines.registry import METRICS

    known, _, model = metric.partition(":")
    entry = METRICS.get(known)
    asks = bool(entry and entry.needs & {"model", "gpu", "server", "network"}) or bool(entry and model)
    return OF_MODELS if asks else EXACT


def reproduce(
    expected: Mapping[str, Mapping[str, Any]], *, benchmarks: Sequence[str] = (), metrics: Sequence[str] = (),
    progress: bool | None = None,
) -> Iterator[Check]:
    """Run what was recorded again and compare, benchmark by benchmark.

    Args:
        expected: of :func:`read_expected`.
        benchmarks: only these; by default all that were recorded.
        metrics: only these; by default all that were recorded, and a word on those that could have been.
        progress: whether to show a bar on stderr.

    Raises:
        InputError: a benchmark was not recorded, or there is no such metric.
    """
    from posh_lite.baselines.registry import METRICS

    if unknown := [name for name in benchmarks if name not in expected]:
        near = get_close_matches(unknown[0], expected, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(expected)}"
        raise InputError(f'nothing is recorded for the benchmark "{unknown[0]}"; {hint}')
    known = {metric for record in expected.values() for metric in record["metrics"]}
    if unknown := [m for m in metrics if m not in known and m.partition(":")[0] not in METRICS and ":" not in m]:
        near = get_close_matches(unknown[0], [*METRICS, *known], n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(METRICS)}"
        raise InputError(f'no metric named "{unknown[0]}"; {hint}')
    with TemporaryDirectory() as scores:
        for name in benchmarks or list(expected):
            recorded = expected[name]
            wanted = [m for m in recorded["metrics"] if not metrics or m in metrics]
            found = _evaluated(name, wanted, scores, progress) if wanted else ""
            if isinstance(found, str):
                yield from (Check(name, metric, "cannot run", found) for metric in wanted)
            else:
                yield from (_compare(name, metric, recorded, found) for metric in wanted)
    for metric in (m for m in (metrics or METRICS) if m not in known):
        entry = METRICS.get(metric)
        why = "; ".join(entry.lacks()) if entry else "not in the registry"
        if why:
            yield Check("any", metric, "cannot run", why)
        else:
            yield Check("any", metric, "not recorded", f"posh-lite reproduce --record --metrics {metric}")


def _evaluated(name: str, metrics: Sequence[str], folder: str, progress: bool | None) -> Evaluation | str:
    """The evaluation, or why the benchmark is not here."""
    from posh_lite.benchmarks.registry import load_benchmark

    try:
        benchmark = load_benchmark(name)
    except InputError as error:
        return " ".join(str(error).split())
    return evaluate(benchmark, metrics, output=folder, progress=progress, **SETTINGS)


def _compare(name: str, metric: str, recorded: Mapping[str, Any], found: Evaluation) -> Check:
    run, old = found.run(metric), recorded["metrics"][metric]
    if run.skipped:
        return Check(name, metric, "cannot run", run.skipped)
    if recorded["pairs"] != found.about["pairs"]:
        return Check(name, metric, "differs", "the pairs of the benchmark are not those of the record")
    new, tolerance = figures_of(found, metric), float(old["tolerance"])
    other = "" if old["signature"] == run.signature else "; the signature is another one"
    details, largest = [], 0.0
    for figure in {**old["figures"], **new}:
        was, now = old["figures"].get(figure), new.get(figure)
        if was is None or now is None:
            details.append(f"{figure}: {'not recorded' if was is None else 'recorded, but no longer computed'}")
            continue
        gap = _gap(was["value"], now["value"])
        largest = max(largest, 0.0 if math.isinf(gap) else abs(gap))
        if abs(gap) > tolerance or was["n"] != now["n"]:
            shown = "" if math.isinf(gap) else f" ({gap:+.4f})"
            counted = "" if was["n"] == now["n"] else f"; n {now['n']}, expected {was['n']}"
            details.append(f"{figure}: {_shown(now['value'])}, expected {_shown(was['value'])}{shown}{counted}")
    if details:
        if other:
            details.append(f"signature now: {run.signature}")
            details.append(f"recorded:      {old['signature']}")
        return Check(name, metric, "differs", f"{len(details) - 2 * bool(other)} of {len(new)} figures{other}",
                     tuple(details))  # fmt: skip
    return Check(name, metric, "reproduces", f"{len(new)} figures within {tolerance:g}, the largest difference is"
                 f" {largest:.1g}{other}")  # fmt: skip


def _gap(was: float | None, now: float | None) -> float:
    """Difference; infinite where only one of the two is defined."""
    if was is None or now is None:
        return 0.0 if was is now else math.inf
    return now - was


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"
