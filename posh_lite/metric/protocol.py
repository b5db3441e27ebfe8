"""What every metric has in common, so that PoSh, a baseline and one's own metric run in the same evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from posh_lite.records import Pair

if TYPE_CHECKING:
    import pandas as pd

#: What a metric may need beyond the generation.
NEEDS = frozenset({"reference", "image", "gpu", "network", "java", "key", "model", "server"})


@runtime_checkable
class Metric(Protocol):
    """A metric of image descriptions.

    Attributes:
        name: short and unique, for tables.
        needs: what it cannot do without, of :data:`NEEDS`.

    A metric may also have a ``signature`` (everything its figures depend on, as that of PoSh), and a method
    ``locate`` (:class:`Localizer`).

    Example:
        A metric of one's own is a few lines::

            class Shortness:
                name, needs = "shortness", frozenset()

                def score(self, pairs):
                    import pandas as pd
                    figures = [1 / (1 + len(p.generation.split())) for p in pairs]
                    return pd.DataFrame({"id": [p.id for p in pairs], "mistakes": figures,
                                         "omissions": figures, "overall": figures})
    """

    @property
    def name(self) -> str: ...

    @property
    def needs(self) -> frozenset[str]: ...

    def score(self, pairs: Iterable[Pair], /) -> pd.DataFrame:
        """A frame with columns ``id``, ``mistakes``, ``omissions``, ``overall``, one row a pair, in order.

        Higher is better in each, and finite; NaN where the metric does not say. A metric with a single figure gives it
        three times, as the PoSh paper's table of coarse results does.
        """
        ...


#: A span and its score: ``(start, end, score)``; higher means better borne out by the other text.
ScoredSpan = tuple[int, int, float]


@dataclass(frozen=True, slots=True)
class Located:
    """Scores on the spans of one pair's two texts, on any scale on which higher is better."""

    id: str  # of the pair
    generation: tuple[ScoredSpan, ...]  # low where a mistake is suspected
    reference: tuple[ScoredSpan, ...]  # low where an omission is suspected


@runtime_checkable
class Localizer(Metric, Protocol):
    """A metric that also points at places. A word that no span covers has the score ``uncovered``.

    A metric that can point at one side only leaves the other one without spans and names the side that it covers
    in ``sides``, a subset of ``("generation", "reference")``; without that attribute it covers both.
    """

    @property
    def uncovered(self) -> float: ...

    def locate(self, pairs: Iterable[Pair], /) -> list[Located]:
        """Scored spans of each pair, in order."""
        ...


def measure(metric: Metric, pairs: Sequence[Pair]) -> tuple[pd.DataFrame, list[Located] | None]:
    """Coarse scores of any metric, and its scored spans, or None where it points at no places.

    A metric that has both at once may say so by a method ``measure`` with the same result, and is then run once.
    """
    if not isinstance(metric, Localizer):
        return metric.score(pairs), None
    both = getattr(metric, "measure", None)
    if both is None:
        return metric.score(pairs), metric.locate(pairs)
    frame, places = both(pairs)
    return frame, places
