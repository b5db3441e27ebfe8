"""The dry run: everything about a training that can be known without loading a weight, checked and told."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError, JudgeDown, JudgeError, MissingDependency
from posh_lite.judge.registry import install_command
from posh_lite.reward.train.arguments import release
from posh_lite.reward.train.config import TrainConfig
from posh_lite.reward.train.data import Example, read_examples, sources
from posh_lite.reward.train.numbers import (
    EXTRACTION,
    PAPER_GPU_HOURS,
    Numbers,
    Reading,
    cost,
    numbers,
    readings,
    scaled_gpu_hours,
)
from posh_lite.reward.train.rewards import Trial, build_reward, signature_of, try_reward

if TYPE_CHECKING:
    from posh_lite.judge.llm.usage import Prices

#: Versions of vLLM that the pinned TRL takes.
VLLM = ("0.22.0", "0.31.0")
#: Judges whose model may be on another machine than the one that plans.
_FETCHED = ("transformers", "vllm")
#: Faults of rows that are told one by one.
MOST_FAULTS = 5


@dataclass(frozen=True, slots=True)
class Lack:
    """Something that the training needs and that is not here, and how to get it."""

    what: str
    how: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What a training would be.

    Attributes:
        config: that was planned.
        counted: its numbers.
        rows: (file, rows, those with an image, those with a rubric) of training and validation.
        assumed: rows that the numbers are for, where the file is a sample of these; else 0.
        reward: signature of the reward; empty for supervised training.
        trial: its first call on two rows; None for supervised training.
        stand_in: why the embedded judge answered in the trial instead of the one that is configured; else empty.
        tokens: what the judge reads and writes.
        lacks: what is missing here.
    """

    config: TrainConfig
    counted: Numbers
    rows: tuple[tuple[str, int, int, int], ...]
    assumed: int
    reward: str
    trial: Trial | None
    stand_in: str
    tokens: tuple[Reading, ...]
    lacks: tuple[Lack, ...]


def plan(config: TrainConfig, *, rows: int | None = None, sample: int = 10) -> Plan:
    """Check a training and work out its numbers.

    Args:
        config: checked.
        rows: as if there were so many rows like those of the file; None takes the file as it is.
        sample: rows on which the tokens of PoSh's questions are counted.

    Raises:
        InputError: rows, batches or the reward cannot be used; faults of rows are told by file, line and field.
    """
    train_file, validation_file = sources(config.data)
    files: list[tuple[str, list[Example]]] = [(str(train_file), _rows(train_file, config))]
    if config.trainer.get("eval_strategy", "no") != "no":
        if validation_file is None:
            raise InputError("trainer.eval_strategy asks for validation rows; give --validation FILE or --set"
                             " trainer.eval_strategy=no", path=config.path, field="data.validation")
        files.append((str(validation_file), _rows(validation_file, config)))
    examples = files[0][1]
    counted = numbers(config, len(examples) if rows is None else rows)
    signature, trial, stand_in = ("", None, "") if config.kind == "sft" else _tried(config, examples[:2])
    references = [(e.reference, bool(e.rubric)) for e in islice(examples, max(1, sample))]
    tokens = () if config.kind == "sft" else tuple(readings(config, counted, references))
    told = tuple((name, len(held), sum(e.has_image for e in held), sum(bool(e.rubric) for e in held))
                 for name, held in files)
    return Plan(config, counted, told, rows or 0, signature, trial, stand_in, tokens, tuple(lacks(config)))


def _rows(path: Path, config: TrainConfig) -> list[Example]:
    faults: list[InputError] = []
    rows = list(read_examples(path, config.data, vision=config.model.vision, on_error=faults.append))
    if faults:
        told = "; ".join(str(f).removeprefix(f"{path}:") for f in faults[:MOST_FAULTS])
        more = f"; and {len(faults) - MOST_FAULTS:,} more" if len(faults) > MOST_FAULTS else ""
        raise InputError(f"{len(faults):,} of {len(faults) + len(rows):,} rows cannot be used; by line: {told}{more}",
                         path=path, field=faults[0].field)
    return rows


def _tried(config: TrainConfig, examples: Sequence[Example]) -> tuple[str, Trial, str]:
    reward = build_reward(config.reward, path=config.path)
    why = ""
    if lack := _server(config):
        why = lack.what
    else:
        try:
            return signature_of(reward), try_reward(reward, examples), ""
        except (JudgeDown, MissingDependency) as error:  # what it lacks here another machine may have
            why = str(error)
        except JudgeError as error:
            if config.reward.judge.partition(":")[0] not in _FETCHED or "has no option" in str(error):
                raise InputError(f"reward: {error}", path=config.path, field="reward.judge") from None
            why = str(error)
    embedded = replace(config.reward, judge="lexical", extractor="", log="", options={})
    stand_in = build_reward(embedded, path=config.path)
    return signature_of(stand_in), try_reward(stand_in, examples), why


