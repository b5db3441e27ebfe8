"""COCO's metrics against pycocoevalcap itself, through Java."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from posh_lite.baselines.cider import Cider
from posh_lite.baselines.java import lacks_spice, ptb_tokens
from posh_lite.baselines.registry import make_metric
from posh_lite.baselines.treebank import treebank_tokens
from posh_lite.benchmarks.mini import load_mini
from posh_lite.records import pair_from_dict, read_jsonl

pytest.importorskip("pycocoevalcap", reason="needs pycocoevalcap (extra baselines)")
pytestmark = pytest.mark.skipif(shutil.which("java") is None, reason="needs Java on the path")

HERE = Path(__file__).parent
TEN = [pair_from_dict(row) for _, row in read_jsonl(HERE / "ten_pairs.jsonl")]
RECORDED: dict[str, dict[str, float]] = json.loads((HERE / "coco.json").read_text("utf-8"))
ODD = ["", "A man's hat isn't here.", "(red) \u201cquoted\u201d \u2014 e.g. U.S. caf\u00e9", "**bold** and/or ### x",
       "well-known 1/2 cannot gonna $3,000.50", "it\u2019s 10:30, #1 50% 'single' dogs' \U0001f600"]  # fmt: skip


@pytest.mark.parametrize("name", ["meteor", "bleu-coco"])
def test_metrics_are_the_librarys(name: str) -> None:
    frame = make_metric(name).score(TEN)
    assert dict(zip(frame["id"], frame["overall"], strict=True)) == pytest.approx(RECORDED[name], abs=1e-12)


def test_the_library_says_what_was_recorded() -> None:
    """Straight through its own wrappers, so that the record is checked wherever the library is."""
    from pycocoevalcap.cider.cider import Cider as Theirs
    from pycocoevalcap.meteor.meteor import Meteor
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    references = PTBTokenizer().tokenize({p.id: [{"caption": p.reference}] for p in TEN})
    generations = PTBTokenizer().tokenize({p.id: [{"caption": p.generation}] for p in TEN})
    for name, metric in (("cider", Theirs()), ("meteor", Meteor())):
        assert list(metric.compute_score(references, generations)[1]) == pytest.approx(list(RECORDED[name].values()))


def test_cider_of_a_whole_corpus() -> None:
    """Several captions share a reference: counting a document for each pair is the library's way."""
    from pycocoevalcap.cider.cider import Cider as Theirs

    pairs = load_mini().pairs
    references = {p.id: [" ".join(treebank_tokens(p.reference))] for p in pairs}
    generations = {p.id: [" ".join(treebank_tokens(p.generation))] for p in pairs}
    expected = Theirs().compute_score(references, generations)[1]
    assert Cider(documents="pairs").score(pairs)["overall"].tolist() == pytest.approx(list(expected), abs=1e-9)


def test_tokens_without_java_are_those_with_it() -> None:
    texts = [*dict.fromkeys(t for p in load_mini().pairs for t in (p.generation, p.reference)), *ODD]
    assert [treebank_tokens(t) for t in texts] == ptb_tokens(texts)


def test_meteor_of_equal_and_odd_texts() -> None:
    pairs = [(t, t) for t in ODD] + [("||| a dog", "a ||| dog")]
    found = make_metric("meteor").score(pairs)["overall"].tolist()
    assert found[:-1] == pytest.approx([0, 1, 1, 1, 1, 1]) and 0 < found[-1] < 1  # the bars are tokens in another order


@pytest.mark.skipif(bool(lacks_spice()), reason="needs the parser of SPICE: get_stanford_models of pycocoevalcap")
def test_spice() -> None:
    frame = make_metric("spice").score([("A red dog.", "A red dog."), ("A red dog.", "A blue sky.")])
    assert frame["overall"].tolist() == [1, 0]
