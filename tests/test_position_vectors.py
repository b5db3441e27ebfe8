"""The verifier of rules and sentence vectors: windows, measures, weights, the fit, its record, and the command line."""

from __future__ import annotations

import json
import math
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.baselines.embedding import CharacterGrams
from posh_lite.benchmarks.mini import MiniCorpus, load_mini
from posh_lite.cli import main
from posh_lite.commands.position import embedder_name
from posh_lite.errors import InputError, MissingDependency
from posh_lite.position import verifier_view, verify_report
from posh_lite.position.graphs import Graphs
from posh_lite.position.profile import profile
from posh_lite.position.rubric import GraphExtractor
from posh_lite.position.types import Claim, Finding, Rubric, Verifier
from posh_lite.position.vector_features import MEASURES, NAMES, VectorStore, bare, measure
from posh_lite.position.vector_fit import (
    THRESHOLDS,
    Table,
    best_threshold,
    fit,
    fit_line,
    fit_on,
    gain,
    left_out,
    lines,
)
from posh_lite.position.vector_verify import VectorVerifier, decide, embedder_of
from posh_lite.position.vector_weights import (
    VectorWeights,
    load_weights,
    packaged_weights,
    probes,
    rules_of,
    weights_from_dict,
)
from posh_lite.position.vector_windows import windows
from posh_lite.position.verify import LexicalVerifier
from posh_lite.position.verify_known import fact_rows, parts_of, profile_works

GRAPHS = Graphs()
EXTRACTOR, RULES = GraphExtractor(GRAPHS), LexicalVerifier(GRAPHS)


class Letters:
    """Vectors that count letters of "abcd": cosines that can be worked out by hand."""

    signature = "letters"

    def __call__(self, phrases):
        rows = np.array([[p.lower().count(c) for c in "abcd"] for p in phrases], dtype=np.float32).reshape(-1, 4)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


class Said:
    """Rules that give the statuses they were told, with the first word as evidence."""

    signature = "said-1"

    def __init__(self, *statuses):
        self.statuses = statuses

    def verify(self, items):
        return [
            tuple(
                Finding(c.id, s) if s in ("Missing", None) else Finding(c.id, s, (0, 2), text[:2], "given", "a rule")
                for c, s in zip(rubric.claims, self.statuses, strict=True)
            )
            for text, rubric in items
        ]


def weights(embedder=None, rules="said-1", **more):
    """Weights by which the similarity alone decides: 0.5 at a cosine of 0.5."""
    embedder = embedder or Letters()
    slopes = [0.0] * len(NAMES)
    slopes[NAMES.index("claim")] = 10.0
    zeros, ones = (0.0,) * len(NAMES), (1.0,) * len(NAMES)
    made = VectorWeights(
        "letters", embedder.signature, probes(embedder), rules, -5.0, zeros, ones, tuple(slopes), 0.5, 10.0, 4, ("w",),
        {}, "none", "0", "2026-01-01",
    )
    return replace(made, **more)


def rubric_of(reference, *claims):
    """Claims of (text, words of the reference that they stand in)."""
    made = tuple(
        Claim(k, text, "Visual_Detail", 2.0, "x", ((reference.index(own), reference.index(own) + len(own)),))
        for k, (text, own) in enumerate(claims)
    )
    return Rubric(reference, made, "hand-1")


# -- windows --------------------------------------------------------------------------------------------------


def test_windows_are_sentences_clauses_and_neighbours() -> None:
    text = "A cat sleeps, and two dogs run with a ball. All is calm."
    found = {text[a:b] for a, b in windows(text)}
    assert found == {
        "A cat sleeps, and two dogs run with a ball", "A cat sleeps", "two dogs run", "a ball",
        "A cat sleeps, and two dogs run", "two dogs run with a ball", "All is calm",
    }


def test_markup_and_talk_to_the_user_are_no_windows() -> None:
    text = "Sure! Here is the description:\n\n## Overview\n\n**The hat** is red, and it shines."
    found = [text[a:b] for a, b in windows(text)]
    assert found and not any("Overview" in f or "Sure" in f for f in found)
    assert all("red" in f or "shines" in f or "hat" in f for f in found)


