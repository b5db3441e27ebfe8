"""Elo and Bradley-Terry, against battles worked out by hand and a plain loop in Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from posh_lite.evaluation.elo import SCALE, START, K, bootstrap_elo, bradley_terry, elo, make_battles

#: a beats b, b beats c, a and c tie.
THREE = [("a", "b", 1.0), ("b", "c", 1.0), ("a", "c", 0.5)]


def plain(rows, models, k=K, scale=SCALE, start=START):
    """One pass, battle by battle, with a dictionary."""
    rating = {}
    for a, b, outcome in rows:
        if math.isnan(outcome):
            continue
        old_a, old_b = rating.get(a, start), rating.get(b, start)
        expected_a = 1 / (1 + 10 ** ((old_b - old_a) / scale))
        expected_b = 1 / (1 + 10 ** ((old_a - old_b) / scale))
        rating[a] = old_a + k * (outcome - expected_a)
        rating[b] = old_b + k * (1 - outcome - expected_b)
    return [rating.get(m, math.nan) for m in models]


def test_three_battles_by_hand():
    # 1: both expected 1/2: a 1002, b 998.
    # 2: b expected 1 / (1 + 10 ** (2 / 400)) = 0.497122, gains 4 * 0.502878 = 2.011513: b 1000.011513, c 997.988487.
    # 3: a is 4.011513 ahead, expected 0.505773; a tie costs it 4 * 0.005773 = 0.023090: a 1001.976910, c 998.011578.
    found = elo(make_battles(THREE))
    assert found == pytest.approx([1001.976910, 1000.011513, 998.011578], abs=2e-6)


def test_the_order_of_battles_decides():
    forward, backward = elo(make_battles(THREE)), elo(make_battles(THREE[::-1]))
    assert abs(forward - backward).max() > 0.01
    assert forward.sum() == pytest.approx(3 * START)  # what one gains the other loses
    assert backward.sum() == pytest.approx(3 * START)


def test_sides_can_be_swapped():
    swapped = [(b, a, 1 - outcome) for a, b, outcome in THREE]
    assert elo(make_battles(swapped)) == pytest.approx(elo(make_battles(THREE)), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.lists(
    st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde"), st.sampled_from([0.0, 0.5, 1.0, math.nan]))
    .filter(lambda row: row[0] != row[1]), min_size=1, max_size=30,
))  # fmt: skip
def test_every_round_is_a_plain_pass_over_its_draw(rows):
    battles, rounds = make_battles(rows, models="abcde"), 7
    found = bootstrap_elo(battles, rounds=rounds, seed=5)
    drawn = np.random.default_rng(5).integers(0, len(rows), size=(len(rows), rounds))
    for number in range(rounds):
        expected = plain([rows[i] for i in drawn[:, number]], "abcde")
        assert found[number] == pytest.approx(expected, abs=1e-9, nan_ok=True)
    assert elo(battles) == pytest.approx(plain(rows, "abcde"), abs=1e-9, nan_ok=True)


def test_draws_of_images_take_all_battles_of_an_image():
    # image 1: a beats b ten times; image 2: c beats d once. A round has twice the one, twice the other, or both
    rows = [("a", "b", 1.0)] * 10 + [("c", "d", 1.0)]
    found = bootstrap_elo(make_battles(rows, [1] * 10 + [2]), rounds=200, seed=0, by="units")
    assert {int(n) for n in np.isnan(found).sum(axis=1)} == {0, 2}
    once, twice = plain(rows[:10], "abcd")[0], plain(rows[:10] * 2, "abcd")[0]
    assert {round(v, 6) for v in found[:, 0] if not math.isnan(v)} == {round(once, 6), round(twice, 6)}


def test_the_same_seed_gives_the_same_rounds_and_other_outcomes_are_paired():
    battles = make_battles(THREE * 20)
    assert (bootstrap_elo(battles, rounds=20, seed=1) == bootstrap_elo(battles, rounds=20, seed=1)).all()
    assert (bootstrap_elo(battles, rounds=20, seed=1) != bootstrap_elo(battles, rounds=20, seed=2)).any()
    # all outcomes turned round: with the same draws every rating is mirrored about the start
    turned = make_battles([(a, b, 1 - o) for a, b, o in THREE * 20])
    for by in ("battles", "units"):
        one, other = (bootstrap_elo(b, rounds=20, seed=1, by=by) for b in (battles, turned))
        assert one + other == pytest.approx(2 * START, abs=1e-9)


def test_a_battle_without_outcome_moves_nobody():
    rows = [*THREE, ("a", "d", math.nan)]
    assert elo(make_battles(rows))[:3] == pytest.approx(elo(make_battles(THREE)))
    assert math.isnan(elo(make_battles(rows))[3])
    assert make_battles(rows).n == 3


@pytest.mark.parametrize("row", [("a", "a", 1.0), ("a", "b", 0.3), ("a", "z", 1.0)])
def test_what_is_no_battle_is_refused(row):
    with pytest.raises(ValueError, match="against"):
        make_battles([row], models="ab")


def test_nothing_to_draw_is_refused():
    with pytest.raises(ValueError, match="0 battles"):
        bootstrap_elo(make_battles([]))
    with pytest.raises(ValueError, match="0 rounds"):
        bootstrap_elo(make_battles(THREE), rounds=0)


def test_two_models_have_the_odds_of_their_wins():
    # 6 wins and 2 ties of 9: 7 to 2, so that the ratings lie 400 * log10(7 / 2) apart, about 1000
    rows = [("a", "b", 1.0)] * 6 + [("a", "b", 0.5)] * 2 + [("b", "a", 1.0)]
    found = bradley_terry(make_battles(rows))
    assert found[0] - found[1] == pytest.approx(400 * math.log10(7 / 2), abs=1e-6)
    assert found.mean() == pytest.approx(START)


def test_bradley_terry_is_the_maximum_of_the_likelihood_and_has_no_order():
    rng = np.random.default_rng(2)
    rows = [(f"m{i}", f"m{j}", float(rng.choice([0, 0.5, 1])))
            for i in range(5) for j in range(5) if i != j for _ in range(4)]  # fmt: skip
    battles = make_battles(rows)

    def loss(free):
        strength = np.append(free, 0.0)
        gap = strength[battles.first] - strength[battles.second]
        return float((np.logaddexp(0, -gap) + (1 - battles.outcome) * gap).sum())

    best = np.append(minimize(loss, np.zeros(4), tol=1e-12).x, 0.0)
    expected = START + SCALE * (best - best.mean()) / math.log(10)
    assert bradley_terry(battles) == pytest.approx(expected, abs=1e-3)
    shuffled = make_battles([rows[i] for i in rng.permutation(len(rows))])
    assert bradley_terry(shuffled) == pytest.approx(bradley_terry(battles), abs=1e-6)


def test_both_kinds_of_ratings_rank_alike():
    rng = np.random.default_rng(3)
    rows = []
    for _ in range(600):
        i, j = rng.choice(5, 2, replace=False)
        rows.append((f"m{i}", f"m{j}", float(rng.random() < 1 / (1 + math.exp((j - i) * 0.6)))))
    battles = make_battles(rows)
    by_elo = np.median(bootstrap_elo(battles, rounds=100), axis=0)
    assert list(np.argsort(by_elo)) == list(np.argsort(bradley_terry(battles))) == [0, 1, 2, 3, 4]


def test_no_maximum_no_ratings():
    assert np.isnan(bradley_terry(make_battles([("a", "b", 1.0), ("a", "b", 1.0)]))).all()  # b never wins
    assert np.isnan(bradley_terry(make_battles([("a", "b", 0.5), ("c", "d", 0.5)]))).all()  # two worlds apart
