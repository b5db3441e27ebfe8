"""Links that run a chapter elsewhere, and the notebooks that Colab opens."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import types
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from posh_lite.book import publish, where
from posh_lite.book.layout import BookError, find_layout
from posh_lite.book.notebooks import id_problems, notebook_format

ROOT = Path(__file__).resolve().parent.parent
AT = publish.Repository("someone", "posh-lite")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("someone/posh-lite", AT),
        ("https://github.com/someone/posh-lite", AT),
        ("https://github.com/someone/posh-lite.git", AT),
        ("https://github.com/someone/posh-lite/", AT),
        ("someone/posh-lite@v1.2/x", publish.Repository("someone", "posh-lite", "v1.2/x")),
        ("  ", None),
    ],
)
def test_a_repository_is_read(text, expected):
    assert publish.repository(text) == expected


@pytest.mark.parametrize("text", [
    "posh-lite", "https://example.org/someone/posh-lite", "a/b/c", "a b/c", "-a/b", "a/..", "a/.", "a/b@-x", "a/b@",
    "a/b@../x", "a/b@x/", "a/b@x y", "ä/b", "a/b?x",
])  # fmt: skip
def test_what_is_no_repository_is_refused(text):
    with pytest.raises(BookError, match="OWNER/NAME"):
        publish.repository(text)


def test_a_branch_with_a_slash_does_not_end_where_binder_reads_it():
    at = urlsplit(publish.Repository("someone", "posh-lite", "v1.2/x").binder("01_a"))
    assert at.path == "/v2/gh/someone/posh-lite/v1.2%2Fx"


@pytest.mark.parametrize("text", ["https://someone.github.io/posh-lite/", " https://someone.github.io/posh-lite ", ""])
def test_the_address_of_the_pages_is_read(text):
    assert publish.site(text) == text.strip().rstrip("/")


@pytest.mark.parametrize("text", ["someone.github.io", "ftp://x.org", "https://", "https://a b", "https://x.org/?a=b",
                                  "https://[x", "/posh-lite"])  # fmt: skip
def test_what_is_no_address_is_refused(text):
    with pytest.raises(BookError, match="POSH_LITE_SITE must be an address"):
        publish.site(text)


def test_notebooks_for_colab_do_not_overwrite_those_of_the_book(tmp_path):
    with pytest.raises(BookError, match="would be overwritten"):
        publish.write_colab(find_layout(ROOT), AT, ROOT / "book" / "..")
    (tmp_path / "file").touch()
    with pytest.raises(BookError, match="cannot be made"):
        publish.write_colab(find_layout(ROOT), AT, tmp_path / "file")


def test_every_link_names_a_notebook_that_is_there():
    layout = find_layout(ROOT)
    for path in layout.sources():
        at = {b["text"]: urlsplit(b["url"]) for b in publish.buttons(AT, path.stem)["buttons"]}
        opened = parse_qs(at["Binder"].query)["urlpath"][0].removeprefix("lab/tree/")
        assert (ROOT / opened).samefile(path)
        for name, branch in (("Source", "main"), ("Colab", publish.COLAB_BRANCH)):
            assert (ROOT / at[name].path.split(f"/blob/{branch}/")[1]).samefile(path)


def test_buttons_appear_on_chapters_alone(monkeypatch):
    monkeypatch.setenv(publish.VARIABLE, "someone/posh-lite")
    for page, count in (("chapters/01_text_to_graph", 2), ("intro", 0)):
        context = {"header_buttons": [], "pathto": lambda path, _: f"../{path}"}
        publish._add(None, page, "page.html", context, None)
        assert len(context["header_buttons"]) == count
        assert 'og:title" content="posh-lite"' in context["metatags"]
    monkeypatch.delenv(publish.VARIABLE)
    context = {"header_buttons": [], "pathto": lambda path, _: f"../{path}"}
    publish._add(None, "chapters/01_text_to_graph", "page.html", context, None)
    assert [b["url"] for b in context["header_buttons"]] == ["../slides/01_text_to_graph.html"]


def test_colab_notebooks_are_the_chapters_with_one_cell_more(tmp_path):
    layout, nbformat = find_layout(ROOT), notebook_format()
    written = publish.write_colab(layout, AT, tmp_path)
    assert [p.name for p in written] == [p.name for p in layout.sources()]
    for path, source in zip(written, layout.sources(), strict=True):
        made, was = (nbformat.read(p, as_version=4) for p in (path, source))
        nbformat.validate(made)
        assert made.cells[1].source == publish.bootstrap(AT).rstrip("\n")
        assert [c.source for c in made.cells[:1] + made.cells[2:]] == [c.source for c in was.cells]
        assert not id_problems(json.loads(path.read_text("utf-8")))


def test_the_first_cell_fetches_on_colab_and_only_there(tmp_path, monkeypatch):
    asked = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def run(command, check):
        assert check
        asked.append(command)
        if command[0] == "git":
            (tmp_path / "posh-lite" / "book").mkdir(parents=True)
            (tmp_path / "posh-lite" / "book" / "_config.yml").touch()

    monkeypatch.setattr(subprocess, "run", run)
    code = compile(publish.bootstrap(AT), "cell", "exec")
    exec(code, {})
    assert asked == []
    assert Path.cwd() == tmp_path
    monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    exec(code, {})
    assert [c[0] for c in asked] == ["git", sys.executable]
    assert asked[0][-2:] == [AT.url, "posh-lite"]
    assert Path.cwd() == tmp_path / "posh-lite"
    exec(code, {})  # run again: nothing is fetched twice
    assert len(asked) == 2


def test_a_kernel_in_the_notebooks_folder_stands_in_the_checkout(tmp_path, monkeypatch):
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "book").mkdir()
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    monkeypatch.chdir(tmp_path / "notebooks")
    where.stand_in_root()
    assert Path.cwd() == tmp_path / "notebooks"  # no checkout
    (tmp_path / "book" / "_config.yml").touch()
    where.stand_in_root()
    assert Path.cwd() == tmp_path
    where.stand_in_root()
    assert Path.cwd() == tmp_path


def test_binder_installs_what_the_notebooks_need():
    lines = (ROOT / ".binder" / "requirements.txt").read_text("utf-8").splitlines()
    assert "-e .[notebooks]" in lines
    assert "-c ../requirements/constraints.txt" in lines
    assert (ROOT / ".binder" / "runtime.txt").read_text("utf-8").strip() == "python-3.11"


def test_a_card_names_the_page_and_needs_an_address_for_its_picture():
    bare = publish.card('Scores & "spans"', "", "intro")
    assert "og:image" not in bare
    assert 'content="Scores &amp; &quot;spans&quot;"' in bare
    full = publish.card("Preface", "https://someone.github.io/posh-lite/", "intro")
    assert 'content="https://someone.github.io/posh-lite/intro.html"' in full
    assert 'content="https://someone.github.io/posh-lite/_static/card.png"' in full
    size = (ROOT / "book" / "_static" / "card.png").read_bytes()[16:24]
    assert (int.from_bytes(size[:4], "big"), int.from_bytes(size[4:], "big")) == (1200, 630)


def test_the_workflow_that_publishes_calls_what_is_there():
    workflow = yaml.safe_load((ROOT / ".github/workflows/publish.yml").read_text("utf-8"))
    assert workflow["env"].keys() == {publish.VARIABLE, publish.SITE}
    makefile = (ROOT / "Makefile").read_text("utf-8")
    runs = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    for target in re.findall(r"^make (\w+)", "\n".join(runs), flags=re.MULTILINE):
        assert f"\n{target}: " in makefile
    assert "make test" in runs
    assert runs.index("make test") < runs.index("make book")
    assert any("posh_lite.book colab" in run for run in runs)
    fresh = workflow["jobs"]["fresh"]
    assert "schedule" in fresh["if"]
    assert not any("deploy" in str(step) for step in fresh["steps"])
