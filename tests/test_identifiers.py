import pytest
from scenes import Scene, man_with_cup

from posh_lite.graph.types import SceneGraph
from posh_lite.judge.contract import Identifier
from posh_lite.metric.identifiers import Namer, uses
from posh_lite.metric.phrases import (
    affirmative,
    as_written,
    bare,
    definite,
    gerund,
    polar,
    present,
    squeeze,
    with_attribute,
    with_relation,
)


def texts(namer, entity):
    return [i.text for i in namer.own(entity)]


def test_no_entities():
    assert Namer(SceneGraph("")).graph.entities == ()


def test_head_alone_comes_first_then_its_attributes():
    graph = man_with_cup()
    found = Namer(graph).own(graph.entities[0])
    assert [(i.text, i.kind) for i in found] == [("the man", "head"), ("the tall man", "attribute")]


def test_namesakes_are_told_apart_by_what_only_one_has():
    scene = Scene("A tall happy man stands by a short happy man.")
    tall, short = scene.entity("A tall happy man"), scene.entity("a short happy man")
    scene.attribute(tall, "tall")
    scene.attribute(tall, "happy")
    scene.attribute(short, "short")
    scene.attribute(short, "happy", nth=1)
    namer = Namer(scene.graph)
    assert texts(namer, tall) == ["the tall man"]
    assert texts(namer, short) == ["the short man"]


def test_another_name_in_the_text():
    scene = Scene("A man plays. Another man listens to the musician.")
    man = scene.entity("A man", also=("the musician",))
    scene.entity("Another man")
    assert texts(Namer(scene.graph), man) == ["the musician"]
    assert Namer(scene.graph).own(man)[0].kind == "surface"


def test_a_name_that_two_share_is_none():
    scene = Scene("A man and another man. The musician. The musician")
    one = scene.entity("A man", also=("The musician",))
    two = scene.entity("another man", also=("The musician",))
    namer = Namer(scene.graph)
    assert texts(namer, one) == ["the man"]
    assert texts(namer, two) == ["another man"]


def test_relations_only_where_nothing_simpler_tells_apart():
    scene = Scene("A man on a horse and a man on a mule.")
    first, horse = scene.entity("A man"), scene.entity("a horse")
    second, mule = scene.entity("a man"), scene.entity("a mule")
    scene.relation(first, "on", horse)
    scene.relation(second, "on", mule, nth=1)
    namer = Namer(scene.graph)
    assert texts(namer, first) == ["the man on the horse"]
    assert texts(namer, second) == ["the man on the mule"]
    assert texts(namer, horse) == ["the horse"]


def test_a_shared_relation_does_not_tell_apart():
    scene = Scene("A man on a horse and a man on a horse.")
    first, one = scene.entity("A man"), scene.entity("a horse")
    second, two = scene.entity("a man"), scene.entity("a horse", nth=1)
    scene.relation(first, "on", one)
    scene.relation(second, "on", two, nth=1)
    namer = Namer(scene.graph)
    assert [i.kind for i in namer.own(first)] == ["head"]


def test_entities_that_nothing_tells_apart_still_have_one():
    scene = Scene("A man and another man.")
    one, two = scene.entity("A man"), scene.entity("another man")
    namer = Namer(scene.graph)
    assert texts(namer, one) == ["the man"]
    assert texts(namer, two) == ["another man"]


def test_a_group_is_not_mistaken_for_a_single_one():
    scene = Scene("Three men and a man.")
    group = scene.entity("Three men", "man", plural=True, count=3)
    single = scene.entity("a man")
    scene.attribute(group, "Three", lemma="three", kind="quantity")
    namer = Namer(scene.graph)
    assert texts(namer, group) == ["the men", "the three men"]
    assert namer.namesakes(single) == [group]


def test_viewer_regions_and_the_absent_are_no_rivals():
    scene = Scene("A left hand on the left, no hand to our left.")
    hand = scene.entity("A left hand")
    scene.entity("no hand", negated=True)
    scene.entity("the left", role="region")
    assert Namer(scene.graph).namesakes(hand) == []


def test_the_number_of_identifiers_is_bounded():
    scene = Scene("A big old red wooden boat.")
    boat = scene.entity("A big old red wooden boat")
    for word in ("big", "old", "red", "wooden"):
        scene.attribute(boat, word)
    assert len(Namer(scene.graph).own(boat)) == 3
    assert len(Namer(scene.graph, limit=1).own(boat)) == 1
    with pytest.raises(ValueError, match="at least 1"):
        Namer(scene.graph, limit=0)


def test_negated_marks_and_relations_identify_nobody():
    scene = Scene("A man not smiling without a hat and a man.")
    one, hat, two = scene.entity("A man"), scene.entity("a hat", negated=True), scene.entity("a man")
    scene.attribute(one, "smiling", kind="action", negated=True)
    scene.relation(one, "without", hat, negated=True)
    namer = Namer(scene.graph)
    assert [i.kind for i in namer.own(one)] == ["head"]
    assert [i.kind for i in namer.own(two)] == ["head"]


def test_part_of_a_named_whole():
    graph = man_with_cup()
    namer = Namer(graph)
    whole = namer.own(graph.entities[0])[1]
    part = namer.part(graph.entities[2], whole)
    assert (part.text, part.kind, part.whole) == ("the face of the tall man", "part", whole)


def test_two_parts_of_one_whole_need_a_mark():
    scene = Scene("The man, his left hand and his right hand.")
    man = scene.entity("The man")
    left, right = scene.entity("his left hand", part_of=0), scene.entity("his right hand", part_of=0)
    scene.attribute(left, "left", kind="position")
    scene.attribute(right, "right", kind="position")
    namer = Namer(scene.graph)
    assert namer.part(left, namer.plain(man)).text == "the left hand of the man"
    assert namer.part(right, namer.plain(man)).attribute.text == "right"


