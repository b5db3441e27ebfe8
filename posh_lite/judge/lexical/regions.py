"""Zones of the picture and the viewer: is the thing where the relation puts it?"""

from __future__ import annotations

from posh_lite.graph.types import Entity, Relation, SceneGraph
from posh_lite.judge.lexical.align import Alignment, Match
from posh_lite.judge.lexical.attributes import counterparts, place_finding
from posh_lite.judge.lexical.facts import best_fact
from posh_lite.judge.lexical.findings import ABSENT, CONTRADICTED, ELSEWHERE, WEAK, Finding
from posh_lite.judge.lexical.lexicon import word_set
from posh_lite.judge.lexical.view import denied, place_words, relation_place, spoken
from posh_lite.judge.lexical.wording import light, same, split
from posh_lite.judge.lexical.words import CONFLICT, PARTIAL

#: Nouns for whoever looks at the picture.
LOOKED_AT = frozenset({"camera", "viewer", "lens", "photographer"})
#: What stands "behind" or "far off" in a text is at the back of the picture.
_DISTANT = word_set("behind beyond far farther further distant remote rear back")
_TURNED = word_set("toward towards at facing")


def region_finding(al: Alignment, r: Relation, ones: list[Match]) -> Finding | None:
    """Grade of a relation to a zone; None where the zone is judged as a thing instead."""
    asked = relation_place(al.source.graph, r)
    named = _zone(al.source.graph, r.object)
    if not named and set(r.lemma.split()) & {"up", "down", "back"}:
        asked = {}  # "up in the corner": the particle is no zone
    if not asked:
        return Finding(3.4, "a zone of the picture")
    if not ones:
        return Finding(ABSENT, f'"{r.subject.head}" is not in the text')
    found = place_finding(al, r.subject, ones, asked)
    if found is None or found.score != WEAK:
        return found
    return _around(al, r, ones[0].target, asked) or found


def _zone(graph: SceneGraph, t: Entity) -> dict[str, set[str]]:
    return place_words(" ".join([t.head, *(a.lemma for a in graph.attributes_of(t))]))


def _around(al: Alignment, r: Relation, a: int, asked: dict[str, set[str]]) -> Finding | None:
    """Whether the zone is named near the counterpart, and whether something else is what stands there."""
    view = al.target
    home = view.sentences[a]
    words_here = [t for t in view.tokens if any(abs(t.sentence - h) <= 1 for h in home)]
    if "background" in asked.get("depth", ()) or "distance" in asked.get("depth", ()):
        far = next((t for t in words_here if t.text in _DISTANT and t.sentence in home), None)
        if far is not None:
            return Finding(3.2, f'the text has "{far.text}" nearby')
    circle = {a, *view.groups.get(a, ()), *view.entity(a).members} | _wholes(al, a)
    there = {
        e.id for e in view.graph.entities
        if any(asked.get(g, set()) & v for g, v in view.places[e.id].items())
    }  # fmt: skip
    if there & circle:
        return Finding(3.2, "the text places what it belongs to there")
    rivals = [n for n in sorted(there) if n in al.back and al.back[n] != r.subject.id]
    for token in words_here:
        zone = place_words(token.text)
        if not any(asked.get(g, set()) & v for g, v in zone.items()):
            continue
        if token.owners and token.head_of is None and not set(token.owners) & circle and _is_other(al, token.owners):
            continue  # "the left hand" of another thing names no zone
        if token.sentence in home and not (rivals and _claimed(al, rivals, token.sentence)):
            return Finding(3.2, f'the text names "{token.text}" nearby')
        if token.sentence not in home and not rivals:
            return Finding(3.1, f'the text names "{token.text}" in the sentence beside')
    if rivals and any(view.sentences[n] & home for n in rivals):
        return Finding(ELSEWHERE, "the text places something else there")
    return None


def _wholes(al: Alignment, a: int) -> set[int]:
    """What the thing is part of, made of or borne by: it stands where that stands."""
    view = al.target
    owner = view.entity(a).part_of
    found = {owner} if owner is not None else set()
    for q in view.graph.relations_of(a):
        verb, prep = split(spoken(q))
        bare = not verb or prep in ("through", "from")
        if q.object.role not in ("region", "viewer") and (bare or q.subject.id != a) and not denied(view.graph, q):
            found.add(q.object.id if q.subject.id == a else q.subject.id)
    wider = {w for n in found if (w := view.entity(n).part_of) is not None}
    for n in found:
        wider |= {q.object.id for q in view.graph.relations_of(n, role="subject") if not split(spoken(q))[0]}
    return found | wider


def _is_other(al: Alignment, owners: tuple[int, ...]) -> bool:
    return all(al.target.entity(n).role != "region" for n in owners)


def _claimed(al: Alignment, rivals: list[int], sentence: int) -> bool:
    return any(sentence in al.target.sentences[n] for n in rivals)


def viewer_finding(al: Alignment, r: Relation) -> Finding:
    """Grade of a relation to whoever looks at the picture."""
    ones = counterparts(al, r.subject)
    if not ones:
        return Finding(ABSENT, f'"{r.subject.head}" is not in the text')
    for q in al.target.graph.relations_of(ones[0].target, role="subject"):
        if q.object.role == "viewer" or q.object.head in LOOKED_AT:
            grade = same(spoken(r), spoken(q))
            return Finding(max(grade, 2.0) if grade != CONFLICT else CONTRADICTED, f'"{q.text}" the viewer')
    verb, prep = split(spoken(r))
    for word in ("camera", "viewer", "photographer"):
        if any(t.text == word for t in al.target.tokens):
            return Finding(3.5, f'the text has "{word}"')
    grade, fact = max(((best_fact(v, al.target.facts[ones[0].target], "action")) for v in verb), default=(0.0, None),
                      key=lambda x: x[0])  # fmt: skip
    if fact is not None and grade >= PARTIAL:
        return Finding(min(grade, 3.6), f'the text has "{fact.said}"')
    if light(verb) and prep not in _TURNED:
        return Finding(3.0, "where the viewer stands")
    return Finding(WEAK, "the text does not say so")
