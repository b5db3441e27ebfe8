"""The policy before training: one whose captions have the composition that the paper diagnoses in its base model."""

from __future__ import annotations

import math
from collections.abc import Sequence

from posh_lite.position.composition import compose, shares_of
from posh_lite.position.types import LABELS
from posh_lite.reward.lab.measure import captions_of
from posh_lite.reward.lab.nature import Nature, Stock
from posh_lite.reward.lab.policy import ANCHORS, KINDS, LENGTHS, N_FEATURES, Kind, Policy

#: The paper's base model, as Table 7 names it.
BASE = "Qwen3-VL-4B"
#: Kinds by the label that they are meant to bring, with their part of it; the rest have a fixed share.
_GROUPS: dict[str, dict[Kind, float]] = {
    "Supported": {"fine": 0.5, "broad": 0.5}, "Contradicted": {"reach": 1.0}, "Generic": {"generic": 1.0},
}
_FIXED: dict[Kind, float] = {"invent": 0.05, "reword": 0.03, "repeat": 0.02}
#: Sentences of a caption before training: mean and spread of the plan. Table 4 has 229 to 257 tokens.
_SENTENCES = (13.0, 3.0)


def targets() -> list[list[float]]:
    """Supported, contradicted and generic share by quarter that Table 7 prints of the base model."""
    from posh_lite.position.published import printed_profiles

    return [[part[label].value for label in LABELS] for part in printed_profiles()[BASE]]


def policy_of(shares: Sequence[Sequence[float]]) -> Policy:
    """A policy that chooses kinds by given shares of the three groups, a row an anchor."""
    import numpy as np

    kinds = np.zeros((N_FEATURES, len(KINDS)))
    rest = 1 - sum(_FIXED.values())
    for anchor, row in enumerate(shares):
        total = sum(row)
        for share, group in zip(row, _GROUPS.values(), strict=True):
            for kind, part in group.items():
                kinds[anchor, KINDS.index(kind)] = math.log(rest * part * share / total)
        for kind, share in _FIXED.items():
            kinds[anchor, KINDS.index(kind)] = math.log(share)
    mean, spread = _SENTENCES
    lengths = np.array([-((n - mean) ** 2) / (2 * spread**2) for n in LENGTHS])
    return Policy(kinds, lengths)


def fit_base(
    stocks: Sequence[Stock], nature: Nature, *, rounds: int = 12, each: int = 40, seed: int = 0,
    goal: Sequence[Sequence[float]] | None = None,
) -> Policy:
    """Find shares of kinds under which captions have the composition of the paper's base model.

    By repeated correction: a group whose label is too rare in a quarter is chosen more often at that quarter's anchors.
    What cannot be reached (say, more right sentences than the supply allows) stays apart; the record says how far.

    Args:
        stocks: of all works.
        nature: the environment.
        rounds: of correction.
        each: captions a work in each round.
        seed: of the draws.
        goal: shares by quarter (default: :func:`targets`).
    """
    import numpy as np

    aim = np.array(targets() if goal is None else goal)
    own = aim.copy()
    for turn in range(rounds):
        policy = policy_of(np.repeat(own, ANCHORS // 4, axis=0).tolist())
        (lens,) = compose(c.profile for c in captions_of(policy, stocks, nature, each=each, seed=seed + turn)).values()
        found = shares_of(lens.counts.sum(axis=0))
        own = own * ((aim + 0.01) / (found + 0.01)) ** 0.7
        own = np.clip(own / own.sum(axis=1, keepdims=True), 0.005, 1.0)
    return policy_of(np.repeat(own, ANCHORS // 4, axis=0).tolist())
