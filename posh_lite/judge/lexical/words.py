"""How alike two words are: the same, derived, synonyms, broader or narrower, or excluding each other.

Grades are on the judge's scale: 5 the same word, 4 and above a paraphrase, 3 partial, ``CONFLICT`` for another
value of the same dimension ("red" and "blue"), ``UNRELATED`` where nothing is known.
"""

from __future__ import annotations

import re
from functools import cache

from posh_lite.judge.lexical.lexicon import Lexicon, Outline, Sense, lexicon, word_set

SAME = 5.0
DERIVED = 4.6
SYNONYM = 4.2
NARROWER = 4.4  # the target is more specific than the source: it entails it
BROADER = 4.0
CLOSE = 3.5
PARTIAL = 3.0
UNRELATED = 0.0
CONFLICT = -1.0

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SUFFIXES = (
    "edness", "ations", "ation", "ments", "ingly", "ness", "ment", "like", "less", "ings", "edly", "ing", "ied", "ies",
    "ily", "ish", "ous", "ful", "ers", "est", "ier", "al", "ed", "en", "er", "es", "ly", "ic", "y", "s", "d",
)  # fmt: skip
_IRREGULAR = {
    "sat": "sit", "stood": "stand", "lain": "lie", "lay": "lie", "lying": "lie", "held": "hold", "wore": "wear",
    "worn": "wear", "ran": "run", "swam": "swim", "flew": "fly", "flown": "fly", "rode": "ride", "ridden": "ride",
    "ate": "eat", "eaten": "eat", "drank": "drink", "threw": "throw", "thrown": "throw", "caught": "catch",
    "knelt": "kneel", "leant": "lean", "bent": "bend", "hung": "hang", "wound": "wind", "wove": "weave",
    "woven": "weave", "made": "make", "built": "build", "cut": "cut", "set": "set", "put": "put", "drawn": "draw",
    "drew": "draw", "written": "write", "wrote": "write", "shown": "show", "seen": "see", "saw": "saw", "led": "lead",
    "fed": "feed", "slept": "sleep", "swept": "sweep", "spread": "spread", "shone": "shine", "lit": "light",
    "blew": "blow", "blown": "blow", "broken": "break", "torn": "tear", "tied": "tie", "dying": "die",
    "underlying": "underlie", "people": "person", "men": "man", "women": "woman", "children": "child",
    "clothes": "clothing", "taken": "take", "took": "take", "given": "give", "gave": "give", "spun": "spin",
    "dug": "dig", "frozen": "freeze", "shorn": "shear", "hidden": "hide", "risen": "rise", "bound": "bind",
    "grown": "grow", "strewn": "strew", "dressing": "dress", "clad": "clad", "going": "go", "gone": "go",
}  # fmt: skip
#: Words that belong to the verb before them: "sit down", "stretch out".
_PARTICLES = word_set("up down out off over away around upward upwards downward downwards outward forward back along")
#: Degree modifiers of colour: they qualify another word.
SHADES = word_set("dark light pale bright deep vivid soft dull muted rich dusty hot medium neon pastel mid faint")


def tokens(text: str) -> list[str]:
    """Lower-case words of a phrase, hyphens opened, spellings unified, in order."""
    lex = lexicon()
    found = []
    for word in _TOKEN.findall(text.lower().replace("’", "'")):
        if word.endswith("'s"):
            word = word[:-2]
        found.append(lex.spellings.get(word, word))
    return found


def content(text: str) -> list[str]:
    """The words of a phrase that carry a property, hyphenated words kept whole where the lexicon knows them."""
    lex = lexicon()
    found: list[str] = []
    for chunk in text.lower().replace("’", "'").split():
        chunk = chunk.strip(".,;:!?\"'()[]“”*")
        chunk = lex.spellings.get(chunk, chunk)
        if "-" in chunk and (lex.known(chunk) or chunk in lex.forms):
            found.append(chunk)
            continue
        found.extend(w for w in tokens(chunk))
    kept = [w for w in folded(tuple(found)) if w not in lex.empty]
    return kept or found


@cache
def folded(found: tuple[str, ...]) -> tuple[str, ...]:
    """Words with known phrases reduced ("wide open" to "open") and a verb's particle joined or dropped."""
    lex = lexicon()
    out: list[str] = []
    at = 0
    while at < len(found):
        for size in (4, 3, 2):
            part = found[at : at + size]
            if len(part) < size:
                continue
            short = lex.phrases.get(" ".join(part)) or ("-".join(part) if lex.known("-".join(part)) else "")
            if short:
                out += short.split()
                break
        else:
            size = 1
            verb = next((v for v in variants(out[-1]) if v in lex.verbs.senses), "") if out else ""
            if not verb or found[at] not in _PARTICLES:
                out.append(found[at])
            elif f"{verb} {found[at]}" in lex.verbs.senses:
                out[-1] = f"{verb} {found[at]}"
        at += size
    return tuple(out)


