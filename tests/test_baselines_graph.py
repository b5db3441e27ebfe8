"""F1 of graph tuples and CAPTURE's matching on our own graphs, on graphs made by hand and on parsed texts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from test_baselines_overlap import write_wordnet

from posh_lite.baselines import capture_graph, graph_f1
from posh_lite.baselines.capture_graph import CaptureGraph, Match, elements, match, near, weighted
from posh_lite.baselines.graph_f1 import SpiceGraph, matched, share
from posh_lite.baselines.graph_tuples import (
    GraphTuple,
    graphs_of,
    matcher,
    same_by_lemma,
    same_by_lexicon,
    same_tuple,
    tuples_of,
)
from posh_lite.baselines.registry import make_metric
from posh_lite.errors import InputError
from posh_lite.graph.types import Attribute, Entity, Mention, Relation, SceneGraph
from posh_lite.records import Pair

GraphOf = Callable[[str], SceneGraph]


def entity(id: int, head: str, at: int, **more: object) -> Entity:
    return replace(Entity(id, head, (Mention(at, at + len(head), head, (at, at + len(head)), 0),)), **more)


def scene() -> SceneGraph:
    """A red dog on a rug, twice red, without a leash; the viewer sees it, and the left is a region."""
    dog, rug, us = entity(0, "dog", 6), entity(1, "rug", 15), entity(2, "viewer", 30, role="viewer")
    leash, left = entity(3, "leash", 40, negated=True), entity(4, "left", 50, role="region")
    return SceneGraph(
        "", (dog, rug, us, leash, left),
        (Attribute(0, dog, "red", "red", ((2, 5),)), Attribute(1, dog, "red", "red", ((60, 63),)),
         Attribute(2, us, "near", "near", ((28, 30),)), Attribute(3, rug, "new", "new", ((12, 14),), negated=True)),
        (Relation(0, dog, "on", "on", rug, ((10, 12),)), Relation(1, dog, "without", "without", leash, ((35, 39),)),
         Relation(2, us, "see", "see", dog, ((31, 34),)), Relation(3, dog, "on", "on", left, ((47, 49),))),
    )  # fmt: skip


def test_tuples_of_a_graph() -> None:
    found = tuples_of(scene())
    assert [(t.kind, t.words) for t in found] == [
        ("object", ("dog",)), ("object", ("rug",)), ("object", ("not", "leash")),
        ("attribute", ("dog", "red")), ("attribute", ("not", "rug", "new")),
        ("relation", ("dog", "on", "rug")), ("relation", ("not", "dog", "without", "leash")),
        ("relation", ("dog", "on", "left")),
    ]  # fmt: skip
    red = found[3]
    assert red.phrase == "red dog" and red.spans == ((2, 5), (60, 63)) and red.named == ((2, 5), (6, 9), (60, 63))
    assert found[2].phrase == "no leash" and found[5].phrase == "dog on rug"


def test_an_empty_graph_has_no_tuples() -> None:
    assert tuples_of(SceneGraph("")) == []


def thing(*words: str, kind: str = "object") -> GraphTuple:
    return GraphTuple(kind, words, " ".join(words), ((0, 1),), ((0, 1),))  # type: ignore[arg-type]


def test_synonyms_of_the_lexicon() -> None:
    assert same_by_lexicon("sofa", "couch") and same_by_lexicon("couch", "sofa") and same_by_lexicon("three", "3")
    assert not same_by_lexicon("dog", "animal") and not same_by_lexicon("animal", "dog")  # broader is not the same
    assert not same_by_lexicon("red", "blue") and same_by_lexicon("zyx", "zyx")


def test_synonyms_of_wordnet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WNSEARCHDIR", str(write_wordnet(tmp_path)))
    same, name = matcher("wordnet")
    assert same("sofa", "couch") and same("couch", "sofa") and not same("sofa", "run") and same("zyx", "zyx")
    assert name.startswith("wordnet-") and name in SpiceGraph(synonyms="wordnet").signature


def test_unknown_synonyms() -> None:
    with pytest.raises(InputError, match='"lexicon", "wordnet" or "none"'):
        SpiceGraph(synonyms="all")


def test_tuples_match_word_for_word() -> None:
    a, b = thing("sofa", "red", kind="attribute"), thing("couch", "red", kind="attribute")
    assert same_tuple(a, b, same_by_lexicon) and not same_tuple(a, b, same_by_lemma)
    assert not same_tuple(a, thing("sofa"), same_by_lexicon)
    assert not same_tuple(thing("not", "dog"), thing("big", "dog"), lambda x, y: True)
    assert matched([a, thing("sofa")], [thing("sofa")], same_by_lemma) == [False, True]
    assert share([True, False, True, True]) == 0.75 and math.isnan(share([]))


def test_f1_of_parsed_texts() -> None:
    """The generation has dog, red dog, rug, dog on rug (4); the reference dog, brown dog, rug, dog on rug, cat (5)."""
    pair = Pair("x", "A red dog is on a rug.", "A brown dog is on a rug. A cat.")
    frame, places = SpiceGraph(by_side=True).measure([pair])
    assert frame["mistakes"][0] == 0.75 and frame["omissions"][0] == 0.6
    assert frame["overall"][0] == pytest.approx(2 * 0.75 * 0.6 / 1.35)
    assert SpiceGraph().score([pair])["mistakes"][0] == frame["overall"][0]
    low = [pair.generation[a:b] for a, b, s in places[0].generation if s == 0]
    assert low == ["red"] and [pair.reference[a:b] for a, b, s in places[0].reference if s == 0] == ["cat", "brown"]
    assert {pair.generation[a:b] for a, b, s in places[0].generation if s == 1} >= {"dog", "rug"}


def test_swapped_attributes_of_namesakes_go_unseen() -> None:
    """What the docstring says of SPICE: a tuple does not know which of two namesakes it belongs to."""
    texts = ("A red car is on a road. A blue car is on a bridge.", "A blue car is on a road. A red car is on a bridge.")
    pair = Pair("x", *texts)
    assert SpiceGraph().score([pair])["overall"][0] == 1


@pytest.mark.parametrize("name", ["spice-graph", "capture-graph"])
def test_empty_graphs(name: str) -> None:
    some = "A red dog sits."
    pairs = [Pair("generation", "", some), Pair("reference", some, ""), Pair("both", "", " "),
             Pair("neither", some, some)]
    frame = make_metric(name).score(pairs).set_index("id")["overall"]
    assert frame["generation"] == 0 and frame["neither"] == 1 and frame[["reference", "both"]].isna().all()
    sides = make_metric(name, by_side=True).score(pairs)
    rows = sides.set_index("id")
    assert math.isnan(rows.loc["generation", "mistakes"]) and rows.loc["generation", "omissions"] == 0
    assert sides.attrs["undefined"]["generation"] == "mistakes: no tuples in the generation"
    assert sides.attrs["undefined"]["both"] == "no tuples in the reference"


def test_graphs_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "A yellow bird sits on a fence."
    first = graphs_of([text, text, "A cat."])
    assert first[0] is first[1] and graphs_of([text])[0] is first[0]
    monkeypatch.setattr("posh_lite.baselines.graph_tuples._KEPT", 1)
    assert len(graphs_of(["One dog.", "Two dogs.", "One dog."])) == 3


# -- CAPTURE's matching -----------------------------------------------------------------------------------------


class Table:
    """Vectors by phrase, for the third stage."""

    signature = "table"

    def __init__(self, **vectors: Sequence[float]) -> None:
        self.vectors = vectors

    def __call__(self, phrases: Sequence[str]) -> np.ndarray:
        return np.array([self.vectors[p] for p in phrases], dtype=np.float32)


def test_three_stages() -> None:
    """dog = dog; sofa ~ couch; rug and mat are left, with a cosine of 0.6 to lamp and 0.8 and 0 to pot."""
    ours, theirs = [("dog",), ("sofa",), ("rug",), ("mat",)], [("lamp",), ("couch",), ("dog",), ("pot",)]
    assert match(ours, theirs, same_by_lemma) == Match(0.25, 0.25)
    assert match(ours, theirs, same_by_lexicon) == Match(0.5, 0.5)
    embed = Table(rug=(1, 0), mat=(0, 1), lamp=(0.6, 0.8), pot=(0, -1))
    found = match(ours, theirs, same_by_lexicon, embed)
    assert found.precision == pytest.approx((2 + 0.6 + 0.8) / 4)  # each of ours: its best
    assert found.recall == pytest.approx((2 + 0.8 + 0) / 4)  # each of theirs


def test_matches_are_one_to_one() -> None:
    assert match([("dog",), ("dog",)], [("dog",)], same_by_lemma) == Match(0.5, 1.0)
    assert match([("sofa",), ("couch",)], [("couch",)], same_by_lexicon) == Match(0.5, 1.0)  # the equal one first
    # a relation matches where all three words do, and a negated one has four
    assert match([("dog", "on", "sofa")], [("dog", "on", "couch")], same_by_lexicon).f1 == 1
    assert match([("not", "dog", "on", "sofa")], [("dog", "on", "couch")], same_by_lexicon).f1 == 0


def test_a_phrase_matches_within_another_by_whole_words() -> None:
    assert near("glass", "wine glass", same_by_lemma) and near("wine glass", "glass", same_by_lemma)
    assert not near("man", "woman", same_by_lemma)


def test_f1_of_sides_without_elements() -> None:
    assert math.isnan(match([], [], same_by_lemma).f1)
    assert match([("a",)], [], same_by_lemma).f1 == 0 == match([], [("a",)], same_by_lemma).f1


def test_weights() -> None:
    assert weighted({"object": 1.0, "attribute": 0.5, "relation": 0.0}) == pytest.approx((5 + 2.5) / 12)
    assert weighted({"object": 1.0, "attribute": math.nan, "relation": 0.0}) == pytest.approx(5 / 7)
    assert math.isnan(weighted({"object": math.nan, "attribute": math.nan, "relation": math.nan}))


def test_elements_of_a_graph() -> None:
    found = elements(tuples_of(scene()))
    assert found["object"] == [("dog",), ("rug",), ("not", "leash")] and found["attribute"] == [("red",), ("not new",)]
    assert ("dog", "on", "rug") in found["relation"] and len(found["relation"]) == 3


def test_capture_graph_by_hand(graph_of: GraphOf) -> None:
    """Objects 2 of 2 and 2 of 3, attributes 0 of 1 and 0 of 1, relations 1 of 1 and 1 of 1."""
    pair = Pair("x", "A red dog is on a rug.", "A brown dog is on a rug. A cat.")
    objects = 2 * 1 * (2 / 3) / (1 + 2 / 3)
    expected = (5 * objects + 5 * 0 + 2 * 1) / 12
    assert CaptureGraph().score([pair])["overall"][0] == pytest.approx(expected)
    sides = CaptureGraph(by_side=True).score([pair])
    assert sides.iloc[0, 1:].tolist() == pytest.approx([(5 + 0 + 2) / 12, (5 * 2 / 3 + 0 + 2) / 12, expected])
    assert "|weights:5:5:2|" in CaptureGraph().signature and "|soft:none|" in CaptureGraph().signature
    soft = CaptureGraph(embed="chars")
    assert "soft:chars-3-5" in soft.signature and soft.score([pair])["overall"][0] > expected - 0.1


def test_the_modules_say_that_they_are_not_the_original() -> None:
    assert "not SPICE" in str(SpiceGraph.__doc__) and "not CAPTURE" in str(CaptureGraph.__doc__)
    assert graph_f1.__doc__ and capture_graph.__doc__
