import gzip
import multiprocessing
import pickle
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import Scene, man_with_cup

from posh_lite.errors import InputError, JudgeError, LogError, ReplayMiss
from posh_lite.graph.types import SceneGraph
from posh_lite.judge.contract import Verdict
from posh_lite.judge.keys import digest, seal, unseal
from posh_lite.judge.log import LoggedJudge, VerdictLog
from posh_lite.judge.merge import merge_log
from posh_lite.judge.replay import ReplayJudge, export_log, read_export
from posh_lite.judge.table import TableJudge
from posh_lite.metric.posh import PoSh

EMPTY = SceneGraph("")


def five_points(question):
    number = digest(question.text)[0]
    if number % 11 == 0:
        return Verdict(None, raw="unreadable \x00 {}")
    return Verdict(1 + 4 * (number / 255), (0.2,) * 5, 0.9, "4", "seen")


class Rewriting(TableJudge):
    rewritten = 0

    def rewrite(self, requests):
        self.rewritten += len(requests)
        return [None if "red" in r.phrase else f"{r.phrase} there" for r in requests]


def score(judge, log):
    graph = man_with_cup()
    return PoSh(judge, log=log).score_graphs(graph, graph)


def test_what_is_known_is_not_asked_again(tmp_path):
    log = tmp_path / "v.sqlite"
    first, second = TableJudge(five_points), TableJudge(five_points)
    before = score(first, log)
    after = score(second, log)
    assert first.asked
    assert second.asked == []
    assert before.to_dict() == after.to_dict()


def test_another_judge_is_asked_anew(tmp_path):
    log = tmp_path / "v.sqlite"
    score(TableJudge(five_points), log)
    other = TableJudge(five_points, name="other model, revision 2")
    score(other, log)
    assert other.asked


def test_the_graph_is_part_of_the_key_for_a_judge_that_reads_it(tmp_path):
    def scene(plural):
        made = Scene("The sheep.")
        made.entity("The sheep", plural=plural)
        return made.graph

    log = tmp_path / "v.sqlite"
    for structural, asked in ((True, 1), (False, 0)):
        judge = TableJudge(five_points, name=f"table {structural}")
        judge.structural = structural
        PoSh(judge, log=log).score_graphs(scene(False), EMPTY)
        again = TableJudge(five_points, name=f"table {structural}")
        again.structural = structural
        PoSh(again, log=log).score_graphs(scene(True), EMPTY)
        assert len(again.asked) == asked


def test_replay_gives_the_same_figures_without_the_judge(tmp_path):
    log = tmp_path / "v.sqlite"
    before = score(Rewriting(five_points), log)
    assert score("replay", log).to_dict() == before.to_dict()


def test_replay_of_an_unknown_question_names_it(tmp_path):
    log = tmp_path / "v.sqlite"
    score(TableJudge(five_points), log)
    scene = Scene("A dog.")
    scene.entity("A dog")
    with pytest.raises(ReplayMiss, match=r'pair "1", generation: .*"the dog"'):
        PoSh("replay", log=log).score_graphs(scene.graph, EMPTY)


def test_replay_needs_a_log_with_one_judge_or_its_name(tmp_path):
    log = tmp_path / "v.sqlite"
    with pytest.raises(LogError, match="no such verdict log"):
        ReplayJudge(log)
    VerdictLog(log).close()
    with pytest.raises(LogError, match="holds no verdicts"):
        ReplayJudge(log)
    score(TableJudge(five_points), log)
    score(TableJudge(five_points, name="other", threshold=3), log)
    with pytest.raises(LogError, match='replay:SIGNATURE": "other", "table"'):
        ReplayJudge(log)
    assert ReplayJudge(log, judge="other").presence_threshold == 3
    with pytest.raises(LogError, match='nothing of the judge "third"'):
        ReplayJudge(log, judge="third")


@pytest.mark.parametrize("name", ["log.jsonl", "log.jsonl.gz"])
def test_an_export_replays_and_holds_no_texts(tmp_path, name):
    log, out = tmp_path / "v.sqlite", tmp_path / name
    before = score(Rewriting(five_points), log)
    assert export_log(log, out) == len(VerdictLog(log))
    data = out.read_bytes()
    text = (gzip.decompress(data) if name.endswith("gz") else data).decode()
    for word in ("man", "cup", "tall", "pale", "seen", "there"):
        assert word not in text
    figures = [c.score for c in before.components]
    assert [c.score for c in score("replay", out).components] == figures
    assert [c.identifier for c in score("replay", out).components] == [c.identifier for c in before.components]
    copy = tmp_path / "copy.sqlite"
    assert merge_log(out, VerdictLog(copy)).new == len(VerdictLog(log))
    assert [c.score for c in score("replay", copy).components] == figures
    again = tmp_path / ("again-" + name)
    export_log(copy, again)
    assert again.read_bytes() == data  # the same log gives the same bytes


def test_a_broken_export_names_its_line(tmp_path):
    bad = tmp_path / "x.jsonl"
    bad.write_text('{"judge":"j","threshold":2,"structural":false}\n{"k":"zz","j":0,"s":1}\n')
    with pytest.raises(InputError, match=r"x\.jsonl:2: not a line of an exported verdict log"):
        read_export(bad)
    with pytest.raises(InputError, match="no such file"):
        read_export(tmp_path / "none.jsonl")
    (tmp_path / "y.jsonl.gz").write_bytes(b"not gzip")
    with pytest.raises(InputError, match="no exported verdict log"):
        read_export(tmp_path / "y.jsonl.gz")


