"""The two position effects of long captions, with intervals over images and differences between models.

"Where Do Long Captions Fail?", section 2: D_mid = (H_Q2 + H_Q3) / 2 - H_Q1, D_tail = G_Q4 - G_Q1, and the shifts
of supported and contradicted content from the first quartile to the last; intervals by appendix A.4.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.position.composition import QUARTERS, Bins, Composition, Reading, as_labelled, compose, shares_of
from posh_lite.position.resample import resampled_sums, share_explained, summarise
from posh_lite.position.types import LABELS, CaptionProfile, Label

if TYPE_CHECKING:
    import pandas as pd

    from posh_lite.evaluation.bootstrap import Floats

#: Names as in the tables of ``data/paper``.
EFFECTS = ("d_mid", "d_tail", "delta_s", "delta_h")
#: How a reader sees them.
SHOWN = {"d_mid": "D_mid", "d_tail": "D_tail", "delta_s": "ΔS", "delta_h": "ΔH"}
_LETTERS = {"Supported": "s", "Contradicted": "h", "Generic": "g"}


def quantities(n_bins: int = 4) -> tuple[str, ...]:
    """Names of all that is estimated: ``s_q1, h_q1, g_q1, s_q2, ...`` and then :data:`EFFECTS`."""
    rates = tuple(f"{_LETTERS[label]}_q{place}" for place in range(1, n_bins + 1) for label in LABELS)
    return (*rates, *EFFECTS)


def effects_of(shares: Floats) -> Floats:
    """The four effects of compositions.

    Args:
        shares: shape ``(..., bins, 3)``, at least three bins; labels in the order of ``LABELS``. Of other than four
            bins the middle is all but the first and the last.

    Returns:
        Shape ``(..., 4)`` in the order of :data:`EFFECTS`; NaN where a bin that is needed is empty.

    Raises:
        ValueError: fewer than three bins, which have no middle.
    """
    import numpy as np

    if shares.shape[-2] < 3:
        raise ValueError(f"effects need at least three bins, got {shares.shape[-2]}")
    supported, contradicted, generic = (shares[..., label] for label in range(3))
    return np.stack([
        contradicted[..., 1:-1].mean(axis=-1) - contradicted[..., 0],
        generic[..., -1] - generic[..., 0],
        supported[..., -1] - supported[..., 0],
        contradicted[..., -1] - contradicted[..., 0],
    ], axis=-1)


@dataclass(frozen=True, slots=True, eq=False)
class Diagnosis:
    """Compositions and effects of models on the images that all of them have.

    Attributes:
        models: in order.
        names: of the quantities, see :func:`quantities`.
        values: shape ``(models, quantities)``.
        replicates: shape ``(B, models, quantities)``, all models on the same draws.
        n_images: that all models have.
        n_sentences: used, by model.
        n_dropped: sentences on images that not all models have, by model.
        left_out: images of each model that not all have.
        weighted: whether sentences count by omega.
        level: of the intervals.
        seed: of the draws.
    """

    models: tuple[str, ...]
    names: tuple[str, ...]
    values: Floats
    replicates: Floats
    n_images: int
    n_sentences: tuple[int, ...]
    n_dropped: tuple[int, ...]
    left_out: tuple[int, ...]
    weighted: bool
    level: float
    seed: int

    @property
    def n_bins(self) -> int:
        return (len(self.names) - len(EFFECTS)) // len(LABELS)

    def estimate(self, model: str, quantity: str) -> Estimate:
        """One quantity of one model.

        Raises:
            KeyError: no such model or quantity.
        """
        row, column = self._model(model), self._name(quantity)
        return summarise(
            float(self.values[row, column]), self.replicates[:, row, column], n=self.n_sentences[row],
            n_units=self.n_images, level=self.level, n_dropped=self.n_dropped[row], method=quantity,
            reason=self._why([row]),
        )

    def replicates_of(self, model: str, quantity: str) -> Floats:
        """One quantity of one model in every resample, shape ``(B,)``.

        Raises:
            KeyError: no such model or quantity.
        """
        return self.replicates[:, self._model(model), self._name(quantity)]

    def difference(self, model: str, other: str, quantity: str) -> Estimate:
        """``model`` minus ``other``, paired: both on the same images in every resample.

        Raises:
            KeyError: no such model or quantity.
        """
        first, second, column = self._model(model), self._model(other), self._name(quantity)
        return summarise(
            float(self.values[first, column] - self.values[second, column]),
            self.replicates[:, first, column] - self.replicates[:, second, column],
            n=self.n_sentences[first] + self.n_sentences[second], n_units=self.n_images, level=self.level,
            n_dropped=self.n_dropped[first] + self.n_dropped[second],
            method=f"{quantity}: {model} - {other}", reason=self._why([first, second]),
        )

    def mean(self, quantity: str, models: Sequence[str] | None = None) -> Estimate:
        """Mean of a quantity over models, all by default (Table 1 of the paper); undefined where one is.

        Raises:
            KeyError: no such model or quantity.
            ValueError: no models.
        """
        rows = [self._model(m) for m in (self.models if models is None else models)]
        if not rows:
            raise ValueError("a mean over no models")
        column = self._name(quantity)
        return summarise(
            float(self.values[rows, column].mean()), self.replicates[:, rows, column].mean(axis=1),
            n=sum(self.n_sentences[r] for r in rows), n_units=self.n_images, level=self.level,
            n_dropped=sum(self.n_dropped[r] for r in rows), method=f"mean {quantity} of {len(rows)} models",
            reason=self._why(rows),
        )

    def profile(self, model: str) -> tuple[dict[Label, Estimate], ...]:
        """For each bin, in order, the share of every label."""
        return tuple(
            {label: self.estimate(model, f"{_LETTERS[label]}_q{place}") for label in LABELS}
            for place in range(1, self.n_bins + 1)
        )

    def explained(self, model: str, quantity: str, floor: Diagnosis, floor_model: str) -> Estimate:
        """What share of a model's effect a control shows as well, such as honest texts of other writers.

        Args:
            model: of this diagnosis.
            quantity: an effect or a rate.
            floor: the diagnosis of the control: this one where the images are the same (the ratio is then paired),
                else another with another seed.
            floor_model: its name there.

        Raises:
            KeyError: no such model or quantity.
            ValueError: another diagnosis with the same seed, or with other numbers of resamples.
        """
        if floor is not self and floor.seed == self.seed:
            raise ValueError("two diagnoses on different images need different seeds")
        return share_explained(
            floor.estimate(floor_model, quantity), floor.replicates_of(floor_model, quantity),
            self.estimate(model, quantity), self.replicates_of(model, quantity),
        )

    def rows(self) -> list[dict[str, Any]]:
        """JSON-ready, one dictionary for each model and quantity; the inverse is ``estimate_from_dict`` of the rest."""
        return [
            {"model": model, "quantity": name, "weighted": self.weighted, **self.estimate(model, name).to_dict()}
            for model in self.models for name in self.names
        ]

    def to_frame(self) -> pd.DataFrame:
        """The same as a table."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def _model(self, model: str) -> int:
        if model not in self.models:
            raise KeyError(f"no model {model!r}; there are {', '.join(self.models)}")
        return self.models.index(model)

    def _name(self, quantity: str) -> int:
        if quantity not in self.names:
            raise KeyError(f"no quantity {quantity!r}; there are {', '.join(self.names)}")
        return self.names.index(quantity)

    def _why(self, rows: Sequence[int]) -> str:
        """Why a quantity would be undefined: the models' empty bins."""
        if not self.n_images:
            return "no image that all models have"
        empty = [
            f"{self.models[row]}: bin {place + 1}" for row in rows for place in range(self.n_bins)
            if math.isnan(self.values[row, place * len(LABELS)])
        ]
        return f"empty: {', '.join(empty)}" if empty else ""


