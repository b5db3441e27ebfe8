"""How alike the words of two relations are, whatever they relate."""

from __future__ import annotations

from functools import cache

from posh_lite.judge.lexical import words
from posh_lite.judge.lexical.lexicon import lexicon, word_set
from posh_lite.judge.lexical.view import verb_words
from posh_lite.judge.lexical.words import CONFLICT, PARTIAL, UNRELATED

_ALSO_VERBS = word_set("near like over down up round past about through in on")
OWNING = word_set("have possess own wear feature show include contain bear display boast sport")
SAYING = frozenset({"with", "of", "in", "on", "at"})
HOLDING = word_set("hold carry grasp clutch cradle bear take use support lift raise")
#: Postures that a lifeless thing has all at once.
RESTING = word_set("sit stand lie rest perch set place locate situate position")
_INSTRUMENT = frozenset({"with", "by", "in", "of"})
WEARING = word_set("wear in with have dress don sport clothe attire garb outfit")


@cache
def split(lemma: str) -> tuple[tuple[str, ...], str]:
    """Verb words and preposition of a relation: ("lean",) and "on" for "lean on"; () and "in" for "in"."""
    lex = lexicon()
    parts = lemma.split()
    for start in range(len(parts)):
        rest = " ".join(parts[start:])
        if rest in lex.prepositions and (start or rest not in lex.verbs.senses or rest in _ALSO_VERBS):
            before = " ".join(parts[:start])
            if rest in ("to", "from", "in", "with") and set(verb_words(before)) & _ATTACHING:
                rest = "on"
            if not before or before in lex.adverbs:  # "directly behind"
                return (), rest
            whole = (lemma,) if lemma in lex.verbs.senses else ()  # "crowd around", a verb of its own
            return (*whole, *verb_words(before)), rest
    for stop in range(len(parts) - 1, 0, -1):  # "near stand": an inverted clause
        rest = " ".join(parts[:stop])
        if rest in lex.prepositions:
            return verb_words(" ".join(parts[stop:])), rest
    return (verb_words(lemma), "")


_ATTACHING = word_set("attach hang mount fix affix fasten pin secure nail glue suspend")
_DIRECTIONS = (
    ("up", "down"), ("away", "toward"), ("away", "at"), ("left", "right"), ("in", "out"), ("forward", "back"),
)  # fmt: skip


def _against(source: str, target: str) -> bool:
    """Whether the two turn to opposite sides: "look up at" and "look down at"."""
    one, other = set(source.split()), set(target.split())
    prepositions_ = lexicon().prepositions
    mine, theirs = ([w for w in a - b if w not in prepositions_] for a, b in ((one, other), (other, one)))
    if any(words.alike(p, q) == CONFLICT for p in mine for q in theirs):
        return True
    if any((p in one and q in other and p not in other) or (q in one and p in other and q not in other)
           for p, q in _DIRECTIONS):
        return True
    return ("away" in one) != ("away" in other) and bool(one & other & {"face", "look", "turn", "gaze", "walk"})


@cache
def same(source: str, target: str, flat: bool = False) -> float:
    """Grade of two relation phrases between the same two things in the same order; 0 where not comparable."""
    if source == target:
        return 5.0
    if _against(source, target):
        return CONFLICT
    (verb, prep), (verb_t, prep_t) = split(source), split(target)
    lex = lexicon()
    graded = [max(words.verb_grade(a, b), words.alike(a, b)) for a in verb for b in verb_t]
    of_verbs = max(graded, default=UNRELATED)
    if of_verbs == UNRELATED and any(words.verb_grade(a, b, True) == CONFLICT for a in verb for b in verb_t):
        return CONFLICT
    if verb and verb_t and of_verbs == UNRELATED and set(verb) & set(verb_t):
        of_verbs = 5.0
    of_preps = prepositions(prep, prep_t, flat) if prep and prep_t else UNRELATED
    empty, empty_t = light(verb), light(verb_t)
    if verb and verb_t:
        if of_verbs == CONFLICT:
            return CONFLICT
        if of_verbs >= PARTIAL:
            if prep and prep_t:
                if of_preps in (UNRELATED, 2.4) and not light(verb):
                    return PARTIAL  # "pushed past" and "pushed above": no opposites
                return min(of_verbs, of_preps) if of_preps > 0 else of_preps if of_preps == CONFLICT else 2.5
            return of_verbs if prep == prep_t else min(of_verbs, 4.2)
        if set(verb) & WEARING and set(verb_t) & WEARING:
            return 4.0
        if empty and empty_t and prep and prep_t:
            return min(of_preps, 4.2) if of_preps > 0 else of_preps
        return UNRELATED
    # One side has a verb, the other only a preposition.
    if prep and prep_t:
        if of_preps > 0:
            lone = empty if verb else empty_t
            return min(of_preps, 4.2 if lone else 3.6)
        return of_preps
    word, other = (verb or (prep,)), (verb_t or (prep_t,))
    if any(w in WEARING for w in word) and any(w in WEARING for w in other):
        return 4.2
    classes = {c for w in (*word, prep) for c in lex.prepositions.get(w, ())}
    classes_t = {c for w in (*other, prep_t) for c in lex.prepositions.get(w, ())}
    if any(c in (*word, prep, *other, prep_t) for c in classes & classes_t):
        return 4.0
    if (empty and not prep) or (empty_t and not prep_t):
        return 3.4
    return UNRELATED


