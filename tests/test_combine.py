"""Weights of two judges fitted: known coefficients, works left out, and what the records of runs make of them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from posh_lite.errors import InputError
from posh_lite.evaluation.calibrate import auc
from posh_lite.evaluation.combine import (
    Answers,
    compare,
    fit_model,
    fit_weights,
    held_out,
    scales_of,
    slopes_by_kind_help,
    threshold_rows,
)
from posh_lite.evaluation.labelled import Labelled, LabelledSet
from posh_lite.judge.combined_weights import KINDS, Scale
from posh_lite.judge.contract import Verdict

PLAIN = {"first": Scale(0.0, 1.0), "second": Scale(0.0, 1.0)}


def simulated(n=20000, slopes=((1.2, 0.7),) * 3, heights=(0.5, -0.3, 0.1), works=12, seed=1):
    """Standard normal scores, and labels drawn by the logistic model."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, 2))
    kind = rng.integers(0, 3, n)
    odds = np.array(heights)[kind] + (np.array(slopes)[kind] * z).sum(axis=1)
    labels = (rng.random(n) < 1 / (1 + np.exp(-odds))).astype(float)
    work = np.array([f"w{i}" for i in rng.integers(0, works, n)], dtype=object)
    return Answers(z[:, 0], z[:, 1], labels, np.ones(n), np.array(KINDS, dtype=object)[kind], work)


def changed(answers, **fields):
    return Answers(**{name: fields.get(name, getattr(answers, name)) for name in Answers.__dataclass_fields__})


# -- the fit --------------------------------------------------------------------------------------------------


def test_known_coefficients_are_found():
    lines = fit_model(simulated(), scales=PLAIN).lines
    for kind, height in zip(KINDS, (0.5, -0.3, 0.1), strict=True):
        assert lines[kind].height == pytest.approx(height, abs=0.07)
        assert (lines[kind].first, lines[kind].second) == pytest.approx((1.2, 0.7), abs=0.07)


def test_slopes_by_kind_are_found():
    slopes = ((2.0, 0.2), (0.3, 1.5), (1.0, 1.0))
    lines = fit_model(simulated(40000, slopes), by_kind=True, scales=PLAIN).lines
    for kind, wanted in zip(KINDS, slopes, strict=True):
        assert (lines[kind].first, lines[kind].second) == pytest.approx(wanted, abs=0.12)


def test_the_same_maximum_as_of_another_implementation():
    sm = pytest.importorskip("statsmodels.api", reason="statsmodels is in the extra stats")
    answers = simulated(3000)
    kinds = np.array([[k == kind for kind in KINDS] for k in answers.kinds], float)
    table = np.c_[kinds, answers.first, answers.second]
    found = sm.Logit(answers.labels, table).fit(disp=0).params
    lines = fit_model(answers, scales=PLAIN, ridge=1e-9).lines
    ours = [*(lines[k].height for k in KINDS), lines["entity"].first, lines["entity"].second]
    assert ours == pytest.approx(found.tolist(), abs=1e-4)


def test_weights_are_repetitions():
    answers = simulated(300)
    times = np.random.default_rng(0).integers(1, 4, 300)
    rows = np.repeat(np.arange(300), times)
    repeated = answers.take(rows)
    weighted = changed(answers, weights=times.astype(float))
    a = fit_model(repeated, scales=PLAIN, ridge=1e-9).lines["relation"]
    b = fit_model(weighted, scales=PLAIN, ridge=1e-9).lines["relation"]
    assert (a.height, a.first, a.second) == pytest.approx((b.height, b.first, b.second), abs=1e-4)
    assert scales_of(repeated)["first"].mean == pytest.approx(scales_of(weighted)["first"].mean)


def test_a_judge_never_counts_against_itself():
    answers = simulated(2000, ((1.0, -1.0),) * 3)
    for by_kind in (False, True):
        lines = fit_model(answers, by_kind=by_kind).lines
        assert all(line.second == 0 for line in lines.values())
        assert all(line.first > 0.5 for line in lines.values())


