"""Fit how much each of two judges counts: a logistic model of both scores on questions with known answers.

A lexical judge and a small language model err on different questions, so that both together rank statements better
than either. The model is small on purpose: a height for each kind of question and one slope a judge, drawn toward
zero by a slight penalty (ridge) and never below zero, since a judge that says yes must not count against. Slopes by
kind are used only where they lower the loss on works left out beyond doubt (a bootstrap interval over works that does
not reach zero); that one choice is made on the works that both are then judged on.

What is said of both together is of works that were left out of the fit. That does not undo that a judge's own rules
were made on some of the data: the lexical judge's were, while works of the known-answer corpus were read (see
``data/mini`` and the chapter on known answers), so its figures there flatter it, and through it those of both.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError
from posh_lite.evaluation.bootstrap import Estimate, bootstrap, ratio
from posh_lite.evaluation.calibrate import (
    ENOUGH,
    LEAST,
    MEASURES,
    auc,
    auc_statistic,
    best_threshold,
    fold_numbers,
)
from posh_lite.judge.calibration import CRITERIA, Accuracy, Criterion
from posh_lite.judge.combined_weights import FIGURES, KINDS, PARTS, Line, Part, Scale, Weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from posh_lite.evaluation.bootstrap import Floats, Statistic
    from posh_lite.evaluation.labelled import Labelled, LabelledSet
    from posh_lite.judge.contract import Judge, Verdict

    Bools = NDArray[np.bool_]

#: Penalty on slopes and on the spread of heights, in questions: that of a normal prior with standard deviation 1.
RIDGE = 1.0
_SLOPES = {"both": (1.0, 1.0), "first": (1.0, 0.0), "second": (0.0, 1.0)}


@dataclass(frozen=True, slots=True)
class Answers:
    """What two judges said of labelled questions, as arrays of shape ``(n,)``.

    Attributes:
        first, second: scores; NaN where a verdict is missing.
        labels: 1 or 0.
        weights: of the questions.
        kinds: of the questions.
        works: the unit that is left out and resampled.
    """

    first: Floats
    second: Floats
    labels: Floats
    weights: Floats
    kinds: NDArray[np.object_]
    works: NDArray[np.object_]

    @staticmethod
    def of(items: Sequence[Labelled], first: Sequence[Verdict], second: Sequence[Verdict]) -> Answers:
        """From questions and the verdicts on them, in the same order."""
        import numpy as np

        def scores(verdicts: Sequence[Verdict]) -> Floats:
            found = [np.nan if v.score is None else v.score for _, v in zip(items, verdicts, strict=True)]
            return np.array(found, dtype=np.float64)

        return Answers(
            scores(first), scores(second), np.array([i.label for i in items], dtype=np.float64),
            np.array([i.weight for i in items], dtype=np.float64), np.array([i.kind for i in items], dtype=object),
            np.array([i.work for i in items], dtype=object),
        )

    def rows(self, part: Part) -> Bools:
        """Where the judges of a part gave a verdict."""
        import numpy as np

        one, two = np.isfinite(self.first), np.isfinite(self.second)
        rows: Bools = one & two if part == "both" else one if part == "first" else two
        return rows

    def take(self, rows: Bools) -> Answers:
        """Only these questions."""
        names = ("first", "second", "labels", "weights", "kinds", "works")
        return Answers(*(getattr(self, name)[rows] for name in names))


@dataclass(frozen=True, slots=True)
class Model:
    """Fitted lines by kind, with the scales that their slopes are on."""

    scales: Mapping[str, Scale]
    lines: Mapping[str, Line]

    def scores(self, answers: Answers) -> Floats:
        """Joint answers on 1 to 5; a judge without a slope need not have answered."""
        import numpy as np
        from scipy.special import expit

        z1, z2 = _standard(answers, self.scales)
        lines = [self.lines[k] for k in answers.kinds]
        height = np.array([line.height for line in lines], dtype=np.float64)
        for z, slope in ((z1, [line.first for line in lines]), (z2, [line.second for line in lines])):
            steep = np.array(slope, dtype=np.float64)
            height = height + np.where(steep > 0, steep * np.nan_to_num(z), 0.0)
        found: Floats = 1 + 4 * expit(height)
        return found


# -- fitting ------------------------------------------------------------------------------------------------


def fit_model(
    answers: Answers, part: Part = "both", *, by_kind: bool = False, ridge: float = RIDGE,
    scales: Mapping[str, Scale] | None = None,
) -> Model:
    """The most likely logistic model under the penalty.

    Heights differ by kind and are drawn together; a kind that is not there gets their mean. Slopes are at least 0;
    with ``by_kind`` they differ likewise.

    Args:
        answers: all judges of the part answered.
        part: whose scores it reads.
        by_kind: whether slopes differ by kind.
        ridge: the penalty.
        scales: of the scores; those of these answers by default.
    """
    import numpy as np
    from scipy.optimize import minimize
    from scipy.special import expit

    scales = scales or scales_of(answers)
    z1, z2 = (np.nan_to_num(z) for z in _standard(answers, scales))
    kinds = np.array([[k == kind for kind in KINDS] for k in answers.kinds], dtype=np.float64).reshape(-1, len(KINDS))
    each = np.eye(len(KINDS))
    apart = each - 1 / len(KINDS)
    blocks, penalties = [kinds], [apart]
    for z, used in zip((z1, z2), _SLOPES[part], strict=True):
        column = used * z[:, None]
        blocks.append(column * kinds if by_kind else column)
        penalties.append(apart + 1 / len(KINDS) ** 2 if by_kind else np.ones((1, 1)))
    table = np.hstack(blocks)
    cost = np.zeros((table.shape[1], table.shape[1]))
    at = 0
    for block in penalties:
        cost[at:at + len(block), at:at + len(block)] = ridge * block
        at += len(block)
    labels, w = answers.labels, answers.weights * len(answers.weights) / answers.weights.sum()

    def loss(parameters: Floats) -> tuple[float, Floats]:
        z = table @ parameters
        value = float((w * (np.logaddexp(0, z) - labels * z)).sum() + parameters @ cost @ parameters / 2)
        return value, table.T @ (w * (expit(z) - labels)) + cost @ parameters

    n_slopes = table.shape[1] - len(KINDS)
    found = minimize(
        loss, np.zeros(table.shape[1]), jac=True, method="L-BFGS-B", options={"ftol": 1e-13, "gtol": 1e-9},
        bounds=[(None, None)] * len(KINDS) + [(0.0, None)] * n_slopes,
    ).x
    heights, slopes = found[:len(KINDS)], found[len(KINDS):].reshape(2, -1)
    lines: dict[str, Line] = {
        kind: Line(float(heights[n]), *(float(s[n if by_kind else 0]) for s in slopes)) for n, kind in enumerate(KINDS)
    }
    return Model(scales, lines)


def scales_of(answers: Answers) -> dict[str, Scale]:
    """Weighted mean and standard deviation of each judge's scores; a judge that never varies has the deviation 1."""
    import numpy as np

    found = {}
    for name in ("first", "second"):
        x = getattr(answers, name)
        read = np.isfinite(x)
        if not read.any():
            found[name] = Scale(3.0, 1.0)
            continue
        mean = float(np.average(x[read], weights=answers.weights[read]))
        sd = float(np.sqrt(np.average((x[read] - mean) ** 2, weights=answers.weights[read])))
        found[name] = Scale(mean, sd if sd > 1e-6 else 1.0)
    return found


