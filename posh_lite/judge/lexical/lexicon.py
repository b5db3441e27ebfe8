"""The word knowledge of the lexical judge: curated TOML files read into look-up tables.

The files lie in ``posh_lite/judge/lexicon``; each explains its own format. An outline is a block of lines: a
line is a set of synonyms, deeper indentation a narrower term.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import combinations, product
from typing import Any

#: Files of noun outlines, in the order in which they are read; "@" lines point to earlier ones.
_NOUNS = (
    "things", "people", "occupations", "clothing", "animals", "nature", "food", "kitchen", "home", "buildings", "city",
    "vehicles", "goods", "tools", "sports", "music", "events", "art", "myth",
)  # fmt: skip
#: Files of one kind are read in this order into the same tables.
_KINDS = {
    "adjectives": ("adjectives", "adjectives_things", "adjectives_body", "adjectives_scene"),
    "colors": ("colors",),
    "derivations": ("derivations", "derivations_more", "near"),
    "verbs": ("verbs", "verbs_motion", "verbs_hands", "verbs_work", "verbs_scene"),
    "relations": ("relations", "relations_more"),
    "phrases": ("phrases",),
}
_FILES = tuple(f"{name}.toml" for name in (*_NOUNS, *(n for names in _KINDS.values() for n in names)))
_MARK = re.compile(r"\[(\w)\]")
_ENDS = re.compile(r"[\n;]")


@dataclass(frozen=True, slots=True)
class Sense:
    """One line of an outline: a set of synonyms under a broader one."""

    id: int
    words: tuple[str, ...]
    parent: Sense | None
    loose: bool  # a category so broad that naming it is only partial support
    marks: frozenset[str]  # own and inherited

    def chain(self) -> Iterator[Sense]:
        """The sense itself, then ever broader ones."""
        at: Sense | None = self
        while at is not None:
            yield at
            at = at.parent


@dataclass(slots=True)
class Outline:
    """Senses of one dimension or word class, by word."""

    senses: dict[str, tuple[Sense, ...]] = field(default_factory=dict)

    def read(self, block: str, start: int = 0, spellings: dict[str, str] | None = None) -> int:
        """Add the lines of a block; returns the next free sense id.

        With ``spellings`` a word can be looked up in its plain form too: hyphens opened, one spelling for all. A
        line ``@word`` is no new sense: what is indented under it belongs under the earlier line led by the word;
        ``+word, ...`` adds further words to that line.
        """
        stack: list[tuple[int, Sense]] = []
        number = start
        for line in block.lower().splitlines():
            text = line.strip()
            if not text:
                continue
            depth = len(line) - len(line.lstrip())
            while stack and stack[-1][0] >= depth:
                stack.pop()
            if text[0] == "@":
                name = text[1:]
                stack.append((depth, next(s for s in self.of(name) if s.words[0] == name)))
                continue
            parent = stack[-1][1] if stack else None
            marks = parent.marks if parent else frozenset()
            if "[" in text:
                marks |= frozenset(_MARK.findall(text))
                text = _MARK.sub("", text)
            loose = "?" in text
            words = tuple(w for w in map(str.strip, text.replace("?", "").split(",")) if w)
            if words[0].startswith("+"):
                sense = next(s for s in self.of(words[0][1:]) if s.words[0] == words[0][1:])
                words = words[1:]
            else:
                sense = Sense(number, words, parent, loose, marks)
                number += 1
            stack.append((depth, sense))
            for word in words if spellings is None else _with_plain(words, spellings):
                known = self.senses.get(word, ())
                if sense not in known:
                    self.senses[word] = (*known, sense)
        return number

    def of(self, word: str) -> tuple[Sense, ...]:
        return self.senses.get(word, ())


def _with_plain(words: tuple[str, ...], spellings: dict[str, str]) -> list[str]:
    """Words and their plain forms, each once: ``t-shirt`` and ``tshirt``, ``ship's wheel`` and ``ship wheel``."""
    found = dict.fromkeys(words)
    for word in words:
        plain = spellings.get(word, word).replace("-", " ").replace("'s", "")
        if " " in plain:
            plain = " ".join([spellings.get(part, part) for part in plain.split()])
        found[plain] = None
    return list(found)


