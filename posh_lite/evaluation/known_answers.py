"""The known-answer corpus as an examination: are the planted mistakes and omissions found, and nothing else?"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from posh_lite.benchmarks.contract import DIMENSIONS as DIMENSIONS
from posh_lite.evaluation.bootstrap import Estimate, ratio
from posh_lite.evaluation.localisation import Detection, WordSet, cross_validated_f1, detect, word_set
from posh_lite.evaluation.pairwise import PairwiseAccuracy, directional_accuracy, pairwise_accuracy

if TYPE_CHECKING:
    import pandas as pd

    from posh_lite.benchmarks.mini import MiniCorpus
    from posh_lite.judge.contract import Side
    from posh_lite.metric.score import Score

#: A component scored below it is flagged: less than "partly there" on the scale of 1 to 5.
FLAG_BELOW = 3.0


def work_of(pair_id: str) -> str:
    """The work that a pair belongs to: the unit that is resampled."""
    return pair_id.split("/")[0]


def detections(
    corpus: MiniCorpus, scores: Sequence[Score], side: Side, *, threshold: float = FLAG_BELOW
) -> list[Detection]:
    """What was flagged in each caption (``generation``) or reference against what is known to be wrong there.

    On the reference, a flag on a fact that the caption misstates counts neither way: the annotation corrects the
    narrow mistake first, and the metric does not.

    Raises:
        ValueError: the scores are not those of the corpus's pairs, in order.
    """
    if [score.id for score in scores] != [pair.id for pair in corpus.pairs]:
        raise ValueError("expected one score for each pair of the corpus, in order")
    found = []
    for score, gold in zip(scores, corpus.gold, strict=True):
        known = gold.mistakes if side == "generation" else gold.omissions
        tolerated = [] if side == "generation" else [fact.span for fact in gold.misstated]
        found.append(
            detect(score, side, [k.span for k in known], threshold=threshold, unit=work_of(score.id),
                   tolerated=tolerated)
        )  # fmt: skip
    return found


def recall(found: Sequence[Detection], **settings: Any) -> Estimate:
    """Share of the known errors that a flagged component touches, with its interval over works."""
    return ratio([sum(d.found) for d in found], [len(d.found) for d in found], units=[d.unit for d in found],
                 method="span recall", **settings)  # fmt: skip


def precision(found: Sequence[Detection], **settings: Any) -> Estimate:
    """Share of the flagged components that touch a known error, with its interval over works."""
    return ratio([len(d.right) for d in found], [len(d.right) + len(d.wrong) for d in found],
                 units=[d.unit for d in found], method="span precision", **settings)  # fmt: skip


def recall_by_type(corpus: MiniCorpus, found: Sequence[Detection], **settings: Any) -> dict[str, Estimate]:
    """Recall of the planted mistakes by their type, most frequent type first; ``n`` is the number of mistakes."""
    rows: dict[str, list[tuple[str, bool]]] = {}
    for gold, one in zip(corpus.gold, found, strict=True):
        for mistake, hit in zip(gold.mistakes, one.found, strict=True):
            rows.setdefault(mistake.type, []).append((work_of(gold.id), hit))
    ordered = sorted(rows.items(), key=lambda item: (-len(item[1]), item[0]))
    return {
        kind: ratio([float(hit) for _, hit in hits], [1.0] * len(hits), units=[work for work, _ in hits],
                    method="span recall", **settings)
        for kind, hits in ordered
    }  # fmt: skip


def word_sets(corpus: MiniCorpus, scores: Sequence[Score], side: Side) -> list[WordSet]:
    """The words of all captions or references, with their scores and whether they are marked."""
    marks = [
        [m.span for m in (gold.mistakes if side == "generation" else gold.omissions)] for gold in corpus.gold
    ]
    return [word_set(score, side, marked, work_of(score.id)) for score, marked in zip(scores, marks, strict=True)]


def preference_accuracy(
    corpus: MiniCorpus, values: Mapping[str, float], dimension: str, **settings: Any
) -> PairwiseAccuracy:
    """How often a metric prefers the caption that is known to be better.

    Args:
        corpus: the corpus.
        values: the metric's value of each pair id.
        dimension: ``mistakes``, ``omissions`` or ``overall``.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.
    """
    differences = [values[p.a] - values[p.b] for p in corpus.preferences]
    gold = [int(getattr(p, dimension)) for p in corpus.preferences]
    return pairwise_accuracy(differences, gold, units=[p.work for p in corpus.preferences], **settings)


def preference_table(
    corpus: MiniCorpus, metrics: Mapping[str, Mapping[str, Mapping[str, float]]], **settings: Any
) -> pd.DataFrame:
    """Pairwise accuracy of several metrics: one row a metric and dimension.

    Args:
        corpus: the corpus.
        metrics: name of the metric, then dimension, then value by pair id; a dimension may be left out.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.

    Returns:
        Columns ``metric``, ``dimension``, ``estimate`` (an :class:`Estimate` of the accuracy with ties), ``value``,
        ``low``, ``high``, and ``sign`` (an :class:`Estimate` of the accuracy of the sign where there is no gold tie).
    """
    import pandas as pd

    rows, units = [], [p.work for p in corpus.preferences]
    for metric, by_dimension in metrics.items():
        for dimension in DIMENSIONS:
            if dimension in by_dimension:
                found = preference_accuracy(corpus, by_dimension[dimension], dimension, **settings).accuracy
                values = by_dimension[dimension]
                differences = [values[p.a] - values[p.b] for p in corpus.preferences]
                gold = [int(getattr(p, dimension)) for p in corpus.preferences]
                sign = directional_accuracy(differences, gold, units=units, **settings)
                rows.append({"metric": metric, "dimension": dimension, "estimate": found, "value": found.value,
                             "low": found.low, "high": found.high, "sign": sign})  # fmt: skip
    return pd.DataFrame(rows, columns=["metric", "dimension", "estimate", "value", "low", "high", "sign"])


def style_frame(scores: Sequence[Score]) -> pd.DataFrame:
    """Coarse scores by pair: columns ``id``, ``work``, ``style``, ``mistakes``, ``omissions``, ``overall``."""
    import pandas as pd

    return pd.DataFrame([
        {"id": s.id, "work": work_of(s.id), "style": s.id.split("/")[1], "mistakes": s.mistakes,
         "omissions": s.omissions, "overall": s.overall}
        for s in scores
    ])  # fmt: skip


def part_of(corpus: MiniCorpus, scores: Sequence[Score], slugs: Collection[str]) -> tuple[MiniCorpus, list[Score]]:
    """Some works of a corpus, and the scores of their captions.

    Args:
        corpus: the corpus.
        scores: of its pairs, in order.
        slugs: of the works that are kept.
    """
    part = replace(
        corpus, works=tuple(w for w in corpus.works if w.slug in slugs),
        pairs=tuple(p for p in corpus.pairs if work_of(p.id) in slugs),
        gold=tuple(g for g in corpus.gold if work_of(g.id) in slugs),
        preferences=tuple(p for p in corpus.preferences if p.work in slugs),
    )
    return part, [s for s in scores if work_of(s.id) in slugs]


def examination(
    corpus: MiniCorpus, scores: Sequence[Score], *, threshold: float = FLAG_BELOW, folds: int = 6, **settings: Any
) -> dict[str, Estimate]:
    """The whole examination in a few figures, each with its interval over works.

    Args:
        corpus: the corpus.
        scores: of its pairs, in order.
        threshold: a component below it is flagged.
        folds: of works, for the F1 over words with thresholds of other works.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.

    Returns:
        By name: shares of the mistakes and omissions that are found and of the flags that lie on one, the share of
        components that are flagged in faithful captions, cross-validated macro F1 over words, and the share of pairs of
        captions in which the better one is chosen.
    """
    found: dict[str, Estimate] = {}
    sides: tuple[tuple[Side, str], ...] = (("generation", "mistakes"), ("reference", "omissions"))
    for side, task in sides:
        told = detections(corpus, scores, side, threshold=threshold)
        found[f"{task} found"] = recall(told, **settings)
        found[f"flags that lie on {task}"] = precision(told, **settings)
        if side == "generation":
            calm = [(d, s) for d, s in zip(told, scores, strict=True) if s.id.endswith("/faithful")]
            found["components flagged in faithful captions"] = ratio(
                [len(d.wrong) for d, _ in calm], [len(s.of(side)) for _, s in calm], units=[d.unit for d, _ in calm],
                method="share flagged", **settings,
            )
    for side, task in sides:
        held = cross_validated_f1(word_sets(corpus, scores, side), folds=folds, **settings)
        found[f"F1 of words, {task}"] = held.estimate
    for dimension in DIMENSIONS:
        values = {s.id: float(getattr(s, dimension)) for s in scores}
        found[f"better caption chosen, {dimension}"] = preference_accuracy(
            corpus, values, dimension, **settings
        ).accuracy
    return found


def flat_judge_notice(values: Sequence[float], least: float = 0.02) -> str:
    """A sentence where scores hardly vary from pair to pair (standard deviation below ``least``), else nothing."""
    known = [v for v in values if not math.isnan(v)]
    if len(known) < 3:
        return ""
    middle = math.fsum(known) / len(known)
    spread = math.sqrt(math.fsum((v - middle) ** 2 for v in known) / (len(known) - 1))
    return f"The scores hardly vary over the pairs (standard deviation {spread:.3f})." if spread < least else ""
