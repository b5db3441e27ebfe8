"""Rows that ask a model behind a server, against a real HTTP server that works or fails as scripted."""

import json
import math
import os
import sqlite3
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from asked_server import marks, pairs_with_images, picture_of, png, says, text_of
from faulty_server import DROP, FaultyServer, Reply

from posh_lite.baselines.registry import METRICS, make_metric
from posh_lite.errors import InputError, JudgeDown, JudgeError, LogError, MissingDependency
from posh_lite.metric.protocol import NEEDS, Metric
from posh_lite.records import Pair

pytest.importorskip("openai", reason="the extra openai is not installed")
KEY = "sk-secret-0123456789"
PAIRS = [Pair(f"p{i}", f"A red cat {i} {{reference}} 100% %s.", f"A black cat {i} on a mat.") for i in range(12)]
ROWS = [name for name, entry in METRICS.items() if entry.check == "posh_lite.baselines.chat_engines:lacking"]


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "POSH_LITE_IMAGES",
                 "POSH_LITE_REPLIES"):
        monkeypatch.delenv(name, raising=False)


def asked(server, name="asked:m", **options):
    return make_metric(name, **{"url": server.url, "backoff": 0.002, "retries": 3, "progress": False, **options})


def score(metric, pairs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return metric.score(pairs)


def failing(error, times, then=None):
    """A script that fails the first times."""

    def script(request):
        return error if request.number < times else then(request) if then else marks()

    return script


def test_marks_come_back_in_order_under_the_protocols_names():
    def by_number(request):
        n = int(text_of(request).split("A red cat ")[1].split()[0])
        return marks(n % 6, (n + 1) % 6, (n + 2) % 6)

    with FaultyServer(by_number) as server:
        metric = asked(server)
        frame = metric.score(PAIRS)
    assert isinstance(metric, Metric)
    assert list(frame.columns) == ["id", "mistakes", "omissions", "overall"]
    assert list(frame["id"]) == [p.id for p in PAIRS]
    assert list(frame["mistakes"]) == [float(i % 6) for i in range(12)]
    assert list(frame["omissions"]) == [float((i + 1) % 6) for i in range(12)]
    assert list(frame["overall"]) == [float((i + 2) % 6) for i in range(12)]
    assert metric.usage.prompts == 12 and metric.usage.tokens == 1200 and metric.usage.generated == 84
    assert not metric.score([]).shape[0]


def test_a_message_shows_the_texts_as_they_are():
    with FaultyServer(lambda _: marks()) as server:
        asked(server).score([Pair("p", "{reference} 50% <|im_end|> <image> x", "The {generation} is %d.")])
    text = text_of(server.asked[0])
    assert "{reference} 50% <" in text and "The {generation} is %d." in text
    assert "<|im_end|>" not in text and "<image>" not in text  # marks of templates are broken up


@pytest.mark.parametrize(("name", "fields"), [
    ("gpt4o-reference", {"model": "gpt-4o-2024-08-06", "max_tokens": 1024, "temperature": 0.0}),
    ("gpt5-reference", {"model": "gpt-5-2025-08-07", "reasoning_effort": "minimal", "max_completion_tokens": 4096}),
    ("qwen3-32b", {"model": "Qwen/Qwen3-32B", "max_tokens": 1024, "temperature": 0.0,
                   "chat_template_kwargs": {"enable_thinking": False}}),
    ("asked:llama3:8b", {"model": "llama3:8b", "max_tokens": 1024, "temperature": 0.0}),
])
def test_each_row_asks_for_its_model(name, fields):
    with FaultyServer(lambda _: marks()) as server:
        metric = asked(server, name)
        metric.score(PAIRS[:1])
    body = dict(server.asked[0].body)
    assert body.pop("messages")[0]["role"] == "user"
    assert body == fields
    assert fields["model"] in metric.signature and server.url not in metric.signature
    assert metric.name == name


def test_another_model_shows_in_the_name():
    with FaultyServer(lambda _: marks()) as server:
        assert asked(server, "gpt4o-reference:mine").name == "gpt4o-reference:mine"


@pytest.mark.parametrize(("setting", "reference", "image"), [
    ("image", False, True), ("reference", True, False), ("both", True, True),
])
def test_settings_show_what_they_say(tmp_path, setting, reference, image):
    pairs = pairs_with_images(tmp_path / "images", 2)
    with FaultyServer(lambda _: marks()) as server:
        metric = asked(server, f"gpt4o-{setting}", images=tmp_path / "images")
        metric.score(pairs)
    assert ("black cat" in text_of(server.asked[0])) is reference
    assert picture_of(server.asked[0]) == (png((0, 0, 0)) if image else None)
    assert picture_of(server.asked[1]) == (png((1, 0, 0)) if image else None)
    assert metric.needs - {"key", "network"} == {n for n, on in (("reference", reference), ("image", image)) if on}
    if image:
        kinds = [p["type"] for p in server.asked[0].body["messages"][0]["content"]]
        url = server.asked[0].body["messages"][0]["content"][0]["image_url"]["url"]
        assert kinds == ["image_url", "text"] and url.startswith("data:image/png;base64,")


@pytest.mark.parametrize("error", [
    Reply({"error": {"message": "slow down"}}, 429, {"retry-after-ms": "1"}), Reply({"error": "oh"}, 500), DROP,
    Reply(b"<html>bad gateway</html>"), Reply(b'{"choices": [{"mess'), Reply({"choices": []}),
])
def test_what_passes_is_asked_again(error):
    with FaultyServer(failing(error, 2)) as server:
        frame = asked(server).score(PAIRS[:3])
    assert list(frame["overall"]) == [2.0] * 3
    assert len(server.asked) == 5


def test_one_that_never_answers_is_missing_and_asked_again_next_time(tmp_path):
    def script(request):
        return Reply({"error": "overloaded"}, 500) if "cat 5 " in text_of(request) else marks()

    log = tmp_path / "replies.sqlite"
    with FaultyServer(script) as server:
        metric = asked(server, log=log, retries=1)
        with pytest.warns(UserWarning, match='1 of 12 pairs lack a score, such as "p5".*overloaded'):
            frame = metric.score(PAIRS)
    assert [i for i, x in enumerate(frame["overall"]) if math.isnan(x)] == [5]
    assert metric.n_missing == 1 and metric.asker.n_failed == 1
    with FaultyServer(lambda _: marks()) as server:
        again = asked(server, log=log)
        assert list(again.score(PAIRS)["overall"]) == [2.0] * 12
        assert len(server.asked) == 1


def test_a_server_that_dies_loses_only_what_is_under_way(tmp_path):
    log = tmp_path / "replies.sqlite"

    def script(request):
        if request.number == 6:
            server.die()
        return marks()

    with FaultyServer(script) as server:
        metric = asked(server, log=log, concurrency=1, retries=0)
        with pytest.raises(JudgeDown, match=r"6 replies had come: with the option log=FILE"):
            metric.score(PAIRS)
    with FaultyServer(lambda _: marks()) as second:
        metric = asked(second, log=log)
        assert list(metric.score(PAIRS)["overall"]) == [2.0] * 12
        assert len(second.asked) == 6 and metric.asker.n_known == 6
    with FaultyServer(lambda _: marks()) as third:
        asked(third, log=log).score(PAIRS)
        assert third.asked == [] and third.looked == []  # nothing is wanted of it


def test_a_killed_process_is_resumed(tmp_path):
    log = tmp_path / "replies.sqlite"
    code = (
        "import sys\nfrom posh_lite.baselines.registry import make_metric\nfrom posh_lite.records import Pair\n"
        "pairs = [Pair(f'p{i}', f'A red cat {i} sits.', 'A black cat.') for i in range(12)]\n"
        "m = make_metric('asked:m', url=sys.argv[1], log=sys.argv[2], concurrency=1, progress=False)\nm.score(pairs)\n"
    )

    def script(request):
        if request.number == 7:
            process.kill()
        return marks()

    with FaultyServer(script) as server:
        process = subprocess.Popen([sys.executable, "-c", code, server.url, str(log)])
        assert process.wait(60) != 0
        server.script = lambda _: marks()
        done = len(server.asked)
        asked(server, log=log).score([Pair(f"p{i}", f"A red cat {i} sits.", "A black cat.") for i in range(12)])
        assert len(server.asked) - done in (12 - 7, 12 - 6)  # the one in flight, and perhaps one not yet written


def test_two_processes_share_a_log_and_the_first_reply_stays(tmp_path):
    log = tmp_path / "replies.sqlite"
    with FaultyServer(lambda _: marks(overall=1)) as one, FaultyServer(lambda _: marks(overall=5)) as two:
        first, second = asked(one, log=log), asked(two, log=log)
        second.asker.engine.reply = _late(second.asker.engine.reply, lambda: first.score(PAIRS[:2]))
        assert list(second.score(PAIRS[:2])["overall"]) == [1.0, 1.0]


def _late(reply, before):
    def late(asks, sampling, keep):
        before()
        return reply(asks, sampling, keep)

    return late


def test_a_log_holds_no_text_and_no_key(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    log = tmp_path / "replies.sqlite"
    with FaultyServer(lambda _: says('The black cat. {"precision": 1, "recall": 2, "overall_quality": 3}')) as server:
        metric = asked(server, log=log)
        metric.score(PAIRS)
        assert server.asked[0].headers["Authorization"] == f"Bearer {KEY}"
    metric.asker.log.close()
    whole = b"".join(p.read_bytes() for p in tmp_path.iterdir())
    for word in (b"black cat", b"red cat", b"precision", KEY.encode(), server.url.encode()):
        assert word not in whole
    assert KEY not in metric.signature + repr(metric.asker.engine)


def test_what_a_reply_depends_on_is_its_key(tmp_path):
    log, folder = tmp_path / "replies.sqlite", tmp_path / "images"
    pairs = pairs_with_images(folder, 2)

    def asked_for(**options):
        with FaultyServer(lambda _: marks()) as server:
            score(asked(server, **{"log": log, "setting": "both", "images": folder, **options}), pairs)
            return len(server.asked)

    assert asked_for() == 2
    assert asked_for() == 0
    assert asked_for(name="asked:other") == 2
    assert asked_for(most_tokens=99) == 2
    assert asked_for(temperature=0.5) == 2
    assert asked_for(extra={"top_p": 0.5}) == 2
    assert asked_for(setting="image") == 2
    (folder / "1.png").write_bytes(png((9, 9, 9)))
    assert asked_for() == 1


def test_a_full_disk_says_so_and_keeps_what_was_written(tmp_path):
    log = tmp_path / "replies.sqlite"
    with FaultyServer(lambda _: marks()) as server:
        metric = asked(server, log=log, concurrency=1)
        metric.score(PAIRS[:2])
        connection = metric.asker.log.log._open()
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count={pages}")
        long = [Pair(f"q{i}", "red cat " * 2 + str(i), "black") for i in range(400)]
        server.script = lambda r: says('{"precision": 1} ' + "x" * 3000)
        with pytest.raises(LogError, match="disk is full"):
            metric.score(long)
        known = asked(server, log=log).asker.log.get([metric._ask(p) for p in PAIRS[:2]], metric.sampling)
        assert known.keys() == {0, 1}


def test_a_file_of_something_else_is_refused(tmp_path):
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE things (x)")
    with FaultyServer() as server, pytest.raises(LogError, match="something else"):
        asked(server, log=path)


def test_the_environment_names_the_log(tmp_path, monkeypatch):
    monkeypatch.setenv("POSH_LITE_REPLIES", str(tmp_path / "mine.sqlite"))
    with FaultyServer(lambda _: marks()) as server:
        asked(server).score(PAIRS[:1])
        asked(server).score(PAIRS[:1])
        assert len(server.asked) == 1


@pytest.mark.parametrize(("reply", "said"), [
    (says("I'm sorry, I can't assist with that."), "no precision, recall, overall_quality"),
    (says(""), "empty"), (says("<think>hm", finish="length"), "thought"), (says('{"precision": 9'), "9"),
])
def test_garbage_and_refusals_are_missing_with_a_reason(reply, said):
    def script(request):
        return reply if "cat 1 " in text_of(request) else marks()

    with FaultyServer(script) as server:
        metric = asked(server)
        frame = score(metric, PAIRS[:3])
        told = metric.replies(PAIRS[:3])[1]
    assert [math.isnan(x) for x in frame["overall"]] == [False, True, False]
    assert said in told.fault and told.scores["overall"] is None
    assert told.raw == (reply.body["choices"][0]["message"]["content"],)


def test_a_refusal_in_a_field_of_its_own_is_kept():
    body = says("").body
    body["choices"][0]["message"] = {"role": "assistant", "content": None, "refusal": "I will not."}
    with FaultyServer(lambda _: Reply(body)) as server:
        assert asked(server).replies(PAIRS[:1])[0].raw == ("I will not.",)


def test_a_number_that_was_cut_off_is_missing():
    with FaultyServer(lambda _: says('{"precision": 4, "recall": 3', finish="length")) as server:
        told = asked(server).replies(PAIRS[:1])[0]
    assert told.scores == {"mistakes": 4.0, "omissions": None, "overall": None}
    assert "cut off" in told.fault


def test_a_model_that_never_answers_is_noticed_early():
    many = [Pair(f"p{i}", f"A cat {i}.", "A cat.") for i in range(200)]
    with FaultyServer(lambda _: says("What a lovely cat!")) as server, pytest.raises(JudgeError, match="lovely cat"):
        asked(server).score(many)
    assert len(server.asked) <= 32


def test_a_model_without_eyes_is_named_at_the_first_question(tmp_path):
    pairs = pairs_with_images(tmp_path, 12)
    said = {"error": {"message": "m is not a multimodal model: unknown content type image_url", "type": "BadRequest"}}
    for status in (400, 500):
        with FaultyServer(lambda r, s=status: Reply(said, s) if picture_of(r) else marks()) as server:
            with pytest.raises(JudgeDown, match=r"takes no images .*multimodal.*name a model that sees"):
                asked(server, "gpt4o-both", images=tmp_path).score(pairs)
            assert len(server.asked) <= 12 // 2 + 1


def test_one_picture_that_breaks_the_rules_is_missing(tmp_path):
    pairs = pairs_with_images(tmp_path, 4)

    def script(request):
        if "number 0 " in text_of(request):
            return Reply({"error": {"message": "rejected by our safety system", "code": "content_policy"}}, 400)
        return Reply({"error": "odd image"}, 400) if "number 2 " in text_of(request) else marks()

    with FaultyServer(script) as server:
        frame = score(asked(server, "gpt4o-image", images=tmp_path), pairs)
    assert [math.isnan(x) for x in frame["overall"]] == [True, False, True, False]


@pytest.mark.parametrize(("reply", "said"), [
    (Reply({"error": {"message": f"bad key {KEY}"}}, 401), r"refused the key .*OPENAI_API_KEY"),
    (Reply({"error": {"message": "no model m"}}, 404), r"not found \(404: no model m\); it has a, b"),
    (Reply({"error": "maximum context length is 100"}, 400), r'pair "p0": the prompt .*does not fit'),
    (Reply({"error": {"message": "temperature is not supported"}}, 400), r'pair "p0".*temperature is not supported'),
    (Reply({"error": {"code": "insufficient_quota", "message": "no money"}}, 429), "429: no money"),
])
def test_what_no_repetition_helps_ends_the_run_at_once(monkeypatch, reply, said):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    pages = {"/v1/models": {"data": [{"id": "a"}, {"id": "b"}]}}
    with FaultyServer(lambda _: reply, pages=pages) as server:
        with pytest.raises(JudgeError, match=said) as caught:
            asked(server).score(PAIRS)
        assert len(server.asked) == 1
    assert KEY not in str(caught.value)


def test_nobody_there():
    with FaultyServer() as server:
        url = server.url
    with pytest.raises(JudgeDown, match="no server is running at"):
        make_metric("asked:m", url=url, retries=1, backoff=0.002, progress=False).score(PAIRS)


def test_requests_under_way_are_bounded():
    with FaultyServer(lambda r: Reply(marks().body, delay=0.01)) as server:
        asked(server, concurrency=3).score([Pair(f"p{i}", f"A cat {i}.", "A cat.") for i in range(30)])
    assert server.peak <= 3


def test_the_same_message_is_asked_once():
    twin = [Pair("a", "A cat.", "A dog."), Pair("b", "A cat.", "A dog.")]
    with FaultyServer(lambda _: marks()) as server:
        frame = asked(server).score(twin)
    assert len(server.asked) == 1 and list(frame["id"]) == ["a", "b"] and list(frame["overall"]) == [2.0, 2.0]


def test_a_model_that_changes_under_way_is_told():
    with FaultyServer(lambda r: says('{"precision": 1}', served=f"m-{r.number // 4}")) as server:
        metric = asked(server)
        with pytest.warns(UserWarning, match="m-0 and m-1"):
            metric.replies(PAIRS[:6])
    assert metric.asker.served == {"m-0", "m-1"}


# -- rows and what they lack -----------------------------------------------------------------------------------


def test_every_row_says_what_it_lacks(monkeypatch, tmp_path):
    for name in ROWS:
        entry = METRICS[name]
        assert entry.needs <= NEEDS
        lines = entry.lacks()
        assert lines and all("set OPENAI" in x or "images" in x or "model" in x for x in lines), name
        assert any("images" in x for x in lines) is ("image" in entry.needs), name
        with pytest.raises(MissingDependency, match="cannot run here"):
            make_metric(name)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("POSH_LITE_IMAGES", str(tmp_path))
    assert [n for n in ROWS if METRICS[n].lacks()] == ["asked"]
    monkeypatch.setenv("POSH_LITE_IMAGES", str(tmp_path / "gone"))
    assert METRICS["gpt4o-both"].lacks() == [f"no such folder of images: {tmp_path / 'gone'}"]


def test_a_key_is_enough_for_hosted_rows_and_not_for_others(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert METRICS["gpt4o-reference"].lacks() == []
    assert METRICS["qwen3-32b"].lacks()
    assert METRICS["qwen3-32b"].lacks({"url": "http://127.0.0.1:1/v1"}) == []
    gguf = METRICS["qwen3-32b"].lacks({"model": "gguf:x.gguf"})
    assert all("llama_cpp" in line and "[gguf]" in line for line in gguf)


def test_wrong_settings_are_named(tmp_path):
    with FaultyServer() as server:
        for options, said in (
            ({"setting": "all"}, "setting"), ({"most_tokens": 0}, "most_tokens"), ({"temperature": 3}, "temperature"),
            ({"nonsense": 1}, "nonsense"), ({"prompts": tmp_path / "none.toml"}, "prompt file cannot be read"),
            ({"extra": {"api_key": "x"}}, "cannot hold a key"),
            ({"images": tmp_path / "x", "setting": "image"}, "folder"),
        ):
            with pytest.raises((InputError, MissingDependency), match=said):
                asked(server, **options)


def test_prompts_of_ones_own_change_scale_and_signature(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text('[scale]\nlow = 0\nhigh = 10\n[ask]\nreference = "{generation} | {reference} {x} {{y}}"\n')
    with FaultyServer(lambda _: marks(9, 8, 7)) as server:
        metric = asked(server, prompts=own)
        assert list(metric.score(PAIRS[:1])["mistakes"]) == [9.0]
        assert text_of(server.asked[0]) == f"{PAIRS[0].generation} | {PAIRS[0].reference} {{x}} {{{{y}}}}"
        assert metric.signature != asked(server).signature


@pytest.mark.parametrize(("text", "said"), [
    ("[ask]\nreference = 1", 'template "reference" is missing'), ('[ask]\nreference = "{generation}"', '"{reference}"'),
    ('[ask]\nreference = "{generation} {reference} {units}"', 'cannot use "{units}"'), ("[ask", "TOML"),
    ('[ask]\nreference = "{generation} {reference}"', "scale"),
    ('[ask]\nreference = "{generation} {reference}"\n[scale]\nlow = 5\nhigh = 0', "low below high"),
])
def test_a_faulty_prompt_file_is_explained(tmp_path, text, said):
    own = tmp_path / "own.toml"
    own.write_text(text)
    with FaultyServer() as server, pytest.raises(InputError, match=said.replace("{", r"\{")) as caught:
        asked(server, prompts=own)
    assert "own.toml" in str(caught.value)


def test_importing_a_row_loads_nothing_heavy():
    code = ("import sys, posh_lite.baselines.asked, posh_lite.baselines.registry\n"
            "print([m for m in ('openai', 'torch', 'pandas', 'numpy', 'spacy', 'PIL') if m in sys.modules])")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert json.loads(done.stdout.replace("'", '"')) == []
