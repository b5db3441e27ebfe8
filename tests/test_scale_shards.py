"""Shards, workers and estimates: everything of a run on a cluster but the cluster."""

import json
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.cli import main
from posh_lite.errors import InputError, JudgeError, MissingDependency
from posh_lite.judge.contract import Verdict
from posh_lite.judge.llm.usage import Prices, Usage
from posh_lite.judge.log import VerdictLog
from posh_lite.metric.notice import Observer
from posh_lite.records import Pair
from posh_lite.scale.estimate import Plan, Sample, estimate, read_usage
from posh_lite.scale.ray_engine import Cluster, check_ray, pool_size, raise_fault
from posh_lite.scale.shards import Ordered, Outcome, ShardFolder, absorb, same_signature, split, unpack
from posh_lite.scale.worker import LayeredLog, Recipe, ShardFault, ShardScorer, run_name

ROOT = Path(__file__).resolve().parent.parent
JUDGES = str(ROOT / "tests" / "judges")
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)


def pairs(count=7):
    nouns = ("dog", "cat", "horse", "table")
    return [
        Pair(f"p{n}", f"A red {nouns[n % 4]} by {n + 2} trees.", f"A {nouns[n % 3]} by a tree.") for n in range(count)
    ]


def outcome(number, lines="x\n", **more):
    return Outcome(number, lines.encode(), b"", {"shard": number, "skipped": [], "signature": "s", **more})


# -- cutting and keeping ------------------------------------------------------------------------------------


@settings(max_examples=50, deadline=None)
@given(st.lists(st.builds(Pair, TEXT, TEXT, TEXT, st.none() | TEXT), max_size=9), st.integers(1, 4))
def test_shards_hold_the_pairs_in_order(given_pairs, size):
    shards, digest = split(iter(given_pairs), size)
    assert [p for s in shards for p in unpack(s.data)] == given_pairs
    assert [s.number for s in shards] == list(range(len(shards)))
    assert all(s.size == size for s in shards[:-1])
    assert digest == split(given_pairs, size + 1)[1]


def test_another_text_is_another_input():
    one, two = pairs(3), pairs(3)
    two[1] = Pair(two[1].id, two[1].generation, two[1].reference + " ")
    assert split(one, 2)[1] != split(two, 2)[1]
    assert split(one, 2)[1] != split(one[::-1], 2)[1]


def test_what_is_stored_is_finished(tmp_path):
    with ShardFolder(tmp_path / "run", {"judge": "a"}, 3) as folder:
        assert folder.finished() == {}
        folder.store(outcome(1, "é\n"))
    with ShardFolder(tmp_path / "run", {"judge": "a"}, 3) as folder:
        assert list(folder.finished()) == [1]
        assert folder.lines(1) == "é\n"
        folder.remove()
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("harm", ["no report", "half a report", "other lines", "no lines"])
def test_a_damaged_shard_is_not_finished(tmp_path, harm):
    with ShardFolder(tmp_path, {}, 2) as folder:
        folder.store(outcome(0))
        folder.store(outcome(1))
        report, lines = folder.name(0, "json"), folder.name(0, "lines")
        if harm == "no report":
            report.unlink()
        elif harm == "half a report":
            report.write_bytes(report.read_bytes()[:9])
        elif harm == "other lines":
            lines.write_bytes(b"")
        else:
            lines.unlink()
        assert list(folder.finished()) == [1]


def test_other_settings_are_refused(tmp_path):
    ShardFolder(tmp_path / "run", {"judge": "a", "threshold": None}, 3).close()
    with pytest.raises(InputError, match=r"threshold: none then, 3 now\); give the same ones"):
        ShardFolder(tmp_path / "run", {"judge": "a", "threshold": 3}, 3)
    ShardFolder(tmp_path / "run", {"threshold": None, "judge": "a"}, 3).close()  # the refusal let go of the lock


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(InputError, match="holds other files"):
        ShardFolder(tmp_path, {}, 1)
    assert (tmp_path / "thesis.txt").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks on Windows")
def test_two_processes_do_not_share_a_folder(tmp_path):
    with ShardFolder(tmp_path, {}, 1), pytest.raises(InputError, match="another process"):
        ShardFolder(tmp_path, {}, 1)


