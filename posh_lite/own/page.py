"""The page of one model: its scores, its profile, what it gets wrong, and its best and worst captions opened."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from posh_lite.evaluation.bootstrap import Estimate, ratio
from posh_lite.judge.contract import Side
from posh_lite.metric.report import STYLE as SCORE_STYLE
from posh_lite.metric.report import figure as score_figure
from posh_lite.metric.report import score_html
from posh_lite.metric.score import SIDES, Component, Score
from posh_lite.own.draw import profile_svg
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
    text_cell,
    write_whole,
)
from posh_lite.own.record import EFFECTS, FILE, LAST, SCORES, WEIGHTED, ModelRecord
from posh_lite.own.run import CAPTIONS, PAGE, POSITION, SCORES_FILE, Model
from posh_lite.position.effects import SHOWN

#: Captions that are opened at either end.
MOST = 3
#: Images below which an interval of the bootstrap is too short to be relied on.
FEW = 10
#: A mark leads to a row of a table that may be folded.
_OPEN = """
function unfold() {
  var target = location.hash && document.getElementById(location.hash.slice(1));
  for (var box = target; box; box = box.parentElement) { if (box.tagName === 'DETAILS') { box.open = true; } }
  if (target) { target.scrollIntoView(); }
}
addEventListener('hashchange', unfold);
unfold();
"""
_MEANING = {
    "overall": "the harmonic mean of the two below, of each caption",
    "mistakes": "how far the reference bears out what the captions say",
    "omissions": "how much of the reference the captions convey",
    "d_mid": "contradicted share in the two middle quarters, minus that in the first",
    "d_tail": "generic share in the last quarter, minus that in the first",
    "delta_s": "supported share, last quarter minus first",
    "delta_h": "contradicted share, last quarter minus first",
    "s_q4": "supported share of the last quarter",
    "h_q4": "contradicted share of the last quarter",
    "g_q4": "generic share of the last quarter",
}
_NAMES = {**SHOWN, "s_q4": "Q4 supported", "h_q4": "Q4 contradicted", "g_q4": "Q4 generic"}
_KINDS = {"entity": "things", "attribute": "attributes", "relation": "relations"}


def model_page(model: Model) -> str:
    """The whole page.

    Args:
        model: with its scores and profiles.
    """
    record = model.record
    parts = [*_head(record), *_scores(model), *_profile(record), *_wrong(model.scores), *_captions(model)]
    footer = (f"<p>Metric: <code>{escape(record.scores_by)}</code></p><p>Position lens: <code>"
              f"{escape(record.position_by or 'none')}</code></p><p>References: {shown(record.references)}, <code>"
              f"{escape(record.texts)}</code>; captions: <code>{escape(record.captions)}</code>. Files: "
              + ", ".join(f'<a href="{name}">{name}</a>' for name in (CAPTIONS, SCORES_FILE, FILE)) + ".</p>")
    return document(record.name, "\n".join(parts), style=SCORE_STYLE, script=_OPEN, footer=footer)


def _head(record: ModelRecord) -> Iterator[str]:
    tag = ' <span class="tag">constructed</span>' if record.constructed else ""
    yield '<p><a href="../index.html">All models</a></p>'
    yield f"<h1>{shown(record.name)}{tag}</h1>"
    yield (f"<p>{record.n:,} captions of {record.n_images:,} images, {record.words:.0f} words on average, held against"
           f" references of {shown(record.references)}. {escape(record.note)}</p>")
    left = []
    if record.n_skipped:
        left.append(f"{record.n_skipped:,} records could not be used and are in no figure: a model that gives no"
                    " caption is flattered by that")
    if record.n_unscored:
        left.append(f"{record.n_unscored:,} captions have no overall score, since one of their texts names nothing")
    if record.n_uncaptioned:
        left.append(f"{record.n_uncaptioned:,} images of the benchmark have no caption here")
    if record.n_images < 20:
        left.append(f"{record.n_images:,} images are few: read the intervals first")
    if 2 * record.n_short > record.n:
        left.append(f"{record.n_short:,} captions have fewer than four sentences and leave quarters empty, so that"
                    " their effects say little")
    if left:
        yield '<div class="note"><ul>' + "".join(f"<li>{escape(line)}.</li>" for line in left) + "</ul></div>"


def _scores(model: Model) -> Iterator[str]:
    record = model.record
    yield "<h2>Scores</h2>"
    rows = [[name_cell(name), estimate_cell(record.figures[name]), text_cell(_MEANING[name])] for name in SCORES]
    yield plain_table(["score", "mean", ""], rows, label="Scores",
                      caption=f"PoSh, {record.level:.0%} intervals over images, {record.n_resamples:,} draws. The floor"
                      " is 0.2; higher is better.")
    mistakes, omissions = record.figures["mistakes"], record.figures["omissions"]
    if not math.isnan(mistakes.value) and not math.isnan(omissions.value):
        gap = _gap(model)
        more = "whether it leaves out more than it gets wrong is open"
        if gap.low > 0:
            more = "it leaves more out than it gets wrong"
        elif gap.high < 0:
            more = "it gets more wrong than it leaves out"
        yield (f"<p>By these scores {more}: {mistakes.value:.2f} for mistakes, {omissions.value:.2f} for omissions,"
               f" a difference of {signed(gap.value)} ({escape(between(gap))}) on the same captions.</p>")


def _gap(model: Model) -> Estimate:
    """Mean of mistakes less omissions, caption by caption: both rest on the same images, so they are paired."""
    record = model.record
    gaps = [score.mistakes - score.omissions for score in model.scores]
    return ratio(gaps, [1.0] * len(gaps), units=model.units, method="mean mistakes less omissions",
                 n_resamples=record.n_resamples, level=record.level, seed=record.seed)


def _profile(record: ModelRecord) -> Iterator[str]:
    yield "<h2>Where its captions fail</h2>"
    if not record.position_by:
        yield "<p>No reference gave a claim, so sentences could not be labelled.</p>"
        return
    svg, _ = profile_svg(record.figures)
    yield ("<p>A sentence is supported where the reference bears something in it out, contradicted where it speaks"
           " against it, and generic where no claim of the reference is about it.</p>")
    yield (f"<figure>{svg}<figcaption>Share of sentences by quarter of the caption, each sentence counted once, with"
           f" {record.level:.0%} intervals over {record.n_images:,} images.</figcaption></figure>")
    yield f"<p>{_said(record)}</p>"
    rows = [
        [name_cell(escape(_NAMES[q])), estimate_cell(record.figures.get(q), sign=q in EFFECTS),
         estimate_cell(record.figures.get(WEIGHTED + q), sign=q in EFFECTS), text_cell(_MEANING[q])]
        for q in (*EFFECTS, *LAST)
    ]
    yield plain_table(["", "each sentence once", "weighted by claims", ""], rows, label="Position",
                      caption="Effects of position, and what the last quarter consists of.")
    yield (f'<p><a href="{POSITION}/{PAGE}">Every sentence with its label, and the evidence behind it</a>. Tables and'
           f" figures lie in <code>{POSITION}/</code>.</p>")


def _said(record: ModelRecord) -> str:
    """The two effects in words; what an interval leaves open is said to be open."""
    told = []
    for q, up, down in (
        ("d_mid", "more of the middle is contradicted than of the beginning",
         "less of the middle is contradicted than of the beginning"),
        ("d_tail", "the end is more generic than the beginning", "the end is less generic than the beginning"),
    ):
        e = record.figures[q]
        if math.isnan(e.value):
            told.append(f"{SHOWN[q]} is undefined ({escape(e.reason)})")
        elif e.low == e.high:
            told.append(f"{SHOWN[q]} is {signed(e.value, 2)} in every draw of images, since hardly a sentence bears on"
                        " it here: that is no certainty, and its interval says nothing")
        elif math.isnan(e.low) or e.low <= 0 <= e.high:
            told.append(f"{SHOWN[q]} is {signed(e.value, 2)} ({escape(between(e, 2))}): whether the two parts differ is"
                        " open")
        else:
            told.append(f"{SHOWN[q]} is {signed(e.value, 2)} ({escape(between(e, 2))}): {up if e.value > 0 else down}")
    few = f" {record.n_images:,} images are too few to rely on that." if record.n_images < FEW else ""
    return ". ".join(told) + f".{few}"


def failed(component: Component) -> bool:
    """Whether a component is not borne out, or left out."""
    return component.present is False and not component.missing


def _wrong(scores: Sequence[Score]) -> Iterator[str]:
    """Shares by kind, and the words that fail most often."""
    yield "<h2>What it gets wrong</h2>"
    rows = []
    for kind, name in _KINDS.items():
        cells = [name_cell(name)]
        for side in SIDES:
            own = [c for s in scores for c in s.of(side) if c.kind == kind and not c.missing]
            bad = sum(failed(c) for c in own)
            share = bad / len(own) if own else math.nan
            cells.append(number_cell(share, f"{share:.0%}<small>{bad:,} of {len(own):,}</small>" if own else "–"))
        rows.append(cells)
    yield plain_table(["", "said and not borne out", "in the reference and not said"], rows, label="Failures by kind",
                      caption="Components below the judge's threshold, by kind. What is said of an absent thing counts"
                      " as absent.")
    for side, title in (("generation", "Wrong most often"), ("reference", "Left out most often")):
        words = frequent(scores, side)
        if words:
            shown_words = ", ".join(f"{escape(w)} ({bad} of {n})" for w, bad, n in words)
            yield f"<p><strong>{title}</strong>, of what stands in several captions: {shown_words}.</p>"


def frequent(scores: Sequence[Score], side: Side, most: int = 8) -> list[tuple[str, int, int]]:
    """Things and attributes that fail in at least two captions: their words, captions where they fail, and all.

    Relations are left out: "in" and "of" say nothing without what they join.
    """
    bad: Counter[str] = Counter()
    all_: Counter[str] = Counter()
    for score in scores:
        own = [c for c in score.of(side) if not c.missing and not c.inherited and c.kind != "relation"]
        all_.update({c.text.lower() for c in own})
        bad.update({c.text.lower() for c in own if failed(c)})
    found = [(word, n, all_[word]) for word, n in bad.items() if n > 1]
    return sorted(found, key=lambda row: (-row[1], row[2], row[0]))[:most]


def ends(scores: Sequence[Score], most: int = MOST) -> tuple[list[Score], list[Score]]:
    """The worst captions, worst first, and the best, best first; none is in both, undefined ones are in neither."""
    known = sorted((s for s in scores if not math.isnan(s.overall)), key=lambda s: (s.overall, s.id))
    worst = known[: min(most, (len(known) + 1) // 2)]
    return worst, known[len(worst):][::-1][:most]


def _captions(model: Model) -> Iterator[str]:
    worst, best = ends(model.scores)
    for title, own, letter in (("Its worst captions", worst, "w"), ("Its best captions", best, "b")):
        if not own:
            continue
        yield f"<h2>{title}</h2>"
        if letter == "w":
            yield ("<p>By the overall score. A mark is a link to its question; colour and underline tell how far the"
                   " other text bears it out.</p>")
        for number, score in enumerate(own, start=1):
            yield (f"<h3>{shown(score.id)}: overall {minus(score_figure(score.overall))}</h3>"
                   f"{score_html(score, style=False, prefix=f'{letter}{number}', opened=False)}")


def write_page(model: Model) -> Path:
    """Write the page into the folder of the model."""
    return write_whole(model.place / PAGE, model_page(model))
