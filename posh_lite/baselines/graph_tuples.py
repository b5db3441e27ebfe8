"""What a scene graph says, as sets of tuples: things, things with an attribute, and things in a relation.

SPICE and CAPTURE compare such sets. The tuples here come from our own graphs: things are what a judge of PoSh would be
asked about, and neither the viewer, the picture nor its zones; a negated tuple starts with "not" and so matches negated
ones alone. Who owns what is lost beyond the name of the thing, as it is in those metrics.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from posh_lite.errors import InputError
from posh_lite.records import Span

if TYPE_CHECKING:
    from posh_lite.baselines.wordnet import WordNet
    from posh_lite.graph.types import SceneGraph

Kind = Literal["object", "attribute", "relation"]
#: Whether two words or short phrases, in lower case and lemmatized, mean the same.
SameWord = Callable[[str, str], bool]
_KEPT = 512
_graphs: OrderedDict[tuple[str, str], SceneGraph] = OrderedDict()


@dataclass(frozen=True, slots=True)
class GraphTuple:
    """One statement of a text.

    Attributes:
        kind: what it is about.
        words: lemmas: (thing), (thing, attribute) or (subject, relation, object), with "not" in front if negated.
        phrase: as a reader would say it: "dog", "red dog", "dog lie on rug".
        spans: of the words that it adds: the thing's mentions, or those of the attribute or the relation alone.
        named: the spans of the things in it as well.
    """

    kind: Kind
    words: tuple[str, ...]
    phrase: str
    spans: tuple[Span, ...]
    named: tuple[Span, ...]


def graphs_of(texts: Sequence[str]) -> list[SceneGraph]:
    """Our scene graphs of texts; the last few hundred are kept, since several metrics ask for the same ones."""
    from posh_lite import language
    from posh_lite.graph.extract import extract_graphs

    parser = language.signature()
    new = [t for t in dict.fromkeys(texts) if (parser, t) not in _graphs]
    made = dict(zip(new, extract_graphs(new), strict=True)) if new else {}
    found = [made[t] if t in made else _graphs[parser, t] for t in texts]
    for text, graph in zip(texts, found, strict=True):
        _graphs[parser, text] = graph
        _graphs.move_to_end((parser, text))
    while len(_graphs) > _KEPT:
        _graphs.popitem(last=False)
    return found


def graph_signature() -> str:
    """Which parser and which resolver of coreference make these graphs."""
    from posh_lite import language
    from posh_lite.graph.extract import default_resolver

    return f"{language.signature()}+{default_resolver().signature}"


def tuples_of(graph: SceneGraph) -> list[GraphTuple]:
    """Tuples of a graph in text order of their kind, each once, with the spans of all its occurrences."""
    found: dict[tuple[Kind, tuple[str, ...]], list[GraphTuple]] = {}

    def add(kind: Kind, negated: bool, words: tuple[str, ...], phrase: str, spans: tuple[Span, ...],
            things: tuple[Span, ...]) -> None:  # fmt: skip
        key = ("not", *words) if negated else words
        said = f"no {phrase}" if negated and kind == "object" else f"not {phrase}" if negated else phrase
        found.setdefault((kind, key), []).append(GraphTuple(kind, key, said, spans, (*spans, *things)))

    for entity in graph.entities:
        if entity.verifiable:
            add("object", entity.negated, (entity.head,), entity.head, entity.spans, ())
    for attribute in graph.attributes:
        owner = attribute.entity
        if owner.role not in ("viewer", "picture"):
            negated = attribute.negated or owner.negated
            add("attribute", negated, (owner.head, attribute.lemma), f"{attribute.lemma} {owner.head}",
                attribute.spans, owner.spans)  # fmt: skip
    for relation in graph.relations:
        ends = (relation.subject, relation.object)
        if all(e.role not in ("viewer", "picture") for e in ends):
            negated = relation.negated or any(e.negated for e in ends)
            words = (relation.subject.head, relation.lemma, relation.object.head)
            add("relation", negated, words, " ".join(words), relation.spans, (*ends[0].spans, *ends[1].spans))
    return [_merged(same) for same in found.values()]


def _merged(same: Sequence[GraphTuple]) -> GraphTuple:
    first = same[0]
    if len(same) == 1:
        return first
    spans = tuple(sorted({s for one in same for s in one.spans}))
    named = tuple(sorted({s for one in same for s in one.named}))
    return GraphTuple(first.kind, first.words, first.phrase, spans, named)


def same_by_lemma(a: str, b: str) -> bool:
    """Equal lemmas."""
    return a == b


@cache
def same_by_lexicon(a: str, b: str) -> bool:
    """Equal, derived from one another, or synonyms in the package's own lexicon; a broader word is no synonym."""
    from posh_lite.judge.lexical.heads import senses
    from posh_lite.judge.lexical.words import SYNONYM, alike

    if a == b:
        return True
    shared = {sense.id for sense in senses(a)} & {sense.id for sense in senses(b)}
    return bool(shared) or min(alike(a, b), alike(b, a)) >= SYNONYM


def same_by_wordnet(wordnet: WordNet) -> SameWord:
    """Equal, or together in a synset, as in SPICE."""

    @cache
    def synonyms(word: str) -> frozenset[str]:
        found = wordnet.synsets(word.replace(" ", "_"))
        return frozenset(lemma.name().lower().replace("_", " ") for synset in found for lemma in synset.lemmas())

    return lambda a, b: a == b or b in synonyms(a) or a in synonyms(b)


def matcher(synonyms: str) -> tuple[SameWord, str]:
    """The comparison of that name, and its name for a signature.

    Args:
        synonyms: "lexicon", "wordnet" or "none".

    Raises:
        InputError: there is no such comparison, or WordNet is not there.
    """
    if synonyms == "lexicon":
        from posh_lite import __version__

        return same_by_lexicon, f"lexicon-{__version__}"
    if synonyms == "none":
        return same_by_lemma, "none"
    if synonyms == "wordnet":
        from posh_lite.baselines.wordnet import open_wordnet

        opened = open_wordnet()
        return same_by_wordnet(opened), opened.signature
    raise InputError(f'synonyms must be "lexicon", "wordnet" or "none", got "{synonyms}"')


def same_tuple(a: GraphTuple, b: GraphTuple, same: SameWord) -> bool:
    """Whether two tuples of one kind say the same, word for word."""
    return (
        a.kind == b.kind and len(a.words) == len(b.words) and (a.words[0] == "not") == (b.words[0] == "not")
        and all(same(x, y) for x, y in zip(a.words, b.words, strict=True))
    )  # fmt: skip
