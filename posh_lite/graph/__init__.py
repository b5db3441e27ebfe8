"""Text to scene graph: types, extraction, coreference and drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from posh_lite.graph.extract import extract_graph, extract_graphs
    from posh_lite.graph.types import Attribute, Entity, Mention, Relation, SceneGraph

__all__ = ["Attribute", "Entity", "Mention", "Relation", "SceneGraph", "extract_graph", "extract_graphs"]


def __getattr__(name: str) -> Any:
    # Resolved on first use: whoever needs only the types does not pay for the parser's side of the package.
    if name in __all__:
        from importlib import import_module

        home = "extract" if name.startswith("extract") else "types"
        return getattr(import_module(f"posh_lite.graph.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
