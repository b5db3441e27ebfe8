"""Audits: sampling sheets, answers, residual labels, diversity of tails, win rates and first choices."""

from __future__ import annotations

import csv
import dataclasses
import math
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posh_lite.errors import InputError
from posh_lite.position.audit_run import write_audits
from posh_lite.position.audits import Answered, corrected, join, read_sheet, residual_audit, sheet_kappa, tally
from posh_lite.position.diversity import (
    Tail,
    distinct,
    distinct_by_caption,
    diversity,
    ngrams,
    self_bleu,
    tails,
)
from posh_lite.position.effects import diagnose
from posh_lite.position.sheets import (
    RESIDUAL_ANSWERS,
    AuditItem,
    read_key,
    sample_claims,
    sample_sentences,
    write_sheet,
)
from posh_lite.position.simulate import labelled_caption
from posh_lite.position.types import Claim, Rubric
from posh_lite.position.winrate import (
    Duel,
    Vote,
    first_choices,
    wilson,
    win_rate,
    win_rate_over_images,
)


def profiles(n=12, models=("x", "y"), labels="SHSHSHGH"):
    return [labelled_caption(labels, unit=f"image {u}", model=m) for u in range(n) for m in models]


# -- sheets -------------------------------------------------------------------------------------------------


def test_sentences_are_drawn_evenly_over_models_and_quartiles():
    items = sample_sentences(profiles(), "Contradicted", 16, seed=3)
    assert len({i.code for i in items}) == 16
    assert Counter((i.model, i.quartile) for i in items) == {(m, q): 2 for m in "xy" for q in (1, 2, 3, 4)}
    assert all("is contradicted" in i.statement for i in items)
    assert len({(i.model, i.caption, i.statement) for i in items}) == 16  # none twice


def test_what_a_stratum_lacks_others_give():
    few = [labelled_caption("HSSSSSSS", unit=1, model="x"), *profiles(8, models=("y",))]
    items = sample_sentences(few, "Contradicted", 9, seed=0)
    assert Counter(i.model for i in items) == {"x": 1, "y": 8}
    assert len(sample_sentences(few, "Contradicted", 1000)) == 1 + 8 * 4


def test_the_draw_depends_on_the_seed_and_not_on_the_order():
    one = sample_sentences(profiles(), "Contradicted", 10, seed=1)
    assert sample_sentences(profiles()[::-1], "Contradicted", 10, seed=1) == one
    assert sample_sentences(profiles(), "Contradicted", 10, seed=2) != one


def test_the_order_of_a_sheet_does_not_tell_the_system():
    items = sample_sentences(profiles(40), "Contradicted", 100, seed=5)
    runs = 1 + sum(a.model != b.model for a, b in pairwise(items))
    assert 35 < runs < 66  # 51 expected of a shuffle; sorted sheets have 2, alternating ones 100


def test_generic_sentences_of_the_last_quartile():
    items = sample_sentences(profiles(), "Generic", 10, quartiles=(4,))
    assert {i.quartile for i in items} == {4} and len(items) == 10


def test_claims_are_drawn_over_dimensions():
    rubric = Rubric("", tuple(
        Claim(k, f"Claim {k}.", kind, 1.0, "") for k, kind in enumerate(("Entity", "Visual_Detail", "Interaction"))
    ), "by hand")
    made = []
    for profile in profiles(4, labels="SSSG"):
        sentences = tuple(dataclasses.replace(s, supported=(k,) if k < 3 else (2,))
                          for k, s in enumerate(profile.sentences))
        made.append(dataclasses.replace(profile, rubric=rubric, sentences=sentences))
    items = sample_claims(made, 6, seed=1)
    assert Counter(i.stratum.split(", ")[1] for i in items) == {"Entity": 2, "Visual_Detail": 2, "Interaction": 2}
    # claim 2 has evidence in two sentences of each caption and is counted once
    assert len(sample_claims(made, 999)) == 8 * 3


@pytest.mark.parametrize("ask", [lambda: sample_sentences(profiles(), "Contradicted", 0),
                                 lambda: sample_sentences(profiles(labels="SSSS"), "Generic", 5),
                                 lambda: sample_claims(profiles(), 5)])
