"""Drawing a scene graph: as a tree in plain text, as an SVG picture, and as the text itself with its spans marked.

Nothing here needs a library. The same graph always gives the same drawing.
"""

from __future__ import annotations

from posh_lite.graph.draw_html import to_html
from posh_lite.graph.draw_outline import (
    Branch,
    attribute_words,
    entity_labels,
    lead,
    notes,
    outline,
)
from posh_lite.graph.draw_svg import to_svg
from posh_lite.graph.types import SceneGraph

__all__ = ["to_html", "to_svg", "to_text"]


def _line(branch: Branch, labels: dict[int, str]) -> str:
    name = labels[branch.entity.id]
    if not branch.reference:
        said = [attribute_words(a) for a in branch.attributes] + notes(branch.entity, labels, branch.attributes)
        if said:
            name += f" [{', '.join(said)}]"
        more = len(branch.entity.mentions)
        if more > 1:
            name += f" ({more} mentions)"
    words = lead(branch)
    return f"{words} -> {name}" if words else name


def to_text(graph: SceneGraph) -> str:
    """The graph as a tree in plain text.

    One line an entity: its name (namesakes numbered), its attributes in brackets, and how often the text
    mentions it. Below it come its parts and its relations; what a relation leads to is described in place when
    nothing else leads there, otherwise it is only named and described on a line of its own.

    Args:
        graph: any scene graph, also an empty one.

    Returns:
        Lines without a trailing line break; ``"(empty graph)"`` where there is nothing to show.
    """
    labels = entity_labels(graph)
    lines: list[str] = []

    def grow(branches: tuple[Branch, ...], indent: str) -> None:
        for index, branch in enumerate(branches):
            last = index == len(branches) - 1
            lines.append(f"{indent}{'└─' if last else '├─'} {_line(branch, labels)}")
            grow(branch.children, indent + ("   " if last else "│  "))

    for root in outline(graph):
        lines.append(_line(root, labels))
        grow(root.children, "")
    return "\n".join(lines) or "(empty graph)"
