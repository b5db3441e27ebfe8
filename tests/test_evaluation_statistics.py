"""Correlations, intervals and rates, against scipy, statsmodels and values worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from posh_lite.evaluation.bootstrap import Estimate, bootstrap, estimate_from_dict, ratio, resample_weights
from posh_lite.evaluation.correlation import (
    correlate,
    kendall_statistic,
    pearson_statistic,
    spearman_statistic,
    weighted_ranks,
)
from posh_lite.evaluation.pairwise import directional_accuracy, pairwise_accuracy, tie_threshold

RNG = np.random.default_rng(3)
X = RNG.integers(0, 5, 60).astype(float)  # many ties
Y = X + RNG.normal(0, 2, 60)
Z = X * 0.4 + RNG.normal(0, 1, 60)


@pytest.mark.parametrize(
    ("method", "oracle"),
    [("spearman", stats.spearmanr), ("kendall", stats.kendalltau), ("pearson", stats.pearsonr)],
)
def test_values_are_those_of_scipy(method, oracle):
    assert correlate(X, Y, method, n_resamples=50).value == pytest.approx(oracle(X, Y)[0], abs=1e-12)


@pytest.mark.parametrize(
    ("make", "oracle"),
    [(spearman_statistic, stats.spearmanr), (kendall_statistic, stats.kendalltau), (pearson_statistic, stats.pearsonr)],
)
def test_weights_count_rows(make, oracle):
    weights = np.random.default_rng(0).integers(0, 3, (4, len(X))).astype(float)
    for row, value in zip(weights.astype(int), make(X, Y)(weights), strict=True):
        assert value == pytest.approx(oracle(np.repeat(X, row), np.repeat(Y, row))[0], abs=1e-12)


def test_partial_spearman_is_the_correlation_of_rank_residuals():
    import statsmodels.api as sm

    rx, ry, rz = (stats.rankdata(v) for v in (X, Y, Z))
    design = sm.add_constant(rz)
    expected = stats.pearsonr(sm.OLS(rx, design).fit().resid, sm.OLS(ry, design).fit().resid)[0]
    assert correlate(X, Y, "partial_spearman", given=[Z], n_resamples=20).value == pytest.approx(expected, abs=1e-9)


def test_partial_spearman_with_two_covariates():
    import statsmodels.api as sm

    other = np.arange(60.0) ** 2
    ranks = [stats.rankdata(v) for v in (X, Y, Z, other)]
    design = sm.add_constant(np.column_stack(ranks[2:]))
    expected = stats.pearsonr(sm.OLS(ranks[0], design).fit().resid, sm.OLS(ranks[1], design).fit().resid)[0]
    found = correlate(X, Y, "partial_spearman", given=[Z, other], n_resamples=20)
    assert found.value == pytest.approx(expected, abs=1e-9)


def test_hand_worked_ranks_and_correlations():
    # 10 10 20: the tie shares (1 + 2) / 2
    assert weighted_ranks(np.array([10.0, 10.0, 20.0]), np.ones((1, 3))).tolist() == [[1.5, 1.5, 3.0]]
    # the first row twice: copies hold ranks 1 and 2
    assert weighted_ranks(np.array([1.0, 2.0]), np.array([[2.0, 1.0]])).tolist() == [[1.5, 3.0]]
    # one discordant pair of three: (2 - 1) / 3
    assert correlate([1, 2, 3], [1, 3, 2], "kendall", n_resamples=10).value == pytest.approx(1 / 3)
    # ranks 1 2 3 against 1 3 2: 1 - 6 * 2 / (3 * 8)
    assert correlate([1, 2, 3], [1, 3, 2], n_resamples=10).value == pytest.approx(1 / 2)


@pytest.mark.parametrize("method", ["spearman", "kendall", "pearson"])
def test_constant_input_is_undefined_and_says_so(method):
    found = correlate([1.0] * 8, range(8), method)
    assert math.isnan(found.value)
    assert math.isnan(found.low)
    assert "constant" in found.reason
    assert "constant" in str(found)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_fewer_than_three_rows(n):
    found = correlate(range(n), range(n))
    assert math.isnan(found.value)
    assert found.n == n
    assert "at least 3" in found.reason


def test_a_row_with_nan_is_dropped_and_counted():
    x, y = np.append(X, np.nan), np.append(Y, 1.0)
    found, without = correlate(x, y, n_resamples=200), correlate(X, Y, n_resamples=200)
    assert (found.value, found.low, found.high) == (without.value, without.low, without.high)
    assert (found.n, found.n_dropped) == (60, 1)


def test_undefined_resamples_are_counted_and_the_rest_gives_the_interval():
    found = correlate([0, 0, 0, 0, 1], [1, 2, 3, 4, 5], n_resamples=1000)
    # a resample without the last row is constant: (4/5)^5 of them
    assert found.n_undefined == pytest.approx(1000 * 0.8**5, abs=60)
    assert not math.isnan(found.low)


def test_no_interval_where_most_resamples_are_undefined():
    # only resamples with both rows of the odd unit's kind vary: the other units are all alike
    found = bootstrap(lambda w: np.where(w[:, 0] == 1, 1.0, np.nan), 5, n_resamples=400)
    assert found.value == 1.0
    assert math.isnan(found.low)
    assert "resamples" in found.reason


def test_covariate_that_explains_everything():
    found = correlate(X, Y, "partial_spearman", given=[X], n_resamples=20)
    assert math.isnan(found.value)
    assert "left" in found.reason


def test_units_are_resampled_whole():
    # forty copies of the same five images are five images: the interval must not shrink
    x, y = [1, 2, 3, 4, 5], [2, 1, 4, 3, 5]
    few = correlate(x, y, n_resamples=500)
    many = correlate(x * 8, y * 8, units=[*range(5)] * 8, n_resamples=500)
    assert many.n == 40
    assert many.n_units == 5
    assert many.high - many.low == pytest.approx(few.high - few.low, abs=0.05)


def test_seed_and_order():
    first, again = correlate(X, Y, seed=5), correlate(X, Y, seed=5)
    assert first == again != correlate(X, Y, seed=6)


def test_bca_and_percentile_agree_with_scipy():
    ours = ratio(Y, np.ones(60), interval="bca", n_resamples=4000)
    theirs = stats.bootstrap((Y,), np.mean, method="BCa", n_resamples=4000, rng=np.random.default_rng(0))
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.06)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.06)


def test_coverage_of_the_interval():
    generator, hits = np.random.default_rng(11), 0
    for trial in range(120):
        found = ratio(generator.normal(1, 1, 40), np.ones(40), n_resamples=300, seed=trial)
        hits += found.low <= 1 <= found.high
    assert 0.87 <= hits / 120 <= 1.0


def test_resample_weights_draw_as_many_as_there_are():
    weights = resample_weights(7, 50, 0)
    assert weights.shape == (50, 7)
    assert (weights.sum(axis=1) == 7).all()


def test_ratio_by_hand_and_over_nothing():
    # two images: 1 of 2 and 3 of 4
    found = ratio([1, 3], [2, 4], n_resamples=100)
    assert found.value == 4 / 6
    assert (found.low, found.high) == (1 / 2, 3 / 4)
    assert "nothing" in ratio([0, 0], [0, 0]).reason


def test_estimate_round_trip_and_text():
    found = correlate(X, Y, n_resamples=50)
    assert estimate_from_dict(found.to_dict()) == found
    undefined = estimate_from_dict(Estimate(math.nan, math.nan, math.nan, 0, 0, reason="none").to_dict())
    assert math.isnan(undefined.value)
    assert str(undefined) == "– (none), n = 0"


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"y": [1, 2]}, "lengths differ"), ({"method": "tau"}, "unknown method"),
        ({"given": [[1, 2, 3]]}, "covariates"),
        ({"method": "partial_spearman"}, "covariates"), ({"units": ["a"]}, "units"),
        ({"n_resamples": 0}, "at least 1"), ({"level": 1.5}, "level"), ({"level": 0}, "level"),
        ({"interval": "normal"}, "percentile or bca"),
    ],
)
def test_wrong_calls(kwargs, message):
    with pytest.raises(ValueError, match=message):
        correlate(**({"x": [1, 2, 3], "y": [1, 2, 3]} | kwargs))


@pytest.mark.parametrize("method", ["spearman", "kendall", "pearson"])
@pytest.mark.parametrize(("scale", "shift"), [(1e-13, 0.0), (1e150, 0.0), (1e300, 0.0), (1e-300, 0.0), (1.0, 1e9)])
def test_the_unit_of_the_values_does_not_matter(method, scale, shift):
    x = np.array([1.0, 2.0, 3.0, 7.0, 5.0])
    expected = correlate(x, [1, 3, 2, 5, 9], method, n_resamples=100)
    found = correlate(x * scale + shift, [1, 3, 2, 5, 9], method, n_resamples=100)
    assert found.value == pytest.approx(expected.value, abs=1e-6)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-5)
    assert found.n_undefined == expected.n_undefined


@pytest.mark.parametrize("value", [0.1, 1e9 / 3, 1e-300])
def test_a_constant_that_differs_by_rounding_is_constant(value):
    x = [value, math.nextafter(value, math.inf), value, value, math.nextafter(value, 0)]
    found = correlate(x, [1, 3, 2, 5, 4], "pearson", n_resamples=20)
    assert math.isnan(found.value)
    assert found.reason == "an input is constant but for rounding"


@pytest.mark.filterwarnings("error")
def test_infinite_values_have_ranks_but_no_mean():
    x, y = [1, 2, math.inf, 4, -math.inf], [1, 3, 2, 5, 4]
    ranked = [2, 3, 5, 4, 1]
    assert correlate(x, y, n_resamples=20).value == pytest.approx(stats.spearmanr(ranked, y)[0])
    assert correlate(x, y, "kendall", n_resamples=20).value == pytest.approx(stats.kendalltau(ranked, y)[0])
    found = correlate(x, y, "pearson", n_resamples=20)
    assert math.isnan(found.value)
    assert found.reason == "an input is infinite"


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=3, max_size=12))
def test_correlations_stay_in_range_or_are_undefined(rows):
    for method in ("spearman", "kendall", "pearson"):
        found = correlate([a for a, _ in rows], [b for _, b in rows], method, n_resamples=30)
        for value in (found.value, found.low, found.high):
            assert math.isnan(value) or -1 <= value <= 1


def test_tie_threshold_makes_as_many_ties_as_gold():
    assert tie_threshold([0.3, -0.1, 0.2], 2) == pytest.approx(0.2)
    assert tie_threshold([0.3], 0) == -1.0


def test_pairwise_accuracy_by_hand():
    # gold: better, worse, tie, better; the smallest difference is called a tie: right, right, wrong (0.4), wrong (tie)
    found = pairwise_accuracy([0.5, -0.3, 0.4, 0.1], [2, -1, 0, 1])
    assert found.accuracy.value == 2 / 4
    assert found.n_gold_ties == 1
    assert found.tie_threshold == pytest.approx(0.1)


def test_pairwise_accuracy_counts_nan_and_exact_ties_as_wrong():
    found = pairwise_accuracy([math.nan, 0.0, 1.0], [1, 1, 1])
    assert found.accuracy.value == 1 / 3
    assert math.isnan(found.tie_threshold)


def test_directional_accuracy_leaves_gold_ties_out():
    # right, wrong, (a gold tie), no choice: half
    found = directional_accuracy([0.5, 0.3, 0.4, 0.0], [2, -1, 0, 1])
    assert found.value == (1 + 0 + 0.5) / 3
    with pytest.raises(ValueError, match="3 differences"):
        directional_accuracy([1, 2, 3], [1])
