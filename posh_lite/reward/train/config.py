"""A training as one TOML file: model, data, reward, batches and arguments; read, checked, and changed by ``--set``.

The files in ``posh_lite/reward/configs`` follow the two papers; each value says in a comment which table it is from,
or that the paper is silent.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, get_args

from posh_lite.errors import InputError
from posh_lite.reward.train.arguments import Trainer, check_argument, out_of_range

Method = Literal["sft", "dapo", "grpo"]
METHODS: tuple[Method, ...] = get_args(Method)
Unit = Literal["captions", "prompts"]


@dataclass(frozen=True, slots=True)
class Model:
    """The policy.

    Attributes:
        name: on a hub, a folder, or "tiny:text", "tiny:qwen2_5_vl", "tiny:qwen3_vl": small and randomly initialized.
        revision: of the hub; empty is the newest.
        vision: whether it sees the image.
        dtype: of the weights; with bfloat16 arithmetic over float32 weights (the trainer's default) small steps count.
        attention: implementation, such as "flash_attention_2"; empty is the library's choice.
        min_pixels: smallest image, larger ones are kept, smaller ones enlarged; 0 is the processor's own.
        max_pixels: largest image; 0 is the processor's own.
        freeze_vision: whether the vision tower stays as it is.
    """

    name: str = ""
    revision: str = ""
    vision: bool = True
    dtype: str = "float32"
    attention: str = ""
    min_pixels: int = 0
    max_pixels: int = 0
    freeze_vision: bool = False


@dataclass(frozen=True, slots=True)
class Data:
    """What is trained on.

    Attributes:
        train: a JSON Lines or Parquet file, or a folder in the layout of DOCENT.
        validation: the same; for a folder its own split is taken where this is empty.
        images: the folder that images are in; empty is the folder of the file.
        prompt: name of a prompt that comes with the package, or a text file.
        max_prompt_tokens: longest prompt with its image, 0 for no limit; longer ones are an error.
        columns: our name of a column (id, reference, image, prompt, rubric) -> its name in the file.
    """

    train: str = ""
    validation: str = ""
    images: str = ""
    prompt: str = "describe"
    max_prompt_tokens: int = 0
    columns: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reward:
    """What a caption is worth; not used by "sft".

    Attributes:
        name: "posh", "pager", or ``module:function`` of a reward function of one's own.
        variant: of PAGER's settings (Table 5's ablations).
        judge: "lexical", or a language model such as "openai:Qwen/Qwen3-8B".
        extractor: model that makes rubrics of references without one, for "pager"; empty is the embedded extractor.
        log: file that keeps what a judge answered; empty keeps nothing.
        settings: changes to the variant for "pager", arguments of the reward otherwise.
        options: of the engine behind the judge, such as ``url`` and ``concurrency``.
    """

    name: str = ""
    variant: str = "full"
    judge: str = "lexical"
    extractor: str = ""
    log: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Batch:
    """How many captions an update and a round of rollouts take.

    Attributes:
        update: effective batch of an optimizer step, in ``unit``.
        rollout: sampled at one time with the same policy, in ``unit``; 0 is ``update``. Not used by "sft".
        per_device: captions of a device at one time.
        unit: what ``update`` and ``rollout`` count; "prompts" are times the generations a prompt.
    """

    update: int = 64
    rollout: int = 0
    per_device: int = 1
    unit: Unit = "captions"


@dataclass(frozen=True, slots=True)
class Hardware:
    """Machines and GPUs of each; 0 GPUs is the CPU."""

    nodes: int = 1
    gpus: int = 1
    about: str = ""  # the kind, for the reader

    @property
    def devices(self) -> int:
        """Processes that train side by side."""
        return self.nodes * max(self.gpus, 1)


_SECTIONS: dict[str, type] = {"model": Model, "data": Data, "reward": Reward, "batch": Batch, "hardware": Hardware}


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """A checked configuration."""

    name: str
    method: Method
    about: str = ""
    model: Model = field(default_factory=Model)
    data: Data = field(default_factory=Data)
    reward: Reward = field(default_factory=Reward)
    batch: Batch = field(default_factory=Batch)
    hardware: Hardware = field(default_factory=Hardware)
    trainer: dict[str, Any] = field(default_factory=dict)
    path: str = ""

    @property
    def kind(self) -> Trainer:
        """Which trainer of TRL runs it: DAPO is the GRPO trainer with DAPO's loss."""
        return "sft" if self.method == "sft" else "grpo"

    @property
    def generations(self) -> int:
        """Captions sampled a prompt; 1 for supervised training."""
        return 1 if self.kind == "sft" else int(self.trainer.get("num_generations", 8))

    def to_dict(self) -> dict[str, Any]:
        """All of it, as JSON can hold it."""
        return asdict(self)


