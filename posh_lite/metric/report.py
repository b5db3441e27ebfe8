"""Scores as HTML: both texts with their spans marked, and the question and verdict behind every mark.

Self-contained: no script, font or style from elsewhere. A mark differs by colour and by the kind of its
underline, is a link that the keyboard reaches, and leads to the row of the table that explains it. A word has the
score of the best of its components, as in the paper; where another of them scores low, a bar above the word says so,
and the link leads to that one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from html import escape

from posh_lite.judge.contract import Side
from posh_lite.metric.score import Component, Score

_TITLES: dict[Side, tuple[str, str]] = {
    "generation": ("Generation", "mistakes: what the reference does not bear out"),
    "reference": ("Reference", "omissions: what the generation leaves out"),
}
#: What a verdict says, by its nearest whole number from 1 to 5.
LEVELS = ("", "absent", "weak hint", "partial", "clear", "explicit")
#: Levels that a better component of the same word may not hide.
_BARS = (1, 2, 3)
_BARRED = re.compile(r'<a class="ps ps\d pb\d"')
_DARK = """--ps-ink:#e8e6e3;--ps-paper:#1c1e21;--ps-line:#4a4d52;--ps-1:#7d2a20;--ps-2:#71461a;--ps-3:#5f5618;
--ps-4:#2d4f33;--ps-5:#233d38;--ps-link:#9cc4ff;--ps-mark:#f0b429"""
STYLE = f"""
.posh-score{{--ps-ink:#1d1f21;--ps-paper:#fff;--ps-line:#b9bcc0;--ps-1:#f7c4bb;--ps-2:#fbdcb4;--ps-3:#f8efb0;
--ps-4:#d6ecd2;--ps-5:#e6f2f0;--ps-link:#0b4f9e;--ps-mark:#b45309;
color:var(--ps-ink);background:var(--ps-paper);font:15px/1.6 system-ui,sans-serif;padding:.5rem .8rem}}
@media (prefers-color-scheme:dark){{.posh-score{{{_DARK}}}}}
html[data-theme=dark] .posh-score,body[data-jp-theme-light=false] .posh-score{{{_DARK}}}
html[data-theme=light] .posh-score,body[data-jp-theme-light=true] .posh-score{{--ps-ink:#1d1f21;--ps-paper:#fff;
--ps-line:#b9bcc0;--ps-1:#f7c4bb;--ps-2:#fbdcb4;--ps-3:#f8efb0;--ps-4:#d6ecd2;--ps-5:#e6f2f0;--ps-link:#0b4f9e;
--ps-mark:#b45309}}
.posh-score .ps-figures{{display:flex;flex-wrap:wrap;gap:.3rem 1.6rem;margin:.2rem 0 .6rem;padding:0}}
.posh-score .ps-figures b{{font-size:1.15em}}
.posh-score .ps-texts{{display:grid;grid-template-columns:repeat(auto-fit,minmax(18rem,1fr));gap:1rem}}
.posh-score h4{{margin:.2rem 0;font-size:1em}}
.posh-score h4 small,.posh-score .ps-note{{font-weight:400;opacity:.85}}
.posh-score .ps-text{{white-space:pre-wrap;overflow-wrap:anywhere;margin:0}}
.posh-score a.ps{{color:inherit;text-decoration:none;border-radius:2px;padding:0 1px}}
.posh-score a.ps:focus,.posh-score a.ps:hover{{outline:2px solid var(--ps-mark);outline-offset:1px}}
.posh-score .ps1{{background:var(--ps-1);text-decoration:underline wavy 1.5px;text-underline-offset:3px}}
.posh-score .ps2{{background:var(--ps-2);border-bottom:3px double}}
.posh-score .ps3{{background:var(--ps-3);border-bottom:2px dashed}}
.posh-score .ps4{{background:var(--ps-4);border-bottom:2px dotted}}
.posh-score .ps5{{background:var(--ps-5);border-bottom:1px solid}}
.posh-score .pb1{{border-top:3px solid var(--ps-mark)}}
.posh-score .pb2{{border-top:3px double var(--ps-mark)}}
.posh-score .pb3{{border-top:2px dashed var(--ps-mark)}}
.posh-score .ps0{{border:1px dotted var(--ps-line)}}
.posh-score a.ps1{{text-decoration:underline wavy 1.5px}}
.posh-score .ps-legend{{font-size:.87em;margin:.6rem 0;line-height:1.9}}
.posh-score .ps-legend span{{display:inline-block;margin-right:.8em;padding:0 .3em}}
.posh-score .ps-table{{overflow-x:auto}}
.posh-score table{{border-collapse:collapse;font-size:.9em;width:100%}}
.posh-score th,.posh-score td{{border:1px solid var(--ps-line);padding:.15rem .45rem;text-align:left;
vertical-align:top}}
.posh-score td.n{{text-align:right;white-space:nowrap}}
.posh-score tr:target td{{outline:2px solid var(--ps-mark);outline-offset:-2px}}
.posh-score summary{{cursor:pointer;margin:.5rem 0}}
.posh-score code{{font-size:.85em;overflow-wrap:anywhere}}
"""


def level(score: float | None) -> int:
    """The class of a score: 1 to 5, and 0 for a missing one."""
    return 0 if score is None else min(5, max(1, math.floor(score + 0.5)))


def figure(value: float) -> str:
    """A coarse score for a reader."""
    return "undefined" if math.isnan(value) else f"{value:.3f}"


