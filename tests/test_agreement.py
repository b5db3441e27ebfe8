"""Agreement of two judges on components: kappa against hand and another implementation, matching, undefined cases."""

import json
import math
import warnings

import numpy as np
import pytest
from scenes import man_with_cup

from posh_lite.evaluation.agreement import (
    MEASURES,
    Couple,
    agreement,
    agreement_table,
    kappa_statistic,
    match,
)
from posh_lite.evaluation.bootstrap import resample_weights
from posh_lite.judge.contract import Verdict
from posh_lite.judge.table import TableJudge
from posh_lite.metric.posh import PoSh
from posh_lite.metric.score import Component


def component(score, *, side="generation", kind="entity", threshold=2.0, inherited=False):
    present = None if score is None else score >= threshold
    return Component(side, kind, "man", "the man", ((0, 3),), score, present, "?", inherited=inherited)


def couples(first, second, **more):
    thresholds = more.pop("thresholds", (2.0, 2.0))
    return [
        Couple(str(i), component(a, threshold=thresholds[0], **more), component(b, threshold=thresholds[1], **more))
        for i, (a, b) in enumerate(zip(first, second, strict=True))
    ]


def scored(answer, threshold=2.0, name="table", id="1"):
    graph = man_with_cup()
    return PoSh(TableJudge(answer, threshold=threshold, name=name)).score_graphs(graph, graph, id=id)


def test_kappa_by_hand():
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: observed 35/50, chance (25*30 + 25*20)/2500 = 1/2
    first, second = [5] * 25 + [1] * 25, [5] * 20 + [1] * 5 + [5] * 10 + [1] * 15
    assert agreement(couples(first, second), "present", n_resamples=20).value == pytest.approx(2 / 5)


def test_quadratic_kappa_by_hand():
    # rounded 1 1 5 5 against 1 5 5 5: one disagreement of 16 in 4; by chance (2*3*16 + 2*1*16)/16 = 8 in a row
    found = agreement(couples([1, 1.2, 4.6, 5], [1.4, 4.5, 5, 5]), "rounded", n_resamples=20)
    assert found.value == pytest.approx(1 - (16 / 4) / 8)


@pytest.mark.parametrize("quadratic", [False, True])
def test_kappa_is_that_of_statsmodels_in_every_resample(quadratic):
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater", reason="statsmodels is in the extra dev")
    rng = np.random.default_rng(5)
    first = rng.integers(0, 5, 80)
    second = np.where(rng.random(80) < 0.6, first, rng.integers(0, 5, 80))
    weights = np.vstack([np.ones((1, 80)), resample_weights(80, 6, 1)])
    ours = kappa_statistic(first, second, 5, quadratic=quadratic)(weights)
    for value, row in zip(ours, weights, strict=True):
        table = np.zeros((5, 5))
        np.add.at(table, (first, second), row)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kind = {"weights": np.arange(5), "wt": "quadratic"} if quadratic else {}
            theirs = inter_rater.cohens_kappa(table, return_results=False, **kind)
        assert value == pytest.approx(theirs, abs=1e-12)


def test_each_judge_is_read_by_its_own_threshold():
    first, second = [1.5, 3.0, 4.0, 1.2], [3.1, 3.6, 4.2, 3.0]
    naive = agreement(couples(first, second), "present", n_resamples=20)
    own = agreement(couples(first, second, thresholds=(2.0, 3.5)), "present", n_resamples=20)
    assert naive.value == 0.0  # the second calls all present: no better than chance
    assert own.value == 1.0


def test_undefined_figures_say_why():
    same = couples([4, 5, 3], [5, 5, 4])
    assert "all 3 components present" in agreement(same, "present").reason
    assert math.isnan(agreement(same, "present").value)
    assert "all 3 components unflagged" in agreement(same, "flagged").reason
    flat = agreement(couples([4, 4, 4], [1, 2, 3]), "score")
    assert math.isnan(flat.value)
    assert flat.reason == "the scores of the first judge do not vary"
    assert agreement([], "present").reason == "no component with two readable verdicts"


def test_missing_verdicts_are_left_out_and_counted():
    found = agreement(couples([1, 5, None, 5, 1], [1, 5, 5, None, 5]), "present", n_resamples=20)
    assert (found.n, found.n_dropped) == (3, 2)


def test_one_unit_gives_no_interval():
    many = [Couple("1", component(a), component(b)) for a, b in ((1, 1), (5, 5), (5, 1), (2, 2))]
    found = agreement(many, "present", n_resamples=50)
    assert math.isnan(found.low)
    assert found.n_units == 1


def test_unknown_measure():
    with pytest.raises(ValueError, match="measure must be one of"):
        agreement([], "kappa")


def test_runs_are_matched_although_names_differ():
    def by_first(question):
        return 5.0

    def by_specific(question):  # the second judge prefers the more specific identifier, and misses the face
        if question.kind == "entity":
            return 1.0 if "face" in question.identifier.text else 4.0 + (question.identifier.kind == "attribute")
        return 4.0

    a, b = scored(by_first), scored(by_specific)
    assert {c.identifier for c in a.components} != {c.identifier for c in b.components}
    found = match([a], [b])
    assert found.n_unmatched == 0
    assert len(found.couples) == len(a.components)
    assert all((c.first.text, c.first.side, c.first.kind) == (c.second.text, c.second.side, c.second.kind)
               for c in found.couples)
    # "pale" and "of" hang on the absent face: inherited by the second judge only
    assert {c.first.text for c in found.couples if c.inherited} == {"pale", "of"}


def test_matching_refuses_what_does_not_belong_together():
    a = scored(lambda q: 5.0)
    with pytest.raises(ValueError, match="no pair in common"):
        match([a], [scored(lambda q: 5.0, id="2")])
    with pytest.raises(ValueError, match="comes twice"):
        match([a, a], [a])
    other = PoSh(TableJudge(lambda q: 5.0)).score_graphs(man_with_cup(), type(man_with_cup())("A man."))
    with pytest.raises(ValueError, match='texts of pair "1" differ'):
        match([a], [other])


def test_table_by_side_and_kind():
    def low(question):
        return Verdict(1.0 if question.kind == "attribute" else 4.0)

    judges = ((low, "a"), (lambda q: 4.0, "b"))
    runs = [[scored(answer, name=name, id=str(i)) for i in range(3)] for answer, name in judges]
    table = agreement_table(match(*runs).couples, n_resamples=30)
    assert list(table.columns) == ["side", "kind", "n", "same", "present_first", "present_second", *MEASURES]
    assert len(table) == 12
    row = table[(table.side == "generation") & (table.kind == "attribute")].iloc[0]
    assert (row.n, row.present_first, row.present_second) == (9, 0.0, 1.0)
    assert row.same.value == 0.0
    assert row.present.value == 0.0
    pooled = table[(table.side == "all") & (table.kind == "all")].iloc[0]
    assert pooled.n == 48
    assert pooled.same.value == pytest.approx(5 / 8)  # 3 of 8 components a side are attributes
    json.dumps([e.to_dict() for e in pooled[list(MEASURES)]], allow_nan=False)


def test_many_components_take_little_memory():
    rng = np.random.default_rng(0)
    scores = rng.uniform(1, 5, 6000)
    many = [Couple(str(i % 40), component(a), component(min(5, a + 0.1))) for i, a in enumerate(scores)]
    found = agreement(many, "score", n_resamples=200)
    assert found.value > 0.99
    assert found.n_units == 40
