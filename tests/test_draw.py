"""Drawings of hand-made graphs: what they say, that they are well-formed, and that nothing overflows."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.graph.draw import to_html, to_svg, to_text
from posh_lite.graph.draw_ink import Mark, measure, shorten
from posh_lite.graph.draw_outline import entity_labels
from posh_lite.graph.types import Attribute, Entity, Mention, Relation, SceneGraph

_SVG = "{http://www.w3.org/2000/svg}"


class Sketch:
    """Builds a graph word by word: every word is looked for in the text after the one before it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.entities: list[Entity] = []
        self.attributes: list[Attribute] = []
        self.relations: list[Relation] = []

    def span(self, words: str, nth: int = 0) -> tuple[int, int]:
        start = -1
        for _ in range(nth + 1):
            start = self.text.index(words, start + 1)
        return (start, start + len(words))

    def entity(self, head: str, *words: str | tuple[str, int], kind: Any = "noun", **more: Any) -> Entity:
        mentions = []
        for word in words or (head,):
            text, nth = word if isinstance(word, tuple) else (word, 0)
            start, end = self.span(text, nth)
            mentions.append(Mention(start, end, text, (start, end), 0, kind))
        self.entities.append(Entity(len(self.entities), head, tuple(mentions), **more))
        return self.entities[-1]

    def attribute(self, entity: Entity, words: str, nth: int = 0, **more: Any) -> None:
        self.attributes.append(
            Attribute(len(self.attributes), entity, words, words.lower(), (self.span(words, nth),), **more)
        )

    def relation(self, subject: Entity, words: str, target: Entity, nth: int = 0, **more: Any) -> None:
        lemma = more.pop("lemma", words.lower())
        self.relations.append(
            Relation(len(self.relations), subject, words, lemma, target, (self.span(words, nth),), **more)
        )

    def graph(self) -> SceneGraph:
        return SceneGraph(
            self.text, tuple(self.entities), tuple(self.attributes), tuple(self.relations), ((0, len(self.text)),), "s"
        )


@pytest.fixture
def caption() -> SceneGraph:
    s = Sketch("A young woman holds a small dog. A second dog is watched by her. There are no cats on the rug.")
    woman = s.entity("woman", "woman", "her")
    dog = s.entity("dog", "dog")
    second = s.entity("dog", ("dog", 1))
    cats = s.entity("cat", "cats", plural=True, negated=True)
    rug = s.entity("rug", "rug")
    s.attribute(woman, "young")
    s.attribute(dog, "small")
    s.relation(woman, "holds", dog, kind="verb", lemma="hold")
    s.relation(woman, "watched by", second, kind="verb", lemma="watch", passive=True)
    s.relation(cats, "on", rug)
    return s.graph()


@pytest.fixture
def family() -> SceneGraph:
    s = Sketch(
        "The man's round face. A boy and a girl, both children, who have curls. He wears three red hats. Their hair."
    )
    man = s.entity("man", "man's", "He")
    face = s.entity("face", part_of=0)
    boy, girl = s.entity("boy"), s.entity("girl")
    s.entity("child", "children", plural=True, members=(boy.id, girl.id))
    curls = s.entity("curl", "curls", plural=True)
    hats = s.entity("hat", "hats", plural=True, count=3, part_of=0)
    s.entity("their", "Their", kind="possessive", plural=True, members=(boy.id, girl.id))
    s.entity("hair", part_of=7)
    s.attribute(face, "round")
    s.attribute(hats, "red")
    s.attribute(hats, "three", kind="quantity")
    s.relation(man, "wears", hats, kind="verb", lemma="wear")
    s.relation(face, "'s", man, kind="part", lemma="of")
    s.relation(boy, "have", curls, kind="verb")
    s.relation(girl, "have", curls, kind="verb")
    return s.graph()


def crowd(size: int) -> SceneGraph:
    """Many entities in a row, each with an attribute and a relation to the next."""
    s = Sketch(" ".join(f"colored{i} thing{i} touches{i}" for i in range(size)))
    things = [s.entity(f"thing{i}") for i in range(size)]
    for i, thing in enumerate(things):
        s.attribute(thing, f"colored{i}")
        if i:
            s.relation(things[i - 1], f"touches{i - 1}", thing)
    return s.graph()


def test_text_of_a_caption(caption: SceneGraph) -> None:
    assert to_text(caption).splitlines() == [
        "woman [young] (2 mentions)",
        "├─ holds -> dog 1 [small]",
        "└─ watch -> dog 2",
        "no cats",
        "└─ on -> rug",
    ]
    assert str(caption) == to_text(caption)


