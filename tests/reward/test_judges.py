"""Judges by name: a model behind a server that answers, does not answer, or answers what nobody can read."""

from __future__ import annotations

import asyncio
import json
import pickle
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from asked_server import says, text_of
from faulty_server import Asked, FaultyServer, Reply

from posh_lite.errors import JudgeDown, JudgeError
from posh_lite.reward import CoverageReward, PagerReward, PoShReward, TailReward, judges, kept, variant
from posh_lite.reward.judges import BoundedGraphs, JudgeChoice, Panel, panel_of
from posh_lite.reward.kept import Kept

REFERENCE = "A red cat sleeps on a mat. Two birds watch."
CLAIMS = [
    {"claim": "The cat is red.", "dimension": "Visual_Detail", "keyword": "red"},
    {"claim": "The cat sleeps on a mat.", "dimension": "Interaction", "keyword": "mat"},
    {"claim": "There are two birds.", "dimension": "Entity", "keyword": "birds"},
]
VERDICTS = {
    "0": {"status": "supported", "evidence": "A red cat"}, "1": {"status": "missing", "evidence": ""},
    "2": {"status": "contradicted", "evidence": "three birds"},
}
CAPTION = "A red cat is here. It looks at three birds."
WORDS = variant("full", length_unit="words")


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai", reason="the extra openai is not installed")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "POSH_LITE_REPLIES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(judges, "_PANELS", {})


def answer(asked: Asked) -> Reply:
    """A model that does all four tasks."""
    text = text_of(asked)
    if "The cat is red." in text and "0." in text:
        return says(json.dumps(VERDICTS)) if "evidence" in text else says('{"score": 4}')
    if REFERENCE in text:
        return says(json.dumps({"rubric": CLAIMS}))
    return says('{"generic": 0.2}')


@contextmanager
def served(script: Callable[[Asked], Reply] = answer) -> Iterator[FaultyServer]:
    with FaultyServer(script) as server:
        yield server


def choice(server: FaultyServer, **more: Any) -> JudgeChoice:
    engine = {"url": server.url, "backoff": 0.002, "retries": 1, **more.pop("engine", {})}
    return JudgeChoice(**{"extractor": "llm", "verifier": "llm", "genericity": "llm", "model": "m", "engine": engine,
                          **more})  # fmt: skip


def call(*captions: str, reference: str = REFERENCE) -> dict[str, Any]:
    return {"completions": list(captions), "reference": [reference] * len(captions)}


def test_a_model_can_do_all_of_it() -> None:
    with served() as server:
        reward = PagerReward(WORDS, judges=choice(server))
        found = reward(**call(CAPTION, CAPTION, CAPTION))
        # weights 2, 1.5, 1: supported 2, contradicted 1; the tail has no filler
        assert found == [pytest.approx((2 - 0.5) / 4.5)] * 3
        n = len(server.asked)
        assert n == 1 + 1 + 2  # the rubric once, the caption once, each of its two sentences once
        assert CoverageReward(WORDS, judges=choice(server))(**call(CAPTION)) == [pytest.approx((2 - 0.5) / 4.5)]
        assert TailReward(WORDS, judges=choice(server))(**call(CAPTION)) == [0.0]
        assert len(server.asked) == n  # the terms share what was said
        assert "llm-verify" in reward.signature and "m" in reward.signature


def test_the_holistic_mark_of_a_model_takes_the_place_of_the_share() -> None:
    with served() as server:
        asked = PagerReward(variant("holistic", length_unit="words"), judges=choice(server, checklist="llm"))
        share = PagerReward(variant("holistic", length_unit="words"), judges=choice(server))
        mark, = asked(**call(CAPTION))
        assert 0 < mark < 1 and mark != share(**call(CAPTION))[0]  # type: ignore[operator]
        assert share(**call(CAPTION)) == [pytest.approx(2 / 4.5)]
        assert asked.signature != share.signature


def test_replies_are_kept_for_the_next_run(tmp_path: Path) -> None:
    with served() as server:
        chosen = choice(server, log=str(tmp_path / "replies.sqlite"))
        reward = pickle.loads(pickle.dumps(PagerReward(WORDS, judges=chosen)))
        first, n = reward(**call(CAPTION)), len(server.asked)
        judges._PANELS.clear()  # as a new process
        assert reward(**call(CAPTION)) == first
        assert len(server.asked) == n


def test_a_missing_verdict_is_none_unless_some_are_let_pass() -> None:
    def forgets(asked: Asked) -> Reply:
        text = text_of(asked)
        if "evidence" in text and "0." in text and "The cat is red." in text:
            return says(json.dumps({k: v for k, v in VERDICTS.items() if k != "1"}))
        return answer(asked)

    with served(forgets) as server:
        strict = PagerReward(WORDS, judges=choice(server))
        with pytest.warns(UserWarning, match="no readable verdict"):
            assert strict(**call(CAPTION)) == [None]
        assert strict.unusable == {"verdict missing": 1}
        lenient = PagerReward(WORDS, judges=choice(server), max_missing=0.5)
        assert lenient(**call(CAPTION)) == [pytest.approx((2 - 0.5) / 4.5)]


def test_a_genericity_that_cannot_be_read_is_no_zero() -> None:
    def mumbles(asked: Asked) -> Reply:
        found = answer(asked)
        return says("hard to say") if "generic" in json.dumps(found.body["choices"][0]) else found

    with served(mumbles) as server:
        assert PagerReward(WORDS, judges=choice(server))(**call(CAPTION)) == [None]
        assert PagerReward("coverage-only", judges=choice(server))(**call(CAPTION)) != [None]


