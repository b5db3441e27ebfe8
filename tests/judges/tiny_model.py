"""A tiny random Qwen3 with a real tokenizer, made on the spot: what the engines are tried on without a model hub."""

from __future__ import annotations

import warnings
from pathlib import Path

#: A ChatML-like template that opens a thinking block unless thinking is switched off, as Qwen3's.
TEMPLATE = r"""
{%- for message in messages %}
    {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\n\n</think>\n\n' }}
    {%- endif %}
{%- endif %}
"""
SPECIALS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>"]
#: What the tokenizer learns from: the answers must become single tokens, with and without a blank before them.
CORPUS = [
    "Is there a red lamp on the wooden table? Answer yes or no. Yes No yes no YES NO yes no yes no",
    "On a scale from 1 to 5, how well does the text support it? 1 2 3 4 5 10 2025 1/5 4. 1 2 3 4 5 1 2 3 4 5",
    "A man in a blue coat stands in front of a stone house. The text mentions the man, the coat and the house.",
] * 20


def make_tokenizer(template: str | None = TEMPLATE) -> object:
    """A byte-level BPE trained on a few sentences."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        CORPUS, trainers.BpeTrainer(vocab_size=420, special_tokens=SPECIALS, initial_alphabet=alphabet)
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>", chat_template=template,
        model_max_length=2048,
    )


def make_model(folder: Path, *, template: str | None = TEMPLATE, context: int = 2048, layers: int = 3) -> Path:
    """Weights, configuration and tokenizer in a folder; the same for the same arguments."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    tokenizer = make_tokenizer(template)
    config = Qwen3Config(
        vocab_size=448, hidden_size=64, intermediate_size=96, num_hidden_layers=layers, num_attention_heads=4,
        num_key_value_heads=2, head_dim=32, max_position_embeddings=context, tie_word_embeddings=False,
        initializer_range=0.15,  # wide, so that the distributions differ from prompt to prompt
        bos_token_id=0, eos_token_id=2, pad_token_id=0,
    )
    torch.manual_seed(11)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        Qwen3ForCausalLM(config).save_pretrained(folder)
        tokenizer.save_pretrained(folder)  # type: ignore[attr-defined]
    return folder