@dataclass(slots=True)
class Sides:
    """Dimensions whose two sides exclude each other: word -> {dimension: side}."""

    sides: dict[str, dict[int, int]] = field(default_factory=dict)
    size: int = 0
    leaders: dict[tuple[str, ...], int] = field(default_factory=dict)

    def add(self, *groups: list[str]) -> None:
        """A line; one whose sides begin with the same words as an earlier line's adds to that one."""
        dimension = self.leaders.setdefault(tuple(g[0] for g in groups if g), self.size)
        for side, words in enumerate(groups):
            for word in words:
                self.sides.setdefault(word, {}).setdefault(dimension, side)
        self.size += 1


@dataclass(slots=True)
class Lexicon:
    """Every table that the judge looks words up in, and the hash of the files they came from."""

    digest: str
    nouns: Outline = field(default_factory=Outline)
    verbs: Outline = field(default_factory=Outline)
    exclusive: dict[str, Outline] = field(default_factory=dict)  # dimension -> values
    scales: dict[str, dict[str, tuple[int, ...]]] = field(default_factory=dict)  # dimension -> word -> steps
    opposites: Sides = field(default_factory=Sides)
    alike: dict[str, frozenset[int]] = field(default_factory=dict)
    families: dict[str, frozenset[str]] = field(default_factory=dict)  # colour word -> families
    family_names: frozenset[str] = frozenset()
    neighbours: frozenset[frozenset[str]] = frozenset()
    many_colors: frozenset[str] = frozenset()
    strength: Sides = field(default_factory=Sides)
    forms: dict[str, frozenset[str]] = field(default_factory=dict)  # word -> bases that it is a form of
    implies: dict[str, tuple[str, ...]] = field(default_factory=dict)
    evidence: dict[str, tuple[str, ...]] = field(default_factory=dict)  # trade -> words that show it
    spellings: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    vague: dict[str, tuple[int, int]] = field(default_factory=dict)
    empty: frozenset[str] = frozenset()
    generic: frozenset[str] = frozenset()
    partitive: frozenset[str] = frozenset()  # shapes and amounts of what follows "of"
    near: dict[str, frozenset[int]] = field(default_factory=dict)  # nouns that captioners use for one thing -> lines
    abstract: frozenset[str] = frozenset()  # nouns that name nothing to be seen
    mild: frozenset[str] = frozenset()  # properties that say next to nothing
    verb_conflicts: frozenset[tuple[int, int]] = frozenset()  # ids of verb senses that exclude each other
    verb_rivals: frozenset[tuple[int, int]] = frozenset()  # the same, said of one subject and one object
    verb_converses: frozenset[tuple[int, int]] = frozenset()  # ids of senses that swap subject and object
    light: frozenset[str] = frozenset()
    prepositions: dict[str, tuple[str, ...]] = field(default_factory=dict)  # preposition -> classes, chief one first
    prep_opposites: frozenset[frozenset[str]] = frozenset()
    prep_converses: frozenset[frozenset[str]] = frozenset()
    flat: frozenset[str] = frozenset()
    adverbs: frozenset[str] = frozenset()  # add nothing to the preposition after them
    places: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)  # word -> (group, value)
    phrases: dict[str, str] = field(default_factory=dict)  # several words -> what they say in fewer
    irregular: dict[str, str] = field(default_factory=dict)  # inflected form -> base

    def known(self, word: str) -> bool:
        """Whether the lexicon says anything about the word."""
        return (
            word in self.nouns.senses or word in self.verbs.senses or word in self.families
            or word in self.opposites.sides or word in self.alike or word in self.strength.sides
            or any(word in o.senses for o in self.exclusive.values()) or any(word in s for s in self.scales.values())
        )  # fmt: skip

    @property
    def size(self) -> int:
        """Number of different words and phrases."""
        words = set(self.nouns.senses) | set(self.verbs.senses) | set(self.families) | set(self.opposites.sides)
        words |= set(self.alike) | set(self.strength.sides) | set(self.forms)
        words |= set(self.prepositions) | set(self.places)
        for outline in self.exclusive.values():
            words |= set(outline.senses)
        for scale in self.scales.values():
            words |= set(scale)
        return len(words)