def test_shards_with_skipped_pairs_are_scored_again_where_none_may_be(tmp_path):
    with ShardFolder(tmp_path, {}, 2) as folder:
        folder.store(outcome(0, skipped=["pair p1"]))
        folder.store(outcome(1))
        assert list(folder.finished()) == [0, 1]
        assert list(folder.finished(whole=True)) == [1]


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(5)))
def test_lines_are_written_in_order_whatever_comes_first(tmp_path_factory, order):
    path = tmp_path_factory.mktemp("ordered")
    with ShardFolder(path / "run", {}, 5) as folder:
        text = ["h\na\n", "", "h\nb\nc\n", "h\nd\n", ""]  # with column names; two shards in which all was skipped
        for number, lines in enumerate(text):
            folder.store(outcome(number, lines))
        with (path / "out").open("w") as handle:
            ordered = Ordered(lambda: handle, folder, header=True)
            for number in order:
                ordered.add(number)
        assert (path / "out").read_text() == "h\na\nb\nc\nd\n"


def test_shards_of_two_judges_are_not_mixed():
    rows = [{"shard": n, "signature": f"model-{1 + n // 2}"} for n in range(3)]
    assert same_signature(rows[:2]) == "model-1"
    with pytest.raises(JudgeError, match="shard 2 was scored as model-2 but shard 0 as model-1"):
        same_signature(rows)


# -- logs ---------------------------------------------------------------------------------------------------


def test_logs_of_shards_become_one(tmp_path):
    first, second, target = (VerdictLog(tmp_path / n) for n in ("a.sqlite", "b.sqlite", "all.sqlite"))
    for log in (first, second):
        log.register("j", 2.0, False)
    first.put("j", [(b"1", Verdict(3.0, raw="three", reason="because")), (b"2", Verdict(None, raw="?"))])
    second.put("j", [(b"2", Verdict(None, raw="?")), (b"1", Verdict(4.0)), (b"3", Verdict(5.0))])
    second.put_rewrites("j", [(b"r", b"sealed")])
    assert absorb(first.path, target) == 0
    assert absorb(second.path, target) == 1  # the answers to "1" differ
    kept = [(k, v.score, v.reason) for k, _, v in target.rows()]
    assert kept == [(b"1", 3.0, "because"), (b"2", None, ""), (b"3", 5.0, "")]
    assert target.get_rewrites([b"r"]) == {b"r": b"sealed"}
    assert target.judges() == {"j": (2.0, False)}


def test_a_layered_log_reads_both_and_writes_its_own(tmp_path):
    shared = VerdictLog(tmp_path / "shared.sqlite")
    shared.put("j", [(b"1", Verdict(3.0))])
    log = LayeredLog(tmp_path / "own-0.sqlite", shared)
    log.register("j", 2.0, True)
    log.put("j", [(b"2", Verdict(4.0))])
    assert {k: v.score for k, v in log.get([b"1", b"2", b"3"]).items()} == {b"1": 3.0, b"2": 4.0}
    log.move(tmp_path / "own-1.sqlite")
    assert len(log) == 0
    assert log.judges() == {"j": (2.0, True)}
    assert len(VerdictLog(tmp_path / "own-0.sqlite")) == 1


# -- workers ------------------------------------------------------------------------------------------------


def scorer(tmp_path, judge="scale_judges:Telling", **more):
    turn = more.pop("turn", 0)
    shared = more.pop("shared", None)
    recipe = Recipe(judge=judge, folders=(JUDGES,), chunk=3, **more)
    return ShardScorer(recipe, shared=shared, turn=turn, scratch=tmp_path / "scratch")


