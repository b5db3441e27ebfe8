"""Which nodes name something, and what is said of them that coreference needs."""

from __future__ import annotations

from dataclasses import replace

from posh_lite.graph import lexicon
from posh_lite.graph.clauses import subjects
from posh_lite.graph.collectives import PARTITIVE, QUANTITY
from posh_lite.graph.mentions import Candidate, Determiner, Gender, GrammaticalRole
from posh_lite.graph.negation import negated_noun
from posh_lite.graph.parse import Node, Sentence
from posh_lite.graph.roles import is_viewer, role_of
from posh_lite.graph.types import MentionKind
from posh_lite.records import Span

_PERSONAL = frozenset(
    "i me my mine we us our ours you your yours he him his she her hers it its they them their theirs himself herself"
    " itself themselves ourselves".split()
)
_NOUN_SLOTS = frozenset(
    "nsubj nsubjpass dobj pobj attr conj appos ROOT poss dative oprd npadvmod dep agent nmod ccomp acl relcl xcomp advcl"
    " intj meta parataxis".split()
)
_LONE = frozenset("both all each one others other another some many few several neither none two three four five six most".split())


def mention_kind(node: Node) -> MentionKind | None:
    """What kind of mention a node is, or None where it names nothing."""
    if node.dep in ("skip", QUANTITY, PARTITIVE):
        return None
    if node.quoted:
        return "name" if node.shown == "Omega" or node.dep not in ("amod", "compound") else None
    if node.lower in ("'s", "'", "there"):
        return None
    if node.dep == "poss" or node.tag == "PRP$":
        if node.tag == "WP$":
            return "relative" if antecedent_of(node) is not None else None
        return "possessive" if node.pos in ("NOUN", "PROPN", "PRON", "ADJ") else None
    if node.pos == "PRON":
        return _pronoun_kind(node)
    if node.pos in ("NOUN", "PROPN"):
        if describes_subject(node):
            return None
        if node.dep in ("compound", "amod", "quantmod", "nummod") or (node.dep == "nmod" and node.i < node.head.i) or node.dep == "npadvmod" and _measure(node):
            return None
        if node.lemma in lexicon.IDLE_NOUNS and node.dep != "nsubj":
            return None
        if node.dep == "pobj" and _idle_object(node):
            return None
        if not any(c.isalpha() for c in node.text):
            return None
        return "name" if node.pos == "PROPN" and node.text[:1].isupper() and node.i > 0 else "noun"
    if node.pos == "ADJ" and node.dep in ("pobj", "dobj", "nsubj", "nsubjpass"):
        return "noun" if node.child("det", "amod", "compound", "poss", "nummod") is not None or node.lemma in lexicon.COLOURS else None
    if node.pos in ("NUM", "DET", "ADJ") and node.lower in _LONE and node.dep in ("nsubj", "nsubjpass", "dobj", "pobj", "appos"):
        return "pronoun"
    if node.pos == "NUM" and is_reading(node):
        return "name"  # "the clock reads 10:30"
    if node.pos == "VERB" and node.tag in ("VBG", "VBN", "VBZ", "VB") and node.dep in ("pobj", "dobj", "nsubj") and node.child("det", "poss"):
        return "noun"
    return None


def is_reading(node: Node) -> bool:
    """A number that is written in the picture."""
    return node.dep in ("dobj", "attr", "oprd", "npadvmod", "nummod") and node.head.lemma in ("read", "say") and node.i > node.head.i


def describes_subject(node: Node) -> bool:
    """"the stem is pale tan", "the sky is a dark blue", "the bench is wood": a property, not another thing."""
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
    if node.tag in ("WP", "WDT") or (node.lower in ("that", "which", "who") and node.dep in ("nsubj", "nsubjpass", "dobj")):
        known = antecedent_of(node) if node.lower in ("who", "whom", "that", "which", "whose") else None
        return "relative" if known is not None and mention_kind(known) not in (None, "relative") else None
    if node.lower in _PERSONAL:
        return None if node.lower == "it" and _expletive(node) else "pronoun"
    if node.lower in ("each", "one") and any(c.lower in ("other", "another") for c in [node.head, *node.children]):
        return None  # "each other"
    if node.lower in _LONE and node.dep in ("nsubj", "nsubjpass", "dobj", "pobj", "appos", "conj", "attr"):
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
    if verb.lemma in ("appear", "seem", "look") and verb.child("ccomp", "advcl") is not None and verb.child("xcomp") is None:
        return True
    if verb.lemma in ("appear", "seem") and (be := verb.child("xcomp")) is not None and be.lemma == "be":
        verb = be
    if verb.lemma != "be":
        return False
    attr = verb.child("attr")
    if attr is not None and attr.lemma in ("daytime", "nighttime", "day", "night", "daylight", "morning", "evening", "afternoon", "winter", "summer", "dusk", "dawn"):
        return True
    return verb.child("acomp") is not None and verb.child("ccomp") is not None


