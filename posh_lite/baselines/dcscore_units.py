"""The units of DCScore and what is computed from them, without any model.

Ye et al. (2025): a description is split into primitive information units, each true or not (by picture and reference),
each matched with a unit of the reference or not. With *P* the units of the generation, *T* the true ones among them and
*O* those of the reference:

- precision is ``|T| / |P|``;
- recall is ``(matched + extra) / (|O| + extra)``, where a true unit that matches nothing is extra (the picture shows
  it, the reference does not tell it), and several units that match one unit of the reference share its point, of which
  only the true ones earn their part;
- F1 is their harmonic mean, and the score is the mean of F1 over all units and F1 over those that describe what is to
  be seen.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from posh_lite.baselines.reply_json import BROKEN, said, values

_TRUE = frozenset({"true", "yes", "1", "correct", "supported"})
_FALSE = frozenset({"false", "no", "0", "incorrect", "wrong", "unsupported"})
_STATEMENT = ("statement", "fact", "unit", "text", "sentence", "atomic_fact")
_VISIBLE = ("visible", "relevance", "relevant", "descriptive")
_NUMBER = ("number", "id", "unit", "index", "no", "n")
_STANDARD = ("standard", "standard_number", "match", "matched", "reference", "matched_oracle_id")
_HOLDS = ("true", "correct", "verification", "verified", "holds", "answer", "verdict")
_NONE = frozenset({"", "none", "null", "n/a", "-", "no match"})


@dataclass(frozen=True, slots=True)
class Unit:
    """A smallest statement of a text.

    Attributes:
        text: the statement, in the model's words.
        visible: whether it describes what is to be seen; None where the model did not say, which counts as visible.
        match: number of the reference's unit that tells of the same, from 1; 0 for none; None where not known.
        holds: whether it is true; None where not known.
    """

    text: str
    visible: bool | None = None
    match: int | None = None
    holds: bool | None = None

    @property
    def known(self) -> bool:
        """Whether both its answers came."""
        return self.match is not None and self.holds is not None


@dataclass(frozen=True, slots=True)
class Figures:
    """From 0 to 1; NaN where there is nothing to divide by."""

    precision: float
    recall: float
    f1: float


def figures(units: Sequence[Unit], standard: Sequence[Unit]) -> Figures:
    """Precision, recall and F1 of a generation's units; those with an answer missing are left out.

    Args:
        units: of the generation, matched and checked.
        standard: of the reference.
    """
    told = [u for u in units if u.known]
    sharing = Counter(u.match for u in told if u.match)
    true = [u for u in told if u.holds]
    extra = sum(u.match == 0 for u in true)
    matched = math.fsum(1 / sharing[u.match] for u in true if u.match)
    precision = len(true) / len(told) if told else math.nan
    recall = (matched + extra) / (len(standard) + extra) if told and len(standard) + extra else math.nan
    return Figures(precision, recall, _harmonic(precision, recall))


def dcscore(units: Sequence[Unit], standard: Sequence[Unit]) -> tuple[Figures, Figures, float]:
    """Figures over all units, over those that describe what is to be seen, and the mean of the two F1."""
    whole = figures(units, standard)
    kept = {n for n, u in enumerate(standard, start=1) if u.visible is not False}
    # One that matches a unit which is left out has nothing to match any more.
    seen = [replace(u, match=0) if u.match and u.match not in kept else u for u in units if u.visible is not False]
    visible = figures(seen, [standard[n - 1] for n in sorted(kept)])
    return whole, visible, (whole.f1 + visible.f1) / 2


def _harmonic(a: float, b: float) -> float:
    if math.isnan(a) or math.isnan(b):
        return math.nan
    return 2 * a * b / (a + b) if a + b else 0.0


def numbered(units: Sequence[Unit]) -> str:
    """The units as a message shows them."""
    return "\n".join(f"{number}. {' '.join(unit.text.split())}" for number, unit in enumerate(units, start=1))


# -- reading replies ---------------------------------------------------------------------------------------------


def read_units(text: str, *, cut: bool = False) -> list[Unit] | None:
    """The statements of a reply; None where it has none, or was cut off so that the rest is not known."""
    if cut:
        return None
    found: dict[str, Unit] = {}
    for row in _rows(text):
        statement = next((row[k] for k in _STATEMENT if isinstance(row.get(k), str)), "").strip()
        if statement and statement not in found:
            found[statement] = Unit(statement, _truth(next((row[k] for k in _VISIBLE if k in row), None)))
    if found:
        return list(found.values())
    plain = [s for value in values(said(text)) if isinstance(value, list) for s in value if isinstance(s, str)]
    return [Unit(s) for s in dict.fromkeys(s.strip() for s in plain) if s] or None


def read_matches(text: str, many: int, standards: int, *, cut: bool = False) -> dict[int, int]:
    """By number of a unit the number of the one that it matches, 0 for none.

    A number that is out of range, or answered twice and differently, is left out.
    """
    return _answers(text, many, _STANDARD, lambda value: _match(value, standards), cut=cut)


def read_truths(text: str, many: int, *, cut: bool = False) -> dict[int, bool]:
    """By number of a unit whether it is true; what is out of range or contradicts itself is left out."""
    return _answers(text, many, _HOLDS, _truth, cut=cut)


def _answers(text: str, many: int, names: Sequence[str], read: Any, *, cut: bool) -> dict[int, Any]:
    found: dict[int, set[Any]] = {}
    for row in _rows(text, cut=cut):
        number = _whole(next((row[k] for k in _NUMBER if k in row), None))
        given = [row[k] for k in names if k in row]
        if number is None or not 1 <= number <= many or not given:
            continue
        found.setdefault(number, set()).add(read(given[0]))
    return {n: next(iter(s)) for n, s in sorted(found.items()) if len(s) == 1 and s != {None}}


def _rows(text: str, *, cut: bool = False) -> Iterator[dict[str, Any]]:
    """Every object of a reply that has no object within, with keys in lower case."""
    for value in values(said(text), cut=cut):
        yield from _leaves(value)


def _leaves(value: Any) -> Iterator[dict[str, Any]]:
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    within = [part for part in inner if isinstance(part, dict | list)]
    for part in within:
        yield from _leaves(part)
    if isinstance(value, dict) and not within and BROKEN not in value.values():
        yield {str(key).strip().lower().replace(" ", "_"): part for key, part in value.items()}


def _whole(value: Any) -> int | None:
    if isinstance(value, str) and value.strip().rstrip(".").isdecimal() and len(value) < 9:
        return int(value.strip().rstrip("."))
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _match(value: Any, standards: int) -> int | None:
    if value is None or (isinstance(value, str) and value.strip().lower() in _NONE):
        return 0
    number = _whole(value)
    return number if number is not None and 1 <= number <= standards else None


def _truth(value: Any) -> bool | None:
    word = str(value).strip().strip(".").lower()
    return True if word in _TRUE else False if word in _FALSE else None


def with_answers(units: Sequence[Unit], matches: Mapping[int, int], truths: Mapping[int, bool]) -> list[Unit]:
    """The units with what is known of each."""
    return [
        Unit(u.text, u.visible, matches.get(number), truths.get(number)) for number, u in enumerate(units, start=1)
    ]
