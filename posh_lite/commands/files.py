"""Files that a command is told to write: what must not happen to them is found before the work begins."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from posh_lite.errors import InputError


def check_target(target: str, source: str, *, replaced: bool = False, changed: bool = True) -> None:
    """Find out whether a file can be written without harm.

    Args:
        target: name of the file; "-" (standard output) is always fine.
        source: name of the input file, or "-" for standard input.
        replaced: whether a finished file is moved into place, which takes a folder that can be written.
        changed: False for a file that is only read.

    Raises:
        InputError: it is a folder or the input, its folder does not exist, or it cannot be written.
    """
    if target == "-":
        return
    path = Path(target)
    if path.is_dir():
        raise InputError("is a folder, expected a file name", path=target)
    folder = path.absolute().parent
    if not folder.is_dir():
        raise InputError(f"the folder {folder} does not exist", path=target)
    if _same(path, source):
        raise InputError("is the input file and would be overwritten; choose another name", path=target)
    if changed and not os.access(path if path.exists() and not replaced else folder, os.W_OK):
        raise InputError("cannot be written: no permission, or a read-only file system", path=target)


def _same(path: Path, source: str) -> bool:
    """Whether a target is the input file, also where a shell feeds it to standard input."""
    try:
        if source != "-":
            return path.samefile(source)
        here = os.fstat(0)
        return stat.S_ISREG(here.st_mode) and os.path.samestat(path.stat(), here)
    except OSError:
        return False
