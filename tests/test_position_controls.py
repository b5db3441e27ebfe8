"""Controls: shuffled sentences, captions of one length, planted effects."""

from __future__ import annotations

import dataclasses
import math
import random

import pytest

from posh_lite.benchmarks.mini import load_mini
from posh_lite.position.controls import length_matched, recovery, shuffle_test
from posh_lite.position.effects import EFFECTS, diagnose
from posh_lite.position.simulate import gold_profiles, labelled_caption


def test_the_shuffle_test_by_hand():
    # one caption of four sentences, one of them generic: D_tail is 1, 0, 0, -1 by its place
    row = {r.quantity: r for r in shuffle_test([labelled_caption("SSSG")], n_shuffles=2000)}["d_tail"]
    assert (row.value, row.low, row.high) == (1, -1, 1)
    assert row.p == pytest.approx(0.5, abs=0.04)


def test_the_shuffle_test_finds_effects_and_only_those():
    planted = {r.quantity: r for r in shuffle_test([labelled_caption("SSHHHSGG", unit=u) for u in range(20)],
                                                   n_shuffles=200)}
    assert planted["d_tail"].p == 1 / 201 and planted["d_mid"].p == 1 / 201 and planted["delta_h"].p > 0.5
    assert planted["d_tail"].low < 0 < planted["d_tail"].high < planted["d_tail"].value
    draw, small = random.Random(1), 0
    for seed in range(40):  # labels without order: p is below .1 in about a tenth
        flat = [labelled_caption("".join(draw.choices("SHG", k=8)), unit=u) for u in range(6)]
        small += shuffle_test(flat, n_shuffles=99, seed=seed)[1].p <= 0.1
    assert small <= 10


def test_weights_go_with_their_sentences():
    made = shuffle_test([labelled_caption("SHGSHGSH", unit=u, weights=[4, 2, 1, 4, 2, 1, 4, 2]) for u in range(3)],
                        n_shuffles=5)
    same = diagnose([labelled_caption("SHGSHGSH", unit=u, weights=[4, 2, 1, 4, 2, 1, 4, 2]) for u in range(3)],
                    n_resamples=1)
    assert [r.value for r in made] == [same.estimate("model", e).value for e in EFFECTS]


def test_shuffles_without_a_tail_have_a_reason():
    rows = shuffle_test([labelled_caption("SH")], n_shuffles=3)
    assert {r.reason for r in rows} == {"an empty bin"} and all(math.isnan(r.p) for r in rows)
    with pytest.raises(ValueError, match="at least 1"):
        shuffle_test([], n_shuffles=0)


def test_lengths_are_matched_by_image():
    profiles = [labelled_caption("S" * n, unit=unit, model=model) for unit, model, n in [
        ("same", "x", 8), ("same", "y", 10), ("apart", "x", 8), ("apart", "y", 11), ("alone", "x", 8),
        ("empty", "x", 0), ("empty", "y", 0)]]
    made = length_matched(profiles)
    assert {p.unit for p in made.profiles} == {"same"} and (made.n_images, made.n_left_out) == (1, 3)
    assert length_matched(profiles, within=2).n_images == 2
    with pytest.raises(ValueError, match="within"):
        length_matched(profiles, within=0.9)


def test_perfect_verdicts_recover_what_was_planted():
    gold = gold_profiles(load_mini())
    rows = recovery(gold, [dataclasses.replace(p, unit=p.rubric.reference) for p in gold], n_resamples=200)
    assert len(rows) == 24 and all(r.covered and r.found.value == r.planted for r in rows)


def test_a_verifier_that_sees_no_mistakes_is_caught():
    gold = gold_profiles(load_mini())
    blind = [
        dataclasses.replace(p, sentences=tuple(dataclasses.replace(s, label="Supported") for s in p.sentences))
        for p in gold
    ]
    rows = {(r.model, r.quantity): r for r in recovery(gold, blind, n_resamples=100)}
    assert not rows["embellisher", "d_mid"].covered and not rows["drifter", "d_tail"].covered
    assert rows["faithful", "d_mid"].covered
    with pytest.raises(ValueError, match="in one of the two only"):
        recovery(gold, blind[1:])
