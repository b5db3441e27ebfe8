"""The paper's six models: profiles of its Table 7, effects recomputed from them, and the weighted ones of its text.

Table 7 of "Where Do Long Captions Fail?" counts sentences one by one; section 3 states weighted effects for some
models. The printed arithmetic of all tables is checked by ``posh_lite.audit``; here it is put into the form in which
one's own captions are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.paper_figures import bounds, is_figure, published
from posh_lite.position.effects import EFFECTS
from posh_lite.position.types import LABELS, Label

if TYPE_CHECKING:
    from decimal import Decimal

    from posh_lite.paper_figures import Printed

TABLE = "unweighted_diagnostics"
HUMAN = "Human ref."
MEAN = "mean of six models"
_LETTERS: dict[Label, str] = {"Supported": "s", "Contradicted": "h", "Generic": "g"}
_SHIFTS: dict[str, Label] = {"d_tail": "Generic", "delta_s": "Supported", "delta_h": "Contradicted"}
#: Where the text gives a weighted effect of one model or of the mean, beside the rows of the table "recovered".
_STATED = {
    (MEAN, "d_mid"): "statement:mean_d_mid", (MEAN, "d_tail"): "statement:mean_d_tail",
    (MEAN, "delta_s"): "statement:mean_delta_s", (HUMAN, "d_mid"): "human_control/d_mid/human",
    (HUMAN, "d_tail"): "human_control/d_tail/human",
}


def models() -> tuple[str, ...]:
    """The six captioners of Table 7, in its order, without the human references."""
    return tuple(row for row in published().sheet(TABLE).cells if row != HUMAN)


def images() -> int:
    """How many images the paper's diagnosis has."""
    return int(published().at("statement:diagnostic_images").value)


def printed_profiles(*, human: bool = True) -> dict[str, tuple[dict[Label, Estimate], ...]]:
    """Unweighted shares by quartile of every model of Table 7, in the form of ``Diagnosis.profile``.

    Args:
        human: with the row of the human references.

    Returns:
        Estimates without intervals: Table 7 has none. ``n_units`` is the number of images; sentences are not printed.
    """
    rows = [*models(), HUMAN] if human else list(models())
    return {
        row: tuple(
            {label: _bare(float(_share(row, label, place).value), "Table 7, unweighted") for label in LABELS}
            for place in (1, 2, 3, 4)
        )
        for row in rows
    }


def _share(row: str, label: Label, quartile: int) -> Printed:
    return published().at(f"{TABLE}/{row}/{_LETTERS[label]}_q{quartile}")


def _bare(value: float, method: str) -> Estimate:
    return Estimate(value, math.nan, math.nan, 0, images(), method=method)


@dataclass(frozen=True, slots=True)
class PublishedEffect:
    """An effect of a model of the paper in both of its readings.

    Attributes:
        model: of Table 7, or the mean of the six.
        quantity: one of ``EFFECTS``.
        unweighted: recomputed from the printed quartiles.
        rounding: least and greatest value that the rounding of the quartiles leaves open.
        weighted: as the text, Table 1 or Table 19 state it, with the interval where one is printed; NaN with a reason
            where the paper as it can be read has none.
    """

    model: str
    quantity: str
    unweighted: float
    rounding: tuple[float, float]
    weighted: Estimate


def published_effects() -> list[PublishedEffect]:
    """Effects of the six models, of their mean, and of the human references, unweighted and weighted."""
    own = [
        PublishedEffect(row, effect, *_recomputed(row, effect), _weighted(row, effect))
        for row in (*models(), HUMAN) for effect in EFFECTS
    ]
    for effect in EFFECTS:
        six = [e for e in own if e.quantity == effect and e.model != HUMAN]
        ends = tuple(sum(e.rounding[k] for e in six) / len(six) for k in (0, 1))
        mean = sum(e.unweighted for e in six) / len(six)
        own.append(PublishedEffect(MEAN, effect, mean, (ends[0], ends[1]), _weighted(MEAN, effect)))
    return own


def _mid(h2: Decimal, h3: Decimal, h1: Decimal) -> Decimal:
    return (h2 + h3) / 2 - h1


def _shift(last: Decimal, first: Decimal) -> Decimal:
    return last - first


def _recomputed(row: str, effect: str) -> tuple[float, tuple[float, float]]:
    """The value from the printed quartiles, and what their rounding leaves open."""
    if effect == "d_mid":
        figures = [_share(row, "Contradicted", quartile) for quartile in (2, 3, 1)]
    else:
        figures = [_share(row, _SHIFTS[effect], quartile) for quartile in (4, 1)]
    rule: Callable[..., Decimal] = _mid if effect == "d_mid" else _shift
    low, high = bounds(rule, *figures)
    return float(rule(*(f.value for f in figures))), (float(low), float(high))


@cache
def _recovered() -> dict[tuple[str, str], str]:
    """Model and effect -> where a weighted figure of the lost Table 6 is repeated."""
    return {
        (cells["row"], cells["quantity"]): cells["source"]
        for cells in published().sheet("recovered").cells.values() if cells["row"] in models()
    }


def _weighted(row: str, effect: str) -> Estimate:
    """The weighted effect as printed."""
    place = _STATED.get((row, effect)) or _recovered().get((row, effect))
    if place is None:
        return Estimate(math.nan, math.nan, math.nan, 0, images(), reason="not stated in the paper as it can be read")
    value = float(published().at(place).value)
    low, high = _interval(place)
    return Estimate(value, low, high, 0, images(), method=f"{place}, weighted")


def _interval(place: str) -> tuple[float, float]:
    """The printed interval beside a figure, if any."""
    if place == "statement:d_tail_8b":
        pair = ("statement:d_tail_8b_low", "statement:d_tail_8b_high")
    elif place.endswith("/human"):
        pair = (f"{place}_low", f"{place}_high")
    elif place.startswith("stronger_models/"):
        pair = (place.removesuffix("d_tail") + "low", place.removesuffix("d_tail") + "high")
    else:
        return math.nan, math.nan
    ends = []
    for reference in pair:
        name, row, column = (("statements", reference.removeprefix("statement:"), "value")
                             if reference.startswith("statement:") else reference.split("/"))
        text = published().text(name, row, column)
        ends.append(float(text) if is_figure(text) else math.nan)
    return ends[0], ends[1]
