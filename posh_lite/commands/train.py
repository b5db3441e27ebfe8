"""``posh-lite train``: train a captioner with the rewards, see what it would take, and filter what it is trained on."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError
from posh_lite.reward.train.config import METHODS

if TYPE_CHECKING:
    from posh_lite.reward.train.config import TrainConfig

_EPILOG = """examples:
  posh-lite train configs
  posh-lite train grpo --config tiny-grpo --data data/mini/pairs.jsonl --dry-run
  posh-lite train grpo --config tiny-grpo --data data/mini/pairs.jsonl -o runs/try
  posh-lite train sft --config posh-sft --data docent -o runs/sft
  accelerate launch --num_processes 8 -m posh_lite.cli train dapo --config posh-dapo --data docent -o runs/dapo
  posh-lite train grpo --config pager-grpo --data kept.jsonl --reward no-tail --set learning_rate=2e-6 -o runs/no-tail
  posh-lite train dapo --config posh-dapo --data docent -o runs/dapo --resume
  posh-lite train filter candidates.jsonl -o filtered --rollouts rollouts.jsonl
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its actions."""
    command = commands.add_parser(
        "train", help="train a captioner with the rewards", epilog=_EPILOG,
        description="Train a captioner with PoSh or PAGER as the reward, on TRL; see what it takes; filter its data.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = command.add_subparsers(dest="action", metavar="ACTION", required=True)
    about = {"sft": "on the references themselves", "dapo": "with a reward, DAPO's loss", "grpo": "with a reward, GRPO"}
    for method in METHODS:
        action = actions.add_parser(method, help=f"train {about[method]}", epilog=_EPILOG,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
        _options(action, method)
    configs = actions.add_parser("configs", help="list the configurations, or print one to start from")
    configs.add_argument("name", nargs="?", metavar="NAME", help="print this one")
    configs.set_defaults(run=_configs)
    from posh_lite.commands.train_filter import add_action

    add_action(actions)


def _options(action: argparse.ArgumentParser, method: str) -> None:
    action.add_argument("--config", required=True, metavar="NAME|FILE", help="one of `train configs`, or a TOML file")
    action.add_argument("--data", metavar="FILE|FOLDER", help="rows to train on, or a folder in the layout of DOCENT")
    action.add_argument("--validation", metavar="FILE", help="rows to validate on")
    action.add_argument("--images", metavar="FOLDER", help="where images are (default: beside the rows)")
    action.add_argument("-o", "--output", metavar="FOLDER", help="of checkpoints and record (default: runs/CONFIG)")
    action.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="changes",
                        help="change a value, such as learning_rate=2e-6 or hardware.gpus=4; may be given again")
    action.add_argument("--max-steps", type=int, metavar="N", help="stop after N updates")
    if method != "sft":
        action.add_argument("--reward", metavar="VARIANT", help="of PAGER, such as no-mid or monotone (Table 5)")
    action.add_argument("--resume", action="store_true", help="go on from the latest checkpoint")
    action.add_argument("--dry-run", action="store_true", help="check everything and print the plan; needs no torch")
    action.add_argument("--rows", type=int, metavar="N", help="plan as if there were N rows like those of the data")
    action.add_argument("--sample", type=int, default=10, metavar="N",
                        help="rows on which PoSh's questions are counted for the plan (default: 10)")
    action.add_argument("--prices", metavar="PROMPT,CACHED,GENERATED",
                        help="of the judge's endpoint, per million tokens, for the plan")
    action.add_argument("--gpu-price", type=float, metavar="X", help="of a GPU for an hour, for the plan")
    action.add_argument("--json", action="store_true", help="print the plan as JSON")
    action.set_defaults(run=run, method=method, reward=None)


def configured(options: argparse.Namespace) -> TrainConfig:
    """The configuration with everything that the command line changes.

    Raises:
        InputError: it is wrong, or of another method.
    """
    from posh_lite.reward.train.config import check, read_config
    from posh_lite.reward.train.rewards import with_reward
    from posh_lite.reward.train.run import limited

    config = read_config(options.config, options.changes)
    if config.method != options.method:
        raise InputError(f'is of the method "{config.method}"; run `posh-lite train {config.method}`', path=config.path)
    given = {"train": options.data, "validation": options.validation, "images": options.images}
    config = replace(config, data=replace(config.data, **{k: v for k, v in given.items() if v is not None}))
    if options.reward is not None:
        config = replace(config, reward=with_reward(config, options.reward))
    return check(limited(config, options.max_steps))


def run(options: argparse.Namespace) -> int:
    """Train, or print the plan. See :func:`add_parser` for the options."""
    config = configured(options)
    if options.dry_run or options.json:
        return _plan(config, options)
    if options.rows is not None:
        raise InputError("--rows is for a plan; add --dry-run, or use --max-steps")
    from posh_lite.reward.train.run import for_output, train

    done = train(config, for_output(config, options.output), resume=options.resume)
    went_on = "" if done.resumed is None else f", from {done.resumed.name}"
    updates = f"{done.steps:,} update{'s' * (done.steps != 1)}"
    print(f"{done.folder}: {updates}{went_on}, mean loss {done.loss:.4g}; model in {done.model.name}/,"
          " curves in curves.svg")
    return 0


def _plan(config: TrainConfig, options: argparse.Namespace) -> int:
    from posh_lite.judge.llm.usage import Prices
    from posh_lite.reward.train.plan import plan, report, to_dict

    prices = None if options.prices is None else Prices.parse(options.prices)
    if options.gpu_price is not None and not 0 <= options.gpu_price < float("inf"):
        raise InputError(f"--gpu-price must be at least 0, got {options.gpu_price}")
    for name, value in (("--sample", options.sample), ("--rows", options.rows)):
        if value is not None and value < 1:
            raise InputError(f"{name} must be at least 1, got {value}")
    found = plan(config, rows=options.rows, sample=options.sample)
    lines = [json.dumps(to_dict(found), indent=1, ensure_ascii=False, default=str)] if options.json \
        else report(found, prices, options.gpu_price)
    print("\n".join(lines))
    return 0


def _configs(options: argparse.Namespace) -> int:
    from importlib.resources import files

    from posh_lite.reward.train.config import builtin

    known = builtin()
    if options.name is None:
        width = max(map(len, known)) + 2
        print("\n".join(f"{name:<{width}}{about}" for name, about in known.items()))
        return 0
    if options.name not in known:
        raise InputError(f'no configuration "{options.name}"; there are {", ".join(known)}')
    print((files("posh_lite.reward") / "configs" / f"{options.name}.toml").read_text("utf-8"), end="")
    return 0

