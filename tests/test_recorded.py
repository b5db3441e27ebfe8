"""The recorded run in data/results is of the rules, the lexicon and the prompts that are here."""

from __future__ import annotations

import re
from pathlib import Path

from posh_lite import PoSh
from posh_lite.evaluation.iiw_report import read_report

RECORD = Path(__file__).parents[1] / "data" / "results" / "iiw400-lexical"


def _of_this_project(signature: str) -> str:
    """The signature without the spaCy pipeline, which may be another on this machine."""
    return re.sub(r"spacy:[\w.-]+", "spacy", signature)


def test_the_record_is_renewed_with_the_judge() -> None:
    """Renew it with ``python -m posh_lite.evaluation.iiw_report``, with POSH_LITE_DATA set."""
    report = read_report(RECORD)
    assert report.n == 100
    assert _of_this_project(report.signature) == _of_this_project(PoSh().signature)
