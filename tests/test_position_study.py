"""The study: records without texts, the floor, and the verifier by words alone."""

import json
import math
import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.benchmarks.mini import load_mini
from posh_lite.errors import InputError
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.position import study_view
from posh_lite.position.effects import diagnose
from posh_lite.position.label import label_sentences
from posh_lite.position.profile import embedded
from posh_lite.position.published import MEAN
from posh_lite.position.robust import reversed_precedence
from posh_lite.position.simulate import labelled_caption
from posh_lite.position.study import CROSS, MODEL, SAME, TO_DOCCI, TO_IIW, figures, lines, mini_pairs
from posh_lite.position.study_floor import (
    QUANTITIES,
    explained_here,
    explained_published,
    floor_diagnosis,
    length_paired,
)
from posh_lite.position.study_record import load_sets, record_set, same_sentences, save_sets
from posh_lite.position.study_words import WordVerifier
from posh_lite.position.types import CaptionProfile, Claim, Finding, Rubric, Verifier

CAPTION = "A red cat sleeps. Two dogs run past it. All is calm."


def profile(caption=CAPTION, unit="a", model="m"):
    rubric = Rubric("r", (Claim(0, "x", "Entity", 1.0, "x"), Claim(1, "y", "Visual_Detail", 2.0, "y")), "e")
    findings = (Finding(0, "Supported", (2, 5), "red"), Finding(1, "Contradicted", (6, 9), "cat"))
    return CaptionProfile(unit, unit, model, caption, rubric, findings, label_sentences(caption, rubric, findings), "s")


def test_a_record_holds_labels_and_weights_and_no_words(tmp_path):
    made = record_set("set", "lexical", "about", [profile()])
    path = tmp_path / "r" / "captions.json"
    save_sets(path, [made], date="2026-01-02")
    text = path.read_text()
    assert not any(word in text for word in ("cat", "sleeps", "dogs", "calm", "red\""))
    assert json.loads(text)["date"] == "2026-01-02"
    again = load_sets(path)["set", "lexical"]
    assert again == made
    assert again.counts["mixed"] == 1
    first, second = again.profiles()[0], again.profiles("contradicted")[0]
    assert [s.label for s in first.sentences] == ["Supported", "Generic", "Generic"]
    assert [s.label for s in second.sentences] == ["Contradicted", "Generic", "Generic"]
    assert [s.weight for s in first.sentences] == [1.0, 1.0, 1.0]
    assert [s.weight for s in second.sentences] == [2.0, 1.0, 1.0]


def test_effects_from_a_record_are_those_of_the_captions(tmp_path):
    own = [profile(unit=u, caption=c) for u, c in (("a", CAPTION), ("b", CAPTION + " It is red."), ("c", "A red cat."))]
    record = record_set("set", "lexical", "", own)
    for precedence, reading in (("supported", None), ("contradicted", reversed_precedence)):
        more = {} if reading is None else {"reading": reading}
        a = diagnose(own, n_resamples=20, **more)
        b = diagnose(record.profiles(precedence), n_resamples=20)
        assert a.values == pytest.approx(b.values, nan_ok=True)
        assert a.replicates == pytest.approx(b.replicates, nan_ok=True)