def diagnose(
    profiles: Iterable[CaptionProfile] | Mapping[str, Composition], *, weighted: bool = True, n_resamples: int = 2000,
    level: float = 0.95, seed: int = 0, bins: Bins = QUARTERS, reading: Reading = as_labelled,
) -> Diagnosis:
    """Rates by quartile and effects of every model, with a paired bootstrap over images.

    Args:
        profiles: captions of all models, or their compositions (``bins`` and ``reading`` are then theirs).
        weighted: count sentences by omega, else one by one (appendix B.1).
        n_resamples: B.
        level: coverage of the intervals.
        seed: of the draws.
        bins: the paper's quartiles by default.
        reading: label and weight of a sentence.

    Raises:
        ValueError: no profiles, compositions with different bins, or a setting that is out of range.
    """
    import numpy as np

    own = profiles if isinstance(profiles, Mapping) else compose(profiles, bins=bins, reading=reading)
    if not own:
        raise ValueError("nothing to diagnose: no captions")
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}")
    sizes = {c.bins for c in own.values()}
    if len(sizes) > 1:
        raise ValueError("the compositions were sorted into different bins")
    first = next(iter(own.values()))
    shared = set.intersection(*(set(c.units) for c in own.values()))
    common = [unit for unit in first.units if unit in shared]
    stacked, used = [], []
    for composition in own.values():
        row_of = {unit: row for row, unit in enumerate(composition.units)}
        rows = [row_of[unit] for unit in common]
        stacked.append(composition.sums(weighted)[rows])
        used.append(int(composition.counts[rows].sum()))
    sums = np.stack(stacked, axis=1)  # images, models, bins, labels
    return Diagnosis(
        tuple(own), quantities(first.bins.n), _all(sums.sum(axis=0)), _all(resampled_sums(sums, n_resamples, seed)),
        len(common), tuple(used), tuple(c.n_sentences - n for c, n in zip(own.values(), used, strict=True)),
        tuple(len(c.units) - len(common) for c in own.values()), weighted, level, seed,
    )


def _all(sums: Floats) -> Floats:
    """Rates and effects in the order of :func:`quantities`, from sums of shape ``(..., bins, 3)``."""
    import numpy as np

    shares = shares_of(sums)
    return np.concatenate([shares.reshape(*shares.shape[:-2], -1), effects_of(shares)], axis=-1)
