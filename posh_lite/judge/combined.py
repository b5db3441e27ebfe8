"""Two judges asked every question, and their answers weighed.

Where they err on different questions, both together are right more often than either. The weights are fitted on
questions with known answers (:mod:`posh_lite.evaluation.combine`, ``posh-lite calibrate --with lexical``) and belong
to the two judges that they were fitted for. A verdict log goes under the second judge, so that its verdicts are shared
with runs that ask it alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from posh_lite.errors import JudgeError
from posh_lite.judge.check import ask, check_judge
from posh_lite.judge.combined_weights import Weights, load_weights
from posh_lite.judge.contract import Judge, Kind, Question, Unanswered, Verdict
from posh_lite.judge.lists import sameness
from posh_lite.judge.nested import logged, named, prime_all
from posh_lite.judge.rewrite import Rewrite, Rewriter

if TYPE_CHECKING:
    from posh_lite.graph.types import SceneGraph
    from posh_lite.judge.log import VerdictLog


class CombinedJudge:
    """Asks both judges, and answers with the weighed probability that both give.

    The score is ``1 + 4 * p``. Where one judge gives no verdict that can be read, the other's counts by itself, with
    weights of its own, and the reason says so; where neither does, the verdict is missing. A question that a failed
    server left unanswered stays unanswered, since it may be answered next time and the score would then change.

    What the second judge has besides (log counters, scale, token usage) is passed through.

    Args:
        first: cheap ("lexical").
        second: a language model, its log or a replay of it.
        weights: fitted for these two, or the path of their file.

    Attributes:
        n_alone: questions that one judge answered alone.

    Raises:
        InputError: the file cannot be used.
        JudgeError: a judge is none, or the weights are those of other judges.
    """

    structural = True  # the first judge reads the scene graph

    def __init__(self, first: Judge, second: Judge, weights: Weights | str | Path) -> None:
        if not isinstance(weights, Weights):
            weights = load_weights(weights)
        for judge, wanted in ((first, weights.first), (second, weights.second)):
            check_judge(judge)
            if judge.signature != wanted:
                raise JudgeError(
                    f'the weights are those of the judge "{wanted}", not of "{judge.signature}"; fit them for these'
                    " judges: posh-lite calibrate --with lexical"
                )
        self.first, self.second, self.weights = first, second, weights
        self.scale: str = getattr(second, "scale", "1-5")
        self.rewrites = isinstance(second, Rewriter) and bool(getattr(second, "rewrites", True))
        self.n_alone = 0

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in ("first", "second", "weights"):  # not there yet while being unpickled
            raise AttributeError(name)
        return getattr(self.second, name)

    @property
    def signature(self) -> str:
        """Weights and both judges."""
        return f"combined weights:{self.weights.name} first {self.first.signature} second {self.second.signature}"

    @property
    def presence_threshold(self) -> float:
        """The fitted one, on the scale of the joint answer."""
        return self.weights.threshold

    @property
    def ceiling(self) -> float:
        """The highest score that an entity can get: lazy identifiers stop there."""
        tops = [self.weights.score(a, b, "entity") for a, b in ((5.0, 5.0), (5.0, None), (None, 5.0))]
        return max(top for top in tops if top is not None)

    @property
    def usage(self) -> Any:
        """What the second judge's model took, where it counts."""
        return getattr(self.second, "usage", None)

    def with_log(self, log: VerdictLog | str | Path) -> CombinedJudge:
        """The same with a verdict log under the second judge; one that has a log already keeps it."""
        return CombinedJudge(self.first, logged(self.second, log), self.weights)

    def prime(self, graphs: Iterable[SceneGraph]) -> None:
        """Hand graphs on to the judges that can use them."""
        prime_all((self.first, self.second), graphs)

    def note(self, prompts: str) -> str:
        """What is odd about using it with a prompt file, given its digest; empty where nothing is."""
        if prompts == self.weights.prompts:
            return ""
        return (
            f"the weights of the two judges were fitted with other prompts ({self.weights.prompts[:12]}) than are used"
            f" ({prompts[:12]}); fit them again"
        )

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Answer every question, in order; what reads the same to the second judge is put to it once."""
        questions = list(questions)
        firsts = ask(self.first, questions)
        if getattr(self.second, "structural", True):
            seconds = ask(self.second, questions)
        else:
            same = sameness(self.second)
            distinct = {same(q): q for q in questions}
            known = dict(zip(distinct, ask(self.second, list(distinct.values())), strict=True)) if distinct else {}
            seconds = [known[same(q)] for q in questions]
        return [self._joint(*row) for row in zip((q.kind for q in questions), firsts, seconds, strict=True)]

    def rewrite(self, requests: Sequence[Rewrite]) -> list[str | None]:
        """The second judge's phrases."""
        return cast(Rewriter, self.second).rewrite(requests)

    def _joint(self, kind: Kind, first: Verdict, second: Verdict) -> Verdict:
        for which, verdict in (("first", first), ("second", second)):
            if isinstance(verdict, Unanswered):
                return Unanswered(None, raw=verdict.raw, reason=f"the {which} judge was not reached")
        score = self.weights.score(first.score, second.score, kind)
        said = f"first judge {_said(first)}; second judge {_said(second)}"
        if score is None:
            return Verdict(None, raw=f"neither judge could be read: {first.raw} | {second.raw}", reason=said)
        if first.score is None or second.score is None:
            self.n_alone += 1
            said += "; one of them alone counts"
        return Verdict(score, raw=second.raw, reason=said)


def _said(verdict: Verdict) -> str:
    """A verdict in a few words."""
    why = f" ({verdict.reason})" if verdict.reason else ""
    return ("no verdict" if verdict.score is None else f"{verdict.score:.2f}") + why


def combined_judge(
    model: str, *, weights: Weights | str | Path, first: str = "lexical", log: VerdictLog | str | Path | None = None,
    **settings: Any,
) -> CombinedJudge:
    """Both judges by name: ``make_judge("combined:gguf:FILE.gguf", weights="weights.json")``.

    Args:
        model: name of the second judge, as for :func:`~posh_lite.judge.registry.make_judge`.
        weights: fitted for these two, or their file.
        first: name of the first judge.
        log: verdict log under the second judge, or the one that it replays.
        settings: options of the second judge.

    Raises:
        InputError: the file cannot be used.
        JudgeError, MissingDependency: a judge cannot be made, or the weights are those of others.
    """
    from posh_lite.judge.registry import make_judge

    made = CombinedJudge(make_judge(first), named(model, log, settings), weights)
    return made if log is None else made.with_log(log)
