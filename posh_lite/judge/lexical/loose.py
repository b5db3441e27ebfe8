"""Two entities that the target does not link: is the relation said of others, or left unattached by the parser?"""

from __future__ import annotations

from functools import cache

from posh_lite.graph.types import Relation
from posh_lite.judge.lexical import heads, words
from posh_lite.judge.lexical.align import Alignment
from posh_lite.judge.lexical.findings import ABSENT, ELSEWHERE, WEAK, Finding
from posh_lite.judge.lexical.lexicon import lexicon, word_set
from posh_lite.judge.lexical.restated import asked, plain, related_doing, told
from posh_lite.judge.lexical.view import denied
from posh_lite.judge.lexical.wording import OWNING, RESTING, first, light, prepositions, same, split, turned
from posh_lite.judge.lexical.words import CONFLICT, PARTIAL


def loosely(al: Alignment, r: Relation, a: int, b: int) -> Finding:
    """The two are there but not linked: is it said of others, or only left unattached by the parser?"""
    view = al.target
    flat = r.object.head in lexicon().flat
    _, prep = split(asked(al, r))
    elsewhere: Finding | None = None
    for q in view.graph.relations_of(b):
        x = q.subject.id if q.object.id == b else q.object.id
        if x == a or denied(view.graph, q):
            continue
        grade = same(asked(al, r), told(al, q), flat) if q.object.id == b else turned(asked(al, r), told(al, q))
        if grade == CONFLICT and not heads.is_living(r.subject.head):
            (verb, prep), (verb_t, prep_t) = split(asked(al, r)), split(told(al, q))
            if prep and prep_t and set(verb) & RESTING and set(verb_t) & RESTING:
                grade = prepositions(prep, prep_t, flat)
        if grade < PARTIAL:
            continue
        said = f'the text has "{view.said(q)}"'
        rival = x in al.back and al.back[x] != r.subject.id and heads.is_living(view.entity(x).head)
        if x in al.back and al.back[x] != r.subject.id and (
            _swapped(al, r, al.back[x], a, x) or _namesake(al, r, a, x) or (q.object.id == b and _adorned(al, r, a, x))
        ):
            return Finding(ELSEWHERE, said)
        loose = bool(prep) and x in view.near[a]  # the phrase may hang on either of two that are linked themselves
        if rival and not loose and (heads.is_living(r.subject.head) or _exchanged(al, r, al.back[x])):
            elsewhere = Finding(ELSEWHERE, said)
        elif x in view.near[a]:
            return Finding(3.3, said)
        elif view.sentences[x] & view.sentences[a]:
            return Finding(3.0, said)
    if elsewhere is not None:
        return elsewhere
    return _same_of_another(al, r, a, b) or _together(al, r, a, b)


def _exchanged(al: Alignment, r: Relation, x: int) -> bool:
    """Whether the source says the same of the other subject and another object: the two changed places."""
    for q in al.source.graph.relations_of(x, role="subject"):
        if q.object.id != r.object.id and q.object.id in al.one and same(asked(al, r), asked(al, q)) >= 4:
            return True
    return False


def _swapped(al: Alignment, r: Relation, other: int, a: int, x: int) -> bool:
    """Whether the two subjects changed objects: the target links this one with what the source gives the other."""
    view = al.target
    for q in al.source.graph.relations_of(other, role="subject"):
        match = al.one.get(q.object.id)
        if match is None or q.object.id == r.object.id or q.object.id == r.subject.id:
            continue
        if match.target in view.near[a] and match.target not in view.near[x] and a not in view.near[x]:
            return True
    return False


def _sure(al: Alignment, r: Relation) -> bool:
    """Whether the two counterparts bear the names that the source gives them."""
    mine, theirs = al.one.get(r.subject.id), al.one.get(r.object.id)
    return mine is not None and theirs is not None and mine.head >= 4.4 and theirs.head >= 4.4


def _namesake(al: Alignment, r: Relation, a: int, x: int) -> bool:
    """Whether it is said of another of the same name that the source knows as another too."""
    one, other = al.target.entity(a), al.target.entity(x)
    return one.head == other.head and _sure(al, r) and r.lemma != "of" and not (one.members or other.members)


def _adorned(al: Alignment, r: Relation, a: int, x: int) -> bool:
    """Whether a decoration or content is another thing's, which is no part of the subject nor the other way round."""
    verb, prep = split(asked(al, r))
    bearing = first(prep) == "with" or bool(set(verb) & OWNING)
    if heads.is_living(r.subject.head) or not bearing or r.kind == "part" or not _sure(al, r):
        return False
    view = al.target
    if view.entity(a).part_of == x or view.entity(x).part_of == a:
        return False
    links = [q for q in view.graph.relations_of(a) if {q.subject.id, q.object.id} == {a, x}]
    return all(split(told(al, q))[1] == "next to" or first(split(told(al, q))[1]) == "next to" for q in links)


