"""Figures of the position lens: drawn from data, light and dark, and told in words that come from the data."""

from __future__ import annotations

import math

import pytest

from posh_lite import plot_position
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.plot import colour
from posh_lite.position.curve import smooth
from posh_lite.position.effects import diagnose
from posh_lite.position.published import printed_profiles
from posh_lite.position.simulate import Coverage, labelled_caption
from posh_lite.position.types import LABELS

NAN = math.nan


def est(value, low=NAN, high=NAN):
    return Estimate(value, low, high, 9, 9)


def part(s, h, g):
    return dict(zip(LABELS, (est(s), est(h), est(g)), strict=True))


@pytest.fixture(autouse=True)
def _figures(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("posh_lite.plot.figures_folder", lambda: tmp_path / "figures")


def test_profiles_say_courses_and_peaks(tmp_path):
    made = plot_position.profiles({
        "captioner": [part(0.6, 0.3, 0.1), part(0.5, 0.45, 0.05), part(0.5, 0.4, 0.1), part(0.3, 0.3, 0.4)],
        "empty end": [part(1, 0, 0), part(1, 0, 0), part(1, 0, 0), part(NAN, NAN, NAN)],
    }, name="profiles", caption="By quartile.")
    assert made.alt == (
        "Shares of sentences by quartile of the caption, a panel a model. captioner: supported 0.60 to 0.30; "
        "contradicted 0.30 to 0.30, most in 2 with 0.45; generic 0.10 to 0.40. empty end: supported 1.00 to undefined; "
        "contradicted 0.00 to undefined; generic 0.00 to undefined."
    )
    assert {p.name for p in (tmp_path / "figures").iterdir()} == set(made.files)


def test_a_name_with_dollar_signs_is_no_formula(tmp_path):
    name = r"a$\foo{$ b$\alpha$"
    plot_position.profiles({name: [part(1, 0, 0), part(0, 1, 0)]}, name="dollars", caption="By place.")
    plot_position.forest({name: {"d_mid": est(0.1), "d_tail": est(0.2)}}, name="dollars-forest", caption="Effects.")
    for figure in ("dollars", "dollars-forest"):
        shown = (tmp_path / "figures" / f"{figure}.svg").read_text("utf-8")
        assert r"\foo{$" in shown and r"$\alpha$" in shown


def test_labels_differ_by_more_than_colour():
    looks = plot_position.LOOKS
    assert set(looks) == set(LABELS)
    for place in range(3):
        assert len({str(looks[label][place]) for label in LABELS}) == 3


def test_the_papers_models_in_light_and_dark(tmp_path):
    made = plot_position.profiles(printed_profiles(), name="six", caption="Table 7.")
    assert "LLaVA-v1.5-7B: supported 0.49 to 0.12; contradicted 0.34 to 0.29, most in 3 with 0.57" in made.alt
    assert "Human ref.: supported 0.90 to 0.92" in made.alt
    dark = (tmp_path / "figures" / "six.dark.svg").read_text("utf-8")
    for role in ("blue", "orange", "purple"):
        assert colour(role) in made.svg and colour(role, dark=True) in dark and colour(role) not in dark


def test_other_numbers_of_parts_are_named():
    made = plot_position.profiles({"m": [part(1, 0, 0)] * 3}, name="thirds", caption="")
    assert "by part of the caption" in made.alt and ">Q1<" not in made.svg


def test_a_forest_has_floors_in_its_words_and_lines():
    made = plot_position.forest(
        {"one": {"d_mid": est(0.1, 0.05, 0.15), "d_tail": est(0.2, 0.1, 0.3)},
         "two": {"d_mid": est(NAN), "d_tail": est(-0.001, -0.02, 0.02)}},
        floors={"person": {"d_mid": est(0.0, -0.01, 0.01), "d_tail": est(NAN)},
                "another writer": {"d_mid": est(0.04), "d_tail": est(0.05, 0.02, 0.08)}},
        name="forest", caption="",
    )
    assert made.alt == (
        "Position effects of models with intervals and floors. floor D_mid of person: 0.00 (-0.01 to 0.01); "
        "floor D_mid of another writer: 0.04; D_mid of one: 0.10 (0.05 to 0.15); D_mid of two: undefined; "
        "floor D_tail of another writer: 0.05 (0.02 to 0.08); D_tail of one: 0.20 (0.10 to 0.30); "
        "D_tail of two: 0.00 (-0.02 to 0.02)."
    )
    for word in ("person", "another writer", "undefined", "D_mid", "D_tail"):
        assert f">{word}<" in made.svg
    with pytest.raises(ValueError, match="4 floors"):
        plot_position.forest({"m": {}}, floors={str(k): {} for k in range(4)}, name="no", caption="")


def test_a_forest_of_a_diagnosis():
    made = diagnose([labelled_caption("SHHG", unit=u) for u in range(3)], n_resamples=20)
    rows = {"model": {q: made.estimate("model", q) for q in ("d_mid", "d_tail", "delta_s")}}
    shown = plot_position.forest(rows, quantities=("d_mid", "d_tail", "delta_s"), name="forest", caption="")
    assert "ΔS of model: -1.00 (-1.00 to -1.00)" in shown.alt and "floors" not in shown.alt


def test_curves_say_ends_and_peaks():
    captions = [labelled_caption("SSHHHSSG" if u % 2 else "SSSHHHSS", unit=u) for u in range(8)]
    made = plot_position.curves(smooth(captions, points=21, n_resamples=40), name="curves", caption="")
    assert "with simultaneous 95% bands" in made.alt and "model: supported 1.00 at the start" in made.alt
    assert "most at 0.5" in made.alt
    bare = plot_position.curves(smooth(captions[:1], points=5), name="bare", caption="")
    assert "nan" not in bare.alt  # one image: no bands, and words without them


def test_coverage_says_what_was_promised():
    rows = [Coverage("m", "d_mid", 0.1, est(0.94, 0.9, 0.97), 0.0, 0.1, 50, 0.95),
            Coverage("m", "d_tail", 0.0, est(NAN), NAN, NAN, 50, 0.95)]
    made = plot_position.coverage(rows, name="coverage", caption="")
    assert made.alt == ("Coverage of intervals that promise 95%, over drawn corpora. m, D_mid 0.10: 0.94 "
                        "(0.90 to 0.97); m, D_tail 0.00: undefined.")
    assert ">promised 95%<" in made.svg


@pytest.mark.parametrize("draw", [
    lambda: plot_position.profiles({}, name="no", caption=""), lambda: plot_position.curves({}, name="no", caption=""),
    lambda: plot_position.forest({}, name="no", caption=""), lambda: plot_position.coverage([], name="no", caption=""),
])
def test_nothing_to_draw_is_said(draw):
    with pytest.raises(ValueError, match=r"no models|no coverage|0 models"):
        draw()
