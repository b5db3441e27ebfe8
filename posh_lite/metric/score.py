"""The score of a pair: coarse figures, and every component that they are made of.

Implements section "Coarse Scoring" of the PoSh paper: mistakes and omissions are means over granular scores.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from posh_lite.judge.contract import Kind, Side
from posh_lite.metric.protocol import Located
from posh_lite.records import Span

if TYPE_CHECKING:
    import pandas as pd

#: How components become a coarse score: the mean over all of them, over entities alone (the paper's formula), or the
#: share of them that is present, which forgives no half-right word and rewards no vague one.
Aggregation = Literal["all", "objects", "present"]
SIDES: tuple[Side, Side] = ("generation", "reference")
_WORD = re.compile(r"\w+(?:['\u2019-]\w+)*")


@dataclass(frozen=True, slots=True)
class Component:
    """One object, attribute or relation of one text, and how far the other text says it too.

    Attributes:
        side: the text it comes from; "generation" gives mistakes, "reference" omissions.
        kind: "entity", "attribute" or "relation".
        text: as the text says it, with its polarity ("not smiling").
        identifier: how its entity was named in the question.
        spans: where it stands in its own text, as character offsets.
        score: from 1 (absent) to 5 (explicit); None where no verdict could be read.
        present: whether the score reaches the judge's threshold; None with a missing score.
        question: what the judge was asked, or would have been for an inherited score.
        reason: what the judge saw, or why the score is inherited or missing.
        object: how the other entity of a relation was named.
        entity: id of the entity in the scene graph of its side; for a relation of its subject.
        negated: whether the text says that it is not so.
        inherited: whether the score is 1 because its entity is absent.
        asked: how many identifiers were tried (entities); 1 for a question, 0 for an inherited score.
    """

    side: Side
    kind: Kind
    text: str
    identifier: str
    spans: tuple[Span, ...]
    score: float | None
    present: bool | None
    question: str
    reason: str = ""
    object: str | None = None
    entity: int = 0
    negated: bool = False
    inherited: bool = False
    asked: int = 1

    @property
    def missing(self) -> bool:
        """Whether no verdict could be read; such a component is counted but enters no mean."""
        return self.score is None

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready dictionary."""
        row = asdict(self)
        row["spans"] = [list(span) for span in self.spans]
        row["missing"] = self.missing
        return row


