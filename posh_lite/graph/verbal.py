"""Finite verbs that small parsers read as nouns, shown to them as verbs that they always read rightly.

"The soldier in the green vest watches" ends in a thing called "vest watches" for a small model. Before the parse,
agreement and word order decide: behind "a" or "one" a word in -s is no noun, behind a plural subject a bare verb
form is no noun, and a clause without a verb has lost one. Such a verb is shown as "went" or, in front of an object,
"took", which no parser takes for a noun; the conjunction of its clause is shown as "while".
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files

from posh_lite.graph import lexicon
from posh_lite.graph.proxies import Piece

_TABLES: dict[str, str] = tomllib.loads(files("posh_lite.graph").joinpath("verbs.toml").read_text(encoding="utf-8"))


def _words(name: str) -> frozenset[str]:
    return frozenset(_TABLES[name].split())


_TELLING = _words("telling")
VISUAL = _words("visual") - _TELLING
THINGS = _words("things") & VISUAL
_TELLING_FORMS = frozenset(lexicon.third_person(verb) for verb in _TELLING)
_ADJECTIVAL = _words("adjectival")
_GIVING = _words("giving")
#: What the parser is shown; nodes that were shown so are verbs whatever the parser says.
PLAIN_VERBS = frozenset(["went", "took", "holds"])

_SINGULAR = _words("singular_determiners")
_PLURAL = _words("plural_determiners")
_DEFINITE = _words("open_determiners")
_OWNERS = _words("owners")
_DETERMINERS = _SINGULAR | _PLURAL | _DEFINITE | _OWNERS | {"'"}
_SUBJECTS = _words("subjects")
_PLURAL_SUBJECTS = _words("plural_subjects")
_OBJECTS = _words("objects")
_PREPOSITIONS = _words("prepositions")
_PARTICLES = _words("particles")
_ADVERBS = _words("adverbs")
_CLAUSE_WORDS = _words("clause_words")
_FINITE = _words("finite")
_PLURAL_NOUNS = _words("plural_nouns")
_BARE = _words("bare") | lexicon.COLOURS
_NO_ADVERBS = _words("no_adverbs")


#: What follows "bends", "points" and "flares" where they are verbs.
_DIRECTIONS = frozenset(["at", "to", "toward", "towards", "into", "down", "up", "out", "off", "outwards", "upwards"])


@dataclass(slots=True)
class _Words:
    """The sentence as the rules see it: lower-case words, verbs found so far by position."""

    low: list[str]
    nouns: frozenset[str]
    adjectives: frozenset[str]
    verbs: dict[int, str] = field(default_factory=dict)

    def at(self, i: int) -> str:
        return self.low[i] if 0 <= i < len(self.low) else "."

    def is_adverb(self, i: int) -> bool:
        word = self.at(i)
        if word in _ADVERBS or word.endswith("wards"):
            return True
        return word.endswith("ly") and word not in _NO_ADVERBS and word not in self.nouns

    def is_noun(self, i: int) -> bool:
        word = self.at(i)
        if not word[:1].isalpha() or word in _CLOSED:
            return False
        return word in self.nouns or singular(word) in self.nouns or word not in self.adjectives

    def is_plural(self, i: int) -> bool:
        word = self.at(i)
        if word in _PLURAL_NOUNS:
            return True
        return word.endswith("s") and not word.endswith(("ss", "us", "is")) and singular(word) in self.nouns

    def is_finite(self, i: int) -> bool:
        if i in self.verbs or self.at(i) in _FINITE:
            return True
        return self.at(i) in _TELLING_FORMS and self.at(i - 1) not in _DETERMINERS | _PREPOSITIONS


_CLOSED = (
    _DETERMINERS
    | _SUBJECTS
    | _PLURAL_SUBJECTS
    | _OBJECTS
    | _PREPOSITIONS
    | _CLAUSE_WORDS
    | _FINITE
    | {"and", "or", "not"}
) - {"people"}


def singular(word: str) -> str:
    """A plural noun without its ending: "buses" to "bus"."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


