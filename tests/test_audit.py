"""The consistency audit: findings worked out by hand, rounding, and that every check can fail."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from decimal import Decimal
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posh_lite import audit
from posh_lite.audit_counts import pooled, possible, sizes
from posh_lite.audit_definitions import aggregation, quartile
from posh_lite.audit_ledger import ABOUT, KINDS, Check, Ledger, shown
from posh_lite.audit_marks import p_value
from posh_lite.audit_plausible import coin_macro_f1, constant_macro_f1, kappa_of_two
from posh_lite.paper_figures import Printed, Published, is_figure, published


@pytest.fixture(scope="module")
def checks() -> list[Check]:
    return audit.run()


def find(checks: list[Check], where: str, what: str) -> Check:
    found = [c for c in checks if where in c.where and what in c.what]
    assert len(found) == 1, [(c.where, c.what) for c in found]
    return found[0]


# findings by hand

@pytest.mark.parametrize(("where", "what", "stated", "recomputed", "difference", "outcome"), [
    # 0.559 against 0.564: five steps of the last digit, more than rounding can do
    ("text and table 2", "(text_mistakes_f1)", "0.564", "0.559", "-0.005", "differs"),
    ("text and table 2", "(text_omissions_f1)", "0.675", "0.680", "0.005", "differs"),
    ("text and table 4", "(strict_mistakes)", "0.612", "0.604", "-0.008", "differs"),
    ("text and table 4", "(strict_omissions)", "0.773", "0.754", "-0.019", "differs"),
    ("text and table 4", "(gpt4o_coverage)", "44.0", "43.7", "-0.3", "differs"),
    # 0.518 - 0.412 = 0.106, which is 25.7% of 0.412
    ("text, mistakes", "gain in rho over LLaVa Critic", "0.11", "0.106", "-0.004", "agrees"),
    ("text, overall", "per cent", "10", "9.9", "-0.1", "agrees"),
    # 70.3 - 66.8 = 3.5; 60.3 - 62.8 = -2.5
    ("introduction, overall", "gain in accuracy", "3", "3.5", "0.5", "agrees"),
    ("introduction, mistakes", "gain in accuracy", "3", "-2.5", "-5.5", "differs"),
    # 0.412 - 0.142 = 0.270, printed 0.269: both ends of rounding are needed
    ("table 3, Base", "d_tail from the quartiles", "0.269", "0.270", "0.001", "rounding"),
    # (0.422 + 0.421) / 2 - 0.326 = 0.0955
    ("table 3, Base", "D_mid from the quartiles", "0.096", "0.0955", "-0.0005", "agrees"),
    # 0.504 + 0.366 + 0.131 = 1.001
    ("table 7, InternVL3.5-4B", "quartile 3", "1.000", "1.001", "0.001", "rounding"),
    # 0.333 - 0.527 = -0.194
    ("section 3, tail", "mean dS", "-0.195", "-0.194", "0.001", "rounding"),
    # 600 * 5 + 300 * 18 minutes = 140 hours = 5.83 days of 24 hours
    ("section DOCENT", "days of annotation", "6", "5.8", "-0.2", "agrees"),
    # 414 / 430
    ("table 4, IIW-400, PAGER", "pooled win rate", "96.28", "96.279", "-0.001", "agrees"),
    ("table 15, PAGER", "share = votes", "77.8", "77.8", "", "agrees"),
])
def test_findings_by_hand(
    checks: list[Check], where: str, what: str, stated: str, recomputed: str, difference: str, outcome: str
) -> None:
    found = [c for c in checks if where in c.where and what in c.what]
    check = min(found, key=lambda c: len(c.what))
    assert (check.stated, check.recomputed, check.difference) == (stated, recomputed, difference)
    assert check.outcome == outcome


@pytest.mark.parametrize(("where", "what", "found"), [
    ("table 6, docent_overall_rho", "underlined", "GPT5 (image and reference) (0.602)"),
    ("table 6, docent_overall_tau", "underlined", "GPT5 (image and reference) (0.475)"),
    ("table 3, caparena", "grey", "SPICE model rho (p = 0.34); SPICE model tau (p = 0.25)"),
    ("Generations", "LLaVA", "llava-v1.6-mistral-7b-hf"),
    ("table 7", "three means are possible", "possible with 37 of up to 60"),
    ("appendix, RL", "warm-up", "15.6 steps; 125 if it counts generations"),
    ("table 2, Random, mistakes", "constant", "about 0.478"),
    ("equations of coarse scoring", "coarse scores are the mean over", "all components"),
    ("appendix J.4", "longer captions", "510 and 395 sentences, captions 1.60 times as long"),
])
def test_differences_by_hand(checks: list[Check], where: str, what: str, found: str) -> None:
    check = find(checks, where, what)
    assert check.outcome == "differs"
    assert check.recomputed == found
    assert check.reading


def test_marks_of_the_selected_table_are_right(checks: list[Check]) -> None:
    marks = [c for c in checks if c.kind == "marks" and c.where.startswith("table 3") and "best" in c.what]
    assert len(marks) == 24
    assert {c.outcome for c in marks} == {"agrees"}


def test_identities_all_agree_or_round(checks: list[Check]) -> None:
    sums = [c for c in checks if c.kind == "sums"]
    assert len(sums) == 71  # 25 + 28 compositions, 4 + 7 + 4 + 2 + 1 effects
    assert "differs" not in {c.outcome for c in sums}


# the list as a whole

def test_every_check_has_its_own_key_and_its_words(checks: list[Check]) -> None:
    assert len({c.key for c in checks}) == len(checks)
    for check in checks:
        assert check.kind in ABOUT
        assert check.paper in ("posh", "position")
        assert check.stated and check.recomputed and check.where and check.what
        assert bool(check.severity) == (check.outcome == "differs")
        assert bool(check.reading) == (check.outcome != "agrees")


def test_all_references_name_a_cell(checks: list[Check]) -> None:
    for reference in {r for c in checks for r in c.uses}:
        _text(published(), reference)


def test_summary_counts_every_check(checks: list[Check]) -> None:
    table = audit.summary(checks)
    assert table["kind"].tolist() == list(KINDS)
    assert int(table[["agrees", "rounding", "differs"]].sum().sum()) == len(checks)
    assert (table[["agrees", "rounding", "differs"]].sum(axis=1) > 0).all()
    assert len(audit.frame(checks)) == len(checks)


def test_findings_put_major_ones_first(checks: list[Check]) -> None:
    severities = [c.severity for c in audit.findings(checks)]
    order = ["major", "minor", "note"]
    assert severities == sorted(severities, key=order.index)
    assert set(severities) == set(order)


def test_command_prints_and_exits_with_nought(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.main(["--kind", "sums"]) == 0
    assert "71 checks: 64 agree, rounding explains 7, 0 differ" in capsys.readouterr().out
    assert audit.main(["--json", "--kind", "marks", "--paper", "posh"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["outcome"] for row in rows} == {"differs"}
    assert audit.main(["--all", "--kind", "definitions"]) == 0
    assert "presence threshold" in capsys.readouterr().out


# every check can fail

def _text(source: Published, reference: str) -> str:
    if reference.startswith("statement:"):
        return source.text("statements", reference.removeprefix("statement:"), "value")
    label, rest = reference.split("/", 1)
    return source.text(label, *rest.rsplit("/", 1))


def _changed(text: str, round_: int, number: int) -> str:
    """Another value: far up, far down or with another sign, and differently for every cell."""
    if not is_figure(text):
        return f"9.9 {text}"
    figure = Printed(text)
    far = (7 + number % 13) * (1, 7, 40, 1000, 10**5)[round_ // 2] * figure.step
    moved = figure.value + far if round_ % 2 else figure.value - far
    return str(moved)


def test_every_check_can_fail(checks: list[Check]) -> None:
    left = {c.key: c.uses for c in checks if c.outcome != "differs" and c.uses}
    total = len(left)
    assert total > 600
    for round_, place in product(range(10), range(3)):
        source = published()
        chosen = list(dict.fromkeys(uses[place % len(uses)] for uses in left.values()))
        for number, reference in enumerate(chosen):
            text = _text(source, reference)
            source = source.replaced(reference, _changed(text, round_, number))
        for check in audit.run(source):
            if check.outcome == "differs":
                left.pop(check.key, None)
        if not left:
            break
    assert not left, f"{len(left)} of {total}: {list(left)[:8]}"


@pytest.mark.parametrize(("reference", "text", "kind"), [
    ("unweighted_diagnostics/Qwen-Plus/s_q2", "0.482", "sums"),
    ("positional_repair/SFT/delta_h", "-0.073", "sums"),
    ("component_ablations/w/o R_tail/h_q3", "0.330", "sums"),
    ("coarse_results/SPICE/docent_mistakes_tau", "0.243", "copies"),
    ("rl_results/overall/posh_vs_sft", "0.235", "text"),
    ("global_benchmarks/DOCCI,PAGER/capture", "0.600", "claims"),
    ("full_coarse_results/PoSh/bold", "docent_mistakes_rho", "marks"),
    ("coarse_results/length/not_significant", "", "marks"),
    ("preference/SFT/votes", "21", "counts"),
    ("full_coarse_results/SPICE/docent_mistakes_acc", "41.4", "counts"),
    ("three_seeds/8B,d_mid/low", "0.035", "intervals"),
    ("statement:fleiss_kappa", "0.995", "plausible"),
    ("definitions/presence threshold,experiments/says", "3", "definitions"),
    ("earlier_version/coarse_results,SPICE,docent_mistakes_rho/earlier", "0.318", "versions"),
])
def test_a_changed_figure_is_found(checks: list[Check], reference: str, text: str, kind: str) -> None:
    before = {c.key for c in checks if c.kind == kind and c.outcome == "differs"}
    changed = audit.run(published().replaced(reference, text))
    assert {c.key for c in changed if c.kind == kind and c.outcome == "differs"} - before


# rounding

def _outcome(stated: str, rule: object, *figures: str, strict: bool = False) -> str:
    source = published()
    names = ["rl_results/mistakes/posh_vs_sft", "rl_results/omissions/posh_vs_sft", "rl_results/overall/posh_vs_sft"]
    for name, text in zip(names, figures, strict=False):
        source = source.replaced(name, text)
    ledger = Ledger(source)
    used = names[: len(figures)]
    ledger.equals("sums", "posh", "here", "rule", Printed(stated), rule, *used, strict=strict)  # type: ignore[arg-type]
    return ledger.checks[0].outcome


@pytest.mark.parametrize(("stated", "figures", "expected"), [
    ("0.3", ("0.1", "0.2"), "agrees"),
    ("0.30", ("0.1", "0.2"), "agrees"),
    ("0.4", ("0.1", "0.2"), "rounding"),  # 0.149 + 0.249 = 0.398
    ("0.5", ("0.1", "0.2"), "differs"),  # at most 0.15 + 0.25 = 0.40, and 0.5 is at least 0.45
    ("0.45", ("0.1", "0.2"), "differs"),
    ("0.41", ("0.10", "0.20"), "differs"),
])
def test_three_outcomes(stated: str, figures: tuple[str, ...], expected: str) -> None:
    assert _outcome(stated, lambda a, b: a + b, *figures) == expected


def test_two_prints_of_one_figure_cannot_differ_by_rounding() -> None:
    assert _outcome("0.518", lambda a: a, "0.519", strict=True) == "differs"
    assert _outcome("0.518", lambda a: a, "0.519") == "rounding"


@given(st.lists(st.integers(-999, 999), min_size=2, max_size=3), st.integers(1, 3))
def test_what_was_rounded_never_differs(numbers: list[int], digits: int) -> None:
    exact = [Decimal(n) / 1000 for n in numbers]
    stated = str(round(sum(exact, Decimal(0)), digits))
    figures = [str(round(e, digits)) for e in exact]
    assert _outcome(stated, lambda *x: sum(x, Decimal(0)), *figures) in ("agrees", "rounding")


@pytest.mark.parametrize(("number", "like", "text"), [
    ("0.106", "0.01", "0.106"), ("0.27", "0.001", "0.270"), ("25.728", "1", "25.7"), ("600", "1", "600."),
])
def test_shown_has_a_digit_more_than_stated(number: str, like: str, text: str) -> None:
    assert shown(Decimal(number), Decimal(like)) == text.rstrip(".")


# helpers

def test_possible_means() -> None:
    # 16/37 = 0.4324, -9/37 = -0.2432, 5/37 = 0.1351; of 40 the nearest are 0.425 and 0.450
    figures = [Printed("-0.243"), Printed("0.432"), Printed("0.135")]
    assert sizes(figures, 60) == [37]
    assert not possible(figures, 40)
    assert possible([Printed("41.3")], 600, per_cent=True)  # 248/600 = 41.33
    assert not possible([Printed("41.4")], 600, per_cent=True)  # 248/600 = 41.33, 249/600 = 41.5


@given(st.integers(1, 80), st.lists(st.integers(0, 80), min_size=1, max_size=3), st.integers(2, 4))
def test_true_means_are_possible(n: int, counts: list[int], digits: int) -> None:
    assert possible([Printed(str(round(Decimal(c) / n, digits))) for c in counts], n)


def test_pooled_rates() -> None:
    rates = [Printed("50.00"), Printed("25.00"), Printed("0.00")]
    assert pooled(rates, Printed("75.00"), 4) == ((1, 2), (1, 4), (0, 2))  # baselines win 2 of 8 together
    assert pooled(rates, Printed("10.00"), 4) is None


def test_kappa_of_two_by_hand() -> None:
    # 45 yes and 45 no of 100, 5 apart to each side: agreement 0.90, by chance 0.50, kappa 0.80
    table = kappa_of_two(Printed("0.80"), 50, 100)
    assert table is not None
    both, first, second, none = table
    agreement = (both + none) / 100
    a, b = (both + first) / 100, (both + second) / 100
    chance = a * b + (1 - a) * (1 - b)
    assert 0.795 <= (agreement - chance) / (1 - chance) <= 0.805
    assert both <= 50 <= 100 - none
    assert kappa_of_two(Printed("0.5000"), 1, 2) is None  # of two cases only -1, 0 and 1 are possible


@pytest.mark.parametrize(("marked", "constant", "coin"), [
    # half marked: 2/3 for one class, 0 for the other; the coin has precision and recall of one half in both
    ("0.5", 1 / 3, 0.5),
    # a tenth marked: never alerting has F1 1.8/1.9 for the unmarked; the coin 0.1/0.6 and 0.9/1.4
    ("0.1", 1.8 / 1.9 / 2, (0.1 / 0.6 + 0.9 / 1.4) / 2),
])
def test_macro_f1_of_answers_without_sense(marked: str, constant: float, coin: float) -> None:
    assert float(constant_macro_f1(Decimal(marked))) == pytest.approx(constant)
    assert float(coin_macro_f1(Decimal(marked))) == pytest.approx(coin)


def test_macro_f1_agrees_with_the_localisation_of_the_package() -> None:
    """A coin with the expected counts and a constant, through sklearn-like sums by hand on 1000 tokens, 85 marked."""
    def f1(tp: float, fp: float, fn: float) -> float:
        return 2 * tp / (2 * tp + fp + fn)

    constant = (f1(0, 0, 85) + f1(915, 85, 0)) / 2
    coin = (f1(42.5, 457.5, 42.5) + f1(457.5, 42.5, 457.5)) / 2
    assert float(constant_macro_f1(Decimal("0.085"))) == pytest.approx(constant)
    assert float(coin_macro_f1(Decimal("0.085"))) == pytest.approx(coin)


def test_p_values_equal_those_of_scipy_for_untied_ranks() -> None:
    stats = pytest.importorskip("scipy.stats")

    x = list(range(14))
    y = [3, 1, 0, 5, 2, 7, 4, 12, 6, 9, 8, 13, 10, 11]
    rho = stats.spearmanr(x, y)
    assert p_value("rho", float(rho.statistic), 14) == pytest.approx(float(rho.pvalue))
    tau = stats.kendalltau(x, y, method="asymptotic")
    assert p_value("tau", float(tau.statistic), 14) == pytest.approx(float(tau.pvalue))
    assert p_value("rho", 1.0, 14) == 0.0


@given(st.integers(1, 200))
def test_quartiles_are_in_order_and_even(n: int) -> None:
    found = [quartile(k, n) for k in range(1, n + 1)]
    assert found == sorted(found)
    assert found[0] == 1
    assert found[-1] <= 4
    sizes_ = [found.count(q) for q in (1, 2, 3, 4)]
    assert max(sizes_) - min(sizes_) <= 1
    assert (found[-1] == 4) == (n >= 4)


def test_aggregation_is_measured_on_the_recorded_run_and_none_without_it() -> None:
    found = aggregation()
    assert found is not None
    assert found["n"] == 100
    assert 0 < found["mistakes"] < 0.8
    assert 0 < found["omissions_reversed"] < 0.5
    assert aggregation("no-such-run") is None


@pytest.mark.parametrize("module", ["posh_lite.audit --all", "posh_lite.book parameters"])
def test_a_reader_that_has_gone_is_no_traceback(module: str) -> None:
    there, here = os.pipe()
    os.close(there)  # as when "| head" has seen enough
    done = subprocess.run([sys.executable, "-m", *module.split()], stdout=here, stderr=subprocess.PIPE, check=False)
    os.close(here)
    assert done.stderr == b""
    assert done.returncode == 1
