"""``posh-lite score --engine ray``: the same scores from many workers, in shards that are finished or not."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from types import SimpleNamespace
from typing import IO, TYPE_CHECKING, Any, cast

from posh_lite.errors import InputError

if TYPE_CHECKING:
    from posh_lite.commands.score import Run
    from posh_lite.scale.shards import Shard, ShardFolder
    from posh_lite.scale.worker import Recipe

#: Judges that run on a GPU unless told otherwise.
_ON_GPU = frozenset({"vllm"})
#: Options that mean nothing to the local engine.
_ONLY_RAY = ("workers", "shard_size", "shards", "address", "endpoint", "worker_cpus", "worker_gpus")


def add_ray_options(command: Any) -> None:
    """Declare the options of the engine."""
    group = command.add_argument_group("many machines")
    group.add_argument("--engine", choices=("local", "ray"), default="local",
                       help="score in this process (default), or in workers on a Ray cluster: same scores, same log")
    group.add_argument("--workers", type=int, metavar="N",
                       help="workers (default: as many as the cluster has room for)")
    group.add_argument("--shard-size", type=int, metavar="N", help="pairs that a worker takes at a time (default: 256)")
    group.add_argument("--shards", metavar="FOLDER",
                       help="where finished shards are kept; the same command goes on from there (default:"
                       " OUTPUT.shards, removed at the end)")
    group.add_argument("--address", metavar="HOST:PORT",
                       help="of a running cluster, or auto (default: RAY_ADDRESS, else one is started on this machine)")
    group.add_argument("--worker-cpus", type=float, metavar="X", help="CPUs that a worker takes (default: 1)")
    group.add_argument("--worker-gpus", type=float, metavar="X",
                       help="GPUs that a worker takes (default: 1 for vllm, else 0)")
    group.add_argument("--endpoint", action="append", metavar="URL",
                       help="address of a server for --judge openai:MODEL; given several times, workers take them in"
                       " turn and go to the next where one is gone")


def check_ray_options(options: argparse.Namespace) -> None:
    """Catch what cannot go together.

    Raises:
        InputError: an option of the Ray engine without it, one that it cannot serve, or one out of range.
    """
    if options.engine != "ray":
        for name in _ONLY_RAY:
            if getattr(options, name) is not None:
                raise InputError(f"--{name.replace('_', '-')} needs --engine ray")
        return
    for name in ("workers", "shard_size"):
        value = getattr(options, name)
        if value is not None and value < 1:
            raise InputError(f"--{name.replace('_', '-')} must be at least 1, got {value}")
    for name in ("worker_cpus", "worker_gpus"):
        value = getattr(options, name)
        if value is not None and not 0 <= value < 10_000:
            raise InputError(f"--{name.replace('_', '-')} must be a number of at least 0, got {value}")
    if options.resume:
        raise InputError("--resume is for one process; with --engine ray the same command goes on from the shards that"
                         " are finished")
    judge = options.judge.partition(":")[0]
    if judge == "replay":
        raise InputError("--judge replay reads one log in one process; leave --engine ray out")
    if options.html:
        raise InputError("--html is made in one process: score with --log here, then run --judge replay with the same"
                         " --log and --html")
    if options.endpoint and judge != "openai":
        raise InputError(f'--endpoint is for --judge openai:MODEL; the judge "{judge}" has no address')
    if options.output == "-" and options.shards is None:
        raise InputError("--engine ray needs an output file, or a folder for its shards: --shards FOLDER")


def run_ray(options: argparse.Namespace) -> int:
    """Score the pairs of a file on a cluster. See :func:`add_ray_options` for the options."""
    from posh_lite.commands.score import Run, settings
    from posh_lite.metric.notice import Observer
    from posh_lite.records import read_pairs
    from posh_lite.scale.ray_engine import check_ray
    from posh_lite.scale.shards import ShardFolder, split

    check_ray()
    state = Run(Observer())
    skip = options.on_error == "skip"
    shards, digest = split(read_pairs(options.pairs, on_error=state.skip if skip else None), options.shard_size or 256)
    source = "standard input" if options.pairs == "-" else options.pairs
    if not shards:
        bad = state.skipped
        raise InputError(f"none of the {bad:,} pairs could be scored" if bad else "no pairs in the file", path=source)
    recipe, described = _recipe(options, settings(options))
    described = {**described, "shard size": options.shard_size or 256, "input": digest}
    path = Path(options.shards or f"{options.output}.shards")
    with ShardFolder(path, described, len(shards)) as folder:
        reports = _run(options, state, shards, folder, recipe, described)
        if state.observer.pairs == 0:
            raise InputError(f"none of the {state.skipped:,} pairs could be scored", path=source)
        if not options.quiet:
            _say(options, state, reports, len(shards))
        if options.shards is None:
            folder.remove()
    return 0


def _recipe(options: argparse.Namespace, settings: dict[str, Any]) -> tuple[Recipe, dict[str, Any]]:
    """What workers need, and all of it that the lines depend on, for the manifest."""
    from posh_lite import __version__
    from posh_lite.judge.calibration import load_calibration
    from posh_lite.judge.prompts import load_prompts
    from posh_lite.scale.worker import ENDPOINT_OPTION, Recipe

    settings = dict(settings)
    judge_options = settings.pop("judge_options")
    if options.endpoint and ENDPOINT_OPTION in judge_options:
        raise InputError(f"give --endpoint or --judge-option {ENDPOINT_OPTION}=, not both")
    described = {
        "posh-lite": __version__, "judge": options.judge,
        "judge options": {n: v for n, v in judge_options.items() if n != ENDPOINT_OPTION},
        "prompts": load_prompts(options.prompts).digest, "format": options.format, "components": options.components,
        "chunk": options.chunk, "log": options.log is not None, **settings,
    }
    if settings["calibration"] is not None:
        settings["calibration"] = load_calibration(settings["calibration"])
        described["calibration"] = settings["calibration"].name
    text = None if options.prompts is None else Path(options.prompts).read_text(encoding="utf-8")
    recipe = Recipe(
        judge=options.judge, judge_options=judge_options, posh=settings, prompts=text, chunk=options.chunk,
        skip=options.on_error == "skip", kind=options.format, components=options.components,
        logged=options.log is not None, folders=(os.getcwd(),) if ":" in options.judge else (),
        endpoints=tuple(options.endpoint or ()), priced=options.prices is not None,
    )
    return recipe, described


def _run(
    options: argparse.Namespace, state: Run, shards: list[Shard], folder: ShardFolder, recipe: Recipe,
    described: Mapping[str, Any],
) -> dict[int, dict[str, Any]]:
    """Score what is not finished and write what is; the reports of all shards."""
    from dataclasses import replace

    from posh_lite.judge.log import VerdictLog
    from posh_lite.scale.ray_engine import Cluster, raise_fault, score_shards
    from posh_lite.scale.shards import Ordered, absorb, same_signature
    from posh_lite.scale.worker import run_name

    reports = folder.finished(whole=options.on_error == "stop")
    before = len(reports)
    same_signature(reports.values())
    if before and not options.quiet:
        print(f"posh-lite: {before:,} of {len(shards):,} shards in {folder.path} were finished before", file=sys.stderr)
    gpus = (options.judge.partition(":")[0] in _ON_GPU) if options.worker_gpus is None else options.worker_gpus
    cluster = Cluster(
        options.address or os.environ.get("RAY_ADDRESS") or None, options.workers,
        1.0 if options.worker_cpus is None else options.worker_cpus, float(gpus),
    )
    todo = [s for s in shards if s.number not in reports]
    conflicts = 0
    try:
        with ExitStack() as stack:
            log = None if options.log is None else stack.enter_context(VerdictLog(options.log))
            ordered = Ordered(lambda: _opened(options.output, stack), folder, header=options.format == "csv")
            bar = stack.enter_context(_bar(options, sum(s.size for s in shards)))
            for number, report in reports.items():
                if log is not None and folder.name(number, "sqlite").exists():
                    conflicts += absorb(folder.name(number, "sqlite"), log)  # the log may be a new one
                _take(state, report, ordered, bar)
            if todo:
                place = replace(recipe, run=run_name(described))
                shared = None if log is None else Path(options.log)
                for outcome in stack.enter_context(closing(score_shards(todo, place, cluster, shared))):
                    if log is not None and outcome.log:
                        conflicts += absorb(folder.keep_log(outcome), log)
                    raise_fault(outcome)
                    same_signature([*list(reports.values())[:1], outcome.report])
                    reports[outcome.number] = folder.store(outcome)
                    _take(state, reports[outcome.number], ordered, bar)
    except BaseException:
        if reports and not options.quiet:
            print(f"posh-lite: {len(reports):,} of {len(shards):,} shards are finished in {folder.path}; the same"
                  " command goes on from there", file=sys.stderr)
        raise
    if conflicts:
        print(f"posh-lite: note: {conflicts:,} questions that occur in two shards were answered differently there; the"
              " log keeps the first answer, so that a replay may differ in the last digits", file=sys.stderr)
    return reports


def _take(state: Run, report: Mapping[str, Any], ordered: Any, bar: Any) -> None:
    """Count a finished shard, and write its lines when it is their turn."""
    state.observer.merge(report["seen"])
    state.skipped += len(report["skipped"])
    for message in report["skipped"]:
        print(f"posh-lite: skipped: {message}", file=sys.stderr)
    ordered.add(report["shard"])
    state.questions += report["seen"]["asked"]
    bar.set_postfix_str(f"{state.questions:,} questions")
    bar.update(report["pairs"])


def _opened(output: str, stack: ExitStack) -> IO[str]:
    """The output, replaced only now that there is something to write."""
    if output == "-":
        if sys.stdout is None:
            raise InputError("standard output is closed; give -o FILE")
        return sys.stdout
    return stack.enter_context(Path(output).open("w", encoding="utf-8", newline=""))


def _bar(options: argparse.Namespace, total: int) -> Any:
    from tqdm import tqdm

    return tqdm(
        total=total, unit=" pair", desc="scoring", disable=options.quiet or not sys.stderr.isatty(), file=sys.stderr,
        dynamic_ncols=True,
    )


def _say(options: argparse.Namespace, state: Run, reports: Mapping[int, dict[str, Any]], shards: int) -> None:
    """The summary of the single-process run, over all shards."""
    from dataclasses import fields

    from posh_lite.commands.output import ScoreWriter
    from posh_lite.commands.score import summary
    from posh_lite.judge.llm.usage import Usage
    from posh_lite.metric.stopwatch import Stopwatch

    rows = list(reports.values())
    counts, watch = _sums(r["counts"] for r in rows), Stopwatch()
    watch.seconds = _sums(r["timings"] for r in rows)
    judge = {n: int(v) for n, v in counts.items() if n.startswith("n_")}
    if not options.log:
        judge.pop("n_known", None)
    notes = list(dict.fromkeys([
        *(w for r in rows for w in r["warnings"]), *state.observer.warnings(rows[0]["threshold"]),
    ]))
    again = sum(r.get("attempt", 1) > 1 for r in rows)
    if again:
        notes.append(f"{again:,} of {shards:,} shards were scored again, since their worker had died")
    names = [f.name for f in fields(Usage)]
    usage: Any = None
    if "prompts" in counts:
        usage = Usage(**{n: cast(Any, counts[n] if n == "seconds" else int(counts[n])) for n in names if n in counts})
    total = SimpleNamespace(
        judge=SimpleNamespace(**judge), usage=usage, timings=watch, signature=rows[0]["signature"], notes=lambda: notes,
    )
    writer = ScoreWriter(options.output, options.format)
    summary(cast(Any, total), state, writer, options.prices)


def _sums(rows: Iterable[Mapping[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for row in rows:
        for name, value in row.items():
            total[name] = total.get(name, 0) + value
    return total