def lacks(config: TrainConfig) -> list[Lack]:
    """What the training needs and this machine does not have."""
    found = []
    if missing := not_installed(config):
        found.append(Lack(f"{', '.join(missing)}: not installed", install_command("rl")))
    elif (trl := metadata.version("trl")) != release():
        found.append(Lack(f"TRL is {trl}, and the arguments were checked against {release()}",
                          f"pip install trl=={release()}"))
    if config.trainer.get("use_vllm"):
        found += _vllm()
    gpus = gpu_count()
    if config.hardware.gpus > gpus:
        found.append(Lack(f"{config.hardware.gpus} GPUs a machine are planned and {gpus or 'none'} found here",
                          "run on such a machine, or --set hardware.gpus=N (0 is the CPU)"))
    if not model_is_here(config.model.name):
        found.append(Lack(f'model "{config.model.name}" is not on this machine',
                          f"hf download {config.model.name}, or --set model.name=FOLDER"))
    if config.kind == "grpo" and (lack := _server(config)):
        found.append(lack)
    return found


def not_installed(config: TrainConfig) -> list[str]:
    """Packages that the training needs and that are not here, as pip knows them."""
    wanted = {"torch": "torch", "transformers": "transformers", "trl": "trl", "datasets": "datasets"}
    if config.model.vision:
        wanted["PIL"] = "Pillow"
    return [told for module, told in wanted.items() if find_spec(module) is None]


def _vllm() -> list[Lack]:
    try:
        version = metadata.version("vllm")
    except metadata.PackageNotFoundError:
        return [Lack("vLLM: not installed", f'pip install "vllm>={VLLM[0]},<={VLLM[1]}", or --set use_vllm=false')]
    if _parts(version) < _parts(VLLM[0]):
        return [Lack(f"vLLM is {version}, older than TRL {release()} takes", f'pip install "vllm>={VLLM[0]}"')]
    if _parts(version) > _parts(VLLM[1]):
        return [Lack(f"vLLM is {version}, newer than TRL {release()} was made for", f'pip install "vllm<={VLLM[1]}"')]
    return []


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(p) for p in version.split("+")[0].split(".")[:3] if p.isdigit())


def gpu_count() -> int:
    """NVIDIA GPUs of this machine, counted without torch."""
    return len([p for p in Path("/dev").glob("nvidia*") if p.name[6:].isdigit()])


def model_is_here(name: str) -> bool:
    """Whether a model needs no fetching: tiny ones, folders, and what the hub's cache holds."""
    if name.startswith("tiny:") or Path(name).is_dir():
        return True
    home = os.environ.get("HF_HOME") or str(Path.home() / ".cache" / "huggingface")
    cache = Path(os.environ.get("HF_HUB_CACHE") or Path(home) / "hub")
    return any((cache / f"models--{name.replace('/', '--')}" / "snapshots").glob("*/config.json"))


def _server(config: TrainConfig) -> Lack | None:
    """What is wrong with the server that judges, without asking it a question."""
    judges = [j for j in (config.reward.judge, config.reward.extractor) if j.startswith("openai:")]
    if not judges:
        return None
    if find_spec("openai") is None:
        return Lack("openai: not installed", install_command("openai"))
    url = str(config.reward.options.get("url") or os.environ.get("OPENAI_BASE_URL", ""))
    model = judges[0].removeprefix("openai:")
    how = f"vllm serve {model}, then OPENAI_BASE_URL=http://HOST:8000/v1 or --set reward.options.url=..."
    if not url:
        return Lack(f"no address of a server for the judge {model}", how)
    key = os.environ.get("OPENAI_API_KEY", "")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    request = urllib.request.Request(url.rstrip("/") + "/models", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=5) as reply:
            listed = json.load(reply)
    except urllib.error.HTTPError:
        return None  # it is there, and does not list its models
    except (OSError, ValueError) as error:
        return Lack(f"no server for the judge answers at {url} ({error})", how)
    rows = listed.get("data") if isinstance(listed, dict) else None
    served = [str(m.get("id")) for m in rows if isinstance(m, dict)] if isinstance(rows, list) else []
    if model not in served:
        return Lack(f"the server at {url} serves {', '.join(served) or 'nothing'}, not {model}", how)
    return None


# -- telling ------------------------------------------------------------------------------------------------