def test_separated_labels_and_a_flat_judge_stay_finite():
    answers = simulated(60)
    answers = changed(answers, labels=(answers.first > 0).astype(float), second=np.full(60, 3.0))
    model = fit_model(answers)
    assert all(np.isfinite([line.height, line.first]).all() and line.second == 0 for line in model.lines.values())
    assert model.scales["second"] == Scale(3.0, 1.0)


def test_a_kind_that_is_not_there_gets_the_mean_height():
    answers = simulated(4000)
    lines = fit_model(answers.take(answers.kinds != "relation")).lines
    assert lines["relation"].height == pytest.approx((lines["entity"].height + lines["attribute"].height) / 2, abs=1e-3)


def test_scores_agree_with_the_judge():
    answers = simulated(50)
    model = fit_model(answers, scales=PLAIN)
    for n in range(50):
        line = model.lines[answers.kinds[n]]
        wanted = 1 + 4 * line.probability(answers.first[n], answers.second[n])
        assert model.scores(answers)[n] == pytest.approx(wanted)


# -- works left out -------------------------------------------------------------------------------------------


def test_a_works_own_labels_do_not_touch_its_scores():
    answers = simulated(400)
    mine = answers.works == "w3"
    flipped = changed(answers, labels=np.where(mine, 1 - answers.labels, answers.labels))
    for by_kind in (False, True):
        scores, called = held_out(answers, by_kind=by_kind)
        again, called_again = held_out(flipped, by_kind=by_kind)
        assert (scores[mine] == again[mine]).all()
        assert (called[mine] == called_again[mine]).all()
        assert (scores[~mine] != again[~mine]).any()


def test_a_constant_of_the_work_does_not_help():
    # Works differ in how much is true, and the second judge says of each work another constant, at random.
    rng = np.random.default_rng(4)
    answers = simulated(600, ((1.0, 0.0),) * 3)
    names = sorted(set(answers.works))
    constant = dict(zip(names, rng.normal(size=len(names)), strict=True))
    tilt = dict(zip(names, rng.random(len(names)) * 0.6, strict=True))
    labels = np.where(rng.random(600) < [tilt[w] for w in answers.works], 1.0, answers.labels)
    answers = changed(answers, labels=labels, second=np.array([constant[w] for w in answers.works]))
    both, _ = held_out(answers)
    alone, _ = held_out(answers, "first")
    assert auc(both, labels).value <= auc(alone, labels).value + 0.01


def test_both_beat_each_where_they_err_apart():
    answers = simulated(1500, ((1.2, 1.2),) * 3)
    both, _ = held_out(answers)
    found = compare(answers, both, n_resamples=200)
    row = found["all"]
    assert row["both - first"].low > 0
    assert row["both - second"].low > 0
    assert row["both - first"].value == pytest.approx(row["both"].value - row["first"].value)
    assert set(found) == {"all", *KINDS}
    # the difference is paired: its interval is narrower than those of its parts are together
    assert row["both - first"].high - row["both - first"].low < row["first"].high - row["first"].low + 1e-9


def test_slopes_by_kind_only_where_they_help():
    same = simulated(600)
    assert slopes_by_kind_help(same, n_resamples=200).high >= 0
    apart = simulated(1500, ((2.5, 0.0), (0.0, 2.5), (1.0, 1.0)))
    assert slopes_by_kind_help(apart, n_resamples=200).high < 0


def test_the_threshold_is_of_entities_where_there_are_enough():
    rows, name = threshold_rows(simulated(600))
    assert name == "entity" and 150 < rows.sum() < 250
    rows, name = threshold_rows(simulated(90))
    assert name == "all" and rows.all()


def test_what_cannot_be_fitted():
    with pytest.raises(InputError, match="at least two works"):
        held_out(simulated(50, works=1))
    answers = simulated(40)
    answers = changed(answers, labels=(answers.works == "w0").astype(float))
    with pytest.raises(InputError, match="one work holds all questions of a label"):
        held_out(answers)


