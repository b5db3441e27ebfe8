"""The judge behind a server, against a real HTTP server in a thread that works or fails as scripted."""

import asyncio
import json
import logging
import pickle
import random
import socket
import time
import traceback
import warnings
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise

import pytest
from faulty_server import DROP, FaultyServer, Reply, belief, chat, completion, honest, mean
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scenes import man_with_cup

from posh_lite import PoSh
from posh_lite.errors import InputError, JudgeDown, JudgeError, MissingDependency
from posh_lite.graph.types import Entity
from posh_lite.judge.contract import Identifier, Question, Unanswered
from posh_lite.judge.llm.answers import FIVE
from posh_lite.judge.llm.engine import Prompt
from posh_lite.judge.llm.judge import LanguageJudge
from posh_lite.judge.log import LoggedJudge
from posh_lite.judge.registry import make_judge
from posh_lite.judge.table import TableJudge

pytest.importorskip("openai", reason="the extra openai is not installed")
from posh_lite.judge.llm.server import ServerEngine, openai_judge
from posh_lite.judge.llm.server_link import _retry_after

KEY = "sk-secret-0123456789"
FAST = 0.002  # seconds before the first repetition
PAIRS = [
    ("A man in a red coat holds a cup.", "A tall man wearing a blue coat holds a white cup."),
    ("Two dogs sleep on a green sofa.", "A dog sleeps on a sofa near a window."),
    ("A woman reads a book.", "A woman with glasses reads an old book in a garden."),
]


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.delenv(name, raising=False)


def engine_of(server, **settings):
    return ServerEngine("m", **{"url": server.url, "backoff": FAST, "retries": 3, **settings})


def judge_of(server, *, scale="1-5", batch_size=64, threshold=2.0, **settings):
    return LanguageJudge(engine_of(server, **settings), scale=scale, batch_size=batch_size, threshold=threshold)


def prompts_of(n, groups=1):
    """Prompts about some texts, the prompts about one text together."""
    made = []
    for number in range(n):
        before = f"Text {number * groups // n}. "
        made.append(Prompt(f"{before}Question {number}?", len(before), f"pair {number * groups // n}"))
    return made


def questions_of(n, texts=1):
    who = Identifier("the man", Entity(0, "man", ()))
    made = []
    for number in range(n):
        target = f"Text {number * texts // n}."
        text = f"Is the man there, {number}?"
        made.append(Question(f"p{number * texts // n}", "reference", "entity", who, target, f"{target} {text}", text))
    return made


def read(engine, prompts):
    return engine.read(prompts, FIVE)


def first(script, **settings):
    """The verdict on one question."""
    with FaultyServer(script) as server:
        return judge_of(server, **settings).ask(questions_of(1))[0]


# -- what is sent, and how it is read -------------------------------------------------------------------------


