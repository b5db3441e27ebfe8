"""A judge's own threshold and map: saved with what they were fitted on, and put around the judge.

Raw verdicts stay in the log, so that another calibration asks nothing anew. Fitting is in
:mod:`posh_lite.evaluation.calibrate`.
"""

from __future__ import annotations

import hashlib
import json
import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from posh_lite.errors import InputError, JudgeError
from posh_lite.judge.check import check_judge, is_finite
from posh_lite.judge.contract import Judge, Kind, Question, Verdict
from posh_lite.judge.rewrite import Rewrite, Rewriter
from posh_lite.judge.saved import Fields, read_json, write_json

if TYPE_CHECKING:
    from posh_lite.evaluation.bootstrap import Estimate
    from posh_lite.graph.types import SceneGraph
    from posh_lite.judge.log import VerdictLog

#: "threshold" leaves scores as they are; the others turn them into 1 + 4 x the probability that the answer is yes.
Method = Literal["isotonic", "platt", "threshold"]
METHODS: tuple[Method, ...] = get_args(Method)
#: What the threshold was chosen by: the share of entities called rightly, or balanced accuracy.
Criterion = Literal["share", "balanced"]
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)
_FORMAT = 1
_KEYS = ("all", *get_args(Kind))


def logistic(z: float) -> float:
    """The probability of log odds, for any size of them."""
    return 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))


@dataclass(frozen=True, slots=True)
class Curve:
    """A map from a score to the probability that what was asked is true, nowhere falling.

    Attributes:
        method: "isotonic" or "platt".
        knots: for "isotonic" (score, probability) in rising order, joined by lines and level outside; for "platt"
            one (slope, height): the logistic function of ``slope * (score - 3) + height``.
    """

    method: Literal["isotonic", "platt"]
    knots: tuple[tuple[float, float], ...]

    def probability(self, score: float) -> float:
        """Between 0 and 1."""
        if self.method == "platt":
            slope, height = self.knots[0]
            z = slope * (score - 3) + height
            return logistic(z)
        at = bisect_right(self.knots, (score, math.inf))
        if at == 0:
            return self.knots[0][1]
        if at == len(self.knots):
            return self.knots[-1][1]
        (x0, y0), (x1, y1) = self.knots[at - 1], self.knots[at]
        return min(max(y0 + (y1 - y0) * (score - x0) / (x1 - x0), y0), y1)

    def score(self, score: float) -> float:
        """The probability on the scale of 1 to 5."""
        return 1 + 4 * self.probability(score)


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How well a threshold calls things present: at the paper's 2, as fitted, and on works that it was not fitted on.

    Balanced accuracy is 0.5 by chance. NaN where undefined: there was one work only.
    """

    share_at_two: float
    share: float
    balanced_at_two: float
    balanced: float
    share_held_out: float
    balanced_held_out: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was fitted for one judge, on what, and how well it does there.

    Attributes:
        judge: signature of the judge.
        method: of the map.
        threshold: score from which on an entity is present, on the scale after the map.
        raw_threshold: the same before the map.
        curves: maps by kind of question ("entity", "attribute", "relation") and for the rest "all"; empty without map.
        threshold_from: the kind that the threshold was fitted on, "entity" or "all".
        criterion: of the threshold.
        auc: probability that a true question scores above a false one, with interval, by kind and for "all".
        accuracy: of the threshold.
        spread: standard deviation of the raw scores.
        data: name of the data.
        data_sha256: of the data.
        n: questions that were used.
        n_missing: questions without a readable verdict, not used.
        prompts: digest of the prompt file.
        date: of the fit.
    """

    judge: str
    method: Method
    threshold: float
    raw_threshold: float
    curves: Mapping[str, Curve]
    threshold_from: str
    criterion: Criterion
    auc: Mapping[str, Estimate]
    accuracy: Accuracy
    spread: float
    data: str
    data_sha256: str
    n: int
    n_missing: int
    prompts: str
    date: str

    @property
    def name(self) -> str:
        """``isotonic-1a2b3c4d``: the method and a hash of all that can change a score."""
        parts = [self.judge, self.method, self.threshold, {k: list(c.knots) for k, c in sorted(self.curves.items())}]
        return f"{self.method}-{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:8]}"

    def score(self, score: float, kind: Kind) -> float:
        """What a raw score becomes, on 1 to 5."""
        curve = self.curves.get(kind) or self.curves.get("all")
        return score if curve is None else curve.score(score)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        row = asdict(replace(self, curves={}, auc={}))
        row["accuracy"] = {k: None if math.isnan(v) else v for k, v in row["accuracy"].items()}
        row["curves"] = {k: [list(knot) for knot in c.knots] for k, c in self.curves.items()}
        row["auc"] = {k: e.to_dict() for k, e in self.auc.items()}
        return {"posh_lite_calibration": _FORMAT, **row}

    def save(self, path: str | Path) -> None:
        """Write as JSON; a file of the name is replaced at once or not at all."""
        write_json(path, self.to_dict())


