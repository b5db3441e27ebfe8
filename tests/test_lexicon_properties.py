"""Properties and relations in other words: shades, patterns, materials, states, light, formats, counts, places."""

from __future__ import annotations

import random

import pytest

from posh_lite.judge.lexical import words
from posh_lite.judge.lexical.lexicon import lexicon
from posh_lite.judge.lexical.wording import same
from posh_lite.judge.lexical.words import CONFLICT, PARTIAL, UNRELATED


def _pairs(block: str) -> list[tuple[str, str]]:
    pairs = [pair.partition("=") for pair in block.replace("\n", " ").split(";")]
    return [(one.strip(), other.strip()) for one, _, other in pairs]


PARAPHRASED = _pairs("""
rusty=reddish-brown; teal=blue-green; ecru=off-white; auburn=reddish-brown; ash-blond=flaxen; sooty=blackened;
swarthy=dark-skinned; gaily colored=colorful; leopard-print=spotted; damask=patterned; scrollwork=ornate;
herringbone=patterned; marble-topped=marble; ormolu=gilded; three-sided=triangular; bell-shaped=flared;
half-drained=partly filled; half empty=partly full; empty of people=deserted; slightly open=half-open;
drawn back=open; dog-eared=worn; faintly lit=dim; lit from behind=backlit; sfumato=hazy; grisaille=monochrome;
early morning=dawn; wide=landscape format; vertical=portrait format; taller than wide=upright; almost square=squarish;
waist up=half-length; sextet=six; a host of=many; threefold=triple
""")
EXCLUSIVE = _pairs("""
striped=checked; patterned=plain; warm=cool; half-empty=full; half-full=empty; pristine=dilapidated;
landscape format=portrait format; wide=portrait format; tall=landscape format; square=landscape format;
half-length=full-length; red-haired=black-haired; single-story=three-story; two-masted=three-masted; few=countless;
single=twin; oval=rectangular; hazy=clear; sturdy=rickety; color=black-and-white; morning=evening; crimson=azure;
flaxen=brunette
""")
#: Neither the same nor the contrary: a thing may be both.
INDEPENDENT = _pairs("""
rusty=green; woven=straw; upholstered=leather; glazed=clay; paved=stone; knitted=cotton; marble-topped=wooden;
wide=tall; light=open; hazy=sunny; mixed=countless; embroidered=velvet; half-open=wooden; landscape format=blue
""")
RELATIONS = _pairs("""
flank=on both sides of; flank=beside; at the edge of=on the edge of; in the shade of=in the shadow of;
at the corner of=in the corner of; on both sides of=line; face=toward; save for=except for; void of=without;
on the rim of=at the edge of; at her back=behind; intertwine with=entwine with; lead to=open onto
""")


def _grade(source: str, target: str) -> float:
    """The grade of the main word of one phrase against the words of the other; a contrary modifier counts too."""
    asked, said = words.content(source), words.content(target)
    grades = []
    for word in asked:
        found = [words.alike(word, other) for other in said]
        grades.append(max(found) if max(found) >= PARTIAL or CONFLICT not in found else CONFLICT)
    return CONFLICT if CONFLICT in grades else grades[-1]


@pytest.mark.parametrize(("one", "other"), PARAPHRASED)
def test_the_same_property_in_other_words(one: str, other: str) -> None:
    assert max(_grade(one, other), _grade(other, one)) >= 4
    assert min(_grade(one, other), _grade(other, one)) >= PARTIAL


@pytest.mark.parametrize(("one", "other"), EXCLUSIVE)
def test_properties_that_exclude_each_other(one: str, other: str) -> None:
    assert _grade(one, other) == CONFLICT
    assert _grade(other, one) == CONFLICT


@pytest.mark.parametrize(("one", "other"), INDEPENDENT)
def test_properties_that_a_thing_may_have_both(one: str, other: str) -> None:
    assert words.content(one) != words.content(other)
    assert UNRELATED <= _grade(one, other) < 4.2
    assert _grade(other, one) != CONFLICT


@pytest.mark.parametrize(("one", "other"), RELATIONS)
def test_the_same_relation_in_other_words(one: str, other: str) -> None:
    assert max(same(one, other), same(other, one)) >= 3.6
    assert min(same(one, other), same(other, one)) >= PARTIAL


def test_a_shade_before_a_colour_stays_a_word_of_its_own() -> None:
    lex = lexicon()
    colors = sorted(name for name in lex.family_names if name not in ("gold", "silver"))
    for shade in ("dark", "light", "pale", "bright", "deep"):
        for color in colors:
            assert words.content(f"{shade} {color}") == [shade, color]


def test_phrases_are_written_as_the_tokens_are_read() -> None:
    lex = lexicon()
    unread = [p for p in lex.phrases if " ".join(words.tokens(p)) != p and " ".join(words.tokens(p)) not in lex.phrases]
    assert not unread


def test_properties_of_different_dimensions_are_hardly_ever_tied() -> None:
    rng = random.Random(7)
    lex = lexicon()
    known = sorted(lex.alike)
    tied = [(a, b) for a, b in (rng.sample(known, 2) for _ in range(600)) if words.alike(a, b) >= PARTIAL]
    assert len(tied) <= 12, tied
