"""The metric: identifiers, the three passes, coarse and granular scores."""

from __future__ import annotations

from posh_lite._lazy import resolver

_LAZY = {
    "PoSh": "posh_lite.metric.posh",
    "Score": "posh_lite.metric.score",
    "Component": "posh_lite.metric.score",
    "Metric": "posh_lite.metric.protocol",
}
__all__ = list(_LAZY)
__getattr__ = resolver(__name__, _LAZY)
