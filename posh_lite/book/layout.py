"""Where the parts of the book lie in a checkout: the only module that knows the folder names."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from posh_lite.errors import PoshLiteError

_NOTEBOOK = re.compile(r"\d\d_[a-z0-9_]+\.ipynb")


class BookError(PoshLiteError):
    """The book cannot be built; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The folders of one checkout."""

    root: Path

    @property
    def notebooks(self) -> Path:
        return self.root / "notebooks"

    @property
    def book(self) -> Path:
        return self.root / "book"

    @property
    def chapters(self) -> Path:
        """Executed notebooks, the sources of the chapters (not in git)."""
        return self.book / "chapters"

    @property
    def build(self) -> Path:
        return self.book / "_build"

    @property
    def html(self) -> Path:
        return self.build / "html"

    @property
    def figures(self) -> Path:
        return self.root / "figures"

    @property
    def results(self) -> Path:
        return self.root / "data" / "results"

    @property
    def cache(self) -> Path:
        return self.root / ".cache" / "book"

    def sources(self) -> list[Path]:
        """The notebooks of the book (``NN_name.ipynb``) in chapter order."""
        return sorted(p for p in self.notebooks.glob("*.ipynb") if _NOTEBOOK.fullmatch(p.name))


def find_layout(start: str | Path | None = None) -> Layout:
    """The checkout that holds ``start`` (default: the working folder, then this file).

    Raises:
        BookError: neither lies in a checkout with ``pyproject.toml`` and ``book/_config.yml``.
    """
    starts = [Path(start)] if start is not None else [Path.cwd(), Path(__file__).resolve().parent]
    for first in starts:
        for folder in (first.resolve(), *first.resolve().parents):
            if (folder / "pyproject.toml").is_file() and (folder / "book" / "_config.yml").is_file():
                return Layout(folder)
    raise BookError("no checkout of posh-lite found here: run this from the folder that holds book/_config.yml")


def data_root() -> Path | None:
    """The folder that ``POSH_LITE_DATA`` names, or None where it is unset or absent."""
    value = os.environ.get("POSH_LITE_DATA", "").strip()
    folder = Path(value).expanduser() if value else None
    return folder if folder is not None and folder.is_dir() else None
