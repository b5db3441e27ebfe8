"""Colours and numbers compared as values: does the caption's thing have the claim's, or another one?

The lexical judge asks whether a word is borne out. A verifier must also see that "green" is not "blue" where the judge
only says that nothing is said, and that a basin is not three.
"""

from __future__ import annotations

from dataclasses import dataclass

from posh_lite.graph.types import Attribute, Entity, Relation
from posh_lite.judge.lexical import heads, words
from posh_lite.judge.lexical.align import Alignment
from posh_lite.judge.lexical.lexicon import lexicon
from posh_lite.judge.lexical.view import Token, View, place_words, relation_place
from posh_lite.judge.lexical.words import PARTIAL
from posh_lite.records import Span

#: "about fifty" is met by numbers within a fifth of it.
_ABOUT = 0.2
_ROUGH = frozenset({"about", "around", "roughly", "nearly", "almost", "approximately", "some", "over"})
#: Shades that stand for colours of their own: "dark gray" is met by black.
_SHADES = frozenset({"dark", "light", "pale"})
#: Colours that people take for one another: shine and paleness depend on the light.
_METALLIC = frozenset({"silver", "silvery", "white", "metallic", "chrome"})
_PALE = frozenset({"cream", "ivory", "beige", "off-white", "white"})
_SEVERAL = frozenset({"several", "many", "few", "numerous", "multiple", "various"})
#: Determiners of what is known already.
_KNOWN = frozenset({"the", "this", "that", "these", "those", "his", "her", "its", "their", "both", "each"})
#: Grade from which two nouns name one kind of thing, for counting.
NAMESAKE = 4.2
#: Verbs of being somewhere.
_STILL = frozenset({
    "be", "stand", "sit", "lie", "rest", "hang", "appear", "see", "locate", "place", "put", "set", "visible", "situate",
    "kneel", "crouch", "occupy", "remain", "have", "show", "position", "close", "near", "next",
})
_ONE = frozenset({"a", "an", "one", "single", "lone", "solitary"})


@dataclass(frozen=True, slots=True)
class Compared:
    """Whether the caption states the same value or another, and where; ``agrees`` is None where it states none."""

    agrees: bool | None
    span: Span | None = None
    said: str = ""


NOTHING = Compared(None)


def is_color(word: str) -> bool:
    """Whether a word of the caption is a colour and not rather a thing ("sand", "moss")."""
    return words.is_color(word) and (word in lexicon().family_names or not heads.senses(word))


def colors_of(text: str) -> list[str]:
    """Colour words of a phrase and then its shades; nothing where it has no colour."""
    found = [w for w in words.tokens(text) if words.is_color(w)]
    return [*found, *(w for w in words.tokens(text) if w in _SHADES)] if found else []


def color_tokens(view: View, number: int) -> list[Token]:
    """Colour words that the caption says of an entity: as its attribute, in its compound, or as what it is "in"."""
    e = view.entity(number)
    spans = [(m.phrase[0], m.end) for m in e.mentions]
    owned = {s for a in view.graph.attributes_of(number) if not a.negated for s in a.spans}
    found = []
    for t in view.tokens:
        inside = any(a <= t.start < b for a, b in owned)
        # A compound's first word has no owner: "blue jeans" that the parser kept whole.
        compound = not t.owners and t.head_of is None and any(a <= t.start < b for a, b in spans)
        if (inside or compound) and any(is_color(w) for w in words.tokens(t.text)):
            found.append(t)
    for r in view.graph.relations_of(number, role="subject"):
        if (r.lemma in ("of", "have", "be") or r.lemma.split()[-1] == "in") and not r.negated:
            spans = [m.phrase for m in r.object.mentions]
            found += [t for t in view.tokens if any(a <= t.start < b for a, b in spans) and t.head_of == r.object.id
                      and is_color(t.text)]  # fmt: skip
    return found


def compare_colors(view: View, number: int, group: tuple[Attribute, ...]) -> Compared:
    """Colours of a claim against those that the caption gives the entity.

    They agree where one of the claim's is met; they differ where one of the claim's is met by none of the caption's,
    and one of the caption's by none of the claim's.
    """
    asked = [shades for a in group if not a.negated and (shades := colors_of(a.text))]
    theirs = color_tokens(view, number)
    if not asked or not theirs:
        return NOTHING
    lex = lexicon()
    if any(w in lex.many_colors for shades in asked for w in shades) or any(t.text in lex.many_colors for t in theirs):
        return NOTHING
    open_ = [shades for shades in asked if not any(meets(shades, t.text) for t in theirs)]
    alien = [t for t in theirs if not any(meets(shades, t.text) for shades in asked)]
    if open_ and alien:
        t = alien[0]
        return Compared(False, (t.start, t.start + len(t.text)), t.text)
    t = next(t for t in theirs if t not in alien) if len(alien) < len(theirs) else theirs[0]
    return Compared(True, (t.start, t.start + len(t.text)), t.text)


