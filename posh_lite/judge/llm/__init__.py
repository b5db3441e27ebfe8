"""Language models as judges: one core that reads answers, and an engine for each way of running a model."""

from __future__ import annotations

from posh_lite._lazy import resolver

_LAZY = {
    "LanguageJudge": "posh_lite.judge.llm.judge",
    "Engine": "posh_lite.judge.llm.engine",
    "Prompt": "posh_lite.judge.llm.engine",
    "Reading": "posh_lite.judge.llm.engine",
    "Usage": "posh_lite.judge.llm.usage",
    "Prices": "posh_lite.judge.llm.usage",
    "read_answer": "posh_lite.judge.llm.answers",
}
__all__ = list(_LAZY)
__getattr__ = resolver(__name__, _LAZY)
