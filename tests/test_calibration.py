"""Thresholds and maps of judges: fitted values by hand, files that are checked, and judges with them around."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from posh_lite import PoSh
from posh_lite.errors import InputError, JudgeError
from posh_lite.evaluation.calibrate import (
    auc,
    balanced_accuracy,
    best_threshold,
    calibrate,
    fit_isotonic,
    fit_platt,
    is_flat,
    share_right,
)
from posh_lite.evaluation.labelled import Labelled, LabelledSet
from posh_lite.graph.types import Entity
from posh_lite.judge.calibration import CRITERIA, CalibratedJudge, Calibration, Curve, load_calibration
from posh_lite.judge.contract import Identifier, Kind, Question, Verdict
from posh_lite.judge.log import LoggedJudge
from posh_lite.judge.replay import ReplayJudge
from posh_lite.judge.table import TableJudge

ENTITY = Entity(0, "cat", ())


def _array(values: Sequence[float]) -> Any:
    return np.array(values, dtype=np.float64)


def _question(number: int, kind: Kind = "entity") -> Question:
    return Question(f"p{number}", "generation", kind, Identifier("the cat", ENTITY), "A cat.", f"prompt {number}", "?")


def _set(labels: Sequence[int], works: Sequence[str], kinds: Sequence[Kind] | None = None) -> LabelledSet:
    named: Sequence[Kind] = kinds or ["entity"] * len(labels)
    items = [
        Labelled(_question(n, kind), label, work)
        for n, (label, work, kind) in enumerate(zip(labels, works, named, strict=True))
    ]
    return LabelledSet(tuple(items), "made up", "ab" * 32, 0, "cd" * 32)


def _fitted(method: Any = "isotonic", judge: Any = "table", **changes: Any) -> Calibration:
    """True ones at 3, 4, 5 and false ones at 2, 3, four times each over two works."""
    scores = [5.0, 4.0, 3.0, 3.0, 2.0, 2.0] * 4
    labels = [1, 1, 1, 0, 0, 0] * 4
    works = [w for w in "abab" for _ in range(6)]
    data = _set(labels, works)
    made = calibrate(judge, data, [Verdict(s) for s in scores], method=method, date="2026-01-02", n_resamples=50)
    return replace(made, **changes)


# -- AUC and threshold --------------------------------------------------------------------------------------


def test_auc_counts_pairs_and_halves_ties() -> None:
    # true 4, 2; false 3, 2, 1: 4 beats all three; 2 beats one, ties one, loses one
    assert auc([4, 2, 3, 2, 1], [1, 1, 0, 0, 0]).value == pytest.approx((3 + 1.5) / 6)


def test_auc_agrees_with_mann_and_whitney() -> None:
    rng = np.random.default_rng(3)
    scores, labels = rng.integers(1, 6, 200).astype(float), rng.integers(0, 2, 200)
    true, false = scores[labels == 1], scores[labels == 0]
    expected = mannwhitneyu(true, false).statistic / (len(true) * len(false))
    assert auc(scores, labels.tolist()).value == pytest.approx(expected)


def test_auc_weights_are_repetitions() -> None:
    plain = auc([4, 4, 4, 2, 3, 3, 1], [1, 1, 1, 1, 0, 0, 0]).value
    assert auc([4, 2, 3, 1], [1, 1, 0, 0], [3, 1, 2, 1]).value == pytest.approx(plain)


def test_auc_interval_is_over_works_and_undefined_without_both_labels() -> None:
    found = auc([4, 1, 4, 1, 1, 4], [1, 0, 1, 0, 1, 0], units=["a", "a", "b", "b", "c", "c"], n_resamples=300)
    assert found.n_units == 3 and found.low < found.value < found.high
    nothing = auc([1, 2], [1, 1])
    assert math.isnan(nothing.value) and nothing.reason == "all labels are the same"


def test_threshold_by_hand() -> None:
    # cut at 2.5: true 3/3, false 1/2 -> 0.75; at 3.5: true 2/3, false 2/2 -> 0.8333; at 4.5: 1/3 and 1 -> 0.6667
    scores, labels, ones = _array([3, 4, 5, 2, 3]), _array([1, 1, 1, 0, 0]), np.ones(5)
    assert best_threshold(scores, labels, ones, "balanced") == 3.5
    assert balanced_accuracy(scores, labels, ones, 3.5) == pytest.approx(5 / 6)
    # the true 3 counted five times: 2.5 gives (1 + 1/2) / 2, 3.5 gives (2/7 + 1) / 2
    assert best_threshold(scores, labels, _array([5, 1, 1, 1, 1]), "balanced") == 2.5
    # called rightly of five: 3 from 2 on, 4 from 2.5 on, 4 from 3.5 on, 3 from 4.5 on
    assert best_threshold(scores, labels, ones, "share") == 2.5
    assert share_right(scores, labels, ones, 2.5) == pytest.approx(4 / 5)


def test_where_scores_say_nothing_the_common_answer_is_given() -> None:
    scores, labels = _array([2, 3, 4, 5, 5]), _array([1, 1, 1, 1, 0])
    assert best_threshold(scores, labels, np.ones(5), "share") == 2.0  # the lowest score: all are called true


def test_of_equal_thresholds_the_lowest_is_taken() -> None:
    # 1.5: true 2/2, false 1/2 -> 0.75; 2.5: true 1/2, false 1/2; 3.5: true 1/2, false 2/2 -> 0.75
    for criterion in CRITERIA:
        assert best_threshold(_array([2, 4, 1, 3]), _array([1, 1, 0, 0]), np.ones(4), criterion) == 1.5


def test_scores_that_never_vary_give_themselves() -> None:
    assert best_threshold(_array([3, 3]), _array([1, 0]), np.ones(2)) == 3.0


# -- maps ---------------------------------------------------------------------------------------------------


def _pava(values: list[float], weights: list[float]) -> list[float]:
    """Pool adjacent violators, the slow way: merge neighbours that fall until none does."""
    blocks = [[v, w, 1] for v, w in zip(values, weights, strict=True)]
    at = 0
    while at < len(blocks) - 1:
        (a, v, m), (b, w, k) = blocks[at], blocks[at + 1]
        if a >= b:
            blocks[at:at + 2] = [[(a * v + b * w) / (v + w), v + w, m + k]]
            at = max(at - 1, 0)
        else:
            at += 1
    return [value for value, _, count in blocks for _ in range(int(count))]


def test_isotonic_by_hand() -> None:
    # shares 0, 1/2, 1/4, 1 at 1.5, 2.5, 3.5, 4.5; the middle two fall and pool to (1 + 1) / 6 = 1/3 at their middle, 3
    scores = _array([1.5, 1.5, 2.5, 2.5, 3.5, 3.5, 3.5, 3.5, 4.5, 4.5])
    labels = _array([0, 0, 1, 0, 1, 0, 0, 0, 1, 1])
    curve = fit_isotonic(scores, labels, np.ones(10))
    towards = 2 / 12  # drawn to a half by 2 in n + 2
    inner = [(x, (1 - towards) * p + towards / 2) for x, p in ((1.5, 0.0), (3.0, 1 / 3), (4.5, 1.0))]
    assert np.allclose(curve.knots[1:-1], inner)
    assert curve.knots[0] == pytest.approx((1.0, inner[0][1] * 0.99))
    assert curve.knots[-1] == pytest.approx((5.0, 1 - (1 - inner[-1][1]) * 0.99))
    assert curve.probability(2.25) == pytest.approx((inner[0][1] + inner[1][1]) / 2)
    assert curve.score(3.0) == pytest.approx(1 + 4 * inner[1][1])


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 16), st.integers(0, 1), st.integers(1, 9)), min_size=4, max_size=40))
def test_isotonic_agrees_with_pooling(rows: list[tuple[int, int, int]]) -> None:
    scores, labels, weights = (_array([r[k] for r in rows]) for k in range(3))
    scores = 1 + scores / 4
    curve = fit_isotonic(scores, labels, weights)
    distinct = sorted(set(scores.tolist()))
    mass = [float(weights[scores == s].sum()) for s in distinct]
    share = [float((weights * labels)[scores == s].sum()) / m for s, m in zip(distinct, mass, strict=True)]
    pooled, shrink = _pava(share, mass), 2 / (len(rows) + 2)
    steps: dict[float, list[float]] = {}
    for x, p in zip(distinct, pooled, strict=True):
        steps.setdefault(round(p, 9), []).append(x)
    for p, members in steps.items():
        expected = (1 - shrink) * p + shrink / 2
        assert curve.probability((members[0] + members[-1]) / 2) == pytest.approx(expected, abs=1e-6)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.floats(1, 5), st.integers(0, 1)), min_size=4, max_size=40),
    st.lists(st.integers(4, 20), min_size=2, max_size=20),
    st.sampled_from(["isotonic", "platt"]),
)
def test_a_map_keeps_ranks(rows: list[tuple[float, int]], asked: list[int], method: str) -> None:
    scores, labels = (_array([r[k] for r in rows]) for k in range(2))
    curve = (fit_isotonic if method == "isotonic" else fit_platt)(scores, labels, np.ones(len(rows)))
    raw = sorted(a / 4 for a in asked)
    mapped = [curve.score(r) for r in raw]
    assert all(1 <= m <= 5 for m in mapped)
    assert mapped == sorted(mapped)
    if method == "isotonic":  # nowhere flat: what was told apart stays so
        assert len(set(mapped)) == len(set(raw))


def test_platt_finds_the_curve_that_made_the_data() -> None:
    rng = np.random.default_rng(0)
    scores = rng.uniform(1, 5, 20_000)
    labels = (rng.random(20_000) < 1 / (1 + np.exp(-(1.7 * (scores - 3) + 0.4)))).astype(float)
    ((slope, height),) = fit_platt(scores, labels, np.ones(20_000)).knots
    assert slope == pytest.approx(1.7, abs=0.1) and height == pytest.approx(0.4, abs=0.1)


def test_platt_stays_finite_where_scores_separate_and_level_where_they_mislead() -> None:
    ((slope, _),) = fit_platt(_array([1, 2, 4, 5]), _array([0, 0, 1, 1]), np.ones(4)).knots
    assert 0 < slope < 20
    ((slope, _),) = fit_platt(_array([1, 2, 4, 5]), _array([1, 1, 0, 0]), np.ones(4)).knots
    assert slope == 0


# -- fitting a judge ----------------------------------------------------------------------------------------


def test_fit_keeps_the_same_things_present() -> None:
    plain, mapped = _fitted("threshold"), _fitted("isotonic")
    assert plain.threshold == plain.raw_threshold == mapped.raw_threshold == 2.5  # 5 of 6, as at 3.5
    assert mapped.threshold == mapped.score(2.5, "entity")
    assert mapped.score(3.0, "entity") > mapped.threshold > mapped.score(2.0, "entity")
    found = plain.accuracy
    assert found.share_at_two == found.balanced_at_two == 0.5
    rest = (found.share, found.balanced, found.share_held_out, found.balanced_held_out)
    assert rest == pytest.approx((5 / 6,) * 4)
    assert plain.curves == {} and set(mapped.curves) == {"all"}


def test_held_out_works_are_not_fitted_on() -> None:
    # Work a is cut at 2.5 and work b at 4.5: each cut is worthless for the other.
    data = _set([1, 0] * 10 + [1, 0] * 10, ["a"] * 20 + ["b"] * 20)
    verdicts = [Verdict(s) for s in [3.0, 2.0] * 10 + [5.0, 4.0] * 10]
    found = calibrate("j", data, verdicts, method="threshold", n_resamples=20).accuracy
    assert found.share_held_out == found.balanced_held_out == 0.5 and found.share == found.balanced == 0.75


def test_kinds_with_enough_labels_get_maps_of_their_own() -> None:
    counts: tuple[tuple[Kind, int], ...] = (("entity", 12), ("attribute", 12), ("relation", 2))
    kinds: list[Kind] = [kind for kind, count in counts for _ in range(count)]
    data = _set([1, 0] * 13, ["a", "b"] * 13, kinds)
    verdicts = [Verdict(s) for s in [5.0, 1.0] * 6 + [3.0, 2.0] * 6 + [4.0, 4.0]]
    found = calibrate("j", data, verdicts, enough=6, n_resamples=20)
    assert set(found.curves) == {"all", "entity", "attribute"}
    assert found.threshold_from == "entity" and found.raw_threshold == 3.0
    assert found.score(3.0, "attribute") > found.score(3.0, "entity")
    assert found.score(3.0, "relation") == found.curves["all"].score(3.0)
    assert set(found.auc) == {"all", "entity", "attribute", "relation"}


def test_missing_verdicts_are_left_out_and_counted() -> None:
    data = _set([1, 0] * 6, ["a", "b"] * 6)
    verdicts = [Verdict(None, raw="?"), Verdict(1.0)] + [Verdict(5.0), Verdict(1.0)] * 5
    found = calibrate("j", data, verdicts, n_resamples=20)
    assert (found.n, found.n_missing) == (11, 1)


def test_too_few_answers_are_refused_and_flat_judges_noticed() -> None:
    data = _set([1, 0] * 4, ["a", "b"] * 4)
    with pytest.raises(InputError, match="4 true and 4 false questions were answered; a calibration needs at least 5"):
        calibrate("j", data, [Verdict(3.0)] * 8)
    same = calibrate("j", _set([1, 0] * 6, ["a", "b"] * 6), [Verdict(3.0), Verdict(3.1)] * 6, n_resamples=20)
    assert is_flat(same) and not is_flat(_fitted())
    with pytest.raises(InputError, match="method must be one of isotonic, platt, threshold"):
        calibrate("j", data, [Verdict(3.0)] * 8, method="spline")  # type: ignore[arg-type]


# -- files --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["isotonic", "platt", "threshold"])
def test_saved_and_loaded_is_the_same(tmp_path: Path, method: str) -> None:
    made, path = _fitted(method), tmp_path / "c.json"
    made.save(path)
    assert load_calibration(path) == made
    assert load_calibration(path).name == made.name
    assert path.stat().st_size < 5000 and not list(tmp_path.glob("*.part"))


def test_undefined_figures_survive_the_file(tmp_path: Path) -> None:
    one_work = calibrate("j", _set([1, 0] * 6, ["a"] * 12), [Verdict(5.0), Verdict(1.0)] * 6, n_resamples=20)
    assert math.isnan(one_work.accuracy.share_held_out)
    one_work.save(tmp_path / "c.json")
    assert "NaN" not in (tmp_path / "c.json").read_text(encoding="utf-8")
    assert math.isnan(load_calibration(tmp_path / "c.json").accuracy.share_held_out)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"posh_lite_calibration": 9}, "posh_lite_calibration"), ({"judge": ""}, "judge"),
        ({"method": "magic"}, "method"),
        ({"threshold": 0.5}, "threshold"), ({"threshold": "2"}, "threshold"), ({"threshold": True}, "threshold"),
        ({"raw_threshold": None}, "raw_threshold"), ({"n": -1}, "n"), ({"n_missing": 1.5}, "n_missing"),
        ({"spread": -1}, "spread"), ({"curves": {}}, "curves"), ({"curves": {"noun": [[1, 0]]}}, "curves"),
        ({"curves": {"all": [[1, 0.5], [2, 0.4]]}}, "curves.all"),
        ({"curves": {"all": [[1, 0.5], [1, 0.6]]}}, "curves.all"),
        ({"curves": {"all": [[1, 7]]}}, "curves.all"), ({"curves": {"all": []}}, "curves.all"),
        ({"method": "threshold"}, "curves"), ({"method": "platt"}, "curves.all"), ({"auc": {"all": 3}}, "auc"),
        ({"accuracy": {"share": 1}}, "accuracy"),
        ({"criterion": None}, "criterion"), ({"data_sha256": 5}, "data_sha256"), ({"date": None}, "date"),
        ({"threshold_from": "x"}, "threshold_from"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_named(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps({**_fitted().to_dict(), **change}), encoding="utf-8")
    with pytest.raises(InputError, match=f'c.json: field "{field}" must be') as caught:
        load_calibration(path)
    assert caught.value.field == field


@pytest.mark.parametrize("content", ["", "[]", "{}", "nonsense", "\xff", '{"id": "1"}'])
def test_another_file_is_no_calibration(tmp_path: Path, content: str) -> None:
    path = tmp_path / "c.json"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(InputError, match="no calibration"):
        load_calibration(path)
    with pytest.raises(InputError, match="no such calibration file; posh-lite calibrate makes one"):
        load_calibration(tmp_path / "other.json")


# -- judges with a calibration around -----------------------------------------------------------------------


def test_scores_are_mapped_and_raw_answers_kept() -> None:
    judge = TableJudge({("entity", "the cat"): Verdict(4.0, (0, 0, 0, 1, 0), 0.9, "4", "a hint")})
    made = CalibratedJudge(judge, _fitted())
    (verdict,) = made.ask([_question(1)])
    assert verdict.score == _fitted().score(4.0, "entity") > 4.2
    assert verdict.probabilities is None and verdict.mass == 0.9
    assert verdict.raw == "4" and verdict.reason == "a hint; raw score 4.00"
    assert made.presence_threshold == _fitted().threshold
    assert made.signature == f"table calibration:{_fitted().name}"


def test_missing_verdicts_stay_missing_and_a_threshold_alone_maps_nothing() -> None:
    assert CalibratedJudge(TableJudge({}), _fitted()).ask([_question(1)])[0].missing
    verdict = Verdict(3.0, (0, 0, 1, 0, 0))
    judge = CalibratedJudge(TableJudge({}, default=verdict), _fitted("threshold"))
    assert judge.ask([_question(1)]) == [verdict] and judge.presence_threshold == 2.5


def test_another_judge_is_refused() -> None:
    with pytest.raises(JudgeError, match='that of the judge "table", not of "other"; fit one for this judge'):
        CalibratedJudge(TableJudge({}, name="other"), _fitted())


def test_what_the_judge_has_is_passed_through(tmp_path: Path) -> None:
    class Scaled(TableJudge):
        scale, batch_size, structural, rewrites, usage = "yes-no", 7, False, True, {"tokens": 3}

        def rewrite(self, requests: Sequence[Any]) -> list[str | None]:
            return ["x" for _ in requests]

    logged = LoggedJudge(Scaled({}, default=4), tmp_path / "v.sqlite")
    made: Any = CalibratedJudge(logged, _fitted())
    made.ask([_question(1), _question(2)])
    made.ask([_question(1)])
    assert (made.scale, made.batch_size, made.structural, made.rewrites) == ("yes-no", 7, False, True)
    assert (made.n_asked, made.n_known) == (2, 1)
    bare: Any = CalibratedJudge(Scaled({}), _fitted())
    assert bare.usage == {"tokens": 3} and bare.rewrite([1]) == ["x"] and not hasattr(bare, "n_known")
    bare.prime([])  # a judge without this skill is not asked for it
    assert not CalibratedJudge(TableJudge({}), _fitted()).rewrites
    again = pickle.loads(pickle.dumps(CalibratedJudge(TableJudge({}, default=4), _fitted())))
    assert again.ask([_question(1)])[0].score == _fitted().score(4.0, "entity")


def test_other_prompts_are_noted() -> None:
    judge = CalibratedJudge(TableJudge({}, default=5), _fitted())
    assert judge.note("cd" * 32) == ""
    assert "fitted with other prompts (cdcdcdcdcdcd) than are used" in judge.note("ef" * 32)
    posh = PoSh(TableJudge({}, default=5), calibration=_fitted(), progress=False)
    assert any("other prompts" in note for note in posh.notes())


def test_the_name_changes_with_whatever_changes_a_score() -> None:
    one = _fitted()
    assert replace(one, date="2027-01-01", n=3).name == one.name
    curve = Curve("isotonic", ((1.0, 0.1), (5.0, 0.9)))
    others = [replace(one, threshold=2.2), replace(one, curves={"all": curve}), _fitted("platt"), _fitted("threshold")]
    assert len({one.name, *(o.name for o in others)}) == 5
    assert one.name.startswith("isotonic-") and len(one.name) == len("isotonic-") + 8


TEXTS = ("A man in a red coat holds a dog.", "A man wearing a blue coat and a cat.")


def test_replay_with_a_calibration_is_the_live_run_with_it(tmp_path: Path) -> None:
    def answer(question: Question) -> float:
        return 1 + len(question.text) % 5

    log, calibration = tmp_path / "v.sqlite", tmp_path / "c.json"
    _fitted().save(calibration)
    live = PoSh(TableJudge(answer), log=log, calibration=calibration, progress=False).score(*TEXTS)
    again = PoSh("replay", log=log, calibration=calibration, progress=False).score(*TEXTS)
    assert again.to_dict() == live.to_dict()
    assert f"calibration:{_fitted().name}" in live.signature
    raw = ReplayJudge(log)
    assert raw.signature == "table" and raw.presence_threshold == 2.0  # the log holds what the judge itself said


def test_another_calibration_asks_nothing_anew(tmp_path: Path) -> None:
    judge = TableJudge({}, default=4)
    PoSh(judge, log=tmp_path / "v.sqlite", calibration=_fitted(), progress=False).score(*TEXTS)
    asked = len(judge.asked)
    PoSh(judge, log=tmp_path / "v.sqlite", calibration=_fitted("platt"), progress=False).score(*TEXTS)
    assert asked > 0 and len(judge.asked) == asked


def test_the_threshold_decides_what_is_present() -> None:
    scored = PoSh(TableJudge({}, default=2.2), calibration=_fitted("threshold"), progress=False).score(*TEXTS)
    assert all(c.present is False for c in scored.components if c.kind == "entity")
    assert any(c.inherited for c in scored.components)
    plain = PoSh(TableJudge({}, default=2.2), progress=False).score(*TEXTS)
    assert all(c.present for c in plain.components if c.kind == "entity")


def test_the_figure_says_in_words_what_it_shows(tmp_path: Path) -> None:
    from posh_lite.plot_calibration import reliability

    scores, labels = [5.0, 4.0, 3.0, 3.0, 2.0, 2.0] * 4, [1, 1, 1, 0, 0, 0] * 4
    data = _set(labels, [w for w in "abab" for _ in range(6)])
    for method in ("isotonic", "threshold"):
        made = reliability(
            _fitted(method), data, [Verdict(s) for s in scores], name=f"calibration-{method}", folder=str(tmp_path)
        )
        assert "0% around 2.0" in made.alt and "100% around" in made.alt and "threshold 2.50" in made.alt
        assert (tmp_path / f"calibration-{method}.svg").is_file()
        assert "24 questions" in made.caption
