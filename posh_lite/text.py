"""Sentences and tokens with exact offsets into the untouched text, markdown and chatter included.

Descriptions written by models are markdown with lists, headings, tables and a greeting in front. Nothing is
ever removed: :func:`visible` hides markup behind spaces of the same length, and :func:`segments` tiles the
text, so every span that comes out of a parser can be shown to the reader as ``text[start:end]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from posh_lite.records import Span
from posh_lite.text_words import ABBREVIATIONS, MAY_END, STARTERS

#: ``sentence``: described content. ``label``: a heading or run-in label that names a thing ("The woman:").
#: ``heading``: a structural one ("Background:", "## Overview"). ``preamble``: talk to the user, before or after.
#: ``gap``: white space and markup between the others.
SegmentKind = Literal["sentence", "label", "heading", "preamble", "gap"]

#: Kinds that hold statements about the picture.
CONTENT_KINDS: tuple[SegmentKind, ...] = ("sentence", "label")

_ONE_TO_ONE = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201b": "'", "\u02bc": "'", "\u00b4": "'", "\u2032": "'",
    "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u201f": '"', "\u00ab": '"', "\u00bb": '"', "\u2033": '"',
    "\u00a0": " ", "\u202f": " ", "\u2007": " ", "\u2009": " ", "\u200a": " ", "\u3000": " ", "\u200b": " ",
    "\ufeff": " ", "\u2060": " ", "\u2010": "-", "\u2011": "-", "\u2028": "\n", "\u2029": "\n", "\u0085": "\n",
    "\r": " ", "\t": " ", "\f": "\n", "\v": "\n",
    "\u200e": " ", "\u200f": " ", "\u202a": " ", "\u202b": " ", "\u202c": " ", "\u2066": " ", "\u2067": " ",
    "\u2068": " ", "\u2069": " ",
})  # fmt: skip
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_FENCE = re.compile(r"^[ ]{0,8}(?:```|~~~)[^\n`]*$", re.M)
_RULE = re.compile(r"^[ ]{0,3}(?:(?:-[ ]*){3,}|(?:\*[ ]*){3,}|(?:_[ ]*){3,}|=+[ ]*)$", re.M)
_HTML = re.compile(r"</?[A-Za-z][^<>\n]{0,80}>|<!--[^\n]{0,200}?-->")
_LINK = re.compile(r"(!?\[)([^\[\]\n]{0,200})(\]\([^()\n]{0,300}\))")
_TABLE_RULE = re.compile(r"^[ ]*\|?[ ]*:?-{2,}:?[ ]*(?:\|[ ]*:?-{2,}:?[ ]*)*\|?[ ]*$", re.M)
_EMPHASIS = re.compile(r"\*{1,3}|~~|`+|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)")
_LINE_MARK = re.compile(
    r"^(?P<mark>[ ]*(?:>[ ]*)*(?:[-+*\u2022\u25e6\u25aa\u25cf\u2013\u2023][ ]+(?:\[[ xX]\][ ]+)?"
    r"|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,4})[.)][ ]+)*)(?P<hash>#{1,6}(?:[ ]+|$))?",
)

_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f\u061f]+[)\]\"']*")
_WORD_BEFORE = re.compile(r"([\w.]*\w)$")
_GLUED = re.compile(r"(?<=[a-z]{3})[.!?](?=[A-Z][a-z]+\s)")

_GREETING = re.compile(r"\s*(?:sure|certainly|of course|absolutely|okay|ok|great|alright)\b\W*$", re.I)
_PREAMBLE = re.compile(
    r"\s*(?:(?:sure|certainly|of course|absolutely|okay|ok|great|alright)\b[\s,!.:\u2014-]*)?"
    r"(?:here(?:'s| is| are)|below (?:is|are)|the following is|i(?:'ll| will| can) (?:describe|provide|give)"
    r"|let me describe|this is an? (?:\w+[ ,]+){0,3}(?:description|caption) of)\b[^.:!\n]{0,120}?"
    r"(?:(?:description|describe|caption|overview|breakdown|summary)\b[^.:!\n]{0,100})?(?:[:!]|\.(?=\s|$))\s*",
    re.I,
)
_DESCRIBING = re.compile(r"\b(?:descri\w+|caption|overview|breakdown|summary)\b", re.I)
_AFTERWORD = re.compile(
    r"\s*(?:let me know|i hope (?:this|that)|feel free|would you like|if you(?:'d| would)? (?:like|need|want|have)"
    r"|please let me know|is there anything)\b",
    re.I,
)
_STRUCTURE = re.compile(
    r"\b(?:description|overview|summary|background|foreground|midground|subjects?|composition|details?|colou?rs?|palette"
    r"|lighting|mood|style|setting|atmosphere|overall|clothing|attire|expression|pose|impression|elements?|scene|image"
    r"|photo|photograph|painting|picture|title|caption|medium|technique|perspective|conclusion|main|key|notable|text"
    r"|texture|location|layout|surroundings|environment|appearance|features|context|interpretation|analysis)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Segment:
    """A half-open stretch of the text and what it is."""

    start: int
    end: int
    kind: SegmentKind

    @property
    def span(self) -> Span:
        return (self.start, self.end)


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or punctuation character."""

    start: int
    end: int
    text: str
    is_word: bool


