"""The run: a configuration becomes TRL's trainer, trains, and leaves checkpoints with their record.

Torch, transformers, datasets and TRL are imported when a training begins.
"""

from __future__ import annotations

import io
import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from posh_lite.benchmarks.catalog import sha256
from posh_lite.errors import InputError, MissingDependency
from posh_lite.judge.registry import install_command
from posh_lite.reward.train import record
from posh_lite.reward.train.config import TrainConfig
from posh_lite.reward.train.curves import curves
from posh_lite.reward.train.data import Example, read_examples, sources
from posh_lite.reward.train.numbers import Numbers, numbers
from posh_lite.reward.train.plan import not_installed
from posh_lite.reward.train.rewards import build_reward, signature_of


@dataclass(frozen=True, slots=True)
class Trained:
    """What a training left.

    Attributes:
        folder: with checkpoints, record, log and curves.
        model: folder of the model that was chosen: the last, or the best on the validation rows.
        steps: updates made, those before a resume included.
        loss: mean over the steps of this run.
        resumed: the checkpoint that it went on from, or None.
    """

    folder: Path
    model: Path
    steps: int
    loss: float
    resumed: Path | None


def train(config: TrainConfig, folder: str | Path, *, resume: bool = False) -> Trained:
    """Train.

    Args:
        config: checked; ``data.train`` names the rows.
        folder: of this run, made where it is not there.
        resume: go on from the latest checkpoint in it.

    Raises:
        InputError: rows or settings cannot be used, the folder holds another training, or there is none to resume.
        MissingDependency: torch, TRL or what a vision model needs is not installed.
        JudgeDown: the model that judges is gone; the checkpoints are kept.
    """
    need(config)
    place = Path(folder)
    devices = int(os.environ.get("WORLD_SIZE", "1")) if config.hardware.gpus else 1
    rows, held_out, files = _read(config)
    counted = numbers(config, len(rows), devices)
    reward = None if config.kind == "sft" else build_reward(config.reward, path=config.path)
    signature = "" if reward is None else signature_of(reward)
    before, checkpoint = _before(place, config, signature, files, resume)
    place.mkdir(parents=True, exist_ok=True)
    first = os.environ.get("RANK", "0") == "0"
    row = record.of_run(config, counted, reward=signature, data=files, before=before)
    if first:
        record.save(place / record.RUN, row)
        record.open_log(place, fresh=checkpoint is None)

    trainer = _trainer(config, place, counted, rows, held_out, reward)
    done = trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
    model = place / "model"
    trainer.save_model(str(model))
    if not first:
        return Trained(place, model, done.global_step, done.training_loss, checkpoint)
    best = trainer.state.best_model_checkpoint
    outcome = {"steps": done.global_step, "loss": done.training_loss, "model": model.name,
               "best_checkpoint": None if best is None else Path(best).name}
    record.save(place / record.RUN, {**row, "outcome": outcome})
    drawing = curves(record.read_log(place), f"{config.name} ({config.method})")
    (place / record.CURVES).write_text(drawing, "utf-8")
    return Trained(place, model, done.global_step, done.training_loss, checkpoint)


def need(config: TrainConfig) -> None:
    """Say what is not installed.

    Raises:
        MissingDependency: with the command that installs it.
    """
    if missing := not_installed(config):
        raise MissingDependency(f"training needs {', '.join(missing)}: {install_command('rl')}")


def _read(config: TrainConfig) -> tuple[list[Example], list[Example], dict[str, Any]]:
    train_file, validation_file = sources(config.data)
    files: dict[str, Any] = {}
    found = []
    wanted = validation_file if config.trainer.get("eval_strategy", "no") != "no" else None
    for name, path in (("train", train_file), ("validation", wanted)):
        rows = [] if path is None else list(read_examples(path, config.data, vision=config.model.vision))
        if path is not None:
            files[name] = {"file": path.name, "rows": len(rows), "sha256": sha256(path)}
        found.append(rows)
    if config.trainer.get("eval_strategy", "no") != "no" and not found[1]:
        raise InputError("trainer.eval_strategy asks for validation and there are no rows for it; give --validation"
                         " FILE or --set trainer.eval_strategy=no", path=config.path, field="data.validation")
    return found[0], found[1], files


