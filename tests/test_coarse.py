"""The coarse protocol and significance, on comparisons and ratings small enough to work out by hand."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from posh_lite.benchmarks.contract import Benchmark, Comparison, Rating
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.evaluation.coarse import coarse, compare, rate
from posh_lite.evaluation.significance import ALPHA, Finding, bootstrap_p, difference, scipy_p, significant
from posh_lite.records import Pair


def pair(name: str) -> Pair:
    return Pair(name, f"Text {name}.", "A reference.")


#: Six comparisons of three images; the metric's values by pair.
VALUES = {"a": 0.9, "b": 0.5, "c": 0.7, "d": 0.2, "e": 0.65, "f": 0.3}
COMPARISONS = [
    Comparison(1, "a", "b", {"overall": 2}),  # +0.40 right
    Comparison(1, "b", "c", {"overall": -1}),  # -0.20 right
    Comparison(2, "d", "e", {"overall": 1}),  # -0.45 wrong
    Comparison(2, "c", "e", {"overall": 0}),  # +0.05 called a tie, right
    Comparison(3, "f", "d", {"overall": 0}),  # +0.10 called a tie: there are two gold ties
    Comparison(3, "a", "f", {"overall": 2}, frozenset({"many people"})),  # +0.60 right
]


def found(rows: list[Finding]) -> dict[str, Finding]:
    return {row.statistic: row for row in rows}


def test_comparisons_by_hand():
    rows = found(compare(COMPARISONS, VALUES, "overall", n_resamples=200))
    assert rows["accuracy"].estimate.value == pytest.approx(5 / 6)
    assert rows["accuracy"].detail["tie_threshold"] == pytest.approx(0.10)
    assert rows["accuracy"].detail["gold_ties"] == 2
    assert rows["sign"].estimate.value == pytest.approx(3 / 4)  # gold ties do not count
    # labels 2 -1 1 0 0 2 have ranks 5.5 1 4 2.5 2.5 5.5, differences 5 2 1 3 4 6: the products sum to 84, the
    # squares to 90 and 91, each less 6 * 3.5 ** 2 = 73.5
    assert rows["spearman"].estimate.value == pytest.approx(10.5 / math.sqrt(16.5 * 17.5))
    # 15 pairs of rows, 2 tied in the label: 10 concordant, 3 discordant
    assert rows["kendall"].estimate.value == pytest.approx((10 - 3) / math.sqrt(13 * 15))
    assert {row.estimate.n_units for row in rows.values()} == {3}
    assert {row.estimate.n for row in rows.values()} == {6}


def test_values_are_those_of_scipy_and_p_too():
    rng = np.random.default_rng(1)
    values = {str(i): float(v) for i, v in enumerate(rng.normal(size=40))}
    comparisons = [Comparison(i // 4, str(i), str((i * 7 + 3) % 40), {"mistakes": int(rng.integers(-2, 3))})
                   for i in range(40)]  # fmt: skip
    gaps = [values[c.a] - values[c.b] for c in comparisons]
    labels = [c.labels["mistakes"] for c in comparisons]
    rows = found(compare(comparisons, values, "mistakes", n_resamples=100))
    for name, oracle in (("spearman", stats.spearmanr), ("kendall", stats.kendalltau)):
        assert rows[name].estimate.value == pytest.approx(oracle(gaps, labels).statistic, abs=1e-12)
        assert rows[name].p == pytest.approx(oracle(gaps, labels).pvalue)
        assert 0 < rows[name].p_bootstrap <= 1


def test_a_dimension_that_nobody_judged_has_no_rows():
    assert compare(COMPARISONS, VALUES, "mistakes") == []
    assert rate([Rating(1, "a", {"overall": 1.0})], VALUES, "omissions", dict.fromkeys(VALUES, 1.0)) == []


def test_a_value_that_is_missing_is_a_wrong_choice_and_is_counted():
    rows = found(compare(COMPARISONS, {**VALUES, "a": math.nan}, "overall", n_resamples=50))
    # a takes part in the first and the last; the ties are the two smallest of what is left
    assert rows["accuracy"].estimate.value == pytest.approx(3 / 6)
    assert rows["sign"].estimate.value == pytest.approx((0.5 + 1 + 0 + 0.5) / 4)
    assert rows["spearman"].estimate.n_dropped == rows["kendall"].estimate.n_dropped == 2


def test_a_constant_metric_is_undefined_with_a_reason():
    rows = found(compare(COMPARISONS, dict.fromkeys(VALUES, 0.5), "overall", n_resamples=50))
    assert rows["accuracy"].estimate.value == pytest.approx(2 / 6)  # all are ties, two rightly
    assert rows["sign"].estimate.value == 0.5
    for name in ("spearman", "kendall"):
        assert math.isnan(rows[name].estimate.value)
        assert rows[name].estimate.reason == "an input is constant"
        assert rows[name].significant is None


def test_subsets_by_tag_but_not_the_arena():
    tagged = [*COMPARISONS[:-1], Comparison(3, "a", "f", {"overall": 2}, frozenset({"many people", "arena"}))]
    frame = pd.DataFrame({"id": list(VALUES), "mistakes": 0.0, "omissions": 0.0, "overall": list(VALUES.values())})
    benchmark = Benchmark("b", "b", "constructed", tuple(map(pair, VALUES)), tuple(tagged))
    rows = coarse(benchmark, frame, n_resamples=20)
    assert {row.subset for row in rows} == {"", "many people"}
    part = [row for row in rows if row.subset]
    assert [(row.statistic, row.estimate.value, row.estimate.n) for row in part] == [("accuracy", 1, 1), ("sign", 1, 1)]


def test_ratings_with_and_without_length():
    rng = np.random.default_rng(0)
    lengths = {str(i): float(i % 7 + 1) for i in range(30)}
    gold = {i: lengths[i] + float(rng.normal()) for i in lengths}
    ratings = [Rating(i, i, {"omissions": gold[i]}) for i in lengths]
    rows = found(rate(ratings, gold, "omissions", lengths, n_resamples=50))
    assert rows["spearman"].estimate.value == 1
    assert rows["kendall"].estimate.value == 1
    # a metric that is the length itself has nothing left once length is held fixed
    rows = found(rate(ratings, lengths, "omissions", lengths, n_resamples=50))
    expected = stats.spearmanr(list(lengths.values()), list(gold.values())).statistic
    assert rows["spearman"].estimate.value == pytest.approx(expected)
    assert math.isnan(rows["spearman_given_length"].estimate.value)
    assert "regressed out" in rows["spearman_given_length"].estimate.reason


def test_very_many_rows_have_a_tau_without_an_interval(monkeypatch):
    monkeypatch.setattr("posh_lite.evaluation.coarse.MOST_ROWS", 5)
    row = found(compare(COMPARISONS, VALUES, "overall", n_resamples=20))["kendall"]
    assert row.estimate.value == pytest.approx(7 / math.sqrt(13 * 15))
    assert math.isnan(row.estimate.low)
    assert "6 rows" in row.estimate.reason


def test_p_of_resamples_by_hand():
    assert bootstrap_p([1, 2, 3, 4, 5, 6, 7, 8, -1]) == pytest.approx(2 * 2 / 10)  # one at or below zero, plus one
    assert bootstrap_p([1.0] * 99) == pytest.approx(2 / 100)  # never zero
    assert bootstrap_p([0.0, 0.0]) == 1
    assert bootstrap_p([0.6, 0.7, math.nan], null=0.5) == pytest.approx(2 / 3)
    assert math.isnan(bootstrap_p([math.nan]))
    assert math.isnan(bootstrap_p(None))


def test_a_cell_is_grey_unless_both_tests_agree():
    assert ALPHA == 0.05
    assert significant(0.01, 0.01) is True
    assert significant(0.01, 0.2) is False
    assert significant(0.2, 0.01) is False
    assert significant(0.05, 0.01) is False
    assert significant(math.nan, 0.01) is True
    assert significant(math.nan, math.nan) is None


def test_p_of_scipy_leaves_out_what_is_missing():
    x, y = np.array([1.0, 2, 3, 4, math.nan, 9]), np.array([2.0, 1, 4, 3, 7, math.nan])
    assert scipy_p("spearman", x, y) == pytest.approx(stats.spearmanr(x[:4], y[:4]).pvalue)
    assert math.isnan(scipy_p("kendall", x[:2], y[:2]))
    assert math.isnan(scipy_p("kendall", np.ones(5), np.arange(5.0)))


def test_the_paired_difference_is_over_all_equally_likely_draws():
    # two images, one comparison each: the four draws are exact, and so is the share in which the first is better
    rows = [Comparison("x", "a", "b", {"overall": 1}), Comparison("y", "c", "d", {"overall": 1})]
    good, half = {"a": 1.0, "b": 0, "c": 1, "d": 0}, {"a": 1.0, "b": 0, "c": 0, "d": 1}
    a, b = (found(compare(rows, v, "overall", n_resamples=4000))["accuracy"] for v in (good, half))
    gap = difference(a, b)
    assert gap.estimate.value == 0.5
    exact = [1 - sum(1 for i in draw if i == "x") / 2 for draw in product("xy", repeat=2)]  # 0, 1/2, 1/2, 1
    share = sum(g > 0 for g in exact) / 4 + sum(g == 0 for g in exact) / 8
    assert gap.share == pytest.approx(share, abs=0.02)
    assert (gap.estimate.low, gap.estimate.high) == (0, 1)
    turned = difference(b, a)
    assert turned.estimate.value == -0.5
    assert turned.share == pytest.approx(1 - gap.share)
    assert turned.p == pytest.approx(gap.p)


def test_a_difference_of_what_does_not_belong_together_is_refused():
    rows = found(compare(COMPARISONS, VALUES, "overall", n_resamples=10))
    with pytest.raises(ValueError, match="one statistic"):
        difference(rows["accuracy"], rows["sign"])
    fewer = found(compare(COMPARISONS[:4], VALUES, "overall", n_resamples=10))
    with pytest.raises(ValueError, match="same rows"):
        difference(rows["accuracy"], fewer["accuracy"])


def test_a_difference_from_something_undefined_says_why():
    nothing = Finding("coarse", "overall", "spearman", Estimate(math.nan, math.nan, math.nan, 6, 3, reason="constant"))
    something = Finding("coarse", "overall", "spearman", Estimate(0.4, 0.1, 0.6, 6, 3), values=np.ones(5))
    gap = difference(something, nothing)
    assert math.isnan(gap.estimate.value)
    assert gap.estimate.reason == "constant"
    assert math.isnan(gap.share)
