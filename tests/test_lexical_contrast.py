"""Detection of changes and false alarms on paraphrases over the hand-written contrast set."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from posh_lite.errors import InputError
from posh_lite.judge.lexical import report

SET = Path(__file__).parent / "contrast" / "contrast.jsonl"


@pytest.fixture(scope="module")
def outcomes() -> list[report.Outcome]:
    return report.run(report.read_contrast(SET))


def test_the_set_is_large_and_varied() -> None:
    kinds = Counter(c.kind for c in report.read_contrast(SET))
    assert sum(kinds.values()) >= 160
    assert kinds["paraphrase"] >= 50
    assert {"object", "color", "count", "position", "negation", "attribute_swap", "role_swap", "addition"} <= set(kinds)


def test_changes_are_flagged_where_they_are(outcomes: list[report.Outcome]) -> None:
    rows = {row["kind"]: row for row in report.rates(outcomes)}
    assert rows["all changes"]["< 3"] >= 0.85, report.table(list(rows.values()))
    assert rows["all changes"]["< 2"] >= 0.80, report.table(list(rows.values()))
    for kind, row in rows.items():
        if kind != report.PARAPHRASE:
            assert row["< 3"] >= 0.6, kind


def test_paraphrases_are_left_alone(outcomes: list[report.Outcome]) -> None:
    row = next(r for r in report.rates(outcomes) if r["kind"] == report.PARAPHRASE)
    assert row["< 3"] <= 0.10, row


def test_the_report_prints_a_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    small = tmp_path / "small.jsonl"
    small.write_text("".join(SET.read_text(encoding="utf-8").splitlines(keepends=True)[:2]), encoding="utf-8")
    assert report.main([str(small), "--misses"]) == 0
    assert "| all changes | 2 | 100.0% | 100.0% |" in capsys.readouterr().out


@pytest.mark.parametrize(
    "line", ['{"id": "1"}', '{"id":"1","kind":"x","original":"a","changed":"b","changed_spans":[[0,9]]}']
)
def test_a_broken_set_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"broken\.jsonl:1"):
        report.read_contrast(path)
    assert report.main([str(path)]) == 1
