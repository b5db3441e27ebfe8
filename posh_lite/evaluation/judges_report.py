"""Judges side by side on the captions of IIW-400: quality, agreement, cost, and what a cascade saves.

``python -m posh_lite.evaluation.judges_report --log verdicts.sqlite --output data/results/NAME`` replays a full run of
a language model from its verdict log (pairs that the log does not hold wholly are left out and counted), runs the
lexical judge on the same pairs, and writes files that hold no text of a caption:

``judges.json``
    ``what``, ``made`` (date, UTC), ``n`` (pairs), ``n_incomplete``, ``ids`` of the pairs; ``judges``: for each its
    ``name``, ``signature`` of the metric, ``judge``, ``threshold``, ``scores`` (``mistakes``, ``omissions`` and
    ``overall`` in the order of the ids), their ``mean`` and ``sd`` over pairs,
    ``work`` a pair (``questions``, distinct prompts; where it was measured ``tokens``, ``computed`` after prefix reuse,
    ``seconds``; None where not), and ``correlations`` with people: rows of ``measure``, ``label``, ``raw`` (Spearman)
    and ``partial`` (given the length ratio), each an estimate with ``value``, ``low``, ``high``, ``n``, ``reason``;
    ``agreement``: for each two judges ``first``, ``second``, ``n_unmatched`` and ``rows`` by ``side`` and ``kind`` with
    ``n``, ``present_first``, ``present_second`` (shares), and estimates ``same``, ``present`` and ``flagged`` (Cohen's
    kappa), ``rounded`` (quadratic kappa), ``score`` (Spearman). With ``--weights`` (of ``posh-lite calibrate --with
    lexical`` for this model) the judge ``combined`` is among them, and ``combined`` tells the ``weights``, their
    ``data`` and ``date``, ``other_name`` (questions answered by the model's verdict on the same component under another
    name) and ``unknown`` (those that the log lacks: the lexical judge alone answered).
``cascade.json``
    ``first`` and ``second`` signatures, ``n``, ``n_incomplete``, ``folds``, ``threshold``, and ``curve``: for each way
    of asking (``identifiers``) and ``share`` what :func:`posh_lite.evaluation.cascade_curve.describe` says. With
    ``--weights`` also the cascade in front of both judges weighed (``combined``), against the full run of these.
``policy.json``, ``policy-combined.json``
    The policies fitted on all pairs, for ``--judge cascade:... --judge-option policy=FILE``.

Work that was measured while the model ran comes from ``--work``, a file of JSON lines, one a pair, with ``prompts``,
``tokens``, ``computed`` and ``seconds``. ``--ask gguf:FILE`` lets the model answer what a cascade asks and the log
lacks (an entity under another name); the log then holds it.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from posh_lite.errors import InputError, PoshLiteError
from posh_lite.evaluation.agreement import MEASURES, agreement_table, match
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.evaluation.cascade_curve import (
    FIGURES,
    FullRun,
    Point,
    RecordedAnswers,
    cascade_points,
    describe,
    full_run,
)
from posh_lite.evaluation.cascade_joint import JOINT, JointCurve, joint_curve
from posh_lite.evaluation.iiw_report import HYPOTHESES, correlations, frame_of
from posh_lite.judge.calibration import CalibratedJudge
from posh_lite.judge.cascade_fit import Recorder, fit_policy, observe
from posh_lite.judge.contract import Judge

if TYPE_CHECKING:
    from posh_lite.benchmarks.iiw import SideBySide
    from posh_lite.graph.types import SceneGraph
    from posh_lite.judge.cascade_policy import Policy
    from posh_lite.judge.combined_weights import Weights
    from posh_lite.metric.score import Score
    from posh_lite.records import Pair

#: Points of the curve; the cascade that stands among the judges is the first that asks three times less.
SHARES = (0.0, 0.1, 0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.8, 1.0)
WAYS: tuple[Literal["first", "all"], ...] = ("first", "all")
FEWER = 3.0
_WORK = ("tokens", "computed", "seconds")


@dataclass(frozen=True, slots=True)
class JudgeRun:
    """One judge on the pairs.

    Attributes:
        name: for tables.
        judge: its signature.
        scores: in the order of the pairs.
        threshold: from which on an entity is present.
        work: a pair: "questions", and where measured "tokens", "computed", "seconds".
    """

    name: str
    judge: str
    scores: Sequence[Score]
    threshold: float
    work: Mapping[str, float | None] = field(default_factory=dict)


def read_work(path: str | Path) -> dict[str, float]:
    """Mean work a pair from JSON lines with ``prompts``, ``tokens``, ``computed`` and ``seconds``; others are skipped.

    Raises:
        InputError: no such file, or no such line in it.
    """
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    rows = []
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and all(isinstance(row.get(k), int | float) for k in ("prompts", *_WORK)):
            rows.append(row)
    if not rows:
        raise InputError("no line with prompts, tokens, computed and seconds", path=path)
    return {k: math.fsum(r[k] for r in rows) / len(rows) for k in ("prompts", *_WORK)}


def compare(
    rows: Sequence[SideBySide], pairs: Sequence[Pair], runs: Sequence[JudgeRun], *, n_resamples: int = 2000
) -> dict[str, Any]:
    """The content of ``judges.json``.

    Args:
        rows: judgments of people.
        pairs: the pairs that all runs have scored, in the same order.
        runs: at least one.
        n_resamples: of the bootstrap over images.
    """
    judges = []
    for run in runs:
        frame = frame_of(rows, pairs, run.scores)
        found = correlations(frame, HYPOTHESES, n_resamples=n_resamples)
        work = {key: run.work.get(key) for key in ("questions", *_WORK)}
        values = {figure: [getattr(s, figure) for s in run.scores] for figure in FIGURES}
        judges.append({
            "name": run.name, "signature": run.scores[0].signature, "judge": run.judge, "threshold": run.threshold,
            "scores": {k: [None if math.isnan(x) else x for x in v] for k, v in values.items()},
            "mean": {k: _known(v, statistics.fmean) for k, v in values.items()},
            "sd": {k: _known(v, statistics.stdev) for k, v in values.items()},
            "work": work, "correlations": [_plain(row) for row in found.to_dict("records")],
        })
    return {
        "what": "judges of PoSh on the captions of IIW-400 (CC BY 4.0, google/imageinwords); no texts",
        "made": datetime.now(UTC).date().isoformat(), "n": len(pairs),
        "ids": [p.id for p in pairs], "judges": judges,
        "agreement": [_agreement(a, b, n_resamples) for a, b in combinations(runs, 2)],
    }


def _agreement(first: JudgeRun, second: JudgeRun, n_resamples: int) -> dict[str, Any]:
    found = match(first.scores, second.scores)
    table = agreement_table(found.couples, n_resamples=min(n_resamples, 1000))
    return {
        "first": first.name, "second": second.name, "n_unmatched": found.n_unmatched, "measures": list(MEASURES),
        "rows": [_plain(row) for row in table.to_dict("records")],
    }


def _known(values: Iterable[float], of: Any) -> float | None:
    known = [v for v in values if not math.isnan(v)]
    return float(of(known)) if len(known) > 1 else None


def _plain(row: Mapping[Any, Any]) -> dict[str, Any]:
    """A row of a table as JSON takes it."""
    return {
        str(k): v.to_dict() if isinstance(v, Estimate) else None if isinstance(v, float) and math.isnan(v) else v
        for k, v in row.items()
    }


def best_point(run: FullRun, points: Sequence[Point], *, fewer: float = FEWER) -> Point | None:
    """The point with the largest share that asks so many times fewer questions than the full run."""
    full = sum(run.n_questions(i) for i in run.said)
    kept = [p for p in points if 0 < sum(p.n_second.values()) <= full / fewer]
    return max(kept, key=lambda p: p.share, default=None)


def build(
    rows: Sequence[SideBySide], pairs: Sequence[Pair], judge: Judge, first: Judge, *, raw: Judge | None = None,
    shares: Sequence[float] = SHARES, ways: Sequence[Literal["first", "all"]] = WAYS, folds: int = 5,
    work: Mapping[str, float] | None = None, second: Judge | None = None, n_resamples: int = 2000, data: str = "",
    prompts: str | Path | None = None, weights: Weights | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Policy]]:
    """Everything from the verdicts of one full run.

    Args:
        rows: judgments of people, beside ``pairs``.
        pairs: to be scored; those that ``judge`` cannot answer wholly are left out.
        judge: a replay of the full run, with its calibration if it has one.
        first: the cheap judge.
        raw: the same without its calibration, to be listed too.
        shares: points of the curve.
        ways: "first" and "all" identifiers.
        folds: of the cross-validation.
        work: of :func:`read_work`, measured in the full run.
        second: a live judge over the log, see :func:`~posh_lite.evaluation.cascade_curve.cascade_points`.
        n_resamples: of the bootstrap.
        data: name of the data, kept in the policy.
        prompts: the prompt file of the full run; by default the package's.
        weights: of ``first`` and the model, for a run of both.

    Returns:
        What goes into ``judges.json`` and ``cascade.json``, and the policies by the name of their file.

    Raises:
        InputError: too few pairs are complete.
        JudgeError: the weights are those of other judges.
    """
    from posh_lite.graph.extract import extract_graphs

    texts = list(dict.fromkeys(t for pair in pairs for t in (pair.generation, pair.reference)))
    graphs = dict(zip(texts, extract_graphs(texts), strict=True))
    run = full_run(pairs, judge, graphs=graphs, prompts=prompts)
    points = {
        w: cascade_points(run, first, shares, folds=folds, identifiers=w, second=second, prompts=prompts) for w in ways
    }
    kept = [n for n, pair in enumerate(pairs) if pair.id in run.scores]
    rows, pairs = [rows[n] for n in kept], [pairs[n] for n in kept]
    questions = math.fsum(run.n_questions(p.id) for p in pairs) / len(pairs)
    cheap = full_run(pairs, first, graphs=graphs, prompts=prompts)
    runs = [
        JudgeRun("lexical", first.signature, [cheap.scores[p.id] for p in pairs], first.presence_threshold,
                 {"questions": math.fsum(cheap.n_questions(p.id) for p in pairs) / len(pairs)}),
    ]
    if raw is not None:
        plain = full_run(pairs, raw, graphs=graphs, prompts=prompts)
        if not plain.incomplete:
            asked = math.fsum(plain.n_questions(p.id) for p in pairs) / len(pairs)
            scores = [plain.scores[p.id] for p in pairs]
            runs.append(JudgeRun("model", raw.signature, scores, raw.presence_threshold, {"questions": asked}))
    name = "model" if raw is None else "model, calibrated"
    runs.append(JudgeRun(
        name, judge.signature, [run.scores[p.id] for p in pairs], judge.presence_threshold,
        {"questions": questions, **{k: (work or {}).get(k) for k in _WORK}},
    ))
    both: dict[str, Any] = {}
    behind: JointCurve | None = None
    if weights is not None:
        model = run if raw is None or weights.second == run.signature else plain
        behind = joint_curve(pairs, first, model, weights, shares, graphs=graphs, folds=folds, prompts=prompts,
                             n_resamples=n_resamples, data=data)
        joint, both = combined_run(pairs, first, model, weights, graphs=graphs, prompts=prompts, second=second)
        runs.append(joint)
    for way, found in points.items():
        point = best_point(run, found)
        if point is not None:
            scores = [point.scores[p.id] for p in pairs]
            each = sum(point.n_second.values()) / len(pairs)
            runs.append(JudgeRun(f"cascade, {way}", _judge_of(scores[0]), scores, judge.presence_threshold,
                                 {"questions": each}))
    report = compare(rows, pairs, runs, n_resamples=n_resamples) | {"n_incomplete": len(run.incomplete)}
    report |= {"combined": both} if both else {}
    curve = {
        "what": "a cascade against the full run of its second judge, cross-validated by pair",
        "made": report["made"], "first": first.signature, "second": run.signature, "threshold": run.threshold,
        "n": len(pairs), "n_incomplete": len(run.incomplete), "folds": folds,
        "curve": [{"identifiers": way, **describe(run, p, n_resamples=n_resamples)}
                  for way, found in points.items() for p in found],
    }
    seen = [o for name in run.said for o in observe(first, run.said[name])]
    policies = {"policy.json": fit_policy(seen, first=first.signature, second=run.signature, data=data)}
    if behind is not None:
        curve["curve"] += behind.rows
        curve[JOINT] = behind.about
        policies["policy-combined.json"] = behind.policy
    return report, curve, policies


def combined_run(
    pairs: Sequence[Pair], first: Judge, run: FullRun, weights: Weights, *, graphs: Mapping[str, SceneGraph],
    prompts: str | Path | None = None, second: Judge | None = None,
) -> tuple[JudgeRun, dict[str, Any]]:
    """Score with both judges from the verdicts of a full run, and say what they lacked.

    Args:
        pairs: that the run has wholly.
        first: the judge beside.
        run: of the model.
        weights: of the two.
        graphs: scene graphs by text.
        prompts: the prompt file of the full run.
        second: a live judge over the log, asked in place of the record.

    Raises:
        JudgeError: the weights are those of other judges.
    """
    from posh_lite.judge.combined import CombinedJudge
    from posh_lite.metric.posh import PoSh

    answers = RecordedAnswers(run)
    if isinstance(second, CalibratedJudge):
        second = second.judge  # weights are of raw scores
    live = second is not None and second.signature == weights.second
    asked = Recorder(cast(Judge, second) if live else answers)
    judge = CombinedJudge(first, asked, weights)
    posh = PoSh(judge, progress=False, prompts=prompts)
    scores = [posh.score_graphs(graphs[p.generation], graphs[p.reference], id=p.id) for p in pairs]
    n_asked = len({(q.pair_id, q.prompt) for q, _ in asked.said})
    lacked = {
        "weights": weights.name, "data": weights.data, "date": weights.date, "other_name": answers.n_other_name,
        "unknown": len(answers.unknown),
    }
    work = {"questions": n_asked / len(pairs)}
    return JudgeRun("combined", judge.signature, scores, judge.presence_threshold, work), lacked


def _judge_of(score: Score) -> str:
    """The judge as the metric's signature names it."""
    return next((p.removeprefix("judge:") for p in score.signature.split("|") if p.startswith("judge:")), "")


