"""The microscope as a page: a caption by quarters with what each term counts, and every edit beside its effects.

Self-contained: no request leaves it, the keyboard reaches everything, and text never becomes markup. Without script
the captions with their terms stand there as they are; choosing an edit needs the script.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

from posh_lite.position.generic import THRESHOLD
from posh_lite.position.page_style import STYLE as LENS_STYLE
from posh_lite.position.types import SentenceLabel
from posh_lite.reward.edits import Family, Should, kinds
from posh_lite.reward.microscope import GUARDED, LETTER, POSH, POSH_LETTER, TOTAL, Slide, View, verdict
from posh_lite.reward.microscope_style import SCRIPT, STYLE
from posh_lite.reward.settings import VARIANTS, PagerSettings
from posh_lite.reward.terms import FINE

_CODES = {"Supported": "S", "Contradicted": "H", "Generic": "G"}
#: Rewards in words.
TITLES = {
    LETTER: "PAGER, the paper's letter", GUARDED: "PAGER with guards", POSH: "PoSh with its guard",
    POSH_LETTER: "PoSh as it is", "no-mid": "PAGER without middle term", "no-tail": "PAGER without tail term",
    "no-len": "PAGER without length term", "holistic": "PAGER, one mark for the checklist",
    "monotone": "PAGER, one rising weight", "coverage-only": "coverage alone",
}  # fmt: skip
FAMILIES: dict[Family, str] = {
    "cut": "leave out", "repeat": "say again", "pad": "add filler", "falsify": "say what is false",
    "rearrange": "say elsewhere",
}  # fmt: skip
SHOULD: dict[Should, str] = {
    "fall": "should fall", "not rise": "should not rise", "stay": "should stay as it is",
    "not fall": "should not fall", "no matter": "may go either way",
}  # fmt: skip


def title_of(reward: str) -> str:
    """A reward in words."""
    return TITLES.get(reward, reward)


# -- one caption by quarters ---------------------------------------------------------------------------------------


def counted_middle(view: View, sentence: SentenceLabel) -> tuple[int, ...]:
    """Claims of a sentence that the middle term counts by the paper's letter: fine ones, supported here first."""
    if sentence.quartile not in (2, 3):
        return ()
    kinds_ = {c.id: c.kind for c in view.profile.rubric.claims}
    before = {i for s in view.profile.sentences if s.number < sentence.number for i in s.supported}
    return tuple(i for i in sentence.supported if i not in before and kinds_[i] in FINE)


def worked_html(view: View, settings: PagerSettings = VARIANTS[LETTER], *, reward: str = LETTER) -> str:
    """A caption by quarters: labels, what the middle and the tail term count, and the sum with its budget.

    Args:
        view: of the caption.
        settings: of the reward whose terms are explained, by the paper's letter.
        reward: its name among the values of the view.
    """
    claims = {c.id: c for c in view.profile.rubric.claims}
    parts = ['<div class="worked">']
    for quarter, group in groupby(view.profile.sentences, key=lambda s: s.quartile):
        parts.append(f'<section><h3>Q{quarter}<span class="hidden">, quarter {quarter} of 4</span></h3><ol>')
        for s in group:
            code = _CODES[s.label]
            middle = counted_middle(view, s)
            tags = [f'<span class="tag">{len(s.supported)} supported</span>'] if s.supported else []
            if s.contradicted:
                tags.append(f'<span class="tag">{len(s.contradicted)} contradicted</span>')
            if middle:
                told = "; ".join(claims[i].text for i in middle)
                weight = sum(claims[i].weight for i in middle)
                tags.append(f'<span class="tag" title="{escape(told, quote=True)}">middle: {len(middle)} fine, weight'
                            f" {weight:g}</span>")
            if quarter == 4:
                g = view.genericity[s.number]
                tags.append(f'<span class="tag">tail: g = {g:.2f}{", generic" if g >= THRESHOLD else ""}</span>')
            parts.append(
                f'<li class="sentence {code.lower()}"><b class="badge" aria-hidden="true">{code}</b>'
                f'<span class="hidden">{s.label}: </span>{escape(view.text[s.start : s.end])}'
                f'<span class="tags">{"".join(tags)}</span></li>'
            )
        parts.append("</ol></section>")
    return "".join([*parts, _sum_html(view, settings, reward), "</div>"])


def _sum_html(view: View, settings: PagerSettings, reward: str) -> str:
    n = len(view.profile.rubric.claims)
    length, budget = view.lengths[settings.length_unit], settings.budget(n)
    values = view.values[reward]
    told = {
        "coverage": "supported less half of contradicted weight, over all weight",
        "middle": f"{settings.lambda_mid:g} × weight of fine claims supported in Q2 and Q3, over all weight",
        "tail": f"−{settings.lambda_tail:g} × mean genericity of the sentences of Q4",
        "length": f"{length} {settings.length_unit} of a budget of {settings.base_length:g} + "
                  f"{settings.claim_length:g} × {n} = {budget:g}",
    }  # fmt: skip
    rows = "".join(
        f'<tr{" class=total" if name == TOTAL else ""}><th scope="row">{name}</th>'
        f"<td>{escape(told.get(name, 'the reward'))}</td><td>{_num(value)}</td></tr>" for name, value in values.items()
    )
    return (
        f'<div class="scroll" role="region" aria-label="Terms" tabindex="0"><table class="terms"><caption>'
        f"{escape(title_of(reward))}</caption><tbody>{rows}</tbody></table></div>"
    )


