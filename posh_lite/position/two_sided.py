"""The two-sided lens: what the caption says is asked of the reference, too, and not only what the reference claims.

Claims come from the reference, so a parrot that a caption makes up contradicts none of them, and the lens of "Where Do
Long Captions Fail?" (section 2) calls its sentence generic. Here the components of the caption's own scene graph are
judged against the reference as well, as PoSh does for mistakes. A specific sentence with several components that the
reference does not bear out is an *unsupported specific* one: invented, or true and not in the reference. Text alone
cannot tell the two apart, so such sentences are counted apart from contradicted ones, and their share means something
only beside that of an honest writer's text.

The rule has one number of its own, :data:`LEAST`, chosen on the first six works of the known-answer corpus. The
threshold of a component is the judge's, that of a specific sentence the genericity judge's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from posh_lite.position.generic import LexicalGenericity
from posh_lite.position.label import Precedence
from posh_lite.position.types import CaptionProfile, Label, SentenceLabel
from posh_lite.records import Span

if TYPE_CHECKING:
    from posh_lite.metric.posh import PoSh
    from posh_lite.position.graphs import Graphs

#: What is consulted: the claims of the reference alone (the paper's lens), or the components of the caption as well.
Lens = Literal["claims", "both"]
LENSES: tuple[Lens, ...] = ("claims", "both")
#: Components of a specific sentence that the reference must not bear out before the sentence is called unsupported.
#: One is too few: a single miss of the judge would do.
LEAST = 2
#: Version of the rule.
RULES = 1


@dataclass(frozen=True, slots=True)
class Side:
    """What the caption's own components say of one sentence.

    Attributes:
        specific: whether the genericity judge finds that it can be checked.
        absent: where the components stand that the reference does not bear out, within the sentence, in text order;
            one whose only fault is that its entity is absent is not among them.
        n_absent: their number; two may stand in one place.
        n_present: components that the reference bears out.
    """

    specific: bool
    absent: tuple[Span, ...]
    n_absent: int
    n_present: int

    @property
    def unsupported(self) -> bool:
        """Specific, and several of its components are not in the reference."""
        return self.specific and self.n_absent >= LEAST

    @property
    def borne_out(self) -> bool:
        """Specific, not unsupported, and some component is in the reference."""
        return self.specific and not self.unsupported and self.n_present > 0


class CaptionSide:
    """Judges the components of captions, sentence by sentence, with the embedded judges.

    Args:
        graphs: scene graphs shared with an extractor and a verifier, so that no text is parsed twice.
    """

    def __init__(self, graphs: Graphs | None = None) -> None:
        from posh_lite.position.graphs import Graphs

        self.graphs = graphs if graphs is not None else Graphs()
        self.genericity = LexicalGenericity()
        self._metric: PoSh | None = None
        self._known: dict[tuple[str, str], tuple[Side, ...]] = {}

    @property
    def metric(self) -> PoSh:
        """The metric that judges components, made when it is first asked."""
        if self._metric is None:
            from posh_lite.metric.posh import PoSh

            self._metric = PoSh(progress=False)
        return self._metric

    @property
    def signature(self) -> str:
        metric = self.metric
        return (f"both-{RULES} least:{LEAST} judge:{metric.judge.signature} threshold:{metric.threshold:g}"
                f" prompts:{metric.prompts.digest[:12]} {self.genericity.signature}<{self.genericity.threshold:g}")

    def sides(self, profile: CaptionProfile) -> tuple[Side, ...]:
        """What the components say of each sentence of a caption, in order."""
        caption, reference = profile.caption, profile.rubric.reference
        key = (caption, reference)
        if key not in self._known:
            generation, other = self.graphs.of([caption, reference])
            own = [c for c in self.metric.score_graphs(generation, other).components
                   if c.side == "generation" and c.present is not None and not c.inherited]
            found = []
            for s in profile.sentences:
                here = [c for c in own if any(a < s.end and s.start < b for a, b in c.spans)]
                absent = [c for c in here if not c.present]
                spans = {(max(a, s.start), min(b, s.end)) for c in absent for a, b in c.spans
                         if a < s.end and s.start < b}
                specific = not self.genericity.judge(caption[s.start : s.end]).generic
                found.append(Side(specific, tuple(sorted(spans)), len(absent), len(here) - len(absent)))
            self._known[key] = tuple(found)
        return self._known[key]

    def label(self, profile: CaptionProfile, precedence: Precedence) -> tuple[SentenceLabel, ...]:
        """The sentences of a caption with the labels of the two-sided lens.

        Args:
            profile: labelled by claims alone, in either precedence.
            precedence: whether supported claims or all that speaks against a sentence go first.
        """
        weights = {c.id: c.weight for c in profile.rubric.claims}
        sides = self.sides(profile)
        return tuple(relabel(s, x, precedence, weights) for s, x in zip(profile.sentences, sides, strict=True))

    def through(self, profiles: Iterable[CaptionProfile], precedence: Precedence) -> list[CaptionProfile]:
        """Profiles through the two-sided lens, in order; it is told in their signatures."""
        return [
            replace(p, sentences=self.label(p, precedence), signature=f"{p.signature} lens:{self.signature}")
            for p in profiles
        ]


def relabel(
    sentence: SentenceLabel, side: Side, precedence: Precedence, weights: dict[int, float]
) -> SentenceLabel:
    """One sentence with both sides consulted.

    Claims go before components, on either side. A sentence that components alone decide counts once, as a generic one
    does: the paper's weights are those of claims.

    Args:
        sentence: with the claims whose evidence lies in it.
        side: what the caption's components say.
        precedence: whether supported claims or all that speaks against the sentence go first.
        weights: of the claims, by id.

    Raises:
        ValueError: ``precedence`` is neither.
    """
    if precedence not in ("supported", "contradicted"):
        raise ValueError(f"precedence must be supported or contradicted, got {precedence!r}")
    held, against = sentence.supported, sentence.contradicted
    label: Label
    decided: tuple[int, ...] = ()
    if held and (precedence == "supported" or not (against or side.unsupported)):
        label, decided = "Supported", held
    elif against:
        label, decided = "Contradicted", against
    elif side.unsupported:
        label = "Contradicted"
    else:
        label = "Supported" if side.borne_out else "Generic"
    weight = sum(weights[i] for i in decided) if decided else 1.0
    flagged = side.absent if label == "Contradicted" and side.unsupported else ()
    return replace(sentence, label=label, weight=weight, flagged=flagged)


def shared_graphs(parts: Sequence[object]) -> Graphs | None:
    """The scene graphs of the first extractor or verifier that has some."""
    from posh_lite.position.graphs import Graphs

    return next((g for part in parts if isinstance(g := getattr(part, "graphs", None), Graphs)), None)


def only_unsupported(_: CaptionProfile, sentence: SentenceLabel) -> tuple[Label, float]:
    """A reading in which only unsupported specific sentences are contradicted, and all others generic."""
    return ("Contradicted" if sentence.unsupported else "Generic"), sentence.weight
