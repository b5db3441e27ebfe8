"""The first contact with a server: nobody there, and a server that has another model than the one that was named."""

import socket
import warnings

import pytest
from faulty_server import DROP, FaultyServer, Reply, belief, chat, honest
from test_judge_server import FAST, engine_of, judge_of, questions_of

from posh_lite.errors import JudgeDown, JudgeError
from posh_lite.judge.llm.judge import LanguageJudge
from posh_lite.judge.llm.server_models import alike, doubt_of_list, doubt_of_reply, entries_of, entry_of

pytest.importorskip("openai", reason="the extra openai is not installed")
from posh_lite.judge.llm.server import ServerEngine


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


# -- whose answers these are ----------------------------------------------------------------------------------


def said_of(pages, *, script=honest, rounds=3, key="m"):
    """What is warned of in a run of several calls."""
    with FaultyServer(script, pages=pages) as server, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        judge = LanguageJudge(ServerEngine(key, url=server.url, backoff=FAST))
        for _ in range(rounds):
            judge.ask(questions_of(3))
    return [str(w.message) for w in caught]


def models(*entries):
    return {"/v1/models": {"object": "list", "data": [e if isinstance(e, dict) else {"id": e} for e in entries]}}


@pytest.mark.parametrize("pages", [
    {}, models("m"), models("a", "m"), models("m:latest"), models("M"), models({"id": "m", "root": "m"}),
    models({"id": "m", "root": "/models/m"}), models({"id": "m", "root": "org/m"}), {"/v1/models": {"data": []}},
    {"/v1/models": {"data": None}}, {"/v1/models": {"data": "m"}}, {"/v1/models": {"data": [{}, 3, {"id": None}]}},
    {"/v1/models": {"models": ["a"]}},
])
def test_nothing_is_said_where_the_list_has_the_name_or_is_none(pages):
    assert said_of(pages) == []


@pytest.mark.parametrize(("pages", "words"), [
    (models("other"), "the server has other;"),
    (models("/srv/other.gguf"), "the server has /srv/other.gguf;"),
    (models("a", "b"), "the server does not list it, but a, b;"),
    (models({"id": "m", "root": "Qwen/Qwen2.5-7B"}), "the server has Qwen/Qwen2.5-7B under this name"),
    (models("a", {"id": "m", "root": "/srv/b"}), "the server has /srv/b under this name"),
])
def test_another_model_is_said_once(pages, words):
    found = said_of(pages)
    assert len(found) == 1
    assert 'the model was named "m", and so it stands in the signature, but ' + words in found[0]


def test_a_reply_that_names_another_model_is_said_once():
    found = said_of({}, script=lambda a: chat(belief(a.prompt), model="other-7b"))
    assert len(found) == 1
    assert "the server answers as other-7b" in found[0]


def test_a_long_list_is_shortened():
    assert len(said_of(models(*(f"model-{n}" for n in range(500))))[0]) < 600


