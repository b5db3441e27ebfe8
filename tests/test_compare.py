"""Two models held against each other: tests with values by hand and by scipy, and the marks in their captions."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from posh_lite.cli import main
from posh_lite.errors import InputError
from posh_lite.metric.posh import PoSh
from posh_lite.metric.score import Component, Score
from posh_lite.own.captions import Captions
from posh_lite.own.compare import Comparison, as_large, compare, exchanged_effects, holm, signs_of, wilcoxon_p
from posh_lite.own.compare_page import compare_page, failing, left_out, marked, said_p, verdict
from posh_lite.own.run import Model, run_model
from posh_lite.records import Pair

if TYPE_CHECKING:
    from collections.abc import Sequence

N = 15  # more images than are exchanged exhaustively
WORDS = ("cat", "dog", "horse", "boat", "tree", "man", "woman", "lamp", "chair", "house", "bird", "hat", "bell", "rock",
         "fox")


def reference(word: str) -> str:
    return f"A red {word} stands on a table. A blue box lies on the left. The wall is white. A clock hangs above."


def caption(word: str, bad: bool) -> str:
    return f"A green {word} stands on a table. It is lovely. What a scene. So calm." if bad else reference(word)


@pytest.fixture(scope="module")
def posh() -> PoSh:
    return PoSh(progress=False)


def made(place: Path, posh: PoSh, name: str, bad: Sequence[int], words: Sequence[str] = WORDS) -> Model:
    pairs = tuple(Pair(w, caption(w, i in bad), reference(w), name, w) for i, w in enumerate(words))
    return run_model(name, Captions(pairs, "r"), place, posh, progress=False, n_resamples=100, figures=False)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory, posh: PoSh) -> Comparison:
    place = tmp_path_factory.mktemp("models")
    first = made(place, posh, "first", range(3))
    second = made(place, posh, "second", range(1, N))
    return compare(first, second, n_resamples=400)


def test_differences_are_those_of_the_images_that_both_have(found: Comparison) -> None:
    test = found.test("overall")
    gaps = np.array([a.overall - b.overall for a, b in zip(found.first.scores, found.second.scores, strict=True)])
    assert test.difference.value == pytest.approx(gaps.mean())
    assert test.difference.n_units == N
    assert test.difference.low <= test.difference.value <= test.difference.high
    # one image is worse, two are alike, twelve are better
    assert test.share == pytest.approx((12 + 0.5 * 2) / 15)
    assert test.first - test.second == pytest.approx(test.difference.value)
    assert test.p_wilcoxon == pytest.approx(stats.wilcoxon(gaps[np.abs(gaps) > 1e-9]).pvalue)
    assert test.p_permutation < 0.01
    assert test.p_bootstrap < 0.01
    assert test.p_holm >= test.p_permutation
    assert "first is better than second" in verdict(found, test)


def test_no_model_is_better_than_itself(found: Comparison) -> None:
    same = replace(found.first, record=replace(found.first.record, name="same"))
    other = compare(found.first, same, n_resamples=100)
    for test in other.tests:
        assert test.difference.value == pytest.approx(0)
        assert test.p_permutation == 1
        assert not test.p_holm < 1
    assert math.isnan(other.test("overall").p_wilcoxon)
    assert other.test("overall").share == 0.5
    assert "open" in verdict(other, other.test("overall"))
    assert "nan" not in compare_page(other).split("</style>")[1].lower()


def test_the_order_of_the_two_turns_the_sign_alone(found: Comparison) -> None:
    back = compare(found.second, found.first, n_resamples=400)
    for a, b in zip(found.tests, back.tests, strict=True):
        assert a.difference.value == pytest.approx(-b.difference.value, abs=1e-12)
        assert a.difference.low == pytest.approx(-b.difference.high, abs=1e-9)
        assert a.p_permutation == pytest.approx(b.p_permutation)
        assert a.p_bootstrap == pytest.approx(b.p_bootstrap)


def test_only_shared_images_count_whatever_the_order(tmp_path: Path, posh: PoSh, found: Comparison) -> None:
    words = ("owl", *reversed(WORDS[4:10]))
    few = made(tmp_path, posh, "few", range(7), words)
    some = compare(found.first, few, n_resamples=50)
    assert len(some.images) == 6
    for _, (i,), (j,) in some.images:
        assert found.first.pairs[i].reference == few.pairs[j].reference
    assert all(t.exact for t in some.tests)
    # first is perfect on all six, the other bad on all: only the real order and its mirror are as large, 2 of 64
    assert some.test("overall").p_permutation == 2 / 64
    strange = made(tmp_path, posh, "strange", (), ("owl",))
    with pytest.raises(InputError, match=r"no image in common.*--benchmark"):
        compare(found.first, strange)


def test_other_ways_of_scoring_are_refused(found: Comparison) -> None:
    record = replace(found.second.record, scores_by=found.second.record.scores_by.replace("lexical-2", "lexical-9"))
    with pytest.raises(InputError, match="lexical-2"):
        compare(found.first, replace(found.second, record=record))
    lens = replace(found.second, record=replace(found.second.record, position_by="another"))
    other = compare(found.first, lens, n_resamples=50)
    assert [t.quantity for t in other.tests] == ["overall", "mistakes", "omissions"]
    assert "position lenses" in other.why_no_effects
    assert "position lenses" in compare_page(other)


def test_exchanged_effects_are_those_of_exchanged_captions(found: Comparison) -> None:
    """The sums of quarters against an effect that is computed anew from the captions as exchanged."""
    from posh_lite.position.composition import compose
    from posh_lite.position.effects import EFFECTS, diagnose

    a, b = found.first.profiles, found.second.profiles

    def gap(signs: Sequence[float]) -> float:
        left = [replace(x if s > 0 else y, model="a") for s, x, y in zip(signs, a, b, strict=True)]
        right = [replace(y if s > 0 else x, model="b") for s, x, y in zip(signs, a, b, strict=True)]
        one = diagnose([*left, *right], weighted=False, n_resamples=1)
        return one.estimate("a", "d_tail").value - one.estimate("b", "d_tail").value

    counts = [next(iter(compose(p).values())) for p in (a, b)]
    assert counts[0].units == counts[1].units
    order = [[p.unit for p in a].index(u) for u in counts[0].units]  # of the captions, by the rows of the sums
    signs = signs_of(N, 0)[0][:25]
    values = exchanged_effects(counts[0].counts, counts[1].counts, signs[:, order])[:, EFFECTS.index("d_tail")]
    assert values[0] == pytest.approx(found.test("d_tail").difference.value)
    assert values == pytest.approx([gap(row) for row in signs], nan_ok=True)
    assert len(set(np.round(values, 6))) > 1


def test_all_exchanges_are_tried_where_there_are_few() -> None:
    signs, exact = signs_of(3, 0)
    assert exact
    assert signs.shape == (8, 3)
    assert len({tuple(row) for row in signs}) == 8
    assert signs[0].tolist() == [1, 1, 1]
    gaps = np.array([1.0, 2.0, 3.0])
    assert as_large(signs @ gaps) == 2 / 8  # only + + + and - - - reach six
    # sums are 2, 4, 6 and 0, and their mirrors: all but 0 and 0 reach 2
    assert as_large(signs @ np.array([1.0, -2.0, 3.0])) == 6 / 8
    many, exact = signs_of(20, 0)
    assert not exact
    assert many.shape == (10000, 20)
    assert set(np.unique(many)) == {-1.0, 1.0}


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=9))
def test_the_permutation_test_agrees_with_scipy(gaps: list[int]) -> None:
    values = np.array(gaps, dtype=float)
    signs, exact = signs_of(len(values), 0)
    assert exact
    p = as_large(signs @ values)
    theirs = stats.permutation_test((values,), lambda x, axis: x.mean(axis=axis), permutation_type="samples",
                                    n_resamples=np.inf, vectorized=True)
    # scipy doubles the smaller tail; for a symmetric null both are the share of sums at least as large in size
    assert p == pytest.approx(min(1.0, theirs.pvalue))


def test_wilcoxon_leaves_equal_images_out() -> None:
    gaps = np.array([0.0, 1.0, 2.0, -0.5, 3.0, 0.0, 4.0])
    assert wilcoxon_p(gaps) == pytest.approx(stats.wilcoxon(gaps[gaps != 0]).pvalue)
    assert math.isnan(wilcoxon_p(np.zeros(4)))


@pytest.mark.parametrize(("values", "corrected"), [
    ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]), ([0.5], [0.5]), ([0.9, 0.8], [1.0, 1.0]), ([], []),
    ([0.02, math.nan, 0.01], [0.02, math.nan, 0.02]),
])
def test_holm(values: list[float], corrected: list[float]) -> None:
    assert holm(values) == pytest.approx(corrected, nan_ok=True)


# -- marks ------------------------------------------------------------------------------------------------------------


def score(text: str, ref: str, *components: tuple[str, tuple[int, int], float | None]) -> Score:
    made_of = tuple(
        Component(side, "entity", "x", "x", (span,), value, None if value is None else value >= 2, "?")  # type: ignore[arg-type]
        for side, span, value in components
    )
    return Score("1", 0.5, 0.5, 0.5, made_of, text, ref)


def test_a_word_is_marked_where_all_that_it_says_fails() -> None:
    one = score("a red cat", "", ("generation", (2, 5), 1.0), ("generation", (2, 9), 4.0), ("generation", (0, 1), 1.0),
                ("generation", (6, 9), None))
    assert failing(one, "generation") == [True] + [False] * 8


def test_the_reference_tells_who_left_out_what() -> None:
    one = score("x", "abcd", ("reference", (0, 2), 1.0), ("reference", (2, 4), 5.0))
    other = score("y", "abcd", ("reference", (1, 3), 1.0), ("reference", (0, 1), 5.0))
    assert left_out(one, other) == ["first", "both", "second", ""]


def test_marked_text_is_escaped_and_whole() -> None:
    assert marked("<a> & b", ["wrong"] * 3 + [""] * 4) == '<mark class="wrong">&lt;a&gt;</mark> &amp; b'


@given(st.text(max_size=30), st.data())
def test_marks_change_no_text(text: str, data: st.DataObject) -> None:
    marks = data.draw(st.lists(st.sampled_from(["", "wrong", "both"]), min_size=len(text), max_size=len(text)))
    shown = marked(text, marks)  # type: ignore[arg-type]
    for tag in ('<mark class="wrong">', '<mark class="both">', "</mark>"):
        shown = shown.replace(tag, "")
    assert unescape(shown) == text


def test_the_captions_that_differ_most_come_first(found: Comparison) -> None:
    gaps = [abs(g) for _, _, g in found.furthest(5)]
    assert gaps == sorted(gaps, reverse=True)
    assert len(gaps) == 5
    text = compare_page(found, most=2)
    assert text.count("<article>") == 2
    assert "Not borne out:" in text
    assert "Left out by second alone:" in text


@pytest.mark.parametrize(("p", "shown"), [(0.5, "0.500"), (0.0004, "< 0.001"), (math.nan, "–")])
def test_a_p_value_is_never_zero(p: float, shown: str) -> None:
    assert said_p(p) == shown


def test_the_command_names_what_it_lacks(tmp_path: Path, posh: PoSh, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "models"
    for name in ("one", "two"):
        made(place, posh, name, range(2), WORDS[:4])
    assert main(["compare", "one", "twoo", "--models", str(place)]) == 2
    assert "did you mean two?" in capsys.readouterr().err
    assert main(["compare", "one", str(place / "one"), "--models", str(place)]) == 2
    assert "the same model" in capsys.readouterr().err
    assert main(["compare", "one", "two", "--models", str(tmp_path / "none")]) == 2
    assert "there is none yet" in capsys.readouterr().err
    csv = tmp_path / "t.csv"
    page = tmp_path / "p.html"
    assert main(["compare", "one", "two", "--models", str(place), "-o", str(page), "--csv", str(csv)]) == 0
    assert csv.read_text("utf-8").splitlines()[0].startswith("quantity,one,two,difference,low,high")
    assert place.resolve().as_uri() in page.read_text("utf-8")
    (place / "two" / "captions.jsonl").write_text(
        json.dumps({"id": "cat", "generation": "x", "reference": "y"}) + "\n", "utf-8")
    assert main(["compare", "one", "two", "--models", str(place)]) == 2
    assert "run `posh-lite model` again" in capsys.readouterr().err


def test_tables_of_the_chapter_say_what_the_tests_say(found: Comparison) -> None:
    from posh_lite.own.view import leaderboard_table, profile_of, tests_table

    table = tests_table(found)
    assert table[""].tolist() == ["overall", "mistakes", "omissions", "D_mid", "D_tail", "ΔS", "ΔH"]
    assert table["first"][0] == f"{found.test('overall').first:.3f}"
    assert table["Wilcoxon"].tolist()[3:] == ["–"] * 4
    rows = leaderboard_table([found.first.record, found.second.record])
    assert rows["model"].tolist() == ["first", "second"]
    assert rows["overall"][1].startswith(f"{found.second.record.figures['overall'].value:.2f} (")
    quarters = profile_of(found.first.record)
    assert len(quarters) == 4
    assert all(sum(e.value for e in q.values()) == pytest.approx(1) for q in quarters)
