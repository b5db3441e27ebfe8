"""What a cheap judge's verdict lets one expect of a costly one, and where that expectation is not to be trusted.

A policy is a small linear model in named features, fitted on questions that both judges have answered
(:mod:`posh_lite.judge.cascade_fit`), with the variance of what it leaves unexplained: by kind and verdict, shared by
all questions about one text, and shared by all questions about one entity. From it follows which answers tell most
about the mean score of a text, and what is to be expected of the questions that are not asked.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from posh_lite.errors import InputError
from posh_lite.judge.check import is_finite
from posh_lite.judge.contract import Question, Verdict
from posh_lite.judge.saved import read_json, write_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: Verdicts of the first judge fall into classes at these scores: absent, elsewhere, weak, partial, reworded, exact.
EDGES = (1.2, 1.85, 2.95, 4.0, 4.9)
FORMAT = "posh-lite cascade 1"
_WORD = re.compile(r"[^\W_]+")
_COMMON = frozenset({
    "a", "an", "the", "of", "in", "on", "at", "to", "is", "are", "with", "and", "or", "by", "for", "from", "as", "its",
    "their", "his", "her", "it", "this", "that",
})


def verdict_class(score: float | None) -> int:
    """The class of a first verdict, from 0 (absent) to 5 (exact); a missing one is partial."""
    return 3 if score is None else sum(score >= edge for edge in EDGES)


def stratum(question: Question, first: Verdict) -> str:
    """Side, kind and class: the questions among which the spread of the second judge is held to be alike."""
    return f"{question.side}/{question.kind}/{verdict_class(first.score)}"


@lru_cache(maxsize=64)
def _words(text: str) -> frozenset[str]:
    return frozenset(w.lower() for w in _WORD.findall(text)) - _COMMON


def wording(question: Question) -> frozenset[str]:
    """What a question names: its words but for those that all questions have."""
    claim = question.attribute or question.relation
    parts = [question.identifier.text, "" if claim is None else claim.text]
    if question.object_identifier is not None:
        parts.append(question.object_identifier.text)
    return _words(" ".join(parts))


def likeness(questions: Sequence[Question], others: Sequence[Question]) -> tuple[Floats, Floats]:
    """How far questions are about the same entities (cosine) and in the same words (Jaccard), each from 0 to 1."""
    import numpy as np

    def about(question: Question) -> frozenset[int]:
        other = question.object_identifier
        return frozenset({question.identifier.entity.id} | ({other.entity.id} if other is not None else set()))

    def counts(rows: Sequence[frozenset[Any]], columns: Sequence[frozenset[Any]]) -> tuple[Floats, Floats, Floats]:
        things = dict.fromkeys(t for row in (*rows, *columns) for t in sorted(row))
        number = {thing: n for n, thing in enumerate(things)}
        tables = []
        for part in (rows, columns):
            table = np.zeros((len(part), len(number)))
            for i, row in enumerate(part):
                table[i, [number[t] for t in row]] = 1.0
            tables.append(table)
        a, b = tables
        return a @ b.T, a.sum(axis=1)[:, None], b.sum(axis=1)[None, :]

    shared, a, b = counts([about(q) for q in questions], [about(q) for q in others])
    entities = shared / np.sqrt(a * b)
    shared, a, b = counts([wording(q) for q in questions], [wording(q) for q in others])
    words = shared / np.maximum(a + b - shared, 1.0)
    return np.asarray(entities), np.asarray(words)


def features(question: Question, first: Verdict) -> dict[str, float]:
    """Named figures of a question that do not need the second judge.

    Args:
        question: with its structure.
        first: the first judge's verdict on it.

    Returns:
        Name -> value; what is not there is zero. Names begin with side and kind, whose scales differ.
    """
    place = f"{question.side}/{question.kind}"
    claim = question.attribute or question.relation
    said = question.identifier.entity.head if claim is None else claim.lemma
    words = _words(said)
    made = {f"{question.kind}/word {word}": 1.0 for word in words}  # the second judge takes to some words
    target = _words(question.target_text)
    found = len(words & target) / len(words) if words else 0.0
    made |= {
        place: 1.0,
        f"{place}/class {verdict_class(first.score)}": 1.0,
        f"{place}/score": ((3.0 if first.score is None else first.score) - 3.0) / 2.0,
        f"{place}/words found": found,
        f"{place}/length of the question": math.log1p(len(question.text)) - 4.0,
        f"{question.side}/length of the target": math.log1p(len(target)) - 4.0,
        f"{question.kind}/identifier {question.identifier.kind}": 1.0,
    }
    entity = question.identifier.entity
    graph = question.source
    if graph is not None and graph.text:
        spans = entity.spans if claim is None else claim.spans
        made[f"{place}/position"] = (spans[0][0] / len(graph.text) if spans else 0.5) - 0.5
    if claim is None and graph is not None:
        made[f"{place}/namesakes"] = float(sum(e.head == entity.head for e in graph.entities) > 1)
        made[f"{place}/claims"] = math.log1p(len(graph.attributes_of(entity)) + len(graph.relations_of(entity)))
    if claim is None:
        made[f"{place}/mentions"] = math.log1p(len(entity.mentions))
        made["entity/plural"] = float(entity.plural)
        made["entity/negated"] = float(entity.negated)
    else:
        made[f"{question.kind}/{claim.kind}"] = 1.0
        made[f"{question.kind}/negated"] = float(claim.negated)
        head = _words(entity.head)
        made[f"{place}/head found"] = len(head & target) / len(head) if head else 0.0
        if question.object_identifier is not None:
            other = _words(question.object_identifier.entity.head)
            made[f"{place}/object found"] = len(other & target) / len(other) if other else 0.0
    return made


@dataclass(frozen=True, slots=True)
class Policy:
    """A fitted model of the second judge.

    Attributes:
        weights: of the features; their sum over a question is the expected score.
        spread: variance that a stratum leaves unexplained, by :func:`stratum`.
        spread_elsewhere: of a stratum that the fit has not seen.
        text: variance shared by all questions about one text of one pair, by kind and kind ("entity/attribute").
        entity: variance shared, besides, by all questions about one entity, whether as subject or as object.
        wording: variance shared, besides, by questions in the same words; in part by those that share some.
        further: by how much an entity's score rises on average through the identifiers after the simplest, by side and
            kind of the simplest.
        first, second: signatures of the judges it was fitted on.
        n_questions, n_pairs: what it was fitted on.
        data: name of that data, for readers.
    """

    weights: Mapping[str, float]
    spread: Mapping[str, float]
    spread_elsewhere: float
    text: Mapping[str, float]
    entity: float
    wording: float
    further: Mapping[str, float]
    first: str
    second: str
    n_questions: int = 0
    n_pairs: int = 0
    data: str = ""

    def expected(self, question: Question, first: Verdict) -> float:
        """The second judge's score that is to be expected before it is asked anything, not yet held to 1 to 5."""
        return math.fsum(self.weights.get(name, 0.0) * value for name, value in features(question, first).items())

    def variance(self, question: Question, first: Verdict) -> float:
        """Of the question by itself, beyond what it shares with others."""
        return self.spread.get(stratum(question, first), self.spread_elsewhere)

    def gain(self, question: Question) -> float:
        """What an entity's further identifiers add to the score that its simplest gets."""
        if question.kind != "entity":
            return 0.0
        return self.further.get(f"{question.side}/{question.identifier.kind}", 0.0)

    @property
    def digest(self) -> str:
        """Hash of everything that moves a verdict, 12 hexadecimal digits."""
        moves = [FORMAT, sorted(self.weights.items()), sorted(self.spread.items()), self.spread_elsewhere,
                 sorted(self.text.items()), self.entity, self.wording, sorted(self.further.items())]
        return hashlib.sha256(json.dumps(moves).encode()).hexdigest()[:12]

    def save(self, path: str | Path) -> None:
        """Write as JSON; numbers are kept in full, so that the digest stays."""
        place = Path(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        row = {"format": FORMAT, **{k: dict(v) if isinstance(v, Mapping) else v for k, v in asdict(self).items()}}
        write_json(place, row)


def load_policy(path: str | Path) -> Policy:
    """Read what :meth:`Policy.save` wrote.

    Raises:
        InputError: no such file, or not a policy of this version.
    """
    absent = "the policy of the cascade cannot be read: no such file"
    row = read_json(path, absent=absent, wrong="not a policy of a cascade")
    if not isinstance(row, dict) or row.pop("format", None) != FORMAT:
        raise InputError(f'not a policy of a cascade: "format" must be "{FORMAT}"', path=path)
    try:
        policy = Policy(**row)
    except TypeError as error:
        raise InputError(f"not a policy of a cascade: {error}", path=path) from None
    for name in ("weights", "spread", "text", "further"):
        _check_numbers(path, name, getattr(policy, name))
    _check_numbers(path, "spread_elsewhere", {
        "spread_elsewhere": policy.spread_elsewhere, "entity": policy.entity, "wording": policy.wording,
    })
    return policy


def _check_numbers(path: str | Path, name: str, values: Any) -> None:
    if not isinstance(values, dict):
        raise InputError(f'"{name}" must be an object of numbers', path=path, field=name)
    for key, value in cast(dict[str, Any], values).items():
        if not is_finite(value):
            raise InputError(f'"{key}" must be a number, got {value!r}', path=path, field=name)
        if name.startswith("spread") and value < 0:
            raise InputError(f'variance "{key}" must not be negative, got {value!r}', path=path, field=name)
