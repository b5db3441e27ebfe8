"""A judge that answers from a table: for tests, for teaching, and for trying out the metric by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from posh_lite.errors import JudgeError
from posh_lite.judge.contract import Question, Verdict

Answer = float | int | Verdict | None
Key = tuple[str, str]
#: Characters of prompts that a table judge remembers; each prompt holds whole texts.
KEPT_CHARACTERS = 16_000_000


def question_key(question: Question) -> Key:
    """What a question is looked up by: its kind and a short, readable line.

    An entity is looked up by its identifier ("the man"), an attribute by "the man | tall" and a relation by
    "the man | on | the horse".
    """
    if question.kind == "attribute" and question.attribute is not None:
        return "attribute", f"{question.identifier.text} | {question.attribute.text}"
    if question.kind == "relation" and question.relation is not None and question.object_identifier is not None:
        return "relation", f"{question.identifier.text} | {question.relation.text} | {question.object_identifier.text}"
    return "entity", question.identifier.text


class TableJudge:
    """Answers from a mapping or a function; what is not in the table is a missing verdict.

    Args:
        answers: a mapping from ``(kind, line)`` (see :func:`question_key`) to a score from 1 to 5 or a
            :class:`~posh_lite.judge.contract.Verdict`, or a function from a question to one of these or None.
        threshold: score from which on an entity counts as present.
        default: the answer to what the table does not hold; None makes it a missing verdict.
        name: stands in the signature, so that two tables are told apart.

    Attributes:
        asked: every question that has been put to the judge, in order; once their prompts add up to
            :data:`KEPT_CHARACTERS`, further ones are remembered with an empty prompt.
        batches: how many questions each call brought.

    Example:
        >>> judge = TableJudge({("entity", "the man"): 5, ("attribute", "the man | tall"): 1})
        >>> judge.signature
        'table'
    """

    structural = True

    def __init__(
        self,
        answers: Mapping[Key, Answer] | Callable[[Question], Answer],
        *,
        threshold: float = 2.0,
        default: Answer = None,
        name: str = "table",
    ) -> None:
        self._answers, self._threshold, self._default, self._name = answers, threshold, default, name
        self.asked: list[Question] = []
        self.batches: list[int] = []
        self._room = KEPT_CHARACTERS

    @property
    def signature(self) -> str:
        return self._name

    @property
    def presence_threshold(self) -> float:
        return self._threshold

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """One verdict for each question, in order."""
        for question in questions:
            self._room -= len(question.prompt)
            self.asked.append(question if self._room >= 0 else replace(question, prompt=""))
        self.batches.append(len(questions))
        return [self._answer(q) for q in questions]

    def _answer(self, question: Question) -> Verdict:
        table = self._answers
        answer = table(question) if callable(table) else table.get(question_key(question))
        if answer is None:
            answer = self._default
        if isinstance(answer, Verdict):
            return answer
        if answer is None:
            kind, line = question_key(question)
            return Verdict(None, raw=f"not in the table: {kind} {line}")
        score = float(answer)
        if not 1 <= score <= 5:
            raise JudgeError(f"a score lies between 1 and 5, the table says {answer!r}")
        return Verdict(score, raw=str(answer), reason="from the table")
