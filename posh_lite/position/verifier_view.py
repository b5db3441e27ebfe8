"""What the chapter on positions shows of the verifiers' records: facts, mistakes by their type, and who reads best."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError
from posh_lite.evaluation.bootstrap import Estimate, estimate_from_dict
from posh_lite.position.study_view import PARTS, said, texts_of

if TYPE_CHECKING:
    import pandas as pd

#: Least kappa of the embedded verifier that was aimed at, and what the paper's two language models have over claims.
AIM, PAPER = 0.70, (0.89, 0.92)
#: Verifiers of :func:`verifiers` as a reader calls them.
CALLED = {
    "lexical": "rules", "spelling": "rules and spelling", "spelling - lexical": "what spelling adds",
    "vectors": "rules and vectors", "vectors - lexical": "what vectors add", "llm": "small language model",
    "lexical, same facts": "rules, same facts",
}
#: Blocks of a record that weigh the rules with something else: spelling, which needs no model, and sentence vectors.
_WEIGHED = ("spelling", "vectors")
_COMMAND = "python -m posh_lite.position.verify_report"


def load_verifier(folder: str | Path) -> dict[str, Any] | None:
    """A record of :mod:`posh_lite.position.verify_report`, or None where it has not been made.

    Args:
        folder: with a file ``verifier.json``.

    Raises:
        InputError: the file is no such record.
    """
    path = Path(folder) / "verifier.json"
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        found["parts"]["all"]["facts"]["kappa"]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"no record of a verifier ({error!r}); {_COMMAND} makes one", path=path) from None
    return found


def lacking(mini: Mapping[str, Any], fresh: Mapping[str, Any] | None) -> list[str]:
    """What was not recorded of the two verifiers, each with the command that records it; empty where all is there."""
    found = []
    if "vectors" not in mini:
        found.append(f"rules and vectors on `data/mini`: `{_COMMAND} --vectors MODEL`")
    if fresh is None:
        found.append(f"both verifiers on `data/fresh`: `{_COMMAND} --fresh --vectors MODEL`")
    elif "vectors" not in fresh:
        found.append(f"rules and vectors on `data/fresh`: `{_COMMAND} --fresh --vectors MODEL`")
    return found


def facts_kappa(verifier: Mapping[str, Any], part: str) -> Estimate:
    """Agreement with what was planted over the facts of references.

    Args:
        verifier: the record of :mod:`posh_lite.position.verify_report`.
        part: "developed on", "held out" or "all".
    """
    return estimate_from_dict(dict(verifier["parts"][part]["facts"]["kappa"]))


def facts_table(verifier: Mapping[str, Any], fresh: Mapping[str, Any] | None = None) -> pd.DataFrame:
    """Kappa over facts by works, and the share of facts of each planted status that was found as such.

    Args:
        verifier: the record of :mod:`posh_lite.position.verify_report`.
        fresh: that of its ``--fresh``, where there is one.
    """
    import pandas as pd

    names = {"Supported": "conveyed", "Contradicted": "misstated", "Missing": "omitted"}
    rows = []
    for texts, record, part in texts_of(verifier, fresh):
        told = record["parts"][part]["facts"]
        shares = {
            names[name]: f"{row[k]} of {sum(row)}"
            for k, (name, row) in enumerate(zip(told["names"], told["confusion"], strict=True))
        }
        rows.append({"works": texts, "kappa": said(facts_kappa(record, part)), **shares})
    return pd.DataFrame(rows)


def mistakes_table(verifier: Mapping[str, Any], part: str = "all") -> pd.DataFrame:
    """Misstated facts by the type of the mistake, and what the verifier found of them, the most frequent first."""
    import pandas as pd

    rows = verifier["parts"][part]["misstated"]
    return pd.DataFrame([
        {"mistake": kind, "facts": sum(n), "contradicted": n[1], "supported": n[0], "missing": n[2]}
        for kind, n in sorted(rows.items(), key=lambda row: -sum(row[1]))
    ])


def changed(
    record: Mapping[str, Any], part: str = "all", block: str = "vectors"
) -> dict[str, tuple[int, int, int]]:
    """What weighing changes: by planted status, how many facts the rules find as such, how many both find, and all.

    Args:
        record: with that block.
        part: of the record.
        block: "vectors" or "spelling".
    """
    row = record[block]["parts"][part]
    one, two = row["facts_rules"], row["facts"]
    return {
        name: (one["confusion"][k][k], two["confusion"][k][k], sum(two["confusion"][k]))
        for k, name in enumerate(two["names"])
    }


def verifiers(
    mini: Mapping[str, Any], fresh: Mapping[str, Any] | None = None, llm: Mapping[str, Any] | None = None,
    **settings: Any,
) -> list[tuple[str, str, Estimate]]:
    """Agreement over facts: rows of verifier (a key of :data:`CALLED`), texts, and kappa.

    Weights on ``mini`` are fitted without the work in question; the language model was asked about some facts of
    ``mini``, and the rules stand beside it on these alone as "lexical, same facts".

    Args:
        mini: the record of :mod:`posh_lite.position.verify_report`.
        fresh: that of its ``--fresh``, where there is one.
        llm: the record of :mod:`posh_lite.position.llm_report`, where there is one.
        settings: of the bootstrap of the language model's figures.
    """
    records = texts_of(mini, fresh)
    found = [("lexical", text, facts_kappa(record, part)) for text, record, part in records]
    for block in _WEIGHED:
        told = [(text, record[block]["parts"][part]) for text, record, part in records if block in record]
        found += [(block, text, estimate_from_dict(dict(row["facts"]["kappa"]))) for text, row in told]
        found += [(f"{block} - lexical", text, estimate_from_dict(dict(row["gain"]))) for text, row in told]
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


def side_by_side(rows: Sequence[tuple[str, str, Estimate]]) -> pd.DataFrame:
    """Rows of :func:`verifiers` as a reader calls them, with a column for each of the texts.

    What was asked about some facts of ``mini`` alone stands in the column of all its works, with their number.
    """
    import pandas as pd

    columns = [texts for texts in dict.fromkeys(texts for _, texts, _ in rows) if texts in PARTS.values()]
    table: dict[str, dict[str, str]] = {}
    for who, texts, kappa in rows:
        row = table.setdefault(who, {"verifier": CALLED.get(who, who), **dict.fromkeys(columns, "–")})
        row[texts if texts in columns else PARTS["all"]] = said(kappa) + (
            "" if texts in columns else f", {kappa.n} facts"
        )
    return pd.DataFrame(list(table.values()))
