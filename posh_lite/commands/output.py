"""Where scores go: JSON Lines or CSV, to a file or to standard output, a line as soon as there is one.

Each line has a stamp, short hashes of its pair's texts and of the signature, by which a later run knows what the line
was made of.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from posh_lite.errors import InputError
from posh_lite.judge.check import is_number
from posh_lite.judge.keys import digest
from posh_lite.metric.score import Score

FIELDS = ("id", "mistakes", "omissions", "overall", "n_components", "n_missing")
STAMP = "stamp"
_HASH = 8  # hexadecimal digits of each half of a stamp
COMPONENT_FIELDS = (
    "side", "kind", "text", "identifier", "object", "spans", "score", "present", "question", "reason", "negated",
    "inherited", "missing",
)


@dataclass(frozen=True, slots=True)
class Line:
    """A complete line of an output.

    Attributes:
        number: from 1.
        figures: those of :data:`FIELDS`.
        stamp: of :func:`stamp_of`; empty in the output of an earlier version.
    """

    number: int
    figures: dict[str, Any]
    stamp: str


def stamp_of(generation: str, reference: str, signature: str) -> str:
    """Sixteen digits that tell texts and settings from others: eight for the texts, eight for the signature."""
    return f"{digest(generation, reference).hex()[:_HASH]}-{digest(signature).hex()[:_HASH]}"


def made_otherwise(line: Line, stamp: str) -> str:
    """In what a line differs from what would be written now; empty where in nothing, or where it has no stamp."""
    if not line.stamp or line.stamp == stamp:
        return ""
    texts, settings = (a != b for a, b in zip(line.stamp.split("-"), stamp.split("-"), strict=True))
    return " and ".join(["other texts"] * texts + ["another judge or other settings"] * settings)


class ScoreWriter:
    """Writes scores line by line and flushes each, so that a run that ends early leaves what it scored.

    Args:
        name: file name, or "-" for standard output.
        kind: "jsonl" or "csv".
        components: whether each line carries its components.
        append: keep what the file holds.
        stamped: whether each line carries its stamp; not beside lines of an earlier version, which have none.
    """

    def __init__(
        self, name: str, kind: str, *, components: bool = False, append: bool = False, stamped: bool = True
    ) -> None:
        self.name, self.kind, self.components, self.append = name, kind, components, append
        self.stamped = stamped
        self._handle: IO[str] | None = None

    def write(self, score: Score) -> None:
        """Write one line. The file is opened, and an older one replaced, only now that there is something to write."""
        row: dict[str, Any] = score.to_row()
        if self.stamped:
            row[STAMP] = stamp_of(score.generation, score.reference, score.signature)
        if score.reasons and self.kind == "jsonl":
            row["reasons"] = dict(score.reasons)
        if self.components:
            dicts = [c.to_dict() for c in score.components]
            row["components"] = [{name: d[name] for name in COMPONENT_FIELDS} for d in dicts]
        line = self._csv(row) if self.kind == "csv" else json.dumps(row, ensure_ascii=False) + "\n"
        try:
            handle = self._open()
            handle.write(line)
            handle.flush()
        except BrokenPipeError:
            raise
        except OSError as error:  # a full disk does not say which one
            error.filename = error.filename or ("standard output" if self.name == "-" else self.name)
            raise

    def _open(self) -> IO[str]:
        if self._handle is None:
            fresh = True
            if self.name == "-":
                if sys.stdout is None:
                    raise InputError("standard output is closed; give -o FILE")
                self._handle = sys.stdout
            else:
                path = Path(self.name)
                fresh = not (self.append and path.is_file() and path.stat().st_size > 0)
                self._handle = path.open("w" if fresh else "a", encoding="utf-8", newline="")
            if self.kind == "csv" and fresh:
                self._handle.write(self._csv(None))
        return self._handle

    def _csv(self, row: dict[str, Any] | None) -> str:
        fields = [*FIELDS, *([STAMP] if self.stamped else []), *(["components"] if self.components else [])]
        line = io.StringIO()
        writer = csv.DictWriter(line, fields, lineterminator="\n", extrasaction="ignore")
        if row is None:
            writer.writeheader()
        else:
            if self.components:
                row = {**row, "components": json.dumps(row["components"], ensure_ascii=False)}
            writer.writerow(row)
        return line.getvalue()

    def __enter__(self) -> ScoreWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._handle is not None and self.name != "-":
            with suppress(OSError) if kind is not None else nullcontext():  # the first fault is the one to report
                self._handle.close()


def _headings(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as handle:
        return next(csv.reader(handle), [])


def open_writer(name: str, kind: str, *, components: bool, append: bool, stamped: bool = True) -> ScoreWriter:
    """A :class:`ScoreWriter`; with ``append``, first cut off a last line that a killed run left half written.

    Whether lines of a CSV file that is there have stamps is for its headings to say.
    """
    if append and Path(name).is_file():
        data = Path(name).read_bytes()
        end = _complete(data, kind)
        if end < len(data):
            with Path(name).open("r+b") as handle:
                handle.truncate(end)
        if kind == "csv" and end:
            stamped = STAMP in _headings(Path(name))
    return ScoreWriter(name, kind, components=components, append=append, stamped=stamped)


def _complete(data: bytes, kind: str) -> int:
    """Where the last complete line ends. In CSV a line end within quotes is none."""
    end = data.rfind(b"\n") + 1
    while kind == "csv" and end and data.count(b'"', 0, end) % 2:
        end = data.rfind(b"\n", 0, end - 1) + 1
    return end


def finished(name: str, kind: str, *, components: bool) -> dict[str, Line]:
    """The complete lines of an output file by id.

    Raises:
        InputError: the file is no output of the same format, or one with other columns.
    """
    path = Path(name)
    if not path.is_file():
        return {}
    data = path.read_bytes()
    try:
        text = data[: _complete(data, kind)].decode("utf-8")
        if kind == "csv":
            reader = csv.DictReader(io.StringIO(text, newline=""))
            rows: list[tuple[int, dict[str, Any]]] = []
            at = 2  # below the heading; a row of more lines than one is known by its first
            for row in reader:
                rows.append((at, row | {f: float(row[f]) if row[f] else None for f in FIELDS[1:]}))
                at = reader.line_num + 1
        else:
            rows = [(n, json.loads(line)) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
        found = {row["id"]: Line(n, {f: _figure(row, f) for f in FIELDS}, _stamp(row)) for n, row in rows}
    except (ValueError, KeyError, TypeError, csv.Error):
        message = f"is no {kind} output of `posh-lite score`; --resume cannot go on from it"
        raise InputError(message, path=name) from None
    if any(("components" in row) != components for _, row in rows):
        how = "without" if components else "with"
        raise InputError(f"was written {how} --components; --resume needs the same options", path=name)
    return found


def _figure(row: dict[str, Any], name: str) -> Any:
    """The id or a figure of a line.

    Raises:
        ValueError: it is none.
    """
    found = row[name]
    if not isinstance(found, str) if name == FIELDS[0] else found is not None and not is_number(found):
        raise ValueError(found)
    return found


def _stamp(row: dict[str, Any]) -> str:
    """The stamp of a line.

    Raises:
        ValueError: it has one that is none.
    """
    found = row.get(STAMP, "")
    if not isinstance(found, str) or not re.fullmatch(rf"|[0-9a-f]{{{_HASH}}}-[0-9a-f]{{{_HASH}}}", found):
        raise ValueError(found)
    return found
