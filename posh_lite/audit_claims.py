"""Audit of sentences of the PoSh paper that can be read off a table: who is best, and by how much."""

from __future__ import annotations

from decimal import Decimal

from posh_lite.audit_ledger import Ledger, total
from posh_lite.paper_figures import Printed, is_figure

FULL = "full_coarse_results"
DIMENSIONS = ("mistakes", "omissions", "overall")
_ACC = "True of the correlations, which the text speaks of; the caption says all settings, and accuracy is one of them."
_TAU = "True of accuracy and rho; in tau GPT4o with image and reference is ahead."


def enter(ledger: Ledger) -> None:
    """Enter the checks."""
    _gains(ledger)
    _posh_ahead(ledger)
    _descriptions(ledger)


def _rivals(ledger: Ledger, column: str) -> dict[str, Decimal]:
    """Replicable rows of table 6 but PoSh that have the column."""
    cells = ledger.published.sheets[FULL].cells
    return {
        row: Decimal(c[column]) for row, c in cells.items()
        if row != "PoSh" and is_figure(c[column]) and c["replicable"] == "1"
    }


def _gains(ledger: Ledger) -> None:
    """Gains over the next best replicable metric (abstract, introduction, "PoSh as a Coarse Metric")."""
    for dimension in DIMENSIONS:
        column = f"docent_{dimension}_rho"
        rivals = _rivals(ledger, column)
        best = max(rivals, key=lambda row: rivals[row])
        pair = (f"{FULL}/PoSh/{column}", f"{FULL}/{best}/{column}")
        ledger.equals("claims", "posh", f"text, {dimension}", f"gain in rho over {best}", f"statement:gain_{dimension}",
                      lambda a, b: a - b, *pair)
        ledger.equals("claims", "posh", f"text, {dimension}", f"gain in rho over {best}, per cent",
                      f"statement:gain_{dimension}_percent", lambda a, b: 100 * (a - b) / b, *pair)
    for dimension in DIMENSIONS:
        column = f"docent_{dimension}_acc"
        rivals = _rivals(ledger, column)
        best = max(rivals, key=lambda row: rivals[row])
        ledger.equals("claims", "posh", f"introduction, {dimension}", f"gain in accuracy over {best}, points of 100",
                      "statement:intro_accuracy_gain", lambda a, b: a - b, f"{FULL}/PoSh/{column}",
                      f"{FULL}/{best}/{column}", severity="major" if dimension == "mistakes" else "minor",
                      reading="The introduction gives one figure, which fits overall quality; on mistakes LLaVA-Critic "
                      "is ahead in accuracy." if dimension == "mistakes" else
                      "The introduction gives one figure for three dimensions; it fits overall quality.")