# -- from verdicts to weights ---------------------------------------------------------------------------------


def labelled(answers):
    from test_combined import question

    items = [
        Labelled(question(kind, f"p{n}"), int(label), work, float(weight))
        for n, (kind, label, work, weight) in enumerate(
            zip(answers.kinds, answers.labels, answers.works, answers.weights, strict=True)
        )
    ]
    return LabelledSet(tuple(items), "made up", "ab" * 32, 0, "cd" * 32)


def verdicts(scores, missing=()):
    return [Verdict(None if n in missing else float(np.clip(s + 3, 1, 5))) for n, s in enumerate(scores)]


def test_weights_say_what_they_were_fitted_on():
    answers = simulated(600)
    said = (verdicts(answers.first, missing={0, 1}), verdicts(answers.second, missing={1, 2}))
    made = fit_weights("one", "two", labelled(answers), said, date="2026-01-02", n_resamples=50)
    assert (made.first, made.second, made.n, made.n_missing) == ("one", "two", 597, 3)
    assert (made.data, made.data_sha256, made.prompts, made.date) == ("made up", "ab" * 32, "cd" * 32, "2026-01-02")
    assert made.threshold_from == "entity" and 1 < made.threshold < 5
    assert made.lines["first"]["entity"].second == made.lines["second"]["entity"].first == 0
    assert made.lines["first"]["entity"].first > 0.5 and made.lines["second"]["entity"].second > 0.3
    assert made.accuracy.share >= made.accuracy.share_held_out
    assert made.accuracy.share >= made.accuracy.share_at_two
    # the threshold is where more than half of what is asked is true, or near it
    assert made.threshold == pytest.approx(3.0, abs=0.5)


def test_too_few_answers_of_a_label_are_named():
    answers = simulated(60)
    false = [n for n, label in enumerate(answers.labels) if label == 0]
    said = (verdicts(answers.first, missing=set(false[4:])), verdicts(answers.second))
    with pytest.raises(InputError, match="4 false questions were answered by both judges"):
        fit_weights("one", "two", labelled(answers), said)
    with pytest.raises(InputError, match="criterion must be one of"):
        fit_weights("one", "two", labelled(answers), said, criterion="best")  # type: ignore[arg-type]


# -- records --------------------------------------------------------------------------------------------------


def test_the_record_of_variants_gets_both_together(tmp_path):
    from test_variants import Engine, corpus

    from posh_lite.evaluation.variants import Variant, run_all
    from posh_lite.evaluation.variants_combined import add_combinations
    from posh_lite.judge.llm.judge import LanguageJudge

    path, log = tmp_path / "variants.json", tmp_path / "log.sqlite"
    settings = {"n": 30, "n_resamples": 20}
    chosen = [Variant(), Variant("yes-no"), Variant(pack=4)]
    run_all(chosen, LanguageJudge(Engine(doubt=0.2)), corpus(), path, log=str(log), **settings)
    before = json.loads(path.read_text())["variants"]
    names = add_combinations(path, log, corpus(), **settings)
    assert names == ["lexical", "1-5, full + lexical", "yes-no, full + lexical"]
    rows = {row["name"]: row for row in json.loads(path.read_text())["variants"]}
    assert list(rows) == [*(row["name"] for row in before), *names]
    assert [rows[row["name"]] for row in before] == before
    assert rows["lexical"]["costs"] == {}
    for name in ("1-5, full", "yes-no, full"):
        assert rows[f"{name} + lexical"]["costs"] == rows[name]["costs"]
        assert rows[f"{name} + lexical"]["auc"]["value"] == 1.0  # the model knows
        assert set(rows[f"{name} + lexical"]["auc_by_kind"]) == set(KINDS)
    assert add_combinations(path, log, corpus(), **settings) == names  # once more: in their places
    assert [row["name"] for row in json.loads(path.read_text())["variants"]] == list(rows)
    with pytest.raises(InputError, match="other questions"):
        add_combinations(path, log, corpus(), n=20)
    with pytest.raises(InputError, match="no such record"):
        add_combinations(tmp_path / "none.json", log, corpus())


