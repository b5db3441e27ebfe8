"""The evaluation as a whole: every metric is a row, scores are kept and found again, tables say what is so."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import re

import pandas as pd
import pytest

from posh_lite.benchmarks.contract import Benchmark, Comparison, Marks, Rating
from posh_lite.errors import InputError, MissingDependency
from posh_lite.evaluation.evaluate import evaluate, read_evaluation
from posh_lite.evaluation.evaluate_scores import pairs_hash, score_benchmark, signature_of
from posh_lite.evaluation.tables import comma_separated, markdown, table_of
from posh_lite.evaluation.tables_latex import escaped, latex
from posh_lite.metric.protocol import Located
from posh_lite.records import Pair


class Told:
    """A metric that says what it was told, and counts how often it was asked."""

    needs = frozenset()
    uncovered = 1.0

    def __init__(self, name, values, signature="told-1"):
        self.name, self.values, self.signature, self.asked = name, values, signature, 0

    def score(self, pairs):
        self.asked += 1
        rows = [(p.id, *[self.values[p.id]] * 3) for p in pairs]
        return pd.DataFrame(rows, columns=["id", "mistakes", "omissions", "overall"])


class Pointing(Told):
    """It also points at the second word of every generation."""

    def locate(self, pairs):
        return [Located(p.id, ((2, 5, self.values[p.id]),), ()) for p in pairs]


class Broken(Told):
    def score(self, pairs):
        raise ZeroDivisionError("nothing\nto divide")


class Lacking(Told):
    def score(self, pairs):
        raise MissingDependency("needs a moon: pip install moon")


class Looking(Told):
    needs = frozenset({"image"})


class Misshapen(Told):
    def score(self, pairs):
        return super().score(pairs)[::-1]


def benchmark() -> Benchmark:
    """Six images with two captions each, the first better; the second word is wrong in the second caption."""
    pairs, comparisons, marks, ratings = [], [], [], []
    for i in range(6):
        pairs += [Pair(f"{i}/a", "A big dog.", "A big dog."), Pair(f"{i}/b", "A tiny cat.", "A big dog.")]
        labels = {"mistakes": 2, "omissions": 1, "overall": 1} if i else {"mistakes": 0, "omissions": 0, "overall": 0}
        comparisons.append(Comparison(i, f"{i}/a", f"{i}/b", labels))
        marks += [Marks(i, f"{i}/a", (), ()), Marks(i, f"{i}/b", ((2, 6),), ((2, 5), (6, 9)))]
        ratings += [Rating(i, f"{i}/a", {"overall": 2}), Rating(i, f"{i}/b", {"overall": i / 6})]
    return Benchmark("six", "six & more", "constructed", tuple(pairs), tuple(comparisons), tuple(marks),
                     tuple(ratings), note="Made for tests_1.")  # fmt: skip


GOOD = {f"{i}/{s}": 0.9 - 0.01 * i if s == "a" else 0.1 + 0.1 * i for i in range(6) for s in "ab"}
BAD = {name: -value for name, value in GOOD.items()}


def test_every_metric_is_a_row_whatever_happens(tmp_path):
    metrics = [Told("good", GOOD), Broken("broken", GOOD), Lacking("lacking", GOOD), Looking("looking", GOOD),
               Misshapen("misshapen", GOOD), "nonsense", "no.such.module:Metric", Pointing("bad", BAD)]  # fmt: skip
    found = evaluate(benchmark(), metrics, output=tmp_path, n_resamples=50, progress=False)
    assert [run.name for run in found.runs] == ["good", "broken", "lacking", "looking", "misshapen", "nonsense",
                                                "no.such.module:Metric", "bad"]  # fmt: skip
    why = {run.name: run.skipped for run in found.runs}
    assert why["good"] == why["bad"] == ""
    assert why["broken"] == "failed with ZeroDivisionError: nothing to divide"
    assert why["lacking"] == "needs a moon: pip install moon"
    assert why["looking"] == "needs images, and the benchmark six has none"
    assert "in order" in why["misshapen"]
    assert 'no metric named "nonsense"' in why["nonsense"]
    assert "cannot be imported" in why["no.such.module:Metric"]
    assert set(found.estimates["metric"]) == {"good", "bad"}
    assert found.estimate("good", "overall", "sign") == 1
    assert found.estimate("bad", "overall", "sign") == 0
    assert found.run("bad").granular and not found.run("good").granular
    with pytest.raises(KeyError):
        found.run("other")


def test_differences_are_paired_and_from_the_first_that_ran():
    metrics = [Broken("broken", GOOD), Told("good", GOOD), Told("bad", BAD), Told("same", dict(GOOD))]
    found = evaluate(benchmark(), metrics, n_resamples=200, progress=False)
    assert found.settings["against"] == "good"
    rows = found.differences
    assert set(rows["metric"]) == {"bad", "same"}
    same = rows[(rows.metric == "same") & (rows.statistic == "accuracy")]
    assert (same["difference"] == 0).all() and (same["share"] == 0.5).all()
    bad = rows[(rows.metric == "bad") & (rows.dimension == "overall") & (rows.statistic == "accuracy")].iloc[0]
    assert bad["difference"] < 0 and bad["share"] < 0.05
    turned = evaluate(benchmark(), metrics[1:], against="bad", n_resamples=200, progress=False).differences
    good = turned[(turned.metric == "good") & (turned.dimension == "overall") & (turned.statistic == "accuracy")]
    assert good["difference"].iloc[0] == -bad["difference"]
    assert good["share"].iloc[0] == pytest.approx(1 - bad["share"])


def test_what_one_metric_lacks_is_left_out_of_both_sides_of_a_difference():
    holed = {**GOOD, "3/a": math.nan}
    found = evaluate(benchmark(), [Told("good", GOOD), Told("holed", holed)], n_resamples=50, progress=False)
    rows = found.differences
    spearman = rows[(rows.statistic == "spearman") & (rows.dimension == "mistakes")].iloc[0]
    assert spearman["n"] == 5  # the comparison with the hole is left out of both
    assert spearman["difference"] == 0
    assert found.run("holed").n_missing == 1


def test_a_metric_that_lacks_something_is_taken_from_a_record(tmp_path):
    run = {"n_resamples": 50, "progress": False}
    metrics = [Told("good", GOOD), Pointing("lacking", BAD, "there-7")]
    first = evaluate(benchmark(), metrics, output=tmp_path, **run)
    kept, here = tmp_path / "scores", [Told("good", dict(GOOD)), Lacking("lacking", GOOD, "here-8")]
    again = evaluate(benchmark(), here, recorded=kept, **run)
    pd.testing.assert_frame_equal(first.estimates, again.estimates)
    pd.testing.assert_frame_equal(first.differences, again.differences)
    taken = again.run("lacking")
    assert taken.recorded and taken.cached and taken.granular and not taken.skipped and taken.signature == "there-7"
    assert not again.run("good").recorded and not first.run("lacking").recorded
    assert "- lacking: from recorded scores, not run again here (there-7)." in markdown(table_of(again))
    other = benchmark()
    changed = Benchmark("six", "six", "constructed", (Pair("0/a", "Another dog.", "A big dog."), *other.pairs[1:]),
                        other.comparisons, other.marks, other.ratings)  # fmt: skip
    assert evaluate(changed, here, recorded=kept, **run).run("lacking").skipped == "needs a moon: pip install moon"
    (old,) = kept.glob("lacking.*")
    (kept / "lacking.0.json.gz").write_bytes(old.read_bytes())
    with pytest.raises(InputError, match="holds 2 files of scores of lacking"):
        evaluate(benchmark(), here, recorded=kept, **run)


@pytest.mark.parametrize("harm", [
    lambda raw: raw[:10] + b"\xff" + raw[11:],  # no deflate stream: zlib has an error of its own
    lambda raw: raw[:40], lambda raw: gzip.compress(b"[]"), lambda raw: b"",
])
def test_damaged_scores_are_made_anew_and_a_damaged_record_is_told(tmp_path, harm):
    run = {"n_resamples": 20, "progress": False}
    evaluate(benchmark(), [Told("good", GOOD), Pointing("lacking", BAD)], output=tmp_path, **run)
    for path in (tmp_path / "scores").iterdir():
        path.write_bytes(harm(path.read_bytes()))
    (old,) = (tmp_path / "scores").glob("lacking.*")
    told = evaluate(benchmark(), [Lacking("lacking", GOOD)], recorded=tmp_path / "scores", **run).run("lacking")
    assert told.skipped == f"needs a moon: pip install moon; {old.name} of its kept scores cannot be read"
    again = evaluate(benchmark(), [Told("good", GOOD)], output=tmp_path, **run).run("good")
    assert not again.skipped and not again.cached


@pytest.mark.parametrize("field", [{"seconds": None}, {"seconds": "x"}, {"scores": [[1]]}, {"sides": None}])
def test_a_record_with_a_wrong_field_is_none(tmp_path, field):
    run = {"n_resamples": 20, "progress": False}
    evaluate(benchmark(), [Pointing("lacking", BAD)], output=tmp_path, **run)
    (old,) = (tmp_path / "scores").iterdir()
    old.write_bytes(gzip.compress(json.dumps({**json.loads(gzip.decompress(old.read_bytes())), **field}).encode()))
    told = evaluate(benchmark(), [Lacking("lacking", GOOD)], recorded=tmp_path / "scores", **run).run("lacking")
    assert told.skipped == "needs a moon: pip install moon"


def test_scores_are_kept_without_texts_and_found_again(tmp_path):
    metric = Pointing("told", GOOD)
    first = evaluate(benchmark(), [metric], output=tmp_path, n_resamples=20, progress=False)
    again = evaluate(benchmark(), [metric], output=tmp_path, n_resamples=20, progress=False)
    assert metric.asked == 1
    assert (first.run("told").cached, again.run("told").cached) == (False, True)
    pd.testing.assert_frame_equal(first.estimates, again.estimates)
    (kept,) = (tmp_path / "scores").iterdir()
    text = gzip.decompress(kept.read_bytes()).decode()
    assert "dog" not in text and "cat" not in text
    assert json.loads(text)["scores"][0][:2] == ["0/a", 0.9]


def test_other_texts_options_signatures_and_broken_files_are_scored_anew(tmp_path):
    metric, data = Told("told", GOOD), benchmark()
    score_benchmark(metric, data, folder=tmp_path)
    pairs = (Pair("0/a", "Another text.", "A big dog."), *data.pairs[1:])
    changed = Benchmark("six", "six", "constructed", pairs)
    assert pairs_hash(changed.pairs) != pairs_hash(data.pairs)
    assert not score_benchmark(metric, changed, folder=tmp_path).cached
    assert not score_benchmark(metric, data, options={"k": 1}, folder=tmp_path).cached
    assert not score_benchmark(Told("told", GOOD, "told-2"), data, folder=tmp_path).cached
    assert metric.asked == 3
    assert score_benchmark(metric, data, folder=tmp_path).cached
    for path in tmp_path.iterdir():
        path.write_bytes(path.read_bytes()[:20])
    assert not score_benchmark(metric, data, folder=tmp_path).cached


def test_a_metric_without_signature_is_known_by_its_code(tmp_path, monkeypatch):
    lines = "class Mine:\n    name, needs = 'mine', frozenset()\n    def score(self, pairs): return {}\n"
    signatures = []
    for extra in ("", "# changed\n"):
        path = tmp_path / "known_by_code.py"
        path.write_text(lines + extra)
        scope: dict[str, object] = {}
        exec(compile(path.read_text(), str(path), "exec"), scope)
        import sys
        import types

        module = types.ModuleType("known_by_code")
        module.__file__ = str(path)
        monkeypatch.setitem(sys.modules, "known_by_code", module)
        mine = scope["Mine"]
        mine.__module__ = "known_by_code"
        signatures.append(signature_of(mine()))
    assert signatures[0] != signatures[1]
    assert all(re.fullmatch(r"mine\|code:[0-9a-f]{12}", s) for s in signatures)


def test_results_are_written_and_read(tmp_path):
    found = evaluate(benchmark(), [Told("good", GOOD), Broken("broken", GOOD)], n_resamples=20, progress=False)
    path = found.write(tmp_path)
    text = path.read_text()
    assert "NaN" not in text and "big dog" not in text
    again = read_evaluation(tmp_path)
    assert again.runs == found.runs
    assert again.about == found.about
    columns = ["metric", "dimension", "statistic", "value", "low", "high", "p", "n"]
    pd.testing.assert_frame_equal(again.estimates[columns], found.estimates[columns], check_exact=False)
    path.write_text("{}")
    with pytest.raises(InputError, match="not written by posh-lite evaluate"):
        read_evaluation(tmp_path)
    with pytest.raises(InputError, match=r"results\.json"):
        read_evaluation(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("metrics", "more", "said"),
    [
        ([], {}, "no metric"), (["posh", "posh"], {}, "asked for twice"),
        (["posh"], {"against": "bleu"}, "none of the metrics"), (["posh"], {"options": {"bleu": {}}}, "options for"),
    ],
)  # fmt: skip
def test_wrong_wishes_are_errors_at_once(metrics, more, said):
    with pytest.raises(InputError, match=said):
        evaluate(benchmark(), metrics, **more)


def test_the_table_marks_the_best_and_the_grey():
    found = evaluate(benchmark(), [Told("good", GOOD), Told("bad_1", BAD), Broken("broken|x", GOOD)],
                     n_resamples=200, progress=False)  # fmt: skip
    table = table_of(found)
    place = table.keys.index(("coarse", "overall", "accuracy"))
    good, bad = (cells[place] for _, cells in table.rows)
    assert good.best and not bad.best
    assert table.skipped == (("broken|x", "failed with ZeroDivisionError: nothing to divide"),)
    said = markdown(table)
    assert f"**{good.text}**" in said
    assert "- broken|x: failed with" in said
    assert "constructed gold: nobody was asked" in said
    assert "mistakes n = 6 on 6 images or works" in said
    assert "## Intervals" in said
    assert "## Differences from good" in said
    rows = dict(table.differences)
    assert list(rows) == ["bad_1"]
    gap = found.differences.query("metric == 'bad_1' and dimension == 'overall' and statistic == 'accuracy'").iloc[0]
    assert rows["bad_1"][place].startswith(f"{100 * gap['difference']:.1f} (")
    assert rows["bad_1"][place].endswith(f"; {100 * gap['share']:.0f}%)")
    # every line of a table has as many cells as its head
    rows = [line for line in said.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in rows}) == 1


def test_grey_follows_the_tests():
    found = evaluate(benchmark(), [Told("good", GOOD)], n_resamples=100, progress=False)
    rows = found.estimates
    of_kendall = (rows.protocol == "coarse") & (rows.dimension == "overall") & (rows.statistic == "kendall")
    rows.loc[of_kendall, "significant"] = False
    table = table_of(found)
    cell = table.rows[0][1][table.keys.index(("coarse", "overall", "kendall"))]
    assert cell.grey
    assert f"({cell.text})" in markdown(table)
    assert f"\\cellcolor{{gray!25}}$-${cell.text[1:]}" in latex(table)
    assert not cell.best  # nothing is the best of one


def test_csv_has_every_figure_unrounded():
    found = evaluate(benchmark(), [Told("good", GOOD), Broken("broken", GOOD)], n_resamples=20, progress=False)
    rows = list(csv.DictReader(io.StringIO(comma_separated(found))))
    assert [row["metric"] for row in rows] == ["good", "broken"]
    assert float(rows[0]["overall_accuracy"]) == found.estimate("good", "overall", "accuracy")
    assert rows[1]["overall_accuracy"] == "" and "ZeroDivisionError" in rows[1]["skipped"]


def test_latex_is_escaped_and_balanced():
    assert escaped("50% of a_b & c#{d}~^\\ <x> $1") == (
        r"50\% of a\_b \& c\#\{d\}\textasciitilde{}\textasciicircum{}\textbackslash{} \textless{}x\textgreater{} \$1"
    )
    found = evaluate(benchmark(), [Told("a_b & c", GOOD), Told("bad", BAD)], n_resamples=20, progress=False)
    text = latex(table_of(found), "six")
    assert r"six \& more" in text and r"a\_b \& c" in text and r"tests\_1" in text
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")
    assert "ρ" not in text and "τ" not in text and "–" not in text
    body = [line for line in text.splitlines() if line.endswith(r"\\") and "multicolumn" not in line]
    assert len({len(re.findall(r"(?<!\\)&", line)) for line in body}) == 1
    assert "$-$" in text and " to $-$" in text  # a real minus, in figures and in intervals
    assert not re.search(r"(?<![\w:-])-\d", text)


def test_figures_have_alt_texts(tmp_path):
    pytest.importorskip("matplotlib")
    from posh_lite.evaluation.evaluate_figures import draw

    found = evaluate(benchmark(), [Told("good", GOOD), Pointing("bad", BAD)], n_resamples=20, progress=False)
    drawn = draw(found, tmp_path)
    assert [one.name for one in drawn] == ["six-accuracy", "six-correlation", "six-ratings", "six-localisation"]
    for one in drawn:
        assert (tmp_path / f"{one.name}.svg").is_file() and (tmp_path / f"{one.name}.png").is_file()
    assert "Overall: good" in drawn[0].alt
    assert "constructed gold" in drawn[0].caption
