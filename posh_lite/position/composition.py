"""What the sentences of captions consist of by their place: supported, contradicted and generic shares.

"Where Do Long Captions Fail?", section 2 and appendices A.2, A.3 and B.1. The sums are kept by image and bin, so
that a bootstrap over images is a product of matrices. Claims weigh 1, 1.5 or 2 (appendix A.1): such sums are exact
in binary, whatever the order of the images.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from posh_lite.position.types import LABELS, CaptionProfile, Label, SentenceLabel

if TYPE_CHECKING:
    from posh_lite.evaluation.bootstrap import Floats

#: How a sentence counts: its label and its weight omega. Robustness checks plug in other readings.
Reading = Callable[[CaptionProfile, SentenceLabel], tuple[Label, float]]


@dataclass(frozen=True, slots=True)
class Bins:
    """Parts of a caption: sentence k of n lies in the last bin whose left edge is at most (k - 1 + anchor) / n.

    Attributes:
        edges: between the bins, ascending, within 0 and 1; one fewer than bins.
        anchor: 0 is the paper's rule, by the start of a sentence; 1/2 goes by its middle.
    """

    edges: tuple[Fraction, ...]
    anchor: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if not self.edges or list(self.edges) != sorted(set(self.edges)) or not 0 < self.edges[0] <= self.edges[-1] < 1:
            raise ValueError(f"edges of bins must rise between 0 and 1, got {[float(e) for e in self.edges]}")
        if not 0 <= self.anchor < 1:
            raise ValueError(f"anchor must be at least 0 and below 1, got {float(self.anchor)}")

    @property
    def n(self) -> int:
        """How many bins."""
        return len(self.edges) + 1

    def of(self, number: int, n: int) -> int:
        """Bin, from 1, of sentence ``number`` (from 1) of ``n``, without rounding.

        Raises:
            ValueError: ``number`` is not in 1 to ``n``.
        """
        if not 1 <= number <= n:
            raise ValueError(f"sentence {number} of {n}")
        place = (number - 1 + self.anchor) / n
        return 1 + sum(edge <= place for edge in self.edges)


def equal_bins(n: int, *, offset: float | str | Fraction = 0, anchor: float | str | Fraction = 0) -> Bins:
    """``n`` bins of one length, with all inner edges moved by ``offset`` (a share of the caption).

    Args:
        n: at least 2.
        offset: for instance 0.05; it may not move an edge out of the caption.
        anchor: see :class:`Bins`.

    Raises:
        ValueError: fewer than two bins, or an edge outside.
    """
    if n < 2:
        raise ValueError(f"at least two bins are needed, got {n}")
    moved = Fraction(str(offset))
    return Bins(tuple(Fraction(i, n) + moved for i in range(1, n)), Fraction(str(anchor)))


#: The paper's quartiles: floor(4(k-1)/n)+1 (appendix A.2).
QUARTERS = equal_bins(4)


@dataclass(frozen=True, slots=True)
class Share:
    """What one bin consists of, pooled over the sentences of all images; NaN where it is empty.

    Attributes:
        bin: from 1.
        supported, contradicted, generic: shares, which sum to 1.
        n_sentences: in the bin.
        weight: their sum of omega.
        n_images: images with a sentence in the bin.
        reason: why the shares are NaN.
    """

    bin: int
    supported: float
    contradicted: float
    generic: float
    n_sentences: int
    weight: float
    n_images: int
    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Composition:
    """Sums over the sentences of one model, by image, bin and label.

    Attributes:
        model: its name.
        bins: where the sentences were sorted.
        units: the images, in an order that does not depend on that of the captions.
        counts: sentences, shape ``(images, bins, 3)``; labels in the order of ``LABELS``.
        weights: sums of omega, of the same shape.
        n_captions: that were read.
        n_short: captions with fewer sentences than bins. The formula leaves bins of theirs empty: of three sentences
            none is in the fourth quartile.
        n_empty: captions without a sentence.
        n_unmatched: findings left out because their evidence is nowhere in the caption.
        n_unread: claims without a readable verdict.
    """

    model: str
    bins: Bins
    units: tuple[Hashable, ...]
    counts: Floats
    weights: Floats
    n_captions: int
    n_short: int
    n_empty: int
    n_unmatched: int = 0
    n_unread: int = 0

    @property
    def n_sentences(self) -> int:
        return int(self.counts.sum())

    def sums(self, weighted: bool) -> Floats:
        """By image, bin and label: of omega, or of sentences."""
        return self.weights if weighted else self.counts

    def shares(self, *, weighted: bool = True) -> tuple[Share, ...]:
        """The composition of every bin (section 2; unweighted: appendix B.1)."""
        pooled, counted = self.sums(weighted).sum(axis=0), self.counts.sum(axis=0)
        parts = shares_of(pooled)
        rows = []
        for place in range(self.bins.n):
            n = int(counted[place].sum())
            weight = float(self.weights[:, place].sum())
            why = "" if not math.isnan(parts[place, 0]) else why_empty(place + 1, n, self.n_sentences)
            images = int((self.counts[:, place].sum(axis=1) > 0).sum())
            supported, contradicted, generic = (float(v) for v in parts[place])
            rows.append(Share(place + 1, supported, contradicted, generic, n, weight, images, why))
        return tuple(rows)


def shares_of(sums: Floats) -> Floats:
    """Sums by label in the last axis to shares; NaN where they are all zero."""
    import numpy as np

    total = sums.sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(total > 0, sums / total, np.nan)


def why_empty(place: int, n_here: int, n_all: int) -> str:
    """Why a bin has no shares."""
    if not n_all:
        return "no sentence in any caption"
    return f"the sentences of bin {place} weigh nothing" if n_here else f"no sentence falls in bin {place}"


def as_labelled(_: CaptionProfile, sentence: SentenceLabel) -> tuple[Label, float]:
    """The paper's reading: the label and omega that the sentence has (appendix A.3)."""
    return sentence.label, sentence.weight


