"""Where the data lies that comes with the package: inside an installed one, or in ``data/`` of a checkout."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from posh_lite.errors import InputError


def find_data(
    name: str, marker: str, *, what: str, advice: str = "", package: Traversable | None = None
) -> Traversable:
    """A folder of data of the package: ``_data/NAME`` inside it, else ``data/NAME`` of the repository.

    Args:
        name: of the folder.
        marker: a file that it must hold.
        what: the data, as an error names it, with its verb ("the tables are").
        advice: what helps in a checkout, after "reinstall posh-lite".
        package: the package's own folder, by default that of ``posh_lite``.

    Raises:
        InputError: neither place holds it; the message names both.
    """
    home = files("posh_lite") if package is None else package
    places: list[Traversable] = [home / "_data" / name]
    if isinstance(home, Path):
        places.append(home.parent / "data" / name)
    for place in places:
        if (place / marker).is_file():
            return place
    looked = " nor ".join(str(place) for place in places)
    raise InputError(f"{what} neither in {looked}; reinstall posh-lite{advice}")
