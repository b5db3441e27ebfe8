"""The sentences that matter for a question, instead of the whole texts.

A small language model loses a detail in a long text. Which sentences could answer a question is known without it:
those that speak of the counterpart of what is asked, under any name or pronoun, as the lexical judge aligns the two
graphs. What is chosen stays an exact slice of the text, in its order. Nothing may be found absent because the choice
was bad: where the lexicon finds no counterpart, or too many sentences to decide between, the whole text is shown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from posh_lite.graph.types import Attribute, Entity, Relation, SceneGraph

if TYPE_CHECKING:
    from posh_lite.judge.contract import Question
    from posh_lite.judge.lexical.align import Alignment
    from posh_lite.metric.passes import Draft

#: Version of the rules of this module, part of a signature.
RULES = 1
#: The most sentences shown of one text.
SENTENCES = 3
#: What stands for sentences that are left out.
GAP = " [...] "

# What speaks for a sentence. The counterpart outweighs all that may only be like it.
_COUNTERPART, _NAMED, _CANDIDATE, _WORD, _CLAIM, _MARK = 3.0, 0.5, 1.5, 1.2, 1.0, 0.3


class Nearby:
    """Chooses sentences for the questions of one side of one pair.

    Args:
        source: graph of the text that the components come from.
        target: graph of the text that they are looked for in.
        limit: the most sentences of either text, at least 1.
    """

    def __init__(self, source: SceneGraph, target: SceneGraph, limit: int = SENTENCES) -> None:
        if limit < 1:
            raise ValueError(f"limit must be at least 1, got {limit}")
        self.source, self.target, self.limit = source, target, limit
        self._aligned: Alignment | None = None
        self._words: list[frozenset[str]] = []  # of each target sentence
        self._entities: dict[int, dict[int, float]] = {}
        self._texts: dict[tuple[object, ...], tuple[str, str]] = {}

    def texts(self, question: Draft | Question) -> tuple[str, str]:
        """What a prompt shows of the target and of the source text."""
        key = _key(question)
        if key not in self._texts:
            self._texts[key] = (
                excerpt(self.target, self.target_sentences(question)),
                excerpt(self.source, self.source_sentences(question)),
            )
        return self._texts[key]

    # -- where the component is looked for ------------------------------------------------------------------

    def target_sentences(self, question: Draft | Question) -> tuple[int, ...]:
        """Numbers of the target sentences that could answer the question; empty where only the whole text may."""
        if len(self.target.sentences) <= self.limit:
            return ()
        asked = _asked(question)
        required = [e for e in asked if e.verifiable or e.role == "unresolved"]
        scores: dict[int, float] = {}
        for entity in required:
            places = self._places(entity)
            if not places:
                return ()
            for number, value in places.items():
                scores[number] = scores.get(number, 0.0) + value
        if not required:
            return ()
        claim = self._claim_words(question, asked)
        told = self._speaking(claim)
        if len(scores) > self.limit and claim and not told & set(scores):
            return ()  # the claim may be put in words that the lexicon does not know: any of them may say it
        marks = self._speaking(_mark_words(question))
        for number in scores:
            scores[number] += _CLAIM * (number in told) + _MARK * (number in marks)
        best = sorted(scores, key=lambda n: (-scores[n], n))[: self.limit]
        for entity in required:  # each of the two things of a relation must be there
            if not any(n in best for n in self._places(entity)):
                best[-1] = max(self._places(entity).items(), key=lambda item: (item[1], -item[0]))[0]
        if any(not any(n in best for n in self._places(e)) for e in required):
            return ()
        return tuple(sorted(best))

    def _places(self, entity: Entity) -> dict[int, float]:
        """Target sentences that may speak of the entity, with what speaks for them."""
        if entity.id not in self._entities:
            self._entities[entity.id] = self._find(entity)
        return self._entities[entity.id]

    def _find(self, entity: Entity) -> dict[int, float]:
        alignment = self._align()
        found: dict[int, float] = {}
        chosen = alignment.one.get(entity.id)
        matches = [*([] if chosen is None else [chosen]), *alignment.candidates.get(entity.id, ())]
        for match in matches:
            value = _COUNTERPART if chosen is not None and match.target == chosen.target else _CANDIDATE
            for order, mention in enumerate(self.target.entities[match.target].mentions):
                number = _sentence(self.target, mention.start)
                # The first mention names it; "she" alone would leave open who that is.
                found[number] = max(found.get(number, 0.0), value + (_NAMED if order == 0 else 0.0))
        names = alignment.source.names.get(entity.id, ())
        for number, said in enumerate(self._said()):
            if number not in found and any(_alike_noun(name, word) for name in names for word in said):
                found[number] = _WORD
        return found

    def _claim_words(self, question: Draft | Question, asked: Sequence[Entity]) -> tuple[str, ...]:
        """Content words of what is said of the entity; the zone of the picture is one of them."""
        from posh_lite.judge.lexical import words

        claim: Attribute | Relation | None = question.attribute or question.relation
        if claim is None:
            return ()
        found = [*words.content(claim.lemma), *words.content(claim.text)]
        if isinstance(claim, Relation) and not claim.object.verifiable:
            found += words.content(claim.object.head)
        return tuple(dict.fromkeys(w for w in found if w))

    def _speaking(self, asked: Iterable[str]) -> set[int]:
        """Target sentences with a word like one of these, or one that excludes it."""
        asked = tuple(asked)
        return {
            number for number, said in enumerate(self._said())
            if any(_alike(word, other) for word in asked for other in said)
        }

    def _align(self) -> Alignment:
        if self._aligned is None:
            from posh_lite.judge.lexical.align import align
            from posh_lite.judge.lexical.view import make_view

            self._aligned = align(make_view(self.source), make_view(self.target))
        return self._aligned

    def _said(self) -> list[frozenset[str]]:
        if not self._words:
            from posh_lite.judge.lexical import words

            self._words = [frozenset(words.tokens(self.target.text[a:b])) for a, b in self.target.sentences]
        return self._words

    # -- where the component comes from ---------------------------------------------------------------------

    def source_sentences(self, question: Draft | Question) -> tuple[int, ...]:
        """Numbers of the source sentences in which the component is said; empty where only the whole text may serve."""
        if len(self.source.sentences) <= self.limit:
            return ()
        claim: Attribute | Relation | None = question.attribute or question.relation
        ranked: list[int] = []
        if claim is not None:
            ranked += [_sentence(self.source, start) for start, _ in claim.spans]
        asked = _asked(question)
        ranked += [_sentence(self.source, e.mentions[0].start) for e in asked if e.mentions]
        for entity in asked if claim is None else ():
            ranked += [_sentence(self.source, m.start) for m in entity.mentions[1:]]
        return tuple(sorted(list(dict.fromkeys(ranked))[: self.limit]))


def excerpt(graph: SceneGraph, numbers: Sequence[int]) -> str:
    """These sentences of a text, neighbours as they stand, others with :data:`GAP` between; no numbers: the text."""
    if not numbers or len(numbers) == len(graph.sentences):
        return graph.text
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return GAP.join(graph.text[graph.sentences[run[0]][0]:graph.sentences[run[-1]][1]] for run in runs)


def _asked(question: Draft | Question) -> list[Entity]:
    """The entities that a question is about."""
    found = [question.identifier.entity]
    if question.relation is not None:
        found += [question.relation.subject, question.relation.object]
    elif question.object_identifier is not None:
        found.append(question.object_identifier.entity)
    return list({e.id: e for e in found}.values())


def _mark_words(question: Draft | Question) -> tuple[str, ...]:
    """Words of the identifiers: what tells the entity from its namesakes."""
    from posh_lite.judge.lexical import words

    found: list[str] = []
    for identifier in (question.identifier, question.object_identifier):
        if identifier is not None:
            own = set(words.tokens(identifier.entity.head))
            found += [w for w in words.content(identifier.text) if w not in own]
    return tuple(dict.fromkeys(found))


def _key(question: Draft | Question) -> tuple[object, ...]:
    other = question.object_identifier
    return (
        question.identifier.entity.id, question.identifier.text, other and other.text,
        question.attribute and question.attribute.id, question.relation and question.relation.id,
    )


def _sentence(graph: SceneGraph, start: int) -> int:
    """The sentence in which a character stands; the one before where it stands between two."""
    return max(0, bisect_right(graph.sentences, (start, len(graph.text))) - 1)


@cache
def _alike(word: str, other: str) -> bool:
    from posh_lite.judge.lexical import words

    grade = words.alike(word, other)
    return grade >= words.PARTIAL or grade == words.CONFLICT


@cache
def _alike_noun(name: str, word: str) -> bool:
    from posh_lite.judge.lexical import heads, words

    return heads.grade(name, word) >= heads.SIBLING or words.stem(name.rpartition(" ")[2]) == words.stem(word)