def _before(
    place: Path, config: TrainConfig, reward: str, files: dict[str, Any], resume: bool
) -> tuple[dict[str, Any] | None, Path | None]:
    last = checkpoints(place)
    if not resume:
        if last:
            raise InputError(f"holds checkpoints up to {last[-1].name}; go on with --resume, or name another --output",
                             path=place)
        return None, None
    before = record.read_run(place)
    if changed := record.differences(before, config, reward, files):
        raise InputError(f"cannot be resumed as another training: {'; '.join(changed)}", path=place)
    if not last:
        raise InputError("holds no checkpoint yet; run without --resume", path=place)
    return before, last[-1]


def checkpoints(place: Path) -> list[Path]:
    """Checkpoints of a folder that were written whole, the latest last."""
    found = [p for p in place.glob("checkpoint-*") if p.name[11:].isdigit() and _whole(p / "trainer_state.json")]
    return sorted(found, key=lambda p: int(p.name[11:]))


def _whole(state: Path) -> bool:
    """Whether the file that the trainer writes last is there to its end."""
    try:
        return isinstance(json.loads(state.read_bytes()), dict)
    except (OSError, ValueError):
        return False


def _trainer(
    config: TrainConfig, place: Path, counted: Numbers, rows: Sequence[Example], held_out: Sequence[Example],
    reward: Any,
) -> Any:
    from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

    made: dict[str, Any] = {
        **config.trainer, "output_dir": str(place), "per_device_train_batch_size": counted.per_device,
        "gradient_accumulation_steps": counted.accumulation, "use_cpu": config.hardware.gpus == 0,
    }
    made.setdefault("disable_tqdm", False)
    made.setdefault("report_to", "none")
    if config.kind == "grpo":
        made["generation_batch_size"] = counted.rollout
    model, processor, made["model_init_kwargs"] = _model(config, place, [*rows, *held_out])
    try:
        args = (SFTConfig if config.kind == "sft" else GRPOConfig)(**made)
    except (TypeError, ValueError) as error:
        raise InputError(f"the trainer refuses the arguments: {error}", path=config.path) from None
    _check_prompts(config, processor, rows)
    shared = {"model": model, "args": args, "train_dataset": _dataset(config, rows), "processing_class": processor,
              "callbacks": [_logger(place)]}
    if config.kind == "sft":
        trainer = SFTTrainer(**shared, eval_dataset=_dataset(config, held_out) if held_out else None)
    else:
        trainer = GRPOTrainer(**shared, reward_funcs=[reward])
    if config.model.freeze_vision:
        frozen = [p for n, p in trainer.model.named_parameters() if ".visual." in f".{n}"]
        if not frozen:
            raise InputError("freeze_vision: the model has no vision tower", path=config.path, field="model")
        for parameter in frozen:
            parameter.requires_grad_(False)
    return trainer


def _model(config: TrainConfig, place: Path, rows: Sequence[Example]) -> tuple[str, Any, dict[str, Any]]:
    m = config.model
    if m.name.startswith("tiny:"):
        m = replace(m, name=str(_tiny(m.name, place / "start", rows, int(config.trainer.get("seed", 42)))))
    from transformers import AutoProcessor, AutoTokenizer

    revision = {"revision": m.revision} if m.revision else {}
    load = {"dtype": m.dtype, **revision} | ({"attn_implementation": m.attention} if m.attention else {})
    try:
        if not m.vision:
            return m.name, AutoTokenizer.from_pretrained(m.name, padding_side="left", **revision), load
        bounds = {k: v for k, v in (("min_pixels", m.min_pixels), ("max_pixels", m.max_pixels)) if v}
        return m.name, AutoProcessor.from_pretrained(m.name, padding_side="left", **bounds, **revision), load
    except (OSError, ValueError) as error:
        raise InputError(f'model "{m.name}" cannot be loaded: {str(error).splitlines()[0]}; name a folder, or fetch it'
                         " from its hub first", path=config.path, field="model.name") from None


