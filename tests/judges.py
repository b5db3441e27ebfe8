"""Judges for tests of the command line, reached as ``judges:NAME``."""

from __future__ import annotations

import os
import time

from posh_lite.errors import JudgeError
from posh_lite.judge.contract import Verdict
from posh_lite.judge.keys import digest
from posh_lite.judge.table import TableJudge


def answer(question):
    """A score that depends on the prompt alone."""
    return 1 + digest(question.prompt)[0] % 5


class Hashing(TableJudge):
    """Deterministic scores over the whole scale."""

    def __init__(self):
        super().__init__(answer, name="hashing")


class Slow(TableJudge):
    """The same scores, one small batch at a time; tells a file how often it was asked."""

    structural = False

    def __init__(self):
        super().__init__(answer, name="hashing")

    def ask(self, questions):
        with open(os.environ["ASKED"], "a") as handle:
            handle.write(f"{len(questions)}\n")
        time.sleep(float(os.environ.get("PAUSE", "0")))
        return super().ask(questions)


class Choosy(TableJudge):
    """Cannot answer on a text that says so."""

    def __init__(self):
        super().__init__(answer, name="choosy")

    def ask(self, questions):
        for question in questions:
            if "impossible" in question.target_text:
                raise JudgeError(f'the prompt of pair "{question.pair_id}" is too long')
        return super().ask(questions)


class Unread(TableJudge):
    """Never gives an answer that can be read."""

    def __init__(self):
        super().__init__(lambda q: Verdict(None, raw="unreadable"), name="unread")
