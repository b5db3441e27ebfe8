"""Nouns that are no things to look for: amounts, judgements, deeds in the guise of objects, words not known."""

from __future__ import annotations

from posh_lite.graph.types import Entity
from posh_lite.judge.lexical import heads, words
from posh_lite.judge.lexical.align import Alignment
from posh_lite.judge.lexical.facts import best_fact
from posh_lite.judge.lexical.findings import ABSENT, Finding
from posh_lite.judge.lexical.lexicon import lexicon, word_set
from posh_lite.judge.lexical.words import CONFLICT, PARTIAL

#: Verbs and prepositions that make a deed or a way of a noun: "found a seat", "gives it a bath", "for a support".
_LIGHT = {
    "seat": "find take have", "support": "for as give lend offer", "bath": "give take have",
    "food": "give", "care": "take", "look": "take have give", "rest": "take have", "sip": "take",
    "bite": "take", "walk": "take", "ride": "take", "hug": "give share", "kiss": "give share", "hold": "take have",
    "point": "to", "place": "take have", "way": "make", "glance": "give", "watch": "keep",
    "shape": "take", "root": "take",
}  # fmt: skip
#: Adjectives of rank that stand for one of a group.
_RANKED = word_set("senior junior elder eldest oldest youngest tallest nearest closest first last former latter")
#: Prepositions and verbs between a thing and what it is made of.
_MADE = word_set("of from in")


def amount(al: Alignment, s: Entity) -> Finding | None:
    """"A party of hunters", "a load of kindling": what follows "of" is looked for."""
    if lexicon().partitive.isdisjoint({*heads.singular(s.head), s.head}):
        return None
    for r in al.source.graph.relations_of(s, role="subject"):
        if r.lemma == "of" and not r.negated:
            return Finding(3.2, f'an amount or shape of "{r.object.head}"')
    return None


def compared(al: Alignment, s: Entity) -> Finding | None:
    """"Like a bag", "as a bird": a comparison names nothing that is there; "the senior of the boys" is one of them."""
    for r in al.source.graph.relations_of(s, role="object"):
        if r.lemma.split()[-1] in ("like", "as"):
            return Finding(3.2, "only compared with")
    for r in al.source.graph.relations_of(s, role="subject"):
        if r.lemma == "of" and s.head in _RANKED and r.object.id in al.one:
            return Finding(3.4, f'one of "{al.target.phrase(al.one[r.object.id].target)}"')
    return None


def material(al: Alignment, s: Entity) -> Finding | None:
    """"A bridge of stone" by "stone bridge": what the thing is made of is asked of the thing."""
    word = heads.singular(s.head)[-1]
    made = lexicon().exclusive["material"].senses
    if word not in made and not words.is_color(word):
        return None
    against = ""
    for r in al.source.graph.relations_of(s, role="object"):
        if r.lemma.split()[-1] not in _MADE or r.subject.id not in al.one:
            continue
        grade, fact = best_fact(word, al.target.facts[al.one[r.subject.id].target])
        if fact is not None and grade >= PARTIAL:
            return Finding(min(grade, 4.4), f'the text has it as "{fact.said}"')
        against = against or (fact.said if fact is not None and grade == CONFLICT else "")
    if against and not any(words.alike(word, token.text) >= words.BROADER for token in al.target.tokens):
        return Finding(ABSENT, f'the text has "{against}" there')
    return None


def light(al: Alignment, s: Entity) -> Finding | None:
    """What no caption must repeat; None for a thing to look for."""
    return amount(al, s) or compared(al, s) or _general(al, s)


def _general(al: Alignment, s: Entity) -> Finding | None:
    lex = lexicon()
    forms = heads.singular(s.head)
    last = forms[-1].rpartition(" ")[2]
    if any(form in lex.abstract or form in lex.generic for form in (*forms, last)):
        return Finding(3.2, "a general word that the text need not repeat")
    governors = {w for r in al.source.graph.relations_of(s, role="object") for w in r.lemma.split()}
    if any(governors & set(_LIGHT[form].split()) for form in forms if form in _LIGHT):
        return Finding(3.2, f'"{s.head}" is no thing here but a part of the deed')
    if unknown(al, s):
        return Finding(PARTIAL, "a word that the judge does not know")
    return None


def unknown(al: Alignment, s: Entity) -> bool:
    """Whether the lexicon knows the noun neither whole nor by its last word; a name can be looked for as it is."""
    last = s.head.rpartition(" ")[2]
    named = any(m.kind == "name" for m in s.mentions) or s.role == "writing"
    known = lexicon().nouns.senses
    if any(last[:at] in known and heads.senses(last[at:]) for at in range(3, len(last) - 3)):
        return False  # "bloodstain": a closed compound of two known nouns
    return not (named or heads.senses(s.head) or heads.senses(last) or words.is_color(last) or last.isdecimal())
