"""The page over all models of a folder: a table for each set of rows that can be held against each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from posh_lite.own.draw import forest_svg
from posh_lite.own.frame import (
    SCRIPT,
    Column,
    document,
    estimate_cell,
    name_cell,
    number_cell,
    shown,
    sorting_table,
    write_whole,
)
from posh_lite.own.record import LAST, SCORES, ModelRecord, read_records

PAGE = "index.html"
COMPARISONS = "comparisons"
_COLUMNS = (
    Column("model", number=False, first="ascending"),
    Column("overall", "harmonic mean of the next two, of each caption, then averaged"),
    Column("mistakes", "how far the reference bears out what a caption says; higher is better"),
    Column("omissions", "how much of the reference a caption conveys; higher is better"),
    Column("D_mid", "share of contradicted sentences in the two middle quarters minus that in the first; above zero,"
           " detail goes wrong in the middle", first="ascending"),
    Column("D_tail", "share of generic sentences in the last quarter minus that in the first; above zero, the caption"
           " ends in talk", first="ascending"),
    Column("Q4 supported", "share of the sentences of the last quarter that the reference bears out"),
    Column("Q4 contradicted", "share of them that it contradicts", first="ascending"),
    Column("Q4 generic", "share of them that no claim of it is about", first="ascending"),
    Column("captions", "how many were scored"),
    Column("images", "how many they describe; intervals draw images"),
    Column("words", "mean length of a caption"),
)
_PARTS = ("other references", "another metric or judge", "another position lens")


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that can be held against each other.

    Attributes:
        rows: the best overall score first.
        why: why they do not stand in the first group; empty for that.
    """

    rows: tuple[ModelRecord, ...]
    why: str = ""


def grouped(records: Sequence[ModelRecord]) -> list[Group]:
    """Sort models into groups of one kind, the largest first."""
    kinds: dict[tuple[str, str, str], list[ModelRecord]] = {}
    for record in records:
        kinds.setdefault(record.kind, []).append(record)
    sets = sorted(kinds.values(), key=lambda rows: (-len(rows), rows[0].name.lower()))
    found: list[Group] = []
    for rows in sets:
        rows.sort(key=lambda r: (-_value(r), r.name.lower()))
        found.append(Group(tuple(rows), apart(sets[0][0], rows[0]) if found else ""))
    return found


def apart(first: ModelRecord, other: ModelRecord) -> str:
    """Why two rows cannot be held against each other; empty where they can."""
    told = []
    for name, a, b in zip(_PARTS, first.kind, other.kind, strict=True):
        if a == b:
            continue
        if name == _PARTS[0]:
            both = len(set(first.images) & set(other.images))
            told.append(f"{name} ({both:,} of its {len(other.images):,} are among the {len(first.images):,}"
                        " there)")
        else:
            told.append(f"{name} ({_differing(a, b)})")
    return "; ".join(told)


def _differing(a: str, b: str) -> str:
    """The parts of a signature that are not the same."""
    if not a or not b:
        return "one of them could not be read through the lens"
    parts = [p for p in b.split("|") if p not in a.split("|")]
    return " | ".join(parts) if parts else "another order of its parts"


def _value(record: ModelRecord) -> float:
    value = record.figures["overall"].value
    return -math.inf if math.isnan(value) else value


def page(records: Sequence[ModelRecord], *, faults: Sequence[str] = (), comparisons: Sequence[str] = ()) -> str:
    """The whole page.

    Args:
        records: of all models.
        faults: what could not be read, a line each.
        comparisons: file names of comparisons below :data:`COMPARISONS`.
    """
    groups = grouped(records)
    parts = ["<h1>Models and their captions</h1>"]
    if not records:
        parts.append("<p>No models yet. <code>posh-lite model my.jsonl --name my-model</code> adds one.</p>")
    else:
        parts.append(
            "<p>Each row is a model: the PoSh scores of its captions, and where in them they fail. Below each value"
            " stands its interval. A heading sorts the table; a name opens the model's own page.</p>"
        )
    for number, group in enumerate(groups, start=1):
        parts.append(_group(group, number, len(groups)))
    if records:
        parts.append(_reading(groups))
    if comparisons:
        links = "".join(f'<li><a href="{COMPARISONS}/{escape(c)}">{escape(c.removesuffix(".html"))}</a></li>'
                        for c in comparisons)
        parts.append(f"<h2>Comparisons</h2><ul>{links}</ul>")
    if faults:
        lines = "".join(f"<li>{escape(f)}</li>" for f in faults)
        parts.append(f'<h2>Left out</h2><p class="note">These folders could not be read.</p><ul>{lines}</ul>')
    return document("Models and their captions", "\n".join(parts), script=SCRIPT, footer="Made by posh-lite.")


