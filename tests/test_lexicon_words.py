"""What the lexical judge knows of verbs, properties, relations and derivations."""

from __future__ import annotations

import time

import pytest

from posh_lite.graph import extract_graph
from posh_lite.judge.lexical import compounds, words
from posh_lite.judge.lexical.lexicon import Outline, Sides, lexicon
from posh_lite.judge.lexical.relations import same, split, turned
from posh_lite.judge.lexical.view import make_view
from posh_lite.judge.lexical.words import CONFLICT, PARTIAL, UNRELATED


def _list(text: str, mark: str) -> list[str]:
    return text.split(mark)


SYNONYMS = _list(
    "crouch/squat close/shut surround/encircle direct/steer pass/overtake chase/pursue flee/escape feed/nourish "
    "jump/leap walk/stroll stare/gaze grin/smile weep/cry shout/yell talk/chat sleep/doze hug/embrace grasp/grip "
    "lift/hoist throw/toss push/shove pull/tug cut/slice build/construct wash/clean wear/don repair/mend "
    "buy/purchase shine/gleam flow/stream broken/snapped elder/older rusty/rusted still/windless aground/stranded "
    "tiny/minuscule huge/gigantic slender/slim plump/chubby ancient/age-old soaked/drenched arid/parched "
    "gleaming/shiny ajar/open deserted/empty packed/crowded circular/round checked/plaid dilapidated/run-down "
    "cheerful/happy gloomy/sad furious/angry terrified/frightened exhausted/tired bald/shaven-headed nude/naked "
    "barefoot/shoeless overcast/cloudy vivid/vibrant blurry/out-of-focus lifelike/realistic intricate/ornate "
    "crimson/red navy/blue whitewashed/white",
    " ",
)
EXCLUSIVE = _list(
    "sit/stand stand/kneel walk/run smile/frown laugh/cry sleep/dance enter/leave climb/descend fly/swim "
    "whisper/shout bloom/wilt melt/freeze float/sink burn/freeze bark/meow sail/row asleep/awake full/empty wet/dry "
    "lit/unlit young/old curly/straight long/short bare/leafy smooth/rough matte/shiny open/closed tall/short "
    "wide/narrow thick/thin clean/dirty new/ancient hot/cold bright/dim sunny/overcast calm/stormy happy/sad "
    "angry/friendly bearded/clean-shaven clothed/naked barefoot/booted formal/casual tight/baggy rural/urban "
    "indoor/outdoor horizontal/vertical round/square striped/plaid wooden/metal marble/brick red/blue white/black "
    "transparent/opaque sharp/blunt soft/hard broken/intact raw/cooked ripe/unripe empty/crowded stationary/moving "
    "wild/tame alive/dead tied/untied upright/tilted clockwise/counterclockwise northern/southern second/third "
    "morning/night spring/autumn",
    " ",
)
#: Actions of one subject on one object.
RIVALS = _list(
    "push/pull hold/drop give/receive lift/lower feed/chase open/close buy/sell embrace/hit attack/defend "
    "build/destroy tie/untie load/unload read/write wear/remove",
    " ",
)
DERIVED = _list(
    "beard/bearded stripe/striped wood/wooden rust/rusty fog/foggy smile/smiling curl/curly braid/braided "
    "helmet/helmeted wing/winged crowd/crowded snow/snowy tassel/tasseled bead/beaded glove/gloved turban/turbaned "
    "mast/masted thatch/thatched moss/mossy foam/foamy moon/moonlit candle/candlelit silhouette/silhouetted "
    "darkness/dark wetness/wet anger/angry fear/afraid surprise/surprised sleep/asleep death/dead luxury/luxurious "
    "England/english Greece/greek tattoo/tattooed jewel/bejeweled puddle/wet smoke/smoky ruin/ruined frost/frosty "
    "armor/armored leaf/leafy",
    " ",
)
#: The second says the same with the two things exchanged.
CONVERSE = _list(
    "above | below; on top of | under; in front of | behind; to the left of | to the right of; lead | follow; chase "
    "| flee from; give to | receive from; sell to | buy from; contain | in; hold | in; show | in; cover | under; "
    "surround | in the middle of; next to | beside; near | close to; taller than | shorter than; before | after; "
    "opposite | across from; with | on; wear | on; follow | in front of; precede | behind; teach | learn from; "
    "overlook | below; atop | beneath; left of | right of; around | in; holding hands with | hand in hand with; "
    "similar to | like; throw to | catch from; larger than | smaller than; bigger than | smaller than",
    ";",
)
PARAPHRASED = _list(
    "crowd around | surround; walk out of | leave; look at | stare at; directly behind | behind; high above | above; "
    "to the rear of | behind; be dressed in | wear; cover | on; atop | on; hold up | display; lean on | lean against",
    ";",
)
#: Properties that often stand together: none may exclude the other.
COMPATIBLE = _list(
    "old/wooden old/red small/wide young/smiling tall/narrow rusty/blue wet/green weathered/modern round/wooden "
    "seated/smiling standing/looking bright/red dark/green empty/wide smooth/round long/curly bearded/old",
    " ",
)


