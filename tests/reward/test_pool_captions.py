"""The guards over real texts: captions composed of sentences, read by the embedded extractor, verifier and judge.

Every sentence stands by itself: where one refers to another, as in "beside the car", order changes what is said.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.position.types import CaptionProfile
from posh_lite.reward import PagerReward, PoShReward, Terms, pager_terms, variant
from posh_lite.reward.judges import JudgeChoice, panel_of
from posh_lite.reward.terms import judged

REFERENCE = (
    "A red car is parked on a street. A tall woman in a white dress stands beside a fence. Two dogs sleep under a tree."
    " A wooden bench stands in front of a brick wall. A yellow kite hangs above the roof. A boy holds a green balloon."
)
RIGHT = [s.strip() + "." for s in REFERENCE.split(".") if s.strip()]
#: Each contradicts the sentence of the same place.
WRONG = [
    "A blue car is parked on a street.", "A tall woman in a black dress stands beside a fence.",
    "Three dogs sleep under a tree.", "A metal bench stands in front of a brick wall.",
    "A purple kite hangs above the roof.", "A boy holds a red balloon.",
]  # fmt: skip
FILLER = [
    "The overall mood is calm and inviting.", "The composition creates a sense of harmony.",
    "It invites the viewer to imagine a story.", "Everything contributes to a feeling of peace.",
]  # fmt: skip
UNHEARD = ["A silver plane crosses the sky.", "A violinist plays near a fountain."]
FULL, NONE = variant("full"), variant("unguarded")


def seen(caption: str, settings_=FULL) -> CaptionProfile:  # type: ignore[no-untyped-def]
    panel = panel_of(JudgeChoice())
    rubric = panel.rubrics([(REFERENCE, "")])[0]
    assert rubric is not None
    found = panel.profiles([(caption, rubric)], settings_.guard)[0]
    assert found is not None
    return found


def terms(sentences: list[str], settings_=FULL) -> Terms:  # type: ignore[no-untyped-def]
    profile = seen(" ".join(sentences), settings_)
    numbers = judged(profile, settings_)
    g = panel_of(JudgeChoice()).genericity([profile.caption[slice(*profile.sentences[k - 1].span)] for k in numbers])
    return pager_terms(profile, settings_, length=len(sentences), genericity=dict(zip(numbers, g, strict=True)))  # type: ignore[arg-type]


def statuses(caption: str, settings_=FULL) -> dict[str, str | None]:  # type: ignore[no-untyped-def]
    profile = seen(caption, settings_)
    return {c.text: f.status for c, f in zip(profile.rubric.claims, profile.findings, strict=True)}


def test_the_pools_are_what_they_are_called() -> None:
    for right, wrong in zip(RIGHT, WRONG, strict=True):
        assert "Contradicted" not in statuses(right).values()
        assert sum(v == "Supported" for v in statuses(right).values()) >= 3
        assert "Contradicted" in statuses(wrong).values(), wrong
    scores = panel_of(JudgeChoice()).genericity(FILLER + RIGHT + WRONG + UNHEARD)
    assert all(s is not None and s >= 0.5 for s in scores[:4])
    assert all(s is not None and s < 0.5 for s in scores[4:])


BOTH = list(zip(RIGHT, WRONG, strict=True))
HEDGES = [(right, wrong, wrong) for right, wrong in BOTH] + [(wrong, right, wrong) for right, wrong in BOTH]


@pytest.mark.parametrize(("one", "two", "wrong"), HEDGES)
def test_saying_both_does_not_take_a_contradiction_back(one: str, two: str, wrong: str) -> None:
    denied = {c for c, s in statuses(wrong).items() if s == "Contradicted"}
    hedge = statuses(f"{one} {two}")
    assert {hedge[c] for c in denied} == {"Contradicted"}
    right = two if one == wrong else one
    assert terms([one, two]).coverage < terms([right]).coverage


def test_a_hedge_in_a_heading_is_one() -> None:
    wrong, right = "A boy holds a red balloon", "A boy holds a green balloon."
    plain, headed = statuses(f"{right}\n\n{wrong}."), statuses(f"{right}\n\n## {wrong}\n\nA tree.\n\n{wrong}.")
    denied = {c for c, s in plain.items() if s == "Contradicted"}
    assert denied and {headed[c] for c in denied} == {"Contradicted"}


def test_the_letter_takes_the_better_half_of_a_hedge() -> None:
    fooled = 0
    for one, two, wrong in HEDGES:
        denied = {c for c, s in statuses(wrong).items() if s == "Contradicted"}
        hedge = statuses(f"{one} {two}", NONE)
        fooled += any(hedge[c] == "Supported" for c in denied)
    assert fooled == 10  # of 12


@pytest.mark.parametrize(("hedge", "plain"), [
    ("A red or blue car is parked on a street.", "A car is parked on a street."),
    ("A blue, green, or red car is parked on a street.", "A car is parked on a street."),
    ("Two or three dogs sleep under a tree.", "Dogs sleep under a tree."),
    ("A boy holds a green or red balloon.", "A boy holds a balloon."),
])
def test_one_word_or_another_supports_no_more_than_neither(hedge: str, plain: str) -> None:
    """It is no contradiction either: what is said is left open."""
    open_, bare = statuses(hedge), statuses(plain)
    assert {c for c, s in open_.items() if s == "Supported"} <= {c for c, s in bare.items() if s == "Supported"}
    assert terms([hedge]).coverage <= terms([plain]).coverage
    assert terms([hedge], NONE).coverage > terms([plain], NONE).coverage  # the letter pays for it


def test_what_the_reference_leaves_open_may_stay_open() -> None:
    reference = "Two or three dogs sleep under a tree. A red or orange car is parked on a street."
    panel = panel_of(JudgeChoice())
    rubric = panel.rubrics([(reference, "")])[0]
    assert rubric is not None
    for guard in ("none", "full"):
        found = panel.profiles([(reference, rubric)], guard)[0]  # type: ignore[list-item,arg-type]
        assert found is not None and {f.status for f in found.findings} == {"Supported"}


@pytest.mark.parametrize("mark", ["## {}", "**{}**", "- {}", "{}"])
def test_filler_in_any_dress_is_filler(mark: str) -> None:
    told = " ".join(RIGHT[:3])
    dressed = "\n\n".join([told, *(mark.format(f.removesuffix(".")) for f in FILLER[:2])])
    assert terms([dressed]).tail < terms([told]).tail == 0.0


def test_two_things_of_a_name_are_no_hedge() -> None:
    reference = "A red car and a blue car are parked on a street. The red car has a black roof."
    panel = panel_of(JudgeChoice())
    rubric = panel.rubrics([(reference, "")])[0]
    assert rubric is not None
    found = panel.profiles([("A red car is parked on a street. A blue car is parked there, too.", rubric)], "full")[0]
    assert found is not None
    assert "Contradicted" not in {f.status for f in found.findings}


def test_a_reference_is_no_hedge_of_itself() -> None:
    assert "Contradicted" not in statuses(REFERENCE).values()


_CAPTION = st.lists(st.sampled_from(RIGHT + WRONG + UNHEARD + FILLER), unique=True, min_size=1, max_size=6)


@settings(max_examples=15, deadline=None)
@given(_CAPTION, st.lists(st.sampled_from(FILLER), unique=True, min_size=1, max_size=3), st.data())
def test_padding_raises_no_term(told: list[str], pad: list[str], data: st.DataObject) -> None:
    pad = [p for p in pad if p not in told]
    wider = list(told)
    for sentence in pad:
        wider.insert(data.draw(st.integers(0, len(wider))), sentence)
    before, after = terms(told), terms(wider)
    assert after.coverage == pytest.approx(before.coverage)
    assert after.middle == pytest.approx(before.middle)
    assert after.tail <= before.tail + 1e-12
    assert after.length <= before.length


@settings(max_examples=15, deadline=None)
@given(_CAPTION, st.lists(st.integers(0, 5), min_size=1, max_size=4))
def test_repetition_raises_no_term(told: list[str], copies: list[int]) -> None:
    wider = [*told, *(told[i % len(told)] for i in copies)]
    before, after = terms(told), terms(wider)
    assert after.coverage == before.coverage
    assert after.middle == before.middle
    assert after.tail <= before.tail + 1e-12


@settings(max_examples=15, deadline=None)
@given(_CAPTION, st.randoms(use_true_random=False))
def test_order_changes_neither_coverage_nor_length(told: list[str], chance: random.Random) -> None:
    moved = list(told)
    chance.shuffle(moved)
    assert terms(moved).coverage == pytest.approx(terms(told).coverage)
    assert terms(moved).length == terms(told).length


def test_posh_is_not_raised_by_copies_of_what_is_right() -> None:
    right = "Two dogs sleep under a tree"
    honest = f"{right}. {' '.join(UNHEARD)}"
    gamed = [honest + f" {right}." * 6, honest + f"\n\n**{right}**" * 6]
    call = {"completions": [honest, *gamed], "reference": [REFERENCE] * 3}
    for score in ("mistakes", "overall", "mean"):
        plain = PoShReward(score, guard="none")(**call)
        guarded = PoShReward(score)(**call)
        assert plain[1] > plain[0] + 0.01 and plain[2] > plain[0] + 0.01  # type: ignore[operator]
        assert guarded[1] == guarded[2] == guarded[0] == plain[0]


def test_the_rewards_see_what_the_terms_say() -> None:
    caption = " ".join([*RIGHT[:3], FILLER[0], WRONG[4]])
    found = PagerReward(variant("full", length_unit="words"))(completions=[caption], reference=[REFERENCE])[0]
    assert found == pytest.approx(terms([*RIGHT[:3], FILLER[0], WRONG[4]]).total)
