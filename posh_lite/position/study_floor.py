"""How much of an effect honest human texts show too: the floor, against captions here and against the paper's models.

The paper's own control holds a text against itself and so has no floor by construction. Another person's text of the
same image is honest, and yet its reference does not bear out every sentence of it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.position.composition import unit_order
from posh_lite.position.effects import Diagnosis, diagnose
from posh_lite.position.published import MEAN, models, printed_profiles, published_effects
from posh_lite.position.resample import share_explained, summarise
from posh_lite.position.types import CaptionProfile, Label

if TYPE_CHECKING:
    from posh_lite.evaluation.bootstrap import Floats

#: The quantities that a floor is stated for.
QUANTITIES = ("d_mid", "d_tail", "g_q1", "g_q4", "h_q1", "h_q2", "h_q3", "h_q4")
#: Draws of models and of the floor are apart, since the images are others.
FLOOR_SEED = 1
_OF: dict[str, Label] = {"s": "Supported", "h": "Contradicted", "g": "Generic"}


@dataclass(frozen=True, slots=True)
class Explained:
    """A quantity of a model, of the floor, and their ratio."""

    quantity: str
    model: str
    value: Estimate
    floor: Estimate
    share: Estimate

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"quantity": self.quantity, "model": self.model, "value": short(self.value),
                "floor": short(self.floor), "share": short(self.share)}


def short(e: Estimate) -> dict[str, Any]:
    """An estimate for a record, without what is the same in all of it; ``estimate_from_dict`` reads it."""
    kept = ("value", "low", "high", "n", "n_units")
    return {k: v for k, v in e.to_dict().items() if k in kept or (k in ("reason", "n_dropped") and v)}


def floor_diagnosis(profiles: Sequence[CaptionProfile], name: str = "another writer", **settings: Any) -> Diagnosis:
    """The diagnosis of a control as one model, with the floor's own draws.

    Args:
        profiles: of one or both directions; texts of one image are pooled.
        name: of the control.
        settings: further keywords of :func:`~posh_lite.position.effects.diagnose`.
    """
    own = [replace(p, model=name, id=f"{number} {p.id}") for number, p in enumerate(profiles)]
    return diagnose(own, **{"seed": FLOOR_SEED, **settings})


def explained_here(made: Diagnosis, model: str, floor: Diagnosis) -> list[Explained]:
    """What share of each quantity of a model the floor has too; both resampled, apart from each other."""
    (control,) = floor.models
    return [
        Explained(q, model, made.estimate(model, q), floor.estimate(control, q),
                  made.explained(model, q, floor, control))
        for q in QUANTITIES
    ]


def explained_published(floor: Diagnosis) -> list[Explained]:
    """The floor over the unweighted figures of the paper's six models and of their mean.

    The intervals hold the uncertainty of the floor alone: the paper prints none for these figures. Corpus, extractor
    and verifier are others than here, so the ratios are an order of magnitude, not an estimate for the paper's setting.

    Raises:
        ValueError: the floor is weighted, which the printed quartiles are not.
    """
    if floor.weighted:
        raise ValueError("the paper's quartiles are unweighted: diagnose the floor with weighted=False")
    (control,) = floor.models
    effects = {(e.model, e.quantity): e.unweighted for e in published_effects()}
    profiles = printed_profiles(human=False)
    found = []
    for model in (*models(), MEAN):
        for quantity in QUANTITIES:
            if quantity in ("d_mid", "d_tail"):
                value = effects[model, quantity]
            else:
                label, place = _OF[quantity[0]], int(quantity[-1]) - 1
                every = [profiles[m][place][label].value for m in (models() if model == MEAN else (model,))]
                value = sum(every) / len(every)
            bare = Estimate(value, math.nan, math.nan, 0, floor.n_images, method="Table 7, unweighted",
                            reason="no interval is printed")
            own = floor.estimate(control, quantity)
            found.append(Explained(quantity, model, bare, own, _over(own, value)))
    return found


def _over(floor: Estimate, value: float) -> Estimate:
    if not value:
        return replace(floor, value=math.nan, low=math.nan, high=math.nan, reason="no effect to explain")
    ends = sorted((floor.low / value, floor.high / value))
    return replace(floor, value=floor.value / value, low=ends[0], high=ends[1], method="floor over a printed figure")


def unsupported_shares(
    model: Sequence[CaptionProfile], people: Mapping[str, Sequence[CaptionProfile]], n_resamples: int
) -> dict[str, Any]:
    """Unsupported specific sentences of a model beside those of honest writers, and what share the floor explains.

    Every sentence counts once. Of a whole caption ("all") and by quarter; the floor pools the sets of people, and its
    images are drawn apart from the model's.

    Args:
        model: captions through the two-sided lens.
        people: honest texts through it, by direction.
        n_resamples: B.

    Returns:
        By quantity ("all", "q1" to "q4") the shares of the model, of each set of people and of all of them ("floor"),
        the model's minus the floor's, and over the model's the floor ("explained") and each of its directions
        ("explained by ...").
    """
    pooled = [p for own in people.values() for p in own]
    found: dict[str, Any] = {}
    for quarter in (None, 1, 2, 3, 4):
        own = _share(model, quarter, n_resamples, 0)
        floor = _share(pooled, quarter, n_resamples, FLOOR_SEED)
        gap = summarise(own[0].value - floor[0].value, own[1] - floor[1], n=own[0].n + floor[0].n,
                        n_units=min(own[0].n_units, floor[0].n_units), method="model minus floor")
        ways = {n: _share(p, quarter, n_resamples, FLOOR_SEED) for n, p in people.items()}
        found["all" if quarter is None else f"q{quarter}"] = {
            "model": short(own[0]), **{n: short(e) for n, (e, _) in ways.items()},
            **{f"explained by {n}": short(share_explained(*way, *own)) for n, way in ways.items()},
            "floor": short(floor[0]), "model_minus_floor": short(gap),
            "explained": short(share_explained(*floor, *own)),
        }
    return found


def _share(
    profiles: Sequence[CaptionProfile], quarter: int | None, n_resamples: int, seed: int
) -> tuple[Estimate, Floats]:
    """Share of sentences that are unsupported, and its replicates over images."""
    import numpy as np

    units = sorted({p.unit for p in profiles}, key=unit_order)
    row = {unit: k for k, unit in enumerate(units)}
    sums = np.zeros((len(units), 2))
    for p in profiles:
        own = [s for s in p.sentences if quarter is None or s.quartile == quarter]
        sums[row[p.unit]] += (sum(s.unsupported for s in own), len(own))
    draws = np.random.default_rng(seed).integers(0, len(units), size=(n_resamples, len(units)))
    drawn = sums[draws].sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        replicates = drawn[:, 0] / drawn[:, 1]
    total = sums.sum(axis=0)
    value = float(total[0] / total[1]) if total[1] else math.nan
    return summarise(value, replicates, n=int(total[1]), n_units=len(units), method="unsupported share"), replicates


def length_paired(
    first: Sequence[CaptionProfile], second: Sequence[CaptionProfile], *, within: float = 1.25, seed: int = 0
) -> tuple[list[CaptionProfile], list[CaptionProfile]]:
    """Captions of two corpora in couples of nearly one length, each used once.

    The images differ, so captions are coupled by their number of sentences alone; who is coupled with whom among equals
    is drawn.

    Args:
        first: such as a captioner's captions.
        second: such as human texts.
        within: the longer of a couple has at most this many times the sentences of the shorter.
        seed: of the draw.

    Returns:
        Those of both that found a partner, in couples, shortest first.

    Raises:
        ValueError: ``within`` is below 1.
    """
    if not within >= 1:
        raise ValueError(f"within must be at least 1, got {within}")
    ordered = []
    for number, own in enumerate((first, second)):
        rows = sorted((p for p in own if p.sentences), key=lambda p: (unit_order(p.unit), p.id))
        random.Random(f"{seed} {number}").shuffle(rows)
        ordered.append(sorted(rows, key=lambda p: len(p.sentences)))
    left, right = ordered
    couples: tuple[list[CaptionProfile], list[CaptionProfile]] = ([], [])
    i = j = 0
    while i < len(left) and j < len(right):
        a, b = len(left[i].sentences), len(right[j].sentences)
        if max(a, b) <= within * min(a, b):
            couples[0].append(left[i])
            couples[1].append(right[j])
            i, j = i + 1, j + 1
        elif a < b:
            i += 1
        else:
            j += 1
    return couples


def on_images(profiles: Sequence[CaptionProfile], units: Sequence[Hashable]) -> list[CaptionProfile]:
    """The captions of some images."""
    wanted = set(units)
    return [p for p in profiles if p.unit in wanted]
