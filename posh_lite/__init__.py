"""Scene graphs as rubrics for judging long image descriptions, light enough for a laptop."""

from __future__ import annotations

from posh_lite._lazy import resolver

__version__ = "0.1.0"

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
__getattr__ = resolver(__name__, _LAZY)


def __dir__() -> list[str]:
    return sorted(__all__)
