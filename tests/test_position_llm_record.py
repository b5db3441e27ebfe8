"""What a model is asked for its record, what the record keeps, and the figures that are made of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from posh_lite.benchmarks.mini import load_mini
from posh_lite.position.llm_report import of_fact_status, verifier_rows, written
from posh_lite.position.llm_sample import captions_in_order, of_fact, some_facts
from posh_lite.position.llm_view import generic_auc, kappas, lines, load_llm, rubric_table, verdicts_table
from posh_lite.position.rubric_compare import compared, in_other, means, shared
from posh_lite.position.types import WEIGHTS, Claim, ClaimKind, Finding, Rubric

RECORD = Path(__file__).parents[1] / "data" / "results" / "position-llm" / "record.json"
CORPUS = load_mini()


def rubric(*told: tuple[str, ClaimKind], spans: tuple[tuple[int, int], ...] = ()) -> Rubric:
    claims = tuple(Claim(i, text, kind, WEIGHTS[kind], "x", spans[i : i + 1]) for i, (text, kind) in enumerate(told))
    return Rubric("reference", claims, "by hand")


class Parrot:
    """Supports everything."""

    signature = "parrot"

    def __init__(self) -> None:
        self.asked: list[int] = []

    def verify(self, items: Any, /) -> list[tuple[Finding, ...]]:
        self.asked += [len(r.claims) for _, r in items]
        return [tuple(Finding(c.id, None if c.id == 0 else "Supported") for c in r.claims) for _, r in items]


def test_every_beginning_of_the_order_is_a_fair_sample() -> None:
    order = captions_in_order(CORPUS)
    assert order == captions_in_order(CORPUS) != captions_in_order(CORPUS, seed=6)
    assert sorted(p.id for p in order) == sorted(p.id for p in CORPUS.pairs)
    assert len({p.id.split("/")[0] for p in order[:12]}) == 12


def test_whole_facts_are_drawn() -> None:
    work = CORPUS.works[0]
    whole = rubric(*((f"Claim {i}.", "Entity") for i in range(len(work.facts))), spans=tuple(
        f.span for f in work.facts))
    facts, asked = some_facts("a", work.facts, whole, least=5)
    assert [f.start for f in facts] == sorted(f.start for f in facts) and len(asked.claims) == 5
    assert {c.id for f in facts for c in of_fact(whole.claims, f)} == {c.id for c in asked.claims}
    assert some_facts("a", work.facts, whole, least=999)[1].claims == whole.claims
    assert some_facts("b", work.facts, whole, least=5)[0] != facts


@pytest.mark.parametrize(("initials", "status"), [
    ("S", "S"), ("SM", "S"), ("SMM", "M"), ("SSC", "C"), ("?S", "S"), ("??", None), ("", None),
])  # fmt: skip
def test_a_fact_is_read_from_its_claims(initials: str, status: str | None) -> None:
    assert of_fact_status(initials) == status


def test_rows_hold_both_verifiers_on_the_same_claims() -> None:
    pair = CORPUS.pairs[0]
    work = CORPUS.work_of(pair)
    whole = rubric(*((f"Claim {i}.", "Entity") for i in range(len(work.facts))), spans=tuple(
        f.span for f in work.facts))
    one, other = Parrot(), Parrot()
    made = verifier_rows(CORPUS, [pair], one, other, {pair.reference: whole})
    assert one.asked[0] < other.asked[0] == len(whole.claims)
    omitted = {f.fact for f in CORPUS.gold_of(pair).omissions}
    assert all(row[2] == ("M" if row[1] in omitted else "S") for row in made["rows"])
    assert all(row[3] == row[4] for row in made["rows"])


def test_rubrics_beside_each_other_by_hand() -> None:
    a = rubric(("The dog is black.", "Visual_Detail"), ("A dog runs on the grass.", "Interaction"),
               ("The picture shows a tree.", "Entity"))
    b = rubric(("The black dog is running on green grass.", "Interaction"), ("There is a house.", "Entity"))
    assert (in_other(a, b), in_other(b, a)) == (2, 0)  # dog, run, grass; the tree is not there
    row = compared(a, b)
    assert row == {"claims": [[1, 1, 1, 0], [1, 0, 1, 0]], "shared": [2, 0]}
    own = means([row, row], 0)
    assert (own["claims"], own["weight"]) == (3, 1 + 2 + 1.5)
    assert shared([row], 0, n_resamples=10).value == pytest.approx(2 / 3)
    assert in_other(rubric(), a) == in_other(a, rubric()) == 0


ROWS = [["a/x", "f1", "S", "SS", "SM"], ["a/x", "f2", "M", "S", "M"], ["b/x", "f1", "C", "S", "C"],
        ["b/x", "f2", "S", "??", "S"]]
MADE: dict[str, Any] = {
    "model": "tiny", "verifier": {"rows": ROWS}, "verifier_one_by_one": {"rows": []},
    "rubrics": {"rows": [compared(rubric(("A dog runs.", "Entity")), rubric(("A dog runs.", "Entity")))]},
    "genericity": {"rows": [["a", 1, 0.2, 0.9], ["a", 0, 0.8, 0.1], ["b", 1, None, 0.9], ["b", 0, 0.1, 0.2],
                            ["b", 1, 0.2, 0.7]]},
}


def test_figures_of_a_record_by_hand() -> None:
    model, own = kappas(MADE, "verifier", n_resamples=20)
    assert (model.value, own.value) == (0, 1)  # everything supported says nothing; the other is right on all three
    assert (model.n, model.n_dropped, own.n_units) == (3, 1, 2)
    auc, embedded, gap = generic_auc(MADE, n_resamples=20)
    assert (auc.value, auc.n, auc.n_dropped) == (0.5, 4, 1)  # of 2 x 2 couples two are right
    assert (embedded.value, gap.value) == (1, -0.5)
    table = verdicts_table(MADE, "verifier")
    assert table["model"].tolist() == ["1/0/0", "1/0/0", "1/0/0"]
    assert table["embedded"].tolist() == ["2/0/0", "0/1/0", "0/0/1"]
    table = rubric_table(MADE["rubrics"]["rows"], ("a", "b"), n_resamples=10)
    assert table["in the other"].str[:4].tolist() == ["100%"] * 2
    assert len(lines(MADE)) == 5
    assert json.loads(written(MADE)) == MADE


def test_the_record_that_is_here_can_be_read() -> None:
    record = load_llm(RECORD)
    assert record["verifier"]["rows"] and record["genericity"]["rows"] and record["rubrics"]["rows"]
    text = RECORD.read_text(encoding="utf-8")
    assert CORPUS.works[0].reference[:40] not in text and "A " not in text  # no texts
