"""Who does what: subjects and objects of predicates, coordination and inherited subjects resolved."""

from __future__ import annotations

from posh_lite.graph import lexicon
from posh_lite.graph.parse import Node

SUBJECTS = ("nsubj", "nsubjpass", "csubj")


def is_verb(node: Node) -> bool:
    """Verb or auxiliary."""
    return node.pos in ("VERB", "AUX")


def conjuncts(node: Node) -> list[Node]:
    """The node and what is coordinated with it, in text order."""
    found = [node]
    for child in node.children:
        if child.dep in ("conj", "appos_list"):
            found.extend(conjuncts(child))
    return found


def subjects(node: Node, depth: int = 0) -> list[Node]:
    """Nodes of the subject of a predicate, its own or inherited from the clause above. Coordination expanded."""
    own = node.child(*SUBJECTS)
    if own is not None:
        return conjuncts(own)
    if depth > 12 or node.head is node:
        return []
    head = node.head
    if node.dep in ("acl", "relcl"):
        if is_verb(head):
            return subjects(head, depth + 1)
        return [head]
    if node.dep == "conj":
        if is_verb(head) or head.pos == "ADJ":
            return subjects(head, depth + 1)
        return []
    if node.dep in ("xcomp", "ccomp", "oprd"):
        direct = head.child("dobj")
        if direct is not None and direct.i < node.i and node.tag != "TO" and node.child("aux") is None:
            return conjuncts(direct)
        return subjects(head, depth + 1)
    if node.dep == "advcl" and node.tag in ("VBN", "VBG") and node.i > head.i and head.lemma in lexicon.PRESENTING:
        shown, shower = head.child("dobj"), head.child("nsubj")
        if shown is not None and shower is not None and shower.lemma in lexicon.PICTURE_NOUNS | lexicon.WORK_NOUNS:
            return conjuncts(shown)  # "the image shows a model, displayed on a stand"
    if node.dep in ("advcl", "parataxis", "dep", "acomp", "attr"):
        return subjects(head, depth + 1)
    if node.dep == "pcomp" and head.dep == "prep":
        above = head.head
        return subjects(above, depth + 1) if is_verb(above) else [above]
    return []


def is_passive(verb: Node) -> bool:
    """Past participle with a passive auxiliary, or one that modifies a noun."""
    if verb.tag == "VBD" and verb.dep == "conj" and verb.child("nsubj") is None and is_passive(verb.head):
        return True
    if verb.tag != "VBN":
        return verb.child("nsubjpass", "auxpass") is not None
    if verb.child("nsubjpass", "auxpass") is not None:
        return True
    if verb.child("aux") is not None:
        return False
    return verb.dep in ("acl", "relcl", "advcl", "amod") or (verb.dep == "conj" and is_passive(verb.head))


_COMPLETING = frozenset(["to", "of", "than", "from", "for", "about", "by", "free", "close"])


def completes(adjective: Node, preposition: Node) -> bool:
    """Whether the preposition belongs to the adjective ("closest to"), not to its noun ("tan with spots")."""
    surface = adjective.lower.rsplit("-", 1)[-1] in lexicon.SURFACES
    return not surface and (preposition.lower in _COMPLETING or preposition.multiword)


def existential(verb: Node) -> bool:
    """As in "There is": introduces its noun and says nothing else."""
    return verb.child("expl") is not None


_NO_PARTICLES = lexicon.NEGATIVE_ADVERBS | lexicon.IDLE_ADVERBS


def particles(verb: Node) -> list[Node]:
    """Particles and adverbs that belong to the verb, around it."""
    found = []
    for child in verb.children:
        near = verb.i - 3 <= child.i <= verb.i + 3
        directional = child.dep == "prt" or (
            child.dep in ("advmod", "oprd", "acomp") and child.pos in ("ADV", "ADP", "ADJ")
        )
        if child.multiword and child.shown.lower() == "now":
            continue  # "in the act of jumping"
        if child.i < verb.i and child.lower in ("there", "here", "then", "now"):
            continue
        if directional and near and child.lower not in _NO_PARTICLES and not child.children:
            found.append(child)
    return found