def test_uses_sees_through_wholes():
    graph = man_with_cup()
    namer = Namer(graph)
    man, cup, face = graph.entities
    tall = namer.own(man)[1]
    part = namer.part(face, tall)
    holds = graph.relations[0]
    assert uses(part, graph.attributes[0])  # tall
    assert not uses(part, graph.attributes[2])  # pale
    assert uses(part, man)
    assert not uses(part, cup)
    assert not uses(part, holds)
    assert uses(Identifier("the cup that the man holds", cup, "relation", relation=holds), man)
    assert not uses(None, man)


@pytest.mark.parametrize(
    ("lemma", "form"),
    [("sit", "sitting"), ("hold", "holding"), ("lie", "lying"), ("ride", "riding"), ("look up", "looking up"),
     ("see", "seeing"), ("be", "being"), ("wear", "wearing"), ("stand", "standing"), ("run", "running"),
     ("play", "playing"), ("gaze at", "gazing at"), ("draw", "drawing"), ("lean on", "leaning on"), ("fix", "fixing")],
)
def test_gerund(lemma, form):
    assert gerund(lemma) == form


@pytest.mark.parametrize(
    ("lemma", "plural", "form"),
    [("hold", False, "holds"), ("carry", False, "carries"), ("play", False, "plays"), ("wash", False, "washes"),
     ("have", False, "has"), ("be", False, "is"), ("be", True, "are"), ("hold", True, "hold"),
     ("go up", False, "goes up")],
)
def test_present(lemma, plural, form):
    assert present(lemma, plural=plural) == form


def test_articles_and_names():
    scene = Scene("Paul Cézanne with his dog, two wine glasses and it. STOP")
    name = scene.entity("Paul Cézanne", "paul cézanne", kind="name")
    dog = scene.entity("his dog")
    glasses = scene.entity("two wine glasses", "wine glass", plural=True)
    it = scene.entity("it", kind="pronoun")
    sign = scene.entity("STOP", "stop", kind="name", role="writing")
    assert definite(name) == "Paul Cézanne"
    assert definite(dog) == "the dog"
    assert as_written(scene.graph, dog) == "his dog"
    assert definite(dog, "his dog") == "his dog"
    assert (bare(glasses), definite(glasses)) == ("wine glasses", "the wine glasses")
    assert definite(it) == "it"
    assert definite(sign) == "the writing 'STOP'"


def test_attributes_in_phrases():
    scene = Scene("left man central dressed in white sits blue smiling; to the left")
    man = scene.entity("man")
    say = {a.text: with_attribute(man, a) for a in (
        scene.attribute(man, "left", kind="position", nth=1), scene.attribute(man, "central", kind="position"),
        scene.attribute(man, "dressed in white"), scene.attribute(man, "sits", lemma="sit", kind="action"),
        scene.attribute(man, "blue"), scene.attribute(man, "smiling", lemma="smile", kind="action"),
    )}
    assert say == {
        "left": "the man on the left", "central": "the central man", "dressed in white": "the man dressed in white",
        "sits": "the man sitting", "blue": "the blue man", "smiling": "the man smiling",
    }


def test_relations_in_phrases():
    scene = Scene("A man leans on a wall and holds cups in front of a tree")
    man, wall, cups, tree = (scene.entity(p) for p in ("A man", "a wall", "cups", "a tree"))
    leans = scene.relation(man, "leans on", wall, lemma="lean on", kind="verb")
    holds = scene.relation(man, "holds", cups, lemma="hold", kind="verb")
    front = scene.relation(man, "in front of", tree)
    assert with_relation(man, leans, "the wall") == "the man leaning on the wall"
    assert with_relation(wall, leans, "the man") == "the wall that the man leans on"
    assert with_relation(cups, holds, "the man") == "the cups that the man holds"
    assert with_relation(man, front, "the tree") == "the man in front of the tree"
    assert with_relation(tree, front, "the man") == "the tree that the man is in front of"


def test_participles_stay_and_finite_verbs_bend():
    scene = Scene("A woman dressed in silk painted a bowl; letters, interconnected, seen from above; sings")
    woman, silk, bowl, letters = (scene.entity(p) for p in ("A woman", "silk", "a bowl", "letters"))
    dressed = scene.relation(woman, "dressed in", silk, lemma="dress in", kind="verb")
    painted = scene.relation(woman, "painted", bowl, lemma="paint", kind="verb")
    joined = scene.attribute(letters, "interconnected", lemma="interconnect", kind="action")
    seen = scene.attribute(letters, "seen from above", lemma="see from above", kind="action")
    sings = scene.attribute(woman, "sings", lemma="sing", kind="action")
    assert with_relation(woman, dressed, "the silk") == "the woman dressed in the silk"
    assert with_relation(woman, painted, "the bowl") == "the woman painting the bowl"
    assert with_attribute(letters, joined) == "the interconnected letters"
    assert with_attribute(letters, seen) == "the letters seen from above"
    assert with_attribute(woman, sings) == "the woman singing"


def test_polarity_stays_in_the_words():
    assert polar("smiling", True) == "not smiling"
    assert polar("without", True) == "without"
    assert polar("isn't smiling", True) == "isn't smiling"
    assert polar("smiling", False) == "smiling"
    assert polar("people", True, "no") == "no people"
    assert affirmative("not smiling") == "smiling"
    assert affirmative("not") == "not"


def test_squeeze_keeps_a_question_on_one_line():
    assert squeeze("a\x00b\r\n c\u00a0d\u200b") == "a b c d"
