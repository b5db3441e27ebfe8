"""Fit a judge's presence threshold and calibration on questions whose answers are known.

The PoSh paper takes an entity for present from a score of 2 on, a value for its own judge. Another model uses the
scale otherwise: it may rank statements well and still give none of them less than 2. So the threshold is fitted, and
a monotone map can turn scores into the share of such questions that are true.

By default the threshold calls as many entities rightly as it can in the proportion in which true and false ones come.
Balanced accuracy, the other criterion, counts the rare false ones as much as the many true ones. That suits a
detector, but here a true entity that is called absent takes all that is said of it down as well: with the lexical
judge on the known-answer corpus, it ranks captions worse than the paper's threshold does.
"""

from __future__ import annotations

import datetime
from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError
from posh_lite.evaluation.bootstrap import Estimate, bootstrap
from posh_lite.judge.calibration import CRITERIA, METHODS, Accuracy, Calibration, Criterion, Curve, Method

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from posh_lite.evaluation.bootstrap import Floats, Statistic
    from posh_lite.evaluation.labelled import LabelledSet
    from posh_lite.judge.contract import Judge, Verdict

#: Questions of each label below which a kind has no map, and entities no threshold, of their own.
ENOUGH = 40
LEAST = 5  # of each label, below which nothing is fitted
_FLAT = 0.25  # standard deviation of scores on 1 to 5
_FOLDS = 12


def auc(
    scores: Sequence[float] | Floats, labels: Sequence[int] | Floats, weights: Sequence[float] | Floats | None = None,
    *, units: Sequence[Hashable] | None = None, **settings: Any,
) -> Estimate:
    """Probability that a true question scores above a false one, a tie counting half, with its interval over units.

    Args:
        scores: shape ``(n,)``.
        labels: 1 or 0, of the same shape.
        weights: of the questions; all 1 by default.
        units: the work of each question.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.
    """
    return bootstrap(
        auc_statistic(scores, labels, weights), len(scores), units=units, method="AUC",
        reason="all labels are the same", **settings,
    )


def auc_statistic(
    scores: Sequence[float] | Floats, labels: Sequence[int] | Floats, weights: Sequence[float] | Floats | None = None
) -> Statistic:
    """The area as a function of row weights, so that those of two judges can be compared on the same resamples."""
    import numpy as np

    x, y = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    w = np.ones(len(x)) if weights is None else np.asarray(weights, dtype=np.float64)
    order = np.argsort(x, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(x[order]) > 0]) if len(x) else np.zeros(0, dtype=np.int64)

    def statistic(drawn: Floats) -> Floats:
        each = (drawn * w)[:, order]
        true = np.add.reduceat(each * y[order], starts, axis=1)
        false = np.add.reduceat(each * (1 - y[order]), starts, axis=1)
        below = np.cumsum(false, axis=1) - false / 2
        total = true.sum(axis=1) * false.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(total > 0, (true * below).sum(axis=1) / total, np.nan)

    return statistic


def balanced_accuracy(scores: Floats, labels: Floats, weights: Floats, threshold: float) -> float:
    """Mean of the shares of true questions at or above the threshold and of false ones below it; NaN without both."""
    called = scores >= threshold
    true, false = labels == 1, labels == 0
    tops, bottoms = float(weights[true].sum()), float(weights[false].sum())
    if not tops or not bottoms:
        return float("nan")
    return (float(weights[true & called].sum()) / tops + float(weights[false & ~called].sum()) / bottoms) / 2


def share_right(scores: Floats, labels: Floats, weights: Floats, threshold: float) -> float:
    """Share of the questions that are called rightly: true at or above the threshold, false below it."""
    return float(weights[(scores >= threshold) == (labels == 1)].sum() / weights.sum())


#: What a threshold can be chosen by.
MEASURES = {"share": share_right, "balanced": balanced_accuracy}


