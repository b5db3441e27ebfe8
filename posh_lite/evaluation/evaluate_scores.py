"""Scores of one metric on one benchmark, kept as a file so that an interrupted evaluation goes on where it was.

A file holds scores and scored spans under the ids of pairs, and no text. It is found again by its key: signature and
options of the metric, hashes of the pairs and of pictures it looks at, and of the code, the package's and one's own.
Scores that lack answers of a model are not kept: another run asks for these again.
"""

from __future__ import annotations

import gzip
import hashlib
import inspect
import json
import math
import operator
import os
import re
import sys
import time
import warnings
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.benchmarks.contract import DIMENSIONS, Benchmark
from posh_lite.errors import InputError
from posh_lite.metric.protocol import Located, Metric, ScoredSpan, measure
from posh_lite.records import Pair

if TYPE_CHECKING:
    import pandas as pd

SIDES = ("generation", "reference")
#: Parts of the package that can change a score or how it is kept.
_CODE = (
    "graph", "judge", "metric", "baselines", "language.py", "records.py", "text.py", "text_words.py",
    "evaluation/evaluate_scores.py",
)
#: Folders of installed packages, whose files have nothing to do with each other.
_INSTALLED = ("site-packages", "dist-packages")


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


def _own_code(metric: Metric) -> str:
    """Hash of the code outside of the package that can change a score.

    That is the files of the classes that a metric is made from, of those of its parts (a judge of one's own), and
    whatever is loaded from beside these.
    """
    found, beside = set[str](), set[str]()
    for part in (metric, *getattr(metric, "__dict__", {}).values()):
        for kind in type(part).__mro__:
            if kind.__module__.partition(".")[0] in ("posh_lite", *sys.stdlib_module_names):
                continue
            try:
                path = os.path.abspath(inspect.getsourcefile(kind) or "")
            except (TypeError, OSError):  # built in, or from a cell or a console
                continue
            installed = any(f"{os.sep}{name}{os.sep}" in path for name in _INSTALLED)
            if os.path.isfile(path) and (part is metric or not installed):
                found.add(path)
                beside |= set() if installed else {os.path.dirname(path)}
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        path = os.path.abspath(file) if isinstance(file, str) else ""
        if path.endswith(".py") and os.path.dirname(path) in beside and os.path.isfile(path):
            found.add(path)
    digest = hashlib.sha256()
    for path in sorted(found):
        digest.update(f"{os.path.basename(path)}\0".encode() + Path(path).read_bytes())
    return digest.hexdigest()


