"""A chunk of pairs scored together, and one by one where something is wrong with one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from posh_lite.errors import JudgeDown, LogError, MissingDependency, PoshLiteError

if TYPE_CHECKING:
    from posh_lite.metric.posh import PoSh
    from posh_lite.metric.score import Score
    from posh_lite.records import Pair


def scores_apart(
    metric: PoSh, chunk: Sequence[Pair], fault: Callable[[Pair, PoshLiteError], None]
) -> Iterator[Score]:
    """The scores of a chunk; where it fails, those of all pairs that can be scored.

    Args:
        metric: scores the pairs.
        chunk: pairs that go through the passes together.
        fault: told of each pair that cannot be scored, and why; it may raise.

    Raises:
        JudgeDown, LogError, MissingDependency: no pair could be scored after this one either.
    """
    try:
        yield from metric.score_many(chunk, chunk_size=max(1, len(chunk)))
    except (JudgeDown, LogError, MissingDependency):
        raise
    except PoshLiteError as error:
        if len(chunk) == 1:
            fault(chunk[0], error)
        else:  # one of them is at fault: the others still get their scores
            for pair in chunk:
                yield from scores_apart(metric, [pair], fault)
