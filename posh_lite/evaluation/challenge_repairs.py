"""Each planted mistake of the known-answer corpus with the words that would be right in its place.

``data/mini/repairs.jsonl`` holds them, written by hand: a repair takes back one mistake, or the marks that only make
sense together, such as the two halves of an exchange. All repairs of a caption leave a text without a mistake; all
but one leave exactly that one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import as_file
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.benchmarks.mini import find_mini
from posh_lite.errors import InputError
from posh_lite.records import Span, read_jsonl

if TYPE_CHECKING:
    from posh_lite.benchmarks.mini import MiniCorpus

REPAIRS = "repairs.jsonl"


@dataclass(frozen=True, slots=True)
class Edit:
    """The words of a caption at ``[start:end]`` become ``new``."""

    start: int
    end: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Repair:
    """What takes one mistake back.

    Attributes:
        id: of the pair.
        type: of the mistake, as in the corpus.
        marks: the spans of the mistake in the caption.
        edits: in text order, without overlap; a few lie beside the mistake, such as the verb of a number.
    """

    id: str
    type: str
    marks: tuple[Span, ...]
    edits: tuple[Edit, ...]


def read_repairs(corpus: MiniCorpus, path: str | Path | None = None) -> dict[str, tuple[Repair, ...]]:
    """The repairs of each caption that has mistakes, checked against it.

    Args:
        corpus: the known-answer corpus.
        path: of another file; by default the one beside the corpus.

    Returns:
        By pair id, in the order of the file; together they name every mistake once.

    Raises:
        InputError: the file is not there; a line has another form, does not fit its caption, or overlaps with
            another one; a mistake has no repair or two.
    """
    found: dict[str, list[Repair]] = {}
    place = find_mini() / REPAIRS if path is None else Path(path)
    with as_file(place) as file:
        if not file.is_file():
            raise InputError("the repairs of the planted mistakes are not there; reinstall posh-lite", path=file)
        texts = {pair.id: pair.generation for pair in corpus.pairs}
        taken: dict[str, list[int]] = {}
        for line, row in read_jsonl(file):
            try:
                repair, numbers = _repair(row, corpus, texts)
            except (KeyError, TypeError, ValueError) as error:
                raise InputError(f"not a repair of a planted mistake: {error}", path=file, line=line) from None
            found.setdefault(repair.id, []).append(repair)
            taken.setdefault(repair.id, []).extend(numbers)
        for gold in corpus.gold:
            if sorted(taken.get(gold.id, [])) != list(range(1, len(gold.mistakes) + 1)):
                raise InputError(f"{gold.id}: every mistake needs one repair", path=file)
            edits = sorted((e for r in found.get(gold.id, []) for e in r.edits), key=lambda e: e.start)
            if any(a.end > b.start for a, b in pairwise(edits)):
                raise InputError(f"{gold.id}: edits overlap", path=file)
    return {key: tuple(rows) for key, rows in found.items()}


def _repair(row: Any, corpus: MiniCorpus, texts: dict[str, str]) -> tuple[Repair, list[int]]:
    name, numbers = str(row["id"]), [int(n) for n in row["marks"]]
    text, mistakes = texts[name], corpus.gold_of(name).mistakes
    if not numbers or not all(1 <= n <= len(mistakes) for n in numbers):
        raise ValueError(f"{name} has {len(mistakes)} mistakes, the line names {numbers}")
    chosen = [mistakes[n - 1] for n in numbers]
    edits = tuple(Edit(e["start"], e["end"], e["old"], e["new"]) for e in row["edits"])
    for edit in edits:
        if text[edit.start : edit.end] != edit.old or edit.old == edit.new:
            raise ValueError(f'{name}: "{edit.old}" does not stand at {edit.start}, or is not changed')
    for mistake in chosen:
        if mistake.type != row["type"]:
            raise ValueError(f'{name}: "{mistake.text}" is of the type {mistake.type}, not {row["type"]}')
        if not any(e.start <= mistake.start and mistake.end <= e.end for e in edits):
            raise ValueError(f'{name}: no edit covers "{mistake.text}"')
    return Repair(name, str(row["type"]), tuple(m.span for m in chosen), edits), numbers


def edited(text: str, edits: Iterable[Edit], spans: Sequence[Span] = ()) -> tuple[str, tuple[Span, ...]]:
    """A text with edits made, and where spans that no edit touches lie in it.

    Args:
        text: of the caption.
        edits: without overlap, in any order.
        spans: of the caption.

    Returns:
        The new text and the moved spans; ``new[start:end]`` reads as before.
    """
    ordered = sorted(edits, key=lambda e: e.start)
    parts, last = [], 0
    for edit in ordered:
        parts += [text[last : edit.start], edit.new]
        last = edit.end
    moved = []
    for start, end in spans:
        shift = sum(len(e.new) - (e.end - e.start) for e in ordered if e.end <= start)
        moved.append((start + shift, end + shift))
    return "".join([*parts, text[last:]]), tuple(moved)


def repaired(text: str, repairs: Sequence[Repair]) -> str:
    """A caption with all of its mistakes taken back."""
    return edited(text, [e for r in repairs for e in r.edits])[0]


def with_one(text: str, repairs: Sequence[Repair], kept: Repair) -> tuple[str, tuple[Span, ...]]:
    """A caption with all of its mistakes taken back but one, and the spans of that one."""
    return edited(text, [e for r in repairs if r is not kept for e in r.edits], kept.marks)
