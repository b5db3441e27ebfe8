"""The verdict log: every answer of a judge is kept, so that a run can be resumed and replayed.

SQLite with a write-ahead log. A verdict is keyed by the hash of the judge's signature (model, revision, sampling
settings) and of the prompt; texts themselves are not stored. Each batch is committed before the next is asked, so
killing a run loses at most the batch in flight. Several processes may share one log; the first verdict stays.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from posh_lite.errors import LogError
from posh_lite.graph.types import SceneGraph
from posh_lite.judge.check import ask
from posh_lite.judge.contract import Judge, Question, Unanswered, Verdict
from posh_lite.judge.keys import digest, seal, unseal
from posh_lite.judge.lists import keys_of, together
from posh_lite.judge.nested import prime_all
from posh_lite.judge.rewrite import Rewrite, Rewriter

_FORMAT = "1"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS judges (signature TEXT PRIMARY KEY, threshold REAL NOT NULL, structural INTEGER NOT NULL)
  WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS verdicts (key BLOB PRIMARY KEY, judge TEXT NOT NULL, score REAL, probabilities TEXT,
  mass REAL, raw TEXT NOT NULL, reason TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rewrites (key BLOB PRIMARY KEY, judge TEXT NOT NULL, phrase BLOB) WITHOUT ROWID;
"""
_LOOKUP = 500  # keys in one SELECT, below SQLite's limit on variables
Row = tuple[bytes, Verdict]
_List = tuple[tuple[bytes, ...], list[Question]]  # questions that are asked together, and their keys


