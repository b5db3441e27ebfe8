"""Several verdict logs in one: what two machines asked, or what was handed on as an export."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from posh_lite.judge.contract import Verdict
from posh_lite.judge.log import VerdictLog
from posh_lite.judge.replay import read_export

#: How the name of an exported log ends; every other file is taken for SQLite.
EXPORTS = (".jsonl", ".jsonl.gz")
_BATCH = 5000  # rows between two commits


@dataclass(frozen=True, slots=True)
class Merged:
    """What became of one source.

    Attributes:
        verdicts: how many it holds.
        new: of these, how many the target did not have.
        differing: of the others, how many have another score or are missing on one side only; the target's stay.
        rewrites: rewritten identifiers that it holds.
    """

    verdicts: int
    new: int
    differing: int
    rewrites: int


@dataclass(frozen=True, slots=True)
class Contents:
    """All of a log or export, read as it is wanted."""

    judges: dict[str, tuple[float, bool]]
    verdicts: Iterable[tuple[bytes, str, Verdict]]
    rewrites: Iterable[tuple[bytes, str, bytes | None]]


def is_export(path: str | Path) -> bool:
    """Whether a file name is that of an export."""
    return str(path).endswith(EXPORTS)


@contextmanager
def contents(path: str | Path) -> Iterator[Contents]:
    """What a verdict log or an export holds.

    Raises:
        LogError, InputError: there is no such file, or it is neither.
    """
    if is_export(path):
        judges, verdicts, rewrites = read_export(Path(path))
        yield Contents(
            judges, ((k, j, v) for (j, k), v in verdicts.items()), ((k, j, p) for (j, k), p in rewrites.items())
        )
        return
    with VerdictLog(path, readonly=True) as log:
        yield Contents(log.judges(), log.rows(), log.rewrite_rows())


def merge_log(source: str | Path, into: VerdictLog) -> Merged:
    """Put all of a log or export into a log. What the target holds already stays as it is.

    Args:
        source: a verdict log (SQLite), or an export (``.jsonl``, ``.jsonl.gz``).
        into: the target.

    Raises:
        LogError, InputError: the source cannot be read or the target not written.
    """
    total = new = differing = rewrites = 0
    with contents(source) as found:
        for signature, (threshold, structural) in found.judges.items():
            into.register(signature, threshold, structural)
        for batch in _batches(found.verdicts):
            known = into.get([key for key, _, _ in batch])
            for judge, rows in _by_judge(batch):
                into.put(judge, rows)
            total += len(batch)
            new += sum(key not in known for key, _, _ in batch)
            differing += sum(key in known and known[key].score != verdict.score for key, _, verdict in batch)
        for part in _batches(found.rewrites):
            for judge, phrases in _by_judge(part):
                into.put_rewrites(judge, phrases)
            rewrites += len(part)
    return Merged(total, new, differing, rewrites)


def _batches(rows: Iterable[Any]) -> Iterator[list[Any]]:
    source = iter(rows)
    while batch := list(islice(source, _BATCH)):
        yield batch


def _by_judge(rows: Sequence[tuple[bytes, str, Any]]) -> Iterator[tuple[str, list[tuple[bytes, Any]]]]:
    for judge in dict.fromkeys(judge for _, judge, _ in rows):
        yield judge, [(key, value) for key, j, value in rows if j == judge]
