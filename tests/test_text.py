"""Segments tile every text, spans round-trip, and real model output is cut where a reader would."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from posh_lite.text import quotations, segments, sentences, tokens, visible

ALPHABET = st.sampled_from(
    [*"abcXYZ019 .,!?:;'\"-*_#`|~>()[]\n\t",
       "\r\n", "\x00", "\u00a0", "\u2019", "\u201c", "\u201d", "\u2026", "e\u0301",
       "\U0001f600", "\u05d0\u05d1", "\u0639", "\u3002",
       "1. ", "- ", "**", "## ", "U.S. ", "approx. ", "\n\n", "| a | b |\n|---|---|\n", "```\n"]
)  # fmt: skip
TEXTS = st.lists(ALPHABET, max_size=60).map("".join)


def cut(text: str) -> list[str]:
    return [text[a:b] for a, b in sentences(text)]


@settings(max_examples=150, deadline=None)
@given(TEXTS)
@example("")
@example(" \n\t ")
@example("word")
@example('"')
@example("\x00")
def test_segments_tile_the_text(text: str) -> None:
    found = segments(text)
    assert "".join(text[s.start : s.end] for s in found) == text
    assert all(s.start < s.end for s in found)
    assert [s.start for s in found] == [0, *(s.end for s in found)][: len(found)]


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_visible_keeps_every_position(text: str) -> None:
    shown = visible(text)
    assert len(shown) == len(text)
    for a, b in zip(text, shown, strict=True):
        if a.isalnum() and "```" not in text and "~~~" not in text:  # the language of a fence is markup
            assert a == b


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_tokens_round_trip_and_cover_all_but_space(text: str) -> None:
    found = tokens(text)
    assert all(text[t.start : t.end] == t.text for t in found)
    assert all(a.end <= b.start for a, b in pairwise(found))
    covered = {i for t in found for i in range(t.start, t.end)}
    assert all(text[i].isspace() for i in range(len(text)) if i not in covered)


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_sentences_start_and_end_on_a_visible_character(text: str) -> None:
    shown = visible(text)
    for a, b in sentences(text):
        assert not shown[a].isspace()
        assert not shown[b - 1].isspace()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("   \n ", []),
        ("Word", ["Word"]),
        ("A man sits. A dog runs!", ["A man sits.", "A dog runs!"]),
        ("It is approx. 3.5 m tall. Fig. 2 shows it.", ["It is approx. 3.5 m tall.", "Fig. 2 shows it."]),
        ("St. Mark stands in the U.S. The sky is blue.", ["St. Mark stands in the U.S.", "The sky is blue."]),
        ("Mr. and Mrs. Smith, e.g. Dr. Lee, wait.", ["Mr. and Mrs. Smith, e.g. Dr. Lee, wait."]),
        ("The clock reads 10:30 a.m. The hall is empty.", ["The clock reads 10:30 a.m.", "The hall is empty."]),
        ("Wait... what is this? A cat.", ["Wait... what is this?", "A cat."]),
        ("He looks up\u2026 The sky is dark.", ["He looks up\u2026", "The sky is dark."]),
        ('A sign reads "STOP. Do not enter." Behind it is a gate.',
         ['A sign reads "STOP. Do not enter."', "Behind it is a gate."]),
        ("A sign reads \u201cSTOP. Do not enter.\u201d and hangs low.",
         ["A sign reads \u201cSTOP. Do not enter.\u201d and hangs low."]),
        ("1. A man stands.\n2. A dog sits.", ["A man stands.", "A dog sits."]),
        ("- **Sky**: It is blue.\n  - a cloud\n", ["It is blue.", "a cloud"]),
        ("The man sits\non a chair.", ["The man sits\non a chair."]),
        ("First.\r\n\r\nSecond.", ["First.", "Second."]),
        ("A dog in the frame.The man waits.", ["A dog in the frame.", "The man waits."]),
        ("The barn (built c. 1900) is red. It leans.", ["The barn (built c. 1900) is red.", "It leans."]),
        ("A painting by J. Vermeer hangs there.", ["A painting by J. Vermeer hangs there."]),
        ("Room no. 5 is open. No. 6 is shut.", ["Room no. 5 is open.", "No. 6 is shut."]),
        ("A 12\" ruler lies there. It is wooden.", ['A 12" ruler lies there.', "It is wooden."]),
        ("| Thing | Colour |\n|---|---|\n| a red hat | on the left |", ["a red hat", "on the left"]),
        ("```\nA man stands.\n```", ["A man stands."]),
        ("# A red barn\nIt stands.", ["A red barn", "It stands."]),
        ("**The woman:** She smiles.", ["The woman:", "She smiles."]),
        ("A man.\u00a0A dog.", ["A man.", "A dog."]),
    ],
)  # fmt: skip
def test_sentences(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Here is a detailed description: A man sits.",
         [("preamble", "Here is a detailed description:"), ("sentence", "A man sits.")]),
        ("Sure! Here is a detailed description of the image:\n\nA man sits.",
         [("preamble", "Sure!"), ("preamble", "Here is a detailed description of the image:"),
          ("sentence", "A man sits.")]),
        ("## Overview\nA man sits.", [("heading", "Overview"), ("sentence", "A man sits.")]),
        ("**Background:** Hills.", [("heading", "Background:"), ("sentence", "Hills.")]),
        ("A man sits. Let me know if you need more!",
         [("sentence", "A man sits."), ("preamble", "Let me know if you need more!")]),
        ("Here is a man.", [("sentence", "Here is a man.")]),
    ],
)  # fmt: skip
def test_kinds(text: str, kinds: list[tuple[str, str]]) -> None:
    assert [(s.kind, text[s.start : s.end]) for s in segments(text) if s.kind != "gap"] == kinds


def test_markup_is_blanked_in_place() -> None:
    assert visible("**bold** and `code` and [link](http://x.y)") == "  bold   and  code  and  link" + " " * 13
    assert visible("boy\u2019s \u201chat\u201d\u00a0x") == 'boy\'s "hat" x'


def test_quotations_ignore_apostrophes_and_inches() -> None:
    text = "The man's 12\" dogs' \"EXIT\" and 'a b' sign"
    assert [text[a:b] for a, b in quotations(text, 0, len(text))] == ['"EXIT"', "'a b'"]


def test_tokens_of_words_numbers_and_marks() -> None:
    assert [t.text for t in tokens("The boy\u2019s rose-pink hat, 3.5 m\u2026")] == [
        "The", "boy\u2019s", "rose", "-", "pink", "hat", ",", "3.5", "m", "\u2026"
    ]  # fmt: skip
    assert [t.text for t in tokens("cafe\u0301 \U0001f600")] == ["cafe\u0301", "\U0001f600"]


@pytest.mark.parametrize(
    "unit", ["A man sits on a chair. ", "word ", '"a ', ". ", "**x** ", "- a\n", "|a|b|\n", "U.S. "]
)
def test_fifty_thousand_words_take_linear_time(unit: str) -> None:
    text = unit * (50_000 // max(1, len(unit.split())))
    begin = time.process_time()
    found = segments(text)
    assert sum(s.end - s.start for s in found) == len(text)
    assert time.process_time() - begin < 5
