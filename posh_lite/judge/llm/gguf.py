"""The engine "gguf": a model file in this process, through llama.cpp (``pip install "posh-lite[gguf]"``)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from posh_lite.errors import InputError, JudgeError
from posh_lite.judge.check import check_whole
from posh_lite.judge.llm.answers import Answers
from posh_lite.judge.llm.chat import fixed_day
from posh_lite.judge.llm.continued import Continuing
from posh_lite.judge.llm.engine import Prompt, Reading
from posh_lite.judge.llm.judge import LanguageJudge
from posh_lite.judge.llm.llama import SEQUENCES, LlamaSession, common


class GgufEngine(Continuing):
    """A GGUF file, its chat template, and its answers.

    Args:
        model: path of the file.
        context: most tokens of prompt and answer; by default what the model was trained for, at most 8,192.
        threads: for computing; by default all cores.
        gpu_layers: layers on a GPU, where the bindings were built for one; -1 is all.
        flash_attention: whether attention is computed by the fused kernels; None leaves it to llama.cpp, which takes
            them where it can.
        alone: compute every prompt by itself, so that its answer depends on nothing else. Otherwise rounding differs
            with the prompts that are computed together: a 1.5B model at 4 bits differed by up to 0.05 points on 1 to
            5, with fused attention and without. A verdict log keeps the first answer either way.

    Raises:
        InputError: no such file, or a setting is out of range.
        JudgeError: it cannot be loaded, or has no chat template.
    """

    name = "gguf"

    def __init__(
        self, model: str | Path, *, context: int | None = None, threads: int | None = None, gpu_layers: int = 0,
        flash_attention: bool | None = None, alone: bool = False,
    ) -> None:
        path = Path(model).expanduser()
        if not path.is_file():
            raise InputError("no such model file", path=path)
        if not isinstance(alone, bool):
            raise InputError(f"alone must be true or false, got {alone!r}")
        if flash_attention not in (None, True, False):
            raise InputError(f"flash_attention must be true or false, got {flash_attention!r}")
        check_whole("context", context, optional=True)
        check_whole("threads", threads, optional=True)
        check_whole("gpu_layers", gpu_layers, least=-1)
        self.session = LlamaSession(
            path, context=context, threads=threads, gpu_layers=gpu_layers, flash_attention=flash_attention
        )
        self.context: int | None = self.session.context
        title = self.session.metadata("general.name") or path.stem
        kind = self.session.metadata("general.file_type") or "?"
        version = metadata.version("llama-cpp-python")
        self.identity = "_".join(title.split()) + f" type:{kind} sha256:{_sha256(path)[:12]} llama-cpp-python:{version}"
        if gpu_layers:
            self.identity += f" gpu-layers:{gpu_layers}"
        self._alone = alone
        if alone:
            self.identity += " alone"
        if flash_attention is not None:
            self.identity += f" flash-attention:{'on' if flash_attention else 'off'}"
        self._before, self._after = self._template()
        self._answers: dict[str, list[tuple[int, str]]] = {}

    def _template(self) -> tuple[str, str]:
        """What the chat template puts before and after a user's message, thinking switched off."""
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter

        template = self.session.metadata("tokenizer.chat_template")
        if not template:
            raise JudgeError(f"{self.identity}: the file has no chat template: it is no model that answers questions")
        render = Jinja2ChatFormatter(template, self.session.special("eos"), self.session.special("bos"))
        vars(render)["strftime_now"] = fixed_day
        mark = "\u27eaPROMPT\u27eb"
        messages: Any = [{"role": "user", "content": mark}]
        text = render(messages=messages, enable_thinking=False).prompt
        before, found, after = text.partition(mark)
        if not found:
            raise JudgeError(f"{self.identity}: the chat template does not show the user's message")
        return before, after

    def _tokens(self, prompt: Prompt) -> list[int]:
        return self.session.tokenize(self._before + prompt.text + self._after)

    def _groups(self, prompts: Sequence[Prompt]) -> list[tuple[list[int], list[list[int]]]]:
        """Neighbours that share their beginning: its tokens, and all tokens of each prompt."""
        groups: list[tuple[list[int], list[list[int]]]] = []
        last: str | None = None
        for prompt in prompts:
            tokens, shared = self._tokens(prompt), prompt.text[: prompt.shared]
            if shared != last or not groups:
                # The last token of the beginning may run on into the ending.
                groups.append((self.session.tokenize(self._before + shared)[:-1], []))
                last = shared
            beginning, members = groups[-1]
            same = min(common(beginning, tokens), len(tokens) - 1)
            del beginning[same:]
            members.append(tokens)
        return groups

    def forget(self) -> None:
        """Drop what is kept of earlier prompts: for measuring what a way of asking costs alone."""
        self.session.forget()

    # -- the contract ---------------------------------------------------------------------------------------

    def count(self, prompt: Prompt) -> int | None:
        """Length in tokens, template included."""
        return len(self._tokens(prompt))

    def read(self, prompts: Sequence[Prompt], answers: Answers) -> list[Reading]:
        """Log probabilities of all answer tokens over the whole vocabulary."""
        wanted = self._answer_tokens(answers)
        ids = np.array([token for token, _ in wanted], dtype=np.int64)
        readings: list[Reading] = []
        for beginning, members in self._groups(prompts):
            computed = self.session.begin(beginning, whole=self._alone)
            found: dict[int, Reading] = {}

            def take(
                index: int, logits: NDArray[np.float32], *, members: list[list[int]] = members,
                computed: int = computed, beginning: list[int] = beginning, found: dict[int, Reading] = found,
            ) -> None:
                chosen = _log_softmax(logits, ids)
                cached = len(beginning) - (computed if index == 0 else 0)
                found[index] = Reading(
                    tuple((text, float(value)) for (_, text), value in zip(wanted, chosen, strict=True)),
                    self.session.piece(int(logits.argmax())), len(members[index]), cached, 1,
                )

            endings = [tokens[len(beginning):] for tokens in members]
            self.session.ends(endings, take, most=1 if self._alone else SEQUENCES)
            readings += [found[i] for i in range(len(members))]
        return readings

    def read_list(
        self, prompts: Sequence[Prompt], counts: Sequence[int], answers: Answers, *, chained: bool = True
    ) -> list[list[Reading]]:
        """Log probabilities of all answer tokens on every line of a list; the beginnings of the lines are given."""
        wanted = self._answer_tokens(answers)
        ids = np.array([token for token, _ in wanted], dtype=np.int64)
        found: list[list[Reading]] = []
        for prompt, count in zip(prompts, counts, strict=True):
            ((beginning, (tokens,)),) = self._groups([prompt])
            cached = len(beginning) - self.session.begin(beginning, whole=self._alone)
            starts = [self._line_start(number, answers, first=not chained) for number in range(1, count + 1)]
            own: list[Reading] = []

            def choose(
                number: int, logits: NDArray[np.float32], *, own: list[Reading] = own, starts: list[list[int]] = starts,
                length: int = len(tokens), cached: int = cached,
            ) -> int | None:
                chosen = _log_softmax(logits, ids)
                own.append(Reading(
                    tuple((text, float(value)) for (_, text), value in zip(wanted, chosen, strict=True)),
                    self.session.piece(int(logits.argmax())), length if number == 0 else 0,
                    cached if number == 0 else 0, len(starts[number]) + 1,
                ))
                return wanted[int(chosen.argmax())][0] if chained else None

            self.session.lines(tokens[len(beginning):], starts, choose)
            found.append(own)
        return found

    def _line_start(self, number: int, answers: Answers, *, first: bool) -> list[int]:
        """Tokens of "2: " up to where an answer begins, cut as the tokenizer cuts them before an answer."""
        before = "" if first or number == 1 else "\n"
        whole = self.session.tokenize(f"{before}{number}: {next(iter(answers.values))}")
        bos = self.session.tokenize("")  # some vocabularies put a token before every text
        tokens = whole[len(bos):-1]
        if not tokens or answers.value(self.session.piece(whole[-1])) is None:
            raise JudgeError(f"{self.identity}: an answer of {answers.scale} is several tokens to it; ask without pack")
        return tokens

    def _follow(self, prompt: Prompt, n: int, max_tokens: int, choose: Any) -> tuple[list[list[int]], int, int]:
        made: list[list[int]] = []
        ((beginning, (tokens,)),) = self._groups([prompt])
        computed = self.session.begin(beginning, whole=self._alone)
        while len(made) < n:
            part, offset = min(n - len(made), 32), len(made)

            def pick(i: int, logits: NDArray[np.float32], offset: int = offset) -> int:
                return int(choose(offset + i, logits))

            made += self.session.follow(tokens[len(beginning):], part, max_tokens, pick)
        return made, len(tokens), len(beginning) - computed

    def _text(self, tokens: Sequence[int]) -> str:
        return "".join(self.session.piece(t) for t in tokens)

    def _weights(self, logits: NDArray[np.float32]) -> NDArray[np.float64]:
        weights: NDArray[np.float64] = np.exp((logits - logits.max()).astype(np.float64))
        return weights

    def _answer_tokens(self, answers: Answers) -> list[tuple[int, str]]:
        """All tokens of the vocabulary that are an answer, with their text."""
        known = self._answers.get(answers.scale)
        if known is None:
            pieces = ((token, self.session.piece(token)) for token in range(self.session.n_vocab))
            known = [(token, text) for token, text in pieces if len(text) < 8 and answers.value(text) is not None]
            if {answers.value(text) for _, text in known} != set(answers.values.values()):
                raise JudgeError(f"{self.identity}: the vocabulary lacks a token for an answer of {answers.scale}")
            self._answers[answers.scale] = known
        return known


