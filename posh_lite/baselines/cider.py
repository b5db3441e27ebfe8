"""CIDEr-D: n-grams of one to four words, weighted by how few references have them.

The same sums as pycocoevalcap's ``Cider``, whose wheel weighs 100 MB for its Java programs: clipped counts, a Gaussian
penalty on the difference in length, times ten. A test holds the two together.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from posh_lite.baselines.figures import listed, signature, single, table, undefined
from posh_lite.baselines.treebank import treebank_tokens
from posh_lite.errors import InputError
from posh_lite.records import Pair

if TYPE_CHECKING:
    import pandas as pd

NGram = tuple[str, ...]


def ngrams(tokens: Sequence[str], n: int = 4) -> Counter[NGram]:
    """Counts of all n-grams of 1 to ``n`` tokens."""
    return Counter(tuple(tokens[i : i + k]) for k in range(1, n + 1) for i in range(len(tokens) - k + 1))


@dataclass(frozen=True, slots=True)
class Documents:
    """How many documents there are, and how many hold each n-gram."""

    n: int
    frequency: Counter[NGram]

    @classmethod
    def of(cls, texts: Iterable[Sequence[str]], n: int = 4) -> Documents:
        """Of tokenized texts, each a document."""
        count, frequency = 0, Counter[NGram]()
        for tokens in texts:
            count += 1
            frequency.update(ngrams(tokens, n).keys())
        return cls(count, frequency)


def cider(
    generation: Sequence[str], reference: Sequence[str], documents: Documents, *, n: int = 4, sigma: float = 6.0
) -> float:
    """CIDEr-D of one tokenized pair, from 0 to 10.

    Args:
        generation: tokens.
        reference: tokens.
        documents: of which the weights come; a single document weighs every n-gram 0.
        n: the longest n-grams.
        sigma: of the penalty on the difference in length, in words.
    """
    total = math.log(documents.n) if documents.n else 0.0

    def weigh(counts: Counter[NGram]) -> list[dict[NGram, float]]:
        out: list[dict[NGram, float]] = [{} for _ in range(n)]
        for gram, count in counts.items():
            out[len(gram) - 1][gram] = count * (total - math.log(max(1, documents.frequency[gram])))
        return out

    a, b = ngrams(generation, n), ngrams(reference, n)
    # the library takes the number of word pairs for the length
    delta = max(len(generation) - 1, 0) - max(len(reference) - 1, 0)
    penalty = math.exp(-(delta**2) / (2 * sigma**2))
    value = 0.0
    for ours, theirs in zip(weigh(a), weigh(b), strict=True):
        norm = math.sqrt(math.fsum(w * w for w in ours.values()) * math.fsum(w * w for w in theirs.values()))
        if norm:
            shared = math.fsum(min(w, theirs[gram]) * theirs[gram] for gram, w in ours.items() if gram in theirs)
            value += shared / norm * penalty
    return 10 * value / n


class Cider:
    """CIDEr-D with weights from the references of the run.

    The weights come from how many references hold an n-gram, so the figure of a pair depends on what else is scored:
    give a whole benchmark at once, or the documents by name. A single reference makes every weight 0, and the
    figures undefined. Against itself a text of at least four tokens scores up to 10, less where it has no n-gram of
    its own; a caption that is 20 words longer or shorter than its reference scores next to nothing by design.

    Args:
        documents: "references" counts each distinct reference once; "pairs" counts one for each pair, which is what
            pycocoevalcap does when it is given pairs; or tokenizable texts, the same for every run.
        n: the longest n-grams.
        sigma: of the penalty on the difference in length, in words.
    """

    name = "cider"
    needs = frozenset({"reference"})

    def __init__(
        self, documents: Literal["references", "pairs"] | Sequence[str] = "references", n: int = 4, sigma: float = 6.0
    ) -> None:
        if isinstance(documents, str) and documents not in ("references", "pairs"):
            raise InputError(f'documents must be "references", "pairs" or texts, got "{documents}"')
        self.documents, self.n, self.sigma = documents, n, sigma
        self._fixed = None if isinstance(documents, str) else Documents.of(map(treebank_tokens, documents), n)

    @property
    def signature(self) -> str:
        named = self.documents if isinstance(self.documents, str) else _digest(self.documents)
        return signature(self.name, variant="D", tokens="treebank", n=self.n, sigma=f"{self.sigma:g}", documents=named)

    def score(self, pairs: Iterable[Pair]) -> pd.DataFrame:
        """CIDEr-D from 0 to 10, three times; NaN where the documents are fewer than two."""
        rows = listed(pairs)
        tokens = {text: treebank_tokens(text) for p in rows for text in (p.generation, p.reference)}
        documents = self._fixed
        if documents is None:
            references = [p.reference for p in rows]
            chosen = references if self.documents == "pairs" else list(dict.fromkeys(references))
            documents = Documents.of((tokens[r] for r in chosen), self.n)
        if documents.n < 2:
            why = "CIDEr weighs n-grams by how few references have them, and there is only one"
            return table(rows, [undefined(why)] * len(rows))
        found = [cider(tokens[p.generation], tokens[p.reference], documents, n=self.n, sigma=self.sigma) for p in rows]
        return table(rows, map(single, found))


def _digest(texts: Sequence[str]) -> str:
    import hashlib

    return f"{len(texts)}-texts-{hashlib.sha256(chr(0).join(texts).encode('utf-8', 'replace')).hexdigest()[:10]}"
