"""Verbs that a small parser read as nouns, found on its first parse and shown as plain verbs in the second."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from posh_lite.graph import lexicon

_MODIFYING = ("compound", "nsubj", "nmod", "amod")
_OPENS_ARGUMENT = frozenset(["IN", "RP", "TO", "RB", "DT", "PRP$", "CD", "EX"])


@dataclass(frozen=True, slots=True)
class FirstParse:
    """The words as shown, with tag, dependency and head position of each."""

    words: Sequence[str]
    tags: Sequence[str]
    deps: Sequence[str]
    heads: Sequence[int]

    @property
    def verbless(self) -> bool:
        """No root is a verb: a fragment, or a verb was missed."""
        return not any(d == "ROOT" and t.startswith(("VB", "MD")) for d, t in zip(self.deps, self.tags, strict=True))


def verbs_read_as_nouns(parse: FirstParse, verbs: frozenset[str]) -> dict[int, str]:
    """Plain verbs to show instead of nouns in "the mantle drapes over one shoulder and wraps around her".

    Args:
        parse: the first parse of one sentence.
        verbs: base forms that may be verbs.

    Returns:
        Word to show by position; empty where the parse is believed.
    """
    found = dict(_after_comma(parse))
    verbless = parse.verbless
    for i in range(1, len(parse.words) - 1):
        if i in found or parse.tags[i] not in ("NN", "NNS", "NNP", "NNPS"):
            continue
        if _disagrees(parse, i, verbs) or (verbless and _missed(parse, i, verbs)):
            found[i] = _plain_verb(parse, i)
    if found:
        found.update(_coordinated(parse, found))
    return found


def _after_comma(parse: FirstParse) -> Iterator[tuple[int, str]]:
    """As in "the cat, a tabby, lies curled up"; "the man, to our right, tips back"."""
    for i in range(2, len(parse.words) - 1):
        low = parse.words[i].lower()
        if (
            parse.tags[i] == "NNS"
            and parse.words[i - 1] == ","
            and low in lexicon.NOUN_LIKE_VERBS - lexicon.OFTEN_THINGS
        ) and (parse.tags[i + 1] in _OPENS_ARGUMENT or parse.tags[i + 1] in ("VBN", "VBG")):
            yield i, _plain_verb(parse, i)
        elif (
            parse.tags[i] == "NNS"
            and parse.words[i - 1] == "and"
            and parse.tags[i - 2] in ("NN", "NNP")
            and low in lexicon.NOUN_LIKE_VERBS
            and parse.words[i + 1] in lexicon.DIRECTIONS
        ):
            yield i, _plain_verb(parse, i)  # "over one shoulder and wraps around her hips"


def _disagrees(parse: FirstParse, i: int, verbs: frozenset[str]) -> bool:
    """A noun that cannot be one: "a carriage rolls along", "her bodice laces up and its sleeves are pushed"."""
    low, tag, before, after = parse.words[i].lower(), parse.tags[i], parse.tags[i - 1], parse.tags[i + 1]
    if _base(low) in lexicon.POSTURES and before.startswith("NN") and after in ("VBN", "VBG"):
        return True  # "a terrier lies curled up"
    if after not in _OPENS_ARGUMENT or not before.startswith(("NN", "RB")):
        return False
    if _base(low) in lexicon.POSTURES and before.startswith("NN") and after in ("IN", "RB", "RP"):
        return True
    if tag != "NNS" or _base(low) == low or _base(low) not in verbs:
        return False
    compound = parse.heads[i - 1] == i and parse.deps[i - 1] in _MODIFYING and before in ("NN", "NNP")
    if compound and any(
        parse.heads[j] == i and parse.words[j].lower() in ("a", "an", "one", "this", "each")
        for j in range(max(0, i - 8), i)
    ):
        return True
    governor = parse.heads[i]
    if compound and parse.deps[i] in ("nsubj", "nsubjpass"):  # a second subject of the same verb
        later = range(i + 1, len(parse.words))
        return any(parse.heads[j] == governor and parse.deps[j] in ("nsubj", "nsubjpass") for j in later)
    conjoined = parse.deps[i] == "conj" and parse.tags[governor].startswith("VB")
    return conjoined and (compound or before == "RB")


def _missed(parse: FirstParse, i: int, verbs: frozenset[str]) -> bool:
    """Whether the noun at ``i`` is the verb that the sentence lacks."""
    low, before, after = parse.words[i].lower(), parse.tags[i - 1], parse.tags[i + 1]
    listed = low in lexicon.NOUN_LIKE_VERBS or low in lexicon.NOUN_LIKE_PLURAL_VERBS
    if low in lexicon.NOUN_LIKE_VERBS and i > 2 and parse.words[i - 1].lower() in lexicon.COLOURS:
        return parse.words[i - 2].lower() == "in"  # "a man dressed in black stands there"
    if parse.heads[i - 1] != i or parse.deps[i - 1] not in _MODIFYING:
        return False
    if parse.deps[i] in ("pobj", "dobj"):  # "a flag with stripes flies from a pole"
        return low not in lexicon.OFTEN_THINGS and _base(low) in verbs and after in _OPENS_ARGUMENT
    if parse.deps[i] not in ("ROOT", "conj", "appos", "ccomp", "dep"):
        return False
    third_person = _base(low) != low
    several = before in ("NNS", "NNPS") or "and" in parse.words[max(0, i - 6) : i]
    agrees = before in ("NN", "NNP") if third_person else several
    if not agrees:
        return False
    if third_person and parse.deps[i] == "ROOT" and _base(low) in verbs:
        return True
    return (listed or (parse.deps[i] == "ROOT" and _base(low) in verbs)) and after in _OPENS_ARGUMENT


def _coordinated(parse: FirstParse, found: dict[int, str]) -> Iterator[tuple[int, str]]:
    """Once one verb was missed, "and wraps around" is one too."""
    for i in range(1, len(parse.words) - 1):
        low = parse.words[i].lower()
        noun_like = low in lexicon.NOUN_LIKE_VERBS or low in lexicon.NOUN_LIKE_PLURAL_VERBS
        if (
            i not in found
            and noun_like
            and parse.tags[i].startswith("NN")
            and parse.words[i - 1].lower() in ("and", ",")
        ) and parse.tags[i + 1] in _OPENS_ARGUMENT:
            yield i, _plain_verb(parse, i)


def _base(low: str) -> str:
    return lexicon.verb_lemma(low) if low.endswith("s") and not low.endswith("ss") else low


def _plain_verb(parse: FirstParse, i: int) -> str:
    low = parse.words[i].lower()
    singular = _base(low) != low
    if parse.tags[i + 1] in ("DT", "PRP$", "CD"):
        return "has" if singular else "have"
    return "is" if singular else "are"
