"""Tables, differences and leads of an evaluation, by hand."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from posh_lite.benchmarks.registry import load_benchmark
from posh_lite.errors import InputError
from posh_lite.evaluation import arena_view, baselines_view, marked_tables
from posh_lite.evaluation.arena_view import BOOTSTRAP, FITTED, ONE_PASS
from posh_lite.evaluation.challenge_view import example, matrix_for, summary
from posh_lite.evaluation.elo import elo, make_battles
from posh_lite.evaluation.evaluate import Evaluation, MetricRun


def row(metric: str, dimension: str, statistic: str, value: float, significant: bool | None = None, **more: object):
    return {"metric": metric, "protocol": "coarse", "subset": "", "dimension": dimension, "statistic": statistic,
            "value": value, "low": value - 0.1, "high": value + 0.1, "n": 10, "n_units": 5, "significant": significant,
            "reason": "", "detail": {}, **more}  # fmt: skip


@pytest.fixture
def evaluation() -> Evaluation:
    rows = [
        row("posh", "mistakes", "accuracy", 0.6), row("length", "mistakes", "accuracy", 0.5),
        row("posh", "overall", "accuracy", 0.4), row("length", "overall", "accuracy", 0.5),
        row("posh", "mistakes", "spearman", 0.1, False), row("length", "mistakes", "spearman", -0.2, True),
        row("posh", "mistakes", "f1", 0.7, protocol="granular", detail={"threshold": 1.95}),
        row("posh", "mistakes", "f1_cv", 0.65, protocol="granular"),
    ]  # fmt: skip
    gaps = [{"metric": "length", "against": "posh", "protocol": "coarse", "subset": "", "dimension": "overall",
             "statistic": "accuracy", "difference": 0.1, "low": 0.02, "high": 0.3, "n": 10, "n_units": 5}]  # fmt: skip
    runs = (MetricRun("posh", "PoSh", granular=True), MetricRun("length", "length"),
            MetricRun("spice", "SPICE", skipped='the metric "spice" cannot run here: parser.jar: get it'))  # fmt: skip
    about = {"name": "mini", "title": "corpus", "gold": "constructed", "note": "", "n_pairs": 10}
    return Evaluation(about, {"against": "posh"}, runs, pd.DataFrame(rows), pd.DataFrame(gaps), pd.DataFrame())


def test_the_coarse_table_marks_best_and_grey_and_keeps_published_apart(evaluation: Evaluation) -> None:
    table = marked_tables.coarse_table(evaluation, "mistakes")
    assert table["metric"].tolist() == ["PoSh", "length", "SPICE"]  # what could not run comes last
    assert table["acc"].tolist() == ["**60.0**", "50.0", marked_tables.NOT_RUN]
    assert table["ρ"].tolist() == ['**<span class="posh-muted">(0.10)</span>**', "−0.20", "–"]
    assert table["DOCENT ρ"].tolist() == ["0.518", "−0.270", "0.308"]  # table 6 of the paper
    assert "τ" not in table  # nothing was measured
    assert table["interval"].tolist() == ["50–70", "40–60", "–"]
    alone = marked_tables.coarse_table(evaluation, "mistakes", "")
    assert list(alone) == ["metric", "acc", "interval", "ρ"] and alone["metric"].tolist() == ["PoSh", "length"]


def test_every_row_of_the_papers_tables_is_a_metric_and_stands_in_the_table(evaluation: Evaluation) -> None:
    """What cannot run here has its published figures, and a word that it did not run."""
    from posh_lite import paper
    from posh_lite.baselines.registry import METRICS

    printed = paper.table("full_coarse_results")
    rows = {m.paper: (name, m.title) for name, m in METRICS.items() if m.paper}
    granular = set(paper.table("docent_granular_results")["method"])
    assert set(printed["method"]) | granular == set(rows)
    assert all(METRICS[name].granular for name, _ in (rows[method] for method in granular))
    runs = [*evaluation.runs[:2], *(MetricRun(n, t, skipped="no key") for n, t in rows.values()
                                    if n not in ("posh", "length"))]  # fmt: skip
    table = marked_tables.coarse_table(replace(evaluation, runs=tuple(runs)), "overall").set_index("metric")
    assert len(table) == len(printed)
    for method in printed["method"]:
        title = rows[method][1]
        said = paper.printed("full_coarse_results", method, "docent_overall_rho").text
        assert table.loc[title, "DOCENT ρ"] == said.replace("-", "−")
        assert (table.loc[title, "acc"] == marked_tables.NOT_RUN) == (title not in ("PoSh", "length"))
    words = marked_tables.granular_table(replace(evaluation, runs=tuple(runs)))
    assert words["DOCENT F1"].tolist() == ["0.559", "0.386", "0.513", "0.513"]
    assert words["F1"].tolist() == ["0.70", *[marked_tables.NOT_RUN] * 3]


def rated() -> Evaluation:
    """Every figure was tested, so that pandas keeps the column of significance as numpy's truths."""
    rows = [
        row(name, "mistakes", statistic, value, significant, protocol="ratings")
        for name, statistic, value, significant in (
            ("posh", "spearman", 0.17, False), ("posh", "spearman_given_length", 0.14, False),
            ("length", "spearman", -0.22, True),
        )
    ]  # fmt: skip
    runs = (MetricRun("posh", "PoSh", granular=True), MetricRun("length", "length"))
    about = {"name": "iiw400", "title": "people", "gold": "people", "note": "", "n_pairs": 10}
    found = Evaluation(about, {"against": "posh"}, runs, pd.DataFrame(rows), pd.DataFrame(), pd.DataFrame())
    assert found.estimates["significant"].dtype == bool
    return found


