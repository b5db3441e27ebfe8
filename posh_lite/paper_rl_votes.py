"""Table 15's first places: five people, one hundred images, and how many of the votes are independent."""

from __future__ import annotations

import math
from dataclasses import dataclass

from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.paper_figures import published
from posh_lite.paper_rl import at, count
from posh_lite.position.winrate import wilson


@dataclass(frozen=True, slots=True)
class Votes:
    """A share of first places and the interval it has under different views of what is independent.

    Attributes:
        model: its name.
        votes, n: first places of all.
        independent: every vote on its own.
        by_image: votes of an image alike to the degree of the printed kappa: ``n`` divided by the design effect.
        unanimous: all votes of an image the same: as many independent ones as images.
        by_rater: least and most half width of a t interval over the raters' shares, whose ends alone are printed.
        chance_range: range over raters that independent votes alone would make, on average, for five raters.
    """

    model: str
    votes: int
    n: int
    independent: Estimate
    by_image: Estimate
    unanimous: Estimate
    by_rater: tuple[float, float]
    chance_range: float


#: Mean range of five independent normal values, in standard deviations (Tippett 1925).
_RANGE_OF_FIVE = 2.326


def votes() -> list[Votes]:
    """Table 15 with intervals. Fleiss' kappa stands for the correlation of two votes on one image."""
    sheet, images, raters = published().sheet("preference").cells, count("preference_images"), count("raters")
    n, effect = count("preference_votes"), design_effect()
    rows = []
    for model in sheet:
        own = int(at(f"preference/{model}/votes"))
        share = own / n
        low, high = (at(f"preference/{model}/rater_{end}") / 100 for end in ("low", "high"))
        rows.append(Votes(
            model, own, n, wilson(own, n), wilson(own / effect, n / effect), wilson(share * images, images),
            rater_halves(share, low, high, raters),
            _RANGE_OF_FIVE * math.sqrt(share * (1 - share) / images) if raters == 5 else math.nan,
        ))
    return rows


def design_effect() -> float:
    """How many times fewer independent votes Table 15 has than votes, by its kappa."""
    return 1 + (count("raters") - 1) * at("statement:fleiss_kappa")


def pair_agreement() -> tuple[float, float]:
    """How often two votes on one image agree: by chance, from the shares of Table 15, and as its kappa needs it."""
    n = count("preference_votes")
    chance = sum((at(f"preference/{model}/votes") / n) ** 2 for model in published().sheet("preference").cells)
    return chance, chance + at("statement:fleiss_kappa") * (1 - chance)


def rater_halves(share: float, low: float, high: float, raters: int, *, level: float = 0.95) -> tuple[float, float]:
    """Least and most half width of a t interval over raters of whom the lowest, the highest and the mean are known.

    Args:
        share: the mean over raters.
        low: the lowest rater's.
        high: the highest rater's.
        raters: at least 3.
        level: of the interval.

    Raises:
        ValueError: no raters have these shares.
    """
    from scipy.special import stdtrit

    rest = raters - 2
    if rest < 1:
        raise ValueError(f"{raters} raters")
    others = raters * share - low - high  # sum of those not printed
    if not low * rest - 1e-6 <= others <= high * rest + 1e-6:
        raise ValueError(f"no {raters} raters have shares from {low} to {high} and a mean of {share}")
    ends = (low - share) ** 2 + (high - share) ** 2
    least = ends + rest * (others / rest - share) ** 2
    # spread most where all but one sit at an end
    at_high = min(rest, max(0, math.floor((others - rest * low) / (high - low) + 1e-9))) if high > low else 0
    left = rest - at_high
    most = ends + at_high * (high - share) ** 2
    if left:
        last = others - at_high * high - (left - 1) * low
        most += (left - 1) * (low - share) ** 2 + (last - share) ** 2
    t = float(stdtrit(raters - 1, (1 + level) / 2)) / math.sqrt(raters)
    return t * math.sqrt(least / (raters - 1)), t * math.sqrt(most / (raters - 1))