def word_set(text: str) -> frozenset[str]:
    """The words of a line."""
    return frozenset(text.split())


def _folder() -> Traversable:
    return resources.files("posh_lite.judge") / "lexicon"


def _lines(block: str) -> list[list[str]]:
    """Words of each line; ";" ends a line too."""
    return [[w.strip() for w in line.split(",") if w.strip()] for line in _ENDS.split(block) if line.strip()]


def _pairs(block: str) -> list[tuple[str, list[str]]]:
    """``name: words`` of each line."""
    out = []
    for line in _ENDS.split(block):
        if line.strip():
            name, _, rest = line.partition(":")
            out.append((name.strip(), [w.strip() for w in rest.split(",") if w.strip()]))
    return out


@cache
def lexicon() -> Lexicon:
    """Read the files once a process."""
    raw: dict[str, dict[str, Any]] = {}
    digest = hashlib.sha256()
    for name in _FILES:
        path = _folder() / name
        if not path.is_file():
            continue
        content = path.read_bytes()
        digest.update(name.encode() + b"\0" + content.replace(b"\r\n", b"\n"))
        raw[name.removesuffix(".toml")] = tomllib.loads(content.decode("utf-8"))
    lex = Lexicon(digest.hexdigest())
    tables = {kind: [raw[name] for name in names if name in raw] for kind, names in _KINDS.items()}
    for data in tables["adjectives"]:
        _read_adjectives(lex, data)
    for data in tables["colors"]:
        _read_colors(lex, data)
    for data in tables["derivations"]:
        _read_derivations(lex, data)
    for data in tables["phrases"]:
        lex.phrases |= {k: v[0] for k, v in _pairs(data["phrases"])}
        lex.irregular |= {form: base for base, forms in _pairs(data["irregular"]) for form in forms}
    number = 0
    for name in _NOUNS:
        for block in raw.get(name, {}).values():
            number = lex.nouns.read(block, number, lex.spellings)
    _read_verbs(lex, tables["verbs"])
    _read_relations(lex, tables["relations"])
    return lex


def _read_adjectives(lex: Lexicon, data: dict[str, Any]) -> None:
    for dimension, block in data.get("exclusive", {}).items():
        outline = lex.exclusive.setdefault(dimension, Outline())
        outline.read(block, 1000 * len(outline.senses))
    for dimension, block in data.get("scale", {}).items():
        steps = lex.scales.setdefault(dimension, {})
        for step, words in enumerate(_lines(block)):
            for word in words:
                steps[word] = (*steps.get(word, ()), step)
    for line in data["opposite"]["pairs"].splitlines():
        if "|" in line:
            lex.opposites.add(*([w.strip() for w in side.split(",") if w.strip()] for side in line.split("|")))
    start = 1 + max((n for found in lex.alike.values() for n in found), default=-1)
    for number, words in enumerate(_lines(data["alike"]["sets"]), start):
        for word in words:
            lex.alike[word] = lex.alike.get(word, frozenset()) | {number}


def _read_colors(lex: Lexicon, data: dict[str, Any]) -> None:
    families = _pairs(data["families"])
    lex.family_names = frozenset(name for name, _ in families)
    for name, words in families:
        for word in (name, *words):
            lex.families[word] = lex.families.get(word, frozenset()) | {name}
    lex.neighbours = frozenset(frozenset(pair) for pair in _lines(data["neighbours"]))
    lex.many_colors = frozenset(w for line in _lines(data["sets"]) for w in line)
    for line in data["strength"].splitlines():
        if "|" in line:
            lex.strength.add(*([w.strip() for w in side.split(",") if w.strip()] for side in line.split("|")))


