"""What a metric asks a model, and what comes back: whole replies, where judges read a single token."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from posh_lite.baselines.images import Picture
from posh_lite.judge.llm.engine import Prompt, Reading

#: A token of a reply, and the most probable candidates for its place with their log probabilities.
Position = tuple[str, tuple[tuple[str, float], ...]]


@dataclass(frozen=True, slots=True)
class Ask(Prompt):
    """One user message, with a picture or without.

    Attributes:
        picture: shown before the text.
        trial: which of several replies to the same message, from 0; part of its seed where replies are drawn.
    """

    picture: Picture | None = None
    trial: int = 0


@dataclass(frozen=True, slots=True)
class Sampling:
    """How replies are made.

    Attributes:
        temperature: 0 takes the most probable token each time.
        most_tokens: of a reply; one that is longer is cut off.
        candidates: how many candidates of each token are wanted; 0 for none.
    """

    temperature: float = 0.0
    most_tokens: int = 1024
    candidates: int = 0

    @property
    def signature(self) -> str:
        """Everything in it that can change a reply."""
        seen = f" candidates:{self.candidates}" if self.candidates else ""
        return f"temperature:{self.temperature:g} most-tokens:{self.most_tokens}{seen}"


@dataclass(frozen=True, slots=True)
class ChatReply(Reading):
    """A whole reply; ``text`` is what the model wrote.

    Attributes:
        cut: whether it was stopped at its most tokens.
        served: the name that the server gives the model that replied.
        positions: tokens with their candidates, where these were wanted.
    """

    cut: bool = False
    served: str = ""
    positions: tuple[Position, ...] = ()


#: Told of each reply as it comes, by the number of its question.
Keep = Callable[[int, ChatReply], None]


class ChatEngine(Protocol):
    """A way of getting replies from a model.

    Attributes:
        name: "openai", "transformers", "vllm" or "gguf".
        identity: model, revision or hash, and every setting that can change a reply; no key, path or address.
        model: as it was named.
        sees: whether it takes pictures.
        batch: questions that are worth handing over at a time.
    """

    name: str
    identity: str
    model: str
    sees: bool
    batch: int

    def reply(self, asks: Sequence[Ask], sampling: Sampling, keep: Keep) -> list[ChatReply]:
        """Replies in order. Each is handed to ``keep`` as soon as it is there; one that failed has its ``fault``.

        Raises:
            JudgeError: nothing can be asked, or a message does not fit the model's context.
        """
        ...
