"""Word knowledge for coreference, read once from ``coreference_words.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

_TOKEN = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Person:
    """What a person noun says: gender ("male", "female" or None) and age ("adult", "child" or None)."""

    gender: str | None = None
    age: str | None = None


@dataclass(frozen=True, slots=True)
class Words:
    """The word lists, turned into look-ups by lemma."""

    persons: Mapping[str, Person]
    roles: frozenset[str]  # "mother", "king": a man or a woman in a role
    basic: frozenset[str]  # "man", "woman"
    agents: frozenset[str]  # "rider", "musician": what a person does or is
    general: frozenset[str]  # "person", "figure": may take up any person
    figures: frozenset[str]  # a person or the likeness of one
    groups: Mapping[str, int]  # "trio": 3; 0 where the word states no number
    animals: frozenset[str]
    parts: frozenset[str]
    relational: frozenset[str]
    unique: frozenset[str]
    kinds: Mapping[str, frozenset[str]]  # general word -> specific words
    general_of: Mapping[str, tuple[str, ...]]  # specific word -> general words
    characters: frozenset[str]  # describing words that may stand for their noun: "the juvenile"
    beasts: frozenset[str]  # "creature": may take up any animal
    abstract: frozenset[str]  # "condition": rarely what "it" means, rather what it is the condition of
    singling: frozenset[str]  # "second", "left", "upper": say which of several
    contrast: Mapping[str, frozenset[tuple[str, int]]]  # word -> (dimension, which set of it)


@lru_cache(maxsize=1)
def words() -> Words:
    """The word lists of the embedded resolver."""
    with Path(__file__).with_name("coreference_words.toml").open("rb") as handle:
        data = tomllib.load(handle)
    persons: dict[str, Person] = {}
    for row, gender, age in (
        ("open", None, None), ("child", None, "child"), ("male", "male", "adult"), ("female", "female", "adult"),
        ("boy", "male", "child"), ("girl", "female", "child"),
    ):
        persons.update({word: Person(gender, age) for word in data["persons"][row]})
    contrast: dict[str, set[tuple[str, int]]] = {}
    for dimension, rows in [*data["contrast"].items(), ("color", list(data["colors"].values()))]:
        for number, row in enumerate(rows):
            for word in row:
                contrast.setdefault(word, set()).add((dimension, number))
    general_of: dict[str, tuple[str, ...]] = {}
    for general, row in data["kinds"].items():
        for word in row:
            general_of[word] = (*general_of.get(word, ()), general)
    return Words(
        persons=MappingProxyType(persons),
        roles=frozenset(data["persons"]["role"]),
        basic=frozenset(data["persons"]["basic"]),
        agents=frozenset(data["persons"]["open"]),
        general=frozenset(data["persons"]["general"]),
        figures=frozenset(data["persons"]["figures"]),
        groups=MappingProxyType(dict(data["groups"])),
        animals=frozenset(data["animals"]["words"]),
        parts=frozenset(data["parts"]["words"]),
        relational=frozenset(data["relational"]["words"]),
        unique=frozenset(data["unique"]["words"]),
        kinds=MappingProxyType({key: frozenset(row) for key, row in data["kinds"].items()}),
        general_of=MappingProxyType(general_of),
        characters=frozenset(data["singling"]["characters"]),
        beasts=frozenset(data["animals"]["general"]),
        abstract=frozenset(data["abstract"]["words"]),
        singling=frozenset(w for row in data["singling"]["by"] for group in data["contrast"][row] for w in group),
        contrast=MappingProxyType({word: frozenset(places) for word, places in contrast.items()}),
    )


def tokens(phrases: Iterable[str]) -> frozenset[str]:
    """The single lower-case words of some phrases: "rose-pink" gives "rose" and "pink"."""
    return frozenset(word for phrase in phrases for word in _TOKEN.findall(phrase.lower()))


def contrasts(first: frozenset[str], second: frozenset[str]) -> bool:
    """Whether two sets of describing words exclude each other ("red" and "blue", "left" and "right")."""
    known = words().contrast

    def places(found: frozenset[str]) -> dict[str, set[int]]:
        where: dict[str, set[int]] = {}
        for word in found:
            for dimension, number in known.get(word, ()):
                where.setdefault(dimension, set()).add(number)
        return where

    left, right = places(first), places(second)
    return any(dimension in right and not (numbers & right[dimension]) for dimension, numbers in left.items())
