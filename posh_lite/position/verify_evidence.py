"""Where in the caption the words are that bear a claim out, or that conflict with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from posh_lite.graph.types import Attribute, Entity, Relation
from posh_lite.judge.lexical import heads, words
from posh_lite.judge.lexical.align import Alignment
from posh_lite.judge.lexical.attributes import counterparts
from posh_lite.judge.lexical.restated import asked, told
from posh_lite.judge.lexical.view import Token, View, place_words, relation_place
from posh_lite.judge.lexical.wording import same, split
from posh_lite.judge.lexical.words import CONFLICT, PARTIAL
from posh_lite.records import Span

#: Relations whose object describes the subject, so that its words are words about the subject.
_BEARING = frozenset({"with", "have", "wear", "in", "of", "make of", "dress in", "from"})
#: Grade from which a word that hangs on nothing may bear out a claim.
ELSEWHERE = 4.4
#: Grade from which what the caption denies is what the claim says.
DENIED = 4.0
#: Grade of names from which the caption's noun names the thing of the claim.
NAMED = 3.2


@dataclass(frozen=True, slots=True)
class Evidence:
    """A place in the caption, and how well its word agrees with the claim's."""

    span: Span
    grade: float


def _end(token: Token) -> int:
    return token.start + len(token.text)


def _about(view: View, number: int) -> list[Token]:
    """Words that the caption says of an entity: in its noun phrases, its attributes, and what describes it."""
    spans = [m.phrase for m in view.entity(number).mentions]
    spans += [s for a in view.graph.attributes_of(number) for s in a.spans]
    for r in view.graph.relations_of(number):
        if r.subject.id == number:
            spans += r.spans
            if r.lemma in _BEARING or r.kind == "part":
                spans += [m.phrase for m in r.object.mentions]
        elif r.kind == "part" or r.lemma == "of":
            spans += [m.phrase for m in r.subject.mentions]
    return [t for t in view.tokens if any(a <= t.start < b for a, b in spans)]


def _best(asked_words: Sequence[str], tokens: Iterable[Token], conflict: bool) -> tuple[float, Token] | None:
    """The word that agrees best, or the first that excludes one of the words asked."""
    best: tuple[float, Token] | None = None
    for token in tokens:
        for word in asked_words:
            grade = words.alike(word, token.text)
            if conflict and grade == CONFLICT:
                return grade, token
            if not conflict and grade >= PARTIAL and (best is None or grade > best[0]):
                best = (grade, token)
    return best


def _with_noun(view: View, token: Token, numbers: Sequence[int]) -> Span:
    """The word up to the noun that it stands before ("green bonnet"), or the word alone."""
    for number in numbers:
        for m in view.entity(number).mentions:
            if m.phrase[0] <= token.start and _end(token) <= m.end:
                return (token.start, m.end)
    return (token.start, _end(token))


def mention(view: View, number: int) -> Span | None:
    """The noun phrase by which the caption first names the entity; a pronoun only where there is nothing else."""
    e = view.entity(number)
    if not e.mentions:
        return None
    named = [m for m in e.mentions if m.kind in ("noun", "name")] or list(e.mentions)
    return named[0].phrase


def of_entity(al: Alignment, e: Entity) -> Evidence | None:
    """Words that name the entity: its counterpart's phrase, or the very word where the parser saw no thing."""
    match = al.one.get(e.id)
    candidates = [match] if match is not None else []
    candidates += [m for m in al.of(e.id) if m is not match]
    candidates += [m for m in al.candidates.get(e.id, ()) if m not in candidates]
    for m in candidates:
        t = al.target.entity(m.target)
        if m.head >= NAMED and not t.negated and (t.role == e.role or t.role == "thing"):
            span = mention(al.target, m.target)
            if span is not None:
                return Evidence(span, m.head)
    if e.role == "writing":
        return _of_writing(al, e)
    last = words.tokens(e.head)[-1] if words.tokens(e.head) else e.head
    best: Evidence | None = None
    for token in al.target.tokens:
        grade = max(words.alike(last, token.text), heads.grade(last, token.text) if token.head_of is None else 0.0)
        if grade >= ELSEWHERE and (best is None or grade > best.grade):
            best = Evidence((token.start, _end(token)), grade)
    return best


