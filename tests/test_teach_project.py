"""The project: how the works are divided, and when a rival counts as beaten."""

from __future__ import annotations

import json
import math

import pandas as pd
import pytest

from posh_lite.benchmarks.mini import load_mini
from posh_lite.cli import main
from posh_lite.errors import InputError
from posh_lite.teach import project

SLUGS = [w.slug for w in load_mini().works]


class Oracle:
    """Knows the gold of the corpus, so that it must win."""

    name, needs = "oracle", frozenset()

    def score(self, pairs):
        gold = {g.id: g for g in load_mini().gold}
        rows = [(p.id, -1.0 * len(gold[p.id].mistakes), -1.0 * len(gold[p.id].omissions)) for p in pairs]
        frame = pd.DataFrame(rows, columns=["id", "mistakes", "omissions"])
        return frame.assign(overall=frame.mistakes + frame.omissions)


@pytest.mark.parametrize("salt", ["posh-lite", "spring", ""])
def test_halves_are_whole_works_of_equal_number_and_stay(salt):
    halves = project.divide(SLUGS, salt)
    assert [len(v) for v in halves.values()] == [6, 6]
    assert sorted(halves["open"] + halves["closed"]) == sorted(SLUGS)
    assert project.divide(SLUGS[::-1], salt) == halves


def test_another_word_divides_in_another_way():
    assert len({project.divide(SLUGS, salt)["closed"] for salt in map(str, range(20))}) > 10


def test_a_half_holds_everything_of_its_works_and_nothing_else():
    halves = [project.half_of(h) for h in project.HALVES]
    whole = load_mini()
    assert sum(len(h.pairs) for h in halves) == len(whole.pairs)
    assert sum(len(h.comparisons) for h in halves) == len(whole.preferences)
    for half in halves:
        works = {p.id.split("/")[0] for p in half.pairs}
        assert works == {c.unit for c in half.comparisons} == {m.unit for m in half.marks}


def row(low, high, mine=0.6):
    return project.Row("closed", "mistakes", "bleu", mine, 0.5, low, high)


def test_beaten_means_the_whole_interval():
    assert [row(*ends).said for ends in ((0.01, 0.2), (0.0, 0.2), (-0.1, 0.2), (-0.2, -0.1))] == [
        "beaten", "cannot be told", "cannot be told", "behind",
    ]
    assert row(0.1, 0.2, float("nan")).said == "no score"


def test_who_knows_the_gold_wins_and_who_guesses_does_not(tmp_path):
    won = project.run_project(f"{__name__}:Oracle", halves=("closed",), n_resamples=200)
    assert set(won.beats("bleu")) >= {"mistakes", "omissions"}
    assert "BLEU-4 is beaten on the closed half in" in won.markdown()
    assert "closed half: 90 pairs of 6 works" in won.markdown()
    kept = json.loads(won.write(tmp_path).read_text("utf-8"))
    assert kept["works"]["closed"] == list(project.divide(SLUGS)["closed"])
    assert {r["half"] for r in kept["rows"]} == {"closed"}


def test_rivals_and_broken_metrics_are_refused(tmp_path, capsys):
    with pytest.raises(InputError, match="what there is to beat"):
        project.run_project("bleu")
    assert main(["project", "nowhere_to_be:Found", "-o", str(tmp_path / "p"), "--quiet"]) == 2
    assert "did not run" in capsys.readouterr().err


class Own:
    """Gives a caption what :meth:`value` says; subclasses err in one way each."""

    name, needs = "own", frozenset()

    def score(self, pairs):
        values = [self.value(p, k) for k, p in enumerate(pairs)]
        return pd.DataFrame({"id": [p.id for p in pairs], "mistakes": values, "omissions": values, "overall": values})


class Length(Own):
    def value(self, pair, k):
        return len(pair.generation)


class Silent(Own):
    def value(self, pair, k):
        return math.nan


class Infinite(Own):
    def value(self, pair, k):
        return math.inf


class Half(Own):
    """Speaks of every other caption alone."""

    def value(self, pair, k):
        return len(pair.generation) if k % 2 else math.nan


class Constant(Own):
    def value(self, pair, k):
        return 1


class OtherIds(Length):
    def score(self, pairs):
        return super().score(pairs).assign(id=lambda f: f.id + "x")


class NeedsMore(Length):
    def __init__(self, size):
        self.size = size


class NoMetric:
    def score(self, pairs):
        return Length().score(pairs)


def told(kind, **settings):
    return project.run_project(f"{__name__}:{kind}", halves=("open",), n_resamples=100, **settings)


