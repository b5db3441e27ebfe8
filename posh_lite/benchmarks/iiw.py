"""ImageInWords: human descriptions, a model's captions of the same images, and people's judgments of the two.

IIW-400 holds for 100 images the caption of a fine-tuned PaLI-5B and five side-by-side judgments of the human text
against it. DOCCI-Test holds 100 images described by two independent teams. Both are published under CC BY 4.0
(google/imageinwords).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posh_lite.benchmarks.catalog import data_path
from posh_lite.errors import InputError
from posh_lite.records import Pair, read_jsonl

#: What people judged, as the files name it.
ASPECTS = ("Comprehensiveness", "Specificity", "Hallucination", "First few line(s) as tldr", "Human Like")
_STEPS = {"substantially": 2, "marginally": 1}


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Two texts of one image and people's judgments of them.

    Attributes:
        key: of the image.
        reference: the human text that serves as reference.
        generation: the other text: the model's caption, or that of the other team.
        labels: by aspect, from -2 ("reference substantially better") to +2 ("generation substantially better").
    """

    key: str
    reference: str
    generation: str
    labels: dict[str, int]

    @property
    def mean(self) -> float:
        """Mean of the five judgments."""
        return sum(self.labels.values()) / len(self.labels)


@dataclass(frozen=True, slots=True)
class Iiw:
    """Rows with both texts, and all human descriptions."""

    rows: tuple[SideBySide, ...]
    descriptions: tuple[tuple[str, str], ...]  # key of the image, human description

    @property
    def pairs(self) -> list[Pair]:
        """What a metric scores, in the order of ``rows``."""
        return [Pair(r.key, r.generation, r.reference, image=r.key, source="imageinwords") for r in self.rows]


def label(said: str, reference: str, generation: str) -> int:
    """Code of one judgment.

    Args:
        said: as written, for example "IIW-Human is marginally better" or "Neutral".
        reference: how the file names the reference's side ("IIW-Human").
        generation: how it names the other side ("IIW-P5B").

    Returns:
        -2 where the reference is substantially better, up to +2 where the generation is.

    Raises:
        InputError: the words are none of the five.
    """
    if said == "Neutral":
        return 0
    for side, sign in ((reference, -1), (generation, 1)):
        for word, step in _STEPS.items():
            if said == f"{side} is {word} better":
                return sign * step
    raise InputError(f"unknown judgment {said!r}: expected Neutral, or {reference} or {generation} is ... better")


def load_iiw400(path: str | Path | None = None) -> Iiw:
    """IIW-400: the 100 rows with a model caption (``rows``), and all 400 human descriptions.

    Args:
        path: of the file; by default found as :func:`posh_lite.benchmarks.catalog.data_path` says.

    Raises:
        InputError: it is not there, or not of the expected form.
    """
    file = data_path("iiw400") if path is None else Path(path)
    rows, texts = [], []
    for line, row in read_jsonl(file):
        try:
            key, human = row["image/key"], row["IIW"]
            texts.append((key, human))
            if "IIW-P5B" in row and "iiw-human-sxs-iiw-p5b" in row:
                said = row["iiw-human-sxs-iiw-p5b"]
                rows.append(SideBySide(key, human, row["IIW-P5B"], _labels(said, "IIW-Human", "IIW-P5B")))
        except (KeyError, TypeError) as error:
            raise InputError(f"not a row of IIW-400: {error} is missing", path=file, line=line) from None
        except InputError as error:
            raise InputError(str(error), path=file, line=line) from None
    return Iiw(tuple(rows), tuple(texts))


def load_docci_test(path: str | Path | None = None) -> Iiw:
    """DOCCI-Test: the IIW team's text as reference, the DOCCI team's as generation.

    Args:
        path: of the file; by default found as :func:`posh_lite.benchmarks.catalog.data_path` says.

    Raises:
        InputError: it is not there, or not of the expected form.
    """
    file = data_path("docci_test") if path is None else Path(path)
    rows = []
    for line, row in read_jsonl(file):
        try:
            rows.append(SideBySide(row["image"], row["IIW"], row["DOCCI"], _labels(row, "IIW", "DOCCI")))
        except (KeyError, TypeError) as error:
            raise InputError(f"not a row of DOCCI-Test: {error} is missing", path=file, line=line) from None
        except InputError as error:
            raise InputError(str(error), path=file, line=line) from None
    return Iiw(tuple(rows), tuple((r.key, r.reference) for r in rows))


def _labels(row: dict[str, Any], reference: str, generation: str) -> dict[str, int]:
    return {aspect: label(row[f"metrics/{aspect}"], reference, generation) for aspect in ASPECTS}
