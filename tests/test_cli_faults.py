"""Runs that are killed, share a log, or lose their reader."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from posh_lite.cli import main
from posh_lite.judge.log import VerdictLog

HERE = Path(__file__).parent


def write(path, count=24):
    nouns = ("dog", "cat", "horse", "table", "chair", "tree")
    rows = [
        {"id": str(n), "generation": f"A red {nouns[n % 6]} by {n} trees.", "reference": f"A {nouns[n % 5]} by a tree."}
        for n in range(count)
    ]
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    return path


def arguments(pairs, out, log):
    return ["score", str(pairs), "-o", str(out), "--judge", "judges:Slow", "--log", str(log), "--chunk", "4",
            "--components", "--quiet"]


def start(pairs, out, log, asked, pause="0", **more):
    environment = {**os.environ, "PYTHONPATH": str(HERE), "ASKED": str(asked), "PAUSE": pause}
    command = [sys.executable, "-m", "posh_lite.cli", *arguments(pairs, out, log)]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, **more)


def questions(asked):
    return sum(int(line) for line in asked.read_text().split()) if asked.exists() else 0


def wait_for(asked, count):
    until = time.monotonic() + 90
    while questions(asked) < count and time.monotonic() < until:
        time.sleep(0.02)


def test_kill_9_and_run_again(tmp_path, monkeypatch):
    pairs, log = write(tmp_path / "pairs.jsonl"), tmp_path / "v.sqlite"
    monkeypatch.setenv("ASKED", str(tmp_path / "asked-clean"))
    assert main(arguments(pairs, tmp_path / "clean.jsonl", tmp_path / "clean.sqlite")) == 0
    total = questions(tmp_path / "asked-clean")

    first = start(pairs, tmp_path / "out.jsonl", log, tmp_path / "asked-1", pause="0.2")
    wait_for(tmp_path / "asked-1", total / 3)
    first.send_signal(signal.SIGKILL)
    assert first.wait(30) == -signal.SIGKILL
    kept = len(VerdictLog(log))
    assert 0 < kept < total

    monkeypatch.setenv("ASKED", str(tmp_path / "asked-2"))
    assert main(arguments(pairs, tmp_path / "out.jsonl", log)) == 0
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "clean.jsonl").read_bytes()
    assert questions(tmp_path / "asked-2") == total - kept


def test_two_runs_on_one_log(tmp_path, monkeypatch):
    pairs, log = write(tmp_path / "pairs.jsonl", 12), tmp_path / "v.sqlite"
    other = start(pairs, tmp_path / "1.jsonl", log, tmp_path / "asked-1", pause="0.1")
    wait_for(tmp_path / "asked-1", 1)
    monkeypatch.setenv("ASKED", str(tmp_path / "asked-2"))
    assert main(arguments(pairs, tmp_path / "2.jsonl", log)) == 0
    assert other.wait(120) == 0
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()


def test_the_reader_goes_away(tmp_path):
    pairs = write(tmp_path / "pairs.jsonl")
    process = start(pairs, "-", tmp_path / "v.sqlite", tmp_path / "asked", stdout=subprocess.PIPE)
    process.stdout.readline()
    process.stdout.close()
    said = process.stderr.read().decode()
    assert process.wait(60) == 1
    assert "Traceback" not in said
    assert "BrokenPipe" not in said


def test_a_damaged_log_is_one_line(tmp_path, capsys):
    pairs, log = write(tmp_path / "pairs.jsonl", 2), tmp_path / "v.sqlite"
    log.write_bytes(b"garbage" * 1000)
    assert main(["score", str(pairs), "-o", str(tmp_path / "o"), "--judge", "judges:Hashing", "--log", str(log)]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "damaged" in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_one_line(tmp_path, capsys):
    pairs = write(tmp_path / "pairs.jsonl", 2)
    assert main(["score", str(pairs), "-o", "/dev/full", "--judge", "judges:Hashing", "--quiet"]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "No space left" in said


def test_an_interrupt_is_said(tmp_path, capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("posh_lite.metric.posh.PoSh.score_many", interrupted)
    pairs = write(tmp_path / "pairs.jsonl", 2)
    assert main(["score", str(pairs), "-o", str(tmp_path / "o"), "--judge", "judges:Hashing"]) == 130
    assert "interrupted" in capsys.readouterr().err


def test_importing_the_package_is_cheap():
    code = (
        "import sys, posh_lite, posh_lite.cli, posh_lite.metric.posh, posh_lite.judge.log;"
        "heavy = [m for m in ('spacy', 'torch', 'pandas', 'matplotlib', 'numpy') if m in sys.modules];"
        "sys.exit(' '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_types_come_without_the_parser():
    code = (
        "import sys, posh_lite.graph, posh_lite.graph.types, posh_lite.judge.contract;"
        "sys.exit('posh_lite.graph.extract' in sys.modules or 0);"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
    code = "from posh_lite.graph import *; assert callable(extract_graph) and SceneGraph.__name__ == 'SceneGraph'"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
