"""Systematic mistakes of small parsers, put right on the tree before anything is read from it."""

from __future__ import annotations

from posh_lite.graph import collectives, lexicon
from posh_lite.graph.attachment import reattach
from posh_lite.graph.parse import Node, Sentence
from posh_lite.graph.predicates import restore_predicates
from posh_lite.language import known_words


def repair(sentence: Sentence) -> None:
    """Correct tags and attachments in place."""
    restore_predicates(sentence.nodes)
    for node in sentence.nodes:
        _sides(node, sentence.nodes)
        _colours(node)
        if node.lower in _STATES and node.pos != "ADJ" and node.head.pos in ("VERB", "AUX") and not node.children:
            node.pos, node.tag, node.dep = "ADJ", "JJ", "acomp"  # "stands ajar"
        _held_and_doing(node)
        _with_clause(node, sentence.nodes)
        _leaves(node)
        _inverted(node)
        _adjective_object(node)
        _painted_strokes(node)
    _what_appears_to_be(sentence)
    reattach(sentence)
    collectives.rewire(sentence)
    _swallowed_modifiers(sentence)


def _sides(node: Node, nodes: list[Node]) -> None:
    """As in "Left" and "right" read as verbs or adverbs where they are nouns or adjectives."""
    if node.lower not in ("left", "right") or node.quoted:
        return
    after = nodes[node.i + 1] if node.i + 1 < len(nodes) else None
    if after is not None and after.lower in _SIDED and node.dep in ("pobj", "dobj", "nsubj") and node.head is not node:
        after.move(node.head, node.dep)
        after.pos, after.tag, after.lemma = "NOUN", "NN", after.lower
        for child in list(node.children):
            if child is not after:
                child.move(after, child.dep)
        node.move(after, "amod")
        node.pos, node.tag = "ADJ", "JJ"
        return
    before = nodes[node.i - 1] if node.i else None
    if (
        after is not None
        and after.pos in ("NOUN", "PROPN")
        and after.head is not node
        and (before is not None and before.pos in ("DET", "PRON", "ADP", "ADJ", "PART"))
    ):
        if node.pos == "VERB" or node.dep not in ("amod", "compound", "nmod"):
            target = after
            while target.dep == "compound" and target.head.i > target.i:
                target = target.head
            if target is not node and node.dep != "pobj":
                node.move(target, "amod")
                node.pos, node.tag, node.lemma = "ADJ", "JJ", node.lower
        return
    auxiliary = node.child("auxpass", "aux")
    if node.pos == "VERB" and auxiliary is not None and auxiliary.lemma not in ("be", "get", "have"):
        _promote(auxiliary, node)  # "the train runs left"
        return
    if node.pos == "VERB" and node.child("nsubj", "dobj", "prep") is None:
        node.pos, node.tag, node.lemma = "ADV", "RB", node.lower
        if node.dep in ("advcl", "xcomp", "acl", "oprd", "ccomp", "conj") and node.head is not node:
            node.dep = "advmod" if node.head.pos in ("VERB", "AUX") else node.dep
    if before is not None and before.lower in _SIDE_WORDS and before.pos in ("ADJ", "NOUN", "ADV") and node.i > 1:
        _corner(before, node)
    if before is not None and before.lower in frozenset(
        ["the", "our", "far", "upper", "lower", "bottom", "top", "extreme", "viewer's"]
    ):
        node.pos, node.tag, node.lemma = "NOUN", "NN", node.lower


def _colours(node: Node) -> None:
    """A colour in front of a noun describes it, whatever its tag."""
    if node.lower == "light" and node.dep in ("amod", "compound", "nmod") and node.head.lemma in lexicon.LIT_THINGS:
        node.dep, node.pos = "compound", "NOUN"
        return
    if node.dep in ("compound", "nmod") and node.i < node.head.i and _describes(node):
        node.dep = "amod"
        node.lemma = node.lower


def _promote(verb: Node, side: Node) -> None:
    """The auxiliary of a side read as a verb is the verb."""
    if side.head is side:
        side.children.remove(verb)
        verb.head, verb.dep = verb, "ROOT"
    else:
        verb.move(side.head, side.dep)
    for child in list(side.children):
        if child is not verb:
            child.move(verb, "nsubj" if child.dep == "nsubjpass" else child.dep)
    side.move(verb, "advmod")
    verb.pos, side.pos, side.tag, side.lemma = "VERB", "ADV", "RB", side.lower