PIECES = st.sampled_from([
    "A cat", " sleeps", ",", ", and ", " with ", ". ", "\n\n", "## Hat", "**red**", "- ", "(", ")", "\u2014", "'", " ",
    "é", "1.", "  which ", ";", ":", "| a | b |", "…", "The end.", "while", "\u200b", "😀",
])  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join) | st.text(max_size=40))
def test_windows_lie_in_the_text_and_hold_words(text: str) -> None:
    found = windows(text)
    assert len(set(found)) == len(found) and list(found) == sorted(found)
    for a, b in found:
        assert 0 <= a < b <= len(text)
        assert any(c.isalnum() for c in text[a:b])
        assert text[a:b].strip() == text[a:b] or not text[a:b].isascii()


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join), st.lists(st.sampled_from(["Missing", "Supported", "Contradicted"]),
                                                            min_size=2, max_size=2))  # fmt: skip
def test_evidence_lies_in_the_caption(text: str, statuses: list[str]) -> None:
    rubric = rubric_of("A cat sleeps. The hat is red.", ("The cat sleeps.", "cat sleeps"), ("The hat is red.", "red"))
    statuses = statuses if len(text) > 2 else ["Missing", "Missing"]
    eager = weights(CharacterGrams(64), intercept=5.0)  # all but everything is found
    verifier = VectorVerifier(CharacterGrams(64), eager, verifier=Said(*statuses))
    for before, found in zip(statuses, verifier.verify([(text, rubric)])[0], strict=True):
        assert (before == "Contradicted") == (found.status == "Contradicted")
        if found.evidence is not None:
            a, b = found.evidence
            assert 0 <= a < b <= len(text) and text[a:b] == found.quote
        else:
            assert found.status == "Missing"


# -- measures -------------------------------------------------------------------------------------------------


def test_measures_by_hand() -> None:
    # two claims of one sentence and one of the other, in a caption of two sentences: "Aa a" is (1, 0, 0, 0)
    reference, caption = "Aa b, bb cc. Dd d.", "Aa a. Bb b."
    rubric = rubric_of(reference, ("aa b", "Aa b"), ("bb cc", "bb cc"), ("dd d", "Dd d"))
    told = Said("Supported", "Missing", "Missing").verify([(caption, rubric)])
    row = measure([(caption, rubric)], told, VectorStore(Letters()))[0]
    first = dict(zip(NAMES, row.rows[0], strict=True))
    a, bc = 2 / math.sqrt(5), 2 / math.sqrt(8)
    assert [caption[slice(*s)] for s in row.spans if s][:2] == ["Aa a", "Bb b"]
    assert row.similarities == pytest.approx([a, bc, 0.0])
    assert first["claim"] == pytest.approx(a)
    assert first["claim lead"] == pytest.approx(a)  # the other claims have no letter of that window
    assert first["windows"] == pytest.approx(math.log(2))
    assert first["clause"] == pytest.approx(a)
    assert first["sentence"] == pytest.approx(3 / math.sqrt(17))  # (2, 3, 2, 0) against "Bb b"
    assert first["claim above mean"] == pytest.approx(a - (2 + 1) / math.sqrt(5) / 2)
    assert (first["found Visual_Detail"], first["not found Visual_Detail"], first["found Entity"]) == (1, 0, 0)
    assert first["claim, found"] == first["claim"]
    second = dict(zip(NAMES, row.rows[1], strict=True))
    assert second["claim, found"] == 0 and second["claim lead"] == pytest.approx(bc - 1 / math.sqrt(5))
    assert len(row.rows[0]) == len(NAMES) == 8 + 2 * len(MEASURES)


def test_a_window_that_fits_another_claim_better_counts_less() -> None:
    texts = "The woman wears a red hat.", "The man wears a long coat."
    rubric = rubric_of(" ".join(texts), (texts[0], "red hat"), (texts[1], "long coat"))
    caption = "The man wears a long coat."
    found = measure([(caption, rubric)], Said("Missing", "Missing").verify([(caption, rubric)]),
                    VectorStore(CharacterGrams()))[0]  # fmt: skip
    lead = found.rows[:, NAMES.index("claim lead")]
    assert lead[0] < 0 < lead[1]


