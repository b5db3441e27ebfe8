"""Scores of one metric on one benchmark, kept as a file so that an interrupted evaluation goes on where it was.

A file holds scores and scored spans under the ids of pairs, and no text. It is found again by its key: signature and
options of the metric, hash of the pairs, and hash of the code, of the package and of a metric of one's own.
"""

from __future__ import annotations

import gzip
import hashlib
import inspect
import json
import math
import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.benchmarks.contract import DIMENSIONS, Benchmark
from posh_lite.errors import InputError
from posh_lite.metric.protocol import Located, Metric, measure
from posh_lite.records import Pair

if TYPE_CHECKING:
    import pandas as pd

#: Parts of the package that can change a score.
_CODE = ("graph", "judge", "metric", "baselines", "language.py", "records.py", "text.py", "text_words.py")


@dataclass(frozen=True, slots=True)
class Scored:
    """What a metric said of every pair.

    Attributes:
        frame: columns ``id``, ``mistakes``, ``omissions``, ``overall``.
        places: its scored spans; None where it points at no places.
        uncovered, sides: see :class:`~posh_lite.metric.protocol.Localizer`.
        signature: of the metric.
        seconds: that scoring took.
        cached: whether the scores were read from a file of an earlier run.
    """

    frame: pd.DataFrame
    places: list[Located] | None
    uncovered: float
    sides: tuple[str, ...]
    signature: str
    seconds: float
    cached: bool


def pairs_hash(pairs: Sequence[Pair]) -> str:
    """SHA-256 of the pairs, ids and texts."""
    rows = json.dumps([pair.to_dict() for pair in pairs], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(rows.encode()).hexdigest()


def signature_of(metric: Metric) -> str:
    """What the figures of a metric depend on: its own signature, or its name and the hash of its source."""
    own = getattr(metric, "signature", None)
    if isinstance(own, str) and own:
        return own
    return f"{metric.name}|code:{_source(metric)[:12] or 'unknown'}"


def _source(metric: Metric) -> str:
    """Hash of the file that defines a metric; empty where there is none, as in a notebook's cell or a console."""
    try:
        path = inspect.getsourcefile(type(metric))
        return hashlib.sha256(Path(path).read_bytes()).hexdigest() if path else ""
    except (TypeError, OSError):
        return ""


@cache
def _package() -> str:
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for part in _CODE:
        for path in sorted((root / part).rglob("*")) if (root / part).is_dir() else [root / part]:
            if path.suffix in (".py", ".toml"):
                digest.update(f"{path.relative_to(root)}\0".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


def score_benchmark(
    metric: Metric, benchmark: Benchmark, *, name: str = "", options: Mapping[str, Any] | None = None,
    folder: str | Path | None = None,
) -> Scored:
    """Scores of a metric, from the folder where they are there already, else computed and put there.

    Args:
        metric: of the protocol.
        benchmark: its pairs are scored all at once, since some metrics weigh words by the whole corpus.
        name: for the file name.
        options: that the metric was made with; part of the key.
        folder: None keeps nothing.

    Raises:
        InputError: the metric's frame is not of the protocol's form.
    """
    signature = signature_of(metric)
    path = None
    # where a class has no file, a changed one could not be told from the old one
    if folder is not None and _source(metric):
        own = "" if type(metric).__module__.startswith("posh_lite.") else _source(metric)
        parts = [signature, dict(options or {}), pairs_hash(benchmark.pairs), _package(), own]
        key = hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()
        slug = re.sub(r"[^A-Za-z0-9]+", "-", name or metric.name).strip("-").lower() or "metric"
        path = Path(folder) / f"{slug}.{key[:16]}.json.gz"
        if (kept := _read(path, key, benchmark)) is not None:
            return kept
    start = time.perf_counter()
    frame, places = measure(metric, benchmark.pairs)
    seconds = time.perf_counter() - start
    found = Scored(
        _checked(frame, benchmark, metric.name), _placed(places, benchmark, metric.name),
        float(getattr(metric, "uncovered", math.nan)), tuple(getattr(metric, "sides", ("generation", "reference"))),
        signature, seconds, False,
    )
    if path is not None:
        _write(path, key, found)
    return found


def _checked(frame: Any, benchmark: Benchmark, name: str) -> pd.DataFrame:
    import pandas as pd

    wanted = ["id", *DIMENSIONS]
    if not isinstance(frame, pd.DataFrame) or (missing := [c for c in wanted if c not in frame.columns]):
        what = type(frame).__name__ if not isinstance(frame, pd.DataFrame) else f"no column {missing[0]!r}"
        raise InputError(f"{name}: score() must return a frame with the columns {', '.join(wanted)}; got {what}")
    if (ids := [str(i) for i in frame["id"]]) != [pair.id for pair in benchmark.pairs]:
        raise InputError(f"{name}: expected one row for each of {len(benchmark.pairs)} pairs, in order; got {len(ids)}")
    clean = frame[wanted].reset_index(drop=True)
    for column in DIMENSIONS:
        try:
            clean[column] = clean[column].astype(float)
        except (TypeError, ValueError) as error:
            raise InputError(f"{name}: the column {column!r} must hold numbers: {error}") from None
    clean["id"] = ids
    return clean


def _placed(places: Any, benchmark: Benchmark, name: str) -> list[Located] | None:
    if places is None:
        return None
    found = list(places)
    if [one.id for one in found] != [pair.id for pair in benchmark.pairs]:
        raise InputError(f"{name}: locate() must return the spans of each pair, in order; got {len(found)} entries")
    return found


def _write(path: Path, key: str, found: Scored) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [[row.id, *(_null(getattr(row, n)) for n in DIMENSIONS)] for row in found.frame.itertuples()]
    spans = None if found.places is None else [
        [one.id, *([[a, b, _null(float(s))] for a, b, s in side] for side in (one.generation, one.reference))]
        for one in found.places
    ]  # fmt: skip
    record = {"key": key, "signature": found.signature, "seconds": found.seconds, "uncovered": _null(found.uncovered),
              "sides": list(found.sides), "scores": rows, "spans": spans}  # fmt: skip
    aside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    aside.write_bytes(gzip.compress(json.dumps(record).encode(), mtime=0))
    aside.replace(path)  # a run that is stopped here leaves no half file


def _read(path: Path, key: str, benchmark: Benchmark) -> Scored | None:
    """What a file holds; None where it is not there, is of something else or is broken."""
    import pandas as pd

    try:
        record = json.loads(gzip.decompress(path.read_bytes()))
        if record["key"] != key or [row[0] for row in record["scores"]] != [pair.id for pair in benchmark.pairs]:
            return None
        frame = pd.DataFrame(record["scores"], columns=["id", *DIMENSIONS])
        frame[list(DIMENSIONS)] = frame[list(DIMENSIONS)].astype(float)
        spans = record["spans"]
        places = None if spans is None else [Located(i, _spans(a), _spans(b)) for i, a, b in spans]
        uncovered = math.nan if record["uncovered"] is None else float(record["uncovered"])
        return Scored(frame, places, uncovered, tuple(record["sides"]), record["signature"], record["seconds"], True)
    except (OSError, EOFError, ValueError, KeyError, TypeError):
        return None


def _spans(rows: Any) -> tuple[tuple[int, int, float], ...]:
    return tuple((a, b, math.nan if score is None else score) for a, b, score in rows)


def _null(value: float) -> float | None:
    """JSON has no NaN; infinite scores stay, as Python writes them."""
    return None if math.isnan(value) else float(value)
