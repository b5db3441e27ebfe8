"""Which words of its own text a component answers for."""

from __future__ import annotations

import pytest

from posh_lite import PoSh
from posh_lite.metric.phrases import denial


@pytest.mark.parametrize(
    ("text", "word", "cue"),
    [
        ("The border has not been left uncarved.", "left", "not"),
        ("A man without a hat.", "hat", "without"),
        ("The gate isn't open.", "open", "n't"),
        ("The gate isn’t open.", "open", "n’t"),
        ("No people are here, and the gate is open.", "people", "No"),
        ("The gate is open.", "open", ""),
        ("", "", ""),
    ],
)
def test_denial_is_the_nearest_negative_word_before(text: str, word: str, cue: str) -> None:
    start = text.index(word)
    a, b = denial(text, (0, len(text)), (start, start + len(word)))
    assert text[a:b] == cue


def test_denial_stays_in_its_sentence() -> None:
    text = "There is no dog. The gate is open."
    start = text.index("open")
    assert denial(text, (17, len(text)), (start, start + 4)) == (start, start)


def test_an_exchange_of_roles_marks_the_triple() -> None:
    score = PoSh().score("A goldfish watches a cat.", "A cat watches a goldfish.")
    relation = next(c for c in score.components if c.side == "generation" and c.kind == "relation")
    assert relation.score < 2
    assert [score.generation[a:b] for a, b in relation.spans] == ["goldfish", "watches", "cat"]


def test_a_denied_attribute_marks_its_not() -> None:
    score = PoSh().score("Her sleeves are not rolled up.", "Her sleeves are rolled up.")
    claim = next(c for c in score.components if c.side == "generation" and c.negated)
    assert claim.score < 2
    assert "not" in [score.generation[a:b] for a, b in claim.spans]


def test_exchanged_attributes_of_namesakes_are_marked() -> None:
    score = PoSh().score(
        "The girl in the red coat sings, and the man in the blue coat plays the piano.",
        "The girl in the blue coat sings, and the man in the red coat plays the piano.",
    )
    low = [c for c in score.components if c.side == "generation" and c.score < 3]
    marked = {score.generation[a:b] for c in low for a, b in c.spans}
    assert {"red", "blue"} <= marked
