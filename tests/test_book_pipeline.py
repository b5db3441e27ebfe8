"""The book pipeline on a small checkout made for the test: parameters, cache keys, failures, stripped notebooks."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest

from posh_lite.book import cache
from posh_lite.book.__main__ import main
from posh_lite.book.cache import digest, file_digest, notebook_key, shared_inputs, site_key, tree_digest
from posh_lite.book.execute import is_fresh, run_all
from posh_lite.book.layout import BookError, Layout, find_layout
from posh_lite.book.notebooks import id_problems, strip_all, stripped
from posh_lite.book.parameters import assign, convert, declared, parse_overrides
from posh_lite.book.profile import check_profile, coreference_for
from posh_lite.judge import registry


def write_notebook(path: Path, *cells: str, parameters: str = 'profile = "lite"\nn = 3\nname = "a"') -> Path:
    made = [nbformat.v4.new_code_cell(parameters, id="parameters", metadata={"tags": ["parameters"]})]
    made += [nbformat.v4.new_code_cell(source, id=f"cell-{'abcdef'[i]}") for i, source in enumerate(cells)]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(nbformat.writes(nbformat.v4.new_notebook(cells=made, metadata=kernel)), "utf-8")
    return path


@pytest.fixture
def layout(tmp_path, monkeypatch) -> Layout:
    monkeypatch.delenv("POSH_LITE_DATA", raising=False)
    for name in ("pyproject.toml", "book/_config.yml", "posh_lite/a.py", "data/mini/pairs.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name, "utf-8")
    return Layout(tmp_path)


# -- parameters -------------------------------------------------------------------------------------------------


def test_declared_parameters_keep_their_types(tmp_path):
    path = write_notebook(tmp_path / "01_a.ipynb", parameters='a = 1\nb = 0.5\nc = "1e3"\nd = None\ne = [1]\nf = True')
    assert declared(path) == {"a": 1, "b": 0.5, "c": "1e3", "d": None, "e": [1], "f": True}


def test_a_notebook_needs_one_parameters_cell(tmp_path):
    bare = tmp_path / "01_a.ipynb"
    bare.write_text(nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x = 1")])), "utf-8")
    with pytest.raises(BookError, match="one cell tagged 'parameters', found 0"):
        declared(bare)


@pytest.mark.parametrize(
    ("text", "default", "expected"),
    [
        ("1e3", "lexical", "1e3"), ("1e3", 0.5, 1000.0), ("12", 3, 12), ("true", False, True), ("No", True, False),
        ("[1, 2]", [0], [1, 2]), ("none", None, None), ("x", None, "x"), ("007", "a", "007"),
    ],
)
def test_text_becomes_the_declared_type(text, default, expected):
    value = convert("p", text, default)
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("text", "default"), [("1e3", 3), ("1.5", 3), ("x", 0.5), ("maybe", True), ("{}", [1]), ("[", [1])]
)
def test_text_of_another_type_is_an_error(text, default):
    with pytest.raises(BookError, match="expected"):
        convert("p", text, default)


@pytest.mark.parametrize("given", [["n"], ["=3"], ["a b=3"], ["n=1", "n=2"]])
def test_malformed_overrides(given):
    with pytest.raises(BookError):
        parse_overrides(given)


def test_values_may_hold_equals_signs_and_spaces():
    assert parse_overrides(["text=a = b c"]) == {"text": "a = b c"}


def test_mistyped_parameter_is_an_error_with_a_suggestion(tmp_path):
    path = write_notebook(tmp_path / "01_a.ipynb")
    with pytest.raises(BookError, match="no notebook declares the parameter 'profil'; did you mean 'profile'"):
        assign({"profil": "gpu"}, [path])


def test_overrides_go_to_the_notebooks_that_declare_them(tmp_path):
    one = write_notebook(tmp_path / "01_a.ipynb", parameters="n = 3")
    two = write_notebook(tmp_path / "02_b.ipynb", parameters='name = "x"')
    assert assign({"n": "4", "name": "x"}, [one, two]) == {one: {"n": 4}, two: {}}


# -- cache keys -------------------------------------------------------------------------------------------------


def key_of(layout: Layout, notebook: Path, **parameters: object) -> str:
    return notebook_key(notebook, parameters, shared_inputs(layout))


@pytest.mark.parametrize(
    "changed", ["posh_lite/a.py", "posh_lite/words.toml", "data/mini/pairs.jsonl", "data/results/r.json"]
)
def test_key_changes_with_the_package_and_the_data(layout, changed):
    notebook = write_notebook(layout.notebooks / "01_a.ipynb")
    before = key_of(layout, notebook)
    assert key_of(layout, notebook) == before
    path = layout.root / changed
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("changed", "utf-8")
    assert key_of(layout, notebook) != before


def test_key_changes_with_source_parameters_and_their_types(layout):
    notebook = write_notebook(layout.notebooks / "01_a.ipynb")
    keys = {key_of(layout, notebook), key_of(layout, notebook, n=1), key_of(layout, notebook, n="1"),
            key_of(layout, notebook, n=True)}  # fmt: skip
    write_notebook(layout.notebooks / "01_a.ipynb", "1 + 1")
    assert len(keys | {key_of(layout, notebook)}) == 5


def test_key_changes_with_the_external_data(layout, tmp_path_factory, monkeypatch):
    notebook = write_notebook(layout.notebooks / "01_a.ipynb")
    without = key_of(layout, notebook)
    folder = tmp_path_factory.mktemp("data")
    (folder / "x.jsonl").write_text("1", "utf-8")
    monkeypatch.setenv("POSH_LITE_DATA", str(folder))
    present = key_of(layout, notebook)
    (folder / "x.jsonl").write_text("2", "utf-8")
    assert len({without, present, key_of(layout, notebook)}) == 3


def test_rendering_code_does_not_rerun_notebooks_but_renders_anew(layout):
    notebook = write_notebook(layout.notebooks / "01_a.ipynb")
    before, site = key_of(layout, notebook), site_key(layout)
    (layout.root / "posh_lite" / "book").mkdir()
    (layout.root / "posh_lite" / "book" / "site.py").write_text("x", "utf-8")
    assert key_of(layout, notebook) == before
    assert site_key(layout) != site


def test_tree_digest_leaves_out_hidden_files_and_caches(tmp_path):
    for name in ("a.txt", ".hidden/b.txt", "__pycache__/c.pyc", "d/e.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("1", "utf-8")
    assert list(tree_digest(tmp_path)) == ["a.txt", "d/e.txt"]
    assert tree_digest(tmp_path / "absent") == {}


def test_large_files_are_told_apart_by_size_and_time(tmp_path, monkeypatch):
    monkeypatch.setattr("posh_lite.book.cache.HASH_LIMIT", 2)
    (tmp_path / "a").write_text("123", "utf-8")
    assert file_digest(tmp_path / "a").startswith("size:3:")


def test_digest_does_not_depend_on_key_order():
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1}) != digest({"a": 2, "b": 1})


# -- execution --------------------------------------------------------------------------------------------------


def test_run_cache_failure_and_cleaning_up(layout):
    good = write_notebook(layout.notebooks / "01_good.ipynb", "n + 1")
    bad = write_notebook(layout.notebooks / "02_bad.ipynb", "raise ValueError('the kettle is empty')", "1")
    stale = layout.chapters / "02_bad.ipynb"
    stale.parent.mkdir(parents=True)
    stale.write_text("left over from an earlier run", "utf-8")
    first, second = run_all(layout, {good: {"n": 7}, bad: {}})
    assert not first.error
    assert not first.cached
    outputs = [o for c in nbformat.read(layout.chapters / "01_good.ipynb", 4).cells for o in c.get("outputs", [])]
    assert outputs[0]["data"]["text/plain"] == "8"
    # the failed cell and what went wrong are shown; nothing half made or stale is left
    assert "raise ValueError" in second.error
    assert "the kettle is empty" in second.error
    assert "cell 1" in second.error
    assert [p.name for p in layout.chapters.iterdir()] == ["01_good.ipynb"]
    again = run_all(layout, {good: {"n": 7}})
    assert again[0].cached
    key = notebook_key(good, {"n": 8}, shared_inputs(layout))
    assert not is_fresh(layout, good, key)


def test_a_chapter_whose_figure_is_gone_is_not_fresh(layout):
    notebook = write_notebook(layout.notebooks / "01_a.ipynb")
    layout.cache.mkdir(parents=True)
    layout.chapters.mkdir(parents=True)
    (layout.chapters / "01_a.ipynb").write_text("{}", "utf-8")
    (layout.cache / "01_a.json").write_text(json.dumps({"key": "k", "figures": ["f.svg"]}), "utf-8")
    assert not is_fresh(layout, notebook, "k")
    layout.figures.mkdir()
    (layout.figures / "f.svg").write_text("<svg/>", "utf-8")
    assert is_fresh(layout, notebook, "k")
    assert not is_fresh(layout, notebook, "other")


def test_command_line_fails_with_one_clear_message(layout, monkeypatch, capsys):
    write_notebook(layout.notebooks / "01_a.ipynb")
    monkeypatch.chdir(layout.root)
    assert main(["build", "-p", "nam=x"]) == 1
    assert "did you mean 'name'" in capsys.readouterr().err
    assert main(["build", "--only", "9"]) == 1
    assert "no notebook matches 9" in capsys.readouterr().err
    assert main(["parameters"]) == 0
    assert "n = 3" in capsys.readouterr().out


def test_the_laptop_profile_uses_the_embedded_resolver():
    assert coreference_for("lite") is None


def test_a_profile_whose_judge_is_not_here_is_refused_before_anything_runs():
    check_profile("lite")
    check_profile("gpu", "posh_lite.judge.lexical:LexicalJudge")
    with pytest.raises(BookError, match=r"the judge \"no-such-judge\""):
        check_profile("lite", "no-such-judge")
    with pytest.raises(BookError, match="expected one of lite, gpu"):
        check_profile("laptop")


def test_the_gpu_profile_names_the_model_of_the_paper_and_what_is_missing_for_it(monkeypatch):
    entry = registry.JUDGES["vllm"]
    monkeypatch.setitem(registry.JUDGES, "vllm", replace(entry, modules=("json",)))
    check_profile("gpu")
    monkeypatch.setitem(registry.JUDGES, "vllm", replace(entry, modules=("no_such_module",)))
    message = r'judge "vllm:Qwen/Qwen3-14B" of profile gpu needs no_such_module; pip install .*\[gpu\]"'
    with pytest.raises(BookError, match=message):
        check_profile("gpu")


def test_layout_is_found_from_inside_and_missed_outside(layout, tmp_path_factory):
    assert find_layout(layout.root / "data" / "mini").root == layout.root
    with pytest.raises(BookError, match="no checkout"):
        find_layout(tmp_path_factory.mktemp("elsewhere"))


# -- committed notebooks ------------------------------------------------------------------------------------------


def test_stripping_removes_outputs_and_keeps_ids_and_tags(layout, capsys):
    path = write_notebook(layout.notebooks / "01_a.ipynb", "1 + 1")
    dirty = nbformat.read(path, 4)
    dirty.cells[1]["outputs"] = [nbformat.v4.new_output("stream", text="2")]
    dirty.cells[1]["execution_count"] = 4
    dirty.cells[0]["metadata"]["papermill"] = {"duration": 1}
    dirty.metadata["language_info"] = {"name": "python", "version": "3.11.7"}
    path.write_text(nbformat.writes(dirty), "utf-8")
    with pytest.raises(BookError, match="not stripped"):
        strip_all(layout, verify=True)
    strip_all(layout)
    strip_all(layout, verify=True)
    clean = nbformat.read(path, 4)
    assert clean.cells[1].outputs == []
    assert clean.cells[1].execution_count is None
    assert clean.cells[0].metadata == {"tags": ["parameters"]}
    assert clean.cells[0].id == "parameters"
    assert stripped(clean) == clean


def test_random_doubled_and_missing_ids_are_named():
    cells = [{"id": "a1b2c3d4"}, {"id": "0f9e8d7c-1234-4321-9999-aaaaaaaaaaaa"}, {"id": "size"}, {"id": "size"}, {}]
    assert len(id_problems({"cells": cells})) == 4
    assert id_problems({"cells": [{"id": "who-owns-what"}, {"id": "figure-2"}, {"id": "decade"}]}) == []


def test_what_notebooks_use_of_the_pipeline_is_among_their_inputs() -> None:
    root = Path(__file__).parents[1]

    def named(text: str) -> set[str]:
        found = set(re.findall(r"posh_lite\.book\.(\w+)", text))
        for several in re.findall(r"from posh_lite\.book import ([\w, ]+)", text):
            found |= {name.strip().partition(" as ")[0] for name in several.split(",")}
        return {f"book/{name}.py" for name in found if (root / "posh_lite" / "book" / f"{name}.py").is_file()}

    users = [*(root / "notebooks").glob("*.ipynb"), *(root / "posh_lite").rglob("*.py")]
    texts = [p.read_text("utf-8") for p in users if "book" not in p.relative_to(root).parts]
    used = set().union(*map(named, texts))
    while more := set().union(*(named((root / "posh_lite" / name).read_text("utf-8")) for name in used)) - used:
        used |= more
    assert {"book/show.py", "book/where.py"} <= used
    assert used <= cache._COMPUTING
