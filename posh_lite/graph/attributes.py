"""Properties, quantities, intransitive actions and positions of the things named."""

from __future__ import annotations

from collections.abc import Iterator

from posh_lite.graph import lexicon
from posh_lite.graph.clauses import completes, subjects
from posh_lite.graph.collectives import PARTITIVE, QUANTITY
from posh_lite.graph.drafts import AttributeDraft, cover
from posh_lite.graph.negation import negated_predicate
from posh_lite.graph.nouns import describes_subject
from posh_lite.graph.parse import Node, Sentence
from posh_lite.graph.types import AttributeKind


def attribute_drafts(sentence: Sentence, index: dict[int, int]) -> Iterator[AttributeDraft]:
    """Attributes of one sentence.

    Args:
        sentence: the repaired parse.
        index: candidate index by ``id(node)``.
    """
    for node in sentence.nodes:
        if id(node) in index:
            yield from _inside_phrase(node, index[id(node)], index)
        if node.multiword and node.dep in ("advmod", "npadvmod") and node.head.lemma == "be" and node.i > node.head.i:
            for subject in subjects(node.head):  # "is on foot"
                if id(subject) in index:
                    yield _draft(index[id(subject)], [node], "property", negated_predicate(node.head))
        if (
            node.dep in ("acomp", "oprd")
            or describes_subject(node)
            or (
                node.dep in ("conj", "ROOT", "xcomp", "ccomp", "advcl", "relcl", "acl", "appos", "amod", "attr")
                and node.pos == "ADJ"
            )
        ):
            yield from _predicative(node, index)


def _inside_phrase(noun: Node, owner: int, index: dict[int, int]) -> Iterator[AttributeDraft]:
    done: set[int] = set()
    for child in noun.children:
        if child.i in done or child.quoted:
            continue
        if child.dep in ("amod", "nmod") or (child.dep == "compound" and child.lower in lexicon.DESCRIPTIVE_NOUNS):
            if (child.child("prep") is not None and child.i > noun.i) or child.lower in lexicon.IDLE_ADJECTIVES:
                continue
            group = _merged_adjectives(child, noun)
            done.update(n.i for n in group)
            yield _draft(owner, group, _kind(child))
            for other in child.children:
                if (
                    (other.dep == "amod" or (other.i < child.i and other.lower in lexicon.COLOURS))
                    and other.i not in done
                    and other.lower not in lexicon.SHADES | lexicon.IDLE_ADJECTIVES
                    and id(other) not in index
                ):
                    yield _draft(owner, _with_adverbs(other), _kind(other))
                if other.dep == "conj" and other.pos in ("ADJ", "NOUN", "VERB", "PROPN", "ADV"):
                    members = _with_adverbs(other)
                    yield _draft(owner, members, _kind(other))
        elif child.dep == "compound":
            for other in child.children:  # "brick factory building"
                if other.dep in ("compound", "amod", "nmod") and other.lower in lexicon.DESCRIPTIVE_NOUNS:
                    yield _draft(owner, _with_adverbs(other), _kind(other))
        elif child.dep == "nummod" or (child.dep in ("det", "predet") and child.lower in lexicon.QUANTITY_DETERMINERS):
            group = [child, *(c for c in child.children if c.dep in ("quantmod", "advmod", "compound"))]
            for other in noun.children:
                if other.i == child.i + 1 and other.dep == "nummod":
                    group.append(other)
            done.update(n.i for n in group)
            yield _draft(owner, group, "quantity")
        elif child.dep in (QUANTITY, PARTITIVE):
            if child.lower in ("none", "neither") or child.lemma in frozenset(
                ["kind", "sort", "type", "hint", "glimpse", "piece", "section", "view", "touch"]
            ):
                continue
            marker = next((c for c in child.children if c.dep == "quantity_of"), None)
            inner = [c for c in child.children if c.dep in ("nummod", "amod", "advmod") and c.i < child.i]
            group = [child, *inner]
            if marker is not None and marker.i == child.i + 1:
                group.append(marker)
            spans, text = cover([child, *inner])
            yield AttributeDraft(
                owner, text, " ".join(n.lemma for n in sorted([child, *inner], key=lambda n: n.i)), spans, "quantity"
            )


def _merged_adjectives(first: Node, noun: Node) -> list[Node]:
    """As in "dark gray", "light blue", "dusty rose-pink": a shade and its colour are one attribute."""
    group = _with_adverbs(first)
    siblings = {c.i: c for c in noun.children if c.dep in ("amod", "compound", "nmod") and not c.quoted}
    last = first
    while (
        last.lower in lexicon.SHADES | lexicon.COLOURS
        and (following := siblings.get(last.i + 1)) is not None
        and _colourish(following)
    ):
        group.append(following)
        last = following
    return group


def _colourish(node: Node) -> bool:
    return node.lower in lexicon.COLOURS or node.lower.rsplit("-", 1)[-1] in lexicon.COLOURS


def _with_adverbs(node: Node) -> list[Node]:
    group = [node]
    for child in node.children:
        if child.lower in lexicon.COLOURS and node.lower in lexicon.PATTERNS:
            continue  # "yellow striped" is two
        if (
            child.i < node.i
            and child.dep not in ("det", "poss")
            and (
                (child.dep in ("advmod", "npadvmod", "compound") and child.lower not in lexicon.HEDGES)
                or (child.dep == "amod" and child.lower in lexicon.SHADES)
            )
            and all(c.i > node.i for c in child.children if c.dep in ("prep", "det"))
        ):
            group.append(child)
            if child.dep == "npadvmod":
                group.extend(c for c in child.children if c.dep in ("nummod", "amod", "quantmod"))  # "ten years old"
    return group


def _kind(node: Node) -> AttributeKind:
    if node.lower in lexicon.POSITIONS:
        return "position"
    return "property"


def _draft(owner: int, nodes: list[Node], kind: AttributeKind, negated: bool = False) -> AttributeDraft:
    spans, text = cover(nodes)
    ordered = sorted(nodes, key=lambda n: n.i)
    lemma = " ".join(
        n.lower if n.pos != "VERB" or (n.tag in ("VBN", "VBG") and n.dep == "amod") else n.lemma for n in ordered
    )
    return AttributeDraft(owner, text, lemma, spans, kind, negated or any(n.negative for n in nodes))


def _predicative(node: Node, index: dict[int, int]) -> Iterator[AttributeDraft]:
    """As in "is striped", "appears to be wooden", "makes it look old", "a wall, low and gray"."""
    if node.pos not in ("ADJ", "VERB", "NOUN", "ADV", "ADP", "PROPN") or id(node) in index:
        return
    if node.dep == "amod":
        return
    if node.lower in lexicon.IDLE_ADJECTIVES or node.lower in lexicon.NEGATIVE_ADJECTIVES:
        return
    if node.dep != "oprd" and any(c.child("pobj") and completes(node, c) for c in node.kids("prep")):
        return  # "closest to the woman" is a relation
    if node.dep == "conj" and node.head.dep in ("amod", "nmod", "compound"):
        return
    if node.dep in ("acomp", "oprd") and node.head.pos == "VERB" and node.head.lemma not in ("be", *lexicon.SEEMING):
        return  # belongs to the verb: "spread open"
    for subject in subjects(node):
        if id(subject) in index:
            yield _draft(index[id(subject)], _with_adverbs(node), _kind(node), negated_predicate(node))
