"""What the chapter on positions shows of the verifiers' records: facts, mistakes by their type, and who reads best."""

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


#: Texts that a verifier is held against, as a reader calls them.
TEXTS = {
    "developed on": "mini, works that the rules were made on", "held out": "mini, the other works", "all": "mini",
    "fresh": "fresh, made for no rule",
}


def verifiers(
    mini: Mapping[str, Any], fresh: Mapping[str, Any] | None = None, llm: Mapping[str, Any] | None = None,
    **settings: Any,
) -> list[tuple[str, str, Estimate]]:
    """Agreement over facts: rows of verifier ("lexical", "vectors", "vectors - lexical", "llm"), texts, and kappa.

    Vectors on ``mini`` are fitted without the work in question; the language model was asked about some facts of
    ``mini``, and the rules stand beside it on these alone as "lexical, same facts".

    Args:
        mini: the record of :mod:`posh_lite.position.verify_report`.
        fresh: that of its ``--fresh``, where there is one.
        llm: the record of :mod:`posh_lite.position.llm_report`, where there is one.
        settings: of the bootstrap of the language model's figures.
    """
    records = [(name, mini, name) for name in mini["parts"]]
    if fresh is not None:
        records.append(("fresh", fresh, "all"))
    found = [("lexical", TEXTS[text], facts_kappa(record, part)) for text, record, part in records]
    for text, record, part in records:
        if "vectors" in record:
            row = record["vectors"]["parts"][part]
            found.append(("vectors", TEXTS[text], estimate_from_dict(dict(row["facts"]["kappa"]))))
            found.append(("vectors - lexical", TEXTS[text], estimate_from_dict(dict(row["gain"]))))
    if llm is not None:
        from posh_lite.position.llm_view import kappas

        asked, rules = kappas(llm, "verifier", **settings)
        some = f"mini, {asked.n} facts that it was asked about"
        found += [("llm", some, asked), ("lexical, same facts", some, rules)]
    return found


def verifiers_table(
    mini: Mapping[str, Any], fresh: Mapping[str, Any] | None = None, llm: Mapping[str, Any] | None = None,
    **settings: Any,
) -> pd.DataFrame:
    """Rows of :func:`verifiers` to read: verifier, texts, kappa with its interval over works, facts and works."""
    import pandas as pd

    return pd.DataFrame([
        {"verifier": who, "texts": texts, "kappa": said(kappa), "facts": kappa.n, "works": kappa.n_units}
        for who, texts, kappa in verifiers(mini, fresh, llm, **settings)
    ])
