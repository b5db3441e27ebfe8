"""The tiny random Qwen3 of :mod:`tiny_model` as a GGUF file: same weights, same tokens, same chat template."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

#: Names of a layer's weights in llama.cpp, by their names in the folder that transformers wrote.
LAYER = {
    "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
}
WHOLE = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
#: llama.cpp's name for the way in which a plain byte-level tokenizer cuts a text into words.
CUTS = "gpt-2"


#: A plain ChatML template: the engines do not agree on how thinking is switched off, so there is none to switch off.
TEMPLATE = r"""
{%- for message in messages %}
    {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
{%- endif %}
"""
ANSWERS = frozenset({"1", "2", "3", "4", "5", "yes", "no"})


#: How much likelier an answer becomes, as a natural logarithm.
LEANING = 8.0


def make_answering(folder: Path, texts: list[str]) -> Path:
    """The tiny model, leaning towards the answers: a server names the most probable tokens alone.

    All answers get the same share of the mean state at the end of a prompt, so their odds among themselves stay.

    Args:
        folder: where the model goes.
        texts: prompts over which the mean is taken.
    """
    import torch
    from safetensors.numpy import load_file, save_file
    from tiny_model import make_model
    from transformers import AutoModelForCausalLM, AutoTokenizer

    make_model(folder, template=TEMPLATE)
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
    states = []
    for text in texts:
        asked = tokenizer.apply_chat_template(
            [{"role": "user", "content": text}], tokenize=False, add_generation_prompt=True
        )
        ids = tokenizer(asked, add_special_tokens=False, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            states.append(model.model(ids).last_hidden_state[0, -1])
    mean = torch.stack(states).mean(0).numpy()
    vocabulary = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    numbers = [n for text, n in vocabulary.items() if text.removeprefix("\u0120").lower() in ANSWERS]
    weights = load_file(folder / "model.safetensors")
    weights["lm_head.weight"][numbers] += LEANING * mean / (mean @ mean)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def place_of(name: str) -> str:
    """Where llama.cpp looks for a weight of the folder."""
    stem = name.removesuffix(".weight")
    if stem in WHOLE:
        return f"{WHOLE[stem]}.weight"
    number, _, part = stem.removeprefix("model.layers.").partition(".")
    return f"blk.{int(number)}.{LAYER[part]}.weight"


def write_gguf(folder: Path, path: Path) -> Path:
    """Write the model of a folder to a file, in float32.

    Args:
        folder: configuration, weights, tokenizer and template, as ``make_model`` leaves them.
        path: the file to write.

    Raises:
        KeyError: the folder has a weight that a Qwen3 has not.
    """
    import gguf
    from safetensors.numpy import load_file

    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    writer = gguf.GGUFWriter(str(path), "qwen3")
    writer.add_name("Tiny Random Qwen3")
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_key_length(config["head_dim"])
    writer.add_value_length(config["head_dim"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(_rope_base(config))
    _add_tokenizer(writer, folder, config)
    for name, values in load_file(folder / "model.safetensors").items():
        assert str(values.dtype) == "float32", f"{name} is {values.dtype}"
        writer.add_tensor(place_of(name), values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _rope_base(config: dict[str, Any]) -> float:
    """Releases of transformers write it in one place or the other."""
    return float(config["rope_theta"] if "rope_theta" in config else config["rope_parameters"]["rope_theta"])


def _add_tokenizer(writer: Any, folder: Path, config: dict[str, Any]) -> None:
    import gguf

    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    size = config["vocab_size"]  # the model has room for more tokens than the tokenizer makes
    tokens = [f"[UNUSED {number}]" for number in range(size)]
    types = [gguf.TokenType.UNUSED] * size
    for text, number in tokenizer["model"]["vocab"].items():
        tokens[number], types[number] = text, gguf.TokenType.NORMAL
    for added in tokenizer["added_tokens"]:
        tokens[added["id"]], types[added["id"]] = added["content"], gguf.TokenType.CONTROL
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(CUTS)
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges([m if isinstance(m, str) else " ".join(m) for m in tokenizer["model"]["merges"]])
    writer.add_bos_token_id(config["bos_token_id"])
    writer.add_eos_token_id(config["eos_token_id"])
    writer.add_pad_token_id(config["pad_token_id"])
    writer.add_add_bos_token(False)
    writer.add_chat_template((folder / "chat_template.jinja").read_text(encoding="utf-8"))
