"""How a claim is said: one sentence by rule for an entity, for attributes of one property, for a relation."""

from __future__ import annotations

from collections.abc import Sequence

from posh_lite.graph.types import Attribute, Entity, Relation, SceneGraph
from posh_lite.metric.identifiers import Namer, uses
from posh_lite.metric.phrases import (
    affirmative,
    bare,
    definite,
    gerund,
    in_sentence,
    is_preposition,
    present,
    squeeze,
)

_AN = tuple("aeiou")
_SIDES = {
    "left": "on the left", "right": "on the right", "center": "in the center", "centre": "in the center",
    "middle": "in the middle", "top": "at the top", "bottom": "at the bottom",
    "foreground": "in the foreground", "background": "in the background",
}


def sentence(words: str) -> str:
    """Words as a sentence: a capital in front, a full stop behind."""
    words = squeeze(words).strip(" .")
    return f"{words[:1].upper()}{words[1:]}." if words else ""


class Wording:
    """Says the components of one graph as claims, every entity by a name that tells it from its namesakes.

    Args:
        graph: the scene graph of the reference.
    """

    def __init__(self, graph: SceneGraph) -> None:
        self.graph = graph
        self._namer = Namer(graph)

    def name(self, entity: Entity, without: Attribute | Relation | None = None) -> str:
        """How the entity is called; the name is not built on the component that is claimed of it."""
        if entity.role == "picture":
            return "the picture"
        for identifier in self._namer.own(entity):
            if without is None or not uses(identifier, without):
                return identifier.text
        return definite(entity)

    def entity(self, entity: Entity) -> str:
        """"The picture shows a woman.", "The woman has a headscarf.", "There are no people."."""
        noun = bare(entity)
        if entity.negated and noun.split()[-1].lower() in ("nobody", "none", "no-one"):
            return sentence(f"there is {noun}")
        if entity.negated:
            return sentence(f"there {'are' if entity.plural else 'is'} no {affirmative(noun)}")
        if entity.role == "writing":
            return sentence(f"the picture has {definite(entity)}")
        whole = self._whole(entity)
        if whole is not None:
            return sentence(f"{self.name(whole)} {'have' if whole.plural else 'has'} {self._indefinite(entity)}")
        named = self.name(entity)
        if named == definite(entity):
            named = self._indefinite(entity)
        return sentence(f"the picture shows {named}")

    def attributes(self, group: Sequence[Attribute]) -> str:
        """One sentence for the values of one property: "The dog is white and black."."""
        first = group[0]
        entity = first.entity
        values = [in_sentence(self.graph, a.text, a.spans) for a in group]
        said = values[0] if len(values) == 1 else f"{', '.join(values[:-1])} and {values[-1]}"
        be = "are" if entity.plural else "is"
        deny = "not " if first.negated else ""
        if first.negated:
            said = affirmative(said)
        name = self.name(entity, first)
        if first.kind == "quantity":
            return self._count(entity, said)
        if first.kind == "position":
            whole = self._whole(entity)
            if whole is not None and not is_preposition(said):
                return sentence(f"{self.name(whole)} {'have' if whole.plural else 'has'} the {said} {bare(entity)}")
            return sentence(f"{name} {be} {deny}{_SIDES.get(said.lower(), said)}")
        if first.kind == "action" and len(values) == 1 and _finite(said, first.lemma):
            said = gerund(first.lemma)
        return sentence(f"{name} {be} {deny}{said}")

    def relation(self, r: Relation) -> str:
        """"The woman wears a headscarf.", "The apron is gathered at her waist."."""
        subject, other = self.name(r.subject, r), self._other(r)
        words = in_sentence(self.graph, r.text, r.spans)
        be = "are" if r.subject.plural else "is"
        if r.negated or r.object.negated:
            if r.kind == "verb" and not is_preposition(words):
                verb = affirmative(f"{'do' if r.subject.plural else 'does'} not {r.lemma}")
                return sentence(f"{subject} {verb} {affirmative(other)}")
            if words.lower().startswith("without"):
                return sentence(f"{subject} {be} {words} {affirmative(other)}")
            return sentence(f"{subject} {be} not {affirmative(words)} {affirmative(other)}")
        if r.lemma == "of":
            return sentence(f"the picture shows {subject} of {bare(r.object)}")
        if r.lemma == "with":
            return sentence(f"{subject} {'have' if r.subject.plural else 'has'} {other}")
        if r.kind != "verb" or is_preposition(words):
            return sentence(f"{subject} {be} {words} {other}")
        if _finite(words, r.lemma) or r.passive:
            return sentence(f"{subject} {present(r.lemma, plural=r.subject.plural)} {other}")
        participle = words.split()[0].endswith("ing") or len(words.split()) > 1
        if participle:
            return sentence(f"{subject} {be} {words} {other}")
        return sentence(f"{subject} {present(r.lemma, plural=r.subject.plural)} {other}")

    def _other(self, r: Relation) -> str:
        if r.object.role == "viewer":
            return "the viewer"
        if r.object.negated:
            return bare(r.object)
        return self.name(r.object, r)

    def _whole(self, entity: Entity) -> Entity | None:
        if entity.part_of is None:
            return None
        whole = self.graph.entities[entity.part_of]
        return whole if whole.role in ("thing", "unresolved") and not whole.negated else None

    def _indefinite(self, entity: Entity) -> str:
        """With the article that the text gives it, else without one in the plural, else with "the"."""
        noun = bare(entity)
        if entity.plural:
            return noun
        mention = entity.mentions[0] if entity.mentions else None
        first = self.graph.text[mention.phrase[0] : mention.phrase[1]].split(maxsplit=1) if mention else []
        if first and first[0].lower() in ("a", "an", "one", "another", "his", "her", "its", "their"):
            return f"an {noun}" if noun[:1].lower() in _AN else f"a {noun}"
        return definite(entity)

    def _count(self, entity: Entity, said: str) -> str:
        """"There are two dogs.", "There is a pair of scissors.", "There are two pairs of scissors."."""
        from posh_lite.judge.lexical import words
        from posh_lite.judge.lexical.lexicon import lexicon

        lex, noun, asked = lexicon(), bare(entity), words.tokens(said)
        last = asked[-1] if asked else ""
        shape = next((w for w in words.variants(last) if w in lex.partitive and w != "few"), "")
        if shape:
            several = last != shape or (len(asked) > 1 and (words.number(asked[0]) or 1) > 1)
            article = "" if len(asked) > 1 or several else "an " if last[0] in _AN else "a "
            return sentence(f"there {'are' if several else 'is'} {article}{said} of {noun}")
        if last and (words.number(asked[0]) is not None or asked[0] in lex.vague):
            return sentence(f"there {'are' if entity.plural else 'is'} {said} {noun}")
        return sentence(f"there is a {said} of {noun}" if len(said.split()) == 1 else f"there are {said} {noun}")


def _finite(words: str, lemma: str) -> bool:
    """Whether the words are a finite verb ("stoops") rather than a participle ("seated", "sitting")."""
    first, verb = words.lower().split(maxsplit=1)[:1], lemma.split(maxsplit=1)[:1]
    return bool(first and verb) and first[0] in (verb[0], present(verb[0]))
