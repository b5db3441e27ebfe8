"""Supported, contradicted and generic share as smooth functions of the place in a caption.

A finer lens than the four quartiles of "Where Do Long Captions Fail?": sentence k of n lies at (k - 1/2) / n, and a
local linear fit with a Gaussian kernel runs through the labels. Bands are simultaneous: they contain the whole curve
with the stated probability (max-t over the resamples of images), not each point of it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.position.composition import Reading, as_labelled, by_model, unit_order
from posh_lite.position.resample import resampled_sums, summarise
from posh_lite.position.types import LABELS, CaptionProfile, Label

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from posh_lite.evaluation.bootstrap import Floats

    Ints = NDArray[np.int64]

#: Standard deviation of the kernel, as a share of the caption.
BANDWIDTH = 0.1
BANDWIDTHS = (0.06, 0.08, 0.1, 0.14, 0.2, 0.3)
SMALLEST = 0.03  # a narrower kernel is zero at the other end of a caption
_FLAT = 1e-9  # below this share of its scale, a window holds a single place and no slope


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """The composition of one model's captions along their course.

    Attributes:
        model: its name.
        at: places from 0 to 1, shape ``(points,)``.
        shares: shape ``(points, 3)``, labels in the order of ``LABELS``; each row sums to 1. Where a line would
            leave 0 to 1, it is cut off and the row made to sum to 1 again.
        low, high: the simultaneous bands, of the same shape; NaN where there is one image only.
        peak: for each label, the place where its share is largest, with the interval of that place.
        n_images: resampled.
        n_sentences: used.
        bandwidth: of the kernel.
        level: of the bands.
        reason: why there is no curve or no band.
    """

    model: str
    at: Floats
    shares: Floats
    low: Floats
    high: Floats
    peak: dict[Label, Estimate]
    n_images: int
    n_sentences: int
    bandwidth: float
    level: float
    reason: str = ""


def positions(profile: CaptionProfile) -> list[float]:
    """Where the sentences of a caption lie: (k - 1/2) / n."""
    n = len(profile.sentences)
    return [(s.number - 0.5) / n for s in profile.sentences]


def smooth(
    profiles: Iterable[CaptionProfile], *, weighted: bool = False, points: int = 41, bandwidth: float = BANDWIDTH,
    n_resamples: int = 2000, level: float = 0.95, seed: int = 0, reading: Reading = as_labelled,
) -> dict[str, Curve]:
    """A curve for every model, over all images that it has.

    Args:
        profiles: of one or several models.
        weighted: count sentences by omega.
        points: of the grid from 0 to 1, at least 2.
        bandwidth: standard deviation of the kernel, at least 0.03. The bands are those of the curve smoothed so far:
            one that bends within a bandwidth is flattened. :func:`choose_bandwidth` picks one.
        n_resamples: B.
        level: of the bands.
        seed: of the draws of images.
        reading: label and weight of a sentence.

    Raises:
        ValueError: a setting is out of range.
    """
    import numpy as np

    if points < 2 or not bandwidth >= SMALLEST or not 0 < level < 1:
        raise ValueError(f"points {points}, bandwidth {bandwidth}, level {level}: out of range")
    grid: Floats = np.linspace(0.0, 1.0, points)
    made = {}
    for model, own in by_model(profiles).items():
        units, unit, place, label, weight = _columns(own, weighted, reading)
        sums = _moments(unit, place, label, weight, len(units), grid, bandwidth)
        shares = _solve(sums.sum(axis=0))
        nothing = np.full_like(shares, math.nan)
        low, high, peak, why = nothing, nothing, {}, ""
        if not len(place):
            why = "no sentence in any caption"
        elif len(units) < 2:
            why = "one image only: no bands"
        replicates = _solve(resampled_sums(sums, n_resamples, seed)) if not why else nothing[None]
        known = np.asarray(~np.isnan(replicates).any(axis=(1, 2)))  # no sentence was drawn
        replicates = replicates[known]
        if not why and 2 * len(replicates) < len(known):
            why = f"undefined in {len(known) - len(replicates)} of {len(known)} resamples: no bands"
        if not why:
            low, high = _bands(shares, replicates, level, len(place))
        for code, name in enumerate(LABELS):
            peak[name] = _peak(grid, shares[:, code], replicates[..., code], len(place), len(units), level, why)
        made[model] = Curve(model, grid, shares, low, high, peak, len(units), len(place), bandwidth, level, why)
    return made


def choose_bandwidth(
    profiles: Sequence[CaptionProfile], bandwidths: Sequence[float] = BANDWIDTHS, *, weighted: bool = False,
    reading: Reading = as_labelled,
) -> float:
    """The bandwidth that predicts the labels of left-out images best, by the Brier score over all models.

    Args:
        profiles: of one or several models.
        bandwidths: to choose from; of equals the first.
        weighted: count sentences by omega.
        reading: label and weight of a sentence.

    Raises:
        ValueError: no bandwidths, or no model has two images with sentences.
    """
    import numpy as np

    losses = dict.fromkeys(bandwidths, 0.0)
    if not losses:
        raise ValueError("no bandwidths to choose from")
    used = 0
    for own in by_model(profiles).values():
        units, unit, place, label, weight = _columns(own, weighted, reading)
        if len(set(unit.tolist())) < 2:
            continue
        used += 1
        grid, where = np.unique(place, return_inverse=True)
        for bandwidth in losses:
            sums = _moments(unit, place, label, weight, len(units), grid, bandwidth)
            left_out = _solve(sums.sum(axis=0)[None] - sums)  # images, places, labels
            errors = ((left_out[unit, where] - np.eye(3)[label]) ** 2).sum(axis=1)
            losses[bandwidth] += float(np.nansum(errors * weight))
    if not used:
        raise ValueError("a bandwidth is chosen by leaving images out: at least two images with sentences are needed")
    return min(losses, key=lambda h: losses[h])


def _columns(
    profiles: Sequence[CaptionProfile], weighted: bool, reading: Reading
) -> tuple[list[Hashable], Ints, Floats, Ints, Floats]:
    """Images, and by sentence: image, place, label and weight."""
    import numpy as np

    units = sorted({p.unit for p in profiles}, key=unit_order)
    row_of = {unit: row for row, unit in enumerate(units)}
    rows: list[tuple[int, float, int, float]] = []
    for profile in profiles:
        for sentence, place in zip(profile.sentences, positions(profile), strict=True):
            label, weight = reading(profile, sentence)
            rows.append((row_of[profile.unit], place, LABELS.index(label), weight if weighted else 1.0))
    table = np.array(rows, dtype=np.float64).reshape(-1, 4)
    return units, table[:, 0].astype(np.int64), table[:, 1], table[:, 2].astype(np.int64), table[:, 3]


def _moments(
    unit: Ints, place: Floats, label: Ints, weight: Floats, n_units: int, grid: Floats,
    bandwidth: float,
) -> Floats:
    """Kernel sums of each image at each point, shape ``(images, points, 7)``.

    The kernel sum and first moment of every label, then the second moment of all. Those of all labels are made from
    these by addition, so that a label that all sentences have gets a share of exactly 1.
    """
    import numpy as np

    sums = np.zeros((n_units, len(grid), 7))
    if not len(place):
        return sums
    away = place[:, None] - grid
    kernel = np.exp(-0.5 * (away / bandwidth) ** 2) * weight[:, None]
    for code in range(3):
        own = label == code
        np.add.at(sums[..., code], unit[own], kernel[own])
        np.add.at(sums[..., 3 + code], unit[own], (kernel * away)[own])
    np.add.at(sums[..., 6], unit, kernel * away**2)
    return sums


def _solve(sums: Floats) -> Floats:
    """The local linear fit at each point; the local mean where the window holds one place only.

    Args:
        sums: shape ``(..., 7)``, see :func:`_moments`.

    Returns:
        Shares, shape ``(..., 3)``; NaN where there is nothing.
    """
    import numpy as np

    zero, first, second = sums[..., 0:3], sums[..., 3:6], sums[..., 6:7]
    zero_all = (zero[..., 0] + zero[..., 1] + zero[..., 2])[..., None]
    first_all = (first[..., 0] + first[..., 1] + first[..., 2])[..., None]
    below = second * zero_all - first_all * first_all
    with np.errstate(invalid="ignore", divide="ignore"):
        linear = (second * zero - first_all * first) / below
        level = np.where(zero_all > 0, zero / zero_all, np.nan)
        fitted = np.clip(np.where(below > _FLAT * second * zero_all, linear, level), 0.0, 1.0)
        total = (fitted[..., 0] + fitted[..., 1] + fitted[..., 2])[..., None]
        return np.asarray(fitted / total)


def _bands(shares: Floats, replicates: Floats, level: float, n: int) -> tuple[Floats, Floats]:
    """The simultaneous band of each label, ``(points, 3)`` twice: its spread at each point times one factor a label.

    Made on the scale of log odds, so that a band stays within 0 and 1; shares closer to these than half a sentence in
    ``n`` count as half a sentence. On the plain scale, and on that of arcsines, bands of small shares are too short.
    Even so they hold less than they promise where a few sentences carry a label: no resample brings the rest.
    """
    import numpy as np
    from scipy.special import expit, logit

    nearest = 0.5 / max(n, 2)
    middle = logit(np.clip(shares, nearest, 1 - nearest))
    drawn = logit(np.clip(replicates, nearest, 1 - nearest))
    spread = drawn.std(axis=0, ddof=1) if len(drawn) > 1 else np.zeros_like(shares)
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = np.where(spread > 0, np.abs(drawn - middle) / spread, 0.0)
    half = spread * np.quantile(scaled.max(axis=1), level, axis=0)
    low, high = expit(middle - half), expit(middle + half)
    low, high = np.where(low <= nearest, 0.0, low), np.where(high >= 1 - nearest, 1.0, high)
    still = spread < 1e-9  # the label has the same share in every resample
    return np.where(still, shares, np.minimum(low, shares)), np.where(still, shares, np.maximum(high, shares))


def _peak(
    grid: Floats, share: Floats, replicates: Floats, n: int, n_units: int, level: float, why: str
) -> Estimate:
    """Where a share is largest; undefined where it is the same everywhere."""
    import numpy as np

    known = not why.startswith("no sentence") and float(np.ptp(share)) > 1e-12
    value = float(grid[int(np.argmax(share))]) if known else math.nan
    places = grid[np.argmax(replicates, axis=1)] if not why else np.full(1, math.nan)
    return summarise(value, places, n=n, n_units=n_units, level=level, method="place of the peak",
                     reason=why or "the share is the same everywhere")
