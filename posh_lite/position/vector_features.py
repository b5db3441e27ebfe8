"""What vectors and rules together tell of each claim in a caption, as numbers.

How near is the nearest window of the caption? And does that window fit this claim better than the others? What fits
another claim of the rubric better speaks of something else, however near it is. The same is asked of the clause and of
the sentence of the reference that a claim stands in, since a paraphrase is nearer to its original than to a claim cut
out of it. The rules' verdict is a number too; their reasons are not read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from posh_lite.baselines.embedding import Embedder
from posh_lite.position.types import WEIGHTS, Claim, Finding, Rubric
from posh_lite.position.vector_windows import windows
from posh_lite.records import Span
from posh_lite.text import visible

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from posh_lite.evaluation.bootstrap import Floats

    Vectors = NDArray[np.float32]

#: Numbers of a claim beside the rules' verdict.
MEASURES = (
    "claim",  # highest cosine of the claim with a window
    "claim lead",  # the same, minus the highest cosine of that window with a claim of other words of the reference
    "claim above mean",  # the same, minus the mean over all windows
    "clause",  # highest cosine of the shortest clause of the reference that holds the claim
    "clause lead",  # the same, minus the highest cosine of that window with a window elsewhere in the reference
    "sentence",  # as "clause", of the longest window that holds the claim
    "sentence lead",
    "clause supported",  # share of the other claims of that clause that the rules find; 0.5 where there are none
    "windows",  # logarithm of their number: of more of them one is nearer by chance
)
#: Columns: verdict of the rules by dimension, each measure, and each measure where the rules find the claim.
NAMES = (
    *(f"{said} {kind}" for said in ("found", "not found") for kind in WEIGHTS),
    *MEASURES,
    *(f"{name}, found" for name in MEASURES),
)
#: How claims begin that say no more than that a thing is there.
_SHOWS = re.compile(r"^(?:The (?:picture|image) (?:shows|has)|There (?:is|are)) ")
#: Vectors that are kept from one call to the next.
_KEPT = 20_000


class VectorStore:
    """Vectors by text, each made once while there are not too many.

    Args:
        embedder: makes them.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._known: dict[str, Vectors] = {}

    def add(self, texts: Sequence[str]) -> None:
        """Embed in one go what is not known yet."""
        if len(self._known) > _KEPT:
            self._known.clear()
        new = [t for t in dict.fromkeys(texts) if t not in self._known]
        if new:
            self._known.update(zip(new, self.embedder(new), strict=True))

    def of(self, texts: Sequence[str]) -> Vectors:
        """Rows of length 1 (or 0), of shape ``(texts, dimensions)``; the texts were added before."""
        import numpy as np

        return np.array([self._known[t] for t in texts], dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Measured:
    """A caption against a rubric.

    Attributes:
        rows: of shape ``(claims, len(NAMES))``.
        spans: for each claim the window of the caption that is nearest to it; None where the caption has no words.
        similarities: its cosine, -1 to 1, of shape ``(claims,)``.
    """

    rows: Floats
    spans: tuple[Span | None, ...]
    similarities: Floats


def bare(claim: Claim) -> str:
    """The words of a claim without "The picture shows": every claim would be alike by these."""
    return _SHOWS.sub("", claim.text, count=1)


def said_in(text: str, spans: Sequence[Span]) -> list[str]:
    """What stands at spans of a text, as a reader sees it: bold type and other markup change no vector."""
    shown = visible(text)
    return [" ".join(shown[a:b].split()) for a, b in spans]


def measure(
    items: Sequence[tuple[str, Rubric]], findings: Sequence[Sequence[Finding]], store: VectorStore
) -> list[Measured]:
    """For each caption and rubric the numbers of :data:`NAMES`.

    Args:
        items: captions and rubrics.
        findings: of the rules, a finding a claim.
        store: embeds windows, claims and references, all of them in one go.
    """
    texts: list[str] = []
    for caption, rubric in items:
        if rubric.claims:
            texts += [*said_in(caption, windows(caption)), *said_in(rubric.reference, windows(rubric.reference))]
            texts += [bare(c) for c in rubric.claims]
    store.add(texts)
    return [
        _measure(caption, rubric, told, store) for (caption, rubric), told in zip(items, findings, strict=True)
    ]


def _measure(caption: str, rubric: Rubric, told: Sequence[Finding], store: VectorStore) -> Measured:
    import numpy as np

    claims, places, source = rubric.claims, windows(caption), windows(rubric.reference)
    supported = np.array([f.status == "Supported" for f in told], dtype=np.float64)
    measures = np.zeros((len(claims), len(MEASURES)))
    spans: list[Span | None] = [None] * len(claims)
    if claims and places:
        theirs = store.of(said_in(caption, places))
        ours = np.asarray(store.of([bare(c) for c in claims]) @ theirs.T, dtype=np.float64)
        context = (
            np.asarray(store.of(said_in(rubric.reference, source)) @ theirs.T, dtype=np.float64)
            if source else np.zeros((0, len(places)))
        )
        apart, outside = _apart([c.spans for c in claims]), _apart([(s,) for s in source])
        spans = [places[k] for k in ours.argmax(axis=1)]
        for j, claim in enumerate(claims):
            best, lead = _lead(ours, j, apart[j])
            holding = _holding(claim, source)
            near = [_lead(context, k, outside[k]) for k in (holding[0], holding[-1])] if holding else [(best, lead)] * 2
            mates = [k for k, c in enumerate(claims) if k != j and _inside(c, source[holding[0]])] if holding else []
            measures[j] = (
                best, lead, best - ours[j].mean(), *near[0], *near[1], supported[mates].mean() if mates else 0.5,
                math.log(len(places)),
            )
    kinds = np.array([[c.kind == kind for kind in WEIGHTS] for c in claims], dtype=np.float64).reshape(-1, len(WEIGHTS))
    found = supported[:, None]
    rows = np.hstack([kinds * found, kinds * (1 - found), measures, measures * found])
    return Measured(rows, tuple(spans), measures[:, 0])


def _lead(cosines: Floats, row: int, others: Sequence[int]) -> tuple[float, float]:
    """The highest cosine of a row, and by how much it is above that of the other rows in the same column."""
    column = int(cosines[row].argmax())
    best = float(cosines[row, column])
    return best, best - float(cosines[list(others), column].max()) if others else 0.0


def _apart(spans: Sequence[Sequence[Span]]) -> list[list[int]]:
    """For each the others that share no character with it."""
    return [
        [k for k, theirs in enumerate(spans)
         if k != j and not any(a < d and c < b for a, b in mine for c, d in theirs)]
        for j, mine in enumerate(spans)
    ]


def _holding(claim: Claim, source: Sequence[Span]) -> list[int]:
    """Windows of the reference that hold a span of the claim, or else share words with one, the shortest first."""
    whole = [k for k, (a, b) in enumerate(source) if any(a <= c and d <= b for c, d in claim.spans)]
    some = whole or [k for k, (a, b) in enumerate(source) if any(a < d and c < b for c, d in claim.spans)]
    return sorted(some, key=lambda k: source[k][1] - source[k][0])


def _inside(claim: Claim, window: Span) -> bool:
    return any(window[0] <= a and b <= window[1] for a, b in claim.spans)
