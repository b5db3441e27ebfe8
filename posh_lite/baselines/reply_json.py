"""Objects in what a model wrote: strict JSON where it is, and otherwise what is clearly meant.

Models wrap JSON in fences and prose, quote with single or typographic quotes, leave a comma too many or a bracket too
few, write Python's literals, or stop in the middle. What cannot be told for certain (a number at the very place where
a reply was cut) is :data:`BROKEN`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from posh_lite.judge.llm.answers import thinks

_THOUGHT = re.compile(r"<(think|thinking|reason|reasoning|thought)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_CLOSED = re.compile(r"^.*</(?:think|thinking|reason|reasoning|thought)>", re.DOTALL | re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_DECIMALS = re.compile(r",(\d{1,9})(?=\s*(?:[,;}\n]|$))")
_WORD = re.compile(r"[^\s,:{}\[\]\"'\u2018\u2019\u201c\u201d]+(?:[ \t]+[^\s,:{}\[\]\"'\u2018\u2019\u201c\u201d]+)*")
_NEXT_KEY = re.compile(r"""\s+(["'])[^"'\n]{1,40}\1\s*:""")
_LITERALS = {"true": True, "false": False, "null": None, "none": None}
#: What begins a quotation, with what may end it.
_QUOTES = {
    '"': '"', "'": "'", "\u201c": "\u201d\u201c", "\u2018": "\u2019\u2018", "\u201d": "\u201d", "\u2019": "\u2019",
}
#: One letter: two halves of a surrogate pair, or a code by itself.
_CODE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_DEEPEST = 40
_NUMBER_DIGITS = 300  # a longer one is no score, and Python refuses to convert it


class _Broken:
    """A value that was begun and cannot be read."""

    def __repr__(self) -> str:
        return "BROKEN"


BROKEN: Final = _Broken()


class Repeats(list[Any]):
    """The values of a key that an object has several times, in order; only where they are asked for."""


def said(text: str) -> str:
    """A reply without what the model thought first; empty where it never came to an answer."""
    text = _THOUGHT.sub("", text)
    if "</" in text:
        text = _CLOSED.sub("", text)  # some servers cut off the opening mark
    return "" if thinks(text) else text.strip()


def values(text: str, *, cut: bool = False, repeats: bool = False) -> Iterator[Any]:
    """Every outermost object and list in a text, in order.

    Args:
        text: what a model wrote.
        cut: whether it was stopped in the middle, so that a number at the very end may lack digits.
        repeats: give all values of a key that comes again as :class:`Repeats`, and not the last alone.
    """
    at = 0
    while (found := _opening(text, at)) is not None:
        value, at = _read(text, found, cut, repeats)
        if isinstance(value, dict | list):
            yield value


def _opening(text: str, at: int) -> int | None:
    """Where the next object or list begins; a bracket around words, as in "[RESULT]", is none."""
    for match in re.compile(r"[{\[]").finditer(text, at):
        rest = text[match.end():].lstrip()[:1]
        if match[0] == "{" or not rest or rest in "{[\"']" or rest in _QUOTES or rest.isdigit() or rest in "-+.":
            return match.start()
    return None


def _read(text: str, at: int, cut: bool, repeats: bool) -> tuple[Any, int]:
    try:
        return json.JSONDecoder(parse_int=_whole, object_pairs_hook=_gathered if repeats else None).raw_decode(text, at)
    except (ValueError, RecursionError):
        reader = _Reader(text, at, cut, repeats)
        return reader.value(0), max(reader.at, at + 1)


def _gathered(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            value = Repeats([*before, value]) if isinstance(before := found[key], Repeats) else Repeats([before, value])
        found[key] = value
    return found


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) < _NUMBER_DIGITS else float("inf")


class _Reader:
    """Reads one value from a place on, forgiving what can be forgiven."""

    def __init__(self, text: str, at: int, cut: bool, repeats: bool = False) -> None:
        self.text, self.at, self.cut, self.repeats = text, at, cut, repeats

    def value(self, depth: int) -> Any:
        self._blank()
        mark = self._peek()
        if not mark:
            return BROKEN
        if mark in "{[":
            if depth >= _DEEPEST:
                self.at = len(self.text)
                return BROKEN
            return self._object(depth) if mark == "{" else self._list(depth)
        if mark in _QUOTES:
            return self._string()
        return self._bare()

    def _peek(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def _blank(self) -> None:
        """Over white space, and over comments as programs have them."""
        while self.at < len(self.text):
            if self.text[self.at].isspace():
                self.at += 1
            elif self.text.startswith("//", self.at):
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif self.text.startswith("/*", self.at):
                end = self.text.find("*/", self.at)
                self.at = len(self.text) if end < 0 else end + 2
            else:
                return

    def _object(self, depth: int) -> dict[str, Any]:
        pairs: list[tuple[str, Any]] = []
        self.at += 1
        while True:
            self._over(",;")
            mark = self._peek()
            if mark in ("", "}", "]"):
                self.at += mark == "}"
                return self._made(pairs)
            if self.text.startswith("```", self.at):  # the fence closes before the object does
                return self._made(pairs)
            key = self._string() if mark in _QUOTES else self._bare()
            self._blank()
            if self._peek() not in (":", "="):
                if self._peek() in ("", "}", ",") or key is BROKEN:
                    if key is BROKEN:
                        self.at += 1
                    continue
                return self._made(pairs)  # this is prose
            self.at += 1
            value = self._decimals(self.value(depth + 1))
            if isinstance(key, str | int | float) and not isinstance(key, bool):
                pairs.append((str(key), value))

    def _made(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return _gathered(pairs) if self.repeats else dict(pairs)

    def _decimals(self, value: Any) -> Any:
        """A number of an object with what follows a decimal comma: no key begins with a digit right after a comma."""
        rest = _DECIMALS.match(self.text, self.at)
        if rest is None or isinstance(value, bool) or not isinstance(value, int):
            return value
        self.at = rest.end()
        return BROKEN if self.cut and self.at >= len(self.text.rstrip()) else float(f"{value}.{rest[1]}")

    def _list(self, depth: int) -> list[Any]:
        found: list[Any] = []
        self.at += 1
        while True:
            self._over(",;")
            mark = self._peek()
            if mark in ("", "}", "]"):
                self.at += mark == "]"
                return found
            if self.text.startswith("```", self.at):
                return found
            before = self.at
            value = self.value(depth + 1)
            if value is not BROKEN or self.at >= len(self.text):
                found.append(value)
            self.at = max(self.at, before + 1)

    def _over(self, marks: str) -> None:
        self._blank()
        while self._peek() and self._peek() in marks:
            self.at += 1
            self._blank()

    def _string(self) -> Any:
        """A quoted text. A quote ends it only before a mark that can follow: apostrophes are not escaped by models."""
        ends, single = _QUOTES[self.text[self.at]], self.text[self.at]
        self.at += 1
        parts: list[str] = []
        while self.at < len(self.text):
            mark = self.text[self.at]
            if mark == "\\" and self.at + 1 < len(self.text):
                parts.append(self._escaped())
                continue
            self.at += 1
            if mark in ends and self._ends(single):
                return "".join(parts)
            parts.append(mark)
        return BROKEN

    def _ends(self, opened: str) -> bool:
        rest = self.text[self.at:self.at + 80]
        following = rest.lstrip()[:1]
        if following in ("", ",", ":", "}", "]", ";", "=") or rest.lstrip().startswith(("//", "/*", "```")):
            return True
        broken_off = _NEXT_KEY.match(rest) or (following in _QUOTES and "\n" in rest[: len(rest) - len(rest.lstrip())])
        return bool(broken_off) or (opened != "'" and following in "{[")  # a comma was left out

    def _escaped(self) -> str:
        mark = self.text[self.at + 1]
        code = _CODE.match(self.text, self.at)
        if code is not None:
            self.at = code.end()
            data = b"".join(int(c, 16).to_bytes(2, "big") for c in code[0].split("\\u")[1:])
            return data.decode("utf-16-be", "replace")
        self.at += 2
        return _ESCAPES.get(mark, mark)

    def _bare(self) -> Any:
        """A number, a literal, or a word without quotes."""
        match = _WORD.match(self.text, self.at)
        if match is None:
            return BROKEN
        word, self.at = match[0].rstrip("`"), match.end()
        if self.cut and self.at >= len(self.text.rstrip()):
            return BROKEN
        if _NUMBER.fullmatch(word):
            return _whole(word) if word.lstrip("+-").isdecimal() else float(word)
        return _LITERALS.get(word.lower(), word)