def meets(shades: list[str], color: str) -> bool:
    """Whether a colour of the caption is one of a phrase's: "blue" of "blue-green".

    Neighbours that are not both basic names ("teal", "green") are let pass for the word that carries the phrase.
    """
    if any({w, color} <= alike for w in shades for alike in (_METALLIC, _PALE)):
        return True
    grades = [max(words.alike(w, color), words.alike(color, w)) for w in shades]
    for part in words.tokens(color) if "-" in color else ():
        if meets(shades, part):
            return True
    main = max(k for k, w in enumerate(shades) if w not in _SHADES)
    return any(g >= PARTIAL for g in grades) or grades[main] >= 2.0


def number_of(text: str) -> tuple[int, int] | None:
    """The least and the greatest number that a quantity allows: "two" (2, 2), "about fifty" (40, 60), "several"."""
    lex = lexicon()
    said = words.tokens(text)
    rough = any(w in _ROUGH for w in said)
    for w in said:
        if w in ("a", "an", "one") and len(said) > 1 and w != said[-1]:
            continue
        value = 2 if w in ("pair", "couple") else words.number(w)
        if value is not None and (w not in lex.vague or value == 2):
            slack = int(value * _ABOUT) if rough else 0
            return value - slack, value + slack
        if w in lex.vague:
            return lex.vague[w]
    return None


def stated(view: View, number: int, *, partitive: bool = False) -> tuple[tuple[int, int], Span] | None:
    """The number that the caption states of an entity, and where; "a" and the bare singular state none.

    With ``partitive`` the number of those that are meant out of a group ("four of its panes"), else that of all.
    """
    e = view.entity(number)
    for a in view.graph.attributes_of(number):
        if a.kind == "quantity" and not a.negated and a.spans:
            value = number_of(a.text)
            if value is not None and of_group(view, a) == partitive:
                return value, a.spans[0]
    if partitive:
        return None
    if e.count is not None and e.mentions:
        return (e.count, e.count), e.mentions[0].phrase
    for m in e.mentions[:1] if e.plural else ():
        first = words.tokens(view.graph.text[m.phrase[0] : m.phrase[1]])[:1]
        if first and first[0] in _SEVERAL:
            return lexicon().vague.get(first[0], (2, 99)), m.phrase
    return None


def of_group(view: View, a: Attribute) -> bool:
    """Whether the quantity takes some out of a group: "one of the panes"."""
    return bool(a.spans) and view.graph.text[a.spans[0][1] :][:4].lower().startswith(" of ")


def introduced(view: View, e: Entity) -> bool:
    """Whether the text brings the entity in as something new: with "a", a number, or in the bare plural."""
    if not e.mentions or e.mentions[0].kind not in ("noun", "name"):
        return False
    start, end = e.mentions[0].phrase
    first = words.tokens(view.graph.text[start:end])[:1]
    return not first or first[0] not in _KNOWN


def compare_numbers(al: Alignment, a: Attribute, number: int) -> Compared:
    """The claim's number against the one that the caption states of the entity, or against its "a"."""
    asked = number_of(a.text)
    if asked is None:
        return NOTHING
    theirs = stated(al.target, number, partitive=of_group(al.source, a))
    if theirs is None:
        return NOTHING
    (low, high), span = theirs
    return Compared(asked[0] <= high and low <= asked[1], span, al.target.graph.text[slice(*span)])


def of_namesakes(al: Alignment, a: Attribute) -> Compared:
    """The claim's number against those that the caption states of whatever has the same noun.

    They differ where the caption counts such things, none of its counts agrees, and it has none of them uncounted; and
    where the reference itself counts no other things of the noun so.
    """
    asked = number_of(a.text)
    if asked is None or a.negated or of_group(al.source, a):
        return NOTHING
    if _counted(al.target, a.entity.head, asked):
        return NOTHING
    others = [e for e in al.source.graph.entities if e.id != a.entity.id and heads.grade(e.head, a.entity.head) >= 4]
    found: Compared = NOTHING
    for e in al.target.graph.entities:
        if e.negated or heads.grade(a.entity.head, e.head) < NAMESAKE or not introduced(al.target, e):
            continue
        theirs = stated(al.target, e.id)
        if theirs is None:
            if e.plural:
                return NOTHING
            continue
        (low, high), span = theirs
        if (low <= asked[1] and asked[0] <= high) or low != high:
            return NOTHING
        if any((o.count or 0) and low <= (o.count or 0) <= high for o in others):
            continue
        found = Compared(False, span, al.target.graph.text[slice(*span)])
    return found


