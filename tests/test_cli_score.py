import csv
import io
import json
from pathlib import Path

import pytest

from posh_lite.cli import main

ROWS = [
    {"id": "a", "generation": "A man in a red coat holds a cup.", "reference": "A man wearing a blue coat."},
    {"id": "b", "generation": "Two dogs sleep.", "reference": "Two dogs sleep on a sofa."},
    {"id": "\U0001f600/é", "generation": "A {cat} at 100%s.", "reference": "A cat sits.", "model": "m"},
]


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.jsonl"

    def write(*rows, end="\n"):
        lines = [r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in (rows or ROWS)]
        path.write_text(end.join(lines) + end, encoding="utf-8", newline="")
        return str(path)

    write()
    write.path = str(path)
    return write


def lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def run(*arguments, judge="judges:Hashing"):
    return main(["score", *map(str, arguments), *(["--judge", judge] if judge else [])])


def test_one_line_a_pair(pairs, tmp_path, capsys):
    out = tmp_path / "scores.jsonl"
    assert run(pairs.path, "-o", out) == 0
    found = lines(out)
    assert [r["id"] for r in found] == ["a", "b", "\U0001f600/é"]
    columns = ["id", "mistakes", "omissions", "overall", "n_components", "n_missing", "stamp"]
    assert all(list(r) == columns for r in found)
    said = capsys.readouterr()
    assert said.out == ""
    for word in ("pairs scored", "signature", "judge:hashing", "graphs", "mean"):
        assert word in said.err


def test_standard_output_and_quiet(pairs, capsys):
    assert run(pairs.path, "--quiet") == 0
    said = capsys.readouterr()
    assert [json.loads(line)["id"] for line in said.out.splitlines()] == [r["id"] for r in ROWS]
    assert said.err == ""


def test_components(pairs, tmp_path):
    out = tmp_path / "scores.jsonl"
    run(pairs.path, "-o", out, "--components")
    for row, pair in zip(lines(out), ROWS, strict=True):
        assert len(row["components"]) == row["n_components"] > 0
        for component in row["components"]:
            assert {"side", "kind", "text", "spans", "score", "present", "question"} <= set(component)
            for start, end in component["spans"]:
                assert 0 <= start < end <= len(pair[component["side"]])


def test_csv(pairs, tmp_path):
    out = tmp_path / "scores.csv"
    run(pairs.path, "-o", out, "--format", "csv", "--components")
    rows = list(csv.DictReader(io.StringIO(out.read_text("utf-8"))))
    assert [r["id"] for r in rows] == [r["id"] for r in ROWS]
    assert list(rows[0]) == ["id", "mistakes", "omissions", "overall", "n_components", "n_missing", "stamp",
                             "components"]
    assert len(json.loads(rows[0]["components"])) == int(rows[0]["n_components"])


def test_undefined_scores_are_null_with_their_reason(pairs, tmp_path, capsys):
    out = tmp_path / "scores.jsonl"
    pairs({"id": "a", "generation": "...", "reference": "A dog."})
    assert run(pairs.path, "-o", out) == 0
    (row,) = lines(out)
    assert row["mistakes"] is None
    assert row["overall"] is None
    assert row["reasons"]["mistakes"] == "no components in the generation"
    assert "NaN" not in out.read_text()
    assert "1 of 1 pairs have no overall score" in capsys.readouterr().err
    out_csv = tmp_path / "scores.csv"
    run(pairs.path, "-o", out_csv, "--format", "csv")
    assert out_csv.read_text().splitlines()[1].startswith("a,,")


def test_report(pairs, tmp_path):
    page = tmp_path / "report.html"
    assert run(pairs.path, "-o", tmp_path / "s.jsonl", "--html", page) == 0
    assert page.read_text("utf-8").count('class="pair"') == 3


def test_unread_verdicts_are_counted(pairs, tmp_path, capsys):
    out = tmp_path / "s.jsonl"
    assert run(pairs.path, "-o", out, judge="judges:Unread") == 0
    assert all(r["n_missing"] == r["n_components"] for r in lines(out))
    assert "could not be read" in capsys.readouterr().err


def test_log_then_replay(pairs, tmp_path, capsys):
    log, first, second = tmp_path / "v.sqlite", tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    run(pairs.path, "-o", first, "--log", log)
    assert "0 answered from it" in capsys.readouterr().err
    run(pairs.path, "-o", second, "--log", log)
    assert "0 newly asked" in capsys.readouterr().err
    assert first.read_bytes() == second.read_bytes()
    second.unlink()
    assert run(pairs.path, "-o", second, "--log", log, judge="replay") == 0
    assert first.read_bytes() == second.read_bytes()
    pairs({"id": "new", "generation": "A zebra.", "reference": "A zebra."})
    assert run(pairs.path, "-o", second, "--log", log, judge="replay") == 1
    assert 'no verdict on pair "new"' in capsys.readouterr().err


def test_settings_reach_the_metric(pairs, tmp_path, capsys):
    run(pairs.path, "-o", tmp_path / "s.jsonl", "--threshold", "3", "--aggregation", "objects", "--identifiers", "lazy")
    assert "threshold:3|aggregation:objects" in capsys.readouterr().err
    assert run(pairs.path, "--threshold", "9") == 2
    assert "between 1 and 5" in capsys.readouterr().err


def test_crlf_bom_and_blank_lines(pairs, tmp_path):
    plain, other = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    run(pairs.path, "-o", plain)
    path = pairs(ROWS[0], "", *ROWS[1:], end="\r\n")
    Path(path).write_bytes(b"\xef\xbb\xbf" + Path(path).read_bytes())
    run(path, "-o", other)
    assert plain.read_bytes() == other.read_bytes()


