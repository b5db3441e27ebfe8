"""Ten pairs of captions through every engine that is installed, with the same weights: the judges agree.

The model is tiny and random, made on the spot; its GGUF file holds the same weights in float32. With
``POSH_LITE_GGUF=model.gguf`` a real model is compared with itself as well: in this process and behind a server.
"""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from posh_lite import PoSh
from posh_lite.errors import InputError
from posh_lite.judge.llm.answers import FIVE
from posh_lite.judge.llm.engine import Engine, Prompt, Reading
from posh_lite.judge.llm.judge import LanguageJudge

PAIRS = [json.loads(line) for line in Path(__file__).with_name("ten_pairs.jsonl").read_text("utf-8").splitlines()]
SCALES = ("1-5", "yes-no")
#: In points on 1 to 5, for each engine against transformers. In float32 throughout 1e-3 is far more than was measured.
SAME = 1e-3
#: llama.cpp keeps what it computed of a prompt in half precision, unless it is told otherwise.
HALF_CACHE = 0.005
#: Its fused attention also sums in half precision, and not alike for batches of one size and another.
FUSED = 0.02
#: A real model at 4 bits, where llama.cpp also rounds what goes into every layer.
REAL = 0.2
MASS = 0.05
MODEL = os.environ.get("POSH_LITE_GGUF", "")


@dataclass(frozen=True)
class Told:
    """What a judge said of the ten pairs on one scale."""

    components: list[list[tuple[str, str, str]]]
    scores: list[tuple[float | None, ...]]
    coarse: list[tuple[float | None, ...]]
    masses: list[float]
    prompts: list[Prompt]


class Heard:
    """An engine, and what went through it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.prompts: list[Prompt] = []
        self.readings: list[Reading] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def read(self, prompts: Any, answers: Any) -> list[Reading]:
        self.prompts += prompts
        found = self._engine.read(prompts, answers)
        self.readings += found
        return found


class Masses(LanguageJudge):
    """A judge that keeps the mass of its verdicts."""

    def ask(self, questions: Any) -> Any:
        verdicts = super().ask(questions)
        self.masses = [*getattr(self, "masses", []), *(v.mass for v in verdicts)]
        return verdicts


def needs(*modules: str) -> None:
    for module in modules:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"needs {module}: make test-judges")


def judged(engine: Engine, scale: Any) -> Told:
    """The ten pairs; a threshold of 1 lets a random model hide no question."""
    heard = Heard(engine)
    judge = Masses(heard, scale=scale, threshold=1.0, mass_floor=0.0)  # type: ignore[arg-type]
    scorer = PoSh(judge=judge)
    made = scorer.score_many(PAIRS)
    return Told(
        [[(c.kind, c.text, c.identifier or "") for c in score.components] for score in made],
        [tuple(c.score for c in score.components) for score in made],
        [(score.mistakes, score.omissions, score.overall) for score in made],
        judge.masses, heard.prompts,
    )


def compare(ours: Told, theirs: Told, tolerance: float, record: Callable[[str, object], None], scale: str) -> None:
    """Same questions, and scores and masses within the tolerance."""
    assert ours.components == theirs.components
    assert ours.prompts == theirs.prompts
    assert len(ours.prompts) > 100
    assert all(x == x for figures in ours.coarse for x in figures)  # numbers, each of them
    both = [
        (x, y) for a, b in zip([*ours.scores, *ours.coarse], [*theirs.scores, *theirs.coarse], strict=True)
        for x, y in zip(a, b, strict=True)
    ]
    assert [x is None for x, _ in both] == [y is None for _, y in both]
    scores = max(abs(x - y) for x, y in both if x is not None and y is not None)
    masses = max(abs(x - y) for x, y in zip(ours.masses, theirs.masses, strict=True))
    record(f"{scale}: largest difference of scores", scores)
    record(f"{scale}: largest difference of masses", masses)
    record(f"{scale}: questions", len(ours.prompts))
    print(f"\n{scale}: {len(ours.prompts)} questions, scores differ by {scores:.2e}, masses by {masses:.2e}")
    assert scores <= tolerance
    assert masses <= min(tolerance, MASS)


@contextmanager
def serving(command: list[str], log: Path, **environment: str) -> Iterator[str]:
    """Start a server in a process of its own; gives the address of its API."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with log.open("wb") as handle:
        command = [sys.executable, "-m", *command, "--host", "127.0.0.1", "--port", str(port)]
        server = subprocess.Popen(
            command, stdout=handle, stderr=subprocess.STDOUT, env={**os.environ, **environment}
        )
        try:
            until = time.monotonic() + 1200
            while True:
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=5).close()
                    break
                except OSError:
                    running = server.poll() is None and time.monotonic() < until
                    assert running, log.read_text(errors="replace")[-3000:]
                    time.sleep(0.5)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()
            server.wait(60)


