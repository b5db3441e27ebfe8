"""What the pages about models share: the frame, the style sheet, and tables that sort under the keyboard's focus.

Self-contained: nothing comes from elsewhere. Light and dark follow the reader's setting; colour is never the only sign.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.plot import PALETTE
from posh_lite.position.report import figure


def _colours(dark: bool) -> str:
    own = {"paper": "#17191c", "raised": "#20242a"} if dark else {"paper": "#fff", "raised": "#f5f7f9"}
    return ";".join(f"--{name}:{value}" for name, value in ({k: v[dark] for k, v in PALETTE.items()} | own).items())


STYLE = f"""
:root{{color-scheme:light dark;{_colours(False)}}}
@media (prefers-color-scheme:dark){{:root{{{_colours(True)}}}}}
*{{box-sizing:border-box}}
body{{margin:0 auto;padding:1rem;max-width:84rem;color:var(--text);background:var(--paper);
font:16px/1.55 system-ui,sans-serif;overflow-wrap:break-word}}
a{{color:var(--blue)}} a:focus-visible,button:focus-visible,summary:focus-visible,[tabindex]:focus-visible{{
outline:3px solid var(--text);outline-offset:2px}}
h1{{font-size:1.6rem;line-height:1.25;margin:.2rem 0 .6rem}} h2{{font-size:1.25rem;margin:2rem 0 .5rem}}
h3{{font-size:1.05rem;margin:1.2rem 0 .3rem}}
p,ul,dl{{max-width:48rem}} small,.muted{{color:var(--muted)}} code{{font-size:.88em;overflow-wrap:anywhere}}
.wide{{overflow-x:auto;max-width:100%}}
table{{border-collapse:collapse;font-size:.92rem}} caption{{text-align:left;padding:.2rem 0 .4rem;color:var(--muted)}}
th,td{{border-bottom:1px solid var(--grid);padding:.3rem .6rem;text-align:left;vertical-align:top}}
td.n,th.n{{text-align:right}} td.n{{white-space:nowrap;font-variant-numeric:tabular-nums}} th.n{{min-width:5.5rem}}
td.n small{{display:block}} td:not(.n){{min-width:11rem}}
thead th{{border-bottom:2px solid var(--muted);vertical-align:bottom}}
tbody th{{font-weight:600;position:sticky;left:0;background:var(--paper);max-width:14rem}}
th button{{font:inherit;font-weight:600;color:inherit;background:none;border:0;padding:.15rem 0;cursor:pointer;
text-align:inherit;text-decoration:underline dotted}}
th[aria-sort=ascending] button::after{{content:" \\25B2"}} th[aria-sort=descending] button::after{{content:" \\25BC"}}
.tag{{display:inline-block;font-size:.78rem;font-weight:400;border:1px solid var(--muted);border-radius:.6rem;
padding:0 .45rem;color:var(--muted);white-space:nowrap}}
.note{{border-left:.3rem solid var(--gold);background:var(--raised);padding:.4rem .8rem;margin:.8rem 0;max-width:48rem}}
.hidden{{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}}
figure{{margin:.6rem 0;max-width:32rem}} figcaption{{font-size:.9rem;color:var(--muted)}}
svg.plot{{width:100%;height:auto;font:13px system-ui,sans-serif}} svg.plot text{{fill:var(--text)}}
svg.plot .axis{{stroke:var(--muted)}} svg.plot .rule{{stroke:var(--grid)}} svg.plot text.muted{{fill:var(--muted)}}
details>summary{{cursor:pointer}}
footer{{margin-top:2.5rem;border-top:1px solid var(--grid);padding-top:.6rem;font-size:.88rem;color:var(--muted)}}
@media (max-width:34rem){{body{{padding:.7rem}} tbody th{{max-width:8.5rem}} th,td{{padding:.3rem .4rem}}}}
@media print{{th button::after{{content:none}}}}
"""
#: Rows move, the button that was pressed does not: the focus stays where it is, and the new order is announced.
SCRIPT = """
document.querySelectorAll('table.sorts').forEach(function (table) {
  var said = table.parentElement.parentElement.querySelector('[role=status]');
  table.querySelectorAll('thead button').forEach(function (button) {
    button.addEventListener('click', function () {
      var th = button.closest('th'), at = th.cellIndex, body = table.tBodies[0];
      var first = th.dataset.first || 'ascending', other = first === 'ascending' ? 'descending' : 'ascending';
      var order = th.getAttribute('aria-sort') === first ? other : first, sign = order === 'ascending' ? 1 : -1;
      table.querySelectorAll('th[aria-sort]').forEach(function (one) { one.removeAttribute('aria-sort'); });
      th.setAttribute('aria-sort', order);
      Array.from(body.rows).sort(function (a, b) {
        var x = a.cells[at].dataset.value, y = b.cells[at].dataset.value;
        if (x === undefined) { return sign * a.cells[at].textContent.localeCompare(b.cells[at].textContent); }
        if (x === '' || y === '') { return (x === '') - (y === ''); }
        return sign * (Number(x) - Number(y));
      }).forEach(function (row) { body.appendChild(row); });
      said.textContent = 'Sorted by ' + button.textContent + ', ' + order + '.';
    });
  });
});
"""


def document(title: str, body: str, *, style: str = "", script: str = "", footer: str = "") -> str:
    """A whole page.

    Args:
        title: for the window; not escaped yet.
        body: HTML of ``main``, beginning with a heading of the first level.
        style: further rules.
        script: of the page, such as :data:`SCRIPT` where tables sort.
        footer: HTML.
    """
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{escape(title)}</title><link rel="icon" href="data:,"><style>{STYLE}{style}</style></head><body>\n'
        f"<main>{body}</main>\n<footer>{footer}</footer>\n"
        f"{f'<script>{script}</script>' if script else ''}</body></html>\n"
    )


def write_whole(path: Path, text: str) -> Path:
    """Write a file so that it appears complete or not at all; a lone half of a surrogate pair becomes a sign."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    part.write_text(text, "utf-8", errors="replace", newline="\n")
    part.replace(path)
    return path


