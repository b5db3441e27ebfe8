"""What a question comes to: a grade and its reason, and the grades below partial."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from posh_lite.judge.lexical.lexicon import word_set

ABSENT = 1.0
CONTRADICTED = 1.0
ELSEWHERE = 1.4  # said of another entity
WEAK = 1.8

#: Parts that every person and animal has: naming one adds next to nothing.
LIMBS = word_set(
    "hand arm head face body eye finger leg foot shoulder back neck mouth lap side front chest knee hair waist throat"
    " wrist ankle elbow hip thigh belly torso forearm"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """A grade from 1 to 5 and the words that led to it."""

    score: float
    reason: str


#: Knots of the calibration, as pairs of rule grade and verdict. What is there in other words is there: the rules
#: mark off how it was found by steps between 3 and 5, while the scale of the question asks how surely it is there.
_KNOTS = ((1.0, 1.0), (2.95, 2.95), (3.0, 3.6), (3.2, 4.2), (3.4, 4.4), (4.0, 4.7), (5.0, 5.0))


def calibrated(score: float) -> float:
    """The verdict's score, 1 to 5, of a rule's grade: monotone, and unchanged below partial support."""
    at = min(5.0, max(1.0, score))
    for (x, y), (x2, y2) in pairwise(_KNOTS):
        if at <= x2:
            return y + (at - x) / (x2 - x) * (y2 - y)
    return 5.0
