"""Do THOSE two stand in the relation? Grades of questions about relations."""

from __future__ import annotations

from functools import cache

from posh_lite.graph.types import Entity, Relation
from posh_lite.judge.lexical import heads, words
from posh_lite.judge.lexical.align import Alignment
from posh_lite.judge.lexical.attributes import counterparts, place_finding
from posh_lite.judge.lexical.entities import entity_finding
from posh_lite.judge.lexical.facts import best_fact
from posh_lite.judge.lexical.findings import ABSENT, CONTRADICTED, ELSEWHERE, WEAK, Finding
from posh_lite.judge.lexical.lexicon import lexicon, word_set
from posh_lite.judge.lexical.view import place_words, relation_place, spoken, verb_words
from posh_lite.judge.lexical.words import CONFLICT, PARTIAL, UNRELATED

_ALSO_VERBS = word_set("near like over down up round past about through in on")
_OWNING = word_set("have possess own wear feature show include contain bear display boast sport")
_SAYING = frozenset({"with", "of", "in", "on", "at"})
_HOLDING = word_set("hold carry grasp clutch cradle bear take use support lift raise")
_INSTRUMENT = frozenset({"with", "by", "in", "of"})
_WEARING = word_set("wear in with have dress don sport clothe attire garb outfit")


@cache
def split(lemma: str) -> tuple[tuple[str, ...], str]:
    """Verb words and preposition of a relation: ("lean",) and "on" for "lean on"; () and "in" for "in"."""
    lex = lexicon()
    parts = lemma.split()
    for start in range(len(parts)):
        rest = " ".join(parts[start:])
        if rest in lex.prepositions and (start or rest not in lex.verbs.senses or rest in _ALSO_VERBS):
            before = " ".join(parts[:start])
            if rest in ("to", "from", "in", "with") and set(verb_words(before)) & _ATTACHING:
                rest = "on"
            if not before or before in lex.adverbs:  # "directly behind"
                return (), rest
            whole = (lemma,) if lemma in lex.verbs.senses else ()  # "crowd around", a verb of its own
            return (*whole, *verb_words(before)), rest
    for stop in range(len(parts) - 1, 0, -1):  # "near stand": an inverted clause
        rest = " ".join(parts[:stop])
        if rest in lex.prepositions:
            return verb_words(" ".join(parts[stop:])), rest
    return (verb_words(lemma), "")


_ATTACHING = word_set("attach hang mount fix affix fasten pin secure nail glue suspend")
_DIRECTIONS = (
    ("up", "down"), ("away", "toward"), ("away", "at"), ("left", "right"), ("in", "out"), ("forward", "back"),
)  # fmt: skip


def _against(source: str, target: str) -> bool:
    """Whether the two turn to opposite sides: "look up at" and "look down at"."""
    one, other = set(source.split()), set(target.split())
    prepositions_ = lexicon().prepositions
    mine, theirs = ([w for w in a - b if w not in prepositions_] for a, b in ((one, other), (other, one)))
    if any(words.alike(p, q) == CONFLICT for p in mine for q in theirs):
        return True
    if any((p in one and q in other and p not in other) or (q in one and p in other and q not in other)
           for p, q in _DIRECTIONS):
        return True
    return ("away" in one) != ("away" in other) and bool(one & other & {"face", "look", "turn", "gaze", "walk"})


@cache
def same(source: str, target: str, flat: bool = False) -> float:
    """Grade of two relation phrases between the same two things in the same order; 0 where not comparable."""
    if source == target:
        return 5.0
    if _against(source, target):
        return CONFLICT
    (verb, prep), (verb_t, prep_t) = split(source), split(target)
    lex = lexicon()
    graded = [max(words.verb_grade(a, b), words.alike(a, b)) for a in verb for b in verb_t]
    of_verbs = max(graded, default=UNRELATED)
    if of_verbs == UNRELATED and any(words.verb_grade(a, b, True) == CONFLICT for a in verb for b in verb_t):
        return CONFLICT
    if verb and verb_t and of_verbs == UNRELATED and set(verb) & set(verb_t):
        of_verbs = 5.0
    of_preps = prepositions(prep, prep_t, flat) if prep and prep_t else UNRELATED
    light, light_t = _light(verb), _light(verb_t)
    if verb and verb_t:
        if of_verbs == CONFLICT:
            return CONFLICT
        if of_verbs >= PARTIAL:
            if prep and prep_t:
                return min(of_verbs, of_preps) if of_preps > 0 else of_preps if of_preps == CONFLICT else 2.5
            return of_verbs if prep == prep_t else min(of_verbs, 4.2)
        if set(verb) & _WEARING and set(verb_t) & _WEARING:
            return 4.0
        if light and light_t and prep and prep_t:
            return min(of_preps, 4.2) if of_preps > 0 else of_preps
        return UNRELATED
    # One side has a verb, the other only a preposition.
    if prep and prep_t:
        if of_preps > 0:
            lone = light if verb else light_t
            return min(of_preps, 4.2 if lone else 3.6)
        return of_preps
    word, other = (verb or (prep,)), (verb_t or (prep_t,))
    if any(w in _WEARING for w in word) and any(w in _WEARING for w in other):
        return 4.2
    classes = {c for w in (*word, prep) for c in lex.prepositions.get(w, ())}
    classes_t = {c for w in (*other, prep_t) for c in lex.prepositions.get(w, ())}
    if any(c in (*word, prep, *other, prep_t) for c in classes & classes_t):
        return 4.0
    if (light and not prep) or (light_t and not prep_t):
        return 3.4
    return UNRELATED


