"""Whether a model of a hub is on this machine: metrics never start a download of their own accord."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from posh_lite.judge.llm.weights import identity

__all__ = ["identity", "lacks_gpu", "lacks_model"]


def lacks_model(model: str) -> list[str]:
    """A line with what to do where a model is neither a folder nor in the local cache of the Hugging Face hub."""
    if Path(model).is_dir():
        return []
    if importlib.util.find_spec("huggingface_hub") is not None:
        from huggingface_hub import try_to_load_from_cache

        try:
            if isinstance(try_to_load_from_cache(model, "config.json"), str):
                return []
        except ValueError:
            return [f'the model "{model}" is neither a folder that is there nor a name on a hub']
    return [f"the model {model} is not on this machine: hf download {model}, or name a folder that holds it"]


def lacks_gpu(what: str) -> list[str]:
    """A line where torch sees no NVIDIA GPU."""
    import torch

    return [] if torch.cuda.is_available() else [f"a GPU for {what}"]
