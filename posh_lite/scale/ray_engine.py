"""Shards on a Ray cluster: a pool of actors that hold a judge each, fed by Ray Data.

Ray Data hands the shards out one at a time and gives back what comes of them as it comes. The process that starts the
run reads the input, keeps the shared verdict log and writes; workers need the package, the model and a scratch folder,
but no file system in common with it.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import math
import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from posh_lite import errors
from posh_lite.errors import InputError, JudgeError, MissingDependency
from posh_lite.judge.contract import Verdict
from posh_lite.judge.log import VerdictLog
from posh_lite.judge.registry import install_command
from posh_lite.scale.shards import Outcome, Shard, columns, name_of, unpack
from posh_lite.scale.worker import Recipe, ShardFault, ShardScorer

#: How often a shard is begun before its worker's deaths are taken for the shard's doing.
ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where the workers run.

    Attributes:
        address: of a running cluster ("auto", "10.0.0.1:6379"); None starts one on this machine.
        workers: actors in the pool; None makes as many as the cluster has room for.
        cpus: CPUs that each takes.
        gpus: GPUs that each takes, also parts of one.
    """

    address: str | None = None
    workers: int | None = None
    cpus: float = 1.0
    gpus: float = 0.0


def check_ray() -> None:
    """Find out whether Ray Data is there.

    Raises:
        MissingDependency: it is not.
    """
    missing = [m for m in ("ray", "pyarrow") if importlib.util.find_spec(m) is None]
    if missing:
        raise MissingDependency(f'--engine ray needs {", ".join(missing)}: {install_command("scale")}')


class Desk:
    """What workers ask the driver's machine for: a number, a shard's attempts, verdicts of the shared log.

    An actor, so that no worker has to see the file of the log.
    """

    def __init__(self, log: str | None) -> None:
        self._log = None if log is None else VerdictLog(log, readonly=True)
        self._turns = 0
        self._begun: dict[int, int] = {}

    def turn(self) -> int:
        """The number of a worker, in the order of their coming."""
        self._turns += 1
        return self._turns - 1

    def begin(self, shard: int) -> int:
        """Note that a shard is begun; how often it was, this time included."""
        self._begun[shard] = self._begun.get(shard, 0) + 1
        return self._begun[shard]

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Verdict]:
        """Verdicts of the shared log."""
        return {} if self._log is None else self._log.get(keys)

    def get_rewrites(self, keys: Sequence[bytes]) -> dict[bytes, bytes | None]:
        """Rewrites of the shared log."""
        return {} if self._log is None else self._log.get_rewrites(keys)


class DeskLog:
    """The shared log as a worker sees it."""

    def __init__(self, desk: Any) -> None:
        self._desk = desk

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Verdict]:
        """Verdicts that the log at the desk holds of these keys."""
        return dict(_answer(self._desk.get.remote(list(keys))))

    def get_rewrites(self, keys: Sequence[bytes]) -> dict[bytes, bytes | None]:
        """Rewrites that the log at the desk holds of these keys."""
        return dict(_answer(self._desk.get_rewrites.remote(list(keys))))


def _answer(reference: Any) -> Any:
    import ray

    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        cause = getattr(error, "cause", None)
        if isinstance(cause, errors.PoshLiteError):
            raise cause from None
        raise


class Worker:
    """The callable that an actor of the pool holds: a table of shards in, a table of what came of them out."""

    def __init__(self, recipe: Recipe, desk: Any, logged: bool) -> None:
        self._desk = desk
        turn = _answer(desk.turn.remote())
        self._scorer = ShardScorer(recipe, shared=DeskLog(desk) if logged else None, turn=turn)

    def __call__(self, table: Any) -> dict[str, Any]:
        rows = [self._row(row) for row in table.to_pylist()]
        return {
            "shard": np.array([row["shard"] for row in rows]),
            # As objects: an array of byte strings of one length would cut zero bytes off their ends.
            **{name: np.array([row[name] for row in rows], dtype=object) for name in ("lines", "log", "report")},
        }

    def _row(self, row: dict[str, Any]) -> dict[str, Any]:
        number = row["shard"]
        name = name_of(number, row["first"], row["last"])
        attempt = _answer(self._desk.begin.remote(number))
        if attempt > ATTEMPTS:
            fault = {
                "kind": "JudgeError",
                "message": f"{name}: its worker died {ATTEMPTS} times, as it does when memory runs out; give workers"
                " more memory, or a smaller --chunk, and run again: finished shards are kept",
            }
            return {"shard": number, "lines": b"", "log": b"", "report": json.dumps({"fault": fault})}
        try:
            outcome = self._scorer.score(number, unpack(row["data"]))
        except ShardFault as error:
            fault = {"kind": type(error.cause).__name__, "message": f"{name}: {error}"}
            return {"shard": number, "lines": b"", "log": error.log, "report": json.dumps({"fault": fault})}
        report = json.dumps({**outcome.report, "attempt": attempt})
        return {"shard": number, "lines": outcome.lines, "log": outcome.log, "report": report}


