"""The engine "vllm" on a tiny random model: a real engine on vLLM's CPU build or a GPU, against "transformers"."""

from __future__ import annotations

import json
import math
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs vLLM: VLLM=cpu make test-judges, or VLLM=1 on a machine with a GPU")

from posh_lite import PoSh
from posh_lite.errors import InputError, JudgeError
from posh_lite.judge.llm.answers import FIVE, YES_NO, read_answer
from posh_lite.judge.llm.engine import Prompt
from posh_lite.judge.llm.judge import LanguageJudge
from posh_lite.judge.llm.transformers_engine import TransformersEngine
from posh_lite.judge.llm.vllm_engine import VllmEngine, _capability, _switch_batch_invariance, vllm_judge

#: Scores of the two engines on 1 to 5, both in float32; the record of the last run holds what was measured.
AGREE = 1e-3
CPU = _capability() is None
#: In this process and in one worker: starting more takes minutes on a small machine.
SMALL: dict[str, Any] = {"dtype": "float32", "max_model_len": 1024, "engine_args": {"enforce_eager": True}}
if CPU:
    SMALL["engine_args"] |= {"block_size": 32, "distributed_executor_backend": "uni"}
QUICK = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0", "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "OMP_NUM_THREADS": "1",
}


@pytest.fixture(scope="module")
def engine(tiny_qwen: Path) -> VllmEngine:
    for name, value in QUICK.items():
        os.environ.setdefault(name, value)
    return VllmEngine(tiny_qwen, **SMALL)


@pytest.fixture(scope="module")
def other(tiny_qwen: Path) -> TransformersEngine:
    return TransformersEngine(tiny_qwen, device="cpu" if CPU else "cuda", dtype="float32")


@pytest.mark.parametrize("answers", [FIVE, YES_NO], ids=["five", "yes-no"])
def test_it_reads_what_transformers_reads(
    engine: VllmEngine, other: TransformersEngine, prompts: list[Prompt], answers: Any, record_property: Any
) -> None:
    mine, theirs = engine.read(prompts, answers), other.read(prompts, answers)
    scores = [[read_answer(r.candidates, answers).score or 0.0 for r in readings] for readings in (mine, theirs)]
    record_property("largest difference of scores", max(abs(x - y) for x, y in zip(*scores, strict=True)))
    for a, b in zip(mine, theirs, strict=True):
        x, y = read_answer(a.candidates, answers), read_answer(b.candidates, answers)
        assert x.score == pytest.approx(y.score, abs=AGREE)
        assert x.mass == pytest.approx(y.mass, abs=AGREE)
        assert x.mass is not None and x.mass < 0.9  # the mass is the model's, not that of a masked vocabulary
        assert [t for t, _ in a.candidates] == [t for t, _ in b.candidates]
        assert [v for _, v in a.candidates] == pytest.approx([v for _, v in b.candidates], abs=AGREE)
        assert (a.text, a.tokens, a.generated) == (b.text, b.tokens, 1)


def test_masking_gives_the_same_scores_and_hides_the_mass(engine: VllmEngine, prompts: list[Prompt]) -> None:
    ids = [token for token, _ in engine._chat.answer_tokens(FIVE)]
    allowed = engine._run(prompts, temperature=0.0, max_tokens=1, allowed_token_ids=ids, logprob_token_ids=ids)
    for reading, out in zip(engine.read(prompts, FIVE), allowed, strict=True):
        raw = out.outputs[0].logprobs[0]  # raw log probabilities ignore the mask
        assert [raw[t].logprob for t in ids] == pytest.approx([v for _, v in reading.candidates], abs=AGREE)
        assert out.outputs[0].token_ids[0] == max(ids, key=lambda t: raw[t].logprob)


def test_beginnings_are_reused_and_change_nothing(engine: VllmEngine) -> None:
    text = "Text: " + "A man in a blue coat stands in front of a stone house. " * 12 + "\n"
    asked = [Prompt(f"{text}Is {thing} there?", len(text)) for thing in ("the man", "a red lamp", "the house")]
    first, again = engine.read(asked, FIVE), engine.read(asked, FIVE)
    assert all((r.cached or 0) > 0.7 * (r.tokens or 0) for r in again)
    assert all((r.cached or 0) < (r.tokens or 0) for r in again)
    for a, b in zip(first, again, strict=True):
        assert [v for _, v in a.candidates] == pytest.approx([v for _, v in b.candidates], abs=AGREE)


