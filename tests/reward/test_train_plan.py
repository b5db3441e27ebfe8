"""The dry run: what it checks, what it tells, and what it says is missing; without torch."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from posh_lite.cli import main, parser
from posh_lite.errors import InputError
from posh_lite.reward.pager import RULES
from posh_lite.reward.settings import VARIANTS, variant
from posh_lite.reward.train import plan as module
from posh_lite.reward.train.config import read_config
from posh_lite.reward.train.plan import lacks, model_is_here, plan, report
from posh_lite.reward.train.rewards import Trial, build_reward, log_file, signature_of, try_reward, with_reward

ROOT = Path(__file__).parents[2]
MINI = str(ROOT / "data" / "mini" / "pairs.jsonl")


def rows_of(text: str) -> dict[str, str]:
    return {line[:12].strip(): line[12:].strip() for line in text.splitlines()[1:] if line[:12].strip()}


def test_the_plan_of_a_try_on_the_cpu(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "grpo", "--config", "tiny-grpo", "--data", MINI, "--dry-run"]) == 0
    told = rows_of(capsys.readouterr().out)
    assert told["method"] == "grpo: the GRPO trainer of TRL 1.16.0, loss grpo"
    assert told["data"] == f"72 rows of {MINI}; 0 with an image, 0 with a rubric"
    assert told["update"] == "1 device x 4 x 2 accumulated = 8 captions, from 2 prompts x 4 captions"
    assert told["rollouts"] == "16 captions a round (4 prompts), then 2 updates"
    assert told["steps"].startswith("36 an epoch x 0.111 epochs = 4; the learning rate rises over 0")
    assert told["in all"] == "32 captions sampled, each at most 24 tokens: 768 at most"
    assert told["reward"].startswith(f"pager-{RULES} table-11 | graph-")
    assert re.fullmatch(r"on 2 rows: a reference itself (1\.\d\d), \1; its first half (0\.\d\d), \2", told["tried"])
    # one rubric a prompt: 8 prompts of Table 22's 1,186 and 423 tokens; then 32 captions of 548 and 596
    assert told["judge"] == "rubric extraction: 8 prompts, 9,488 tokens in, 3,384 out; Table 22"


@pytest.mark.parametrize(("changes", "said", "unsaid"), [
    ([], "the judge that is set is embedded", "the extractor that is set"),
    (["reward.judge=openai:Qwen/Qwen3-8B"], "the extractor that is set is embedded", "the judge that is set"),
    (["reward.judge=openai:Qwen/Qwen3-8B", "reward.extractor=openai:Qwen/Qwen3-8B"], "", "that is set is embedded"),
])  # fmt: skip
def test_tokens_that_nobody_reads_are_called_so(changes: list[str], said: str, unsaid: str) -> None:
    told = "\n".join(report(plan(read_config("tiny-grpo", [f"train={MINI}", *changes]))))
    assert said in told and unsaid not in told


def test_the_plan_as_json_and_its_prices(capsys: pytest.CaptureFixture[str]) -> None:
    command = [
        "train",
        "grpo",
        "--config",
        "pager-grpo",
        "--data",
        MINI,
        "--set",
        "vision=false",
        "--set",
        "batch.rollout=256",
        "--dry-run",
    ]
    assert main([*command, "--prices", "0.1,0.4", "--gpu-price", "2"]) == 0
    told = rows_of(capsys.readouterr().out)
    # 72 rows are 2 rounds of 32 prompts an epoch, 3 epochs, 256 captions each: 1,536; 72 rubrics at most
    dollars = (0.1 * (72 * 1186 + 1536 * 548) + 0.4 * (72 * 423 + 1536 * 596)) / 1e6
    assert told["judge's cost"] == f"{dollars:.2f} at these prices"
    assert told["GPU hours"].startswith("about 0.3, 1 at 2 a GPU hour, scaled by captions")
    assert main([*command, "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row["counted"]["steps"] == 6 and row["tokens"][1]["calls"] == 1536 and row["rows"][0]["rows"] == 72


def test_supervised_training_has_no_judge(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            [
                "train",
                "sft",
                "--config",
                "posh-sft",
                "--data",
                MINI,
                "--validation",
                MINI,
                "--set",
                "vision=false",
                "--dry-run",
            ]
        )
        == 0
    )
    told = rows_of(capsys.readouterr().out)
    assert told["update"] == "8 devices x 1 x 8 accumulated = 64 references" and "validation" in told
    assert not {"judge", "reward", "GPU hours", "rollouts"} & set(told)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["sft", "--config", "posh-dapo"], 'posh-dapo.toml: is of the method "dapo"; run `posh-lite train dapo`'),
        (["dapo", "--config", "posh-dapo"], "nothing to train on; give --data FILE"),
        (["dapo", "--config", "tiny-dapo", "--data", MINI, "--reward", "no-mid"], 'the reward "posh" has no variants'),
        (["grpo", "--config", "tiny-grpo", "--data", MINI, "--reward", "no-middle"], "no variant 'no-middle'"),
        (["grpo", "--config", "tiny-grpo", "--data", MINI, "--max-steps", "0"], "--max-steps must be at least 1"),
        (
            ["grpo", "--config", "tiny-grpo", "--data", MINI, "--set", "reward.settings.lambda_midd=1"],
            "no setting 'lambda_midd'",
        ),
        (
            ["dapo", "--config", "tiny-dapo", "--data", MINI, "--set", "reward.settings.scor=mean"],
            "no setting 'scor' of the reward",
        ),
        (
            ["grpo", "--config", "tiny-grpo", "--data", MINI, "--set", "model.vision=true"],
            "72 of 72 rows cannot be used",
        ),
        (["sft", "--config", "posh-sft", "--data", MINI, "--set", "vision=false"], "asks for validation rows"),
    ],
)
def test_what_is_wrong_is_told(capsys: pytest.CaptureFixture[str], command: list[str], said: str) -> None:
    assert main(["train", *command, "--dry-run"]) == 2
    assert said in capsys.readouterr().err


def test_faults_of_rows_are_told_together(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        "".join(json.dumps(r) + "\n" for r in [{"reference": "A man."}, {"reference": ""}] + [{}] * 5)
        + "{broken\n",
        "utf-8",
    )
    config = read_config("tiny-grpo", [f"train={path}"])
    with pytest.raises(
        InputError, match=r"a.jsonl: 7 of 8 rows cannot be used; by line: 2: reference is empty; 3: .*and 2 more"
    ):
        plan(config)


def test_a_variant_of_the_reward(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "grpo", "--config", "tiny-grpo", "--data", MINI, "--reward", "no-tail", "--dry-run"]) == 0
    assert rows_of(capsys.readouterr().out)["reward"].startswith(f"pager-{RULES} lambda_tail:0.0 | ")
    reward = build_reward(with_reward(read_config("tiny-grpo"), "no-tail"))
    assert reward.__name__ == "pager_no-tail"  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", sorted(VARIANTS))
@pytest.mark.parametrize("config", ["tiny-grpo", "pager-grpo", "pager-transfer-8b", "pager-transfer-32b"])
def test_a_variant_is_itself_whatever_the_file_sets(config: str, name: str) -> None:
    made = read_config(config)
    reward = build_reward(replace(with_reward(made, name), judge="lexical", options={}))
    kept = {"guard": "none"} if config != "tiny-grpo" else {}
    assert reward.settings == variant(name, **kept)  # type: ignore[attr-defined]


def test_a_setting_that_takes_a_variant_back_is_refused() -> None:
    with pytest.raises(InputError, match=r"no-mid has lambda_mid = 0.0 and reward.settings.lambda_mid is 0.3; leave"):
        build_reward(read_config("pager-grpo", ["reward.variant=no-mid", "judge=lexical"]).reward)
    same = read_config("tiny-grpo", ["reward.variant=no-mid", "reward.settings.lambda_mid=0"])
    assert build_reward(same.reward).settings == variant("no-mid")  # type: ignore[attr-defined]


@pytest.mark.parametrize(("changes", "said"), [
    (["reward.judge=lexcal"], 'no judge named "lexcal"'),
    (["reward.name=posh", "reward.judge=lexcal"], 'no judge named "lexcal"'),
    (["reward.name=posh", "reward.options.foo=1"], 'has no option "foo"'),
    (["reward.name=posh", "reward.settings.max_missing=x"], "max_missing must lie between 0 and 1, got 'x'"),
    (["reward.name=math:sqrt"], "the reward must take keywords"),
])  # fmt: skip
def test_a_fault_of_the_reward_is_no_lack_of_the_machine(changes: list[str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        plan(read_config("tiny-grpo", [f"train={MINI}", *changes]))


def test_no_rows_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("\n\n", "utf-8")
    for name in ("tiny-sft", "tiny-grpo"):
        with pytest.raises(InputError, match=r"a\.jsonl: there are no rows to train on"):
            plan(read_config(name, [f"train={tmp_path / 'a.jsonl'}"]))


def half(*, completions: list[Any], **more: Any) -> list[float | None]:
    """A reward of one's own, as a configuration names it."""
    return [0.5 for _ in completions]


