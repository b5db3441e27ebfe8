"""Composition by quartile: the formula, sums by hand, empty bins, and what may change nothing."""

from __future__ import annotations

import dataclasses
import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posh_lite.position.composition import QUARTERS, Bins, compose, equal_bins
from posh_lite.position.simulate import labelled_caption
from posh_lite.position.types import Finding, SentenceLabel, quartile

captions = st.lists(
    st.tuples(st.text("SHG", max_size=12), st.integers(0, 4)), min_size=1, max_size=8,
)


def profiles_of(rows, weights=None):
    draw = random.Random(5)
    return [
        labelled_caption(labels, unit=unit, id=str(place),
                         weights=None if weights is None else [draw.choice(weights) for _ in labels])
        for place, (labels, unit) in enumerate(rows)
    ]


@given(st.integers(1, 300), st.data())
def test_quarters_are_the_formula_of_the_paper(n, data):
    number = data.draw(st.integers(1, n))
    assert QUARTERS.of(number, n) == quartile(number, n)


@pytest.mark.parametrize(("n", "expected"), [(1, [1]), (2, [1, 3]), (3, [1, 2, 3]), (4, [1, 2, 3, 4]),
                                             (5, [1, 1, 2, 3, 4]), (6, [1, 1, 2, 3, 3, 4])])
def test_short_captions_go_by_the_formula(n, expected):
    assert [QUARTERS.of(k, n) for k in range(1, n + 1)] == expected


def test_other_bins_by_hand():
    assert [equal_bins(3).of(k, 7) for k in range(1, 8)] == [1, 1, 1, 2, 2, 3, 3]  # edges before 10/3 and 17/3
    moved = equal_bins(4, offset=0.05)
    assert moved.edges == (Fraction(3, 10), Fraction(11, 20), Fraction(4, 5))
    assert [moved.of(k, 10) for k in range(1, 11)] == [1, 1, 1, 2, 2, 2, 3, 3, 4, 4]
    # by their middles, three sentences lie at 1/6, 3/6 and 5/6: the last is in the fourth quarter
    assert [equal_bins(4, anchor="0.5").of(k, 3) for k in (1, 2, 3)] == [1, 3, 4]


def test_edges_are_exact_where_floating_point_is_not():
    # (k - 1) / n = 3 / 10 lies on the edge 0.25 + 0.05, which is 0.30000000000000004 or 0.3 as it is added up
    assert equal_bins(4, offset=0.05).of(4, 10) == 2


@pytest.mark.parametrize("make", [lambda: equal_bins(1), lambda: equal_bins(4, offset=0.3), lambda: Bins(()),
                                  lambda: Bins((Fraction(1, 2), Fraction(1, 4))), lambda: equal_bins(4, anchor=1),
                                  lambda: QUARTERS.of(0, 3), lambda: QUARTERS.of(4, 3)])
def test_impossible_bins_are_refused(make):
    with pytest.raises(ValueError, match=r"bins|edges|anchor|sentence"):
        make()


def test_sums_and_shares_by_hand():
    made = compose([
        labelled_caption("SHGG", unit="a", id="1", weights=[3.5, 2, 1, 1]),
        labelled_caption("SSHSGSHG", unit="b", id="2", weights=[2, 1, 1.5, 4, 1, 1, 3, 1]),
    ])["model"]
    assert made.units == ("a", "b") and made.n_captions == 2 and made.n_sentences == 12
    first, second, third, fourth = made.shares()
    assert (first.supported, first.contradicted, first.generic) == (1, 0, 0)
    assert (second.supported, second.contradicted) == (4 / 7.5, 3.5 / 7.5)
    assert (third.supported, third.contradicted, third.generic) == (1 / 3, 0, 2 / 3)
    assert (fourth.supported, fourth.contradicted, fourth.generic) == (0, 3 / 5, 2 / 5)
    plain = made.shares(weighted=False)
    assert [s.n_sentences for s in plain] == [3, 3, 3, 3] and [s.n_images for s in plain] == [2, 2, 2, 2]
    assert (plain[1].supported, plain[1].contradicted, plain[3].generic) == (1 / 3, 2 / 3, 2 / 3)


