"""How TRL calls a reward, and what every reward of ours makes of the call.

TRL (1.16) calls by keyword: ``prompts``, ``completions`` and ``completion_ids``, every column of the data set as a list
of one value a completion, ``trainer_state``, ``log_extra`` and ``log_metric``. It wants a number or None for each
completion. None leaves the completion out of that reward.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from posh_lite.errors import InputError
from posh_lite.records import is_text

_LOG = logging.getLogger("posh_lite.reward")

#: Why a completion gets None, in the words of the logs.
EMPTY, NO_REFERENCE, NO_CLAIMS = "empty completion", "no reference", "reference without claims"
NO_TEXT = "half of a surrogate pair, which is no text"
UNREAD, REFUSED, NO_SCORE = "verdict missing", "refused by the judge", "nothing to score"


@dataclass(frozen=True, slots=True)
class Item:
    """One completion as a reward sees it.

    Attributes:
        text: the caption.
        reference: of the data set; empty where only a rubric is given.
        rubric: of the data set as JSON, or empty.
        n_tokens: of the completion, where TRL tells them.
    """

    text: str
    reference: str = ""
    rubric: str = ""
    n_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a completion gets: a value with its parts, or the reason why there is nothing to score."""

    value: float | None
    parts: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A call, read: the items that can be scored by place, and what became of the others."""

    items: tuple[Item | None, ...]
    reasons: tuple[str, ...]


class CaptionReward(ABC):
    """A picklable reward for TRL; what a subclass adds is the scoring of items.

    A completion that occurs several times with the same reference is scored once. Pickles carry the settings alone:
    caches, models and open files are made anew where they are needed.

    Args:
        name: as the logs of TRL show it; ``rewards/NAME/mean`` and so on.
        blank: what a completion gets that is empty, has no letter or digit ("...", an emoji), or says nothing that
            could be scored. None leaves it out: TRL gives it no advantage, so that a policy neither learns nor unlearns
            silence. A number, such as 0, is its reward.

    Attributes:
        unusable: completions so far that could not be scored, by reason.
    """

    #: Names of the parts that are logged beside the value.
    parts: tuple[str, ...] = ()
    #: Whether the length in tokens is needed.
    needs_tokens: bool = False

    def __init__(self, name: str, blank: float | None = None) -> None:
        if not name or not name.strip():
            raise InputError("a reward needs a name, since TRL logs it by name")
        if blank is not None and not _number(blank):
            raise InputError(f"blank must be a number or None, got {blank!r}", field="blank")
        self.__name__, self.blank = name, None if blank is None else float(blank)
        self.unusable: Counter[str] = Counter()

    @property
    @abstractmethod
    def signature(self) -> str:
        """Everything that a value depends on."""

    @abstractmethod
    def _score(self, items: Sequence[Item]) -> list[Outcome]:
        """Outcomes of distinct items, in order."""

    def __call__(
        self, *, completions: Sequence[Any], prompts: Sequence[Any] | None = None,
        completion_ids: Sequence[Sequence[int]] | None = None, reference: Sequence[str | None] | None = None,
        rubric: Sequence[Any] | None = None, log_extra: Callable[[str, list[Any]], None] | None = None,
        log_metric: Callable[[str, float], None] | None = None, **ignored: Any,
    ) -> list[float | None]:
        """One reward a completion, None where it cannot be scored.

        Args:
            completions: strings, or lists of messages whose content is a string or a list of parts.
            prompts: not used but for the count.
            completion_ids: tokens of each completion.
            reference: the column of references.
            rubric: the column of rubrics (:func:`posh_lite.reward.rubrics.read_rubric`), in place of a derived one.
            log_extra: TRL's, takes the parts as columns.
            log_metric: TRL's, takes their means.
            ignored: other columns of the data set, ``trainer_state`` and what later versions add.

        Raises:
            InputError: a column has not one value a completion, or is not what it should be.
            JudgeDown: the model that judges is gone; what it would have said is not made up.
            JudgeError: it refuses whatever it is asked.
        """
        call = self._read(completions, prompts, completion_ids, reference, rubric)
        found = self._outcomes(call)
        self._tell(found, log_extra, log_metric)
        return [o.value for o in found]

    def as_async(self) -> AsyncReward:
        """The same reward as TRL awaits it: rewards that ask different models work at the same time.

        A batch goes to a model as a whole, and the model's option ``concurrency`` bounds its requests under way;
        rewards that share a model take turns.
        """
        return AsyncReward(self)

    # -- reading the call -----------------------------------------------------------------------------------

    def _read(
        self, completions: Sequence[Any], prompts: Sequence[Any] | None,
        completion_ids: Sequence[Sequence[int]] | None, reference: Sequence[str | None] | None,
        rubric: Sequence[Any] | None,
    ) -> Call:
        n = len(completions)
        for name, column in (("prompts", prompts), ("completion_ids", completion_ids), ("reference", reference),
                             ("rubric", rubric)):  # fmt: skip
            if isinstance(column, str) or (column is not None and len(column) != n):
                size = "one text" if isinstance(column, str) else f"{len(column or ())} values"
                raise InputError(f"{self.__name__}: {name} has {size} for {n} completions", field=name)
        if reference is None and rubric is None:
            raise InputError(f'{self.__name__}: the data set needs a column "reference", or "rubric"',
                             field="reference")
        if self.needs_tokens and completion_ids is None:
            raise InputError(f'{self.__name__}: lengths in tokens need completion_ids; or set length_unit to "words"',
                             field="completion_ids")
        items: list[Item | None] = []
        reasons: list[str] = []
        for i, completion in enumerate(completions):
            text = completion_text(completion)
            told = "" if reference is None or reference[i] is None else reference[i]
            if not isinstance(told, str):
                raise InputError(f"{self.__name__}: reference {i} is no text but {type(told).__name__}",
                                 field="reference")
            given = "" if rubric is None else as_json(rubric[i])
            why = (EMPTY if not any(map(str.isalnum, text)) else NO_TEXT if not (is_text(text) and is_text(told))
                   else NO_REFERENCE if not told.strip() and not given else "")
            n_tokens = None if completion_ids is None else _length(completion_ids[i], self.__name__)
            items.append(None if why else Item(text, told.strip() and told, given, n_tokens))
            reasons.append(why)
        return Call(tuple(items), tuple(reasons))

    def _outcomes(self, call: Call) -> list[Outcome]:
        distinct = list(dict.fromkeys(i for i in call.items if i is not None))
        scored = dict(zip(distinct, self._score(distinct), strict=True)) if distinct else {}
        found = [Outcome(None, reason=why) if item is None else scored[item]
                 for item, why in zip(call.items, call.reasons, strict=True)]
        if self.blank is not None:
            found = [replace(o, value=self.blank) if o.reason in (EMPTY, NO_SCORE) else o for o in found]
        for o in found:
            if o.value is not None and not math.isfinite(o.value):
                raise ValueError(f"{self.__name__}: the value {o.value} is no reward")
        return found

    def _tell(
        self, found: Sequence[Outcome], log_extra: Callable[[str, list[Any]], None] | None,
        log_metric: Callable[[str, float], None] | None,
    ) -> None:
        """Log parts and reasons; the same columns each time, since TRL keeps them in one table."""
        fresh = Counter(o.reason for o in found if o.reason)
        for reason, count in fresh.items():
            if reason not in self.unusable:
                _LOG.warning("%s: no score for %d of %d completions: %s (more of these are only counted)",
                             self.__name__, count, len(found), reason)
        self.unusable.update(fresh)
        if log_metric is not None:
            log_metric(f"{self.__name__}/unusable", sum(fresh.values()) / max(1, len(found)))
            for reason, count in fresh.items():
                log_metric(f"{self.__name__}/unusable/{reason}", float(count))
            for part in self.parts:
                values = [o.parts[part] for o in found if part in o.parts]
                if values:
                    log_metric(f"{self.__name__}/{part}", sum(values) / len(values))
        if log_extra is not None:
            for part in self.parts:
                log_extra(f"{self.__name__}/{part}", [o.parts.get(part) for o in found])
            log_extra(f"{self.__name__}/unusable", [o.reason for o in found])

    @property
    def _blank_told(self) -> str:
        """Of the signature."""
        return "" if self.blank is None else f" blank:{self.blank:g}"

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k != "unusable"}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self.unusable = Counter()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__name__}>"


class AsyncReward:
    """A reward that TRL awaits beside others; see :meth:`CaptionReward.as_async`."""

    def __init__(self, reward: CaptionReward) -> None:
        self.reward = reward
        self.__name__ = reward.__name__

    @property
    def signature(self) -> str:
        return self.reward.signature

    async def __call__(
        self, *, completions: Sequence[Any], prompts: Sequence[Any] | None = None,
        completion_ids: Sequence[Sequence[int]] | None = None, reference: Sequence[str | None] | None = None,
        rubric: Sequence[Any] | None = None, log_extra: Callable[[str, list[Any]], None] | None = None,
        log_metric: Callable[[str, float], None] | None = None, **ignored: Any,
    ) -> list[float | None]:
        """As :meth:`CaptionReward.__call__`."""
        call = self.reward._read(completions, prompts, completion_ids, reference, rubric)
        found = await asyncio.to_thread(self.reward._outcomes, call)
        self.reward._tell(found, log_extra, log_metric)  # in the loop's own thread, as TRL's own logging
        return [o.value for o in found]

    def __repr__(self) -> str:
        return f"<async {self.reward!r}>"


def share(name: str, value: Any) -> float:
    """A share, 0 to 1, as a setting of a reward.

    Raises:
        InputError: it is none.
    """
    if not _number(value) or not 0 <= value <= 1:
        raise InputError(f"{name} must lie between 0 and 1, got {value!r}", field=name)
    return float(value)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def completion_text(completion: Any) -> str:
    """The caption of a completion: a string, or what the assistant says in a list of messages.

    Raises:
        InputError: it is neither.
    """
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Mapping):
        completion = [completion]
    if not isinstance(completion, Sequence) or not all(isinstance(m, Mapping) for m in completion):
        raise InputError(f"a completion is a text or a list of messages, got {type(completion).__name__}",
                         field="completions")
    said = [_content(m.get("content")) for m in completion if m.get("role", "assistant") == "assistant"]
    return "\n".join(s for s in said if s)


def _length(ids: Any, name: str) -> int:
    try:
        return len(ids)
    except TypeError:
        raise InputError(f"{name}: completion_ids holds {type(ids).__name__} where the tokens of a completion must be",
                         field="completion_ids") from None


def _content(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, Sequence):
        raise InputError(f"the content of a message is a text or a list of parts, got {type(content).__name__}",
                         field="completions")
    parts = [p if isinstance(p, str) else p.get("text") for p in content
             if isinstance(p, str) or (isinstance(p, Mapping) and p.get("type", "text") == "text")]
    return "".join(p for p in parts if isinstance(p, str))


def as_json(value: Any) -> str:
    """A rubric of the data set as one text, so that equal ones are known as such; empty where there is none."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    except TypeError as error:
        raise InputError(f"a rubric is a list of claims or its JSON text: {error}", field="rubric") from None
