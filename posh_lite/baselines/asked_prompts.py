"""Prompts of metrics that ask a model: TOML files in our words, checked when they are read, filled in safely."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posh_lite.baselines.reply import Scale
from posh_lite.errors import InputError
from posh_lite.judge.check import is_finite
from posh_lite.judge.prompts import fill, inert

_FOLDER = Path(__file__).with_name("prompts")
_FIELD = re.compile(r"\{([a-z_]+)\}")
#: Marks that processors of vision models replace by a picture.
_IMAGE_MARK = re.compile(r"<(?=/?(?:image|img|video|im_patch)>)|\[(?=/?IMG(?:_BREAK|_END)?\])", re.IGNORECASE)
#: Fields of any template; other braces can stand in a prompt.
_KNOWN = frozenset({"generation", "reference", "rubric", "units", "standard"})
#: Templates of a file by "section.name", each with the fields that it has to use.
Wanted = Mapping[str, frozenset[str]]


def shown(text: str) -> str:
    """A text of someone as a message shows it: marks of chat templates and of pictures are broken up by a blank."""
    return _IMAGE_MARK.sub(r"\g<0> ", inert(text))


@dataclass(frozen=True, slots=True)
class AskedPrompts:
    """A checked file.

    Attributes:
        templates: by "section.name".
        scale: of the numbers that are asked for.
        digest: SHA-256 of the file in hexadecimal.
    """

    templates: Mapping[str, str]
    scale: Scale
    digest: str

    def message(self, name: str, **values: str) -> str:
        """A template filled in; braces and per cent signs of the values stay what they are."""
        return fill(self.templates[name], {key: shown(value) for key, value in values.items()})


def load_asked(
    default: str, wanted: Wanted, path: str | Path | None = None, *, scaled: bool = True
) -> AskedPrompts:
    """Read and check a file of prompts.

    Args:
        default: name of the package's own file, such as "scores.toml".
        wanted: what has to be in it.
        path: a file of the user's instead.
        scaled: whether it asks for numbers, whose range is in its section [scale].

    Raises:
        InputError: no such file, not TOML, a template is missing or has a wrong field, or the scale is none.
    """
    where = _FOLDER / default if path is None else Path(path)
    try:
        data = where.read_bytes()
    except OSError as error:
        raise InputError(f"prompt file cannot be read: {error.strerror}", path=where) from None
    try:
        tables = tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"not a valid TOML file: {error}", path=where) from None
    templates = {name: _template(tables, name, fields, where) for name, fields in wanted.items()}
    scale = _scale(tables, where) if scaled else Scale(0, 1)
    return AskedPrompts(templates, scale, hashlib.sha256(data).hexdigest())


def _template(tables: Mapping[str, Any], whole: str, fields: frozenset[str], path: Path) -> str:
    section, _, name = whole.partition(".")
    part = tables.get(section)
    value = part.get(name) if isinstance(part, dict) else None
    if not isinstance(value, str) or not value.strip():
        raise InputError(f'template "{name}" is missing in section [{section}]', path=path, field=name)
    used = set(_FIELD.findall(value)) & _KNOWN
    for field in sorted(fields - used):
        raise InputError(f'template [{section}] {name} must contain "{{{field}}}"', path=path, field=name)
    for field in sorted(used - fields):
        raise InputError(f'template [{section}] {name} cannot use "{{{field}}}"', path=path, field=name)
    return value.strip("\n")


def _scale(tables: Mapping[str, Any], path: Path) -> Scale:
    part = tables.get("scale", {})
    low, high = (part.get("low"), part.get("high")) if isinstance(part, dict) else (None, None)
    if low is None or high is None or not is_finite(low) or not is_finite(high) or not low < high:
        raise InputError("section [scale] needs two numbers, low below high", path=path, field="scale")
    return Scale(float(low), float(high))
