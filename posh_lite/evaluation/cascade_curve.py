"""What a cascade costs and what it keeps, worked out from a full run's verdicts without any model.

The policy is fitted on some pairs and used on others (cross-validated by pair). The second judge's answers come from
the recorded full run; where the cascade names an entity otherwise than the full run did, so that its prompt was never
asked, the verdict on the same component under its other name stands in, and is counted.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from posh_lite.errors import InputError, ReplayMiss
from posh_lite.evaluation.correlation import correlate
from posh_lite.judge.cascade import CascadeJudge
from posh_lite.judge.cascade_fit import Observation, Recorder, fit_policy, observe
from posh_lite.judge.cascade_policy import Policy
from posh_lite.judge.contract import Judge, Question, Verdict
from posh_lite.metric.posh import PoSh

if TYPE_CHECKING:
    from posh_lite.graph.types import SceneGraph
    from posh_lite.metric.score import Score
    from posh_lite.records import Pair

FIGURES = ("mistakes", "omissions", "overall")
NOT_LOGGED = "not in the log of the full run"


@dataclass(frozen=True, slots=True)
class FullRun:
    """Pairs that the second judge has answered wholly.

    Attributes:
        scores: of these pairs, by the second judge alone.
        said: its questions and verdicts, by pair.
        n_lazy: distinct questions a pair where identifiers are asked one by one, by pair.
        incomplete: ids of pairs that the log does not hold wholly.
        signature: of the judge.
        threshold: of the judge.
        scale: of the judge.
    """

    scores: Mapping[str, Score]
    said: Mapping[str, tuple[tuple[Question, Verdict], ...]]
    n_lazy: Mapping[str, int]
    incomplete: tuple[str, ...]
    signature: str
    threshold: float
    scale: str

    def n_questions(self, pair_id: str) -> int:
        """Distinct questions of the full run about a pair."""
        return len({q.prompt for q, _ in self.said[pair_id]})


def full_run(
    pairs: Iterable[Pair], judge: Judge, *, graphs: Mapping[str, SceneGraph] | None = None, **settings: Any
) -> FullRun:
    """Score pair by pair with a judge that may know only some of them (a replay of a run that goes on).

    Args:
        pairs: to be scored.
        judge: a replay, or any judge.
        graphs: scene graphs by text, where they are known.
        settings: keywords of :class:`~posh_lite.metric.posh.PoSh`.
    """
    from posh_lite.graph.extract import extract_graphs

    scores: dict[str, Score] = {}
    said: dict[str, tuple[tuple[Question, Verdict], ...]] = {}
    n_lazy: dict[str, int] = {}
    incomplete: list[str] = []
    for pair in pairs:
        known = graphs or {}
        a, b = (known[t] if t in known else extract_graphs([t])[0] for t in (pair.generation, pair.reference))
        recorder, lazy = Recorder(judge), Recorder(judge)
        try:
            scores[pair.id] = PoSh(recorder, progress=False, **settings).score_graphs(a, b, id=pair.id)
        except ReplayMiss:
            incomplete.append(pair.id)
            continue
        PoSh(lazy, progress=False, identifiers="lazy", **settings).score_graphs(a, b, id=pair.id)
        said[pair.id] = tuple(recorder.said)
        n_lazy[pair.id] = len({q.prompt for q, _ in lazy.said})
    scale = getattr(judge, "scale", "1-5")
    return FullRun(scores, said, n_lazy, tuple(incomplete), judge.signature, judge.presence_threshold, scale)


class RecordedAnswers:
    """The second judge of a cascade, played from a full run.

    Attributes:
        n_exact: questions that the full run has put in the same words.
        n_other_name: those answered by the verdict on the same component under another name.
        unknown: those about components that the full run has not asked; their verdicts are missing.
    """

    structural = True

    def __init__(self, run: FullRun, *, threshold: float | None = None) -> None:
        self.signature = run.signature
        self.presence_threshold = run.threshold if threshold is None else threshold
        self.scale = run.scale
        self.n_exact = self.n_other_name = 0
        self.unknown: list[Question] = []
        self._exact: dict[str, Verdict] = {}
        self._component: dict[Hashable, Verdict] = {}
        for said in run.said.values():
            for question, verdict in said:
                self._exact.setdefault(question.prompt, verdict)
                self._component.setdefault(_component(question), verdict)

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Recorded verdicts, in order."""
        return [self._answer(q) for q in questions]

    def _answer(self, question: Question) -> Verdict:
        verdict = self._exact.get(question.prompt)
        if verdict is not None:
            self.n_exact += 1
            return verdict
        verdict = self._component.get(_component(question))
        if verdict is not None:
            self.n_other_name += 1
            return verdict
        self.unknown.append(question)
        return Verdict(None, raw=NOT_LOGGED)


def _component(question: Question) -> Hashable:
    claim = question.attribute or question.relation or question.identifier.entity
    return question.pair_id, question.side, question.kind, claim.id


