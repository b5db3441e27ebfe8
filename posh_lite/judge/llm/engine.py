"""What the core asks of an engine: a model in this process, on a GPU, or behind a server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from posh_lite.judge.llm.answers import Answers


@dataclass(frozen=True, slots=True)
class Prompt:
    """One user message.

    Attributes:
        text: the whole message, without chat template.
        shared: how many of its first characters are the same in all prompts of this side of this pair
            (instructions and texts), so that an engine can keep what it computed for them.
        pair_id: for error messages.
    """

    text: str
    shared: int = 0
    pair_id: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What an engine gave for one prompt.

    Attributes:
        candidates: (token text, natural log probability) at the first answer position: all answer tokens where the
            engine sees the whole vocabulary, else the most probable ones.
        text: what the model said, as far as it was generated.
        tokens: length of the prompt in tokens, template included; None where unknown.
        cached: how many of them were not computed anew; None where unknown.
        generated: tokens generated.
        samples: the texts, where samples were asked for.
        fault: why there is no answer (a server that failed for good); empty otherwise.
    """

    candidates: tuple[tuple[str, float], ...] = ()
    text: str = ""
    tokens: int | None = None
    cached: int | None = None
    generated: int = 0
    samples: tuple[str, ...] = field(default=())
    fault: str = ""


class Engine(Protocol):
    """A way of running a language model. Methods raise :class:`~posh_lite.errors.JudgeError` for what is fatal.

    Attributes:
        name: "gguf", "openai", "vllm" or "transformers".
        identity: model, revision or hash, and every setting that can change an answer, in one line without blanks
            at the ends; never a key, a path or an address.
        context: the most tokens of prompt and answer together, or None where unknown.
    """

    name: str
    identity: str
    context: int | None

    def count(self, prompt: Prompt) -> int | None:
        """Length in tokens with the chat template; None where the engine cannot tell."""
        ...

    def read(self, prompts: Sequence[Prompt], answers: Answers) -> list[Reading]:
        """The candidates for the first answer token of each prompt, in order. Deterministic."""
        ...

    def sample(self, prompts: Sequence[Prompt], n: int, seed: int) -> list[Reading]:
        """``n`` short answers of each prompt drawn at temperature 1, in ``Reading.samples``."""
        ...

    def generate(self, prompts: Sequence[Prompt], max_tokens: int) -> list[Reading]:
        """The most probable continuation of each prompt, in ``Reading.text``."""
        ...
