"""A cascade: a cheap judge answers every question, a costly one only those whose answer tells most.

Both judges see the same question. From the first judge's verdict a fitted policy expects a score of the second
(:mod:`posh_lite.judge.cascade_policy`). The second is asked about a share of the components of each text, those that
reduce the variance of the text's mean score most; what it says also moves what is expected of the others. An estimate
is marked as one in the verdict's reason, and carries no probabilities.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from posh_lite.errors import InputError, JudgeError
from posh_lite.graph.types import SceneGraph
from posh_lite.judge.cascade_choice import choose, shifts
from posh_lite.judge.cascade_policy import Policy, load_policy
from posh_lite.judge.check import ask, check_judge, is_number
from posh_lite.judge.contract import Judge, Question, Unanswered, Verdict
from posh_lite.judge.lists import packs, sameness
from posh_lite.judge.nested import logged, named, prime_all
from posh_lite.metric.passes import rounded

if TYPE_CHECKING:
    from posh_lite.judge.calibration import Calibration
    from posh_lite.judge.log import VerdictLog

#: Share of the components that the second judge is asked about, where none is given.
SHARE = 0.4
_BLOCK = 400  # components weighed against each other at once; a text of 50,000 words has thousands
_KEPT_TEXTS = 1024


@dataclass(slots=True)
class Item:
    """One component in question, and what is known of it.

    Attributes:
        questions: about it, an entity's by one identifier each, from the simplest on.
        first: the first judge's verdict on the simplest.
        expected: the second judge's score by the policy.
        variance: of that, beyond what it shares with other components.
        said: the second judge's verdicts by prompt; empty where it was not asked.
        guess: what is said in their place.
    """

    questions: list[Question]
    first: Verdict
    expected: float
    variance: float
    said: dict[str, Verdict] = field(default_factory=dict)
    guess: Verdict | None = None

    @property
    def question(self) -> Question:
        """The simplest."""
        return self.questions[0]

    @property
    def score(self) -> float | None:
        """What the second judge says of the component, as the metric takes it: the first highest whole score."""
        read = [v.score for v in self.said.values() if v.score is not None]
        return max(read, key=rounded) if read else None

    def verdict(self, question: Question) -> Verdict:
        """The answer to one of the questions; a further identifier that was not asked gets that of the simplest."""
        if self.said:
            return self.said.get(question.prompt) or next(iter(self.said.values()))
        if self.guess is None:
            raise JudgeError("the cascade left a question without an answer")
        return self.guess


@dataclass(slots=True)
class _Text:
    """One side of a pair: what has been answered so far, so that later steps know it and a repeated one agrees.

    Where a judge left a question unanswered (``open``), the text is begun anew when it comes again.
    """

    items: dict[Hashable, Item] = field(default_factory=dict)
    open: bool = False

    def asked(self) -> list[Item]:
        """Components with an answer of the second judge, the latest last."""
        return [i for i in self.items.values() if i.score is not None]


class CascadeJudge:
    """Asks ``second`` about a share of the components and estimates the others from ``first``.

    Args:
        first: cheap, asked everything ("lexical").
        second: costly; put a verdict log around this one, and its verdicts are shared with runs that ask it alone
            (``PoSh(log=...)`` does so by itself).
        policy: of :func:`~posh_lite.judge.cascade_fit.fit_policy`, or the path of its file.
        share: questions that the second judge is asked for each component of a step, from 0 to 1.
        identifiers: "first" asks an entity by its simplest identifier alone, "all" by each that the metric tries, and
            so fewer components.
        threshold: score from which on an entity is present; by default that of the second judge.

    Attributes:
        n_first: questions that the first judge answered.
        n_second: questions that the second was asked, identical prompts once.
        n_wanted: questions that it would have been asked alone.

    Raises:
        InputError: a setting is out of range, or the policy is not one.
        JudgeError: a judge is none.
    """

    structural = True  # the choice depends on the component's place in the graph

    def __init__(
        self, first: Judge, second: Judge, *, policy: Policy | str | Path, share: float = SHARE,
        identifiers: Literal["first", "all"] = "first", threshold: float | None = None,
    ) -> None:
        check_judge(first)
        check_judge(second)
        if not is_number(share) or not 0 <= share <= 1:
            raise InputError(f"share must lie between 0 and 1, got {share!r}")
        if threshold is not None and (not is_number(threshold) or not 1 <= threshold <= 5):
            raise InputError(f"threshold must be a number between 1 and 5, got {threshold!r}")
        if identifiers not in ("first", "all"):
            raise InputError(f'identifiers must be "first" or "all", got {identifiers!r}')
        self.identifiers: Literal["first", "all"] = identifiers
        self.first, self.second, self.share = first, second, float(share)
        self.policy = policy if isinstance(policy, Policy) else load_policy(policy)
        self.scale: str = getattr(second, "scale", "1-5")
        self.presence_threshold = float(second.presence_threshold if threshold is None else threshold)
        self.n_first = self.n_second = self.n_wanted = 0
        self._texts: OrderedDict[Hashable, _Text] = OrderedDict()

    @property
    def signature(self) -> str:
        """Share, policy and both judges."""
        how = f"cascade share:{self.share:g} identifiers:{self.identifiers} policy:{self.policy.digest}"
        if self.presence_threshold != self.second.presence_threshold:  # what is at stake, and so asked, hangs on it
            how += f" threshold:{self.presence_threshold:g}"
        return f"{how} first {self.first.signature} second {self.second.signature}"

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("n_"):  # counters of the second judge and of its log
            raise AttributeError(name)
        return getattr(self.second, name)

    @property
    def usage(self) -> Any:
        """What the second judge's model took, where it counts."""
        return getattr(self.second, "usage", None)

    def with_log(self, log: VerdictLog | str | Path) -> CascadeJudge:
        """The same cascade with a verdict log under its second judge; one that has a log already keeps it."""
        return CascadeJudge(
            self.first, logged(self.second, log), policy=self.policy, share=self.share,
            identifiers=self.identifiers, threshold=self.presence_threshold,
        )

    def note(self, prompts: str) -> str:
        """What is odd about using it with a prompt file, given its digest; empty where nothing is."""
        said = getattr(self.second, "note", None)
        found = [said(prompts)] if callable(said) else []
        for which, judge, known in (
            ("first", self.first, self.policy.first), ("second", self.second, self.policy.second)
        ):
            if judge.signature != known:
                found.append(f'the policy of the cascade was fitted for the {which} judge "{known}", not for'
                             f' "{judge.signature}"; fit it again')
        return "; ".join(f for f in found if f)

    def prime(self, graphs: Iterable[SceneGraph]) -> None:
        """Hand graphs on to the judges that can use them."""
        prime_all((self.first, self.second), graphs)

    # -- answering ------------------------------------------------------------------------------------------

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Answer every question, in order; the components of each text are weighed against each other."""
        questions = list(questions)
        firsts = ask(self.first, questions)
        self.n_first += len(questions)
        self.n_wanted += len({q.prompt for q in questions})
        apart = packs(self.second)  # such a judge's answers belong to their pair
        places = [(q.pair_id if apart else "", _text_key(q)) for q in questions]
        self._begin_anew(questions, places)
        texts: dict[Hashable, tuple[_Text, dict[int, Item]]] = {}
        items: list[Item] = []
        further: list[Item] = []  # asked before, and now by another identifier
        for question, first, where in zip(questions, firsts, places, strict=True):
            text, fresh = texts.setdefault(where, (self._text(where), {}))
            key = component_key(question)
            item = text.items.get(key)
            if item is None:
                expected, variance = self.policy.expected(question, first), self.policy.variance(question, first)
                item = text.items[key] = Item([question], first, expected, variance)
                fresh[id(item)] = item
            elif id(item) in fresh:
                item.questions.append(question)
            elif self.identifiers == "all" and item.said and question.prompt not in item.said:
                further.append(Item([question], first, 0.0, 0.0, item.said))
            items.append(item)
        blocks = []
        for text, fresh in texts.values():
            known, new = text.asked()[-_BLOCK:], list(fresh.values())
            blocks += [(known, new[at:at + _BLOCK]) for at in range(0, len(new), _BLOCK)]
        self._answer(blocks, further)
        for item, where in zip(items, places, strict=True):
            if any(isinstance(v, Unanswered) for v in (item.first, *item.said.values())):
                texts[where][0].open = True
        while len(self._texts) > _KEPT_TEXTS:
            self._texts.popitem(last=False)
        return [item.verdict(q) for item, q in zip(items, questions, strict=True)]

    def _begin_anew(self, questions: Sequence[Question], places: Sequence[Hashable]) -> None:
        """Forget what is known of a text with an open question, once a question on it comes for the second time."""
        for question, where in zip(questions, places, strict=True):
            text = self._texts.get(where)
            if text is not None and text.open:
                item = text.items.get(component_key(question))
                if item is not None and any(q.prompt == question.prompt for q in item.questions):
                    del self._texts[where]

    def _text(self, key: Hashable) -> _Text:
        text = self._texts.setdefault(key, _Text())
        self._texts.move_to_end(key)
        return text

    def _answer(self, blocks: Sequence[tuple[list[Item], list[Item]]], further: Sequence[Item]) -> None:
        """Choose in every text, ask all that was chosen in one batch, and estimate the rest."""
        whole = self.identifiers == "all"
        same = sameness(self.second)
        distinct: dict[Hashable, Question] = {}
        chosen: list[set[str]] = []  # prompts of each text, whatever other texts are asked with it
        for known, fresh in blocks:
            chosen.append(set())
            for item in choose(self.policy, fresh, known, self.share, self.presence_threshold, whole=whole):
                for question in item.questions if whole else item.questions[:1]:
                    distinct.setdefault(same(question), question)
                    chosen[-1].add(question.prompt)
        for item in further:
            distinct.setdefault(same(item.question), item.question)
        answers = dict(zip(distinct, ask(self.second, list(distinct.values())), strict=True)) if distinct else {}
        self.n_second += len(distinct)
        for item in further:
            item.said[item.question.prompt] = answers[same(item.question)]
        for (known, fresh), own in zip(blocks, chosen, strict=True):
            for item in fresh:  # one that reads the same as one that was asked about its text is answered with it
                if item.question.prompt in own:
                    item.said.update((q.prompt, answers[same(q)]) for q in item.questions if q.prompt in own)
            asked = [*known, *(i for i in fresh if i.score is not None)]
            rest = [i for i in fresh if not i.said]
            for item, shift in zip(rest, shifts(self.policy, rest, asked), strict=True):
                item.guess = estimate(item, shift)


def _text_key(question: Question) -> Hashable:
    source = question.source
    named = (question.pair_id, "") if source is None else (source.signature, source.text)
    return (question.side, *named, question.target_text)


def component_key(question: Question) -> Hashable:
    """What the questions about one component have in common: all identifiers of an entity are one."""
    if question.attribute is not None:
        return "attribute", question.attribute.id, question.text
    if question.relation is not None:
        return "relation", question.relation.id, question.text
    return "entity", question.identifier.entity.id, question.identifier.entity.head


def estimate(item: Item, shift: float) -> Verdict:
    """What is expected of the second judge, said to be an estimate."""
    score = round(min(5.0, max(1.0, item.expected + shift)), 3)
    said = "no verdict" if item.first.score is None else f"{item.first.score:g}"
    why = f": {item.first.reason}" if item.first.reason else ""
    return Verdict(score, raw=ESTIMATED, reason=f"{ESTIMATED} ({said}{why}); the second judge was not asked")


#: How the reason of an estimate begins.
ESTIMATED = "estimated from the first judge"


def estimated(verdict: Verdict) -> bool:
    """Whether a verdict of a cascade is an estimate rather than an answer of its second judge."""
    return verdict.raw == ESTIMATED


def cascade_judge(
    model: str, *, policy: Policy | str | Path, share: float = SHARE, identifiers: Literal["first", "all"] = "first",
    first: str = "lexical", calibration: Calibration | str | Path | None = None,
    log: VerdictLog | str | Path | None = None, **settings: Any,
) -> CascadeJudge:
    """The cascade by name: ``make_judge("cascade:gguf:FILE.gguf", policy="policy.json")``.

    Args:
        model: name of the second judge, as for :func:`~posh_lite.judge.registry.make_judge`.
        policy: the fitted policy or its file.
        share: questions that the second judge is asked for each component.
        identifiers: of an entity that are asked, "first" or "all".
        first: name of the first judge.
        calibration: of the second judge; the policy must have been fitted on its calibrated verdicts.
        log: verdict log under the second judge, or the one that it replays.
        settings: options of the second judge.

    Raises:
        InputError: a setting is out of range, or the policy is not one.
        JudgeError, MissingDependency: a judge cannot be made.
    """
    from posh_lite.judge.registry import make_judge

    second = named(model, log, settings)
    if calibration is not None:
        from posh_lite.judge.calibration import CalibratedJudge

        second = CalibratedJudge(second, calibration)
    made = CascadeJudge(make_judge(first), second, policy=policy, share=share, identifiers=identifiers)
    return made if log is None else made.with_log(log)
