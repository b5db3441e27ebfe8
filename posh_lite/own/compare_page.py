"""Two models on a page: the tests, and the captions on which they differ most, side by side with their failures marked.

Each failure is told three ways: by the mark in the text, by its line and colour, and by the list below the text.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from itertools import groupby
from typing import Literal

from posh_lite.evaluation.significance import ALPHA
from posh_lite.judge.contract import Side
from posh_lite.metric.report import figure as score_figure
from posh_lite.metric.score import Score
from posh_lite.own.compare import DRAWN, Comparison, Tested
from posh_lite.own.frame import (
    between,
    document,
    estimate_cell,
    minus,
    name_cell,
    number_cell,
    plain_table,
    shown,
    signed,
)
from posh_lite.own.page import failed
from posh_lite.own.record import SCORES
from posh_lite.position.effects import SHOWN
from posh_lite.position.report import figure

#: How a character of a text is marked; empty for not at all.
Mark = Literal["", "wrong", "first", "second", "both"]
_LIGHT = "--pd-line:#d5dae0;--pd-bad:#fdece0;--pd-wave:#c04e01;--pd-miss:#f5eaf6;--pd-under:#8b3f8f"
_DARK = "--pd-line:#3b434c;--pd-bad:#5a2c0d;--pd-wave:#f79a5c;--pd-miss:#43264a;--pd-under:#d79bdb"
#: For the page and for a chapter of the book, which has a switch of its own for light and dark.
STYLE = f"""
.posh-diff{{{_LIGHT}}}
@media (prefers-color-scheme:dark){{.posh-diff{{{_DARK}}}}}
html[data-theme=dark] .posh-diff,body[data-jp-theme-light=false] .posh-diff{{{_DARK}}}
html[data-theme=light] .posh-diff,body[data-jp-theme-light=true] .posh-diff{{{_LIGHT}}}
.posh-diff .two{{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(17rem,100%),1fr));gap:1rem 1.4rem}}
.posh-diff .two>section{{border-left:.25rem solid var(--pd-line);padding-left:.7rem;min-width:0}}
.posh-diff .text{{white-space:pre-wrap;overflow-wrap:anywhere;margin:.3rem 0}}
.posh-diff mark{{color:inherit;background:var(--pd-miss);border-radius:2px;padding:0 1px}}
.posh-diff mark.wrong{{background:var(--pd-bad);text-decoration:underline wavy 1.5px var(--pd-wave);
text-underline-offset:3px}}
.posh-diff mark.first{{border-bottom:3px double var(--pd-under)}}
.posh-diff mark.second{{border-bottom:2px dashed var(--pd-under)}}
.posh-diff mark.both{{border-bottom:3px solid var(--pd-under)}}
.posh-diff .list,.posh-diff .figures{{font-size:.9rem;margin:.3rem 0}}
"""


def compare_page(found: Comparison, *, most: int = 10, score: str = "overall", up: str = "..") -> str:
    """The whole page.

    Args:
        found: of two models.
        most: captions shown.
        score: by which they differ most.
        up: path from the page to the folder of all models.
    """
    a, b = found.first.record, found.second.record
    title = f"{a.name} and {b.name}"
    links = ", ".join(f'<a href="{up}/{escape(r.folder)}/index.html">{shown(r.name)}</a>' for r in (a, b))
    parts = [f'<p><a href="{up}/index.html">All models</a>, {links}</p>', f"<h1>{shown(title)}</h1>",
             *_tests(found), '<div class="posh-diff">', *diff(found, most=most, score=score), "</div>"]
    footer = f"<p>Metric: <code>{escape(a.scores_by)}</code></p>"
    if a.position_by:
        footer += f"<p>Position lens: <code>{escape(a.position_by)}</code></p>"
    return document(title, "\n".join(parts), style=STYLE, footer=footer)


def verdict(found: Comparison, test: Tested) -> str:
    """One sentence on a score, which says what is open."""
    a, b = found.first.record.name, found.second.record.name
    e = test.difference
    if math.isnan(e.value):
        return f"{test.quantity}: undefined ({e.reason})."
    better, worse = (a, b) if e.value > 0 else (b, a)
    turned = e if e.value > 0 else replace(e, value=-e.value, low=-e.high, high=-e.low)
    by = f"{_figure(turned.value)} on average ({between(turned)})"
    if not math.isnan(test.p_permutation) and test.p_holm < ALPHA and test.p_bootstrap < ALPHA:
        return f"{test.quantity}: {better} is better than {worse} by {by}."
    return f"{test.quantity}: which is better is open; the difference is {signed(e.value)} ({between(e)})."


def _tests(found: Comparison) -> Iterator[str]:
    a, b = found.first.record, found.second.record
    n = len(found.images)
    yield (f"<p>On the {n:,} images that both describe; {shown(a.name)} has {a.n_images:,} and {shown(b.name)}"
           f" {b.n_images:,}. A difference is the first less the second.</p>")
    if n < 20:
        yield f'<p class="note">{n:,} images are few. What is open here may be settled with more.</p>'
    yield "<h2>Which is better?</h2><ul>"
    for test in found.tests:
        if test.quantity in SCORES:
            yield f"<li>{escape(verdict(found, test))}</li>"
    yield "</ul>"
    rows = []
    for t in found.tests:
        share = number_cell(t.share, "–" if math.isnan(t.share) else f"{t.share:.0%}")
        rows.append([
            name_cell(escape(SHOWN.get(t.quantity, t.quantity))), *(number_cell(v, _figure(v)) for v in
                                                                     (t.first, t.second)),
            estimate_cell(t.difference, sign=True), share,
            *(number_cell(p, escape(said_p(p))) for p in (t.p_bootstrap, t.p_permutation, t.p_wilcoxon, t.p_holm)),
        ])
    heads = ["", a.name, b.name, "difference", f"images where {a.name} is better", "p bootstrap", "p permutation",
             "p Wilcoxon", "p Holm"]
    yield plain_table(heads, rows, label="Tests",
                      caption=f"Paired on images; {found.level:.0%} intervals, {found.n_resamples:,} draws.")
    how = "all exchanges were tried" if found.tests[0].exact else f"{DRAWN:,} exchanges were drawn"
    yield (f"<p>The bootstrap draws images anew. The permutation test exchanges the two models within an image ({how})."
           " Wilcoxon's test ranks the differences of images, which effects of position do not have. Holm's correction"
           f" takes the p of the permutation test for all {len(found.tests)} quantities at once. A score is called"
           f" better where that and the p of the bootstrap are below {ALPHA:g}.</p>")
    if found.why_no_effects:
        yield f"<p>Effects of position are not compared: {escape(found.why_no_effects)}.</p>"


def _figure(value: float) -> str:
    return minus(figure(value, 3))


def said_p(p: float) -> str:
    """A p value for a reader."""
    return "–" if math.isnan(p) else "< 0.001" if p < 0.001 else f"{p:.3f}"


# -- captions side by side --------------------------------------------------------------------------------------------


def diff_fragment(found: Comparison, *, most: int = 1, score: str = "overall") -> str:
    """The same excerpt as a fragment that stands by itself, for a notebook; headings begin at the third level."""
    inner = "".join(diff(found, most=most, score=score, level=3))
    return f'<style>{STYLE}</style><div class="posh-diff">{inner}</div>'


def diff(found: Comparison, *, most: int = 10, score: str = "overall", level: int = 2) -> Iterator[str]:
    """The captions that differ most, as HTML with headings from a level on.

    Args:
        found: of two models.
        most: captions shown.
        score: by which they differ.
        level: of the first heading, 1 to 4.
    """
    a, b = found.first, found.second
    rows = found.furthest(most, score)
    yield f"<h{level}>Where they differ most</h{level}>"
    which = "image" if len(rows) == 1 else f"{len(rows):,} images"
    yield (f"<p>The {which} with the largest difference of the {score} score. In a caption,"
           ' <mark class="wrong">what the reference does not bear out</mark>. In the reference, what is left out by'
           f' <mark class="first">{shown(a.record.name)} alone</mark>, by <mark class="second">{shown(b.record.name)}'
           '</mark> alone, or by <mark class="both">both</mark>.</p>')
    for i, j, gap in rows:
        one, other = a.scores[i], b.scores[j]
        pair = a.pairs[i]
        name = pair.image or pair.id
        side = "higher" if gap > 0 else "lower"
        yield (f"<article><h{level + 1}>{shown(name)}: {score} {figure(abs(gap), 3)} {side} for {shown(a.record.name)}"
               f"</h{level + 1}><div class=two>")
        for model, own in ((a, one), (b, other)):
            yield f"<section><h{level + 2}>{shown(model.record.name)}</h{level + 2}>{_caption(own)}</section>"
        yield "</div>"
        yield (f"<details><summary>The reference, and what each leaves out</summary>{_reference(found, one, other)}"
               "</details></article>")


def _caption(score: Score) -> str:
    wrong = failures(score, "generation")
    names = ", ".join(escape(w) for w in wrong) or "nothing"
    figures = ", ".join(f"{n} {score_figure(getattr(score, n))}" for n in SCORES)
    return (f"<p class=figures>{figures}</p><p class=text dir=auto>{marked(score.generation, wrong_marks(score))}</p>"
            f"<p class=list><strong>Not borne out:</strong> {names}.</p>")


def _reference(found: Comparison, one: Score, other: Score) -> str:
    first, second = failures(one, "reference"), failures(other, "reference")
    parts = [f"<p class=text dir=auto>{marked(one.reference, left_out(one, other))}</p>"]
    for name, own in (
        (f"Left out by {found.first.record.name} alone", [w for w in first if w not in second]),
        (f"Left out by {found.second.record.name} alone", [w for w in second if w not in first]),
        ("Left out by both", [w for w in first if w in second]),
    ):
        parts.append(f"<p class=list><strong>{shown(name)}:</strong> {', '.join(map(escape, own)) or 'nothing'}.</p>")
    return "".join(parts)


def failures(score: Score, side: Side) -> list[str]:
    """The components of a text that are not borne out, in their words, each once."""
    return list(dict.fromkeys(" ".join(c.text.split()) for c in score.of(side) if failed(c)))


def failing(score: Score, side: Side) -> list[bool]:
    """For each character of a text whether all that is said with it fails; where nothing is said with it, False."""
    length = len(score.text(side))
    bad, good = [False] * length, [False] * length
    for component in score.of(side):
        if component.missing:
            continue
        into = bad if failed(component) else good
        for start, end in component.spans:
            into[start:end] = [True] * (end - start)
    return [b and not g for b, g in zip(bad, good, strict=True)]


def wrong_marks(score: Score) -> list[Mark]:
    """What is marked in a caption."""
    return ["wrong" if bad else "" for bad in failing(score, "generation")]


def left_out(one: Score, other: Score) -> list[Mark]:
    """What is marked in the reference that two captions share."""
    names: dict[tuple[bool, bool], Mark] = {(True, True): "both", (True, False): "first", (False, True): "second"}
    return [names.get(pair, "") for pair in zip(failing(one, "reference"), failing(other, "reference"), strict=True)]


def marked(text: str, marks: Sequence[Mark]) -> str:
    """A text, escaped, with its marks; what is not marked stays as it is."""
    parts, at = [], 0
    for mark, run in groupby(marks):
        to = at + len(list(run))
        piece = escape(text[at:to])
        parts.append(f'<mark class="{mark}">{piece}</mark>' if mark else piece)
        at = to
    return "".join(parts)