def _tiny(name: str, folder: Path, rows: Sequence[Example], seed: int) -> Path:
    """A tiny model as a folder, which is then loaded like any other, as its own reference too."""
    from posh_lite.reward.train.tiny import make

    if not (folder / "config.json").is_file():
        model, processor = make(name, [t for e in rows[:200] for t in (e.prompt, e.reference)], seed)
        processor.save_pretrained(folder)
        model.save_pretrained(folder)
    return folder


def _dataset(config: TrainConfig, rows: Sequence[Example]) -> Any:
    from datasets import Dataset, Image

    columns: dict[str, list[Any]] = {"prompt": [[{"role": "user", "content": e.prompt}] for e in rows]}
    if config.kind == "sft":
        columns["completion"] = [[{"role": "assistant", "content": e.reference}] for e in rows]
    else:
        columns |= {"id": [e.id for e in rows], "reference": [e.reference for e in rows]}
        if any(e.rubric for e in rows):
            columns["rubric"] = [e.rubric for e in rows]
    if not config.model.vision:
        return Dataset.from_dict(columns)
    columns["image"] = [{"path": None, "bytes": e.content} if e.image is None else {"path": e.image, "bytes": None}
                        for e in rows]
    return Dataset.from_dict(columns).cast_column("image", Image(mode="RGB"))


def _check_prompts(config: TrainConfig, processor: Any, rows: Sequence[Example]) -> None:
    """Refuse a prompt that is longer than the limit: TRL has none, and cutting one would cut its image."""
    limit = config.data.max_prompt_tokens
    if not limit:
        return
    words = getattr(processor, "tokenizer", processor)
    texts: dict[str, int] = {}
    for e in rows:
        if e.prompt not in texts:
            texts[e.prompt] = len(words(e.prompt)["input_ids"])
        size = texts[e.prompt] + (_visual_tokens(processor, e) if e.has_image and config.model.vision else 0)
        if size > limit:
            path, line = e.source
            raise InputError(f"the prompt takes {size:,} tokens with its image, more than data.max_prompt_tokens"
                             f" ({limit:,})", path=path, line=line)


def _visual_tokens(processor: Any, example: Example) -> int:
    from PIL import Image

    source = io.BytesIO(example.picture()) if example.image is None else example.image
    with Image.open(source) as image:  # of a file no more than its head is read
        width, height = image.size
    count = getattr(processor.image_processor, "get_number_of_image_patches", None)
    if count is None:
        return 0
    return int(count(height, width)) // int(processor.image_processor.merge_size) ** 2


def _logger(place: Path) -> Any:
    from transformers import TrainerCallback

    class Logger(TrainerCallback):  # type: ignore[misc]
        """Writes what the trainer logs, a line each, as soon as it is logged."""

        def __init__(self) -> None:
            self.began = time.monotonic()

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **more: Any) -> None:
            if not state.is_world_process_zero or not logs:
                return
            row = {"step": state.global_step, "epoch": state.epoch, "seconds": round(time.monotonic() - self.began, 2),
                   **{k: v for k, v in logs.items() if k not in ("step", "epoch")}}
            with (place / record.LOG).open("a", encoding="utf-8", newline="\n") as handle:
                handle.write(json.dumps(row, default=float) + "\n")

    return Logger()


def for_output(config: TrainConfig, folder: str | None) -> Path:
    """Where a run goes: the folder that is named, else ``runs/NAME``."""
    return Path(folder) if folder else Path("runs") / config.name


def limited(config: TrainConfig, max_steps: int | None) -> TrainConfig:
    """The same with a limit of updates."""
    if max_steps is None:
        return config
    if max_steps < 1:
        raise InputError(f"--max-steps must be at least 1, got {max_steps}")
    return replace(config, trainer={**config.trainer, "max_steps": max_steps})