def _light(verb: tuple[str, ...]) -> bool:
    return not verb or any(v in lexicon().light for v in verb)


@cache
def prepositions(a: str, b: str, flat: bool = False) -> float:
    """Grade of two prepositions."""
    if a == b:
        return 5.0
    lex = lexicon()
    x, y = lex.prepositions.get(a, ()), lex.prepositions.get(b, ())
    if not x or not y:
        return UNRELATED
    if flat and {a, b} <= {"in", "on", "at", "upon", "within", "inside", "across", "along", "through"}:
        return 4.0
    if x[0] == y[0]:
        return 4.2
    if frozenset((x[0], y[0])) in lex.prep_opposites:
        return CONFLICT
    if a in y or b in x or x[0] in y or y[0] in x:
        return 4.0
    if set(x) & set(y):
        return 3.4
    if any(frozenset((p, q)) in lex.prep_opposites for p in x for q in y):
        return 1.8
    return 2.4


@cache
def first(prep: str) -> str:
    """The class that a preposition chiefly belongs to."""
    classes = lexicon().prepositions.get(prep, ())
    return classes[0] if classes else prep


@cache
def turned(source: str, target: str) -> float:
    """Grade of two relation phrases when the target has the two things the other way round."""
    lex = lexicon()
    (verb, prep), (verb_t, prep_t) = split(source), split(target)
    if prep and prep_t and _light(verb) and _light(verb_t):
        x, y = first(prep), first(prep_t)
        if frozenset((x, y)) in lex.prep_converses and (x != y or len({x}) == 1):
            if x == y and frozenset((x,)) not in lex.prep_converses:
                return CONFLICT
            return 4.2
        if x == y:
            return 4.0 if frozenset((x,)) in lex.prep_converses else CONFLICT
        return UNRELATED
    classes = {c for w in (*verb, prep) for c in lex.prepositions.get(w, ())}
    classes_t = {c for w in (*verb_t, prep_t) for c in lex.prepositions.get(w, ())}
    if not set(verb) & set(verb_t) and any(frozenset((p, q)) in lex.prep_converses for p in classes for q in classes_t):
        return 3.8  # one verb is no converse of itself: a dog that leads is not led
    if any(words.converse(a, b) for a in verb for b in verb_t):
        return 4.2
    if verb and verb_t:
        alike = max((max(words.verb_grade(a, b), words.alike(a, b)) for a in verb for b in verb_t), default=0.0)
        if alike >= 3.4 and (prep in _INSTRUMENT) != (prep_t in _INSTRUMENT):
            return min(alike, 4.4)  # "covered with snow" by "snow covers"
        if alike >= 4 and not _light(verb):
            return CONFLICT
    return UNRELATED


def relation_finding(al: Alignment, r: Relation) -> Finding:
    """Grade of one source relation."""
    if r.negated or r.object.negated or first(split(spoken(r))[1]) == "without":
        return _without(al, r)
    return _affirmed(al, r)


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
    if against is not None and best.score < 3.7:
        return against
    found = best if best.score >= PARTIAL else None
    if found is None:
        soft = _loosely(al, r, ones[0].target, others[0].target)
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
    keeping = _OWNING | _WEARING | _HOLDING
    if _light(verb) or not known or keeping & set(verb):
        return None
    doing = [f for f in facts if f.source == "action" and not _light(f.words) and not keeping & set(f.words)]
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
            ignorant = any(v not in lex.verbs.senses for v in (*verb[:1], *verb_t[:1]))
            grade = 3.1 if ignorant and straight else 2.0 if straight else 1.6
        if grade > best:
            best, reason = grade, f"the text has {said}"
    e, f = view.entity(a), view.entity(b)
    if (f.part_of == a or e.part_of == b) and best < 4:
        verb, prep = split(spoken(r))
        having = prep in ("with", "of", "in", "on") or any(v in _WEARING or v in _OWNING for v in verb)
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
    if one != other and any(v in _OWNING for v in verbs) and not (split(spoken(r))[1] and split(spoken(q))[1]):
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
    if prep and not _SAYING & set(lexicon().prepositions.get(prep, ())[:1]) and presence.score >= PARTIAL:
        # An adjective or a verb says that it has one, not where it is.
        said = any(prepositions(prep, t.text) >= 4 for t in al.target.tokens)
        return Finding(3.1 if said and (_light(verb) or presence.score >= 3.4) else 2.6, presence.reason)
    if presence.score >= 3.4 and (subject or other):
        return Finding(presence.score, presence.reason)
    if presence.score >= PARTIAL:
        return Finding(PARTIAL, presence.reason)
    return Finding(ABSENT, f'"{gone.head}" is not in the text')


