"""The heat map: colours that can be read, numbers from the data, alt text."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from challenge_sets import Table, tiny
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.evaluation.challenge import Matrix, challenge
from posh_lite.plot import PALETTE
from posh_lite.plot_challenge import COLUMNS, _luminance, _panels, heat_map, ink, shade


@pytest.fixture(scope="module")
def matrix() -> Matrix:
    return challenge([Table(), Table(name="twin")], sets=[tiny()], n_resamples=50, progress=False)


@settings(deadline=None)
@given(st.floats(0, 1))
def test_every_number_can_be_read(value: float) -> None:
    fill = shade(value)
    light, dark = sorted((_luminance(fill), _luminance(ink(fill))), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


@settings(deadline=None)
@given(st.floats(0, 1), st.floats(0, 1))
def test_the_scale_falls_away_from_guessing(a: float, b: float) -> None:
    if (a - 0.5) * (b - 0.5) > 0 and abs(a - 0.5) < abs(b - 0.5):  # on the same side, b further away
        assert _luminance(shade(a)) >= _luminance(shade(b))


def test_cells_keep_their_colours_on_a_dark_page() -> None:
    light = {pair[0] for pair in PALETTE.values()}
    fills = {shade(k / 100) for k in range(101)} | {shade(math.nan)}
    assert not light & (fills | {ink(f) for f in fills})


@pytest.mark.parametrize(("n", "sizes"), [(1, [1]), (6, [6]), (7, [4, 3]), (10, [5, 5]), (12, [6, 6]), (13, [5, 5, 3])])
def test_panels(n: int, sizes: list[int]) -> None:
    parts = _panels([str(k) for k in range(n)])
    assert [len(p) for p in parts] == sizes
    assert max(sizes) <= COLUMNS


def test_the_figure_says_what_it_shows(matrix: Matrix, tmp_path: Path) -> None:
    figure = heat_map(matrix, "planted", folder=tmp_path)
    assert figure.name == "challenge-planted"
    assert "Swap: table 75, twin 75." in figure.alt
    assert "All mistakes: table 83, twin 83." in figure.alt
    assert all((tmp_path / name).is_file() for name in figure.files)
    assert ">75<" in figure.svg


def test_the_control_is_gray(matrix: Matrix, tmp_path: Path) -> None:
    figure = heat_map(matrix, "copy", folder=tmp_path)
    assert figure.svg.count(shade(math.nan)) == 2  # a cell for each metric
    assert "false alarm" in figure.caption


def test_places_and_chosen_rows(matrix: Matrix, tmp_path: Path) -> None:
    figure = heat_map(matrix, "planted", statistic="place", name="places", metrics=["twin"], folder=tmp_path)
    assert "twin" in figure.alt
    assert "table" not in figure.alt
    with pytest.raises(ValueError, match="no metric has figures"):
        heat_map(matrix, "copy", statistic="place", folder=tmp_path)