#: Adjectives that only follow verbs.
_STATES = frozenset(["ajar", "askew", "awry", "aglow", "afloat", "aloft", "asleep", "awake", "ablaze", "adrift"])
_SIDED = frozenset(["corner", "side", "edge", "half", "third", "quadrant", "portion", "section", "part"])
_SIDE_WORDS = frozenset(
    ["upper", "lower", "top", "bottom", "far", "middle", "center", "immediate", "extreme", "back", "front"]
)


def _corner(before: Node, side: Node) -> None:
    """As in "the bottom left" read as two nouns: the side is the head."""
    if before.head is side:
        before.dep, before.pos = "amod", "ADJ"
    elif before.dep in ("pobj", "dobj", "nsubj") and before.head is not before:
        dep, head = before.dep, before.head
        side.move(head, dep)
        for child in list(before.children):
            if child is not side:
                child.move(side, child.dep)
        before.move(side, "amod")
        before.pos = "ADJ"


def _describes(node: Node) -> bool:
    """A descriptive noun, a hyphenated word, or a word that is only an adjective ("leafy")."""
    word = node.lower
    if word in lexicon.DESCRIPTIVE_NOUNS or "-" in word[1:-1]:
        return not node.quoted
    if node.pos == "PROPN" and node.text[:1].isupper() and node.i > 0:
        return False
    return word in known_words("adj") and word not in known_words("noun")


def _leaves(node: Node) -> None:
    """As in "through the tree leaves": foliage, not a departure."""
    if node.lower != "leaves" or node.pos != "VERB" or node.child("dobj", "dative", "ccomp", "xcomp") is not None:
        return
    before = next(
        (c for c in [*node.children, node.head, *node.head.children] if c.i == node.i - 1 and c.pos == "NOUN"), None
    )
    if before is None:
        before = next((n for n in node.head.subtree() if n.i == node.i - 1 and n.pos == "NOUN"), None)
    if before is None:
        return
    if before.head is not node:
        if before.dep not in ("pobj", "dobj", "nsubj", "conj") or before.head is before:
            return
        node.pos, node.tag, node.lemma = "NOUN", "NNS", "leaf"
        node.move(before.head, before.dep)
        before.move(node, "compound")
        for child in list(before.children):
            if child.dep in ("det", "amod", "poss"):
                child.move(node, child.dep)
        return
    subject = before
    node.pos, node.tag, node.lemma = "NOUN", "NNS", "leaf"
    node.dep = {"pcomp": "pobj", "ccomp": "dobj", "relcl": "appos", "advcl": "npadvmod"}.get(node.dep, node.dep)
    subject.dep = "compound"
    for child in list(subject.children):
        if child.dep in ("det", "amod", "poss"):
            child.move(node, child.dep)


def _with_clause(node: Node, nodes: list[Node]) -> None:
    """As in "with ringlets falling over her ears", "with his mouth open": what comes with is the noun."""
    if (
        node.dep == "pcomp"
        and node.head.pos == "ADP"
        and node.head.lower not in lexicon.IDLE_PREPOSITIONS | {"like", "than"}
        and node.tag in ("VBG", "VBN", "JJ", "NN", "RB", "IN")
        and (thing := node.child("nsubj", "nsubjpass")) is not None
    ):
        if thing.i < node.i:
            thing.move(node.head, "pobj")
            node.move(thing, "acl" if node.pos in ("VERB", "AUX") else "amod")
        return
    if node.pos == "ADJ" and node.dep in ("ccomp", "oprd", "acomp", "xcomp", "advcl") and node.i:
        before = nodes[node.i - 1]
        if before.dep == "pobj" and before.head.lower == "with" and before.head.head is node.head:
            node.move(before, "amod")


