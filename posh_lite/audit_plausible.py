"""Audit of intervals and of figures that other figures bound: t intervals, kappas, macro F1 of a constant answer."""

from __future__ import annotations

from decimal import Decimal
from math import ceil

from posh_lite.audit_ledger import Ledger, total
from posh_lite.paper_figures import Printed, bounds

P, Q = "posh", "position"
QUANTITIES = ("d_mid", "s_q4", "h_q4")


def enter(ledger: Ledger) -> None:
    """Enter the checks of both papers."""
    _contained(ledger)
    _seeds(ledger)
    _kappas(ledger)
    _granular(ledger)
    _expert(ledger)
    _budget(ledger)


def _contained(ledger: Ledger) -> None:
    rows = [(f"human_control/{q}", "human", "human_low", "human_high", "table 1") for q in ("d_mid", "d_tail")]
    rows += [(f"stronger_models/{m}", "d_tail", "low", "high", "table 19") for m in
             ("Qwen-Plus", "GPT-5.5", "Gemini-3.1-Pro")]
    rows += [(f"residual_audit/{row}", "difference", "low", "high", "table 16")
             for row in ledger.published.sheets["residual_audit"].cells if row != "kappa"]
    for row, value, low, high, place in rows:
        figures = [ledger.at(f"{row}/{c}") for c in (low, value, high)]
        ledger.claim("intervals", Q, f"{place}, {row.split('/')[1]}", "the interval holds the estimate",
                     figures[0].value <= figures[1].value <= figures[2].value, stated=figures[1].text,
                     found=f"{figures[0].text} to {figures[2].text}", uses=(f"{row}/{value}",))
    for row in (r for r in ledger.published.sheets["residual_audit"].cells if r != "kappa"):
        ends = [ledger.at(f"residual_audit/{row}/{c}") for c in ("low", "high")]
        ledger.claim("intervals", Q, f"table 16, {row}", "the interval holds zero",
                     ends[0].value <= 0 <= ends[1].value, stated="holds 0", found=f"{ends[0].text} to {ends[1].text}",
                     uses=(f"residual_audit/{row}/low",))


def _seeds(ledger: Ledger) -> None:
    """Intervals of three seeds: symmetric, and wide enough for a further run as the single runs of table 20 are.

    With n = 3 the interval of the mean is t s / sqrt(3) to both sides, and that of one further run
    t s sqrt(1 + 1/3), which is twice as wide whatever t and s are.
    """
    for size in ("8B", "32B"):
        for quantity in QUANTITIES:
            row = f"three_seeds/{size},{quantity}"
            where = f"table 21, {size}, {quantity}"
            ledger.equals("intervals", Q, where, "a t interval is symmetric: mean = middle", f"{row}/mean",
                          lambda a, b: (a + b) / 2, f"{row}/low", f"{row}/high")
            mean, low, high = (ledger.at(f"{row}/{c}") for c in ("mean", "low", "high"))
            single = ledger.at(f"transfer/PAGER,{size}/{quantity}")
            reach = high.value - low.value
            inside = mean.value - reach <= single.value <= mean.value + reach
            least, _ = bounds(lambda m, a, b: m - (b - a), mean, low, high)
            _, most = bounds(lambda m, a, b: m + (b - a), mean, low, high)
            ledger.claim("intervals", Q, f"tables 20 and 21, {size}, {quantity}", "the single run lies where a further "
                         "seed is expected (95%)", inside, rounding=single.high >= least and single.low <= most,
                         stated=single.text, found=f"{mean.value - reach} to {mean.value + reach}",
                         uses=(f"{row}/mean", f"transfer/PAGER,{size}/{quantity}"))
    a, b = (ledger.at(f"three_seeds/8B,s_q4/{c}") for c in ("low", "high"))
    c, d = (ledger.at(f"three_seeds/32B,s_q4/{c}") for c in ("low", "high"))
    ledger.claim("intervals", Q, "appendix J.7", "the intervals of S_Q4 overlap",
                 a.value <= d.value and c.value <= b.value, stated="overlap",
                 found=f"{a.text} to {b.text}, {c.text} to {d.text}",
                 uses=("three_seeds/8B,s_q4/low", "three_seeds/32B,s_q4/high"))


