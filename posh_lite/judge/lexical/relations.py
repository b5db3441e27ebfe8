"""Do THOSE two stand in the relation? Grades of questions about relations."""

from __future__ import annotations

from posh_lite.graph.types import Relation
from posh_lite.judge.lexical import heads, words
from posh_lite.judge.lexical.align import Alignment, Match
from posh_lite.judge.lexical.attributes import counterparts
from posh_lite.judge.lexical.entities import entity_finding
from posh_lite.judge.lexical.facts import best_fact
from posh_lite.judge.lexical.findings import ABSENT, CONTRADICTED, ELSEWHERE, LIMBS, WEAK, Finding
from posh_lite.judge.lexical.lexicon import lexicon, word_set
from posh_lite.judge.lexical.loose import loosely
from posh_lite.judge.lexical.regions import LOOKED_AT, region_finding, viewer_finding
from posh_lite.judge.lexical.restated import (
    GENERIC,
    POSITIONAL,
    SUPPORT,
    asked,
    immersed,
    in_other_words,
    other_limb,
    plain,
    related_doing,
    restated,
    told,
)
from posh_lite.judge.lexical.view import denied, relation_place, spoken
from posh_lite.judge.lexical.wording import (
    HOLDING,
    OWNING,
    RESTING,
    SAYING,
    WEARING,
    first,
    light,
    prepositions,
    same,
    split,
    turned,
)
from posh_lite.judge.lexical.words import CONFLICT, PARTIAL, UNRELATED


def relation_finding(al: Alignment, r: Relation) -> Finding:
    """Grade of one source relation."""
    same_words = _verbatim(al, r)
    if same_words is not None:
        return same_words
    if denied(al.source.graph, r) or r.object.negated or first(split(asked(al, r))[1]) == "without":
        return _without(al, r)
    return _affirmed(al, r)


def _verbatim(al: Alignment, r: Relation) -> Finding | None:
    """The counterparts stand in the relation of the very same words."""
    mine, theirs = al.one.get(r.subject.id), al.one.get(r.object.id)
    if mine is None or theirs is None or _crossed(al, r, mine.target, theirs.target):
        return None
    for q in al.target.graph.relations_of(mine.target, role="subject"):
        if q.object.id != theirs.target or q.lemma != r.lemma:
            continue
        if denied(al.target.graph, q) != denied(al.source.graph, r):
            continue
        if q.object.negated != r.object.negated or q.object.role != r.object.role:
            continue
        if r.object.role == "region" and relation_place(al.source.graph, r) != relation_place(al.target.graph, q):
            continue
        return Finding(5.0, f'the text has "{al.target.said(q)}"')
    return None


def _lesser(match: Match, first_: Match) -> bool:
    """Whether another candidate is of another name where the counterpart bears the very same one."""
    return first_.head >= 4.8 and match.head < first_.head - 0.4


def _crossed(al: Alignment, r: Relation, a: int, b: int) -> bool:
    """Whether each counterpart bears the very name of the other: a soldier and a general that changed roles."""
    one, other = al.target.entity(a).head, al.target.entity(b).head
    return one != other and one == r.object.head and other == r.subject.head


def _affirmed(al: Alignment, r: Relation) -> Finding:
    s, o = r.subject, r.object
    if o.role == "viewer" or o.head in LOOKED_AT:
        return viewer_finding(al, r)
    if o.role == "picture" or s.role == "picture":
        return Finding(5.0, "a fact about the picture itself")
    ones = counterparts(al, s) if s.role != "viewer" else []
    if o.role == "region":
        placed = region_finding(al, r, ones)
        if placed is not None:
            return placed
    others = counterparts(al, o)
    if ones and others and _crossed(al, r, ones[0].target, others[0].target):
        ones, others = others[:1], ones[:1]
    if not ones or not others:
        return _missing(al, r, bool(ones), bool(others))
    best = Finding(0.0, "")
    against: Finding | None = None
    names = {o.head, o.head.rpartition(" ")[2], *(al.target.entity(m.target).head for m in others[:1])}
    flat = bool(names & lexicon().flat)
    for i, m in enumerate(ones[:4]):
        for j, n in enumerate(others[:4]):
            if m.target == n.target or _lesser(m, ones[0]) or _lesser(n, others[0]):
                continue
            grade, reason, clash = _between(al, r, m.target, n.target, flat)
            grade -= 0.5 * (min(i, 1) + min(j, 1))
            if grade > best.score:
                best = Finding(grade, reason)
            general = o.head in GENERIC and al.target.entity(n.target).head not in GENERIC
            if clash and i == 0 and j == 0 and not general:
                against = Finding(CONTRADICTED, clash)
    if against is not None and best.score < 4.2:
        return against
    found = best if best.score >= PARTIAL else None
    if found is None:
        if _only_returned(al, r, ones[0].target, others[0].target):
            return best
        soft = loosely(al, r, ones[0].target, others[0].target)
        for n in others[1:3] if soft.score in (ABSENT, WEAK) else ():
            second = loosely(al, r, ones[0].target, n.target)
            soft = second if second.score >= PARTIAL else soft
        found = soft if soft.score > best.score else best
        if found.score < PARTIAL:
            found = restated(al, r, ones[0].target) or found
    taken = found.score in (ELSEWHERE, 2.0) and o.head in POSITIONAL
    if found.score < PARTIAL and o.head in GENERIC and plain(asked(al, r)) and not taken:
        return Finding(PARTIAL, "a general word that the text need not repeat")
    if found.score >= PARTIAL:
        return _other_action(al, r, ones[0].target, others[0].target) or found
    return found


