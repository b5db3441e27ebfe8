"""Building DOCENT: the funnel on the example tables, splits by hash, texts that occur twice, the card, the layout."""

import csv
import json
import random
import shutil
from dataclasses import replace

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.benchmarks.docent_build import SPLITS, Settings, build_docent, rank, split_sizes
from posh_lite.benchmarks.docent_card import data_card, published_statistics, reference_statistics
from posh_lite.benchmarks.docent_dedupe import clusters, near_pairs, shingles
from posh_lite.benchmarks.docent_layout import COLUMNS, read_layout, write_layout
from posh_lite.benchmarks.nga import find_fixture
from posh_lite.cli import main
from posh_lite.errors import InputError, MissingDependency

FOLDER = find_fixture()


@pytest.fixture(scope="module")
def built():
    return build_docent(FOLDER)


def test_every_trap_of_the_example_is_counted(built):
    assert [(step.left, step.name) for step in built.funnel] == [
        (38, "images in the table"),
        (35, "with identifier, address and object"),
        (32, "primary view of the object"),
        (30, "free to use"),
        (28, "with an assistive text"),
        (27, "of 80 words or more once cleaned"),
        (26, "not cut off"),
        (25, "whose object is in the table of objects"),
        (25, "one image each"),
        (24, "one primary view an object"),
        (23, "no text twice"),
        (22, "no text nearly twice"),
        (21, "no text shared by prints of a series"),
        (21, "drawn by hash, at most 1,750"),
    ]
    assert sorted(built.cleaned.items()) == [("boilerplate", 2), ("entities", 1), ("markup", 1), ("white space", 2)]
    assert {fault.split(":")[0] for fault in built.faults} == {
        "depictstmsobjectid is no number", "width is no positive number", "beginyear is no year", "endyear is no year",
        "rows of published_images.csv with another number of fields than the header", "objectid is no number",
        "objectid occurs again",
    }  # fmt: skip


def test_texts_come_out_clean(built):
    by_title = {work.title: work for work in built.works}
    balance = by_title["Woman Holding a Balance"].reference
    assert balance.startswith("A woman stands at a table")
    assert "painting.\n\nShe is turned" in balance
    assert '"lion heads"' in by_title["Girl with the Red Hat"].reference
    assert "<p>" not in by_title["Woman with a Parasol - Madame Monet and Her Son"].reference
    assert by_title["Still Life with Apples and Peaches"].reference.endswith("roll off.")
    assert by_title["Green Wheat Fields, Auvers"].width is None


def test_prints_of_a_series_stay_in_one_split(built):
    seasons = [work for work in built.works if work.series == "The Seasons"]
    assert len(seasons) == 2
    assert len({work.split for work in seasons}) == 1
    assert sum(work.title.startswith("Winter") for work in seasons) == 1


def test_splits_depend_on_identifiers_alone(built, tmp_path):
    sizes = {split: len(built.of(split)) for split in SPLITS}
    assert sizes == split_sizes(21, Settings()) == {"train": 12, "validation": 3, "test": 6}
    draw = random.Random(1)
    for name in ("objects.csv", "published_images.csv"):
        with (FOLDER / name).open(encoding="utf-8", newline="") as handle:
            header, *rows = list(csv.reader(handle))
        draw.shuffle(rows)
        with (tmp_path / name).open("w", encoding="utf-8", newline="") as handle:
            csv.writer(handle).writerows([header, *rows])
    again = build_docent(tmp_path)
    assert again.works == built.works
    assert again.funnel == built.funnel
    other = build_docent(FOLDER, Settings(salt="other"))
    assert {(w.uuid, w.split) for w in other.works} != {(w.uuid, w.split) for w in built.works}


def test_the_hash_is_that_of_another_program():
    # printf 'docent:abc' | sha256sum
    assert rank("abc", "docent") == "283a04b207135988b2c1a0eb4526027708eff2dc58a2d6511ba3c0969025bc32"


def test_works_are_drawn_by_hash(built):
    few = build_docent(FOLDER, Settings(works=7, train=4, validation=1))
    assert len(few.works) == 7
    order = sorted(built.works, key=lambda w: rank(w.uuid, "docent"))
    assert {w.uuid for w in few.works} == {w.uuid for w in order[:7]}
    assert {s: len(few.of(s)) for s in SPLITS} == {"train": 4, "validation": 1, "test": 2}
    every = build_docent(FOLDER, Settings(works=None))
    assert len(every.works) == 21
    assert every.funnel[-1].name == "no text shared by prints of a series"


