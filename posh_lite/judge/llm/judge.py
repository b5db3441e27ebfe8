"""The judge around a language model: prompts in, verdicts out, and what it took."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence

from posh_lite.errors import InputError, JudgeError
from posh_lite.judge.check import check_whole, is_number
from posh_lite.judge.contract import Question, Unanswered, Verdict
from posh_lite.judge.lists import OF_PAIR
from posh_lite.judge.llm.answers import SCALES, Scale, answers_of, read_answer, read_samples, thinks
from posh_lite.judge.llm.engine import Engine, Prompt, Reading
from posh_lite.judge.llm.packed import LINE_TOKENS, ListReader, ask_bundles, bundles, list_digest
from posh_lite.judge.llm.usage import Usage
from posh_lite.judge.rewrite import Rewrite

#: Tokens left for the answer when a prompt is held against the context.
_ROOM = 8
_REWRITE_TOKENS = 40
#: Answers without one that can be read, after which a model is taken to be no judge on this scale.
_PATIENCE = 32


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
        pack: the most questions about one text of a pair in one prompt. From 2 on an answer depends on the questions
            beside it (:mod:`posh_lite.judge.llm.packed`): on the pair, not on batches or on what a log knows.
        chained: whether the answer to a question of such a list is read after the model's own answers to those
            before it, or as if it were the first.

    Attributes:
        usage: prompts, tokens and seconds so far.
        n_low_mass: verdicts whose mass was below the floor.
        n_unanswered: questions that a failed server left unanswered.

    Raises:
        InputError: a setting is out of range.
    """

    structural = False  # reads the prompt alone

    def __init__(
        self, engine: Engine, *, scale: Scale = "1-5", threshold: float = 2.0, samples: int = 8, seed: int = 0,
        mass_floor: float = 0.5, rewrites: bool = False, batch_size: int = 64,
        pack: int = 1, chained: bool = True,
    ) -> None:
        if scale not in SCALES:
            raise InputError(f'scale must be one of {", ".join(SCALES)}, got {scale!r}')
        if not is_number(threshold) or not 1 <= threshold <= 5:
            raise InputError(f"threshold must be a number between 1 and 5, got {threshold!r}")
        if not is_number(mass_floor) or not 0 <= mass_floor <= 1:
            raise InputError(f"mass_floor must be a probability, got {mass_floor!r}")
        for name, value in (("samples", samples), ("batch_size", batch_size), ("pack", pack)):
            check_whole(name, value)
        check_whole("seed", seed, least=0)
        for name, value in (("rewrites", rewrites), ("chained", chained)):
            if not isinstance(value, bool):
                raise InputError(f"{name} must be true or false, got {value!r}")
        if pack > 1 and scale == "sampled":
            raise InputError("pack puts several questions into one prompt, which sampled answers cannot be told for")
        self.engine, self.scale, self.answers = engine, scale, answers_of(scale)
        self.presence_threshold = float(threshold)
        self.samples, self.seed, self.mass_floor = samples, seed, float(mass_floor)
        self.rewrites, self.batch_size = rewrites, batch_size
        self.pack, self.chained = pack, chained
        self.usage = Usage()
        self.n_low_mass = self.n_unanswered = 0
        self._probed, self._unread = False, 0

    @property
    def signature(self) -> str:
        """Engine, model and everything that can change an answer."""
        how = f" samples:{self.samples} seed:{self.seed}" if self.scale == "sampled" else ""
        more = " rewrites" if self.rewrites else ""
        if self.pack > 1:
            more += f" pack:{self.pack} {OF_PAIR} list:{list_digest()}" + ("" if self.chained else " apart")
        return f"{self.engine.name} {self.engine.identity} scale:{self.scale}{how}{more}"

    # -- questions ------------------------------------------------------------------------------------------

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Answer every question, in order; the questions of one side of a pair are sent together.

        Raises:
            JudgeError: a prompt does not fit the model's context, or the model cannot serve as a judge.
        """
        if self.pack > 1:
            return self._ask_packed(questions)
        prompts = [as_prompt(q) for q in questions]
        groups = _by_shared(prompts)
        self._fit(questions, prompts, groups)
        order = [index for group in groups for index in group]
        verdicts: list[Verdict | None] = [None] * len(prompts)
        for at in range(0, len(order), self.batch_size):
            part = order[at:at + self.batch_size]
            for index, verdict in zip(part, self._ask([prompts[i] for i in part]), strict=True):
                verdicts[index] = verdict
        return [v for v in verdicts if v is not None]

    def _ask(self, prompts: Sequence[Prompt]) -> list[Verdict]:
        start = time.perf_counter()
        if self.scale == "sampled":
            readings = self.engine.sample(prompts, self.samples, self.seed)
        else:
            readings = self.engine.read(prompts, self.answers)
        self._count(readings, prompts, start)
        verdicts = [self._verdict(r) for r in readings]
        self._probe(readings, verdicts)
        self._look(verdicts)
        return verdicts

    def _ask_packed(self, questions: Sequence[Question]) -> list[Verdict]:
        found = bundles(questions, self.pack)
        for bundle in found:
            self._fits(questions[bundle.indices[0]], bundle.prompt, LINE_TOKENS * len(bundle.indices))
        verdicts: dict[int, Verdict] = {}
        size = max(1, self.batch_size // self.pack)
        for at in range(0, len(found), size):
            part = found[at:at + size]
            start = time.perf_counter()
            lists, readings = ask_bundles(self.engine, part, self.answers, self._verdict, chained=self.chained)
            self._count(readings, [b.prompt for b in part], start)
            written = [len(b.indices) > 1 and not isinstance(self.engine, ListReader) for b in part]
            for reading, told in zip(readings, written, strict=True):
                if told:  # such a list is read from what the model wrote, without probabilities
                    self._refuse_thinking(reading)
            said = [v for own in lists for v in own]
            self._probe([r for r, told in zip(readings, written, strict=True) if not told], said)
            self._look(said)
            for bundle, own in zip(part, lists, strict=True):
                verdicts.update(zip(bundle.indices, own, strict=True))
        return [verdicts[i] for i in range(len(questions))]

    def _look(self, verdicts: Sequence[Verdict]) -> None:
        """Count what is odd about answers, and warn once."""
        masses = [v.mass for v in verdicts if not v.missing and v.mass is not None and v.mass < self.mass_floor]
        if masses and not self.n_low_mass:
            warnings.warn(
                f"{self.signature}: only {min(masses):.0%} of the probability fell on the answers of the scale"
                f" {self.scale} (floor {self.mass_floor:.0%}); does the model follow the prompt?", stacklevel=2,
            )
        self.n_low_mass += len(masses)
        self.n_unanswered += sum(isinstance(v, Unanswered) for v in verdicts)

    def _count(self, readings: Sequence[Reading], prompts: Sequence[Prompt], start: float) -> None:
        self.usage.add(readings, time.perf_counter() - start)
        if len(readings) != len(prompts):
            raise JudgeError(f"{self.signature}: {len(readings)} answers came back for {len(prompts)} prompts")

    def _verdict(self, reading: Reading) -> Verdict:
        if reading.fault:
            return Unanswered(None, raw=reading.fault)
        if self.scale == "sampled":
            return read_samples(reading.samples)
        return read_answer(reading.candidates, self.answers, reading.text)

    def _probe(self, readings: Sequence[Reading], verdicts: Sequence[Verdict]) -> None:
        """Find out at the first answer, not after ten thousand, that a model does not answer as it must."""
        first = next((r for r in readings if not r.fault), None)
        if self._probed or first is None:
            return
        self._refuse_thinking(first)
        if self.scale == "sampled" and not first.samples:
            raise JudgeError(f"{self.signature}: no samples came back for the first question")
        if self.scale != "sampled" and not first.candidates:
            raise JudgeError(
                f"{self.signature}: no token probabilities came back with the first answer; start the server with"
                " logprobs, or ask for samples instead: --scale sampled"
            )
        self._probed = any(not v.missing for v in verdicts)
        self._unread += 0 if self._probed else sum(not isinstance(v, Unanswered) for v in verdicts)
        if self._unread >= _PATIENCE:
            said = first.text.strip()[:40] or next((t for t, _ in first.candidates), "")
            raise JudgeError(
                f"{self.signature}: none of the first {self._unread} answers is one of the scale {self.scale};"
                f" the model says {said!r}; try another --scale, or another model"
            )

    def _refuse_thinking(self, reading: Reading) -> None:
        likely = max(reading.candidates, key=lambda c: c[1], default=("", 0.0))[0]
        for said in (reading.text, likely, *reading.samples):
            if thinks(said):
                raise JudgeError(
                    f"{self.signature}: the model thinks before it answers ({said.strip()[:40]!r}); switch thinking off"
                    f" in the server or in the chat template{getattr(self.engine, 'no_thinking', '')}, or choose a"
                    " model that answers at once"
                )

    def _fit(self, questions: Sequence[Question], prompts: Sequence[Prompt], groups: Sequence[Sequence[int]]) -> None:
        """Every prompt must fit the context, before anything is sent; only those that might not are all counted."""
        if self.engine.context is None:
            return
        for group in groups:
            longest = max(group, key=lambda i: len(prompts[i].text))
            tokens = self._fits(questions[longest], prompts[longest])
            if tokens is None:
                continue
            for i in group:  # fewer characters may still be more tokens, though never more than bytes
                size = len(questions[i].text.encode("utf-8", "surrogatepass"))
                if i != longest and tokens + size + _ROOM > self.engine.context:
                    self._fits(questions[i], prompts[i])

    def _fits(self, question: Question, prompt: Prompt, room: int = _ROOM) -> int | None:
        """Length of the prompt in tokens where the engine tells it."""
        tokens, context = self.engine.count(prompt), self.engine.context
        if tokens is not None and context is not None and tokens + room > context:
            target = len(question.target_text)
            source = 0 if question.source is None else len(question.source.text)
            raise JudgeError(
                f'pair "{question.pair_id}", {question.side}: the prompt has {tokens:,} tokens (target text'
                f" {target:,} characters, source text {source:,}), with the answer more than the {context:,} of the"
                f" model's context ({self.engine.name}); raise the context or leave the pair out: nothing is cut off"
            )
        return tokens

    # -- identifiers ----------------------------------------------------------------------------------------

    def rewrite(self, requests: Sequence[Rewrite]) -> list[str | None]:
        """Phrases as the model would say them; the metric checks them and falls back to its own."""
        prompts = [Prompt(r.prompt) for r in requests]
        start = time.perf_counter()
        readings = self.engine.generate(prompts, _REWRITE_TOKENS)
        self._count(readings, prompts, start)
        return ["" if r.fault else r.text.strip() or None for r in readings]


def as_prompt(question: Question) -> Prompt:
    """The question as an engine gets it; what stands before the question itself is shared."""
    at = question.prompt.rfind(question.text) if question.text else -1
    return Prompt(question.prompt, max(at, 0), question.pair_id)


def _by_shared(prompts: Sequence[Prompt]) -> list[list[int]]:
    """Indices of the prompts about the same texts, together; otherwise as they came."""
    groups: dict[str, list[int]] = {}
    for index, prompt in enumerate(prompts):
        groups.setdefault(prompt.text[: prompt.shared], []).append(index)
    return list(groups.values())
