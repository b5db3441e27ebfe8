"""From captions to pages: figures, resumption, the leaderboard's groups, and what a page may not do."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from posh_lite.cli import main
from posh_lite.errors import InputError
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.metric.posh import PoSh
from posh_lite.own.captions import Captions
from posh_lite.own.draw import forest_svg, profile_svg
from posh_lite.own.frame import between, estimate_cell
from posh_lite.own.leaderboard import apart, grouped, page
from posh_lite.own.page import ends, frequent, model_page
from posh_lite.own.record import read_record, read_records, units_of
from posh_lite.own.run import Model, read_model, run_model
from posh_lite.own.store import ScoreStore, key_of
from posh_lite.own.view import said
from posh_lite.records import Pair

REFERENCES = {
    "cat": "A black cat sleeps on a red mat. A lamp stands on the left. The wall is green.",
    "dog": "A brown dog runs on a beach. Two boats lie in the distance. The sky is grey.",
    "boy": "A boy in a blue shirt holds a kite. A girl stands beside him. Behind them is a white house.",
}
GOOD = {
    "cat": "A black cat sleeps on a red mat. A lamp stands on the left. The wall is green. It is a room.",
    "dog": "A brown dog runs on a beach. Two boats lie in the distance. The sky is grey. It is a day.",
    "boy": "A boy in a blue shirt holds a kite. A girl stands beside him. Behind them is a white house. It is fun.",
}
BAD = {
    "cat": "A white cat sleeps on a red mat. Three parrots sit on a chair. It is lovely. What a scene.",
    "dog": "A black dog runs on a beach. A lighthouse stands on a rock. It is lovely. What a scene.",
    "boy": "A boy in a red shirt holds a ball. A tree stands beside him. It is lovely. What a scene.",
}


def captions(texts: dict[str, str], model: str = "m") -> Captions:
    return Captions(tuple(Pair(k, v, REFERENCES[k], model, k) for k, v in texts.items()), "the file")


@pytest.fixture(scope="module")
def posh() -> PoSh:
    return PoSh(progress=False)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory, posh: PoSh) -> tuple[Model, Model]:
    place = tmp_path_factory.mktemp("models")
    first, second = (
        run_model(name, captions(texts), place, posh, progress=False, n_resamples=200, figures=False)
        for name, texts in (("good", GOOD), ("bad", BAD))
    )
    return first, second


def test_figures_are_means_of_the_scores(two: tuple[Model, Model], posh: PoSh) -> None:
    for model, texts in zip(two, (GOOD, BAD), strict=True):
        scores = posh.score_many([(texts[k], REFERENCES[k]) for k in REFERENCES])
        for name in ("mistakes", "omissions", "overall"):
            own = [getattr(s, name) for s in scores]
            found = model.record.figures[name]
            assert found.value == pytest.approx(math.fsum(own) / 3)
            assert min(own) - 1e-9 <= found.low <= found.value <= found.high <= max(own) + 1e-9
            assert (found.n, found.n_units) == (3, 3)
    # by hand: the last of the four sentences is generic in each caption, the first is not
    assert two[0].record.figures["d_tail"].value == 1
    assert two[0].record.figures["g_q4"].value == 1
    assert two[0].record.figures["overall"].value > two[1].record.figures["overall"].value
    assert two[0].record.words == pytest.approx(sum(len(t.split()) for t in GOOD.values()) / 3)


def test_a_model_is_read_back_as_it_was(two: tuple[Model, Model]) -> None:
    for model in two:
        again = read_model(model.place)
        assert again.record == model.record
        assert again.pairs == model.pairs
        assert again.scores == model.scores
        assert [p.sentences for p in again.profiles] == [p.sentences for p in model.profiles]


class Counted:
    """Scores as PoSh does, and stops after some captions as a killed run would."""

    def __init__(self, posh: PoSh, stop: int | None = None) -> None:
        self._posh, self._stop, self.asked = posh, stop, 0

    @property
    def signature(self) -> str:
        return self._posh.signature

    def score_many(self, pairs: list[Pair], *, chunk_size: int) -> Iterator[object]:
        for pair in pairs:
            if self.asked == self._stop:
                raise KeyboardInterrupt
            self.asked += 1
            yield from self._posh.score_many([pair])


def test_a_run_that_was_stopped_scores_only_the_rest(tmp_path: Path, posh: PoSh, two: tuple[Model, Model]) -> None:
    settings = {"progress": False, "n_resamples": 200, "figures": False}
    with pytest.raises(KeyboardInterrupt):
        run_model("good", captions(GOOD), tmp_path, Counted(posh, 2), **settings)  # type: ignore[arg-type]
    assert not (tmp_path / "good" / "model.json").exists()
    path = tmp_path / "good" / "scores.jsonl"
    path.write_bytes(path.read_bytes()[:-30])  # half of the last line is lost
    rest = Counted(posh)
    made = run_model("good", captions(GOOD), tmp_path, rest, **settings)  # type: ignore[arg-type]
    assert rest.asked == 2
    assert made.record.figures == two[0].record.figures
    assert path.read_bytes() == (two[0].place / "scores.jsonl").read_bytes()
    none = Counted(posh)
    run_model("good", captions(GOOD), tmp_path, none, **settings)  # type: ignore[arg-type]
    assert none.asked == 0
    changed = Counted(posh)  # another caption is scored, and nothing of the old one stays
    run_model("good", captions({**GOOD, "cat": BAD["cat"]}), tmp_path, changed, **settings)  # type: ignore[arg-type]
    assert changed.asked == 1
    assert GOOD["cat"] not in path.read_text("utf-8")
    assert len(path.read_text("utf-8").splitlines()) == 3


def test_scores_of_other_settings_are_not_taken_for_these(tmp_path: Path, posh: PoSh) -> None:
    pair = Pair("a", "A cat.", "A dog.")
    assert key_of("one", pair) != key_of("two", pair)
    assert key_of("one", pair) != key_of("one", Pair("a", "A dog.", "A cat."))
    store = ScoreStore(tmp_path / "s.jsonl")
    (score,) = posh.score_many([pair])
    store.put(key_of("one", pair), score)
    store.close()
    again = ScoreStore(tmp_path / "s.jsonl")
    assert key_of("two", pair) not in again
    kept = again.get(key_of("one", pair), pair, score.signature)
    assert kept.components == score.components
    with pytest.raises(InputError, match="damaged"):  # spans that lie outside a shorter text
        again.get(key_of("one", pair), Pair("a", "A", "A dog."), "one")


@pytest.mark.parametrize("line", ["[1]", '{"key": 3}', '{"key": "a"}'])
def test_a_damaged_store_says_which_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(line + '\n{"key": "b", "components": []}\n', "utf-8")
    with pytest.raises(InputError, match=r"s\.jsonl:1"):
        ScoreStore(path)


def test_a_page_says_that_one_score_is_worse_only_beyond_chance(two: tuple[Model, Model]) -> None:
    def said(gaps: tuple[float, ...]) -> str:
        made = (replace(s, mistakes=0.6 + gap, omissions=0.6) for s, gap in zip(two[0].scores, gaps, strict=True))
        return re.sub(r"<[^>]+>", "", model_page(replace(two[0], scores=tuple(made))))

    assert "By these scores it leaves more out than it gets wrong:" in said((0.1, 0.2, 0.3))
    assert "a difference of +0.200 (0.100 to 0.300) on the same captions" in said((0.1, 0.2, 0.3))
    assert "By these scores it gets more wrong than it leaves out:" in said((-0.1, -0.2, -0.3))
    assert "By these scores whether it leaves out more than it gets wrong is open:" in said((-0.2, 0.1, 0.2))


def test_an_undefined_score_has_no_value_and_a_reason(tmp_path: Path, posh: PoSh) -> None:
    nothing = Captions((Pair("1", "Yes.", "No.", "m"),), "the file")
    made = run_model("m", nothing, tmp_path, posh, progress=False, n_resamples=50, figures=False)
    assert math.isnan(made.record.figures["overall"].value)
    assert made.record.n_unscored == 1
    assert made.record.position_by == ""
    assert read_model(made.place).record.n == 1
    assert "nan" not in re.sub(r"<style>.*?</style>", "", model_page(made)).lower()
    assert "nan" not in re.sub(r"<style>.*?</style>", "", page([made.record])).lower()


def test_only_rows_of_one_kind_share_a_table(two: tuple[Model, Model]) -> None:
    a, b = (m.record for m in two)
    assert [[r.name for r in g.rows] for g in grouped([b, a])] == [["good", "bad"]]
    judged = replace(a, name="judged", scores_by=a.scores_by.replace("judge:lexical", "judge:other"))
    other = replace(a, name="other", texts="0" * 12, images=(*a.images[:1], "f" * 12))
    groups = grouped([a, b, judged, other])
    assert [len(g.rows) for g in groups] == [2, 1, 1]
    assert "judge:other" in apart(a, judged)
    assert "1 of its 2 are among the 3 there" in apart(a, other)
    assert apart(a, b) == ""
    text = page([a, b, judged, other])
    assert text.count("Not comparable with the first table") == 2
    assert text.count("<table class=\"sorts\"") == 3


def test_nothing_of_a_record_becomes_markup(two: tuple[Model, Model]) -> None:
    names = ("name", "folder", "references", "texts", "scores_by", "position_by", "captions", "note")
    odd = replace(two[0].record, **dict.fromkeys(names, "<i>&</i>"))
    for told in (page([odd]), model_page(replace(two[0], record=odd))):
        assert "<i>" not in told
        assert "&lt;i&gt;" in told


def test_undefined_rows_come_last(two: tuple[Model, Model]) -> None:
    a, b = (m.record for m in two)
    nothing = Estimate(math.nan, math.nan, math.nan, 0, 0, reason="nothing")
    none = replace(a, name="aaa", figures={**a.figures, "overall": nothing})
    assert [r.name for r in grouped([none, b, a])[0].rows] == ["good", "bad", "aaa"]


def test_a_reason_is_escaped_once_in_a_page_and_not_at_all_elsewhere() -> None:
    odd = Estimate(0.5, math.nan, math.nan, 1, 1, reason="a & b's")
    assert between(odd) == "a & b's"
    assert said(odd) == "0.50"
    assert estimate_cell(odd).count("a &amp; b&#x27;s") == 1


def test_a_record_of_another_form_is_told_and_left_out(tmp_path: Path, two: tuple[Model, Model]) -> None:
    for name, text in (("one", "{}"), ("two", "no json"), ("three", '{"form": 99, "figures": {}, "images": []}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.json").write_text(text, "utf-8")
    (tmp_path / "good").mkdir()
    two[0].record.write(tmp_path / "good")
    found, faults = read_records(tmp_path)
    assert [r.name for r in found] == ["good"]
    assert len(faults) == 3
    with pytest.raises(InputError, match="no such model"):
        read_record(tmp_path / "none")


def test_an_image_with_several_references_is_one_image() -> None:
    pairs = [Pair("1", "x", "one", image="a"), Pair("2", "x", "two", image="a"), Pair("3", "x", "three", image="b")]
    assert units_of(pairs) == ["a", "a", "three"]


def test_worst_and_best_do_not_overlap(two: tuple[Model, Model]) -> None:
    scores = [replace(two[0].scores[0], id=str(i), overall=v) for i, v in enumerate((0.5, 0.9, math.nan, 0.1, 0.7))]
    worst, best = ends(scores, 3)
    assert [s.overall for s in worst] == [0.1, 0.5]
    assert [s.overall for s in best] == [0.9, 0.7]
    assert ends(scores[:1], 3) == ([scores[0]], [])


def test_words_that_fail_often_are_counted_by_caption(two: tuple[Model, Model]) -> None:
    (first,) = [c for c in two[1].scores[0].components if c.text == "white"]
    twice = replace(two[1].scores[0], components=(first, first))
    right = replace(twice, components=(replace(first, score=5.0, present=True),))
    assert frequent([twice, twice, right], "generation") == [("white", 2, 3)]
    assert frequent([twice, right], "generation") == []


def test_drawings_say_what_they_show() -> None:
    some = Estimate(0.5, 0.25, 0.75, 10, 5)
    none = Estimate(math.nan, math.nan, math.nan, 0, 0)
    svg, alt = profile_svg({"s_q1": some, "h_q2": none})
    assert "supported 0.50 (0.25 to 0.75), undefined" in alt
    assert "nan" not in svg
    svg, alt = forest_svg([("<a>", some), ("b", none)], axis="score")
    assert "&lt;a&gt;" in svg
    assert "<a>" not in svg
    assert alt == "score, with intervals: <a> 0.50 (0.25 to 0.75); b undefined."
    assert "nan" not in forest_svg([("b", none)], axis="score")[0]


class Read(HTMLParser):
    """Headings, identifiers, links within the page, and everything that would be fetched."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.levels: list[int] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        if found.get("id"):
            self.ids.append(str(found["id"]))
        if tag == "a":
            self.links.append(str(found.get("href")))
        for name in ("src", "srcset", "data"):
            if found.get(name):
                self.fetched.append(str(found[name]))
        if tag == "link" and not str(found.get("href")).startswith("data:"):
            self.fetched.append(str(found.get("href")))


