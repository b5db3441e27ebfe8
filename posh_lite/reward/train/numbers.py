"""The arithmetic of a training: batches, steps, rollouts, and what the judge of a reward reads and writes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from posh_lite.errors import InputError
from posh_lite.reward.train.config import TrainConfig

if TYPE_CHECKING:
    from posh_lite.judge.llm.usage import Prices

#: GPU hours of PAGER's main run: 32 A100 for about two days (appendix D).
PAPER_GPU_HOURS = 32 * 48
#: The stage at which a model makes rubrics.
EXTRACTION = "rubric extraction"


@dataclass(frozen=True, slots=True)
class Numbers:
    """What a configuration comes to on some rows. Captions are sampled ones; in supervised training, references.

    Attributes:
        examples: rows to train on.
        devices: processes side by side.
        per_device: captions of a device at one time.
        accumulation: micro-batches of a device before an update.
        update: captions of an update.
        rollout: captions sampled with the same policy; 0 in supervised training.
        generations: captions a prompt.
        steps_per_epoch: updates an epoch.
        steps: updates in all.
        warmup: updates over which the learning rate rises.
        captions: sampled in all, or references seen.
        left_out: rows an epoch leaves out, since a round of rollouts takes whole batches.
    """

    examples: int
    devices: int
    per_device: int
    accumulation: int
    update: int
    rollout: int
    generations: int
    steps_per_epoch: int
    steps: int
    warmup: int
    captions: int
    left_out: int

    @property
    def epochs(self) -> float:
        return self.steps / self.steps_per_epoch


def numbers(config: TrainConfig, n_examples: int, devices: int | None = None) -> Numbers:
    """The numbers of a training, as TRL's trainers count.

    Args:
        config: checked.
        n_examples: rows to train on.
        devices: processes side by side; by default those of the configuration.

    Raises:
        InputError: batches do not divide as they must, or there are fewer rows than one round takes.
    """
    if not n_examples:
        raise InputError("there are no rows to train on", path=config.data.train or config.path, field="data.train")
    batch, generations = config.batch, config.generations
    devices = devices or config.hardware.devices
    times = generations if batch.unit == "prompts" else 1
    update, here = batch.update * times, devices * batch.per_device
    if update % here:
        raise InputError(
            f"an update of {update:,} captions cannot be shared by {devices} devices x {batch.per_device}: it must be a"
            f" multiple of {here}; set batch.update, batch.per_device or hardware.gpus",
            path=config.path, field="batch.update",
        )
    accumulation = update // here
    rollout = 0 if config.kind == "sft" else (batch.rollout or batch.update) * times
    if rollout:
        for whole, name in ((update, "an update"), (generations, "the generations a prompt")):
            if rollout % whole:
                raise InputError(f"a round of rollouts of {rollout:,} captions must be a multiple of {name}"
                                 f" ({whole:,})", path=config.path, field="batch.rollout")
        prompts = rollout // generations
        rounds = n_examples // prompts
        if not rounds:
            raise InputError(f"a round of rollouts takes {prompts:,} prompts and there are {n_examples:,} rows; set"
                             " batch.rollout and batch.update lower", path=config.path, field="batch.rollout")
        iterations = int(config.trainer.get("num_iterations", 1))
        per_epoch = math.ceil(rounds * (rollout // here) * iterations / accumulation)
        left_out = n_examples - rounds * prompts
    else:
        iterations, left_out = 1, 0
        per_epoch = math.ceil(math.ceil(n_examples / here) / accumulation)
    limit = int(config.trainer.get("max_steps", -1))
    steps = limit if limit > 0 else math.ceil(per_epoch * float(config.trainer.get("num_train_epochs", 3)))
    warm = float(config.trainer.get("warmup_steps", 0))
    warmup = int(warm) if warm >= 1 else math.ceil(steps * warm)
    if config.kind == "sft":
        captions = min(steps * update, math.ceil(n_examples * steps / per_epoch))
    else:
        captions = math.ceil(steps * update / (iterations * rollout)) * rollout
    return Numbers(n_examples, devices, batch.per_device, accumulation, update, rollout, generations, per_epoch, steps,
                   warmup, captions, left_out)


@dataclass(frozen=True, slots=True)
class Reading:
    """Tokens that a stage of the judge reads and writes.

    Attributes:
        stage: what is asked.
        calls: prompts.
        input: tokens of these, of which ``cached`` are reused from prompts with the same beginning.
        output: tokens generated.
        source: where the figures an item are from.
    """

    stage: str
    calls: float
    input: float
    cached: float
    output: float
    source: str


def readings(config: TrainConfig, counted: Numbers, references: Sequence[tuple[str, bool]]) -> list[Reading]:
    """What the judge of a reward reads and writes over a training.

    Args:
        config: of "dapo" or "grpo".
        counted: its numbers.
        references: some rows of the data with whether each brings its rubric; for "posh" their questions are counted.

    Returns:
        For "pager" Table 22's means an item, times the items. For "posh" what is asked about these references, each
        held against itself: a caption of the same length and content. Nothing for other rewards.
    """
    if config.reward.name == "pager":
        return _pager(counted, references)
    if config.reward.name == "posh" and references:
        from posh_lite.records import Pair
        from posh_lite.scale.estimate import count_pairs

        pairs = [Pair(str(i), text, text) for i, (text, _) in enumerate(references)]
        usage, times = count_pairs(pairs, name="the data").usage, counted.captions / len(pairs)
        return [Reading("questions of PoSh", usage.prompts * times, usage.tokens * times, usage.cached * times,
                        usage.generated * times, f"counted on {len(pairs)} references held against themselves")]
    return []


def _pager(counted: Numbers, references: Sequence[tuple[str, bool]]) -> list[Reading]:
    from posh_lite import paper

    def mean(stage: str, column: str) -> float:
        return float(paper.value("token_counts", stage, column))

    given = sum(has for _, has in references) / len(references) if references else 0.0
    seen = min(counted.examples, math.ceil(counted.captions / counted.generations))
    found = []
    for stage, calls in ((EXTRACTION, seen * (1 - given)), ("itemwise verification", counted.captions)):
        if calls:
            found.append(Reading(stage, calls, calls * mean(stage, "input"), 0.0, calls * mean(stage, "output"),
                                 "Table 22"))
    return found


def scaled_gpu_hours(counted: Numbers) -> float | None:
    """GPU hours of policy and rollouts, scaled by captions from PAGER's main run; None for supervised training.

    A rule of thumb for a 4B policy and its caption lengths, on A100s: nothing else is published.
    """
    if not counted.rollout:
        return None
    from posh_lite import paper

    own = float(paper.statement("kept")) * 8 * 3  # captions of that run: 8 a prompt over 3 epochs (Table 9)
    return PAPER_GPU_HOURS * counted.captions / own


def cost(found: Sequence[Reading], prices: Prices) -> float:
    """What the judge's tokens cost on an endpoint, in the currency of its prices."""
    from posh_lite.judge.llm.usage import Usage

    total = Usage()
    for r in found:
        total += Usage(int(r.calls), int(r.input), int(r.cached), int(r.output))
    return total.cost(prices)
