"""The published figures on rewards as tables and panels for the chapter: made in :mod:`posh_lite.paper_rl`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from posh_lite import paper_rl, paper_rl_cost, paper_rl_votes
from posh_lite.book.show import interval, number
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.paper_figures import bounds, published
from posh_lite.paper_rl import at
from posh_lite.position.winrate import wilson

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas as pd

#: How quantities are written, and which way is better.
SHOWN = {"d_mid": "D_mid", "s_q4": "S_Q4", "h_q4": "H_Q4", "g_q4": "G_Q4", "h_q2": "H_Q2", "h_q3": "H_Q3",
         "delta_s": "ΔS", "delta_h": "ΔH", "d_tail": "D_tail"}  # fmt: skip
BETTER = {name: "higher" if key in ("s_q4", "delta_s") else "lower" for key, name in SHOWN.items()}
MAIN = ("d_mid", "s_q4", "h_q4", "g_q4")


def _span(ends: tuple[float, float], digits: int = 2) -> str:
    return f"{number(ends[0], digits)} to {number(ends[1], digits)}".replace(" ", "\N{NO-BREAK SPACE}")


def _frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(list(rows))


def _said(e: Estimate, digits: int = 3) -> str:
    return f"{number(e.value, digits)} ({interval(e, digits)})"


# -- PoSh ----------------------------------------------------------------------------------------------------


def label_rows(n: int | None = None) -> dict[str, dict[str, Estimate | None]]:
    """The three means of PoSh's Table 7 with their possible intervals, for a forest plot."""
    rows: dict[str, dict[str, Estimate | None]] = {}
    for name, m in paper_rl.sft_against_dapo(n).items():
        rows[name] = {
            label: Estimate(m.value, *ends, m.n, m.n) for label, ends in
            (("labels alike", m.narrow), ("labels far apart", m.wide), ("any labels", m.sure))
        }  # fmt: skip
    return rows


def label_table() -> pd.DataFrame:
    """What would make each mean differ from zero, and what small agreement samples may print."""
    rows = []
    for name, m in paper_rl.sft_against_dapo().items():
        alpha = at(f"rl_results/{name}/krippendorff_alpha")
        low, _, high = paper_rl.alpha_range(alpha)
        rows.append({"dimension": name, "mean": m.value, "differs from 0 if SD below": m.limit_sd,
                     "SD can be": _span((m.least_sd, m.most_sd)), "pairs for 80% power at SD 1":
                     paper_rl.pairs_needed(m.value, 1.0), "printed α": alpha,
                     "α of 5 images, simulated": _span((low, high))})  # fmt: skip
    return _frame(rows)


# -- Table 3, 5, 18, 20 as panels ----------------------------------------------------------------------------


def repair_panels() -> dict[str, dict[str, tuple[float, float]]]:
    """Table 3: from Base to each trained method."""
    t = "positional_repair"
    return {SHOWN[c]: {m: (at(f"{t}/Base/{c}"), at(f"{t}/{m}/{c}")) for m in ("SFT", "CapRL", "PAGER")}
            for c in (*MAIN, "d_tail", "delta_h")}  # fmt: skip


def ablation_panels() -> dict[str, dict[str, tuple[float, float]]]:
    """Table 5: from the full reward to each variant."""
    t = "component_ablations"
    full, *others = published().sheet(t).cells
    return {SHOWN[c]: {v: (at(f"{t}/{full}/{c}"), at(f"{t}/{v}/{c}")) for v in others} for c in MAIN}


def seed_bands() -> dict[str, tuple[float, float]]:
    """What the seeds of the 8B runs alone may move, about the full reward of Table 5: a borrowed yardstick."""
    found = {}
    for s in paper_rl.seeds():
        if s.backbone == "8B":
            full = at(f"component_ablations/PAGER full/{s.quantity}")
            found[SHOWN[s.quantity]] = (full - s.gap, full + s.gap)
    return found