def test_a_caption_without_words_and_a_rubric_without_claims() -> None:
    rubric = rubric_of("aa b.", ("aa b", "aa b"))
    verifier = VectorVerifier(Letters(), weights(intercept=5.0), verifier=Said("Missing"))
    assert verifier.verify([("", rubric)])[0][0].status == "Missing"
    assert VectorVerifier(Letters(), weights(), verifier=Said()).verify([("aa", Rubric("aa.", (), "s"))]) == [()]


def test_claims_without_spans_are_measured_by_themselves() -> None:
    claim = Claim(0, "aa b", "Entity", 1.0, "x")
    rubric = Rubric("aa b.", (claim,), "llm-rubric")
    row = measure([("aa a.", rubric)], Said("Missing").verify([("aa a.", rubric)]), VectorStore(Letters()))[0].rows[0]
    got = dict(zip(NAMES, row, strict=True))
    assert got["clause"] == got["sentence"] == got["claim"] > 0
    assert got["clause supported"] == 0.5


def test_bare_claims_lose_what_all_of_them_begin_with() -> None:
    texts = ["The picture shows a hat.", "There are two dogs.", "The hat is red.", "The pictures show it."]
    assert [bare(Claim(0, t, "Entity", 1.0, "x")) for t in texts] == ["a hat.", "two dogs.", *texts[2:]]


# -- verdicts -------------------------------------------------------------------------------------------------


def test_vectors_find_what_the_rules_miss_and_take_back_what_is_far() -> None:
    reference, caption = "Aa b. Cc. Dd. Bb. Ab.", "Aa a. Zz z. Zz z. Zz z."  # vectors have a say from four sentences on
    rubric = rubric_of(reference, ("aa b", "Aa b"), ("cc", "Cc"), ("dd", "Dd"), ("bb", "Bb"), ("ab", "Ab"))
    rules = Said("Missing", "Supported", "Contradicted", "Missing", None)
    found = VectorVerifier(Letters(), weights(), verifier=rules).verify([(caption, rubric)])[0]
    assert [f.status for f in found] == ["Supported", "Missing", "Contradicted", "Missing", None]
    assert (found[0].quote, found[0].evidence, found[0].match) == ("Aa a", (0, 4), "given")
    assert "similarity 0.89" in found[0].reason
    assert found[1].evidence is None and "similarity 0.00" in found[1].reason
    assert found[2].reason == "a rule"
    rules = Said("Supported", *["Missing"] * 4)
    again = VectorVerifier(Letters(), weights(), verifier=rules).verify([(caption, rubric)])
    assert again[0][0].reason == "a rule", "what both find keeps the evidence of the rules"


def test_it_keeps_the_contract_and_its_signature_knows_all_parts() -> None:
    verifier = VectorVerifier(Letters(), weights(), verifier=Said("Missing"))
    assert isinstance(verifier, Verifier)
    other = VectorVerifier(Letters(), weights(threshold=0.6), verifier=Said("Missing"))
    assert verifier.signature != other.signature
    for part in ("said-1", "letters", weights().name):
        assert part in verifier.signature
    assert VectorVerifier(Letters(), weights(rules=rules_of(RULES.signature)), verifier=RULES).graphs is GRAPHS


def test_a_paraphrase_is_found_by_vectors_in_a_whole_profile() -> None:
    own = weights(CharacterGrams(), rules=rules_of(RULES.signature), intercept=5.0)
    verifier = VectorVerifier(CharacterGrams(), own, verifier=RULES)
    found = profile(load_mini().pairs[:1], EXTRACTOR, verifier, progress=False)
    rules = profile(load_mini().pairs[:1], EXTRACTOR, RULES, progress=False)
    count = [sum(f.status == "Missing" for f in p[0].findings) for p in (rules, found)]
    assert count[0] > 0 == count[1]
    for f in found[0].findings:
        assert f.evidence is not None and found[0].caption[slice(*f.evidence)] == f.quote


# -- weights --------------------------------------------------------------------------------------------------


