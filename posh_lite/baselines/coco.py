"""Metrics of COCO's evaluation that need its Java programs: METEOR 1.5, SPICE, and BLEU-4 on its tokens."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from posh_lite.baselines.figures import listed, signature, single, table, two_sided, undefined
from posh_lite.records import Pair

if TYPE_CHECKING:
    import pandas as pd


class CocoMeteor:
    """METEOR 1.5 through Java, as pycocoevalcap runs it: exact words, stems, synonyms and paraphrases, 0 to 1.

    Args:
        timeout: seconds that the program may take for one pair.
    """

    name = "meteor"
    needs = frozenset({"reference", "java"})

    def __init__(self, timeout: float = 120) -> None:
        self.timeout = timeout

    @property
    def signature(self) -> str:
        return signature(self.name, "pycocoevalcap", meteor="1.5", tokens="ptb-3.4.1", language="en", norm="yes")

    def score(self, pairs: Iterable[Pair]) -> pd.DataFrame:
        """METEOR, three times; 0 where a text has no token."""
        from posh_lite.baselines.java import meteor_scores, ptb_tokens

        rows = listed(pairs)
        tokens = ptb_tokens([text for p in rows for text in (p.generation, p.reference)])
        both = list(zip(tokens[::2], tokens[1::2], strict=True))
        found = iter(meteor_scores([(g, r) for g, r in both if g and r], timeout=self.timeout))
        return table(rows, (single(next(found) if g and r else 0.0) for g, r in both))


class CocoBleu:
    """BLEU-4 by pycocoevalcap on its own tokens, 0 to 1, the same figure for every dimension.

    Unlike sacreBLEU it has no smoothing but a constant that keeps an order without a match from being 0, ignores case
    and leaves punctuation out.
    """

    name = "bleu-coco"
    needs = frozenset({"reference", "java"})

    @property
    def signature(self) -> str:
        return signature(self.name, "pycocoevalcap", level="sentence", tok="ptb-3.4.1", case="lc", refs="closest")

    def score(self, pairs: Iterable[Pair]) -> pd.DataFrame:
        """BLEU-4, three times."""
        from pycocoevalcap.bleu.bleu_scorer import BleuScorer

        from posh_lite.baselines.java import ptb_tokens

        rows = listed(pairs)
        tokens = [" ".join(t) for t in ptb_tokens([text for p in rows for text in (p.generation, p.reference)])]
        found = []
        for generation, reference in zip(tokens[::2], tokens[1::2], strict=True):
            if not generation or not reference:
                found.append(0.0)
                continue
            scorer = BleuScorer(n=4)
            scorer += (generation, [reference])
            _, by_order = scorer.compute_score(option="closest", verbose=0)
            found.append(float(by_order[3][0]))
        return table(rows, map(single, found))


class Spice:
    """SPICE itself, through Java: F1 of the tuples of scene graphs that its own parser makes (its synonyms: WordNet).

    The parser, some 400 MB of Stanford CoreNLP, is not part of pycocoevalcap and is never fetched here; the registry
    says what to do. :class:`posh_lite.baselines.graph_f1.SpiceGraph` is the F1 on our own graphs.

    Args:
        by_side: mistakes are the precision and omissions the recall; by default each is the F1, as in the paper.
        memory: of the Java runtime.
        timeout: seconds for the whole run.
    """

    name = "spice"
    needs = frozenset({"reference", "java"})

    def __init__(self, by_side: bool = False, memory: str = "8G", timeout: float = 7200) -> None:
        self.by_side, self.memory, self.timeout = by_side, memory, timeout

    @property
    def signature(self) -> str:
        sides = "precision,recall,f1" if self.by_side else "f1"
        return signature(self.name, "pycocoevalcap", spice="1.0", parser="stanford-corenlp-3.6.0", sides=sides)

    def score(self, pairs: Iterable[Pair]) -> pd.DataFrame:
        """F1, or precision, recall and F1; NaN where SPICE found no tuple in either text."""
        from posh_lite.baselines.java import spice_scores

        rows, figures = listed(pairs), []
        for one in spice_scores([(p.generation, p.reference) for p in rows], memory=self.memory, timeout=self.timeout):
            if one["f"] != one["f"]:
                figures.append(undefined("SPICE found no tuple to compare"))
            else:
                figures.append(two_sided(one["pr"], one["re"], by_side=self.by_side, overall=one["f"]))
        return table(rows, figures)
