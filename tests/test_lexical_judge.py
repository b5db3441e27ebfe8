"""The lexical judge: attachment, contradiction and paraphrase, end to end through the metric."""

from __future__ import annotations

import dataclasses

import pytest

from posh_lite import PoSh
from posh_lite.graph.types import Attribute, Entity, Mention, Relation, SceneGraph
from posh_lite.judge.contract import Identifier, Judge, Question
from posh_lite.judge.lexical import LexicalJudge
from posh_lite.judge.lexical.findings import Finding, calibrated
from posh_lite.judge.lexical.judge import verdict
from posh_lite.metric.score import Component

METRIC = PoSh(judge="lexical", progress=False)


def components(generation: str, reference: str) -> list[Component]:
    """Components of the generation."""
    return [c for c in METRIC.score(generation, reference).components if c.side == "generation"]


def lowest(generation: str, reference: str) -> float:
    return min(c.score for c in components(generation, reference) if c.score is not None)


def graded(generation: str, reference: str, text: str) -> float:
    """Lowest score of the components with this text."""
    found = [c.score for c in components(generation, reference) if c.text.lower() == text and c.score is not None]
    assert found, f"no component {text!r}"
    return min(found)


def test_it_is_a_judge_with_a_signature() -> None:
    judge = LexicalJudge()
    assert isinstance(judge, Judge)
    assert judge.signature.startswith("lexical-")
    assert "lexicon:" in judge.signature and "spacy:" in judge.signature
    assert judge.presence_threshold == 1.85


@pytest.mark.parametrize("score", [1.0, 1.4, 2.0, 3.2, 4.999, 5.0])
def test_probabilities_sum_to_one_and_have_the_score_as_mean(score: float) -> None:
    found = verdict(Finding(score, "because"))
    assert found.probabilities is not None
    assert sum(found.probabilities) == pytest.approx(1)
    assert sum(p * k for p, k in zip(found.probabilities, range(1, 6), strict=True)) == pytest.approx(score, abs=1e-3)
    assert found.mass == 1.0 and found.reason == "because" and not found.missing


def test_colours_exchanged_between_two_things() -> None:
    generation, reference = "White bathroom with two blue towels.", "Blue bathroom with two white towels."
    assert graded(generation, reference, "white") <= 1.9
    assert graded(generation, reference, "blue") <= 1.9
    assert graded(generation, reference, "two") == 5
    assert graded(generation, reference, "bathroom") == 5


def test_subject_and_object_exchanged() -> None:
    assert graded("The cat chases the dog.", "The dog chases the cat.", "chases") <= 1.9
    assert lowest("The cat is chased by the dog.", "The dog chases the cat.") >= 4


def test_paraphrase_of_the_issue() -> None:
    assert lowest("A gentleman wearing an azure jacket.", "A man in a blue coat.") >= 3.5


@pytest.mark.parametrize(
    ("generation", "reference", "word"),
    [
        ("A woman with three dogs.", "A woman with two dogs.", "three"),
        ("The door is closed.", "The door is open.", "closed"),
        ("A metal bench stands in the park.", "A wooden bench stands in the park.", "metal"),
        ("A young man reads.", "An old man reads.", "young"),
        ("The vase is to the right of the clock.", "The vase is to the left of the clock.", "to the right of"),
        ("A lamp stands under the desk.", "A lamp stands on the desk.", "stands under"),
        ("A small boulder lies there.", "A large boulder lies there.", "small"),
    ],
)
def test_contradictions(generation: str, reference: str, word: str) -> None:
    assert graded(generation, reference, word) < 2


@pytest.mark.parametrize(
    ("generation", "reference"),
    [
        ("A woman with a smile holds a baby.", "A smiling woman holds a baby."),
        ("A table made of wood stands by the window.", "A wooden table stands by the window."),
        ("The clock is to the right of the vase.", "The vase is to the left of the clock."),
        ("A red-haired woman holds a cup.", "A woman with red hair holds a cup."),
        ("A boy in a helmet rides a bike.", "A boy wearing a helmet is riding a bicycle."),
        ("The roof of the house is red.", "The house has a red roof."),
        ("There are two dogs on the lawn.", "A pair of dogs is on the grass."),
    ],
)
def test_the_same_in_other_words(generation: str, reference: str) -> None:
    assert lowest(generation, reference) >= 3


