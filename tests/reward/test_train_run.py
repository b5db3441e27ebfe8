"""Real trainings of a few steps on TRL, from a configuration to a checkpoint that is taken up again.

The models are tiny and random, of the papers' own classes (Qwen3, Qwen2.5-VL, Qwen3-VL), their tokenizers and
processors are made here, and nothing is fetched.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

WHY = "needs trl and torch: make test-rl"
os.environ["HF_HUB_OFFLINE"] = "1"
torch = pytest.importorskip("torch", reason=WHY)
pytest.importorskip("trl", reason=WHY)
pytest.importorskip("datasets", reason=WHY)

from pictures import png  # noqa: E402

from posh_lite.cli import main  # noqa: E402
from posh_lite.errors import InputError, MissingDependency  # noqa: E402
from posh_lite.reward.train import arguments, plan, run, tiny  # noqa: E402
from posh_lite.reward.train.config import TrainConfig, read_config  # noqa: E402
from posh_lite.reward.train.curves import series  # noqa: E402
from posh_lite.reward.train.record import read_log, read_run  # noqa: E402
from posh_lite.reward.train.run import Trained, checkpoints, train  # noqa: E402

SCENES = [("red", "car"), ("blue", "boat"), ("green", "tree"), ("white", "dog"), ("black", "cat"), ("brown", "horse"),
          ("gray", "house"), ("yellow", "bird")]


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight constructed rows with an image and a reference each."""
    folder = tmp_path_factory.mktemp("rows")
    lines = []
    for i, (color, thing) in enumerate(SCENES):
        (folder / f"{i}.png").write_bytes(png(96, 64, 20 + 25 * i))
        lines.append({"id": f"r{i}", "image": f"{i}.png",
                      "reference": f"A {color} {thing} stands in a field. A small bird sits on the left."})
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in lines), "utf-8")
    return path


def configured(name: str, rows: Path, *changes: str) -> TrainConfig:
    return read_config(name, [f"data.train={rows}", *changes])