def test_weights_come_back_from_their_file(tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    weights().save(path)
    assert load_weights(path) == weights()
    rows = np.zeros((1, len(NAMES)))
    rows[0, NAMES.index("claim")] = 0.7
    assert weights().probabilities(rows)[0] == pytest.approx(1 / (1 + math.exp(-2)))


@pytest.mark.parametrize(("field", "value", "told"), [
    ("posh_lite_position_vectors", 9, "format"), ("threshold", 1.5, "below 1"), ("intercept", "x", "a number"),
    ("columns", [], "columns that this version"), ("probes", None, "a list of numbers"), ("cv", 3, "object"),
    ("works", "w", "list of names"), ("n", -1, "whole number"), ("rules", "", "text"),
])  # fmt: skip
def test_broken_weights_are_told(tmp_path: Path, field: str, value: object, told: str) -> None:
    path = tmp_path / "w.json"
    path.write_text(json.dumps({**weights().to_dict(), field: value}))
    with pytest.raises(InputError, match=told) as caught:
        load_weights(path)
    assert str(path) in str(caught.value) and caught.value.field == field


def test_other_weights_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="vector_fit"):
        load_weights(tmp_path / "none.json")
    with pytest.raises(InputError, match="is missing"):
        weights_from_dict({"posh_lite_weights": 1})
    row = weights().to_dict()
    row["columns"][2]["sd"] = 0
    with pytest.raises(InputError, match="sd above 0"):
        weights_from_dict(row)
    with pytest.raises(InputError, match="columns that this version"):
        weights_from_dict({**weights().to_dict(), "columns": [*weights().to_dict()["columns"], "x"]})


def test_a_damaged_model_whose_vectors_are_no_numbers_is_not_taken_for_the_same() -> None:
    class Damaged(Letters):
        signature = "damaged"

        def __call__(self, phrases):
            return np.full((len(phrases), 4), np.nan, dtype=np.float32)

    with pytest.raises(InputError, match="are others"):
        VectorVerifier(Damaged(), weights(), verifier=Said("Missing"))


def test_weights_of_another_embedder_or_of_other_rules_are_refused_unless_trusted() -> None:
    with pytest.raises(InputError, match="vectors of") as caught:
        VectorVerifier(CharacterGrams(), weights(), verifier=Said("Missing"))
    assert caught.value.field == "embedder"
    with pytest.raises(InputError, match="other-2") as caught:
        VectorVerifier(Letters(), weights(rules="other-2"), verifier=Said("Missing"))
    assert caught.value.field == "rules"
    VectorVerifier(CharacterGrams(), weights(rules="other-2"), verifier=Said("Missing"), trust=True)


def test_the_same_vectors_under_another_name_are_known_again() -> None:
    renamed = weights(embedder=Letters())
    VectorVerifier(Letters(), replace(renamed, embedder="a folder"), verifier=Said("Missing"))
    off = tuple(p + 0.03 for p in renamed.probes)
    with pytest.raises(InputError):
        VectorVerifier(Letters(), replace(renamed, embedder="a folder", probes=off), verifier=Said("Missing"))


def test_rules_of_leaves_out_the_language_model() -> None:
    from posh_lite import language

    assert rules_of(RULES.signature).startswith("lexical-")
    assert language.signature() in RULES.signature and language.signature() not in rules_of(RULES.signature)


def test_spelling_needs_no_model_and_has_weights_of_its_own() -> None:
    made = VectorVerifier(embedder_of("chars"), verifier=RULES)
    assert made.weights.model == "chars" and made.weights.name != load_weights().name


@pytest.mark.parametrize("model", ["sentence-transformers/all-MiniLM-L6-v2", "chars"])
def test_the_weights_of_the_package_are_of_these_rules(model: str) -> None:
    """Where this fails the rules have changed: run `python -m posh_lite.position.vector_fit --model MODEL`."""
    assert packaged_weights(model) is not None
    found = load_weights(model=model)
    assert found.rules == rules_of(RULES.signature)
    assert len(found.works) == 12 and set(found.cv) == {"developed on", "held out", "all"}
    cells = np.array(found.cv["all"]["vectors"]["confusion"])
    total, agreed = cells.sum(), np.trace(cells)
    chance = float((cells.sum(0) * cells.sum(1)).sum()) / total**2
    assert found.cv["all"]["vectors"]["kappa"]["value"] == pytest.approx((agreed / total - chance) / (1 - chance))


