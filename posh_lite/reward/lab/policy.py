"""The policy of the laboratory: it plans a length, then chooses for every sentence what kind of thing to say.

It chooses how far to reach, not whether what it says is true: that is decided by :mod:`posh_lite.reward.lab.nature`.
Logits are linear in features of the place within the planned caption and of what is left that could safely be said.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: What a sentence can be. "fine" and "broad" tell what is surely seen, in detail or at large; "reach" tries for a
#: detail that is not surely seen; "invent" adds a thing; "reword" tells what was told in other words; "repeat" copies.
Kind = Literal["fine", "broad", "reach", "invent", "generic", "reword", "repeat"]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: Planned numbers of sentences.
LENGTHS = tuple(range(6, 32, 2))
#: Places within a caption between which the logits are interpolated.
ANCHORS = 8
#: Anchors, and the share of safe content that is left.
N_FEATURES = ANCHORS + 1


@dataclass(frozen=True, slots=True)
class Policy:
    """Weights of the two choices.

    Attributes:
        kinds: shape ``(N_FEATURES, len(KINDS))``.
        lengths: shape ``(len(LENGTHS),)``.
    """

    kinds: Floats
    lengths: Floats

    def flat(self) -> Floats:
        """All weights in one row."""
        import numpy as np

        return np.concatenate([self.kinds.ravel(), self.lengths])

    @staticmethod
    def of(flat: Floats) -> Policy:
        """The inverse of :meth:`flat`."""
        size = N_FEATURES * len(KINDS)
        return Policy(flat[:size].reshape(N_FEATURES, len(KINDS)), flat[size:])


@dataclass(frozen=True, slots=True)
class Choice:
    """One chosen kind with the features that it was chosen under: two neighbouring anchors, and what is left."""

    anchor: int
    above: float  # weight of the next anchor; the anchor itself has the rest
    left: float  # 0 to 1
    kind: int


def place(number: int, n: int) -> tuple[int, float]:
    """The anchor below sentence ``number`` (from 1) of ``n``, and the weight of the next one."""
    at = (number - 1) / n * ANCHORS - 0.5
    anchor = min(max(math.floor(at), 0), ANCHORS - 2)
    return anchor, min(max(at - anchor, 0.0), 1.0)


class Chooser:
    """A policy in plain lists, for drawing one choice after another."""

    def __init__(self, policy: Policy) -> None:
        self._kinds: list[list[float]] = policy.kinds.tolist()
        self._lengths = _cumulated(policy.lengths.tolist())

    def length(self, random: Random) -> int:
        """Draw a place in :data:`LENGTHS`."""
        return _drawn(self._lengths, random)

    def kind(self, number: int, n: int, left: float, random: Random) -> Choice:
        """Draw the kind of sentence ``number`` of ``n``."""
        anchor, above = place(number, n)
        low, high, slope = self._kinds[anchor], self._kinds[anchor + 1], self._kinds[ANCHORS]
        logits = [(1 - above) * a + above * b + left * c for a, b, c in zip(low, high, slope, strict=True)]
        return Choice(anchor, above, left, _drawn(_cumulated(logits), random))


def _cumulated(logits: list[float]) -> list[float]:
    top = max(logits)
    total, sums = 0.0, []
    for value in logits:
        total += math.exp(value - top)
        sums.append(total)
    return sums


def _drawn(sums: list[float], random: Random) -> int:
    at = random.random() * sums[-1]
    for i, value in enumerate(sums):
        if at < value:
            return i
    return len(sums) - 1


@dataclass(frozen=True, slots=True)
class Batch:
    """Choices of many captions in arrays.

    Attributes:
        features: of every choice of a kind, shape ``(D, N_FEATURES)``.
        kinds: chosen, shape ``(D,)``.
        owner: caption of each, shape ``(D,)``.
        lengths: place in :data:`LENGTHS` of every caption, shape ``(C,)``.
    """

    features: Floats
    kinds: NDArray[np.int64]
    owner: NDArray[np.int64]
    lengths: NDArray[np.int64]

    @staticmethod
    def of(plans: list[int], choices: list[list[Choice]]) -> Batch:
        """From the choices of each caption, in order."""
        import numpy as np

        flat = [c for row in choices for c in row]
        features = np.zeros((len(flat), N_FEATURES))
        rows = np.arange(len(flat))
        anchor = np.array([c.anchor for c in flat], dtype=np.int64)
        above = np.array([c.above for c in flat])
        features[rows, anchor], features[rows, anchor + 1] = 1 - above, above
        features[:, ANCHORS] = [c.left for c in flat]
        owner = np.repeat(np.arange(len(choices)), [len(row) for row in choices])
        return Batch(features, np.array([c.kind for c in flat], dtype=np.int64), owner, np.array(plans, dtype=np.int64))


def log_softmax(logits: Floats) -> Floats:
    """Over the last axis."""
    import numpy as np

    shifted = logits - logits.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def log_probs(policy: Policy, batch: Batch) -> tuple[Floats, Floats]:
    """Log-probabilities of all kinds at every choice, shape ``(D, K)``, and of all lengths, shape ``(L,)``."""
    return log_softmax(batch.features @ policy.kinds), log_softmax(policy.lengths)