def score_shards(
    shards: Sequence[Shard], recipe: Recipe, cluster: Cluster, log: Path | None
) -> Generator[Outcome, None, None]:
    """Score shards on a cluster. Close the generator to leave the cluster before the end.

    Args:
        shards: those to be scored.
        recipe: how.
        cluster: where.
        log: the shared verdict log, which workers ask before their judge; None where there is none.

    Yields:
        What came of each shard, as soon as it is there, in any order. One whose report holds a "fault" failed;
        :func:`raise_fault` raises it.

    Raises:
        InputError: there is no such cluster, or it cannot hold a worker.
        JudgeError: the cluster failed for good.
    """
    with connected(cluster) as ray:
        from ray.data import ActorPoolStrategy, DataContext, from_items
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        logging.getLogger("ray.data").setLevel(logging.ERROR)  # after the import, which sets it up
        context = DataContext.get_current()
        context.enable_progress_bars = False
        workers = min(pool_size(cluster, ray.cluster_resources()), len(shards))
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        desk = ray.remote(Desk).options(num_cpus=0, scheduling_strategy=here).remote(None if log is None else str(log))
        data = from_items(list(columns(shards)), override_num_blocks=len(shards)).map_batches(
            Worker, batch_size=1, batch_format="pyarrow", num_cpus=cluster.cpus, num_gpus=cluster.gpus,
            compute=ActorPoolStrategy(size=workers, max_tasks_in_flight_per_actor=1),
            fn_constructor_args=(recipe, desk, log is not None),
        )
        try:
            for table in data.iter_batches(batch_size=1, batch_format="pyarrow", prefetch_batches=0):
                for row in table.to_pylist():
                    yield Outcome(row["shard"], row["lines"], row["log"], json.loads(row["report"]))
        except ray.exceptions.RayError as error:
            last = str(error).strip().splitlines()[-1:] or [type(error).__name__]
            raise JudgeError(f"the cluster failed: {last[0]}; finished shards are kept, run again to go on") from error


def raise_fault(outcome: Outcome) -> None:
    """Raise what made a shard fail, if anything did."""
    fault = outcome.report.get("fault")
    if fault is not None:
        kind: Any = getattr(errors, fault["kind"], JudgeError)
        raise kind(fault["message"])


def pool_size(cluster: Cluster, resources: dict[str, float]) -> int:
    """How many workers there will be.

    Args:
        cluster: what is asked for.
        resources: what the cluster has, as Ray counts it ("CPU", "GPU").

    Raises:
        InputError: not even one worker fits.
    """
    fits = [
        math.floor(resources.get(name, 0.0) / each + 1e-9)
        for name, each in (("CPU", cluster.cpus), ("GPU", cluster.gpus)) if each > 0
    ]
    room = min(fits, default=1)
    if room < 1:
        has = f"{resources.get('CPU', 0):g} CPUs and {resources.get('GPU', 0):g} GPUs"
        raise InputError(
            f"a worker takes {cluster.cpus:g} CPUs and {cluster.gpus:g} GPUs, the cluster has {has}; lower"
            " --worker-cpus or --worker-gpus"
        )
    return room if cluster.workers is None else min(cluster.workers, room)


@contextmanager
def connected(cluster: Cluster) -> Iterator[Any]:
    """Ray, connected to the cluster or started on this machine; left as it was found.

    Nothing is sent anywhere: no usage statistics, no dashboard.
    """
    check_ray()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    import ray

    if ray.is_initialized():
        yield ray
        return
    quiet: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    if cluster.address is None:
        wanted = max(os.cpu_count() or 1, math.ceil((cluster.workers or 1) * cluster.cpus))
        try:
            with _hushed():
                ray.init(address="local", num_cpus=wanted, include_dashboard=False, **quiet)
        except Exception as error:  # it raises bare exceptions where its processes are slow to come up
            said = " ".join(str(error).split())
            raise JudgeError(f"Ray did not start on this machine: {said[:200]}; run again, or start a cluster with"
                             " `ray start --head` and give --address auto") from error
    else:
        try:
            with _hushed():
                ray.init(address=cluster.address, **quiet)
        except (ConnectionError, ValueError, RuntimeError) as error:
            said = " ".join(str(error).split())
            raise InputError(f'no Ray cluster at --address "{cluster.address}": {said[:200]}') from error
    try:
        yield ray
    finally:
        ray.shutdown()


@contextmanager
def _hushed() -> Iterator[None]:
    """No notes of Ray's native part on stderr while it starts; what fails is raised and so still heard."""
    try:
        kept = os.dup(2)
    except OSError:  # stderr is closed
        yield
        return
    try:
        with open(os.devnull, "wb") as nothing:
            os.dup2(nothing.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