def load_calibration(path: str | Path) -> Calibration:
    """Read a saved calibration.

    Raises:
        InputError: no such file, or a field of it is missing or wrong; file and field are named.
    """
    row = read_json(path, absent="no such calibration file; posh-lite calibrate makes one", wrong="no calibration")
    return calibration_from_dict(row, path=path)


def calibration_from_dict(row: Any, *, path: object = None) -> Calibration:
    """The inverse of :meth:`Calibration.to_dict`, checked.

    Raises:
        InputError: a field is missing or wrong.
    """
    from posh_lite.evaluation.bootstrap import estimate_from_dict

    if not isinstance(row, dict) or "posh_lite_calibration" not in row:
        raise InputError('no calibration: field "posh_lite_calibration" is missing', path=path)
    fields = Fields(row, path)
    wrong = fields.wrong
    if row["posh_lite_calibration"] != _FORMAT:
        raise wrong("posh_lite_calibration", f"{_FORMAT}, the format that this version reads")
    fields.texts("judge", "data", "data_sha256", "prompts", "date")
    for name, known in (("method", METHODS), ("criterion", CRITERIA), ("threshold_from", _KEYS)):
        fields.choice(name, known)
    fields.scores("threshold", "raw_threshold")
    if not is_finite(row.get("spread")) or row["spread"] < 0:
        raise wrong("spread", "a number of at least 0")
    fields.counts("n", "n_missing")
    given = row.get("curves")
    if not isinstance(given, dict) or not set(given) <= set(_KEYS):
        raise wrong("curves", "an object with the keys " + ", ".join(_KEYS))
    if (row["method"] == "threshold") != (not given) or (given and "all" not in given):
        raise wrong("curves", 'empty for the method "threshold", and hold "all" for another')
    curves = {}
    for key, knots in given.items():
        if not _rising(knots, row["method"]):
            raise wrong(f"curves.{key}", "rising (score, probability) knots, or one (slope, height) for platt")
        curves[key] = Curve(row["method"], tuple((float(a), float(b)) for a, b in knots))
    try:
        estimates = {str(k): estimate_from_dict(v) for k, v in row["auc"].items()}
    except (KeyError, TypeError, AttributeError):
        raise wrong("auc", "an object of estimates") from None
    try:
        names = Accuracy.__dataclass_fields__
        given = {k: row["accuracy"][k] for k in names}
        accuracy = Accuracy(**{k: math.nan if v is None else float(v) for k, v in given.items()})
    except (KeyError, TypeError, ValueError):
        raise wrong("accuracy", "an object with " + ", ".join(Accuracy.__dataclass_fields__)) from None
    return Calibration(
        row["judge"], row["method"], float(row["threshold"]), float(row["raw_threshold"]), curves,
        row["threshold_from"], row["criterion"], estimates, accuracy, float(row["spread"]), row["data"],
        row["data_sha256"], row["n"], row["n_missing"], row["prompts"], row["date"],
    )