def weights(folder: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    return dict(load_file(folder / "model.safetensors"))


def moved(before: dict[str, Any], after: dict[str, Any], part: str = "") -> bool:
    names = [n for n in before if part in n]
    assert names and set(before) == set(after)
    return any(not torch.equal(before[n], after[n]) for n in names)


def check(done: Trained, steps: int, figures: Sequence[str], every: int = 1) -> None:
    """What every training must leave: finite figures, weights that moved, and its record.

    Figures of rollouts are logged once a round, which here is ``every`` updates.
    """
    assert done.steps == steps and math.isfinite(done.loss)
    log = read_log(done.folder)
    for names, distance in ((("loss", "grad_norm"), 1), (figures, every)):
        for name in names:
            assert [step for step, _ in series(log, name)] == list(range(1, steps + 1, distance)), name
    start, end = weights(done.folder / "start"), weights(done.model)
    assert moved(start, end) and all(torch.isfinite(w).all() for w in end.values())
    row = read_run(done.folder)
    assert row["outcome"]["steps"] == steps and {"torch", "trl", "transformers"} <= set(row["versions"])
    assert "<desc>" in (done.folder / "curves.svg").read_text("utf-8")


def test_supervised_training_and_its_best_checkpoint(rows: Path, tmp_path: Path) -> None:
    config = configured(
        "tiny-sft", rows, f"data.validation={rows}", "eval_strategy=steps", "eval_steps=2", "save_steps=2",
        "load_best_model_at_end=true", "metric_for_best_model=eval_loss", "greater_is_better=false",
    )
    done = train(config, tmp_path)
    check(done, 6, ["mean_token_accuracy"])
    losses = dict(series(read_log(tmp_path), "eval_loss"))
    assert set(losses) == {2, 4, 6} and losses[6] < losses[2]  # it learns what it is shown
    best = min(losses, key=losses.__getitem__)
    assert read_run(tmp_path)["outcome"]["best_checkpoint"] == f"checkpoint-{best}"
    assert not moved(weights(tmp_path / f"checkpoint-{best}"), weights(done.model))


def test_only_the_reference_is_learned_not_the_prompt(rows: Path, tmp_path: Path) -> None:
    config = configured("tiny-sft", rows)
    counted = run.numbers(config, 8)
    examples = list(run.read_examples(rows, config.data, vision=False))
    trainer = run._trainer(config, tmp_path, counted, examples, [], None)
    batch = next(iter(trainer.get_train_dataloader()))
    words = trainer.processing_class
    for labels in batch["labels"]:
        told = words.decode(labels[labels != -100])
        assert told.strip().removesuffix("<|im_end|>") in {e.reference for e in examples}


@pytest.mark.parametrize(("name", "every"), [("tiny-dapo", 1), ("tiny-grpo", 2)])
def test_training_with_a_reward_and_going_on(name: str, every: int, rows: Path, tmp_path: Path) -> None:
    reward = "posh" if name == "tiny-dapo" else "pager"
    done = train(configured(name, rows, "max_steps=2"), tmp_path)
    check(done, 2, ["reward", f"rewards/{reward}/mean", "completions/mean_length"], every)
    first = read_log(tmp_path)
    logged = set().union(*first)
    assert f"{reward}/unusable" in logged  # what the reward itself logs
    if name == "tiny-grpo":
        assert series(first, "kl") and all(value >= 0 for _, value in series(first, "kl"))
        assert {f"pager/{term}" for term in ("coverage", "middle", "tail", "length")} <= logged
    assert [p.name for p in checkpoints(tmp_path)] == ["checkpoint-2"]
    kept = weights(tmp_path / "checkpoint-2")
    again = train(configured(name, rows, "max_steps=4"), tmp_path, resume=True)
    assert again.resumed == tmp_path / "checkpoint-2" and again.steps == 4
    assert [step for step, _ in series(read_log(tmp_path), "reward")] == list(range(1, 5, every))
    assert not moved(kept, weights(tmp_path / "checkpoint-2")) and moved(kept, weights(again.model))
    assert len(read_run(tmp_path)["started"]) == 2


def test_a_stop_and_a_resume_end_where_one_run_ends(rows: Path, tmp_path: Path) -> None:
    at_once = train(configured("tiny-sft", rows, "max_steps=4", "save_steps=2", "lr_scheduler_type=constant",
                               "warmup_steps=0"), tmp_path / "once")
    changes = ("save_steps=2", "lr_scheduler_type=constant", "warmup_steps=0")
    train(configured("tiny-sft", rows, "max_steps=2", *changes), tmp_path / "twice")
    went_on = train(configured("tiny-sft", rows, "max_steps=4", *changes), tmp_path / "twice", resume=True)
    one, two = weights(at_once.model), weights(went_on.model)
    assert all(torch.allclose(one[n], two[n], atol=1e-6) for n in one)


def test_the_model_loads_again_and_speaks(rows: Path, tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    done = train(configured("tiny-sft", rows, "max_steps=1", "save_strategy=no"), tmp_path / "run")
    model = AutoModelForCausalLM.from_pretrained(done.model)
    words = AutoTokenizer.from_pretrained(done.model)
    asked = words.apply_chat_template([{"role": "user", "content": "Describe."}], add_generation_prompt=True,
                                      return_tensors="pt", return_dict=True)
    out = model.generate(**asked, max_new_tokens=4, do_sample=False)
    assert 0 < out.shape[1] - asked["input_ids"].shape[1] <= 4
    from_folder = train(configured("tiny-sft", rows, "max_steps=1", "save_strategy=no", f"model.name={done.model}"),
                        tmp_path / "next")
    assert from_folder.steps == 1 and not (tmp_path / "next" / "start").exists()


@pytest.mark.parametrize(("name", "model", "frozen"), [
    ("tiny-sft", "qwen2_5_vl", False), ("tiny-dapo", "qwen2_5_vl", False), ("tiny-grpo", "qwen3_vl", True),
    ("tiny-sft", "qwen3_vl", False),
])
def test_vision_models_see_and_learn(name: str, model: str, frozen: bool, rows: Path, tmp_path: Path) -> None:
    pytest.importorskip("torchvision", reason=WHY)
    changes = [f"model.name=tiny:{model}", "vision=true", "max_steps=2", "save_steps=2", "min_pixels=1024",
               "max_pixels=6144", f"freeze_vision={str(frozen).lower()}", "batch.update=4", "per_device=2"]
    more = ["rollout=4", "num_generations=2", "max_prompt_tokens=400"]
    changes += ["max_length=none"] if name == "tiny-sft" else more
    done = train(configured(name, rows, *changes), tmp_path)
    check(done, 2, ["reward"] if name != "tiny-sft" else [])
    before, after = weights(tmp_path / "start"), weights(done.model)
    assert moved(before, after, "visual.") is not frozen
    assert moved(before, after, "embed_tokens")


def test_the_image_reaches_the_model(rows: Path, tmp_path: Path) -> None:
    pytest.importorskip("torchvision", reason=WHY)
    config = configured("tiny-grpo", rows, "model.name=tiny:qwen2_5_vl", "vision=true", "max_pixels=6144",
                        "min_pixels=1024")
    examples = list(run.read_examples(rows, config.data, vision=True))
    trainer = run._trainer(config, tmp_path, run.numbers(config, 8), examples, [], run.build_reward(config.reward))
    size = trainer.processing_class.image_processor.size
    assert (size["shortest_edge"], size["longest_edge"]) == (1024, 6144)
    asked = [{"prompt": r["prompt"], "image": r["image"]} for r in trainer.train_dataset.select([0, 1])]
    from trl.data_utils import prepare_multimodal_messages

    ids, images, fields = trainer._tokenize_prompts(
        [prepare_multimodal_messages(a["prompt"], images=[a["image"]]) for a in asked])
    grid = fields["image_grid_thw"]
    token = trainer.model.config.image_token_id
    assert len(images) == len(ids) == 2
    for one, (t, h, w) in zip(ids, grid.tolist(), strict=True):
        assert list(one).count(token) == t * h * w // 4 == run._visual_tokens(trainer.processing_class, examples[0])
    darker, lighter = fields["pixel_values"].split(grid.prod(-1).tolist())
    assert darker.mean() < lighter.mean()  # the rows' own images, in their order


def test_a_prompt_beyond_the_limit_is_refused(rows: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"rows.jsonl:1: the prompt takes \d+ tokens with its image, more than"):
        train(configured("tiny-grpo", rows, "max_prompt_tokens=5"), tmp_path)


def test_the_steps_of_the_plan_are_those_of_the_trainer(rows: Path, tmp_path: Path) -> None:
    config = configured("tiny-grpo", rows, "max_steps=-1", "num_train_epochs=2", "batch.update=4", "batch.rollout=8",
                        "per_device=2", "num_generations=2", "save_strategy=no", "max_completion_length=4")
    planned = run.numbers(config, 8)
    assert (planned.steps_per_epoch, planned.steps) == (4, 8)
    assert train(config, tmp_path).steps == planned.steps


def test_the_command_trains_and_goes_on(rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["train", "sft", "--config", "tiny-sft", "--data", str(rows), "-o", str(tmp_path / "run"), "--set",
               "save_steps=1"]
    assert main([*command, "--max-steps", "1"]) == 0
    assert f"{tmp_path / 'run'}: 1 update, mean loss " in capsys.readouterr().out
    assert main([*command, "--max-steps", "2"]) == 2
    assert "go on with --resume" in capsys.readouterr().err
    assert main([*command, "--max-steps", "2", "--resume"]) == 0
    assert "2 updates, from checkpoint-1, mean loss " in capsys.readouterr().out


def test_a_folder_in_use_and_another_training_are_refused(rows: Path, tmp_path: Path) -> None:
    train(configured("tiny-sft", rows, "max_steps=1", "save_steps=1"), tmp_path)
    with pytest.raises(InputError, match="go on with --resume"):
        train(configured("tiny-sft", rows, "max_steps=2"), tmp_path)
    with pytest.raises(InputError, match=r"trainer\.learning_rate"):
        train(configured("tiny-sft", rows, "max_steps=2", "learning_rate=1e-4"), tmp_path, resume=True)


def test_arguments_that_do_not_fit_together_are_told(rows: Path, tmp_path: Path) -> None:
    config = configured("tiny-sft", rows, "load_best_model_at_end=true", "save_strategy=epoch", "eval_strategy=no")
    with pytest.raises(InputError, match="the trainer refuses the arguments"):
        train(config, tmp_path)


def test_a_model_that_is_not_here(rows: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r'model "nobody/nothing" cannot be loaded'):
        train(configured("tiny-sft", rows, "model.name=nobody/nothing"), tmp_path)
    with pytest.raises(InputError, match="no model"):
        tiny.make("tiny:llava", ["A man."], 1)


def test_what_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "find_spec", lambda name: None if name == "trl" else object())
    with pytest.raises(MissingDependency, match="training needs trl: "):
        run.need(read_config("tiny-sft"))


def test_the_recorded_arguments_are_those_of_the_installed_trl() -> None:
    assert arguments.declared() == arguments._table()


@pytest.mark.parametrize("name", ["posh-sft", "posh-dapo", "pager-grpo", "pager-transfer-8b", "pager-transfer-32b"])
def test_the_papers_arguments_are_taken_by_the_trainers(name: str, tmp_path: Path) -> None:
    import trl

    config = read_config(name)
    given = {k: v for k, v in config.trainer.items() if k not in ("fsdp", "fsdp_config", "bf16")}  # these need GPUs
    counted = run.numbers(config, 297_839, devices=1)
    made = (trl.SFTConfig if config.kind == "sft" else trl.GRPOConfig)(
        output_dir=str(tmp_path), use_cpu=True, bf16=False, per_device_train_batch_size=counted.per_device,
        gradient_accumulation_steps=counted.accumulation, **given,
        **({"generation_batch_size": counted.rollout} if counted.rollout else {}),
    )
    assert made.per_device_train_batch_size * made.gradient_accumulation_steps == config.batch.update
    if config.kind == "grpo":
        assert made.generation_batch_size == (config.batch.rollout or config.batch.update)
    steps = 80 if name == "posh-sft" else 125
    assert made.get_warmup_steps(steps) == {"posh-sft": 8, "posh-dapo": 20}.get(name, 0)
