"""Colours by the noun: what stands beside it in the caption, where the graph gives it to nothing.

A parser that errs loses "striped in green and yellow" of an awning. Where each text has one thing of the noun, the
colour words beside it are its own, and a claim of other colours is contradicted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from posh_lite.graph.types import Attribute
from posh_lite.judge.lexical import heads, words
from posh_lite.judge.lexical.align import Alignment
from posh_lite.judge.lexical.lexicon import word_set
from posh_lite.judge.lexical.view import Token, View
from posh_lite.position.verify_values import NAMESAKE, NOTHING, Compared, colors_of, is_color, meets


def beside_noun(al: Alignment, group: tuple[Attribute, ...]) -> Compared:
    """Colours of a claim against those that stand by the thing's noun in the caption, whatever the parser made of them.

    Only where each text has one thing of the noun, so that both speak of the same: "an awning striped in green".
    """
    entity = group[0].entity
    asked = [shades for a in group if not a.negated and (shades := colors_of(a.text))]
    last = entity.head.rpartition(" ")[2]
    others = [o.head.rpartition(" ")[2] for o in al.source.graph.entities if o.id != entity.id]
    if not asked or words.is_color(last) or any(heads.grade(last, o) >= NAMESAKE for o in others):
        return NOTHING
    tokens = al.target.tokens
    spots = [k for k, t in enumerate(tokens) if t.head_of is not None and heads.grade(last, t.text) >= NAMESAKE]
    if len(spots) != 1:
        return NOTHING
    near = list(_clause(al.target, spots[0]))
    theirs = [t for t in near if is_color(t.text) and (t.head_of is None or not heads.senses(t.text))]
    if not theirs or any(meets(shades, t.text) for shades in asked for t in theirs):
        return NOTHING
    first = theirs[0]
    return Compared(False, (first.start, first.start + len(first.text)), first.text)


_BREAK = re.compile(r"[,;:.!?()\n]|\b(?:and|while|with|above|below|over|under|beside|behind|near|on|at)\b")
#: Words that may stand between a noun and a colour that is said of it.
_TOLD = word_set(
    "is are was has in of a an the all striped painted colored coloured dressed with stripes hue shade dark pale light"
    " bright deep and warm cool very vivid soft rich tinted tinged"
)


def _clause(view: View, spot: int) -> Iterator[Token]:
    """Words right before a noun, and those behind it that only words like "is", "of" or "striped in" part from it."""
    noun, text = view.tokens[spot], view.graph.text
    for token in reversed(view.tokens[max(0, spot - 4) : spot]):
        between = text[token.start + len(token.text) : noun.start]
        if token.sentence != noun.sentence or _BREAK.search(between):
            break
        yield token
    for token in view.tokens[spot + 1 : spot + 9]:
        between = " ".join(text[noun.start + len(noun.text) : token.start].lower().split())
        if token.sentence != noun.sentence or not all(w in _TOLD or is_color(w) for w in between.split()):
            break
        yield token
