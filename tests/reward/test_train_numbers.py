"""Batches, steps, rollouts and tokens, each worked out by hand."""

from __future__ import annotations

import pytest

from posh_lite.errors import InputError
from posh_lite.judge.llm.usage import Prices
from posh_lite.reward.train.config import read_config
from posh_lite.reward.train.numbers import cost, numbers, readings, scaled_gpu_hours


def test_supervised_training_on_docent() -> None:
    n = numbers(read_config("posh-sft"), 1000)
    assert (n.devices, n.per_device, n.accumulation, n.update) == (8, 1, 8, 64)
    # 1,000 rows on 8 devices are 125 micro-batches; at 8 an update that is 15.6, so 16 updates
    assert (n.steps_per_epoch, n.steps, n.warmup, n.captions) == (16, 80, 8, 5000)
    assert n.rollout == n.left_out == 0


def test_dapo_on_docent() -> None:
    n = numbers(read_config("posh-dapo"), 1000)
    # 64 captions are 8 prompts of 8, so 125 rounds of one update each; the warm-up ends within them
    assert (n.update, n.rollout, n.generations, n.steps_per_epoch, n.steps) == (64, 64, 8, 125, 125)
    assert (n.warmup, n.captions, n.left_out) == (20, 8000, 0)


def test_dapo_with_64_prompts_an_update_would_end_within_its_warm_up() -> None:
    n = numbers(read_config("posh-dapo", ["batch.unit=prompts"]), 1000)
    assert (n.update, n.accumulation, n.steps) == (512, 64, 15) and n.steps < n.warmup


def test_the_main_run_of_pager() -> None:
    n = numbers(read_config("pager-grpo"), 297_839)
    # 1,024 captions are 128 prompts: 2,326 rounds an epoch with 111 rows left, 4 updates each
    assert (n.devices, n.accumulation, n.rollout // n.update) == (32, 4, 4)
    assert (n.steps_per_epoch, n.steps, n.left_out) == (9304, 27_912, 111)
    assert n.captions == 2326 * 3 * 1024


def test_the_transfer_of_pager() -> None:
    n = numbers(read_config("pager-transfer-8b"), 297_839)
    assert (n.steps, n.captions) == (100, 25 * 1024)


def test_a_part_of_a_round_is_sampled_whole() -> None:
    n = numbers(read_config("pager-grpo", ["max_steps=5"]), 297_839)
    assert (n.steps, n.captions) == (5, 2 * 1024)


def test_iterations_use_captions_again() -> None:
    once, twice = (numbers(read_config("posh-dapo", [f"num_iterations={k}"]), 1000) for k in (1, 2))
    assert twice.steps == 2 * once.steps and twice.captions == once.captions


@pytest.mark.parametrize(
    ("changes", "rows", "said"),
    [
        (["gpus=5"], 1000, "an update of 64 captions cannot be shared by 5 devices x 1"),
        (["batch.rollout=96"], 1000, r"must be a multiple of an update \(64\)"),
        (
            ["batch.update=12", "batch.rollout=12", "gpus=4"],
            1000,
            r"must be a multiple of the generations a prompt \(8\)",
        ),
        ([], 7, "a round of rollouts takes 8 prompts and there are 7 rows"),
    ],
)
def test_batches_that_do_not_divide_are_told(changes: list[str], rows: int, said: str) -> None:
    with pytest.raises(InputError, match=said):
        numbers(read_config("posh-dapo", changes), rows)


def test_no_rows() -> None:
    with pytest.raises(InputError, match="no rows to train on"):
        numbers(read_config("posh-sft"), 0)


def test_as_many_processes_as_run_not_as_are_planned() -> None:
    n = numbers(read_config("posh-dapo"), 1000, devices=2)
    assert (n.devices, n.accumulation, n.update) == (2, 32, 64)


def test_tokens_of_pager_are_table_22_times_the_items() -> None:
    config = read_config("pager-grpo", ["max_steps=8"])  # two rounds: 2,048 captions of 256 prompts
    found = readings(config, numbers(config, 297_839), [("A man.", False)])
    extraction, verification = found
    assert (extraction.calls, extraction.input, extraction.output) == (256, 256 * 1186, 256 * 423)
    assert (verification.calls, verification.input, verification.output) == (2048, 2048 * 548, 2048 * 596)
    # a dollar a million read, two a million written
    dollars = (256 * 1186 + 2048 * 548 + 2 * (256 * 423 + 2048 * 596)) / 1e6
    assert cost(found, Prices(1.0, 1.0, 2.0)) == pytest.approx(dollars)


def test_rubrics_that_the_data_brings_are_not_extracted() -> None:
    config = read_config("pager-grpo", ["max_steps=8"])
    counted = numbers(config, 297_839)
    assert [r.stage for r in readings(config, counted, [("A man.", True)])] == ["itemwise verification"]
    half = readings(config, counted, [("A man.", True), ("A dog.", False)])
    assert half[0].calls == 128


def test_tokens_of_posh_are_counted_on_the_references() -> None:
    config = read_config("posh-dapo")
    (short,) = readings(config, numbers(config, 1000), [("A man holds a dog.", False)])
    (long,) = readings(
        config, numbers(config, 1000), [("A man in a red coat holds a small brown dog near a tree.", False)]
    )
    assert short.calls % 8000 == 0 and 0 < short.cached < short.input
    assert long.calls > short.calls and long.input > short.input


def test_gpu_hours_are_the_papers_for_the_papers_captions() -> None:
    main = numbers(read_config("pager-grpo"), 297_839)
    assert scaled_gpu_hours(main) == pytest.approx(32 * 48, rel=1e-3)
    assert scaled_gpu_hours(numbers(read_config("posh-sft"), 1000)) is None