def test_what_is_not_significant_is_grey_where_every_figure_was_tested() -> None:
    cells = marked_tables.coarse_table(rated(), "mistakes", "")["ρ"].tolist()
    assert cells == ['**<span class="posh-muted">(0.17)</span>**', "−0.22"]
    assert baselines_view.ahead(rated())["clear"].tolist() == [False]


def test_the_table_of_ratings() -> None:
    table = marked_tables.ratings_table(rated())
    assert table.to_dict("records") == [
        {"metric": "PoSh", "mistakes": '**<span class="posh-muted">(0.17)</span>**, 0.07\u00a0to\u00a00.27',
         "| length, mistakes": '<span class="posh-muted">(0.14)</span>'},
        {"metric": "length", "mistakes": "−0.22, −0.32\u00a0to\u00a0−0.12", "| length, mistakes": "–"},
    ]  # fmt: skip


def test_the_table_of_an_arena_is_sorted_and_marked() -> None:
    rows = [row(name, "overall", statistic, value, significant, protocol="arena" if "model" in statistic else "coarse")
            for name, acc, rho, tau, significant in (("posh", 0.4, 0.2, 0.1, False), ("length", 0.5, 0.9, 0.8, True))
            for statistic, value in (("accuracy", acc), ("model_spearman", rho), ("model_kendall", tau))]  # fmt: skip
    runs = (MetricRun("posh", "PoSh"), MetricRun("length", "length"), MetricRun("spice", "SPICE", skipped="no Java"))
    table = marked_tables.arena_table(
        Evaluation({"name": "arena"}, {"against": "posh"}, runs, pd.DataFrame(rows), pd.DataFrame(), pd.DataFrame())
    )
    assert table["metric"].tolist() == ["length", "PoSh"]
    assert table["ρ of rankings"].tolist() == ["**0.90**", '<span class="posh-muted">(0.20)</span>']
    assert table["τ of rankings"].tolist() == ["**0.80**", '<span class="posh-muted">(0.10)</span>']
    assert table["interval"].tolist() == ["0.80\u00a0to\u00a01.00", "0.10\u00a0to\u00a00.30"]


def test_the_granular_table(evaluation: Evaluation) -> None:
    table = marked_tables.granular_table(evaluation)
    assert table.to_dict("records") == [
        {"dimension": "mistakes", "metric": "PoSh", "F1": "0.70", "threshold": "1.95", "held out": "0.65",
         "interval": "0.55\u00a0to\u00a00.75", "DOCENT F1": "0.559"}
    ]  # fmt: skip


