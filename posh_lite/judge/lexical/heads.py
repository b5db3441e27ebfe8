"""How well the class name of one entity is covered by another's ("gentleman" by "man", "wine glass" by "glass")."""

from __future__ import annotations

from functools import cache

from posh_lite.judge.lexical import words
from posh_lite.judge.lexical.lexicon import Sense, lexicon, word_set
from posh_lite.judge.lexical.words import BROADER, CONFLICT, PARTIAL, SAME, SYNONYM, UNRELATED

#: Compounds that are not a kind of their last word.
_EXOCENTRIC = frozenset({"hot dog", "sea lion", "ladybug", "skyline", "hydrant", "french fries", "eyeglasses"})
#: Words that end in another word without being its kind.
_OPAQUE = word_set(
    "pineapple eggplant seahorse butterfly dragonfly horseback forehead keyboard cardboard starfish jellyfish rainbow"
    " elbow wallpaper hourglass skyline coastline outline necklace mushroom hillside seaside riverside mountainside"
    " background foreground playground waterfall sidewalk candlestick lipstick staircase fireplace windshield earring"
    " headline landscape silhouette nightstand grandstand bandstand handstand handrail headboard dashboard"
)
#: Nouns that stand for the person whatever their trade.
_PERSON = "person"
#: Lines of the nouns that only say that somebody stands by another.
_BESIDE = frozenset({"friend", "neighbor", "colleague"})
#: Lines of people that are several.
GROUPS = frozenset({
    "couple", "crowd", "family", "band", "group", "trio", "quartet", "quintet", "team", "audience", "crew",
})
SIBLING = 1.9  # two kinds of one narrow kind ("bonnet", "cap"): there, and wrongly named
NEAR = 3.5  # two names that captioners give to one thing ("tavern", "inn")
WEAK = 1.9  # same last word, another kind ("coffee table", "dining table")


@cache
def singular(noun: str) -> tuple[str, ...]:
    """Forms of a noun phrase to look up: as it is, and with its last word in the singular."""
    noun = " ".join(words.tokens(noun)) or noun
    first, _, last = noun.rpartition(" ")
    forms = [noun]
    for form in words.variants(last):
        verbal = form.endswith("ing") and not last.endswith("ings")
        if verbal or (last.endswith(("ing", "ed", "er")) and form != last):
            continue
        forms.append(f"{first} {form}".strip())
    return tuple(dict.fromkeys(forms))


@cache
def repaired(head: str) -> tuple[str, str]:
    """A clause that a parser took for a compound, undone: "man stroll" is a man and the action "stroll"."""
    lex = lexicon()
    first, _, last = head.rpartition(" ")
    if not first or last.endswith("er") or head in lex.nouns.senses:
        return head, ""
    verb = next((v for v in (*words.variants(last), last + "e") if v in lex.verbs.senses), "")
    only = bool(verb) and last.endswith("s") and not any(v in lex.nouns.senses for v in words.variants(last))
    if verb and (is_living(first) or ((only or verb in _POSTURES) and senses(first))):
        return first, verb
    return head, ""


_POSTURES = word_set("sit stand lie rest hang float rise lean hover loom share")


@cache
def senses(noun: str) -> tuple[Sense, ...]:
    """Senses of a noun or compound, plural or singular; empty where the lexicon does not know it whole."""
    lex = lexicon()
    found: dict[int, Sense] = {}
    for form in singular(noun):
        for sense in lex.nouns.of(form):
            found.setdefault(sense.id, sense)
        joined = form.replace(" ", "")
        for sense in lex.nouns.of(joined) if joined != form else ():
            found.setdefault(sense.id, sense)
        if found:
            break
    return tuple(found.values())


@cache
def is_person(noun: str) -> bool:
    """Whether the noun names people."""
    return any(s.words[0] == _PERSON for sense in senses(noun) for s in sense.chain()) or (
        " " in noun and not senses(noun) and is_person(noun.rpartition(" ")[2])
    )


@cache
def is_group(noun: str) -> bool:
    """Whether the singular noun stands for several people."""
    return any(s.words[0] in GROUPS for s in senses(noun))


@cache
def is_living(noun: str) -> bool:
    """Whether the noun names people or animals."""
    return is_person(noun) or any(
        s.words[0] == "animal" for sense in senses(noun) or senses(noun.rpartition(" ")[2]) for s in sense.chain()
    )


@cache
def traits(noun: str) -> frozenset[str]:
    """Gender and age that the noun states: any of ``m f c b a o``; ``r`` for a trade."""
    found = senses(noun) or senses(noun.rpartition(" ")[2])
    return found[0].marks if found else frozenset()


@cache
def has_trade(noun: str) -> bool:
    """Whether any sense of the noun is a trade or part played."""
    return any("r" in sense.marks for sense in senses(noun) or senses(noun.rpartition(" ")[2]))


@cache
def grade(source: str, target: str) -> float:
    """1 to 5 where the target's noun covers the source's, ``CONFLICT`` for excluding kinds, 0 if nothing is known."""
    if source == target:
        return SAME
    ones, others = singular(source), singular(target)
    if set(ones) & set(others):
        return SAME
    if source.replace(" ", "") == target.replace(" ", ""):
        return SAME
    if " " not in source and " " not in target:
        mine, theirs = _lineage(source), _lineage(target)
        if mine and theirs and mine.isdisjoint(theirs) and not near(source, target):
            return 3.8 if closed(target, source) else 3.2 if closed(source, target) else CONFLICT
    best = _by_senses(source, target)
    if best >= PARTIAL:
        return best
    if near(source, target):
        return max(best, NEAR)
    if best == SIBLING and " " not in source and " " not in target and closed(target, source):
        return 3.6
    compound = _compounds(source, target)
    if compound != UNRELATED:
        return compound
    if best != UNRELATED:
        return best
    return _closed_compound(ones[-1], others[-1])


