"""Freely reworded captions are no mistakes: near names, amounts, judgements, light nouns, words not known."""

from __future__ import annotations

import pytest

from posh_lite import PoSh
from posh_lite.judge.lexical import heads
from posh_lite.judge.lexical.lexicon import lexicon
from posh_lite.metric.score import Component

METRIC = PoSh(judge="lexical", progress=False)


def score_of(generation: str, reference: str, kind: str, text: str) -> float:
    """Lowest score of the generation's components of this kind and text."""
    found = [
        c.score
        for c in METRIC.score(generation, reference).components
        if c.side == "generation" and c.kind == kind and text in c.text.lower() and c.score is not None
    ]
    assert found, f"no {kind} {text!r}"
    return min(found)


def components(generation: str, reference: str) -> list[Component]:
    return [c for c in METRIC.score(generation, reference).components if c.side == "generation"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bonnet", "cap"), ("scarf", "kerchief"), ("tavern", "inn"), ("bun", "knot"), ("plain", "valley"),
        ("soil", "field"),
    ],
)
def test_near_names_are_partial_support(one: str, other: str) -> None:
    assert 3.0 <= heads.grade(one, other) < 4.8
    assert 3.0 <= heads.grade(other, one) < 4.8


@pytest.mark.parametrize(("one", "other"), [("scarf", "hat"), ("tavern", "church"), ("bun", "hat"), ("bed", "sofa")])
def test_other_kinds_stay_apart(one: str, other: str) -> None:
    assert heads.grade(one, other) < 3.0


@pytest.mark.parametrize(
    ("generation", "reference", "noun"),
    [
        ("A party of hunters walks home.", "Hunters walk home.", "party"),
        ("A woman carries a load of kindling.", "A woman carries firewood.", "load"),
        ("The boys have found a seat on the rail.", "The boys sit on the rail.", "seat"),
        ("The scene shows the dignity of the woman.", "A woman sits in a chair.", "dignity"),
        ("There is a bridge of stone over the river.", "There is a stone bridge over the river.", "stone"),
        ("A man stands beside a flumgubbin.", "A man stands in a garden.", "flumgubbin"),
    ],
)
def test_nouns_that_are_no_things_to_find(generation: str, reference: str, noun: str) -> None:
    assert score_of(generation, reference, "entity", noun) >= 3.0


def test_a_known_thing_that_is_not_there_is_still_found_out() -> None:
    assert score_of("A man stands beside a piano.", "A man stands in a garden.", "entity", "piano") < 2
    assert score_of("A bridge of wood crosses it.", "A stone bridge crosses it.", "entity", "wood") < 2


def test_what_shows_a_trade_decides_who_it_is() -> None:
    reference = "A woman ties a sheaf. Far behind, a man on horseback watches."
    assert score_of("A woman ties a sheaf. A rider watches.", reference, "entity", "rider") >= 3.0


def test_the_lists_hold_no_word_twice_and_nothing_that_is_a_plain_thing() -> None:
    lex = lexicon()
    assert {"dignity", "rhythm", "hardship"} <= lex.abstract
    assert not {"man", "hat", "dog", "tree", "table", "boat"} & (lex.abstract | lex.mild | lex.generic)


@pytest.mark.parametrize(
    ("generation", "reference", "word"),
    [
        ("A grown man sits on a bench.", "A man sits on a bench.", "grown"),
        ("A man sits on a flumgubbed bench.", "A man sits on a bench.", "flumgubbed"),
        ("Dark birds sit in the tree.", "Black birds sit in the tree.", "dark"),
        ("The scene has a quiet dignity.", "A woman sits in a chair.", "quiet"),
        ("Every hunter carries a pole.", "Three hunters carry poles.", "every"),
    ],
)
def test_attributes_that_say_little_or_cannot_be_judged(generation: str, reference: str, word: str) -> None:
    assert score_of(generation, reference, "attribute", word) >= 3.0


@pytest.mark.parametrize(
    ("generation", "reference", "word"),
    [
        ("The armchair has plain upholstery.", "The armchair has striped upholstery.", "plain"),
        ("White birds sit in the tree.", "Black birds sit in the tree.", "white"),
        ("An old man sits on a bench.", "A young man sits on a bench.", "old"),
        ("A dozen dogs run.", "Two dogs run.", "dozen"),
    ],
)
def test_attributes_that_say_otherwise(generation: str, reference: str, word: str) -> None:
    assert score_of(generation, reference, "attribute", word) < 3.0


def test_comparisons_and_ranks_are_no_things() -> None:
    reference = "A man and three boys sail. The apron of the woman is gathered."
    assert score_of("The senior of the boys sails.", reference, "entity", "senior") >= 3.0


def test_a_closed_compound_of_known_nouns_is_a_thing_to_look_for() -> None:
    assert score_of("Bloodstains dot the snow.", "Hunters walk in the snow.", "entity", "bloodstains") < 2


@pytest.mark.parametrize(
    ("generation", "reference", "word"),
    [
        ("A boy with bare feet sits there.", "A barefoot boy sits there.", "bare"),
        ("A schooner with two masts sails by.", "A two-masted schooner sails by.", "two"),
        ("A man in a tall hat walks.", "A man in a top hat walks.", "tall"),
        ("A flat bowl stands on the floor.", "A shallow bowl stands on the floor.", "flat"),
        ("The sail is tight.", "The sail is taut.", "tight"),
    ],
)
def test_properties_in_other_words(generation: str, reference: str, word: str) -> None:
    assert score_of(generation, reference, "attribute", word) >= 3.0


def test_a_number_inside_a_compound_counts() -> None:
    assert score_of("A ship with three masts sails by.", "A two-masted ship sails by.", "attribute", "three") < 2


def test_a_neighbour_is_any_of_the_people() -> None:
    reference = "Two women stoop. The second woman wears a red scarf."
    assert score_of("A woman stoops; her neighbor wears a red scarf.", reference, "entity", "neighbor") >= 3.0
