"""The microscope: terms of a caption by hand, changes under edits, verdicts, the record, the page, the command."""

from __future__ import annotations

import csv
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from posh_lite.cli import main
from posh_lite.errors import InputError
from posh_lite.plot_reward import changes, gains, shown
from posh_lite.records import Pair
from posh_lite.reward.edits import Edited, edit, kinds
from posh_lite.reward.microscope import (
    GUARDED,
    LETTER,
    POSH,
    POSH_LETTER,
    SAME,
    TERMS,
    TOTAL,
    Microscope,
    Slide,
    known_of,
    lengths,
    other_sentences,
    verdict,
)
from posh_lite.reward.microscope_effects import binding, effects, table
from posh_lite.reward.microscope_page import counted_middle, page, worked_html
from posh_lite.reward.microscope_record import Record, as_row, load_record, save_record
from posh_lite.reward.microscope_view import diff_html, verdict_table, with_verdict
from posh_lite.reward.settings import VARIANTS

REFERENCE = "A red bed stands by the wall. Two blue chairs face a table. A green lamp hangs above the bed."
CAPTION = (
    "A red bed stands by the wall. Two blue chairs face a table. The room has a window. The mood is calm and inviting."
)
PAIR = Pair("room", CAPTION, REFERENCE)


@pytest.fixture(scope="module")
def slide() -> Slide:
    return Microscope([LETTER, GUARDED]).slide(PAIR, strangers=["A grey cat sits on a mat."])


def test_terms_are_those_computed_by_hand(slide: Slide) -> None:
    base = slide.base
    claims = base.profile.rubric.claims
    total = sum(c.weight for c in claims)
    weight = {c.id: c.weight for c in claims}
    kept = [f.claim for f in base.profile.findings if f.status == "Supported"]
    wrong = [f.claim for f in base.profile.findings if f.status == "Contradicted"]
    # four sentences, so each is a quarter of its own; what is told of bed, wall, chairs and table is the reference's
    assert [s.quartile for s in base.profile.sentences] == [1, 2, 3, 4]
    assert [s.label for s in base.profile.sentences][:2] == ["Supported", "Supported"]
    letter = base.values[LETTER]
    worth = sum(weight[i] for i in kept) - 0.5 * sum(weight[i] for i in wrong)
    assert letter["coverage"] == pytest.approx(worth / total)
    # the evidence of the chairs lies from one full stop to the next
    first, second = CAPTION.index("Two blue"), CAPTION.index("The room")
    chairs = [f.claim for f in base.profile.findings if f.status == "Supported" and f.evidence
              and first <= f.evidence[0] < second]
    fine = [i for i in chairs if claims[i].kind in ("Visual_Detail", "Interaction")]
    assert fine
    assert letter["middle"] == pytest.approx(0.3 * sum(weight[i] for i in fine) / total)
    assert letter["tail"] == pytest.approx(-0.2 * base.genericity[4])
    assert letter["length"] == 0
    assert letter[TOTAL] == pytest.approx(sum(letter[t] for t in TERMS))
    counted = {i for s in base.profile.sentences for i in counted_middle(base, s)}
    assert counted == set(fine)


def test_an_edited_caption_is_scored_as_if_it_had_been_given(slide: Slide) -> None:
    trial = next(t for t in slide.trials if t.edited.name == "swap-attributes")
    assert trial.edited.text.startswith("A blue bed stands by the wall. Two red chairs")
    (fresh,) = Microscope([LETTER, GUARDED]).view([Pair("other", trial.edited.text, REFERENCE)])
    assert fresh.values == trial.view.values
    change = slide.change(trial, LETTER)
    assert change["coverage"] < 0
    assert verdict("fall", change[TOTAL]) == "as it should"


def test_padding_pays_to_the_letter_and_not_with_guards(slide: Slide) -> None:
    by_name = {t.edited.name: t for t in slide.trials}
    # of five sentences the last alone is the fourth quarter: the copy hides the vague one
    assert slide.change(by_name["repeat-end"], LETTER)["tail"] > 0.1
    for name in ("repeat-end", "repeat-middle", "double", "filler-head", "filler-middle", "filler-tail"):
        assert slide.change(by_name[name], GUARDED)[TOTAL] <= SAME, name