def _of_writing(al: Alignment, e: Entity) -> Evidence | None:
    """The quoted words, letter by letter, whatever case and punctuation."""
    wanted = "".join(words.tokens(e.mentions[0].text)) if e.mentions else ""
    text = al.target.graph.text
    letters = [(c.lower(), at) for at, c in enumerate(text) if c.isalnum()]
    flat = "".join(c[0] for c, _ in letters)
    wanted = "".join(c for c in wanted if c.isalnum())
    at = flat.find(wanted) if wanted else -1
    if at < 0:
        return None
    return Evidence((letters[at][1], letters[at + len(wanted) - 1][1] + 1), 5.0)


def of_absence(al: Alignment, e: Entity, *, denied: bool) -> Evidence | None:
    """Where the caption denies the thing too, or where it has it."""
    for m in al.candidates.get(e.id, ()):
        if m.head >= (PARTIAL if denied else 4) and al.target.entity(m.target).negated == denied:
            span = mention(al.target, m.target)
            if span is not None:
                return Evidence(span, m.head)
    return None


def holders(al: Alignment, e: Entity) -> list[int]:
    """Entities of the caption that may carry what is claimed of the entity, the likeliest first."""
    return [m.target for m in counterparts(al, e)]


def of_attribute(al: Alignment, a: Attribute, *, conflict: bool) -> Evidence | None:
    """Words about the counterpart that state the attribute, or with ``conflict`` another value of it."""
    view, numbers = al.target, holders(al, a.entity)
    if a.kind == "position" or (a.kind == "property" and place_words(a.text)):
        placed = _of_place(view, numbers, place_words(f"{a.lemma} {a.text}"), conflict)
        if placed is not None:
            return placed
    wanted = list(dict.fromkeys((*reversed(words.content(a.text)), *words.tokens(a.lemma))))
    for number in numbers[: 1 if conflict else 4]:
        about = _about(view, number)
        if conflict:  # a noun conflicts only by what it implies: no words say otherwise
            about = [t for t in about if t.head_of != number]
        found = _best(wanted, about, conflict)
        if found is not None:
            return Evidence(_with_noun(view, found[1], [number]), found[0])
    if a.kind == "quantity" and numbers:
        span = mention(view, numbers[0])
        return Evidence(span, PARTIAL) if span is not None else None
    if conflict:
        return None
    if numbers:
        home = view.sentences[numbers[0]]
        found = _best(wanted, [t for t in view.tokens if t.sentence in home], False)
    else:  # said of the whole where the part is not named ("blond" of the woman), or in a closed word
        whole = al.one.get(a.entity.part_of) if a.entity.part_of is not None else None
        found = _best(wanted, _about(view, whole.target), False) if whole is not None else None
    return Evidence(_with_noun(view, found[1], numbers), found[0]) if found is not None else None


def of_denial(al: Alignment, fact: Attribute | Relation) -> Evidence | None:
    """Where the caption denies of the counterpart what is claimed, and nowhere says it."""
    view = al.target
    one = al.one.get((fact.entity if isinstance(fact, Attribute) else fact.subject).id)
    if one is None:
        return None
    found: Evidence | None = None
    if isinstance(fact, Attribute):
        mine = words.content(fact.text)[-1:]
        for a in view.graph.attributes_of(one.target):
            if not any(words.alike(w, o) >= DENIED for w in mine for o in words.content(a.text)):
                continue
            if not a.negated:
                return None
            if a.spans:
                found = found or Evidence(a.spans[0], CONFLICT)
        return found
    for r in view.graph.relations_of(one.target, role="subject"):
        if same(asked(al, fact), told(al, r)) < DENIED or heads.grade(fact.object.head, r.object.head) < DENIED:
            continue
        if not (r.negated or r.object.negated):
            return None
        if r.spans:
            found = found or Evidence(_with_object(r), CONFLICT)
    return found


