"""The contract between the metric and whatever answers its questions.

A judge gets a batch of questions and returns one verdict for each, in order. A question carries both the
rendered prompt (for a language model) and its structure (for a judge that works on graphs).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from posh_lite.graph.types import Attribute, Entity, Relation, SceneGraph

#: Which text the component comes from: ``generation`` asks for mistakes, ``reference`` for omissions.
Side = Literal["generation", "reference"]
Kind = Literal["entity", "attribute", "relation"]
#: How an identifier singles its entity out, from the simplest to the most specific.
IdentifierKind = Literal["head", "attribute", "surface", "relation", "part"]


@dataclass(frozen=True, slots=True)
class Identifier:
    """A phrase that names one entity of the source graph ("the woman in white")."""

    text: str  # what the prompt says
    entity: Entity
    kind: IdentifierKind = "head"
    attribute: Attribute | None = None  # the one that distinguishes it, for kind "attribute"
    relation: Relation | None = None  # for kind "relation"
    whole: Identifier | None = None  # the parent's identifier, for kind "part"


@dataclass(frozen=True, slots=True)
class Question:
    """One question about one component of the source text, to be answered from the target text."""

    pair_id: str
    side: Side
    kind: Kind
    identifier: Identifier  # of the entity, of the attribute's entity, or of the relation's subject
    target_text: str
    prompt: str
    text: str  # the question itself, without instructions and texts: what a report shows
    attribute: Attribute | None = None  # for kind "attribute"
    relation: Relation | None = None  # for kind "relation"
    object_identifier: Identifier | None = None  # for kind "relation"
    source: SceneGraph | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Verdict:
    """An answer on the scale of 1 (absent) to 5 (explicit), or a missing one.

    ``score`` is the probability-weighted mean over 1 to 5 (PoSh paper, section "Experiments"), or None where
    the answer could not be read: a missing verdict is counted, never replaced.
    """

    score: float | None
    probabilities: tuple[float, float, float, float, float] | None = None  # of 1..5, summing to 1
    mass: float | None = None  # probability that fell on 1..5 before renormalizing
    raw: str = ""  # what the judge said, or why the verdict is missing
    reason: str = ""  # for a reader: what in the target text led to it

    @property
    def missing(self) -> bool:
        return self.score is None


@dataclass(frozen=True, slots=True)
class Unanswered(Verdict):
    """A missing verdict that may come next time, since a server failed: a verdict log does not keep it.

    An answer that could not be read is a plain missing :class:`Verdict`: asking the same model again gives the same.
    """


@runtime_checkable
class Judge(Protocol):
    """Anything that answers questions. ``signature`` names model, revision and settings."""

    @property
    def signature(self) -> str: ...

    @property
    def presence_threshold(self) -> float:
        """Score from which on an entity counts as present (the paper's value is 2)."""
        ...

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Answer every question, in order. Never raises for an unreadable answer: returns a missing verdict."""
        ...
