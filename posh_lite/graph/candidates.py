"""What coreference needs to know of each mention: number, gender, determiner, owner, place in the sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from posh_lite.graph import lexicon
from posh_lite.graph.clauses import subjects
from posh_lite.graph.collectives import PARTITIVE, QUANTITY
from posh_lite.graph.mentions import Candidate, Determiner, Gender, GrammaticalRole, SaidDeterminer
from posh_lite.graph.negation import negated_noun
from posh_lite.graph.nouns import antecedent_of, class_word, head_name, is_reading, mention_kind
from posh_lite.graph.parse import Node, Sentence
from posh_lite.graph.roles import role_of
from posh_lite.graph.types import MentionKind
from posh_lite.records import Span

#: Words that set a mention apart from what was named before.
_ALTERNATE = frozenset(["other", "another", "second", "third", "others"])
_INSIDE = frozenset(["det", "amod", "compound", "nummod", "poss", "predet", "nmod", "advmod", "quantmod", "neg",
                     QUANTITY, PARTITIVE])  # fmt: skip


def phrase_span(node: Node, end: int) -> Span:
    """The noun phrase without clauses and prepositional phrases."""
    start = node.start
    stack = [c for c in node.children if c.i < node.i and c.dep in _INSIDE]
    while stack:
        child = stack.pop()
        start = min(start, child.start)
        stack.extend(c for c in child.children if c.i < node.i)
    return (start, end)


_SAID: dict[str, Determiner] = {word: word for word in get_args(SaidDeterminer)}


def determiner(node: Node) -> Determiner:
    """Normalized determiner of a noun phrase."""
    for child in node.children:
        low = child.lower
        if child.dep in ("det", "predet", "neg") or low in ("other", "another", "both", "all"):
            if low in ("a", "an"):
                return "a"
            if low in _SAID:
                return _SAID[low]
            if low == "neither":
                return "no"
        if child.dep == "poss":
            return "possessive"
        if child.dep == PARTITIVE and low == "one":
            return "one"
    number = next((c for c in node.children if c.dep == "nummod"), None)
    if number is not None:
        return "one" if number.lower == "one" else "number"
    return "none"


def stated_count(node: Node) -> int | None:
    """Number that the phrase states: "three men", "a pair of gloves", "a group of three"."""
    for child in node.children:
        if child.dep == "nummod":
            if child.lower in lexicon.NUMBERS:
                return lexicon.NUMBERS[child.lower]
            if child.lower.isdecimal() and len(child.lower) < 7:
                return int(child.lower)
        if child.dep in (QUANTITY, PARTITIVE):
            if child.lower in lexicon.NUMBERS and child.lower not in ("pair", "dozen"):
                return lexicon.NUMBERS[child.lower]
            stated = lexicon.COLLECTIVES.get(child.lemma, 0)
            if stated and node.lower not in lexicon.PAIRED and child.tag != "NNS":
                return stated
        if child.dep in ("det", "predet") and child.lower == "both":
            return 2
    if node.lemma in ("trio", "duo", "quartet", "couple"):
        return lexicon.COLLECTIVES[node.lemma]
    return None


def gender(node: Node) -> Gender | None:
    """Gender that the word states, or None."""
    word = node.lower.removesuffix("'s")
    if word in lexicon.MALE or node.lemma in lexicon.MALE:
        return "male"
    if word in lexicon.FEMALE or node.lemma in lexicon.FEMALE:
        return "female"
    if word in ("it", "its", "itself"):
        return "neuter"
    return "animate" if node.lemma in lexicon.ANIMATE else None


def is_plural(node: Node) -> bool:
    """Whether the mention stands for more than one."""
    if node.lower in frozenset(
        [
            "they",
            "them",
            "their",
            "we",
            "us",
            "our",
            "both",
            "all",
            "others",
            "many",
            "few",
            "several",
            "trio",
            "these",
            "those",
            "two",
            "three",
            "people",
        ]
    ):
        return True
    if node.tag in ("NNS", "NNPS"):
        return True
    count = stated_count(node)
    return count is not None and count > 1


def grammar(node: Node) -> GrammaticalRole:
    """Grammatical role in the clause."""
    if node.dep == "poss":
        return "possessor"
    return {
        "nsubj": "subject",
        "nsubjpass": "subject",
        "dobj": "object",
        "dative": "object",
        "pobj": "oblique",
        "attr": "predicate",
        "appos": "apposition",
    }.get(node.dep, "other")  # type: ignore[return-value]


def modifiers(node: Node) -> tuple[str, ...]:
    """Words of the attributes in front of the noun."""
    return tuple(c.lower for c in node.children if c.dep in ("amod", "nmod") and c.i < node.i)


def candidates(sentences: list[Sentence]) -> tuple[list[Candidate], list[Node]]:
    """Candidates of a text in order, and the node of each."""
    nodes: list[Node] = []
    kinds: list[MentionKind] = []
    where: list[int] = []
    for sentence in sentences:
        for node in sentence.nodes:
            kind = mention_kind(node)
            if kind is not None:
                nodes.append(node)
                kinds.append(kind)
                where.append(sentence.index)
    index = {id(n): k for k, n in enumerate(nodes)}
    out = []
    for k, node in enumerate(nodes):
        candidate = _candidate(k, node, kinds[k], where[k], index)
        adjacent = k > 0 and where[k - 1] == where[k] and nodes[k - 1].i == node.i - 1
        if node.quoted and adjacent and nodes[k - 1].lemma in lexicon.WRITING_NOUNS:
            candidate = replace(candidate, antecedent=k - 1)  # the word "LOVE"
        out.append(candidate)
    return out, nodes


def _candidate(k: int, node: Node, kind: MentionKind, sentence: int, index: dict[int, int]) -> Candidate:
    start, end = node.start, node.end
    case = node.child("case")
    text = node.text
    if kind == "possessive" and case is not None and case.start == end:
        end = case.end
        text = node.text + case.text
    owner = node.child("poss")
    if owner is None and node.dep == "conj" and node.child("det") is None:
        owner = node.head.child("poss")
    first = node
    while first.dep == "conj" and first.head is not first:
        first = first.head
    coordinated = first is not node or node.child("conj") is not None
    verb = node.head if node.head.pos in ("VERB", "AUX") and node.head is not node else None
    preposition = node.head.lower if node.dep == "pobj" else None
    whole = None
    if (
        preposition is None
        and (of := next((c for c in node.children if c.lower == "of" and c.dep == "prep"), None)) is not None
    ):
        inner = of.child("pobj")
        whole = index.get(id(inner)) if inner is not None else None
    if (
        node.dep == "dobj"
        and verb is not None
        and verb.lemma in ("have", "wear")
        and (subject := verb.child("nsubj")) is not None
    ):
        whole = index.get(id(subject))
    antecedent = None
    if kind == "relative":
        noun = antecedent_of(node)
        antecedent = index.get(id(noun)) if noun is not None else None
    elif (
        node.dep == "appos"
        and node.head.dep not in ("conj",)
        and node.head.child("conj") is None
        and node.child("conj") is None
    ):
        antecedent = index.get(id(node.head))
    predicate_of = None
    if node.dep == "attr" and verb is not None and verb.child("expl") is None:
        subject = next(iter(subjects(verb)), None)
        predicate_of = index.get(id(subject)) if subject is not None and subject is not node else None
    low = node.lower
    person = 1 if low in ("i", "me", "my", "we", "us", "our", "ours") else 2 if low in ("you", "your", "yours") else 3
    count = stated_count(node)
    return Candidate(
        index=k, start=start, end=end, text=text, phrase=phrase_span(node, end), sentence=sentence, kind=kind,
        head=head_name(node), noun=node.lower if kind in ("pronoun", "relative") or node.quoted else class_word(node),
        plural=is_plural(node) and count != 1, count=count,
        determiner=determiner(node), modifiers=modifiers(node),
        possessor=index.get(id(owner)) if owner is not None else None, whole=whole, gender=gender(node),
        person=person, grammar=grammar(node), preposition=preposition,  # type: ignore[arg-type]
        verb=verb.lemma if verb is not None else None, antecedent=antecedent, predicate_of=predicate_of,
        coordination=index.get(id(first)) if coordinated else None,
        partitive=any(c.dep == PARTITIVE for c in node.children),
        alternate=low in _ALTERNATE or any(c.lower in _ALTERNATE for c in node.children),
        clause=_clause(node), role="writing" if node.pos == "NUM" and is_reading(node) else role_of(node),
        negated=negated_noun(node), quoted=node.quoted,
    )  # fmt: skip


def _clause(node: Node) -> int:
    """Position of the governing verb: arguments of one verb share it."""
    current = node
    for _ in range(40):
        if current.head is current or (current is not node and current.pos in ("VERB", "AUX")):
            break
        current = current.head
    return current.i
