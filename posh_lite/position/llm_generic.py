"""Two more judges that ask a model: how generic a sentence is, and one mark for a whole checklist (appendix A.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from posh_lite.baselines.asked_core import Asker
from posh_lite.baselines.chat_types import Ask, Sampling
from posh_lite.baselines.reply import Scores, read_scores
from posh_lite.errors import InputError, JudgeError
from posh_lite.judge.check import check_whole
from posh_lite.position.generic import THRESHOLD, Genericity
from posh_lite.position.llm_ask import Asking, make_asker, own_prompts
from posh_lite.position.llm_verify import checklist
from posh_lite.position.types import Rubric

_GENERIC: Mapping[str, tuple[str, ...]] = {"generic": ("generic", "genericity", "score", "g", "value")}
_MARK: Mapping[str, tuple[str, ...]] = {"score": ("score", "mark", "overall", "rating", "grade")}


class _Marking(Asking):
    """Asks for one number a message."""

    def __init__(
        self, model: str, asker: Asker | None, file: str, fields: frozenset[str], prompts: str | Path | None, name: str,
        keys: Mapping[str, tuple[str, ...]], *, log: str | Path | None, most_tokens: int, progress: bool | None,
        **engine: Any,
    ) -> None:
        check_whole("most_tokens", most_tokens)
        made = asker or make_asker(model, name, log=log, progress=progress, **engine)
        super().__init__(made, own_prompts(file, {"ask.judge": fields}, prompts, scaled=True), most_tokens, name)
        self.keys = keys

    @property
    def signature(self) -> str:
        """Model, prompt and reading."""
        return self.signature_with()

    def _marks(self, asks: Sequence[Ask]) -> list[tuple[float | None, str]]:
        """The number of each reply, 0 to 1, or None and why."""

        def read(text: str, cut: bool) -> Scores:
            return read_scores(text, self.prompts.scale, keys=self.keys, cut=cut)

        key, scale = next(iter(self.keys)), self.prompts.scale
        replies = self.asker.ask(
            asks, Sampling(0.0, self.most_tokens), lambda r: read(r.text, r.cut).numbers[key] is not None
        )
        found: list[tuple[float | None, str]] = []
        for reply in replies:
            scores = read(reply.text, reply.cut)
            value = scores.numbers[key]
            share = None if value is None else (value - scale.low) / (scale.high - scale.low)
            found.append((share, reply.fault or scores.fault))
        return found


class LlmGenericity(_Marking):
    """Genericity of sentences by a language model, on the scale of the embedded judge.

    Args:
        model, asker, log, progress, engine: as :class:`~posh_lite.position.llm_rubric.LlmExtractor`.
        prompts: a file that replaces ``prompts/generic.toml``.
        threshold: score from which a sentence is generic, 0 to 1.
        most_tokens: of a reply.

    Raises:
        InputError, JudgeError: a setting or file is wrong, or the engine cannot be made.
    """

    def __init__(
        self, model: str = "", *, asker: Asker | None = None, prompts: str | Path | None = None,
        log: str | Path | None = None, threshold: float = THRESHOLD, most_tokens: int = 256,
        progress: bool | None = None, **engine: Any,
    ) -> None:
        if not 0 <= threshold <= 1:
            raise InputError(f"threshold must lie between 0 and 1, got {threshold}")
        super().__init__(model, asker, "generic.toml", frozenset({"generation"}), prompts, "llm-generic-1", _GENERIC,
                         log=log, most_tokens=most_tokens, progress=progress, **engine)
        self.threshold = threshold

    def judge_all(self, sentences: Sequence[str]) -> list[Genericity | None]:
        """Judge sentences; None where a reply could not be read. One without a letter is generic and is not asked.

        Raises:
            JudgeError: the model cannot be asked.
        """
        asked = [i for i, s in enumerate(sentences) if any(c.isalnum() for c in s)]
        marks = dict(zip(asked, self._marks([
            Ask(self.prompts.message("ask.judge", generation=sentences[i]), pair_id=self.called(sentences[i]))
            for i in asked
        ]), strict=True))
        found: list[Genericity | None] = []
        for i in range(len(sentences)):
            score = marks[i][0] if i in marks else 1.0
            found.append(None if score is None else Genericity(score, score >= self.threshold))
        return found

    def judge(self, sentence: str) -> Genericity:
        """Judge one sentence, as the embedded judge does.

        Raises:
            JudgeError: the model cannot be asked, or its reply could not be read.
        """
        found = self.judge_all([sentence])[0]
        if found is None:
            raise JudgeError(f"no number for the sentence {self.called(sentence)!r}")
        return found


class HolisticJudge(_Marking):
    """One mark from 0 to 1 for a caption and a whole rubric: the paper's ablation, which has no positions.

    Args:
        model, asker, log, progress, engine: as :class:`~posh_lite.position.llm_rubric.LlmExtractor`.
        prompts: a file that replaces ``prompts/holistic.toml``.
        most_tokens: of a reply.

    Raises:
        InputError, JudgeError: a setting or file is wrong, or the engine cannot be made.
    """

    def __init__(
        self, model: str = "", *, asker: Asker | None = None, prompts: str | Path | None = None,
        log: str | Path | None = None, most_tokens: int = 256, progress: bool | None = None, **engine: Any,
    ) -> None:
        super().__init__(model, asker, "holistic.toml", frozenset({"generation", "rubric"}), prompts, "llm-holistic-1",
                         _MARK, log=log, most_tokens=most_tokens, progress=progress, **engine)

    def marks(self, items: Sequence[tuple[str, Rubric]]) -> list[float]:
        """A mark from 0 to 1 for each caption and rubric; NaN where the reply could not be read.

        Raises:
            JudgeError: the model cannot be asked, or a caption with its claims does not fit the context.
        """
        asks = [
            Ask(self.prompts.message("ask.judge", generation=caption, rubric=checklist(rubric.claims)),
                pair_id=self.called(caption))
            for caption, rubric in items
        ]
        return [math.nan if value is None else value for value, _ in self._marks(asks)]
