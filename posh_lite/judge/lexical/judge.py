"""The embedded default judge: answers structured questions from the target text's own scene graph."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence

from posh_lite.graph.types import SceneGraph
from posh_lite.judge.contract import Question, Verdict
from posh_lite.judge.lexical.align import Alignment, align
from posh_lite.judge.lexical.attributes import attribute_finding
from posh_lite.judge.lexical.entities import entity_finding
from posh_lite.judge.lexical.findings import Finding, calibrated
from posh_lite.judge.lexical.lexicon import lexicon
from posh_lite.judge.lexical.relations import relation_finding
from posh_lite.judge.lexical.view import View, make_view

#: Version of the matching rules; the lexicon has its own hash.
RULES = 2


class LexicalJudge:
    """Answers from graphs and a curated lexicon: no model, no network, the same on every machine.

    Args:
        presence_threshold: score from which on an entity counts as present. The paper's 2 moves to 1.85 by the
            construction of this judge: up to 1.8 is what it says of a thing that is absent or another one, 1.9 of a
            thing that is there under a wrong name or in a wrong number, so that what is said of it is still asked.
        cache_size: how many texts and alignments are kept.
        graphs: scene graphs by text, so that a text is parsed once where the metric has its graph already.
    """

    def __init__(
        self, presence_threshold: float = 1.85, *, cache_size: int = 512, graphs: Mapping[str, SceneGraph] | None = None
    ) -> None:
        self._threshold = presence_threshold
        self._size = max(2, cache_size)
        self._graphs: OrderedDict[str, SceneGraph] = OrderedDict()
        self._views: OrderedDict[str, View] = OrderedDict()
        self._alignments: OrderedDict[tuple[str, str], Alignment] = OrderedDict()
        if graphs:
            self.prime(graphs)

    @property
    def signature(self) -> str:
        from posh_lite import language

        return f"lexical-{RULES} lexicon:{lexicon().digest[:10]} {language.signature()}"

    @property
    def presence_threshold(self) -> float:
        return self._threshold

    def prime(self, graphs: Mapping[str, SceneGraph] | Iterable[SceneGraph]) -> None:
        """Take over graphs that are known already."""
        for graph in graphs.values() if isinstance(graphs, Mapping) else graphs:
            self._keep(self._graphs, graph.text, graph)

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Answer every question, in order."""
        return [self._answer(q) for q in questions]

    def _answer(self, question: Question) -> Verdict:
        alignment = self._alignment(question)
        if question.kind == "attribute" and question.attribute is not None:
            found = attribute_finding(alignment, question.attribute)
        elif question.kind == "relation" and question.relation is not None:
            found = relation_finding(alignment, question.relation)
        else:
            found = entity_finding(alignment, question.identifier.entity)
        return verdict(Finding(calibrated(found.score), found.reason))

    def _alignment(self, question: Question) -> Alignment:
        source = question.source or _lone(question)
        key = (source.text or question.text, question.target_text)
        known = self._alignments.get(key)
        if known is not None and known.source.graph is source:
            self._alignments.move_to_end(key)
            return known
        found = align(self._view(source.text, source), self._view(question.target_text))
        self._keep(self._alignments, key, found)
        return found

    def _view(self, text: str, graph: SceneGraph | None = None) -> View:
        known = self._views.get(text)
        if known is not None and (graph is None or known.graph is graph):
            self._views.move_to_end(text)
            return known
        view = make_view(graph or self._graph(text))
        if graph is None or graph is self._graphs.get(text):
            self._keep(self._views, text, view)
        return view

    def _graph(self, text: str) -> SceneGraph:
        known = self._graphs.get(text)
        if known is None:
            from posh_lite.graph.extract import extract_graph

            known = extract_graph(text)
            self._keep(self._graphs, text, known)
        return known

    def _keep(self, cache: OrderedDict, key: object, value: object) -> None:  # type: ignore[type-arg]
        cache[key] = value
        cache.move_to_end(key)
        while len(cache) > self._size:
            cache.popitem(last=False)


def _lone(question: Question) -> SceneGraph:
    """A graph of the question's own components, where the source graph was not handed over."""
    entities = {question.identifier.entity.id: question.identifier.entity}
    if question.object_identifier is not None:
        entities[question.object_identifier.entity.id] = question.object_identifier.entity
    if question.relation is not None:
        entities[question.relation.object.id] = question.relation.object
        entities[question.relation.subject.id] = question.relation.subject
    size = max(entities) + 1
    filler = next(iter(entities.values()))
    rows = tuple(entities.get(i, filler) for i in range(size))
    return SceneGraph(
        text="", entities=rows,
        attributes=(question.attribute,) if question.attribute else (),
        relations=(question.relation,) if question.relation else (),
    )


def verdict(found: Finding) -> Verdict:
    """A finding as a verdict: the two neighbouring whole scores share the probability so that the mean is exact."""
    score = min(5.0, max(1.0, round(found.score, 3)))
    low = min(4, int(score))
    high = score - low
    probabilities = [0.0] * 5
    probabilities[low - 1] = round(1.0 - high, 6)
    probabilities[low] = round(high, 6)
    a, b, c, d, e = probabilities
    return Verdict(score, (a, b, c, d, e), 1.0, f"{score:g}", found.reason)
