"""What a large run takes: GPU hours, wall-clock time and money, from the tokens that pairs were measured to take.

The whole formula: captions x computed tokens a pair / (tokens a second of a replica) is the time of one replica, or
captions x prompts a pair / (prompts a second of a replica) where that is longer; divided by replicas and by the share
of time that they are busy it is the wall clock.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from posh_lite.errors import InputError
from posh_lite.graph.types import SceneGraph
from posh_lite.judge.contract import Judge, Question, Verdict
from posh_lite.judge.llm.engine import Reading
from posh_lite.judge.llm.judge import as_prompt
from posh_lite.judge.llm.usage import Prices, Usage
from posh_lite.judge.nested import prime_all
from posh_lite.records import Pair

#: Characters of English text in a token, about; models differ by a fifth.
CHARACTERS = 4


@dataclass(frozen=True, slots=True)
class Sample:
    """What some pairs took.

    Attributes:
        pairs: how many.
        usage: prompts and tokens over all of them.
        counted: whether a tokenizer counted the tokens; else they are characters divided by :data:`CHARACTERS`.
        source: where the figures come from, for the reader.
    """

    pairs: int
    usage: Usage
    counted: bool
    source: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What is wanted, and with what.

    Attributes:
        captions: pairs to be scored.
        throughput: prompt tokens that a replica computes in a second; None where only an endpoint is priced.
        prompt_rate: prompts that a replica takes in a second at most, however short what is left of them after reuse;
            None where the throughput was measured on such prompts and so has this in it.
        replicas: copies of the model that work side by side.
        gpus: GPUs of a replica.
        busy: share of the time that replicas compute, in (0, 1].
        gpu_price: of a GPU for an hour, in any currency; None leaves the cost out.
        prices: of an endpoint per million tokens; None leaves it out.
    """

    captions: int = 1_000_000
    throughput: float | None = None
    prompt_rate: float | None = None
    replicas: int = 1
    gpus: int = 1
    busy: float = 0.9
    gpu_price: float | None = None
    prices: Prices | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """The answer.

    Attributes:
        prompts: over all captions.
        tokens: of these prompts.
        computed: tokens that are left after prefix reuse.
        gpu_hours: of all GPUs together; None without a throughput.
        hours: wall-clock time; None without a throughput.
        gpu_hours_without_reuse: the same if every prompt were computed whole.
        gpu_cost: in the currency of the price; None without one.
        endpoint_cost: the same work on the priced endpoint; None without prices.
    """

    prompts: float
    tokens: float
    computed: float
    gpu_hours: float | None
    hours: float | None
    gpu_hours_without_reuse: float | None
    gpu_cost: float | None
    endpoint_cost: float | None


def estimate(sample: Sample, plan: Plan) -> Estimate:
    """Carry a sample over to all captions.

    Raises:
        InputError: the sample holds no pairs or no tokens, or a number of the plan is out of range.
    """
    usage = sample.usage
    if sample.pairs < 1 or usage.tokens < 1:
        raise InputError(f"{sample.source}: no tokens of any pair to estimate from")
    if usage.uncounted:
        raise InputError(
            f"{sample.source}: the length of {usage.uncounted:,} of {usage.prompts:,} prompts is not known; measure"
            " with an engine that counts tokens"
        )
    for name, value, most in (
        ("captions", plan.captions, math.inf), ("throughput", plan.throughput, math.inf),
        ("prompt rate", plan.prompt_rate, math.inf),
        ("replicas", plan.replicas, math.inf), ("gpus", plan.gpus, math.inf), ("busy", plan.busy, 1.0),
    ):
        if value is not None and not (0 < value <= most and math.isfinite(value)):
            raise InputError(f"{name} must be above 0" + (" and at most 1" if most == 1 else "") + f", got {value}")
    if plan.gpu_price is not None and not 0 <= plan.gpu_price < math.inf:
        raise InputError(f"the price of a GPU must be at least 0, got {plan.gpu_price}")
    times = plan.captions / sample.pairs
    gpu_hours = hours = whole = cost = None
    if plan.throughput is not None:
        gpu_hours = _hours(usage.computed * times, usage.prompts * times, plan)
        whole = _hours(usage.tokens * times, usage.prompts * times, plan)
        hours = gpu_hours / (plan.replicas * plan.gpus)
        cost = None if plan.gpu_price is None else gpu_hours * plan.gpu_price
    return Estimate(
        usage.prompts * times, usage.tokens * times, usage.computed * times, gpu_hours, hours, whole, cost,
        None if plan.prices is None else usage.cost(plan.prices) * times,
    )


