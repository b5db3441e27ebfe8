"""Spans that people marked as right or wrong, from JSON Lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from posh_lite.errors import InputError
from posh_lite.judge.contract import Side
from posh_lite.records import Pair, Span, pair_from_dict, read_jsonl


@dataclass(slots=True)
class Marks:
    """The marked spans of one pair, by side, each with its label."""

    pair: Pair
    line: int
    spans: dict[Side, list[tuple[Span, int]]] = field(default_factory=lambda: {"generation": [], "reference": []})


def read_marks(path: str | Path) -> dict[str, Marks]:
    """Read and check a file of labelled spans.

    Returns:
        The marks by id of the pair, in the order of the file.

    Raises:
        InputError: no such file, no lines, or a field that cannot be used; file, line and field are named.
    """
    if str(path) == "-":
        raise InputError("labelled questions come from a file, not from standard input")
    found: dict[str, Marks] = {}
    for line, row in read_jsonl(path):
        pair = pair_from_dict(row, path=path, line=line)
        marks = found.setdefault(pair.id, Marks(pair, line))
        for name in ("generation", "reference", "image"):
            if getattr(pair, name) != getattr(marks.pair, name):
                raise InputError(
                    f'field "{name}" of pair "{pair.id}" is not what it is on line {marks.line}',
                    path=path, line=line, field=name,
                )
        side = _side(row, path, line)
        text = pair.generation if side == "generation" else pair.reference
        marks.spans[side].append((_span(row, text, path, line), _label(row, path, line)))
    if not found:
        raise InputError("no labelled spans in the file", path=path)
    return found


def _side(row: dict[str, Any], path: object, line: int) -> Side:
    value = row.get("side")
    if value == "generation":
        return "generation"
    if value == "reference":
        return "reference"
    raise InputError(f'field "side" must be "generation" or "reference", got {value!r}', path=path, line=line,
                     field="side")  # fmt: skip


def _span(row: dict[str, Any], text: str, path: object, line: int) -> Span:
    value = row.get("span")
    whole = isinstance(value, list) and len(value) == 2 and all(type(v) is int for v in value)
    if not whole or not isinstance(value, list):
        raise InputError(f'field "span" must be [start, end] in characters, got {value!r}', path=path, line=line,
                         field="span")  # fmt: skip
    start, end = value
    if not 0 <= start < end <= len(text):
        raise InputError(f'field "span" {value} is not within the {len(text):,} characters of its text', path=path,
                         line=line, field="span")  # fmt: skip
    return (start, end)


def _label(row: dict[str, Any], path: object, line: int) -> int:
    value = row.get("label")
    if type(value) is not int or value not in (0, 1):
        raise InputError(f'field "label" must be 1 (borne out by the other text) or 0, got {value!r}', path=path,
                         line=line, field="label")  # fmt: skip
    return value