@lru_cache(maxsize=4096)
def base_of(word: str) -> str | None:
    """Base form of a visual verb in -s ("watches" to "watch"), or None."""
    if not word.endswith("s") or len(word) < 4:
        return None
    base = word[:-1]
    if base in VISUAL:
        return base
    base = word[:-3] + "y" if word.endswith("ies") else word[:-2]
    return base if base in VISUAL and word.endswith("es") else None


def show_plain_verbs(pieces: Sequence[Piece], nouns: frozenset[str], adjectives: frozenset[str]) -> None:
    """Change ``shown`` of the verbs that grammar finds, and of the conjunctions of their clauses.

    Args:
        pieces: one sentence.
        nouns: base forms that may be nouns.
        adjectives: base forms that may be adjectives.
    """
    words = _Words([p.shown.lower() if not p.quoted else "omega" for p in pieces], nouns, adjectives)
    for i, word in enumerate(words.low):
        if not i or pieces[i].quoted or pieces[i].multiword:
            continue
        if word == "spread" and words.is_noun(i - 1) and words.at(i + 1) in _PREPOSITIONS - {"of"}:
            if not words.is_plural(i - 1) and words.at(i - 1) not in words.adjectives - words.nouns:
                pieces[i].shown = "laid"  # "a net spread across his knees"
            continue
        base = base_of(word)
        if base is not None:
            if _third_person(words, i, base):
                words.verbs[i] = base
        elif word in VISUAL and word not in _ADJECTIVAL and _plural_verb(words, i):
            words.verbs[i] = word
    for i, base in words.verbs.items():
        if _inverted(words, i, base):
            pieces[i].shown = "is" if words.low[i] != base else "are"
        else:
            pieces[i].shown = _plain(words, i, base) or pieces[i].shown
    if words.verbs:
        _conjunctions(pieces, words)


def _third_person(words: _Words, i: int, base: str) -> bool:
    before = words.at(i - 1)
    if before in _SUBJECTS and before not in ("that", "one", "another"):
        return True
    if before in ("that", "one", "another"):
        return before != "that" or words.is_noun(i - 2)
    thing = base in THINGS
    if before in _DETERMINERS or before in _PREPOSITIONS - _PARTICLES or before in lexicon.NUMBERS:
        return False
    if words.is_adverb(i - 1):
        return not thing or (_opens(words, i + 1) and words.is_noun(i - 2))
    if before in ("and", ",", "then", "or", "but"):
        if not any(j < i for j in words.verbs) and not any(words.at(j) in _FINITE for j in range(i)):
            return not thing and before == "," and words.is_noun(i - 2)
        if not thing or (words.at(i + 1) in _DETERMINERS and words.at(i + 1) not in ("that", "'s", "'")):
            return True
        return words.at(i + 1) in _DIRECTIONS or words.at(i + 1).endswith("ward")  # "and points at the group"
    if before in lexicon.COLOURS and words.at(i - 2) != "in" and before not in words.nouns:
        return False
    if not words.is_noun(i - 1):
        return False
    if not thing:
        return before not in lexicon.COLOURS or words.at(i - 2) in ("in", "and")
    return _thing_is_verb(words, i)


def _thing_is_verb(words: _Words, i: int) -> bool:
    """Whether agreement or a missing verb makes a verb of "stands", "watches", "waves" behind a noun."""
    start = _phrase_start(words, i - 1)
    determiner = words.at(start)
    open_end = _opens(words, i + 1) or not words.is_noun(i + 1)
    if start < i - 1 and determiner in _SINGULAR:
        return open_end or words.at(i - 1) in lexicon.ANIMATE or not _finite_after(words, i)
    if words.is_plural(i - 1):
        return words.at(start - 1) in _PREPOSITIONS and not _finite_before(words, i) and not _finite_after(words, i)
    if _finite_after(words, i):
        return False
    if determiner in _DEFINITE | _OWNERS and start < i - 1:
        if words.at(i - 1) in _ANIMATE and open_end:
            return True
        if words.at(i + 1) in _DETERMINERS | _OBJECTS:
            return True
        if words.at(i - 1) in lexicon.COLOURS | lexicon.POSITIONS or not words.is_noun(i - 1):
            return False
        if words.at(i - 1) in words.adjectives and words.at(i - 1) not in words.nouns:
            return False
        return _heads_clause(words, start) and not _finite_before(words, i)
    if words.at(i - 1) in _BARE and words.at(i - 2) in _PREPOSITIONS:
        return _heads_clause(words, start) and not _finite_before(words, i)
    return False


