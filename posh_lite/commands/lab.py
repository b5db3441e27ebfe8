"""``posh-lite lab``: a simulation of what each term of the PAGER reward does to a policy."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from posh_lite.errors import InputError

_EPILOG = """what it does:
  A small policy composes captions, sentence by sentence, of the sentences of the known-answer corpus, whose truth is
  known, and is trained with group-relative advantages under the real reward. It chooses what kind of thing to say; the
  environment decides what becomes of it. This is a SIMULATION: what it shows, it shows under its assumptions, which the
  record states and the scenes vary one by one.

output, in DIR:
  sentences.json   every sentence with its findings, verified once; made anew where the verifier has changed
  study.json       all arms over all seeds, by scene, with settings
  check.json       moved findings against captions that were verified as a whole
  lab.md           the pattern of Table 5, held against the default scene

  A scene that study.json has already, with the same settings, seeds and sentences, is kept.

examples:
  posh-lite lab -o lab --seeds 2 --scenes default --steps 20
  posh-lite lab -o data/results/lab
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    command = commands.add_parser(
        "lab", help="simulate what each term of a reward does to a policy", epilog=_EPILOG,
        description="Train a small simulated policy under every variant of the PAGER reward and record what it learns.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("-o", "--output", required=True, metavar="DIR", help="folder of the record")
    command.add_argument("--seeds", type=int, default=8, metavar="N", help="of the default scene (default: 8)")
    command.add_argument("--other-seeds", type=int, default=8, metavar="N", help="of the other scenes (default: 8)")
    command.add_argument("--steps", type=int, default=None, metavar="N", help="of every training (default: 80)")
    command.add_argument("--scenes", default="", metavar="A,B,...", help="names of scenes (default: all)")
    command.add_argument("--captions", type=int, default=60, metavar="N", dest="each",
                         help="captions of each held-out work in a measurement (default: 60)")
    command.add_argument("--workers", type=int, default=2, metavar="N", help="processes (default: 2)")
    command.add_argument("--renew", action="store_true", help="verify and train everything anew")
    command.add_argument("--quiet", action="store_true", help="no bar, and no table on standard output")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Verify, train, measure, write and print. See :func:`add_parser` for the options."""
    for name, value, least in (("--seeds", options.seeds, 2), ("--other-seeds", options.other_seeds, 2),
                               ("--captions", options.each, 1), ("--workers", options.workers, 1),
                               ("--steps", 1 if options.steps is None else options.steps, 1)):
        if value < least:
            raise InputError(f"{name} must be at least {least}, got {value}")
    place = Path(options.output)
    if place.exists() and not place.is_dir():
        raise InputError("is a file, expected a folder", path=place)
    from posh_lite.reward.lab.record import record
    from posh_lite.reward.lab.study import scenes

    names = [n.strip() for n in options.scenes.split(",") if n.strip()] or list(scenes())
    for name in names:
        if name not in scenes():
            raise InputError(f'no scene "{name}"; there are {", ".join(scenes())}')
    place.mkdir(parents=True, exist_ok=True)
    text = record(place, names, seeds=options.seeds, other_seeds=options.other_seeds, steps=options.steps,
                  each=options.each, workers=options.workers, renew=options.renew, progress=not options.quiet)
    if not options.quiet:
        print(text, end="")
        print(f"posh-lite: wrote {', '.join(sorted(p.name for p in place.iterdir()))} to {place}", file=sys.stderr)
    return 0