def test_nothing_to_draw_is_said(ask):
    with pytest.raises(ValueError, match=r"sheet of 0 lines|no Generic sentence|no supported claim"):
        ask()


def test_a_sheet_of_no_lines_is_not_taken_for_nothing_to_draw(tmp_path):
    with pytest.raises(ValueError, match="a sheet of 0 lines"):
        write_audits(profiles(), tmp_path, 0)


def sheet_of(items, folder, **settings):
    write_sheet(items, folder, **settings)
    return [(folder / name).read_text("utf-8") for name in ("sheet.csv", "key.csv", "sheet.html")]


def test_sheets_are_blind_and_keys_are_not(tmp_path):
    items = sample_sentences(profiles(models=("model-alpha", "model-beta")), "Contradicted", 8)
    sheet, key, page = sheet_of(items, tmp_path / "audit", images={"image 1": "pictures/1.jpg"})
    for text in (sheet, page):
        assert "model-" not in text and "uartile" not in text and "Contradicted" not in text
        assert all(i.statement in text and i.image in text for i in items)
    assert "model-alpha" in key and read_key(tmp_path / "audit" / "key.csv") == items
    assert page.count("<article") == 8 and 'alt="The image image 1"' in page


def test_a_filled_sheet_is_not_overwritten(tmp_path):
    items = sample_sentences(profiles(), "Contradicted", 2)
    write_sheet(items, tmp_path)
    with pytest.raises(FileExistsError, match="perhaps filled in"):
        write_sheet(items, tmp_path)
    with pytest.raises(ValueError, match="without lines"):
        write_sheet([], tmp_path)
    with pytest.raises(ValueError, match="comes twice"):
        write_sheet(items + items, tmp_path / "other")


def test_statements_cannot_break_the_page_or_the_table(tmp_path):
    text = '<script>alert("x")</script>, "a"\nand é 🎨'
    item = AuditItem("1", "<b>", text, "m", "c", 4, "s")
    sheet, _, page = sheet_of([item], tmp_path, answers=("<i>", "b"), images={"<b>": '"onerror="x'})
    assert "<script>" not in page and 'src="&quot;onerror' in page and "<i>" not in page
    assert next(iter(csv.DictReader(sheet.splitlines(keepends=True))))["statement"] == text
    assert read_key(tmp_path / "key.csv") == [item]


def fill(folder, name, said):
    with (folder / "sheet.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    path = folder / name
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "answer": said(place)} for place, row in enumerate(rows))
    return path


def test_answers_come_back_joined_with_the_key(tmp_path):
    items = sample_sentences(profiles(), "Contradicted", 4, seed=2)
    write_sheet(items, tmp_path)
    one = read_sheet(fill(tmp_path, "one.csv", lambda k: ["Confirmed", " incorrect", "", "ambiguous"][k]))
    two = read_sheet(fill(tmp_path, "two.csv", lambda k: ["confirmed", "ambiguous", "incorrect", "ambiguous"][k]))
    assert list(one.values()) == ["confirmed", "incorrect", None, "ambiguous"]
    rows = join(items, [one, two], decided={items[1].code: "incorrect"})
    assert [r.answer for r in rows] == ["confirmed", "incorrect", None, "ambiguous"]
    assert [r.item for r in rows] == items
    assert {k: v.value for k, v in tally(rows).items()} == {
        "confirmed": 1 / 3, "incorrect": 1 / 3, "ambiguous": 1 / 3}
    assert tally(rows)["confirmed"].n_dropped == 1
    # of the three lines that both filled two agree; by chance (1 + 0 + 2) / 9
    kappa = sheet_kappa(one, two, items, n_resamples=20)
    assert kappa.value == pytest.approx((2 / 3 - 3 / 9) / (1 - 3 / 9)) and kappa.n_dropped == 1


