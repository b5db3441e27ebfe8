import json
import os

import pytest

from posh_lite.benchmarks.catalog import DATASETS
from posh_lite.benchmarks.iiw import ASPECTS, label, load_docci_test, load_iiw400
from posh_lite.errors import InputError

DATA = os.environ.get("POSH_LITE_DATA")
real = pytest.mark.skipif(
    not (DATA and os.path.exists(os.path.join(DATA, DATASETS["iiw400"].path))),
    reason="POSH_LITE_DATA does not hold the ImageInWords files",
)


@pytest.mark.parametrize(
    ("said", "code"),
    [("IIW-Human is substantially better", -2), ("IIW-Human is marginally better", -1), ("Neutral", 0),
     ("IIW-P5B is marginally better", 1), ("IIW-P5B is substantially better", 2)],
)
def test_labels(said, code):
    assert label(said, "IIW-Human", "IIW-P5B") == code


def test_an_unknown_label():
    with pytest.raises(InputError, match="unknown judgment"):
        label("GPT-4V is better", "IIW-Human", "IIW-P5B")


def row(**more):
    labels = {f"metrics/{a}": "IIW-Human is marginally better" for a in ASPECTS}
    labels["metrics/Hallucination"] = "IIW-P5B is substantially better"
    return {"image/key": "k", "IIW": "human", "IIW-P5B": "model", "iiw-human-sxs-iiw-p5b": labels, **more}


def write(tmp_path, *rows):
    path = tmp_path / "iiw.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    return path


def test_rows_pairs_and_descriptions(tmp_path):
    loaded = load_iiw400(write(tmp_path, row(), {"image/key": "l", "IIW": "only human"}))
    (found,) = loaded.rows
    assert found.labels["Hallucination"] == 2
    assert found.mean == pytest.approx((4 * -1 + 2) / 5)
    (pair,) = loaded.pairs
    assert (pair.id, pair.reference, pair.generation) == ("k", "human", "model")
    assert loaded.descriptions == (("k", "human"), ("l", "only human"))


def test_errors_name_the_line(tmp_path):
    broken = row()
    broken["iiw-human-sxs-iiw-p5b"] = {**broken["iiw-human-sxs-iiw-p5b"], "metrics/Specificity": "?"}
    with pytest.raises(InputError, match=r"iiw\.jsonl:2: unknown judgment"):
        load_iiw400(write(tmp_path, row(), broken))
    with pytest.raises(InputError, match=r"iiw\.jsonl:1: not a row of IIW-400: 'IIW' is missing"):
        load_iiw400(write(tmp_path, {"image/key": "k"}))
    with pytest.raises(InputError, match="not a row of DOCCI-Test"):
        load_docci_test(write(tmp_path, row()))


def test_not_there(monkeypatch, tmp_path):
    monkeypatch.delenv("POSH_LITE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(InputError, match="posh-lite data fetch iiw400"):
        load_iiw400()


@real
def test_the_published_files():
    loaded = load_iiw400()
    assert len(loaded.rows) == len(loaded.pairs) == 100
    assert len(loaded.descriptions) == 400
    # 300 judgments of five aspects: counted in the file by the words alone
    counts = [sum(v == code for r in loaded.rows for v in r.labels.values()) for code in (-2, -1, 0, 1, 2)]
    assert counts == [221, 165, 82, 26, 6]
    docci = load_docci_test()
    assert len(docci.rows) == 100
    assert [sum(v == code for r in docci.rows for v in r.labels.values()) for code in (-2, 2)] == [174, 9]
