"""Lexical diversity of the ends of captions, with the number of sentences held equal.

"Where Do Long Captions Fail?", appendix J.4 and Table 17: two sentences of the fourth quartile of each caption,
distinct-1, distinct-2 and self-BLEU-4. The paper does not say over what the distinct n-grams are counted; both common
readings are given. It notes that sentences may differ in length, which the number of words can be held equal for here.
"""

from __future__ import annotations

import math
import random
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from posh_lite.evaluation.bootstrap import Estimate, ratio
from posh_lite.position.composition import QUARTERS, by_model, unit_order
from posh_lite.position.types import CaptionProfile
from posh_lite.text import tokens


@dataclass(frozen=True, slots=True)
class Tail:
    """The words of the picked sentences at the end of one caption, in lower case."""

    unit: Hashable
    words: tuple[tuple[str, ...], ...]  # by sentence


@dataclass(frozen=True, slots=True)
class Tails:
    """The ends of one model's captions.

    Attributes:
        model: its name.
        tails: on the images for which all models have enough sentences.
        n_left_out: captions of the model without enough sentences in the fourth quartile, or on images where another
            model lacks them.
    """

    model: str
    tails: tuple[Tail, ...]
    n_left_out: int


def tails(
    profiles: Iterable[CaptionProfile], *, sentences: int = 2, words: int | None = None, seed: int | None = None
) -> dict[str, Tails]:
    """The last sentences of the fourth quartile of every caption, on the same images for all models.

    Args:
        profiles: of one or several models; of several captions of a model for one image, the first long enough is used.
        sentences: how many a caption.
        words: cut the picked sentences of each caption to this many words together, and leave out captions with fewer,
            so that models with longer sentences are compared on as many words; None leaves them whole.
        seed: draw the sentences from the fourth quartile at random instead of taking the last.

    Raises:
        ValueError: ``sentences`` or ``words`` is below 1.
    """
    if sentences < 1 or (words is not None and words < 1):
        raise ValueError(f"sentences {sentences}, words {words}: at least 1")
    found: dict[str, dict[Hashable, Tail]] = {}
    captions: dict[str, int] = {}
    for model, own in by_model(profiles).items():
        captions[model] = len(own)
        found[model] = {}
        for profile in own:
            picked = _picked(profile, sentences, words, seed)
            if picked is not None:
                found[model].setdefault(profile.unit, Tail(profile.unit, picked))
    shared = set.intersection(*(set(own) for own in found.values())) if found else set()
    order = sorted(shared, key=unit_order)
    return {
        model: Tails(model, tuple(own[unit] for unit in order), captions[model] - len(order))
        for model, own in found.items()
    }


def _picked(
    profile: CaptionProfile, sentences: int, words: int | None, seed: int | None
) -> tuple[tuple[str, ...], ...] | None:
    """The words of the picked sentences; None where there are too few."""
    n = len(profile.sentences)
    spoken = []
    for sentence in profile.sentences:
        if QUARTERS.of(sentence.number, n) == QUARTERS.n:
            found = tokens(profile.caption, sentence.start, sentence.end)
            spoken.append(tuple(t.text.casefold() for t in found if t.is_word))
    spoken = [s for s in spoken if s]
    if len(spoken) < sentences:
        return None
    if seed is None:
        chosen = spoken[-sentences:]
    else:
        draw = random.Random(f"{seed} {profile.id}")  # the same whatever other captions there are
        chosen = [spoken[k] for k in sorted(draw.sample(range(len(spoken)), sentences))]
    if words is None:
        return tuple(chosen)
    if sum(map(len, chosen)) < words:
        return None
    kept, left = [], words
    for sentence_words in chosen:
        kept.append(sentence_words[:left])
        left -= len(kept[-1])
    return tuple(s for s in kept if s)


def ngrams(tail: Tail, n: int) -> list[tuple[str, ...]]:
    """The n-grams within its sentences."""
    return [s[k:k + n] for s in tail.words for k in range(len(s) - n + 1)]


