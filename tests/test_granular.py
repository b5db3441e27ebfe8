"""The granular protocol for any metric that points at places: by hand, and against recorded values of scikit-learn.

The values were computed with scikit-learn 1.9.1 by this script::

    import random
    from sklearn.metrics import f1_score, precision_score, recall_score
    draw = random.Random(7)
    scores = [[draw.choice([1.0, 2.0, 3.5, 4.0, 5.0]) for _ in range(25)] for _ in range(4)]
    errors = [[draw.random() < (0.6 if s < 3 else 0.15) for s in row] for row in scores]
    flat = [s for row in scores for s in row]; gold = [e for row in errors for e in row]
    for t in (0.5, 1.5, 2.75, 3.75, 4.5, 5.5):
        called = [s < t for s in flat]
        print(t, f1_score(gold, called, average="macro", zero_division=0),
              precision_score(gold, called, zero_division=0), recall_score(gold, called),
              precision_score(gold, called, pos_label=False, zero_division=0),
              recall_score(gold, called, pos_label=False))
"""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from posh_lite.benchmarks.contract import Benchmark, Marks
from posh_lite.evaluation.granular import granular, word_sets
from posh_lite.evaluation.localisation import (
    WordSet,
    best_threshold,
    cross_validated_f1,
    macro_f1,
    thresholds_of,
    words_of,
)
from posh_lite.metric.protocol import Located
from posh_lite.records import Pair

#: Threshold, macro F1, precision and recall of errors, precision and recall of the rest.
OF_SKLEARN = [
    (0.5, 0.3710691823899371, 0.0, 0.0, 0.59, 1.0),
    (1.5, 0.592944369063772, 0.6, 0.36585365853658536, 0.6533333333333333, 0.8305084745762712),
    (2.75, 0.6783898744683059, 0.625, 0.6097560975609756, 0.7333333333333333, 0.7457627118644068),
    (3.75, 0.5696126513862476, 0.48214285714285715, 0.6585365853658537, 0.6818181818181818, 0.5084745762711864),
    (4.5, 0.5104039167686658, 0.4520547945205479, 0.8048780487804879, 0.7037037037037037, 0.3220338983050847),
    (5.5, 0.2907801418439716, 0.41, 1.0, 0.0, 0.0),
]


@pytest.fixture(scope="module")
def drawn() -> tuple[Benchmark, list[Located]]:
    """Four texts of 25 words, each word a span of its own, scores and errors drawn as in the script above."""
    draw = random.Random(7)
    scores = [[draw.choice([1.0, 2.0, 3.5, 4.0, 5.0]) for _ in range(25)] for _ in range(4)]
    errors = [[draw.random() < (0.6 if s < 3 else 0.15) for s in row] for row in scores]
    text = " ".join(["word"] * 25)  # the k-th word lies at 5 k
    spans = [(5 * k, 5 * k + 4) for k in range(25)]
    pairs = tuple(Pair(str(i), text, text) for i in range(4))
    marks = tuple(
        Marks(i, str(i), tuple(s for s, e in zip(spans, row, strict=True) if e), None) for i, row in enumerate(errors)
    )
    places = [
        Located(str(i), tuple((*s, score) for s, score in zip(spans, row, strict=True)), ())
        for i, row in enumerate(scores)
    ]
    return Benchmark("drawn", "drawn", "constructed", pairs, marks=marks), places


def test_every_threshold_is_that_of_scikit_learn(drawn):
    benchmark, places = drawn
    sets = word_sets(benchmark, places, "mistakes", 9.0)
    assert thresholds_of(sets) == [row[0] for row in OF_SKLEARN]
    for threshold, f1, *_ in OF_SKLEARN:
        assert macro_f1(sets, threshold, n_resamples=5).value == pytest.approx(f1, abs=1e-12)


def test_the_best_threshold_is_printed_with_both_classes(drawn):
    benchmark, places = drawn
    found = {f.statistic: f for f in granular(benchmark, places, uncovered=9.0, n_resamples=50)}
    threshold, f1, precision, recall, precision_rest, recall_rest = max(OF_SKLEARN, key=lambda row: row[1])
    assert {f.dimension for f in found.values()} == {"mistakes"}  # omissions were not annotated
    assert found["f1"].detail == {"threshold": threshold, "words": 100, "error_words": 41}
    expected = {"f1": f1, "precision_error": precision, "recall_error": recall, "precision_rest": precision_rest,
                "recall_rest": recall_rest}  # fmt: skip
    assert {name: found[name].estimate.value for name in expected} == pytest.approx(expected, abs=1e-12)
    assert found["f1_cv"].estimate.value <= f1 + 1e-12
    assert found["f1"].estimate.n_units == 4
    assert found["f1"].estimate.low <= f1 <= found["f1"].estimate.high


