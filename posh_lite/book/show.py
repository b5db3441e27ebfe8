"""What the notebooks call to show things: each looks right in a notebook and in the book.

Outputs carry two forms: HTML for a notebook, and MyST markdown, which the book prefers, so that tables and
figures are numbered and can be referred to.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from posh_lite.book.where import stand_in_root

if TYPE_CHECKING:
    import pandas as pd

    from posh_lite.evaluation.bootstrap import Estimate

stand_in_root()  # every chapter imports this module before it reads a file


class Block:
    """Something to display: MyST markdown for the book, HTML for a notebook."""

    def __init__(self, markdown: str | None, markup: str | None, plain: str) -> None:
        self.markdown, self.markup, self.plain = markdown, markup, plain

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        forms = {"text/markdown": self.markdown, "text/html": self.markup, "text/plain": self.plain}
        return {kind: value for kind, value in forms.items() if value is not None}

    def __repr__(self) -> str:
        return self.plain


def text(markdown: str) -> Block:
    """Prose whose numbers were computed in the cell; MyST roles such as ``{numref}`` may be used."""
    import textwrap

    body = textwrap.dedent(markdown).strip()
    return Block(body, None, body)


def fragment(markup: str, label: str, *, fold: bool = True) -> Block:
    """HTML of the package (a highlighted text, a drawing) as a region that is named for screen readers.

    Wide content scrolls inside the region, which can be reached by keyboard. Headings inside begin at level
    three, so that they follow the section that the region stands in. With ``fold``, what can be folded is.
    """
    if fold:
        markup = re.sub(r"<details\b([^>]*?)\s+open(?:=\"\w*\")?", r"<details\1", markup)
    name = html.escape(label, quote=True)
    levels = [int(level) for level in re.findall(r"<h([1-6])\b", markup)]
    if levels and min(levels) != 3:
        shift = 3 - min(levels)
        markup = re.sub(r"(</?h)([1-6])\b", lambda m: f"{m[1]}{min(6, int(m[2]) + shift)}", markup)
    return Block(None, f'<div class="posh-region" role="region" aria-label="{name}" tabindex="0">{markup}</div>', label)


def interval(estimate: Estimate, digits: int = 2) -> str:
    """The interval of an estimate in words that do not break over lines; a dash where there is none."""
    if math.isnan(estimate.low):
        return "–"
    return f"{number(estimate.low, digits)} to {number(estimate.high, digits)}".replace(" ", "\N{NO-BREAK SPACE}")


def badge(profile: str, judge: str, signature: str) -> Block:
    """The line at the top of a chapter: which profile and judge produced the page, under which signature."""
    parts = (("profile", profile), ("judge", judge), ("signature", signature))
    items = "".join(
        f'<span class="posh-badge-item"><span class="posh-badge-key">{key}</span> '
        f"<code>{html.escape(value)}</code></span>"
        for key, value in parts
    )
    plain = ", ".join(f"{key}: {value}" for key, value in parts)
    return Block(None, f'<p class="posh-badge">{items}</p>', plain)


def number(value: Any, digits: int = 2) -> str:
    """A figure for prose or a table: fixed digits for floats, a dash for a missing value.

    >>> number(0.5), number(3), number(float("nan"))
    ('0.50', '3', '–')
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) or type(value).__module__ == "numpy":
        as_float = float(value)
        if math.isnan(as_float):
            return "–"
        if as_float.is_integer() and not isinstance(value, float):
            return str(int(as_float))
        return f"{as_float:.{digits}f}".replace("-", "\N{MINUS SIGN}")
    return str(value)


def _cell(value: Any, digits: int) -> str:
    shown = number(value, digits) if not isinstance(value, str) else value
    # not split(): it would turn the no-break spaces of intervals into ordinary ones
    return re.sub(r"[ \t\r\n]+", " ", shown).strip(" ").replace("|", "\\|")


def table(
    frame: pd.DataFrame, *, name: str, caption: str, digits: int | Mapping[str, int] = 2, index: bool = False
) -> Block:
    """A numbered table with a caption, reached as ``tab-NAME``.

    Args:
        frame: shown as it is; strings may hold MyST inline markup.
        name: lower-case words joined by hyphens.
        caption: what the table shows.
        digits: decimals of float columns, for all or by column.
        index: whether the index becomes the first column.
    """
    shown = frame.reset_index() if index else frame
    columns = [str(column) for column in shown.columns]
    places = {column: digits if isinstance(digits, int) else digits.get(column, 2) for column in columns}
    rows = [
        [_cell(value, places[column]) for column, value in zip(columns, row, strict=True)]
        for row in shown.itertuples(index=False, name=None)
    ]
    numeric = [all(not isinstance(v, str) for v in shown.iloc[:, i]) for i in range(len(columns))]
    rule = ["---:" if right else "---" for right in numeric]
    lines = ["| " + " | ".join(line) + " |" for line in ([_cell(c, 0) for c in columns], rule, *rows)]
    # a fence of backticks cannot have a backtick in its first line, as a caption with code in it does
    fence = "::::" if "`" in caption else "````"
    markdown = f"{fence}{{table}} {caption}\n:name: tab-{name}\n\n" + "\n".join(lines) + f"\n{fence}\n"
    markup = shown.to_html(index=False, border=0, na_rep="–", float_format=lambda v: number(v, 2))
    return Block(markdown, f"<p>{html.escape(caption)}</p>{markup}", shown.to_string(index=False))
