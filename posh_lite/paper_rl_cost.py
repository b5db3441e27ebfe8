"""What it takes to run the trainings of both papers: rollouts, judge tokens, GPU hours, money.

Counted from settings and measured tokens that the papers print, and from the tokens that this project measured for
PoSh. A price of a GPU hour is the reader's; speeds that nobody printed are derived or left out.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from posh_lite.errors import InputError
from posh_lite.judge.llm.usage import Usage
from posh_lite.paper_rl import at
from posh_lite.reward.train.config import TrainConfig, read_config
from posh_lite.reward.train.numbers import PAPER_GPU_HOURS, Numbers, numbers
from posh_lite.scale.estimate import Estimate, Plan, Sample, estimate

#: The ways of asking that a record of tokens has, in words.
WAYS = {
    "released": "as the released metric asks", "all": "one prompt a question, shared beginnings",
    "lazy": "the same, until an identifier is found",
    "cascade": "the same, after the embedded judge settled the clear ones",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stage:
    """What one stage of the PAGER run asks of a model.

    Attributes:
        name: of the stage.
        model: that answers.
        calls: how often.
        input, output: tokens of all calls, NaN where none were measured.
        source: of the figures.
    """

    name: str
    model: str
    calls: int
    input: float
    output: float
    source: str


@dataclass(frozen=True, slots=True)
class PagerRun:
    """The main run of PAGER.

    Attributes:
        stages: rubrics, filter, training, and what is not measured.
        rounds: reading of "rollout batch size 1024" -> rounds of rollouts in all.
        hours: of the clock.
        gpu_hours: of the policy's GPUs; the judge's are not among them.
    """

    stages: tuple[Stage, ...]
    rounds: dict[str, int]
    hours: float
    gpu_hours: float

    @property
    def training(self) -> Stage:
        """Verification of the rollouts."""
        return next(s for s in self.stages if s.name == "verification in training")

    def each_second(self, amount: float) -> float:
        """An amount over the run as a rate."""
        return amount / (self.hours * 3600)


@cache
def _config(name: str, *changes: str) -> TrainConfig:
    return read_config(name, changes)


def pager_numbers(unit: str) -> Numbers:
    """The arithmetic of the main run on the images that the filter kept.

    Args:
        unit: what the batch sizes of Table 9 count, "prompts" or "captions"; the paper does not say.
    """
    return numbers(_config("pager-grpo", f"batch.unit={unit}"), int(at("statement:kept")))


def pager_run() -> PagerRun:
    """Calls and tokens of the main run from J.8, Tables 9 and 22, and its GPU time from appendix D."""
    def of(stage: str, column: str) -> float:
        return at(f"token_counts/{stage}/{column}")

    candidates, screened = (int(at(f"statement:{k}")) for k in ("candidates", "screened"))
    counted = {unit: pager_numbers(unit) for unit in ("prompts", "captions")}
    trained = counted["prompts"].captions
    extractor, verifier = "Qwen3-30B-A3B-Thinking", "Qwen3-8B"
    read, wrote = (of("itemwise verification", c) for c in ("input", "output"))
    base = at("statement:length_base")
    nan = math.nan
    stages = (
        Stage("rubric extraction", extractor, candidates, candidates * of("rubric extraction", "input"),
              candidates * of("rubric extraction", "output"), "J.8: every candidate has a rubric; Table 22"),
        Stage("captions for the filter", "policy", screened, nan, screened * base,
              "J.8: one a candidate; mean length of Base"),
        Stage("verification for the filter", verifier, screened, screened * read, screened * wrote,
              "J.8: one a candidate; Table 22"),
        Stage("captions in training", "policy", trained, nan, trained * at("statement:length_pager"),
              "Table 9: 8 a prompt, 3 epochs; mean length of PAGER"),
        Stage("verification in training", verifier, trained, trained * read, trained * wrote,
              "one a caption; Table 22"),
        Stage("genericity of tail sentences", verifier, trained, nan, nan, "at least one a caption; not measured"),
    )  # fmt: skip
    rounds = {unit: n.captions // n.rollout for unit, n in counted.items()}
    return PagerRun(stages, rounds, 24 * at("statement:run_days"), float(PAPER_GPU_HOURS))


@dataclass(frozen=True, slots=True)
class PoshRun:
    """PoSh as a reward over DOCENT's training images.

    Attributes:
        way: of asking, see :data:`WAYS`.
        captions: scored in all.
        found: prompts, tokens, GPU hours and cost of the judge.
    """

    way: str
    captions: int
    found: Estimate


def posh_numbers(unit: str) -> Numbers:
    """The arithmetic of PoSh's DAPO run; ``unit`` is what its batch of 64 counts."""
    return numbers(_config("posh-dapo", f"batch.unit={unit}"), int(at("statement:train_images")))


def posh_run(record: str | Path, *, throughput: float, gpu_price: float | None = None) -> list[PoshRun]:
    """What the judge reads if PoSh marks every rollout, by way of asking, from tokens measured on real captions.

    Args:
        record: ``tokens.json``, means over pairs of ImageInWords.
        throughput: prompt tokens that one GPU computes in a second.
        gpu_price: of a GPU hour.

    Raises:
        InputError: the record is none.
    """
    try:
        row = json.loads(Path(record).read_text("utf-8"))
        pairs, ways = int(row["n"]), {k: row["ways"][k] for k in WAYS if k in row["ways"]}
        samples = {
            k: Sample(pairs, Usage(round(w["prompts"] * pairs), round(w["tokens"] * pairs),
                                   round((w["tokens"] - w["computed"]) * pairs), round(w["prompts"] * pairs)),
                      True, str(record))
            for k, w in ways.items()
        }  # fmt: skip
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=record) from None
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"is no record of tokens: {error}", path=record) from None
    captions = int(at("statement:train_images") * at("statement:dapo_generations"))
    plan = Plan(captions=captions, throughput=throughput, gpu_price=gpu_price)
    return [PoshRun(k, captions, estimate(sample, plan)) for k, sample in samples.items()]


def policy_share(image_tokens: float, *, parameters: float = 4e9, peak: float = 312e12) -> float:
    """Share of the peak speed of the main run's GPUs that updating the policy alone would use, by rule of thumb.

    Six operations a parameter and token for an update, two more each for the log-probabilities of the policy and of
    the reference; generation comes on top.

    Args:
        image_tokens: of prompt and picture together, a caption.
        parameters: of the policy.
        peak: operations a second of one GPU; 312e12 is that of an A100 in bfloat16.
    """
    run = pager_run()
    own = run.training.calls * (image_tokens + at("statement:length_pager"))
    return own * parameters * (6 + 2 + 2) / (run.gpu_hours * 3600 * peak)
