"""Whether people mark the same places: relaxed F1 of spans, and the share of words that nobody marked.

Where no mark is also a judgment, but nobody can count the things that were not marked, kappa has no chance to speak
of, and relaxed F1 is used (Hripcsak and Rothschild 2005; PoSh paper, section "DOCENT", paragraph "Agreement"): a
mark counts as found when the other annotator's marks cover enough of its words, at least one, or at least half.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from posh_lite.evaluation.bootstrap import Estimate, bootstrap, ratio
from posh_lite.records import Span
from posh_lite.text import tokens

if TYPE_CHECKING:
    from posh_lite.evaluation.bootstrap import Floats


@dataclass(frozen=True, slots=True)
class Matched:
    """How many marks of two annotators found each other in one text.

    Attributes:
        unit: the image.
        found_first, n_first: marks of the first annotator that the second's cover, and all of them.
        found_second, n_second: the same the other way round.
    """

    unit: Hashable
    found_first: int
    n_first: int
    found_second: int
    n_second: int


@dataclass(frozen=True, slots=True)
class SpanAgreement:
    """Relaxed agreement; ``precision`` is of the first annotator's marks, ``recall`` of the second's."""

    f1: Estimate
    precision: Estimate
    recall: Estimate


def words_of(text: str, spans: Sequence[Span]) -> list[frozenset[int]]:
    """For each span the numbers of the words it touches; spans without a word, as of a comma, are left out."""
    places = [(token.start, token.end) for token in tokens(text) if token.is_word]
    found = (frozenset(at for at, (a, b) in enumerate(places) if a < end and start < b) for start, end in spans)
    return [covered for covered in found if covered]


def match_spans(
    text: str, first: Sequence[Span], second: Sequence[Span], *, share: float = 0.0, unit: Hashable = None
) -> Matched:
    """Hold two annotators' marks on one text against each other.

    Args:
        text: what they marked.
        first: marks of one.
        second: marks of the other.
        share: of a mark's words that the other's marks must cover, from 0 to 1; one word is needed in any case.
        unit: the image.

    Raises:
        ValueError: the share is out of range.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share must lie between 0 and 1, got {share}")
    here, there = words_of(text, first), words_of(text, second)

    def found(marks: list[frozenset[int]], others: list[frozenset[int]]) -> int:
        covered = frozenset().union(*others)
        return sum(len(mark & covered) >= max(1, share * len(mark)) for mark in marks)

    return Matched(unit, found(here, there), len(here), found(there, here), len(there))


def relaxed_agreement(matched: Sequence[Matched], **settings: Any) -> SpanAgreement:
    """Relaxed precision, recall and F1 pooled over texts, with intervals over images.

    F1 is the harmonic mean of both. Where only one of the two annotators marked anything at all it is 0; where
    neither did there is nothing to agree on, and it is undefined.

    Args:
        matched: of :func:`match_spans`, one a text.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.
    """
    import numpy as np

    table = np.array([[m.found_first, m.n_first, m.found_second, m.n_second] for m in matched], float).reshape(-1, 4)
    units = [m.unit for m in matched]

    def statistic(weights: Floats) -> Floats:
        sums = weights @ table
        with np.errstate(invalid="ignore", divide="ignore"):
            precision, recall = sums[:, 0] / sums[:, 1], sums[:, 2] / sums[:, 3]
            both = 2 * precision * recall / (precision + recall)
        nothing = (sums[:, 1] == 0) & (sums[:, 3] == 0)
        return np.where(nothing, np.nan, np.nan_to_num(both, nan=0.0))

    return SpanAgreement(
        bootstrap(statistic, len(table), units=units, method="relaxed F1", reason="neither annotator marked anything",
                  **settings),
        ratio(table[:, 0], table[:, 1], units=units, method="relaxed precision", **settings),
        ratio(table[:, 2], table[:, 3], units=units, method="relaxed recall", **settings),
    )  # fmt: skip


def unmarked_share(text: str, spans: Sequence[Span]) -> float:
    """Share of a text's words that no mark touches, from 0 to 1; NaN for a text without words.

    The mean over a model's texts is what the right half of the paper's table of granular judgments reports.
    """
    n = sum(token.is_word for token in tokens(text))
    marked = frozenset().union(*words_of(text, spans))
    return 1 - len(marked) / n if n else math.nan
