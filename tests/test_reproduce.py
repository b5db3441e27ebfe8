"""Recorded figures against a new run: what reproduces, what differs and by how much, what could not run and why."""

from __future__ import annotations

import json
import sys
import types

import pandas as pd
import pytest

from posh_lite.benchmarks.contract import Benchmark, Comparison, Marks
from posh_lite.benchmarks.registry import BENCHMARKS, BenchmarkEntry
from posh_lite.cli import main
from posh_lite.errors import InputError
from posh_lite.evaluation.reproduce import EXACT, OF_MODELS, read_expected, record, reproduce, tolerance_of
from posh_lite.records import Pair

PAIRS = tuple(Pair(f"{i}/{s}", f"Caption {i} {s}.", "The reference.") for i in range(5) for s in "ab")


def tiny() -> Benchmark:
    comparisons = tuple(Comparison(i, f"{i}/a", f"{i}/b", {"overall": 1 if i else -1}) for i in range(5))
    marks = tuple(Marks(p.id[0], p.id, ((0, 7),) if p.id.endswith("b") else (), None) for p in PAIRS)
    return Benchmark("tiny", "tiny", "constructed", PAIRS, comparisons, marks)


class Steady:
    """The first caption of each image is the better one."""

    name, needs, signature = "steady", frozenset(), "steady-1"

    def score(self, pairs):
        rows = [(p.id, *[0.9 if p.id.endswith("a") else 0.5] * 3) for p in pairs]
        return pd.DataFrame(rows, columns=["id", "mistakes", "omissions", "overall"])


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """The benchmark under its name, and the metric in a module of its own."""
    module = types.ModuleType("steady_metrics")
    module.Steady, module.tiny = Steady, tiny
    monkeypatch.setitem(sys.modules, "steady_metrics", module)
    entry = BenchmarkEntry("tiny", "tiny", "steady_metrics:tiny", "five images", "constructed")
    monkeypatch.setitem(BENCHMARKS, "tiny", entry)


METRIC = "steady_metrics:Steady"


def recorded(folder):
    return {c.metric: c for c in record(["tiny"], [METRIC, "nonsense"], folder, progress=False)}


def test_what_was_recorded_reproduces(tmp_path):
    first = recorded(tmp_path)
    assert first[METRIC].said == "recorded, 4 figures"
    assert first["nonsense"].status == "cannot run"
    content = json.loads((tmp_path / "tiny.json").read_text())
    assert content["metrics"][METRIC]["figures"]["coarse/overall/sign"] == {"value": 0.8, "n": 5}
    assert content["metrics"][METRIC]["figures"]["coarse/overall/spearman"] == {"value": None, "n": 5}
    assert '"coarse/overall/sign": {"value": 0.8, "n": 5}' in (tmp_path / "tiny.json").read_text()
    assert "Caption" not in (tmp_path / "tiny.json").read_text()
    (check,) = reproduce(read_expected(tmp_path), metrics=[METRIC], progress=False)
    assert check.status == "reproduces"
    assert check.said == "4 figures within 0.001, the largest difference is 0"


def test_what_differs_is_told_with_both_values(tmp_path, monkeypatch):
    recorded(tmp_path)
    monkeypatch.setattr(Steady, "signature", "steady-2")
    path = tmp_path / "tiny.json"
    content = json.loads(path.read_text())
    figures = content["metrics"][METRIC]["figures"]
    figures["coarse/overall/sign"]["value"] = 0.6
    figures["coarse/overall/kendall"] = {"value": 0.1, "n": 4}
    figures["coarse/overall/gone"] = {"value": 0.1, "n": 4}
    path.write_text(json.dumps(content))
    (check,) = reproduce(read_expected(tmp_path), metrics=[METRIC], progress=False)
    assert check.status == "differs"
    assert check.said == "3 of 4 figures; the signature is another one"
    assert "coarse/overall/sign: 0.8000, expected 0.6000 (+0.2000)" in check.details
    assert "coarse/overall/kendall: undefined, expected 0.1000; n 5, expected 4" in check.details
    assert "coarse/overall/gone: recorded, but no longer computed" in check.details
    assert "signature now: steady-2" in check.details


def test_another_signature_with_the_same_figures_reproduces_and_says_so(tmp_path, monkeypatch):
    recorded(tmp_path)
    monkeypatch.setattr(Steady, "signature", "steady-2")
    (check,) = reproduce(read_expected(tmp_path), metrics=[METRIC], progress=False)
    assert check.status == "reproduces"
    assert check.said.endswith("the signature is another one")


def test_small_differences_are_within_the_tolerance(tmp_path):
    recorded(tmp_path)
    path = tmp_path / "tiny.json"
    for gap, status in ((EXACT * 0.9, "reproduces"), (EXACT * 1.1, "differs")):
        content = json.loads(path.read_text())
        content["metrics"][METRIC]["figures"]["coarse/overall/sign"]["value"] = 0.8 + gap
        path.write_text(json.dumps(content))
        (check,) = reproduce(read_expected(tmp_path), metrics=[METRIC], progress=False)
        assert check.status == status


def test_other_pairs_are_no_reproduction(tmp_path, monkeypatch):
    recorded(tmp_path)
    monkeypatch.setitem(globals(), "PAIRS", (Pair("0/a", "Other.", "The reference."), *PAIRS[1:]))
    (check,) = reproduce(read_expected(tmp_path), metrics=[METRIC], progress=False)
    assert (check.status, "pairs" in check.said) == ("differs", True)


