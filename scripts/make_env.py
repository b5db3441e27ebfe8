"""Make or renew the virtual environment: ``python scripts/make_env.py VENV STAMP``.

The stamp holds a hash of everything the environment depends on, so a new checkout date alone installs nothing.
Written for interpreters that are too old for the project as well, so that they can say so.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

MINIMUM = (3, 11)
INPUTS = ("pyproject.toml", "requirements/constraints.txt", "scripts/make_env.py")
EXTRAS = "book,dev"


def fail(message: str) -> NoReturn:
    """Say what to do, in one line, and stop."""
    sys.exit("error: " + message)


def runs(python: Path) -> bool:
    """Whether the interpreter starts and is new enough (a moved or half-made environment does not)."""
    code = "import sys, pip; sys.exit(sys.version_info < (%d, %d))" % MINIMUM
    try:
        return subprocess.run([str(python), "-c", code], stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def key(python: Path) -> str:
    """Hash of the inputs, the interpreter's version and the place of the project."""
    version = subprocess.run([str(python), "-VV"], stdout=subprocess.PIPE, check=True).stdout
    digest = hashlib.sha256(version + str(Path.cwd()).encode())
    for name in INPUTS:
        digest.update(Path(name).read_bytes())
    return digest.hexdigest() + "\n"


def install(python: Path) -> bool:
    """Install the project with its pins: by uv, which takes a tenth of the time, and by pip where uv cannot."""
    pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    pins = ["-c", "requirements/constraints.txt"]
    project = [*pins, "-e", ".[%s]" % EXTRAS]
    if subprocess.run([*pip, *pins, "uv"]).returncode == 0:
        environ = dict(os.environ)
        if "PIP_INDEX_URL" in environ:  # uv does not read pip's settings
            environ.setdefault("UV_DEFAULT_INDEX", environ["PIP_INDEX_URL"])
        uv = [str(python), "-m", "uv", "pip", "install", "-q", "--no-config", "--python", str(python)]
        if subprocess.run([*uv, *project], env=environ).returncode == 0:
            return True
        print("uv could not; trying pip", flush=True)
    return subprocess.run([*pip, *project]).returncode == 0


def main(venv: Path, stamp: Path) -> None:
    """Create the environment where it is missing or broken, then install where the key changed."""
    python = venv / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not runs(python):
        if sys.version_info < MINIMUM:
            fail(
                "posh-lite needs Python %d.%d or newer, and this is %s (%s); name another: make setup PYTHON=python3.12"
                % (*MINIMUM, sys.version.split()[0], sys.executable)
            )
        print("making %s with Python %s" % (venv, sys.version.split()[0]), flush=True)
        if subprocess.run([sys.executable, "-m", "venv", "--clear", str(venv)]).returncode:
            fail("the venv module does not work here; on Debian and Ubuntu it is in the package python3-venv")
    wanted = key(python)
    if not stamp.exists() or stamp.read_text() != wanted:
        print("installing into %s (a few minutes the first time)" % venv, flush=True)
        if not install(python):
            fail("the packages could not be installed; the messages above say why")
    stamp.write_text(wanted)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