def test_broken_sheets_are_named(tmp_path):
    path = tmp_path / "one.csv"
    for text, said in [("code,answer\n1,perhaps\n", r'one.csv:2: answer "perhaps" is none of confirmed'),
                       ("code,answer\n1,\n1,\n", r'one.csv:3: code "1" comes twice'),
                       ("code,reply\n1,confirmed\n", r'one.csv:1: no column "answer"'),
                       ("", 'no column "code"')]:
        path.write_text(text, "utf-8")
        with pytest.raises(InputError, match=said):
            read_sheet(path)
    path.write_text("\ufeffcode,answer\n1,confirmed\n", "utf-8")  # as spreadsheets save it
    assert read_sheet(path) == {"1": "confirmed"}
    item = AuditItem("1", "i", "s", "m", "c", 4, "t")
    with pytest.raises(ValueError, match='code "9", which the key lacks'):
        join([item], [{"9": None}])
    with pytest.raises(ValueError, match="no sheets"):
        join([item], [])


def test_the_shares_of_table_14():
    from posh_lite import paper

    for row in paper.table("position:14").itertuples():
        assert round(100 * wilson(int(row.count), int(row.of)).value, 1) == row.share


def answered(model, answer, n, start=0):
    return [Answered(AuditItem(f"{model}{answer}{k}", f"image {start + k}", "", model, "", 4, ""), answer)
            for k in range(n)]


def test_table_16_is_reproduced_from_its_counts():
    """Of about 100 sentences a system, the printed shares give the printed differences, and intervals near to those."""
    from posh_lite import paper

    published = paper.table("position:16").set_index("category")
    names = dict(zip(RESIDUAL_ANSWERS, published.index, strict=False))
    counts = {"Base": (88, 8, 4), "PAGER": (81, 14, 5)}
    rows = []
    for model, numbers in counts.items():
        at = 0 if model == "Base" else 60  # some images have sentences of both
        for answer, n in zip(RESIDUAL_ANSWERS, numbers, strict=True):
            rows += answered(model, answer, n, at)
            at += n
    made = residual_audit(rows, "Base", "PAGER", RESIDUAL_ANSWERS, n_resamples=1000)
    for row in made:
        printed = published.loc[names[row.category]]
        assert 100 * row.first.value == pytest.approx(float(printed.base))
        assert 100 * row.difference.value == pytest.approx(float(printed.difference))
        assert 100 * row.difference.low == pytest.approx(float(printed.low), abs=2.5)
        assert 100 * row.difference.high == pytest.approx(float(printed.high), abs=2.5)
    assert sum(r.difference.value for r in made) == pytest.approx(0)


def test_residual_audits_leave_out_and_refuse():
    rows = answered("a", "filler", 3) + answered("b", "filler", 2) + answered("b", None, 4) + answered("c", "filler", 1)
    made = residual_audit(rows, "a", "b", ["filler"], n_resamples=50)[0]
    assert (made.difference.value, made.difference.n_dropped, made.second.n) == (0, 4, 2)
    with pytest.raises(ValueError, match='no line of model "z"'):
        residual_audit(rows, "a", "z", ["filler"])


def test_corrected_labels_move_the_effects():
    captions = [labelled_caption("SSHS", unit=u, id=str(u)) for u in range(4)]
    items = sample_sentences(captions, "Contradicted", 4)
    rows = [Answered(i, a) for i, a in zip(items, ["confirmed", "incorrect", "incorrect", None], strict=True)]
    reading = corrected(rows, {"confirmed": "Supported", "ambiguous": "Generic"})
    before, after = diagnose(captions, n_resamples=5), diagnose(captions, n_resamples=5, reading=reading)
    assert before.estimate("model", "d_mid").value == 0.5
    assert after.estimate("model", "d_mid").value == 0.375  # three of four third quartiles are left


# -- diversity ----------------------------------------------------------------------------------------------


def spoken(*sentences, unit=0, model="m"):
    """A caption of these sentences, after enough others that they are the last quartile."""
    base = labelled_caption("G" * 4 * len(sentences), unit=unit, model=model)
    at, texts, made = 0, [], []
    words = ["One."] * 3 * len(sentences) + list(sentences)
    for sentence, text in zip(base.sentences, words, strict=True):
        made.append(dataclasses.replace(sentence, start=at, end=at + len(text)))
        texts.append(text)
        at += len(text) + 1
    return dataclasses.replace(base, caption=" ".join(texts), sentences=tuple(made))


