"""Where lists, participles and "with" phrases hang: agreement and animacy put right what a small parser guessed."""

from __future__ import annotations

from posh_lite.graph import lexicon
from posh_lite.graph.parse import Node, Sentence
from posh_lite.language import known_words

_DETERMINERS = frozenset(["a", "an", "the", "one", "two", "three", "another", "his", "her", "its", "their"])
#: What only a living being does: such a participle is not of a bed or a rock.
_ANIMATE_ACTIONS = frozenset(
    ["read", "wear", "play", "eat", "drink", "watch", "smile", "sleep", "talk", "look", "gaze", "stare", "laugh",
     "sing", "write", "paint", "smoke", "hug", "pet", "knit", "sew", "pray", "cry", "wave", "nap", "yawn", "chew"]
)  # fmt: skip
#: What things do too; a bed under somebody does not.
_HOLDING = frozenset(["hold", "carry", "clutch", "grip", "grasp", "bear", "cradle"])
_UNDER = frozenset(["on", "in", "at", "upon", "atop"])
_FIGURES = frozenset(
    ["statue", "sculpture", "figure", "figurine", "doll", "mannequin", "robot", "puppet", "scarecrow", "snowman",
     "toy", "hand", "arm", "finger", "mouth", "beak", "paw", "face", "head", "sign", "banner", "poster", "label",
     "bust", "bird"]
)  # fmt: skip


def reattach(sentence: Sentence) -> None:
    """Correct in place, one sentence."""
    for node in sentence.nodes:
        _own_determiner(node, sentence.nodes)
        _participle(node)
        _with_lid(node, sentence.nodes)
    for node in sentence.nodes:
        _conjunct_in_phrase(node)


def animate(node: Node) -> bool:
    """A person or an animal, as far as the word says it."""
    word = node.lemma
    known = word in lexicon.ANIMATE or word in lexicon.MALE or word in lexicon.FEMALE or node.lower in lexicon.MALE
    return known or node.lower in lexicon.FEMALE or word.endswith(("man", "woman", "boy", "girl", "ist", "person"))


def _own_determiner(node: Node, nodes: list[Node]) -> None:
    """As in "with a beard and pink eyes": what has its own article is a thing of its own, not an attribute."""
    head = node.head
    if node.dep not in ("amod", "compound", "nmod") or head.i < node.i + 2:
        return
    misread = node.pos == "ADJ" and node.lower in known_words("noun") and node.lower not in known_words("adj")
    if node.pos not in ("NOUN", "PROPN") and not misread:
        return
    before, after = nodes[node.i - 1] if node.i else None, nodes[node.i + 1]
    if after.lower != "and" or before is None or node.lower in lexicon.DESCRIPTIVE_NOUNS or node.quoted:
        return
    if before.lower not in ("a", "an") and not (before.pos == "ADJ" and before.head is node):
        return
    if head.tag not in ("NNS", "NNPS") and nodes[node.i + 2].lower not in _DETERMINERS:
        return
    if head.head is head:
        return
    node.move(head.head, head.dep)
    if node.head is head:
        return
    for child in list(head.children):
        if child is not node and child.i < node.i:
            child.move(node, child.dep)
    for child in list(node.children):
        if child.dep == "conj" and child.i < head.i and child.pos == "ADJ":
            child.move(head, "amod")
    head.move(node, "conj")
    node.pos, node.tag = "NOUN", "NN"


def _conjunct_in_phrase(node: Node) -> None:
    """As in "a dog with fur and a red collar sleeps": the verb agrees with the dog alone, so the collar is with it."""
    if node.dep == "nsubj" and node.pos in ("NOUN", "PROPN") and node.head.child("nsubj") is not node:
        first = node.head.child("nsubj")  # of two subjects the second is in the list of the first's phrase
        if first is not None and first.i < node.i < node.head.i and first.child("prep") is not None:
            node.move(first, "conj")
    if node.dep not in ("conj", "appos") or node.pos not in ("NOUN", "PROPN"):
        return
    subject = node.head
    while subject.dep in ("conj", "appos") and subject.head is not subject and subject.head.pos in ("NOUN", "PROPN"):
        subject = subject.head
    verb = subject.head
    singular = verb.tag == "VBZ" or any(c.lower in ("is", "has") for c in (verb, *verb.children))
    if subject.dep not in ("nsubj", "nsubjpass") or not singular:
        return
    if subject.tag not in ("NN", "NNP") or verb.i < node.i or subject.i > node.i:
        return
    preposition = next(
        (c for c in subject.children if c.dep == "prep" and subject.i < c.i < node.i and c.lower in _CARRYING), None
    )
    if preposition is None or (thing := preposition.child("pobj")) is None or thing.i > node.i:
        return
    node.move(thing, "conj")


_CARRYING = frozenset(["with", "in", "of", "on", "under", "near", "beside", "behind", "between", "by", "without"])


def _participle(node: Node) -> None:
    """As in "kneels on a bed holding a violin": beds hold no violins, who kneels does."""
    if node.tag != "VBG" or node.dep not in ("acl", "advcl", "relcl") or node.pos != "VERB":
        return
    noun = node.head
    if noun.pos not in ("NOUN", "PROPN") or noun.dep != "pobj" or noun.i > node.i or animate(noun):
        return
    if noun.lemma in _FIGURES or node.child("nsubj", "nsubjpass", "mark", "aux") is not None:
        return
    preposition = noun.head
    governor = preposition.head
    if node.lemma not in _ANIMATE_ACTIONS and not (node.lemma in _HOLDING and preposition.lower in _UNDER):
        return
    if node.lemma == "read" and any(c.quoted for c in node.children):
        return
    if governor.pos == "VERB":
        subject = governor.child("nsubj", "nsubjpass") or (governor.head if governor.dep in ("acl", "relcl") else None)
        if governor.child("dobj") is not None and animate(governor.child("dobj")):  # type: ignore[arg-type]
            return
        if subject is not None and (animate(subject) or subject.pos == "PRON" or node.lemma in _ANIMATE_ACTIONS):
            node.move(governor, "advcl")
    elif governor.pos in ("NOUN", "PROPN") and animate(governor):
        node.move(governor, "acl")


def _with_lid(node: Node, nodes: list[Node]) -> None:
    """As in "stands next to a jug with a lid": the noun in front has the lid, unless somebody wears or carries it."""
    if node.dep != "prep" or node.lower != "with" or node.head.pos != "VERB" or not node.i:
        return
    verb, noun, thing = node.head, nodes[node.i - 1], node.child("pobj")
    if noun.pos != "NOUN" or noun.dep != "pobj" or thing is None or noun.head.head is not verb or noun.head.i < verb.i:
        return
    subject = verb.child("nsubj")
    determiner = thing.child("det", "nummod")
    if subject is None or animate(subject) or subject.pos == "PRON" or thing.child("poss") is not None:
        return
    if (determiner is not None and determiner.lower in ("the", "this", "that")) or thing.child("acl", "relcl"):
        return
    if noun.head.lower in _CARRYING | {"to"} or noun.head.multiword:
        node.move(noun, "prep")
