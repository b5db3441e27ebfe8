"""Published tables as they are printed: cells of text, and figures with the interval that their digits leave open."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from functools import cached_property, lru_cache
from importlib.resources.abc import Traversable
from itertools import product
from pathlib import Path
from typing import Any

from posh_lite.errors import InputError
from posh_lite.packaged import find_data


@dataclass(frozen=True, slots=True)
class Printed:
    """A figure as it is printed: any number that rounds to it may have stood behind it.

    >>> Printed("0.559").low, Printed("0.559").high
    (Decimal('0.5585'), Decimal('0.5595'))
    """

    text: str

    @property
    def value(self) -> Decimal:
        return Decimal(self.text)

    @property
    def step(self) -> Decimal:
        """One unit in the last digit."""
        exponent = self.value.as_tuple().exponent
        assert isinstance(exponent, int)
        return Decimal(1).scaleb(exponent)

    @property
    def low(self) -> Decimal:
        return self.value - self.step / 2

    @property
    def high(self) -> Decimal:
        return self.value + self.step / 2

    def times(self, factor: Decimal | int) -> tuple[Decimal, Decimal]:
        """Ends of the interval, multiplied."""
        ends = sorted((self.low * factor, self.high * factor))
        return ends[0], ends[1]


def is_figure(text: str) -> bool:
    """Whether a cell is one finite number."""
    try:
        return Decimal(text).is_finite()
    except InvalidOperation:
        return False


def bounds(rule: Callable[..., Decimal], *figures: Printed) -> tuple[Decimal, Decimal]:
    """Least and greatest value of a rule over all numbers that the figures may stand for.

    The rule has to rise or fall with each figure alone (sums, differences, ratios of positive figures do): then
    its extremes lie at corners of the intervals. A figure that enters twice has to be handed over once.
    """
    found = [rule(*corner) for corner in product(*((f.low, f.high) for f in figures))]
    return min(found), max(found)


@dataclass(frozen=True, slots=True)
class TableInfo:
    """What ``tables.toml`` says of a table.

    Attributes:
        paper: "posh", "position", or "both".
        number: as printed ("5a" for a part), or empty for what is no table in print.
        label: short name; the caption key without "tab:" where the source of the paper has one.
        file: in the folder.
        title: in our words.
        rows: columns that name a row together.
        units, about: of each column.
        notes: what a reader of the figures should know.
        citation: key in ``book/references.bib``, or empty for both papers.
        key: the caption key in the source of the paper, or empty where the source at hand has none.
        where: for what is no table in print.
    """

    paper: str
    number: str
    label: str
    file: str
    title: str
    rows: tuple[str, ...]
    units: Mapping[str, str]
    about: Mapping[str, str]
    notes: tuple[str, ...]
    citation: str
    key: str
    where: str

    @property
    def place(self) -> str:
        """Where it stands in print."""
        return f"table {self.number}" if self.number else self.where


@dataclass(frozen=True)
class Sheet:
    """A table: its description, and its cells by name of the row and of the column."""

    info: TableInfo
    columns: tuple[str, ...]
    cells: Mapping[str, Mapping[str, str]]

    def figures(self) -> Iterator[tuple[str, str, str]]:
        """Row, column and text of every cell that is a figure, apart from the row's name."""
        for row, cells in self.cells.items():
            for column in self.columns:
                if column not in self.info.rows and is_figure(cells[column]):
                    yield row, column, cells[column]


