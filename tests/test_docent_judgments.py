"""The published judgments: spans as files have them, schema checks that explain, and the benchmark that comes out."""

import csv
import hashlib
import json
import sys
import types

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.benchmarks.docent import load_docent, load_docent_coarse, load_docent_granular, load_docent_references
from posh_lite.benchmarks.docent_hub import fetch_published
from posh_lite.benchmarks.docent_schema import LABELS, check_columns, label
from posh_lite.benchmarks.docent_source import locate_published
from posh_lite.benchmarks.docent_spans import SpanError, from_utf16, merged, read_spans, to_utf16
from posh_lite.benchmarks.nga import Faults
from posh_lite.benchmarks.nga_fetch import FetchError, read_pin
from posh_lite.cli import main
from posh_lite.errors import InputError, MissingDependency

TEXT = "A \U0001f600 man, a red coat."  # the emoji is one character and two UTF-16 code units


def spans(value, text=TEXT):
    notes = []
    return read_spans(value, text, notes.append), notes


@pytest.mark.parametrize(
    "value",
    [
        [{"start": 4, "end": 7}],
        [{"start": 4, "end": 7, "text": "man", "labels": ["x"]}],
        [[4, 7]],
        [(4.0, "7")],
        '[{"start": 4, "end": 7}]',
        json.dumps(json.dumps([[4, 7]])),
        {"start": [4], "end": [7]},
        {"start": 4, "end": 7},
        {"start": np.array([4]), "end": np.array([7])},
        np.array([{"start": 4, "end": 7}], dtype=object),
        b"[[4, 7]]",
    ],
)
def test_forms_of_one_span(value):
    assert spans(value) == (((4, 7),), [])
    assert TEXT[4:7] == "man"


@pytest.mark.parametrize("value", [None, float("nan"), "", "  ", "null"])
def test_not_annotated_is_not_nothing_marked(value):
    assert spans(value) == (None, [])
    assert spans("[]") == ((), [])
    assert spans({"start": [], "end": []}) == ((), [])


@pytest.mark.parametrize(
    ("value", "found", "note"),
    [
        ([[7, 4]], ((4, 7),), "start after end, turned round"),
        ([[-3, 1]], ((0, 1),), "reaching out of the text, clipped"),
        ([[16, 99]], ((16, 20),), "reaching out of the text, clipped"),
        ([[40, 50]], (), "outside of the text, left out"),
        ([[-5, 0]], (), "outside of the text, left out"),
        ([[4, 4]], (), "empty or only white space, left out"),
        ([[1, 2]], (), "empty or only white space, left out"),
        ([[4, 7], [5, 12]], ((4, 12),), "overlapping spans, made one"),
        ([[4, 7], [4, 7]], ((4, 7),), "the same span twice"),
        ([{"start": 5, "end": 8, "text": "man"}], ((4, 7),), "offsets that count otherwise, moved to their words"),
        ([{"start": 0, "end": 8, "text": "coat"}], ((15, 19),), "offsets that count otherwise, moved to their words"),
        ([{"start": 4, "end": 7, "text": "woman"}], (), "words that are not at their offsets, left out"),
    ],
)
def test_spans_that_are_odd_are_repaired_and_said(value, found, note):
    assert spans(value) == (found, [note])


def test_spans_that_touch_stay_apart():
    assert merged([(5, 7), (1, 5)]) == ((1, 5), (5, 7))


@pytest.mark.parametrize(
    ("value", "message"),
    [("[", "not JSON"), (7, "expected a list"), ([7], "expected a span"), ([{"begin": 1, "end": 2}], 'without "start"'),
     ([["a", 2]], "no whole number"), ([[1.5, 2]], "no whole number"), ([[True, 2]], "no number"),
     ({"start": [1], "end": []}, "one length"), ([[1e999, 2]], "no whole number"), ({"spans": []}, "start and end")],
)  # fmt: skip
def test_what_is_no_list_of_spans(value, message):
    with pytest.raises(SpanError, match=message):
        spans(value)


