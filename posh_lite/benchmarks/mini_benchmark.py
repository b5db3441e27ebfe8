"""The known-answer corpora as benchmarks: planted spans and derived preferences, and six styles as an arena."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from posh_lite.benchmarks.contract import DIMENSIONS, Benchmark, Comparison, Marks
from posh_lite.benchmarks.mini import load_fresh, load_mini

if TYPE_CHECKING:
    from posh_lite.benchmarks.mini import MiniCorpus

_NOTE = (
    "Twelve works, six captions each, all written for this project: the gold follows from how the captions were made,"
    " and all of the works were read while rules were made; the clean test set is `fresh`."
)
_FRESH_NOTE = (
    "Six works, six captions each, written for this project by authors who had not seen the rules of judge, graph or"
    " lens; the gold follows from how the captions were made. Nobody tunes on it: figures on it are counted only."
)


def load_mini_benchmark(corpus: MiniCorpus | None = None) -> Benchmark:
    """The corpus ``data/mini``: 72 pairs, marks from the planted spans, comparisons of all captions of a work.

    Facts that a caption misstates are not omissions, as in DOCENT: the narrow mistake is corrected in thought first.

    Args:
        corpus: by default the embedded one.
    """
    return _benchmark("mini", "known-answer corpus", corpus or load_mini(), _NOTE)


def load_fresh_benchmark(corpus: MiniCorpus | None = None) -> Benchmark:
    """The test set ``data/fresh``: 36 pairs, with marks and comparisons as :func:`load_mini_benchmark` has them.

    Args:
        corpus: by default the embedded one.
    """
    return _benchmark("fresh", "known-answer test set", corpus or load_fresh(), _FRESH_NOTE)


def _benchmark(name: str, title: str, corpus: MiniCorpus, note: str) -> Benchmark:
    marks = [
        Marks(gold.id.split("/")[0], gold.id, tuple(m.span for m in gold.mistakes),
              tuple(o.span for o in gold.omissions))
        for gold in corpus.gold
    ]  # fmt: skip
    return Benchmark(name, title, "constructed", corpus.pairs, _comparisons(corpus), tuple(marks), note=note)


def load_mini_arena(corpus: MiniCorpus | None = None) -> Benchmark:
    """The same captions as battles between six "models", one for each style, judged on overall quality alone.

    Args:
        corpus: by default the embedded one.
    """
    corpus = corpus or load_mini()
    battles = tuple(
        replace(c, labels={"overall": (c.labels["overall"] > 0) - (c.labels["overall"] < 0)}, tags=frozenset({"arena"}))
        for c in _comparisons(corpus)
    )
    note = f"{_NOTE} The models are its six styles: no model wrote anything here, and six ranks say little."
    return Benchmark("mini-arena", "constructed arena", "constructed", corpus.pairs, battles, note=note)


def _comparisons(corpus: MiniCorpus) -> tuple[Comparison, ...]:
    return tuple(
        Comparison(p.work, p.a, p.b, {name: int(getattr(p, name)) for name in DIMENSIONS}) for p in corpus.preferences
    )
