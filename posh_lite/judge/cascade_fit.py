"""Fitting the policy of a cascade on questions that both of its judges have answered."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError
from posh_lite.judge.cascade_policy import Policy, features, likeness, stratum
from posh_lite.judge.check import ask
from posh_lite.judge.contract import Judge, Question, Verdict
from posh_lite.judge.nested import prime_all
from posh_lite.metric.passes import rounded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

KINDS = ("entity", "attribute", "relation")
#: Penalties of the regression that are tried; the one that predicts left-out pairs best is taken.
PENALTIES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
#: Pairs that a word must occur in to get a weight of its own.
MIN_PAIRS = 4
_FOLDS = 5
_PRIOR = 20.0  # questions that the variance of a stratum is drawn to that of all with
_LEAST = 1e-3


@dataclass(frozen=True, slots=True)
class Observation:
    """One component that both judges have answered.

    Attributes:
        question: the one that the second judge was asked, an entity's by its simplest identifier.
        first: verdict of the first judge on it.
        score: of the second judge for the component, 1 to 5: an entity's is that of its best identifier.
        simplest: of the second judge on the question itself.
    """

    question: Question
    first: Verdict
    score: float
    simplest: float

    @property
    def text(self) -> Hashable:
        """Which text of which pair it is about."""
        return self.question.side, self.question.pair_id


class Recorder:
    """Any judge, with every question and verdict remembered: put it between PoSh and the judge to be learnt from."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.scale: str = getattr(judge, "scale", "1-5")
        self.structural = True  # so that each component is told apart, also where prompts are the same
        self.rewrites = bool(getattr(judge, "rewrites", False)) and hasattr(judge, "rewrite")
        self.said: list[tuple[Question, Verdict]] = []

    @property
    def signature(self) -> str:
        return self.judge.signature

    @property
    def presence_threshold(self) -> float:
        return self.judge.presence_threshold

    def prime(self, graphs: Iterable[Any]) -> None:
        """Hand graphs on."""
        prime_all((self.judge,), graphs)

    def rewrite(self, requests: Sequence[Any]) -> list[str | None]:
        """Hand requests on."""
        return list(self.judge.rewrite(requests))  # type: ignore[attr-defined]

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """The judge's verdicts."""
        verdicts = ask(self.judge, questions)
        self.said += zip(questions, verdicts, strict=True)
        return verdicts


def observe(first: Judge, said: Iterable[tuple[Question, Verdict]]) -> list[Observation]:
    """What a policy is fitted on: components with the scores that the metric gave them.

    Args:
        first: the cheap judge, asked here.
        said: questions and verdicts of the costly one, in the order in which they were asked.
    """
    from posh_lite.judge.cascade import component_key

    found: dict[Hashable, list[tuple[Question, float]]] = {}
    for question, verdict in said:
        if verdict.score is not None:
            key = question.pair_id, question.side, component_key(question)
            found.setdefault(key, []).append((question, verdict.score))
    firsts = ask(first, [rows[0][0] for rows in found.values()])
    return [
        Observation(rows[0][0], verdict, max((s for _, s in rows), key=rounded), rows[0][1])
        for rows, verdict in zip(found.values(), firsts, strict=True)
    ]


def fit_policy(observations: Sequence[Observation], *, first: str, second: str, data: str = "") -> Policy:
    """Fit expectations by ridge regression, and the variances by moments of residuals on pairs left out.

    Args:
        observations: of several pairs.
        first: signature of the first judge.
        second: of the second.
        data: name of the data, kept for readers.

    Raises:
        InputError: fewer than two pairs, or no variation to learn from.
    """
    import numpy as np

    pairs = list(dict.fromkeys(o.question.pair_id for o in observations))
    if len(pairs) < 2:
        raise InputError(f"a policy is fitted on verdicts about several pairs, got {len(pairs)}")
    rows = [features(o.question, o.first) for o in observations]
    names = _names(rows, [o.question.pair_id for o in observations])
    column = {name: i for i, name in enumerate(names)}
    table = np.zeros((len(rows), len(names)))
    for i, row in enumerate(rows):
        for name, value in row.items():
            if name in column:
                table[i, column[name]] = value
    scores = np.array([o.score for o in observations], dtype=np.float64)
    free = np.array([name.count("/") == 1 and " " not in name and name.endswith(KINDS) for name in names])
    place = {name: number % min(_FOLDS, len(pairs)) for number, name in enumerate(pairs)}
    folds = np.array([place[o.question.pair_id] for o in observations])
    tried = [(_left_out(table, scores, free, folds, penalty), penalty) for penalty in PENALTIES]
    residuals, penalty = min(tried, key=lambda pair: float(pair[0] @ pair[0]))
    weights = _ridge(table, scores, free, penalty)
    text, entity, words = _shared(observations, residuals)
    spread, elsewhere = _spread(observations, residuals, text, entity + words)
    return Policy(
        dict(zip(names, (float(w) for w in weights), strict=True)), spread, elsewhere, text, entity,
        words, _further(observations), first, second, len(observations), len(pairs), data,
    )


