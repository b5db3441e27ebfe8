"""What a training leaves beside its checkpoints: ``run.json``, ``log.jsonl``, and the curves as ``curves.svg``."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from posh_lite import __version__
from posh_lite.errors import InputError
from posh_lite.records import read_jsonl
from posh_lite.reward.train.config import TrainConfig
from posh_lite.reward.train.numbers import Numbers

RUN, LOG, CURVES = "run.json", "log.jsonl", "curves.svg"
#: Packages whose version can change a training.
PACKAGES = ("torch", "transformers", "trl", "accelerate", "datasets", "tokenizers", "vllm", "spacy")
#: Arguments that another run of the same training may change: how long, how often, where to.
FREE = frozenset({"max_steps", "num_train_epochs", "save_steps", "save_strategy", "save_total_limit", "logging_steps",
                  "report_to", "dataloader_num_workers", "disable_tqdm", "log_completions"})


def versions() -> dict[str, str]:
    """Versions of this package, of Python and of what trains; what is not installed is left out."""
    found = {"posh-lite": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def of_run(
    config: TrainConfig, counted: Numbers, *, reward: str, data: Mapping[str, Any],
    before: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What ``run.json`` holds when a training begins.

    Args:
        config: what is run.
        counted: its numbers.
        reward: signature of the reward; empty for supervised training.
        data: files with rows and checksum.
        before: ``run.json`` of the run that this one resumes; its beginnings are kept.
    """
    starts = [*(before or {}).get("started", []), datetime.now(UTC).isoformat(timespec="seconds")]
    return {"config": config.to_dict(), "numbers": asdict(counted), "reward": reward, "data": dict(data),
            "versions": versions(), "seed": config.trainer.get("seed", 42), "started": starts}


def save(path: Path, row: Any) -> None:
    """Write JSON whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(row, indent=1, ensure_ascii=False, default=str) + "\n", "utf-8")
    part.replace(path)


def read_run(folder: Path) -> dict[str, Any]:
    """``run.json`` of a folder.

    Raises:
        InputError: it is not there or no record.
    """
    try:
        row = json.loads((folder / RUN).read_bytes())
        if not isinstance(row, dict) or not isinstance(row.get("config"), dict):
            raise ValueError("no record of a training")
        return row
    except FileNotFoundError:
        raise InputError(f"no {RUN} here, so there is no training to resume", path=folder) from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read: {error}", path=folder / RUN) from None


def differences(before: Mapping[str, Any], config: TrainConfig, reward: str, data: Mapping[str, Any]) -> list[str]:
    """What a resumed training may not change, and does."""

    def flat(row: Any, prefix: str = "") -> dict[str, Any]:
        if not isinstance(row, Mapping):
            return {prefix: row}
        parts = [flat(inner, f"{prefix}.{key}" if prefix else key) for key, inner in row.items()]
        return {key: value for part in parts for key, value in part.items()}

    def essential(row: Mapping[str, Any]) -> dict[str, Any]:
        part = {key: row.get(key) for key in ("method", "model", "reward", "batch", "trainer")}
        return {k: v for k, v in flat(part).items() if k.split(".")[-1] not in {*FREE, "log", "options", "per_device"}}

    old, new = essential(before["config"]), essential(json.loads(json.dumps(config.to_dict(), default=str)))
    found = [f"{key}: {old.get(key)!r} before, {new.get(key)!r} now" for key in sorted({*old, *new})
             if old.get(key) != new.get(key)]
    if before.get("reward") != reward:
        found.append(f"the reward: {before.get('reward')} before, {reward} now")
    sums = [{name: file.get("sha256") for name, file in d.items()} for d in (before.get("data", {}), data)]
    if sums[0].get("train") != sums[1].get("train"):
        found.append("the rows to train on are others")
    if new.get("trainer.load_best_model_at_end") and sums[0].get("validation") != sums[1].get("validation"):
        found.append("the rows to validate on are others, so that no best checkpoint could be told")
    return found


def open_log(folder: Path, *, fresh: bool) -> None:
    """Make the log ready to be gone on with: empty for a new run; without a line that a kill cut short for another."""
    path = folder / LOG
    if not path.is_file():
        return
    data = path.read_bytes()
    kept = b"" if fresh else data[: data.rfind(b"\n") + 1]
    if kept != data:
        path.write_bytes(kept)


def read_log(folder: Path) -> list[dict[str, Any]]:
    """The lines of ``log.jsonl`` by step; a step that was run again after a resume counts as it was run last.

    Lines that cannot be read, as of a run that was killed, are left out.
    """
    path = folder / LOG
    if not path.is_file():
        return []
    rows = [row for _, row in read_jsonl(path, on_error=lambda e: None) if isinstance(row, dict)]
    kept: dict[tuple[int, frozenset[str]], dict[str, Any]] = {}
    for row in rows:
        kept[int(row.get("step", 0)), frozenset(row)] = row
    return sorted(kept.values(), key=lambda row: int(row.get("step", 0)))
