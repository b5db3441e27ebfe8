import re
from dataclasses import replace
from pathlib import Path

import pytest

from posh_lite import doctor
from posh_lite.baselines.registry import METRICS
from posh_lite.cli import main
from posh_lite.errors import MissingDependency
from posh_lite.judge.registry import JUDGES


def test_everything_has_its_line(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("POSH_LITE_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    for word in ("spaCy model", "lexical", "replay", "gguf", "posh-lite data fetch iiw400", "Ready"):
        assert word in said


def test_extras_exist_as_declared():
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((Path(doctor.__file__).parents[1] / "pyproject.toml").read_text())["project"]
    assert set(doctor.EXTRAS) == set(project["optional-dependencies"])


def test_a_missing_extra_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(doctor.EXTRAS, "baselines", ("a test", ("not_installed_here",)))
    finding = next(f for f in doctor.examine() if f.name == "baselines" and f.group == "extra")
    assert finding.mark == "missing"
    assert "pip install" in finding.said
    assert "[baselines]" in finding.said


def test_without_a_parser_nothing_runs(monkeypatch, capsys):
    def missing():
        raise MissingDependency("no English pipeline: pip install one")

    monkeypatch.setattr("posh_lite.language.load", missing)
    assert main(["doctor"]) == 1
    assert "Not ready: spaCy model" in capsys.readouterr().out


def test_a_changed_file_is_broken(monkeypatch, tmp_path):
    (tmp_path / "iiw").mkdir()
    (tmp_path / "iiw" / "IIW-400.jsonl").write_text("{}")
    monkeypatch.setenv("POSH_LITE_DATA", str(tmp_path))
    assert next(f for f in doctor.examine() if f.name == "iiw400").mark == "broken"


def test_nobody_is_sent_to_install_what_nothing_uses():
    sources = [p.read_text(encoding="utf-8") for p in Path(doctor.__file__).parent.rglob("*.py")]
    for extra, (_, modules) in doctor.EXTRAS.items():
        if extra in ("book", "dev", "baselines"):  # used by notebooks, tests and chapters
            continue
        pattern = rf"^\s*(?:import|from) (?:{'|'.join(modules)})\b"
        used = any(re.search(pattern, s, re.MULTILINE) for s in sources)
        used |= any(set(modules) & set(entry.modules) for entry in JUDGES.values())
        assert used, extra


def test_language_judges_say_what_they_need_and_how_a_model_is_named(monkeypatch, capsys):
    monkeypatch.setitem(JUDGES, "gguf", replace(JUDGES["gguf"], modules=("not_installed_here",)))
    monkeypatch.setitem(JUDGES, "openai", replace(JUDGES["openai"], modules=("json",)))
    assert main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    gguf = next(line for line in lines if line.startswith("  gguf"))
    assert " missing " in gguf
    assert re.search(r"needs not_installed_here: pip install .*\[gguf\]", gguf)
    openai = next(line for line in lines if line.startswith("  openai"))
    assert " ok " in openai
    assert "--judge openai:MODEL" in openai
    assert "--judge openai:MODEL" in lines[-1]
    assert "gguf:FILE.gguf" not in lines[-1].replace("cascade:gguf:FILE.gguf", "")


def test_without_any_language_judge_the_default_is_ready(monkeypatch, capsys):
    for name, entry in list(JUDGES.items()):
        if entry.model:
            monkeypatch.setitem(JUDGES, name, replace(entry, modules=("not_installed_here",)))
    assert main(["doctor"]) == 0
    assert "needs one of the judges above" in capsys.readouterr().out.splitlines()[-1]


def test_every_extra_of_a_judge_is_declared():
    for entry in JUDGES.values():
        assert entry.extra is None or entry.extra in doctor.EXTRAS


def test_a_cascade_is_offered_where_its_model_can_run():
    def said(mark):
        return doctor.report([doctor.Finding("judge", n, m, "") for n, m in (("gguf", mark), ("cascade", "ok"))])

    assert "--judge cascade:gguf:FILE.gguf" in said("ok")
    assert "cascade" not in said("missing").splitlines()[-1]


def test_every_metric_has_its_line(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "POSH_LITE_IMAGES"):
        monkeypatch.delenv(name, raising=False)
    found = {f.name: f for f in doctor.examine() if f.group == "metric"}
    assert list(found) == list(METRICS)
    assert found["length"].mark == "ok" and found["gpt4o-image"].mark == "missing"
    assert "OPENAI_API_KEY" in found["gpt4o-image"].said and "POSH_LITE_IMAGES" in found["gpt4o-image"].said
    assert not any(f.needed for f in found.values())
