"""What sentences say by their words, one thing for two, open words, denials, and signatures that know their rules."""

from __future__ import annotations

from importlib.resources import files

import pytest

from posh_lite.position.graphs import Graphs, rules_digest
from posh_lite.position.rubric import GraphExtractor
from posh_lite.position.types import Finding
from posh_lite.position.verify import LexicalVerifier

GRAPHS = Graphs()
EXTRACTOR, VERIFIER = GraphExtractor(GRAPHS), LexicalVerifier(GRAPHS)


def verdicts(reference: str, caption: str) -> dict[str, Finding]:
    rubric = EXTRACTOR.extract([reference])[0]
    return {c.text: f for c, f in zip(rubric.claims, VERIFIER.verify([(caption, rubric)])[0], strict=True)}


@pytest.mark.parametrize(("reference", "caption", "claim"), [
    ("The hat is black.", "The hat is not black.", "The hat is black."),
    ("The hat is not black.", "The hat is black.", "The hat is not black."),
    ("The man is sitting.", "The man is not sitting.", "The man is sitting."),
    ("A man holds a cane.", "A man does not hold a cane.", "The man holds the cane."),
])  # fmt: skip
def test_what_is_denied_is_contradicted_either_way(reference: str, caption: str, claim: str) -> None:
    found = verdicts(reference, caption)[claim]
    assert (found.status, bool(found.evidence)) == ("Contradicted", True)


def test_a_denial_of_something_else_contradicts_nothing() -> None:
    assert verdicts("The hat is black.", "The hat is not new. It is black.")["The hat is black."].status == "Supported"
    assert verdicts("The hat is black.", "The hat is not new.")["The hat is black."].status == "Missing"


def test_one_thing_of_the_caption_is_not_two_of_the_reference() -> None:
    reference = "A basket stands on the table. A hamper hangs on the wall."
    one = verdicts(reference, "A basket stands on the table.")
    assert one["The picture shows a basket."].status == "Supported"
    assert one["The picture shows a hamper."].status == "Missing"


def test_an_open_word_is_no_thing() -> None:
    found = verdicts("Two women talk. A bowl stands on a shelf.", "Two women talk. This one laughs and the other nods.")
    assert found["The picture shows a bowl."].status == "Missing"


def test_a_property_of_another_lifeless_thing_bears_nothing_out() -> None:
    reference = "A woman has ruddy forearms. She lifts a jug."
    other = verdicts(reference, "A woman bares her forearms and lifts a red clay jug.")
    assert all(f.status != "Supported" for text, f in other.items() if "ruddy" in text)


@pytest.mark.parametrize(("reference", "claim"), [
    ("There is a pair of scissors on the table.", "There is a pair of scissors."),
    ("Two pairs of scissors lie there.", "There are two pairs of scissors."),
    ("A group of three children plays.", "There is a group of children."),
    ("Three dogs play.", "There are three dogs."),
])  # fmt: skip
def test_quantities_are_said_as_people_say_them(reference: str, claim: str) -> None:
    assert claim in [c.text for c in EXTRACTOR.extract([reference])[0].claims]


def test_every_file_of_rules_is_in_a_signature() -> None:
    from posh_lite.position import rubric, verify

    names = {p.name for p in files("posh_lite.position").iterdir() if p.name.startswith(("verify", "rubric"))}
    assert names - {*verify._FILES, *rubric._FILES} == {"verify_report.py", "verify_known.py", "rubric_compare.py"}
    assert rules_digest(verify._FILES) in VERIFIER.signature and rules_digest(rubric._FILES) in EXTRACTOR.signature
    assert rules_digest(("verify.py",)) != rules_digest(("verify_words.py",))
