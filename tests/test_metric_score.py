import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import man_with_cup

from posh_lite.graph.types import SceneGraph
from posh_lite.judge.table import TableJudge
from posh_lite.metric.notice import Observer, warnings
from posh_lite.metric.posh import PoSh
from posh_lite.metric.score import Component, Score, coarse


def component(side="generation", kind="entity", score=5.0, spans=((0, 1),), **more):
    present = None if score is None else score >= 2
    return Component(side, kind, "x", "the x", spans, score, present, "x?", **more)


def test_means_over_five_and_their_harmonic_mean():
    found = [component(score=5), component(kind="attribute", score=1), component("reference", score=2)]
    mistakes, omissions, overall, reasons = coarse(found)
    assert mistakes == 3 / 5
    assert omissions == 2 / 5
    assert overall == pytest.approx(2 * (3 / 5) * (2 / 5) / (3 / 5 + 2 / 5))
    assert reasons == ()


def test_objects_alone():
    found = [component(score=4), component(kind="attribute", score=1), component("reference", score=3)]
    assert coarse(found, "objects")[0] == 4 / 5
    only = [component(kind="attribute", score=1), component("reference", score=3)]
    mistakes, _, overall, reasons = coarse(only, "objects")
    assert math.isnan(mistakes)
    assert math.isnan(overall)
    assert dict(reasons)["mistakes"] == "no objects in the generation"


def test_an_empty_graph_is_no_perfect_score():
    mistakes, omissions, overall, reasons = coarse([component("reference", score=3)])
    assert math.isnan(mistakes)
    assert omissions == 3 / 5
    assert math.isnan(overall)
    assert dict(reasons) == {"mistakes": "no components in the generation", "overall": "mistakes undefined"}
    assert all(math.isnan(v) for v in coarse([])[:3])


def test_missing_verdicts_enter_no_mean():
    found = [component(score=5), component(score=None), component("reference", score=None)]
    mistakes, omissions, _, reasons = coarse(found)
    assert mistakes == 1
    assert math.isnan(omissions)
    assert dict(reasons)["omissions"] == "none of the 1 verdicts on the reference could be read"


def scored(components, generation="a b c", reference="d"):
    mistakes, omissions, overall, reasons = coarse(components)
    return Score("1", mistakes, omissions, overall, tuple(components), generation, reference, "s", reasons)


def test_a_word_has_the_highest_score_that_covers_it_and_5_where_none_does():
    score = scored([
        component(score=1, spans=((0, 3),)), component(score=3, spans=((2, 3),)), component(score=None, spans=((4, 5),))
    ])
    assert score.token_scores("generation") == [(0, 1, 1), (2, 3, 3), (4, 5, 5)]
    assert score.token_scores("reference") == [(0, 1, 5)]
    assert score.token_scores("generation", [(0, 3)]) == [(0, 3, 3)]
    assert score.char_scores("generation") == [1, 1, 3, None, None]


def test_punctuation_is_no_word():
    text = "It's a man's dark-gray dog, \u2014 yes!"
    assert [text[a:b] for a, b, _ in scored([], text).token_scores("generation")] == [
        "It's", "a", "man's", "dark-gray", "dog", "yes"
    ]


def test_rows_hold_null_for_nan():
    score = scored([])
    assert score.to_row() == {
        "id": "1", "mistakes": None, "omissions": None, "overall": None, "n_components": 0, "n_missing": 0
    }
    assert json.loads(json.dumps(score.to_dict(), allow_nan=False))["reasons"]["mistakes"]


def test_frame_and_dict_open_every_component():
    graph = man_with_cup()
    score = PoSh(TableJudge(lambda q: None if q.kind == "relation" else 4)).score_graphs(graph, graph)
    frame = score.to_frame()
    assert len(frame) == score.n_components == 16
    assert frame.loc[frame["kind"] == "relation", "score"].isna().all()
    assert int(frame["missing"].sum()) == score.n_missing == 4
    rows = json.loads(json.dumps(score.to_dict()))["components"]
    assert {"side", "kind", "text", "spans", "score", "present", "question"} <= set(rows[0])
    for row in rows:
        for start, end in row["spans"]:
            assert graph.text[start:end]
    assert scored([]).to_frame().empty


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["generation", "reference"]), st.one_of(st.none(), st.floats(1, 5)))))
def test_scores_stay_in_range(drawn):
    mistakes, omissions, overall, reasons = coarse([component(side, score=value) for side, value in drawn])
    for value in (mistakes, omissions, overall):
        assert math.isnan(value) or 0.2 - 1e-9 <= value <= 1 + 1e-9
    assert bool(reasons) == math.isnan(overall)
    if not reasons:
        assert min(mistakes, omissions) - 1e-9 <= overall <= max(mistakes, omissions) + 1e-9


def test_notice_a_threshold_that_never_fires_and_flat_scores():
    flat = scored([component(score=3.9), component("reference", score=3.9)] * 20)
    found = warnings([flat])
    assert any("never fires" in w for w in found)
    assert any("hardly vary" in w for w in found)


def test_notice_a_judge_that_finds_nothing_and_unread_answers():
    observer = Observer()
    observer.see(scored([component(score=1), component("reference", score=1)] * 20))
    observer.see(Score("2", math.nan, math.nan, math.nan, (), "", "", n_asked=4, n_unread=2))
    found = observer.warnings(2)
    assert any("none of 40 entities" in w for w in found)
    assert any("2 of 4 verdicts" in w for w in found)
    assert any("1 of 2 pairs" in w for w in found)


def test_nothing_to_notice():
    assert warnings([]) == []
    mixed = [component(score=s) for s in (1, 5)] + [component("reference", score=s) for s in (1, 5)]
    assert warnings([scored(mixed * 10)]) == []


def test_an_empty_text_gives_nan_not_one():
    graph = man_with_cup()
    score = PoSh(TableJudge(lambda q: 5)).score_graphs(SceneGraph(""), graph)
    assert math.isnan(score.mistakes)
    assert score.omissions == 1
    assert math.isnan(score.overall)