def test_short_and_empty_captions_are_counted_and_leave_bins_empty():
    made = compose([labelled_caption(labels, unit=i, id=str(i)) for i, labels in enumerate(["", "S", "SHG"])])["model"]
    assert (made.n_captions, made.n_empty, made.n_short) == (3, 1, 2)
    fourth = made.shares()[3]
    assert math.isnan(fourth.supported) and fourth.n_images == 0
    assert fourth.reason == "no sentence falls in bin 4"
    nothing = compose([labelled_caption("")])["model"].shares()
    assert {s.reason for s in nothing} == {"no sentence in any caption"}


def test_sentences_that_weigh_nothing_have_another_reason():
    made = compose([labelled_caption("SSSS", weights=[1, 1, 1, 0])])["model"]
    assert made.shares()[3].reason == "the sentences of bin 4 weigh nothing"
    assert made.shares(weighted=False)[3].supported == 1


def test_what_the_verifier_left_out_is_counted():
    profile = dataclasses.replace(labelled_caption("SH"), findings=(
        Finding(0, "Supported", None, "blue", "unmatched"), Finding(1, None), Finding(2, "Missing")))
    made = compose([profile])["model"]
    assert (made.n_unmatched, made.n_unread) == (1, 1)


def test_models_and_images_are_kept_apart():
    made = compose([labelled_caption("SS", unit=1, model="x"), labelled_caption("GG", unit=1, model="y"),
                    labelled_caption("HH", unit=2, model="x")])
    assert list(made) == ["x", "y"] and made["x"].units == (1, 2)
    assert made["x"].shares()[0].supported == 0.5


def test_a_caption_that_comes_twice_is_refused():
    with pytest.raises(ValueError, match='"image/model" of model "model" comes twice'):
        compose([labelled_caption("S"), labelled_caption("S")])


@pytest.mark.parametrize("weight", [-1.0, math.nan, math.inf])
def test_weights_that_cannot_be_are_refused(weight):
    with pytest.raises(ValueError, match='caption "image/model", sentence 2: weight'):
        compose([labelled_caption("SS", weights=[1, weight])])


def test_sentences_out_of_order_are_refused():
    profile = labelled_caption("SH")
    with pytest.raises(ValueError, match="numbered from 1 to 2 in order"):
        compose([dataclasses.replace(profile, sentences=profile.sentences[::-1])])


@given(captions)
def test_shares_sum_to_one_or_are_undefined_with_a_reason(rows):
    for share in compose(profiles_of(rows, weights=[1, 1.5, 2, 7.5]))["model"].shares():
        total = share.supported + share.contradicted + share.generic
        assert math.isnan(total) == bool(share.reason)
        assert math.isnan(total) or total == pytest.approx(1, abs=1e-12)


@given(captions, st.randoms())
def test_the_order_of_captions_changes_nothing(rows, shuffled):
    profiles = profiles_of(rows, weights=[1, 1.5, 2])
    other = list(profiles)
    shuffled.shuffle(other)
    one, two = compose(profiles)["model"], compose(other)["model"]
    assert one.units == two.units
    assert (one.weights == two.weights).all() and (one.counts == two.counts).all()


@given(captions, st.sampled_from([0.25, 2.0, 1024.0]))
def test_scaling_all_weights_changes_no_share(rows, factor):
    profiles = profiles_of(rows, weights=[1, 1.5, 2])

    def scaled(_, sentence: SentenceLabel):
        return sentence.label, sentence.weight * factor

    one, two = compose(profiles)["model"].shares(), compose(profiles, reading=scaled)["model"].shares()
    assert [repr(s.supported) for s in one] == [repr(s.supported) for s in two]


@given(captions)
def test_equal_weights_are_no_weights(rows):
    made = compose(profiles_of(rows))["model"]
    assert (made.weights == made.counts).all()
