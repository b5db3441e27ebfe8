"""Where the time goes: a small stopwatch with named laps."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """Adds up wall-clock seconds by name.

    Laps may nest: time in an inner lap is taken off the outer one, so that the sum is what passed.

    Example:
        >>> watch = Stopwatch()
        >>> with watch.lap("judging"):
        ...     pass
        >>> list(watch.seconds)
        ['judging']
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._open: list[float] = []  # for every running lap, the seconds spent in laps inside it

    @contextmanager
    def lap(self, name: str) -> Iterator[None]:
        """Count the time of the block under ``name``."""
        start = time.perf_counter()
        self._open.append(0.0)
        try:
            yield
        finally:
            passed = time.perf_counter() - start
            inside = self._open.pop()
            self.seconds[name] = self.seconds.get(name, 0.0) + passed - inside
            if self._open:
                self._open[-1] += passed

    @property
    def total(self) -> float:
        return sum(self.seconds.values())

    def shares(self) -> dict[str, float]:
        """Each lap's part of the total, from 0 to 1; empty before anything was measured."""
        total = self.total
        return {name: value / total for name, value in self.seconds.items()} if total else {}

    def __str__(self) -> str:
        return ", ".join(f"{name} {share:.0%}" for name, share in self.shares().items())
