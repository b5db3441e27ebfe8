"""The examination on known answers, with a judge that answers from a table and with the corpus itself."""

from __future__ import annotations

import math

import pytest

from posh_lite.benchmarks.mini import load_mini
from posh_lite.evaluation import known_answers as exam
from posh_lite.metric.score import Component, Score


@pytest.fixture(scope="module")
def corpus():
    return load_mini()


def component(side: str, span: tuple[int, int], score: float) -> Component:
    return Component(side, "attribute", "x", "the x", (span,), score, score >= 2, "?")


def scores_of(corpus, generation_spans, reference_spans) -> list[Score]:
    """One score a pair, with components exactly on the spans that two functions give, all of score 1."""
    made = []
    for pair, gold in zip(corpus.pairs, corpus.gold, strict=True):
        parts = [component("generation", s, 1.0) for s in generation_spans(gold)]
        parts += [component("reference", s, 1.0) for s in reference_spans(gold)]
        made.append(Score(pair.id, 0.5, 0.5, 0.5, tuple(parts), pair.generation, pair.reference))
    return made


@pytest.fixture(scope="module")
def oracle(corpus):
    return scores_of(corpus, lambda g: [m.span for m in g.mistakes], lambda g: [o.span for o in g.omissions])


@pytest.mark.parametrize("side", ["generation", "reference"])
def test_an_oracle_passes_with_full_marks(corpus, oracle, side):
    found = exam.detections(corpus, oracle, side)
    assert exam.recall(found, n_resamples=20).value == 1
    assert exam.precision(found, n_resamples=20).value == 1


def test_a_blind_judge_finds_nothing_and_has_no_precision(corpus):
    blind = scores_of(corpus, lambda g: [], lambda g: [])
    found = exam.detections(corpus, blind, "generation")
    assert exam.recall(found, n_resamples=20).value == 0
    assert math.isnan(exam.precision(found, n_resamples=20).value)


def test_flags_on_misstated_facts_count_neither_way(corpus):
    misled = scores_of(corpus, lambda g: [], lambda g: [m.span for m in g.misstated])
    found = exam.detections(corpus, misled, "reference")
    assert all(not d.wrong for d in found)


def test_recall_by_type_covers_every_planted_mistake(corpus, oracle):
    by_type = exam.recall_by_type(corpus, exam.detections(corpus, oracle, "generation"), n_resamples=20)
    assert sum(e.n for e in by_type.values()) == sum(len(g.mistakes) for g in corpus.gold)
    assert list(by_type) == sorted(by_type, key=lambda t: (-by_type[t].n, t))
    assert {e.value for e in by_type.values()} == {1.0}


def test_word_sets_of_an_oracle_separate_the_words(corpus, oracle):
    sets = exam.word_sets(corpus, oracle, "generation")
    assert len(sets) == len(corpus.pairs)
    assert len({s.unit for s in sets}) == len(corpus.works)
    assert all((score == 1) == error for s in sets for score, error in zip(s.scores, s.errors, strict=True))


def test_scores_of_other_pairs_are_refused(corpus, oracle):
    with pytest.raises(ValueError, match="in order"):
        exam.detections(corpus, oracle[::-1], "generation")


def test_counting_mistakes_ranks_captions_as_the_preferences_do(corpus):
    words = {p.id: len(p.generation.split()) for p in corpus.pairs}
    counted = {g.id: -len(g.mistakes) / words[g.id] for g in corpus.gold}
    values = {"mistakes": counted, "omissions": {g.id: -float(len(g.omissions)) for g in corpus.gold}}
    table = exam.preference_table(corpus, {"gold": values}, n_resamples=50)
    assert table["dimension"].tolist() == ["mistakes", "omissions"]
    assert (table["value"] > 0.95).all()


def test_a_constant_metric_calls_ties_only(corpus):
    constant = dict.fromkeys((p.id for p in corpus.pairs), 0.5)
    found = exam.preference_accuracy(corpus, constant, "mistakes", n_resamples=20)
    assert found.accuracy.value == found.n_gold_ties / len(corpus.preferences)


@pytest.mark.parametrize(
    ("values", "flat"), [([0.5, 0.501, 0.502], True), ([0.1, 0.5, 0.9], False), ([0.5, math.nan], False)]
)
def test_a_flat_judge_is_noticed(values, flat):
    assert bool(exam.flat_judge_notice(values)) is flat


def test_some_works_are_a_corpus_of_their_own(corpus, oracle):
    slugs = [w.slug for w in corpus.works]
    one, scores = exam.part_of(corpus, oracle, slugs[:2])
    assert [w.slug for w in one.works] == slugs[:2] and len(one.pairs) == len(one.gold) == len(scores) == 12
    assert len(one.preferences) == 30  # 15 pairs of six captions, twice
    rest, others = exam.part_of(corpus, oracle, slugs[2:])
    assert one.pairs + rest.pairs == corpus.pairs and [*scores, *others] == oracle


def test_the_whole_examination_of_an_oracle(corpus, oracle):
    part, scores = exam.part_of(corpus, oracle, [w.slug for w in corpus.works[:6]])
    found = exam.examination(part, scores, n_resamples=20, seed=0)
    full = ["mistakes found", "flags that lie on mistakes", "omissions found", "flags that lie on omissions",
            "F1 of words, mistakes", "F1 of words, omissions"]  # fmt: skip
    assert {name: found[name].value for name in full} == dict.fromkeys(full, 1.0)
    assert math.isnan(found["components flagged in faithful captions"].value)  # nothing is wrong: no component at all
    assert all(e.n_units == 6 for name, e in found.items() if name in full)
    ties = [found[f"better caption chosen, {d}"].value for d in exam.DIMENSIONS]  # every score is the same
    known = [sum(getattr(p, d) == 0 for p in part.preferences) / len(part.preferences) for d in exam.DIMENSIONS]
    assert ties == pytest.approx(known)


def test_style_frame(oracle):
    frame = exam.style_frame(oracle)
    assert list(frame.columns) == ["id", "work", "style", "mistakes", "omissions", "overall"]
    assert frame["style"].nunique() == 6
