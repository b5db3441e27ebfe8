"""Penn Treebank tokens as COCO's evaluation makes them, without Java.

COCO's tools cut texts with Stanford's tokenizer, in lower case, and drop common punctuation. These rules do the same
for ordinary English; a test compares them with the program on every text of the known-answer corpus.
"""

from __future__ import annotations

import re

_PLAIN = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "--", "\u2014": "--", "\u2026": "...",
    "\u00bd": "1/2", "\u00bc": "1/4", "\u00be": "3/4", "\u00a0": " ", "\u2010": "-", "\u2011": "-",
})  # fmt: skip
_BRACKETS = {"(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-"}
_ABBREVIATIONS = (
    "mr|mrs|ms|dr|st|prof|rev|gen|col|capt|lt|sgt|jr|sr|vs|etc|no|fig|inc|ltd|co|corp|jan|feb|mar|apr|jun|jul|aug|sept"
    "|sep|oct|nov|dec|approx|ca|ft|mt|ave|blvd|rd"
)
_TOKEN = re.compile(
    r"https?://\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # addresses
    r"|(?:[a-z]\.){2,}|(?:e\.g|i\.e)\.?"  # "u.s."
    rf"|\b(?:{_ABBREVIATIONS})\.(?=\s+\S)"
    r"|\d+(?:[.,:/]\d+)*[^\W_]*(?:-[^\W_]+)*"  # "1,000.5", "10:30", "1/2", "19th-century", "3d"
    r"|(?:[^\W\d_]|[\u0300-\u036f])(?:[^\W_]|[\u0300-\u036f])*"  # a word ...
    r"(?:(?:[-/.](?=[^\W_])|(?<=[^\W_])[-_]|[&](?=[^\W_]))(?:[^\W_]|[\u0300-\u036f])+)*"  # ... and what hangs on it
    r"(?:'[^\W\d_]+)*"
    r"|\.{2,}|-{2,}|\*{2,}|#{2,}|={2,}|_+|\S"
)
_CLITIC = re.compile(r"(?<=[^\W_])(n't|'(?:s|re|ve|ll|d|m))$")
_SPLIT = {"cannot": ("can", "not"), "gonna": ("gon", "na"), "gotta": ("got", "ta"), "wanna": ("wan", "na"),
          "gimme": ("gim", "me"), "lemme": ("lem", "me")}  # fmt: skip
#: Characters that are no letter and that the tokenizer keeps; others (emoji, bullets) it deletes.
_KEPT = frozenset("$%&#*+/<=>@\\^_|~\u00a3\u20ac\u00a5\u00a2\u00a7\u00b0")


def treebank_tokens(text: str) -> list[str]:
    """Lower-case tokens without quotation marks, full stops, commas, colons, dashes and the like.

    Args:
        text: any string.

    Returns:
        Tokens in order: "isn't" is two ("is", "n't"), "well-known" one, a bracket is "-lrb-", an emoji none.
    """
    found: list[str] = []
    for match in _TOKEN.finditer(text.translate(_PLAIN).lower()):
        token = match[0]
        if token in _BRACKETS:
            found.append(_BRACKETS[token])
        elif token in _SPLIT:
            found.extend(_SPLIT[token])
        elif any(c.isalnum() for c in token):
            found.extend(_parted(token))
        elif token[0] in _KEPT:
            found.append(token)
    return found


def _parted(token: str) -> list[str]:
    """A word and its contractions: "they'd've" is "they", "'d", "'ve"."""
    tail: list[str] = []
    while cut := _CLITIC.search(token):
        tail.insert(0, cut[0])
        token = token[: cut.start()]
    return [token, *tail] if token else tail
