import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite import PoSh
from posh_lite.errors import InputError
from posh_lite.graph.extract import extract_graph
from posh_lite.judge.table import TableJudge
from posh_lite.metric.context import GAP, Nearby, excerpt

TARGET = (
    "A man stands by a fence. He wears a red coat. The sky is grey. A dog sleeps under a tree. "
    "Some houses stand far off. The road is wet. A bird sits on the roof."
)
GENERATION = "A man in a red coat leans on a fence. A puppy lies below a tree. A submarine floats in the harbor."


def asked(generation, reference, **settings):
    judge = TableJudge(lambda q: 5.0, name="all")
    judge.structural = False
    scores = PoSh(judge, progress=False, **settings).score_many([(generation, reference)])
    return judge.asked, scores[0]


def shown(question):
    """TEXT A of the prompt."""
    rest = question.prompt.split("TEXT A:\n", 1)[1]
    return rest.split("\n\nTEXT B:", 1)[0].split("\n\nQuestion:", 1)[0]


def find(questions, side, words):
    (found,) = [q for q in questions if q.side == side and words in q.text]
    return found


def test_the_counterpart_under_another_name_and_its_pronoun_are_shown():
    questions, _ = asked(GENERATION, TARGET, context="near")
    coat = shown(find(questions, "generation", 'describe "the coat" as "red"'))
    assert coat == "He wears a red coat."
    dog = shown(find(questions, "generation", '"the puppy"?'))  # a dog is broader than a puppy
    assert dog == "A dog sleeps under a tree."
    fence = shown(find(questions, "generation", "leans on"))
    assert fence.startswith("A man stands by a fence.")


def test_what_nothing_speaks_of_is_asked_of_the_whole_text():
    questions, _ = asked(GENERATION, TARGET, context="near")
    assert shown(find(questions, "generation", 'mention "the submarine"')) == TARGET


def test_a_claim_in_unknown_words_is_not_decided_on_a_few_of_many_sentences():
    target = "A man stands. The man smiles. The man waves. The man turns. The man whistles. The sky is grey."
    questions, _ = asked("A zorptic man stands.", target, context="near")
    claim = find(questions, "generation", '"zorptic"')
    assert shown(claim) == target


def test_the_source_shows_where_the_component_is_said():
    questions, _ = asked(GENERATION + " The air is cold.", TARGET, context="near")
    claim = find(questions, "generation", "submarine\" \"floats in\"")
    assert "TEXT B:\nA submarine floats in the harbor.\n" in claim.prompt
    assert "leans on" not in claim.prompt


def test_texts_and_offsets_stay_those_of_the_whole_text():
    questions, near = asked(GENERATION, TARGET, context="near")
    _, full = asked(GENERATION, TARGET)
    assert {q.target_text for q in questions} == {GENERATION, TARGET}
    assert [c.spans for c in near.components] == [c.spans for c in full.components]


def test_the_signature_tells_and_that_of_whole_texts_is_unchanged():
    judge = TableJudge(lambda q: 5.0, name="all")
    full, near = PoSh(judge).signature, PoSh(judge, context="near").signature
    assert near == full + "|context:near-1"
    assert "context" not in full


def test_an_unknown_context_is_refused():
    with pytest.raises(InputError, match='context must be "full" or "near"'):
        PoSh(context="some")


def test_a_short_text_is_shown_whole():
    text = "A man stands. A dog sleeps. It rains."
    source = extract_graph("A man stands.")
    judge_questions, _ = asked("A man stands.", text, context="near")
    assert all(shown(q) == text for q in judge_questions if q.side == "generation")
    assert excerpt(source, ()) == source.text


def test_neighbours_run_on_and_gaps_are_marked():
    graph = extract_graph("One man sits.  A dog runs.\nThe cat sleeps. It rains. A car waits.")
    assert excerpt(graph, (0, 1, 4)) == "One man sits.  A dog runs." + GAP + "A car waits."


def test_limit_is_checked():
    graph = extract_graph("A man.")
    with pytest.raises(ValueError, match="at least 1"):
        Nearby(graph, graph, 0)


words = st.sampled_from(
    ["A man wears a hat.", "She smiles.", "**The dog** runs!", "- A red\u00a0car.", "no people", "\n\n", "😀", "\x00",
     "The woman’s coat is blue.", "It is big.", "1.", "מים.", "Two cats sit on the sofa.", "```", "e\u0301", "A sofa. "]
)
texts = st.lists(words | st.text(max_size=12), max_size=9).map(" ".join)


@settings(max_examples=25, deadline=None)
@given(texts, texts)
def test_what_is_shown_are_slices_of_the_text_in_order(generation, reference):
    try:
        questions, _ = asked(generation, reference, context="near")
    except InputError:
        return  # half a surrogate pair
    graphs = {t: extract_graph(t) for t in (generation, reference)}
    near = {
        "generation": Nearby(graphs[generation], graphs[reference]),
        "reference": Nearby(graphs[reference], graphs[generation]),
    }
    for question in questions:
        target = graphs[question.target_text]
        numbers = near[question.side].target_sentences(question)
        assert list(numbers) == sorted(set(numbers))
        assert len(numbers) <= 3
        assert all(0 <= n < len(target.sentences) for n in numbers)
        text = excerpt(target, numbers)
        assert text in question.prompt
        if not numbers:
            assert text == question.target_text
            continue
        at = 0
        for number in numbers:  # every chosen sentence stands whole, in order
            start, end = target.sentences[number]
            at = text.index(target.text[start:end], at) + end - start