def _heads_clause(words: _Words, start: int) -> bool:
    """Whether the phrase opens its clause, or hangs by a preposition on the phrase that does."""
    for _ in range(3):
        if words.at(start - 1) not in _PREPOSITIONS or start < 2:
            break
        start = _phrase_start(words, start - 2)
        if words.at(start) in _PREPOSITIONS:
            return False
    return start == 0 or words.at(start - 1) in _OPENING


def _plural_verb(words: _Words, i: int) -> bool:
    """Bare verb form behind a plural subject: "two boys juggle balls", "a man and a boy wave"."""
    before = words.at(i - 1)
    if before in ("they", "who") or (before in ("that", "which") and words.is_plural(i - 2)):
        return True
    adverb = words.is_adverb(i - 1)
    last = i - 2 if adverb else i - 1
    if words.at(last) in _CLOSED - {"people"} or not words.is_noun(last):
        return False
    if words.is_noun(i + 1) and not _opens(words, i + 1) and not words.is_plural(i + 1) and not _ends(words, i + 2):
        return False
    if _inverted(words, i, words.at(i)):
        return not _finite_before(words, i)
    start = _phrase_start(words, last)
    in_phrase = words.at(start - 1) in _PREPOSITIONS
    if words.is_plural(last) and not in_phrase:
        return not (words.at(i + 1) in words.nouns and words.is_plural(i + 1) and words.at(start) not in _DETERMINERS)
    if in_phrase:
        subject = words.is_plural(last) and _subject_number(words, start - 1)
        return subject and not _finite_before(words, i) and not _finite_after(words, i)
    joined = words.at(start - 1) == "and" and start < last and words.at(start) in _DETERMINERS
    if not joined or not words.is_noun(start - 2) or (words.is_noun(i + 1) and not words.is_plural(i + 1)):
        return False
    first = _phrase_start(words, start - 2)
    return words.at(first - 1) in _OPENING or (first == 0 and not _finite_after(words, i))


#: What a subject of two may follow: the start of its clause.
_OPENING = frozenset(["while", "as", "and", ",", "where", "when", ";"])


def _subject_number(words: _Words, preposition: int) -> bool:
    """Whether the noun in front of a prepositional phrase is plural."""
    return preposition > 0 and (words.is_plural(preposition - 1) or words.at(preposition - 1) in ("trio", "couple"))


def _phrase_start(words: _Words, i: int) -> int:
    """First word of the noun phrase that ends at ``i``."""
    start = i
    while start > 0 and i - start < 6:
        before = words.at(start - 1)
        if before in _DETERMINERS and before != "'s":
            start -= 1
            if before not in ("other", "few", "many", "several") and before not in _PLURAL:
                break
            continue
        if not before[:1].isalpha() or before in _CLOSED or (start - 1) in words.verbs:
            break
        start -= 1
    return start


def _opens(words: _Words, i: int) -> bool:
    """Whether the word may follow a verb but hardly the end of a compound."""
    word = words.at(i)
    return (word in _CLOSED and word not in _FINITE) or not word[:1].isalnum() or words.is_adverb(i)


def _ends(words: _Words, i: int) -> bool:
    return not words.at(i)[:1].isalnum() or words.at(i) in _CLOSED


def _boundary(words: _Words, i: int) -> bool:
    return words.at(i) in _CLAUSE_WORDS or words.at(i) in (";", ":", ".", "(", ")")


def _finite_before(words: _Words, i: int) -> bool:
    for j in range(i - 1, -1, -1):
        if words.is_finite(j):
            return True
        if _boundary(words, j) or (words.at(j) == "and" and words.at(j - 1) == ","):
            return False
        if words.at(j) == "and" and words.at(j + 1) in _DETERMINERS:
            head = next((k for k in range(j + 2, min(i, j + 6)) if words.at(k) in _ANIMATE), None)
            if head is not None and (words.at(head + 1) in _PREPOSITIONS or head == i - 1):
                return False  # "... on a mat and the soldier in the vest watches"
    return False


