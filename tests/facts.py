"""A scene graph as a set of short readable facts, for tests.

``hat``, ``3 dog`` and ``no people`` are entities; ``hat: red`` and ``hat: not red`` attributes;
``woman | wear | hat`` and ``man | not wear | hat`` relations; ``hat < woman`` says part of; ``left = region`` a role.
"""

from __future__ import annotations

from posh_lite.graph.types import SceneGraph


def facts(graph: SceneGraph) -> set[str]:
    """Every claim of the graph, entities named by their class."""
    found: set[str] = set()
    for entity in graph.entities:
        if entity.role in ("thing", "writing"):
            count = f"{entity.count} " if entity.count is not None else ""
            found.add(("no " if entity.negated else count) + entity.head)
        if entity.role != "thing":
            found.add(f"{entity.head} = {entity.role}")
        if entity.part_of is not None:
            found.add(f"{entity.head} < {graph.entities[entity.part_of].head}")
    for attribute in graph.attributes:
        found.add(f"{attribute.entity.head}: {'not ' if attribute.negated else ''}{attribute.lemma}")
    for relation in graph.relations:
        found.add(
            f"{relation.subject.head} | {'not ' if relation.negated else ''}{relation.lemma} | {relation.object.head}"
        )
    return found
