"""``posh-lite challenge``: every text metric against every kind of error, as a matrix."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.commands.evaluate import metric_names, metric_options, refuse_slips
from posh_lite.commands.judges import own_judges
from posh_lite.errors import InputError, MissingDependency
from posh_lite.judge.registry import install_command

if TYPE_CHECKING:
    from posh_lite.evaluation.challenge import Matrix

_EPILOG = """what it does:
  Every metric scores pairs of texts of which one is worse for a known reason, and a cell of the matrix says how often
  it gives the worse one the lower score. Guessing gives 50. Three conditions, a table and a heat map each:
    planted    a caption without a mistake against the same with one, the reference in other words than both
    copy       the reference itself against the same with one change: is it seen at all?
    reworded   a right paraphrase of the reference against a text with one wrong fact: does being wrong cost more
               than other words do?
  Kinds in which a true thing is given to the wrong owner (swaps) stand together: words alone cannot tell them.
  challenge.json also has the drop in standard deviations, the drop over that of a paraphrase, and for a metric that
  points at places, whether the changed words score lowest. Intervals draw works and originals anew.

  Nobody tunes on the contrast set (data/contrast/README.md): run this to report a figure.

a metric of one's own is ten lines, see examples/bag_of_words.py:
  posh-lite challenge --metrics posh,examples.bag_of_words:BagOfWords -o matrix

examples:
  posh-lite challenge -o matrix
  posh-lite challenge --metrics posh,bleu,length -o matrix --no-figures
  posh-lite challenge --metrics posh:gguf:model.gguf -o matrix --metric-option posh:gguf:model.gguf.log=verdicts.sqlite
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    command = commands.add_parser(
        "challenge", help="hold metrics against every kind of error", epilog=_EPILOG,
        description="Hold metrics against every kind of error and write the matrix.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("--metrics", default="", metavar="A,B,...", help="names of posh-lite evaluate --list, or"
                         " module:Class (default: all that can run here on texts, without a service or a GPU)")
    command.add_argument("-o", "--output", required=True, metavar="DIR", help="folder for record, table and figures")
    command.add_argument("--scores", metavar="DIR", help="folder of kept scores, so that a stopped run goes on"
                         " (default: DIR/scores)")
    command.add_argument("--metric-option", action="append", default=[], metavar="METRIC.NAME=VALUE",
                         help="a keyword of a metric, such as posh.log=verdicts.sqlite; may be repeated")
    command.add_argument("--resamples", type=int, default=2000, metavar="N", help="of the bootstrap (default: 2000)")
    command.add_argument("--seed", type=int, default=0, help="of all draws (default: 0)")
    command.add_argument("--no-figures", action="store_true", help="record and table only")
    command.add_argument("--quiet", action="store_true", help="no bar, and no table on standard output")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Challenge, write and print. See :func:`add_parser` for the options.

    Returns:
        0 where at least one metric ran, else 1.
    """
    for name, value, least in (("--resamples", options.resamples, 1), ("--seed", options.seed, 0)):
        if value < least:
            raise InputError(f"{name} must be at least {least}, got {value}")
    place = Path(options.output)
    if place.exists() and not place.is_dir():
        raise InputError("is a file, expected a folder", path=place)
    own_judges(":")  # classes of one's own lie in the current folder
    from posh_lite.evaluation.challenge import SCORES, challenge, default_metrics
    from posh_lite.evaluation.challenge_table import markdown

    metrics = metric_names(options.metrics) if options.metrics else default_metrics()
    settings = metric_options(options.metric_option, metrics)
    refuse_slips(metrics, settings)
    place.mkdir(parents=True, exist_ok=True)
    found = challenge(
        metrics, scores=options.scores or place / SCORES, options=settings,
        n_resamples=options.resamples, seed=options.seed, progress=False if options.quiet else None,
    )
    text, table = markdown(found), place / "matrix.md"
    lines = [f"figures in full: {found.write(place)}", f"table: {table}"]
    table.write_text(text, "utf-8")
    if not options.no_figures:
        lines += figures(found, place)
    if not options.quiet:
        print(text, end="")
        for line in lines:
            print(f"posh-lite: {line}", file=sys.stderr)
    return 0 if found.ran else 1


def figures(found: Matrix, place: Path) -> list[str]:
    """Draw every heat map that has figures; a line for each, with the reason where none can be drawn."""
    try:
        from posh_lite.plot_challenge import heat_map

        drawn = []
        for condition in dict.fromkeys(found.cells["condition"] if len(found.cells) else []):
            drawn.append(heat_map(found, condition, folder=place))
            if condition != "copy" and any(run.granular for run in found.ran):
                drawn.append(heat_map(found, condition, statistic="place", folder=place,
                                      name=f"challenge-{condition}-place"))  # fmt: skip
    except (ImportError, MissingDependency) as error:
        return [f'no figures: {error}; {install_command("book")}, or --no-figures']
    return [f"figure: {place / one.name}.svg" for one in drawn]
