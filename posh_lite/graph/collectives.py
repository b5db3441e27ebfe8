"""Heads that are not heads: "a pair of scissors", "a group of three children", "one of the men", "most of the books".

The tree is rewired so that the noun behind "of" takes the collective's place; the collective stays as a
quantity below it.
"""

from __future__ import annotations

from posh_lite.graph import lexicon
from posh_lite.graph.parse import Node, Sentence

#: Dependency of a collective that became a quantity of the noun behind its "of".
QUANTITY = "quantity"
#: The same, where only a part of the group is meant ("one of the men").
PARTITIVE = "partitive"
MARKER = "quantity_of"


def rewire(sentence: Sentence) -> None:
    """Give the place of each collective to the noun it collects, innermost last."""
    for node in sentence.nodes:
        found = _collected(node)
        if found is None:
            continue
        preposition, noun, label = found
        dep, head = node.dep, node.head
        noun_had = head is node
        if noun_had:
            noun.head.children.remove(noun)
            noun.head, noun.dep = noun, "ROOT"
        else:
            noun.move(head, dep)
        for child in list(node.children):
            if (
                child is preposition
                or child is noun
                or child.dep in ("det", "nummod", "amod", "compound", "neg", "predet", "poss", "advmod")
            ):
                continue
            child.move(noun, child.dep)
        node.move(noun, label)
        preposition.dep = MARKER


def _collected(node: Node) -> tuple[Node, Node, str] | None:
    preposition = next((c for c in node.children if c.dep == "prep" and c.lower == "of" and c.i > node.i), None)
    if preposition is None:
        return None
    noun = preposition.child("pobj")
    if noun is None or noun.pos not in ("NOUN", "PROPN", "PRON", "NUM", "ADJ", "VERB"):
        return None
    if node.lower in lexicon.QUANTIFIERS and node.pos != "VERB" and not node.quoted:
        if node.lower == "half" and node.child("det", "amod", "poss") is not None:
            return None  # "the bottom half of the hull" is a place on it
        return preposition, noun, PARTITIVE
    if node.pos not in ("NOUN", "PROPN", "NUM") or node.quoted:
        return None
    if node.lemma not in lexicon.COLLECTIVES and node.lower not in lexicon.COLLECTIVES:
        return None
    if node.child("poss") is not None:
        return None
    definite = node.child("det") is not None and node.child("det").lower in ("the", "this", "that", "each")  # type: ignore[union-attr]
    if node.lemma in lexicon.PLURAL_ONLY:
        plural = noun.tag in ("NNS", "NNPS") and not (noun.child("det", "poss") is not None)
        described = node.child("nummod") is not None or any(c.dep == "amod" and c.i < node.i for c in node.children)
        if definite or described or not plural:
            return None
    elif definite and noun.child("det", "poss") is not None:
        return None  # "the array of the ship"
    return preposition, noun, QUANTITY
