"""The four terms: the paper's formulas to the letter with the guard "none", and what the settings change."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from made_profiles import profile_of

from posh_lite.errors import InputError
from posh_lite.reward import VARIANTS, PagerSettings, pager_terms, variant
from posh_lite.reward.terms import judged, over_budget

PAPER = VARIANTS["unguarded"]
KINDS = ("Entity", "Visual_Detail", "Interaction", "Visual_Detail", "Scene_Context", "Visual_Detail", "Interaction")
#: Eight sentences, two a quarter. Weights 1, 2, 1.5, 2, 1, 2, 1.5: 11 in all.
CAPTION = [
    ("alpha one.", 0.1, (0,), ()), ("bravo two.", 0.6, (), ()), ("charlie three.", 0.1, (1,), ()),
    ("delta four.", 0.3, (4,), ()), ("echo five.", 0.1, (2,), ()), ("foxtrot six.", 0.1, (), (3,)),
    ("golf seven.", 0.9, (), ()), ("hotel eight.", 0.2, (5,), ()),
]  # fmt: skip


def terms(settings, caption=CAPTION, *, length=100.0, **more):
    profile, generic = profile_of(KINDS, caption)
    return pager_terms(profile, settings, length=length, genericity=generic, **more)


def test_the_formulas_of_section_4_by_hand() -> None:
    found = terms(PAPER, length=2 * 1212)
    assert found.coverage == pytest.approx((1 + 2 + 1.5 + 1 + 2 - 0.5 * 2) / 11)
    assert found.middle == pytest.approx(0.3 * (2 + 1.5) / 11)  # the scene of sentence 4 is not fine-grained
    assert found.tail == pytest.approx(-0.2 * (0.9 + 0.2) / 2)
    assert found.length == pytest.approx(-0.05 * math.log(2))  # the budget is 512 + 100 * 7 = 1212
    assert found.total == pytest.approx(found.coverage + found.middle + found.tail + found.length)


def test_unweighted_claims_count_one_each() -> None:
    found = terms(replace(PAPER, weighted=False))
    assert found.coverage == pytest.approx((5 - 0.5) / 7)
    assert found.middle == pytest.approx(0.3 * 2 / 7)


def test_the_residual_tail_counts_sentences_without_evidence() -> None:
    assert terms(replace(PAPER, tail="residual")).tail == pytest.approx(-0.2 * 1 / 2)


def test_the_tail_of_a_caption_without_a_last_quarter_is_nothing() -> None:
    assert terms(PAPER, CAPTION[:3]).tail == 0.0


@pytest.mark.parametrize(("name", "zero"), [("no-mid", "middle"), ("no-tail", "tail"), ("no-len", "length")])
@pytest.mark.parametrize("guard", ["none", "repeats", "full"])
def test_a_variant_takes_one_term_out_and_leaves_the_others(name: str, zero: str, guard: str) -> None:
    whole, part = terms(variant("full", guard=guard), length=9999), terms(variant(name, guard=guard), length=9999)
    for term in ("coverage", "middle", "tail", "length"):
        assert getattr(part, term) == (0.0 if term == zero else getattr(whole, term))
    assert getattr(whole, zero) != 0.0


def test_the_holistic_variant_has_one_mark_and_no_positions() -> None:
    found = terms(variant("holistic"), mark=0.75)
    assert (found.coverage, found.middle) == (0.75, 0.0)
    assert found.tail < 0
    with pytest.raises(ValueError, match="mark of the checklist"):
        terms(variant("holistic"))


def test_the_monotone_variant_by_hand() -> None:
    on_evidence = terms(variant("monotone", guard="none", monotone_on="evidence"))
    rising = 0 * 1 + (1 / 3) * 2 + (1 / 3) * 1 + (2 / 3) * 1.5 + 1 * 2  # claims 0, 1, 4, 2, 5
    assert on_evidence.middle == pytest.approx(0.3 * rising / 11)
    on_specificity = terms(variant("monotone", guard="none"))
    weights = [0, 0, 1 / 3, 1 / 3, 2 / 3, 2 / 3, 1, 1]
    told = sum(w * (1 - g) for w, (_, g, _, _) in zip(weights, CAPTION, strict=True)) / sum(weights)
    assert on_specificity.middle == pytest.approx(0.3 * told)
    assert on_specificity.tail == on_evidence.tail == 0.0


def test_forms_of_the_length_term() -> None:
    assert over_budget(1212, PAPER, 7) == 0.0
    assert over_budget(1213, PAPER, 7) == pytest.approx(math.log(1213 / 1212))
    assert over_budget(1213, replace(PAPER, length_form="log_excess"), 7) == pytest.approx(math.log(2))
    assert over_budget(10**9, replace(PAPER, length_form="none"), 7) == 0.0


def test_the_full_guard_counts_quarters_of_what_is_supported_and_filler_in_the_tail() -> None:
    found = terms(variant("full"))
    # evidence lies in sentences 1, 3, 4, 5, 8: quarters 1, 1, 2, 3, 4; claim 2 is fine and in the middle
    assert found.middle == pytest.approx(0.3 * 1.5 / 11)
    # specific are 1, 3, 4, 5, 6, 8: one of six is the last quarter; after sentence 6 come filler and it
    assert found.tail == pytest.approx(-0.2 * 1 / 2)
    assert found.coverage == terms(PAPER).coverage


def test_what_the_terms_need_to_be_judged() -> None:
    profile, _ = profile_of(KINDS, CAPTION)
    everything = tuple(range(1, 9))
    assert judged(profile, PAPER) == (7, 8)
    assert judged(profile, variant("full")) == everything
    assert judged(profile, variant("monotone")) == everything
    for none in (variant("no-tail"), variant("coverage-only"), variant("full", tail="residual"),
                 variant("monotone", monotone_on="evidence")):  # fmt: skip
        assert judged(profile, none) == ()
        pager_terms(profile, none, length=1)  # and it does without


def test_what_is_needed_and_lacking_is_said() -> None:
    profile, _ = profile_of(KINDS, CAPTION)
    with pytest.raises(ValueError, match="genericity"):
        pager_terms(profile, PAPER, length=1)
    with pytest.raises(ValueError, match="genericity of all"):
        pager_terms(profile, variant("monotone"), length=1)
    empty, _ = profile_of((), CAPTION[:0])
    with pytest.raises(ValueError, match="without claims"):
        pager_terms(empty, PAPER, length=1)


def test_settings_are_checked_and_named() -> None:
    assert PagerSettings().signature == "table-11"
    assert variant("no-mid", beta=1.0).signature == "beta:1.0 lambda_mid:0.0"
    assert PagerSettings().budget(7) == 1212
    for wrong in ({"alpha": -1}, {"beta": float("nan")}, {"lambda_mid": True}, {"guard": "some"},
                  {"length_unit": "pages"}, {"base_length": 0, "claim_length": 0}):  # fmt: skip
        with pytest.raises(InputError):
            PagerSettings(**wrong)
    with pytest.raises(InputError, match="no variant"):
        variant("fuller")
    with pytest.raises(InputError, match="no setting"):
        variant("full", lamda_mid=1)