def test_a_pipe_as_input(pairs, tmp_path, monkeypatch):
    out = tmp_path / "s.jsonl"
    data = Path(pairs.path).read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert run("-", "-o", out) == 0
    assert len(lines(out)) == 3


def many(bad, at=17):
    rows = [{"id": str(n), "generation": "A dog.", "reference": "A cat."} for n in range(1, 21)]
    rows[at - 1] = bad
    return rows


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ('{"id": "x", ', "not valid JSON"),
        ({"id": "x", "generation": "A dog."}, 'field "reference" is missing'),
        ({"id": "3", "generation": "A dog.", "reference": "A cat."}, 'id "3" was used on line 3 already'),
        ({"id": "x", "generation": "", "reference": "A cat."}, 'field "generation" is empty'),
    ],
)
def test_bad_input_is_one_line_and_keeps_what_was_scored(pairs, tmp_path, capsys, bad, message):
    out = tmp_path / "s.jsonl"
    path = pairs(*many(bad))
    assert run(path, "-o", out, "--quiet", "--html", tmp_path / "r.html") == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"{path}:17: " in said
    assert message in said
    assert [r["id"] for r in lines(out)] == [str(n) for n in range(1, 17)]
    assert (tmp_path / "r.html").exists()

    assert run(path, "-o", out, "--on-error", "skip") == 0
    said = capsys.readouterr().err
    assert [r["id"] for r in lines(out)] == [str(n) for n in range(1, 21) if n != 17]
    assert "skipped       1\n" in said
    assert f"skipped: {path}:17" in said


def test_pairs_before_a_bad_line_are_scored_within_a_chunk(pairs, tmp_path):
    out = tmp_path / "s.jsonl"
    assert run(pairs(*many("{", at=4)), "-o", out) == 2
    assert [r["id"] for r in lines(out)] == ["1", "2", "3"]


def test_a_judge_that_fails_on_one_pair(pairs, tmp_path, capsys):
    out = tmp_path / "s.jsonl"
    path = pairs(*many({"id": "x", "generation": "A dog.", "reference": "An impossible cat."}))
    assert run(path, "-o", out, judge="judges:Choosy") == 1
    assert 'pair "x" is too long' in capsys.readouterr().err
    assert [r["id"] for r in lines(out)] == [str(n) for n in range(1, 17)]
    assert run(path, "-o", out, "--on-error", "skip", judge="judges:Choosy") == 0
    assert len(lines(out)) == 19


def test_what_fails_early_leaves_an_older_output_alone(pairs, tmp_path, capsys):
    out = tmp_path / "s.jsonl"
    out.write_text("older\n")
    assert run(tmp_path / "none.jsonl", "-o", out) == 2
    assert run(pairs("{"), "-o", out) == 2
    assert run(pairs(), "-o", out, judge="oracle") == 1
    assert out.read_text() == "older\n"
    said = capsys.readouterr().err
    assert "no such file" in said
    assert "no judge named" in said
    assert run(pairs.path, "-o", out) == 0
    assert len(lines(out)) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "{pairs}"], "is the input file"), (["-o", "{tmp}"], "is a folder"),
        (["-o", "{tmp}/no/s.jsonl"], "does not exist"), (["-o", "{tmp}/x", "--html", "{tmp}/x"], "names of their own"),
        (["--resume"], "needs an output file"), (["--chunk", "0"], "--chunk"),
        (["--prompts", "{tmp}/none"], "cannot be read"),
    ],
)
def test_usage_that_cannot_work(pairs, tmp_path, capsys, arguments, message):
    filled = [a.format(pairs=pairs.path, tmp=tmp_path) for a in arguments]
    assert run(pairs.path, *filled) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert len(lines(tmp_path / "pairs.jsonl")) == 3


def test_no_pairs_at_all(pairs, tmp_path, capsys):
    assert run(pairs(""), "-o", tmp_path / "s.jsonl") == 2
    assert "no pairs" in capsys.readouterr().err


def test_resume_goes_on_and_mends_a_half_written_line(pairs, tmp_path, capsys):
    whole, out = tmp_path / "whole.jsonl", tmp_path / "s.jsonl"
    run(pairs.path, "-o", whole, "--components")
    text = whole.read_text("utf-8")
    out.write_text(text[: text.index("\n") + 40], encoding="utf-8")
    assert run(pairs.path, "-o", out, "--components", "--resume") == 0
    assert out.read_bytes() == whole.read_bytes()
    assert "kept from before" in capsys.readouterr().err
    assert run(pairs.path, "-o", out, "--components", "--resume") == 0
    assert out.read_bytes() == whole.read_bytes()
    out.write_text("something else\n")
    assert run(pairs.path, "-o", out, "--resume") == 2
    assert "cannot go on" in capsys.readouterr().err


def test_resume_a_csv(pairs, tmp_path):
    whole, out = tmp_path / "whole.csv", tmp_path / "s.csv"
    run(pairs.path, "-o", whole, "--format", "csv")
    out.write_text("\n".join(whole.read_text("utf-8").splitlines()[:2]) + "\n", encoding="utf-8")
    assert run(pairs.path, "-o", out, "--format", "csv", "--resume") == 0
    assert out.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("arguments", [["--help"], ["score", "--help"], ["graph", "--help"], ["data", "--help"]])
def test_help_has_examples(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 0
    assert "examples:" in capsys.readouterr().out


def test_version(capsys):
    from posh_lite import __version__

    with pytest.raises(SystemExit):
        main(["--version"])
    assert __version__ in capsys.readouterr().out
