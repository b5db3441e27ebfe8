"""``posh-lite project``: a metric of one's own against BLEU and posh-lite, on an open and a closed half."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from posh_lite.errors import InputError

_EPILOG = """the project:
  Write a metric in a file of your own (ten lines are one: examples/bag_of_words.py). Beat BLEU first, then posh-lite.
  The twelve works of the known-answer corpus are divided by a hash into two halves. Develop on the open one as much
  as you like; look at the closed one at the end, and once. "Beaten" means that the whole interval of the paired
  difference lies above zero. With six works in a half intervals are wide: that is part of the lesson.

for the instructor:
  --salt WORD divides the works in another way, so that your course has its own closed half. The corpus is public and
  its gold is constructed; a metric that wins here has not been shown to agree with people.

examples:
  posh-lite project examples.bag_of_words:BagOfWords -o project --half open
  posh-lite project my_metric.py:Mine -o project
  posh-lite project my_metric:Mine -o project --salt "spring term"
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    command = commands.add_parser(
        "project", help="beat BLEU, then beat posh-lite: a metric of your own on two halves of the mini corpus",
        epilog=_EPILOG, description="Hold a metric of your own against BLEU and posh-lite.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("metric", metavar="MODULE:CLASS", help="your metric; the module may be a file NAME.py here")
    command.add_argument("-o", "--output", required=True, metavar="DIR", help="folder for project.json, project.md and"
                         " kept scores")
    command.add_argument("--half", choices=("open", "closed", "both"), default="both",
                         help="what is looked at (default: both)")
    command.add_argument("--salt", default="posh-lite", metavar="WORD", help="divides the works (default: posh-lite)")
    command.add_argument("--resamples", type=int, default=2000, metavar="N", help="of the bootstrap (default: 2000)")
    command.add_argument("--seed", type=int, default=0, help="of the draws (default: 0)")
    command.add_argument("--quiet", action="store_true", help="no bar, and no table on standard output")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Score, write and print. See :func:`add_parser` for the options."""
    from posh_lite.commands.judges import own_judges
    from posh_lite.teach.project import HALVES, run_project

    if options.resamples < 1:
        raise InputError(f"--resamples must be at least 1, got {options.resamples}")
    place = Path(options.output)
    if place.exists() and not place.is_dir():
        raise InputError("is a file, expected a folder", path=place)
    own_judges(options.metric)
    result = run_project(
        options.metric, salt=options.salt, halves=HALVES if options.half == "both" else (options.half,),
        output=place / "scores", n_resamples=options.resamples, seed=options.seed,
        progress=False if options.quiet else None,
    )
    if result.skipped:
        raise InputError(f"{options.metric} did not run: {result.skipped}")
    written = result.write(place)
    (place / "project.md").write_text(result.markdown(), "utf-8")
    if not options.quiet:
        print(result.markdown(), end="")
        print(f"posh-lite: wrote {written.name} and project.md to {place}", file=sys.stderr)
    return 0
