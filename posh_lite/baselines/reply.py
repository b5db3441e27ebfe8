"""Scores in what a model wrote. What is meant is read; the rest is missing, and never a number of ours.

PoSh paper, appendix "Coarse Baselines": a model is asked for a JSON dictionary with the keys ``precision``, ``recall``
and ``overall_quality`` from 0 to 5. A number off the scale is missing, not clipped, and so is one on another scale.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from posh_lite.baselines.reply_json import BROKEN, said, values

#: Keys of the paper's reply, and other words that models use for the same.
KEYS: Mapping[str, tuple[str, ...]] = {
    "precision": ("precision", "precision_score", "accuracy"),
    "recall": ("recall", "recall_score", "completeness"),
    "overall_quality": ("overall_quality", "overall", "overall_quality_score", "overall_score", "quality"),
}
#: Where a model puts the number when it gives an object for each key.
_INNER = ("score", "rating", "value", "grade", "points")
_AMOUNT = r"[-+]?(?:\d+(?:[.,]\d+)?|\.\d+)"
_RANGE = r"\s*(?:-|\u2013|to|or)\s*\d"  # "3-4" is no answer
_WRITTEN = re.compile(
    rf"[^\w+.-]*({_AMOUNT})\s*(?:(?:/|out\s+of|of)\s*({_AMOUNT}))?\s*(?:points?|stars?)?\s*(?:[^\w\s%][^\d%]*|)",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r"\[\s*results?\s*\][^\w+.-]*(?:\(?\s*(?:score|rating)\s*:?\s*)?(?=(.{0,40}))", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Scale:
    """The numbers that a model may answer with, ends included."""

    low: float
    high: float

    def number(self, value: Any) -> float | None:
        """A value as a number of the scale: 4, 4.5, "4", "4/5", "4 out of 5", "4 (good)"; None where it is none."""
        if isinstance(value, str):
            value = self._written(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        found = float(value) if abs(value) < 1e9 else math.inf
        return found if math.isfinite(found) and self.low <= found <= self.high else None

    def _written(self, text: str) -> float | None:
        match = _WRITTEN.fullmatch(text.strip()) if len(text) < 200 else None
        if match is None:
            return None
        if match[2] is not None and float(match[2].replace(",", ".")) != self.high:
            return None  # it is on another scale
        return float(match[1].replace(",", "."))


@dataclass(frozen=True, slots=True)
class Scores:
    """What a reply says.

    Attributes:
        numbers: by key; None where the reply does not say.
        fault: why something is missing; empty where nothing is.
    """

    numbers: Mapping[str, float | None]
    fault: str = ""


def read_scores(
    text: str, scale: Scale, *, keys: Mapping[str, Sequence[str]] = KEYS, cut: bool = False
) -> Scores:
    """The scores of a reply: from the last object that has the most of the keys, else from "Precision: 4/5" in prose.

    Args:
        text: what the model wrote.
        scale: what numbers count.
        keys: names wanted, each with the names that models give it.
        cut: whether the reply was stopped at its most tokens; then a number at the very end may lack digits.
    """
    plain = said(text)
    best: dict[str, Any] = {}
    for value in values(plain, cut=cut):
        for found in _objects(value):
            named = _named(found, keys)
            if named and _told(named) >= _told(best):
                best = named
    if not best:
        best = _in_prose(plain, keys, cut)
    numbers = {key: scale.number(_inner(best.get(key))) for key in keys}
    missing = [key for key, number in numbers.items() if number is None]
    if not missing:
        return Scores(numbers)
    if not plain:
        return Scores(numbers, "it thought and never answered" if text.strip() else "the reply is empty")
    odd = [f"{key}={best[key]!r}"[:60] for key in missing if key in best and best[key] is not BROKEN]
    reason = f"no {', '.join(missing)} from {scale.low:g} to {scale.high:g}"
    return Scores(numbers, reason + (f" (it says {', '.join(odd)})" if odd else ", cut off" if cut else ""))


def read_result(text: str, scale: Scale, *, cut: bool = False) -> float | None:
    """The number after the last "[RESULT]", which Prometheus ends its feedback with; None where there is none."""
    plain = said(text)
    found = [match[1] for match in _RESULT.finditer(plain)]
    if not found:
        return None
    first = re.match(rf"\W*?({_AMOUNT}(?:\s*(?:/|out\s+of)\s*{_AMOUNT})?)(?![\w%]|[.,/-]\d|{_RANGE})", found[-1])
    if first is None or (cut and plain.endswith(first[1])):
        return None
    return scale.number(first[1])


def _normal(key: str) -> str:
    """A key as it is compared: without case, and with one underscore for blanks, hyphens and marks."""
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key)
    return re.sub(r"[\W_]+", "_", split).strip("_").lower()


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """An object and all within it, the inner ones first."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in inner:
        yield from _objects(part)
    if isinstance(value, dict):
        yield value


def _named(found: Mapping[str, Any], keys: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    given = {_normal(key): value for key, value in found.items()}
    return {key: given[name] for key, names in keys.items() for name in reversed(names) if name in given}


def _told(named: Mapping[str, Any]) -> int:
    """How many keys have a number of any kind: an empty form that a model repeats has none."""
    inner = [_inner(value) for value in named.values()]
    return sum(not isinstance(v, bool) and any(c.isdigit() for c in str(v)) for v in inner)


def _inner(value: Any) -> Any:
    """The number of an object such as {"score": 4, "reason": "..."}."""
    if not isinstance(value, dict):
        return value
    given = {_normal(key): inner for key, inner in value.items()}
    return next((given[name] for name in _INNER if name in given), None)


def _in_prose(text: str, keys: Mapping[str, Sequence[str]], cut: bool) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, names in keys.items():
        words = "|".join(re.escape(n).replace("_", r"[\s_-]+") for n in names)
        pattern = re.compile(
            rf"(?<!\w)(?:{words})(?:\s+(?:score|rating))?\s*[*_`\"']*\s*(?:\([^()\n]*\))?\s*"
            rf"(?::|=|\||\bis\b|\u2192|->|[-\u2013\u2014]\s)\s*[*_`\"'|]*\s*"
            rf"({_AMOUNT}(?:\s*(?:/|out\s+of)\s*{_AMOUNT})?)(?![\w%]|[.,/-]\d|{_RANGE})", re.IGNORECASE,
        )
        said_so = [m[1] for m in pattern.finditer(text) if not (cut and m.end() == len(text))]
        if said_so:
            found[key] = said_so[-1]
    return found