# -- the fit --------------------------------------------------------------------------------------------------


def test_logistic_regression_by_hand() -> None:
    # of four rows with x = 0 one is true, of four with x = 1 three: log odds of -log 3 and log 3, which in units of
    # one standard deviation (1/2, about the mean 1/2) are a height of 0 and a slope of log 3
    x = np.array([[0.0]] * 4 + [[1.0]] * 4)
    y = np.array([1, 0, 0, 0, 1, 1, 1, 0], dtype=float)
    free = fit_line(x, y, ridge=1e-9)
    assert (free.intercept, free.slopes[0]) == pytest.approx((0.0, math.log(3)), abs=1e-5)
    assert free.chances(np.array([[0.0], [1.0]])) == pytest.approx([0.25, 0.75], abs=1e-5)
    held = fit_line(x, y, ridge=2.0)
    # where the loss is least: sum of (probability - label) x z plus ridge x slope is 0, by hand 8 p(b) - 6 + 2 b = 0
    b = float(held.slopes[0])
    assert 8 / (1 + math.exp(-b)) - 6 + 2 * b == pytest.approx(0, abs=1e-5)
    assert 0 < b < math.log(3)


def test_a_column_without_variance_gets_no_slope() -> None:
    x = np.array([[0.0, 3.0], [1.0, 3.0], [0.0, 3.0], [1.0, 3.0]])
    found = fit_line(x, np.array([0.0, 1.0, 1.0, 0.0]))
    assert found.slopes[1] == 0 and np.isfinite(found.chances(x)).all()


def hand_table() -> Table:
    """Facts of four works, a claim each: true ones have 1 in the first column, in work "d" the other way round."""
    rows, known, work = [], [], []
    for name in "abcd":
        for k in range(6):
            good = k % 2 == 0
            rows.append([float(good != (name == "d"))] + [0.0] * (len(NAMES) - 1))
            known.append(0 if good else 2)
            work.append(name)
    return Table(np.array(rows), np.arange(24), np.array(known), np.zeros(24, dtype=bool), np.array(work, dtype=object))


def test_a_work_left_out_has_no_say() -> None:
    table = hand_table()
    chances = left_out(table, "abcd")
    wrong = table.of("d")
    assert ((chances[wrong] > 0.5) == (table.known[wrong] == 2)).all(), "others teach the contrary of d"
    moved = replace(table, known=np.where(wrong, 2 - table.known, table.known))
    assert left_out(moved, "abcd")[wrong] == pytest.approx(chances[wrong]), "its own labels change nothing"
    assert best_threshold(table, fit_on(table, "abc").chances(table.rows), "abc") in THRESHOLDS


def test_a_fact_is_found_where_half_of_its_claims_are_and_contradicted_where_the_rules_say() -> None:
    table = Table(np.zeros((5, len(NAMES))), np.array([0, 0, 1, 1, 1]), np.array([0, 0]), np.array([False, False]),
                  np.array(["a", "b"], dtype=object))  # fmt: skip
    chances = np.array([0.9, 0.1, 0.9, 0.1, 0.1])
    assert table.statuses(chances, 0.5).tolist() == [0, 2]
    assert replace(table, against=np.array([True, False])).statuses(chances, 0.5).tolist() == [1, 2]


def test_the_gain_is_paired_on_works() -> None:
    known = ["Supported", "Missing"] * 4
    units = ["a", "a", "b", "b", "c", "c", "d", "d"]
    same = gain(known, known, known, units, 50)
    assert (same.value, same.low, same.high) == (0, 0, 0)
    swapped = ["Missing", "Supported"] * 4
    assert gain(known, swapped, known, units, 50).value == pytest.approx(2)  # kappa of -1 and of 1


