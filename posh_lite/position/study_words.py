"""A second verifier that shares nothing with the first but the lists of words: no parse, no graph, no coreference.

It serves one question, in the form of Table 18 of "Where Do Long Captions Fail?": do the position effects hang on the
verifier? By itself it is a poor one: it takes two sentences that share most words to say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from posh_lite.position.label import content_sentences
from posh_lite.position.types import Claim, Finding, Rubric
from posh_lite.records import Span
from posh_lite.text import tokens

#: Share of a claim's words that a sentence must have to be about it.
ENOUGH = 0.75
#: Words that say nothing by themselves, beside those that are shorter than three letters.
_EMPTY = frozenset({
    "the", "and", "are", "was", "were", "has", "have", "with", "that", "this", "there", "its", "his", "her", "their",
    "for", "from", "into", "onto", "over", "some", "seen", "shown", "image", "picture", "photo", "photograph", "scene",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Part:
    """A sentence of a caption: its words by stem with their places, and its colours and numbers."""

    span: Span
    places: dict[str, Span]
    facts: frozenset[tuple[str, str]]


class WordVerifier:
    """Supported where a sentence has most words of a claim, contradicted where only a colour or number is another.

    Args:
        enough: share of the claim's words, 0 to 1.

    Raises:
        ValueError: ``enough`` is not above 0 and at most 1.
    """

    def __init__(self, enough: float = ENOUGH) -> None:
        if not 0 < enough <= 1:
            raise ValueError(f"enough must be above 0 and at most 1, got {enough}")
        self.enough = enough

    @property
    def signature(self) -> str:
        from posh_lite.judge.lexical.lexicon import lexicon

        return f"words-1 enough:{self.enough:g} lexicon:{lexicon().digest[:10]}"

    def verify(self, items: Sequence[tuple[str, Rubric]], /) -> list[tuple[Finding, ...]]:
        """For each caption and rubric one finding a claim, in the order of the claims."""
        found = []
        for caption, rubric in items:
            parts = [_part(caption, span) for span in content_sentences(caption)]
            found.append(tuple(self._one(claim, caption, parts) for claim in rubric.claims))
        return found

    def _one(self, claim: Claim, caption: str, parts: Sequence[_Part]) -> Finding:
        whole = _part(claim.text, (0, len(claim.text)))
        facts = whole.facts
        plain = [w for w in whole.places if not any(w == word for _, word in facts)]
        best: tuple[float, int] | None = None
        for number, part in enumerate(parts):
            shared = sum(w in part.places for w in plain)
            share = shared / len(plain) if plain else 0.0
            agrees = facts <= part.facts
            rank = share + (0.001 if agrees else 0.0)
            if share >= self.enough and (best is None or rank > best[0]):
                best = (rank, number)
        if best is None:
            return Finding(claim.id, "Missing", reason="no sentence has most of its words")
        part = parts[best[1]]
        at = [part.places[w] for w in (*plain, *(w for _, w in facts)) if w in part.places]
        span = (min(a for a, _ in at), max(b for _, b in at))
        lost = {kind for kind, word in facts if (kind, word) not in part.facts}
        other = {kind for kind, _ in part.facts}
        if not lost:
            return Finding(claim.id, "Supported", span, caption[slice(*span)], "given", "most words are the same")
        if lost & other:
            kind = min(lost & other)
            return Finding(claim.id, "Contradicted", span, caption[slice(*span)], "given", f"another {kind}")
        return Finding(claim.id, "Missing", reason=f"the sentence gives no {min(lost)}")


@lru_cache(maxsize=8192)
def _part(text: str, span: Span) -> _Part:
    from posh_lite.judge.lexical import words

    places: dict[str, Span] = {}
    facts: set[tuple[str, str]] = set()
    for token in tokens(text, *span):
        word = token.text.lower().replace("\u2019", "'").removesuffix("'s")
        if not token.is_word:
            continue
        value = words.number(word)
        if value is not None and word not in ("a", "an", "one"):
            places.setdefault(str(value), (token.start, token.end))
            facts.add(("number", str(value)))
        elif words.is_color(word):
            places.setdefault(word, (token.start, token.end))
            facts.add(("colour", word))
        elif len(word) > 2 and word not in _EMPTY:
            places.setdefault(words.stem(word), (token.start, token.end))
    return _Part(span, places, frozenset(facts))