def _standard(answers: Answers, scales: Mapping[str, Scale]) -> tuple[Floats, Floats]:
    one, two = scales["first"], scales["second"]
    return (answers.first - one.mean) / one.sd, (answers.second - two.mean) / two.sd


# -- on works left out --------------------------------------------------------------------------------------


def held_out(
    answers: Answers, part: Part = "both", *, by_kind: bool = False, criterion: Criterion = "share"
) -> tuple[Floats, Floats]:
    """Joint scores, and 1 or 0 for called true or not, each by a fit (model, scales, threshold) without the work.

    Args:
        answers: all judges of the part answered.
        part: whose scores are read.
        by_kind: whether slopes differ by kind.
        criterion: of the threshold, which is fitted as :func:`fit_weights` does.

    Raises:
        InputError: there is one work only, or one of them holds all questions of a label.
    """
    import numpy as np

    fold = fold_numbers(answers.works.tolist())
    if fold is None:
        raise InputError("two judges are weighed on works left out, which takes questions on at least two works")
    scores, called = np.zeros(len(fold)), np.zeros(len(fold))
    for number in range(int(fold.max()) + 1):
        held = fold == number
        known = answers.take(~held)
        if not {0.0, 1.0} <= set(known.labels.tolist()):
            raise InputError("one work holds all questions of a label: there is nothing to fit without it")
        model = fit_model(known, part, by_kind=by_kind)
        scores[held] = model.scores(answers.take(held))
        rows, _ = threshold_rows(known)
        threshold = best_threshold(model.scores(known)[rows], known.labels[rows], known.weights[rows], criterion)
        called[held] = scores[held] >= threshold
    return scores, called


def threshold_rows(answers: Answers) -> tuple[Bools, str]:
    """Questions that the threshold is fitted on, and their name: entities, or all where too few have each label."""
    import numpy as np

    entities: Bools = answers.kinds == "entity"
    labels = answers.labels[entities]
    if min((labels == 1).sum(), (labels == 0).sum()) >= ENOUGH:
        return entities, "entity"
    return np.ones(len(answers.labels), dtype=np.bool_), "all"


