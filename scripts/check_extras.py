"""Resolve every extra and ``environment.yml`` for each supported Python, without installing anything.

``python scripts/check_extras.py`` prints one line a combination and fails where one has no solution.
``python scripts/check_extras.py --lock`` renews ``requirements/constraints.txt`` instead.
Needs the package registry; nothing but metadata is downloaded.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.11", "3.12", "3.13")
CONSTRAINTS = ROOT / "requirements" / "constraints.txt"
MAVERICK = ROOT / "requirements" / "maverick.txt"
#: Pins of maverick-coref that exclude vLLM's; the extra ``gpu`` names the versions used instead.
OVERRIDDEN = ("protobuf", "nltk", "sentencepiece")
#: Packages whose resolved version is shown wherever they occur; the others only where they were asked for.
SHOWN = ("torch", "protobuf", "nltk", "numpy")


@dataclass(frozen=True, slots=True)
class Case:
    """One resolution: the requirements, the Python version and what goes with them."""

    name: str
    python: str
    requirements: tuple[str, ...]
    constraints: Path | None = None
    overrides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the resolver said: pins by package, or the error."""

    case: Case
    pins: dict[str, str]
    error: str
    seconds: float


def bare_name(requirement: str) -> str:
    """``ray[data]>=2`` as ``ray``, normalized as the registry does."""
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    return re.sub(r"[-_.]+", "-", found[0]).lower() if found else ""


def project() -> tuple[list[str], dict[str, list[str]]]:
    """The default requirements and the extras of ``pyproject.toml``."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table["dependencies"], table["optional-dependencies"]


def environment() -> tuple[str, list[str], list[str]]:
    """``environment.yml`` as its Python version, its registry requirements, and what is fetched from elsewhere.

    Raises:
        ValueError: the file does not have the form that conda accepts.
    """
    data: dict[str, Any] = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    unknown = set(data) - {"name", "channels", "dependencies", "prefix", "variables"}
    if unknown or not isinstance(data.get("name"), str):
        raise ValueError(f"environment.yml: unknown keys {sorted(unknown)} or no name")
    conda = [d for d in data["dependencies"] if isinstance(d, str)]
    pip = [d["pip"] for d in data["dependencies"] if isinstance(d, dict) and set(d) == {"pip"}]
    if len(conda) + len(pip) != len(data["dependencies"]) or len(pip) != 1:
        raise ValueError("environment.yml: dependencies are names, and one pip list")
    for spec in conda:
        if not re.fullmatch(r"[a-z0-9._-]+((=|==|>=|<=|<|>)[0-9][0-9a-z.*]*)?", spec):
            raise ValueError(f"environment.yml: {spec!r} is not a conda requirement")
    if "pip" not in {re.split(r"[=<>]", spec)[0] for spec in conda}:
        raise ValueError("environment.yml: a pip list needs pip among the conda packages")
    python = next(spec.split("=")[-1] for spec in conda if spec.startswith("python="))
    elsewhere = [r for r in pip[0] if "://" in r]
    return python, [r for r in pip[0] if "://" not in r and not r.startswith("-")], elsewhere


def cases() -> list[Case]:
    """Every combination that the project promises to install."""
    base, extras = project()
    found = [
        Case(name or "default", python, (*base, *extras.get(name, ())))
        for name in ("", *extras)
        for python in PYTHONS
        if not (name == "coref" and python == "3.13")  # its pins have no wheels there, and the extra says so
    ]
    setup = (*base, *extras["book"], *extras["dev"])
    found += [Case("make setup (pinned)", python, setup, constraints=CONSTRAINTS) for python in PYTHONS]
    gpu = {bare_name(r): r for r in extras["gpu"]}
    overrides = tuple(gpu[name] for name in OVERRIDDEN)
    maverick = tuple(r for r in MAVERICK.read_text(encoding="utf-8").splitlines() if r and not r.startswith("#"))
    together = (*base, *extras["gpu"], *maverick)
    found += [Case("gpu + maverick", python, together, overrides=overrides) for python in PYTHONS[:2]]
    python, pip, _ = environment()
    found.append(Case("environment.yml", python, (*pip, *maverick), overrides=overrides))
    return found


def resolve(case: Case) -> Outcome:
    """Ask the resolver for one case."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "-q", "--no-header", "--no-annotate", "--no-config"]
    command += ["--python-version", case.python, "--python-platform", "linux"]
    if case.constraints:
        command += ["--constraints", str(case.constraints)]
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        if case.overrides:
            overrides = Path(folder, "overrides.txt")
            overrides.write_text("\n".join(case.overrides), encoding="utf-8")
            command += ["--overrides", str(overrides)]
        done = subprocess.run(
            [*command, "-"], input="\n".join(case.requirements), capture_output=True, text=True, check=False
        )
    pins = dict(re.findall(r"^([a-z0-9-]+)(?:\[.*?\])?==([^\s;]+)", done.stdout, flags=re.MULTILINE))
    error = done.stderr.strip() if done.returncode else ""
    return Outcome(case, pins, error, time.perf_counter() - started)


def summary(outcome: Outcome) -> str:
    """The versions that a reader looks for first, at most eight."""
    base = {bare_name(r) for r in project()[0]}
    asked = [bare_name(r) for r in outcome.case.requirements]
    names = dict.fromkeys([n for n in asked if n not in base][:5] + list(SHOWN))
    return ", ".join(f"{name} {outcome.pins[name]}" for name in names if name in outcome.pins)


def lock() -> int:
    """Write the pins of ``make setup`` for every supported Python into one file with markers."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "-q", "--universal", "--no-annotate", "--no-header"]
    command += ["--no-config", "--upgrade", "--python-version", PYTHONS[0], "--extra", "book", "--extra", "dev"]
    done = subprocess.run([*command, "pyproject.toml"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    head = "# The versions that were tested together, for `make setup`. Renewed by `make lock`.\n"
    CONSTRAINTS.write_text(head + done.stdout, encoding="utf-8")
    print(f"{CONSTRAINTS.relative_to(ROOT)}: {len(done.stdout.splitlines())} pins")
    return 0


def main() -> int:
    """Resolve everything; 1 where something does not resolve."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lock", action="store_true", help="renew the pins of make setup")
    if parser.parse_args().lock:
        return lock()
    started = time.perf_counter()
    failures: list[Outcome] = []
    count = 0
    with ThreadPoolExecutor(max_workers=4) as pool:
        for outcome in pool.map(resolve, cases()):
            count += 1
            shown = summary(outcome)
            verdict = "FAILS" if outcome.error else f"{len(outcome.pins):3d} packages"
            print(f"{outcome.case.name:22s} Python {outcome.case.python}  {verdict}  {shown}", flush=True)
            if outcome.error:
                failures.append(outcome)
    for url in environment()[2]:
        print(f"not resolved here, fetched from its own release page: {url.split(' @ ')[0]}")
    print(f"{count - len(failures)} of {count} resolve, {time.perf_counter() - started:.0f} s")
    for outcome in failures:
        print(f"\n{outcome.case.name}, Python {outcome.case.python}:\n{outcome.error}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
