"""A scene graph read for matching: the names, facts, places and neighbours of every entity.

A fact is a word that the text says of an entity, whatever the construction: an adjective, a verb of which it is
the subject, a thing that it has, wears or is made of, the first part of a compound, or what its noun implies.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from posh_lite.graph.types import Entity, Relation, SceneGraph
from posh_lite.judge.lexical import heads, words
from posh_lite.judge.lexical.lexicon import lexicon

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
#: Relations whose object describes the subject ("in red", "with a beard", "made of wood").
_HAVING = frozenset({
    "with", "have", "wear", "in", "of", "make of", "dress in", "show", "feature", "clad in", "bear", "sport", "from",
    "make from", "paint in", "cover in", "cover with", "decorate with", "adorn with", "adorn", "display", "exhibit",
    "be", "construct of", "build of", "craft from", "make out of", "fill with", "attire in", "print with",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fact:
    """Something said of an entity. ``source`` is attribute, action, object, having, compound or implied."""

    words: tuple[str, ...]
    source: str
    said: str  # as written, for reasons
    negated: bool = False
    sentence: int = 0
    other: int | None = None  # the entity at the other end, for relations


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the text with the entities that the graph gives it to."""

    text: str
    start: int
    sentence: int
    owners: tuple[int, ...] = ()
    head_of: int | None = None


@dataclass(slots=True)
class View:
    """Look-up tables over one graph."""

    graph: SceneGraph
    names: dict[int, tuple[str, ...]] = field(default_factory=dict)
    facts: dict[int, list[Fact]] = field(default_factory=dict)
    places: dict[int, dict[str, frozenset[str]]] = field(default_factory=dict)
    near: dict[int, frozenset[int]] = field(default_factory=dict)
    sentences: dict[int, frozenset[int]] = field(default_factory=dict)
    groups: dict[int, tuple[int, ...]] = field(default_factory=dict)  # member -> groups
    tokens: tuple[Token, ...] = ()

    def entity(self, number: int) -> Entity:
        return self.graph.entities[number]

    def phrase(self, number: int) -> str:
        """How the text first calls the entity, for reasons."""
        mention = self.entity(number).mentions[0] if self.entity(number).mentions else None
        if mention is None:
            return self.entity(number).head
        return " ".join(self.graph.text[mention.phrase[0] : mention.phrase[1]].split())[:60]

    def called(self, number: int) -> str:
        """How a reason names the entity: its phrase, and among namesakes the zone or link that tells it from them."""
        entity, phrase = self.entity(number), self.phrase(number)
        if phrase.split(" ", 1)[0] in ("The", "A", "An", "His", "Her", "Its", "Their"):
            phrase = phrase[0].lower() + phrase[1:]  # the capital is the sentence's
        if sum(e.head == entity.head for e in self.graph.entities) < 2 or phrase.lower() not in (
            entity.head, f"the {entity.head}", f"a {entity.head}", f"an {entity.head}"
        ):
            return phrase
        for r in self.graph.relations_of(number, role="subject"):
            if r.kind == "preposition" and not r.negated and r.object.mentions:
                other = r.object.mentions[0]
                return f"{phrase} {r.text.lower()} {self.graph.text[other.phrase[0] : other.phrase[1]]}"[:80]
        return phrase

    def said(self, r: Relation) -> str:
        """A relation in the words of the text, for reasons: "the man on the left pours water"."""
        return " ".join(f"{self.called(r.subject.id)} {r.text} {self.called(r.object.id)}".split())


def make_view(graph: SceneGraph) -> View:
    """Read a graph once."""
    view = View(graph)
    for entity in graph.entities:
        view.names[entity.id] = _names(graph, entity)
        view.sentences[entity.id] = frozenset(m.sentence for m in entity.mentions)
        for member in entity.members:
            view.groups[member] = (*view.groups.get(member, ()), entity.id)
    for entity in graph.entities:
        view.facts[entity.id] = _facts(graph, entity)
        view.near[entity.id] = frozenset(_neighbours(graph, entity))
    for entity in graph.entities:
        view.places[entity.id] = _places(graph, entity)
    view.tokens = _tokens(graph)
    return view


