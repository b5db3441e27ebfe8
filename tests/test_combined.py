"""Two judges weighed: the joint answer by hand, what is refused, what a log and a replay give, and one missing."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenes import man_with_cup

from posh_lite.cli import main
from posh_lite.errors import InputError, JudgeError
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.graph.types import Entity
from posh_lite.judge.calibration import Accuracy
from posh_lite.judge.combined import CombinedJudge
from posh_lite.judge.combined_weights import FIGURES, KINDS, Line, Scale, Weights, load_weights, weights_from_dict
from posh_lite.judge.contract import Identifier, Question, Unanswered
from posh_lite.judge.keys import digest
from posh_lite.judge.log import LoggedJudge, VerdictLog
from posh_lite.judge.registry import make_judge
from posh_lite.judge.replay import ReplayJudge
from posh_lite.judge.table import TableJudge
from posh_lite.metric.posh import PoSh

ENTITY = Entity(0, "cat", ())
ESTIMATE = Estimate(0.9, 0.8, 0.95, 10, 3, method="AUC")


class Second(TableJudge):
    """Reads the prompt alone; counts what it is asked."""

    structural = False
    scale = "1-5"

    def __init__(self, answers: Any = {}, **settings: Any) -> None:  # noqa: B006
        super().__init__(answers, **{"name": "model scale:1-5", **settings})
        self.n = 0

    def ask(self, questions):
        self.n += len(questions)
        return super().ask(questions)


def question(kind="entity", prompt="p", text="cat"):
    return Question("1", "generation", kind, Identifier("the cat", ENTITY), "A cat.", prompt, text)


def weights(first="table", second="model scale:1-5", **changes):
    """Heights 0.5, 0, -0.5 by kind; z1 = (x - 4) / 2, z2 = (x - 3) / 0.5."""
    heights = dict(zip(KINDS, (0.5, 0.0, -0.5), strict=True))
    lines = {
        "both": {k: Line(h, 1.0, 2.0) for k, h in heights.items()},
        "first": {k: Line(h, 1.5, 0.0) for k, h in heights.items()},
        "second": {k: Line(h, 0.0, 3.0) for k, h in heights.items()},
    }
    made = Weights(
        first, second, {"first": Scale(4.0, 2.0), "second": Scale(3.0, 0.5)}, lines, False, 3.0, "entity", "share",
        {"all": dict.fromkeys(FIGURES, ESTIMATE)}, Accuracy(0.9, 0.9, 0.8, 0.8, 0.9, 0.8), "mini", "ab" * 32, 300, 2,
        "cd" * 32, "2026-01-02",
    )
    return replace(made, **changes)


def combined(first=4.0, second=3.0, **changes):
    """Over two judges with one answer each."""
    one = TableJudge({}, default=first, name="table")
    return CombinedJudge(one, Second({}, default=second), weights(one.signature, "model scale:1-5", **changes))


def by_words(question):
    """A score from 1 to 5 by the prompt alone."""
    return 1 + digest(question.prompt)[0] / 63.75


# -- the answer -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "kind", "odds"),
    [
        (4.0, 3.0, "entity", 0.5),  # both at their means: the height
        (5.0, 3.0, "entity", 0.5 + 0.5),  # half a deviation of the first
        (4.0, 3.25, "attribute", 0.0 + 2 * 0.5),
        (1.0, 2.0, "relation", -0.5 - 1.5 - 4.0),
        (2.0, None, "entity", 0.5 - 1.5),  # weights of the first alone
        (None, 3.5, "relation", -0.5 + 3.0),
    ],
)
def test_score_by_hand(first, second, kind, odds):
    assert weights().score(first, second, kind) == pytest.approx(1 + 4 / (1 + math.exp(-odds)))


def test_both_missing_is_missing():
    assert weights().score(None, None, "entity") is None


def test_log_odds_of_any_size_stay_on_the_scale():
    for height in (-800.0, 800.0):
        assert 0 <= Line(height, 1.0, 1.0).probability(1.0, 1.0) <= 1


@given(st.floats(1, 5), st.floats(1, 5), st.floats(1, 5), st.sampled_from(KINDS))
def test_a_higher_score_never_lowers_the_joint_answer(low, high, other, kind):
    low, high = sorted((low, high))
    made = weights()
    assert made.score(low, other, kind) <= made.score(high, other, kind)
    assert made.score(other, low, kind) <= made.score(other, high, kind)
    assert made.score(low, None, kind) <= made.score(high, None, kind)
    assert 1 <= made.score(low, other, kind) <= 5
    if high - low > 0.1:
        assert made.score(other, low, kind) < made.score(other, high, kind)


def test_verdict_shows_both_scores_and_has_no_probabilities():
    judge = combined(first=5.0, second=2.5)
    (verdict,) = judge.ask([question()])
    assert verdict.score == pytest.approx(1 + 4 / (1 + math.exp(-(0.5 + 0.5 - 2))))
    assert verdict.probabilities is None
    assert "first judge 5.00" in verdict.reason
    assert "second judge 2.50" in verdict.reason
    assert judge.n_alone == 0


def test_with_one_missing_the_other_counts_alone_and_the_reason_says_so():
    judge = combined()
    judge.second = Second(lambda q: None)
    (verdict,) = judge.ask([question()])
    assert verdict.score == pytest.approx(weights().score(4.0, None, "entity"))
    assert "second judge no verdict" in verdict.reason
    assert "one of them alone counts" in verdict.reason
    assert judge.n_alone == 1
    judge.first = TableJudge(lambda q: None, name="table")
    assert judge.ask([question()])[0].missing
    judge.second = Second({}, default=3.5)
    assert judge.ask([question()])[0].score == pytest.approx(weights().score(None, 3.5, "entity"))
    assert judge.n_alone == 2


def test_a_question_that_a_server_left_open_stays_open():
    class Away(Second):
        def ask(self, questions):
            return [Unanswered(None, raw="timeout") for _ in questions]

    judge = combined()
    judge.second = Away()
    (verdict,) = judge.ask([question()])
    assert isinstance(verdict, Unanswered)
    assert verdict.raw == "timeout"


def test_what_reads_the_same_is_put_to_the_second_judge_once():
    judge = combined()
    verdicts = judge.ask([question("entity", "a"), question("relation", "a"), question("entity", "b")])
    assert judge.second.n == 2
    assert verdicts[0].score > verdicts[1].score  # the heights of their kinds
    assert judge.ask([]) == []


def test_parts_of_the_second_judge_are_seen_through():
    judge = combined()
    assert (judge.scale, judge.presence_threshold, judge.structural) == ("1-5", 3.0, True)
    assert judge.ceiling == pytest.approx(weights().score(None, 5.0, "entity"))  # its slope alone is the steepest
    assert not judge.rewrites
    assert not hasattr(judge, "n_known")
    assert judge.usage is None
    assert judge.note("cd" * 32) == ""
    assert "fitted with other prompts" in judge.note("ef" * 32)
    assert pickle.loads(pickle.dumps(judge)).signature == judge.signature


# -- the file -------------------------------------------------------------------------------------------------


def test_saved_weights_come_back(tmp_path):
    made = weights(accuracy=Accuracy(0.9, 0.9, math.nan, 0.8, 0.9, 0.8))
    made.save(tmp_path / "w.json")
    again = load_weights(tmp_path / "w.json")
    assert again.to_dict() == made.to_dict()
    assert again.name == made.name
    assert math.isnan(again.accuracy.balanced_at_two)


def test_the_name_depends_on_all_that_moves_a_score_and_nothing_else():
    made = weights()
    lines = {**made.lines, "first": {**made.lines["first"], "relation": Line(0.1, 1.5, 0.0)}}
    scales = {**made.scales, "first": Scale(4.0, 1.0)}
    moved = [{"threshold": 2.9}, {"second": "other"}, {"lines": lines}, {"scales": scales}]
    assert len({made.name, *(weights(**change).name for change in moved)}) == 1 + len(moved)
    assert weights(date="2026-02-03", n=5).name == made.name


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (("posh_lite_weights",), 2, "posh_lite_weights"),
        (("posh_lite_weights",), True, "posh_lite_weights"),
        (("first",), " ", "first"),
        (("data_sha256",), None, "data_sha256"),
        (("criterion",), "best", "criterion"),
        (("threshold",), 5.5, "threshold"),
        (("threshold",), True, "threshold"),
        (("by_kind",), 1, "by_kind"),
        (("n",), -1, "n"),
        (("n_missing",), 1.5, "n_missing"),
        (("scales",), {"first": {"mean": 1, "sd": 1}}, "scales"),
        (("scales", "second", "sd"), 0, "scales.second"),
        (("lines",), [], "lines"),
        (("lines", "both"), {}, "lines.both"),
        (("lines", "first", "entity", "first"), -0.1, "lines.first.entity"),
        (("lines", "first", "entity", "height"), math.inf, "lines.first.entity"),
        (("lines", "second", "relation"), {"height": 1}, "lines.second.relation"),
        (("auc", "all", "both"), {"value": 1}, "auc"),
        (("auc",), 3, "auc"),
        (("accuracy", "share"), "much", "accuracy"),
        (("accuracy",), {}, "accuracy"),
    ],
)
def test_a_wrong_field_is_named(path, value, field):
    row = json.loads(json.dumps(weights().to_dict()))
    at = row
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    with pytest.raises(InputError, match=f'field "{field}" must be'):
        weights_from_dict(row, path="w.json")


def test_what_is_no_file_of_weights(tmp_path):
    with pytest.raises(InputError, match="calibrate --with lexical"):
        load_weights(tmp_path / "none.json")
    for text in ("{", "[]", '{"posh_lite_calibration": 1}'):
        (tmp_path / "w.json").write_text(text)
        with pytest.raises(InputError, match="no weights of two judges"):
            load_weights(tmp_path / "w.json")


def test_weights_of_other_judges_are_refused():
    one, two = TableJudge({}, default=4, name="table"), Second({}, default=3)
    for pair in ((two, one), (one, one), (two, two)):
        with pytest.raises(JudgeError, match="the weights are those of the judge"):
            CombinedJudge(*pair, weights(one.signature, two.signature))
    with pytest.raises(JudgeError, match="is no judge"):
        CombinedJudge(one, object(), weights(one.signature))  # type: ignore[arg-type]


# -- logs and names -------------------------------------------------------------------------------------------


def judges():
    first = TableJudge(lambda q: 1 + digest(q.text, "first")[0] / 63.75, name="table")
    return first, Second(by_words)


def scored(judge, log=None):
    graph = man_with_cup()
    return PoSh(judge, log=log, progress=False).score_graphs(graph, graph)


def test_the_log_lies_under_the_second_judge_and_a_replay_gives_the_same(tmp_path):
    log = tmp_path / "v.sqlite"
    first, second = judges()
    made = weights(first.signature, second.signature)
    live = scored(CombinedJudge(first, second, made), log)
    with VerdictLog(log, readonly=True) as kept:
        assert list(kept.judges()) == [second.signature]
        assert len(kept) == second.n
    before = second.n
    assert scored(CombinedJudge(first, second, made), log) == live
    assert second.n == before  # nothing was asked again
    replayed = scored(CombinedJudge(first, ReplayJudge(log), made))
    assert replayed == live
    assert replayed.signature == live.signature
    assert scored(CombinedJudge(first, second, made)) == live


def test_verdicts_of_a_run_of_the_second_judge_alone_are_used(tmp_path):
    log = tmp_path / "v.sqlite"
    first, second = judges()
    questions = [question("entity", f"p{n}") for n in range(4)]
    LoggedJudge(second, log).ask(questions)
    judge = CombinedJudge(first, second, weights(first.signature, second.signature)).with_log(log)
    judge.ask(questions)
    assert (judge.n_known, judge.n_asked, second.n) == (4, 0, 4)
    assert judge.with_log(tmp_path / "other.sqlite").second is judge.second  # it has a log already


def test_by_name(tmp_path):
    first = make_judge("judges:Hashing")
    weights(first.signature, first.signature).save(tmp_path / "w.json")
    settings = {"first": "judges:Hashing", "weights": str(tmp_path / "w.json")}
    judge = make_judge("combined:judges:Hashing", **settings)
    assert judge.signature.startswith("combined weights:")
    assert isinstance(make_judge("combined:judges:Hashing", log=tmp_path / "v.sqlite", **settings).second, LoggedJudge)
    for options, message in (({}, "weights"), ({**settings, "size": 3}, "has no option|cannot be made")):
        with pytest.raises(JudgeError, match=message):
            make_judge("combined:judges:Hashing", **options)
    with pytest.raises(JudgeError, match="needs a model"):
        make_judge("combined", **settings)


# -- the command ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Labelled spans, a log of the second judge, and weights of both."""
    from test_cli_calibrate import _data

    made = tmp_path_factory.mktemp("combined")
    data = _data(made / "own.jsonl")
    arguments = ["--data", str(data), "--log", str(made / "v.sqlite"), "-o", str(made / "w.json")]
    assert main(["calibrate", "--judge", "judges:Hashing", "--with", "lexical", *arguments, "--quiet"]) == 0
    return made


