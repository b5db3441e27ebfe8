"""PoSh as a reward for TRL, as in the paper's training on DOCENT."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from posh_lite.errors import InputError, JudgeDown, JudgeError
from posh_lite.reward.call import NO_REFERENCE, NO_SCORE, REFUSED, UNREAD, CaptionReward, Item, Outcome, share
from posh_lite.reward.guard import without_repeats
from posh_lite.reward.judges import KEPT_PROFILES
from posh_lite.reward.kept import Kept, Refusals

if TYPE_CHECKING:
    from posh_lite.metric.posh import PoSh
    from posh_lite.metric.score import Score

#: Which of the coarse scores is the reward: "overall" is the harmonic mean of the two others, "mean" the plain one.
PoShScore = Literal["overall", "mean", "mistakes", "omissions"]
RULES = 1


class PoShReward(CaptionReward):
    """A coarse score of PoSh as the reward, 0 to 1.

    Args:
        score: "overall" (harmonic mean), "mean", "mistakes" (precision) or "omissions" (recall). *The paper does not
            say which score is the reward.*
        judge: as for :class:`~posh_lite.metric.posh.PoSh`, by name so that the reward can be pickled.
        options: further settings of :class:`~posh_lite.metric.posh.PoSh`, such as ``{"log": "verdicts.sqlite",
            "threshold": 2, "judge_options": {"url": ..., "concurrency": 64}}``. With a log, what a model said is not
            asked again; the judge's ``concurrency`` bounds its requests under way.
        guard: "repeats" does not score sentences that say again what an earlier one says, so that copies of what is
            right do not outweigh what is wrong (:mod:`posh_lite.reward.guard`); "none" scores the caption as it is.
        name: in the logs (default: "posh", with the score where it is another than "overall").
        max_missing: share of the components that may lack a readable verdict, 0 to 1; PoSh leaves these out. Beyond
            it the completion gets None.
        blank: what a completion gets that is empty or in which nothing can be scored (no thing, no relation); None
            leaves it out of its group.

    Logged beside the value: "mistakes", "omissions" and "overall". A column "rubric" is not used.

    Raises:
        InputError: a setting is wrong.

    Example:
        >>> from posh_lite.reward import PoShReward
        >>> same = "A red car is parked on a street."
        >>> PoShReward()(completions=[same, [{"role": "assistant", "content": same}]], reference=[same, same])
        [1.0, 1.0]
    """

    parts = ("mistakes", "omissions", "overall")

    def __init__(
        self, score: PoShScore = "overall", *, judge: str = "lexical", options: Mapping[str, Any] | None = None,
        guard: Literal["none", "repeats"] = "repeats", name: str | None = None, max_missing: float = 0.0,
        blank: float | None = None,
    ) -> None:
        if score not in get_args(PoShScore):
            raise InputError(f"score must be one of {', '.join(get_args(PoShScore))}, got {score!r}", field="score")
        if guard not in ("none", "repeats"):
            raise InputError(f'guard must be "none" or "repeats", got {guard!r}', field="guard")
        if not isinstance(judge, str):
            raise InputError("a reward takes its judge by name, so that it can be pickled", field="judge")
        super().__init__(name or ("posh" if score == "overall" else f"posh_{score}"), blank)
        self.score: PoShScore = score
        self.judge, self.options, self.guard = judge, dict(options or {}), guard
        self.max_missing = share("max_missing", max_missing)

    @property
    def shared(self) -> Shared:
        """The metric, shared by all rewards of this process with the same settings."""
        return _shared(self.judge, self.options)

    @property
    def signature(self) -> str:
        """Score, guard, and all that the metric depends on."""
        lost = f" max-missing:{self.max_missing:g}" if self.max_missing else ""
        told = f"score:{self.score} guard:{self.guard}{lost}{self._blank_told}"
        return f"posh-{RULES} {told} | {self.shared.metric.signature}"

    def _score(self, items: Sequence[Item]) -> list[Outcome]:
        left = [i for i in items if i.reference]
        texts = [without_repeats(i.text) if self.guard == "repeats" else i.text for i in left]
        scores = self.shared.scores([(t, i.reference) for t, i in zip(texts, left, strict=True)])
        found = dict(zip(left, scores, strict=True))
        return [self._one(found[i]) if i in found else Outcome(None, reason=NO_REFERENCE) for i in items]

    def _one(self, score: Score | None) -> Outcome:
        if score is None:
            return Outcome(None, reason=REFUSED)
        if score.n_missing > self.max_missing * score.n_components:
            return Outcome(None, reason=UNREAD)
        parts = {n: float(getattr(score, n)) for n in self.parts}
        value = (parts["mistakes"] + parts["omissions"]) / 2 if self.score == "mean" else parts[self.score]
        if math.isnan(value):
            return Outcome(None, reason=NO_SCORE)
        return Outcome(value, {n: v for n, v in parts.items() if not math.isnan(v)})


class Shared:
    """A metric with its last scores; batches take turns."""

    def __init__(self, metric: PoSh) -> None:
        self.metric, self.lock = metric, threading.RLock()
        self._scores: Kept[Score | None] = Kept(KEPT_PROFILES)
        self._refusals = Refusals()

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[Score | None]:
        """Scores of (caption, reference), all in one batch; None where the judge refuses a pair.

        Raises:
            JudgeDown: the model is gone.
            JudgeError: it refuses whatever it is asked.
        """
        def make(places: list[int]) -> list[Score | None]:
            wanted = [pairs[i] for i in places]
            try:
                found: list[Score | None] = list(self.metric.score_many(wanted, chunk_size=len(wanted)))
            except JudgeDown:
                raise
            except JudgeError:
                return self._refusals.one_by_one(wanted, lambda pair: self.metric.score_many([pair])[0])
            self._refusals.none()
            return found

        with self.lock:
            return self._scores.fill(list(pairs), make)


_SHARED: dict[str, Shared] = {}
_MAKING = threading.Lock()


def _shared(judge: str, options: Mapping[str, Any]) -> Shared:
    from posh_lite.metric.posh import PoSh

    key = json.dumps([judge, options], sort_keys=True, default=str)
    with _MAKING:
        if key not in _SHARED:
            _SHARED[key] = Shared(PoSh(judge, **{"progress": False, **options}))
        return _SHARED[key]
