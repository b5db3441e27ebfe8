"""What the chapter on positions shows of the records of verifiers: texts, what vectors change, what is lacking."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from posh_lite.errors import InputError
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.position import study_view, two_sided_view, verifier_view

MINI = Path(__file__).parents[1] / "data" / "results" / "position-mini"


@pytest.fixture
def mini() -> dict[str, Any]:
    found = verifier_view.load_verifier(MINI)
    assert found is not None
    for block in ("vectors", "spelling"):
        found.pop(block, None)
    return found


def made_fresh(mini: dict[str, Any], vectors: bool) -> dict[str, Any]:
    """A record as of another set: the whole of mini, with a confusion matrix by hand beside that of the rules."""
    whole = copy.deepcopy(mini["parts"]["all"])
    record: dict[str, Any] = {**mini, "parts": {"all": whole}}
    if vectors:
        rules = {**whole["facts"], "confusion": [[6, 1, 3], [2, 4, 0], [1, 0, 5]]}
        both = {**whole["facts"], "confusion": [[8, 1, 1], [2, 4, 0], [2, 0, 4]]}
        gain = {**whole["facts"]["kappa"], "value": 0.125, "low": -0.25, "high": 0.5}
        record["vectors"] = {"parts": {"all": {"facts": both, "facts_rules": rules, "gain": gain}}}
    return record


def test_texts_are_called_what_they_are_and_the_clean_ones_come_last(mini: dict[str, Any]) -> None:
    fresh = made_fresh(mini, False)
    told = [texts for texts, _, _ in study_view.texts_of(mini, fresh)]
    assert told == ["mini, first six works", "mini, other six works", "mini, all works", "fresh, the clean test set"]
    assert verifier_view.facts_table(mini, fresh)["works"].tolist() == told
    assert verifier_view.facts_table(mini)["works"].tolist() == told[:3]
    for table in (study_view.kappa_table(mini, fresh), two_sided_view.kappa_table(mini, fresh)):
        assert table["works"].tolist() == [t for t in told for _ in range(2)]
        assert not table["works"].str.contains("held out|developed").any()


def test_what_vectors_change_is_counted_by_what_was_planted(mini: dict[str, Any]) -> None:
    found = verifier_view.changed(made_fresh(mini, True))
    assert found == {"Supported": (6, 8, 10), "Contradicted": (4, 4, 6), "Missing": (5, 4, 6)}


def test_rows_of_both_verifiers_where_one_record_has_vectors(mini: dict[str, Any]) -> None:
    rows = verifier_view.verifiers(mini, made_fresh(mini, True))
    assert [who for who, _, _ in rows] == ["lexical"] * 4 + ["vectors", "vectors - lexical"]
    assert rows[-1][1] == study_view.PARTS["fresh"] and rows[-1][2].value == 0.125
    assert {who for who, _, _ in rows} <= set(verifier_view.CALLED)
    table = verifier_view.side_by_side(rows)
    assert table["verifier"].tolist() == ["rules", "rules and vectors", "what vectors add"]
    assert table.columns[-1] == study_view.PARTS["fresh"] and table.iloc[2, -1].startswith("0.12")
    assert table.iloc[1:, 1:4].values.tolist() == [["–"] * 3] * 2
    asked = ("llm", "mini, 9 facts that it was asked about", Estimate(0.5, 0.25, 0.75, 9, 3))
    table = verifier_view.side_by_side([*rows, asked])
    assert table.iloc[-1].tolist()[:3] == ["small language model", "–", "–"]
    assert table[study_view.PARTS["all"]].iloc[-1].startswith("0.50") and table.iloc[-1, 3].endswith(", 9 facts")


def test_a_block_of_spelling_stands_between_rules_and_vectors(mini: dict[str, Any]) -> None:
    fresh = made_fresh(mini, True)
    fresh["spelling"] = fresh["vectors"]
    rows = verifier_view.verifiers(mini, fresh)
    assert list(dict.fromkeys(who for who, _, _ in rows)) == [
        "lexical", "spelling", "spelling - lexical", "vectors", "vectors - lexical",
    ]  # fmt: skip


def test_what_is_lacking_is_told_with_its_command(mini: dict[str, Any]) -> None:
    full = made_fresh(mini, True)
    assert verifier_view.lacking(full, full) == []
    assert len(verifier_view.lacking(mini, None)) == 2
    (one,) = verifier_view.lacking(full, mini)
    assert "data/fresh" in one and "--fresh --vectors" in one


def test_a_record_that_is_not_there_and_one_that_is_none(tmp_path: Path) -> None:
    assert verifier_view.load_verifier(tmp_path) is None
    for text in ("{", json.dumps({"parts": {"all": {}}}), "[]"):
        (tmp_path / "verifier.json").write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match="no record of a verifier"):
            verifier_view.load_verifier(tmp_path)
