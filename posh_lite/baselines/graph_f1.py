"""F1 over the tuples of our own scene graphs: what SPICE does, with another parser and other synonyms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from posh_lite.baselines.figures import Figure, listed, signature, table, two_sided, undefined
from posh_lite.baselines.graph_tuples import (
    GraphTuple,
    SameWord,
    graph_signature,
    graphs_of,
    matcher,
    same_tuple,
    tuples_of,
)
from posh_lite.metric.protocol import Located
from posh_lite.records import Pair

if TYPE_CHECKING:
    import pandas as pd


class SpiceGraph:
    """Precision, recall and F1 of graph tuples, in the way of SPICE but on our graphs. It is not SPICE.

    A tuple of one text counts as matched where the other text has it, lemma for lemma or synonym for synonym. As in
    SPICE, every namesake is one: "a red car and a blue car" has a red car and a blue one, and so has any text in
    which some car is red and some car blue. That is what PoSh's attachments do better.

    Args:
        synonyms: "lexicon" for the package's own, "wordnet" for WordNet's synsets as in SPICE, "none".
        by_side: mistakes are the precision and omissions the recall; by default each is the F1, as in the paper's
            row of SPICE.
    """

    name = "spice-graph"
    needs = frozenset({"reference"})
    uncovered = 1.0  # a word that no tuple covers is not called an error

    def __init__(self, synonyms: str = "lexicon", by_side: bool = False) -> None:
        self._same, self._synonyms = matcher(synonyms)
        self.by_side = by_side

    @property
    def signature(self) -> str:
        sides = "precision,recall,f1" if self.by_side else "f1"
        return signature(self.name, graph=graph_signature(), synonyms=self._synonyms, sides=sides)

    def score(self, pairs: Iterable[Pair]) -> pd.DataFrame:
        """F1, or precision, recall and F1; 0 where the generation has no tuple, NaN where the reference
        has none.
        """
        return self.measure(pairs)[0]

    def locate(self, pairs: Iterable[Pair]) -> list[Located]:
        """The spans of every tuple: 1 where the other text has it, else 0."""
        return self.measure(pairs)[1]

    def measure(self, pairs: Iterable[Pair]) -> tuple[pd.DataFrame, list[Located]]:
        """Scores and scored spans at once."""
        rows, figures, places = listed(pairs), [], []
        graphs = graphs_of([text for p in rows for text in (p.generation, p.reference)])
        for pair, generation, reference in zip(rows, graphs[::2], graphs[1::2], strict=True):
            ours, theirs = tuples_of(generation), tuples_of(reference)
            hits, met = matched(ours, theirs, self._same), matched(theirs, ours, self._same)
            figures.append(self._figure(hits, met))
            places.append(Located(pair.id, _spans(ours, hits), _spans(theirs, met)))
        return table(rows, figures), places

    def _figure(self, hits: Sequence[bool], met: Sequence[bool]) -> Figure:
        if not met:
            return undefined("no tuples in the reference")
        if not hits:  # says nothing: no mistake can be made, and nothing is conveyed
            return two_sided(math.nan, 0.0, by_side=self.by_side, overall=0.0,
                             reason="mistakes: no tuples in the generation" if self.by_side else "")
        return two_sided(share(hits), share(met), by_side=self.by_side)


def matched(source: Sequence[GraphTuple], target: Sequence[GraphTuple], same: SameWord) -> list[bool]:
    """For each tuple of one text, whether the other has it."""
    exact = {(t.kind, t.words) for t in target}
    return [(s.kind, s.words) in exact or any(same_tuple(s, t, same) for t in target) for s in source]


def share(found: Sequence[bool]) -> float:
    """Share of true values; NaN of none."""
    return sum(found) / len(found) if found else math.nan


def _spans(tuples: Sequence[GraphTuple], found: Sequence[bool]) -> tuple[tuple[int, int, float], ...]:
    return tuple((a, b, float(hit)) for t, hit in zip(tuples, found, strict=True) for a, b in t.spans)
