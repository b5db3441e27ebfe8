"""Coreference of whole descriptions against clusters marked by hand, and the rules one by one."""

from __future__ import annotations

import re
import time
from itertools import combinations

import pytest
from coreference_texts import DESCRIPTIONS
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.graph.coreference import EmbeddedResolver
from posh_lite.graph.coreference_words import contrasts, tokens, words
from posh_lite.graph.extract import extract_graph, extract_graphs
from posh_lite.graph.mentions import Candidate, CoreferenceResolver, MentionDocument, Resolution
from posh_lite.graph.types import SceneGraph

_MARK = re.compile(r"\{(\w+):([^}]+)\}")
Pairs = set[tuple[int, int]]


def parse_marks(marked: str) -> tuple[str, dict[int, str]]:
    """The plain text, and the entity of each marked mention by its start."""
    text, starts, last = "", {}, 0
    for match in _MARK.finditer(marked):
        text += marked[last : match.start()]
        starts[len(text)] = match[1]
        text += match[2]
        last = match.end()
    return text + marked[last:], starts


def pairs(graph: SceneGraph, starts: dict[int, str]) -> tuple[Pairs, Pairs]:
    """Gold and predicted pairs among the marked mentions."""
    home: dict[int, int] = {}
    for entity in graph.entities:
        for mention in entity.mentions:
            home.setdefault(mention.start, entity.id)
    both = list(combinations(sorted(starts), 2))
    gold = {(a, b) for a, b in both if starts[a] == starts[b]}
    return gold, {(a, b) for a, b in both if a in home and b in home and home[a] == home[b]}


def f1(gold: Pairs, predicted: Pairs) -> float:
    return 2 * len(gold & predicted) / (len(gold) + len(predicted))


@pytest.fixture(scope="module")
def results() -> dict[str, tuple[Pairs, Pairs]]:
    marked = {name: parse_marks(text) for name, text in DESCRIPTIONS.items()}
    graphs = extract_graphs([text for text, _ in marked.values()])
    return {name: pairs(g, starts) for (name, (_, starts)), g in zip(marked.items(), graphs, strict=True)}


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_description(name: str, results: dict[str, tuple[Pairs, Pairs]]) -> None:
    gold, predicted = results[name]
    assert f1(gold, predicted) >= 0.75


def test_descriptions_together(results: dict[str, tuple[Pairs, Pairs]]) -> None:
    hits = sum(len(gold & predicted) for gold, predicted in results.values())
    assert hits / sum(len(predicted) for _, predicted in results.values()) >= 0.95
    assert hits / sum(len(gold) for gold, _ in results.values()) >= 0.95


#: One rule a text; every marked mention counts, and the clusters must be exactly right.
RULES = {
    "red is not blue": "There is a red {a:car} and a blue {b:car}. The red {a:car} is new. The blue {b:car} is old.",
    "left is not right": "The {a:man} on the left sits. The {b:man} on the right eats. The {a:man} on the left reads.",
    "one of a plural": "Two {g:men} talk. The {a:man} on the left laughs. The {g:men} wear hats.",
    "other": "A {a:man} reads. The other {b:man} sleeps. The other {b:man} wears a hat.",
    "another": "A {a:woman} sings. Another {b:woman} dances.",
    "indefinite introduces": "A {a:dog} barks. A {b:dog} sleeps.",
    "gender": "A {m:man} greets a {w:woman}. {w:She} smiles and {m:he} bows.",
    "number": "A {w:woman} feeds three {c:chickens}. {c:They} peck at the ground near {w:her}.",
    "animal": "A {w:woman} walks a {d:dog}. {d:It} wags {d:its} tail.",
    "parts": "A {m:man} raises his {a:hand}. A {w:woman} raises her {b:hand}.",
    "same part": "A {w:woman} rests her {l:hand} on a book. Her {l:hand} is pale.",
    "reflexive": "A {w:woman} looks at {w:herself} in a mirror.",
    "co-argument": "A {a:woman} sits by a {b:girl}. The {b:girl} watches {a:her}.",
    "object of it": "A {s:sidewalk} has a {b:bench} with a {c:cat} on {b:it}.",
    "lap": "A {w:woman} sits in a chair. A {g:girl} sits on {w:her} lap.",
    "participle": "The picture shows a {h:horse} rearing on {h:its} hind legs.",
    "relative": "A {w:woman} {w:who} wears a hat holds a {b:basket} {b:that} is full.",
    "kind": "A {c:car} is parked by a wall. The {c:vehicle} is dusty.",
    "doer": "A {a:woman} sings while a {b:man} plays the piano. The {a:singer} wears red.",
    "quotation": 'The {a:word} "STOP" is above the {b:word} "GO".',
    "fronted": "In {f:his} left hand, the {f:farmer} holds a rope.",
    "viewer": "To {v:our} left, a woman faces {v:us}.",
    "next": "The first {a:sign} is red. The next {b:sign} is green. The next {c:sign} is blue.",
    "compounds": "A wine {w:glass} stands by a water {x:glass}. The wine {w:glass} is empty.",
    "neither": "Two {g:men} wait. Neither {g:man} smiles.",
    "each": "Two {g:girls} play. Each {g:girl} wears a bow.",
}


@pytest.mark.parametrize("rule", RULES)
def test_rule(rule: str) -> None:
    text, starts = parse_marks(RULES[rule])
    gold, predicted = pairs(extract_graph(text), starts)
    assert predicted == gold