def test_company_in_a_batch_changes_no_score(engine: VllmEngine, prompts: list[Prompt]) -> None:
    together = engine.read(prompts, FIVE)
    for prompt, reading in zip(prompts, together, strict=True):
        (alone,) = engine.read([prompt], FIVE)
        assert [v for _, v in alone.candidates] == pytest.approx([v for _, v in reading.candidates], abs=AGREE)


def test_texts_are_greedy_or_drawn_by_the_seed(
    engine: VllmEngine, other: TransformersEngine, prompts: list[Prompt]
) -> None:
    mine, theirs = engine.generate(prompts[:2], 8), other.generate(prompts[:2], 8)
    assert [r.text for r in mine] == [r.text for r in theirs]
    a, b = engine.sample(prompts[:2], 4, seed=1), engine.sample(prompts[:2], 4, seed=1)
    assert [r.samples for r in a] == [r.samples for r in b]
    assert all(len(r.samples) == 4 for r in a)
    assert len(set(a[0].samples)) > 1


@pytest.mark.filterwarnings("ignore:.*of the probability fell on the answers")
@pytest.mark.parametrize("scale", ["1-5", "yes-no"])
def test_posh_scores_alike_with_both(
    engine: VllmEngine, other: TransformersEngine, scale: Any, record_property: Any
) -> None:
    generation = "A red lamp hangs over a table. A man in a blue coat stands beside it."
    reference = "A lamp above a wooden table, and a man with a hat next to it."
    made = [
        PoSh(judge=LanguageJudge(e, scale=scale, threshold=1.0)).score(generation, reference) for e in (engine, other)
    ]
    a, b = ([(c.kind, c.text, c.identifier) for c in score.components] for score in made)
    assert a == b
    both = [(x.score, y.score) for x, y in zip(made[0].components, made[1].components, strict=True)]
    record_property("largest difference of scores", max(abs(x - y) for x, y in both if x is not None and y is not None))
    for x, y in zip(made[0].components, made[1].components, strict=True):
        assert x.score == pytest.approx(y.score, abs=AGREE)
    assert made[0].overall == pytest.approx(made[1].overall, abs=AGREE)


def test_identity_names_what_can_change_an_answer(engine: VllmEngine, tiny_qwen: Path) -> None:
    import vllm

    for part in ("tiny-qwen3 sha256:", "dtype:float32", "tensor-parallel:1", "batch-invariant:", "prefix-caching:on",
                 f"vllm:{vllm.__version__.partition('+')[0]}", "enforce_eager:True"):
        assert part in engine.identity
    assert str(tiny_qwen.parent) not in engine.identity
    assert engine.context == 1024


