import math

import pandas as pd
import pytest
from judges import Hashing
from scenes import Scene, man_with_cup

from posh_lite import PoSh as lazily
from posh_lite.errors import InputError, JudgeError
from posh_lite.graph.types import SceneGraph
from posh_lite.judge.contract import Verdict
from posh_lite.judge.table import TableJudge
from posh_lite.metric import asking
from posh_lite.metric.posh import PoSh, as_pair
from posh_lite.metric.protocol import Metric
from posh_lite.metric.stopwatch import Stopwatch
from posh_lite.records import Pair

TEXTS = [
    ("A man in a red coat holds a cup.", "A man wearing a blue coat."),
    ("Two dogs sleep.", "Two dogs sleep on a sofa."),
    ("A woman sits {here} at 100% of a table.", "A woman %s sits at a {table}."),
]


def test_one_pair_of_texts():
    score = PoSh(Hashing()).score(*TEXTS[0])
    assert score.generation == TEXTS[0][0]
    assert {c.kind for c in score.components} == {"entity", "attribute", "relation"}
    assert {c.side for c in score.components} == {"generation", "reference"}
    for component in score.components:
        text = score.text(component.side)
        assert all(0 <= a < b <= len(text) for a, b in component.spans)
    assert lazily is PoSh


def test_many_pairs_are_scored_in_order_whatever_the_chunk():
    one = PoSh(Hashing()).score_many(TEXTS, chunk_size=1)
    all_at_once = PoSh(Hashing()).score_many([{"generation": g, "reference": r} for g, r in TEXTS], chunk_size=10)
    assert [s.to_dict() for s in one] == [s.to_dict() for s in all_at_once]
    assert [s.id for s in one] == ["1", "2", "3"]
    assert PoSh(Hashing()).score_many([]) == []


def test_scores_are_handed_over_as_chunks_finish():
    read = []

    def pairs():
        for n, (generation, reference) in enumerate(TEXTS):
            read.append(n)
            yield Pair(str(n), generation, reference)

    scores = PoSh(Hashing()).iter_scores(pairs(), chunk_size=1)
    next(scores)
    assert read == [0]


def test_each_pass_is_one_batch_over_the_chunk():
    judge = Hashing()
    graph = man_with_cup()
    posh = PoSh(judge)
    posh._graphs[graph.text] = graph
    posh.score_many([(graph.text, graph.text), (graph.text, graph.text)])
    assert len(judge.batches) == 3


def test_identical_questions_are_asked_once():
    judge, posh = Hashing(), PoSh(Hashing())
    graph = man_with_cup()
    once = PoSh(judge).score_graphs(graph, graph)
    twice = Hashing()
    posh = PoSh(twice)
    posh._graphs[graph.text] = graph
    scores = posh.score_many([(graph.text, graph.text)] * 3)
    assert len(twice.asked) == len(judge.asked)
    assert all(s.n_asked == once.n_asked for s in scores)


def test_a_judge_of_prompts_is_asked_once_for_equal_prompts():
    def two_cats():
        scene = Scene("A cat. A cat.")
        scene.entity("A cat")
        scene.entity("A cat", nth=1)
        return scene.graph

    for structural, asked in ((True, 2), (False, 1)):
        judge = TableJudge(lambda q: 5)
        judge.structural = structural
        PoSh(judge).score_graphs(two_cats(), SceneGraph(""))
        assert len(judge.asked) == asked


def test_long_prompts_are_asked_in_slices(monkeypatch):
    graph = man_with_cup()
    whole = PoSh(Hashing()).score_graphs(graph, graph)
    monkeypatch.setattr(asking, "MAX_CHARACTERS", 1)
    judge = Hashing()
    assert PoSh(judge).score_graphs(graph, graph).to_dict() == whole.to_dict()
    assert set(judge.batches) == {1}


def test_a_judge_that_loses_an_answer_is_found_out():
    class Short(TableJudge):
        def ask(self, questions):
            return [Verdict(5.0)] * (len(questions) - 1)

    with pytest.raises(JudgeError, match="verdicts for"):
        PoSh(Short({})).score_graphs(man_with_cup(), SceneGraph(""))


def test_it_is_a_metric():
    posh = PoSh(Hashing())
    assert isinstance(posh, Metric)
    frame = posh.score([Pair("a", *TEXTS[0]), Pair("b", "...", TEXTS[1][1])])
    assert list(frame.columns) == ["id", "mistakes", "omissions", "overall", "n_components", "n_missing"]
    assert list(frame["id"]) == ["a", "b"]
    assert math.isnan(frame["mistakes"][1])
    assert posh.score([]).empty


def test_a_metric_of_ones_own():
    class Shortness:
        name, needs = "shortness", frozenset()

        def score(self, pairs):
            values = [1 / len(p.generation) for p in pairs]
            ids = [p.id for p in pairs]
            return pd.DataFrame({"id": ids, "mistakes": values, "omissions": values, "overall": values})

    assert isinstance(Shortness(), Metric)


