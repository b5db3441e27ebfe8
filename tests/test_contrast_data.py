"""The contrast set of free rewordings: whole-word spans, kinds and counts as the data card says, bases that agree."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1] / "data" / "contrast"
CHANGES = (
    "object",
    "colour",
    "attribute",
    "relation",
    "count",
    "position",
    "negation",
    "attribute_swap",
    "role_swap",
    "addition",
)
FIELDS = {"id", "base", "kind", "original", "changed", "spans", "original_spans"}
SIDES = (("changed", "spans"), ("original", "original_spans"))
Row = dict[str, Any]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def words_outside(text: str, spans: list[list[int]]) -> list[str]:
    """The words of `text` that no span covers, in order."""
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return words(text)


def is_verbatim(row: Row) -> bool:
    """Whether the two texts agree word for word outside their marks (punctuation and case apart)."""
    return words_outside(row["changed"], row["spans"]) == words_outside(row["original"], row["original_spans"])


def sentence_count(text: str) -> int:
    return len(re.findall(r"[.!?][\"']?(?:\s|$)", text))


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return [json.loads(line) for line in (ROOT / "heldout.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def changes(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["kind"] != "paraphrase"]


def test_fields_kinds_and_ids(rows: list[Row]) -> None:
    assert all(set(row) == FIELDS for row in rows)
    assert {row["kind"] for row in rows} == {"paraphrase", *CHANGES}
    assert all(re.fullmatch(r"h\d{3}[a-f]", row["id"]) and row["id"][:-1] == row["base"] for row in rows)
    assert [row["id"] for row in rows] == sorted({row["id"] for row in rows})


def test_texts_are_clean_and_distinct(rows: list[Row]) -> None:
    texts = {row["original"] for row in rows} | {row["changed"] for row in rows}
    # Every original and every changed text is its own: nothing is repeated or left as it was.
    assert len(texts) == len({row["base"] for row in rows}) + len(rows)
    for text in texts:
        assert text == text.strip()
        assert text.endswith((".", '."', '".'))
        assert not re.search(r"[⟦⟧\n\t]|  | [,.;]|\.\.", text), text


def test_one_original_per_base(rows: list[Row]) -> None:
    originals = defaultdict(set)
    for row in rows:
        originals[row["base"]].add(row["original"])
    assert list(originals) == [f"h{number:03d}" for number in range(1, 71)]
    assert all(len(texts) == 1 for texts in originals.values())


def test_spans_cover_whole_words(rows: list[Row]) -> None:
    for row in rows:
        for text_key, span_key in SIDES:
            text, spans = row[text_key], row[span_key]
            ends = [0, *(end for _, end in spans)]
            for (start, end), before in zip(spans, ends, strict=False):
                assert before <= start < end <= len(text), row["id"]
                marked = text[start:end]
                assert marked == marked.strip(), row["id"]
                assert words(marked), row["id"]
                # No mark begins or ends inside a word.
                assert not re.search(r"\w", text[start - 1 : start]), row["id"]
                assert not re.search(r"\w", text[end : end + 1]), row["id"]


def test_marks_fit_the_kind(rows: list[Row]) -> None:
    for row in rows:
        marks, replaced = row["spans"], row["original_spans"]
        if row["kind"] == "paraphrase":
            assert marks == replaced == [], row["id"]
        elif row["kind"] == "addition":
            assert (len(marks), len(replaced)) == (1, 0), row["id"]
        elif row["kind"] in ("attribute_swap", "role_swap"):
            assert len(marks) == len(replaced) == 2, row["id"]
        elif row["kind"] == "negation":
            assert (len(marks), len(replaced)) in {(1, 0), (1, 1), (2, 2)}, row["id"]
        else:
            assert len(marks) == len(replaced) == 1, row["id"]


def test_what_is_marked_differs(changes: list[Row]) -> None:
    for row in changes:
        was = [row["original"][start:end].lower() for start, end in row["original_spans"]]
        now = [row["changed"][start:end].lower() for start, end in row["spans"]]
        assert was != now, row["id"]


def test_paraphrases_are_reworded(rows: list[Row]) -> None:
    for row in rows:
        if row["kind"] == "paraphrase":
            was, now = words(row["original"]), words(row["changed"])
            assert sorted(was) != sorted(now), row["id"]
            assert 0.8 <= len(now) / len(was) <= 1.8, row["id"]


def test_counts_per_base_and_kind(rows: list[Row], changes: list[Row]) -> None:
    paraphrases = Counter(row["base"] for row in rows if row["kind"] == "paraphrase")
    assert set(paraphrases.values()) == {2}
    assert set(Counter(row["base"] for row in changes).values()) == {3, 4}
    assert min(Counter(row["kind"] for row in changes).values()) >= 20
    # About half of the changes leave the rest as it was; the others are reworded as well.
    assert 0.45 <= sum(map(is_verbatim, changes)) / len(changes) <= 0.55


def test_lengths(rows: list[Row]) -> None:
    lengths = Counter(sentence_count(text) for text in {row["original"] for row in rows})
    assert (lengths[1], lengths[2] + lengths[3], lengths[4] + lengths[5] + lengths[6]) == (25, 30, 15)


def test_card_gives_the_computed_counts(rows: list[Row]) -> None:
    card = (ROOT / "README.md").read_text(encoding="utf-8")
    for kind in ("paraphrase", *CHANGES):
        of_kind = [row for row in rows if row["kind"] == kind]
        verbatim = sum(map(is_verbatim, of_kind))
        line = f"| `{kind}` | {len(of_kind)} | {verbatim} | {len(of_kind) - verbatim} |"
        assert line in card, line
    assert f"| all | {len(rows)} | {sum(map(is_verbatim, rows))} |" in card


def test_is_verbatim_by_hand() -> None:
    row = {"original": "A red cup.", "changed": "A blue cup.", "spans": [[2, 6]], "original_spans": [[2, 5]]}
    assert is_verbatim(row)
    assert not is_verbatim({**row, "changed": "A blue mug."})