@pytest.mark.parametrize(
    ("text", "group", "members"),
    [
        ("A woman, a boy, and a girl pose. All three people smile.", "people", ["woman", "boy", "girl"]),
        ("A woman holds a boy and a girl. Both children smile.", "children", ["boy", "girl"]),
        ("A man and a woman are dancing. The couple is alone.", "couple", ["man", "woman"]),
        ("A man and a woman are dancing. They are alone.", "They", ["man", "woman"]),
        ("Two men talk. The man on the left laughs.", "men", ["man"]),
        ("Two dogs play. One is brown; the other is black.", "dogs", ["One", "other"]),
    ],
)
def test_groups_know_their_members(text: str, group: str, members: list[str]) -> None:
    graph = extract_graph(text)
    found = next(e for e in graph.entities if group in [m.text for m in e.mentions])
    assert [graph.entities[i].mentions[0].text for i in found.members] == members


def test_former_and_latter() -> None:
    text = "A cook and a waiter are talking. The former holds a knife; the latter holds a tray."
    heads = {m.text: e.head for e in extract_graph(text).entities for m in e.mentions}
    assert (heads.get("former"), heads.get("latter")) == ("cook", "waiter")


@pytest.mark.parametrize("text", ["It is raining.", "She wears a hat.", "They wait.", "It appears that it is noon."])
def test_pronouns_without_antecedent_stay_alone(text: str) -> None:
    pronoun = text.split()[0]
    entity = next((e for e in extract_graph(text).entities if e.mentions[0].text == pronoun), None)
    assert entity is None or len(entity.mentions) == 1


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["a man", "the man", "two men", "she", "his hat", "it", "the other", "they", "one", "both", "who sits",
             "the red car", "no dog", "and", "with", ".", ",", "holds", "on the left", "our", "“Exit”", "é", "\x00"]
        ),
        max_size=25,
    )
)  # fmt: skip
def test_any_words_resolve_once(parts: list[str]) -> None:
    seen: list[Resolution] = []

    class Watched(EmbeddedResolver):
        def resolve(self, document: MentionDocument) -> Resolution:
            resolution = super().resolve(document)
            assert super().resolve(document) == resolution
            listed = [i for cluster in resolution.clusters for i in cluster]
            assert len(listed) == len(set(listed))
            assert all(0 <= i < len(document.candidates) for i in listed)
            assert all(len(cluster) > 1 for cluster in resolution.clusters)
            seen.append(resolution)
            return resolution

    extract_graph(" ".join(parts), coreference=Watched())
    assert len(seen) == 1


def test_empty_document() -> None:
    assert isinstance(EmbeddedResolver(), CoreferenceResolver)
    assert EmbeddedResolver().resolve(MentionDocument("")) == Resolution()


def test_time_grows_with_the_text_alone() -> None:
    def document(sentences: int) -> MentionDocument:
        kinds = ("man", "woman", "dog", "red car", "tree")
        found: list[Candidate] = []
        for s in range(sentences):
            for k, head in enumerate((*kinds, "he", "its")):
                pronoun = head in ("he", "its")
                found.append(Candidate(
                    index=len(found), start=s * 50 + k * 6, end=s * 50 + k * 6 + 3, text=head, clause=k,
                    phrase=(s * 50, s * 50 + 3), sentence=s, kind="pronoun" if pronoun else "noun", head=head,
                    noun=head.split()[-1], determiner="none" if pronoun else "the" if s % 3 else "a",
                    grammar="subject" if k == 0 else "object", coordination=s * 7,
                ))  # fmt: skip
        return MentionDocument("x" * (sentences * 50 + 60), (), tuple(found))

    def seconds(sentences: int) -> float:
        start = time.process_time()
        EmbeddedResolver().resolve(document(sentences))
        return time.process_time() - start

    seconds(20)  # loads the word lists
    assert seconds(1600) < 12 * seconds(400) + 1


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("red", "blue", True), ("rose-pink", "pink", False), ("dark gray", "charcoal-gray", False),
        ("left", "right", True), ("small", "old", False), ("young", "elderly", True), ("wooden", "glass", True),
        ("red and white", "white", False), ("first", "second", True), ("", "red", False),
    ],
)  # fmt: skip
def test_contrast(first: str, second: str, expected: bool) -> None:
    assert contrasts(tokens([first]), tokens([second])) is expected
    assert contrasts(tokens([second]), tokens([first])) is expected


def test_word_lists_agree_with_each_other() -> None:
    known = words()
    assert known.persons["woman"].gender == "female"
    assert known.persons["boy"].age == "child"
    assert not set(known.persons) & known.animals
    assert known.general <= set(known.persons)


@pytest.mark.parametrize(
    "text",
    [
        "The boy on the left is feeding the soldier, who wears a green jacket.",
        "The woman in the gray vest holds a rope, and the soldier in the green vest is watching.",
        "A rope is held by the boy in the pink scarf; the farmer wearing a brown scarf is watching.",
        "A man carries a basket while the sailor points at the sea.",
    ],
)
def test_two_people_of_one_sentence_keep_their_own_nouns(text: str) -> None:
    people = {"boy", "soldier", "woman", "farmer", "man", "sailor"}
    heads = [{m.text.lower() for m in e.mentions} & people for e in extract_graph(text).entities]
    assert all(len(found) <= 1 for found in heads)
    assert sum(bool(found) for found in heads) == 2
