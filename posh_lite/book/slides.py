"""Slides of every chapter, made of what the chapter says it teaches, its figures and its summary.

A deck is one page without anything from elsewhere: arrow keys, Home and End move, N shows the notes (the prose beside
the figure), and paper gets one slide a page. Without scripts all slides stand below each other.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from posh_lite.book.layout import BookError, Layout
from posh_lite.book.notebooks import notebook_format

_FIGURE = re.compile(r"^([`:]{3,})\{figure\}\s+(?P<path>\S+)\n(?P<body>.*?)^\1\s*$", re.MULTILINE | re.DOTALL)
_OPTION = re.compile(r"^:(\w+):\s*(.*)$")
_FENCE = re.compile(r"^([`:]{3,})\{[\w-]+\}.*?^\1\s*$", re.MULTILINE | re.DOTALL)
#: What a text holds that is not plain, in the order of trying at a place: a block of code, a MyST role with its text
#: (of "words <target>" the words are kept), code in a line, a formula of its own, a formula in a line.
_FENCED = r"^(?P<fence>`{3,}|~{3,})[^`\n]*\n(?:.*?\n)?(?P=fence)`*[ \t]*$"
_PARTS = re.compile(
    _FENCED + r"|\{(?P<role>[\w:]+)\}`(?P<text>[^`]*?)(?:\s*<[^>`]*>)?`|(?P<tick>`+)(?!`).+?(?<!`)(?P=tick)(?!`)"
    r"|\$\$(?P<block>[^$]+)\$\$|(?<![\\$\w])\$(?P<latex>[^$\s](?:[^$\n]*[^$\s\\])?)\$(?!\d)",
    re.MULTILINE | re.DOTALL,
)
_CODE = re.compile(_FENCED, re.MULTILINE | re.DOTALL)
#: Elements that chapters write by hand; their text stays, and all else is shown as it is written.
_TAG = re.compile(r"</?(?:a|b|i|em|strong|span|sub|sup|kbd|br|small|u)(?:\s[^<>]*)?/?>", re.IGNORECASE)
_KINDS = {".svg": "svg+xml", ".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".webp": "webp", ".gif": "gif"}
#: Headings of sections that become a slide of words.
_CLOSING = ("Summary", "What this shows, and what not")
_LEARN = re.compile(r"^- \*\*You will learn\*\*(?P<what>.*?)(?=^- \*\*|^```)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure of a chapter."""

    path: str  # as the chapter names it
    alt: str
    caption: str


@dataclass(slots=True)
class Part:
    """A section of a chapter: its heading, prose and figures."""

    title: str
    prose: list[str] = field(default_factory=list)
    figures: list[Shown] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Chapter:
    """What a deck is made of."""

    stem: str
    title: str
    lead: str
    learn: str
    parts: tuple[Part, ...]


def read_chapter(notebook: Any, stem: str) -> Chapter:
    """Take an executed chapter apart into sections."""
    title, learn, parts = stem, "", [Part("")]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            found = _LEARN.search(cell.source)
            learn = learn or (" ".join(found["what"].split()) if found else "")
            for block in _sections(_FENCE.sub("", cell.source)):
                heading = re.match(r"(#{1,2}) (.*)\n?", block)
                if heading is not None:
                    if len(heading[1]) == 1:
                        title = heading[2].strip()
                    else:
                        parts.append(Part(heading[2].strip()))
                parts[-1].prose += _paragraphs(block[heading.end() :] if heading else block)
        for output in cell.get("outputs", []):
            told = output.get("data", {}).get("text/markdown", "")
            parts[-1].figures += figures_in(told)
            if not _FENCE.search(told):
                parts[-1].prose += _paragraphs(told)
    return Chapter(stem, title, parts[0].prose[0] if parts[0].prose else "", learn, tuple(parts))


def _sections(text: str) -> list[str]:
    """A text cut before its headings of the first two levels; a comment in code is no heading."""
    code = [m.span() for m in _CODE.finditer(text)]
    cuts = [m.start() for m in re.finditer(r"^#{1,2} ", text, re.MULTILINE)
            if not any(start <= m.start() < end for start, end in code)]
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def _paragraphs(text: str) -> list[str]:
    """What stands between blank lines; a block of code is one paragraph."""
    parts: list[str] = []
    at = 0
    for found in _CODE.finditer(text):
        parts += [*re.split(r"\n\s*\n", text[at : found.start()]), found[0]]
        at = found.end()
    return [p.strip() for p in [*parts, *re.split(r"\n\s*\n", text[at:])] if p.strip()]


def figures_in(markdown: str) -> list[Shown]:
    """The figure directives of a text."""
    found = []
    for match in _FIGURE.finditer(markdown):
        options: dict[str, str] = {}
        rest: list[str] = []
        for line in match["body"].splitlines():
            option = _OPTION.match(line)
            if option and not rest:
                options[option[1]] = option[2]
            elif line.strip():
                rest.append(line)
        found.append(Shown(match["path"], options.get("alt", ""), " ".join(rest)))
    return found


@cache
def _reader() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")


