"""What ``make proof`` makes of the browser's answers, its table and record, and what it says where a part lacks."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from posh_lite.book import browser
from posh_lite.book import browser_checks as rules

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def proof() -> Any:
    spec = importlib.util.spec_from_file_location("scripts_proof", ROOT / "scripts" / "proof.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_images_must_load_and_speak() -> None:
    images = [
        {"src": "a.png", "alt": "A map.", "loaded": True, "aside": False},
        {"src": "b.png", "alt": " ", "loaded": True, "aside": False},
        {"src": "c.png", "alt": None, "loaded": False, "aside": True},
    ]
    broken, silent = rules.image_problems(images)
    assert broken == ["image did not load: c.png"]
    assert silent == ["image without alt text: b.png"]


@pytest.mark.parametrize(("levels", "problems"), [
    ([1, 2, 3, 2, 3, 4], 0), ([], 1), ([2, 3], 2), ([1, 3], 1), ([1, 2, 1], 1), ([1, 2, 4, 2, 4], 2),
])  # fmt: skip
def test_headings_go_down_step_by_step(levels: list[int], problems: int) -> None:
    assert len(rules.heading_problems([{"level": n, "text": "x"} for n in levels])) == problems


def test_a_page_wider_than_its_window_names_what_sticks_out() -> None:
    assert rules.width_problems({"width": 360, "window": 360, "out": []}) == []
    assert rules.width_problems({"width": 400, "window": 360, "out": ["img.a"]}) == [
        "400 px wide in a window of 360 px (img.a)"
    ]


def test_what_scrolls_is_reached_by_keyboard_and_a_table_says_so() -> None:
    fine = {"name": "a", "table": True, "reached": True, "hinted": True}
    assert rules.scroll_problems([fine, {**fine, "table": False, "hinted": False}]) == []
    assert rules.scroll_problems([{**fine, "reached": False}, {**fine, "hinted": False}]) == [
        "not reached by keyboard: a", "no hint that it scrolls: a",
    ]


def test_the_dark_theme_is_dark() -> None:
    assert rules.theme_problems({"theme": "dark", "light": 0.05, "wrong_drawings": 0}) == []
    assert rules.theme_problems({"theme": None, "light": 0.05, "wrong_drawings": 0}) == []
    assert len(rules.theme_problems({"theme": "light", "light": 1.0, "wrong_drawings": 2})) == 3


def test_grave_findings_alone_are_problems() -> None:
    found = [{"id": i, "impact": i, "help": "h", "count": 1, "where": ["p"]} for i in ("minor", "moderate", "serious")]
    found.append({"id": "critical", "impact": "critical", "help": "h", "count": 2, "where": ["p: why", "q"]})
    told = rules.axe_problems(found)
    assert [line.split(":")[0] for line in told] == ["serious", "critical"]
    assert "2 places, as p: why; q" in told[1]


def test_pages_leave_out_static_files_and_redirects(tmp_path: Path) -> None:
    onward = '<meta http-equiv="Refresh" content="0; url=intro.html">'
    pages = {"index.html": onward, "intro.html": "<h1>", "a/b.html": "<h1>", "_static/c.html": "<h1>"}
    for name, text in pages.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    assert [p.relative_to(tmp_path).as_posix() for p in browser.pages_of(tmp_path)] == ["a/b.html", "intro.html"]


def test_table_and_record_tell_every_problem() -> None:
    good, bad = browser.PageReport("a.html"), browser.PageReport("chapters/b.html", minor={"region": 2})
    bad.problems["alt"] = ["one", "two"]
    assert good.ok
    assert not bad.ok
    header, first, second = browser.table([good, bad]).splitlines()
    assert first.split() == ["a.html", *["."] * len(browser.CHECKS)]
    assert second.split()[1 + browser.CHECKS.index("alt")] == "2"
    assert header.split() == list(browser.CHECKS)
    record = json.loads(json.dumps(browser._record([good, bad], {"x": "", "y": "broke"}, {"chromium": "1"})))
    assert record["problems"] == {"chapters/b.html": {"alt": ["one", "two"]}}
    assert record["clean"] == ["a.html"]
    assert record["scenarios"] == {"x": "passed", "y": "broke"}
    assert record["minor"] == {"chapters/b.html": {"region": 2}}


def test_other_hosts_are_refused_and_counted() -> None:
    class Page:
        def __init__(self) -> None:
            self.heard: dict[str, Any] = {}

        def on(self, what: str, do: Any) -> None:
            self.heard[what] = do

        def route(self, _: str, do: Any) -> None:
            self.heard["route"] = do

    class Way:
        def __init__(self, url: str) -> None:
            self.request, self.url, self.done = self, url, ""

        def continue_(self) -> None:
            self.done = "let through"

        def abort(self) -> None:
            self.done = "refused"

    page, report = Page(), browser.PageReport("a.html")
    browser.watch(page, report)  # type: ignore[arg-type]
    ways = [Way("file:///a.css"), Way("data:image/png;base64,"), Way("https://x.org/a.js"), Way("http://127.0.0.1/a")]
    for way in ways:
        page.heard["route"](way)
    assert [way.done for way in ways] == ["let through", "let through", "refused", "refused"]
    assert report.problems["offline"] == ["https://x.org/a.js", "http://127.0.0.1/a"]
    page.heard["requestfailed"](ways[0])
    page.heard["pageerror"](ValueError("boom"))
    assert report.problems["links"] == ["not loaded: file:///a.css"]
    assert report.problems["console"] == ["boom"]


def test_scenarios_of_the_explorer_are_found() -> None:
    names = [name for name, _ in browser.scenarios(ROOT / "tests" / "browser")]
    assert len(names) >= 8
    assert len(set(names)) == len(names)


def test_missing_parts_are_named_with_what_to_do(proof: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "ROOT", tmp_path)
    with pytest.raises(SystemExit, match="make book"):
        proof.main()
    monkeypatch.setattr(proof.shutil, "which", lambda _: None)
    monkeypatch.delenv("CHROMIUM", raising=False)
    with pytest.raises(SystemExit, match="no Chromium found; install it"):
        proof.browser()
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    with pytest.raises(SystemExit, match="no browser at /nowhere/chromium"):
        proof.browser()
    with pytest.raises(SystemExit, match="npm is not installed"):
        proof.axe_core()
    (tmp_path / ".cache" / "proof").mkdir(parents=True)
    script = tmp_path / ".cache" / "proof" / f"axe-core-{proof.AXE}.js"
    script.write_text("/*! axe v9.9.9\n */", "utf-8")
    assert proof.axe_core() == script
    assert browser._axe_version(script.read_text("utf-8")) == "9.9.9"


def test_a_record_of_the_proof_does_not_run_the_notebooks_again(tmp_path: Path) -> None:
    from posh_lite.book.cache import shared_inputs
    from posh_lite.book.layout import Layout

    places = ("posh_lite/a.py", "posh_lite/book/browser.py", "data/mini/pairs.jsonl", "data/results/proof/book.json")
    for name in places:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("one", "utf-8")
    before = shared_inputs(Layout(tmp_path))
    for name in ("posh_lite/book/browser.py", "data/results/proof/book.json"):
        (tmp_path / name).write_text("two", "utf-8")
    assert shared_inputs(Layout(tmp_path)) == before
    (tmp_path / "data/mini/pairs.jsonl").write_text("two", "utf-8")
    assert shared_inputs(Layout(tmp_path)) != before


def test_entries_of_a_list_of_works_are_items_of_it() -> None:
    from posh_lite.book.access import mended

    before = '<div role="list"><div class="citation" id="a" role="doc-biblioentry"><p>A</p></div></div>'
    assert mended(before) == before.replace("doc-biblioentry", "listitem")
    assert mended("<p>text</p>") == "<p>text</p>"
