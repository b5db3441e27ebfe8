"""What was fitted for a judge, as a JSON file: written whole or not at all, read with errors that say what to do."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from posh_lite.errors import InputError


def write_json(path: str | Path, row: Mapping[str, Any]) -> None:
    """Write as JSON; a file of the name is replaced at once or not at all."""
    part = Path(f"{path}.part")
    part.write_text(json.dumps(row, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    os.replace(part, path)


def read_json(path: str | Path, *, absent: str, wrong: str) -> Any:
    """Read a JSON file.

    Args:
        path: the file.
        absent: what to say where there is no such file, with how to make one.
        wrong: what a file that is not JSON is not, such as "no calibration".

    Raises:
        InputError: no such file, it cannot be read, or it is not JSON.
    """
    try:
        return json.loads(Path(path).read_bytes().decode("utf-8"))
    except FileNotFoundError:
        raise InputError(absent, path=path) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{wrong}: not valid JSON ({error})", path=path) from None
