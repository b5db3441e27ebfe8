"""Coreference of whole descriptions, against clusters marked by hand.

In the texts, ``{w:woman}`` is a mention of the entity ``w``; unmarked words are not judged.
"""

from __future__ import annotations

import re
import time
from itertools import combinations

import pytest

from posh_lite.graph.coreference import EmbeddedResolver
from posh_lite.graph.extract import extract_graph
from posh_lite.graph.mentions import Candidate, CoreferenceResolver, MentionDocument
from posh_lite.graph.types import SceneGraph

_MARK = re.compile(r"\{(\w+):([^}]+)\}")

#: Written in the manner of museum descriptions for people who do not see the picture, and of long captions.
DESCRIPTIONS: dict[str, str] = {
    "portrait": (
        "A middle-aged {m:man} sits in a carved armchair, shown from the knees up. {m:He} wears a black {c:coat} with a "
        "fur collar, and {m:his} gray {b:beard} is trimmed to a point. The {m:man} looks straight at us. {m:His} right "
        "hand rests on a small {d:dog} that lies on {m:his} lap, while {m:his} left hand holds a {l:letter}. The {d:dog} "
        "is white, and {d:its} ears are brown. A red seal hangs from the {l:letter}. Over the {c:coat}, a gold chain "
        "crosses {m:his} chest."
    ),
    "two men": (
        "Two {g:men} face each other across a table. The {a:man} on the left wears a green {h:hat} and pours wine into a "
        "{c:cup}. The {b:man} on the right rests {b:his} chin on {b:his} hand and watches {a:him}. Behind the {g:men}, a "
        "curtain hides most of the room. The {h:hat} of the {a:man} on the left has a long feather. The other {b:man} is "
        "bareheaded."
    ),
    "three women": (
        "Three {g:women} stand at a well. The {a:woman} in the center lowers a {k:bucket} with both hands. To her left, "
        "an older {b:woman} in a gray shawl leans on {b:her} stick. The third {c:woman}, in yellow, carries a child on "
        "{c:her} back. All three {g:women} wear wooden shoes. The {k:bucket} is nearly full."
    ),
    "mother and child": (
        "A {w:woman} bends over a {t:tub} to bathe a young {c:girl}. The {c:child} sits on {w:her} lap, and {c:her} feet "
        "dangle above the water. The {w:woman} holds the {c:girl} around the waist. A {p:pitcher} stands beside the "
        "{t:tub}. {p:It} is painted with blue flowers."
    ),
    "interior": (
        "In this interior, a {s:servant} in a blue apron stands at a {w:window}. {s:She} holds a brass {j:jug} by {j:its} "
        "handle. Light from the {w:window} falls on a {t:table} covered with a red {r:rug}. A {b:bowl} is on the "
        "{t:table}, and {b:it} holds three pears. The {r:rug} has a dark fringe. The {s:servant}’s sleeves are rolled up "
        "above {s:her} elbows."
    ),
    "street": (
        "A red {a:car} and a blue {b:car} are parked in front of a {h:house}. The red {a:car} has a dent in {a:its} door. "
        "A {c:cat} sleeps on the roof of the blue {b:car}. The {h:house} is built of brick, and {h:its} shutters are "
        "closed. A {d:woman} in sunglasses walks past the {h:house} with {d:her} {e:dog}. The {e:dog} pulls on the leash."
    ),
    "harbor": (
        "Several {s:boats} are moored along a {q:quay}. The largest {b:boat} has two masts; {b:its} sails are furled. A "
        "{f:fisherman} sits on the edge of the {q:quay} and mends a {n:net}. {f:He} has a pipe in {f:his} mouth. Gulls "
        "circle above {f:him}. The {n:net} trails in the water."
    ),
    "couple": (
        "A {m:man} and a {w:woman} are dancing in an empty ballroom. {g:They} are dressed for the evening: {m:he} wears a tuxedo "
        "and {w:she} wears a silver {d:gown}. {w:Her} hand lies on {m:his} shoulder. The {d:gown} trails on the floor. "
        "The {g:couple} is reflected in a tall {x:mirror}, and the frame of the {x:mirror} is gilded."
    ),
    "cataphora": (
        "Wearing a straw {h:hat}, a {f:farmer} walks behind {f:his} {p:plow}. In {f:his} left hand, the {f:farmer} holds the "
        "reins. Two {o:oxen} pull the {p:plow}, and {o:their} heads are lowered. With {o:their} tails raised, the "
        "{o:animals} strain forward."
    ),
    "another": (
        "A {a:boy} kneels at the edge of a {p:pond} with a stick in {a:his} hand. Another {b:boy} stands behind {a:him}, "
        "and {b:he} points at a {s:swan}. The {s:swan} turns {s:its} head away. The kneeling {a:boy} wears a red cap. A "
        "second {t:swan} swims at the far side of the {p:pond}."
    ),
    "one and other": (
        "Two {g:children} play on a beach. {a:One} digs with a {s:shovel}; the {b:other} carries a bucket. The {s:shovel} is "
        "green. Both {g:children} are barefoot, and {g:their} {x:hair} is wet."
    ),
    "saint": (
        "{j:Jerome} sits at a desk in {j:his} study, and a {l:lion} sleeps at {j:his} feet. The old {j:man} bends over a "
        "{b:book}. The {l:animal} rests {l:its} head on {l:its} paws. A skull lies beside the open {b:book}."
    ),
    "group portrait": (
        "Five {g:men} in dark suits are gathered around a {t:table}. {g:They} look up as if {g:they} were interrupted. The "
        "{a:man} nearest to us has turned in {a:his} chair, and {a:his} {h:hand} rests on an open {l:ledger}. The pages of "
        "the {l:ledger} are yellowed. A {s:servant} without a hat stands behind the {g:men}; {s:he} holds a candle. On the "
        "{t:table} lies a red cloth."
    ),
    "cat photo": (
        "A close-up of a tabby {c:cat} lying on a {s:sofa}. The {c:cat}'s eyes are half closed, and one of {c:its} paws "
        "hangs over the edge of the {s:sofa}. {c:It} wears a blue {k:collar} with a bell on {k:it}. A knitted {b:blanket} "
        "is spread over the {s:couch}. The {b:blanket} has a pattern of white stars."
    ),
    "namesakes": (
        "On the left, a {a:vase} of yellow tulips stands on a shelf. On the right, a {b:vase} of dried grass stands on the "
        "floor. The {a:vase} on the left is made of glass; the {b:vase} on the right is made of clay. {b:It} has a crack "
        "near {b:its} base."
    ),
    "rider": (
        "A {m:man} rides a brown {h:horse} across a plain. The {h:horse} has all four hooves off the ground, and "
        "{h:its} mane streams behind {h:it}. The {m:rider} leans forward and holds the reins in {m:his} left hand. "
        "{m:He} looks back over {m:his} shoulder."
    ),
    "sisters": (
        "A tall {a:girl} in white stands beside her younger {b:sister}, who sits on a stool. The {b:sister} holds a "
        "{d:doll} against {b:her} chest. The {d:doll} has lost one of {d:its} shoes. Neither girl smiles. The taller "
        "{a:girl} has placed {a:her} hand on the {b:sister}'s head."
    ),
    "person": (
        "A {p:person} in a yellow raincoat stands on a {c:cliff} with {p:their} back to us. {p:They} hold an {u:umbrella} "
        "that {u:the wind} has turned inside out. Below the {c:cliff}, waves break on the rocks."
    ).replace("{u:the wind}", "the wind"),
}


def parse_marks(marked: str) -> tuple[str, dict[tuple[int, int], str]]:
    """The plain text and the entity of each marked span."""
    text, spans, last = "", {}, 0
    for match in _MARK.finditer(marked):
        text += marked[last : match.start()]
        spans[(len(text), len(text) + len(match[2]))] = match[1]
        text += match[2]
        last = match.end()
    return text + marked[last:], spans


def pairs_of(marked: str) -> tuple[set[tuple[int, int]], set[tuple[int, int]], set[int], SceneGraph]:
    """Gold pairs, predicted pairs and marked mentions without a counterpart; mentions by their start."""
    text, spans = parse_marks(marked)
    graph = extract_graph(text)
    home: dict[int, int] = {}
    for entity in graph.entities:
        for mention in entity.mentions:
            home.setdefault(mention.start, entity.id)
    starts = {span[0]: name for span, name in spans.items()}
    gold = {(a, b) for a, b in combinations(sorted(starts), 2) if starts[a] == starts[b]}
    predicted = {
        (a, b) for a, b in combinations(sorted(starts), 2) if a in home and b in home and home[a] == home[b]
    }
    return gold, predicted, set(starts) - set(home), graph