def _names(rows: Sequence[dict[str, float]], pairs: Sequence[str]) -> list[str]:
    """Features that get a weight: all but the words of a few pairs, which would stand in the policy for nothing."""
    places: dict[str, set[str]] = {}
    for row, pair in zip(rows, pairs, strict=True):
        for name in row:
            places.setdefault(name, set()).add(pair)
    return sorted(name for name, where in places.items() if "/word " not in name or len(where) >= MIN_PAIRS)


def _further(observations: Sequence[Observation]) -> dict[str, float]:
    """Mean rise of an entity's score over that of its simplest identifier."""
    rises: dict[str, list[float]] = {}
    for o in observations:
        if o.question.kind == "entity":
            rises.setdefault(f"{o.question.side}/{o.question.identifier.kind}", []).append(o.score - o.simplest)
    return {name: sum(values) / len(values) for name, values in sorted(rises.items())}


def _ridge(table: Floats, scores: Floats, free: NDArray[np.bool_], penalty: float) -> Floats:
    """Ridge regression; the intercepts are not drawn to zero but for rounding."""
    import numpy as np

    square = table.T @ table + np.diag(np.where(free, 1e-6, penalty))
    return np.asarray(np.linalg.solve(square, table.T @ scores))


def _left_out(
    table: Floats, scores: Floats, free: NDArray[np.bool_], folds: NDArray[np.int64], penalty: float
) -> Floats:
    """Residuals of each fold under the fit on the others."""
    import numpy as np

    residuals = np.zeros(len(scores))
    for fold in np.unique(folds):
        out = folds == fold
        residuals[out] = scores[out] - table[out] @ _ridge(table[~out], scores[~out], free, penalty)
    return residuals


def _shared(observations: Sequence[Observation], residuals: Floats) -> tuple[dict[str, float], float, float]:
    """Covariances of residuals within a text: by kinds, by entities and by words in common.

    Least squares of the products of two residuals on what the two questions share.
    """
    import numpy as np

    groups: dict[Hashable, list[int]] = {}
    for index, observation in enumerate(observations):
        groups.setdefault(observation.text, []).append(index)
    number = {pair: n for n, pair in enumerate(combinations_with_replacement(range(3), 2))}
    size = len(number) + 2
    square, right = np.eye(size) * 1e-9, np.zeros(size)
    for members in groups.values():
        questions = [observations[i].question for i in members]
        i, j = np.triu_indices(len(members), 1)
        if not len(i):
            continue
        kinds = np.array([KINDS.index(q.kind) for q in questions])
        cells = [number[min(a, b), max(a, b)] for a, b in zip(kinds[i].tolist(), kinds[j].tolist(), strict=True)]
        entities, words = likeness(questions, questions)
        design = np.zeros((len(i), size))
        design[np.arange(len(i)), cells] = 1.0
        design[:, -2], design[:, -1] = entities[i, j], words[i, j]
        square += design.T @ design
        right += design.T @ (residuals[members][i] * residuals[members][j])
    found = np.linalg.solve(square, right)
    matrix = np.array([[found[number[min(a, b), max(a, b)]] for b in range(3)] for a in range(3)])
    values, vectors = np.linalg.eigh(matrix)
    matrix = vectors @ np.diag(np.maximum(values, 0.0)) @ vectors.T  # what least squares gives need be no covariance
    table = {f"{a}/{b}": float(matrix[i, j]) for i, a in enumerate(KINDS) for j, b in enumerate(KINDS)}
    return table, max(0.0, float(found[-2])), max(0.0, float(found[-1]))


def _spread(
    observations: Sequence[Observation], residuals: Floats, text: dict[str, float], common: float
) -> tuple[dict[str, float], float]:
    """Variance of each stratum beyond what is shared, drawn to that of all questions."""
    sums: dict[str, list[float]] = {}
    for observation, residual in zip(observations, residuals, strict=True):
        kind = observation.question.kind
        own = float(residual) ** 2 - text[f"{kind}/{kind}"] - common
        sums.setdefault(stratum(observation.question, observation.first), []).append(own)
    everything = [value for values in sums.values() for value in values]
    overall = max(_LEAST, sum(everything) / len(everything))
    return {
        name: max(_LEAST, (sum(values) + _PRIOR * overall) / (len(values) + _PRIOR))
        for name, values in sorted(sums.items())
    }, overall