def unit_order(unit: Hashable) -> tuple[str, str]:
    """A sort key for images of any kind, so that the order of the captions changes nothing."""
    return (type(unit).__name__, repr(unit))


def by_model(profiles: Iterable[CaptionProfile]) -> dict[str, list[CaptionProfile]]:
    """Profiles of each model, models in order of first appearance.

    Raises:
        ValueError: a model has two profiles of one id.
    """
    found: dict[str, dict[str, CaptionProfile]] = {}
    for profile in profiles:
        own = found.setdefault(profile.model, {})
        if profile.id in own:
            raise ValueError(f'caption "{profile.id}" of model "{profile.model}" comes twice; give each its own id')
        own[profile.id] = profile
    return {model: list(own.values()) for model, own in found.items()}


def compose(
    profiles: Iterable[CaptionProfile], *, bins: Bins = QUARTERS, reading: Reading = as_labelled
) -> dict[str, Composition]:
    """Sort the sentences of every model into bins and sum them by image.

    Args:
        profiles: of one or several models; captions of one model for one image are pooled.
        bins: the paper's quartiles by default.
        reading: the label and weight of a sentence.

    Raises:
        ValueError: an id comes twice in a model, the sentences of a caption are not numbered from 1 to their count,
            or a weight is negative or not a number.
    """
    return {model: _compose(model, own, bins, reading) for model, own in by_model(profiles).items()}


def _compose(model: str, profiles: Sequence[CaptionProfile], bins: Bins, reading: Reading) -> Composition:
    import numpy as np

    units = sorted({p.unit for p in profiles}, key=unit_order)
    row_of = {unit: row for row, unit in enumerate(units)}
    counts, weights = np.zeros((len(units), bins.n, 3)), np.zeros((len(units), bins.n, 3))
    known: dict[tuple[int, int], int] = {}
    for profile in profiles:
        n = len(profile.sentences)
        if [s.number for s in profile.sentences] != list(range(1, n + 1)):
            raise ValueError(f'caption "{profile.id}": sentences must be numbered from 1 to {n} in order')
        row = row_of[profile.unit]
        for sentence in profile.sentences:
            label, weight = reading(profile, sentence)
            if not (math.isfinite(weight) and weight >= 0):
                raise ValueError(f'caption "{profile.id}", sentence {sentence.number}: weight {weight}')
            key = (sentence.number, n)
            if key not in known:
                known[key] = bins.of(*key) - 1
            counts[row, known[key], LABELS.index(label)] += 1
            weights[row, known[key], LABELS.index(label)] += weight
    return Composition(
        model, bins, tuple(units), counts, weights, len(profiles),
        n_short=sum(0 < len(p.sentences) < bins.n for p in profiles),
        n_empty=sum(not p.sentences for p in profiles),
        n_unmatched=sum(p.n_unmatched for p in profiles), n_unread=sum(p.n_unread for p in profiles),
    )
