"""Exercises: their own answers are right, known slips are named, and no answer breaks a check."""

from __future__ import annotations

import inspect
import json
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.errors import InputError
from posh_lite.teach import check, exercise, exercises
from posh_lite.teach.kit import Exercise, choice, function, number, words

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
ALL = exercises()
CASES = pytest.mark.parametrize("one", ALL, ids=[e.name for e in ALL])


@CASES
def test_the_answer_of_an_exercise_is_right_and_its_slips_are_not(one):
    assert one.judge(one.answer()).right is True
    assert one.judge(None).right is None
    for slip in one.slips():
        outcome = one.judge(slip)
        assert outcome.right is False
        assert len(outcome.said) > 12


@CASES
def test_odd_answers_are_wrong_and_break_nothing(one):
    for odd in ("", "zzz", [], {}, object(), True, float("nan"), float("inf"), (1, 2, 3), b"x", ("", "")):
        outcome = one.judge(odd)
        assert outcome.right is False, (odd, outcome)
        assert outcome.said


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(ALL),
    st.one_of(st.text(max_size=5), st.floats(), st.integers(), st.lists(st.text(max_size=3), max_size=3)),
)
def test_any_answer_gets_an_outcome(one, answer):
    assert isinstance(one.judge(answer).said, str)


def test_every_chapter_has_exercises_and_every_exercise_stands_in_its_chapter():
    stands = {}
    for path in sorted(NOTEBOOKS.glob("[0-9]*.ipynb")):
        source = "\n".join("".join(c["source"]) for c in json.loads(path.read_text("utf-8"))["cells"])
        for one in ALL:
            if f'exercise("{one.name}")' in source and f'check("{one.name}", answer)' in source:
                stands.setdefault(one.name, []).append(path.stem)
    assert stands == {one.name: [one.chapter] for one in ALL}
    assert {one.chapter for one in ALL} == {p.stem for p in NOTEBOOKS.glob("[0-9]*.ipynb")}


def test_an_exercise_is_shown_with_hint_and_solution_folded():
    shown = exercise("scoring-overall")._repr_mimebundle_()["text/markdown"]
    assert shown.count(":class: dropdown") == 2
    assert shown.index("Hint") < shown.index("Solution")
    said = check("scoring-overall", lambda m, o: (m + o) / 2)._repr_mimebundle_()["text/html"]
    assert "posh-check-wrong" in said
    assert "0.75" in said
    assert "posh-check-right" in check("scoring-overall", lambda m, o: 2 * m * o / (m + o)).markup
    assert "<code>None</code>" in check("scoring-overall", None).markup


def test_what_a_student_wrote_is_not_run_as_markup():
    said = check("graph-absent", ["<b>x</b>"]).markup
    assert "<b>" not in said
    assert "&lt;b&gt;" in said


def test_a_wrong_name_is_told_with_near_ones():
    with pytest.raises(InputError, match="scoring-overall"):
        exercise("scoring-overal")


@pytest.mark.parametrize(
    ("answer", "right", "said"),
    [(2, True, "Right"), (2.004, True, "Right"), (3, False, "one too many"), (7, False, "too large"),
     (-1, False, "too small"), ("2", False, "a str"), (True, False, "a bool"), (math.nan, False, "NaN")],
)  # fmt: skip
def test_a_number_is_checked(answer, right, said):
    outcome = number(lambda: 2, lambda: {"one too many": 3})(answer)
    assert outcome.right is right
    assert said in outcome.said


KINDS = (float, Fraction, Decimal, np.float64, np.float32, np.array)


@pytest.mark.parametrize("kind", KINDS)
def test_a_number_of_any_kind_is_a_number(kind):
    assert number(lambda: 0.5)(kind(0.5)).right is True
    assert number(lambda: 0.5)(kind(0.25)).right is False
    assert function(lambda: [((), 0.5)])(lambda: kind(0.5)).right is True
    assert function(lambda: [((), 0.5)])(lambda: kind(0.25)).right is False


@pytest.mark.parametrize("one", [e for e in ALL if isinstance(e.answer(), int | float)], ids=lambda e: e.name)
def test_the_answer_of_an_exercise_is_right_as_a_number_of_numpy(one):
    assert one.judge(np.float64(one.answer())).right is True
    assert one.judge(np.float32(one.answer())).right is True
    truth, slips = (inspect.getclosurevars(one.check).nonlocals[name] for name in ("truth", "slips"))
    within = inspect.getclosurevars(one.check).nonlocals["within"]
    for done, wrong in slips().items():  # a slip that gives the right answer would not be found
        assert abs(wrong - truth()) > within, done


