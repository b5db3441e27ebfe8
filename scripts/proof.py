"""The built book in a real browser (``make proof``): says what is missing, gets what a registry has, and looks.

Needs a Chromium that is installed already (CHROMIUM=/path, or one of the usual names) and npm. Playwright goes into an
environment of its own, and axe-core into a cache folder; neither brings a browser.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
ENV = ROOT / ".venv-proof"
AXE = "4.10.3"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def stop(message: str) -> NoReturn:
    """End with a message that says what to do."""
    sys.exit(f"error: {message}")


def browser() -> str:
    """The path of a Chromium."""
    named = os.environ.get("CHROMIUM", "").strip()
    found = shutil.which(named) if named else next((p for name in BROWSERS if (p := shutil.which(name))), None)
    if not found:
        how = "install it (apt install chromium), or name one: make proof CHROMIUM=/path/to/chromium"
        stop(f"no browser at {named}" if named else f"no Chromium found; {how}")
    return found


def driver() -> Path:
    """The interpreter of an environment with the extra "proof", made where it is missing or asks for something else."""
    python = ENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = "\n".join(project["optional-dependencies"]["proof"]) + "\n"
    stamp = ENV / "proof.stamp"
    if not stamp.is_file() or stamp.read_text("utf-8") != wanted:
        print(f"making {ENV.name} with {wanted.strip()}", flush=True)
        made = subprocess.run([sys.executable, "-m", "venv", str(ENV)], check=False).returncode == 0
        pins = ["-c", str(ROOT / "requirements" / "constraints.txt")]
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if not made or subprocess.run([*pip, *pins, *wanted.split("\n")[:-1]], check=False).returncode:
            stop("Playwright could not be installed; see above")
        stamp.write_text(wanted, "utf-8")
    return python


def axe_core() -> Path:
    """The script of axe-core, fetched once through npm."""
    folder = ROOT / ".cache" / "proof"
    script = folder / f"axe-core-{AXE}.js"
    if script.is_file():
        return script
    npm = shutil.which("npm")
    if npm is None:
        stop(f"npm is not installed; it fetches axe-core {AXE} (or put its axe.min.js at {script})")
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [npm, "pack", "--silent", f"axe-core@{AXE}"], cwd=folder, text=True, capture_output=True, check=False,
    )
    packed = folder / f"axe-core-{AXE}.tgz"
    if done.returncode or not packed.is_file():
        stop(f"npm could not fetch axe-core {AXE}:\n{done.stderr.strip()}")
    with tarfile.open(packed) as archive:
        member = archive.extractfile("package/axe.min.js")
        if member is None:
            stop(f"{packed.name} holds no axe.min.js")
        script.write_bytes(member.read())
    packed.unlink()
    return script


def main() -> int:
    """Bring the parts together and look at the book; returns the exit status.

    What stands on the command line goes to ``python -m posh_lite.book.browser``, as ``make proof ARGS="--only 07"``.
    """
    elsewhere = any(word.startswith("--html") for word in sys.argv[1:])
    if not elsewhere and not (ROOT / "book" / "_build" / "html" / "index.html").is_file():
        stop("no book yet; run: make book")
    chromium, axe, python = browser(), axe_core(), driver()
    command = [
        str(python), "-m", "posh_lite.book.browser", "--chromium", chromium, "--axe", str(axe),
        "--scenarios", "tests/browser", *sys.argv[1:],
    ]
    if not any(word.startswith(("--only", "--record")) for word in sys.argv[1:]):  # a part is no record of the whole
        command += ["--record", "data/results/proof/book.json"]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
