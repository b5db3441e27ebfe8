"""How alike two words and two nouns are, by the curated lexicon."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.judge.lexical import heads, words
from posh_lite.judge.lexical.lexicon import lexicon

LEX = lexicon()


def test_the_lexicon_is_rich_and_has_a_digest() -> None:
    assert LEX.size > 2000
    assert len(LEX.digest) == 64


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("azure", "blue"), ("crimson", "red"), ("grey", "gray"), ("wooden", "wood"), ("smiling", "smile"),
        ("bearded", "beard"), ("big", "large"), ("elderly", "old"), ("strolling", "walk"), ("seated", "sit"),
        ("two", "couple"), ("2", "two"), ("striped", "stripes"), ("cloudy", "overcast"), ("shut", "closed"),
    ],
)  # fmt: skip
def test_paraphrases_agree(a: str, b: str) -> None:
    assert words.alike(a, b) >= 4
    assert words.alike(b, a) >= 4


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("red", "blue"), ("wooden", "metal"), ("striped", "plaid"), ("open", "closed"), ("tall", "short"),
        ("two", "three"), ("old", "young"), ("sit", "stand"), ("smile", "frown"), ("large", "tiny"),
        ("round", "square"), ("wet", "dry"), ("empty", "full"), ("dark", "light"), ("sunny", "cloudy"),
    ],
)  # fmt: skip
def test_other_values_of_a_dimension_exclude_each_other(a: str, b: str) -> None:
    assert words.alike(a, b) == words.CONFLICT
    assert words.alike(b, a) == words.CONFLICT


@pytest.mark.parametrize(("a", "b"), [("red", "wooden"), ("tall", "striped"), ("zorgle", "red"), ("happy", "metal")])
def test_words_of_different_dimensions_say_nothing_of_each_other(a: str, b: str) -> None:
    assert words.alike(a, b) == words.UNRELATED


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("man", "gentleman"), ("woman", "lady"), ("kids", "children"), ("person", "woman"), ("dog", "puppy"),
        ("sofa", "couch"), ("glass", "wine glass"), ("people", "men"), ("boat", "rowboat"), ("towels", "towel"),
        ("table cloth", "tablecloth"), ("fir", "tree"), ("infant", "baby"),
    ],
)  # fmt: skip
def test_nouns_that_cover(source: str, target: str) -> None:
    assert heads.grade(source, target) >= 3.4


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("cat", "dog"), ("man", "woman"), ("boy", "girl"), ("car", "truck"), ("chair", "table"), ("king", "queen"),
        ("apple", "pear"), ("hot dog", "dog"), ("coffee table", "dining table"), ("man", "boy"), ("guitar", "violin"),
    ],
)  # fmt: skip
def test_nouns_that_do_not(source: str, target: str) -> None:
    assert heads.grade(source, target) < 3


def test_a_target_that_says_less_is_graded_below_one_that_says_more() -> None:
    assert heads.grade("animal", "dog") > heads.grade("dog", "animal") >= 3


def test_a_clause_taken_for_a_compound_is_undone() -> None:
    assert heads.repaired("man stroll") == ("man", "stroll")
    assert heads.repaired("birds perch") == ("birds", "perch")
    assert heads.repaired("wine glass") == ("wine glass", "")


@given(st.text(max_size=20), st.text(max_size=20))
@settings(max_examples=60, deadline=None)
def test_any_two_strings_can_be_compared(a: str, b: str) -> None:
    assert -1 <= words.alike(a, b) <= 5
    assert -1 <= heads.grade(a, b) <= 5
    assert words.alike(a, a) == 5
    assert heads.grade(b, b) == 5


@given(st.sampled_from(sorted(LEX.nouns.senses)), st.sampled_from(sorted(LEX.nouns.senses)))
@settings(max_examples=100, deadline=None)
def test_comparisons_do_not_depend_on_what_was_asked_before(a: str, b: str) -> None:
    first = heads.grade(a, b)
    heads.grade.cache_clear()
    assert heads.grade(a, b) == first
