"""`posh-lite log`: info, export, import, merge; and scoring from what was handed on."""

from __future__ import annotations

import gzip
import json
import re
import statistics

import pytest
from test_cli_faults import write

from posh_lite.cli import main
from posh_lite.judge.contract import Verdict
from posh_lite.judge.keys import digest
from posh_lite.judge.log import VerdictLog
from posh_lite.judge.merge import merge_log


def score(*arguments):
    return main(["score", *map(str, arguments), "--quiet"])


def log(*arguments):
    return main(["log", *map(str, arguments)])


@pytest.fixture
def scored(tmp_path):
    """Pairs, the output of a language judge on them, and its log."""
    pairs, out, path = write(tmp_path / "p.jsonl", 4), tmp_path / "out", tmp_path / "v.sqlite"
    assert score(pairs, "-o", out, "--components", "--judge", "engines:shaky", "--log", path) == 0
    return pairs, out, path


def test_info_gives_the_figures_of_each_judge(scored, capsys, tmp_path):
    pairs, _, path = scored
    assert score(pairs, "-o", tmp_path / "other", "--judge", "engines:hashing", "--scale", "yes-no",
                 "--log", path) == 0
    rows = [v for _, judge, v in VerdictLog(path, readonly=True).rows() if judge.endswith("scale:1-5")]
    read = [v.score for v in rows if v.score is not None]
    assert 0 < len(read) < len(rows)
    capsys.readouterr()
    assert log("info", path) == 0
    said = capsys.readouterr().out
    assert re.search(r"v\.sqlite: verdict log, [\d.]+ kB, [\d,]+ verdicts of 2 judges", said)
    assert "judge      fake model:1 scale:1-5" in said
    assert "judge      fake model:1 scale:yes-no" in said
    assert f"verdicts   {len(rows):,}, of them {len(rows) - len(read):,} missing" in said
    assert f"mean {statistics.fmean(read):.3f}, sd {statistics.stdev(read):.3f} (1: " in said
    assert "keyed by   prompt\n" in said
    assert "threshold  2" in said


def test_info_of_hand_made_verdicts(tmp_path, capsys):
    path = tmp_path / "v.sqlite"
    with VerdictLog(path) as made:
        made.register("j", 2.5, True)
        values = [Verdict(1.0, mass=0.2), Verdict(2.0, mass=0.9), Verdict(4.5), Verdict(None, raw="?")]
        made.put("j", [(digest(str(n)), v) for n, v in enumerate(values)])
        made.put_rewrites("j", [(b"a", b"x"), (b"b", None)])
    assert log("info", path) == 0
    said = capsys.readouterr().out
    assert "verdicts   4, of them 1 missing" in said
    assert "mean 2.500, sd 1.803 (1: 33%, 2: 33%, 3: 0%, 4: 0%, 5: 33%)" in said  # sd: sqrt((2.25+.25+4)/2)
    assert "low mass   1 with less than 50%" in said
    assert "rewrites   2, of them 1 of no use" in said
    assert "threshold  2.5" in said
    assert "keyed by   prompt and scene graph\n" in said


@pytest.mark.parametrize("name", ["v.jsonl", "v.jsonl.gz"])
def test_an_export_scores_to_the_same_figures_and_holds_no_text(scored, tmp_path, capsys, name):
    pairs, out, path = scored
    exported, again = tmp_path / name, tmp_path / "again"
    assert log("export", path, "-o", exported) == 0
    assert f"{len(VerdictLog(path)):,} verdicts" in capsys.readouterr().out
    data = exported.read_bytes()
    text = (gzip.decompress(data) if name.endswith(".gz") else data).decode()
    for word in {w for line in pairs.read_text().splitlines() for w in re.findall(r"[a-z]{4,}", line.lower())}:
        assert word not in text.replace('"threshold"', "").replace('"structural":false', "").replace('"judge"', "")
    assert score(pairs, "-o", again, "--components", "--judge", "replay", "--log", exported) == 0

    def figures(path):
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        for row in rows:
            for component in row["components"]:
                del component["reason"]  # what a judge said is not handed on
        return rows

    assert figures(again) == figures(out)
    assert log("info", exported) == 0
    assert f"{name}: export, " in capsys.readouterr().out


def test_an_import_goes_on_from_there(scored, tmp_path, capsys, monkeypatch):
    pairs, _, path = scored
    exported, copy, again = tmp_path / "v.jsonl.gz", tmp_path / "copy.sqlite", tmp_path / "again"
    assert log("export", path, "-o", exported) == 0
    total = len(VerdictLog(path))
    assert log("import", exported, "--into", copy) == 0
    assert f"{total:,} verdicts, {total:,} new to" in capsys.readouterr().out
    monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
    rows = [json.loads(line) for line in pairs.read_text().splitlines()]
    rows.append({"id": "more", "generation": "A blue boat on a lake.", "reference": "A boat."})
    pairs.write_text("".join(json.dumps(r) + "\n" for r in rows))
    assert score(pairs, "-o", again, "--judge", "engines:slow", "--log", copy) == 0
    asked = (tmp_path / "asked").read_text().splitlines()
    assert 0 < len(asked) < 12  # the questions on the new pair alone
    assert len(VerdictLog(copy)) == total + len(asked)