def _names(graph: SceneGraph, entity: Entity) -> tuple[str, ...]:
    """Nouns and names that the text calls the entity by; the bare last word of its compound adds none."""
    base = heads.repaired(entity.head)[0]
    last = base.rpartition(" ")[2]
    forms = [base]
    for m in entity.mentions:
        word = " ".join(m.text.lower().split())
        if m.kind in ("noun", "name") and word and not set(heads.singular(word)) & {last, *entity.head.split()}:
            forms.append(word)
    nouns = lexicon().nouns.senses
    for a in graph.attributes_of(entity):  # "mobile" of a phone: a mobile phone
        if not a.negated and f"{a.lemma} {base}" in nouns:
            forms.append(f"{a.lemma} {base}")
    return tuple(dict.fromkeys(f for f in forms if f))


def _sentence(graph: SceneGraph, start: int) -> int:
    for number, (a, b) in enumerate(graph.sentences):
        if a <= start < b:
            return number
    return -1


_BEARING = frozenset({"hold", "contain", "feature", "have", "include", "bear", "display", "carry", "support", "show"})


def spoken(r: Relation) -> str:
    """The lemma of a relation, its verb mended where the lemmatizer made no word ("rid" of "riding")."""
    lex = lexicon()
    verb, _, rest = r.lemma.partition(" ")
    if verb in _BEARING and not rest and not heads.is_living(r.subject.head):
        return "with"  # a table that holds a vase is a table with a vase
    if verb in lex.verbs.senses or verb in lex.prepositions or not r.text:
        return r.lemma
    written = r.text.split()[0].lower()
    mended = next((v for v in words.variants(written) if v in lex.verbs.senses), verb)
    return f"{mended} {rest}".strip()


_DENYING = re.compile(r"\b(?:no longer|never|far from)\s+$", re.IGNORECASE)
_APART = re.compile(r"\b(?:(far) |(?:well |far )?(away) |a long way )$", re.IGNORECASE)


def denied(graph: SceneGraph, r: Relation) -> bool:
    """Whether the relation is negated, also by the words before its verb ("no longer floats")."""
    if r.negated or not r.spans:
        return r.negated
    start = r.spans[0][0]
    verb = bool(split_verb(r.lemma))
    return verb and bool(_DENYING.search(graph.text[max(0, start - 14) : start]))


def split_verb(lemma: str) -> bool:
    """Whether the relation's first word is a verb rather than a preposition."""
    first = lemma.partition(" ")[0]
    return first not in lexicon().prepositions


def worded(graph: SceneGraph, r: Relation) -> str:
    """``spoken`` with the distance that stands before "from" ("far from the river")."""
    lemma = spoken(r)
    if lemma == "from" and r.spans:
        start = r.spans[0][0]
        if _APART.search(graph.text[max(0, start - 14) : start]):
            return "far from"
    return lemma


def verb_words(lemma: str) -> tuple[str, ...]:
    """The verb of a relation or action, with its particle where the lexicon knows the phrase."""
    lex = lexicon()
    parts = lemma.split()
    found = [lemma] if len(parts) > 1 and lemma in lex.verbs.senses else []
    if len(parts) > 2 and " ".join(parts[:2]) in lex.verbs.senses:
        found.append(" ".join(parts[:2]))
    if parts and (parts[0] not in lex.prepositions or parts[0] in lex.verbs.senses):
        found.append(next((v for v in words.variants(parts[0]) if v in lex.verbs.senses), parts[0]))
    return tuple(found)


