"""What is read in a model's reply, and what is not."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.baselines.reply import KEYS, Scale, read_result, read_scores
from posh_lite.baselines.reply_json import BROKEN, _Reader, said, values

FIVE = Scale(0, 5)


def read(text, *, cut=False):
    found = read_scores(text, FIVE, cut=cut).numbers
    return tuple(found[key] for key in KEYS)


@pytest.mark.parametrize(("text", "wanted"), [
    ("", (None, None, None)),
    ('{"precision": 4, "recall": 3.5, "overall_quality": 2}', (4, 3.5, 2)),
    ('```json\n{"precision": 4, "recall": 3, "overall_quality": 2}\n```', (4, 3, 2)),
    ('Sure! Here it is:\n{"precision": 4, "recall": 3, "overall_quality": 2}\nLet me know.', (4, 3, 2)),
    ("{'precision': 4, 'recall': 3, 'overall_quality': 2}", (4, 3, 2)),
    ('{"precision": 4, "recall": 3, "overall_quality": 2,}', (4, 3, 2)),
    ("{precision: 4, recall: 3, overall_quality: 2}", (4, 3, 2)),
    ("{“precision”: 4, “recall”: 3, “overall_quality”: 2}", (4, 3, 2)),
    ('{"Precision": 4, "RECALL": 3, "overall quality": 2}', (4, 3, 2)),
    ('{"precision": 4, "recall": 3, "overall-quality": 2}', (4, 3, 2)),
    ('{"precision": 4, "recall": 3, "OverallQuality": 2}', (4, 3, 2)),
    ('{"precision": "4/5", "recall": "3 out of 5", "overall_quality": "2.5"}', (4, 3, 2.5)),
    ('{"precision": 4/5, "recall": 3 out of 5, "overall_quality": 2}', (4, 3, 2)),
    ('{"precision": "4 (one slip)", "recall": "3 - misses the dog", "overall_quality": "2,5"}', (4, 3, 2.5)),
    ('{"precision": {"score": 4, "why": "it\'s fine"}, "recall": {"Score": "3"}, "overall": {"rating": 2}}', (4, 3, 2)),
    ('[{"scores": {"precision": 4, "recall": 3, "overall_quality": 2}}]', (4, 3, 2)),
    ('{"precision": 4 // mostly right\n, "recall": 3, /* short */ "overall_quality": 2}', (4, 3, 2)),
    ('{"precision": 4\n"recall": 3\n"overall_quality": 2}', (4, 3, 2)),
    ('{"precision": "4" "recall": "3" "overall_quality": "2"}', (4, 3, 2)),
    ('{"note": "a sign reading "STOP" stands there", "precision": 4, "recall": 3, "overall_quality": 2}', (4, 3, 2)),
    ('{"precision": 4, "recall": 3, "overall_quality": 2', (4, 3, 2)),
    ('```json\n{"precision": 4, "recall": 3, "overall_quality": 2\n```', (4, 3, 2)),
    ('{"precision": 4, "recall": 3, "over', (4, 3, None)),
    ('{"precision": 4, "recall":', (4, None, None)),
    ('{"precision": 1, "recall": 1, "overall_quality": 1}\nOn reflection:\n'
     '{"precision": 4, "recall": 3, "overall_quality": 2}', (4, 3, 2)),
    ('{"precision": 4, "recall": 3, "overall_quality": 2}\n'
     'as in {"precision": "...", "recall": "...", "overall_quality": "..."}', (4, 3, 2)),
    ('{"precision": 4}\n{"recall": 3}', (None, 3, None)),  # no guess at what belongs together
    ('<think>{"precision": 1, "recall": 1, "overall_quality": 1}</think>'
     '{"precision": 4, "recall": 3, "overall_quality": 2}', (4, 3, 2)),
    ('the precision is 1, I thought.</think>{"precision": 4, "recall": 3, "overall_quality": 2}', (4, 3, 2)),
    ('<think>Well, {"precision": 1, "recall": 1, "overall_quality": 1} perhaps', (None, None, None)),
    ("**Precision:** 4/5\n**Recall**: 3.5\n- Overall Quality - 2 out of 5.", (4, 3.5, 2)),
    ("Precision (0-5): 4. Recall score = 3; the overall quality is 2.", (4, 3, 2)),
    ("| Precision | 4 |\n| Recall | 3 |\n| Overall quality | 2 |", (4, 3, 2)),
    ("I'm sorry, but I can't help with that.", (None, None, None)),
    ("Precision counts mistakes. Recall counts 3 omissions.", (None, None, None)),
    ('{"precision": 6, "recall": -1, "overall_quality": 5.01}', (None, None, None)),
    ('{"precision": "-1", "recall": "**4**", "overall_quality": "~ 2"}', (None, 4, 2)),
    ('{"precision": "8/10", "recall": "80%", "overall_quality": "3-4"}', (None, None, None)),
    ("precision: 3-4, recall: 80%, overall quality: 2 to 3", (None, None, None)),
    ('{"precision": true, "recall": null, "overall_quality": "four"}', (None, None, None)),
    ('{"precision": NaN, "recall": Infinity, "overall_quality": 1e999}', (None, None, None)),
    ('{"precision": [4, 5], "recall": {"grade": {}}, "overall_quality": ""}', (None, None, None)),
    ('{"precision": 0, "recall": 5, "overall_quality": 0.0}', (0, 5, 0)),
    ('{"precision": ' + "4" * 5000 + ', "recall": 3, "overall_quality": 2}', (None, 3, 2)),
    ("{" * 3000, (None, None, None)),
    ("[" * 3000 + "1", (None, None, None)),
    ('{"' * 2000, (None, None, None)),
    ("null", (None, None, None)),
])
def test_what_is_meant_is_read(text, wanted):
    assert read(text) == wanted


def test_a_number_where_the_reply_was_cut_may_lack_digits():
    text = '{"precision": 4, "recall": 3'
    assert read(text) == (4, 3, None)
    assert read(text, cut=True) == (4, None, None)
    assert read("Precision: 4\nRecall: 3", cut=True) == (4, None, None)
    assert read('{"precision": 4, "recall": 3}', cut=True) == (4, 3, None)


def test_what_is_missing_has_a_reason():
    fault = read_scores('{"precision": 7, "recall": 3, "overall_quality": 2}', FIVE).fault
    assert "precision" in fault and "7" in fault and "recall" not in fault
    assert read_scores("", FIVE).fault == "the reply is empty"
    assert "thought" in read_scores("<think>hm", FIVE).fault
    assert read_scores('{"precision": 1, "recall": 3, "overall_quality": 2}', FIVE).fault == ""


@pytest.mark.parametrize(("text", "wanted"), [
    ("Feedback: names the dog. [RESULT] 4", 4), ("... [RESULT] (5)", 5), ("[RESULT] 4/5", 4), ("[result]: **2**.", 2),
    ("[RESULT] Score: 3", 3), ("[RESULT] 1 ... no: [RESULT] 2", 2), ("<think>[RESULT] 1</think> fine [RESULT] 4", 4),
    ("[RESULT] 10", None), ("[RESULT] 0", None), ("[RESULT] 3 or 4", None), ("[RESULT] 4/10", None), ("4", None),
    ("[RESULT]", None), ("[RESULT] good", None), ("[RESULT] 80%", None), ("[RESULT] -1", None), ("", None),
])
def test_a_grade_after_its_mark(text, wanted):
    assert read_result(text, Scale(1, 5)) == wanted


numbers = st.one_of(st.integers(-10**6, 10**6), st.floats(-1e6, 1e6, allow_nan=False))
trees = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)), max_leaves=6,
)


@settings(deadline=None, max_examples=40)
@given(st.dictionaries(st.text(), trees), st.sampled_from([None, 2]), st.booleans())
def test_json_is_read_as_json(tree, indent, ascii_only):
    text = json.dumps(tree, indent=indent, ensure_ascii=ascii_only)
    assert list(values(text)) == [tree]
    assert _Reader(text, 0, False).value(0) == tree  # also by the reader that forgives


@settings(deadline=None)
@given(st.dictionaries(st.text(st.characters(codec="utf-8", exclude_characters="\\'\"`“”‘’"), min_size=1), numbers,
                       min_size=1))
def test_so_are_python_and_a_comma_too_many(tree):
    tree = {key: value for key, value in tree.items() if key.isprintable()}
    written = "{" + "".join(f"'{key}': {value}, " for key, value in tree.items()) + "}"
    assert list(values(written)) == [tree]


@settings(deadline=None)
@given(st.text(), st.booleans())
def test_nothing_that_a_model_writes_breaks_reading(text, cut):
    found = read_scores(text, FIVE, cut=cut)
    assert all(n is None or 0 <= n <= 5 for n in found.numbers.values())
    assert bool(found.fault) == any(n is None for n in found.numbers.values())
    result = read_result(text, Scale(1, 5), cut=cut)
    assert result is None or 1 <= result <= 5
    assert len(said(text)) <= len(text)


@settings(deadline=None)
@given(st.text(alphabet='{}[]":,\'“” \n0123456789.-/precisonalquty_', max_size=80))
def test_nor_do_pieces_of_json(text):
    for value in values(text):
        assert value is not BROKEN
    assert all(n is None or 0 <= n <= 5 for n in read_scores(text, FIVE).numbers.values())


@settings(deadline=None)
@given(*(st.floats(0, 5).map(lambda x: round(x, 2)) for _ in range(3)), st.integers(0, 200))
def test_a_reply_cut_anywhere_says_what_it_said_or_nothing(a, b, c, at):
    text = json.dumps({"precision": a, "recall": b, "overall_quality": c})[:at]
    for number, wanted in zip(read(text, cut=True), (a, b, c), strict=True):
        assert number is None or number == wanted


@settings(deadline=None)
@given(st.integers(-20, 20), st.sampled_from([5, 10, 100]))
def test_a_number_is_on_the_scale_or_missing(number, most):
    found = FIVE.number(f"{number}/{most}")
    assert found == (number if most == 5 and 0 <= number <= 5 else None)
    assert FIVE.number(math.nan) is None


@pytest.mark.parametrize(
    ("text", "cut", "expected"),
    [
        ('{"precision": 4,5, "recall": 3,25, "overall_quality": 2}', False, (4.5, 3.25, 2)),
        ('{"precision": 4,5,\n"recall": 3,\n"overall_quality": 2,5}', False, (4.5, 3, 2.5)),
        ('{"precision": 4,5; "recall": 3,0; "overall_quality": 2,5', False, (4.5, 3, 2.5)),
        ('{"precision": 4,5, "recall": 3, "overall_quality": 2,5', True, (4.5, 3, None)),
        ('{"precision": 5,5, "recall": 3, "overall_quality": 2}', False, (None, 3, 2)),
        ('{"precision": 4,"recall": 3,"overall_quality": 2}', False, (4, 3, 2)),
    ],
)
def test_a_decimal_comma_is_no_end_of_a_number(text, cut, expected):
    found = read_scores(text, Scale(0, 5), cut=cut).numbers
    assert tuple(found.values()) == expected


def test_numbers_of_a_list_stay_apart():
    assert list(values("{'units': [4,5,]")) == [{"units": [4, 5]}]
