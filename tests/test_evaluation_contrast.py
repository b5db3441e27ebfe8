"""Rates on a contrast set against counts made by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from posh_lite.evaluation.contrast import caught, caught_by_kind, changes, component_alarms, paraphrases
from posh_lite.judge.lexical.report import read_contrast, run

ROWS = [
    ("colour", "A man in a red coat.", "A man in a blue coat.", "blue"),
    ("colour", "Three green apples lie on a plate.", "Three red apples lie on a plate.", "red"),
    ("count", "Three green apples lie on a plate.", "Five green apples lie on a plate.", "Five"),
    ("paraphrase", "A man in a red coat.", "A gentleman wearing a scarlet coat.", ""),
    ("paraphrase", "A man in a red coat.", "A zebra plays the trumpet.", ""),  # flagged throughout
]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory):
    path: Path = tmp_path_factory.mktemp("contrast") / "set.jsonl"
    rows = []
    for number, (kind, original, changed, word) in enumerate(ROWS):
        start = changed.index(word)
        spans = [[start, start + len(word)]] if word else []
        rows.append({"id": f"p{number}", "kind": kind, "original": original, "changed": changed, "spans": spans})
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return run(read_contrast(path))


def test_changes_and_paraphrases_are_told_apart(outcomes) -> None:
    assert len(changes(outcomes)) == 3
    assert len(paraphrases(outcomes)) == 2


def test_every_plain_change_is_caught_on_its_words(outcomes) -> None:
    by_kind = caught_by_kind(outcomes, 3.0, n_resamples=50)
    assert list(by_kind) == ["colour", "count"]
    assert (by_kind["colour"].value, by_kind["colour"].n, by_kind["colour"].n_units) == (1.0, 2, 2)
    assert (by_kind["count"].value, by_kind["count"].n_units) == (1.0, 1)


def test_one_of_two_paraphrases_is_flagged(outcomes) -> None:
    share = caught(paraphrases(outcomes), 3.0, n_resamples=50)
    assert share.value == 1 / 2
    assert share.n_units == 1  # both reword the same original, so there is no interval over originals


def test_component_alarms_count_components_not_pairs(outcomes) -> None:
    scores = [[c.score for c in o.score.of("generation")] for o in paraphrases(outcomes)]
    flagged = sum(s < 3 for row in scores for s in row)
    assert flagged == len(scores[1]) >= 2
    assert component_alarms(outcomes, 3.0, n_resamples=50).value == flagged / sum(len(row) for row in scores)