def visible(text: str) -> str:
    """The text as a parser should read it: same length, markup blanked, quotes and spaces made plain.

    Args:
        text: any string.

    Returns:
        A string of ``len(text)`` characters; position ``i`` stands for ``text[i]``.
    """
    plain = _CONTROL.sub(" ", text.translate(_ONE_TO_ONE))
    for pattern in (_FENCE, _RULE, _HTML):
        plain = pattern.sub(_blank, plain)
    plain = _LINK.sub(lambda m: " " * len(m[1]) + m[2] + " " * len(m[3]), plain)
    return _EMPHASIS.sub(_blank, plain)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def segments(text: str) -> tuple[Segment, ...]:
    """Tile a text with sentences, labels, headings, preambles and the gaps between them.

    Every character belongs to exactly one segment; the segments are in text order and none is empty. A list
    number ("1.") and a table rule are gaps, quoted writing is never cut, a hard line break inside a paragraph
    does not end a sentence.
    """
    shown = visible(text)
    pieces: list[Segment] = []
    for start, end, heading in _blocks(text, shown):
        pieces.extend(_cut_block(text, shown, start, end, heading))
    pieces = _mark_chatter(shown, pieces)
    out: list[Segment] = []
    at = 0
    for piece in pieces:
        if piece.start > at:
            out.append(Segment(at, piece.start, "gap"))
        out.append(piece)
        at = piece.end
    if at < len(text):
        out.append(Segment(at, len(text), "gap"))
    return tuple(out)


def sentences(text: str, kinds: tuple[SegmentKind, ...] = CONTENT_KINDS) -> tuple[Span, ...]:
    """Spans of the segments of the given kinds, in text order (by default the described content)."""
    return tuple(s.span for s in segments(text) if s.kind in kinds)


_TOKEN = re.compile(
    r"\d+(?:[.,]\d+)*(?:[^\W\d_]+)?|[^\W_](?:[^\W_]|[\u0300-\u036f\u200d])*(?:['\u2019](?:[^\W_]|[\u0300-\u036f])+)*|\S"
)


def tokens(text: str, start: int = 0, end: int | None = None) -> tuple[Token, ...]:
    """Words, numbers and single punctuation characters of ``text[start:end]``, white space left out.

    Possessives and contractions stay with their word ("boy's"); hyphenated words are cut at the hyphen, so
    that a span of one part covers whole tokens.
    """
    stop = len(text) if end is None else end
    return tuple(Token(m.start(), m.end(), m[0], m[0][0].isalnum()) for m in _TOKEN.finditer(text, start, stop))


