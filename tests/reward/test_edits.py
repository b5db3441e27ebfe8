"""Edits of captions: on any text they give a text or say why not, and what they say of their places is right."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from posh_lite.errors import InputError
from posh_lite.position.generic import LexicalGenericity
from posh_lite.position.label import content_sentences
from posh_lite.position.types import quartile
from posh_lite.reward.edits import FAMILIES, SHOULD, Edited, Known, Refused, all_edits, edit, kinds
from posh_lite.reward.edits_words import FILLER, THINGS, reworded

ROOM = (
    "A red bed stands by the wall. Two blue chairs face a table. The window is green. A small lamp hangs above."
    " The floor is brown. A white jug stands on the table. The mood is calm and inviting. It evokes a dream."
)
NASTY = (
    "", " \n\t", "x", "wall", "A red wall.", "🙂", "🙂 A red wall 🧱. Two blue chairs.",
    "- a red wall\r\n- two blue chairs\r\n- a lamp\r\n- a dog",
    "1. **Red** bed.\n2. Two chairs.\n3. A lamp.\n4. The mood is calm.",
    "# Room\n\nHere is a description:\n\n**The bed** is red. It is `small`.\n\n| a | b |\n|---|---|\n| red | two |\n",
    "A red wall\u00a0and \u201ctwo\u201d chairs\u2026 A\u0301 blue lamp! \u202bשלום\u202c.",
    "Red. Blue. Red. Blue.", "NUL\x00 is red. It is blue.", "no end mark but a red wall and a blue one",
    "A red wall.\r\n\r\nA blue wall.\r\n", ROOM,
)
KNOWN = Known((2, 1, 6), (2, 6), "A red bed by a wall, two blue chairs.", ("A grey cat sits on a mat.",))


def without(text: str, spans: tuple[tuple[int, int], ...]) -> str:
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text


def check(text: str, made: Edited | Refused) -> None:
    if isinstance(made, Refused):
        assert made.why
        return
    assert made.original == text
    assert made.text != text
    assert made.should in SHOULD
    assert made.note
    # what was not touched is the same on both sides, in order
    assert without(made.text, made.added) == without(text, made.removed)
    for change in made.changes:
        assert text[change.start : change.end] == change.old
    fresh = [c.new for c in made.changes if c.new]
    assert [made.text[a:b] for a, b in made.added] == fresh


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("known", [None, KNOWN], ids=["words alone", "known"])
def test_any_text_is_edited_or_refused(text: str, known: Known | None) -> None:
    made = all_edits(text, known)
    assert [e.name for e in made] == list(kinds())
    for one in made:
        check(text, one)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from([
        "A red wall.", "Two blue chairs stand by a table.", "- a green lamp", "The mood is calm.", "🙂",
        "**Bold** bed.", "No people are there!", "“A sign reads STOP.”", "\r\n", "\n\n", "# Title",
        "1. One dog.", "\u00a0", "",
    ]), max_size=9),
    st.sampled_from([" ", "\n", "\r\n", "  "]), st.integers(0, 3),
)  # fmt: skip
def test_spans_hold_on_made_texts(parts: list[str], gap: str, seed: int) -> None:
    text = gap.join(parts)
    for one in all_edits(text, seed=seed):
        check(text, one)


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60))
def test_spans_hold_on_any_text(text: str) -> None:
    for one in all_edits(text):
        check(text, one)


def test_the_same_seed_gives_the_same_text_and_another_seed_another() -> None:
    first, again, other = (edit("shuffle", ROOM, seed=s) for s in (0, 0, 1))
    assert isinstance(first, Edited) and isinstance(again, Edited) and isinstance(other, Edited)
    assert first == again
    assert first.text != other.text


def test_an_unknown_edit_is_named() -> None:
    with pytest.raises(InputError, match="drop-tail"):
        edit("drop-the-tail", ROOM)


def made(name: str, text: str = ROOM, known: Known | None = None) -> Edited:
    one = edit(name, text, known)
    assert isinstance(one, Edited), one
    return one


def sentences(text: str) -> list[str]:
    return [text[a:b] for a, b in content_sentences(text)]


def test_drop_tail_cuts_exactly_the_last_quarter() -> None:
    one = made("drop-tail")
    assert sentences(one.text) == sentences(ROOM)[:6]
    assert one.should == "not fall"  # both of the last two are generic
    true = ROOM.replace("The mood is calm and inviting. It evokes a dream.", "A black cat sleeps. A door is open.")
    assert made("drop-tail", true).should == "not rise"
    mixed = ROOM.replace("It evokes a dream.", "A door is open.")
    assert made("drop-tail", mixed).should == "no matter"


def test_first_half_keeps_the_larger_half() -> None:
    assert sentences(made("first-half").text) == sentences(ROOM)[:4]
    assert made("first-half", "One dog. Two cats. Three birds.").text == "One dog. Two cats."


@pytest.mark.parametrize("name", ["repeat-middle", "reword-repeat", "filler-middle", "false-middle"])
@pytest.mark.parametrize("n", range(2, 13))
def test_what_goes_to_the_middle_lies_in_the_middle(name: str, n: int) -> None:
    text = " ".join(f"A red lamp stands on chair {k}." for k in range(n))
    one = made(name, text)
    (start, end), = one.added
    told = content_sentences(one.text)
    inside = [k for k, (a, b) in enumerate(told, start=1) if a >= start and b <= end]
    assert inside
    assert all(quartile(k, len(told)) in (2, 3) for k in inside)


def test_a_repeat_is_of_a_supported_sentence_and_says_no_new_word() -> None:
    one = made("repeat-end", known=KNOWN)
    assert sentences(one.text)[-1] == sentences(ROOM)[1]
    assert made("double").text == f"{ROOM} {ROOM}"


def test_the_generic_tail_goes_to_the_middle_and_all_else_keeps_its_order() -> None:
    one = made("tail-to-middle")
    told = sentences(one.text)
    assert sorted(told) == sorted(sentences(ROOM))
    places = [told.index(s) + 1 for s in sentences(ROOM)[6:]]
    assert [quartile(k, 8) for k in places] == [2, 3]
    assert [s for s in told if s not in sentences(ROOM)[6:]] == sentences(ROOM)[:6]


def test_details_go_to_the_middle() -> None:
    one = made("details-to-middle", known=Known(fine=(1, 4, 8)))
    told = sentences(one.text)
    assert {quartile(told.index(sentences(ROOM)[k]) + 1, 8) for k in (0, 3, 7)} <= {2, 3}


def test_shuffle_keeps_every_sentence_and_never_the_order() -> None:
    for text in (ROOM, "One dog. Two cats.", "- a dog\n- a cat"):
        one = made("shuffle", text)
        assert sorted(sentences(one.text)) == sorted(sentences(text))
        assert sentences(one.text) != sentences(text)


def test_items_of_a_list_stay_items() -> None:
    text = "- a red wall\r\n- two blue chairs\r\n- a lamp\r\n- a dog"
    assert made("repeat-end", text, Known((2,))).text == f"{text}\r\n- two blue chairs."
    assert made("filler-middle", text).text.count("\r\n- ") == 4


def test_a_sentence_without_an_end_is_ended_before_another_follows() -> None:
    assert made("repeat-end", "a red wall").text == "a red wall. a red wall."


def test_closing_signs_are_not_torn() -> None:
    one = made("filler-middle", "**A red bed.** A blue wall.")
    assert one.text.startswith("**A red bed.** ")


def test_swapped_values_are_of_one_kind_and_exclude_each_other() -> None:
    one = made("swap-attributes", "A red bed. A blue wall.")
    assert one.text == "A blue bed. A red wall."
    assert one.should == "fall"
    assert isinstance(edit("swap-attributes", "A red bed. A crimson wall."), Refused)  # no lie in it
    assert isinstance(edit("swap-attributes", "Two beds. A red wall."), Refused)
    assert made("swap-attributes", "Red is the bed, blue the wall.").text == "Blue is the bed, red the wall."


def test_a_wrong_value_is_in_neither_text() -> None:
    one = made("wrong-value", "A red bed.", Known(reference="A red bed, a blue wall, a green lamp."))
    (start, end), = one.added
    assert one.text[start:end] not in ("red", "blue", "green")
    assert one.text.replace(one.text[start:end], "red") == "A red bed."


def test_parts_of_hyphenated_words_and_things_that_are_colours_are_left_alone() -> None:
    for text in ("A red-haired man in a field of wheat.", "A sun-yellow barn.", "A rose lies there."):
        assert isinstance(edit("wrong-value", text), Refused)


def test_a_hedge_keeps_the_value_and_sets_another_beside_it() -> None:
    one = made("hedge", "A red bed.")
    assert one.text.startswith("A red or ")
    assert one.removed == ()


def test_an_invented_thing_is_in_neither_text_under_any_name() -> None:
    birds = Known(reference="A bird sits on a branch beside an instrument, a vehicle and a toy.")
    said = {made("false-tail", f"A red wall {k}.", birds).text.split()[-6] for k in range(40)}
    assert said <= set(THINGS)
    assert said.isdisjoint({"parrot", "penguin", "violin", "trumpet", "harp", "drum", "kite"})


def test_filler_is_generic_and_inventions_are_specific() -> None:
    judge = LexicalGenericity()
    assert all(judge.judge(s).generic for s in FILLER)
    one = made("false-tail", ROOM)
    assert not judge.judge(sentences(one.text)[-1]).generic


def test_a_strange_sentence_comes_from_outside() -> None:
    assert isinstance(edit("borrowed-middle", ROOM), Refused)
    assert "A grey cat sits on a mat." in made("borrowed-middle", known=KNOWN).text
    own = Known(strangers=("A red bed stands by the wall.",))
    assert isinstance(edit("borrowed-middle", ROOM, own), Refused)


def test_rewording_changes_words_and_not_the_article() -> None:
    other = reworded("A lamp lies there.")
    assert other.startswith("A ") and other.endswith(" lies there.") and "lamp" not in other
    assert reworded("It is red.") == "It is red."


def test_every_edit_says_what_an_honest_reward_does() -> None:
    for kind in kinds().values():
        assert kind.should in SHOULD
        assert kind.family in FAMILIES
        assert kind.about.endswith(".")
    assert {k.should for k in kinds().values() if k.family == "falsify"} == {"fall"}
