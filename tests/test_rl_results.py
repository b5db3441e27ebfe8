"""What the printed figures on rewards allow: bounds and intervals by hand, searches against brute force."""

from __future__ import annotations

import json
import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite import paper_rl, paper_rl_cost, paper_rl_lab, paper_rl_votes, plot_rl
from posh_lite import paper_rl_view as view
from posh_lite.errors import InputError
from posh_lite.evaluation.annotators import krippendorff_alpha
from posh_lite.paper_figures import Printed
from posh_lite.position.winrate import wilson

# -- labels without their spread ----------------------------------------------------------------------------


def test_bounds_of_a_mean_by_hand() -> None:
    """Mean 0.5 of 4 labels: least spread 0, 0, 1, 1; most would be all at the ends, variance 4 - 0.25."""
    made = paper_rl.label_mean(0.5, 4)
    assert made.least_sd == pytest.approx(np.std([0, 0, 1, 1], ddof=1))
    assert made.most_sd == pytest.approx(math.sqrt(3.75 * 4 / 3))
    t = 3.182446305284263  # 97.5% of Student's t with 3 degrees of freedom
    assert made.narrow == pytest.approx((0.5 - t * made.least_sd / 2, 0.5 + t * made.least_sd / 2))
    assert made.limit_sd == pytest.approx(0.5 * 2 / t)
    assert made.sure == (-2, 2)  # Hoeffding's half width of 4 * sqrt(log(40) / 8) is cut off


@settings(deadline=None)  # the first example imports SciPy
@given(st.lists(st.integers(-2, 2), min_size=2, max_size=40))
def test_no_labels_lie_outside_of_the_bounds(labels: list[int]) -> None:
    made = paper_rl.label_mean(sum(labels) / len(labels), len(labels))
    spread = float(np.std(labels, ddof=1))
    assert made.least_sd - 1e-6 <= spread <= made.most_sd + 1e-6


def test_table_7_can_be_told_from_zero_where_labels_are_alike() -> None:
    made = paper_rl.sft_against_dapo()
    assert made["overall"].n == 40
    for own in made.values():
        assert own.narrow[0] * own.narrow[1] > 0 > own.wide[0] * own.wide[1]
        assert own.least_sd < own.limit_sd < own.most_sd
    assert made["omissions"].limit_sd > 1 > made["mistakes"].limit_sd > made["overall"].limit_sd


@pytest.mark.parametrize(("value", "n"), [(2.1, 10), (0.0, 1), (-3.0, 5)])
def test_a_mean_off_the_scale_is_refused(value: float, n: int) -> None:
    with pytest.raises(ValueError, match="a mean of"):
        paper_rl.label_mean(value, n)


def test_pairs_needed_is_the_usual_formula() -> None:
    assert paper_rl.pairs_needed(0.5, 1.0) == math.ceil(((1.959964 + 0.841621) / 0.5) ** 2) == 32


def test_alpha_of_complete_tables_is_that_of_the_package() -> None:
    draw = np.random.default_rng(0)
    tables = draw.integers(-2, 3, size=(6, 5, 3)).astype(float)
    expected = [krippendorff_alpha(t, "interval", n_resamples=1).value for t in tables]
    assert paper_rl._alphas(tables) == pytest.approx(expected)


def test_small_studies_print_alphas_on_both_sides_of_the_true_one() -> None:
    low, middle, high = paper_rl.alpha_range(0.4, draws=500)
    assert low < 0 < middle < high
    wide = paper_rl.alpha_range(0.4, units=200, draws=200)
    assert wide[0] > 0.2 and wide[2] < 0.6
    with pytest.raises(ValueError, match="alpha"):
        paper_rl.alpha_range(1.0)


# -- counts -------------------------------------------------------------------------------------------------