def test_leads_and_what_is_ahead(evaluation: Evaluation) -> None:
    table = baselines_view.ahead(evaluation)
    found = {(r.statistic, r.dimension): (r.leads, r.above, r.best, r.clear) for r in table.itertuples()}
    assert found == {
        ("accuracy", "mistakes"): (True, [], "length", True),
        ("accuracy", "overall"): (False, ["length"], "length", True),
        ("Spearman's ρ", "mistakes"): (True, [], "length", False),
    }  # fmt: skip


def test_two_evaluations_side_by_side(evaluation: Evaluation) -> None:
    """Metrics and figures that both have; what leads in one alone is told apart."""
    other = [row("posh", "mistakes", "accuracy", 0.3), row("length", "mistakes", "accuracy", 0.7),
             row("posh", "overall", "accuracy", 0.9, True),
             row("length", "overall", "accuracy", 0.2, False)]  # fmt: skip
    fresh = replace(evaluation, estimates=pd.DataFrame(other))
    table = marked_tables.beside_table(evaluation, fresh, "accuracy")
    assert table.to_dict("list") == {
        "metric": ["PoSh", "length"], "mistakes": ["**60.0** / 30.0", "50.0 / **70.0**"],
        "overall": ["40.0 / **90.0**", '**50.0** / <span class="posh-muted">(20.0)</span>'],
    }  # fmt: skip
    assert baselines_view.led_in_both(evaluation, fresh) == ([], ["accuracy on mistakes"], ["accuracy on overall"])
    assert baselines_view.led_in_both(evaluation, evaluation)[0] == ["accuracy on mistakes", "Spearman's ρ on mistakes"]
    words = marked_tables.beside_table(evaluation, fresh, "f1_cv")
    assert words.to_dict("list") == {"metric": ["PoSh"], "mistakes": ["0.65 / –"]}  # no row of dashes alone
    less = replace(fresh, runs=evaluation.runs[:1])
    assert marked_tables.beside_table(evaluation, less, "accuracy")["metric"].tolist() == ["PoSh"]


def test_differences_are_turned_round(evaluation: Evaluation) -> None:
    one = baselines_view.gaps(evaluation, "accuracy")["length"]["overall"]
    assert (one.value, one.low, one.high) == (-0.1, -0.3, -0.02)
    assert baselines_view.gaps(evaluation, "accuracy", base="length") == {}


def test_why_a_row_has_no_figures(evaluation: Evaluation) -> None:
    table = baselines_view.needs_table(evaluation).set_index("metric")
    assert table.loc["PoSh", "here"] == "ran"
    assert table.loc["SPICE", "here"] == "parser.jar: get it"
    assert table.loc["BLEU-4", "here"] == "not asked for"
    assert table.loc["length", "needs"] == "nothing"


def test_a_long_reason_ends_with_a_whole_word(evaluation: Evaluation) -> None:
    reason = "no server: set OPENAI_BASE_URL to the address of one that has the model"
    runs = (MetricRun("spice", "SPICE", skipped=f"cannot run here: {reason}, or give the option url"),
            MetricRun("fleur", "FLEUR", skipped="words " * 40))  # fmt: skip
    table = baselines_view.needs_table(replace(evaluation, runs=runs)).set_index("metric")
    assert table.loc["SPICE", "here"] == reason
    assert set(str(table.loc["FLEUR", "here"]).split()) == {"words", "…"}


def test_a_record_of_another_benchmark_is_refused(evaluation: Evaluation, tmp_path: Path) -> None:
    evaluation.write(tmp_path)
    found, recorded = baselines_view.evaluation_for("mini", ["length"], tmp_path)
    assert recorded
    assert [asdict(r) for r in found.runs] == [asdict(r) for r in evaluation.runs]
    with pytest.raises(InputError, match="is of the benchmark mini"):
        baselines_view.evaluation_for("contrast", ["length"], tmp_path)


def test_what_is_run_again_equals_its_record(tmp_path: Path) -> None:
    live, recorded = baselines_view.evaluation_for("mini", ["length"], "", n_resamples=20)
    assert not recorded
    again = baselines_view.repeated(live, ["length"], n_resamples=20).iloc[0]
    assert (again["largest"], again["same_signature"]) == (0.0, True)
    assert again["figures"] == len(live.estimates)
    live.estimates.loc[0, "value"] += 0.25
    assert baselines_view.repeated(live, ["length"], n_resamples=20).iloc[0]["largest"] == pytest.approx(0.25)


