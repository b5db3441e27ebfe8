"""Text to scene graph: types, extraction, coreference and drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from posh_lite._lazy import resolver

if TYPE_CHECKING:
    from posh_lite.graph.extract import extract_graph, extract_graphs
    from posh_lite.graph.types import Attribute, Entity, Mention, Relation, SceneGraph

_HOMES = {
    **dict.fromkeys(("extract_graph", "extract_graphs"), "posh_lite.graph.extract"),
    **dict.fromkeys(("Attribute", "Entity", "Mention", "Relation", "SceneGraph"), "posh_lite.graph.types"),
}
__all__ = ["Attribute", "Entity", "Mention", "Relation", "SceneGraph", "extract_graph", "extract_graphs"]
# Whoever needs only the types does not pay for the parser's side of the package.
__getattr__ = resolver(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
