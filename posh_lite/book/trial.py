"""Every chapter with one more setting than its own: ``python -m posh_lite.book try``.

The settings stand in ``book/trials.toml``. They run in a shadow of the checkout, so that figures, chapters and caches
of the book stay what they are.
"""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from posh_lite.book.execute import WORKERS, Run, run_notebook
from posh_lite.book.layout import BookError, Layout
from posh_lite.book.parameters import assign

SETTINGS = "trials.toml"
#: What a shadow borrows; everything else in it is its own.
_BORROWED = ("data", "examples", "notebooks", "posh_lite", "pyproject.toml", "book")


def trials(layout: Layout) -> dict[str, dict[str, Any]]:
    """The settings by the stem of the notebook.

    Raises:
        BookError: the file is no TOML, or its chapters are not those of the book.
    """
    path = layout.book / SETTINGS
    try:
        found: dict[str, dict[str, Any]] = tomllib.loads(path.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise BookError(f"{path}: {error}") from error
    stems = {source.stem for source in layout.sources()}
    if set(found) != stems:
        odd = sorted(set(found) ^ stems)
        raise BookError(f"{path}: every notebook needs one more setting, and there is none or no notebook for"
                        f" {', '.join(odd)}")
    for stem, values in found.items():
        if not values:
            raise BookError(f"{path}: {stem} sets nothing")
    return found


@contextmanager
def shadow(layout: Layout) -> Iterator[Path]:
    """A folder that looks like the checkout, with figures of its own."""
    with tempfile.TemporaryDirectory(prefix="posh-lite-trial-") as name:
        root = Path(name).resolve()
        for part in _BORROWED:
            (root / part).symlink_to(layout.root / part)
        (root / "figures").mkdir()
        yield root


def try_all(layout: Layout, chosen: Sequence[Path], *, workers: int = WORKERS) -> list[Run]:
    """Run the chosen notebooks, each with its further setting; outcomes in their order.

    Raises:
        BookError: a setting is not among the parameters of its notebook, or see :func:`trials`.
    """
    settings = trials(layout)
    jobs: dict[Path, Mapping[str, Any]] = {}
    for source in chosen:
        jobs |= assign({name: str(value) for name, value in settings[source.stem].items()}, [source])
    context = multiprocessing.get_context("spawn")
    with shadow(layout) as root, ProcessPoolExecutor(min(workers, len(jobs)), mp_context=context) as pool:
        futures = {
            source: pool.submit(run_notebook, str(root), str(source), str(root / source.name), dict(values), os.devnull)
            for source, values in jobs.items()
        }
        runs = []
        for source, future in futures.items():
            done = future.result()
            runs.append(Run(source.stem, done["seconds"], error=done["error"]))
            shown = ", ".join(f"{k}={v!r}"[:48] for k, v in settings[source.stem].items())
            print(f"  {source.stem}: {'FAILED' if done['error'] else 'ran'} in {done['seconds']:.1f} s with {shown}",
                  flush=True)
    return runs