class VerdictLog:
    """Verdicts in an SQLite file. Can be pickled and used after a fork: each process opens its own connection.

    Args:
        path: the file; made with its folders if it is not there.
        readonly: refuse to make or change the file.

    Raises:
        LogError: the file is no verdict log, is damaged, or cannot be opened.
    """

    def __init__(self, path: str | Path, *, readonly: bool = False) -> None:
        self.path, self.readonly = Path(path), readonly
        self._connection: sqlite3.Connection | None = None
        self._pid = 0
        self._lock = threading.RLock()
        with self._guard("open"):
            self._open()

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path, "readonly": self.readonly}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["path"], readonly=state["readonly"])  # type: ignore[misc]

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and self._pid == os.getpid():
            return self._connection
        if self.readonly and not self.path.is_file():
            raise LogError(f"{self.path}: no such verdict log")
        if not self.readonly:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = self._connect()
        if self.readonly:
            connection.execute("PRAGMA query_only=1")
        else:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")}
            if tables and "verdicts" not in tables:
                raise LogError(f"{self.path}: an SQLite file of something else; give the log another name")
            connection.executescript(_SCHEMA)
            connection.execute("INSERT OR IGNORE INTO meta VALUES ('format', ?)", (_FORMAT,))
        found = connection.execute("SELECT value FROM meta WHERE name='format'").fetchone()
        if found is None or found[0] != _FORMAT:
            version = found and found[0]
            raise LogError(f"{self.path}: verdict log of format {version}, this version reads {_FORMAT}")
        self._connection, self._pid = connection, os.getpid()
        return connection

    def _connect(self) -> sqlite3.Connection:
        name: str | Path = self.path
        if self.readonly and not os.access(self.path.absolute().parent, os.W_OK):
            wal = self.path.with_name(self.path.name + "-wal")
            if not (wal.is_file() and wal.stat().st_size):  # nothing is pending, and there is no place to note readers
                name = f"{self.path.absolute().as_uri()}?immutable=1"
        uri = isinstance(name, str)
        return sqlite3.connect(name, timeout=60, check_same_thread=False, isolation_level=None, uri=uri)

    @contextmanager
    def _guard(self, doing: str) -> Iterator[None]:
        """Turn the faults of a database into one line that says what to do."""
        try:
            with self._lock:
                yield
        except sqlite3.Error as error:
            raise LogError(f"{self.path}: {_advice(str(error), doing)}") from error
        except json.JSONDecodeError as error:
            raise LogError(f"{self.path}: {_advice('malformed', doing)}") from error
        except OSError as error:
            raise LogError(f"{self.path}: cannot {doing} the verdict log: {error.strerror}") from error

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Verdict]:
        """The verdicts that the log holds of these keys."""
        found: dict[bytes, Verdict] = {}
        with self._guard("read"):
            connection = self._open()
            for part in _parts(keys):
                marks = ",".join("?" * len(part))
                query = f"SELECT key, score, probabilities, mass, raw, reason FROM verdicts WHERE key IN ({marks})"
                for key, *values in connection.execute(query, part):
                    found[key] = _verdict(*values)
        return found

    def put(self, judge: str, rows: Iterable[Row]) -> None:
        """Commit a batch of verdicts. One that is there already stays as it is."""
        values = [
            (key, judge, v.score, None if v.probabilities is None else json.dumps(list(v.probabilities)), v.mass,
             _storable(v.raw), _storable(v.reason))
            for key, v in rows
        ]
        self._write("INSERT OR IGNORE INTO verdicts VALUES (?,?,?,?,?,?,?)", values)

    def get_rewrites(self, keys: Sequence[bytes]) -> dict[bytes, bytes | None]:
        """The sealed rewritten phrases (see :func:`~posh_lite.judge.keys.seal`) that the log holds of these keys."""
        found: dict[bytes, bytes | None] = {}
        with self._guard("read"):
            for part in _parts(keys):
                marks = ",".join("?" * len(part))
                found.update(self._open().execute(f"SELECT key, phrase FROM rewrites WHERE key IN ({marks})", part))
        return found

    def put_rewrites(self, judge: str, rows: Iterable[tuple[bytes, bytes | None]]) -> None:
        """Commit a batch of sealed rewritten phrases."""
        self._write("INSERT OR IGNORE INTO rewrites VALUES (?,?,?)", [(key, judge, phrase) for key, phrase in rows])

    def rows(self) -> Iterator[tuple[bytes, str, Verdict]]:
        """Key, judge and verdict of everything in the log, by key."""
        with self._guard("read"):
            query = "SELECT key, judge, score, probabilities, mass, raw, reason FROM verdicts ORDER BY key"
            for key, judge, *values in self._open().execute(query):
                yield key, judge, _verdict(*values)

    def rewrite_rows(self) -> Iterator[tuple[bytes, str, bytes | None]]:
        """Key, judge and sealed phrase of every rewrite, by key."""
        with self._guard("read"):
            yield from self._open().execute("SELECT key, judge, phrase FROM rewrites ORDER BY key")

    def register(self, signature: str, threshold: float, structural: bool) -> None:
        """Remember what replaying a judge's verdicts takes."""
        self._write("INSERT OR IGNORE INTO judges VALUES (?,?,?)", [(signature, threshold, int(structural))])

    def judges(self) -> dict[str, tuple[float, bool]]:
        """Threshold and kind of key of every judge in the log, by its signature."""
        with self._guard("read"):
            rows = self._open().execute("SELECT signature, threshold, structural FROM judges ORDER BY signature")
            return {signature: (threshold, bool(structural)) for signature, threshold, structural in rows}

    def _write(self, statement: str, values: list[tuple[Any, ...]]) -> None:
        if not values:
            return
        with self._guard("write"):
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.executemany(statement, values)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def __len__(self) -> int:
        with self._guard("read"):
            return int(self._open().execute("SELECT count(*) FROM verdicts").fetchone()[0])

    def close(self) -> None:
        """Close this process's connection; the next use opens it again."""
        with self._lock:
            if self._connection is not None and self._pid == os.getpid():
                self._connection.close()
            self._connection = None

    def __enter__(self) -> VerdictLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class LoggedJudge:
    """Any judge with a log in front: what is known is not asked, what is asked is kept.

    Missing verdicts are kept too, but for those that a failed server left :class:`Unanswered`.

    Args:
        judge: asked for what the log lacks, once for each distinct question.
        log: the log or its path.
        batch_size: questions between two commits; by default what the judge asks for, or 512.

    Attributes:
        n_asked: questions that the judge itself had to answer.
        n_known: questions that the log answered.
        n_pairs_asked: pairs with a question that the judge had to answer.
    """

    def __init__(self, judge: Judge, log: VerdictLog | str | Path, *, batch_size: int | None = None) -> None:
        self.judge = judge
        self.log = log if isinstance(log, VerdictLog) else VerdictLog(log)
        self.batch_size = batch_size or int(getattr(judge, "batch_size", 512))
        self.scale: str = getattr(judge, "scale", "1-5")
        self.structural = bool(getattr(judge, "structural", True))
        self.rewrites = isinstance(judge, Rewriter) and bool(getattr(judge, "rewrites", True))
        self.n_asked = self.n_known = 0
        self._pairs_asked: set[str] = set()
        self.log.register(judge.signature, judge.presence_threshold, self.structural)

    @property
    def signature(self) -> str:
        return self.judge.signature

    @property
    def presence_threshold(self) -> float:
        return self.judge.presence_threshold

    @property
    def usage(self) -> Any:
        """Prompts, tokens and seconds of a language model (:class:`~posh_lite.judge.llm.Usage`), else None."""
        return getattr(self.judge, "usage", None)

    @property
    def n_low_mass(self) -> int:
        """Verdicts of a language model with little probability on the answers."""
        return int(getattr(self.judge, "n_low_mass", 0))

    @property
    def n_pairs_asked(self) -> int:
        return len(self._pairs_asked)

    @property
    def n_unanswered(self) -> int:
        """Questions that a failed server left unanswered."""
        return int(getattr(self.judge, "n_unanswered", 0))

    def prime(self, graphs: Iterable[SceneGraph]) -> None:
        """Hand graphs on to a judge that can use them."""
        prime_all((self.judge,), graphs)

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Verdicts from the log where it has them, from the judge otherwise."""
        keys = keys_of(questions, self.judge.signature, self.structural)
        known = self.log.get(keys)
        self.n_known += len(known)
        wanted: dict[tuple[bytes, ...], list[Question]] = {}
        for part in together(questions, self.judge.signature):
            own = tuple(keys[i] for i in part)
            if not all(k in known for k in own):  # of a list all are asked again, or it would be another list
                wanted.setdefault(own, [questions[i] for i in part])
        for batch in _batches(wanted.items(), self.batch_size):
            asked = [(k, q) for own, part in batch for k, q in zip(own, part, strict=True)]
            verdicts = ask(self.judge, [q for _, q in asked])
            self.n_asked += len(asked)
            self._pairs_asked.update(q.pair_id for _, q in asked)
            answers = {k: v for (k, _), v in zip(asked, verdicts, strict=True)}
            self.log.put(self.judge.signature, [(k, v) for k, v in answers.items() if not isinstance(v, Unanswered)])
            # Read back: another process may have been first, and its verdict is the one that replays.
            known.update(answers | self.log.get(list(answers)))
        return [known[k] for k in keys]

    def rewrite(self, requests: Sequence[Rewrite]) -> list[str | None]:
        """Rewritten phrases, from the log where it has them."""
        keys = [digest("rewrite", self.judge.signature, r.prompt) for r in requests]
        known = self.log.get_rewrites(keys)
        wanted = {k: r for k, r in zip(keys, requests, strict=True) if k not in known}
        items = list(wanted.items())
        for at in range(0, len(items), self.batch_size):
            batch = items[at:at + self.batch_size]
            answers = cast(Rewriter, self.judge).rewrite([r for _, r in batch])
            sealed = {
                k: None if a is None else seal(a, r.prompt) for a, (k, r) in zip(answers, batch, strict=True)
            }
            kept = [(k, p) for k, p in sealed.items() if p != b""]
            self.log.put_rewrites(self.judge.signature, kept)
            known.update(sealed | self.log.get_rewrites(list(sealed)))
        return [unseal(known[k], r.prompt) for k, r in zip(keys, requests, strict=True)]


def _batches(lists: Iterable[_List], size: int) -> Iterator[list[_List]]:
    """Lists together that have at most ``size`` questions, or one that has more."""
    batch: list[_List] = []
    held = 0
    for keys, questions in lists:
        if batch and held + len(keys) > size:
            yield batch
            batch, held = [], 0
        batch.append((keys, questions))
        held += len(keys)
    if batch:
        yield batch


def _parts(keys: Sequence[bytes]) -> Iterator[list[bytes]]:
    distinct = list(dict.fromkeys(keys))
    for at in range(0, len(distinct), _LOOKUP):
        yield distinct[at:at + _LOOKUP]


def _verdict(score: float | None, probabilities: str | None, mass: float | None, raw: str, reason: str) -> Verdict:
    spread = None if probabilities is None else tuple(json.loads(probabilities))
    return Verdict(score, cast(Any, spread), mass, raw, reason)


def _storable(text: str) -> str:
    """The text without what SQLite cannot hold as UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _advice(fault: str, doing: str) -> str:
    lower = fault.lower()
    if "full" in lower:
        return "the disk is full; make room and run again with the same log: only the batch in flight is lost"
    if "i/o error" in lower:
        return f"cannot {doing} the verdict log ({fault}); is the disk, its quota or a size limit full? What was" \
            " written before is kept"
    if "locked" in lower or "busy" in lower:
        return "another process keeps the verdict log locked; wait for it, or give this run a log of its own"
    if "not a database" in lower or "malformed" in lower or "no such table" in lower:
        return "no verdict log, or a damaged one; move it away or give the log another name"
    if "readonly" in lower or "read-only" in lower or "unable to open" in lower:
        return f"cannot {doing} the verdict log ({fault}); check the folder and its permissions"
    return f"cannot {doing} the verdict log: {fault}"
