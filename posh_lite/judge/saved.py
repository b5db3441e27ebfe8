"""What was fitted for a judge, as a JSON file: written whole or not at all, read with errors that say what to do."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posh_lite.errors import InputError
from posh_lite.judge.check import is_finite


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


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a fitted file, held to what they must be; each method raises :class:`InputError` naming the field.

    Attributes:
        row: the object of the file.
        path: of the file, for messages.
    """

    row: Mapping[str, Any]
    path: object = None

    def wrong(self, name: str, wanted: str) -> InputError:
        """The error of a field."""
        return InputError(f'field "{name}" must be {wanted}', path=self.path, field=name)

    def texts(self, *names: str) -> None:
        """Each is a text that is not empty."""
        for name in names:
            value = self.row.get(name)
            if not isinstance(value, str) or not value.strip():
                raise self.wrong(name, "a text that is not empty")

    def choice(self, name: str, known: Sequence[str]) -> None:
        """It is one of the known."""
        if self.row.get(name) not in known:
            raise self.wrong(name, "one of " + ", ".join(known))

    def scores(self, *names: str) -> None:
        """Each lies on the scale of 1 to 5."""
        for name in names:
            if not is_finite(self.row.get(name)) or not 1 <= self.row[name] <= 5:
                raise self.wrong(name, "a number from 1 to 5")

    def counts(self, *names: str) -> None:
        """Each is a whole number of at least 0."""
        for name in names:
            if type(self.row.get(name)) is not int or self.row[name] < 0:
                raise self.wrong(name, "a whole number of at least 0")