def _read_derivations(lex: Lexicon, data: dict[str, Any]) -> None:
    for base, words in _pairs(data.get("forms", "")):
        for word in (base, *words):
            lex.forms[word] = lex.forms.get(word, frozenset()) | {base}
    for k, v in _pairs(data.get("implies", "")):
        lex.implies[k] = tuple(dict.fromkeys((*lex.implies.get(k, ()), *v)))
    lex.evidence |= {k: tuple(v) for k, v in _pairs(data.get("evidence", ""))}
    lex.spellings |= {pair[0]: pair[1] for pair in _lines(data.get("spellings", ""))}
    for name, words in _pairs(data.get("numbers", "")):
        digits = [int(w) for w in words if w.isdigit()]
        for word in (name, *words):
            lex.numbers.setdefault(word, digits[0])
    lex.vague |= {k: (int(v[0]), int(v[1])) for k, v in _pairs(data.get("vague", ""))}
    lex.empty |= frozenset(w for line in _lines(data.get("empty", "")) for w in line)
    lex.partitive |= frozenset(w for line in _lines(data.get("partitive", "")) for w in line)
    lex.generic |= frozenset(w for line in _lines(data.get("generic", "")) for w in line)
    lex.abstract |= frozenset(w for line in _lines(data.get("abstract", "")) for w in line)
    lex.mild |= frozenset(w for line in _lines(data.get("mild", "")) for w in line)
    for number, line in enumerate(_lines(data.get("near", ""))):
        for word in line:
            lex.near[word] = lex.near.get(word, frozenset()) | {number}


def _read_verbs(lex: Lexicon, tables: list[dict[str, Any]]) -> None:
    number = 0
    for data in tables:
        number = lex.verbs.read(data["classes"], number)
    leading: dict[str, set[int]] = {}
    for senses in lex.verbs.senses.values():
        for sense in senses:
            leading.setdefault(sense.words[0], set()).add(sense.id)

    def across(name: str) -> frozenset[tuple[int, int]]:
        found = set()
        for line in (line for data in tables for line in data.get(name, "").splitlines()):
            sides = [[w.strip() for w in side.split(",") if w.strip()] for side in line.split("|")]
            pairs = combinations(sides[0], 2) if len(sides) == 1 else product(*sides)
            for one, other in pairs:
                found |= {(a, b) for a in leading.get(one, ()) for b in leading.get(other, ())}
        return frozenset(found | {(b, a) for a, b in found})

    lex.verb_conflicts = across("exclusive")
    lex.verb_rivals = across("rivals")
    lex.verb_converses = across("converse")
    lex.light = frozenset(w for data in tables for line in _lines(data.get("light", "")) for w in line)


def _read_relations(lex: Lexicon, tables: list[dict[str, Any]]) -> None:
    for words in (line for data in tables for line in _lines(data["classes"])):
        for word in words:
            known = lex.prepositions.get(word, ())
            if words[0] not in known:
                lex.prepositions[word] = (words[0], *known) if word == words[0] else (*known, words[0])
    lex.prep_opposites = _unordered(tables, "opposites")
    lex.prep_converses = _unordered(tables, "converses")
    lex.flat = frozenset(w for data in tables for line in _lines(data.get("flat", "")) for w in line)
    lex.adverbs = frozenset(w for data in tables for line in _lines(data.get("adverbs", "")) for w in line)
    for group, line in (pair for data in tables for pair in _raw_pairs(data.get("places", ""))):
        for side in line.split("|"):
            words = [w.strip() for w in side.split(",") if w.strip()]
            for word in words:
                lex.places[word] = (*lex.places.get(word, ()), (group, words[0]))


def _unordered(tables: list[dict[str, Any]], name: str) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(pair) for data in tables for pair in _lines(data.get(name, "")))


def _raw_pairs(block: str) -> list[tuple[str, str]]:
    return [(a.strip(), b) for a, _, b in (line.partition(":") for line in block.splitlines() if line.strip())]