def test_the_command_makes_pages_that_stand_by_themselves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "models"
    for name, texts in (("good <b>", GOOD), ("bad", BAD)):
        rows = [{"id": k, "generation": v, "reference": REFERENCES[k]} for k, v in texts.items()]
        source = tmp_path / "c.jsonl"
        source.write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
        assert main(["model", str(source), "--name", name, "-o", str(place), "--boot", "50", "--quiet"]) == 0
    assert main(["compare", "good <b>", "bad", "--models", str(place), "--boot", "50", "--quiet"]) == 0
    pages = sorted(place.rglob("*.html"))
    assert [p.relative_to(place).as_posix() for p in pages] == [
        "bad/index.html", "bad/position/index.html", "comparisons/good-b--bad.html", "good-b/index.html",
        "good-b/position/index.html", "index.html",
    ]
    for path in pages:
        text = path.read_text("utf-8")
        read = Read(text)
        assert read.fetched == []
        assert "good <b>" not in text
        assert read.levels[0] == 1
        assert read.levels.count(1) == 1
        assert all(b <= a + 1 for a, b in zip(read.levels, read.levels[1:], strict=False))
        assert len(read.ids) == len(set(read.ids))
        for link in read.links:
            if link.startswith("#"):
                assert link[1:] in read.ids
            else:
                assert (path.parent / link).exists(), link
    assert "good &lt;b&gt;" in (place / "index.html").read_text("utf-8")


