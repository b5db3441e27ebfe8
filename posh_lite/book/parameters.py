"""Declared parameters of a notebook, and overrides checked against them.

papermill only warns about a parameter that no notebook declares, and guesses types from the text ("1e3"
becomes a float). Here a name that is not declared is an error, and the declared default fixes the type.
"""

from __future__ import annotations

import ast
import difflib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from posh_lite.book.layout import BookError
from posh_lite.book.notebooks import notebook_format

#: A parameter value as it stands in a notebook's ``parameters`` cell.
Value = Any


def declared(notebook: Path) -> dict[str, Value]:
    """Name and default of each parameter in the cell tagged ``parameters``, in the order written.

    Raises:
        BookError: no such cell, more than one, or a default that is not a literal.
    """
    import papermill

    tagged = [
        cell for cell in notebook_format().read(notebook, as_version=4).cells
        if "parameters" in cell.get("metadata", {}).get("tags", [])
    ]
    if len(tagged) != 1:
        raise BookError(f"{notebook.name}: expected one cell tagged 'parameters', found {len(tagged)}")
    found: dict[str, Value] = {}
    for name, info in papermill.inspect_notebook(str(notebook)).items():
        try:
            found[name] = ast.literal_eval(info["default"])
        except (ValueError, SyntaxError):
            raise BookError(
                f"{notebook.name}: the default of '{name}' is not a literal ({info['default']})"
            ) from None
    return found


def convert(name: str, text: str, default: Value) -> Value:
    """Read ``text`` as the type of ``default``: bool, int, float, str, list or dict; "none" where None is declared.

    >>> convert("model", "1e3", "lexical"), convert("n", "12", 5), convert("level", "1e-1", 0.95)
    ('1e3', 12, 0.1)

    Raises:
        BookError: the text is not of that type.
    """
    kind = type(default).__name__
    try:
        if isinstance(default, bool):
            return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}[text.lower()]
        if isinstance(default, int):
            return int(text)
        if isinstance(default, float):
            return float(text)
        if isinstance(default, str):
            return text
        if default is None:
            return None if text.lower() in ("", "none") else text
        value = json.loads(text)
        if not isinstance(value, type(default)):
            raise ValueError
        return value
    except (KeyError, ValueError):
        raise BookError(f"parameter {name}={text}: expected {kind} (the default is {default!r})") from None


def parse_overrides(given: Sequence[str]) -> dict[str, str]:
    """Split ``NAME=VALUE`` strings; the value stays text until a notebook's declaration gives it a type.

    Raises:
        BookError: an item without ``=`` or without a name, or a name given twice.
    """
    overrides: dict[str, str] = {}
    for item in given:
        name, equals, value = item.partition("=")
        name = name.strip()
        if not equals or not name.isidentifier():
            raise BookError(f"-p {item}: expected NAME=VALUE")
        if name in overrides:
            raise BookError(f"-p {name} is given twice")
        overrides[name] = value
    return overrides


def assign(overrides: Mapping[str, str], notebooks: Sequence[Path]) -> dict[Path, dict[str, Value]]:
    """For each notebook, the overrides that it declares and that differ from its defaults.

    Raises:
        BookError: an override that none of the notebooks declares, with the nearest declared name.
    """
    declarations = {notebook: declared(notebook) for notebook in notebooks}
    known = sorted({name for names in declarations.values() for name in names})
    for name in overrides:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise BookError(f"no notebook declares the parameter '{name}'{hint} (declared: {', '.join(known)})")
    return {
        notebook: {
            name: value
            for name, text in overrides.items()
            if name in names and (value := convert(name, text, names[name])) != names[name]
        }
        for notebook, names in declarations.items()
    }
