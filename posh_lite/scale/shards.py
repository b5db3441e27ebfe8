"""Shards: a run cut into numbered parts, each of which is finished or not, on disk.

A folder holds a manifest (what the run is) and for every finished shard its lines of output, its verdicts and a
report, which is written last: a shard without a report is not finished. Only the process that started the run
writes there, so the folder need not be seen by other machines.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from posh_lite.errors import InputError, JudgeError
from posh_lite.judge.log import VerdictLog
from posh_lite.records import Pair, pair_from_dict

FORMAT = 1
_BATCH = 5_000  # verdicts in one commit


@dataclass(frozen=True, slots=True)
class Shard:
    """Some pairs that are scored together.

    Attributes:
        number: from 0, in the order of the input.
        data: the pairs, packed; see :func:`unpack`.
        size: how many pairs.
        first: id of the first pair.
        last: id of the last pair.
    """

    number: int
    data: bytes
    size: int
    first: str
    last: str

    def __str__(self) -> str:
        return name_of(self.number, self.first, self.last)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a shard.

    Attributes:
        number: of the shard.
        lines: the lines of output, as the single-process run writes them.
        log: the verdicts, as the bytes of a verdict log; empty where none is kept.
        report: counts, times, messages and the signature; JSON values only.
    """

    number: int
    lines: bytes
    log: bytes
    report: dict[str, Any] = field(default_factory=dict)


def name_of(number: int, first: str, last: str) -> str:
    """How a message calls a shard."""
    return f'shard {number} (pairs "{first}" to "{last}")'


def pack(pairs: Iterable[Pair]) -> bytes:
    """Pairs as compressed JSON."""
    return zlib.compress(json.dumps([p.to_dict() for p in pairs]).encode(), 6)


def unpack(data: bytes) -> list[Pair]:
    """The pairs that :func:`pack` packed."""
    return [pair_from_dict(row) for row in json.loads(zlib.decompress(data))]


def split(pairs: Iterable[Pair], size: int) -> tuple[list[Shard], str]:
    """Cut pairs into shards, reading them one shard at a time.

    Args:
        pairs: in the order of the output.
        size: pairs in a shard; the last has what is left.

    Returns:
        The shards, and a SHA-256 over ids and texts that tells this input from another.
    """
    shards: list[Shard] = []
    state = hashlib.sha256()
    rest = iter(pairs)
    while part := list(islice(rest, size)):
        for pair in part:
            state.update(json.dumps([pair.id, pair.generation, pair.reference]).encode() + b"\n")
        shards.append(Shard(len(shards), pack(part), len(part), part[0].id, part[-1].id))
    return shards, state.hexdigest()


