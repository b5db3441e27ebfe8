import re
from pathlib import Path

import pytest

from posh_lite import doctor
from posh_lite.cli import main
from posh_lite.errors import MissingDependency


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
    for extra in doctor.AHEAD:
        _, modules = doctor.EXTRAS[extra]
        assert not any(re.search(rf"^\s*(?:import|from) {m}\b", s, re.MULTILINE) for m in modules for s in sources)
        finding = next(f for f in doctor.examine() if f.group == "extra" and f.name == extra)
        assert "not used by this version yet" in finding.said
        assert "pip install" not in finding.said
