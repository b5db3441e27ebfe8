"""Where scores go: JSON Lines or CSV, to a file or to standard output, a line as soon as there is one."""

from __future__ import annotations

import csv
import io
import json
import sys
from contextlib import nullcontext, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from posh_lite.errors import InputError
from posh_lite.metric.score import Score

FIELDS = ("id", "mistakes", "omissions", "overall", "n_components", "n_missing")
COMPONENT_FIELDS = (
    "side", "kind", "text", "identifier", "object", "spans", "score", "present", "question", "reason", "negated",
    "inherited", "missing",
)


class ScoreWriter:
    """Writes scores line by line and flushes each, so that a run that ends early leaves what it scored.

    Args:
        name: file name, or "-" for standard output.
        kind: "jsonl" or "csv".
        components: whether each line carries its components.
        append: keep what the file holds.
    """

    def __init__(self, name: str, kind: str, *, components: bool = False, append: bool = False) -> None:
        self.name, self.kind, self.components, self.append = name, kind, components, append
        self._handle: IO[str] | None = None

    def write(self, score: Score) -> None:
        """Write one line. The file is opened, and an older one replaced, only now that there is something to write."""
        row: dict[str, Any] = score.to_row()
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
        fields = [*FIELDS, *(["components"] if self.components else [])]
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


def open_writer(name: str, kind: str, *, components: bool, append: bool) -> ScoreWriter:
    """A :class:`ScoreWriter`; with ``append``, first cut off a last line that a killed run left half written."""
    if append and Path(name).is_file():
        data = Path(name).read_bytes()
        end = _complete(data, kind)
        if end < len(data):
            with Path(name).open("r+b") as handle:
                handle.truncate(end)
    return ScoreWriter(name, kind, components=components, append=append)


def _complete(data: bytes, kind: str) -> int:
    """Where the last complete line ends. In CSV a line end within quotes is none."""
    end = data.rfind(b"\n") + 1
    while kind == "csv" and end and data.count(b'"', 0, end) % 2:
        end = data.rfind(b"\n", 0, end - 1) + 1
    return end


def finished(name: str, kind: str, *, components: bool) -> dict[str, dict[str, Any]]:
    """The complete lines of an output file by id, each with the figures of :data:`FIELDS`.

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
            rows: list[dict[str, Any]] = list(csv.DictReader(io.StringIO(text, newline="")))
            for row in rows:
                row.update({f: float(row[f]) if row[f] else None for f in FIELDS[1:]})
        else:
            rows = [json.loads(line) for line in text.split("\n") if line.strip()]
        found = {row["id"]: {f: row[f] for f in FIELDS} for row in rows}
    except (ValueError, KeyError, TypeError, csv.Error):
        message = f"is no {kind} output of `posh-lite score`; --resume cannot go on from it"
        raise InputError(message, path=name) from None
    if any(("components" in row) != components for row in rows):
        how = "without" if components else "with"
        raise InputError(f"was written {how} --components; --resume needs the same options", path=name)
    return found
