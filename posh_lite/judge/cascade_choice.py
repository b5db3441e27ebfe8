"""Which questions of a text are worth asking, and what the answers say of the others: normal theory on residuals.

What a policy leaves unexplained is taken as the sum of parts shared by the text, by the entity and by the wording, and
a part of its own. The components that are asked are those whose answers take most variance from the sum over the text
(the optimum allocation of Neyman 1934, with correlated errors); the others are moved by the best linear predictor
from the residuals of those that were asked (Henderson 1975).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING

from posh_lite.judge.cascade_policy import Policy, likeness

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from posh_lite.judge.cascade import Item

    Floats = NDArray[np.float64]

_LEAST = 1e-6  # variance of an answer that is held to be known exactly


def quota(share: float, n: int) -> int:
    """How many of ``n`` components are asked, the nearest whole number, halves upwards."""
    return min(n, math.floor(share * n + 0.5))


def choose(
    policy: Policy, items: Sequence[Item], known: Sequence[Item], share: float, threshold: float, *, whole: bool = False
) -> list[Item]:
    """The components of one text that are put to the second judge, in the order of ``items``.

    Args:
        policy: covariances of the residuals.
        items: components of one step.
        known: components of earlier steps that the second judge has answered.
        share: questions for each item.
        threshold: presence threshold; where an entity may fall on either side of it, the scores of all that is said
            of it hang on the answer.
        whole: whether an entity costs a question for each of its identifiers, or one.

    Returns:
        As many as :func:`quota` allows for, and in any case all that the first judge could not answer.
    """
    import numpy as np

    unread = [i for i, item in enumerate(items) if item.first.missing]
    cost = np.array([float(len(item.questions)) if whole else 1.0 for item in items])
    room = quota(share, len(items))
    if share >= 1 or not items:
        return list(items)
    if not room and not unread:
        return []
    left = covariance(policy, items, items, own=True)
    if known:
        across = covariance(policy, items, known)
        left -= across @ np.linalg.solve(covariance(policy, known, known, own=True), across.T)
    at_stake = np.array([_at_stake(item, threshold, math.sqrt(max(left[i, i], 0.0))) for i, item in enumerate(items)])
    chosen: list[int] = []
    while len(chosen) < len(items):
        variance = np.maximum(np.diag(left), _LEAST)
        gain = (left.sum(axis=1) ** 2 / variance + at_stake) / cost
        gain[chosen] = -1.0
        if len(chosen) < len(unread):
            best = unread[len(chosen)]
        else:
            gain[cost > room - cost[chosen].sum()] = -1.0
            best = int(np.argmax(np.round(gain, 8)))  # rounded, so that ties fall to the first on every machine
            if gain[best] < 0:
                break
        chosen.append(best)
        left = left - np.outer(left[:, best], left[:, best]) / variance[best]
    return [items[i] for i in sorted(chosen)]


def shifts(policy: Policy, items: Sequence[Item], asked: Sequence[Item]) -> list[float]:
    """By how much answers on other components of the text move what is expected of ``items``."""
    import numpy as np

    if not items or not asked:
        return [0.0] * len(items)
    residuals = np.array([_residual(policy, i) for i in asked])
    within = covariance(policy, asked, asked, own=True)
    moved = covariance(policy, items, asked) @ np.linalg.solve(within, residuals)
    return [float(value) for value in moved]


def _residual(policy: Policy, item: Item) -> float:
    """How far the answer lies from what was expected; one identifier alone is held to what all would have given."""
    if item.score is None:
        return 0.0
    return item.score + (policy.gain(item.question) if len(item.said) == 1 else 0.0) - item.expected


def covariance(policy: Policy, rows: Sequence[Item], columns: Sequence[Item], *, own: bool = False) -> Floats:
    """Covariances of the residuals of two lists of components of one text; ``own`` adds each one's own variance."""
    import numpy as np

    kinds = ("entity", "attribute", "relation")
    table = np.array([[policy.text.get(f"{a}/{b}", 0.0) for b in kinds] for a in kinds])
    first, second = ([kinds.index(i.question.kind) for i in part] for part in (rows, columns))
    entities, words = likeness([i.question for i in rows], [i.question for i in columns])
    found = table[np.ix_(first, second)] + policy.entity * entities + policy.wording * words
    if own:
        found = found + np.diag([max(i.variance, _LEAST) for i in rows])
    return np.asarray(found, dtype=np.float64)


def _at_stake(item: Item, threshold: float, deviation: float) -> float:
    """Variance of the sum over the text that hangs on whether an entity is present: all said of an absent one is 1."""
    question = item.question
    if question.kind != "entity" or question.source is None or deviation <= 0:
        return 0.0
    entity = question.identifier.entity
    claims = len(question.source.attributes_of(entity)) + len(question.source.relations_of(entity, role="subject"))
    absent = NormalDist().cdf((threshold - item.expected) / deviation)
    return absent * (1 - absent) * (claims * max(item.expected - 1.0, 0.0)) ** 2
