"""Which questions of the known-answer corpus have which answer: the rules, side by side.

A question is false (0) where its own words are a planted mistake or an omitted fact, true (1) where they stand in a
checked sentence or a conveyed fact that nothing is wrong with, and unsettled (None) where it also hangs on something
wrong: a true thing said of an invented one, a name built on a mistaken colour.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from posh_lite.benchmarks.mini import Gold, Work
from posh_lite.graph.types import Entity, Mention
from posh_lite.judge.contract import Identifier, Question, Side
from posh_lite.records import Span

_MADE_UP = ("object", "invented")  # types of mistakes whose things are not there
_PLACES = ("region", "viewer", "picture")  # no question of their own: the relation answers for them


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of one side of a pair.

    Attributes:
        wrong: spans that the target does not bear out: mistakes, or omitted facts.
        made_up: those of them whose things are not in the target.
        swapped: those of them that are true of something else.
        open: spans that settle nothing: misstated facts.
        sound: spans of what was checked: sentences that are not generic, or conveyed facts.
    """

    wrong: tuple[Span, ...]
    made_up: tuple[Span, ...]
    swapped: tuple[Span, ...] = ()
    open: tuple[Span, ...] = ()
    sound: tuple[Span, ...] = ()

    @classmethod
    def of(cls, side: Side, gold: Gold, work: Work) -> Facts:
        """The gold annotations of a caption, seen from one side."""
        if side == "generation":
            return cls(
                tuple(m.span for m in gold.mistakes),
                tuple(m.span for m in gold.mistakes if m.type in _MADE_UP),
                tuple(m.span for m in gold.mistakes if m.type == "swap"),
                (), tuple(s.span for s in gold.sentences if s.label != "generic"),
            )
        omitted, misstated = tuple(f.span for f in gold.omissions), tuple(f.span for f in gold.misstated)
        known = {*omitted, *misstated}
        return cls(omitted, omitted, (), misstated, tuple(f.span for f in work.facts if f.span not in known))


def overlap(a: Span, b: Span) -> bool:
    """Whether two spans share a character."""
    return a[0] < b[1] and b[0] < a[1]


def touches(spans: Iterable[Span], others: Iterable[Span]) -> bool:
    """Whether any of the spans shares a character with any of the others."""
    others = list(others)
    return any(overlap(a, b) for a in spans for b in others)


def within(spans: Iterable[Span], others: Iterable[Span]) -> bool:
    """Whether there are spans and each shares a character with one of the others."""
    spans, others = list(spans), list(others)
    return bool(spans) and all(touches([s], others) for s in spans)


def generation_label(question: Question, facts: Facts, target: str) -> int | None:
    """The answer to a question about mistakes; the target is the reference."""
    if _denies(question) or _named_wrongly(question.identifier, facts) or _named_wrongly(
        question.object_identifier, facts
    ):
        return None
    if question.kind == "entity":
        return _entity_label(question.identifier.entity, facts, target)
    own = _claim_spans(question)
    if touches(own, facts.wrong):
        if not within(own, facts.wrong):
            return None
        # What is swapped is true of something; where that something is inside the span, the words are right.
        swapped = [s for s in facts.swapped if touches(own, [s])]
        return None if touches(_neighbours(question), swapped) else 0
    if touches(_neighbours(question), facts.wrong) or any(
        _entity_label(e, facts, target) == 0 for e in _participants(question)
    ):
        return None
    return 1 if within(own, facts.sound) else None


def reference_label(question: Question, facts: Facts, target: str) -> int | None:
    """The answer to a question about omissions; the target is the generation."""
    if _denies(question):
        return None
    if question.kind == "entity":
        if touches(_named(question.identifier.entity), facts.open):
            return None
        return _entity_label(question.identifier.entity, facts, target)
    own = _claim_spans(question)
    if touches(own, facts.open) or touches(_neighbours(question), facts.open):
        return None
    if touches(own, facts.wrong):
        return 0 if within(own, facts.wrong) else None
    if _named_wrongly(question.identifier, facts) or _named_wrongly(question.object_identifier, facts):
        return None
    if touches(_neighbours(question), facts.wrong) or any(
        within(_named(e), facts.wrong) for e in _participants(question)
    ):
        return None
    return 1 if within(own, facts.sound) else None


def _entity_label(entity: Entity, facts: Facts, target: str) -> int | None:
    """0 for a thing of which every naming mention is wrong, 1 where none is and one was checked.

    A thing whose word the target uses as well (a second dog is invented, one is there) settles nothing.
    """
    named = _named(entity)
    if within(named, facts.made_up):
        return None if _says(target, entity.head) else 0
    if touches(named, facts.wrong):
        return None
    return 1 if touches(named, facts.sound) else None


def _says(target: str, head: str) -> bool:
    """Whether the target has the noun, in either number."""
    noun = head.split()[-1].lower() if head.split() else ""
    words = set(re.findall(r"\w+", target.lower()))
    forms = {noun, f"{noun}s", f"{noun}es", f"{noun[:-1]}ies" if noun.endswith("y") else noun}
    return bool(words & forms) or any(w.endswith(noun) for w in words if len(noun) > 3)


def _denies(question: Question) -> bool:
    claim = question.attribute or question.relation
    return question.identifier.entity.negated or (claim is not None and claim.negated)


def _named(entity: Entity) -> list[Span]:
    """Where a noun or a name says what the entity is."""
    return [m.span for m in entity.mentions if m.kind in ("noun", "name")]


def _named_wrongly(identifier: Identifier | None, facts: Facts) -> bool:
    """Whether the name is built on words that are wrong or settle nothing."""
    bad = (*facts.wrong, *facts.open)
    while identifier is not None:
        if identifier.attribute is not None and touches(identifier.attribute.spans, bad):
            return True
        relation = identifier.relation
        if relation is not None and touches(
            [*relation.spans, *_named(relation.subject), *_named(relation.object)], bad
        ):
            return True
        identifier = identifier.whole
        if identifier is not None and touches(_named(identifier.entity), bad):
            return True
    return False


def _participants(question: Question) -> list[Entity]:
    """Things that an attribute or relation is said of, without places that have no question of their own."""
    if question.attribute is not None:
        found = [question.attribute.entity]
    elif question.relation is not None:
        found = [question.relation.subject, question.relation.object]
    else:
        found = []
    return [e for e in found if e.role not in _PLACES]


def _claim_spans(question: Question) -> list[Span]:
    """The words of the claim; "on our left" is wrong in "left", which no other question covers."""
    if question.attribute is not None:
        return list(question.attribute.spans)
    relation = question.relation
    if relation is None:
        return []
    place = relation.object if relation.object.role in _PLACES else None
    if place is not None and place.mentions and relation.spans:
        near = _near(place, relation.spans[-1])
        if touches([near.span], [(relation.spans[-1][0], relation.spans[-1][1] + 40)]):
            return [near.span]
    return list(relation.spans)


def _near(entity: Entity, span: Span) -> Mention:
    return min(entity.mentions, key=lambda m: (abs(m.start - span[1]), m.start))


def _neighbours(question: Question) -> list[Span]:
    """The mentions that stand beside the claim."""
    claim = question.attribute or question.relation
    if claim is None or not claim.spans:
        return []
    beside = _participants(question)
    if question.relation is not None and question.relation.subject.role in _PLACES:
        beside.append(question.relation.subject)  # "the right" (hand) of "the right is placed on her back"
    return [_near(e, span).span for e in beside if e.mentions for span in claim.spans]
