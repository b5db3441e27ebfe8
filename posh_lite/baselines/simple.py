"""What a metric has to beat before it has understood anything: chance, and length."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from posh_lite.baselines.figures import Figure, listed, signature, single, table
from posh_lite.metric.protocol import Located, ScoredSpan
from posh_lite.records import Pair

if TYPE_CHECKING:
    import pandas as pd

    from posh_lite.judge.contract import Side


def draw(*key: object) -> float:
    """A number of [0, 1) that depends on the key alone, on every machine and in every process."""
    digest = hashlib.sha256("\0".join(str(part) for part in key).encode()).digest()
    return int.from_bytes(digest[:7], "big") / 2**56


class RandomMetric:
    """Guesses: a figure for each dimension of a pair, and one for each word (PoSh paper, table of granular results).

    The guess for a pair depends on the seed and the pair's id alone, not on order or on the other pairs.

    Args:
        seed: of the guesses.
    """

    name = "random"
    needs: frozenset[str] = frozenset()
    uncovered = 1.0  # never used by words: each has a guess

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    @property
    def signature(self) -> str:
        return signature(self.name, hash="sha256", seed=self.seed)

    def score(self, pairs: Iterable[Pair]) -> pd.DataFrame:
        """A guess of [0, 1) for each dimension."""
        rows = listed(pairs)
        return table(rows, (Figure(*self._guesses(p.id)) for p in rows))

    def locate(self, pairs: Iterable[Pair]) -> list[Located]:
        """A guess of [0, 1) for each word of both texts."""
        return [Located(p.id, self._words(p, "generation"), self._words(p, "reference")) for p in listed(pairs)]

    def _guesses(self, id: str) -> tuple[float, float, float]:
        return draw(self.seed, id, "mistakes"), draw(self.seed, id, "omissions"), draw(self.seed, id, "overall")

    def _words(self, pair: Pair, side: Side) -> tuple[ScoredSpan, ...]:
        from posh_lite.text import tokens

        words = [t for t in tokens(getattr(pair, side)) if t.is_word]
        return tuple((t.start, t.end, draw(self.seed, pair.id, side, n)) for n, t in enumerate(words))


class LengthMetric:
    """Words of the generation between white space: the longer, the better (row "length" of the PoSh paper)."""

    name = "length"
    needs: frozenset[str] = frozenset()

    @property
    def signature(self) -> str:
        return signature(self.name, words="white-space")

    def score(self, pairs: Iterable[Pair]) -> pd.DataFrame:
        """The number of words, three times."""
        from posh_lite.evaluation.yardsticks import n_words

        rows = listed(pairs)
        return table(rows, (single(n_words(p.generation)) for p in rows))