_ANIMATE = lexicon.ANIMATE | lexicon.MALE | lexicon.FEMALE


def _finite_after(words: _Words, i: int) -> bool:
    """Whether the clause has another verb behind ``i``, which agrees with a plural."""
    for j in range(i + 1, len(words.low)):
        word = words.at(j)
        if _boundary(words, j) or word in ("and", ","):
            return False
        if word in _FINITE:
            return True
        if word in VISUAL and words.at(j - 1) not in _DETERMINERS | _PREPOSITIONS and word not in words.adjectives:
            if j == i + 1 or words.is_plural(j - 1):
                return True
        elif (other := base_of(word)) is not None and other not in THINGS and words.is_noun(j - 1):
            return True
    return False


_STANDING = _words("standing")


def _inverted(words: _Words, i: int, base: str) -> bool:
    """As in "behind the wall stands a house", "in the corner hang a hamper and a pail"."""
    if base not in _STANDING or words.at(i + 1) not in _DETERMINERS - _OWNERS:
        return False
    start = i
    while start > 0 and words.at(start - 1) != "," and not _boundary(words, start - 1):
        start -= 1
    if words.at(start) == "and":
        start += 1
    return words.at(start) in _PREPOSITIONS and words.at(start) not in ("like", "holding", "wearing", "carrying")


def _taking(words: _Words, i: int) -> str:
    return "holds" if words.at(i).endswith("s") and words.at(i) not in VISUAL else "took"


def _plain(words: _Words, i: int, base: str) -> str:
    """The plain verb of the same valency; empty where the verb is best shown itself."""
    after = i + 1
    while words.is_adverb(after) and words.at(after).endswith("ly"):
        after += 1
    word = words.at(after)
    if word in _PREPOSITIONS or word in _CLAUSE_WORDS - {"that"} or not word[:1].isalnum():
        return "went"
    if word in _DETERMINERS | _OBJECTS:
        return "" if base in _GIVING else _taking(words, i)  # "gives a man a cup" is best left alone
    if words.is_adverb(after) or word in ("and", "or", "to", "not") or word.endswith("ing"):
        return "went"
    if word[:1].isdigit():
        return _taking(words, i)
    while words.at(after) in words.adjectives and words.at(after) not in _CLOSED and not _ends(words, after + 1):
        after += 1
    return _taking(words, i) if words.is_noun(after) and words.at(after) not in words.adjectives else "went"


def _conjunctions(pieces: Sequence[Piece], words: _Words) -> None:
    """Show "as" and "and" in front of a whole clause as "while"."""
    seen = False
    for i, word in enumerate(words.low):
        if words.is_finite(i):
            seen = True
        if word not in ("as", "and") or pieces[i].multiword or not (seen or (word == "as" and not i)):
            continue
        if words.at(i - 1) in ("as", "such", "same", "known", "and") or words.at(i + 1) in ("if", "though", "well"):
            continue
        verb = _clause_verb(words, i + 1)
        if verb is not None and (word == "as" or _own_subject(words, i + 1, verb)):
            pieces[i].shown = "While" if pieces[i].shown[:1].isupper() else "while"


def _clause_verb(words: _Words, start: int) -> int | None:
    if words.at(start) not in _DETERMINERS | _SUBJECTS | {"they"} and not words.is_noun(start):
        return None
    joined = False
    for j in range(start, len(words.low)):
        if words.is_finite(j):
            return j if not joined or not words.at(j).endswith("s") else None
        listing = words.at(j) == "," and words.at(j + 1) not in words.adjectives | lexicon.SHADES
        if _boundary(words, j) or listing or (words.at(j) == "and" and (joined or words.at(j + 1) not in _DETERMINERS)):
            return None
        joined = joined or words.at(j) == "and"
    return None


def _own_subject(words: _Words, start: int, verb: int) -> bool:
    """Whether the phrase behind "and" is the singular subject of the verb, in agreement."""
    third = words.at(verb).endswith("s") or "and" in words.low[start:verb] or words.is_plural(verb - 1)
    return start < verb < start + 7 and third and words.at(start) in _DETERMINERS
