"""What the README says of the position lens is what the record of the clean test set says."""

from __future__ import annotations

import re
from pathlib import Path

from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.position import verifier_view
from posh_lite.position.study_view import PARTS

ROOT = Path(__file__).parents[1]


def said(e: Estimate) -> str:
    return f"{e.value:.2f} ({e.low:.2f} to {e.high:.2f})"


def test_kappas_and_misstated_facts_of_the_clean_test_set() -> None:
    text = " ".join((ROOT / "README.md").read_text("utf-8").split())
    told = text.split("**The embedded position lens misses contradictions.**")[1].split("- **")[0]
    fresh = verifier_view.load_verifier(ROOT / "data" / "results" / "position-fresh")
    assert fresh is not None
    found = {who: e for who, texts, e in verifier_view.verifiers(fresh, fresh) if texts == PARTS["fresh"]}
    figures = re.findall(r"\d\.\d\d \((?:95% interval )?\d\.\d\d to \d\.\d\d\)", told)
    assert [f.replace("95% interval ", "") for f in figures] == [
        said(found[who]) for who in ("lexical", "spelling", "vectors")
    ]
    for block in ("spelling", "vectors"):
        rules, both, n = verifier_view.changed(fresh, block=block)["Contradicted"]
        assert rules == both and f"{both} of {n} misstated facts are found" in told
