"""A graph of few entities as boxes joined by labelled arrows, read from left to right."""

from __future__ import annotations

from dataclasses import dataclass, field

from posh_lite.graph.draw_cards import chip, wrap
from posh_lite.graph.draw_ink import Mark, measure, n, rect
from posh_lite.graph.draw_outline import notes, relation_words, whole_link
from posh_lite.graph.types import Entity, SceneGraph

_PAD, _LINE, _GAP, _BOX = 10.0, 24.0, 22.0, 210.0
_PORT = 24.0  # between two arrows that end at the same box
_LABEL = 170.0  # longest edge label
_MAX_ENTITIES, _MAX_EDGES, _MAX_LAYERS = 9, 11, 4


@dataclass(slots=True)
class _Edge:
    source: int
    target: int
    label: str
    part: bool = False
    negated: bool = False
    reversed: bool = False  # drawn from its object to its subject, with the arrow at the start
    path: list[int] = field(default_factory=list)  # nodes it runs through, dummies included


@dataclass(slots=True)
class _Node:
    layer: int = 0
    lines: list[list[Mark]] = field(default_factory=list)
    width: float = 0.0
    height: float = _PORT
    top: float = 0.0
    left: float = 0.0
    dummy: bool = False
    absent: bool = False
    ins: list[int] = field(default_factory=list)  # edge numbers, top to bottom
    outs: list[int] = field(default_factory=list)

    def port(self, edges: list[int], edge: int) -> float:
        """Height at which an edge meets the box."""
        if self.dummy:
            return self.top + self.height / 2
        return self.top + self.height * (edges.index(edge) + 1) / (len(edges) + 1)


def _edges(graph: SceneGraph) -> list[_Edge]:
    links = {e.id: whole_link(graph, e) for e in graph.entities if e.part_of not in (None, e.id)}
    told = {r.id for identity, r in links.items() if r is not None and r.subject.id == identity}
    edges = [
        _Edge(r.subject.id, r.object.id, relation_words(r), r.kind == "part", r.negated)
        for r in sorted(graph.relations, key=lambda r: (min(r.spans, default=(0, 0)), r.id))
        if r.subject.id != r.object.id and r.id not in told
    ]
    edges += [
        _Edge(e.part_of, e.id, "part", True)
        for e in graph.entities
        if e.part_of is not None and e.id in links and ((link := links[e.id]) is None or link.id in told)
    ]
    return edges


def _layers(entities: tuple[Entity, ...], edges: list[_Edge]) -> dict[int, int]:
    """The column of each entity: one to the right of everything that leads to it; cycles are turned round."""
    order = {e.id: i for i, e in enumerate(entities)}
    state: dict[int, int] = {}

    def visit(node: int) -> None:
        state[node] = 1
        for edge in edges:
            if edge.source == node and not edge.reversed:
                if state.get(edge.target) == 1:
                    edge.source, edge.target, edge.reversed = edge.target, edge.source, True
                elif edge.target not in state:
                    visit(edge.target)
        state[node] = 2

    for node in order:
        if node not in state:
            visit(node)
    layer = dict.fromkeys(order, 0)
    for _ in order:
        for edge in edges:
            layer[edge.target] = max(layer[edge.target], layer[edge.source] + 1)
    return layer


def draw_network(graph: SceneGraph, labels: dict[int, str]) -> tuple[float, float, str] | None:
    """Width, height and body of the drawing, or None where boxes and arrows would be hard to read."""
    edges = _edges(graph)
    known = {e.id for e in graph.entities}
    edges = [e for e in edges if e.source in known and e.target in known]
    if not edges or len(graph.entities) > _MAX_ENTITIES or len(edges) > _MAX_EDGES:
        return None
    layer = _layers(graph.entities, edges)
    if max(layer.values()) >= _MAX_LAYERS:
        return None
    nodes = {e.id: _box(graph, e, labels, layer[e.id]) for e in graph.entities}
    fresh = max(nodes) + 1
    for number, edge in enumerate(edges):
        edge.path = [edge.source]
        for column in range(layer[edge.source] + 1, layer[edge.target]):
            nodes[fresh] = _Node(column, height=_PORT, dummy=True)
            edge.path.append(fresh)
            fresh += 1
        edge.path.append(edge.target)
        for here, there in zip(edge.path, edge.path[1:], strict=False):
            nodes[here].outs.append(number)
            nodes[there].ins.append(number)
    columns = [[i for i, node in nodes.items() if node.layer == c] for c in range(max(layer.values()) + 1)]
    width, height = _place(nodes, columns, edges)
    body = [_arrow(nodes, edge, number) for number, edge in enumerate(edges)]
    body += [_draw_box(node) for node in nodes.values() if not node.dummy]
    body += [_label(nodes, edge, number) for number, edge in enumerate(edges)]
    return width, height, "".join(body)


def _box(graph: SceneGraph, entity: Entity, labels: dict[int, str], layer: int) -> _Node:
    attributes = graph.attributes_of(entity)
    head = wrap([Mark("label", labels[entity.id])], _PAD, width=_BOX)
    chips = [chip(a) for a in attributes] + [Mark("note", t) for t in notes(entity, labels, attributes)]
    lines = [line.marks for line in head]
    lines += [line.marks for line in wrap(chips, _PAD, width=_BOX)] if chips else []
    for mark in lines[0]:
        mark.kind, mark.absent = "title", entity.negated
        mark.text = mark.full
        mark.fit(_BOX - 2 * _PAD)
    width = max(sum(m.width + 6 for m in line) - 6 for line in lines) + 2 * _PAD
    return _Node(layer, lines, width, _LINE * len(lines) + 14, absent=entity.negated)


