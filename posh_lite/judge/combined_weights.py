"""How much each of two judges counts in their joint answer: fitted numbers, kept with what they were fitted on.

The joint answer is a logistic model of the two scores. Where one judge gives no verdict a model of the other alone
answers, so that both are kept. Fitting is in :mod:`posh_lite.evaluation.combine`.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from posh_lite.errors import InputError
from posh_lite.judge.calibration import CRITERIA, Accuracy, Criterion, logistic
from posh_lite.judge.check import is_finite
from posh_lite.judge.contract import Kind
from posh_lite.judge.saved import Fields, read_json, write_json

if TYPE_CHECKING:
    from posh_lite.evaluation.bootstrap import Estimate

#: Whose scores a model reads.
Part = Literal["both", "first", "second"]
PARTS: tuple[Part, ...] = get_args(Part)
KINDS: tuple[Kind, ...] = get_args(Kind)
FORMAT = 1
#: Figures of a fit: each judge by itself, both (on works left out), and by how much both are better, paired.
FIGURES = ("first", "second", "both", "both - first", "both - second")


@dataclass(frozen=True, slots=True)
class Scale:
    """How a judge's scores are standardised: ``(score - mean) / sd``."""

    mean: float
    sd: float

    def z(self, score: float) -> float:
        """The standardised score."""
        return (score - self.mean) / self.sd


@dataclass(frozen=True, slots=True)
class Line:
    """Log odds that what was asked is true: ``height + first * z1 + second * z2``; a slope is never below 0."""

    height: float
    first: float
    second: float

    def probability(self, z1: float, z2: float) -> float:
        """Between 0 and 1."""
        return logistic(self.height + self.first * z1 + self.second * z2)


@dataclass(frozen=True, slots=True)
class Weights:
    """What was fitted for two judges, on what, and how well they do there together.

    Attributes:
        first, second: signatures of the judges.
        scales: of their scores, for "first" and "second".
        lines: by part ("both", "first", "second": whose verdicts are there) and kind of question.
        by_kind: whether the slopes differ by kind; the heights always do.
        threshold: combined score from which on an entity is present.
        threshold_from: the kind that it was fitted on, "entity" or "all".
        criterion: of the threshold.
        auc: by kind and for "all", the estimates :data:`FIGURES`; "both" is of works that were left out of the fit.
        accuracy: of the threshold, on what it was fitted on and on works left out.
        data: name of the data.
        data_sha256: of the data.
        n: questions that both judges answered.
        n_missing: questions that one of them did not, not used for "both".
        prompts: digest of the prompt file.
        date: of the fit.
    """

    first: str
    second: str
    scales: Mapping[str, Scale]
    lines: Mapping[str, Mapping[str, Line]]
    by_kind: bool
    threshold: float
    threshold_from: str
    criterion: Criterion
    auc: Mapping[str, Mapping[str, Estimate]]
    accuracy: Accuracy
    data: str
    data_sha256: str
    n: int
    n_missing: int
    prompts: str
    date: str

    @property
    def name(self) -> str:
        """Eight hexadecimal digits: a hash of all that can change a score or what is present."""
        moves = [
            self.first, self.second, self.threshold, {k: asdict(s) for k, s in self.scales.items()},
            {part: {kind: asdict(line) for kind, line in lines.items()} for part, lines in self.lines.items()},
        ]
        return hashlib.sha256(json.dumps(moves, sort_keys=True).encode()).hexdigest()[:8]

    def score(self, first: float | None, second: float | None, kind: Kind) -> float | None:
        """The joint answer on 1 to 5; of one judge where the other's is missing, None where both are.

        Args:
            first: score of the first judge, 1 to 5.
            second: of the second.
            kind: of the question.
        """
        part: Part = "both" if None not in (first, second) else "first" if second is None else "second"
        if first is None and second is None:
            return None
        z1 = 0.0 if first is None else self.scales["first"].z(first)
        z2 = 0.0 if second is None else self.scales["second"].z(second)
        return 1 + 4 * self.lines[part][kind].probability(z1, z2)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        row = asdict(replace(self, auc={}))
        row["accuracy"] = {k: None if math.isnan(v) else v for k, v in row["accuracy"].items()}
        row["auc"] = {kind: {k: e.to_dict() for k, e in found.items()} for kind, found in self.auc.items()}
        return {"posh_lite_weights": FORMAT, **row}

    def save(self, path: str | Path) -> None:
        """Write as JSON; a file of the name is replaced at once or not at all."""
        write_json(path, self.to_dict())


