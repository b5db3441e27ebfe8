"""Claims of a scene graph: dimensions, compounds kept together, pronouns resolved, absence."""

from __future__ import annotations

import re

import pytest

from posh_lite.position.rubric import GraphExtractor
from posh_lite.position.rubric_words import scene_group
from posh_lite.position.types import WEIGHTS, Claim, Extractor, Rubric


@pytest.fixture(scope="module")
def extractor() -> GraphExtractor:
    return GraphExtractor()


def rubric(extractor: GraphExtractor, text: str) -> Rubric:
    return extractor.extract([text])[0]


def texts(found: Rubric) -> list[str]:
    return [c.text for c in found.claims]


def claim(found: Rubric, words: str) -> Claim:
    return next(c for c in found.claims if words in c.text)


def test_values_of_one_property_stay_together(extractor: GraphExtractor) -> None:
    found = rubric(extractor, "A white and black dog sits on a wooden and metal table. It has large and round eyes.")
    assert claim(found, "white and black").text == "The dog is white and black."
    assert claim(found, "wooden and metal").text == "The table is wooden and metal."
    assert claim(found, "large and round").text == "The eyes are large and round."
    assert not [t for t in texts(found) if t in ("The dog is white.", "The dog is black.")]


def test_count_stands_apart_from_colour_and_deeds_from_each_other(extractor: GraphExtractor) -> None:
    found = rubric(extractor, "Three brown dogs run and jump.")
    assert {"There are three dogs.", "The dogs are brown."} <= set(texts(found))
    assert claim(found, "running").kind == claim(found, "jumping").kind == "Interaction"
    assert claim(found, "three").weight == claim(found, "brown").weight == 2.0


def test_dimensions_and_weights(extractor: GraphExtractor) -> None:
    found = rubric(
        extractor,
        "This is an eye-level photograph of a girl holding a red balloon at night. The lighting is soft.",
    )
    assert claim(found, "shows a girl").kind == "Entity"
    assert claim(found, "is red").kind == "Visual_Detail"
    assert claim(found, "holding").kind == "Interaction"
    assert claim(found, "eye-level").kind == "Scene_Context"
    assert claim(found, "soft").kind == "Scene_Context"
    assert claim(found, "night").kind == "Scene_Context"
    assert all(c.weight == WEIGHTS[c.kind] for c in found.claims)
    assert found.weight == pytest.approx(sum(c.weight for c in found.claims))


def test_pronouns_become_nouns(extractor: GraphExtractor) -> None:
    found = rubric(extractor, "An old man sits on a bench. He wears a green coat and he holds a cane.")
    assert "The man wears the coat." in texts(found) or "The old man wears the coat." in texts(found)
    assert not [t for t in texts(found) if re.match(r"(?:He|She|It|They)\b", t)]


def test_namesakes_are_told_apart(extractor: GraphExtractor) -> None:
    found = rubric(extractor, "A tall man holds a cup. A short man holds a plate.")
    assert {"The tall man holds the cup.", "The short man holds the plate."} <= set(texts(found))


def test_absence_is_a_claim_of_its_own_and_no_entity(extractor: GraphExtractor) -> None:
    found = rubric(extractor, "The street is empty. No people are visible. A cat sits without a collar.")
    assert claim(found, "no people").text == "There are no people."
    assert not [c for c in found.claims if c.kind == "Entity" and c.keyword in ("people", "person", "collar")]


def test_colours_and_materials_behind_of_are_properties(extractor: GraphExtractor) -> None:
    found = rubric(extractor, "The rug has stripes of pink and white. The tower is made of stone.")
    assert "The tower is stone." in texts(found)
    assert not [t for t in texts(found) if "shows the pink" in t or "shows the stone" in t]


def test_comparisons_and_exceptions_claim_nothing(extractor: GraphExtractor) -> None:
    found = rubric(extractor, "The shelf is bare except for a vase.")
    assert not [t for t in texts(found) if "except" in t]


def test_spans_point_into_the_reference_and_claims_are_sentences(extractor: GraphExtractor) -> None:
    text = "**Two** tall trees\u00a0stand behind a “red” barn.\r\n- A sign reads “STOP HERE”."
    found = rubric(extractor, text)
    assert [c.id for c in found.claims] == list(range(len(found.claims)))
    for c in found.claims:
        assert c.spans and all(0 <= a < b <= len(text) for a, b in c.spans)
        assert c.text[0].isupper() and c.text.endswith(".") and len(c.text.split()) >= 3
        assert c.keyword and "  " not in c.text
    assert claim(found, "STOP HERE")


def test_duplicates_are_one_claim_with_the_spans_of_all(extractor: GraphExtractor) -> None:
    found = rubric(extractor, "A dog lies on a rug. There is a red ball. The red ball is red.")
    keys = [" ".join(t.lower().split()) for t in texts(found)]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("text", ["", "   \n", "🙂", "Red.", "\u0627\u0644\u0642\u0637", "a\x00b"])
def test_odd_texts_give_a_rubric(extractor: GraphExtractor, text: str) -> None:
    found = rubric(extractor, text)
    assert found.reference == text
    assert found.weight == sum(c.weight for c in found.claims)


def test_the_contract(extractor: GraphExtractor) -> None:
    assert isinstance(extractor, Extractor)
    assert extractor.extract([]) == []
    one, two = extractor.extract(["A dog.", "A cat."])
    assert (one.reference, two.reference) == ("A dog.", "A cat.")
    assert one.signature == extractor.signature and "graph-" in one.signature


@pytest.mark.parametrize(("noun", "group"), [
    ("sunlight", "light"), ("low angle", "shot"), ("winter", "time"), ("background", "setting"), ("dog", ""),
])
def test_scene_words(noun: str, group: str) -> None:
    assert scene_group(noun) == group
