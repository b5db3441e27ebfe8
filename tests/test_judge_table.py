import json

import pytest
from scenes import man_with_cup

from posh_lite.errors import JudgeError, MissingDependency
from posh_lite.graph.types import SceneGraph
from posh_lite.judge import registry
from posh_lite.judge.contract import Judge, Verdict
from posh_lite.judge.registry import JudgeEntry, install_command, make_judge
from posh_lite.judge.rewrite import Rewrite, accept
from posh_lite.judge.table import TableJudge
from posh_lite.metric.posh import PoSh


class EveryFive(TableJudge):
    def __init__(self):
        super().__init__(lambda q: 5)


def test_a_mapping_answers_by_kind_and_line():
    answers = {
        ("entity", "the man"): 5, ("entity", "the tall man"): 4, ("attribute", "the man | tall"): 2,
        ("relation", "the man | holds | the cup"): Verdict(3.0, reason="because"),
        ("entity", "the cup"): 5, ("entity", "the face"): 5, ("entity", "the face of the man"): 5,
    }
    score = PoSh(TableJudge(answers)).score_graphs(man_with_cup(), SceneGraph(""))
    found = {c.text: c for c in score.components}
    assert found["tall"].score == 2
    assert (found["holds"].score, found["holds"].reason) == (3, "because")
    assert found["red"].missing
    assert found["red"].reason == "not in the table: attribute the cup | red"


def test_it_is_a_judge():
    judge = TableJudge({}, threshold=3, name="mine")
    assert isinstance(judge, Judge)
    assert (judge.signature, judge.presence_threshold) == ("mine", 3)
    assert judge.ask([]) == []


def test_a_score_off_the_scale_is_a_mistake_in_the_table():
    with pytest.raises(JudgeError, match="between 1 and 5"):
        PoSh(TableJudge(lambda q: 0)).score_graphs(man_with_cup(), SceneGraph(""))


def test_judges_by_name():
    assert make_judge(f"{__name__}:EveryFive").signature == "table"
    with pytest.raises(JudgeError, match="no judge named"):
        make_judge("oracle")
    with pytest.raises(JudgeError, match="cannot be imported"):
        make_judge("nowhere:Judge")
    with pytest.raises(JudgeError, match="name it with log="):
        make_judge("replay")
    with pytest.raises(JudgeError, match="is no judge"):
        PoSh(object())


def test_a_missing_module_names_the_extra(monkeypatch):
    entry = JudgeEntry("big", "nowhere:Big", "a big model", ("not_installed_here",), "gpu")
    monkeypatch.setitem(registry.JUDGES, "big", entry)
    with pytest.raises(MissingDependency, match=r"pip install .*\[gpu\]"):
        make_judge("big")
    assert "pip install" in install_command(None)


@pytest.mark.parametrize(("about", "expected"), [
    ({"url": "file:///a/dist/posh_lite-0.1.0-py3-none-any.whl", "archive_info": {}},
     'pip install "/a/dist/posh_lite-0.1.0-py3-none-any.whl[baselines]"'),
    ({"url": "file:///a/checkout", "dir_info": {"editable": True}}, 'pip install -e "/a/checkout[baselines]"'),
    ({"url": "https://host/posh_lite.whl", "archive_info": {}}, 'pip install "posh-lite[baselines]"'),
    ({}, 'pip install "posh-lite[baselines]"'),
])  # fmt: skip
def test_an_extra_is_installed_as_the_package_was(monkeypatch, about, expected):
    class Installed:
        def read_text(self, name):
            return json.dumps(about)

    monkeypatch.setattr(registry.metadata, "distribution", lambda name: Installed())
    assert install_command("baselines") == expected


@pytest.mark.parametrize(
    ("answer", "taken"),
    [
        ("the tall man in the garden", True), ('"The tall man in the garden."', True), (None, False), ("", False),
        ("the tall person", False), ("Sure!\nthe tall man", False), ("the man " * 40, False),
        ("the tall manager", False),
    ],
)
def test_a_rewrite_is_taken_if_it_is_one_line_that_keeps_the_nouns(answer, taken):
    request = Rewrite("the man tall", "attribute", "?", ("man",))
    phrase = accept(request, answer)
    assert (phrase != "the man tall") is taken
    assert '"' not in phrase


class Rewriting(TableJudge):
    def __init__(self):
        super().__init__(lambda q: 5)
        self.requests = []

    def rewrite(self, requests):
        self.requests.extend(requests)
        return [r.phrase.replace("the tall man", "the man who is tall") for r in requests]


def test_a_judge_that_can_rewrite_is_asked_to():
    judge = Rewriting()
    graph = man_with_cup()
    PoSh(judge).score_graphs(graph, graph)
    # each phrase once, heads never
    assert [r.phrase for r in judge.requests] == ["the tall man", "the red cup", "the pale face"]
    assert "the man who is tall" in [q.identifier.text for q in judge.asked]
    assert not any("the tall man" in q.identifier.text for q in judge.asked)