def main(argv: Sequence[str] | None = None) -> int:
    """Write the three files and print the curve; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m posh_lite.evaluation.judges_report", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log", required=True, help="verdict log of the full run")
    parser.add_argument("--judge", default=None, help="signature, where the log holds several judges")
    parser.add_argument("--calibration", default=None, help="file of posh-lite calibrate for this judge")
    parser.add_argument("--weights", default=None, help="file of posh-lite calibrate --with lexical for this judge")
    parser.add_argument("--output", required=True, help="folder")
    parser.add_argument("--limit", type=int, default=None, help="only the first so many pairs")
    parser.add_argument("--shares", default=",".join(map(str, SHARES)), help="default: %(default)s")
    parser.add_argument("--folds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--work", default=None, help="JSON lines with prompts, tokens, computed and seconds")
    parser.add_argument("--ask", default=None, metavar="JUDGE", help="a live judge for what the log lacks")
    parser.add_argument("--prompts", default=None, help="prompt file of the full run, where it was not the package's")
    parser.add_argument("--resamples", type=int, default=2000, help="default: %(default)s")
    args = parser.parse_args(argv)
    try:
        return _run(args)
    except PoshLiteError as error:
        print(f"judges_report: {error}", file=sys.stderr)
        return 1


def _run(args: argparse.Namespace) -> int:
    from posh_lite.benchmarks.iiw import load_iiw400
    from posh_lite.judge.combined_weights import load_weights
    from posh_lite.judge.lexical import LexicalJudge
    from posh_lite.judge.log import LoggedJudge
    from posh_lite.judge.registry import make_judge
    from posh_lite.judge.replay import ReplayJudge

    try:
        shares = [float(part) for part in args.shares.split(",")]
    except ValueError:
        raise InputError(f"--shares takes numbers from 0 to 1 with commas, got {args.shares!r}") from None
    data = load_iiw400()
    replay = ReplayJudge(args.log, judge=args.judge)
    judge: Judge = replay if args.calibration is None else CalibratedJudge(replay, args.calibration)
    second: Judge | None = None
    if args.ask:
        second = LoggedJudge(make_judge(args.ask, scale=replay.scale), args.log)
        if args.calibration is not None:
            second = CalibratedJudge(second, args.calibration)
        if second.signature != judge.signature:
            raise InputError(f'--ask is the judge "{second.signature}", the log holds "{judge.signature}"')
    report, curve, policies = build(
        data.rows[:args.limit], data.pairs[:args.limit], judge, LexicalJudge(),
        raw=None if args.calibration is None else replay, shares=shares, folds=args.folds,
        work=read_work(args.work) if args.work else None, second=second, n_resamples=args.resamples, data="IIW-400",
        prompts=args.prompts, weights=None if args.weights is None else load_weights(args.weights),
    )
    place = Path(args.output)
    place.mkdir(parents=True, exist_ok=True)
    for name, content in (("judges.json", report), ("cascade.json", curve)):
        (place / name).write_text(json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n", "utf-8")
    for name, policy in policies.items():
        policy.save(place / name)
    print(f"{curve['n']} pairs, {curve['n_incomplete']} more are not complete in the log; wrote {place}")
    for row in curve["curve"]:
        figures = "  ".join(f"{name} {_number(row[name]['pearson']['value'])}" for name in FIGURES)
        times = "-" if row["times_fewer"] is None else f"{row['times_fewer']:.2f}"
        print(f"{row['identifiers']:8s} share {row['share']:.2f}  {times:>5s} times fewer  r: {figures}"
              f"  other name {row['other_name']}, unknown {row['unknown']}")
    return 0


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


if __name__ == "__main__":
    sys.exit(main())
