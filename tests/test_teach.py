"""Exercises: their own answers are right, known slips are named, and no answer breaks a check."""

from __future__ import annotations

import json
import math
from pathlib import Path

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
