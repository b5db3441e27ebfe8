import pytest
from scenes import Scene, man_with_cup

from posh_lite.graph.types import SceneGraph
from posh_lite.judge.contract import Verdict
from posh_lite.judge.table import TableJudge
from posh_lite.metric.passes import Interview, rounded
from posh_lite.metric.posh import PoSh

EMPTY = SceneGraph("Nothing.")


def score(graph, answers, **options):
    """Score a graph against an empty one: all components are the generation's."""
    judge = TableJudge(answers, default=options.pop("default", None))
    return PoSh(judge, **options).score_graphs(graph, EMPTY), judge


def by_text(scored):
    return {c.text: c for c in scored.components}


def test_three_passes_each_one_batch():
    _, judge = score(man_with_cup(), lambda q: 5)
    # man (2 identifiers), cup (2); then face (part, head, attribute); then 3 attributes and 2 relations
    assert judge.batches == [4, 3, 5]


def test_first_identifier_with_the_highest_rounded_score_names_the_entity():
    answers = {("entity", "the man"): 3.4, ("entity", "the tall man"): 3.6}
    scored, judge = score(man_with_cup(), answers, default=5)
    man = by_text(scored)["man"]
    assert (man.identifier, man.score, man.asked) == ("the tall man", 3.6, 2)
    holds = next(q for q in judge.asked if q.kind == "relation" and q.relation.text == "holds")
    assert holds.identifier.text == "the tall man"

    answers = {("entity", "the man"): 3.6, ("entity", "the tall man"): 4.4}  # both round to 4
    scored, _ = score(man_with_cup(), answers, default=5)
    assert by_text(scored)["man"].identifier == "the man"
    assert by_text(scored)["man"].score == 3.6


def test_rounding_is_half_up():
    assert [rounded(x) for x in (1.5, 2.5, 3.49, 4.5)] == [2, 3, 3, 5]


def test_what_is_said_of_an_absent_entity_scores_1_and_is_not_asked():
    answers = {("entity", "the cup"): 1, ("entity", "the red cup"): 1.9}
    scored, judge = score(man_with_cup(), answers, default=5)
    found = by_text(scored)
    assert found["cup"].present is False
    assert (found["red"].score, found["red"].inherited, found["red"].asked) == (1, True, 0)
    assert "was not found" in found["red"].reason
    assert not any(q.attribute is not None and q.attribute.text == "red" for q in judge.asked)
    # The man is there: what he does to the absent cup is still asked, and named in the question.
    assert found["holds"].inherited is False
    assert found["holds"].object == "the red cup"


def test_an_absent_subject_takes_its_relations_along():
    answers = {("entity", "the man"): 1, ("entity", "the tall man"): 1}
    scored, _ = score(man_with_cup(), answers, default=5)
    assert by_text(scored)["holds"].inherited


def test_threshold_is_inclusive_and_can_be_overridden():
    answers = {("entity", "the man"): 2, ("entity", "the tall man"): 1}
    assert by_text(score(man_with_cup(), answers, default=5)[0])["man"].present is True
    assert by_text(score(man_with_cup(), answers, default=5, threshold=2.1)[0])["man"].present is False


def test_an_attribute_is_not_asked_of_a_name_that_presupposes_it():
    answers = {("entity", "the man"): 1, ("entity", "the tall man"): 5}
    _, judge = score(man_with_cup(), answers, default=5)
    tall = next(q for q in judge.asked if q.attribute is not None and q.attribute.text == "tall")
    assert tall.identifier.text == "the man"


def test_part_of_is_not_asked_with_x_of_y_as_its_own_x():
    _, judge = score(man_with_cup(), lambda q: 5)
    of = next(q for q in judge.asked if q.relation is not None and q.relation.text == "of")
    assert (of.identifier.text, of.object_identifier.text) == ("the face", "the man")
    pale = next(q for q in judge.asked if q.attribute is not None and q.attribute.text == "pale")
    assert pale.identifier.text == "the face of the man"


def test_parts_are_named_by_the_winning_identifier_of_the_whole():
    answers = {("entity", "the man"): 1, ("entity", "the tall man"): 5}
    _, judge = score(man_with_cup(), answers, default=5)
    assert "the face of the tall man" in [q.identifier.text for q in judge.asked]


def test_parts_of_an_absent_whole_are_asked_by_names_of_their_own():
    answers = {("entity", "the man"): 1, ("entity", "the tall man"): 1}
    _, judge = score(man_with_cup(), answers, default=5)
    asked = [q.identifier.text for q in judge.asked if q.kind == "entity"]
    assert "the face" in asked
    assert not any(" of " in text for text in asked)


