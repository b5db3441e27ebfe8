"""``posh-lite docent``: build DOCENT, fetch its images and judgments, check a copy, and run a study of one's own."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.commands.docent_study import add_study_parsers
from posh_lite.errors import InputError

if TYPE_CHECKING:
    from posh_lite.benchmarks.docent_build import Build, Settings

_EPILOG = """building the set:
  posh-lite data fetch nga_objects nga_images
  posh-lite docent build -o docent
  posh-lite docent images docent -o docent/images --size 1024
  posh-lite docent convert docent -o docent-parquet --format parquet

reading the published judgments (each says what is wrong with a copy that it cannot read):
  posh-lite docent fetch coarse granular
  posh-lite docent check granular

a small study of one's own:
  posh-lite docent tasks pairs.jsonl -o study --annotators ann,ben,cleo
  posh-lite docent annotations export.json -o judged
  posh-lite docent agreement export.json --expert cleo
  posh-lite evaluate --benchmark docent --benchmark-option path=judged --metrics posh,bleu,length -o results

without any data:
  posh-lite docent build --example -o docent-example
  posh-lite docent agreement data/annotation --names data/annotation/names.txt --expert expert
"""
_BUILD = """what it does:
  Images that are free to use, show the primary view of a work and have a description of --least words or more are
  joined with their objects. Texts are cleaned (markup, entities, white space, notices), those that are cut off are
  left out, and of texts that occur on several works one is kept. What is left is drawn and split by the SHA-256 of
  each image's identifier, so that the order of the tables does not matter. The folder holds one file a split, a data
  card with every step counted (README.md), and the settings (build.json); the library datasets loads it as it is.

  The paper states 1,750 works and 1,000 for training. The other settings are choices of this project.
