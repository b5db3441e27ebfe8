"""Which claims a scene graph holds: entities, values of one property together, interactions, scene context.

Appendix A.1 of "Where Do Long Captions Fail?", by rule. What is said to be absent ("no people", "without a hat") is a
claim of its own about absence: no entity that a caption would have to show. It is borne out where the caption denies
it too, and contradicted where the caption has the thing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from posh_lite.graph.types import Attribute, Entity, Relation, SceneGraph
from posh_lite.judge.lexical.findings import LIMBS
from posh_lite.judge.lexical.lexicon import word_set
from posh_lite.judge.lexical.view import place_words
from posh_lite.position.rubric_wording import Wording
from posh_lite.position.rubric_words import is_scene, property_of
from posh_lite.position.types import ClaimKind
from posh_lite.records import Span

#: Quantities that are no number.
_NO_COUNT = frozenset({"each", "every", "all", "any", "some", "both", "a", "an", "another", "other", "no"})


@dataclass(frozen=True, slots=True)
class Basis:
    """A claim as the components of the reference's graph that it is about, before it gets its number.

    Exactly one of ``entity``, ``attributes`` and ``relation`` is set.
    """

    text: str
    kind: ClaimKind
    keyword: str
    spans: tuple[Span, ...]
    entity: Entity | None = None
    attributes: tuple[Attribute, ...] = ()
    relation: Relation | None = None


#: Relations to what a thing is made of.
_MADE = frozenset(
    f"{verb} {word}" for verb in ("make", "build", "craft", "construct", "carve") for word in ("of", "from", "out of")
)


@dataclass(frozen=True, slots=True)
class Colors:
    """Colours and materials that stand as things ("stripes of lilac", "made of marble"), as properties again."""

    nouns: frozenset[int]  # ids of the entities that are colours or materials
    of: dict[int, tuple[Attribute, ...]]  # by the id of the thing that has them


def colors(graph: SceneGraph) -> Colors:
    """The colours of a graph that stand as things behind "of" or "in", and the materials that things are made of."""
    from posh_lite.judge.lexical import heads, words
    from posh_lite.judge.lexical.lexicon import lexicon

    nouns: set[int] = set()
    of: dict[int, tuple[Attribute, ...]] = {}
    for r in graph.relations:
        o, s = r.object, r.subject
        last = o.head.rpartition(" ")[2]
        if r.negated or not o.mentions or s.role != "thing":
            continue
        colored = r.lemma.split()[-1] in ("of", "in") and words.is_color(last) and not heads.senses(o.head)
        made = r.lemma in _MADE and last in lexicon().exclusive["material"].senses
        if not (colored or made):
            continue
        start, end = o.mentions[0].phrase
        said = " ".join(w for w in graph.text[start:end].split() if w.lower() not in ("a", "an", "the"))
        nouns.add(o.id)
        of[s.id] = (*of.get(s.id, ()), Attribute(-1 - r.id, s, said, said.lower(), ((start, end),)))
    return Colors(frozenset(nouns), of)


def bases(graph: SceneGraph) -> list[Basis]:
    """Every claim of a graph, in the order of the reference; duplicates are still in."""
    wording = Wording(graph)
    found = [*_entities(graph, wording), *_attributes(graph, wording), *_relations(graph, wording)]
    return sorted(found, key=lambda b: b.spans[:1] or ((len(graph.text), 0),))


def _entities(graph: SceneGraph, wording: Wording) -> Iterator[Basis]:
    colored = colors(graph)
    for e in graph.entities:
        if e.id in colored.nouns:
            continue
        if not e.verifiable or not e.mentions or e.head in _PRONOUNS:
            continue
        if e.head in LIMBS and not e.negated:
            continue  # every living being has one: what is said of it is the claim
        kind: ClaimKind = "Scene_Context" if e.negated or is_scene(e) else "Entity"
        yield Basis(wording.entity(e), kind, _last(e.head), (e.mentions[0].span,), entity=e)


_PRONOUNS = word_set(
    "it he she they one ones other others another both each some few which that who this these those something"
)


def _attributes(graph: SceneGraph, wording: Wording) -> Iterator[Basis]:
    colored = colors(graph)
    for e in graph.entities:
        if e.role == "viewer" or e.negated or e.id in colored.nouns:
            continue
        groups: dict[tuple[object, ...], list[Attribute]] = {}
        for a in (*graph.attributes_of(e), *colored.of.get(e.id, ())):
            if a.kind == "quantity" and a.lemma in _NO_COUNT:
                continue
            if e.role == "region" and (a.kind == "position" or place_words(a.text)):
                continue  # "the lower right": part of the name of the zone
            of = property_of(a)
            alone = a.kind != "property" or not of
            sentence = next((k for k, s in enumerate(graph.sentences) if a.spans and s[0] <= a.spans[0][0] < s[1]), -1)
            groups.setdefault((of, a.negated, sentence, a.id if alone else -1), []).append(a)
        for group in groups.values():
            first = group[0]
            kind: ClaimKind = (
                "Scene_Context" if is_scene(e)
                else "Interaction" if first.kind == "action"
                else "Visual_Detail"
            )
            spans = tuple(span for a in group for span in a.spans)
            yield Basis(wording.attributes(group), kind, _word(first.text), spans, attributes=tuple(group))


def _relations(graph: SceneGraph, wording: Wording) -> Iterator[Basis]:
    colored = colors(graph)
    for r in graph.relations:
        if r.object.id in colored.nouns or r.subject.id in colored.nouns:
            continue
        if r.subject.role in ("viewer", "region") or r.subject.negated or r.kind == "part":
            continue  # a part is claimed as an entity of its whole
        if r.lemma in _NO_FACT:
            continue
        if r.subject.id == r.object.id or (r.object.role == "picture" and not r.negated):
            continue
        kind: ClaimKind = (
            "Scene_Context" if is_scene(r.subject) or (is_scene(r.object) and r.object.role != "region")
            else "Interaction"
        )
        keyword = _word(r.text) if r.kind == "verb" else _last(r.object.head)
        yield Basis(wording.relation(r), kind, keyword, r.spans, relation=r)


#: Words between two things that state nothing of the first.
_NO_FACT = frozenset({
    "except", "except for", "apart from", "aside from", "instead of", "rather than", "other than", "like", "as", "than",
    "despite", "because of", "due to", "according to",
})  # fmt: skip


def _last(head: str) -> str:
    return head.split()[-1] if head.split() else head


def _word(text: str) -> str:
    """The word of a phrase that carries its meaning: the last of a property, the verb of an action."""
    from posh_lite.judge.lexical import words

    said = words.content(text)
    if not said:
        return text.lower()
    return said[0] if len(text.split()) > 1 and text.split()[0].lower().endswith(("ing", "s")) else said[-1]
