"""What the published figures on rewards allow to be said: intervals where counts are printed, bounds where not.

Nothing here is a new measurement. A figure is either recomputed from printed counts, or bounded by what the scale, the
rounding or another table leaves open. PoSh, Table 7; "Where Do Long Captions Fail?", Tables 3 to 5 and 14 to 21.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.paper_figures import Printed, bounds, published
from posh_lite.position.robust import implied_spread
from posh_lite.position.winrate import wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIMENSIONS = ("mistakes", "omissions", "overall")
OPPONENTS = ("Base", "SFT", "CapRL")
#: Columns of Table 5 and 20 that Table 21 has a spread between seeds for.
SEEDED = ("d_mid", "s_q4", "h_q4")


def count(name: str) -> int:
    """A whole number of the running text, by its id."""
    return int(published().at(f"statement:{name}").value)


def at(reference: str) -> float:
    """A printed figure, by ``label/row/column`` or ``statement:id``."""
    return float(published().at(reference).value)


# -- a mean of labels without its labels (PoSh, Table 7) -----------------------------------------------------


@dataclass(frozen=True, slots=True)
class LabelMean:
    """A mean of ``n`` whole labels from ``-reach`` to ``reach``, and the intervals it may have.

    Attributes:
        value: the mean.
        n: labels.
        least_sd, most_sd: of any labels with this mean: all at the two whole numbers around it, or all at the ends.
        narrow, wide: 95% t intervals with these.
        sure: an interval that holds whatever the labels are (Hoeffding 1963), cut off at the ends of the scale.
        limit_sd: the t interval leaves zero out as long as the labels' standard deviation is below this.
    """

    value: float
    n: int
    least_sd: float
    most_sd: float
    narrow: tuple[float, float]
    wide: tuple[float, float]
    sure: tuple[float, float]
    limit_sd: float


def label_mean(value: float, n: int, *, reach: int = 2, level: float = 0.95) -> LabelMean:
    """Bounds on the uncertainty of a mean of labels whose spread is not printed.

    Args:
        value: within ``reach`` of zero.
        n: labels, at least 2, taken as independent.
        reach: of the scale to either side.
        level: of the intervals.

    Raises:
        ValueError: a number is out of range.
    """
    from scipy.special import stdtrit

    if n < 2 or abs(value) > reach or not 0 < level < 1:
        raise ValueError(f"a mean of {value} over {n} labels from {-reach} to {reach}, level {level}")
    part = value - math.floor(value)
    scale = math.sqrt(n / (n - 1))  # from the spread of these labels to the estimate of the spread
    least, most = scale * math.sqrt(part * (1 - part)), scale * math.sqrt(reach**2 - value**2)
    t = float(stdtrit(n - 1, (1 + level) / 2)) / math.sqrt(n)

    def around(half: float) -> tuple[float, float]:
        return max(-reach, value - half), min(reach, value + half)

    sure = 2 * reach * math.sqrt(math.log(2 / (1 - level)) / (2 * n))
    return LabelMean(value, n, least, most, around(t * least), around(t * most), around(sure), abs(value) / t)


def sft_against_dapo(n: int | None = None) -> dict[str, LabelMean]:
    """The three means of PoSh's Table 7 over ``n`` pairs, by default the 40 of the text."""
    n = n or count("rl_pairs")
    return {d: label_mean(at(f"rl_results/{d}/posh_vs_sft"), n) for d in DIMENSIONS}


def pairs_needed(value: float, sd: float, *, power: float = 0.8, level: float = 0.95) -> int:
    """Pairs with which a mean of this size would be told from zero with this power (normal approximation)."""
    from scipy.special import ndtri

    if not value or sd <= 0 or not 0 < power < 1:
        raise ValueError(f"a mean of {value} with a standard deviation of {sd}, power {power}")
    return math.ceil(((float(ndtri((1 + level) / 2)) + float(ndtri(power))) * sd / value) ** 2)