def test_posh_charges_an_invention_that_no_claim_is_about(slide: Slide) -> None:
    trial = next(t for t in slide.trials if t.edited.name == "false-tail")
    assert slide.change(trial, POSH)[TOTAL] < 0
    assert slide.change(trial, GUARDED)["coverage"] == 0
    assert set(slide.base.values[POSH]) == {"mistakes", "omissions", TOTAL}


@pytest.mark.parametrize(("should", "change", "said"), [
    ("fall", -0.1, "as it should"), ("fall", 0.0, "unpunished"), ("fall", 0.1, "gamed"), ("not rise", 0.1, "gamed"),
    ("not rise", 0.0, "as it should"), ("not rise", -0.1, "as it should"), ("not fall", -0.1, "wrongly charged"),
    ("not fall", 0.1, "as it should"), ("stay", 0.1, "moved"), ("stay", -0.1, "moved"), ("stay", 0.0, "as it should"),
    ("no matter", 0.1, "as it should"), ("no matter", -0.1, "as it should"),
])  # fmt: skip
def test_verdicts(should: Any, change: float, said: str) -> None:
    assert verdict(should, change) == said


def test_a_reference_without_claims_is_named() -> None:
    with pytest.raises(InputError, match="nothing: the reference gives no claim"):
        Microscope([LETTER], posh=False).view([Pair("nothing", "A dog.", "...")])


def test_lengths_and_strangers() -> None:
    assert lengths("Two dogs, one cat.")["words"] == 4
    assert lengths("Two dogs, one cat.")["characters"] == 18
    assert lengths("") == {"tokens": 0, "words": 0, "characters": 0}
    pairs = [PAIR, Pair("b", "x", "A dog. It barks."), Pair("c", "y", "A dog. It barks.")]
    assert other_sentences(pairs) == {REFERENCE: ("A dog.",), "A dog. It barks.": ("A red bed stands by the wall.",)}


def test_the_best_supported_sentence_comes_first(slide: Slide) -> None:
    known = known_of(slide.base)
    weight = {c.id: c.weight for c in slide.base.profile.rubric.claims}
    told = {s.number: sum(weight[i] for i in s.supported) for s in slide.base.profile.sentences}
    assert list(known.supported) == sorted((n for n, w in told.items() if w), key=lambda n: (-told[n], n))
    assert known.reference == REFERENCE


# -- records --------------------------------------------------------------------------------------------------------


