"""One sentence's dependency parse as plain nodes with offsets into the original text.

The parser never sees the hard parts. Before parsing, quoted writing, hyphenated words ("rose-pink") and
multiword prepositions ("in front of") become one token each, shown to the parser as a plain word of the same
kind ("pink", "behind"): small models then attach them correctly. Nodes keep the words as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from posh_lite.graph import lexicon
from posh_lite.language import load, parse_words
from posh_lite.records import Span
from posh_lite.text import quotations, segments, visible

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


@dataclass(slots=True)
class _Piece:
    start: int
    end: int
    shown: str
    space: bool
    quoted: bool = False
    multiword: bool = False


def parse_texts(texts: Sequence[str]) -> list[list[Sentence]]:
    """Parse the described content of each text; all sentences go through the network in batches."""
    nlp = load()
    plan: list[tuple[int, int, Span, list[_Piece]]] = []
    for number, text in enumerate(texts):
        shown = visible(text)
        spans = [s.span for s in segments(text) if s.kind in ("sentence", "label")]
        for index, (start, end) in enumerate(spans):
            pieces = _pieces(nlp.tokenizer, shown, start, end)
            plan.extend((number, index, (start, end), part) for part in _parts(pieces))
    docs = parse_words(([p.shown for p in part], [p.space for p in part]) for _, _, _, part in plan)
    result: list[list[Sentence]] = [[] for _ in texts]
    for (number, index, span, part), doc in zip(plan, docs, strict=True):
        sentences = result[number]
        text = texts[number]
        if not sentences or sentences[-1].index != index:
            sentences.append(Sentence(index, span, []))
        _append(sentences[-1], text, part, doc)
    return result


def _append(sentence: Sentence, text: str, part: list[_Piece], doc: Iterable) -> None:  # type: ignore[type-arg]
    base = len(sentence.nodes)
    tokens = list(doc)
    nodes = []
    for piece, token in zip(part, tokens, strict=True):
        written = text[piece.start : piece.end]
        lower = visible(written).lower().strip() or written.lower()
        nodes.append(
            Node(base + token.i, piece.start, piece.end, written, lower, piece.shown, _lemma(piece, lower, token),
                 token.pos_, token.tag_, token.dep_, quoted=piece.quoted, multiword=piece.multiword)
        )  # fmt: skip
    for node, token in zip(nodes, tokens, strict=True):
        node.head = nodes[token.head.i]
        if token.head.i != token.i:
            node.head.children.append(node)
    sentence.nodes.extend(nodes)


def _lemma(piece: _Piece, lower: str, token) -> str:  # type: ignore[no-untyped-def]
    if piece.shown.lower() == lower:
        return token.lemma_.lower() or lower
    if piece.quoted or piece.multiword:
        return re.sub(r"\s+", " ", lower)
    shown, lemma = piece.shown.lower(), token.lemma_.lower()
    if lower.endswith(shown) and token.pos_ in ("NOUN", "PROPN"):
        return lower[: len(lower) - len(shown)] + lemma
    return lower


def _pieces(tokenizer, shown: str, start: int, end: int) -> list[_Piece]:  # type: ignore[no-untyped-def]
    """Tokens of one sentence, with quotations, hyphenated words and multiword prepositions merged."""
    quotes = quotations(shown, start, end)
    merged: list[_Piece] = []
    at = start
    for a, b in [*quotes, (end, end)]:
        merged.extend(_plain(tokenizer, shown, at, a))
        if b > a:
            merged.append(_quotation(shown, a, b))
        at = b
    return _multiword(_hyphenated(merged), shown)


def _plain(tokenizer, shown: str, start: int, end: int) -> list[_Piece]:  # type: ignore[no-untyped-def]
    out = []
    for token in tokenizer(shown[start:end]):
        if not token.text.strip():
            if out:
                out[-1].space = True
            continue
        a = start + token.idx
        out.append(_Piece(a, a + len(token.text), token.text, bool(token.whitespace_)))
    return out


def _quotation(shown: str, a: int, b: int) -> _Piece:
    words = shown[a + 1 : b - 1].strip().rstrip(",.;:!?").strip()
    inner_start = a + 1 + (len(shown[a + 1 : b - 1]) - len(shown[a + 1 : b - 1].lstrip()))
    trailing = shown[a + 1 : b - 1].strip()
    inner_end = inner_start + max(1, len(words) if words else len(trailing))
    proxy = words if words.isalpha() and words.islower() else "Omega"
    space = b < len(shown) and shown[b].isspace()
    return _Piece(inner_start, inner_end, proxy, space, quoted=True)


_JOINER = frozenset("-–/")


def _hyphenated(pieces: list[_Piece]) -> list[_Piece]:
    """Join "rose - pink" and show the parser its last part ("pink")."""
    out: list[_Piece] = []
    i = 0
    while i < len(pieces):
        piece = pieces[i]
        j = i
        while (
            j + 2 < len(pieces)
            and pieces[j + 1].shown in _JOINER
            and not pieces[j].space and not pieces[j + 1].space
            and pieces[j].shown[-1:].isalnum() and pieces[j + 2].shown[:1].isalnum()
            and not (pieces[j].quoted or pieces[j + 2].quoted)
        ):
            j += 2
        if j > i:
            words = [p.shown for p in pieces[i : j + 1] if p.shown not in _JOINER]
            out.append(_Piece(piece.start, pieces[j].end, lexicon.hyphen_proxy(words), pieces[j].space))
        else:
            if "-" in piece.shown[1:-1] and piece.shown.replace("-", "").isalpha():
                piece.shown = lexicon.hyphen_proxy(piece.shown.split("-"))
            out.append(piece)
        i = j + 1
    return out


def _multiword(pieces: list[_Piece], shown: str) -> list[_Piece]:
    """Join "in front of" and show the parser a preposition of the same use."""
    out: list[_Piece] = []
    i = 0
    while i < len(pieces):
        found = None
        for length in (5, 4, 3, 2):
            words = tuple(p.shown.lower() for p in pieces[i : i + length])
            if len(words) == length and words in lexicon.MULTIWORD_PREPOSITIONS:
                found = (length, lexicon.MULTIWORD_PREPOSITIONS[words])
                break
        if found:
            length, proxy = found
            last = pieces[i + length - 1]
            if pieces[i].shown[:1].isupper():
                proxy = proxy.capitalize()
            out.append(_Piece(pieces[i].start, last.end, proxy, last.space, multiword=True))
            i += length
        else:
            out.append(pieces[i])
            i += 1
    return out


def _parts(pieces: list[_Piece]) -> Iterator[list[_Piece]]:
    """Cut an overlong sentence at the last comma or semicolon before the limit."""
    while len(pieces) > MAX_WORDS:
        cut = next((k for k in range(MAX_WORDS - 1, MAX_WORDS // 2, -1) if pieces[k].shown in ",;:"), MAX_WORDS - 1)
        yield pieces[: cut + 1]
        pieces = pieces[cut + 1 :]
    if pieces:
        yield pieces