def test_variants_that_the_log_lacks_are_left_out_and_said(tmp_path):
    from test_variants import Engine, corpus

    from posh_lite.evaluation.variants import Variant, run_all
    from posh_lite.evaluation.variants_combined import add_combinations
    from posh_lite.judge.llm.judge import LanguageJudge

    path, log, told = tmp_path / "v.json", tmp_path / "a.sqlite", []
    run_all([Variant()], LanguageJudge(Engine()), corpus(), path, log=str(log), n=30, n_resamples=20)
    record = json.loads(path.read_text())
    other = {**record["variants"][0], "name": "1-5, near"}
    other["variant"] = {**other["variant"], "context": "near"}
    own = {**other, "name": "own", "variant": {**other["variant"], "context": "full", "prompts": "own.toml"}}
    path.write_text(json.dumps({**record, "variants": [*record["variants"], other, own]}))
    names = add_combinations(path, log, corpus(), n=30, n_resamples=20, said=told.append)
    assert names == ["lexical", "1-5, full + lexical"]
    assert told[0].startswith("1-5, near: left out") and "own.toml" not in told[0]
    assert told[1].startswith("own: its prompt file was not given")


def test_both_judges_among_the_judges_of_a_report(tmp_path):
    pytest.importorskip("rouge_score", reason="the yardsticks are in the extra baselines")
    pytest.importorskip("sacrebleu", reason="the yardsticks are in the extra baselines")
    from test_combined import weights
    from test_judges_report import Model, pairs, rows

    from posh_lite.errors import JudgeError
    from posh_lite.evaluation.judges_report import build
    from posh_lite.judge.combined import CombinedJudge
    from posh_lite.judge.lexical import LexicalJudge
    from posh_lite.judge.log import LoggedJudge
    from posh_lite.judge.replay import ReplayJudge
    from posh_lite.metric.posh import PoSh

    log = tmp_path / "v.sqlite"
    PoSh(LoggedJudge(Model(), log), progress=False).score_many(pairs()[:5])
    first = LexicalJudge()
    made = weights(first.signature, Model().signature, date="2026-01-02")
    settings = {"shares": (1.0,), "ways": ("first",), "folds": 2, "n_resamples": 20}
    report, curve, policies = build(rows(), pairs(), ReplayJudge(log), first, weights=made, **settings)
    behind = [row for row in curve["curve"] if row["identifiers"] == "combined"]
    assert [row["share"] for row in behind] == [1.0]
    assert 0 < behind[0]["questions"] <= behind[0]["full"]
    assert curve["combined"]["second"].startswith(f"combined weights:{made.name} first lexical-")
    assert policies["policy-combined.json"].second == curve["combined"]["second"] != policies["policy.json"].second
    assert [j["name"] for j in report["judges"]][:3] == ["lexical", "model", "combined"]
    joint, said = report["judges"][2], report["combined"]
    assert joint["judge"].startswith(f"combined weights:{made.name} first lexical-")
    assert joint["threshold"] == 3.0
    assert (said["weights"], said["data"], said["date"]) == (made.name, "mini", "2026-01-02")
    assert said["unknown"] == 0
    assert joint["work"]["questions"] > 0
    live = LoggedJudge(Model(), log)
    alive, _, _ = build(rows(), pairs(), ReplayJudge(log), first, weights=made, second=live, **settings)
    wanted = PoSh(CombinedJudge(first, Model(), made), progress=False).score_many(pairs()[:5])
    assert alive["judges"][2]["scores"]["overall"] == pytest.approx([s.overall for s in wanted])
    assert alive["combined"]["other_name"] == alive["combined"]["unknown"] == 0
    with pytest.raises(JudgeError, match="the weights are those"):
        build(rows(), pairs(), ReplayJudge(log), first, weights=weights(first.signature, "other"), **settings)
