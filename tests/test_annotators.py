"""Agreement against other libraries and against sums done by hand.

The values of ``krippendorff`` 0.9.0, ``scikit-learn`` 1.9.1 and ``statsmodels`` 0.15.0 were computed on ``RATINGS`` by

    krippendorff.alpha(reliability_data=table.T, level_of_measurement=level)
    sklearn.metrics.cohen_kappa_score(a, b, weights=weights, labels=[-2, -1, 0, 1, 2])   # rows that both rated
    fleiss_kappa(aggregate_raters(rows_with_three_ratings)[0])

in an environment of their own, and written down here.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.evaluation.annotators import cohen_kappa, fleiss_kappa, krippendorff_alpha, second_rater
from posh_lite.evaluation.annotators_spans import match_spans, relaxed_agreement, unmarked_share, words_of

_ = math.nan
RATINGS = [
    [-1, 0, 0, _], [-2, _, _, -2], [1, 2, _, _], [2, 2, _, 2], [0, -1, -1, 1], [1, 1, _, 1], [1, 0, 2, 2],
    [-1, 0, -1, -1], [2, _, 2, _], [_, -2, _, -2], [_, -2, -1, -1], [1, 1, 1, 1], [-2, -2, _, _], [-2, -2, -2, -1],
    [2, 1, 2, _], [-2, 0, -1, _], [1, _, 1, _], [0, 0, 0, 0], [_, 1, 0, 0], [0, -1, _, 1], [-1, -1, _, _],
    [1, _, 1, 1], [1, _, 1, 0], [_, _, 0, 1], [-1, -1, -1, -2], [0, -1, _, 0], [_, _, 2, 0], [2, _, 2, 2],
    [0, 0, _, _], [-1, -2, -2, -2], [-1, 0, -1, 0], [-2, -1, -2, -2], [-2, _, -2, -2], [0, _, _, _], [2, 2, 2, _],
    [_, -2, -2, -2], [-2, -2, _, -2], [_, _, -2, -2], [1, 0, -1, _], [1, 0, 1, _],
]  # fmt: skip
TABLE = np.array(RATINGS, dtype=float)
QUICK = {"n_resamples": 50}
#: Krippendorff's own example (Computing Krippendorff's Alpha-Reliability, 2011): 4 observers, 12 units, gaps.
BOOK = np.array([
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _], [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _], [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]).T  # fmt: skip


@pytest.mark.parametrize(("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_krippendorffs_example(level, value):
    assert krippendorff_alpha(BOOK, level, **QUICK).value == pytest.approx(value, abs=5e-4)


@pytest.mark.parametrize(
    ("level", "value", "twice"),
    [("nominal", 0.4800436545057687, 0.46793416572077173), ("ordinal", 0.8441906541877384, 0.8350238257594906),
     ("interval", 0.8434239324069832, 0.8351278600269179)],
)  # fmt: skip
def test_alpha_equals_the_library_also_where_rows_count_twice(level, value, twice):
    found = krippendorff_alpha(TABLE, level, **QUICK)
    assert found.value == pytest.approx(value, abs=1e-12)
    assert (found.n, found.n_dropped) == (39, 1)
    again = krippendorff_alpha(np.concatenate([TABLE, TABLE[:20]]), level, **QUICK)
    assert again.value == pytest.approx(twice, abs=1e-12)
    from posh_lite.evaluation.annotators import _counts, alpha_statistic

    values, counts = _counts(TABLE)
    weights = np.where(np.arange(40) < 20, 2.0, 1.0)[None, :]
    assert alpha_statistic(counts, values, level)(weights)[0] == pytest.approx(twice, abs=1e-12)


def test_alpha_by_hand():
    # two raters, tasks (1, 1), (1, 2): coincidences 11 twice, 12 and 21 once each; n = 4, n1 = 3, n2 = 1.
    # observed disagreement 2/4; expected 2 * 3 * 1 / (4 * 3) = 1/2; alpha = 1 - 1 = 0
    assert krippendorff_alpha([[1, 1], [1, 2]], "nominal", **QUICK).value == pytest.approx(0)


def test_alpha_where_nothing_could_have_disagreed():
    found = krippendorff_alpha([[1, 1], [1, 1], [1, _]], "nominal", **QUICK)
    assert math.isnan(found.value)
    assert "all ratings are 1" in found.reason
    for table in ([], [[1, _], [_, 2]]):
        assert krippendorff_alpha(table, "ordinal", **QUICK).reason == "no task with two ratings"


def test_a_missing_rating_is_no_category():
    gaps = np.column_stack([TABLE, np.full(40, _)])
    assert krippendorff_alpha(gaps, "nominal", **QUICK).value == krippendorff_alpha(TABLE, "nominal", **QUICK).value


def test_the_interval_draws_images_and_not_tasks():
    copies = np.repeat([[1, 1], [2, 2], [1, 2], [3, 3], [2, 3]], 8, axis=0)
    images = np.repeat(np.arange(5), 8)
    by_image = krippendorff_alpha(copies, "interval", units=list(images), n_resamples=400)
    by_row = krippendorff_alpha(copies, "interval", n_resamples=400)
    assert (by_image.n_units, by_row.n_units) == (5, 40)
    assert by_image.high - by_image.low > 1.5 * (by_row.high - by_row.low)


@pytest.mark.parametrize(
    ("weights", "value"),
    [("none", 0.2957746478873239), ("linear", 0.578177727784027), ("quadratic", 0.7858942065491183)],
)
def test_cohens_kappa_equals_scikit_learn(weights, value):
    found = cohen_kappa(TABLE[:, 0], TABLE[:, 1], weights=weights, values=(-2, -1, 0, 1, 2), **QUICK)
    assert found.value == pytest.approx(value, abs=1e-12)
    assert (found.n, found.n_dropped) == (25, 15)


def test_cohens_kappa_by_hand_and_undefined():
    # 2 of 4 the same; both say 0 in half of the cases: chance 1/2; (1/2 - 1/2) / (1 - 1/2) = 0
    assert cohen_kappa([0, 0, 1, 1], [0, 1, 0, 1], **QUICK).value == pytest.approx(0)
    found = cohen_kappa([1, 1], [1, 1], **QUICK)
    assert math.isnan(found.value)
    assert "one and the same" in found.reason
    assert cohen_kappa([_], [1], **QUICK).reason == "no task that both rated"
    with pytest.raises(ValueError, match="not on the scale"):
        cohen_kappa([1, 2], [1, 3], values=(1, 2), **QUICK)
    with pytest.raises(ValueError, match="lengths differ"):
        cohen_kappa([1], [1, 2], **QUICK)


def test_fleiss_kappa_equals_statsmodels():
    found = fleiss_kappa(TABLE, raters=3, **QUICK)
    assert found.value == pytest.approx(0.46187175043327555, abs=1e-12)
    assert (found.n, found.n_dropped) == (18, 22)
    assert fleiss_kappa(TABLE, **QUICK).value == found.value  # three ratings are the most frequent number


def test_fleiss_kappa_by_hand_and_undefined():
    # tasks (a, a, b) and (b, b, a): 1 of 3 couples agree in each, shares 1/2: (1/3 - 1/2) / (1 - 1/2) = -1/3
    assert fleiss_kappa([[0, 0, 1], [1, 1, 0]], **QUICK).value == pytest.approx(-1 / 3)
    assert "one and the same" in fleiss_kappa([[2, 2], [2, 2]], **QUICK).reason
    assert fleiss_kappa([[1, _]], **QUICK).reason == "no task with 2 ratings"


def test_a_second_rater():
    r, apart = second_rater(TABLE[:, 0], TABLE[:, 1], **QUICK)
    assert r.value == pytest.approx(0.789693761000023, abs=1e-12)  # scipy.stats.pearsonr
    assert apart.value == pytest.approx(0.6)
    assert (r.n, apart.n, apart.n_dropped) == (25, 25, 15)
    r, apart = second_rater([1, 1, 1], [1, 2, 3], **QUICK)
    assert math.isnan(r.value)
    assert "constant" in r.reason
    assert apart.value == pytest.approx(1)


def test_wrong_questions_are_refused():
    with pytest.raises(ValueError, match="level must be"):
        krippendorff_alpha(TABLE, "ratio")
    with pytest.raises(ValueError, match="row a task"):
        krippendorff_alpha([1, 2, 3])
    with pytest.raises(ValueError, match="2 units for 40 tasks"):
        krippendorff_alpha(TABLE, units=["a", "b"])
    with pytest.raises(ValueError, match="infinite"):
        krippendorff_alpha([[1, math.inf]])


TEXT = "The tall man, in a red coat, holds two dogs."
#       0   4    9    14 17 19  23   29    35  39


def span(words: str) -> tuple[int, int]:
    at = TEXT.index(words)
    return at, at + len(words)


def test_words_of_spans():
    # The tall man in a red coat holds two dogs: 0 to 9
    assert words_of(TEXT, [span("tall man,"), span(","), span("ed co")]) == [{1, 2}, {5, 6}]


def test_matching_by_hand():
    first = [span("tall man"), span("a red coat"), span("dogs")]
    second = [span("man"), span("coat, holds two")]
    # one word: tall man and a red coat are touched, dogs is not; both of the second are
    assert match_spans(TEXT, first, second) == match_spans(TEXT, first, second, share=0.0)
    loose = match_spans(TEXT, first, second, unit="x")
    assert (loose.found_first, loose.n_first, loose.found_second, loose.n_second) == (2, 3, 2, 2)
    # half: man is half of tall man; coat is a third of a red coat, and a third of coat, holds two
    half = match_spans(TEXT, first, second, share=0.5)
    assert (half.found_first, half.found_second) == (1, 1)
    found = relaxed_agreement([loose], **QUICK)
    assert (found.precision.value, found.recall.value) == (pytest.approx(2 / 3), 1.0)
    assert found.f1.value == pytest.approx(0.8)  # 2 * 2/3 * 1 / (5/3)
    assert relaxed_agreement([half], **QUICK).f1.value == pytest.approx(0.4)  # 1/3 and 1/2


def test_agreement_is_pooled_over_texts():
    one = match_spans(TEXT, [span("dogs")], [span("dogs")], unit=1)
    two = match_spans(TEXT, [span("man"), span("coat")], [span("tall")], unit=2)
    found = relaxed_agreement([one, two], **QUICK)
    assert (found.precision.value, found.recall.value) == (pytest.approx(1 / 3), pytest.approx(1 / 2))
    assert found.f1.n_units == 2


def test_where_somebody_marks_nothing():
    nothing = match_spans(TEXT, [], [], unit=1)
    found = relaxed_agreement([nothing, nothing], **QUICK)
    assert math.isnan(found.f1.value)
    assert found.f1.reason == "neither annotator marked anything"
    alone = relaxed_agreement([match_spans(TEXT, [span("dogs")], [], unit=1)], **QUICK)
    assert alone.f1.value == 0
    assert math.isnan(alone.recall.value)
    assert math.isnan(relaxed_agreement([], **QUICK).f1.value)
    with pytest.raises(ValueError, match="share"):
        match_spans(TEXT, [], [], share=50)


def test_unmarked_share():
    assert unmarked_share(TEXT, [span("two dogs")]) == pytest.approx(0.8)
    assert unmarked_share(TEXT, []) == 1
    assert math.isnan(unmarked_share(" ... ", []))


@given(st.lists(st.tuples(st.integers(0, 44), st.integers(0, 44)).map(lambda s: (min(s), max(s))), max_size=6))
@settings(max_examples=60, deadline=None)
def test_marks_agree_wholly_with_themselves(spans):
    found = match_spans(TEXT, spans, spans, share=1.0)
    assert found.found_first == found.n_first == found.found_second == found.n_second
    assert 0 <= unmarked_share(TEXT, spans) <= 1


ROWS = st.lists(st.lists(st.sampled_from([1.0, 2.0, 3.0, _]), min_size=3, max_size=3), max_size=12)


@given(ROWS, st.permutations([0, 1, 2]))
@settings(max_examples=60, deadline=None)
def test_alpha_does_not_depend_on_who_is_who_and_stays_below_one(rows, order):
    table = np.array(rows, dtype=float).reshape(-1, 3)
    for level in ("nominal", "ordinal", "interval"):
        here, there = (krippendorff_alpha(t, level, n_resamples=2).value for t in (table, table[:, order]))
        assert (math.isnan(here) and math.isnan(there)) or here == pytest.approx(there)
        assert math.isnan(here) or here <= 1 + 1e-12