def shown(name: str) -> str:
    """A name of the user's in a page: escaped, without signs that cannot be seen."""
    return escape("".join(c if c.isprintable() else "\ufffd" for c in name))


@dataclass(frozen=True, slots=True)
class Column:
    """A column that sorts.

    Attributes:
        title: of its head.
        about: longer, for the legend below; may be empty.
        number: whether it holds numbers, which are set to the right.
        first: "descending" where the largest comes first at the first press.
    """

    title: str
    about: str = ""
    number: bool = True
    first: str = "descending"


def sorting_table(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], *, caption: str, label: str, sorted_by: int
) -> str:
    """A table whose heads are buttons.

    Args:
        columns: the first one names the rows.
        rows: whole cells, as :func:`name_cell`, :func:`estimate_cell` and :func:`number_cell` make them, in the order
            that ``sorted_by`` says.
        caption: HTML.
        label: of the region, for screen readers.
        sorted_by: the column that the rows are sorted by, in its first direction.
    """
    heads = []
    for place, column in enumerate(columns):
        kind = ' class="n"' if column.number else ""
        order = f' aria-sort="{column.first}"' if place == sorted_by else ""
        heads.append(f'<th scope="col"{kind} data-first="{column.first}"{order}><button type="button">'
                     f"{escape(column.title)}</button></th>")
    body = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return (
        f'<div><p class="hidden" role="status"></p><div class="wide" role="region" aria-label="{escape(label)}"'
        f' tabindex="0"><table class="sorts"><caption>{caption}</caption><thead><tr>{"".join(heads)}</tr></thead>'
        f"<tbody>\n{body}\n</tbody></table></div></div>"
    )


def plain_table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str, label: str) -> str:
    """A table that does not sort; cells as for :func:`sorting_table`."""
    head = "".join(f'<th scope="col"{"" if not i else " class=n"}>{escape(h)}</th>' for i, h in enumerate(heads))
    body = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return (f'<div class="wide" role="region" aria-label="{escape(label)}" tabindex="0"><table><caption>{caption}'
            f"</caption><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>")


def name_cell(markup: str) -> str:
    """The cell that names a row."""
    return f'<th scope="row">{markup}</th>'


def number_cell(value: float, text: str) -> str:
    """A cell with a number, which sorts by its value."""
    return f'<td class="n" data-value="{"" if math.isnan(value) else f"{value:.10g}"}">{text}</td>'


def text_cell(markup: str) -> str:
    """A cell with words."""
    return f"<td>{markup}</td>"


def estimate_cell(estimate: Estimate | None, digits: int = 3, *, sign: bool = False) -> str:
    """A value with its interval below; a dash with the reason where there is none."""
    if estimate is None:
        return number_cell(math.nan, "–<small>not measured</small>")
    if math.isnan(estimate.value):
        return number_cell(math.nan, f"–<small>{escape(estimate.reason or 'undefined')}</small>")
    value = signed(estimate.value, digits) if sign else minus(figure(estimate.value, digits))
    return number_cell(estimate.value, f"{value}<small>{escape(between(estimate, digits))}</small>")


def between(estimate: Estimate, digits: int = 3) -> str:
    """The interval of an estimate in words, not escaped; the reason where there is none."""
    if math.isnan(estimate.low):
        return estimate.reason or "no interval"
    return f"{minus(figure(estimate.low, digits))} to {minus(figure(estimate.high, digits))}"


def signed(value: float, digits: int = 3) -> str:
    """A difference: a sign before all but zero."""
    text = figure(value, digits)
    return minus(f"+{text}" if value > 0 and float(text) else text)


def minus(text: str) -> str:
    """A number with a real minus."""
    return text.replace("-", "\N{MINUS SIGN}")
