"""Embeddings of the rows 4GramEmbed and SGEmbed: those of :mod:`posh_lite.judge.embedding`, and what a row lacks.

The PoSh paper embeds with Qwen/Qwen3-Embedding-8B (appendix "Granular Baselines"). "chars" and "minilm" are ours and
stand in, so that the rest of the row can be tried and a small model be held against it.
"""

from __future__ import annotations

from typing import Any

from posh_lite.judge.embedding import (
    CharacterGrams,
    Embedder,
    SentenceTransformers,
    best_similarities,
    lacks_minilm,
    make_embedder,
    unit_rows,
    word_runs,
)

__all__ = [
    "QWEN", "CharacterGrams", "Embedder", "SentenceTransformers", "best_similarities", "lacking", "make_embedder",
    "unit_rows", "word_runs",
]

#: Of the paper.
QWEN = "Qwen/Qwen3-Embedding-8B"


def lacking(model: str = QWEN, device: str | None = None, **_: Any) -> list[str]:
    """What a model lacks here, for the registry; the paper's needs a GPU unless a device is named."""
    from posh_lite.baselines.hub import lacks_gpu, lacks_model

    if model == "chars":
        return []
    if model == "minilm":
        return [why] if (why := lacks_minilm()) else []
    if model == QWEN and device is None and (found := lacks_gpu(f"{QWEN} (8 billion parameters, some 16 GB)")):
        return [f"{found[0]}; name a smaller model after a colon"]
    return lacks_model(model)
