"""What an exercise is, and the kinds of answers that can be checked.

A check never only says "wrong": it knows the usual slips, names the one that gives the answer it was handed, and else
says how far off the answer is. The right answer is computed by the package where it can be.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
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
        except (TypeError, ValueError, AttributeError, KeyError, IndexError) as error:
            return Outcome(False, f"This answer cannot be read ({type(error).__name__}: {error}).")


def number(
    truth: Callable[[], float], slips: Callable[[], Mapping[str, float]] = dict, *, within: float = 0.005,
    right: str = "", unit: str = "",
) -> Check:
    """A number that has to be right within a tolerance.

    Args:
        truth: computes it.
        slips: computes wrong answers by what was done to get them, each a half sentence after "That is".
        within: largest difference that counts as right.
        right: what is said besides.
        unit: behind the number.
    """

    def of(answer: Any) -> Outcome:
        if isinstance(answer, bool) or not isinstance(answer, int | float):
            return Outcome(False, f"A number is asked for, and this is {_kind(answer)}.")
        expected, given = float(truth()), float(answer)
        if math.isnan(given):
            return Outcome(False, "This is not a number (NaN); is there a division by zero?")
        if abs(given - expected) <= within + 1e-12:
            return Outcome(True, f"Right{': ' + right if right else '.'}")
        for done, wrong in slips().items():
            if abs(given - wrong) <= within + 1e-12:
                return Outcome(False, f"Not yet. That is {done}.")
        side = "large" if given > expected else "small"
        return Outcome(False, f"Not yet: {given:g}{unit} is too {side}.")

    return of


def choice(options: Mapping[str, str], right: str) -> Check:
    """One of several letters; what is said of each option stands beside it."""

    def of(answer: Any) -> Outcome:
        if not isinstance(answer, str):
            return Outcome(False, f"A letter is asked for, one of {', '.join(options)}, and this is {_kind(answer)}.")
        letter = answer.strip().lower().strip("().")
        if letter not in options:
            return Outcome(False, f"There is no {letter!r}; the letters are {', '.join(options)}.")
        return Outcome(letter == right, ("Right: " if letter == right else "Not yet: ") + options[letter])

    return of


def words(truth: Callable[[], Iterable[str]], why: Mapping[str, str] | None = None) -> Check:
    """A set of words in any order; what is missing is counted, and what is too much is named."""
    said = why or {}

    def of(answer: Any) -> Outcome:
        if isinstance(answer, str) or not isinstance(answer, Iterable):
            return Outcome(False, f"A list of words is asked for, and this is {_kind(answer)}.")
        given = {str(w).strip().lower() for w in answer}
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
            except Exception as error:  # a student's code may fail in any way, and has to be told how
                return Outcome(False, f"Not yet: for ({shown}) it stops with {type(error).__name__}: {error}.")
            if isinstance(got, bool) or not isinstance(got, int | float):
                return Outcome(False, f"Not yet: for ({shown}) it returns {_kind(got)} and no number.")
            both_nan = math.isnan(expected) and math.isnan(got)
            if not both_nan and not abs(float(got) - expected) <= within:
                return Outcome(False, f"Not yet: for ({shown}) it gives {got:g}, and {expected:g} is right"
                                      f" ({k - 1} of {len(rows)} cases before it are right).")
        return Outcome(True, f"Right in all {len(rows)} cases.")

    return of


def _kind(value: Any) -> str:
    return f"a {type(value).__name__}" if value is not None else "None"
