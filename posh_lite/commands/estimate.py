"""``posh-lite estimate``: GPU hours, wall-clock time and cost of a large run, from the tokens that some pairs take."""

from __future__ import annotations

import argparse
from itertools import islice
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError
from posh_lite.records import read_pairs

if TYPE_CHECKING:
    from posh_lite.scale.estimate import Plan, Sample

_EPILOG = """examples:
  posh-lite estimate pairs.jsonl --throughput 40000 --prompt-rate 500 --replicas 8
  posh-lite estimate --usage run.json --captions 1000000 --prices 0.10,0.05,0.40
  posh-lite estimate --usage scores.jsonl.shards --replicas 64 --gpu-price 2.5

PAIRS are counted without a model, four characters a token. --usage takes what a real run counted: the shards of
`posh-lite score --engine ray`, or {"pairs": N, "usage": {"prompts": N, "tokens": N, "cached": N, "generated": N}}.
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    command = commands.add_parser(
        "estimate", help="what scoring a million captions would take", epilog=_EPILOG,
        description="GPU hours, wall-clock time and cost of a large run, from the tokens that some pairs take.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("pairs", metavar="PAIRS.jsonl", nargs="?", help="pairs of the kind that is to be scored")
    command.add_argument("--usage", metavar="FILE", help="what a real run counted, instead of PAIRS")
    command.add_argument("--sample", type=int, default=20, metavar="N", help="count the first N pairs (default: 20)")
    command.add_argument("--identifiers", choices=("all", "lazy"), default="all", help="as for `posh-lite score`")
    command.add_argument("--context", choices=("full", "near"), default="full", help="as for `posh-lite score`")
    command.add_argument("--captions", type=int, default=1_000_000, metavar="N", help="to be scored (default: 1000000)")
    command.add_argument("--throughput", type=float, metavar="X",
                         help="prompt tokens a second that a replica computes (default: as measured in --usage)")
    command.add_argument("--prompt-rate", type=float, metavar="X",
                         help="prompts a second that a replica takes at most, however short they are after reuse")
    command.add_argument("--replicas", type=int, default=1, metavar="N", help="copies of the model (default: 1)")
    command.add_argument("--gpus", type=int, default=1, metavar="N", help="GPUs of a replica (default: 1)")
    command.add_argument("--busy", type=float, default=0.9, metavar="X",
                         help="share of the time that replicas compute (default: 0.9)")
    command.add_argument("--gpu-price", type=float, metavar="X", help="of a GPU for an hour, in any currency")
    command.add_argument("--prices", metavar="PROMPT,CACHED,GENERATED",
                         help="of an endpoint, per million tokens in any currency")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the estimate. See :func:`add_parser` for the options."""
    from posh_lite.judge.llm.usage import Prices
    from posh_lite.scale.estimate import Plan

    if (options.pairs is None) == (options.usage is None):
        raise InputError("give pairs to count, or --usage with what a real run counted")
    if options.sample < 1:
        raise InputError(f"--sample must be at least 1, got {options.sample}")
    prices = None if options.prices is None else Prices.parse(options.prices)
    if options.usage is None and options.throughput is None and prices is None:
        raise InputError("give --throughput (tokens a second of a replica), --prices of an endpoint, or both")
    sample = _sample(options)
    throughput = options.throughput
    if throughput is None and sample.usage.seconds > 0 and sample.usage.computed > 0:
        throughput = sample.usage.computed / sample.usage.seconds
    for name, value in (("--gpu-price", options.gpu_price), ("--prompt-rate", options.prompt_rate)):
        if value is not None and throughput is None:
            raise InputError(f"{name} needs --throughput")
    plan = Plan(
        options.captions, throughput, options.prompt_rate, options.replicas, options.gpus, options.busy,
        options.gpu_price, prices,
    )
    for line in report(sample, plan, options.prices or ""):
        print(line)
    return 0


def _sample(options: argparse.Namespace) -> Sample:
    from posh_lite.scale.estimate import count_pairs, read_usage

    if options.usage is not None:
        return read_usage(options.usage)
    pairs = list(islice(read_pairs(options.pairs), options.sample))
    if not pairs:
        raise InputError("no pairs in the file", path=options.pairs)
    name = "standard input" if options.pairs == "-" else options.pairs
    return count_pairs(pairs, name=name, identifiers=options.identifiers, context=options.context)


def report(sample: Sample, plan: Plan, prices: str) -> list[str]:
    """The estimate as lines: what was measured, what follows, and what is assumed."""
    from posh_lite.scale.estimate import CHARACTERS, estimate

    found, usage, n = estimate(sample, plan), sample.usage, sample.pairs
    rows = [
        ("measured on", sample.source),
        ("a pair takes", f"{usage.prompts / n:,.0f} prompts, {usage.tokens / n:,.0f} tokens, of which"
                         f" {usage.computed / n:,.0f} are computed ({usage.cached / usage.tokens:.0%} reused)"),
        ("captions", f"{plan.captions:,}: {found.prompts:,.0f} prompts, {found.computed / 1e9:,.2f} billion tokens"
                     f" computed of {found.tokens / 1e9:,.2f} billion"),
    ]
    if found.gpu_hours is not None and found.gpu_hours_without_reuse is not None and found.hours is not None:
        rows.append(("GPU hours", f"{found.gpu_hours:,.0f}; without reuse of beginnings"
                                  f" {found.gpu_hours_without_reuse:,.0f}"))
        replicas = f"{plan.replicas:,} replica{'s' * (plan.replicas != 1)} of {plan.gpus} GPU{'s' * (plan.gpus != 1)}"
        rows.append(("wall clock", f"{found.hours:,.1f} hours with {replicas}"))
    if found.gpu_cost is not None:
        rows.append(("GPU cost", f"{found.gpu_cost:,.0f} at {plan.gpu_price:g} a GPU hour"))
    if found.endpoint_cost is not None:
        rows.append(("endpoint cost", f"{found.endpoint_cost:,.0f} at {prices} per million tokens"))
    assumed = ["all captions are like those measured"]
    if not sample.counted:
        assumed += [
            f"a token is {CHARACTERS} characters, chat templates add nothing",
            "what is found, and so asked, is what the lexical judge finds",
            "the texts of a pair are computed once a side and kept while its questions are asked",
        ]
    if plan.throughput is not None:
        limit = "" if plan.prompt_rate is None else f", takes {plan.prompt_rate:,.0f} prompts a second at most"
        assumed += [
            f"a replica computes {plan.throughput:,.0f} prompt tokens a second{limit}",
            f"it is busy {plan.busy:.0%} of the time",
            "an answer is one token, which the computation of its prompt gives",
            "scene graphs are made on CPUs beside the model and keep up with it",
        ]
    width = max(len(name) for name, _ in rows) + 2
    return [f"{name:<{width}}{value}" for name, value in rows] + [
        f"{'assumed' if i == 0 else '':<{width}}{line}" for i, line in enumerate(assumed)
    ]
