"""Judges: whatever answers the questions of the metric, and the log of what they said."""

from __future__ import annotations

from posh_lite._lazy import resolver

_LAZY = {
    "Question": "posh_lite.judge.contract",
    "Verdict": "posh_lite.judge.contract",
    "Judge": "posh_lite.judge.contract",
    "TableJudge": "posh_lite.judge.table",
    "VerdictLog": "posh_lite.judge.log",
    "LoggedJudge": "posh_lite.judge.log",
    "ReplayJudge": "posh_lite.judge.replay",
    "make_judge": "posh_lite.judge.registry",
    "load_prompts": "posh_lite.judge.prompts",
}
__all__ = list(_LAZY)
__getattr__ = resolver(__name__, _LAZY)
