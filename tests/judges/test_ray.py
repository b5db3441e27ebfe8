"""Scoring on a real Ray cluster of two workers on this machine. Needs the extra "scale"."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from posh_lite.cli import main
from posh_lite.judge.log import VerdictLog

pytest.importorskip("ray.data", reason='Ray is not installed: pip install "posh-lite[scale]"')
HERE = Path(__file__).parent
SETTLED = 16  # questions in a batch of these judges


def start_node(cluster):
    """Ray gives a node 30 seconds to come up, which a busy machine may miss; what is left of it then is ended."""
    for attempt in range(6):
        before = children()
        try:
            return cluster.add_node(num_cpus=2, include_dashboard=False, include_log_monitor=False)
        except Exception:
            for child in children() - before:
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            if attempt == 5:
                raise
    return None


def children():
    """Ids of the processes that this one has started."""
    return {int(pid) for path in Path("/proc/self/task").glob("*/children") for pid in path.read_text().split()}


@pytest.fixture(scope="module")
def address():
    """A cluster on this machine with room for two workers, whatever its number of cores."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    start_node(cluster)
    cluster.wait_for_nodes(timeout=180)
    yield cluster.address
    cluster.shutdown()


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder to work in; judges are found in the folder of this file."""
    monkeypatch.chdir(HERE)
    monkeypatch.syspath_prepend(str(HERE))
    return tmp_path


def write(path, count=24, **other):
    nouns = ("dog", "cat", "horse", "table", "chair", "tree")
    rows = [
        {"id": str(n), "generation": f"A red {nouns[n % 6]} by {n} trees.", "reference": f"A {nouns[n % 5]} by a tree."}
        for n in range(count)
    ]
    rows[count // 2].update(other)
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    return path


def words(pairs, out, judge, *more):
    return ["score", str(pairs), "-o", str(out), "--judge", f"scale_judges:{judge}", "--chunk", "4", "--components",
            *map(str, more)]


def ray(address, *more):
    return ["--engine", "ray", "--address", address, "--shard-size", "3", *map(str, more)]


def rows(log):
    return list(VerdictLog(log, readonly=True).rows())


def asked(folder):
    return Counter(line for path in folder.glob("asked-*") for line in path.read_text().split())


def test_the_bytes_and_the_log_of_one_process(here, address, capsys):
    pairs = write(here / "p.jsonl")
    assert main(words(pairs, here / "one", "Telling", "--log", here / "one.sqlite", "--quiet")) == 0
    (here / "told").mkdir()
    option = ["--judge-option", f"folder={here / 'told'}"]
    command = words(pairs, here / "two", "Telling", "--log", here / "two.sqlite", *option, *ray(address))
    assert main(command) == 0
    said = capsys.readouterr().err
    assert "pairs scored  24" in said
    assert (here / "two").read_bytes() == (here / "one").read_bytes()
    assert rows(here / "two.sqlite") == rows(here / "one.sqlite")
    assert len(list((here / "told").iterdir())) == 2  # both workers had a part in it
    assert not (here / "two.shards").exists()

    before = asked(here / "told")
    again = words(pairs, here / "three", "Telling", "--log", here / "two.sqlite", *option, *ray(address), "--quiet")
    assert main(again) == 0
    assert (here / "three").read_bytes() == (here / "one").read_bytes()
    assert asked(here / "told") == before  # the log at hand knew everything


def test_the_lexical_judge_and_csv(here, address):
    pairs = write(here / "p.jsonl", 8)
    command = ["score", str(pairs), "--format", "csv", "--quiet", "-o"]
    assert main([*command, str(here / "one")]) == 0
    assert main([*command, str(here / "two"), *ray(address, "--shards", here / "kept")]) == 0
    assert (here / "two").read_bytes() == (here / "one").read_bytes()
    (here / "two").unlink()
    assert main([*command, str(here / "two"), *ray(address, "--shards", here / "kept")]) == 0  # nothing left to score
    assert (here / "two").read_bytes() == (here / "one").read_bytes()


def test_kill_9_and_run_again(here, address):
    pairs, told = write(here / "p.jsonl"), here / "told"
    told.mkdir()
    assert main(words(pairs, here / "one", "Telling", "--log", here / "one.sqlite", "--quiet")) == 0
    slow = ["--judge-option", f"folder={told}", "--judge-option", "pause=0.3"]
    command = words(pairs, here / "two", "Telling", "--log", here / "two.sqlite", *slow, *ray(address))
    first = subprocess.Popen([sys.executable, "-m", "posh_lite.cli", *command], cwd=HERE, stderr=subprocess.DEVNULL)
    shards, until = here / "two.shards", time.monotonic() + 240
    while len(list(shards.glob("shard-*.json"))) < 2 and time.monotonic() < until and first.poll() is None:
        time.sleep(0.05)
    first.send_signal(signal.SIGKILL)
    assert first.wait(60) == -signal.SIGKILL
    finished = {p: p.stat().st_mtime_ns for p in shards.glob("shard-*.json")}
    assert 2 <= len(finished) < 8
    time.sleep(3)  # until the cluster has noticed

    assert main([*command, "--shards", str(shards), "--quiet"]) == 0
    assert (here / "two").read_bytes() == (here / "one").read_bytes()
    assert rows(here / "two.sqlite") == rows(here / "one.sqlite")
    assert {p: p.stat().st_mtime_ns for p in finished} == finished
    twice = sum(n - 1 for n in asked(told).values())
    assert twice <= 4 * SETTLED  # what two workers had in hand, and what two had done that had not arrived


def test_a_worker_that_dies_is_replaced(here, address, capsys):
    pairs = write(here / "p.jsonl", id="fatal")
    assert main(words(pairs, here / "one", "Telling", "--log", here / "one.sqlite", "--quiet")) == 0
    option = ["--judge-option", f"folder={here}", "--judge-option", "times=1"]
    assert main(words(pairs, here / "two", "Dying", "--log", here / "two.sqlite", *option, *ray(address))) == 0
    assert (here / "died-0").exists()
    assert (here / "two").read_bytes() == (here / "one").read_bytes()
    assert rows(here / "two.sqlite") == rows(here / "one.sqlite")
    assert "of 8 shards were scored again, since their worker had died" in capsys.readouterr().err


def test_a_shard_that_kills_every_worker_is_named(here, address, capsys):
    pairs = write(here / "p.jsonl", id="fatal")
    option = ["--judge-option", f"folder={here}", "--judge-option", "times=99"]
    command = words(pairs, here / "two", "Dying", *option, *ray(address))
    assert main(command) == 1
    said = capsys.readouterr().err
    assert 'shard 4 (pairs "fatal" to "14"): its worker died 3 times' in said
    assert "shards are finished in" in said


def test_a_pair_that_cannot_be_scored(here, address, capsys):
    pairs = write(here / "p.jsonl", reference="An impossible dog.")
    assert main(words(pairs, here / "one", "Choosy", "--on-error", "skip", "--quiet")) == 0
    assert main(words(pairs, here / "two", "Choosy", *ray(address))) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said == 'posh-lite: error: shard 4 (pairs "12" to "14"): the prompt of pair "12" is too long'
    assert main(words(pairs, here / "two", "Choosy", "--on-error", "skip", *ray(address))) == 0  # goes on from there
    assert 'skipped: the prompt of pair "12" is too long' in capsys.readouterr().err
    assert (here / "two").read_bytes() == (here / "one").read_bytes()
    assert len((here / "two").read_text().splitlines()) == 23