@pytest.mark.parametrize(("kind", "components"), [("jsonl", True), ("csv", False)])
def test_shards_put_together_are_the_run_of_one_process(tmp_path, monkeypatch, kind, components):
    monkeypatch.syspath_prepend(JUDGES)
    source = tmp_path / "p.jsonl"
    source.write_text("".join(json.dumps(p.to_dict()) + "\n" for p in pairs()))
    more = ["--components"] if components else []
    log = tmp_path / "one.sqlite"
    command = ["score", source, "-o", tmp_path / "one", "--judge", "scale_judges:Telling", "--format", kind, "--quiet"]
    assert main([*map(str, command), "--log", str(log), *more]) == 0

    worker = scorer(tmp_path, kind=kind, components=components, logged=True)
    shards, _ = split(pairs(), 3)
    with ShardFolder(tmp_path / "run", {}, len(shards)) as folder, (tmp_path / "two").open("w", newline="") as handle:
        ordered = Ordered(lambda: handle, folder, header=kind == "csv")
        together, seen = VerdictLog(tmp_path / "two.sqlite"), Observer()
        for shard in shards[::-1]:
            result = worker.score(shard.number, unpack(shard.data))
            assert absorb(folder.keep_log(result), together) == 0
            folder.store(result)
            ordered.add(shard.number)
            seen.merge(result.report["seen"])
    assert (tmp_path / "two").read_bytes() == (tmp_path / "one").read_bytes()
    assert list(together.rows()) == list(VerdictLog(log).rows())
    assert together.judges() == VerdictLog(log).judges()
    assert seen.pairs == 7
    if kind == "jsonl":
        figures = [json.loads(line)["overall"] for line in (tmp_path / "one").read_text().splitlines()]
        assert sorted(seen.figures["overall"]) == sorted(figures)
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_shard_begun_before_goes_on_from_its_log(tmp_path):
    first = scorer(tmp_path, logged=True).score(4, pairs(3))
    assert first.report["counts"]["n_asked"] > 0
    (tmp_path / "scratch" / "shard-00004.sqlite").write_bytes(first.log)
    again = scorer(tmp_path, logged=True).score(4, pairs(3))
    assert again.report["counts"]["n_asked"] == 0
    assert again.lines == first.lines