def _other_action(al: Alignment, r: Relation, a: int, b: int) -> Finding | None:
    """The two are linked, but the counterpart does something else ("sits" where it "dances")."""
    verb, _ = split(asked(al, r))
    if not verb:
        return None
    facts = al.target.facts[a]
    graded = [best_fact(v, facts, "action") for v in verb]
    grade, fact = max(graded, key=lambda g: g[0])
    if grade >= PARTIAL:
        return None
    phrase = al.target.phrase(a)
    if grade == CONFLICT and fact is not None and fact.source == "action":
        if _lifeless(r) and set(verb) & RESTING and set(fact.words) & RESTING:
            return None
        return Finding(1.6, f'the text says "{fact.said}" of "{phrase}"')
    known = any(v in lexicon().verbs.senses for v in verb)
    if any(f.source in ("action", "object") and f.other == b for f in facts):
        return None  # judged as a relation already
    keeping = OWNING | WEARING | HOLDING
    if light(verb) or not known or keeping & set(verb) or set(verb) & SUPPORT or (
        r.object.head in LIMBS and r.object.part_of == r.subject.id
    ):
        return None
    doing = [f for f in facts if f.source == "action" and not light(f.words) and not keeping & set(f.words)]
    other = next(iter(doing), None)
    if other is not None and not related_doing(al, verb, a):
        return Finding(2.2, f'the text says "{other.said}" of "{phrase}"')
    return None


def _between(al: Alignment, r: Relation, a: int, b: int, flat: bool) -> tuple[float, str, str]:
    """Best grade over the target's relations between two entities, its reason, and what contradicts it."""
    view = al.target
    best, reason, clash = 0.0, "", ""
    for q in view.graph.relations_of(a):
        if {q.subject.id, q.object.id} != {a, b}:
            continue
        straight = q.subject.id == a
        grade = same(asked(al, r), told(al, q), flat) if straight else _turned(al, r, q)
        if grade == CONFLICT and straight and _lifeless(r):
            grade = _resting(asked(al, r), told(al, q), flat)
        if grade == CONFLICT and straight and immersed(
            asked(al, r), told(al, q), r.object.head
        ):
            grade = 3.4
        said = f'"{view.said(q)}"'
        if q.kind == "part" or r.kind == "part":
            grade = max(grade, _part(r, q, straight))
        if denied(view.graph, q) or q.object.negated:
            if grade >= PARTIAL:
                clash = f"the text denies it: {said}"
            continue
        if grade == CONFLICT:
            clash = clash or f"the text has {said}"
        elif grade == UNRELATED:
            grade = in_other_words(al, r, q, straight, flat)
        if grade > best:
            best, reason = grade, f"the text has {said}"
    e, f = view.entity(a), view.entity(b)
    if (f.part_of == a or e.part_of == b) and best < 4:
        verb, prep = split(asked(al, r))
        having = prep in ("with", "of", "in", "on") or any(v in WEARING or v in OWNING for v in verb)
        having = having and (light(verb) or bool(set(verb) & (WEARING | OWNING)) or _lifeless(r))
        if having or r.kind == "part":
            owns = f.part_of == a
            natural = owns == (r.object.part_of == r.subject.id or r.kind != "part")
            if not clash and natural:
                part, whole = (f, e) if owns else (e, f)
                best, reason = max(best, 3.8), f'"{part.head}" belongs to "{whole.head}"'
    if b in e.members or a in f.members:
        best, reason = max(best, 3.5), "one is a member of the other"
    return best, reason, clash


def _only_returned(al: Alignment, r: Relation, a: int, b: int) -> bool:
    """Whether the target has the second living being act on the first, and nothing the other way round."""
    if not (heads.is_living(r.subject.head) and heads.is_living(r.object.head)) or r.kind == "part":
        return False
    links = [q for q in al.target.graph.relations_of(a) if {q.subject.id, q.object.id} == {a, b}]
    acts = [q for q in links if q.subject.id == b and not light(split(told(al, q))[0])]
    return bool(acts) and len(acts) == len(links) and not light(split(asked(al, r))[0])


def _turned(al: Alignment, r: Relation, q: Relation) -> float:
    living = heads.is_living(r.subject.head) and heads.is_living(r.object.head)
    verb, _ = split(told(al, q))
    if r.lemma == "of" and verb and not light(verb) and not set(verb) & (OWNING | WEARING | HOLDING):
        return UNRELATED  # who rides on a back does not own it
    return turned(asked(al, r), told(al, q), living)


