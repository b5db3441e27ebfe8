"""The judge around a language model: prompts in, verdicts out, and what it took."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence

from posh_lite.errors import InputError, JudgeError
from posh_lite.judge.check import is_number
from posh_lite.judge.contract import Question, Verdict
from posh_lite.judge.llm.answers import SCALES, Scale, answers_of, read_answer, read_samples
from posh_lite.judge.llm.engine import Engine, Prompt, Reading
from posh_lite.judge.llm.usage import Usage
from posh_lite.judge.rewrite import Rewrite

#: Tokens left for the answer when a prompt is held against the context.
_ROOM = 8
_REWRITE_TOKENS = 40
_THINKING = ("<think", "<reason", "<|channel", "<seed:think")


class LanguageJudge:
    """Asks a language model every question and reads its first answer token (PoSh paper, section "Experiments").

    Args:
        engine: how the model is run.
        scale: "1-5" reads the probabilities of five digits, "yes-no" those of two words (1 and 5 on the scale),
            "sampled" counts sampled digits, for servers that give no probabilities.
        threshold: score from which on an entity is present; the paper's is 2. A small model needs its own:
            ``posh-lite calibrate``.
        samples: answers drawn for each question on the scale "sampled".
        seed: of these draws.
        mass_floor: where less probability than this falls on the answers of the scale, a warning is given.
        rewrites: whether the model also rewrites identifiers, as the paper's does. Off by default, since the rules
            write fluent phrases already.
        batch_size: questions between two commits of a verdict log.

    Attributes:
        usage: prompts, tokens and seconds so far.
        n_low_mass: verdicts whose mass was below the floor.

    Raises:
        InputError: a setting is out of range.
    """

    structural = False  # reads the prompt alone

    def __init__(
        self, engine: Engine, *, scale: Scale = "1-5", threshold: float = 2.0, samples: int = 8, seed: int = 0,
        mass_floor: float = 0.5, rewrites: bool = False, batch_size: int = 64,
    ) -> None:
        if scale not in SCALES:
            raise InputError(f'scale must be one of {", ".join(SCALES)}, got {scale!r}')
        if not is_number(threshold) or not 1 <= threshold <= 5:
            raise InputError(f"threshold must be a number between 1 and 5, got {threshold!r}")
        if not is_number(mass_floor) or not 0 <= mass_floor <= 1:
            raise InputError(f"mass_floor must be a probability, got {mass_floor!r}")
        for name, value in (("samples", samples), ("batch_size", batch_size)):
            if not isinstance(value, int) or value < 1:
                raise InputError(f"{name} must be a whole number of at least 1, got {value!r}")
        self.engine, self.scale, self.answers = engine, scale, answers_of(scale)
        self.presence_threshold = float(threshold)
        self.samples, self.seed, self.mass_floor = samples, seed, float(mass_floor)
        self.rewrites, self.batch_size = rewrites, batch_size
        self.usage = Usage()
        self.n_low_mass = 0
        self._probed = False

    @property
    def signature(self) -> str:
        """Engine, model and everything that can change an answer."""
        how = f" samples:{self.samples} seed:{self.seed}" if self.scale == "sampled" else ""
        return f"{self.engine.name} {self.engine.identity} scale:{self.scale}{how}"

    # -- questions ------------------------------------------------------------------------------------------

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Answer every question, in order; the questions of one side of a pair are sent together.

        Raises:
            JudgeError: a prompt does not fit the model's context, or the model cannot serve as a judge.
        """
        questions = list(questions)
        self._fit(questions)
        order = _by_shared(questions)
        verdicts: list[Verdict | None] = [None] * len(questions)
        for at in range(0, len(order), self.batch_size):
            part = order[at:at + self.batch_size]
            for index, verdict in zip(part, self._ask([questions[i] for i in part]), strict=True):
                verdicts[index] = verdict
        return [v for v in verdicts if v is not None]

    def _ask(self, questions: Sequence[Question]) -> list[Verdict]:
        prompts = [as_prompt(q) for q in questions]
        start = time.perf_counter()
        if self.scale == "sampled":
            readings = self.engine.sample(prompts, self.samples, self.seed)
        else:
            readings = self.engine.read(prompts, self.answers)
        self.usage.add(readings, time.perf_counter() - start)
        verdicts = [self._verdict(r) for r in readings]
        if not self._probed and verdicts:
            self._probe(readings[0], verdicts[0])
        low = sum(v.mass is not None and v.mass < self.mass_floor and not v.missing for v in verdicts)
        if low and not self.n_low_mass:
            warnings.warn(
                f"{self.signature}: only {min(v.mass or 0.0 for v in verdicts if not v.missing):.0%} of the probability"
                f" fell on the answers of the scale {self.scale} (floor {self.mass_floor:.0%}); does the model follow"
                " the prompt?", stacklevel=2,
            )
        self.n_low_mass += low
        return verdicts

    def _verdict(self, reading: Reading) -> Verdict:
        if reading.fault:
            return Verdict(None, raw=reading.fault)
        if self.scale == "sampled":
            return read_samples(reading.samples)
        return read_answer(reading.candidates, self.answers, reading.text)

    def _probe(self, reading: Reading, verdict: Verdict) -> None:
        """Find out at the first question, not after ten thousand, that a model does not answer as it must."""
        said = reading.text or " ".join(t for t, _ in reading.candidates[:1]) or " ".join(reading.samples[:1])
        if said.strip().lower().startswith(_THINKING):
            raise JudgeError(
                f"{self.signature}: the model thinks before it answers ({said.strip()[:40]!r}); switch thinking off in"
                " the server or in the chat template, or choose a model that answers at once"
            )
        if self.scale != "sampled" and not reading.fault and not reading.candidates:
            raise JudgeError(
                f"{self.signature}: no token probabilities came back with the first answer; start the server with"
                " logprobs, or ask for samples instead: --scale sampled"
            )
        self._probed = not verdict.missing

    def _fit(self, questions: Sequence[Question]) -> None:
        """The longest prompt of each side of each pair must fit the context, before anything is sent."""
        context = self.engine.context
        if context is None:
            return
        longest: dict[tuple[str, str, str], Question] = {}
        for question in questions:
            key = (question.pair_id, question.side, question.target_text)
            if key not in longest or len(question.prompt) > len(longest[key].prompt):
                longest[key] = question
        for question in longest.values():
            tokens = self.engine.count(as_prompt(question))
            if tokens is not None and tokens + _ROOM > context:
                target = len(question.target_text)
                source = 0 if question.source is None else len(question.source.text)
                raise JudgeError(
                    f'pair "{question.pair_id}", {question.side}: the prompt has {tokens:,} tokens (target text'
                    f" {target:,} characters, source text {source:,}), with the answer more than the {context:,} of"
                    f" the model's context ({self.engine.name}); raise the context or leave the pair out: nothing is"
                    " cut off"
                )

    # -- identifiers ----------------------------------------------------------------------------------------

    def rewrite(self, requests: Sequence[Rewrite]) -> list[str | None]:
        """Phrases as the model would say them; the metric checks them and falls back to its own."""
        start = time.perf_counter()
        readings = self.engine.generate([Prompt(r.prompt) for r in requests], _REWRITE_TOKENS)
        self.usage.add(readings, time.perf_counter() - start)
        return [None if r.fault else r.text.strip() or None for r in readings]


def as_prompt(question: Question) -> Prompt:
    """The question as an engine gets it; what stands before the question itself is shared."""
    at = question.prompt.rfind(question.text) if question.text else -1
    return Prompt(question.prompt, max(at, 0), question.pair_id)


def _by_shared(questions: Sequence[Question]) -> list[int]:
    """Indices in an order in which questions about the same texts follow one another; otherwise as they came."""
    groups: dict[str, list[int]] = {}
    for index, question in enumerate(questions):
        prompt = as_prompt(question)
        groups.setdefault(prompt.text[: prompt.shared], []).append(index)
    return [index for group in groups.values() for index in group]
