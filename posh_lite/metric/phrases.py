"""Noun phrases by rule: how an entity, an attribute and a relation are said in a question.

PoSh has its judge rewrite identifiers such as "man sits on chair" (paper, appendix "Prompts"). A judge without
a language model cannot, so the phrases are fluent from the start: "the man sitting on the chair". A judge that
can rewrite may still improve them (:mod:`posh_lite.judge.rewrite`).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from posh_lite.graph.types import Attribute, Entity, Mention, Relation, SceneGraph
from posh_lite.records import Span

_VOWELS = "aeiou"
_PRONOUNS = frozenset(
    {"he", "she", "it", "they", "him", "her", "them", "one", "who", "which", "that", "this", "these", "those",
     "himself", "herself", "itself", "themselves", "we", "us", "you", "i", "other", "others", "something", "someone"}
)
_DETERMINERS = frozenset({
    "a", "an", "the", "this", "that", "these", "those", "his", "her", "its", "their", "our", "your", "my", "some",
    "any", "each", "every", "no", "another",
})
_PREPOSITIONS = frozenset({
    "about", "above", "across", "against", "along", "alongside", "amid", "amidst", "among", "amongst", "around", "as",
    "at", "atop", "before", "behind", "below", "beneath", "beside", "between", "beyond", "by", "down", "facing",
    "for", "from", "in", "inside", "into", "like", "near", "next", "of", "off", "on", "onto", "opposite", "out",
    "outside", "over", "past", "through", "throughout", "to", "toward", "towards", "under", "underneath", "up",
    "upon", "with", "within", "without",
})
#: Positions that stand before the noun; "left" and the like read better behind it.
_SIDES = {
    "left": "on the left", "right": "on the right", "center": "in the center", "centre": "in the centre",
    "middle": "in the middle", "top": "at the top", "bottom": "at the bottom",
    "foreground": "in the foreground", "background": "in the background",
}
#: Words that carry a negation themselves, so that none has to be put before them.
_NEGATIVE = frozenset({
    "no", "not", "never", "without", "lack", "lacks", "lacking", "lacked", "missing", "devoid", "absent", "none",
    "neither", "nor", "free", "cannot", "n't", "isn't", "aren't", "wasn't", "weren't", "doesn't", "don't", "didn't",
    "can't",
})
_DOUBLING = re.compile(r"^[^aeiou]*[aeiou][bdgklmnprt]$")
_IRREGULAR_GERUNDS = {
    "lie": "lying", "die": "dying", "tie": "tying", "see": "seeing", "be": "being", "dye": "dyeing",
    "begin": "beginning", "tuck": "tucking", "look": "looking", "forget": "forgetting", "upset": "upsetting",
}
_IRREGULAR_PRESENT = {"be": "is", "have": "has", "do": "does", "go": "goes"}


def squeeze(text: str) -> str:
    """The text on one line, with single blanks and without control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def gerund(lemma: str) -> str:
    """The -ing form of a verb lemma; of a phrasal verb ("look up") its first word changes."""
    verb, _, rest = lemma.partition(" ")
    if verb in _IRREGULAR_GERUNDS:
        form = _IRREGULAR_GERUNDS[verb]
    elif verb.endswith("ing") and len(verb) > 5:
        form = verb
    elif verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        form = verb[:-1] + "ing"
    elif _DOUBLING.match(verb) and not verb.endswith("k"):
        form = verb + verb[-1] + "ing"
    else:
        form = verb + "ing"
    return f"{form} {rest}".rstrip()


def present(lemma: str, *, plural: bool = False) -> str:
    """The present tense of a verb lemma, third person."""
    verb, _, rest = lemma.partition(" ")
    if plural:
        form = "are" if verb == "be" else verb
    elif verb in _IRREGULAR_PRESENT:
        form = _IRREGULAR_PRESENT[verb]
    elif verb.endswith(("s", "x", "z", "ch", "sh")):
        form = verb + "es"
    elif verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        form = verb[:-1] + "ies"
    else:
        form = verb + "s"
    return f"{form} {rest}".rstrip()


def is_preposition(text: str) -> bool:
    """Whether the words begin with a preposition ("on the left", "in front of")."""
    words = text.split(maxsplit=1)
    return bool(words) and words[0].lower() in _PREPOSITIONS


def bare(entity: Entity) -> str:
    """The head as the text writes it, compounds included, without determiner: "wine glasses"."""
    for mention in entity.mentions:
        if mention.kind in ("noun", "name"):
            written = squeeze(mention.text)
            if written:
                before = entity.head.split()[:-1]
                if mention.kind == "name":
                    before = [w.title() for w in before]
                else:
                    written = written.lower()
                return written if " " in written else " ".join([*before, written])
    return squeeze(entity.head)


def as_written(graph: SceneGraph, entity: Entity) -> str:
    """The first noun phrase of the entity as it stands in the text, without a leading article."""
    for mention in entity.mentions:
        if mention.kind in ("noun", "name"):
            words = squeeze(graph.text[mention.phrase[0]:mention.phrase[1]]).split()
            while len(words) > 1 and words[0].lower() in ("a", "an", "the"):
                words = words[1:]
            if words:
                return " ".join(words)
    return bare(entity)


