"""Make the environment of the training tests, run them there, and record the outcome: ``python scripts/rl_env.py``.

The environment holds TRL and torch, which `make test` does without. The tests are those that name ``make test-rl`` as
what they need: the rewards in the real GRPOTrainer, and real trainings of a few steps with tiny random models. The
outcome goes to ``data/results/rl-tests/``: which tests ran, which were skipped and why, the versions, and the day.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from judges_env import ROOT, fail, outcome, run, versions

RECORD = ROOT / "data" / "results" / "rl-tests" / "rl.json"
EXTRAS = ("rl", "openai", "dev")
#: Versions that can change an outcome, named in the record.
NAMED = ("trl", "torch", "torchvision", "transformers", "tokenizers", "accelerate", "datasets", "numpy", "spacy")
#: What a test file that is skipped elsewhere says.
MARK = "make test-rl"


def files_that_need_it(folder: Path = ROOT / "tests") -> list[str]:
    """Test files that say that they need this environment, relative to the project."""
    found = [p for p in sorted(folder.rglob("test_*.py")) if MARK in p.read_text(encoding="utf-8")]
    return [p.relative_to(folder.parent).as_posix() for p in found if p.name != "test_rl_env.py"]


def main() -> None:
    """Make, test, record; ends with pytest's exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv-rl")
    parser.add_argument("--no-install", action="store_true", help="use the environment as it is")
    parser.add_argument("pytest", nargs="*", help="arguments of pytest instead of all tests; nothing is recorded")
    options = parser.parse_args()
    python = options.venv / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not options.no_install:
        if not python.exists():
            run(sys.executable, "-m", "venv", str(options.venv))
        run(str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", "-e", f".[{','.join(EXTRAS)}]")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "junit.xml"
        command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}"]
        command += ["-o", "junit_family=xunit1"]  # the newer form has no place for what a test measured
        environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "HF_HUB_OFFLINE": "1"}
        command += options.pytest or files_that_need_it()
        status = subprocess.run(command, cwd=ROOT, env=environment, check=False)
        if not report.exists():
            fail("pytest left no report; the messages above say why")
        found = outcome(report.read_text(encoding="utf-8"))
    told = ", ".join(f"{n} {what}" for what, n in sorted(found["counts"].items()))
    if options.pytest:
        print(f"not recorded: {told}")
        raise SystemExit(status.returncode)
    record = {"date": datetime.now(UTC).date().isoformat(), "versions": versions(python, NAMED), **found}
    RECORD.parent.mkdir(parents=True, exist_ok=True)
    RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{RECORD.relative_to(ROOT)}: {told}")
    raise SystemExit(status.returncode)


if __name__ == "__main__":
    main()
