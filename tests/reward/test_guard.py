"""What the guards block: each exploit works on the paper's letter and not against the guard; properties by search."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_profiles import Made, profile_of

from posh_lite.reward import Terms, pager_terms, variant
from posh_lite.reward.guard import places, repeats, says_again, sentences_of, tail_of, without_repeats

NONE, REPEATS, FULL = (variant("full", guard=g) for g in ("none", "repeats", "full"))
KINDS = ("Visual_Detail",) * 8
WORDS = ("amber boat", "bronze clock", "copper door", "denim elk", "ebony flag", "fawn gate", "golden hat", "hazel ink")
#: Eight details, one a sentence; two of them, 3 to 6, in the middle.
DETAILS: list[Made] = [(f"{words} stands.", 0.1, (i,), ()) for i, words in enumerate(WORDS)]
FILLER: list[Made] = [(f"the mood {w} feels calm.", 0.9, (), ()) for w in ("ay", "bee", "cee", "dee", "eff", "gee")]
MADE_UP: list[Made] = [(f"unheard {w} flies.", 0.1, (), ()) for w in ("owl", "pan", "quill", "rope", "sail", "tub")]


def terms(sentences: list[Made], settings: object, kinds: tuple[str, ...] = KINDS) -> Terms:
    profile, generic = profile_of(kinds, sentences)  # type: ignore[arg-type]
    return pager_terms(profile, settings, length=1, genericity=generic)  # type: ignore[arg-type]


def again(sentence: Made) -> Made:
    return (f"Again, {sentence[0]}", *sentence[1:])


# -- exploits: (term, honest caption, gamed caption, which guards block it) --------------------------------------

EXPLOITS = {
    "copies at the end pass for a specific tail": (
        "tail", DETAILS + FILLER[:3], DETAILS + FILLER[:3] + [again(d) for d in DETAILS], ("repeats", "full")),
    "copies on both sides push details into the middle": (
        "middle", DETAILS, [DETAILS[0], *[again(DETAILS[0])] * 3, *DETAILS[1:], *[again(DETAILS[0])] * 4],
        ("repeats", "full")),
    "filler at the head pushes details into the middle": (
        "middle", DETAILS[:4], FILLER[:2] + DETAILS[:4], ("full",)),
    "what no claim is about does the same": (
        "middle", DETAILS[:4], MADE_UP[:2] + DETAILS[:4], ("full",)),
    "filler at the head widens the tail until specific sentences dilute it": (
        "tail", DETAILS + FILLER[:1], FILLER[1:] + DETAILS + FILLER[:1], ("full",)),
    "mild filler dilutes heavy filler": (
        "tail", DETAILS + FILLER, DETAILS + FILLER + [(f"a mild {w} sense.", 0.55, (), ()) for w in WORDS], ("full",)),
}  # fmt: skip


@pytest.mark.parametrize("exploit", EXPLOITS)
@pytest.mark.parametrize("guard", ["none", "repeats", "full"])
def test_an_exploit_works_without_its_guard_and_not_with_it(exploit: str, guard: str) -> None:
    term, honest, gamed, blocked_by = EXPLOITS[exploit]
    chosen = variant("full", guard=guard)
    gain = getattr(terms(gamed, chosen), term) - getattr(terms(honest, chosen), term)
    if guard in blocked_by:
        assert gain <= 1e-12
    else:
        assert gain > 0.01


def test_one_detail_at_the_very_end_does_not_hide_the_filler_before_it() -> None:
    hidden = DETAILS[:7] + FILLER[:3] + DETAILS[7:]
    assert terms(hidden, FULL).tail == pytest.approx(-0.2 * 3 / 5)  # after six details: one, three filler, one


def test_what_remains_is_the_paper_s_design() -> None:
    coarse = ("Entity",) * 4 + ("Visual_Detail",) * 4
    outside = [DETAILS[i] for i in (4, 5, 0, 1, 2, 3, 6, 7)]
    inside = [DETAILS[i] for i in (0, 1, 4, 5, 6, 7, 2, 3)]
    assert terms(inside, FULL, coarse).middle > terms(outside, FULL, coarse).middle  # details earn more in the middle
    moved = DETAILS[:4] + FILLER[:2] + DETAILS[4:]
    assert terms(moved, FULL).tail > terms(DETAILS + FILLER[:2], FULL).tail  # a tail is mended by moving filler out


@pytest.mark.parametrize("guard", ["none", "repeats", "full"])
def test_a_false_end_mends_a_tail_unless_the_tail_asks_for_evidence(guard: str) -> None:
    honest, ended = DETAILS[:6] + FILLER[:2], DETAILS[:6] + FILLER[:2] + MADE_UP
    wrong = [(f"{WORDS[i]} lies.", 0.1, (), (i,)) for i in (6, 7)]
    by_judge, by_evidence = variant("full", guard=guard), variant("full", guard=guard, tail="evidence")
    assert terms(ended, by_judge).tail > terms(honest, by_judge).tail
    for end in (MADE_UP, wrong):
        assert terms(honest + end, by_evidence).tail <= terms(honest, by_evidence).tail
    assert terms(DETAILS, by_evidence).tail == 0.0


def test_the_rising_weight_is_not_raised_by_filler_either() -> None:
    guarded, bare = variant("monotone"), variant("monotone", guard="none")
    vague = [("some wall perhaps.", 0.45, (), ()), *DETAILS[:3], ("a hint of it.", 0.3, (), ()), *DETAILS[3:]]
    gamed = FILLER[:6] + vague
    assert terms(gamed, guarded, KINDS).middle == pytest.approx(terms(vague, guarded, KINDS).middle)
    ended = vague + FILLER
    assert terms(ended, guarded).middle < terms(vague, guarded).middle
    assert terms(ended, bare).middle < terms(vague, bare).middle


# -- properties --------------------------------------------------------------------------------------------------

_KINDS = st.lists(st.sampled_from(["Entity", "Visual_Detail", "Interaction", "Scene_Context"]), min_size=8, max_size=8)


@st.composite
def captions(draw: st.DrawFn) -> tuple[list[str], list[Made]]:
    """Details that are right or wrong, filler of every degree and made-up sentences, in any order."""
    kinds = draw(_KINDS)
    chosen = draw(st.lists(st.integers(0, 7), unique=True, max_size=8))
    told: list[Made] = []
    for i in chosen:
        wrong, g = draw(st.booleans()), draw(st.sampled_from([0.0, 0.2, 0.49]))
        told.append((f"{WORDS[i]} stands.", g, () if wrong else (i,), (i,) if wrong else ()))
    told += draw(st.lists(st.sampled_from(FILLER + MADE_UP), unique=True, max_size=6))
    return kinds, draw(st.permutations(told))


def insert(told: list[Made], new: list[Made], at: list[int]) -> list[Made]:
    out = list(told)
    for sentence, place in zip(new, at, strict=True):
        out.insert(place % (len(out) + 1), sentence)
    return out


def assert_no_gain(gamed: Terms, honest: Terms, *, middle_may: bool = False) -> None:
    assert gamed.coverage == pytest.approx(honest.coverage)
    assert middle_may or gamed.middle == pytest.approx(honest.middle)
    assert gamed.tail <= honest.tail + 1e-12
    assert gamed.length <= honest.length


@settings(max_examples=300, deadline=None)
@given(captions(), st.lists(st.sampled_from([0.5, 0.7, 1.0]), min_size=1, max_size=5), st.data())
def test_padding_raises_no_term(made: tuple[list[str], list[Made]], generic: list[float], data: st.DataObject) -> None:
    kinds, told = made
    pad = [(f"padding number {i} {'x' * (i + 1)} whatever.", g, (), ()) for i, g in enumerate(generic)]
    at = data.draw(st.lists(st.integers(0, 99), min_size=len(pad), max_size=len(pad)))
    assert_no_gain(terms(insert(told, pad, at), FULL, tuple(kinds)), terms(told, FULL, tuple(kinds)))


@settings(max_examples=300, deadline=None)
@given(captions(), st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=6))
def test_repetition_raises_no_term(made: tuple[list[str], list[Made]], copies: list[tuple[int, int]]) -> None:
    """Whatever is copied wherever: the caption gains no more than with the first of each sentence alone."""
    kinds, told = made
    if not told:
        return
    gamed = list(told)
    for which, place in copies:
        gamed.insert(place % (len(gamed) + 1), again(told[which % len(told)]))
    seen: set[str] = set()
    first = [s for s in gamed if (key := s[0].removeprefix("Again, ")) not in seen and not seen.add(key)]
    assert_no_gain(terms(gamed, FULL, tuple(kinds)), terms(first, FULL, tuple(kinds)))
    assert terms(gamed, FULL, tuple(kinds)).tail <= terms(told, FULL, tuple(kinds)).tail + 1e-12


@settings(max_examples=200, deadline=None)
@given(captions(), st.randoms(use_true_random=False))
def test_reordering_moves_the_middle_term_alone_where_filler_keeps_its_places(
    made: tuple[list[str], list[Made]], chance: random.Random
) -> None:
    kinds, told = made
    places_ = [i for i, s in enumerate(told) if s[1] < 0.5]
    order = list(places_)
    chance.shuffle(order)
    moved = list(told)
    for to, of in zip(places_, order, strict=True):
        moved[to] = told[of]
    before, after = terms(told, FULL, tuple(kinds)), terms(moved, FULL, tuple(kinds))
    assert_no_gain(after, before, middle_may=True)
    assert after.tail == before.tail


@settings(max_examples=200, deadline=None)
@given(captions(), st.sampled_from(MADE_UP + FILLER), st.integers(0, 99))
def test_nothing_but_new_evidence_moves_evidence(made: tuple[list[str], list[Made]], new: Made, place: int) -> None:
    kinds, told = made
    wider = insert(told, [("extra " + new[0], *new[1:])], [place])
    assert terms(wider, FULL, tuple(kinds)).middle == pytest.approx(terms(told, FULL, tuple(kinds)).middle)


# -- repeats in text ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sentence", [
    "A red car is parked by an old house.", "The red car was parked by the old house.", "Again, a red car is parked.",
    "An old house: a red car is parked by it.", "There is a red car.", "As mentioned, a red car is parked.",
    "In the image, the red car is parked by an old house.", "To recap, we can see that a red car is parked.",
    "A red car is parked by an old house, as noted above.", "The image also shows a red car.",
    "**Notably, a red car is parked.**", '"A red car is parked."', "- a red car is parked",
])  # fmt: skip
def test_these_say_it_again(sentence: str) -> None:
    assert says_again(sentence, "A red car is parked by an old house.")


@pytest.mark.parametrize("sentence", [
    "A blue car is parked by an old house.", "The house is red.", "A red car is not parked by an old house.",
    "In the image, a red car is new.", "As mentioned, a blue car is parked.", "We can see a horse.",
    "Two red cars are parked by an old house, under a tree.", "A red car is parked behind an old house.", "",
])  # fmt: skip
def test_these_say_something_else(sentence: str) -> None:
    assert not says_again(sentence, "A red car is parked by an old house.")


@pytest.mark.parametrize(("sentence", "earlier"), [
    ("It is red.", "A red car is parked."), ("She is tall.", "A tall man stands by a wall."),
    ("They are white.", "White clouds fill the sky."), ("It, too, is octagonal.", "An octagonal tower stands left."),
])  # fmt: skip
def test_a_pronoun_may_speak_of_a_second_thing(sentence: str, earlier: str) -> None:
    assert not says_again(sentence, earlier)
    assert says_again(sentence, sentence)
    assert repeats(f"{earlier} The roof is of tin. {sentence} {sentence}") == {4}


def test_left_and_right_are_two_things() -> None:
    one, two = (f"The tall man on the {side} wears a long red coat with brass buttons and a hat." for side in
                ("left", "right"))  # fmt: skip
    assert not says_again(two, one)


_TEXT = st.text(alphabet="ab .!?\n*-1é😀\u0301", max_size=60)


@given(st.lists(_TEXT, max_size=5).map(" ".join))
def test_blanks_keep_every_offset(text: str) -> None:
    blanked = without_repeats(text)
    assert len(blanked) == len(text)
    assert all(a == b or b == " " for a, b in zip(text, blanked, strict=True))
    assert without_repeats(blanked) == blanked


def test_a_copy_of_a_copy_is_one_too_and_the_first_stays() -> None:
    text = "A red car is here. A dog sleeps. A red car is here. The red car is here!"
    assert repeats(text) == {3, 4}
    assert without_repeats(text) == "A red car is here. A dog sleeps.".ljust(len(text))


def test_copies_of_headings_and_clauses_are_left_out() -> None:
    dogs = "Two dogs sleep under a tree"
    titles = without_repeats("\n\n".join([f"{dogs}.", *[f"**{dogs}**"] * 3, f"## {dogs} by a house"]))
    assert titles.count(dogs) == 2 and titles.endswith("by a house")
    clauses = f"{', '.join([dogs] * 5)}, and a cat sits."
    assert without_repeats(clauses).count(dogs) == 2 and without_repeats(clauses).endswith(" and a cat sits.")
    kept = 'A red hat, a blue hat, a red hat. The letters "M" and "U" are in brown, while the letters "I" and "U" are.'
    assert without_repeats(kept) == kept


def test_a_heading_as_long_as_a_sentence_is_one() -> None:
    text = "## Overview\n\nA red car.\n\n## The overall mood is calm and inviting\n\n**The Bedroom**"
    assert [text[slice(*s)] for s in sentences_of(text)] == ["A red car.", "The overall mood is calm and inviting"]


def test_places_follow_what_is_counted() -> None:
    profile, _ = profile_of(KINDS, FILLER[:2] + DETAILS[:4] + FILLER[2:4])
    assert list(places(profile.sentences, {3, 4, 5, 6}).values()) == [1, 1, 1, 2, 3, 4, 4, 4]
    assert set(places(profile.sentences, ()).values()) == {1}
    assert [s.number for s in tail_of(profile.sentences, {3, 4, 5, 6})] == [6, 7, 8]
    assert len(tail_of(profile.sentences, ())) == 8
