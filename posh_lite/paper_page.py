"""The published tables as HTML to browse: each folded, with its cells as printed, what they mean, and notes."""

from __future__ import annotations

import html
from collections.abc import Mapping

from posh_lite.paper_figures import Published, Sheet, is_figure, published

#: Columns that only repeat a mark of print; the page shows the mark itself.
_MARKS = {"bold": "strong", "underlined": "u"}


def browse(paper: str, *, source: Published | None = None) -> str:
    """All tables of a paper, one below the other, each folded.

    Args:
        paper: "posh", "position" or "both".
        source: where they are taken from, by default the files of the package.

    Returns:
        HTML without headings, scripts or ids, to be put into a region of a page. Marks of print (bold, underlined)
        are shown, and cells greyed in print are in italics.
    """
    sheets = [s for s in (source or published()).sheets.values() if s.info.paper == paper]
    return "".join(_folded(sheet) for sheet in sheets)


def _folded(sheet: Sheet) -> str:
    info = sheet.info
    place = info.place[:1].upper() + info.place[1:]
    summary = f"{html.escape(place)}: {html.escape(info.title)} ({len(sheet.cells)} rows)"
    shown = [c for c in sheet.columns if c not in (*_MARKS, "not_significant")]
    head = "".join(f'<th scope="col">{html.escape(c.replace("_", " "))}</th>' for c in shown)
    body = "".join(
        "<tr>" + "".join(_cell(cells, column, info.rows) for column in shown) + "</tr>"
        for cells in sheet.cells.values()
    )
    meaning = "".join(
        f"<li>{html.escape(c.replace('_', ' '))}{_unit(info.units[c])}: {html.escape(info.about[c])}</li>"
        for c in shown
    )
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in info.notes)
    return (
        f'<details class="posh-paper"><summary>{summary}</summary>'
        f'<table class="table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        f"<ul>{meaning}</ul>" + (f"<p>Notes</p><ul>{notes}</ul>" if notes else "")
        + f"<p><code>{html.escape(info.label)}</code>, {html.escape(info.file)}</p></details>"
    )


def _unit(unit: str) -> str:
    return f" ({html.escape(unit)})" if unit else ""


def _cell(cells: Mapping[str, str], column: str, rows: tuple[str, ...]) -> str:
    text = html.escape(cells[column]) or "–"
    for mark, tag in (*_MARKS.items(), ("not_significant", "em")):
        if column in cells.get(mark, "").split():
            text = f"<{tag}>{text}</{tag}>"
    if column in rows[:1]:
        return f'<th scope="row">{text}</th>'
    return f'<td style="text-align:right">{text}</td>' if is_figure(cells[column]) else f"<td>{text}</td>"
