"""Runs with a language judge that are killed, share a log, meet a full disk or a server that fails."""

from __future__ import annotations

import gc
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from test_cli_faults import HERE, write

from posh_lite.cli import main
from posh_lite.judge.log import VerdictLog

BATCH = 8


def command(pairs, out, log, judge="engines:slow"):
    return ["score", str(pairs), "-o", str(out), "--judge", judge, "--log", str(log), "--chunk", "3", "--components",
            "--quiet"]


def start(arguments, asked, pause="0", **more):
    environment = {**os.environ, "PYTHONPATH": str(HERE), "ASKED": str(asked), "PAUSE": pause}
    return subprocess.Popen(
        [sys.executable, "-m", "posh_lite.cli", *arguments], env=environment, stderr=subprocess.PIPE, **more
    )


def keys(asked):
    return asked.read_text().split() if asked.exists() else []


def sound(log):
    """Nothing in the file is damaged, and every row can be read."""
    with sqlite3.connect(log) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    return len(list(VerdictLog(log, readonly=True).rows()))


@pytest.fixture
def clean(tmp_path, monkeypatch):
    """Pairs, the bytes of a run without faults, and its distinct questions."""
    pairs, asked = write(tmp_path / "pairs.jsonl", 16), tmp_path / "asked-clean"
    monkeypatch.setenv("ASKED", str(asked))
    assert main(command(pairs, tmp_path / "clean", tmp_path / "clean.sqlite")) == 0
    found = keys(asked)
    assert len(found) == len(set(found)) > 100
    return pairs, (tmp_path / "clean").read_bytes(), set(found)


def test_killed_at_any_moment_and_run_again(tmp_path, monkeypatch, clean):
    pairs, bytes_, distinct = clean
    rng, log, out, asked = random.Random(3), tmp_path / "v.sqlite", tmp_path / "out", tmp_path / "asked"
    kills = 0
    for part in (0.3, 0.6):
        process = start(command(pairs, out, log), asked, pause="0.05")
        wanted, until = len(distinct) * (part + 0.2 * rng.random()), time.monotonic() + 90
        while len(keys(asked)) < wanted and time.monotonic() < until and process.poll() is None:
            time.sleep(0.005)
        time.sleep(0.06 * rng.random())  # within a batch or between two
        process.send_signal(signal.SIGKILL)
        assert process.wait(30) == -signal.SIGKILL
        kills += 1
        assert 0 < sound(log) < len(distinct)
    monkeypatch.setenv("ASKED", str(asked))
    assert main(command(pairs, out, log)) == 0
    assert out.read_bytes() == bytes_
    found = keys(asked)
    assert set(found) == distinct
    assert len(found) <= len(distinct) + kills * BATCH  # lost at most the batch in flight
    assert sound(log) == len(distinct)


def test_two_runs_at_once_on_one_log(tmp_path, clean):
    pairs, bytes_, distinct = clean
    log = tmp_path / "v.sqlite"
    runs = [start(command(pairs, tmp_path / name, log), tmp_path / f"asked-{name}", pause="0.02") for name in "ab"]
    for run in runs:
        said = run.communicate(timeout=120)[1].decode()
        assert run.returncode == 0, said
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() == bytes_
    assert sound(log) == len(distinct)
    both = len(keys(tmp_path / "asked-a")) + len(keys(tmp_path / "asked-b"))
    assert len(distinct) <= both <= 2 * len(distinct)


def test_no_room_for_the_log_is_one_line_and_nothing_is_lost(tmp_path, monkeypatch, clean):
    pairs, bytes_, distinct = clean
    log, out, asked = tmp_path / "v.sqlite", tmp_path / "out", tmp_path / "asked"

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (70_000, 70_000))

    process = start(command(pairs, out, log), asked, preexec_fn=limited)
    said = process.communicate(timeout=120)[1].decode()
    assert process.returncode == 1
    assert said.count("\n") == 1, said
    assert f"{log}: " in said
    assert "What was written before is kept" in said
    kept = sound(log)
    assert 0 < kept < len(distinct)
    before = len(keys(asked))
    assert before <= kept + BATCH
    monkeypatch.setenv("ASKED", str(asked))
    assert main(command(pairs, out, log)) == 0
    assert out.read_bytes() == bytes_
    assert len(keys(asked)) - before == len(distinct) - kept


@pytest.fixture
def open_folder():
    """A folder that every user may enter."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)
        os.chmod(name, 0o755)


def test_a_log_in_a_folder_that_cannot_be_written(open_folder, capsys):
    texts, log = write(open_folder / "pairs.jsonl", 3), open_folder / "v.sqlite"
    assert main(command(texts, "-", log, "engines:hashing")) == 0
    first = capsys.readouterr().out
    gc.collect()  # the log is closed
    log.chmod(0o444)
    open_folder.chmod(0o555)
    replayed = command(texts, "-", log, "replay")
    as_root = os.geteuid() == 0  # root may write anywhere
    if as_root:
        os.setresuid(65534, 65534, 0)
    try:
        assert main(replayed) == 0
        assert capsys.readouterr().out == first
        assert main(["log", "info", str(log)]) == 0
        assert main(command(texts, "-", log, "engines:hashing")) == 2
    finally:
        if as_root:
            os.setresuid(0, 0, 0)
    complaint = capsys.readouterr().err
    assert complaint.count("\n") == 1
    assert f"{log}: cannot be written" in complaint
    assert sorted(p.name for p in open_folder.iterdir()) == ["pairs.jsonl", "v.sqlite"]


def test_what_a_failed_server_left_out_is_asked_again_and_what_cannot_be_read_is_not(tmp_path, monkeypatch, capsys):
    pairs, log, asked = write(tmp_path / "p.jsonl", 12), tmp_path / "v.sqlite", tmp_path / "asked"
    whole = command(pairs, tmp_path / "whole", tmp_path / "whole.sqlite", "engines:shaky")
    assert main(whole) == 0
    monkeypatch.setenv("ASKED", str(asked))
    run = [a for a in command(pairs, tmp_path / "out", log, "engines:shaky") if a != "--quiet"]
    monkeypatch.setenv("SHAKY", "1")
    assert main(run) == 0
    first = keys(asked)
    said = capsys.readouterr().err
    kept = list(VerdictLog(log, readonly=True).rows())
    unread = sum(v.score is None for _, _, v in kept)
    assert unread > 0
    assert not any("503" in v.raw for _, _, v in kept)
    held = {key.hex() for key, _, _ in kept}
    assert held < set(first)
    assert f"{len(first) - len(held):,} questions got no answer from the server; run again with the same --log" in said
    assert (tmp_path / "out").read_bytes() != (tmp_path / "whole").read_bytes()

    monkeypatch.delenv("SHAKY")
    assert main(run) == 0
    second = keys(asked)[len(first):]
    assert len(second) == len(set(second))
    assert set(second) & set(first)
    assert not set(second) & held
    assert (tmp_path / "out").read_bytes() == (tmp_path / "whole").read_bytes()
    assert main(run) == 0
    assert len(keys(asked)) == len(first) + len(second)  # unreadable answers are not asked for again
