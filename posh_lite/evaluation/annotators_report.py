"""The agreement of a study as the PoSh paper reports it in the two tables of its appendix, and what its models got."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from posh_lite.benchmarks.contract import DIMENSIONS, Dimension
from posh_lite.benchmarks.label_studio_study import CoarseJudgment, SpanJudgment, Study
from posh_lite.errors import InputError
from posh_lite.evaluation.annotators import LEVELS, cohen_kappa, fleiss_kappa, krippendorff_alpha, second_rater
from posh_lite.evaluation.annotators_spans import Matched, match_spans, relaxed_agreement, unmarked_share
from posh_lite.evaluation.bootstrap import Estimate, ratio

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

#: Both texts of a granular task, by what is marked in them.
SIDES = ("mistakes", "omissions")
#: Share of a span's words that must be covered, and how the paper writes it.
SHARES: dict[str, float] = {"F1": 0.0, "F1@50": 0.5}
SCALE = (-2.0, -1.0, 0.0, 1.0, 2.0)


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of agreement.

    Attributes:
        among: "annotators" for agreement among them, "expert" for that with the second rater.
        dimension: mistakes, omissions or overall.
        measure: as in the paper ("F1@50", "R", "alpha, ordinal", "r", "difference"), or "kappa" and "Fleiss' kappa".
        estimate: value, interval, number of tasks or of couples of judgments.
    """

    among: str
    dimension: str
    measure: str
    estimate: Estimate


def ratings_table(
    judgments: Sequence[CoarseJudgment], dimension: Dimension, annotators: Sequence[str]
) -> tuple[NDArray[Any], list[str]]:
    """Ratings by task and annotator, NaN where not rated, and the image of each task.

    Args:
        judgments: coarse ones.
        dimension: which of their labels.
        annotators: the columns; judgments of others are left out.
    """
    import numpy as np

    keys = list(dict.fromkeys((j.a, j.b) for j in judgments if j.annotator in annotators and dimension in j.labels))
    rows = {key: at for at, key in enumerate(keys)}
    columns = {name: at for at, name in enumerate(annotators)}
    table = np.full((len(keys), len(annotators)), np.nan)
    units = [""] * len(keys)
    for one in judgments:
        if one.annotator in columns and dimension in one.labels:
            table[rows[one.a, one.b], columns[one.annotator]] = one.labels[dimension]
            units[rows[one.a, one.b]] = one.unit
    return table, units


def agreement(study: Study, *, expert: str | None = None, **settings: Any) -> list[Figure]:
    """Every figure of agreement that a study allows; undefined ones are NaN and say why.

    Args:
        study: the judgments.
        expert: the annotator who is held against all others, and who is left out of their agreement with each other.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.

    Raises:
        InputError: there is no such annotator.
    """
    if expert is not None and expert not in study.annotators:
        raise InputError(f'no annotator named "{expert}"; there are {", ".join(study.annotators) or "none"}')
    others = [name for name in study.annotators if name != expert]
    figures: list[Figure] = []
    if study.spans:
        for side in SIDES:
            figures += _among_spans(study, side, others, settings)
            if expert is not None:
                figures += _expert_spans(study, side, others, expert, settings)
    if study.coarse:
        for dimension in DIMENSIONS:
            figures += _among_coarse(study.coarse, dimension, others, settings)
            if expert is not None:
                figures += _expert_coarse(study.coarse, dimension, others, expert, settings)
    return figures


def _matched(
    study: Study, side: str, couples: Sequence[tuple[SpanJudgment, SpanJudgment]], share: float
) -> list[Matched]:
    by_id = {pair.id: pair for pair in study.pairs}
    found = []
    for first, second in couples:
        marks = getattr(first, side), getattr(second, side)
        if None not in marks:
            pair = by_id[first.id]
            text = pair.generation if side == "mistakes" else pair.reference
            found.append(match_spans(text, *marks, share=share, unit=first.unit))
    return found


def _by_pair(study: Study, names: Sequence[str]) -> dict[str, list[SpanJudgment]]:
    found: dict[str, list[SpanJudgment]] = {}
    for one in sorted(study.spans, key=lambda j: (j.id, j.annotator)):
        if one.annotator in names:
            found.setdefault(one.id, []).append(one)
    return found


def _among_spans(study: Study, side: str, names: Sequence[str], settings: Mapping[str, Any]) -> list[Figure]:
    couples = [c for judged in _by_pair(study, names).values() for c in combinations(judged, 2)]
    return [Figure("annotators", side, name, relaxed_agreement(_matched(study, side, couples, share), **settings).f1)
            for name, share in SHARES.items()]


