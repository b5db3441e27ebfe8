"""Questions that a judge answers together, and the keys under which a log keeps such answers.

A judge that puts several questions into one prompt (:mod:`posh_lite.judge.llm.packed`) answers each of them beside the
others. What it gets together is therefore fixed: the questions of one step about one text of one pair, all of them and
no others, whatever the chunks of pairs, the batches of a log or what a log knows already. The key of such an answer
has the whole list. Signatures that say ``pack:N`` without ``of:pair`` are of records made before that; their verdicts
are kept under the question alone, and replay so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from posh_lite.judge.contract import Question
from posh_lite.judge.keys import digest, question_digest

#: How a signature says that questions are answered in lists of one pair; :func:`listed` looks for it.
OF_PAIR = "of:pair"
_LISTED = re.compile(rf"(?:^| )pack:\d+ {OF_PAIR}(?: |$)")


def listed(signature: str) -> bool:
    """Whether a judge of this signature answers the questions of a pair's text in lists."""
    return _LISTED.search(signature) is not None


def packs(judge: Any) -> bool:
    """The same of a judge that may lie below others (a calibration, a log)."""
    return listed(str(getattr(judge, "signature", "")))


def around(question: Question) -> tuple[str, str]:
    """What stands before and after the question in its prompt."""
    at = question.prompt.rfind(question.text) if question.text else -1
    if at < 0:
        return question.prompt, ""
    return question.prompt[:at], question.prompt[at + len(question.text):]


def lists(questions: Sequence[Question]) -> list[list[int]]:
    """Indices of the questions about one text of one pair that share all of their prompt but the question."""
    found: dict[Hashable, list[int]] = {}
    for index, question in enumerate(questions):
        source = None if question.source is None else question.source.text
        key = (question.pair_id, question.side, question.target_text, source, *around(question))
        found.setdefault(key, []).append(index)
    return list(found.values())


def together(questions: Sequence[Question], signature: str) -> list[list[int]]:
    """What may not be asked apart, as indices: lists where the judge answers in lists, else each question alone."""
    return lists(questions) if listed(signature) else [[index] for index in range(len(questions))]


def keys_of(questions: Sequence[Question], signature: str, structural: bool) -> list[bytes]:
    """The keys of verdicts in a log: of the question, and of all that are answered with it.

    Args:
        questions: all that are asked at once.
        signature: of the judge.
        structural: see :func:`~posh_lite.judge.keys.question_digest`.
    """
    keys = [question_digest(q, signature, structural) for q in questions]
    if listed(signature):
        for part in lists(questions):
            beside = json.dumps([questions[i].text for i in part])
            for place, index in enumerate(part):
                keys[index] = digest("list", keys[index].hex(), beside, str(place))
    return keys


def sameness(judge: Any) -> Callable[[Question], Hashable]:
    """By what two questions are one to a judge: by their prompt, and where it answers in lists by their pair too."""
    if packs(judge):
        return lambda question: (question.pair_id, question.side, question.prompt)
    return lambda question: question.prompt