def distinct(texts: Sequence[Tail], n: int) -> Estimate:
    """Different n-grams over all n-grams of all captions together (Li et al. 2016).

    It falls as texts grow in number or length, so compare equal amounts. There is no interval: a resample repeats
    captions and so has fewer different n-grams whatever they say.

    Args:
        texts: of one model.
        n: length of the n-grams, at least 1.
    """
    every = [gram for tail in texts for gram in ngrams(tail, n)]
    nan, name = math.nan, f"distinct-{n} of all captions together"
    if not every:
        return Estimate(nan, nan, nan, 0, len(texts), method=name, reason=f"no {n}-grams")
    return Estimate(len(set(every)) / len(every), nan, nan, len(every), len(texts), method=name,
                    reason="no interval: a resample repeats captions")


def distinct_by_caption(texts: Sequence[Tail], n: int, **settings: Any) -> Estimate:
    """Mean over captions of different n-grams over all n-grams of the caption, with its interval over images.

    Args:
        texts: of one model; those without an n-gram are left out and counted.
        n: length of the n-grams, at least 1.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.
    """
    shares = []
    for tail in texts:
        own = ngrams(tail, n)
        shares.append(len(set(own)) / len(own) if own else math.nan)
    return ratio(shares, [1.0] * len(shares), units=[t.unit for t in texts], method=f"distinct-{n} by caption",
                 **settings)


def self_bleu(
    texts: Sequence[Tail], *, order: int = 4, references: int | None = None, seed: int = 0, **settings: Any
) -> Estimate:
    """How much of each caption's end stands in those of other images: BLEU of each against the others, mean, 0 to 1.

    Sentence BLEU of sacrebleu with its exponential smoothing. The interval resamples images as hypotheses; the
    references stay as they are.

    Args:
        texts: of one model.
        order: longest n-gram.
        references: compare each with this many others, drawn by ``seed``; None takes all. More references mean a
            higher value, so compare models with equally many.
        seed: of the draw.
        settings: further keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.

    Raises:
        ModuleNotFoundError: sacrebleu is not installed (extra ``baselines``).
    """
    from sacrebleu.metrics.bleu import BLEU

    bleu = BLEU(max_ngram_order=order, effective_order=True, tokenize="none")
    lines = [" ".join(word for sentence in tail.words for word in sentence) for tail in texts]
    values = []
    for place, line in enumerate(lines):
        others = lines[:place] + lines[place + 1:]
        if references is not None and references < len(others):
            others = random.Random(f"{seed} {place}").sample(others, references)
        values.append(bleu.sentence_score(line, others).score / 100 if others else math.nan)
    return ratio(values, [1.0] * len(values), units=[t.unit for t in texts], method=f"self-BLEU-{order}", **settings)


def diversity(
    profiles: Iterable[CaptionProfile], *, sentences: int = 2, words: int | None = None, references: int | None = None,
    seed: int = 0, **settings: Any,
) -> list[dict[str, Any]]:
    """Table 17 for any models: a row for each model and measure.

    Args:
        profiles: of one or several models.
        sentences: of the end of each caption.
        words: see :func:`tails`.
        references: see :func:`self_bleu`.
        seed: of the draw of references and of the resamples.
        settings: further keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.

    Returns:
        Rows with ``model``, ``measure``, ``estimate``, ``n_captions``, ``n_left_out`` and ``n_words``.
    """
    rows = []
    for model, own in tails(profiles, sentences=sentences, words=words).items():
        shared = {"model": model, "n_captions": len(own.tails), "n_left_out": own.n_left_out,
                  "n_words": sum(len(s) for t in own.tails for s in t.words)}
        measures = {
            "distinct-1": distinct(own.tails, 1), "distinct-2": distinct(own.tails, 2),
            "distinct-1 by caption": distinct_by_caption(own.tails, 1, seed=seed, **settings),
            "distinct-2 by caption": distinct_by_caption(own.tails, 2, seed=seed, **settings),
            "self-BLEU-4": self_bleu(own.tails, references=references, seed=seed, **settings),
        }
        rows += [{**shared, "measure": name, "estimate": value} for name, value in measures.items()]
    return rows
