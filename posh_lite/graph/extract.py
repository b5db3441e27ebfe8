"""Text to scene graph: the public entry.

Implements ``GetGraph`` of the PoSh paper (section "Scene Graph Extraction" and appendix): parse each sentence,
read mentions, attributes and relations from the parse, merge across sentences by coreference. Talk to the user
("Here is a description:") and headings of layout ("## Background") are no part of it; a heading that names a thing
("**The woman:**") is, since later pronouns stand for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from posh_lite import language
from posh_lite.errors import InputError
from posh_lite.graph.attributes import attribute_drafts
from posh_lite.graph.candidates import candidates
from posh_lite.graph.coreference import EmbeddedResolver
from posh_lite.graph.drafts import AttributeDraft, RelationDraft
from posh_lite.graph.mentions import CoreferenceResolver, MentionDocument, Resolution
from posh_lite.graph.merge import merge
from posh_lite.graph.parse import Sentence, parse_texts
from posh_lite.graph.relations import relation_drafts
from posh_lite.graph.repair import repair
from posh_lite.graph.types import SceneGraph


class GrammarResolver:
    """Only what grammar settles: relative pronouns and appositions. A yardstick for real resolvers."""

    signature = "coref:grammar"

    def resolve(self, document: MentionDocument) -> Resolution:
        pairs = [(c.antecedent, c.index) for c in document.candidates if c.antecedent is not None]
        return Resolution(clusters=tuple((a, b) for a, b in pairs if a is not None))


def default_resolver() -> CoreferenceResolver:
    """The embedded resolver."""
    return EmbeddedResolver()


def extract_graph(text: str, *, coreference: CoreferenceResolver | None = None) -> SceneGraph:
    """Scene graph of one text.

    Args:
        text: any string; an empty one gives an empty graph.
        coreference: resolver that merges mentions (default: the embedded one).

    Returns:
        The graph; every span points into ``text`` as given.

    Raises:
        InputError: ``text`` is no string, or holds lone surrogates.
        MissingDependency: no spaCy pipeline is installed.
    """
    return extract_graphs([text], coreference=coreference)[0]


def extract_graphs(texts: Sequence[str], *, coreference: CoreferenceResolver | None = None) -> list[SceneGraph]:
    """Scene graphs of many texts, parsed in batches. See :func:`extract_graph`."""
    if isinstance(texts, str):
        raise InputError("extract_graphs takes several texts; use extract_graph for one")
    for text in texts:
        _check(text)
    resolver = coreference if coreference is not None else default_resolver()
    if not hasattr(resolver, "resolve"):
        raise InputError(f"coreference must be a resolver such as EmbeddedResolver(), got {coreference!r}")
    signature = f"{language.signature()}+{resolver.signature}"
    return [
        _graph(text, sentences, resolver, signature) for text, sentences in zip(texts, parse_texts(texts), strict=True)
    ]


def _check(text: object) -> None:
    if not isinstance(text, str):
        raise InputError(f"a text must be a string, got {type(text).__name__}")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f"a text holds a lone surrogate at character {error.start}; decode it properly") from None


def _graph(text: str, sentences: list[Sentence], resolver: CoreferenceResolver, signature: str) -> SceneGraph:
    for sentence in sentences:
        repair(sentence)
    found, nodes = candidates(sentences)
    index = {id(node): k for k, node in enumerate(nodes)}
    drafts = list(_drafts(sentences, index))
    spans = tuple(s.span for s in sentences)
    document = MentionDocument(text, spans, tuple(found))
    return merge(text, spans, found, drafts, resolver.resolve(document), signature)


def _drafts(sentences: list[Sentence], index: dict[int, int]) -> Iterator[AttributeDraft | RelationDraft]:
    for sentence in sentences:
        yield from attribute_drafts(sentence, index)
        yield from relation_drafts(sentence, index)
