"""``posh-lite calibrate`` and ``score --calibration``: from labelled spans to calibrated scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from posh_lite.cli import main
from posh_lite.judge.calibration import load_calibration

COLOURS = ("red", "green", "white", "brown", "pink", "gray")


def _data(path: Path) -> Path:
    """Six works, each with a right and a wrong attribute and a right and a wrong thing."""
    rows: list[dict[str, Any]] = []
    for number, colour in enumerate(COLOURS):
        text = f"A {colour} cat sleeps. A wooden chair stands."
        pair = {"id": str(number), "generation": text, "reference": "A black cat sleeps. A wooden table stands."}
        for word, label in ((colour, 0), ("cat", 1), ("wooden", 1), ("chair", 0)):
            start = text.index(word)
            rows.append({**pair, "side": "generation", "span": [start, start + len(word)], "label": label})
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data, log and a calibration of the lexical judge."""
    made = tmp_path_factory.mktemp("calibrate")
    arguments = ["--data", str(_data(made / "own.jsonl")), "--log", str(made / "v.sqlite"), "-o", str(made / "c.json")]
    assert main(["calibrate", *arguments, "--quiet"]) == 0
    return made


def test_a_calibration_says_judge_data_and_figures(folder: Path) -> None:
    made = load_calibration(folder / "c.json")
    assert made.judge.startswith("lexical-") and made.data.startswith("own.jsonl")
    assert made.method == "isotonic" and made.n == 24 and made.n_missing == 0
    assert made.auc["all"].n_units == 6 and made.auc["all"].value > 0.9
    assert made.accuracy.share >= made.accuracy.share_at_two


def test_another_method_asks_nothing_anew(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--data", str(folder / "own.jsonl"), "--log", str(folder / "v.sqlite"), "--method", "threshold"]
    assert main(["calibrate", *arguments, "-o", str(folder / "t.json")]) == 0
    said = capsys.readouterr()
    assert "24 answered from it, 0 newly asked" in said.out
    assert "balanced accuracy" in said.out and "AUC" in said.out
    assert "to score with it: posh-lite score PAIRS.jsonl --judge lexical" in said.err
    assert f"--calibration {folder / 't.json'}" in said.err
    assert "own.jsonl, about 600 questions, seed 0 (sha256 " in said.err
    assert load_calibration(folder / "t.json").curves == {}


def test_the_log_alone_is_enough(folder: Path) -> None:
    arguments = ["--judge", "replay", "--data", str(folder / "own.jsonl"), "--log", str(folder / "v.sqlite")]
    assert main(["calibrate", *arguments, "-o", str(folder / "r.json"), "--quiet"]) == 0
    live, replayed = load_calibration(folder / "c.json"), load_calibration(folder / "r.json")
    assert replayed.to_dict() == {**live.to_dict(), "date": replayed.date}


def test_scores_carry_the_calibration(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = folder / "pairs.jsonl"
    pair = {"id": "1", "generation": "A red cat sleeps.", "reference": "A black cat sleeps."}
    pairs.write_text(json.dumps(pair) + "\n", encoding="utf-8")
    for name, more in (("plain", []), ("mapped", ["--calibration", str(folder / "c.json")])):
        assert main(["score", str(pairs), "-o", str(folder / f"{name}.jsonl"), *more]) == 0
    said = capsys.readouterr().err
    assert f"calibration:{load_calibration(folder / 'c.json').name}" in said
    assert (folder / "plain.jsonl").read_text() != (folder / "mapped.jsonl").read_text()


def test_scoring_with_the_calibration_of_another_judge_fails(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = json.loads((folder / "c.json").read_text(encoding="utf-8"))
    (folder / "other.json").write_text(json.dumps({**row, "judge": "gguf other"}), encoding="utf-8")
    (folder / "one.jsonl").write_text('{"id": "1", "generation": "A cat.", "reference": "A cat."}\n', encoding="utf-8")
    assert main(["score", str(folder / "one.jsonl"), "--calibration", str(folder / "other.json")]) == 1
    assert 'the calibration is that of the judge "gguf other"' in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--data", "no.jsonl"], 'no such file; give "mini" or labelled spans'),
        (["-n", "-1"], "-n must be at least 0, got -1"),
        (["--pairs-per-work", "0"], "--pairs-per-work must be at least 1, got 0"),
        (["--seed", "-2"], "--seed must be at least 0"),
        (["--log", "c.json"], "calibration and log need names of their own"),
        (["--judge", "magic"], 'no judge named "magic"'),
    ],
)
def test_wrong_options_are_said_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["calibrate", "-o", "c.json", *arguments]) in (1, 2)
    assert message in capsys.readouterr().err
    assert not (tmp_path / "c.json").exists()


def test_the_output_is_not_written_over_the_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _data(tmp_path / "own.jsonl")
    assert main(["calibrate", "--data", str(path), "-o", str(path)]) == 2
    assert "is the input file and would be overwritten" in capsys.readouterr().err


def test_a_flat_judge_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "flat_judge.py").write_text(
        "from posh_lite.judge.table import TableJudge\n\n\nclass Flat(TableJudge):\n"
        "    def __init__(self):\n        super().__init__(lambda q: 3.9 + len(q.text) % 2 / 10, name='flat')\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    path = _data(tmp_path / "own.jsonl")
    assert main(["calibrate", "--judge", "flat_judge:Flat", "--data", str(path), "-o", "c.json"]) == 0
    said = capsys.readouterr().err
    assert "the scores hardly vary (standard deviation 0.05 on 1 to 5)" in said


def test_help_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["calibrate", "--help"])
    said = capsys.readouterr().out
    for words in ("present from a score of 2", '"span": [2, 5]', "isotonic", "posh-lite score pairs.jsonl", "--log"):
        assert words in said
