"""The record between the parse and coreference: every phrase of a text that may name an entity.

The extractor turns each sentence's parse into :class:`Candidate` records; a resolver clusters them without
ever seeing the parser. Indices refer to positions in :attr:`MentionDocument.candidates`, in text order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from posh_lite.graph.types import MentionKind, Role
from posh_lite.records import Span

#: Determiners that are kept as they are said.
SaidDeterminer = Literal[
    "the", "this", "that", "these", "those", "another", "other", "each", "either", "both", "all", "some", "no"
]  # fmt: skip
#: Normalized determiner. ``possessive``: "her hat", "the man's hat". ``number``: a bare number ("three men").
Determiner = Literal["a", SaidDeterminer, "one", "number", "possessive", "none"]
Gender = Literal["male", "female", "neuter", "animate"]
GrammaticalRole = Literal["subject", "object", "oblique", "possessor", "predicate", "apposition", "other"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One noun, name, pronoun, possessive or relative pronoun, described well enough to be resolved."""

    index: int  # position in the document's candidates
    start: int  # of the head word in the original text; a possessive noun includes its "'s"
    end: int
    text: str  # the head word as written
    phrase: Span  # noun phrase without relative clauses and attached prepositional phrases
    sentence: int  # 0-based
    kind: MentionKind  # "possessive" for "boy's", "her", "their"; "relative" for "who", "that", "which"
    head: str  # lower-case lemma of the head, compounds included ("wine glass"); the word itself for pronouns
    noun: str  # lower-case lemma of the head word alone ("glass")
    plural: bool = False
    count: int | None = None  # stated number
    determiner: Determiner = "none"
    modifiers: tuple[str, ...] = ()  # lemmas of the attributes inside the phrase, in order ("dark gray", "small")
    possessor: int | None = None  # index of "her" for "her hat", of "man's" for "the man's hat"
    whole: int | None = None  # index of the "of" complement or of the owner by "has"/"wears" ("back of the neck")
    gender: Gender | None = None  # of pronouns and of nouns that state it ("woman", "boy"); None if open
    person: Literal[1, 2, 3] = 3
    grammar: GrammaticalRole = "other"
    preposition: str | None = None  # that governs it, lower-case ("in front of"), or None
    verb: str | None = None  # lemma of the verb it is an argument of, or None
    antecedent: int | None = None  # settled by grammar: noun of a relative pronoun, noun of an apposition
    predicate_of: int | None = None  # subject of a predicate noun ("the figure is a woman": figure)
    coordination: int | None = None  # index of the first conjunct, for every conjunct of "a man, a boy and a dog"
    partitive: bool = False  # "one of the men", "most of the books": a part of the group, not the group itself
    alternate: bool = False  # "the other", "another", "the second": distinct from what was named before
    clause: int = 0  # counts clauses inside the sentence; two arguments of one clause are rarely the same entity
    role: Role = "thing"
    negated: bool = False  # "no people"
    quoted: bool = False  # inside quotation marks


@dataclass(frozen=True, slots=True)
class MentionDocument:
    """What a resolver gets: the untouched text, its sentences and the candidates in text order."""

    text: str
    sentences: tuple[Span, ...] = ()
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a resolver returns.

    ``clusters`` hold candidate indices, each index at most once over all of them; a candidate in no cluster is
    an entity of its own (a pronoun in no cluster stays unresolved). ``groups`` maps the index of a group's
    mention ("the trio", "both children", "their") to the indices of its members' mentions.
    """

    clusters: tuple[tuple[int, ...], ...] = ()
    groups: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


@runtime_checkable
class CoreferenceResolver(Protocol):
    """Anything that clusters candidates. ``signature`` names it with its version or model."""

    @property
    def signature(self) -> str: ...

    def resolve(self, document: MentionDocument) -> Resolution:
        """Cluster the candidates of one document. Deterministic; never raises on unusual text."""
        ...
