"""Small closed word lists of the visual domain that steer the extraction, read from ``lexicon.toml``.

The lists hold lower-case lemmas, or words where a form matters.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

_TABLES: dict[str, Any] = tomllib.loads(files("posh_lite.graph").joinpath("lexicon.toml").read_text(encoding="utf-8"))


def _words(name: str) -> frozenset[str]:
    return frozenset(_TABLES[name].split())


def _phrases(name: str) -> dict[tuple[str, ...], str]:
    """From each phrase, as words, to the plain word that the parser is shown for it."""
    table: dict[str, str] = _TABLES[name]
    return {tuple(phrase.split()): shown for shown, phrases in table.items() for phrase in phrases.split("|")}


#: "in front of" and the like.
MULTIWORD_PREPOSITIONS = _phrases("multiword_prepositions")
#: "side by side", "in addition": the noun in them names nothing.
MULTIWORD_ADVERBS = _phrases("multiword_adverbs")
_HYPHEN_LAST = {part: shown for shown, parts in _TABLES["hyphen_last"].items() for part in parts.split()}
_HYPHEN_WHOLE: dict[str, str] = _TABLES["hyphen_whole"]

COLOURS = _words("colours")
#: Words that make one attribute with the colour behind them ("dark gray").
SHADES = _words("shades")
#: Colours that are often things; never hidden in a list of colours.
THING_COLOURS = _words("thing_colours")
PATTERNS = _words("patterns")
MATERIALS = _words("materials")
#: Colours, patterns and materials by themselves describe the subject ("the bench is wood").
SURFACES = COLOURS | PATTERNS | MATERIALS
#: Nouns that describe more than they name when they stand in front of another noun.
DESCRIPTIVE_NOUNS = SURFACES | _words("descriptive_nouns")
#: Nouns that "light" names the kind of, rather than the colour or weight.
LIT_THINGS = _words("lit_things")
POSITIONS = _words("positions")
#: Adjectives that describe nothing visible.
IDLE_ADJECTIVES = _words("idle_adjectives")
#: Adverbs that say how much or how sure, not what is seen.
HEDGES = _words("hedges")
#: Adverbs that never belong to the words of a relation.
IDLE_ADVERBS = _words("idle_adverbs")

PERSONAL_PRONOUNS = _words("personal_pronouns")
#: Determiners and numbers that stand alone for a thing ("both wear hats").
LONE_QUANTIFIERS = _words("lone_quantifiers")
VIEWER_PRONOUNS = _words("viewer_pronouns")
VIEWER_NOUNS = _words("viewer_nouns")
PICTURE_NOUNS = _words("picture_nouns")
#: Works that may also hang inside the picture.
WORK_NOUNS = _words("work_nouns") | {"still life"}
REGIONS = _words("regions")
#: Region words whatever stands around them; the others need the frame or a viewer's article.
SURE_REGIONS = _words("sure_regions")
PART_NOUNS = _words("part_nouns")
WRITING_NOUNS = _words("writing_nouns")
#: Nouns in fixed phrases that name nothing ("in addition", "blue in color").
IDLE_OBJECTS = _words("idle_objects")
IDLE_NOUNS = _words("idle_nouns")
MALE = _words("male")
FEMALE = _words("female")
ANIMATE = _words("animate")

#: "a pair of scissors": the head is what follows "of". Values are stated numbers, 0 where none is.
COLLECTIVES: dict[str, int] = {**dict.fromkeys(_TABLES["collectives"].split(), 0), **_TABLES["collective_counts"]}
#: Collectives that are things of their own when something is said of them ("two long rows of trees").
PLURAL_ONLY = _words("plural_only")
#: One thing with a plural name.
PAIRED = _words("paired")
QUANTIFIERS = _words("quantifiers")
#: Determiners that state a quantity worth asking.
QUANTITY_DETERMINERS = _words("quantity_determiners")
NUMBERS: dict[str, int] = {
    **{word: number for number, word in enumerate(_TABLES["numbers"].split())},
    **{"single": 1, "dozen": 12, "both": 2, "a": 1, "an": 1},
}

#: Prepositions that place nothing ("because of", "during").
IDLE_PREPOSITIONS = _words("idle_prepositions")
#: What a picture does to what is in it.
PRESENTING = _words("presenting")
#: Predicates that only say where something is.
PLACING = _words("placing")
SEEMING = _words("seeming")
#: Verbs whose object is part of the subject ("has", "wears").
OWNING = _words("owning")
NEGATIVE_VERBS = _words("negative_verbs")
NEGATIVE_ADVERBS = _words("negative_adverbs")
NEGATIVE_ADJECTIVES = _words("negative_adjectives")
NEGATIVE_PREPOSITIONS = frozenset(phrase.strip() for phrase in _TABLES["negative_prepositions"].split("|"))
#: What may follow "our left" where it is a noun.
AFTER_SIDES = _words("after_sides")
#: Prepositions of movement and contact, which follow verbs.
DIRECTIONS = _words("directions")
#: Verbs that hardly ever are nouns in a description.
POSTURES = _words("postures")
#: Third-person verbs that small taggers read as plural nouns ("the mantle drapes over").
NOUN_LIKE_VERBS = _words("noun_like_verbs")
#: The same for plural subjects ("curls frame her face", "trees line the path").
NOUN_LIKE_PLURAL_VERBS = _words("noun_like_plural_verbs")
#: Of these, the ones that are things as often as not.
OFTEN_THINGS = _words("often_things")
#: Words in -ing that are things.
ING_THINGS = _words("ing_things")
#: Verb lemmas that rule-based lemmatizers get wrong.
LEMMAS: dict[str, str] = _TABLES["lemmas"]


def hyphen_proxy(parts: list[str]) -> str:
    """The plain word that stands for a hyphenated one in the parse: usually its last part."""
    low = [p.lower() for p in parts]
    whole = "-".join(low)
    if any(p in ("of", "to", "the", "and", "in") for p in low[1:-1]) and whole not in _HYPHEN_WHOLE:
        last = "blurry"  # "out-of-focus": any plain adjective
    else:
        last = _HYPHEN_WHOLE.get(whole) or _HYPHEN_LAST.get(low[-1], low[-1])
    return last.capitalize() if parts[0][:1].isupper() else last


def verb_lemma(word: str) -> str:
    """Base form of a third-person verb: "drapes" to "drape", "reaches" to "reach"."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes", "tzes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word


def third_person(verb: str) -> str:
    """Form in -s of a verb: "carry" to "carries", "watch" to "watches"."""
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def gerund_lemma(word: str) -> str:
    """Base form of an -ing word: "dominating" to "dominate", "sitting" to "sit"."""
    stem = word.removesuffix("ing")
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "lsz":
        return stem[:-1]
    return stem + "e" if stem.endswith(("at", "v", "c", "g", "iz", "u", "os", "ir", "in")) and len(stem) > 3 else stem
