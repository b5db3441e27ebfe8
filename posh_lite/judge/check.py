"""Holding a judge to its contract: what it is, and what it answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

from posh_lite.errors import InputError, JudgeError, PoshLiteError
from posh_lite.judge.contract import Judge, Question, Verdict

_SLACK = 0.01  # by which probabilities may miss 1 in all, and their mean the score: they are often stored rounded


def check_judge(judge: Any) -> None:
    """Find out before the first question whether something can serve as a judge.

    Raises:
        JudgeError: it is a class, lacks a part, has no name, or its threshold is not on the scale.
    """
    if isinstance(judge, type):
        raise JudgeError(f"{judge.__name__} is a class, not a judge: make one of it, {judge.__name__}(...)")
    absent = [name for name in ("ask", "signature", "presence_threshold") if not hasattr(judge, name)]
    if absent:
        shown = repr(judge) if len(repr(judge)) < 80 else f"an object of type {type(judge).__name__}"
        raise JudgeError(f"{shown} is no judge: it has no {', '.join(absent)}")
    if not isinstance(judge.signature, str) or not judge.signature.strip() or not judge.signature.isprintable():
        raise JudgeError(
            f"the signature of a judge is one line of text that names model and settings, got {judge.signature!r}"
        )
    threshold = judge.presence_threshold
    if not is_number(threshold) or not 1 <= threshold <= 5:
        raise JudgeError(f"the presence threshold of {judge.signature} must lie between 1 and 5, got {threshold!r}")


def ask(judge: Judge, questions: Sequence[Question]) -> list[Verdict]:
    """Put questions to a judge and check what comes back.

    A verdict that contradicts itself or is off the scale becomes a missing one that says why.

    Raises:
        JudgeError: the judge failed, or did not give one :class:`~posh_lite.judge.contract.Verdict` a question.
    """
    try:
        answers: Any = judge.ask(questions)
        verdicts = list(answers) if answers is not None else None
    except PoshLiteError:
        raise
    except Exception as error:
        about = f'{len(questions)} questions, the first on pair "{questions[0].pair_id}"' if questions else "nothing"
        raise JudgeError(
            f"{judge.signature} failed when asked {about}: {type(error).__name__}: {error}"
        ) from error
    if verdicts is None:
        raise JudgeError(f"{judge.signature} gave None instead of a list of verdicts: does ask() end with return?")
    if len(verdicts) != len(questions):
        raise JudgeError(f"{judge.signature} gave {len(verdicts)} verdicts for {len(questions)} questions")
    for verdict in verdicts:
        if not isinstance(verdict, Verdict):
            raise JudgeError(f"{judge.signature} answered with {type(verdict).__name__}, expected Verdict(score)")
    return [checked(v) for v in verdicts]


def checked(verdict: Verdict) -> Verdict:
    """The verdict, or a missing one with the reason where its numbers cannot be an answer."""
    words: tuple[Any, Any] = (verdict.raw, verdict.reason)  # a judge of one's own may put anything there
    if not all(isinstance(w, str) for w in words):
        verdict = replace(verdict, raw=str(words[0] or ""), reason=str(words[1] or ""))
    score, fault = verdict.score, ""
    if score is None:
        return verdict
    if not is_number(score) or not (math.isfinite(score) and 1 - 1e-9 <= score <= 5 + 1e-9):
        fault = f"score {score!s:.40} is not between 1 and 5"
    elif verdict.probabilities is not None:
        fault = _fault(verdict.probabilities, float(score))
    if fault:
        return Verdict(None, raw=f"{fault}; {verdict.raw}".strip("; "))
    numbers = (score, *(verdict.probabilities or ()), *(() if verdict.mass is None else (verdict.mass,)))
    if all(type(n) is float for n in numbers):
        return verdict
    return _plain(verdict)  # a number of an array library would not go into JSON


def _plain(verdict: Verdict) -> Verdict:
    """The verdict with numbers of Python."""
    spread = verdict.probabilities
    return replace(
        verdict, score=None if verdict.score is None else float(verdict.score),
        probabilities=None if spread is None else (
            float(spread[0]), float(spread[1]), float(spread[2]), float(spread[3]), float(spread[4])
        ),
        mass=None if verdict.mass is None else float(verdict.mass),
    )


def _fault(probabilities: Any, score: float) -> str:
    """What is wrong with the probabilities of a score; empty where nothing is."""
    try:
        values = [float(p) for p in probabilities]
    except (TypeError, ValueError):
        return "probabilities are no numbers"
    if len(values) != 5:
        return f"{len(values)} probabilities, expected one for each of 1 to 5"
    if not all(math.isfinite(p) and p >= -1e-9 for p in values) or abs(sum(values) - 1) > _SLACK:
        return f"probabilities are no distribution (they sum to {sum(values):g})"
    mean = sum(p * (n + 1) for n, p in enumerate(values))
    return "" if abs(mean - score) <= 5 * _SLACK else f"score {score:g} is not the mean {mean:.2f} of its probabilities"


def is_number(value: Any) -> bool:
    """Whether a value is a real number, of Python or of an array library; True and False are none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_finite(value: Any) -> bool:
    """Whether a value is a real number, and neither NaN nor infinite."""
    return is_number(value) and math.isfinite(value)


def check_whole(name: str, value: Any, *, least: int = 1, optional: bool = False) -> None:
    """Hold a setting to whole numbers of at least ``least``; where it is optional, None leaves it open.

    Raises:
        InputError: it is something else.
    """
    if optional and value is None:
        return
    if type(value) is not int or value < least:
        raise InputError(f"{name} must be a whole number of at least {least}, got {value!r}")
