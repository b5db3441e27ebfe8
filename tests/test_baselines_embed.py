"""Embeddings of phrases, 4GramEmbed and SGEmbed."""

from __future__ import annotations

import hashlib
import json
import math
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.baselines import embedding, hub
from posh_lite.baselines.clip import ClipScore
from posh_lite.baselines.embedding import (
    QWEN,
    CharacterGrams,
    SentenceTransformers,
    best_similarities,
    make_embedder,
    unit_rows,
)
from posh_lite.baselines.phrase_embed import FourGramEmbed, SGEmbed, four_grams
from posh_lite.baselines.registry import METRICS
from posh_lite.errors import InputError, MissingDependency
from posh_lite.judge import embedding as core
from posh_lite.judge.llm.weights import folder_digest
from posh_lite.records import Pair


def phrases(text: str) -> list[tuple[str, str]]:
    return [(said, text[a:b]) for said, spans in four_grams(text) for a, b in spans]


def test_four_grams_stay_within_sentences() -> None:
    text = "A **big**, brown dog runs. It barks."
    assert phrases(text) == [
        ("a big brown dog", "A **big**, brown dog"), ("big brown dog runs", "big**, brown dog runs"),
        ("it barks", "It barks"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", " \n", "...", "\U0001f600"])
def test_no_words_no_phrases(text: str) -> None:
    assert four_grams(text) == []


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=80))
def test_four_grams_of_anything(text: str) -> None:
    for said, spans in four_grams(text):
        assert 1 <= len(said.split()) <= 4 and len(spans) == 1 and 0 <= spans[0][0] < spans[0][1] <= len(text)


def test_character_grams() -> None:
    embed = CharacterGrams()
    vectors = embed(["a brown dog", "brown dog", "brown dogs", "a marble bust", "", "A BROWN dog"])
    similar = vectors @ vectors.T
    assert vectors.shape == (6, 1024) and np.diag(similar) == pytest.approx([1, 1, 1, 1, 0, 1], abs=1e-6)
    assert similar[0, 5] == pytest.approx(1) and similar[1, 2] > 0.7 > 0.3 > similar[1, 3]
    assert embed([]).shape == (0, 1024) and (embed(["a brown dog"])[0] == vectors[0]).all()


def test_character_grams_by_hand() -> None:
    """With three-grams alone, " a " is the one feature of "a", and "ab" has " ab" and "ab "."""
    vectors = CharacterGrams(dimensions=4096, low=3, high=3)(["a", "ab", "ab a"])
    assert np.count_nonzero(vectors, axis=1).tolist() == [1, 2, 3]
    assert vectors[2] @ vectors[0] == pytest.approx(1 / math.sqrt(3))
    assert vectors[2] @ vectors[1] == pytest.approx(2 / math.sqrt(2 * 3))


def test_best_similarities() -> None:
    ours = np.array([[1, 0], [0, 1]], dtype=np.float32)
    theirs = np.array([[0.6, 0.8], [-1, 0], [0, -1]], dtype=np.float32)
    a, b = best_similarities(ours, theirs)
    assert a.tolist() == pytest.approx([0.6, 0.8]) and b.tolist() == pytest.approx([0.8, 0, 0])
    a, b = best_similarities(ours, np.zeros((0, 2), dtype=np.float32))
    assert a.tolist() == [0, 0] and b.tolist() == []


def test_best_similarities_in_blocks() -> None:
    rng = np.random.default_rng(0)
    ours, theirs = (unit_rows(rng.normal(size=(n, 5)).astype(np.float32)) for n in (2500, 7))
    whole = ours @ theirs.T
    a, b = best_similarities(ours, theirs)
    assert a == pytest.approx(whole.max(axis=1)) and b == pytest.approx(whole.max(axis=0))


class Recorder:
    """An embedding of one axis a first letter, which notes what it was asked."""

    signature = "letters"

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def __call__(self, said: Sequence[str]) -> np.ndarray:
        self.asked.append(list(said))
        return np.array([np.eye(26)[ord(p[0]) - 97] for p in said], dtype=np.float32).reshape(-1, 26)


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    found = Recorder()
    monkeypatch.setattr("posh_lite.baselines.phrase_embed.make_embedder", lambda model, **options: found)
    return found


def test_figures_and_spans_by_hand(letters: Recorder) -> None:
    """Two runs of the generation, by a and b; those of the reference are by a, c and d."""
    pair = Pair("x", "a big dog ran by.", "Ants big as cats. Cows do eat grass. Dogs.")
    frame, places = FourGramEmbed("letters").measure([pair, pair])
    assert frame["mistakes"].tolist() == [0.5, 0.5] and frame["omissions"].tolist() == pytest.approx([1 / 3, 1 / 3])
    assert frame["overall"][0] == pytest.approx(0.4)
    assert [(pair.generation[a:b], s) for a, b, s in places[0].generation] == [
        ("a big dog ran", 1), ("big dog ran by", 0)]  # fmt: skip
    assert [(pair.reference[a:b], s) for a, b, s in places[1].reference] == [
        ("Ants big as cats", 1), ("Cows do eat grass", 0), ("Dogs", 0)]  # fmt: skip
    assert letters.asked == [["a big dog ran", "big dog ran by", "ants big as cats", "cows do eat grass", "dogs"]]