def _measure(node: Node) -> bool:
    return node.head.pos in ("ADJ", "ADV", "ADP") or node.lemma in ("time", "day", "way", "bit")


def _idle_object(node: Node) -> bool:
    head = node.head
    if node.child("det", "poss", "amod", "nummod", "compound") is not None and node.lemma not in ("addition", "fact", "nature"):
        return False
    return head.lower in ("in", "for", "at", "of", "by") and node.lemma in lexicon.IDLE_OBJECTS


def head_name(node: Node) -> str:
    """Class name with compounds: "wine glass"."""
    if node.quoted:
        return node.lower
    parts = [c.lower for c in node.children if c.dep == "compound" and c.i < node.i and not c.quoted]
    noun = class_word(node)
    return " ".join([*parts, noun])


def class_word(node: Node) -> str:
    """Lemma of the head word; "scissors" and worn "glasses" keep their plural."""
    if node.lower in lexicon.PAIRED and (node.lower != "glasses" or _worn(node)):
        return node.lower
    if is_viewer(node):
        return "viewer"
    return node.lemma if node.pos in ("NOUN", "PROPN") else node.lower


def _worn(node: Node) -> bool:
    return node.head.lemma in ("wear", "don") or any(c.dep == QUANTITY and c.lemma == "pair" for c in node.children)


def phrase_span(node: Node, end: int) -> Span:
    """The noun phrase without clauses and prepositional phrases."""
    start = node.start
    stack = [c for c in node.children if c.i < node.i and c.dep in
             ("det", "amod", "compound", "nummod", "poss", "predet", "nmod", "advmod", "quantmod", "neg", QUANTITY, PARTITIVE)]
    while stack:
        child = stack.pop()
        start = min(start, child.start)
        stack.extend(c for c in child.children if c.i < node.i)
    return (start, end)


def determiner(node: Node) -> Determiner:
    for child in node.children:
        low = child.lower
        if child.dep in ("det", "predet", "neg") or low in ("other", "another", "both", "all"):
            if low in ("a", "an"):
                return "a"
            if low in ("the", "this", "that", "these", "those", "another", "other", "each", "either", "both", "all", "some", "no"):
                return low  # type: ignore[return-value]
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
            if child.lower.isdigit() and len(child.lower) < 7:
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
    word = node.lower.removesuffix("'s")
    if word in lexicon.MALE or node.lemma in lexicon.MALE:
        return "male"
    if word in lexicon.FEMALE or node.lemma in lexicon.FEMALE:
        return "female"
    if word in ("it", "its", "itself"):
        return "neuter"
    return "animate" if node.lemma in lexicon.ANIMATE else None


def is_plural(node: Node) -> bool:
    if node.lower in ("they", "them", "their", "we", "us", "our", "both", "all", "others", "many", "few", "several", "trio",
                      "these", "those", "two", "three", "people"):
        return True
    if node.tag in ("NNS", "NNPS"):
        return True
    count = stated_count(node)
    return count is not None and count > 1


def grammar(node: Node) -> GrammaticalRole:
    if node.dep == "poss":
        return "possessor"
    return {"nsubj": "subject", "nsubjpass": "subject", "dobj": "object", "dative": "object", "pobj": "oblique",
            "attr": "predicate", "appos": "apposition"}.get(node.dep, "other")  # type: ignore[return-value]


def modifiers(node: Node) -> tuple[str, ...]:
    return tuple(c.lower if c.tag not in ("VBN", "VBG") else c.lower for c in node.children if c.dep in ("amod", "nmod") and c.i < node.i)


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
        if node.quoted and k and where[k - 1] == where[k] and nodes[k - 1].i == node.i - 1:
            if nodes[k - 1].lemma in lexicon.WRITING_NOUNS:
                candidate = replace(candidate, antecedent=k - 1)  # "the word "LOVE""
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
    if preposition is None and (of := next((c for c in node.children if c.lower == "of" and c.dep == "prep"), None)) is not None:
        inner = of.child("pobj")
        whole = index.get(id(inner)) if inner is not None else None
    if node.dep == "dobj" and verb is not None and verb.lemma in ("have", "wear") and (subject := verb.child("nsubj")) is not None:
        whole = index.get(id(subject))
    antecedent = None
    if kind == "relative":
        noun = antecedent_of(node)
        antecedent = index.get(id(noun)) if noun is not None else None
    elif node.dep == "appos" and node.head.dep not in ("conj",) and node.head.child("conj") is None and node.child("conj") is None:
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
        alternate=any(c.lower in ("other", "another", "second", "third", "others") for c in node.children) or low in ("other", "others", "another"),
        clause=_clause(node), role="writing" if node.pos == "NUM" and is_reading(node) else role_of(node), negated=negated_noun(node), quoted=node.quoted,
    )  # fmt: skip


def _clause(node: Node) -> int:
    """Position of the governing verb: arguments of one verb share it."""
    current = node
    for _ in range(40):
        if current.head is current or (current is not node and current.pos in ("VERB", "AUX")):
            break
        current = current.head
    return current.i