def load_weights(path: str | Path) -> Weights:
    """Read saved weights.

    Raises:
        InputError: no such file, or a field of it is missing or wrong; file and field are named.
    """
    absent = "no such file of weights; posh-lite calibrate --with lexical makes one"
    row = read_json(path, absent=absent, wrong="no weights of two judges")
    return weights_from_dict(row, path=path)


def weights_from_dict(row: Any, *, path: object = None) -> Weights:
    """The inverse of :meth:`Weights.to_dict`, checked.

    Raises:
        InputError: a field is missing or wrong.
    """
    from posh_lite.evaluation.bootstrap import estimate_from_dict

    if not isinstance(row, dict) or "posh_lite_weights" not in row:
        raise InputError('no weights of two judges: field "posh_lite_weights" is missing', path=path)
    fields = Fields(row, path)
    wrong = fields.wrong
    if type(row["posh_lite_weights"]) is not int or row["posh_lite_weights"] != FORMAT:
        raise wrong("posh_lite_weights", f"{FORMAT}, the format that this version reads")
    fields.texts("first", "second", "data", "data_sha256", "prompts", "date")
    fields.choice("criterion", CRITERIA)
    fields.choice("threshold_from", ("entity", "all"))
    fields.scores("threshold")
    if not isinstance(row.get("by_kind"), bool):
        raise wrong("by_kind", "true or false")
    fields.counts("n", "n_missing")
    scales = {}
    given = _exactly(row.get("scales"), ("first", "second"), wrong("scales", 'an object with "first" and "second"'))
    for which, values in given.items():
        if not _numbers(values, ("mean", "sd")) or values["sd"] <= 0:
            raise wrong(f"scales.{which}", "a mean and an sd above 0")
        scales[which] = Scale(float(values["mean"]), float(values["sd"]))
    lines: dict[str, dict[str, Line]] = {}
    parts = _exactly(row.get("lines"), PARTS, wrong("lines", "an object with " + ", ".join(PARTS)))
    for part, of_part in parts.items():
        where, lines[part] = f"lines.{part}", {}
        kinds = _exactly(of_part, KINDS, wrong(where, "an object with " + ", ".join(KINDS)))
        for kind, values in kinds.items():
            if not _numbers(values, ("height", "first", "second")) or min(values["first"], values["second"]) < 0:
                raise wrong(f"{where}.{kind}", "a height and two slopes of at least 0")
            lines[part][kind] = Line(float(values["height"]), float(values["first"]), float(values["second"]))
    try:
        auc = {str(k): {f: estimate_from_dict(found[f]) for f in FIGURES} for k, found in row["auc"].items()}
    except (KeyError, TypeError, AttributeError):
        raise wrong("auc", "an object of estimates") from None
    names = tuple(Accuracy.__dataclass_fields__)
    measured = _exactly(row.get("accuracy"), names, wrong("accuracy", "an object with " + ", ".join(names)))
    if not all(v is None or is_finite(v) for v in measured.values()):
        raise wrong("accuracy", "an object of numbers")
    accuracy = Accuracy(**{k: math.nan if v is None else float(v) for k, v in measured.items()})
    return Weights(
        row["first"], row["second"], scales, lines, row["by_kind"], float(row["threshold"]), row["threshold_from"],
        row["criterion"], auc, accuracy, row["data"], row["data_sha256"], row["n"], row["n_missing"], row["prompts"],
        row["date"],
    )


def _numbers(values: Any, names: tuple[str, ...]) -> bool:
    return isinstance(values, dict) and set(values) == set(names) and all(is_finite(v) for v in values.values())


def _exactly(values: Any, names: tuple[str, ...], error: InputError) -> dict[str, Any]:
    if not isinstance(values, dict) or set(values) != set(names):
        raise error
    return values
