"""What a small study yields: who marked which spans, and who found which generation better."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from posh_lite.benchmarks.contract import Benchmark, Comparison, Dimension, Gold, Marks
from posh_lite.benchmarks.docent_schema import DIMENSION_OF, LABELS
from posh_lite.records import Pair, Span, write_jsonl


@dataclass(frozen=True, slots=True)
class SpanJudgment:
    """One annotator's marks on one pair. None where a side was not to be marked."""

    annotator: str
    unit: str
    id: str  # of the pair
    mistakes: tuple[Span, ...] | None
    omissions: tuple[Span, ...] | None


@dataclass(frozen=True, slots=True)
class CoarseJudgment:
    """One annotator's comparison; ``a`` comes before ``b`` in the order of ids, whichever was shown first.

    ``labels`` run from -2 (``b`` much better) to 2 (``a`` much better); a question left open is left out.
    """

    annotator: str
    unit: str
    a: str
    b: str
    labels: Mapping[Dimension, int]


@dataclass(frozen=True, slots=True)
class Study:
    """All judgments of a study.

    Attributes:
        pairs: what was judged.
        spans, coarse: the judgments.
        skipped: annotations that their annotators cancelled.
        open: tasks without any annotation.
        notes: what was odd in the export, a line each.
        gold: "constructed" where no people judged.
    """

    pairs: tuple[Pair, ...]
    spans: tuple[SpanJudgment, ...]
    coarse: tuple[CoarseJudgment, ...]
    skipped: int = 0
    open: int = 0
    notes: tuple[str, ...] = ()
    gold: Gold = "people"

    @property
    def annotators(self) -> tuple[str, ...]:
        """Their names, sorted."""
        return tuple(sorted({j.annotator for j in self.spans} | {j.annotator for j in self.coarse}))

    def to_benchmark(self, name: str = "study", *, first: Sequence[str] = ()) -> Benchmark:
        """The study as a benchmark, with one judgment of each thing.

        Args:
            name: of the benchmark.
            first: annotators whose judgment is taken before that of others; after these goes the order of names.
        """
        order = {who: at for at, who in enumerate([*first, *(w for w in self.annotators if w not in first)])}
        spans: dict[str, SpanJudgment] = {}
        for mark in sorted(self.spans, key=lambda j: order[j.annotator]):
            spans.setdefault(mark.id, mark)
        coarse: dict[tuple[str, str], CoarseJudgment] = {}
        for one in sorted(self.coarse, key=lambda j: order[j.annotator]):
            coarse.setdefault((one.a, one.b), one)
        place = {pair.id: at for at, pair in enumerate(self.pairs)}
        return Benchmark(
            name, f"study of {len(self.annotators)} annotators", self.gold, self.pairs,
            tuple(Comparison(c.unit, c.a, c.b, c.labels)
                  for c in sorted(coarse.values(), key=lambda c: (place[c.a], place[c.b]))),
            tuple(Marks(m.unit, m.id, m.mistakes, m.omissions)
                  for m in sorted(spans.values(), key=lambda m: place[m.id])),
            note="constructed annotations, nobody was asked" if self.gold == "constructed" else "",
        )


def write_study(study: Study, folder: str | Path) -> list[Path]:
    """Write a study in the columns of the published sets of DOCENT, with the annotator as one more column.

    Where nobody was asked, a column ``gold`` says "constructed".

    Args:
        study: the judgments. Comparisons with an open question are left out: the published form has no place for it.
        folder: made where it is not there.

    Returns:
        The files written, of ``granular.jsonl`` and ``coarse.jsonl`` those that are not empty.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    by_id = {pair.id: pair for pair in study.pairs}
    made = {"gold": study.gold} if study.gold == "constructed" else {}
    granular = [
        {"uuid": j.unit, "model": by_id[j.id].model or j.id, "reference": by_id[j.id].reference,
         "generation": by_id[j.id].generation, "mistakes": _json(j.mistakes), "omissions": _json(j.omissions),
         "annotator": j.annotator, **made}
        for j in study.spans
    ]
    said = {code: name for name, code in LABELS.items()}
    coarse = [
        {"uuid": j.unit, "reference": by_id[j.a].reference, "model1": by_id[j.a].model or j.a,
         "model2": by_id[j.b].model or j.b, "model1_generation": by_id[j.a].generation,
         "model2_generation": by_id[j.b].generation,
         **{theirs: said[j.labels[ours]] for theirs, ours in DIMENSION_OF.items()}, "annotator": j.annotator, **made}
        for j in study.coarse if set(j.labels) == set(DIMENSION_OF.values())
    ]
    written = []
    for name, rows in (("granular", granular), ("coarse", coarse)):
        if rows:
            written.append(place / f"{name}.jsonl")
            write_jsonl(written[-1], rows)
    return written


def _json(spans: tuple[Span, ...] | None) -> str | None:
    return None if spans is None else json.dumps([{"start": start, "end": end} for start, end in spans])