def to_html(markdown: str, *, inline: bool = False) -> str:
    """Markdown with roles and formulas as HTML; roles lose their links, since a deck stands alone."""
    from posh_lite.book.mathml import to_mathml

    kept: list[str] = []  # formulas as they are shown, and code as it is written

    def aside(text: str, start: str, end: str) -> str:
        kept.append(text)
        return f"{start}{len(kept) - 1}{end}"

    def formula(latex: str, *, display: bool, written: str) -> str:
        try:
            return aside(to_mathml(latex.strip(), display=display), "\ue000", "\ue001")
        except ValueError:  # no formula after all
            return written

    def part(match: re.Match[str]) -> str:
        if role := match["role"]:
            if role == "math":
                return formula(match["text"], display=False, written=match["text"])
            return "" if role.startswith(("cite", "numref")) else match["text"]
        if match["fence"] or match["tick"]:
            return aside(match[0], "\ue002", "\ue003")
        return formula(match["block"] or match["latex"], display=bool(match["block"]), written=match[0])

    text = _TAG.sub("", _PARTS.sub(part, markdown))
    text = re.sub(r"[ \t]*\([ \t]*\)|[ \t]+(?=[.,;:](?:\s|$))", "", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub("\ue002(\\d+)\ue003", lambda m: kept[int(m[1])], text)
    made = _reader().renderInline(text) if inline else _reader().render(text)
    return re.sub("\ue000(\\d+)\ue001", lambda m: kept[int(m[1])], made)


def _image(shown: Shown, folder: Path) -> str:
    """The drawing inside the page, light and dark.

    Raises:
        BookError: the file is not there, or of a kind that a page does not show.
    """
    path = folder / shown.path

    def data(file: Path) -> str:
        kind = _KINDS.get(file.suffix.lower())
        if kind is None:
            raise BookError(f"the figure {shown.path} is of no kind that slides show ({', '.join(_KINDS)})")
        try:
            raw = file.read_bytes()
        except OSError as error:
            raise BookError(f"the figure {shown.path} cannot be read ({error.strerror}); run its chapter again:"
                            " make book") from None
        return f"data:image/{kind};base64,{base64.b64encode(raw).decode()}"

    dark = path.with_suffix(".dark.svg")
    twin = f'<source media="(prefers-color-scheme: dark) and screen" srcset="{data(dark)}">' if dark.is_file() else ""
    alt = escape(shown.alt, quote=True)
    return f'<picture>{twin}<img src="{data(path)}" alt="{alt}"></picture>'


def deck(chapter: Chapter, folder: Path) -> str:
    """The page of one deck.

    Args:
        chapter: what it is made of.
        folder: that the paths of its figures start from.

    Raises:
        BookError: a figure is not there.
    """
    slides = [f'<h1>{to_html(chapter.title, inline=True)}</h1><p class="lead">{to_html(chapter.lead, inline=True)}</p>']
    if chapter.learn:
        learn = chapter.learn[0].upper() + chapter.learn[1:]
        slides.append(f'<h2>In this chapter</h2><p class="lead">{to_html(learn, inline=True)}</p>')
    for part in chapter.parts:
        notes = "".join(to_html(p) for p in part.prose)
        for shown in part.figures:
            heading = to_html(part.title or chapter.title, inline=True)
            slides.append(
                f"<h2>{heading}</h2><figure>{_image(shown, folder)}<figcaption>{to_html(shown.caption, inline=True)}"
                f"</figcaption></figure><details class=\"notes\"><summary>Notes</summary>{notes}</details>"
            )
        if part.title in _CLOSING:
            slides.append(f"<h2>{to_html(part.title, inline=True)}</h2>{notes}")
    sections = "".join(
        f'<section class="slide" id="s{k}" tabindex="-1" aria-label="Slide {k} of {len(slides)}">{body}</section>'
        for k, body in enumerate(slides, start=1)
    )
    title = re.sub("<[^>]*>", "", to_html(chapter.title, inline=True))
    return _page(f"{title}: slides", f'<main>{sections}</main><nav aria-label="Slides">'
                 f'<a href="../chapters/{chapter.stem}.html">Chapter</a><button type="button" id="back">Back</button>'
                 '<span id="place" role="status"></span><button type="button" id="on">Next</button>'
                 '<button type="button" id="notes" aria-pressed="false">Notes</button></nav>', script=True)


def _page(title: str, body: str, *, script: bool = False) -> str:
    style, code = (Path(__file__).with_name(f"slides.{end}").read_text("utf-8") for end in ("css", "js"))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<link rel="icon" href="data:,">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}</style></head>'
        f"<body>{body}{f'<script>{code}</script>' if script else ''}</body></html>\n"
    )


def write_slides(layout: Layout) -> list[Path]:
    """Write a deck for every chapter that was run, and a list of them, into ``slides/`` among the pages."""
    nbformat, target = notebook_format(), layout.html / "slides"
    target.mkdir(parents=True, exist_ok=True)
    written, rows = [], []
    for path in sorted(layout.chapters.glob("*.ipynb")):
        chapter = read_chapter(nbformat.read(path, as_version=4), path.stem)
        file = target / f"{path.stem}.html"
        file.write_text(deck(chapter, layout.chapters), "utf-8")
        n = sum(len(part.figures) for part in chapter.parts)
        title = to_html(chapter.title, inline=True)
        rows.append(f'<li><a href="{file.name}">{title}</a>, {n} figure{"" if n == 1 else "s"}</li>')
        written.append(file)
    index = target / "index.html"
    index.write_text(_page(
        "Slides of the chapters",
        '<main class="list"><h1>Slides of the chapters</h1><p>One deck a chapter, made of its figures while the book is'
        " built. Arrow keys move, N shows the notes, and printing gives one slide a page."
        f' <a href="../intro.html">Back to the book</a></p><ol>{"".join(rows)}</ol></main>',
    ), "utf-8")
    return [*written, index]
