"""Identifiers: phrases that single an entity out, from the simplest to the most specific.

Implements the templating of the PoSh paper (section "Granular Scoring", appendix "Granular QA Templating"): the
head alone if no other entity shares it, the head with an attribute that no namesake has, another surface form, a
relation that no namesake has, and for a part "X of" its whole. Entities that nothing tells apart still get one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from posh_lite.graph.types import Attribute, Entity, Relation, SceneGraph
from posh_lite.judge.contract import Identifier
from posh_lite.metric.phrases import as_written, bare, definite, in_sentence, squeeze, with_attribute, with_relation

#: Which attributes are tried first as a distinguishing mark.
_ATTRIBUTE_ORDER = {"property": 0, "quantity": 1, "position": 2, "action": 3}
_MAX_ATTRIBUTES = 2


def uses(identifier: Identifier | None, component: Entity | Attribute | Relation) -> bool:
    """Whether the identifier is built on the component, so that asking for it would be circular."""
    while identifier is not None:
        if isinstance(component, Attribute):
            if identifier.attribute is not None and identifier.attribute.id == component.id:
                return True
        elif isinstance(component, Relation):
            if identifier.relation is not None and identifier.relation.id == component.id:
                return True
        elif identifier.relation is not None and component.id in (
            identifier.relation.subject.id, identifier.relation.object.id
        ):
            return True
        identifier = identifier.whole
        if isinstance(component, Entity) and identifier is not None and identifier.entity.id == component.id:
            return True
    return False


class Namer:
    """Finds the identifiers of the entities of one graph.

    Args:
        graph: the source graph.
        limit: the most identifiers of its own that an entity gets (the part-of identifier comes on top).
    """

    def __init__(self, graph: SceneGraph, limit: int = 4) -> None:
        if limit < 1:
            raise ValueError(f"limit must be at least 1, got {limit}")
        self.graph, self.limit = graph, limit
        self._by_head: dict[str, list[Entity]] = defaultdict(list)
        self._forms: dict[str, set[int]] = defaultdict(set)
        for entity in graph.entities:
            # The viewer and regions are no rivals for a name; what is said to be absent is none either.
            if entity.negated or entity.role in ("viewer", "region"):
                continue
            self._by_head[entity.head].append(entity)
            for form in _forms(entity):
                self._forms[form].add(entity.id)
        self._own: dict[int, list[Identifier]] = {}

    def namesakes(self, entity: Entity) -> list[Entity]:
        """Other entities with the same head; a group is not mistaken for a single one of its kind."""
        rivals = self._by_head.get(entity.head, ())
        return [e for e in rivals if e.id != entity.id and (e.plural or not entity.plural)]

    def plain(self, entity: Entity) -> Identifier:
        """The head alone, whether or not others share it."""
        return Identifier(definite(entity), entity)

    def own(self, entity: Entity) -> list[Identifier]:
        """The entity's identifiers that do not go through a whole, from the simplest; never empty."""
        if entity.id not in self._own:
            self._own[entity.id] = self._find(entity)
        return self._own[entity.id]

    def every(self, entity: Entity) -> list[Identifier]:
        """The identifiers of the paper's pseudocode without any limit: what asking exhaustively takes."""
        namesakes = self.namesakes(entity)
        found = [] if namesakes else [self.plain(entity)]
        for mark in self._marks(entity, namesakes):
            found.append(Identifier(self._marked(entity, mark), entity, "attribute", attribute=mark))
        return found or self._related(entity, namesakes, most=None) or self.own(entity)

    def replace(self, entity: Entity, identifiers: Iterable[Identifier]) -> None:
        """Put rewritten identifiers in the place of the entity's own."""
        self._own[entity.id] = list(identifiers)

    def part(self, entity: Entity, whole: Identifier) -> Identifier:
        """The entity as part of a whole that has been named: "the left hand of the woman in white"."""
        siblings = [e for e in self._by_head.get(entity.head, ()) if e.part_of == entity.part_of and e.id != entity.id]
        mark = next(iter(self._marks(entity, siblings)), None) if siblings else None
        phrase = definite(entity) if mark is None else self._marked(entity, mark)
        return Identifier(f"{phrase} of {whole.text}", entity, "part", attribute=mark, whole=whole)

    def _find(self, entity: Entity) -> list[Identifier]:
        namesakes = self.namesakes(entity)
        found: list[Identifier] = []
        if not namesakes:
            found.append(self.plain(entity))
        for attribute in self._marks(entity, namesakes)[:_MAX_ATTRIBUTES]:
            found.append(Identifier(self._marked(entity, attribute), entity, "attribute", attribute=attribute))
        for form in _forms(entity):
            if form != entity.head and form != bare(entity).lower() and self._forms[form] <= {entity.id}:
                found.append(Identifier(definite(entity, form), entity, "surface"))
                break
        if not found:  # as in the paper's pseudocode, relations only where nothing simpler tells apart
            found.extend(self._related(entity, namesakes))
        if not found:
            found.append(Identifier(definite(entity, as_written(self.graph, entity)), entity))
        unique: dict[str, Identifier] = {}
        for identifier in found:
            unique.setdefault(identifier.text.lower(), identifier)
        return list(unique.values())[: self.limit]

    def _marked(self, entity: Entity, attribute: Attribute) -> str:
        return with_attribute(entity, attribute, in_sentence(self.graph, attribute.text, attribute.spans))

    def _marks(self, entity: Entity, namesakes: list[Entity]) -> list[Attribute]:
        """Attributes of the entity that no namesake has, the best marks first."""
        taken = {a.lemma for other in namesakes for a in self.graph.attributes_of(other) if not a.negated}
        marks: dict[str, Attribute] = {}
        for attribute in self.graph.attributes_of(entity):
            if attribute.negated or attribute.lemma in taken or not squeeze(attribute.text):
                continue
            if attribute.kind == "quantity" and not entity.plural:
                continue
            marks.setdefault(attribute.lemma, attribute)
        return sorted(marks.values(), key=lambda a: (_ATTRIBUTE_ORDER.get(a.kind, 9), a.id))

    def _related(self, entity: Entity, namesakes: list[Entity], most: int | None = 1) -> list[Identifier]:
        """Identifiers by a relation that no namesake has, those in which the entity is the subject first."""
        taken = {_edge(r, other) for other in namesakes for r in self.graph.relations_of(other)}
        edges = [
            r for r in self.graph.relations_of(entity)
            if not r.negated and r.kind != "part" and r.subject.id != r.object.id
            and _other(r, entity).role != "viewer" and not _other(r, entity).negated
            and _edge(r, entity) not in taken
        ]
        edges.sort(key=lambda r: (r.subject.id != entity.id, r.id))
        return [
            Identifier(with_relation(entity, r, definite(_other(r, entity))), entity, "relation", relation=r)
            for r in edges[:most]
        ]


def _forms(entity: Entity) -> list[str]:
    """Lower-case nouns and names that the text calls the entity by, in the order of the text."""
    forms = [entity.head, *(squeeze(m.text).lower() for m in entity.mentions if m.kind in ("noun", "name"))]
    # A plural of the head is the same word, not another name.
    tail = entity.head.split()[-1] if entity.head.split() else ""
    return list(dict.fromkeys(f for f in forms if f and (f == entity.head or not _same_word(f, tail))))


def _same_word(form: str, lemma: str) -> bool:
    if form == lemma or form in (lemma + "s", lemma + "es"):
        return True
    return lemma.endswith("y") and form == lemma[:-1] + "ies"


def _other(relation: Relation, entity: Entity) -> Entity:
    return relation.object if relation.subject.id == entity.id else relation.subject


def _edge(relation: Relation, entity: Entity) -> tuple[str, str, bool]:
    """What the relation says of the entity, for comparison with a namesake's."""
    return (relation.lemma, _other(relation, entity).head, relation.subject.id == entity.id)
