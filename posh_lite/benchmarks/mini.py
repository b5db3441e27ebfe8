"""The known-answer corpora: captions whose mistakes and omissions are known because they were planted.

``data/mini`` has twelve public-domain works of art, a reference description of each, and six constructed captions of
each, with gold spans. It is the offline default of every notebook, and its works were read while rules were made.
``data/fresh`` has six more in the same form, the clean test set beside it: nobody reads its pairs to change a rule.
The ``README.md`` of each says how it was made and what it may be used for; ``posh_lite.benchmarks.mini_build`` compiles
both from one source file a work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from posh_lite.errors import InputError
from posh_lite.packaged import find_data
from posh_lite.records import Pair, Span, pair_from_dict, read_jsonl

T = TypeVar("T")
Style = Literal["faithful", "terse", "embellisher", "drifter", "confuser", "miscounter"]
MistakeType = Literal["object", "colour", "attribute", "count", "position", "relation", "swap", "invented"]
Label = Literal["supported", "contradicted", "generic"]

STYLES: tuple[Style, ...] = get_args(Style)
MISTAKE_TYPES: tuple[MistakeType, ...] = get_args(MistakeType)
LABELS: tuple[Label, ...] = get_args(Label)

#: The corpora of the package, folders of ``data/``, and the number of works of each.
CORPORA: dict[str, int] = {"mini": 12, "fresh": 6}


@dataclass(frozen=True, slots=True)
class FactSpan:
    """A visual fact of a reference, at ``reference[start:end]``."""

    start: int
    end: int
    fact: str  # "f1", "f2", ... in reading order
    text: str

    @property
    def span(self) -> Span:
        return (self.start, self.end)


@dataclass(frozen=True, slots=True)
class Mistake:
    """A planted mistake, at ``generation[start:end]``."""

    start: int
    end: int
    type: MistakeType
    fact: str | None  # the fact of the reference that it misstates; None for an invented thing
    text: str

    @property
    def span(self) -> Span:
        return (self.start, self.end)


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """A sentence of a caption, at ``generation[start:end]``. Headings and bullet signs belong to none."""

    start: int
    end: int
    label: Label

    @property
    def span(self) -> Span:
        return (self.start, self.end)


@dataclass(frozen=True, slots=True)
class Gold:
    """What is known of one caption. Every fact of the reference is omitted, misstated or conveyed.

    A misstated fact is not an omission: the narrow mistake is corrected in thought first, as the annotators of
    DOCENT did (PoSh paper, section "DOCENT", paragraph "Granular Judgments").
    """

    id: str  # of the pair
    mistakes: tuple[Mistake, ...]  # spans in the generation, in text order
    omissions: tuple[FactSpan, ...]  # spans in the reference, in text order
    misstated: tuple[FactSpan, ...]  # spans in the reference, in text order
    sentences: tuple[LabelledSentence, ...]  # in text order


@dataclass(frozen=True, slots=True)
class Preference:
    """Which of two captions of a work is better, -2 (``b`` much better) to 2 (``a`` much better).

    The sign is that of the PoSh paper's appendix on evaluation metrics. The labels follow from the gold spans
    by :func:`posh_lite.benchmarks.mini_build.prefer`; nobody was asked.
    """

    work: str  # slug
    a: str  # pair ids
    b: str
    mistakes: int
    omissions: int
    overall: int


@dataclass(frozen=True, slots=True)
class Work:
    """A work of art and its reference description."""

    slug: str
    title: str
    artist: str
    date: str
    medium: str
    public_domain: str  # why it is free of copyright
    reference: str
    facts: tuple[FactSpan, ...]  # every visual fact of the reference, in reading order


@dataclass(frozen=True, slots=True)
class MiniCorpus:
    """A whole corpus. ``pairs`` and ``gold`` run in parallel, work by work, in the order of :data:`STYLES`."""

    works: tuple[Work, ...]
    pairs: tuple[Pair, ...]
    gold: tuple[Gold, ...]
    preferences: tuple[Preference, ...]

    def gold_of(self, pair: Pair | str) -> Gold:
        """The gold annotations of a pair, given the pair or its id.

        Raises:
            KeyError: no such pair in the corpus.
        """
        key = pair if isinstance(pair, str) else pair.id
        for gold in self.gold:
            if gold.id == key:
                return gold
        raise KeyError(key)

    def work_of(self, pair: Pair | str) -> Work:
        """The work that a pair describes, given the pair or its id.

        Raises:
            KeyError: no such work in the corpus.
        """
        slug = (pair if isinstance(pair, str) else pair.id).split("/")[0]
        for work in self.works:
            if work.slug == slug:
                return work
        raise KeyError(slug)


def find_mini() -> Traversable:
    """The folder of the compiled corpus: inside the installed package, or ``data/mini`` of the repository.

    Raises:
        InputError: neither place holds it.
    """
    return _find("mini", "the known-answer corpus is")


def find_fresh() -> Traversable:
    """The folder of the compiled test set: inside the installed package, or ``data/fresh`` of the repository.

    Raises:
        InputError: neither place holds it.
    """
    return _find("fresh", "the known-answer test set is")


def load_mini(directory: str | Path | None = None) -> MiniCorpus:
    """Read the known-answer corpus.

    Args:
        directory: folder with the four compiled files; by default the one :func:`find_mini` finds.

    Raises:
        InputError: the corpus is not there, or a line of it cannot be used (file, line and field are named).
    """
    return _load(find_mini() if directory is None else Path(directory))


def load_fresh(directory: str | Path | None = None) -> MiniCorpus:
    """Read the known-answer test set, whose works, ids and slugs are none of the corpus's.

    Figures on it are counted only: who reads its pairs and then changes a rule, a lexicon or a threshold has spent it.

    Args:
        directory: folder with the four compiled files; by default the one :func:`find_fresh` finds.

    Raises:
        InputError: the test set is not there, or a line of it cannot be used (file, line and field are named).
    """
    return _load(find_fresh() if directory is None else Path(directory))


def _find(name: str, what: str) -> Traversable:
    return find_data(
        name, "pairs.jsonl", what=what, package=files("posh_lite"),
        advice=", or run `python -m posh_lite.benchmarks.mini_build` in a checkout of the repository",
    )


def _load(place: Traversable) -> MiniCorpus:
    works = tuple(_row(_work, row, at) for row, at in _rows(place, "works.jsonl"))
    pairs = tuple(pair_from_dict(row, path=at[0], line=at[1]) for row, at in _rows(place, "pairs.jsonl"))
    gold = tuple(_row(_gold, row, at) for row, at in _rows(place, "gold.jsonl"))
    preferences = tuple(_row(_preference, row, at) for row, at in _rows(place, "preferences.jsonl"))
    if [p.id for p in pairs] != [g.id for g in gold]:
        raise InputError("pairs.jsonl and gold.jsonl do not list the same ids in the same order", path=place)
    return MiniCorpus(works=works, pairs=pairs, gold=gold, preferences=preferences)


def _rows(place: Traversable, name: str) -> list[tuple[Any, tuple[str, int]]]:
    with as_file(place / name) as path:  # a real file even where the package is zipped
        return [(row, (f"{place}/{name}", line)) for line, row in read_jsonl(path)]


def _row(make: Callable[[dict[str, Any]], T], row: Any, at: tuple[str, int]) -> T:
    try:
        return make(row)
    except (KeyError, TypeError) as error:
        raise InputError(f"unexpected or missing field: {error}", path=at[0], line=at[1]) from None


def _facts(rows: Iterable[dict[str, Any]]) -> tuple[FactSpan, ...]:
    return tuple(FactSpan(**row) for row in rows)


def _work(row: dict[str, Any]) -> Work:
    return Work(**{**row, "facts": _facts(row["facts"])})


def _gold(row: dict[str, Any]) -> Gold:
    return Gold(
        id=row["id"],
        mistakes=tuple(Mistake(**m) for m in row["mistakes"]),
        omissions=_facts(row["omissions"]),
        misstated=_facts(row["misstated"]),
        sentences=tuple(LabelledSentence(**s) for s in row["sentences"]),
    )


def _preference(row: dict[str, Any]) -> Preference:
    return Preference(**row)
