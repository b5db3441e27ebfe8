"""One more setting for every chapter: declared, another than the default, and run without touching the book."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from posh_lite.book.layout import BookError, Layout, find_layout
from posh_lite.book.parameters import declared
from posh_lite.book.trial import shadow, trials, try_all

LAYOUT = find_layout(Path(__file__).resolve().parent)


def test_every_chapter_has_a_further_setting_that_is_none_of_its_defaults():
    found = trials(LAYOUT)
    for source in LAYOUT.sources():
        names = declared(source)
        for name, value in found[source.stem].items():
            assert name in names, f"{source.stem}: {name}"
            assert type(value) is type(names[name]), f"{source.stem}: {name}"
            assert value != names[name], f"{source.stem}: {name} is the default"


def test_a_shadow_has_figures_of_its_own_and_leaves_nothing_behind():
    with shadow(LAYOUT) as root:
        assert find_layout(root).root == root
        assert (root / "data" / "mini" / "pairs.jsonl").is_file()
        (root / "figures" / "mine.svg").write_text("<svg/>", "utf-8")
    assert not root.exists()
    assert not (LAYOUT.figures / "mine.svg").exists()


@pytest.fixture
def small(tmp_path):
    layout = Layout(tmp_path)
    (tmp_path / "book").mkdir()
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "01_a.ipynb").write_text("{}", "utf-8")
    return layout


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "01_a"), ("[01_a]\n", "sets nothing"), ("[01_a]\nx = 1\n[02_b]\ny = 2\n", "02_b"), ("[01_a\n", "trials")],
)
def test_a_table_that_does_not_fit_the_book_is_refused(small, text, said):
    (small.book / "trials.toml").write_text(text, "utf-8")
    with pytest.raises(BookError, match=said):
        trials(small)


def test_one_chapter_runs_with_its_setting_and_the_book_is_left_as_it_was():
    before = {p.name: p.stat().st_mtime_ns for p in LAYOUT.figures.iterdir()}
    (run,) = try_all(LAYOUT, [s for s in LAYOUT.sources() if s.stem.startswith("11_")], workers=1)
    assert run.error == ""
    assert {p.name: p.stat().st_mtime_ns for p in LAYOUT.figures.iterdir()} == before
    assert os.path.isdir(LAYOUT.notebooks)