def builtin() -> dict[str, str]:
    """Name -> what it is about, of the configurations that come with the package."""
    found = {}
    for place in sorted((files("posh_lite.reward") / "configs").iterdir(), key=lambda p: p.name):
        if place.name.endswith(".toml"):
            found[place.name.removesuffix(".toml")] = str(tomllib.loads(place.read_text("utf-8")).get("about", ""))
    return found


def read_config(name: str | Path, changes: Iterable[str] = ()) -> TrainConfig:
    """Read a configuration by the name of a packaged one, or from a file, and apply changes.

    Args:
        name: such as "posh-dapo", or a TOML file.
        changes: ``key=value`` each, as ``--set`` takes them: ``trainer.learning_rate=2e-6``, ``gpus=4``.

    Raises:
        InputError: no such configuration; not TOML; an unknown key, with the nearest; a value of another kind.
    """
    text, path = _text(str(name))
    try:
        row = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"not TOML: {error}", path=path) from None
    config = _build(row, Path(path).stem, path, _lines(text))
    return apply(config, changes)


def _text(name: str) -> tuple[str, str]:
    place = files("posh_lite.reward") / "configs" / f"{name}.toml"
    if re.fullmatch(r"[a-z0-9-]+", name) and place.is_file():
        return place.read_text("utf-8"), f"{name}.toml"
    path = Path(name)
    try:
        return path.read_text("utf-8-sig"), str(path)  # editors leave a byte-order mark
    except FileNotFoundError:
        near = get_close_matches(name, builtin(), n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(builtin())}"
        raise InputError(f'no configuration "{name}", neither of the package nor a file; {hint}', path=name) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", path=name) from None


def _lines(text: str) -> dict[str, int]:
    """Where each key stands in a TOML text, for messages."""
    at: dict[str, int] = {}
    section = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if head := re.match(r"\s*\[([\w.-]+)\]", line):
            section = head[1] + "."
            at.setdefault(head[1], number)
        elif key := re.match(r"\s*([\w.-]+)\s*=", line):
            at.setdefault(section + key[1], number)
    return at


def _build(row: Mapping[str, Any], name: str, path: str, lines: Mapping[str, int]) -> TrainConfig:
    top = {"method", "about", "trainer", *_SECTIONS}
    for key in row:
        _known(key, top, "", path, lines.get(key))
    method = row.get("method")
    if method not in METHODS:
        raise InputError(f"method must be one of {', '.join(METHODS)}, got {method!r}", path=path,
                         line=lines.get("method"))
    about = row.get("about", "")
    if not isinstance(about, str):
        raise InputError("about must be a string", path=path, line=lines.get("about"))
    parts = {key: _section(key, row.get(key, {}), path, lines) for key in _SECTIONS}
    config = TrainConfig(name, method, about, **parts, path=path)
    table = row.get("trainer", {})
    if not isinstance(table, dict):
        raise InputError("[trainer] must be a table", path=path, line=lines.get("trainer"))
    trainer = {key: check_argument(config.kind, key, value, path=path, line=lines.get(f"trainer.{key}"))
               for key, value in table.items()}
    return check(replace(config, trainer=trainer), lines)


def _known(key: str, known: Iterable[str], prefix: str, path: str, line: int | None) -> None:
    names = sorted(known)
    if key not in names:
        near = get_close_matches(key, names, n=1)
        hint = f"did you mean {prefix}{near[0]}?" if near else f"there are {', '.join(prefix + n for n in names)}"
        raise InputError(f"no key {prefix}{key}; {hint}", path=path, line=line, field=f"{prefix}{key}")


def _section(name: str, row: Any, path: str, lines: Mapping[str, int]) -> Any:
    if not isinstance(row, dict):
        raise InputError(f"[{name}] must be a table", path=path, line=lines.get(name))
    known = {f.name: f for f in fields(_SECTIONS[name])}
    for key, value in row.items():
        line = lines.get(f"{name}.{key}") or lines.get(f"{name}.{key}".rpartition(".")[0])
        _known(key, known, f"{name}.", path, line)
        _typed(f"{name}.{key}", value, str(known[key].type), path, line)
    return _SECTIONS[name](**row)


def _typed(key: str, value: Any, kind: str, path: str, line: int | None) -> None:
    wanted: dict[str, tuple[type, str]] = {"str": (str, "a string"), "bool": (bool, "true or false"),
                                           "int": (int, "a whole number"), "Unit": (str, "a string")}
    type_, said = wanted.get(kind, (dict, "a table"))
    if not isinstance(value, type_) or (type_ is int and isinstance(value, bool)):
        raise InputError(f"{key} must be {said}, got {value!r}", path=path, line=line, field=key)
    if kind == "dict[str, str]" and isinstance(value, dict) and not all(isinstance(v, str) for v in value.values()):
        raise InputError(f"{key} must hold strings alone", path=path, line=line, field=key)


