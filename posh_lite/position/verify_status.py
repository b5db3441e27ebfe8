"""Supported, Contradicted or Missing: what the lexical judge finds, read as a verdict on a claim.

The judge grades how well something is said. A verifier must tell two kinds of "no" apart: the caption says otherwise
of the very thing (Contradicted), or it does not say (Missing). And a claim is Supported only where words of the caption
bear it out: what a caption "need not repeat" for the judge is Missing here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from posh_lite.graph.types import Attribute, Entity, Relation
from posh_lite.judge.lexical import heads, words
from posh_lite.judge.lexical.align import Alignment
from posh_lite.judge.lexical.attributes import attribute_finding
from posh_lite.judge.lexical.entities import entity_finding
from posh_lite.judge.lexical.findings import ELSEWHERE, Finding
from posh_lite.judge.lexical.lexicon import lexicon, word_set
from posh_lite.judge.lexical.relations import relation_finding
from posh_lite.judge.lexical.restated import asked, told
from posh_lite.judge.lexical.view import relation_place
from posh_lite.judge.lexical.wording import light, split
from posh_lite.judge.lexical.words import PARTIAL
from posh_lite.position import verify_roles
from posh_lite.position.rubric_words import property_of
from posh_lite.position.types import Status
from posh_lite.position.verify_beside import beside_noun
from posh_lite.position.verify_evidence import (
    Evidence,
    of_absence,
    of_attribute,
    of_denial,
    of_entity,
    of_relation,
)
from posh_lite.position.verify_values import (
    NOTHING,
    Compared,
    compare_colors,
    compare_numbers,
    compare_places,
    compare_single,
    introduced,
    number_of,
    of_namesakes,
    single,
)
from posh_lite.position.verify_words import open_word, taken
from posh_lite.records import Span

#: Highest grade of a finding that excludes the claim.
EXCLUDED = 1.7
#: The same where numbers are compared: five lanes are no five roads.
SAME_NOUN = 4.4
#: What the judge lets pass without words for it: here the words are asked for, at this grade at least.
_LENIENT = frozenset({
    "a word that the judge does not know", "it says next to nothing", "a general word that the text need not repeat",
    "each of them", "a zone of the picture", "where the viewer stands", "a fact about the picture itself",
    "only compared with",
})  # fmt: skip
#: That somebody may be one of a crowd, or has hands, bears no claim out.
_IN_GROUP = ("one of ",)
_HAS_ONE = " has one"
WORDED = 4.4
#: How well the names of a claim's thing and the caption's must agree before a conflict counts.
SURE = 3.4


@dataclass(frozen=True, slots=True)
class Reading:
    """A verdict with its evidence and reason."""

    status: Status
    evidence: Evidence | None = None
    reason: str = ""


def _missing(found: Finding) -> Reading:
    return Reading("Missing", None, found.reason)


def _read(found: Finding, evidence: Evidence | None, status: Status) -> Reading:
    if status == "Supported" and evidence is not None and evidence.grade < WORDED and found.reason in _LENIENT:
        return _missing(found)
    if status == "Supported" and (found.reason.startswith(_IN_GROUP) or found.reason.endswith(_HAS_ONE)):
        return _missing(found)
    return Reading(status, evidence, found.reason) if evidence is not None else _missing(found)


def confident(al: Alignment, e: Entity) -> bool:
    """Whether the counterpart is so surely the same thing that another value of a property contradicts.

    It has the name that the reference gives it, and no other thing of that name has as good a claim to be it.
    """
    first = al.one.get(e.id)
    if first is None or first.head < SURE or al.target.entity(first.target).negated:
        return False
    rivals = [m for m in al.candidates.get(e.id, ()) if m.target != first.target and m.head > first.head - LEAD]
    return all(m.weight <= first.weight - MARGIN or _settled(al, e, m.target) for m in rivals)


#: How much better the name of the counterpart must agree for another candidate to be no rival.
LEAD = 0.3
#: Lead in weight over a rival.
MARGIN = 0.3


def _settled(al: Alignment, e: Entity, rival: int) -> bool:
    """Whether the rival is the counterpart of another thing of the reference that it fits better."""
    other = al.back.get(rival)
    if other is None or other == e.id:
        return False
    here = next((m.weight for m in al.candidates.get(e.id, ()) if m.target == rival), 0.0)
    return al.one[other].weight >= here


def read_entity(al: Alignment, e: Entity) -> Reading:
    """Presence of a thing, or its absence where the reference denies it."""
    found = entity_finding(al, e)
    if e.negated:
        if found.score >= 4:
            return _read(found, of_absence(al, e, denied=True), "Supported")
        if found.score <= EXCLUDED:
            return _read(found, of_absence(al, e, denied=False), "Contradicted")
        return _missing(found)
    if found.reason.startswith("the text says there is no"):
        return _read(found, of_absence(al, e, denied=True), "Contradicted")
    if confident(al, e):
        same_noun = al.one[e.id].head >= SAME_NOUN
        counted = compare_single(al, e, al.one[e.id].target) if same_noun and _alone(al, e) else NOTHING
        if counted.agrees is False and counted.span is not None:
            return _other_value(counted, "one")
        if found.reason.startswith(("the text has several", "the text has one")) and found.score < PARTIAL:
            return _read(found, of_entity(al, e), "Contradicted")
        if '" is of "' in found.reason and _owned_by_another(al, e):
            return _read(found, of_entity(al, e), "Contradicted")
    if found.score >= PARTIAL and not (_of_another_kind(al, found, e) or taken(al, e) or open_word(al, e)):
        return _read(found, of_entity(al, e), "Supported")
    return _missing(found)


def _of_another_kind(al: Alignment, found: Finding, e: Entity) -> bool:
    """Whether the judge found the name of the thing in a verb or an adjective only: what is "set" has no set."""
    return found.reason.startswith("the text has it as") and not words.is_color(e.head) and not _adjective(al, e)


def _adjective(al: Alignment, e: Entity) -> bool:
    """Whether the caption says of something that it has the thing: "bearded" for a beard."""
    said = {w for a in al.target.graph.attributes if not a.negated for w in words.tokens(a.text)}
    return any(f"{e.head}{end}" in said for end in ("ed", "d", "y")) or f"{e.head[:-1]}ied" in said

def _owned_by_another(al: Alignment, e: Entity) -> bool:
    """Whether the caption's owner is surely another being of the reference than the claim's."""
    owner = al.target.entity(al.one[e.id].target).part_of
    if owner is None or e.part_of is None or owner not in al.back or al.one[e.id].head < 4:
        return False
    other, whole = al.source.entity(al.back[owner]), al.source.entity(e.part_of)
    return other.head != whole.head and all(al.one[x.id].head >= 4 and confident(al, x) for x in (other, whole))


def _alone(al: Alignment, e: Entity) -> bool:
    """Whether neither text has another thing of the name, so that numbers are of the same things."""
    mine = [o for o in al.source.graph.entities if o.head == e.head and not o.negated and introduced(al.source, o)]
    theirs = [m.target for m in al.candidates.get(e.id, ()) if m.head > al.one[e.id].head - LEAD]
    return len(mine) <= 1 and sum(introduced(al.target, al.target.entity(t)) for t in theirs) <= 1


def _other_value(compared: Compared, asked: str) -> Reading:
    assert compared.span is not None
    return Reading("Contradicted", Evidence(compared.span, -1.0), f'the text has "{compared.said}", not "{asked}"')


def _excludes(found: Finding, a: Attribute) -> bool:
    if found.score > EXCLUDED:
        return False
    if a.negated:
        return found.score == 1.0
    if a.kind == "quantity":
        return found.score <= 1.0 and ", not " in found.reason
    return found.reason.startswith("the text says")


def read_attributes(al: Alignment, group: tuple[Attribute, ...]) -> Reading:
    """Values of one property: supported by half of them or more, contradicted by a value that none of them allows."""
    entity = group[0].entity
    sure = confident(al, entity)
    denial = of_denial(al, group[0]) if sure and len(group) == 1 and not group[0].negated else None
    if denial is not None:
        return _denied_there(al, denial)
    compared = _compared(al, group) if sure else NOTHING
    if compared.agrees is False and not _elsewhere_said(al, group):
        return _other_value(compared, " and ".join(a.text for a in group))
    findings = [(a, attribute_finding(al, a)) for a in group]
    held, against = [], []
    for a, found in findings:
        if found.score >= PARTIAL:
            evidence = of_attribute(al, a, conflict=False)
            reading = _read(found, evidence, "Supported")
            if reading.status == "Supported":
                held.append(reading)
        elif _excludes(found, a):
            against.append((a, found))
    if group[0].kind == "quantity" and not group[0].negated:
        counted = of_namesakes(al, group[0])
        if counted.agrees is False:
            return _other_value(counted, group[0].text)
    if held and 2 * len(held) >= len(group) and compared.agrees is not False and not open_word(al, entity):
        return held[0]
    open_ = sure and not held and (property_of(group[0]) != "color" or group[0].negated) and compared.agrees is None
    if against and open_ and not _elsewhere_said(al, group):
        a, found = against[0]
        if (a.kind == "action" and not living(entity)) or (a.kind == "quantity" and not _one_only(al, a)):
            return _missing(found)  # lamps stand and hang as one likes to say
        against_it = of_attribute(al, a, conflict=not a.negated)
        if against_it is not None and _denied_before(al, against_it):
            return _missing(found)
        return _read(found, against_it, "Contradicted")
    if property_of(group[0]) == "color" and not any(_material(a) for a in group) and not held:
        other = beside_noun(al, group)
        if other.agrees is False:
            return _other_value(other, " and ".join(a.text for a in group))
    moved = verify_roles.of_attribute(al, group[0], confident) if sure and living(entity) else None
    return _role(moved, findings[0][1])


_DENYING = re.compile(r"\b(?:no longer|not|never|hardly|barely|nor|neither|without|isn't|aren't)\s+(?:\w+\s+)?$", re.I)


def _denied_before(al: Alignment, evidence: Evidence) -> bool:
    """Whether the words that would speak against the claim are themselves denied: "no longer full"."""
    start = evidence.span[0]
    return bool(_DENYING.search(al.target.graph.text[max(0, start - 24) : start]))


def _denied_there(al: Alignment, denial: Evidence) -> Reading:
    return Reading("Contradicted", denial, f'the text denies "{al.target.graph.text[slice(*denial.span)]}"')


def _one_only(al: Alignment, a: Attribute) -> bool:
    """Whether the claim is of several, and the caption introduces the counterpart as one and has no other."""
    e, asked = a.entity, number_of(a.text)
    number = al.one[e.id].target
    if asked is None or asked[0] < 2 or al.one[e.id].head < SAME_NOUN:
        return False
    return _alone(al, e) and single(al.target.graph.text, al.target.entity(number))


def _role(moved: tuple[Span, str] | None, found: Finding) -> Reading:
    """Contradicted where the caption gives it to another thing, else Missing."""
    if moved is None:
        return _missing(found)
    return Reading("Contradicted", Evidence(moved[0], -1.0), f'the text says it of "{moved[1]}"')


def _compared(al: Alignment, group: tuple[Attribute, ...]) -> Compared:
    """Colours and numbers as values."""
    first, number = group[0], al.one[group[0].entity.id].target
    if first.negated:
        return NOTHING
    if first.kind == "quantity":
        same_noun = al.one[first.entity.id].head >= SAME_NOUN
        return compare_numbers(al, first, number) if same_noun else NOTHING
    if property_of(first) != "color" or any(_material(a) for a in group):
        return NOTHING
    return compare_colors(al.target, number, group)


def _material(a: Attribute) -> bool:
    """Whether the colour word is what the thing is made of: a straw hat may be of any colour."""
    made = lexicon().exclusive["material"].senses
    return any(w in made and w not in lexicon().family_names for w in words.content(a.text))


def _elsewhere_said(al: Alignment, group: tuple[Attribute, ...]) -> bool:
    """Whether the reference gives the thing another value too that the caption has: as of two things."""
    entity, of = group[0].entity, property_of(group[0])
    mine = {a.id for a in group}
    others = [
        a for a in al.source.graph.attributes_of(entity) if a.id not in mine and of and property_of(a) == of
    ]
    return any(
        compare_colors(al.target, al.one[entity.id].target, (a,)).agrees if of == "color"
        else attribute_finding(al, a).score >= PARTIAL
        for a in others
    )


def read_relation(al: Alignment, r: Relation) -> Reading:
    """A relation between two things, or of one to a zone of the picture."""
    found = relation_finding(al, r)
    denies = r.negated or r.object.negated
    placed = NOTHING
    if r.object.role == "region" and not denies and "from" not in r.lemma.split() and confident(al, r.subject):
        zone = relation_place(al.source.graph, r)
        placed = compare_places(al.target, al.one[r.subject.id].target, zone)
        if placed.agrees is False and not _two_places(al, r.subject, zone):
            return _other_value(placed, r.object.head)
    denial = None if denies or not confident(al, r.subject) else of_denial(al, r)
    if denial is not None:
        return _denied_there(al, denial)
    if found.score >= PARTIAL:
        if denies and found.score < 4:
            return _missing(found)
        return _read(found, _denied(al, r, denied=True) if denies else of_relation(al, r, conflict=False), "Supported")
    if not denies and (loose := _said_loosely(al, r)) is not None:
        return Reading("Supported", loose, found.reason) if loose.grade >= PARTIAL else _missing(found)
    sure = confident(al, r.subject) and (r.object.role == "region" or denies or confident(al, r.object))
    named = all(al.one[e.id].head >= 4 for e in (r.subject, r.object) if e.id in al.one)
    if found.score <= EXCLUDED and found.score != ELSEWHERE and sure and named and found.reason.startswith("the text"):
        if denies:
            return _read(found, _denied(al, r, denied=False), "Contradicted")
        if r.object.role == "region" and placed.agrees is None:
            return _missing(found)  # the place is where it points or goes, or none that a caption gives to it
        return _read(found, of_relation(al, r, conflict=True), "Contradicted")
    if denies:
        return _missing(found)
    moved = verify_roles.of_relation(al, r, confident, found.score == ELSEWHERE)
    return _role(moved or verify_roles.substituted(al, r, confident), found)


#: Verbs that say of a thing only that it comes or is somewhere: another deed is not excluded by them.
_VAGUE = word_set("put place set have keep hold get bring lay position locate")
#: A side of a thing is beside it.
_BESIDE = word_set("beside by near alongside next at to of the side close")
_SIDE = re.compile(r"\b(?:to|on) (?:the|its|his|her|their) (?:left|right)(?: side)? of$|\b(?:left|right) of$")


def _said_loosely(al: Alignment, r: Relation) -> Evidence | None:
    """What the caption says between the same two things where it says less ("puts her hands to her head" of raised
    hands: no conflict) or more ("to the left of" for "beside": support); None where it says neither.
    """
    one, other = al.one.get(r.subject.id), al.one.get(r.object.id)
    if one is None or other is None:
        return None
    verb, prep = split(asked(al, r))
    for q in al.target.graph.relations_of(one.target, role="subject"):
        if q.object.id != other.target or q.negated or not q.spans:
            continue
        verb_t, prep_t = split(told(al, q))
        if prep and set(prep.split()) <= _BESIDE and _SIDE.search(prep_t):
            alike = light(verb) or light(verb_t) or any(words.verb_grade(v, w) >= PARTIAL for v in verb for w in verb_t)
            return Evidence(q.spans[0], PARTIAL if alike else 0.0)
        if set(verb_t) & _VAGUE and not set(verb) & set(verb_t) and verb:
            return Evidence(q.spans[0], 0.0)
    return None


def _two_places(al: Alignment, e: Entity, zone: dict[str, set[str]]) -> bool:
    """Whether the reference itself puts the thing in another zone of the same group: it moves, or it is two things."""
    return any(not zone[g] >= al.source.places[e.id].get(g, frozenset()) for g in zone)


def _denied(al: Alignment, r: Relation, *, denied: bool) -> Evidence | None:
    return of_absence(al, r.object, denied=denied) or of_relation(al, r, conflict=False)


def living(e: Entity) -> bool:
    """Whether the entity names people or animals."""
    return heads.is_living(e.head)