def _pictures(metric: Metric, pairs: Sequence[Pair]) -> str:
    """Hash of the pictures that a metric looks at; what stands in a record itself is in the hash of the pairs."""
    if "image" not in metric.needs:
        return ""
    from posh_lite.baselines.chat_engines import IMAGES
    from posh_lite.baselines.images import Pictures

    where = getattr(metric, "_pictures", None)
    folder = where.folder if isinstance(where, Pictures) else Path(os.environ.get(IMAGES, "").strip() or ".")
    digest = hashlib.sha256()
    for name in dict.fromkeys(pair.image for pair in pairs if pair.image):
        try:
            seen = hashlib.sha256(((folder or Path()) / Path(name).expanduser()).read_bytes()).hexdigest()
        except (OSError, ValueError, RuntimeError):
            seen = ""
        digest.update(f"{name}\0{seen}\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


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
        InputError: the metric's frame or its spans are not of the protocol's form.
    """
    signature = signature_of(metric)
    path = None
    # where a class has no file, a changed one could not be told from the old one
    if folder is not None and _source(metric):
        parts = [signature, dict(options or {}), pairs_hash(benchmark.pairs), _package(), _own_code(metric),
                 _pictures(metric, benchmark.pairs)]
        key = hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()
        path = Path(folder) / f"{_slug(name or metric.name)}.{key[:16]}.json.gz"
        if (kept := _read(path, key, benchmark)) is not None:
            return kept
    start = time.perf_counter()
    frame, places = measure(metric, benchmark.pairs)
    seconds = time.perf_counter() - start
    placed = _placed(places, benchmark, metric.name)
    uncovered, sides = (math.nan, SIDES) if placed is None else _pointing(metric)
    found = Scored(_checked(frame, benchmark, metric.name), placed, uncovered, sides, signature, seconds, False)
    if missing := _missing(metric, frame):
        warnings.warn(f"{name or metric.name}: {missing:,} answers are missing; its scores are not kept, and another"
                      " run asks again", stacklevel=2)  # fmt: skip
    elif path is not None:
        _write(path, key, found, pairs_hash(benchmark.pairs))
    return found


def read_recorded(folder: str | Path, name: str, benchmark: Benchmark) -> Scored | None:
    """Scores of a metric that an earlier run kept, whatever the code is by now; their signature says what made them.

    Args:
        folder: where they were kept.
        name: of the metric, as it was asked for.
        benchmark: its pairs must be those of the scores, ids and texts.

    Returns:
        None where there are none of these pairs.

    Raises:
        InputError: there are several, of which none can be preferred.
    """
    pairs = pairs_hash(benchmark.pairs)
    found = [kept for path in _recorded(folder, name) if (kept := _read(path, None, benchmark, pairs)) is not None]
    if len(found) > 1:
        raise InputError(f"holds {len(found)} files of scores of {name} for these pairs; keep one", path=folder)
    return found[0] if found else None


def damaged(folder: str | Path, name: str) -> list[str]:
    """Names of files of scores of that metric, of whatever pairs, that cannot be read."""
    names = []
    for path in _recorded(folder, name):
        try:
            broken = not isinstance(json.loads(gzip.decompress(path.read_bytes())), dict)
        except (OSError, EOFError, zlib.error, ValueError):
            broken = True
        names += [path.name] * broken
    return names


def _recorded(folder: str | Path, name: str) -> list[Path]:
    return sorted(Path(folder).glob(f"{_slug(name)}.*.json.gz"))


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower() or "metric"


def _missing(metric: Metric, frame: pd.DataFrame) -> int:
    """Answers that a metric says it did not get: in its frame, as PoSh, or by itself, as rows that ask a model."""
    counted = frame["n_missing"].sum() if "n_missing" in frame else getattr(metric, "n_missing", 0)
    return 0 if callable(counted) else int(counted)


def _checked(frame: Any, benchmark: Benchmark, name: str) -> pd.DataFrame:
    import pandas as pd

    wanted = ["id", *DIMENSIONS]
    if not isinstance(frame, pd.DataFrame) or (missing := [c for c in wanted if c not in frame.columns]):
        what = type(frame).__name__ if not isinstance(frame, pd.DataFrame) else f"no column {missing[0]!r}"
        raise InputError(f"{name}: score() must return a frame with the columns {', '.join(wanted)}; got {what}")
    if twice := [c for c in wanted if list(frame.columns).count(c) > 1]:
        raise InputError(f"{name}: score() returned the column {twice[0]!r} twice")
    if (ids := [str(i) for i in frame["id"]]) != (due := [pair.id for pair in benchmark.pairs]):
        odd = next(((k, a, b) for k, (a, b) in enumerate(zip(ids, due, strict=False), start=1) if a != b), None)
        got = str(len(ids)) + (f", of which row {odd[0]} has the id {odd[1]!r}, not {odd[2]!r}" if odd else "")
        raise InputError(f"{name}: expected one row for each of {len(due)} pairs, in order; got {got}")
    clean = frame[wanted].reset_index(drop=True)
    for column in DIMENSIONS:
        try:
            clean[column] = clean[column].astype(float)
        except (TypeError, ValueError) as error:
            raise InputError(f"{name}: the column {column!r} must hold numbers: {error}") from None
        if len(odd_rows := clean.index[clean[column].abs() == math.inf]):
            raise InputError(f"{name}: the column {column!r} is infinite for the pair {ids[odd_rows[0]]!r}; it must"
                             " be a finite number, or NaN where the metric does not say")  # fmt: skip
    clean["id"] = ids
    return clean


def _placed(places: Any, benchmark: Benchmark, name: str) -> list[Located] | None:
    """Spans of each pair as plain numbers, whatever kind of number a metric gives them as."""
    if places is None:
        return None
    found = list(places)
    if not all(isinstance(one, Located) for one in found) or (
        [one.id for one in found] != [pair.id for pair in benchmark.pairs]
    ):
        raise InputError(f"{name}: locate() must return a Located for each pair, in order; got {len(found)} entries")
    return [Located(one.id, *(_plain(getattr(one, side), name, one.id) for side in SIDES)) for one in found]


def _plain(spans: Any, name: str, pair_id: str) -> tuple[ScoredSpan, ...]:
    try:
        return tuple((operator.index(start), operator.index(end), float(score)) for start, end, score in spans)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: a span is (start, end, score), two whole numbers and a number; of the pair"
                         f" {pair_id!r} one is not: {error}") from None  # fmt: skip


def _pointing(metric: Metric) -> tuple[float, tuple[str, ...]]:
    """The score of words without a span, and the texts in which a metric points at places."""
    try:
        uncovered = float(metric.uncovered)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        uncovered = math.nan
    if math.isnan(uncovered):
        raise InputError(f"{metric.name}: uncovered must be a number, the score of words that no span touches")
    sides = getattr(metric, "sides", SIDES)
    if isinstance(sides, str) or not set(sides) <= set(SIDES):
        raise InputError(f"{metric.name}: sides must hold none but {' and '.join(SIDES)}, got {sides!r}")
    return uncovered, tuple(sides)


def _write(path: Path, key: str, found: Scored, pairs: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [[row.id, *(_null(getattr(row, n)) for n in DIMENSIONS)] for row in found.frame.itertuples()]
    spans = None if found.places is None else [
        [one.id, *([[a, b, _null(float(s))] for a, b, s in side] for side in (one.generation, one.reference))]
        for one in found.places
    ]  # fmt: skip
    record = {"key": key, "pairs": pairs, "signature": found.signature, "seconds": found.seconds,
              "uncovered": _null(found.uncovered), "sides": list(found.sides), "scores": rows,
              "spans": spans}  # fmt: skip
    aside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    aside.write_bytes(gzip.compress(json.dumps(record).encode(), mtime=0))
    aside.replace(path)  # a run that is stopped here leaves no half file


def _read(path: Path, key: str | None, benchmark: Benchmark, pairs: str = "") -> Scored | None:
    """What a file holds; None where it is not there, is of something else or is broken.

    It is known by its key, or where that is None by the hash of its pairs.
    """
    import pandas as pd

    try:
        record = json.loads(gzip.decompress(path.read_bytes()))
        fits = record["key"] == key if key is not None else record.get("pairs") == pairs
        if not fits or [row[0] for row in record["scores"]] != [pair.id for pair in benchmark.pairs]:
            return None
        frame = pd.DataFrame(record["scores"], columns=["id", *DIMENSIONS])
        frame[list(DIMENSIONS)] = frame[list(DIMENSIONS)].astype(float)
        spans = record["spans"]
        places = None if spans is None else [Located(i, _spans(a), _spans(b)) for i, a, b in spans]
        uncovered = math.nan if record["uncovered"] is None else float(record["uncovered"])
        return Scored(frame, places, uncovered, tuple(record["sides"]), str(record["signature"]),
                      float(record["seconds"]), True)
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, AttributeError):
        return None


def _spans(rows: Any) -> tuple[tuple[int, int, float], ...]:
    return tuple((a, b, math.nan if score is None else score) for a, b, score in rows)


def _null(value: float) -> float | None:
    """JSON has no NaN; infinite scores stay, as Python writes them."""
    return None if math.isnan(value) else float(value)