def alpha_range(
    alpha: float, *, units: int = 5, raters: int = 3, draws: int = 2000, sd: float = 1.0, seed: int = 0
) -> tuple[float, float, float]:
    """What alpha a small study would print if the true one were this: a simulation.

    Labels are the rounded sum of a part that raters share and a part of their own, cut off at -2 and 2. The share of
    the first part is set so that alpha over very many units is the one asked for.

    Returns:
        2.5%, 50% and 97.5% of interval alpha over the draws; draws without any spread are left out.

    Raises:
        ValueError: alpha is not within [0, 1).
    """
    import numpy as np

    if not 0 <= alpha < 1:
        raise ValueError(f"alpha must be in [0, 1), got {alpha}")
    random = np.random.default_rng(seed)
    low, high = 0.0, 1.0
    many = random.standard_normal((20_000, 1 + raters))
    for _ in range(25):
        share = (low + high) / 2
        made = float(_alphas(_labels(many, share, sd)[None])[0])
        low, high = (share, high) if made < alpha else (low, share)
    few = random.standard_normal((draws, units, 1 + raters))
    found = _alphas(_labels(few, share, sd))
    ends = np.nanquantile(found, [0.025, 0.5, 0.975])
    return float(ends[0]), float(ends[1]), float(ends[2])


def _labels(normal: NDArray[np.float64], share: float, sd: float) -> NDArray[np.float64]:
    import numpy as np

    mixed = math.sqrt(share) * normal[..., :1] + math.sqrt(1 - share) * normal[..., 1:]
    return np.clip(np.rint(sd * mixed), -2, 2)


