"""The engine "vllm": a causal model on one or several GPUs, offline (``pip install "posh-lite[gpu]"``).

The setting of the PoSh paper (section "Experiments": Qwen3-14B through vLLM). What is read are the raw log
probabilities of exactly the answer tokens (``logprob_token_ids``), so the mass that falls on them is known. Masking
the other tokens (``allowed_token_ids`` with ``processed_logprobs``) gives the same scores after renormalization but
hides the mass, which is then always 1.

Run for the tests on vLLM's CPU build with a tiny random model. CUDA, batch-invariant mode, quantization and tensor
parallel were not run.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from posh_lite.errors import InputError, JudgeError
from posh_lite.judge.check import check_whole
from posh_lite.judge.llm.answers import Answers
from posh_lite.judge.llm.chat import Chat, one_line
from posh_lite.judge.llm.engine import Prompt, Reading
from posh_lite.judge.llm.judge import LanguageJudge
from posh_lite.judge.llm.weights import load, locate

_SAMPLE_TOKENS = 6
_SWITCH = "VLLM_BATCH_INVARIANT"
#: Devices on which every vLLM of the extra's range offers the mode, and those on which some of them do.
_SURE, _POSSIBLE = (9, 0), (8, 0)
#: What this engine sets itself, or what would change what its answers mean.
_OWN = frozenset({
    "model", "tokenizer", "revision", "tokenizer_revision", "tensor_parallel_size", "dtype", "max_model_len",
    "gpu_memory_utilization", "seed", "quantization", "trust_remote_code", "logprobs_mode", "enable_prefix_caching",
})


class VllmEngine:
    """A model in vLLM's offline engine, its chat template, and its answers.

    Code that comes with a model is never run. Where vLLM starts processes of its own, a script that makes this
    engine needs the usual ``if __name__ == "__main__":``.

    Args:
        model: a folder, or the name of a model on the hub.
        revision: commit, tag or branch of the hub; the commit is part of the identity.
        tensor_parallel_size: GPUs that share the weights, at least 1.
        dtype: as vLLM's; "auto" is the checkpoint's own, and half precision for one in float32.
        max_model_len: most tokens of prompt and answer; by default what the model was made for.
        gpu_memory_utilization: share of a GPU's memory that vLLM takes, above 0 and at most 1.
        seed: of the engine.
        batch_invariant: whether an answer may not depend on what else is in the batch. "auto" follows the
            environment's VLLM_BATCH_INVARIANT where it is set, else it is on where the device certainly offers it
            (compute capability 9.0 or newer).
        quantization: as vLLM's.
        engine_args: further keywords of ``vllm.LLM``; they become part of the identity.

    Raises:
        InputError: a setting is out of range.
        JudgeError: no such model, no chat template, a device without the mode asked for, or vLLM cannot start.
    """

    name = "vllm"

    def __init__(
        self, model: str | Path, *, revision: str | None = None, tensor_parallel_size: int = 1, dtype: str = "auto",
        max_model_len: int | None = None, gpu_memory_utilization: float = 0.9, seed: int = 0,
        batch_invariant: bool | Literal["auto"] = "auto", quantization: str | None = None,
        engine_args: Mapping[str, Any] | None = None,
    ) -> None:
        further = dict(engine_args or {})
        _check(tensor_parallel_size, gpu_memory_utilization, batch_invariant, further)
        source = locate(model, revision)
        os.environ.setdefault("VLLM_LOGGING_LEVEL", "WARNING")
        invariant = _switch_batch_invariance(batch_invariant)
        import vllm
        from transformers import AutoTokenizer

        self._api: Any = vllm
        if not hasattr(vllm.SamplingParams, "logprob_token_ids"):
            raise JudgeError(f"vLLM {vllm.__version__} gives no probabilities of chosen tokens; install a newer one")
        tokenizer = load(source, AutoTokenizer)
        Chat(tokenizer, source.label)  # refuse a model without template before the weights are loaded
        try:
            self._llm = vllm.LLM(
                source.where, revision=source.revision, tokenizer_revision=source.revision, trust_remote_code=False,
                tensor_parallel_size=tensor_parallel_size, dtype=dtype, max_model_len=max_model_len,
                gpu_memory_utilization=gpu_memory_utilization, seed=seed, quantization=quantization,
                logprobs_mode="raw_logprobs", enable_prefix_caching=True, **further,
            )
        except Exception as error:  # of many kinds: memory, devices, architectures, arguments
            raise JudgeError(f"{source.label}: vLLM cannot start it ({one_line(error)})") from None
        config = self._llm.llm_engine.model_config
        self.context: int | None = int(config.max_model_len)
        self._chat = Chat(tokenizer, source.label, config.get_vocab_size())
        device = self._llm.llm_engine.vllm_config.device_config.device_type
        parts = [
            source.identity, f"dtype:{str(config.dtype).removeprefix('torch.')}", f"device:{device}",
            f"tensor-parallel:{tensor_parallel_size}", f"quantization:{config.quantization or 'none'}",
            f"batch-invariant:{'on' if invariant else 'off'}", "prefix-caching:on", f"seed:{seed}",
            f"vllm:{vllm.__version__.partition('+')[0]}",
            *(f"{key}:{'_'.join(str(value).split())}" for key, value in sorted(further.items())),
        ]
        self.identity = " ".join(parts)

    # -- the contract ---------------------------------------------------------------------------------------

    def count(self, prompt: Prompt) -> int | None:
        """Length in tokens, template included."""
        return len(self._chat.tokens(prompt))

    def read(self, prompts: Sequence[Prompt], answers: Answers) -> list[Reading]:
        """Log probabilities of all answer tokens over the whole vocabulary."""
        wanted = self._chat.answer_tokens(answers)
        readings = []
        for out in self._run(prompts, temperature=0.0, max_tokens=1, logprob_token_ids=[t for t, _ in wanted]):
            first = out.outputs[0]
            found = first.logprobs[0]
            readings.append(Reading(
                tuple((text, float(found[token].logprob)) for token, text in wanted if token in found),
                self._chat.piece(first.token_ids[0]), len(out.prompt_token_ids), out.num_cached_tokens or 0, 1,
            ))
        return readings

    def sample(self, prompts: Sequence[Prompt], n: int, seed: int) -> list[Reading]:
        """Short answers drawn at temperature 1."""
        readings = []
        how = {"temperature": 1.0, "top_p": 1.0, "top_k": 0, "max_tokens": _SAMPLE_TOKENS, "n": n, "seed": seed}
        for out in self._run(prompts, **how):
            texts = tuple(self._chat.text(o.token_ids) for o in sorted(out.outputs, key=lambda o: o.index))
            made = sum(len(o.token_ids) for o in out.outputs)
            readings.append(Reading((), texts[0], len(out.prompt_token_ids), out.num_cached_tokens or 0, made, texts))
        return readings

    def generate(self, prompts: Sequence[Prompt], max_tokens: int) -> list[Reading]:
        """The most probable continuation of each prompt."""
        return [
            Reading(
                (), self._chat.text(out.outputs[0].token_ids), len(out.prompt_token_ids), out.num_cached_tokens or 0,
                len(out.outputs[0].token_ids),
            )
            for out in self._run(prompts, temperature=0.0, max_tokens=max_tokens)
        ]

    def _run(self, prompts: Sequence[Prompt], **how: Any) -> list[Any]:
        """All prompts at once: vLLM makes its own batches, and keeps what they share."""
        requests = [{"prompt_token_ids": self._chat.tokens(p)} for p in prompts]
        try:
            return list(self._llm.generate(requests, self._api.SamplingParams(**how), use_tqdm=False))
        except Exception as error:  # an engine that died, or a request that it refuses
            raise JudgeError(f"{self.identity}: vLLM could not answer ({one_line(error)})") from None


def vllm_judge(
    model: str | Path, *, revision: str | None = None, tensor_parallel_size: int = 1, dtype: str = "auto",
    max_model_len: int | None = None, gpu_memory_utilization: float = 0.9, seed: int = 0,
    batch_invariant: bool | Literal["auto"] = "auto", quantization: str | None = None,
    engine_args: Mapping[str, Any] | None = None, **settings: Any,
) -> LanguageJudge:
    """A judge in vLLM; see :class:`VllmEngine`, and :class:`LanguageJudge` for further settings.

    ``seed`` is the engine's and that of samples.
    """
    engine = VllmEngine(
        model, revision=revision, tensor_parallel_size=tensor_parallel_size, dtype=dtype, max_model_len=max_model_len,
        gpu_memory_utilization=gpu_memory_utilization, seed=seed, batch_invariant=batch_invariant,
        quantization=quantization, engine_args=engine_args,
    )
    return LanguageJudge(engine, seed=seed, **settings)


def _check(parallel: int, share: float, invariant: object, further: Mapping[str, Any]) -> None:
    check_whole("tensor_parallel_size", parallel)
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1:
        raise InputError(f"gpu_memory_utilization must be above 0 and at most 1, got {share!r}")
    if invariant not in (True, False, "auto"):
        raise InputError(f'batch_invariant must be "auto", true or false, got {invariant!r}')
    if own := sorted(_OWN & set(further)):
        raise InputError(f"engine_args cannot hold {', '.join(own)}: these are options of the judge, or fixed by it")


def _switch_batch_invariance(wanted: bool | Literal["auto"]) -> bool:
    """Set the switch in the environment, where vLLM reads it as its kernels are imported; returns its state."""
    if wanted == "auto" and _SWITCH in os.environ:
        return os.environ[_SWITCH].strip() not in ("", "0")
    device = _capability()
    if wanted is True and (device is None or device < _POSSIBLE):
        has = "no NVIDIA GPU" if device is None else f"compute capability {device[0]}.{device[1]}"
        raise JudgeError(f"batch_invariant=true needs a GPU of compute capability 8.0 or newer, and here is {has}")
    state = device is not None and device >= _SURE if wanted == "auto" else wanted
    os.environ[_SWITCH] = "1" if state else "0"
    return state


def _capability() -> tuple[int, int] | None:
    """Compute capability of the first NVIDIA GPU, asked of the driver; None where there is none."""
    from vllm.platforms import current_platform

    found = current_platform.get_device_capability() if current_platform.is_cuda() else None
    return None if found is None else (int(found.major), int(found.minor))
