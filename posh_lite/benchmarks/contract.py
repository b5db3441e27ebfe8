"""What every benchmark hands to the evaluation: texts, and what is known of them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from posh_lite.records import Pair, Span

Dimension = Literal["mistakes", "omissions", "overall"]
DIMENSIONS: tuple[Dimension, Dimension, Dimension] = ("mistakes", "omissions", "overall")
#: Who knows: "people" judged, or the answer follows from how the texts were made ("constructed").
Gold = Literal["people", "constructed"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Which of two generations of one image is better (PoSh paper, appendix "Coarse Metric Evaluation").

    Attributes:
        unit: the image or work, which is what the bootstrap draws.
        a, b: ids of the two pairs.
        labels: by dimension, from -2 (``b`` much better) over 0 (equal) to 2 (``a`` much better); a benchmark
            with three answers uses -1, 0 and 1. A dimension that was not judged is left out.
        tags: names of the subsets it belongs to.
    """

    unit: Hashable
    a: str
    b: str
    labels: Mapping[Dimension, int]
    tags: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Marks:
    """The spans of one pair that are known to be wrong or left out; None where a side was not annotated."""

    unit: Hashable
    id: str  # of the pair
    mistakes: tuple[Span, ...] | None  # in the generation
    omissions: tuple[Span, ...] | None  # in the reference


@dataclass(frozen=True, slots=True)
class Rating:
    """A judgment of one generation by itself; higher is better for the generation."""

    unit: Hashable
    id: str  # of the pair
    labels: Mapping[Dimension, float]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Pairs and gold. Any of ``comparisons``, ``marks`` and ``ratings`` may be empty.

    Attributes:
        name: short, as on the command line.
        title: for tables.
        gold: who knows.
        pairs: what a metric scores; ids are unique.
        note: one sentence on what the figures can and cannot show.
        citation: key in ``book/references.bib``, or empty.
    """

    name: str
    title: str
    gold: Gold
    pairs: tuple[Pair, ...]
    comparisons: tuple[Comparison, ...] = ()
    marks: tuple[Marks, ...] = ()
    ratings: tuple[Rating, ...] = ()
    note: str = ""
    citation: str = ""
    by_id: Mapping[str, Pair] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_id = {pair.id: pair for pair in self.pairs}
        if len(by_id) != len(self.pairs):
            raise ValueError(f"{self.name}: ids of pairs are not unique")
        wanted = {i for c in self.comparisons for i in (c.a, c.b)}
        wanted |= {m.id for m in self.marks} | {r.id for r in self.ratings}
        if unknown := sorted(wanted - by_id.keys()):
            raise ValueError(f"{self.name}: no pair with the id {unknown[0]!r}")
        object.__setattr__(self, "by_id", by_id)
