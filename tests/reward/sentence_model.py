"""A random causal model whose tokens are whole sentences: it composes captions that mean something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

#: A chat in which every turn is one token, then the words of the message.
TEMPLATE = (
    "{% for message in messages %}{{ '<' + message['role'] + '>' + '\n' }}"
    "{% if message['content'] is string %}{{ message['content'] + '\n' }}"
    "{% else %}{% for part in message['content'] %}{{ part['text'] + '\n' }}{% endfor %}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<assistant>' + '\n' }}{% endif %}"
)


def make_tokenizer(sentences: Sequence[str]) -> Any:
    """Each line of a text is one token; a caption is its sentences with a blank between them."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = ["<pad>", "<eos>", "<unk>", "<user>", "<assistant>", "Describe the picture.", *sentences]
    core = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.Split("\n", "removed")  # type: ignore[assignment]
    made = PreTrainedTokenizerFast(tokenizer_object=core, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>",
                                   extra_special_tokens=["<user>", "<assistant>"], padding_side="left")  # fmt: skip
    made.chat_template = TEMPLATE
    return made


def make_model(words: Any, seed: int = 3) -> Any:
    """A Qwen3 of one narrow layer."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(seed)
    return Qwen3ForCausalLM(Qwen3Config(
        vocab_size=len(words), hidden_size=32, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=1, head_dim=16, max_position_embeddings=64, bos_token_id=None,
        eos_token_id=words.eos_token_id, pad_token_id=words.pad_token_id,
    ))
