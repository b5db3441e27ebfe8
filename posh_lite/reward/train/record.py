"""What a training leaves beside its checkpoints: ``run.json``, ``log.jsonl``, and the curves as ``curves.svg``."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from html import escape
from importlib import metadata
from pathlib import Path
from typing import Any

from posh_lite import __version__
from posh_lite.errors import InputError
from posh_lite.graph.draw_ink import prefers_dark
from posh_lite.plot import PALETTE
from posh_lite.records import read_jsonl
from posh_lite.reward.train.config import TrainConfig
from posh_lite.reward.train.numbers import Numbers

RUN, LOG, CURVES = "run.json", "log.jsonl", "curves.svg"
#: Packages whose version can change a training.
PACKAGES = ("torch", "transformers", "trl", "accelerate", "datasets", "tokenizers", "vllm", "spacy")
#: Arguments that another run of the same training may change: how long, how often, where to.
FREE = frozenset({"max_steps", "num_train_epochs", "save_steps", "save_strategy", "save_total_limit", "logging_steps",
                  "report_to", "dataloader_num_workers", "disable_tqdm", "log_completions"})  # fmt: skip


def versions() -> dict[str, str]:
    """Versions of this package, of Python and of what trains; what is not installed is left out."""
    found = {"posh-lite": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def write_run(
    folder: Path, config: TrainConfig, counted: Numbers, *, reward: str, data: Mapping[str, Any],
    before: Mapping[str, Any] | None = None, **more: Any,
) -> dict[str, Any]:
    """Write ``run.json`` and return it.

    Args:
        folder: of the run.
        config: what is run.
        counted: its numbers.
        reward: signature of the reward; empty for supervised training.
        data: files with rows and checksum.
        before: ``run.json`` of the run that this one resumes; its beginnings are kept.
        more: such as the outcome.
    """
    starts = [*(before or {}).get("started", []), datetime.now(UTC).isoformat(timespec="seconds")]
    row = {"config": config.to_dict(), "numbers": asdict(counted), "reward": reward, "data": dict(data),
           "versions": versions(), "seed": config.trainer.get("seed", 42), "started": starts, **more}  # fmt: skip
    save(folder / RUN, row)
    return row


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
        return {k: v for key, inner in row.items() for k, v in flat(inner, f"{prefix}.{key}" if prefix else key).items()}

    def essential(row: Mapping[str, Any]) -> dict[str, Any]:
        part = {key: row.get(key) for key in ("method", "model", "reward", "batch", "trainer")}
        return {k: v for k, v in flat(part).items() if k.split(".")[-1] not in {*FREE, "log", "options", "per_device"}}

    old, new = essential(before["config"]), essential(json.loads(json.dumps(config.to_dict(), default=str)))
    found = [f"{key}: {old.get(key)!r} before, {new.get(key)!r} now" for key in sorted({*old, *new})
             if old.get(key) != new.get(key)]  # fmt: skip
    if before.get("reward") != reward:
        found.append(f"the reward: {before.get('reward')} before, {reward} now")
    sums = [{name: file.get("sha256") for name, file in d.items()} for d in (before.get("data", {}), data)]
    if sums[0].get("train") != sums[1].get("train"):
        found.append("the rows to train on are others")
    return found


# -- curves -------------------------------------------------------------------------------------------------


def read_log(folder: Path) -> list[dict[str, Any]]:
    """The lines of ``log.jsonl``; a step that was run again after a resume counts as it was run last."""
    path = folder / LOG
    if not path.is_file():
        return []
    rows = [row for _, row in read_jsonl(path, on_error=lambda e: None) if isinstance(row, dict)]
    kept: dict[tuple[int, frozenset[str]], dict[str, Any]] = {}
    for row in rows:
        kept[int(row.get("step", 0)), frozenset(row)] = row
    return sorted(kept.values(), key=lambda row: int(row.get("step", 0)))


def series(rows: Sequence[Mapping[str, Any]], name: str) -> list[tuple[int, float]]:
    """(step, value) of a logged figure, without those that are no number."""
    return [(int(r["step"]), float(r[name])) for r in rows
            if isinstance(r.get(name), int | float) and math.isfinite(r[name])]  # fmt: skip


def curves(rows: Sequence[Mapping[str, Any]], title: str) -> str:
    """Loss and, where there are, validation loss and reward over the steps, one below the other, as SVG with alt text."""
    panels = [(label, found) for name, label in (("loss", "loss"), ("eval_loss", "validation loss"),
                                                 ("reward", "mean reward of a caption"),
                                                 ("completions/mean_length", "mean length, tokens"))
              if (found := series(rows, name))]  # fmt: skip
    told = [f"{label} from {points[0][1]:.3g} at step {points[0][0]} to {points[-1][1]:.3g} at step {points[-1][0]}"
            for label, points in panels]  # fmt: skip
    alt = f"{title}: " + ("; ".join(told) if told else "nothing was logged") + "."
    height, width = 132, 520
    light, dark = (";".join(f"--{n}:{PALETTE[n][i]}" for n in ("text", "muted", "grid", "blue")) for i in (0, 1))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="pl-curves" role="img" viewBox="0 0 {width}'
        f' {30 + height * max(1, len(panels))}" font-family="DejaVu Sans,Verdana,sans-serif" font-size="11">',
        f"<title>{escape(title)}</title><desc>{escape(alt)}</desc>",
        f"<style>{prefers_dark('.pl-curves', light, dark)}.pl-curves text{{fill:var(--text)}}"
        ".pl-curves .soft{fill:var(--muted)}.pl-curves .grid{stroke:var(--grid)}"
        ".pl-curves polyline{fill:none;stroke:var(--blue);stroke-width:1.8}.pl-curves circle{fill:var(--blue)}</style>",
        f'<text x="8" y="18" font-size="13">{escape(title)}</text>',
    ]
    last = max((points[-1][0] for _, points in panels), default=1)
    first = min((points[0][0] for _, points in panels), default=0)
    for number, (label, points) in enumerate(panels):
        parts += _panel(label, points, 30 + number * height, width, height, first, max(last, first + 1))
    return "\n".join([*parts, "</svg>", ""])


def _panel(
    label: str, points: Sequence[tuple[int, float]], top: int, width: int, height: int, first: int, last: int
) -> list[str]:
    low, high = min(v for _, v in points), max(v for _, v in points)
    pad = (high - low) * 0.08 or abs(high) * 0.1 or 1.0
    low, high = low - pad, high + pad
    left, right, above, below = 62, width - 14, top + 22, top + height - 24

    def at(step: int, value: float) -> tuple[float, float]:
        return (left + (step - first) / (last - first) * (right - left), below - (value - low) / (high - low) * (below - above))

    found = [f'<text class="soft" x="{left}" y="{top + 13}">{escape(label)}</text>']
    for value in (low + pad, high - pad):
        y = at(first, value)[1]
        found.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        found.append(f'<text class="soft" x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{value:.3g}</text>')
    for step, anchor in ((first, "start"), (last, "end")):
        found.append(f'<text class="soft" x="{at(step, low)[0]:.1f}" y="{below + 15}" text-anchor="{anchor}">'
                     f"step {step}</text>")  # fmt: skip
    placed = [at(*point) for point in points]
    if len(placed) > 1:
        found.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in placed)}"/>')
    if len(placed) <= 40:
        found += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6"/>' for x, y in placed]
    return found