def _of_place(view: View, numbers: Sequence[int], zone: dict[str, set[str]], conflict: bool) -> Evidence | None:
    """Words that put the counterpart in the zone asked, or in another of the same group."""
    for number in numbers[:1] if conflict else numbers[:3]:
        said: list[tuple[dict[str, set[str]], Span]] = []
        for r in view.graph.relations_of(number, role="subject"):
            if r.object.role == "region" and not r.negated:
                spans = [*r.spans, *(m.phrase for m in r.object.mentions)]
                said.append((relation_place(view.graph, r), _around(spans, r.spans[:1])))
        for a in view.graph.attributes_of(number):
            if a.spans:
                said.append((place_words(f"{a.lemma} {a.text}"), a.spans[0]))
        for theirs, span in said:
            shared = [g for g in zone if g in theirs]
            agree = any(zone[g] & theirs[g] for g in shared)
            if shared and agree != conflict:
                return Evidence(span, CONFLICT if conflict else 5.0)
    return None


def _around(spans: Sequence[Span], home: Sequence[Span], reach: int = 80) -> Span:
    """The smallest span over the first one and those within reach of it."""
    a, b = home[0] if home else spans[0]
    near = [s for s in spans if abs(s[0] - a) <= reach]
    return (min([a, *(s[0] for s in near)]), max([b, *(s[1] for s in near)]))


def _with_object(q: Relation, reach: int = 60) -> Span:
    """The words of a relation and the nearest phrase of its object."""
    start, end = q.spans[0]
    phrases = [m.phrase for m in q.object.mentions]
    near = min(phrases, key=lambda s: max(s[0] - end, start - s[1], 0), default=(start, end))
    if max(near[0] - end, start - near[1], 0) > reach:
        return (start, end)
    return (min(start, near[0]), max(end, near[1]))


def of_relation(al: Alignment, r: Relation, *, conflict: bool) -> Evidence | None:
    """The words of the caption's relation between the counterparts, else a verb said of the subject, else near it."""
    view = al.target
    ones, others = holders(al, r.subject)[:4], holders(al, r.object)[:4]
    verb, prep = split(asked(al, r))
    if conflict and ones:  # another deed excludes it more plainly than another preposition
        found = _best(verb, [t for t in _about(view, ones[0]) if t.head_of != ones[0]], True)
        if found is not None:
            return Evidence((found[1].start, _end(found[1])), CONFLICT)
    living = heads.is_living(r.subject.head) and heads.is_living(r.object.head)
    best: Evidence | None = None
    for a in ones:
        for q in view.graph.relations_of(a):
            b = q.object.id if q.subject.id == a else q.subject.id
            if b not in others or not q.spans:
                continue
            if conflict and q.subject.id != a and not (living or q.lemma == r.lemma):
                continue  # "strewn with needles" is no opposite of "needles on the slats"
            turned = CONFLICT if conflict else PARTIAL  # the judge has weighed what it means the other way round
            grade = same(asked(al, r), told(al, q)) if q.subject.id == a else turned
            if (grade == CONFLICT) == conflict and (best is None or grade > best.grade):
                best = Evidence(_with_object(q), grade)
    if best is not None:
        return best
    if r.object.role == "region":
        placed = _of_place(view, ones, relation_place(al.source.graph, r), conflict)
        if placed is not None:
            return placed
    wanted = [*verb, *words.tokens(r.object.head)] if not conflict else list(verb)
    for a in ones[:2]:
        found = _best(wanted, _about(view, a), conflict)
        if found is not None:
            return Evidence((found[1].start, _end(found[1])), found[0])
    if conflict:
        return None
    homes = {n for a in ones[:1] for n in view.sentences[a]} & {n for b in others[:1] for n in view.sentences[b]}
    tokens = [t for t in view.tokens if t.sentence in homes]
    found = _best([*verb, *prep.split()], tokens, False)
    return Evidence((found[1].start, _end(found[1])), found[0]) if found is not None else None
