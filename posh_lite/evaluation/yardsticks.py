"""Simple yardsticks to hold a metric against: length, and overlap of words and characters.

A metric that does no better than these has not understood the text. They need the packages ``sacrebleu`` and
``rouge-score`` (extras ``baselines`` and ``book``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from posh_lite.errors import MissingDependency
from posh_lite.judge.registry import install_command
from posh_lite.records import Pair

if TYPE_CHECKING:
    import pandas as pd

#: Column, what it is, and whether it leans to the generation (mistakes), the reference (omissions) or both.
YARDSTICKS: dict[str, tuple[str, str]] = {
    "length_ratio": ("length ratio", "words of the generation over words of the reference"),
    "rouge1_precision": ("ROUGE-1 precision", "words of the generation that the reference has too"),
    "rouge1_recall": ("ROUGE-1 recall", "words of the reference that the generation has too"),
    "rouge1_f1": ("ROUGE-1 F1", "harmonic mean of the two"),
    "rougeLsum_precision": ("ROUGE-Lsum precision", "longest common subsequences, over the generation"),
    "rougeLsum_recall": ("ROUGE-Lsum recall", "longest common subsequences, over the reference"),
    "rougeLsum_f1": ("ROUGE-Lsum F1", "harmonic mean of the two"),
    "chrf": ("chrF", "character six-grams, recall counted double"),
    "bleu": ("BLEU", "word four-grams of the generation, with a penalty for shortness"),
}


def n_words(text: str) -> int:
    """Words between white space."""
    return len(text.split())


def yardsticks(pairs: Iterable[Pair]) -> pd.DataFrame:
    """The yardsticks of each pair: one row a pair, columns ``id``, ``words`` and those of :data:`YARDSTICKS`.

    ROUGE uses stemming, with the sentences of :mod:`posh_lite.text`; chrF and BLEU are those of sacreBLEU on
    single pairs, over 100, BLEU with its effective order.

    Raises:
        MissingDependency: sacrebleu or rouge-score is not installed.
    """
    import pandas as pd

    try:
        from rouge_score.rouge_scorer import RougeScorer
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.metrics.chrf import CHRF
    except ImportError as error:
        raise MissingDependency(f"the yardsticks need {error.name}: {install_command('baselines')}") from None
    rouge = RougeScorer(["rouge1", "rougeLsum"], use_stemmer=True)
    chrf, bleu = CHRF(), BLEU(effective_order=True)
    rows = []
    for pair in pairs:
        scores = rouge.score(_by_sentence(pair.reference), _by_sentence(pair.generation))
        row: dict[str, object] = {
            "id": pair.id, "words": n_words(pair.generation),
            "length_ratio": n_words(pair.generation) / max(n_words(pair.reference), 1),
        }
        for name, found in scores.items():
            row |= {f"{name}_precision": found.precision, f"{name}_recall": found.recall, f"{name}_f1": found.fmeasure}
        row["chrf"] = chrf.sentence_score(pair.generation, [pair.reference]).score / 100
        row["bleu"] = bleu.sentence_score(pair.generation, [pair.reference]).score / 100
        rows.append(row)
    return pd.DataFrame(rows, columns=["id", "words", *YARDSTICKS])


def _by_sentence(text: str) -> str:
    """One sentence a line, as ROUGE-Lsum wants it."""
    from posh_lite.text import sentences

    return "\n".join(" ".join(text[start:end].split()) for start, end in sentences(text)) or text
