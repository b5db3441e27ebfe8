"""Hyphenated adjectives taken apart: "grey-suited" is a grey suit, "red-clad" red clothes, "tree-lined" trees along."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from posh_lite.judge.lexical import heads, words
from posh_lite.judge.lexical.lexicon import lexicon, word_set
from posh_lite.judge.lexical.view import View
from posh_lite.judge.lexical.words import CONFLICT, PARTIAL, UNRELATED

#: Last words that stand for clothing as a whole.
_DRESSED = word_set("clad dressed attired garbed robed clothed wearing")
#: Last words that only turn the first into an adjective ("cream-colored", "heart-shaped").
_LIKE = word_set("colored coloured hued toned tinted tinged like shaped sized style styled looking")
#: Participles whose first word is what does it or what is there: "snow-covered", "flower-filled", "candle-lit".
_DONE = word_set(
    "lined covered filled topped capped trimmed edged fringed bordered flanked strewn studded laden clad lit wrapped"
    " coated dusted dotted draped decorated adorned surrounded encrusted paved stained splattered soaked crowned packed"
    " stuffed loaded patterned printed embroidered dappled speckled drawn powered carved built made hung shaded kissed"
    " drenched swept bathed choked carrying holding bearing"
)
#: Words for the lack of something, beside those in "-less".
_LACKING = {
    "barefoot": "shoe", "barefooted": "shoe", "bareheaded": "hat", "shirtless": "shirt", "naked": "clothing",
    "nude": "clothing", "bald": "hair", "clean-shaven": "beard", "cloudless": "cloud",
}  # fmt: skip
_FIGURATIVE = word_set("endless priceless harmless lifeless timeless seamless regardless worthless powerless")
_HAVING = word_set("with have wear in don sport")
#: Facts that state a property rather than a thing or a deed.
_STATED = frozenset({"attribute", "compound", "implied"})


@dataclass(frozen=True, slots=True)
class Compound:
    """A hyphenated adjective. ``part`` is the noun that it turns on ("suit"), "" where it has none.

    ``kind`` is ``part`` ("grey-suited"), ``dress`` ("red-clad"), ``like`` ("cream-colored") or ``done``
    ("tree-lined", where ``words`` is what lines).
    """

    kind: str
    words: tuple[str, ...]
    part: str = ""
    verb: str = ""


@cache
def read(text: str) -> Compound | None:
    """Take a hyphenated adjective apart, None where it is none or its last word says nothing known."""
    if "-" not in text or " " in text.strip():
        return None
    *rest, last = words.tokens(text)
    if not rest or rest[0] in ("well", "hand", "half", "non", "semi", "self", "over", "under", "un"):
        return None
    modifiers = tuple(rest)
    if last in _LIKE:
        return Compound("like", modifiers)
    about_cloth = words.is_color(rest[-1]) or not heads.senses(rest[-1])
    if last in _DRESSED and (about_cloth or last == "wearing"):
        return Compound("dress", modifiers)
    if last in _DONE and heads.senses(rest[-1]) and not words.is_color(rest[-1]):
        verb = next((v for v in words.variants(last) if v in lexicon().verbs.senses and v != last), last)
        return Compound("done", modifiers, verb=verb)
    noun = _noun(last)
    return Compound("part", modifiers, noun) if noun else None


def _noun(word: str) -> str:
    """The noun of a participle-like adjective: "suit" of "suited", "leaf" of "leaved"."""
    if not word.endswith(("ed", "ved")):
        return ""
    known = lexicon().nouns.senses
    bare = word[:-2]
    tries = [bare, word[:-1], bare[:-1] if len(bare) > 2 and bare[-1] == bare[-2] else "", bare[:-1] + "f"]
    tries += [bare[:-1] + "y"] if bare.endswith("i") else []
    bases = sorted(b for b in lexicon().forms.get(word, ()) if b != word)
    return next((t for t in (*tries, *bases) if t in known), "") or (bare if len(bare) > 2 else "")


def on_parts(view: View, compound: Compound, number: int) -> tuple[float, str]:
    """Grade of a compound by what the text says of the entity's parts and relations, and what it says.

    ``CONFLICT`` where the part is there with another property, ``UNRELATED`` where nothing speaks for it.
    """
    if compound.kind == "done":
        return _done(view, compound, number)
    if compound.kind in ("dress", "like"):
        return _worn(view, compound, number)
    best: tuple[float, str] = (UNRELATED, "")
    for other in sorted(view.near[number]):
        head = heads.repaired(view.entity(other).head)[0]
        if heads.grade(compound.part, head) < 3.8 and words.stem(compound.part) != words.stem(head.rpartition(" ")[2]):
            continue
        said = {w for f in view.facts[other] if f.source in _STATED and not f.negated for w in f.words}
        grades = [_best(m, said) for m in compound.words]
        if CONFLICT in grades:
            return CONFLICT, view.phrase(other)
        if min(grades) > best[0]:
            best = (min(grades), view.phrase(other))
    return best


def _best(word: str, said: set[str]) -> float:
    """The best support, else a conflict, else nothing."""
    grades = {words.alike(word, t) for t in said}
    best = max(grades, default=UNRELATED)
    return best if best > UNRELATED else min(grades, default=UNRELATED)


def _worn(view: View, compound: Compound, number: int) -> tuple[float, str]:
    """"in red", "wears a red dress", "of a cream colour"."""
    best: tuple[float, str] = (UNRELATED, "")
    for fact in view.facts[number]:
        if fact.negated or fact.source not in ("having", "attribute", "compound"):
            continue
        said = set(fact.words)
        if fact.other is not None:
            said |= {w for f in view.facts[fact.other] if f.source in ("attribute", "compound") for w in f.words}
        grade = min(_best(m, said) for m in compound.words)
        if grade > best[0]:
            best = (grade, fact.said)
    return best


def _done(view: View, compound: Compound, number: int) -> tuple[float, str]:
    """"lined with trees", "trees line the street", "full of flowers"."""
    best: tuple[float, str] = (UNRELATED, "")
    for fact in view.facts[number]:
        if fact.negated or fact.other is None:
            continue
        if heads.grade(compound.words[-1], view.entity(fact.other).head) < PARTIAL:
            continue
        verb = max((words.alike(compound.verb, w) for w in fact.words), default=UNRELATED)
        grade = min(verb, 4.4) if verb >= PARTIAL else 3.8 if fact.source == "having" else 3.2
        if grade > best[0]:
            best = (grade, fact.said)
    return best


@cache
def lacking(text: str) -> str:
    """The noun that a word says is not there: "hat" of "hatless", "shoe" of "barefoot"; else ""."""
    word = text.lower().strip()
    if word in _LACKING:
        return _LACKING[word]
    noun = word.removesuffix("less")
    return noun if noun != word and word not in _FIGURATIVE and heads.senses(noun) else ""


def on_absence(view: View, noun: str, number: int) -> tuple[float, str]:
    """Grade of "hatless" by "without a hat" (a paraphrase) or "with a hat" (``CONFLICT``), and what the text says."""
    best: tuple[float, str] = (UNRELATED, "")
    for r in view.graph.relations_of(number, role="subject"):
        having = r.lemma in ("without", "lack") or r.kind == "part" or set(r.lemma.split()) & _HAVING
        if not having or heads.grade(noun, heads.repaired(r.object.head)[0]) < 3.8:
            continue
        if r.negated or r.object.negated or r.lemma in ("without", "lack"):
            return words.SYNONYM, f"{r.text} {r.object.head}"
        best = (CONFLICT, f"{r.text} {r.object.head}")
    return best


def of_part(view: View, part: str, word: str) -> tuple[float, str]:
    """Grade of a property of a thing that the text only has inside a compound: "grey" of the suit of "grey-suited"."""
    best: tuple[float, str] = (UNRELATED, "")
    for token in view.tokens:
        compound = read(token.text)
        if compound is None or compound.kind != "part":
            continue
        if heads.grade(part, compound.part) < 3.8 and words.stem(part) != words.stem(compound.part):
            continue
        grades = [words.alike(word, m) for m in compound.words]
        if max(grades) > best[0]:
            best = (max(grades), token.text)
        elif best[0] == UNRELATED and CONFLICT in grades:
            best = (CONFLICT, token.text)
    return best
