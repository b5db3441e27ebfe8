"""What the parser is shown in place of the hard parts of a sentence.

Small models stumble over quoted writing, hyphenated words, multiword prepositions, lists of colours and verbs
that look like plural nouns. Each is shown to the parser as one plain word of the same kind, or not at all, while
its offsets are kept: "rose-pink" as "pink", "in front of" as "behind", "gold and yellow striped" as "striped".
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from posh_lite.graph import lexicon
from posh_lite.text import quotations


@dataclass(eq=False, slots=True)
class Piece:
    """A stretch of the sentence that becomes one node."""

    start: int
    end: int
    shown: str
    space: bool
    quoted: bool = False
    multiword: bool = False
    negative: bool = False  # "red" in "blue rather than red"
    host: Piece | None = None  # hidden from the parser; the piece whose place in the tree it shares


def pieces_of(tokenizer, shown: str, start: int, end: int) -> list[Piece]:  # type: ignore[no-untyped-def]
    """Tokens of one sentence, with quotations, hyphenated words and multiword prepositions merged."""
    quotes = quotations(shown, start, end)
    merged: list[Piece] = []
    at = start
    for a, b in [*quotes, (end, end)]:
        merged.extend(_plain(tokenizer, shown, at, a))
        if b > a:
            merged.append(_quotation(shown, a, b))
        at = b
    found = _multiword(_hyphenated(merged), shown)
    _paintings(found)
    _sides(found)
    return found


def _plain(tokenizer, shown: str, start: int, end: int) -> list[Piece]:  # type: ignore[no-untyped-def]
    out: list[Piece] = []
    for token in tokenizer(shown[start:end]):
        if not token.text.strip():
            if out:
                out[-1].space = True
            continue
        a = start + token.idx
        if a + len(token.text) == end and len(token.text) == 2 and token.text[1] == ".":
            out.append(Piece(a, a + 1, token.text[0], False))  # "the letter E." at the end of a sentence
            out.append(Piece(a + 1, a + 2, ".", False))
            continue
        out.append(Piece(a, a + len(token.text), token.text, bool(token.whitespace_)))
    return out


def _quotation(shown: str, a: int, b: int) -> Piece:
    words = shown[a + 1 : b - 1].strip().rstrip(",.;:!?").strip()
    inner_start = a + 1 + (len(shown[a + 1 : b - 1]) - len(shown[a + 1 : b - 1].lstrip()))
    trailing = shown[a + 1 : b - 1].strip()
    inner_end = inner_start + max(1, len(words) if words else len(trailing))
    proxy = words if words.isalpha() and words.islower() else "Omega"
    space = b < len(shown) and shown[b].isspace()
    return Piece(inner_start, inner_end, proxy, space, quoted=True)


_JOINER = frozenset("-–/")


def _hyphenated(pieces: list[Piece]) -> list[Piece]:
    """Join "rose - pink" and show the parser its last part ("pink")."""
    out: list[Piece] = []
    i = 0
    while i < len(pieces):
        piece = pieces[i]
        j = i
        while (
            j + 2 < len(pieces)
            and pieces[j + 1].shown in _JOINER
            and not pieces[j].space
            and not pieces[j + 1].space
            and pieces[j].shown[-1:].isalnum()
            and pieces[j + 2].shown[:1].isalnum()
            and not (pieces[j].quoted or pieces[j + 2].quoted)
        ):
            j += 2
        if j > i:
            words = [p.shown for p in pieces[i : j + 1] if p.shown not in _JOINER]
            out.append(Piece(piece.start, pieces[j].end, lexicon.hyphen_proxy(words), pieces[j].space))
        else:
            if "-" in piece.shown[1:-1] and piece.shown.replace("-", "").isalpha():
                piece.shown = lexicon.hyphen_proxy(piece.shown.split("-"))
            out.append(piece)
        i = j + 1
    return out


_MULTIWORD = {**lexicon.MULTIWORD_ADVERBS, **lexicon.MULTIWORD_PREPOSITIONS}
_WORK_BEFORE = frozenset(
    [
        "this",
        "the",
        "portrait",
        "landscape",
        "genre",
        "horizontal",
        "vertical",
        "square",
        "oval",
        "round",
        "oil",
        "history",
        "still-life",
    ]
)


def _sides(pieces: list[Piece]) -> None:
    """In "to our left, tall trees" the left is a noun, whatever adjectives follow the comma."""
    for number, piece in enumerate(pieces):
        if piece.shown not in ("left", "right") or not number:
            continue
        following = pieces[number + 1].shown.lower() if number + 1 < len(pieces) else "."
        if pieces[number - 1].shown.lower() in _OWNERS_OF_SIDES and following in lexicon.AFTER_SIDES:
            piece.shown = "side"


def _paintings(pieces: list[Piece]) -> None:
    """As in "this landscape painting" is a picture, never an activity."""
    for before, piece in pairwise(pieces):
        if piece.shown in ("painting", "paintings") and before.shown.lower() in _WORK_BEFORE:
            piece.shown = "picture" if piece.shown == "painting" else "pictures"


_OWNERS_OF_SIDES = frozenset(
    [
        "our",
        "the",
        "his",
        "her",
        "their",
        "its",
        "my",
        "your",
        "far",
        "lower",
        "upper",
        "bottom",
        "top",
        "extreme",
        "'s",
    ]
)
_ZONES = frozenset(["left", "right", "center", "centre", "middle", "top", "midst"])


def _names_region(pieces: list[Piece], start: int, end: int) -> bool:
    """Whether "in the center of" speaks of the picture ("the center of the image"): the zone is a noun then."""
    words = [p.shown.lower() for p in pieces[start:end]]
    if len(words) < 2 or words[-1] != "of" or words[-2] not in _ZONES:
        return False
    if len(words) == 2 and start and pieces[start - 1].shown.lower() in _OWNERS_OF_SIDES:
        return True  # "the lower left of"
    following = [p.shown.lower() for p in pieces[end : end + 3]]
    return any(word in lexicon.PICTURE_NOUNS | lexicon.WORK_NOUNS for word in following[1:3])


def _multiword(pieces: list[Piece], shown: str) -> list[Piece]:
    """Join "in front of" and show the parser a preposition of the same use."""
    out: list[Piece] = []
    i = 0
    while i < len(pieces):
        found = None
        for length in (5, 4, 3, 2):
            words = tuple(p.shown.lower() for p in pieces[i : i + length])
            if len(words) == length and words in _MULTIWORD and not _names_region(pieces, i, i + length):
                found = (length, _MULTIWORD[words])
                break
        if found:
            length, proxy = found
            last = pieces[i + length - 1]
            if pieces[i].shown[:1].isupper():
                proxy = proxy.capitalize()
            out.append(Piece(pieces[i].start, last.end, proxy, last.space, multiword=True))
            i += length
        else:
            out.append(pieces[i])
            i += 1
    return out


def hide_runs(pieces: list[Piece], shown: str) -> None:
    """In "gold, pine-green and brown leaves" show the parser only "brown leaves"."""
    i = 0
    while i < len(pieces):
        members: list[tuple[int, int]] = []  # half-open ranges of pieces
        negative: list[int] = []  # which of them are denied
        at = i
        while (end := _member(pieces, at, shown)) is not None:
            members.append((at, end))
            after = _separator(pieces, end)
            if after is None:
                break
            if any(p.shown.lower() == "not" or _contrast(p, shown) for p in pieces[end:after]):
                negative.append(len(members))
            at = after
        if len(members) > 1:
            for number in negative:
                for piece in pieces[slice(*members[number])] if number < len(members) else ():
                    piece.negative = True
            last_start, last_end = members[-1]
            striped = last_end
            if striped < len(pieces) and pieces[striped].shown.lower() in lexicon.PATTERNS:
                last_end = striped + 1
            host = pieces[last_end - 1]
            for k in range(members[0][0], last_start):
                pieces[k].host = host
            i = last_end
        else:
            i = max(i + 1, members[0][1] if members else 0)


def _member(pieces: list[Piece], at: int, shown: str) -> int | None:
    """End of a colour or pattern with its shades ("light blue") that starts at ``at``."""
    end = at
    while end < len(pieces) and end < at + 3:
        low = shown[pieces[end].start : pieces[end].end].lower()
        if pieces[end].quoted or pieces[end].multiword:
            return None
        last = low.rsplit("-", 1)[-1]
        if (last in lexicon.COLOURS or last in lexicon.PATTERNS) and low not in lexicon.THING_COLOURS:
            following = pieces[end + 1].shown.lower() if end + 1 < len(pieces) else ""
            if following in lexicon.COLOURS:  # "emerald green"
                end += 1
                continue
            return end + 1
        if low not in lexicon.SHADES:
            return None
        end += 1
    return None


def _separator(pieces: list[Piece], at: int) -> int | None:
    """Position behind a comma, "and", "or" or both, or None."""
    start = at
    if at < len(pieces) and pieces[at].shown == ",":
        at += 1
    if at < len(pieces) and pieces[at].shown.lower() in ("and", "or", "&", "but"):
        at += 1
    if at < len(pieces) and (
        (pieces[at].shown.lower() == "not" and at > start) or (pieces[at].multiword and pieces[at].shown == "without")
    ):
        at += 1
    return at if at > start else None


def _contrast(piece: Piece, shown: str) -> bool:
    return piece.multiword and shown[piece.start : piece.end].lower() in ("rather than", "instead of")