def test_wins_are_those_of_the_text() -> None:
    base, sft, caprl, every = paper_rl.wins()
    assert [(w.opponent, w.wins, w.losses) for w in (base, sft, caprl, every)] == [
        ("Base", 133, 6), ("SFT", 192, 2), ("CapRL", 89, 8), ("all three", 414, 16)]  # fmt: skip
    assert every.share == wilson(414, 430)
    assert base.ties_half == (133 + (400 - 139) / 2) / 400
    assert every.ties_half == pytest.approx((base.ties_half + sft.ties_half + caprl.ties_half) / 3)


def test_counts_of_iiw_are_found_again_from_the_rates_alone() -> None:
    assert paper_rl.counts_of("IIW-400", 200) == [((6, 139), (2, 194), (8, 97))]


def test_counts_behind_the_rates_of_docci() -> None:
    assert paper_rl.counts_of("DOCCI", 200) == [((8, 135), (4, 194), (6, 82))]
    assert len(paper_rl.counts_of("DOCCI", 400)) == 5
    for solution in paper_rl.counts_of("DOCCI", 400):
        lost, n = (sum(part) for part in zip(*solution, strict=True))
        assert [f"{100 * w / m:.2f}" for w, m in solution] == ["5.93", "2.06", "7.32"]
        assert f"{100 - 100 * lost / n:.2f}" == "95.62"


def test_implied_counts_against_every_possible_one() -> None:
    rates, pooled, most = [Printed("33"), Printed("50"), Printed("20")], Printed("67"), 9

    def fits(w: int, n: int, rate: Printed) -> bool:
        return float(rate.low) * n <= 100 * w <= float(rate.high) * n

    options = [[(w, n) for n in range(1, most + 1) for w in range(n + 1) if fits(w, n, rate)] for rate in rates]
    expected = {s for s in product(*options)
                if fits(sum(n - w for w, n in s), sum(n for _, n in s), pooled)}  # fmt: skip
    assert set(paper_rl.implied_counts(rates, pooled, most)) == expected
    assert expected
    assert paper_rl.implied_counts([Printed("0.01"), *rates[1:]], Printed("0"), 9) == []


# -- votes, seeds, audits -----------------------------------------------------------------------------------


def test_votes_widen_as_less_is_independent() -> None:
    for v in paper_rl_votes.votes():
        widths = [e.high - e.low for e in (v.independent, v.by_image, v.unanimous)]
        assert widths == sorted(widths) and widths[0] < widths[1]
        assert v.unanimous.n == 100
    assert paper_rl_votes.design_effect() == pytest.approx(3.64)
    assert paper_rl_votes.votes()[0].by_image.n == round(500 / 3.64)


def test_pairs_that_agree_by_hand() -> None:
    chance = 0.778**2 + 0.182**2 + 0.04**2
    assert paper_rl_votes.pair_agreement() == pytest.approx((chance, chance + 0.66 * (1 - chance)))


def test_rater_halves_against_every_way_to_fill_in() -> None:
    """Five raters of 100 votes: lowest 72, highest 84, sum 389; the other three are found by trying all."""
    least, most = paper_rl_votes.rater_halves(0.778, 0.72, 0.84, 5)
    spreads = [float(np.std([72, 84, a, b, 233 - a - b], ddof=1)) for a in range(72, 85) for b in range(72, 85)
               if 72 <= 233 - a - b <= 84]  # fmt: skip
    t = 2.7764451051977987 / math.sqrt(5) / 100
    assert least < t * min(spreads) == pytest.approx(least, rel=1e-2)  # whole votes miss the equal split by a third
    assert t * max(spreads) == pytest.approx(most)
    assert paper_rl_votes.rater_halves(0.5, 0.5, 0.5, 4) == (0, 0)
    with pytest.raises(ValueError, match="no 5 raters"):
        paper_rl_votes.rater_halves(0.9, 0.72, 0.84, 5)


