"""Finding marked errors word by word and span by span, on texts small enough to count by hand."""

from __future__ import annotations

import math

import pytest

from posh_lite.evaluation.localisation import (
    WordSet,
    best_threshold,
    cross_validated_f1,
    detect,
    macro_f1,
    overlaps,
    thresholds_of,
    word_set,
)
from posh_lite.metric.score import Component, Score

TEXT = "A red dog, asleep."
REFERENCE = "A brown dog sleeps."


def component(text: str, score: float | None, *spans: tuple[int, int]) -> Component:
    return Component("generation", "attribute", text, "the dog", spans, score, None, "?")


@pytest.fixture
def score() -> Score:
    parts = (component("red", 1.0, (2, 5)), component("dog", 4.0, (2, 9)), component("asleep", None, (11, 17)))
    return Score("1", 0.5, 0.5, 0.5, parts, TEXT, REFERENCE)


def test_words_take_the_highest_covering_score_and_5_where_nothing_covers(score):
    # words: A, red, dog, asleep; "red" lies in both components, "asleep" only in one without a verdict
    words = word_set(score, "generation", [(2, 5)], "image")
    assert words == WordSet("image", (5.0, 4.0, 4.0, 5.0), (False, True, False, False))


def test_empty_text_has_no_words():
    empty = Score("1", math.nan, math.nan, math.nan, (), "", "")
    assert word_set(empty, "generation", [], "image") == WordSet("image", (), ())
    assert math.isnan(best_threshold([word_set(empty, "generation", [], "image")])[0])


def test_overlap_needs_a_shared_character():
    assert overlaps((0, 3), [(2, 4)])
    assert not overlaps((0, 3), [(3, 5)])
    assert not overlaps((0, 3), [])


SETS = [
    WordSet("a", (1.0, 2.0, 5.0, 5.0), (True, False, False, True)),
    WordSet("b", (1.0, 5.0), (True, False)),
]


def test_macro_f1_by_hand():
    # below 1.5: flagged a0, b0, both errors; a3 missed. errors: 2*2/(2*2+0+1); others: 3 passed, 2*3/(2*3+0+1)
    found = macro_f1(SETS, 1.5, n_resamples=50)
    assert found.value == pytest.approx((4 / 5 + 6 / 7) / 2)
    assert found.n_units == 2


def test_macro_f1_of_a_set_without_errors_is_undefined():
    found = macro_f1([WordSet("a", (5.0, 5.0), (False, False))], 3, n_resamples=10)
    assert math.isnan(found.value)
    assert found.reason == "all words are of one class"


def test_best_threshold_separates_and_matches_brute_force():
    assert thresholds_of(SETS) == [0.5, 1.5, 3.5, 5.5]
    threshold, f1 = best_threshold(SETS)
    assert threshold == 1.5
    assert f1 == max(v for t in thresholds_of(SETS) if not math.isnan(v := macro_f1(SETS, t, n_resamples=2).value))


def test_macro_f1_agrees_with_a_plain_count():
    import numpy as np

    generator = np.random.default_rng(0)
    sets = [
        WordSet(i, tuple(generator.uniform(1, 5, 30)), tuple(bool(e) for e in generator.integers(0, 2, 30)))
        for i in range(4)
    ]
    scores = np.concatenate([s.scores for s in sets])
    errors = np.concatenate([s.errors for s in sets])
    called = scores < 3

    def f1(of: bool) -> float:
        both = ((called == of) & (errors == of)).sum()
        return 2 * both / ((called == of).sum() + (errors == of).sum())

    assert macro_f1(sets, 3, n_resamples=5).value == pytest.approx((f1(True) + f1(False)) / 2)


def test_cross_validation_never_sees_the_held_out_images():
    # each image has its own scale: a threshold from one is useless on the other
    low = WordSet("low", (1.0, 2.0), (True, False))
    high = WordSet("high", (4.0, 5.0), (True, False))
    assert best_threshold([low])[0] == 1.5
    assert best_threshold([high])[0] == 4.5
    found = cross_validated_f1([low, high], folds=2)
    assert sorted(found.thresholds) == [1.5, 4.5]
    assert found.n_units == 2
    # low flagged below 4.5 whole: 1 hit, 1 alarm; high below 1.5 not at all: 1 miss, 1 pass
    assert found.f1 == pytest.approx((2 / 4 + 2 / 4) / 2)


def test_cross_validation_needs_two_images():
    assert math.isnan(cross_validated_f1(SETS[:1]).f1)


def test_detection_by_hand(score):
    found = detect(score, "generation", [(2, 5), (11, 17)], threshold=3, unit="image")
    assert found.found == (True, False)  # "asleep" has no verdict, so it flags nothing
    assert [c.text for c in found.right] == ["red"]
    assert found.wrong == ()


def test_detection_counts_false_alarms_but_not_on_tolerated_spans(score):
    alarm = detect(score, "generation", [], threshold=5, unit="image")
    assert [c.text for c in alarm.wrong] == ["red", "dog"]
    tolerant = detect(score, "generation", [], threshold=5, unit="image", tolerated=[(2, 5)])
    assert tolerant.wrong == ()
    assert tolerant.right == ()