def beyond_seeds() -> dict[str, list[str]]:
    """Quantity -> variants of Table 5 whose difference is larger than that yardstick."""
    gap = {s.quantity: s.gap for s in paper_rl.seeds() if s.backbone == "8B"}
    made = paper_rl.ablation_differences()
    return {SHOWN[q]: [v for v, own in made.items() if abs(own[q][0]) > gap[q]] for q in gap}


def ablation_table() -> pd.DataFrame:
    """Differences of Table 5 to the full reward, with the rounding that is left open."""
    keys = ("h_q2", "h_q3", "s_q4", "h_q4", "g_q4", "d_mid", "delta_s", "delta_h")
    return _frame({"variant": v, **{SHOWN[c]: own[c][0] for c in keys}}
                  for v, own in paper_rl.ablation_differences().items())  # fmt: skip


def verifier_panels() -> dict[str, dict[str, tuple[float, float]]]:
    """Table 18: from the verifier of the training to the one outside of it."""
    t = "second_verifier"
    return {SHOWN[c]: {m: (at(f"{t}/{m},Qwen3-8B/{c}"), at(f"{t}/{m},DeepSeek-V3.2/{c}"))
                       for m in ("Base", "CapRL", "PAGER")} for c in MAIN}  # fmt: skip


def shrinks() -> tuple[int, int, tuple[float, float]]:
    """Panels of Table 18 in which PAGER's gain over Base is smaller by the verifier outside, and all panels.

    With them the least and the greatest share of the gain that is lost, negative where it grows.
    """
    panels = list(verifier_panels().values())
    lost = [1 - abs(own["PAGER"][1] - own["Base"][1]) / abs(own["PAGER"][0] - own["Base"][0]) for own in panels]
    return sum(share > 0 for share in lost), len(lost), (min(lost), max(lost))


def verifier_order() -> tuple[int, int, list[str]]:
    """Comparisons of two methods on which both verifiers agree who is better, all of them, and the others in words."""
    agree, every, other = 0, 0, []
    for quantity, own in verifier_panels().items():
        names = list(own)
        for i, a in enumerate(names):
            for b in names[i + 1:]:
                every += 1
                if (own[a][0] < own[b][0]) == (own[a][1] < own[b][1]):
                    agree += 1
                else:
                    other.append(f"{quantity} of {a} and {b}")
    return agree, every, other


def transfer_panels() -> dict[str, dict[str, tuple[float, float]]]:
    """Table 20: from a model before PAGER to the same model after it."""
    t = "transfer"
    pairs = {"4B, main run": ("Pretrained,4B", "PAGER (main),4B"), "4B, from CapRL": ("CapRL,4B", "CapRL + PAGER,4B"),
             "8B, 100 steps": ("Pretrained,8B", "PAGER,8B"), "32B, 100 steps": ("Pretrained,32B", "PAGER,32B")}
    return {SHOWN[c]: {n: (at(f"{t}/{a}/{c}"), at(f"{t}/{b}/{c}")) for n, (a, b) in pairs.items()} for c in MAIN}


def identities() -> tuple[int, int]:
    """Rows of Tables 3, 5, 18 and 20 in which S + H + G is 1 within rounding, and all rows."""
    good = every = 0
    for label in ("positional_repair", "component_ablations", "second_verifier", "transfer"):
        for row in published().sheet(label).cells:
            figures = [published().at(f"{label}/{row}/{c}") for c in ("s_q4", "h_q4", "g_q4")]
            low, high = bounds(lambda s, h, g: s + h + g, *figures)
            every += 1
            good += low <= 1 <= high
    return good, every


def density_points() -> dict[str, dict[str, tuple[float, float]]]:
    """Table 4: length and density."""
    return {d: {m: (at(f"global_benchmarks/{d},{m}/length"), at(f"global_benchmarks/{d},{m}/facts_per_100_tokens"))
                for m in ("Base", "SFT", "CapRL", "PAGER")} for d in ("IIW-400", "DOCCI")}  # fmt: skip


