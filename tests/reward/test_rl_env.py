"""The script that makes the environment of the training tests: which tests it takes, and that others skip them."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    spec = importlib.util.spec_from_file_location("rl_env", ROOT / "scripts" / "rl_env.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_files_that_need_the_environment_are_found(script: Any, tmp_path: Path) -> None:
    assert "tests/reward/test_trl.py" in script.files_that_need_it()
    assert "tests/reward/test_rl_env.py" not in script.files_that_need_it()
    folder = tmp_path / "tests" / "deep"
    folder.mkdir(parents=True)
    (folder / "test_a.py").write_text('pytest.importorskip("trl", reason="needs trl: make test-rl")\n')
    (folder / "test_b.py").write_text("def test(): pass\n")
    assert script.files_that_need_it(tmp_path / "tests") == ["tests/deep/test_a.py"]


def test_the_extra_and_the_target_are_there(script: Any) -> None:
    import tomllib

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(script.EXTRAS) <= set(extras)
    assert {"trl", "torch", "transformers", "datasets", "accelerate"} <= {
        r.partition(">")[0] for r in extras["rl"]}  # fmt: skip
    assert "scripts/rl_env.py" in (ROOT / "Makefile").read_text()


def test_the_default_suite_skips_the_trainings_cleanly() -> None:
    code = "import sys; sys.modules.update(dict.fromkeys(('torch', 'trl', 'transformers')));"
    code += "import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    arguments = ["-q", "-rs", "-p", "no:cacheprovider", "tests/reward/test_trl.py"]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert "1 skipped" in done.stdout, done.stdout + done.stderr
    assert "make test-rl" in done.stdout
    assert "error" not in done.stdout.lower()
