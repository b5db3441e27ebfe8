"""From a quotation to its place: exact, normalized, fuzzy, and what a fuzzy match may not change."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from posh_lite.position.match import changes_fact, locate

untimed = settings(deadline=None)

CAPTION = (
    "A **small** dog sleeps on the red sofa.\n- Two cats, “Tom” and\u00a0Kit, watch it.\n"
    "No people are visible; the room isn't lit."
)
WORDS = st.lists(
    st.sampled_from([
        "tree", "house", "river", "bridge", "lamp", "child", "window", "ladder", "garden", "path", "chair", "table",
        "cloud", "boat",
    ]),
    min_size=6, max_size=14, unique=True,
)


@untimed
@given(st.text(min_size=1, max_size=60), st.data())
def test_any_part_of_any_text_that_cuts_no_word_is_found_as_it_stands(text: str, data: st.DataObject) -> None:
    a = data.draw(st.integers(0, len(text) - 1))
    b = data.draw(st.integers(a + 1, len(text)))
    assume(not any(text[e - 1 : e].isalnum() and text[e : e + 1].isalnum() for e in (a, b) if e))
    quote = text[a:b]
    place = locate(quote, text)
    if not quote.strip():
        assert (place.span, place.match) == (None, "none")
    else:
        assert place.match == "exact"
        assert place.span is not None and text[slice(*place.span)] == quote


@untimed
@given(WORDS, st.data())
def test_case_spaces_marks_and_markdown_do_not_matter(words: list[str], data: st.DataObject) -> None:
    caption = " ".join(words) + "."
    a = data.draw(st.integers(0, len(words) - 1))
    b = data.draw(st.integers(a + 1, len(words)))
    sep = data.draw(st.sampled_from(["  ", "\n", " - ", ", ", "\u00a0", "\u2026 "]))
    shape = data.draw(st.sampled_from([str.upper, str.title, lambda w: f"**{w}**", lambda w: f"“{w}”"]))
    quote = sep.join(shape(w) for w in words[a:b])
    place = locate(quote, caption)
    assert place.match == "normalized"
    assert place.span is not None and caption[slice(*place.span)] == " ".join(words[a:b])


@untimed
@given(WORDS, st.data())
def test_one_wrong_word_is_mended(words: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(words) - 2))
    quote = " ".join([*words[:at], "mistyped", *words[at + 1 :]])
    place = locate(quote, " ".join(words))
    assert place.match == "fuzzy"
    assert place.span == (0, len(" ".join(words)))
    assert place.similarity == pytest.approx((len(words) - 1) / len(words))


@untimed
@given(WORDS, st.data(), st.sampled_from([
    ("two", "three"), ("2", "3"), ("red", "green"), ("not", "mostly"), ("never", "always"), ("no", "one"),
]))  # fmt: skip
def test_a_changed_number_colour_or_negation_is_refused(
    words: list[str], data: st.DataObject, pair: tuple[str, str]
) -> None:
    at = data.draw(st.integers(1, len(words) - 1))
    said, quoted = data.draw(st.permutations(pair))
    caption = " ".join([*words[:at], said, *words[at:]])
    place = locate(" ".join([*words[:at], quoted, *words[at:]]), caption)
    assert place.span is None
    assert place.match == "unmatched"
    assert place.vetoed


@untimed
@given(st.text(max_size=40), st.text(max_size=80))
def test_a_place_lies_in_the_caption(quote: str, caption: str) -> None:
    place = locate(quote, caption)
    assert (place.span is None) == (place.match in ("none", "unmatched"))
    if place.span is not None:
        a, b = place.span
        assert 0 <= a < b <= len(caption)


@pytest.mark.parametrize(("quote", "match", "words"), [
    ("sleeps on the red sofa", "exact", "sleeps on the red sofa"),
    ("a small dog", "normalized", "A **small** dog"),
    ('two cats, "Tom" and Kit', "normalized", "Two cats, “Tom” and\u00a0Kit"),
    ("the room isnt lit", "normalized", "the room isn't lit"),
    ("a small dog slumbers on the red sofa", "fuzzy", "A **small** dog sleeps on the red sofa"),
    ("a small dog sleeps on the green sofa", "unmatched", None),
    ("three cats, Tom and Kit, watch it", "unmatched", None),
    ("people are visible; the room isn't lit", "exact", "people are visible; the room isn't lit"),
    ("people are visible in the room", "unmatched", None),
    ("a lighthouse by the sea", "unmatched", None),
    ("...", "unmatched", None),
    ("", "none", None),
    (" \n", "none", None),
])  # fmt: skip
def test_places(quote: str, match: str, words: str | None) -> None:
    place = locate(quote, CAPTION)
    assert place.match == match
    assert (None if place.span is None else CAPTION[slice(*place.span)]) == words


def test_a_word_is_not_found_inside_another_where_it_stands_alone_too() -> None:
    assert locate("cat", "The caterpillar fled from the cat.").span == (30, 33)


@pytest.mark.parametrize(("quote", "caption"), [
    ("man", "A woman sits."), ("a man", "She plays a mandolin."), ("red", "A hundred sheep."),
    ("2 dogs", "There are 12 dogs."), ("a sign with 2", "a sign with 25 on it"), ("1.5", "about 11.5 m"),
    ("cat", "It is located there."),
])  # fmt: skip
def test_a_word_or_number_inside_another_is_no_evidence(quote: str, caption: str) -> None:
    assert locate(quote, caption).span is None


@pytest.mark.parametrize(("quote", "caption"), [
    ("black stripe", "It has black stripes."), ("a man walk", "a man walking"),
    ("\u7ea2\u8272", "\u4e00\u53ea\u7ea2\u8272\u7684\u732b"),
])  # fmt: skip
def test_a_lacking_ending_is_forgiven_and_so_is_a_script_without_blanks(quote: str, caption: str) -> None:
    assert locate(quote, caption).match == "exact"


def test_an_accent_that_stands_by_itself_is_within_the_place() -> None:
    caption = "The Cafe\u0301 is open."
    at = locate("the caf\u00e9", caption).span
    assert at is not None and caption[slice(*at)] == "The Cafe\u0301"


def test_numbers_are_compared_as_values() -> None:
    assert not changes_fact("3 dogs", "three dogs")
    assert changes_fact("12 dogs", "two dogs")
    assert changes_fact("the 1/5 mark", "the 1/4 mark")


def test_accents_and_long_captions() -> None:
    caption = "word " * 20_000 + "a café terrace at night"
    place = locate("A CAFE TERRACE", caption)
    assert place.match == "normalized"
    assert place.span is not None and caption[slice(*place.span)] == "a café terrace"


def test_an_empty_caption_holds_nothing() -> None:
    assert locate("a dog", "").match == "unmatched"


def test_the_threshold_is_checked() -> None:
    with pytest.raises(ValueError, match=r"between 0 and 1, got 1\.2"):
        locate("a", "a", threshold=1.2)


@untimed
@given(st.text(min_size=1, max_size=30))
def test_the_same_answer_twice(text: str) -> None:
    assume(text.strip())
    assert locate(text, "a dog " + text) == locate(text, "a dog " + text)