def test_every_batch_is_committed_before_the_next(tmp_path):
    log = tmp_path / "v.sqlite"

    class Dies(TableJudge):
        def ask(self, questions):
            if len(self.batches) == 2:
                raise RuntimeError("killed")
            return super().ask(questions)

    dying = LoggedJudge(Dies(five_points), log, batch_size=3)
    graph = man_with_cup()
    with pytest.raises(JudgeError, match="RuntimeError: killed"):
        PoSh(dying).score_graphs(graph, graph)
    assert len(VerdictLog(log)) == 6
    judge = TableJudge(five_points)
    resumed = LoggedJudge(judge, log)
    whole = PoSh(resumed).score_graphs(graph, graph)
    fresh = TableJudge(five_points)
    assert whole.to_dict() == PoSh(fresh).score_graphs(graph, graph).to_dict()
    assert len(judge.asked) == len(fresh.asked) - 6
    assert resumed.n_known == 6


def test_missing_verdicts_are_kept_as_missing(tmp_path):
    log = tmp_path / "v.sqlite"
    score(TableJudge(lambda q: None), log)
    judge = TableJudge(five_points)
    assert score(judge, log).n_missing > 0
    assert judge.asked == []


def test_the_first_verdict_stays(tmp_path):
    log = VerdictLog(tmp_path / "v.sqlite")
    log.put("j", [(b"k", Verdict(2.0))])
    log.put("j", [(b"k", Verdict(4.0))])
    assert log.get([b"k", b"other"]) == {b"k": Verdict(2.0)}


def test_many_keys_at_once(tmp_path):
    log = VerdictLog(tmp_path / "v.sqlite")
    keys = [digest(str(n)) for n in range(2000)]
    log.put("j", [(k, Verdict(1.0)) for k in keys])
    assert len(log.get([*keys, *keys])) == 2000


def _write(path, name, start):
    log = VerdictLog(path)
    for n in range(start, start + 60):
        log.put(name, [(digest(str(n)), Verdict(3.0, raw=name))])


def test_two_processes_share_a_log(tmp_path):
    path = tmp_path / "v.sqlite"
    VerdictLog(path).close()
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(path, name, start)) for name, start in (("a", 0), ("b", 30))]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [w.exitcode for w in writers] == [0, 0]
    assert len(VerdictLog(path)) == 90


def test_a_judge_with_a_log_can_be_pickled(tmp_path):
    judge = LoggedJudge(TableJudge({("entity", "x"): 5}), tmp_path / "v.sqlite")
    copy = pickle.loads(pickle.dumps(judge))
    assert len(copy.log) == 0
    assert copy.signature == judge.signature


@pytest.mark.parametrize(
    "content", [b"this is not a database at all, just some text\n" * 40, b"SQLite format 3\x00" + b"\xff" * 4000]
)
def test_a_file_of_something_else_is_said_in_one_line(tmp_path, content):
    path = tmp_path / "v.sqlite"
    path.write_bytes(content)
    with pytest.raises(LogError) as caught:
        VerdictLog(path)
    assert "move it away" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == content


def test_another_database_is_not_written_to(tmp_path):
    path = tmp_path / "v.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE notes (x)")
    other.close()
    with pytest.raises(LogError, match="something else"):
        VerdictLog(path)


def test_a_log_of_another_format(tmp_path):
    path = tmp_path / "v.sqlite"
    VerdictLog(path).close()
    with sqlite3.connect(path) as other:
        other.execute("UPDATE meta SET value='99'")
    other.close()
    with pytest.raises(LogError, match="format 99"):
        VerdictLog(path)


def test_a_full_disk_is_said(tmp_path):
    log = VerdictLog(tmp_path / "v.sqlite")
    connection = log._open()
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count={pages + 1}")
    rows = [(digest(str(n)), Verdict(1.0, raw="x" * 500)) for n in range(200)]
    with pytest.raises(LogError, match="the disk is full"):
        log.put("j", rows)
    assert log.get([k for k, _ in rows]) == {}
    connection.execute("PRAGMA max_page_count=100000")
    log.put("j", rows)
    assert len(log) == 200


def test_a_locked_log_is_said(tmp_path):
    path = tmp_path / "v.sqlite"
    log = VerdictLog(path)
    log._open().execute("PRAGMA busy_timeout=20")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LogError, match="locked"):
        log.put("j", [(b"k", Verdict(1.0))])
    other.execute("ROLLBACK")
    other.close()
    log.put("j", [(b"k", Verdict(1.0))])


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(LogError, match="cannot open"):
        VerdictLog(Path(tmp_path / "file" / "v.sqlite"))


@settings(max_examples=40, deadline=None)
@given(st.text(), st.text())
def test_seal_is_undone_by_the_prompt_alone(text, prompt):
    clean = text.encode("utf-8", "replace").decode()
    assert unseal(seal(text, prompt), prompt) == clean
    assert unseal(None, prompt) is None


def test_parts_of_a_key_do_not_run_together():
    assert digest("ab", "c") != digest("a", "bc")
    assert len(digest("\ud800")) == 32
