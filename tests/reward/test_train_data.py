"""Rows to train on: every way in which they come, and what is said of one that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pictures import png

from posh_lite.errors import InputError
from posh_lite.reward.train.config import Data
from posh_lite.reward.train.data import prompt_text, read_examples, sources, to_row

RUBRIC = [{"claim": "A man holds a dog.", "dimension": "Interaction"}]


def lines(path: Path, *rows: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
    return path


def test_pairs_will_do(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", {"id": 7, "generation": "A cat.", "reference": "A man holds a dog."})
    (one,) = read_examples(path, Data(), vision=False)
    assert (one.id, one.reference, one.prompt, one.has_image) == (
        "7",
        "A man holds a dog.",
        prompt_text("describe"),
        False,
    )
    assert one.source == (str(path), 1)


def test_columns_of_table_9_and_of_docent_are_known(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png(4, 3))
    path = lines(
        tmp_path / "a.jsonl",
        {"problem": "<image>Describe it.", "answer": "A man.", "images": ["a.png"]},
        {"uuid": "u1", "reference": "A dog.", "image": "a.png", "rubric": RUBRIC},
    )
    first, second = read_examples(path, Data(), vision=True)
    assert (first.id, first.prompt, first.reference, first.image) == (
        "1",
        "Describe it.",
        "A man.",
        str(tmp_path / "a.png"),
    )
    assert second.id == "u1" and json.loads(second.rubric) == RUBRIC
    assert to_row(second)["rubric"] == RUBRIC and second.picture() == png(4, 3)


def test_columns_can_be_named(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", {"text": "A man.", "reference": "not this"})
    assert [e.reference for e in read_examples(path, Data(columns={"reference": "text"}), vision=False)] == ["A man."]


def test_a_folder_of_docent(tmp_path: Path) -> None:
    train = lines(tmp_path / "data" / "train.jsonl", {"uuid": "u1", "reference": "A man."})
    held_out = lines(tmp_path / "data" / "validation.jsonl", {"uuid": "u2", "reference": "A dog."})
    lines(
        tmp_path / "images" / "manifest.jsonl",
        {"uuid": "u1", "status": "ok", "file": "u1.png"},
        {"uuid": "u2", "status": "failed", "reason": "404"},
    )
    (tmp_path / "images" / "u1.png").write_bytes(png(2, 2))
    data = Data(train=str(tmp_path))
    assert sources(data) == (train, held_out)
    (one,) = read_examples(train, data, vision=True)
    assert one.image == str(tmp_path / "images" / "u1.png")
    with pytest.raises(InputError, match=r"validation.jsonl:1: the row has no image"):
        list(read_examples(held_out, data, vision=True))


def test_a_folder_without_a_split(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a folder without data/train.jsonl"):
        sources(Data(train=str(tmp_path)))
    with pytest.raises(InputError, match="nothing to train on"):
        sources(Data())


@pytest.mark.parametrize(
    ("row", "field", "said"),
    [
        ({"id": "a", "text": "A man."}, "reference", 'column "reference or answer" is missing; the row has id, text'),
        ({"reference": " "}, "reference", "reference is empty"),
        ({"reference": 3}, "reference", "reference must be a string, got int"),
        ({"reference": "\ud800"}, "reference", "half of a surrogate pair"),
        ({"reference": "A man.", "prompt": ""}, "prompt", "prompt is empty"),
        ({"reference": "A man.", "image": ["a", "b"]}, "image", "the row has 2 images, expected one"),
        ({"reference": "A man.", "image": "https://example.org/a.png"}, "image", "is no file; fetch the images first"),
        ({"reference": "A man.", "image": 3}, "image", "image must be a file name, got int"),
        ({"reference": "A man.", "rubric": [{"claim": "A man."}]}, "rubric", "claim 0 of the rubric"),
        ({"reference": "A man.", "rubric": "[" * 100_000}, "rubric", "the rubric is not JSON"),
        ({"reference": "A man.", "rubric": [{"claim": "\ud800", "dimension": "Entity"}]}, "rubric", "surrogate pair"),
        (["reference"], None, "expected a JSON object, got list"),
    ],
)
def test_a_row_that_cannot_be_used_names_line_and_field(tmp_path: Path, row: Any, field: str | None, said: str) -> None:
    path = lines(tmp_path / "a.jsonl", {"reference": "A dog."}, row)
    with pytest.raises(InputError, match=rf"a.jsonl:2: .*{said}") as caught:
        list(read_examples(path, Data(), vision=False))
    assert caught.value.field == field
    faults: list[InputError] = []
    assert len(list(read_examples(path, Data(), vision=False, on_error=faults.append))) == 1 and len(faults) == 1


@pytest.mark.parametrize(("content", "said"), [(None, "cannot be read: No such file"), (b"text", "is no picture")])
def test_images_are_looked_at_where_they_are_needed(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = lines(tmp_path / "a.jsonl", {"reference": "A dog.", "image": "a.png"})
    if content is not None:
        (tmp_path / "a.png").write_bytes(content)
    assert len(list(read_examples(path, Data(), vision=False))) == 1
    with pytest.raises(InputError, match=rf"a.jsonl:1: .*{said}"):
        list(read_examples(path, Data(), vision=True))


def test_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", {"reference": "A dog.", "image": "a\0b.png"})
    with pytest.raises(InputError, match=r"a.jsonl:1: image .* cannot be read: embedded null"):
        list(read_examples(path, Data(), vision=True))


def test_a_mark_crlf_and_empty_lines_are_fine_and_a_broken_line_is_a_fault_of_its_row(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    row = json.dumps({"reference": "A dog."}).encode()
    path.write_bytes(b"\xef\xbb\xbf" + row + b"\r\n\r\n{broken\r\n" + row)
    faults: list[InputError] = []
    assert [e.source[1] for e in read_examples(path, Data(), vision=False, on_error=faults.append)] == [1, 4]
    assert [f.line for f in faults] == [3]


def test_ids_are_unique(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", *({"id": "x", "reference": "A dog."},) * 2)
    with pytest.raises(InputError, match=r'a.jsonl:2: id "x" was used on line 1'):
        list(read_examples(path, Data(), vision=False))


def test_a_prompt_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "ask.txt").write_text("Say what you see.\n", "utf-8")
    assert prompt_text(str(tmp_path / "ask.txt")) == "Say what you see."
    with pytest.raises(InputError, match="name a text file or one of describe"):
        prompt_text("describ")
    (tmp_path / "empty.txt").write_text(" \n", "utf-8")
    with pytest.raises(InputError, match="the prompt is empty"):
        prompt_text(str(tmp_path / "empty.txt"))


def test_parquet_with_images_inside(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow: the extra docent")
    import pandas as pd

    rows = [
        {"problem": "Describe.", "answer": "A man.", "images": [{"bytes": png(3, 2), "path": None}]},
        {"problem": None, "answer": "A dog.", "images": [{"bytes": png(5, 2), "path": None}]},
    ]
    pd.DataFrame(rows).to_parquet(tmp_path / "a.parquet")
    first, second = read_examples(tmp_path / "a.parquet", Data(), vision=True)
    assert first.content == png(3, 2) and first.prompt == "Describe." and second.prompt == prompt_text("describe")
