"""The trials of the challenge matrix: repairs of planted mistakes, sentences left out, the contrast set."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.benchmarks.mini import MISTAKE_TYPES, Gold, LabelledSentence, MiniCorpus, load_mini
from posh_lite.benchmarks.mini_build import SHARED_RUN, shared_runs
from posh_lite.errors import InputError
from posh_lite.evaluation.challenge_repairs import Edit, Repair, edited, read_repairs, repaired, with_one
from posh_lite.evaluation.challenge_trials import (
    KINDS,
    OMISSION,
    TrialSet,
    contrast_trials,
    is_verbatim,
    planted_trials,
    without_sentences,
)
from posh_lite.judge.lexical.report import Contrast

FILE = Path(__file__).parents[1] / "data" / "mini" / "repairs.jsonl"


@pytest.fixture(scope="module")
def corpus() -> MiniCorpus:
    return load_mini()


@pytest.fixture(scope="module")
def planted(corpus: MiniCorpus) -> TrialSet:
    return planted_trials(corpus)


@pytest.fixture(scope="module")
def contrast() -> TrialSet:
    return contrast_trials()


def test_with_one_by_hand() -> None:
    text = "Five men hold red cups."
    five = Repair("w/c", "count", ((0, 4),), (Edit(0, 4, "Five", "Two"),))
    red = Repair("w/c", "colour", ((14, 17),), (Edit(14, 17, "red", "blue"),))
    assert repaired(text, [five, red]) == "Two men hold blue cups."
    assert with_one(text, [five, red], red) == ("Two men hold red cups.", ((13, 16),))
    assert with_one(text, [five, red], five) == ("Five men hold blue cups.", ((0, 4),))


@settings(deadline=None)
@given(st.data())
def test_spans_that_no_edit_touches_read_as_before(data: st.DataObject) -> None:
    text = data.draw(st.text(alphabet="aé😀 \n.", min_size=1, max_size=40))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=10)))
    cells = list(zip(cuts[::2], cuts[1::2], strict=False))
    edits, spans = [], []
    for start, end in cells:
        if data.draw(st.booleans()):
            edits.append(Edit(start, end, text[start:end], data.draw(st.text(max_size=5))))
        elif start < end:
            spans.append((start, end))
    new, moved = edited(text, edits, spans)
    assert [new[a:b] for a, b in moved] == [text[a:b] for a, b in spans]
    assert len(new) == len(text) + sum(len(e.new) - len(e.old) for e in edits)


def test_every_planted_mistake_is_taken_back_once(corpus: MiniCorpus) -> None:
    repairs = read_repairs(corpus)
    marks = {gold.id: sorted(m.span for m in gold.mistakes) for gold in corpus.gold if gold.mistakes}
    assert {i: sorted(s for r in rows for s in r.marks) for i, rows in repairs.items()} == marks
    assert set(MISTAKE_TYPES) <= set(KINDS["planted"])


def test_repaired_captions_stay_paraphrases(planted: TrialSet) -> None:
    right = [pair for pair in planted.benchmark.pairs if pair.id.endswith("+right")]
    assert len(right) == 41
    for pair in right:
        assert not shared_runs(pair.generation, pair.reference, SHARED_RUN + 1), pair.id  # one word may close a gap
        assert "  " not in pair.generation, pair.id
        assert pair.generation.rstrip().endswith("."), pair.id
        assert " ." not in pair.generation, pair.id
        assert " ," not in pair.generation, pair.id


def test_each_trial_has_exactly_the_marked_words(corpus: MiniCorpus, planted: TrialSet) -> None:
    marked = {gold.id: Counter(m.text for m in gold.mistakes) for gold in corpus.gold}
    shown: dict[str, Counter[str]] = {}
    by_id = planted.benchmark.by_id
    for trial in planted.trials:
        better, worse = by_id[trial.better], by_id[trial.worse]
        assert better.generation != worse.generation
        assert better.reference == worse.reference
        if trial.kind == OMISSION:
            assert trial.dimension == "omissions"
            assert len(worse.generation) < len(better.generation)
        else:
            found = shown.setdefault(trial.worse.split("+")[0], Counter())
            found.update(worse.generation[a:b] for a, b in trial.spans)
    assert shown == {name: words for name, words in marked.items() if words}


def test_a_caption_with_one_mistake_is_its_own_worse_text(corpus: MiniCorpus, planted: TrialSet) -> None:
    single = [(p, g) for p, g in zip(corpus.pairs, corpus.gold, strict=True) if len(g.mistakes) == 1]
    assert single
    for pair, _ in single:
        assert planted.benchmark.by_id[f"{pair.id}+1"].generation == pair.generation


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: rows[:-1], "every mistake needs one repair"),
        (lambda rows: [*rows, rows[0]], "every mistake needs one repair"),
        (lambda rows: [{**rows[0], "type": "swap"}, *rows[1:]], "is of the type object"),
        (lambda rows: [{**rows[0], "marks": [9]}, *rows[1:]], "has 1 mistakes"),
        (lambda rows: [{"id": rows[0]["id"]}, *rows[1:]], "marks"),
        (lambda rows: [{**rows[0], "edits": [{**rows[0]["edits"][0], "old": "a mule"}]}, *rows[1:]], "does not stand"),
        (lambda rows: [{**rows[0], "edits": []}, *rows[1:]], "no edit covers"),
    ],
)  # fmt: skip
def test_broken_repairs_are_named(corpus: MiniCorpus, tmp_path: Path, change: object, said: str) -> None:
    rows = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
    path = tmp_path / "repairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in change(rows)), "utf-8")  # type: ignore[operator]
    with pytest.raises(InputError, match=said):
        read_repairs(corpus, path)


def test_overlapping_repairs_are_refused(corpus: MiniCorpus, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
    text = next(p.generation for p in corpus.pairs if p.id == "gleaners/embellisher")
    second = next(r for r in rows if r["id"] == "gleaners/embellisher" and r["marks"] == [3])
    end = second["edits"][0]["end"]
    second["edits"].append({"start": end - 3, "end": end + 1, "old": text[end - 3 : end + 1], "new": "x"})
    path = tmp_path / "repairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    with pytest.raises(InputError, match="edits overlap"):
        read_repairs(corpus, path)


def test_a_missing_file_is_named(corpus: MiniCorpus, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="repairs of the planted mistakes are not there"):
        read_repairs(corpus, tmp_path / "none.jsonl")


def test_sentences_are_left_out_with_their_layout() -> None:
    text = "# Title\n\n- A cat.\n- A dog. How moving.\n- A bird."
    spans = [(11, 17), (20, 26), (27, 38), (41, 48)]
    labels = ("supported", "supported", "generic", "supported")
    sentences = tuple(LabelledSentence(a, b, label) for (a, b), label in zip(spans, labels, strict=True))
    assert [text[a:b] for a, b in spans] == ["A cat.", "A dog.", "How moving.", "A bird."]
    assert without_sentences(text, Gold("w/c", (), (), (), sentences)) == [
        "# Title\n\n- A dog. How moving.\n- A bird.",
        "# Title\n\n- A cat. How moving.\n- A bird.",
        "# Title\n\n- A cat.\n- A dog. How moving.",
    ]  # the generic sentence says nothing of the picture, so nothing is omitted without it


def test_an_only_sentence_is_not_left_out() -> None:
    assert without_sentences("A cat.", Gold("w/c", (), (), (), (LabelledSentence(0, 6, "supported"),))) == []


def test_conditions_of_the_contrast_set(contrast: TrialSet) -> None:
    counts = Counter(t.condition for t in contrast.trials)
    assert counts == {"copy": 121 + 140, "reworded": 2 * 246}  # the card: verbatim changes, paraphrases, changes
    by_id = contrast.benchmark.by_id
    for trial in contrast.trials:
        better = by_id[trial.better]
        assert (better.generation == better.reference) == (trial.condition == "copy")
        assert by_id[trial.worse].reference == better.reference
        assert trial.kind in KINDS[trial.condition]


@pytest.mark.parametrize("name", ["planted", "contrast"])
def test_kinds_stand_in_the_order_of_the_columns(name: str, request: pytest.FixtureRequest) -> None:
    trials: TrialSet = request.getfixturevalue(name)
    for condition in {t.condition: None for t in trials.trials}:
        seen = list(dict.fromkeys(t.kind for t in trials.trials if t.condition == condition))
        assert seen == [k for k in KINDS[condition] if k in seen]


def test_verbatim_ignores_punctuation_and_the_marks() -> None:
    row = Contrast("h1", "addition", "A cup.", "A cup, with a lid.", ((5, 17),), ())
    assert is_verbatim(row)
    assert not is_verbatim(Contrast("h1", "addition", "A mug.", "A cup, with a lid.", ((5, 17),), ()))
