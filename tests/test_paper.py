"""The published tables: what the accessor finds, says and refuses."""

from __future__ import annotations

import shutil
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posh_lite import paper, paper_figures
from posh_lite.errors import InputError
from posh_lite.paper_figures import Printed, bounds, load, published

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "data/paper"


def test_every_file_is_described_and_every_description_has_its_file() -> None:
    described = {sheet.info.file for sheet in published().sheets.values()}
    assert described == {path.name for path in FOLDER.glob("*.csv")}


def test_every_column_has_a_meaning_and_every_table_a_place() -> None:
    for sheet in published().sheets.values():
        assert set(sheet.info.units) == set(sheet.columns)
        assert all(sheet.info.about.values())
        assert sheet.info.place
        assert set(sheet.info.rows) <= set(sheet.columns)


def test_numbers_of_both_papers_are_there_or_lost() -> None:
    numbers = {sheet.info.number for sheet in published().sheets.values() if sheet.info.paper == "posh"}
    assert numbers - {""} == {"1", "2", "3", "4", "5a", "5b", "6", "7"}
    numbers = {sheet.info.number for sheet in published().sheets.values() if sheet.info.paper == "position"}
    gone = {entry["number"] for entry in published().lost if entry["paper"] == "position"}
    assert {str(n) for n in range(1, 23)} <= numbers | gone


@pytest.mark.parametrize(("name", "row", "column", "expected"), [
    ("coarse_results", "PoSh", "docent_mistakes_rho", 0.518),
    ("posh:3", "length", "docent_omissions_tau", -0.001),
    ("full_coarse_results", "GPT5 (image and reference)", "docent_overall_tau", 0.475),
    ("posh:2", "omissions_macro_f1,PoSh", "value", 0.680),
    ("posh:5b", "overall,claude,molmo", "value", 2.5),
    ("global_benchmarks", "DOCCI,PAGER", "caparena4", 95.62),
    ("position:7", "LLaVA-v1.5-7B", "h_q3", 0.573),
    ("position:18", "PAGER,DeepSeek-V3.2", "h_q4", 0.241),
    ("position:21", "32B,s_q4", "high", 0.480),
    ("position:16", "non-evidential filler", "low", -17.4),
    ("statements", "strict_omissions", "value", 0.773),
])
def test_values(name: str, row: str, column: str, expected: float) -> None:
    assert paper.value(name, row, column) == expected


def test_table_is_numeric_where_it_can_be_and_carries_its_description() -> None:
    frame = paper.table("full_coarse_results")
    assert len(frame) == 20
    assert frame["method"].is_unique
    assert frame["docent_overall_rho"].max() == 0.602
    assert frame["caparena_acc"].isna().tolist() == [m == "DCScore" for m in frame["method"]]
    assert frame["parameters_b"].tolist()[9] == "8x7"
    assert frame.attrs["number"] == "6"
    assert frame.attrs["units"]["docent_mistakes_acc"] == "%"
    assert frame.attrs["citation"] == "ananthram2026posh"
    assert any("three rows" in note for note in frame.attrs["notes"])


def test_a_table_that_is_changed_leaves_the_next_alone() -> None:
    first = paper.table("rl_results")
    first.loc[0, "posh_vs_sft"] = 9.0
    first.attrs["units"]["posh_vs_sft"] = "apples"
    assert paper.table("rl_results")["posh_vs_sft"][0] == -0.243
    assert paper.table("rl_results").attrs["units"]["posh_vs_sft"] == "-2 to 2"


def test_overview_and_lost() -> None:
    overview = paper.tables().set_index("label")
    assert overview.loc["unweighted_diagnostics", "rows"] == 7
    assert overview.loc["unweighted_diagnostics", "figures"] == 84
    assert "20, second block" in paper.lost()["number"].tolist()


def test_long_has_a_row_a_figure_with_its_print() -> None:
    frame = paper.long("posh:5b")
    assert len(frame) == 18
    assert set(frame.columns) == {"paper", "number", "label", "row", "column", "value", "printed", "unit"}
    assert dict(zip(frame["row"], frame["printed"], strict=True))["overall,claude,molmo"] == "2.5"