def report(found: Plan, prices: Prices | None = None, gpu_price: float | None = None) -> list[str]:
    """The plan as lines for a reader."""
    c, n = found.config, found.counted
    trainer = f"{'SFT' if c.kind == 'sft' else 'GRPO'} trainer of TRL {release()}"
    loss = f", loss {c.trainer['loss_type']}" if "loss_type" in c.trainer else ""
    rows = [(c.name, c.about), ("method", f"{c.method}: the {trainer}{loss}"), ("model", _model(c))]
    for name, (file, count, images, rubrics) in zip(("data", "validation"), found.rows, strict=False):
        rows.append((name, f"{count:,} rows of {file}; {images:,} with an image, {rubrics:,} with a rubric"))
    if found.assumed:
        rows.append(("counted", f"as if there were {found.assumed:,} rows like these"))
    of = "references" if c.kind == "sft" else "captions"
    share = "" if c.kind == "sft" else f", from {n.update / n.generations:g} prompts x {n.generations} captions"
    shared = f"{_many(n.devices, 'device')} x {n.per_device} x {n.accumulation} accumulated"
    rows.append(("update", f"{shared} = {n.update:,} {of}{share}"))
    if n.rollout:
        rows.append(("rollouts", f"{n.rollout:,} captions a round ({_many(n.rollout // n.generations, 'prompt')}), then"
                                 f" {_many(n.rollout // n.update, 'update')}"))
    left = f"; {n.left_out:,} rows are left out of each, since rounds are whole" if n.left_out else ""
    epochs = f"{n.epochs:.3g} epoch{'s' * (n.epochs != 1)}"
    rows.append(("steps", f"{n.steps_per_epoch:,} an epoch x {epochs} = {n.steps:,}; the learning rate rises over"
                          f" {n.warmup:,}{left}"))
    length = c.trainer.get("max_completion_length", 512) if c.kind == "grpo" else None
    most = f", each at most {length:,} tokens: {_short(n.captions * length)} at most" if length else ""
    rows.append(("in all", f"{n.captions:,} {of}{' sampled' if length else ''}{most}"))
    rows += _reward(found)
    rows += _cost(found, prices, gpu_price)
    rows += [("missing" if i == 0 else "", f"{lack.what}: {lack.how}") for i, lack in enumerate(found.lacks)]
    ready = "yes" if not found.lacks else f"not on this machine: {_many(len(found.lacks), 'thing')} missing"
    rows.append(("ready", ready))
    width = max(max(len(name) for name, _ in rows[1:]) + 2, 12)
    return [f"{rows[0][0]}: {rows[0][1]}", *(f"{name:<{width}}{text}" for name, text in rows[1:])]


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"


def _short(count: float) -> str:
    """A count as it is read: 1,234, 5.6 million, 7.89 billion."""
    if count < 1e6:
        return f"{count:,.0f}"
    return f"{count / 1e6:,.1f} million" if count < 1e9 else f"{count / 1e9:,.2f} billion"


def _model(c: TrainConfig) -> str:
    frozen = ", vision tower frozen" if c.model.freeze_vision else ""
    sees = f"sees images{frozen}" if c.model.vision else "text alone"
    bounds = [f"{k} {v:,} pixels" for k, v in (("from", c.model.min_pixels), ("to", c.model.max_pixels))
              if v and c.model.vision]
    return ", ".join([c.model.name, f"{sees} {' '.join(bounds)}".rstrip(), f"{c.model.dtype} weights"])


def _reward(found: Plan) -> list[tuple[str, str]]:
    if found.trial is None:
        return []

    def mean(values: Iterable[float | None]) -> str:
        return ", ".join("none" if v is None else f"{v:.2f}" for v in values)

    told = f"a reference itself {mean(found.trial.values[::2])}; its first half {mean(found.trial.values[1::2])}"
    stand_in = f" (by the embedded judge, since {found.stand_in})" if found.stand_in else ""
    return [("reward", found.reward), ("tried", f"on {len(found.trial.values) // 2} rows: {told}{stand_in}")]


def _cost(found: Plan, prices: Prices | None, gpu_price: float | None) -> list[tuple[str, str]]:
    rows = []
    for i, r in enumerate(found.tokens):
        reused = f" ({_short(r.cached)} of them reused)" if r.cached else ""
        told = f"{_short(r.input)} tokens in{reused}, {_short(r.output)} out; {r.source}"
        rows.append(("judge" if i == 0 else "", f"{r.stage}: {r.calls:,.0f} prompts, {told}"))
    if found.config.reward.name == "pager" and found.tokens:
        rows.append(("", "judging of the last sentences comes on top: Table 22 does not have it"))
    if found.tokens and found.config.reward.judge == "lexical":
        rows.append(("", "by a language model, that is; the judge that is set is embedded and reads no tokens"))
    elif any(r.stage == EXTRACTION for r in found.tokens) and not found.config.reward.extractor:
        rows.append(("", "rubrics by a model, as in the paper; the extractor that is set is embedded and reads none"))
    if prices is not None and found.tokens:
        rows.append(("judge's cost", f"{cost(found.tokens, prices):,.2f} at these prices"))
    hours = scaled_gpu_hours(found.counted)
    if hours is not None and found.config.hardware.gpus:
        at = "" if gpu_price is None else f", {hours * gpu_price:,.0f} at {gpu_price:g} a GPU hour"
        rows.append(("GPU hours", f"about {hours:,.1f}{at}, scaled by captions from PAGER's main run"
                                  f" ({PAPER_GPU_HOURS:,} A100 hours for a 4B policy); a rule of thumb"))
    return rows


def to_dict(found: Plan) -> dict[str, Any]:
    """The plan as JSON holds it."""
    row = asdict(found)
    row["rows"] = [dict(zip(("file", "rows", "images", "rubrics"), r, strict=True)) for r in found.rows]
    row["gpu_hours"] = scaled_gpu_hours(found.counted)
    return row
