"""Committed notebooks: no outputs, no run marks, cell ids that stay the same."""

from __future__ import annotations

import copy
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from posh_lite.book.layout import BookError, Layout

#: What a committed notebook says about its kernel: nothing that differs between machines.
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
_KEPT = {"tags", "mystnb", "slideshow"}
_STABLE_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def notebook_format() -> Any:
    """The module ``nbformat``, whose functions carry no types."""
    return import_module("nbformat")


def stripped(notebook: Any) -> Any:
    """A copy without outputs, execution counts and run marks; the ids are kept."""
    clean = copy.deepcopy(notebook)
    clean["metadata"] = {"kernelspec": dict(KERNEL), "language_info": {"name": "python"}}
    clean["nbformat"], clean["nbformat_minor"] = 4, 5
    for cell in clean["cells"]:
        cell["metadata"] = {name: value for name, value in cell["metadata"].items() if name in _KEPT}
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
    return clean


def id_problems(notebook: Any) -> list[str]:
    """Cell ids that are missing, doubled or random: an id is lower-case words with hyphens."""
    found, seen = [], set()
    for number, cell in enumerate(notebook["cells"]):
        name = cell.get("id", "")
        random_looking = re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){0,3}.*", name) and re.search(r"\d", name)
        if not _STABLE_ID.fullmatch(name) or random_looking:
            found.append(f"cell {number}: the id '{name}' is not a stable name (words with hyphens)")
        elif name in seen:
            found.append(f"cell {number}: the id '{name}' is used twice")
        seen.add(name)
    return found


def strip_all(layout: Layout, *, verify: bool = False) -> None:
    """Strip every notebook in place, or with ``verify`` only say which are not stripped.

    Raises:
        BookError: ids that are not stable, or with ``verify`` a notebook that is not stripped.
    """
    nbformat = notebook_format()
    problems: list[str] = []
    for path in layout.sources():
        before = nbformat.read(path, as_version=4)
        problems += [f"{path.name}: {problem}" for problem in id_problems(before)]
        after = nbformat.from_dict(stripped(before))
        text = nbformat.writes(after).rstrip("\n") + "\n"
        if text != path.read_text("utf-8"):
            if verify:
                problems.append(f"{path.name}: not stripped; run python -m posh_lite.book strip")
            else:
                Path(path).write_text(text, "utf-8")
                print(f"stripped {path.name}")
    if problems:
        raise BookError("\n".join(problems))
