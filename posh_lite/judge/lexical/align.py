"""Which entity of the target text each entity of the source text is.

Candidates share or paraphrase the class name. Among namesakes the neighbourhood decides (attributes, relations,
parts, place), greedily and one to one, twice: the second time knowing who the neighbours are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from posh_lite.graph.types import Entity, Relation
from posh_lite.judge.lexical import heads, words
from posh_lite.judge.lexical.lexicon import lexicon, word_set
from posh_lite.judge.lexical.view import Fact, View
from posh_lite.judge.lexical.words import CONFLICT, PARTIAL, UNRELATED

#: Heads that agree at least this well are candidates for being the same entity.
CANDIDATE = heads.SIBLING
#: Heads that a text leaves open: they may stand for anything, or for any living being.
PRONOUNS = word_set(
    "one ones other others another each both some most rest they them it he she who which that something someone"
    " somebody him her this these those all former latter first second third fourth many few none"
)
PERSONAL = frozenset({"he", "she", "who", "him", "her", "someone", "somebody"})


@dataclass(slots=True)
class Match:
    """A target entity as the counterpart of a source entity."""

    target: int
    head: float  # grade of the class names
    name: str  # the target's word that agreed
    near: float = 0.0  # agreement of the neighbourhood
    conflicts: int = 0  # attributes that exclude each other
    weight: float = 0.0


@dataclass(slots=True)
class Alignment:
    """The counterpart of every source entity, and the other candidates."""

    source: View
    target: View
    candidates: dict[int, list[Match]] = field(default_factory=dict)
    one: dict[int, Match] = field(default_factory=dict)  # one to one
    back: dict[int, int] = field(default_factory=dict)  # target id -> source id
    presence: dict[int, Any] = field(default_factory=dict)  # findings of entities, by source id

    def of(self, number: int) -> list[Match]:
        """The counterpart first, then candidates that no other source entity took."""
        first = self.one.get(number)
        rest = [m for m in self.candidates.get(number, ()) if first is None or m.target != first.target]
        free = [m for m in rest if m.target not in self.back and (first is None or not m.conflicts)]
        return ([first] if first else []) + free


def align(source: View, target: View) -> Alignment:
    """Align two graphs. Deterministic: ties go to the nearer place in the text, then to the lower number."""
    found = Alignment(source, target)
    for s in source.graph.entities:
        if s.role == "viewer":
            continue
        matches = []
        for t in target.graph.entities:
            if t.role == "viewer":
                continue
            match = _head(source, target, s, t)
            if match is not None:
                _neighbourhood(source, target, s, t, match)
                matches.append(match)
        found.candidates[s.id] = matches
    _assign(found)
    for s in source.graph.entities:
        for match in found.candidates.get(s.id, ()):
            match.weight += 0.6 * min(4, _settled(found, s, match.target)) + _owned(found, s, match.target)
    _assign(found)
    _share(found)
    for matches in found.candidates.values():
        matches.sort(key=lambda m: (-m.weight, m.target))
    return found


def _head(source: View, target: View, s: Entity, t: Entity) -> Match | None:
    best, name = UNRELATED, ""
    if s.head == t.head:
        return Match(t.id, words.SAME, t.head)
    if s.head in PRONOUNS or t.head in PRONOUNS:
        fits = heads.is_living(t.head if s.head in PRONOUNS else s.head) or not {s.head, t.head} & PERSONAL
        if s.head not in PRONOUNS and not _described(source, target, s, t):
            return None
        return Match(t.id, words.SAME if s.head == t.head else 3.3, t.head) if fits else None
    for mine in source.names[s.id]:
        for theirs in (*target.names[t.id], *_severed(target, t)):
            grade = heads.grade(mine, theirs)
            if grade > best:
                best, name = grade, theirs
    if s.head in target.names[t.id] and best < words.SAME:
        best, name = words.SAME, s.head
    if best < CANDIDATE or (best < 4.8 and s.head in lexicon().generic and not heads.is_person(s.head)):
        return None
    return Match(t.id, best, name)


def _severed(view: View, e: Entity) -> tuple[str, ...]:
    """The noun after a colour that a parser took for the thing itself: "jug" of "a dark blue jug"."""
    if not e.mentions or not words.is_color(e.head):
        return ()
    for token in view.tokens:
        if token.start > e.mentions[0].start:
            after = not token.owners and token.head_of is None and heads.senses(token.text)
            return (token.text,) if after and not view.graph.text[e.mentions[0].end : token.start].strip() else ()
    return ()


def _described(source: View, target: View, s: Entity, t: Entity) -> bool:
    """Whether an open word of the target ("a brown one") is told to be the source's thing by its attributes."""
    mine = [f for f in source.facts[s.id] if f.source == "attribute"]
    return any(fact_grade(f, target.facts[t.id]) >= 4 for f in mine)