def best_threshold(scores: Floats, labels: Floats, weights: Floats, criterion: Criterion = "share") -> float:
    """The threshold with the largest share called rightly, or the best balanced accuracy.

    Candidates are the lowest score, which calls all true, and the values midway between neighbouring scores. Of
    several equally good ones the lowest is taken: an entity rather passes, and what is said of it is then still asked.

    Raises:
        ValueError: there are not questions of both labels.
    """
    import numpy as np

    if not {0.0, 1.0} <= set(labels.tolist()):
        raise ValueError("a threshold needs questions of both labels")
    distinct = np.unique(scores).tolist()
    candidates = [distinct[0], *((a + b) / 2 for a, b in pairwise(distinct))]
    values = [MEASURES[criterion](scores, labels, weights, c) for c in candidates]
    best = max(values)
    return float(next(c for c, v in zip(candidates, values, strict=True) if v >= best - 1e-12))


def fit_isotonic(scores: Floats, labels: Floats, weights: Floats) -> Curve:
    """The best non-decreasing step function, joined by lines between the middles of its steps.

    Lines keep the ranks of scores within a step. Probabilities are drawn toward a half by 2 in n + 2, as in
    Laplace's rule of succession, and the map rises a little beyond its outer steps, so that it is nowhere flat.
    """
    import numpy as np
    from scipy.optimize import isotonic_regression

    distinct, group = np.unique(scores, return_inverse=True)
    mass = np.bincount(group, weights)
    fitted = isotonic_regression(np.bincount(group, weights * labels) / mass, weights=mass)
    steps = np.asarray(fitted.blocks)
    shrink = 2 / (len(scores) + 2)
    knots = []
    for start, end in pairwise(steps.tolist()):
        value = float(np.clip(fitted.x[start], 0.0, 1.0))
        knots.append((float(distinct[start] + distinct[end - 1]) / 2, (1 - shrink) * value + shrink / 2))
    (low, first), (high, last) = knots[0], knots[-1]
    if low > 1:
        knots.insert(0, (1.0, first * 0.99))
    if high < 5:
        knots.append((5.0, 1 - (1 - last) * 0.99))
    return Curve("isotonic", tuple(knots))


def fit_platt(scores: Floats, labels: Floats, weights: Floats) -> Curve:
    """A logistic curve of the score with a slope of at least 0 (Platt 1999, with his smoothed labels).

    The smoothed labels and a slight penalty on the slope keep it finite where a score separates all labels.
    """
    import numpy as np
    from scipy.optimize import minimize
    from scipy.special import expit

    w = weights * len(weights) / weights.sum()
    true = float(w[labels == 1].sum())
    false = float(w[labels == 0].sum())
    wanted = np.where(labels == 1, (true + 1) / (true + 2), 1 / (false + 2))

    def loss(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        slope, height = parameters
        z = slope * (scores - 3) + height
        rest = w * (expit(z) - wanted)
        value = float((w * (np.logaddexp(0, z) - wanted * z)).sum()) + 0.005 * slope**2
        return value, np.array([float((rest * (scores - 3)).sum()) + 0.01 * slope, float(rest.sum())])

    start = np.array([1.0, 0.0])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0.0, None), (None, None)])
    return Curve("platt", ((float(found.x[0]), float(found.x[1])),))


