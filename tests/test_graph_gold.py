"""Agreement with human scene graphs: the counting by hand, and the targets on the published sample."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from posh_lite.errors import InputError
from posh_lite.graph.gold import Agreement, compare, main, read_gold
from posh_lite.graph.types import Attribute, Entity, Mention, Relation, SceneGraph

TEXT = "A red dog chases a cat. It runs."
#       0123456789012345678901234567890


def mention(start: int, end: int, sentence: int = 0) -> Mention:
    return Mention(start, end, TEXT[start:end], (start, end), sentence)


@pytest.fixture
def graph() -> SceneGraph:
    dog = Entity(0, "dog", (mention(6, 9), mention(24, 26, 1)))
    wrong = Entity(1, "chase", (mention(10, 16),))
    cat = Entity(2, "cat", (mention(19, 22),))
    return SceneGraph(
        TEXT,
        entities=(dog, wrong, cat),
        attributes=(Attribute(0, dog, "red", "red", ((2, 5),)),),
        relations=(Relation(0, dog, "chases", "chase", cat, ((10, 16),)),),
    )


GOLD = {
    "text": TEXT,
    "entities": [[6, 9, "dog"], [19, 22, "cat"], [24, 26, "It"], [2, 5, "red"]],
    "attributes": [[2, 9, "red dog"], [27, 31, "runs"]],
    "relations": [[10, 16, "chases"]],
    "coreference": [[[19, 22, "cat"], [24, 26, "It"]], [[6, 9, "dog"], [2, 5, "red"]]],
}


def test_counts(graph: SceneGraph) -> None:
    report = compare(graph, GOLD)
    assert report.entities == Agreement(hits=3, predicted=4, gold=4)
    assert report.entities.f1 == 2 * 3 / (4 + 4)
    assert report.attributes.recall == 1 / 2
    assert report.relations.recall == 1 / 1
    # the graph says dog = It, people say cat = It and dog = red: no pair in common
    assert report.coreference == Agreement(hits=0, predicted=1, gold=2)
    assert report.missed_entities == ((2, 5),)
    assert report.extra_entities == ((10, 16),)
    assert report.missed_attributes == ((27, 31),)


def test_undefined_ratios_are_not_a_number() -> None:
    nothing = Agreement(0, 0, 0)
    assert all(math.isnan(x) for x in (nothing.precision, nothing.recall, nothing.f1))


def test_spans_of_another_text_are_refused(graph: SceneGraph) -> None:
    with pytest.raises(InputError, match="another text"):
        compare(graph, {**GOLD, "text": "A cat."})
    with pytest.raises(InputError, match="gold span 0-3"):
        compare(graph, {**GOLD, "entities": [[0, 3, "dog"]]})


def test_files_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_gold(tmp_path / "none.json")
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="utf-8")
    assert main([str(broken)]) == 2
    assert "broken.json" in capsys.readouterr().err
    (tmp_path / "partial.json").write_text(json.dumps({"text": "a"}), encoding="utf-8")
    with pytest.raises(InputError, match='"entities" is missing'):
        read_gold(tmp_path / "partial.json")


def test_the_command_prints_each_measure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "gold.json"
    path.write_text(json.dumps(GOLD), encoding="utf-8")
    assert main([str(path), "--verbose"]) == 0
    out = capsys.readouterr().out
    assert all(
        word in out for word in ("entity heads", "coreference pairs", "attributes", "relations", "missed relations")
    )


def test_targets_on_the_published_sample(data_dir: Path) -> None:
    from posh_lite.graph import extract_graph

    gold = read_gold(data_dir / "scene_graph_gold" / "nga_sample.json")
    report = compare(extract_graph(gold["text"]), gold)
    assert report.entities.f1 >= 0.92
    assert report.attributes.recall >= 0.90
    assert report.relations.recall >= 0.80
    assert report.coreference.f1 >= 0.75
