"""A graph of many components as cards in columns: one card for each entity at the top of the outline.

Each row reads like a sentence: relation words, an arrow, the entity it leads to with its attributes. What is
described on another card is only named, in a dashed box.
"""

from __future__ import annotations

from dataclasses import dataclass

from posh_lite.graph.draw_ink import Mark, n, rect
from posh_lite.graph.draw_outline import Branch, attribute_words, lead, notes
from posh_lite.graph.types import Attribute

_WIDTH, _GAP, _PAD, _LINE, _INDENT = 300.0, 14.0, 11.0, 24.0, 16.0
_MAX_COLUMNS = 3


@dataclass(slots=True)
class _Line:
    indent: float
    marks: list[Mark]
    level: int
    first: bool = True  # False for the continuation of a row that did not fit


def chip(attribute: Attribute) -> Mark:
    """The mark of an attribute, in the shape of its kind."""
    return Mark(attribute.kind, attribute_words(attribute), attribute.negated)


def entity_marks(branch: Branch, labels: dict[int, str]) -> list[Mark]:
    """An entity as it is described: its name, its attributes and what else is known."""
    entity = branch.entity
    marks = [Mark("entity", labels[entity.id], entity.negated)]
    marks += [chip(a) for a in branch.attributes]
    return marks + [Mark("note", note) for note in notes(entity, labels, branch.attributes)]


def _row(branch: Branch, labels: dict[int, str]) -> list[Mark]:
    marks: list[Mark] = []
    words = lead(branch)
    if words == "part":
        marks.append(Mark("note", words))
    elif words:
        marks.append(Mark("relation", f"{words} →", branch.relation is not None and branch.relation.negated))
    if branch.reference:
        return [*marks, Mark("reference", labels[branch.entity.id])]
    return marks + entity_marks(branch, labels)


def _lines(branch: Branch, labels: dict[int, str], level: int = 0) -> list[_Line]:
    indent = _PAD + level * _INDENT
    lines = wrap(entity_marks(branch, labels) if level == 0 else _row(branch, labels), indent, level)
    for child in branch.children:
        lines += _lines(child, labels, level + 1)
    return lines


def wrap(marks: list[Mark], indent: float, level: int = 0, width: float = _WIDTH) -> list[_Line]:
    """Break a row of marks into lines that fit the card; later lines hang."""
    lines = [_Line(indent, [], level)]
    used = 0.0
    for mark in marks:
        room = width - _PAD - lines[-1].indent
        mark.fit(room)
        if lines[-1].marks and used + mark.width > room:
            lines.append(_Line(indent + 10, [], level, first=False))
            used = 0.0
            mark.text = mark.full
            mark.fit(width - _PAD - indent - 10)
        lines[-1].marks.append(mark)
        used += mark.width + 6
    return lines


def _card(lines: list[_Line], x: float, y: float) -> str:
    height = card_height(lines)
    body = [rect(x + 0.5, y + 0.5, _WIDTH - 1, height - 1, 6, "pl-card"), rect(x, y + 6, 3, height - 12, 0, "pl-bar")]
    for number, line in enumerate(lines):
        middle = y + 8 + _LINE * (number + 0.5)
        if line.level and line.first:
            corner = x + line.indent - 10
            bend = f"M{n(corner)} {n(middle - _LINE / 2)}V{n(middle)}H{n(corner + 7)}"
            body.append(f'<path class="pl-guide" d="{bend}"/>')
        at = x + line.indent
        for mark in line.marks:
            body.append(mark.draw(at, middle))
            at += mark.width + 6
    return "".join(body)


def card_height(lines: list[_Line]) -> float:
    """Height of a card in pixels."""
    return _LINE * len(lines) + 16


def draw_cards(roots: tuple[Branch, ...], labels: dict[int, str]) -> tuple[float, float, str]:
    """Width, height and body of the drawing."""
    full = [r for r in roots if r.attributes or r.children or r.entity.members]
    bare = [r for r in roots if not (r.attributes or r.children or r.entity.members)]
    stacks = [_lines(root, labels) for root in full]
    if bare:
        named = [Mark("note", "also named:")] + [Mark("entity", labels[r.entity.id], r.entity.negated) for r in bare]
        stacks.append(wrap(named, _PAD))
    total = sum(card_height(s) + _GAP for s in stacks)
    columns = min(_MAX_COLUMNS, len(stacks), 1 + int(total > 420) + int(total > 1200))
    tops = [_GAP] * columns
    body = []
    for column, lines in min((_in_order(stacks, columns, total), _shortest(stacks, columns)), key=_tallest):
        body.append(_card(lines, _GAP + column * (_WIDTH + _GAP), tops[column]))
        tops[column] += card_height(lines) + _GAP
    return _GAP + columns * (_WIDTH + _GAP), max(tops), "".join(body)


def _tallest(placed: list[tuple[int, list[_Line]]]) -> float:
    filled: dict[int, float] = {}
    for column, lines in placed:
        filled[column] = filled.get(column, 0.0) + card_height(lines) + _GAP
    return max(filled.values(), default=0.0)


def _shortest(stacks: list[list[_Line]], columns: int) -> list[tuple[int, list[_Line]]]:
    """Each card in turn at the foot of the shortest column."""
    filled = [0.0] * columns
    placed = []
    for stack in stacks:
        column = filled.index(min(filled))
        filled[column] += card_height(stack) + _GAP
        placed.append((column, stack))
    return placed


def _in_order(stacks: list[list[_Line]], columns: int, total: float) -> list[tuple[int, list[_Line]]]:
    """Cards in reading order down the columns, each column up to the smallest height that holds them all."""
    heights = [card_height(s) + _GAP for s in stacks]

    def needed(limit: float) -> int:
        count, filled = 1, 0.0
        for height in heights:
            if filled and filled + height > limit:
                count, filled = count + 1, 0.0
            filled += height
        return count

    low, high = max(heights, default=0.0), total
    while high - low > 1:
        middle = (low + high) / 2
        low, high = (low, middle) if needed(middle) <= columns else (middle, high)
    placed, column, filled = [], 0, 0.0
    for stack, height in zip(stacks, heights, strict=True):
        if filled and filled + height > high:
            column, filled = min(column + 1, columns - 1), 0.0
        filled += height
        placed.append((column, stack))
    return placed
