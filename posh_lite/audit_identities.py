"""Audit of what follows by arithmetic in "Where Do Long Captions Fail?": compositions, effects, copies of figures."""

from __future__ import annotations

from decimal import Decimal

from posh_lite.audit_ledger import Ledger, total
from posh_lite.paper_figures import Printed

ONE = Printed("1.000")
P = "position"
SIX = ("InternVL3.5-4B", "InternVL3.5-8B", "Qwen3-VL-4B", "Qwen3-VL-8B", "LLaVA-v1.5-7B", "Qwen-Plus")
T7 = "unweighted_diagnostics"


def enter(ledger: Ledger) -> None:
    """Enter the checks (paper 2, section 2 "Effect sizes", tables 1, 3, 5, 7, 18, 19 and 20)."""
    _sums(ledger)
    _effects(ledger)
    _means(ledger)
    _copies(ledger)


def _sums(ledger: Ledger) -> None:
    sheets = ledger.published.sheets
    for label in ("positional_repair", "component_ablations", "second_verifier", "transfer"):
        number = sheets[label].info.place
        for row in sheets[label].cells:
            ledger.equals("sums", P, f"{number}, {row}", "S + H + G = 1 in quartile 4", ONE, lambda s, h, g: s + h + g,
                          *(f"{label}/{row}/{k}_q4" for k in "shg"))
    for row in sheets[T7].cells:
        for q in "1234":
            ledger.equals("sums", P, f"table 7, {row}", f"S + H + G = 1 in quartile {q}", ONE,
                          lambda s, h, g: s + h + g, *(f"{T7}/{row}/{k}_q{q}" for k in "shg"))


def _mid(h2: Decimal, h3: Decimal, h1: Decimal) -> Decimal:
    return (h2 + h3) / 2 - h1


def _mid_from_q4(h2: Decimal, h3: Decimal, h4: Decimal, delta: Decimal) -> Decimal:
    return (h2 + h3) / 2 - (h4 - delta)


def _effects(ledger: Ledger) -> None:
    t3, t5 = "positional_repair", "component_ablations"
    for row in ledger.published.sheets[t3].cells:
        ledger.equals("sums", P, f"table 3, {row}", "D_tail = -dS - dH", f"{t3}/{row}/d_tail", lambda s, h: -s - h,
                      f"{t3}/{row}/delta_s", f"{t3}/{row}/delta_h")
    for row in ledger.published.sheets[t5].cells:
        ledger.equals("sums", P, f"table 5, {row}", "D_mid = (H_Q2 + H_Q3) / 2 - (H_Q4 - dH)", f"{t5}/{row}/d_mid",
                      _mid_from_q4, *(f"{t5}/{row}/{c}" for c in ("h_q2", "h_q3", "h_q4", "delta_h")))
    base = f"{T7}/Qwen3-VL-4B"
    ledger.equals("sums", P, "table 3, Base", "D_mid from the quartiles of table 7", f"{t3}/Base/d_mid", _mid,
                  f"{base}/h_q2", f"{base}/h_q3", f"{base}/h_q1")
    for column, k in (("delta_s", "s"), ("delta_h", "h"), ("d_tail", "g")):
        ledger.equals("sums", P, "table 3, Base", f"{column} from the quartiles of table 7", f"{t3}/Base/{column}",
                      lambda last, first: last - first, f"{base}/{k}_q4", f"{base}/{k}_q1")
    for column in ("generated_mean", "human"):
        ledger.equals("sums", P, f"table 1, {column}", "D_tail = G_Q4 - G_Q1", f"human_control/d_tail/{column}",
                      lambda last, first: last - first, f"human_control/g_q4/{column}", f"human_control/g_q1/{column}")
    ledger.equals("sums", P, "section 3, tail", "mean dS = S_Q4 - S_Q1 of table 1", "statement:mean_delta_s",
                  lambda last, first: last - first, "human_control/s_q4/generated_mean",
                  "human_control/s_q1/generated_mean")


