"""Smooth composition: constants and lines reproduced, by hand at one point, and what its bands cover."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.position.curve import choose_bandwidth, positions, smooth
from posh_lite.position.simulate import labelled_caption


def drawn(n_images, shares, seed=0, lengths=(5, 14), model="model"):
    """Captions whose labels are drawn from shares at the place of each sentence."""
    draw, made = random.Random(seed), []
    for unit in range(n_images):
        n = draw.randint(*lengths)
        labels = "".join(draw.choices("SHG", shares((k - 0.5) / n))[0] for k in range(1, n + 1))
        made.append(labelled_caption(labels, unit=unit, model=model))
    return made


def test_places_are_the_middles_of_equal_parts():
    assert positions(labelled_caption("SHGS")) == [1 / 8, 3 / 8, 5 / 8, 7 / 8]
    assert positions(labelled_caption("")) == []


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 15), min_size=2, max_size=6), st.sampled_from("SHG"), st.sampled_from([0.03, 0.1, 0.5]))
def test_constants_are_reproduced_exactly(lengths, letter, bandwidth):
    profiles = [labelled_caption(letter * n, unit=u) for u, n in enumerate(lengths)]
    curve = smooth(profiles, bandwidth=bandwidth, points=11, n_resamples=20)["model"]
    expected = np.tile([float(letter == other) for other in "SHG"], (11, 1))
    for shown in (curve.shares, curve.low, curve.high):
        assert np.array_equal(shown, expected)
    assert {p.reason for p in curve.peak.values()} == {"the share is the same everywhere"}


def test_a_straight_line_is_reproduced():
    # ten captions whose k-th sentence is generic in k of ten: the share at (k - 1/2) / 10 is k / 10
    profiles = [
        labelled_caption("".join("G" if i < k else "S" for k in range(1, 11)), unit=i) for i in range(10)
    ]
    curve = smooth(profiles, points=21, n_resamples=10)["model"]
    assert curve.shares[:, 2] == pytest.approx(np.minimum(curve.at + 0.05, 1), abs=1e-10)


def test_one_point_by_hand():
    # weighted least squares with the kernel's weights, the intercept at 0.3
    profile = labelled_caption("SGGS", weights=[2, 1, 1, 1.5])
    x = np.array([1, 3, 5, 7]) / 8
    w = np.exp(-0.5 * ((x - 0.3) / 0.2) ** 2) * [2, 1, 1, 1.5]
    root = np.sqrt(w)
    design = np.stack([root, root * (x - 0.3)], axis=1)
    expected = np.linalg.lstsq(design, root * [0, 1, 1, 0], rcond=None)[0][0]
    other = labelled_caption("", unit="other")  # so that there are two images
    curve = smooth([profile, other], weighted=True, bandwidth=0.2, points=11, n_resamples=10)["model"]
    assert curve.shares[3, 2] == pytest.approx(expected, abs=1e-12)


def test_where_all_sentences_are_at_one_place_the_mean_is_drawn():
    curve = smooth([labelled_caption(c, unit=i) for i, c in enumerate("SSSG")], n_resamples=10)["model"]
    assert curve.shares[:, 2] == pytest.approx(0.25, abs=1e-12)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.booleans())
def test_shares_sum_to_one_everywhere(seed, weighted):
    curve = smooth(drawn(4, lambda x: (1, 1, 1), seed), weighted=weighted, points=9, n_resamples=5)["model"]
    assert curve.shares.sum(axis=1) == pytest.approx(1, abs=1e-9)


def test_the_order_of_images_changes_nothing():
    profiles = drawn(8, lambda x: (1, x, x), 3)
    one, two = (smooth(p, n_resamples=50)["model"] for p in (profiles, profiles[::-1]))
    assert one.high == pytest.approx(two.high, abs=1e-12) and one.shares == pytest.approx(two.shares, abs=1e-12)


def test_bands_are_simultaneous():
    # the whole curve lies within the band in at least the stated share of 120 corpora; a line has no smoothing bias
    def truth(x):
        return np.stack([0.6 - 0.3 * x, 0.2 + 0 * x, 0.2 + 0.3 * x], axis=-1)

    inside, pointwise = np.zeros(3), np.zeros((21, 3))
    for seed in range(120):
        curve = smooth(drawn(40, lambda x: tuple(truth(x)), seed), points=21, n_resamples=150, seed=seed)["model"]
        hit = (curve.low <= truth(curve.at)) & (truth(curve.at) <= curve.high)
        inside += hit.all(axis=0)
        pointwise += hit
    # 95 % promised; 120 corpora leave a standard error of two points
    assert (inside / 120 >= 0.88).all()
    assert (pointwise / 120).mean() > (inside / 120).mean()


def test_the_peak_is_found_with_its_interval():
    # contradicted content is densest at 0.6
    curve = smooth(drawn(150, lambda x: (1, 2 * math.exp(-((x - 0.6) ** 2) / 0.03), 0.5), 1), n_resamples=200)["model"]
    peak = curve.peak["Contradicted"]
    assert abs(peak.value - 0.6) < 0.06 and peak.low <= 0.6 <= peak.high and peak.high - peak.low < 0.3


def test_little_data_has_reasons_instead_of_bands():
    one = smooth([labelled_caption("SHG")])["model"]
    assert one.reason == "one image only: no bands"
    assert np.isnan(one.low).all() and not np.isnan(one.shares).any()
    assert one.peak["Generic"].value > 0.8 and math.isnan(one.peak["Generic"].low)
    none = smooth([labelled_caption("")])["model"]
    assert none.reason == "no sentence in any caption" and np.isnan(none.shares).all()
    empty = [labelled_caption("", unit=u) for u in range(30)]
    rare = smooth([labelled_caption("SHG"), *empty], n_resamples=50)["model"]
    assert not np.isnan(rare.high).any() and rare.n_images == 31  # resamples without the one caption are left out


def test_bands_stay_within_nought_and_one_around_the_curve():
    curve = smooth(drawn(12, lambda x: (1, 0.03, x * x), 5), n_resamples=100)["model"]
    assert curve.low.min() >= 0 and curve.high.max() <= 1
    assert (curve.low <= curve.shares).all() and (curve.shares <= curve.high).all()


def test_every_model_has_its_curve():
    made = smooth(drawn(5, lambda x: (1, 0, 0), model="x") + drawn(6, lambda x: (0, 0, 1), model="y"), n_resamples=5)
    assert list(made) == ["x", "y"] and (made["x"].n_images, made["y"].n_images) == (5, 6)
    assert made["y"].shares[:, 2].min() == 1


@pytest.mark.parametrize("wrong", [{"points": 1}, {"bandwidth": 0.0}, {"bandwidth": math.nan}, {"level": 1.0}])
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match="out of range"):
        smooth([labelled_caption("S")], **wrong)


def test_the_bandwidth_follows_the_bend():
    flat = choose_bandwidth(drawn(40, lambda x: (1, 1, 1), 2))
    bent = choose_bandwidth(drawn(150, lambda x: (1, 0.05 + (8 if 0.4 < x < 0.6 else 0), 1), 2))
    assert bent < 0.1 < flat
    with pytest.raises(ValueError, match="two images"):
        choose_bandwidth([labelled_caption("SSS")])
    with pytest.raises(ValueError, match="no bandwidths"):
        choose_bandwidth([labelled_caption("SSS")], [])


def test_leaving_an_image_out_is_what_it_says():
    # two images: each is predicted by the other alone, so opposite labels are as wrong as can be at any bandwidth
    profiles = [labelled_caption("SSSS", unit=1), labelled_caption("GGGG", unit=2)]
    assert choose_bandwidth(profiles, [0.3, 0.1]) == 0.3  # equals: the first
