"""What a noun stands for: a thing, the viewer, a region of the picture, the picture itself or quoted writing."""

from __future__ import annotations

from posh_lite.graph import lexicon
from posh_lite.graph.parse import Node
from posh_lite.graph.types import Role


def role_of(node: Node) -> Role:
    """Role of a noun or pronoun from its word and what stands around it."""
    if node.quoted:
        return "writing"
    lemma = node.lemma
    if is_viewer(node):
        return "viewer"
    if (
        lemma == "camera"
        and _definite(node)
        and node.dep == "pobj"
        and node.head.lower in ("at", "toward", "towards", "from", "to", "away from")
    ):
        return "viewer"
    if lemma in lexicon.PICTURE_NOUNS and not _hung(node):
        return "picture"
    if lemma in lexicon.WORK_NOUNS and _the_work(node):
        return "picture"
    return "region" if is_region(node) else "thing"


def is_viewer(node: Node) -> bool:
    """As in "we", "our", "the viewer"."""
    return node.lower in lexicon.VIEWER_PRONOUNS or node.lemma in lexicon.VIEWER_NOUNS


def is_region(node: Node) -> bool:
    """As in "the left", "the foreground", "the upper right corner of the frame", "our right", "either side"."""
    if node.lemma not in lexicon.REGIONS or node.pos not in ("NOUN", "ADJ", "ADV", "PROPN"):
        return False
    of = next((c for c in node.children if c.lower == "of"), None)
    if of is not None:
        inner = of.child("pobj")
        return (
            inner is None
            or (inner.lemma in lexicon.PICTURE_NOUNS | lexicon.WORK_NOUNS and not _hung(inner))
            or (node.lemma in lexicon.SURE_REGIONS)
        )
    owner = node.child("poss")
    if owner is not None:
        return (
            owner.lower in lexicon.VIEWER_PRONOUNS
            or owner.lemma in (lexicon.VIEWER_NOUNS | lexicon.PICTURE_NOUNS | lexicon.WORK_NOUNS)
            or node.lemma in ("left", "right")
        )
    if node.lemma in lexicon.SURE_REGIONS:
        return True
    if node.lemma in ("edge", "end", "area", "part", "section", "portion"):
        return node.dep == "pobj" and any(c.lower in _DIRECTIONS for c in node.children)
    return (
        node.dep in ("pobj", "conj")
        and node.head.lower in _LOCATIVE
        and (node.child("det") is not None or any(c.lower in _DIRECTIONS for c in node.children))
    )


_LOCATIVE = frozenset(
    ["in", "on", "at", "to", "toward", "towards", "from", "off", "near", "along", "and", ",", "across"]
)
_DIRECTIONS = frozenset(
    [
        "left",
        "right",
        "top",
        "bottom",
        "upper",
        "lower",
        "far",
        "either",
        "each",
        "both",
        "opposite",
        "left-hand",
        "right-hand",
        "center",
    ]
)


def _definite(node: Node) -> bool:
    det = node.child("det")
    return det is not None and det.lower in ("the", "this")


def _hung(node: Node) -> bool:
    """A picture inside the picture: it hangs, stands somewhere, belongs to someone, or there are several."""
    if node.tag in ("NNS", "NNPS") or node.child("poss") is not None or node.child("nummod") is not None:
        return True
    if node.lemma in ("frame",):
        det = node.child("det")
        material = any(c.dep == "amod" and c.lower in lexicon.MATERIALS | lexicon.COLOURS for c in node.children)
        compound = node.child("compound") is not None
        return material or compound or (det is not None and det.lower in ("a", "an"))
    if node.lemma in frozenset(
        ["picture", "photo", "photograph", "scene", "view", "angle", "caption", "perspective", "composition"]
    ):
        if node.dep == "dobj" and node.head.lemma in frozenset(
            ["hold", "hang", "have", "see", "take", "carry", "frame", "observe"]
        ):
            return node.lemma in ("picture", "photo", "photograph") and node.head.lemma != "take"
        framed = any(c.lower in ("framed", "hanging", "mounted") for c in node.children)
        return framed
    return False


def _the_work(node: Node) -> bool:
    if node.tag in ("NNS", "NNPS"):
        return False
    det = node.child("det")
    if det is not None and det.lower == "this":
        return True
    verb = node.head
    if node.dep in ("nsubj", "nsubjpass") and verb.lemma in lexicon.PRESENTING:
        return True
    return (
        node.dep == "pobj"
        and det is not None
        and det.lower == "the"
        and verb.lower in ("in", "of", "throughout", "across")
    )
