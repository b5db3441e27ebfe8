"""The SVG drawing of a scene graph: boxes and arrows for a caption, cards in columns for a long description."""

from __future__ import annotations

from posh_lite.graph.draw_cards import draw_cards, wrap
from posh_lite.graph.draw_ink import Kind, Mark, figure, words
from posh_lite.graph.draw_network import draw_network
from posh_lite.graph.draw_outline import entity_labels, outline, walk
from posh_lite.graph.types import SceneGraph

_MARGIN, _LINE = 14.0, 26.0


def to_svg(graph: SceneGraph, *, title: str | None = None) -> str:
    """Draw a graph as a self-contained SVG document, without any library.

    Few entities are drawn as boxes joined by labelled arrows; many as cards, where each relation is a row. Long
    words are cut with an ellipsis and kept whole in a tooltip. Light and dark follow the reader's setting.

    Args:
        graph: any scene graph, also an empty one.
        title: name of the figure for screen readers; by default the beginning of the text.

    Returns:
        The ``<svg>`` element, with ``role="img"``, a title and a description. Equal graphs give equal drawings.
    """
    labels = entity_labels(graph)
    roots = outline(graph)
    if not roots:
        body = words("nothing to draw: the text names no entity", _MARGIN, 25)
        return figure(graph, 300, 50, body, title or "Empty scene graph", "A scene graph without entities.")
    network = draw_network(graph, labels)
    width, height, body = network or draw_cards(roots, labels)
    elsewhere = network is None and any(branch.reference for branch in walk(roots))
    low, legend = _legend(graph, width, height, elsewhere)
    beginning = " ".join(graph.text.split())
    beginning = beginning if len(beginning) <= 60 else beginning[:59].rstrip() + "…"
    return figure(graph, width, low, body + legend, title or f"Scene graph of “{beginning}”", describe(graph))


def describe(graph: SceneGraph) -> str:
    """The picture in words: how much of each there is, and the entities by name."""
    labels = entity_labels(graph)
    names = ", ".join(labels[branch.entity.id] for branch in walk(outline(graph)) if not branch.reference)
    counts = [(len(graph.entities), "entity", "entities"), (len(graph.attributes), "attribute", "attributes"),
              (len(graph.relations), "relation", "relations")]  # fmt: skip
    said = ", ".join(f"{number} {one if number == 1 else many}" for number, one, many in counts)
    return f"{said}. Entities: {names}."


def _legend(graph: SceneGraph, width: float, height: float, elsewhere: bool) -> tuple[float, str]:
    """The key to the marks that occur, below the drawing; returns the new height too."""
    shapes: list[Kind] = ["property", "quantity", "action", "position"]
    used = {a.kind for a in graph.attributes}
    marks = [Mark("note", "Key:"), Mark("entity", "entity")]
    marks += [Mark(kind, kind) for kind in shapes if kind in used]
    if graph.relations:
        marks.append(Mark("relation", "relation →"))
    if elsewhere:
        marks.append(Mark("reference", "described elsewhere"))
    if any(x.negated for x in graph.components()):
        marks.append(Mark("property", "said to be absent", absent=True))
    body: list[str] = []
    lines = wrap(marks, _MARGIN, width=width)
    for number, line in enumerate(lines):
        at = line.indent
        for mark in line.marks:
            body.append(mark.draw(at, height + _LINE * (number + 0.5)))
            at += mark.width + 8
    return height + _LINE * len(lines) + 8, "".join(body)
