"""All that a judge over others lacks, told at once: extras, a model, options and the files that they name."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from posh_lite.judge.llm.server_link import KEY, URL
from posh_lite.judge.registry import JUDGES, JudgeEntry, install_command

#: What each judge over others is fitted with, and how a user makes it.
_FITTED = {
    "cascade": ("policy", "fitted on a full run of the model: python -m posh_lite.evaluation.judges_report"),
    "combined": ("weights", "fitted for the two judges: posh-lite calibrate --with lexical"),
}


def lacking(name: str, log: object, options: Mapping[str, Any]) -> list[str]:
    """What is missing for a judge to be made, in the order in which its parts are named; empty where nothing is seen.

    Args:
        name: of the judge, as for :func:`~posh_lite.judge.registry.make_judge`.
        log: the verdict log, or None.
        options: of the judge; those of the judges below it among them.
    """
    return list(dict.fromkeys(_lacks(name, log, options)))


def _lacks(name: str, log: object, options: Mapping[str, Any]) -> Iterator[str]:
    known, _, rest = name.partition(":")
    entry = JUDGES.get(known)
    if entry is None:
        if ":" not in name:
            yield f'no judge named "{name}"; there are {", ".join(sorted(JUDGES))}, or give module:Class'
        return
    if entry.missing():
        yield f'the judge "{known}" needs {", ".join(entry.missing())}: {install_command(entry.extra)}'
    if known == "replay" and log is None:
        yield 'the judge "replay" answers from a verdict log: name it with log= or --log'
    if known in _FITTED:
        yield from _fitted(known, options)
    rest = rest or str(options.get("model") or "")
    if entry.model and not rest:
        yield f'the judge "{known}" needs a model: "{known}:{entry.model}"'
    elif known in _FITTED:
        yield from _lacks(rest, log, {k: v for k, v in options.items() if k != "model"})
    elif entry.model:
        yield from _model(entry, rest, options)


def _fitted(known: str, options: Mapping[str, Any]) -> Iterator[str]:
    """The file that a judge was fitted with, and further ones that it is given."""
    option, how = _FITTED[known]
    if options.get(option) is None:
        yield f'the judge "{known}" needs {option}=FILE (--judge-option {option}=FILE), {how}'
    for given in (option, "calibration"):
        if isinstance(options.get(given), str | Path) and not Path(options[given]).is_file():
            yield f"{options[given]}: no such file ({given}=)"
    if isinstance(options.get("first"), str):
        yield from _lacks(options["first"], None, {})


def _model(entry: JudgeEntry, model: str, options: Mapping[str, Any]) -> Iterator[str]:
    if entry.name == "gguf" and not Path(model).expanduser().is_file():
        yield f"{Path(model).expanduser()}: no such model file"
    if entry.name == "vectors":
        yield from _vectors(model)
    if entry.name == "openai" and not (options.get("url") or os.environ.get(URL) or os.environ.get(KEY)):
        yield f"no server: set {URL} or give url= (and {KEY} where the server wants a key)"


def _vectors(model: str) -> Iterator[str]:
    """Of an embedding: the library, unless it is of spelling alone, and the folder of "minilm"."""
    if model != "chars" and importlib.util.find_spec("sentence_transformers") is None:
        yield f"embeddings of models need: {install_command('baselines')}"
    if model == "minilm":
        from posh_lite.judge.embedding import lacks_minilm

        if why := lacks_minilm():
            yield f'the embedding "minilm" cannot be made: {why}'
