"""All exercises, in the order of the chapters."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib import import_module

from posh_lite.errors import InputError
from posh_lite.teach.kit import Exercise

_MODULES = ("metric", "evaluation", "position", "reward")


@cache
def exercises() -> tuple[Exercise, ...]:
    """Every exercise.

    Raises:
        ValueError: two have the same name.
    """
    found = [e for name in _MODULES for e in import_module(f"posh_lite.teach.on_{name}").EXERCISES]
    names = [e.name for e in found]
    if len(set(names)) < len(names):
        raise ValueError("two exercises have the same name")
    return tuple(found)


def exercise_named(name: str) -> Exercise:
    """The exercise of a name.

    Raises:
        InputError: there is none; close names are given.
    """
    by_name = {e.name: e for e in exercises()}
    if name not in by_name:
        near = get_close_matches(name, by_name, 3, 0.4)
        raise InputError(f"no exercise {name!r}" + (f"; did you mean {', '.join(near)}?" if near else ""))
    return by_name[name]
