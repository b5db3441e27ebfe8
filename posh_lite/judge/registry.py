"""Judges by name, so that swapping one is a parameter."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
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
        model: what has to be named with it, as in ``gguf:model.gguf``; empty for a judge without a model.
        language: whether that is a language model, which counts tokens.
    """

    name: str
    target: str
    about: str
    modules: tuple[str, ...] = ()
    extra: str | None = None
    model: str = ""
    language: bool = True

    def missing(self) -> tuple[str, ...]:
        """Modules that are not installed."""
        return tuple(m for m in self.modules if importlib.util.find_spec(m) is None)


JUDGES: dict[str, JudgeEntry] = {
    entry.name: entry
    for entry in (
        JudgeEntry("lexical", "posh_lite.judge.lexical:LexicalJudge",
                   "answers from the target text's own scene graph; no model", ("spacy",)),
        JudgeEntry("replay", "posh_lite.judge.replay:ReplayJudge", "answers from a verdict log alone (needs --log)"),
        JudgeEntry("gguf", "posh_lite.judge.llm.gguf:gguf_judge",
                   "a language model in a GGUF file, on the CPU", ("llama_cpp",), "gguf", "FILE.gguf"),
        JudgeEntry("openai", "posh_lite.judge.llm.server:openai_judge",
                   "a language model behind a server that speaks OpenAI's protocol (OPENAI_BASE_URL, OPENAI_API_KEY)",
                   ("openai",), "openai", "MODEL"),
        JudgeEntry("transformers", "posh_lite.judge.llm.transformers_engine:transformers_judge",
                   "a causal model of the transformers library, on the CPU or one GPU",
                   ("torch", "transformers"), "transformers", "NAME-OR-FOLDER"),
        JudgeEntry("vllm", "posh_lite.judge.llm.vllm_engine:vllm_judge",
                   "a causal model on GPUs through vLLM, the paper's setting", ("vllm",), "gpu", "NAME-OR-FOLDER"),
        JudgeEntry("vectors", "posh_lite.judge.vectors:vectors_judge",
                   "closeness of a phrase to the best window of the text, by an embedding: minilm, chars, or a model of"
                   " sentence-transformers (extra baselines); meant beside the lexical judge, combined:vectors:minilm",
                   ("spacy",), None, "minilm", language=False),
        JudgeEntry("cascade", "posh_lite.judge.cascade:cascade_judge",
                   "the lexical judge, and another where its answer tells most (option policy=FILE)", ("spacy",),
                   None, "gguf:FILE.gguf"),
        JudgeEntry("combined", "posh_lite.judge.combined:combined_judge",
                   "the lexical judge and another, both asked and weighed (option weights=FILE)", ("spacy",),
                   None, "gguf:FILE.gguf"),
    )
}


