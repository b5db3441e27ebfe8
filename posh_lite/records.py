"""Pair records and spans, and JSON Lines in and out.

A pair record is one JSON object a line with the fields ``id``, ``generation`` and ``reference``, and
optionally ``model``, ``image`` and ``source``. Offsets everywhere in the package are characters into these
untouched strings, so that ``text[start:end]`` is what the reader sees.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

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


def pair_from_dict(row: Any, *, path: object = None, line: int | None = None) -> Pair:
    """Check one decoded record and return it as a :class:`Pair`.

    Raises:
        InputError: the record is not an object, a field is missing, empty or not a string.
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


def read_jsonl(path: str | Path) -> Iterator[tuple[int, Any]]:
    """Yield ``(line number, decoded value)`` for every non-blank line of a UTF-8 JSON Lines file.

    Raises:
        InputError: no such file, not UTF-8, or a line that is not JSON.
    """
    path = Path(path)
    try:
        handle = path.open(encoding="utf-8-sig", newline="\n")
    except FileNotFoundError:
        raise InputError("no such file", path=path) from None
    except IsADirectoryError:
        raise InputError("is a folder, expected a JSON Lines file", path=path) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    with handle:
        number = 0
        try:
            for number, raw in enumerate(handle, start=1):
                if not raw.strip():
                    continue
                try:
                    yield number, json.loads(raw)
                except json.JSONDecodeError as error:
                    raise InputError(
                        f"not valid JSON at column {error.colno}: {error.msg}", path=path, line=number
                    ) from None
        except UnicodeDecodeError as error:
            raise InputError(f"not UTF-8 text: {error.reason}", path=path, line=number + 1) from None


def read_pairs(path: str | Path) -> Iterator[Pair]:
    """Yield the pairs of a JSON Lines file, checked one by one.

    Raises:
        InputError: as :func:`read_jsonl` and :func:`pair_from_dict`, or an ``id`` that occurred before.
    """
    seen: dict[str, int] = {}
    for line, row in read_jsonl(path):
        pair = pair_from_dict(row, path=path, line=line)
        if pair.id in seen:
            raise InputError(
                f'id "{pair.id}" was used on line {seen[pair.id]} already; ids must be unique',
                path=path, line=line, field="id",
            )
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
