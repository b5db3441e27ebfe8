"""``posh-lite score``: pairs in, one line of scores a pair out."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.commands.files import check_target
from posh_lite.commands.judges import add_judge_options, judge_options, own_judges
from posh_lite.commands.output import FIELDS, Line, ScoreWriter, finished, made_otherwise, open_writer, stamp_of
from posh_lite.commands.score_ray import add_ray_options, check_ray_options
from posh_lite.errors import InputError, PoshLiteError
from posh_lite.judge.llm.usage import Prices, unpriced
from posh_lite.judge.registry import counts_tokens
from posh_lite.metric.apart import scores_apart
from posh_lite.records import Pair, read_pairs

if TYPE_CHECKING:
    from posh_lite.metric.notice import Observer
    from posh_lite.metric.posh import PoSh
    from posh_lite.metric.score import Score

_EPILOG = """input:   one JSON object a line: "id", "generation", "reference"; "model", "image", "source" are optional
output:  one line a pair: id, mistakes, omissions, overall, n_components, n_missing; null where a score is undefined.
         Its stamp, hashes of the two texts and of the signature, says what it was made of. Each line is written as
         soon as its pair is scored. An existing file is replaced once the first pair is scored; with --resume its
         complete lines are kept and their pairs are not scored again, if their stamps are those of now.

examples:
  posh-lite score pairs.jsonl -o scores.jsonl
  posh-lite score pairs.jsonl -o scores.csv --format csv
  posh-lite score pairs.jsonl -o scores.jsonl --components --html report.html
  posh-lite score pairs.jsonl -o scores.jsonl --log verdicts.sqlite        (killed? run it again)
  posh-lite score pairs.jsonl -o again.jsonl --judge replay --log verdicts.sqlite
  posh-lite score pairs.jsonl -o scores.jsonl --resume                     (killed without a log? the rest)
  posh-lite score pairs.jsonl -o scores.jsonl --judge gguf:model.gguf --scale yes-no --log verdicts.sqlite
  posh-lite score pairs.jsonl -o scores.jsonl --judge openai:MODEL --judge-option url=http://127.0.0.1:8000/v1
  posh-lite score pairs.jsonl -o scores.jsonl --judge gguf:model.gguf --calibration model.calibration.json
