"""Overlap of words with the reference: BLEU-4 by sacreBLEU, ROUGE-Lsum by rouge-score, METEOR by NLTK.

Each is the library's own figure; what is chosen here (smoothing, tokens, sentences, stemming) is in the signature.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from posh_lite.baselines.figures import listed, signature, single, table, two_sided
from posh_lite.errors import InputError
from posh_lite.records import Pair

if TYPE_CHECKING:
    import pandas as pd


class Bleu:
    """BLEU-4 of single pairs by sacreBLEU, from 0 to 1, the same figure for every dimension.

    Smoothing is sacreBLEU's exponential one, and orders that a text is too short for are left out (its "effective
    order", which it advises for single sentences), so that a short text can reach 1 against itself.

    Args:
        tokenize: sacreBLEU's name of a tokenizer; "13a" is that of machine translation evaluation.
        smooth: "exp", "floor", "add-k" or "none".
        lowercase: whether case is ignored.
    """

    name = "bleu"
    needs = frozenset({"reference"})

    def __init__(self, tokenize: str = "13a", smooth: str = "exp", lowercase: bool = False) -> None:
        from sacrebleu.metrics.bleu import BLEU

        self._bleu = BLEU(lowercase=lowercase, tokenize=tokenize, smooth_method=smooth, effective_order=True)
        self._settings = {"level": "sentence", "tok": tokenize, "smooth": smooth, "eff": "yes",
                          "case": "lc" if lowercase else "mixed", "refs": 1}

    @property
    def signature(self) -> str:
        return signature(self.name, "sacrebleu", **self._settings)

    def score(self, pairs: Iterable[Pair]) -> pd.DataFrame:
        """BLEU-4 over 100, three times."""
        rows = listed(pairs)
        found = (self._bleu.sentence_score(p.generation, [p.reference]).score / 100 for p in rows)
        return table(rows, map(single, found))


class RougeLsum:
    """ROUGE-Lsum by rouge-score: longest common subsequences, sentence against the whole other text, as F1.

    Args:
        stemmer: whether Porter's stemmer is used, as in the original ROUGE with ``-m``.
        by_side: mistakes are the precision and omissions the recall; by default each is the F1, as in the paper.
        sentences: "posh-lite" puts each sentence on a line, as the metric wants; "lines" hands over the texts as they
            are, and a line counts as a sentence, as in a plain call of the library.

    Raises:
        InputError: ``sentences`` is neither.
    """

    name = "rouge-lsum"
    needs = frozenset({"reference"})

    def __init__(self, stemmer: bool = True, by_side: bool = False, sentences: str = "posh-lite") -> None:
        from rouge_score.rouge_scorer import RougeScorer

        if sentences not in ("posh-lite", "lines"):
            raise InputError(f'sentences must be posh-lite or lines, got "{sentences}"')

        self._rouge = RougeScorer(["rougeLsum"], use_stemmer=stemmer)
        self.stemmer, self.by_side, self.sentences = stemmer, by_side, sentences

    @property
    def signature(self) -> str:
        sides = "precision,recall,f1" if self.by_side else "f1"
        return signature(self.name, "rouge-score", sentences=self.sentences, stemmer=self.stemmer, sides=sides)

    def score(self, pairs: Iterable[Pair]) -> pd.DataFrame:
        """F1, or precision, recall and F1."""
        rows, figures = listed(pairs), []
        for pair in rows:
            texts = (pair.reference, pair.generation)
            if self.sentences != "lines":
                texts = (one_sentence_a_line(texts[0]), one_sentence_a_line(texts[1]))
            one = self._rouge.score(*texts)["rougeLsum"]
            figures.append(two_sided(one.precision, one.recall, by_side=self.by_side, overall=one.fmeasure))
        return table(rows, figures)


def one_sentence_a_line(text: str) -> str:
    """The text as ROUGE-Lsum wants it: one sentence a line, by the sentences of :mod:`posh_lite.text`."""
    from posh_lite.text import sentences

    return "\n".join(" ".join(text[start:end].split()) for start, end in sentences(text)) or text


class NltkMeteor:
    """METEOR by NLTK: exact words, stems and, where WordNet is there, synonyms.

    NLTK's METEOR is that of 2005 (alpha 0.9, beta 3, gamma 0.5), on lower-case words. The later METEOR 1.5, with
    paraphrases and tuned weights, is the metric ``meteor``.

    Args:
        wordnet: "none" for exact words and stems alone, "find" for WordNet where :func:`wordnet_folder` finds it,
            or its folder.

    Raises:
        InputError: WordNet is asked for and not there.
    """

    needs = frozenset({"reference"})

    def __init__(self, wordnet: str = "none") -> None:
        from posh_lite.baselines.wordnet import NoSynonyms, open_wordnet

        self.name = "meteor-stem" if wordnet == "none" else "meteor-nltk"
        self._wordnet: Any = NoSynonyms() if wordnet == "none" else open_wordnet(None if wordnet == "find" else wordnet)

    @property
    def signature(self) -> str:
        return signature(self.name, "nltk", tokens="words", stemmer="porter", alpha=0.9, beta=3, gamma=0.5,
                         synonyms=self._wordnet.signature)

    def score(self, pairs: Iterable[Pair]) -> pd.DataFrame:
        """METEOR from 0 to 1, three times."""
        from nltk.translate.meteor_score import single_meteor_score

        rows, found = listed(pairs), []
        for pair in rows:
            reference, generation = words(pair.reference), words(pair.generation)
            if reference and generation:
                found.append(float(single_meteor_score(reference, generation, wordnet=self._wordnet)))
            else:
                found.append(0.0)
        return table(rows, map(single, found))


def words(text: str) -> list[str]:
    """Words and numbers in lower case, punctuation left out."""
    from posh_lite.text import tokens

    return [t.text.lower() for t in tokens(text) if t.is_word]
