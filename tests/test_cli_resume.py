"""`posh-lite score`: going on from an output, and outputs that must not be harmed."""

import csv
import errno
import hashlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_cli_faults import HERE, write

from posh_lite.cli import main
from posh_lite.commands.output import Line, ScoreWriter, made_otherwise, stamp_of
from posh_lite.metric.page import ReportPage


def score(*arguments):
    return main(["score", *map(str, arguments), "--judge", "judges:Hashing"])


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
@pytest.mark.parametrize("more", [(), ("--components",)])
def test_a_cut_output_is_completed(tmp_path, kind, more):
    pairs, whole, cut = write(tmp_path / "p.jsonl", 6), tmp_path / "whole", tmp_path / "cut"
    rows = [json.loads(line) for line in lines(pairs)]
    for row in rows:
        row["id"] = f'é "{row["id"]}"\n🐶'
    pairs.write_text("".join(json.dumps(r) + "\n" for r in rows))
    assert score(pairs, "-o", whole, "--format", kind, *more) == 0
    data = whole.read_bytes()
    for end in range(0, len(data), max(1, len(data) // 6)):  # a killed run may stop at any byte
        cut.write_bytes(data[:end])
        assert score(pairs, "-o", cut, "--format", kind, "--resume", "--quiet", *more) == 0, end
        assert cut.read_bytes() == data, end
    at_emoji = data.index("🐶".encode()) + 2
    cut.write_bytes(data[:at_emoji])
    assert score(pairs, "-o", cut, "--format", kind, "--resume", "--quiet", *more) == 0
    assert cut.read_bytes() == data


@pytest.mark.parametrize("more", [(), ("--components",)])
@pytest.mark.parametrize("change", ["a stamp is lost", "headings of an earlier version"])
def test_csv_lines_go_below_the_headings_that_are_there(tmp_path, change, more):
    pairs, whole, out = write(tmp_path / "p.jsonl", 4), tmp_path / "whole", tmp_path / "out"
    assert score(pairs, "-o", whole, "--format", "csv", "--quiet", *more) == 0
    rows = list(csv.reader(io.StringIO(whole.read_text(encoding="utf-8"))))
    if change == "a stamp is lost":
        begun = [rows[0], rows[1], [*rows[2][:6], "", *rows[2][7:]]]
    else:
        begun = [[*rows[0][:6], *rows[0][7:]]]
    with out.open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle, lineterminator="\n").writerows(begun)
    assert score(pairs, "-o", out, "--format", "csv", "--resume", "--quiet", *more) == 0
    found = list(csv.reader(io.StringIO(out.read_text(encoding="utf-8"))))
    assert [len(row) for row in found] == [len(begun[0])] * 5
    keep = [n for n, name in enumerate(rows[0]) if name in begun[0]]
    assert [[row[n] for n in keep] for row in rows[3:]] == found[3:]


@pytest.mark.parametrize("line", [
    '{"id": "0", "mistakes": "x", "omissions": 1, "overall": 1, "n_components": 1, "n_missing": 0}',
    '{"id": "0", "mistakes": [1], "omissions": 1, "overall": 1, "n_components": 1, "n_missing": 0}',
    '{"id": 0, "mistakes": 1, "omissions": 1, "overall": 1, "n_components": 1, "n_missing": 0}',
    '{"id": ["0"], "mistakes": 1, "omissions": 1, "overall": 1, "n_components": 1, "n_missing": 0}', "[1]", "null",
])
def test_a_line_whose_figures_are_none_is_refused(tmp_path, capsys, line):
    pairs, out = write(tmp_path / "p.jsonl", 2), tmp_path / "out"
    out.write_text(line + "\n")
    assert score(pairs, "-o", out, "--resume") == 2
    assert "--resume cannot go on from it" in capsys.readouterr().err
    assert out.read_text() == line + "\n"


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
@pytest.mark.parametrize(("first", "then"), [((), ("--components",)), (("--components",), ())])
def test_lines_with_and_without_components_are_not_mixed(tmp_path, capsys, kind, first, then):
    pairs, out = write(tmp_path / "p.jsonl", 3), tmp_path / "out"
    assert score(pairs, "-o", out, "--format", kind, *first) == 0
    before = out.read_bytes()
    assert score(pairs, "-o", out, "--format", kind, "--resume", *then) == 2
    assert "same options" in capsys.readouterr().err
    assert out.read_bytes() == before


def changed(pairs, number, side):
    rows = [json.loads(line) for line in lines(pairs)]
    rows[number][side] = "Two old women in blue coats carry baskets."
    pairs.write_text("".join(json.dumps(r) + "\n" for r in rows))


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
@pytest.mark.parametrize("more", [(), ("--components",)])
@pytest.mark.parametrize("number", [0, 2, 3])
@pytest.mark.parametrize("side", ["generation", "reference"])
def test_a_pair_whose_text_has_changed_is_named_with_its_line(tmp_path, capsys, kind, more, number, side):
    pairs, out, how = write(tmp_path / "p.jsonl", 6), tmp_path / "out", ("--format", kind, "--quiet", *more)
    rows = [json.loads(line) | {"id": f"a\n{n}"} for n, line in enumerate(lines(pairs))]
    pairs.write_text("".join(json.dumps(r) + "\n" for r in rows[:4]))
    assert score(pairs, "-o", out, *how) == 0
    kept = out.read_bytes()
    pairs.write_text("".join(json.dumps(r) + "\n" for r in rows))
    changed(pairs, number, side)
    assert score(pairs, "-o", out, "--resume", *how) == 2
    said = capsys.readouterr().err
    line = number + 1 if kind == "jsonl" else 2 * number + 2  # below the heading, each id of two lines
    assert f"{out}:{line}: pair" in said
    assert f'{number}" was scored with other texts than now; score to a new file' in said
    assert out.read_bytes() == kept


@pytest.mark.parametrize("more", [
    ("--threshold", "5"), ("--aggregation", "objects"), ("--context", "near"), ("--judge", "judges:Unread"),
])
def test_other_settings_are_noticed_at_every_line(tmp_path, capsys, more):
    """Also where the first pair's figures are the same under both."""
    pairs, out = write(tmp_path / "p.jsonl", 4), tmp_path / "out"
    assert score(pairs, "-o", out) == 0
    kept = lines(out)
    for first in (0, 2):
        out.write_text("".join(line + "\n" for line in kept[first:3]))
        before = out.read_bytes()
        assert main(["score", str(pairs), "-o", str(out), "--resume", "--chunk", "8", "--judge", "judges:Hashing",
                     *more]) == 2
        said = capsys.readouterr().err
        assert f':1: pair "{first}" was scored with another judge or other settings than now' in said
        assert out.read_bytes() == before


def test_both_are_said(tmp_path, capsys):
    pairs, out = write(tmp_path / "p.jsonl", 2), tmp_path / "out"
    assert score(pairs, "-o", out) == 0
    changed(pairs, 0, "reference")
    assert score(pairs, "-o", out, "--resume", "--threshold", "4") == 2
    assert "with other texts and another judge or other settings than now" in capsys.readouterr().err


def test_kept_pairs_cost_nothing(tmp_path, monkeypatch, capsys):
    pairs, out = write(tmp_path / "p.jsonl", 4), tmp_path / "out"
    assert score(pairs, "-o", out) == 0
    capsys.readouterr()

    def asked(self, questions):
        raise AssertionError

    monkeypatch.setattr("judges.Hashing.ask", asked)
    assert score(pairs, "-o", out, "--resume") == 0
    said = capsys.readouterr().err
    assert "kept from before  4" in said and "pairs scored      0" in said


@pytest.mark.parametrize("stamp", [3, None, "", "x", "0123abcd", "0123abcd-0123abcg", "0123ABCD-0123abcd"])
def test_a_stamp_that_is_none(tmp_path, capsys, stamp):
    pairs, out = write(tmp_path / "p.jsonl", 2), tmp_path / "out"
    assert score(pairs, "-o", out) == 0
    out.write_text("".join(json.dumps(json.loads(line) | {"stamp": stamp}) + "\n" for line in lines(out)))
    expected = 0 if stamp == "" else 2  # an empty one is none at all
    assert score(pairs, "-o", out, "--resume") == expected
    assert ("is no jsonl output" in capsys.readouterr().err) is (expected == 2)


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
@pytest.mark.parametrize("more", [(), ("--components",)])
def test_an_output_of_an_earlier_version_is_gone_on_with_in_its_form(tmp_path, monkeypatch, capsys, kind, more):
    pairs, out, how = write(tmp_path / "p.jsonl", 5), tmp_path / "out", ("--format", kind, *more)
    with monkeypatch.context() as patched:
        patched.setattr(ScoreWriter, "stamped", property(lambda self: False, lambda self, value: None), raising=False)
        assert score(pairs, "-o", out, *how) == 0
    whole = out.read_bytes()
    assert b"stamp" not in whole
    rows = whole.splitlines(keepends=True)
    out.write_bytes(b"".join(rows[:4]))
    capsys.readouterr()
    assert score(pairs, "-o", out, "--resume", *how) == 0
    assert out.read_bytes() == whole
    n = 4 if kind == "jsonl" else 3
    assert f"{n} kept lines are of an earlier version, without stamps: the first of them was scored again" in (
        capsys.readouterr().err
    )
    out.write_bytes(b"".join(rows[:4]))
    assert score(pairs, "-o", out, "--resume", "--threshold", "5", *how) == 2
    assert 'figures for pair "0" than it gets now: texts or settings have changed' in capsys.readouterr().err


@given(st.text(), st.text(), st.text(), st.text(), st.text())
def test_stamps(a, b, c, d, signature):
    one, two = stamp_of(a, b, signature), stamp_of(c, d, signature)
    assert (one == two) is ((a, b) == (c, d))
    assert made_otherwise(Line(1, {}, one), two) == ("" if one == two else "other texts")
    assert made_otherwise(Line(1, {}, ""), two) == ""
    assert made_otherwise(Line(1, {}, one), stamp_of(a, b, signature + "x")) == "another judge or other settings"


def test_a_stamp_by_hand():
    length = (1).to_bytes(8, "big")
    texts = hashlib.sha256(length + b"a" + length + b"b").hexdigest()[:8]
    assert stamp_of("a", "b", "s") == f"{texts}-{hashlib.sha256(length + b's').hexdigest()[:8]}"


def test_a_report_of_a_resumed_run_says_what_it_lacks(tmp_path, capsys):
    pairs, out = write(tmp_path / "p.jsonl", 4), tmp_path / "out"
    assert score(pairs, "-o", out) == 0
    out.write_text(lines(out)[0] + "\n")
    assert score(pairs, "-o", out, "--resume", "--html", tmp_path / "r.html") == 0
    said = capsys.readouterr().err
    assert "kept from before" in said
    assert "shows the pairs of this run" in said


def test_nothing_scored_is_an_error_and_an_old_output_stays(tmp_path, capsys):
    pairs, out = tmp_path / "p.jsonl", tmp_path / "out"
    out.write_text("old\n")
    pairs.write_text('{"id": "a"}\n{"id": "b"}\n')
    assert score(pairs, "-o", out, "--on-error", "skip") == 2
    assert "none of the 2 pairs could be scored" in capsys.readouterr().err
    pairs.write_text("\n")
    assert score(pairs, "-o", out) == 2
    assert capsys.readouterr().err == f"posh-lite: error: {pairs}: no pairs in the file\n"
    assert out.read_text() == "old\n"


def command(*arguments, **more):
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    line = [sys.executable, "-m", "posh_lite.cli", "score", *map(str, arguments), "--judge", "judges:Hashing"]
    return subprocess.run(line, env=environment, capture_output=True, text=True, timeout=120, **more)


def test_the_input_of_a_shell_redirect_is_not_overwritten(tmp_path):
    pairs = write(tmp_path / "p.jsonl", 3)
    before = pairs.read_bytes()
    with pairs.open() as handle:
        done = command("-", "-o", pairs, stdin=handle)
    assert done.returncode == 2
    assert "is the input file" in done.stderr
    assert pairs.read_bytes() == before


@pytest.mark.parametrize(("closed", "arguments", "message"), [
    ("stdin", ("-",), "standard input is closed"), ("stdout", ("PAIRS",), "standard output is closed"),
])
def test_closed_streams_are_said(tmp_path, monkeypatch, capsys, closed, arguments, message):
    pairs = write(tmp_path / "p.jsonl", 2)
    monkeypatch.setattr(sys, closed, None)
    assert score(*(str(pairs) if a == "PAIRS" else a for a in arguments), "--quiet") == 2
    monkeypatch.undo()
    assert message in capsys.readouterr().err


def test_a_closed_stderr_does_not_matter(tmp_path, monkeypatch):
    pairs, out = write(tmp_path / "p.jsonl", 2), tmp_path / "out"
    monkeypatch.setattr(sys, "stderr", None)
    assert score(pairs, "-o", out) == 0
    assert len(lines(out)) == 2


@pytest.mark.parametrize("option", ["--html", "--log"])
def test_a_report_and_a_log_need_a_name(tmp_path, capsys, option):
    assert score(write(tmp_path / "p.jsonl", 1), option, "-") == 2
    assert "needs a file name" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_found_before_the_first_question(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("posh_lite.commands.files.os.access", lambda path, mode: False)
    pairs = write(tmp_path / "p.jsonl", 1)
    assert score(pairs, "-o", tmp_path / "out", "--html", tmp_path / "r.html") == 2
    assert "cannot be written" in capsys.readouterr().err


class Full(io.StringIO):
    """A file on a full disk."""

    def write(self, text):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_names_the_file(tmp_path, capsys, monkeypatch):
    pairs = write(tmp_path / "p.jsonl", 2)
    monkeypatch.setattr(ScoreWriter, "_open", lambda self: Full())
    assert score(pairs, "-o", tmp_path / "out") == 1
    assert f"{tmp_path / 'out'}: No space left" in capsys.readouterr().err
    monkeypatch.undo()
    monkeypatch.setattr(ReportPage, "_write", lambda self, write, head: Full().write(""))
    assert score(pairs, "-o", tmp_path / "out", "--html", tmp_path / "r.html") == 1
    said = capsys.readouterr().err
    assert f"{tmp_path / 'r.html'}: No space left" in said
    assert "make room" in said
    assert len(lines(tmp_path / "out")) == 2
    assert sorted(p.name for p in Path(tmp_path).iterdir()) == ["out", "p.jsonl"]


def test_an_interrupted_run_says_how_to_go_on(tmp_path, capsys, monkeypatch):
    pairs, out = write(tmp_path / "p.jsonl", 8), tmp_path / "out"
    whole = ScoreWriter.write

    def interrupted(self, score):
        if score.id == "3":
            raise KeyboardInterrupt
        whole(self, score)

    monkeypatch.setattr(ScoreWriter, "write", interrupted)
    assert score(pairs, "-o", out) == 130
    assert f"3 pairs were scored to {out}" in capsys.readouterr().err
    monkeypatch.undo()
    assert score(pairs, "-o", out, "--resume") == 0
    assert [json.loads(line)["id"] for line in lines(out)] == [str(n) for n in range(8)]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_bar_counts_kept_pairs_and_questions(tmp_path, monkeypatch):
    pairs, out = write(tmp_path / "p.jsonl", 4), tmp_path / "out"
    assert score(pairs, "-o", out) == 0
    out.write_text("".join(line + "\n" for line in lines(out)[:3]))
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert score(pairs, "-o", out, "--resume") == 0
    shown = sys.stderr.getvalue().split("\r")
    assert "3/4" in shown[1]
    assert "4/4" in sys.stderr.getvalue()
    assert " questions" in shown[-1]


def test_no_bar_among_lines_on_the_same_terminal(tmp_path, monkeypatch):
    pairs = write(tmp_path / "p.jsonl", 2)
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert score(pairs) == 0
    assert "scoring:" not in sys.stderr.getvalue()
    assert sys.stdout.getvalue().count("\n") == 2


@pytest.mark.parametrize("name", ["-", "c.txt"])
def test_a_drawing_does_not_overwrite_its_text(tmp_path, name):
    text = tmp_path / "c.txt"
    text.write_text("A red dog.")
    with text.open() as handle:
        done = subprocess.run(
            [sys.executable, "-m", "posh_lite.cli", "graph", name, "-o", "c.txt"], cwd=tmp_path, stdin=handle,
            capture_output=True, text=True, timeout=60,
        )
    assert done.returncode == 2
    assert "is the input file" in done.stderr
    assert text.read_text() == "A red dog."


@pytest.mark.parametrize(("closed", "name"), [("stdin", "-"), ("stdout", "FILE")])
def test_graph_with_a_closed_stream(tmp_path, monkeypatch, capsys, closed, name):
    text = tmp_path / "c.txt"
    text.write_text("A red dog.")
    monkeypatch.setattr(sys, closed, None)
    assert main(["graph", name.replace("FILE", str(text))]) == 2
    monkeypatch.undo()
    assert "is closed" in capsys.readouterr().err


def test_graph_to_a_folder_that_is_not_there(tmp_path, capsys):
    (tmp_path / "c.txt").write_text("A red dog.")
    assert main(["graph", str(tmp_path / "c.txt"), "-o", str(tmp_path / "no" / "x.svg")]) == 2
    assert "does not exist" in capsys.readouterr().err


@pytest.mark.parametrize(("option", "value"), [("--limit", "0"), ("--limit", "-2"), ("--chunk", "0")])
def test_bench_of_less_than_nothing(tmp_path, capsys, option, value):
    assert main(["bench", str(write(tmp_path / "p.jsonl", 3)), option, value]) == 2
    assert f"{option} must be at least 1" in capsys.readouterr().err
