"""The embedded extractor: a rubric from the scene graph of a reference (appendix A.1), without a language model."""

from __future__ import annotations

from collections.abc import Sequence

from posh_lite.graph.types import SceneGraph
from posh_lite.position.graphs import Graphs, rules_digest
from posh_lite.position.rubric_claims import Basis, bases
from posh_lite.position.types import WEIGHTS, Claim, Rubric

#: Version of the rules that make claims of a graph; the signature has a hash of their files beside it.
RULES = 2
_FILES = ("rubric.py", "rubric_claims.py", "rubric_wording.py", "rubric_words.py", "scene.toml")
#: Claims of fewer words say nothing that could be verified.
MIN_WORDS = 3


class GraphExtractor:
    """Rubrics from scene graphs: entities, compound attributes kept together, interactions, scene context.

    Args:
        graphs: scene graphs shared with a verifier, so that no text is parsed twice.
    """

    def __init__(self, graphs: Graphs | None = None) -> None:
        self.graphs = graphs if graphs is not None else Graphs()

    @property
    def signature(self) -> str:
        from posh_lite import language

        return f"graph-{RULES} rules:{rules_digest(_FILES)} {language.signature()}"

    def extract(self, references: Sequence[str], /) -> list[Rubric]:
        """A rubric for each reference, in order; an empty reference gives an empty rubric."""
        name = self.signature
        return [make_rubric(graph, name)[0] for graph in self.graphs.of(references)]


def make_rubric(graph: SceneGraph, signature: str = "") -> tuple[Rubric, tuple[Basis, ...]]:
    """The rubric of a graph, and for each claim the components that it is about.

    Claims whose words are the same but for case and white space are one claim with the spans of all; those of fewer
    than three words are dropped. Both are counted.
    """
    kept: dict[str, Basis] = {}
    spans: dict[str, list[tuple[int, int]]] = {}
    dropped = 0
    for basis in bases(graph):
        key = " ".join(basis.text.lower().split())
        if len(key.split()) < MIN_WORDS:
            dropped += 1
            continue
        if key in kept:
            dropped += 1
        kept.setdefault(key, basis)
        spans.setdefault(key, []).extend(s for s in basis.spans if s not in spans.get(key, ()))
    claims = tuple(
        Claim(number, basis.text, basis.kind, WEIGHTS[basis.kind], basis.keyword, tuple(spans[key]))
        for number, (key, basis) in enumerate(kept.items())
    )
    return Rubric(graph.text, claims, signature, dropped), tuple(kept.values())
