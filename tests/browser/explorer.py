"""Scenarios of the explorer page, played by ``make proof``: what a reader does, by mouse and by keyboard alone.

Each function gets a fresh page, the folder of the built book, and a function that asks axe-core.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Audit = Callable[[], list[str]]


def _open(page: Any, html: Path, link: str = "") -> None:
    page.goto((html / "explorer.html").as_uri() + link, wait_until="load")
    page.wait_for_selector("#px-text-generation .px-found")


def _figures(page: Any) -> list[str]:
    return page.locator(".px-figures td").all_inner_texts()


def _focused(page: Any) -> str:
    return page.evaluate("document.activeElement.id || document.activeElement.tagName")


def check_a_link_opens_its_view(page: Any, html: Path, audit: Audit) -> None:
    _open(page, html, "#milkmaid/confuser/2.00")
    assert page.locator("#px-work").evaluate("n => n.selectedOptions[0].text").startswith("The Milkmaid")
    chosen = page.locator("label", has=page.locator("[name=px-caption]:checked"))
    assert chosen.inner_text().strip().startswith("confuser")
    assert page.locator(".px output").inner_text() == "2.00"
    page.evaluate("location.hash = '#gleaners/terse/4.50'")
    page.wait_for_function("document.querySelector('.px output').textContent === '4.50'")
    assert page.locator("#px-work").evaluate("n => n.selectedOptions[0].text").startswith("The Gleaners")


def check_the_threshold_moves_scores_and_flags_by_keyboard(page: Any, html: Path, audit: Audit) -> None:
    _open(page, html, "#gleaners/faithful/1.00")
    low, flags = _figures(page), page.locator(".px-mark").count()
    page.locator("#px-threshold").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".px output").inner_text() == "1.05"
    page.keyboard.press("End")
    assert page.locator(".px output").inner_text() == "5.00"
    assert page.evaluate("location.hash") == "#gleaners/faithful/5.00"
    high = _figures(page)
    assert all(float(a) > float(b) for a, b in zip(low, high, strict=True)), (low, high)
    assert page.locator(".px-mark").count() > flags
    page.wait_for_function("document.querySelector('.px [role=status]').textContent.includes('threshold 5.00')")
    assert high[4] in page.locator(".px [role=status]").inner_text(), "the status does not tell the overall score"
    assert _focused(page) == "px-threshold"


def check_a_work_and_a_caption_are_chosen_by_keyboard(page: Any, html: Path, audit: Audit) -> None:
    _open(page, html)
    page.locator("#px-work").focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_function("!location.hash.startsWith('#gleaners')")
    before = page.evaluate("location.hash")
    page.locator("[name=px-caption]:checked").focus()
    page.keyboard.press("ArrowDown")
    after = page.evaluate("location.hash")
    assert before.split("/")[0] == after.split("/")[0]
    assert before.split("/")[1] != after.split("/")[1]
    assert page.evaluate("document.activeElement.name") == "px-caption", "the focus is lost"


def check_from_a_mark_to_its_question_and_back_by_keyboard(page: Any, html: Path, audit: Audit) -> None:
    _open(page, html, "#milkmaid/embellisher/2.00")
    stops = page.locator("#px-text-generation .px-mark").evaluate_all("all => all.filter(n => n.tabIndex === 0).length")
    assert stops == 1, f"{stops} stops of the Tab key in one text"
    page.locator("#px-mark-M1").focus()
    page.keyboard.press("ArrowRight")
    assert _focused(page) == "px-mark-M2"
    page.keyboard.press("End")
    last = _focused(page)
    page.keyboard.press("Home")
    assert last not in ("px-mark-M1", "px-mark-M2")
    assert _focused(page) == "px-mark-M1"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    assert page.locator("details[open] dd").first.inner_text().startswith("Does TEXT A")
    assert page.locator("#px-text-generation .px-lit").count() >= 1
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert _focused(page).startswith("px-mark-M"), "no way back to the text"


def check_planted_faults_are_shown_with_words(page: Any, html: Path, audit: Audit) -> None:
    _open(page, html, "#milkmaid/confuser/2.00")
    assert page.locator(".px-label").count() == 0
    page.locator("#px-planted").check()
    labels = page.locator("#px-text-generation .px-label").all_inner_texts()
    assert any("found" in label for label in labels)
    assert any("missed" in label for label in labels)
    told = page.locator(".px-note li").first.inner_text()
    found = sum("found" in label for label in labels)
    assert told.startswith(f"Caption: {found} of {len(labels)} planted"), told
    text = page.evaluate("""() => { const n = document.querySelector('#px-text-generation').cloneNode(true);
      n.querySelectorAll('.px-label,.px-tag,.px-hidden').forEach(x => x.remove());
      const d = globalThis.poshExplorer; return [n.textContent.replaceAll('\\u2060', ''),
        d.captions.find(c => c.style === 'confuser' && d.works[c.work].slug === 'milkmaid').text]; }""")
    assert text[0] == text[1], "the text is not shown as it is"


def check_nothing_grave_with_all_open_in_both_themes(page: Any, html: Path, audit: Audit) -> None:
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        _open(page, html, "#milkmaid/confuser/4.60")
        page.locator("#px-planted").check()
        page.locator("[name=px-show][value=all]").check()
        some = ".px-list li:nth-child(-n+12) details"
        page.evaluate(f"document.querySelectorAll('{some}').forEach(d => {{ d.open = true; }})")
        found = audit()
        assert not found, f"{scheme}: {'; '.join(found)}"


def check_a_phone_does_not_scroll_sideways_with_all_shown(page: Any, html: Path, audit: Audit) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    _open(page, html, "#milkmaid/confuser/4.60")
    page.locator("#px-planted").check()
    page.locator("[name=px-show][value=all]").check()
    page.evaluate("document.querySelectorAll('.px-list details').forEach(d => { d.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def check_paper_has_the_questions_and_no_controls(page: Any, html: Path, audit: Audit) -> None:
    _open(page, html, "#milkmaid/confuser/2.00")
    page.emulate_media(media="print")
    assert not page.locator(".px-controls").is_visible()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".px-list dd").first.is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not page.locator(".px-list dd").first.is_visible()