def _place(nodes: dict[int, _Node], columns: list[list[int]], edges: list[_Edge]) -> tuple[float, float]:
    for node in nodes.values():
        if not node.dummy:
            node.height = max(node.height, _PORT * (max(len(node.ins), len(node.outs)) + 0.5))
    left = _GAP
    for number, column in enumerate(columns):
        widest = max(nodes[i].width for i in column)
        for i in column:
            nodes[i].left = left
            nodes[i].width = nodes[i].width if not nodes[i].dummy else widest
        room = max((min(_LABEL, measure(e.label)[0]) for e in edges if number + 1 < len(columns)
                    and nodes[e.target].layer == number + 1), default=0.0)
        left += widest + room + 66
    width = left - 66 + _GAP
    _stack(nodes, columns[0])
    for _ in range(4):
        for column in [*columns[1:], *reversed(columns[1:-1])]:  # the first column keeps the order of the text
            column.sort(key=lambda i: (_pull(nodes, edges, i), i))
            _stack(nodes, column)
    _align(nodes, columns, edges)
    for number, node in nodes.items():
        node.ins.sort(key=lambda e: (_middle(nodes[_neighbour(edges[e], number, -1)]), e))
        node.outs.sort(key=lambda e: (_middle(nodes[_neighbour(edges[e], number, 1)]), e))
    lowest = min(node.top for node in nodes.values())
    for node in nodes.values():
        node.top += _GAP - lowest
    return width, max(node.top + node.height for node in nodes.values()) + _GAP


def _neighbour(edge: _Edge, node: int, step: int) -> int:
    return edge.path[edge.path.index(node) + step]


def _middle(node: _Node) -> float:
    return node.top + node.height / 2


def _pull(nodes: dict[int, _Node], edges: list[_Edge], i: int) -> float:
    """Mean height of what a node is joined to."""
    near = [_middle(nodes[_neighbour(edges[e], i, -1)]) for e in nodes[i].ins]
    near += [_middle(nodes[_neighbour(edges[e], i, 1)]) for e in nodes[i].outs]
    return sum(near) / len(near) if near else 1e6


def _stack(nodes: dict[int, _Node], column: list[int]) -> None:
    top = 0.0
    for i in column:
        nodes[i].top = top
        top += nodes[i].height + _GAP


def _align(nodes: dict[int, _Node], columns: list[list[int]], edges: list[_Edge]) -> None:
    """Centre the columns, then move boxes towards what they are joined to as far as their neighbours let them."""
    tallest = max(nodes[c[-1]].top + nodes[c[-1]].height for c in columns)
    for column in columns:
        shift = (tallest - nodes[column[-1]].top - nodes[column[-1]].height) / 2
        for i in column:
            nodes[i].top += shift
    for _ in range(6):
        for column in columns:
            for place, i in enumerate(column):
                wish = _pull(nodes, edges, i)
                if wish == 1e6:
                    continue
                low = nodes[column[place - 1]].top + nodes[column[place - 1]].height + _GAP if place else -1e6
                high = nodes[column[place + 1]].top - _GAP if place + 1 < len(column) else 1e6
                nodes[i].top = min(max(wish - nodes[i].height / 2, low), high - nodes[i].height)


def _draw_box(node: _Node) -> str:
    style = "pl-box pl-none" if node.absent else "pl-box"
    body = [rect(node.left + 0.5, node.top + 0.5, node.width - 1, node.height - 1, 6, style)]
    top = node.top + (node.height - _LINE * len(node.lines)) / 2
    for number, marks in enumerate(node.lines):
        at = node.left + _PAD
        for mark in marks:
            body.append(mark.draw(at, top + _LINE * (number + 0.5)))
            at += mark.width + 6
    return "".join(body)


def _end(nodes: dict[int, _Node], edge: _Edge, number: int) -> tuple[float, float]:
    node = nodes[edge.path[-1]]
    return node.left, node.port(node.ins, number)


def _arrow(nodes: dict[int, _Node], edge: _Edge, number: int) -> str:
    first = nodes[edge.path[0]]
    x0, y0 = first.left + first.width, first.port(first.outs, number)
    label = min(_LABEL, measure(edge.label)[0])
    parts = [f"M{n(x0)} {n(y0)}"]
    for index, step in enumerate(edge.path[1:], start=1):
        node = nodes[step]
        last = index == len(edge.path) - 1
        y1 = node.port(node.ins, number)
        x1 = node.left - (label + 34 if last else 0)
        middle = (x0 + x1) / 2
        parts.append(f"C{n(middle)} {n(y0)} {n(middle)} {n(y1)} {n(x1)} {n(y1)}")
        x0, y0 = (node.left - (7 if not edge.reversed else 0), y1) if last else (node.left + node.width, y1)
        parts.append(f"H{n(x0)}")
    style = f"pl-edge{' pl-part' if edge.part else ''}"
    if edge.reversed:
        tip_x, tip_y = first.left + first.width, first.port(first.outs, number)
        tip = f"M{n(tip_x)} {n(tip_y)}l9 -4.5v9Z"
    else:
        tip_x, tip_y = _end(nodes, edge, number)
        tip = f"M{n(tip_x)} {n(tip_y)}l-9 -4.5v9Z"
    return f'<path class="{style}" d="{"".join(parts)}"/><path class="pl-tip" d="{tip}"/>'


def _label(nodes: dict[int, _Node], edge: _Edge, number: int) -> str:
    """Words on the last, straight stretch of an edge, on a ground that covers the line."""
    x, y = _end(nodes, edge, number)
    mark = Mark("note" if edge.part and edge.label == "part" else "relation", edge.label, edge.negated).fit(_LABEL)
    at = x - 16 - mark.width
    return rect(at - 4, y - 9, mark.width + 8, 18, 3, "pl-page") + mark.draw(at, y)
