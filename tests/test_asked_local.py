"""Rows through engines in this process: the adapter, with engines without a model."""

import math

import pytest
from asked_server import marks, pairs_with_images
from engines import FakeEngine

from posh_lite.baselines import chat_text
from posh_lite.baselines.chat_engines import make_engine, split_model
from posh_lite.baselines.chat_types import Ask, Sampling
from posh_lite.baselines.registry import METRICS, make_metric
from posh_lite.errors import InputError, JudgeError, MissingDependency
from posh_lite.judge.llm.engine import Reading
from posh_lite.records import Pair

PAIRS = [Pair(f"p{i}", f"A red cat {i}.", f"A black cat {i}.") for i in range(4)]
TEXT = marks().body["choices"][0]["message"]["content"]


@pytest.fixture
def local(monkeypatch):
    """Puts an engine without a model in the place of llama.cpp's."""

    def put(engine):
        monkeypatch.setattr(chat_text, "_gguf", lambda model, **_: engine)
        monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
        return engine

    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "POSH_LITE_REPLIES"):
        monkeypatch.delenv(name, raising=False)
    return put


@pytest.mark.parametrize(("model", "wanted"), [
    ("gguf:a.gguf", ("gguf", "a.gguf")), ("transformers:Qwen/Qwen3-32B", ("transformers", "Qwen/Qwen3-32B")),
    ("vllm:x", ("vllm", "x")), ("openai:x", ("openai", "x")), ("llama3:8b", ("openai", "llama3:8b")),
    ("Qwen/Qwen3-32B", ("openai", "Qwen/Qwen3-32B")), ("", ("openai", "")), ("gguf:", ("openai", "gguf:")),
])
def test_engine_and_model(model, wanted):
    assert split_model(model) == wanted


def test_a_row_runs_through_a_text_engine_and_its_log(local, tmp_path):
    engine = local(FakeEngine(rewriting=lambda p: TEXT))
    log = tmp_path / "r.sqlite"
    metric = make_metric("qwen3-32b:gguf:a.gguf", log=log, progress=False)
    assert list(metric.score(PAIRS)["omissions"]) == [3.0] * 4
    assert len(engine.calls) == 4 and "A red cat 0." in engine.calls[0][0].text
    assert metric.name == "qwen3-32b:a.gguf" and metric.needs == {"reference", "model"}
    assert "model:fake model:1" in metric.signature
    assert metric.usage.prompts == 4 and metric.usage.tokens > 0
    make_metric("qwen3-32b:gguf:a.gguf", log=log, progress=False).score(PAIRS)
    assert len(engine.calls) == 4


def test_a_stopped_run_keeps_what_was_written(local, tmp_path):
    def writing(prompt):
        if "cat 2" in prompt.text and stop:
            raise KeyboardInterrupt
        return TEXT

    engine, stop = local(FakeEngine(rewriting=writing)), [True]
    log = tmp_path / "r.sqlite"
    with pytest.raises(KeyboardInterrupt):
        make_metric("asked:gguf:a", log=log, progress=False).score(PAIRS)
    stop.clear()
    engine.calls.clear()
    assert list(make_metric("asked:gguf:a", log=log, progress=False).score(PAIRS)["overall"]) == [2.0] * 4
    assert len(engine.calls) == 2


def test_a_message_that_does_not_fit_names_the_pair(local):
    local(FakeEngine(rewriting=lambda p: TEXT, context=1100))
    with pytest.raises(JudgeError, match=r'pair "p0": the message has 1\d\d tokens, with 1,024 for the reply'):
        make_metric("asked:gguf:a", progress=False).score(PAIRS)


def test_a_reply_of_the_most_tokens_is_taken_as_cut(local):
    cut = Reading(text='{"precision": 4, "recall": 3', generated=64)
    local(FakeEngine(rewriting=lambda p: cut))
    metric = make_metric("asked:gguf:a", most_tokens=64, progress=False)
    with pytest.warns(UserWarning, match="cut off"):
        frame = metric.score(PAIRS[:1])
    assert list(frame["mistakes"]) == [4.0] and math.isnan(frame["omissions"][0])


def test_what_a_text_engine_cannot_do_is_said(local, tmp_path):
    local(FakeEngine(rewriting=lambda p: TEXT))
    engine = make_engine("gguf:a")
    with pytest.raises(InputError, match="use a server"):
        engine.reply([Ask("x")], Sampling(0.5), lambda *_: None)
    with pytest.raises(InputError, match="shows no pictures"):
        make_metric("llava-critic:gguf:a", images=tmp_path).score(pairs_with_images(tmp_path, 1))


def test_rows_say_which_modules_an_engine_lacks(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for model, extra in (("gguf:a", "gguf"), ("transformers:a", "transformers"), ("vllm:a", "gpu"), ("a", "openai")):
        line = METRICS["qwen3-32b"].lacks({"model": model, "url": "http://127.0.0.1:1"})[0]
        assert f"[{extra}]" in line
    with pytest.raises(MissingDependency, match="llama_cpp"):
        make_metric("qwen3-32b:gguf:a")
