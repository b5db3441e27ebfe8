"""Rules that every finished page must keep: nothing from another host, alt text, headings in order, a language."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Attributes through which a page loads something by itself, by tag.
_LOADS = {
    "script": ("src",), "link": ("href",), "img": ("src", "srcset"), "source": ("src", "srcset"),
    "iframe": ("src",), "video": ("src", "poster"), "audio": ("src",), "object": ("data",), "embed": ("src",),
    "image": ("href", "xlink:href"), "use": ("href", "xlink:href"), "input": ("src",), "track": ("src",),
}
#: ``link`` relations that only name another page and load nothing.
_PASSIVE = {"canonical", "next", "prev", "index", "search", "author", "license", "help", "alternate"}
_EXTERNAL = re.compile(r"^\s*(?:https?:)?//", re.IGNORECASE)
_CSS_URL = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"])\s*((?:https?:)?//[^'\")\s]+)", re.IGNORECASE)
_RAW_MARKUP = re.compile(r"(?:`{3,}|:{3,})\{[\w-]+\}|\{(?:numref|ref|doc|cite[:\w]*|term)\}`")
_RAW_REPR = re.compile(r"<[\w.]+ (?:object )?at 0x[0-9a-f]+>|<Figure size|&lt;Axes")


@dataclass(slots=True)
class Page:
    """What the rules need to know about one page."""

    language: str = ""
    title: str = ""
    loads: list[str] = field(default_factory=list)  # what the page fetches by itself
    links: list[str] = field(default_factory=list)  # what a reader may click
    ids: set[str] = field(default_factory=set)
    headings: list[int] = field(default_factory=list)
    images_without_alt: list[str] = field(default_factory=list)
    drawings_without_name: int = 0
    css: list[str] = field(default_factory=list)  # contents of style elements and attributes
    text: list[str] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)  # the text outside code


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page()
        self._inside: list[str] = []
        self._svg = self._code = 0
        self._named = True

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        page = self.page
        if "id" in given:
            page.ids.add(given["id"])
        if "style" in given:
            page.css.append(given["style"])
        if tag == "html":
            page.language = given.get("lang", "")
        elif tag == "a" and "href" in given:
            page.links.append(given["href"])
        elif re.fullmatch(r"h[1-6]", tag):
            page.headings.append(int(tag[1]))
        elif tag == "img" and not given.get("alt", "").strip() and given.get("role") != "presentation":
            page.images_without_alt.append(given.get("src", "")[:80])
        elif tag == "svg":
            if self._svg == 0:
                hidden = given.get("aria-hidden") == "true" or given.get("role") == "presentation"
                self._named = hidden or bool(given.get("aria-label") or given.get("aria-labelledby"))
            self._svg += 1
        passive = tag == "link" and given.get("rel", "").lower() in _PASSIVE
        for name in () if passive else _LOADS.get(tag, ()):
            if given.get(name):
                page.loads.append(given[name])
        if tag in ("script", "style", "title"):
            self._inside.append(tag)
        self._code += tag in ("pre", "code")

    def handle_endtag(self, tag: str) -> None:
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()
        self._code -= tag in ("pre", "code")
        if tag == "svg" and self._svg:
            self._svg -= 1
            if self._svg == 0 and not self._named:
                self.page.drawings_without_name += 1

    def handle_data(self, data: str) -> None:
        inside = self._inside[-1] if self._inside else ""
        if inside == "style":
            self.page.css.append(data)
        elif inside == "title":
            if self._svg:
                self._named = True
            else:
                self.page.title += data
        elif inside != "script":
            self.page.text.append(data)
            if self._code <= 0:
                self.page.prose.append(data)


def read_page(html: str) -> Page:
    """Parse one HTML page."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.page


def page_problems(page: Page) -> list[str]:
    """Broken rules of one page that can be seen without its neighbours."""
    found = [f"loads from another host: {url[:100]}" for url in page.loads if _EXTERNAL.match(url)]
    found += [f"style from another host: {url[:100]}" for css in page.css for url in _CSS_URL.findall(css)]
    found += [f"image without alt text: {source}" for source in page.images_without_alt]
    if page.drawings_without_name:
        found.append(f"{page.drawings_without_name} inline drawings without title or aria-label")
    if not page.language:
        found.append("no lang attribute")
    if not page.title.strip():
        found.append("no title")
    if page.headings.count(1) != 1:
        found.append(f"{page.headings.count(1)} headings of level 1, expected one")
    found += [
        f"heading level jumps from {before} to {after}"
        for before, after in zip(page.headings, page.headings[1:], strict=False) if after > before + 1
    ]
    text = "".join(page.text)
    found += [f"raw object in the text: {match}" for match in _RAW_REPR.findall(text)]
    found += [f"markup that was not read: {match}" for match in _RAW_MARKUP.findall("".join(page.prose))]
    return found


def _broken_links(path: Path, page: Page, pages: dict[Path, Page]) -> list[str]:
    found = []
    for url in [*page.links, *page.loads]:
        parts = urlsplit(url)
        if parts.scheme or parts.netloc or url.startswith("#top") or not (parts.path or parts.fragment):
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not target.exists():
            found.append(f"broken link: {url[:100]}")
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
            found.append(f"link to a place that is not there: {url[:100]}")
    return found


def check_site(html: Path) -> list[str]:
    """All broken rules of the pages below ``html``, each line beginning with its page."""
    files = [p.resolve() for p in sorted(html.rglob("*.html")) if "_static" not in p.relative_to(html).parts]
    pages = {path: read_page(path.read_text("utf-8")) for path in files}
    problems = []
    for path, page in pages.items():
        name = path.relative_to(html.resolve()).as_posix()
        redirect = "http-equiv" in path.read_text("utf-8")[:600].lower() and not page.headings
        found = [] if redirect else page_problems(page)
        problems += [f"{name}: {problem}" for problem in dict.fromkeys([*found, *_broken_links(path, page, pages)])]
    for css in sorted((html / "_static").rglob("*.css")):
        for url in _CSS_URL.findall(css.read_text("utf-8", errors="replace")):
            problems.append(f"{css.relative_to(html).as_posix()}: style from another host: {url[:100]}")
    return problems
