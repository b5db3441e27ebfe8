"""Pairs of texts of which one is worse for a known reason: what the challenge matrix asks every metric about.

Three conditions, so that what a metric sees is told from what it lets itself be deceived by:

- ``planted``: a caption of the known-answer corpus without a mistake against the same caption with exactly one, or
  with one sentence left out. Nothing else differs, and the reference is in other words than both.
- ``copy``: the original of the contrast set against the original with one word or phrase changed, the original being
  the reference. It asks whether the change is seen at all; a paraphrase against the copy is the control.
- ``reworded``: a paraphrase of the original against a text with one fact changed. The paraphrase is right and shares
  fewer words with the reference: does a wrong fact cost more than other words do?
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from posh_lite.benchmarks.contract import Benchmark, Dimension
from posh_lite.benchmarks.contrast_benchmark import contrast_path
from posh_lite.benchmarks.mini import load_mini
from posh_lite.evaluation.challenge_repairs import read_repairs, repaired, with_one
from posh_lite.records import Pair, Span

if TYPE_CHECKING:
    from posh_lite.benchmarks.mini import Gold, MiniCorpus
    from posh_lite.judge.lexical.report import Contrast

Condition = Literal["planted", "copy", "reworded"]
CONDITIONS: tuple[Condition, Condition, Condition] = ("planted", "copy", "reworded")
OMISSION = "omission"
PARAPHRASE = "paraphrase"
#: Kinds in the order of the columns. The last ones give a true thing to the wrong owner.
KINDS: dict[Condition, tuple[str, ...]] = {
    "planted": ("invented", "object", "attribute", "colour", "count", "position", "relation", "swap", OMISSION),
    "copy": ("addition", "object", "attribute", "colour", "count", "position", "negation", "relation",
             "attribute swap", "role swap", PARAPHRASE),
    "reworded": ("addition", "object", "attribute", "colour", "count", "position", "negation", "relation",
                 "attribute swap", "role swap"),
}  # fmt: skip
#: Kinds in which every word may be right and its place wrong.
ATTACHMENT = frozenset({"swap", "attribute swap", "role swap"})


@dataclass(frozen=True, slots=True)
class Trial:
    """Two generations of one reference, and why the second is worse.

    Attributes:
        condition: see the module.
        kind: of the change, of :data:`KINDS`.
        unit: the work or original, which is what the bootstrap draws.
        better, worse: ids of pairs.
        dimension: the score that has to drop.
        spans: the changed words in the worse generation; empty where it lacks something.
    """

    condition: Condition
    kind: str
    unit: Hashable
    better: str
    worse: str
    dimension: Dimension
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class TrialSet:
    """Pairs to be scored together, and the trials among them.

    Attributes:
        benchmark: of all pairs; it has no gold of its own.
        trials: in order.
        natural: ids of the pairs whose spread is a metric's unit: captions as they were written, or paraphrases.
        calm: ids of generations without a mistake; empty where no threshold is chosen here.
    """

    benchmark: Benchmark
    trials: tuple[Trial, ...]
    natural: tuple[str, ...]
    calm: tuple[str, ...] = ()


def planted_trials(corpus: MiniCorpus | None = None) -> TrialSet:
    """Every planted mistake alone in its caption, and every sentence of the faithful captions left out.

    Args:
        corpus: by default the embedded one.

    Raises:
        InputError: corpus or repairs are not there or do not fit each other.
    """
    corpus = corpus or load_mini()
    repairs = read_repairs(corpus)
    pairs, trials = list(corpus.pairs), []
    for pair, gold in zip(corpus.pairs, corpus.gold, strict=True):
        unit = pair.id.split("/")[0]
        if mine := repairs.get(pair.id):
            right = replace(pair, id=f"{pair.id}+right", generation=repaired(pair.generation, mine))
            pairs.append(right)
            for number, repair in enumerate(mine, start=1):
                text, spans = with_one(pair.generation, mine, repair)
                wrong = replace(pair, id=f"{pair.id}+{number}", generation=text)
                pairs.append(wrong)
                trials.append(Trial("planted", repair.type, unit, right.id, wrong.id, "mistakes", spans))
        elif pair.id.endswith("/faithful"):
            for number, text in enumerate(without_sentences(pair.generation, gold), start=1):
                shorter = replace(pair, id=f"{pair.id}-{number}", generation=text)
                pairs.append(shorter)
                trials.append(Trial("planted", OMISSION, unit, pair.id, shorter.id, "omissions"))
    calm = tuple(gold.id for gold in corpus.gold if not gold.mistakes)
    note = ("Constructed: the mistakes were planted and taken back by hand, nobody was asked, and all of the works"
            " were read while rules of the lexical judge were made.")  # fmt: skip
    benchmark = Benchmark("challenge-planted", "planted mistakes", "constructed", tuple(pairs), note=note)
    return TrialSet(benchmark, _ordered(trials), tuple(pair.id for pair in corpus.pairs), calm)


def without_sentences(text: str, gold: Gold) -> list[str]:
    """The caption without each of its supported sentences in turn; layout before a sentence goes with it."""
    spans, found = [s.span for s in gold.sentences], []
    for number, sentence in enumerate(gold.sentences):
        if sentence.label != "supported" or len(spans) < 2:
            continue
        if number:
            found.append(text[: spans[number - 1][1]] + text[sentence.end :])
        else:
            found.append(text[: sentence.start] + text[spans[1][0] :])
    return found


def contrast_trials(path: str | Path | None = None) -> TrialSet:
    """The contrast set under the conditions ``copy`` and ``reworded``.

    Under ``copy`` only changes count whose rest is verbatim: in the others, rewording and change would be mixed.

    Args:
        path: of another set of the same form.

    Raises:
        InputError: the set is not there, or a line cannot be used.
    """
    from posh_lite.benchmarks.contrast_benchmark import load_contrast_benchmark
    from posh_lite.judge.lexical.report import read_contrast

    rows = read_contrast(contrast_path() if path is None else path)
    base_of: dict[str, str] = {}
    for row in rows:
        base_of.setdefault(row.original, row.id[:-1] or row.id)
    copies = [Pair(base, text, text, source="contrast") for text, base in base_of.items()]
    pairs = [*copies, *(Pair(row.id, row.changed, row.original, source="contrast") for row in rows)]
    reworded = [row for row in rows if row.kind == PARAPHRASE]
    trials = []
    for row in rows:
        unit, kind = base_of[row.original], row.kind.replace("_", " ")
        dimension: Dimension = "mistakes" if row.changed_spans or row.kind == PARAPHRASE else "omissions"
        trial = Trial("copy", kind, unit, unit, row.id, dimension, row.changed_spans)
        if row.kind == PARAPHRASE or is_verbatim(row):
            trials.append(trial)
        if row.kind != PARAPHRASE:
            trials += [
                replace(trial, condition="reworded", better=other.id)
                for other in reworded if other.original == row.original
            ]  # fmt: skip
    note = load_contrast_benchmark(path).note
    benchmark = Benchmark("challenge-contrast", "contrast set", "constructed", tuple(pairs), note=note)
    return TrialSet(benchmark, _ordered(trials), tuple(row.id for row in reworded))


def is_verbatim(row: Contrast) -> bool:
    """Whether the two texts agree word for word outside of their marks."""
    return _rest(row.changed, row.changed_spans) == _rest(row.original, row.original_spans)


def _rest(text: str, spans: Sequence[Span]) -> list[str]:
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return re.findall(r"\w+", text.lower())


def _ordered(trials: Sequence[Trial]) -> tuple[Trial, ...]:
    """By condition and kind in the order of the columns; kinds of another set come last, as they appear."""
    order = {(c, kind): place for place, (c, kind) in enumerate((c, k) for c in CONDITIONS for k in KINDS[c])}
    return tuple(sorted(trials, key=lambda t: order.get((t.condition, t.kind), len(order))))