def test_a_worker_refuses_prices_for_a_judge_without_tokens_before_its_first_question(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(JUDGES)
    import scale_judges

    monkeypatch.setattr(scale_judges.Telling, "ask", lambda self, questions: pytest.fail("asked"))
    with pytest.raises(ShardFault, match="has no tokens that could be priced") as caught:
        scorer(tmp_path, priced=True).score(0, pairs(3))
    assert isinstance(caught.value.cause, InputError)


def test_pairs_that_were_asked_are_counted_by_shard(tmp_path):
    worker = scorer(tmp_path, logged=True)
    reports = [worker.score(n, part).report for n, part in enumerate((pairs(3), pairs(7)[3:]))]
    assert [r["counts"]["n_pairs_asked"] for r in reports] == [3, 4]


def test_what_the_shared_log_holds_is_not_asked(tmp_path):
    first = scorer(tmp_path, logged=True).score(0, pairs(3))
    (tmp_path / "shared.sqlite").write_bytes(first.log)
    again = scorer(tmp_path, logged=True, shared=VerdictLog(tmp_path / "shared.sqlite")).score(1, pairs(3))
    assert again.report["counts"]["n_asked"] == 0
    assert again.lines == first.lines


def test_a_pair_that_cannot_be_scored(tmp_path):
    some = [*pairs(3), Pair("bad", "A dog.", "An impossible dog."), *[Pair("last", "A cat.", "A cat.")]]
    with pytest.raises(ShardFault, match='the prompt of pair "bad" is too long') as caught:
        scorer(tmp_path, "scale_judges:Choosy", logged=True).score(0, some)
    assert isinstance(caught.value.cause, JudgeError)
    assert caught.value.log.startswith(b"SQLite")  # what was asked before is not lost
    result = scorer(tmp_path, "scale_judges:Choosy", skip=True).score(0, some)
    assert [json.loads(x)["id"] for x in result.lines.decode().splitlines()] == ["p0", "p1", "p2", "last"]
    assert result.report["skipped"] == ['the prompt of pair "bad" is too long']


def test_workers_take_endpoints_in_turn_and_leave_one_that_is_gone(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(JUDGES)
    from scale_judges import Served

    pool = ("http://a", "http://gone", "http://c")
    for turn, used in ((0, ["http://a"]), (1, ["http://gone", "http://c"]), (2, ["http://c"]), (3, ["http://a"])):
        Served.used.clear()
        result = scorer(tmp_path, "scale_judges:Served", endpoints=pool, turn=turn).score(0, pairs(1))
        assert list(dict.fromkeys(Served.used)) == used
        assert "http" not in result.report["signature"]
    with pytest.raises(ShardFault, match="no server at http://gone-too"):
        scorer(tmp_path, "scale_judges:Served", endpoints=("http://gone", "http://gone-too")).score(0, pairs(1))


def test_a_judge_that_cannot_be_made_is_said(tmp_path):
    with pytest.raises(ShardFault, match='no judge named "lexcal"'):
        scorer(tmp_path, "lexcal").score(0, pairs(1))


def test_a_run_is_named_by_its_settings():
    assert run_name({"a": 1, "b": None}) == run_name({"b": None, "a": 1}) != run_name({"a": 2, "b": None})


# -- the cluster's size and the command line ----------------------------------------------------------------


@pytest.mark.parametrize(("cluster", "has", "workers"), [
    (Cluster(), {"CPU": 4.0}, 4), (Cluster(workers=2), {"CPU": 4.0}, 2), (Cluster(workers=9), {"CPU": 4.0}, 4),
    (Cluster(cpus=0.5), {"CPU": 2.0}, 4), (Cluster(gpus=1), {"CPU": 64.0, "GPU": 8.0}, 8),
    (Cluster(cpus=12, gpus=2), {"CPU": 64.0, "GPU": 8.0}, 4), (Cluster(cpus=20, gpus=2), {"CPU": 64.0, "GPU": 8.0}, 3),
])
def test_as_many_workers_as_fit(cluster, has, workers):
    assert pool_size(cluster, has) == workers


def test_a_cluster_without_room_for_one_worker():
    with pytest.raises(InputError, match="takes 1 CPUs and 1 GPUs, the cluster has 4 CPUs and 0 GPUs"):
        pool_size(Cluster(gpus=1), {"CPU": 4.0})


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match=r"--engine ray needs ray.*scale"):
        check_ray()


def test_a_fault_of_a_worker_is_raised_as_what_it_was():
    raise_fault(outcome(0))
    with pytest.raises(InputError, match="shard 3"):
        raise_fault(outcome(3, fault={"kind": "InputError", "message": "shard 3: no"}))


@pytest.mark.parametrize(("more", "said"), [
    (["--workers", "2"], "--workers needs --engine ray"),
    (["--shard-size", "9"], "--shard-size needs --engine ray"),
    (["--engine", "ray", "--workers", "0"], "--workers must be at least 1"),
    (["--engine", "ray", "--worker-gpus", "-1"], "--worker-gpus must be a number of at least 0"),
    (["--engine", "ray", "--judge", "replay", "--log", "v.sqlite"], "leave --engine ray out"),
    (["--engine", "ray", "--html", "r.html"], "--html is made in one process"),
    (["--engine", "ray", "--resume", "-o", "s.jsonl"], "--resume is for one process; with --engine ray"),
    (["--engine", "ray", "--endpoint", "http://a"], 'the judge "lexical" has no address'),
])
def test_options_that_do_not_go_together(tmp_path, capsys, monkeypatch, more, said):
    monkeypatch.chdir(tmp_path)
    Path("p.jsonl").write_text(json.dumps(pairs(1)[0].to_dict()) + "\n")
    assert main(["score", "p.jsonl", "-o", "out.jsonl", *more]) == 2
    assert said in capsys.readouterr().err
    assert not Path("out.jsonl").exists()


# -- estimates ----------------------------------------------------------------------------------------------


def test_an_estimate_by_hand():
    # 2 pairs: 100 prompts, 50,000 tokens of which 40,000 are reused. A million pairs: 5e9 computed of 25e9.
    sample = Sample(2, Usage(prompts=100, tokens=50_000, cached=40_000, generated=100), True, "x")
    prices = Prices(1.0, 0.1, 10.0)
    plan = Plan(1_000_000, throughput=50_000, replicas=4, gpus=2, busy=0.5, gpu_price=3.0, prices=prices)
    found = estimate(sample, plan)
    assert found.prompts == 50_000_000
    assert (found.tokens, found.computed) == (25e9, 5e9)
    assert found.gpu_hours == pytest.approx(5e9 / 25_000 / 3600 * 2)  # 111.1
    assert found.gpu_hours_without_reuse == pytest.approx(5 * found.gpu_hours)
    assert found.hours == pytest.approx(found.gpu_hours / 8)
    assert found.gpu_cost == pytest.approx(3 * found.gpu_hours)
    assert found.endpoint_cost == pytest.approx(5_000 * 1.0 + 20_000 * 0.1 + 50 * 10.0)
    slow = estimate(sample, replace(plan, prompt_rate=200))  # 50 million prompts at 200 a second take longer
    assert slow.gpu_hours == pytest.approx(50e6 / 200 / 0.5 / 3600 * 2)


def test_usage_from_a_file_and_from_shards(tmp_path):
    usage = {"prompts": 10, "tokens": 900, "cached": 500, "generated": 10}
    (tmp_path / "run.json").write_text(json.dumps({"pairs": 3, "usage": usage}))
    sample = read_usage(tmp_path / "run.json")
    assert (sample.pairs, sample.usage.computed, sample.counted) == (3, 400, True)
    for number in range(2):
        row = {"counts": {**usage, "seconds": 1.5, "uncounted": 0}, "seen": {"pairs": 3}}
        (tmp_path / f"shard-0000{number}.json").write_text(json.dumps(row))
    sample = read_usage(tmp_path)
    assert (sample.pairs, sample.usage.prompts, sample.usage.seconds) == (6, 20, 3.0)


@pytest.mark.parametrize("text", ["[]", "{}", "{", '{"pairs": 2, "usage": {"prompts": 1}}'])
def test_a_file_without_usage_is_refused(tmp_path, text):
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(InputError, match="holds no usage"):
        read_usage(tmp_path / "run.json")


@pytest.mark.parametrize(("sample", "plan", "said"), [
    (Sample(0, Usage(), True, "x"), Plan(), "no tokens"),
    (Sample(1, Usage(prompts=2, tokens=5, uncounted=1), True, "x"), Plan(), "1 of 2 prompts is not known"),
    (Sample(1, Usage(prompts=2, tokens=5), True, "x"), Plan(busy=1.5), "busy must be above 0 and at most 1"),
    (Sample(1, Usage(prompts=2, tokens=5), True, "x"), Plan(throughput=0), "throughput must be above 0"),
    (Sample(1, Usage(prompts=2, tokens=5), True, "x"), Plan(gpu_price=-1), "price of a GPU"),
    (Sample(1, Usage(prompts=2, tokens=5), True, "x"), Plan(throughput=1, prompt_rate=0), "prompt rate must be above"),
])
def test_what_cannot_be_estimated(sample, plan, said):
    with pytest.raises(InputError, match=said):
        estimate(sample, plan)


def test_the_throughput_of_a_real_run_is_taken(tmp_path, capsys):
    usage = {"prompts": 10, "tokens": 900, "cached": 500, "generated": 10, "seconds": 4.0}
    (tmp_path / "run.json").write_text(json.dumps({"pairs": 3, "usage": usage}))
    assert main(["estimate", "--usage", str(tmp_path / "run.json"), "--captions", "3", "--busy", "1"]) == 0
    assert "a replica computes 100 prompt tokens a second" in capsys.readouterr().out  # 400 computed in 4 s


@pytest.mark.parametrize(("words", "said"), [
    ([], "give pairs to count"), (["p.jsonl"], "give --throughput"),
    (["p.jsonl", "--prices", "x"], "prices are given as"),
    (["p.jsonl", "--throughput", "5", "--sample", "0"], "--sample must be"),
])
def test_an_estimate_without_what_it_needs(words, said, capsys):
    assert main(["estimate", *words]) == 2
    assert said in capsys.readouterr().err


def test_the_page_shows_what_the_command_prints():
    page = (ROOT / "book" / "scale.md").read_text(encoding="utf-8")
    block = page.partition("```console\n$ posh-lite estimate")[2].partition("\n```")[0]
    command, _, shown = block.partition("\n")
    ran = subprocess.run(
        [sys.executable, "-m", "posh_lite.cli", "estimate", *shlex.split(command)], cwd=ROOT, check=True,
        capture_output=True, encoding="utf-8",
    )
    assert ran.stdout.strip() == shown.strip()
