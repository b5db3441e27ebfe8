"""Rewriting of identifiers, a judge's second skill (PoSh paper, section "Granular Scoring").

The rules of :mod:`posh_lite.metric.phrases` write fluent phrases already; a language model may write better
ones. Its answer is checked: one line, and every noun of the original kept. Otherwise the original stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

_QUOTES = "\"'`\u201c\u201d\u2018\u2019 \t"
_MAX_GROWTH = 3  # a phrase three times as long is no rewording any more


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One phrase to be made fluent.

    Attributes:
        phrase: as the rules wrote it.
        kind: whether an attribute or a relation singles the entity out.
        prompt: the rendered prompt for a language model.
        keep: words that the answer must still contain.
    """

    phrase: str
    kind: Literal["attribute", "relation"]
    prompt: str
    keep: tuple[str, ...] = ()


@runtime_checkable
class Rewriter(Protocol):
    """A judge that can also rewrite identifiers."""

    def rewrite(self, requests: Sequence[Rewrite]) -> list[str | None]:
        """One phrase for each request, in order.

        None where there is no usable answer; empty where a server failed, which a verdict log does not keep.
        """
        ...


def accept(request: Rewrite, answer: str | None) -> str:
    """The answer if it is one line that keeps the nouns, else the phrase as it was."""
    if answer is None:
        return request.phrase
    lines = [line for line in answer.strip().splitlines() if line.strip()]
    if len(lines) != 1:
        return request.phrase
    phrase = lines[0].strip(_QUOTES).rstrip(".").strip(_QUOTES)
    if not phrase or len(phrase) > _MAX_GROWTH * len(request.phrase) + 10:
        return request.phrase
    words = set(re.findall(r"\w+", phrase.lower()))
    if any(w not in words for keep in request.keep for w in re.findall(r"\w+", keep.lower())):
        return request.phrase
    return phrase