def test_sg_embed_components(letters: Recorder) -> None:
    pair = Pair("x", "A red dog is on a rug.", "A dog.")
    own, all_ = (SGEmbed("letters", spans=spans).locate([pair])[0].generation for spans in ("own", "all"))  # type: ignore[arg-type]
    assert letters.asked[0] == ["dog", "rug", "red dog", "dog on rug"]
    assert [(pair.generation[a:b], s) for a, b, s in own] == [("dog", 1), ("rug", 0), ("red", 0), ("on", 1)]
    assert [pair.generation[a:b] for a, b, _ in all_][2:] == ["red", "dog", "on", "dog", "rug"]
    assert "|spans:own" in SGEmbed("letters").signature
    with pytest.raises(InputError, match="spans"):
        SGEmbed("letters", spans="some")  # type: ignore[arg-type]


@pytest.mark.parametrize("metric", [FourGramEmbed, SGEmbed])
def test_sides_without_phrases(metric: Any) -> None:
    some = "A red dog sits."
    made = metric("chars")
    frame = made.score([Pair("g", "", some), Pair("r", some, ""), Pair("b", "", ""), Pair("n", some, some)])
    rows = frame.set_index("id")
    assert math.isnan(rows.loc["g", "mistakes"]) and rows.loc["g", "omissions"] == 0
    assert rows.loc["r", "mistakes"] == 0 and math.isnan(rows.loc["r", "omissions"])
    assert rows.loc[["g", "r", "b"], "overall"].isna().all() and rows.loc["n", "overall"] == 1
    assert frame.attrs["undefined"]["b"] == "no phrases in the generation and the reference"
    assert made.needs == {"reference"} and made.uncovered == 1


def test_word_for_word_is_one_even_without_a_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("posh_lite.baselines.phrase_embed.make_embedder",
                        lambda model, **options: lambda said: np.zeros((len(said), 2), dtype=np.float32))
    assert FourGramEmbed("zeros").score([Pair("x", "A dog.", "A dog. A cat.")])["mistakes"][0] == 1


# -- models -----------------------------------------------------------------------------------------------------


class Library:
    """What of sentence-transformers is used."""

    def __init__(self, name: str, **settings: Any) -> None:
        if name == "absent/model":
            raise OSError("We couldn't connect to the hub\nand more")
        self.name, self.settings = name, settings

    def encode(self, texts: list[str], **settings: Any) -> np.ndarray:
        assert settings["batch_size"] == 64 and settings["convert_to_numpy"]
        return np.array([[3.0, 4.0]] * len(texts))


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("sentence_transformers")
    module.SentenceTransformer = Library  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)


@pytest.mark.usefixtures("library")
def test_sentence_transformers(tmp_path: Any) -> None:
    made = SentenceTransformers("some/model", revision="abc", dtype="bfloat16")
    assert made(["a", "b"]).tolist() == [pytest.approx([0.6, 0.8])] * 2 and made([]).shape == (0, 1)
    assert made.signature.startswith("some/model@abc-bfloat16-sentence-transformers-")
    assert SentenceTransformers(str(tmp_path)).signature.startswith(tmp_path.name)
    assert FourGramEmbed("some/model").needs == {"reference", "model"}
    assert SGEmbed().needs == {"reference", "model", "gpu"} and f"embed:{QWEN}" in SGEmbed().signature
    with pytest.raises(MissingDependency, match=r"cannot be loaded: We couldn't connect to the hub\. Give a folder"):
        SentenceTransformers("absent/model")


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("changed", ["model.safetensors", "0_Transformer/model.safetensors", "1_Pooling/config.json"])
@pytest.mark.parametrize("make", [FourGramEmbed, SGEmbed])
def test_new_weights_in_an_old_folder_are_another_model(make: Any, changed: str, tmp_path: Path) -> None:
    folder = tmp_path / "my |model"
    for name in ("model.safetensors", "0_Transformer/model.safetensors", "1_Pooling/config.json"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"old")
    metric = make(str(folder))
    first = metric.signature
    assert "my_model-sha256-" in first and str(tmp_path) not in first
    (folder / ".cache").mkdir()
    for name in ("README.md", ".cache/record.json"):  # nothing that is read
        (folder / name).write_text("new")
    assert make(str(folder)).signature == first
    (folder / changed).write_bytes(b"new")
    assert metric.signature == first  # what was loaded is the old one
    assert make(str(folder)).signature != first