@given(st.text(alphabet="ab \U0001f600\u0301\u00e9", max_size=20), st.integers(0, 20))
@settings(max_examples=100, deadline=None)
def test_utf16_offsets_there_and_back(text, at):
    at = min(at, len(text))
    assert to_utf16(text, at) == len(text[:at].encode("utf-16-le")) // 2
    assert from_utf16(text, to_utf16(text, at)) == at


@given(st.lists(st.tuples(st.integers(-9, 40), st.integers(-9, 40)), max_size=8))
@settings(max_examples=100, deadline=None)
def test_spans_lie_in_the_text_in_order(values):
    found, _ = spans([list(v) for v in values])
    flat = [at for span in found for at in span]
    assert flat == sorted(flat)
    assert all(0 <= start < end <= len(TEXT) and TEXT[start:end].strip() for start, end in found)
    assert spans([list(v) for v in found]) == (found, [])


def coarse_row(**change):
    row = {"uuid": "u1", "reference": "A red coat.", "model1": "m1", "model2": "m2", "model1_generation": "A coat.",
           "model2_generation": "A blue coat.", "mistakes": "1_much_better", "omissions": "2_slightly_better",
           "overall_quality": "equal"}  # fmt: skip
    return {**row, **change}


def granular_row(**change):
    row = {"uuid": "u1", "model": "m2", "reference": "A red coat.", "generation": "A blue coat.",
           "mistakes": '[{"start": 2, "end": 6}]', "omissions": '[{"start": 2, "end": 5}]'}  # fmt: skip
    return {**row, **change}


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(handle, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows), "utf-8")
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_labels_have_the_sign_of_the_appendix():
    assert [label(name) for name in LABELS] == [2, 1, 0, -1, -2]
    assert label("#1 much better".replace("#1", "1")) == 2
    with pytest.raises(ValueError, match="did you mean 1_much_better"):
        label("1_much_beter")
    with pytest.raises(ValueError, match="expected one of"):
        label(None)


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".json"])
def test_coarse_rows_become_comparisons(tmp_path, ending):
    path = write(tmp_path / f"docent-eval-coarse{ending}",
                 [coarse_row(), coarse_row(model2="m3", model2_generation="Nothing.")])  # fmt: skip
    found = load_docent_coarse(path)
    assert found.gold == "people"
    first, second = found.comparisons
    assert first.labels == {"mistakes": 2, "omissions": -1, "overall": 0}
    assert first.unit == "u1"
    assert first.a == second.a  # the generation that both are about is one pair
    assert len(found.pairs) == 3
    pair = found.by_id[first.a]
    assert (pair.generation, pair.model, pair.image) == ("A coat.", "m1", "u1")
    digest = hashlib.sha256(b"A coat.\0A red coat.").hexdigest()
    assert first.a == f"u1/m1/{digest[:8]}"


def test_granular_rows_become_marks(tmp_path):
    faults = Faults()
    path = write(tmp_path / "g.jsonl", [granular_row(), granular_row(model="m4", mistakes="[[0, 99]]", omissions=None)])
    found = load_docent_granular(path, faults=faults)
    first, second = found.marks
    assert (first.mistakes, first.omissions) == (((2, 6),), ((2, 5),))
    assert (second.mistakes, second.omissions) == (((0, 12),), None)
    assert faults.lines() == ["mistakes: reaching out of the text, clipped: 1 (first at g.jsonl:2)"]


def test_both_sets_share_their_pairs(tmp_path):
    write(tmp_path / "docent-eval-coarse" / "data" / "test.jsonl", [coarse_row()])
    write(tmp_path / "docent-eval-granular" / "data" / "test.jsonl", [granular_row(), granular_row(uuid="u2")])
    found = load_docent(tmp_path)
    assert found.name == "docent"
    assert len(found.pairs) == 3
    assert found.marks[0].id == found.comparisons[0].b
    with pytest.raises(InputError, match="expected a folder"):
        load_docent(tmp_path / "docent-eval-coarse" / "data" / "test.jsonl")


