"""Building DOCENT from the open data of the National Gallery of Art (PoSh paper, section "DOCENT").

Images that are free to use, have a long enough description and show the work's primary view are joined with their
objects, cleaned and made unique; then they are split by a hash of each image's identifier. The paper gives the
number of works (1,750) and of those for training (1,000) and describes the selection in words: where it gives no
figure (the least length, how near two texts may be, how the rest is split), the setting here is this project's.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from posh_lite.benchmarks.docent_dedupe import clusters, near_pairs
from posh_lite.benchmarks.nga import IMAGES, OBJECTS, Faults, NgaImage, NgaObject, find_table, read_images, read_objects
from posh_lite.benchmarks.nga_clean import clean, comparable, is_truncated, words
from posh_lite.errors import InputError

Split = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = get_args(Split)


@dataclass(frozen=True, slots=True)
class Settings:
    """What the selection depends on.

    Attributes:
        works: how many are kept in all, or None for every one that is left (paper: 1,750).
        train: of these for training (paper: 1,000); with fewer works than asked for, the same share.
        validation: the same for validation. The rest is for the test. The paper does not say this number.
        least: words that a cleaned description must have. The paper does not say this number either.
        near: shared part of five-word runs from which on two texts count as one.
        near_in_series: the same for the works of one series, portfolio or parent.
        salt: put before each identifier when it is hashed; another salt gives another split.
    """

    works: int | None = 1750
    train: int = 1000
    validation: int = 250
    least: int = 80
    near: float = 0.8
    near_in_series: float = 0.4
    salt: str = "docent"

    def __post_init__(self) -> None:
        total = self.train + self.validation
        for name, value, least in (("works", self.works, 1), ("train", self.train, 0), ("least", self.least, 1),
                                   ("validation", self.validation, 0)):
            if value is not None and value < least:
                raise InputError(f"{name} must be at least {least}, got {value}")
        if self.works is not None and total > self.works:
            raise InputError(f"train and validation are {total} works together, more than the {self.works} in all")
        for name, share in (("near", self.near), ("near_in_series", self.near_in_series)):
            if not 0 < share <= 1:
                raise InputError(f"{name} must be above 0 and at most 1, got {share}")


@dataclass(frozen=True, slots=True)
class Work:
    """A work of DOCENT: the description that serves as reference, and where it comes from."""

    uuid: str  # of the image
    reference: str
    split: Split
    iiifurl: str
    width: int | None
    height: int | None
    objectid: int
    title: str
    attribution: str
    date: str
    beginyear: int | None
    endyear: int | None
    medium: str
    classification: str
    series: str

    def to_dict(self) -> dict[str, str | int | None]:
        """One row, JSON-ready."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the selection: how many were left after it."""

    name: str
    left: int


@dataclass(frozen=True, slots=True)
class Build:
    """What came of a build.

    Attributes:
        works: by split and then by hash.
        funnel: the steps, the first being all rows of the table of images.
        cleaned: how many of the long enough texts each kind of cleaning changed.
        faults: what was odd in the tables, a line each.
        settings: what it was built with.
        source: hashes of the tables, by name.
    """

    works: tuple[Work, ...]
    funnel: tuple[Step, ...]
    cleaned: Mapping[str, int]
    faults: tuple[str, ...]
    settings: Settings
    source: Mapping[str, str]

    def of(self, split: Split) -> list[Work]:
        """The works of a split."""
        return [work for work in self.works if work.split == split]


@dataclass(slots=True)
class _Funnel:
    steps: list[Step] = field(default_factory=list)

    def step(self, name: str, left: int) -> None:
        self.steps.append(Step(name, left))


@dataclass(frozen=True, slots=True)
class _Candidate:
    image: NgaImage
    text: str
    object: NgaObject


def rank(uuid: str, salt: str) -> str:
    """What a work is ordered by: the SHA-256 of salt and identifier, so that no order of a table matters."""
    return hashlib.sha256(f"{salt}:{uuid}".encode()).hexdigest()


