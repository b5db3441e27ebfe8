"""The same said in another shape: "black-framed" for a black frame, "steps" for a flight of them, "deserted".

The graphs have these as other things than the claim speaks of, so that comparing thing with thing finds nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from posh_lite.graph.types import Entity, Relation
from posh_lite.judge.lexical import compounds, heads, words
from posh_lite.judge.lexical.align import Alignment
from posh_lite.judge.lexical.compounds import Compound
from posh_lite.judge.lexical.lexicon import Sense, lexicon, word_set
from posh_lite.judge.lexical.restated import asked
from posh_lite.judge.lexical.view import Token
from posh_lite.judge.lexical.words import PARTIAL
from posh_lite.position.rubric_claims import Basis
from posh_lite.position.verify_evidence import NAMED, Evidence
from posh_lite.position.verify_words import Sentence, named_in, sentences
from posh_lite.records import Span

#: Relations to what a hyphenated adjective gives its thing: "in a black frame" is "black-framed".
_BEARING = word_set("in with have wear of bear hold carry show feature")
#: Nouns for an amount or a shape of what follows "of"; the lexicon's partitives are others.
_SHAPES = word_set(
    "flight row bunch sheaf patch stretch expanse band strip fleck spot bit piece cluster group crowd set stack pile"
    " heap beam ray shaft trail stream drop scattering array mass tuft lock strand length line series collection"
    " swathe sliver wisp plume pool carpet wall curtain tangle spray ring circle"
)
_NOBODY = word_set("nobody noone none person people human figure one being soul man woman inhabitant occupant")
#: Words that say of a place that nobody is there.
_DESERTED = word_set("deserted unoccupied uninhabited unpeopled vacant empty unmanned abandoned")
_WITHOUT = word_set("no without devoid empty free nor neither not lacks lacking")
_REACH = 4
#: Words for what surrounds everything in a picture, and for what of it is seen.
_SCENE = word_set("day weather atmosphere air scene setting afternoon morning evening hour")
_AIR = word_set("rain rainy mist fog sun sky tones palette clouds snow storm")
#: What a text calls the picture itself, and its format.
_PICTURE = word_set(
    "picture painting canvas image composition format work print scene view photograph photo drawing panel portrait"
    " landscape woodcut engraving etching sheet artwork piece illustration orientation shape frame watercolor"
)


def end(token: Token) -> int:
    """Where the token ends in its text."""
    return token.start + len(token.text)


def in_other_shape(al: Alignment, basis: Basis, told: list[Sentence]) -> Evidence | None:
    """Words of the caption that say what is claimed in another shape; None where there are none."""
    if basis.entity is not None:
        return _entity(al, basis.entity)
    if basis.attributes:
        first = basis.attributes[0]
        if first.negated or first.kind in ("quantity", "position"):
            return None
        if first.entity.role == "picture":
            return _of_picture(al, [a.text for a in basis.attributes], told)
        asked_words = [w for a in basis.attributes for w in words.content(a.text)]
        for token, compound in _naming(al, first.entity):
            if any(words.alike(w, m) >= PARTIAL for w in asked_words for m in compound.words):
                return Evidence((token.start, end(token)), 4.4)
        return _inside(al, first.entity, asked_words) or _of_scene(al, first.entity, asked_words, told)
    assert basis.relation is not None
    return _relation(al, basis.relation, told)


def _inside(al: Alignment, e: Entity, asked_words: list[str]) -> Evidence | None:
    """A hyphenated adjective of the thing that has the word for its first part: "marble-topped" for marble."""
    names = al.source.names[e.id]
    for token in al.target.tokens:
        if "-" not in token.text or not token.owners or compounds.read(token.text) is None:
            continue
        owners = [t for number in token.owners for t in al.target.names[number]]
        if not any(heads.grade(n, t) >= NAMED for n in names for t in owners):
            continue
        first = words.tokens(token.text)[:-1]
        if any(words.alike(w, m) >= 4 for w in asked_words for m in first):
            return Evidence((token.start, end(token)), 4.2)
    return None


def _entity(al: Alignment, e: Entity) -> Evidence | None:
    if e.negated:
        return None
    compound = next((Evidence((t.start, end(t)), 4.4) for t, _ in _naming(al, e)), None)
    return compound or _deed(al, e)


def _of_scene(al: Alignment, e: Entity, asked_words: list[str], told: list[Sentence]) -> Evidence | None:
    """What is said of the day or the air, in a sentence on the scene as a whole or on what is in the air."""
    if e.head.rpartition(" ")[2] not in _SCENE:
        return None
    for sentence in told:
        if not any(t.text in _SCENE or t.text in _PICTURE or t.text in _AIR for t in sentence.tokens):
            continue
        for token in sentence.tokens:
            if any(words.alike(w, token.text) >= 4 for w in asked_words):
                return Evidence((token.start, end(token)), 4.0)
    return None


def _deed(al: Alignment, e: Entity) -> Evidence | None:
    """A word for the deed that the parser of the reference took for a thing: "the boat leans" by a boat that tilts."""
    word = e.head.rpartition(" ")[2]
    if heads.senses(word) or " " in e.head:
        return None
    for token in al.target.tokens:
        if words.alike(word, token.text) >= PARTIAL:
            return Evidence((token.start, end(token)), 4.0)
    return None


def _relation(al: Alignment, r: Relation, told: list[Sentence]) -> Evidence | None:
    """"The woman is in black gloves" by "a black-gloved woman"."""
    if r.negated or r.object.negated or r.object.role != "thing" or not set(asked(al, r).split()) & _BEARING:
        return None
    for token, _ in _naming(al, r.object):
        owners = [t for number in token.owners for t in al.target.names[number]]
        names = _last(al, r.subject)
        if owners:
            fits = any(heads.grade(n, t) >= NAMED for n in names for t in owners)
        else:
            fits = any(s.number == token.sentence and named_in(al, r.subject, s) for s in told)
        if fits:
            return Evidence((token.start, end(token)), 4.4)
    return None


def _naming(al: Alignment, e: Entity) -> Iterator[tuple[Token, Compound]]:
    """Hyphenated adjectives of the caption that turn on the name of the thing."""
    names = _last(al, e)
    for token in al.target.tokens:
        compound = compounds.read(token.text)
        if compound is not None and compound.kind == "dress" and token.text.endswith("-clothed"):
            compound = Compound("part", compound.words, "cloth")  # of a table
        if compound is None or compound.kind != "part":
            continue
        if any(heads.grade(n, compound.part) >= 3.8 or words.stem(n) == words.stem(compound.part) for n in names):
            yield token, compound


def _last(al: Alignment, e: Entity) -> list[str]:
    return [n.rpartition(" ")[2] for n in al.source.names[e.id]]


def _of_picture(al: Alignment, said: list[str], told: list[Sentence]) -> Evidence | None:
    """What is claimed of the picture itself, in a sentence that speaks of it or of its format."""
    wanted = [w for text in said for w in words.content(text)]
    for sentence in told:
        if not any(t.text in _PICTURE for t in sentence.tokens):
            continue
        for token in sentence.tokens:
            parts = words.tokens(token.text)
            if any(words.alike(w, p) >= PARTIAL for w in wanted for p in parts) and _beside_picture(sentence, token):
                return Evidence((token.start, end(token)), 4.0)
    return None


def _beside_picture(sentence: Sentence, token: Token) -> bool:
    """Whether a word for the picture or its format is the token, or stands within three words behind or before it."""
    at = sentence.tokens.index(token)
    near = sentence.tokens[max(0, at - 3) : at + 5]
    return any(t.text in _PICTURE for t in near)


def substance(al: Alignment, basis: Basis) -> Entity | None:
    """What an amount or a shape is of ("steps" of a flight of steps), where the claim is about no more than that."""
    if basis.entity is not None and _shape(basis.entity):
        for r in al.source.graph.relations_of(basis.entity, role="subject"):
            if r.lemma == "of" and not r.negated and r.object.role == "thing":
                return r.object
    r2 = basis.relation
    if r2 is not None and r2.lemma == "of" and not r2.negated and r2.object.role == "thing" and _shape(r2.subject):
        return r2.object
    return None


def _shape(e: Entity) -> bool:
    last = heads.singular(e.head.rpartition(" ")[2])[-1]
    return last in _SHAPES or last in lexicon().partitive


def of_nobody(e: Entity) -> bool:
    """Whether a reference says by this that nobody is there."""
    return e.negated and e.head.rpartition(" ")[2].replace("-", "") in _NOBODY


def nobody(al: Alignment, e: Entity) -> tuple[bool, Span] | None:
    """Whether the caption too says that nobody is there, and where; None where it says neither that nor otherwise.

    False where it has people.
    """
    if not of_nobody(e):
        return None
    for sentence in sentences(al.target):
        for k, token in enumerate(sentence.tokens):
            before = {t.text for t in sentence.tokens[max(0, k - _REACH) : k]}
            person = heads.is_person(token.text) or not _NOBODY.isdisjoint(heads.singular(token.text))
            if token.text in ("nobody", "no-one") or (person and before & _WITHOUT) or _empty(al, token):
                return True, (token.start, end(token))
    there = [x for x in al.target.graph.entities if _person(x) and not x.negated and _figure(al, x)]
    if not there:
        return None
    return False, there[0].mentions[0].phrase


def _empty(al: Alignment, token: Token) -> bool:
    """Whether the word says of a place that it is deserted: "an empty room", no empty glass."""
    if token.text not in _DESERTED:
        return False
    if token.text in ("deserted", "unoccupied", "uninhabited", "unpeopled"):
        return True
    return any(heads.grade("room", al.target.entity(n).head) >= PARTIAL or al.target.entity(n).role == "picture"
               for n in token.owners)  # fmt: skip


def _person(e: Entity) -> bool:
    """Whether the noun names people and nothing else: a pitcher may be a jug."""
    return heads.is_person(e.head) and all(_root(s) == "person" for s in heads.senses(e.head))


def _root(sense: Sense) -> str:
    return [s.words[0] for s in sense.chain()][-1]


def _figure(al: Alignment, e: Entity) -> bool:
    """Whether a person is said to be in the picture, not only to own or to have made something."""
    owns = any(p.part_of == e.id for p in al.target.graph.entities)
    return bool(e.mentions) and (not owns or bool(al.target.facts[e.id])) and e.role == "thing"