def gguf_judge(
    model: str | Path, *, context: int | None = None, threads: int | None = None, gpu_layers: int = 0,
    flash_attention: bool | None = None, alone: bool = False, **settings: Any,
) -> LanguageJudge:
    """A judge from a GGUF file; see :class:`GgufEngine`, and :class:`LanguageJudge` for further settings."""
    engine = GgufEngine(
        model, context=context, threads=threads, gpu_layers=gpu_layers, flash_attention=flash_attention, alone=alone
    )
    return LanguageJudge(engine, **settings)


def _log_softmax(logits: NDArray[np.float32], ids: NDArray[np.int64]) -> NDArray[np.float64]:
    """Natural log probabilities of some tokens among all."""
    top = float(logits.max())
    norm = top + float(np.log(np.exp((logits - top).astype(np.float64)).sum()))
    chosen: NDArray[np.float64] = logits[ids].astype(np.float64) - norm
    return chosen


def _sha256(path: Path) -> str:
    """Of a file; of a model in several files ("-00001-of-00003.gguf") over the hashes of all that are there."""
    split = re.fullmatch(r"(.+)-\d{5}-of-(\d{5})\.gguf", path.name)
    if split is None:
        with path.open("rb") as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()
    whole = hashlib.sha256()
    for number in range(1, int(split[2]) + 1):
        part = path.with_name(f"{split[1]}-{number:05d}-of-{split[2]}.gguf")
        if not part.is_file():
            raise InputError("a part of the model is missing", path=part)
        with part.open("rb") as handle:
            whole.update(hashlib.file_digest(handle, "sha256").digest())
    return whole.hexdigest()