def test_text_of_parts_and_groups(family: SceneGraph) -> None:
    assert to_text(family).splitlines() == [
        "man (2 mentions)",
        "├─ part -> face [round]",
        "└─ wears -> hats [red, three]",
        "boy",
        "└─ have -> curls",
        "girl",
        "└─ have -> curls",
        "children [= boy, girl]",
        "curls",
        "boy and girl",
        "└─ part -> hair",
    ]


def test_namesakes_are_numbered(caption: SceneGraph) -> None:
    assert list(entity_labels(caption).values()) == ["woman", "dog 1", "dog 2", "no cats", "rug"]


def test_stated_number_without_attribute() -> None:
    s = Sketch("men")
    s.entity("man", "men", plural=True, count=3)
    assert to_text(s.graph()) == "men [number 3]"


def test_negated_attribute_and_relation() -> None:
    s = Sketch("The dog is not red and does not chase the cat.")
    dog, cat = s.entity("dog"), s.entity("cat")
    s.attribute(dog, "red", negated=True)
    s.relation(dog, "chase", cat, negated=True)
    assert to_text(s.graph()).splitlines() == ["dog [not red]", "└─ not chase -> cat"]


def test_cycles_end() -> None:
    s = Sketch("A cat watches a dog that guards it.")
    cat, dog = s.entity("cat", "cat", "it", part_of=1), s.entity("dog", part_of=0)
    s.relation(cat, "watches", dog)
    s.relation(dog, "guards", cat)
    for drawing in (to_text(s.graph()), to_svg(s.graph())):
        assert "cat" in drawing
        assert "dog" in drawing


@pytest.mark.parametrize("text", ["", "   ", "\x00", "Nothing here."])
def test_empty_graph(text: str) -> None:
    graph = SceneGraph(text)
    assert to_text(graph) == "(empty graph)"
    ElementTree.fromstring(to_svg(graph))
    assert 'class="pl-text"' in to_html(graph)


def test_svg_says_what_it_is(caption: SceneGraph) -> None:
    svg = to_svg(caption, title="A <caption> & its graph")
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    title, description = root.find(f"{_SVG}title"), root.find(f"{_SVG}desc")
    assert title is not None
    assert description is not None
    assert title.text == "A <caption> & its graph"
    assert description.text == (
        "5 entities, 2 attributes, 3 relations. Entities: woman, dog 1, dog 2, no cats, rug."
    )
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert svg == to_svg(caption, title="A <caption> & its graph")
    assert caption.to_svg(title="x") == to_svg(caption, title="x")
    assert "prefers-color-scheme:dark" in svg
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")


def test_few_entities_are_boxes_and_arrows(caption: SceneGraph) -> None:
    svg = to_svg(caption)
    assert svg.count('class="pl-edge"') == 3
    assert svg.count("<rect") > 5
    assert "holds" in svg


def test_many_entities_are_cards() -> None:
    svg = to_svg(crowd(60))
    assert "pl-edge" not in svg.split("</style>")[1]
    assert svg.count('class="pl-card"') >= 15
    for i in range(60):
        assert f">thing{i}<" in svg
        assert f">colored{i}<" in svg


def rectangles(svg: str) -> list[tuple[float, float, float, float]]:
    """Left, top, right and bottom of the cards and boxes."""
    found = []
    for rect in ElementTree.fromstring(svg).iter(f"{_SVG}rect"):
        if rect.get("class") in ("pl-card", "pl-box", "pl-box pl-none"):
            x, y, w, h = (float(rect.get(k, "0")) for k in ("x", "y", "width", "height"))
            found.append((x, y, x + w, y + h))
    return found


@pytest.mark.parametrize("size", [1, 2, 3, 8, 20, 160])
def test_nothing_overlaps_or_leaves_the_page(size: int) -> None:
    svg = to_svg(crowd(size))
    root = ElementTree.fromstring(svg)
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    boxes = rectangles(svg)
    assert boxes
    assert width < 1300
    for i, (left, top, right, bottom) in enumerate(boxes):
        assert 0 <= left < right <= width
        assert 0 <= top < bottom <= height
        for other in boxes[i + 1 :]:
            assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top