def test_one_model_with_two_texts_and_a_text_against_itself(tmp_path):
    faults = Faults()
    path = write(tmp_path / "c.jsonl", [coarse_row(), coarse_row(model1_generation="Another."),
                                        coarse_row(model2="m1", model2_generation="A coat.")])  # fmt: skip
    found = load_docent_coarse(path, faults=faults)
    assert len({pair.id for pair in found.pairs}) == 3
    assert len(found.comparisons) == 2
    assert faults.counts == {"a description compared with itself": 1}


def test_a_mismatch_is_explained(tmp_path):
    renamed = {("overall" if k == "overall_quality" else k): v for k, v in coarse_row().items()}
    path = write(tmp_path / "c.jsonl", [renamed])
    said = r'c\.jsonl:1: no column "overall_quality"; the nearest is "overall" \(found: uuid'
    with pytest.raises(InputError, match=said):
        load_docent_coarse(path)
    with pytest.raises(InputError, match="this looks like the granular set"):
        load_docent_coarse(write(tmp_path / "g.jsonl", [granular_row()]))
    with pytest.raises(InputError, match=r'c\.jsonl:2: field "mistakes": .*did you mean 2_much_better'):
        load_docent_coarse(write(path, [coarse_row(), coarse_row(mistakes="2_much_bettr")]))
    with pytest.raises(InputError, match='field "uuid" is empty'):
        load_docent_coarse(write(path, [coarse_row(uuid=" ")]))
    with pytest.raises(InputError, match=r'field "omissions": .*without "start"'):
        load_docent_granular(write(path, [granular_row(omissions=[{"begin": 1, "end": 2}])]))
    assert check_columns([], "works")[0].message == 'no column "uuid" (found: none)'


def test_references_of_the_works(tmp_path):
    path = write(tmp_path / "docent.jsonl", [{"uuid": "u1", "reference": "A."}, {"uuid": "u1", "reference": "A."}])
    assert load_docent_references(path) == {"u1": "A."}
    with pytest.raises(InputError, match="another reference"):
        load_docent_references(write(path, [{"uuid": "u1", "reference": "A."}, {"uuid": "u1", "reference": "B."}]))


