"""Effects and their paired bootstrap: by hand, against a naive loop to the last digit, and what may change nothing."""

from __future__ import annotations

import dataclasses
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.evaluation.bootstrap import Estimate, bootstrap, estimate_from_dict
from posh_lite.position.composition import compose, equal_bins
from posh_lite.position.effects import EFFECTS, diagnose, effects_of, quantities
from posh_lite.position.resample import resampled_sums, share_explained, summarise
from posh_lite.position.simulate import labelled_caption

WEIGHTS = (1, 1.5, 2, 3.5)


def corpus(n_images=9, models=("x", "y", "z"), seed=0, shortest=4):
    draw = random.Random(seed)
    made = []
    for unit in range(n_images):
        for model in models:
            labels = "".join(draw.choice("SSHG") for _ in range(draw.randint(shortest, 13)))
            made.append(labelled_caption(labels, unit=f"image {unit}", model=model,
                                         weights=[draw.choice(WEIGHTS) for _ in labels]))
    return made


def naive(profiles, *, weighted, n_resamples, seed):
    """One resample, one model, one sentence at a time: (B, models, quantities)."""
    units = sorted({p.unit for p in profiles})
    models = list(dict.fromkeys(p.model for p in profiles))
    generator = np.random.default_rng(seed)
    drawn = generator.integers(0, len(units), size=(n_resamples, len(units)))
    rows = []
    for draws in drawn:
        row = []
        for model in models:
            sums = {(q, label): 0.0 for q in (1, 2, 3, 4) for label in ("Supported", "Contradicted", "Generic")}
            for place in draws:
                for profile in profiles:
                    if profile.model == model and profile.unit == units[place]:
                        for s in profile.sentences:
                            sums[s.quartile, s.label] += s.weight if weighted else 1
            share = {}
            for (q, label), value in sums.items():
                total = sum(v for (other, _), v in sums.items() if other == q)
                share[q, label[0]] = value / total if total else math.nan
            row.append([*share.values(), (share[2, "C"] + share[3, "C"]) / 2 - share[1, "C"],
                        share[4, "G"] - share[1, "G"], share[4, "S"] - share[1, "S"], share[4, "C"] - share[1, "C"]])
        rows.append(row)
    return np.array(rows)


@pytest.mark.parametrize("weighted", [True, False])
def test_replicates_equal_a_naive_loop_to_the_last_digit(weighted):
    profiles = corpus()
    made = diagnose(profiles, weighted=weighted, n_resamples=40, seed=11)
    assert np.array_equal(made.replicates, naive(profiles, weighted=weighted, n_resamples=40, seed=11))


def test_replicates_equal_a_naive_loop_where_bins_are_empty():
    profiles = [*corpus(n_images=2, models=("x",)), labelled_caption("SH", unit="short", model="x")]
    expected = naive(profiles, weighted=True, n_resamples=60, seed=2)
    assert np.isnan(expected).any()
    assert np.array_equal(diagnose(profiles, n_resamples=60, seed=2).replicates, expected, equal_nan=True)


def test_effects_by_hand():
    # Q1 S H, Q2 H H, Q3 S H, Q4 G S: H is 1/2, 1, 1/2, 0; G is 0, 0, 0, 1/2; S is 1/2, 0, 1/2, 1/2
    made = diagnose([labelled_caption("SHHHSHGS", unit=u) for u in (1, 2)], n_resamples=5)
    assert {e: made.estimate("model", e).value for e in EFFECTS} == {
        "d_mid": 0.25, "d_tail": 0.5, "delta_s": 0.0, "delta_h": -0.5}
    assert made.estimate("model", "h_q2").value == 1.0
    assert made.estimate("model", "d_tail").low == made.estimate("model", "d_tail").high == 0.5


def test_effects_of_the_papers_first_model():
    # Table 7, InternVL3.5-4B
    shares = np.array([[.562, .289, .149], [.477, .407, .116], [.504, .366, .131], [.351, .362, .287]])
    assert effects_of(shares) == pytest.approx([0.0975, 0.138, -0.211, 0.073], abs=1e-12)


def test_other_numbers_of_bins_have_a_middle_too():
    shares = np.array([[.5, .1, .4], [.5, .2, .3], [.4, .3, .3], [.3, .4, .3], [.1, .1, .8]])
    assert effects_of(shares) == pytest.approx([0.2, 0.4, -0.4, 0.0])
    with pytest.raises(ValueError, match="at least three bins"):
        effects_of(shares[:2])


