"""Audit of counts: products, shares, and which means and shares a sample size allows at all."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from math import ceil, floor, prod

from posh_lite.audit_ledger import Ledger, total
from posh_lite.paper_figures import Printed

P, Q = "posh", "position"
DIMENSIONS = ("mistakes", "omissions", "overall")


def enter(ledger: Ledger) -> None:
    """Enter the checks of both papers."""
    _products(ledger)
    _shares(ledger)
    _wins(ledger)
    _means(ledger)
    _settings(ledger)


def possible(figures: Sequence[Printed], n: int, *, per_cent: bool = False) -> bool:
    """Whether every figure can be a whole number over ``n`` (or that in per cent), rounded to the printed digits.

    A mean of whole numbers over ``n`` cases is a multiple of 1/n: with few cases most printed digits are impossible.

    >>> possible([Printed("0.432")], 37), possible([Printed("0.432")], 40)
    (True, False)
    """
    scale = 100 if per_cent else 1
    return all(ceil(f.low / scale * n) <= floor(f.high / scale * n) for f in figures)


def sizes(figures: Sequence[Printed], most: int) -> list[int]:
    """Sample sizes up to ``most`` that allow every figure."""
    return [n for n in range(1, most + 1) if possible(figures, n)]


def _s(*names: str) -> tuple[str, ...]:
    return tuple(f"statement:{name}" for name in names)


def _products(ledger: Ledger) -> None:
    def product(paper: str, where: str, what: str, stated: str, *references: str) -> None:
        value = prod(ledger.at(r).value for r in references)  # counts are exact
        ledger.claim("counts", paper, where, what, value == ledger.at(stated).value, stated=ledger.at(stated).text,
                     found=str(value), uses=(stated, *references))

    product(P, "section DOCENT", "granular judgments = images x generations", "statement:granular_judgments",
            *_s("granular_images", "generations_per_image"))
    images, generations = (ledger.at(r) for r in _s("judged_images", "generations_per_image"))
    pairs = images.value * generations.value * (generations.value - 1) / 2
    stated = ledger.at("statement:coarse_judgments")
    ledger.claim("counts", P, "section DOCENT", "coarse judgments = images x pairs of generations",
                 pairs == stated.value, stated=stated.text, found=str(pairs),
                 uses=_s("coarse_judgments", "judged_images"))
    ledger.equals("counts", P, "introduction", "judgments in all = granular + coarse", "statement:intro_judgments",
                  lambda a, b: a + b, *_s("granular_judgments", "coarse_judgments"))
    ledger.equals("counts", P, "section DOCENT", "days of annotation (of 24 hours) from minutes and counts",
                  "statement:annotation_days", lambda g, gm, c, cm: (g * gm + c * cm) / 1440,
                  *_s("granular_judgments", "granular_minutes", "coarse_judgments", "coarse_minutes"))
    thousands = Printed(f"{ledger.at('benchmark_comp/CapArena,coarse/n_judgments').value / 1000:.1f}")
    ledger.equals("counts", P, "table 1, CapArena", "pairs in thousands", thousands, lambda n: n / 1000,
                  "statement:caparena_pairs")
    product(Q, "appendix J.1", "first places = images x raters", "statement:preference_votes",
            *_s("preference_images", "raters"))
    product(Q, "appendix D", "GPUs = nodes x GPUs of a node", "statement:total_gpus", *_s("nodes", "gpus_per_node"))


def _shares(ledger: Ledger) -> None:
    audits = ledger.published.sheets["image_audits"].cells
    for row in audits:
        ledger.equals("counts", Q, f"table 14, {row}", "share = count / of", f"image_audits/{row}/share",
                      lambda a, b: 100 * a / b, f"image_audits/{row}/count", f"image_audits/{row}/of")
    for audit in dict.fromkeys(cells["audit"] for cells in audits.values()):
        rows = [row for row, cells in audits.items() if cells["audit"] == audit]
        _adds_up(ledger, f"table 14, {audit}", f"image_audits/{rows[0]}/of", [f"image_audits/{r}/count" for r in rows])
    rows = list(ledger.published.sheets["preference"].cells)
    for row in rows:
        ledger.equals("counts", Q, f"table 15, {row}", "share = votes / all votes", f"preference/{row}/share",
                      lambda a, b: 100 * a / b, f"preference/{row}/votes", "statement:preference_votes")
        low, share, high = (ledger.at(f"preference/{row}/{c}") for c in ("rater_low", "share", "rater_high"))
        raters = int(ledger.at("statement:raters").value)
        whole = share.value * raters
        fits = (raters - 1) * low.value + high.value <= whole <= low.value + (raters - 1) * high.value
        ledger.claim("counts", Q, f"table 15, {row}", "the raters' range allows their mean", fits, stated=share.text,
                     found=f"{low.text} to {high.text}",
                     uses=(f"preference/{row}/rater_low", f"preference/{row}/share"))
    for upper, lower in pairwise(rows):
        ledger.more("counts", Q, "table 15", f"every rater puts {upper} before {lower}",
                    f"preference/{upper}/rater_low", f"preference/{lower}/rater_high")
    _adds_up(ledger, "table 15", "statement:preference_votes", [f"preference/{r}/votes" for r in rows])
    kinds = [r for r in ledger.published.sheets["residual_audit"].cells if r != "kappa"]
    for column in ("base", "pager"):
        ledger.equals("counts", Q, f"table 16, {column}", "percentages add up to 100", Printed("100"),
                      lambda *p: total(p), *(f"residual_audit/{r}/{column}" for r in kinds))
    for row in kinds:
        ledger.equals("counts", Q, f"table 16, {row}", "difference = PAGER - Base", f"residual_audit/{row}/difference",
                      lambda a, b: a - b, f"residual_audit/{row}/pager", f"residual_audit/{row}/base")
    ledger.equals("counts", Q, "appendix J.8", "share of sentences with both kinds of evidence",
                  "statement:mixed_share", lambda a, b: 100 * a / b, *_s("mixed_sentences", "all_sentences"))
    before, after, bound = (ledger.at(r) for r in _s("recheck_before", "recheck_after", "recheck_bound"))
    ledger.claim("counts", Q, "appendix J.2", "D_mid changes by less than the bound when three labels are corrected",
                 abs(before.value - after.value) < bound.value, stated=f"below {bound.text}",
                 found=str(abs(before.value - after.value)), uses=_s("recheck_after", "recheck_bound"))
    for less, greater in (("screened", "candidates"), ("kept", "screened")):
        ledger.more("counts", Q, "appendix J.8", f"the filter leaves fewer: {less}", *_s(greater, less))


def _adds_up(ledger: Ledger, where: str, whole: str, parts: list[str]) -> None:
    value = total(ledger.at(r).value for r in parts)
    ledger.claim("counts", Q, where, "counts add up to the total", value == ledger.at(whole).value,
                 stated=ledger.at(whole).text, found=str(value), uses=(*parts, whole))


def _wins(ledger: Ledger) -> None:
    """Win rates of table 4: on IIW-400 the text gives wins and losses, on DOCCI it does not."""
    for row, name in (("Base", "base"), ("CapRL", "caprl"), ("SFT", "sft")):
        ledger.equals("counts", Q, f"table 4, IIW-400, {row}", "win rate = its wins / both",
                      f"global_benchmarks/IIW-400,{row}/caparena4", lambda w, n: 100 * w / (w + n),
                      *_s(f"losses_{name}", f"wins_{name}"))
    names = ("base", "caprl", "sft")
    ledger.equals("counts", Q, "section 5.2", "pooled wins", "statement:pooled_wins", lambda *w: total(w),
                  *_s(*(f"wins_{n}" for n in names)))
    ledger.equals("counts", Q, "section 5.2", "pooled losses", "statement:pooled_losses", lambda *w: total(w),
                  *_s(*(f"losses_{n}" for n in names)))
    ledger.equals("counts", Q, "table 4, IIW-400, PAGER", "pooled win rate",
                  "global_benchmarks/IIW-400,PAGER/caparena4", lambda w, n: 100 * w / (w + n),
                  *_s("pooled_wins", "pooled_losses"))
    cells = tuple(f"global_benchmarks/DOCCI,{row}/caparena4" for row in ("Base", "CapRL", "SFT", "PAGER"))
    found = pooled([ledger.at(c) for c in cells[:3]], ledger.at(cells[3]), 200)
    ledger.claim("counts", Q, "table 4, DOCCI", "some numbers of wins and losses (up to 200 a baseline) give all four "
                 "rates", found is not None, stated=ledger.at(cells[3]).text,
                 found="none" if found is None else "such as " + ", ".join(f"{w} of {n}" for w, n in found), uses=cells)


def pooled(rates: Sequence[Printed], rate: Printed, most: int) -> tuple[tuple[int, int], ...] | None:
    """Wins and comparisons of three baselines, each and pooled as printed (in per cent); None where there are none."""
    options = [
        [(w, n) for n in range(1, most + 1)
         for w in range(max(0, ceil(r.low * n / 100)), min(n, floor(r.high * n / 100)) + 1)]
        for r in rates
    ]
    low, high = 100 - rate.high, 100 - rate.low  # of the baselines together
    for a in options[0]:
        for b in options[1]:
            for c in options[2]:
                n = a[1] + b[1] + c[1]
                if low * n <= 100 * (a[0] + b[0] + c[0]) <= high * n:
                    return a, b, c
    return None


def _means(ledger: Ledger) -> None:
    n = int(ledger.at("statement:eval_coarse").value)
    for row in ledger.published.sheets["full_coarse_results"].cells:
        for dimension in DIMENSIONS:
            reference = f"full_coarse_results/{row}/docent_{dimension}_acc"
            figure = ledger.at(reference)
            ledger.claim("counts", P, f"table 6, {row}, {dimension}", f"accuracy is a share of {n} pairs",
                         possible([figure], max(n, 1), per_cent=True), stated=figure.text,
                         found=f"nearest {100 * round(figure.value / 100 * n) / Decimal(n):.2f}" if n else "",
                         uses=(reference,))
    references = tuple(f"rl_results/{d}/posh_vs_sft" for d in DIMENSIONS)
    figures = [ledger.at(r) for r in references]
    stated = int(ledger.at("statement:rl_pairs").value)
    fitting = sizes(figures, 60)
    ledger.claim("counts", P, "table 7", "the three means are possible with the stated number of pairs",
                 possible(figures, max(stated, 1)), stated=f"{stated} pairs",
                 found=f"possible with {', '.join(map(str, fitting)) or 'none'} of up to 60",
                 uses=(*references, "statement:rl_pairs"), severity="minor",
                 reading="Three judgments may have been left out, or the labels of the five images with three "
                 "annotators may have been joined in a way that is not described.")
    references = tuple(f"docent_coarse_agreement/{d}/expert_difference" for d in DIMENSIONS)
    figures = [ledger.at(r) for r in references]
    tasks = int(ledger.at("statement:expert_coarse").value)
    students = int(ledger.at("statement:double_coarse").value) + 1
    fits = [k * tasks for k in range(1, students + 1) if tasks > 0 and possible(figures, k * tasks)]
    fitting = sizes(figures, 200)
    ledger.claim("counts", P, "table 5", f"the three differences are possible with the expert's tasks and 1 to "
                 f"{students} students each", bool(fits), stated=f"{tasks} tasks",
                 found=f"possible with {', '.join(map(str, fitting[:6]))} differences" if fitting else "not up to 200",
                 uses=(*references, "statement:expert_coarse"), severity="note",
                 reading="How students' labels of a task were joined is not described, and the dimensions may differ "
                 "in number.")


def _settings(ledger: Ledger) -> None:
    images, epochs, batch, warmup, copies = (
        ledger.at(r).value for r in _s("train_images", "dapo_epochs", "dapo_batch", "dapo_warmup", "dapo_generations")
    )
    steps = images * epochs / batch
    ledger.claim("counts", P, "appendix, RL", "the warm-up of DAPO is shorter than its training, if the batch counts "
                 "samples", warmup < steps, stated=f"{warmup} steps of warm-up",
                 found=f"{steps:.1f} steps; {steps * copies:.0f} if it counts generations",
                 uses=_s("dapo_warmup", "dapo_batch"), severity="note",
                 reading="The batch of 64 counts generations, 8 samples with 8 each: then there are 125 steps.")
    settings = "grpo_settings/{}/value"
    prompt, response = (
        int(ledger.published.text("grpo_settings", f"maximum {k} length", "value").split()[0])
        for k in ("prompt", "response")
    )
    batched = settings.format("maximum batched rollout tokens")
    ledger.claim("counts", Q, "table 9", "batched tokens = longest prompt + longest response",
                 ledger.at(batched).value == prompt + response, stated=ledger.at(batched).text,
                 found=str(prompt + response), uses=(batched,))
    rollout, actor, micro = (settings.format(k) for k in (
        "rollout batch size", "actor global batch size", "actor update micro-batch per device"))
    for what, whole, part in (
        ("the rollout batch is a whole number of actor batches", ledger.at(rollout).value, ledger.at(actor).value),
        ("the actor batch is a whole number of micro-batches on all GPUs", ledger.at(actor).value,
         ledger.at(micro).value * ledger.at("statement:total_gpus").value),
    ):
        ledger.claim("counts", Q, "table 9", what, part > 0 and whole % part == 0, stated=str(whole),
                     found=f"{whole / part:.2f} of {part}" if part else "none", uses=(actor, rollout, micro))
