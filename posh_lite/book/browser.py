"""Every page of the built book in headless Chromium: ``python -m posh_lite.book.browser`` (``make proof`` calls it).

Needs Playwright (the extra "proof"), a Chromium that is installed already, and a file of axe-core. Each page is
opened from disk, as a reader without a network has it; whatever it asks of another host is refused and counted.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.book import browser_checks as ask
from posh_lite.book.check import check_site
from posh_lite.book.layout import find_layout

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

#: The columns of the table, in order.
CHECKS = (
    "console", "offline", "links", "images", "alt", "headings", "axe", "axe-dark", "axe-360", "dark", "360px", "scroll",
)
_DESKTOP, _PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 740}
#: Schemes that stay on this machine.
_LOCAL = ("file:", "data:", "blob:", "about:")


@dataclass(slots=True)
class PageReport:
    """What was found on one page, by check."""

    name: str
    problems: dict[str, list[str]] = field(default_factory=lambda: {check: [] for check in CHECKS})
    minor: dict[str, int] = field(default_factory=dict)  # findings of axe-core that are not grave, by rule
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        return not any(self.problems.values())


def pages_of(html: Path) -> list[Path]:
    """The pages of a built book; those that only send the reader on have nothing to look at."""
    found = [p for p in sorted(html.rglob("*.html")) if "_static" not in p.relative_to(html).parts]
    return [p for p in found if "http-equiv=\"refresh\"" not in p.read_text("utf-8")[:800].lower()]


def watch(page: Page, report: PageReport) -> None:
    """Note errors of the console, requests to other hosts (refused) and files that are not there."""
    def told(message: Any) -> None:
        if message.type == "error":
            report.problems["console"].append(message.text[:200])

    def route(way: Any) -> None:
        if way.request.url.startswith(_LOCAL):
            way.continue_()
        else:
            report.problems["offline"].append(way.request.url[:120])
            way.abort()

    def failed(request: Any) -> None:
        if request.url.startswith(_LOCAL):
            report.problems["links"].append(f"not loaded: {request.url[-80:]}")

    page.on("console", told)
    page.on("pageerror", lambda error: report.problems["console"].append(str(error)[:200]))
    page.on("requestfailed", failed)
    page.route("**/*", route)


def audit(page: Page, axe: str, colours: bool = True) -> list[dict[str, Any]]:
    """What axe-core finds on a page as it stands."""
    page.evaluate(axe)
    found: list[dict[str, Any]] = page.evaluate(ask.AXE, [list(ask.AXE_TAGS), colours])
    return found


def look(browser: Browser, path: Path, name: str, axe: str) -> PageReport:
    """One page, in three windows: wide and light, wide and dark, narrow as a phone."""
    report, started = PageReport(name), time.perf_counter()
    put = report.problems

    def findings(page: Page, colours: bool) -> list[str]:
        told = audit(page, axe, colours)
        for v in told:
            if v["impact"] not in ask.GRAVE:
                report.minor[v["id"]] = max(report.minor.get(v["id"], 0), v["count"])
        return ask.axe_problems(told)

    views = (("axe", "light", _DESKTOP), ("axe-dark", "dark", _DESKTOP), ("axe-360", "light", _PHONE))
    for check, scheme, size in views:
        context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")
        page = context.new_page()
        watch(page, report)
        page.goto(path.as_uri(), wait_until="load")
        page.wait_for_timeout(150)  # what scripts of the page do after it is loaded
        if check == "axe":
            broken, silent = ask.image_problems(page.evaluate(ask.IMAGES))
            put["images"] += broken
            put["alt"] += silent
            put["headings"] += ask.heading_problems(page.evaluate(ask.HEADINGS))
            put["scroll"] += ask.scroll_problems(page.evaluate(ask.SCROLLERS))
        elif check == "axe-dark":
            put["dark"] += ask.theme_problems(page.evaluate(ask.THEME))
        else:
            put["360px"] += ask.width_problems(page.evaluate(ask.WIDTH))
            put["scroll"] += ask.scroll_problems(page.evaluate(ask.SCROLLERS))
        put[check] += findings(page, size is _DESKTOP)
        context.close()
    for check, problems in put.items():
        put[check] = list(dict.fromkeys(problems))
    report.seconds = round(time.perf_counter() - started, 2)
    return report


def scenarios(folder: Path) -> Iterator[tuple[str, Callable[..., None]]]:
    """Functions ``check_*`` of the files in a folder.

    Each is given a fresh page, the folder of the book, and a function that asks axe-core for grave findings.
    """
    for path in sorted(folder.glob("*.py")):
        spec = importlib.util.spec_from_file_location(f"scenario_{path.stem}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name, function in vars(module).items():
            if name.startswith("check_"):
                yield f"{path.stem}: {name.removeprefix('check_').replace('_', ' ')}", function


def play(browser: Browser, html: Path, folder: Path, axe: str) -> dict[str, str]:
    """Run the scenarios; empty where all went well, else what went wrong."""
    outcomes: dict[str, str] = {}
    for name, function in scenarios(folder):
        context = browser.new_context(viewport=_DESKTOP, reduced_motion="reduce")
        context.set_default_timeout(15_000)
        page, report = context.new_page(), PageReport(name)
        watch(page, report)
        try:
            function(page, html, lambda p=page: ask.axe_problems(audit(p, axe)))
            noted = [*report.problems["console"], *report.problems["offline"]]
            outcomes[name] = "; ".join(noted)
        except Exception as error:  # a scenario that fails must not hide the others
            outcomes[name] = f"{type(error).__name__}: {error}"[:400]
        context.close()
    return outcomes


def table(reports: Sequence[PageReport]) -> str:
    """Pages by checks, with a dot for what is right and the number of problems."""
    width = max(len(r.name) for r in reports)
    lines = [" " * width + "  " + "  ".join(CHECKS)]
    for report in reports:
        cells = (str(len(report.problems[c])) if report.problems[c] else "." for c in CHECKS)
        lines.append(report.name.ljust(width) + "  " + "  ".join(
            cell.rjust(len(c)) for cell, c in zip(cells, CHECKS, strict=True)))
    return "\n".join(lines)


def _record(reports: Sequence[PageReport], played: dict[str, str], versions: dict[str, str]) -> dict[str, Any]:
    return {
        "versions": versions, "pages": len(reports), "checks": list(CHECKS), "axe_tags": list(ask.AXE_TAGS),
        "windows": {"wide": _DESKTOP, "phone": _PHONE},
        "problems": {r.name: {c: p for c, p in r.problems.items() if p} for r in reports if not r.ok},
        "minor": {r.name: r.minor for r in reports if r.minor},
        "clean": [r.name for r in reports if r.ok], "scenarios": {n: e or "passed" for n, e in played.items()},
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Look at the book; returns 1 where anything was found."""
    parser = argparse.ArgumentParser(prog="python -m posh_lite.book.browser", description=__doc__)
    parser.add_argument("--html", type=Path, help="folder of the built book; default: that of this checkout")
    parser.add_argument("--chromium", required=True, help="path of the browser")
    parser.add_argument("--axe", required=True, type=Path, help="axe.min.js of axe-core")
    parser.add_argument("--scenarios", type=Path, help="folder of scenarios to be played")
    parser.add_argument("--record", type=Path, help="where the outcome is written as JSON")
    parser.add_argument("--only", default="", help="only pages whose name has this in it")
    args = parser.parse_args(argv)
    from playwright.sync_api import sync_playwright

    html = (args.html or find_layout().html).resolve()
    reports: list[PageReport] = []
    static = [line.partition(": ") for line in check_site(html)]
    axe = args.axe.read_text("utf-8")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=args.chromium, args=["--no-sandbox"])
        versions = {"chromium": browser.version, "axe-core": _axe_version(axe), "playwright": version("playwright")}
        print(", ".join(f"{name} {value}" for name, value in versions.items()), flush=True)
        for path in pages_of(html):
            name = path.relative_to(html).as_posix()
            if args.only not in name:
                continue
            report = look(browser, path, name, axe)
            report.problems["links"] += [problem for page, _, problem in static if page == name]
            reports.append(report)
            print(f"  {name}: {'clean' if report.ok else 'problems'} ({report.seconds:.0f} s)", flush=True)
            for check, problems in report.problems.items():
                for problem in problems:
                    print(f"    {check}: {problem}", flush=True)
        played = play(browser, html, args.scenarios, axe) if args.scenarios else {}
        browser.close()
    if not reports:
        print(f"no page in {html}; run: make book", file=sys.stderr)
        return 1
    print("\n" + table(reports) + "\n")
    for name, error in played.items():
        print(f"{name}: {error or 'passed'}")
    if args.record:
        args.record.parent.mkdir(parents=True, exist_ok=True)
        args.record.write_text(json.dumps(_record(reports, played, versions), indent=1) + "\n", "utf-8")
    bad = sum(not r.ok for r in reports) + sum(bool(e) for e in played.values())
    print(f"{len(reports)} pages, {len(played)} scenarios: {'all clean' if not bad else f'{bad} with problems'}")
    return 1 if bad else 0


def _axe_version(script: str) -> str:
    """The first comment of axe-core names its version."""
    return script[:60].partition("axe v")[2].partition("\n")[0].strip() or "unknown"


if __name__ == "__main__":
    sys.exit(main())