def test_intervals_are_those_of_the_general_bootstrap():
    profiles = corpus(n_images=12, models=("x",))
    sums = compose(profiles)["x"].weights

    def statistic(weights):
        pooled = (weights @ sums.reshape(12, 12)).reshape(-1, 4, 3)
        return pooled[:, 3, 2] / pooled[:, 3].sum(axis=1) - pooled[:, 0, 2] / pooled[:, 0].sum(axis=1)

    expected = bootstrap(statistic, 12, n_resamples=300, seed=5)
    made = diagnose(profiles, n_resamples=300, seed=5).estimate("x", "d_tail")
    assert (made.value, made.low, made.high) == (expected.value, expected.low, expected.high)
    assert (made.n_units, made.n) == (12, sum(len(p.sentences) for p in profiles))


def test_a_model_does_not_differ_from_itself():
    made = diagnose(corpus(), n_resamples=50)
    same = made.difference("x", "x", "d_mid")
    assert (same.value, same.low, same.high) == (0, 0, 0)


def test_differences_are_paired():
    profiles = corpus(n_images=30, models=("x",), seed=1)
    shifted = [dataclasses.replace(p, model="y", id=p.id + "y") for p in profiles]
    made = diagnose(profiles + shifted, n_resamples=200)
    assert made.estimate("x", "h_q2").high > made.estimate("x", "h_q2").low
    assert made.difference("x", "y", "h_q2").high == 0  # the same captions vary together


def test_images_that_not_all_models_have_are_left_out_and_counted():
    profiles = [labelled_caption("SSSS", unit=u, model="x") for u in range(5)]
    profiles += [labelled_caption("GGGGG", unit=u, model="y") for u in range(3, 9)]
    made = diagnose(profiles, n_resamples=10)
    assert (made.n_images, made.left_out) == (2, (3, 4))
    assert (made.n_sentences, made.n_dropped) == ((8, 10), (12, 20))
    assert made.estimate("y", "g_q1").n_dropped == 20


def test_an_image_with_an_empty_caption_is_an_image_of_the_model():
    profiles = [labelled_caption("", unit="a"), labelled_caption("SSSS", unit="b")]
    assert diagnose(profiles, n_resamples=10).n_images == 2


def test_no_image_in_common_and_empty_bins_have_reasons():
    made = diagnose([labelled_caption("SS", unit=1, model="x"), labelled_caption("SS", unit=2, model="y")],
                    n_resamples=10)
    assert math.isnan(made.estimate("x", "d_mid").value)
    assert made.estimate("x", "d_mid").reason == "no image that all models have"
    short = diagnose([labelled_caption("SHG", unit=u) for u in (1, 2)], n_resamples=10)
    assert short.estimate("model", "d_tail").reason == "empty: model: bin 4"
    assert short.estimate("model", "d_mid").value == 0.5  # needs no fourth quartile


def test_one_image_has_no_interval():
    one = diagnose([labelled_caption("SHGG")], n_resamples=10).estimate("model", "d_tail")
    assert one.value == 1 and math.isnan(one.low) and one.reason == "one image only: no interval"


def test_resamples_that_leave_a_bin_empty_are_counted():
    profiles = [labelled_caption("SSSG", unit="long"), labelled_caption("SH", unit="short")]
    tail = diagnose(profiles, n_resamples=400, seed=0).estimate("model", "d_tail")
    assert 60 < tail.n_undefined < 140  # both draws are the short caption in one resample of four
    assert (tail.value, tail.low, tail.high) == (1, 1, 1)


def test_means_and_profiles():
    made = diagnose(corpus(), n_resamples=30)
    mean = made.mean("d_tail")
    assert mean.value == pytest.approx(sum(made.estimate(m, "d_tail").value for m in "xyz") / 3)
    assert made.mean("d_tail", ["x"]).low == made.estimate("x", "d_tail").low
    profile = made.profile("y")
    assert len(profile) == 4 and sum(e.value for e in profile[2].values()) == pytest.approx(1)
    with pytest.raises(ValueError, match="no models"):
        made.mean("d_tail", [])


def test_rows_come_back_as_estimates():
    made = diagnose(corpus(n_images=4, shortest=1), n_resamples=20)
    frame = made.to_frame()
    assert len(frame) == 3 * len(quantities()) and set(frame["quantity"]) == set(quantities())
    row = dict(made.rows()[0])
    assert (row.pop("model"), row.pop("quantity"), row.pop("weighted")) == ("x", "s_q1", True)
    assert estimate_from_dict(row) == made.estimate("x", "s_q1")


