"""Rewards for captions: PoSh and PAGER as reward functions of TRL, their terms, and what they do to a policy.

The public names are resolved on first use; nothing here imports torch or TRL before a training begins.
"""

from posh_lite._lazy import resolver

_HOMES = {
    "PagerSettings": "posh_lite.reward.settings",
    "VARIANTS": "posh_lite.reward.settings",
    "variant": "posh_lite.reward.settings",
    "Terms": "posh_lite.reward.terms",
    "pager_terms": "posh_lite.reward.terms",
    "PoShReward": "posh_lite.reward.posh",
    "PagerReward": "posh_lite.reward.pager",
    "CoverageReward": "posh_lite.reward.pager",
    "MiddleReward": "posh_lite.reward.pager",
    "TailReward": "posh_lite.reward.pager",
    "LengthReward": "posh_lite.reward.pager",
    "JudgeChoice": "posh_lite.reward.judges",
    "read_rubric": "posh_lite.reward.rubrics",
    "rubric_json": "posh_lite.reward.rubrics",
}
__all__ = list(_HOMES)
__getattr__ = resolver(__name__, _HOMES)
