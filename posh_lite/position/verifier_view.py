"""What the chapter on positions shows of the verifier's own record: facts, and mistakes by their type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from posh_lite.evaluation.bootstrap import Estimate, estimate_from_dict
from posh_lite.position.study_view import said

if TYPE_CHECKING:
    import pandas as pd

#: Least kappa of the embedded verifier that was aimed at, and what the paper's two language models have over claims.
AIM, PAPER = 0.70, (0.89, 0.92)


def facts_kappa(verifier: Mapping[str, Any], part: str) -> Estimate:
    """Agreement with what was planted over the facts of references.

    Args:
        verifier: the record of :mod:`posh_lite.position.verify_report`.
        part: "developed on", "held out" or "all".
    """
    return estimate_from_dict(dict(verifier["parts"][part]["facts"]["kappa"]))


def facts_table(verifier: Mapping[str, Any]) -> pd.DataFrame:
    """Kappa over facts by works, and the share of facts of each planted status that was found as such."""
    import pandas as pd

    names = {"Supported": "conveyed", "Contradicted": "misstated", "Missing": "omitted"}
    rows = []
    for part, own in verifier["parts"].items():
        told = own["facts"]
        shares = {
            names[name]: f"{row[k]} of {sum(row)}"
            for k, (name, row) in enumerate(zip(told["names"], told["confusion"], strict=True))
        }
        rows.append({"works": part, "kappa": said(facts_kappa(verifier, part)), **shares})
    return pd.DataFrame(rows)


def mistakes_table(verifier: Mapping[str, Any], part: str = "all") -> pd.DataFrame:
    """Misstated facts by the type of the mistake, and what the verifier found of them, the most frequent first."""
    import pandas as pd

    rows = verifier["parts"][part]["misstated"]
    return pd.DataFrame([
        {"mistake": kind, "facts": sum(n), "contradicted": n[1], "supported": n[0], "missing": n[2]}
        for kind, n in sorted(rows.items(), key=lambda row: -sum(row[1]))
    ])