def llama_server(model: str | Path, *more: str) -> list[str]:
    return ["llama_cpp.server", "--model", str(model), "--model_alias", "judge", "--logits_all", "true",
            "--n_ctx", "2048", *more]


@pytest.fixture(scope="module")
def first(answering: Path) -> dict[str, Told]:
    """What transformers says, against which the others are held."""
    from posh_lite.judge.llm.transformers_engine import TransformersEngine

    engine = TransformersEngine(answering, device="cpu", dtype="float32")
    told = {scale: judged(engine, scale) for scale in SCALES}
    for said in told.values():  # scores that differ enough for the tolerances to mean something
        known = [x for scores in said.scores for x in scores if x is not None]
        assert max(known) - min(known) > 0.5
    return told


@pytest.fixture
def exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """llama.cpp in this process keeps what it computed in float32."""
    import llama_cpp

    usual = llama_cpp.llama_context_default_params

    def settings() -> Any:
        made = usual()
        made.type_k = made.type_v = llama_cpp.GGML_TYPE_F32
        return made

    monkeypatch.setattr(llama_cpp, "llama_context_default_params", settings)


# -- llama.cpp ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("flash", "tolerance"), [(None, FUSED), (False, HALF_CACHE)], ids=["usual", "not fused"])
def test_gguf_in_process(
    first: dict[str, Told], request: pytest.FixtureRequest, flash: bool | None, tolerance: float, record_property: Any
) -> None:
    needs("llama_cpp")
    from posh_lite.judge.llm.gguf import GgufEngine

    path = request.getfixturevalue("answering_gguf")
    with pytest.raises(InputError, match="flash_attention must be true or false"):
        GgufEngine(path, flash_attention="maybe")  # type: ignore[arg-type]
    engine = GgufEngine(path, threads=1, flash_attention=flash)
    assert ("flash-attention:off" in engine.identity) == (flash is False)  # answers of both are kept apart in a log
    for scale in SCALES:
        compare(judged(engine, scale), first[scale], tolerance, record_property, scale)


def test_gguf_in_float32_throughout(
    first: dict[str, Told], request: pytest.FixtureRequest, record_property: Any
) -> None:
    needs("llama_cpp")
    request.getfixturevalue("exact")
    from posh_lite.judge.llm.gguf import GgufEngine

    engine = GgufEngine(request.getfixturevalue("answering_gguf"), threads=1, flash_attention=False)
    for scale in SCALES:
        compare(judged(engine, scale), first[scale], SAME, record_property, scale)