def compare(answers: Answers, both: Floats, **settings: Any) -> dict[str, dict[str, Estimate]]:
    """AUC of each judge and of both, and paired differences, by kind and for "all"; the figures of a fit.

    Args:
        answers: both judges answered.
        both: joint scores, of works left out.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.
    """
    import numpy as np

    found = {}
    for kind in ("all", *KINDS):
        rows = np.ones(len(both), dtype=np.bool_) if kind == "all" else answers.kinds == kind
        if not rows.any():
            continue
        mine = answers.take(rows)
        scores = {"first": mine.first, "second": mine.second, "both": both[rows]}
        units = mine.works.tolist()
        row = {name: auc(x, mine.labels, mine.weights, units=units, **settings) for name, x in scores.items()}
        areas = {name: auc_statistic(x, mine.labels, mine.weights) for name, x in scores.items()}
        for other in ("first", "second"):
            row[f"both - {other}"] = bootstrap(
                _difference(areas["both"], areas[other]), len(mine.labels), units=units,
                method="difference of AUC", reason="all labels are the same", **settings,
            )
        found[kind] = {name: row[name] for name in FIGURES}
    return found


def _difference(one: Statistic, other: Statistic) -> Statistic:
    return lambda drawn: one(drawn) - other(drawn)


def slopes_by_kind_help(answers: Answers, **settings: Any) -> Estimate:
    """Mean loss (nats a question) on works left out with slopes by kind, less that without; below 0 they help."""
    import numpy as np

    losses = []
    for by_kind in (True, False):
        scores, _ = held_out(answers, by_kind=by_kind)
        p = np.clip((scores - 1) / 4, 1e-12, 1 - 1e-12)
        losses.append(-np.where(answers.labels == 1, np.log(p), np.log(1 - p)))
    w = answers.weights
    return ratio(w * (losses[0] - losses[1]), w, units=answers.works.tolist(), method="difference of loss", **settings)


# -- both ---------------------------------------------------------------------------------------------------


def fit_weights(
    first: Judge | str, second: Judge | str, data: LabelledSet, said: tuple[Sequence[Verdict], Sequence[Verdict]], *,
    criterion: Criterion = "share", by_kind: bool | None = None, date: str | None = None, **settings: Any,
) -> Weights:
    """Weigh two judges on labelled questions.

    Args:
        first: a judge or its signature.
        second: another.
        data: the questions.
        said: the verdicts of each on them, in order; what one of them did not answer is left out of "both".
        criterion: of the presence threshold, "share" or "balanced"; see :mod:`posh_lite.evaluation.calibrate`.
        by_kind: whether slopes differ by kind; None leaves it to works left out.
        date: of the fit, ISO 8601; today by default.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap` for the intervals over works.

    Raises:
        InputError: too few questions of a label were answered by both, or on too few works.
    """
    if criterion not in CRITERIA:
        raise InputError(f'criterion must be one of {", ".join(CRITERIA)}, got {criterion!r}')
    answers = Answers.of(data.items, *said)
    known = answers.take(answers.rows("both"))
    true, false = int((known.labels == 1).sum()), int((known.labels == 0).sum())
    if min(true, false) < LEAST:
        raise InputError(
            f"{data.name}: {true} true and {false} false questions were answered by both judges; weighing them takes"
            f" at least {LEAST} of each"
        )
    if by_kind is None:
        by_kind = slopes_by_kind_help(known, **settings).high < 0
    scores, called = held_out(known, by_kind=by_kind, criterion=criterion)
    scales = scales_of(known)
    models = {
        part: fit_model(answers.take(answers.rows(part)), part, by_kind=by_kind, scales=scales) for part in PARTS
    }
    fitted = models["both"].scores(known)
    rows, source = threshold_rows(known)
    chosen = (known.labels[rows], known.weights[rows])
    threshold = best_threshold(fitted[rows], *chosen, criterion)
    measured = [[m(x[rows], *chosen, at) for x, at in ((fitted, 2.0), (fitted, threshold), (called, 0.5))]
                for m in MEASURES.values()]
    (share_two, share, share_out), (even_two, even, even_out) = measured
    return Weights(
        first if isinstance(first, str) else first.signature, second if isinstance(second, str) else second.signature,
        scales, {part: dict(model.lines) for part, model in models.items()}, by_kind, threshold, source, criterion,
        compare(known, scores, **settings), Accuracy(share_two, share, even_two, even, share_out, even_out),
        data.name, data.sha256, len(known.labels), len(data.items) - len(known.labels), data.prompts,
        date or datetime.datetime.now(datetime.UTC).date().isoformat(),
    )
