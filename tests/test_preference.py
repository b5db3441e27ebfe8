"""The preference study without a browser: orders, keys, answers, figures by hand."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from posh_lite.cli import main
from posh_lite.errors import InputError
from posh_lite.preference.analysis import analyse
from posh_lite.preference.answers import ANSWERS, read_answers, read_key
from posh_lite.preference.example import example_study
from posh_lite.preference.page import page, read_pictures
from posh_lite.preference.simulate import Habits, simulate, write_answers
from posh_lite.preference.study import ATTENTION, PreferenceStudy, Settings, make_study
from posh_lite.records import Pair, write_jsonl


def captions(images: int = 6, models: str = "ab") -> list[Pair]:
    return [Pair(f"i{n}/{m}", f"caption of {n} in words by {m.upper()}. And more.", f"reference {n}", m, f"i{n}")
            for n in range(images) for m in models]  # fmt: skip


def made(tmp_path: Path, pairs: list[Pair], raters: tuple[str, ...] = ("r1", "r2"), **settings: Any) -> PreferenceStudy:
    study = make_study(pairs, raters, Settings(**settings))
    (tmp_path / "key.json").write_text(json.dumps(study.to_key()), "utf-8")
    return study


def answer(tmp_path: Path, study: PreferenceStudy, rater: str, says: Any) -> Path:
    """A file in which ``says(trial, models from the left)`` gives the places; None leaves a trial open."""
    rows = []
    for t in study.trials[rater]:
        item = study.items[t.item]
        places = says(t, [item.models[k] for k in t.order])
        if places is not None:
            rows.append({"trial": t.code, "places": places, "reason": "", "seconds": 2.0, "at": "2026"})
    path = tmp_path / f"answers-{rater}.json"
    path.write_text(json.dumps({"format": ANSWERS, "study": study.id, "rater": rater, "answers": rows}), "utf-8")
    return path


def prefers(model: str) -> Any:
    return lambda t, models: [1 if m == model else 2 for m in models]


# -- the plan -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("models", ["ab", "abc"])
def test_every_model_stands_equally_often_at_each_position(models: str) -> None:
    study = make_study(captions(12, models), ["r1", "r2", "r3"], Settings(at_once=len(models)))
    for trials in study.trials.values():
        where = Counter((study.items[t.item].models[c], k) for t in trials for k, c in enumerate(t.order))
        assert set(where.values()) == {12 // len(models)}
        assert len(where) == len(models) ** 2
        slots = Counter((c, k) for t in trials for k, c in enumerate(t.order))
        assert len(set(slots.values())) > 1  # the page shows slots, which tell no model
    ways = {tuple(t.item for t in trials) for trials in study.trials.values()}
    assert len(ways) == 3  # an order of its own for each rater


@pytest.mark.parametrize(("models", "at_once"), [("ab", 2), ("abc", 3), ("abcd", 2), ("abcd", 3)])
def test_who_always_takes_the_left_caption_prefers_no_model(models: str, at_once: int, tmp_path: Path) -> None:
    study = made(tmp_path, captions(12, models), ("r1", "r2"), at_once=at_once, task="choose")
    files = [answer(tmp_path, study, r, lambda t, m: [1] + [2] * (len(m) - 1)) for r in study.raters]
    report = analyse(read_answers(files, study), n_resamples=10)
    if at_once == 2:
        assert {w.decided.value for w in report.wins} == {0.5}
    first = Counter(j.first for j in read_answers(files, study).judgments)
    assert len(set(first.values())) == 1
    assert set(first) == set(models)


def test_the_same_seed_gives_the_same_study_and_another_another() -> None:
    one, two = (make_study(captions(), ["r1"], Settings(seed=4)) for _ in range(2))
    assert (one.id, one.to_page()) == (two.id, two.to_page())
    assert make_study(captions(), ["r1"], Settings(seed=5)).id != one.id
    other = captions()
    other[0] = Pair("i0/a", "another text", "reference 0", "a", "i0")
    assert make_study(other, ["r1"], Settings(seed=4)).id != one.id


def test_a_rater_more_leaves_the_others_ways_as_they_are() -> None:
    few, more = (make_study(captions(), raters, Settings()) for raters in (["r1"], ["r1", "r2"]))
    assert few.trials["r1"] == more.trials["r1"]


def test_neither_names_nor_ids_nor_kinds_are_in_the_page() -> None:
    pairs = [Pair(f"{n}/model-{m}", f"text {n}", "r", f"secret-{m}", f"pic{n}") for n in range(6) for m in "xy"]
    study = make_study(pairs, ["r1"], Settings(repeats=2, attention=1))
    written = page(study)
    for word in ("secret", "model-", "pic0", "repeat\"", "attention", "expected"):
        assert word not in written, word
    assert "secret-x" in json.dumps(study.to_key())


def test_repeats_are_turned_and_come_later() -> None:
    study = make_study(captions(12, "abc"), ["r1", "r2"], Settings(at_once=3, repeats=4))
    for trials in study.trials.values():
        first = {t.item: (n, t.order) for n, t in enumerate(trials) if t.kind == "item"}
        again = [(n, t) for n, t in enumerate(trials) if t.kind == "repeat"]
        assert len(again) == 4
        for n, t in again:
            place, order = first[t.item]
            assert n - place >= 4
            assert all(a != b for a, b in zip(t.order, order, strict=True))


def test_an_attention_check_asks_for_the_caption_that_says_so() -> None:
    study = make_study(captions(6), ["r1", "r2"], Settings(attention=2))
    for trials in study.trials.values():
        checks = [t for t in trials if t.kind == "attention"]
        assert len(checks) == 2
        for t in checks:
            texts = [study.items[t.item].captions[k] for k in t.order]
            assert [ATTENTION in text for text in texts].index(True) == t.expected
            assert sum(ATTENTION in text for text in texts) == 1


def test_more_models_than_stand_side_by_side_are_compared_in_all_pairs() -> None:
    study = make_study(captions(3, "abcd"), ["r1"], Settings())
    assert len(study.items) == 3 * 6
    assert Counter(frozenset(i.models) for i in study.items) == dict.fromkeys(
        map(frozenset, ("ab", "ac", "ad", "bc", "bd", "cd")), 3)  # fmt: skip


@pytest.mark.parametrize(("change", "words"), [
    ({"pairs": captions(2, "a")}, "1 model"),
    ({"pairs": [*captions(2), Pair("again", "x", "y", "a", "i0")]}, "two captions of a"),
    ({"pairs": [*captions(2), Pair("i9/z", "x", "y")]}, "has no model"),
    ({"models": ["a", "q"]}, 'no caption of "q"'),
    ({"pairs": [Pair("1/a", "x", "y", "a", "1"), Pair("2/b", "x", "y", "b", "2")]}, "no image has a caption of each"),
    ({"settings": Settings(repeats=3)}, "3 repeats need 9 items"),
    ({"settings": Settings(attention=9)}, "9 attention checks"),
    ({"sample": 7}, "cannot draw 7 of 6"),
    ({"raters": ["r1", "r1"]}, "every rater once"),
])  # fmt: skip
def test_what_cannot_be_a_study_is_said(change: dict[str, Any], words: str) -> None:
    asked: dict[str, Any] = {"pairs": captions(), "raters": ["r1"], "settings": Settings(), **change}
    with pytest.raises(InputError, match=words):
        make_study(asked.pop("pairs"), asked.pop("raters"), asked.pop("settings"), **asked)


def test_hostile_texts_cannot_end_the_block_of_data() -> None:
    evil = "</script><script>alert(1)</script><!--<script>&amp;\u2028\u2029 ]]> \U0001f600"
    study = make_study([Pair("i/a", evil, "r", "a", "i"), Pair("i/b", "<img src=x onerror=alert(1)>", "r", "b", "i")],
                       ["r1"], Settings(question="<b>&Which?</b>"))  # fmt: skip
    written = page(study)
    assert written.count("<script") == 2 and written.count("</script") == 2
    assert "<img src=x" not in written and "<b>&Which" not in written
    data = written.split('id="study">')[1].split("</script>")[0]
    assert json.loads(data)["items"][0]["captions"] == list(study.items[0].captions)
    assert data.isascii() and not set("<>&") & set(data)


# -- pictures -----------------------------------------------------------------------------------------------


def test_pictures_are_told_by_their_bytes_and_stay_in_their_folder(tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "i0.jpg").write_bytes(b"\x89PNG\r\n\x1a\nrest")
    (folder / "i1.png").write_bytes(b"<svg onload=alert(1)>")
    (tmp_path / "i2.png").write_bytes(b"\xff\xd8\xffrest")
    assert read_pictures(folder, ["i0"])["i0"].startswith("data:image/png;base64,")
    with pytest.raises(InputError, match=r"i1\.png: is no PNG"):
        read_pictures(folder, ["i1"])
    with pytest.raises(InputError, match="no picture of"):
        read_pictures(folder, ["../i2"])


# -- answers ------------------------------------------------------------------------------------------------


def test_key_comes_back_as_it_was(tmp_path: Path) -> None:
    study = made(tmp_path, captions(9, "abc"), at_once=3, task="rank", repeats=2, attention=2)
    back = read_key(tmp_path / "key.json")
    assert (back.id, back.trials, back.settings, back.models) == (study.id, study.trials, study.settings, study.models)
    assert [i.models for i in back.items] == [i.models for i in study.items]


@pytest.mark.parametrize(("change", "words", "name"), [
    ({"study": "other"}, 'belongs to study "other"', "study"),
    ({"rater": "r9"}, "no rater 'r9'", "rater"),
    ({"format": "x"}, "is no file of answers", "format"),
    ({"answers": None}, 'field "answers" must be a list', "answers"),
    ({"answers": [{"trial": "99", "places": [1, 2]}]}, "no comparison '99'", "answers[0].trial"),
    ({"answers": [{"trial": "1", "places": [1, 2]}] * 2}, "answered twice", "answers[1].trial"),
    ({"answers": [{"trial": "1", "places": [1]}]}, "2 places are expected", "answers[0].places"),
    ({"answers": [{"trial": "1", "places": [1, 3]}]}, "without a gap", "answers[0].places"),
    ({"answers": [{"trial": "1", "places": [1, True]}]}, "2 places are expected", "answers[0].places"),
    ({"answers": [{"trial": "1", "places": [1, 1]}]}, "allows none", "answers[0].places"),
    ({"answers": [{"trial": "1", "places": [1, 2], "reason": 3}]}, "must be a text", "answers[0].reason"),
    ({"answers": [{"trial": "1", "places": [1, 2], "seconds": "x"}]}, "must be a number", "answers[0].seconds"),
    ({"answers": ["1"]}, "no comparison None", "answers[0].trial"),
    ({"answers": []}, "no answers are left", "answers"),
])  # fmt: skip
def test_faults_of_a_file_are_named(tmp_path: Path, change: dict[str, Any], words: str, name: str) -> None:
    study = made(tmp_path, captions())
    path = tmp_path / "answers.json"
    path.write_text(json.dumps({"format": ANSWERS, "study": study.id, "rater": "r1", "answers": [], **change}), "utf-8")
    with pytest.raises(InputError, match=words) as caught:
        read_answers([path], study)
    assert caught.value.field == name
    assert str(path) in str(caught.value)


def test_a_rater_comes_once_and_a_key_is_no_answer(tmp_path: Path) -> None:
    study = made(tmp_path, captions())
    path = answer(tmp_path, study, "r1", prefers("a"))
    with pytest.raises(InputError, match='answers of rater "r1"'):
        read_answers([path, path], study)
    with pytest.raises(InputError, match="this is the key"):
        read_answers([tmp_path / "key.json"], study)
    with pytest.raises(InputError, match='no rater "q"'):
        read_answers([path], study, without=["q"])


@pytest.mark.parametrize("damage", [
    lambda row: row.pop("settings"), lambda row: row["items"].pop(), lambda row: row["settings"].update(task="guess"),
    lambda row: row["trials"]["r1"][0].update(order=[0, 0]), lambda row: row["trials"]["r1"][0].update(item="x"),
    lambda row: row["items"][0].update(models=["a", "stranger"]), lambda row: row.update(models=None),
])  # fmt: skip
def test_a_damaged_key_is_refused(tmp_path: Path, damage: Any) -> None:
    study = made(tmp_path, captions())
    row = json.loads(json.dumps(study.to_key()))
    damage(row)
    path = tmp_path / "key.json"
    path.write_text(json.dumps(row), "utf-8")
    with pytest.raises(InputError, match=r"key\.json"):
        read_key(path)


# -- figures by hand ----------------------------------------------------------------------------------------


def test_figures_of_two_captions_by_hand(tmp_path: Path) -> None:
    """Rater 1 always prefers a; rater 2 prefers a on images 0, 1, 2, b on 3, 4, and calls 5 a tie."""
    study = made(tmp_path, captions(), ties=True)

    def second(t: Any, models: list[str]) -> list[int]:
        n = int(study.items[t.item].image[1:])
        if n == 5:
            return [1, 1]
        return prefers("a" if n < 3 else "b")(t, models)

    paths = [answer(tmp_path, study, "r1", prefers("a")), answer(tmp_path, study, "r2", second)]
    report = analyse(read_answers(paths, study), n_resamples=200)
    (win,) = report.wins
    assert (win.model, win.against, win.wins, win.losses, win.ties) == ("a", "b", 9, 2, 1)
    assert win.decided.value == win.over_images.value == 9 / 11
    assert win.with_ties.value == 9.5 / 12
    assert (win.decided.low, win.decided.high) == pytest.approx((0.5230, 0.9486), abs=1e-4)  # by Wilson's formula
    first = [(f.model, f.votes, f.rater_low, f.rater_high) for f in report.first]
    assert first == [("a", 9, 3 / 5, 1), ("b", 2, 0, 2 / 5)]
    kappa = report.agreement[0].estimate
    # pairs agree on 3 of 6 images; shares 9/12, 2/12, 1/12: chance 86/144
    assert kappa.value == pytest.approx((3 / 6 - 86 / 144) / (1 - 86 / 144))
    assert (report.n_items, report.n_images, report.n_no_first) == (12, 6, 1)
    assert sum(e.value for e in report.positions) == pytest.approx(1)


def test_figures_of_three_ranked_captions_by_hand(tmp_path: Path) -> None:
    """Both raters always rank a, b, c in this order."""
    study = made(tmp_path, captions(4, "abc"), at_once=3, task="rank")
    order = {"a": 1, "b": 2, "c": 3}
    paths = [answer(tmp_path, study, r, lambda t, models: [order[m] for m in models]) for r in study.raters]
    report = analyse(read_answers(paths, study), n_resamples=50)
    rates = {(w.model, w.against): (w.wins, w.losses) for w in report.wins}
    assert rates == {("a", "b"): (8, 0), ("a", "c"): (8, 0), ("b", "c"): (8, 0), ("a", None): (16, 0),
                     ("b", None): (8, 8), ("c", None): (0, 16)}  # fmt: skip
    alphas = [a for a in report.agreement if "order" in a.measure]
    assert len(alphas) == 3
    assert all("nothing could have disagreed" in a.estimate.reason for a in alphas)


def test_of_captions_that_were_not_chosen_nothing_is_known(tmp_path: Path) -> None:
    study = made(tmp_path, captions(4, "abc"), at_once=3)
    paths = [answer(tmp_path, study, r, prefers("a")) for r in study.raters]
    rates = {(w.model, w.against): (w.wins, w.losses, w.ties) for w in analyse(read_answers(paths, study)).wins}
    assert rates["b", "c"] == (0, 0, 0)
    assert rates["a", None] == (16, 0, 0)


def test_position_repeats_and_checks_by_hand(tmp_path: Path) -> None:
    """Rater 1 always takes the left caption: repeats are turned, so none is answered alike. Rater 2 reads."""
    study = made(tmp_path, captions(), repeats=2, attention=2)

    def reads(t: Any, models: list[str]) -> list[int]:
        return [1 if k == t.expected else 2 for k in range(2)] if t.kind == "attention" else prefers("a")(t, models)

    paths = [answer(tmp_path, study, "r1", lambda t, models: [1, 2]), answer(tmp_path, study, "r2", reads)]
    report = analyse(read_answers(paths, study), n_resamples=50)
    one, two = report.raters
    assert (one.repeats_same, one.repeats, one.leftmost) == (0, 2, 1.0)
    assert (two.repeats_same, two.repeats, two.checks_passed, two.checks) == (2, 2, 2, 2)
    assert (report.repeats.value, report.repeats.n) == (0.5, 4)
    lucky = sum(t.expected == 0 for t in study.trials["r1"] if t.kind == "attention")
    assert report.checks.value == (2 + lucky) / 4
    left = sum(study.items[t.item].models[t.order[0]] == "a" for t in study.trials["r2"] if t.kind == "item")
    assert report.positions[0].value == (6 + left) / 12
    again = analyse(read_answers(paths, study, without=["r1"]), n_resamples=50)
    assert [r.name for r in again.raters] == ["r2"]


def test_open_trials_and_absent_raters_are_counted(tmp_path: Path) -> None:
    study = made(tmp_path, captions(), raters=("r1", "r2", "r3"))
    few = answer(tmp_path, study, "r1", lambda t, models: [1, 2] if int(t.code) <= 2 else None)
    answers = read_answers([few], study)
    assert (answers.open, answers.absent) == ({"r1": 4}, ("r2", "r3"))
    report = analyse(answers, n_resamples=50)
    assert report.n_items == 2
    assert "no task" in report.agreement[0].estimate.reason


def test_simulated_raters_show_what_was_put_into_them(tmp_path: Path) -> None:
    study = made(tmp_path, captions(90), raters=tuple(f"r{n}" for n in range(1, 6)), repeats=20, attention=5)
    pushed = Habits(noise=0.4, left=2.0)
    write_answers(simulate(study, {"a": 0.0, "b": 1.0}, {"r1": pushed, "r2": Habits(careless=1.0)}), tmp_path)
    answers = read_answers(sorted(tmp_path.glob("answers-*.json")), study)
    assert answers.simulated == ("r1", "r2", "r3", "r4", "r5")
    report = analyse(answers, n_resamples=200)
    by_name = {r.name: r for r in report.raters}
    assert by_name["r1"].leftmost > 0.8 > 0.6 > by_name["r3"].leftmost
    assert by_name["r3"].checks_passed == 5
    assert by_name["r3"].repeats_same > by_name["r1"].repeats_same
    assert report.wins[0].with_ties.high < 0.5


# -- the command --------------------------------------------------------------------------------------------


def test_command_makes_and_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, place = tmp_path / "captions.jsonl", tmp_path / "study"
    write_jsonl(source, [p.to_dict() for p in captions(6, "abc")])
    assert main(["preference", "make", str(source), "-o", str(place), "--raters", "2"]) == 0
    study = read_key(place / "key.json")
    assert (study.settings.task, study.settings.at_once, study.raters) == ("rank", 3, ("r1", "r2"))
    files = write_answers(simulate(study, {"a": 0, "b": 1, "c": 2}), place)
    out = tmp_path / "out"
    assert main(["preference", "read", *map(str, files), "-o", str(out), "-n", "50"]) == 0
    assert {p.name for p in out.iterdir()} == {"results.json", "tables.md", "votes.jsonl"}
    found = json.loads((out / "results.json").read_text("utf-8"))
    assert found["study"] == study.id and found["n_items"] == 12
    assert len((out / "votes.jsonl").read_text("utf-8").splitlines()) == 12
    assert "Krippendorff" in capsys.readouterr().out
    # a second study does not put itself in the place of the first key
    assert main(["preference", "make", str(source), "-o", str(place), "--raters", "2"]) == 2
    assert "key of a study already" in capsys.readouterr().err


@pytest.mark.parametrize(("arguments", "words"), [
    (["--raters", "0"], "1 to 1000"), (["--raters", "a/b"], "must consist of"),
    (["--raters", "2", "--images", "nowhere"], "is no folder"), (["--raters", "2", "--at-once", "3"], "2 models"),
])  # fmt: skip
def test_command_says_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    source = tmp_path / "captions.jsonl"
    write_jsonl(source, [p.to_dict() for p in captions(3)])
    assert main(["preference", "make", str(source), "-o", str(tmp_path / "s"), *arguments]) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "s" / "key.json").exists()


def read(folder: Path, files: list[Path], capsys: pytest.CaptureFixture[str]) -> str:
    """What the command says of these files; its results have to be JSON of the standard."""
    capsys.readouterr()
    assert main(["preference", "read", *map(str, files), "-o", str(folder / "out"), "-n", "50"]) == 0
    json.loads((folder / "out" / "results.json").read_text("utf-8"), parse_constant=pytest.fail)
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("images", "raters", "says", "told"),
    [
        (6, ("r1", "r2"), prefers("a"), ["(all ratings are one and the same)", "1.00 (no spread: no interval)"]),
        (1, ("r1", "r2"), prefers("a"), ["2 answers on 1 image by 2 raters", "(all ratings are one and the same)"]),
        (6, ("r1",), lambda t, m: [1, 2], ["by 1 rater;", "(no task with 2 ratings)"]),
        (4, ("r1", "r2"), lambda t, m: [1, 1], ["8 without a single first place", "nothing to show"]),
    ],
)
def test_studies_that_leave_figures_open_say_why(
    images: int, raters: tuple[str, ...], says: Any, told: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = made(tmp_path, captions(images), raters, ties=True)
    said = read(tmp_path, [answer(tmp_path, study, r, says) for r in raters], capsys)
    for words in told:
        assert words in said
    assert "nan" not in said
    assert "Empty" not in said


def test_a_rater_without_any_answer_takes_part_in_no_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = made(tmp_path, captions(4))
    files = [answer(tmp_path, study, "r1", prefers("b")), answer(tmp_path, study, "r2", lambda t, m: None)]
    assert "4 answers on 4 images by 2 raters" in read(tmp_path, files, capsys)
    assert analyse(read_answers(files, study), n_resamples=10).raters[1].open == 4


@pytest.mark.parametrize("seconds", ["Infinity", "NaN", "-5", "true", '"3"', "1e999"])
def test_times_that_are_none_are_refused(seconds: str, tmp_path: Path) -> None:
    study = made(tmp_path, captions(2), ("r1",))
    path = answer(tmp_path, study, "r1", prefers("a"))
    path.write_text(path.read_text("utf-8").replace('"seconds": 2.0', f'"seconds": {seconds}', 1), "utf-8")
    with pytest.raises(InputError, match=r"answers\[0\]: seconds must be a number from 0"):
        read_answers([path], study)


def test_a_reason_with_half_a_character_is_kept_without_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = made(tmp_path, captions(2), ("r1",))
    path = answer(tmp_path, study, "r1", prefers("a"))
    whole = path.read_text("utf-8").replace('"reason": ""', '"reason": "good \\ud83d, \\ud83d\\ude42"')
    path.write_text(whole, "utf-8")
    read(tmp_path, [path], capsys)
    kept = (tmp_path / "out" / "votes.jsonl").read_text("utf-8")
    assert "good \N{REPLACEMENT CHARACTER}, \N{SLIGHTLY SMILING FACE}" in kept


@pytest.mark.parametrize("place", [9, -1, True, "0", 1.0])
def test_a_check_that_asks_for_no_position_is_damage(place: Any, tmp_path: Path) -> None:
    key = made(tmp_path, captions(4), ("r1",), attention=1).to_key()
    trial = next(t for t in key["trials"]["r1"] if t["kind"] == "attention")
    trial["expected"] = place
    (tmp_path / "key.json").write_text(json.dumps(key), "utf-8")
    with pytest.raises(InputError, match=r"trials\.r1\[\d\]"):
        read_key(tmp_path / "key.json")


@pytest.mark.parametrize(
    ("options", "words"),
    [(["--raters", "Ann,ann"], "differ in case alone"), (["--raters", "a,a"], "every rater once"),
     (["--raters", "2", "--question", "  "], "it is empty")],
)  # fmt: skip
def test_make_refuses_what_raters_would_trip_over(
    options: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_jsonl(tmp_path / "c.jsonl", [p.to_dict() for p in captions(2)])
    assert main(["preference", "make", str(tmp_path / "c.jsonl"), "-o", str(tmp_path / "s"), *options]) == 2
    assert words in capsys.readouterr().err
    file = str(tmp_path / "c.jsonl")
    assert main(["preference", "make", file, "-o", file, "--raters", "1"]) == 2
    assert "expected a folder" in capsys.readouterr().err


def test_make_counts_in_words_that_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = [Pair(f"i0/{m}", "the same", "reference", m, "i0") for m in "ab"]
    write_jsonl(tmp_path / "c.jsonl", [p.to_dict() for p in pairs])
    assert main(["preference", "make", str(tmp_path / "c.jsonl"), "-o", str(tmp_path / "s"), "--raters", "1"]) == 0
    said = capsys.readouterr().out
    assert "1 rater, 1 comparison each" in said
    assert "in 1 item two captions have the same text" in said


def test_names_of_models_stay_in_their_cells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = "a\nb|c"
    pairs = [Pair(f"i{n}/{k}", f"text {n} {k}", "reference", name, f"i{n}")
             for n in range(3) for k, name in enumerate((odd, "d"))]  # fmt: skip
    study = made(tmp_path, pairs, ("r1", "r2"))
    read(tmp_path, [answer(tmp_path, study, r, prefers(odd)) for r in ("r1", "r2")], capsys)
    table = [r for r in (tmp_path / "out" / "tables.md").read_text("utf-8").splitlines() if r.startswith("|")]
    assert any(r.startswith("| a b\\|c |") for r in table)
    assert all(r.endswith("|") for r in table)


def test_read_without_a_key_says_where_it_looked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "answers.json").write_text("{}", "utf-8")
    assert main(["preference", "read", str(tmp_path / "answers.json"), "-o", str(tmp_path / "out")]) == 2
    assert "key.json" in capsys.readouterr().err


def test_the_page_in_the_book_is_the_one_that_is_made_now() -> None:
    kept = Path(__file__).parent.parent / "book" / "_static" / "preference-example.html"
    assert kept.read_text("utf-8") == page(example_study()), (
        "renew it: python -m posh_lite.preference.example book/_static/preference-example.html"
    )
