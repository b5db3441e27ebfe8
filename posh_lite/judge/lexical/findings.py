"""What a question comes to: a grade and its reason, and the grades below partial."""

from __future__ import annotations

from dataclasses import dataclass

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