_LIKENESSES = word_set("statue sculpture figure figurine doll mannequin robot angel sphinx scarecrow snowman")


def _lifeless(r: Relation) -> bool:
    return not heads.is_living(r.subject.head) and r.subject.head not in _LIKENESSES


def _resting(source: str, target: str, flat: bool) -> float:
    """A vase that sits on a shelf stands there: postures of lifeless things do not exclude each other."""
    (verb, prep), (verb_t, prep_t) = split(source), split(target)
    if prep and prep_t and set(verb) & RESTING and set(verb_t) & RESTING:
        return min(prepositions(prep, prep_t, flat), 4.2)
    return CONFLICT


def _part(r: Relation, q: Relation, straight: bool) -> float:
    """Part-of is said with "of", "with", "has" or a possessive, in either order."""
    having = {"with", "of", "have", "in", "on"}
    one = r.kind == "part" or r.lemma in having
    other = q.kind == "part" or q.lemma in having
    if one and other:
        return 4.4 if straight == (r.kind == q.kind or r.lemma == q.lemma) or not straight else 4.0
    verbs = split(spoken(q))[0] if r.kind == "part" else split(spoken(r))[0]
    if one != other and any(v in OWNING for v in verbs) and not (split(spoken(r))[1] and split(spoken(q))[1]):
        return 3.8
    return UNRELATED


def _missing(al: Alignment, r: Relation, subject: bool, other: bool) -> Finding:
    """One of the two has no counterpart: it may be said as an attribute or a verb of the other."""
    gone = r.object if subject else r.subject
    again = restated(al, r, counterparts(al, r.subject)[0].target) if subject else None
    limb = other_limb(al, r, counterparts(al, r.subject)[0].target) if subject else None
    if again is not None or limb is not None:
        return again or limb or Finding(PARTIAL, "")
    presence = entity_finding(al, gone)
    verb, prep = split(asked(al, r))
    if subject and presence.score >= PARTIAL and not _lifeless(r):
        a = counterparts(al, r.subject)[0].target
        for v in verb:
            grade, fact = best_fact(v, al.target.facts[a], "action")
            if grade == CONFLICT and fact is not None and not fact.negated:
                return Finding(1.6, f'the text says "{fact.said}" of "{al.target.phrase(a)}"')
    if prep and not SAYING & set(lexicon().prepositions.get(prep, ())[:1]) and presence.score >= PARTIAL:
        # An adjective or a verb says that it has one, not where it is.
        said = any(prepositions(prep, t.text) >= 4 for t in al.target.tokens)
        given = (prep in ("to", "for", "from") and other) or _lifeless(r)
        return Finding(3.1 if given or (said and (light(verb) or presence.score >= 3.4)) else 2.6, presence.reason)
    if presence.score >= 3.4 and (subject or other):
        return Finding(presence.score, presence.reason)
    if presence.score >= PARTIAL:
        return Finding(PARTIAL, presence.reason)
    return Finding(ABSENT, f'"{gone.head}" is not in the text')

def _without(al: Alignment, r: Relation) -> Finding:
    """"without a hat", "does not hold": the polarity turned."""
    against = [q for q in al.target.graph.relations if (denied(al.target.graph, q) or q.object.negated)
              and heads.grade(r.object.head, q.object.head) >= PARTIAL]  # fmt: skip
    if against and all(same(asked(al, r), told(al, q)) == CONFLICT for q in against):
        return Finding(CONTRADICTED, f'the text says "{against[0].text}" of it')
    gone = [m for m in al.candidates.get(r.object.id, ()) if al.target.entity(m.target).negated]
    ones = {m.target for m in counterparts(al, r.subject)}
    if any(q.subject.id in ones or not ones for q in against) or (gone and not against):
        return Finding(5.0, "the text denies it too")
    there = [m for m in al.candidates.get(r.object.id, ()) if m.head >= 4 and not al.target.entity(m.target).negated]
    if there and not r.object.negated and r.negated:
        there = [m for m in there if m.target in {n for o in ones for n in al.target.near[o]}]
    for m in there:
        owners = {n for n in al.target.near[m.target] if n in al.back and al.back[n] != r.subject.id}
        if m.target in {n for o in ones for n in al.target.near[o]} or not owners:
            return Finding(CONTRADICTED, f'the text has "{al.target.phrase(m.target)}"')
        if not any(heads.is_living(al.target.entity(n).head) for n in owners):
            return Finding(1.5, f'the text has "{al.target.phrase(m.target)}"')
    last = heads.repaired(r.object.head)[0].rpartition(" ")[2]
    for number in sorted(ones):
        for fact in al.target.facts[number]:
            if not fact.negated and fact.source != "implied" and any(words.alike(last, w) >= 4.4 for w in fact.words):
                return Finding(CONTRADICTED, f'the text has "{fact.said}"')
        for token in al.target.tokens:
            if token.sentence in al.target.sentences[number] and words.alike(last, token.text) >= 4.8 and not there:
                return Finding(1.5, f'the text has "{token.text}"')
    return Finding(PARTIAL if ones else ABSENT, "the text says nothing of it")