def _neighbourhood(source: View, target: View, s: Entity, t: Entity, match: Match) -> None:
    near = 0.0
    for fact in source.facts[s.id]:
        if fact.source in ("attribute", "action", "compound"):
            grade = fact_grade(fact, target.facts[t.id])
            if grade >= 4:
                near += 1.0
            elif grade >= PARTIAL:
                near += 0.5
            elif grade == CONFLICT:
                near -= 1.2
                match.conflicts += 1
    for group, values in source.places[s.id].items():
        theirs = target.places[t.id].get(group)
        if theirs:
            if values & theirs:
                near += 1.2
            else:
                near -= 1.5
                match.conflicts += 1
    for r in source.graph.relations_of(s):
        near += max((_edge(source, target, s, r, t, q) for q in target.graph.relations_of(t)), default=0.0)
    if s.part_of is not None and t.part_of is not None:
        near += 0.7 if _same_head(source, target, s.part_of, t.part_of) else -1.0
    if heads.evident(s.head, {w for f in target.facts[t.id] for w in f.words}):
        near += 1.5
    if s.negated != t.negated:
        near -= 3.0
    if s.plural == t.plural:
        near += 0.3
    if s.count and t.count:
        near += 0.8 if s.count == t.count else -0.8
    match.near = near
    order = abs(s.id / max(1, len(source.graph.entities)) - t.id / max(1, len(target.graph.entities)))
    match.weight = match.head * 1.2 + near - 0.2 * order


def fact_grade(fact: Fact, facts: list[Fact]) -> float:
    """The best grade of a source fact among the facts of one target entity; ``CONFLICT`` where only excluded."""
    best = UNRELATED
    for word in fact.words:
        here = UNRELATED
        conflict = False
        for other in facts:
            for theirs in other.words:
                grade = words.alike(word, theirs)
                if other.negated != fact.negated and grade >= 4:
                    grade = CONFLICT
                if grade == CONFLICT and other.source in ("attribute", "action", "implied", "compound"):
                    conflict = True
                here = max(here, grade)
        if here < PARTIAL and conflict:
            return CONFLICT
        best = max(best, here)
    return best


def _edge(source: View, target: View, s: Entity, r: Relation, t: Entity, q: Relation) -> float:
    mine = r.object if r.subject.id == s.id else r.subject
    theirs = q.object if q.subject.id == t.id else q.subject
    if not _same_head(source, target, mine.id, theirs.id):
        return 0.0
    if (r.subject.id == s.id) != (q.subject.id == t.id):
        return 0.3
    same = r.lemma == q.lemma or bool(set(r.lemma.split()) & set(q.lemma.split()))
    return 1.0 if same else 0.6


def _same_head(source: View, target: View, s: int, t: int) -> bool:
    return heads.grade(source.entity(s).head, target.entity(t).head) >= PARTIAL


def _settled(found: Alignment, s: Entity, t: int) -> int:
    """Neighbours of ``s`` whose counterparts are neighbours of ``t``."""
    near = found.target.near[t]
    return sum(1 for n in found.source.near[s.id] if n in found.one and found.one[n].target in near)


def _share(found: Alignment) -> None:
    """"A crop of hair", "a strip of cloud": what has no counterpart shares the one of the thing it is a shape of."""
    for r in found.source.graph.relations:
        s, o = r.subject.id, r.object.id
        if r.lemma != "of" or s in found.one or found.candidates.get(s) or o not in found.one:
            continue
        if r.subject.head in lexicon().partitive:
            whole = found.one[o]
            found.one[s] = Match(whole.target, 3.4, whole.name, weight=whole.weight)


def _owned(found: Alignment, s: Entity, t: int) -> float:
    """Whose it is weighs more than what it is like: the scarf of the woman on the left is hers in any colour."""
    mine, theirs = _owners(found.source, s.id) & set(found.one), _owners(found.target, t)
    if not mine or not theirs:
        return 0.0
    return 2.5 if {found.one[number].target for number in mine} & theirs else -1.5


_OWNING = word_set("wear have hold with in don sport carry")


def _owners(view: View, number: int) -> set[int]:
    """Whose it is: the whole of a part, and the living being that wears, has or holds it."""
    part_of = view.entity(number).part_of
    found = {part_of} if part_of is not None else set()
    for r in view.graph.relations_of(number, role="object"):
        if not r.negated and r.lemma.split()[0] in _OWNING and heads.is_living(r.subject.head):
            found.add(r.subject.id)
    return found


def _assign(found: Alignment) -> None:
    found.one.clear()
    found.back.clear()
    every = [(m.weight, s, m) for s, matches in found.candidates.items() for m in matches]
    every.sort(key=lambda x: (-x[0], x[1], x[2].target))
    for _, s, match in every:
        if s in found.one or match.target in found.back:
            continue
        if match.head < max(m.head for m in found.candidates[s]) - 0.7:
            continue  # rather the same thing again, or one of a group, than another kind
        found.one[s] = match
        found.back[match.target] = s