def wrong(*, completions: list[Any], **more: Any) -> list[float | None]:
    return [0.5]


def test_a_reward_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    config = read_config("tiny-grpo", [f"train={MINI}", "reward.name=test_train_plan:half"])
    found = plan(config)
    assert found.trial == Trial((0.5,) * 4, {}) and found.reward == "half" and found.tokens == ()
    with pytest.raises(InputError, match="the reward gave 1 values for 4 captions"):
        plan(read_config("tiny-grpo", [f"train={MINI}", "reward.name=test_train_plan:wrong"]))
    with pytest.raises(InputError, match="reward nowhere:x cannot be imported"):
        build_reward(read_config("tiny-grpo", ["reward.name=nowhere:x"]).reward)


def test_the_first_call_is_as_trl_calls() -> None:
    seen: dict[str, Any] = {}

    def reward(**called: Any) -> list[float | None]:
        seen.update(called)
        return [None] * len(called["completions"])

    from posh_lite.reward.train.config import Data
    from posh_lite.reward.train.data import read_examples

    first = [e for _, e in zip(range(1), read_examples(MINI, Data(), vision=False), strict=False)]
    assert try_reward(reward, first).values == (None, None)
    assert seen["completions"][0][0]["content"] == seen["reference"][0] == first[0].reference
    assert {"prompts", "completion_ids", "trainer_state", "log_metric", "log_extra", "id"} <= set(seen)
    assert signature_of(reward) == "reward"