def test_what_cannot_run_says_why(tmp_path, monkeypatch):
    recorded(tmp_path)

    def broken(self, pairs):
        raise RuntimeError("no power")

    monkeypatch.setattr(Steady, "score", broken)
    (check,) = reproduce(read_expected(tmp_path), metrics=[METRIC], progress=False)
    assert (check.status, check.said) == ("cannot run", "failed with RuntimeError: no power")
    monkeypatch.delitem(BENCHMARKS, "tiny")
    (check,) = reproduce(read_expected(tmp_path), metrics=[METRIC], progress=False)
    assert check.status == "cannot run"
    assert 'no benchmark named "tiny"' in check.said


def test_recording_one_metric_keeps_the_others(tmp_path):
    recorded(tmp_path)
    path = tmp_path / "tiny.json"
    content = json.loads(path.read_text())
    content["metrics"]["other"] = content["metrics"][METRIC]
    path.write_text(json.dumps(content))
    recorded(tmp_path)
    assert set(json.loads(path.read_text())["metrics"]) == {METRIC, "other"}
    content["pairs"] = "of other texts"
    path.write_text(json.dumps(content))
    recorded(tmp_path)
    assert set(json.loads(path.read_text())["metrics"]) == {METRIC}


def test_files_of_another_form_are_named(tmp_path):
    with pytest.raises(InputError, match="no recorded figures"):
        read_expected(tmp_path)
    (tmp_path / "x.json").write_text('{"benchmark": "x", "metrics": {"m": {}}}')
    with pytest.raises(InputError, match=r"x\.json: not a file of recorded figures"):
        read_expected(tmp_path)
    with pytest.raises(InputError, match='nothing is recorded for the benchmark "y"'):
        list(reproduce({"x": {}}, benchmarks=["y"]))


def test_tolerances():
    assert tolerance_of("posh") == EXACT
    assert tolerance_of("posh:gguf:model.gguf") == OF_MODELS
    assert tolerance_of("mine:Metric") == EXACT


def test_the_command_and_its_status(tmp_path, capsys):
    place = ["--expected", str(tmp_path), "--metrics", METRIC, "--quiet"]
    assert main(["reproduce", "--record", "--benchmark", "tiny", *place]) == 0
    assert "1 recorded" in capsys.readouterr().out
    assert main(["reproduce", *place]) == 0
    assert capsys.readouterr().out == "1 reproduce\n"
    path = tmp_path / "tiny.json"
    path.write_text(path.read_text().replace('"value": 0.8', '"value": 0.7'))
    assert main(["reproduce", *place]) == 1
    said = capsys.readouterr().out
    assert "expected 0.7000 (+0.1000)" in said
    assert said.endswith("1 differ\n")
    assert main(["reproduce", "--expected", str(tmp_path), "--metrics", "lenght"]) == 2
    assert "did you mean length?" in capsys.readouterr().err
    absent = ["--expected", str(tmp_path), "--metrics", "nonsense:Metric"]
    assert main(["reproduce", *absent]) == 0
    assert main(["reproduce", *absent, "--strict"]) == 1
    assert "not in the registry" in capsys.readouterr().out
    assert main(["reproduce", "--record", "--benchmark", "nowhere"]) == 2


def test_slips_are_refused_before_anything_is_recorded(tmp_path, capsys):
    place = ["reproduce", "--record", "--expected", str(tmp_path)]
    for args, said in ((["--benchmark", "tiny,minni"], "did you mean mini?"),
                       (["--benchmark", "tiny", "--metrics", f"{METRIC},lenght"], "did you mean length?")):  # fmt: skip
        assert main([*place, *args]) == 2
        assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    recorded(tmp_path)
    assert main(["reproduce", "--expected", str(tmp_path), "--benchmark", "tinny"]) == 2
    assert "did you mean tiny?" in capsys.readouterr().err


@pytest.mark.parametrize("broken", ['{"metrics": {', "5", "[]", '{"benchmark": "tiny", "metrics": {}}', "\xff"])
def test_a_broken_record_is_one_line_and_stays_as_it_is(broken, tmp_path, capsys):
    path = tmp_path / "tiny.json"
    path.write_text(broken, "latin-1")
    args = ["reproduce", "--record", "--benchmark", "tiny", "--metrics", METRIC, "--expected", str(tmp_path), "--quiet"]
    assert main(args) == 2
    error = capsys.readouterr().err
    assert f"{path}: not a file of recorded figures" in error and error.count("\n") == 1
    assert path.read_text("latin-1") == broken


def test_a_record_is_whole_or_as_before(tmp_path, monkeypatch):
    recorded(tmp_path)
    path = tmp_path / "tiny.json"
    before = path.read_text()

    def stopped(self, target):
        raise OSError("stopped")

    monkeypatch.setattr("pathlib.Path.replace", stopped)
    monkeypatch.setattr(Steady, "signature", "steady-2")
    with pytest.raises(OSError, match="stopped"):
        recorded(tmp_path)
    assert path.read_text() == before
    assert [p.name for p in tmp_path.iterdir()] == ["tiny.json"]


def test_the_committed_records_are_of_the_form_and_of_the_benchmarks_of_today():
    from posh_lite.benchmarks.registry import load_benchmark
    from posh_lite.evaluation.evaluate_scores import pairs_hash

    expected = read_expected()
    assert {"mini", "contrast", "mini-arena"} <= set(expected)
    for name in ("mini", "contrast", "mini-arena"):
        assert expected[name]["pairs"] == pairs_hash(load_benchmark(name).pairs)
        assert "posh" in expected[name]["metrics"]