def row(
    unit: str, total: float, *, edit: str = "double", should: str = "not rise", length: int = 100
) -> dict[str, Any]:
    return {"id": unit, "unit": unit, "model": "m", "claims": 2, "sentences": 4,
            "lengths": {"tokens": length, "words": length // 2, "characters": length * 5}, "base": {}, "refused": {},
            "trials": [{"edit": edit, "should": should, "lengths": {}, "change": {LETTER: [total, 0, 0, 0, total]}}]}


def made(*rows: dict[str, Any]) -> Record:
    return Record("made up", "2026-01-01", {LETTER: "x"}, rows)


def test_a_row_holds_figures_and_no_texts(slide: Slide, tmp_path: Path) -> None:
    told = as_row(slide)
    assert not {"chairs", "bed", "cat"} & set(re.findall("[a-z]+", json.dumps(told)))
    assert told["unit"] == as_row(slide)["unit"]
    record = Record("one", "2026-01-01", {LETTER: "a", GUARDED: "b", POSH: "c", POSH_LETTER: "d"}, (told,))
    save_record(tmp_path / "one.json", record)
    assert load_record(tmp_path / "one.json") == record
    for t in slide.trials:
        (e,) = effects(record, LETTER, names=[t.edited.name], n_resamples=10)
        assert e.change.value == pytest.approx(slide.change(t, LETTER)[TOTAL], abs=1e-5)
        assert e.verdict == "too few works"


def test_effects_are_those_computed_by_hand() -> None:
    record = made(row("a", 0.2), row("b", -0.1), row("c", 0.0), row("d", 0.3))
    (e,) = effects(record, LETTER, n_resamples=50)
    assert (e.n, e.raised.value, e.fell.value) == (4, 0.5, 0.25)
    assert e.change.value == pytest.approx(0.1)
    assert e.parts["coverage"] == pytest.approx(0.1)
    assert e.parts[TOTAL] == e.change.value


@pytest.mark.parametrize(("should", "totals", "said"), [
    ("not rise", (0.1, 0.2, 0.3, 0.1), "gamed"), ("not rise", (-0.1, -0.2, -0.3, 0.01), "gains at times"),
    ("not rise", (-0.1, -0.2, -0.3, 0.0), "as it should"), ("fall", (0.0, 0.0, 0.0, 0.0), "not punished"),
    ("fall", (0.1, 0.2, 0.1, 0.2), "gamed"), ("fall", (-0.1, -0.2, -0.1, -0.2), "as it should"),
    ("stay", (0.1, 0.2, 0.1, 0.2), "pays"), ("stay", (-0.1, 0.1, -0.1, 0.1), "no effect on average"),
    ("not fall", (-0.1, -0.1, -0.2, -0.1), "charged"), ("no matter", (0.1, 0.1, 0.2, 0.1), "rises"),
])  # fmt: skip
def test_verdicts_over_captions(should: str, totals: tuple[float, ...], said: str) -> None:
    record = made(*(row(str(n), t, should=should) for n, t in enumerate(totals)))
    (e,) = effects(record, LETTER, n_resamples=200)
    assert e.verdict == said
    assert with_verdict([e], said) == ["say everything twice"]
    assert table(record, LETTER, n_resamples=20).iloc[0]["n"] == 4
    assert said in verdict_table({LETTER: [e]}).iloc[0].to_list()[-1]


def test_an_outcome_that_hangs_on_the_caption_is_counted_apart() -> None:
    record = made(row("a", 0.1, edit="drop-tail"), row("b", 0.2, edit="drop-tail", should="not fall"))
    assert [(e.should, e.n) for e in effects(record, LETTER, n_resamples=5)] == [("not rise", 1), ("not fall", 1)]


def test_the_budget_binds_where_it_is_exceeded() -> None:
    record = made(row("a", 0.0, length=700), row("b", 0.0, length=720))
    # two claims: 512 + 200 = 712 units
    tokens, words, characters = binding(record, VARIANTS[LETTER])
    assert (tokens["bound"], words["bound"], characters["bound"]) == (1, 0, 2)
    assert tokens["longest"] == pytest.approx(720 / 712)


def test_an_unknown_reward_and_a_wrong_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no reward 'posh'"):
        effects(made(), POSH)
    with pytest.raises(InputError, match="microscope_record makes it"):
        load_record(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="no record of the microscope"):
        load_record(tmp_path / "bad.json")


# -- what is shown --------------------------------------------------------------------------------------------------


def test_the_page_is_whole_and_asks_for_nothing(slide: Slide) -> None:
    told = page([slide], {LETTER: "a", GUARDED: "b", POSH: "c"})
    assert not re.search(r"(?:src|href)=|url\(|@import|https?://|fetch\(", told)
    raw = re.search(r'<script type="application/json" id="data">(.*?)</script>', told, re.S)
    assert raw
    data = json.loads(raw[1])
    (caption,) = data["captions"]
    assert caption["text"] == CAPTION
    assert {e["name"] for e in caption["edits"]} | set(caption["refused"]) == set(kinds())
    for e in caption["edits"]:
        text, shift = caption["text"], 0
        for start, end, new in e["changes"]:
            text = text[: start + shift] + new + text[end + shift :]
            shift += len(new) - (end - start)
        assert text == next(t.view.text for t in slide.trials if t.edited.name == e["name"])
        assert set(e["verdicts"]) == {LETTER, GUARDED, POSH}


def test_the_part_with_an_edit_can_be_hidden_where_a_caption_has_none() -> None:
    one = Microscope([LETTER], posh=False).slide(Pair("plain", "A bed.", REFERENCE), names=["drop-tail"])
    assert not one.trials and one.refused
    told = page([one], {LETTER: "a"})
    assert 'id="view" aria-live' in told and ".micro section[hidden]{display:none}" in told


def test_text_of_a_caption_never_becomes_markup() -> None:
    evil = Pair("<b>", "A red bed </script><script>alert(1)</script> & a wall. Two <i>blue</i> chairs.", REFERENCE)
    one = Microscope([LETTER], posh=False).slide(evil, names=["double"])
    told = page([one], {LETTER: "a"})
    assert "alert(1)</script>" not in told
    assert "<i>blue" not in told and "<b>:" not in told
    assert "&lt;i&gt;" in worked_html(one.base)
    assert "<i>" not in diff_html(one.trials[0].edited)


def test_a_diff_shows_what_went_and_what_came() -> None:
    one = edit("swap-attributes", "A red bed. A blue wall.")
    assert isinstance(one, Edited)
    assert diff_html(one).partition('<div class="worked">')[2].removesuffix("</div>") == (
        "<p>A <del>red</del><ins><strong>blue</strong></ins> bed. A <del>blue</del><ins><strong>red</strong></ins>"
        " wall.</p>"
    )


def test_figures_say_their_numbers(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    record = made(row("a", 0.2), row("b", -0.04))
    found = effects(record, LETTER, n_resamples=20)
    titles = {k.name: k.title for k in kinds().values()}
    one = changes(found, titles, name="one", caption="A caption.", folder=tmp_path)
    assert "+.080" in one.svg and "say everything twice +.080" in one.alt
    two = gains({"letter": found}, titles, name="two", caption="A caption.", folder=tmp_path)
    assert ">50<" in two.svg
    with pytest.raises(ValueError, match="different edits"):
        gains({"a": found, "b": []}, titles, name="three", caption="", folder=tmp_path)
    assert [shown(v) for v in (0.0214, -1.5, 0.0, math.nan)] == ["+.021", "−1.500", "0", "–"]


def test_the_command_writes_page_and_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "captions.jsonl"
    source.write_text(json.dumps({"id": "room", "generation": CAPTION, "reference": REFERENCE}) + "\n", "utf-8")
    out = tmp_path / "out"
    only = ["--edits", "--only", "double,swap-attributes", "--no-posh"]
    assert main(["reward", str(source), *only, "-o", str(out)]) == 0
    told = capsys.readouterr().out
    assert "room" in told and "say everything twice: 1 as it should" in told
    assert 'id="edits"' in (out / "index.html").read_text("utf-8")
    rows = list(csv.DictReader((out / "edits.csv").open(encoding="utf-8")))
    assert {r["edit"] for r in rows} == {"double", "swap-attributes"}
    assert {r["reward"] for r in rows} == set(VARIANTS)
    assert main(["reward", str(source), "--no-posh", "--quiet", "-o", str(out)]) == 0
    assert 'id="edits"' not in (out / "index.html").read_text("utf-8")
    parts = {r["part"] for r in csv.DictReader((out / "rewards.csv").open(encoding="utf-8"))}
    assert parts == {*TERMS, TOTAL}


@pytest.mark.parametrize(("more", "said"), [
    (["--only", "double"], "--only is for --edits"), (["--edits", "--only", "tail"], 'no edit "tail"'),
    (["--limit", "0"], "--limit must be at least 1"),
])  # fmt: skip
def test_the_command_says_what_is_wrong(
    more: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "captions.jsonl"
    source.write_text(json.dumps({"id": "room", "generation": CAPTION, "reference": REFERENCE}) + "\n", "utf-8")
    assert main(["reward", str(source), *more, "-o", str(tmp_path / "out")]) == 2
    assert said in capsys.readouterr().err
