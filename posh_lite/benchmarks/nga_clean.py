"""Assistive texts made clean: markup, entities, white space and boilerplate go, every other character stays."""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass

_BREAK = re.compile(r"(?i)<\s*(?:br|/p|/div|/li|p)\b[^<>]*>")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--.*?-->", re.S)
_ENTITY = re.compile(r"&(?:#\d{2,6}|#x[0-9A-Fa-f]{2,5}|[A-Za-z]{2,8});")
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SPACES = re.compile(r"[^\S\n]+")
#: What stands before or after a description and says nothing of the picture.
_BEFORE = re.compile(
    r"(?i)^(?:(?:image|visual|object|collection image|alt)[ -]*(?:description|text)|description)\s*[:.]\s+"
)
_AFTER = re.compile(
    r"(?i)\s*(?:\(?(?:read|see|show) more\)?\W*|(?:image )?description (?:by|written by) [^.\n]{2,60}\.?|"
    r"(?:for more information|learn more|to learn more),? (?:visit|see|at|about)\b[^\n]{0,200}|"
    r"image courtesy of [^\n]{2,100}|(?:©|\(c\)) ?\d{4}[^\n]{0,100}|https?://\S+)\s*$"
)
_CLOSED = re.compile(r"[.!?…][)\]\"'”’»]*$")
_CUT = re.compile(
    r"(?:\w-|[,;:–—&]|\b(?:a|an|the|of|and|or|with|in|on|to|by|from|is|are)|(?<!\.)\.{3}|…)[\"'”’]*$", re.I
)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text made clean, and what was done to it (names, in the order done)."""

    text: str
    changes: tuple[str, ...]


def clean(text: str) -> Cleaned:
    """Make an assistive text clean. Doing it again changes nothing.

    Entities are decoded, also where they were encoded twice; tags, invisible and control characters go; a blank line
    stays as the border of a paragraph and any other white space becomes one space; labels before the description
    and notices after it go. Characters are composed (NFC). Quotation marks and dashes stay as they are.

    >>> clean("Image description: A man &amp;amp; a dog.<br>  They run.")
    Cleaned(text='A man & a dog. They run.', changes=('entities', 'markup', 'white space', 'boilerplate'))
    """
    changes = []
    at = text
    for _ in range(20):  # each step can uncover work for an earlier one
        before = at
        for name, step in _STEPS:
            changed = step(at)
            if changed != at and name not in changes:
                changes.append(name)
            at = changed
        if at == before:
            break
    return Cleaned(at, tuple(changes))


def _entities(text: str) -> str:
    while _ENTITY.search(text):
        decoded = _ENTITY.sub(lambda m: html.unescape(m[0]), text)
        if decoded == text:
            break
        text = decoded
    return text


def _markup(text: str) -> str:
    return _TAG.sub("", _BREAK.sub("\n", text))


def _invisible(text: str) -> str:
    return _CONTROL.sub(" ", _INVISIBLE.sub("", unicodedata.normalize("NFC", text)))


def _white(text: str) -> str:
    lines = re.sub(r"\r\n?|[\u0085\u2028\v\f]", "\n", text).replace("\u2029", "\n\n")
    paragraphs = re.split(r"\n[^\S\n]*\n\s*", _SPACES.sub(" ", lines))
    return "\n\n".join(filter(None, (" ".join(p.split()) for p in paragraphs)))


def _boilerplate(text: str) -> str:
    return _AFTER.sub("", _BEFORE.sub("", text))


_STEPS = (
    ("entities", _entities), ("markup", _markup), ("invisible characters", _invisible), ("white space", _white),
    ("boilerplate", _boilerplate),
)


def is_truncated(text: str) -> bool:
    """Whether a description seems cut off: it ends in an ellipsis or within a phrase, or without a full stop.

    >>> is_truncated("A man."), is_truncated('It reads "STOP."'), is_truncated("A man in a"), is_truncated("A man...")
    (False, False, True, True)
    """
    shown = text.rstrip()
    return bool(_CUT.search(shown)) or not _CLOSED.search(shown)


def words(text: str) -> list[str]:
    """The words of a text as split by white space, which is how lengths of descriptions are counted here."""
    return text.split()


def comparable(text: str) -> tuple[str, ...]:
    """A text's words without case and punctuation, for finding texts that say the same."""
    return tuple(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))