@pytest.mark.filterwarnings("ignore:.*no readable verdict")
def test_a_caption_that_the_model_refuses_is_none_and_the_others_are_scored() -> None:
    def squeamish(asked: Asked) -> Reply:
        if "forbidden" in text_of(asked):
            return Reply({"error": {"message": "content filter", "code": "content_filter"}}, status=400)
        return answer(asked)

    with served(squeamish) as server:
        reward = PagerReward(WORDS, judges=choice(server))
        found = reward(**call(CAPTION, "A forbidden cat.", CAPTION))
    assert found[0] == found[2] is not None
    assert found[1] is None
    assert sum(reward.unusable.values()) == 1


def test_a_text_that_is_refused_alone_stops_nothing_and_a_judge_that_refuses_all_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A batch may hold one new caption beside others that are known: it is still one text that is refused."""
    from faulty_server import belief, chat

    def squeamish(asked: Asked) -> Reply:
        if "forbidden" in json.dumps(asked.body):
            return Reply({"error": {"message": "content filter", "code": "content_filter"}}, status=400)
        return chat(belief(asked.prompt))

    monkeypatch.setattr(kept, "MOST_REFUSED", 3)
    with FaultyServer(squeamish) as server:
        reward = PoShReward(judge="openai:m", options={"judge_options": {"url": server.url, "retries": 0}})
        with pytest.raises(JudgeError, match="refused"):
            reward(**call("A forbidden bird."))  # the first question of all
        assert reward(**call("A red cat."))[0] is not None
        assert reward(**call("A red cat.", "A forbidden cat."))[1] is None
        assert reward(**call("A red cat.", "A forbidden dog."))[1] is None
        with pytest.raises(JudgeError, match="refused"):
            reward(**call("A red cat.", "A forbidden cow."))


def test_a_server_that_is_gone_stops_the_training() -> None:
    with served(lambda _: Reply({"error": {"message": "no"}}, status=401)) as server:
        reward = PagerReward(WORDS, judges=choice(server))
        with pytest.raises(JudgeDown):
            reward(**call(CAPTION))
        with pytest.raises(JudgeDown):
            asyncio.run(reward.as_async()(**call(CAPTION)))


def test_requests_under_way_are_bounded() -> None:
    lock, now, most = threading.Lock(), [0], [0]

    def slow(asked: Asked) -> Reply:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.02)
        with lock:
            now[0] -= 1
        return answer(asked)

    async def run(rewards: list[Any], captions: list[str]) -> list[Any]:
        return await asyncio.gather(*(r(**call(*captions)) for r in rewards))

    captions = [f"{CAPTION} And cat number {i} sleeps." for i in range(12)]
    with served(slow) as server:
        chosen = choice(server, engine={"concurrency": 3})
        rewards = [kind(WORDS, judges=chosen).as_async() for kind in (PagerReward, CoverageReward, TailReward)]
        found = asyncio.run(run(rewards, captions))
    assert [len(f) for f in found] == [12, 12, 12]
    assert 2 <= most[0] <= 3


def test_rewards_with_the_same_judges_share_a_panel_and_others_do_not() -> None:
    assert PagerReward().panel is TailReward("no-mid").panel is panel_of(JudgeChoice())
    assert PagerReward(judges={"verifier": "llm", "model": "m"}).panel is not PagerReward().panel


def test_what_is_kept_is_bounded() -> None:
    kept: Kept[str] = Kept(3)
    asked: list[int] = []

    def make(places: list[int]) -> list[str]:
        asked.extend(places)
        return [f"value {i}" for i in places]

    assert kept.fill(["a", "b", "a"], make) == ["value 0", "value 1", "value 0"]
    assert kept.fill(["c", "a", "d"], make) == ["value 0", "value 0", "value 2"]
    assert asked == [0, 1, 0, 2]
    assert list(kept.values) == ["a", "c", "d"]
    assert kept.fill(list("efgh"), make) == [f"value {i}" for i in range(4)]  # more than it keeps
    graphs = BoundedGraphs()
    graphs.of([f"Cat {i}." for i in range(5)])
    graphs.shrink(2)
    assert len(graphs) == 2


def test_a_long_training_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judges, "KEPT_RUBRICS", 3)
    panel = Panel(JudgeChoice())
    first = panel.verifier
    for i in range(5):
        rubric, = panel.rubrics([(f"A red cat sleeps on {i + 2} mats.", "")])
        assert rubric is not None
        panel.profiles([("A red cat sleeps.", rubric)], "full")
    assert panel.verifier is not first  # with it, the views of old references are gone


def test_posh_by_a_model_is_asked_once_and_kept(tmp_path: Path) -> None:
    from faulty_server import belief, chat

    with FaultyServer(lambda asked: chat(belief(asked.prompt))) as server:
        options = {"log": str(tmp_path / "verdicts.sqlite"), "judge_options": {"url": server.url, "concurrency": 2}}
        reward = PoShReward(judge="openai:m", options=options)
        first = reward(**call(CAPTION, CAPTION))
        n = len(server.asked)
        assert first[0] == first[1] is not None
        assert pickle.loads(pickle.dumps(reward))(**call(CAPTION)) == first[:1]
        assert len(server.asked) == n
        assert "openai" in reward.signature