def global_table() -> pd.DataFrame:
    """Table 4 with the facts of a caption."""
    return _frame(
        {"data": d, "method": m, "CAPTURE": at(f"global_benchmarks/{d},{m}/capture"),
         "DCScore": at(f"global_benchmarks/{d},{m}/dcscore_f1"), "tokens": round(x), "facts/100": y,
         "facts a caption": x * y / 100}
        for d, own in density_points().items() for m, (x, y) in own.items()
    )  # fmt: skip


# -- counts --------------------------------------------------------------------------------------------------


def wins_table() -> pd.DataFrame:
    """Win rates on IIW-400 with intervals, and with ties as halves if all 400 images were compared."""
    return _frame({"PAGER against": w.opponent, "won": w.wins, "lost": w.losses, "of decided": _said(w.share),
                   "decided of 400": "–" if w.opponent == "all three" else f"{(w.wins + w.losses) / 400:.0%}",
                   "with ties half": w.ties_half} for w in paper_rl.wins())  # fmt: skip


def implied_table(most: int = 400) -> pd.DataFrame:
    """Counts of DOCCI that the printed rates allow."""
    return _frame(
        {**{f"lost to {name} (of)": f"{n - w} ({n})" for name, (w, n) in
            zip(paper_rl.OPPONENTS, solution, strict=True)},
         "PAGER won": sum(n - w for w, n in solution), "of": sum(n for _, n in solution)}
        for solution in paper_rl.counts_of("DOCCI", most)
    ).rename(columns=lambda c: c.replace("lost to", "PAGER beat").replace(" (of)", " (of decided)"))  # fmt: skip


def votes_rows() -> dict[str, dict[str, Estimate | None]]:
    """Table 15 under three views of what is independent, for a forest plot."""
    return {
        v.model: {"independent": v.independent, "by image, κ": v.by_image, "image = vote": v.unanimous}
        for v in paper_rl_votes.votes()
    }


def votes_table() -> pd.DataFrame:
    """Table 15: intervals by what is taken as independent."""
    return _frame(
        {"model": v.model, "votes": v.votes, "all independent": interval(v.independent),
         "by image": interval(v.by_image), "raters drawn too, ±": _span(v.by_rater),
         "range by rater": number(_range(v.model)), "by chance about": v.chance_range}
        for v in paper_rl_votes.votes()
    )  # fmt: skip


def _range(model: str) -> float:
    return (at(f"preference/{model}/rater_high") - at(f"preference/{model}/rater_low")) / 100


def audits_table() -> pd.DataFrame:
    """Table 14 with Wilson intervals."""
    rows = []
    for row in published().sheet("image_audits").cells:
        count, n = (int(at(f"image_audits/{row}/{c}")) for c in ("count", "of"))
        audit, outcome = row.split(",", 1)
        rows.append({"audit": audit, "outcome": outcome, "count": count, "of": n, "share": _said(wilson(count, n))})
    return _frame(rows)


def residual_table() -> pd.DataFrame:
    """Table 16 beside intervals of two samples."""
    return _frame({"category": r.category, "Base": r.base, "PAGER": r.pager, "difference": r.difference,
                   "printed": _span(r.printed, 3), "two samples of 100": _span(r.newcombe, 3),
                   "small pools": _span(r.drawn_without, 3)} for r in paper_rl.residual())  # fmt: skip


def seeds_table() -> pd.DataFrame:
    """Table 21 as spreads."""
    return _frame({"size": s.backbone, "quantity": SHOWN[s.quantity], "mean of 3": s.mean, "single run": s.single,
                   "SD of seeds": s.spread, "two runs differ up to": s.gap} for s in paper_rl.seeds())  # fmt: skip


# -- cost ----------------------------------------------------------------------------------------------------


def _millions(tokens: float) -> str:
    return "–" if math.isnan(tokens) else f"{tokens / 1e6:,.0f}"


