"""A cascade in front of both judges weighed together, played from a full run of the second one alone.

The weighed judge (``combined``) knows the first judge's answer to every question, so what a cascade leaves out is only
the second's share of it, and its scores vary more from pair to pair than a small model's: it is the easier one to
imitate, and the better one to have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.evaluation.cascade_curve import FullRun, RecordedAnswers, cascade_points, describe, full_run
from posh_lite.judge.cascade_fit import fit_policy, observe
from posh_lite.judge.combined import CombinedJudge

if TYPE_CHECKING:
    from posh_lite.graph.types import SceneGraph
    from posh_lite.judge.cascade_policy import Policy
    from posh_lite.judge.combined_weights import Weights
    from posh_lite.judge.contract import Judge
    from posh_lite.records import Pair

#: How the points of such a cascade are told from others in ``cascade.json``.
JOINT = "combined"


@dataclass(frozen=True, slots=True)
class JointCurve:
    """Points of the cascade, the policy fitted on all pairs, and the judge behind it.

    What the full run lacked word by word is told with the judge "combined" in ``judges.json``: it is the same run.
    """

    rows: tuple[dict[str, Any], ...]  # of :func:`~posh_lite.evaluation.cascade_curve.describe`
    policy: Policy
    about: dict[str, Any]


def joint_curve(
    pairs: Sequence[Pair], first: Judge, run: FullRun, weights: Weights, shares: Sequence[float], *,
    graphs: Mapping[str, SceneGraph], folds: int = 5, prompts: str | Path | None = None, n_resamples: int = 2000,
    data: str = "",
) -> JointCurve:
    """Play the weighed judge in full and behind a cascade, cross-validated by pair.

    Args:
        pairs: that the run has wholly.
        first: the cheap judge.
        run: of the second judge alone, on raw scores.
        weights: of the two.
        shares: one point each.
        graphs: scene graphs by text.
        folds: of the cross-validation.
        prompts: the prompt file of the run.
        n_resamples: of the bootstrap.
        data: name of the data, kept in the policy.

    Raises:
        InputError: too few pairs.
        JudgeError: the weights are those of other judges.
    """
    joint = full_run(pairs, CombinedJudge(first, RecordedAnswers(run), weights), graphs=graphs, prompts=prompts)
    about = {"second": joint.signature, "threshold": joint.threshold}
    points = cascade_points(joint, first, shares, folds=folds, prompts=prompts)
    rows = tuple({"identifiers": JOINT, **describe(joint, p, n_resamples=n_resamples)} for p in points)
    seen = [o for name in joint.said for o in observe(first, joint.said[name])]
    return JointCurve(rows, fit_policy(seen, first=first.signature, second=joint.signature, data=data), about)