def test_settings_out_of_range_are_refused():
    for wrong in ({"works": 10}, {"works": 0, "train": 0, "validation": 0}, {"near": 0.0}, {"near_in_series": 2.0},
                  {"least": 0}, {"train": -1}):  # fmt: skip
        with pytest.raises(InputError):
            Settings(**wrong)


def test_split_sizes_by_hand():
    assert split_sizes(1750, Settings()) == {"train": 1000, "validation": 250, "test": 500}
    assert split_sizes(3000, Settings(works=None)) == {"train": 1000, "validation": 250, "test": 1750}
    assert split_sizes(0, Settings()) == {"train": 0, "validation": 0, "test": 0}
    assert split_sizes(1, Settings()) == {"train": 1, "validation": 0, "test": 0}


@given(st.integers(0, 4000), st.integers(1, 2000), st.integers(0, 1000), st.integers(0, 1000))
@settings(max_examples=100, deadline=None)
def test_split_sizes_add_up(n, works, train, validation):
    if train + validation > works:
        works = train + validation
    sizes = split_sizes(min(n, works), Settings(works=works, train=train, validation=validation))
    assert sum(sizes.values()) == min(n, works)
    assert min(sizes.values()) >= 0


def test_shingles_and_nearness_by_hand():
    a, b = "one two three four five six", "One, two three four five SEVEN"
    assert len(shingles(a)) == 2
    assert jaccard(shingles(a), shingles(b)) == pytest.approx(1 / 3)
    assert near_pairs([a, b, "else"], 0.3) == [(0, 1, pytest.approx(1 / 3))]
    assert near_pairs([a, b], 0.34) == []
    assert near_pairs([a, b], 0.3, groups=[1, 2]) == []
    assert near_pairs([a, b], 0.3, groups=[None, None]) == []
    assert near_pairs(["", "", "a b", "A. B!"], 1.0) == [(2, 3, 1.0)]
    assert clusters(5, [(3, 4), (1, 4)]) == [[0], [1, 3, 4], [2]]
    with pytest.raises(ValueError, match="above 0"):
        near_pairs([], 0)


def jaccard(a, b):
    return len(a & b) / len(a | b) if a | b else 0.0


@given(st.lists(st.tuples(st.text("ab ", max_size=24), st.sampled_from([None, 1, 2])), max_size=6),
       st.sampled_from([0.2, 0.5, 1.0]))  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_near_pairs_are_those_of_comparing_everything(given, threshold):
    texts, groups = [text for text, _ in given], [group for _, group in given]
    sets = [shingles(text) for text in texts]
    every = [(i, j, jaccard(sets[i], sets[j])) for i in range(len(texts)) for j in range(i + 1, len(texts))]
    near = [pair for pair in every if pair[2] >= threshold and pair[2] > 0]
    assert near_pairs(texts, threshold) == near
    together = [pair for pair in near if groups[pair[0]] is not None and groups[pair[0]] == groups[pair[1]]]
    assert near_pairs(texts, threshold, groups=groups) == together


def test_statistics_and_card(built):
    texts = ["A man in a red coat.", "A dog sleeps on a black chair."]
    found = reference_statistics(texts, n_resamples=50)
    assert found.words.value == 6.5
    assert (found.shortest, found.longest) == (6, 7)
    assert found.components.value == pytest.approx(sum(found.parts.values()))
    assert found.parts["entities"] == 2.0  # man and coat, dog and chair
    assert published_statistics() == {"words": 251.0, "components": 161.0}
    card = data_card(built, found, constructed=True)
    assert "**Constructed example.**" in card
    assert "| no text nearly twice | 22 |" in card
    assert "| words | 6.5 [6.0, 7.0] | 251.0 |" in card
    assert built.source["objects.csv"] in card
    without = data_card(built, reference_statistics(texts, graphs=False, n_resamples=50))
    assert "CC0" in without
    assert "| entities + attributes + relations | not computed | 161.0 |" in without