def _blocks(text: str, shown: str) -> Iterator[tuple[int, int, bool]]:
    """Paragraphs, list items, table cells and headings, as (start, end, is heading)."""
    position = 0
    open_start = open_end = -1
    lines = shown.split("\n")
    for number, line in enumerate(lines):
        start, position = position, position + len(line) + 1
        end = start + len(line)
        raw = text[start:end]
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if not line.strip() or (_TABLE_RULE.match(line) and "-" in line):
            if open_start >= 0:
                yield open_start, open_end, False
            open_start = -1
            continue
        if line.count("|") >= 2 or ("|" in line and _TABLE_RULE.match(following)):
            if open_start >= 0:
                yield open_start, open_end, False
            open_start = -1
            header = bool(following.strip()) and bool(_TABLE_RULE.match(following))
            yield from _cells(shown, start, end, header)
            continue
        mark = _LINE_MARK.match(line)
        offset = mark.end() if mark else 0
        raw_mark = _LINE_MARK.match(raw.translate(_ONE_TO_ONE))
        marked = bool(mark and mark["mark"].strip()) or bool(raw_mark and raw_mark["mark"].strip())
        bold_line = bool(
            re.fullmatch(r"\s*(?:\*\*|__)[^*\n]{1,80}(?:\*\*|__):?\s*", raw[raw_mark.end() if raw_mark else 0 :])
        )
        heading = bool(mark and mark["hash"]) or (bold_line and not re.search(r"[.!?]\W*$", line))
        if heading or marked:
            if open_start >= 0:
                yield open_start, open_end, False
            open_start = -1
        if heading:
            yield start + offset, end, True
        elif open_start >= 0:
            open_end = end
        else:
            open_start, open_end = start + offset, end
    if open_start >= 0:
        yield open_start, open_end, False


def _cells(shown: str, start: int, end: int, header: bool) -> Iterator[tuple[int, int, bool]]:
    at = start
    for part in shown[start:end].split("|"):
        if part.strip():
            yield at, at + len(part), header
        at += len(part) + 1


def _cut_block(text: str, shown: str, start: int, end: int, heading: bool) -> Iterator[Segment]:
    if heading:
        yield from _trimmed(shown, start, end, "heading" if _structural(shown[start:end]) else "label")
        return
    while start > 0 and text[start - 1] in "*_":
        start -= 1  # the list mark swallowed the blanked markup
    label = re.match(r"\s*(?:\*\*|__)([^*\n]{1,60}?)(:?)(?:\*\*|__)(:?)", text[start:end])
    if label and (label[2] or label[3]):
        cut = start + label.end()
        yield from _trimmed(shown, start, cut, "heading" if _structural(label[1]) else "label")
        start = cut
    for a, b in _sentence_spans(shown, start, end):
        yield from _trimmed(shown, a, b, "sentence")


def _structural(words: str) -> bool:
    """A heading that names no thing of its own: no article in front, or only words of layout."""
    return not re.match(r"\s*(?:the|an?|two|three|four|five|left|right)\b", words, re.I) or bool(
        _STRUCTURE.search(words)
    )


def _trimmed(shown: str, start: int, end: int, kind: SegmentKind) -> Iterator[Segment]:
    while start < end and shown[start].isspace():
        start += 1
    while end > start and shown[end - 1].isspace():
        end -= 1
    if start < end:
        has_word = any(c.isalnum() for c in shown[start:end])
        yield Segment(start, end, kind if has_word else "gap")


def quotations(shown: str, start: int, end: int) -> list[Span]:
    """Quoted stretches of ``shown[start:end]``, quotation marks included, in order and not nested.

    An opening mark without a partner within 300 characters is not a quotation, an apostrophe never is, and
    inches (``12"``) are not.
    """
    found: list[Span] = []
    at = start
    for match in re.finditer(r'"', shown[start:end]):
        i = start + match.start()
        if i < at or (i > start and shown[i - 1].isdigit() and not found_open(shown, i, end)):
            continue
        close = shown.find('"', i + 1, min(end, i + 302))
        if close < 0 or not shown[i + 1 : close].strip():
            continue
        found.append((i, close + 1))
        at = close + 1
    singles = re.compile(r"(?<![\w'])'(?=[^\s'])([^'\n]|(?<=\w)'(?=\w)){1,80}?(?<=[^\s])'(?!\w)")
    taken = found[:]
    for match in singles.finditer(shown, start, end):
        if not any(a < match.end() and match.start() < b for a, b in taken):
            found.append(match.span())
    found.sort()
    return found


