"""For modules that are run as programs: no complaint where the reader of the output has gone ("| head")."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable


def until_reader_goes(main: Callable[[], int]) -> int:
    """Run a program; returns its exit status, or 1 where nobody reads its output any more."""
    try:
        code = main()
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # Python would complain again at exit, when it flushes
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
