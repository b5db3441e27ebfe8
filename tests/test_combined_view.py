"""How the figures of two judges weighed are told: by hand, and of the records."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from posh_lite.errors import InputError
from posh_lite.evaluation import combined_view
from posh_lite.evaluation.evaluate import Evaluation, MetricRun

RESULTS = Path(__file__).parents[1] / "data" / "results"


def made(name: str, *differences: tuple[str, str, float, float, float]) -> Evaluation:
    rows = [{"metric": "posh-combined", "against": "PoSh", "protocol": "coarse", "subset": "", "dimension": dimension,
             "statistic": statistic, "difference": value, "low": low, "high": high, "n": 10, "n_units": 5}
            for statistic, dimension, value, low, high in differences]  # fmt: skip
    about = {"name": name, "title": name, "gold": "constructed", "note": "", "n_pairs": 10}
    runs = (MetricRun("PoSh", "PoSh"), MetricRun("posh-combined", "posh-combined"))
    return Evaluation(about, {"against": "PoSh"}, runs, pd.DataFrame(), pd.DataFrame(rows), pd.DataFrame())


@pytest.fixture
def mini() -> Evaluation:
    return made("mini", ("spearman", "mistakes", -0.2, -0.3, -0.1), ("spearman", "omissions", 0.1, -0.1, 0.2),
                ("f1_cv", "omissions", 0.04, 0.01, 0.07), ("kendall", "overall", 0.5, 0.4, 0.6))  # fmt: skip


def test_what_is_sure_has_an_interval_beside_zero(mini: Evaluation) -> None:
    assert combined_view.sure(mini) == (["word F1 of omissions"], ["ρ of mistakes"], 3)  # tau is not shown


def test_a_column_a_way_of_weighing_bold_where_it_is_sure(mini: Evaluation) -> None:
    people = made("iiw400", ("spearman", "mistakes", 0.05, -0.1, 0.1))
    table = combined_view.gains_table({"both": {"mini": mini, "iiw400": people}, "omissions alone": {"mini": mini}})
    assert [[cell.replace("\u00a0", " ") for cell in row] for row in table.values.tolist()] == [
        ["mini", "ρ of mistakes", "**−0.20** (−0.30 to −0.10)", "**−0.20** (−0.30 to −0.10)"],
        ["mini", "ρ of omissions", "+0.10 (−0.10 to 0.20)", "+0.10 (−0.10 to 0.20)"],
        ["mini", "word F1 of omissions", "**+0.04** (0.01 to 0.07)", "**+0.04** (0.01 to 0.07)"],
        ["iiw400", "ρ of mistakes", "+0.05 (−0.10 to 0.10)", "–"],
    ]


def test_records_are_read_with_the_known_answers_first(mini: Evaluation, tmp_path: Path) -> None:
    assert combined_view.weighed(tmp_path / "nowhere") == {}
    for name in ("iiw400", "fresh", "mini"):
        replace(mini, about={**mini.about, "name": name}).write(tmp_path / name)
    assert list(combined_view.weighed(tmp_path)) == ["mini", "fresh", "iiw400"]
    (tmp_path / "mini" / "results.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError):
        combined_view.weighed(tmp_path)


def test_the_records_can_be_shown() -> None:
    runs = {way: combined_view.weighed(RESULTS / way) for way in ("combined-minilm", "combined-minilm-reference")}
    table = combined_view.gains_table(runs)
    assert list(table.columns[2:]) == list(runs) and {"mini", "iiw400"} <= set(table["texts"])
