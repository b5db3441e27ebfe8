"""What SVG drawings are made of: text that is measured, marks in safe colours, escaping, and the style sheet.

Colours are those of Okabe and Ito, which people with any colour vision tell apart, darkened or lightened to stand
out from the page; every kind of mark has its own shape too. The style follows the reader's light or dark setting.
"""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass, field
from html import escape
from typing import Literal

from posh_lite.graph.types import SceneGraph

#: Advance widths in thousandths of the font size, for a Helvetica-like face.
_WIDTHS: dict[str, int] = {
    **dict.fromkeys("ijl'‘’", 222), **dict.fromkeys(" ,./:;!I[]\\|ft", 278), **dict.fromkeys("()-r`“”{}", 333),
    **dict.fromkeys('"*', 380), **dict.fromkeys("cksvxyzJ", 500), **dict.fromkeys("abdeghnopqu0123456789L_?#$", 556),
    **dict.fromkeys("+<=>~×FTZ", 600), **dict.fromkeys("ABEKPSVXY&", 667), **dict.fromkeys("wCDHNRU", 722),
    **dict.fromkeys("GOQ", 778), **dict.fromkeys("mM", 833), **dict.fromkeys("%W—", 950), **dict.fromkeys("@…→", 1010),
}  # fmt: skip
Kind = Literal["entity", "title", "reference", "property", "quantity", "action", "position", "relation", "note",
               "label"]

#: The style sheet's variables: light, dark. Contrast of text on its ground is at least 4.5 to 1.
_COLORS: dict[str, tuple[str, str]] = {
    "page": ("#ffffff", "#16181d"), "card": ("#f7f9fb", "#20242c"), "line": ("#c3ccd6", "#4a5464"),
    "text": ("#1b2430", "#e8ecf2"), "muted": ("#56616f", "#a9b4c2"),
    "entity": ("#005a94", "#7cc4f2"), "entity-fill": ("#dcedf8", "#12344c"),
    "attribute": ("#8a5a00", "#f2bd4b"), "attribute-fill": ("#fdf1d8", "#3a2d0d"),
    "relation": ("#00694e", "#4fd0a9"), "absent": ("#a8420a", "#ff9a5c"),
}  # fmt: skip


def prefers_dark(rule: str, light: str, dark: str) -> str:
    """CSS that sets ``rule`` for light and dark, by the reader's setting and by a book's own theme switch."""
    return (
        f"{rule}{{{light}}}@media(prefers-color-scheme:dark){{{rule}{{{dark}}}}}"
        f'html[data-theme="light"] {rule}{{{light}}}html[data-theme="dark"] {rule}{{{dark}}}'
    )


def color_rules(rule: str) -> str:
    """The palette as CSS variables of the elements that ``rule`` selects."""
    light, dark = (";".join(f"--pl-{name}:{pair[i]}" for name, pair in _COLORS.items()) for i in (0, 1))
    return prefers_dark(rule, light, dark)


_STYLE = (
    "svg.pl-graph{font-family:Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif;font-size:13px}"
    ".pl-graph text{fill:var(--pl-text);dominant-baseline:central}"
    ".pl-graph .pl-page{fill:var(--pl-page)}"
    ".pl-graph .pl-card{fill:var(--pl-card);stroke:var(--pl-line)}"
    ".pl-graph .pl-bar{fill:var(--pl-entity)}"
    ".pl-graph .pl-box{fill:var(--pl-entity-fill);stroke:var(--pl-entity)}"
    ".pl-graph .pl-box.pl-none{fill:none;stroke:var(--pl-absent);stroke-dasharray:2 2}"
    ".pl-graph .pl-entity text,.pl-graph .pl-title text{font-weight:700;fill:var(--pl-entity)}"
    ".pl-graph .pl-reference text{fill:var(--pl-entity)}"
    ".pl-graph .pl-entity rect,.pl-graph .pl-reference rect{fill:var(--pl-entity-fill);stroke:var(--pl-entity)}"
    ".pl-graph .pl-reference rect{fill:none;stroke-dasharray:3 2}"
    ".pl-graph .pl-chip text{fill:var(--pl-attribute)}"
    ".pl-graph .pl-chip rect,.pl-graph .pl-chip path{fill:var(--pl-attribute-fill);stroke:var(--pl-attribute)}"
    ".pl-graph .pl-relation text{fill:var(--pl-relation);font-style:italic}"
    ".pl-graph .pl-note text{fill:var(--pl-muted)}"
    ".pl-graph .pl-edge{fill:none;stroke:var(--pl-relation);stroke-width:1.5}"
    ".pl-graph .pl-part{stroke-dasharray:5 3}"
    ".pl-graph .pl-tip{fill:var(--pl-relation)}"
    ".pl-graph .pl-guide{fill:none;stroke:var(--pl-line)}"
    ".pl-graph .pl-absent text{fill:var(--pl-absent)}.pl-graph .pl-absent rect,.pl-graph .pl-absent path"
    "{stroke:var(--pl-absent);stroke-dasharray:2 2;fill:none}"
)


def clean(text: str) -> str:
    """Text that XML and HTML may hold: control characters and lone surrogates are replaced."""
    return "".join(
        c if c in "\t\n\r" or (ord(c) >= 32 and not 0x7F <= ord(c) <= 0x9F and not 0xD800 <= ord(c) <= 0xDFFF
                               and ord(c) not in (0xFFFE, 0xFFFF)) else "\ufffd"
        for c in text
    )  # fmt: skip