@dataclass(frozen=True, slots=True)
class Score:
    """What PoSh says of one pair. Higher is better in all three coarse scores.

    Attributes:
        id: of the pair.
        mistakes: mean over the generation's components, over 5: from 0.2 to 1 (precision), or from 0 to 1 the share
            that is present. NaN where there is nothing to average, never a perfect 1.
        omissions: the same over the reference's components (recall).
        overall: harmonic mean of the two.
        components: of the generation, then of the reference.
        generation, reference: the two texts, untouched.
        signature: names everything that the figures depend on.
        reasons: why a figure is NaN, by its name.
        aggregation: "all", "objects" or "present".
        n_asked: how many questions were put for this pair, repeated ones included.
        n_unread: how many of their verdicts could not be read.
    """

    id: str
    mistakes: float
    omissions: float
    overall: float
    components: tuple[Component, ...]
    generation: str
    reference: str
    signature: str = ""
    reasons: tuple[tuple[str, str], ...] = ()
    aggregation: Aggregation = "all"
    n_asked: int = 0
    n_unread: int = 0

    @property
    def n_components(self) -> int:
        return len(self.components)

    @property
    def n_missing(self) -> int:
        """Components without a readable verdict; they are left out of the means."""
        return sum(c.missing for c in self.components)

    def of(self, side: Side) -> tuple[Component, ...]:
        """The components of one text."""
        return tuple(c for c in self.components if c.side == side)

    def text(self, side: Side) -> str:
        """The text of one side."""
        return self.generation if side == "generation" else self.reference

    def to_row(self) -> dict[str, Any]:
        """The line of the command line's output: ``id`` and the figures; NaN is None."""
        return {
            "id": self.id, "mistakes": _null(self.mistakes), "omissions": _null(self.omissions),
            "overall": _null(self.overall), "n_components": self.n_components, "n_missing": self.n_missing,
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything but the texts as a JSON-ready dictionary."""
        return {
            **self.to_row(), "aggregation": self.aggregation, "n_asked": self.n_asked, "n_unread": self.n_unread,
            "reasons": dict(self.reasons), "signature": self.signature,
            "components": [c.to_dict() for c in self.components],
        }

    def to_frame(self) -> pd.DataFrame:
        """One row a component, with the columns of :class:`Component`; a missing score is NaN."""
        import pandas as pd

        names = [f for f in Component.__dataclass_fields__ if f != "spans"]
        rows = [{**{n: getattr(c, n) for n in names}, "spans": c.spans, "missing": c.missing} for c in self.components]
        frame = pd.DataFrame(rows, columns=[*names, "spans", "missing"])
        frame["score"] = frame["score"].astype(float)
        return frame

    def char_scores(self, side: Side) -> list[float | None]:
        """The highest score that covers each character of a text; None where no component does."""
        scores: list[float | None] = [None] * len(self.text(side))
        for component in self.of(side):
            if component.score is None:
                continue
            for start, end in component.spans:
                for i in range(start, end):
                    old = scores[i]
                    if old is None or old < component.score:
                        scores[i] = component.score
        return scores

    def token_scores(self, side: Side, tokens: Iterable[Span] | None = None) -> list[tuple[int, int, float]]:
        """Granular scores on words: the highest of the components that cover a word, 5 if none does.

        Args:
            side: which text.
            tokens: offsets of the words; by default runs of letters and digits, so punctuation is skipped.

        Returns:
            ``(start, end, score)`` for every word, in the order of the text.
        """
        chars = self.char_scores(side)
        spans = [m.span() for m in _WORD.finditer(self.text(side))] if tokens is None else list(tokens)
        found = []
        for start, end in spans:
            covering = [s for s in chars[start:end] if s is not None]
            found.append((start, end, max(covering) if covering else 5.0))
        return found

    def to_html(self) -> str:
        """A self-contained fragment: both texts with their spans marked, and the table behind them."""
        from posh_lite.metric.report import score_html

        return score_html(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def __str__(self) -> str:
        figures = f"mistakes {self.mistakes:.3f}  omissions {self.omissions:.3f}  overall {self.overall:.3f}"
        return f"{figures}  ({self.n_components} components, {self.n_missing} missing)"

    def __repr__(self) -> str:
        return f"<Score {self.id}: {self}>"


def located(score: Score) -> Located:
    """A score's components as scored spans of both texts, for what every metric that points at places hands over."""
    generation, reference = (
        tuple((start, end, c.score) for c in score.of(side) if c.score is not None for start, end in c.spans)
        for side in SIDES
    )
    return Located(score.id, generation, reference)


def coarse(
    components: Sequence[Component], aggregation: Aggregation = "all"
) -> tuple[float, float, float, tuple[tuple[str, str], ...]]:
    """Mistakes, omissions and overall, and for each NaN its reason.

    A mean over no components is NaN: a text that says nothing makes no mistakes, but that is no merit.
    """
    figures: dict[str, float] = {}
    reasons: list[tuple[str, str]] = []
    for name, side in (("mistakes", "generation"), ("omissions", "reference")):
        found = [c for c in components if c.side == side and (aggregation != "objects" or c.kind == "entity")]
        read = [c.score for c in found if c.score is not None]
        if aggregation == "present":
            read = [5.0 * bool(c.present) for c in found if c.score is not None]
        figures[name] = math.fsum(read) / len(read) / 5 if read else math.nan
        if not found:
            reasons.append((name, f"no {'objects' if aggregation == 'objects' else 'components'} in the {side}"))
        elif not read:
            reasons.append((name, f"none of the {len(found)} verdicts on the {side} could be read"))
    mistakes, omissions = figures["mistakes"], figures["omissions"]
    if reasons:
        overall = math.nan
        reasons.append(("overall", " and ".join(name for name, _ in reasons) + " undefined"))
    else:
        overall = 2 * mistakes * omissions / (mistakes + omissions) if mistakes + omissions else 0.0
        # Rounding must not push it past the two that it lies between: the mean of 0.2 and 0.2 is 0.2.
        overall = min(max(overall, min(mistakes, omissions)), max(mistakes, omissions))
    return mistakes, omissions, overall, tuple(reasons)


def _null(value: float) -> float | None:
    return None if math.isnan(value) else value
