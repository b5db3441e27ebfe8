"""The book as one PDF: what is put on paper, and what is said where it cannot be."""

from __future__ import annotations

import subprocess
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from posh_lite.book import pdf
from posh_lite.book.layout import BookError, Layout

PAGE = (
    "<html><head><title>x</title></head><body><article class='bd-article'>"
    '<span id="document-chapters/01_a"></span><section><h1>A</h1></section></article></body></html>'
)


def test_a_cover_comes_first_and_chapters_begin_pages():
    made = pdf.printed(PAGE, "A <title>", "made today & here")
    assert made.index('<div class="posh-cover">') > made.index("<article")
    assert "A &lt;title&gt;" in made
    assert "made today &amp; here" in made
    assert made.count('class="posh-chapter"') == 1
    assert made.index("</style>") < made.index("</head>")


def test_a_page_of_another_theme_is_refused():
    with pytest.raises(BookError, match="theme"):
        pdf.printed("<html><head></head><body></body></html>", "t", "l")


def test_without_a_browser_it_says_what_to_install(monkeypatch):
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(BookError, match="apt install chromium"):
        pdf.browser()
    with pytest.raises(BookError, match="no browser 'nowhere'"):
        pdf.browser("nowhere")


def test_the_named_browser_is_taken_before_those_on_the_path(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    monkeypatch.setenv("CHROMIUM", "mine")
    assert pdf.browser() == "/bin/mine"
    assert pdf.browser("given") == "/bin/given"
    monkeypatch.delenv("CHROMIUM")
    assert pdf.browser() == f"/bin/{pdf.BROWSERS[0]}"


@pytest.fixture
def built(tmp_path, monkeypatch):
    """A built book, and what is to be told how its browser behaves."""
    layout = Layout(tmp_path)
    layout.html.mkdir(parents=True)
    (layout.html / "index.html").touch()
    single = layout.build / "pdf" / "_build" / "singlehtml"

    def behave(browser):
        def run(command, **settings):
            if command[0] == "/bin/mine":
                return browser(command)
            single.mkdir(parents=True)
            (single / "intro.html").write_text(PAGE, "utf-8")
            return subprocess.CompletedProcess(command, 0, "", "")

        monkeypatch.setattr(subprocess, "run", run)
        return layout

    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    return behave


@pytest.mark.parametrize(
    ("error", "said"),
    [(subprocess.TimeoutExpired("x", 5), "did not finish printing within 5 seconds"),
     (OSError(8, "Exec format error"), "cannot be started: Exec format error")],
)  # fmt: skip
def test_a_browser_that_hangs_or_is_none_is_named(error, said, built):
    def browser(command):
        raise error

    with pytest.raises(BookError, match=said):
        pdf.make_pdf(built(browser), "mine", timeout=5)


def test_what_the_browser_prints_lies_among_the_pages(built):
    def browser(command):
        target = next(word for word in command if word.startswith("--print-to-pdf=")).partition("=")[2]
        Path(target).write_bytes(b"%PDF")
        source = Path(unquote(urlsplit(command[-1]).path)).read_text("utf-8")
        assert '<div class="posh-cover">' in source
        return subprocess.CompletedProcess(command, 0, "", "")

    layout = built(browser)
    made = pdf.make_pdf(layout, "mine")
    assert made == layout.html / pdf.NAME
    assert made.read_bytes() == b"%PDF"


@pytest.mark.parametrize("status", [0, 3])
def test_a_browser_that_leaves_no_file_is_an_error_and_the_last_one_is_gone(status, built):
    layout = built(lambda command: subprocess.CompletedProcess(command, status, "", "no display"))
    (layout.html / pdf.NAME).write_bytes(b"old")
    with pytest.raises(BookError, match=rf"did not print \(exit {status}\):\nno display"):
        pdf.make_pdf(layout, "mine")
    assert not (layout.html / pdf.NAME).exists()


def test_without_a_book_it_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    with pytest.raises(BookError, match="make book"):
        pdf.make_pdf(Layout(tmp_path))