def _posh_ahead(ledger: Ledger) -> None:
    docent = [f"docent_{d}_{s}" for d in DIMENSIONS for s in ("acc", "rho", "tau")]
    arena = ["caparena_acc", "caparena_model_rho", "caparena_model_tau"]

    def ahead(where: str, what: str, column: str, rivals: dict[str, Decimal], reading: str) -> None:
        best = max(rivals, key=lambda row: rivals[row])
        ledger.more("claims", "posh", where, f"{what}, {column}: PoSh above {best}", f"{FULL}/PoSh/{column}",
                    f"{FULL}/{best}/{column}", reading=reading, severity="major")

    for column in docent:
        ahead("table 6, caption", "beats all replicable metrics on DOCENT", column, _rivals(ledger, column), _ACC)
    cells = ledger.published.sheets[FULL].cells
    for column in docent + arena:
        gpt4o = {r: Decimal(c[column]) for r, c in cells.items() if c["printed_name"] == "GPT4o" and c[column]}
        ahead("text, captions of tables 3 and 6", "beats GPT4o in all settings", column, gpt4o,
              _TAU if column == "caparena_model_tau" else _ACC)
    for dimension in ("omissions", "overall"):
        for statistic in ("acc", "rho", "tau"):
            column = f"docent_{dimension}_{statistic}"
            ahead("text", "beats GPT5 without image", column, {"GPT5 (reference)": Decimal(0)}, "")
    for column in arena:
        rivals = _rivals(ledger, column)
        above = sorted(r for r, v in rivals.items() if v > ledger.at(f"{FULL}/PoSh/{column}").value)
        ledger.claim("claims", "posh", f"table 6, caption, {column}", "on CapArena only LLaVA-Critic is better among "
                     "replicable metrics", above == ["LLaVa Critic"], stated="LLaVa Critic",
                     found=", ".join(above) or "none", uses=(f"{FULL}/PoSh/{column}",))
    best = {}
    for statistic in ("acc", "rho", "tau"):
        column = f"docent_mistakes_{statistic}"
        best[statistic] = max(cells, key=lambda row, column=column: Decimal(cells[row][column]))  # type: ignore[misc]
    ledger.claim("claims", "posh", "text", "DCScore is best at mistakes among all metrics",
                 "DCScore" in best.values(), stated="DCScore",
                 found=", ".join(f"{row} in {statistic}" for statistic, row in best.items()),
                 uses=(f"{FULL}/DCScore/docent_mistakes_rho",),
                 reading="True of rho among the rows that table 3 selects; in table 6 GPT5 is above it in each.")
    for dimension in ("omissions", "overall"):
        ledger.more("claims", "posh", "text", f"DCScore falls behind on {dimension}",
                    f"{FULL}/PoSh/docent_{dimension}_rho", f"{FULL}/DCScore/docent_{dimension}_rho")
    for statistic in ("rho", "tau"):
        ledger.more("claims", "posh", "text", f"PoSh above LLaVA-Critic where three people are shown, {statistic}",
                    f"statement:crowd_posh_{statistic}", f"statement:crowd_llava_critic_{statistic}")
    for side in ("mistakes", "omissions"):
        for other in ("Random", "4GramEmbed", "SGEmbed"):
            ledger.more("claims", "posh", "table 2", f"PoSh finds places of {side} better than {other}",
                        f"docent_granular_results/{side}_macro_f1,PoSh/value",
                        f"docent_granular_results/{side}_macro_f1,{other}/value")


def _descriptions(ledger: Ledger) -> None:
    """Which models describe art better (section "How well do these VLMs describe art?"), and the reward."""
    reading = ("By the spans, Molmo leaves out less than Claude; by the pairs of table 5 it is the other way round. "
               "Small and large models are told apart by the pairs, not by every cell of table 4.")
    for side in ("mistakes", "omissions"):
        for large in ("claude", "gpt4o"):
            for small in ("llava", "molmo"):
                ledger.more("claims", "posh", f"table 4, {side}", f"{large} has fewer than {small}",
                            f"docent_granular/{side}/{large}", f"docent_granular/{side}/{small}", reading=reading)
                reference = f"docent_coarse/{side},{large},{small}/value"
                value = ledger.at(reference)
                ledger.claim("claims", "posh", f"table 5, {side}", f"{large} is better than {small}", value.value < 3,
                             stated="below 3", found=value.text, uses=(reference,))
    for other in ("llava", "molmo", "claude"):
        ledger.more("claims", "posh", "table 4, omissions", f"gpt4o covers most, {other}",
                    "docent_granular/omissions/gpt4o", f"docent_granular/omissions/{other}")
    for dimension, sign in (("mistakes", -1), ("omissions", 1), ("overall", 1)):
        reference = f"rl_results/{dimension}/posh_vs_sft"
        value = ledger.at(reference)
        ledger.claim("claims", "posh", f"table 7, {dimension}", "more mistakes, fewer omissions, better overall",
                     value.value * sign > 0, stated="above 0" if sign > 0 else "below 0", found=value.text,
                     uses=(reference,))
    for name, columns in (("words", "reference_words"), ("components", "reference_components")):
        others = [f"benchmark_comp/{k}/{columns}" for k in ("DCI", "DOCCI", "ImageInWords", "DetailCaps,coarse")]
        ledger.equals("claims", "posh", "text and table 1", f"references nearly double in {name}: ratio to the mean of "
                      "the others", Printed("2"), lambda own, *rest: own * len(rest) / total(rest),
                      f"benchmark_comp/DOCENT,coarse/{columns}", *others, severity="note",
                      reading="Double that of DCI and DOCCI, and 1.3 times that of ImageInWords.")
