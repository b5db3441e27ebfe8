"""Filters of what a policy is trained on (appendix J.8 of "Where Do Long Captions Fail?"): each alone, and in a row.

Images that are too small or blurred, rubrics of too short claims, and what one caption of the current policy tells:
examples that it cannot solve, and those that it has solved already. The paper prints how many examples each step kept
and the least length of claims, about five words; the other bounds are ours and are settings.
"""

from __future__ import annotations

import io
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from posh_lite.errors import InputError, MissingDependency
from posh_lite.judge.registry import install_command
from posh_lite.reward.train.data import Example
from posh_lite.text import tokens


@dataclass(frozen=True, slots=True)
class Candidate:
    """An example with one caption of the current policy; empty where there is none."""

    example: Example
    rollout: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a filter says of a candidate: a reason to leave it out, or none; and what was measured."""

    reason: str = ""
    values: Mapping[str, float] = field(default_factory=dict)


class Filter(Protocol):
    """Anything that decides about candidates, in batches."""

    @property
    def name(self) -> str: ...

    @property
    def signature(self) -> str:
        """Everything that a decision depends on."""
        ...

    def decide(self, candidates: Sequence[Candidate], /) -> list[Decision]:
        """One decision a candidate, in order."""
        ...


def _signature(one: Any, **more: object) -> str:
    told = {**asdict(one), **more}
    return f"{one.name} " + " ".join(f"{k}:{v}" for k, v in told.items())


@dataclass(frozen=True, slots=True)
class ImageQuality:
    """Leaves out images that are missing, broken, too small, too narrow or blurred.

    Attributes:
        min_pixels: least width times height (default: Table 9's least; larger images are scaled, smaller blown up).
        min_side: least length of the shorter side, in pixels.
        max_aspect: most that the longer side may be of the shorter.
        min_sharpness: least variance of the Laplacian of the gray image, 0 to not look; needs Pillow and numpy.
    """

    min_pixels: int = 262_144
    min_side: int = 64
    max_aspect: float = 5.0
    min_sharpness: float = 0.0
    name = "image quality"

    @property
    def signature(self) -> str:
        return _signature(self)

    def decide(self, candidates: Sequence[Candidate], /) -> list[Decision]:
        """Decisions with "width", "height" and, where it was looked for, "sharpness"."""
        return [self._one(c.example) for c in candidates]

    def _one(self, example: Example) -> Decision:
        if not example.has_image:
            return Decision("no image")
        try:
            data = example.picture()
            width, height = image_size(data)
            if not whole(data):
                return Decision("image is cut short")
            sharp = sharpness(data) if self.min_sharpness else None
        except InputError:
            return Decision("image cannot be read")
        values = {"width": float(width), "height": float(height)} | ({} if sharp is None else {"sharpness": sharp})
        if width * height < self.min_pixels or min(width, height) < self.min_side:
            return Decision("too small", values)
        if max(width, height) > self.max_aspect * min(width, height):
            return Decision("too narrow", values)
        if sharp is not None and sharp < self.min_sharpness:
            return Decision("blurred", values)
        return Decision(values=values)


#: Texts of claims of an example, or None where a judge refused it.
Claims = Callable[[Sequence[Example]], Sequence[Sequence[str] | None]]


@dataclass(frozen=True, slots=True)
class ClaimLength:
    """Leaves out rubrics whose claims have few words on average.

    Attributes:
        claims: gives the claims of examples.
        source: what makes these, for the signature.
        min_words: least mean length of the claims in words (J.8: approximately 5).
        min_claims: least number of claims.
    """

    claims: Claims
    source: str = ""
    min_words: float = 5.0
    min_claims: int = 1
    name = "claim length"

    @property
    def signature(self) -> str:
        return f"{self.name} min_words:{self.min_words} min_claims:{self.min_claims} claims:{self.source}"

    def decide(self, candidates: Sequence[Candidate], /) -> list[Decision]:
        """Decisions with "claims" and "mean_words"."""
        return [self._one(found) for found in self.claims([c.example for c in candidates])]

    def _one(self, claims: Sequence[str] | None) -> Decision:
        if claims is None:
            return Decision("no rubric could be made")
        if len(claims) < max(1, self.min_claims):
            return Decision("too few claims", {"claims": float(len(claims))})
        mean = sum(words(c) for c in claims) / len(claims)
        values = {"claims": float(len(claims)), "mean_words": mean}
        return Decision("claims too short" if mean < self.min_words else "", values)


#: Scores of rollouts: a figure, or in its place the reason why there is none.
Scores = Callable[[Sequence[Candidate]], Sequence[float | str]]


@dataclass(frozen=True, slots=True)
class Solvable:
    """Leaves out what one caption of the current policy tells nothing about: unread, uninformative or unsolvable.

    Attributes:
        scores: of rollouts.
        source: what gives these, for the signature.
        above: a score at or below it is unsolvable.
        min_words: a rollout with fewer words is uninformative.
    """

    scores: Scores
    source: str = ""
    above: float = 0.05
    min_words: int = 5
    name = "pre-inference"

    @property
    def signature(self) -> str:
        return f"{self.name} above:{self.above} min_words:{self.min_words} scores:{self.source}"

    def decide(self, candidates: Sequence[Candidate], /) -> list[Decision]:
        """Decisions with "score"."""
        short = [words(c.rollout) < self.min_words for c in candidates]
        asked = iter(self.scores([c for c, s in zip(candidates, short, strict=True) if not s]))
        found = []
        for candidate, brief in zip(candidates, short, strict=True):
            if brief:
                found.append(Decision("uninformative rollout" if candidate.rollout.strip() else "no rollout"))
                continue
            found.append(_by_score(next(asked), "unsolvable", lambda score: score <= self.above))
        return found


@dataclass(frozen=True, slots=True)
class NotSaturated:
    """Leaves out what the current policy has solved already.

    Attributes:
        scores: of rollouts.
        source: what gives these, for the signature.
        below: a score at or above it is saturated.
    """

    scores: Scores
    source: str = ""
    below: float = 0.95
    name = "saturation"

    @property
    def signature(self) -> str:
        return f"{self.name} below:{self.below} scores:{self.source}"

    def decide(self, candidates: Sequence[Candidate], /) -> list[Decision]:
        """Decisions with "score"."""
        return [_by_score(s, "saturated", lambda score: score >= self.below) for s in self.scores(candidates)]


def _by_score(score: float | str, reason: str, out: Callable[[float], bool]) -> Decision:
    """Leave out for a reason where a score says so, and always where there is none."""
    if isinstance(score, str):
        return Decision(f"no score: {score}")
    return Decision(reason if out(score) else "", {"score": score})


# -- what filters measure -----------------------------------------------------------------------------------


def words(text: str) -> int:
    """Words of a text, without punctuation."""
    return sum(t.is_word for t in tokens(text))


def image_size(data: bytes) -> tuple[int, int]:
    """Width and height of a picture in pixels; PNG, GIF and JPEG are read without Pillow.

    Raises:
        InputError: it is no picture, or it is broken.
        MissingDependency: another format without Pillow.
    """
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n"):
            width, height = struct.unpack(">II", data[16:24])
        elif data[:6] in (b"GIF87a", b"GIF89a"):
            width, height = struct.unpack("<HH", data[6:10])
        elif data.startswith(b"\xff\xd8"):
            width, height = _jpeg(data)
        else:
            with _pillow().open(io.BytesIO(data)) as image:
                width, height = image.size
    except _faults() as error:
        raise InputError(f"not a picture that can be read: {error}") from None
    if width < 1 or height < 1:
        raise InputError("a picture without pixels")
    return width, height


def _jpeg(data: bytes) -> tuple[int, int]:
    at = 2
    while at < len(data):
        if data[at] != 0xFF:
            raise ValueError("no marker where one must be")
        marker = data[at + 1]
        if marker == 0xFF or 0xD0 <= marker <= 0xD9 or marker == 0x01:  # fill bytes and markers without a length
            at += 1 if marker == 0xFF else 2
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + struct.unpack(">H", data[at + 2 : at + 4])[0]
    raise ValueError("no frame")


def whole(data: bytes) -> bool:
    """Whether a picture is there to its end, as one of a broken download is not.

    A PNG, JPEG or GIF that has its last mark is; any other is decoded where Pillow is installed, and believed where it
    is not and the format has no such mark.
    """
    ends = {b"\x89PNG": b"IEND\xaeB`\x82", b"\xff\xd8": b"\xff\xd9", b"GIF8": b";"}
    end = next((mark for start, mark in ends.items() if data.startswith(start)), b"")
    if end and data.rstrip(b"\0\r\n ").endswith(end):
        return True
    try:
        with _pillow().open(io.BytesIO(data)) as image:
            image.load()
    except MissingDependency:
        return not end
    except _faults():
        return False
    return True


def sharpness(data: bytes) -> float:
    """Variance of the Laplacian of the gray image: low where it is blurred, 0 for one colour.

    Raises:
        InputError: it is no picture, or it is broken.
        MissingDependency: Pillow is not there.
    """
    import numpy as np

    pillow = _pillow()
    try:
        with pillow.open(io.BytesIO(data)) as image:
            gray = np.asarray(image.convert("L"), dtype=np.float64)
    except _faults() as error:
        raise InputError(f"not a picture that can be read: {error}") from None
    if min(gray.shape) < 3:
        return 0.0
    inner = gray[1:-1, 1:-1]
    laplacian = gray[:-2, 1:-1] + gray[2:, 1:-1] + gray[1:-1, :-2] + gray[1:-1, 2:] - 4 * inner
    value = float(laplacian.var())
    return value if math.isfinite(value) else 0.0


def _faults() -> tuple[type[Exception], ...]:
    """What a broken picture raises: with Pillow one that unpacks into too many pixels, too."""
    found = (OSError, ValueError, SyntaxError, EOFError, IndexError, struct.error)
    try:
        return (*found, _pillow().DecompressionBombError)
    except MissingDependency:
        return found


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise MissingDependency(f"this needs Pillow: {install_command('baselines')}") from None
    return Image
