"""The same model behind llama.cpp's server and in process: one judge.

``POSH_LITE_GGUF=model.gguf python -m pytest -s tests/judges/test_real_server.py`` prints how far the answers differ.
"""

from __future__ import annotations

import importlib.util
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

from posh_lite.errors import JudgeError
from posh_lite.judge.llm.answers import FIVE, YES_NO, Answers, read_answer
from posh_lite.judge.llm.engine import Prompt, Reading
from posh_lite.judge.prompts import load_prompts

MODEL = os.environ.get("POSH_LITE_GGUF", "")
for module in ("llama_cpp", "openai", "uvicorn", "starlette_context"):
    if importlib.util.find_spec(module) is None:
        pytest.skip(f'needs {module}: pip install "llama-cpp-python[server]" openai', allow_module_level=True)
if not Path(MODEL).is_file():
    pytest.skip("POSH_LITE_GGUF names no model file", allow_module_level=True)

#: Both compute with the same weights, but round otherwise where batches have other sizes. In points of the scale from
#: 1 to 5; a 1.5B model at 4 bits differed by 0.05 on the scale 1-5 and by 0.09 on yes-no.
SCORE = 0.2
#: And in probability mass on the answers.
MASS = 0.05
START = 180  # seconds for the model to load
TEXTS = [
    ("A man in a red coat stands beside a white horse in front of a barn.",
     ["a man", "a horse", "a bicycle"]),
    ("Two women sit at a wooden table; one of them pours tea into a blue cup.",
     ["a woman pouring tea", "a blue cup", "a sleeping dog"]),
]


def prompts_on(scale: str) -> list[Prompt]:
    prompts = load_prompts().on(scale)
    made = []
    for number, (text, things) in enumerate(TEXTS):
        before, after = prompts.around("reference", target=text, source="")
        for thing in things:
            question = prompts.question("entity", "reference", identifier=thing)
            made.append(Prompt(f"{before}{question}{after}", len(before), f"pair {number}"))
    return made


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Address of llama.cpp's server with the model."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", MODEL, "--logits_all", "true", "--n_ctx", "2048"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--model_alias", "judge"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}/v1"
        end = time.monotonic() + START
        while True:
            try:
                urllib.request.urlopen(f"{address}/models", timeout=5).close()
                break
            except OSError:
                assert server.poll() is None, f"the server ended with {server.returncode}"
                assert time.monotonic() < end, f"no server after {START} s"
                time.sleep(0.5)
        yield address
    finally:
        server.terminate()
        server.wait(30)


@pytest.fixture(scope="module")
def gguf() -> Any:
    """The same model in this process."""
    from posh_lite.judge.llm.gguf import GgufEngine

    return GgufEngine(MODEL, context=2048)


def served(url: str, **settings: Any) -> Any:
    from posh_lite.judge.llm.server import ServerEngine

    return ServerEngine("judge", url=url, concurrency=2, timeout=300, **settings)


def templated(prompts: list[Prompt]) -> list[Prompt]:
    """The prompts inside the model's chat template, as the completions form wants them."""
    from llama_cpp import Llama
    from llama_cpp.llama_chat_format import Jinja2ChatFormatter

    reader = Llama(MODEL, vocab_only=True, verbose=False)
    bos, eos = (reader.detokenize([t], special=True).decode() if t >= 0 else ""
                for t in (reader.token_bos(), reader.token_eos()))
    render = Jinja2ChatFormatter(reader.metadata["tokenizer.chat_template"], eos, bos)
    found = []
    for prompt in prompts:
        messages: Any = [{"role": "user", "content": prompt.text}]
        text = render(messages=messages, enable_thinking=False).prompt
        found.append(Prompt(text, text.index(prompt.text) + prompt.shared, prompt.pair_id))
    return found


def compare(name: str, ours: list[Reading], theirs: list[Reading], answers: Answers) -> None:
    pairs = [(read_answer(a.candidates, answers), read_answer(b.candidates, answers))
             for a, b in zip(ours, theirs, strict=True)]
    assert not any(v.missing for pair in pairs for v in pair)
    scores = [abs((a.score or 0) - (b.score or 0)) for a, b in pairs]
    masses = [abs((a.mass or 0) - (b.mass or 0)) for a, b in pairs]
    print(f"\n{name}, {answers.scale}: scores in process {[round(a.score or 0, 3) for a, _ in pairs]},"
          f" greatest difference {max(scores):.4f} points, in mass {max(masses):.4f}")
    assert max(scores) < SCORE
    assert max(masses) < MASS


@pytest.mark.parametrize("answers", [FIVE, YES_NO], ids=lambda a: a.scale)
@pytest.mark.parametrize("form", ["chat", "completions"])
def test_a_served_model_answers_as_in_process(url: str, gguf: Any, form: str, answers: Answers) -> None:
    prompts = prompts_on(answers.scale)
    engine = served(url, form=form)
    readings = engine.read(prompts if form == "chat" else templated(prompts), answers)
    ours = gguf.read(prompts, answers)
    assert [r.tokens for r in readings] == [r.tokens for r in ours]
    compare(form, ours, readings, answers)


def test_a_served_model_is_sampled_and_generates(url: str) -> None:
    engine = served(url)
    prompt = prompts_on("1-5")[0]
    (drawn,) = engine.sample([prompt], 3, seed=5)
    assert len(drawn.samples) == 3
    (written,) = engine.generate([Prompt("Say the word blue and nothing else.")], 8)
    assert "blue" in written.text.lower()


def test_a_prompt_beyond_the_context_of_a_served_model_is_an_error(url: str) -> None:
    long = Prompt("word " * 3000, 0, "long one")
    with pytest.raises(JudgeError, match=r'pair "long one".*does not fit the model\'s context'):
        served(url, retries=0).read([long], FIVE)
