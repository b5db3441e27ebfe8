"""Which nodes of the parse name something, and how they are called."""

from __future__ import annotations

from posh_lite.graph import lexicon
from posh_lite.graph.clauses import subjects
from posh_lite.graph.collectives import PARTITIVE, QUANTITY
from posh_lite.graph.parse import Node
from posh_lite.graph.roles import is_viewer
from posh_lite.graph.types import MentionKind

#: Words that deny people.
NOBODY = frozenset(["nobody", "no one", "no-one"])


def mention_kind(node: Node) -> MentionKind | None:
    """What kind of mention a node is, or None where it names nothing."""
    if node.dep in ("skip", QUANTITY, PARTITIVE):
        return None
    if node.quoted:
        return "name" if node.shown == "Omega" or node.dep not in ("amod", "compound") else None
    if node.lower in ("'s", "'", "there", "each other", "one another", "own"):
        return None
    if node.lower in NOBODY:
        return "noun"
    if node.dep == "poss" or node.tag == "PRP$":
        if node.tag == "WP$":
            return "relative" if antecedent_of(node) is not None else None
        return "possessive" if node.pos in ("NOUN", "PROPN", "PRON", "ADJ") else None
    if node.pos == "PRON":
        return _pronoun_kind(node)
    if node.pos in ("NOUN", "PROPN"):
        if describes_subject(node):
            return None
        if (
            node.dep in ("compound", "amod", "quantmod", "nummod")
            or (node.dep == "nmod" and node.i < node.head.i)
            or (node.dep == "npadvmod" and _measure(node))
        ):
            return None
        if node.lemma in lexicon.IDLE_NOUNS and node.dep != "nsubj":
            return None
        if node.dep == "pobj" and _idle_object(node):
            return None
        if not any(c.isalpha() for c in node.text):
            return None
        return "name" if node.pos == "PROPN" and node.text[:1].isupper() and node.i > 0 else "noun"
    if node.pos == "ADJ" and node.dep in ("pobj", "dobj", "nsubj", "nsubjpass"):
        return (
            "noun"
            if node.child("det", "amod", "compound", "poss", "nummod") is not None or node.lemma in lexicon.COLOURS
            else None
        )
    if (
        node.pos in ("NUM", "DET", "ADJ")
        and node.lower in lexicon.LONE_QUANTIFIERS
        and node.dep in ("nsubj", "nsubjpass", "dobj", "pobj", "appos")
    ):
        return "pronoun"
    if node.pos == "NUM" and is_reading(node):
        return "name"  # "the clock reads 10:30"
    if (
        node.pos == "VERB"
        and node.tag in ("VBG", "VBN", "VBZ", "VB")
        and node.dep in ("pobj", "dobj", "nsubj")
        and node.child("det", "poss")
    ):
        return "noun"
    return None


def is_reading(node: Node) -> bool:
    """A number that is written in the picture."""
    return (
        node.dep in ("dobj", "attr", "oprd", "npadvmod", "nummod")
        and node.head.lemma in ("read", "say")
        and node.i > node.head.i
    )


def describes_subject(node: Node) -> bool:
    """As in "the stem is pale tan", "the sky is a dark blue", "the bench is wood": a property, not another thing."""
    if node.dep == "conj" and node.head.pos in ("NOUN", "ADJ"):
        return describes_subject(node.head) and node.lemma in lexicon.COLOURS | lexicon.PATTERNS | lexicon.MATERIALS
    if node.dep not in ("attr", "oprd") or node.head.child("expl") is not None:
        return False
    if not any(s.i < node.i and s is not node for s in subjects(node.head)):
        return False  # "underneath is gray gravel"
    if node.lemma in lexicon.COLOURS | lexicon.PATTERNS and node.tag not in ("NNS",):
        return True
    return node.lemma in lexicon.MATERIALS and node.child("det", "poss", "compound") is None and node.tag == "NN"


def _pronoun_kind(node: Node) -> MentionKind | None:
    if node.tag in ("WP", "WDT") or (
        node.lower in ("that", "which", "who") and node.dep in ("nsubj", "nsubjpass", "dobj")
    ):
        known = antecedent_of(node) if node.lower in ("who", "whom", "that", "which", "whose") else None
        return "relative" if known is not None and mention_kind(known) not in (None, "relative") else None
    if node.lower in lexicon.PERSONAL_PRONOUNS:
        return None if node.lower == "it" and _expletive(node) else "pronoun"
    if node.lower in ("each", "one") and any(c.lower in ("other", "another") for c in [node.head, *node.children]):
        return None  # "each other"
    if node.lower in lexicon.LONE_QUANTIFIERS and node.dep in frozenset(
        ["nsubj", "nsubjpass", "dobj", "pobj", "appos", "conj", "attr"]
    ):
        return "pronoun"
    if node.lower in ("someone", "somebody", "everyone", "everybody", "people"):
        return "noun"
    return None


def antecedent_of(relative: Node) -> Node | None:
    """Noun that "who", "that", "which" or "whose" stands for, or None."""
    clause = relative.head
    while clause.dep != "relcl" and clause.head is not clause:
        clause = clause.head
    if clause.dep != "relcl":
        return None
    noun = clause.head
    if describes_subject(noun):  # "the lake is a muted blue that reflects light"
        return next(iter(subjects(noun.head)), None)
    return noun


def _expletive(node: Node) -> bool:
    verb = node.head
    if node.dep not in ("nsubj", "nsubjpass", "expl"):
        return False
    if (
        verb.lemma in ("appear", "seem", "look")
        and verb.child("ccomp", "advcl") is not None
        and verb.child("xcomp") is None
    ):
        return True
    if verb.lemma in ("appear", "seem") and (be := verb.child("xcomp")) is not None and be.lemma == "be":
        verb = be
    if verb.lemma != "be":
        return False
    attr = verb.child("attr")
    if attr is not None and attr.lemma in frozenset(
        [
            "daytime",
            "nighttime",
            "day",
            "night",
            "daylight",
            "morning",
            "evening",
            "afternoon",
            "winter",
            "summer",
            "dusk",
            "dawn",
        ]
    ):
        return True
    return verb.child("acomp") is not None and verb.child("ccomp") is not None


def _measure(node: Node) -> bool:
    return node.head.pos in ("ADJ", "ADV", "ADP") or node.lemma in ("time", "day", "way", "bit")


def _idle_object(node: Node) -> bool:
    head = node.head
    if node.child("det", "poss", "amod", "nummod", "compound") is not None and node.lemma not in (
        "addition",
        "fact",
        "nature",
    ):
        return False
    return head.lower in ("in", "for", "at", "of", "by") and node.lemma in lexicon.IDLE_OBJECTS


def head_name(node: Node) -> str:
    """Class name with compounds: "wine glass"."""
    if node.lower in NOBODY:
        return "person"
    if node.quoted:
        return node.lower
    parts = [c.lower for c in node.children if c.dep == "compound" and c.i < node.i and not c.quoted]
    noun = class_word(node)
    return " ".join([*parts, noun])


def class_word(node: Node) -> str:
    """Lemma of the head word; "scissors" and worn "glasses" keep their plural."""
    if node.lower in NOBODY:
        return "person"
    if node.lower in lexicon.PAIRED and (node.lower != "glasses" or _worn(node)):
        return node.lower
    if is_viewer(node):
        return "viewer"
    return node.lemma if node.pos in ("NOUN", "PROPN") else node.lower


def _worn(node: Node) -> bool:
    return node.head.lemma in ("wear", "don") or any(c.dep == QUANTITY and c.lemma == "pair" for c in node.children)
