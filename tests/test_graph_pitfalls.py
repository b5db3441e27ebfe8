"""Known traps of text and graphs, each with the right facts (see ``facts.py`` for the notation)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from facts import facts

from posh_lite.graph import SceneGraph

GraphOf = Callable[[str], SceneGraph]

NEGATION = [
    ("There are no people in the street.", {"no people"}, {"people"}),
    ("A man without a hat stands by a door.", {"no hat", "man | not without | hat", "man | stand by | door"}, {"hat"}),
    ("The roof is not visible.", {"no roof"}, {"roof"}),
    ("No trees or buildings can be seen.", {"no tree", "no building"}, {"tree", "building"}),
    ("Neither man wears a tie.", {"man", "man | not wear | tie"}, {"no man", "man | wear | tie"}),
    ("None of the windows are open.", {"window: not open"}, {"window: open", "window: none"}),
    ("A blue rather than red car is parked outside.", {"car: blue", "car: not red"}, {"car: red", "no car"}),
    ("The car is blue, not red.", {"car: blue", "car: not red"}, {"car: red"}),
    ("The house lacks a chimney.", {"no chimney", "house"}, {"chimney"}),
    ("The table is devoid of food.", {"no food", "table"}, {"food"}),
    ("The woman isn't wearing a necklace.", {"no necklace", "woman | not wear | necklace"}, {"necklace"}),
    ("There is neither a table nor a chair.", {"no table", "no chair"}, {"table", "chair"}),
    ("He is neither smiling nor frowning.", {"he: not smile", "he: not frown"}, {"he: smile"}),
    ("The boy never smiles.", {"boy: not smile"}, {"boy: smile"}),
    ("The chair is empty, with no cushion on it.", {"chair: empty", "no cushion", "chair | not with | cushion"}, set()),
    ("The texture is not uniform, with three dents.", {"texture: not uniform", "texture | with | dent"}, set()),
    ("The street is empty except for a parked car.", {"car", "car: parked"}, {"no car"}),
    ("The left arm is missing.", {"no arm"}, {"arm"}),
]

COLLECTIVES = [
    ("A pair of scissors lies on the table.", {"scissors", "scissors | lie on | table"}, {"pair", "2 scissors"}),
    ("A pair of red gloves hangs from a hook.", {"2 glove", "glove: red", "glove: pair"}, {"pair"}),
    ("A group of three children plays near a pond.", {"3 child", "child | play near | pond"}, {"group"}),
    ("One of the men holds a cup.", {"1 man", "man | hold | cup"}, {"one"}),
    ("Most of the books are red.", {"book", "book: red", "book: most"}, {"most"}),
    ("Several of the apples are green.", {"apple: green", "apple: several"}, {"several"}),
    ("A dozen eggs sit in a basket.", {"12 egg", "egg | sit in | basket"}, {"dozen"}),
    ("A couple of dogs sleep on the rug.", {"2 dog", "dog | sleep on | rug"}, {"couple", "sleep"}),
    ("A row of tall trees lines the road.", {"tree: tall", "tree | line | road"}, {"row"}),
    ("Two long rows of windows shine.", {"2 row", "row: long", "row | of | window"}, set()),
    ("A bowl of fruit is on the counter.", {"bowl", "bowl | of | fruit", "bowl | on | counter"}, set()),
    ("The bottom half of the hull is red.", {"half: red", "half | of | hull"}, {"hull: red"}),
]

SIDES = [
    ("To our left, a woman sits on a sofa.", {"left = region", "viewer = viewer", "woman | to | left"}, {"left"}),
    ("The man raises his left hand.", {"hand: left", "hand < man", "man | raise | hand"}, {"left = region"}),
    ("A bird perches on the woman's left shoulder.", {"shoulder: left", "shoulder < woman"}, {"left = region"}),
    ("On the left, a man reads a newspaper.", {"man | on | left", "man | read | newspaper"}, {"left"}),
    ("The train runs left.", {"train", "train: run left"}, {"train: leave"}),
    ("Light filters through the tree leaves.", {"light | filter through | tree leaf"}, {"tree: leave"}),
    ("The left front tire has a rim.", {"tire: left", "tire: front", "tire | have | rim"}, set()),
    (
        "In the upper left corner of the image, a bird flies.",
        {"corner = region", "corner: upper", "corner: left", "bird | in | corner"},
        {"corner | of | image"},
    ),
    (
        "The ape on the left closest to the wall has a hat.",
        {"ape | on | left", "ape | closest to | wall"},
        {"left | closest to | wall"},
    ),
    ("A woman stands to the left of a tree.", {"woman | stand to the left of | tree"}, {"left = region", "left"}),
    (
        "A cat sits on top of a car in front of a house next to a tree.",
        {"cat | sit on top of | car", "cat | in front of | house", "cat | next to | tree"},
        {"top", "front"},
    ),
    ("A leaf lies on the lower left of the frame.", {"leaf | lie on | left", "left: lower", "left = region"}, set()),
    ("A vase stands in the center of the image.", {"vase | stand in | center", "center = region"}, set()),
    ("A vase stands in the center of the table.", {"vase | stand in the center of | table"}, {"center"}),
    ("To the right of the painting, a dog sleeps.", {"right = region", "dog | to | right"}, set()),
    ("The light is dim.", {"light", "light: dim"}, set()),
    ("She wears a light green dress.", {"dress: light green"}, {"light", "dress: light"}),
    (
        "A large light fixture hangs from the ceiling.",
        {"light fixture", "light fixture: large"},
        {"light fixture: light"},
    ),
    ("An orange cat eats an orange.", {"cat: orange", "orange", "cat | eat | orange"}, set()),
]

ATTRIBUTES = [
    ("The dark gray dog sleeps.", {"dog: dark gray", "dog: sleep"}, {"dog: dark", "dog sleep"}),
    ("A sun-dappled garden lies beyond the wall.", {"garden: sun-dappled", "garden | lie beyond | wall"}, set()),
    (
        "The shirt has red, blue and yellow stripes.",
        {"stripe: red", "stripe: blue", "stripe: yellow", "stripe < shirt"},
        {"yellow", "blue", "red"},
    ),
    ("A black-and-white cat stares at us.", {"cat: black-and-white", "cat | stare at | viewer"}, {"cat: white"}),
    ("The honey-blond girl smiles.", {"girl: honey-blond", "girl: smile"}, set()),
    ("The vest is striped.", {"vest: striped"}, set()),
    ("His face is framed by brown curls.", {"curl | frame | face", "curl: brown"}, {"face | frame | curl"}),
    ("The bench appears to be wooden.", {"bench: wooden"}, set()),
    ("The sky is a deep blue.", {"sky: deep blue"}, {"blue"}),
    ("The stem is pale tan with brown spots.", {"stem: pale tan", "stem | with | spot"}, {"tan"}),
    (
        "The leaves are dark green, pale yellow and light brown.",
        {"leaf: dark green", "leaf: pale yellow", "leaf: light brown"},
        {"leaf: dark", "leaf: light"},
    ),
    ("A gold and yellow striped vest lies there.", {"vest: gold", "vest: yellow", "vest: striped"}, {"gold"}),
    (
        "Tall trees covered in pine-green, gold, and brown leaves spread out.",
        {"tree: tall", "leaf: pine-green", "leaf: gold", "leaf: brown", "tree | cover in | leaf"},
        {"gold"},
    ),
    ("An elegantly dressed woman waits.", {"woman: elegantly dressed"}, {"woman: elegantly"}),
    (
        "The structure is comprised of triangular and rectangular panels.",
        {"panel: triangular", "panel: rectangular"},
        {"triangular"},
    ),
    ("The walls are painted white.", {"wall: painted white"}, set()),
    ("The flower is purple in color.", {"flower: purple"}, {"color"}),
    ("He laughs with his mouth open.", {"mouth: open"}, {"he: open"}),
]

STRUCTURE = [
    ("The dog that barks, which is brown, sits.", {"dog: bark", "dog: brown", "dog: sit"}, {"that", "which"}),
    ("The man's hat is red.", {"man", "hat: red", "hat < man", "hat | of | man"}, set()),
    ("There are two trees whose trunks are brown.", {"2 tree", "trunk: brown", "trunk < tree"}, {"whose"}),
    (
        "Two men and three women stand near a table.",
        {"2 man", "3 woman", "man | stand near | table", "woman | stand near | table"},
        set(),
    ),
    ("A man's hat and coat hang there.", {"hat < man", "coat < man"}, set()),
    ("A woman in a white dress holds a baby.", {"woman | in | dress", "woman | hold | baby"}, {"baby < woman"}),
    (
        "There are two cups, a plate, and three forks on the table.",
        {"2 cup", "plate", "3 fork", "cup | on | table", "plate | on | table", "fork | on | table"},
        set(),
    ),
    ("At the top of the tower is a clock.", {"clock | at | top", "top < tower"}, set()),
    ("Nestled at its base is an assortment of shells.", {"shell | nestle at | base"}, {"assortment"}),
    (
        "A tall man with a long gray beard leans on a cane.",
        {"man | lean on | cane", "beard: gray", "beard < man"},
        set(),
    ),
    (
        "A flag with red and white stripes flies from a pole.",
        {"flag | fly from | pole", "stripe: white"},
        {"stripes fly"},
    ),
    (
        "The mantle drapes over one shoulder and wraps around her hips.",
        {"mantle", "mantle | drape over | shoulder", "mantle | wrap around | hip"},
        {"drape"},
    ),
    ("A cat and a dog lie in the garden.", {"cat | lie in | garden", "dog | lie in | garden"}, {"dog lie"}),
    ("Two geese fly above the lake.", {"2 goose", "goose | fly above | lake"}, set()),
    ("The woman holds the hand resting on her lap.", {"woman | hold | hand", "hand | rest on | lap"}, set()),
    ("The wall stands beneath what appears to be a bridge.", {"bridge", "wall | stand beneath | bridge"}, {"what"}),
    ("The wine glass on the table is full.", {"wine glass", "wine glass | on | table"}, {"wine"}),
    ("A boy kicks a ball and runs toward the goal.", {"boy | kick | ball", "boy | run toward | goal"}, set()),
]

ROLES = [
    ("This painting shows a woman seated at a desk.", {"painting = picture", "woman | seat at | desk"}, {"painting"}),
    ("A painting of a ship hangs on the wall.", {"painting", "painting | hang on | wall"}, {"painting = picture"}),
    ("The image depicts two horses running across a field.", {"2 horse", "horse | run across | field"}, {"image"}),
    ("We can see a boat in the distance.", {"viewer = viewer", "boat | in | distance"}, {"viewer | see | boat"}),
    ("A man is seen walking toward the camera.", {"camera = viewer", "man | walk toward | camera"}, set()),
    ("It appears to be early morning.", {"morning: early"}, {"it = unresolved"}),
    ("There is a lamp.", {"lamp"}, {"there"}),
    (
        'A sign reading "STOP. Do not enter." hangs on the wall.',
        {"stop. do not enter = writing", "sign | hang on | wall", "sign | read | stop. do not enter"},
        set(),
    ),
    ('The word "OPEN" is painted on the door.', {"open = writing", "open | paint on | door"}, {"word"}),
    ("The clock on the tower reads 10:30.", {"10:30 = writing", "clock | on | tower"}, set()),
    ('His "lucky" shirt is green.', {"shirt: green"}, {"lucky = writing"}),
    ("She smiles.", {"she = unresolved", "she: smile"}, {"she"}),
]


MISREAD = [
    (
        "There are no people in the room, but a small, brown terrier lies curled up next to the chair.",
        {"no people", "terrier: small", "terrier | curl up next to | chair"},
        {"no lie"},
    ),
    (
        "A knife lies on the table, its blade pointing toward us.",
        {"blade < knife", "blade | point toward | viewer"},
        {"blade pointing"},
    ),
    (
        "Two pears fill a bowl in this square still life painting.",
        {"still life painting = picture", "pear | fill | bowl"},
        {"square", "life painting"},
    ),
    (
        "Her mustard-yellow bodice laces up the front, and its green sleeves are pushed above the elbow.",
        {"bodice: mustard-yellow", "bodice | lace up | front", "sleeve: green", "sleeve | push above | elbow"},
        {"bodice lace"},
    ),
    (
        "A veil covers her face, a tiny earring glints at her ear, and her coat is trimmed with fur.",
        {"earring: tiny", "earring | glint at | ear", "coat | trim with | fur"},
        {"earring glint"},
    ),
    (
        "Pedestrians come and go, and a horse-drawn carriage rolls along the far left.",
        {"carriage: horse-drawn", "carriage | roll along | left", "left: far"},
        {"carriage roll"},
    ),
    (
        "To our left, rain-slick cobblestones spread out, with puddles gleaming in the gaps.",
        {"cobblestone | to | left", "cobblestone: rain-slick", "puddle | gleam in | gap"},
        {"cobblestone: left"},
    ),
    (
        "The factory building has broken windows.",
        {"window: broken", "factory building | have | window"},
        {"factory building | break | window"},
    ),
    ("The window frames on the wall are white.", {"window frame", "window frame: white"}, {"window"}),
    ("The boy, about ten years old, looks at us.", {"boy: ten years old", "boy | look at | viewer"}, {"year"}),
    ("The cat, a tabby, lies curled up on a cushion.", {"cat | curl up on | cushion"}, {"lie"}),
    (
        "The man next to him, to our right, tips back in his chair, and he laughs.",
        {"man: laugh", "man | to | right"},
        {"tip"},
    ),
    (
        "A river winds from the lower left corner of this landscape painting into the distance.",
        {"river | wind from | corner", "painting = picture"},
        {"landscape"},
    ),
    (
        "A woman and a boy sit side by side on a bench.",
        {"woman | sit side by side on | bench", "boy | sit side by side on | bench"},
        {"side"},
    ),
    (
        "Dabs of emerald green and turquoise suggest a hedge.",
        {"green: emerald", "turquoise", "dab | suggest | hedge"},
        set(),
    ),
    ("Leafy trees stand beside a rocky path.", {"tree: leafy", "path: rocky"}, {"leafy tree"}),
    (
        "Her hair is parted and pulled back, with loose ringlets falling over her ears.",
        {"hair: pulled back", "ringlet: loose", "ringlet | fall over | ear", "hair | with | ringlet"},
        set(),
    ),
    (
        "Four figures, two men and two women, are gathered around a piano.",
        {"4 figure", "2 man", "2 woman", "figure | gather around | piano"},
        set(),
    ),
    ("The image shows a model of a ship, displayed on a stand.", {"model", "ship", "stand"}, {"image"}),
]


@pytest.mark.parametrize(
    ("text", "present", "absent"), [*NEGATION, *COLLECTIVES, *SIDES, *ATTRIBUTES, *STRUCTURE, *ROLES, *MISREAD]
)
def test_facts(graph_of: GraphOf, text: str, present: set[str], absent: set[str]) -> None:
    found = facts(graph_of(text))
    assert present <= found, f"missing {sorted(present - found)} in {sorted(found)}"
    assert not absent & found


def test_one_relation_has_its_words_alone(graph_of: GraphOf) -> None:
    graph = graph_of("The small dog sits and looks up at the trio.")
    (relation,) = [r for r in graph.relations if r.lemma.startswith("look")]
    assert [graph.text[a:b] for a, b in relation.spans] == ["looks up at"]


def test_words_apart_give_several_spans(graph_of: GraphOf) -> None:
    graph = graph_of("The car is lifted off the ground by large tires.")
    (relation,) = [r for r in graph.relations if r.passive]
    assert [graph.text[a:b] for a, b in relation.spans] == ["lifted", "by"]
    assert (relation.subject.head, relation.object.head) == ("tire", "car")


def test_possessive_mentions_hold_their_apostrophe(graph_of: GraphOf) -> None:
    graph = graph_of("The boy\u2019s small fingers hold the girls' hands.")
    assert [m.text for e in graph.entities for m in e.mentions if m.kind == "possessive"] == ["boy\u2019s", "girls'"]
