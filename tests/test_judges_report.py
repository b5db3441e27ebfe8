"""The comparison of judges: everything from the verdicts of one run, on captions made up here."""

import json

import pytest
from captions import CAPTIONS

from posh_lite.benchmarks.iiw import ASPECTS, SideBySide
from posh_lite.errors import InputError
from posh_lite.evaluation.judges_report import best_point, build, main, read_work
from posh_lite.judge.cascade_policy import load_policy
from posh_lite.judge.keys import digest
from posh_lite.judge.lexical import LexicalJudge
from posh_lite.judge.log import LoggedJudge, VerdictLog
from posh_lite.judge.replay import ReplayJudge
from posh_lite.judge.table import TableJudge
from posh_lite.metric.posh import PoSh
from posh_lite.records import Pair

pytest.importorskip("rouge_score", reason="the yardsticks are in the extra baselines")
pytest.importorskip("sacrebleu", reason="the yardsticks are in the extra baselines")



class Model(TableJudge):
    structural = False
    scale = "1-5"

    def __init__(self):
        super().__init__(lambda q: 3 + digest(q.text, q.target_text)[0] / 127.5, name="made-up model scale:1-5")


@pytest.fixture(scope="module")
def logged(tmp_path_factory):
    """A log of a run over all pairs but the last."""
    log = tmp_path_factory.mktemp("run") / "v.sqlite"
    PoSh(LoggedJudge(Model(), log), progress=False).score_many(pairs()[:5])
    return log


def pairs():
    return [Pair(f"image {n}", a, b) for n, (a, b) in enumerate(CAPTIONS)]


def rows():
    return [SideBySide(p.id, p.reference, p.generation, {a: (n + i) % 5 - 2 for i, a in enumerate(ASPECTS)})
            for n, p in enumerate(pairs())]


def test_everything_from_one_log(logged, tmp_path):
    report, curve, policies = build(
        rows(), pairs(), ReplayJudge(logged), LexicalJudge(), shares=(0.0, 0.3, 1.0), ways=("first",), folds=2,
        work={"tokens": 100.0, "computed": 40.0, "seconds": 2.5}, n_resamples=40, data="made up",
    )
    assert (report["n"], report["n_incomplete"], curve["n"], curve["n_incomplete"]) == (5, 1, 5, 1)
    names = [j["name"] for j in report["judges"]]
    assert names == ["lexical", "model", "cascade, first"]
    model = report["judges"][1]
    assert model["work"]["tokens"] == 100.0
    assert report["judges"][0]["work"]["tokens"] is None
    scores = PoSh(ReplayJudge(logged), progress=False).score_many(pairs()[:5])
    assert model["mean"]["overall"] == pytest.approx(sum(s.overall for s in scores) / 5)
    assert [(a["first"], a["second"]) for a in report["agreement"]] == [
        ("lexical", "model"), ("lexical", "cascade, first"), ("model", "cascade, first"),
    ]
    assert all(a["n_unmatched"] == 0 for a in report["agreement"])
    assert len(model["correlations"]) == 4
    assert {row["share"] for row in curve["curve"]} == {0.0, 0.3, 1.0}
    cascade = report["judges"][2]
    assert cascade["work"]["questions"] <= model["work"]["questions"] / 3
    assert list(policies) == ["policy.json"]
    policies["policy.json"].save(tmp_path / "policy.json")
    assert load_policy(tmp_path / "policy.json") == policies["policy.json"]
    text = json.dumps([report, curve], allow_nan=False)
    assert not any(words in text for pair in CAPTIONS for words in pair)  # no text of anyone in the record


def test_a_live_judge_answers_what_the_log_lacks(logged, tmp_path):
    log = tmp_path / "copy.sqlite"
    with VerdictLog(logged) as source:
        source._open().execute("VACUUM INTO ?", (str(log),))
    live = LoggedJudge(Model(), log)
    before = len(live.log)
    build(rows(), pairs(), ReplayJudge(log), LexicalJudge(), shares=(1.0,), ways=("first",), folds=2,
          second=live, n_resamples=20)
    assert live.n_known > 0
    assert len(live.log) == before + live.n_asked


def test_the_cascade_among_the_judges_asks_three_times_less():
    class Run:
        def __init__(self):
            self.said = {"a": (), "b": ()}

        def n_questions(self, name):
            return 30

    class At:
        def __init__(self, share, n):
            self.share, self.n_second = share, {"a": n, "b": n}

    points = [At(0.0, 0), At(0.2, 5), At(0.4, 10), At(0.6, 15)]
    assert best_point(Run(), points).share == 0.4
    assert best_point(Run(), points[:1]) is None


def test_work_is_read_from_lines_of_a_run(tmp_path):
    path = tmp_path / "run.log"
    path.write_text('loading\n{"prompts": 2, "tokens": 10, "computed": 4, "seconds": 1.0}\n{"other": 1}\n'
                    '{"prompts": 4, "tokens": 30, "computed": 8, "seconds": 2.0}\n')
    assert read_work(path) == {"prompts": 3.0, "tokens": 20.0, "computed": 6.0, "seconds": 1.5}
    path.write_text("nothing\n")
    with pytest.raises(InputError, match="no line with prompts"):
        read_work(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_work(tmp_path / "none")


def test_faults_are_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("POSH_LITE_DATA", str(tmp_path))
    assert main(["--log", str(tmp_path / "none.sqlite"), "--output", str(tmp_path / "out")]) == 1
    assert main(["--log", "x", "--output", "y", "--shares", "half"]) == 1
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 2
    assert "--shares takes numbers" in lines[1]
