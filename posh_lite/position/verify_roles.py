"""Who is it said of? A property, a deed or a belonging that the caption gives to another thing of the reference.

A role is contradicted where the caption says of one thing what the reference says of another, both things are surely
there, and neither text says it of both: "the dogs are thin" in a caption of fat dogs and thin birds is Missing, in one
that calls the birds thin where the reference gives that word to the dogs alone, it is the wrong thing that is thin.
"""

from __future__ import annotations

from collections.abc import Callable

from posh_lite.graph.types import Attribute, Entity, Relation
from posh_lite.judge.lexical import heads, words
from posh_lite.judge.lexical.align import Alignment
from posh_lite.judge.lexical.restated import asked, told
from posh_lite.judge.lexical.view import denied
from posh_lite.judge.lexical.wording import light, same, split
from posh_lite.records import Span

#: Grade of words that say the same.
SAME = 4.0
Sure = Callable[[Alignment, Entity], bool]


def of_attribute(al: Alignment, a: Attribute, sure: Sure) -> tuple[Span, str] | None:
    """Where the caption gives the attribute to the counterpart of another thing; None where it does not."""
    said = words.content(a.text)
    if a.negated or not said or a.kind in ("quantity", "position"):
        return None
    mine = al.one[a.entity.id].target
    if _of_many(al, a.entity):
        return None
    family = _family(al, mine)
    if any(_says(al, t, said) for t in family):
        return None
    for q in al.target.graph.attributes:
        number = q.entity.id
        if number in family or q.negated or not q.spans or q.kind != a.kind or number not in al.back:
            continue
        if not _same(said, words.content(q.text)):
            continue
        other = al.source.entity(al.back[number])
        if other.id == a.entity.id or not _kin(a.entity, other) or not sure(al, other):
            continue
        if any(_same(words.content(o.text), said) for o in al.source.graph.attributes_of(other)):
            continue  # true of both
        return q.spans[0], al.target.phrase(number)
    return None


def of_relation(al: Alignment, r: Relation, sure: Sure, moved: bool = False) -> tuple[Span, str] | None:
    """Where the caption has another thing of the reference do it, or do it to another; None where it does not.

    Verbs that say little ("has", "wears") count only where the lexical judge found it said of others (``moved``).
    """
    mine, theirs = al.one.get(r.subject.id), al.one.get(r.object.id)
    verb = split(asked(al, r))[0]
    if r.negated or mine is None or theirs is None or (light(verb) and not moved) or r.object.role != "thing":
        return None
    for q in al.target.graph.relations:
        if denied(al.target.graph, q) or not q.spans or same(asked(al, r), told(al, q)) < SAME:
            continue
        if q.object.id == theirs.target and q.subject.id != mine.target:
            changed, kept, own = q.subject.id, r.subject, mine.target
        elif q.subject.id == mine.target and q.object.id != theirs.target:
            changed, kept, own = q.object.id, r.object, theirs.target
        else:
            continue
        if changed not in al.back or al.back[changed] == kept.id or changed in _family(al, own):
            continue
        other = al.source.entity(al.back[changed])
        if _of_many(al, kept):
            continue
        if not _kin(kept, other) or not (sure(al, kept) and sure(al, other)) or al.one[other.id].head < SAME:
            continue
        if _related_too(al, r, other, subject=kept.id == r.subject.id):
            continue
        return q.spans[0], al.target.phrase(changed)
    return None


def substituted(al: Alignment, r: Relation, sure: Sure) -> tuple[Span, str] | None:
    """Where another being does the deed that no counterpart does, or it is done to another kind of the thing.

    "The man kneads the dough" by a woman who does, where the caption has no such man; "slices a tomato" by "slices an
    onion". The other thing is none that the reference has, and of a kind that excludes the claim's.
    """
    mine, theirs = al.one.get(r.subject.id), al.one.get(r.object.id)
    if r.negated or (mine is None) == (theirs is None) or r.object.role != "thing" or r.subject.role != "thing":
        return None
    gone, kept = (r.subject, r.object) if mine is None else (r.object, r.subject)
    there = theirs if mine is None else mine
    if there is None or there.head < SAME or not sure(al, kept):
        return None
    for q in al.target.graph.relations:
        if denied(al.target.graph, q) or not q.spans or same(asked(al, r), told(al, q)) < SAME:
            continue
        stays, other = (q.object, q.subject) if mine is None else (q.subject, q.object)
        if stays.id != there.target or other.id in al.back or other.role != "thing" or other.negated:
            continue
        if _excludes(gone, other):
            return q.spans[0], al.target.phrase(other.id)
    return None


def _excludes(a: Entity, b: Entity) -> bool:
    """Whether the names exclude each other: two genders or trades, two kinds of one narrow kind."""
    grade = heads.grade(a.head, b.head)
    if heads.is_person(a.head) or heads.is_person(b.head):
        return heads.is_person(a.head) and heads.is_person(b.head) and grade < 0
    if heads.is_living(a.head) and heads.is_living(b.head):
        return grade in (words.CONFLICT, heads.SIBLING)
    return grade == heads.SIBLING and " " not in a.head + b.head


def _related_too(al: Alignment, r: Relation, other: Entity, *, subject: bool) -> bool:
    """Whether the reference says the same of the other thing as well."""
    for q in al.source.graph.relations_of(other, role="subject" if subject else "object"):
        if same(asked(al, r), asked(al, q)) >= 3:
            return True
    return False


def _family(al: Alignment, number: int) -> set[int]:
    """The entity, its groups and members, its whole and its parts."""
    e = al.target.entity(number)
    found = {number, *e.members, *al.target.groups.get(number, ()), *(p.id for p in al.target.graph.parts_of(number))}
    return found | ({e.part_of} if e.part_of is not None else set())


def _says(al: Alignment, number: int, said: list[str]) -> bool:
    return any(
        any(words.alike(w, o) >= 3 for w in said for o in fact.words) for fact in al.target.facts.get(number, ())
    )


def _of_many(al: Alignment, e: Entity) -> bool:
    """Whether one being was only found in a group of them: what is said of a single one may be said of it."""
    t = al.target.entity(al.one[e.id].target)
    return not e.plural and not heads.is_group(e.head) and (t.plural or bool(t.members))


def _same(mine: list[str], theirs: list[str]) -> bool:
    return bool(mine and theirs) and words.alike(mine[-1], theirs[-1]) >= SAME


def _kin(a: Entity, b: Entity) -> bool:
    """Whether the two could change places: both alive, or neither."""
    return heads.is_living(a.head) == heads.is_living(b.head)