"""


_TOLERANCE = 0.02  # a language model may answer slightly otherwise in another batch


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    command = commands.add_parser(
        "score", help="score generated descriptions against references", epilog=_EPILOG,
        description="Score generations against references with PoSh.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("pairs", metavar="PAIRS.jsonl", help='pairs, one a line; "-" is standard input')
    command.add_argument("-o", "--output", default="-", metavar="FILE",
                         help="where scores go (default: standard output)")
    add_judge_options(command)
    command.add_argument("--calibration", metavar="FILE",
                         help="the judge's own threshold and map, as `posh-lite calibrate` wrote them")
    command.add_argument("--log", metavar="FILE",
                         help="verdict log (SQLite): what it holds is not asked again; --judge replay also reads an"
                         " export (see posh-lite log)")
    command.add_argument("--components", action="store_true", help="add every object, attribute and relation")
    command.add_argument("--html", metavar="FILE", help="also write a page with every pair's marked texts")
    command.add_argument("--format", choices=("jsonl", "csv"), default="jsonl", help="of the output (default: jsonl)")
    command.add_argument("--on-error", choices=("stop", "skip"), default="stop",
                         help="what a pair that cannot be scored does (default: stop; scored pairs are kept)")
    command.add_argument("--threshold", type=float, metavar="X",
                         help="score from which on an entity is present (default: the judge's)")
    command.add_argument("--aggregation", choices=("all", "objects", "present"), default="all",
                         help="average over all components (default) or over objects, the paper's formula, or give the"
                         " share of components that are present")
    command.add_argument("--prompts", metavar="FILE", help="a prompt file that replaces the package's")
    command.add_argument("--identifiers", choices=("all", "lazy"), default="all",
                         help="ask all identifiers of an entity at once, or one by one: same scores, fewer questions"
                         " (with pack other lists, and so other scores)")
    command.add_argument("--context", choices=("full", "near"), default="full",
                         help="show the judge the whole texts (default) or the sentences that matter for a question")
    command.add_argument("--chunk", type=int, default=16, metavar="N", help="pairs judged together (default: 16)")
    command.add_argument("--prices", metavar="PROMPT,CACHED,GENERATED",
                         help="per million tokens, in any currency: what a language model's work would cost there;"
                         " with two numbers, PROMPT,GENERATED, reused tokens cost as much as new ones")
    command.add_argument("--resume", action="store_true", help="keep what the output holds and score the rest")
    command.add_argument("--quiet", action="store_true", help="no progress and no summary")
    add_ray_options(command)
    command.set_defaults(run=run)


@dataclass(slots=True)
class Run:
    """What happened so far."""

    observer: Observer
    skipped: int = 0
    resumed: int = 0
    questions: int = 0
    done: dict[str, Line] = field(default_factory=dict)  # kept lines of the output, by id
    unstamped: int = 0  # of the kept lines
    start: float = field(default_factory=time.perf_counter)

    def skip(self, error: PoshLiteError) -> None:
        self.skipped += 1
        print(f"posh-lite: skipped: {' '.join(str(error).splitlines())}", file=sys.stderr)


def run(options: argparse.Namespace) -> int:
    """Score the pairs of a file. See :func:`add_parser` for the options."""
    _check(options)
    own_judges(options.judge)
    if options.engine == "ray":
        from posh_lite.commands.score_ray import run_ray

        return run_ray(options)
    from posh_lite.metric.notice import Observer
    from posh_lite.metric.page import ReportPage
    from posh_lite.metric.posh import PoSh

    posh = PoSh(options.judge, log=options.log, progress=False, prompts=options.prompts, **settings(options))
    if options.prices is not None and posh.usage is None:
        raise unpriced(posh.judge.signature)
    state = Run(Observer())
    if options.resume:
        state.done = finished(options.output, options.format, components=options.components)
    writer = open_writer(
        options.output, options.format, components=options.components, append=options.resume,
        stamped=all(line.stamp for line in state.done.values()),
    )
    try:
        with ExitStack() as stack:
            stack.enter_context(writer)
            page = stack.enter_context(ReportPage(options.html)) if options.html else None
            bar = stack.enter_context(_bar(options, len(state.done)))
            posh.on_batch = partial(_asked, bar, state)
            for score in _scores(posh, options, state):
                writer.write(score)
                state.observer.see(score)
                if page is not None:
                    page.add(score)
                bar.update(1)
    except KeyboardInterrupt:
        if state.observer.pairs and options.output != "-":
            print(f"posh-lite: {state.observer.pairs:,} pairs were scored to {options.output}; the same command with"
                  " --resume goes on from there", file=sys.stderr)
        if options.log:
            kept = getattr(posh.judge, "n_asked", 0)
            print(f"posh-lite: {kept:,} new answers are in {options.log}; the same command asks only the rest",
                  file=sys.stderr)
        raise
    if state.observer.pairs + state.resumed == 0:
        source = "standard input" if options.pairs == "-" else options.pairs
        what = f"none of the {state.skipped:,} pairs could be scored" if state.skipped else "no pairs in the file"
        raise InputError(what, path=source)
    if not options.quiet:
        summary(posh, state, writer, options.prices)
        if page is not None and state.resumed:
            print(f"posh-lite: note: {options.html} shows the pairs of this run, not those kept from before; without"
                  " --resume, but with the same --log, it shows all", file=sys.stderr)
    return 0


def settings(options: argparse.Namespace) -> dict[str, Any]:
    """Keywords of the metric that change what a pair scores, on one machine and on many."""
    return {
        "threshold": options.threshold, "aggregation": options.aggregation, "identifiers": options.identifiers,
        "judge_options": judge_options(options), "context": options.context, "calibration": options.calibration,
    }


def _check(options: argparse.Namespace) -> None:
    """Catch before the first question what would only fail after the last."""
    check_ray_options(options)
    if options.chunk < 1:
        raise InputError(f"--chunk must be at least 1, got {options.chunk}")
    if options.prices is not None:
        Prices.parse(options.prices)
        if counts_tokens(options.judge) is False:
            raise unpriced(options.judge)
    replay = options.judge.partition(":")[0] == "replay"
    if options.log is not None and not replay and options.log.endswith((".jsonl", ".jsonl.gz")):
        raise InputError("is the name of an exported log, which only --judge replay reads; `posh-lite log import` makes"
                         " a verdict log of it", path=options.log)
    if options.resume and options.output == "-":
        raise InputError("--resume needs an output file")
    if options.pairs != "-" and not Path(options.pairs).exists():
        raise InputError("no such file", path=options.pairs)
    for name, target in (("--html", options.html), ("--log", options.log)):
        if target == "-":
            raise InputError(f"{name} needs a file name")
    targets = [t for t in (options.output, options.html, options.log) if t not in (None, "-")]
    for target in targets:
        read_only = target == options.log and replay
        check_target(target, options.pairs, replaced=target == options.html, changed=not read_only)
    if len({str(Path(t).absolute()) for t in targets}) < len(targets):
        raise InputError("output, report and log need names of their own")


def _scores(posh: PoSh, options: argparse.Namespace, state: Run) -> Iterator[Score]:
    """Score chunk by chunk. What stands before a bad line is scored before the line is complained of."""
    skipping = options.on_error == "skip"

    def at_fault(pair: Pair, error: PoshLiteError) -> None:
        if not skipping:
            raise error
        state.skip(error)

    pairs = _wanted(posh, read_pairs(options.pairs, on_error=state.skip if skipping else None), state, options.output)
    while True:
        chunk: list[Pair] = []
        fault: InputError | None = None
        try:
            for pair in islice(pairs, options.chunk):
                chunk.append(pair)
        except _Changed:
            raise  # nothing more may go beside lines of something else
        except InputError as error:
            fault = error
        if chunk:
            yield from scores_apart(posh, chunk, at_fault)
        if fault is not None:
            raise fault
        if len(chunk) < options.chunk:
            return


class _Changed(InputError):
    """A kept line was made of something else than it would be now."""


def _wanted(posh: PoSh, pairs: Iterator[Pair], state: Run, output: str) -> Iterator[Pair]:
    """The pairs that the output does not hold; each line that it holds must have been made of the same.

    Lines of an earlier version have no stamp: the first of them is scored again and its figures are compared.
    """
    how = "score to a new file, or without --resume"
    signature = posh.signature if state.done else ""
    for pair in pairs:
        kept = state.done.get(pair.id)
        if kept is None:
            yield pair
            continue
        other = made_otherwise(kept, stamp_of(pair.generation, pair.reference, signature))
        if other:
            raise _Changed(f'pair "{pair.id}" was scored with {other} than now; {how}', path=output, line=kept.number)
        if not kept.stamp:
            row = {} if state.unstamped else posh.score_many([pair])[0].to_row()
            if any(_differ(value, kept.figures[name]) for name, value in row.items() if name in FIELDS[1:]):
                raise _Changed(
                    f'holds other figures for pair "{pair.id}" than it gets now: texts or settings have changed; {how}',
                    path=output, line=kept.number,
                )
            state.unstamped += 1
        state.resumed += 1


def _differ(new: float | None, old: float | None) -> bool:
    if new is None or old is None:
        return new is not old
    return abs(new - old) > _TOLERANCE


def _bar(options: argparse.Namespace, done: int) -> Any:
    from tqdm import tqdm

    total = None
    mixed = options.output == "-" and sys.stdout is not None and sys.stdout.isatty()  # the lines show the progress
    shown = sys.stderr.isatty() and not options.quiet and not mixed
    if shown and Path(options.pairs).is_file():  # a pipe can be read only once
        with Path(options.pairs).open("rb") as handle:
            total = sum(1 for line in handle if line.strip())
    return tqdm(
        total=total, initial=min(done, total or done), unit=" pair", desc="scoring", disable=not shown,
        file=sys.stderr, dynamic_ncols=True,
    )


def _asked(bar: Any, state: Run, wanted: int, asked: int) -> None:
    """Show life between pairs: a chunk of them takes a slow judge a while."""
    state.questions += asked
    bar.set_postfix_str(f"{state.questions:,} questions")


def summary(posh: PoSh, state: Run, writer: ScoreWriter, prices: str | None) -> None:
    """A table on stderr: what was scored, how, and what is odd about it."""
    import statistics

    seen, seconds = state.observer, time.perf_counter() - state.start
    lines = [("pairs scored", f"{seen.pairs:,}" + (f" to {writer.name}" if writer.name != "-" else ""))]
    if state.resumed:
        lines.append(("kept from before", f"{state.resumed:,}"))
    if state.skipped:
        lines.append(("skipped", f"{state.skipped:,}"))
    for name, values in seen.figures.items():
        if values:
            spread = f", sd {statistics.stdev(values):.3f}" if len(values) > 1 else ""
            lines.append((name, f"mean {statistics.fmean(values):.3f}{spread} over {len(values):,}"))
    lines.append(("components", f"{seen.components:,}, of them {seen.missing:,} without a verdict"))
    lines.append(("questions", f"{seen.asked:,}"))
    judge: Any = posh.judge
    if hasattr(judge, "n_known"):
        lines.append(("verdict log", f"{judge.n_known:,} answered from it, {judge.n_asked:,} newly asked"))
    lines += _work(posh, seen.pairs + bool(state.unstamped), prices)
    lines.append(("time", f"{seconds:.1f} s ({posh.timings})"))
    if seen.pairs:
        lines.append(("signature", posh.signature))
    width = max(len(name) for name, _ in lines)
    for name, value in lines:
        print(f"{name:<{width}}  {value}", file=sys.stderr)
    notes = posh.notes()
    if state.unstamped > 1:
        notes.append(f"{state.unstamped:,} kept lines are of an earlier version, without stamps: the first of them was"
                     " scored again and agrees, the others were taken as they are")
    if getattr(judge, "n_unanswered", 0):
        how = "run again with the same --log" if hasattr(judge, "n_known") else "with --log FILE, running again"
        notes.append(f"{judge.n_unanswered:,} questions got no answer from the server; {how} asks only these again")
    for warning in notes:
        print(f"posh-lite: note: {warning}", file=sys.stderr)


def _worked(judge: Any, pairs: int) -> int:
    """Pairs that a judge has worked on: of those scored, with a log, the ones that it did not know whole."""
    found = getattr(judge, "n_pairs_asked", None)
    return pairs if found is None else min(int(found), pairs)


def _work(posh: PoSh, pairs: int, prices: str | None) -> list[tuple[str, str]]:
    """What a language model did, and what it would have cost; nothing for other judges. Shares are of its pairs."""
    usage = posh.usage
    if usage is None:
        return []
    worked = _worked(posh.judge, pairs)
    a_pair = "a pair asked" if worked < pairs else "a pair"
    lines = [("model", usage.describe(worked).replace("a pair", a_pair))]
    low = getattr(posh.judge, "n_low_mass", 0)
    if usage.prompts:
        lines.append(("low mass", f"{low:,} answers with little probability on the scale" if low else "none"))
    if prices is not None:
        cost = usage.cost(Prices.parse(prices))
        share = f" ({cost / worked:.6f} {a_pair})" if worked else ""
        short = f", without {usage.uncounted:,} prompts of unknown length" if usage.uncounted else ""
        lines.append(("cost", f"{cost:.6f}{share} at {prices} per million tokens{short}"))
    return lines
