"""PoSh with two judges weighed, against PoSh with the first alone, with weights that never saw what they score.

``python -m posh_lite.evaluation.combined_works --second vectors:minilm -o FOLDER`` fits the weights of both judges once
for each work, on the questions of all other works, and scores the captions of a work with the weights that were fitted
without it. The same evaluation as ``posh-lite evaluate --benchmark mini`` then holds it against the first judge alone:
accuracy, correlations, macro F1 of words, and paired differences over works. ``weights.json``, fitted on all works, is
for use elsewhere; other benchmarks (``--benchmarks mini,iiw400``) are scored with it.

What no fit can undo: the rules of the lexical judge were made while the works were read, and windows and curve of the
judge ``vectors`` were chosen on questions of all of them.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError, PoshLiteError
from posh_lite.evaluation.combine import fit_weights
from posh_lite.evaluation.labelled import LabelledSet, labelled_questions
from posh_lite.judge.check import ask
from posh_lite.judge.combined import CombinedJudge
from posh_lite.judge.combined_weights import Weights
from posh_lite.judge.contract import Judge, Verdict
from posh_lite.metric.posh import PoSh
from posh_lite.metric.protocol import Located
from posh_lite.records import Pair

if TYPE_CHECKING:
    import pandas as pd

    from posh_lite.benchmarks.contract import Benchmark
    from posh_lite.benchmarks.mini import MiniCorpus

#: Questions that the weights are fitted on: what ``posh-lite calibrate`` draws by default.
N, CAPTIONS = 600, 3
WEIGHTS = "weights.json"
_WITHOUT = "left out"


@dataclass(frozen=True, slots=True)
class Fits:
    """Weights of two judges.

    Attributes:
        whole: fitted on all works.
        without: by work, fitted on all others.
    """

    whole: Weights
    without: Mapping[str, Weights]


def fit_without(
    first: Judge, second: Judge, data: LabelledSet, said: tuple[Sequence[Verdict], Sequence[Verdict]], **settings: Any
) -> Fits:
    """Fit the weights on all works, and without each.

    Args:
        first: a judge.
        second: the other.
        data: labelled questions.
        said: the verdicts of each on them, in order.
        settings: keywords of :func:`~posh_lite.evaluation.combine.fit_weights`.

    Raises:
        InputError: too few questions of a label are left without a work.
    """
    whole = fit_weights(first, second, data, said, **settings)
    without = {}
    for work in dict.fromkeys(item.work for item in data.items):
        kept = [n for n, item in enumerate(data.items) if item.work != work]
        part = replace(data, items=tuple(data.items[n] for n in kept), name=f"{data.name}, {work} {_WITHOUT}")
        own = tuple([verdicts[n] for n in kept] for verdicts in said)
        without[work] = fit_weights(first, second, part, (own[0], own[1]), **settings)
    return Fits(whole, without)


class HeldOutPoSh:
    """PoSh with a combined judge whose weights were fitted without the work that is scored.

    Args:
        first: a judge.
        second: the other.
        fits: their weights.
        work_of: the work of a pair by its id; one that was in no fit gets the weights of all works.
    """

    name = "posh-combined"
    needs = frozenset({"reference"})
    uncovered = PoSh.uncovered

    def __init__(self, first: Judge, second: Judge, fits: Fits, work_of: Callable[[str], str] | None = None) -> None:
        self._work_of = work_of or (lambda pair_id: pair_id.split("/")[0])
        self._posh = {work: PoSh(CombinedJudge(first, second, weights), progress=False)
                      for work, weights in {"": fits.whole, **fits.without}.items()}  # fmt: skip
        names = [fits.whole.name, *(fits.without[work].name for work in sorted(fits.without))]
        parts = hashlib.sha256("".join(names).encode()).hexdigest()[:8]
        self.signature = self._posh[""].signature.replace(fits.whole.name, f"{parts} of works left out")

    def score(self, pairs: Iterable[Pair]) -> pd.DataFrame:
        """Scores of every pair, in order."""
        return self.measure(pairs)[0]

    def locate(self, pairs: Iterable[Pair]) -> list[Located]:
        """Components as scored spans."""
        return self.measure(pairs)[1]

    def measure(self, pairs: Iterable[Pair]) -> tuple[pd.DataFrame, list[Located]]:
        """Scores and spans at once, work by work."""
        import pandas as pd

        pairs = list(pairs)
        by_work: dict[str, list[int]] = {}
        for n, pair in enumerate(pairs):
            work = self._work_of(pair.id)
            by_work.setdefault(work if work in self._posh else "", []).append(n)
        frames, places = [], dict[int, Located]()
        for work, rows in by_work.items():
            frame, found = self._posh[work].measure([pairs[n] for n in rows])
            frames.append(frame.set_index(pd.Index(rows)))
            places.update(zip(rows, found, strict=True))
        return pd.concat(frames).sort_index(), [places[n] for n in range(len(pairs))]


def run(
    corpus: MiniCorpus, first: Judge, second: Judge, folder: Path, *, benchmarks: Sequence[str | Benchmark] = ("mini",),
    n: int | None = N, captions: int | None = CAPTIONS, n_resamples: int = 2000,
    said: Callable[[str], None] = lambda text: None,
) -> None:
    """Fit, score and write ``weights.json``, and ``results.json`` and ``table.md`` in a folder a benchmark.

    Args:
        corpus: known answers.
        first: a judge.
        second: the other.
        folder: for the files.
        benchmarks: names, or benchmarks themselves; ids of mini's pairs name their work.
        n: about how many questions the weights are fitted on; None takes all.
        captions: of each work, that these come from.
        n_resamples: of the bootstrap over works.
        said: told the progress.

    Raises:
        InputError: there is too little to fit on.
        JudgeError: a judge fails.
    """
    from posh_lite.benchmarks.registry import load_benchmark
    from posh_lite.evaluation.evaluate import evaluate
    from posh_lite.evaluation.tables import markdown, table_of

    loaded = [load_benchmark(b) if isinstance(b, str) else b for b in benchmarks]  # what is absent is told first
    data = labelled_questions(corpus, n=n, pairs=captions, seed=0)
    said(str(data))
    questions = [item.question for item in data.items]
    fits = fit_without(first, second, data, (ask(first, questions), ask(second, questions)), n_resamples=n_resamples)
    folder.mkdir(parents=True, exist_ok=True)
    fits.whole.save(folder / WEIGHTS)
    for benchmark in loaded:
        said(f"scoring {benchmark.name}")
        found = evaluate(
            benchmark, [PoSh(first, progress=False), HeldOutPoSh(first, second, fits)], progress=False,
            n_resamples=n_resamples,
        )
        if wrong := [f"{r.name}: {r.skipped}" for r in found.runs if r.skipped]:
            raise InputError("; ".join(wrong))
        place = folder / benchmark.name
        found.write(place)
        (place / "table.md").write_text(markdown(table_of(found)), "utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    from posh_lite.benchmarks.mini import load_mini
    from posh_lite.commands.judges import parse_value
    from posh_lite.judge.registry import make_judge

    parser = argparse.ArgumentParser(prog="python -m posh_lite.evaluation.combined_works", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--second", default="vectors:minilm", help="the judge beside (vectors:minilm)")
    parser.add_argument("--first", default="lexical", help="the judge that both are held against (lexical)")
    parser.add_argument("--second-option", action="append", default=[], metavar="NAME=VALUE",
                        help="of the judge beside, such as sides=reference; may be repeated")
    parser.add_argument("--benchmarks", default="mini", metavar="A,B", help="by name, with commas between (mini)")
    parser.add_argument("-n", type=int, default=N, help=f"about how many questions for the weights ({N}; 0 is all)")
    parser.add_argument("--captions", type=int, default=CAPTIONS, help=f"of each work, for these ({CAPTIONS})")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="for results, table and weights")
    options = parser.parse_args(argv)
    try:
        if options.n < 0 or options.captions < 1:
            raise InputError("-n must be at least 0, --captions at least 1")
        if wrong := [o for o in options.second_option if not o.partition("=")[0].isidentifier() or "=" not in o]:
            raise InputError(f'--second-option takes NAME=VALUE, such as sides=reference, got "{wrong[0]}"')
        benchmarks = list(dict.fromkeys(name.strip() for name in options.benchmarks.split(",") if name.strip()))
        if not benchmarks:
            raise InputError("--benchmarks names nothing")
        settings = {name: parse_value(value) for name, _, value in (o.partition("=") for o in options.second_option)}
        run(
            load_mini(), make_judge(options.first), make_judge(options.second, **settings), Path(options.output),
            benchmarks=benchmarks, n=options.n or None, captions=options.captions,
            said=lambda text: print(f"posh-lite: {text}", file=sys.stderr, flush=True),
        )
        return 0
    except PoshLiteError as error:
        print(f"posh-lite: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