def _hours(tokens: float, prompts: float, plan: Plan) -> float:
    seconds = tokens / (plan.throughput or math.nan)
    if plan.prompt_rate is not None:
        seconds = max(seconds, prompts / plan.prompt_rate)
    return seconds / plan.busy / 3600 * plan.gpus


# -- samples ------------------------------------------------------------------------------------------------


class CountingJudge:
    """Lets another judge answer, and counts what a language model would be sent.

    Tokens are characters divided by :data:`CHARACTERS`. The beginning that the questions of one side of a pair
    share counts as computed once; the engine is taken to keep it over the three passes.

    Args:
        judge: answers, since what is asked in the third pass depends on what was found before.
    """

    structural = False  # counts what a judge that reads prompts alone is asked

    def __init__(self, judge: Judge) -> None:
        self.judge, self.usage = judge, Usage()
        self._seen: set[str] = set()

    @property
    def signature(self) -> str:
        return f"counting {self.judge.signature}"

    @property
    def presence_threshold(self) -> float:
        return self.judge.presence_threshold

    def prime(self, graphs: Iterable[SceneGraph]) -> None:
        """Hand graphs on to a judge that can use them."""
        prime_all((self.judge,), graphs)

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """The judge's verdicts."""
        readings = []
        for question in questions:
            prompt = as_prompt(question)
            beginning = prompt.text[: prompt.shared]
            cached = prompt.shared // CHARACTERS if beginning in self._seen else 0
            self._seen.add(beginning)
            readings.append(Reading(tokens=math.ceil(len(prompt.text) / CHARACTERS), cached=cached, generated=1))
        self.usage.add(readings, 0.0)
        return self.judge.ask(questions)


def count_pairs(pairs: Sequence[Pair], *, name: str, judge: str = "lexical", **settings: Any) -> Sample:
    """Count what a language model would be asked about some pairs, without one.

    Args:
        pairs: the sample.
        name: of their file, for the reader.
        judge: whose answers lead through the passes.
        settings: of :class:`~posh_lite.metric.posh.PoSh`, such as ``identifiers="lazy"``.
    """
    from posh_lite.judge.registry import make_judge
    from posh_lite.metric.posh import PoSh

    counting = CountingJudge(make_judge(judge))
    PoSh(counting, progress=False, **settings).score_many(list(pairs))
    return Sample(len(pairs), counting.usage, False, f"{len(pairs):,} pairs of {name}")


def read_usage(path: str | Path) -> Sample:
    """What a real run took: a JSON file, or the folder of the shards of a finished run.

    The file holds "pairs" and, beside it or in "usage", the fields of :class:`~posh_lite.judge.llm.usage.Usage`.

    Raises:
        InputError: it is neither, or a figure is missing.
    """
    path = Path(path)
    if path.is_dir():
        return _folder(path)
    try:
        row = json.loads(path.read_bytes())
        inner = row.get("usage", row)
        usage, pairs = _usage(inner), row["pairs"]
        figures = [getattr(usage, f.name) for f in fields(Usage)]
        if type(pairs) is not int or not all(0 <= n < math.inf for n in figures) or usage.cached > usage.tokens:
            raise ValueError
        return Sample(pairs, usage, True, str(path))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        raise InputError('holds no usage: expected {"pairs": N, "usage": {"prompts": N, "tokens": N, "cached": N,'
                         ' "generated": N}}', path=path) from None


def _folder(path: Path) -> Sample:
    total, pairs = Usage(), 0
    try:
        for name in sorted(path.glob("shard-*.json")):
            report = json.loads(name.read_bytes())
            total += _usage(report["counts"])
            pairs += report["seen"]["pairs"]
    except (ValueError, KeyError, TypeError):
        raise InputError("its judge counted no tokens; estimate from a run of a language model", path=path) from None
    if not pairs:
        raise InputError("holds no finished shards", path=path)
    return Sample(pairs, total, True, f"{pairs:,} pairs of {path}")


def _usage(row: Mapping[str, Any]) -> Usage:
    whole = {name: int(row[name]) for name in ("prompts", "tokens", "cached", "generated")}
    return Usage(**whole, seconds=float(row.get("seconds", 0.0)), uncounted=int(row.get("uncounted", 0)))