def test_the_last_sentences_of_the_last_quartile():
    own = tails([spoken("First, here.", "A calm mood.", "The END!")])["m"]
    assert own.tails == (Tail(0, (("a", "calm", "mood"), ("the", "end"))),)
    short = [spoken("Only one sentence."), labelled_caption("SSSS", unit=1, model="m")]
    assert tails(short)["m"].n_left_out == 2


def test_all_models_are_compared_on_the_same_images():
    made = tails([spoken("A b.", "C d.", unit=u, model="x") for u in range(4)]
                 + [spoken("E f.", "G h.", unit=u, model="y") for u in (2, 3, 9)])
    assert [t.unit for t in made["x"].tails] == [t.unit for t in made["y"].tails] == [2, 3]
    assert (made["x"].n_left_out, made["y"].n_left_out) == (2, 1)


def test_words_can_be_held_equal_too():
    own = tails([spoken("a b c d", "e f g", unit=1), spoken("a b", "c", unit=2)], words=5)["m"]
    assert own.tails == (Tail(1, (("a", "b", "c", "d"), ("e",))),) and own.n_left_out == 1
    with pytest.raises(ValueError, match="at least 1"):
        tails([], words=0)
    assert tails([]) == {}


def test_a_random_pick_does_not_depend_on_other_captions():
    captions = [spoken(*(f"word{k} w{u}." for k in range(6)), unit=u) for u in range(5)]
    every, one = tails(captions, seed=4)["m"], tails(captions[3:4], seed=4)["m"]
    assert one.tails[0] == every.tails[3]
    assert len({t.words[0][0] for t in every.tails}) > 1


TEXTS = [Tail(1, (("a", "b", "a"), ("b", "a"))), Tail(2, (("a", "c"),))]


def test_distinct_by_hand():
    assert ngrams(TEXTS[0], 2) == [("a", "b"), ("b", "a"), ("b", "a")]  # none over the end of a sentence
    assert distinct(TEXTS, 1).value == 3 / 7
    assert distinct(TEXTS, 2).value == 3 / 4
    assert distinct_by_caption(TEXTS, 1, n_resamples=10).value == (2 / 5 + 1) / 2
    assert distinct_by_caption(TEXTS, 2, n_resamples=10).value == (2 / 3 + 1) / 2
    assert distinct(TEXTS, 4).reason == "no 4-grams"
    assert distinct_by_caption(TEXTS, 3, n_resamples=10).n_dropped == 1


@given(st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=6), min_size=1, max_size=6), st.integers(1, 3))
def test_distinct_is_a_share_and_repetition_lowers_it(rows, n):
    texts = [Tail(k, (tuple(words),)) for k, words in enumerate(rows)]
    value = distinct(texts, n).value
    assert math.isnan(value) or 0 < value <= 1
    assert math.isnan(value) or distinct(texts * 2, n).value == pytest.approx(value / 2)


def test_self_bleu_by_hand():
    same = [Tail(k, (tuple("abcde"),)) for k in range(3)]
    assert self_bleu(same, n_resamples=10).value == pytest.approx(1)
    unlike = [Tail(k, (tuple(f"{x}{k}" for x in "abcde"),)) for k in range(3)]
    assert self_bleu(unlike, n_resamples=10).value < 0.2
    # BLEU-1 of "a b c d" against "a b x y": two of four words, of equal length
    pair = [Tail(1, (tuple("abcd"),)), Tail(2, (tuple("abxy"),))]
    assert self_bleu(pair, order=1, n_resamples=10).value == pytest.approx(0.5)
    assert self_bleu(pair, order=2, n_resamples=10).value == pytest.approx(math.sqrt(1 / 2 * 1 / 3))
    alone = self_bleu(pair[:1], n_resamples=10)
    assert math.isnan(alone.value) and alone.n_dropped == 1


def test_fewer_references_are_drawn_by_the_seed():
    texts = [Tail(k, ((*"abcd"[: 1 + k % 4], str(k)),)) for k in range(12)]
    one = self_bleu(texts, references=3, seed=1, n_resamples=10)
    assert one == self_bleu(texts, references=3, seed=1, n_resamples=10)
    assert one.value < self_bleu(texts, n_resamples=10).value