def test_what_is_not_there_says_how_to_get_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("POSH_LITE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(InputError, match="posh-lite docent fetch coarse"):
        load_docent_coarse()
    place = write(tmp_path / "data" / "docent" / "docent-eval-coarse.jsonl", [coarse_row()])
    assert locate_published("coarse") == [place]
    assert len(load_docent_coarse().comparisons) == 1
    with pytest.raises(InputError, match="docent-eval-granular is not here"):
        load_docent()
    for wrong in (tmp_path / "none", tmp_path / "x.txt"):
        with pytest.raises(InputError):
            load_docent_coarse(wrong)
    assert main(["docent", "check", "coarse"]) == 0
    assert "1 comparisons of 2 generations" in capsys.readouterr().out
    write(place, [coarse_row(), coarse_row(omissions="better")])
    assert main(["docent", "check", "coarse", str(place)]) == 1
    assert 'line 2: docent-eval-coarse.jsonl: field "omissions"' in capsys.readouterr().out


def test_a_file_without_rows_cannot_be_read(tmp_path, capsys):
    empty = tmp_path / "docent-eval-coarse.jsonl"
    empty.write_text("\n")
    with pytest.raises(InputError, match="has no rows"):
        load_docent_coarse(empty)
    assert main(["docent", "check", "coarse", str(empty)]) == 1
    assert "can be read" not in (said := capsys.readouterr().out) and "has no rows" in said
    write(tmp_path / "docent-eval-granular.jsonl", [granular_row()])
    with pytest.raises(InputError, match="has no rows"):
        load_docent(tmp_path)


@pytest.mark.parametrize(("more", "gold", "said"), [
    ({}, "people", "A study of one's own"), ({"gold": "constructed"}, "constructed", "nobody was asked"),
])  # fmt: skip
def test_a_study_of_ones_own_does_not_pass_for_docent(tmp_path, more, gold, said):
    write(tmp_path / "coarse.jsonl", [{**coarse_row(), "annotator": "ann", **more}])
    write(tmp_path / "granular.jsonl", [{**granular_row(), "annotator": who, **more} for who in ("ann", "ben")])
    both = load_docent(tmp_path)
    assert (both.name, both.title, both.gold, both.citation) == ("study", "study of 2 annotators", gold, "")
    assert said in both.note and "students" not in both.note
    assert len(both.marks) == 2 and len(both.comparisons) == 1
    assert load_docent_coarse(tmp_path / "coarse.jsonl").title == "study of 1 annotator"
    assert load_docent_granular(tmp_path / "granular.jsonl").name == "study-granular"


def test_published_sets_do_not_mix(tmp_path):
    for name in ("docent", "docent-eval-coarse", "docent-eval-granular"):
        write(tmp_path / f"{name}.jsonl", [{"uuid": "u", "reference": "A."}])
    (tmp_path / "docent-eval-coarse.jsonl.pin.json").write_text("{}")
    assert [p.name for p in locate_published("works", tmp_path)] == ["docent.jsonl"]
    assert [p.name for p in locate_published("coarse", tmp_path)] == ["docent-eval-coarse.jsonl"]


REVISION = "c" * 40


@pytest.fixture
def hub(monkeypatch):
    """The two libraries of the hub, as far as they are used; the real ones run where the extra is installed."""

    class Part:
        def __init__(self, rows):
            self.rows, self.column_names = rows, list(rows[0])

        def select_columns(self, names):
            return [{name: row[name] for name in names} for row in self.rows]

    made = types.SimpleNamespace(rows=[granular_row(image="bytes")], asked=[])

    def load_dataset(repo, revision):
        made.asked.append((repo, revision))
        return {"test": Part(made.rows)}

    api = types.SimpleNamespace(dataset_info=lambda repo: types.SimpleNamespace(sha=REVISION))
    monkeypatch.setitem(sys.modules, "datasets", types.SimpleNamespace(load_dataset=load_dataset))
    monkeypatch.setitem(sys.modules, "huggingface_hub", types.SimpleNamespace(HfApi=lambda: api))
    return made


def test_the_hub_is_asked_once_and_the_revision_recorded(hub, tmp_path):
    path = fetch_published("granular", folder=tmp_path)
    assert hub.asked == [("amitha/docent-eval-granular", REVISION)]
    assert read_pin(path).revision == REVISION
    assert "image" not in json.loads(path.read_text("utf-8"))  # only the columns of the schema are kept
    assert len(load_docent_granular(tmp_path).marks) == 1
    fetch_published("granular", folder=tmp_path)
    assert len(hub.asked) == 1
    path.unlink()
    hub.rows = [granular_row(generation="Changed.")]
    with pytest.raises(FetchError, match="not what docent-eval-granular"):
        fetch_published("granular", folder=tmp_path)
    fetch_published("granular", folder=tmp_path, revision="d" * 40)
    assert read_pin(path).revision == "d" * 40
    with pytest.raises(FetchError, match="all 40"):
        fetch_published("granular", folder=tmp_path, revision="main")


def test_a_set_with_other_columns_is_refused(hub, tmp_path):
    hub.rows = [{"uuid": "u", "text": "A."}]
    with pytest.raises(FetchError, match='split test: no column "model"'):
        fetch_published("granular", folder=tmp_path)
    assert not (tmp_path / "docent-eval-granular.jsonl").exists()


def test_without_the_library(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingDependency, match=r"pip install .*\[docent\]"):
        fetch_published("coarse", folder=tmp_path)


def test_parquet(tmp_path):
    pytest.importorskip("pyarrow", reason="the extra docent is not installed")
    import pandas as pd

    path = tmp_path / "docent-eval-granular.parquet"
    rows = [granular_row(image=b"1", mistakes=[{"start": 2, "end": 6}], omissions=[]), granular_row(
        uuid="u2", image=b"2", mistakes=None, omissions=[])]  # fmt: skip
    pd.DataFrame(rows).to_parquet(path)
    found = load_docent_granular(path)
    assert [m.mistakes for m in found.marks] == [((2, 6),), None]
    assert [m.omissions for m in found.marks] == [(), ()]
    pd.DataFrame(rows).drop(columns="model").to_parquet(path)
    with pytest.raises(InputError, match=r'no column "model".*image'):
        load_docent_granular(path)
