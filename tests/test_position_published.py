"""The paper's six models: Table 7 as profiles, and effects in both readings."""

from __future__ import annotations

import math

import numpy as np
import pytest

from posh_lite.position.effects import EFFECTS, effects_of
from posh_lite.position.published import (
    HUMAN,
    MEAN,
    images,
    models,
    printed_profiles,
    published_effects,
)


@pytest.fixture(scope="module")
def effects():
    return {(e.model, e.quantity): e for e in published_effects()}


def test_profiles_are_the_printed_cells():
    profiles = printed_profiles()
    assert len(models()) == 6 and list(profiles) == [*models(), HUMAN] and images() == 198
    assert [e.value for e in profiles["LLaVA-v1.5-7B"][2].values()] == [0.2, 0.573, 0.227]
    assert all(math.isnan(e.low) and e.n_units == 198 for e in profiles["Qwen-Plus"][0].values())
    assert HUMAN not in printed_profiles(human=False)
    for profile in profiles.values():
        for part in profile:
            assert sum(e.value for e in part.values()) == pytest.approx(1, abs=0.0015 + 1e-9)


def test_effects_are_those_of_the_general_formula(effects):
    for model, profile in printed_profiles().items():
        shares = np.array([[e.value for e in part.values()] for part in profile])
        expected = dict(zip(EFFECTS, effects_of(shares), strict=True))
        for name in EFFECTS:
            made = effects[model, name]
            assert made.unweighted == pytest.approx(expected[name], abs=1e-12)
            assert made.rounding[0] < made.unweighted < made.rounding[1]


def test_one_row_by_hand(effects):
    made = effects["Qwen3-VL-4B", "d_mid"]
    assert made.unweighted == pytest.approx(0.0955) and made.rounding == pytest.approx((0.0945, 0.0965))
    assert effects["Qwen3-VL-4B", "d_tail"].rounding == pytest.approx((0.269, 0.271))
    assert effects[HUMAN, "d_tail"].unweighted == pytest.approx(-0.022)


def test_weighted_effects_are_those_of_the_text(effects):
    said = {key: e.weighted for key, e in effects.items() if not math.isnan(e.weighted.value)}
    assert said["LLaVA-v1.5-7B", "d_mid"].value == 0.216 and said["Qwen3-VL-8B", "d_mid"].value == 0.065
    assert {k: said[MEAN, k].value for k in ("d_mid", "d_tail", "delta_s")} == {
        "d_mid": 0.101, "d_tail": 0.178, "delta_s": -0.195}
    tail = said["Qwen-Plus", "d_tail"]
    assert (tail.value, tail.low, tail.high) == (0.138, 0.11, 0.169)
    other = said["Qwen3-VL-8B", "d_tail"]
    assert (other.value, other.low, other.high) == (0.122, 0.098, 0.149)
    human = said[HUMAN, "d_tail"]
    assert (human.value, human.low, human.high) == (-0.013, -0.028, 0.004)
    missing = effects["InternVL3.5-4B", "d_mid"].weighted
    assert missing.reason == "not stated in the paper as it can be read"


def test_both_readings_say_the_same_of_the_two_findings(effects):
    """Section 3: D_mid and D_tail are positive for all six models, and the tail of three hallucinates less."""
    for name in ("d_mid", "d_tail"):
        assert all(effects[m, name].rounding[0] > 0 for m in models())
    assert sum(effects[m, "delta_h"].unweighted < 0 for m in models()) == 3
    assert effects[MEAN, "d_mid"].unweighted == pytest.approx(
        sum(effects[m, "d_mid"].unweighted for m in models()) / 6)
