"""Prometheus and LLaVA-Critic behind a server: what they are asked, and what is read."""

import math
import warnings

import pytest
from asked_server import marks, pairs_with_images, picture_of, png, says, text_of
from faulty_server import FaultyServer

from posh_lite.baselines.registry import METRICS, make_metric
from posh_lite.errors import InputError
from posh_lite.records import Pair

pytest.importorskip("openai", reason="the extra openai is not installed")
PAIRS = [Pair(f"p{i}", f"A red cat {i}.", f"A black cat {i}.") for i in range(4)]


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "POSH_LITE_IMAGES", "POSH_LITE_REPLIES"):
        monkeypatch.delenv(name, raising=False)


def prometheus(server, **options):
    return make_metric("prometheus", url=server.url, backoff=0.002, progress=False, **options)


def by_rubric(request):
    text = text_of(request)
    grade = 4 if "right, going by" in text else 2 if "tell what the reference tells" in text else 3
    return says(f"It is as the rubric says. [RESULT] {grade}")


def test_each_dimension_has_a_rubric_of_its_own():
    with FaultyServer(by_rubric) as server:
        metric = prometheus(server)
        frame = metric.score(PAIRS)
        told = metric.replies(PAIRS[:1])[0]
    assert frame[["mistakes", "omissions", "overall"]].values.tolist() == [[4, 2, 3]] * 4
    assert list(frame["id"]) == [p.id for p in PAIRS]
    assert len(told.raw) == 3 and told.fault == ""
    text = text_of(server.asked[0])
    order = ["###The instruction to evaluate:", "###Response to evaluate:\nA red cat 0.",
             "###Reference Answer (Score 5):\nA black cat 0.", "###Score Rubrics:\n[", "###Feedback:"]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert server.asked[0].body["model"] == "prometheus-eval/prometheus-8x7b-v2.0"
    assert metric.needs == {"reference", "server"} and "rubrics:mistakes,omissions,overall" in metric.signature


def test_one_rubric_stands_for_all():
    with FaultyServer(by_rubric) as server:
        frame = prometheus(server, rubrics=("overall",)).score(PAIRS[:2])
        assert len(server.asked) == 2
    assert frame[["mistakes", "omissions", "overall"]].values.tolist() == [[3, 3, 3]] * 2


def test_feedback_without_a_grade_is_missing_there_alone():
    def script(request):
        return says("No grade.") if "tell what the reference tells" in text_of(request) else by_rubric(request)

    with FaultyServer(script) as server:
        metric = prometheus(server)
        with pytest.warns(UserWarning, match=r"no grade from 1 to 5 after \[RESULT\] for omissions"):
            frame = metric.score(PAIRS[:2])
    assert list(frame["mistakes"]) == [4, 4] and all(math.isnan(x) for x in frame["omissions"])


def test_rubrics_are_checked():
    with FaultyServer() as server:
        for wrong in (("mistakes", "omissions"), ("beauty",), ()):
            with pytest.raises(InputError, match="rubrics must be"):
                prometheus(server, rubrics=wrong)


def test_the_critic_sees_picture_and_reference(tmp_path):
    pairs = pairs_with_images(tmp_path, 2)
    reply = says('{"precision": 4, "recall": 3.5, "overall_quality": 4}\nThe 2 cats of the reference are left out.')
    with FaultyServer(lambda _: reply) as server:
        metric = make_metric("llava-critic", url=server.url, images=tmp_path, progress=False)
        frame = metric.score(pairs)
    assert frame[["mistakes", "omissions", "overall"]].values.tolist() == [[4, 3.5, 4]] * 2
    assert picture_of(server.asked[0]) == png((0, 0, 0)) and "black cat" in text_of(server.asked[0])
    assert metric.name == "llava-critic" and metric.needs == {"image", "reference", "server"}
    assert "llava-critic-72b" in metric.signature


def test_another_checkpoint_is_named(tmp_path):
    with FaultyServer(lambda _: marks()) as server, warnings.catch_warnings():
        warnings.simplefilter("error")
        metric = make_metric("llava-critic:mine", url=server.url, images=tmp_path, progress=False)
    assert metric.name == "llava-critic:mine"
    for name in ("llava-critic", "prometheus"):
        assert METRICS[name].lacks()
