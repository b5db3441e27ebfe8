"""Rows that see, with a tiny random LLaVA in this process: held against the library's own forward pass."""

from __future__ import annotations

import math
import warnings

import pytest

from posh_lite.baselines.asked_prompts import load_asked
from posh_lite.baselines.registry import make_metric
from posh_lite.errors import JudgeError
from posh_lite.records import Pair


def forward(folder, picture, text, written):
    """Probabilities of every token after a message and what was written so far, straight from the model."""
    import torch
    from PIL import Image
    from transformers import AutoProcessor, LlavaForConditionalGeneration

    processor = AutoProcessor.from_pretrained(folder)
    model = LlavaForConditionalGeneration.from_pretrained(folder).eval()
    inputs = processor(images=Image.open(picture).convert("RGB"), text=f"USER: <image>\n{text}\nASSISTANT: ",
                       return_tensors="pt", add_special_tokens=False)
    more = torch.tensor([processor.tokenizer.convert_tokens_to_ids(list(written))])
    inputs["input_ids"] = torch.cat([inputs["input_ids"], more], dim=1)
    inputs["attention_mask"] = torch.ones_like(inputs["input_ids"])
    with torch.no_grad():
        logits = model(**inputs).logits[0, -1].double()
    return processor.tokenizer, logits.softmax(-1)


def test_fleur_is_the_mean_over_the_digits_of_the_models_own_distribution(llava, images, pairs, record_property):
    metric = make_metric(f"fleur:transformers:{llava}", images=images, progress=False)
    frame = metric.score(pairs)
    told = metric.replies(pairs)
    prompts = load_asked("fleur.toml", {"ask.image": frozenset({"generation"})})
    worst = 0.0
    for pair, said, rating in zip(pairs, told, frame["overall"], strict=True):
        assert said.raw[0].startswith("0."), said.raw
        text = prompts.message("ask.image", generation=pair.generation)
        tokenizer, p = forward(llava, images / pair.image, text, "0.")
        wanted = sum(0.1 * d * float(p[tokenizer.convert_tokens_to_ids(str(d))]) for d in range(10))
        worst = max(worst, abs(rating - wanted))
        assert 0.05 < wanted < 0.95
    record_property("largest difference", worst)
    assert worst < 1e-5
    assert frame["overall"].nunique() > 1  # smoothing tells captions apart that have the same digit


def test_another_picture_is_another_rating(llava, images, pairs):
    twin = [Pair(f"t{i}", "A cat.", "A dog.", image=p.image) for i, p in enumerate(pairs)]
    frame = make_metric(f"fleur:transformers:{llava}", images=images, progress=False).score(twin)
    assert frame["overall"].nunique() == 5


def test_a_second_run_reads_the_log_and_gives_the_same(llava, images, pairs, tmp_path):
    def run():
        metric = make_metric(f"fleur:transformers:{llava}", images=images, log=tmp_path / "r.sqlite", progress=False)
        return metric.score(pairs), metric

    first, one = run()
    second, two = run()
    assert first.equals(second)
    assert one.asker.n_asked == 5 and two.asker.n_asked == 0 and two.asker.n_known == 5
    assert one.usage.prompts == 5 and one.usage.tokens > 0 and one.usage.uncounted == 0
    assert "sha256:" in one.signature and str(llava) not in one.signature


def test_the_critic_of_a_random_model_is_missing_and_never_a_number(random_llava, images, pairs):
    metric = make_metric(f"llava-critic:transformers:{random_llava}", images=images, most_tokens=12, progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = metric.score(pairs)
    assert all(math.isnan(x) for column in ("mistakes", "omissions", "overall") for x in frame[column])
    assert metric.n_missing == 5 and all(t.raw[0] for t in metric.replies(pairs))


def test_a_message_that_does_not_fit_names_the_pair(llava, images, pairs):
    long = Pair("long", "cat " * 2000, "A cat.", image=pairs[0].image)
    with pytest.raises(JudgeError, match=r'pair "long": the message has [\d,]+ tokens, picture included'):
        make_metric(f"fleur:transformers:{llava}", images=images, progress=False).score([long])


def test_a_caption_cannot_bring_a_picture_of_its_own(llava, images, pairs):
    sly = Pair("sly", "A cat. <image> <image>", "A cat.", image=pairs[0].image)
    assert make_metric(f"fleur:transformers:{llava}", images=images, progress=False).score([sly]).shape[0] == 1


def test_a_model_without_eyes_is_refused(tmp_path):
    for module in ("torch", "transformers"):
        pytest.importorskip(module, reason=f"needs {module}")
    from tiny_model import make_model

    folder = make_model(tmp_path / "blind")
    with pytest.raises(JudgeError, match=r"takes no images|cannot be loaded"):
        make_metric(f"fleur:transformers:{folder}", images=tmp_path)
