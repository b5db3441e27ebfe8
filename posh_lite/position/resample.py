"""Sums by image, resampled for all models at once, and what the resamples say of a value.

Appendix A.4 of "Where Do Long Captions Fail?": a replicate draws images with replacement, pools the sentences of
the drawn images and aggregates again. Every model is seen on the same draws, so differences are paired.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from posh_lite.evaluation.bootstrap import Estimate, resample_weights

if TYPE_CHECKING:
    from posh_lite.evaluation.bootstrap import Floats

METHOD = "percentile bootstrap over images"


def resampled_sums(sums: Floats, n_resamples: int, seed: int) -> Floats:
    """Sums over the images of each resample.

    Args:
        sums: by image in the first axis, shape ``(images, ...)``.
        n_resamples: B.
        seed: of the draws; they are those of :func:`~posh_lite.evaluation.bootstrap.resample_weights`.

    Returns:
        Shape ``(B, ...)``.

    Raises:
        ValueError: B is below 1.
    """
    if n_resamples < 1:
        raise ValueError(f"n_resamples must be at least 1, got {n_resamples}")
    flat = sums.reshape(len(sums), math.prod(sums.shape[1:]))
    return (resample_weights(len(sums), n_resamples, seed) @ flat).reshape(n_resamples, *sums.shape[1:])


def summarise(
    value: float, replicates: Floats, *, n: int, n_units: int, level: float = 0.95, n_dropped: int = 0,
    method: str = "", reason: str = "undefined for these values",
) -> Estimate:
    """A value and the percentile interval of its replicates, by the rules of ``evaluation.bootstrap.bootstrap``.

    Args:
        value: on all images.
        replicates: shape ``(B,)``; NaN where a resample leaves it undefined.
        n: rows used, such as sentences.
        n_units: images.
        level: coverage, between 0 and 1.
        n_dropped: rows left out.
        method: name of the value, kept in the result.
        reason: why the value would be undefined.

    Raises:
        ValueError: ``level`` is out of range.
    """
    import numpy as np

    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}")
    total, name = len(replicates), f"{method}, {METHOD}".lstrip(", ")
    defined = replicates[~np.isnan(replicates)]
    undefined = total - len(defined)
    nan, why = math.nan, ""
    if math.isnan(value) or n_units < 2:
        why = reason if math.isnan(value) else "one image only: no interval"
        undefined = total
    elif len(defined) * 2 < total:
        why = f"undefined in {undefined} of {total} resamples: no interval"
    if why:
        return Estimate(value, nan, nan, n, n_units, undefined, total, n_dropped, level, name, why)
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(value, float(low), float(high), n, n_units, undefined, total, n_dropped, level, name)


def share_explained(floor: Estimate, floor_replicates: Floats, effect: Estimate, effect_replicates: Floats) -> Estimate:
    """What share of an effect a floor has too, such as that of honest human texts: floor over effect.

    Args:
        floor: the effect in the control, and its replicates.
        floor_replicates: shape ``(B,)``.
        effect: the effect of a model.
        effect_replicates: shape ``(B,)``, from the same draws where the images are the same, else from another seed.

    Returns:
        The ratio, undefined where the effect is, and without an interval where that of the effect includes zero: the
        ratio then has no finite bounds.

    Raises:
        ValueError: the numbers of replicates differ.
    """
    import numpy as np

    if floor_replicates.shape != effect_replicates.shape:
        raise ValueError(f"{len(floor_replicates)} and {len(effect_replicates)} replicates")
    usable = effect.value != 0 and not math.isnan(effect.value)
    value = floor.value / effect.value if usable else math.nan
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = np.where(effect_replicates != 0, floor_replicates / effect_replicates, np.nan)
    n, n_units = min(floor.n, effect.n), min(floor.n_units, effect.n_units)
    made = summarise(value, ratios, n=n, n_units=n_units, level=effect.level, method="share of the effect",
                     reason="no effect to explain" if effect.value == 0 else effect.reason or floor.reason)
    if math.isnan(value) or math.isnan(effect.low) or not effect.low <= 0 <= effect.high:
        return made
    return Estimate(value, math.nan, math.nan, n, n_units, made.n_undefined, made.n_resamples, 0, made.level,
                    made.method, "the effect may be zero: no interval")
