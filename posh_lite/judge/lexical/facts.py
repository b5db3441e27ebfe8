"""Words of an attribute against the facts of one entity."""

from __future__ import annotations

from posh_lite.judge.lexical import words
from posh_lite.judge.lexical.findings import ABSENT, CONTRADICTED, Finding
from posh_lite.judge.lexical.view import Fact
from posh_lite.judge.lexical.words import CONFLICT, PARTIAL, UNRELATED

#: Facts that exclude another value of their dimension; the rest only support.
_EXCLUDING = frozenset({"attribute", "action", "compound", "implied"})


def best_fact(word: str, facts: list[Fact], kind: str = "property") -> tuple[float, Fact | None]:
    """The fact that supports a word best; ``CONFLICT`` with the excluding fact where none supports it."""
    best: tuple[float, Fact | None] = (UNRELATED, None)
    against: Fact | None = None
    implied = False
    for fact in facts:
        for theirs in fact.words:
            grade = words.alike(word, theirs)
            if grade == CONFLICT:
                colored = fact.source == "having" and words.is_color(word) and words.is_color(theirs)
                if colored or (fact.source in _EXCLUDING and not fact.negated):
                    against = against or fact
                continue
            if fact.negated and grade >= 4:
                against = fact
                continue
            if fact.source == "object":
                grade = min(grade, 3.6)
            if fact.source == "implied":
                grade = min(grade, words.BROADER)
                implied = implied or grade >= PARTIAL
            if fact.source == "having":
                if grade < words.DERIVED - 0.2:
                    grade = grade if words.is_color(theirs) or grade >= words.SYNONYM else min(grade, 3.0)
                else:
                    grade = min(grade, 4.6)
            if fact.source == "action" and kind != "action" and grade < 4:
                continue
            if grade > best[0]:
                best = (grade, fact)
    if implied and best[1] is not None and best[1].source == "implied" and against is not None:
        return (CONFLICT, against)  # "a small boulder": what is said wins over what the noun implies
    if best[0] < PARTIAL and against is not None:
        # A near miss ("pink" for "red") is still another value.
        return (CONFLICT, against)
    return best


def combine(asked: list[str], grades: list[tuple[float, str]], text: str, phrase: str) -> Finding:
    """One grade for an attribute of several words: the main word carries it, shades and degrees modify."""
    if not grades:
        return Finding(PARTIAL, "")
    main = len(asked) - 1
    while main > 0 and asked[main] in ("haired", "toned"):
        main -= 1
    value, said = grades[main]
    reason = f'"{said}" of "{phrase}"' if said else f'"{phrase}"'
    if value == CONFLICT:
        return Finding(CONTRADICTED, f'the text says {reason}, not "{text}"')
    others = [(g, s, w) for i, ((g, s), w) in enumerate(zip(grades, asked, strict=True)) if i != main]
    if value < 2:
        supported = [g for g, _, _ in others if g >= PARTIAL]
        if supported and len(asked) > 1:
            return Finding(2.4, f'only part of "{text}" is said: {reason}')
        if any(g == CONFLICT for g, _, _ in others):
            clash = next(s for g, s, _ in others if g == CONFLICT)
            return Finding(CONTRADICTED, f'the text says "{clash}" of "{phrase}", not "{text}"')
        return Finding(ABSENT, f'nothing like "{text}" is said of "{phrase}"')
    for grade, clash, word in others:
        if grade == CONFLICT:
            partial = 2.4 if word in words.SHADES else 1.6
            return Finding(min(value, partial), f'the text says "{clash}" of "{phrase}", not "{text}"')
    missing = sum(1 for g, _, _ in others if g < PARTIAL)
    value = min([value, *(g for g, _, _ in others if g >= PARTIAL)])
    if missing:
        value = min(value, 3.6 if missing < max(2, len(others)) or len(asked) == 2 else 3.1)
    return Finding(value, f"the text has {reason}")