@cache
def near(source: str, target: str) -> bool:
    """Whether captioners use the two nouns for one and the same thing ("bonnet" and "cap")."""
    table = lexicon().near
    lines = [frozenset().union(*(table.get(form, frozenset()) for form in singular(noun))) for noun in (source, target)]
    return not lines[0].isdisjoint(lines[1])


def closed(long: str, short: str) -> str:
    """The first part of a word that ends in the other ("sand" of "sandcastle" and "castle"), or nothing."""
    first = long.removesuffix(short)
    if not 3 <= len(first) < len(long) or len(short) < 4 or long in _OPAQUE:
        return ""
    return first if first in lexicon().nouns.senses else ""


@cache
def _lineage(noun: str) -> frozenset[int]:
    """Ids of the noun's senses and of every broader one."""
    return frozenset(s.id for sense in senses(noun) for s in sense.chain())


def _by_senses(source: str, target: str) -> float:
    best = UNRELATED
    for x in senses(source):
        for y in senses(target):
            here = words.sense_grade(x, y, CONFLICT)
            if here == CONFLICT and x.parent is not None and x.parent is y.parent and not x.parent.loose:
                here = SIBLING
            if _people(x) and _people(y):
                here = _person_grade(x, y, here)
            best = here if best == UNRELATED else max(best, here)
    return best


def _people(sense: Sense) -> bool:
    return any(s.words[0] == _PERSON for s in sense.chain())


def _person_grade(x: Sense, y: Sense, taxonomic: float) -> float:
    """Gender and age decide between people; a trade is compatible with both."""
    genders_x, genders_y = x.marks & {"m", "f"}, y.marks & {"m", "f"}
    if genders_x and genders_y and not genders_x & genders_y:
        return CONFLICT
    young_x, young_y = _stage(x), _stage(y)
    if young_x and young_y and young_x != young_y:
        return SIBLING
    if taxonomic > SIBLING:
        return taxonomic
    if (x.words[0] in GROUPS) != (y.words[0] in GROUPS):
        return 3.4
    role_x, role_y = "r" in x.marks, "r" in y.marks
    if role_x and role_y:
        return CONFLICT
    plain = {"person", "adult", "man", "woman", "child", "boy", "girl", "young man", "young woman"}
    if {x.words[0], y.words[0]} & _BESIDE:
        return 3.4  # "her companion" is any of the people
    if role_x and y.words[0] in plain:
        return 2.6
    if role_y and x.words[0] in plain:
        return 3.8 if _stage(x) != "child" else 3.4
    if x.words[0] in plain and y.words[0] in plain and genders_x and genders_y:
        return 3.2
    return CONFLICT


def _stage(sense: Sense) -> str:
    if sense.marks & {"c", "b"}:
        return "child"
    if "a" in sense.marks or sense.words[0] in ("man", "woman"):
        return "adult"
    return ""


def _compounds(source: str, target: str) -> float:
    """Compare by the last word, then by what stands before it."""
    if " " not in source and " " not in target:
        return UNRELATED
    if source in _EXOCENTRIC or target in _EXOCENTRIC:
        return UNRELATED
    if not words.tokens(source) or not words.tokens(target):
        return UNRELATED
    *before, last = words.tokens(source)
    *before_target, last_target = words.tokens(target)
    base = grade(last, last_target)
    if SIBLING <= base < PARTIAL and is_person(source) and is_person(target):
        return base
    if base < PARTIAL:
        # "soccer player" by "athlete": the whole compound against a single word was tried by its senses.
        return UNRELATED
    if not (before and before_target) and (_named_after(source) or _named_after(target)):
        return WEAK
    if not before:
        return min(base, 4.6)
    if not before_target:
        if any(describes(m) for m in before):
            return WEAK
        return min(base, 3.0) if not senses(source) else min(base, 3.4)
    covered = [max(max(words.alike(m, t), grade(m, t)) for t in before_target) for m in before]
    if all(g >= PARTIAL for g in covered):
        return min(base, max(4.2, min(covered)))
    return WEAK


def evident(noun: str, said: set[str]) -> bool:
    """Whether the words said of a person show the trade that the noun names ("rider" by "on horseback")."""
    if not has_trade(noun):
        return False
    table = lexicon().evidence
    shows = [w for form in singular(noun) for w in table.get(form.rpartition(" ")[2], ())]
    return any(words.stem(w) == words.stem(o) or (len(w) >= 5 and o.startswith(w)) for w in shows for o in said)


def _named_after(noun: str) -> bool:
    """Whether a compound is no kind of its last word ("teddy bear")."""
    return " " in noun and any("x" in s.marks for s in senses(noun))


@cache
def describes(word: str) -> bool:
    """Whether a compound's first word is a property ("barefoot child") rather than a kind ("tennis ball")."""
    lex = lexicon()
    return word not in lex.nouns.senses and (
        word in lex.opposites.sides or word in lex.alike or word in lex.families or word in lex.forms
        or any(word in o.senses for o in lex.exclusive.values()) or any(word in s for s in lex.scales.values())
    )  # fmt: skip


def _closed_compound(source: str, target: str) -> float:
    """"rowboat" by "boat", "bookshelf" by "shelf": one word ends in the other."""
    if min(len(source), len(target)) >= 4:
        if target.endswith(source) and len(target) - len(source) >= 3:
            return BROADER
        if source.endswith(target) and len(source) - len(target) >= 3:
            return 3.5
    grade_ = words.alike(source, target)
    return SYNONYM if grade_ >= words.DERIVED else UNRELATED
