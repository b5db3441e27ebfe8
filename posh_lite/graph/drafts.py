"""Attributes and relations before coreference: they point at candidates, not yet at entities."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from posh_lite.graph.parse import Node
from posh_lite.graph.types import AttributeKind, RelationKind
from posh_lite.records import Span


@dataclass(frozen=True, slots=True)
class AttributeDraft:
    """A property of the candidate with index ``owner``."""

    owner: int
    text: str
    lemma: str
    spans: tuple[Span, ...]
    kind: AttributeKind = "property"
    negated: bool = False


@dataclass(frozen=True, slots=True)
class RelationDraft:
    """A relation between two candidates."""

    subject: int
    text: str
    lemma: str
    object: int
    spans: tuple[Span, ...]
    kind: RelationKind = "preposition"
    negated: bool = False
    passive: bool = False


def cover(nodes: Iterable[Node]) -> tuple[tuple[Span, ...], str]:
    """Spans of the nodes, neighbours joined, and the words as written.

    Neighbours are nodes that follow each other in the sentence; words in between start a new span.
    """
    ordered = sorted({n.i: n for n in nodes}.values(), key=lambda n: n.i)
    spans: list[list[int]] = []
    last = None
    for node in ordered:
        if last is not None and node.i == last.i + 1:
            spans[-1][1] = node.end
        else:
            spans.append([node.start, node.end])
        last = node
    return tuple((a, b) for a, b in spans), " ".join(n.text for n in ordered)
