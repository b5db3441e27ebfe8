"""What each pair takes a language model: one JSON line a pair, written while a long run goes on.

The pairs are scored one at a time, so that the counts belong to one pair, and a run that is stopped has lost no more
than the pair in hand (whose answers a verdict log still holds, batch by batch).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from posh_lite.errors import InputError

if TYPE_CHECKING:
    from posh_lite.judge.llm.usage import Usage
    from posh_lite.metric.posh import PoSh
    from posh_lite.metric.score import Score
    from posh_lite.records import Pair


def score_measured(
    metric: PoSh, pairs: Sequence[Pair], work: str | Path | None = None
) -> Iterator[tuple[Score, Usage, bool]]:
    """Score pair by pair and count what each took.

    Args:
        metric: PoSh with a language model, with or without a verdict log.
        pairs: to be scored, in order.
        work: file that gets a line ``{"id", "prompts", "tokens", "computed", "seconds"}`` for each pair that the
            model answered wholly: seconds inside the engine, ``computed`` tokens after prefix reuse. A pair of which
            the log knew something already says nothing about a pair's work and gets no line.

    Yields:
        The score, what the model did for it, and whether it answered wholly (False also where it did nothing).

    Raises:
        InputError: the judge counts no work, or the file cannot be written.
    """
    if metric.usage is None:
        raise InputError(f"the judge {metric.judge.signature} does no work that could be measured")
    if work is not None:
        _append(work, "")  # a file that cannot be written is found before hours of work
    for pair in pairs:
        before, known = metric.usage.copy(), _known(metric)
        steps: list[int] = []

        def look(wanted: int, asked: int, *, steps: list[int] = steps, known: int = known) -> None:
            steps.append(_known(metric) - known)

        kept, metric.on_batch = metric.on_batch, look
        try:
            score = metric.score_many([pair])[0]
        finally:
            metric.on_batch = kept
        took = metric.usage.minus(before)
        # The first step tells: later ones may come back to a question of this very run.
        whole = took.prompts > 0 and steps[0] == 0
        if whole and work is not None:
            line = {
                "id": pair.id, "prompts": took.prompts, "tokens": took.tokens, "computed": took.computed,
                "seconds": round(took.seconds, 3),
            }
            _append(work, json.dumps(line, ensure_ascii=False) + "\n")
        yield score, took, whole


def _known(metric: PoSh) -> int:
    """Questions that a verdict log has answered so far; 0 without one."""
    return int(getattr(metric.judge, "n_known", 0))


def _append(path: str | Path, text: str) -> None:
    """Add whole lines at the end of a file; what a killed process left half written keeps a line of its own."""
    try:
        with Path(path).open("ab+") as handle:
            if handle.tell():
                handle.seek(-1, os.SEEK_END)
                torn = handle.read(1) != b"\n"
            else:
                torn = False
            handle.write((("\n" if torn else "") + text).encode())
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", path=path) from None