def test_a_chat_question_and_its_answer():
    with FaultyServer(lambda _: chat({"4": 0.6, "5": 0.3, "The": 0.1})) as server:
        judge = judge_of(server)
        (verdict,) = judge.ask(questions_of(1))
    assert verdict.score == pytest.approx((4 * 0.6 + 5 * 0.3) / 0.9)
    assert verdict.probabilities == pytest.approx((0, 0, 0, 6 / 9, 3 / 9))
    assert verdict.mass == pytest.approx(0.9)
    (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.body == {
        "model": "m", "messages": [{"role": "user", "content": "Text 0. Is the man there, 0?"}], "max_tokens": 3,
        "temperature": 0, "logprobs": True, "top_logprobs": 20,
    }
    assert (judge.usage.prompts, judge.usage.tokens, judge.usage.cached, judge.usage.generated) == (1, 100, 60, 1)


def test_a_completion_and_its_answer():
    with FaultyServer(lambda _: completion({"2": 0.5, "1": 0.25})) as server:
        judge = judge_of(server, form="completions")
        (verdict,) = judge.ask(questions_of(1))
    assert verdict.score == pytest.approx((2 * 0.5 + 1 * 0.25) / 0.75)
    (asked,) = server.asked
    assert asked.path == "/v1/completions"
    assert asked.body == {
        "model": "m", "prompt": "Text 0. Is the man there, 0?", "max_tokens": 3, "temperature": 0, "logprobs": 20,
    }
    assert (judge.usage.tokens, judge.usage.untold) == (90, 1)


@pytest.mark.parametrize("form", ["chat", "completions"])
@pytest.mark.parametrize("shape", [chat, completion])
def test_both_shapes_are_read_in_both_forms(form, shape):
    candidates = {"5": 0.5, "4": 0.25}

    def script(_):
        body = dict(shape(candidates).body)
        choice = {**body["choices"][0], "text": "5", "message": {"role": "assistant", "content": "5"}}
        return Reply({**body, "choices": [choice]})

    assert first(script, form=form).score == pytest.approx((5 * 0.5 + 4 * 0.25) / 0.75)


def test_variants_of_a_digit_are_one_answer_and_longer_tokens_are_none():
    candidates = {" 4": 0.3, "4": 0.2, "10": 0.2, "4.": 0.1, "1/5": 0.1, "\u01201": 0.05, "\u20075": 0.05}
    verdict = first(lambda _: chat(candidates))
    assert verdict.probabilities == pytest.approx((0.05 / 0.6, 0, 0, 0.5 / 0.6, 0.05 / 0.6))
    assert verdict.mass == pytest.approx(0.6)


def test_the_scale_yes_no():
    verdict = first(lambda _: chat({"Yes": 0.5, " yes": 0.2, "No": 0.2, "yesterday": 0.1}), scale="yes-no")
    assert verdict.score == pytest.approx(1 + 4 * 0.7 / 0.9)


@pytest.mark.parametrize("shape", [chat, completion])
@pytest.mark.parametrize("blanks", [(" ",), ("\n", " "), ("\u2581",), ("",)])
def test_white_space_before_the_answer_is_passed_over(shape, blanks):
    form = "chat" if shape is chat else "completions"
    verdict = first(lambda _: shape({"2": 0.75, "3": 0.25}, before=blanks), form=form)
    assert verdict.score == pytest.approx(2.25)


def test_more_than_two_tokens_of_white_space_are_no_answer():
    with pytest.warns(UserWarning, match="only 10% of the probability"):
        verdict = first(lambda _: chat({"2": 0.75}, before=(" ", " ", " ")))
    assert verdict.probabilities == (0, 0, 0, 1.0, 0)  # the third blank's candidates: "4" and the blank itself
    assert verdict.mass == pytest.approx(0.1)


def test_five_candidates_instead_of_twenty_are_read_with_their_mass():
    candidates = {"5": 0.4, "4": 0.2, "The": 0.1, "I": 0.1, "3": 0.1}
    verdict = first(lambda asked: chat(dict(list(candidates.items())[: min(5, asked.body["top_logprobs"])])))
    assert verdict.mass == pytest.approx(0.7)
    assert verdict.score == pytest.approx((5 * 0.4 + 4 * 0.2 + 3 * 0.1) / 0.7)


def test_a_server_that_allows_five_candidates_only_says_how_to_ask_for_them():
    def script(asked):
        if asked.body["top_logprobs"] > 5:
            return Reply({"error": {"message": "top_logprobs must be at most 5", "code": 400}}, 400)
        return chat({"5": 0.9})

    with FaultyServer(script) as server:
        with pytest.raises(JudgeError, match=r"top_logprobs must be at most 5.*--judge-option top_logprobs=5"):
            judge_of(server).ask(questions_of(20))
        assert len(server.asked) == 1
        few = judge_of(server, top_logprobs=5)
        assert few.ask(questions_of(1))[0].score == 5
        assert few.signature != judge_of(server).signature


@pytest.mark.parametrize("reply", [
    chat(None), chat({}, "4"), Reply({"choices": [{"message": {"content": "4"}}]}),
    Reply({"choices": [{"message": {"content": "4"}, "logprobs": {"content": None}}]}),
    Reply({"choices": [{"message": {"content": "4"}, "logprobs": {"content": [
        {"token": "4", "logprob": -0.1, "top_logprobs": []}]}}]}),
])
def test_no_probabilities_are_refused_at_the_first_question(reply):
    with FaultyServer(lambda _: reply) as server:
        with pytest.raises(JudgeError, match=r"no token probabilities came back.*--scale sampled"):
            judge_of(server).ask(questions_of(50, texts=5))
        assert len(server.asked) == 1


@pytest.mark.parametrize("script", [
    lambda _: chat({"<think>": 0.99, "4": 0.01}, "<think>\nOkay"),
    lambda _: Reply({"choices": [{"message": {"content": None, "reasoning_content": "Okay, so"}, "logprobs": None}]}),
    lambda _: Reply({"choices": [{"message": {"content": ""}, "logprobs": None}],
                     "usage": {"prompt_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 3}}}),
])
@pytest.mark.parametrize("scale", ["1-5", "sampled"])
def test_thinking_first_is_refused_at_the_first_question(script, scale):
    with FaultyServer(script) as server:
        with pytest.raises(JudgeError, match=r"thinks before it answers.*enable_thinking"):
            judge_of(server, scale=scale).ask(questions_of(50))
        assert len(server.asked) <= 8  # one question; its samples one by one


def test_extra_settings_are_sent_and_stand_in_the_signature():
    extra = {"chat_template_kwargs": {"enable_thinking": False}, "max_tokens": None, "max_completion_tokens": 4}
    with FaultyServer(lambda _: chat({"5": 0.9})) as server:
        judge = openai_judge("m", url=server.url, extra=extra)
        judge.ask(questions_of(1))
        body = server.asked[0].body
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
    assert body["max_completion_tokens"] == 4
    assert "max_tokens" not in body
    other = openai_judge("m", url=server.url, extra={**extra, "chat_template_kwargs": {"enable_thinking": True}})
    assert judge.signature != other.signature


def test_samples_in_one_request():
    def script(asked):
        texts = ["4", "5", " 4\n", "10"][: asked.body["n"]]
        return Reply({"choices": [{"message": {"content": t}} for t in texts]})

    with FaultyServer(script) as server:
        judge = LanguageJudge(engine_of(server), scale="sampled", samples=4, seed=7)
        (verdict,) = judge.ask(questions_of(1))
    assert verdict.score == pytest.approx(13 / 3)
    assert verdict.mass == pytest.approx(0.75)
    (asked,) = server.asked
    assert {k: asked.body[k] for k in ("n", "seed", "temperature")} == {"n": 4, "seed": 7, "temperature": 1}
    assert "logprobs" not in asked.body


@pytest.mark.parametrize("refuses", [False, True])
def test_samples_one_by_one_where_the_server_knows_no_n(refuses):
    def script(asked):
        if refuses and asked.body["n"] > 1:
            return Reply({"error": "only one choice is allowed"}, 400)
        return Reply({"choices": [{"message": {"content": str(1 + asked.body["seed"] % 5)}}]})

    with FaultyServer(script) as server:
        judge = LanguageJudge(engine_of(server), scale="sampled", samples=4, seed=0)
        verdicts = judge.ask(questions_of(3))
    assert [v.probabilities for v in verdicts] == [pytest.approx((0.25, 0.25, 0.25, 0.25, 0))] * 3
    assert [a.body["seed"] for a in server.asked if a.prompt.endswith("2?")] == [0, 1, 2, 3]
    assert sum(a.body["n"] > 1 for a in server.asked) == 1  # asked in vain once


def test_generated_text():
    with FaultyServer(lambda a: Reply({"choices": [{"message": {"content": f"the man {a.prompt}"}}]})) as server:
        made = engine_of(server).generate([Prompt("a"), Prompt("b")], 40)
    assert [r.text for r in made] == ["the man a", "the man b"]
    assert server.asked[0].body["max_tokens"] == 40


# -- order, concurrency, warm-up ------------------------------------------------------------------------------


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(n=st.integers(1, 16), groups=st.integers(1, 6), seed=st.integers(0, 1000))
def test_answers_come_back_in_the_order_of_the_questions(n, groups, seed):
    rng = random.Random(seed)
    delays = [rng.random() / 100 for _ in range(n)]

    def slow(asked):
        return Reply(honest(asked).body, delay=delays[asked.number % n])

    prompts = prompts_of(n, groups)
    with FaultyServer(slow) as server:
        readings = read(engine_of(server, concurrency=16), prompts)
    for prompt, reading in zip(prompts, readings, strict=True):
        assert dict(reading.candidates).keys() == belief(prompt.text).keys()
        assert max(reading.candidates, key=lambda c: c[1])[0] == max(belief(prompt.text).items(), key=lambda c: c[1])[0]
    assert sorted(a.prompt for a in server.asked) == sorted(p.text for p in prompts)


def crowd(server, size):
    """Hold requests back until so many have been under way at a time."""
    end = time.perf_counter() + 3
    while server.peak < size and time.perf_counter() < end:
        time.sleep(0.002)


@pytest.mark.parametrize("limit", [1, 4])
def test_no_more_requests_at_a_time_than_allowed(limit):
    def script(asked):
        crowd(server, limit)
        return Reply(honest(asked).body, delay=0.002)

    with FaultyServer(script) as server:
        read(ready(engine_of(server, concurrency=limit)), prompts_of(24, groups=8))
    assert server.peak == limit


def ready(engine):
    """Past the very first question, which goes alone."""
    engine._tried = True
    return engine


def test_the_first_of_a_group_goes_alone_once():
    events = []

    def script(asked):
        events.append(("asked", asked.prompt))
        if server.phase == 2:
            crowd(server, 12)
        events.append(("answered", asked.prompt))
        return honest(asked)

    with FaultyServer(script) as server:
        server.phase = 1
        engine, prompts = ready(engine_of(server, concurrency=32)), prompts_of(12, groups=2)
        read(engine, prompts)
        for group in (prompts[:6], prompts[6:]):
            warm = events.index(("answered", group[0].text))
            assert all(events.index(("asked", p.text)) > warm for p in group[1:])
        # A later batch about the same texts finds them warm: all at once.
        server.phase, server.peak = 2, 0
        read(engine, prompts)
        assert server.peak == 12


def test_a_pool_of_connections_is_kept_between_batches():
    with FaultyServer(honest) as server:
        engine = engine_of(server, concurrency=2)
        for _ in range(5):
            read(engine, prompts_of(6))
        assert len(server._open) <= 2


def test_inside_a_running_event_loop():
    async def cell():
        with FaultyServer(honest) as server:
            return judge_of(server).ask(questions_of(3))

    verdicts = asyncio.run(cell())
    assert [v.score for v in verdicts] == [pytest.approx(mean(belief(q.prompt))) for q in questions_of(3)]


def test_an_engine_can_be_handed_to_another_process(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with FaultyServer(honest) as server:
        engine = engine_of(server)
        read(engine, prompts_of(1))
        data = pickle.dumps(engine)
        assert KEY.encode() not in data
        again = pickle.loads(data)
        assert again.identity == engine.identity
        assert read(again, prompts_of(1)) == read(engine, prompts_of(1))
        engine.link.close()
        assert len(read(engine, prompts_of(2))) == 2  # closed, and opened again


# -- failures that pass ---------------------------------------------------------------------------------------


def failing(faults, good=honest):
    """A script whose first replies to each prompt are faults."""
    seen = {}

    def script(asked):
        seen[asked.prompt] = seen.get(asked.prompt, 0) + 1
        return faults[seen[asked.prompt] - 1] if seen[asked.prompt] <= len(faults) else good(asked)

    return script


HALF = Reply(b'{"choices": [{"mess', headers={"Content-Type": "application/json"})
PASSING = {
    "500": Reply({"error": {"message": "worker died"}}, 500),
    "503 as a page": Reply(b"<html>busy</html>", 503, {"Content-Type": "text/html"}),
    "408": Reply({}, 408),
    "409": Reply({}, 409),
    "429": Reply({"error": {"message": "slow down"}}, 429),
    "dropped": DROP,
    "cut in the middle": Reply({"choices": []}, missing=100),
    "half a JSON": HALF,
    "garbage": Reply(bytes(range(256))),
    "nothing": Reply(b""),
    "a page": Reply(b"<html><body>Sign in</body></html>", headers={"Content-Type": "text/html"}),
    "a list": Reply([1, 2]),
    "no choices": Reply({"choices": []}),
    "choices of another kind": Reply({"choices": ["4"]}),
    "neither message nor text": Reply({"choices": [{"index": 0}]}),
    "logprobs of another kind": Reply({"choices": [{"text": "4", "logprobs": [1]}]}),
    "a logprob that is none": Reply({"choices": [{"text": "4", "logprobs": {"content": [
        {"token": "4", "top_logprobs": [{"token": "4", "logprob": 0.9}]}]}}]}),
    "an error with status 200": Reply({"error": {"message": "upstream failed", "code": 502}}),
    "a deep list": Reply(b"[" * 100_000),
}


@pytest.mark.parametrize("fault", PASSING)
def test_what_fails_and_passes_is_asked_again(fault):
    with FaultyServer(failing([PASSING[fault]] * 2)) as server:
        verdicts = judge_of(server).ask(questions_of(2))
    assert [v.score for v in verdicts] == [pytest.approx(mean(belief(q.prompt))) for q in questions_of(2)]
    assert len(server.asked) == 6


def test_a_stall_is_asked_again():
    with FaultyServer(failing([Reply(delay=0.5)])) as server:
        (verdict,) = judge_of(server, timeout=0.1).ask(questions_of(1))
    assert not verdict.missing
    assert len(server.asked) == 2


@pytest.mark.parametrize("header", [{"Retry-After": "0.2"}, {"retry-after-ms": "200"}])
def test_the_server_says_how_long_to_wait(header):
    began = time.perf_counter()
    with FaultyServer(failing([Reply({}, 429, header)])) as server:
        judge_of(server).ask(questions_of(1))
    assert time.perf_counter() - began > 0.2
    assert len(server.asked) == 2


@pytest.mark.parametrize(("value", "seconds"), [
    (timedelta(seconds=3600), 3600), (timedelta(seconds=-3600), 0), ("12", 12), ("-3", 0), ("soon", None),
    ("nan", None),
])
def test_how_long_to_wait_may_be_a_date(value, seconds):
    if isinstance(value, timedelta):  # made here, since the name of a test must not depend on the time
        value = format_datetime(datetime.now(UTC) + value, usegmt=True)
    wait = _retry_after({"retry-after": value})
    assert wait == (None if seconds is None else pytest.approx(seconds, abs=300))


def test_a_server_that_asks_for_hours_is_not_waited_for():
    began = time.perf_counter()
    with (
        FaultyServer(lambda _: Reply({"error": "quota"}, 429, {"Retry-After": "7200"})) as server,
        pytest.raises(JudgeDown, match="it asks to wait 7,200 s"),
    ):
        judge_of(server).ask(questions_of(5))
    assert time.perf_counter() - began < 2


def test_backoff_grows():
    times = []

    def script(asked):
        times.append(time.perf_counter())
        return honest(asked) if len(times) > 4 else Reply({}, 500)

    with FaultyServer(script) as server:
        judge_of(server, backoff=0.02, retries=5).ask(questions_of(1))
    waits = [b - a for a, b in pairwise(times)]
    assert len(waits) == 4
    for n, wait in enumerate(waits):
        assert wait >= 0.5 * 0.02 * 2**n


# -- failures that stay ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["half a JSON", "garbage", "a page", "no choices", "an error with status 200"])
def test_one_unreadable_reply_is_a_missing_verdict_with_its_reason(fault):
    def script(asked):
        return PASSING[fault] if "1?" in asked.prompt else honest(asked)

    with FaultyServer(script) as server:
        judge = judge_of(server)
        verdicts = judge.ask(questions_of(3))
    assert [v.missing for v in verdicts] == [False, True, False]
    assert isinstance(verdicts[1], Unanswered)
    assert verdicts[1].raw.startswith("no readable reply: ")
    assert "4 attempts" in verdicts[1].raw
    assert judge.n_unanswered == 1


@pytest.mark.parametrize("fault", ["half a JSON", "a page", "no choices"])
def test_a_server_that_says_nothing_readable_is_refused_at_the_first_question(fault):
    with FaultyServer(lambda _: PASSING[fault]) as server:
        with pytest.raises(JudgeDown, match=r"replies cannot be read.*OpenAI-compatible"):
            judge_of(server).ask(questions_of(50))
        assert len(server.asked) == 6  # four attempts, then two at anything at all


@pytest.mark.parametrize("fault", ["500", "dropped", "429"])
def test_a_server_that_is_down_ends_the_run(fault):
    with FaultyServer(lambda a: PASSING[fault] if a.number >= 10 else honest(a)) as server:
        judge = judge_of(server, batch_size=8)
        judge.ask(questions_of(8))
        with pytest.raises(JudgeDown, match=r"8 questions had been answered.*verdict log.*only the rest"):
            judge.ask(questions_of(40))


def test_a_question_that_alone_fails_is_named():
    with (
        FaultyServer(lambda a: PASSING["500"] if "1?" in a.prompt else honest(a)) as server,
        pytest.raises(JudgeError, match=r'pair "p0".*500: worker died.*other questions') as caught,
    ):
        judge_of(server).ask(questions_of(3))
    assert not isinstance(caught.value, JudgeDown)


def test_an_address_where_nobody_listens_is_given_up_after_two_attempts():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    engine = ServerEngine("m", url=f"http://127.0.0.1:{port}/v1", retries=5, backoff=FAST)
    with pytest.raises(JudgeDown, match=rf"no server is running at http://127.0.0.1:{port}/v1 .*\(2 attempts\)"):
        LanguageJudge(engine).ask(questions_of(10))


def test_a_server_that_was_there_is_waited_for_at_every_attempt():
    with FaultyServer(honest) as server:
        judge = judge_of(server, retries=4, backoff=FAST)
        assert judge.ask(questions_of(1))[0].score is not None
    with pytest.raises(JudgeDown, match=r"\(5 attempts\)"):
        judge.ask(questions_of(10)[5:])


def test_a_stall_that_stays():
    with (
        FaultyServer(lambda _: Reply(delay=0.3)) as server,
        pytest.raises(JudgeDown, match=r"no answer within 0.05 s \(2 attempts\)"),
    ):
        judge_of(server, timeout=0.05, retries=1).ask(questions_of(10))


@pytest.mark.parametrize(("status", "body", "match"), [
    (400, {"error": {"message": "no field logit_bias"}}, r'pair "p0": m at .* refused the question \(400: no field'),
    (400, {"detail": [{"msg": "bad input"}]}, "bad input"),
    (400, b"plain words", "plain words"),
    (403, {"error": "region"}, "refused the key"),
    (404, {"error": {"message": "model m does not exist"}}, "model m does not exist.*it has a, b"),
    (422, {"object": "error", "message": "unprocessable"}, "unprocessable"),
    (429, {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}, "429: You exceeded"),
])
def test_what_asking_again_cannot_help_fails_at_once(status, body, match):
    pages = {"/v1/models": {"data": [{"id": "a"}, {"id": "b"}]}}
    with FaultyServer(lambda _: Reply(body, status), pages=pages) as server:
        with pytest.raises(JudgeError, match=match):
            judge_of(server).ask(questions_of(30))
        assert len(server.asked) == 1


# -- the run as a whole ---------------------------------------------------------------------------------------


def test_the_metric_gives_what_a_table_with_the_same_answers_gives(tmp_path):
    with FaultyServer(honest) as server:
        posh = PoSh(judge=judge_of(server), log=tmp_path / "log.sqlite")
        scores = posh.score_many(PAIRS)
        asked = len(server.asked)
        again = PoSh(judge=judge_of(server), log=tmp_path / "log.sqlite").score_many(PAIRS)
        assert len(server.asked) == asked
    table = PoSh(judge=TableJudge(lambda q: mean(belief(q.prompt)))).score_many(PAIRS)
    for score, same, other in zip(scores, table, again, strict=True):
        assert (score.mistakes, score.omissions, score.overall) == pytest.approx(
            (same.mistakes, same.omissions, same.overall), abs=1e-12
        )
        assert [c.text for c in score.components] == [c.text for c in same.components]
        assert [c.score for c in score.components] == pytest.approx([c.score for c in same.components], abs=1e-9)
        assert [c.identifier for c in score.components] == [c.identifier for c in same.components]
        assert score.to_dict() == other.to_dict()


def test_a_server_that_dies_loses_the_batch_under_way_and_nothing_else(tmp_path):
    with FaultyServer(honest) as server:
        whole = PoSh(judge=judge_of(server, batch_size=4)).score_many(PAIRS)
        total = len(server.asked)

    log, settings = tmp_path / "log.sqlite", {"batch_size": 4, "concurrency": 2}
    with FaultyServer(lambda a: honest(a) if a.number < 23 else DROP) as server:
        port = server.port
        logged = LoggedJudge(judge_of(server, **settings), log)
        with pytest.raises(JudgeDown, match=r"\d+ questions had been answered"):
            PoSh(judge=logged).score_many(PAIRS)
        kept = len(logged.log)
        assert 23 - 4 <= kept <= 23
    with FaultyServer(honest, port=port) as server:
        logged = LoggedJudge(judge_of(server, **settings), log)
        scores = PoSh(judge=logged).score_many(PAIRS)
        assert len(server.asked) == logged.n_asked == total - kept
    assert [s.to_dict()["components"] for s in scores] == [s.to_dict()["components"] for s in whole]
    assert [(s.mistakes, s.omissions, s.overall) for s in scores] == [
        (s.mistakes, s.omissions, s.overall) for s in whole
    ]


def test_an_unreadable_reply_is_asked_again_by_the_next_run(tmp_path):
    graph = man_with_cup()
    with FaultyServer(lambda a: HALF if a.number in range(3, 7) else honest(a)) as server:
        judge = judge_of(server, concurrency=1)
        first = PoSh(judge=judge, log=tmp_path / "log.sqlite").score_graphs(graph, graph)
        assert judge.n_unanswered == 1
    with FaultyServer(honest) as server:
        second = PoSh(judge=judge_of(server), log=tmp_path / "log.sqlite").score_graphs(graph, graph)
        assert len(server.asked) >= 1
        fresh = PoSh(judge=judge_of(server)).score_graphs(graph, graph)
    assert first.n_missing >= 0
    assert second.to_dict() == fresh.to_dict()


def test_a_changed_model_is_said_once():
    def script(asked):
        return chat(belief(asked.prompt), system_fingerprint=f"fp_{asked.number // 3}")

    with FaultyServer(script) as server:
        judge = judge_of(server, concurrency=1, batch_size=3)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            judge.ask(questions_of(12))
    said = [str(w.message) for w in caught if "fingerprint" in str(w.message)]
    assert len(said) == 1
    assert "fp_" not in judge.signature


# -- context --------------------------------------------------------------------------------------------------


def test_a_prompt_beyond_the_context_is_never_sent_where_the_server_counts():
    pages = {
        "/v1/models": {"data": [{"id": "m", "max_model_len": 50}]},
        "/tokenize": lambda body: {"count": 10 + len(body["messages"][0]["content"].split()), "max_model_len": 50},
    }
    with FaultyServer(honest, pages=pages) as server:
        judge = judge_of(server)
        assert judge.engine.context == 50
        # "Text 0. Is the man there, 0?" has 7 words
        assert judge.engine.count(Prompt(questions_of(1)[0].prompt)) == 17
        judge.ask(questions_of(1))
        long = questions_of(1)[0]
        words = " ".join(["word"] * 40)
        question = Question("long", "reference", "entity", long.identifier, words, f"{words} {long.text}", long.text)
        with pytest.raises(JudgeError, match=r'pair "long", reference: the prompt has 55 tokens.*the 50 of'):
            judge.ask([question])
        assert len(server.asked) == 1


def test_counting_as_llama_cpp_does():
    pages = {
        "/v1/models": {"data": [{"id": "other.gguf", "owned_by": "llamacpp", "meta": {"n_ctx_train": 32768}}]},
        "/props": {"default_generation_settings": {"n_ctx": 2048}},
        "/apply-template": lambda body: {"prompt": f"<user> {body['messages'][0]['content']} <assistant>"},
        "/tokenize": lambda body: {"tokens": body.get("content", "").split()},
    }
    with FaultyServer(honest, pages=pages) as server:
        engine = engine_of(server)
        assert engine.context == 2048
        assert engine.count(Prompt("one two three")) == 5
        assert engine_of(server, context=100).context == 100
        assert engine_of(server, form="completions").count(Prompt("one two three")) == 3


def test_a_server_that_does_not_count():
    with FaultyServer(honest) as server:
        engine = engine_of(server)
        assert engine.context is None
        assert engine.count(Prompt("one")) is None
        before = len(server.looked)
        assert engine.count(Prompt("two")) is None
        assert len(server.looked) == before


@pytest.mark.parametrize(("status", "text"), [
    (400, "This model's maximum context length is 2048 tokens. However, you requested 3000 tokens."),
    (400, "the request exceeds the available context size. try increasing the context size"),
    (500, "Requested tokens (3000) exceed context window of 2048"),
    (413, "prompt is too long: 3000 tokens > 2048"),
])
def test_a_refusal_for_length_names_the_pair_and_the_lengths(status, text):
    with FaultyServer(lambda _: Reply({"error": {"message": text}}, status)) as server:
        match = rf'pair "p0": the prompt of 28 characters \(7 words\) does not fit.*{text[-12:-1]}'
        with pytest.raises(JudgeError, match=match) as caught:
            judge_of(server).ask(questions_of(10))
        assert len(server.asked) == 1
    assert not isinstance(caught.value, JudgeDown)


def test_a_prompt_that_the_server_cut_is_noticed():
    words = " ".join(f"word{n}" for n in range(5000))
    reply = chat({"4": 0.9}).body
    with (
        FaultyServer(lambda _: Reply({**reply, "usage": {"prompt_tokens": 4096}})) as server,
        pytest.raises(JudgeError, match=r'pair "x": the server read 4,096 tokens of a prompt of 5,000 words'),
    ):
        read(engine_of(server), [Prompt(words, 0, "x")])
    with FaultyServer(lambda _: Reply({**reply, "usage": {"prompt_tokens": 6500}})) as server:
        assert read(engine_of(server), [Prompt(words, 0, "x")])[0].tokens == 6500


# -- key, address, settings -----------------------------------------------------------------------------------


def test_the_key_is_sent_and_never_shown(monkeypatch, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    echo = f"Incorrect API key provided: {KEY}. " + "x" * 150 + KEY
    with FaultyServer(lambda _: Reply({"error": {"message": echo}}, 401)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        judge = openai_judge("m")
        with pytest.raises(JudgeDown, match=r"401.*Incorrect API key provided: .*key in OPENAI_API_KEY") as caught:
            judge.ask(questions_of(5))
        assert server.asked[0].headers["Authorization"] == f"Bearer {KEY}"
        assert len(server.asked) == 1
    shown = "".join(traceback.format_exception(caught.value)) + repr(judge.engine) + repr(judge.engine.link)
    shown += judge.signature + caplog.text + "".join(capfd.readouterr()) + str(vars(judge.engine))
    assert KEY not in shown
    assert KEY[:12] not in shown  # nor a part, where the message was shortened


def test_garbage_that_holds_the_key_is_shown_without_it(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with FaultyServer(lambda a: Reply(f"echo {KEY}".encode()) if "1?" in a.prompt else honest(a)) as server:
        verdicts = judge_of(server).ask(questions_of(2))
    assert "echo ***" in verdicts[1].raw
    assert KEY not in verdicts[1].raw


def test_a_local_server_needs_no_key():
    with FaultyServer(honest) as server:
        judge_of(server).ask(questions_of(1))
        assert KEY not in server.asked[0].headers["Authorization"]


def test_without_a_key_the_refusal_says_where_it_goes():
    with (
        FaultyServer(lambda _: Reply({"error": "no key"}, 401)) as server,
        pytest.raises(JudgeDown, match="set OPENAI_API_KEY"),
    ):
        judge_of(server).ask(questions_of(1))


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "caf\u00e9"])
def test_what_cannot_be_a_key_is_refused_without_showing_it(monkeypatch, key):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(JudgeError, match="is no key") as caught:
        ServerEngine("m", url="http://localhost:1/v1")
    assert key not in str(caught.value)


def test_password_and_query_of_the_address_are_not_shown():
    engine = ServerEngine("m", url="http://me:hunter22@127.0.0.1:9/v1?token=abc", retries=0)
    with pytest.raises(JudgeDown) as caught:
        LanguageJudge(engine).ask(questions_of(1))
    for shown in (str(caught.value), repr(engine), engine.identity):
        assert "hunter22" not in shown and "abc" not in shown


@pytest.mark.parametrize(("model", "name"), [
    ("Qwen/Qwen3-14B", "Qwen/Qwen3-14B"), ("qwen2.5:7b", "qwen2.5:7b"), ("/home/me/models/judge.gguf", "judge.gguf"),
    ("C:\\models\\judge.gguf", "judge.gguf"), ("my model", "my_model"),
])
def test_identity_names_the_model_and_neither_path_nor_address(model, name):
    engine = ServerEngine(model, url="http://somewhere:8000")
    assert engine.identity == f"{name} form:chat top_logprobs:20"
    assert engine.link.url == "http://somewhere:8000/v1"


@pytest.mark.parametrize(("settings", "match"), [
    ({"url": "localhost:8000"}, "looks like http"), ({"url": "http://"}, "looks like http"),
    ({"url": "http://x:port/v1"}, "looks like http"), ({"form": "words"}, "form"), ({"concurrency": 0}, "concurrency"),
    ({"timeout": 0}, "timeout"), ({"timeout": float("nan")}, "timeout"), ({"retries": -1}, "retries"),
    ({"retries": True}, "retries"), ({"top_logprobs": 1}, "top_logprobs"), ({"extra": "x"}, "extra"),
    ({"extra": {"logprobs": False}}, "extra cannot set logprobs"), ({"extra": {"x": {1}}}, "JSON"),
    ({"extra": {"api_key": "abc"}}, "cannot hold a key"), ({"context": 0}, "context"), ({"model": " "}, "model"),
])
def test_settings_out_of_range(settings, match):
    with pytest.raises(InputError, match=match):
        ServerEngine(**{"model": "m", "url": "http://127.0.0.1:9/v1", **settings})


def test_no_server_is_guessed():
    with pytest.raises(InputError, match="set OPENAI_BASE_URL"):
        ServerEngine("m")


def test_by_name(monkeypatch):
    with FaultyServer(honest) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        judge = make_judge("openai:qwen2.5:7b", scale="yes-no", timeout=5, extra={"seed": 1})
        assert judge.signature.startswith("openai qwen2.5:7b form:chat")
        assert judge.scale == "yes-no"
    with pytest.raises(JudgeError, match="needs a model"):
        make_judge("openai")


def test_without_the_client_the_extra_is_named(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match=r"needs openai.*\[openai\]"):
        make_judge("openai:m")


def test_bodies_are_json():
    with FaultyServer(honest) as server:
        text = 'braces {x} 100% "quoted" \u00e9 \U0001f600 \x00 \r\n'
        read(engine_of(server), [Prompt(text)])
        assert server.asked[0].prompt == text
        assert json.dumps(server.asked[0].body)