def _inverted(verb: Node) -> None:
    """As in "Nestled at its base is a shell", "Dominating the center is a print": the noun behind is the subject."""
    if verb.shown in ("is", "are") and verb.lower != verb.shown and verb.child("nsubj", "nsubjpass") is None:
        if (noun := verb.child("attr")) is not None and noun.i > verb.i:
            noun.dep = "nsubj"  # "in the corner hangs a lamp"
        return
    if not verb.lower.endswith(("ing", "ed", "en", "n", "t")) or verb.i > 3:
        return
    be = next((c for c in verb.children if c.dep in ("auxpass", "aux") and c.lemma == "be" and c.i > verb.i), None)
    if be is None and verb.dep == "csubj" and verb.head.lemma == "be" and verb.head.i > verb.i:
        be = verb.head
    if be is None or verb.child("nsubj", "nsubjpass") is not None:
        return
    noun = be.child("attr", "nsubj")
    if noun is None:
        noun = next((c for c in verb.children if c.dep in ("dobj", "attr", "oprd") and c.i > be.i), None)
    if noun is None:
        return
    if verb.pos == "PROPN":
        verb.pos, verb.tag, verb.lemma = "VERB", "VBG", lexicon.gerund_lemma(verb.lower)
    noun.move(verb, "nsubjpass" if verb.tag == "VBN" else "nsubj")


def _adjective_object(node: Node) -> None:
    """As in "the ape on the left closest to the wall": the side is the object, what follows describes the ape."""
    if (
        node.lower in ("left", "right")
        and node.dep == "amod"
        and node.head.tag in ("JJS", "JJR", "RBS")
        and node.head.dep == "pobj"
    ):
        superlative = node.head
        preposition = superlative.head
        noun = preposition.head
        node.move(preposition, "pobj")
        node.pos, node.tag = "NOUN", "NN"
        for child in list(superlative.children):
            if child.dep == "det":
                child.move(node, "det")
        superlative.move(noun if noun is not preposition else node, "amod")


def _held_and_doing(verb: Node) -> None:
    """As in "holds the hand resting on her lap": the hand is held, and rests."""
    clause = verb.child("ccomp")
    if clause is None or clause.tag not in ("VBG", "VBN") or clause.child("aux", "auxpass", "mark") is not None:
        return
    thing = clause.child("nsubj", "nsubjpass")
    if thing is None or not (verb.i < thing.i < clause.i) or verb.pos != "VERB":
        return
    thing.move(verb, "dobj")
    clause.move(thing, "acl")


def _painted_strokes(verb: Node) -> None:
    """As in "is high, and loosely painted strokes suggest a scarf": a participle in front of a noun, not a verb."""
    noun = verb.child("dobj")
    if (
        verb.dep not in ("conj", "ROOT")
        or verb.tag not in ("VBD", "VBN")
        or noun is None
        or verb.child("nsubj", "nsubjpass")
    ):
        return
    if noun.i != verb.i + 1 or noun.pos != "NOUN" or noun.child("det", "poss") is not None:
        return
    governor = verb.head if verb.dep == "conj" else verb
    later = next(
        (
            c
            for c in [*governor.children, *verb.children]
            if c.i > noun.i
            and c.dep in ("conj", "ccomp")
            and c.pos == "VERB"
            and c.child("nsubj", "nsubjpass") is None
            and c.tag in ("VBP", "VBZ", "VBD")
            and not any(k.dep == "cc" and k.i > noun.i and k.i < c.i for k in governor.children)
        ),
        None,
    )
    if later is None or verb.dep == "ROOT":
        return
    for child in list(verb.children):
        if child is not noun and child.dep not in ("advmod",):
            child.move(later, child.dep)
    noun.move(later, "nsubj")
    verb.move(noun, "amod")


_ADJECTIVAL = ("ular", "ical", "ous", "ish", "less", "ful", "angled", "shaped", "ive")


def _swallowed_modifiers(sentence: Sentence) -> None:
    """As in "shaggy, gray and white fur" read as a list of things: adjectives before a noun are its own."""
    for node in sentence.nodes:
        if node.dep != "conj" or node.pos not in ("NOUN", "PROPN"):
            continue
        first = node.head
        if first.lower.endswith(_ADJECTIVAL) and first.child("det", "amod", "poss") is None:
            first.pos = "ADJ"
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
    """As in "beneath what appears to be a bridge": the bridge takes the clause's place."""
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
