"""Scene graphs as rubrics for judging long image descriptions, light enough for a laptop."""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"

# Public names resolved on first use, so that importing the package stays fast and pulls in no model.
_LAZY = {
    "PoSh": "posh_lite.metric.posh",
    "Score": "posh_lite.metric.score",
    "extract_graph": "posh_lite.graph.extract",
    "SceneGraph": "posh_lite.graph.types",
    "Pair": "posh_lite.records",
    "read_pairs": "posh_lite.records",
    "InputError": "posh_lite.errors",
    "PoshLiteError": "posh_lite.errors",
}
__all__ = ["__version__", *_LAZY]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
