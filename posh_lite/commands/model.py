"""``posh-lite model``: from the captions of a model to its scores, its profile and a row of a leaderboard."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.commands.judges import add_judge_options, own_judges
from posh_lite.errors import InputError, PoshLiteError

if TYPE_CHECKING:
    from collections.abc import Callable

    from posh_lite.metric.posh import PoSh
    from posh_lite.own.captions import Captions
    from posh_lite.own.run import Model
    from posh_lite.records import Pair

_EPILOG = """input:
  One JSON object a line. Either whole pairs, id, generation and reference, or captions alone: generation, and an id or
  image of the references that --benchmark names. "model" names the captioner; a file of several gets a row for each.

references (--benchmark):
  mini      twelve works of this project: the image is the slug, such as gleaners (data/mini/works.jsonl lists them)
  iiw400    400 web images described by people: the image is the key of the file (posh-lite data fetch iiw400)
  docent    art described by experts: the image is its uuid (posh-lite docent fetch works); or a folder of docent build
  FILE      JSON Lines with "image" or "id", and "reference"

output, below DIR (default: models):
  index.html            the leaderboard: a row a model; open it in a browser
  NAME/index.html       the model's page: scores, profile by position, its worst and best captions opened
  NAME/position/        every sentence with its label; tables and figures
  NAME/scores.jsonl, captions.jsonl, model.json     what the pages are made of
  A run that was stopped goes on where it was. All of this holds words of the texts.

examples:
  posh-lite model my.jsonl --name my-model
  posh-lite model my.jsonl --name my-model --benchmark mini
  posh-lite model --example                  (six constructed captioners, to hold yours beside)
  posh-lite compare my-model drifter
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    command = commands.add_parser(
        "model", help="score and diagnose a model's captions, and add a row to a leaderboard", epilog=_EPILOG,
        description="From a file of captions to a page with the model's profile, and a row of a local leaderboard.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("captions", nargs="?", metavar="CAPTIONS.jsonl", help='captions; "-" is standard input')
    command.add_argument("--name", metavar="NAME", help='of the model (default: the field "model" of each line)')
    command.add_argument("-o", "--output", default="models", metavar="DIR", help="of all models (default: models)")
    command.add_argument("--benchmark", metavar="NAME|FILE", help="references of captions that have none (see below)")
    command.add_argument("--example", action="store_true", help="add the six constructed captioners of the mini corpus")
    add_judge_options(command)
    command.add_argument("--calibration", metavar="FILE", help="of the judge, as `posh-lite calibrate` wrote it")
    command.add_argument("--log", metavar="FILE", help="verdict log (default: verdicts.sqlite in DIR for a judge that"
                                                       " asks a model)")
    command.add_argument("--on-error", choices=("stop", "skip"), default="stop",
                         help="what a record that cannot be used does (default: stop); those left out are counted")
    command.add_argument("--boot", type=int, default=2000, metavar="B", help="draws of images (default: 2000)")
    command.add_argument("--seed", type=int, default=0, help="of the draws (default: 0)")
    command.add_argument("--quiet", action="store_true", help="no bars and no summary")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Score, diagnose and write. See :func:`add_parser` for the options."""
    from posh_lite.own.captions import by_model, folder_of
    from posh_lite.own.leaderboard import write_leaderboard
    from posh_lite.own.page import write_page
    from posh_lite.own.run import run_model

    place = _check(options)
    skipped: list[str] = []

    def skip(error: PoshLiteError) -> None:
        skipped.append(str(error))
        print(f"posh-lite: skipped: {' '.join(str(error).splitlines())}", file=sys.stderr)

    def fault(pair: Pair, error: PoshLiteError) -> None:
        skip(InputError(f'"{pair.id}": {error}'))

    skipping = options.on_error == "skip"
    todo: list[tuple[str, Captions]] = []
    if options.captions is not None:
        todo += by_model(_read(options, skip if skipping else None), options.name)
    if options.example:
        from posh_lite.own.example import example

        taken = {folder_of(name) for name, _ in todo}
        todo += [(name, own) for name, own in by_model(example(), None) if folder_of(name) not in taken]
    own_judges(options.judge)
    place.mkdir(parents=True, exist_ok=True)
    posh = _metric(options, place)
    settings: dict[str, Any] = {"n_resamples": options.boot, "seed": options.seed}
    done: list[Model] = []
    try:
        for name, own in todo:
            if not options.quiet:
                print(f"posh-lite: {name}: {len(own.pairs):,} captions", file=sys.stderr)
            model = run_model(name, own, place, posh, progress=False if options.quiet else None,
                              on_fault=fault if skipping else None, **settings)
            write_page(model)
            done.append(model)
    except KeyboardInterrupt:
        print(f"posh-lite: what was scored is kept in {place}; the same command goes on from there", file=sys.stderr)
        raise
    finally:
        if done:
            write_leaderboard(place)
    if not options.quiet:
        _summary(done, place, posh.notes())
    return 0


def _check(options: argparse.Namespace) -> Path:
    """Find what would only fail after the work; the folder of all models."""
    if options.captions is None and not options.example:
        raise InputError("which captions? Name a file of them, or give --example for the six constructed captioners")
    if options.captions is None and (options.name or options.benchmark):
        raise InputError("--name and --benchmark belong to a file of captions")
    for name, value, least in (("--boot", options.boot, 1), ("--seed", options.seed, 0)):
        if value < least:
            raise InputError(f"{name} must be at least {least}, got {value}")
    place = Path(options.output)
    if place.exists() and not place.is_dir():
        raise InputError("is a file, expected a folder", path=place)
    return place


def _read(options: argparse.Namespace, skip: Callable[[InputError], None] | None) -> Captions:
    from posh_lite.own.captions import read_captions
    from posh_lite.own.references import load_references

    references = None if options.benchmark is None else load_references(options.benchmark)
    try:
        return read_captions(options.captions, references, on_error=skip)
    except InputError as error:
        if error.line is None or skip is not None:
            raise
        raise InputError(f"{error} (--on-error skip leaves such records out and counts them)") from None


def _metric(options: argparse.Namespace, place: Path) -> PoSh:
    from posh_lite.commands.judges import judge_options
    from posh_lite.judge.registry import JUDGES
    from posh_lite.metric.posh import PoSh

    entry = JUDGES.get(options.judge.partition(":")[0])
    log = options.log
    if log is None and entry is not None and entry.model:
        log = str(place / "verdicts.sqlite")
    return PoSh(options.judge, log=log, progress=False, judge_options=judge_options(options),
                calibration=options.calibration)


def _summary(done: list[Model], place: Path, notes: list[str]) -> None:
    from posh_lite.own.run import PAGE
    from posh_lite.position.effects import SHOWN
    from posh_lite.position.report import said

    for model in done:
        record = model.record
        print(f"{record.name}: {record.n:,} captions of {record.n_images:,} images")
        for name in ("overall", "mistakes", "omissions", "d_mid", "d_tail"):
            if name in record.figures:
                told = said(record.figures[name])  # with a sign, which a score has no use for
                print(f"  {SHOWN.get(name, name):<10} {told if name in SHOWN else told.removeprefix('+')}")
    for note in notes:
        print(f"posh-lite: note: {note}", file=sys.stderr)
    if len(done) == 1:
        print(f"its page     {(done[0].place / PAGE).resolve().as_uri()}")
    print(f"leaderboard  {(place / PAGE).resolve().as_uri()}")
