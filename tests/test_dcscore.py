"""DCScore: its sums by hand, its replies, and its three stages behind a server."""

import json
import math
import warnings
from fractions import Fraction

import pytest
from asked_server import pairs_with_images, picture_of, says, text_of
from faulty_server import FaultyServer, Reply
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.baselines.dcscore_units import Unit, dcscore, figures, numbered, read_matches, read_truths, read_units
from posh_lite.baselines.registry import METRICS, make_metric
from posh_lite.errors import InputError
from posh_lite.records import Pair

ONE = [Unit("a", True), Unit("b", True), Unit("c", True), Unit("d", True)]


def unit(match, holds, visible=True):
    return Unit("x", visible, match, holds)


def test_figures_by_hand():
    # Five units: two share unit 1 of the reference, and one of them is false; one true unit is extra, one false.
    found = figures([unit(1, True), unit(1, False), unit(2, True), unit(0, True), unit(0, False)], ONE)
    assert found.precision == pytest.approx(3 / 5)
    assert found.recall == pytest.approx((1 / 2 + 1 + 1) / (4 + 1))
    assert found.f1 == pytest.approx(2 * (3 / 5) * (1 / 2) / (3 / 5 + 1 / 2))


def test_the_score_is_the_mean_of_two_f1():
    units = [unit(1, True), unit(2, False), unit(3, True, False), unit(0, False, False)]
    whole, visible, score = dcscore(units, ONE)
    assert (whole.precision, whole.recall) == (2 / 4, 2 / 4)
    assert (visible.precision, visible.recall) == (1 / 2, 1 / 4)
    assert score == pytest.approx((1 / 2 + 1 / 3) / 2)


def test_a_match_with_a_unit_that_is_left_out_is_extra():
    standard = [Unit("a", True), Unit("b", False)]
    _, visible, _ = dcscore([unit(1, True), unit(2, True)], standard)
    assert visible.recall == 1.0  # (1 + 1) / (1 + 1)


def test_nothing_known_and_nothing_true():
    assert math.isnan(figures([], ONE).precision)
    assert math.isnan(figures([Unit("a", True, 1, None), Unit("b", True, None, True)], ONE).f1)
    nothing = figures([unit(1, False)], ONE)
    assert (nothing.precision, nothing.recall, nothing.f1) == (0, 0, 0)


known = st.tuples(st.integers(0, 6), st.booleans())


@settings(deadline=None)
@given(st.lists(known, min_size=1, max_size=12), st.integers(6, 9))
def test_as_the_published_program(answers, many):
    """Its sums written down again, in fractions."""
    shares = {m: Fraction(1, sum(k == m for k, _ in answers)) for m, _ in answers if m}
    correct, total, true = Fraction(0), many, 0
    for match, holds in answers:
        if holds and match == 0:
            correct, total, true = correct + 1, total + 1, true + 1
        elif holds:
            correct, true = correct + shares[match], true + 1
    found = figures([unit(m, h) for m, h in answers], ONE[:1] * many)
    assert found.precision == pytest.approx(true / len(answers))
    assert found.recall == pytest.approx(float(correct / total))
    assert 0 <= found.recall <= 1


# -- replies ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "wanted"), [
    ('[{"statement": "There is a cat 1.", "visible": true}, {"statement": "It is sad.", "visible": false}]',
     [("There is a cat 1.", True), ("It is sad.", False)]),
    ("```json\n[{'statement': 'There is a cat 1.', 'visible': True},]\n```", [("There is a cat 1.", True)]),
    ('{"statements": [{"fact": "There is a cat.", "relevance": 1}, {"fact": "It is sad.", "relevance": 0}]}',
     [("There is a cat.", True), ("It is sad.", False)]),
    ('{"statement": "A."}\n{"statement": "B.", "visible": "maybe"}', [("A.", None), ("B.", None)]),
    ('["A.", "B.", "A."]', [("A.", None), ("B.", None)]),
    ('[{"statement": "A.", "visible": true}, {"statement": "A.", "visible": true}]', [("A.", True)]),
    ('[{"statement": "A sign says "STOP" in red.", "visible": true}]', [('A sign says "STOP" in red.', True)]),
])
def test_units_of_a_reply(text, wanted):
    assert [(u.text, u.visible) for u in read_units(text)] == wanted


