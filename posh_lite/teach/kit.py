"""What an exercise is, and the kinds of answers that can be checked.

A check never only says "wrong": it knows the usual slips, names the one that gives the answer it was handed, and else
says how far off the answer is. The right answer is computed by the package where it can be.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a check says.

    Attributes:
        right: None where there is no answer yet.
        said: to the student.
    """

    right: bool | None
    said: str


#: Checks an answer that is not None.
Check = Callable[[Any], Outcome]
OPEN = Outcome(None, "No answer yet: put yours in the place of `None` and run the cell.")


@dataclass(frozen=True, slots=True)
class Exercise:
    """A question of a chapter.

    Attributes:
        name: lower-case words joined by hyphens.
        chapter: the stem of its notebook.
        question, hint, solution: MyST markdown.
        answer: gives an answer that is right, for the tests of the exercise itself.
        check: of an answer.
        slips: answers that are wrong in a known way, for the tests too.
    """

    name: str
    chapter: str
    question: str
    hint: str
    solution: str
    answer: Callable[[], Any]
    check: Check
    slips: Callable[[], Sequence[Any]] = tuple

    def judge(self, answer: Any) -> Outcome:
        """Check an answer; ``None`` is no answer yet, and an answer of another kind is said to be one."""
        if answer is None:
            return OPEN
        try:
            return self.check(answer)
        except Exception as error:  # an answer may be of any kind, and its text and its parts may fail in any way
            return Outcome(False, f"This answer cannot be read ({type(error).__name__}: {error}).")


def number(
    truth: Callable[[], float], slips: Callable[[], Mapping[str, float]] = dict, *, within: float = 0.005,
    right: str = "", unit: str = "",
) -> Check:
    """A number that has to be right within a tolerance; whatever kind of number it is, numpy's and fractions too.

    Args:
        truth: computes it.
        slips: computes wrong answers by what was done to get them, each a half sentence after "That is".
        within: largest difference that counts as right.
        right: what is said besides.
        unit: behind the number.
    """

    def of(answer: Any) -> Outcome:
        given = plain_number(answer)
        if given is None:
            return Outcome(False, f"A number is asked for, and this is {_kind(answer)}.{_how(answer)}")
        expected = float(truth())
        if math.isnan(given):
            return Outcome(False, "This is not a number (NaN); is there a division by zero?")
        if abs(given - expected) <= within + 1e-12:
            return Outcome(True, f"Right{': ' + right if right else '.'}")
        for done, wrong in slips().items():
            if abs(given - wrong) <= within + 1e-12:
                return Outcome(False, f"Not yet. That is {done}.")
        if 0 < abs(expected) < 1 and abs(given / 100 - expected) <= within + 1e-12:
            return Outcome(False, f"Nearly: that is the right figure in per cent. Give it as a share, {given / 100:g}.")
        if abs(given + expected) <= within + 1e-12:
            return Outcome(False, "Not yet: the size is right, and the sign is not.")
        side = "large" if given > expected else "small"
        return Outcome(False, f"Not yet: {given:g}{unit} is too {side}.")

    return of


def plain_number(value: Any) -> float | None:
    """A number of any kind (Python's, numpy's, a fraction, an array without axes) as a float; None if it is none.

    >>> plain_number("0.5"), plain_number(True), plain_number(3)
    (None, None, 3.0)
    """
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if bool(value > 0) else -math.inf  # type: ignore[operator]


def _how(answer: Any) -> str:
    """How to write what looks like a number and is none."""
    if isinstance(answer, str) and re.search(r"\d", answer):
        return " Write it without quotation marks and without a unit."
    if isinstance(answer, tuple) and len(answer) == 2 and all(type(v) is int for v in answer):
        return f" Decimals take a point: {answer[0]}.{answer[1]}."
    return ""


def choice(options: Mapping[str, str], right: str) -> Check:
    """One of several letters, in brackets or with its text behind it; what is said of each option stands beside it."""

    def of(answer: Any) -> Outcome:
        if not isinstance(answer, str):
            return Outcome(False, f"A letter is asked for, one of {', '.join(options)}, and this is {_kind(answer)}."
                                  f" Write it in quotation marks: \"{next(iter(options))}\".")
        found = re.match(r"\(?(\w)(?:[).:,]|\s*$)", answer.strip().lower())
        letter = found[1] if found else answer.strip()
        if letter not in options:
            return Outcome(False, f"There is no {letter!r}; the letters are {', '.join(options)}.")
        return Outcome(letter == right, ("Right: " if letter == right else "Not yet: ") + options[letter])

    return of


def words(truth: Callable[[], Iterable[str]], why: Mapping[str, str] | None = None) -> Check:
    """A set of words in any order, or one text with commas; what is missing is counted, what is too much is named."""
    said = why or {}

    def of(answer: Any) -> Outcome:
        if isinstance(answer, str) and re.search(r"[,;\n]", answer):
            answer = re.split(r"[,;\n]", answer)
        if isinstance(answer, str | bytes) or not isinstance(answer, Iterable):
            return Outcome(False, f"A list of words is asked for, and this is {_kind(answer)}."
                                  " Write it as [\"one\", \"two\"].")
        given = {" ".join(str(w).lower().strip(" *_\"'`.").split()) for w in answer} - {""}
        expected = {w.lower() for w in truth()}
        extra, missing = sorted(given - expected), expected - given
        if not extra and not missing:
            return Outcome(True, "Right.")
        parts = [f"{w!r} does not belong there{': ' + said[w] if w in said else ''}" for w in extra]
        if missing:
            parts.append(f"{len(missing)} of {len(expected)} {'is' if len(missing) == 1 else 'are'} missing")
        return Outcome(False, f"Not yet: {'; '.join(parts)}.")

    return of


def function(cases: Callable[[], Sequence[tuple[tuple[Any, ...], float]]], *, within: float = 1e-6) -> Check:
    """A function that has to give known values; the first case in which it does not is shown."""

    def of(answer: Any) -> Outcome:
        if not callable(answer):
            return Outcome(False, f"A function is asked for, and this is {_kind(answer)}.")
        rows = cases()
        for k, (given, expected) in enumerate(rows, start=1):
            shown = ", ".join(map(repr, given))
            try:
                got = answer(*given)
            except (Exception, SystemExit) as error:  # a student's code may fail in any way, and is told how
                return Outcome(False, f"Not yet: for ({shown}) it stops with {type(error).__name__}: {error}.")
            value = plain_number(got)
            if value is None:
                return Outcome(False, f"Not yet: for ({shown}) it returns {_kind(got)} and no number.")
            both_nan = math.isnan(expected) and math.isnan(value)
            if not both_nan and not abs(value - expected) <= within * max(1.0, abs(expected)):
                told = next((f"{value:.{n}g}, and {expected:.{n}g}" for n in (6, 9, 12)
                             if f"{value:.{n}g}" != f"{expected:.{n}g}"), f"{value!r}, and {expected!r}")
                before = f" ({k - 1} of {len(rows)} cases before it are right)" if k > 1 else ""
                return Outcome(False, f"Not yet: for ({shown}) it gives {told} is right{before}.")
        return Outcome(True, f"Right in all {len(rows)} cases.")

    return of


def _kind(value: Any) -> str:
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
