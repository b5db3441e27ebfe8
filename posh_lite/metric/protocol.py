"""What every metric has in common, so that PoSh, a baseline and one's own metric run in the same evaluation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from posh_lite.records import Pair

if TYPE_CHECKING:
    import pandas as pd


@runtime_checkable
class Metric(Protocol):
    """A metric of image descriptions.

    Attributes:
        name: short and unique, for tables.
        needs: what it cannot do without, of "reference", "image", "gpu", "network", "java".

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

        Higher is better in each; NaN where the metric does not say.
        """
        ...
