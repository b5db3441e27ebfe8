"""Replies from a vision-language model of the transformers library in this process, on the CPU or one GPU.

Greedy, one message at a time, with the candidates of every token where these are wanted (all ten digits among them, so
that FLEUR's expected score is exact). Run for the tests on the CPU with a tiny random LLaVA; on CUDA it was not run.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from posh_lite.baselines.chat_types import Ask, ChatReply, Keep, Position, Sampling
from posh_lite.errors import InputError, JudgeError
from posh_lite.judge.llm.chat import one_line
from posh_lite.judge.llm.weights import load, locate


class VisionChat:
    """A model that sees, with its processor and chat template. Code that comes with a model is never run.

    Args:
        model: a folder, or the name of a model on the hub, such as ``llava-hf/llava-1.5-13b-hf``.
        revision: commit, tag or branch of the hub; the commit is part of the identity.
        device: "auto" is "cuda" where there is one, else "cpu".
        dtype: of the weights; "auto" is the checkpoint's own on a GPU and float32 on the CPU.

    Raises:
        InputError: a setting is out of range.
        JudgeError: no such model, or none that sees and has a chat template.
    """

    name, sees, batch = "transformers", True, 1

    def __init__(
        self, model: str | Path, *, revision: str | None = None, device: str = "auto", dtype: str = "auto",
    ) -> None:
        import torch
        import transformers

        if dtype not in ("auto", "float32", "bfloat16", "float16"):
            raise InputError(f"dtype must be auto, float32, bfloat16 or float16, got {dtype!r}")
        place = torch.device(("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device)
        source = locate(model, revision)
        self.model = str(model)
        self._processor = load(source, transformers.AutoProcessor)
        if not getattr(self._processor, "chat_template", None) or not hasattr(self._processor, "image_processor"):
            raise JudgeError(f"{source.label}: its processor has no chat template or takes no images")
        wanted: Any = ("auto" if place.type != "cpu" else torch.float32) if dtype == "auto" else getattr(torch, dtype)
        self._model = load(source, transformers.AutoModelForImageTextToText, dtype=wanted).to(place).eval()
        self._context = getattr(self._model.config.get_text_config(), "max_position_embeddings", None)
        tokenizer = self._processor.tokenizer
        near = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
        digits = set("0123456789")
        self._digits = [i for i, t in enumerate(near) if t is not None and t.lstrip("\u2581\u0120") in digits]
        self.identity = (
            f"{source.identity} dtype:{str(self._model.dtype).removeprefix('torch.')} device:{place.type}"
            f" transformers:{transformers.__version__} torch:{torch.__version__.partition('+')[0]}"
        )

    def reply(self, asks: Sequence[Ask], sampling: Sampling, keep: Keep) -> list[ChatReply]:
        """The most probable reply to each message, in order.

        Raises:
            InputError: a temperature is asked for, or a picture cannot be opened.
            JudgeError: a message and its reply do not fit the context.
        """
        if sampling.temperature:
            raise InputError("this engine gives the most probable reply alone; draw replies from a server")
        replies = []
        for number, ask in enumerate(asks):
            replies.append(self._said(ask, sampling))
            keep(number, replies[-1])
        return replies

    def _said(self, ask: Ask, sampling: Sampling) -> ChatReply:
        import torch

        inputs = self._inputs(ask).to(self._model.device)
        inputs = {k: v.to(self._model.dtype) if v.is_floating_point() else v for k, v in inputs.items()}
        length = int(inputs["input_ids"].shape[1])
        if self._context is not None and length + sampling.most_tokens > self._context:
            raise JudgeError(
                f'pair "{ask.pair_id}": the message has {length:,} tokens, picture included, with'
                f" {sampling.most_tokens:,} for the reply more than the {self._context:,} of the model's context; lower"
                " most_tokens or leave the pair out: nothing is cut off"
            )
        with torch.inference_mode():
            made = self._model.generate(
                **inputs, do_sample=False, max_new_tokens=sampling.most_tokens, return_dict_in_generate=True,
                output_logits=bool(sampling.candidates),
            )
        tokens = made.sequences[0, length:].tolist()
        text = self._processor.tokenizer.decode(tokens, skip_special_tokens=True)
        seen = tuple(
            self._position(token, row[0], sampling.candidates)
            for token, row in zip(tokens, made.logits if sampling.candidates else (), strict=False)
        )
        cut = len(tokens) >= sampling.most_tokens and tokens[-1] not in self._ends()
        return ChatReply(text=text, tokens=length, cached=0, generated=len(tokens), cut=cut, positions=seen)

    def _inputs(self, ask: Ask) -> Any:
        content: list[dict[str, Any]] = [{"type": "text", "text": ask.text}]
        if ask.picture is not None:
            content.insert(0, {"type": "image"})
        chat = [{"role": "user", "content": content}]
        text = self._processor.apply_chat_template(chat, add_generation_prompt=True, tokenize=False)
        images = None if ask.picture is None else [_opened(ask)]
        try:
            return self._processor(images=images, text=text, return_tensors="pt", add_special_tokens=False)
        except (ValueError, TypeError) as error:
            raise JudgeError(f'pair "{ask.pair_id}": the model cannot take this message ({one_line(error)})') from None

    def _position(self, token: int, logits: Any, most: int) -> Position:
        """A token and its most probable candidates, the digits always among them."""
        values = logits.double().log_softmax(-1)
        top = values.topk(min(most, values.shape[-1])).indices.tolist()
        wanted = dict.fromkeys([token, *top, *self._digits])
        return self._piece(token), tuple((self._piece(i), float(values[i])) for i in wanted)

    def _piece(self, token: int) -> str:
        return str(self._processor.tokenizer.decode([token], clean_up_tokenization_spaces=False))

    def _ends(self) -> set[int]:
        ends = self._model.generation_config.eos_token_id
        return set(ends) if isinstance(ends, list) else {ends}


def _opened(ask: Ask) -> Any:
    from PIL import Image

    assert ask.picture is not None
    try:
        with Image.open(io.BytesIO(ask.picture.read())) as image:
            return image.convert("RGB")
    except (OSError, SyntaxError, ValueError) as error:
        raise InputError(f'pair "{ask.pair_id}": its image cannot be opened ({one_line(error)})') from None