def test_seeds_by_hand() -> None:
    """Half width .034 over three seeds: s = .034 * sqrt(3) / 4.3027."""
    own = next(s for s in paper_rl.seeds() if (s.backbone, s.quantity) == ("8B", "s_q4"))
    assert own.spread == pytest.approx(0.034 * math.sqrt(3) / 4.302652729911275)
    assert own.gap == pytest.approx(0.034 * math.sqrt(6))  # t s sqrt(2): t cancels
    assert all(s.spread_range[0] <= s.spread <= s.spread_range[1] for s in paper_rl.seeds())


def test_what_ablations_exceed() -> None:
    beyond = view.beyond_seeds()
    assert beyond["S_Q4"] == []
    assert "w/o R_mid" in beyond["D_mid"] and "w/o R_tail" not in beyond["D_mid"]
    assert paper_rl.ablation_differences()["w/o R_mid"]["d_mid"][0] == pytest.approx(0.067)
    low, high = paper_rl.ablation_differences()["w/o R_mid"]["d_mid"][1]
    assert (low, high) == pytest.approx((0.066, 0.068))


def test_newcombe_as_printed_in_his_paper() -> None:
    """Newcombe (1998), Table II: 56/70 and 48/80 differ by 0.2000 (0.0524 to 0.3339), method 10."""
    assert paper_rl.newcombe(wilson(48, 80), wilson(56, 70)) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_residual_audit_is_that_of_two_samples() -> None:
    for row in paper_rl.residual():
        assert 0.9 < row.width_ratio < 1.1
        assert row.printed[0] < row.difference < row.printed[1]
        assert row.drawn_without[1] - row.drawn_without[0] < row.newcombe[1] - row.newcombe[0]


def test_facts_of_a_caption() -> None:
    assert paper_rl.facts_per_caption("IIW-400", "Base") == pytest.approx(5.46 * 2.57)


def test_order_of_verifiers_and_identities() -> None:
    assert view.verifier_order() == (11, 12, ["G_Q4 of CapRL and PAGER"])
    good, every = view.identities()
    assert good == every == 25
    less, panels, lost = view.shrinks()
    assert (less, panels) == (4, 4)
    # .060 to .048 in D_mid, .146 to .128 in S_Q4, .063 to .048 in H_Q4, .083 to .080 in G_Q4
    assert lost == pytest.approx((1 - 0.080 / 0.083, 1 - 0.048 / 0.063))


# -- cost ---------------------------------------------------------------------------------------------------


def test_cost_of_the_pager_run_by_hand() -> None:
    run = paper_rl_cost.pager_run()
    captions = 297_839 // 1024 * 1024 * 8 * 3  # whole rounds of 1024 prompts
    assert (run.training.calls, run.training.input, run.training.output) == (captions, captions * 548, captions * 596)
    assert run.rounds["prompts"] == 290 * 3
    assert (run.hours, run.gpu_hours) == (48, 1536)
    assert run.each_second(run.training.calls) == captions / 172_800
    assert math.isnan(run.stages[-1].input)


def test_batch_of_dapo_that_fits_its_warm_up() -> None:
    by = {unit: paper_rl_cost.posh_numbers(unit) for unit in ("prompts", "captions")}
    assert by["prompts"].steps < by["prompts"].warmup == 20 < by["captions"].steps == 125


def test_cost_of_posh_from_a_record(tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"
    path.write_text('{"n": 10, "ways": {"all": {"prompts": 2, "tokens": 100, "computed": 36}}}', "utf-8")
    (run,) = paper_rl_cost.posh_run(path, throughput=100, gpu_price=3)
    assert (run.found.prompts, run.found.tokens, run.found.computed) == (16_000, 800_000, 288_000)
    assert run.found.gpu_hours == pytest.approx(288_000 / 100 / 0.9 / 3600)
    assert run.found.gpu_cost == pytest.approx(3 * 288_000 / 100 / 0.9 / 3600)
    path.write_text('{"n": 10}', "utf-8")
    with pytest.raises(InputError, match="no record of tokens"):
        paper_rl_cost.posh_run(path, throughput=100)
    with pytest.raises(InputError, match="cannot be read"):
        paper_rl_cost.posh_run(tmp_path / "none.json", throughput=100)


# -- tables and figures -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["label_table", "ablation_table", "global_table", "wins_table", "implied_table",
                                  "votes_table", "audits_table", "residual_table", "seeds_table", "stages_table",
                                  "claims_table"])  # fmt: skip
