"""One sentence's dependency parse as plain nodes with offsets into the original text.

The parser is shown plain words in place of the hard ones (:mod:`posh_lite.graph.proxies`); nodes keep the words
as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from posh_lite.graph import lexicon
from posh_lite.graph.misread import FirstParse, verbs_read_as_nouns
from posh_lite.graph.proxies import Piece, hide_runs, pieces_of
from posh_lite.graph.verbal import PLAIN_VERBS, base_of, show_plain_verbs
from posh_lite.language import known_words, load, parse_words
from posh_lite.records import Span
from posh_lite.text import CONTENT_KINDS, segments, visible

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

#: Longer sentences are cut at a comma or semicolon: the parser is slow and unreliable beyond.
MAX_WORDS = 160


@dataclass(eq=False, slots=True)
class Node:
    """A token of the parse. ``i`` counts inside its sentence."""

    i: int
    start: int
    end: int
    text: str  # as written
    lower: str  # lower-case with plain quotes
    shown: str  # what the parser saw
    lemma: str = ""
    pos: str = ""
    tag: str = ""
    dep: str = ""
    head: Node = None  # type: ignore[assignment]
    children: list[Node] = field(default_factory=list)
    quoted: bool = False
    multiword: bool = False  # a multiword preposition
    negative: bool = False  # denied in a list: "red" in "blue rather than red"

    @property
    def span(self) -> Span:
        return (self.start, self.end)

    def child(self, *deps: str) -> Node | None:
        """First child with one of the dependency labels."""
        return next((c for c in self.children if c.dep in deps), None)

    def kids(self, *deps: str) -> list[Node]:
        return [c for c in self.children if c.dep in deps]

    def subtree(self) -> list[Node]:
        """The node and everything below it, in text order."""
        found, stack = [], [self]
        while stack:
            node = stack.pop()
            found.append(node)
            stack.extend(node.children)
        return sorted(found, key=lambda n: n.i)

    def move(self, head: Node, dep: str) -> None:
        """Hang the node under another head."""
        ancestor = head
        while ancestor is not ancestor.head:
            if ancestor is self:
                return  # would close a cycle
            ancestor = ancestor.head
        if ancestor is self and head is not self:
            return
        if self.head is not self and self in self.head.children:
            self.head.children.remove(self)
        self.head, self.dep = head, dep
        if head is not self:
            head.children.append(self)
            head.children.sort(key=lambda n: n.i)


@dataclass(eq=False, slots=True)
class Sentence:
    """A parsed sentence: its place in the text and its nodes in order."""

    index: int
    span: Span
    nodes: list[Node]


def parse_texts(texts: Sequence[str]) -> list[list[Sentence]]:
    """Parse the described content of each text; all sentences go through the network in batches."""
    tokenizer = load().tokenizer
    nouns, adjectives = known_words("noun"), known_words("adj")
    plan: list[tuple[int, int, Span, list[Piece]]] = []
    shown_texts = [visible(text) for text in texts]
    for number, text in enumerate(texts):
        spans = [s.span for s in segments(text) if s.kind in CONTENT_KINDS]
        for index, (start, end) in enumerate(spans):
            pieces = pieces_of(tokenizer, shown_texts[number], start, end)
            show_plain_verbs(pieces, nouns, adjectives)
            hide_runs(pieces, shown_texts[number])
            plan.extend((number, index, (start, end), part) for part in _parts(pieces))
    result: list[list[Sentence]] = [[] for _ in texts]
    for (number, index, span, part), doc in zip(plan, _parse([p for *_, p in plan]), strict=True):
        sentences = result[number]
        if not sentences or sentences[-1].index != index:
            sentences.append(Sentence(index, span, []))
        _append(sentences[-1], texts[number], shown_texts[number], part, doc)
    return result


def _parse(parts: list[list[Piece]]) -> list[Doc]:
    """First parse of all, second parse of those where a verb was read as a noun."""
    inputs = [[p for p in part if p.host is None] for part in parts]
    docs = list(parse_words(([p.shown for p in words], [p.space for p in words]) for words in inputs))
    again: list[int] = []
    verbs = known_words("verb")
    for number, doc in enumerate(docs):
        changed = verbs_read_as_nouns(
            FirstParse([t.text for t in doc], [t.tag_ for t in doc], [t.dep_ for t in doc], [t.head.i for t in doc]),
            verbs,
        )
        for position, verb in changed.items():
            inputs[number][position].shown = verb
        if changed:
            again.append(number)
    second = parse_words(([p.shown for p in inputs[n]], [p.space for p in inputs[n]]) for n in again)
    for number, doc in zip(again, second, strict=True):
        docs[number] = doc
    return docs


def _append(sentence: Sentence, text: str, shown: str, part: list[Piece], doc: Doc) -> None:
    base = len(sentence.nodes)
    tokens = iter(doc)
    nodes: dict[int, Node] = {}
    parsed: list[tuple[Node, Token]] = []
    shade_of: list[tuple[Node, Node]] = []
    for offset, piece in enumerate(part):
        written = text[piece.start : piece.end]
        lower = shown[piece.start : piece.end].lower()
        node = Node(base + offset, piece.start, piece.end, written, lower, piece.shown, quoted=piece.quoted,
                    multiword=piece.multiword, negative=piece.negative)  # fmt: skip
        nodes[id(piece)] = node
        if piece.host is None:
            token = next(tokens)
            node.lemma, node.pos, node.tag, node.dep = _lemma(piece, lower, token), token.pos_, token.tag_, token.dep_
            if piece.shown in ("is", "are", "has", "have") and lower != piece.shown:
                node.pos = "VERB"
            elif piece.shown in PLAIN_VERBS and lower != piece.shown:
                node.pos, node.tag = "VERB", "VBP" if node.lemma == lower else "VBZ"
            parsed.append((node, token))
        sentence.nodes.append(node)
    for node, token in parsed:
        node.head = parsed[token.head.i][0]
        if node.head is not node:
            node.head.children.append(node)
    for piece, following in zip(part, [*part[1:], None], strict=True):
        if piece.host is None:
            continue
        node, host = nodes[id(piece)], nodes.get(id(piece.host))
        _hang_hidden(node, host)
        if (
            (
                node.lower in lexicon.SHADES | lexicon.COLOURS
                and following is not None
                and following.host is not None
                and node.dep == "conj"
            )
            and (colour := nodes[id(following)]).lower[:1].isalpha()
            and colour.lower not in _SEPARATORS
        ):
            shade_of.append((node, colour))
    for node, colour in shade_of:
        node.pos = "ADJ"
        node.move(colour, "amod")


_SEPARATORS = frozenset(("and", "or", "but", "not", "rather than", "instead of"))


def _hang_hidden(node: Node, host: Node | None) -> None:
    """A colour that the parser did not see stands beside the one that it saw."""
    node.head, node.lemma = node, node.lower
    if host is None:  # an overlong sentence was cut inside the list
        node.pos, node.tag, node.dep = "ADJ", "JJ", "dep"
        return
    if not node.lower[:1].isalnum() or node.lower in _SEPARATORS:
        node.pos, node.tag, node.dep = "PUNCT", ",", "punct"
        node.move(host, "punct")
        return
    modifies = host.dep in ("amod", "compound", "nmod") and host.head is not host
    node.pos, node.tag = ("ADJ", "JJ") if modifies else (host.pos, host.tag)
    node.move(host.head if modifies else host, "amod" if modifies else "conj")


def _lemma(piece: Piece, lower: str, token: Token) -> str:
    if piece.shown.lower() == lower:
        found = token.lemma_.lower() or lower
        return lexicon.LEMMAS.get(found, found) if token.pos_ == "VERB" else found
    if piece.quoted or piece.multiword:
        return re.sub(r"\s+", " ", lower)
    if piece.shown in ("is", "are", "has", "have"):
        return lexicon.verb_lemma(lower) if piece.shown in ("is", "has") else lower
    if piece.shown in PLAIN_VERBS:
        return base_of(lower) or lower
    if lower in ("painting", "paintings"):
        return "painting"
    if lower in ("left", "right"):
        return lower
    shown, lemma = piece.shown.lower(), token.lemma_.lower()
    if lower.endswith(shown) and token.pos_ in ("NOUN", "PROPN"):
        return lower[: len(lower) - len(shown)] + lemma
    return lower


def _parts(pieces: list[Piece]) -> Iterator[list[Piece]]:
    """Cut an overlong sentence at the last comma or semicolon before the limit."""
    while len(pieces) > MAX_WORDS:
        cut = next((k for k in range(MAX_WORDS - 1, MAX_WORDS // 2, -1) if pieces[k].shown in ",;:"), MAX_WORDS - 1)
        yield pieces[: cut + 1]
        pieces = pieces[cut + 1 :]
    if pieces:
        yield pieces
