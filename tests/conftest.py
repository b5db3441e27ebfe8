"""Fixtures that several test files share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from posh_lite.graph import SceneGraph, extract_graph

# The same examples in every run, so that a failure is always a change; HYPOTHESIS_PROFILE=explore looks for new ones.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of the real data sets; tests that need it are skipped without it."""
    value = os.environ.get("POSH_LITE_DATA")
    if not value or not Path(value).is_dir():
        pytest.skip("POSH_LITE_DATA does not point at the data folder")
    return Path(value)


@pytest.fixture(scope="session")
def graph_of() -> Callable[[str], SceneGraph]:
    """Extract a graph, each text once a session."""
    cache: dict[str, SceneGraph] = {}

    def graph(text: str) -> SceneGraph:
        if text not in cache:
            cache[text] = extract_graph(text)
        return cache[text]

    return graph