def _group(group: Group, number: int, of: int) -> str:
    first = group.rows[0]
    title = f"References: {shown(first.references)}"
    head = f"<h2>{title if of == 1 else f'Table {number} of {of}. {title}'}</h2>"
    why = (f'<p class="note"><strong>Not comparable with the first table</strong>, since it has {escape(group.why)}.'
           "</p>") if group.why else ""
    note = f"<p>{escape(first.note)}</p>" if first.note else ""
    drawing = ""
    if len(group.rows) > 1:
        svg, _ = forest_svg([(r.name, r.figures["overall"]) for r in group.rows], axis="overall score")
        drawing = (f"<figure>{svg}<figcaption>Overall score with {first.level:.0%} intervals, best first."
                   "</figcaption></figure>")
    signature = (f'<details><summary>Signatures of these rows</summary><dl><dt>metric</dt><dd><code>'
                 f"{escape(first.scores_by)}</code></dd><dt>position lens</dt><dd><code>"
                 f"{escape(first.position_by or 'none')}</code></dd><dt>references</dt><dd><code>"
                 f"{escape(first.texts)}</code>, {len(first.images):,} texts</dd></dl></details>")
    caption = (f"Means with {first.level:.0%} intervals over images, {first.n_resamples:,} draws; position by"
               " sentences, each counted once.")
    table = sorting_table(_COLUMNS, [_row(r) for r in group.rows], caption=caption, sorted_by=1,
                          label=f"Models held against {first.references}, table {number}")
    return f"<section>{head}{why}{note}{drawing}{table}{signature}</section>"


def _row(record: ModelRecord) -> list[str]:
    tags = ' <span class="tag">constructed</span>' if record.constructed else ""
    cells = [name_cell(f'<a href="{escape(record.folder)}/{PAGE}">{shown(record.name)}</a>{tags}')]
    cells += [estimate_cell(record.figures[name]) for name in SCORES]
    cells += [estimate_cell(record.figures.get(name), 2, sign=True) for name in ("d_mid", "d_tail")]
    cells += [estimate_cell(record.figures.get(name), 2) for name in LAST]
    left = record.n_skipped + record.n_unscored
    cells.append(number_cell(record.n, f"{record.n:,}" + (f"<small>{left:,} left out</small>" if left else "")))
    missing = f"<small>{record.n_uncaptioned:,} without</small>" if record.n_uncaptioned else ""
    cells.append(number_cell(record.n_images, f"{record.n_images:,}{missing}"))
    cells.append(number_cell(record.words, f"{record.words:.0f}"))
    return cells


def _reading(groups: Sequence[Group]) -> str:
    meanings = "".join(f"<dt>{escape(c.title)}</dt><dd>{escape(c.about)}</dd>" for c in _COLUMNS if c.about)
    constructed = any(r.constructed for g in groups for r in g.rows)
    told = ("<p><strong>Constructed</strong> rows were written by no model: each plants one kind of fault, to hold"
            " one's own beside.</p>") if constructed else ""
    if any("|judge:lexical" in r.scores_by for g in groups for r in g.rows):
        told += ("<p><strong>Look before you rank.</strong> The default judge points at wrong words better than it"
                 " ranks captions: free rewording costs points, and intervals know nothing of that. Open the models'"
                 " pages before you call one better, or score with a language model as judge.</p>")
    return (
        f"<h2>How to read it</h2><dl>{meanings}</dl>{told}"
        "<p>Two intervals that overlap do not say that two models are alike: all rows of a table rest on the same"
        " images, so their difference is surer than either value. <code>posh-lite compare A B</code> tests it.</p>"
        "<p>Rows stand in one table only where references, metric, judge and lens are the same: any other difference"
        " moves the values as well.</p>"
    )


def write_leaderboard(place: Path) -> Path:
    """Make the page of a folder of models anew.

    Args:
        place: the folder; each model has one below it.
    """
    records, faults = read_records(place)
    made = sorted(p.name for p in (place / COMPARISONS).glob("*.html"))
    return write_whole(place / PAGE, page(records, faults=[str(f) for f in faults], comparisons=made))
