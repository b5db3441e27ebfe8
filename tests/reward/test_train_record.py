"""What a training leaves: its record, what a resume may change, its log and its curves."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from posh_lite.errors import InputError
from posh_lite.reward.train import run
from posh_lite.reward.train.config import read_config
from posh_lite.reward.train.curves import curves, series
from posh_lite.reward.train.numbers import numbers
from posh_lite.reward.train.record import LOG, RUN, differences, of_run, open_log, read_log, read_run, save

DATA = {"train": {"file": "a.jsonl", "rows": 1000, "sha256": "aa"}}


def record(tmp_path: Path, *changes: str) -> dict[str, object]:
    config = read_config("posh-dapo", changes)
    save(tmp_path / RUN, of_run(config, numbers(config, 1000), reward="posh-1", data=DATA))
    return read_run(tmp_path)


def test_the_record_holds_all_that_a_run_depends_on(tmp_path: Path) -> None:
    row = record(tmp_path)
    assert row["reward"] == "posh-1" and row["seed"] == 1 and row["data"] == DATA
    assert row["config"]["trainer"]["epsilon_high"] == 0.28  # type: ignore[index]
    assert row["numbers"]["steps"] == 125 and "posh-lite" in row["versions"]  # type: ignore[index, operator]
    again = of_run(
        read_config("posh-dapo"), numbers(read_config("posh-dapo"), 1000), reward="posh-1", data=DATA, before=row
    )
    assert len(again["started"]) == 2


def test_a_resume_may_be_longer_and_on_other_machines(tmp_path: Path) -> None:
    before = record(tmp_path)
    same = read_config("posh-dapo", ["max_steps=200", "gpus=4", "per_device=2", "save_steps=5", "log=else.sqlite"])
    assert differences(before, same, "posh-1", DATA) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("learning_rate=2e-6", "trainer.learning_rate: 1e-06 before, 2e-06 now"),
        ("batch.update=128", "batch.update: 64 before, 128 now"),
        ("model.name=other", "model.name: 'Qwen/Qwen2.5-VL-7B-Instruct' before, 'other' now"),
        ("judge=lexical", "reward.judge: 'openai:Qwen/Qwen3-14B' before, 'lexical' now"),
    ],
)
def test_a_resume_may_not_be_another_training(tmp_path: Path, change: str, said: str) -> None:
    assert differences(record(tmp_path), read_config("posh-dapo", [change]), "posh-1", DATA) == [said]


def test_other_rewards_and_rows_are_told(tmp_path: Path) -> None:
    other = {"train": {**DATA["train"], "sha256": "bb"}}
    assert differences(record(tmp_path), read_config("posh-dapo"), "posh-2", other) == [
        "the reward: posh-1 before, posh-2 now",
        "the rows to train on are others",
    ]


@pytest.mark.parametrize(
    ("content", "said"), [(None, "no training to resume"), ("{", "cannot be read"), ("[]", "cannot be read")]
)
def test_a_folder_without_a_record(tmp_path: Path, content: str | None, said: str) -> None:
    if content is not None:
        (tmp_path / RUN).write_text(content, "utf-8")
    with pytest.raises(InputError, match=said):
        read_run(tmp_path)


def test_checkpoints_in_order_and_whole(tmp_path: Path) -> None:
    for name, whole in (
        ("checkpoint-10", True),
        ("checkpoint-9", True),
        ("checkpoint-20", False),
        ("checkpoint-x", True),
    ):
        (tmp_path / name).mkdir()
        if whole:
            (tmp_path / name / "trainer_state.json").write_text("{}", "utf-8")
    (tmp_path / "checkpoint-20" / "trainer_state.json").write_text('{"global_step": 2', "utf-8")  # killed in writing
    assert [p.name for p in run.checkpoints(tmp_path)] == ["checkpoint-9", "checkpoint-10"]
    config = read_config("posh-dapo")
    with pytest.raises(InputError, match="holds checkpoints up to checkpoint-10; go on with --resume"):
        run._before(tmp_path, config, "posh-1", DATA, False)
    record(tmp_path)
    assert run._before(tmp_path, config, "posh-1", DATA, True)[1] == tmp_path / "checkpoint-10"
    with pytest.raises(InputError, match="cannot be resumed as another training: the reward"):
        run._before(tmp_path, config, "posh-2", DATA, True)


def test_a_step_that_was_run_again_counts_as_run_last(tmp_path: Path) -> None:
    rows = [
        {"step": 1, "loss": 3.0},
        {"step": 2, "loss": 2.0},
        {"step": 2, "eval_loss": 2.5},
        {"step": 2, "loss": 1.5},
        {"step": 3, "loss": float("nan")},
    ]
    (tmp_path / LOG).write_text("".join(json.dumps(r) + "\n" for r in rows) + '{"step": 4, "lo', "utf-8")
    found = read_log(tmp_path)
    assert series(found, "loss") == [(1, 3.0), (2, 1.5)] and series(found, "eval_loss") == [(2, 2.5)]
    assert read_log(tmp_path / "nowhere") == []


def test_a_log_is_gone_on_with_after_a_kill_and_begun_anew_without_one(tmp_path: Path) -> None:
    open_log(tmp_path, fresh=False)
    path = tmp_path / LOG
    assert not path.exists()
    path.write_text('{"step": 1, "loss": 3.0}\n{"step": 2, "lo', "utf-8")
    open_log(tmp_path, fresh=False)
    with path.open("a", encoding="utf-8") as handle:
        handle.write('{"step": 2, "loss": 2.0}\n')
    assert series(read_log(tmp_path), "loss") == [(1, 3.0), (2, 2.0)]  # nothing is glued to half a line
    open_log(tmp_path, fresh=True)
    assert read_log(tmp_path) == []


def test_another_validation_is_refused_where_the_best_is_kept() -> None:
    config = read_config("posh-sft")
    before = {"config": config.to_dict(), "reward": "", "data": {**DATA, "validation": {"sha256": "1"}}}
    now = {**DATA, "validation": {"sha256": "2"}}
    assert differences(before, config, "", before["data"]) == []
    assert "the rows to validate on are others" in differences(before, config, "", now)[0]


def test_curves_say_in_words_what_they_show() -> None:
    rows = [{"step": k, "loss": 4.0 / k, "reward": 0.1 * k} for k in (1, 2, 4)]
    svg = ET.fromstring(curves(rows, "mine <dapo>"))
    space = {"s": "http://www.w3.org/2000/svg"}
    said = svg.findtext("s:desc", namespaces=space)
    assert said == (
        "mine <dapo>: loss from 4 at step 1 to 1 at step 4; mean reward of a caption from 0.1 at step 1 to 0.4 at"
        " step 4."
    )
    lines = [line.get("points", "").split() for line in svg.findall("s:polyline", space)]
    assert [len(points) for points in lines] == [3, 3]
    falling, rising = ([float(p.split(",")[1]) for p in points] for points in lines)
    assert falling == sorted(falling) and rising == sorted(rising, reverse=True)  # y grows downwards


@pytest.mark.parametrize("rows", [[], [{"step": 1, "loss": 2.0}], [{"step": 1, "loss": 0.0}, {"step": 2, "loss": 0.0}]])
def test_curves_of_next_to_nothing(rows: list[dict[str, float]]) -> None:
    drawn = curves(rows, "x")
    ET.fromstring(drawn)
    assert "nan" not in drawn.lower() and ("nothing was logged" in drawn) == (not rows)
