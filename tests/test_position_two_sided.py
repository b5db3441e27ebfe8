"""The two-sided lens: inventions are seen, filler stays generic, and the paper's lens does not move."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.benchmarks.mini import load_mini
from posh_lite.cli import main
from posh_lite.position import two_sided_view
from posh_lite.position.composition import compose
from posh_lite.position.label import label_sentences
from posh_lite.position.page import page
from posh_lite.position.profile import embedded, profile
from posh_lite.position.report import counts_table, make_report, markdown
from posh_lite.position.simulate import gold_profiles
from posh_lite.position.study_floor import unsupported_shares
from posh_lite.position.study_record import load_sets, record_set, same_sentences, save_sets
from posh_lite.position.two_sided import CaptionSide, Side, only_unsupported, relabel, shared_graphs
from posh_lite.position.types import LABELS, SentenceLabel
from posh_lite.records import Pair

REFERENCE = (
    "A woman in a red coat sits on a wooden bench in a park. A brown dog lies beside her feet. Tall trees stand behind"
    " the bench."
)
BORNE = "A woman in a red coat sits on a wooden bench."
INVENTED = "A golden parrot perches on a marble fountain."
FILLER = "The atmosphere feels calm and inviting."
WRONG = "A black dog lies beside her feet."
#: True of the picture, let us say, and not in the reference: no text can tell it from an invention.
EXTRA = "Two white sailboats cross a blue lake."
CAPTION = " ".join((BORNE, INVENTED, FILLER, WRONG))


@pytest.fixture(scope="module")
def parts():
    return embedded()


@pytest.fixture(scope="module")
def both(parts):
    return profile([Pair("1", CAPTION, REFERENCE, "m", "i")], *parts, lens="both", precedence="contradicted",
                   progress=False)[0]


def test_an_invention_is_seen_and_filler_stays_generic(parts, both):
    (by_claims,) = profile([Pair("1", CAPTION, REFERENCE, "m", "i")], *parts, precedence="contradicted", progress=False)
    assert [s.label for s in by_claims.sentences] == ["Supported", "Generic", "Generic", "Contradicted"]
    assert [s.label for s in both.sentences] == ["Supported", "Contradicted", "Generic", "Contradicted"]
    assert [s.unsupported for s in both.sentences] == [False, True, False, False]  # the dog contradicts a claim
    words = [CAPTION[a:b] for a, b in both.sentences[1].flagged]
    assert any("parrot" in w for w in words) and any("fountain" in w for w in words)
    assert both.sentences[1].weight == 1.0
    assert not any(s.flagged for s in by_claims.sentences)
    assert "lens:both" in both.signature and both.signature.startswith(by_claims.signature)


def test_a_true_detail_that_the_reference_leaves_out_looks_the_same(parts):
    (made,) = profile([Pair("1", f"{BORNE} {EXTRA}", REFERENCE)], *parts, lens="both", progress=False)
    assert [s.unsupported for s in made.sentences] == [False, True]


def test_claims_go_first_by_the_order_that_is_asked_for(parts):
    mixed = "A woman in a red coat sits beside a golden parrot and a marble fountain."
    found = {p: profile([Pair("1", mixed, REFERENCE)], *parts, lens="both", precedence=p, progress=False)[0]
             for p in ("supported", "contradicted")}
    assert found["supported"].sentences[0].label == "Supported"
    assert found["contradicted"].sentences[0].unsupported


def test_a_text_is_borne_out_by_itself(parts):
    (made,) = profile([Pair("1", REFERENCE, REFERENCE)], *parts, lens="both", precedence="contradicted", progress=False)
    assert {s.label for s in made.sentences} == {"Supported"}


def test_nothing_comes_of_nothing(parts):
    made = profile([Pair("1", "", REFERENCE), Pair("2", FILLER, ""), Pair("3", INVENTED, "")], *parts, lens="both",
                   progress=False)
    assert made[0].sentences == ()
    assert [s.label for s in made[1].sentences] == ["Generic"]
    assert made[2].sentences[0].unsupported  # an empty reference bears out nothing


def test_another_lens_is_refused(parts):
    with pytest.raises(ValueError, match="claims or both"):
        profile([], *parts, lens="two")
    with pytest.raises(ValueError, match="precedence"):
        relabel(SentenceLabel(0, 1, 1, 1, "Generic", 1.0), Side(True, (), 0, 0), "none", {})


SENTENCES = st.lists(st.sampled_from([BORNE, INVENTED, FILLER, WRONG, EXTRA]), max_size=6)


@settings(max_examples=15, deadline=None)
@given(SENTENCES, st.sampled_from(["supported", "contradicted"]))
def test_the_claims_lens_does_not_move_and_shares_sum_to_one(parts, sentences, precedence):
    caption = " ".join(sentences)
    (claims,) = profile([Pair("1", caption, REFERENCE, "m")], *parts, precedence=precedence, progress=False)
    assert claims.sentences == label_sentences(caption, claims.rubric, claims.findings, precedence=precedence)
    side = CaptionSide(shared_graphs(parts))
    made = side.through([claims], precedence)[0]
    assert made.findings == claims.findings
    assert side.through([claims], precedence)[0] == made
    for old, new in zip(claims.sentences, made.sentences, strict=True):
        assert (old.span, old.quartile, old.supported, old.contradicted) == (
            new.span, new.quartile, new.supported, new.contradicted)
        assert new.label in LABELS and all(new.start <= a < b <= new.end for a, b in new.flagged)
        if old.contradicted and precedence == "contradicted":
            assert new.label == "Contradicted" and new.weight == old.weight
        if old.label == "Supported" and precedence == "supported":
            assert new.label == "Supported" and new.weight == old.weight
    for share in compose([made])["m"].shares(weighted=False):
        if share.n_sentences:
            assert share.supported + share.contradicted + share.generic == pytest.approx(1)


@given(st.sampled_from(["supported", "contradicted"]), st.booleans(), st.integers(0, 4), st.integers(0, 4),
       st.booleans(), st.booleans())
def test_the_rule_by_the_table(precedence, specific, n_absent, n_present, held, against):
    sentence = SentenceLabel(0, 9, 1, 1, "Generic", 1.0, (0,) if held else (), (1,) if against else ())
    made = relabel(sentence, Side(specific, ((0, 3),) * min(1, n_absent), n_absent, n_present), precedence,
                   {0: 2.0, 1: 1.5})
    bad = specific and n_absent >= 2
    order = [("Supported", held), ("Contradicted", against or bad)]
    order = order if precedence == "supported" else order[::-1]
    borne = "Supported" if specific and n_present and not bad else "Generic"
    expected = next((name for name, holds in order if holds), borne)
    assert made.label == expected
    assert made.weight == (2.0 if expected == "Supported" and held else 1.5 if expected == "Contradicted" and against
                           else 1.0)
    assert made.unsupported == (expected == "Contradicted" and bad and not against)


def test_the_report_counts_them_apart_and_says_what_they_are(both):
    report = make_report([both], n_resamples=10, precedence="contradicted", lens="both")
    counts = counts_table(report).iloc[0]
    assert (counts["contradicted sentences"], counts["unsupported specific sentences"]) == (1, 1)
    assert report.unsupported.estimate("m", "h_q2").value == 1.0
    assert "Honest texts have many of them" in markdown(report)
    claims = make_report([both], n_resamples=10)
    assert claims.unsupported is None
    assert "unsupported" not in markdown(claims)


def test_the_page_shows_which_words(both):
    text = page([both], lens="both", precedence="contradicted")
    assert "is not borne out by the reference" in text
    assert text.count('<b class="badge">not in the reference</b>') == 1
    assert "of the contradicted 1 only by words that are not in the reference" in text


def test_a_record_tells_them_apart(tmp_path, parts, both):
    side = CaptionSide(shared_graphs(parts))
    save_sets(tmp_path / "r.json", [record_set("x", "two-sided", "", [both], label=side.label)])
    text = (tmp_path / "r.json").read_text()
    assert '"SUGH"' in text and "parrot" not in text
    again = load_sets(tmp_path / "r.json")["x", "two-sided"].profiles("contradicted")[0]
    assert [s.unsupported for s in again.sentences] == [False, True, False, False]
    assert [only_unsupported(again, s)[0] for s in again.sentences] == ["Generic", "Contradicted", "Generic", "Generic"]


def test_the_share_that_honest_texts_explain(tmp_path):
    def made(letters, n):
        row = [(f"i{k}", "m", letters, (1.0,) * len(letters), letters, (1.0,) * len(letters)) for k in range(n)]
        from posh_lite.position.study_record import RecordedSet

        return RecordedSet("x", "two-sided", "", "", tuple(row), {}).profiles()

    found = unsupported_shares(made("UUSG", 4), {"a": made("USSS", 3), "b": made("SSSS", 3)}, 20)
    assert found["all"]["model"]["value"] == 0.5
    assert (found["all"]["floor"]["value"], found["all"]["a"]["value"]) == (0.125, 0.25)  # 3 of 24 and 3 of 12
    assert found["all"]["explained"]["value"] == 0.25
    assert (found["all"]["explained by a"]["value"], found["all"]["explained by b"]["value"]) == (0.5, 0.0)
    assert found["all"]["model_minus_floor"]["value"] == 0.375
    assert found["q1"]["explained"]["value"] == 0.5
    assert found["q3"]["explained"]["value"] is None  # nothing to explain
    assert json.loads(json.dumps(found)) == found


def test_the_command_takes_the_lens(tmp_path, capsys):
    path = tmp_path / "c.jsonl"
    path.write_text(json.dumps({"id": "1", "generation": CAPTION, "reference": REFERENCE, "model": "m"}) + "\n")
    out = tmp_path / "out"
    assert main(["position", str(path), "-o", str(out), "--lens", "both", "--precedence", "contradicted", "--boot", "5",
                 "--no-figures", "--quiet"]) == 0
    told = json.loads((out / "position.json").read_text())
    assert told["lens"] == "both" and "lens:both" in told["signature"]
    assert "unsupported" in (out / "composition.csv").read_text().splitlines()[0]
    assert "not borne out" in (out / "index.html").read_text()
    assert main(["position", str(path), "-o", str(out), "--boot", "5", "--no-figures", "--quiet"]) == 0  # kept findings
    assert "lens:both" not in json.loads((out / "position.json").read_text())["signature"]
    assert "unsupported" not in (out / "composition.csv").read_text().splitlines()[0]


RESULTS = Path(__file__).parents[1] / "data" / "results"


@pytest.mark.parametrize("folder", ["position-iiw", "position-mini"])
def test_the_records_are_of_the_lens_that_is_here(folder, parts):
    """Renew them with ``python -m posh_lite.position.study --lens both``, with and without ``--mini``."""
    here = f"{parts[0].signature} > {parts[1].signature} lens:{CaptionSide().signature}"
    made = {re.sub(r"spacy:[\w.-]+", "spacy", s.signature)
            for (_, verifier), s in load_sets(RESULTS / folder / "captions.json").items() if verifier == "two-sided"}
    assert made == {re.sub(r"spacy:[\w.-]+", "spacy", here)}


def test_the_record_of_the_verifier_is_of_the_lens_that_is_here_and_agrees_with_the_labels():
    record = json.loads((RESULTS / "position-mini" / "verifier.json").read_text())
    assert re.sub(r"spacy:[\w.-]+", "spacy", record["two_sided"]) == re.sub(
        r"spacy:[\w.-]+", "spacy", CaptionSide().signature)
    corpus = load_mini()
    both = two_sided_view.known_both(RESULTS / "position-mini", gold_profiles(corpus))
    hits = sum(a.label == b.label == "Contradicted" for _, a, b in same_sentences(gold_profiles(corpus), both))
    assert two_sided_view.caught(record, "two_sided")[0] == hits > two_sided_view.caught(record, "precedence")[0]
    for (part, lens), least in {("developed on", "two_sided"): 0.7, ("held out", "two_sided"): 0.5}.items():
        assert two_sided_view.kappa(record, part, lens).value >= least
