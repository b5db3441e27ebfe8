"""The page of a preference study in a real browser, from a file, by clicks and by keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, Browser

from posh_lite.preference.analysis import analyse
from posh_lite.preference.answers import read_answers
from posh_lite.preference.page import page
from posh_lite.preference.study import PreferenceStudy, Settings, make_study
from posh_lite.records import Pair

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")

EVIL = ("</script><script>window.hacked=1</script>", '<img src=x onerror="window.hacked=2">',
        "<svg/onload=window.hacked=3>\u2028<!--<script>",
        'javascript:window.hacked=4 "\' &lt;b&gt; \u202eabc')  # fmt: skip


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    one = Browser(tmp_path_factory.mktemp("profile"))
    yield one
    one.close()


def study_of(n: int = 4, models: str = "ab", **settings: Any) -> PreferenceStudy:
    pairs = [Pair(f"i{k}/{m}", f"{EVIL[k % 4]} {m.upper()} on {k}.", f"reference {EVIL[k % 4]}", m, f"i{k}")
             for k in range(n) for m in models]  # fmt: skip
    return make_study(pairs, ["r1", "r2"], Settings(at_once=len(models), **settings), show_reference=True)


def opened(browser: Browser, study: PreferenceStudy, tmp_path: Path, pictures: Any = None, rater: str = "r1") -> Path:
    """Write the page, open it and begin; downloads go to ``tmp_path``."""
    path = tmp_path / "study.html"
    path.write_text(page(study, pictures), "utf-8", newline="\n")
    browser.errors.clear()
    browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    browser.open(f"{path.as_uri()}#{rater}")
    browser.run("document.getElementById('go').click()")
    return path


def click(browser: Browser, name: str) -> None:
    browser.run(f"document.getElementById('{name}').click()")


def pick(browser: Browser, selector: str) -> None:
    browser.run(f"document.querySelector({json.dumps(selector)}).click()")


def downloaded(browser: Browser, tmp_path: Path, study: PreferenceStudy, button: str = "download") -> Path:
    path = tmp_path / f"answers-{study.id}-r1.json"
    path.unlink(missing_ok=True)
    click(browser, button)
    for _ in range(100):
        if path.exists() and path.stat().st_size:
            return path
        browser.run("new Promise(done => setTimeout(done, 50))")
    raise AssertionError("nothing was downloaded")


def test_a_whole_study_by_clicks_and_its_figures(browser: Browser, tmp_path: Path) -> None:
    study = study_of(ties=True)
    opened(browser, study, tmp_path)
    for t in study.trials["r1"]:  # a is always better, but for a tie at the end
        texts = browser.run("Array.from(document.querySelectorAll('.card .text')).map(p => p.textContent)")
        assert texts == [study.items[t.item].captions[k] for k in t.order]
        models = [study.items[t.item].models[k] for k in t.order]
        pick(browser, f"input[value='{'tie' if t.code == '4' else models.index('a')}']")
        click(browser, "next")
    assert browser.run("document.getElementById('thanks').textContent") == "Thank you"
    report = analyse(read_answers([downloaded(browser, tmp_path, study)], study), n_resamples=50)
    assert (report.wins[0].wins, report.wins[0].losses, report.wins[0].ties) == (3, 0, 1)
    assert browser.run("typeof window.hacked") == "undefined"
    assert browser.errors == []


def test_a_study_by_keys_alone(browser: Browser, tmp_path: Path) -> None:
    study = study_of(2)
    opened(browser, study, tmp_path)
    for _ in range(2):
        assert browser.run("document.activeElement.id") == "question"
        for _ in range(8):  # past what can be opened before the choice
            browser.key("Tab", 9)
            if browser.run("document.activeElement.name") == "choice":
                break
        browser.key("ArrowDown", 40)
        assert browser.run("document.querySelector('input:checked').value") == "1"
        browser.key("Enter", 13, "\r")
    path = downloaded(browser, tmp_path, study)
    assert [a["places"] for a in json.loads(path.read_text("utf-8"))["answers"]] == [[2, 1], [2, 1]]


def test_closing_the_page_loses_nothing_not_even_half_an_answer(browser: Browser, tmp_path: Path) -> None:
    study = study_of(3)
    path = opened(browser, study, tmp_path)
    pick(browser, "input[value='1']")
    click(browser, "next")
    pick(browser, "input[value='0']")
    browser.run("""(() => { const r = document.getElementById('reason'); r.value = 'since <b>it</b> says more';
        r.dispatchEvent(new Event('input', {bubbles: true})); })()""")
    browser.open(f"{path.as_uri()}#r1")
    click(browser, "go")
    assert browser.run("document.getElementById('where').textContent") == "Comparison 2 of 3, 1 answered"
    assert browser.run("document.querySelector('input:checked').value") == "0"
    assert browser.run("document.getElementById('reason').value") == "since <b>it</b> says more"
    click(browser, "back")
    assert browser.run("document.querySelector('input:checked').value") == "1"
    browser.open(f"{path.as_uri()}#r2")  # another rater begins afresh
    click(browser, "go")
    assert browser.run("document.getElementById('where').textContent") == "Comparison 1 of 3, 0 answered"


def test_without_storage_the_page_works_and_says_that_nothing_is_kept(browser: Browser, tmp_path: Path) -> None:
    study = study_of(2)
    script = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('no'); }})"
    added = browser.call("Page.addScriptToEvaluateOnNewDocument", source=script)["identifier"]
    try:
        opened(browser, study, tmp_path)
        pick(browser, "input[value='0']")
        assert browser.run("document.getElementById('unkept').hidden") is False
        click(browser, "next")
        path = downloaded(browser, tmp_path, study, "save")
        assert len(json.loads(path.read_text("utf-8"))["answers"]) == 1
        # from that file one can go on
        browser.open((tmp_path / "study.html").as_uri())
        node = browser.call("DOM.getDocument")["root"]["nodeId"]
        field = browser.call("DOM.querySelector", nodeId=node, selector="#resume")["nodeId"]
        browser.call("DOM.setFileInputFiles", nodeId=field, files=[str(path)])
        browser.until("!document.getElementById('trial').hidden")
        assert browser.run("document.getElementById('where').textContent") == "Comparison 2 of 2, 1 answered"
    finally:
        browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=added)


@pytest.mark.parametrize("ties", [True, False])
def test_ranking_three_asks_for_every_place(browser: Browser, tmp_path: Path, ties: bool) -> None:
    study = study_of(1, "abc", task="rank", ties=ties)
    opened(browser, study, tmp_path)
    problem = "document.getElementById('problem').textContent"
    click(browser, "next")
    assert "A has no place" in browser.run(problem)
    for k, place in enumerate((1, 3, 3)):
        pick(browser, f"input[name='place-{k}'][value='{place}']")
    click(browser, "next")
    if not ties:
        assert "same place" in browser.run(problem)
        pick(browser, "input[name='place-2'][value='2']")
        click(browser, "next")
    path = downloaded(browser, tmp_path, study)
    assert json.loads(path.read_text("utf-8"))["answers"][0]["places"] == ([1, 2, 2] if ties else [1, 3, 2])
    read_answers([path], study)


def test_a_file_of_another_study_is_refused(browser: Browser, tmp_path: Path) -> None:
    study = study_of(1)
    path = tmp_path / "answers.json"
    path.write_text(json.dumps({"format": "posh-lite preference answers 1", "study": "other", "rater": "r1"}), "utf-8")
    opened(browser, study, tmp_path)
    browser.open((tmp_path / "study.html").as_uri())
    node = browser.call("DOM.getDocument")["root"]["nodeId"]
    field = browser.call("DOM.querySelector", nodeId=node, selector="#resume")["nodeId"]
    browser.call("DOM.setFileInputFiles", nodeId=field, files=[str(path)])
    browser.until("document.getElementById('start-problem').textContent !== ''")
    assert "belongs to the study other" in browser.run("document.getElementById('start-problem').textContent")


def test_pictures_show_and_nothing_is_fetched(browser: Browser, tmp_path: Path) -> None:
    dot = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
    opened(browser, study_of(1), tmp_path, {"i0": dot})
    browser.until("document.getElementById('image').complete && document.getElementById('image').naturalWidth === 1")
    # a script that got in all the same could not run: the policy knows one hash
    browser.run("""(() => { const s = document.createElement('script'); s.textContent = 'window.hacked = 9';
        document.body.appendChild(s); })()""")
    assert browser.run("typeof window.hacked") == "undefined"
    assert browser.run("performance.getEntriesByType('resource').filter(r => !r.name.startsWith('data:')).length") == 0


@pytest.mark.parametrize("width", [320, 390, 1200])
@pytest.mark.parametrize("models", ["ab", "abc"])
def test_nothing_is_wider_than_the_screen(browser: Browser, tmp_path: Path, width: int, models: str) -> None:
    long = "w" * 400
    pairs = [Pair(f"i/{m}", f"{long} {m}", "r", m, "i") for m in models]
    study = make_study(pairs, ["r1"], Settings(at_once=len(models), task="rank" if len(models) == 3 else "choose"))
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 500)
    try:
        opened(browser, study, tmp_path)
        assert browser.run("document.documentElement.scrollWidth") <= width
        unnamed = """Array.from(document.querySelectorAll('button,input,textarea,select')).filter(
            e => e.offsetParent && !(e.labels && e.labels.length) && !e.textContent.trim() && !e.ariaLabel).length"""
        assert browser.run(unnamed) == 0
    finally:
        browser.call("Emulation.clearDeviceMetricsOverride")


@pytest.mark.parametrize("code", ["100%", "%E0%A4%A", "nobody", "__proto__", ""])
def test_an_address_with_an_odd_code_opens_all_the_same(code: str, browser: Browser, tmp_path: Path) -> None:
    opened(browser, study_of(), tmp_path, rater=code)
    assert browser.errors == []
    assert browser.run("document.getElementById('start-problem').textContent") == "Please choose your code first."
    browser.run("document.getElementById('rater').value = 'r2'; document.getElementById('go').click()")
    assert browser.run("document.getElementById('trial').hidden") is False