def score_html(score: Score, *, style: bool = True, prefix: str | None = None, opened: bool = True) -> str:
    """One score as a fragment that stands by itself.

    Args:
        score: what to show.
        style: whether style sheet and signature come with it; a page of many scores carries them once.
        prefix: makes the targets of links unique in a page; by default made from the score itself.
        opened: whether the table of questions starts unfolded.
    """
    name = escape(prefix) if prefix is not None else _fingerprint(score)
    marked = {id(c): f"{name}-{n}" for n, c in enumerate(score.components, start=1)}
    parts = [f"<style>{STYLE}</style>" if style else "", '<div class="posh-score">', _figures(score)]
    parts.append('<div class="ps-texts">')
    bars = False
    for side, (title, about) in _TITLES.items():
        pieces = list(_marked(score, side, marked))
        bars = bars or any(_BARRED.match(piece) for piece in pieces)
        parts.append(
            f'<section aria-label="{title}"><h4>{title} <small>({about})</small></h4>'
            f'<p class="ps-text" dir="auto">{"".join(pieces)}</p></section>'
        )
    parts.append("</div>")
    parts.append(_legend(bars=bars))
    parts.append(_table(score.components, marked, opened))
    if style:
        parts.append(f'<p class="ps-note">Signature: <code>{escape(score.signature)}</code></p>')
    parts.append("</div>")
    return "".join(parts)


def _fingerprint(score: Score) -> str:
    from posh_lite.judge.keys import digest

    return "ps" + digest(score.id, score.generation, score.reference, score.signature).hex()[:10]


def _figures(score: Score) -> str:
    shown = [
        f"<span>{name} <b>{figure(value)}</b></span>"
        for name, value in (("mistakes", score.mistakes), ("omissions", score.omissions), ("overall", score.overall))
    ]
    shown.append(f"<span>{score.n_components} components, {score.n_missing} without a verdict</span>")
    notes = "".join(f'<p class="ps-note">{escape(name)}: {escape(why)}.</p>' for name, why in score.reasons)
    return f'<div class="ps-figures">{"".join(shown)}</div>{notes}'


def _marked(score: Score, side: Side, names: dict[int, str]) -> Iterator[str]:
    """The text cut at every border of a span; a piece shows the highest score that covers it, as tokens do, and a bar
    where a low one does too.
    """
    text = score.text(side)
    components = [c for c in score.of(side) if c.spans]
    starts: dict[int, list[Component]] = {}
    ends: dict[int, list[Component]] = {}
    for component in components:
        for start, end in component.spans:
            if 0 <= start < end <= len(text):
                starts.setdefault(start, []).append(component)
                ends.setdefault(end, []).append(component)
    open_now: list[Component] = []
    at = 0
    for border in sorted({*starts, *ends, len(text)}):
        piece = _safe(text[at:border])
        if piece:
            yield _piece(piece, open_now, names)
        for component in ends.get(border, ()):
            open_now.remove(component)
        open_now.extend(starts.get(border, ()))
        at = border


def _piece(piece: str, covering: list[Component], names: dict[int, str]) -> str:
    if not covering:
        return piece
    best = max(covering, key=lambda c: -1.0 if c.score is None else c.score)
    worst = hidden(covering)
    shown, bar = (best, "") if worst is None else (worst, f" pb{level(worst.score)}")
    says = "; ".join(f"{c.text}: {_verdict(c)}" for c in sorted(covering, key=lambda c: c is not shown))
    return f'<a class="ps ps{level(best.score)}{bar}" href="#{names[id(shown)]}" title="{_safe(says)}">{piece}</a>'


def hidden(covering: Iterable[Component]) -> Component | None:
    """The lowest of the components of a word, where it is low and a better one gives the word its colour."""
    read = [(c.score, c) for c in covering if c.score is not None]
    if not read:
        return None
    score, worst = min(read, key=lambda r: r[0])
    return worst if level(score) in _BARS and level(score) < max(level(s) for s, _ in read) else None


def _verdict(component: Component) -> str:
    if component.score is None:
        return "no verdict"
    return f"{component.score:.2f}, {LEVELS[level(component.score)]}"


def _legend(*, bars: bool) -> str:
    marks = "".join(f'<span class="ps{n}">{n} {LEVELS[n]}</span>' for n in range(1, 6))
    more = ""
    if bars:
        kinds = "".join(f'<span class="pb{n}">{n} {LEVELS[n]}</span>' for n in _BARS)
        more = f"<br>A word has the colour of the best that it is part of. A bar above it: also part of what is {kinds}"
    return f'<p class="ps-legend">{marks}<span class="ps0">no verdict</span>{more}</p>'


def _table(components: Iterable[Component], names: dict[int, str], opened: bool) -> str:
    rows = []
    for component in components:
        flags = [w for w, on in (("negated", component.negated), ("inherited", component.inherited)) if on]
        number = "none" if component.score is None else f"{component.score:.2f}"
        rows.append(
            f'<tr id="{names[id(component)]}"><td>{component.side}</td><td>{component.kind}</td>'
            f"<td>{_safe(component.text)}{' (' + ', '.join(flags) + ')' if flags else ''}</td>"
            f'<td class="n"><span class="ps{level(component.score)}">{number}</span></td>'
            f"<td>{_safe(component.question)}</td><td>{_safe(component.reason)}</td></tr>"
        )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("text", "kind", "component", "score", "question", "why"))
    return (
        f"<details{' open' if opened else ''}><summary>Questions and verdicts</summary>"
        '<div class="ps-table" tabindex="0" role="region" aria-label="Questions and verdicts"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div></details>"
    )


def _safe(text: str) -> str:
    """Escaped, without carriage returns and without characters that HTML forbids."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.isprintable():
        text = "".join(_visible(c) for c in text)
    return escape(text)


def _visible(char: str) -> str:
    if char in "\n\t" or char.isprintable() or (ord(char) >= 0xA0 and not 0xD800 <= ord(char) <= 0xDFFF):
        return char
    return "\ufffd"