def test_calibrate_with_another_judge_prints_the_table(folder, capsys):
    arguments = ["--data", str(folder / "own.jsonl"), "--log", str(folder / "v.sqlite"), "-o", str(folder / "x.json")]
    assert main(["calibrate", "--judge", "judges:Hashing", "--with", "lexical", *arguments]) == 0
    said = capsys.readouterr()
    assert "first judge         lexical-" in said.out
    assert "second judge        hashing" in said.out
    assert "both - first" in said.out
    assert "24 answered from it, 0 newly asked" in said.out
    assert "both together are not shown to rank better than the first judge" in said.err  # the other one guesses
    assert "works of mini were read" not in said.err
    assert "--judge combined:judges:Hashing" in said.err
    made = load_weights(folder / "x.json")
    assert made.to_dict() == load_weights(folder / "w.json").to_dict()
    assert made.n == 24
    assert made.auc["all"]["both"].n_units == 6


def test_scores_by_both_judges(folder, capsys):
    pairs = folder / "pairs.jsonl"
    pairs.write_text('{"id": "1", "generation": "A red cat sleeps.", "reference": "A black cat sleeps."}\n')
    arguments = ["score", str(pairs), "--judge", "combined:judges:Hashing"]
    arguments += ["--judge-option", f"weights={folder / 'w.json'}"]
    for name in ("a", "b"):
        assert main([*arguments, "--log", str(folder / "s.sqlite"), "-o", str(folder / f"{name}.jsonl")]) == 0
    said = capsys.readouterr().err
    assert f"combined weights:{load_weights(folder / 'w.json').name}" in said
    assert "0 newly asked" in said
    assert (folder / "a.jsonl").read_text() == (folder / "b.jsonl").read_text()
    replay = ["score", str(pairs), "--judge", "combined:replay", "--log", str(folder / "s.sqlite")]
    assert main([*replay, *arguments[-2:], "-o", str(folder / "c.jsonl")]) == 0
    assert (folder / "c.jsonl").read_text() == (folder / "a.jsonl").read_text()


def test_options_that_do_not_go_together(folder, capsys):
    arguments = ["calibrate", "--with", "lexical", "--data", str(folder / "own.jsonl"), "-o", str(folder / "n.json")]
    assert main([*arguments, "--judge", "judges:Hashing", "--method", "platt"]) == 2
    assert "--method is of the map of one" in capsys.readouterr().err
    assert main(["calibrate", "--with", "lexicon", *arguments[3:]]) == 1
    assert 'no judge named "lexicon"' in capsys.readouterr().err