@pytest.mark.parametrize("size", [3, 30])
def test_words_stay_in_their_boxes(size: int) -> None:
    s = Sketch(" ".join(f"{'extraordinarily' * 4}{i} {'unpronounceable' * 5}{i}" for i in range(size)))
    for i in range(size):
        thing = s.entity(f"{'unpronounceable' * 5}{i}")
        s.attribute(thing, f"{'extraordinarily' * 4}{i}")
    svg = to_svg(s.graph())
    boxes = rectangles(svg)
    for words in ElementTree.fromstring(svg).iter(f"{_SVG}text"):
        x, y, length = float(words.get("x", "0")), float(words.get("y", "0")), float(words.get("textLength", "0"))
        inside = [b for b in boxes if b[0] <= x <= b[2] and b[1] <= y <= b[3]]
        assert not inside or x + length <= inside[0][2]
    assert f"<title>{'unpronounceable' * 5}0</title>" in svg


def test_measuring() -> None:
    assert measure("") == (0.0, True)
    assert measure("iii") < measure("mmm")
    assert measure("é") == measure("e")
    assert measure("語")[1] is False
    assert measure("e\u0301") == (measure("e")[0], False)
    assert shorten("short", 100) == "short"
    cut = shorten("a very long name of a thing", 60)
    assert cut.endswith("…")
    assert measure(cut)[0] <= 60
    assert Mark("property", "two\n  lines").fit(200).text == "two lines"


class Marks(HTMLParser):
    """The text of the marked paragraph, with the classes that are open at each character."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.open, self.layers = "", [], []  # type: ignore[var-annotated]
        self.inside, self.stops = False, 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if values.get("class") == "pl-text":
            self.inside = True
        elif values.get("class") == "pl-key":
            self.inside = False
        elif tag == "mark" and self.inside:
            self.open.append(values.get("class"))
            self.stops += "tabindex" in values
            assert values.get("title")

    def handle_endtag(self, tag: str) -> None:
        if tag == "mark" and self.inside:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.text += data
            self.layers += [tuple(self.open)] * len(data)


def test_html_marks_every_span(caption: SceneGraph) -> None:
    found = Marks(to_html(caption))
    assert found.text == caption.text
    for item, style in ((caption.entities[0], "pl-e"), (caption.attributes[0], "pl-a"), (caption.relations[0], "pl-r")):
        for start, end in item.spans:
            assert all(style in layers for layers in found.layers[start:end])
    cats = caption.entities[3].mentions[0].start
    assert "pl-e pl-not" in found.layers[cats]
    assert found.layers[0] == ()
    assert found.stops == 11  # 6 mentions, 2 attributes, 3 relations


def test_html_crossing_and_nested_spans() -> None:
    s = Sketch("abcdef")
    s.entity("x", "abcd")
    thing = s.entity("y", "cdef")
    s.attribute(thing, "cd")
    found = Marks(to_html(s.graph()))
    assert found.text == "abcdef"
    assert [len(layers) for layers in found.layers] == [1, 1, 3, 3, 1, 1]
    assert found.stops == 3


def test_html_escapes_and_is_a_page_when_asked() -> None:
    s = Sketch('A <b>"sign"</b> & more')
    s.attribute(s.entity("sign", '"sign"', role="writing"), "& more")
    html = to_html(s.graph(), title="<Title>", document=True)
    assert html.startswith("<!DOCTYPE html>")
    assert "<b>" not in html
    assert "<h1>&lt;Title&gt;</h1>" in html
    assert "(writing)" in html
    assert not re.search(r"\b(?:src|href)=", html)


def test_json_of_a_graph(caption: SceneGraph) -> None:
    assert json.loads(caption.to_json()) == caption.to_dict()
    assert caption._repr_html_().startswith("<svg")
    assert caption.to_html() == to_html(caption)


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=40), st.lists(st.tuples(st.integers(0, 45), st.integers(0, 45)), max_size=6), st.booleans())
def test_any_text_and_spans(text: str, spans: list[tuple[int, int]], negated: bool) -> None:
    spans = [(min(a, b), max(a, b)) for a, b in spans]
    entities = tuple(
        Entity(i, text[a:b].lower(), (Mention(a, b, text[a:b], (a, b), 0),), negated=negated)
        for i, (a, b) in enumerate(spans)
    )
    attributes = tuple(Attribute(i, e, e.head, e.head, e.spans) for i, e in enumerate(entities))
    relations = tuple(
        Relation(i, a, b.head, b.head, b, a.spans) for i, (a, b) in enumerate(pairwise(entities))
    )
    graph = SceneGraph(text, entities, attributes, relations)
    ElementTree.fromstring(to_svg(graph).encode("utf-8"))
    to_text(graph)
    shown = Marks(to_html(graph))
    assert len(shown.text.replace("\r\n", "\n")) == len(text.replace("\r\n", "\n"))
