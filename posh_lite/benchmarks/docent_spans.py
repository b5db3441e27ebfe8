"""Marked spans as files have them: lists, JSON in a string, columns of starts and ends, and what is wrong with them.

Offsets are characters (code points) of the untouched text. Programs written in JavaScript count UTF-16 code units
instead, in which most emoji are two; where a span brings its words along, they decide.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from posh_lite.records import Span

#: Told of what was odd about a span and repaired or left out.
Note = Callable[[str], None]


class SpanError(ValueError):
    """What is given is no list of spans."""


def to_utf16(text: str, at: int) -> int:
    """The UTF-16 offset of a character offset.

    >>> to_utf16("a\U0001f600b", 2)
    3
    """
    return at + sum(c > "\uffff" for c in text[:at])


def from_utf16(text: str, at: int) -> int:
    """The character offset of a UTF-16 offset; one within a pair of code units belongs to the character before it.

    >>> [from_utf16("a\U0001f600b", at) for at in range(5)]
    [0, 1, 1, 2, 3]
    """
    unit = 0
    for place, char in enumerate(text):
        unit += 2 if char > "\uffff" else 1
        if unit > at:
            return place
    return len(text) + max(0, at - unit)


def read_spans(value: Any, text: str, note: Note) -> tuple[Span, ...] | None:
    """The spans of one text, in order, not overlapping and within it.

    Args:
        value: a list of ``{"start", "end"}`` (with ``text`` or without) or of pairs, the same as JSON in a string,
            or ``{"start": [...], "end": [...]}``; None, NaN and an empty string mean that nothing was annotated.
        text: the text that they mark.
        note: told of every span that was turned round, clipped, moved, merged or left out.

    Returns:
        None where the side was not annotated; an empty tuple where it was and nothing is marked.

    Raises:
        SpanError: the value is none of these.
    """
    found = _listed(value)
    if found is None:
        return None
    spans = []
    for item in found:
        start, end, said = _ends(item)
        span = _placed(start, end, said, text, note)
        if span is not None:
            spans.append(span)
    return merged(spans, note)


def merged(spans: Sequence[Span], note: Note | None = None) -> tuple[Span, ...]:
    """Sorted spans, those that overlap made one; spans that only touch stay apart."""
    out: list[Span] = []
    for start, end in sorted(spans):
        if out and start < out[-1][1]:
            if note is not None:
                note("the same span twice" if (start, end) == out[-1] else "overlapping spans, made one")
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return tuple(out)


def _listed(value: Any) -> list[Any] | None:
    if value is None or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    for _ in range(2):  # JSON in a string, in some exports once more in a string
        if isinstance(value, str):
            if not value.strip():
                return None
            try:
                value = json.loads(value)
            except ValueError as error:
                raise SpanError(f"a string that is not JSON ({error})") from None
            if value is None:
                return None
    if isinstance(value, Mapping):
        starts, ends = value.get("start"), value.get("end")
        if isinstance(starts, int) and isinstance(ends, int):
            return [value]
        if starts is None or ends is None or isinstance(starts, str) or isinstance(ends, str):
            raise SpanError("an object without lists start and end")
        try:
            return [{"start": a, "end": b} for a, b in zip(list(starts), list(ends), strict=True)]
        except (TypeError, ValueError):
            raise SpanError("start and end are not lists of one length") from None
    if hasattr(value, "tolist"):  # an array, as Parquet gives them
        value = value.tolist()
    if not isinstance(value, (list, tuple)):
        raise SpanError(f"expected a list of spans, got {type(value).__name__}")
    return list(value)


def _ends(item: Any) -> tuple[int, int, str | None]:
    if isinstance(item, Mapping):
        missing = [name for name in ("start", "end") if name not in item]
        if missing:
            raise SpanError(f'a span without "{missing[0]}" (found: {", ".join(map(str, item)) or "nothing"})')
        said = item.get("text")
        return _whole(item["start"]), _whole(item["end"]), said if isinstance(said, str) and said else None
    if isinstance(item, (list, tuple)) and len(item) == 2:
        return _whole(item[0]), _whole(item[1]), None
    raise SpanError(f"expected a span with start and end, got {item!r}")


def _whole(value: Any) -> int:
    if isinstance(value, str):
        value = value.strip()
    elif isinstance(value, bool) or not hasattr(value, "__int__"):
        raise SpanError(f"an offset that is no number: {value!r}")
    try:
        number = float(value)
        if number != int(number):
            raise ValueError
        return int(number)
    except (ValueError, OverflowError):
        raise SpanError(f"an offset that is no whole number: {value!r}") from None


def _same(a: str, b: str) -> bool:
    """Whether two texts agree but for white space, which editors trim and join."""
    return a.split() == b.split()


def _placed(start: int, end: int, said: str | None, text: str, note: Note) -> Span | None:
    if start > end:
        note("start after end, turned round")
        start, end = end, start
    if said is not None and not _same(text[max(0, start) : max(0, end)], said):
        moved = _moved(start, end, said, text)
        if moved is None:
            note("words that are not at their offsets, left out")
            return None
        note("offsets that count otherwise, moved to their words")
        start, end = moved
    if start < 0 or end > len(text):
        if start >= len(text) or end <= 0:
            note("outside of the text, left out")
            return None
        note("reaching out of the text, clipped")
        start, end = max(0, start), min(end, len(text))
    if not text[start:end].strip():
        note("empty or only white space, left out")
        return None
    return start, end


def _moved(start: int, end: int, said: str, text: str) -> Span | None:
    """Where a span's words are: at the same offsets in UTF-16, or at the occurrence nearest to the offsets."""
    span = (from_utf16(text, start), from_utf16(text, end))
    if _same(text[span[0] : span[1]], said):
        return span
    places = []
    at = text.find(said)
    while at >= 0:
        places.append(at)
        at = text.find(said, at + 1)
    if not places:
        return None
    nearest = min(places, key=lambda place: abs(place - start))
    return nearest, nearest + len(said)