def stages_table() -> pd.DataFrame:
    """The PAGER run by stages."""
    return _frame(
        {"stage": s.name, "model": s.model, "calls": f"{s.calls:,}", "read, millions": _millions(s.input),
         "written, millions": _millions(s.output), "from": s.source}
        for s in paper_rl_cost.pager_run().stages
    )  # fmt: skip


def posh_table(record: str, *, throughput: float, gpu_price: float) -> pd.DataFrame:
    """PoSh as a reward by way of asking."""
    return _frame(
        {"PoSh asks": paper_rl_cost.WAYS[r.way], "prompts": f"{r.found.prompts:,.0f}",
         "tokens, millions": f"{r.found.tokens / 1e6:,.0f}", "computed, millions": f"{r.found.computed / 1e6:,.1f}",
         "GPU hours": r.found.gpu_hours, "cost": r.found.gpu_cost}
        for r in paper_rl_cost.posh_run(record, throughput=throughput, gpu_price=gpu_price)
    )  # fmt: skip


# -- what may be said ----------------------------------------------------------------------------------------


def claims_table() -> pd.DataFrame:
    """Claims on rewards, what is published for each, and what that allows."""
    labels = paper_rl.sft_against_dapo()
    wide = {k: _span(m.wide) for k, m in labels.items()}
    iiw, seeds, votes = paper_rl.wins(), paper_rl.seeds(), paper_rl_votes.votes()[0]
    pooled, beyond = iiw[-1], beyond_seeds()
    audits = [wilson(int(at(f"image_audits/{row}/count")), int(at(f"image_audits/{row}/of"))) for row in
              ("supported claims of PAGER,confirmed", "contradicted sentences of six models,conflicts with the image")]
    agree, every, _ = verifier_order()
    return _frame([
        {"claim": "PoSh as a reward omits less than SFT and is better overall (PoSh, Table 7)",
         "published": "three means and alphas; no labels, no spread; one training run each",
         "it allows": f"omissions differ from 0 unless labels spread wider than {labels['omissions'].limit_sd:.2f}; "
         f"overall only if they hardly spread (below {labels['overall'].limit_sd:.2f}); it can be "
         f"{wide['overall']}"},
        {"claim": "PAGER repairs middle and tail (Table 3)",
         "published": "means of three evaluations of one run; no interval, no seed",
         "it allows": "the direction, for this run; its size against images cannot be recomputed"},
        {"claim": "PAGER is preferred by a judge (Table 4)",
         "published": "wins and losses on IIW-400, rates on DOCCI; no ties",
         "it allows": f"{_said(pooled.share)} of decided comparisons if these were independent; how many were "
         "undecided is not known"},
        {"claim": "people prefer PAGER (Table 15)",
         "published": "votes, range by rater, kappa",
         "it allows": f"{interval(votes.by_image)} once votes on an image count as alike; first by any reading"},
        {"claim": "every term has its part (Table 5)",
         "published": "one run a variant",
         "it allows": "D_mid beyond the seeds' spread for " + ", ".join(beyond["D_mid"])
         + "; S_Q4 for " + (", ".join(beyond["S_Q4"]) or "none") + " (spread borrowed from the 8B runs)"},
        {"claim": "it transfers to 8B and 32B (Tables 20, 21)",
         "published": "t intervals of three seeds, 100 steps",
         "it allows": f"a spread between seeds of {min(s.spread for s in seeds):.4f} to "
         f"{max(s.spread for s in seeds):.4f}; size and learning rate vary together"},
        {"claim": "it is not the verifier's taste (Table 18)",
         "published": "point values by two verifiers",
         "it allows": f"the same order in {agree} of {every} comparisons; both read the same references"},
        {"claim": "its labels hold against images (Table 14)",
         "published": "counts of two audits",
         "it allows": f"{_said(audits[0])} and {_said(audits[1])} of those sampled; sampled by dimension and quartile, "
         "so not a share of all"},
        {"claim": "what is left generic is composed alike (Table 16)",
         "published": "shares and bootstrap intervals",
         "it allows": "no difference is shown; absence of one is not shown either"},
    ])  # fmt: skip
