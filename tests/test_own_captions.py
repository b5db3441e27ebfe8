"""Captions files of every kind, and how they find their references."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posh_lite.errors import InputError
from posh_lite.own.captions import by_model, folder_of, read_captions
from posh_lite.own.example import example
from posh_lite.own.references import References, digest_of, load_references, stem

REFERENCES = References("r", {"a": "A red cat.", "b/c.jpg": "A blue dog.", "d.png": "One.", "d.jpg": "Two."})


def write(path: Path, *rows: object, before: bytes = b"", end: str = "\n") -> Path:
    path.write_bytes(before + "".join(json.dumps(r) + end for r in rows).encode())
    return path


def test_pairs_bring_their_references(tmp_path: Path) -> None:
    row = {"id": 7, "generation": "A cat.", "reference": "A red cat.", "model": "m"}
    for before, end in ((b"", "\n"), (b"\xef\xbb\xbf", "\r\n")):  # a byte-order mark, and line ends of Windows
        (pair,) = read_captions(write(tmp_path / "c.jsonl", row, before=before, end=end)).pairs
        assert (pair.id, pair.generation, pair.reference, pair.model) == ("7", "A cat.", "A red cat.", "m")


@pytest.mark.parametrize(("row", "image"), [
    ({"id": "a"}, "a"), ({"id": "x", "image": "a"}, "a"), ({"image": "folder/a.webp"}, "a"), ({"id": "c"}, "b/c.jpg"),
    ({"id": "C:\\photos\\c.png"}, "b/c.jpg"), ({"id": "a/mine"}, "a"), ({"id": "d.png"}, "d.png"),
])
def test_captions_alone_find_their_image(tmp_path: Path, row: dict[str, str], image: str) -> None:
    found = read_captions(write(tmp_path / "c.jsonl", {"generation": "x", **row}), REFERENCES)
    (pair,) = found.pairs
    assert (pair.image, pair.reference) == (image, REFERENCES.by_image[image])
    assert pair.id == row.get("id", row.get("image"))
    assert found.n_uncaptioned == 3
    assert found.references == "r"


@pytest.mark.parametrize(("row", "said"), [
    ({"id": "zz", "generation": "x"}, 'no image of r, which has 4 such as "a"'),
    ({"id": "d", "generation": "x"}, "no image"),  # two images have that name: which one is not guessed
    ({"generation": "x"}, '"id" or "image"'),
    ({"id": "a", "caption": "x"}, 'is it "caption"'),
    ({"id": "a"}, 'field "generation" is missing, the text'),
    ({"id": "a", "generation": " \n"}, 'field "generation" is empty'),
    ({"id": "a", "generation": 3}, "must be a string"),
    ({"id": "a", "generation": "x", "reference": "Another."}, "another reference than r"),
    (["a"], "expected a JSON object, got list"),
])
def test_records_that_cannot_be_joined_are_refused_with_their_line(tmp_path: Path, row: object, said: str) -> None:
    path = write(tmp_path / "c.jsonl", {"id": "b/c.jpg", "generation": "fine"}, row)
    with pytest.raises(InputError) as error:
        read_captions(path, REFERENCES)
    assert said in str(error.value)
    assert f"{path}:2:" in str(error.value)
    told: list[InputError] = []
    found = read_captions(path, REFERENCES, on_error=told.append)
    assert (len(found.pairs), found.n_skipped, len(told)) == (1, 1, 1)


def test_ids_that_come_twice_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "c.jsonl", *[{"id": "a", "generation": "x"}] * 2)
    with pytest.raises(InputError, match=r":2: id \"a\" was used on line 1"):
        read_captions(path, REFERENCES)


def test_no_reference_names_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--benchmark mini"):
        read_captions(write(tmp_path / "c.jsonl", {"id": "a", "generation": "x"}))


@pytest.mark.parametrize("rows", [[], [{"id": "a"}]])
def test_a_file_without_a_caption_is_refused(tmp_path: Path, rows: list[object]) -> None:
    with pytest.raises(InputError, match=r"no captions|none of its"):
        read_captions(write(tmp_path / "c.jsonl", *rows), on_error=lambda _: None)


def test_references_come_from_a_file_or_a_benchmark(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", {"id": 1, "reference": "One."}, {"image": "b", "reference": "Two.", "id": "x"},
                 {"id": "1", "reference": "One."})
    assert load_references(str(path)).by_image == {"1": "One.", "b": "Two."}
    assert len(load_references("mini").by_image) == 12
    with pytest.raises(InputError, match="did you mean mini"):
        load_references("minni")
    write(path, {"id": "a", "reference": "One."}, {"id": "a", "reference": "Two."})
    with pytest.raises(InputError, match=r":2: the image \"a\" has another reference"):
        load_references(str(path))
    for row in ({"id": "a"}, {"reference": "x"}, {"id": "a", "reference": " "}, 3):
        with pytest.raises(InputError, match=r"r\.jsonl:1"):
            load_references(str(write(path, row)))


def test_several_models_get_a_row_each(tmp_path: Path) -> None:
    rows = [{"id": f"{i}", "generation": "x", "reference": "y", "model": m} for i, m in enumerate("aab")]
    found = read_captions(write(tmp_path / "c.jsonl", *rows))
    assert [(name, len(own.pairs)) for name, own in by_model(found, None)] == [("a", 2), ("b", 1)]
    with pytest.raises(InputError, match="leave --name out"):
        list(by_model(found, "mine"))
    nameless = read_captions(write(tmp_path / "c.jsonl", {"id": "1", "generation": "x", "reference": "y"}))
    with pytest.raises(InputError, match="--name NAME"):
        list(by_model(nameless, None))
    assert [name for name, _ in by_model(nameless, "org/Mine 7B")] == ["org/Mine 7B"]
    alike = [{"id": m, "generation": "x", "reference": "y", "model": m} for m in ("a/b", "A b")]
    with pytest.raises(InputError, match="one folder"):
        list(by_model(read_captions(write(tmp_path / "c.jsonl", *alike)), None))


@pytest.mark.parametrize(("name", "folder"), [
    ("my-model", "my-model"), ("Qwen/Qwen2.5-VL 7B", "qwen-qwen2.5-vl-7b"), ("../../etc", "etc"), ("con", "model-con"),
    ("comparisons", "model-comparisons"), ("a" * 200, "a" * 80), ("Modèle", "mod-le"),
])
def test_a_name_makes_a_folder(name: str, folder: str) -> None:
    assert folder_of(name) == folder


@pytest.mark.parametrize("name", ["", "..", "/", "模型", "a\0b", "a\nb"])
def test_a_name_without_a_letter_makes_none(name: str) -> None:
    with pytest.raises(InputError, match="cannot be the name"):
        folder_of(name)


@given(st.text(max_size=120))
def test_no_name_leaves_the_folder_of_models(name: str) -> None:
    try:
        folder = folder_of(name)
    except InputError:
        return
    assert folder == Path(folder).name
    assert folder not in ("", ".", "..")
    assert folder_of(folder) == folder


@given(st.lists(st.text(max_size=8), max_size=6))
def test_the_hash_of_references_is_that_of_a_set(texts: list[str]) -> None:
    assert digest_of(texts) == digest_of([*reversed(texts), *texts])


@pytest.mark.parametrize(("name", "part"), [
    ("a/b/c.jpg", "c"), ("c", "c"), (".hidden", ".hidden"), ("v1.2 final", "v1.2 final"), ("x\\y.png", "y"),
])
def test_the_stem_of_a_name(name: str, part: str) -> None:
    assert stem(name) == part


def test_the_example_is_called_constructed() -> None:
    found = example()
    assert found.constructed
    assert len({p.model for p in found.pairs}) == 6
    assert len({p.image for p in found.pairs}) == 12


def test_the_chapter_s_example_is_made_of_two_captioners(tmp_path: Path) -> None:
    from posh_lite.benchmarks.mini import load_mini
    from posh_lite.own.view import write_example

    found = read_captions(write_example(tmp_path / "new" / "e.jsonl"), load_references("mini"))
    assert found.constructed
    assert (len(found.pairs), found.n_uncaptioned) == (12, 0)
    texts = {p.id: " ".join(p.generation.split()) for p in load_mini().pairs}
    for pair in found.pairs:
        sentences = pair.generation.split(". ")
        assert sentences[0] in texts[f"{pair.image}/faithful"]  # a heading may stand before it
        assert texts[f"{pair.image}/drifter"].endswith(sentences[-1])
