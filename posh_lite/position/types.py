"""What the position lens speaks in: claims of a reference, findings in a caption, labelled sentences.

Sections 2 and 3 and appendix A of "Where Do Long Captions Fail?". Offsets are characters into the untouched texts.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args, runtime_checkable

from posh_lite.records import Span

ClaimKind = Literal["Entity", "Visual_Detail", "Interaction", "Scene_Context"]
Status = Literal["Supported", "Contradicted", "Missing"]
Label = Literal["Supported", "Contradicted", "Generic"]
#: How an evidence span was found: given as offsets by the verifier, or matched from its words.
Match = Literal["given", "exact", "normalized", "fuzzy", "unmatched", "none"]

STATUSES: tuple[Status, ...] = get_args(Status)
LABELS: tuple[Label, ...] = get_args(Label)
#: Weight of a claim by its dimension (appendix A.1).
WEIGHTS: dict[ClaimKind, float] = {"Entity": 1.0, "Visual_Detail": 2.0, "Interaction": 1.5, "Scene_Context": 1.0}
QUARTILES = (1, 2, 3, 4)


@dataclass(frozen=True, slots=True)
class Claim:
    """One atomic visual fact of a reference (appendix A.1)."""

    id: int  # place in the rubric, from 0
    text: str  # a sentence of its own, pronouns resolved
    kind: ClaimKind
    weight: float
    keyword: str  # the word that tells it best from others
    spans: tuple[Span, ...] = ()  # in the reference; empty where an extractor gives none that can be found


@dataclass(frozen=True, slots=True)
class Rubric:
    """The claims of one reference, and what made them."""

    reference: str
    claims: tuple[Claim, ...]
    signature: str
    n_dropped: int = 0  # duplicates and claims that were too short or unreadable

    @property
    def weight(self) -> float:
        """W_x, the sum over all claims."""
        return sum(c.weight for c in self.claims)


@dataclass(frozen=True, slots=True)
class Finding:
    """What a verifier says of one claim in one caption.

    Attributes:
        claim: its id.
        status: None where the answer could not be read: counted, never taken for Missing.
        evidence: where in the caption; None for Missing and where ``match`` is "unmatched".
        quote: the evidence in the verifier's words.
        match: how the span was found; "none" for Missing.
        reason: for a reader.
    """

    claim: int
    status: Status | None
    evidence: Span | None = None
    quote: str = ""
    match: Match = "none"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SentenceLabel:
    """A sentence of a caption with its induced label (section 2, appendix A.3)."""

    start: int
    end: int
    number: int  # k, from 1
    quartile: int  # 1 to 4
    label: Label
    weight: float  # omega: of the claims of its label, 1 for Generic
    supported: tuple[int, ...] = ()  # claims whose evidence lies in it
    contradicted: tuple[int, ...] = ()
    flagged: tuple[Span, ...] = ()  # words that speak against it without a claim: of the two-sided lens alone

    @property
    def span(self) -> Span:
        return (self.start, self.end)

    @property
    def unsupported(self) -> bool:
        """Whether it is called contradicted for its own specific words alone, without a claim against it."""
        return self.label == "Contradicted" and bool(self.flagged) and not self.contradicted


@dataclass(frozen=True, slots=True)
class CaptionProfile:
    """One caption verified against one rubric: everything that the lens says of it."""

    id: str  # of the pair
    unit: Hashable  # the image
    model: str
    caption: str
    rubric: Rubric
    findings: tuple[Finding, ...]
    sentences: tuple[SentenceLabel, ...]
    signature: str  # of extractor and verifier

    @property
    def n_unmatched(self) -> int:
        """Findings that are left out because their evidence is nowhere in the caption."""
        return sum(f.match == "unmatched" for f in self.findings)

    @property
    def n_unread(self) -> int:
        """Claims without a readable verdict."""
        return sum(f.status is None for f in self.findings)


@runtime_checkable
class Extractor(Protocol):
    """Makes rubrics."""

    @property
    def signature(self) -> str: ...

    def extract(self, references: Sequence[str], /) -> list[Rubric]:
        """A rubric for each reference, in order."""
        ...


@runtime_checkable
class Verifier(Protocol):
    """Verifies claims in captions."""

    @property
    def signature(self) -> str: ...

    def verify(self, items: Sequence[tuple[str, Rubric]], /) -> list[tuple[Finding, ...]]:
        """For each caption and rubric one finding a claim, in the order of the claims."""
        ...


def quartile(number: int, n: int) -> int:
    """Quartile of sentence ``number`` (from 1) of ``n``: floor(4(k-1)/n)+1 (appendix A.2).

    Raises:
        ValueError: ``number`` is not in 1 to ``n``.
    """
    if not 1 <= number <= n:
        raise ValueError(f"sentence {number} of {n}")
    return 4 * (number - 1) // n + 1