def _means(ledger: Ledger) -> None:
    """A mean, and the members of it that are stated, have to leave room for those that are not."""
    known = ("statement:min_d_tail", "statement:max_d_tail", "statement:d_tail_8b", "stronger_models/Qwen-Plus/d_tail")
    _room(ledger, "D_tail", "mean_d_tail", known, "min_d_tail", "max_d_tail")
    _room(ledger, "D_mid", "mean_d_mid", ("statement:min_d_mid", "statement:max_d_mid"), "min_d_mid", "max_d_mid")
    # the mean of dH is not stated: it follows from table 1, since the three rates add up to one
    table = [f"human_control/{q}/generated_mean" for q in ("s_q1", "g_q1", "s_q4", "g_q4")]
    five = [f"statement:{k}" for k in ("delta_h_plus", "delta_h_4b", "delta_h_llava", "delta_h_least", "delta_h_most")]
    figures = [ledger.at(r) for r in (*table, *five)]
    slack = 6 * total(f.step for f in figures[:4]) / 2 + total(f.step for f in figures[4:]) / 2
    s1, g1, s4, g4, *rest = (f.value for f in figures)
    sixth = 6 * (s1 + g1 - s4 - g4) - total(rest)
    least, most = rest[3], rest[4]
    inside = least <= sixth <= most
    ledger.claim("plausible", P, "section 3, substitution", "the sixth dH lies between the least and the greatest",
                 inside, rounding=least - slack <= sixth <= most + slack, stated=f"{least} to {most}",
                 found=str(sixth), uses=(*table, *five))


def _room(ledger: Ledger, name: str, mean: str, known: tuple[str, ...], low: str, high: str) -> None:
    middle = ledger.at(f"statement:{mean}")
    figures = [ledger.at(k) for k in known]
    missing = 6 - len(figures)
    slack = 6 * middle.step / 2 + total(f.step for f in figures) / 2
    each = (6 * middle.value - total(f.value for f in figures)) / missing
    least, most = ledger.at(f"statement:{low}").value, ledger.at(f"statement:{high}").value
    wide = slack / missing
    ledger.claim("plausible", P, "section 3", f"the mean {name} leaves the unnamed models inside the stated range",
                 least <= each <= most, rounding=least - wide <= each <= most + wide, stated=f"{least} to {most}",
                 found=f"{each:.3f} on average", uses=(f"statement:{mean}", *known))


def _copies(ledger: Ledger) -> None:
    t3 = "positional_repair"
    for column in ("s_q4", "h_q4", "g_q4"):
        ledger.same("copies", P, f"tables 3 and 7, Base, {column}", "same figure", f"{t3}/Base/{column}",
                    f"{T7}/Qwen3-VL-4B/{column}")
    for column in ("d_mid", "s_q4", "h_q4", "g_q4", "delta_s", "delta_h"):
        ledger.same("copies", P, f"tables 3 and 5, PAGER, {column}", "same figure", f"{t3}/PAGER/{column}",
                    f"component_ablations/PAGER full/{column}")
    for column in ("d_mid", "s_q4", "h_q4", "g_q4"):
        for row in ("Base", "CapRL", "PAGER"):
            ledger.same("copies", P, f"tables 3 and 18, {row}, {column}", "same figure", f"{t3}/{row}/{column}",
                        f"second_verifier/{row},Qwen3-8B/{column}")
        for row, other in (("Base", "Pretrained,4B"), ("CapRL", "CapRL,4B"), ("PAGER", "PAGER (main),4B")):
            ledger.same("copies", P, f"tables 3 and 20, {row}, {column}", "same figure", f"{t3}/{row}/{column}",
                        f"transfer/{other}/{column}")
    ledger.same("copies", P, "tables 1 and 19, mean D_tail", "same figure", "stronger_models/mean of six models/d_tail",
                "human_control/d_tail/generated_mean")
    for column, k in (("s_q4", "s"), ("h_q4", "h"), ("g_q4", "g")):
        ledger.same("copies", P, f"tables 7 and 20, Qwen3-VL-8B, {column}", "same figure",
                    f"transfer/Pretrained,8B/{column}", f"{T7}/Qwen3-VL-8B/{k}_q4", severity="note",
                    reading="Said in appendix J.7: captions of the 8B model were made and judged anew for table 20.")
    ledger.equals("copies", P, "tables 7 and 20, Qwen3-VL-8B, d_mid", "D_mid from the quartiles of table 7",
                  "transfer/Pretrained,8B/d_mid", _mid, *(f"{T7}/Qwen3-VL-8B/h_q{q}" for q in "231"), severity="note",
                  reading="Said in appendix J.7: captions of the 8B model were made and judged anew for table 20.")
