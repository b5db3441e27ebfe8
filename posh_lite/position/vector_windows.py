"""Stretches of a caption that may each bear out a claim: sentences, their clauses, and neighbours of these.

A vector of a whole sentence is of all that it says, so that a claim of one clause drowns in a sentence of five. Windows
are spans of the untouched text: whatever bears a claim out can be shown to a reader.
"""

from __future__ import annotations

import re
from itertools import pairwise

from posh_lite.records import Span
from posh_lite.text import sentences, visible

#: Where a sentence is cut: marks between clauses, and words that open another.
_WORDS = r"(?:and|but|with|while|as|where|which|in which)\s+"
_CUT = re.compile(rf"\s*[,;:()\u2013\u2014]\s*(?:{_WORDS})?|\s+{_WORDS}", re.I)
#: Least words of a clause: "of red" alone says too little.
LEAST = 2


def windows(text: str) -> tuple[Span, ...]:
    """Spans of sentences, clauses and pairs of neighbouring clauses, in the order of their starts, none twice.

    Args:
        text: a caption; markup and talk to the user are left out as they are for sentences.

    Returns:
        Half-open spans that begin and end in a visible character and hold a letter or digit.
    """
    shown = visible(text)
    found: set[Span] = set()
    for start, end in sentences(text):
        found.add(_trimmed(shown, start, end))
        parts = clauses(shown, start, end)
        found.update(parts)
        found.update((a, d) for (a, _), (_, d) in pairwise(parts))
    return tuple(sorted(found))


def clauses(shown: str, start: int, end: int) -> list[Span]:
    """The clauses of ``shown[start:end]`` of two words or more, without the marks around them."""
    cuts = [m.span() for m in _CUT.finditer(shown, start, end)]
    edges = [start, *(at for cut in cuts for at in cut), end]
    parts = [_trimmed(shown, a, b) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    return [(a, b) for a, b in parts if len(re.findall(r"\w+", shown[a:b])) >= LEAST]


def _trimmed(shown: str, start: int, end: int) -> Span:
    """Without white space at either end and the mark that ends a sentence."""
    piece = shown[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip(" \n.!?"))
