"""The chapter on judges: records read and joined, what intervals say, and its figures with their alt texts."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

from posh_lite import plot_judges
from posh_lite.benchmarks.mini import load_mini
from posh_lite.errors import InputError
from posh_lite.evaluation import judges_view as view
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.evaluation.calibrate import auc
from posh_lite.evaluation.labelled import corpus_sha256, labelled_questions
from posh_lite.evaluation.token_count import Cost
from posh_lite.judge.calibration import Accuracy, Calibration, Curve
from posh_lite.judge.contract import Verdict
from posh_lite.judge.log import LoggedJudge
from posh_lite.judge.replay import export_log
from posh_lite.judge.table import TableJudge


def est(value, low=math.nan, high=math.nan, n=9):
    return Estimate(value, low, high, n, n)


@pytest.fixture(autouse=True)
def _figures(tmp_path, monkeypatch):
    """Figures of a test go where the test is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("posh_lite.plot.figures_folder", lambda: tmp_path / "figures")


# -- records ------------------------------------------------------------------------------------------------


def test_a_record_that_is_not_there_is_none_and_one_of_another_kind_an_error(tmp_path):
    path = tmp_path / "r.json"
    assert view.read_record(path, "judges") is None
    path.write_text('{"judges": [], "n": 3}', "utf-8")
    assert view.read_record(path, "judges", "n") == {"judges": [], "n": 3}
    with pytest.raises(InputError, match='"curve" is missing'):
        view.read_record(path, "curve")
    for content in ("[1]", "{"):
        path.write_text(content, "utf-8")
        with pytest.raises(InputError, match="not a record"):
            view.read_record(path, "judges")


@pytest.mark.parametrize(
    ("signature", "name"),
    [
        ("gguf Qwen2.5_Coder_1.5B_Instruct_GGUF type:15 sha256:ab scale:1-5", "Qwen2.5 Coder 1.5B Instruct (Q4_K_M)"),
        ("gguf tiny-chat type:99 sha256:ab", "tiny-chat"),
        ("gguf Q type:7 sha256:ab scale:1-5 calibration:isotonic-1|prompts:x", "Q (Q8_0)"),
        ("lexical-2 lexicon:1", "lexical-2 lexicon:1"),
        ("gguf", "gguf"),
        ("", ""),
    ],
)
def test_the_model_by_the_name_that_people_use(signature, name):
    assert view.model_name(signature) == name


def test_labelled_questions_are_drawn_again_by_the_name_of_their_data(tmp_path):
    corpus = load_mini()
    sha = corpus_sha256(corpus)
    made = labelled_questions(corpus, n=30, pairs=1, seed=4, structural=False)
    again = view.same_questions(made.name, sha, "1-5")
    assert again is not None
    assert [i.question.prompt for i in again.items] == [i.question.prompt for i in made.items]
    assert view.same_questions(made.name, "0" * 64, "1-5") is None
    assert view.same_questions("labels.jsonl, about 30 questions, seed 4", sha, "1-5") is None

    judge = TableJudge(lambda q: 1 + len(q.text) % 5, name="made-up scale:1-5")
    judge.structural = False
    said = LoggedJudge(judge, tmp_path / "v.sqlite").ask([i.question for i in made.items])
    export_log(tmp_path / "v.sqlite", tmp_path / "v.jsonl.gz")
    found = view.replayed(tmp_path / "v.jsonl.gz", judge.signature, again)
    assert [v.score for v in found] == [v.score for v in said]
    assert len(view.logged(tmp_path / "v.jsonl.gz")) == len({i.question.prompt for i in made.items})
    assert view.replayed(tmp_path / "none.jsonl.gz", judge.signature, again) is None
    assert view.replayed(tmp_path / "v.jsonl.gz", "another judge", again) is None
    assert view.logged(tmp_path / "none.jsonl.gz") == []


# -- judges and people --------------------------------------------------------------------------------------


