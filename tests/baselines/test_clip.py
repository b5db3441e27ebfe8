"""CLIPScore on a tiny random CLIP that is made on the spot."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from posh_lite.baselines.registry import make_metric
from posh_lite.errors import InputError, MissingDependency
from posh_lite.records import Pair

torch = pytest.importorskip("torch", reason="needs torch (extra baselines)")
transformers = pytest.importorskip("transformers", reason="needs transformers (extra baselines)")
Image = pytest.importorskip("PIL.Image", reason="needs pillow (extra baselines)")


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a CLIP of two small layers, with the letters for a vocabulary and room for 24 tokens."""
    folder = tmp_path_factory.mktemp("clip")
    letters = [chr(n) for n in range(97, 123)]
    vocabulary = [*letters, *(f"{c}</w>" for c in letters), "<|startoftext|>", "<|endoftext|>"]
    tokenizer = transformers.CLIPTokenizer(vocab={w: n for n, w in enumerate(vocabulary)}, merges=[])
    tokenizer.save_pretrained(folder)
    try:
        pixels = transformers.CLIPImageProcessorPil
    except AttributeError:
        pixels = transformers.CLIPImageProcessor
    processor = pixels(size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16})
    transformers.CLIPProcessor(processor, tokenizer).save_pretrained(folder)
    small = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = transformers.CLIPConfig(
        text_config={**small, "vocab_size": len(vocabulary), "max_position_embeddings": 24,
                     "bos_token_id": len(vocabulary) - 2, "eos_token_id": len(vocabulary) - 1},
        vision_config={**small, "image_size": 16, "patch_size": 8}, projection_dim=8,
    )  # fmt: skip
    torch.manual_seed(0)
    model = transformers.CLIPModel(config)
    with torch.no_grad():
        model.text_projection.weight.mul_(-1)  # or all cosines were below 0 with this seed
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    for n, colour in enumerate(("red", "green", "blue")):
        Image.new("RGB", (20 + n, 30), colour).save(folder / f"{n}.png")
    Image.new("L", (8, 8), 9).save(folder / "gray.png")
    (folder / "broken.png").write_bytes(b"no picture")
    return folder


def test_clipscore_by_hand(clip: Path, pictures: Path) -> None:
    """2.5 times the cosine of the model's own embeddings, none below 0, alone and in a batch."""
    pairs = [Pair(str(n), text, "", image=f"{n}.png") for n, text in enumerate(["a dog", "two cats", "sky"])]
    pairs.append(Pair("gray", "a dog", "", image="gray.png"))
    model = transformers.CLIPModel.from_pretrained(clip).eval()
    processor = transformers.CLIPProcessor.from_pretrained(clip)
    expected = []
    for pair in pairs:
        picture = Image.open(pictures / str(pair.image)).convert("RGB")
        given = processor(text=["A photo depicts " + pair.generation], images=[picture], return_tensors="pt",
                          truncation=True, max_length=24)
        with torch.no_grad():
            text = model.text_projection(model.text_model(given["input_ids"]).pooler_output)[0]
            image = model.visual_projection(model.vision_model(given["pixel_values"]).pooler_output)[0]
        cosine = float(text @ image / (text.norm() * image.norm()))
        expected.append(2.5 * max(cosine, 0))
    for size in (1, 16):
        frame = make_metric(f"clipscore:{clip}", images=pictures, device="cpu", batch_size=size).score(pairs)
        assert frame["overall"].tolist() == pytest.approx(expected, abs=1e-5)
        assert frame["mistakes"].equals(frame["omissions"])
    assert len(set(expected)) > 1


def test_never_below_zero(clip: Path, pictures: Path) -> None:
    """With the text turned round, what was below 0 is above and the other way about: one of the two is 0."""
    metric = make_metric(f"clipscore:{clip}", images=pictures, device="cpu")
    pair = Pair("x", "a dog", "", image="0.png")
    first = metric.score([pair])["overall"][0]
    with torch.no_grad():
        metric._model.text_projection.weight.mul_(-1)  # type: ignore[attr-defined]
    second = metric.score([pair])["overall"][0]
    assert min(first, second) == 0 < max(first, second) <= 2.5


def test_long_texts_are_cut_and_counted(clip: Path, pictures: Path) -> None:
    metric = make_metric(f"clipscore:{clip}", images=pictures, device="cpu", prefix="")
    start = "a red dog and a cat"
    pairs = [Pair(str(n), f"{start} {tail}", "", image="0.png") for n, tail in enumerate(("", "run " * 50))]
    frame = metric.score(pairs)
    assert frame["overall"].notna().all()
    assert metric.notes() == [  # type: ignore[attr-defined]
        "1 of 2 texts are longer than the 24 tokens that CLIP reads: what comes after has no part in the score"]


def test_pairs_without_a_picture(clip: Path, pictures: Path) -> None:
    metric = make_metric(f"clipscore:{clip}", images=pictures, device="cpu")
    frame = metric.score([Pair("a", "a dog", ""), Pair("b", "", "", image="0.png")])
    assert math.isnan(frame["overall"][0]) and frame.attrs["undefined"] == {"a": "the pair has no picture"}
    assert frame["overall"].notna()[1] and metric.notes() == []  # type: ignore[attr-defined]
    assert "|w:2.5|prefix:A_photo_depicts|tokens:24|pixels:CLIPImageProcessor" in metric.signature  # type: ignore[attr-defined]


def test_pictures_that_are_not_there(clip: Path, pictures: Path) -> None:
    metric = make_metric(f"clipscore:{clip}", images=pictures, device="cpu")
    with pytest.raises(InputError, match=r'pair "x": no image .*none\.png; .*the option images'):
        metric.score([Pair("x", "a dog", "", image="none.png")])
    with pytest.raises(InputError, match="is no picture"):
        metric.score([Pair("x", "a dog", "", image="broken.png")])


def test_models_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(MissingDependency, match="hf download no-such/clip"):
        make_metric("clipscore:no-such/clip")
    with pytest.raises(MissingDependency, match="cannot be loaded"):
        make_metric(f"clipscore:{tmp_path}")