@contextmanager
def serving(listed: object) -> Iterator[str]:
    """A server that lists its models so and does nothing else."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(listed).encode())

        def log_message(self, *args: object) -> None:
            pass

    made = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=made.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{made.server_port}/v1"
    finally:
        made.shutdown()
        made.server_close()


@pytest.fixture
def server() -> Iterator[str]:
    """A server of one model."""
    with serving({"data": [{"id": "Qwen/Qwen3-8B"}]}) as url:
        yield url


@pytest.mark.parametrize("listed", [[], "models", {"data": None}, {"data": ["Qwen/Qwen3-8B"]}, {"object": "list"}])
def test_a_server_that_lists_no_models_is_a_lack(listed: object) -> None:
    pytest.importorskip("openai", reason="the extra openai is not installed")
    with serving(listed) as url:
        found = lacks(read_config("pager-grpo", [f"reward.options.url={url}"]))
    assert any("serves nothing, not Qwen/Qwen3-8B" in lack.what for lack in found)


def test_what_is_missing_is_told_with_how_to_get_it(monkeypatch: pytest.MonkeyPatch, server: str) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("HF_HOME", "/nowhere")
    monkeypatch.setattr(module, "gpu_count", lambda: 2)

    def told(*changes: str) -> str:
        return "\n".join(f"{lack.what}: {lack.how}" for lack in lacks(read_config("pager-grpo", changes)))

    every = told()
    assert "8 GPUs a machine are planned and 2 found here" in every
    assert 'model "Qwen/Qwen3-VL-4B-Instruct" is not on this machine: hf download Qwen/Qwen3-VL-4B-Instruct' in every
    assert "no address of a server for the judge Qwen/Qwen3-8B: vllm serve Qwen/Qwen3-8B" in every
    assert "vLLM" in every and "vLLM" not in told("use_vllm=false")
    fine = told("use_vllm=false", "gpus=2", f"model.name={Path(__file__).parent}", f"reward.options.url={server}")
    assert "GPU" not in fine and "model" not in fine and "serve" not in fine
    assert f"the server at {server} serves Qwen/Qwen3-8B, not other" in told(
        "judge=openai:other", f"reward.options.url={server}"
    )
    assert "no server for the judge answers at http://127.0.0.1:9/v1" in told(
        "reward.options.url=http://127.0.0.1:9/v1"
    )


@pytest.mark.parametrize(
    ("version", "said"), [("0.21.4", "older"), ("0.31.1", "newer"), ("0.22.0", ""), ("0.31.0+cu128", "")]
)
def test_versions_of_vllm(monkeypatch: pytest.MonkeyPatch, version: str, said: str) -> None:
    monkeypatch.setattr(module.metadata, "version", lambda name: version)
    assert [said in lack.what for lack in module._vllm()] == ([True] if said else [])


def test_where_a_judge_is_not_there_the_embedded_one_tries_the_reward(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    found = plan(read_config("tiny-dapo", [f"train={MINI}", "judge=openai:Qwen/Qwen3-14B"]), sample=1)
    assert found.trial is not None and found.trial.values[0] == 1.0
    assert "Qwen/Qwen3-14B" in found.stand_in or "openai" in found.stand_in


def test_a_model_in_the_cache_of_the_hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert model_is_here("tiny:text") and not model_is_here("a/b")
    place = tmp_path / "models--a--b" / "snapshots" / "1"
    place.mkdir(parents=True)
    (place / "config.json").write_text("{}", "utf-8")
    assert model_is_here("a/b")


def test_each_process_keeps_a_log_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    assert log_file("a/b.sqlite") == "a/b.sqlite" and log_file("") is None
    monkeypatch.setenv("WORLD_SIZE", "8")
    monkeypatch.setenv("RANK", "3")
    assert log_file("a/b.sqlite") == str(Path("a/b.rank3.sqlite"))


def test_the_configurations_are_listed_and_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "configs"]) == 0
    assert "posh-dapo" in capsys.readouterr().out
    assert main(["train", "configs", "posh-dapo"]) == 0
    assert "epsilon_high = 0.28" in capsys.readouterr().out
    assert main(["train", "configs", "posh"]) == 2
    assert 'no configuration "posh"; there are pager-grpo' in capsys.readouterr().err


def test_a_dry_run_imports_no_torch() -> None:
    code = (
        "import sys, spacy; before = set(sys.modules); from posh_lite.cli import main;"  # which takes torch where it is
        f" main(['train', 'grpo', '--config', 'tiny-grpo', '--data', {MINI!r}, '--dry-run']);"
        " print({'torch', 'transformers', 'trl'} & (set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


def test_the_page_shows_what_the_commands_print(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    page = (ROOT / "book" / "training.md").read_text("utf-8")
    blocks = re.findall(r"```console\n\$ posh-lite (.+?)\n(.+?)```", page, re.DOTALL)
    assert len(blocks) == 2
    for command, shown in blocks:
        assert main(shlex.split(command)) == 0
        printed = capsys.readouterr().out.splitlines()
        assert [line for line in shown.splitlines() if line not in printed] == []


def test_every_command_of_the_page_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "book" / "training.md").read_text("utf-8").replace("\\\n", " ")
    found = re.findall(r"(?:^\$? ?posh-lite|-m posh_lite\.cli) (.+?)(?:  #.*)?$", page, re.MULTILINE)
    assert len(found) >= 15
    for command in found:
        parser().parse_args(shlex.split(command))
    assert capsys.readouterr().err == ""