def _rising(knots: Any, method: str) -> bool:
    """Whether knots are those of a map that nowhere falls."""
    if not isinstance(knots, list) or not knots:
        return False
    if not all(isinstance(k, list) and len(k) == 2 and all(is_finite(v) for v in k) for k in knots):
        return False
    if method == "platt":
        return len(knots) == 1 and knots[0][0] >= 0
    steps = pairwise(knots)
    return all(0 <= y <= 1 for _, y in knots) and all(a[0] < b[0] and a[1] <= b[1] for a, b in steps)


class CalibratedJudge:
    """Any judge with its calibration: scores mapped, threshold replaced.

    What the judge has besides (log counters, scale, token usage) is passed through. It goes outside of a
    :class:`~posh_lite.judge.log.LoggedJudge` or around a :class:`~posh_lite.judge.replay.ReplayJudge`, so that logs
    hold raw verdicts.

    Args:
        judge: the judge that was calibrated.
        calibration: the calibration, or the path of its file.

    Raises:
        JudgeError: the calibration is that of another judge.
        InputError: the file cannot be used.
    """

    def __init__(self, judge: Judge, calibration: Calibration | str | Path) -> None:
        if not isinstance(calibration, Calibration):
            calibration = load_calibration(calibration)
        check_judge(judge)
        if calibration.judge != judge.signature:
            raise JudgeError(
                f'the calibration is that of the judge "{calibration.judge}", not of "{judge.signature}"; fit one for'
                " this judge: posh-lite calibrate"
            )
        self.judge, self.calibration = judge, calibration
        self.rewrites = isinstance(judge, Rewriter) and bool(getattr(judge, "rewrites", True))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in ("judge", "calibration"):  # not there yet while being unpickled
            raise AttributeError(name)
        return getattr(self.judge, name)

    @property
    def signature(self) -> str:
        """That of the judge, with the calibration."""
        return f"{self.judge.signature} calibration:{self.calibration.name}"

    @property
    def presence_threshold(self) -> float:
        """The calibration's."""
        return self.calibration.threshold

    @property
    def ceiling(self) -> float:
        """The highest score that an entity can get: where it is below 5, lazy identifiers stop there."""
        return self.calibration.score(5.0, "entity")

    def with_log(self, log: VerdictLog | str | Path) -> Judge:
        """The same with a verdict log under the calibration; a judge that has a log already keeps it."""
        from posh_lite.judge.nested import logged

        return CalibratedJudge(logged(self.judge, log), self.calibration)

    def prime(self, graphs: Iterable[SceneGraph]) -> None:
        """Hand graphs on to a judge that can use them."""
        from posh_lite.judge.nested import prime_all

        prime_all((self.judge,), graphs)

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """The judge's verdicts with their scores mapped."""
        verdicts = self.judge.ask(questions)
        return [self._mapped(v, q.kind) for v, q in zip(verdicts, questions, strict=True)]

    def rewrite(self, requests: Sequence[Rewrite]) -> list[str | None]:
        """The judge's phrases."""
        return cast(Rewriter, self.judge).rewrite(requests)

    def note(self, prompts: str) -> str:
        """What is odd about using it with a prompt file, given its digest; empty where nothing is."""
        if prompts == self.calibration.prompts:
            return ""
        return (
            f"the calibration was fitted with other prompts ({self.calibration.prompts[:12]}) than are used"
            f" ({prompts[:12]}); fit it again"
        )

    def _mapped(self, verdict: Verdict, kind: Kind) -> Verdict:
        if verdict.score is None or not self.calibration.curves:
            return verdict
        said = f"{verdict.reason}; " if verdict.reason else ""
        # The five probabilities are those of the raw score; they do not belong to the mapped one.
        return replace(
            verdict, score=self.calibration.score(verdict.score, kind), probabilities=None,
            reason=f"{said}raw score {verdict.score:.2f}",
        )
