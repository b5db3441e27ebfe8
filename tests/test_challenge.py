"""The challenge matrix by hand: shares, drops, ties and places; any metric joins, and none stops the others."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from challenge_sets import FIGURES, Table, tiny

from posh_lite.cli import main
from posh_lite.errors import InputError
from posh_lite.evaluation import challenge as module
from posh_lite.evaluation.challenge import Matrix, challenge, default_metrics, read_matrix
from posh_lite.evaluation.challenge_figures import calm_threshold, place_figures
from posh_lite.evaluation.challenge_table import markdown
from posh_lite.evaluation.evaluate_scores import Scored
from posh_lite.evaluation.localisation import WordSet
from posh_lite.metric.protocol import Located
from posh_lite.records import Pair


class Broken:
    name, needs = "broken", frozenset[str]()

    def score(self, pairs: Sequence[Pair]) -> pd.DataFrame:
        raise RuntimeError("no luck")


class Silent(Table):
    """Points at nothing, and says nothing."""

    def __init__(self) -> None:
        super().__init__(dict.fromkeys(FIGURES, math.nan), "silent")


@pytest.fixture(scope="module")
def matrix() -> Matrix:
    return challenge([Table()], sets=[tiny()], n_resamples=200, progress=False)


def test_shares_ties_and_drops_by_hand(matrix: Matrix) -> None:
    spread = 0.25 * 2**0.5  # of 1.0 and 0.5, the two natural texts
    assert matrix.cell("table", "planted", "colour").value == 1.0
    swap = matrix.cell("table", "planted", "swap")
    assert (swap.value, swap.n, swap.n_units) == (0.75, 2, 2)  # one tie, one right
    assert matrix.cell("table", "planted", "swap", "ties").value == 0.5
    assert matrix.cell("table", "planted", "swap", "drop").value == pytest.approx(0.1 / 2 / spread)
    assert matrix.cell("table", "planted", "all").value == pytest.approx((1 + 0.5 + 1) / 3)
    assert matrix.cell("table", "planted", "attachment").value == 0.75
    assert matrix.cell("table", "reworded", "colour").value == 1.0
    assert matrix.cell("table", "planted", "all", "share", "overall").value == pytest.approx(2.5 / 3)


def test_a_control_is_no_mistake(matrix: Matrix) -> None:
    assert matrix.cell("table", "copy", "paraphrase").value == 1.0  # both cost: two false alarms
    everything = matrix.cell("table", "copy", "all")
    assert (everything.value, everything.n) == (0.75, 2)  # the paraphrases are not among the mistakes


def test_relative_to_the_paraphrases_of_the_same_original(matrix: Matrix) -> None:
    relative = matrix.cell("table", "copy", "colour", "relative").value
    assert relative == pytest.approx(0.5 / 0.4)  # u1: the change costs 0.5, its paraphrase 0.4; u2's is not asked
    assert math.isnan(matrix.cell("table", "copy", "paraphrase", "relative").value)


def test_places_by_hand(matrix: Matrix) -> None:
    # "a green room with blue towels": green 2, blue 2, four words 5; changed is green
    one = {name: matrix.cell("table", "planted", "colour", name).value
           for name in ("place", "lowest", "lowest_by_chance")}  # fmt: skip
    assert one == pytest.approx({"place": 4.5 / 5, "lowest": 0.5, "lowest_by_chance": 1 / 6})
    assert matrix.cell("table", "reworded", "colour", "place").value == pytest.approx(0.9)
    assert math.isnan(matrix.cell("table", "copy", "colour", "place").value)  # the same text as under planted


def test_the_threshold_flags_few_words_of_calm_texts() -> None:
    sets = tiny()
    located = [Located(p.id, ((0, 1, 1.0), (2, 7, 3.0)), ()) for p in sets.benchmark.pairs]
    scored = Scored(pd.DataFrame(), located, 5.0, ("generation",), "", 0.0, False)
    # twelve calm words: two score 1, two 3, eight 5; at most half may lie below
    assert calm_threshold(sets, scored, share=0.5) == 5.0
    assert calm_threshold(sets, scored, share=2 / 12) == 3.0
    assert calm_threshold(sets, scored, share=0.05) == 1.0
    blind = Scored(pd.DataFrame(), located, 5.0, ("reference",), "", 0.0, False)
    assert math.isnan(calm_threshold(sets, blind))


def test_place_figures_with_a_threshold() -> None:
    words = WordSet("w", (1.0, 2.0, 2.0, 4.0), (False, True, False, True))
    found = place_figures(words, 2.5)
    assert found["place"] == pytest.approx(0.5 / 4)  # one tie of four comparisons, the others wrong
    assert (found["lowest"], found["hit"], found["alarms"]) == (0.0, 1.0, 1.0)
    assert found["lowest_by_chance"] == 0.5


@pytest.mark.parametrize("errors", [(True, True), (False, False), ()])
def test_places_need_changed_and_unchanged_words(errors: tuple[bool, ...]) -> None:
    assert all(math.isnan(v) for v in place_figures(WordSet("w", (1.0,) * len(errors), errors), 2.0).values())


def test_constant_scores_are_ties_not_skill() -> None:
    found = challenge([Table(dict.fromkeys(FIGURES, 0.7), "flat")], sets=[tiny()], n_resamples=50, progress=False)
    for condition, kind in (("planted", "all"), ("copy", "all"), ("reworded", "colour")):
        assert found.cell("flat", condition, kind).value == 0.5
        assert found.cell("flat", condition, kind, "ties").value == 1.0
        assert found.cell("flat", condition, kind, "drop").value == 0.0
    assert math.isnan(found.cell("flat", "copy", "colour", "relative").value)  # paraphrases cost nothing: no ratio


def test_sums_in_another_order_are_ties() -> None:
    found = challenge([Table({**FIGURES, "u2-swap": 1.0 - 1e-16 * 3}, "order")], sets=[tiny()], n_resamples=50,
                      progress=False)  # fmt: skip
    assert found.cell("order", "planted", "swap", "ties").value == 1.0


def test_a_metric_without_scores_has_no_share_and_says_why() -> None:
    found = challenge([Silent()], sets=[tiny()], n_resamples=50, progress=False)
    share = found.cell("silent", "planted", "colour")
    assert math.isnan(share.value)
    assert share.reason == "the metric gives no scores"
    assert found.runs[0].n_missing == 7


def test_others_go_on_where_one_fails(tmp_path: Path) -> None:
    found = challenge([Broken(), Table(), "no-such-metric"], sets=[tiny()], n_resamples=50, progress=False)
    assert [bool(run.skipped) for run in found.runs] == [True, False, True]
    assert found.runs[0].skipped == "failed with RuntimeError: no luck"
    assert "no metric named" in found.runs[2].skipped
    assert "Not run here: broken" in markdown(found)
    found.write(tmp_path)
    assert read_matrix(tmp_path).runs == found.runs


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"metrics": []}, "no metric"), ({"metrics": ["bleu", "bleu"]}, "twice"),
        ({"metrics": ["bleu"], "options": {"posh": {}}}, "none of the metrics"),
    ],
)  # fmt: skip
def test_wrong_requests(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        challenge(**arguments, sets=[tiny()], progress=False)


def test_a_record_reads_as_it_was_written(matrix: Matrix, tmp_path: Path) -> None:
    path = matrix.write(tmp_path)
    again = read_matrix(tmp_path)
    json.loads(path.read_text("utf-8"), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert again.runs == matrix.runs
    assert again.about == matrix.about
    for name in ("share", "ties", "drop", "place", "hit"):
        a, b = (m.cell("table", "planted", "swap", name) for m in (matrix, again))
        assert b.value == pytest.approx(a.value, rel=1e-5, nan_ok=True)
        assert (b.n, b.n_units) == (a.n, a.n_units)
    assert markdown(again) == markdown(matrix)


@pytest.mark.parametrize("text", ["{}", "[]", '{"cells": [[1]], "columns": ["metric"]}', "no json"])
def test_other_files_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "challenge.json").write_text(text, "utf-8")
    with pytest.raises(InputError, match="not written by posh-lite challenge"):
        read_matrix(tmp_path)
    with pytest.raises(InputError, match="No such file"):
        read_matrix(tmp_path / "none")


def test_the_same_seed_gives_the_same_intervals() -> None:
    one, two = (challenge([Table()], sets=[tiny()], n_resamples=60, seed=3, progress=False) for _ in range(2))
    pd.testing.assert_frame_equal(one.cells, two.cells)


def test_intervals_draw_works(matrix: Matrix) -> None:
    share = matrix.cell("table", "planted", "swap")
    assert (share.low, share.high) == (0.5, 1.0)  # either work may be drawn twice
    assert math.isnan(matrix.cell("table", "planted", "colour").low)  # one work only


OWN = '''
import pandas as pd

class Bag:
    name, needs = "bag", frozenset({"reference"})

    def score(self, pairs):
        shared = [len(set(p.generation.split()) & set(p.reference.split())) for p in pairs]
        return pd.DataFrame({"id": [p.id for p in pairs], "mistakes": shared, "omissions": shared, "overall": shared})
'''


def test_a_metric_of_ones_own_joins_by_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ownmetric_challenge.py").write_text(OWN, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "trial_sets", lambda: [tiny()])
    command = ["challenge", "--metrics", "ownmetric_challenge:Bag,length", "-o", "out", "--resamples", "50"]
    assert main([*command, "--no-figures"]) == 0
    sys.modules.pop("ownmetric_challenge")
    out = capsys.readouterr().out
    assert "| bag |" in out
    found = read_matrix(tmp_path / "out")
    # the words are the same and their places are not: a bag of words cannot tell
    assert found.cell("ownmetric_challenge:Bag", "planted", "swap", "ties").value == 1.0
    assert found.cell("ownmetric_challenge:Bag", "planted", "swap").value == 0.5
    assert found.cell("ownmetric_challenge:Bag", "planted", "colour").value == 1.0
    assert not any(run.cached for run in found.runs)
    assert main([*command, "--no-figures", "--quiet"]) == 0
    sys.modules.pop("ownmetric_challenge")
    assert all(run.cached for run in read_matrix(tmp_path / "out").runs)
    assert "tiny set" in (tmp_path / "out" / "matrix.md").read_text("utf-8")


def test_no_metric_that_runs_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "trial_sets", lambda: [tiny()])
    assert main(["challenge", "--metrics", "asked", "-o", str(tmp_path), "--quiet", "--no-figures"]) == 1


def test_the_command_refuses_what_cannot_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    assert main(["challenge", "-o", str(tmp_path / "file")]) == 2
    assert main(["challenge", "-o", str(tmp_path), "--resamples", "0"]) == 2
    assert "--resamples must be at least 1" in capsys.readouterr().err


def test_the_example_forgets_order() -> None:
    sys.path.insert(0, str(Path(__file__).parents[1]))
    try:
        from examples.bag_of_words import BagOfWords
    finally:
        sys.path.pop(0)
    found = challenge([BagOfWords()], sets=[tiny()], n_resamples=50, progress=False)
    assert found.cell("bag of words", "planted", "swap", "ties").value == 1.0
    assert found.cell("bag of words", "planted", "colour").value == 1.0
    assert BagOfWords().score([Pair("e", "", "")])["overall"].tolist() == [0.0]


def test_what_runs_by_default_needs_no_service() -> None:
    names = default_metrics()
    assert {"posh", "random", "length"} <= set(names)
    assert not {"gpt4o-reference", "clipscore", "qwen3-32b"} & set(names)