def record(**scores):
    """A judges.json of pairs a, b, ... with the overall scores given for each judge."""
    n = len(next(iter(scores.values())))
    return {
        "ids": list("abcdefghijkl"[:n]),
        "judges": [
            {
                "name": name, "threshold": 2.0, "scores": dict.fromkeys(view.FIGURES, values),
                "mean": dict.fromkeys(view.FIGURES, 0.5), "sd": {"mistakes": 0.1, "omissions": 0.2, "overall": None},
                "work": {"questions": 10, "tokens": None},
            }
            for name, values in scores.items()
        ],
    }  # fmt: skip


def people(n=12):
    ids = list("abcdefghijkl"[:n])[::-1]  # in another order than the record
    lengths = [1.0, 2.0] * (n // 2)
    return pd.DataFrame({"id": ids, "overall": [9.0] * n, "label": range(n, 0, -1), "length_ratio": lengths})


def test_scores_meet_the_judgments_of_their_own_pair():
    frame = view.joined(record(model=[0.1, None, 0.3]), people())
    assert frame["id"].tolist() == ["a", "b", "c"]
    assert frame["label"].tolist() == [1, 2, 3]
    assert "overall" not in frame  # the other run's own score is not taken for this one's
    assert frame["model/overall"].tolist()[::2] == [0.1, 0.3]
    assert math.isnan(frame["model/overall"][1])


def test_a_record_without_pairs_or_with_unknown_ones_is_refused():
    old = record(model=[0.1, 0.2])
    del old["ids"]
    with pytest.raises(InputError, match="make it again"):
        view.joined(old, people())
    with pytest.raises(InputError, match='pair "a"'):
        view.joined(record(model=[0.1, 0.2]), people().iloc[:3])


def test_raters_are_judges_and_yardsticks():
    found = view.raters(record(model=[1.0]), {"chrf": "chrF"})
    assert [r.name for r in found] == ["model", "chrF"]
    assert found[0].columns["mistakes"] == "model/mistakes"
    assert set(found[1].columns.values()) == {"chrf"}


def test_the_difference_of_a_perfect_and_a_reversed_judge_is_two():
    up, down = [k / 10 for k in range(12)], [-k / 10 for k in range(12)]
    frame = view.joined(record(up=up, down=down), people())
    found = view.difference(frame, "up/overall", "down/overall", "label", n_resamples=200)
    assert (found.value, found.low, found.high) == pytest.approx((2.0, 2.0, 2.0))
    assert found.n == 12
    same = view.difference(frame, "up/overall", "up/mistakes", "label", n_resamples=200)
    assert (same.value, same.low, same.high) == (0.0, 0.0, 0.0)


def test_a_difference_without_spread_is_undefined_and_missing_scores_are_dropped():
    frame = view.joined(record(up=[0.4, None, 0.1, 0.5, 0.3], flat=[0.5] * 5), people())
    found = view.difference(frame, "up/overall", "flat/overall", "label", n_resamples=50)
    assert math.isnan(found.value)
    assert "does not vary" in found.reason
    given = view.difference(frame, "up/overall", "up/mistakes", "label", given="length_ratio", n_resamples=50)
    assert (given.value, given.n, given.n_dropped) == (0.0, 4, 1)  # the same scores on both sides


@pytest.mark.parametrize(
    ("estimate", "says"),
    [
        (est(0.3, 0.1, 0.5), "better"), (est(-0.3, -0.5, -0.1), "worse"), (est(0.3, -0.1, 0.5), "not told apart"),
        (est(0.3, 0.0, 0.5), "not told apart"), (est(0.3), "no interval"), (est(math.nan), "undefined"),
    ],
)  # fmt: skip
def test_what_an_interval_says(estimate, says):
    assert view.told(estimate, "better", "worse") == says


def test_what_two_intervals_say():
    assert view.apart(est(0.9, 0.8, 0.95), est(0.5, 0.4, 0.7)) == "higher"
    assert view.apart(est(0.5, 0.4, 0.7), est(0.9, 0.8, 0.95)) == "lower"
    assert view.apart(est(0.5, 0.4, 0.8), est(0.9, 0.8, 0.95)) == "overlapping"
    assert view.apart(est(0.5), est(0.9, 0.8, 0.95)) == "no interval"


def test_the_difference_of_two_areas_is_that_of_the_areas():
    data = labelled_questions(load_mini(), n=60, pairs=1, structural=False)
    draw = np.random.default_rng(1).uniform(1, 5, (2, len(data.items)))
    first, second = ([Verdict(float(v)) for v in row] for row in draw)
    first[0] = Verdict(None)
    found = view.auc_difference(first, second, data, n_resamples=50)
    kept = data.items[1:]
    areas = [
        auc([v.score for v in said[1:]], [i.label for i in kept], [i.weight for i in kept], n_resamples=1).value
        for said in (first, second)
    ]
    assert found.value == pytest.approx(areas[0] - areas[1])
    assert (found.n, found.n_dropped, found.n_units) == (len(kept), 1, len({i.work for i in kept}))


# -- tables -------------------------------------------------------------------------------------------------


def test_unknown_means_and_work_are_gaps():
    row = view.judge_rows(record(model=[0.1, 0.2])).iloc[0]
    assert (row["mistakes"], row["omissions sd"], row["questions"]) == (0.5, 0.2, 10)
    assert np.isnan([row["overall sd"], row["tokens"], row["seconds"]]).all()


def curve():
    def row(share, questions, times):
        r = est(0.9 + share / 10, 0.8, 0.99).to_dict()
        return {"identifiers": "first", "share": share, "questions": questions, "full": 40.0, "times_fewer": times,
                "other_name": 1, "unknown": 0, **{f: {"pearson": r} for f in view.FIGURES}}

    return view.curve_points({"curve": [row(0.0, 0.0, None), row(0.2, 8.0, 5.0), row(0.3, 12.0, 10 / 3),
                                        row(1.0, 40.0, 1.0)]})


def test_the_point_that_asks_so_many_times_fewer():
    points = curve()
    assert [p.asked for p in points] == [0.0, 0.2, 0.3, 1.0]
    assert points[0].times == math.inf
    assert view.cheap_enough(points, 3.0) is points[2]
    assert view.cheap_enough(points, 4.0) is points[1]
    assert view.cheap_enough(points, 6.0) is None


def test_usage_of_a_way_of_asking():
    usage = view.usage_of({"prompts": 2.5, "tokens": 100.0, "computed": 20.0}, 4)
    assert (usage.prompts, usage.tokens, usage.cached, usage.computed, usage.generated) == (10, 400, 320, 80, 10)


def test_outcomes_of_tests_by_judge(tmp_path):
    names = ["tests.judges.test_vllm::a", "tests.judges.test_vllm::b", "tests.judges.test_real_server::c", "other::d"]
    rows = [{"test": n, "outcome": "skipped" if n.endswith("b") else "passed"} for n in names]
    (tmp_path / "vllm-cpu.json").write_text(json.dumps({"tests": rows}), "utf-8")
    assert view.tested(tmp_path / "none") == {}
    assert view.tested(tmp_path) == {
        "vllm-cpu": {"vllm": {"passed": 1, "skipped": 1}, "openai": {"passed": 1}, "gguf": {"passed": 1}}
    }


def test_a_file_of_several_judges_counts_by_the_tests_own_names(tmp_path):
    names = [
        "test_gguf_alone", "test_openai_before_the_server_of_vllm", "test_vllm_offline", "test_a_real_model_served",
    ]
    rows = [{"test": f"tests.judges.test_ten_pairs::{n}", "outcome": "passed"} for n in names]
    (tmp_path / "judges.json").write_text(json.dumps({"tests": rows}), "utf-8")
    assert view.tested(tmp_path)["judges"] == {
        "gguf": {"passed": 2}, "openai": {"passed": 2}, "vllm": {"passed": 1}
    }


# -- figures ------------------------------------------------------------------------------------------------


def test_answers_say_their_probabilities_in_the_alt_text():
    verdict = Verdict(3.5, (0.1, 0.1, 0.3, 0.2, 0.3), 0.9)
    figure = plot_judges.answers({"Is it red?": verdict, "Gone": Verdict(None)}, name="a", caption="C.")
    assert "Is it red?: 1 10%, 2 10%, 3 30%, 4 20%, 5 30%; score 3.50" in figure.alt
    assert "Gone: 1 0%, 2 0%, 3 0%, 4 0%, 5 0%; score missing" in figure.alt


def test_quality_and_cost_leaves_out_what_has_no_cost():
    rows = [{"name": f"way {k}", "auc": est(0.7, 0.6, 0.8), "computed": 20.0 * k} for k in range(8)]
    rows += [{"name": "free", "auc": est(0.9), "computed": math.nan}]
    figure = plot_judges.quality_and_cost(rows, name="a", caption="C.")
    assert "way 7: 140 tokens, AUC 0.70, interval 0.60 to 0.80" in figure.alt
    assert "free" not in figure.alt


def test_calibration_maps_show_curve_and_threshold():
    curves = {"all": Curve("isotonic", ((1.0, 0.2), (5.0, 0.8)))}
    accuracy = Accuracy(*[0.5] * 6)
    one = Calibration("j", "isotonic", 3.0, 2.75, curves, "all", "share", {"all": est(0.8)}, accuracy, 0.5, "mini", "0",
                      9, 0, "p", "2026-01-01")
    figure = plot_judges.calibration_maps({"1-5": one}, name="a", caption="C.")
    assert "1-5, all: 0.20 at 1, 0.50 at 3, 0.80 at 5" in figure.alt
    assert "fitted threshold 2.75" in figure.alt


def test_scores_by_judge_cope_with_gaps():
    frame = pd.DataFrame({"m/mistakes": [0.2, math.nan, 0.6], "m/omissions": [math.nan] * 3})
    figure = plot_judges.by_judge(frame, ["m"], name="a", caption="C.")
    assert "m mistakes from 0.20 to 0.60, median 0.40" in figure.alt
    assert "omissions" not in figure.alt


@pytest.mark.parametrize("n", [1, 3, 4])
def test_side_by_side_has_a_panel_a_hypothesis(n):
    panels = {
        f"h{k}": {"lexical": {"raw": est(0.1 * k, 0.0, 0.9), "given length": est(math.nan)}} for k in range(1, n + 1)
    }
    figure = plot_judges.side_by_side(panels, name="a", xlabel="rho", caption="C.")
    assert f"h{n}, lexical: raw {0.1 * n:.2f}, given length undefined" in figure.alt
    assert all(f">h{k}<" in figure.svg for k in range(1, n + 1))


def test_the_cascade_names_share_and_correlation():
    figure = plot_judges.cascade({"one name": curve()}, name="a", caption="C.")
    assert "one name, 20% asked: mistakes 0.92, omissions 0.92, overall 0.92" in figure.alt
    empty = [view.CurvePoint("all", 0.1, 0.1, 10.0, dict.fromkeys(view.FIGURES, est(math.nan)), 0, 0)]
    assert "undefined" in plot_judges.cascade({"none": empty}, name="b", caption="C.").alt


def test_work_has_its_numbers():
    ways = {"released": Cost(200, 60000, 15000.4, 15500), "lazy": Cost(140, 50000, 2250, 2300)}
    figure = plot_judges.work(ways, name="a", caption="C.")
    assert "released: 200 prompts, 15,000 tokens computed" in figure.alt
    assert ">2,250<" in figure.svg
