"""What the sentences of the caption say by their words, where its scene graph has lost who is meant.

A claim that the graphs do not find is asked once more of each sentence: is the thing named in it, and is there a word
for what is claimed of it? Reading words rather than structure forgives a pronoun that was resolved to the wrong being.
It cannot see who of two does what, so it never contradicts, but for one case: the thing stands beside a side of the
picture that excludes the claim's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from posh_lite.graph.types import Entity
from posh_lite.judge.lexical import heads, words
from posh_lite.judge.lexical.align import PRONOUNS, Alignment
from posh_lite.judge.lexical.lexicon import word_set
from posh_lite.judge.lexical.restated import asked
from posh_lite.judge.lexical.view import Token, View, place_words, relation_place
from posh_lite.judge.lexical.wording import light, split
from posh_lite.position.rubric_claims import Basis
from posh_lite.position.verify_evidence import Evidence
from posh_lite.records import Span

#: Grade from which a word of the sentence names the thing, or says what is claimed.
NAMED, SAID = 3.0, 3.0
#: Characters between a thing and a word for its place that are right beside each other.
BESIDE = 25
#: The same noun, and how much less well another must fit to be no namesake.
SAME_NOUN, LEAD = 4.4, 0.3
#: Words before another that deny it.
_DENIALS = word_set("no not never without nor neither none lacks lacking cannot")
_REACH = 3
#: Prepositions, and parts of them, that any sentence may have.
_PLAIN = word_set("with of in on at to the by from")
#: Words that say nothing by themselves: "is" is no posture.
_EMPTY = word_set("is are was were be been being has have had having do does did a an the")
_SHADES = word_set("dark light pale deep bright soft dull vivid medium half almost nearly very just")


@dataclass(frozen=True, slots=True)
class Sentence:
    """The words of one sentence, and the entities that are meant in it, be it by a pronoun."""

    number: int
    tokens: tuple[Token, ...]
    meant: frozenset[int]


def sentences(view: View) -> list[Sentence]:
    """The sentences of a text that have words, in order."""
    held: dict[int, list[Token]] = {}
    for token in view.tokens:
        held.setdefault(token.sentence, []).append(token)
    meant: dict[int, set[int]] = {}
    for e in view.graph.entities:
        for m in e.mentions:
            meant.setdefault(m.sentence, set()).add(e.id)
    return [Sentence(k, tuple(tokens), frozenset(meant.get(k, ()))) for k, tokens in held.items()]


def alike(asked_word: str, word: str) -> float:
    """How well a word of the caption stands for one of the claim, as a name or as anything else."""
    return max(words.alike(asked_word, word), heads.grade(asked_word, word))


def wanted(al: Alignment, basis: Basis) -> tuple[Entity, list[list[str]]] | None:
    """The thing of a claim, and for each part of what is said of it the words that would do; None where it says little.

    Denials, presence, and claims whose words are all empty are not asked in this way.
    """
    if basis.attributes:
        first = basis.attributes[0]
        if first.negated or first.kind in ("quantity", "position"):
            return None
        parts = []
        for a in basis.attributes:
            said = words.content(a.text)
            parts.append([w for w in said if w not in _SHADES] or said)
        return first.entity, parts
    r = basis.relation
    if r is None or r.negated or r.object.negated or r.object.role == "region":
        return None
    verb, prep = split(asked(al, r))
    parts = [] if light(verb) else [list(verb)]
    if r.object.role == "viewer":
        parts.append(["viewer", "us"])
    else:
        parts.append(list(dict.fromkeys(n.rpartition(" ")[2] for n in al.source.names[r.object.id])))
    telling = [w for w in prep.split() if w not in _PLAIN]
    if light(verb) and telling:  # "front" of "in front of"
        parts.append(telling[-1:])
    return r.subject, parts


def named_in(al: Alignment, entity: Entity, sentence: Sentence) -> bool:
    """Whether the sentence names the thing, or means something that the caption names so elsewhere."""
    names = [n.rpartition(" ")[2] for n in al.source.names[entity.id]]
    for number in sentence.meant:
        other = al.target.entity(number)
        if not other.negated and any(heads.grade(n, t) >= NAMED for n in names for t in al.target.names[number]):
            return True
    return any(heads.grade(n, t.text) >= NAMED for n in names for t in sentence.tokens)


def borne_out(al: Alignment, basis: Basis, whole: list[Sentence]) -> Evidence | None:
    """A sentence that names the thing and has a word for each part of what is claimed of it."""
    want = wanted(al, basis)
    if want is None:
        return None
    entity, parts = want
    others = _others(al, entity) if basis.attributes else frozenset()
    best: Evidence | None = None
    for sentence in whole:
        if not named_in(al, entity, sentence):
            continue
        found = [_best(part, sentence, others) for part in parts]
        told = [f for f in found if f is not None]
        least = len(parts) if basis.relation is not None else max(1, (len(parts) + 1) // 2)  # half of the values do
        if len(told) < least:
            continue
        grade = min(g for g, _ in told)
        if best is None or grade > best.grade:
            start = min(t.start for _, t in told)
            end = max(t.start + len(t.text) for _, t in told)
            best = Evidence((start, end), grade)
    return best


def _others(al: Alignment, entity: Entity) -> frozenset[int]:
    """Lifeless things of other names: a property that the caption gives to one of these alone is not the thing's.

    Not so what it gives to beings: a parser that errs hands them the properties of what is theirs.
    """
    names = [n.rpartition(" ")[2] for n in al.source.names[entity.id]]
    return frozenset(
        e.id for e in al.target.graph.entities
        if not heads.is_living(e.head)
        and not any(heads.grade(n, t) >= NAMED for n in names for t in al.target.names[e.id])
    )


def _best(part: list[str], sentence: Sentence, others: frozenset[int]) -> tuple[float, Token] | None:
    best: tuple[float, Token] | None = None
    for k, token in enumerate(sentence.tokens):
        if any(t.text in _DENIALS for t in sentence.tokens[max(0, k - _REACH) : k]):
            continue
        if token.text in _EMPTY or (token.owners and others.issuperset(token.owners)):
            continue
        grade = max((alike(w, token.text) for w in part), default=0.0)
        if grade >= SAID and (best is None or grade > best[0]):
            best = (grade, token)
    return best


def zone_of(al: Alignment, basis: Basis) -> tuple[Entity, dict[str, set[str]]] | None:
    """The thing that a claim puts somewhere in the picture, and where."""
    r = basis.relation
    if r is not None and r.object.role == "region" and not r.negated and "from" not in r.lemma.split():
        return r.subject, relation_place(al.source.graph, r)
    if basis.attributes and basis.attributes[0].kind == "position" and not basis.attributes[0].negated:
        a = basis.attributes[0]
        return a.entity, place_words(f"{a.lemma} {a.text}")
    return None


def placed(al: Alignment, basis: Basis, whole: list[Sentence]) -> tuple[bool, Span] | None:
    """Whether the words for a place nearest to the thing agree with the claim's; None where none can be told.

    Other words for a place count only right beside the thing's own noun, and where nothing else has that name.
    """
    zoned = zone_of(al, basis)
    if zoned is None or not zoned[1]:
        return None
    entity, zone = zoned
    votes: list[tuple[int, bool, Span]] = []
    for sentence in whole:
        spots = list(_spots(al, entity, sentence))
        if not spots:
            continue
        for t in sentence.tokens:
            theirs = place_words(t.text)
            shared = [g for g in zone if g in theirs]
            if shared and t.head_of not in sentence.meant - _regions(al.target):
                gap = min(abs(t.start - s) for s in spots)
                votes.append((gap, any(zone[g] & theirs[g] for g in shared), (t.start, t.start + len(t.text))))
    if not votes:
        return None
    gap, agrees, span = min(votes)
    heads_for = al.target.graph.text[slice(*span)].lower().endswith(("ward", "wards"))
    if not agrees and (gap > BESIDE or heads_for or not _only_one(al, entity)):
        return None  # "leftward" is where one looks
    return agrees, span


def _only_one(al: Alignment, entity: Entity) -> bool:
    """Whether the thing is found by its own name, and the caption has no other of it."""
    first = al.one.get(entity.id)
    if first is None or first.head < SAME_NOUN:
        return False
    return sum(m.head > first.head - LEAD for m in al.candidates.get(entity.id, ())) == 1


def _regions(view: View) -> frozenset[int]:
    return frozenset(e.id for e in view.graph.entities if e.role == "region")


def _spots(al: Alignment, entity: Entity, sentence: Sentence) -> Iterator[int]:
    """Where the sentence means the thing."""
    names = [n.rpartition(" ")[2] for n in al.source.names[entity.id]]
    for number in sentence.meant:
        e = al.target.entity(number)
        if not e.negated and any(heads.grade(n, t) >= 3.4 for n in names for t in al.target.names[number]):
            yield from (m.start for m in e.mentions if m.sentence == sentence.number and m.kind in ("noun", "name"))


def open_word(al: Alignment, entity: Entity) -> bool:
    """Whether a lifeless thing is found only in an open word ("this one"), which may stand for anything."""
    match = al.one.get(entity.id)
    return match is not None and match.head < 3.4 and match.name in PRONOUNS and not heads.is_living(entity.head)


def taken(al: Alignment, entity: Entity) -> bool:
    """Whether the only thing of the caption that the entity could be is another thing of the reference already.

    One basket is not the basket and the hamper of a reference that tells the two apart, nor one coat his and hers. Of
    one name and one owner they may be the same thing told twice.
    """
    matches = al.candidates.get(entity.id, ())
    if entity.id in al.one or not matches:
        return False
    best = max(matches, key=lambda m: (m.head, m.weight))
    if best.target not in al.back:
        return False
    other = al.source.entity(al.back[best.target])
    return best.head < words.SAME - 0.1 or (entity.part_of is not None and entity.part_of != other.part_of)