@dataclass(frozen=True, slots=True)
class Point:
    """A cascade at one share, on pairs that its policy was not fitted on.

    Attributes:
        share: of the components that the second judge was asked about.
        scores: by pair.
        n_second: distinct questions that the second judge got, by pair.
        n_other_name: answered by a verdict under another name.
        unknown: questions that the full run has no verdict for.
        policies: digests of the policies, one a fold.
    """

    share: float
    scores: Mapping[str, Score]
    n_second: Mapping[str, int]
    n_other_name: int
    unknown: tuple[Question, ...]
    policies: tuple[str, ...]


def cascade_points(
    run: FullRun, first: Judge, shares: Sequence[float], *, folds: int = 5, threshold: float | None = None,
    identifiers: Literal["first", "all"] = "first", second: Judge | None = None, **settings: Any,
) -> list[Point]:
    """Play the cascade on every pair with the policy of the other folds.

    Args:
        run: of the second judge.
        first: the cheap judge.
        shares: one point each.
        folds: by pair; pair ``n`` is in fold ``n % folds``.
        threshold: presence threshold; by default the second judge's.
        identifiers: of an entity that are asked.
        second: asked in place of the record, for example a live model over the log of the full run, so that what the
            log lacks is asked and kept.
        settings: keywords of :class:`~posh_lite.metric.posh.PoSh`.

    Raises:
        InputError: fewer complete pairs than folds, or fewer than four.
    """
    ids = list(run.said)
    if len(ids) < max(4, folds):
        raise InputError(f"{len(ids)} pairs are complete in the log; at least {max(4, folds)} are needed")
    seen = {name: observe(first, run.said[name]) for name in ids}
    policies = [_fit(run, first, [o for n, name in enumerate(ids) if n % folds != fold for o in seen[name]])
                for fold in range(folds)]
    points = []
    for share in shares:
        scores: dict[str, Score] = {}
        n_second: dict[str, int] = {}
        answers = RecordedAnswers(run, threshold=threshold)
        for n, name in enumerate(ids):
            judge = CascadeJudge(
                first, second or answers, policy=policies[n % folds], share=share, identifiers=identifiers
            )
            full = run.scores[name]
            graphs = {q.side: q.source for q, _ in run.said[name] if q.source is not None}
            score = PoSh(judge, progress=False, **settings).score_graphs(
                _graph(graphs.get("generation"), full.generation), _graph(graphs.get("reference"), full.reference),
                id=name,
            )
            scores[name], n_second[name] = score, judge.n_second
        digests = tuple(p.digest for p in policies)
        points.append(Point(float(share), scores, n_second, answers.n_other_name, tuple(answers.unknown), digests))
    return points


def _fit(run: FullRun, first: Judge, observations: Sequence[Observation]) -> Policy:
    return fit_policy(observations, first=first.signature, second=run.signature)


def _graph(known: SceneGraph | None, text: str) -> SceneGraph:
    if known is not None:
        return known
    from posh_lite.graph.extract import extract_graphs

    return extract_graphs([text])[0]


def describe(run: FullRun, point: Point, *, n_resamples: int = 2000, seed: int = 0) -> dict[str, Any]:
    """One point of the curve, JSON-ready.

    Returns:
        ``share``; ``questions`` (distinct prompts a pair of the cascade), ``full`` (of the full run) and ``lazy`` (of
        the full run with identifiers one by one); ``times_fewer`` than each; ``pearson`` and ``spearman`` of each
        coarse score with the full run over pairs, with bootstrap intervals over pairs; ``shift``, the mean difference
        of each; ``other_name`` and ``unknown``, how many questions the log could not answer word by word.
    """
    ids = list(point.scores)
    n = len(ids)
    asked = sum(point.n_second.values())
    full, lazy = sum(run.n_questions(i) for i in ids), sum(run.n_lazy[i] for i in ids)
    row: dict[str, Any] = {
        "share": point.share, "questions": asked / n, "full": full / n, "lazy": lazy / n,
        "times_fewer": None if not asked else full / asked, "times_fewer_lazy": None if not asked else lazy / asked,
        "other_name": point.n_other_name, "unknown": len(point.unknown), "policies": list(point.policies),
    }
    for figure in FIGURES:
        ours = [getattr(point.scores[i], figure) for i in ids]
        theirs = [getattr(run.scores[i], figure) for i in ids]
        settings: dict[str, Any] = {"units": ids, "n_resamples": n_resamples, "seed": seed}
        row[figure] = {
            "pearson": correlate(ours, theirs, "pearson", **settings).to_dict(),
            "spearman": correlate(ours, theirs, "spearman", **settings).to_dict(),
            "shift": _mean([a - b for a, b in zip(ours, theirs, strict=True)]),
        }
    return row


def _mean(values: Sequence[float]) -> float | None:
    known = [v for v in values if not math.isnan(v)]
    return math.fsum(known) / len(known) if known else None
