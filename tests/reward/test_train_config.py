"""Configurations: those of the package against the papers' tables, and what is said of a wrong one."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from posh_lite.errors import InputError
from posh_lite.reward.settings import PagerSettings
from posh_lite.reward.train.arguments import check_argument, known
from posh_lite.reward.train.config import builtin, read_config

PAPER = Path(__file__).parents[2] / "data" / "paper"
CONFIGS = Path(__file__).parents[2] / "posh_lite" / "reward" / "configs"
PAGER = ("pager-grpo", "pager-transfer-8b", "pager-transfer-32b")


def column(file: str, key: str, value: str = "value") -> dict[str, str]:
    with (PAPER / file).open(encoding="utf-8") as handle:
        return {row[key]: row[value] for row in csv.DictReader(handle)}


def posh(part: str) -> dict[str, str]:
    with (PAPER / "posh_settings.csv").open(encoding="utf-8") as handle:
        return {row["setting"]: row["value"] for row in csv.DictReader(handle) if row["part"] == part}


def test_supervised_training_is_the_papers() -> None:
    paper, c = posh("SFT"), read_config("posh-sft")
    assert c.method == "sft" and paper["base model"] in c.model.name
    assert c.trainer["learning_rate"] == float(paper["learning rate"])
    assert c.trainer["warmup_steps"] == float(paper["warmup ratio"])  # below 1 it is a share
    assert (c.batch.update, c.batch.unit) == (int(paper["batch"]), "captions")
    assert c.trainer["num_train_epochs"] == int(paper["epochs"])
    assert paper["checkpoint"] == "lowest loss on validation"
    assert c.trainer["load_best_model_at_end"] and c.trainer["metric_for_best_model"] == "eval_loss"
    assert c.trainer["greater_is_better"] is False and c.trainer["max_length"] is None
    assert f"{c.hardware.devices} {c.hardware.about}" == posh("training")["hardware"]


def test_dapo_is_the_papers() -> None:
    paper, c = posh("DAPO"), read_config("posh-dapo")
    t = c.trainer
    assert c.method == "dapo" and c.kind == "grpo" and c.reward.name == "posh" and paper["base model"] in c.model.name
    assert t["learning_rate"] == float(paper["learning rate"]) and t["warmup_steps"] == int(paper["warmup steps"])
    assert t["num_generations"] == c.generations == int(paper["generations a sample"])
    assert (t["temperature"], t["top_p"]) == (float(paper["temperature"]), float(paper["top-p"]))
    assert t["epsilon_high"] == float(paper["epsilon"]) and t["beta"] == float(paper["beta"])
    assert c.batch.update == int(paper["batch"]) and t["num_train_epochs"] == int(paper["epochs"])
    assert t["loss_type"] == "dapo" and "load_best_model_at_end" not in t and paper["checkpoint"] == "the last"


@pytest.mark.parametrize("name", PAGER)
def test_pager_is_tables_9_10_and_11(name: str) -> None:
    nine = column("position_table9_grpo_settings.csv", "setting")
    ten = column("position_table10_optimization.csv", "setting")
    eleven = column("position_table11_reward_settings.csv", "parameter")
    c = read_config(name)
    t, r = c.trainer, c.reward
    assert c.method == "grpo" and r.name == "pager" and r.variant == "full"
    size = {"pager-grpo": "4B", "pager-transfer-8b": "8B", "pager-transfer-32b": "32B"}[name]
    assert c.model.name == f"Qwen/{nine['base model'].replace('4B', size)}"
    assert f"{c.model.min_pixels} / {c.model.max_pixels}" == nine["minimum / maximum image pixels"]
    asked = f"{c.data.columns['prompt']} / {c.data.columns['reference']} / {c.data.columns['image']}"
    assert asked == nine["prompt / answer / image keys"]
    assert f"{c.data.max_prompt_tokens} tokens" == nine["maximum prompt length"]
    assert f"{t['max_completion_length']} tokens" == nine["maximum response length"]
    assert f"{str(t['shuffle_dataset']).lower()} / {t['seed']}" == nine["shuffle / seed"]
    assert f"{c.generations} captions per prompt" == nine["rollout group size"]
    assert f"{t['temperature']} / {t['top_p']}" == nine["rollout temperature / top-p"]
    assert (c.batch.rollout, c.batch.update) == (int(nine["rollout batch size"]), int(nine["actor global batch size"]))
    assert c.batch.per_device == int(nine["actor update micro-batch per device"])
    assert f"{c.hardware.nodes} / {c.hardware.gpus}" == nine["nodes / gpus per node"]
    if name == "pager-grpo":
        assert t["num_train_epochs"] == int(nine["epochs"]) and "max_steps" not in t
        assert t["learning_rate"] == float(ten["learning rate"])
    else:  # appendix J.7
        assert t["max_steps"] == 100 and "num_train_epochs" not in t
    assert t["beta"] == float(ten["kl coefficient"]) and t["weight_decay"] == float(ten["weight decay"])
    assert t["warmup_steps"] == float(ten["warmup ratio"]) and t["max_grad_norm"] == float(ten["maximum gradient norm"])
    assert ten["advantage estimator"].lower() == t["loss_type"] and t["scale_rewards"] == "group"
    assert (
        t["optim"].startswith("adamw") and ten["gradient checkpointing"] == "enabled" and t["activation_checkpointing"]
    )
    assert ten["vision tower"] == "not frozen" and c.model.freeze_vision is False
    assert t["fsdp"] is True and t["fsdp_config"]["cpu_offload"] is False
    assert f"GPU memory utilization {t['vllm_gpu_memory_utilization']}" in ten["rollout backend settings"]
    assert f"tensor parallel size {t['vllm_tensor_parallel_size']}" in ten["rollout backend settings"]
    assert str(t["vllm_max_model_length"]) == nine["maximum batched rollout tokens"]
    assert t["vllm_max_model_length"] == c.data.max_prompt_tokens + t["max_completion_length"]
    assert f"DataLoader workers {t['dataloader_num_workers']}" in ten["data/system settings"]
    names = {
        "alpha": "alpha",
        "beta": "beta",
        "lambda_mid": "lambda_mid",
        "lambda_tail": "lambda_tail",
        "L0": "base_length",
        "c": "claim_length",
        "lambda_len": "lambda_len",
    }
    for theirs, ours in names.items():
        assert r.settings[ours] == float(eleven[theirs]) == getattr(PagerSettings(), ours)
    assert r.settings["itemwise"] is True and r.settings["weighted"] is True
    assert eleven["judge model"].removeprefix("models/") in r.judge
    assert r.options["concurrency"] == int(eleven["concurrency"])


def test_every_value_of_a_paper_says_where_it_is_from() -> None:
    technical = {
        "about",
        "method",
        "log",
        "unit",
        "logging_steps",
        "report_to",
        "save_strategy",
        "save_steps",
        "eval_strategy",
        "save_total_limit",
        "metric_for_best_model",
        "greater_is_better",
        "vllm_mode",
        "vllm_enable_sleep_mode",
        "vllm_gpu_memory_utilization",
        "cpu_ram_efficient_loading",
        "vision",
        "name",
        "prompt",
        "reference",
        "image",
        "variant",
    }
    for name in ("posh-sft", "posh-dapo", *PAGER):
        for line in (CONFIGS / f"{name}.toml").read_text("utf-8").splitlines():
            if (key := re.match(r"(\w+) = ", line)) and key[1] not in technical:
                assert re.search(r"# (Paper|silent|T9|T10|T11|J\.\d|appendix|the paper)", line), f"{name}: {line}"


def test_all_configurations_are_read_and_said() -> None:
    assert {*PAGER, "posh-sft", "posh-dapo", "tiny-sft", "tiny-dapo", "tiny-grpo"} <= set(builtin())
    for name, about in builtin().items():
        assert about and read_config(name).name == name


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(text, "utf-8")
    return path


HEAD = 'method = "grpo"\n[model]\nname = "tiny:text"\n[reward]\nname = "pager"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            HEAD + "[trainer]\nlearning_rat = 1e-6\n",
            r"mine.toml:7: .*learning_rat is no .*did you mean learning_rate\?",
        ),
        (HEAD + "judg = 'lexical'\n", r"mine.toml:6: no key reward.judg; did you mean reward.judge\?"),
        (HEAD + "[modell]\nname = 'x'\n", r"mine.toml:6: no key modell; did you mean model\?"),
        ("methods = 'sft'\n" + HEAD, r"mine.toml:1: no key methods; did you mean method\?"),
        (HEAD.replace("grpo", "ppo"), r"mine.toml:1: method must be one of sft, dapo, grpo, got 'ppo'"),
        (HEAD + "[trainer]\nlearning_rate = 'high'\n", r"mine.toml:7: trainer.learning_rate must be float, got 'high'"),
        (HEAD + "[trainer]\nnum_generations = 2.5\n", r"mine.toml:7: trainer.num_generations must be int"),
        (HEAD + "[trainer]\nnum_generations = true\n", r"mine.toml:7: trainer.num_generations must be int"),
        (HEAD + "[trainer]\nnum_generations = 1\n", r"mine.toml:7: trainer.num_generations must be at least 2"),
        (HEAD + "[trainer]\ntop_p = 1.5\n", r"mine.toml:7: trainer.top_p must lie above 0"),
        (HEAD + "[trainer]\nloss_type = 'dap'\n", r"mine.toml:7: trainer.loss_type: no 'dap'; did you mean dapo\?"),
        (HEAD + "[trainer]\nwarmup_ratio = 0.1\n", r"mine.toml:7: trainer.warmup_ratio is no .*use warmup_steps"),
        (HEAD + "[trainer]\nper_device_train_batch_size = 2\n", r"mine.toml:7: .*follows from batch.per_device"),
        (HEAD + "[batch]\nupdate = '64'\n", r"mine.toml:7: batch.update must be a whole number, got '64'"),
        (HEAD + "[batch]\nunit = 'rows'\n", r"mine.toml:7: batch.unit must be one of captions, prompts"),
        (HEAD + "[data.columns]\nreferenc = 'x'\n", r"mine.toml:7: no key data.columns.referenc; did you mean"),
        (HEAD.replace('name = "pager"', 'variant = "full"'), r"mine.toml.*reward.name is missing"),
        (HEAD + "[trainer]\nnum_iterations = 0\n", r"mine.toml:7: trainer.num_iterations must be at least 1, got 0"),
        (HEAD + "[trainer]\nbeta = -1\n", r"mine.toml:7: trainer.beta must be at least 0, got -1"),
        (HEAD + "[trainer]\nbeta = nan\n", r"mine.toml:7: trainer.beta must be at least 0, got nan"),
        (HEAD + "[trainer]\nmin_p = inf\n", r"mine.toml:7: trainer.min_p must be"),
        (HEAD + "[trainer]\nwarmup_steps = -5\n", r"mine.toml:7: trainer.warmup_steps must be at least 0"),
        (HEAD + "[trainer]\nmax_completion_length = 0\n", r"mine.toml:7: .* must be at least 1, got 0"),
        (HEAD + "[trainer]\nnum_train_epochs = 0\n", r"mine.toml:7: trainer.num_train_epochs must lie above 0"),
        (HEAD + "[trainer]\nsave_steps = 0\n", r"mine.toml:7: trainer.save_steps must lie above 0"),
        (HEAD + "[trainer]\nmax_steps = 0\n", r"mine.toml:7: trainer.max_steps must be at least 1"),
        (HEAD + "[trainer\n", r"mine.toml: not TOML"),
    ],
)
def test_a_wrong_configuration_names_file_line_and_key(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_config(write(tmp_path, text))


def test_a_byte_order_mark_and_crlf_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xef\xbb\xbf" + HEAD.replace("\n", "\r\n").encode())
    assert read_config(path).model.name == "tiny:text"


def test_a_table_of_the_trainer_takes_changes_too() -> None:
    c = read_config("pager-grpo", ["trainer.fsdp_config.cpu_offload=true"])
    assert c.trainer["fsdp_config"] == {**read_config("pager-grpo").trainer["fsdp_config"], "cpu_offload": True}
    with pytest.raises(InputError, match=r"trainer\.beta must be float"):
        read_config("pager-grpo", ["trainer.beta.x=1"])
    with pytest.raises(InputError, match="did you mean fsdp_config"):
        read_config("pager-grpo", ["trainer.fsdp_confg.x=1"])


def test_no_such_configuration() -> None:
    with pytest.raises(InputError, match=r"did you mean posh-dapo\?"):
        read_config("posh-dappo")
    with pytest.raises(InputError, match=r"nowhere\.toml: no configuration"):
        read_config("nowhere.toml")


def test_changes_from_the_command_line() -> None:
    c = read_config(
        "posh-dapo",
        [
            "learning_rate=2e-6",
            "hardware.gpus=4",
            "judge=lexical",
            "data.prompt=my prompt.txt",
            "reward.options.url=http://127.0.0.1:8000/v1",
            "data.columns.reference=text",
        ],
    )
    assert c.trainer["learning_rate"] == 2e-6 and c.hardware.gpus == 4 and c.reward.judge == "lexical"
    assert c.data.prompt == "my prompt.txt" and c.data.columns == {"reference": "text"}
    assert c.reward.options == {"url": "http://127.0.0.1:8000/v1"}
    assert read_config("posh-dapo").trainer["learning_rate"] == 1e-6  # the packaged one is as it was


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("learning_rate", "expected key=value"),
        ("=3", "expected key=value"),
        ("name=x", "name is a key of model and reward"),
        ("reward.nam=x", "no key reward.nam; did you mean reward.name"),
        ("batches.update=3", "no key batches; did you mean"),
        ("gpus=many", "hardware.gpus must be a whole number"),
        ("model.name.x=1", "model.name has no keys of its own"),
    ],
)
def test_a_wrong_change_is_told(change: str, said: str) -> None:
    with pytest.raises(InputError, match=f"--set: {re.escape(said)}"):
        read_config("posh-dapo", [change])


def test_the_word_none_stands_for_none_only_where_no_text_is_taken() -> None:
    assert check_argument("sft", "max_length", "none") is None
    assert check_argument("sft", "report_to", "none") == "none"
    assert check_argument("grpo", "scale_rewards", "none") == "none"


def test_the_arguments_are_those_of_the_trainers() -> None:
    assert {"learning_rate", "max_length", "completion_only_loss"} <= set(known("sft"))
    assert {"beta", "epsilon_high", "num_generations", "use_vllm", "loss_type"} <= set(known("grpo"))
    assert "num_generations" not in known("sft")
