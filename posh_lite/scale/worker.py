"""One worker: it makes its judge once and then scores shard after shard. Nothing here knows what hands out shards."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol, cast

from posh_lite.commands.output import ScoreWriter
from posh_lite.errors import JudgeDown, JudgeError, PoshLiteError
from posh_lite.judge.contract import Verdict
from posh_lite.judge.llm.usage import unpriced
from posh_lite.judge.log import VerdictLog
from posh_lite.metric.apart import scores_apart
from posh_lite.metric.notice import Observer
from posh_lite.metric.posh import PoSh
from posh_lite.records import Pair
from posh_lite.scale.shards import Outcome, log_bytes

#: The option of a judge that an endpoint is given as.
ENDPOINT_OPTION = "url"


class SharedLog(Protocol):
    """A verdict log that is kept elsewhere and only read here."""

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Verdict]: ...

    def get_rewrites(self, keys: Sequence[bytes]) -> dict[bytes, bytes | None]: ...


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that a worker must know to score as the single-process run does.

    Attributes:
        judge: by name.
        judge_options: keywords for it.
        posh: keywords of :class:`~posh_lite.metric.posh.PoSh` besides judge, log and prompts.
        prompts: text of a prompt file, or None for the package's; sent along since the file is on one machine.
        chunk: pairs judged together.
        skip: whether a pair that cannot be scored is left out.
        kind: "jsonl" or "csv".
        components: whether lines carry their components.
        logged: whether verdicts are kept.
        run: tells this run from others on the same machine.
        folders: where ``module:Class`` of a judge of one's own is looked for.
        endpoints: addresses that workers take in turn; empty where the judge has none.
        priced: whether its tokens are to be priced, so that it must count them.
    """

    judge: str = "lexical"
    judge_options: Mapping[str, Any] = field(default_factory=dict)
    posh: Mapping[str, Any] = field(default_factory=dict)
    prompts: str | None = None
    chunk: int = 16
    skip: bool = False
    kind: str = "jsonl"
    components: bool = False
    logged: bool = False
    run: str = ""
    folders: tuple[str, ...] = ()
    endpoints: tuple[str, ...] = ()
    priced: bool = False


class LayeredLog(VerdictLog):
    """A log of one's own in front of a shared one: reads ask both, writes go to one's own.

    Args:
        path: of one's own.
        shared: asked for what one's own does not hold; None where there is no other.
    """

    def __init__(self, path: str | Path, shared: SharedLog | None) -> None:
        self._judges: dict[str, tuple[float, bool]] = {}
        super().__init__(path)
        self._shared = shared

    def move(self, path: Path) -> None:
        """Go on in another file, under the judge that has this log already."""
        self.close()
        self.path = path
        for signature, (threshold, structural) in self._judges.items():
            super().register(signature, threshold, structural)

    def register(self, signature: str, threshold: float, structural: bool) -> None:
        self._judges[signature] = (threshold, structural)
        super().register(signature, threshold, structural)

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Verdict]:
        found = super().get(keys)
        rest = [k for k in dict.fromkeys(keys) if k not in found]
        if rest and self._shared is not None:
            found.update(self._shared.get(rest))
        return found

    def get_rewrites(self, keys: Sequence[bytes]) -> dict[bytes, bytes | None]:
        found = super().get_rewrites(keys)
        rest = [k for k in dict.fromkeys(keys) if k not in found]
        if rest and self._shared is not None:
            found.update(self._shared.get_rewrites(rest))
        return found


class ShardFault(PoshLiteError):
    """A shard could not be finished.

    Attributes:
        cause: the error behind it.
        log: the verdicts that were reached before, as bytes of a verdict log.
    """

    def __init__(self, cause: PoshLiteError, log: bytes) -> None:
        self.cause, self.log = cause, log
        super().__init__(str(cause))