def _parts(pair: str, mark: str = "|") -> tuple[str, str]:
    one, _, other = pair.partition(mark)
    return one.strip(), other.strip()


@pytest.mark.parametrize("pair", SYNONYMS)
def test_synonyms(pair: str) -> None:
    one, other = _parts(pair, "/")
    assert words.alike(one, other) >= 4
    assert words.alike(other, one) >= PARTIAL


@pytest.mark.parametrize("pair", EXCLUSIVE)
def test_values_and_actions_that_exclude_each_other(pair: str) -> None:
    one, other = _parts(pair, "/")
    assert words.alike(one, other) == CONFLICT
    assert words.alike(other, one) == CONFLICT


@pytest.mark.parametrize("pair", RIVALS)
def test_actions_that_exclude_each_other_on_one_object(pair: str) -> None:
    one, other = _parts(pair, "/")
    assert words.verb_grade(one, other, same_object=True) == CONFLICT


@pytest.mark.parametrize("pair", DERIVED)
def test_derivations(pair: str) -> None:
    one, other = _parts(pair, "/")
    assert words.alike(one, other) >= 4


@pytest.mark.parametrize("pair", COMPATIBLE)
def test_independent_properties_do_not_exclude_each_other(pair: str) -> None:
    one, other = _parts(pair, "/")
    assert words.alike(one, other) != CONFLICT


@pytest.mark.parametrize("pair", CONVERSE)
def test_converse_relations(pair: str) -> None:
    one, other = _parts(pair)
    assert turned(one, other) >= 3.5


@pytest.mark.parametrize("pair", PARAPHRASED)
def test_relations_in_other_words(pair: str) -> None:
    one, other = _parts(pair)
    assert same(one, other) >= 4


@pytest.mark.parametrize(
    "pair", ["look at | turn away from", "push | pull", "hold | drop", "above | under", "lead | follow"]
)
def test_relations_that_exclude_each_other(pair: str) -> None:
    one, other = _parts(pair)
    assert same(one, other) == CONFLICT


def test_an_adverb_before_a_preposition_adds_nothing() -> None:
    assert split("directly behind") == ((), "behind")
    assert split("crowd around") == (("crowd around", "crowd"), "around")


@pytest.mark.parametrize(("text", "reduced"), [
    ("wide open", ["open"]), ("painted white", ["whitewashed"]), ("squatting down", ["squat down"]),
    ("bare chested", ["bare-chested"]), ("looks up", ["look up"]), ("dark brown", ["dark", "brown"]),
])  # fmt: skip
def test_phrases_and_particles_are_reduced(text: str, reduced: list[str]) -> None:
    assert words.content(text) == reduced


@pytest.mark.parametrize(("text", "kind", "modifiers", "part"), [
    ("grey-suited", "part", ("gray",), "suit"), ("broad-leaved", "part", ("broad",), "leaf"),
    ("three-masted", "part", ("three",), "mast"), ("red-clad", "dress", ("red",), ""),
    ("cream-colored", "like", ("cream",), ""), ("tree-lined", "done", ("tree",), ""),
])  # fmt: skip
def test_compounds_taken_apart(text: str, kind: str, modifiers: tuple[str, ...], part: str) -> None:
    found = compounds.read(text)
    assert found is not None
    assert (found.kind, found.words, found.part) == (kind, modifiers, part)