@pytest.mark.parametrize("text", ["", "I'm sorry.", "[]", '[{"visible": true}]', '[{"statement": ""}]', '<think>["A"]'])
def test_no_units(text):
    assert read_units(text) is None


def test_a_list_that_was_cut_off_is_no_list():
    text = '[{"statement": "A.", "visible": true}, {"statement": "B'
    assert [u.text for u in read_units(text)] == ["A."]
    assert read_units(text, cut=True) is None


def test_matches_of_a_reply():
    text = ('[{"number": 1, "standard": 2}, {"number": "2", "standard": null}, {"Number": 3, "standard": "None"},'
            ' {"number": 4, "standard": 9}, {"number": 9, "standard": 1}, {"number": 5, "standard": 1},'
            ' {"number": 5, "standard": 2}, {"number": 6, "standard": 1}, {"number": 6, "standard": 1},'
            ' {"standard": 1}, {"number": 7}, {"number": true, "standard": 1}, {"number": 8, "standard": 0}]')
    assert read_matches(text, 8, 3) == {1: 2, 2: 0, 3: 0, 6: 1}


def test_truths_of_a_reply():
    text = ('Here: [{"number": 1, "true": true}, {"number": 2, "true": "No"}, {"number": 3, "verification": 1},'
            ' {"number": 4, "true": "perhaps"}, {"number": 5, "true": true}, {"number": 5, "true": false},'
            ' {"number": 0, "true": true}, {"number": 6, "tr')
    assert read_truths(text, 8, cut=True) == {1: True, 2: False, 3: True}


@settings(deadline=None)
@given(st.text(), st.integers(0, 9), st.integers(0, 9), st.booleans())
def test_nothing_that_a_model_writes_breaks_reading(text, many, standards, cut):
    assert all(1 <= n <= many and 0 <= m <= standards for n, m in read_matches(text, many, standards, cut=cut).items())
    assert all(1 <= n <= many for n in read_truths(text, many, cut=cut))
    assert read_units(text, cut=cut) is None or all(u.text for u in read_units(text))


def test_units_are_shown_a_line_each():
    assert numbered([Unit("A\n2. trick"), Unit("B")]) == "1. A 2. trick\n2. B"


# -- stages ----------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "POSH_LITE_IMAGES", "POSH_LITE_REPLIES"):
        monkeypatch.delenv(name, raising=False)


def model(request):
    """Splits at full stops, matches the same words, and believes whatever does not say red."""
    text = text_of(request)
    if "Split the description" in text:
        rows = text.partition("Description:\n")[2].partition("\n\nReply")[0].split(". ")
        return says(json.dumps([{"statement": r.strip(" ."), "visible": "seems" not in r} for r in rows]))
    lists = {}
    for head in ("First list:", "Standard:", "Statements:"):
        part = text.partition(f"{head}\n")[2].partition("\n\n")[0]
        lists[head] = [line.partition(". ")[2] for line in part.splitlines()]
    if lists["First list:"]:
        place = {s: n for n, s in enumerate(lists["Standard:"], start=1)}
        rows = [{"number": n, "standard": place.get(s)} for n, s in enumerate(lists["First list:"], start=1)]
    else:
        rows = [{"number": n, "true": "red" not in s} for n, s in enumerate(lists["Statements:"], start=1)]
    return says(json.dumps(rows))


PAIR = Pair("p", "There is a cat. The cat is red. The cat seems sad. There is a mat",
            "There is a cat. The cat is black", image="0.png")


def metric_of(server, folder=None, **options):
    pytest.importorskip("openai", reason="the extra openai is not installed")
    return make_metric("dcscore", url=server.url, images=folder, backoff=0.002, progress=False, **options)


