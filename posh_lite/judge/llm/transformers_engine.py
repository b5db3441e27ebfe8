"""The engine "transformers": a causal model in this process, on the CPU or on one GPU.

``pip install "posh-lite[transformers]"``. It reads the whole distribution at the first answer token (PoSh paper,
section "Experiments"). Run for the tests on the CPU with tiny random models; on CUDA it was not run.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from posh_lite.errors import InputError, JudgeError
from posh_lite.judge.check import check_whole
from posh_lite.judge.llm.answers import Answers
from posh_lite.judge.llm.chat import Chat
from posh_lite.judge.llm.continued import Continuing
from posh_lite.judge.llm.engine import Prompt, Reading
from posh_lite.judge.llm.judge import LanguageJudge
from posh_lite.judge.llm.torch_session import TorchSession
from posh_lite.judge.llm.weights import Source, load, locate

_DTYPES = ("auto", "float32", "bfloat16", "float16")


class TransformersEngine(Continuing):
    """A causal language model, its chat template, and its answers.

    Code that comes with a model is never run.

    Args:
        model: a folder, or the name of a model on the hub.
        revision: commit, tag or branch of the hub; what it stood for is part of the identity.
        device: "auto" is "cuda" where there is one, else "cpu".
        dtype: of the weights; "auto" is the checkpoint's own on a GPU and float32 on the CPU, where half precision
            is slow.
        context: most tokens of prompt and answer; by default what the model was made for.
        reuse: whether what prompts share at their beginning is computed once; without, for checking, all is
            computed anew.

    Raises:
        InputError: a setting is out of range.
        JudgeError: no such model, not a causal one, or one without a chat template.
    """

    name = "transformers"

    def __init__(
        self, model: str | Path, *, revision: str | None = None, device: str = "auto", dtype: str = "auto",
        context: int | None = None, reuse: bool = True,
    ) -> None:
        import torch
        import transformers

        if dtype not in _DTYPES:
            raise InputError(f"dtype must be one of {', '.join(_DTYPES)}, got {dtype!r}")
        place = _device(device)
        check_whole("context", context, optional=True)
        if not isinstance(reuse, bool):
            raise InputError(f"reuse must be true or false, got {reuse!r}")
        source = locate(model, revision)
        config = load(source, transformers.AutoConfig)
        _check_causal(config, source)
        wanted: Any = ("auto" if place.type != "cpu" else torch.float32) if dtype == "auto" else getattr(torch, dtype)
        tokenizer = load(source, transformers.AutoTokenizer)
        loaded = load(source, transformers.AutoModelForCausalLM, dtype=wanted).to(place).eval()
        self.session = TorchSession(loaded, reuse=reuse)
        text = config.get_text_config()
        self.context: int | None = context or getattr(text, "max_position_embeddings", None)
        self._chat = Chat(tokenizer, source.label, getattr(text, "vocab_size", None))
        self._ends = _ends(loaded, tokenizer)
        attention = getattr(loaded.config, "_attn_implementation", None) or "eager"
        versions = f"transformers:{transformers.__version__} torch:{torch.__version__.partition('+')[0]}"
        self.identity = (
            f"{source.identity} dtype:{str(loaded.dtype).removeprefix('torch.')} device:{place.type}"
            f" attention:{attention} {versions}"
        )

    # -- the contract ---------------------------------------------------------------------------------------

    def count(self, prompt: Prompt) -> int | None:
        """Length in tokens, template included."""
        return len(self._chat.tokens(prompt))

    def read(self, prompts: Sequence[Prompt], answers: Answers) -> list[Reading]:
        """Log probabilities of all answer tokens over the whole vocabulary."""
        import torch

        wanted = self._chat.answer_tokens(answers)
        readings: list[Reading] = []
        for group in self._chat.groups(prompts):
            layers, computed = self.session.begin(group.beginning)
            start = len(group.beginning) if layers else 0
            ids = torch.tensor([token for token, _ in wanted])
            found: dict[int, Reading] = {}
            for part, logits in self.session.ends(layers, start, [tokens[start:] for tokens in group.members]):
                logits = logits.double()
                chosen = logits[:, ids.to(logits.device)] - logits.logsumexp(-1, keepdim=True)
                for i, values, top in zip(part, chosen.tolist(), logits.argmax(-1).tolist(), strict=True):
                    found[i] = Reading(
                        tuple((text, value) for (_, text), value in zip(wanted, values, strict=True)),
                        self._chat.piece(top), len(group.members[i]), start - (computed if i == 0 else 0), 1,
                    )
            readings += [found[i] for i in range(len(group.members))]
        return readings

    def _follow(self, prompt: Prompt, n: int, most: int, choose: Any) -> tuple[list[list[int]], int, int]:
        (group,) = self._chat.groups([prompt])
        (tokens,) = group.members
        layers, computed = self.session.begin(group.beginning)
        start = len(group.beginning) if layers else 0
        made = self.session.follow(tokens, layers, start, n, most, choose, self._ends.__contains__)
        return made, len(tokens), start - computed

    def _text(self, tokens: Sequence[int]) -> str:
        return self._chat.text(tokens)

    def _weights(self, logits: Any) -> NDArray[np.float64]:
        weights: NDArray[np.float64] = logits.double().softmax(-1).cpu().numpy()
        return weights


def transformers_judge(
    model: str | Path, *, revision: str | None = None, device: str = "auto", dtype: str = "auto",
    context: int | None = None, reuse: bool = True, **settings: Any,
) -> LanguageJudge:
    """A judge from a causal model; see :class:`TransformersEngine`, and :class:`LanguageJudge` for further settings."""
    engine = TransformersEngine(model, revision=revision, device=device, dtype=dtype, context=context, reuse=reuse)
    return LanguageJudge(engine, **settings)


def _device(name: str) -> Any:
    import torch

    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise InputError(f'device must be "auto", "cpu", "cuda" or such as "cuda:1", got {name!r}') from None
    if device.type == "cuda" and not torch.cuda.is_available():
        raise JudgeError(f"device {name!r}: torch sees no CUDA device here; give device=\"cpu\"")
    return device


def _check_causal(config: Any, source: Source) -> None:
    """Only a model that predicts the next token can answer."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES as CAUSAL

    classes = getattr(config, "architectures", None) or []
    makers = {name for value in CAUSAL.values() for name in ([value] if isinstance(value, str) else value)}
    known = config.model_type in CAUSAL and not getattr(config, "is_encoder_decoder", False)
    named = not classes or any(c in makers or c.endswith("ForConditionalGeneration") for c in classes)
    if not (known and named):
        what = ", ".join(classes) or config.model_type
        raise JudgeError(f"{source.label}: {what} is no causal language model; choose one that predicts the next token")


def _ends(model: Any, tokenizer: Any) -> frozenset[int]:
    """Tokens that end an answer."""
    found: set[int] = set()
    for value in (model.generation_config and model.generation_config.eos_token_id, tokenizer.eos_token_id):
        found |= set(value if isinstance(value, list) else [value]) - {None}
    return frozenset(found)
