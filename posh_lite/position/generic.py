"""How generic is a sentence? The embedded judge of sentence-level genericity (appendix A.2), without a model.

A sentence is generic where it makes no claim that could be checked against the picture, whatever the picture: it
supposes, explains, praises, sets a mood. It is judged by its words alone, not against an image or a reference, so a
false but specific sentence is specific.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

#: From here on a sentence is called generic.
THRESHOLD = 0.5
#: Words of one group beyond this number add nothing.
CAP = 3
#: The same for words that name or describe what can be seen: a long sentence may hold much.
CAP_SPECIFIC = 6
_GROUPS = ("suppose", "explain", "evaluate", "joint", "visible", "where", "picture")
FEATURES = ("bias", *_GROUPS, "thing", "detail", "empty")


@dataclass(frozen=True, slots=True)
class Genericity:
    """The judgement of one sentence, with the words that it rests on."""

    score: float  # g, 0 (all of it can be checked) to 1 (none)
    generic: bool
    specific: tuple[str, ...] = ()  # words that name or describe what can be seen
    vague: tuple[str, ...] = ()  # words that suppose, explain or evaluate


class LexicalGenericity:
    """Genericity by counted words and a linear score.

    Args:
        threshold: score from which a sentence is generic, 0 to 1.

    Raises:
        ValueError: ``threshold`` is not between 0 and 1.
    """

    def __init__(self, threshold: float = THRESHOLD) -> None:
        if not 0 <= threshold <= 1:
            raise ValueError(f"threshold must lie between 0 and 1, got {threshold}")
        self.threshold = threshold

    @property
    def signature(self) -> str:
        from posh_lite.judge.lexical.lexicon import lexicon

        return f"lexical-generic-1 words:{_table()[2]} lexicon:{lexicon().digest[:10]}"

    def judge(self, sentence: str) -> Genericity:
        """Judge one sentence or part of one; one without a word is generic."""
        counts, specific, vague = counted(sentence)
        weights = _table()[1]
        total = sum(weights.get(name, 0.0) * value for name, value in counts.items())
        score = 1 / (1 + math.exp(-max(-50.0, min(50.0, total))))
        return Genericity(score, score >= self.threshold, specific, vague)


def counted(sentence: str) -> tuple[dict[str, float], tuple[str, ...], tuple[str, ...]]:
    """The features of a sentence, and its specific and its vague words in order.

    Returns:
        Counts by feature (``bias`` is 1, ``empty`` is 1 where nothing specific was found), specific words, vague words.
    """
    from posh_lite.judge.lexical import words
    from posh_lite.judge.lexical.lexicon import lexicon

    lex, groups = lexicon(), _table()[0]
    counts = dict.fromkeys(FEATURES, 0.0)
    counts["bias"] = 1.0
    specific: list[str] = []
    vague: list[str] = []
    for token in words.tokens(sentence):
        if token in ("a", "an", "the"):
            continue
        forms = set(words.variants(token))
        group = next((g for g in _GROUPS if token in groups[g]), None) or next(
            (g for g in _GROUPS if g != "where" and forms & groups[g]), None
        )
        if group is not None:
            counts[group] += 1
            if group in ("suppose", "explain", "evaluate"):
                vague.append(token)
            continue
        if words.is_color(token) or (words.number(token) is not None and token not in ("a", "an", "one")):
            counts["detail"] += 1
            specific.append(token)
        elif _thing(token):
            counts["thing"] += 1
            specific.append(token)
        elif token not in lex.mild and forms & _values():
            counts["detail"] += 1
            specific.append(token)
    counts["empty"] = float(not specific)
    capped = {k: min(v, CAP_SPECIFIC if k in ("thing", "detail") else CAP) for k, v in counts.items()}
    return capped, tuple(specific), tuple(vague)


@cache
def _values() -> frozenset[str]:
    """Words for a material, pattern, shape, size, age and the like."""
    from posh_lite.judge.lexical.lexicon import lexicon

    lex = lexicon()
    found = {w for outline in lex.exclusive.values() for w in outline.senses}
    return frozenset(found | {w for steps in lex.scales.values() for w in steps})


@cache
def _thing(token: str) -> bool:
    """Whether a word names something that can be seen."""
    from posh_lite.judge.lexical import heads
    from posh_lite.judge.lexical.lexicon import lexicon

    lex = lexicon()
    forms = heads.singular(token)
    if any(f in lex.abstract or f in lex.generic or f in lex.empty for f in forms):
        return False
    return bool(heads.senses(token))


@cache
def _table() -> tuple[dict[str, frozenset[str]], dict[str, float], str]:
    """Words by group, weights by feature, and the start of the file's hash."""
    import hashlib

    raw = files("posh_lite.position").joinpath("generic.toml").read_bytes()
    data = tomllib.loads(raw.decode("utf-8"))
    groups = {name: frozenset(str(data[name]).split()) for name in _GROUPS}
    return groups, {k: float(v) for k, v in data["weights"].items()}, hashlib.sha256(raw).hexdigest()[:10]
