"""The whole book as one PDF: Sphinx puts all pages into one, and Chromium prints it.

Headings become the outline of the PDF, links stay links, and the text is tagged for screen readers. No LaTeX is needed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from datetime import UTC, datetime
from html import escape
from pathlib import Path

from posh_lite.book.layout import BookError, Layout
from posh_lite.book.site import jupyter_book

#: Names under which Chromium is installed, in the order in which they are tried.
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
NAME = "posh-lite.pdf"
#: What paper needs beyond the style of the pages.
STYLE = """
@page { size: A4; margin: 18mm 16mm 20mm }
@page { @bottom-center { content: counter(page); font: 9pt sans-serif; color: #59636e } }
@page :first { @bottom-center { content: "" } }
:root { color-scheme: light }
html { font-size: 11.5px }
.bd-header, .bd-sidebar, .bd-sidebar-primary, .bd-sidebar-secondary, .bd-header-article, .bd-footer, .prev-next-footer,
.headerlink, .copybtn, .toggle-button, .skip-link, #pst-back-to-top, .posh-dark { display: none !important }
.bd-container, .bd-container__inner, .bd-main, .bd-content, .bd-article-container, .bd-article, .bd-page-width
  { display: block !important; max-width: none !important; padding: 0 !important; margin: 0 !important }
.posh-chapter { break-before: page }
.posh-exercise .admonition.dropdown { display: none }
.bd-main .bd-content .bd-article h1, .bd-main .bd-content .bd-article h1:first-of-type { display: block !important }
h1, h2, h3, h4 { break-after: avoid }
figure, table, .admonition, .posh-badge { break-inside: avoid }
figcaption, caption, .caption-text { color: #3b4148 !important }
pre { white-space: pre-wrap !important; overflow-wrap: anywhere }
.posh-region, .pst-scrollable-table-container, div.highlight, div.cell_output { overflow: visible !important }
img, svg { max-width: 100% !important }
.posh-cover { height: 225mm; display: flex; flex-direction: column; justify-content: center; break-after: page }
.posh-cover img { width: 90mm }
.posh-cover p { font-size: 1.2rem }
"""


def browser(given: str = "") -> str:
    """The Chromium to print with: the one given, ``CHROMIUM``, or one on the path.

    Raises:
        BookError: there is none.
    """
    for name in (given, os.environ.get("CHROMIUM", "")):
        if name:
            found = shutil.which(name)
            if found is None:
                raise BookError(f"no browser {name!r}; name Chromium or Chrome: make pdf CHROMIUM=/path/to/chromium")
            return found
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise BookError("the PDF is printed by Chromium or Chrome, and none of them was found; install one (Debian: apt"
                        " install chromium), or name it: make pdf CHROMIUM=/path/to/chromium")
    return found


def printed(page: str, title: str, line: str) -> str:
    """The one page, made ready for paper: a cover, the style, chapters on pages of their own.

    Args:
        page: HTML of all pages in one.
        title: on the cover, as plain text.
        line: below it, as plain text.

    Raises:
        BookError: the page has no article that the cover could be put into.
    """
    cover = (f'<div class="posh-cover"><img src="_static/logo.svg" alt=""><h1>{escape(title)}</h1>'
             f"<p>{escape(line)}</p></div>")
    page = page.replace("</head>", f"<style>{STYLE}</style></head>", 1)
    page, n = re.subn(r"(<article\b[^>]*>)", lambda m: m[1] + cover, page, count=1)
    if n != 1:
        raise BookError("the page for print has no article; the theme has changed")
    # documents that Sphinx put in the place of a toctree begin a page
    return re.sub(r'<span id="document-', '<span class="posh-chapter" style="display:block" id="document-', page)


def make_pdf(layout: Layout, chromium: str = "", *, timeout: float = 600) -> Path:
    """Print the chapters that were run; the file lies among the pages, so that it is published with them.

    Args:
        layout: of the book, whose pages are built.
        chromium: program to print with; see :func:`browser`.
        timeout: of the printing, in seconds.

    Raises:
        BookError: the book was not built, there is no browser, or a step failed.
    """
    tool = browser(chromium)
    if not (layout.html / "index.html").is_file():
        raise BookError("no book yet; run: make book")
    folder = layout.build / "pdf"
    shutil.rmtree(folder, ignore_errors=True)
    done = jupyter_book(layout, "--builder", "custom", "--custom-builder", "singlehtml", "--path-output", str(folder))
    single = folder / "_build" / "singlehtml"
    pages = [p for p in single.glob("*.html") if p.name != "index.html"]
    if done.returncode or len(pages) != 1:
        raise BookError(f"the one page was not made (exit {done.returncode}):\n{(done.stdout + done.stderr)[-2000:]}")
    made = datetime.now(UTC)
    source = single / "print.html"
    source.write_text(printed(
        pages[0].read_text("utf-8"), "posh-lite: judging long image descriptions",
        f"The book as one document, made on {made.day} {made:%B %Y}. The pages to read on a screen, with the"
        " explorer, are the book itself.",
    ), "utf-8")
    target = layout.html / NAME
    target.unlink(missing_ok=True)
    command = [
        tool, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
        "--generate-pdf-document-outline", "--blink-settings=preferredColorScheme=1", f"--print-to-pdf={target}",
        source.as_uri(),
    ]  # fmt: skip
    try:
        run = subprocess.run(command, text=True, capture_output=True, check=False, timeout=timeout)
    except subprocess.TimeoutExpired:
        target.unlink(missing_ok=True)
        raise BookError(f"{tool} did not finish printing within {timeout:g} seconds; is it Chromium?") from None
    except OSError as error:
        raise BookError(f"{tool} cannot be started: {error.strerror}") from None
    if run.returncode or not target.is_file():
        raise BookError(f"{tool} did not print (exit {run.returncode}):\n{run.stderr[-2000:]}")
    return target
