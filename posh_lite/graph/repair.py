"""Systematic mistakes of small parsers, put right on the tree before anything is read from it."""

from __future__ import annotations

from posh_lite.graph import collectives, lexicon
from posh_lite.graph.parse import Node, Sentence


def repair(sentence: Sentence) -> None:
    """Correct tags and attachments in place."""
    for node in sentence.nodes:
        _sides(node, sentence.nodes)
        _colours(node)
    _what_appears_to_be(sentence)
    collectives.rewire(sentence)
    _swallowed_modifiers(sentence)


def _sides(node: Node, nodes: list[Node]) -> None:
    """"Left" and "right" read as verbs or adverbs where they are nouns or adjectives."""
    if node.lower not in ("left", "right") or node.quoted:
        return
    after = nodes[node.i + 1] if node.i + 1 < len(nodes) else None
    before = nodes[node.i - 1] if node.i else None
    if after is not None and after.pos in ("NOUN", "PROPN") and after.head is not node and (
        before is not None and before.pos in ("DET", "PRON", "ADP", "ADJ", "PART")
    ):
        if node.pos == "VERB" or node.dep not in ("amod", "compound", "nmod"):
            target = after
            while target.dep == "compound" and target.head.i > target.i:
                target = target.head
            if target is not node and node.dep != "pobj":
                node.move(target, "amod")
                node.pos, node.tag, node.lemma = "ADJ", "JJ", node.lower
        return
    if before is not None and before.lower in ("the", "our", "far", "upper", "lower", "bottom", "top", "extreme", "viewer's"):
        node.pos, node.tag, node.lemma = "NOUN", "NN", node.lower


def _colours(node: Node) -> None:
    """A colour in front of a noun describes it, whatever its tag."""
    if node.lower in lexicon.DESCRIPTIVE_NOUNS and node.dep in ("compound", "nmod") and node.pos in ("NOUN", "PROPN", "ADJ"):
        node.dep = "amod"
        node.lemma = node.lower


def _swallowed_modifiers(sentence: Sentence) -> None:
    """"shaggy, gray and white fur" read as a list of things: adjectives before a noun are its own."""
    for node in sentence.nodes:
        if node.dep != "conj" or node.pos not in ("NOUN", "PROPN"):
            continue
        first = node.head
        if first.i < node.i and first.pos == "ADJ" and first.dep in ("dobj", "pobj", "nsubj", "conj", "attr"):
            chain = [first]
            while chain[-1].dep == "conj" and chain[-1].head.pos == "ADJ" and chain[-1].head.i < chain[-1].i:
                chain.append(chain[-1].head)
            top = chain[-1]
            if top.child("det") is not None and node.child("det") is not None:
                continue
            dep, head = top.dep, top.head
            if head is top or head is node:
                continue
            node.move(head, dep)
            for adjective in chain:
                for child in list(adjective.children):
                    if child.dep in ("det", "poss", "punct", "cc"):
                        child.move(node, child.dep)
                adjective.move(node, "amod")


def _what_appears_to_be(sentence: Sentence) -> None:
    """"beneath what appears to be a bridge": the bridge takes the clause's place."""
    for verb in sentence.nodes:
        if verb.lemma not in ("appear", "seem", "look"):
            continue
        what = verb.child("nsubj")
        if what is None or what.lower != "what" or verb.dep not in ("pcomp", "ccomp", "nsubj", "csubj", "dobj", "pobj"):
            continue
        be = verb.child("xcomp")
        if be is None:
            continue
        noun = be if be.pos == "NOUN" else be.child("attr", "acomp", "pobj")
        if noun is None:
            continue
        dep = {"pcomp": "pobj", "ccomp": "dobj", "csubj": "nsubj"}.get(verb.dep, verb.dep)
        head = verb.head
        if head is verb:
            continue
        noun.head.children.remove(noun)
        noun.head = noun
        noun.move(head, dep)
        what.dep = "skip"
        verb.dep = "skip"
        verb.move(noun, "skip")
        be.dep = "skip"