def test_tables_are_whole(name: str) -> None:
    frame = getattr(view, name)()
    assert len(frame) >= 3
    assert not frame.isna().any().any()


def test_dumbbells_say_what_is_worse(tmp_path: Path) -> None:
    made = plot_rl.dumbbells(
        {"H": {"one": (0.1, 0.3)}, "S": {"one": (0.1, 0.3)}}, name="t", caption="c", start="before", end="after",
        title="Shares", better={"H": "lower", "S": "higher"}, bands={"H": (0.05, 0.15)}, columns=2,
    )  # fmt: skip
    assert "H: one 0.100 to 0.300" in made.alt
    with pytest.raises(ValueError, match="rows differ"):
        plot_rl.dumbbells({"H": {"one": (0, 1)}, "S": {"two": (0, 1)}}, name="t", caption="", start="a", end="b",
                          title="", better={})  # fmt: skip


def test_density_names_every_point() -> None:
    made = plot_rl.density(view.density_points(), name="t", caption="c")
    assert "DOCCI PAGER: 423 tokens, 3.33 per 100, so about 14.1 facts" in made.alt


@pytest.fixture(autouse=True)
def _figures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("posh_lite.plot.figures_folder", lambda: tmp_path)


# -- the laboratory -----------------------------------------------------------------------------------------


def recorded(tmp_path: Path, gaps: list[float]) -> Path:
    """A record in which leaving the middle term out moves D_mid by ``gaps``, a seed each."""
    rows = []
    for seed, gap in enumerate(gaps):
        for arm, moved in (("full", 0.0), ("no-mid", gap)):
            values = {"d_mid": 0.1 * seed + moved, "s_q4": 0.4, "h_q4": 0.2, "g_q4": None}
            rows.append({"arm": arm, "seed": seed, "values": values})
    (tmp_path / "study.json").write_text(json.dumps({"scenes": {"default": {"rows": rows}}}), "utf-8")
    return tmp_path


def test_laboratory_is_paired_by_seed(tmp_path: Path) -> None:
    rows = paper_rl_lab.beside(json.loads((recorded(tmp_path, [0.05, 0.07, 0.06]) / "study.json").read_text("utf-8")))
    first = rows[0]
    assert (first.variant, first.quantity, first.printed) == ("w/o R_mid", "d_mid", pytest.approx(0.067))
    half = 4.302652729911275 * 0.01 / math.sqrt(3)
    assert (first.lab.value, first.lab.low) == pytest.approx((0.06, 0.06 - half))
    assert first.says == "agrees"
    assert [r.says for r in rows[1:]] == ["moves nothing", "moves nothing", "undecided"]  # the last is not measured
    table, text = paper_rl_lab.shown(tmp_path)
    assert "3 seeds" in (table.markdown or "") and "agrees on the direction of 1 of 4" in text.plain


def test_laboratory_that_points_the_other_way_or_is_missing(tmp_path: Path) -> None:
    study = json.loads((recorded(tmp_path, [-0.05, -0.07, -0.06]) / "study.json").read_text("utf-8"))
    assert paper_rl_lab.beside(study)[0].says == "does not"
    (only,) = paper_rl_lab.shown(tmp_path / "nowhere")
    assert "no record of the laboratory" in only.plain
    with pytest.raises(InputError, match="no scene"):
        paper_rl_lab.beside({"scenes": {}})
    with pytest.raises(InputError, match='no arm "full"'):
        paper_rl_lab.beside({"scenes": {"default": {"rows": []}}})
