"""FLEUR's smoothing, worked out by hand and against the published formula, and the row behind a server."""

import math

import pytest
from asked_server import pairs_with_images, says
from faulty_server import FaultyServer, position
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.baselines.fleur import smoothed
from posh_lite.baselines.registry import METRICS, make_metric
from posh_lite.errors import JudgeError


def place(token, **others):
    """A token and its candidates; keyword d8 is the digit 8."""
    found = {name.lstrip("d"): p for name, p in others.items()}
    return token, tuple((text, math.log(p)) for text, p in found.items())


def sure(token):
    return token, ((token, 0.0),)


def test_one_decimal_is_the_mean_over_its_digits():
    positions = [sure("0"), sure("."), place("8", d8=0.6, d9=0.3, d7=0.1), sure("</s>")]
    assert smoothed(positions) == pytest.approx(0.1 * (8 * 0.6 + 9 * 0.3 + 7 * 0.1))


def test_probability_off_the_digits_counts_for_nothing():
    assert smoothed([sure("0"), sure("."), place("5", d5=0.5, x=0.5)]) == pytest.approx(0.25)


def test_a_second_decimal_adds_hundredths():
    positions = [sure("0"), sure("."), place("8", d8=0.9, d7=0.1), place("5", d5=0.5, d0=0.5)]
    assert smoothed(positions) == pytest.approx(0.1 * (8 * 0.9 + 7 * 0.1) + 0.01 * (5 * 0.5))


def test_one_is_read_at_its_leading_digit():
    assert smoothed([place("1", d1=0.7, d0=0.3), sure("."), sure("0")]) == pytest.approx(0.7 + 0.9 * 0.3)
    assert smoothed([place("1", d1=0.7, d0=0.3)]) == pytest.approx(0.7 + 0.9 * 0.3)
    assert smoothed([place("0", d1=0.2, d0=0.8)]) == pytest.approx(0.2)


def test_zero_point_zero_is_read_at_its_second_nought():
    assert smoothed([place("0", d0=0.5, d1=0.5), sure("."), place("0", d0=0.75, d4=0.25)]) == pytest.approx(0.1)


@pytest.mark.parametrize(("positions", "wanted"), [
    ([sure("0"), ("." + "8", ((".8", math.log(0.5)), (".9", math.log(0.25)), ("8", math.log(0.25))))], 0.625),
    ([("0.8", (("0.8", math.log(0.5)), ("1.0", math.log(0.25)), ("0.85", math.log(0.25))))], 0.4 + 0.25 + 0.2125),
    ([sure("0"), sure("."), ("85", (("85", math.log(0.5)), ("9", math.log(0.5))))], 0.425 + 0.45),
    ([sure("Score"), sure(":"), sure(" "), sure("0"), sure("."), place("3", d3=1.0), sure("\n")], 0.3),
    ([sure("\u25810"), sure("."), ("3", (("3", math.log(0.5)), ("\u25814", math.log(0.5))))], 0.35),
    ([sure("."), place("5", d5=1.0)], 0.5),
])
def test_other_ways_of_cutting_the_number_into_tokens(positions, wanted):
    assert smoothed(positions) == pytest.approx(wanted)


@pytest.mark.parametrize("text", ["", "good", "10", "2", "1.5", "0.8 or 0.3", "0.8/1.0", "80%", "-", "3.0", "0,8"])
def test_no_number_on_the_scale_is_missing(text):
    assert smoothed([sure(c) for c in text]) is None


def test_a_digit_without_candidates_is_missing():
    assert smoothed([sure("0"), sure("."), ("8", ())]) is None
    assert smoothed([]) is None


weights = st.lists(st.floats(0.01, 1), min_size=10, max_size=10)


@settings(deadline=None)
@given(weights, weights, st.booleans())
def test_as_the_published_program(first, second, two):
    """Its sums written down again: the most probable digit is the one that the model wrote."""
    one, other = ([w / sum(ws) for w in ws] for ws in (first, second))
    chosen = [str(max(range(10), key=p.__getitem__)) for p in (one, other)]

    def digits(p):
        return tuple((str(d), math.log(p[d])) for d in range(10))

    positions = [sure("0"), sure("."), (chosen[0], digits(one)), *([(chosen[1], digits(other))] if two else [])]
    wanted = sum(0.1 * d * one[d] for d in range(10)) + (sum(0.01 * d * other[d] for d in range(10)) if two else 0)
    assert smoothed(positions) == pytest.approx(min(wanted, 1.0))


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(max_size=4), st.lists(st.tuples(st.text(max_size=4), st.floats(-30, 0)), max_size=4)),
                max_size=6))
def test_nothing_breaks_it(positions):
    found = smoothed([(token, tuple(candidates)) for token, candidates in positions])
    assert found is None or found >= 0


# -- behind a server -------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "POSH_LITE_IMAGES", "POSH_LITE_REPLIES"):
        monkeypatch.delenv(name, raising=False)


def fleur(server, folder, **options):
    pytest.importorskip("openai", reason="the extra openai is not installed")
    return make_metric("fleur", url=server.url, images=folder, backoff=0.002, progress=False, **options)


def rated(token, candidates):
    return says(f"0.{token}", positions=[position("0", {"0": 1.0}), position(".", {".": 1.0}),
                                         position(token, candidates)])


def test_the_row_smooths_what_a_server_says_and_keeps_it(tmp_path):
    pairs = pairs_with_images(tmp_path / "images", 3)
    with FaultyServer(lambda r: rated("8", {"8": 0.5, "9": 0.5})) as server:
        metric = fleur(server, tmp_path / "images", log=tmp_path / "r.sqlite")
        frame = metric.score(pairs)
        body = server.asked[0].body
        assert body["logprobs"] is True and body["top_logprobs"] == 20 and body["max_tokens"] == 16
        again = fleur(server, tmp_path / "images", log=tmp_path / "r.sqlite").score(pairs)
        assert len(server.asked) == 3
    for column in ("mistakes", "omissions", "overall"):
        assert list(frame[column]) == pytest.approx([0.85] * 3)
    assert frame.equals(again)
    assert metric.name == "fleur" and metric.needs == {"image", "server"} and "llava-1.5-13b" in metric.signature


def test_a_server_without_probabilities_is_named_at_the_first_reply(tmp_path):
    pairs = pairs_with_images(tmp_path, 40)
    with FaultyServer(lambda r: says("0.8")) as server:
        with pytest.raises(JudgeError, match="no token probabilities came with the first reply"):
            fleur(server, tmp_path, concurrency=2).score(pairs)
        assert len(server.asked) <= 8


def test_a_rating_that_is_none_is_missing(tmp_path):
    def script(request):
        if request.number == 1:
            return says("great", positions=[position("great", {"great": 1.0})])
        return rated("2", {"2": 1.0})

    with FaultyServer(script) as server:
        metric = fleur(server, tmp_path, concurrency=1)
        with pytest.warns(UserWarning, match="no number from 0.0 to 1.0 in 'great'"):
            frame = metric.score(pairs_with_images(tmp_path, 3))
    assert [math.isnan(x) for x in frame["overall"]] == [False, True, False]


def test_what_it_lacks():
    lines = METRICS["fleur"].lacks()
    assert any("OPENAI_BASE_URL" in x for x in lines) and any("images" in x for x in lines)
    local = METRICS["fleur"].lacks({"model": "transformers:x", "images": "."})
    assert all("torch" in x or "transformers" in x for x in local)
