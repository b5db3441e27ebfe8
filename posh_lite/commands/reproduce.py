"""``posh-lite reproduce``: do the recorded figures of metrics and benchmarks still come out?"""

from __future__ import annotations

import argparse
from collections import Counter
from difflib import get_close_matches
from typing import Any

from posh_lite.commands.evaluate import metric_names, refuse_slips
from posh_lite.errors import InputError

_EPILOG = """what it does:
  data/expected holds the figures of every metric on every benchmark that could be run when they were recorded, with
  signature, n and tolerance. The command runs them again and says of each whether it reproduces, by how much it
  differs, or what keeps it from running here. Nothing is taken from earlier runs, so that it takes some minutes.

  The status is 1 where something differs; with --strict, also where something could not run.

examples:
  posh-lite reproduce
  posh-lite reproduce --benchmark mini --metrics posh,bleu
  posh-lite reproduce --record --benchmark mini,contrast --metrics posh
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    command = commands.add_parser(
        "reproduce", help="say which recorded figures still come out", epilog=_EPILOG,
        description="Run the recorded evaluations again and compare.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("--benchmark", metavar="A,B,...", help="only these (default: all that are recorded)")
    command.add_argument("--metrics", metavar="A,B,...", help="only these (default: all that are recorded)")
    command.add_argument("--record", action="store_true",
                         help="write the figures of this run (default: every benchmark and metric that can run here)")
    command.add_argument("--expected", metavar="DIR", help="folder of the recorded figures (default: data/expected)")
    command.add_argument("--strict", action="store_true", help="what cannot run counts as a failure")
    command.add_argument("--quiet", action="store_true", help="no bar, and only what does not reproduce")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compare or record. See :func:`add_parser` for the options.

    Returns:
        0 where nothing differs, else 1.
    """
    from posh_lite.baselines.registry import METRICS
    from posh_lite.benchmarks.registry import BENCHMARKS
    from posh_lite.evaluation.reproduce import read_expected, record, reproduce

    names = [n.strip() for n in (options.benchmark or "").split(",") if n.strip()]
    metrics = metric_names(options.metrics) if options.metrics else []
    progress = False if options.quiet else None
    if options.record:
        if unknown := [n for n in names if n not in BENCHMARKS]:
            near = get_close_matches(unknown[0], BENCHMARKS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(BENCHMARKS)}"
            raise InputError(f'no benchmark named "{unknown[0]}"; {hint}')
        refuse_slips(metrics, {})
        metrics = metrics or [name for name, entry in METRICS.items() if not entry.lacks()]
        checks = record(names or list(BENCHMARKS), metrics, options.expected, progress=progress)
    else:
        checks = reproduce(read_expected(options.expected), benchmarks=names, metrics=metrics, progress=progress)
    counts: Counter[str] = Counter()
    for check in checks:  # each is printed as soon as it is known
        counts[check.status] += 1
        if not options.quiet or check.status != "reproduces":
            print("\n".join(check.lines()), flush=True)
    words = {"reproduces": "recorded" if options.record else "reproduce", "differs": "differ"}
    print(", ".join(f"{count} {words.get(s, s)}" for s, count in sorted(counts.items())) or "nothing to compare")
    return 1 if counts["differs"] or (options.strict and counts["cannot run"]) else 0
