"""Render the book with Jupyter Book 1.x: offline, warnings as errors, skipped when nothing changed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time

from posh_lite.book.cache import site_key
from posh_lite.book.check import check_site
from posh_lite.book.layout import BookError, Layout
from posh_lite.book.slides import write_slides

_NOISE = ("Running Jupyter-Book", "Source Folder", "Config Path", "Output Path", "====", "Building your book", " ")
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


def jupyter_book(layout: Layout, *options: str) -> subprocess.CompletedProcess[str]:
    """Run Jupyter Book on the chapters that lie there; the caller looks at what it said."""
    command = [
        sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build", str(layout.book), "--quiet",
        *options,
    ]
    # a fixed locale and no colour codes, so that a warning reads the same everywhere
    env = {**os.environ, "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "PYTHONWARNINGS": "ignore"}
    return subprocess.run(command, cwd=layout.root, env=env, text=True, capture_output=True, check=False)


def render(layout: Layout, *, force: bool = False) -> bool:
    """Build ``book/_build/html`` and check it; returns False where the present pages are still right.

    Raises:
        BookError: Jupyter Book reports an error or a warning, or a finished page breaks a rule of
            :mod:`posh_lite.book.check`.
    """
    stamp, index = layout.build / ".inputs", layout.html / "index.html"
    key = site_key(layout)
    if not force and index.is_file() and stamp.is_file() and stamp.read_text("utf-8") == key:
        return False
    stamp.unlink(missing_ok=True)
    # pages of an earlier build must not outlive their source
    shutil.rmtree(layout.build if force else layout.html, ignore_errors=True)
    started = time.perf_counter()
    done = jupyter_book(layout, "-W", "-n", "--keep-going")
    if done.returncode != 0:
        said = "\n".join(
            line for line in _ANSI.sub("", done.stdout + done.stderr).splitlines()
            if "WARNING" in line or "ERROR" in line or not line.startswith(_NOISE)
        )
        raise BookError(f"Jupyter Book stopped (exit {done.returncode}):\n{said}")
    if not index.is_file():
        raise BookError("Jupyter Book said that all went well but wrote no index.html")
    write_slides(layout)
    problems = check_site(layout.html)
    if problems:
        shown = "\n".join(f"  {problem}" for problem in problems[:40])
        raise BookError(f"{len(problems)} problems in the finished pages:\n{shown}")
    print(f"  pages rendered and checked in {time.perf_counter() - started:.1f} s", flush=True)
    # the build itself writes nothing that the key covers, so the key of before is the key of now
    stamp.write_text(key, "utf-8")
    return True
