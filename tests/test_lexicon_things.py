"""What the lexical judge knows of things and places: paraphrases, what may be meant, kinds that exclude each other."""

from __future__ import annotations

import pytest

from posh_lite import PoSh
from posh_lite.judge.lexical import heads, words
from posh_lite.judge.lexical.lexicon import lexicon
from posh_lite.judge.lexical.words import BROADER, PARTIAL

#: Two names of one thing.
PARAPHRASES = """
davenport=sofa; tallboy=chest of drawers; tabouret=stool; hearthrug=rug; sheer curtain=net curtain; tester=bed canopy;
flagon=jug; stemware=wine glass; sweetmeat=candy; claret=red wine; spinney=copse; festoon=garland; rick=haystack;
poniard=dagger; flintlock=musket; inkstand=inkwell; missal=prayer book; broadsheet=newspaper; dray=cart;
barque=sailing ship; gunnel=gunwale; façade=house front; gable end=stepped gable; doorsill=threshold;
chimneypiece=mantelpiece; flight of steps=staircase; boudoir=bedroom; scullery=kitchen; quayside=waterfront;
beck=brook; tarn=lake; lea=meadow; billow=wave; gloaming=dusk; low relief=bas-relief; retable=altarpiece;
socle=plinth; tuft=clump; shred=scrap; fleck=speck; firedog=andiron; virginal=harpsichord
"""
#: A captioner may well mean the same; a narrower word is supported by the broader one.
LIKELY = """
town|village; vase|urn; beam|plank; hill|mountain; sail|canvas; barrel|tub; study|sketch; rigging|rope; farm|farmhouse;
tapestry|curtain; wheat|hay; ford|river; rooster|chicken; ewe|sheep; medlar|fruit; columbine|flower
"""
#: Kinds that exclude each other.
OTHERS = """
bed|table; bench|table; stag|doe; village|city; crab|fish; lemon|apple; orange|lemon; goblet|plate; iris|rose;
oak|pine; rope|chain; windmill|watermill; gable|column; dome|chimney; brook|sea; dawn|dusk; sunlight|shadow;
portrait|still life; bow|stern; mast|oar; whetstone|millstone; row|circle; bay|horse; porter|beer; temple|forehead
"""


def _pairs(text: str, mark: str) -> list[tuple[str, str]]:
    return [(one.strip(), other.strip()) for one, other in (pair.split(mark) for pair in text.split(";"))]


@pytest.mark.parametrize(("one", "other"), _pairs(PARAPHRASES, "="))
def test_names_of_one_thing(one: str, other: str) -> None:
    assert max(heads.grade(one, other), heads.grade(other, one)) >= BROADER
    assert min(heads.grade(one, other), heads.grade(other, one)) >= 3.4


@pytest.mark.parametrize(("one", "other"), _pairs(LIKELY, "|"))
def test_names_that_may_mean_the_same(one: str, other: str) -> None:
    assert heads.grade(one, other) >= PARTIAL
    assert heads.grade(other, one) >= PARTIAL


@pytest.mark.parametrize(("one", "other"), _pairs(OTHERS, "|"))
def test_kinds_that_exclude_each_other(one: str, other: str) -> None:
    assert heads.grade(one, other) < PARTIAL
    assert heads.grade(other, one) < PARTIAL


@pytest.mark.parametrize("shape", ["flight", "tuft", "sprig", "sheaf", "fleck", "loaf", "sprinkling"])
def test_amounts_of_what_follows(shape: str) -> None:
    assert shape in lexicon().partitive


@pytest.mark.parametrize(("accented", "plain"), [("façade", "facade"), ("château", "chateau"), ("crêpe", "crepe")])
def test_accents_do_not_matter(accented: str, plain: str) -> None:
    assert words.alike(accented, plain) == words.SAME
    assert heads.senses(accented) == heads.senses(plain) != ()


def test_a_plain_plural_is_looked_up_by_its_singular() -> None:
    for plural, singular in (("plates", "plate"), ("cliffs", "cliff"), ("sketches", "sketch"), ("loaves", "loaf")):
        assert heads.senses(plural) == heads.senses(singular) != ()


@pytest.mark.parametrize(
    ("noun", "said", "told"),
    [
        ("apple", "green", "red"), ("wall", "stone", "brick"), ("door", "closed", "open"), ("roof", "gray", "red"),
        ("bottle", "glass", "plastic"), ("road", "paved", "unpaved"), ("letter", "sealed", "open"),
    ],
)  # fmt: skip
def test_a_listed_compound_does_not_hide_another_property(noun: str, said: str, told: str) -> None:
    score = PoSh(judge="lexical", progress=False).score(f"There is a {said} {noun}.", f"There is a {told} {noun}.")
    assert min(c.score for c in score.components if c.side == "generation" and c.score is not None) < PARTIAL
