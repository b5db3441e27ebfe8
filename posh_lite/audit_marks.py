"""Audit of marks in the PoSh paper's coarse tables: bold and underlined for the best, grey for what may be chance."""

from __future__ import annotations

import math
from decimal import Decimal

from posh_lite.audit_ledger import Ledger
from posh_lite.paper_figures import Sheet, is_figure

#: Pairs behind a correlation on DOCENT, and models behind a ranking on CapArena.
PAIRS, MODELS = "statement:eval_coarse", "statement:caparena_models"
#: Between these p values the printed digits and ties decide, so no verdict is given.
UNSURE = (0.02, 0.10)


def enter(ledger: Ledger) -> None:
    """Enter the checks (PoSh paper, tables 3 and 6, captions)."""
    for label, number in (("coarse_results", 3), ("full_coarse_results", 6)):
        sheet = ledger.published.sheets[label]
        _best(ledger, sheet, label, number)
        _grey(ledger, sheet, label, number)


def _best(ledger: Ledger, sheet: Sheet, label: str, number: int) -> None:
    for column in (c for c in sheet.columns if c.startswith(("docent", "caparena"))):
        values = {row: Decimal(cells[column]) for row, cells in sheet.cells.items() if is_figure(cells[column])}
        open_ones = {row: v for row, v in values.items() if sheet.cells[row]["replicable"] == "1"}
        for mark, known, of in (("bold", open_ones, "replicable metric"), ("underlined", values, "metric")):
            best = sorted(row for row, v in known.items() if v == max(known.values()))
            marked = sorted(row for row, cells in sheet.cells.items() if column in cells[mark].split())
            ledger.claim(
                "marks", "posh", f"table {number}, {column}", f"{mark} is the best {of}", best == marked,
                stated=" and ".join(marked) or "none", found=" and ".join(f"{r} ({values[r]})" for r in best),
                uses=tuple(f"{label}/{row}/{column}" for row in best), severity="minor",
                reading="The mark was set before the rows of GPT5 were added, or taken over from table 3.",
            )


def p_value(statistic: str, value: float, n: int) -> float:
    """Two-sided p of a rank correlation that is zero in truth, without regard to ties.

    Args:
        statistic: "rho" (Spearman, through Student's t) or "tau" (Kendall, through the normal distribution).
        value: the correlation.
        n: pairs of values behind it.
    """
    from scipy.special import ndtr, stdtr

    if abs(value) >= 1:
        return 0.0
    if statistic == "rho":
        return float(2 * stdtr(n - 2, -abs(value) * math.sqrt((n - 2) / (1 - value**2))))
    return float(2 * ndtr(-3 * abs(value) * math.sqrt(n * (n - 1)) / math.sqrt(2 * (2 * n + 5))))


def _grey(ledger: Ledger, sheet: Sheet, label: str, number: int) -> None:
    for part, size in (("docent", PAIRS), ("caparena", MODELS)):
        n = max(3, int(ledger.at(size).value))
        wrong, uses, looked = [], [], 0
        for row, cells in sheet.cells.items():
            for column in (c for c in sheet.columns if c.startswith(part) and not c.endswith("_acc")):
                if not is_figure(cells[column]):
                    continue
                p = p_value(column[-3:], float(cells[column]), n)
                uses.append(f"{label}/{row}/{column}")
                looked += 1
                grey = column in cells["not_significant"].split()
                if (p > UNSURE[1]) != grey and not UNSURE[0] < p < UNSURE[1]:
                    wrong.append(f"{row} {column.removeprefix(part + '_').replace('_', ' ')} (p = {p:.2f})")
        what = "grey cells are those that are not significant"
        reading = "Table 6 took over the caption of table 3, and not its grey cells."
        if part == "caparena":
            reading = "With 14 models only strong rankings are significant; perhaps these cells were never tested."
        ledger.claim(
            "marks", "posh", f"table {number}, {part}", what, not wrong, stated=f"{looked} cells, with {n} behind each",
            found="; ".join(wrong[:4]) + (f" and {len(wrong) - 4} more" if len(wrong) > 4 else "") or "as marked",
            uses=uses, severity="minor", reading=reading,
        )
