"""Fixtures of the tests that need a real vision-language model; skipped, with the reason, where none can be made."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "judges"))  # the tiny language model is made there
from asked_server import pairs_with_images
from tiny_llava import make_llava

from posh_lite.records import Pair


@pytest.fixture(scope="session")
def llava(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a tiny random LLaVA that writes "0." and a digit."""
    for module in ("torch", "transformers", "PIL"):
        pytest.importorskip(module, reason=f"needs {module}")
    return make_llava(tmp_path_factory.mktemp("models") / "tiny-llava", digits=True)


@pytest.fixture(scope="session")
def random_llava(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of one that writes anything."""
    for module in ("torch", "transformers", "PIL"):
        pytest.importorskip(module, reason=f"needs {module}")
    return make_llava(tmp_path_factory.mktemp("models") / "random-llava")


@pytest.fixture(scope="session")
def images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of pictures."""
    return tmp_path_factory.mktemp("images")


@pytest.fixture(scope="session")
def pairs(images: Path) -> list[Pair]:
    """Five pairs with pictures."""
    return pairs_with_images(images, 5)