def _kept(al: Alignment, r: Relation, a: int, b: int) -> bool:
    """Whether the target has the lifeless subject in or on another thing that the source knows too."""
    view = al.target
    prep = split(asked(al, r))[1]
    if heads.is_living(r.subject.head) or first(prep) not in ("in", "on") or not _sure(al, r):
        return False
    for q in view.graph.relations_of(a):
        other = q.object.id if q.subject.id == a else q.subject.id
        inside = first(split(told(al, q))[1]) == first(prep) if q.subject.id == a else q.lemma in ("hold", "contain")
        if not inside or other == b or denied(view.graph, q) or other not in al.back or view.entity(other).part_of == b:
            continue
        if other not in view.near[b] and view.entity(other).role == "thing" and not heads.is_living(q.object.head):
            return al.back[other] != r.object.id
    return False


def _same_of_another(al: Alignment, r: Relation, a: int, b: int) -> Finding | None:
    """The target says the same of the subject and another thing: a coordination cut short, or another claim."""
    view = al.target
    source = al.source.graph
    mine = {q.object.id for q in source.relations_of(r.subject, role="subject") if q.lemma == r.lemma}
    for q in view.graph.relations_of(a, role="subject"):
        (verb, prep), (verb_t, prep_t) = split(asked(al, r)), split(told(al, q))
        if q.object.id in (a, b) or denied(view.graph, q) or same(asked(al, r), told(al, q)) < 4:
            continue
        if not (verb and verb_t) and prep != prep_t:
            continue  # "with" and "in" meet in too many senses
        said = f'the text has "{view.said(q)}"'
        if _linked_by_of(al, q.object.id, b):
            return Finding(3.3, said)
        if al.back.get(q.object.id) in mine or _coordinated(al, q.object.id, b):
            return Finding(3.2, f'{said} and "{view.phrase(b)}" beside it')
        if q.object.id in al.back and not light(verb) and not light(verb_t):
            return Finding(ELSEWHERE, said)
    return None


def _linked_by_of(al: Alignment, x: int, b: int) -> bool:
    """A cup and its coffee: what stands next to the one stands next to the other."""
    view = al.target
    if view.entity(x).part_of == b or view.entity(b).part_of == x:
        return True
    return any(q.lemma == "of" and {q.subject.id, q.object.id} == {x, b} for q in view.graph.relations_of(x))


_BETWEEN = word_set("and or with a an the its his her their two some")


def _coordinated(al: Alignment, x: int, b: int) -> bool:
    """Whether only a comma, "and" and words of the phrase stand between two nouns."""
    view = al.target
    for m in view.entity(x).mentions[:1]:
        for n in view.entity(b).mentions[:1]:
            low, high = min(m.end, n.end), max(m.phrase[0], n.phrase[0])
            between = view.graph.text[low:high] if low <= high else ""
            if m.sentence == n.sentence and 0 < len(between) < 12 and not set(words.tokens(between)) - _BETWEEN:
                return True
    return False


