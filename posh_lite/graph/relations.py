"""Relations between things, and the actions that have no second thing.

A verb joins the preposition that follows it ("leans on"); a preposition elsewhere stands alone and places the
object where there is one ("rests his elbow along her lap": the elbow is along the lap). Words that only present
or place ("the image shows", "can be seen", "is located") are no relation, their prepositions are. A relation that
is ``negated`` keeps its words ("without", "lacks"): it is a fact about absence. A possessive is a relation "of" of
kind ``part`` whose span is the mark of possession ("'s", "her").
"""

from __future__ import annotations

from collections.abc import Iterator

from posh_lite.graph import lexicon
from posh_lite.graph.clauses import completes, conjuncts, existential, is_passive, is_verb, particles, subjects
from posh_lite.graph.drafts import AttributeDraft, RelationDraft, cover
from posh_lite.graph.negation import negated_predicate
from posh_lite.graph.nouns import describes_subject
from posh_lite.graph.parse import Node, Sentence
from posh_lite.graph.roles import role_of
from posh_lite.graph.types import AttributeKind

Draft = AttributeDraft | RelationDraft
_INSTRUMENT = frozenset(["with", "without", "by", "using", "via"])
_NO_ACTION = (
    lexicon.PRESENTING
    | lexicon.PLACING
    | frozenset(["be", "have", "do", "make", "let", "seem", "appear", "become", "remain", "include", "suggest"])
)


def relation_drafts(sentence: Sentence, index: dict[int, int]) -> Iterator[Draft]:
    """Relations and intransitive actions of one sentence."""
    for node in sentence.nodes:
        if node.dep in ("skip", "aux", "auxpass"):
            continue
        if id(node) in index:
            yield from _of_noun(node, index)
        elif is_verb(node) and node.dep not in ("amod", "compound"):
            yield from _of_verb(node, index)
        elif describes_subject(node) or (
            node.pos in ("ADJ", "ADV")
            and node.dep
            in frozenset(["acomp", "amod", "conj", "oprd", "xcomp", "advcl", "acl", "ROOT", "relcl", "attr", "appos"])
        ):
            yield from _of_adjective(node, index)


def _things(nodes: list[Node], index: dict[int, int]) -> list[Node]:
    return [n for n in nodes if id(n) in index and role_of(n) != "picture"]


def _objects(preposition: Node) -> tuple[list[Node], list[Node]]:
    """Nodes of the whole preposition ("from behind") and its objects."""
    words = [preposition]
    current = preposition
    for _ in range(4):
        target = current.child("pobj")
        if target is not None:
            return words, conjuncts(target)
        inner = current.child("prep", "pcomp")
        if inner is None or inner.pos not in ("ADP", "ADV", "SCONJ"):
            break
        words.append(inner)
        current = inner
    return words, []


def _prepositions(node: Node) -> list[Node]:
    found: list[Node] = []
    for child in node.children:
        if child.dep == "prep" or (child.dep == "prt" and child.child("pobj") is not None):
            found.extend(c for c in conjuncts(child) if c.pos in ("ADP", "SCONJ", "ADV", "VERB", "ADJ"))
        elif (child.dep == "prt" and child.child("prep") is not None) or (
            child.dep == "advmod"
            and child.pos in ("ADV", "ADP")
            and child.child("prep") is not None
            and child.i > node.i
        ):
            found.extend(child.kids("prep"))
    return found


def _negative(preposition: Node) -> bool:
    return preposition.lower in lexicon.NEGATIVE_PREPOSITIONS


def _of_noun(noun: Node, index: dict[int, int]) -> Iterator[Draft]:
    me = index[id(noun)]
    if role_of(noun) == "picture":
        return
    owner = noun.child("poss")
    if owner is None and noun.dep == "conj" and noun.child("det") is None:
        owner = noun.head.child("poss")
    if owner is not None and id(owner) in index and role_of(owner) not in ("viewer", "picture"):
        case = owner.child("case")
        marker = case if case is not None else owner
        yield RelationDraft(me, "of", "of", index[id(owner)], (marker.span,), "part")
    for preposition in _prepositions(noun):
        words, objects = _objects(preposition)
        low = preposition.lower
        if low in lexicon.IDLE_PREPOSITIONS:
            continue
        targets = _things(objects, index)
        for target in targets:
            spans, text = cover(words)
            part = (
                low == "of"
                and noun.lemma not in ("background", "backdrop", "foreground")
                and (noun.lemma in lexicon.PART_NOUNS or role_of(noun) == "region")
            )
            yield RelationDraft(
                me,
                text,
                text.lower(),
                index[id(target)],
                spans,
                "part" if part else "preposition",
                negated=_negative(preposition),
            )


