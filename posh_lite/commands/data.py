"""``posh-lite data``: which datasets there are, where they lie, and getting them."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from posh_lite.benchmarks.catalog import DATASETS, SETTING, Found, dataset, folders, locate
from posh_lite.benchmarks.download import fetch
from posh_lite.benchmarks.nga_fetch import fetch_changing, read_pin
from posh_lite.errors import InputError, PoshLiteError

_EPILOG = f"""Files are looked for under {SETTING} first, then in the cache folder.

examples:
  posh-lite data list
  posh-lite data fetch iiw400 docci_test
  posh-lite data fetch nga_objects nga_images
  posh-lite data verify

Some files change from day to day: they are fetched at one commit, named as NAME@COMMIT or else the newest, and the
hash of what came is recorded beside them (FILE.pin.json) and verified from then on. They are fetched only by name.
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    command = commands.add_parser(
        "data", help="list, fetch and verify datasets", epilog=_EPILOG,
        description="Datasets that the package can use.", formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = command.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="what there is, under which licence, and what is here")
    listing.set_defaults(run=_list)
    for name, run, about in (("fetch", _fetch, "download with a pinned hash; goes on with a broken download"),
                             ("verify", _verify, "compare what is here with the pinned hashes")):
        action = actions.add_parser(name, help=about)
        action.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(DATASETS)} (default: all)")
        action.set_defaults(run=run)


def _list(options: argparse.Namespace) -> int:
    for entry in DATASETS.values():
        found = locate(entry.name)
        print(f"{entry.name}  ({entry.licence}, github.com/{entry.repo})")
        rows = "changes from day to day" if entry.changing else f"{entry.rows} {'row' if entry.rows == 1 else 'rows'}"
        print(f"  {entry.about}; {rows}")
        print(f"  {_where(found)}")
    searched = [f"{folder}" + ("" if folder.is_dir() else " (no such folder)") for folder in folders()]
    print(f"searched: {', '.join(searched)}")
    return 0


def _where(found: Found) -> str:
    if found.path is None:
        entry = found.dataset
        if entry.address is not None or entry.changing:
            return f"not here; posh-lite data fetch {entry.name}"
        path = entry.excerpt[0] if entry.excerpt else entry.path
        return f"not here and not for download; a copy goes under {SETTING} as {path}"
    rows = found.dataset.excerpt[1] if found.excerpt and found.dataset.excerpt else None
    return f"here: {found.path}" + (f" (an excerpt of {rows} rows)" if rows else "")


def _fetch(options: argparse.Namespace) -> int:
    failed = 0
    for given in options.names or [n for n, d in DATASETS.items() if d.address]:
        name, at, commit = given.partition("@")
        entry = dataset(name)
        print(f"{name}: {entry.licence}, github.com/{entry.repo}", file=sys.stderr)
        progress = _progress if sys.stderr.isatty() else None
        try:
            if at and not entry.changing:
                raise InputError(f"{name} is pinned already: name it without a commit")
            path = fetch_changing(entry, commit=commit, on_progress=progress) if at else fetch(
                entry, on_progress=progress)
        except PoshLiteError as error:
            print(f"posh-lite: error: {error}", file=sys.stderr)
            failed += 1
        else:
            print(path)
    return 1 if failed else 0


def _progress(have: int, total: int | None) -> None:
    print(f"\r{have:,}" + (f" of {total:,}" if total else "") + " bytes", end="\n" if have == total else "",
          file=sys.stderr, flush=True)


def _unrecorded(found: Found) -> bool:
    """Whether this is a changing file of which nothing was recorded, so that nothing can be verified."""
    return found.dataset.changing and found.path is not None and read_pin(found.path) is None


def _verify(options: argparse.Namespace) -> int:
    """0 if everything that is here is as pinned (and everything that was named is here), else 1."""
    bad = 0
    for name in options.names or list(DATASETS):
        found = locate(dataset(name).name, verify=True)
        said = {
            "ok": "ok", "excerpt": "ok (excerpt)", "absent": "not here",
            "changed": "CHANGED: not the pinned file; remove it and fetch it again",
        }[found.status]
        if _unrecorded(found):
            said = "here, but no hash was recorded of it: it came in another way than by `posh-lite data fetch`"
        bad += found.status == "changed" or (found.status == "absent" and bool(options.names))
        print(f"{name}: {said}" + (f"  {found.path}" if found.path else ""))
    return 1 if bad else 0
