"""Figures of baselines and arenas: numbers from the data, alt text, long titles."""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd
import pytest

from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.plot_baselines import differences, ranks
from posh_lite.plot_challenge import wrapped


def estimate(value: float) -> Estimate:
    return Estimate(value, value - 0.1, value + 0.1, 10, 5)


def test_differences_say_their_numbers(tmp_path: Path) -> None:
    nothing = estimate(math.nan)
    rows = {"length": {"mistakes": estimate(0.25), "overall": estimate(-0.5)}, "BLEU-4": {"mistakes": nothing}}
    figure = differences(rows, name="gaps", xlabel="difference", base="PoSh", caption="Gaps.", folder=tmp_path)
    assert "mistakes: length +0.25;" in figure.alt
    assert "overall: length -0.50." in figure.alt
    assert "BLEU-4 +" not in figure.alt  # nothing is said where there is no figure
    assert all((tmp_path / name).is_file() for name in figure.files)


def test_no_differences_are_no_figure(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no differences"):
        differences({}, name="gaps", xlabel="x", base="PoSh", caption="", folder=tmp_path)


def test_ranks_are_shaded_by_their_distance(tmp_path: Path) -> None:
    table = pd.DataFrame({"model": ["x", "y", "z"], "gold": [1, 2, 3], "PoSh": [3, 2, 1]})
    figure = ranks(table, name="ranks", caption="Ranks.", folder=tmp_path)
    assert "gold 1, 2, 3; PoSh 3, 2, 1." in figure.alt
    assert figure.svg.count("#ba4b06") == 2  # two ranks as far off as can be
    assert figure.svg.count("#eeeff1") == 4  # and four that are right


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("", ""), ("BLEU-4", "BLEU-4"), ("SGEmbed, spelling only", "SGEmbed,\nspelling only"),
        ("Incomprehensibilities", "Incomprehensibilit…"), ("x" * 40 + " y", "x" * 18 + "…\ny"),
    ],
)  # fmt: skip
def test_long_titles(title: str, shown: str) -> None:
    assert wrapped(title) == shown
