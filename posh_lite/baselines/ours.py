"""PoSh as a row among the baselines."""

from __future__ import annotations

from typing import Any

from posh_lite.metric.posh import PoSh


def posh(model: str = "lexical", **options: Any) -> PoSh:
    """PoSh with a judge by name, such as ``lexical`` or ``gguf:model.gguf``; ``options`` are those of PoSh."""
    return PoSh(options.pop("judge", model), progress=options.pop("progress", False), **options)