@pytest.fixture(scope="module")
def small() -> MiniCorpus:
    """The known-answer corpus, three works and three captions of each."""
    whole = load_mini()
    kept = {w.slug for w in whole.works[:1] + whole.works[6:8]}
    chosen = [k for k, p in enumerate(whole.pairs) if whole.work_of(p.id).slug in kept and k % 2 == 0]
    return replace(
        whole, works=tuple(w for w in whole.works if w.slug in kept), pairs=tuple(whole.pairs[k] for k in chosen),
        gold=tuple(whole.gold[k] for k in chosen),
    )


@pytest.fixture(scope="module")
def fitted(small):
    profiles = profile_works(small, EXTRACTOR, RULES, progress=False)
    return fit(CharacterGrams(256), "chars", small, profiles=profiles, verifier=RULES, n_resamples=20, progress=False)


def test_a_fit_comes_out_again_and_is_of_works_left_out(small, fitted) -> None:
    again = fit(CharacterGrams(256), "chars", small, profiles=fitted.lexical, verifier=RULES, n_resamples=20)
    assert again == fitted
    found = fitted.weights
    assert len(found.works) == 3 and found.threshold in THRESHOLDS and found.n > 100
    assert set(found.cv) == {"developed on", "held out", "all"} == set(parts_of(small))
    rows = fact_rows(fitted.crossed, small)
    confusion = found.cv["all"]["vectors"]["confusion"]
    assert sum(map(sum, confusion)) == len(rows) == found.cv["all"]["lexical"]["kappa"]["n"]
    hits = sum(known == told for _, known, told in rows)
    assert sum(confusion[k][k] for k in range(3)) == hits
    assert "gain" in "\n".join(lines(found))


def test_contradictions_stay_as_the_rules_found_them(fitted) -> None:
    for before, after in zip(fitted.lexical, fitted.crossed, strict=True):
        told = [[f for f in p.findings if f.status == "Contradicted"] for p in (before, after)]
        assert told[0] == told[1]


def test_too_few_works_are_told(small) -> None:
    with pytest.raises(ValueError, match="three or more"):
        fit(CharacterGrams(64), "chars", replace(small, works=small.works[:2]), verifier=RULES)


def test_decide_follows_the_weights(fitted) -> None:
    p = fitted.lexical[0]
    store = VectorStore(CharacterGrams(256))
    row = measure([(p.caption, p.rubric)], [p.findings], store)[0]
    chances = fitted.weights.probabilities(row.rows)
    found = decide(fitted.weights, p.caption, p.findings, row)
    for before, chance, after in zip(p.findings, chances, found, strict=True):
        if before.status != "Contradicted":
            assert (after.status == "Supported") == (chance > fitted.weights.threshold)


# -- records and the command line -----------------------------------------------------------------------------


