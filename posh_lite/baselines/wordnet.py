"""WordNet for METEOR's synonyms: where it is looked for, and what stands in where it is not."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from posh_lite.errors import InputError

#: What the database consists of, as Princeton ships it; ``lexnames`` is missing from Debian's package and not needed.
_FILES = ("data.noun", "data.verb", "data.adj", "data.adv", "index.noun", "index.verb", "index.adj", "index.adv")
#: Debian's package "wordnet-base", and what a Princeton tarball makes.
_PLACES = ("/usr/share/wordnet", "/usr/local/WordNet-3.0/dict", "/usr/local/share/wordnet")
#: Endings by part of speech, as WordNet's own look-up takes them off.
_ENDINGS = {
    "noun": (("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
             ("men", "man"), ("ies", "y")),
    "verb": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}  # fmt: skip


class NoSynonyms:
    """A WordNet that knows no word: exact words and stems alone are left."""

    signature = "none"

    def synsets(self, word: str) -> list[Any]:
        """Nothing."""
        return []


@dataclass(frozen=True, slots=True)
class _Lemma:
    text: str

    def name(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class _Synset:
    words: tuple[str, ...]

    def lemmas(self) -> list[_Lemma]:
        return [_Lemma(w) for w in self.words]


@dataclass(slots=True)
class WordNet:
    """Synonyms from the files of a WordNet database: just what METEOR asks of NLTK's reader.

    NLTK's own reader insists on a file that Debian's package lacks and on a folder layout of its own.

    Attributes:
        folder: with ``index.noun``, ``data.noun`` and so on.
    """

    folder: Path
    _index: dict[str, list[tuple[str, int]]] = field(default_factory=dict, repr=False)
    _exceptions: dict[str, dict[str, list[str]]] = field(default_factory=dict, repr=False)
    _data: dict[str, bytes] = field(default_factory=dict, repr=False)

    @property
    def signature(self) -> str:
        import hashlib

        return f"wordnet-{hashlib.sha256((self.folder / 'data.noun').read_bytes()).hexdigest()[:10]}"

    def synsets(self, word: str) -> list[_Synset]:
        """Every synset of a word, of its base forms too, as NLTK's ``synsets(word)``."""
        self._load()
        found: list[_Synset] = []
        for part in ("noun", "verb", "adj", "adv"):
            forms = dict.fromkeys(self._forms(word.lower(), part))
            found += [self._synset(part, o) for form in forms for p, o in self._index.get(form, ()) if p == part]
        return found

    def _forms(self, word: str, part: str) -> list[str]:
        """The word and its base forms: its exceptions, or what is left when a known ending is taken off once."""
        listed = self._exceptions[part].get(word)
        bare = [word[: -len(old)] + new for old, new in _ENDINGS[part] if word.endswith(old)]
        return [word, *(bare if listed is None else listed)]

    def _load(self) -> None:
        if self._index:
            return
        for part in ("noun", "verb", "adj", "adv"):
            self._data[part] = (self.folder / f"data.{part}").read_bytes()
            for line in (self.folder / f"index.{part}").read_text("utf-8").splitlines():
                if line.startswith(" "):
                    continue  # the licence
                fields = line.split()
                senses = int(fields[2])
                self._index.setdefault(fields[0], []).extend((part, int(o)) for o in fields[-senses:])
            listed = self.folder / f"{part}.exc"
            lines = listed.read_text("utf-8").splitlines() if listed.is_file() else []
            self._exceptions[part] = {f[0]: f[1:] for f in (line.split() for line in lines) if len(f) > 1}

    def _synset(self, part: str, offset: int) -> _Synset:
        end = self._data[part].index(b"\n", offset)
        fields = self._data[part][offset:end].decode("utf-8").split()
        count = int(fields[3], 16)
        # an adjective may carry its position, "awake(p)"
        return _Synset(tuple(w.split("(")[0] for w in fields[4 : 4 + 2 * count : 2]))


def wordnet_folder() -> Path | None:
    """The folder of a WordNet database: the variable ``WNSEARCHDIR``, ``WNHOME/dict``, or where systems put it."""
    home = os.environ.get("WNHOME")
    places = [os.environ.get("WNSEARCHDIR"), f"{home}/dict" if home else None, *_PLACES]
    return next((Path(p) for p in places if p and all((Path(p) / f).is_file() for f in _FILES)), None)


def open_wordnet(folder: str | Path | None = None) -> WordNet:
    """WordNet from a folder, or from where :func:`wordnet_folder` finds it.

    Raises:
        InputError: it is not there.
    """
    place = wordnet_folder() if folder is None else Path(folder)
    if place is None or not all((place / f).is_file() for f in _FILES):
        raise InputError(f"no WordNet {'on this machine' if place is None else f'in {place}'}; {_HOW}")
    return WordNet(place)


_HOW = "install Debian's wordnet-base, or name a folder with data.noun and index.noun in the variable WNSEARCHDIR"


def lacks_wordnet() -> list[str]:
    """What keeps METEOR from its synonyms, for the registry."""
    return [] if wordnet_folder() else [f"no WordNet: {_HOW}"]