def _counted(view: View, noun: str, asked: tuple[int, int], reach: int = 4) -> bool:
    """Whether a number that meets the one asked stands shortly before the noun, whatever the parser made of them."""
    for k, token in enumerate(view.tokens):
        value = words.number(token.text)
        if value is None or not asked[0] <= value <= asked[1]:
            continue
        after = [t for t in view.tokens[k + 1 : k + 1 + reach] if t.sentence == token.sentence]
        if any(heads.grade(noun, t.text) >= NAMESAKE for t in after):
            return True
    return False


def single(text: str, e: Entity) -> bool:
    """Whether the text introduces the entity as one: "a basin", "a single tree"."""
    if e.plural or not e.mentions or (e.count or 1) > 1:
        return False
    start, end = e.mentions[0].phrase
    first = words.tokens(text[start:end])[:2]
    return bool(first) and (first[0] in _ONE or (len(first) > 1 and first[0] == "the" and first[1] in _ONE))


def compare_single(al: Alignment, e: Entity, number: int) -> Compared:
    """A thing that the reference introduces as one against the number that the caption states."""
    if not single(al.source.graph.text, e):
        return NOTHING
    theirs = stated(al.target, number)
    if theirs is None or theirs[0][1] < 2:
        return NOTHING
    return Compared(theirs[0][0] <= 1, theirs[1], al.target.graph.text[slice(*theirs[1])])


def _places(view: View, number: int) -> list[tuple[dict[str, frozenset[str]], Span]]:
    """Zones that the caption puts the entity in, by itself or by what it is at ("at the stern on the left")."""
    found: list[tuple[dict[str, frozenset[str]], Span]] = []
    graph = view.graph
    for a in graph.attributes_of(number):
        if a.kind == "position" and not a.negated and a.spans:
            found.append((_frozen(place_words(f"{a.lemma} {a.text}")), a.spans[0]))
    for r in graph.relations_of(number, role="subject"):
        if r.negated or not r.spans or "from" in r.lemma.split() or _heading(r):
            continue
        if r.object.role == "region" and r.object.mentions:
            near = min(r.object.mentions, key=lambda m: abs(m.start - r.spans[0][1]))
            span = (min(r.spans[0][0], near.phrase[0]), max(r.spans[0][1], near.phrase[1]))
            found.append((_frozen(relation_place(graph, r)), span))
    if not found:
        for r in graph.relations_of(number, role="subject"):
            if r.lemma in ("at", "in", "on") and not r.negated and r.object.role == "thing" and not heads.is_living(
                r.object.head
            ):
                found += [
                    (_frozen(relation_place(graph, q)), q.object.mentions[0].phrase)
                    for q in graph.relations_of(r.object.id, role="subject")
                    if q.object.role == "region" and not q.negated and q.object.mentions and q.spans and r.spans
                    and view.sentences[number] & view.sentences[r.object.id]
                ]
    return [(zones, span) for zones, span in found if zones]


def _heading(r: Relation) -> bool:
    """Whether the relation says where something goes or points, not where it is: "arches to the right"."""
    *verb, last = r.lemma.split()
    return bool(verb) and last in ("to", "toward", "towards", "into") and not set(verb) & _STILL


def _frozen(zones: dict[str, set[str]]) -> dict[str, frozenset[str]]:
    return {k: frozenset(v) for k, v in zones.items()}


def compare_places(view: View, number: int, zone: dict[str, set[str]]) -> Compared:
    """The zone of a claim against those that the caption puts the entity in; they differ where no group agrees."""
    against: Compared = NOTHING
    for zones, span in _places(view, number):
        shared = [g for g in zone if g in zones]
        if any(zone[g] & zones[g] for g in shared):
            return Compared(True, span, view.graph.text[slice(*span)])
        if shared and against.agrees is None:
            against = Compared(False, span, view.graph.text[slice(*span)])
    return against
