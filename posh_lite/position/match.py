"""From a quotation to its place in the caption: exactly, then normalized, then to the nearest passage.

Appendix A.2 of "Where Do Long Captions Fail?". A fuzzy match may mend a slip of the pen, not a fact: one that changes a
number, a colour or a negation is refused. What is found nowhere is left out and counted. Offsets are characters into
the untouched caption.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from unicodedata import category

from posh_lite.position.types import Match
from posh_lite.records import Span
from posh_lite.text import tokens, visible

#: Similarity of a fuzzy match, 0 to 1: twice the words in common, in order, over the words of both.
THRESHOLD = 0.75
#: Words beside a fuzzy match in which a negation counts as its own.
REACH = 2
#: What a quoted word may lack at its end.
_ENDING = re.compile(r"(?:s|es|d|ed|ing)(?!\w)")
_NEGATION = frozenset({
    "no", "not", "never", "without", "neither", "nor", "none", "nobody", "nothing", "cannot", "lack", "lacks",
    "lacking", "absent", "n't",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """Where a quotation stands. ``span`` is None where it is nowhere; ``vetoed`` says that a near one was refused."""

    span: Span | None
    match: Match
    similarity: float = 0.0
    vetoed: bool = False


def locate(quote: str, caption: str, *, threshold: float = THRESHOLD) -> Place:
    """Find a quotation in a caption.

    Args:
        quote: the words that a verifier gives as evidence. Blank ones are "none".
        caption: the caption that they should stand in.
        threshold: least similarity of a fuzzy match, 0 to 1.

    Returns:
        The first place that fits, by the strictest way that finds one.

    Raises:
        ValueError: ``threshold`` is not between 0 and 1.
    """
    if not 0 <= threshold <= 1:
        raise ValueError(f"threshold must lie between 0 and 1, got {threshold}")
    if not quote.strip():
        return Place(None, "none")
    at = _exact(quote, caption)
    if at is not None:
        return Place(at, "exact", 1.0)
    at = _normalized(quote, caption)
    if at is not None:
        return Place(at, "normalized", 1.0)
    return _fuzzy(quote, caption, threshold)


def _exact(quote: str, caption: str) -> Span | None:
    """The quotation as it stands between the edges of words, or else with a mere ending after it ("stripe" + "s").

    Inside a word it says another thing: "man" is not in "woman", nor "2 dogs" in "12 dogs".
    """
    first: Span | None = None
    at = caption.find(quote)
    while at >= 0:
        span = (at, at + len(quote))
        if not _runs_on(caption, span[0]):
            if not _runs_on(caption, span[1]):
                return span
            if first is None and _ENDING.match(caption, span[1]) and quote[-1].isalpha():
                first = span
        at = caption.find(quote, at + 1)
    return first


def _runs_on(text: str, at: int) -> bool:
    """Whether a word or number goes on over a place; scripts that set no blanks between words say nothing of it."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    return before.isalnum() and after.isalnum() and "Lo" not in (category(before), category(after))


def _letters(text: str) -> tuple[str, list[int]]:
    """Letters and digits in small type, accents off, single blanks between words; and where each character stood."""
    out: list[str] = []
    at: list[int] = []
    gap = False
    for i, char in enumerate(visible(text)):
        if char in "'\u0300\u0301":
            continue
        if not char.isalnum():
            gap = True
            continue
        plain = "".join(c for c in unicodedata.normalize("NFKD", char).casefold() if not unicodedata.combining(c))
        if gap and out:
            out.append(" ")
            at.append(i)
        gap = False
        for c in plain:
            out.append(c)
            at.append(i)
    return "".join(out), at


def _normalized(quote: str, caption: str) -> Span | None:
    wanted, _ = _letters(quote)
    if not wanted:
        return None
    flat, at = _letters(caption)
    found = re.search(rf"(?<!\S){re.escape(wanted)}(?!\S)", flat)
    if found is None:
        return None
    end = at[found.end() - 1] + 1
    while end < len(caption) and unicodedata.combining(caption[end]):
        end += 1  # an accent that is a character of its own belongs to its letter
    return (at[found.start()], end)


@dataclass(frozen=True, slots=True)
class _Word:
    start: int
    end: int
    key: str
    negates: bool


def _words(text: str) -> list[_Word]:
    found = []
    for token in tokens(visible(text)):
        key = _letters(token.text)[0].replace(" ", "")
        if token.is_word and key:
            found.append(_Word(token.start, token.end, key, _negates(token.text)))
    return found


def _fuzzy(quote: str, caption: str, threshold: float) -> Place:
    """The passage of about as many words that shares most with the quotation, in order."""
    wanted, have = [w.key for w in _words(quote)], _words(caption)
    n = len(wanted)
    if not n or not have:
        return Place(None, "unmatched")
    best: tuple[float, int, int] | None = None
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    keys = [w.key for w in have]
    known = set(wanted)
    vetoed = False
    for size in sorted({max(1, n - 2), max(1, n - 1), n, n + 1, n + 2}, key=lambda s: (abs(s - n), s)):
        for i in range(max(1, len(keys) - size + 1)):
            window = keys[i : i + size]
            shared = sum(k in known for k in window)
            if 2 * shared < threshold * (n + len(window)):
                continue
            matcher.set_seq1(window)
            ratio = matcher.ratio()
            if ratio < threshold or (best is not None and ratio <= best[0]):
                continue
            j = min(i + size, len(have))
            if changes_fact(quote, caption[have[i].start : have[j - 1].end]) or _denied(quote, have, i, j):
                vetoed = True
                continue
            best = (ratio, i, j)
    if best is None:
        return Place(None, "unmatched", vetoed=vetoed)
    ratio, i, j = best
    i, j = _trimmed(keys, i, j, known)
    return Place((have[i].start, have[j - 1].end), "fuzzy", ratio)


def _denied(quote: str, have: list[_Word], i: int, j: int) -> bool:
    """Whether a negation that the quotation does not have stands right beside the passage."""
    if _facts(quote)[2]:
        return False
    return any(w.negates for w in (*have[max(0, i - REACH) : i], *have[j : j + REACH]))


def _trimmed(keys: list[str], i: int, j: int, known: set[str]) -> tuple[int, int]:
    """Without the words at the edges that the quotation does not have."""
    while i < j - 1 and keys[i] not in known:
        i += 1
    while j > i + 1 and keys[j - 1] not in known:
        j -= 1
    return i, j


def changes_fact(quote: str, passage: str) -> bool:
    """Whether the two differ in a number, a colour or a negation.

    Numbers are compared as values ("3" and "three" are one), colours and negations as the words that are there.
    """
    return _facts(quote) != _facts(passage)


def _negates(word: str) -> bool:
    plain = word.lower().replace("\u2019", "'")
    return plain in _NEGATION or plain.endswith("n't")


@lru_cache(maxsize=4096)
def _facts(text: str) -> tuple[tuple[str, ...], ...]:
    from posh_lite.judge.lexical import words as lexical

    numbers, colors, negations = [], [], []
    for token in tokens(visible(text)):
        word = token.text.lower().replace("\u2019", "'")
        if _negates(word):
            negations.append("not")
            continue
        plain = word.removesuffix("'s")
        value = lexical.number(plain)
        if value is not None and plain not in ("a", "an"):
            numbers.append(str(value))
        elif any(c.isdigit() for c in plain):
            numbers.append(plain)
        elif lexical.is_color(plain) or (plain.endswith("s") and lexical.is_color(plain[:-1])):
            colors.append(plain)
    return tuple(sorted(numbers)), tuple(sorted(colors)), tuple(sorted(negations))
