"""What judging took: prompts, tokens, how many of them were computed, seconds, and what it would cost elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields

from posh_lite.errors import InputError
from posh_lite.judge.llm.engine import Reading


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of an endpoint per million tokens, in any currency."""

    prompt: float
    cached: float
    generated: float

    @classmethod
    def parse(cls, text: str) -> Prices:
        """From "PROMPT,GENERATED" or "PROMPT,CACHED,GENERATED".

        Raises:
            InputError: not two or three numbers of at least 0.
        """
        try:
            values = [float(part) for part in text.split(",")]
        except ValueError:
            values = []
        if len(values) not in (2, 3) or any(not 0 <= v < math.inf for v in values):
            raise InputError(
                f'prices are given as PROMPT,CACHED,GENERATED or PROMPT,GENERATED, per million tokens, got "{text}"'
            )
        return cls(values[0], values[-2] if len(values) == 3 else values[0], values[-1])


def unpriced(judge: str) -> InputError:
    """What to say where prices are given for a judge without tokens."""
    return InputError(f"--prices: the judge {judge} has no tokens that could be priced")


@dataclass(slots=True)
class Usage:
    """Sums over the prompts that a judge has put to its model.

    Attributes:
        prompts: how many.
        tokens: their length, chat template included.
        cached: tokens whose computation was reused from a prompt with the same beginning.
        generated: tokens generated.
        seconds: wall-clock time inside the engine.
        uncounted: prompts whose length the engine did not tell; they are in no sum of tokens.
        untold: prompts of known length of which the engine did not tell how much it reused; they count as computed.
    """

    prompts: int = 0
    tokens: int = 0
    cached: int = 0
    generated: int = 0
    seconds: float = 0.0
    uncounted: int = 0
    untold: int = 0

    def __iadd__(self, other: Usage) -> Usage:
        """Add what was counted elsewhere, for example by another process."""
        for f in fields(self):
            setattr(self, f.name, getattr(self, f.name) + getattr(other, f.name))
        return self

    @property
    def computed(self) -> int:
        """Tokens of prompts that were computed: what is left after prefix reuse."""
        return self.tokens - self.cached

    def add(self, readings: Iterable[Reading], seconds: float) -> None:
        """Count what an engine gave back."""
        self.seconds += seconds
        for reading in readings:
            self.prompts += 1
            self.generated += reading.generated
            if reading.tokens is None:
                self.uncounted += 1
            else:
                self.tokens += reading.tokens
                self.cached += min(reading.cached or 0, reading.tokens)
                self.untold += reading.cached is None

    def cost(self, prices: Prices) -> float:
        """What the same tokens cost on an endpoint with these prices."""
        parts = (self.computed * prices.prompt, self.cached * prices.cached, self.generated * prices.generated)
        return math.fsum(parts) / 1e6

    def minus(self, earlier: Usage) -> Usage:
        """What has come since an earlier state."""
        return Usage(**{f.name: getattr(self, f.name) - getattr(earlier, f.name) for f in fields(self)})

    def copy(self) -> Usage:
        """The state of now."""
        return self.minus(Usage())

    def describe(self, pairs: int = 0) -> str:
        """One line for a reader."""
        parts = [f"{self.prompts:,} prompts"]
        if self.tokens:
            parts.append(f"{self.tokens:,} tokens")
            if self.untold < self.prompts - self.uncounted:
                parts[-1] += f", {self.computed:,} of them computed ({self.cached / self.tokens:.0%} reused)"
        if self.generated:
            parts.append(f"{self.generated:,} generated")
        if self.uncounted:
            parts.append(f"{self.uncounted:,} of unknown length")
        if pairs and self.prompts:
            parts.append(f"{self.seconds / pairs:.2f} s a pair")
        return "; ".join(parts)
