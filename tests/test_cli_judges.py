"""Judge options of the command line, and what the summary says of a language model."""

from __future__ import annotations

import argparse
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_cli_faults import write

from posh_lite.cli import main
from posh_lite.commands.judges import add_judge_options, judge_options, parse_value
from posh_lite.errors import InputError
from posh_lite.metric.notice import Observer
from posh_lite.metric.posh import PoSh


def parsed(*arguments):
    parser = argparse.ArgumentParser()
    add_judge_options(parser)
    return judge_options(parser.parse_args(["--judge", "gguf:m.gguf", *arguments]))


def score(*arguments):
    return main(["score", *map(str, arguments)])


@pytest.mark.parametrize(("text", "value"), [
    ("4", 4), ("-1", -1), ("0.5", 0.5), ("1e3", 1000.0), ("true", True), ("True", True), ("False", False),
    ("null", None), ("None", None), ("[1, 2]", [1, 2]), ('{"a": 1}', {"a": 1}), ('"4"', "4"), ("yes-no", "yes-no"),
    ("", ""), ("nan", "nan"), ("NaN", "NaN"), ("Infinity", "Infinity"), ("a=b", "a=b"), (" 4 ", 4), ("4b", "4b"),
])
def test_values_are_read_by_their_kind(text, value):
    assert parse_value(text) == value
    assert type(parse_value(text)) is type(value)


@settings(deadline=None)
@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=5,
))
def test_every_json_value_comes_through(value):
    assert parse_value(json.dumps(value)) == value


def test_options_become_keywords():
    assert parsed() == {}
    given = parsed("--scale", "yes-no", "--judge-option", "threads=4", "--judge-option", "gpu-layers=-1",
                   "--judge-option", "name=a=b")
    assert given == {"scale": "yes-no", "threads": 4, "gpu_layers": -1, "name": "a=b"}
    assert parsed("--judge-option", "scale=sampled", "--scale", "sampled") == {"scale": "sampled"}


@pytest.mark.parametrize(("arguments", "message"), [
    (["--judge-option", "threads"], "takes NAME=VALUE"),
    (["--judge-option", "=4"], "takes NAME=VALUE"),
    (["--judge-option", "a b=4"], "takes NAME=VALUE"),
    (["--judge-option", "threads=4", "--judge-option", "threads=5"], "threads is given twice"),
    (["--scale", "1-5", "--judge-option", "scale=yes-no"], "--scale says 1-5, --judge-option says yes-no"),
    (["--judge", "lexical", "--scale", "yes-no"], 'the judge "lexical" takes no --scale: it is no language model'),
    (["--judge", "replay", "--scale", "1-5"], "the scale they were logged with"),
    (["--judge", "replay:x", "--judge-option", "scale=1-5"], "the scale they were logged with"),
])
def test_options_that_are_none(arguments, message):
    with pytest.raises(InputError, match=re.escape(message)):
        parsed(*arguments)


