"""Relations of freely reworded captions stay supported; wrong ones with the same words are found."""

from __future__ import annotations

import pytest

from posh_lite import PoSh
from posh_lite.graph.extract import extract_graph
from posh_lite.judge.lexical.restated import plain
from posh_lite.judge.lexical.view import denied, worded
from posh_lite.judge.lexical.wording import prepositions, turned
from posh_lite.judge.lexical.words import CONFLICT
from posh_lite.metric.score import Component

METRIC = PoSh(judge="lexical", progress=False)


def parts(generation: str, reference: str, kind: str = "relation") -> list[Component]:
    """Judged components of the generation."""
    every = METRIC.score(generation, reference).components
    return [c for c in every if c.side == "generation" and c.score is not None and kind in (c.kind, "")]


FAITHFUL = [
    ("The mother gives her baby a bath.", "The mother washes her baby."),
    ("A robust cook gives food to the hens.", "A sturdy cook feeds the hens."),
    ("A man carries an umbrella.", "A man walks under an umbrella."),
    ("A jug adorned with roses stands on the shelf.", "A pitcher painted with roses sits on a shelf."),
    ("Her sleeves are shoved past the elbows.", "Her sleeves are pushed above the elbow."),
    ("Birds have settled on the boughs.", "Birds perch in the branches."),
    ("The foot is held under the water.", "She holds the foot in the water."),
    ("Light comes in from the left.", "Light enters through a window on the left wall."),
    ("A bucket hangs up in the corner.", "High in the corner hangs a brass pail."),
    ("There is a table in the middle, with a lamp on it.", "A lamp stands on a table at the center."),
    ("Trees mark the edge of the field.", "Trees line the edge of the field."),
    ("A schooner with two masts sails by.", "A two-masted schooner sails by."),
    ("A bridge of stone crosses the river.", "A stone bridge spans the river."),
    ("Three men race over the water in a boat.", "Three men ride in a boat as it cuts through the water."),
    ("A clerk supervises the workers.", "A clerk watches over the workers."),
    ("A candle gives light to the room.", "A candle lights the room."),
    ("The fiddler takes a rest under a tree.", "The fiddler rests beneath a tree."),
    ("The roof of the cottage is made of straw.", "The cottage has a straw roof."),
    ("She has her hand on the boy's shoulder.", "Her hand rests on the shoulder of the boy."),
    ("Apples spill out of the basket onto the floor.", "Apples have fallen from the basket to the floor."),
]


@pytest.mark.parametrize(("generation", "reference"), FAITHFUL)
def test_other_words_for_one_link_are_support(generation: str, reference: str) -> None:
    judged = parts(generation, reference)
    assert judged
    assert [(c.text, c.score, c.reason) for c in judged if c.score is not None and c.score < 3] == []


WRONG = [
    ("The woman leads the dog down a path.", "The dog leads the woman down a path."),
    ("A clerk is served by the queen.", "A clerk serves the queen."),
    ("The woman gives the beggar a coin.", "The beggar gives the woman a coin."),
    ("A porter passes a suitcase to the lady in white.", "The lady in white passes a suitcase to a porter."),
    ("A monkey rides on the back of a pig.", "A pig rides on the back of a monkey."),
    ("The dog barks at the cat on the wall.", "The cat on the wall hisses at the dog."),
    ("A farmer milks a cow while his son holds the bucket.", "A farmer holds the bucket while his son milks a cow."),
    ("The father carries the child in his arms.", "The father carries the child on his back."),
    ("A rope is tied around the horse's neck.", "A rope lies at the horse's feet."),
    ("A man walks beside a donkey.", "A man rides a donkey."),
    ("The old woman threads a needle.", "The old woman searches for a needle."),
    ("A cat sits in front of the cart.", "A cat sits on the back of the cart."),
    ("A shepherd stands well away from the flock.", "A shepherd stands among the flock."),
    ("The dancers stand apart from the musicians.", "The dancers stand among the musicians."),
    ("The mill is far from the river.", "The mill stands beside the river."),
    ("A boat no longer floats on the pond.", "A boat floats on the pond."),
    ("A boat floats on the pond.", "A boat no longer floats on the pond."),
    ("The men wear hats.", "None of the men wear hats."),
    ("A baby sits on its mother's lap.", "A baby stands beside its mother's chair."),
    ("A cup stands on the book, and a key lies in the drawer.",
     "A key lies on the book, and a cup stands in the drawer."),
    ("The goat is tied to the post and the cow to the tree.", "The cow is tied to the post and the goat to the tree."),
    ("The vase stands to the left of the clock.", "The vase stands to the right of the clock."),
    ("The soldier salutes the general.", "The general salutes the soldier."),
    ("The basin displays pink roses. A pitcher stands near it.", "A basin stands here. A pitcher shows pink roses."),
    ("A boat sails toward the island.", "A boat sails away from the island."),
]


@pytest.mark.parametrize(("generation", "reference"), WRONG)
def test_wrong_relations_are_found(generation: str, reference: str) -> None:
    judged = parts(generation, reference)
    assert min(c.score for c in judged if c.score is not None) <= 2, [(c.text, c.score) for c in judged]


def test_what_stands_before_the_verb_counts() -> None:
    graph = extract_graph("A boat no longer floats on the pond. A mill is far from the river.")
    floats, far = graph.relations
    assert denied(graph, floats) and not denied(graph, far)
    assert worded(graph, far) == "far from" and worded(graph, floats) == "float on"


def test_prepositions_of_one_place() -> None:
    assert prepositions("past", "above") >= 3 and prepositions("above", "past") >= 3
    assert prepositions("above", "under") == CONFLICT


def test_between_living_beings_no_verb_is_empty() -> None:
    assert turned("lead", "lead", True) == CONFLICT
    assert turned("lead", "lead") != CONFLICT
    assert turned("meet", "meet", True) >= 0


@pytest.mark.parametrize(("lemma", "expected"), [("with", True), ("stand on", True), ("eat", False)])
def test_plain_relations(lemma: str, expected: bool) -> None:
    assert plain(lemma) is expected
