"""The notebooks of this project as they are committed."""

from __future__ import annotations

import ast
import re
from itertools import pairwise

import nbformat
import pytest

from posh_lite.book.layout import find_layout
from posh_lite.book.notebooks import KERNEL, strip_all
from posh_lite.book.parameters import declared

LAYOUT = find_layout()
NOTEBOOKS = LAYOUT.sources()


def test_all_are_stripped_with_stable_ids():
    strip_all(LAYOUT, verify=True)


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    return nbformat.read(request.param, as_version=4)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_parameters_are_declared_with_a_profile(path):
    assert declared(path)["profile"] == "lite"


def test_form(notebook):
    assert notebook.metadata.kernelspec == KERNEL
    first = notebook.cells[0]
    assert first.cell_type == "markdown"
    assert first.source.startswith("# ")
    for promise in ("You will learn", "You need", "Run time"):
        assert promise in first.source


def test_code_parses_and_cells_are_short(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "code":
            ast.parse(cell.source)
            assert len(cell.source.splitlines()) <= 40, cell.id


def test_headings_do_not_skip_levels(notebook):
    text = "\n".join(c.source for c in notebook.cells if c.cell_type == "markdown")
    levels = [len(m) for m in re.findall(r"^(#+) ", text, re.M)]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_no_places_of_one_machine_and_no_typed_results(notebook):
    for cell in notebook.cells:
        assert not re.search(r"(/home/|/root/|/tmp/|[A-Z]:\\\\)", cell.source), cell.id
        if cell.cell_type == "markdown":
            # figures with decimals belong into cells that compute them
            prose = re.sub(r"\d+\.\d+\.\d+|arXiv:\d+\.\d+|CC BY \d\.\d", "", cell.source)
            assert not re.search(r"\d\.\d", prose), cell.id


def test_every_notebook_is_in_the_table_of_contents():
    toc = (LAYOUT.book / "_toc.yml").read_text("utf-8")
    assert re.findall(r"chapters/(\w+)", toc) == [path.stem for path in NOTEBOOKS]
