"""The text itself with every entity, attribute and relation marked where it stands.

Colour and underline style say the kind of a span, so that neither is needed alone: entities have a solid
underline, attributes a dotted one, relations a wavy one; what is said to be absent is struck through. Each span
can be reached with the keyboard and says what it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from posh_lite.graph.draw_ink import color_rules, markup
from posh_lite.graph.draw_outline import attribute_words, entity_labels, relation_words
from posh_lite.graph.types import Attribute, Entity, SceneGraph
from posh_lite.records import Span

_STYLE = (
    ".pl-text{background:var(--pl-page);color:var(--pl-text);padding:.8em 1em;border:1px solid var(--pl-line);"
    "border-radius:6px;line-height:2;white-space:pre-wrap;overflow-wrap:anywhere}"
    ".pl-text mark{background:none;color:inherit;text-decoration-thickness:2px;text-underline-offset:3px;"
    "border-radius:3px;position:relative}"
    ".pl-text mark.pl-e{background:var(--pl-entity-fill);text-decoration-line:underline;"
    "text-decoration-color:var(--pl-entity)}"
    ".pl-text mark.pl-a{background:var(--pl-attribute-fill);text-decoration:underline dotted var(--pl-attribute) 2px}"
    ".pl-text mark.pl-r{text-decoration:underline wavy var(--pl-relation) 1.5px}"
    ".pl-text mark.pl-not{text-decoration-line:underline line-through}"
    ".pl-text mark mark{text-underline-offset:6px}"
    ".pl-text mark:focus{outline:2px solid var(--pl-text);outline-offset:1px}"
    ".pl-text mark:focus-visible::after{content:attr(title);position:absolute;left:0;top:100%;z-index:2;"
    "width:max-content;max-width:22em;padding:.2em .6em;border-radius:4px;background:var(--pl-text);"
    "color:var(--pl-page);font-size:.85em;line-height:1.4;white-space:normal;text-decoration:none}"
    ".pl-text .pl-key{margin-top:.8em;font-size:.85em;color:var(--pl-muted);white-space:normal}"
)
_PAGE = (
    "body{max-width:50em;margin:2em auto;padding:0 1em;font-family:sans-serif;background:var(--pl-page);"
    "color:var(--pl-text)}"
)


@dataclass(frozen=True, slots=True)
class _Layer:
    span: Span
    style: str
    title: str


def _layers(graph: SceneGraph) -> list[_Layer]:
    """One layer for each span, with what a reader is told about it."""
    labels = entity_labels(graph)
    found = []
    for item in graph.components():
        if isinstance(item, Entity):
            style = "pl-e"
            more = f", mentioned {len(item.mentions)} times" if len(item.mentions) > 1 else ""
            title = f"entity: {labels[item.id]}{more}"
            if item.role != "thing":
                title += f" ({item.role})"
        elif isinstance(item, Attribute):
            style, title = "pl-a", f"{item.kind} of {labels.get(item.entity.id, '?')}: {attribute_words(item)}"
        else:
            ends = labels.get(item.subject.id, "?"), labels.get(item.object.id, "?")
            style, title = "pl-r", f"relation: {ends[0]} → {relation_words(item)} → {ends[1]}"
        if item.negated:
            style, title = f"{style} pl-not", f"{title} (said to be absent)"
        for start, end in item.spans:
            start, end = max(0, start), min(len(graph.text), end)
            if start < end:
                found.append(_Layer((start, end), style, title))
    merged: dict[tuple[Span, str], list[str]] = {}
    for layer in found:
        titles = merged.setdefault((layer.span, layer.style), [])
        if layer.title not in titles:
            titles.append(layer.title)
    return [_Layer(span, style, "; ".join(titles)) for (span, style), titles in merged.items()]


def _nest(text: str, layers: list[_Layer]) -> str:
    """The text with its layers as properly nested elements; a crossing span is closed and opened again."""
    order = sorted(layers, key=lambda x: (x.span[0], -x.span[1], x.style, x.title))
    edges = sorted({0, len(text), *(p for x in layers for p in x.span)})
    out: list[str] = []
    stack: list[_Layer] = []
    queue = iter(order)
    upcoming = next(queue, None)
    for here, there in pairwise(edges):
        kept = [x for x in stack if x.span[1] > here]
        shared = 0
        while shared < len(kept) and kept[shared] is stack[shared]:
            shared += 1
        out += ["</mark>"] * (len(stack) - shared)
        out += [_open(layer, again=True) for layer in kept[shared:]]
        stack = kept
        while upcoming is not None and upcoming.span[0] == here:
            out.append(_open(upcoming))
            stack.append(upcoming)
            upcoming = next(queue, None)
        out.append(markup(text[here:there]))
    out += ["</mark>"] * len(stack)
    return "".join(out)


def _open(layer: _Layer, *, again: bool = False) -> str:
    reach = "" if again else ' tabindex="0"'  # one stop for the keyboard, however often a span is cut
    return f'<mark class="{layer.style}"{reach} title="{markup(layer.title)}">'


def to_html(graph: SceneGraph, *, title: str | None = None, document: bool = False) -> str:
    """Mark the spans of a graph in its text.

    Args:
        graph: any scene graph.
        title: shown as the heading of a whole document; names the region for screen readers otherwise.
        document: True for a page of its own, False for a fragment to put into one.

    Returns:
        HTML with its style sheet; everything that comes from the text is escaped.
    """
    name = markup(title or "Text with its scene graph")
    absent = ""
    if any(item.negated for item in graph.components()):
        absent = ' <mark class="pl-e pl-not">said to be absent</mark>'
    key = (
        '<div class="pl-key">Key: <mark class="pl-e">entity</mark> <mark class="pl-a">attribute</mark> '
        f'<mark class="pl-r">relation</mark>{absent}</div>'
    )
    body = (
        f"<style>{color_rules('.pl-text')}{_STYLE}</style>"
        f'<div class="pl-text" role="region" aria-label="{name}" dir="auto">'
        f"{_nest(graph.text, _layers(graph))}{key}</div>"
    )
    if not document:
        return body
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        f'content="width=device-width, initial-scale=1"><title>{name}</title>'
        f"<style>{color_rules('body')}{_PAGE}</style></head><body>"
        f"<h1>{name}</h1>{body}</body></html>"
    )
