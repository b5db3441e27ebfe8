"""Chance and length, what the baselines share, and what every row that runs here owes to the protocol."""

from __future__ import annotations

import hashlib
import math
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.baselines.figures import Figure, harmonic, signature, single, table, two_sided, undefined
from posh_lite.baselines.registry import METRICS, make_metric
from posh_lite.baselines.simple import LengthMetric, RandomMetric, draw
from posh_lite.metric.protocol import NEEDS, Localizer, Metric
from posh_lite.records import Pair
from posh_lite.text import tokens

#: Rows of this family of metrics that need nothing beyond the tests' own environment.
HERE = ["random", "length", "bleu", "cider", "meteor-stem", "rouge-lsum", "spice-graph", "capture-graph", "4gram-chars",
        "sg-chars"]
OTHERS = ["bleu-coco", "meteor", "meteor-nltk", "spice", "capture", "clipscore", "4gram-embed", "sg-embed"]
REFERENCE = "A man in a red coat leans on a stone wall. His small brown dog sleeps beside him."
ODD = {
    "one word": "Dog", "no verb": "Blue sky", "emoji": "😀 🎨🎨", "right to left": "رجل يرتدي معطفا أحمر",
    "markdown": "## Scene\n\n- **Man**: a red coat\n- *Dog*\n\n| a | b |\n|---|---|\n| 1 | 2 |", "punctuation": "...!?",
    "NUL and CRLF": "A man\x00 sits.\r\nA dog\u00a0lies.", "combining": "Un cafe\u0301 rouge", "bars": "a ||| b |||",
    "space": "  \n ", "empty": "",
}  # fmt: skip


def test_draw_is_the_start_of_the_hash() -> None:
    digest = hashlib.sha256(b"0\0x\0mistakes").digest()
    assert draw(0, "x", "mistakes") == int.from_bytes(digest[:7], "big") / 2**56
    assert 0 <= draw("a") < 1 and draw("a", "b") != draw("ab")


def test_random_depends_on_seed_and_id_alone() -> None:
    pairs = [Pair("a", "A dog.", "A cat."), Pair("b", "A dog.", "A cat.")]
    one, other = RandomMetric().score(pairs), RandomMetric().score(pairs[::-1])
    assert one["mistakes"].tolist() == other["mistakes"].tolist()[::-1]
    assert one["mistakes"][0] != one["mistakes"][1] and one["mistakes"][0] != one["omissions"][0]
    assert RandomMetric(seed=1).score(pairs)["overall"][0] != one["overall"][0]


def test_random_is_the_same_in_another_process() -> None:
    code = "from posh_lite.baselines.simple import draw; print(draw(0, 'x'))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                         env={"PYTHONHASHSEED": "7", "PATH": ""})
    assert float(out.stdout) == draw(0, "x")


def test_random_guesses_each_word_once() -> None:
    text = "**A dog**, two cats."
    place = RandomMetric().locate([Pair("a", text, "")])[0]
    assert [text[a:b] for a, b, _ in place.generation] == ["A", "dog", "two", "cats"]
    assert len({score for *_, score in place.generation}) == 4 and place.reference == ()


def test_random_is_uniform() -> None:
    guesses = RandomMetric().score([Pair(str(n), "a", "b") for n in range(2000)])["overall"]
    assert abs(guesses.mean() - 0.5) < 3 / math.sqrt(12 * 2000)
    assert abs((guesses < 0.1).mean() - 0.1) < 3 * math.sqrt(0.09 / 2000)


def test_length_counts_words_of_the_generation() -> None:
    frame = LengthMetric().score([Pair("a", "Two  dogs\nrun.", "One"), Pair("b", "", "One two")])
    assert frame["overall"].tolist() == [3, 0] == frame["mistakes"].tolist() == frame["omissions"].tolist()


@pytest.mark.parametrize(("a", "b", "mean"), [(1, 1, 1), (0.5, 1, 2 / 3), (0, 1, 0), (0, 0, 0)])
def test_harmonic(a: float, b: float, mean: float) -> None:
    assert harmonic(a, b) == pytest.approx(mean)
    assert math.isnan(harmonic(math.nan, b)) and math.isnan(harmonic(a, math.nan))


def test_two_sided() -> None:
    assert two_sided(0.5, 1.0, by_side=True) == Figure(0.5, 1.0, 2 / 3)
    assert two_sided(0.5, 1.0, by_side=False) == single(2 / 3)
    assert two_sided(0.5, 1.0, by_side=True, overall=0.9).overall == 0.9


