"""Judges for runs on a cluster, reached as ``scale_judges:NAME``. What they tell of themselves goes into a folder."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from posh_lite.errors import JudgeDown, JudgeError
from posh_lite.judge.keys import digest
from posh_lite.judge.table import TableJudge


def answer(question):
    """A score that depends on the prompt alone."""
    return 1 + digest(question.prompt)[0] % 5


class Telling(TableJudge):
    """Answers in small batches, each after a pause, and notes who was asked what."""

    structural = False
    batch_size = 16

    def __init__(self, folder="", pause=0.0):
        super().__init__(answer, name="telling")
        self.folder, self.pause = folder, pause

    def ask(self, questions):
        time.sleep(self.pause)
        if self.folder:
            with (Path(self.folder) / f"asked-{os.getpid()}").open("a") as handle:
                handle.writelines(digest(q.prompt).hex() + "\n" for q in questions)
        return super().ask(questions)


class Dying(TableJudge):
    """Kills its process when it is asked about the pair "fatal", so many times in all."""

    structural = False
    batch_size = 16

    def __init__(self, folder, times):
        super().__init__(answer, name="telling")
        self.folder, self.times = Path(folder), times

    def ask(self, questions):
        if any(q.pair_id == "fatal" for q in questions):
            died = len(list(self.folder.glob("died-*")))
            if died < self.times:
                (self.folder / f"died-{died}").touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return super().ask(questions)


class Choosy(TableJudge):
    """Cannot answer on a text that says so."""

    structural = False

    def __init__(self):
        super().__init__(answer, name="choosy")

    def ask(self, questions):
        for question in questions:
            if "impossible" in question.target_text:
                raise JudgeError(f'the prompt of pair "{question.pair_id}" is too long')
        return super().ask(questions)


class Served(TableJudge):
    """A judge with an address, of which some are gone."""

    structural = False
    used: list[str] = []  # noqa: RUF012 - every instance of this process writes there

    def __init__(self, url="http://one"):
        super().__init__(answer, name="served")
        self.url = url

    def ask(self, questions):
        self.used.append(self.url)
        if "gone" in self.url:
            raise JudgeDown(f"no server at {self.url}")
        return super().ask(questions)
