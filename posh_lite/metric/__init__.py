"""The metric: identifiers, the three passes, coarse and granular scores."""

from __future__ import annotations

from typing import Any

_LAZY = {
    "PoSh": "posh_lite.metric.posh",
    "Score": "posh_lite.metric.score",
    "Component": "posh_lite.metric.score",
    "Metric": "posh_lite.metric.protocol",
}
__all__ = list(_LAZY)


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
