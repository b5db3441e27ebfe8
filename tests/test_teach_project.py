"""The project: how the works are divided, and when a rival counts as beaten."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from posh_lite.benchmarks.mini import load_mini
from posh_lite.cli import main
from posh_lite.errors import InputError
from posh_lite.teach import project

SLUGS = [w.slug for w in load_mini().works]


class Oracle:
    """Knows the gold of the corpus, so that it must win."""

    name, needs = "oracle", frozenset()

    def score(self, pairs):
        gold = {g.id: g for g in load_mini().gold}
        rows = [(p.id, -1.0 * len(gold[p.id].mistakes), -1.0 * len(gold[p.id].omissions)) for p in pairs]
        frame = pd.DataFrame(rows, columns=["id", "mistakes", "omissions"])
        return frame.assign(overall=frame.mistakes + frame.omissions)


@pytest.mark.parametrize("salt", ["posh-lite", "spring", ""])
def test_halves_are_whole_works_of_equal_number_and_stay(salt):
    halves = project.divide(SLUGS, salt)
    assert [len(v) for v in halves.values()] == [6, 6]
    assert sorted(halves["open"] + halves["closed"]) == sorted(SLUGS)
    assert project.divide(SLUGS[::-1], salt) == halves


def test_another_word_divides_in_another_way():
    assert len({project.divide(SLUGS, salt)["closed"] for salt in map(str, range(20))}) > 10


def test_a_half_holds_everything_of_its_works_and_nothing_else():
    halves = [project.half_of(h) for h in project.HALVES]
    whole = load_mini()
    assert sum(len(h.pairs) for h in halves) == len(whole.pairs)
    assert sum(len(h.comparisons) for h in halves) == len(whole.preferences)
    for half in halves:
        works = {p.id.split("/")[0] for p in half.pairs}
        assert works == {c.unit for c in half.comparisons} == {m.unit for m in half.marks}


def row(low, high, mine=0.6):
    return project.Row("closed", "mistakes", "bleu", mine, 0.5, low, high)


def test_beaten_means_the_whole_interval():
    assert [row(*ends).said for ends in ((0.01, 0.2), (0.0, 0.2), (-0.1, 0.2), (-0.2, -0.1))] == [
        "beaten", "cannot be told", "cannot be told", "behind",
    ]
    assert row(0.1, 0.2, float("nan")).said == "no score"


def test_who_knows_the_gold_wins_and_who_guesses_does_not(tmp_path):
    won = project.run_project(f"{__name__}:Oracle", halves=("closed",), n_resamples=200)
    assert set(won.beats("bleu")) >= {"mistakes", "omissions"}
    assert "BLEU-4 is beaten on the closed half in" in won.markdown()
    kept = json.loads(won.write(tmp_path).read_text("utf-8"))
    assert kept["works"]["closed"] == list(project.divide(SLUGS)["closed"])
    assert {r["half"] for r in kept["rows"]} == {"closed"}


def test_rivals_and_broken_metrics_are_refused(tmp_path, capsys):
    with pytest.raises(InputError, match="what there is to beat"):
        project.run_project("bleu")
    assert main(["project", "nowhere_to_be:Found", "-o", str(tmp_path / "p"), "--quiet"]) == 2
    assert "did not run" in capsys.readouterr().err