def build_docent(folder: str | Path, settings: Settings | None = None) -> Build:
    """Select, clean, make unique and split the works of a folder with the two tables.

    Args:
        folder: with ``objects.csv`` and ``published_images.csv``, plain or as ``.gz``.
        settings: see :class:`Settings`.

    Raises:
        InputError: a table is missing or not of the expected form.
    """
    from posh_lite.benchmarks.catalog import sha256

    chosen = settings or Settings()
    tables = {name: find_table(folder, name) for name in (IMAGES, OBJECTS)}
    faults, funnel, cleaned = Faults(), _Funnel(), Counter[str]()
    texts = _select(read_images(tables[IMAGES], faults), chosen, funnel, cleaned)
    objects = read_objects(tables[OBJECTS], {i.objectid for i, _ in texts if i.objectid is not None}, faults)
    candidates = [_Candidate(i, t, objects[i.objectid]) for i, t in texts if i.objectid in objects]
    funnel.step("whose object is in the table of objects", len(candidates))
    candidates = _unique(candidates, chosen, funnel)
    works = _split(candidates, chosen)
    if chosen.works is not None:
        funnel.step(f"drawn by hash, at most {chosen.works:,}", len(works))
    return Build(works, tuple(funnel.steps), dict(cleaned), tuple(faults.lines()), chosen,
                 {name: sha256(path) for name, path in tables.items()})


def _select(
    images: Iterable[NgaImage], settings: Settings, funnel: _Funnel, cleaned: Counter[str]
) -> list[tuple[NgaImage, str]]:
    """The first steps, on a stream: only what passes them is kept in memory."""
    names = ("images in the table", "with identifier, address and object", "primary view of the object",
             "free to use", "with an assistive text", f"of {settings.least} words or more once cleaned", "not cut off")
    counts = [0] * len(names)
    kept: list[tuple[NgaImage, str]] = []
    for image in images:
        counts[0] += 1
        passed = (
            bool(image.uuid and image.iiifurl.startswith(("https://", "http://")) and image.objectid is not None),
            image.view == "primary", image.open_access, bool(image.text.strip()),
        )
        stopped = next((at for at, ok in enumerate(passed) if not ok), len(passed))
        for at in range(1, stopped + 1):
            counts[at] += 1
        if stopped < len(passed):
            continue
        result = clean(image.text)
        if len(words(result.text)) < settings.least:
            continue
        counts[5] += 1
        if is_truncated(result.text):
            continue
        counts[6] += 1
        cleaned.update(result.changes)
        kept.append((image, result.text))
    for name, count in zip(names, counts, strict=True):
        funnel.step(name, count)
    return kept


def _order(settings: Settings, candidate: _Candidate) -> tuple[int, str, int, str, str]:
    """Which of several to keep: the longest text, then the smallest hash; the rest only where these are the same."""
    image = candidate.image
    return (-len(words(candidate.text)), rank(image.uuid, settings.salt), candidate.object.objectid, image.sequence,
            candidate.text)


def _unique(candidates: list[_Candidate], settings: Settings, funnel: _Funnel) -> list[_Candidate]:
    """One image an object, and one work a text."""
    left = sorted(candidates, key=lambda c: (rank(c.image.uuid, settings.salt), _order(settings, c)))
    for name, key in (("one image each", "uuid"), ("one primary view an object", "object"), ("no text twice", "text")):
        seen: dict[object, _Candidate] = {}
        for candidate in left:
            what: object = {"uuid": candidate.image.uuid, "object": candidate.object.objectid,
                            "text": comparable(candidate.text)}[key]
            if what not in seen or _order(settings, candidate) < _order(settings, seen[what]):
                seen[what] = candidate
        left = list(seen.values())
        funnel.step(name, len(left))
    left = _far(left, settings, settings.near, None)
    funnel.step("no text nearly twice", len(left))
    left = _far(left, settings, settings.near_in_series, series_of(left))
    funnel.step("no text shared by prints of a series", len(left))
    return left


def _far(
    candidates: list[_Candidate], settings: Settings, threshold: float, groups: Sequence[int | None] | None
) -> list[_Candidate]:
    pairs = [(a, b) for a, b, _ in near_pairs([c.text for c in candidates], threshold, groups=groups)]
    kept = [min((candidates[i] for i in members), key=lambda c: _order(settings, c))
            for members in clusters(len(candidates), pairs)]
    return kept


