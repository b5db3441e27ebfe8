"""Robustness: precedence, mixed evidence, bins, a second verifier, seeds."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posh_lite.position.composition import compose
from posh_lite.position.effects import diagnose
from posh_lite.position.robust import (
    VARIANTS,
    change,
    implied_spread,
    mixed_evidence,
    reversed_precedence,
    sensitivity,
    t_interval,
    under_two_verifiers,
    verifier_agreement,
)
from posh_lite.position.simulate import labelled_caption
from posh_lite.position.types import Claim, Finding, Rubric, SentenceLabel

RUBRIC = Rubric("A red cat sleeps.", (
    Claim(0, "A cat is there.", "Entity", 1.0, "cat"), Claim(1, "The cat is red.", "Visual_Detail", 2.0, "red"),
    Claim(2, "The cat sleeps.", "Interaction", 1.5, "sleeps"),
), "by hand")


def mixed(unit="image", model="model"):
    """Four sentences: supported, mixed, contradicted, generic."""
    plain = labelled_caption("SSHG", unit=unit, model=model)
    held, against = [(0,), (0,), (), ()], [(), (1, 2), (2,), ()]
    sentences = tuple(
        dataclasses.replace(s, supported=held[k], contradicted=against[k], weight=w)
        for k, (s, w) in enumerate(zip(plain.sentences, (1.0, 1.0, 1.5, 1.0), strict=True))
    )
    findings = (Finding(0, "Supported"), Finding(1, "Contradicted"), Finding(2, "Contradicted"))
    return dataclasses.replace(plain, rubric=RUBRIC, sentences=sentences, findings=findings)


def test_reversed_precedence_by_hand():
    profile = mixed()
    assert [reversed_precedence(profile, s) for s in profile.sentences] == [
        ("Supported", 1.0), ("Contradicted", 3.5), ("Contradicted", 1.5), ("Generic", 1.0)]
    plain = labelled_caption("H", weights=[7])  # a label without claims stays
    assert reversed_precedence(plain, plain.sentences[0]) == ("Contradicted", 7.0)
    made = compose([profile], reading=reversed_precedence)["model"]
    assert made.shares()[1].contradicted == 1


def test_mixed_evidence_by_hand():
    share = mixed_evidence([mixed(u) for u in "abc"], n_resamples=20)
    assert (share.value, share.low, share.n, share.n_units) == (0.25, 0.25, 12, 3)
    assert math.isnan(mixed_evidence([labelled_caption("")], n_resamples=5).value)


def test_the_papers_rate_of_mixed_evidence():
    assert round(187 / 11714, 3) == 0.016


def test_sensitivity_compares_with_the_first_reading_in_pairs():
    profiles = [mixed(u) for u in "abcd"]
    rows = {(r.variant, r.quantity): r for r in sensitivity(profiles, n_resamples=20)}
    assert len(rows) == len(VARIANTS) * 4
    base, reverse = rows["weighted, quartiles", "d_mid"], rows["contradicted before supported", "d_mid"]
    assert (base.estimate.value, base.change.value, base.change.high) == (0.5, 0, 0)
    assert (reverse.estimate.value, reverse.change.value) == (1.0, 0.5)
    # three parts: sentences 1 and 2, 3, and 4 of four, so nothing is contradicted at first and all in the middle
    assert rows["three parts", "d_mid"].estimate.value == 1.0
    late = rows["edges 0.05 later", "d_tail"]  # the fourth sentence starts at 0.75, before the edge at 0.8
    assert math.isnan(late.estimate.value) and late.change.reason == "empty: model: bin 4"
    with pytest.raises(ValueError, match="no variants"):
        sensitivity(profiles, [])


def test_changes_need_the_same_draws():
    profiles = [mixed(u) for u in "abcd"]
    one = diagnose(profiles, n_resamples=10)
    with pytest.raises(ValueError, match="same images, seed"):
        change(one, diagnose(profiles, n_resamples=10, seed=1), "model", "d_mid")


# -- a second verifier --------------------------------------------------------------------------------------


def other_view(profile, statuses, labels):
    findings = tuple(Finding(k, s) for k, s in enumerate(statuses))
    named = {"S": "Supported", "H": "Contradicted", "G": "Generic"}
    sentences = tuple(dataclasses.replace(s, label=named[x]) for s, x in zip(profile.sentences, labels, strict=True))
    return dataclasses.replace(profile, findings=findings, sentences=sentences)


def test_agreement_of_two_verifiers_by_hand():
    first = [mixed("a"), mixed("b")]
    second = [other_view(first[0], ["Supported", "Contradicted", "Missing"], "SSHG"),
              other_view(first[1], ["Supported", "Supported", None], "SHHG")]
    made = verifier_agreement(first, second, n_resamples=20)
    # statuses: S S, H H, H M, S S, H S and one without a verdict; 3 of 5 agree, by chance (2*3 + 3*1 + 0*1) / 25
    assert (made.claims.value, made.claims.n, made.claims.n_dropped) == (0.6, 5, 1)
    assert made.claims_kappa.value == pytest.approx((0.6 - 9 / 25) / (1 - 9 / 25))
    # labels: S4 H2 G2 against S3 H3 G2, 7 of 8 agree
    assert made.sentences.value == 7 / 8
    assert made.sentences_kappa.value == pytest.approx((7 / 8 - 22 / 64) / (1 - 22 / 64))
    assert made.n_captions == 2 and made.sentences.n_units == 2


def test_captions_with_other_claims_are_compared_by_sentences_and_counted():
    first = [mixed("a"), mixed("b")]
    other = dataclasses.replace(first[1], rubric=dataclasses.replace(
        first[1].rubric, claims=first[1].rubric.claims[:1]), findings=first[1].findings[:1])
    made = verifier_agreement(first, [first[0], other], n_resamples=10)
    assert (made.n_captions, made.n_other_rubric) == (2, 1)
    assert made.claims.n == 3 and made.sentences.n == 8
    assert verifier_agreement(first, first, n_resamples=10).n_other_rubric == 0


def test_a_verifier_agrees_with_itself():
    made = verifier_agreement([mixed("a"), mixed("b")], [mixed("a"), mixed("b")], n_resamples=10)
    assert made.claims.value == made.claims_kappa.value == made.sentences_kappa.low == 1


def test_runs_that_cannot_be_compared():
    with pytest.raises(ValueError, match="no caption in common"):
        verifier_agreement([mixed("a")], [mixed("b")])
    with pytest.raises(ValueError, match="no caption in common"):
        under_two_verifiers([mixed("a")], [mixed("b")])
    with pytest.raises(ValueError, match="other words"):
        verifier_agreement([mixed("a")], [dataclasses.replace(mixed("a"), caption="Something else.")])


def test_one_category_has_no_kappa():
    same = [labelled_caption("SS", unit=u) for u in (1, 2)]
    made = verifier_agreement(same, same, n_resamples=10)
    assert math.isnan(made.sentences_kappa.value) and made.sentences.value == 1
    assert made.sentences_kappa.reason == "both put everything into one category"
    assert made.claims.n == 0 and made.claims_kappa.reason == "nothing that both judged"


def test_two_verifiers_side_by_side():
    first = [mixed(u) for u in "abc"]
    second = [other_view(p, ["Supported"] * 3, "SHHG") for p in first] + [mixed("d")]
    rows = {r.quantity: r for r in under_two_verifiers(first, second, n_resamples=10)}
    assert list(rows) == ["d_mid", "s_q4", "h_q4", "g_q4"]
    assert (rows["d_mid"].first.value, rows["d_mid"].second.value, rows["d_mid"].difference.low) == (0.5, 1.0, 0.5)
    assert rows["g_q4"].difference.value == 0 and rows["d_mid"].first.n_units == 3


def test_images_may_be_named_otherwise_in_the_second_run():
    first = [dataclasses.replace(mixed(u), id=u) for u in "abc"]
    second = [dataclasses.replace(p, unit=f"file {p.id}") for p in first]
    assert under_two_verifiers(first, second, n_resamples=10)[0].difference.value == 0


# -- seeds --------------------------------------------------------------------------------------------------


def test_t_interval_by_hand():
    made = t_interval([1.0, 2.0, 3.0])  # t(0.975, 2) = 4.302653, sd 1
    assert made.value == 2 and made.high - 2 == pytest.approx(4.302653 / math.sqrt(3), abs=1e-6)
    assert 2 - made.low == pytest.approx(made.high - 2)


def test_t_interval_is_scipys():
    from scipy import stats

    values = [0.457, 0.44, 0.46, 0.47]
    low, high = stats.t.interval(0.9, 3, np.mean(values), stats.sem(values))
    made = t_interval(values, level=0.9)
    assert (made.low, made.high) == pytest.approx((low, high), abs=1e-12)


def test_few_and_equal_seeds():
    assert str(t_interval([0.2, 0.2, 0.2])) == "0.20 [0.20, 0.20], n = 3"
    assert t_interval([0.2]).reason == "one value only: no interval"
    assert math.isnan(t_interval([]).value) and t_interval([]).reason == "no values"
    assert t_interval([0.1, math.nan, 0.3]).n_dropped == 1
    with pytest.raises(ValueError, match="level"):
        t_interval([1, 2], level=0)
    with pytest.raises(ValueError, match="seeds"):
        implied_spread(0.5, 0.4)


def test_table_21_is_what_three_seeds_of_its_spread_give():
    """The seeds are not printed. Three with the printed mean and implied spread give the printed interval again."""
    from posh_lite import paper

    rows = paper.table("position:21")
    assert len(rows) == 6
    for row in rows.itertuples():
        spread = implied_spread(row.low, row.high)
        made = t_interval([row.mean - spread, row.mean, row.mean + spread])
        assert made.value == pytest.approx(row.mean, abs=1e-12)
        # the printed mean is rounded, and so are the ends
        assert abs(made.low - row.low) <= 0.001 + 1e-9 and abs(made.high - row.high) <= 0.001 + 1e-9


@given(st.floats(-1, 1), st.floats(0, 1), st.integers(2, 30))
def test_implied_spread_is_the_inverse(mean, spread, n):
    values = [mean + spread * (k - (n - 1) / 2) for k in range(n)]
    made = t_interval(values)
    assert implied_spread(made.low, made.high, n) == pytest.approx(np.std(values, ddof=1), abs=1e-9)


def test_a_sentence_label_is_untouched_by_readings():
    sentence = SentenceLabel(0, 1, 1, 1, "Supported", 2.0, (0,), (1,))
    profile = dataclasses.replace(labelled_caption("S"), rubric=RUBRIC, sentences=(sentence,))
    compose([profile], reading=reversed_precedence)
    assert profile.sentences[0].label == "Supported"