@pytest.mark.parametrize("text", ["half-open", "well-dressed", "red", "out-of-focus"])
def test_no_compound(text: str) -> None:
    assert compounds.read(text) is None


@pytest.mark.parametrize(("text", "asked", "least"), [
    ("A ship with three masts is at sea.", "three-masted", PARTIAL),
    ("A street is lined with trees.", "tree-lined", PARTIAL),
    ("A woman in red stands there.", "red-clad", PARTIAL),
])  # fmt: skip
def test_compounds_by_parts(text: str, asked: str, least: float) -> None:
    compound = compounds.read(asked)
    assert compound is not None
    assert compounds.on_parts(make_view(extract_graph(text)), compound, 0)[0] >= least


def test_compounds_against_other_parts() -> None:
    compound = compounds.read("three-masted")
    assert compound is not None
    assert compounds.on_parts(make_view(extract_graph("A ship with two masts is at sea.")), compound, 0)[0] == CONFLICT


def test_a_part_inside_a_compound() -> None:
    view = make_view(extract_graph("A gray-suited man waits at the door."))
    assert compounds.of_part(view, "suit", "gray")[0] >= 4
    assert compounds.of_part(view, "suit", "brown")[0] == CONFLICT
    assert compounds.of_part(view, "hat", "gray")[0] == UNRELATED


def test_what_a_word_says_is_not_there() -> None:
    assert compounds.lacking("hatless") == "hat"
    assert compounds.lacking("barefoot") == "shoe"
    assert compounds.lacking("endless") == compounds.lacking("red") == ""


def test_a_lack_by_what_is_or_is_not_there() -> None:
    without = make_view(extract_graph("A child without a hat sits on a wall."))
    wearing = make_view(extract_graph("A child with a hat sits on a wall."))
    assert compounds.on_absence(without, "hat", 0)[0] >= 4
    assert compounds.on_absence(wearing, "hat", 0)[0] == CONFLICT
    assert compounds.on_absence(wearing, "shoe", 0)[0] == UNRELATED


def test_outline_lines_that_add_words() -> None:
    outline = Outline()
    end = outline.read("move, go\n  walk, stroll")
    outline.read("+walk, amble\n  march", end)
    assert outline.of("amble")[0] is outline.of("walk")[0]
    assert outline.of("march")[0].parent is outline.of("walk")[0]


def test_sides_led_alike_are_one_dimension() -> None:
    sides = Sides()
    sides.add(["wet", "damp"], ["dry"])
    sides.add(["wet", "soaked"], ["dry", "arid"])
    assert sides.sides["damp"] == {0: 0}
    assert sides.sides["arid"] == {0: 1}


def test_breadth_of_the_lexicon() -> None:
    lex = lexicon()
    described = set(lex.alike) | set(lex.opposites.sides)
    described |= {w for o in lex.exclusive.values() for w in o.senses} | {w for s in lex.scales.values() for w in s}
    assert sum(" " not in v for v in lex.verbs.senses) >= 900
    assert len(described) >= 2000
    assert len({b for bases in lex.forms.values() for b in bases}) + len(lex.phrases) >= 400
    assert len(lex.prepositions) >= 150


def test_every_verb_of_a_conflict_leads_a_line() -> None:
    lex = lexicon()
    known = {s.id for senses in lex.verbs.senses.values() for s in senses}
    for table in (lex.verb_conflicts, lex.verb_rivals, lex.verb_converses):
        assert table
        assert all(a in known and b in known and (b, a) in table for a, b in table)


def test_the_lexicon_loads_quickly() -> None:
    load = lexicon.__wrapped__  # past the cache: a second lexicon would not know the senses of the first
    start = time.process_time()
    load()
    assert time.process_time() - start < 1.5  # five times what it takes, for slow machines