def test_a_record_that_is_none_is_told(tmp_path):
    with pytest.raises(InputError, match="makes it"):
        load_sets(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(InputError, match="no record"):
        load_sets(tmp_path / "bad.json")


def test_the_same_sentences_are_paired_and_others_refused():
    rows = same_sentences([labelled_caption("SG")], [labelled_caption("HG")])
    assert [(a.label, b.label) for _, a, b in rows] == [("Supported", "Contradicted"), ("Generic", "Generic")]
    with pytest.raises(ValueError, match="another caption"):
        same_sentences([labelled_caption("SG")], [labelled_caption("SGG")])


# -- the floor ------------------------------------------------------------------------------------------------


def captions(words, model="m", start=0):
    return [labelled_caption(w, unit=f"{model}{i}", model=model, id=f"{i}") for i, w in enumerate(words, start)]


def test_the_share_that_a_floor_explains_is_the_ratio():
    model = diagnose(captions(["SHHG"] * 5 + ["SSHG"] * 5), n_resamples=200, weighted=False)
    floor = floor_diagnosis(captions(["SSSG", "SSSS"] * 4, "other"), n_resamples=200, weighted=False)
    rows = {r.quantity: r for r in explained_here(model, "m", floor)}
    assert list(rows) == list(QUANTITIES)
    assert rows["d_tail"].share.value == 0.5  # 1/2 of 1
    assert 0 < rows["d_tail"].share.low < 0.5 < rows["d_tail"].share.high < 1
    assert rows["d_mid"].share.value == 0.0
    assert math.isnan(rows["g_q1"].share.value)
    assert rows["g_q1"].share.reason


def test_the_floor_over_printed_figures_divides_by_them():
    floor = floor_diagnosis(captions(["SSSG", "SSSS"] * 4, "other"), n_resamples=50, weighted=False)
    rows = {(r.model, r.quantity): r for r in explained_published(floor)}
    assert rows["LLaVA-v1.5-7B", "g_q4"].share.value == pytest.approx(0.5 / 0.586)
    assert rows["LLaVA-v1.5-7B", "d_tail"].value.value == pytest.approx(0.586 - 0.178)
    six = (0.287 + 0.291 + 0.412 + 0.318 + 0.586 + 0.293) / 6
    assert rows[MEAN, "g_q4"].share.value == pytest.approx(0.5 / six)
    with pytest.raises(ValueError, match="unweighted"):
        explained_published(floor_diagnosis(captions(["SSSG"] * 3), n_resamples=5))


@settings(max_examples=40)
@given(st.lists(st.integers(0, 9), max_size=12), st.lists(st.integers(0, 9), max_size=12), st.floats(1, 2))
def test_couples_are_of_nearly_one_length_and_nobody_comes_twice(a, b, within):
    first, second = captions(["S" * n for n in a], "a"), captions(["S" * n for n in b], "b")
    mine, theirs = length_paired(first, second, within=within)
    assert len(mine) == len(theirs)
    assert len({p.id for p in mine}) == len(mine)
    assert len({p.id for p in theirs}) == len(theirs)
    for x, y in zip(mine, theirs, strict=True):
        n, m = sorted((len(x.sentences), len(y.sentences)))
        assert 0 < n <= m <= within * n


def test_couples_by_hand():
    mine, theirs = length_paired(captions(["SSSS", "S" * 10, "SS"], "a"), captions(["S" * 5, "SSSSSSSS"], "b"))
    assert [(len(x.sentences), len(y.sentences)) for x, y in zip(mine, theirs, strict=True)] == [(4, 5), (10, 8)]
    with pytest.raises(ValueError, match="within"):
        length_paired([], [], within=0.9)


def sets():
    from posh_lite.position.study_record import RecordedSet

    found = {}
    for verifier, words in (("lexical", ["SHHG", "SSHG", "SSSG"]), ("words", ["SSSG", "SSSG", "SHSS"])):
        for name in (MODEL, SAME, TO_IIW, TO_DOCCI):
            own = ["SSSS", "SSSG", "GSSS"] if name == SAME else words
            rows = tuple((f"i{i}", name, w, (1.0,) * 4, w.replace("S", "H", 1), (2.0,) * 4) for i, w in enumerate(own))
            found[name, verifier] = RecordedSet(name, verifier, "", f"{verifier}-1", rows, {})
    return found


def test_figures_have_every_reading_and_can_be_written():
    record = figures(sets(), n_resamples=30)
    assert len(record["effects"]) == 8
    main_reading = record["effects"]["lexical, supported first, unweighted"]
    assert set(main_reading) == {MODEL, SAME, TO_IIW, TO_DOCCI, CROSS}
    assert main_reading[MODEL]["d_tail"]["value"] == 1.0
    assert main_reading[SAME]["d_tail"]["value"] == 0.0
    assert set(record["explained_published"]) == {k for k in record["effects"] if k.endswith("unweighted")}
    assert record["model_minus_same_text"]["d_tail"]["value"] == 1.0
    assert record["length_matched"]["couples"] == 3
    assert json.loads(json.dumps(record)) == record
    assert any("share of d_tail explained" in line for line in lines(record))


# -- the records ----------------------------------------------------------------------------------------------

RESULTS = Path(__file__).parents[1] / "data" / "results"


def of_this_project(signature):
    """Without the spaCy pipeline, which may be another on this machine."""
    return re.sub(r"spacy:[\w.-]+", "spacy", signature)


def test_the_records_are_of_the_parts_that_are_here():
    """Renew them with ``python -m posh_lite.position.study``, with and without ``--mini``."""
    extractor, verifier = embedded()
    here = of_this_project(f"{extractor.signature} > {verifier.signature}")
    assert of_this_project(study_view.load_study(RESULTS / "position-iiw").signature) == here
    assert of_this_project(study_view.load_known(RESULTS / "position-mini", load_mini()).signature) == here


def test_recorded_figures_follow_from_recorded_labels():
    study = study_view.load_study(RESULTS / "position-iiw")
    for name in (MODEL, SAME, TO_IIW, TO_DOCCI):
        for precedence in ("supported", "contradicted"):
            made = diagnose(study.profiles(name, precedence=precedence), weighted=False, n_resamples=1)
            for quantity in QUANTITIES:
                kept = study.estimate(f"lexical, {precedence} first, unweighted", name, quantity)
                assert made.estimate(name, quantity).value == pytest.approx(kept.value), (name, quantity)


def test_the_human_control_is_as_flat_as_it_has_to_be():
    study = study_view.load_study(RESULTS / "position-iiw")
    for way in ("weighted", "unweighted"):
        key = f"lexical, supported first, {way}"
        assert abs(study.estimate(key, SAME, "d_mid").value) <= 0.02
        assert min(study.estimate(key, SAME, f"s_q{k}").value for k in (1, 2, 3, 4)) >= 0.9


def test_a_record_of_another_corpus_is_refused():
    corpus = load_mini()
    other = type(corpus)(**{f: getattr(corpus, f) for f in corpus.__dataclass_fields__} | {
        "pairs": corpus.pairs[:-1], "gold": corpus.gold[:-1]})
    with pytest.raises(ValueError, match=r"shorter|argument"):
        study_view.load_known(RESULTS / "position-mini", other)


def test_cells_of_the_chapters():
    nan = math.nan
    assert study_view.percent(Estimate(0.909, 0.537, 1.663, 9, 9)) == "91% (54% to 166%)"
    assert study_view.percent(Estimate(0.5, nan, nan, 9, 9)) == "50%"
    assert study_view.percent(Estimate(nan, nan, nan, 9, 9)) == study_view.said(Estimate(nan, nan, nan, 9, 9)) == "–"
    assert study_view.said(Estimate(-0.001, nan, nan, 9, 9)) == "0.00"


# -- by words alone -------------------------------------------------------------------------------------------


def status(claim, caption=CAPTION):
    rubric = Rubric("r", (Claim(0, claim, "Entity", 1.0, "x"),), "e")
    (found,) = WordVerifier().verify([(caption, rubric)])
    return found[0]


@pytest.mark.parametrize(
    ("claim", "expected", "evidence"),
    [
        ("The red cat sleeps.", "Supported", "red cat sleeps"), ("The cat is sleeping.", "Supported", "cat sleeps"),
        ("The blue cat sleeps.", "Contradicted", "cat sleeps"), ("Three dogs run.", "Contradicted", "dogs run"),
        ("2 dogs run.", "Supported", "Two dogs run"), ("Three cats sleep.", "Missing", None),
        ("A horse sleeps there.", "Missing", None), ("", "Missing", None),
    ],
)
def test_words_alone(claim, expected, evidence):
    found = status(claim)
    assert (found.status, CAPTION[slice(*found.evidence)] if found.evidence else None) == (expected, evidence)


def test_the_verifier_by_words_meets_the_protocol():
    assert isinstance(WordVerifier(), Verifier)
    assert WordVerifier().verify([("", Rubric("r", (), "e"))]) == [()]
    with pytest.raises(ValueError, match="enough"):
        WordVerifier(0)


def test_the_constructed_captioners_are_six_on_the_same_images():
    (_, pairs), = mini_pairs().values()
    models = {p.model for p in pairs}
    assert len(models) == 6
    assert len({p.image for p in pairs}) * 6 == len(pairs)


@pytest.mark.skipif(not os.environ.get("POSH_LITE_DATA"), reason="POSH_LITE_DATA names no folder with IIW")
def test_the_sets_of_the_study_are_whole():
    from posh_lite.position.study import real_pairs

    found = real_pairs()
    assert {name: len(pairs) for name, (_, pairs) in found.items()} == {MODEL: 100, SAME: 400, TO_IIW: 100,
                                                                       TO_DOCCI: 100}
    assert all(p.generation == p.reference for p in found[SAME][1])
    assert {p.image for p in found[MODEL][1]} <= {p.image for p in found[SAME][1]}


def test_agreement_of_recorded_verifiers_goes_by_the_number_of_a_sentence() -> None:
    study = study_view.load_study(Path(__file__).parents[1] / "data" / "results" / "position-iiw")
    row = study_view.second_verifier(study, (MODEL,), n_resamples=20, seed=0).iloc[0]
    rows = same_sentences(study.profiles(MODEL, "lexical"), study.profiles(MODEL, "words"))
    assert row["agree"] == f"{sum(a.label == b.label for _, a, b in rows) / len(rows):.0%}" != "100%"