def calibrate(
    judge: Judge | str, data: LabelledSet, verdicts: Sequence[Verdict], *, method: Method = "isotonic",
    criterion: Criterion = "share", enough: int = ENOUGH, date: str | None = None, **settings: Any,
) -> Calibration:
    """Fit threshold and map of a judge on its verdicts.

    The threshold is fitted on entities where there are enough true and false ones, else on all kinds. With a map, the
    same entities stay present: the threshold is what the map makes of it. A kind with enough of both labels gets a
    map of its own, since small judges differ much by kind.

    Args:
        judge: the judge, or its signature.
        data: the questions.
        verdicts: its verdicts on them, in order; missing ones are left out and counted.
        method: "isotonic", "platt", or "threshold" for no map.
        criterion: of the threshold, "share" or "balanced"; see the module.
        enough: questions of each label that a kind needs for a map of its own.
        date: of the fit, ISO 8601; today by default.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap` for the intervals over works.

    Raises:
        InputError: fewer than five true or five false questions were answered.
    """
    import numpy as np

    for name, value, known in (("method", method, METHODS), ("criterion", criterion, CRITERIA)):
        if value not in known:
            raise InputError(f'{name} must be one of {", ".join(known)}, got {value!r}')
    rows = [(i, v.score) for i, v in zip(data.items, verdicts, strict=True) if v.score is not None]
    x = np.array([score for _, score in rows], dtype=np.float64)
    y = np.array([i.label for i, _ in rows], dtype=np.float64)
    w = np.array([i.weight for i, _ in rows], dtype=np.float64)
    units = np.array([i.work for i, _ in rows], dtype=object)
    kinds = np.array([i.kind for i, _ in rows], dtype=object)
    true, false = int((y == 1).sum()), int((y == 0).sum())
    if min(true, false) < LEAST:
        raise InputError(
            f"{data.name}: {true} true and {false} false questions were answered; a calibration needs at least"
            f" {LEAST} of each"
        )
    masks = {"all": np.ones(len(x), dtype=bool), **{k: kinds == k for k in ("entity", "attribute", "relation")}}
    own = {k: m for k, m in masks.items() if min((y[m] == 1).sum(), (y[m] == 0).sum()) >= enough or k == "all"}
    source = "entity" if "entity" in own else "all"
    chosen = masks[source]
    raw = best_threshold(x[chosen], y[chosen], w[chosen], criterion)
    fit = {"isotonic": fit_isotonic, "platt": fit_platt}.get(method)
    curves = {} if fit is None else {k: fit(x[m], y[m], w[m]) for k, m in own.items()}
    curve = curves.get(source)
    found = {
        name: auc(x[m], y[m], w[m], units=units[m].tolist(), **settings) for name, m in masks.items() if m.any()
    }
    rows_of = (x[chosen], y[chosen], w[chosen])
    called = _left_out(*rows_of, units[chosen].tolist(), criterion)
    accuracy = Accuracy(
        *(measure(x[chosen], *rows_of[1:], t) for measure in MEASURES.values() for t in (2.0, raw)),
        *(float("nan") if called is None else measure(called, *rows_of[1:], 0.5) for measure in MEASURES.values()),
    )
    return Calibration(
        judge if isinstance(judge, str) else judge.signature, method, raw if curve is None else curve.score(raw), raw,
        curves, source, criterion, found, accuracy, _spread(x, w), data.name, data.sha256, len(rows),
        len(data.items) - len(rows), data.prompts, date or datetime.datetime.now(datetime.UTC).date().isoformat(),
    )


def is_flat(calibration: Calibration) -> bool:
    """Whether the judge's scores hardly vary."""
    return calibration.spread < _FLAT


def _spread(scores: Floats, weights: Floats) -> float:
    """Weighted standard deviation."""
    import numpy as np

    middle = np.average(scores, weights=weights)
    return float(np.sqrt(np.average((scores - middle) ** 2, weights=weights)))


def fold_numbers(units: Sequence[Hashable]) -> NDArray[np.int64] | None:
    """The fold of each row, 0 to 11 at most, such that rows of one work are in one; None where there is one work only.

    Args:
        units: the work of each row.
    """
    import numpy as np

    names = list(dict.fromkeys(units))
    folds = min(_FOLDS, len(names))
    if folds < 2:
        return None
    order = np.random.default_rng(0).permutation(len(names))
    fold_of = {names[int(unit)]: place % folds for place, unit in enumerate(order)}
    return np.array([fold_of[u] for u in units], dtype=np.int64)


def _left_out(x: Floats, y: Floats, w: Floats, units: list[Hashable], criterion: Criterion) -> Floats | None:
    """1 where a question is called true, else 0, by thresholds fitted without its work; None where undefined."""
    import numpy as np

    fold = fold_numbers(units)
    if fold is None:
        return None
    called = np.zeros(len(x))
    for number in range(int(fold.max()) + 1):
        held = fold == number
        if not {0.0, 1.0} <= set(y[~held].tolist()):
            return None
        called[held] = x[held] >= best_threshold(x[~held], y[~held], w[~held], criterion)
    return called