def check(config: TrainConfig, lines: Mapping[str, int] | None = None) -> TrainConfig:
    """Check what one key alone does not tell, and return the configuration.

    Raises:
        InputError: numbers out of range, or parts that do not fit together.
    """
    at = lines or {}

    def wrong(key: str, message: str) -> InputError:
        return InputError(f"{key} {message}", path=config.path, line=at.get(key), field=key)

    b, t = config.batch, config.trainer
    if not config.model.name:
        raise wrong("model.name", "is missing: a model of a hub, a folder, or tiny:text")
    for key, number, least in (
        ("batch.update", b.update, 1), ("batch.per_device", b.per_device, 1), ("batch.rollout", b.rollout, 0),
        ("hardware.nodes", config.hardware.nodes, 1), ("hardware.gpus", config.hardware.gpus, 0),
        ("model.min_pixels", config.model.min_pixels, 0), ("data.max_prompt_tokens", config.data.max_prompt_tokens, 0),
    ):
        if number < least:
            raise wrong(key, f"must be at least {least}, got {number}")
    if config.model.max_pixels and config.model.max_pixels < config.model.min_pixels:
        raise wrong("model.max_pixels", f"is below model.min_pixels ({config.model.min_pixels:,})")
    if b.unit not in get_args(Unit):
        raise wrong("batch.unit", f"must be one of {', '.join(get_args(Unit))}, got {b.unit!r}")
    columns = {"id", "reference", "image", "prompt", "rubric"}
    for key in config.data.columns:
        _known(key, columns, "data.columns.", config.path, at.get(f"data.columns.{key}"))
    for key, low, high in (("learning_rate", 0.0, 1.0), ("temperature", 0.0, 10.0), ("top_p", 0.0, 1.0)):
        if key in t and not low < t[key] <= high:
            raise wrong(f"trainer.{key}", f"must lie above {low:g} and at most at {high:g}, got {t[key]}")
    for key, value in t.items():
        if fault := out_of_range(key, value):
            raise wrong(f"trainer.{key}", fault)
    if config.kind == "grpo" and not config.reward.name:
        raise wrong("reward.name", f"is missing: {config.method} needs a reward, posh or pager")
    if config.kind == "grpo" and config.generations < 2:
        raise wrong("trainer.num_generations", "must be at least 2: a group gives the advantage")
    return config


def apply(config: TrainConfig, changes: Iterable[str]) -> TrainConfig:
    """Apply ``key=value`` changes; a key without a section is looked up in all, then taken for the trainer's.

    Raises:
        InputError: no ``=``, an unknown key, or a value of another kind; the message names ``--set``.
    """
    path = "--set"
    changes = list(changes)
    for change in changes:
        key, equals, value = change.partition("=")
        if not equals or not key.strip():
            raise InputError(f'expected key=value, got "{change}"', path=path)
        config = _set(config, key.strip(), _value(value.strip()), path)
    return check(config) if changes else config


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        return text  # a word or a path without quotes


def _set(config: TrainConfig, key: str, value: Any, path: str) -> TrainConfig:
    section, _, rest = key.partition(".")
    if not rest:
        homes = [s for s, c in _SECTIONS.items() if section in {f.name for f in fields(c)}]
        if len(homes) > 1:
            raise InputError(f"{key} is a key of {' and '.join(homes)}; write {homes[0]}.{key}", path=path, field=key)
        section, rest = (homes[0] if homes else "trainer"), section
    if section == "trainer":
        table, _, inner = rest.partition(".")
        held = config.trainer.get(table)
        if inner:  # of an argument that is a table itself, such as fsdp_config
            rest, value = table, {**(held if isinstance(held, dict) else {}), inner: value}
        return replace(config, trainer={**config.trainer, rest: check_argument(config.kind, rest, value, path=path)})
    _known(section, {"trainer", *_SECTIONS}, "", path, None)
    name, _, inner = rest.partition(".")
    known = {f.name: f for f in fields(_SECTIONS[section])}
    _known(name, known, f"{section}.", path, None)
    part = getattr(config, section)
    if inner:
        if not isinstance(getattr(part, name), dict):
            raise InputError(f"{section}.{name} has no keys of its own", path=path, field=key)
        value = {**getattr(part, name), inner: value}
    _typed(f"{section}.{name}", value, str(known[name].type), path, None)
    return replace(config, **{section: replace(part, **{name: value})})
