"""Predicates that a small parser took for nouns, and lists that it took for appositions: put right on the tree."""

from __future__ import annotations

from posh_lite.graph import lexicon
from posh_lite.graph.parse import Node
from posh_lite.language import known_words


def restore_predicates(nodes: list[Node]) -> None:
    """Correct in place, one sentence."""
    for node in nodes:
        _root_noun_with_subject(node)
        _verb_as_object(node)
        _second_subject(node)
        _owning_auxiliary(node)
        _painting(node, nodes)
        _modified_verb(node)
        _has_broken_windows(node)
        _coloured_thing(node, nodes)
        _participle_head(node)
    for node in nodes:
        _conjunct_of_be(node)
    for node in nodes:
        _list_not_apposition(node)


def _root_noun_with_subject(node: Node) -> None:
    """As in "a couple of dogs sleep on the rug": the root has a subject, so it is the verb."""
    if node.head is not node or node.pos != "NOUN" or node.child("aux", "cop", "auxpass") is not None:
        return
    subject = node.child("nsubj")
    if subject is None or subject.i > node.i or node.child("det", "poss", "amod") is not None:
        return
    lemma = lexicon.verb_lemma(node.lower) if node.lower.endswith("s") else node.lower
    if lemma in known_words("verb"):
        node.pos, node.tag, node.lemma = "VERB", "VBP" if lemma == node.lower else "VBZ", lemma


def _verb_as_object(verb: Node) -> None:
    """As in "a man with a gray beard leans on a cane": the beard is the object, the man leans."""
    if verb.dep != "pobj" or verb.tag not in ("VBZ", "VBP") or verb.pos != "VERB":
        return
    preposition, noun = (
        verb.head,
        next((c for c in verb.children if c.i == verb.i - 1 and c.dep in ("compound", "amod", "nmod")), None),
    )
    subject = preposition.head
    if noun is None or subject.head is not subject or subject.pos not in ("NOUN", "PROPN") or subject.i > verb.i:
        return
    noun.move(preposition, "pobj")
    noun.pos = "NOUN"
    for child in list(verb.children):
        if child.i < noun.i and child.dep in ("det", "amod", "compound", "poss", "nummod", "nmod"):
            child.move(noun, child.dep)
    preposition.children.remove(verb)
    verb.head, verb.dep = verb, "ROOT"
    subject.move(verb, "nsubj")


def _second_subject(node: Node) -> None:
    """As in "the cat, a tabby, lies curled up": of two subjects the one that can be a verb is it."""
    if (
        node.lower not in lexicon.NOUN_LIKE_VERBS
        or node.dep != "nsubj"
        or node.pos != "NOUN"
        or node.child("det", "amod", "poss")
    ):
        return
    verb = node.head
    if (
        verb.i == node.i + 1
        and verb.tag in ("VBN", "VBG")
        and any(c.dep == "nsubj" and c.i < node.i for c in verb.children)
    ):
        node.pos, node.dep = "AUX", "aux"


def _painting(node: Node, nodes: list[Node]) -> None:
    """As in "this landscape painting" read as an activity."""
    if node.lower not in ("painting", "drawing") or node.pos != "VERB" or not node.i:
        return
    before = nodes[node.i - 1]
    if (
        before.pos not in ("DET", "NOUN", "ADJ")
        or before.head is before
        or before.dep not in ("pobj", "dobj", "nsubj", "det", "amod")
    ):
        return
    if before.pos == "NOUN":
        dep, head = before.dep, before.head
        verb = head
        while verb.pos not in ("VERB", "AUX") and verb.head is not verb:
            verb = verb.head
        node.move(head, dep)
        for child in list(before.children):
            child.move(node, child.dep)
        before.move(node, "amod")
        for preposition in node.kids("prep"):
            if preposition.lower != "of" and verb.pos == "VERB":
                preposition.move(verb, "prep")
    node.pos, node.tag, node.lemma = "NOUN", "NN", node.lower


def _owning_auxiliary(node: Node) -> None:
    """As in "has" read as an auxiliary of its object."""
    head = node.head
    if (
        node.lemma != "have"
        or node.dep != "aux"
        or head is node
        or head.pos not in ("NOUN", "ADJ", "PROPN")
        or head.i < node.i
    ):
        return
    subject = head.child("nsubj", "nsubjpass")
    while (
        head.dep in ("amod", "compound", "nmod", "conj")
        and head.head.i > head.i
        and head.head.pos in ("NOUN", "ADJ", "PROPN")
    ):
        head = head.head
    dep, top = head.dep, head.head
    if subject is not None and subject.i < node.i:
        subject.move(node, "nsubj")
    if top is head:
        node.head.children.remove(node)
        node.head, node.dep = node, "ROOT"
    else:
        node.move(top, dep)
    node.pos = "VERB"
    for child in list(head.children):
        if child.dep in ("nsubj", "nsubjpass", "mark", "neg") or child.i < node.i:
            child.move(node, "nsubj" if child.dep == "nsubjpass" else child.dep)
    head.move(node, "dobj")


