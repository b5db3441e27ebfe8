"""Controls for the position effects: shuffled sentences, captions of one length, and effects that were planted.

"Where Do Long Captions Fail?" has one control, people's own references (Table 1). Where sentences are shuffled within
their captions, place means nothing, so what is left of an effect is chance; where captions are as long as those they
are compared with, length explains nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from posh_lite.position.composition import QUARTERS, Bins, Reading, as_labelled, by_model, shares_of
from posh_lite.position.effects import EFFECTS, diagnose, effects_of
from posh_lite.position.robust import reversed_precedence
from posh_lite.position.types import LABELS, CaptionProfile

if TYPE_CHECKING:
    from posh_lite.evaluation.bootstrap import Estimate


@dataclass(frozen=True, slots=True)
class ShuffleTest:
    """An effect against those of the same captions with their sentences shuffled.

    Attributes:
        model: its name.
        quantity: one of ``EFFECTS``.
        value: as observed.
        low, high: between them lie 95 % of the effects of shuffled captions.
        p: share of shuffles, the observed order among them, whose effect is at least as far from zero; two-sided.
        n_shuffles: how many.
        reason: why there is no test.
    """

    model: str
    quantity: str
    value: float
    low: float
    high: float
    p: float
    n_shuffles: int
    reason: str = ""


def shuffle_test(
    profiles: Iterable[CaptionProfile], *, weighted: bool = True, n_shuffles: int = 1000, seed: int = 0,
    bins: Bins = QUARTERS, reading: Reading = as_labelled,
) -> list[ShuffleTest]:
    """Whether effects are larger than place by chance allows: sentences are shuffled within each caption.

    Args:
        profiles: of one or several models.
        weighted: count sentences by omega.
        n_shuffles: at least 1; the smallest possible p is 1 over one more.
        seed: of the shuffles.
        bins: the paper's quartiles by default.
        reading: label and weight of a sentence.

    Raises:
        ValueError: ``n_shuffles`` is below 1.
    """
    import numpy as np

    if n_shuffles < 1:
        raise ValueError(f"n_shuffles must be at least 1, got {n_shuffles}")
    rows = []
    for model, own in by_model(profiles).items():
        table = np.array([
            (caption, bins.of(s.number, len(p.sentences)) - 1, LABELS.index(label), weight if weighted else 1.0)
            for caption, p in enumerate(own) for s in p.sentences for label, weight in [reading(p, s)]
        ], dtype=np.float64).reshape(-1, 4)
        caption, place, label = (table[:, k].astype(np.int64) for k in range(3))
        generator = np.random.default_rng(seed)
        sums = np.zeros((n_shuffles + 1, bins.n * 3))
        for turn in range(n_shuffles + 1):
            # captions stand one after the other, so sorting by caption and chance moves sentences within them
            order = np.argsort(caption + generator.random(len(caption))) if turn else np.arange(len(caption))
            sums[turn] = np.bincount(place * 3 + label[order], weights=table[order, 3], minlength=bins.n * 3)
        found = effects_of(shares_of(sums.reshape(-1, bins.n, 3)))
        for column, name in enumerate(EFFECTS):
            value, others = float(found[0, column]), found[1:, column]
            others = others[~np.isnan(others)]
            if math.isnan(value) or not len(others):
                rows.append(ShuffleTest(model, name, value, math.nan, math.nan, math.nan, n_shuffles, "an empty bin"))
                continue
            low, high = np.quantile(others, [0.025, 0.975])
            as_far = int((np.abs(others) >= abs(value) - 1e-12).sum())
            rows.append(ShuffleTest(model, name, value, float(low), float(high), (1 + as_far) / (1 + len(others)),
                                    n_shuffles))
    return rows


@dataclass(frozen=True, slots=True)
class LengthMatched:
    """Captions of nearly one length on each image.

    Attributes:
        profiles: kept, of all models.
        n_images: kept.
        n_left_out: images on which the models' captions differ too much in length, or where one is missing.
    """

    profiles: tuple[CaptionProfile, ...]
    n_images: int
    n_left_out: int


def length_matched(profiles: Sequence[CaptionProfile], *, within: float = 1.25) -> LengthMatched:
    """Keep the images on which the captions of all models have nearly as many sentences.

    Args:
        profiles: of at least two models, such as a captioner and people.
        within: the longest caption of an image may have at most this many times the sentences of the shortest.

    Raises:
        ValueError: ``within`` is below 1.
    """
    if not within >= 1:
        raise ValueError(f"within must be at least 1, got {within}")
    models = set(by_model(profiles))
    sizes: dict[Any, list[int]] = {}
    present: dict[Any, set[str]] = {}
    for profile in profiles:
        sizes.setdefault(profile.unit, []).append(len(profile.sentences))
        present.setdefault(profile.unit, set()).add(profile.model)
    good = {
        unit for unit, own in sizes.items() if present[unit] == models and min(own) and max(own) <= within * min(own)
    }
    return LengthMatched(tuple(p for p in profiles if p.unit in good), len(good), len(sizes) - len(good))


@dataclass(frozen=True, slots=True)
class Recovered:
    """An effect that was planted, and what a verifier made of it."""

    model: str
    quantity: str
    planted: float
    found: Estimate

    @property
    def covered(self) -> bool:
        """Whether the interval contains the planted value; a value without an interval has to be it."""
        low, high = self.found.low, self.found.high
        if math.isnan(low):
            return math.isclose(self.found.value, self.planted, abs_tol=1e-12)
        return low - 1e-12 <= self.planted <= high + 1e-12


def recovery(
    gold: Sequence[CaptionProfile], verified: Sequence[CaptionProfile], *, reading: Reading = reversed_precedence,
    weighted: bool = False, quantities: Sequence[str] = EFFECTS, **settings: Any,
) -> list[Recovered]:
    """Planted effects against those that a verifier finds in the same captions, model by model.

    Args:
        gold: captions with known labels, of :func:`~posh_lite.position.simulate.gold_profiles`.
        verified: the same captions, matched by model and id, as a verifier labelled them.
        reading: of the verified sentences. The gold labels call a sentence contradicted where any word of it is wrong,
            so the default lets conflicting evidence go first.
        weighted: count sentences by omega; gold sentences weigh 1.
        quantities: effects or rates.
        settings: further keywords of :func:`~posh_lite.position.effects.diagnose`.

    Raises:
        ValueError: a verified caption has no gold, or the other way round.
    """
    keys = [{(p.model, p.id) for p in run} for run in (gold, verified)]
    if lost := keys[0] ^ keys[1]:
        model, name = min(lost)
        raise ValueError(f'caption "{name}" of model "{model}" is in one of the two only')
    truth = diagnose(gold, weighted=weighted, n_resamples=1)
    found = diagnose(verified, weighted=weighted, reading=reading, **settings)
    return [
        Recovered(m, q, truth.estimate(m, q).value, found.estimate(m, q)) for m in truth.models for q in quantities
    ]
