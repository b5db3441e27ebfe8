"""Rows behind a real server: ``transformers serve`` with the tiny LLaVA, against the same model in this process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
import warnings
from pathlib import Path

import pytest

from posh_lite.baselines.registry import make_metric
from posh_lite.errors import JudgeError


@pytest.fixture(scope="module")
def server(random_llava, tmp_path_factory):
    """Address of a server that has the tiny model."""
    for module in ("openai", "fastapi", "uvicorn"):
        pytest.importorskip(module, reason=f'needs {module}: pip install "transformers[serving]" openai')
    command = Path(sys.executable).with_name("transformers")
    if not command.exists():
        pytest.skip("needs the command transformers")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "log.txt"
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    with log.open("wb") as out:
        process = subprocess.Popen(
            [str(command), "serve", str(random_llava), "--device", "cpu", "--dtype", "float32", "--host", "127.0.0.1",
             "--port", str(port)], stdout=out, stderr=subprocess.STDOUT, env=environment,
        )
    try:
        for _ in range(300):
            if process.poll() is not None:
                pytest.fail(f"the server did not start: {log.read_text(errors='replace')[-2000:]}")
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2)
                break
            except OSError:
                time.sleep(1)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(30)


def told(metric, pairs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [t.raw[0] for t in metric.replies(pairs)]


@pytest.mark.parametrize("row", ["llava-critic", "asked"])
def test_a_message_with_a_picture_arrives_as_it_was_sent(server, random_llava, images, pairs, row):
    options = {"images": images, "progress": False, "most_tokens": 8, "setting": "both"}
    behind = make_metric(f"{row}:{random_llava}", url=server, **options)
    here = make_metric(f"{row}:transformers:{random_llava}", **options)
    replies = told(behind, pairs)
    assert replies == told(here, pairs)
    assert all(replies) and len(set(replies)) > 1
    assert behind.usage.prompts == 5


def test_fleur_says_that_this_server_gives_no_probabilities(server, random_llava, images, pairs):
    with pytest.raises(JudgeError, match="probabilities"):
        make_metric(f"fleur:{random_llava}", url=server, images=images, progress=False).score(pairs)
