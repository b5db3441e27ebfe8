"""Labels of questions: what the planted mistakes settle, what they leave open, and marks of one's own."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from posh_lite.benchmarks.mini import FactSpan, Gold, LabelledSentence, MiniCorpus, Mistake, Work, load_mini
from posh_lite.errors import InputError
from posh_lite.evaluation.labelled import LabelledSet, corpus_sha256, labelled_questions, read_labelled
from posh_lite.graph.types import SceneGraph
from posh_lite.judge.prompts import load_prompts
from posh_lite.judge.table import question_key
from posh_lite.records import Pair

REFERENCE = "A woman in a blue dress holds a cup. A boy sits on a bench. A lamp stands in the corner."
GENERATION = "A woman in a red dress holds a cup. A boy sits on a bench. A dog sleeps. The scene is lovely."


def _spans(text: str, *words: str) -> list[tuple[int, int, str]]:
    return [(text.index(w), text.index(w) + len(w), w) for w in words]


def _corpus() -> MiniCorpus:
    said = ("A woman", "a blue dress", "holds a cup", "A boy sits on a bench", "A lamp stands in the corner")
    facts = tuple(FactSpan(a, b, f"f{n}", w) for n, (a, b, w) in enumerate(_spans(REFERENCE, *said), start=1))
    (red,), (dog,) = _spans(GENERATION, "red"), _spans(GENERATION, "A dog sleeps")
    labels = ("contradicted", "supported", "contradicted", "generic")
    sentences, at = [], 0
    for label, sentence in zip(labels, GENERATION.split(". "), strict=True):
        end = GENERATION.index(sentence) + len(sentence)
        sentences.append(LabelledSentence(at, end, label))  # type: ignore[arg-type]
        at = end + 2
    gold = Gold(
        "w/one",
        (Mistake(*red[:2], "colour", "f2", "red"), Mistake(*dog[:2], "invented", None, "A dog sleeps")),
        (facts[4],), (facts[1],), tuple(sentences),
    )  # fmt: skip
    work = Work("w", "W", "A", "1900", "oil", "old", REFERENCE, facts)
    return MiniCorpus((work,), (Pair("w/one", GENERATION, REFERENCE),), (gold,), ())


def _labels(data: LabelledSet, side: str) -> dict[str, int]:
    return {question_key(i.question)[1]: i.label for i in data.items if i.side == side}


def test_planted_mistakes_settle_questions_about_the_generation() -> None:
    found = _labels(labelled_questions(_corpus()), "generation")
    assert found["the dress | red"] == 0  # its own words are the mistake
    assert found["the dog"] == 0
    assert found["the woman"] == found["the dress"] == found["the cup of the woman"] == found["the boy"] == 1
    assert found["the woman | holds | the cup"] == 1
    assert found["the boy | sits on | the bench"] == 1
    assert not any("scene" in line or "lovely" in line for line in found)  # a generic sentence settles nothing


def test_omitted_facts_settle_questions_about_the_reference() -> None:
    data = labelled_questions(_corpus())
    found = _labels(data, "reference")
    assert found["the lamp"] == 0
    assert found["the lamp | stands in | the corner"] == 0
    assert found["the boy"] == found["the bench"] == 1
    assert found["the woman | holds | the cup"] == 1
    assert not any("dress" in line for line in found)  # its fact is misstated: neither omitted nor conveyed
    assert data.n_unsettled > 0
    assert data.counts()["entity", 0] == sum(i.kind == "entity" and i.label == 0 for i in data.items)


def test_a_thing_that_the_target_names_too_settles_nothing() -> None:
    corpus = _corpus()
    reference = REFERENCE + " Two dogs run."
    pair = Pair("w/one", GENERATION, reference)
    changed = MiniCorpus(corpus.works, (pair,), corpus.gold, ())
    assert "the dog" not in _labels(labelled_questions(changed), "generation")


def test_every_item_is_a_question_with_its_target() -> None:
    prompts = load_prompts().on("yes-no")
    for item in labelled_questions(_corpus(), prompts=prompts).items:
        question = item.question
        assert question.target_text == (REFERENCE if item.side == "generation" else GENERATION)
        source = GENERATION if item.side == "generation" else REFERENCE
        assert question.prompt == prompts.render(question.text, item.side, target=question.target_text, source=source)
        assert question.source is not None and question.source.text == source
        assert item.work == "w"


@pytest.fixture(scope="module", autouse=True)
def parsed_once() -> Iterator[None]:
    """Each text is parsed once in this module."""
    from posh_lite.graph import extract

    kept: dict[str, SceneGraph] = {}
    make = extract.extract_graphs

    def cached(texts: Sequence[str], **options: Any) -> list[SceneGraph]:
        new = [t for t in texts if t not in kept]
        kept.update(zip(new, make(new, **options), strict=True))
        return [kept[t] for t in texts]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extract, "extract_graphs", cached)
        yield


@pytest.fixture(scope="module")
def mini() -> MiniCorpus:
    """Three works of the corpus: enough to draw from, quick to parse."""
    whole = load_mini()
    names = {w.slug for w in whole.works[:3]}
    keep = [n for n, p in enumerate(whole.pairs) if p.id.split("/")[0] in names]
    return MiniCorpus(whole.works[:3], tuple(whole.pairs[n] for n in keep), tuple(whole.gold[n] for n in keep), ())


@pytest.fixture(scope="module")
def everything(mini: MiniCorpus) -> LabelledSet:
    return labelled_questions(mini)


def test_a_draw_is_even_and_its_weights_restore_the_whole(mini: MiniCorpus, everything: LabelledSet) -> None:
    drawn = labelled_questions(mini, n=120, seed=1)
    assert len(drawn.items) == 120
    strata = Counter((i.work, i.side, i.label) for i in drawn.items)
    assert len(strata) == 12 and set(strata.values()) == {10}
    whole, weights = Counter((i.work, i.side, i.label) for i in everything.items), Counter[tuple[str, str, int]]()
    for item in drawn.items:
        weights[item.work, item.side, item.label] += item.weight  # type: ignore[assignment]
    assert {k: round(v, 6) for k, v in weights.items()} == dict(whole)
    assert drawn.sha256 == everything.sha256 == corpus_sha256(mini)
    assert {i.kind for i in drawn.items} == {"entity", "attribute", "relation"}


def test_draws_repeat_and_seeds_differ(mini: MiniCorpus) -> None:
    one, two, other = (labelled_questions(mini, n=60, pairs=2, seed=s) for s in (4, 4, 5))
    assert [i.question.prompt for i in one.items] == [i.question.prompt for i in two.items]
    assert [i.question.prompt for i in one.items] != [i.question.prompt for i in other.items]


def test_few_captions_carry_all_questions_and_stay_together(mini: MiniCorpus) -> None:
    data = labelled_questions(mini, n=80, pairs=2, seed=0)
    ids = [(i.question.pair_id, i.side) for i in data.items]
    runs = [key for n, key in enumerate(ids) if n == 0 or ids[n - 1] != key]
    assert len(runs) == len(set(runs))  # no caption is come back to, so its prefix is computed once
    assert Counter(work for work, _ in {(i.work, i.question.pair_id) for i in data.items}) == dict.fromkeys(
        (w.slug for w in mini.works), 2
    )
    assert len({i.question.pair_id.split("/")[1] for i in data.items}) == 6  # every style once over three works


@pytest.mark.parametrize("setting", [{"n": 0}, {"pairs": 0}])
def test_a_draw_of_nothing_is_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        labelled_questions(_corpus(), **setting)


# -- marks of one's own -------------------------------------------------------------------------------------

ROW = {
    "id": "7", "generation": "A red cat sleeps.", "reference": "A black cat sleeps.", "side": "generation",
    "span": [2, 5], "label": 0,
}


def _write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return path


def test_marked_spans_label_what_has_words_in_them(tmp_path: Path) -> None:
    path = _write(
        tmp_path / "own.jsonl", ROW, {**ROW, "span": [6, 16], "label": 1},
        {**ROW, "side": "reference", "span": [2, 7], "label": 0},
    )
    data = read_labelled(path)
    assert _labels(data, "generation") == {"the cat | red": 0, "the cat": 1, "the cat | sleeps": 1}
    assert _labels(data, "reference") == {"the cat | black": 0}
    assert data.name == "own.jsonl" and {i.work for i in data.items} == {"7"}


def test_contradicting_marks_settle_nothing(tmp_path: Path) -> None:
    path = _write(tmp_path / "own.jsonl", ROW, {**ROW, "label": 1}, {**ROW, "span": [6, 9], "label": 1, "image": None})
    data = read_labelled(path)
    assert _labels(data, "generation") == {"the cat": 1}
    assert data.n_unsettled == 1


def test_the_image_is_the_unit(tmp_path: Path) -> None:
    assert {i.work for i in read_labelled(_write(tmp_path / "o.jsonl", {**ROW, "image": "x.jpg"})).items} == {"x.jpg"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"side": "left"}, r'own.jsonl:2: field "side" must be "generation" or "reference"'),
        ({"span": [5, 2]}, r'own.jsonl:2: field "span" \[5, 2\] is not within the 17 characters'),
        ({"span": [2, 99]}, r"not within the 17 characters"),
        ({"span": [2.0, 5]}, r'field "span" must be \[start, end\] in characters'),
        ({"span": "2-5"}, r'field "span" must be'),
        ({"span": [True, 5]}, r'field "span" must be'),
        ({"label": 2}, r'own.jsonl:2: field "label" must be 1'),
        ({"label": True}, r'field "label" must be 1'),
        ({"label": "yes"}, r'field "label" must be 1'),
        ({"generation": "Other."}, r'field "generation" of pair "7" is not what it is on line 1'),
        ({"reference": ""}, r'field "reference" is empty'),
    ],
)
def test_faults_name_file_line_and_field(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_labelled(_write(tmp_path / "own.jsonl", ROW, {**ROW, **change}))


def test_an_empty_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no labelled spans"):
        read_labelled(_write(tmp_path / "own.jsonl"))
