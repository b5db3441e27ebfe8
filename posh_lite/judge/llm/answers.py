"""What a language model's first answer token says: probabilities of the variants of each answer, summed.

PoSh paper, section "Experiments": the score of a question is the mean over 1 to 5 weighted by the probabilities of
the answers. A tokenizer has several tokens for one digit ("4", " 4"); they are one answer. A token that merely
contains a digit ("10", "4.", "1/5") is none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from posh_lite.judge.contract import Verdict

#: How a judge answers: by a digit whose probabilities are read, by yes or no read likewise, or by digits that are
#: sampled and counted, for servers that give no probabilities.
Scale = Literal["1-5", "yes-no", "sampled"]
SCALES: tuple[Scale, ...] = ("1-5", "yes-no", "sampled")
#: Marks that tokenizers write for a blank or a line end.
_BLANKS = str.maketrans({"\u2581": " ", "\u0120": " ", "\u010a": " "})
_THINKING = ("<think", "<reason", "<|channel", "<seed:think")
_SAMPLE = re.compile(
    r"\W*(?:(?:(?:the|my)\W+)?(?:answer|score|rating)\W+(?:is\W+)?)?([1-5])(?:\s*(?:/|out of)\s*5)?\W*(?:\n\D*)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of a scale and where they lie on 1 to 5.

    Attributes:
        scale: its name.
        values: answer word -> position on 1 to 5.
    """

    scale: Scale
    values: Mapping[str, int]

    def value(self, token: str) -> int | None:
        """The position of a token's text; None where it is no answer, or more than one."""
        word = token.translate(_BLANKS).strip()
        return self.values.get(word.lower() if self.scale == "yes-no" else word)


FIVE = Answers("1-5", {str(n): n for n in range(1, 6)})
YES_NO = Answers("yes-no", {"no": 1, "yes": 5})


def thinks(text: str) -> bool:
    """Whether an answer begins with a block of thinking, which comes before any answer of the scale."""
    return text.lstrip().lower().startswith(_THINKING)


def is_blank(token: str) -> bool:
    """Whether a token is nothing but white space."""
    return not token.translate(_BLANKS).strip()


def answers_of(scale: Scale) -> Answers:
    """What is read on a scale; samples are digits."""
    return YES_NO if scale == "yes-no" else FIVE


def read_answer(
    logprobs: Mapping[str, float] | Iterable[tuple[str, float]], answers: Answers, raw: str = ""
) -> Verdict:
    """A verdict from the log probabilities of candidate tokens at the first answer position.

    Args:
        logprobs: natural logarithms by token text; pairs where two tokens may have the same text.
        answers: the scale.
        raw: what the model said, kept in the verdict.

    Returns:
        The probability-weighted mean over the answers, renormalized, with the mass that fell on them; a missing
        verdict where no candidate is an answer.
    """
    items = logprobs.items() if isinstance(logprobs, Mapping) else logprobs
    masses = [0.0] * 5
    for token, logprob in items:
        value = answers.value(token)
        if value is not None and logprob == logprob and logprob > -math.inf:
            masses[value - 1] += math.exp(min(logprob, 0.0))
    return _verdict(masses, raw, "no answer of the scale among the first tokens")


def read_samples(texts: Sequence[str]) -> Verdict:
    """A verdict from sampled answers; those that are no single digit from 1 to 5 lower the mass.

    "4", "**4**", "4/5", "Answer: 4" and a "4" alone on its line before words are read; "10", "4 or 5" and "2025" are
    not.
    """
    masses, raw = [0.0] * 5, " | ".join(t.strip() for t in texts)
    for text in texts:
        found = _SAMPLE.fullmatch(text.strip())
        if found:
            masses[int(found[1]) - 1] += 1 / len(texts)
    return _verdict(masses, raw, "no sample is a digit from 1 to 5")


def _verdict(masses: list[float], raw: str, why: str) -> Verdict:
    total = math.fsum(masses)
    if total <= 0:
        return Verdict(None, mass=0.0, raw=f"{why}: {raw!r}")
    a, b, c, d, e = (m / total for m in masses)
    score = math.fsum((n + 1) * p for n, p in enumerate((a, b, c, d, e)))
    return Verdict(min(5.0, max(1.0, score)), (a, b, c, d, e), min(1.0, total), raw)