def test_nested_parts_go_level_by_level():
    scene = Scene("A man, the hand of the man, the finger of the hand.")
    man, hand = scene.entity("A man"), scene.entity("the hand", part_of=0)
    finger = scene.entity("the finger", part_of=1)
    scene.relation(hand, "of", man, kind="part")
    scene.relation(finger, "of", hand, nth=1, kind="part")
    _, judge = score(scene.graph, lambda q: 5)
    assert judge.batches == [1, 2, 2, 2]
    assert "the finger of the hand of the man" in [q.identifier.text for q in judge.asked]


def test_a_ring_of_parts_does_not_hang():
    scene = Scene("A ring, a chain.")
    scene.entity("A ring", part_of=1)
    scene.entity("a chain", part_of=0)
    scored, _ = score(scene.graph, lambda q: 5)
    assert len(scored.components) == 2


def test_a_whole_that_is_named_by_its_part_is_not_used_to_name_it():
    scene = Scene("A man with a hat and a man with a cane.")
    one, hat = scene.entity("A man"), scene.entity("a hat", part_of=0)
    two, cane = scene.entity("a man"), scene.entity("a cane", part_of=2)
    scene.relation(one, "with", hat)
    scene.relation(two, "with", cane, nth=1)
    _, judge = score(scene.graph, lambda q: 5)
    asked = [q.identifier.text for q in judge.asked if q.kind == "entity"]
    assert asked == ["the man with the hat", "the man with the cane", "the hat of the man", "the hat",
                     "the cane of the man", "the cane"]


def test_viewer_regions_and_the_work_itself_are_not_asked_for():
    scene = Scene("In this painting a dog sits to our left.")
    picture = scene.entity("this painting", role="picture")
    dog = scene.entity("a dog")
    us = scene.entity("our", role="viewer", kind="possessive")
    left = scene.entity("our left", role="region")
    scene.relation(dog, "to", left)
    scene.relation(picture, "In", left)
    scored, judge = score(scene.graph, lambda q: 5)
    assert [c.text for c in scored.components] == ["dog", "to"]
    assert next(q for q in judge.asked if q.kind == "relation").object_identifier.text == "our left"
    assert us.role == "viewer"


def test_absence_is_asked_as_absence():
    scene = Scene("There are no people.")
    scene.entity("no people", plural=True, negated=True)
    scored, judge = score(scene.graph, lambda q: 5)
    assert [c.text for c in scored.components] == ["no people"]
    assert scored.components[0].negated
    assert "no \"people\"" in judge.asked[0].text


def test_without_is_the_question_of_its_relation_alone():
    scene = Scene("A man without a hat is not smiling.")
    man, hat = scene.entity("A man"), scene.entity("a hat", negated=True)
    scene.relation(man, "without", hat, negated=True)
    scene.attribute(man, "smiling", lemma="smile", kind="action", negated=True)
    scored, judge = score(scene.graph, lambda q: 5)
    assert [(c.kind, c.text) for c in scored.components] == [
        ("entity", "man"), ("attribute", "not smiling"), ("relation", "without")
    ]
    assert all(c.negated for c in scored.components[1:])
    texts = [q.text for q in judge.asked]
    assert any('"smiling" is not the case' in t for t in texts)


def test_a_missing_verdict_is_none_and_does_not_make_its_entity_absent():
    scored, _ = score(man_with_cup(), lambda q: None if q.identifier.entity.head == "man" else 5)
    found = by_text(scored)
    assert (found["man"].score, found["man"].present, found["man"].missing) == (None, None, True)
    assert found["tall"].inherited is False  # asked: whether the man is there is not known
    assert scored.n_missing == 3  # the man, his attribute, what he holds
    assert scored.n_unread == 4  # two identifiers of the man


def test_a_score_off_the_scale_is_no_answer():
    scored, _ = score(man_with_cup(), lambda q: Verdict(7.0, raw="seven"))
    assert scored.n_missing == scored.n_components
    assert "not between 1 and 5" in scored.components[0].reason


def test_lazy_asks_less_and_scores_the_same():
    def answers(q):
        return {"the man": 4.6, "the cup": 3.2, "the red cup": 3.1}.get(q.identifier.text, 5)

    full, asked = score(man_with_cup(), answers)
    lazy, asked_lazy = score(man_with_cup(), answers, identifiers="lazy")
    assert [(c.text, c.score, c.identifier) for c in full.components] == [
        (c.text, c.score, c.identifier) for c in lazy.components
    ]
    assert len(asked_lazy.asked) < len(asked.asked)


def test_capitals_of_the_beginning_of_a_sentence_are_not_part_of_a_claim():
    scene = Scene("Two men stand.")
    men = scene.entity("Two men", "man", plural=True, count=2)
    scene.attribute(men, "Two", lemma="two", kind="quantity")
    _, judge = score(scene.graph, lambda q: 5)
    assert judge.asked[-1].text.endswith('as "two"?')


def test_an_empty_graph_asks_nothing():
    from posh_lite.judge.prompts import load_prompts

    run = Interview(EMPTY, "reference", load_prompts(), 2).run()
    with pytest.raises(StopIteration) as stopped:
        next(run)
    assert stopped.value.value == []