@pytest.mark.parametrize(("name", "row", "column", "message"), [
    ("coarse_result", "PoSh", "docent_mistakes_rho", "did you mean coarse_results"),
    ("coarse_results", "Posh", "docent_mistakes_rho", 'no row named "Posh"; did you mean PoSh'),
    ("coarse_results", "PoSh", "mistakes_rho", "did you mean docent_mistakes_rho"),
    ("coarse_results", "DCScore", "caparena_acc", "no figure: an empty cell"),
    ("coarse_results", "PoSh", "bold", "no figure: docent"),
    ("posh:5", "x", "y", "there is posh:5a and posh:5b"),
    ("3", "x", "y", "there is posh:3 and position:3"),
    ("position:6", "x", "y", "lost when the text"),
])
def test_errors_help(name: str, row: str, column: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        paper.value(name, row, column)


def test_a_number_alone_is_no_name_of_a_table() -> None:
    with pytest.raises(InputError, match='no table "3": there is posh:3 and position:3'):
        paper.table(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("reference", ["coarse_results", "coarse_results/PoSh", "", "statement:nothing"])
def test_a_reference_that_names_nothing_is_refused(reference: str) -> None:
    with pytest.raises(InputError):
        published().at(reference)


def test_beside_joins_by_name_and_leaves_gaps() -> None:
    import pandas as pd

    ours = pd.DataFrame({"mistakes": [0.4, 0.1]}, index=["posh", "own"])
    columns = {"mistakes": "docent_mistakes_rho"}
    frame = paper.beside(ours, "full_coarse_results", columns, rows={"posh": "PoSh"})
    assert frame["published"].tolist()[0] == 0.518
    assert frame["published"].isna().tolist() == [False, True]
    with pytest.raises(InputError, match="did you mean"):
        paper.beside(ours, "full_coarse_results", {"mistakes": "docent_mistake_rho"})


def test_metrics_name_rows_that_are_there() -> None:
    from posh_lite.baselines.registry import METRICS

    sheets = published().sheets
    rows = {*sheets["coarse_results"].cells, *sheets["full_coarse_results"].cells}
    rows |= {cells["method"] for cells in sheets["docent_granular_results"].cells.values()}
    assert {entry.paper for entry in METRICS.values()} - {""} <= rows


# figures and their intervals

@pytest.mark.parametrize(("text", "low", "high"), [
    ("0.559", "0.5585", "0.5595"), ("-0.028", "-0.0285", "-0.0275"), ("44.0", "43.95", "44.05"),
    ("2.5", "2.45", "2.55"), ("600", "599.5", "600.5"), ("1e-5", "0.5e-5", "1.5e-5"),
])
def test_a_printed_figure_is_an_interval(text: str, low: str, high: str) -> None:
    assert (Printed(text).low, Printed(text).high) == (Decimal(low), Decimal(high))


@given(st.integers(-10**6, 10**6), st.integers(0, 4))
def test_any_number_lies_in_the_interval_of_its_rounding(number: int, digits: int) -> None:
    exact = Decimal(number) / 10**4
    figure = Printed(str(round(exact, digits)))
    assert figure.low <= exact <= figure.high
    assert figure.high - figure.low == figure.step


def test_bounds_of_a_ratio_by_hand() -> None:
    # (0.518 - 0.412) / 0.412: least with 0.5175 and 0.4125, greatest with 0.5185 and 0.4115
    low, high = bounds(lambda a, b: (a - b) / b, Printed("0.518"), Printed("0.412"))
    assert low == Decimal("0.1050") / Decimal("0.4125")
    assert high == Decimal("0.1070") / Decimal("0.4115")


def test_a_changed_copy_leaves_the_original_alone() -> None:
    changed = published().replaced("rl_results/mistakes/posh_vs_sft", "0.5")
    assert changed.at("rl_results/mistakes/posh_vs_sft").text == "0.5"
    assert published().at("rl_results/mistakes/posh_vs_sft").text == "-0.243"


# files

def test_the_packaged_copy_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from posh_lite import packaged

    monkeypatch.setattr(packaged, "files", lambda name: tmp_path / "posh_lite")
    with pytest.raises(InputError, match=r"_data.paper nor .*data.paper; reinstall"):
        paper_figures.find_paper()
    shutil.copytree(FOLDER, tmp_path / "posh_lite/_data/paper")
    assert paper_figures.find_paper() == tmp_path / "posh_lite/_data/paper"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "paper"))


@pytest.mark.parametrize(("change", "message"), [
    (lambda text: text.replace("posh_vs_sft", "posh"), r"columns \['posh', 'posh_vs_sft'\]"),
    (lambda text: text + "7,rl_results,mistakes,0.1,0.2\n", "posh_table7_rl.csv:5: .*there twice"),
    (lambda text: text + "7,rl_results,more,0.1\n", "posh_table7_rl.csv:5: .*too few cells"),
])
def test_a_broken_file_is_named(copy: Path, change: object, message: str) -> None:
    path = copy / "posh_table7_rl.csv"
    path.write_text(change(path.read_text("utf-8")), "utf-8")  # type: ignore[operator]
    with pytest.raises(InputError, match=message):
        load(copy)


def test_a_missing_file_is_named(copy: Path) -> None:
    (copy / "posh_table7_rl.csv").unlink()
    with pytest.raises(InputError, match=r"posh_table7_rl.csv: cannot be read"):
        load(copy)
