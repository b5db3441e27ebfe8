"""The run on IIW-400 with a language model: measured pair by pair, stopped, gone on from its log or an export."""

import json

import engines
import pytest
from captions import CAPTIONS

from posh_lite.benchmarks.iiw import ASPECTS, Iiw, SideBySide
from posh_lite.cli import main as posh_lite
from posh_lite.errors import InputError
from posh_lite.evaluation import iiw_report
from posh_lite.evaluation.judges_report import read_work
from posh_lite.evaluation.pair_work import score_measured
from posh_lite.judge.llm.judge import LanguageJudge
from posh_lite.metric.posh import PoSh

pytest.importorskip("rouge_score", reason="the yardsticks are in the extra baselines")
pytest.importorskip("sacrebleu", reason="the yardsticks are in the extra baselines")

TEXTS = CAPTIONS[:3]
DATA = Iiw(
    tuple(
        SideBySide(f"image {n}", reference, generation, {a: (n + i) % 5 - 2 for i, a in enumerate(ASPECTS)})
        for n, (generation, reference) in enumerate(TEXTS)
    ),
    (),
)


@pytest.fixture(autouse=True)
def _data(monkeypatch, tmp_path):
    monkeypatch.setattr("posh_lite.benchmarks.iiw.load_iiw400", lambda: DATA)
    monkeypatch.chdir(tmp_path)


def lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def run(*arguments):
    return iiw_report.main(["--judge", "engines:hashing", *map(str, arguments)])


def test_a_measured_run_and_the_same_again_from_its_log(tmp_path, capsys):
    options = ("--log", "v.sqlite", "--work", "work.jsonl", "--output", "first")
    assert run(*options) == 0
    said = capsys.readouterr()
    assert "3 captions" in said.out
    assert said.err.count(" prompts; ") == 3
    work = lines(tmp_path / "work.jsonl")
    assert [row["id"] for row in work] == ["image 0", "image 1", "image 2"]
    # counted anew, without the command
    judge = LanguageJudge(engines.FakeEngine(engines.spread))
    metric = PoSh(judge, progress=False)
    scores = metric.score_many(DATA.pairs)
    assert sum(row["prompts"] for row in work) == judge.usage.prompts
    assert sum(row["tokens"] for row in work) == judge.usage.tokens
    assert all(0 < row["computed"] < row["tokens"] for row in work)
    assert read_work(tmp_path / "work.jsonl")["prompts"] == judge.usage.prompts / 3
    record = iiw_report.read_report("first")
    assert record.frame["overall"].tolist() == pytest.approx([s.overall for s in scores], rel=1e-12)
    assert record.signature == metric.signature

    assert run(*options[:4], "--output", "second") == 0
    assert capsys.readouterr().err.count("all from the log") == 3
    assert lines(tmp_path / "work.jsonl") == work
    assert iiw_report.read_report("second").frame.equals(record.frame)


def test_a_stopped_run_goes_on_and_a_pair_in_pieces_is_no_measure(tmp_path, capsys, monkeypatch):
    class Stopped(engines.FakeEngine):
        left = 40

        def read(self, prompts, answers):
            Stopped.left -= 1
            if Stopped.left == 0:
                raise KeyboardInterrupt
            return super().read(prompts, answers)

    made = []

    def stopping(**settings):
        made.append(LanguageJudge(Stopped(engines.spread), batch_size=1, **settings))
        return made[-1]

    monkeypatch.setattr(engines, "stopping", stopping, raising=False)
    options = ["--judge", "engines:stopping", "--log", "v.sqlite", "--work", "work.jsonl", "--output", "run"]
    assert iiw_report.main(options) == 130
    assert "goes on from the log" in capsys.readouterr().err
    before = lines(tmp_path / "work.jsonl")
    done = len(before)
    assert 1 <= done < 3
    assert not (tmp_path / "run").exists()

    assert iiw_report.main(options) == 0
    asked = sum(judge.usage.prompts for judge in made)
    alone = LanguageJudge(engines.FakeEngine(engines.spread))
    scores = PoSh(alone, progress=False).score_many(DATA.pairs)
    assert asked == alone.usage.prompts  # nothing was asked twice
    found = iiw_report.read_report("run").frame["overall"].tolist()
    assert found == pytest.approx([s.overall for s in scores], rel=1e-12)
    after = [row["id"] for row in lines(tmp_path / "work.jsonl")]
    assert after == [pair.id for n, pair in enumerate(DATA.pairs) if n != done]


def test_an_export_carries_a_run_on_elsewhere(tmp_path, capsys):
    assert run("--log", "here.sqlite", "--limit", 2, "--dry-run") == 0
    assert posh_lite(["log", "export", "here.sqlite", "-o", "verdicts.jsonl.gz"]) == 0
    assert posh_lite(["log", "import", "verdicts.jsonl.gz", "--into", "there.sqlite"]) == 0
    capsys.readouterr()
    assert run("--log", "there.sqlite", "--work", "work.jsonl", "--dry-run") == 0
    assert capsys.readouterr().err.count("all from the log") == 2
    assert [row["id"] for row in lines(tmp_path / "work.jsonl")] == ["image 2"]


def test_a_torn_line_stays_apart(tmp_path):
    work = tmp_path / "work.jsonl"
    work.write_text('{"id": "killed", "prom', "utf-8")
    metric = PoSh(engines.hashing(), progress=False)
    metric.on_batch = mine = lambda wanted, asked: None
    (found,) = score_measured(metric, DATA.pairs[:1], work)
    assert found[2]
    assert metric.on_batch is mine
    first, second = work.read_text("utf-8").splitlines()
    assert first == '{"id": "killed", "prom'
    assert json.loads(second)["prompts"] == found[1].prompts
    assert read_work(work)["prompts"] == found[1].prompts


def test_settings_of_the_judge_reach_the_signature(capsys):
    assert run("--judge-option", "threshold=3", "--scale", "1-5", "--limit", 1, "--output", "run") == 0
    assert "|threshold:3|" in iiw_report.read_report("run").signature


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--judge", "gguf:model.gguf"], "--output data/results/NAME"),
        (["--limit", "2"], "--output data/results/NAME"),
        (["--limit", "0", "--dry-run"], "--limit must be at least 1"),
        (["--work", "work.jsonl", "--dry-run"], "no work that could be measured"),
        (["--judge", "engines:hashing", "--work", "no/such/folder.jsonl", "--dry-run"], "folder.jsonl: cannot be"),
    ],
)
def test_what_cannot_be_meant_is_said_before_anything_is_asked(arguments, said, capsys):
    assert iiw_report.main(arguments) == 1
    assert said in capsys.readouterr().err


def test_a_judge_without_a_model_has_no_work():
    with pytest.raises(InputError, match="lexical"):
        next(score_measured(PoSh("lexical", progress=False), DATA.pairs))