class ShardScorer:
    """Scores shards. The judge is made at the first one and kept.

    Args:
        recipe: the settings.
        shared: a log that is asked before the judge is.
        turn: number of this worker, by which it takes its endpoint.
        scratch: folder on this machine for the log of the shard in hand. A shard that is tried again after its
            worker died goes on from there.
    """

    def __init__(
        self, recipe: Recipe, *, shared: SharedLog | None = None, turn: int = 0, scratch: Path | None = None
    ) -> None:
        self.recipe, self._shared, self._turn = recipe, shared, turn
        self._scratch = scratch or Path(tempfile.gettempdir()) / "posh-lite-shards" / (recipe.run or "run")
        self._posh: PoSh | None = None
        self._log: LayeredLog | None = None

    def score(self, number: int, pairs: Sequence[Pair]) -> Outcome:
        """Score the pairs of a shard. Where there are several endpoints and one is gone, the next is taken.

        Raises:
            ShardFault: the judge cannot be made, or a pair cannot be scored and pairs are not skipped.
        """
        left = len(self.recipe.endpoints)
        while True:
            left -= 1
            try:
                return self._score(number, pairs)
            except PoshLiteError as error:
                if isinstance(error, JudgeDown) and left > 0:
                    self._turn += 1
                    if self._log is not None:
                        self._log.close()
                    self._posh, self._log = None, None
                    continue
                raise ShardFault(error, self._taken(number)) from error
            except Exception as error:  # whatever else a judge of one's own may raise
                raise ShardFault(JudgeError(f"{type(error).__name__}: {error}"), self._taken(number)) from error

    def _make(self, number: int) -> PoSh:
        """The metric, with the log of this shard under its judge."""
        recipe = self.recipe
        if recipe.logged:
            if self._log is None:
                self._log = LayeredLog(self._path(number), self._shared)
            else:
                self._log.move(self._path(number))
        if self._posh is None:
            for folder in recipe.folders:
                if folder not in sys.path:
                    sys.path.append(folder)
            options = dict(recipe.judge_options)
            if recipe.endpoints:
                options[ENDPOINT_OPTION] = recipe.endpoints[self._turn % len(recipe.endpoints)]
            with tempfile.TemporaryDirectory() as folder:
                prompts: Path | None = None
                if recipe.prompts is not None:
                    prompts = Path(folder) / "prompts.toml"
                    prompts.write_text(recipe.prompts, encoding="utf-8")
                self._posh = PoSh(
                    recipe.judge, judge_options=options, prompts=prompts, log=cast(Any, self._log), progress=False,
                    **recipe.posh,
                )
            if recipe.priced and self._posh.usage is None:
                raise unpriced(self._posh.judge.signature)
        return self._posh

    def _path(self, number: int) -> Path:
        return self._scratch / f"shard-{number:05d}.sqlite"

    def _taken(self, number: int) -> bytes:
        """The log of a shard, which is handed over and so not kept here."""
        path = self._path(number)
        if self._log is None or not path.exists():
            return b""
        self._log.close()
        data = log_bytes(path)
        path.unlink()
        return data

    def _score(self, number: int, pairs: Sequence[Pair]) -> Outcome:
        start = time.perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            posh = self._make(number)
            before = _counts(posh)
            laps = dict(posh.timings.seconds)
            lines, seen, skipped = self._lines(posh, pairs)
            after = _counts(posh)
        report: dict[str, Any] = {
            "shard": number, "pairs": len(pairs), "skipped": skipped, "signature": posh.signature,
            "threshold": posh.threshold, "seen": seen.state(), "logged": self.recipe.logged,
            "counts": {name: value - before.get(name, 0) for name, value in after.items()},
            "timings": {name: s - laps.get(name, 0.0) for name, s in posh.timings.seconds.items()},
            "warnings": list(dict.fromkeys(str(w.message) for w in caught)), "seconds": time.perf_counter() - start,
        }
        return Outcome(number, lines, self._taken(number), report)

    def _lines(self, posh: PoSh, pairs: Sequence[Pair]) -> tuple[bytes, Observer, list[str]]:
        seen, skipped = Observer(), list[str]()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "lines"
            with ScoreWriter(str(path), self.recipe.kind, components=self.recipe.components) as writer:
                for at in range(0, len(pairs), self.recipe.chunk):
                    for score in scores_apart(posh, pairs[at:at + self.recipe.chunk], partial(self._fault, skipped)):
                        writer.write(score)
                        seen.see(score)
            return path.read_bytes() if path.exists() else b"", seen, skipped

    def _fault(self, skipped: list[str], pair: Pair, error: PoshLiteError) -> None:
        """Keep what is wrong with a pair, or end the shard and name it."""
        message = " ".join(str(error).splitlines())
        if self.recipe.skip:
            skipped.append(message)
            return
        if f'"{pair.id}"' not in message:
            raise type(error)(f'pair "{pair.id}": {message}') from error
        raise error

    def close(self) -> None:
        """Remove the logs of this run from this machine."""
        with suppress(OSError):
            shutil.rmtree(self._scratch)


def _counts(posh: PoSh) -> dict[str, float]:
    """What the judge has done so far: what was read from the log, asked, and how many tokens that took."""
    names = ("n_known", "n_asked", "n_pairs_asked", "n_low_mass", "n_unanswered")
    found = {name: getattr(posh.judge, name) for name in names if hasattr(posh.judge, name)}
    return {**found, **({} if posh.usage is None else asdict(posh.usage))}


def run_name(settings: Mapping[str, Any]) -> str:
    """A short name for a run, the same for the same settings."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]
