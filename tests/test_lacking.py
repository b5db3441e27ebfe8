"""What a judge over others lacks is told at once, and prices for a judge without tokens before any work."""

import importlib.util
import json
import re

import pytest
from test_cascade import policy
from test_cli_faults import write

from posh_lite.cli import main
from posh_lite.errors import InputError, JudgeError, MissingDependency
from posh_lite.judge.lacking import lacking
from posh_lite.judge.registry import JUDGES, counts_tokens, make_judge


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    """An installation without extras and without a server."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "POSH_LITE_MINILM"):
        monkeypatch.delenv(name, raising=False)
    real = importlib.util.find_spec
    away = {"llama_cpp", "openai", "sentence_transformers", "torch", "transformers", "vllm"}
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name in away else real(name))


POLICY, WEIGHTS = r'"cascade" needs policy=FILE \(--judge-option', r'"combined" needs weights=FILE \(--judge-option'


@pytest.mark.parametrize(("name", "options", "parts"), [
    ("cascade", {}, [POLICY, 'needs a model: "cascade:gguf:FILE.gguf"']),
    ("combined", {}, [WEIGHTS, 'needs a model: "combined:gguf:FILE.gguf"']),
    ("cascade:gguf:none.gguf", {}, [POLICY, r"needs llama_cpp: pip install .*\[gguf\]", "none.gguf: no such model"]),
    ("cascade:gguf", {"policy": "p.json"}, [r"p.json: no such file \(policy=\)", "needs llama_cpp", '"gguf:FILE']),
    ("cascade:combined:gguf:none.gguf", {}, [POLICY, WEIGHTS, "needs llama_cpp", "none.gguf: no such model file"]),
    ("cascade:combined:vllm:x", {"policy": "p.json", "weights": "w.json"},
     [r"p.json: no such file \(policy=\)", r"w.json: no such file \(weights=\)", r"needs vllm: pip install .*\[gpu\]"]),
    ("combined:openai:m", {"weights": "w.json"}, ["w.json: no such file", "needs openai", "set OPENAI_BASE_URL"]),
    ("combined:replay", {}, [WEIGHTS, '"replay" answers from a verdict log']),
    ("cascade:transformers:x", {"calibration": "c.json"}, [POLICY, r"\(calibration=\)", "needs torch, transformers"]),
    ("cascade:nix", {}, [POLICY, 'no judge named "nix"']),
    ("cascade:lexical", {"first": "openai:m"}, [POLICY, "needs openai", "set OPENAI_BASE_URL"]),
    ("combined:vectors:minilm", {},
     [WEIGHTS, r"embeddings of models need: pip install .*\[baselines\]", "POSH_LITE_MINILM is not set"]),
    ("combined:vectors:/no/folder", {}, [WEIGHTS, "embeddings of models need"]),
    ("combined:vectors", {}, [WEIGHTS, 'needs a model: "vectors:minilm"']),
])
def test_all_that_is_missing_is_named_in_one_line(tmp_path, monkeypatch, capsys, name, options, parts):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(JudgeError) as caught:
        make_judge(name, **options)
    said = str(caught.value)
    assert f'the judge "{name}" cannot be made, {len(parts)} things are missing: (1) ' in said
    assert re.search(".*".join(rf"\({n}\)[^;]*{part}" for n, part in enumerate(parts, start=1)), said), said
    assert f"({len(parts) + 1})" not in said
    more = [f"--judge-option={k}={v}" for k, v in options.items()]
    assert main(["score", str(write(tmp_path / "p.jsonl", 1)), "--judge", name, *more]) == 1
    assert capsys.readouterr().err == f"posh-lite: error: {said}\n"


def test_one_thing_alone_is_told_as_ever(tmp_path, monkeypatch):
    policy().save(tmp_path / "p.json")
    with pytest.raises(JudgeError, match=r'^the judge "cascade" needs policy=FILE'):
        make_judge("cascade:lexical")
    with pytest.raises(InputError, match="cannot be read: no such file"):
        make_judge("cascade:lexical", policy=str(tmp_path / "none.json"))
    with pytest.raises(MissingDependency, match="needs vllm"):
        make_judge("cascade:vllm:x", policy=str(tmp_path / "p.json"))
    with pytest.raises(JudgeError, match=r'^no judge named "nix"'):
        make_judge("cascade:nix", policy=str(tmp_path / "p.json"))


def test_nothing_is_missing(tmp_path):
    policy().save(tmp_path / "p.json")
    assert lacking("cascade:lexical", None, {"policy": str(tmp_path / "p.json")}) == []
    assert lacking("cascade:module:Class", None, {"policy": policy()}) == []
    assert lacking("lexical", None, {}) == []
    assert lacking("vectors:chars", None, {}) == []
    assert make_judge("cascade:lexical", policy=tmp_path / "p.json").share == 0.4


# -- prices -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "expected"), [
    ("lexical", False), ("replay", False), ("replay:x", False), ("cascade:lexical", False), ("cascade:replay", False),
    ("cascade:combined:lexical", False), ("gguf:x", True), ("openai:m", True), ("cascade:combined:vllm:x", True),
    ("module:Class", None), ("cascade:module:Class", None),
])
def test_which_judges_count_tokens(name, expected):
    assert counts_tokens(name) is expected


def test_every_language_model_counts_tokens_and_no_other():
    models = {"gguf", "openai", "transformers", "vllm"}
    assert {n for n in JUDGES if counts_tokens(f"{n}:x")} == models


@pytest.mark.parametrize("engine", [(), ("--engine", "ray")])
@pytest.mark.parametrize("judge", ["lexical", "replay", "cascade:lexical", "combined:replay"])
def test_prices_without_tokens_are_refused_before_anything_is_made(tmp_path, monkeypatch, capsys, engine, judge):
    def made(*_, **__):
        raise AssertionError

    monkeypatch.setattr("posh_lite.judge.registry.make_judge", made)
    if not (engine and judge == "replay"):  # refused for another reason
        pairs, out = write(tmp_path / "p.jsonl", 2), tmp_path / "out"
        assert main(["score", str(pairs), "-o", str(out), "--judge", judge, "--prices", "1,2", *engine]) == 2
        assert capsys.readouterr().err == (
            f"posh-lite: error: --prices: the judge {judge} has no tokens that could be priced\n"
        )
        assert [p.name for p in tmp_path.iterdir()] == ["p.jsonl"]


def test_a_judge_of_ones_own_is_refused_before_its_first_question(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("judges.Hashing.ask", lambda self, questions: pytest.fail("asked"))
    arguments = ["score", str(write(tmp_path / "p.jsonl", 2)), "--judge", "judges:Hashing", "--prices", "1,2"]
    assert main(arguments) == 2
    assert "the judge hashing has no tokens" in capsys.readouterr().err


# -- figures of a pair --------------------------------------------------------------------------------------------


def summary(arguments, capsys):
    assert main(["score", *map(str, arguments), "--judge", "engines:hashing", "--prices", "3,0.3,15"]) == 0
    said = capsys.readouterr().err
    cost = re.search(r"^cost +([\d.]+) \(([\d.]+) (a pair(?: asked)?)\)", said, re.MULTILINE)
    model = re.search(r"([\d.]+) s (a pair(?: asked)?)$", said, re.MULTILINE)
    assert cost and model, said
    assert cost[3] == model[2]
    return float(cost[1]), float(cost[2]), cost[3], said


@pytest.mark.parametrize("how", ["log", "resume", "both"])
@pytest.mark.parametrize("kept", [1, 3, 5])
def test_the_work_of_a_pair_is_that_of_pairs_that_were_asked(tmp_path, capsys, how, kept):
    """A run that was stopped after some pairs: what the rest takes is divided by the rest."""
    pairs, out, log = write(tmp_path / "p.jsonl", 6), tmp_path / "out", tmp_path / "v.sqlite"
    rows = [json.loads(line) | {"reference": f"{n} dogs."} for n, line in enumerate(pairs.read_text().splitlines(), 3)]
    pairs.write_text("".join(json.dumps(r) + "\n" for r in rows[:kept]))
    logged = [] if how == "resume" else ["--log", log]
    summary([pairs, "-o", out, *logged], capsys)
    pairs.write_text("".join(json.dumps(r) + "\n" for r in rows))
    resumed = [] if how == "log" else ["--resume"]
    total, share, per, said = summary([pairs, "-o", out, *logged, *resumed], capsys)
    assert share == pytest.approx(total / (6 - kept), abs=1e-6)
    assert per == ("a pair asked" if how == "log" else "a pair")
    assert ("kept from before" in said) is (how != "log")