@cache
def stem(word: str) -> str:
    """A crude stem: one suffix cut, a doubled last consonant and a silent e dropped."""
    word = _IRREGULAR.get(word, word)
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 3 and word.endswith("i"):
        word = word[:-1]
    return word


@cache
def variants(word: str) -> tuple[str, ...]:
    """The word and the base forms that it may be an inflection of, the likeliest first."""
    lex = lexicon()
    found = [word, lex.spellings.get(word, word)]
    if word in _IRREGULAR:
        found.append(_IRREGULAR[word])
    if word in lex.irregular:
        found.append(lex.irregular[word])
    if word.endswith("ies") and len(word) > 4:
        found.append(word[:-3] + "y")
    if word.endswith("ves") and len(word) > 4:
        found += [word[:-3] + "f", word[:-3] + "fe"]
    if word.endswith("es") and len(word) > 4:
        found.append(word[:-2])
    if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        found.append(word[:-1])
    if word.endswith("children") and len(word) > 8:
        found.append(word[:-3])
    if word.endswith("men") and len(word) > 4:
        found.append(word[:-3] + "man")
    for suffix in ("ing", "ed"):
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            base = word[: -len(suffix)]
            found += [base, base + "e"]
            if base[-1] == base[-2]:
                found.append(base[:-1])
            if suffix == "ed" and base.endswith("i"):
                found.append(base[:-1] + "y")
    if word.endswith("er") and len(word) > 4:
        found += [word[:-2], word[:-1]]
        if word[-3] == word[-4]:
            found.append(word[:-3])
    if word.endswith("est") and len(word) > 5:
        found += [word[:-3], word[:-2]]
    return tuple(dict.fromkeys(found))


@cache
def alike(source: str, target: str) -> float:
    """Grade of two single words or known phrases, in their best common sense."""
    if source == target:
        return SAME
    lex = lexicon()
    source, target = lex.spellings.get(source, source), lex.spellings.get(target, target)
    if source == target:
        return SAME
    if keys(source).isdisjoint(keys(target)):
        return 4.4 if stem(source) == stem(target) and len(stem(source)) >= 3 else UNRELATED
    grades = [_numbers(source, target), _shade(source, target, lex), _shade(target, source, lex)]
    ones, others = _known_forms(source), _known_forms(target)
    if set(ones) & set(others):
        grades.append(DERIVED if source not in others and target not in ones else 4.8)
    for a in ones:
        for b in others:
            grades += [_by_form(a, b, lex), _color(a, b, lex), _sides(a, b, lex), _exclusive(a, b, lex)]
            grades += [_scale(a, b, lex), verb_grade(a, b)]
            if lex.alike.get(a, frozenset()) & lex.alike.get(b, frozenset()):
                grades.append(BROADER)
    best = max(grades)
    if best > 0:
        return best
    if CONFLICT in grades:
        return CONFLICT
    if stem(source) == stem(target) and len(stem(source)) >= 3:
        return 4.4
    return UNRELATED


@cache
def keys(word: str) -> frozenset[object]:
    """Every table row that a comparison of the word can touch: two words without a common one are unrelated."""
    lex = lexicon()
    found: set[object] = {"number"} if number(word) is not None else set()
    for form in _known_forms(word):
        found.add(form)
        found |= {("form", base) for base in lex.forms.get(form, ())}
        found |= {("alike", n) for n in lex.alike.get(form, ())}
        found |= {("side", n) for n in lex.opposites.sides.get(form, ())}
        found |= {("strength", n) for n in lex.strength.sides.get(form, ())}
        found |= {("value", name) for name, outline in lex.exclusive.items() if form in outline.senses}
        found |= {("scale", name) for name, steps in lex.scales.items() if form in steps}
        if form in lex.families or form in lex.many_colors or form in _SHADED:
            found.add("color")
        if form in lex.verbs.senses:
            found.add("verb")
    return frozenset(found)


@cache
def _known_forms(word: str) -> tuple[str, ...]:
    """Variants that the lexicon knows, or all of them."""
    lex = lexicon()
    every = variants(word)
    if lex.known(word) or word in lex.forms:
        return tuple(v for v in every if v == word or (v in lex.verbs.senses and v != word))
    found = tuple(v for v in every if lex.known(v) or v in lex.forms)
    return found or every


def _by_form(a: str, b: str, lex: Lexicon) -> float:
    return DERIVED if lex.forms.get(a, frozenset()) & lex.forms.get(b, frozenset()) else UNRELATED


def _numbers(a: str, b: str) -> float:
    x, y = number(a), number(b)
    if x is not None and y is not None:
        return 4.8 if x == y else CONFLICT
    return UNRELATED


def number(word: str) -> int | None:
    """The number that a word states, or None."""
    if word.isdecimal() and len(word) < 9:
        return int(word)
    return lexicon().numbers.get(word)