def test_two_logs_become_one(scored, tmp_path, capsys):
    pairs, out, path = scored
    rows = pairs.read_text().splitlines(keepends=True)
    halves = []
    for name, part in (("a", rows[:3]), ("b", rows[2:])):
        half = tmp_path / f"{name}.jsonl.pairs"
        half.write_text("".join(part))
        halves.append(tmp_path / f"{name}.sqlite")
        assert score(half, "-o", tmp_path / f"{name}.out", "--judge", "engines:shaky", "--log", halves[-1]) == 0
    merged, again = tmp_path / "all.sqlite", tmp_path / "again"
    capsys.readouterr()
    assert log("merge", *halves, "--into", merged) == 0
    assert "differ" not in capsys.readouterr().out
    assert len(VerdictLog(merged)) == len(VerdictLog(path))
    assert score(pairs, "-o", again, "--components", "--judge", "replay", "--log", merged) == 0
    assert again.read_bytes() == out.read_bytes()
    assert log("merge", *halves, "--into", merged) == 0  # once more changes nothing
    assert " 0 new to" in capsys.readouterr().out


def test_what_differs_is_counted_and_the_first_stays(tmp_path, capsys):
    first, second = tmp_path / "1.sqlite", tmp_path / "2.sqlite"
    for path, value in ((first, 2.0), (second, 4.0)):
        with VerdictLog(path) as made:
            made.register("j", 2, False)
            made.put("j", [(b"a", Verdict(value)), (b"b", Verdict(1.0)), (str(path).encode(), Verdict(None))])
    assert log("merge", second, "--into", first) == 0
    assert "3 verdicts, 1 new to" in capsys.readouterr().out.replace(str(tmp_path), "")
    with VerdictLog(first) as target:
        assert target.get([b"a"]) == {b"a": Verdict(2.0)}
        assert merge_log(second, target).differing == 1


@pytest.mark.parametrize(("arguments", "message", "code"), [
    (["info", "none.sqlite"], "no such verdict log", 1),
    (["info", "text.sqlite"], "no verdict log, or a damaged one", 1),
    (["info", "text.jsonl"], "not a line of an exported verdict log", 2),
    (["export", "v.sqlite", "-o", "v.txt"], "ends in .jsonl or .jsonl.gz", 2),
    (["export", "v.sqlite", "-o", "no/v.jsonl"], "does not exist", 2),
    (["export", "text.jsonl", "-o", "v.jsonl"], "is an export already", 2),
    (["import", "text.jsonl", "--into", "new.sqlite"], "not a line of an exported verdict log", 2),
    (["import", "none.jsonl", "--into", "new.sqlite"], "no such verdict log", 1),
    (["merge", "v.sqlite", "--into", "v.sqlite"], "is the input file", 2),
    (["merge", "v.sqlite", "--into", "v.jsonl.gz"], "is the name of an export", 2),
    (["merge", "v.sqlite", "--into", "text.sqlite"], "no verdict log, or a damaged one", 1),
])
def test_what_cannot_be_done_is_said_in_one_line(tmp_path, monkeypatch, capsys, arguments, message, code):
    monkeypatch.chdir(tmp_path)
    VerdictLog("v.sqlite").close()
    for name in ("text.sqlite", "text.jsonl"):
        (tmp_path / name).write_text("just some words\n" * 50)
    assert log(*arguments) == code
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert (tmp_path / "text.sqlite").read_text() == "just some words\n" * 50


def test_help_teaches(capsys):
    with pytest.raises(SystemExit):
        log("--help")
    said = capsys.readouterr().out
    for word in ("--judge replay", "merge", "without any text", "posh-lite log export"):
        assert word in said


def test_an_export_is_no_log_to_write_to(tmp_path, capsys):
    pairs = write(tmp_path / "p.jsonl", 1)
    assert score(pairs, "--judge", "engines:hashing", "--log", tmp_path / "v.jsonl.gz") == 2
    assert "posh-lite log import" in capsys.readouterr().err


def test_info_says_that_answers_belong_to_their_list(tmp_path, capsys):
    path = tmp_path / "v.sqlite"
    with VerdictLog(path) as made:
        made.register("m pack:8 of:pair list:5c79d5fd", 2.0, False)
        made.register("m pack:8 list:5c79d5fd", 2.0, False)  # of an earlier version
    assert log("info", path) == 0
    found = [line for line in capsys.readouterr().out.splitlines() if "keyed by" in line]
    assert found == ["  keyed by   prompt", "  keyed by   prompt and the list that it is asked in"]