def _of_adjective(adjective: Node, index: dict[int, int]) -> Iterator[Draft]:
    """As in "closest to the woman", "full of fruit"."""
    if adjective.dep == "amod" or (adjective.dep == "conj" and adjective.head.dep == "amod"):
        noun = adjective.head if adjective.dep == "amod" else adjective.head.head
        owners = [noun]
    elif is_verb(adjective.head) and existential(adjective.head) and adjective.dep == "acomp":
        owners = conjuncts(adjective.head.child("attr", "nsubj") or adjective)
    else:
        owners = subjects(adjective)
    if adjective.lower in ("likely", "unlikely", "sure", "able", "due"):
        return
    placing = adjective.lower in ("visible", "present", "seen", "evident", "apparent", "discernible")
    for preposition in _prepositions(adjective):
        words, objects = _objects(preposition)
        for owner in _things(owners, index):
            for target in _things(objects, index):
                if target is owner or preposition.lower in lexicon.IDLE_PREPOSITIONS:
                    continue
                alone = placing or not completes(adjective, preposition)
                spans, text = cover(words if alone else [adjective, *words])
                lemma = text.lower()
                yield RelationDraft(
                    index[id(owner)],
                    text,
                    lemma,
                    index[id(target)],
                    spans,
                    negated=negated_predicate(adjective) or _negative(preposition),
                )


def _of_verb(verb: Node, index: dict[int, int]) -> Iterator[Draft]:
    subject_nodes = subjects(verb)
    agent = verb.child("agent")
    passive = is_passive(verb)
    light = verb.lemma in lexicon.PLACING and (passive or verb.tag == "VBN")
    presents = any(role_of(s) in ("picture", "viewer") for s in subject_nodes) and verb.lemma in lexicon.PRESENTING
    objects = [n for d in verb.kids("dobj", "dative") if d.dep == "dobj" or d.pos != "ADP" for n in conjuncts(d)]
    negated = negated_predicate(verb)
    extra = particles(verb)
    if existential(verb):
        there = [n for d in verb.kids("attr", "nsubj", "dobj") for n in conjuncts(d)]
        yield from _places(verb, there, index, negated=False)
        yield from _shared_places(there, index)
        return
    subjects_here = _things(subject_nodes, index)
    if verb.lower == "missing":
        for subject in subjects_here:
            yield AttributeDraft(index[id(subject)], verb.text, "missing", (verb.span,))
        return
    if verb.lemma == "be" or verb.pos == "AUX":
        after = [n for d in verb.kids("attr", "nsubj") if d.i > verb.i for n in conjuncts(d)]
        if (
            after
            and not any(c.dep in ("nsubj", "nsubjpass") and c.i < verb.i for c in verb.children)
            and any(p.i < verb.i for p in _prepositions(verb))
        ):
            yield from _places(verb, _things(after, index), index, negated)
            return
        yield from _places(verb, subjects_here or _things(objects, index), index, negated)
        yield from _identity(verb, subjects_here, index, negated)
        return
    if agent is not None:
        _, agents = _objects(agent)
        for one in _things(agents, index):
            for patient in subjects_here:
                spans, text = cover([verb, *[e for e in extra if e.i > verb.i], agent])
                yield RelationDraft(index[id(one)], text, verb.lemma, index[id(patient)], spans, "verb", negated, True)
    targets = _things(objects, index)
    negated = negated or verb.lemma in lexicon.NEGATIVE_VERBS
    if presents:
        yield from _places(verb, targets, index, negated, after=True)
        return
    core = [verb, *[e for e in extra if not objects or e.i < min(o.i for o in objects)]]
    for subject in subjects_here:
        for target in targets:
            if subject is target:
                continue
            spans, text = cover(core)
            yield RelationDraft(index[id(subject)], text, _lemma(core), index[id(target)], spans, "verb", negated)
    attached = False
    tail = max([verb, *[e for e in extra if e.i > verb.i]], key=lambda n: n.i)
    for preposition in _prepositions(verb):
        words, places = _objects(preposition)
        if preposition.lower in lexicon.IDLE_PREPOSITIONS:
            continue
        adjacent = preposition.i in (tail.i + 1, verb.i + 1) or any(c.i + 1 == preposition.i for c in extra)
        located = subjects_here
        if (
            targets
            and preposition.i > targets[-1].i
            and preposition.lower not in _INSTRUMENT
            and role_of(targets[0]) != "viewer"
        ) or not subjects_here:
            located = targets
        # "sleeps with his head on a cushion": the head is nothing to sleep with
        body = preposition.lower == "with" and any(n.child("poss") is not None for n in places)
        joined = adjacent and not light and not body and (not targets or located is not targets)
        nodes = [*core, *words] if joined else words
        for owner in located:
            for place in _things(places, index):
                if place is owner:
                    continue
                spans, text = cover(nodes)
                attached = attached or joined
                yield RelationDraft(
                    index[id(owner)],
                    text,
                    _lemma(nodes),
                    index[id(place)],
                    spans,
                    "verb" if joined else "preposition",
                    negated or _negative(preposition),
                )
    mutual = _mutual(verb, objects)
    if not targets and not attached and agent is None and not light and (mutual or not objects):
        yield from _action(verb, [*core, *mutual], subjects_here, index, negated)