def test_what_is_said_of_another_is_not_said_of_this_one() -> None:
    reference = "A man in a red hat talks to a woman in a blue scarf."
    assert graded("A man in a blue hat talks to a woman in a blue scarf.", reference, "blue") < 2


def test_absence() -> None:
    assert graded("There are people on the beach.", "There are no people on the beach.", "people") == 1
    assert lowest("There are no people on the beach.", "There are no people on the beach.") == 5
    assert graded("A man without a hat waits.", "A man with a hat waits.", "without") < 2


def test_a_thing_that_is_not_there_is_absent_and_the_reason_says_so() -> None:
    found = components("A dog and a violin lie on a bed.", "A dog lies on a bed.")
    component = next(c for c in found if c.text == "violin")
    assert component.score == 1 and component.present is False
    assert "not in the text" in component.reason


def test_identical_texts_score_full_marks() -> None:
    text = (
        "An old man in a gray coat sits on a bench to the left of a fountain. A dog lies at his feet. Behind them,"
        " two children with red balloons run toward a white church without a tower."
    )
    assert lowest(text, text) >= 4.5


def test_it_answers_a_question_without_source_graph_and_text() -> None:
    man = Entity(0, "man", (Mention(2, 5, "man", (0, 5), 0),))
    coat = Entity(1, "coat", (Mention(11, 15, "coat", (9, 15), 0),))
    blue = Attribute(0, coat, "azure", "azure", ((9, 14),))
    wears = Relation(0, man, "wears", "wear", coat, ((6, 8),), "verb")
    judge = LexicalJudge()
    target = "A man in a blue coat."
    shared = {"pair_id": "1", "side": "generation", "target_text": target, "prompt": "?", "text": "?"}
    found = judge.ask([
        Question(kind="entity", identifier=Identifier("the man", man), **shared),  # type: ignore[arg-type]
        Question(kind="attribute", identifier=Identifier("the coat", coat), attribute=blue, **shared),  # type: ignore[arg-type]
        Question(kind="relation", identifier=Identifier("the man", man), relation=wears,
                 object_identifier=Identifier("the coat", coat), **shared),  # type: ignore[arg-type]
    ])  # fmt: skip
    synonym = pytest.approx(calibrated(4.2), abs=1e-3)
    assert [v.score for v in found] == [5.0, synonym, synonym]


def test_the_calibration_is_monotone_and_leaves_what_is_below_partial_support_alone() -> None:
    steps = [1 + n / 100 for n in range(401)]
    found = [calibrated(step) for step in steps]
    assert found == sorted(found) and found[-1] == 5.0
    assert all(calibrated(step) == pytest.approx(step) for step in steps if step <= 2.95)
    assert all(step <= value <= 5 for step, value in zip(steps, found, strict=True))
    assert calibrated(0.0) == 1.0 and calibrated(9.0) == 5.0


def test_primed_graphs_are_used_and_caches_are_bounded() -> None:
    graph = SceneGraph("nothing of the kind")
    judge = LexicalJudge(graphs={"nothing of the kind": graph}, cache_size=3)
    thing = Entity(0, "cat", (Mention(0, 3, "cat", (0, 3), 0),))
    question = Question("1", "generation", "entity", Identifier("the cat", thing), "nothing of the kind", "?", "?")
    assert judge.ask([question])[0].score == 1
    for number in range(9):
        judge.prime([SceneGraph(f"text {number}")])
        judge.ask([dataclasses.replace(question, target_text=f"text {number}")])
    assert len(judge._graphs) <= 3 and len(judge._views) <= 3 and len(judge._alignments) <= 3


@pytest.mark.parametrize("text", ["A", "...", "🙂 🙂", "Red.", "no verb here", "a" * 400])
def test_odd_texts_do_not_break_it(text: str) -> None:
    METRIC.score(text, "A man in a blue coat.")
    METRIC.score("A man in a blue coat.", text)
