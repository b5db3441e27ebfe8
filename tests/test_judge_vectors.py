"""The judge by vectors: windows and scores by hand, competition, logs, and weights of works left out."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.benchmarks.mini import load_mini
from posh_lite.benchmarks.mini_benchmark import load_mini_benchmark
from posh_lite.errors import InputError, JudgeError, MissingDependency
from posh_lite.evaluation.combine import fit_weights
from posh_lite.evaluation.combined_works import WEIGHTS, HeldOutPoSh, fit_without, run
from posh_lite.evaluation.evaluate import read_evaluation
from posh_lite.evaluation.labelled import labelled_questions
from posh_lite.graph.types import Attribute, Entity, Relation
from posh_lite.judge.check import check_judge
from posh_lite.judge.combined_weights import load_weights
from posh_lite.judge.contract import Identifier, Question
from posh_lite.judge.embedding import CharacterGrams, unit_rows
from posh_lite.judge.lexical import LexicalJudge
from posh_lite.judge.log import LoggedJudge
from posh_lite.judge.registry import counts_tokens, make_judge
from posh_lite.judge.vectors import HEIGHT, MARGIN, SLOPE, VectorsJudge, phrase_of, windows_of
from posh_lite.metric.posh import PoSh
from posh_lite.records import Pair

JUG, WOMAN = Entity(0, "jug", ()), Entity(1, "woman", ())


class Table:
    """Vectors from a table; what is not in it has none."""

    signature = "table-of-vectors"

    def __init__(self, **rows: tuple[float, float]) -> None:
        self.rows, self.asked = {k.replace("_", " "): v for k, v in rows.items()}, 0

    def __call__(self, phrases):
        self.asked += len(phrases)
        return unit_rows(np.array([self.rows.get(p, (0.0, 0.0)) for p in phrases], dtype=np.float32).reshape(-1, 2))


def question(target: str, entity: Entity = JUG, source=None, pair_id: str = "1") -> Question:
    return Question(pair_id, "generation", "entity", Identifier(f"the {entity.head}", entity), target, "p", entity.head,
                    source=source)


def curve(value: float) -> float:
    return 1 + 4 / (1 + math.exp(-(SLOPE * value + HEIGHT)))


def test_windows_are_runs_and_sentences() -> None:
    assert windows_of("A red jug, cracked.  It\nstands.") == (
        "a red jug", "red jug cracked", "it stands", "a red jug cracked", "a red jug, cracked.", "it stands.",
    )
    assert windows_of(" ... ") == ()


@settings(max_examples=40)
@given(st.text(max_size=80))
def test_windows_of_anything(text: str) -> None:
    found = windows_of(text)
    assert len(set(found)) == len(found) and all(w.strip() for w in found)


def test_phrases_by_hand() -> None:
    holds = Relation(0, WOMAN, "holds", "hold", JUG, ())
    assert phrase_of(JUG) == "jug" and phrase_of(replace(JUG, negated=True)) == "no jug"
    assert phrase_of(Attribute(0, JUG, "Dark  red", "dark red", ())) == "dark red jug"
    assert phrase_of(Attribute(0, JUG, "stands", "stand", (), kind="action")) == "jug stands"
    assert phrase_of(holds) == "woman holds jug"
    assert phrase_of(replace(holds, negated=True)) == "woman not holds jug"


def test_the_score_of_one_phrase_by_hand() -> None:
    judge = VectorsJudge(Table(jug=(1, 0), a_blue_pitcher=(0.6, 0.8)))
    (verdict,) = judge.ask([question("A blue pitcher.")])
    assert verdict.score == pytest.approx(curve(0.6), abs=1e-3) and verdict.raw == "0.600 +0.000"
    assert verdict.reason == '"jug" is closest to "a blue pitcher" (0.60)'


def test_a_window_that_fits_another_component_better_counts_less(graph_of) -> None:
    source = graph_of("A jug stands by a vase.")
    entities = {e.head: e for e in source.entities}
    assert set(entities) == {"jug", "vase"}
    judge = VectorsJudge(Table(jug=(0.6, 0.8), vase=(1, 0), one_vase=(1, 0)))
    jug, vase = judge.ask([question("One vase.", entities[h], source) for h in ("jug", "vase")])
    assert jug.score == pytest.approx(curve(0.6 + MARGIN * (0.6 - 1)), abs=1e-3)
    assert vase.score == pytest.approx(curve(1 + MARGIN * (1 - 0.6)), abs=1e-3)
    assert jug.reason.endswith(', which is closer to "vase"') and "closer to" not in vase.reason


def test_texts_and_graphs_are_embedded_once_and_order_is_kept(graph_of) -> None:
    embed = Table(jug=(1, 0), vase=(0, 1), a_jug=(1, 0), a_vase=(0, 1))
    judge = VectorsJudge(embed)
    source = graph_of("A jug stands by a vase.")
    asked = [question(t, e, source) for t in ("A jug.", "A vase.") for e in source.entities]
    first = judge.ask(asked)
    known = embed.asked
    assert judge.ask(asked[::-1]) == first[::-1] and embed.asked == known
    assert [judge.ask([q])[0] for q in asked] == first
    assert VectorsJudge(embed).ask([asked[2]])[0] == first[2]  # whatever else is asked
    assert judge.ask([]) == []


def test_a_text_without_words_has_nothing() -> None:
    (verdict,) = VectorsJudge(CharacterGrams()).ask([question(" ... ")])
    assert verdict.score == 1 and verdict.reason == "the text has no words"


def test_it_is_a_judge_by_name_and_no_language_model() -> None:
    judge = make_judge("vectors:chars", threshold=2.5)
    check_judge(judge)
    assert judge.presence_threshold == 2.5 and judge.signature.startswith("vectors-1 chars-3-5-crc32-")
    assert counts_tokens("vectors:chars") is False
    with pytest.raises(JudgeError, match='needs a model: "vectors:minilm"'):
        make_judge("vectors")
    with pytest.raises(JudgeError, match="did you mean threshold"):
        make_judge("vectors:chars", treshold=2)


def test_minilm_needs_its_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POSH_LITE_MINILM", raising=False)
    with pytest.raises(MissingDependency, match="POSH_LITE_MINILM is not set"):
        make_judge("vectors:minilm")


def test_posh_with_it_and_from_its_log(tmp_path: Path) -> None:
    pair = Pair("x", "A woman holds a red jug. A dog sleeps.", "A woman carries a red jug. She wears a cap.")
    scored = PoSh("vectors:chars", progress=False, log=tmp_path / "v.sqlite").score_many([pair])[0]
    by_text = {c.text: c.score for c in scored.components if c.side == "generation"}
    assert by_text["dog"] < by_text["jug"] and by_text["red"] > 4
    again = PoSh("replay", progress=False, log=tmp_path / "v.sqlite").score_many([pair])[0]
    assert again.overall == scored.overall
    logged = LoggedJudge(make_judge("vectors:chars"), tmp_path / "v.sqlite")
    assert logged.structural  # it sees the source, so that one prompt is not one question


def test_it_is_weighed_with_the_lexical_judge(tmp_path: Path) -> None:
    weights = tmp_path / "w.json"
    corpus = load_mini()
    data = labelled_questions(replace(corpus, pairs=corpus.pairs[:24]), n=60, pairs=1, seed=0)
    first, second = make_judge("lexical"), make_judge("vectors:chars")
    asked = [i.question for i in data.items]
    fitted = fit_weights(first, second, data, (first.ask(asked), second.ask(asked)), by_kind=False, n_resamples=20)
    fitted.save(weights)
    score = PoSh("combined:vectors:chars", judge_options={"weights": weights}, progress=False)
    found = score.score("A woman holds a red jug.", "A woman holds a blue jug.")
    by_text = {c.text: c.score for c in found.components}
    assert max(by_text["red"], by_text["blue"]) < by_text["jug"] - 0.5 and "second vectors-1 chars" in found.signature


def test_weights_of_works_left_out() -> None:
    corpus = load_mini()
    data = labelled_questions(replace(corpus, pairs=corpus.pairs[:24]), n=80, pairs=1, seed=0)
    first, second = LexicalJudge(), VectorsJudge(CharacterGrams())
    asked = [i.question for i in data.items]
    said = (first.ask(asked), second.ask(asked))
    fits = fit_without(first, second, data, said, by_kind=False, n_resamples=20)
    works = list(dict.fromkeys(i.work for i in data.items))
    assert list(fits.without) == works and fits.whole.n == len(data.items)
    assert len(works) == 4
    for work in works[:1]:
        own = sum(i.work == work for i in data.items)
        assert fits.without[work].n == len(data.items) - own and f"{work} left out" in fits.without[work].data
        # the verdicts on a work have no part in the weights that it is scored with
        turned = tuple([replace(v, score=6 - v.score) if i.work == work else v
                        for i, v in zip(data.items, judge, strict=True)] for judge in said)  # fmt: skip
        again = fit_without(first, second, data, (turned[0], turned[1]), by_kind=False, n_resamples=20)
        assert again.without[work].lines == fits.without[work].lines
        assert again.without[work].threshold == fits.without[work].threshold
        assert again.whole.lines != fits.whole.lines
    pairs = [Pair(f"{works[1]}/a", "A red jug.", "A blue jug."), Pair(f"{works[0]}/a", "A dog.", "A dog."),
             Pair("elsewhere/a", "A red jug.", "A blue jug.")]
    metric = HeldOutPoSh(first, second, fits)
    frame, places = metric.measure(pairs)
    assert frame["id"].tolist() == [p.id for p in pairs] == [p.id for p in places]
    assert metric.score(pairs)["overall"].tolist() == frame["overall"].tolist()
    alone = PoSh(metric._posh[works[1]].judge, progress=False).score_many([pairs[0]])[0]
    assert frame["mistakes"][0] == alone.mistakes
    assert "of works left out" in metric.signature


def test_the_command_writes_weights_results_and_table(tmp_path: Path) -> None:
    whole = load_mini()
    names = [w.slug for w in whole.works[:3]]
    few = [p for p in whole.pairs if p.id.split("/")[0] in names]
    ids = {p.id for p in few}
    corpus = replace(whole, works=whole.works[:3], pairs=tuple(few), gold=tuple(g for g in whole.gold if g.id in ids),
                     preferences=tuple(p for p in whole.preferences if {p.a, p.b} <= ids))  # fmt: skip
    first, second = LexicalJudge(), VectorsJudge(CharacterGrams(), sides="reference")
    run(corpus, first, second, tmp_path, benchmarks=[load_mini_benchmark(corpus)], n=60, captions=1, n_resamples=20)
    weights = load_weights(tmp_path / WEIGHTS)
    assert weights.second.endswith(" sides:reference") and 0 < weights.n < weights.n + weights.n_missing
    found = read_evaluation(tmp_path / "mini")
    assert [r.name for r in found.runs] == ["PoSh", "posh-combined"] and (tmp_path / "mini" / "table.md").is_file()
    assert found.run("posh-combined").granular and not found.run("posh-combined").n_missing
    assert set(found.differences["metric"]) == {"posh-combined"}


def test_one_side_alone_is_left_to_the_judge_beside() -> None:
    judge = make_judge("vectors:chars", sides="reference")
    asked = [question("A jug."), replace(question("A jug."), side="reference")]
    left, own = judge.ask(asked)
    assert left.missing and left.reason == "left to the other judge" and own.score > 4
    assert judge.signature.endswith(" sides:reference")
    assert make_judge("vectors:chars").ask(asked)[0] == own
    with pytest.raises(InputError, match='sides must be "both" or "reference"'):
        VectorsJudge(CharacterGrams(), sides="generation")  # type: ignore[arg-type]


def test_a_fit_without_a_work_needs_two() -> None:
    corpus = load_mini()
    data = labelled_questions(replace(corpus, pairs=corpus.pairs[:6]), n=40, pairs=1, seed=0)
    work = data.items[0].work
    one = replace(data, items=tuple(i for i in data.items if i.work == work))
    judge = LexicalJudge()
    said = judge.ask([i.question for i in one.items])
    with pytest.raises(InputError):
        fit_without(judge, judge, one, (said, said), n_resamples=20)


@pytest.mark.skipif(not os.environ.get("POSH_LITE_MINILM"), reason="POSH_LITE_MINILM names no folder of MiniLM")
def test_minilm_knows_synonyms_where_spelling_does_not() -> None:
    pytest.importorskip("sentence_transformers", reason="needs sentence-transformers (extra baselines)")
    target = "A gentleman in a crimson coat strolls on the shore with a small dog."
    asked = [question(target, Entity(0, head, ())) for head in ("puppy", "beach", "airplane", "violin")]
    meaning, spelling = ([v.score for v in make_judge(name, **how).ask(asked)]
                         for name, how in (("vectors:minilm", {"device": "cpu"}), ("vectors:chars", {})))  # fmt: skip
    assert min(meaning[:2]) > max(meaning[2:]) + 0.5 and min(spelling[:2]) < max(spelling[2:]) + 0.5
    assert make_judge("vectors:minilm", device="cpu").signature.startswith("vectors-1 all-MiniLM-L6-v2-sha256-")


@pytest.mark.parametrize(("more", "told"), [
    (["--benchmarks", " , "], "--benchmarks names nothing"), (["--second-option", "sides"], "takes NAME=VALUE"),
    (["--second-option", "=reference"], "takes NAME=VALUE"), (["-n", "-1"], "-n must be at least 0"),
])  # fmt: skip
def test_wrong_options_are_told_before_any_question(tmp_path, capsys, more, told):
    from posh_lite.evaluation import combined_works

    assert combined_works.main(["--second", "vectors:chars", "-o", str(tmp_path / "out"), *more]) == 1
    assert told in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