def test_a_server_that_refuses_the_name_says_so_without_a_warning_before():
    with (
        FaultyServer(lambda _: Reply({"error": {"message": "no m"}}, 404), pages=models("other")) as server,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("error")
        with pytest.raises(JudgeError, match="it has other"):
            judge_of(server).ask(questions_of(2))


def test_a_key_in_a_servers_words_is_struck_out(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    found = said_of(models("echo-sk-secret-0123456789"))
    assert len(found) == 1 and "sk-secret" not in found[0]


@pytest.mark.parametrize(("model", "other", "expected"), [
    ("qwen2.5", "qwen2.5:latest", True), ("qwen2.5:latest", "qwen2.5", True), ("qwen2.5:7b", "qwen2.5:latest", False),
    ("judge.gguf", "/srv/models/judge.gguf", True), ("C:\\m\\judge.gguf", "judge.gguf", True),
    ("./folder", "folder", True), ("Org/Model", "org/model", True), ("a/model", "b/model", False), ("m", "m2", False),
])
def test_names_of_one_model(model, other, expected):
    assert alike(model, other) is alike(other, model) is expected


@pytest.mark.parametrize(("model", "said", "doubted"), [
    ("gpt-4o", "gpt-4o-2024-08-06", False), ("openai/gpt-4o", "gpt-4o-2024-08-06", False), ("m", None, False),
    ("m", 3, False), ("m", "", False), ("Qwen/Qwen3", "Qwen/Qwen3@main", False), ("gpt-4o", "gpt-4.1", True),
    ("gpt-4", "gpt-4-0613", False), ("gemini-pro", "gemini-pro-002", False), ("gpt-4", "gpt-4o", True),
    ("gemini-pro", "gemini-pro-preview-05-06", False), ("m", "m-0123abcdef", False), ("o1", "o1-mini", True),
    ("Qwen/Qwen3-8B", "Qwen/Qwen3-8B-AWQ", True), ("llama3", "llama3.1", True), ("qwen3", "qwen3:14b", True),
    ("gpt-4", "gpt-4o-2024-08-06", True), ("gpt-4", "gpt-4-turbo-2024-04-09", True),
])
def test_names_in_replies(model, said, doubted):
    assert bool(doubt_of_reply(model, said)) is doubted


def test_the_entry_of_a_model():
    entries = entries_of([{"id": "a"}, {"id": "/srv/b.gguf", "n": 1}, {"id": 3}, None])
    assert [e["id"] for e in entries] == ["a", "/srv/b.gguf"]
    assert entry_of("b.gguf", entries)["n"] == 1
    assert entry_of("c", entries) == {}
    assert entry_of("c", entries[:1]) == {"id": "a"}
    assert doubt_of_list("c", []) == ""


# -- nobody there ---------------------------------------------------------------------------------------------


def full_queue():
    """A socket that takes no more connections, as a host behind a firewall: a new one waits without an answer."""
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    taken.listen(0)
    waiting = []
    for _ in range(4):
        one = socket.socket()
        one.setblocking(False)
        one.connect_ex(taken.getsockname())
        waiting.append(one)
    return taken, waiting


def test_a_host_that_does_not_answer_is_not_waited_for_as_for_an_answer(monkeypatch):
    monkeypatch.setattr("posh_lite.judge.llm.server_link._CONNECT", 0.1)
    taken, waiting = full_queue()
    try:
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        engine = ServerEngine("m", url=address, retries=50, timeout=300, backoff=FAST)
        match = rf"no server is running at {address} \(no connection within 0.1 s \(2 attempts\)\): start it"
        with pytest.raises(JudgeDown, match=match):
            LanguageJudge(engine).ask(questions_of(10))
    finally:
        for one in (taken, *waiting):
            one.close()


def test_the_default_wait_for_nobody_is_a_few_seconds(monkeypatch):
    """Counted, not timed: every pause and every wait that the defaults allow."""
    pauses = []

    async def sleep(seconds, *_):
        pauses.append(seconds)

    monkeypatch.setattr("posh_lite.judge.llm.server_link.asyncio.sleep", sleep)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(JudgeDown, match="no server is running at"):
        LanguageJudge(ServerEngine("m", url=address)).ask(questions_of(10))
    assert len(pauses) == 1 and sum(pauses) <= 1.0


def test_a_server_that_is_lost_in_the_run_is_tried_at_every_attempt():
    """Connections that are refused later are no reason to give up early."""
    with FaultyServer(lambda a: honest(a) if a.number < 3 else DROP) as server:
        engine = engine_of(server, retries=4)
        judge = LanguageJudge(engine)
        judge.ask(questions_of(3))
        server.die()
        with pytest.raises(JudgeDown, match=r"\(5 attempts\); 3 questions had been answered") as caught:
            judge.ask(questions_of(8)[3:])
    assert "no server is running" not in str(caught.value)
