"""Audit of figures that stand twice: text and table, two places of the text, an excerpt and its table, two versions."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import pairwise

from posh_lite.audit_ledger import Ledger, Severity

_AGES = "The sentence seems to have kept the figure of another version of the evaluation."
_STRICT = "Text and table may count spans of 50% overlap differently, or belong to two versions."
#: What we make of a statement that its table does not bear out.
READINGS: dict[str, tuple[Severity, str]] = {
    "text_mistakes_f1": ("minor", _AGES + " The ranking of the methods is the same under both."),
    "text_omissions_f1": ("minor", _AGES + " The ranking of the methods is the same under both."),
    "strict_mistakes": ("minor", _STRICT),
    "strict_omissions": ("minor", _STRICT),
    "gpt4o_coverage": ("note", "43.7 was perhaps rounded to 44 and then written with a decimal."),
}
#: Statements that say the same.
REPEATED: tuple[tuple[str, ...], ...] = (
    ("intro_works", "works", "ethics_works"), ("judged_images", "selection_images"),
    ("granular_judgments", "eval_granular"), ("coarse_judgments", "eval_coarse"), ("train_images", "sft_images"),
    ("rl_pairs", "rl_images"), ("pay", "ethics_pay"), ("abstract_gain", "intro_gain", "gain_overall"),
    ("diagnostic_images", "table3_images", "transfer_images"), ("resamples", "appendix_resamples"),
    ("verifier_items", "protocol_items", "second_items"), ("kappa_qwen", "second_kappa_qwen"),
    ("kappa_deepseek", "second_kappa_deepseek"), ("transfer_steps", "budget_steps"), ("min_d_tail", "range_low"),
    ("max_d_tail", "range_high"), ("mean_d_mid", "recheck_before"), ("text_pager_d_mid", "ablation_full_d_mid"),
)


def enter(ledger: Ledger) -> None:
    """Enter the checks."""
    _statements(ledger)
    _names(ledger)
    _excerpt(ledger)
    _versions(ledger)


def _statements(ledger: Ledger) -> None:
    cells = ledger.published.sheets["statements"].cells
    for name, row in cells.items():
        if not row["same_as"]:
            continue
        severity, reading = READINGS.get(name, ("minor", ""))
        label = row["same_as"].split("/")[0]
        place = ledger.published.sheet(label).info.place
        ledger.same("text", row["paper"], f"text and {place}", f"{row['description']} ({name})",
                    f"statement:{name}", row["same_as"], factor=Decimal(row["factor"]) if row["factor"] else None,
                    severity=severity, reading=reading)
    for group in REPEATED:
        for first, second in pairwise(group):
            row = cells[first]
            ledger.same("text", row["paper"], f"{cells[second]['location'].lstrip(chr(92))} and elsewhere",
                        f"{row['description']} ({second})", f"statement:{second}", f"statement:{first}")


def _names(ledger: Ledger) -> None:
    """The version of LLaVA that wrote DOCENT's generations is named three times."""
    cells = ledger.published.sheets["statements"].cells
    names = {k: cells[k]["value"] for k in ("llava_selection", "llava_appendix", "llava_checkpoint")}
    versions = {k: (re.findall(r"\d\.\d", v) or [v])[0] for k, v in names.items()}
    for name in ("llava_selection", "llava_appendix"):
        ledger.claim("text", "posh", cells[name]["location"], f"the checkpoint of LLaVA is the one named ({name})",
                     versions[name] == versions["llava_checkpoint"], stated=names[name],
                     found=names["llava_checkpoint"], severity="note",
                     uses=(f"statement:{name}", "statement:llava_checkpoint"),
                     reading="A slip of the pen: the list of models and the main text name version 1.6.")


def _excerpt(ledger: Ledger) -> None:
    """Table 3 of the PoSh paper selects rows of table 6."""
    small, full = (ledger.published.sheets[k] for k in ("coarse_results", "full_coarse_results"))
    flags = ("printed_name", "needs_reference", "needs_image")
    columns = [c for c in small.columns if c.startswith(("docent", "caparena"))]
    for row, cells in small.cells.items():
        match = [name for name, other in full.cells.items() if all(other[f] == cells[f] for f in flags)]
        ledger.claim("copies", "posh", f"tables 3 and 6, {row}", "one row of table 6 has the same name and inputs",
                     len(match) == 1, stated=row, found=", ".join(match) or "none",
                     uses=(f"coarse_results/{row}/needs_image",), severity="minor")
        if len(match) != 1:
            continue
        for column in columns:
            if cells[column]:
                ledger.same("copies", "posh", f"tables 3 and 6, {row}, {column}", "same figure",
                            f"coarse_results/{row}/{column}", f"full_coarse_results/{match[0]}/{column}")


def _versions(ledger: Ledger) -> None:
    for row, cells in ledger.published.sheets["earlier_version"].cells.items():
        if not cells["later"]:
            continue
        what = f"{cells['row']}, {cells['quantity']}"
        ledger.same("versions", "posh", f"earlier version, {cells['place']}", what, cells["later"],
                    f"earlier_version/{row}/earlier", severity="note",
                    reading="Two versions: cite the later one, and expect summaries to repeat the earlier.")
