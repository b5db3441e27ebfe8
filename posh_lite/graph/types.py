"""The scene graph: entities with their mentions, attributes and relations, all localized to spans.

Implements ``G(d) = <O(d), E(d), K(d)>`` of the PoSh paper, section "PoSh", paragraph "Scene Graph
Extraction", with the attachments kept: an attribute and a relation always know whose they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from posh_lite.records import Span

MentionKind = Literal["noun", "name", "pronoun", "possessive", "relative"]
#: ``thing``: to be verified. ``viewer``: "us", "our". ``region``: "left", "foreground", the side or zone of the
#: picture. ``picture``: the work itself ("this painting", "the image"). ``writing``: quoted words in the picture.
#: ``unresolved``: a pronoun without an antecedent ("she" in a first sentence); it keeps its claims, not its presence.
Role = Literal["thing", "viewer", "region", "picture", "writing", "unresolved"]
AttributeKind = Literal["property", "quantity", "action", "position"]
RelationKind = Literal["verb", "preposition", "part"]


@dataclass(frozen=True, slots=True)
class Mention:
    """One place where a text speaks of an entity."""

    start: int  # of the head word, "woman" in "the tall woman in white"
    end: int
    text: str  # the head word as written
    phrase: Span  # the whole noun phrase without relative clauses and attached prepositional phrases
    sentence: int  # 0-based
    kind: MentionKind = "noun"

    @property
    def span(self) -> Span:
        return (self.start, self.end)


@dataclass(frozen=True, slots=True)
class Entity:
    """An object of the scene: every mention of it, merged by coreference."""

    id: int  # position in ``SceneGraph.entities``
    head: str  # class name: lower-case lemma of the head, compounds included ("wine glass")
    mentions: tuple[Mention, ...]  # in text order; the first names it
    plural: bool = False
    count: int | None = None  # stated number ("three men" -> 3); None where none is stated
    role: Role = "thing"
    part_of: int | None = None  # id of the whole ("face" of the man)
    members: tuple[int, ...] = ()  # ids of the entities that a group name stands for ("the trio")
    negated: bool = False  # "no people": a fact about absence

    @property
    def spans(self) -> tuple[Span, ...]:
        """Head spans of all mentions, in text order."""
        return tuple(m.span for m in self.mentions)

    @property
    def verifiable(self) -> bool:
        """Whether a judge is asked for its presence: the viewer, regions and the work itself are not."""
        return self.role in ("thing", "writing")


@dataclass(frozen=True, slots=True)
class Attribute:
    """A property, quantity, intransitive action or position of one entity."""

    id: int
    entity: Entity
    text: str  # as written: "dark gray", "three", "sits", "to our left"
    lemma: str  # lower-case, lemmatized
    spans: tuple[Span, ...]  # one for contiguous words; several mentions of the same attribute give several
    kind: AttributeKind = "property"
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation between two entities: a verb, a preposition, both ("leans on") or part-of."""

    id: int
    subject: Entity
    text: str  # as written: "leans on", "in front of"
    lemma: str  # lower-case, lemmatized: "lean on"
    object: Entity
    spans: tuple[Span, ...]  # of the relation words alone
    kind: RelationKind = "preposition"
    negated: bool = False
    passive: bool = False  # True where the surface was passive; subject and object are as in the active reading


@dataclass(frozen=True, slots=True)
class SceneGraph:
    """The graph of one text. ``signature`` names the parser and the coreference resolver that made it."""

    text: str
    entities: tuple[Entity, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    relations: tuple[Relation, ...] = ()
    sentences: tuple[Span, ...] = ()
    signature: str = ""
    _attributes: dict[int, tuple[Attribute, ...]] = field(default_factory=dict, repr=False, compare=False)
    _relations: dict[int, tuple[Relation, ...]] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        for attribute in self.attributes:
            key = attribute.entity.id
            self._attributes[key] = (*self._attributes.get(key, ()), attribute)
        for relation in self.relations:
            for key in {relation.subject.id, relation.object.id}:
                self._relations[key] = (*self._relations.get(key, ()), relation)

    def attributes_of(self, entity: Entity | int) -> tuple[Attribute, ...]:
        """Attributes that hang on the entity, in text order."""
        return self._attributes.get(entity if isinstance(entity, int) else entity.id, ())

    def relations_of(
        self, entity: Entity | int, *, role: Literal["subject", "object", "any"] = "any"
    ) -> tuple[Relation, ...]:
        """Relations in which the entity takes part, as the subject, the object or either."""
        key = entity if isinstance(entity, int) else entity.id
        found = self._relations.get(key, ())
        if role == "any":
            return found
        return tuple(r for r in found if getattr(r, role).id == key)

    def parts_of(self, entity: Entity | int) -> tuple[Entity, ...]:
        """Entities that are part of the entity."""
        key = entity if isinstance(entity, int) else entity.id
        return tuple(e for e in self.entities if e.part_of == key)

    def components(self) -> Iterator[Entity | Attribute | Relation]:
        """Entities, then attributes, then relations."""
        yield from self.entities
        yield from self.attributes
        yield from self.relations

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready dictionary; entities are referred to by id."""
        return {
            "signature": self.signature,
            "text": self.text,
            "sentences": [list(s) for s in self.sentences],
            "entities": [
                {
                    "id": e.id, "head": e.head, "role": e.role, "plural": e.plural, "count": e.count,
                    "part_of": e.part_of, "members": list(e.members), "negated": e.negated,
                    "spans": [list(s) for s in e.spans],
                    "mentions": [
                        {"text": m.text, "span": [m.start, m.end], "phrase": list(m.phrase),
                         "sentence": m.sentence, "kind": m.kind}
                        for m in e.mentions
                    ],
                }
                for e in self.entities
            ],
            "attributes": [
                {"id": a.id, "entity": a.entity.id, "text": a.text, "lemma": a.lemma, "kind": a.kind,
                 "negated": a.negated, "spans": [list(s) for s in a.spans]}
                for a in self.attributes
            ],
            "relations": [
                {"id": r.id, "subject": r.subject.id, "text": r.text, "lemma": r.lemma, "object": r.object.id,
                 "kind": r.kind, "negated": r.negated, "passive": r.passive, "spans": [list(s) for s in r.spans]}
                for r in self.relations
            ],
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """:meth:`to_dict` as JSON text, with the characters of the text kept as they are."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def to_svg(self, *, title: str | None = None) -> str:
        """The graph as an SVG drawing. See :func:`posh_lite.graph.draw.to_svg`."""
        from posh_lite.graph.draw import to_svg

        return to_svg(self, title=title)

    def to_html(self, *, title: str | None = None, document: bool = False) -> str:
        """The text with its spans marked. See :func:`posh_lite.graph.draw.to_html`."""
        from posh_lite.graph.draw import to_html

        return to_html(self, title=title, document=document)

    def __str__(self) -> str:
        from posh_lite.graph.draw import to_text

        return to_text(self)

    def _repr_html_(self) -> str:
        return self.to_svg()
