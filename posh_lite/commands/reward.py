"""``posh-lite reward``: what a reward pays a caption for, term by term, and what edits of the caption would earn."""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError
from posh_lite.records import read_pairs
from posh_lite.reward.settings import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from posh_lite.records import Pair
    from posh_lite.reward.microscope import Microscope, Slide

_EPILOG = """what it does:
  Scores each caption with the PAGER reward (claims supported, fine details in the middle, a specific tail, length) and
  with PoSh as a reward, by the embedded judges, as the reward functions for TRL do.
    unguarded  the paper's terms to the letter
    full       the same with guards against copies, padding and hedging (default)
  Others leave a term out or replace it, as in the paper's ablations. The length is in approximate tokens.

  --edits takes each caption and cuts, repeats, pads, falsifies and rearranges it. Every edited text is verified anew
  and scored anew; the page shows what was changed, what each term makes of it, and whether an honest reward would.

input:
  One JSON object a line: id, generation, reference; "model" and "image" are optional. With several references, the
  edit "a detail of another picture" takes the first sentence of another one.

output, in DIR:
  index.html   captions by quarter with what each term counts; with --edits the microscope
  rewards.csv  a row a caption: its terms under each reward
  edits.csv    with --edits: a row an edit and reward: the changes, what an honest reward does, and what this one does

examples:
  posh-lite reward captions.jsonl -o rewards
  posh-lite reward captions.jsonl --variant unguarded --edits -o rewards
  posh-lite reward captions.jsonl --edits --only hedge,double --limit 3 -o rewards
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    command = commands.add_parser(
        "reward", help="what a reward pays a caption for, and whether edits can game it", epilog=_EPILOG,
        description="Score captions with rewards for training, term by term, and look at edits of them.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("captions", metavar="CAPTIONS.jsonl", help='pairs, one JSON object a line; "-" reads stdin')
    command.add_argument("-o", "--output", required=True, metavar="DIR", help="folder for everything that is written")
    command.add_argument("--variant", choices=tuple(VARIANTS), default="full",
                         help="the PAGER reward that is shown first and by which captions are sorted (default: full)")
    command.add_argument("--edits", action="store_true", help="look at edits of every caption, too")
    command.add_argument("--only", metavar="NAMES", help="these edits, parted by commas (default: all)")
    command.add_argument("--limit", type=int, metavar="N", help="only the first N captions")
    command.add_argument("--no-posh", action="store_true", help="leave out PoSh as a reward")
    command.add_argument("--seed", type=int, default=0, help="of what edits leave to chance (default: 0)")
    command.add_argument("--quiet", action="store_true", help="no bar, and no table on standard output")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Score, write and print. See :func:`add_parser` for the options."""
    from posh_lite.reward.microscope import LETTER, TOTAL, Microscope
    from posh_lite.reward.microscope_page import page

    if options.limit is not None and options.limit < 1:
        raise InputError(f"--limit must be at least 1, got {options.limit}")
    names = _edits(options)
    place = Path(options.output)
    if place.exists() and not place.is_dir():
        raise InputError("is a file, expected a folder", path=place)
    pairs = list(read_pairs(options.captions))
    if not pairs:
        raise InputError("no captions in it", path=options.captions)
    variants = list(dict.fromkeys([options.variant, LETTER, "full"]))
    microscope = Microscope(variants if not options.edits else list(dict.fromkeys([*variants, *VARIANTS])),
                            posh=not options.no_posh, seed=options.seed)
    slides = _slides(microscope, pairs, options.limit, names, quiet=options.quiet)
    place.mkdir(parents=True, exist_ok=True)
    written = [_write(place / "rewards.csv", _reward_rows(slides))]
    if options.edits:
        written.append(_write(place / "edits.csv", _edit_rows(slides)))
    text = page(slides, microscope.signatures, first=options.variant)
    (place / "index.html").write_text(text, encoding="utf-8")
    written.append(place / "index.html")
    if not options.quiet:
        for slide in sorted(slides, key=lambda s: -s.base.values[options.variant][TOTAL]):
            told = ", ".join(f"{k} {v:.3f}" for k, v in slide.base.values[options.variant].items() if k != TOTAL)
            print(f"{slide.base.values[options.variant][TOTAL]:7.3f}  {slide.pair.id}  ({told})")
        if options.edits:
            print(_gamed(slides, options.variant))
        print(f"posh-lite: wrote {', '.join(p.name for p in written)} to {place}", file=sys.stderr)
    return 0


def _edits(options: argparse.Namespace) -> list[str]:
    """Names of the edits to make; none without --edits.

    Raises:
        InputError: --only names one that is not there, or stands without --edits.
    """
    from posh_lite.reward.edits import kinds

    every = list(kinds())
    if options.only is None:
        return every if options.edits else []
    if not options.edits:
        raise InputError("--only is for --edits; it is not given")
    chosen = [n.strip() for n in options.only.split(",") if n.strip()]
    for name in chosen:
        if name not in every:
            raise InputError(f'--only: no edit "{name}"; there are {", ".join(every)}')
    return chosen


def _slides(
    microscope: Microscope, pairs: Sequence[Pair], limit: int | None, names: list[str], *, quiet: bool
) -> list[Slide]:
    from tqdm import tqdm

    from posh_lite.reward.microscope import other_sentences

    strangers = other_sentences(pairs)
    bar = tqdm(pairs[:limit], desc="captions", unit="caption", disable=True if quiet else None)
    return [microscope.slide(p, names=names, strangers=strangers[p.reference]) for p in bar]


def _reward_rows(slides: Sequence[Slide]) -> list[dict[str, Any]]:
    return [
        {"id": s.pair.id, "model": s.pair.model or "", "reward": name, "part": part, "value": f"{value:.6f}"}
        for s in slides for name, values in s.base.values.items() for part, value in values.items()
    ]


def _edit_rows(slides: Sequence[Slide]) -> list[dict[str, Any]]:
    from posh_lite.reward.microscope import TOTAL, verdict

    rows = []
    for s in slides:
        for t in s.trials:
            for name in s.base.values:
                change = s.change(t, name)
                rows += [{
                    "id": s.pair.id, "edit": t.edited.name, "reward": name, "part": part, "change": f"{value:.6f}",
                    "should": t.edited.should, "verdict": verdict(t.edited.should, change[TOTAL]),
                } for part, value in change.items()]
        rows += [{"id": s.pair.id, "edit": r.name, "reward": "", "part": "", "change": "", "should": "",
                  "verdict": f"not made: {r.why}"} for r in s.refused]
    return rows


def _write(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]) if rows else ["id"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


def _gamed(slides: Sequence[Slide], reward: str) -> str:
    """How many captions each edit games, a line each."""
    from posh_lite.reward.edits import kinds
    from posh_lite.reward.microscope import TOTAL, verdict

    lines = []
    for kind in kinds().values():
        said = [verdict(t.edited.should, s.change(t, reward)[TOTAL])
                for s in slides for t in s.trials if t.edited.name == kind.name]
        if said:
            counts = ", ".join(f"{said.count(v)} {v}" for v in dict.fromkeys(said))
            lines.append(f"  {kind.title}: {counts}")
    return f"edits under {reward}:\n" + "\n".join(lines)