def series_of(candidates: Sequence[_Candidate]) -> list[int | None]:
    """A number for each work that shares its series, portfolio or parent with another one; None for the others."""
    holders: dict[tuple[str, object], int] = {}
    pairs = []
    for at, candidate in enumerate(candidates):
        one = candidate.object
        keys: list[tuple[str, object]] = [("object", one.objectid)]
        keys += [("object", one.parent)] if one.parent is not None else []
        keys += [(name, f"{one.attribution}|{value}".casefold())
                 for name, value in (("series", one.series), ("portfolio", one.portfolio)) if value]
        pairs += [(holders.setdefault(key, at), at) for key in keys]
    groups: list[int | None] = [None] * len(candidates)
    for number, members in enumerate(clusters(len(candidates), pairs)):
        for at in members if len(members) > 1 else ():
            groups[at] = number
    return groups


def split_sizes(n: int, settings: Settings) -> dict[Split, int]:
    """How many of ``n`` works go where: the settings' numbers, or their shares where there are fewer works.

    >>> split_sizes(1750, Settings()), split_sizes(7, Settings())
    ({'train': 1000, 'validation': 250, 'test': 500}, {'train': 4, 'validation': 1, 'test': 2})
    """
    full = settings.works if settings.works is not None else max(n, settings.train + settings.validation)
    if n >= full:
        train, validation = settings.train, settings.validation
    else:
        train = (2 * n * settings.train + full) // (2 * full)  # rounded in whole numbers
        validation = min(n - train, (2 * n * settings.validation + full) // (2 * full))
    return {"train": train, "validation": validation, "test": n - train - validation}


def _split(candidates: Sequence[_Candidate], settings: Settings) -> tuple[Work, ...]:
    """Draw and split by hash; works of one series stay in one split, so that none leaks from training into the test."""
    ranked = sorted(candidates, key=lambda c: rank(c.image.uuid, settings.salt))[: settings.works]
    room = split_sizes(len(ranked), settings)
    groups = series_of(ranked)
    units: dict[object, list[_Candidate]] = {}
    for at, (candidate, group) in enumerate(zip(ranked, groups, strict=True)):
        units.setdefault(("series", group) if group is not None else ("work", at), []).append(candidate)
    placed: dict[Split, list[_Candidate]] = {split: [] for split in SPLITS}
    for members in sorted(units.values(), key=len, reverse=True):  # large ones first; within a size the order of hashes
        fits = [split for split in SPLITS if room[split] - len(placed[split]) >= len(members)]
        if len(members) > 1 and not fits:  # too large for what is left anywhere: where there is most room
            fits = [max(SPLITS, key=lambda s: room[s] - len(placed[s]))]
        placed[_pick(members, fits, room, settings)].extend(members)
    return tuple(_work(c, split) for split in SPLITS
                 for c in sorted(placed[split], key=lambda c: rank(c.image.uuid, settings.salt)))


def _pick(members: Sequence[_Candidate], fits: Sequence[Split], room: Mapping[Split, int], settings: Settings) -> Split:
    """Single works fill the splits in the order of their hashes; a series falls where its first hash points."""
    if len(members) == 1 or len(fits) == 1:
        return fits[0]
    point = int(rank(members[0].image.uuid, f"{settings.salt}:series")[:12], 16) / 16**12
    total, reached = sum(room[s] for s in fits), 0.0
    for split in fits:
        reached += room[split] / total
        if point < reached:
            return split
    return fits[-1]


def _work(candidate: _Candidate, split: Split) -> Work:
    image, one = candidate.image, candidate.object
    return Work(
        uuid=image.uuid, reference=candidate.text, split=split, iiifurl=image.iiifurl, width=image.width,
        height=image.height, objectid=one.objectid, title=one.title, attribution=one.attribution, date=one.date,
        beginyear=one.begin, endyear=one.end, medium=one.medium, classification=one.classification,
        series=one.series or one.portfolio,
    )
