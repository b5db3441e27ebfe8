"""Captions as an HTML page: each sentence with its label, and on a click the claims and evidence behind it.

Self-contained and without script: a sentence opens by the browser's own means, which the keyboard reaches, and the
filter is a row of radio buttons. A label is told by a letter, the form of its border and its colour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import groupby
from typing import Literal

from posh_lite.position.page_style import STYLE
from posh_lite.position.two_sided import Lens
from posh_lite.position.types import LABELS, CaptionProfile, Claim, Finding, SentenceLabel
from posh_lite.records import Span

Order = Literal["contradicted", "generic", "id"]
ORDERS: tuple[Order, ...] = ("contradicted", "generic", "id")
_CODES = {"Supported": "s", "Contradicted": "h", "Generic": "g"}
_MEANING = {
    "Supported": "evidence for a claim of the reference lies in it",
    "Contradicted": "it has evidence against a claim, and none for one",
    "Generic": "no claim of the reference is about it: vague, or true and not in the reference, or invented",
}
#: The same where contradicted goes first.
_MEANING_CONTRADICTED = _MEANING | {
    "Supported": "it has evidence for a claim of the reference, and none against one",
    "Contradicted": "evidence against a claim lies in it",
}
#: The same where the caption's own words are held against the reference, too.
_BOTH = {
    "Supported": "evidence for a claim lies in it, or the reference has its words",
    "Contradicted": "it has evidence against a claim, or several of its words are not in the reference: such words are"
    " invented, or true and left out of it",
    "Generic": "no claim of the reference is about it, and too little in it is specific",
}
_UNSUPPORTED = '<b class="badge">not in the reference</b>'
#: Where a sentence has both kinds of evidence, the kind that its label leaves unsaid.
_ALSO = {"s": '<b class="badge">also against a claim</b>', "h": '<b class="badge">also for a claim</b>'}


def page(
    profiles: Sequence[CaptionProfile], *, title: str = "Where captions fail", intro: str = "",
    order: Order = "contradicted", most: int = 200, precedence: str = "supported", lens: Lens = "claims",
) -> str:
    """A whole page.

    Args:
        profiles: to be shown.
        title: of the page.
        intro: HTML below the title, such as a table; it is not escaped.
        order: of the captions: largest share of contradicted or of generic sentences first, or by id.
        most: captions shown; the page says how many are not.
        precedence: which evidence labels a sentence that has both kinds; for the legend.
        lens: what was consulted; for the legend.

    Raises:
        ValueError: another order, or ``most`` is below 1.
    """
    if order not in ORDERS or most < 1:
        raise ValueError(f"order {order!r} and most {most}: an order is one of {', '.join(ORDERS)}, most at least 1")
    shown = sort_profiles(profiles, order)[:most]
    left = len(profiles) - len(shown)
    how = "by id" if order == "id" else f"the largest share of {order} sentences first"
    note = f"{len(shown):,} captions, {how}" + (f"; {left:,} more are not on this page" if left else "") + "."
    return "".join([
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>",
        f"<header><h1>{escape(title)}</h1>{intro}<p>{note}</p></header>",
        *_filter(precedence, lens),
        "<main>", *(caption_html(p, number) for number, p in enumerate(shown, start=1)), "</main></body></html>\n",
    ])


def sort_profiles(profiles: Sequence[CaptionProfile], order: Order) -> list[CaptionProfile]:
    """Captions in the order of a page; equal ones by model and id."""
    label = {"contradicted": "Contradicted", "generic": "Generic"}.get(order)

    def key(p: CaptionProfile) -> tuple[float, str, str]:
        share = sum(s.label == label for s in p.sentences) / max(1, len(p.sentences))
        return (-share, p.id, p.model) if label else (0.0, p.id, p.model)

    return sorted(profiles, key=key)


def _filter(precedence: str, lens: Lens) -> Iterator[str]:
    """Radio buttons before the captions, which the style sheet reads, and the legend."""
    yield '<fieldset class="filter"><legend>Show sentences</legend>'
    for code, name in (("all", "all"), *((_CODES[x], x.lower()) for x in LABELS)):
        checked = " checked" if code == "all" else ""
        yield (f'<label><input type="radio" name="show" id="show-{code}"{checked}>'
               f'{"" if code == "all" else _badge(code)} {name}</label>')
    yield "</fieldset><dl class=legend>"
    claims = _MEANING_CONTRADICTED if precedence == "contradicted" else _MEANING
    meaning = claims if lens == "claims" else _BOTH
    for label in LABELS:
        yield f'<div class="{_CODES[label]}"><dt>{_badge(_CODES[label])} {label}</dt><dd>{meaning[label]}</dd></div>'
    yield ("</dl><p class=legend>Open a sentence to see its claims. "
           f"Where one has both kinds of evidence, {escape(precedence)} goes first.</p>")


def _badge(code: str) -> str:
    return f'<b class="badge" aria-hidden="true">{code.upper()}</b>'


def caption_html(p: CaptionProfile, number: int = 1) -> str:
    """One caption as an article: its sentences in order by quartile, then the checklist."""
    counts = ", ".join(f"{sum(s.label == x for s in p.sentences)} {x.lower()}" for x in LABELS)
    name = f"{p.id} · {p.model}" if p.model else p.id
    parts = [f'<article aria-labelledby="c{number}"><h2 id="c{number}">{escape(name)}</h2>',
             f"<p class=counts>{len(p.sentences)} {'sentence' if len(p.sentences) == 1 else 'sentences'}: {counts}"]
    unsupported = sum(s.unsupported for s in p.sentences)
    parts += [f"; of the contradicted {unsupported} only by words that are not in the reference"] if unsupported else []
    parts += [f"; findings without a place: {p.n_unmatched}"] if p.n_unmatched else []
    parts += [f"; claims without a verdict: {p.n_unread}"] if p.n_unread else []
    parts.append("</p>")
    end = 0
    for quarter, group in groupby(p.sentences, key=lambda s: s.quartile):
        parts.append(f'<section><h3>Q{quarter}<span class="hidden">, quartile {quarter} of 4</span></h3><ol>')
        for s in group:
            parts += [_between(p.caption[end : s.start]), sentence_html(p, s)]
            end = s.end
        parts.append("</ol></section>")
    parts.append(_between(p.caption[end:], tag="p"))
    parts += [*_checklist(p), "</article>"]
    return "".join(parts)


def _between(text: str, tag: str = "li") -> str:
    """Headings, titles and talk between sentences, without a label; signs of lists alone are left out."""
    if not any(c.isalnum() for c in text):
        return ""
    return f"<{tag} class=between>{escape(' '.join(text.split()))}</{tag}>"


def sentence_html(p: CaptionProfile, s: SentenceLabel) -> str:
    """A sentence that opens to the findings whose evidence lies in it."""
    code = _CODES[s.label]
    by_claim = {f.claim: f for f in p.findings}
    claims = {c.id: c for c in p.rubric.claims}
    found = [(by_claim[i], claims[i]) for i in (*s.contradicted, *s.supported) if i in by_claim and i in claims]
    marked = _marked(p.caption, s.span, [*(f.evidence for f, _ in found if f.evidence), *s.flagged])
    marked = f"{_UNSUPPORTED}{marked}" if s.unsupported else marked
    marked = f"{_ALSO[code]}{marked}" if s.supported and s.contradicted else marked
    absent = "".join(
        f'<li class="h"><q>{escape(p.caption[a:b])}</q> is not borne out by the reference</li>' for a, b in s.flagged
    )
    told = absent + "".join(_finding(f, c) for f, c in found)
    inner = told or "<li>No claim of the reference is about this sentence.</li>"
    return (
        f'<li class="sentence {code}"><details><summary>{_badge(code)}<span class="hidden">{s.label}: </span>{marked}'
        f'</summary><ul class="why">{inner}</ul></details></li>'
    )


def _marked(text: str, span: Span, evidence: Sequence[Span]) -> str:
    """A part of a text, escaped, with what lies in any of the spans marked."""
    start, end = span
    inside = [any(a <= i < b for a, b in evidence) for i in range(start, end)]
    parts, at = [], start
    for marked, run in groupby(inside):
        to = at + len(list(run))
        shown = escape(text[at:to])
        parts.append(f"<mark>{shown}</mark>" if marked else shown)
        at = to
    return "".join(parts)


def _finding(f: Finding, c: Claim) -> str:
    quote = f' <q>{escape(f.quote)}</q>' if f.quote else ""
    how = "" if f.match in ("given", "exact", "none") else f" ({escape(f.match)} match)"
    why = f' <small>{escape(f.reason)}</small>' if f.reason else ""
    verb = {"Supported": "bears out", "Contradicted": "contradicts"}.get(f.status or "", "is about")
    return f'<li class="{"s" if f.status == "Supported" else "h"}">{quote}{how} {verb}: {_claim(c)}{why}</li>'


def _claim(c: Claim) -> str:
    kind = c.kind.replace("_", " ").lower()
    return f'<span class="claim">{escape(c.text)}</span> <small>({kind}, weight {c.weight:g})</small>'


def _checklist(p: CaptionProfile) -> Iterator[str]:
    """The reference and every claim with its status."""
    by_claim = {f.claim: f for f in p.findings}
    groups: tuple[tuple[str, Callable[[Finding | None], bool]], ...] = (
        ("contradicted", lambda f: f is not None and f.status == "Contradicted"),
        ("supported", lambda f: f is not None and f.status == "Supported"),
        ("missing", lambda f: f is not None and f.status == "Missing"),
        ("without a verdict", lambda f: f is None or f.status is None),
    )
    told = [(name, [c for c in p.rubric.claims if fits(by_claim.get(c.id))]) for name, fits in groups]
    counts = ", ".join(f"{len(own)} {name}" for name, own in told if own)
    yield f"<details class=checklist><summary>Reference and its {len(p.rubric.claims)} claims: {counts}</summary>"
    yield f"<blockquote>{escape(p.rubric.reference)}</blockquote>"
    for name, own in told:
        if own:
            yield f"<h4>{name.capitalize()}</h4><ul>"
            for c in own:
                f = by_claim.get(c.id)
                lost = f is not None and f.match == "unmatched"
                note = " <small>its evidence has no place in the caption</small>" if lost else ""
                yield f"<li>{_claim(c)}{note}</li>"
            yield "</ul>"
    yield "</details>"
