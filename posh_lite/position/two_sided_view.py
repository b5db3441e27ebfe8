"""What the chapters on position show of the two-sided lens: its records beside those of the paper's lens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.evaluation.bootstrap import Estimate, estimate_from_dict
from posh_lite.position.label import Precedence
from posh_lite.position.study import BOTH, MODEL, TO_DOCCI, TO_IIW
from posh_lite.position.study_record import load_sets, same_sentences
from posh_lite.position.study_view import Study, percent, said, texts_of
from posh_lite.position.types import CaptionProfile

if TYPE_CHECKING:
    import pandas as pd

#: Keys of the record of the verifier, and what a reader sees.
_LENSES = {"precedence": "claims", "two_sided": "both sides"}


def estimate(row: Mapping[str, Any]) -> Estimate:
    """An estimate of a record."""
    return estimate_from_dict(dict(row))


def kappa(verifier: Mapping[str, Any], part: str, lens: str, precedence: Precedence = "contradicted") -> Estimate:
    """Agreement with the planted labels on all sentences.

    Args:
        verifier: the record of :mod:`posh_lite.position.verify_report`.
        part: "developed on", "held out" or "all".
        lens: "precedence" (claims alone) or "two_sided".
        precedence: what goes first.
    """
    return estimate(verifier["parts"][part][lens][precedence]["all sentences"]["kappa"])


def kappa_table(verifier: Mapping[str, Any], fresh: Mapping[str, Any] | None = None) -> pd.DataFrame:
    """Kappa of all sentences by works and order, through each lens; ``fresh`` is the record of the clean test set."""
    import pandas as pd

    orders: tuple[Precedence, ...] = ("supported", "contradicted")
    return pd.DataFrame([
        {"works": texts, "first": first, **{shown: said(kappa(record, part, key, first))
                                            for key, shown in _LENSES.items()}}
        for texts, record, part in texts_of(verifier, fresh) for first in orders
    ])


def false_alarms(verifier: Mapping[str, Any], lens: str, precedence: Precedence = "contradicted") -> tuple[int, int]:
    """Sentences that are right and are called contradicted, and how many are right, over all works."""
    told = verifier["parts"]["all"][lens][precedence]["all sentences"]
    place = told["names"].index("Contradicted")
    right = [row for name, row in zip(told["names"], told["confusion"], strict=True) if name != "Contradicted"]
    return sum(row[place] for row in right), sum(map(sum, right))


def caught(verifier: Mapping[str, Any], lens: str, precedence: Precedence = "contradicted") -> tuple[int, int]:
    """Sentences with a planted mistake that are called contradicted, and how many there are, over all works."""
    told = verifier["parts"]["all"][lens][precedence]["all sentences"]
    place = told["names"].index("Contradicted")
    return told["confusion"][place][place], sum(told["confusion"][place])


def effects_table(
    verifier: Mapping[str, Any], quantity: str, precedence: Precedence = "contradicted"
) -> pd.DataFrame:
    """A planted effect by captioner, and what each lens found, with intervals over works."""
    import pandas as pd

    rows: dict[str, dict[str, Any]] = {}
    for key, shown in (("claims", "claims"), ("two_sided", "both sides")):
        for r in verifier["effects"][key][precedence]:
            if r["quantity"] == quantity:
                row = rows.setdefault(r["captioner"], {"captioner": r["captioner"], "planted": r["planted"]})
                row[shown] = said(estimate(r["found"]))
    return pd.DataFrame(list(rows.values()))


def planted_and_found(
    verifier: Mapping[str, Any], captioner: str, quantity: str, precedence: Precedence = "contradicted"
) -> tuple[float, Estimate, Estimate]:
    """One planted effect, what claims found and what both sides found.

    Raises:
        KeyError: no such captioner or quantity.
    """
    found = []
    for key in ("claims", "two_sided"):
        rows = {(r["captioner"], r["quantity"]): r for r in verifier["effects"][key][precedence]}
        found.append(rows[captioner, quantity])
    return float(found[0]["planted"]), estimate(found[0]["found"]), estimate(found[1]["found"])


def planted_among_unsupported(gold: Sequence[CaptionProfile], both: Sequence[CaptionProfile]) -> tuple[int, int]:
    """Unsupported specific sentences of constructed captions that hold a planted mistake, and all of them."""
    planted = [a.label == "Contradicted" for _, a, b in same_sentences(gold, both) if b.unsupported]
    return sum(planted), len(planted)


def known_both(
    folder: str | Path, gold: Sequence[CaptionProfile], precedence: Precedence = "contradicted"
) -> list[CaptionProfile]:
    """The constructed captioners through the two-sided lens.

    Raises:
        InputError: the record is not there.
        ValueError: it is of another state of the corpus.
    """
    made = [
        replace(p, id=f"{p.unit}/{p.model}") for p in load_sets(Path(folder) / "captions.json")["mini", BOTH].profiles(
            precedence)
    ]
    same_sentences(gold, made)
    return made


def unsupported(study: Study, part: str, column: str, precedence: Precedence = "contradicted") -> Estimate:
    """A figure of unsupported specific sentences.

    Args:
        study: the record.
        part: "all" or "q1" to "q4".
        column: "model", a direction of the cross-writer control, "floor", "model_minus_floor", "explained" or
            "explained by" a direction.
        precedence: what goes first.
    """
    return estimate(study.figures["unsupported"][precedence][part][column])


def unsupported_table(study: Study, precedence: Precedence = "contradicted") -> pd.DataFrame:
    """Share of unsupported specific sentences of a model and of honest writers, and what share the floor explains."""
    import pandas as pd

    return pd.DataFrame([
        {"": "whole captions" if part == "all" else part.upper(),
         **{name: said(unsupported(study, part, column, precedence))
            for name, column in ((MODEL, "model"), (TO_IIW, TO_IIW), (TO_DOCCI, TO_DOCCI))},
         "both explain": percent(unsupported(study, part, "explained", precedence)),
         "DOCCI writers explain": percent(unsupported(study, part, f"explained by {TO_IIW}", precedence))}
        for part in study.figures["unsupported"][precedence]
    ])


def split_table(study: Study, precedence: Precedence = "contradicted") -> pd.DataFrame:
    """Sentences by label, with contradicted ones split by what speaks against them."""
    import pandas as pd

    rows = []
    for name in (MODEL, TO_IIW, TO_DOCCI):
        sentences = [s for p in study.profiles(name, BOTH, precedence) for s in p.sentences]
        shares = {
            "supported": sum(s.label == "Supported" for s in sentences),
            "contradicted": sum(s.label == "Contradicted" and not s.unsupported for s in sentences),
            "unsupported": sum(s.unsupported for s in sentences),
            "generic": sum(s.label == "Generic" for s in sentences),
        }
        rows.append({"texts": name, **{k: f"{n / len(sentences):.0%}" for k, n in shares.items()}})
    return pd.DataFrame(rows)