def test_table_tells_why_a_figure_is_undefined() -> None:
    frame = table([Pair("a", "", ""), Pair("b", "", "")], [single(1), undefined("nothing to compare")])
    assert frame.columns.tolist() == ["id", "mistakes", "omissions", "overall"]
    assert frame.attrs["undefined"] == {"b": "nothing to compare"} and frame["overall"].isna().tolist() == [False, True]


def test_signature_names_versions_and_settings() -> None:
    found = signature("x", "numpy", "no-such-package", tok="13a")
    assert found.startswith("metric:x|posh-lite:") and "|no-such-package:none|tok:13a" in found and "|numpy:" in found


@pytest.mark.parametrize("name", HERE + OTHERS)
def test_entries(name: str) -> None:
    entry = METRICS[name]
    assert entry.needs <= NEEDS and entry.about and entry.title and entry.family in {
        "simple", "overlap", "graph", "embedding", "vision"}
    assert entry.paper in {"", "Random", "length", "BLEU-4", "CIDER", "METEOR", "ROUGE-LS", "SPICE", "CAPTURE",
                           "CLIPScore", "4GramEmbed", "SGEmbed"}  # fmt: skip


@pytest.mark.parametrize("name", HERE)
def test_rows_that_run_here_keep_the_protocol(name: str) -> None:
    assert METRICS[name].lacks() == []
    metric = make_metric(name)
    assert isinstance(metric, Metric) and metric.needs == METRICS[name].needs
    assert isinstance(metric, Localizer) == METRICS[name].granular
    assert metric.signature.startswith(f"metric:{name}|posh-lite:")  # type: ignore[attr-defined]
    assert " " not in metric.signature  # type: ignore[attr-defined]
    assert metric.name == name


@pytest.mark.parametrize("name", HERE)
def test_odd_texts(name: str) -> None:
    """No crash, a row for each pair, and no perfect figure by emptiness."""
    metric = make_metric(name)
    pairs = [Pair(key, text, REFERENCE) for key, text in ODD.items()]
    pairs += [Pair(f"{key} as reference", REFERENCE, text) for key, text in ODD.items()]
    pairs += [Pair("both empty", "", ""), Pair("both space", " ", "\n")]
    frame = metric.score(pairs)
    assert frame["id"].tolist() == [p.id for p in pairs]
    if name in ("random", "length"):
        return
    values = frame.set_index("id")[["mistakes", "omissions", "overall"]]
    assert not (values.loc[["empty", "space", "both empty", "both space", "empty as reference"]] > 0).any().any()
    assert not (values["overall"] >= 0.999).any()
    for id_ in values.index[values.isna().any(axis=1)]:
        assert frame.attrs["undefined"][id_], f"{id_} is undefined for no stated reason"


@pytest.mark.parametrize("name", [n for n in HERE if n not in ("random", "length", "cider")])
def test_a_text_against_itself_has_the_highest_figure(name: str) -> None:
    texts = [REFERENCE, "Two women hold a large blue vase. Behind them stands a tall tree without leaves."]
    pairs = [Pair(f"{i}{j}", a, b) for i, a in enumerate(texts) for j, b in enumerate(texts)]
    frame = make_metric(name).score(pairs).set_index("id")["overall"]
    highest = {"meteor-stem": 1 - 0.5 / 18**3}.get(name, 1.0)  # METEOR counts one chunk even where nothing is broken
    assert frame["00"] == pytest.approx(highest, abs=1e-6) and frame["11"] == pytest.approx(1, abs=1e-3)
    assert frame["01"] < 0.9 * frame["00"] and frame["10"] < 0.9 * frame["11"]


def test_a_caption_of_fifty_thousand_words() -> None:
    """What compares word by word takes it in stride; graphs take as long as their parser."""
    long = " ".join(f"A {['red', 'blue', 'green'][n % 3]} dog number {n} runs." for n in range(8334))
    pairs = [Pair("long", long, REFERENCE), Pair("short", REFERENCE, REFERENCE.upper())]
    for name in ("random", "length", "bleu", "cider", "meteor-stem", "rouge-lsum", "4gram-chars"):
        frame = make_metric(name).score(pairs)
        assert len(frame) == 2 and math.isfinite(frame["overall"][0]), name


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_spans_lie_in_their_texts(generation: str, reference: str) -> None:
    pair = Pair("x", generation, reference)
    for name in ("random", "4gram-chars"):
        place = make_metric(name).locate([pair])[0]  # type: ignore[attr-defined]
        for text, spans in ((generation, place.generation), (reference, place.reference)):
            edges = {t.start for t in tokens(text)} | {t.end for t in tokens(text)}
            assert all(0 <= a < b <= len(text) and -1 <= s <= 1 and {a, b} <= edges for a, b, s in spans)
