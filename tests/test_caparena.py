"""CapArena's file, checked field by field, and rankings of models by people and by a metric."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from posh_lite.benchmarks.caparena import MANY_PEOPLE, load_caparena
from posh_lite.benchmarks.contract import Benchmark, Comparison
from posh_lite.benchmarks.mini_benchmark import load_mini_arena
from posh_lite.errors import InputError
from posh_lite.evaluation.caparena import arena, arenas
from posh_lite.records import Pair

BATTLES = [
    {"img": "1.jpg", "source1": "A", "source2": "B", "caption1": "a one", "caption2": "b one", "ref": "r one",
     "winner": "A", "cluster": "level 1", "in-400": True, "judge": "Caption 2 is better."},
    {"img": "1.jpg", "source1": "B", "source2": "C", "caption1": "b one", "caption2": "c one", "ref": "r one",
     "winner": "equal", "cluster": "level 2", "in-400": False},
    {"img": "2.jpg", "source1": "human", "source2": "C", "caption1": "r two", "caption2": "c two", "ref": "r two",
     "winner": "human"},
    {"img": "2.jpg", "source1": "C", "source2": "A", "caption1": "c two", "caption2": "a two", "ref": "r two",
     "winner": "A"},
    {"img": "1.jpg", "source1": "A", "source2": "C", "caption1": "another a", "caption2": "c one", "ref": "r one",
     "winner": "C"},
]  # fmt: skip


@pytest.fixture
def annotations(tmp_path):
    path = tmp_path / "caparena_annots_eval.json"
    path.write_text(json.dumps(BATTLES))
    return path


def test_battles_become_pairs_and_comparisons(annotations):
    data = load_caparena(annotations)
    assert (data.gold, data.name, data.citation) == ("people", "caparena", "cheng2025caparena")
    # captions of people are left out; the other caption of A of the first image is a pair of its own
    assert [p.id for p in data.pairs] == ["1.jpg/A", "1.jpg/A#2", "1.jpg/B", "1.jpg/C", "2.jpg/C", "2.jpg/A"]
    assert data.by_id["1.jpg/A#2"].generation == "another a"
    assert {p.model for p in data.pairs} == {"A", "B", "C"}
    assert [(c.unit, c.a, c.b, c.labels["overall"]) for c in data.comparisons] == [
        ("1.jpg", "1.jpg/A", "1.jpg/B", 1), ("1.jpg", "1.jpg/B", "1.jpg/C", 0), ("2.jpg", "2.jpg/C", "2.jpg/A", -1),
        ("1.jpg", "1.jpg/A#2", "1.jpg/C", -1),
    ]  # fmt: skip
    assert data.comparisons[0].tags == {"arena", "level 1", "in 400"}
    assert data.by_id["2.jpg/C"].reference == "r two"


def test_human_captions_can_be_kept(annotations):
    assert len(load_caparena(annotations, keep_human=True).comparisons) == 5


def test_images_with_many_people_from_a_file_beside_or_named(annotations, tmp_path):
    assert not any(MANY_PEOPLE in c.tags for c in load_caparena(annotations).comparisons)
    (tmp_path / "people.json").write_text('{"1.jpg": 2, "2.jpg": 3}')
    assert [MANY_PEOPLE in c.tags for c in load_caparena(annotations).comparisons] == [False, False, True, False]
    (tmp_path / "other.json").write_text('{"1.jpg": 4}')
    found = load_caparena(annotations, people=tmp_path / "other.json").comparisons
    assert [MANY_PEOPLE in c.tags for c in found] == [True, True, False, True]
    (tmp_path / "people.json").write_text('{"1.jpg": "two"}')
    with pytest.raises(InputError, match=r'people.json.*"1.jpg".*number of people'):
        load_caparena(annotations)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"winner": "D"}, 'battle 1: the winner "D"'), ({"ref": ""}, 'battle 1: field "ref"'),
        ({"caption2": None}, 'battle 1: field "caption2"'), ({"source2": "A"}, 'battle 1: "A" battles with itself'),
    ],
)  # fmt: skip
def test_a_battle_of_another_form_is_named(tmp_path, change, said):
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{**BATTLES[0], **change}]))
    with pytest.raises(InputError) as error:
        load_caparena(path)
    assert said in str(error.value)
    assert str(path) in str(error.value)


def test_files_of_another_form_are_named(tmp_path):
    path = tmp_path / "a.json"
    for text, said in (("{}", "expected a list"), ("[", "not JSON"), ("[1]", "battle 1: expected an object"),
                       (json.dumps([BATTLES[2]]), "no battle is left")):  # fmt: skip
        path.write_text(text)
        with pytest.raises(InputError, match=said):
            load_caparena(path)
    row = dict(BATTLES[0])
    del row["img"]
    path.write_text(json.dumps([row]))
    with pytest.raises(InputError, match='field "img" is missing'):
        load_caparena(path)


def test_absent_data_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.delenv("POSH_LITE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(InputError, match=r"put it under POSH_LITE_DATA as caparena/caparena_annots_eval\.json"):
        load_caparena()


MODELS = "ABCDE"


def graded(n_images: int = 12) -> Benchmark:
    """Every model meets every other on every image, and the earlier letter wins but for every fifth, a tie."""
    pairs, battles = [], []
    for image in range(n_images):
        pairs += [Pair(f"{image}/{m}", "text", "reference", model=m) for m in MODELS]
        for number, (a, b) in enumerate(combinations(MODELS, 2)):
            label = 0 if (image + number) % 5 == 0 else 1
            battles.append(Comparison(image, f"{image}/{a}", f"{image}/{b}", {"overall": label}, frozenset({"arena"})))
    return Benchmark("graded", "graded", "constructed", tuple(pairs), tuple(battles))


def frame_of(benchmark: Benchmark, value) -> pd.DataFrame:
    rows = [(p.id, 0.0, 0.0, value(p)) for p in benchmark.pairs]
    return pd.DataFrame(rows, columns=["id", "mistakes", "omissions", "overall"])


def test_a_metric_that_ranks_as_people_do_and_one_that_turns_it_round():
    data = graded()
    for sign, expected in ((1, 1.0), (-1, -1.0)):
        frame = frame_of(data, lambda p, sign=sign: -sign * MODELS.index(p.model))
        found = arena(data, frame, data.comparisons, rounds=50)
        values = {f.statistic: f.estimate.value for f in found.findings}
        assert values["model_spearman"] == pytest.approx(expected)
        assert values["model_kendall"] == pytest.approx(expected)
        assert found.people.models == tuple(MODELS)
        assert [row["model"] for row in found.people.rows("people")] == list(MODELS)
        assert [row["rank"] for row in found.metric.rows("metric")] == [1, 2, 3, 4, 5]
        estimate = found.findings[0].estimate
        assert (estimate.n, estimate.n_units, estimate.n_resamples) == (5, 12, 50)
        assert found.findings[0].detail["battles"] == 120


def test_the_values_are_scipys_on_the_medians():
    data = graded()
    rng = np.random.default_rng(4)
    noise = {p.id: float(rng.normal(0, 2.5)) for p in data.pairs}
    found = arena(data, frame_of(data, lambda p: noise[p.id] - MODELS.index(p.model)), data.comparisons, rounds=60)
    for finding, oracle in zip(found.findings, (stats.spearmanr, stats.kendalltau), strict=False):
        expected = oracle(found.people.elo, found.metric.elo)
        assert finding.estimate.value == pytest.approx(expected.statistic)
        assert finding.p == pytest.approx(expected.pvalue)
        assert finding.estimate.low <= finding.estimate.high


def test_the_metric_calls_as_many_ties_as_people():
    # people: one tie of three; the metric's smallest difference is the last, which it calls a tie
    pairs = tuple(Pair(f"{i}/{m}", "t", "r", model=m) for i in range(3) for m in "AB")
    battles = tuple(
        Comparison(i, f"{i}/A", f"{i}/B", {"overall": label}, frozenset({"arena"})) for i, label in enumerate((0, 1, 1))
    )
    data = Benchmark("b", "b", "constructed", pairs, battles)
    values = {"0/A": 0.9, "0/B": 0.1, "1/A": 0.8, "1/B": 0.2, "2/A": 0.5, "2/B": 0.45}
    found = arena(data, frame_of(data, lambda p: values[p.id]), battles, rounds=40)
    # two wins and a tie each, of which Bradley and Terry make no rating only where one side never wins
    gap = found.metric.bradley_terry[0] - found.metric.bradley_terry[1]
    assert gap == pytest.approx(400 * np.log10(2.5 / 0.5))


def test_a_value_that_is_missing_leaves_its_battles_out():
    data = graded(4)
    frame = frame_of(data, lambda p: float("nan") if p.id == "0/A" else -MODELS.index(p.model))
    found = arena(data, frame, data.comparisons, rounds=20)
    assert (found.people.n, found.metric.n) == (40, 36)


def test_images_with_many_people_have_an_arena_of_their_own():
    data = graded(4)
    more = {MANY_PEOPLE, "level 1"}
    tagged = tuple(replace(c, tags=c.tags | more) if c.unit == 0 else c for c in data.comparisons)
    found = arenas(replace(data, comparisons=tagged), frame_of(data, lambda p: -MODELS.index(p.model)), rounds=20)
    assert [(one.subset, one.people.n) for one in found] == [("", 40), (MANY_PEOPLE, 10)]
    assert arenas(replace(data, comparisons=()), frame_of(data, lambda _: 0.0)) == []


def test_pairs_without_a_model_are_refused():
    data = graded(1)
    nameless = replace(data, pairs=tuple(replace(p, model=None) for p in data.pairs))
    with pytest.raises(InputError, match="names no model"):
        arenas(nameless, frame_of(nameless, lambda _: 0.0))


def test_a_constant_metric_has_no_ranking_but_a_reason():
    data = graded(4)
    found = arena(data, frame_of(data, lambda _: 0.5), data.comparisons, rounds=20)
    assert all(np.isnan(f.estimate.value) for f in found.findings[:2])
    assert all(f.estimate.reason == "all ratings are equal" for f in found.findings[:2])


def test_the_constructed_arena_says_what_it_is():
    data = load_mini_arena()
    assert data.gold == "constructed"
    assert "no model wrote anything" in data.note
    assert {p.model for p in data.pairs} == {"faithful", "terse", "embellisher", "drifter", "confuser", "miscounter"}
    assert {c.labels["overall"] for c in data.comparisons} == {-1, 0, 1}
