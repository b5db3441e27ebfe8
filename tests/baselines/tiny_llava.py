"""A tiny random LLaVA with a real tokenizer, image processor and chat template, made on the spot without a hub."""

from __future__ import annotations

import warnings
from pathlib import Path

TEMPLATE = (
    "{% for message in messages %}{{ message['role'] | upper }}: {% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image>\n{% else %}{{ part['text'] }}{% endif %}{% endfor %}{{ '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}ASSISTANT: {% endif %}"
)
SPECIALS = ["<s>", "</s>", "<pad>", "<image>"]
CORPUS = ["A red cat sits on a mat. 0 1 2 3 4 5 6 7 8 9 0.8 1.0 USER: ASSISTANT: precision recall overall"] * 20


def make_llava(folder: Path, *, digits: bool = False, seed: int = 7) -> Path:
    """Weights, configuration, tokenizer and processor in a folder; the same for the same arguments.

    Args:
        folder: made.
        digits: whether the model is led to write "0." and a digit, then to stop.
        seed: of the weights.
    """
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import (
        CLIPImageProcessor,
        CLIPVisionConfig,
        LlamaConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
        LlavaProcessor,
        PreTrainedTokenizerFast,
    )

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        CORPUS, trainers.BpeTrainer(vocab_size=340, special_tokens=SPECIALS, initial_alphabet=alphabet)
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", pad_token="<pad>",
        additional_special_tokens=["<image>"],
    )
    image = fast.convert_tokens_to_ids("<image>")
    config = LlavaConfig(
        vision_config=CLIPVisionConfig(
            hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=2, image_size=28,
            patch_size=14, projection_dim=32,
        ),
        text_config=LlamaConfig(
            vocab_size=352, hidden_size=48, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
            max_position_embeddings=1024, initializer_range=0.2, bos_token_id=0, eos_token_id=1, pad_token_id=2,
        ),
        image_token_index=image, image_seq_length=4, vision_feature_layer=-1,
        vision_feature_select_strategy="default",
    )
    torch.manual_seed(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LlavaForConditionalGeneration(config)
        with torch.no_grad():
            for name, weight in model.named_parameters():
                if "vision_tower" in name or "multi_modal_projector" in name:
                    weight.mul_(20.0)  # so that another picture shows in the reply
        if digits:
            _lead(model, fast)
        model.generation_config.eos_token_id = 1
        model.save_pretrained(folder)
        processor = LlavaProcessor(
            image_processor=CLIPImageProcessor(size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}),
            tokenizer=fast, patch_size=14, vision_feature_select_strategy="default", chat_template=TEMPLATE,
            image_token="<image>", num_additional_image_tokens=1,
        )
        processor.save_pretrained(folder)
    return folder


def _lead(model: object, tokenizer: object) -> None:
    """A few steps of training on texts alone, after which the model writes "0.", a digit, and stops."""
    import torch

    torch.manual_seed(3)
    rng = torch.Generator().manual_seed(3)
    trained = [p for name, p in model.named_parameters() if "vision" not in name]  # type: ignore[attr-defined]
    optimizer = torch.optim.Adam(trained, lr=3e-3)
    for _ in range(120):
        words = torch.randint(4, 340, (int(torch.randint(4, 60, (1,), generator=rng)),), generator=rng).tolist()
        digit = int(torch.multinomial(torch.tensor([0, 0, 0, 1, 1, 2, 3, 5, 4, 2.0]), 1, generator=rng))
        told = tokenizer(f"ASSISTANT: 0.{digit}", add_special_tokens=False)["input_ids"]  # type: ignore[operator]
        ids = torch.tensor([[*words, *told, 1]])
        labels = ids.clone()
        labels[:, : len(words) + len(told) - 3] = -100
        loss = model(input_ids=ids, labels=labels).loss  # type: ignore[operator]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
