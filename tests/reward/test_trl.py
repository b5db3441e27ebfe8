"""The rewards in TRL's own GRPOTrainer, with a tiny random model that composes captions of whole sentences."""

from __future__ import annotations

import functools
import json
import math
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

WHY = "needs trl and torch: make test-rl"
pytest.importorskip("torch", reason=WHY)
pytest.importorskip("trl", reason=WHY)
pytest.importorskip("datasets", reason=WHY)
pytestmark = [pytest.mark.filterwarnings("ignore:.*deprecated")]

from sentence_model import make_model, make_tokenizer  # noqa: E402

from posh_lite.reward import (  # noqa: E402
    CoverageReward,
    LengthReward,
    MiddleReward,
    PagerReward,
    PoShReward,
    TailReward,
    variant,
)

RIGHT = [
    "A red car is parked on a street.", "A tall woman in a white dress stands beside a fence.",
    "Two dogs sleep under a tree.", "A boy holds a green balloon.",
]  # fmt: skip
WRONG = ["A blue car is parked on a street.", "Three dogs sleep under a tree.", "A boy holds a red balloon."]
FILLER = ["The overall mood is calm and inviting.", "It invites the viewer to imagine a story."]
REFERENCE = " ".join(RIGHT)
TERMS = (CoverageReward, MiddleReward, TailReward, LengthReward)
ASK = [{"role": "user", "content": "Describe the picture."}]


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    torch.set_num_threads(1)
    for name in ("WANDB_DISABLED", "HF_HUB_OFFLINE"):
        monkeypatch.setenv(name, "1")