def test_the_same_signature_gives_the_same_figures():
    first, second = PoSh(Hashing()), PoSh(Hashing())
    assert first.signature == second.signature
    assert first.score(*TEXTS[0]).to_dict() == second.score(*TEXTS[0]).to_dict()
    parts = dict(p.split(":", 1) for p in first.signature.split("|"))
    assert list(parts) == ["posh-lite", "graph", "judge", "prompts", "threshold", "aggregation"]
    assert first.score(*TEXTS[0]).signature == first.signature


@pytest.mark.parametrize("other", [{"threshold": 3}, {"aggregation": "objects"}])
def test_what_changes_figures_changes_the_signature(other):
    assert PoSh(Hashing(), **other).signature != PoSh(Hashing()).signature


def test_objects_only():
    graph = man_with_cup()
    score = PoSh(Hashing(), aggregation="objects").score_graphs(graph, graph)
    own = [c.score for c in score.of("generation") if c.kind == "entity"]
    assert score.mistakes == pytest.approx(sum(own) / len(own) / 5)


def test_share_present():
    graph = man_with_cup()
    score = PoSh(Hashing(), aggregation="present").score_graphs(graph, graph)
    own = [c.present for c in score.of("generation")]
    assert 0 < sum(own) < len(own)
    assert score.mistakes == pytest.approx(sum(own) / len(own))
    least, most = sorted((score.mistakes, score.omissions))
    assert least <= score.overall <= most


def test_share_present_of_texts_that_have_nothing_in_common_is_nought():
    score = PoSh(aggregation="present").score("A cat.", "An airport.")
    assert (score.mistakes, score.omissions, score.overall) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"threshold": 0}, "threshold"), ({"threshold": 5.1}, "threshold"), ({"aggregation": "some"}, "aggregation"),
     ({"identifiers": "few"}, "identifiers")],
)
def test_settings_out_of_range(options, message):
    with pytest.raises(InputError, match=message):
        PoSh(Hashing(), **options)


def test_what_is_no_pair():
    with pytest.raises(InputError, match="pair 3 is neither"):
        as_pair(5, 3)
    with pytest.raises(InputError, match="reference"):
        PoSh(Hashing()).score("one text")
    with pytest.raises(InputError, match="chunk_size"):
        PoSh(Hashing()).score_many([], chunk_size=0)
    with pytest.raises(InputError, match='field "reference"'):
        as_pair({"generation": "x"}, 1)


@pytest.mark.parametrize(
    "text",
    ["", " \n", "word", "\U0001f600\U0001f600", "a\x00b in a red\x00coat", "e\u0301 cafe\u0301 with a cafe\u0301",
     "\u00a0a\u00a0dog\u00a0", "\u0631\u062c\u0644 \u064a\u0645\u0634\u064a",
     "# Title\r\n\r\n* **A dog**\r\n* `{code}` 100%\r\n"],
)
def test_any_text_can_be_scored(text):
    score = PoSh(Hashing()).score(text, "A dog runs.")
    assert score.generation == text
    for value in (score.mistakes, score.overall):
        assert math.isnan(value) or 0.2 <= value <= 1
    assert score.to_html()


def test_timings_say_where_the_time_went():
    posh = PoSh(Hashing())
    posh.score(*TEXTS[0])
    assert set(posh.timings.seconds) == {"graphs", "questions", "judging"}
    assert sum(posh.timings.shares().values()) == pytest.approx(1)
    assert "graphs" in str(posh.timings)


def test_nested_laps_are_counted_once():
    watch = Stopwatch()
    with watch.lap("outer"), watch.lap("inner"):
        pass
    assert watch.seconds["outer"] >= 0
    assert watch.total == pytest.approx(sum(watch.seconds.values()))
    assert Stopwatch().shares() == {}


def test_a_progress_bar_only_when_wanted(capsys):
    PoSh(Hashing(), progress=True).score_many(TEXTS[:1])
    assert "PoSh" in capsys.readouterr().err
    PoSh(Hashing()).score_many(TEXTS[:1])
    assert capsys.readouterr().err == ""


def test_lazy_gives_the_same_scores_on_real_text():
    texts = [
        ("A tall man in a red coat and a short man in a blue coat hold a cup. The tall man's left hand rests on a dog.",
         "Two men stand by a dog. One man wears a red coat, his face is pale. The other man's face is dark."),
    ]
    (full,), (lazy,) = PoSh(Hashing()).score_many(texts), PoSh(Hashing(), identifiers="lazy").score_many(texts)
    ignored = ("asked",)
    assert [{k: v for k, v in c.to_dict().items() if k not in ignored} for c in full.components] == [
        {k: v for k, v in c.to_dict().items() if k not in ignored} for c in lazy.components
    ]
    assert lazy.n_asked <= full.n_asked


def test_notes_say_what_is_odd():
    posh = PoSh(TableJudge(lambda q: 5))
    graph = man_with_cup()
    assert posh.notes() == []
    for _ in range(6):
        posh.score_graphs(graph, graph)
    assert any("never fires" in note for note in posh.notes())
