"""The reward function of a configuration, and a first call of it on a few rows, as the trainer would call it."""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from posh_lite.errors import InputError
from posh_lite.reward.train.config import Reward, TrainConfig
from posh_lite.reward.train.data import Example

RewardFunction = Callable[..., Sequence[float | None]]


def build_reward(reward: Reward, *, path: object = None) -> RewardFunction:
    """The reward function that a configuration names.

    Args:
        reward: its part of the configuration.
        path: of the configuration, for messages.

    Raises:
        InputError: no such reward, variant or setting.
    """
    try:
        if reward.name == "pager":
            return _pager(reward)
        if reward.name == "posh":
            return _posh(reward)
    except InputError as error:
        raise error if error.path else InputError(f"reward: {error}", path=path, field=error.field) from None
    module, colon, name = reward.name.partition(":")
    if not colon:
        raise InputError(f"reward.name must be posh, pager or module:function, got {reward.name!r}", path=path,
                         field="reward.name")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise InputError(f"reward {reward.name} cannot be imported: {error}", path=path, field="reward.name") from None
    made = found(**reward.settings) if inspect.isclass(found) else found
    if not callable(made):
        raise InputError(f"reward {reward.name} is no function", path=path, field="reward.name")
    return made  # type: ignore[no-any-return]


def _pager(reward: Reward) -> RewardFunction:
    from posh_lite.reward.judges import JudgeChoice
    from posh_lite.reward.pager import PagerReward
    from posh_lite.reward.settings import variant

    asked: dict[str, Any] = {}
    _agree(reward)
    if reward.judge != "lexical" and ":" not in reward.judge:
        raise InputError(f'no judge named "{reward.judge}"; "lexical", or a model such as openai:Qwen/Qwen3-8B',
                         field="reward.judge")
    if reward.judge != "lexical":
        asked |= {"model": _engine(reward.judge), "verifier": "llm", "genericity": "llm", "engine": reward.options}
        if not variant(reward.variant).itemwise:
            asked["checklist"] = "llm"
    if reward.extractor:
        asked |= {"extractor": "llm", "extractor_model": _engine(reward.extractor), "extractor_engine": reward.options}
    settings = variant(reward.variant, **reward.settings)
    name = "pager" if reward.variant == "full" else f"pager_{reward.variant}"
    return PagerReward(settings, judges=JudgeChoice(**asked, log=log_file(reward.log)), name=name)


def _agree(reward: Reward) -> None:
    """Refuse settings that take back what the variant is: an ablation would be the full reward under its name."""
    for key, value in _own(reward.variant).items():
        if key in reward.settings and reward.settings[key] != value:
            raise InputError(f"the variant {reward.variant} has {key} = {value!r} and reward.settings.{key} is"
                             f" {reward.settings[key]!r}; leave one of them out", field=f"reward.settings.{key}")


def _own(name: str) -> dict[str, Any]:
    """What a variant of PAGER's settings has otherwise than the full reward."""
    from posh_lite.reward.settings import VARIANTS, variant

    whole = asdict(VARIANTS["full"])
    return {key: value for key, value in asdict(variant(name)).items() if value != whole[key]}


def _posh(reward: Reward) -> RewardFunction:
    from posh_lite.reward.posh import PoShReward

    known = set(inspect.signature(PoShReward.__init__).parameters) - {"self", "judge", "options"}
    for key in reward.settings:
        if key not in known:
            raise InputError(f"no setting {key!r} of the reward posh; there are {', '.join(sorted(known))}",
                             field=f"reward.settings.{key}")
    options: dict[str, Any] = {"log": log_file(reward.log)} if reward.log else {}
    if reward.options:
        options["judge_options"] = reward.options
    return PoShReward(**reward.settings, judge=reward.judge, options=options)


def _engine(judge: str) -> str:
    """A model behind a server goes by its name alone there; others keep what they are read with."""
    return judge.removeprefix("openai:")


def log_file(name: str) -> str | None:
    """The log of this process: of several that train side by side each keeps its own."""
    if not name:
        return None
    if int(os.environ.get("WORLD_SIZE", "1")) < 2:
        return name
    path = Path(name)
    return str(path.with_name(f"{path.stem}.rank{os.environ.get('RANK', '0')}{path.suffix}"))


def signature_of(reward: RewardFunction) -> str:
    """What a value of the reward depends on; the name of a reward that does not tell."""
    return str(getattr(reward, "signature", "") or getattr(reward, "__name__", type(reward).__name__))


def takes_keywords(reward: RewardFunction) -> bool:
    """Whether a function can be called as TRL does; True where it does not tell."""
    try:
        kinds = {p.kind for p in inspect.signature(reward).parameters.values()}
    except (TypeError, ValueError):
        return True
    return inspect.Parameter.VAR_KEYWORD in kinds


@dataclass(frozen=True, slots=True)
class Trial:
    """A first call of a reward.

    Attributes:
        values: what the references of the rows themselves earn, and then the first half of each; None is unusable.
        metrics: means that the reward logged.
    """

    values: tuple[float | None, ...]
    metrics: Mapping[str, float]


def columns(examples: Sequence[Example], times: int = 1) -> dict[str, list[Any]]:
    """Columns of some rows as TRL hands them to a reward, each row ``times`` times."""
    rows = [e for e in examples for _ in range(times)]
    found: dict[str, list[Any]] = {"id": [e.id for e in rows], "reference": [e.reference for e in rows]}
    if any(e.rubric for e in rows):
        found["rubric"] = [e.rubric for e in rows]
    return found


def try_reward(reward: RewardFunction, examples: Sequence[Example]) -> Trial:
    """Call a reward as TRL does: by keyword, with messages, with each row's reference and the first half of it.

    Raises:
        InputError: it does not give one value a completion.
        PoshLiteError: a judge cannot be reached.
    """
    texts = [t for e in examples for t in (e.reference, e.reference[: len(e.reference) // 2])]
    metrics: dict[str, float] = {}
    if not takes_keywords(reward):
        raise InputError("the reward must take keywords, as def reward(*, completions, **columns)", field="reward.name")
    values = list(reward(
        prompts=[[{"role": "user", "content": e.prompt}] for e in examples for _ in range(2)],
        completions=[[{"role": "assistant", "content": t}] for t in texts],
        completion_ids=[list(range(len(t.split()))) for t in texts],
        trainer_state=None, log_metric=metrics.__setitem__, log_extra=lambda name, column: None,
        **columns(examples, 2),
    ))
    if len(values) != len(texts):
        raise InputError(f"the reward gave {len(values)} values for {len(texts)} captions", field="reward")
    return Trial(tuple(values), metrics)


def with_reward(config: TrainConfig, variant: str) -> Reward:
    """The configuration's reward with another variant of PAGER, whose own values take the place of the file's.

    Raises:
        InputError: the reward has no variants, or not this one.
    """
    if config.reward.name != "pager":
        raise InputError(f'--reward {variant}: the reward "{config.reward.name}" has no variants', path=config.path)
    own = _own(variant)
    kept = {key: value for key, value in config.reward.settings.items() if key not in own}
    return replace(config.reward, variant=variant, settings=kept)