def definite(entity: Entity, phrase: str | None = None) -> str:
    """The phrase with "the", unless it is a name, a pronoun or has a determiner already.

    Writing in the picture is quoted as such, so that a judge does not look for a thing of that name.
    """
    if entity.role == "writing":
        return f"the writing '{bare(entity)}'"
    own = bare(entity)
    phrase = own if phrase is None else phrase
    words = phrase.lower().split()
    if not words or words[0] in _DETERMINERS or entity.head in _PRONOUNS:
        return phrase or "the thing"
    named = bool(entity.mentions) and entity.mentions[0].kind == "name"
    return phrase if named and phrase == own else f"the {phrase}"


def in_sentence(graph: SceneGraph, text: str, spans: Sequence[Span]) -> str:
    """The words on one line, without the capital that they have only because a sentence begins with them."""
    words = squeeze(text)
    if not spans:
        return words
    at = bisect_left(graph.sentences, (spans[0][0], 0))
    begins = at < len(graph.sentences) and graph.sentences[at][0] == spans[0][0]
    return words[:1].lower() + words[1:] if begins else words


_DENIAL = re.compile(
    r"\b(?:not|no|never|without|neither|nor|none|nobody|no one|nothing|lacks?|lacking|cannot)\b|n['’]t\b", re.IGNORECASE
)
_REACH = 60  # characters in front of a denied word within which its "not" is looked for


def denial(text: str, sentence: Span, span: Span) -> Span:
    """Where the words at ``span`` are denied: the last "not", "no", "without" ... before them in their sentence.

    Returns:
        The span of that word, or the empty span at the start of ``span`` where there is none.
    """
    start = max(sentence[0], span[0] - _REACH)
    found = [m.span() for m in _DENIAL.finditer(text, start, span[0])]
    return found[-1] if found else (span[0], span[0])


def with_attribute(entity: Entity, attribute: Attribute, words: str | None = None) -> str:
    """The entity singled out by one of its attributes: "the tall man", "the man on the left".

    Args:
        entity: whose attribute it is.
        attribute: the one that singles it out.
        words: how the attribute is said; by default as the text does.
    """
    head, words = bare(entity), squeeze(attribute.text) if words is None else words
    if any(_before(span, mention) for span in attribute.spans[:1] for mention in entity.mentions):
        return f"the {words} {head}"
    if attribute.kind == "action":
        said = _participle(words, attribute.lemma)
        # "the seated man", but "the man sitting" and "the man tied up"
        return f"the {said} {head}" if " " not in said and not said.endswith("ing") else f"the {head} {said}"
    if attribute.kind == "position":
        side = _SIDES.get(words.lower())
        if side:
            return f"the {head} {side}"
    if is_preposition(words) or any(w.lower() in _PREPOSITIONS for w in words.split()[1:]):
        return f"the {head} {words}"
    return f"the {words} {head}"


def _before(span: Span, mention: Mention) -> bool:
    """Whether the words stand before the noun in its own phrase, as in "her left hand"."""
    return mention.phrase[0] <= span[0] and span[1] <= mention.start


def with_relation(entity: Entity, relation: Relation, other: str) -> str:
    """The entity singled out by a relation: "the man on the horse", "the cup that the man holds".

    Args:
        entity: the subject or the object of the relation.
        relation: a relation that holds (not a negated one).
        other: how the other side is called, with its article.
    """
    head, words = bare(entity), squeeze(relation.text)
    if relation.subject.id == entity.id:
        if relation.kind == "verb" and not is_preposition(words):
            # A past form before a preposition is a participle ("dressed in"), else the past tense ("painted").
            led = any(w in _PREPOSITIONS for w in words.lower().split()[1:])
            ing = bool(words) and words.split()[0].endswith("ing")
            words = _participle(words, relation.lemma) if led or ing else gerund(relation.lemma)
        return f"the {head} {words} {other}"
    if relation.kind == "verb" and not is_preposition(words):
        return f"the {head} that {other} {present(relation.lemma, plural=relation.subject.plural)}"
    return f"the {head} that {other} {'are' if relation.subject.plural else 'is'} {words}"


def _participle(words: str, lemma: str) -> str:
    """A verb as it stands behind or before its noun: "sits" gives "sitting", "seated" and "sitting" stay."""
    first = words.lower().split(maxsplit=1)[0] if words.split() else ""
    verb = lemma.split(maxsplit=1)[0] if lemma.split() else ""
    if first.endswith("ing") and len(first) > 4:
        return words
    return gerund(lemma) if first in (verb, present(verb)) else words


def polar(text: str, negated: bool, word: str = "not") -> str:
    """The words with their polarity: "not smiling"; "without" and "lacks" stay as they are."""
    text = squeeze(text)
    if not negated or any(w.lower() in _NEGATIVE or w.lower().endswith("n't") for w in text.split()):
        return text
    return f"{word} {text}"


def affirmative(text: str) -> str:
    """The words without a leading "not" or "no", for a question that negates by itself."""
    words = squeeze(text).split()
    while len(words) > 1 and words[0].lower() in ("not", "no", "never"):
        words = words[1:]
    return " ".join(words)