THREE = [("a", "b", 1.0), ("b", "c", 1.0), ("c", "a", 1.0)]


def test_one_pass_plays_every_order() -> None:
    battles = make_battles(THREE)
    found = arena_view.one_pass(battles, 60, seed=1, k=32.0)
    # six orders of three battles, each played as a plain pass
    from itertools import permutations

    known = {tuple(np.round(elo(make_battles([THREE[i] for i in p], models="abc"), k=32.0), 6))
             for p in permutations(range(3))}  # fmt: skip
    assert {tuple(np.round(r, 6)) for r in found} == known
    assert found.sum(axis=1) == pytest.approx(np.full(60, 3000.0))


def test_leaders_add_up() -> None:
    passes = np.array([[2.0, 1.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, 0.5], [3.0, 1.0, 0.0]])
    assert arena_view.leaders(passes, "abc") == {"a": 0.75, "b": 0.25}


def test_ratings_in_three_ways() -> None:
    found = arena_view.ratings(make_battles(THREE), orders=10, rounds=40)
    assert set(found) == {"a", "b", "c"}
    for ways in found.values():
        assert ways[FITTED].value == pytest.approx(1000.0)  # a circle: all are equal
        assert ways[ONE_PASS].low <= ways[ONE_PASS].value <= ways[ONE_PASS].high
        assert ways[BOOTSTRAP].low < 1000 < ways[BOOTSTRAP].high
    never = arena_view.ratings(make_battles([("a", "b", 1.0)] * 3), orders=2, rounds=5)
    assert math.isnan(never["a"][FITTED].value)
    assert "never lost" in never["a"][FITTED].reason


def test_the_constructed_arena_has_battles_and_others_do_not() -> None:
    battles = arena_view.gold_battles(load_benchmark("mini-arena"))
    assert battles.n == 180
    assert int((battles.outcome == 0.5).sum()) == 16  # the ties that the data card lists
    with pytest.raises(InputError, match="no battles of models"):
        arena_view.gold_battles(load_benchmark("mini"))


def test_ranks_stand_in_the_order_of_the_gold(evaluation: Evaluation) -> None:
    rows = [{"by": by, "subset": "", "model": m, "rank": r} for by, ranks in
            (("people", {"x": 2, "y": 1}), ("posh", {"x": 1, "y": 2})) for m, r in ranks.items()]  # fmt: skip
    ranked = Evaluation(evaluation.about, evaluation.settings, evaluation.runs, evaluation.estimates,
                        evaluation.differences, pd.DataFrame(rows))  # fmt: skip
    assert arena_view.rank_table(ranked).to_dict("list") == {"model": ["y", "x"], "gold": [1, 2], "PoSh": [2, 1]}
    with pytest.raises(InputError, match="no rankings"):
        arena_view.rank_table(evaluation)


def test_an_example_marks_the_wrong_words() -> None:
    one = example("bedroom/confuser+1")
    assert one.kind == "swap"
    text = one.to_html(around=20)
    assert "<mark>reddish brown</mark>" in text
    assert "<mark>pale blue</mark>" in text
    right = text.split("</p>")[0]
    assert "pale blue" in right
    assert "<mark>" not in right
    with pytest.raises(InputError, match="no trial"):
        example("bedroom/faithful-1")  # nothing is wrong in a text that is only shorter


def test_the_recorded_matrix_can_be_shown() -> None:
    folder = Path(__file__).parents[1] / "data" / "results" / "challenge"
    matrix, recorded = matrix_for(folder, [])
    assert recorded
    shown = summary(matrix, [("planted", "all", "all"), ("planted", "swap", "swap")])
    assert set(shown["metric"]) == {run.title for run in matrix.ran}
    values = [int(text.split("\u00a0")[0]) for text in shown["all"]]
    assert values == sorted(values, reverse=True)
    assert "/" not in json.dumps([run.skipped for run in matrix.runs])
