"""Scene graphs written by hand, for tests that need no parser."""

from __future__ import annotations

from posh_lite.graph.types import Attribute, Entity, Mention, Relation, SceneGraph


class Scene:
    """Builds a graph whose spans are found by looking for the words in the text, from left to right."""

    def __init__(self, text: str, signature: str = "by hand") -> None:
        self.text, self.signature = text, signature
        self.entities: list[Entity] = []
        self.attributes: list[Attribute] = []
        self.relations: list[Relation] = []

    def span(self, words: str, nth: int = 0) -> tuple[int, int]:
        at = -1
        for _ in range(nth + 1):
            at = self.text.index(words, at + 1)
        return at, at + len(words)

    def entity(
        self, phrase: str, head: str | None = None, *, nth: int = 0, also: tuple[str, ...] = (), **more
    ) -> Entity:
        """An entity first mentioned by ``phrase``, whose last word is its head word; ``also`` are later mentions."""
        start, end = self.span(phrase, nth)
        word = phrase.split()[-1]
        kind = more.pop("kind", "noun")
        mentions = [Mention(end - len(word), end, word, (start, end), 0, kind)]
        for other in also:
            a, b = self.span(other)
            last = other.split()[-1]
            mentions.append(Mention(b - len(last), b, last, (a, b), 0, "noun"))
        made = Entity(len(self.entities), head or word.lower(), tuple(mentions), **more)
        self.entities.append(made)
        return made

    def attribute(self, entity: Entity, words: str, *, lemma: str | None = None, nth: int = 0, **more) -> Attribute:
        made = Attribute(len(self.attributes), entity, words, lemma or words.lower(), (self.span(words, nth),), **more)
        self.attributes.append(made)
        return made

    def relation(self, subject: Entity, words: str, object: Entity, *, lemma: str | None = None, nth: int = 0,
                 **more) -> Relation:
        made = Relation(
            len(self.relations), subject, words, lemma or words.lower(), object, (self.span(words, nth),), **more
        )
        self.relations.append(made)
        return made

    @property
    def graph(self) -> SceneGraph:
        return SceneGraph(
            self.text, tuple(self.entities), tuple(self.attributes), tuple(self.relations), ((0, len(self.text)),),
            self.signature,
        )


def man_with_cup() -> SceneGraph:
    """One man, his cup and his face: an attribute and a relation each."""
    scene = Scene("A tall man holds a red cup. The face of the man is pale.")
    man = scene.entity("A tall man", also=("the man",))
    cup = scene.entity("a red cup")
    face = scene.entity("The face", part_of=man.id)
    scene.attribute(man, "tall")
    scene.attribute(cup, "red")
    scene.attribute(face, "pale")
    scene.relation(man, "holds", cup, lemma="hold", kind="verb")
    scene.relation(face, "of", man, kind="part")
    return scene.graph
