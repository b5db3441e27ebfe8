"""One HTML page over many scored pairs: an index that sorts, and every pair opened down to its spans."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from html import escape
from pathlib import Path
from types import TracebackType

from posh_lite.metric.report import STYLE, figure, score_html
from posh_lite.metric.score import Score

_SCRIPT = """
document.querySelectorAll('#index th button').forEach(function (button) {
  button.addEventListener('click', function () {
    var th = button.closest('th'), body = document.querySelector('#index tbody');
    var column = th.cellIndex, up = th.getAttribute('aria-sort') !== 'ascending';
    var key = function (row) {
      var cell = row.cells[column], value = cell.dataset.value;
      return value === undefined ? cell.textContent : (value === '' ? Infinity : Number(value));
    };
    document.querySelectorAll('#index th').forEach(function (other) { other.removeAttribute('aria-sort'); });
    th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    Array.from(body.rows).sort(function (a, b) {
      var x = key(a), y = key(b);
      var order = typeof x === 'number' ? x - y : x.localeCompare(y, undefined, {numeric: true});
      return up ? order : -order;
    }).forEach(function (row) { body.appendChild(row); });
  });
});
function openTarget() {
  var target = location.hash && document.getElementById(location.hash.slice(1));
  for (var box = target; box; box = box.parentElement) { if (box.tagName === 'DETAILS') { box.open = true; } }
  if (target) { target.scrollIntoView(); }
}
addEventListener('hashchange', openTarget);
openTarget();
"""
_PAGE_STYLE = """
:root{color-scheme:light dark}
body{margin:0 auto;max-width:80rem;padding:1rem;font:16px/1.5 system-ui,sans-serif}
#index{border-collapse:collapse;margin:1rem 0}
#index th,#index td{border:1px solid #8888;padding:.2rem .6rem;text-align:left}
.wide{overflow-x:auto}
#index td.n{text-align:right;font-variant-numeric:tabular-nums}
#index th button{font:inherit;font-weight:600;background:none;border:0;cursor:pointer;color:inherit}
#index th[aria-sort=ascending] button::after{content:" \\25B2"}
#index th[aria-sort=descending] button::after{content:" \\25BC"}
details.pair{border:1px solid #8888;border-radius:4px;margin:.5rem 0;padding:.3rem .6rem}
details.pair>summary{cursor:pointer;font-weight:600}
footer{opacity:.8;margin-top:1.5rem}
footer code{overflow-wrap:anywhere}
"""
_COLUMNS = ("pair", "mistakes", "omissions", "overall", "components", "missing")


class ReportPage:
    """Writes the page; pairs go to disk as they come, so that many of them fit.

    Args:
        path: of the HTML file, which appears complete or not at all.
        title: heading of the page.
    """

    def __init__(self, path: str | Path, title: str = "PoSh scores") -> None:
        self.path, self.title = Path(path), title
        self._rows: list[str] = []
        self._bodies = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 - kept open
        self._signature = ""

    def add(self, score: Score) -> None:
        """Append one pair."""
        number = len(self._rows) + 1
        name = f"pair-{number}"
        figures = (score.mistakes, score.omissions, score.overall)
        cells = "".join(
            f'<td class="n" data-value="{"" if value != value else value}">{figure(value)}</td>' for value in figures
        )
        cells += "".join(f'<td class="n" data-value="{n}">{n}</td>' for n in (score.n_components, score.n_missing))
        label = escape("".join(c if c.isprintable() else "\ufffd" for c in score.id))
        self._rows.append(f'<tr><td><a href="#{name}">{label}</a></td>{cells}</tr>\n')
        self._bodies.write(
            f'<details class="pair" id="{name}"{" open" if number == 1 else ""}>'  # the first shows what is inside
            f"<summary>{label}: overall {figure(score.overall)}</summary>"
            f"{score_html(score, style=False, prefix=f'p{number}', opened=False)}</details>\n"
        )
        self._signature = score.signature

    def finish(self) -> None:
        """Put the page together and move it into place."""
        head = "".join(f'<th scope="col"><button type="button">{name}</button></th>' for name in _COLUMNS)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_name(self.path.name + f".{os.getpid()}.part")
        try:
            with part.open("w", encoding="utf-8", errors="replace") as out:
                self._write(out.write, head)
            part.replace(self.path)
        except OSError as error:
            error.filename = str(self.path)
            raise
        finally:
            part.unlink(missing_ok=True)
            self._bodies.close()

    def _write(self, write: Callable[[str], int], head: str) -> None:
        title = escape(self.title)
        write(
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            f'<meta name="viewport" content="width=device-width,initial-scale=1">'
            f"<style>{_PAGE_STYLE}{STYLE}</style></head><body>\n<main><h1>{title}</h1>\n"
            f"<p>{len(self._rows)} {'pair' if len(self._rows) == 1 else 'pairs'}. Higher is better; 0.2 is the floor."
            " Open a pair to see which words cost it"
            " what, and the question and verdict behind each. A column's heading sorts by it.</p>\n"
            '<div class="wide"><table id="index"><thead>'
            f"<tr>{head}</tr></thead><tbody>\n"
        )
        for row in self._rows:
            write(row)
        write("</tbody></table></div>\n")
        self._bodies.seek(0)
        while block := self._bodies.read(1 << 20):
            write(block)
        write(
            f"</main><footer>Signature: <code>{escape(self._signature)}</code></footer>\n"
            f"<script>{_SCRIPT}</script></body></html>\n"
        )

    def __enter__(self) -> ReportPage:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Finish also after an error: what was scored is worth a page."""
        if self._rows or kind is None:
            self.finish()
        else:
            self._bodies.close()