"""


def add_parser(commands: Any) -> None:
    """Declare the command, its actions and their options."""
    command = commands.add_parser(
        "docent", help="build DOCENT, read its judgments, run a small study", epilog=_EPILOG,
        description="DOCENT, the benchmark of the PoSh paper: descriptions of art with judgments by people.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = command.add_subparsers(dest="action", metavar="ACTION", required=True)
    _add_build(actions)
    images = actions.add_parser(
        "images", help="fetch the images of a build, one at a time",
        description="Fetch the images of a build politely: one at a time, with a pause, and never twice. A busy server"
        " is asked again later, as it says; manifest.jsonl records checksums and failures. Run it again to go on.",
    )
    images.add_argument("folder", metavar="BUILD", help="a folder that `docent build` wrote")
    images.add_argument("-o", "--output", required=True, metavar="DIR", help="where the images go")
    images.add_argument("--split", choices=("train", "validation", "test"), help="of one split only")
    images.add_argument("-n", type=int, metavar="N", dest="number", help="the first N only")
    images.add_argument("--size", type=int, default=1024, metavar="PX", help="longest side (default: 1024)")
    images.add_argument("--delay", type=float, default=1.0, metavar="S", help="seconds between images (default: 1)")
    images.add_argument("--verify", action="store_true", help="only compare what is there with the manifest")
    images.set_defaults(run=_images)
    convert = actions.add_parser("convert", help="write a build as Parquet or JSON Lines, in the hub's layout")
    convert.add_argument("folder", metavar="BUILD", help="a folder that `docent build` wrote")
    convert.add_argument("-o", "--output", required=True, metavar="DIR", help="where to")
    convert.add_argument("--format", choices=("jsonl", "parquet"), default="parquet", help="(default: parquet)")
    convert.set_defaults(run=_convert)
    fetch = actions.add_parser(
        "fetch", help="get the published judgments from the hub (extra docent)",
        description="Get the published sets from the Hugging Face hub. The revision and the hash of what came are"
        " recorded beside each file on the first download, and later ones are held against them.",
    )
    fetch.add_argument("names", nargs="*", metavar="SET", help="of coarse, granular, works (default: coarse granular)")
    fetch.add_argument("--revision", metavar="COMMIT", help="which one, 40 hexadecimal digits (default: as recorded)")
    fetch.set_defaults(run=_fetch)
    check = actions.add_parser(
        "check", help="say whether a copy of a published set can be read, and what is wrong with it",
        description="Check columns and values of a copy. A missing column is named with the nearest that is there.",
    )
    check.add_argument("name", metavar="SET", choices=("coarse", "granular", "works"), help="coarse, granular or works")
    check.add_argument("path", nargs="?", metavar="PATH", help="file or folder (default: the fetched copy)")
    check.set_defaults(run=_check)
    add_study_parsers(actions)


def _add_build(actions: Any) -> None:
    build = actions.add_parser(
        "build", help="select, clean, make unique and split the works", epilog=_BUILD,
        description="Build DOCENT from the open-data tables of the National Gallery of Art.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    source = build.add_mutually_exclusive_group()
    source.add_argument("--tables", metavar="DIR", help="folder with objects.csv and published_images.csv (default: the"
                        " fetched ones)")
    source.add_argument("--example", action="store_true", help="the constructed tables of the checkout, data/nga")
    build.add_argument("-o", "--output", required=True, metavar="DIR", help="where the set goes")
    build.add_argument("--works", type=int, default=1750, metavar="N", help="in all (default: 1750; 0 is every one)")
    build.add_argument("--train", type=int, default=1000, metavar="N", help="for training (default: 1000)")
    build.add_argument("--validation", type=int, default=250, metavar="N", help="for validation (default: 250)")
    build.add_argument("--least", type=int, default=80, metavar="N", help="words of a description (default: 80)")
    build.add_argument("--near", type=float, default=0.8, metavar="SHARE",
                       help="of five-word runs in common from which on two texts are one (default: 0.8)")
    build.add_argument("--salt", default="docent", help="another one gives another split (default: docent)")
    build.add_argument("--format", choices=("jsonl", "parquet"), default="jsonl", help="of the files (default: jsonl)")
    build.add_argument("--no-graphs", action="store_true", help="leave the size of scene graphs out of the card")
    build.set_defaults(run=_build)


def _settings(options: argparse.Namespace) -> Settings:
    from posh_lite.benchmarks.docent_build import Settings

    return Settings(works=options.works or None, train=options.train, validation=options.validation,
                    least=options.least, near=options.near, salt=options.salt)  # fmt: skip


def fetched_tables() -> Path:
    """The folder that ``posh-lite data fetch nga_objects nga_images`` filled.

    Raises:
        InputError: the tables are not there; the message says how to get them.
    """
    from posh_lite.benchmarks.catalog import data_path

    folders = {data_path(name).parent for name in ("nga_images", "nga_objects")}
    if len(folders) > 1:
        raise InputError("the two tables lie in different folders; name one that has both with --tables")
    return folders.pop()


def _build(options: argparse.Namespace) -> int:
    from posh_lite.benchmarks.docent_build import build_docent
    from posh_lite.benchmarks.docent_card import data_card, reference_statistics
    from posh_lite.benchmarks.docent_layout import write_layout
    from posh_lite.benchmarks.nga import find_fixture

    settings = _settings(options)
    tables = find_fixture() if options.example else Path(options.tables) if options.tables else fetched_tables()
    built = build_docent(tables, settings)
    show_funnel(built)
    if not built.works:
        raise InputError("no work is left: lower --least, or are the tables a part?", path=tables)
    statistics = reference_statistics([w.reference for w in built.works], graphs=not options.no_graphs,
                                      progress=sys.stderr.isatty())  # fmt: skip
    card = data_card(built, statistics, constructed=options.example)
    for path in write_layout(built, card, options.output, options.format, constructed=options.example):
        print(path)
    return 0


def show_funnel(built: Build) -> None:
    """The steps of a build and what was odd in its tables, on stderr."""
    for step in built.funnel:
        print(f"{step.left:>9,}  {step.name}", file=sys.stderr)
    for fault in built.faults:
        print(f"posh-lite: note: {fault}", file=sys.stderr)


def _images(options: argparse.Namespace) -> int:
    from tqdm import tqdm

    from posh_lite.benchmarks.docent_layout import read_layout
    from posh_lite.benchmarks.nga_images import Entry, fetch_images, verify_images

    if options.verify:
        bad = verify_images(options.output)
        print(f"{len(bad)} images are gone or not what was fetched" + (f": {', '.join(bad[:10])}" if bad else ""))
        return 1 if bad else 0
    built, constructed = read_layout(options.folder)
    if constructed:
        raise InputError("the constructed example has no images: its addresses lead nowhere", path=options.folder)
    works = [w for w in built.works if options.split in (None, w.split)][: options.number]
    with tqdm(total=len(works), unit=" image", desc="fetching", disable=not sys.stderr.isatty()) as bar:

        def tell(entry: Entry) -> None:
            bar.update(1)
            if entry.status == "failed":
                bar.write(f"posh-lite: note: {entry.uuid}: {entry.reason}", file=sys.stderr)

        done = fetch_images([(w.uuid, w.iiifurl) for w in works], options.output, size=options.size,
                            delay=options.delay, on_image=tell)  # fmt: skip
    print(f"{done.new:,} fetched, {done.there:,} were there, {done.failed:,} failed; {options.output}/manifest.jsonl")
    return 1 if done.failed else 0


def _convert(options: argparse.Namespace) -> int:
    from posh_lite.benchmarks.docent_layout import read_layout, write_layout

    built, constructed = read_layout(options.folder)
    card = (Path(options.folder) / "README.md").read_text("utf-8")
    body = card.split("\n---\n", 1)[1].lstrip("\n") if card.startswith("---\n") else card
    if Path(options.folder).resolve() == Path(options.output).resolve():
        raise InputError("is the build itself; name another folder with -o", path=options.output)
    for path in write_layout(built, body, options.output, options.format, constructed=constructed):
        print(path)
    return 0


def _fetch(options: argparse.Namespace) -> int:
    from posh_lite.benchmarks.docent_hub import fetch_published
    from posh_lite.benchmarks.docent_schema import PUBLISHED

    for name in options.names:
        if name not in PUBLISHED:
            raise InputError(f'no published set named "{name}"; there are {", ".join(PUBLISHED)}')
    wanted = options.names or ("coarse", "granular")
    for published in PUBLISHED:
        if published in wanted:
            print(fetch_published(published, revision=options.revision))
    return 0


def _check(options: argparse.Namespace) -> int:
    from posh_lite.benchmarks.docent import load_docent_coarse, load_docent_granular
    from posh_lite.benchmarks.docent_source import problems_of
    from posh_lite.benchmarks.nga import Faults

    n, columns, problems = problems_of(options.name, options.path)
    print(f"{n:,} rows with the columns {', '.join(columns) or 'none'}")
    for problem in problems:
        print(f"line {problem.line}: {problem.message}" if problem.line else problem.message)
    if problems:
        return 1
    faults = Faults()
    if options.name == "coarse":
        found = load_docent_coarse(options.path, faults=faults)
        print(f"{len(found.comparisons):,} comparisons of {len(found.pairs):,} generations")
    elif options.name == "granular":
        found = load_docent_granular(options.path, faults=faults)
        print(f"{len(found.marks):,} annotated generations")
    for line in faults.lines():
        print(f"repaired: {line}")
    print("can be read")
    return 0
