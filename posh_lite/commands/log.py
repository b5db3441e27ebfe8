"""``posh-lite log``: look into verdict logs, hand them on without texts, put several together."""

from __future__ import annotations

import argparse
import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from posh_lite.commands.files import check_target
from posh_lite.errors import InputError, LogError
from posh_lite.judge.contract import Verdict
from posh_lite.judge.lists import listed
from posh_lite.judge.log import VerdictLog
from posh_lite.judge.merge import EXPORTS, contents, is_export, merge_log
from posh_lite.judge.replay import export_log

_ABOUT = """A verdict log (SQLite) keeps every answer of a judge under a hash of the judge's signature and of the
prompt. It holds no texts but the judge's own words, which may quote them. `posh-lite score --log FILE` writes one and
asks nothing again that it holds; with `--judge replay` it scores from the log alone, without any model."""
_EPILOG = """examples:
  posh-lite log info verdicts.sqlite
  posh-lite log export verdicts.sqlite -o verdicts.jsonl.gz          (hashes and verdicts alone, to hand on)
  posh-lite score pairs.jsonl --judge replay --log verdicts.jsonl.gz (an export replays as it is)
  posh-lite log import verdicts.jsonl.gz --into verdicts.sqlite      (to go on asking from there)
  posh-lite log merge machine1.sqlite machine2.sqlite --into all.sqlite
"""
_LOW = 0.5  # mass below which an answer is counted as a doubtful one


def add_parser(commands: Any) -> None:
    """Declare the command and its parts."""
    command = commands.add_parser(
        "log", help="look into verdict logs, export, import and merge them", description=_ABOUT, epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parts = command.add_subparsers(dest="part", metavar="PART", required=True)
    info = parts.add_parser("info", help="judges, counts, means and size of logs and exports")
    info.add_argument("logs", metavar="LOG", nargs="+", help="a verdict log, or an export (.jsonl, .jsonl.gz)")
    info.set_defaults(run=run_info)
    export = parts.add_parser(
        "export", help="write a compact file of hashes and verdicts, without any text",
        description="Write a log as JSON Lines, to be handed on: no texts, nothing of what the judge said around its"
        " verdicts; rewritten identifiers can be read only by who has the texts. `--judge replay` reads it.",
    )
    export.add_argument("log", metavar="LOG", help="the verdict log")
    export.add_argument("-o", "--output", metavar="FILE", required=True,
                        help="ends in .jsonl or .jsonl.gz (compressed); an existing file is replaced")
    export.set_defaults(run=run_export)
    for name, many, about in (
        ("import", False, "put an export into a verdict log"), ("merge", True, "put several logs or exports into one"),
    ):
        part = parts.add_parser(
            name, help=about, description=f"{about[0].upper()}{about[1:]}. What the target holds already stays as it"
            " is; verdicts that differ from it are counted.",
        )
        part.add_argument("logs", metavar="LOG" if many else "EXPORT", nargs="+" if many else 1,
                          help="a verdict log, or an export (.jsonl, .jsonl.gz)")
        part.add_argument("--into", metavar="LOG", required=True, help="the target; made if it is not there")
        part.set_defaults(run=run_merge)


@dataclass(slots=True)
class _Tally:
    """Running figures of one judge's verdicts."""

    verdicts: int = 0
    missing: int = 0
    low: int = 0
    rewrites: int = 0
    unusable: int = 0
    mean: float = 0.0
    squares: float = 0.0  # sum of squared distances to the mean
    counts: list[int] = field(default_factory=lambda: [0] * 5)  # of rounded scores

    def see(self, verdict: Verdict) -> None:
        self.verdicts += 1
        if verdict.score is None:
            self.missing += 1
            return
        self.low += verdict.mass is not None and verdict.mass < _LOW
        step = verdict.score - self.mean
        self.mean += step / (self.verdicts - self.missing)
        self.squares += step * (verdict.score - self.mean)
        self.counts[min(5, max(1, math.floor(verdict.score + 0.5))) - 1] += 1

    def lines(self) -> list[tuple[str, str]]:
        """Name and value of each figure."""
        read = self.verdicts - self.missing
        found = [("verdicts", f"{self.verdicts:,}, of them {self.missing:,} missing")]
        if read:
            spread = f", sd {math.sqrt(self.squares / (read - 1)):.3f}" if read > 1 else ""
            shares = ", ".join(f"{n}: {count / read:.0%}" for n, count in enumerate(self.counts, start=1))
            found.append(("scores", f"mean {self.mean:.3f}{spread} ({shares})"))
        if self.low:
            found.append(("low mass", f"{self.low:,} with less than {_LOW:.0%} of the probability on the answers"))
        if self.rewrites:
            found.append(("rewrites", f"{self.rewrites:,}, of them {self.unusable:,} of no use"))
        return found


def run_info(options: argparse.Namespace) -> int:
    """Print what logs hold."""
    for number, path in enumerate(options.logs):
        _there(path)
        with contents(path) as found:
            tallies = {signature: _Tally() for signature in found.judges}
            for _, judge, verdict in found.verdicts:
                tallies.setdefault(judge, _Tally()).see(verdict)
            for _, judge, phrase in found.rewrites:
                tally = tallies.setdefault(judge, _Tally())
                tally.rewrites += 1
                tally.unusable += phrase is None
        kind = "export" if is_export(path) else "verdict log"
        total = sum(t.verdicts for t in tallies.values())
        many = f"{len(tallies)} judge{'' if len(tallies) == 1 else 's'}"
        print(("\n" if number else "") + f"{path}: {kind}, {_size(path)}, {total:,} verdicts of {many}")
        for judge, tally in tallies.items():
            print(f"  judge      {judge}")
            if judge in found.judges:
                threshold, structural = found.judges[judge]
                print(f"  threshold  {threshold:g}")
                key = "prompt and scene graph" if structural else "prompt"
                print(f"  keyed by   {key}{' and the list that it is asked in' if listed(judge) else ''}")
            for name, value in tally.lines():
                print(f"  {name:<9}  {value}")
    return 0


def run_export(options: argparse.Namespace) -> int:
    """Write a log without texts."""
    _there(options.log)
    if is_export(options.log):
        raise InputError("is an export already; copy it", path=options.log)
    if not options.output.endswith(EXPORTS):
        raise InputError("the name of an export ends in .jsonl or .jsonl.gz", path=options.output)
    check_target(options.output, options.log, replaced=True)
    count = export_log(options.log, options.output)
    print(f"{options.output}: {count:,} verdicts, {_size(options.output)}")
    return 0


def run_merge(options: argparse.Namespace) -> int:
    """Put logs and exports into one log."""
    if is_export(options.into):
        raise InputError("is the name of an export; name a log otherwise, such as verdicts.sqlite", path=options.into)
    for path in options.logs:
        _there(path)
        check_target(options.into, path)
    with VerdictLog(options.into) as target:
        for path in options.logs:
            done = merge_log(path, target)
            differing = f", {done.differing:,} differ from it" if done.differing else ""
            rewrites = f"; {done.rewrites:,} rewrites" if done.rewrites else ""
            print(f"{path}: {done.verdicts:,} verdicts, {done.new:,} new to {options.into}{differing}{rewrites}")
        print(f"{options.into}: {len(target):,} verdicts")
    return 0


def _there(path: str) -> None:
    if not Path(path).is_file():
        raise LogError(f"{path}: no such verdict log")


def _size(path: str) -> str:
    """Of the file and, for a log in use, of what is not yet in it."""
    wal = f"{path}-wal"
    size = float(os.path.getsize(path) + (os.path.getsize(wal) if os.path.exists(wal) else 0))
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