def train(
    folder: Path, rewards: Sequence[Callable[..., Any]], rows: Sequence[dict[str, Any]], *, steps: int = 2,
    weights: Sequence[float] | None = None, resume: str | None = None, **settings: Any,
) -> Any:
    """A trainer after some steps."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    words = make_tokenizer(RIGHT + WRONG + FILLER)
    config = GRPOConfig(**{
        "output_dir": str(folder), "per_device_train_batch_size": 8, "num_generations": 8, "max_steps": steps,
        "max_completion_length": 5, "learning_rate": 1e-3, "beta": 0.0, "temperature": 1.0, "logging_steps": 1,
        "report_to": [], "save_strategy": "no", "use_cpu": True, "seed": 5, "disable_tqdm": True,
        "reward_weights": weights and list(weights), "generation_kwargs": {"min_new_tokens": 1}, "bf16": False,
        **settings,
    })  # fmt: skip
    trainer = GRPOTrainer(
        model=make_model(words), reward_funcs=list(rewards), args=config, train_dataset=Dataset.from_list(list(rows)),
        processing_class=words,
    )
    trainer.train(resume_from_checkpoint=resume)
    return trainer


def logged(trainer: Any, name: str) -> list[float]:
    """Values of one figure, a logging step each."""
    return [row[name] for row in trainer.state.log_history if name in row]


def rows(prompt: Any = "Describe the picture.", **columns: Any) -> list[dict[str, Any]]:
    return [{"prompt": prompt, "reference": REFERENCE, **columns}] * 4


def assert_sound(trainer: Any, steps: int = 2) -> None:
    losses = logged(trainer, "loss")
    assert len(losses) == steps
    assert all(math.isfinite(v) for v in losses)
    table = trainer._logs
    columns = (table["prompt"], table["completion"], *table["rewards"].values(), *table["extra"].values())
    assert len({len(c) for c in columns}) == 1  # or TRL could not print its table


def test_trl_knows_our_rewards_by_name_and_kind() -> None:
    from trl.trainer.utils import get_callable_name, is_async_callable

    assert get_callable_name(PagerReward()) == "pager"
    assert get_callable_name(functools.partial(TailReward())) == "pager_tail"
    assert not is_async_callable(PoShReward())
    assert is_async_callable(PoShReward().as_async())
    assert is_async_callable(pickle.loads(pickle.dumps(PagerReward().as_async())))


def test_strings_with_both_rewards_weighted(tmp_path: Path) -> None:
    trainer = train(tmp_path, [PagerReward(), PoShReward()], rows(), weights=[1.0, 0.5], log_completions=True,
                    num_completions_to_print=1)  # fmt: skip
    assert_sound(trainer)
    pager, posh, whole = (logged(trainer, n) for n in ("rewards/pager/mean", "rewards/posh/mean", "reward"))
    assert whole == [pytest.approx(a + 0.5 * b, abs=1e-5) for a, b in zip(pager, posh, strict=True)]
    assert all(v > 0 for v in logged(trainer, "rewards/pager/std"))  # the group is spread, or nothing is learned
    for part in ("coverage", "middle", "tail", "length", "supported", "contradicted", "unusable"):
        assert len(logged(trainer, f"pager/{part}")) == 2
        assert len(trainer._logs["extra"][f"pager/{part}"]) == 8  # TRL keeps the last batch
    parts = [logged(trainer, f"pager/{t}") for t in ("coverage", "middle", "tail", "length")]
    assert [sum(step) for step in zip(*parts, strict=True)] == [pytest.approx(v, abs=1e-5) for v in pager]
    assert {*logged(trainer, "pager/unusable")} == {0.0}
    assert len(set(trainer._logs["extra"]["pager/coverage"])) > 2


@pytest.mark.parametrize("form", ["plain", "async"])
def test_messages_with_every_term_by_itself(tmp_path: Path, form: str) -> None:
    whole = PagerReward(variant("full", base_length=2, claim_length=0))  # short, so that the length term has a say
    rewards = [whole, *(kind(whole.settings) for kind in TERMS)]
    asked = [r.as_async() for r in rewards] if form == "async" else rewards
    trainer = train(tmp_path, asked, rows(ASK), weights=[0.0, 1.0, 1.0, 1.0, 1.0])
    assert_sound(trainer)
    table = trainer._logs["rewards"]
    assert list(table) == ["pager", "pager_coverage", "pager_middle", "pager_tail", "pager_length"]
    for i, value in enumerate(table["pager"]):
        parts = [table[f"pager_{t}"][i] for t in ("coverage", "middle", "tail", "length")]
        assert sum(parts) == pytest.approx(value, abs=1e-5)
    assert min(table["pager_length"]) < 0
    assert logged(trainer, "reward") == [pytest.approx(v, abs=1e-5) for v in logged(trainer, "rewards/pager/mean")]


def test_plain_and_async_rewards_give_the_same_training(tmp_path: Path) -> None:
    plain = train(tmp_path / "a", [PagerReward(), PoShReward()], rows(ASK))
    waiting = train(tmp_path / "b", [PagerReward().as_async(), PoShReward().as_async()], rows(ASK))
    assert logged(plain, "loss") == logged(waiting, "loss")
    assert list(plain._logs["completion"]) == list(waiting._logs["completion"])


def test_rows_that_cannot_be_scored_do_not_stop_a_training(tmp_path: Path) -> None:
    given = [{"prompt": ASK, "reference": None}, {"prompt": ASK, "reference": REFERENCE}] * 2
    reward = PagerReward()
    trainer = train(tmp_path, [reward], given, steps=4)
    assert_sound(trainer, 4)
    assert reward.unusable == {"no reference": 16}
    assert sorted(logged(trainer, "pager/unusable")) == [0.0, 0.0, 1.0, 1.0]
    assert logged(trainer, "pager/unusable/no reference") == [8.0, 8.0]
    import torch

    assert all(torch.isfinite(p).all() for p in trainer.model.parameters())


def test_a_column_of_rubrics_is_read(tmp_path: Path) -> None:
    claims = [{"claim": "The car is red.", "dimension": "Visual_Detail", "weight": 2.0, "keyword": "red"},
              {"claim": "Two dogs sleep under a tree.", "dimension": "Interaction", "weight": 1.5, "keyword": "dogs"}]
    for form in (json.dumps(claims), claims):
        trainer = train(tmp_path / type(form).__name__, [PagerReward("coverage-only")],
                        [{"prompt": ASK, "rubric": form}] * 4)  # fmt: skip
        assert_sound(trainer)
        assert logged(trainer, "pager_coverage-only/unusable") == [0.0, 0.0]
        found = trainer._logs["rewards"]["pager_coverage-only"]
        assert min(found) < max(found)


def test_a_policy_learns_from_the_reward(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    steps = 24
    trainer = train(tmp_path, [PagerReward()], rows(ASK), steps=steps, learning_rate=3e-2, seed=7)
    assert_sound(trainer, steps)
    reward = logged(trainer, "rewards/pager/mean")
    first, last = sum(reward[:6]) / 6, sum(reward[-6:]) / 6
    record_property("mean reward of the first 6 steps", first)
    record_property("mean reward of the last 6 steps", last)
    assert last > first + 0.1


def test_a_checkpoint_reloads_and_goes_on(tmp_path: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    trainer = train(tmp_path, [PagerReward(), PoShReward().as_async()], rows(ASK), steps=2, save_strategy="steps",
                    save_steps=2)  # fmt: skip
    place = str(tmp_path / "checkpoint-2")
    again = AutoModelForCausalLM.from_pretrained(place)
    assert len(AutoTokenizer.from_pretrained(place)) == len(trainer.processing_class)
    for name, weight in trainer.model.named_parameters():
        assert torch.equal(weight, again.get_parameter(name)), name
    more = train(tmp_path, [PagerReward(), PoShReward().as_async()], rows(ASK), steps=4, save_strategy="steps",
                 save_steps=2, resume=place)  # fmt: skip
    assert more.state.global_step == 4
    assert len(logged(more, "rewards/posh/mean")) == 4  # two of them from before
    assert math.isfinite(logged(more, "loss")[-1])