def light(verb: tuple[str, ...]) -> bool:
    """Whether a verb adds nothing to its preposition or object ("is on", "stands on")."""
    return not verb or any(v in lexicon().light for v in verb)


#: Pairs of other classes that one place allows ("past the elbow", "above the elbow").
_COMPATIBLE = frozenset(frozenset(p.split("/")) for p in (
    "past/above", "past/over", "past/by", "past/along", "past/beside", "over/onto", "to/onto", "on/around", "to/into",
    "over/around", "to/over", "on/against", "up/on", "down/on", "down/over", "up/over", "among/between",
))  # fmt: skip


@cache
def prepositions(a: str, b: str, flat: bool = False) -> float:
    """Grade of two prepositions."""
    if a == b:
        return 5.0
    lex = lexicon()
    x, y = lex.prepositions.get(a, ()), lex.prepositions.get(b, ())
    if not x or not y:
        return UNRELATED
    if flat and {a, b} <= {"in", "on", "at", "upon", "within", "inside", "across", "along", "through"}:
        return 4.0
    if x[0] == y[0]:
        return 4.2
    if frozenset((a, b)) in _COMPATIBLE:
        near = a in y or b in x or x[0] in y or y[0] in x
        return 4.0 if near and frozenset((x[0], y[0])) not in lex.prep_opposites else 3.6
    if frozenset((x[0], y[0])) in lex.prep_opposites:
        shared = set(x) & set(y) - _LOOSE
        return 3.4 if shared else CONFLICT  # "over" and "on" may both say what touches from above
    if a in y or b in x or x[0] in y or y[0] in x:
        return 4.0
    if set(x) & set(y):
        return 3.4
    if any(frozenset((p, q)) in lex.prep_opposites for p in x for q in y):
        return 1.8
    return 2.4


@cache
def first(prep: str) -> str:
    """The class that a preposition chiefly belongs to."""
    classes = lexicon().prepositions.get(prep, ())
    return classes[0] if classes else prep


#: Classes that nearly every preposition of place may stand for.
_LOOSE = word_set("at of about along")
#: Verbs that hold both ways at once, and verbs that say too little to be turned.
_MUTUAL = word_set("meet marry resemble adjoin neighbour converse")
_EMPTY = word_set("be have stand sit lie face touch join accompany flank")


def _spatial(verb: tuple[str, ...]) -> bool:
    return any(v in lexicon().prepositions for v in verb)


@cache
def turned(source: str, target: str, living: bool = False) -> float:
    """Grade of two relation phrases when the target has the two things the other way round.

    With ``living`` both are living beings: of these no verb is empty ("the dog leads the woman").
    """
    lex = lexicon()
    (verb, prep), (verb_t, prep_t) = split(source), split(target)
    if prep == prep_t and set(verb) & set(verb_t) & _MUTUAL:
        return 4.0
    if living and verb and verb_t and not set(verb) & _EMPTY and not set(verb_t) & _EMPTY:
        if not prep and not prep_t and set(verb) & set(verb_t):
            return CONFLICT
        if prep and prep_t and not light(verb) and not light(verb_t) and not _spatial(verb) and not _spatial(verb_t):
            alike = max(max(words.verb_grade(a, b), words.alike(a, b)) for a in verb for b in verb_t)
            return CONFLICT if alike >= 4 else UNRELATED  # who barks at whom
    if prep and prep_t and light(verb) and light(verb_t):
        x, y = first(prep), first(prep_t)
        if frozenset((x, y)) in lex.prep_converses and (x != y or len({x}) == 1):
            if x == y and frozenset((x,)) not in lex.prep_converses:
                return CONFLICT
            return 4.2
        if x == y:
            return 4.0 if frozenset((x,)) in lex.prep_converses else CONFLICT
        return UNRELATED
    classes = {c for w in (*verb, prep) for c in lex.prepositions.get(w, ())}
    classes_t = {c for w in (*verb_t, prep_t) for c in lex.prepositions.get(w, ())}
    if not set(verb) & set(verb_t) and any(frozenset((p, q)) in lex.prep_converses for p in classes for q in classes_t):
        return 3.8  # one verb is no converse of itself: a dog that leads is not led
    if any(words.converse(a, b) for a in verb for b in verb_t):
        return 4.2
    if verb and verb_t:
        alike = max((max(words.verb_grade(a, b), words.alike(a, b)) for a in verb for b in verb_t), default=0.0)
        if alike >= 3.4 and (prep in _INSTRUMENT) != (prep_t in _INSTRUMENT):
            return min(alike, 4.4)  # "covered with snow" by "snow covers"
        if alike >= 4 and not light(verb):
            return CONFLICT
    return UNRELATED
