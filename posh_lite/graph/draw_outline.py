"""What a drawing says, before how it looks: names for the entities and the outline they are listed in.

An entity has one home in the outline: under the whole that it is part of, under the only relation that leads
to it, or at the top. Everywhere else it is only referred to by its name, so nothing is described twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from posh_lite.graph.types import Attribute, Entity, Relation, SceneGraph

_MAX_DEPTH = 3  # deeper nesting is unreadable in a column
_MAX_MENTIONS_NESTED = 2  # an entity spoken of more often than this deserves a place of its own


@dataclass(frozen=True, slots=True)
class Branch:
    """One entry of the outline."""

    entity: Entity
    relation: Relation | None = None  # how the parent leads here
    part: bool = False  # nested as part of the parent
    reference: bool = False  # described elsewhere
    attributes: tuple[Attribute, ...] = ()
    children: tuple[Branch, ...] = ()


def surface(entity: Entity) -> str:
    """The class name as a reader expects it: plural where the entity is plural ("wine glasses")."""
    first = next((m for m in entity.mentions if m.kind in ("noun", "name")), None)
    if first is not None and first.kind == "name":
        return " ".join(first.text.split())
    if not entity.plural or first is None:
        return entity.head or (entity.mentions[0].text if entity.mentions else "?")
    written = " ".join(first.text.lower().split())
    return written if len(written) >= len(entity.head) else " ".join([*entity.head.split()[:-1], written])


def entity_labels(graph: SceneGraph) -> dict[int, str]:
    """A name for every entity id, unique within the graph: namesakes are numbered in text order."""
    names = {e.id: ("no " if e.negated else "") + (surface(e) if e.role != "viewer" else "viewer")
             for e in graph.entities}
    for entity in graph.entities:  # a group that only a pronoun names is called by its members
        if entity.members and not any(m.kind in ("noun", "name") for m in entity.mentions):
            names[entity.id] = " and ".join(names[m] for m in entity.members if m in names and m != entity.id)
    groups: dict[str, list[int]] = {}
    for identity, name in names.items():
        groups.setdefault(name.lower(), []).append(identity)
    return {
        identity: name if len(groups[name.lower()]) == 1 else f"{name} {groups[name.lower()].index(identity) + 1}"
        for identity, name in names.items()
    }


def attribute_words(attribute: Attribute) -> str:
    """The attribute as shown: "not red" where it is negated."""
    words = " ".join(attribute.text.split()) or attribute.lemma
    return f"not {words}" if attribute.negated else words


def relation_words(relation: Relation) -> str:
    """The relation read from its subject to its object; a passive gives its active verb."""
    words = " ".join((relation.lemma if relation.passive else relation.text).lower().split()) or relation.lemma
    if relation.passive:
        words = words.removesuffix(" by")
    said = relation.object.negated or relation.subject.negated or words.startswith(("without", "not ", "no "))
    return words if said or not relation.negated else f"not {words}"


def whole_link(graph: SceneGraph, entity: Entity) -> Relation | None:
    """The relation that leads from the whole to its part ("wears"), or says that it is one ("of"), if any."""
    links = [
        r for r in graph.relations_of(entity)
        if (r.subject.id, r.object.id) == (entity.part_of, entity.id)
        or (r.kind == "part" and (r.subject.id, r.object.id) == (entity.id, entity.part_of))
    ]  # fmt: skip
    return min(links, key=lambda r: (r.subject.id == entity.id, _position(r)), default=None)


def lead(branch: Branch) -> str:
    """The words that lead from the parent to the branch: those of the relation, or "part"."""
    relation = branch.relation
    if relation is not None and not (branch.part and relation.subject.id == branch.entity.id):
        return relation_words(relation)
    return "part" if branch.part else ""


def _position(item: Relation | Entity) -> tuple[int, int]:
    spans = item.spans
    return min(spans) if spans else (0, 0)


def _parents(graph: SceneGraph) -> dict[int, tuple[int, Relation | None]]:
    """Where each nested entity lives: the id of its parent and the relation that leads there."""
    parents: dict[int, tuple[int, Relation | None]] = {}
    known = {e.id for e in graph.entities}

    def depth_if_placed(child: int, parent: int) -> int | None:
        depth, seen = 1, {child}
        while True:
            if parent in seen:
                return None
            seen.add(parent)
            if parent not in parents:
                return depth
            parent, depth = parents[parent][0], depth + 1

    for entity in graph.entities:
        whole = entity.part_of
        if whole is not None and whole in known and depth_if_placed(entity.id, whole) is not None:
            link = whole_link(graph, entity)
            parents[entity.id] = (whole, link)
    for entity in graph.entities:
        if entity.id in parents or entity.role == "viewer" or entity.members:
            continue
        incoming = [r for r in graph.relations_of(entity, role="object") if r.subject.id != entity.id]
        if len(entity.mentions) > _MAX_MENTIONS_NESTED or len({r.subject.id for r in incoming}) != 1:
            continue
        if _position(incoming[0].subject) > _position(entity):
            continue  # told of first, described first
        depth = depth_if_placed(entity.id, incoming[0].subject.id)
        if depth is not None and depth <= _MAX_DEPTH:
            parents[entity.id] = (incoming[0].subject.id, min(incoming, key=_position))
    return parents


def outline(graph: SceneGraph) -> tuple[Branch, ...]:
    """The entities as a forest, roots and children in text order."""
    parents = _parents(graph)
    entities = {e.id: e for e in graph.entities}
    children: dict[int, list[int]] = {}
    for child, (parent, _) in parents.items():
        children.setdefault(parent, []).append(child)
    used = {link.id for _, link in parents.values() if link is not None}
    # That a part is "of" its whole is said by where it stands.
    used |= {r.id for r in graph.relations if r.kind == "part" and r.subject.part_of == r.object.id}

    def grow(identity: int, relation: Relation | None = None, part: bool = False) -> Branch:
        entity = entities[identity]
        rows: list[tuple[tuple[int, int], Branch]] = []
        for child in children.get(identity, ()):
            link = parents[child][1]
            is_part = entities[child].part_of == identity
            rows.append((_position(link or entities[child]), grow(child, link, is_part)))
        for other in graph.relations_of(entity, role="subject"):
            if other.id not in used:
                rows.append((_position(other), Branch(other.object, other, reference=True)))
        rows.sort(key=lambda row: row[0])
        return Branch(entity, relation, part, attributes=graph.attributes_of(entity),
                      children=tuple(branch for _, branch in rows))

    return tuple(grow(e.id) for e in graph.entities if e.id not in parents)


def walk(branches: tuple[Branch, ...]) -> Iterator[Branch]:
    """Every branch of the outline, parents first."""
    for branch in branches:
        yield branch
        yield from walk(branch.children)


def notes(entity: Entity, labels: dict[int, str], attributes: tuple[Attribute, ...]) -> list[str]:
    """What else is to be said of an entity: a stated number that no attribute shows, and the members of a group."""
    found = []
    if entity.count is not None and not any(a.kind == "quantity" for a in attributes):
        found.append(f"number {entity.count}")
    if entity.members and any(m.kind in ("noun", "name") for m in entity.mentions):
        found.append("= " + ", ".join(labels[m] for m in entity.members if m in labels))
    return found