def install_command(extra: str | None) -> str:
    """The command that installs an extra, from where this package was installed."""
    name = "posh-lite"
    try:
        about = json.loads(metadata.distribution(name).read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        about = {}
    origin = about.get("url", "")
    extras = f"[{extra}]" if extra else ""
    if origin.startswith("file://"):
        folder = url2pathname(origin.removeprefix("file://"))
        if "archive_info" in about:  # a wheel, which cannot be edited
            return f'pip install "{folder}{extras}"'
        here = Path(folder).resolve() == Path.cwd()  # short, and records made here name no folder of this machine
        return f'pip install -e "{"." if here else folder}{extras}"'
    return f'pip install "{name}{extras}"' if extras else f"pip install {name}"


def counts_tokens(name: str) -> bool | None:
    """Whether a judge of that name counts tokens, without making it; None where only the judge itself can tell."""
    known, _, rest = name.partition(":")
    entry = JUDGES.get(known)
    if entry is None:
        return None
    if known in ("cascade", "combined"):
        return counts_tokens(rest)
    return bool(entry.model) and entry.language


def make_judge(name: str, /, *, log: str | Path | None = None, **options: Any) -> Judge:
    """The judge of that name, or of the class given as ``module:Class``.

    Args:
        name: a key of :data:`JUDGES`, for a language model with the model after a colon (``gguf:model.gguf``);
            ``replay:SIGNATURE`` replays one judge of a log that holds several; or ``module:Class`` of a judge of
            one's own.
        log: the verdict log that "replay" answers from.
        options: handed to the judge.

    Raises:
        JudgeError: there is no such judge, it does not take an option, or "replay" without a log.
        MissingDependency: something that the judge needs is not installed.
    """
    known, _, rest = name.partition(":")
    entry = JUDGES.get(known)
    if known in ("cascade", "combined") and entry is not None:
        _check_parts(name, log, options)
    if entry is None and ":" not in name:
        raise JudgeError(f'no judge named "{name}"; there are {", ".join(sorted(JUDGES))}, or give module:Class')
    if entry is not None and entry.missing():
        how = install_command(entry.extra)
        raise MissingDependency(f'the judge "{known}" needs {", ".join(entry.missing())}: {how}')
    make = _target(name if entry is None else entry.target, name)
    if known == "replay" and entry is not None:
        if log is None:
            raise JudgeError('the judge "replay" answers from a verdict log: name it with log= or --log')
        if options:
            raise JudgeError(f'the judge "replay" has no option "{next(iter(options))}"; it takes none')
        return cast(Judge, make(log, **({"judge": rest} if rest else {})))
    if known in ("cascade", "combined") and entry is not None:
        options["log"] = log  # it goes under the second judge, whose verdicts are the same in a full run
    if entry is not None and entry.model:
        if rest:
            options["model"] = rest
        if not options.get("model"):
            raise JudgeError(f'the judge "{known}" needs a model: "{known}:{entry.model}"')
    elif entry is not None and rest:
        raise JudgeError(f'the judge "{known}" takes no model, got "{name}"')
    _check_options(known if entry else name, make, options)
    try:
        return cast(Judge, make(**options))
    except TypeError as error:
        fault = str(error)
        try:
            inspect.signature(make).bind(**options)
        except (TypeError, ValueError):
            raise JudgeError(
                f'the judge "{name}" cannot be made from a name alone ({fault}); make it yourself: PoSh(judge=...)'
            ) from error
        how = ", ".join(f"{n}={v!r}" for n, v in options.items())
        raise JudgeError(f'the judge "{name}" cannot be made with {how or "no settings"}: {fault}') from error


def _check_parts(name: str, log: object, options: Mapping[str, Any]) -> None:
    """Say at once what all a judge over others lacks; a single file or extra is told by what reads it."""
    from posh_lite.judge.lacking import lacking

    lacks = lacking(name, log, options)
    if len(lacks) > 1:
        listed = "; ".join(f"({n}) {what}" for n, what in enumerate(lacks, start=1))
        raise JudgeError(f'the judge "{name}" cannot be made, {len(lacks)} things are missing: {listed}')
    if lacks and "=FILE" in lacks[0]:
        raise JudgeError(lacks[0])


def _target(target: str, name: str) -> Any:
    module, _, attribute = target.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise JudgeError(f'the judge "{name}" cannot be imported: {error}') from None


def judge_options(make: Any) -> dict[str, inspect.Parameter] | None:
    """The options that a judge takes, by name, those handed on to :class:`LanguageJudge` included; None if unknown."""
    try:
        found = dict(inspect.signature(make).parameters)
    except (TypeError, ValueError):
        return None
    if any(p.kind is p.VAR_KEYWORD for p in found.values()):
        if not make.__module__.startswith("posh_lite.judge.llm"):
            return None  # it takes anything
        from posh_lite.judge.llm.judge import LanguageJudge

        found.update(inspect.signature(LanguageJudge).parameters)
        found.pop("engine", None)
    return {n: p for n, p in found.items() if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)}


def _check_options(name: str, make: Any, options: Mapping[str, Any]) -> None:
    known = judge_options(make)
    for option in options:
        if known is not None and option not in known:
            near = get_close_matches(option, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f'it takes {", ".join(known) or "none"}'
            raise JudgeError(f'the judge "{name}" has no option "{option}"; {hint}')
