"""The engine "transformers" on tiny random models: what it reads, how it shares beginnings, what it refuses."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs torch: make test-judges")
pytest.importorskip("transformers", reason="needs transformers: make test-judges")

import torch
import transformers
from tiny_model import make_model, make_tokenizer

from posh_lite import PoSh
from posh_lite.errors import InputError, JudgeError
from posh_lite.judge.llm.answers import FIVE, YES_NO
from posh_lite.judge.llm.chat import Chat
from posh_lite.judge.llm.engine import Prompt, Reading
from posh_lite.judge.llm.transformers_engine import TransformersEngine, transformers_judge
from posh_lite.judge.llm.weights import locate
from posh_lite.judge.registry import make_judge

CLOSE = 1e-4  # in log probability, float32 on the CPU; the record of the last run holds what was measured


@pytest.fixture(scope="module")
def engine(tiny_qwen: Path) -> TransformersEngine:
    return TransformersEngine(tiny_qwen, device="cpu")


def values(readings: list[Reading]) -> list[list[float]]:
    return [[value for _, value in r.candidates] for r in readings]


def same(a: list[Reading], b: list[Reading]) -> None:
    assert [r.text for r in a] == [r.text for r in b]
    assert [[t for t, _ in r.candidates] for r in a] == [[t for t, _ in r.candidates] for r in b]
    for x, y in zip(values(a), values(b), strict=True):
        assert x == pytest.approx(y, abs=CLOSE)


# -- what is read ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answers", [FIVE, YES_NO], ids=["five", "yes-no"])
def test_a_reading_is_what_the_library_itself_computes(
    engine: TransformersEngine, tiny_qwen: Path, prompts: list[Prompt], answers: Any
) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny_qwen)
    model = transformers.AutoModelForCausalLM.from_pretrained(tiny_qwen, dtype=torch.float32)
    for prompt, reading in zip(prompts, engine.read(prompts, answers), strict=True):
        ids = tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt.text}], add_generation_prompt=True, enable_thinking=False,
            return_tensors="pt", return_dict=True,
        )["input_ids"]
        with torch.no_grad():
            logprobs = model(ids).logits[0, -1].double().log_softmax(-1)
        vocabulary = {tokenizer.decode([t]): float(logprobs[t]) for t in range(len(tokenizer))}
        assert reading.candidates
        for text, value in reading.candidates:
            assert value == pytest.approx(vocabulary[text], abs=CLOSE)
        assert reading.text == tokenizer.decode([int(logprobs.argmax())])
        assert reading.tokens == ids.shape[1] == engine.count(prompt)


def test_all_variants_of_an_answer_are_candidates_and_nothing_else(engine: TransformersEngine) -> None:
    (reading,) = engine.read([Prompt("1 or 5?")], FIVE)
    assert {text for text, _ in reading.candidates} == {*"12345", *(f" {n}" for n in range(1, 6))}
    (reading,) = engine.read([Prompt("yes or no?")], YES_NO)
    assert {text.strip().lower() for text, _ in reading.candidates} == {"yes", "no"}
    assert {" yes", " no", " Yes", " No"} <= {text for text, _ in reading.candidates}
    assert sum(math.exp(value) for _, value in reading.candidates) < 1


def test_distributions_differ_between_prompts(engine: TransformersEngine, prompts: list[Prompt]) -> None:
    firsts = {round(row[0], 3) for row in values(engine.read(prompts, FIVE))}
    assert len(firsts) == len(prompts)  # else the comparisons below could not fail


def test_thinking_is_switched_off(tiny_qwen: Path) -> None:
    tokenizer = make_tokenizer()
    chat = Chat(tokenizer, "tiny")
    text = tokenizer.decode(chat.tokens(Prompt("Yes?")))  # type: ignore[attr-defined]
    assert text.endswith("<|im_start|>assistant\n<think>\n\n</think>\n\n")
    assert text.startswith("<|im_start|>user\nYes?<|im_end|>\n")


# -- shared beginnings ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answers", [FIVE, YES_NO], ids=["five", "yes-no"])
def test_sharing_beginnings_changes_no_reading(
    tiny_qwen: Path, prompts: list[Prompt], answers: Any, record_property: Any
) -> None:
    shared = TransformersEngine(tiny_qwen, device="cpu")
    alone = TransformersEngine(tiny_qwen, device="cpu", reuse=False)
    a, b = shared.read(prompts, answers), alone.read(prompts, answers)
    same(a, b)
    pairs = [(x, y) for rows in zip(values(a), values(b), strict=True) for x, y in zip(*rows, strict=True)]
    record_property("largest difference of log probabilities", max(abs(x - y) for x, y in pairs))
    assert all(r.cached == 0 for r in b)
    assert sum(r.cached or 0 for r in a) > 0.5 * sum(r.tokens or 0 for r in a)


def test_company_in_a_batch_changes_no_reading(engine: TransformersEngine, prompts: list[Prompt]) -> None:
    together = engine.read(prompts, FIVE)
    same(together, [engine.read([p], FIVE)[0] for p in prompts])
    same(together, list(reversed(engine.read(list(reversed(prompts)), FIVE))))


def test_tokens_computed_are_counted_once(tiny_qwen: Path, prompts: list[Prompt]) -> None:
    engine = TransformersEngine(tiny_qwen, device="cpu")
    group = prompts[:5]
    first = engine.read(group, FIVE)
    beginning = first[1].cached or 0
    assert beginning > 40
    assert [r.cached for r in first] == [0, *[beginning] * 4]
    assert [r.cached for r in engine.read(group, FIVE)] == [beginning] * 5  # the beginning is still there
    after = engine.read(prompts[5:10], FIVE)
    assert 0 < (after[0].cached or 0) < (after[1].cached or 0)  # the template and "Text: " are known already
    assert all((r.cached or 0) < (r.tokens or 0) for r in first + after)


def test_small_batches_give_the_same(engine: TransformersEngine, prompts: list[Prompt], monkeypatch: Any) -> None:
    whole = engine.read(prompts, FIVE)
    monkeypatch.setattr("posh_lite.judge.llm.torch_session._BATCH_BYTES", 1 << 17)
    same(whole, engine.read(prompts, FIVE))
    parts = list(engine.session._batches([(torch.zeros(1, 2, 50, 32),) * 2], 50, [[1] * n for n in (9, 3, 5, 3)]))
    assert sorted(i for part in parts for i in part) == [0, 1, 2, 3]
    assert len(parts) > 1


def test_beginnings_are_dropped_when_memory_is_short(tiny_qwen: Path, prompts: list[Prompt], monkeypatch: Any) -> None:
    engine = TransformersEngine(tiny_qwen, device="cpu")
    monkeypatch.setattr("posh_lite.judge.llm.torch_session._KEPT_BYTES", 1)
    whole = engine.read(prompts, FIVE)
    assert len(engine.session._kept) == 1
    same(whole, engine.read(prompts, FIVE))


def other_model(folder: Path, kind: str) -> Path:
    """Models whose memory is not plain: a sliding window shorter than the beginnings, or recurrent layers."""
    tokenizer: Any = make_tokenizer()
    common = {"vocab_size": 448, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "eos_token_id": 2}
    torch.manual_seed(5)
    config: Any
    if kind == "sliding":
        config = transformers.MistralConfig(
            **common, num_attention_heads=4, num_key_value_heads=2, sliding_window=16, initializer_range=0.15,
            max_position_embeddings=2048,
        )
    else:
        config = transformers.MambaConfig(
            vocab_size=448, hidden_size=64, num_hidden_layers=2, state_size=8, initializer_range=0.15, eos_token_id=2
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        transformers.AutoModelForCausalLM.from_config(config).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return folder


@pytest.mark.parametrize(("kind", "shares"), [("sliding", True), ("recurrent", False)])
def test_other_kinds_of_memory_are_read_right(kind: str, shares: bool, tmp_path: Path, prompts: list[Prompt]) -> None:
    folder = other_model(tmp_path / kind, kind)
    engine = TransformersEngine(folder, device="cpu")
    assert engine.session.reuse is shares
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    chat = Chat(transformers.AutoTokenizer.from_pretrained(folder), kind)
    ids = [token for token, _ in chat.answer_tokens(FIVE)]
    for prompt, row in zip(prompts, values(engine.read(prompts, FIVE)), strict=True):
        with torch.no_grad():
            logprobs = model(torch.tensor([chat.tokens(prompt)])).logits[0, -1].double().log_softmax(-1)
        assert row == pytest.approx(logprobs[ids].tolist(), abs=CLOSE)


# -- texts ----------------------------------------------------------------------------------------------------------


def test_generation_is_greedy(engine: TransformersEngine, tiny_qwen: Path, prompts: list[Prompt]) -> None:
    model = transformers.AutoModelForCausalLM.from_pretrained(tiny_qwen, dtype=torch.float32)
    chat = Chat(transformers.AutoTokenizer.from_pretrained(tiny_qwen), "tiny")
    for prompt, reading in zip(prompts[:3], engine.generate(prompts[:3], 12), strict=True):
        tokens = chat.tokens(prompt)
        made = model.generate(torch.tensor([tokens]), max_new_tokens=12, do_sample=False)[0, len(tokens):].tolist()
        made = made[:made.index(2)] if 2 in made else made
        assert reading.text == chat.text(made)
        assert reading.generated == len(made)


def test_samples_follow_the_seed_and_the_distribution(engine: TransformersEngine, prompts: list[Prompt]) -> None:
    a, b = engine.sample(prompts[:2], 5, seed=3), engine.sample(prompts[:2], 5, seed=3)
    assert [r.samples for r in a] == [r.samples for r in b]
    assert a[0].samples != engine.sample(prompts[:1], 5, seed=4)[0].samples
    assert all(len(r.samples) == 5 and r.generated <= 30 for r in a)


# -- the judge around it --------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*of the probability fell on the answers")
def test_posh_runs_on_it(tiny_qwen: Path) -> None:
    judge = make_judge(f"transformers:{tiny_qwen}", device="cpu", scale="yes-no", threshold=1.0)
    score = PoSh(judge=judge).score("A red lamp hangs over a table.", "A lamp above a wooden table.")
    asked = [c for c in score.components if c.score is not None]
    assert asked
    assert all(1 <= c.score <= 5 for c in asked if c.score is not None)
    assert "transformers tiny-qwen3 sha256:" in str(score.signature)
    assert str(tiny_qwen.parent) not in str(score.signature)
    assert judge.usage.prompts > 0  # type: ignore[attr-defined]
    assert 0 < judge.usage.cached < judge.usage.tokens  # type: ignore[attr-defined]


def test_identity_follows_the_files_and_the_settings(tiny_qwen: Path, altered: Callable[..., Path]) -> None:
    first = TransformersEngine(tiny_qwen, device="cpu")
    assert first.identity == TransformersEngine(tiny_qwen, device="cpu").identity
    assert "dtype:float32 device:cpu" in first.identity
    assert f"torch:{torch.__version__.partition('+')[0]}" in first.identity
    assert "dtype:bfloat16" in TransformersEngine(tiny_qwen, device="cpu", dtype="bfloat16").identity
    before, after = locate(tiny_qwen), locate(altered(rope_theta=12345.0))
    assert before.identity.split("sha256:")[1] != after.identity.split("sha256:")[1]


def test_context_comes_from_the_configuration(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "short", context=64, layers=1)
    judge = transformers_judge(folder, device="cpu")
    assert judge.engine.context == 64
    with pytest.raises(JudgeError, match=r'pair ".*the prompt has \d+ tokens .* more than the 64 of the model'):
        PoSh(judge=judge).score("A lamp hangs over a table.", "A lamp above a table. " * 20)
    assert judge.usage.prompts == 0  # nothing was sent
    assert transformers_judge(folder, device="cpu", context=32).engine.context == 32


def test_a_hub_model_is_fixed_to_its_commit(tiny_qwen: Path, tmp_path: Path, monkeypatch: Any) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    repository = tmp_path / "models--someone--tiny"
    snapshot = repository / "snapshots" / commit
    snapshot.mkdir(parents=True)
    for file in tiny_qwen.iterdir():
        (snapshot / file.name).write_bytes(file.read_bytes())
    (repository / "refs").mkdir()
    for ref in ("main", "v1"):
        (repository / "refs" / ref).write_text(commit, encoding="utf-8")
    import huggingface_hub.constants as constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    for revision in (None, "v1", commit):
        found = locate("someone/tiny", revision)
        assert found.revision == commit
        assert found.identity == "someone/tiny rev:0123456789ab"
    with pytest.raises(JudgeError, match=r"no model of that name can be had from the hub at revision 'v2'"):
        locate("someone/tiny", "v2")


# -- what is refused ------------------------------------------------------------------------------------------------


def refused(make: Callable[[], object], kind: type[Exception], match: str) -> None:
    with pytest.raises(kind, match=match) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_models_that_cannot_answer_are_named(
    tiny_qwen: Path, tmp_path: Path, altered: Callable[..., Path], monkeypatch: Any
) -> None:
    import huggingface_hub.constants as constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    refused(lambda: transformers_judge(tmp_path / "nowhere"), JudgeError, "no folder")
    refused(lambda: transformers_judge("someone/nothing-of-that-name"), JudgeError, "no model of that name can be had")
    (tmp_path / "empty").mkdir()
    refused(lambda: transformers_judge(tmp_path / "empty"), JudgeError, "no config.json")
    refused(lambda: transformers_judge(tiny_qwen, revision="main"), InputError, "a folder is known by its content")
    refused(lambda: transformers_judge(tiny_qwen, dtype="int3"), InputError, "dtype must be one of")
    refused(lambda: transformers_judge(tiny_qwen, device="toaster"), InputError, "device must be")
    if not torch.cuda.is_available():
        refused(lambda: transformers_judge(tiny_qwen, device="cuda"), JudgeError, "sees no CUDA device")
    silent = make_model(tmp_path / "silent", template=None, layers=1)
    refused(lambda: transformers_judge(silent, device="cpu"), JudgeError, "no chat template")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "t5", "architectures": ["T5ForConditionalGeneration"]}, "is no causal language model"),
        ({"model_type": "bert", "architectures": ["BertForMaskedLM"]}, "BertForMaskedLM is no causal language model"),
        ({"model_type": "no-such-kind"}, "cannot be loaded by AutoConfig"),
        ({"model_type": "x", "auto_map": {"AutoConfig": "code.Config"}}, "cannot be loaded by AutoConfig"),
    ],
    ids=["encoder-decoder", "masked", "unknown", "foreign-code"],
)
def test_kinds_that_are_no_judge_are_refused(
    change: dict[str, object], message: str, altered: Callable[..., Path]
) -> None:
    folder = altered(**change)
    (folder / "code.py").write_text("raise SystemExit('foreign code was run')", encoding="utf-8")
    refused(lambda: transformers_judge(folder, device="cpu"), JudgeError, message)


def test_broken_weights_are_refused(altered: Callable[..., Path]) -> None:
    folder = altered()
    (folder / "model.safetensors").write_bytes(b"\x00" * 20)
    refused(lambda: transformers_judge(folder, device="cpu"), JudgeError, "cannot be loaded by AutoModelForCausalLM")


@pytest.mark.parametrize(
    ("template", "message"),
    [("{{ raise_exception('no system role') }}", "cannot be used"), ("hello", "does not show the user's message")],
)
def test_templates_that_cannot_be_used_are_refused(template: str, message: str) -> None:
    refused(lambda: Chat(make_tokenizer(template), "tiny"), JudgeError, message)


def test_a_vocabulary_without_the_answers_is_refused() -> None:
    tokenizer: Any = make_tokenizer()
    refused(lambda: Chat(tokenizer, "tiny", vocabulary=20).answer_tokens(FIVE), JudgeError, "lacks a token")
