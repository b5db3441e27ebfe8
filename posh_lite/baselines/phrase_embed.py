"""4GramEmbed and SGEmbed: phrases of one text that are far from every phrase of the other (PoSh paper, appendix).

Both give each phrase its highest cosine with a phrase of the other text. 4GramEmbed takes every run of four words
within a sentence, SGEmbed the components of our scene graphs. Low phrases of the generation are mistakes, low ones of
the reference omissions; the paper's thresholds with its embedding, picked on its test set, are 0.7 and 0.8.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from posh_lite.baselines.embedding import QWEN, best_similarities, make_embedder, word_runs
from posh_lite.baselines.figures import Figure, harmonic, listed, signature, table
from posh_lite.errors import InputError
from posh_lite.metric.protocol import Located
from posh_lite.records import Pair, Span

if TYPE_CHECKING:
    import pandas as pd

Phrases = list[tuple[str, tuple[Span, ...]]]
#: Embeddings in place of the paper's that have rows of their own.
STAND_INS = ("chars", "minilm")
#: Pairs whose phrases are embedded together: many share a reference, and all vectors would not fit.
_CHUNK = 32


class PhraseEmbed(ABC):
    """What the two have in common. The coarse figures are ours, since the paper has none of them.

    mistakes is the mean over the phrases of the generation, omissions that over the reference, overall their
    harmonic mean (0 if one of them is not above 0).

    Args:
        model: of the embedding: "chars", "minilm", or a model of sentence-transformers by name or folder.
        options: handed to the embedding (device, revision, batch_size, dtype).
    """

    name = "phrase-embed"
    needs: frozenset[str] = frozenset({"reference"})
    uncovered = 1.0

    def __init__(self, model: str = QWEN, **options: Any) -> None:
        self._embed = make_embedder(model, **options)
        if model != "chars":
            self.needs = frozenset({"reference", "model", *({"gpu"} if model == QWEN else ())})

    @abstractmethod
    def phrases(self, texts: Sequence[str]) -> list[Phrases]:
        """Phrases of each text, with the spans that they stand for."""

    def score(self, pairs: Iterable[Pair]) -> pd.DataFrame:
        """Mean similarity of each side, at most 1, and their harmonic mean."""
        return self.measure(pairs)[0]

    def locate(self, pairs: Iterable[Pair]) -> list[Located]:
        """Each phrase's spans with its similarity."""
        return self.measure(pairs)[1]

    def measure(self, pairs: Iterable[Pair]) -> tuple[pd.DataFrame, list[Located]]:
        """Scores and scored spans at once."""
        rows, figures, places = listed(pairs), [], []
        for start in range(0, len(rows), _CHUNK):
            chunk = rows[start : start + _CHUNK]
            texts = list(dict.fromkeys(text for p in chunk for text in (p.generation, p.reference)))
            found = dict(zip(texts, self.phrases(texts), strict=True))
            closest = self._closest([phrase for text in texts for phrase, _ in found[text]])
            for pair in chunk:
                ours, theirs = found[pair.generation], found[pair.reference]
                a, b = closest([p for p, _ in ours], [p for p, _ in theirs])
                figures.append(_figure(a, b))
                places.append(Located(pair.id, _spans(ours, a), _spans(theirs, b)))
        return table(rows, figures), places

    def _closest(self, phrases: Sequence[str]) -> Callable[[list[str], list[str]], tuple[list[float], list[float]]]:
        """Embed every distinct phrase once; the function returned compares two of their lists."""
        row = {phrase: n for n, phrase in enumerate(dict.fromkeys(phrases))}
        vectors = self._embed(list(row))

        def closest(ours: list[str], theirs: list[str]) -> tuple[list[float], list[float]]:
            a, b = best_similarities(vectors[[row[p] for p in ours]], vectors[[row[p] for p in theirs]])
            shared = set(ours) & set(theirs)  # what is there word for word is there, whatever rounding says
            return ([1.0 if p in shared else float(v) for p, v in zip(ours, a, strict=True)],
                    [1.0 if p in shared else float(v) for p, v in zip(theirs, b, strict=True)])

        return closest


def _figure(ours: Sequence[float], theirs: Sequence[float]) -> Figure:
    mistakes, omissions = (math.fsum(s) / len(s) if s else math.nan for s in (ours, theirs))
    empty = [side for side, s in (("generation", ours), ("reference", theirs)) if not s]
    return Figure(mistakes, omissions, harmonic(mistakes, omissions),
                  f"no phrases in the {' and the '.join(empty)}" if empty else "")


def _spans(phrases: Phrases, scores: Sequence[float]) -> tuple[tuple[int, int, float], ...]:
    return tuple((a, b, score) for (_, spans), score in zip(phrases, scores, strict=True) for a, b in spans)


class FourGramEmbed(PhraseEmbed):
    """4GramEmbed: every four words in a row, punctuation left out; a shorter sentence is one phrase."""

    def __init__(self, model: str = QWEN, **options: Any) -> None:
        super().__init__(model, **options)
        self.name = f"4gram-{model if model in STAND_INS else 'embed'}"

    @property
    def signature(self) -> str:
        return signature(self.name, embed=self._embed.signature, phrases="4-words-of-a-sentence")

    def phrases(self, texts: Sequence[str]) -> list[Phrases]:
        """The 4-grams of each text, lower-case, spans from first to last word."""
        return [four_grams(text) for text in texts]


def four_grams(text: str) -> Phrases:
    """Runs of four words within the sentences of a text; a sentence of fewer words is one run."""
    return [(said, (span,)) for said, span in word_runs(text, 4)]


class SGEmbed(PhraseEmbed):
    """SGEmbed: objects, attributes with their object, and relations with both ends, from our scene graphs.

    Args:
        model: of the embedding.
        spans: which words of a component get its similarity: "own" for those that it adds (the attribute, the words
            of the relation), "all" for its objects too. The paper does not say.
        options: handed to the embedding.
    """

    def __init__(self, model: str = QWEN, spans: Literal["own", "all"] = "own", **options: Any) -> None:
        if spans not in ("own", "all"):
            raise InputError(f'spans must be "own" or "all", got {spans!r}')
        super().__init__(model, **options)
        self.name = f"sg-{model if model in STAND_INS else 'embed'}"
        self.spans = spans

    @property
    def signature(self) -> str:
        from posh_lite.baselines.graph_tuples import graph_signature

        return signature(self.name, embed=self._embed.signature, graph=graph_signature(), spans=self.spans)

    def phrases(self, texts: Sequence[str]) -> list[Phrases]:
        """The components of each text's graph as phrases ("dog", "red dog", "dog lie on rug")."""
        from posh_lite.baselines.graph_tuples import graphs_of, tuples_of

        return [[(t.phrase, t.named if self.spans == "all" else t.spans) for t in tuples_of(graph)]
                for graph in graphs_of(texts)]
