"""Audit of sentences of "Where Do Long Captions Fail?" that can be read off a table: patterns, gains, trade-offs."""

from __future__ import annotations

from decimal import Decimal

from posh_lite.audit_identities import SIX, T7
from posh_lite.audit_ledger import Ledger


def enter(ledger: Ledger) -> None:
    """Enter the checks (section 3, section 5, appendices J.5 to J.7)."""
    _patterns(ledger)
    _trained(ledger)
    _global(ledger)
    _ablations(ledger)


def _patterns(ledger: Ledger) -> None:
    """Patterns that section 3 states for all six models; the figures at hand are the unweighted ones of table 7."""
    cells = ledger.published.sheets[T7].cells
    for model in SIX:
        rate = {q: Decimal(cells[model][f"h_q{q}"]) for q in "1234"}
        ledger.claim("claims", "position", f"table 7, {model}", "hallucination is highest in quartile 2 or 3",
                     max(rate["2"], rate["3"]) > max(rate["1"], rate["4"]), stated="quartile 2 or 3",
                     found=f"quartile {max(rate, key=lambda q: rate[q])}", uses=(f"{T7}/{model}/h_q1",))
        mid = (rate["2"] + rate["3"]) / 2 - rate["1"]
        ledger.claim("claims", "position", f"table 7, {model}", "D_mid is positive", mid > 0, stated="above 0",
                     found=str(mid), uses=(f"{T7}/{model}/h_q1",))
        ledger.more("claims", "position", f"table 7, {model}", "the last quartile is more generic than the first",
                    f"{T7}/{model}/g_q4", f"{T7}/{model}/g_q1")
    lower = [m for m in SIX if Decimal(cells[m]["h_q4"]) < Decimal(cells[m]["h_q1"])]
    named = ["Qwen3-VL-4B", "LLaVA-v1.5-7B", "Qwen-Plus"]
    ledger.claim("claims", "position", "section 3, substitution", "three models, named, hallucinate less at the tail",
                 lower == named, stated=", ".join(named), found=", ".join(lower),
                 uses=tuple(f"{T7}/{m}/h_q4" for m in SIX))
    count = ledger.at("statement:lower_tail_models")
    ledger.claim("claims", "position", "introduction", "number of models that hallucinate less at the tail",
                 len(lower) == count.value, stated=count.text, found=str(len(lower)),
                 uses=("statement:lower_tail_models",))
    captioners = ledger.at("statement:captioners")
    ledger.claim("claims", "position", "table 7", "number of captioners", len(cells) - 1 == captioners.value,
                 stated=captioners.text, found=str(len(cells) - 1), uses=("statement:captioners",))
    low, high = (ledger.at(f"human_control/d_tail/human_{end}") for end in ("low", "high"))
    ledger.claim("claims", "position", "table 1, human", "no tail effect: the interval of D_tail holds zero",
                 low.value <= 0 <= high.value, stated="holds 0", found=f"{low.text} to {high.text}",
                 uses=("human_control/d_tail/human_high",))


def _trained(ledger: Ledger) -> None:
    best = (("d_mid", -1), ("s_q4", 1), ("h_q4", -1))
    for column, sign in best:
        for other in ("Base", "SFT", "CapRL"):
            pair = (f"positional_repair/PAGER/{column}", f"positional_repair/{other}/{column}")
            ledger.more("claims", "position", "table 3", f"PAGER is best in {column}, against {other}", *pair[::sign])
        for verifier in ("Qwen3-8B", "DeepSeek-V3.2"):
            for other in ("Base", "CapRL"):
                pair = (f"second_verifier/PAGER,{verifier}/{column}", f"second_verifier/{other},{verifier}/{column}")
                ledger.more("claims", "position", "table 18", f"PAGER is best in {column} by {verifier}, against "
                            f"{other}", *pair[::sign])
        for new, old in (("PAGER,8B", "Pretrained,8B"), ("PAGER,32B", "Pretrained,32B"),
                         ("CapRL + PAGER,4B", "CapRL,4B")):
            pair = (f"transfer/{new}/{column}", f"transfer/{old}/{column}")
            ledger.more("claims", "position", "table 20", f"{column} is better after training: {new}", *pair[::sign])
    for verifier, better, worse in (("Qwen3-8B", "CapRL", "PAGER"), ("DeepSeek-V3.2", "PAGER", "CapRL")):
        ledger.more("claims", "position", "table 18", f"{better} has the lower G_Q4 by {verifier}",
                    f"second_verifier/{worse},{verifier}/g_q4", f"second_verifier/{better},{verifier}/g_q4")


def _global(ledger: Ledger) -> None:
    for dataset in ("IIW-400", "DOCCI"):
        g = f"global_benchmarks/{dataset},"
        for other in ("Base", "SFT", "CapRL"):
            ledger.more("claims", "position", "table 4", f"{dataset}: PAGER has the best CAPTURE, against {other}",
                        f"{g}PAGER/capture", f"{g}{other}/capture")
        ledger.more("claims", "position", "table 4", f"{dataset}: DCScore favours CapRL", f"{g}CapRL/dcscore_f1",
                    f"{g}PAGER/dcscore_f1")
        ledger.more("claims", "position", "table 4", f"{dataset}: PAGER is denser than CapRL",
                    f"{g}PAGER/facts_per_100_tokens", f"{g}CapRL/facts_per_100_tokens")
        ledger.more("claims", "position", "table 4", f"{dataset}: PAGER is shorter than CapRL", f"{g}CapRL/length",
                    f"{g}PAGER/length")
        for other in ("Base", "SFT"):
            ledger.more("claims", "position", "table 4", f"{dataset}: {other} is denser than PAGER",
                        f"{g}{other}/facts_per_100_tokens", f"{g}PAGER/facts_per_100_tokens")


def _ablations(ledger: Ledger) -> None:
    a = "component_ablations/"
    for variant in ("w/o R_len", "w/o filtering", "Holistic checklist"):
        ledger.more("claims", "position", "table 5", f"{variant} has a higher D_mid", f"{a}{variant}/d_mid",
                    f"{a}PAGER full/d_mid")
        ledger.more("claims", "position", "table 5", f"{variant} has a lower S_Q4", f"{a}PAGER full/s_q4",
                    f"{a}{variant}/s_q4")
    for variant in ledger.published.sheets["component_ablations"].cells:
        for first, column in (("w/o R_mid", "d_mid"), ("w/o R_tail", "g_q4"), ("Monotone weight", "h_q4")):
            if variant != first:
                ledger.more("claims", "position", "table 5", f"{first} has the highest {column}, against {variant}",
                            f"{a}{first}/{column}", f"{a}{variant}/{column}")
    for model in ("GPT-5.5", "Gemini-3.1-Pro"):
        ledger.more("claims", "position", "table 19", f"{model} lies above the lowest of the six",
                    f"stronger_models/{model}/d_tail", "statement:range_low")
        ledger.more("claims", "position", "table 19", f"{model} lies below the highest of the six",
                    "statement:range_high", f"stronger_models/{model}/d_tail")
