"""Judges by name, so that swapping one is a parameter."""

from __future__ import annotations

import importlib
import importlib.util
import json
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, cast
from urllib.request import url2pathname

from posh_lite.errors import JudgeError, MissingDependency
from posh_lite.judge.contract import Judge


@dataclass(frozen=True, slots=True)
class JudgeEntry:
    """A judge that the package knows.

    Attributes:
        name: as given to ``PoSh(judge=...)`` and ``--judge``.
        target: ``module:Class``, imported on use.
        about: one line for ``posh-lite doctor``.
        modules: what must be importable for it to run.
        extra: the extra that installs these, or None.
    """

    name: str
    target: str
    about: str
    modules: tuple[str, ...] = ()
    extra: str | None = None

    def missing(self) -> tuple[str, ...]:
        """Modules that are not installed."""
        return tuple(m for m in self.modules if importlib.util.find_spec(m) is None)


JUDGES: dict[str, JudgeEntry] = {
    entry.name: entry
    for entry in (
        JudgeEntry("lexical", "posh_lite.judge.lexical:LexicalJudge",
                   "answers from the target text's own scene graph; no model", ("spacy",)),
        JudgeEntry("replay", "posh_lite.judge.replay:ReplayJudge", "answers from a verdict log alone (needs --log)"),
    )
}


def install_command(extra: str | None) -> str:
    """The command that installs an extra, from where this package was installed."""
    name = "posh-lite"
    try:
        origin = json.loads(metadata.distribution(name).read_text("direct_url.json") or "{}").get("url", "")
    except (metadata.PackageNotFoundError, ValueError):
        origin = ""
    extras = f"[{extra}]" if extra else ""
    if origin.startswith("file://"):
        return f'pip install -e "{url2pathname(origin.removeprefix("file://"))}{extras}"'
    return f'pip install "{name}{extras}"' if extras else f"pip install {name}"


def make_judge(name: str, *, log: str | Path | None = None, **options: Any) -> Judge:
    """The judge of that name, or of the class given as ``module:Class``.

    Args:
        name: a key of :data:`JUDGES`, or ``module:Class`` of a judge of one's own; ``replay:SIGNATURE`` replays one
            judge of a log that holds several.
        log: the verdict log that "replay" answers from.
        options: handed to the judge.

    Raises:
        JudgeError: there is no such judge, or "replay" without a log.
        MissingDependency: something that the judge needs is not installed.
    """
    if name.startswith("replay:"):
        name, _, options["judge"] = name.partition(":")
    entry = JUDGES.get(name)
    if entry is None and ":" not in name:
        raise JudgeError(f'no judge named "{name}"; there are {", ".join(sorted(JUDGES))}, or give module:Class')
    if entry is not None and entry.missing():
        how = install_command(entry.extra)
        raise MissingDependency(f'the judge "{name}" needs {", ".join(entry.missing())}: {how}')
    target = name if entry is None else entry.target
    module, _, attribute = target.partition(":")
    try:
        cls = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise JudgeError(f'the judge "{name}" cannot be imported: {error}') from None
    if name == "replay":
        if log is None:
            raise JudgeError('the judge "replay" answers from a verdict log: name it with log= or --log')
        return cast(Judge, cls(log, **options))
    try:
        return cast(Judge, cls(**options))
    except TypeError as error:
        raise JudgeError(
            f'the judge "{name}" cannot be made without arguments ({error}); make it yourself: PoSh(judge=...)'
        ) from error