def test_the_record_of_the_test_set_has_both_verifiers(small, fitted, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(verify_report, "load_fresh", lambda: small)
    monkeypatch.setattr(verify_report, "embedded", lambda: (EXTRACTOR, RULES))
    monkeypatch.setattr("posh_lite.position.vector_verify.embedder_of",
                        lambda model: CharacterGrams(256) if model == "small" else CharacterGrams())
    fitted.weights.save(tmp_path / "w.json")
    place = tmp_path / "deep" / "verifier.json"
    assert verify_report.main(["--fresh", "--vectors", "small", "--weights", str(tmp_path / "w.json"), "--boot", "20",
                               "-o", str(place)]) == 0  # fmt: skip
    out = capsys.readouterr().out
    assert "with vectors: kappa" in out and "with spelling weighed: kappa" in out
    record = json.loads(place.read_text())
    assert record["corpus"] == "data/fresh (constructed)"
    one, two = record["parts"]["all"]["facts"], record["vectors"]["parts"]["all"]
    assert one == two["facts_rules"] == record["spelling"]["parts"]["all"]["facts_rules"]
    assert two["gain"]["value"] == pytest.approx(two["facts"]["kappa"]["value"] - one["kappa"]["value"])
    table = verifier_view.verifiers_table(record, record)
    assert list(table["verifier"])[:4] == ["lexical"] * 4
    assert {"lexical", "vectors", "vectors - lexical"} <= set(table["verifier"])
    assert (table["works"] >= 1).all() and (table["facts"] > 0).all()


def test_the_language_model_stands_in_the_table_beside_the_rules_on_its_facts() -> None:
    root = Path(__file__).parents[1] / "data" / "results"
    mini = json.loads((root / "position-mini" / "verifier.json").read_text())
    llm = json.loads((root / "position-llm" / "record.json").read_text())
    table = verifier_view.verifiers_table(mini, None, llm, n_resamples=20).set_index("verifier")
    assert table.loc["llm", "facts"] == table.loc["lexical, same facts", "facts"]


def test_the_fit_is_a_command(small, tmp_path, monkeypatch, capsys) -> None:
    from posh_lite.position import vector_fit

    monkeypatch.setattr(vector_fit, "load_mini", lambda: small)
    monkeypatch.setattr("posh_lite.position.profile.embedded", lambda: (EXTRACTOR, RULES))
    place = tmp_path / "new" / "w.json"
    assert vector_fit.main(["--model", "chars", "-o", str(place), "--boot", "20"]) == 0
    assert "works left out: kappa" in capsys.readouterr().out
    found = load_weights(place)
    assert found.model == "chars" and found.rules == rules_of(RULES.signature)
    VectorVerifier(CharacterGrams(), found, verifier=RULES)


@pytest.fixture
def captions(tmp_path):
    path = tmp_path / "captions.jsonl"
    row = {"id": "a", "model": "m", "reference": "A red cat sleeps on a mat.", "generation": "A red cat is asleep."}
    path.write_text(json.dumps(row) + "\n")
    return path


@pytest.mark.parametrize(("more", "told"), [
    (["--embedder", "chars"], "--embedder is for --verifier vectors"),
    (["--verifier", "llm", "--model", "m", "--trust-weights"], "--trust-weights is for --verifier vectors"),
    (["--verifier", "vectors", "--model", "m"], "--model is for"),
    (["--verifier", "vectors", "--embedder", "chars", "--vector-weights", "none.json"], "no such file of weights"),
    (["--verifier", "vectors", "--embedder", "chars", "--vector-weights",
      str(packaged_weights())], "fit anew"),
    (["--verifier", "vectors", "--embedder", ""], "--embedder names nothing"),
    (["--verifier", "vectors", "--embedder", "chars", "--vector-weights", " "], "--vector-weights names nothing"),
    (["--embedder", ""], "--embedder is for --verifier vectors"),
])  # fmt: skip
def test_wrong_options_are_told(captions, tmp_path, capsys, more, told) -> None:
    assert main(["position", str(captions), "-o", str(tmp_path / "where"), *more]) == 2
    assert told in capsys.readouterr().err


def test_the_command_runs_with_own_weights(captions, tmp_path) -> None:
    own = weights(CharacterGrams(), rules=rules_of(RULES.signature))
    own.save(tmp_path / "w.json")
    out = tmp_path / "where"
    assert main(["position", str(captions), "-o", str(out), "--verifier", "vectors", "--embedder", "chars",
                 "--no-figures", "--vector-weights", str(tmp_path / "w.json"), "--quiet", "--boot", "20"]) == 0
    assert f"weights:{own.name}" in json.loads((out / "position.json").read_text())["signature"]


def test_minilm_is_the_folder_that_its_judge_takes(captions, tmp_path, monkeypatch, capsys) -> None:
    where = str(tmp_path / "where")
    command = ["position", str(captions), "-o", where, "--verifier", "vectors", "--embedder", "minilm"]
    monkeypatch.delenv("POSH_LITE_MINILM", raising=False)
    assert main(command) == 1
    assert "POSH_LITE_MINILM is not set" in capsys.readouterr().err
    monkeypatch.setenv("POSH_LITE_MINILM", f" {tmp_path} ")
    monkeypatch.setattr("posh_lite.judge.embedding.lacks_minilm", lambda: "")
    assert embedder_name("minilm") == str(tmp_path)
    assert embedder_name(None) == "sentence-transformers/all-MiniLM-L6-v2" and embedder_name("chars") == "chars"


@pytest.mark.parametrize(("model", "name"), [
    ("chars", "chars"), (CharacterGrams().signature, "chars"), (CharacterGrams(512, 2, 4).signature, "chars"),
    ("chars-of-mine-sha256-0123456789ab", "all-MiniLM-L6-v2"), ("charsiu/model", "all-MiniLM-L6-v2"),
])
def test_a_name_that_begins_like_spelling_is_not_spelling(model: str, name: str) -> None:
    place = packaged_weights(model)
    assert place is not None and place.stem == name


@pytest.mark.parametrize("ridge", ["nan", "inf", "0", "-1"])
def test_a_ridge_that_is_none_is_refused(ridge: str, capsys) -> None:
    from posh_lite.position import vector_fit

    with pytest.raises(SystemExit):
        vector_fit.main(["--model", "chars", f"--ridge={ridge}"])
    assert "--ridge must be above 0" in capsys.readouterr().err


def test_a_model_that_is_not_here_is_told_with_what_to_do() -> None:
    with pytest.raises(MissingDependency, match=r"baselines|hf download"):
        embedder_of("nobody/no-such-model")


@pytest.mark.skipif(not os.environ.get("POSH_LITE_MINILM"),
                    reason="POSH_LITE_MINILM does not name a folder with all-MiniLM-L6-v2")  # fmt: skip
def test_the_real_model_knows_a_paraphrase_that_the_rules_do_not() -> None:
    reference = "A woman in a red bonnet pours milk. A dog lies by the door. The sky outside is gray."
    caption = "A lady decants a white drink from her pitcher. A hound rests near the entrance."
    rubric = EXTRACTOR.extract([reference])[0]
    verifier = VectorVerifier(embedder_of(os.environ["POSH_LITE_MINILM"]), graphs=GRAPHS, trust=True)
    found = {c.text: f for c, f in zip(rubric.claims, verifier.verify([(caption, rubric)])[0], strict=True)}
    assert verifier.weights.probes == pytest.approx(probes(verifier.store.embedder), abs=0.02)
    near = {text: f for text, f in found.items() if "sky" not in text and f.status == "Supported"}
    assert near and all(f.status == "Missing" for text, f in found.items() if "gray" in text)


@pytest.mark.parametrize("caption", ["dog", "A woman stands on a beach.", "A dog sleeps. A cat sits by it."])
def test_short_captions_keep_the_verdicts_of_the_rules(caption: str) -> None:
    rubric = EXTRACTOR.extract(["A woman stands on a beach. A dog sleeps beside her."])[0]
    weighed = VectorVerifier(embedder_of("chars"), verifier=RULES, trust=True)
    assert weighed.verify([(caption, rubric)]) == RULES.verify([(caption, rubric)])


def test_bold_type_changes_no_vector() -> None:
    plain = "A woman stands on a beach. A dog sleeps. The sea is gray. Two boats lie there."
    bold = plain.replace("woman", "**woman**").replace("gray", "**gray**").replace("boats", "*boats*")
    rubric = EXTRACTOR.extract(["A woman walks on a shore. A dog sleeps beside her under a gray sky."])[0]
    told = RULES.verify([(plain, rubric)])[0]
    store = VectorStore(CharacterGrams())
    one, two = measure([(plain, rubric), (bold, rubric)], [told, told], store)
    assert np.allclose(one.rows, two.rows)


def test_without_a_model_the_command_names_what_needs_none(captions, tmp_path, capsys) -> None:
    lacking = ["position", str(captions), "-o", str(tmp_path / "where"), "--verifier", "vectors"]
    assert main([*lacking, "--embedder", str(tmp_path / "no-model")]) != 0
    assert "--embedder chars compares by spelling and needs nothing" in capsys.readouterr().err


@pytest.mark.parametrize("more", [
    ["--weights", "w.json"], ["--called", "x"], ["--fresh", "--vectors", "chars", "--called", "x"], ["--boot", "0"],
    ["--people", "--limit", "0"], ["--people", "--vectors", "chars"],
])  # fmt: skip
def test_options_of_the_report_that_say_nothing_are_refused(more, capsys) -> None:
    with pytest.raises(SystemExit):
        verify_report.main(more)
    assert "error:" in capsys.readouterr().err
