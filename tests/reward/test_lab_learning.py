"""The laboratory's learning: advantages, gradient, and that training finds what it is paid for."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from posh_lite.errors import InputError
from posh_lite.reward.lab.policy import (
    ANCHORS,
    KINDS,
    LENGTHS,
    N_FEATURES,
    Batch,
    Choice,
    Chooser,
    Policy,
    log_probs,
    place,
)
from posh_lite.reward.lab.train import Learning, advantages, surrogate


def _policy(generator: np.random.Generator, scale: float = 0.5) -> Policy:
    return Policy(generator.normal(0, scale, (N_FEATURES, len(KINDS))), generator.normal(0, scale, len(LENGTHS)))


def _batch(generator: np.random.Generator, sizes: tuple[int, ...] = (3, 5, 2)) -> Batch:
    rows = [
        [Choice(*place(k + 1, n), float(generator.uniform()), int(generator.integers(len(KINDS)))) for k in range(n)]
        for n in sizes
    ]
    return Batch.of([int(generator.integers(len(LENGTHS))) for _ in sizes], rows)


def test_advantages_by_hand() -> None:
    # mean 2, differences -1 0 1, spread with n - 1: 1
    rewards = np.array([[1.0, 2.0, 3.0], [5.0, 5.0, 5.0]])
    assert advantages(rewards, "std") == pytest.approx(np.array([[-1, 0, 1], [0, 0, 0]]), abs=1e-5)
    assert advantages(10 * rewards, "std")[0] == pytest.approx([-1, 0, 1], abs=1e-5)  # the scale is gone
    assert advantages(10 * rewards, "mean")[0] == pytest.approx([-10, 0, 10])  # and here it is not


@pytest.mark.parametrize("learning", [
    Learning(kl=0.0), Learning(kl=0.3), Learning(kl=0.1, pooling="choices", clip_high=0.28),
    Learning(kl=0.05, clip_low=0.01, clip_high=0.01),  # nearly every choice is clipped
])  # fmt: skip
def test_gradient_is_that_of_the_objective(learning: Learning) -> None:
    generator = np.random.default_rng(3)
    old, now, reference = (_policy(generator) for _ in range(3))
    batch, gains = _batch(generator), np.array([1.3, -0.7, -0.4])
    before = log_probs(old, batch)

    def objective(flat: np.ndarray) -> float:
        return surrogate(Policy.of(flat), before, reference, batch, gains, learning)[0]

    _, gradient, _ = surrogate(now, before, reference, batch, gains, learning)
    flat, step = now.flat(), 1e-6
    numeric = np.array([
        (objective(flat + step * e) - objective(flat - step * e)) / (2 * step) for e in np.eye(len(flat))
    ])
    assert gradient.flat() == pytest.approx(numeric, abs=1e-7)
    assert np.abs(numeric).max() > 1e-3


def test_objective_of_the_policy_that_drew_is_the_mean_advantage() -> None:
    generator = np.random.default_rng(0)
    policy = _policy(generator)
    batch = _batch(generator, (4, 4))
    value, _, divergence = surrogate(
        policy, log_probs(policy, batch), policy, batch, np.array([2.0, -1.0]), Learning(kl=5.0)
    )
    assert value == pytest.approx(0.5)
    assert divergence == pytest.approx(0.0, abs=1e-12)


def test_clipping_stops_a_gain_and_not_a_loss() -> None:
    start = Policy(np.zeros((N_FEATURES, len(KINDS))), np.zeros(len(LENGTHS)))
    batch = Batch.of([0], [[Choice(0, 0.0, 0.0, 2)]])
    kinds = np.zeros((N_FEATURES, len(KINDS)))
    kinds[0, 2] = 3.0  # the chosen kind is far more likely now
    now = Policy(kinds, start.lengths)
    none = Learning(kl=0.0)
    up = surrogate(now, log_probs(start, batch), start, batch, np.array([1.0]), none)[1]
    down = surrogate(now, log_probs(start, batch), start, batch, np.array([-1.0]), none)[1]
    assert np.abs(up.kinds).max() == 0
    assert down.kinds[0, 2] < 0


@pytest.mark.parametrize(("number", "n", "expected"), [
    (1, 8, (0, 0.0)), (8, 8, (6, 0.5)), (5, 8, (3, 0.5)), (1, 1, (0, 0.0)), (31, 31, (6, 1.0)),
])  # fmt: skip
def test_place_lies_between_anchors(number: int, n: int, expected: tuple[int, float]) -> None:
    anchor, above = place(number, n)
    assert 0 <= anchor <= ANCHORS - 2 and 0 <= above <= 1
    assert (anchor, above) == expected


def test_draws_follow_the_policy() -> None:
    generator = np.random.default_rng(5)
    policy, random = _policy(generator, 1.0), Random(0)
    chooser = Chooser(policy)
    drawn = [chooser.kind(2, 7, 0.4, random) for _ in range(4000)]
    shares = np.bincount([c.kind for c in drawn], minlength=len(KINDS)) / len(drawn)
    expected = np.exp(log_probs(policy, Batch.of([0], [[drawn[0]]]))[0][0])
    assert shares == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize(("name", "value"), [
    ("steps", -1), ("group", 1), ("rate", -0.1), ("kl", float("nan")), ("advantage", "rank"), ("pooling", "words"),
])  # fmt: skip
def test_wrong_settings_are_named(name: str, value: object) -> None:
    with pytest.raises(InputError, match=name):
        replace(Learning(), **{name: value})