def test_the_digest_of_a_judges_folder_is_of_its_top_alone(tmp_path: Path) -> None:
    """By hand; verdict logs are known by it, so that it must not change."""
    (tmp_path / "sub").mkdir()
    for name in ("b.json", "a.safetensors", "sub/c.json", "notes.md"):
        (tmp_path / name).write_text(name)
    lines = "".join(f"{n} {hashlib.sha256(n.encode()).hexdigest()}\n" for n in ("a.safetensors", "b.json"))
    assert folder_digest(tmp_path) == hashlib.sha256(lines.encode()).hexdigest()
    lines += f"sub/c.json {hashlib.sha256(b'sub/c.json').hexdigest()}\n"
    assert folder_digest(tmp_path, below=True) == hashlib.sha256(lines.encode()).hexdigest()


def test_a_model_of_a_hub_keeps_its_name() -> None:
    assert hub.identity("some/model") == "some/model"


def test_clipscore_signs_the_weights_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from unittest.mock import MagicMock

    torch, transformers = MagicMock(), MagicMock()
    torch.cuda.is_available.return_value = False
    (transformers.CLIPModel.from_pretrained.return_value.to.return_value.eval.return_value
     .config.text_config.max_position_embeddings) = 77  # fmt: skip
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "transformers", transformers)
    signatures = []
    for weights in (b"old", b"new"):
        (tmp_path / "model.safetensors").write_bytes(weights)
        signatures.append(ClipScore(str(tmp_path)).signature)
    assert all(f"|model:{tmp_path.name}-sha256-" in s for s in signatures) and len(set(signatures)) == 2


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingDependency, match=r"pip install .*\[baselines\]"):
        make_embedder("some/model")
    with pytest.raises(InputError, match="name an embedding"):
        make_embedder("")


def test_what_a_model_lacks(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "lacks_gpu", lambda what: [f"a GPU for {what}"])
    assert embedding.lacking("chars") == [] == embedding.lacking(str(tmp_path))
    assert embedding.lacking()[0].startswith(f"a GPU for {QWEN}") and "after a colon" in embedding.lacking()[0]
    assert "hf download no-such/model" in embedding.lacking("no-such/model")[0]
    assert "hf download" in embedding.lacking(QWEN, device="cpu")[0]


def test_rows_of_our_stand_in_say_so() -> None:
    for name in ("4gram-chars", "sg-chars"):
        assert "stand-in" in METRICS[name].about and not METRICS[name].paper
    assert METRICS["4gram-embed"].paper == "4GramEmbed" and METRICS["sg-embed"].paper == "SGEmbed"
    for name in ("4gram-minilm", "sg-minilm"):
        assert "Qwen3-Embedding-8B" in METRICS[name].about and not METRICS[name].paper


def test_minilm_is_known_by_its_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(core.MINILM, raising=False)
    assert "POSH_LITE_MINILM is not set" in embedding.lacking("minilm")[0]
    monkeypatch.setenv(core.MINILM, str(tmp_path / "none"))
    assert "is not there" in embedding.lacking("minilm")[0]
    folder = tmp_path / "model"
    folder.mkdir()
    monkeypatch.setenv(core.MINILM, str(folder))
    assert "holds no weights" in embedding.lacking("minilm")[0]
    (folder / "model.safetensors").write_bytes(b"other")
    with pytest.raises(MissingDependency, match="holds no weights of all-MiniLM-L6-v2"):
        make_embedder("minilm")


@pytest.mark.usefixtures("library")
def test_rows_of_minilm_name_the_model_and_no_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"weights")
    monkeypatch.setattr(core, "_KNOWN", {hashlib.sha256(b"weights").hexdigest(): "all-MiniLM-L6-v2"})
    monkeypatch.setenv(core.MINILM, str(folder))
    assert embedding.lacking("minilm") == []
    for made, name in ((FourGramEmbed("minilm"), "4gram-minilm"), (SGEmbed("minilm"), "sg-minilm")):
        assert made.name == name and str(tmp_path) not in made.signature and made.needs == {"reference", "model"}
        assert "|embed:all-MiniLM-L6-v2-sha256-" in made.signature
    assert "|embed:all-MiniLM-L6-v2-sha256-" in FourGramEmbed(str(folder)).signature


@pytest.mark.parametrize("data", ["mini", "contrast", "iiw400", "mini-arena"])
def test_records_keep_the_rows_of_minilm(data: str) -> None:
    """Whoever renews a record without the model takes them from the kept scores, by --recorded."""
    record = Path(__file__).parents[1] / "data" / "results" / f"baselines-{data}" / "results.json"
    runs = {run["name"]: run for run in json.loads(record.read_text("utf-8"))["metrics"]}
    for name in ("4gram-minilm", "sg-minilm"):
        assert not runs[name]["skipped"] and "|embed:all-MiniLM-L6-v2-sha256-" in runs[name]["signature"]