def test_mistakes_of_the_caller_are_named():
    made = diagnose(corpus(n_images=2), n_resamples=5)
    with pytest.raises(KeyError, match="no model 'w'; there are x, y, z"):
        made.estimate("w", "d_mid")
    with pytest.raises(KeyError, match="no quantity 'D_mid'"):
        made.estimate("x", "D_mid")
    with pytest.raises(ValueError, match="no captions"):
        diagnose([])
    with pytest.raises(ValueError, match="n_resamples must be at least 1"):
        diagnose(corpus(n_images=2), n_resamples=0)
    with pytest.raises(ValueError, match="level"):
        diagnose(corpus(n_images=2), level=95)
    with pytest.raises(ValueError, match="different bins"):
        diagnose({"x": compose(corpus(2, ("x",)))["x"], "y": compose(corpus(2, ("y",)), bins=equal_bins(3))["y"]})


@settings(max_examples=15, deadline=None)
@given(st.randoms())
def test_the_order_of_captions_changes_neither_values_nor_intervals(shuffled):
    profiles = corpus(n_images=6, models=("x",))
    other = list(profiles)
    shuffled.shuffle(other)
    one, two = (diagnose(p, n_resamples=20, seed=3) for p in (profiles, other))
    assert np.array_equal(one.replicates, two.replicates) and np.array_equal(one.values, two.values)


@settings(max_examples=15, deadline=None)
@given(st.sampled_from([0.5, 4.0]), st.integers(0, 100))
def test_scaling_all_weights_changes_no_effect(factor, seed):
    profiles = corpus(n_images=4, seed=seed, shortest=1)
    scaled = diagnose(profiles, n_resamples=10, reading=lambda _, s: (s.label, s.weight * factor))
    assert np.array_equal(scaled.replicates, diagnose(profiles, n_resamples=10).replicates, equal_nan=True)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_shifts_of_the_three_labels_cancel(seed):
    made = diagnose(corpus(n_images=5, models=("x",), seed=seed), n_resamples=5)
    parts = [made.estimate("x", e).value for e in ("d_tail", "delta_s", "delta_h")]
    assert sum(parts) == pytest.approx(0, abs=1e-12)  # D_tail = -dS - dH, as the paper notes in J.7


# -- what a control explains --------------------------------------------------------------------------------


def test_share_explained_by_hand():
    reps = np.array([0.2, 0.25, 0.25, 0.4])
    floor, effect = Estimate(0.1, 0.05, 0.2, 7, 4), Estimate(0.25, 0.2, 0.4, 9, 4)
    made = share_explained(floor, np.array([0.1, 0.1, 0.1, 0.1]), effect, reps)
    assert made.value == 0.4 and made.n == 7
    low, high = np.quantile([0.5, 0.4, 0.4, 0.25], [0.025, 0.975])
    assert (made.low, made.high) == pytest.approx((low, high))


def test_an_effect_that_may_be_zero_explains_nothing_with_an_interval():
    flat = np.array([-0.1, 0.1, 0.2, 0.3])
    made = share_explained(Estimate(0.1, 0, 0.2, 4, 4), flat, Estimate(0.1, -0.05, 0.3, 4, 4), flat)
    assert made.value == 1 and math.isnan(made.low) and "may be zero" in made.reason
    none = share_explained(Estimate(0.1, 0, 0.2, 4, 4), flat, Estimate(0.0, 0.0, 0.0, 4, 4), flat * 0)
    assert math.isnan(none.value) and none.reason == "no effect to explain"


def test_a_control_on_the_same_images_is_paired():
    profiles = [labelled_caption("SSSSSSGG", unit=u, model="model") for u in range(6)]
    profiles += [labelled_caption("SSSSSSSG", unit=u, model="person") for u in range(6)]
    made = diagnose(profiles, n_resamples=30)
    share = made.explained("model", "d_tail", made, "person")
    assert (share.value, share.low, share.high) == (0.5, 0.5, 0.5)
    other = diagnose([p for p in profiles if p.model == "person"], n_resamples=30)
    with pytest.raises(ValueError, match="different seeds"):
        made.explained("model", "d_tail", other, "person")
    apart = diagnose([p for p in profiles if p.model == "person"], n_resamples=30, seed=1)
    assert made.explained("model", "d_tail", apart, "person").value == 0.5


def test_summaries_follow_the_general_rules():
    nan = math.nan
    half = summarise(1.0, np.array([1.0, nan, nan]), n=3, n_units=3)
    assert half.reason == "undefined in 2 of 3 resamples: no interval" and math.isnan(half.low)
    assert summarise(nan, np.array([1.0]), n=1, n_units=3, reason="why").reason == "why"
    with pytest.raises(ValueError, match="level"):
        summarise(1.0, np.array([1.0]), n=1, n_units=2, level=1.0)


def test_sums_of_no_images_are_zero():
    assert resampled_sums(np.zeros((0, 2, 4, 3)), 5, 0).shape == (5, 2, 4, 3)
