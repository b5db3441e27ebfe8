"""The same said in another shape, counts of namesakes, colours by the noun, and what contradicts nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posh_lite.position.graphs import Graphs
from posh_lite.position.rubric import GraphExtractor
from posh_lite.position.types import Finding
from posh_lite.position.verify import LexicalVerifier

GRAPHS = Graphs()
EXTRACTOR, VERIFIER = GraphExtractor(GRAPHS), LexicalVerifier(GRAPHS)


def verdicts(reference: str, caption: str) -> dict[str, Finding]:
    rubric = EXTRACTOR.extract([reference])[0]
    return {c.text: f for c, f in zip(rubric.claims, VERIFIER.verify([(caption, rubric)])[0], strict=True)}


@pytest.mark.parametrize(("reference", "caption", "evidence"), [
    ("A mirror in a black frame hangs on the wall.", "A black-framed mirror hangs on the wall.", "black-framed"),
    ("A woman in black gloves raises her arm.", "A black-gloved woman raises her arm.", "black-gloved"),
    ("A table with a white cloth stands there.", "A white-clothed table stands there.", "white-clothed"),
    ("A marble counter is in front.", "A marble-topped counter is in front.", "marble-topped counter"),
])  # fmt: skip
def test_hyphenated_adjectives_bear_out_the_thing_and_what_is_said_of_it(
    reference: str, caption: str, evidence: str
) -> None:
    found = verdicts(reference, caption)
    assert {f.status for f in found.values()} == {"Supported"}, found
    assert any(f.quote == evidence for f in found.values())


def test_a_hyphenated_adjective_of_another_thing_bears_no_relation_out() -> None:
    found = verdicts("A mirror in a black frame hangs there.", "A mirror hangs there. A black-framed door is shut.")
    told = [f.status for text, f in found.items() if text.startswith("The mirror is in the")]
    assert told and "Supported" not in told


@pytest.mark.parametrize(("reference", "caption", "claim", "status"), [
    ("A flight of steps leads up.", "Steps lead up.", "The picture shows a flight.", "Supported"),
    ("A flight of steps leads up.", "A door stands open.", "The picture shows a flight.", "Missing"),
    ("A row of hooks is on the wall.", "Hooks are on the wall.", "The picture shows hooks.", "Supported"),
])  # fmt: skip
def test_an_amount_is_borne_out_by_what_it_is_of(reference: str, caption: str, claim: str, status: str) -> None:
    assert verdicts(reference, caption)[claim].status == status


@pytest.mark.parametrize(("caption", "status"), [
    ("A bedroom without occupants. A bed stands there.", "Supported"),
    ("A deserted bedroom with a bed.", "Supported"),
    ("This bedroom is empty of people. A bed stands there.", "Supported"),
    ("There is no one in the bedroom.", "Supported"),
    ("An empty glass stands beside the bed. A blue pitcher is near it.", "Missing"),
    ("A man sleeps in the bed.", "Contradicted"),
])  # fmt: skip
def test_nobody_is_there_in_many_words(caption: str, status: str) -> None:
    found = verdicts("A bedroom with a bed. Nobody is in the room.", caption)
    claim = next(f for text, f in found.items() if "nobody" in text.lower())
    assert claim.status == status, found


def test_the_format_of_the_picture_is_told_by_its_words() -> None:
    wide = verdicts("This wide painting shows a barn.", "A barn fills this horizontal canvas.")
    assert wide["The picture is wide."].status == "Supported"
    other = verdicts("This wide painting shows a barn.", "A barn with wide doors. A canvas covers the hay.")
    assert other["The picture is wide."].status == "Missing"


def test_what_the_day_is_like_is_told_of_the_scene() -> None:
    found = verdicts("On a wet day two men wait.", "Two men wait in a rainy scene.")
    assert next(f for t, f in found.items() if "wet" in t).status == "Supported"
    found = verdicts("On a wet day two men wait.", "Two men wait. A wet dog sits.")
    assert next(f for t, f in found.items() if "wet" in t).status == "Missing"


@pytest.mark.parametrize(("reference", "caption", "claim", "status"), [
    ("Two roses stand in a glass.", "Five roses stand in a glass.", "There are two roses.", "Contradicted"),
    ("Two roses stand in a glass.", "Roses stand in a glass.", "There are two roses.", "Supported"),
    ("Two roses stand in a glass.", "Two roses stand there, and five roses lie.", "There are two roses.", "Supported"),
    ("Two boys sit. Four boys stand.", "Four boys stand.", "There are two boys.", "Missing"),
])  # fmt: skip
def test_counts_of_namesakes(reference: str, caption: str, claim: str, status: str) -> None:
    assert (verdicts(reference, caption)[claim].status == "Contradicted") == (status == "Contradicted")


def test_colours_by_the_noun_contradict_where_there_is_one_such_thing() -> None:
    reference = "A red awning shades the balcony."
    assert verdicts(reference, "The awning is striped in green.")["The awning is red."].status == "Contradicted"
    assert verdicts(reference, "The awning is red, the wall green.")["The awning is red."].status == "Supported"
    two = verdicts(reference, "One awning is green. Another awning shades the door.")
    assert two["The awning is red."].status != "Supported"


@pytest.mark.parametrize(("reference", "caption"), [
    ("A woman wears a straw hat.", "A woman wears a blue-ribboned straw hat."),  # straw is no colour here
    ("The glasses are half-empty.", "The glasses are no longer full."),
    ("A gigantic wave rises on the left.", "At left an enormous wave rises. It arches to the right."),
    ("A maid kneels beside the princess.", "A maid kneels to the left of the princess."),
    ("A woman raises her hands to her head.", "A woman puts both hands to her head."),
])  # fmt: skip
def test_what_contradicts_nothing(reference: str, caption: str) -> None:
    assert "Contradicted" not in {f.status for f in verdicts(reference, caption).values()}


def test_to_be_one_of_a_crowd_bears_nobody_out() -> None:
    found = verdicts("A man in a cap talks to a woman. Twelve people sit.", "Twelve people sit at the table.")
    assert found["The picture shows a man."].status == found["The picture shows a woman."].status == "Missing"
    assert found["The picture shows people."].status == "Supported"


def test_an_adjective_that_names_the_thing_bears_it_out() -> None:
    found = verdicts("A man with a beard sits.", "A bearded man sits.")
    assert {f.status for f in found.values()} == {"Supported"}, found


@given(st.lists(st.sampled_from([
    "a black-framed mirror", "no one", "a flight of steps", "five roses", "an awning striped in green", "left-", "-",
    "nobody-ed", "the half-clothed", "empty", "horizontal", "\n\n", ".", "leftward,", "é-framed",
]), min_size=1, max_size=9))  # fmt: skip
def test_evidence_stands_in_the_caption(parts: list[str]) -> None:
    caption = " ".join(parts)
    reference = "This wide painting shows a mirror in a black frame. Two roses lie on a flight of steps. Nobody is in."
    for found in verdicts(reference, caption).values():
        if found.evidence is not None:
            a, b = found.evidence
            assert 0 <= a < b <= len(caption) and caption[a:b] == found.quote


@pytest.mark.parametrize("text", [
    "The painting captures a quiet moment between a mother and her child. The mother wears a blue dress.",
    "The overall mood is calm, with a gray sea. Two boats lie on the beach.",
    "Overall, the image of a woman and a dog is charming. The dog sleeps on a rug.",
])
def test_a_text_bears_itself_out_whatever_its_tone(text: str) -> None:
    assert {f.status for f in verdicts(text, text).values()} == {"Supported"}
