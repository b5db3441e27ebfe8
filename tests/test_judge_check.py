"""Judges that do not keep the contract."""

import json
import math

import numpy as np
import pytest

from posh_lite import PoSh
from posh_lite.errors import JudgeError
from posh_lite.judge import table
from posh_lite.judge.check import checked
from posh_lite.judge.contract import Verdict
from posh_lite.judge.log import VerdictLog
from posh_lite.judge.registry import make_judge
from posh_lite.judge.table import TableJudge

GENERATION, REFERENCE = "A tall man holds a cup.", "A man sits on a bench with a dog."


class Odd:
    """Answers with whatever it is given."""

    signature, presence_threshold = "odd", 2.0

    def __init__(self, answers, **parts):
        self.answers = answers
        for name, value in parts.items():
            setattr(self, name, value)

    def ask(self, questions):
        return self.answers(questions)


def three(questions):
    return [Verdict(3.0)] * len(questions)


@pytest.mark.parametrize("logged", [False, True])
@pytest.mark.parametrize(("answers", "message"), [
    (lambda q: [Verdict(3.0)] * (len(q) - 1), "verdicts for"),
    (lambda q: [Verdict(3.0)] * (len(q) + 1), "verdicts for"),
    (lambda q: None, "gave None"),
    (lambda q: [3.0 for _ in q], "answered with float"),
    (lambda q: [None for _ in q], "answered with NoneType"),
    (lambda q: {n: Verdict(3.0) for n in range(len(q))}, "answered with int"),
    (lambda q: 1 / 0, 'the first on pair "1": ZeroDivisionError'),
])
def test_answers_that_are_none(answers, message, logged, tmp_path):
    log = tmp_path / "v.sqlite" if logged else None
    with pytest.raises(JudgeError, match=message):
        PoSh(Odd(answers), log=log).score(GENERATION, REFERENCE)
    if log is not None:
        assert len(VerdictLog(log)) == 0


def test_a_judge_that_fails_in_the_middle_keeps_what_was_logged(tmp_path):
    calls = []

    def fails_later(questions):
        calls.append(len(questions))
        if len(calls) > 1:
            raise TimeoutError("no answer")
        return three(questions)

    with pytest.raises(JudgeError, match="TimeoutError: no answer") as caught:
        PoSh(Odd(fails_later), log=tmp_path / "v.sqlite").score(GENERATION, REFERENCE)
    assert isinstance(caught.value.__cause__, TimeoutError)
    assert len(VerdictLog(tmp_path / "v.sqlite")) == calls[0]


@pytest.mark.parametrize(("verdict", "why"), [
    (Verdict(math.nan), "score nan"), (Verdict(math.inf), "score inf"), (Verdict(6.0), "score 6.0"),
    (Verdict(0.0), "score 0.0"), (Verdict("3"), "score 3"), (Verdict(True), "score True"),
    (Verdict(3.0, (0.5,) * 5), "sum to 2.5"), (Verdict(3.0, (-1.0, 0.0, 2.0, 0.0, 0.0)), "no distribution"),
    (Verdict(3.0, (math.nan,) * 5), "no distribution"), (Verdict(3.0, (0.25,) * 4), "4 probabilities"),
    (Verdict(3.0, ("a",) * 5), "no numbers"), (Verdict(5.0, (1.0, 0.0, 0.0, 0.0, 0.0)), "not the mean 1.00"),
])
@pytest.mark.parametrize("logged", [False, True])
def test_numbers_that_are_no_answer_are_missing_and_say_why(verdict, why, logged, tmp_path):
    log = tmp_path / "v.sqlite" if logged else None
    score = PoSh(Odd(lambda q: [verdict] * len(q)), log=log).score(GENERATION, REFERENCE)
    assert score.n_missing == score.n_components > 0
    assert math.isnan(score.overall)
    assert all(why in c.reason for c in score.components)


def test_sound_verdicts_are_untouched():
    for verdict in (Verdict(None, raw="?"), Verdict(1.0), Verdict(5.0, (0.0, 0.0, 0.0, 0.0, 1.0), 0.9, "5"),
                    Verdict(3.004, (0.2, 0.2, 0.2, 0.2, 0.2))):
        assert checked(verdict) is verdict


@pytest.mark.parametrize("log", [None, "v.sqlite"])
def test_numbers_of_an_array_library_become_plain(log, tmp_path):
    spread = tuple(np.float32(p) for p in (0, 0, 0.5, 0.5, 0))
    judge = Odd(lambda q: [Verdict(np.float32(3.5), spread, np.float64(1), None) for _ in q])
    score = PoSh(judge, log=log and tmp_path / log).score(GENERATION, REFERENCE)
    assert score.overall == pytest.approx(0.7)
    json.dumps(score.to_dict(), allow_nan=False)


def test_a_generator_will_do():
    assert PoSh(Odd(lambda q: (v for v in three(q)))).score(GENERATION, REFERENCE).overall == pytest.approx(0.6)


@pytest.mark.parametrize(("parts", "message"), [
    ({"presence_threshold": math.nan}, "threshold"), ({"presence_threshold": None}, "threshold"),
    ({"presence_threshold": "2"}, "threshold"), ({"presence_threshold": 0}, "threshold"),
    ({"presence_threshold": 5.5}, "threshold"), ({"presence_threshold": True}, "threshold"),
    ({"signature": None}, "signature"), ({"signature": ""}, "signature"), ({"signature": "a\nb"}, "signature"),
])
def test_parts_that_are_wrong_are_found_before_the_first_question(parts, message):
    with pytest.raises(JudgeError, match=message):
        PoSh(Odd(three, **parts))


@pytest.mark.parametrize(("judge", "message"), [
    (None, "has no ask"), (3, "has no ask"), (TableJudge, "is a class"), ("collections:OrderedDict", "has no ask"),
    ("json:dumps", "from a name alone"), ("posh_lite.judge.table:TableJudge", "from a name alone"),
])
def test_what_is_no_judge(judge, message):
    with pytest.raises(JudgeError, match=message):
        PoSh(judge)


def test_replay_of_one_judge_among_several(tmp_path):
    log = tmp_path / "v.sqlite"
    for name, value in (("one", 2), ("two:b", 4)):
        PoSh(TableJudge(lambda q, v=value: v, name=name), log=log).score(GENERATION, REFERENCE)
    with pytest.raises(Exception, match=r'replay:SIGNATURE.*"one", "two:b"'):
        make_judge("replay", log=log)
    assert type(PoSh("replay:one", log=log).judge).__name__ == "ReplayJudge"
    assert PoSh("replay:one", log=log).score(GENERATION, REFERENCE).overall == pytest.approx(0.4)
    assert PoSh("replay:two:b", log=log).score(GENERATION, REFERENCE).overall == pytest.approx(0.8)


def test_a_table_judge_does_not_fill_the_memory_with_prompts(monkeypatch):
    monkeypatch.setattr(table, "KEPT_CHARACTERS", 3000)
    judge = TableJudge(lambda q: 3)
    PoSh(judge).score(GENERATION, REFERENCE)
    kept = [len(q.prompt) for q in judge.asked]
    assert 0 < sum(kept) <= 3000
    assert kept[-1] == 0
    assert len(judge.asked) == sum(judge.batches)
    assert all(q.text for q in judge.asked)
