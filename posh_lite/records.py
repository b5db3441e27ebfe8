"""Pair records and spans, and JSON Lines in and out.

A pair record is one JSON object a line with the fields ``id``, ``generation`` and ``reference``, and
optionally ``model``, ``image`` and ``source``. Offsets everywhere in the package are characters into these
untouched strings, so that ``text[start:end]`` is what the reader sees.
"""

from __future__ import annotations

import codecs
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from posh_lite.errors import InputError

#: Half-open character interval ``(start, end)`` into the original text.
Span = tuple[int, int]

_REQUIRED = ("id", "generation", "reference")
_OPTIONAL = ("model", "image", "source")


@dataclass(frozen=True, slots=True)
class Pair:
    """A generated description and the reference it is held against."""

    id: str
    generation: str
    reference: str
    model: str | None = None
    image: str | None = None
    source: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The record as a plain dictionary, without the fields that are not set."""
        return {k: v for k, v in asdict(self).items() if v is not None}


def is_text(value: str) -> bool:
    """Whether a string can be written as Unicode: it holds no lone half of a surrogate pair."""
    return value.isascii() or not any("\ud800" <= c <= "\udfff" for c in value)


def pair_from_dict(row: Any, *, path: object = None, line: int | None = None) -> Pair:
    """Check one decoded record and return it as a :class:`Pair`.

    Raises:
        InputError: the record is not an object; a field is missing, empty, not a string or no Unicode text.
    """
    if not isinstance(row, dict):
        raise InputError(f"expected a JSON object, got {type(row).__name__}", path=path, line=line)
    values: dict[str, str] = {}
    for name in _REQUIRED:
        if name not in row:
            raise InputError(
                f'field "{name}" is missing (a record needs id, generation and reference)',
                path=path, line=line, field=name,
            )
        value = row[name]
        if name == "id" and isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            raise InputError(
                f'field "{name}" must be a string, got {type(value).__name__}', path=path, line=line, field=name
            )
        if not value.strip():
            raise InputError(f'field "{name}" is empty', path=path, line=line, field=name)
        if not is_text(value):
            raise InputError(
                f'field "{name}" holds half of a surrogate pair, which is no character',
                path=path, line=line, field=name,
            )
        values[name] = value
    for name in _OPTIONAL:
        value = row.get(name)
        if value is not None:
            if not isinstance(value, str):
                raise InputError(
                    f'field "{name}" must be a string, got {type(value).__name__}', path=path, line=line, field=name
                )
            values[name] = value
    return Pair(**values)


def read_jsonl(
    path: str | Path, *, on_error: Callable[[InputError], None] | None = None
) -> Iterator[tuple[int, Any]]:
    """Yield ``(line number, decoded value)`` for every non-blank line of a UTF-8 JSON Lines file.

    Args:
        path: the file, or "-" for standard input. A byte-order mark and CRLF line ends are fine.
        on_error: told of each line that cannot be read, which is then left out; without it the error is raised.

    Raises:
        InputError: no such file, or a line that is not UTF-8 or not JSON.
    """
    with _open(path) as handle:
        path = "standard input" if str(path) == "-" else path
        for number, raw in enumerate(handle, start=1):
            if number == 1:
                raw = raw.removeprefix(codecs.BOM_UTF8)
            if not raw.strip():
                continue
            try:
                value = _decode(raw, path, number)
            except InputError as error:
                if on_error is None:
                    raise
                on_error(error)
                continue
            yield number, value


def _open(path: str | Path) -> AbstractContextManager[IO[bytes]]:
    if str(path) == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed; name a file, or pipe pairs in")
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(path).open("rb")
    except FileNotFoundError:
        raise InputError("no such file", path=path) from None
    except IsADirectoryError:
        raise InputError("is a folder, expected a JSON Lines file", path=path) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None


def _decode(raw: bytes, path: object, line: int) -> Any:
    try:
        return json.loads(raw.decode("utf-8").rstrip("\r\n"))  # else an open end is said to be in the next line
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text at byte {error.start + 1}: {error.reason}", path=path, line=line) from None
    except json.JSONDecodeError as error:
        what = error.msg.removesuffix(" at").removesuffix(" starting")
        hint = "; expected one object a line, not one array" if raw.strip() == b"[" else ""
        raise InputError(f"not valid JSON at column {error.colno}: {what}{hint}", path=path, line=line) from None
    except RecursionError:
        raise InputError("not a record: JSON nested too deeply", path=path, line=line) from None
    except ValueError as error:  # a number with more digits than Python converts
        raise InputError(f"not usable JSON: {error}", path=path, line=line) from None


def read_pairs(path: str | Path, *, on_error: Callable[[InputError], None] | None = None) -> Iterator[Pair]:
    """Yield the pairs of a JSON Lines file, checked one by one.

    Args:
        path: the file, or "-" for standard input.
        on_error: told of each record that cannot be used, which is then left out.

    Raises:
        InputError: as :func:`read_jsonl` and :func:`pair_from_dict`, or an ``id`` that occurred before.
    """
    seen: dict[str, int] = {}
    name = "standard input" if str(path) == "-" else path
    for line, row in read_jsonl(path, on_error=on_error):
        try:
            pair = pair_from_dict(row, path=name, line=line)
            if pair.id in seen:
                raise InputError(
                    f'id "{pair.id}" was used on line {seen[pair.id]} already; ids must be unique',
                    path=name, line=line, field="id",
                )
        except InputError as error:
            if on_error is None:
                raise
            on_error(error)
            continue
        seen[pair.id] = line
        yield pair


def write_jsonl(path: str | Path, rows: Iterable[Any]) -> int:
    """Write one JSON value a line (UTF-8, keys in the order given) and return how many."""
    count = 0
    with Path(path).open("w", encoding="utf-8", newline="\n") as handle:
        for row in rows:
            handle.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    return count