@pytest.mark.parametrize(("options", "said"), [
    ([], "which captions?"), (["--name", "x"], "which captions?"), (["--example", "--name", "x"], "belong to a file"),
    (["nowhere.jsonl", "--name", "x"], "no such file"), (["c.jsonl", "--name", "x", "--boot", "0"], "--boot"),
])
def test_what_cannot_be_run_is_told_at_once(
    tmp_path: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model", *options, "-o", str(tmp_path / "models")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "models").exists()


def test_skipped_records_are_counted_on_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, place = tmp_path / "c.jsonl", tmp_path / "models"
    rows = [{"id": "cat", "generation": GOOD["cat"], "reference": REFERENCES["cat"]},
            {"id": "dog", "generation": " ", "reference": REFERENCES["dog"]}]
    source.write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
    assert main(["model", str(source), "--name", "m", "-o", str(place), "--quiet"]) == 2
    assert "--on-error skip" in capsys.readouterr().err
    assert main(["model", str(source), "--name", "m", "-o", str(place), "--quiet", "--on-error", "skip"]) == 0
    assert "1 records could not be used" in (place / "m" / "index.html").read_text("utf-8")
    assert "1 left out" in (place / "index.html").read_text("utf-8")


@pytest.mark.parametrize("given", [{}, {"CAPTIONS": ""}])
def test_make_model_says_what_it_needs(given: dict[str, str]) -> None:
    import shutil
    import subprocess

    if shutil.which("make") is None:
        pytest.skip("no make here")
    root = Path(__file__).parents[1]
    done = subprocess.run(["make", "-C", str(root), "model", *(f"{k}={v}" for k, v in given.items())],
                          capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "usage: make model CAPTIONS=my.jsonl NAME=my-model" in done.stderr


def test_a_model_as_judge_keeps_its_verdicts_beside_the_models(tmp_path: Path) -> None:
    """A real server: what it answered once is not asked again, also where the scores are gone."""
    pytest.importorskip("openai")
    from faulty_server import FaultyServer

    source, place = tmp_path / "c.jsonl", tmp_path / "models"
    source.write_text(json.dumps({"id": "a", "generation": "A red cat.", "reference": "A black cat."}) + "\n", "utf-8")
    with FaultyServer() as server:
        how = ["model", str(source), "--name", "m", "-o", str(place), "--quiet", "--boot", "20", "--judge", "openai:j",
               "--judge-option", f"url={server.url}"]
        assert main(how) == 0
        asked = len(server.asked)
        assert asked > 0
        assert (place / "verdicts.sqlite").exists()
        before = read_record(place / "m")
        (place / "m" / "scores.jsonl").unlink()
        assert main(how) == 0
        assert len(server.asked) == asked
    assert read_record(place / "m").figures == before.figures
    assert "judge:openai" in before.scores_by


def test_an_effect_that_no_draw_moves_is_not_called_certain(two: tuple[Model, Model]) -> None:
    model = two[0]
    still = replace(model.record.figures["d_mid"], value=0.0, low=0.0, high=0.0)
    record = replace(model.record, figures={**model.record.figures, "d_mid": still})
    shown = model_page(replace(model, record=record))
    assert "that is no certainty" in shown
    moved = replace(still, low=-0.1, high=0.2)
    record = replace(model.record, figures={**model.record.figures, "d_mid": moved, "d_tail": moved})
    assert "that is no certainty" not in model_page(replace(model, record=record))
