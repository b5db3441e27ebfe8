"""What the record of a language model says: figures with intervals, beside the embedded judges on the same items."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError
from posh_lite.evaluation.bootstrap import Estimate, bootstrap
from posh_lite.position.llm_report import of_fact_status
from posh_lite.position.rubric_compare import means, shared

if TYPE_CHECKING:
    import pandas as pd

#: Ways of asking the verifier, as the record and a reader call them.
ASKED = {"verifier": "in lists", "verifier_one_by_one": "one by one"}
_ORDER = ("S", "C", "M")


def load_llm(path: str | Path) -> dict[str, Any]:
    """The record.

    Raises:
        InputError: it is not there, or is no JSON.
    """
    try:
        found: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"no record of a language model: {error}; python -m posh_lite.position.llm_report",
                         path=path) from None
    return found


def generic_auc(record: Mapping[str, Any], **settings: Any) -> tuple[Estimate, Estimate, Estimate]:
    """ROC AUC of the model, of the embedded judge on the same sentences, and the paired difference, over images.

    Sentences without a readable mark of the model are left out and counted.

    Args:
        record: of :func:`load_llm`.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.
    """
    from dataclasses import replace

    from posh_lite.evaluation.calibrate import auc, auc_statistic

    rows = record["genericity"]["rows"]
    kept = [r for r in rows if r[2] is not None]
    images, labels = [r[0] for r in kept], [r[1] for r in kept]
    model, own = ([r[k] for r in kept] for k in (2, 3))
    one, other = auc_statistic(model, labels), auc_statistic(own, labels)
    gap = bootstrap(lambda w: one(w) - other(w), len(kept), units=images, method="difference of AUC", **settings)
    lost = len(rows) - len(kept)
    a, b = (auc(x, labels, units=images, **settings) for x in (model, own))
    return replace(a, n_dropped=lost), replace(b, n_dropped=lost), replace(gap, n_dropped=lost)


def kappas(record: Mapping[str, Any], way: str, **settings: Any) -> tuple[Estimate, Estimate]:
    """Kappa with what was planted: of the model, and of the embedded verifier on the same facts, over works.

    Facts of which no claim has a readable verdict of the model are left out of both and counted.

    Args:
        record: of :func:`load_llm`.
        way: of :data:`ASKED`.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.
    """
    import numpy as np

    from posh_lite.evaluation.agreement import kappa_statistic

    rows = record[way]["rows"]
    told = [(r[0].split("/")[0], r[2], of_fact_status(r[3]), of_fact_status(r[4])) for r in rows]
    kept = [t for t in told if t[2] is not None]
    gold = np.array([_ORDER.index(t[1]) for t in kept], dtype=np.int64)
    found = []
    for k in (2, 3):
        said = np.array([_ORDER.index(str(t[k])) for t in kept], dtype=np.int64)
        found.append(bootstrap(
            kappa_statistic(gold, said, 3), len(kept), units=[t[0] for t in kept], method="kappa over facts",
            n_dropped=len(told) - len(kept), reason="one category only", **settings,
        ))
    return found[0], found[1]


def verdicts_table(record: Mapping[str, Any], way: str) -> pd.DataFrame:
    """Facts by what was planted, and what the model and the embedded verifier found of them."""
    import pandas as pd

    names = {"S": "conveyed", "C": "misstated", "M": "omitted"}
    rows = [(r[2], of_fact_status(r[3]), of_fact_status(r[4])) for r in record[way]["rows"]]
    table = []
    for known in _ORDER:
        own = [r for r in rows if r[0] == known]
        cell = {who: "/".join(str(sum(r[k] == s for r in own)) for s in _ORDER)
                for who, k in (("model", 1), ("embedded", 2))}
        table.append({"planted": names[known], "facts": len(own), **cell})
    return pd.DataFrame(table)


def rubric_table(rows: list[dict[str, Any]], names: tuple[str, str], **settings: Any) -> pd.DataFrame:
    """Two rubrics of the same pictures: claims by dimension, weight, and the share that the other has.

    Args:
        rows: of :func:`~posh_lite.position.rubric_compare.compared`.
        names: of the two sides.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.
    """
    import pandas as pd

    from posh_lite.position.study_view import percent

    table = []
    for side, name in enumerate(names):
        own = means(rows, side)
        table.append({"rubric": name, **{k.replace("_", " ").lower(): f"{v:.1f}" for k, v in own.items()},
                      "in the other": percent(shared(rows, side, **settings))})
    return pd.DataFrame(table)


def lines(record: Mapping[str, Any]) -> list[str]:
    """The chief figures."""
    found = [f"model: {record['model']}"]
    if "genericity" in record:
        one, other, gap = generic_auc(record)
        found.append(f"genericity, AUC: model {one}; embedded {other}; difference {gap}")
    for way, name in ASKED.items():
        if record[way]["rows"]:
            one, other = kappas(record, way)
            found.append(f"verifier asked {name}, kappa: model {one}; embedded on the same facts {other}")
    rows = record["rubrics"]["rows"]
    for side, name in enumerate(("model", "graph")):
        if rows:
            found.append(f"rubrics of {len(rows)} references, {name}: {means(rows, side)['claims']:.1f} claims,"
                         f" in the other {shared(rows, side)}")
    return found