def kappa_of_two(kappa: Printed, yes: int, n: int) -> tuple[int, int, int, int] | None:
    """A table of two raters' yes and no that has this kappa and lets ``yes`` of ``n`` come out, or None.

    Returns:
        Both yes, only the first, only the second, both no. Where they differ, either may have prevailed.
    """
    scale = int(2 / kappa.step)  # makes both ends whole, so that the sums are exact
    low, high = int(kappa.low * scale), int(kappa.high * scale)
    for apart in range(n + 1):
        for first in range(apart // 2 + 1):
            second = apart - first
            for both in range(max(0, yes - apart), min(yes, n - apart) + 1):
                a, b = both + first, both + second
                chance = a * b + (n - a) * (n - b)  # over n squared
                above, below = n * (n - apart) - chance, n * n - chance
                if below and low * below <= above * scale <= high * below:
                    return both, first, second, n - apart - both
    return None


def _kappas(ledger: Ledger) -> None:
    for name, row in (("supported_kappa", "supported claims of PAGER,confirmed"),
                      ("contradicted_kappa", "contradicted sentences of six models,conflicts with the image")):
        count, of = (ledger.at(f"image_audits/{row}/{c}") for c in ("count", "of"))
        kappa = ledger.at(f"statement:{name}")
        table = kappa_of_two(kappa, int(count.value), int(of.value)) if 0 < count.value <= of.value <= 1000 else None
        ledger.claim("plausible", Q, f"appendix J.2, {row}", "some pair of raters has this kappa and this count",
                     table is not None, stated=f"{kappa.text} at {count.text} of {of.text}",
                     found="none" if table is None else f"such as {table[1] + table[2]} labels apart",
                     uses=(f"statement:{name}", f"image_audits/{row}/count"))
    agree, kappa = ledger.at("statement:verifiers_agree"), ledger.at("statement:verifiers_kappa")
    low, high = bounds(lambda p, k: (p / 100 - k) / (1 - k), agree, kappa)
    ledger.claim("plausible", Q, "appendix J.5", "agreement and kappa leave a chance agreement that three labels allow",
                 high >= Decimal(1) / 3 and low <= 1, stated=f"{agree.text}% and {kappa.text}",
                 found=f"{low:.2f} to {high:.2f}, at least 0.33",
                 uses=("statement:verifiers_agree", "statement:verifiers_kappa"))
    _fleiss(ledger)


def _fleiss(ledger: Ledger) -> None:
    """Fleiss' kappa of first places against the pairs of raters that can agree on an image."""
    rows = list(ledger.published.sheets["preference"].cells)
    votes = [int(ledger.at(f"preference/{r}/votes").value) for r in rows]
    kappa = ledger.at("statement:fleiss_kappa")
    cast = sum(votes)
    raters, images = (int(ledger.at(f"statement:{k}").value) for k in ("raters", "preference_images"))
    chance = total(Decimal(v) ** 2 for v in votes) / Decimal(max(cast, 1)) ** 2
    pairs = images * raters * (raters - 1) // 2
    low, high = (ceil((chance + k * (1 - chance)) * pairs) for k in (kappa.low, kappa.high))
    # most pairs agree where as many images as can be are unanimous: images left over keep one or two dissenters
    most = pairs - sum((v % raters) * (raters - v % raters) for v in votes) // 2
    share, rest = divmod(raters, max(len(rows), 1))  # fewest where the raters of an image are spread evenly
    least = images * (rest * share + len(rows) * share * (share - 1) // 2)
    ledger.claim("plausible", Q, "appendix J.3", "Fleiss' kappa is possible with these votes",
                 cast == raters * images and least <= low <= most, stated=kappa.text,
                 found=f"{low} to {high} of {pairs} pairs of raters agree", uses=("statement:fleiss_kappa",))


def constant_macro_f1(marked: Decimal) -> Decimal:
    """Macro F1 of the better constant answer where a share of the tokens is marked: all of them, or none."""
    return max(2 * rate / (1 + rate) for rate in (marked, 1 - marked)) / 2


def coin_macro_f1(marked: Decimal) -> Decimal:
    """Expected macro F1 of a coin that marks half of the tokens, to first order."""
    half = Decimal("0.5")
    return total(2 * rate * half / (rate + half) for rate in (marked, 1 - marked)) / 2


def _granular(ledger: Ledger) -> None:
    """Table 2 has the best F1 over all thresholds, and a threshold that never or always alerts is one of them."""
    for side in ("mistakes", "omissions"):
        shares = [ledger.at(f"docent_granular/{side}/{m}").value for m in ("llava", "molmo", "claude", "gpt4o")]
        marked = min(max(1 - total(shares) / 4, Decimal("0.001")), Decimal("0.999"))
        floor_ = constant_macro_f1(marked)
        for method in ("Random", "4GramEmbed", "SGEmbed", "PoSh"):
            reference = f"docent_granular_results/{side}_macro_f1,{method}/value"
            figure = ledger.at(reference)
            ledger.claim("plausible", P, f"table 2, {method}, {side}", "the best threshold is no worse than a constant "
                         "answer", figure.value >= floor_, stated=figure.text, found=f"about {floor_:.3f}",
                         uses=(reference,), severity="minor",
                         reading="Random is no maximum over thresholds but a fair coin: from the marked tokens of "
                         f"table 4 that would be about {coin_macro_f1(marked):.3f}. A constant answer is the harder "
                         "yardstick.")
        figure = ledger.at(f"docent_granular_results/{side}_macro_f1,Random/value")
        coin = coin_macro_f1(marked)
        ledger.claim("plausible", P, f"table 2, Random, {side}", "a fair coin gives about this (within 0.02)",
                     abs(coin - figure.value) <= Decimal("0.02"), stated=figure.text, found=f"about {coin:.3f}",
                     uses=(f"docent_granular_results/{side}_macro_f1,Random/value",), severity="note",
                     reading="The caption does not say what Random draws.")


def _expert(ledger: Ledger) -> None:
    """F1 and recall leave a precision between nought and one."""
    for side in ("mistakes", "omissions"):
        for suffix in ("", "_50"):
            recall, score = (ledger.at(f"docent_granular/{side}/{k}{suffix}") for k in ("expert_recall", "expert_f1"))
            rest = 2 * recall.value - score.value
            precision = score.value * recall.value / rest if rest else Decimal(2)
            ledger.claim("plausible", P, f"table 4, {side}{suffix.replace('_', ' at ')}", "F1 and recall leave a "
                         "precision between 0 and 1", 0 <= precision <= 1, stated=f"R {recall.text}, F1 {score.text}",
                         found=f"precision {precision:.3f}", uses=(f"docent_granular/{side}/expert_f1{suffix}",))


def _budget(ledger: Ledger) -> None:
    longest = max((ledger.at(f"global_benchmarks/{row}/length").value, row)
                  for row in ledger.published.sheets["global_benchmarks"].cells)
    budget = ledger.at("reward_settings/L0/value")
    ledger.claim("plausible", Q, "table 11", "the length budget can be exceeded, if its unit is the token",
                 longest[0] > budget.value, stated=f"{budget.text} and 100 more a claim",
                 found=f"longest mean {longest[0]} tokens ({longest[1]})", uses=("reward_settings/L0/value",),
                 severity="note", reading="The unit is not stated. Counted in characters the budget would bind, and "
                 "table 5 shows that the length term had an effect.")
    pools = [ledger.at(f"statement:pool_{k}") for k in ("base", "pager")]
    rates = [ledger.at(f"positional_repair/{k}/g_q4") for k in ("Base", "PAGER")]
    lengths = [ledger.at(f"statement:length_{k}") for k in ("base", "pager")]
    sentences = [p.value / max(r.value, Decimal("0.001")) for p, r in zip(pools, rates, strict=True)]
    ratio = sentences[1] / max(sentences[0], Decimal(1))
    longer = lengths[1].value / max(lengths[0].value, Decimal(1))
    ledger.claim("plausible", Q, "appendix J.4", "longer captions have more sentences in quartile 4 (pool / G_Q4)",
                 (ratio > 1) == (longer > 1), stated=f"{pools[0].text} and {pools[1].text} generic sentences",
                 found=f"{sentences[0]:.0f} and {sentences[1]:.0f} sentences, captions {longer:.2f} times as long",
                 uses=("statement:pool_base", "statement:pool_pager"), severity="note",
                 reading="The pools hold qualifying sentences, and what qualifies is not stated; or sentences are "
                 "longer.")
    verification = "token_counts/itemwise verification/input"
    for row in ledger.published.sheets["global_benchmarks"].cells:
        ledger.more("plausible", Q, f"tables 4 and 22, {row}", "the tokens of a verification hold the caption",
                    verification, f"global_benchmarks/{row}/length")