def _expert_spans(
    study: Study, side: str, names: Sequence[str], expert: str, settings: Mapping[str, Any]
) -> list[Figure]:
    mine = _by_pair(study, [expert])
    couples = [(one, mine[key][0]) for key, judged in _by_pair(study, names).items() if key in mine for one in judged]
    figures = []
    for name, share in SHARES.items():
        found = relaxed_agreement(_matched(study, side, couples, share), **settings)
        figures += [Figure("expert", side, name.replace("F1", "R"), found.recall),
                    Figure("expert", side, name, found.f1)]  # fmt: skip
    return figures


def _among_coarse(
    judgments: Sequence[CoarseJudgment], dimension: Dimension, names: Sequence[str], settings: Mapping[str, Any]
) -> list[Figure]:
    table, units = ratings_table(judgments, dimension, names)
    figures = [Figure("annotators", dimension, f"alpha, {level}",
                      krippendorff_alpha(table, level, units=units, **settings)) for level in LEVELS]  # fmt: skip
    figures.append(Figure("annotators", dimension, "Fleiss' kappa", fleiss_kappa(table, units=units, **settings)))
    return figures


def _expert_coarse(
    judgments: Sequence[CoarseJudgment], dimension: Dimension, names: Sequence[str], expert: str,
    settings: Mapping[str, Any],
) -> list[Figure]:
    """The expert against each judgment of the others on the same task; a row is a couple of judgments."""
    import numpy as np

    table, units = ratings_table(judgments, dimension, [*names, expert])
    rows = [(at, column) for at in range(len(table)) for column in range(len(names))
            if not np.isnan(table[at, [column, len(names)]]).any()]
    first = [table[at, column] for at, column in rows]
    second = [table[at, len(names)] for at, _ in rows]
    of = [units[at] for at, _ in rows]
    r, apart = second_rater(first, second, units=of, **settings)
    kappas = {"kappa": cohen_kappa(first, second, values=SCALE, units=of, **settings),
              "kappa, quadratic": cohen_kappa(first, second, weights="quadratic", values=SCALE, units=of, **settings)}
    return [Figure("expert", dimension, name, estimate)
            for name, estimate in {"r": r, "difference": apart, **kappas}.items()]


def unmarked_by_model(study: Study, **settings: Any) -> list[tuple[str, str, Estimate]]:
    """Mean share of words without a mark, by side and model (right half of the paper's table of granular judgments).

    Every judgment counts as one text, also where several people judged it.

    Returns:
        Side, model and estimate, in the order of the study's pairs.
    """
    by_id = {pair.id: pair for pair in study.pairs}
    models = dict.fromkeys(pair.model or pair.id for pair in study.pairs)
    found = []
    for side in SIDES:
        for model in models:
            values, units = [], []
            for one in study.spans:
                pair, marks = by_id[one.id], getattr(one, side)
                if (pair.model or pair.id) == model and marks is not None:
                    values.append(unmarked_share(pair.generation if side == "mistakes" else pair.reference, marks))
                    units.append(one.unit)
            if values:
                found.append((side, model, ratio(values, [1.0] * len(values), units=units,
                                                 method="mean share of words without a mark", **settings)))
    return found


def relative_by_model(judgments: Sequence[CoarseJudgment], models: Mapping[str, str], dimension: Dimension
                      ) -> pd.DataFrame:  # fmt: skip
    """Mean relative score of each row model to each column model (lower half of the paper's table of coarse judgments).

    From 1 (the row is much better) to 5 (the column is much better); 3 is equal.

    Args:
        judgments: coarse ones.
        models: name of the model of each pair id.
        dimension: which of the labels.
    """
    import pandas as pd

    rows = []
    for one in judgments:
        if dimension in one.labels:
            a, b, code = models[one.a], models[one.b], one.labels[dimension]
            rows += [{"model": a, "other": b, "score": 3.0 - code}, {"model": b, "other": a, "score": 3.0 + code}]
    if not rows:
        return pd.DataFrame()
    return pd.DataFrame(rows).pivot_table(index="model", columns="other", values="score", aggfunc="mean")


def agreement_frame(figures: Sequence[Figure]) -> pd.DataFrame:
    """Figures as a table with columns among, dimension, measure, value, low, high, n, images and reason."""
    import pandas as pd

    return pd.DataFrame(
        [{"among": f.among, "dimension": f.dimension, "measure": f.measure, "value": f.estimate.value,
          "low": f.estimate.low, "high": f.estimate.high, "n": f.estimate.n, "images": f.estimate.n_units,
          "reason": f.estimate.reason} for f in figures],
        columns=["among", "dimension", "measure", "value", "low", "high", "n", "images", "reason"],
    )
