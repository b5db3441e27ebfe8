"""Stand in the checkout: notebooks name files from its root, and Jupyter starts them in their own folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def stand_in_root() -> None:
    """In a kernel that was started in the folder ``notebooks`` of a checkout, go to the checkout itself.

    Nothing happens anywhere else: under papermill the checkout is the working folder already, and a script keeps its
    own.
    """
    here = Path.cwd()
    root = here.parent
    if "ipykernel" in sys.modules and here.name == "notebooks" and (root / "book" / "_config.yml").is_file():
        os.chdir(root)