def _color(a: str, b: str, lex: Lexicon) -> float:
    x, y = lex.families.get(a), lex.families.get(b)
    if x is None or y is None:
        if (a in lex.many_colors and y) or (b in lex.many_colors and x):
            return PARTIAL
        return UNRELATED
    if a == b:
        return SAME
    if x & y:
        if a in x & y or b in x & y:
            return SYNONYM
        return CLOSE if len(x & y) >= 2 else 3.2
    if any(frozenset((p, q)) in lex.neighbours for p in x for q in y):
        return 2.4 if a not in lex.family_names or b not in lex.family_names else 1.9
    return CONFLICT


#: Colours that a shade alone may stand for.
_SHADED = {
    "dark": word_set("black brown navy"), "light": word_set("white cream beige yellow"), "pale": word_set("white"),
}  # fmt: skip


def _shade(shade: str, color: str, lex: Lexicon) -> float:
    """"dark" of what is black: partial support, and no more."""
    return 3.4 if _SHADED.get(shade, frozenset()) & lex.families.get(color, frozenset()) else UNRELATED


def is_color(word: str) -> bool:
    """Whether the word names a colour."""
    return word in lexicon().families


def _sides(a: str, b: str, lex: Lexicon) -> float:
    best = UNRELATED
    for table in (lex.opposites, lex.strength):
        one, other = table.sides.get(a), table.sides.get(b)
        if not one or not other:
            continue
        for dimension, side in one.items():
            if dimension in other:
                grade = BROADER if other[dimension] == side else CONFLICT
                best = grade if best == UNRELATED else max(best, grade)
    return best


def _exclusive(a: str, b: str, lex: Lexicon) -> float:
    best = UNRELATED
    for outline in lex.exclusive.values():
        grade = _outline_grade(outline, a, b, siblings=CONFLICT)
        if grade != UNRELATED:
            best = grade if best == UNRELATED else max(best, grade)
    return best


def _scale(a: str, b: str, lex: Lexicon) -> float:
    best = UNRELATED
    for steps in lex.scales.values():
        if a in steps and b in steps:
            distance = min(abs(x - y) for x in steps[a] for y in steps[b])
            grade = SYNONYM if distance == 0 else CLOSE if distance == 1 else CONFLICT
            best = grade if best == UNRELATED else max(best, grade)
    return best


def _outline_grade(outline: Outline, a: str, b: str, siblings: float) -> float:
    xs, ys = outline.of(a), outline.of(b)
    if not xs or not ys:
        return UNRELATED
    best = siblings
    for x in xs:
        for y in ys:
            best = max(best, sense_grade(x, y, siblings))
    return best


def sense_grade(source: Sense, target: Sense, otherwise: float) -> float:
    """Grade of two senses of one outline by the way between them."""
    if source.id == target.id:
        return SYNONYM
    for steps, sense in enumerate(target.chain()):
        if sense.id == source.id:  # the target is a kind of the source: it entails it
            return PARTIAL + 0.2 if sense.loose else NARROWER if steps <= 2 else BROADER
    for steps, sense in enumerate(source.chain()):
        if sense.id == target.id:
            return PARTIAL if sense.loose else BROADER if steps <= 1 else 3.8 if steps == 2 else 3.4
    return otherwise


_VAGUE = word_set("have be get make do show rest lean")


@cache
def _both() -> frozenset[tuple[int, int]]:
    return lexicon().verb_conflicts | lexicon().verb_rivals


@cache
def verb_grade(source: str, target: str, same_object: bool = False) -> float:
    """Grade of two actions of one subject: synonyms, broader and narrower, or excluding each other."""
    lex = lexicon()
    if source not in lex.verbs.senses or target not in lex.verbs.senses:
        return UNRELATED
    table = _both() if same_object else lex.verb_conflicts
    best = UNRELATED
    conflict = False
    # The first sense is the chief one: where these exclude each other, a shared by-sense ("be placed") does not help.
    chief = [(x, y) for x in lex.verbs.of(source)[:1] for y in lex.verbs.of(target)[:1] if x.id != y.id]
    crossed = any((p.id, q.id) in table for x, y in chief for p in x.chain() for q in y.chain())
    shared = {s.id for s in lex.verbs.of(source)} & {s.id for s in lex.verbs.of(target) if "situate" not in s.words}
    if crossed and not shared and not {source, target} & _VAGUE:
        return CONFLICT
    for i, x in enumerate(lex.verbs.of(source)):
        for j, y in enumerate(lex.verbs.of(target)):
            best = max(best, sense_grade(x, y, UNRELATED))
            # A by-sense ("set" of the sun for a set table) excludes nothing, unless the word leads its line.
            if (i == 0 or x.words[0] == source) and (j == 0 or y.words[0] == target):
                conflict = conflict or any((p.id, q.id) in table for p in x.chain() for q in y.chain())
    if best > 0:
        return best
    return CONFLICT if conflict and not {source, target} & _VAGUE else UNRELATED


@cache
def converse(source: str, target: str) -> bool:
    """Whether the target says the same with subject and object exchanged: "lead" and "follow"."""
    lex = lexicon()
    ones = {p.id for x in lex.verbs.of(source) for p in x.chain()}
    others = {q.id for y in lex.verbs.of(target) for q in y.chain()}
    return any(a in ones and b in others for a, b in lex.verb_converses)
