"""Models of a few thousand random weights, made on the spot, so that a training can be tried without a hub or a GPU.

Classes and chat format are those of the real thing; sizes are not. Needs torch, transformers and tokenizers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from posh_lite.errors import InputError

#: What there is, as a configuration names it.
NAMES = ("tiny:text", "tiny:qwen2_5_vl", "tiny:qwen3_vl")
_SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>",
            "<|video_pad|>", "<|vision_pad|>")
#: Chat in Qwen's manner; an image is one placeholder, which the processor widens.
TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' }}"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}{{ '<|vision_start|><|image_pad|><|vision_end|>' }}"
    "{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}{{ '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def tokenizer(texts: Sequence[str], size: int = 512) -> Any:
    """A byte-level tokenizer learned from some texts; every text can be written with it.

    Args:
        texts: to learn from.
        size: tokens at most, the 256 bytes and the special ones included.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=list(_SPECIAL), show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    core.train_from_iterator(texts, trainer)
    made = PreTrainedTokenizerFast(tokenizer_object=core, eos_token="<|im_end|>", pad_token="<|endoftext|>",
                                   padding_side="left", extra_special_tokens=list(_SPECIAL[1:]))
    made.chat_template = TEMPLATE
    return made


def make(name: str, texts: Sequence[str], seed: int) -> tuple[Any, Any]:
    """A model and its tokenizer or processor.

    Args:
        name: of :data:`NAMES`.
        texts: for the tokenizer.
        seed: of the weights.

    Raises:
        InputError: no such model.
    """
    import torch

    if name not in NAMES:
        raise InputError(f'no model "{name}"; there are {", ".join(NAMES)}', field="model.name")
    torch.manual_seed(seed)
    words = tokenizer(texts)
    return (_text(words), words) if name == "tiny:text" else _vision(name.removeprefix("tiny:"), words)


def _body(words: Any) -> dict[str, Any]:
    return {
        "vocab_size": len(words), "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 2048,
        "bos_token_id": None, "eos_token_id": words.eos_token_id, "pad_token_id": words.pad_token_id,
    }


def _text(words: Any) -> Any:
    from transformers import Qwen3Config, Qwen3ForCausalLM

    return Qwen3ForCausalLM(Qwen3Config(**_body(words), head_dim=8, tie_word_embeddings=True))


def _vision(kind: str, words: Any) -> tuple[Any, Any]:
    import transformers as t

    def token(text: str) -> int:
        return int(words.convert_tokens_to_ids(text))

    marks = {"image_token_id": token("<|image_pad|>"), "video_token_id": token("<|video_pad|>"),
             "vision_start_token_id": token("<|vision_start|>"), "vision_end_token_id": token("<|vision_end|>")}
    if kind == "qwen2_5_vl":
        rope = {"rope_type": "default", "mrope_section": [1, 1, 2], "rope_theta": 10000.0}
        config = t.Qwen2_5_VLConfig(
            text_config={**_body(words), "rope_parameters": rope},
            vision_config={"depth": 2, "hidden_size": 32, "intermediate_size": 64, "num_heads": 4,
                           "out_hidden_size": 32, "patch_size": 14, "window_size": 56, "fullatt_block_indexes": [1]},
            tie_word_embeddings=False, **marks,
        )
        model, patch, processor = t.Qwen2_5_VLForConditionalGeneration(config), 14, t.Qwen2_5_VLProcessor
        video = t.Qwen2VLVideoProcessor()
    else:
        rope = {"rope_type": "default", "mrope_section": [2, 1, 1], "mrope_interleaved": True, "rope_theta": 10000.0}
        config = t.Qwen3VLConfig(
            text_config={**_body(words), "head_dim": 8, "rope_parameters": rope},
            vision_config={"depth": 2, "hidden_size": 32, "intermediate_size": 64, "num_heads": 4,
                           "out_hidden_size": 32, "patch_size": 16, "num_position_embeddings": 64,
                           "deepstack_visual_indexes": [0]},
            tie_word_embeddings=False, **marks,
        )
        model, patch, processor = t.Qwen3VLForConditionalGeneration(config), 16, t.Qwen3VLProcessor
        video = t.Qwen3VLVideoProcessor()
    images = t.Qwen2VLImageProcessor(patch_size=patch, merge_size=2,
                                     size={"shortest_edge": 4 * patch**2, "longest_edge": 64 * patch**2})
    return model, processor(image_processor=images, tokenizer=words, video_processor=video, chat_template=TEMPLATE)
