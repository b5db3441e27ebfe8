"""The options that name and set up a judge, shared by the commands that ask one."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

from posh_lite.errors import InputError
from posh_lite.judge.llm.answers import SCALES
from posh_lite.judge.registry import JUDGES

#: Settings that have an option of their own, by the name they would have as a keyword.
_ELSEWHERE = {"log": "--log", "threshold": "--threshold"}


def add_judge_options(parser: Any) -> None:
    """Declare ``--judge``, ``--scale`` and ``--judge-option``; :func:`judge_options` reads the last two."""
    parser.add_argument("--judge", default="lexical", metavar="NAME[:MODEL]",
                        help="lexical (default), replay (replay:SIGNATURE where a log holds several), a language model"
                        " (such as gguf:model.gguf), another of `posh-lite doctor`, or module:Class")
    parser.add_argument("--scale", choices=SCALES,
                        help="how a language model answers: by a digit from 1 to 5 whose probabilities are read, by"
                        " yes or no read likewise, or by sampled digits, for servers that give no probabilities"
                        " (default: the judge's)")
    parser.add_argument("--judge-option", action="append", default=[], metavar="NAME=VALUE", dest="judge_options",
                        help="a setting of the judge, such as threads=4 or context=4096; may be given several times; a"
                        " name that it does not know is answered with those that it does")


def judge_options(options: argparse.Namespace) -> dict[str, Any]:
    """What the judge named on the command line is made with.

    Args:
        options: of a parser that :func:`add_judge_options` was called with.

    Returns:
        Keywords for ``PoSh(judge_options=...)``; values are numbers, truth values, null, lists and objects where
        they are written as such (JSON), and text otherwise.

    Raises:
        InputError: a setting is not NAME=VALUE, comes twice, or is none of the judge's to take.
    """
    found: dict[str, Any] = {}
    for text in options.judge_options:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name.isidentifier():
            raise InputError(f'--judge-option takes NAME=VALUE, such as threads=4, got "{text}"')
        if name in _ELSEWHERE and hasattr(options, name):
            raise InputError(f"give {_ELSEWHERE[name]} instead of --judge-option {name}=")
        if name in found:
            raise InputError(f"--judge-option {name} is given twice")
        found[name] = parse_value(value)
    if options.scale is not None:
        if found.get("scale", options.scale) != options.scale:
            raise InputError(f"--scale says {options.scale}, --judge-option says {found['scale']}")
        found["scale"] = options.scale
    known = options.judge.partition(":")[0]
    entry = JUDGES.get(known)
    if "scale" in found and entry is not None and not entry.model:
        why = "its answers have the scale they were logged with" if known == "replay" else "it is no language model"
        raise InputError(f'the judge "{known}" takes no --scale: {why}')
    return found


def parse_value(text: str) -> Any:
    """A value as it is written: ``4``, ``0.5``, ``true``, ``null`` and JSON by their kind, all else as text."""
    text = text.strip()
    if text in ("True", "False", "None"):
        text = {"True": "true", "False": "false", "None": "null"}[text]
    try:
        return json.loads(text, parse_constant=_no_number)
    except ValueError:
        return text


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no setting")


def own_judges(name: str) -> None:
    """Let ``module:Class`` name a file in the current folder, which a console script does not look into."""
    if ":" in name and os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
