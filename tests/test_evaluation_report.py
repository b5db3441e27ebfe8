"""The run on real captions: on rows made for the test, and the recorded result as it is committed."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

from posh_lite.book.layout import find_layout
from posh_lite.errors import InputError
from posh_lite.evaluation import iiw_report as iiw

RECORD = find_layout().results / "iiw400-lexical"


@pytest.fixture
def report() -> iiw.Report:
    generator = np.random.default_rng(2)
    quality, length = generator.normal(size=40), generator.normal(size=40)
    frame = pd.DataFrame({
        "id": [f"image-{i}" for i in range(40)],
        "omissions": quality + 2 * length,
        "length_ratio": length,
        "Comprehensiveness": np.round(quality + 2 * length),
        "Specificity": np.round(length + generator.normal(size=40)),
    })  # fmt: skip
    return iiw.Report(frame, "sig", "judge", "2026-01-02", {"judging": 1.5}, False)


def test_raw_and_partial_correlation(report):
    table = iiw.correlations(report.frame, [("omissions", "Specificity"), ("length_ratio", "Specificity")])
    first, second = table.itertuples()
    # the score follows the label through length alone
    assert first.raw.value > 0.4
    assert abs(first.partial.value) < abs(first.raw.value) / 2
    assert second.partial is None
    assert second.raw.n == 40


def test_record_round_trip(report, tmp_path):
    path = iiw.write_report(report, tmp_path / "run")
    again = iiw.read_report(tmp_path / "run")
    assert again.recorded
    assert (again.signature, again.judge, again.made) == ("sig", "judge", "2026-01-02")
    pd.testing.assert_frame_equal(again.frame, report.frame, check_exact=False, atol=1e-5, check_dtype=False)
    assert json.loads(path.read_text("utf-8"))["n"] == 40


def test_absent_and_broken_records_say_what_to_do(tmp_path):
    with pytest.raises(InputError, match="iiw_report"):
        iiw.read_report(tmp_path)
    (tmp_path / iiw.RECORD).write_text("{}", "utf-8")
    with pytest.raises(InputError, match="not a recorded run"):
        iiw.read_report(tmp_path)


def test_without_the_data_the_record_is_used(report, tmp_path, monkeypatch):
    monkeypatch.setenv("POSH_LITE_DATA", str(tmp_path / "nothing"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    iiw.write_report(report, tmp_path / "run")
    found, scores = iiw.live_or_recorded(None, tmp_path / "run")
    assert found.recorded
    assert scores == []


def test_the_committed_record_is_whole_and_holds_no_texts():
    raw = (RECORD / iiw.RECORD).read_text("utf-8")
    report = iiw.read_report(RECORD)
    assert report.n == 100
    assert report.frame["id"].is_unique
    assert report.signature.startswith("posh-lite:")
    assert report.made
    texts = [v for row in json.loads(raw)["rows"] for k, v in row.items() if isinstance(v, str) and k != "id"]
    assert texts == []
    for measure in ("mistakes", "omissions", "overall"):
        assert report.frame[measure].between(0.2, 1).all()


def test_the_committed_labels_and_yardsticks_are_those_of_the_data_card():
    table = iiw.correlations(
        iiw.read_report(RECORD).frame,
        [("length_ratio", "Comprehensiveness"), ("length_ratio", "Specificity"), ("rouge1_f1", "Hallucination")],
        n_resamples=50,
    )
    assert [round(e.value, 2) for e in table["raw"]] == [0.39, 0.48, -0.25]
    assert not any(math.isnan(e.low) for e in table["raw"])
