"""Polarity: by determiner, preposition, adverb, verb or adjective."""

from __future__ import annotations

from posh_lite.graph import lexicon
from posh_lite.graph.parse import Node


def negated_predicate(node: Node) -> bool:
    """As in "is not red", "never smiles", "neither sits nor stands"."""
    for child in node.children:
        if child.dep == "neg" or (child.lower in lexicon.NEGATIVE_ADVERBS and child.dep in ("advmod", "preconj", "cc")):
            return True
    for subject in node.children:
        if subject.dep in ("nsubj", "nsubjpass") and any(
            c.lower in ("neither", "none") and c.dep in ("det", "partitive", "preconj") for c in subject.children
        ):
            return True
    if node.dep in ("acomp", "attr", "xcomp", "oprd") and node.head is not node:
        return negated_predicate(node.head)
    return node.dep == "conj" and node.head is not node and _nor(node)


def _nor(node: Node) -> bool:
    return any(c.lower == "nor" for c in node.head.children if c.i < node.i)


def negated_noun(node: Node) -> bool:
    """As in "no people", "without a hat", "neither man", "lacks a roof", "there are not any cars"."""
    if node.lower in ("nobody", "no one", "no-one"):
        return True
    if any(c.lower in ("no", "zero") and c.dep in ("det", "neg", "preconj", "nummod") for c in node.children):
        return True
    if node.dep != "nsubj" and any(c.lower == "neither" and c.dep in ("det", "preconj", "cc") for c in node.children):
        return True  # "there is neither a table nor a chair"; "neither man" exists
    head = node.head
    if head is node:
        return False
    if node.dep == "pobj" and head.lower in lexicon.NEGATIVE_PREPOSITIONS:
        return True
    if node.dep == "pobj" and head.lower == "of" and head.head.lemma in ("lack", "absence", "devoid"):
        return True
    if node.dep == "dobj" and head.lemma in lexicon.NEGATIVE_VERBS:
        return True
    if node.dep in ("attr", "nsubj") and head.lemma == "be" and head.child("expl") is not None:
        return head.child("neg") is not None
    if node.dep == "nsubj" and head.lemma == "be" and absent(head):
        return True
    if node.dep == "nsubj" and head.lower == "missing" and not any(c.dep == "partitive" for c in node.children):
        return head.child("neg") is None
    if (
        node.dep == "dobj"
        and head.child("neg") is not None
        and head.lemma in ("have", "wear", "hold", "contain", "see")
    ):
        return True
    if node.dep in ("nsubj", "nsubjpass") and head.lemma == "see" and head.child("neg") is not None:
        return True
    return node.dep == "conj" and negated_noun(head) and not any(c.lower == "but" for c in head.children)


def absent(be: Node) -> bool:
    """As in "is absent", "is not visible"."""
    for child in be.children:
        if child.dep in ("acomp", "attr"):
            if child.lower in lexicon.NEGATIVE_ADJECTIVES:
                return be.child("neg") is None
            if child.lower in ("visible", "present"):
                return be.child("neg") is not None
    return False
