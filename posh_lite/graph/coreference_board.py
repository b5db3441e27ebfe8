"""What the embedded resolver knows while it reads: the entities so far and where to look them up."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field

from posh_lite.graph.coreference_words import tokens, words
from posh_lite.graph.mentions import Candidate, MentionDocument

_PER_NOUN = 24  # entities of one noun that are still looked at: keeps long texts linear
_RECENT = 90  # mentions that a pronoun may look back to

#: Verbs and positions that say where a thing is, not where it looks or leads.
_PLACING = frozenset({"be", "stand", "sit", "lie", "kneel", "appear", "rest", "seat", "hang", "stack", "park", "place"})
_SIDES = {
    "left": "left", "right": "right", "center": "center", "centre": "center", "middle": "center", "foreground": "front",
    "background": "back", "top": "top", "bottom": "bottom", "distance": "back",
}
_PLACE = re.compile(
    r",?\s+(?:(?:who|that|which)\s+(?:is|are)\s+|(?:standing|seated|sitting|located|positioned|farthest|furthest)\s+)?"
    r"(?:on|at|to|in)\s+(?:the|our)\s+(?:far |very |extreme |upper |lower |top |bottom |immediate |viewer[’']s )?"
    r"(left|right|center|centre|middle|foreground|background|distance|top|bottom)\b(?:[- ]hand)?"
    r"(?! (?:of|and) (?!the (?:image|photo|picture|frame|painting|scene|composition|photograph)\b))",
    re.IGNORECASE,
)
_QUOTE = re.compile(r"\s*(?:reading|that reads?|saying|labell?ed)?[,:]?\s*[\"“‘']+([^\"”’'\n]{1,60})", re.IGNORECASE)
_SUFFIX = ("man", "woman", "er", "or", "ist", "ian", "ant")

#: Words in -er and the like that are no doers: nobody there is "she".
_NO_DOERS = frozenset(
    [
        "banner", "border", "boulder", "bumper", "center", "color", "computer", "container", "cooler", "corner",
        "corridor", "counter", "cover", "curler", "door", "drawer", "elevator", "feather", "fender", "finger", "floor",
        "flower", "gutter", "hamper", "helicopter", "interior", "exterior", "ladder", "lantern", "layer", "leather",
        "letter", "marker", "mirror", "monitor", "motor", "number", "paper", "pendant", "pillar", "pitcher", "plant",
        "planter", "platter", "poster", "powder", "restaurant", "river", "roller", "rubber", "rudder", "shelter",
        "shoulder", "shutter", "silver", "slipper", "speaker", "sticker", "sweater", "timber", "tower", "tractor",
        "trailer", "visor", "water", "timer", "toaster", "printer", "projector", "skyscraper", "saucer", "burner",
    ]
)  # fmt: skip


@dataclass(slots=True)
class Thing:
    """An entity in the making. Other entities are referred to by their position on the board."""

    id: int
    plural: bool
    kind: str  # "person", "animal", "name", "thing"
    gender: str | None = None
    count: int | None = None
    role: str = "thing"
    negated: bool = False
    alternate: bool = False
    mentions: list[int] = field(default_factory=list)
    nouns: list[str] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    acts: list[str] = field(default_factory=list)  # verbs that it is the subject of
    described: frozenset[str] = frozenset()  # words of its attributes and its place in the picture
    owned: frozenset[str] = frozenset()  # words of what it wears or has
    owner: int | None = None
    members: list[int] = field(default_factory=list)
    group: int | None = None
    quotation: str | None = None
    named: frozenset[str] = frozenset()  # the words of its name


def kind_of(candidate: Candidate) -> str:
    """Whether a noun names a person, an animal, somebody or something by name, or a thing."""
    known = words()
    noun, head = candidate.noun, candidate.head
    if candidate.kind == "name":
        return "name"
    if head in known.persons or noun in known.persons or candidate.gender in ("male", "female"):
        return "person"
    if head in known.animals or noun in known.animals:
        return "animal"
    return "person" if candidate.gender == "animate" else "thing"


def opens_with_name(board: Board, thing: Thing) -> bool:
    """A bare singular subject in the first sentence, which the parser did not know for the name that it mostly is."""
    first = board.candidates[thing.mentions[0]]
    bare = first.determiner == "none" and first.text[:1].isupper() and first.grammar == "subject"
    return bare and first.sentence == 0 and not thing.plural and thing.kind == "thing"


def may_be_person(board: Board, thing: Thing) -> bool:
    """A noun that no list knows but that looks like one for a person ("archer"), or a bare capitalized subject."""
    known = words()
    if thing.kind != "thing" or thing.plural or any(n in known.parts or n in known.relational for n in thing.nouns):
        return False
    if any(noun in known.figures for noun in thing.nouns):
        return True
    first = board.candidates[thing.mentions[0]]
    nameless = first.determiner == "none" and first.text[:1].isupper() and first.grammar in ("subject", "possessor")
    return nameless or any(noun.endswith(_SUFFIX) and len(noun) > 4 and noun not in _NO_DOERS for noun in thing.nouns)


class Board:
    """Entities, found by candidate, by noun or by how recently they were spoken of."""

    def __init__(self, document: MentionDocument) -> None:
        self.document = document
        self.candidates = document.candidates
        self.things: list[Thing] = []
        self.home: list[int | None] = [None] * len(document.candidates)
        self.by_noun: dict[str, deque[int]] = {}
        self.persons: deque[int] = deque(maxlen=2 * _PER_NOUN)  # single persons and named ones
        self.plurals: deque[int] = deque(maxlen=_PER_NOUN)
        self.animals: deque[int] = deque(maxlen=_PER_NOUN)
        self.recent: deque[int] = deque(maxlen=_RECENT)
        self.coordinations: dict[int, list[int]] = {}
        self.named_together: deque[int] = deque(maxlen=12)  # first conjuncts met so far
        self.refused: set[int] = set()  # so-called appositions that were none
        self.by_role: dict[str, int] = {}
        self.possessions: dict[int, int] = {}  # possessor -> what it possesses
        self.heads: dict[int, int] = {}  # "corbel" -> "condition" in "the condition of the corbel"
        for candidate in self.candidates:
            if candidate.coordination is not None:
                self.coordinations.setdefault(candidate.coordination, []).append(candidate.index)
            if candidate.possessor is not None:
                self.possessions.setdefault(candidate.possessor, candidate.index)
            if candidate.whole is not None and candidate.whole > candidate.index:
                self.heads.setdefault(candidate.whole, candidate.index)
        self._sides = self._places()

    def of(self, index: int | None) -> Thing | None:
        """The entity that a candidate was resolved to."""
        home = None if index is None else self.home[index]
        return None if home is None else self.things[home]

    def describing(self, candidate: Candidate) -> frozenset[str]:
        """The words that tell this mention from its namesakes: its attributes and its place in the picture."""
        compound = candidate.head.split()[:-1]
        return tokens((*candidate.modifiers, *compound)) | self._sides.get(candidate.index, frozenset())

    def create(self, candidate: Candidate) -> Thing:
        """A new entity with its first mention."""
        known = words()
        kind = kind_of(candidate)
        person = known.persons.get(candidate.head) or known.persons.get(candidate.noun)
        gender = candidate.gender if candidate.gender in ("male", "female") else person.gender if person else None
        count = candidate.count
        if count is None and not candidate.plural:
            count = known.groups.get(candidate.noun) or None
        thing = Thing(
            id=len(self.things), plural=candidate.plural, kind=kind, gender=gender, count=count, role=candidate.role,
            negated=candidate.negated or candidate.determiner == "no",
            alternate=candidate.alternate or candidate.determiner == "another",
        )
        self.things.append(thing)
        owner = self.of(candidate.possessor) or self.of(candidate.whole)
        thing.owner = owner.id if owner else None
        self.add(thing, candidate)
        if thing.plural or candidate.noun in known.groups:
            self.plurals.append(thing.id)
        elif kind in ("person", "name"):
            self.persons.append(thing.id)
        elif kind == "animal":
            self.animals.append(thing.id)
        return thing

    def add(self, thing: Thing, candidate: Candidate) -> None:
        """One more mention of an entity, with what it says about it."""
        self.home[candidate.index] = thing.id
        thing.mentions.append(candidate.index)
        if thing.role == "writing" and not candidate.quoted:
            thing.role = candidate.role  # a place whose name is quoted
        if candidate.coordination is not None and candidate.coordination not in self.named_together:
            self.named_together.append(candidate.coordination)
        self.recent.append(candidate.index)
        if candidate.kind in ("noun", "name", "possessive") and candidate.noun and not is_pronoun(candidate):
            if candidate.noun not in thing.nouns:
                thing.nouns.append(candidate.noun)
                self.by_noun.setdefault(candidate.noun, deque(maxlen=_PER_NOUN)).append(thing.id)
            if candidate.head not in thing.heads:
                thing.heads.append(candidate.head)
            if thing.kind == "thing" and kind_of(candidate) in ("person", "animal"):
                thing.kind = kind_of(candidate)
        thing.described |= self.describing(candidate)
        thing.quotation = thing.quotation or self.quotation(candidate)
        if candidate.kind == "name":
            thing.named |= self.name_words(candidate)
        if candidate.grammar == "subject" and candidate.verb and candidate.verb not in thing.acts:
            thing.acts.append(candidate.verb)
        if candidate.count is not None and thing.count is None:
            thing.count = candidate.count
        if thing.gender is None and candidate.gender in ("male", "female"):
            thing.gender = candidate.gender
        owner = self.of(candidate.possessor)
        if owner is not None:
            if thing.owner is None:
                thing.owner = owner.id
            owner.owned |= tokens((*candidate.modifiers, candidate.noun))

    def name_words(self, candidate: Candidate) -> frozenset[str]:
        """The capitalized words of a name."""
        start, end = candidate.phrase
        return frozenset(w for w in re.findall(r"[^\W\d_][\w’'-]+", self.document.text[start:end]) if w[0].isupper())

    def quotation(self, candidate: Candidate) -> str | None:
        """The writing that tells one word or sign from another: "STOP" in "the word “STOP”"."""
        after = _QUOTE.match(self.document.text, candidate.end)
        return after.group(1).strip().lower() if after and candidate.kind != "possessive" else None

    def sentences_since(self, thing: Thing, candidate: Candidate) -> int:
        """How many sentences ago the entity was last spoken of."""
        return candidate.sentence - self.candidates[thing.mentions[-1]].sentence

    def _places(self) -> dict[int, frozenset[str]]:
        """For each candidate the side of the picture that its phrase or its verb puts it on."""
        subjects: dict[tuple[int, int], int] = {}
        for c in self.candidates:
            if c.verb in _PLACING and (c.grammar == "subject" or (c.grammar == "predicate" and c.predicate_of is None)):
                subjects.setdefault((c.sentence, c.clause), c.index)
        found: dict[int, frozenset[str]] = {}
        for c in self.candidates:
            after = _PLACE.match(self.document.text, c.end)
            if after:
                found[c.index] = frozenset({_SIDES[after.group(1).lower()]})
        for c in self.candidates:
            side = _SIDES.get(c.noun)
            if side is None and c.noun in ("side", "half", "corner", "edge", "end", "portion", "part"):
                side = next((_SIDES[word] for word in sorted(tokens(c.modifiers)) if word in _SIDES), None)
            if side is None or (c.index == 0 and c.preposition is None):
                continue
            if c.possessor is not None and self.candidates[c.possessor].role != "viewer":
                continue
            before = self.candidates[c.index - (2 if c.possessor == c.index - 1 else 1)] if c.index else None
            target = None
            if c.preposition and before is not None and before.sentence == c.sentence and before.index < c.index:
                between = self.document.text[before.end: c.phrase[0]].split()
                if len(between) <= 2 and between[-1:] == c.preposition.split()[-1:]:
                    target = before.index
            if target is None:
                target = subjects.get((c.sentence, c.clause))
            if target is not None and target != c.index:
                found[target] = found.get(target, frozenset()) | {side}
        return found


def is_part_of_group(candidate: Candidate) -> bool:
    """Whether it is "one of the men", not "half of the window", which is still about the window."""
    return candidate.partitive and (candidate.plural or candidate.text.lower() != candidate.noun)


def is_pronoun(candidate: Candidate) -> bool:
    """Personal, possessive and reflexive pronouns, also where they are labelled as possessives."""
    return candidate.kind == "pronoun" or candidate.text.lower() in PRONOUNS


PRONOUNS: dict[str, str] = {
    **dict.fromkeys(("he", "him", "his", "himself"), "male"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "female"),
    **dict.fromkeys(("it", "its", "itself"), "neuter"),
    **dict.fromkeys(("they", "them", "their", "theirs", "themselves", "themself"), "plural"),
}