def _together(al: Alignment, r: Relation, a: int, b: int) -> Finding:
    """Nothing else is known than whether the two and the relation's words stand in one sentence."""
    view = al.target
    verb, prep = split(asked(al, r))
    pair = f'"{view.phrase(a)}" and "{view.phrase(b)}"'
    together = view.sentences[a] & view.sentences[b]
    if _kept(al, r, a, b):
        return Finding(2.0, f"the text has {pair}, the one kept elsewhere")
    owner = view.entity(a).part_of
    if r.kind == "part" and r.lemma == "of":
        other = owner is not None and owner != b and al.back.get(owner) not in (None, r.object.id)
        if other and owner is not None and heads.grade(view.entity(owner).head, view.entity(b).head) >= 4:
            return Finding(PARTIAL, f"the text has {pair}, of a namesake")  # the parser took one woman for another
        its = view.phrase(a).lower().startswith(("its ", "their "))
        if other and owner is not None and its and not heads.is_living(view.entity(owner).head):
            return Finding(PARTIAL, f"the text has {pair}")  # whose "its" is, is a guess
        return Finding(ELSEWHERE, f"it is another's: {pair}") if other else Finding(3.2, f"the text has {pair}")
    if not together:
        if _timely(r.object.head):
            return Finding(3.2, f"the text has {pair}")
        if prep and light(verb) and _close(view.sentences[a], view.sentences[b]):
            return Finding(3.0, f"the text has {pair} in neighbouring sentences")
        if _close(view.sentences[a], view.sentences[b]) and not any(words.verb_grade(v, w) == CONFLICT
            for v in verb for f in view.facts[a] if f.source == "action" for w in f.words):  # fmt: skip
            return Finding(3.0, f"the text has {pair} in neighbouring sentences")
        if plain(asked(al, r)) and not _rival(al, r, a, b):
            return Finding(PARTIAL, f"the text has {pair}")
        if _placed(al, r, a, b) or related_doing(al, verb, a):
            return Finding(PARTIAL, f"the text has {pair}")
        return Finding(2.0 if light(verb) else ABSENT, f"nothing links {pair} so")
    near = [t for t in view.tokens if t.sentence in together]
    done = light(verb) or any(words.alike(v, t.text) >= 4 for v in verb for t in near)
    placed = not prep or prep in view.graph.text.lower() or any(prepositions(prep, t.text) >= 4 for t in near)
    if done and placed:
        return Finding(3.2, f'"{r.text}" stands in the same sentence as {pair}')
    if _timely(r.object.head):
        return Finding(3.2, f"the text has {pair}")
    if prep and done:
        against = [t.text for t in view.tokens if t.sentence in together and prepositions(prep, t.text) == CONFLICT]
        ends = {a, b}
        used = {split(told(al, q))[1] for n in (a, b) for q in view.graph.relations_of(n)
                if {q.subject.id, q.object.id} - ends <= view.near[a] & view.near[b]}  # fmt: skip
        if not any(w in used or prepositions(w, u) >= 4 for w in against for u in used):
            return Finding(3.0, f"the text has {pair} in one sentence")
        return Finding(2.0, f'the text has {pair} with "{against[0]}"')
    linked = b in view.near[a] or any(c in view.near[b] for c in view.near[a])
    if plain(asked(al, r)) and not _rival(al, r, a, b):
        return Finding(PARTIAL, f"the text has {pair} in one sentence")
    if _placed(al, r, a, b) or related_doing(al, verb, a):
        return Finding(PARTIAL, f"the text has {pair} and something like it")
    acts = any(f.source == "action" and not light(f.words) for f in view.facts[a])
    if not prep and not acts and not heads.is_living(r.subject.head) and not heads.is_living(r.object.head):
        return Finding(PARTIAL, f"the text has {pair} in one sentence")  # "fur edges the coat"
    return Finding(2.6 if linked and light(verb) else WEAK, f"the text has {pair}, not so linked")


def _rival(al: Alignment, r: Relation, a: int, b: int) -> bool:
    """Whether the target links the object in the same way to another thing that the source knows."""
    view = al.target
    for q in view.graph.relations_of(b):
        x = q.subject.id if q.object.id == b else q.object.id
        if x == a or denied(view.graph, q) or al.back.get(x, r.subject.id) == r.subject.id:
            continue
        if q.object.id != b or same(asked(al, r), told(al, q)) < PARTIAL:
            continue
        alive = heads.is_living(view.entity(x).head) and heads.is_living(r.subject.head)
        if alive or r.lemma == "of" or _swapped(al, r, al.back[x], a, x):
            return True  # many things may lie in one bowl, but one man wears the hat
    owner = view.entity(b).part_of
    if r.lemma != "of" and not heads.is_living(r.subject.head):
        return False  # a scarf is on the hair of whoever wears it
    return owner is not None and owner != a and al.back.get(owner) not in (None, r.subject.id)


def _placed(al: Alignment, r: Relation, a: int, b: int) -> bool:
    """A lifeless thing is somewhere by a verb that the target leaves out, and nothing speaks against it."""
    verb, prep = split(asked(al, r))
    if not prep or heads.is_living(r.subject.head) or _rival(al, r, a, b):
        return False
    done = [w for f in al.target.facts[a] if f.source == "action" for w in f.words]
    return not any(words.verb_grade(v, w) == CONFLICT for v in verb for w in done)


def _close(one: frozenset[int], other: frozenset[int]) -> bool:
    return any(abs(i - j) <= 1 for i in one for j in other)


@cache
def _timely(noun: str) -> bool:
    """Times of day, seasons and weather hold for the whole scene."""
    last = noun.rpartition(" ")[2]
    return last in ("sunset", "sunrise", "day", "daylight", "night", "light", "sunlight", "weather") or any(
        s.words[0] in ("time of day", "season", "weather") for sense in heads.senses(last) for s in sense.chain()
    )