def found_open(shown: str, i: int, end: int) -> bool:
    """Whether the quotation mark at ``i`` after a digit opens something rather than meaning inches."""
    return i + 1 < end and shown[i + 1].isalnum()


def _sentence_spans(shown: str, start: int, end: int) -> Iterator[Span]:
    quotes = quotations(shown, start, end)
    cursor = 0
    begin = start
    for match in sorted(
        [*_END.finditer(shown, start, end), *_GLUED.finditer(shown, start, end)], key=lambda m: m.start()
    ):
        stop = match.end()
        if stop <= begin:
            continue
        while cursor < len(quotes) and quotes[cursor][1] <= match.start():
            cursor += 1
        inside = cursor < len(quotes) and quotes[cursor][0] <= match.start() < quotes[cursor][1]
        if inside and stop < quotes[cursor][1]:
            continue
        if _ends_sentence(shown, begin, match, end, inside):
            yield begin, stop
            begin = stop
    if begin < end:
        yield begin, end


def _ends_sentence(shown: str, begin: int, match: re.Match[str], end: int, inside: bool) -> bool:
    stop = match.end()
    if stop >= end:
        return True
    if match.re is _GLUED:
        return not inside
    if not shown[stop].isspace():
        return False
    rest = shown[stop : stop + 60].lstrip(" \n\"'([*")
    if not rest:
        return True
    if not (rest[0].isupper() or rest[0].isdigit() or not rest[0].isascii() or rest[0] in "-"):
        return False
    mark = match[0]
    if not mark.startswith(".") or mark.startswith(".."):
        return not mark.startswith("..") or rest[0].isupper()
    before = _WORD_BEFORE.search(shown, max(begin, match.start() - 40), match.start())
    word = before[1] if before else ""
    low = word.lower()
    following = re.match(r"\w+", rest)
    starts = bool(following) and following[0].lower() in STARTERS if following else False
    if low in ABBREVIATIONS and not (low == "no" and starts):
        return low in MAY_END and starts
    if len(word) == 1 and word.isupper():
        return starts  # an initial ("J. Vermeer"), unless what follows starts a sentence
    if word.isdigit() and not shown[begin : match.start() - len(word)].strip():
        return False  # "1." at the start is a list number
    return not (rest[0].isdigit() and low in {"no", "nos", "fig", "figs", "p", "pp", "vol"})


def _mark_chatter(shown: str, pieces: list[Segment]) -> list[Segment]:
    """Flag talk to the user in front of the description and behind it."""
    out = list(pieces)
    i = 0
    while i < min(4, len(out)):
        piece = out[i]
        words = shown[piece.start : piece.end]
        match = _PREAMBLE.match(words)
        if piece.kind == "gap" or _GREETING.match(words):
            out[i] = piece if piece.kind == "gap" else Segment(piece.start, piece.end, "preamble")
        elif match and (
            _DESCRIBING.search(match[0]) or (match[0].rstrip().endswith(":") and not words[match.end() :].strip())
        ):
            cut = piece.start + len(match[0].rstrip())
            rest = piece.start + match.end()
            out[i] = Segment(piece.start, cut, "preamble")
            if rest < piece.end:
                out.insert(i + 1, Segment(rest, piece.end, piece.kind))
                break
        else:
            break
        i += 1
    for i in range(len(out) - 1, max(-1, len(out) - 4), -1):
        if out[i].kind == "sentence" and _AFTERWORD.match(shown[out[i].start : out[i].end]):
            out[i] = Segment(out[i].start, out[i].end, "preamble")
        else:
            break
    return out