def test_a_pair_by_hand(tmp_path):
    folder = tmp_path / "images"
    pairs_with_images(folder, 1)
    with FaultyServer(model) as server:
        metric = metric_of(server, folder, log=tmp_path / "r.sqlite")
        frame = metric.score([PAIR])
        units = metric.units([PAIR])
        assert len(server.asked) == 4  # two lists, one matching, one check
        assert [picture_of(a) is not None for a in server.asked] == [False, False, False, True]
        assert metric_of(server, folder, log=tmp_path / "r.sqlite").score([PAIR]).equals(frame)
        assert len(server.asked) == 4
    # Four units, three true; one matches, two are extra: recall (1 + 2) / (2 + 2). Visible: three, two true, one extra.
    assert list(frame["mistakes"]) == [3 / 4] and list(frame["omissions"]) == [3 / 4]
    visible = 2 * (2 / 3) * (2 / 3) / (4 / 3)
    assert list(frame["overall"]) == pytest.approx([(3 / 4 + visible) / 2])
    assert list(units["side"]) == ["generation"] * 4 + ["reference"] * 2
    assert list(units["match"])[:4] == [1, 0, 0, 0] and list(units["holds"])[:4] == [True, False, True, True]
    assert metric.needs == {"image", "reference", "key", "network"} and metric.name == "dcscore"


def test_by_the_reference_alone_it_is_another_metric():
    with FaultyServer(model) as server:
        metric = metric_of(server, against="reference")
        assert list(metric.score([PAIR])["mistakes"]) == [3 / 4]
        assert all(picture_of(a) is None for a in server.asked)
    assert metric.name == "dcscore-text" and "image" not in metric.needs


def test_trials_are_averaged(tmp_path):
    def script(request):
        if "Statements:" not in text_of(request):
            return model(request)
        holds = request.body["seed"] != 1
        return says(json.dumps([{"number": n, "true": holds} for n in range(1, 5)]))

    with FaultyServer(script) as server:
        metric = metric_of(server, against="reference", trials=2)
        frame = metric.score([PAIR])
        assert [a.body["temperature"] for a in server.asked] == [0, 0, 1, 1, 0.3, 0.3]
    assert list(frame["mistakes"]) == [0.5]  # all true in one, none in the other


def test_one_reference_is_split_once():
    pairs = [Pair(f"p{i}", f"There is a cat. It is number {i}", "There is a cat") for i in range(5)]
    with FaultyServer(model) as server:
        metric_of(server, against="reference").score(pairs)
        assert len(server.asked) == 5 + 1 + 5 + 5


@pytest.mark.parametrize(("stage", "reply", "said"), [
    ("Split the", says("I cannot."), "no units of the generation in 'I cannot.'"),
    ("Split the", says('[{"statement": "A', finish="length"), "cut off: raise most_tokens"),
    ("First list", says("nothing"), "4 of 4 units were not matched or not checked"),
    ("Statements", says('[{"number": 1, "true": true}'), "3 of 4 units"),
    ("Statements", Reply({"error": "overloaded"}, 500), "overloaded"),
])
def test_a_stage_that_fails_makes_the_pair_missing_and_no_other(stage, reply, said):
    other = Pair("q", "There is a dog", "There is a dog")

    def script(request):
        text = text_of(request)
        wrong = stage in text and "cat is red" in text
        return reply if wrong else model(request)

    with FaultyServer(script) as server, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        metric = metric_of(server, against="reference", retries=0)
        frame = metric.score([other, PAIR])
        opened = metric.open([other, PAIR])
    assert frame["overall"][0] == 1.0 and math.isnan(frame["overall"][1])
    assert said in opened[1].fault and metric.n_missing == 1


def test_a_missing_picture_shows_before_anything_is_asked(tmp_path):
    with FaultyServer(model) as server:
        with pytest.raises(InputError, match='pair "p": no image'):
            metric_of(server, tmp_path).score([PAIR])
        assert server.asked == []


def test_settings_and_lacks(tmp_path):
    with FaultyServer(model) as server:
        for options in ({"against": "guess"}, {"trials": 0}, {"most_tokens": 1.5}):
            with pytest.raises(InputError):
                metric_of(server, tmp_path, **options)
    assert len(METRICS["dcscore"].lacks()) == 2
    assert METRICS["dcscore"].lacks({"against": "reference", "url": "http://127.0.0.1:1"}) == []
