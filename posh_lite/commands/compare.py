"""``posh-lite compare``: two models held against each other, with paired tests and their captions side by side."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.commands.files import check_target
from posh_lite.errors import InputError

if TYPE_CHECKING:
    from posh_lite.own.compare import Comparison

_EPILOG = """A and B are names of models that `posh-lite model` has scored, or their folders. Only images that both
describe count, and both must have been scored with the same judge, version and settings.

tests, all paired on images:
  the bootstrap draws images anew; the permutation test exchanges the two models within an image, all exchanges where
  there are up to 13 images; Wilcoxon's test ranks the differences. Holm's correction covers all that is tested.

examples:
  posh-lite compare my-model drifter
  posh-lite compare my-model drifter -o page.html --csv tests.csv --most 20 --by mistakes
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    command = commands.add_parser(
        "compare", help="two models: paired tests, and the captions they differ on most", epilog=_EPILOG,
        description="Hold two models against each other on the images that both describe.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("first", metavar="A", help="a model, by name or folder")
    command.add_argument("second", metavar="B", help="the other one")
    command.add_argument("--models", default="models", metavar="DIR", help="folder of all models (default: models)")
    command.add_argument("-o", "--output", metavar="FILE.html", help="page (default: DIR/comparisons/A--B.html)")
    command.add_argument("--csv", metavar="FILE", help="also write the tests as a table")
    command.add_argument("--by", choices=("overall", "mistakes", "omissions"), default="overall",
                         help="score whose largest differences are shown (default: overall)")
    command.add_argument("--most", type=int, default=10, metavar="N", help="captions side by side (default: 10)")
    command.add_argument("--boot", type=int, default=2000, metavar="B", help="draws of images (default: 2000)")
    command.add_argument("--seed", type=int, default=0, help="of all draws (default: 0)")
    command.add_argument("--quiet", action="store_true", help="nothing on standard output")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Test, write and print. See :func:`add_parser` for the options."""
    from posh_lite.own.compare import compare
    from posh_lite.own.compare_page import compare_page
    from posh_lite.own.frame import write_whole
    from posh_lite.own.leaderboard import COMPARISONS, write_leaderboard
    from posh_lite.own.run import read_model

    for name, value, least in (("--boot", options.boot, 1), ("--seed", options.seed, 0), ("--most", options.most, 1)):
        if value < least:
            raise InputError(f"{name} must be at least {least}, got {value}")
    for target in (options.output, options.csv):
        if target is not None:
            check_target(target, "")
    place = Path(options.models)
    homes = [find_model(name, place) for name in (options.first, options.second)]
    if homes[0].resolve() == homes[1].resolve():
        raise InputError(f"{options.first} and {options.second} are the same model")
    found = compare(*(read_model(home) for home in homes), n_resamples=options.boot, seed=options.seed)
    page = place / COMPARISONS / f"{homes[0].name}--{homes[1].name}.html"
    up = ".."
    if options.output is not None:
        page, up = Path(options.output), place.resolve().as_uri()
    write_whole(page, compare_page(found, most=options.most, score=options.by, up=up))
    if options.output is None:
        write_leaderboard(place)
    if options.csv is not None:
        found.to_frame().to_csv(options.csv, index=False, lineterminator="\n")
    if not options.quiet:
        _summary(found)
        print(f"page  {page.resolve().as_uri()}")
    return 0


def find_model(name: str, place: Path) -> Path:
    """The folder of a model that is given by its name or by the folder itself.

    Raises:
        InputError: there is no such model.
    """
    from difflib import get_close_matches

    from posh_lite.own.captions import folder_of
    from posh_lite.own.record import FILE, read_records

    if (Path(name) / FILE).is_file():
        return Path(name)
    records, _ = read_records(place)
    for record in records:
        if name in (record.name, record.folder):
            return place / record.folder
    home = place / folder_of(name)
    if (home / FILE).is_file():
        return home
    names = [r.name for r in records]
    near = get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}" if names else "there is none yet"
    raise InputError(f'no model "{name}" in {place}; {hint}')


def _summary(found: Comparison) -> None:
    from posh_lite.own.compare_page import said_p, verdict
    from posh_lite.position.effects import SHOWN
    from posh_lite.position.report import said

    for test in found.tests:
        if test.quantity in SHOWN:
            print(f"{SHOWN[test.quantity]}: difference {said(test.difference)}, p {said_p(test.p_permutation)}"
                  f" (Holm {said_p(test.p_holm)})")
        else:
            print(verdict(found, test))
    if found.why_no_effects:
        print(f"posh-lite: note: effects of position are not compared: {found.why_no_effects}", file=sys.stderr)