def test_the_table_of_diversity():
    rows = diversity([spoken("A b c d.", f"E f g {u}.", unit=u, model=m) for u in range(3) for m in "xy"],
                     n_resamples=10)
    assert len(rows) == 10 and {r["n_captions"] for r in rows} == {3} and {r["n_words"] for r in rows} == {24}
    assert rows[0]["estimate"].value == 10 / 24


# -- preferences --------------------------------------------------------------------------------------------


def test_wilson_against_statsmodels():
    from statsmodels.stats.proportion import proportion_confint

    for hits, n in [(414, 430), (0, 10), (10, 10), (1, 3)]:
        made = wilson(hits, n)
        assert (made.low, made.high) == pytest.approx(proportion_confint(hits, n, method="wilson"), abs=1e-9)
    assert wilson(0, 10).low == 0 and wilson(10, 10).high == 1
    assert wilson(0, 0).reason == "no trials" and math.isnan(wilson(0, 0).value)
    with pytest.raises(ValueError, match="5 successes of 4"):
        wilson(5, 4)


def duels():
    """The comparisons that section 5.2 of the paper counts, and some ties."""
    rows = []
    for rival, (won, lost, tied) in {"Base": (133, 6, 10), "CapRL": (89, 8, 3), "SFT": (192, 2, 0)}.items():
        for k, winner in enumerate(["PAGER"] * won + [rival] * lost + [None] * tied):
            pair = ("PAGER", rival) if k % 2 else (rival, "PAGER")
            rows.append(Duel(k, *pair, winner))
    return rows


def test_the_win_rates_of_table_4():
    rows = duels()
    made = win_rate(rows, "PAGER")
    assert (made.n, made.n_dropped, round(100 * made.value, 2)) == (430, 13, 96.28)
    assert 0.94 < made.low < made.value < made.high < 0.98
    assert [round(100 * win_rate(rows, m).value, 2) for m in ("Base", "CapRL", "SFT")] == [4.32, 8.25, 1.03]
    assert win_rate(rows, "PAGER", against="CapRL").value == 89 / 97
    assert win_rate(rows, "nobody").reason == "no trials"


def test_win_rates_over_images():
    rows = [Duel(k // 2, "a", "b", "a") for k in range(6)] + [Duel(9, "a", "b", None), Duel(8, "a", "b", "b")]
    made = win_rate_over_images(rows, "a", n_resamples=100)
    assert (made.value, made.n, made.n_units, made.n_dropped) == (6 / 7, 7, 4, 1)


@pytest.mark.parametrize("wrong", [("a", "a", None), ("a", "b", "c")])
def test_impossible_comparisons_are_refused(wrong):
    with pytest.raises(ValueError, match=r"against itself|neither"):
        Duel("i", *wrong)


def votes_of(*rows):
    """One string an image, one letter a rater."""
    return [Vote(unit, f"rater {k}", choice) for unit, row in enumerate(rows) for k, choice in enumerate(row)]


def test_first_choices_by_hand():
    rows = first_choices(votes_of("aab", "aaa", "abb", "aab"), ["a", "b", "c"], n_resamples=50)
    assert [(r.model, r.votes, r.share.value) for r in rows] == [("a", 8, 8 / 12), ("b", 4, 4 / 12), ("c", 0, 0)]
    assert (rows[0].rater_low, rows[0].rater_high) == (1 / 4, 1.0)
    assert rows[0].share.n_units == 4


def test_the_votes_of_table_15():
    from posh_lite import paper

    published = paper.table("position:15")
    votes = [Vote(n // 5, f"rater {n % 5}", name) for n, name in enumerate(
        name for name, count in zip(published.method, published.votes, strict=True) for _ in range(int(count)))]
    rows = {r.model: r for r in first_choices(votes, n_resamples=20)}
    for row in published.itertuples():
        assert round(100 * rows[row.method].share.value, 1) == row.share


def test_broken_votes_are_refused():
    with pytest.raises(ValueError, match="no votes"):
        first_choices([])
    with pytest.raises(ValueError, match='"rater 0" voted 2 times on image "0"'):
        first_choices(votes_of("a") + votes_of("b"))
    with pytest.raises(ValueError, match='choice "a" is none of b, c'):
        first_choices(votes_of("a"), ["b", "c"])
