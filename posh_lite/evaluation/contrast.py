"""A contrast set with intervals: how often one changed fact is flagged on its words, and how often rewording is.

The pairs of one original share it, so intervals draw originals anew, not pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from posh_lite.evaluation.bootstrap import Estimate, ratio
from posh_lite.judge.lexical.report import PARAPHRASE

if TYPE_CHECKING:
    from posh_lite.judge.lexical.report import Outcome


def changes(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The pairs in which one fact is changed."""
    return [o for o in outcomes if o.contrast.kind != PARAPHRASE]


def paraphrases(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The pairs in which nothing but the wording is changed."""
    return [o for o in outcomes if o.contrast.kind == PARAPHRASE]


def caught(outcomes: Sequence[Outcome], threshold: float, **settings: Any) -> Estimate:
    """Share of pairs flagged below a threshold: a change on its words, a paraphrase anywhere.

    Args:
        outcomes: scored contrast pairs.
        threshold: a component of the generation with a score below it is flagged (scores run from 1 to 5).
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.
    """
    return ratio(
        [float(o.caught(threshold)) for o in outcomes], [1.0] * len(outcomes),
        units=[o.contrast.original for o in outcomes], method="share flagged", **settings,
    )  # fmt: skip


def caught_by_kind(outcomes: Sequence[Outcome], threshold: float, **settings: Any) -> dict[str, Estimate]:
    """Share of changes flagged on their words by kind of change, most frequent kind first."""
    kinds: dict[str, list[Outcome]] = {}
    for outcome in changes(outcomes):
        kinds.setdefault(outcome.contrast.kind.replace("_", " "), []).append(outcome)
    ordered = sorted(kinds.items(), key=lambda item: (-len(item[1]), item[0]))
    return {kind: caught(rows, threshold, **settings) for kind, rows in ordered}


def component_alarms(outcomes: Sequence[Outcome], threshold: float, **settings: Any) -> Estimate:
    """Share of the components of paraphrases that are flagged: each one is a false alarm."""
    rows = paraphrases(outcomes)
    scored = [[c.score for c in o.score.of("generation") if c.score is not None] for o in rows]
    return ratio(
        [float(sum(s < threshold for s in scores)) for scores in scored], [float(len(scores)) for scores in scored],
        units=[o.contrast.original for o in rows], method="share of components flagged", **settings,
    )  # fmt: skip
