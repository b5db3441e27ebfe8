"""Genericity by counted words, and the record of its comparison with people."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from posh_lite.benchmarks.mini import load_mini
from posh_lite.errors import InputError
from posh_lite.evaluation.calibrate import auc
from posh_lite.position.generic import CAP, CAP_SPECIFIC, LexicalGenericity, counted
from posh_lite.position.generic_report import DEVELOPED_ON, Part, main, read_parts, report

RECORD = Path(__file__).parents[1] / "data" / "results" / "faithscore" / "genericity.json"
JUDGE = LexicalGenericity()


@pytest.mark.parametrize("sentence", [
    "The overall atmosphere is calm and pleasant.",
    "It captures the beauty of everyday life and invites the viewer to reflect.",
    "This suggests that he might be waiting for someone.",
    "A sense of nostalgia pervades the composition.",
])
def test_mood_and_conclusions_are_generic(sentence: str) -> None:
    assert JUDGE.judge(sentence).generic


@pytest.mark.parametrize("sentence", [
    "A brown dog lies under a wooden bench.",
    "Two women in blue coats stand on the left.",
    "The sign reads STOP in white letters.",
    "He wears a red hat.",
])
def test_what_can_be_checked_is_specific(sentence: str) -> None:
    assert not JUDGE.judge(sentence).generic


def test_a_false_but_specific_sentence_is_specific() -> None:
    assert JUDGE.judge("Three purple elephants fly over the bridge.").score < 0.5


@pytest.mark.parametrize("text", ["", "   ", "...", "🙂"])
def test_without_a_word_nothing_can_be_checked(text: str) -> None:
    found = JUDGE.judge(text)
    assert found.specific == ()
    assert 0.5 < found.score <= 1


@pytest.mark.parametrize("text", ["might " * 500, "dog " * 500, "\x00", "\u0627\u0644\u0642\u0637", "café, 12.5 %"])
def test_the_score_stays_within_0_and_1(text: str) -> None:
    assert 0 <= JUDGE.judge(text).score <= 1


def test_counts_by_hand() -> None:
    counts, specific, vague = counted("The two red dogs might suggest a calm mood.")
    assert (counts["detail"], counts["thing"], counts["suppose"], counts["evaluate"]) == (2, 1, 2, 2)
    assert specific == ("two", "red", "dogs")
    assert vague == ("might", "suggest", "calm", "mood")
    assert counts["empty"] == 0


def test_counts_are_capped() -> None:
    counts = counted("might " * 9 + "dog " * 9)[0]
    assert (counts["suppose"], counts["thing"]) == (CAP, CAP_SPECIFIC)


def test_the_threshold_decides_and_is_checked() -> None:
    assert LexicalGenericity(0.0).judge("A red dog.").generic
    with pytest.raises(ValueError, match="between 0 and 1"):
        LexicalGenericity(1.5)


def test_generic_sentences_of_the_known_captions_rank_above_the_others() -> None:
    corpus = load_mini()
    scores, labels = [], []
    for pair, gold in zip(corpus.pairs, corpus.gold, strict=True):
        for s in gold.sentences:
            scores.append(JUDGE.judge(pair.generation[s.start : s.end]).score)
            labels.append(int(s.label == "generic"))
    assert sum(labels) == 49
    assert auc(scores, labels, n_resamples=20).value >= 0.95


def test_the_report_by_hand(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    rows = [
        {"id": "1", "stage 1": {"a red dog": 1, "the mood is calm": 0}},
        {"id": "2", "stage 1": {"a blue car": 1, "which might suggest peace": 0}},
    ]
    file.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    parts = read_parts(file)
    assert parts[1] == Part("1", 0, "the mood is calm", True)
    found = report(parts, n_resamples=20)["halves"]
    assert found["all"]["auc_over_images"]["value"] == 1.0
    assert found["held out"]["parts"] == 0  # fewer answers than the judge was made on
    assert found["held out"]["auc_over_images"]["value"] is None


@pytest.mark.parametrize(("row", "message"), [
    ({"id": "1"}, "stage 1"), ({"id": "1", "stage 1": {"a": 2}}, "label 2 is not 0 or 1"),
])
def test_a_bad_row_is_named(tmp_path: Path, row: dict[str, object], message: str) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"bad\.jsonl:1: .*{message}"):
        read_parts(file)


def test_without_the_data_the_command_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("POSH_LITE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert main(["-o", str(tmp_path / "r.json")]) == 1
    assert "posh-lite data fetch faithscore" in capsys.readouterr().err


def test_the_record_meets_the_aim_on_the_half_that_was_held_out() -> None:
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    assert record["judge"] == JUDGE.signature
    held = record["halves"]["held out"]
    assert held["answers"] == record["halves"]["all"]["answers"] - DEVELOPED_ON
    assert held["auc_over_images"]["value"] >= 0.80
    assert held["auc_over_images"]["low"] < held["auc_over_images"]["value"] < held["auc_over_images"]["high"]


@pytest.mark.skipif(not os.environ.get("POSH_LITE_DATA"), reason="POSH_LITE_DATA is not set: no FaithScore annotations")
def test_the_record_is_what_the_data_gives(tmp_path: Path) -> None:
    assert main(["-o", str(tmp_path / "r.json")]) == 0
    assert json.loads((tmp_path / "r.json").read_text()) == json.loads(RECORD.read_text(encoding="utf-8"))
