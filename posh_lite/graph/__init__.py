"""Text to scene graph: types, extraction, coreference and drawing."""

from __future__ import annotations

from posh_lite.graph.extract import extract_graph, extract_graphs
from posh_lite.graph.types import Attribute, Entity, Mention, Relation, SceneGraph

__all__ = ["Attribute", "Entity", "Mention", "Relation", "SceneGraph", "extract_graph", "extract_graphs"]