def test_held_out_words_by_hand():
    # each image has a scale of its own: a threshold from one is useless on the other
    sets = [WordSet("low", (1.0, 2.0), (True, False)), WordSet("high", (4.0, 5.0), (True, False))]
    found = cross_validated_f1(sets, folds=2, n_resamples=20)
    # low, below 4.5, is flagged whole; high, below 1.5, not at all: one hit, alarm, miss and pass each
    assert found.f1 == found.estimate.value == 0.5
    assert found.estimate.n_units == 2


TEXT = "A red dog, asleep -- on 2 mats."


def test_a_word_takes_the_highest_span_that_touches_it_and_uncovered_else():
    spans = [(2, 5, 0.1), (2, 9, 0.7), (13, 15, 0.2), (18, 20, 0.0), (24, 25, math.nan)]
    words = words_of(TEXT, spans, [(3, 4), (22, 30)], "image", uncovered=0.95)
    # A, red, dog, asleep (touched in its middle), on, 2 (no score is no span), mats; punctuation is no word
    assert words == WordSet(
        "image", (0.95, 0.7, 0.7, 0.2, 0.95, 0.95, 0.95), (False, True, False, False, True, True, True)
    )


@settings(max_examples=60, deadline=None)
@given(
    st.text(alphabet="ab é. -\n\u200b", max_size=30),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.floats(0, 1)), max_size=6),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=4),
)
def test_words_agree_with_a_count_character_by_character(text, spans, marked):
    from posh_lite.text import tokens

    found = words_of(text, spans, marked, "image", uncovered=7.0)
    expected_scores, expected_errors = [], []
    for token in tokens(text):
        if token.is_word:
            here = set(range(token.start, token.end))
            touching = [s for a, b, s in spans if here & set(range(a, b))]
            expected_scores.append(max(touching, default=7.0))
            expected_errors.append(any(here & set(range(a, b)) for a, b in marked))
    assert found.scores == tuple(expected_scores)
    assert found.errors == tuple(expected_errors)


@settings(max_examples=60, deadline=None)
@given(st.lists(
    st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.3, 1e9]), st.booleans()), max_size=6), min_size=1, max_size=4,
))  # fmt: skip
@example([[(0.1, True), (0.2, True)], [(0.1, False), (0.1, True), (0.2, False), (0.2, True), (0.2, True)]])
def test_the_best_threshold_is_the_best_of_all(rows):
    sets = [WordSet(i, tuple(s for s, _ in row), tuple(e for _, e in row)) for i, row in enumerate(rows)]
    values = [(macro_f1(sets, t, n_resamples=1).value, t) for t in thresholds_of(sets)]
    defined = [(v, t) for v, t in values if not math.isnan(v)]
    threshold, f1 = best_threshold(sets)
    if not defined:
        assert math.isnan(threshold) and math.isnan(f1)
    else:
        assert f1 == pytest.approx(max(v for v, _ in defined))
        assert threshold == min(t for v, t in defined if v == pytest.approx(f1, abs=1e-12))


def test_thresholds_between_neighbouring_numbers_still_part_them():
    low = 0.1
    high = math.nextafter(low, 1)
    sets = [WordSet(0, (low, high), (True, False))]
    threshold, f1 = best_threshold(sets)
    assert low < threshold <= high
    assert f1 == 1 == macro_f1(sets, threshold, n_resamples=1).value


def test_a_metric_that_points_at_one_side_has_no_figures_of_the_other():
    benchmark = Benchmark("b", "b", "constructed", (Pair("1", "A red dog.", "A brown dog."),),
                          marks=(Marks("x", "1", ((2, 5),), ((2, 7),)),))  # fmt: skip
    places = [Located("1", ((2, 5, 0.0),), ())]
    one = granular(benchmark, places, uncovered=1.0, sides=("generation",), n_resamples=5)
    assert {f.dimension for f in one} == {"mistakes"}
    assert one[0].estimate.value == 1  # below a half: the one wrong word, and nothing else
    both = granular(benchmark, places, uncovered=1.0, n_resamples=5)
    omissions = next(f for f in both if f.dimension == "omissions")
    # nothing is told apart on the other side: all flagged or none, of A, brown, dog
    assert omissions.estimate.value == pytest.approx(max(0.5 * (2 * 1 / 4), 0.5 * (2 * 2 / 5)))


def test_a_pair_without_spans_in_the_list_is_refused():
    benchmark = Benchmark("b", "b", "constructed", (Pair("1", "A dog.", "A cat."),), marks=(Marks("x", "1", (), ()),))
    with pytest.raises(ValueError, match="no spans of the pair '1'"):
        granular(benchmark, [], uncovered=1.0)


def test_texts_without_words_have_no_figure_but_a_reason():
    benchmark = Benchmark("b", "b", "constructed", (Pair("1", "...", "!"),), marks=(Marks("x", "1", (), ()),))
    found = granular(benchmark, [Located("1", (), ())], uncovered=1.0, n_resamples=5)
    assert all(math.isnan(f.estimate.value) for f in found)
    assert all(f.estimate.reason for f in found)
