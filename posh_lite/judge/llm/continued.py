"""Sampling and greedy writing, for engines that see the logits of every next token."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from posh_lite.judge.llm.engine import Prompt, Reading

_SAMPLE_TOKENS = 6


class Continuing(ABC):
    """``sample`` and ``generate`` of an engine that can pick token after token itself."""

    @abstractmethod
    def _follow(
        self, prompt: Prompt, n: int, most: int, choose: Callable[[int, Any], int]
    ) -> tuple[list[list[int]], int, int]:
        """``n`` continuations of at most ``most`` tokens, the prompt's length, and how much of it was reused.

        ``choose`` picks a token from the number of the continuation and its logits.
        """

    @abstractmethod
    def _text(self, tokens: Sequence[int]) -> str:
        """What tokens say."""

    @abstractmethod
    def _weights(self, logits: Any) -> NDArray[np.float64]:
        """Numbers in proportion to the probabilities of the vocabulary's tokens."""

    def sample(self, prompts: Sequence[Prompt], n: int, seed: int) -> list[Reading]:
        """Short answers drawn at temperature 1; the draws of a prompt depend on the seed alone."""
        readings = []
        for prompt in prompts:
            rng = [np.random.default_rng([seed, number]) for number in range(n)]

            def draw(i: int, logits: Any, rng: list[np.random.Generator] = rng) -> int:
                weights = self._weights(logits)
                return int(rng[i].choice(len(weights), p=weights / weights.sum()))

            made, tokens, cached = self._follow(prompt, n, _SAMPLE_TOKENS, draw)
            texts = tuple(self._text(m) for m in made)
            readings.append(Reading((), texts[0], tokens, cached, sum(map(len, made)), texts))
        return readings

    def generate(self, prompts: Sequence[Prompt], max_tokens: int) -> list[Reading]:
        """The most probable continuation of each prompt, token by token."""
        readings = []
        for prompt in prompts:
            made, tokens, cached = self._follow(prompt, 1, max_tokens, lambda _, logits: int(logits.argmax()))
            readings.append(Reading((), self._text(made[0]), tokens, cached, len(made[0])))
        return readings
