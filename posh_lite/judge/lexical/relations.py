"""Do THOSE two stand in the relation? Grades of questions about relations."""

from __future__ import annotations

from posh_lite.graph.types import Entity, Relation
from posh_lite.judge.lexical import heads, words
from posh_lite.judge.lexical.align import Alignment
from posh_lite.judge.lexical.attributes import counterparts, place_finding
from posh_lite.judge.lexical.entities import entity_finding
from posh_lite.judge.lexical.facts import best_fact
from posh_lite.judge.lexical.findings import ABSENT, CONTRADICTED, ELSEWHERE, WEAK, Finding
from posh_lite.judge.lexical.lexicon import lexicon, word_set
from posh_lite.judge.lexical.loose import loosely
from posh_lite.judge.lexical.view import place_words, relation_place, spoken
from posh_lite.judge.lexical.wording import (
    HOLDING,
    OWNING,
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
    if r.negated or r.object.negated or first(split(spoken(r))[1]) == "without":
        return _without(al, r)
    return _affirmed(al, r)


def _verbatim(al: Alignment, r: Relation) -> Finding | None:
    """The counterparts stand in the relation of the very same words."""
    mine, theirs = al.one.get(r.subject.id), al.one.get(r.object.id)
    if mine is None or theirs is None:
        return None
    for q in al.target.graph.relations_of(mine.target, role="subject"):
        if q.object.id != theirs.target or q.lemma != r.lemma or q.negated != r.negated:
            continue
        if q.object.negated != r.object.negated or q.object.role != r.object.role:
            continue
        if r.object.role == "region" and relation_place(al.source.graph, r) != relation_place(al.target.graph, q):
            continue
        return Finding(5.0, f'the text has "{q.subject.head} {q.text} {q.object.head}"')
    return None


def _affirmed(al: Alignment, r: Relation) -> Finding:
    s, o = r.subject, r.object
    if o.role == "viewer" or o.head in _LOOKED_AT:
        return _viewer(al, r)
    if o.role == "picture" or s.role == "picture":
        return Finding(5.0, "a fact about the picture itself")
    ones = counterparts(al, s) if s.role != "viewer" else []
    if o.role == "region":
        placed = _region(al, r, ones)
        if placed is not None:
            return placed
    others = counterparts(al, o)
    if not ones or not others:
        return _missing(al, r, bool(ones), bool(others))
    best = Finding(0.0, "")
    against: Finding | None = None
    flat = o.head in lexicon().flat or o.head.rpartition(" ")[2] in lexicon().flat
    for i, m in enumerate(ones[:4]):
        for j, n in enumerate(others[:4]):
            if m.target == n.target:
                continue
            grade, reason, clash = _between(al, r, m.target, n.target, flat)
            grade -= 0.5 * (min(i, 1) + min(j, 1))
            if grade > best.score:
                best = Finding(grade, reason)
            if clash and i == 0 and j == 0:
                against = Finding(CONTRADICTED, clash)
    if against is not None and best.score < 4.2:
        return against
    found = best if best.score >= PARTIAL else None
    if found is None:
        soft = loosely(al, r, ones[0].target, others[0].target)
        found = soft if soft.score > best.score else best
    if found.score >= PARTIAL:
        return _other_action(al, r, ones[0].target, others[0].target) or found
    return found


def _other_action(al: Alignment, r: Relation, a: int, b: int) -> Finding | None:
    """The two are linked, but the counterpart does something else ("sits" where it "dances")."""
    verb, _ = split(spoken(r))
    if not verb:
        return None
    facts = al.target.facts[a]
    graded = [best_fact(v, facts, "action") for v in verb]
    grade, fact = max(graded, key=lambda g: g[0])
    if grade >= PARTIAL:
        return None
    phrase = al.target.phrase(a)
    if grade == CONFLICT and fact is not None and fact.source == "action":
        if _lifeless(r) and set(verb) & _RESTING and set(fact.words) & _RESTING:
            return None
        return Finding(1.6, f'the text says "{fact.said}" of "{phrase}"')
    known = any(v in lexicon().verbs.senses for v in verb)
    if any(f.source in ("action", "object") and f.other == b for f in facts):
        return None  # judged as a relation already
    keeping = OWNING | WEARING | HOLDING
    if light(verb) or not known or keeping & set(verb):
        return None
    doing = [f for f in facts if f.source == "action" and not light(f.words) and not keeping & set(f.words)]
    other = next(iter(doing), None)
    if other is not None:
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
        grade = same(spoken(r), spoken(q), flat) if straight else turned(spoken(r), spoken(q))
        if grade == CONFLICT and straight and _lifeless(r):
            grade = _resting(spoken(r), spoken(q), flat)
        said = f'"{q.subject.head} {q.text} {q.object.head}"'
        if q.kind == "part" or r.kind == "part":
            grade = max(grade, _part(r, q, straight))
        if q.negated or q.object.negated:
            if grade >= PARTIAL:
                clash = f"the text denies it: {said}"
            continue
        if grade == CONFLICT:
            clash = clash or f"the text has {said}"
        elif grade == UNRELATED:
            verb, _ = split(spoken(r))
            verb_t, _ = split(spoken(q))
            lex = lexicon()
            ignorant = all(v not in lex.verbs.senses for v in (*verb[:1], *verb_t[:1]))
            grade = 3.1 if ignorant and straight else 2.0 if straight else 1.6
        if grade > best:
            best, reason = grade, f"the text has {said}"
    e, f = view.entity(a), view.entity(b)
    if (f.part_of == a or e.part_of == b) and best < 4:
        verb, prep = split(spoken(r))
        having = prep in ("with", "of", "in", "on") or any(v in WEARING or v in OWNING for v in verb)
        if having or r.kind == "part":
            owns = f.part_of == a
            natural = owns == (r.object.part_of == r.subject.id or r.kind != "part")
            if not clash and natural:
                part, whole = (f, e) if owns else (e, f)
                best, reason = max(best, 3.8), f'"{part.head}" belongs to "{whole.head}"'
    if b in e.members or a in f.members:
        best, reason = max(best, 3.5), "one is a member of the other"
    return best, reason, clash


_RESTING = word_set("sit stand lie rest perch set place locate situate position")
_LIKENESSES = word_set("statue sculpture figure figurine doll mannequin robot angel sphinx scarecrow snowman")


def _lifeless(r: Relation) -> bool:
    return not heads.is_living(r.subject.head) and r.subject.head not in _LIKENESSES


def _resting(source: str, target: str, flat: bool) -> float:
    """A vase that sits on a shelf stands there: postures of lifeless things do not exclude each other."""
    (verb, prep), (verb_t, prep_t) = split(source), split(target)
    if prep and prep_t and set(verb) & _RESTING and set(verb_t) & _RESTING:
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


def _region(al: Alignment, r: Relation, ones: list) -> Finding | None:  # type: ignore[type-arg]
    asked = relation_place(al.source.graph, r)
    if not asked:
        return Finding(3.4, "a zone of the picture")
    if not ones:
        return Finding(ABSENT, f'"{r.subject.head}" is not in the text')
    found = place_finding(al, r.subject, ones, asked)
    if found is None or found.score != WEAK:
        return found
    regions = [t for t in al.target.graph.entities if t.role == "region"]
    home = al.target.sentences[ones[0].target]
    for token in al.target.tokens:
        zone = {} if token.owners or token.head_of is not None else place_words(token.text)
        if token.sentence in home and any(asked.get(g, set()) & v for g, v in zone.items()):
            return Finding(3.2, f'the text names "{token.text}" nearby')
    text = {g for t in regions for g in asked if asked[g] & _zone(al, t).get(g, set())}
    near = any(al.target.sentences[t.id] & home for t in regions if set(_zone(al, t)) & text)
    if text and near:
        holders = {q.subject.id for t in regions for q in al.target.graph.relations_of(t, role="object")}
        if any(h in al.back and al.back[h] != r.subject.id and h != ones[0].target for h in holders):
            return Finding(ELSEWHERE, "the text places something else there")
        return Finding(3.2, "the text names that zone nearby")
    return found


def _zone(al: Alignment, t: Entity) -> dict[str, set[str]]:
    return place_words(" ".join([t.head, *(a.lemma for a in al.target.graph.attributes_of(t))]))


_LOOKED_AT = frozenset({"camera", "viewer", "lens", "photographer"})


def _viewer(al: Alignment, r: Relation) -> Finding:
    ones = counterparts(al, r.subject)
    if not ones:
        return Finding(ABSENT, f'"{r.subject.head}" is not in the text')
    for q in al.target.graph.relations_of(ones[0].target, role="subject"):
        if q.object.role == "viewer" or q.object.head in _LOOKED_AT:
            grade = same(spoken(r), spoken(q))
            return Finding(max(grade, 2.0) if grade != CONFLICT else CONTRADICTED, f'"{q.text}" the viewer')
    verb, _ = split(spoken(r))
    for word in ("camera", "viewer", "photographer"):
        if any(t.text == word for t in al.target.tokens):
            return Finding(3.5, f'the text has "{word}"')
    grade, fact = max(((best_fact(v, al.target.facts[ones[0].target], "action")) for v in verb), default=(0.0, None),
                      key=lambda x: x[0])  # fmt: skip
    if fact is not None and grade >= PARTIAL:
        return Finding(min(grade, 3.6), f'the text has "{fact.said}"')
    return Finding(WEAK, "the text does not say so")


def _missing(al: Alignment, r: Relation, subject: bool, other: bool) -> Finding:
    """One of the two has no counterpart: it may be said as an attribute or a verb of the other."""
    gone = r.object if subject else r.subject
    presence = entity_finding(al, gone)
    verb, prep = split(spoken(r))
    if prep and not SAYING & set(lexicon().prepositions.get(prep, ())[:1]) and presence.score >= PARTIAL:
        # An adjective or a verb says that it has one, not where it is.
        said = any(prepositions(prep, t.text) >= 4 for t in al.target.tokens)
        return Finding(3.1 if said and (light(verb) or presence.score >= 3.4) else 2.6, presence.reason)
    if presence.score >= 3.4 and (subject or other):
        return Finding(presence.score, presence.reason)
    if presence.score >= PARTIAL:
        return Finding(PARTIAL, presence.reason)
    return Finding(ABSENT, f'"{gone.head}" is not in the text')

def _without(al: Alignment, r: Relation) -> Finding:
    """"without a hat", "does not hold": the polarity turned."""
    denied = [q for q in al.target.graph.relations if (q.negated or q.object.negated)
              and heads.grade(r.object.head, q.object.head) >= PARTIAL]  # fmt: skip
    if denied and all(same(spoken(r), spoken(q)) == CONFLICT for q in denied):
        return Finding(CONTRADICTED, f'the text says "{denied[0].text}" of it')
    gone = [m for m in al.candidates.get(r.object.id, ()) if al.target.entity(m.target).negated]
    ones = {m.target for m in counterparts(al, r.subject)}
    if any(q.subject.id in ones or not ones for q in denied) or (gone and not denied):
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
