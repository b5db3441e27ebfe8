"""``posh-lite bench``: how many pairs a second, and where the time goes."""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from posh_lite.commands.judges import own_judges
from posh_lite.errors import InputError
from posh_lite.records import Pair, read_pairs

if TYPE_CHECKING:
    from posh_lite.metric.stopwatch import Stopwatch

_STEPS = (
    ("parsing", "sentences and dependency parses"), ("graphs", "mentions, attributes, relations, coreference"),
    ("questions", "identifiers, prompts, passes, aggregation"), ("judging", "answers of the judge"),
)


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    command = commands.add_parser(
        "bench", help="pairs per second, and where the time goes",
        description="Score pairs and print pairs per second with the share of each step. Without a file: the 100 pairs"
        " of IIW-400 that have a model's caption, or the embedded corpus where IIW-400 is not there.",
    )
    command.add_argument("pairs", metavar="PAIRS.jsonl", nargs="?", help="pairs, one a line")
    command.add_argument("--judge", default="lexical", metavar="NAME", help="default: lexical")
    command.add_argument("--limit", type=int, metavar="N", help="only the first N pairs")
    command.add_argument("--chunk", type=int, default=16, metavar="N", help="pairs judged together (default: 16)")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Score, and print a table. See :func:`add_parser` for the options."""
    for option, value in (("--limit", options.limit), ("--chunk", options.chunk)):
        if value is not None and value < 1:
            raise InputError(f"{option} must be at least 1, got {value}")
    own_judges(options.judge)
    name, pairs = _pairs(options.pairs)
    pairs = pairs[: options.limit]
    if not pairs:
        raise InputError("no pairs to score", path=options.pairs)
    from posh_lite.metric.posh import PoSh

    start = time.perf_counter()
    PoSh(options.judge, progress=False).score("A man in a red coat.", "A man in a coat.")  # loads what is loaded once
    ready = time.perf_counter() - start
    posh = PoSh(options.judge, progress=False)
    start, cpu = time.perf_counter(), time.process_time()
    with timed_parsing(posh.timings):
        scores = posh.score_many(pairs, chunk_size=options.chunk)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    words = sum(len(t.split()) for p in pairs for t in (p.generation, p.reference))
    print(f"pairs       {len(pairs):,} of {name}, {words:,} words")
    print(f"components  {sum(s.n_components for s in scores):,}, questions {sum(s.n_asked for s in scores):,}")
    print(f"machine     {platform.machine()}, Python {platform.python_version()}")
    print(f"start-up    {ready:.1f} s")
    print(f"scoring     {seconds:.1f} s ({cpu:.1f} s of CPU): {len(pairs) / seconds:.2f} pairs per second")
    shares = posh.timings.shares()
    for step, about in _STEPS:
        print(f"  {step:<10}{posh.timings.seconds.get(step, 0.0):7.1f} s {shares.get(step, 0.0):6.1%}  {about}")
    print(f"signature   {posh.signature}")
    return 0


def _pairs(path: str | None) -> tuple[str, Sequence[Pair]]:
    if path is not None:
        return path, list(read_pairs(path))
    from posh_lite.benchmarks.catalog import locate

    if locate("iiw400").path is not None:
        from posh_lite.benchmarks.iiw import load_iiw400

        return "IIW-400", load_iiw400().pairs
    from posh_lite.benchmarks.mini import load_mini

    return "the embedded corpus (IIW-400 is not here: posh-lite data fetch iiw400)", list(load_mini().pairs)


@contextmanager
def timed_parsing(watch: Stopwatch) -> Iterator[None]:
    """Count parsing apart from the rest of making graphs, for the time of the block."""
    from posh_lite.graph import extract

    module: Any = extract
    parse = module.parse_texts

    def timed(*arguments: Any, **options: Any) -> Any:
        with watch.lap("parsing"):
            return parse(*arguments, **options)

    module.parse_texts = timed
    try:
        yield
    finally:
        module.parse_texts = parse