def _mutual(verb: Node, objects: list[Node]) -> list[Node]:
    """Words of "face each other", "look at one another", which have no second thing."""
    for node in objects:
        if node.lower in ("each other", "one another"):
            return [node]
    for preposition in _prepositions(verb):
        words, places = _objects(preposition)
        if any(n.lower in ("each other", "one another") for n in places):
            return [*words, *places]
    return []


def _action(verb: Node, core: list[Node], owners: list[Node], index: dict[int, int], negated: bool) -> Iterator[Draft]:
    mutual = core[-1].lower in ("each other", "one another")
    if verb.lemma in _NO_ACTION and not mutual and not any(c.dep in ("prt", "advmod") for c in core):
        return
    described = len(core) == 1 or verb.child("acomp", "oprd", "xcomp") is not None
    if not mutual and verb.lemma in lexicon.SEEMING and described:
        return
    too = verb.dep in ("xcomp", "advcl") and verb.head.pos == "ADJ" and verb.head.dep == "acomp"
    if too and any(c.lower in ("too", "enough") for c in verb.head.children):
        return  # "too small to read"
    spans, text = cover(core)
    for owner in owners:
        kind: AttributeKind = "property" if is_passive(verb) else "action"
        lemma = _lemma(core) if kind == "action" else text.lower()
        yield AttributeDraft(index[id(owner)], text, lemma, spans, kind, negated)


def _identity(verb: Node, subjects_here: list[Node], index: dict[int, int], negated: bool) -> Iterator[Draft]:
    for predicate in verb.kids("attr"):
        if id(predicate) not in index or not negated:
            continue
        for subject in subjects_here:
            yield RelationDraft(
                index[id(subject)], verb.text, "be", index[id(predicate)], (verb.span,), "verb", negated
            )


def _places(
    verb: Node, owners: list[Node], index: dict[int, int], negated: bool, after: bool = False
) -> Iterator[Draft]:
    """Prepositions of a verb that says nothing itself hang on the things."""
    negated = negated and verb.child("acomp", "attr") is None
    for preposition in _prepositions(verb):
        words, places = _objects(preposition)
        if preposition.lower in lexicon.IDLE_PREPOSITIONS or preposition.lower == "of":
            continue
        spans, text = cover(words)
        for owner in _things(owners, index):
            for place in _things(places, index):
                if place is not owner:
                    yield RelationDraft(
                        index[id(owner)],
                        text,
                        text.lower(),
                        index[id(place)],
                        spans,
                        "preposition",
                        negated or _negative(preposition),
                    )


def _shared_places(things: list[Node], index: dict[int, int]) -> Iterator[Draft]:
    """As in "There are a cup, a plate and three forks on the table": the place of the last is that of all."""
    if len(things) < 2 or any(n.child("prep", "acl", "relcl") is not None for n in things[:-1]):
        return
    for preposition in things[-1].kids("prep"):
        words, places = _objects(preposition)
        if preposition.lower not in (
            "on",
            "in",
            "at",
            "near",
            "under",
            "behind",
            "beside",
            "above",
            "below",
            "next to",
        ):
            continue
        spans, text = cover(words)
        for owner in _things(things[:-1], index):
            for place in _things(places, index):
                yield RelationDraft(index[id(owner)], text, text.lower(), index[id(place)], spans)


def _lemma(nodes: list[Node]) -> str:
    ordered = sorted({n.i: n for n in nodes}.values(), key=lambda n: n.i)
    manner = {n.i for n in ordered if n.pos == "ADV" and n.lower.endswith("ly")}
    return " ".join(n.lemma if is_verb(n) else n.lower for n in ordered if n.i not in manner)
