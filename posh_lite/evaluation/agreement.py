"""Whether two judges say the same of the same components: kappa on verdicts, rank correlation on scores.

Two runs of PoSh over the same pairs ask about the same components, since the scene graphs are the same; only how an
entity is named may differ, because the judge picks the name. Components are therefore matched by side, kind, entity
and words. All intervals resample images.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from posh_lite.evaluation.bootstrap import Estimate, bootstrap, ratio
from posh_lite.evaluation.correlation import spearman_statistic
from posh_lite.metric.passes import rounded
from posh_lite.metric.score import Component, Score

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from posh_lite.evaluation.bootstrap import Floats, Statistic

#: What is compared: "present" by each judge's own threshold, "flagged" is a score below 3, "rounded" the whole scores
#: with quadratic weights, "score" the order of the scores.
Measure = Literal["present", "flagged", "rounded", "score"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
SIDES = ("generation", "reference")
KINDS = ("entity", "attribute", "relation")
#: Score below which a reader is shown a component as a mistake or an omission.
FLAG = 3.0
_AT_ONCE = 4_000_000  # weights in one block of resamples, so that 16,000 components take little memory


@dataclass(frozen=True, slots=True)
class Couple:
    """One component as two judges saw it.

    Attributes:
        id: of the pair, the unit of the bootstrap.
        first, second: the component in either run.
    """

    id: str
    first: Component
    second: Component

    @property
    def missing(self) -> bool:
        """Whether either has no readable verdict."""
        return self.first.score is None or self.second.score is None

    @property
    def inherited(self) -> bool:
        """Whether either judge was not asked, because it found the entity absent."""
        return self.first.inherited or self.second.inherited


@dataclass(frozen=True, slots=True)
class Matched:
    """The components that two runs share.

    Attributes:
        couples: in the order of the first run.
        n_unmatched: components that only one of the runs has; zero where the scene graphs were the same.
    """

    couples: tuple[Couple, ...]
    n_unmatched: int


def match(first: Iterable[Score], second: Iterable[Score]) -> Matched:
    """Match the components of two runs over the same pairs.

    Args:
        first: scores of one judge.
        second: scores of the other; pairs are matched by id and must have the same texts.

    Raises:
        ValueError: an id comes twice in a run, the runs share no pair, or the texts of a pair differ.
    """
    left, right = _by_id(first), _by_id(second)
    shared = [name for name in left if name in right]
    if not shared:
        raise ValueError("the two runs have no pair in common")
    couples: list[Couple] = []
    unmatched = 0
    for name in shared:
        a, b = left[name], right[name]
        if (a.generation, a.reference) != (b.generation, b.reference):
            raise ValueError(f'the texts of pair "{name}" differ between the two runs')
        known = _keyed(b.components)
        found = 0
        for key, component in _keyed(a.components).items():
            other = known.get(key)
            if other is not None:
                couples.append(Couple(name, component, other))
                found += 1
        unmatched += len(a.components) + len(b.components) - 2 * found
    return Matched(tuple(couples), unmatched)


def _by_id(scores: Iterable[Score]) -> dict[str, Score]:
    found: dict[str, Score] = {}
    for score in scores:
        if score.id in found:
            raise ValueError(f'pair "{score.id}" comes twice in a run')
        found[score.id] = score
    return found


def _keyed(components: Sequence[Component]) -> dict[tuple[Any, ...], Component]:
    """Components by what does not depend on the judge; those alike are numbered in the order of the graph."""
    seen: Counter[tuple[Any, ...]] = Counter()
    found = {}
    for component in components:
        key = (component.side, component.kind, component.entity, component.negated, component.text)
        found[(*key, seen[key])] = component
        seen[key] += 1
    return found


def kappa_statistic(
    first: NDArray[Any], second: NDArray[Any], categories: int, *, quadratic: bool = False
) -> Statistic:
    """Cohen's kappa (1960), or with quadratic weights (1968), as a function of row weights.

    Args:
        first: category of each row by one judge, whole numbers from 0, shape ``(n,)``.
        second: by the other.
        categories: how many there are.
        quadratic: count a disagreement by the square of its distance.

    Returns:
        NaN where both judges put everything into one category, so that nothing could have disagreed.
    """
    import numpy as np

    cells = np.asarray(first, dtype=np.int64) * categories + np.asarray(second, dtype=np.int64)
    member = np.zeros((len(cells), categories**2))
    member[np.arange(len(cells)), cells] = 1.0
    distance = np.subtract.outer(np.arange(categories), np.arange(categories)).astype(np.float64)
    cost = distance**2 if quadratic else (distance != 0).astype(np.float64)

    def statistic(weights: Floats) -> Floats:
        table = (weights @ member).reshape(-1, categories, categories)
        total = table.sum(axis=(1, 2))
        chance = np.einsum("bi,bj->bij", table.sum(axis=2), table.sum(axis=1))
        observed, expected = (table * cost).sum(axis=(1, 2)), (chance * cost).sum(axis=(1, 2))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(expected > 0, 1 - observed * total / expected, np.nan)

    return statistic


def agreement(couples: Sequence[Couple], measure: Measure, **settings: Any) -> Estimate:
    """One figure of agreement over components, with its interval over pairs.

    Args:
        couples: of :func:`match`; those without a readable verdict are left out and counted.
        measure: see :data:`MEASURES`: Cohen's kappa on "present" and "flagged", quadratic kappa on "rounded",
            Spearman's rho on "score".
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.

    Raises:
        ValueError: an unknown measure.
    """
    import numpy as np

    if measure not in MEASURES:
        raise ValueError(f"measure must be one of {', '.join(MEASURES)}, got {measure!r}")
    kept = [c for c in couples if not c.missing]
    first = np.array([_value(c.first, measure) for c in kept], dtype=np.float64)
    second = np.array([_value(c.second, measure) for c in kept], dtype=np.float64)
    if measure == "score":
        statistic, method = spearman_statistic(first, second), "spearman"
    elif measure == "rounded":
        statistic, method = kappa_statistic(first, second, 5, quadratic=True), "quadratic kappa"
    else:
        statistic, method = kappa_statistic(first, second, 2), "kappa"
    return bootstrap(
        _in_blocks(statistic), len(kept), units=[c.id for c in kept], method=method,
        n_dropped=len(couples) - len(kept), reason=_why(first, second, measure), **settings,
    )


def _value(component: Component, measure: Measure) -> float:
    score = component.score or math.nan
    if measure == "present":
        return float(bool(component.present))
    if measure == "flagged":
        return float(score < FLAG)
    return float(rounded(score) - 1) if measure == "rounded" else score


def _why(first: Floats, second: Floats, measure: Measure) -> str:
    """Why a figure would be undefined."""
    if not len(first):
        return "no component with two readable verdicts"
    if measure == "score":
        flat = [name for name, values in (("first", first), ("second", second)) if len(set(values.tolist())) < 2]
        return f"the scores of the {' and the '.join(flat)} judge do not vary" if flat else "fewer than 3 components"
    words = {"present": ("absent", "present"), "flagged": ("unflagged", "flagged"), "rounded": tuple("12345")}
    return f"both judges call all {len(first)} components {words[measure][int(first[0])]}"


def _in_blocks(statistic: Statistic) -> Statistic:
    """The same statistic on a few resamples at a time."""
    import numpy as np

    def blocks(weights: Floats) -> Floats:
        size = max(1, _AT_ONCE // max(1, weights.shape[1]))
        return np.concatenate([statistic(weights[at:at + size]) for at in range(0, len(weights), size)])

    return blocks


def agreement_table(
    couples: Sequence[Couple], *, measures: Sequence[Measure] = MEASURES, inherited: bool = True, **settings: Any
) -> pd.DataFrame:
    """Agreement of two judges over all components, and by side and kind.

    Args:
        couples: of :func:`match`.
        measures: the columns.
        inherited: whether components count that either judge was not asked, because it found their entity absent.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.

    Returns:
        One row a group, with ``side`` and ``kind`` ("all" where pooled), ``n`` couples, ``same`` (share called the
        same by both, as :class:`Estimate`), ``present_first`` and ``present_second`` (shares called present by
        each), and an :class:`Estimate` for each measure.
    """
    import pandas as pd

    groups: list[tuple[str, str]] = [("all", "all"), *((s, "all") for s in SIDES), *(("all", k) for k in KINDS)]
    groups += [(side, kind) for side in SIDES for kind in KINDS]
    rows = []
    for side, kind in groups:
        chosen = [
            c for c in couples
            if side in ("all", c.first.side) and kind in ("all", c.first.kind) and (inherited or not c.inherited)
        ]
        read = [c for c in chosen if not c.missing]
        same = [float(bool(c.first.present) == bool(c.second.present)) for c in read]
        figures: dict[str, Any] = {measure: agreement(chosen, measure, **settings) for measure in measures}
        rows.append({
            "side": side, "kind": kind, "n": len(chosen),
            "same": ratio(same, [1.0] * len(same), units=[c.id for c in read], method="share alike", **settings),
            "present_first": _share(read, lambda c: c.first), "present_second": _share(read, lambda c: c.second),
            **figures,
        })
    return pd.DataFrame(rows)


def _share(couples: Sequence[Couple], of: Callable[[Couple], Component]) -> float:
    return sum(bool(of(c).present) for c in couples) / len(couples) if couples else math.nan