def test_the_layout_is_read_back_as_it_was(built, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "train.parquet").write_bytes(b"of an earlier build")
    files = write_layout(built, "# Card\n", tmp_path, constructed=True)
    assert [p.name for p in files] == ["train.jsonl", "validation.jsonl", "test.jsonl", "README.md", "build.json"]
    assert not (tmp_path / "data" / "train.parquet").exists()
    assert read_layout(tmp_path) == (built, True)
    head = yaml.safe_load((tmp_path / "README.md").read_text("utf-8").split("---")[1])
    assert head["configs"][0]["data_files"][0] == {"split": "train", "path": "data/train.jsonl"}
    assert {f["name"]: f["dtype"] for f in head["dataset_info"]["features"]} == COLUMNS
    assert head["license"] == "cc-by-4.0"
    row = json.loads((tmp_path / "data" / "test.jsonl").read_text("utf-8").splitlines()[0])
    assert list(row) == list(COLUMNS)


def test_a_spoilt_layout_is_named(built, tmp_path):
    with pytest.raises(InputError, match=r"no build\.json"):
        read_layout(tmp_path)
    write_layout(built, "", tmp_path)
    path = tmp_path / "data" / "test.jsonl"
    lines = path.read_text("utf-8").splitlines()
    wrong = ((lambda r: r.pop("title"), "'title' is missing"), (lambda r: r.update(width="big"), "width"),
             (lambda r: r.update(title=None), "title"))  # fmt: skip
    for change, message in wrong:
        row = json.loads(lines[1])
        change(row)
        path.write_text("\n".join([lines[0], json.dumps(row)]), "utf-8")
        with pytest.raises(InputError, match=rf"test\.jsonl:2: .*{message}"):
            read_layout(tmp_path)
    (tmp_path / "build.json").write_text("{}")
    with pytest.raises(InputError, match="not a record"):
        read_layout(tmp_path)
    with pytest.raises(InputError, match="no work is left"):
        write_layout(replace(built, works=()), "", tmp_path)


def test_the_commands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["docent", "build", "--example", "-o", "made", "--no-graphs"]) == 0
    said = capsys.readouterr()
    assert "       21  no text shared by prints of a series" in said.err
    assert "made/data/train.jsonl" in said.out
    assert main(["docent", "convert", "made", "-o", "other", "--format", "jsonl"]) == 0
    assert read_layout("other") == read_layout("made")
    assert (tmp_path / "other" / "README.md").read_text("utf-8") == (tmp_path / "made" / "README.md").read_text("utf-8")
    assert main(["docent", "convert", "made", "-o", "made", "--format", "jsonl"]) == 2
    assert main(["docent", "images", "made", "-o", "pictures"]) == 2
    assert "addresses lead nowhere" in capsys.readouterr().err
    assert main(["docent", "build", "--tables", str(tmp_path), "-o", "x"]) == 2
    assert main(["docent", "build", "--example", "--least", "900", "-o", "x"]) == 2
    assert "lower --least" in capsys.readouterr().err
    shutil.copy(FOLDER / "objects.csv", tmp_path / "published_images.csv")
    assert main(["docent", "build", "--tables", str(tmp_path), "-o", "x"]) == 2


def test_parquet_that_cannot_be_written_leaves_an_earlier_build_alone(built, tmp_path, monkeypatch):
    write_layout(built, "# Card\n", tmp_path / "made", "jsonl")
    monkeypatch.setattr("importlib.util.find_spec", lambda name, *_: None)
    with pytest.raises(MissingDependency, match="or use --format jsonl"):
        write_layout(built, "# Card\n", tmp_path / "made", "parquet")
    monkeypatch.undo()
    assert read_layout(tmp_path / "made")[0] == built


def test_the_library_datasets_reads_the_same_rows(built, tmp_path):
    datasets = pytest.importorskip("datasets", reason="the extra docent is not installed")
    for form in ("jsonl", "parquet"):
        place = tmp_path / form
        write_layout(built, "# Card\n", place, form)
        assert read_layout(place)[0] == built
        loaded = datasets.load_dataset(str(place), cache_dir=str(tmp_path / "cache"))
        rows = [{**row, "split": split} for split, part in loaded.items() for row in part]
        assert rows == [{**{name: getattr(w, name) for name in COLUMNS}, "split": w.split} for w in built.works]