@dataclass(frozen=True)
class Published:
    """All tables and statements of both papers. A reference is ``label/row/column`` or ``statement:id``."""

    sheets: Mapping[str, Sheet]
    lost: tuple[Mapping[str, str], ...]

    def sheet(self, name: str) -> Sheet:
        """The table with that label, or "posh:3".

        Raises:
            InputError: there is none; the message has near names.
        """
        name = str(name)  # a number alone is a likely slip, and the message below answers it
        label = self._by_number.get(name, name)
        if label in self.sheets:
            return self.sheets[label]
        gone = [entry["about"] for entry in self.lost if f"{entry['paper']}:{entry['number']}" == name]
        if gone:
            raise InputError(f'table "{name}" was lost when the text of the paper was extracted: {gone[0]}')
        if parts := [n for n in self._by_number if name in (n.rstrip("ab"), n.split(":")[1])]:
            raise InputError(f'no table "{name}": there is {" and ".join(parts)}')
        raise InputError(_unknown(name, [*self.sheets, *self._by_number], "table"))

    @cached_property
    def _by_number(self) -> dict[str, str]:
        return {f"{s.info.paper}:{s.info.number}": label for label, s in self.sheets.items() if s.info.number}

    def text(self, name: str, row: str, column: str) -> str:
        """The cell as printed, empty where the table has none.

        Raises:
            InputError: no such table, row or column; the message has near names.
        """
        sheet = self.sheet(name)
        if row not in sheet.cells:
            raise InputError(f"{sheet.info.label}: {_unknown(row, sheet.cells, 'row')}")
        if column not in sheet.columns:
            raise InputError(f"{sheet.info.label}: {_unknown(column, sheet.columns, 'column')}")
        return sheet.cells[row][column]

    def printed(self, name: str, row: str, column: str) -> Printed:
        """The figure of a cell.

        Raises:
            InputError: no such cell, or it is no figure.
        """
        text = self.text(name, row, column)
        if not is_figure(text):
            raise InputError(f'{name}, row "{row}", column "{column}" is no figure: {text or "an empty cell"}')
        return Printed(text)

    def at(self, reference: str) -> Printed:
        """The figure that a reference names.

        Raises:
            InputError: it names none.
        """
        return self.printed(*_address(reference))

    def replaced(self, reference: str, text: str) -> Published:
        """A copy with one cell changed, to see what a check says of it."""
        label, row, column = _address(reference)
        self.text(label, row, column)
        sheet = self.sheet(label)
        cells = {**sheet.cells, row: {**sheet.cells[row], column: text}}
        changed = {**self.sheets, sheet.info.label: replace(sheet, cells=cells)}
        return Published(changed, self.lost)


def _address(reference: str) -> tuple[str, str, str]:
    if reference.startswith("statement:"):
        return "statements", reference.removeprefix("statement:"), "value"
    label, _, rest = reference.partition("/")
    row, _, column = rest.rpartition("/")
    if not (label and row and column):
        raise InputError(f'"{reference}" names no figure: it should be label/row/column or statement:id')
    return label, row, column


def _unknown(name: str, known: Any, kind: str) -> str:
    names = list(known)
    near = get_close_matches(name, names, n=3, cutoff=0.5) or [n for n in names if name.lower() in n.lower()][:3]
    hint = f"did you mean {', '.join(near)}?" if near else f"there are {', '.join(names)}"
    return f'no {kind} named "{name}"; {hint}'


def find_paper() -> Traversable:
    """The folder of the published tables, in the installed package or the repository.

    Raises:
        InputError: neither has it.
    """
    return find_data("paper", "tables.toml", what="the papers' tables are")


def load(directory: str | Path | None = None) -> Published:
    """Read ``tables.toml`` and every file that it names.

    Args:
        directory: by default the one :func:`find_paper` finds.

    Raises:
        InputError: a file is missing, has other columns than described, or names a row twice.
    """
    place: Traversable = find_paper() if directory is None else Path(directory)
    head = tomllib.loads((place / "tables.toml").read_text("utf-8"))
    entries = {entry["label"]: entry for entry in head["tables"]}
    sheets = {label: _sheet(place, entry, entries, head["papers"]) for label, entry in entries.items()}
    return Published(sheets, tuple(head["lost"]))


@lru_cache(maxsize=1)
def published() -> Published:
    """The tables of the package, read once."""
    return load()


def _sheet(place: Traversable, entry: dict[str, Any], entries: dict[str, Any], papers: dict[str, Any]) -> Sheet:
    described = entry.get("columns") or entries[entry["columns_of"]]["columns"]
    info = TableInfo(
        paper=entry["paper"], number=entry["number"], label=entry["label"], file=entry["file"], title=entry["title"],
        rows=tuple(entry["rows"]), units={k: v["unit"] for k, v in described.items()},
        about={k: v["about"] for k, v in described.items()}, notes=tuple(entry.get("notes", ())),
        citation=papers.get(entry["paper"], {}).get("citation", ""), key=entry.get("key", ""),
        where=entry.get("where", ""),
    )
    try:
        lines = list(csv.DictReader((place / info.file).read_text("utf-8").splitlines()))
    except OSError as error:
        raise InputError(f"cannot be read: {error}", path=info.file) from None
    columns = tuple(c for c in (lines[0] if lines else {}) if c not in ("table", "label"))
    if set(columns) != set(described):
        raise InputError(f"columns {sorted(set(columns) ^ set(described))} differ from tables.toml", path=info.file)
    cells: dict[str, dict[str, str]] = {}
    for number, line in enumerate(lines, 2):
        name = ",".join(line[c] for c in info.rows if line[c])
        if None in line or None in line.values():
            raise InputError("too many or too few cells for the header", path=info.file, line=number)
        if name in cells:
            raise InputError(f'the row "{name}" is there twice', path=info.file, line=number)
        cells[name] = {c: line[c] for c in columns}
    return Sheet(info, columns, cells)