def _loosely(al: Alignment, r: Relation, a: int, b: int) -> Finding:
    """The two are there but not linked: is it said of others, or only left unattached by the parser?"""
    view = al.target
    flat = r.object.head in lexicon().flat
    _, prep = split(spoken(r))
    elsewhere: Finding | None = None
    for q in view.graph.relations_of(b):
        x = q.subject.id if q.object.id == b else q.object.id
        if x == a or q.negated:
            continue
        grade = same(spoken(r), spoken(q), flat) if q.object.id == b else turned(spoken(r), spoken(q))
        if grade < PARTIAL:
            continue
        said = f'the text has "{q.subject.head} {q.text} {q.object.head}"'
        rival = x in al.back and al.back[x] != r.subject.id and heads.is_living(view.entity(x).head)
        loose = bool(prep) and x in view.near[a]  # the phrase may hang on either of two that are linked themselves
        if rival and heads.is_living(r.subject.head) and not loose:
            elsewhere = Finding(ELSEWHERE, said)
        elif x in view.near[a]:
            return Finding(3.3, said)
        elif view.sentences[x] & view.sentences[a]:
            return Finding(3.0, said)
    if elsewhere is not None:
        return elsewhere
    return _same_of_another(al, r, a, b) or _together(al, r, a, b)


def _same_of_another(al: Alignment, r: Relation, a: int, b: int) -> Finding | None:
    """The target says the same of the subject and another thing: a coordination cut short, or another claim."""
    view = al.target
    source = al.source.graph
    mine = {q.object.id for q in source.relations_of(r.subject, role="subject") if q.lemma == r.lemma}
    for q in view.graph.relations_of(a, role="subject"):
        (verb, prep), (verb_t, prep_t) = split(spoken(r)), split(spoken(q))
        if q.object.id in (a, b) or q.negated or same(spoken(r), spoken(q)) < 4:
            continue
        if not (verb and verb_t) and prep != prep_t:
            continue  # "with" and "in" meet in too many senses
        said = f'the text has "{q.subject.head} {q.text} {q.object.head}"'
        if _linked_by_of(al, q.object.id, b):
            return Finding(3.3, said)
        if al.back.get(q.object.id) in mine or _coordinated(al, q.object.id, b):
            return Finding(3.2, f'{said} and "{view.phrase(b)}" beside it')
        if q.object.id in al.back:
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
    verb, prep = split(spoken(r))
    pair = f'"{view.phrase(a)}" and "{view.phrase(b)}"'
    together = view.sentences[a] & view.sentences[b]
    owner = view.entity(a).part_of
    if r.kind == "part" and r.lemma == "of":
        other = owner is not None and owner != b and al.back.get(owner) not in (None, r.object.id)
        return Finding(ELSEWHERE, f"it is another's: {pair}") if other else Finding(3.2, f"the text has {pair}")
    if not together:
        if _timely(r.object.head):
            return Finding(3.2, f"the text has {pair}")
        if prep and _light(verb) and _close(view.sentences[a], view.sentences[b]):
            return Finding(3.0, f"the text has {pair} in neighbouring sentences")
        return Finding(2.0 if _light(verb) else ABSENT, f"nothing links {pair} so")
    near = [t for t in view.tokens if t.sentence in together]
    done = _light(verb) or any(words.alike(v, t.text) >= 4 for v in verb for t in near)
    placed = not prep or prep in view.graph.text.lower() or any(prepositions(prep, t.text) >= 4 for t in near)
    if done and placed:
        return Finding(3.2, f'"{r.text}" stands in the same sentence as {pair}')
    if _timely(r.object.head):
        return Finding(3.2, f"the text has {pair}")
    if prep and done:
        against = [t.text for t in view.tokens if t.sentence in together and prepositions(prep, t.text) == CONFLICT]
        if not against:
            return Finding(3.0, f"the text has {pair} in one sentence")
        return Finding(2.0, f'the text has {pair} with "{against[0]}"')
    linked = b in view.near[a] or any(c in view.near[b] for c in view.near[a])
    return Finding(2.6 if linked and _light(verb) else WEAK, f"the text has {pair}, not so linked")


def _close(one: frozenset[int], other: frozenset[int]) -> bool:
    return any(abs(i - j) <= 1 for i in one for j in other)


@cache
def _timely(noun: str) -> bool:
    """Times of day, seasons and weather hold for the whole scene."""
    last = noun.rpartition(" ")[2]
    return last in ("sunset", "sunrise", "day", "daylight", "night", "light", "sunlight", "weather") or any(
        s.words[0] in ("time of day", "season", "weather") for sense in heads.senses(last) for s in sense.chain()
    )


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