def test_a_metric_with_infinite_scores_is_told_where():
    result = told("Infinite")
    assert not result.rows
    assert "the column 'mistakes' is infinite for the pair 'milkmaid/faithful'" in result.markdown()


def test_a_metric_without_a_score_has_none():
    result = told("Silent")
    assert {r.said for r in result.rows} == {"no score"}
    assert {r.silent for r in result.rows} == {36}
    assert "gives no score (open half, mistakes: 36" in result.markdown()
    assert "NaN" not in json.dumps(result.to_dict())


def test_silence_is_no_way_to_beat_a_rival():
    whole, half = told("Length"), told("Half")
    for a, b in zip(whole.rows, half.rows, strict=True):
        assert b.silent == 18
        assert b.theirs == a.theirs  # the rival is judged on everything all the same
        assert not b.beaten
        if not math.isnan(b.low):
            assert b.low - 1e-9 <= b.mine - b.theirs <= b.high + 1e-9


def test_a_constant_metric_calls_everything_a_tie_and_beats_nobody():
    result = told("Constant")
    assert not any(r.beaten for r in result.rows)
    assert {r.silent for r in result.rows} == {0}


def test_of_a_half_that_was_not_looked_at_nothing_is_said():
    said = told("Length").markdown()
    assert "The closed half was not looked at." in said
    assert "not beaten" not in said


@pytest.mark.parametrize(
    ("kind", "said"),
    [("OtherIds", "row 1 has the id 'milkmaid/faithfulx', not 'milkmaid/faithful'"), ("NeedsMore", "a default"),
     ("NoMetric", "examples/bag_of_words.py"), ("Nobody", "no attribute 'Nobody'")],
)  # fmt: skip
def test_a_metric_that_cannot_be_used_is_told_what_to_do(kind, said, tmp_path, capsys):
    asked = ["project", f"{__name__}:{kind}", "-o", str(tmp_path), "--half", "open", "--quiet"]
    assert main(asked) == 2
    assert said in capsys.readouterr().err


METRIC = """import pandas as pd
class Mine:
    name, needs = "mine", frozenset()
    def score(self, pairs):
        n = [len(p.generation) for p in pairs]
        return pd.DataFrame({"id": [p.id for p in pairs], "mistakes": n, "omissions": n, "overall": n})
"""


@pytest.mark.parametrize("name", ["a_metric_of_mine", "random", "a-b", "v1.2"])
def test_a_metric_may_be_named_as_a_file(name, tmp_path, monkeypatch):
    import sys

    from posh_lite.baselines.registry import make_metric
    from posh_lite.commands.project import own_file

    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    (tmp_path / f"{name}.py").write_text(METRIC, "utf-8")
    for _ in range(2):  # a second time in the same process
        named = own_file(f"{tmp_path / name}.py:Mine")
        assert make_metric(named).name == "mine"
    assert sys.modules[named.partition(":")[0]].__file__ == str(tmp_path / f"{name}.py")
    assert "tmp" not in str(sys.modules["random"].__file__) or name != "random"


@pytest.mark.parametrize(
    ("metric", "text", "said"),
    [("none.py:Mine", None, "no such file"), ("m.py", METRIC, "m.py:CLASS"), ("m", METRIC, "m.py:CLASS"),
     ("m.py:", METRIC, "behind the colon"), ("m.py:Nobody", METRIC, "there is Mine"),
     ("m.py:Mine", "x = 1\ndef f(:\n", "m.py:2: cannot be loaded: SyntaxError"),
     ("m.py:Mine", "x = 1\n\nimport nowhere_to_be\n", "m.py:3: cannot be loaded: ModuleNotFoundError")],
)  # fmt: skip
def test_a_file_that_cannot_be_used_is_told_with_its_line(metric, text, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / "m.py").write_text(text, "utf-8")
    assert main(["project", metric, "-o", "out", "--quiet"]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [(["-o", "file"], "file: is a file"), (["-o", "file/sub/x"], "file: is a file"),
     (["-o", "x", "--seed", "-1"], "--seed must be at least 0"),
     (["-o", "x", "--resamples", "0"], "--resamples must be at least 1")],
)  # fmt: skip
def test_options_that_cannot_be_are_told_before_anything_is_scored(options, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    assert main(["project", f"{__name__}:Length", *options]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_names_that_are_no_files_stay():
    from posh_lite.commands.project import own_file

    assert [own_file(name) for name in ("length", "m:Mine", "prometheus:a/b")] == ["length", "m:Mine", "prometheus:a/b"]