def _alphas(labels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Interval alpha of complete tables, shape ``(draws, units, raters)``; NaN where nothing varies."""
    import numpy as np

    n, m = labels.shape[1] * labels.shape[2], labels.shape[2]
    inside = labels.var(axis=2, ddof=1).mean(axis=1)  # mean squared difference within a unit, halved
    whole = labels.reshape(len(labels), -1).var(axis=1, ddof=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where((whole > 0) & (m > 1) & (n > 1), 1 - inside / whole, np.nan)


# -- wins (Table 4) ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Wins:
    """Wins of PAGER over one opponent on IIW-400, ties left out as in the paper.

    Attributes:
        opponent: or "all three" for the pooled row.
        wins, losses: as the text prints them.
        share: of decided comparisons.
        ties_half: share if all images were compared, what is not printed were ties, and a tie were half a win.
    """

    opponent: str
    wins: int
    losses: int
    share: Estimate
    ties_half: float


def wins(images: int = 400) -> list[Wins]:
    """Table 4's win rates on IIW-400 from the counts of section 5.2, with the pooled row last.

    Args:
        images: of the data set; how many comparisons were made is not printed.
    """
    rows = [(name, count(f"wins_{name.lower()}"), count(f"losses_{name.lower()}"), images) for name in OPPONENTS]
    rows.append(("all three", count("pooled_wins"), count("pooled_losses"), images * len(rows)))
    return [Wins(name, won, lost, wilson(won, won + lost), 0.5 + (won - lost) / (2 * n)) for name, won, lost, n in rows]


def implied_counts(
    rates: Sequence[Printed], pooled: Printed, most: int = 400
) -> list[tuple[tuple[int, int], ...]]:
    """All numbers of wins and comparisons of three baselines that give their printed rates and the pooled one.

    Args:
        rates: of the baselines, in per cent.
        pooled: of the model they all lost to, in per cent.
        most: comparisons of one baseline.

    Returns:
        For each solution (wins, comparisons) of every baseline, fewest comparisons first.
    """
    import numpy as np

    options = []
    for rate in rates:
        low, high = float(rate.low), float(rate.high)
        own = [(w, n) for n in range(1, most + 1)
               for w in range(max(0, math.ceil(low * n / 100 - 1e-9)), min(n, math.floor(high * n / 100 + 1e-9)) + 1)]
        options.append(np.array(own, dtype=np.int64).reshape(-1, 2))
    if any(not len(own) for own in options):
        return []
    places = np.array(list(product(*(range(len(own)) for own in options[:-1]))))
    head = sum(options[k][places[:, k]] for k in range(len(options) - 1))
    found = []
    low, high = 100 - float(pooled.high), 100 - float(pooled.low)
    for last in options[-1]:
        total = head + last
        rate = 100 * total[:, 0] / total[:, 1]
        for row in np.flatnonzero((rate >= low - 1e-9) & (rate <= high + 1e-9)):
            parts = [options[k][places[row, k]] for k in range(len(options) - 1)] + [last]
            found.append(tuple((int(w), int(n)) for w, n in parts))
    return sorted(found, key=lambda s: (sum(n for _, n in s), s))


def counts_of(dataset: str, most: int = 400) -> list[tuple[tuple[int, int], ...]]:
    """:func:`implied_counts` of the four rates of Table 4 on a dataset, in the order Base, SFT, CapRL."""
    table = [published().at(f"global_benchmarks/{dataset},{row}/caparena4") for row in (*OPPONENTS, "PAGER")]
    return implied_counts(table[:3], table[3], most)


# -- two shares (Table 16), seeds (Table 21) -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TwoShares:
    """A difference of two shares with the printed interval and what two samples of their size give.

    Attributes:
        category: of the residual audit.
        base, pager, difference: shares, second minus first.
        printed: the interval of the paper.
        newcombe: for two independent samples (Newcombe 1998, method 10).
        width_ratio: printed width over that one.
        drawn_without: the same with the correction for sampling a large part of small pools.
    """

    category: str
    base: float
    pager: float
    difference: float
    printed: tuple[float, float]
    newcombe: tuple[float, float]
    width_ratio: float
    drawn_without: tuple[float, float]


def newcombe(first: Estimate, second: Estimate, shrink: tuple[float, float] = (1.0, 1.0)) -> tuple[float, float]:
    """Interval of ``second - first`` from two Wilson intervals whose arms may be shrunk."""
    gap = second.value - first.value
    a, b = shrink
    down = math.hypot(b * (second.value - second.low), a * (first.high - first.value))
    up = math.hypot(b * (second.high - second.value), a * (first.value - first.low))
    return gap - down, gap + up


def residual() -> list[TwoShares]:
    """Table 16 beside intervals of two samples of about 100 sentences each."""
    n, pools = count("residual_sample"), (count("pool_base"), count("pool_pager"))
    shrink = tuple(math.sqrt(max(pool - n, 0) / (pool - 1)) for pool in pools)
    rows = []
    for row in published().sheet("residual_audit").cells:
        if row == "kappa":
            continue
        base, pager, gap, low, high = (at(f"residual_audit/{row}/{c}") / 100 for c in
                                       ("base", "pager", "difference", "low", "high"))
        one, two = (wilson(round(share * n), n) for share in (base, pager))
        own = newcombe(one, two)
        rows.append(TwoShares(row, base, pager, gap, (low, high), own, (high - low) / (own[1] - own[0]),
                              newcombe(one, two, (shrink[0], shrink[1]))))
    return rows


@dataclass(frozen=True, slots=True)
class Seeds:
    """Three training seeds of one size and quantity.

    Attributes:
        backbone, quantity: row of Table 21.
        mean: printed.
        spread: standard deviation between seeds that the printed interval stands for.
        spread_range: what the rounding of its ends leaves open.
        single: the earlier run of Table 20.
        gap: half width of a 95% interval for the difference of two further single runs.
    """

    backbone: str
    quantity: str
    mean: float
    spread: float
    spread_range: tuple[float, float]
    single: float
    gap: float


def seeds() -> list[Seeds]:
    """Table 21's intervals turned into spreads between seeds, and these into differences that seeds alone make."""
    from scipy.special import stdtrit

    n = count("seeds")
    t = float(stdtrit(n - 1, 0.975))
    rows = []
    for backbone in ("8B", "32B"):
        for quantity in SEEDED:
            row = f"three_seeds/{backbone},{quantity}"
            low, high = (published().at(f"{row}/{end}") for end in ("low", "high"))
            spread = implied_spread(float(low.value), float(high.value), n)
            widths = bounds(lambda a, b: b - a, low, high)
            open_ = tuple(implied_spread(0.0, max(0.0, float(w)), n) for w in widths)
            rows.append(Seeds(backbone, quantity, at(f"{row}/mean"), spread, (open_[0], open_[1]),
                              at(f"transfer/PAGER,{backbone}/{quantity}"), t * math.sqrt(2) * spread))
    return rows


def ablation_differences() -> dict[str, dict[str, tuple[float, tuple[float, float]]]]:
    """Table 5: every variant minus the full reward, with what the rounding of both leaves open.

    Returns:
        variant -> column -> difference and its (least, greatest) value.
    """
    sheet = published().sheet("component_ablations")
    full, *others = sheet.cells
    columns = [c for c in sheet.columns if c != "variant"]
    found: dict[str, dict[str, tuple[float, tuple[float, float]]]] = {}
    for variant in others:
        found[variant] = {}
        for column in columns:
            one, two = (published().at(f"component_ablations/{r}/{column}") for r in (variant, full))
            low, high = bounds(lambda a, b: a - b, one, two)
            found[variant][column] = (float(one.value - two.value), (float(low), float(high)))
    return found


def facts_per_caption(dataset: str, method: str) -> float:
    """Facts of a caption as the two means of Table 4 suggest: density times length (not the mean of the products)."""
    g = f"global_benchmarks/{dataset},{method}"
    return at(f"{g}/facts_per_100_tokens") * at(f"{g}/length") / 100
