"""Rows that read, with a tiny random language model of transformers in this process."""

from __future__ import annotations

import warnings

import pytest
from tiny_model import make_model

from posh_lite.baselines.registry import make_metric
from posh_lite.records import Pair

PAIRS = [Pair(f"p{i}", f"A red cat {i}.", f"A black cat {i} on a mat.") for i in range(3)]


@pytest.fixture(scope="module")
def qwen(tmp_path_factory):
    """Folder of a tiny random Qwen3."""
    for module in ("torch", "transformers"):
        pytest.importorskip(module, reason=f"needs {module}")
    return make_model(tmp_path_factory.mktemp("models") / "tiny-qwen3", context=4096)


@pytest.mark.parametrize("row", ["qwen3-32b", "prometheus", "asked"])
def test_a_random_model_is_read_kept_and_counted(qwen, tmp_path, row):
    def run():
        metric = make_metric(f"{row}:transformers:{qwen}", log=tmp_path / "r.sqlite", most_tokens=24, progress=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return metric.score(PAIRS), metric

    frame, first = run()
    again, second = run()
    many = 9 if row == "prometheus" else 3
    assert frame.equals(again) and list(frame["id"]) == ["p0", "p1", "p2"]
    assert first.asker.n_asked == many and second.asker.n_known == many and second.asker.n_asked == 0
    assert first.usage.prompts == many and first.usage.generated > 0
    assert "sha256:" in first.signature and first.needs == {"reference", "model"}
