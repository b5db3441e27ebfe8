"""The arguments of TRL's trainers, by name and type, so that a configuration is checked where TRL is not installed.

``configs/trl_arguments.json`` holds what the pinned release declares; ``python -m posh_lite.reward.train.arguments``
in an environment that has TRL writes it anew, and a test there compares.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from posh_lite.errors import InputError

Trainer = Literal["sft", "grpo"]
FILE = "trl_arguments.json"
#: Arguments that follow from other parts of a configuration, and from which.
DERIVED: dict[str, str] = {
    "per_device_train_batch_size": "batch.per_device", "gradient_accumulation_steps": "batch.update",
    "generation_batch_size": "batch.rollout", "steps_per_generation": "batch.rollout", "output_dir": "--output",
    "model_init_kwargs": "model", "use_cpu": "hardware.gpus", "trust_remote_code": "model",
    "resume_from_checkpoint": "--resume",
}
#: Former names, and what stands for them in the pinned release.
RENAMED: dict[str, str] = {
    "warmup_ratio": "warmup_steps (below 1 it is a share of all steps)",
    "evaluation_strategy": "eval_strategy", "max_new_tokens": "max_completion_length",
    "max_seq_length": "max_length", "max_prompt_length": "data.max_prompt_tokens (this release has no such argument)",
    "top_k_rollout": "top_k", "kl_coef": "beta", "gradient_checkpointing": "activation_checkpointing",
    "gradient_checkpointing_kwargs": "activation_checkpointing_kwargs",
}
#: Values that the trainers take for an argument whose type alone does not tell.
CHOICES: dict[str, tuple[str, ...]] = {
    "loss_type": ("grpo", "dr_grpo", "dapo", "bnpo", "cispo", "sapo", "luspo", "vespo", "nll", "dft"),
    "eval_strategy": ("no", "steps", "epoch"), "save_strategy": ("no", "steps", "epoch", "best"),
    "logging_strategy": ("no", "steps", "epoch"), "scale_rewards": ("group", "batch", "none"),
    "vllm_mode": ("colocate", "server"), "importance_sampling_level": ("token", "sequence"),
    "lr_scheduler_type": (
        "linear", "cosine", "cosine_with_restarts", "polynomial", "constant", "constant_with_warmup",
        "inverse_sqrt", "reduce_lr_on_plateau", "cosine_with_min_lr", "warmup_stable_decay",
    ),
}
#: Least values; a training with less would stop late, or do something else in silence.
LEAST: dict[str, float] = {
    "beta": 0, "epsilon": 0, "epsilon_high": 0, "weight_decay": 0, "warmup_steps": 0, "max_grad_norm": 0, "top_k": 0,
    "min_p": 0, "max_completion_length": 1, "max_length": 1, "num_iterations": 1, "save_total_limit": 1,
    "dataloader_num_workers": 0, "seed": 0, "vllm_tensor_parallel_size": 1, "vllm_max_model_length": 1,
}
#: Those that must be above 0.
ABOVE_0 = frozenset({"num_train_epochs", "save_steps", "logging_steps", "eval_steps"})
#: What an argument takes beyond its declared type.
_ALSO: dict[str, str] = {"fsdp": "bool", "scale_rewards": "bool"}
_KINDS: dict[str, tuple[type, ...]] = {
    "bool": (bool,), "int": (int,), "float": (int, float), "str": (str,), "dict": (dict,), "list": (list,),
}


@cache
def known(trainer: Trainer) -> Mapping[str, str]:
    """Name and declared type of every argument of a trainer in the pinned release."""
    return dict(_table()[trainer])


def release() -> str:
    """The release of TRL whose arguments these are."""
    return str(_table()["trl"])


@cache
def _table() -> dict[str, Any]:
    text = (files("posh_lite.reward") / "configs" / FILE).read_text("utf-8")
    table: dict[str, Any] = json.loads(text)
    return table


def check_argument(trainer: Trainer, name: str, value: Any, *, path: object = None, line: int | None = None) -> Any:
    """Check one argument and return it as the trainer takes it; the word "none" stands for None where no text is taken.

    Raises:
        InputError: the trainer has no such argument, it follows from another part of the configuration, or the value
            is of another kind.
    """
    where: dict[str, Any] = {"path": path, "line": line, "field": f"trainer.{name}"}
    if name in DERIVED:
        raise InputError(f"trainer.{name} follows from {DERIVED[name]}; set that", **where)
    if name in RENAMED:
        raise InputError(f"trainer.{name} is no argument of TRL {release()}; use {RENAMED[name]}", **where)
    declared = known(trainer).get(name)
    if declared is None:
        near = get_close_matches(name, known(trainer), n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise InputError(f"trainer.{name} is no argument of the {trainer.upper()} trainer of TRL {release()}{hint}",
                         **where)
    names = set(re.findall(r"\b(bool|int|float|str|dict|list|None)\b", f"{declared} {_ALSO.get(name, '')}"))
    if value == "none" and "None" in names and "str" not in names:
        return None
    types = tuple(t for n in names for t in _KINDS.get(n, ()))
    good = isinstance(value, types) and not (isinstance(value, bool) and "bool" not in names)
    if types and not good:
        kinds = " or ".join(sorted(names - {"None"}))
        raise InputError(f"trainer.{name} must be {kinds}, got {value!r}", **where)
    if name in CHOICES and isinstance(value, str) and value not in CHOICES[name]:
        near = get_close_matches(value, CHOICES[name], n=1)
        hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(CHOICES[name])}"
        raise InputError(f"trainer.{name}: no {value!r}{hint}", **where)
    return value


def out_of_range(name: str, value: Any) -> str:
    """What is wrong with a number as an argument; empty where nothing is, or where it is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    if name in LEAST and not LEAST[name] <= value < math.inf:
        return f"must be at least {LEAST[name]:g}, got {value}"
    if name in ABOVE_0 and not 0 < value < math.inf:
        return f"must lie above 0, got {value}"
    if name == "max_steps" and value == 0:
        return "must be at least 1, or -1 for whole epochs, got 0"
    return "" if math.isfinite(value) else f"must be a number, got {value}"


def declared() -> dict[str, Any]:
    """What the installed TRL declares, in the form of the file; needs TRL."""
    import transformers
    import trl

    def name(kind: Any) -> str:
        return re.sub(r"<class '([^']+)'>|\b(?:typing|transformers\.\w+|accelerate\.\w+)\.", r"\1", str(kind))

    table: dict[str, Any] = {"trl": trl.__version__, "transformers": transformers.__version__}
    for trainer, config in (("sft", trl.SFTConfig), ("grpo", trl.GRPOConfig)):
        table[trainer] = {f.name: name(f.type) for f in sorted(fields(config), key=lambda f: f.name) if f.init}
    return table


if __name__ == "__main__":
    from pathlib import Path

    place = Path(__file__).parents[1] / "configs" / FILE
    place.write_text(json.dumps(declared(), indent=1) + "\n", "utf-8")
    print(place)
