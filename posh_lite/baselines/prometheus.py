"""The row Prometheus: an open model trained to grade by a rubric, from the reference alone.

Absolute grading (Kim et al., 2023): the model reads an instruction, a response, a reference answer and a rubric, writes
feedback, and ends with "[RESULT]" and a grade from 1 to 5. The PoSh paper prints neither its rubrics nor how many there
were, so ours has one for each dimension; ``rubrics=("overall",)`` asks once and gives that grade three times.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from posh_lite.baselines.asked_core import Asker, Said, needs_of, signature_of
from posh_lite.baselines.asked_prompts import load_asked
from posh_lite.baselines.asked_row import AskingRow
from posh_lite.baselines.chat_engines import make_engine
from posh_lite.baselines.chat_types import Ask, ChatReply, Sampling
from posh_lite.baselines.reply import read_result
from posh_lite.benchmarks.contract import DIMENSIONS
from posh_lite.errors import InputError
from posh_lite.judge.check import check_whole
from posh_lite.records import Pair

#: The mixture of experts of the paper's table, as the hub names it.
MODEL = "prometheus-eval/prometheus-8x7b-v2.0"
_WANTED = {
    "ask.reference": frozenset({"generation", "reference", "rubric"}),
    **{f"rubric.{d}": frozenset[str]() for d in DIMENSIONS},
}


class Prometheus(AskingRow):
    """Grades from 1 to 5 by rubrics, higher is better.

    Args:
        model: behind a server its name there, or ``gguf:FILE``, ``transformers:MODEL``, ``vllm:MODEL``.
        rubrics: all three dimensions, one question each, or one of them, whose grade then stands for all.
        prompts: a TOML file instead of the package's own.
        log, most_tokens, progress, engine: as :class:`~posh_lite.baselines.asked.Asked`.

    Attributes:
        name, needs, signature: as :class:`~posh_lite.metric.protocol.Metric`.
        n_missing: pairs without one of their grades in the last call.

    Raises:
        InputError, JudgeError: a setting is out of range, or the engine cannot be made.
    """

    def __init__(
        self, model: str = MODEL, *, rubrics: Sequence[str] = DIMENSIONS, prompts: str | Path | None = None,
        log: str | Path | None = None, most_tokens: int = 1024, progress: bool | None = None, **engine: Any,
    ) -> None:
        wanted = (rubrics,) if isinstance(rubrics, str) else tuple(rubrics)
        if set(wanted) != set(DIMENSIONS) and (len(wanted) != 1 or wanted[0] not in DIMENSIONS):
            raise InputError(f"rubrics must be {', '.join(DIMENSIONS)}, or one of them, got {rubrics!r}")
        check_whole("most_tokens", most_tokens)
        self.rubrics = wanted
        self.prompts = load_asked("prometheus.toml", _WANTED, prompts)
        self.sampling = Sampling(0.0, most_tokens)
        self.asker = Asker(make_engine(model, **engine), log=log, label="prometheus", progress=progress)
        self.name = "prometheus" if model == MODEL else f"prometheus:{self.asker.engine.model}"
        self.needs = needs_of("reference", model, hosted=False)
        self.n_missing = 0

    @property
    def signature(self) -> str:
        """Everything that a figure depends on."""
        return signature_of(
            "prometheus", self.asker, rubrics=",".join(self.rubrics), prompts=self.prompts.digest[:12],
            sampling=self.sampling.signature,
        )

    def _asks(self, pair: Pair) -> list[Ask]:
        return [self._ask(pair, rubric) for rubric in self.rubrics]

    def _ask(self, pair: Pair, rubric: str) -> Ask:
        text = self.prompts.message(
            "ask.reference", generation=pair.generation, reference=pair.reference,
            rubric=self.prompts.templates[f"rubric.{rubric}"],
        )
        return Ask(text, pair_id=pair.id)

    def _readable(self, reply: ChatReply) -> bool:
        return self._grade(reply) is not None

    def _grade(self, reply: ChatReply) -> float | None:
        return read_result(reply.text, self.prompts.scale, cut=reply.cut)

    def _said(self, pair: Pair, replies: Sequence[ChatReply]) -> Said:
        grades = {rubric: self._grade(reply) for rubric, reply in zip(self.rubrics, replies, strict=True)}
        lost = [rubric for rubric, grade in grades.items() if grade is None]
        failed = next((r.fault for r in replies if r.fault), "")
        scores: dict[str, float | None] = {d: grades[d if d in grades else self.rubrics[0]] for d in DIMENSIONS}
        fault = failed or (f"no grade from 1 to 5 after [RESULT] for {', '.join(lost)}" if lost else "")
        return Said(pair.id, scores, tuple(r.text for r in replies), fault)