class ShardFolder:
    """The finished part of a run.

    Args:
        path: the folder; made if it is not there.
        settings: all that the lines depend on. A run is gone on with only under the same settings.
        shards: how many there are in all.

    Raises:
        InputError: the folder holds another run, something else, or a run that is going on right now.
    """

    def __init__(self, path: str | Path, settings: Mapping[str, Any], shards: int) -> None:
        self.path, self.shards = Path(path), shards
        self.settings: dict[str, Any] = json.loads(json.dumps(settings))
        self.path.mkdir(parents=True, exist_ok=True)
        self._lock: IO[bytes] | None = None
        self._hold()
        manifest = self.path / "manifest.json"
        if manifest.exists():
            self._check(manifest)
        elif any(p.name != "lock" for p in self.path.iterdir()):
            self.close()
            raise InputError("holds other files; name a folder of its own with --shards", path=self.path)
        else:
            row = {"format": FORMAT, "shards": shards, "settings": self.settings}
            write(manifest, json.dumps(row, indent=1).encode())

    def _hold(self) -> None:
        """One process at a time: two would finish each other's shards."""
        try:
            import fcntl
        except ImportError:  # no such locks on this system
            return
        self._lock = (self.path / "lock").open("wb")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.close()
            raise InputError("another process is scoring into it; wait for it, or give this run --shards of its own",
                             path=self.path) from None

    def _check(self, manifest: Path) -> None:
        try:
            kept = json.loads(manifest.read_bytes())
            before, known = kept["settings"], kept["format"]
        except (ValueError, KeyError, TypeError):
            self.close()
            raise InputError("is no manifest of a run; remove its folder and begin again", path=manifest) from None
        names = [*before, *(n for n in self.settings if n not in before)]
        other = [
            f"{n}: {_short(before.get(n))} then, {_short(self.settings.get(n))} now"
            for n in names if before.get(n) != self.settings.get(n)
        ]
        if known != FORMAT:
            other.append(f"format: {known} then, {FORMAT} now")
        if other:
            self.close()
            raise InputError(
                f"was begun with other settings ({'; '.join(other)}); give the same ones to go on, or another folder"
                " with --shards, or remove this one", path=self.path,
            )

    def name(self, number: int, ending: str) -> Path:
        """A file of a shard."""
        return self.path / f"shard-{number:05d}.{ending}"

    def finished(self, *, whole: bool = False) -> dict[int, dict[str, Any]]:
        """Reports of the finished shards by number.

        Args:
            whole: leave out those in which pairs were skipped, so that they are scored again.
        """
        found = {}
        for number in range(self.shards):
            report = self._report(number)
            if report is not None and not (whole and report["skipped"]):
                found[number] = report
        return found

    def _report(self, number: int) -> dict[str, Any] | None:
        try:
            report: dict[str, Any] = json.loads(self.name(number, "json").read_bytes())
            lines = self.name(number, "lines").read_bytes()
        except (OSError, ValueError):
            return None
        return report if hashlib.sha256(lines).hexdigest() == report.get("sha256") else None

    def store(self, outcome: Outcome) -> dict[str, Any]:
        """Keep what came of a shard; its report goes last and makes it a finished one. Returns the report."""
        write(self.name(outcome.number, "lines"), outcome.lines)
        report = {**outcome.report, "sha256": hashlib.sha256(outcome.lines).hexdigest()}
        write(self.name(outcome.number, "json"), json.dumps(report).encode())
        return report

    def keep_log(self, outcome: Outcome) -> Path:
        """Keep the verdicts of a shard, also of one that failed; returns the file."""
        path = self.name(outcome.number, "sqlite")
        write(path, outcome.log)
        return path

    def lines(self, number: int) -> str:
        """The lines of a finished shard."""
        return self.name(number, "lines").read_bytes().decode("utf-8")

    def remove(self) -> None:
        """Take the folder away, once its lines are in the output."""
        for path in [*self.path.glob("shard-*"), self.path / "manifest.json", self.path / "lock"]:
            path.unlink(missing_ok=True)
        self.close()
        if not any(self.path.iterdir()):
            self.path.rmdir()

    def close(self) -> None:
        """Let another process have the folder."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def __enter__(self) -> ShardFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _short(value: Any) -> str:
    text = "none" if value is None else value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 40 else f"{text[:18]}...{text[-18:]}"


def write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    part = path.with_name(path.name + ".part")
    with part.open("wb") as handle:
        handle.write(data)
        handle.flush()
        os.fsync(handle.fileno())
    part.replace(path)


def same_signature(reports: Iterable[Mapping[str, Any]]) -> str:
    """The signature that all shards have in common.

    Raises:
        JudgeError: two were scored by different judges, for example where a model's file differs between machines.
    """
    first: Mapping[str, Any] | None = None
    for report in reports:
        if first is None:
            first = report
        elif report["signature"] != first["signature"]:
            raise JudgeError(
                f"shard {report['shard']} was scored as {report['signature']} but shard {first['shard']} as"
                f" {first['signature']}: model files or packages differ between workers, or changed since; remove the"
                " shards that are wrong and run again"
            )
    return "" if first is None else str(first["signature"])


class Ordered:
    """Writes the lines of shards in their order, as soon as all before them are there.

    Args:
        output: text handle opener; called once there is something to write.
        header: whether each shard begins with a line of column names (CSV), of which the first is kept.
    """

    def __init__(self, output: Any, folder: ShardFolder, *, header: bool) -> None:
        self._open, self._folder, self._header = output, folder, header
        self._handle: IO[str] | None = None
        self._done: set[int] = set()
        self._next = 0

    def add(self, number: int) -> None:
        """Tell that a shard is finished."""
        self._done.add(number)
        while self._next in self._done:
            text = self._folder.lines(self._next)
            if text:
                if self._handle is None:
                    self._handle = self._open()
                elif self._header:
                    text = text.partition("\n")[2]
                self._handle.write(text)
                self._handle.flush()
            self._next += 1


def absorb(source: Path, target: VerdictLog) -> int:
    """Take the verdicts of a shard into a log; what the log holds already stays.

    Returns:
        How many questions the two answer differently: a judge that is not deterministic was asked twice.
    """
    conflicts = 0
    with VerdictLog(source, readonly=True) as log:
        for signature, (threshold, structural) in log.judges().items():
            target.register(signature, threshold, structural)
        rows = log.rows()
        while part := list(islice(rows, _BATCH)):
            known = target.get([key for key, _, _ in part])
            conflicts += sum(key in known and known[key].score != v.score for key, _, v in part)
            for judge in dict.fromkeys(j for _, j, _ in part):
                target.put(judge, [(key, v) for key, j, v in part if j == judge])
        phrases = list(log.rewrite_rows())
        for judge in dict.fromkeys(j for _, j, _ in phrases):
            target.put_rewrites(judge, [(key, phrase) for key, j, phrase in phrases if j == judge])
    return conflicts


def log_bytes(path: Path) -> bytes:
    """A closed verdict log as one file, without the write-ahead files beside it."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode=DELETE")
    finally:
        connection.close()
    return path.read_bytes()


def columns(shards: Iterable[Shard]) -> Iterator[dict[str, Any]]:
    """The rows of the data set that workers draw from."""
    for shard in shards:
        yield {"shard": shard.number, "data": shard.data, "size": shard.size, "first": shard.first, "last": shard.last}
