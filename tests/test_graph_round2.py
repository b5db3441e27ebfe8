"""Sentences that small parsers misread: verbs taken for nouns, lists, participles, idioms (notation: ``facts.py``)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from facts import facts

from posh_lite.graph import SceneGraph, extract_graphs, lexicon
from posh_lite.graph.proxies import pieces_of
from posh_lite.graph.verbal import THINGS, VISUAL, base_of, show_plain_verbs
from posh_lite.language import known_words, load

GraphOf = Callable[[str], SceneGraph]

VERBS = [
    (
        "The doctor leans on a desk while the soldier in the green vest watches.",
        {"doctor | lean on | desk", "soldier: watch", "soldier | in | vest", "vest: green"},
        {"vest watch"},
    ),
    ("A boy in a cap laughs.", {"boy: laugh", "boy | in | cap"}, {"cap laugh"}),
    ("A cat naps.", {"cat: nap"}, set()),
    ("A horse trots.", {"horse: trot"}, set()),
    ("The doctor frowns.", {"doctor: frown"}, set()),
    ("A girl in a dress skips rope.", {"girl | skip | rope", "girl | in | dress"}, {"girl: rope"}),
    ("A boy in shorts juggles balls.", {"boy | juggle | ball", "boy | in | shorts"}, set()),
    ("A nurse kneels.", {"nurse: kneel"}, set()),
    ("The net trails behind the boat.", {"net | trail behind | boat"}, {"trail"}),
    ("The net trails.", {"net: trail"}, {"trail"}),
    ("A flower peeks from behind a rock.", {"flower | peek from behind | rock"}, set()),
    ("A man in a coat kneels.", {"man: kneel", "man | in | coat"}, {"coat kneel"}),
    ("Her umbrella nearly bumps theirs.", {"umbrella | bump | theirs"}, {"bump"}),
    ("A man on horseback watches over them.", {"man | watch over | them", "man | on | horseback"}, set()),
    ("Two boys juggle balls.", {"boy | juggle | ball"}, set()),
    ("The girl in red prays and a dog sits beside her.", {"girl: pray", "dog | sit beside | girl"}, {"pray"}),
    ("A bus is parked as a boy in a cap dances.", {"bus: parked", "boy: dance"}, {"cap dance"}),
    ("A man and a boy march.", {"man: march", "boy: march"}, {"boy march"}),
    ("Children in long coats wave at us.", {"child | wave at | viewer"}, {"coat wave"}),
    ("The dog that naps is brown.", {"dog: nap", "dog: brown"}, set()),
    ("A woman kneels and prays.", {"woman: kneel", "woman: pray"}, {"pray"}),
    ("The clock reads 10:30.", {"clock | read | 10:30"}, set()),
    ("A waiter gives a man a glass.", {"waiter | give | glass"}, set()),
    ("A man with stripes on his jacket bends down over her.", {"man | bend down over | her"}, {"jacket bend"}),
    ("He reaches out with his arm and points at the group.", {"he | point at | group"}, {"point"}),
    ("A green window stands ajar.", {"window: green", "window: stand ajar"}, {"ajar"}),
    ("A boy squeezes a lemon.", {"boy | squeeze | lemon"}, {"boy | squeez | lemon"}),
]

NOUNS = [
    ("A boy runs up the steps.", {"step"}, set()),
    ("His glasses lie on the table.", {"glass | lie on | table"}, {"his"}),
    ("Two watches lie on a table.", {"2 watch", "watch | lie on | table"}, set()),
    ("Horse tracks lead to the barn.", {"horse track"}, {"horse: track"}),
    ("People fill the stands.", {"stand", "people | fill | stand"}, set()),
    ("The waves are high.", {"wave", "wave: high"}, set()),
    ("A boy throws the red balls.", {"ball: red", "boy | throw | ball"}, set()),
    ("Light falls on the tree trunks.", {"light | fall on | tree trunk"}, set()),
    ("The dry leaves are brown.", {"leaf: dry", "leaf: brown"}, set()),
    ("A shelf holds white flowers.", {"flower: white", "shelf | hold | flower"}, set()),
    ("The hands of the clock are black.", {"hand: black"}, set()),
    ("A man walks past three parked cars and two bikes.", {"3 car", "2 bike"}, set()),
    ("Her shorts are blue.", {"shorts: blue"}, set()),
    ("There are skis, poles and two masks on the floor.", {"pole", "2 mask"}, set()),
    ("A bridge with stone arches crosses a river.", {"bridge | cross | river"}, {"stone: arch"}),
]

LISTS = [
    (
        "A man with a beard and pink eyes stands there.",
        {"man | with | beard", "man | with | eye", "eye: pink"},
        {"eye: beard"},
    ),
    (
        "A table with a lamp, a vase and a stack of books stands against the wall.",
        {"table | with | lamp", "table | with | vase", "table | with | book", "table | stand against | wall"},
        set(),
    ),
    (
        "A dog with brown fur and a red collar sleeps.",
        {"dog: sleep", "dog | with | fur", "dog | with | collar", "collar: red"},
        {"collar: sleep"},
    ),
    ("A man is holding a cup and a plate.", {"man | hold | cup", "man | hold | plate"}, set()),
    (
        "A woman in a white dress and a straw hat sits.",
        {"woman: sit", "woman | in | dress", "woman | in | hat", "hat: straw"},
        {"hat: sit"},
    ),
    (
        "A man with a beard, a cane and a dog walks.",
        {"man: walk", "man | with | cane", "man | with | dog"},
        {"cane: walk", "dog: walk"},
    ),
    ("A net spread across his knees is brown.", {"net", "net: brown"}, {"spread", "net spread"}),
]

PARTICIPLES = [
    (
        "A man kneels on a bed holding a violin.",
        {"man | kneel on | bed", "man | hold | violin"},
        {"bed | hold | violin"},
    ),
    ("A woman sits on a bench reading a book.", {"woman | read | book"}, {"bench | read | book"}),
    ("A boy stands on a rock wearing a hat.", {"boy | wear | hat"}, {"rock | wear | hat"}),
    ("Holding a violin, a man kneels on a bed.", {"man | hold | violin", "man | kneel on | bed"}, set()),
    ("A boy on a bench eating an apple laughs.", {"boy | eat | apple", "boy: laugh"}, {"bench | eat | apple"}),
    ("A waiter stands at a table holding a tray.", {"waiter | hold | tray"}, {"table | hold | tray"}),
    ("A man looks at a statue holding a torch.", {"man | look at | statue", "statue | hold | torch"}, set()),
    ("A woman leans against a wall near a dog wearing a sweater.", {"dog | wear | sweater"}, {"wall | wear | sweater"}),
    ("A vase stands on a table with a drawer.", {"table | with | drawer"}, {"vase | with | drawer"}),
    (
        "A stool stands next to a dark blue jug with a lid.",
        {"jug: dark blue", "jug | with | lid", "stool | stand next to | jug"},
        {"stool | with | lid"},
    ),
]

INVERTED = [
    (
        "Hanging above the fireplace is a sizable bicycle made of stone.",
        {"bicycle | hang above | fireplace", "bicycle: sizable", "bicycle | make of | stone"},
        set(),
    ),
    ("In the corner hang a hamper and a pail.", {"hamper | in | corner", "pail | in | corner"}, set()),
    ("Behind the wall stands a yellow house.", {"house | behind | wall", "house: yellow"}, {"wall: stand"}),
    (
        "Following a car, a band is marching down the street, its drummers dressed in white.",
        {"band | follow | car", "band | march down | street", "drummer | of | band"},
        set(),
    ),
]

IDIOMS = [
    ("A man has a cup in hand.", {"man | have | cup"}, {"hand"}),
    ("A dog sits to the rear of the car.", {"dog | sit to the rear of | car"}, {"rear"}),
    ("A dog sits at the rear of the car.", {"dog | sit at the rear of | car"}, {"rear"}),
    ("A dog sits at the edge of the pond.", {"dog | sit at the edge of | pond"}, {"edge"}),
    ("Trees stand on both sides of the road.", {"tree | stand on both sides of | road"}, {"side", "2 side"}),
    ("A boy is in the act of jumping.", {"boy: jump"}, {"act"}),
    ("A man is on foot.", {"man: on foot"}, {"foot"}),
    ("A man is at work.", {"man: at work"}, {"work"}),
    ("A boat lies on its side.", {"boat: lie on its side"}, {"side"}),
    ("A man and a woman walk hand in hand.", {"man: walk hand in hand"}, {"hand"}),
    ("Two dogs sit side by side.", {"dog: sit side by side"}, {"side"}),
    ("Nobody is in the boat.", {"no person", "person | not in | boat"}, {"person"}),
    ("There is no one on the street.", {"no person"}, {"one", "person"}),
    ("The two men look at each other.", {"man: look at each other"}, {"other"}),
    ("The men face each other.", {"man: face each other"}, {"other"}),
]

COMPOUNDS = [
    ("A brick factory building stands by a river.", {"factory building: brick"}, set()),
    ("A man holds a fishing rod.", {"fishing rod"}, {"rod"}),
    ("A woman wears a plum-colored shawl.", {"shawl: plum-colored"}, set()),
    ("An agricultural worker digs.", {"worker: agricultural", "worker: dig"}, set()),
    ("A green field next to a barn stretches out.", {"field: green", "field | next to | barn"}, {"green"}),
    ("Soft daylight fills the room.", {"daylight: soft", "daylight | fill | room"}, set()),
    ("The door is ajar.", {"door: ajar"}, {"ajar"}),
    ("A girl has her own cup.", {"girl | have | cup"}, {"own"}),
    ("The uppermost shelf holds a vase.", {"shelf: uppermost"}, {"uppermost"}),
]

ACROSS = [
    ("A fly, its wings spread, sits on a leaf.", {"wing < fly", "fly | sit on | leaf"}, {"its = unresolved"}),
    ("A horse, its mane flying, gallops.", {"mane < horse", "horse: gallop"}, {"mane flying"}),
    (
        "A woman in the brown robe talks to a man; the soldier wearing a white robe listens.",
        {"robe: brown", "robe: white", "woman | in | robe", "soldier | wear | robe", "soldier: listen"},
        {"robe < woman"},
    ),
    ("A man sits for a portrait. The artist signed it.", {"artist"}, {"man | sign | portrait"}),
]


@pytest.mark.parametrize(
    ("text", "present", "absent"),
    [*VERBS, *NOUNS, *LISTS, *PARTICIPLES, *INVERTED, *IDIOMS, *COMPOUNDS, *ACROSS],
)
def test_facts(graph_of: GraphOf, text: str, present: set[str], absent: set[str]) -> None:
    found = facts(graph_of(text))
    assert present <= found, f"missing {sorted(present - found)} in {sorted(found)}"
    assert not absent & found, f"unwanted {sorted(absent & found)} in {sorted(found)}"


def test_things_in_er_are_not_she(graph_of: GraphOf) -> None:
    found = facts(graph_of("A clerk stands at the back of a counter. She looks out of a window."))
    assert not any(f.startswith(("counter: look", "counter | look")) for f in found)


def test_both_sums_up_two_people_named_one_by_one(graph_of: GraphOf) -> None:
    graph = graph_of("A man and a woman stand by a car. Both have red hats.")
    both = next(e for e in graph.entities if e.head == "both")
    assert [graph.entities[i].head for i in both.members] == ["man", "woman"]


def test_a_superlative_sets_one_of_several_apart(graph_of: GraphOf) -> None:
    graph = graph_of("Two men sit. The bearded man reads. The youngest man sleeps.")
    men = [e for e in graph.entities if e.head == "man" and not e.plural]
    assert [len(e.mentions) for e in men] == [1, 1]


INTRANSITIVE = ("laughs", "naps", "trots", "kneels", "watches", "peeks", "waves", "walks", "jumps", "dances", "smiles",
                "stretches", "trails", "hovers")  # fmt: skip
TRANSITIVE = ("skips", "bumps", "carries", "pushes", "waves", "brushes", "kicks", "throws", "rides", "hugs", "drags",
              "reads", "squeezes", "grips")  # fmt: skip
SUBJECTS = [
    ("a boy", "boy"), ("the soldier in the green vest", "soldier"), ("a dog on a sofa", "dog"),
    ("the girl in red", "girl"), ("a man on horseback", "man"),
]  # fmt: skip
FRAMES = ["In the background, %s", "A man stands by a tree while %s", "A cat sits on a mat, and %s"]


def _grid() -> list[tuple[str, str, str]]:
    """Sentence, head of the subject and the start of the claim that it makes."""
    rows = []
    kinds = ((INTRANSITIVE, [".", " by the door."]), (TRANSITIVE, [" a rope.", " her hand."]))
    for verbs, ends in kinds:
        for number, (verb, (subject, head)) in enumerate(product(verbs, SUBJECTS)):
            sentence = FRAMES[number % 3] % f"{subject} {verb}{ends[number % 2]}"
            rows.append((sentence, head, lexicon.verb_lemma(verb)))
    return rows


def test_verbs_by_subjects_by_frames() -> None:
    rows = _grid()
    wrong = [
        sentence
        for (sentence, head, lemma), graph in zip(rows, extract_graphs([r[0] for r in rows]), strict=True)
        if not any(f.startswith((f"{head}: {lemma}", f"{head} | {lemma}")) for f in facts(graph))
    ]
    assert len(rows) == 140
    assert len(wrong) <= 2, wrong


def _shown(text: str) -> str:
    pieces = pieces_of(load().tokenizer, text, 0, len(text))
    show_plain_verbs(pieces, known_words("noun"), known_words("adj"))
    return " ".join(p.shown for p in pieces)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("A dog naps.", "A dog went ."),
        ("A girl kicks a ball.", "A girl holds a ball ."),
        ("Two girls kick a ball.", "Two girls took a ball ."),
        ("The tree trunks and the steps.", "The tree trunks and the steps ."),
        ("His watches and two masks lie here.", "His watches and two masks went here ."),
        ("In the corner hangs a lamp.", "In the corner is a lamp ."),
        ("A bus is red as a dog barks.", "A bus is red while a dog went ."),
        ("The man dressed as a clown waves.", "The man dressed as a clown went ."),
    ],
)
def test_what_the_parser_is_shown(text: str, shown: str) -> None:
    assert _shown(text) == shown


def test_base_forms() -> None:
    words = ["watches", "carries", "waves", "squeezes", "ties", "kneels", "glass", "grass", "his", "lacks", "leaves"]
    bases = [base_of(w) for w in words]
    assert bases == ["watch", "carry", "wave", "squeeze", "tie", "kneel", None, None, None, None, None]
    assert len(VISUAL) >= 500
    assert THINGS < VISUAL
