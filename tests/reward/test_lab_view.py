"""The laboratory's record: complete, consistent with its summary, and drawn without a gap."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from posh_lite import plot_lab
from posh_lite.reward.lab import view
from posh_lite.reward.lab.base import targets
from posh_lite.reward.lab.pattern import ROWS, hold, level
from posh_lite.reward.lab.record import markdown
from posh_lite.reward.lab.store import read_study, read_verified, write_study
from posh_lite.reward.lab.study import CHIEF, arms, scenes
from posh_lite.reward.lab.world import make_world
from posh_lite.reward.settings import VARIANTS

RECORD = Path(__file__).parents[2] / "data" / "results" / "lab"


@pytest.fixture(scope="module")
def study() -> dict[str, Any]:
    return read_study(RECORD / "study.json")


def test_the_record_is_complete(study: dict[str, Any]) -> None:
    assert set(study["scenes"]) == set(scenes())
    default = study["scenes"]["default"]
    assert default["seeds"] >= 8
    for name, scene in study["scenes"].items():
        present = [(r["arm"], r["seed"]) for r in scene["rows"]]
        wanted = set(arms()) if name == "default" else set(CHIEF)
        assert sorted(present) == sorted((a, s) for a in wanted | {"base"} for s in range(scene["seeds"]))
    assert {a.settings.guard for a in arms().values()} >= {"none", "full"}
    table = [n for n in VARIANTS if n != "unguarded"]  # which is "full" here, and "full" is "full, guarded"
    assert {f"{n}, guarded" for n in table} | set(table) <= set(arms())


def test_the_summary_is_of_the_record(study: dict[str, Any], tmp_path: Path) -> None:
    assert (RECORD / "lab.md").read_text("utf-8") == markdown(study)
    write_study(study, tmp_path / "again.json")
    assert read_study(tmp_path / "again.json") == study
    checked = json.loads((RECORD / "check.json").read_text("utf-8"))
    assert checked["record"] == study["sentences"]
    assert sum(checked["same"].values()) == round(checked["agree"] * checked["claims"])


def test_the_first_policy_is_near_the_papers_base(study: dict[str, Any]) -> None:
    default = study["scenes"]["default"]
    for q, shares in enumerate(targets(), start=1):
        for letter, share in zip("shg", shares, strict=True):
            assert level(default, "base", f"{letter}_q{q}").value == pytest.approx(share, abs=0.12)


def test_every_reward_is_raised_by_training_for_it(study: dict[str, Any]) -> None:
    default = study["scenes"]["default"]
    for arm in (*ROWS, "coverage-only"):
        rows = [r for r in default["rows"] if r["arm"] == arm]
        gains = [r["values"]["own"] - r["course"][0]["own"] for r in rows]
        assert sum(g > 0 for g in gains) >= 0.75 * len(gains), arm


def test_the_budget_never_binds(study: dict[str, Any]) -> None:
    default = study["scenes"]["default"]
    own = {arm: [r["values"] for r in default["rows"] if r["arm"] == arm] for arm in ("full", "no-len")}
    assert own["full"] == own["no-len"]
    assert all(r["values"]["within"] < 0.5 for r in default["rows"])


def test_tables_have_every_arm_and_claim(study: dict[str, Any]) -> None:
    default = study["scenes"]["default"]
    world = make_world(read_verified(RECORD / "sentences.json"))
    assert len(view.pattern_table(default)) == len(hold(default)) == 22
    assert list(view.levels_table(default, ["base", "full"])["reward"]) == ["base", "full"]
    assert len(view.base_table(default)) == 4
    robust = view.robustness_table(study)
    assert set(robust.columns[1:]) == set(study["scenes"])
    assert set(robust.iloc[:, 1:].to_numpy().ravel()) <= {"✓", "✗", "?", "–"}
    assert set(view.everywhere(study, "agrees")) <= set(robust.iloc[:, 0])
    budget = view.budget_table(default, world, ["full"])
    assert list(budget["budget"]) == [VARIANTS["full"].budget(round(
        sum(len(p.rubric.claims) for p in world.pools) / len(world.pools)
    ))] * 2
    worth = view.worth(world, VARIANTS["full"]).set_index("sentence")
    assert worth.loc["true", "coverage"] > worth.loc["contradicted", "coverage"]
    assert worth.loc["generic", "coverage"] == 0


def test_figures_say_what_they_show(study: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    default = study["scenes"]["default"]
    made = [plot_lab.courses(default, ["full", "no-tail"], name="a", caption="c"),
            plot_lab.by_quarter(default, ["base", "full"], name="b", caption="c"),
            plot_lab.table5(default, name="d", caption="c")]
    assert all("nan" not in m.alt and len(m.alt) > 100 for m in made)
    assert f"{level(default, 'no-tail', 'd_mid').value:.2f}" in made[0].alt
    assert not math.isnan(plot_lab.course(default, ["full"], "d_mid")["full"][-1][1].low)
    with pytest.raises(ValueError, match="arms"):
        plot_lab.courses(default, [], name="a", caption="c")
