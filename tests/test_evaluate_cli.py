"""``posh-lite evaluate``: the listing, a metric of one's own in ten lines, options, and what is refused."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap

import pytest

from posh_lite.baselines.registry import make_metric
from posh_lite.benchmarks.contract import Benchmark, Marks
from posh_lite.benchmarks.registry import BENCHMARKS, load_benchmark
from posh_lite.cli import main
from posh_lite.commands.evaluate import listing, metric_names, metric_options
from posh_lite.errors import InputError
from posh_lite.evaluation.evaluate import read_evaluation

OWN = """
import pandas as pd
class Shortness:
    name, needs, uncovered = "shortness", frozenset(), 1.0
    def __init__(self, power=1.0):
        self.power = power
    def score(self, pairs):
        value = [len(p.generation) ** -self.power for p in pairs]
        return pd.DataFrame({"id": [p.id for p in pairs], "mistakes": value, "omissions": value, "overall": value})
    def locate(self, pairs):
        from posh_lite.metric.protocol import Located
        return [Located(p.id, ((0, 3, 0.0),), ((0, 3, 0.0),)) for p in pairs]
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "my_own_metric.py").write_text(OWN)
    yield "my_own_metric:Shortness"
    sys.modules.pop("my_own_metric", None)


def test_a_metric_of_ones_own_joins_with_its_spans_and_options(own, tmp_path, capsys):
    args = ["evaluate", "--benchmark", "mini", "--metrics", f"length,{own},asked", "-o", "out", "--resamples", "20",
            "--metric-option", f"{own}.power=0.5", "--no-figures"]  # fmt: skip
    assert main(args) == 0
    said = capsys.readouterr()
    assert "| shortness |" in said.out
    assert "- A model of one's own: " in said.out
    found = read_evaluation(tmp_path / "out")
    assert [run.skipped == "" for run in found.runs] == [True, True, False]
    assert 0 < found.estimate(own, "mistakes", "f1") < 1
    assert found.estimate(own, "omissions", "sign") < 0.5  # the shorter the better: but what is short leaves out more
    assert set(found.differences["metric"]) == {own}
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "results.json", "table.csv", "table.md", "table.tex", "scores",
    }  # fmt: skip
    assert main([*args[:-1], "--no-figures", "--format", "md", "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert all(run.cached for run in read_evaluation(tmp_path / "out").runs if not run.skipped)


def test_the_metric_of_the_help_text_runs_as_it_stands(tmp_path, monkeypatch, capsys):
    with pytest.raises(SystemExit):
        main(["evaluate", "--help"])
    said = capsys.readouterr().out
    code = re.search(r"    class Shortness:\n(?:(?:        .*)?\n)+", said)
    assert code is not None
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "mine.py").write_text(textwrap.dedent(code.group()))
    assert len([line for line in (tmp_path / "mine.py").read_text().splitlines() if line.strip()]) <= 10
    try:
        assert main(["evaluate", "--benchmark", "mini-arena", "--metrics", "mine:Shortness", "-o", "out", "--rounds",
                     "20", "--resamples", "20", "--no-figures"]) == 0  # fmt: skip
    finally:
        sys.modules.pop("mine", None)
    found = read_evaluation(tmp_path / "out")
    assert set(found.rankings["by"]) == {"people", "mine:Shortness"}
    assert len(found.rankings) == 12
    assert "model ρ" in capsys.readouterr().out


def test_nothing_that_runs_is_a_failure(tmp_path, capsys):
    args = ["evaluate", "--benchmark", "mini", "--metrics", "asked", "-o", str(tmp_path / "out"), "--no-figures"]
    assert main(args) == 1
    said = capsys.readouterr().out
    assert "- A model of one's own: " in said
    assert not any(empty in said for empty in ("| metric |", "Bold", "## Intervals"))  # no heading over nothing


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--metrics", "length", "-o", "out"], "--benchmark is missing"),
        (["--benchmark", "mini"], "--output is missing"),
        (["--benchmark", "minni", "-o", "out"], "did you mean mini?"),
        (["--benchmark", "mine.py:make", "-o", "out"], "without .py: mine:make"),
        (["--benchmark", "mini", "-o", "out", "--format", "pdf"], 'got "pdf"'),
        (["--benchmark", "mini", "-o", "out", "--metrics", ","], "names nothing"),
        (["--benchmark", "mini", "-o", "out", "--resamples", "0"], "--resamples must be at least 1"),
        (["--benchmark", "mini", "-o", "out", "--metrics", "length", "--metric-option", "bleu.k=1"], "METRIC.NAME"),
        (["--benchmark", "mini", "-o", "out", "--benchmark-option", "k"], "NAME=VALUE"),
        *((["--benchmark", name, "-o", "out", "--benchmark-option", "path=123"], "123: ")
          for name in ("iiw400", "docent", "caparena", "contrast")),
        (["--benchmark", "mini", "-o", "out", "--metrics", "length", "--against", "posh"], "none of the metrics"),
    ],
)  # fmt: skip
def test_what_is_refused(args, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", *args]) == 2
    assert said in capsys.readouterr().err


def test_a_path_is_text_or_a_path(tmp_path):
    with pytest.raises(InputError, match='"iiw400": path must name a file or folder, got 123'):
        load_benchmark("iiw400", path=123)


MINE = "def needs_one(x): ...\ndef fails(): raise RuntimeError('no luck')\nNUMBER = 3\n"


@pytest.mark.parametrize("command", [["evaluate", "--benchmark", "mini"], ["challenge"]])
@pytest.mark.parametrize(
    ("metrics", "options", "said"),
    [
        ("length,bleuu", (), 'no metric named "bleuu"; did you mean bleu?'),
        ("length,poshh:gguf:m.gguf", (), "did you mean posh:gguf:m.gguf?"),
        ("length:model", (), 'the metric "length" takes no model'),
        ("length,my_own_metric.py:Shortness", (), "without .py: my_own_metric:Shortness"),
        ("length", ("length.x=3",), 'the metric "length" has no option "x"; it takes none'),
        ("length,posh", ("posh.treshold=2",), "did you mean threshold? It takes model, judge,"),
        ("my_own_metric:Shortness", ("my_own_metric:Shortness.powr=2",), "did you mean power? It takes power"),
        ("length,my_slips:needs_one", (), "missing a required argument: 'x'; expected a class"),
        ("length,my_slips:NUMBER", (), "is no class of a metric"),
        ("length,my_slips:absent", (), "cannot be imported"),
    ],
)  # fmt: skip
def test_slips_are_refused_before_anything_is_scored(
    command, metrics, options, said, own, tmp_path, monkeypatch, capsys
):
    (tmp_path / "my_slips.py").write_text(MINE)
    monkeypatch.delitem(sys.modules, "my_slips", raising=False)
    extra = [part for option in options for part in ("--metric-option", option)]
    assert main([*command, "--metrics", metrics, "-o", "out", *extra]) == 2
    sys.modules.pop("my_slips", None)
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_function_of_ones_own_that_fails_is_one_line(tmp_path, monkeypatch):
    (tmp_path / "my_slips.py").write_text(MINE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "my_slips", raising=False)
    with pytest.raises(InputError, match=r'^the metric "my_slips:fails" cannot be made: RuntimeError: no luck$'):
        make_metric("my_slips:fails")
    sys.modules.pop("my_slips", None)


def test_the_output_is_a_folder(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["evaluate", "--benchmark", "mini", "-o", str(tmp_path / "file")]) == 2
    assert "expected a folder" in capsys.readouterr().err


def test_the_listing_tells_what_is_lacking(monkeypatch, tmp_path, capsys):
    monkeypatch.delenv("POSH_LITE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert main(["evaluate", "--list"]) == 0
    said = capsys.readouterr().out
    assert "\n  posh " in said and "points at places" in said
    for name in BENCHMARKS:
        assert re.search(rf"^  {name} ", said, re.M), name
    assert "cannot run here: the dataset iiw400 is not here" in said
    assert "caparena/caparena_annots_eval.json" in said
    # two lines for every metric and benchmark, and two heads
    from posh_lite.baselines.registry import METRICS

    assert len(listing()) == 2 * len(METRICS) + 2 * len(BENCHMARKS) + 3


def test_names_and_options_of_metrics():
    from posh_lite.baselines.registry import METRICS

    assert metric_names("posh, bleu,posh") == ["posh", "bleu"]
    assert metric_names("mine:M,all") == ["mine:M", *METRICS]
    names = ["posh", "posh:gguf:a.gguf", "a.b:C"]
    found = metric_options(["posh.log=x.sqlite", "posh:gguf:a.gguf.threshold=2.5", 'a.b:C.k={"x": 1}'], names)
    assert found == {"posh": {"log": "x.sqlite"}, "posh:gguf:a.gguf": {"threshold": 2.5}, "a.b:C": {"k": {"x": 1}}}
    for wrong in ("posh.log", "bleu.k=1", "posh.=1", "posh.a b=1"):
        with pytest.raises(InputError, match=r"METRIC\.NAME=VALUE"):
            metric_options([wrong], names)
    with pytest.raises(InputError, match="given twice"):
        metric_options(["posh.log=a", "posh.log=b"], names)


def test_the_contrast_set_as_a_benchmark():
    data = load_benchmark("contrast")
    assert (len(data.pairs), len(data.marks), data.gold) == (386, 386, "constructed")
    assert len({m.unit for m in data.marks}) == 70
    assert len(data.comparisons) == 2 * 246  # each change with both paraphrases of its base
    rewordings = {m.id for m in data.marks if not m.mistakes and not m.omissions}
    assert len(rewordings) == 140
    for c in data.comparisons:
        better = c.a if c.labels["overall"] > 0 else c.b
        assert better in rewordings and ({c.a, c.b} - {better}).isdisjoint(rewordings)
        assert set(c.labels.values()) in ({1}, {-1})
        assert c.a[:4] == c.b[:4] == c.unit
    # sides alternate, and additions leave nothing out
    assert abs(sum(c.labels["overall"] for c in data.comparisons)) <= 1
    assert all("omissions" not in c.labels for c in data.comparisons if "addition" in c.tags)
    assert "nobody tunes on it" in data.note
    for m in data.marks:
        assert all(0 <= a < b <= len(data.by_id[m.id].generation) for a, b in m.mistakes or ())


def test_mini_as_a_benchmark():
    from posh_lite.benchmarks.mini import load_mini

    data, corpus = load_benchmark("mini"), load_mini()
    assert (len(data.pairs), len(data.comparisons), len(data.marks)) == (72, 180, 72)
    gold, marks = corpus.gold[1], data.marks[1]
    assert marks.mistakes == tuple(m.span for m in gold.mistakes)
    assert marks.omissions == tuple(o.span for o in gold.omissions)
    assert data.comparisons[0].labels == {"mistakes": -1, "omissions": -2, "overall": -2}
    assert "nobody" in data.note or "made" in data.note


def test_iiw_as_a_benchmark(tmp_path):
    from posh_lite.benchmarks.iiw import ASPECTS

    said = dict.fromkeys(ASPECTS, "Neutral")
    said |= {"Comprehensiveness": "IIW-Human is substantially better", "Hallucination": "IIW-P5B is marginally better"}
    row = {"image/key": "k", "IIW": "Human text.", "IIW-P5B": "Caption.",
           "iiw-human-sxs-iiw-p5b": {f"metrics/{k}": v for k, v in said.items()}}  # fmt: skip
    (tmp_path / "d.jsonl").write_text(json.dumps(row))
    data = load_benchmark("iiw400", path=tmp_path / "d.jsonl")
    assert data.gold == "people"
    assert data.ratings[0].labels == {"mistakes": 1, "omissions": -2, "overall": -0.2}
    assert data.pairs[0].reference == "Human text."
    other = load_benchmark("iiw400-specificity", path=tmp_path / "d.jsonl")
    assert other.ratings[0].labels["omissions"] == 0
    assert "Specificity" in other.note and other.name == "iiw400-specificity"
    with pytest.raises(InputError, match="no judgment named"):
        load_benchmark("iiw400", path=tmp_path / "d.jsonl", omissions="Beauty")


def test_real_iiw_ratings(data_dir):
    data = load_benchmark("iiw400", path=data_dir / "iiw" / "IIW-400.jsonl")
    assert len(data.ratings) == len(data.pairs) == 100


def test_a_benchmark_of_ones_own(tmp_path, monkeypatch):
    (tmp_path / "my_own_bench.py").write_text(
        "from posh_lite.benchmarks.contract import Benchmark\n"
        "def make(): return Benchmark('b', 'b', 'constructed', ())\n"
        "def wrong(): return 3\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert load_benchmark("my_own_bench:make").name == "b"
    for name, said in (("my_own_bench:wrong", "is no benchmark"), ("my_own_bench:absent", "cannot be imported"),
                       ("no_such_module:make", "cannot be imported"), ("nothing", "there are mini")):  # fmt: skip
        with pytest.raises(InputError, match=said):
            load_benchmark(name)


def test_ids_are_unique_and_marks_belong_to_pairs():
    with pytest.raises(ValueError, match="no pair with the id"):
        Benchmark("b", "b", "constructed", (), marks=(Marks("x", "1", (), ()),))


def test_nothing_heavy_is_imported_for_the_help():
    code = (
        "import sys; from posh_lite.cli import parser; parser()\n"
        "print([m for m in ('numpy', 'pandas', 'scipy', 'spacy', 'torch', 'matplotlib') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
