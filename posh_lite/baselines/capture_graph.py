"""CAPTURE's matching on our own scene graphs: objects, attributes and relations apart, in up to three stages.

CAPTURE (Dong and others, 2024) weighs the F1 of objects, attributes and relations 5 : 5 : 2. Its parser is a model of a
hub, see :mod:`.capture`; here the same comparison runs on graphs that need none.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from posh_lite.baselines.figures import Figure, harmonic, listed, signature, single, table, undefined
from posh_lite.baselines.graph_tuples import GraphTuple, SameWord, graph_signature, graphs_of, matcher, tuples_of
from posh_lite.records import Pair

if TYPE_CHECKING:
    import pandas as pd

    from posh_lite.baselines.embedding import Embedder

#: CAPTURE's alpha, beta and gamma, over their sum.
WEIGHTS = {"object": 5 / 12, "attribute": 5 / 12, "relation": 2 / 12}
Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """Precision and recall of one kind of element; NaN on a side without any."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Harmonic mean; 0 where one side has none and the other has some; NaN where neither has any."""
        if math.isnan(self.precision) and math.isnan(self.recall):
            return math.nan
        return 0.0 if math.isnan(self.precision) or math.isnan(self.recall) else harmonic(self.precision, self.recall)


def match(ours: Sequence[Words], theirs: Sequence[Words], same: SameWord, embed: Embedder | None = None) -> Match:
    """CAPTURE's three stages: equal elements one to one, then synonyms one to one, then what is left by similarity.

    Args:
        ours: elements of the generation, each of one word or of three.
        theirs: elements of the reference.
        same: whether two words are synonyms.
        embed: of the third stage, in which every element left counts its highest cosine with those left on the
            other side; without it the third stage is left out.
    """
    def alike(a: Words, b: Words) -> bool:
        return len(a) == len(b) and all(near(x, y, same) for x, y in zip(a, b, strict=True))

    taken: set[int] = set()
    left = list(ours)
    for stage in (operator.eq, alike):
        waiting, left = left, []
        for one in waiting:
            hit = next((n for n, other in enumerate(theirs) if n not in taken and stage(one, other)), None)
            if hit is None:
                left.append(one)
            else:
                taken.add(hit)
    rest = [other for n, other in enumerate(theirs) if n not in taken]
    more_ours, more_theirs = 0.0, 0.0
    if embed is not None and left and rest:
        similar = embed([" ".join(w) for w in left]) @ embed([" ".join(w) for w in rest]).T
        more_ours, more_theirs = float(similar.max(axis=1).sum()), float(similar.max(axis=0).sum())
    return Match(
        (len(taken) + more_ours) / len(ours) if ours else math.nan,
        (len(taken) + more_theirs) / len(theirs) if theirs else math.nan,
    )


def near(a: str, b: str, same: SameWord) -> bool:
    """Synonyms, or one phrase within the other by whole words ("glass" in "wine glass")."""
    return f" {a} " in f" {b} " or f" {b} " in f" {a} " or same(a, b)


def elements(tuples: Iterable[GraphTuple]) -> dict[str, list[Words]]:
    """CAPTURE's elements: names of things, attributes without their owner, relations with both ends."""
    found: dict[str, list[Words]] = {kind: [] for kind in WEIGHTS}
    for one in tuples:
        found[one.kind].append(_without_owner(one) if one.kind == "attribute" else one.words)
    return found


def _without_owner(one: GraphTuple) -> Words:
    return (f"not {one.words[-1]}",) if one.words[0] == "not" else one.words[-1:]


class CaptureGraph:
    """CAPTURE's comparison on our graphs: 5/12 of the objects' F1, 5/12 of the attributes', 2/12 of the relations'.

    It is not CAPTURE, whose parser is a language model. Besides the parser, three things differ: words without a
    picture ("image", "background") are left out by their role in the graph, not by a list; a phrase matches within
    another by whole words, so that "man" is not found in "woman"; and a kind that neither text has is left out
    of the mean instead of counting as 0, so that a text agrees with itself wholly.

    Args:
        synonyms: "lexicon", "wordnet" (as in CAPTURE) or "none".
        embed: "none" for the first two stages alone, or the embedding of the third, as ``4gram-embed`` takes it;
            CAPTURE's own is sentence-transformers/all-mpnet-base-v2.
        by_side: mistakes are the weighted precisions and omissions the weighted recalls; by default each is the
            weighted F1, as in the paper.
        options: handed to the embedding (device, batch_size, ...).
    """

    name = "capture-graph"
    needs = frozenset({"reference"})

    def __init__(
        self, synonyms: str = "lexicon", embed: str = "none", by_side: bool = False, **options: Any
    ) -> None:
        from posh_lite.baselines.embedding import make_embedder

        self._same, self._synonyms = matcher(synonyms)
        self._embed = None if embed == "none" else make_embedder(embed, **options)
        self.by_side = by_side

    @property
    def signature(self) -> str:
        soft = self._embed.signature if self._embed else "none"
        sides = "precision,recall,f1" if self.by_side else "f1"
        return signature(self.name, graph=graph_signature(), weights="5:5:2", synonyms=self._synonyms, soft=soft,
                         sides=sides)

    def score(self, pairs: Iterable[Pair]) -> pd.DataFrame:
        """The weighted F1 three times, or by side; 0 where the generation has no tuple, NaN where the
        reference has none.
        """
        rows = listed(pairs)
        graphs = graphs_of([text for p in rows for text in (p.generation, p.reference)])
        found = [tuples_of(graph) for graph in graphs]
        return table(rows, (self._figure(a, b) for a, b in zip(found[::2], found[1::2], strict=True)))

    def _figure(self, generation: Sequence[GraphTuple], reference: Sequence[GraphTuple]) -> Figure:
        if not reference:
            return undefined("no tuples in the reference")
        ours, theirs = elements(generation), elements(reference)
        by_kind = {kind: match(ours[kind], theirs[kind], self._same, self._embed) for kind in WEIGHTS}
        overall = weighted({kind: m.f1 for kind, m in by_kind.items()})
        if not self.by_side:
            return single(overall)
        mistakes = weighted({kind: m.precision for kind, m in by_kind.items()})
        omissions = weighted({kind: m.recall for kind, m in by_kind.items()})
        return Figure(mistakes, omissions, overall, "" if generation else "mistakes: no tuples in the generation")


def weighted(by_kind: dict[str, float]) -> float:
    """Mean with CAPTURE's weights over the kinds that are defined; NaN where none is."""
    known = {kind: value for kind, value in by_kind.items() if not math.isnan(value)}
    total = sum(WEIGHTS[kind] for kind in known)
    return sum(WEIGHTS[kind] * value for kind, value in known.items()) / total if known else math.nan