def _modified_verb(verb: Node) -> None:
    """A finite verb with a noun as its modifier ("the train runs"): the noun is the subject."""
    if verb.pos != "VERB" or verb.tag not in ("VBZ", "VBP", "VBD") or verb.child("nsubj", "nsubjpass") is not None:
        return
    noun = next(
        (c for c in verb.children
         if c.i == verb.i - 1
         and (c.pos in ("NOUN", "PROPN") or (c.pos == "ADJ" and c.child("nummod", "det") is not None))),
        None,
    )  # fmt: skip
    if noun is None or noun.dep not in ("compound", "amod", "nmod", "npadvmod", "dep"):
        return
    noun.dep = "nsubj"
    noun.pos = "NOUN" if noun.pos == "ADJ" else noun.pos
    for child in list(verb.children):
        if child.i < noun.i and child.dep in ("det", "amod", "compound", "nummod", "poss", "nmod"):
            child.move(noun, child.dep)


def _has_broken_windows(node: Node) -> None:
    """As in "has broken windows": in a description a participle between "has" and a bare noun is its attribute."""
    has, noun = node.child("aux"), node.child("dobj")
    if node.tag != "VBN" or has is None or has.lemma != "have" or noun is None or noun.i != node.i + 1:
        return
    if noun.child("det", "poss", "nummod") is not None or node.child("auxpass") is not None:
        return
    if node.head is node:
        node.children.remove(has)
        has.head, has.dep = has, "ROOT"
    else:
        has.move(node.head, node.dep)
    has.pos = "VERB"
    noun.move(has, "dobj")
    for child in list(node.children):
        child.move(has, child.dep)
    node.move(noun, "amod")


def _participle_head(node: Node) -> None:
    """As in "its blade pointing toward us": the blade is the head, and points."""
    if node.tag != "NN" or not node.lower.endswith("ing") or node.lower in lexicon.ING_THINGS or node.head is node:
        return
    noun = next((c for c in node.children if c.i == node.i - 1 and c.dep == "compound" and c.pos == "NOUN"), None)
    lemma = lexicon.gerund_lemma(node.lower)
    if noun is None or lemma not in known_words("verb"):
        return
    ends = noun.child("poss") is not None or any(c.dep == "poss" for c in node.children)  # "its mane flying, gallops"
    if not ends and not any(
        c.dep == "prep" and c.i == node.i + 1 and c.lower in lexicon.DIRECTIONS for c in node.children
    ):
        return
    noun.move(node.head, node.dep)
    if noun.head is node:
        return
    for child in list(node.children):
        if child.i < noun.i:
            child.move(noun, child.dep)
    node.move(noun, "acl")
    node.pos, node.tag, node.lemma = "VERB", "VBG", lemma


def _coloured_thing(colour: Node, nodes: list[Node]) -> None:
    """As in "next to a dark blue jug with a lid", where the jug was read as a verb."""
    if colour.lower not in lexicon.COLOURS or colour.dep not in ("pobj", "dobj", "attr") or colour.child("det") is None:
        return
    thing = nodes[colour.i + 1] if colour.i + 1 < len(nodes) else None
    if (
        thing is None
        or thing.pos != "VERB"
        or thing.tag not in ("VB", "VBP")
        or thing.child("nsubj", "aux", "dobj") is not None
    ):
        return
    if thing.head is thing:
        return
    thing.move(colour.head, colour.dep)
    if thing.head is not colour.head:
        return
    thing.pos, thing.tag, thing.lemma = "NOUN", "NN", thing.lower
    for child in list(colour.children):
        child.move(thing, child.dep)
    colour.move(thing, "amod")


_GROUPS = frozenset(["couple", "pair", "group", "trio", "family", "duo", "people"])


def _conjunct_of_be(node: Node) -> None:
    """A noun coordinated with "are" belongs to the list behind it."""
    if node.pos == "NOUN" and node.dep == "conj" and node.head.lemma == "be" and node.head.pos in ("VERB", "AUX"):
        first = node.head.child("attr")
        if first is not None and first.i < node.i and first.pos in ("NOUN", "PROPN"):
            node.move(first, "conj")


def _list_not_apposition(node: Node) -> None:
    """As in "a cup, a plate, and three forks": one list, though the parser saw an apposition."""
    if node.dep != "appos" or node.head.pos != "NOUN":
        return
    noun = node.head
    if (noun.tag in ("NNS", "NNPS") and noun.child("nummod") is None) or noun.lemma in _GROUPS:
        return
    listed = any(c.dep == "conj" and c.pos in ("NOUN", "PROPN") for c in node.children) or any(
        c.dep == "conj" and c.i > node.i for c in noun.children
    )
    determiner = noun.child("det", "nummod")
    if listed and determiner is not None and determiner.lower not in ("the", "this", "that"):
        node.dep = "conj"