def _facts(graph: SceneGraph, entity: Entity) -> list[Fact]:
    lex = lexicon()
    found: list[Fact] = []
    for a in graph.attributes_of(entity):
        told = tuple(dict.fromkeys((*words.content(a.lemma), *words.content(a.text), *_opened(a.text))))
        at = _sentence(graph, a.spans[0][0]) if a.spans else 0
        found.append(Fact(told, "action" if a.kind == "action" else "attribute", a.text, a.negated, at))
        if a.kind == "quantity":
            continue
    for r in graph.relations_of(entity):
        at = _sentence(graph, r.spans[0][0]) if r.spans else 0
        if r.subject.id == entity.id:
            verb = verb_words(spoken(r))
            phrase = f"{r.text} {r.object.head}"
            if verb:
                found.append(Fact(verb, "action", phrase, r.negated, at, r.object.id))
            if r.lemma in _HAVING or r.kind == "part" or set(lex.prepositions.get(r.lemma, ())) & {"with", "of"}:
                compound = tuple(words.tokens(r.object.head))
                found.append(Fact(compound, "having", phrase, r.negated or r.object.negated, at, r.object.id))
        else:
            verb = verb_words(spoken(r))
            if verb:
                found.append(Fact(verb, "object", f"{r.subject.head} {r.text}", r.negated, at, r.subject.id))
            if r.kind == "part" or r.lemma == "of":
                part = tuple(words.tokens(r.subject.head))
                found.append(Fact(part, "having", r.subject.head, r.negated, at, r.subject.id))
    for piece in graph.parts_of(entity):
        found.append(Fact(tuple(words.tokens(piece.head)), "having", piece.head, piece.negated, 0, piece.id))
    base, verb_word = heads.repaired(entity.head)
    if verb_word:
        found.append(Fact((verb_word,), "action", entity.head))
    for word in words.tokens(base)[:-1]:
        found.append(Fact((word,), "compound", entity.head))
    for name in _names(graph, entity):
        for form in heads.singular(name):
            implied = lex.implies.get(form) or lex.implies.get(form.rpartition(" ")[2])
            if implied:
                found.append(Fact(implied, "implied", name))
                break
    return found


def _opened(text: str) -> tuple[str, ...]:
    """Parts of hyphenated words."""
    return tuple(w for w in words.tokens(text) if w not in lexicon().empty) if "-" in text else ()


def _neighbours(graph: SceneGraph, entity: Entity) -> set[int]:
    found = {r.object.id if r.subject.id == entity.id else r.subject.id for r in graph.relations_of(entity)}
    if entity.part_of is not None:
        found.add(entity.part_of)
    found |= {p.id for p in graph.parts_of(entity)}
    found |= set(entity.members)
    found.discard(entity.id)
    return found


def place_words(text: str) -> dict[str, set[str]]:
    """Zones of the picture that a phrase names, by group: {"side": {"left"}, "depth": {"foreground"}}."""
    lex = lexicon()
    found: dict[str, set[str]] = {}
    for word in words.tokens(text):
        for group, value in lex.places.get(word, ()):
            found.setdefault(group, set()).add(value)
    return found


def relation_place(graph: SceneGraph, r: Relation) -> dict[str, set[str]]:
    """The place that a relation to a region says its subject is in."""
    text = " ".join([r.lemma, r.object.head, *(a.lemma for a in graph.attributes_of(r.object))])
    return place_words(text)


def _places(graph: SceneGraph, entity: Entity) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for r in graph.relations_of(entity, role="subject"):
        if r.object.role == "region" and not r.negated:
            for group, values in relation_place(graph, r).items():
                found.setdefault(group, set()).update(values)
    for a in graph.attributes_of(entity):
        if a.kind == "position" and not a.negated:
            for group, values in place_words(f"{a.lemma} {a.text}").items():
                found.setdefault(group, set()).update(values)
    return {k: frozenset(v) for k, v in found.items()}


def _tokens(graph: SceneGraph) -> tuple[Token, ...]:
    """Words of the text with their owners in the graph."""
    owner: dict[int, set[int]] = {}
    head: dict[int, int] = {}
    spans = [(s, a.entity.id) for a in graph.attributes for s in a.spans]
    for (start, end), number in spans:
        for at in range(start, end):
            owner.setdefault(at, set()).add(number)
    for e in graph.entities:
        for m in e.mentions:
            head.setdefault(m.start, e.id)
    found = []
    bounds = list(graph.sentences) or [(0, len(graph.text))]
    for number, (a, b) in enumerate(bounds):
        for match in _WORD.finditer(graph.text, a, b):
            at = match.start()
            found.append(
                Token(match.group().lower(), at, number, tuple(sorted(owner.get(at, ()))), head.get(at))
            )
    return tuple(found)