def test_a_prompt_beyond_the_context_is_not_sent(engine: VllmEngine) -> None:
    judge = LanguageJudge(engine)
    with pytest.raises(JudgeError, match=r"more than the 1,024 of the model's context"):
        PoSh(judge=judge).score("A lamp hangs over a table.", "A lamp stands on the old table. " * 200)
    assert judge.usage.prompts == 0
    with pytest.raises(JudgeError, match="vLLM could not answer"):
        engine.read([Prompt("word " * 2000)], FIVE)
    assert engine.read([Prompt("one two")], FIVE)[0].candidates  # and goes on


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tensor_parallel_size": 0}, "tensor_parallel_size must be a whole number"),
        ({"gpu_memory_utilization": 1.5}, "gpu_memory_utilization must be above 0"),
        ({"batch_invariant": "maybe"}, "batch_invariant must be"),
        ({"engine_args": {"logprobs_mode": "raw_logits", "seed": 3}}, "engine_args cannot hold logprobs_mode, seed"),
    ],
)
def test_settings_out_of_range_are_refused(tiny_qwen: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        vllm_judge(tiny_qwen, **options)


def test_batch_invariance_follows_device_and_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    place = "posh_lite.judge.llm.vllm_engine._capability"
    monkeypatch.setenv("VLLM_BATCH_INVARIANT", "0")
    for device, sure, possible in (((9, 0), True, True), ((8, 6), False, True), ((7, 5), False, False), (None,) * 3):
        monkeypatch.setattr(place, lambda device=device: device)
        monkeypatch.delenv("VLLM_BATCH_INVARIANT", raising=False)
        assert _switch_batch_invariance("auto") is bool(sure)
        assert os.environ["VLLM_BATCH_INVARIANT"] == ("1" if sure else "0")
        if possible:
            assert _switch_batch_invariance(True) is True
        else:
            with pytest.raises(JudgeError, match=r"compute capability 8\.0 or newer"):
                _switch_batch_invariance(True)
        monkeypatch.setenv("VLLM_BATCH_INVARIANT", "1")
        assert _switch_batch_invariance("auto") is True
        assert _switch_batch_invariance(False) is False


# -- its server -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server(tiny_qwen: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """vLLM's own OpenAI-compatible server of the same model, in a process of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(tiny_qwen),
        "--served-model-name", "tiny", "--host", "127.0.0.1", "--port", str(port), "--dtype", "float32",
        "--max-model-len", "1024", "--max-logprobs", "100", "--enforce-eager",
        *(["--block-size", "32", "--distributed-executor-backend", "uni"] if CPU else []),
    ]
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with log.open("wb") as handle:
        environment = {**os.environ, **QUICK, "VLLM_ENABLE_V1_MULTIPROCESSING": "1"}
        process = subprocess.Popen(command, stdout=handle, stderr=subprocess.STDOUT, env=environment)
        try:
            until = time.monotonic() + 1200
            while True:
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
                        break
                except OSError:
                    ended = process.poll() is not None
                    assert not ended and time.monotonic() < until, log.read_text(errors="replace")[-3000:]
                    time.sleep(1)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            process.wait(60)


def test_its_server_answers_a_chat_with_probabilities(
    server: str, other: TransformersEngine, prompts: list[Prompt]
) -> None:
    body = {
        "model": "tiny", "messages": [{"role": "user", "content": prompts[0].text}], "max_tokens": 1, "temperature": 0,
        "logprobs": True, "top_logprobs": 20, "chat_template_kwargs": {"enable_thinking": False},
    }
    request = urllib.request.Request(
        f"{server}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=300) as response:
        answer = json.load(response)
    top = answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
    assert len(top) == 20
    assert sum(math.exp(t["logprob"]) for t in top) < 1
    known = dict(other.read(prompts[:1], FIVE)[0].candidates)
    shared = [t for t in top if t["token"] in known]
    assert all(t["logprob"] == pytest.approx(known[t["token"]], abs=AGREE) for t in shared)
    assert answer["usage"]["prompt_tokens"] == other.count(prompts[0])


def test_the_openai_judge_reads_the_same_from_its_server(
    server: str, other: TransformersEngine, prompts: list[Prompt], record_property: Any
) -> None:
    pytest.importorskip("openai", reason="needs the openai client: make test-judges")
    from posh_lite.judge.llm.server import ServerEngine

    # One token: this random model often begins with a blank, after which the judge would read the next position.
    extra = {"chat_template_kwargs": {"enable_thinking": False}, "max_tokens": 1}
    client = ServerEngine("tiny", url=server, top_logprobs=100, timeout=300, extra=extra)
    for answers in (FIVE, YES_NO):
        compared, largest = 0, 0.0
        for theirs, ours in zip(client.read(prompts, answers), other.read(prompts, answers), strict=True):
            assert not theirs.fault
            assert theirs.tokens == ours.tokens
            known = dict(ours.candidates)
            for text, value in theirs.candidates:  # the most probable ones; the least of the answers are not told
                if text in known:
                    compared += 1
                    largest = max(largest, abs(value - known[text]))
        record_property(f"largest difference of {compared} log probabilities", largest)
        assert largest <= AGREE
        assert compared >= 5
