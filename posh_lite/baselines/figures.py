"""What the baselines share: one row a pair, figures that may be undefined for a stated reason, and signatures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING, Any

from posh_lite.records import Pair

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Figure:
    """The scores of one pair. ``reason`` says why one of them is undefined."""

    mistakes: float
    omissions: float
    overall: float
    reason: str = ""


def single(value: float, reason: str = "") -> Figure:
    """One figure for all three dimensions, as the PoSh paper's table of coarse results has it."""
    return Figure(value, value, value, reason)


def undefined(reason: str) -> Figure:
    """No figure at all, for the given reason."""
    return single(math.nan, reason)


def harmonic(a: float, b: float) -> float:
    """Harmonic mean of two figures of at least 0; 0 where one is 0, NaN where one is undefined."""
    if math.isnan(a) or math.isnan(b):
        return math.nan
    return 2 * a * b / (a + b) if a > 0 and b > 0 else 0.0


def two_sided(
    precision: float, recall: float, *, by_side: bool, overall: float | None = None, reason: str = ""
) -> Figure:
    """A metric with a precision and a recall: its F1 three times, or each side's own figure with ``by_side``.

    Args:
        precision: how far the generation is borne out, the figure of mistakes.
        recall: how far the reference is conveyed, the figure of omissions.
        by_side: whether mistakes and omissions get the figure of their side.
        overall: the single figure where it is not the harmonic mean of the two.
        reason: why a figure is undefined.
    """
    value = harmonic(precision, recall) if overall is None else overall
    return Figure(precision, recall, value, reason) if by_side else single(value, reason)


def table(pairs: Sequence[Pair], figures: Iterable[Figure]) -> pd.DataFrame:
    """The frame that a metric returns; ``frame.attrs["undefined"]`` maps ids to the reasons of undefined figures."""
    import pandas as pd

    rows = [(p.id, float(f.mistakes), float(f.omissions), float(f.overall), f.reason)
            for p, f in zip(pairs, figures, strict=True)]
    frame = pd.DataFrame([r[:4] for r in rows], columns=["id", "mistakes", "omissions", "overall"])
    frame.attrs["undefined"] = {id_: reason for id_, *_, reason in rows if reason}
    return frame


def listed(pairs: Iterable[Any]) -> list[Pair]:
    """Pairs from what users pass, as PoSh takes them: records, dictionaries or (generation, reference)."""
    from posh_lite.metric.posh import as_pair

    return [as_pair(pair, number) for number, pair in enumerate(pairs, start=1)]


def signature(name: str, /, *packages: str, **settings: object) -> str:
    """Everything that the figures depend on, as sacreBLEU writes it: ``name:value`` between bars.

    Args:
        name: of the metric.
        packages: distributions whose versions belong to it.
        settings: the rest, in the order in which it is given.
    """
    from posh_lite import __version__

    parts = [f"metric:{name}", f"posh-lite:{__version__}", *(f"{p}:{version_of(p)}" for p in packages)]
    return "|".join([*parts, *(f"{key}:{value}" for key, value in settings.items())])


def version_of(package: str) -> str:
    """Version of an installed distribution, or "none"."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "none"
