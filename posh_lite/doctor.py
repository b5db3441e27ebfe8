"""``posh-lite doctor``: what is installed, which judges and metrics can run, what is missing and how to get it."""

from __future__ import annotations

import argparse
import importlib.util
import platform
import sqlite3
from dataclasses import dataclass
from importlib import metadata
from typing import Any, Literal

from posh_lite import __version__
from posh_lite.baselines.registry import METRICS
from posh_lite.benchmarks.catalog import DATASETS, locate
from posh_lite.errors import PoshLiteError
from posh_lite.judge.registry import JUDGES, install_command

Mark = Literal["ok", "missing", "broken"]

#: What an extra is for, and modules whose absence shows that it is not installed.
EXTRAS: dict[str, tuple[str, tuple[str, ...]]] = {
    "book": ("building the book", ("jupyter_book", "papermill", "nbformat", "matplotlib", "seaborn", "statsmodels")),
    "notebooks": ("the chapters in a Jupyter of one's own", ("ipykernel", "matplotlib", "seaborn", "statsmodels")),
    "gguf": ("a local model in GGUF as judge, on the CPU", ("llama_cpp",)),
    "transformers": ("any causal model as judge, on the CPU or one GPU", ("torch", "transformers")),
    "openai": ("any OpenAI-compatible server as judge", ("openai",)),
    "gpu": ("the paper's setting on a GPU", ("vllm", "transformers")),
    "coref": ("Maverick coreference (CC BY-NC-SA 4.0)", ("maverick",)),
    "baselines": ("the other metrics", ("sacrebleu", "rouge_score", "pycocoevalcap", "sentence_transformers")),
    "docent": ("DOCENT in the layout of a hub, written and read", ("datasets", "pyarrow")),
    "rl": ("rewards in training", ("trl",)),
    "proof": ("the book in a real browser: make proof", ("playwright",)),
    "scale": ("scoring on a Ray cluster", ("ray",)),
    "dev": ("tests and checks", ("pytest", "hypothesis", "ruff", "mypy")),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    group: str
    name: str
    mark: Mark
    said: str
    needed: bool = False  # whether the default of the package cannot run without it


def examine() -> list[Finding]:
    """Look at everything, without loading more than spaCy's model."""
    return [*_base(), *_parser(), *_judges(), *_metrics(), *_extras(), *_data()]


def _base() -> list[Finding]:
    found = [
        Finding("package", "posh-lite", "ok", __version__),
        Finding("package", "Python", "ok", f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
        Finding("package", "SQLite", "ok", f"{sqlite3.sqlite_version} (verdict log)"),
    ]
    for name in ("spacy", "pandas", "tqdm"):
        version = _version(name)
        if version is None:
            found.append(Finding("package", name, "missing", install_command(None), True))
        else:
            found.append(Finding("package", name, "ok", version))
    return found


def _parser() -> list[Finding]:
    from posh_lite import language

    try:
        language.load()
        return [Finding("parser", "spaCy model", "ok", language.signature().removeprefix("spacy:"))]
    except PoshLiteError as error:
        return [Finding("parser", "spaCy model", "missing", str(error), True)]
    except Exception as error:
        return [Finding("parser", "spaCy model", "broken", f"{type(error).__name__}: {error}", True)]


def _judges() -> list[Finding]:
    found = []
    for entry in JUDGES.values():
        missing = entry.missing()
        how = f"; --judge {entry.name}:{entry.model}" if entry.model else ""
        if missing:
            said = f"{entry.about}; needs {', '.join(missing)}: {install_command(entry.extra)}"
            found.append(Finding("judge", entry.name, "missing", said, entry.name == "lexical"))
        else:
            found.append(Finding("judge", entry.name, "ok", f"{entry.about}{how}"))
    return found


def _metrics() -> list[Finding]:
    found = []
    for entry in METRICS.values():
        lacking = entry.lacks()
        how = f"; {entry.name}:{entry.model} names one" if entry.model else ""
        said = f"{entry.about}; {'; '.join(lacking)}" if lacking else f"{entry.about}{how}"
        found.append(Finding("metric", entry.name, "missing" if lacking else "ok", said))
    return found


def _extras() -> list[Finding]:
    found = []
    for extra, (purpose, modules) in EXTRAS.items():
        missing = [m for m in modules if importlib.util.find_spec(m) is None]
        said = f"for {purpose}"
        if missing:
            said += f"; without {', '.join(missing)}: {install_command(extra)}"
        found.append(Finding("extra", extra, "missing" if missing else "ok", said))
    return found


def _data() -> list[Finding]:
    found = []
    for name in DATASETS:
        place = locate(name, verify=True)
        if place.path is None:
            how = f"posh-lite data fetch {name}" if place.dataset.address else "see posh-lite data list"
            found.append(Finding("data", name, "missing", how))
        elif place.status == "changed":
            found.append(Finding("data", name, "broken", f"{place.path} is not the pinned file"))
        else:
            found.append(Finding("data", name, "ok", f"{place.path}" + (" (excerpt)" if place.excerpt else "")))
    return found


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def report(findings: list[Finding]) -> str:
    """The findings as a table, group by group."""
    width = max(len(f.name) for f in findings)
    lines: list[str] = []
    group = ""
    for finding in findings:
        if finding.group != group:
            group = finding.group
            lines.append(f"{group}" if not lines else f"\n{group}")
        lines.append(f"  {finding.name:<{width}}  {finding.mark:<7}  {finding.said}")
    broken = [f.name for f in findings if f.needed and f.mark != "ok"]
    lines.append("")
    lines.append(
        f"Not ready: {', '.join(broken)} must be there before anything is scored." if broken
        else "Ready: `posh-lite score` can run with the lexical judge" + _models(findings)
    )
    return "\n".join(lines)


def _models(findings: list[Finding]) -> str:
    """The end of the last line: which language models can be judges, and how one is named."""
    usable = {f.name for f in findings if f.group == "judge" and f.mark == "ok"}
    # the model of a cascade is itself a judge, which may be missing
    ready = [f"--judge {e.name}:{e.model}" for e in JUDGES.values() if e.model and e.language and e.name in usable
             and (e.model.partition(":")[0] in usable or e.model.partition(":")[0] not in JUDGES)]
    if ready:
        return f", or with a language model that you name: {', '.join(ready)}."
    return "; a language model as judge needs one of the judges above that are missing."


def add_parser(commands: Any) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "doctor", help="what is installed, what is missing and how to get it",
        description="Examine the installation: parser, judges, metrics, extras, data.",
    )
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the report; 1 if the default judge cannot run."""
    findings = examine()
    print(report(findings))
    return 1 if any(f.needed and f.mark != "ok" for f in findings) else 0
