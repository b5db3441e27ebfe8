"""Fixtures of the tests that need a real engine; all of them are skipped, with the reason, where none is installed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_gguf import make_answering, write_gguf
from tiny_model import make_model

from posh_lite.judge.llm.engine import Prompt


@pytest.fixture(scope="session")
def tiny_qwen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the tiny model."""
    pytest.importorskip("torch", reason="needs torch: make test-judges")
    pytest.importorskip("transformers", reason="needs transformers: make test-judges")
    return make_model(tmp_path_factory.mktemp("models") / "tiny-qwen3")


@pytest.fixture(scope="session")
def answering(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the tiny model that leans towards the answers."""
    pytest.importorskip("torch", reason="needs torch: make test-judges")
    pytest.importorskip("transformers", reason="needs transformers: make test-judges")
    lines = Path(__file__).with_name("ten_pairs.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [text for line in lines for key, text in json.loads(line).items() if key != "id"]
    return make_answering(tmp_path_factory.mktemp("models") / "tiny-answering", texts)


@pytest.fixture(scope="session")
def answering_gguf(answering: Path) -> Path:
    """The same model as a GGUF file."""
    pytest.importorskip("gguf", reason="needs gguf: make test-judges")
    return write_gguf(answering, answering.with_suffix(".gguf"))


@pytest.fixture
def altered(tiny_qwen: Path, tmp_path: Path) -> Callable[..., Path]:
    """A copy of the tiny model with other entries in its configuration."""

    def make(drop: tuple[str, ...] = (), **changes: object) -> Path:
        folder = tmp_path / "altered"
        folder.mkdir()
        for file in tiny_qwen.iterdir():
            if file.name not in drop:
                (folder / file.name).write_bytes(file.read_bytes())
        path = folder / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes), encoding="utf-8")
        return folder

    return make


@pytest.fixture(scope="session")
def prompts() -> list[Prompt]:
    """Two groups that share their beginnings, with endings of different length, and one prompt alone."""
    texts = [
        "Text: A man in a blue coat stands in front of a stone house. A red lamp hangs above the door.\n",
        "Text: Two women sit at a wooden table; one pours tea — café “au lait” — for the other.\n",
    ]
    things = ["the man", "the man in the blue coat", "a lamp", "the stone house with a green roof and two doors", "it"]
    found = [
        Prompt(f"{text}Is {thing} mentioned in it?", len(text), f"pair {n}")
        for n, text in enumerate(texts) for thing in things
    ]
    return [*found, Prompt("Answer yes or no.", 0, "alone")]
