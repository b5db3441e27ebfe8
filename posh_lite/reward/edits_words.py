"""Edits of what is said: filler, other words for the same, false details, exchanged attributes, hedges."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from posh_lite.evaluation.challenge_repairs import Edit
from posh_lite.judge.lexical.lexicon import word_set
from posh_lite.reward.edits import Draft, Inapplicable, Kind, Made
from posh_lite.reward.edits_place import put

#: Sentences that fit any picture and say nothing that could be checked.
FILLER = (
    "The overall mood is calm and inviting.",
    "It gives a sense of timeless beauty.",
    "The composition feels balanced and harmonious.",
    "Everything comes together to create a memorable impression.",
    "The atmosphere suggests a quiet story behind the moment.",
    "One can almost feel the emotion of the scene.",
    "It invites the viewer to imagine what might happen next.",
    "The general impression is one of warmth and charm.",
    "There is a sense of depth and meaning throughout.",
    "The whole evokes a peaceful and thoughtful feeling.",
    "It is a captivating and evocative work overall.",
    "The mood may perhaps suggest nostalgia or hope.",
)
#: Things to invent: each is one word of the lexicon, and seldom in a picture by accident.
THINGS = (
    "parrot", "bicycle", "umbrella", "violin", "lantern", "suitcase", "telescope", "penguin", "drum", "anchor",
    "ladder", "globe", "trumpet", "skateboard", "camel", "cactus", "typewriter", "kite", "harp", "tractor",
)
_COLOURS = ("red", "green", "blue", "yellow", "purple", "orange", "white", "black", "brown", "pink")
#: Colours that are seldom a thing ("wheat", "straw" and "blush" are): an exchange has to leave a sentence.
_HUES = word_set(
    "red green blue yellow purple orange white black brown pink gray grey crimson scarlet maroon beige golden navy"
    " turquoise violet reddish bluish greenish brownish silvery"
)
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine")
_WORD = re.compile(r"[^\W\d_]+")
_HEDGES = 3


@dataclass(frozen=True, slots=True)
class Value:
    """A word that states a colour, a number, a size, a material or the like."""

    start: int
    end: int
    text: str
    group: str
    sentence: int


def values(draft: Draft) -> list[Value]:
    """The value words of a caption in text order; parts of hyphenated words are none of their own."""
    from posh_lite.judge.lexical import words
    from posh_lite.judge.lexical.lexicon import lexicon

    lex = lexicon()
    found = []
    for index, (start, end) in enumerate(draft.spans):
        for match in _WORD.finditer(draft.caption, start, end):
            word = match[0].lower()
            around = draft.caption[max(0, match.start() - 1) : match.start()] + draft.caption[match.end() :][:1]
            if any(c in "-‐‑'’" for c in around):
                continue
            if word in _HUES and words.is_color(word):
                group = "colour"
            elif word in _NUMBERS:
                group = "number"
            else:
                group = next((n for n in ("material", "pattern", "shape", "hair") if n in lex.exclusive
                              and word in lex.exclusive[n].senses), "")
                group = group or ("size" if word in lex.scales.get("size", {}) else "")
                if word not in _PLAIN.get(group, ()):
                    continue
            found.append(Value(match.start(), match.end(), match[0], group, index))
    return found


#: Adjectives alone, so that an exchange leaves a sentence: "wood" is a thing as well, "wooden" is not.
_PLAIN: dict[str, frozenset[str]] = {
    "material": word_set("wooden metallic golden woolen leather silken brass stone glass marble velvet"),
    "pattern": word_set("striped checkered plaid spotted floral plain"),
    "shape": word_set("round square rectangular oval triangular"),
    "hair": word_set("curly straight wavy"),
    "size": word_set("tiny small little large big huge tall short"),
}


def _clash(a: str, b: str) -> bool:
    from posh_lite.judge.lexical import words

    return words.alike(a.lower(), b.lower()) == words.CONFLICT


def _other(draft: Draft, value: Value) -> str:
    """Another value of the group that cannot hold at once."""
    options: Sequence[str] = {"colour": _COLOURS, "number": _NUMBERS}.get(
        value.group, tuple(sorted(_PLAIN.get(value.group, ())))
    )
    said = {w.lower() for w in _WORD.findall(draft.caption + " " + draft.known.reference)}
    fit = [o for o in options if _clash(value.text, o)]
    fit = [o for o in fit if o not in said] or fit
    return _like(value.text, draft.chance.choice(fit)) if fit else ""


def _like(model: str, word: str) -> str:
    return word.capitalize() if model[:1].isupper() else word


def _preferred(draft: Draft) -> Iterator[Value]:
    """Values of the supported sentences first, colours and numbers before others."""
    rank = {k: n for n, k in enumerate(draft.supported)}
    groups = {"colour": 0, "number": 1}
    yield from sorted(values(draft), key=lambda v: (
        rank.get(v.sentence, len(rank)), groups.get(v.group, 2), v.start
    ))  # fmt: skip


# -- filler and other words -----------------------------------------------------------------------------------------


def _fill(draft: Draft, index: int, where: str) -> Made:
    n = min(len(FILLER), max(1, len(draft.spans) // 4))
    return [put(draft, index, draft.chance.sample(FILLER, n))], f"{n} generic sentences stand {where}"


def _filler_head(draft: Draft) -> Made:
    return _fill(draft, 0, "before the caption")


def _filler_middle(draft: Draft) -> Made:
    return _fill(draft, draft.middle, "in the middle")


def _filler_tail(draft: Draft) -> Made:
    return _fill(draft, len(draft.spans), "behind the caption")


def reworded(sentence: str) -> str:
    """A sentence with things named by synonyms of the lexicon where there are any; the same where there are none."""
    from posh_lite.judge.lexical import heads

    def other(match: re.Match[str]) -> str:
        word = match[0]
        senses = heads.senses(word.lower())
        if len(senses) != 1 or word.lower() not in senses[0].words or word[0].isupper():
            return word
        names = [w for w in senses[0].words if _WORD.fullmatch(w) and w != word and len(heads.senses(w)) == 1
                 and (w[0] in "aeiou") == (word[0] in "aeiou")]  # so that "a" and "an" stay right
        return names[0] if names else word

    return _WORD.sub(other, sentence)


def _reword_repeat(draft: Draft) -> Made:
    at = draft.middle
    for which in sorted(draft.supported, key=lambda k: k >= at):  # those before the middle first
        said = reworded(draft.sentence(which))
        if said != draft.sentence(which):
            return [put(draft, at, [said])], f"sentence {which + 1} is said again in the middle with synonyms"
    raise Inapplicable("no thing in its specific sentences has a synonym in the lexicon")


# -- what is false --------------------------------------------------------------------------------------------------


def _invented(draft: Draft) -> str:
    """A sentence about a thing that is in neither text, nor a kind or a broader name of one that is."""
    from posh_lite.judge.lexical import heads

    there = {w.lower() for w in _WORD.findall(f"{draft.caption} {draft.known.reference}")}
    told = {s.id for w in there for form in heads.singular(w) for s in heads.senses(form)}
    free = []
    for thing in THINGS:
        own = {p.id for s in heads.senses(thing) for p in s.chain() if not p.loose}
        if thing not in there and not own & told:
            free.append(thing)
    if not free:
        raise Inapplicable("all things that could be invented are in one of the texts")
    thing, colour = draft.chance.choice(free), draft.chance.choice(_COLOURS)
    article = "An" if colour[0] in "aeiou" else "A"
    return f"{article} {colour} {thing} stands near the {draft.chance.choice(('left', 'right'))} edge."


def _false_middle(draft: Draft) -> Made:
    at, said = draft.middle, _invented(draft)
    return [put(draft, at, [said])], f"invented from the lexicon, in the middle: {said}"


def _false_tail(draft: Draft) -> Made:
    said = _invented(draft)
    return [put(draft, len(draft.spans), [said])], f"invented from the lexicon, at the end: {said}"


def _borrowed_middle(draft: Draft) -> Made:
    at = draft.middle
    there = f"{draft.caption} {draft.known.reference}"
    strangers = [s for s in draft.known.strangers if s.strip() and s not in there]
    if not strangers:
        raise Inapplicable("no description of another picture was given")
    return [put(draft, at, [draft.chance.choice(strangers).strip()])], "taken from the description of another picture"


def _wrong_value(draft: Draft) -> Made:
    for value in _preferred(draft):
        if new := _other(draft, value):
            return [Edit(value.start, value.end, value.text, new)], f'"{value.text}" becomes "{new}"'
    raise Inapplicable("it states no colour, number, size or material that could be changed")


def _swap(draft: Draft) -> Made:
    ordered = list(_preferred(draft))
    for n, a in enumerate(ordered):
        for b in ordered[n + 1 :]:
            if a.group == b.group and _clash(a.text, b.text):
                changes = [Edit(a.start, a.end, a.text, _like(a.text, b.text.lower())),
                           Edit(b.start, b.end, b.text, _like(b.text, a.text.lower()))]
                return changes, f'"{a.text}" and "{b.text}" change places'
    raise Inapplicable("no two things in it have attributes that exclude each other")


def _hedge(draft: Draft) -> Made:
    changes: list[Edit] = []
    for value in _preferred(draft):
        if len(changes) < _HEDGES and (new := _other(draft, value).lower()):
            changes.append(Edit(value.end, value.end, "", f" or {new}"))
    if not changes:
        raise Inapplicable("it states no colour, number, size or material to be uncertain about")
    return changes, f"{len(changes)} values stand beside a wrong one"


WORDS: tuple[Kind, ...] = (
    Kind("reword-repeat", "repeat in other words", "repeat", "not rise",
         "Says a supported sentence again in the middle, with synonyms, so that no sentence is the same.",
         _reword_repeat),
    Kind("filler-head", "filler in front", "pad", "not rise",
         "Generic sentences in front push true details from the first quarter into the middle.", _filler_head),
    Kind("filler-middle", "filler in the middle", "pad", "not rise",
         "Generic sentences where no term looks for them.", _filler_middle),
    Kind("filler-tail", "filler at the end", "pad", "not rise",
         "Generic sentences where the tail term charges them; they push true details of the end into the middle.",
         _filler_tail),
    Kind("false-middle", "invent a detail in the middle", "falsify", "fall",
         "A specific thing that is in neither text, in the middle: what the diagnosis finds models do.", _false_middle),
    Kind("false-tail", "invent a detail at the end", "falsify", "fall",
         "The same at the end: specific, so not generic, whether it is true or not.", _false_tail),
    Kind("borrowed-middle", "a detail of another picture", "falsify", "fall",
         "A sentence of another picture's description in the middle.", _borrowed_middle),
    Kind("wrong-value", "one wrong value", "falsify", "fall",
         "A colour, number, size or material in a supported sentence becomes another.", _wrong_value),
    Kind("swap-attributes", "exchange two attributes", "falsify", "fall",
         "Two values of one kind change places, so that every word stays and two statements are wrong.", _swap),
    Kind("hedge", "say a right and a wrong value", "falsify", "fall",
         "Beside a value stands another, so that one of both is right whatever the picture shows.", _hedge),
)  # fmt: skip
