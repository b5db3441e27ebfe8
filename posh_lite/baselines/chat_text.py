"""Replies from a model in this process that reads text alone: the judges' engines for llama.cpp, transformers, vLLM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from posh_lite.baselines.chat_types import Ask, ChatReply, Keep, Sampling
from posh_lite.errors import InputError, JudgeError
from posh_lite.judge.llm.engine import Engine, Prompt


class TextChat:
    """Whole replies of an engine that judges use, thinking switched off in its chat template.

    Args:
        engine: of ``posh_lite.judge.llm``.
        model: as it was named.
    """

    sees = False

    def __init__(self, engine: Engine, model: str) -> None:
        self.engine, self.model = engine, model
        self.name, self.identity = engine.name, engine.identity
        # vLLM fills a GPU with many prompts; the others go one by one, and each reply is kept at once.
        self.batch = 256 if engine.name == "vllm" else 1

    def reply(self, asks: Sequence[Ask], sampling: Sampling, keep: Keep) -> list[ChatReply]:
        """The most probable reply to each message, in order.

        Raises:
            InputError: a picture, a temperature or candidates of tokens are asked for.
            JudgeError: a message and its reply do not fit the context.
        """
        if sampling.temperature or sampling.candidates or any(a.picture is not None for a in asks):
            raise InputError(f"{self.name} gives the most probable reply to a text, and nothing else; use a server")
        replies: list[ChatReply] = []
        for ask in asks:
            self._fits(ask, sampling)
        for at in range(0, len(asks), self.batch):
            part = [Prompt(a.text, 0, a.pair_id) for a in asks[at:at + self.batch]]
            for reading in self.engine.generate(part, sampling.most_tokens):
                reply = ChatReply(
                    text=reading.text, tokens=reading.tokens, cached=reading.cached, generated=reading.generated,
                    fault=reading.fault, cut=reading.generated >= sampling.most_tokens,
                )
                if not reply.fault:
                    keep(len(replies), reply)
                replies.append(reply)
        return replies

    def _fits(self, ask: Ask, sampling: Sampling) -> None:
        tokens, context = self.engine.count(ask), self.engine.context
        if tokens is not None and context is not None and tokens + sampling.most_tokens > context:
            raise JudgeError(
                f'pair "{ask.pair_id}": the message has {tokens:,} tokens, with {sampling.most_tokens:,} for the reply'
                f" more than the {context:,} of the model's context ({self.name}); raise the context, lower"
                " most_tokens, or leave the pair out: nothing is cut off"
            )


def text_chat(kind: str, model: str, **options: Any) -> TextChat:
    """A model in this process, by the name of its engine: "gguf", "transformers" or "vllm"."""
    makers: dict[str, Callable[..., Any]] = {"gguf": _gguf, "transformers": _transformers, "vllm": _vllm}
    return TextChat(makers[kind](model, **options), model)


def _gguf(model: str, **options: Any) -> Engine:
    from posh_lite.judge.llm.gguf import GgufEngine

    return GgufEngine(model, **options)


def _transformers(model: str, **options: Any) -> Engine:
    from posh_lite.judge.llm.transformers_engine import TransformersEngine

    return TransformersEngine(model, **options)


def _vllm(model: str, **options: Any) -> Engine:
    from posh_lite.judge.llm.vllm_engine import VllmEngine

    return VllmEngine(model, **options)
