"""People, their looks, clothes and gestures: other words for the same, near kinds, and what excludes what."""

from __future__ import annotations

import pytest

from posh_lite import PoSh
from posh_lite.judge.lexical import heads, words
from posh_lite.judge.lexical.words import CONFLICT, PARTIAL, UNRELATED


def _pairs(text: str) -> list[tuple[str, str]]:
    return [(a.strip(), b.strip()) for a, b in (pair.split("=") for pair in text.split(";"))]


NAMES = """
lady-in-waiting = maid of honor; infanta = princess; pontiff = pope; friar = monk; lackey = footman;
harlot = prostitute; mendicant = beggar; court fool = jester; multitude = crowd; trio = group of three;
handmaiden = court lady; horseman = cavalier; washerwoman = laundress; headsman = executioner; gendarme = policeman;
topknot = bun; mutton chops = sideburns; ruff = pleated collar; cocked hat = tricorn; broad-brimmed hat = hat;
laurel crown = laurel wreath; lorgnette = spectacles; sabot = clog; rags = tattered clothing; fop = dandy;
ragamuffin = urchin; night watch = guard; monk's habit = habit
"""
#: A captioner may well mean the same by both.
NEARLY = """
lady-in-waiting = servant; squire = page; courtier = nobleman;
monk = priest; passerby = onlooker; crown = wreath; soldiers = troops;
facial hair = mustache; stocking = tights; teenage boy = young man; toddler = baby; cloak = coat; scepter = staff
"""
#: Who says nothing of gender or age is anybody: a man may be a tourist.
ANYBODY = ("tourist", "passenger", "spectator", "customer", "prisoner", "hiker", "worshipper", "relative", "reveler")
APART = """
lady-in-waiting = knight; page = maid; king = queen; infanta = dauphin; grandmother = girl; monk = nun; son = daughter;
father = mother; butler = maid; bride = groom; tourist = soldier; crown = helmet; beard = mustache; veil = boot
"""
ALIKE = """
flaxen-haired = blond-haired; gaunt = hollow-cheeked; anguished = tormented; upswept = pinned-up;
half-nude = half-naked; well-dressed = elegant; wide-brimmed = broad-brimmed; repentant = penitent; hold out = offer;
hold out = hold; grope = fumble; recoil = flinch; adjust = straighten; pose = stand; beckon = wave; brace = lean;
stoop = bend over; teary-eyed = tearful; pug-nosed = snub-nosed
"""
EXCLUDED = """
blond = black-haired; gray-haired = raven-haired; bald = long-haired; supine = prone; sitting = kneeling;
seated = standing; kneeling = lying; rosy-cheeked = pallid; haughty = humble; mounted = on-foot; armored = naked;
look up = look down; double-breasted = single-breasted
"""
SEPARATE = """
barefoot = blond; seated = smiling; plump = kneeling; tattooed = bald; crowned = young; sit = pose; weep = wear;
bow = drink; freckled = wooden
"""


@pytest.mark.parametrize(("one", "other"), _pairs(NAMES))
def test_other_names_of_the_same(one: str, other: str) -> None:
    assert heads.grade(one, other) >= 4
    assert heads.grade(other, one) >= 3.8


@pytest.mark.parametrize(("one", "other"), _pairs(NEARLY))
def test_near_kinds_are_partial_support(one: str, other: str) -> None:
    assert PARTIAL <= heads.grade(one, other) < 4.5
    assert PARTIAL <= heads.grade(other, one) < 4.5


@pytest.mark.parametrize("part", ANYBODY)
def test_a_part_played_fits_men_and_women(part: str) -> None:
    for person in ("man", "woman"):
        assert heads.grade(person, part) >= PARTIAL
        assert 2.5 <= heads.grade(part, person) < PARTIAL  # supported where the text shows the part


@pytest.mark.parametrize(("one", "other"), _pairs(APART))
def test_other_people_and_other_garments(one: str, other: str) -> None:
    assert heads.grade(one, other) < 2.5
    assert heads.grade(other, one) < 2.5


@pytest.mark.parametrize(("one", "other"), _pairs(ALIKE))
def test_looks_and_gestures_in_other_words(one: str, other: str) -> None:
    assert words.alike(one, other) >= 4
    assert words.alike(other, one) >= 4


@pytest.mark.parametrize(("one", "other"), _pairs(EXCLUDED))
def test_looks_and_postures_that_exclude_each_other(one: str, other: str) -> None:
    assert words.alike(one, other) == CONFLICT
    assert words.alike(other, one) == CONFLICT


@pytest.mark.parametrize(("one", "other"), _pairs(SEPARATE))
def test_what_is_said_of_one_person_at_once(one: str, other: str) -> None:
    assert words.alike(one, other) == UNRELATED
    assert words.alike(other, one) == UNRELATED


@pytest.mark.parametrize(
    ("noun", "said", "told"),
    [
        ("coat", "short", "long"), ("couple", "young", "elderly"), ("smile", "broad", "faint"),
        ("beard", "long", "short"), ("ring", "silver", "gold"), ("group", "small", "large"),
        ("umbrella", "closed", "open"),
    ],
)  # fmt: skip
def test_a_listed_compound_does_not_hide_another_property(noun: str, said: str, told: str) -> None:
    score = PoSh(judge="lexical", progress=False).score(f"There is a {said} {noun}.", f"There is a {told} {noun}.")
    found = [c.score for c in score.components if c.side == "generation" and c.text == said and c.score is not None]
    assert found and min(found) < PARTIAL