def _num(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}".replace("-", "−")


# -- the page ------------------------------------------------------------------------------------------------------


def page(
    slides: Sequence[Slide], signatures: Mapping[str, str], *, title: str = "Reward microscope", first: str = LETTER
) -> str:
    """A whole page.

    Args:
        slides: captions with their edits; the part with edits is left out where none has any.
        signatures: of each reward by its name, in the order in which they are offered.
        title: of the page.
        first: the reward that is chosen at first. The captions are taken apart by the paper's letter.
    """
    rewards = [r for r in dict.fromkeys([first, LETTER, GUARDED, POSH, *signatures]) if r in signatures]
    edited = any(s.trials or s.refused for s in slides)
    body = list(_microscope(slides, rewards)) if edited else []
    body.append(f"<h2>The captions by quarter</h2><p>With the value of: {escape(title_of(first))}. What the terms count"
                " is shown by the paper's letter.</p>")
    for number, slide in enumerate(slides):
        body.append(f"<details{' open' if number == 0 and len(slides) == 1 else ''}><summary>{escape(_name(slide))}: "
                    f"{_num(slide.base.values[first][TOTAL])}</summary>"
                    f"{worked_html(slide.base)}</details>")
    signed = "".join(f"<li>{escape(title_of(r))}: <code>{escape(signatures[r])}</code></li>" for r in rewards)
    return "".join([
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{LENS_STYLE}{STYLE}</style></head><body>",
        f"<header><h1>{escape(title)}</h1></header><main>", *body,
        f"<details><summary>Signatures</summary><ul>{signed}</ul></details></main>",
        *([f"<script>{SCRIPT}</script>"] if edited else []), "</body></html>\n",
    ])  # fmt: skip


def _name(slide: Slide) -> str:
    model = slide.pair.model
    return f"{slide.pair.id} · {model}" if model and model not in slide.pair.id else slide.pair.id


def _microscope(slides: Sequence[Slide], rewards: Sequence[str]) -> Iterator[str]:
    yield (
        "<p>Choose an edit of a caption. The edited text went through the same lens anew; below it stands what each"
        " term makes of it, and whether an honest reward would do the same.</p>"
        "<noscript><p class=said>Choosing an edit needs the script of this page.</p></noscript>"
        '<div class="bar"><label>Caption <select id="caption"></select></label>'
        '<label>Reward <select id="reward"></select></label></div>'
        '<div class="micro"><fieldset id="edits"><legend>Edit</legend></fieldset>'
        '<section id="view" aria-live="polite"><p id="about"></p><p id="note"></p>'
        '<p class="said" id="said"></p>'
        '<div class="scroll" role="region" aria-label="Change of the terms" tabindex="0"><table class="terms">'
        '<caption>Terms before and after</caption><thead><tr><th scope="col">term</th><th scope="col">before</th>'
        '<th scope="col">after</th><th scope="col">change</th></tr></thead><tbody id="terms"></tbody></table></div>'
        '<h3>Text: <del>taken out</del> <ins>put in</ins></h3><div class="diff" id="diff"></div>'
        "<h3>Sentences by quarter: S supported, H contradicted, G generic</h3>"
        '<small>before</small><ul class="strip" id="before"></ul><small>after</small><ul class="strip" id="after"></ul>'
        '<div class="scroll" role="region" aria-label="All rewards" tabindex="0"><table class="terms">'
        '<caption>The same edit under every reward</caption><thead><tr><th scope="col">reward</th>'
        '<th scope="col">change</th><th scope="col">verdict</th></tr></thead><tbody id="all"></tbody></table></div>'
        "</section></div>"
    )
    raw = json.dumps(page_data(slides, rewards), ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    yield f'<script type="application/json" id="data">{raw.replace("<", chr(92) + "u003c")}</script>'


def page_data(slides: Sequence[Slide], rewards: Sequence[str]) -> dict[str, Any]:
    """What the script shows, JSON-ready; undefined rewards are null."""
    every = kinds()
    captions = []
    for slide in slides:
        edits = []
        for t in slide.trials:
            kind = every[t.edited.name]
            edits.append({
                "name": kind.name, "title": kind.title, "family": kind.family, "about": kind.about,
                "note": t.edited.note, "should": t.edited.should,
                "changes": [[c.start, c.end, c.new] for c in t.edited.changes],
                "sentences": _strip(t.view), "values": _values(t.view, rewards),
                "verdicts": {r: verdict(t.edited.should, slide.change(t, r)[TOTAL]) for r in rewards},
            })
        captions.append({
            "id": _name(slide), "text": slide.pair.generation, "sentences": _strip(slide.base),
            "values": _values(slide.base, rewards), "edits": edits, "refused": {r.name: r.why for r in slide.refused},
        })
    return {
        "captions": captions, "rewards": list(rewards), "titles": {r: title_of(r) for r in rewards},
        "should": SHOULD, "families": FAMILIES, "edits": {k.name: k.title for k in every.values()},
    }  # fmt: skip


def _strip(view: View) -> list[tuple[int, str, float]]:
    return [
        (s.quartile, _CODES[s.label], 0.0 if math.isnan(g := view.genericity[s.number]) else round(g, 3))
        for s in view.profile.sentences
    ]


def _values(view: View, rewards: Sequence[str]) -> dict[str, dict[str, float | None]]:
    return {r: {k: None if math.isnan(v) else round(v, 9) for k, v in view.values[r].items()} for r in rewards}
