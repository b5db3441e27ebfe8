"""Vision models by name: behind a server, or in this process through vLLM or transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from posh_lite.baselines.chat_engines import lacking, make_engine, split_model
from posh_lite.baselines.chat_types import Ask, ChatEngine, ChatReply, Keep, Sampling
from posh_lite.errors import InputError, JudgeError
from posh_lite.judge.llm.chat import one_line
from posh_lite.judge.llm.weights import locate

#: What options of the command set, and ``extra`` may only leave out.
_OURS = ("temperature", "top_p", "max_tokens", "seed")


def caption_engine(model: str, *, temperature: float, top_p: float, seed: int, **options: Any) -> ChatEngine:
    """An engine that is shown pictures.

    Args:
        model: a name behind a server; ``vllm:NAME`` or ``transformers:NAME`` for one in this process.
        temperature: of the sampling; 0 takes the most probable token each time.
        top_p: share of the probability that is drawn from.
        seed: of each request.
        options: of the engine, such as ``url``, ``concurrency``, ``timeout`` and ``retries`` of a server.

    Raises:
        InputError: something is lacking, or an option cannot be.
        JudgeError: the model cannot be loaded.
    """
    found = lacking(model=model, url=options.get("url"))
    if found:
        raise InputError("; ".join(found).replace("the option url", "--model-option url="))
    kind, name = split_model(model)
    if kind == "vllm":
        return VllmVision(name, top_p=top_p, seed=seed, **_known(options))
    if kind != "openai":
        if temperature:
            raise InputError(f"{kind} gives the most probable caption alone; give --temperature 0, or use a server or"
                             " vllm:MODEL")
        return make_engine(model, sees=True, **options)
    extra = options.pop("extra", None) or {}
    if not isinstance(extra, Mapping):
        raise InputError('extra must be an object, such as {"chat_template_kwargs": {"enable_thinking": false}}')
    if taken := [n for n in _OURS if extra.get(n) is not None]:
        raise InputError(f"extra cannot set {taken[0]}: give --{taken[0].replace('_', '-')} (null leaves it out)")
    drawn = {"top_p": top_p, "seed": seed} if temperature else {}
    return make_engine(model, sees=True, extra={**drawn, **extra}, **options)


def _known(options: Mapping[str, Any]) -> dict[str, Any]:
    known = {"revision", "tensor_parallel_size", "dtype", "max_model_len", "gpu_memory_utilization", "engine_args"}
    if other := sorted(set(options) - known):
        raise InputError(f'vllm has no option "{other[0]}"; it has {", ".join(sorted(known))}')
    return dict(options)


class VllmVision:
    """A vision-language model in vLLM's offline engine, which draws captions by nucleus sampling.

    Pictures are handed over as data URLs in a chat, so that the model's own template places them. Code that comes with
    a model is never run. Written for the interface of vLLM 0.30 to 0.33 and tested against a stand-in for it; it was
    not run on a GPU.

    Args:
        model: a folder, or the name of a model on the hub.
        top_p: of the sampling.
        seed: of each request.
        revision: commit, tag or branch of the hub.
        tensor_parallel_size: GPUs that share the weights.
        dtype: as vLLM's.
        max_model_len: most tokens of picture, prompt and caption.
        gpu_memory_utilization: share of a GPU's memory.
        engine_args: further keywords of ``vllm.LLM``; they become part of the identity.

    Raises:
        InputError: ``engine_args`` would run code that comes with a model.
        JudgeError: no such model, or vLLM cannot start it.
    """

    name, sees, batch = "vllm", True, 64

    def __init__(
        self, model: str, *, top_p: float, seed: int, revision: str | None = None, tensor_parallel_size: int = 1,
        dtype: str = "auto", max_model_len: int | None = None, gpu_memory_utilization: float = 0.9,
        engine_args: Mapping[str, Any] | None = None,
    ) -> None:
        further = dict(engine_args or {})
        if "trust_remote_code" in further:
            raise InputError("engine_args cannot hold trust_remote_code: code that comes with a model is never run")
        source = locate(model, revision)
        import vllm

        self._api: Any = vllm
        self.model, self._top_p, self._seed = model, top_p, seed
        try:
            self._llm = vllm.LLM(
                source.where, revision=source.revision, tokenizer_revision=source.revision, trust_remote_code=False,
                tensor_parallel_size=tensor_parallel_size, dtype=dtype, max_model_len=max_model_len,
                gpu_memory_utilization=gpu_memory_utilization, seed=seed, limit_mm_per_prompt={"image": 1}, **further,
            )
        except Exception as error:  # of many kinds: memory, devices, architectures, arguments
            raise JudgeError(f"{source.label}: vLLM cannot start it ({one_line(error)})") from None
        parts = [source.identity, f"dtype:{dtype}", f"vllm:{vllm.__version__.partition('+')[0]}",
                 *(f"{key}:{'_'.join(str(value).split())}" for key, value in sorted(further.items()))]
        self.identity = " ".join(parts)

    def reply(self, asks: Sequence[Ask], sampling: Sampling, keep: Keep) -> list[ChatReply]:
        """Captions in order; vLLM makes its own batches of them.

        Raises:
            JudgeError: vLLM could not answer.
        """
        params = self._api.SamplingParams(temperature=sampling.temperature, top_p=self._top_p if sampling.temperature
                                          else 1.0, max_tokens=sampling.most_tokens, seed=self._seed)
        chats = [[{"role": "user", "content": _content(ask)}] for ask in asks]
        try:
            made = self._llm.chat(chats, sampling_params=params, use_tqdm=False)
        except Exception as error:  # an engine that died, or a request that it refuses
            who = f'image "{asks[0].pair_id}": ' if len(asks) == 1 else ""
            raise JudgeError(f"{who}{self.model}: vLLM could not answer ({one_line(error)})") from None
        replies = []
        for number, out in enumerate(made):
            first = out.outputs[0]
            reply = ChatReply(text=first.text, tokens=len(out.prompt_token_ids or ()), cached=0,
                              generated=len(first.token_ids), cut=first.finish_reason == "length")
            keep(number, reply)
            replies.append(reply)
        return replies


def _content(ask: Ask) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = [{"type": "text", "text": ask.text}]
    if ask.picture is not None:
        shown.insert(0, {"type": "image_url", "image_url": {"url": ask.picture.url()}})
    return shown

