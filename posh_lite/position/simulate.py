"""Captions with known composition: from labels, from the mini corpus's gold, and drawn from planted shares.

The last serve to ask whether the bootstrap intervals of appendix A.4 of "Where Do Long Captions Fail?" hold what
they promise: over many drawn corpora, how often does an interval contain the planted value?
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from posh_lite.position.types import CaptionProfile, Label, Rubric, SentenceLabel, quartile

if TYPE_CHECKING:

    pass

_LETTERS: dict[str, Label] = {"S": "Supported", "H": "Contradicted", "G": "Generic"}


def labelled_caption(
    labels: str, *, unit: Hashable = "image", model: str = "model", id: str | None = None,
    weights: Sequence[float] | None = None,
) -> CaptionProfile:
    """A caption that consists of nothing but labels, for examples and tests: ``labelled_caption("SSHG")``.

    Args:
        labels: one letter a sentence: S supported, H contradicted, G generic.
        unit: the image.
        model: the captioner.
        id: of the pair; made of image and model where it is not given.
        weights: omega of each sentence, 1 where not given.

    Raises:
        ValueError: another letter, or another number of weights than of sentences.
    """
    omega = [1.0] * len(labels) if weights is None else [float(w) for w in weights]
    if len(omega) != len(labels):
        raise ValueError(f"{len(omega)} weights for {len(labels)} sentences")
    if set(labels) - set(_LETTERS):
        raise ValueError(f"labels are written with S, H and G, got {labels!r}")
    sentences, at, texts = [], 0, []
    for number, (letter, weight) in enumerate(zip(labels, omega, strict=True), start=1):
        text = f"Sentence {number} is {_LETTERS[letter].lower()}."
        place = quartile(number, len(labels))
        sentences.append(SentenceLabel(at, at + len(text), number, place, _LETTERS[letter], weight))
        texts.append(text)
        at += len(text) + 1
    return CaptionProfile(
        f"{unit}/{model}" if id is None else id, unit, model, " ".join(texts), Rubric("", (), "none"), (),
        tuple(sentences), "labels given",
    )
