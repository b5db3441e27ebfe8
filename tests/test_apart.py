"""A chunk with one bad pair still gives the scores of the others, and a fault that would hit all of them ends it."""

import pytest

from posh_lite.errors import JudgeDown, JudgeError
from posh_lite.judge.contract import Verdict
from posh_lite.judge.table import TableJudge
from posh_lite.metric.apart import scores_apart
from posh_lite.metric.posh import PoSh
from posh_lite.records import Pair

THINGS = {"a": "dog", "b": "bomb", "c": "cup"}
PAIRS = [Pair(name, "A red cat.", f"A cat and a {thing}.") for name, thing in THINGS.items()]


def metric(error):
    def answer(question):
        if "bomb" in question.prompt:
            raise error
        return Verdict(4.0)

    return PoSh(TableJudge(answer), progress=False)


def collect(found, scores):
    for score in scores:
        found.append(score)


def test_the_pair_at_fault_is_told_and_the_others_scored():
    told = []
    found = list(scores_apart(metric(JudgeError("no")), PAIRS, lambda pair, error: told.append((pair.id, str(error)))))
    assert [score.id for score in found] == ["a", "c"]
    assert told == [("b", "no")]


def test_a_fault_may_end_it_after_the_scores_before():
    def stop(pair, error):
        raise error

    found = []
    with pytest.raises(JudgeError):
        collect(found, scores_apart(metric(JudgeError("no")), PAIRS, stop))
    assert [score.id for score in found] == ["a"]


def test_a_server_that_is_gone_ends_it_at_once():
    told = []
    with pytest.raises(JudgeDown):
        list(scores_apart(metric(JudgeDown("gone")), PAIRS, lambda *fault: told.append(fault)))
    assert told == []


def test_nothing_gives_nothing():
    assert list(scores_apart(metric(JudgeError("no")), [], lambda *fault: None)) == []
