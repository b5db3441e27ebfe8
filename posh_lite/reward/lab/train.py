"""Training with group-relative advantages: GRPO as the paper sets it (Tables 9 and 10), and the flavour without spread.

The surrogate is PPO's clipped one on whole-caption advantages, with a charge for the divergence from the policy that
training began from. All of it is numpy on a policy of some eighty weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Literal, get_args

from posh_lite.errors import InputError
from posh_lite.reward.lab.caption import Composed, compose_caption, terms_of
from posh_lite.reward.lab.nature import Nature, Rollout, Stock, roll, visit
from posh_lite.reward.lab.policy import Batch, Chooser, Policy, log_probs
from posh_lite.reward.settings import PagerSettings
from posh_lite.reward.terms import Terms

if TYPE_CHECKING:
    from posh_lite.reward.lab.policy import Floats

Advantage = Literal["std", "mean"]
Pooling = Literal["captions", "choices"]
_TINY = 1e-6


@dataclass(frozen=True, slots=True)
class Learning:
    """How a policy is trained.

    Attributes:
        steps: batches of captions.
        works: visits of works in a batch.
        group: captions a visit (Table 9: 8).
        epochs: updates on each batch.
        rate: of Adam. The paper's 1e-6 is for billions of weights; here there are some eighty.
        clip_low, clip_high: the ratio of new to old probability counts within 1 - clip_low to 1 + clip_high; DAPO
            clips higher than lower (0.28).
        kl: charge for the divergence from the policy before training (Table 10: 0.01).
        advantage: "std" divides by the spread of the group (GRPO), "mean" only takes its mean away (Dr. GRPO).
        pooling: "captions" gives every caption the same say, "choices" every choice (DAPO).
    """

    steps: int = 80
    works: int = 4
    group: int = 8
    epochs: int = 2
    rate: float = 0.03
    clip_low: float = 0.2
    clip_high: float = 0.2
    kl: float = 0.01
    advantage: Advantage = "std"
    pooling: Pooling = "captions"

    def __post_init__(self) -> None:
        for name, least in (("steps", 0), ("works", 1), ("group", 2), ("epochs", 1)):
            if getattr(self, name) < least:
                raise InputError(f"{name} must be at least {least}, got {getattr(self, name)}")
        for name in ("rate", "clip_low", "clip_high", "kl"):
            if not getattr(self, name) >= 0:
                raise InputError(f"{name} must be at least 0, got {getattr(self, name)}")
        for name, kind in (("advantage", Advantage), ("pooling", Pooling)):
            if getattr(self, name) not in get_args(kind):
                raise InputError(f"{name} must be one of {', '.join(get_args(kind))}, got {getattr(self, name)!r}")


@dataclass(frozen=True, slots=True)
class Step:
    """What one batch of captions was like, before the update on it."""

    step: int
    reward: float  # mean over captions
    coverage: float  # mean of each term
    middle: float
    tail: float
    length: float
    divergence: float  # from the policy before training, mean over choices
    idle: float  # share of groups whose captions all have one reward, so that nothing is learned from them


def advantages(rewards: Floats, kind: Advantage) -> Floats:
    """Group-relative advantages.

    Args:
        rewards: shape ``(groups, captions of a group)``.
        kind: see :class:`Learning`.

    Returns:
        Of the same shape; 0 in a group without spread.
    """
    import numpy as np

    centred = rewards - rewards.mean(axis=1, keepdims=True)
    if kind == "mean":
        return np.asarray(centred)
    # the spread with n - 1, as in TRL
    return np.asarray(centred / (rewards.std(axis=1, ddof=1, keepdims=True) + _TINY))


def surrogate(
    policy: Policy, old: tuple[Floats, Floats], reference: Policy, batch: Batch, gains: Floats, learning: Learning
) -> tuple[float, Policy, float]:
    """The objective to raise, and its gradient.

    Args:
        policy: at which.
        old: log-probabilities under the policy that drew the batch, of :func:`~.policy.log_probs`.
        reference: the policy before training.
        batch: the choices.
        gains: advantage of every caption.
        learning: clipping, pooling and the weight of the divergence.

    Returns:
        The objective, its gradient in the shape of a policy, and the mean divergence.
    """
    import numpy as np

    logs, lengths = log_probs(policy, batch)
    ref_logs, ref_lengths = log_probs(reference, batch)
    n, rows = len(batch.lengths), np.arange(len(batch.kinds))
    sizes = np.bincount(batch.owner, minlength=n) + 1.0  # the plan of the length is a choice too
    share = 1 / (n * sizes) if learning.pooling == "captions" else np.full(n, 1 / sizes.sum())
    value, spread = 0.0, 0.0
    grads = []
    for now, before, ref, taken, weight, gain in (
        (logs, old[0], ref_logs, batch.kinds, share[batch.owner], gains[batch.owner]),
        (np.broadcast_to(lengths, (n, len(lengths))), np.broadcast_to(old[1], (n, len(lengths))),
         np.broadcast_to(ref_lengths, (n, len(lengths))), batch.lengths, share, gains),
    ):
        at = rows if taken is batch.kinds else np.arange(n)
        ratio = np.exp(now[at, taken] - before[at, taken])
        clipped = np.clip(ratio, 1 - learning.clip_low, 1 + learning.clip_high)
        value += float((weight * np.minimum(ratio * gain, clipped * gain)).sum())
        active = ratio * gain <= clipped * gain
        probs = np.exp(now)
        pull = -probs * (weight * gain * ratio * active)[:, None]
        pull[at, taken] += weight * gain * ratio * active
        apart = now - ref
        divergence = (probs * apart).sum(axis=1)
        spread += float((weight * divergence).sum())
        pull -= learning.kl * weight[:, None] * probs * (apart - divergence[:, None])
        grads.append(pull)
    gradient = Policy(batch.features.T @ grads[0], grads[1].sum(axis=0))
    return value - learning.kl * spread, gradient, spread


@dataclass(frozen=True, slots=True)
class Trained:
    """A trained policy, its course, and the policy before the steps that were asked for."""

    policy: Policy
    steps: tuple[Step, ...]
    stages: tuple[tuple[int, Policy], ...]


def train(
    start: Policy, stocks: Sequence[Stock], settings: PagerSettings, *, nature: Nature, learning: Learning,
    seed: int = 0, noise: float = 0.0, stages: Sequence[int] = (),
) -> Trained:
    """Train a policy under a reward.

    Args:
        start: the policy to begin from, to which the divergence is measured.
        stocks: of the works of training.
        settings: of the reward.
        nature: the environment.
        learning: see there.
        seed: of all draws: the same seed gives the same policy.
        noise: share of the visits whose rewards say nothing (chance in place of them), as of rubrics that do not fit.
        stages: steps before which the policy is kept.
    """
    import numpy as np

    random = Random(f"train {seed}")
    policy, history, kept = start, [], []
    first, second = np.zeros_like(start.flat()), np.zeros_like(start.flat())
    updates = 0
    for step in range(learning.steps):
        if step in stages:
            kept.append((step, policy))
        chooser = Chooser(policy)
        rolls: list[Rollout] = []
        terms: list[Terms] = []
        seen_rewards = []
        for _ in range(learning.works):
            stock = random.choice(stocks)
            own = group(chooser, stock, learning.group, nature, random, hedged=settings.guard == "full",
                        miss=nature.miss)
            made = [terms_of(c, settings, random=random, blur=nature.blur) for _, c in own]
            rolls += [r for r, _ in own]
            terms += made
            blank = random.random() < noise
            seen_rewards.append([random.gauss(0, 1) if blank else t.total for t in made])
        rewards = np.array(seen_rewards)
        gains = advantages(rewards, learning.advantage).ravel()
        batch = Batch.of([r.plan for r in rolls], [r.choices for r in rolls])
        old = log_probs(policy, batch)
        spread = 0.0
        for epoch in range(learning.epochs):
            _, gradient, apart = surrogate(policy, old, start, batch, gains, learning)
            spread = apart if epoch == 0 else spread
            updates += 1
            g = gradient.flat()
            first, second = 0.9 * first + 0.1 * g, 0.999 * second + 0.001 * g * g
            rate = learning.rate * np.sqrt(1 - 0.999**updates) / (1 - 0.9**updates)
            policy = Policy.of(policy.flat() + rate * first / (np.sqrt(second) + 1e-8))
        total, coverage, middle, tail, length = np.mean(
            [(t.total, t.coverage, t.middle, t.tail, t.length) for t in terms], axis=0
        ).tolist()
        idle = float((rewards.std(axis=1) == 0).mean())
        history.append(Step(step, total, coverage, middle, tail, length, spread, idle))
    return Trained(policy, tuple(history), tuple(kept))


def group(
    chooser: Chooser, stock: Stock, n: int, nature: Nature, random: Random, *, hedged: bool = False,
    miss: float = 0.0,
) -> list[tuple[Rollout, Composed]]:
    """Captions of one visit: what is surely seen is the same for all of them."""
    seen = visit(stock, nature, random)
    rolls = [roll(chooser, stock, seen, nature, random) for _ in range(n)]
    return [
        (r, compose_caption(stock.pool, r.lines, id=f"{stock.pool.slug}/{k}", hedged=hedged, random=random, miss=miss))
        for k, r in enumerate(rolls)
    ]