def markup(text: str) -> str:
    """Text escaped for an element or a quoted attribute."""
    return escape(clean(text), quote=True)


def _advance(char: str) -> int | None:
    if char in _WIDTHS:
        return _WIDTHS[char]
    base = unicodedata.normalize("NFD", char)[:1]
    return _WIDTHS.get(base)


def measure(text: str, size: float = 13, bold: bool = False) -> tuple[float, bool]:
    """The width of a text in pixels, and whether it is known rather than guessed from the script."""
    total, known = 0, True
    for char in text:
        advance = _advance(char)
        if advance is None:
            known = False
            wide = unicodedata.east_asian_width(char) in "WF"
            advance = 0 if unicodedata.combining(char) else 1050 if wide else 700
        total += advance
    return total * size / 1000 * (1.07 if bold else 1.0), known


def shorten(text: str, width: float, size: float = 13, bold: bool = False) -> str:
    """The text, or as much of it as fits the width with an ellipsis."""
    if measure(text, size, bold)[0] <= width:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if measure(text[:middle].rstrip() + "…", size, bold)[0] <= width:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + "…"


@dataclass(slots=True)
class Mark:
    """One inline mark: a name, a chip, relation words or a note, ready to be placed on a line."""

    kind: Kind
    text: str
    absent: bool = False
    full: str = field(default="", init=False)
    width: float = field(default=0.0, init=False)

    def fit(self, limit: float) -> Mark:
        """Cut the text so that the mark is at most ``limit`` wide."""
        self.full = " ".join(clean(self.text).split())
        pad, bold = self._pad(), self.kind in ("entity", "title")
        self.text = shorten(self.full, limit - 2 * pad, bold=bold)
        self.width = measure(self.text, bold=bold)[0] + 2 * pad
        return self

    def _pad(self) -> float:
        pads = {"entity": 7, "reference": 7, "action": 10, "position": 9,
                **dict.fromkeys(("relation", "note", "label", "title"), 0)}  # fmt: skip
        return float(pads.get(self.kind, 8))

    def draw(self, x: float, y: float) -> str:
        """The mark with its left edge at ``x``, centred on ``y``."""
        style = {"entity": "pl-entity", "reference": "pl-reference", "relation": "pl-relation", "note": "pl-note",
                 "label": "pl-label", "title": "pl-title"}.get(self.kind, f"pl-chip pl-{self.kind}")  # fmt: skip
        shape, w, h = "", self.width, 18.0
        top = y - h / 2
        if self.kind in ("entity", "reference"):
            shape = rect(x, top, w, h, 4)
        elif self.kind == "quantity":
            shape = rect(x, top, w, h, 0)
        elif self.kind == "property":
            shape = rect(x, top, w, h, h / 2)
        elif self.kind == "action":
            shape = f'<path d="M{n(x + 5)} {n(top)}H{n(x + w)}L{n(x + w - 5)} {n(top + h)}H{n(x)}Z"/>'
        elif self.kind == "position":
            shape = (f'<path d="M{n(x + 6)} {n(top)}H{n(x + w - 6)}L{n(x + w)} {n(y)}L{n(x + w - 6)} {n(top + h)}'
                     f'H{n(x + 6)}L{n(x)} {n(y)}Z"/>')  # fmt: skip
        tip = f"<title>{markup(self.full)}</title>" if self.full != self.text else ""
        body = words(self.text, x + self._pad(), y, bold=self.kind in ("entity", "title"))
        return f'<g class="{style}{" pl-absent" if self.absent else ""}">{tip}{shape}{body}</g>'


def n(value: float) -> str:
    """A coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def rect(x: float, y: float, width: float, height: float, radius: float, style: str = "") -> str:
    """A rectangle with rounded corners."""
    named = f' class="{style}"' if style else ""
    return f'<rect{named} x="{n(x)}" y="{n(y)}" width="{n(width)}" height="{n(height)}" rx="{n(radius)}"/>'


def words(text: str, x: float, y: float, *, bold: bool = False, style: str = "") -> str:
    """A text element; its length is pinned to the measured width, so that no font makes it overflow."""
    width, known = measure(text, bold=bold)
    pin = f' textLength="{n(width)}" lengthAdjust="spacingAndGlyphs"' if known and len(text) > 1 else ""
    named = f' class="{style}"' if style else ""
    return f'<text{named} x="{n(x)}" y="{n(y)}"{pin}>{markup(text)}</text>'


def figure(graph: SceneGraph, width: float, height: float, body: str, title: str, description: str) -> str:
    """The SVG document around a drawing, with its title and description for those who cannot see it."""
    key = hashlib.sha256(f"{title}\0{graph.text}\0{width}".encode("utf-8", "replace")).hexdigest()[:8]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="pl-graph" role="img" width="{n(width)}" height="{n(height)}" '
        f'viewBox="0 0 {n(width)} {n(height)}" aria-labelledby="pl-t{key} pl-d{key}" '
        f'style="max-width:100%;height:auto">'
        f'<title id="pl-t{key}">{markup(title)}</title><desc id="pl-d{key}">{markup(description)}</desc>'
        f"<style>{color_rules('svg.pl-graph')}{_STYLE}</style>"
        f'{rect(0.5, 0.5, width - 1, height - 1, 8, "pl-page")}{body}</svg>'
    )