@pytest.mark.parametrize(
    ("answer", "said"),
    [("0.75", "without quotation marks"), ("75 %", "without quotation marks"), ((0, 75), "0.75."), (75, "per cent"),
     (-0.75, "sign"), (10**400, "too large"), (-(10**400), "too small"), ([0.75], "a list"), (np.True_, "a bool"),
     (0.75 + 0j, "a complex"), (np.array([0.75, 0.5]), "a ndarray")],
)  # fmt: skip
def test_what_is_nearly_a_number_is_told_how_to_be_one(answer, said):
    outcome = number(lambda: 0.75)(answer)
    assert outcome.right is False
    assert said in outcome.said


def test_a_function_of_large_values_is_held_to_the_same_digits():
    of = function(lambda: [((), 1097.4396598)])
    assert of(lambda: np.float32(1097.4396598)).right
    assert of(lambda: 1097.44).right
    assert "1097.4, and 1097.44" in of(lambda: 1097.4).said
    assert "1097.43, and 1097.44" in of(lambda: 1097.432).said
    assert "SystemExit" in of(lambda: exit()).said
    assert of(lambda: 10**400).right is False


def test_an_answer_that_fails_when_it_is_looked_at_is_wrong():
    class Hostile:
        def __str__(self):
            raise RuntimeError("no text")

        def __iter__(self):
            raise ZeroDivisionError

    for one in ALL:
        for odd in (Hostile(), [Hostile()], (Hostile(), "A dog.")):
            assert one.judge(odd).right is False


@pytest.mark.parametrize("text", ["b", "B", " (b) ", "b)", "b.", "(b) the second", "b: the second", "b, I think"])
def test_a_letter_may_stand_in_brackets_or_before_its_text(text):
    assert choice({"a": "no", "b": "yes"}, "b")(text).right is True


@pytest.mark.parametrize("text", ["a hash is better", "bb", "", "b or a", "the second", "2"])
def test_a_text_that_only_begins_like_a_letter_is_none(text):
    assert "There is no" in choice({"a": "no", "b": "yes"}, "b")(text).said


@pytest.mark.parametrize("answer", ["one, two", "one; TWO", "one\ntwo\n", ["*one*", "`two`"], np.array(["one", " two"]),
                                    ("two", "two", "one"), {"one": 1, "two": 2}])  # fmt: skip
def test_words_are_taken_as_a_list_a_set_or_a_text(answer):
    assert words(lambda: ["one", "two"])(answer).right is True


def test_the_pair_of_texts_is_told_what_it_lacks():
    one = next(e for e in ALL if e.name == "scoring-same-words")
    assert one.judge(["A black dog chases a white cat.", "A white dog chases a black cat."]).right
    for answer, said in (("A dog. A cat.", "Two texts"), ((1, 2), "Two texts"), (("!!", "??"), "without a word"),
                         (("A  dog.", "A dog."), "the same")):  # fmt: skip
        assert said in one.judge(answer).said


def test_a_choice_takes_the_letter_as_it_is_written_in_the_question():
    of = choice({"a": "no", "b": "yes"}, "b")
    assert of("(B)").right
    assert of(" a ").said == "Not yet: no"
    assert "a, b" in of("c").said


def test_words_are_counted_and_named():
    of = words(lambda: ["one", "two"], {"three": "too many"})
    assert of({"One", "two "}).right
    assert of(["one", "three"]).said == "Not yet: 'three' does not belong there: too many; 1 of 2 is missing."
    assert of("one").right is False


def test_a_function_is_shown_its_first_wrong_case():
    of = function(lambda: [((1,), 2.0), ((2,), 4.0), ((0,), math.nan)])
    assert of(lambda x: 2.0 * x if x else math.nan).right
    assert "for (2) it gives 3, and 4 is right (1 of 3" in of(lambda x: x + 1).said
    assert "ZeroDivisionError" in of(lambda x: 1 / 0).said
    assert "a str and no number" in of(lambda x: "2").said


def test_a_check_that_cannot_read_an_answer_says_so():
    def picky(answer):
        raise TypeError("two strings are needed")

    one = Exercise("x", "c", "q", "h", "s", lambda: 1, picky)
    assert one.judge(5).said == "This answer cannot be read (TypeError: two strings are needed)."