def test_gguf_lists_are_those_of_a_pair_whatever_chunks_batches_and_log(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Eight questions in a prompt, read line by line; each chunk, batch and half-known log gives the same prompts."""
    needs("llama_cpp")
    from posh_lite.judge.llm.gguf import GgufEngine

    engine = GgufEngine(request.getfixturevalue("answering_gguf"), threads=1, alone=True, flash_attention=False)

    def figures(chunk: int, batch: int, log: Path | None = None) -> tuple[dict[str, list[float | None]], int]:
        judge = LanguageJudge(engine, scale="yes-no", threshold=1.0, mass_floor=0.0, pack=8, batch_size=batch)
        scores = PoSh(judge=judge, log=log, progress=False).score_many(PAIRS[:3], chunk_size=chunk)
        return {s.id: [c.score for c in s.components] for s in scores}, judge.usage.prompts

    wanted, prompts = figures(1, 64)
    assert prompts > 10
    for chunk, batch, log in ((3, 5, None), (2, 64, tmp_path / "v.sqlite"), (3, 7, tmp_path / "w.sqlite")):
        found, _ = figures(chunk, batch, log)
        assert found.keys() == wanted.keys()
        for id_, values in wanted.items():
            assert found[id_] == pytest.approx(values, abs=1e-3)
    log = tmp_path / "v.sqlite"
    with sqlite3.connect(log) as connection:  # every third answer is lost
        keys = [k for (k,) in connection.execute("SELECT key FROM verdicts ORDER BY key")]
        connection.executemany("DELETE FROM verdicts WHERE key=?", [(k,) for k in keys[::3]])
    connection.close()
    found, again = figures(1, 64, log)
    assert 0 < again <= prompts
    for id_, values in wanted.items():
        assert found[id_] == pytest.approx(values, abs=1e-3)


def test_gguf_alone_gives_the_same_in_any_company_and_order(
    first: dict[str, Told], request: pytest.FixtureRequest
) -> None:
    """With fused attention and a half-precision cache, where company changes rounding otherwise."""
    needs("llama_cpp")
    from posh_lite.judge.llm.gguf import GgufEngine

    engine = GgufEngine(request.getfixturevalue("answering_gguf"), threads=1, alone=True)
    assert engine.identity.endswith(" alone")
    prompts = first["1-5"].prompts[:40]
    together = engine.read(prompts, FIVE)
    engine.forget()
    for i in reversed(range(len(prompts))):
        (reading,) = engine.read([prompts[i]], FIVE)
        assert reading.candidates == together[i].candidates


def test_gguf_one_by_one_from_nothing_is_in_batches_with_reuse(
    first: dict[str, Told], request: pytest.FixtureRequest, record_property: Any
) -> None:
    needs("llama_cpp")
    request.getfixturevalue("exact")
    from posh_lite.judge.llm.gguf import GgufEngine

    engine = GgufEngine(request.getfixturevalue("answering_gguf"), threads=1, flash_attention=False)
    prompts = first["1-5"].prompts[:60]
    assert len({p.text[: p.shared] for p in prompts}) >= 4  # beginnings of several pairs, left and come back to

    def values(readings: list[Reading]) -> list[float]:
        return [value for r in readings for _, value in r.candidates]

    engine.read(prompts, FIVE)
    again = engine.read(prompts, FIVE)
    assert all(r.cached for r in again)
    alone = []
    for prompt in prompts:
        engine.forget()
        (reading,) = engine.read([prompt], FIVE)
        assert reading.cached == 0
        alone.append(reading)
    assert [r.text for r in again] == [r.text for r in alone]
    pairs = zip(values(again), values(alone), strict=True)
    largest = max(abs(x - y) for x, y in pairs)
    record_property("largest difference of log probabilities", largest)
    assert largest <= 1e-4


def test_openai_before_the_server_of_llama_cpp(
    first: dict[str, Told], request: pytest.FixtureRequest, tmp_path: Path, record_property: Any
) -> None:
    needs("llama_cpp", "openai", "uvicorn", "fastapi", "starlette_context")
    from posh_lite.judge.llm.server import ServerEngine

    exact = ["--type_k", "0", "--type_v", "0", "--n_threads", "1"]
    command = llama_server(request.getfixturevalue("answering_gguf"), *exact)
    with serving(command, tmp_path / "log.txt") as url:
        engine = ServerEngine("judge", url=url, top_logprobs=100, concurrency=1, timeout=300)
        for scale in SCALES:
            compare(judged(engine, scale), first[scale], SAME, record_property, scale)


@pytest.mark.skipif(not Path(MODEL).is_file(), reason="POSH_LITE_GGUF names no model file")
@pytest.mark.parametrize("scale", SCALES)
def test_a_real_model_in_process_and_served(tmp_path: Path, scale: Any, record_property: Any) -> None:
    """The questions of the ten pairs, asked in process, again behind a server.

    The same questions, and not the same run: which of several names of a thing scores best, and so how its properties
    are asked for, can hang on the last digits of two answers.
    """
    needs("llama_cpp", "openai", "uvicorn", "fastapi", "starlette_context")
    from posh_lite.judge.llm.answers import YES_NO, read_answer
    from posh_lite.judge.llm.gguf import GgufEngine
    from posh_lite.judge.llm.server import ServerEngine

    answers = {"1-5": FIVE, "yes-no": YES_NO}[scale]
    own = Heard(GgufEngine(MODEL, context=2048))
    PoSh(judge=LanguageJudge(own, scale=scale, threshold=1.0, mass_floor=0.0)).score_many(PAIRS)  # type: ignore[arg-type]
    assert len(own.prompts) > 100
    with serving(llama_server(MODEL), tmp_path / "log.txt") as url:
        served = ServerEngine("judge", url=url, concurrency=1, timeout=300).read(own.prompts, answers)
    both = [
        (read_answer(x.candidates, answers), read_answer(y.candidates, answers))
        for x, y in zip(own.readings, served, strict=True)
    ]
    assert all((x.score is None) == (y.score is None) for x, y in both)
    scores = max(abs(x.score - y.score) for x, y in both if x.score is not None and y.score is not None)
    masses = max(abs(x.mass - y.mass) for x, y in both)
    record_property(f"{scale}: largest difference of scores", scores)
    record_property(f"{scale}: largest difference of masses", masses)
    record_property(f"{scale}: questions", len(both))
    print(f"\n{scale}: {len(both)} questions, scores differ by {scores:.2e}, masses by {masses:.2e}")
    assert scores <= REAL
    assert masses <= MASS


# -- vLLM -----------------------------------------------------------------------------------------------------------


VLLM = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0", "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "OMP_NUM_THREADS": "1",
}


def test_vllm_offline(first: dict[str, Told], answering: Path, record_property: Any) -> None:
    needs("vllm")
    for name, value in VLLM.items():
        os.environ.setdefault(name, value)
    from posh_lite.judge.llm.vllm_engine import VllmEngine, _capability

    small: dict[str, Any] = {"enforce_eager": True}
    if _capability() is None:
        small |= {"block_size": 32, "distributed_executor_backend": "uni"}
    engine = VllmEngine(
        answering, dtype="float32", max_model_len=1024, gpu_memory_utilization=0.2, engine_args=small
    )
    for scale in SCALES:
        compare(judged(engine, scale), first[scale], SAME, record_property, scale)


def test_openai_before_the_server_of_vllm(
    first: dict[str, Told], answering: Path, tmp_path: Path, record_property: Any
) -> None:
    needs("vllm", "openai")
    from posh_lite.judge.llm.server import ServerEngine
    from posh_lite.judge.llm.vllm_engine import _capability

    command = ["vllm.entrypoints.openai.api_server", "--model", str(answering), "--served-model-name", "judge",
               "--dtype", "float32", "--max-model-len", "1024", "--max-logprobs", "100", "--enforce-eager",
               "--gpu-memory-utilization", "0.2"]
    if _capability() is None:
        command += ["--block-size", "32", "--distributed-executor-backend", "uni"]
    environment = VLLM | {"VLLM_ENABLE_V1_MULTIPROCESSING": "1"}
    with serving(command, tmp_path / "log.txt", **environment) as url:
        engine = ServerEngine("judge", url=url, top_logprobs=100, timeout=300)
        for scale in SCALES:
            compare(judged(engine, scale), first[scale], SAME, record_property, scale)