@pytest.mark.parametrize(("arguments", "message"), [
    (["--judge", "engines:hashing", "--judge-option", "scale=1-9"], "scale must be one of"),
    (["--judge", "engines:hashing", "--judge-option", "batch_size=0"], "batch_size must be a whole number"),
    (["--judge", "engines:hashing", "--judge-option", "tempo=1"], "unexpected keyword argument 'tempo'"),
    (["--judge", "judges:Hashing", "--scale", "yes-no"], 'has no option "scale"'),
    (["--judge", "lexical", "--judge-option", "speed=2"], 'the judge "lexical" has no option "speed"'),
    (["--judge", "replay", "--judge-option", "speed=2", "--log", "v.sqlite"], 'the judge "replay" has no option'),
    (["--judge", "engines:hashing", "--judge-option", "log=x"], "give --log instead"),
    (["--judge", "engines:hashing", "--judge-option", "threshold=3"], "give --threshold instead"),
    (["--judge", "judges:Hashing", "--prices", "1,2"], "has no tokens that could be priced"),
    (["--judge", "engines:hashing", "--prices", "cheap"], "prices are given as"),
])
def test_what_a_judge_does_not_take_is_said_in_one_line(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert score(write(tmp_path / "p.jsonl", 1), *arguments) in (1, 2)
    said = capsys.readouterr().err
    assert said.count("\n") == 1, said
    assert message in said


def test_the_summary_shows_a_models_work_and_its_price(tmp_path, capsys):
    pairs = write(tmp_path / "p.jsonl", 3)
    run = ["-o", tmp_path / "out", "--judge", "engines:hashing", "--log", tmp_path / "v.sqlite", "--prices", "3,0.3,15"]
    assert score(pairs, *run) == 0
    said = capsys.readouterr().err
    found = re.search(
        r"^model +([\d,]+) prompts; ([\d,]+) tokens, ([\d,]+) of them computed \((\d+)% reused\); ([\d,]+) generated;"
        r" [\d.]+ s a pair$", said, re.MULTILINE,
    )
    assert found, said
    prompts, tokens, computed, reused, generated = (int(n.replace(",", "")) for n in found.groups())
    assert prompts == generated > 0
    assert reused == round(100 * (tokens - computed) / tokens)
    cost = (computed * 3 + (tokens - computed) * 0.3 + generated * 15) / 1e6
    assert f"{cost:.6f} ({cost / 3:.6f} a pair) at 3,0.3,15 per million tokens" in said
    assert score(pairs, *run) == 0  # all from the log: no work, no cost
    again = capsys.readouterr().err
    assert re.search(r"^model +0 prompts$", again, re.MULTILINE)
    assert "0.000000" in again


def test_usage_of_the_metric():
    posh = PoSh("engines:hashing")
    assert posh.usage.prompts == 0
    posh.score("A red dog.", "A dog.")
    assert posh.usage.prompts > 0
    assert PoSh("judges:Hashing").usage is None


def test_usage_goes_through_a_log(tmp_path):
    posh = PoSh("engines:vague", log=tmp_path / "v.sqlite")
    with pytest.warns(UserWarning, match="only 18% of the probability"):
        score = posh.score("A red dog.", "A dog.")
    assert posh.usage.prompts == posh.judge.n_asked == posh.judge.n_low_mass > 0
    assert score.n_missing == 0
    assert PoSh("replay", log=tmp_path / "v.sqlite").usage is None


def test_doubtful_answers_are_said_plainly(tmp_path, capsys):
    assert score(write(tmp_path / "p.jsonl", 2), "-o", tmp_path / "out", "--judge", "engines:vague") == 0
    said = capsys.readouterr().err
    assert said.count("posh-lite: note: fake model:1 scale:1-5: only 18% of the probability") == 1
    assert "UserWarning" not in said
    assert re.search(r"^low mass +[\d,]+ answers with little probability", said, re.MULTILINE)


def test_a_flat_judge_is_noticed_and_sent_to_calibrate(tmp_path, capsys):
    assert score(write(tmp_path / "p.jsonl", 24), "-o", tmp_path / "out", "--judge", "engines:flat") == 0
    said = capsys.readouterr().err
    assert re.search(r"every one of [\d,]+ entities was called present: the threshold 2 never fires.*calibrate", said)
    assert re.search(r"scores hardly vary \(standard deviation 0\.00 on 1 to 5\).*calibrate", said)
    assert "pairs hardly differ in their scores" in said


def test_pairs_that_differ_are_not_complained_of():
    observer = Observer()
    observer.figures["mistakes"], observer.figures["omissions"] = [0.5, 0.6] * 10, [0.5] * 20
    assert observer.warnings(2.0) == []
    observer.figures["mistakes"] = [0.5, 0.51] * 10
    assert "pairs hardly differ" in observer.warnings(2.0)[0]
    observer.figures["omissions"] = observer.figures["mistakes"] = [0.5] * 19  # too few to say
    assert observer.warnings(2.0) == []
