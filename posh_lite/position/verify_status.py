"""Supported, Contradicted or Missing: what the lexical judge finds, read as a verdict on a claim.

The judge grades how well something is said. A verifier must tell two kinds of "no" apart: the caption says otherwise
of the very thing (Contradicted), or it does not say (Missing). And a claim is Supported only where words of the caption
bear it out: what a caption "need not repeat" for the judge is Missing here.
"""

from __future__ import annotations

from dataclasses import dataclass

from posh_lite.graph.types import Attribute, Entity, Relation
from posh_lite.judge.lexical import heads
from posh_lite.judge.lexical.align import Alignment
from posh_lite.judge.lexical.attributes import attribute_finding
from posh_lite.judge.lexical.entities import entity_finding
from posh_lite.judge.lexical.findings import Finding
from posh_lite.judge.lexical.relations import relation_finding
from posh_lite.judge.lexical.words import PARTIAL
from posh_lite.position.types import Status
from posh_lite.position.verify_evidence import Evidence, of_absence, of_attribute, of_entity, of_relation

#: Highest grade of a finding that excludes the claim.
EXCLUDED = 1.7
#: How well the names of a claim's thing and the caption's must agree before a conflict counts.
SURE = 3.2


@dataclass(frozen=True, slots=True)
class Reading:
    """A verdict with its evidence and reason."""

    status: Status
    evidence: Evidence | None = None
    reason: str = ""


def _missing(found: Finding) -> Reading:
    return Reading("Missing", None, found.reason)


def _read(found: Finding, evidence: Evidence | None, status: Status) -> Reading:
    return Reading(status, evidence, found.reason) if evidence is not None else _missing(found)


def confident(al: Alignment, e: Entity) -> bool:
    """Whether the counterpart is so surely the same thing that another value of a property contradicts.

    It has the name that the reference gives it, and no other thing of the caption has as good a claim to be it.
    """
    first = al.one.get(e.id)
    if first is None or first.head < SURE:
        return False
    rivals = [
        m for m in al.candidates.get(e.id, ())
        if m.target != first.target and m.head >= PARTIAL and not al.target.entity(m.target).negated
    ]
    return all(m.weight <= first.weight - MARGIN for m in rivals)


#: Lead in weight over the next candidate.
MARGIN = 0.3


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
    if found.score >= PARTIAL:
        return _read(found, of_entity(al, e), "Supported")
    if found.reason.startswith(("the text has several", "the text has one")) and confident(al, e):
        return _read(found, of_entity(al, e), "Contradicted")
    return _missing(found)


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
    findings = [(a, attribute_finding(al, a)) for a in group]
    held, against = [], []
    for a, found in findings:
        if found.score >= PARTIAL:
            evidence = of_attribute(al, a, conflict=False)
            if evidence is not None:
                held.append(Reading("Supported", evidence, found.reason))
        elif _excludes(found, a):
            against.append((a, found))
    if held and 2 * len(held) >= len(group):
        return held[0]
    if against and not held and confident(al, group[0].entity):
        a, found = against[0]
        return _read(found, of_attribute(al, a, conflict=not a.negated), "Contradicted")
    return _missing(findings[0][1])


def read_relation(al: Alignment, r: Relation) -> Reading:
    """A relation between two things, or of one to a zone of the picture."""
    found = relation_finding(al, r)
    denies = r.negated or r.object.negated
    if found.score >= PARTIAL:
        if denies and found.score < 4:
            return _missing(found)
        return _read(found, _denied(al, r, denied=True) if denies else of_relation(al, r, conflict=False), "Supported")
    sure = confident(al, r.subject) and (r.object.role == "region" or denies or confident(al, r.object))
    if found.score <= EXCLUDED and found.score != 1.4 and sure and found.reason.startswith("the text"):
        if denies:
            return _read(found, _denied(al, r, denied=False), "Contradicted")
        return _read(found, of_relation(al, r, conflict=True), "Contradicted")
    return _missing(found)


def _denied(al: Alignment, r: Relation, *, denied: bool) -> Evidence | None:
    return of_absence(al, r.object, denied=denied) or of_relation(al, r, conflict=False)


def living(e: Entity) -> bool:
    """Whether the entity names people or animals."""
    return heads.is_living(e.head)
