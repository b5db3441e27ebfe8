"""``posh-lite calibrate --with``: weigh two judges against each other, and the table that compares them."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from posh_lite.evaluation.bootstrap import Estimate
    from posh_lite.evaluation.labelled import LabelledSet
    from posh_lite.judge.combined_weights import Weights
    from posh_lite.judge.contract import Judge, Verdict


def weigh(
    options: argparse.Namespace, judge: Judge, data: LabelledSet, verdicts: Sequence[Verdict], start: float
) -> int:
    """Ask the other judge, fit, save and print a table.

    Args:
        options: of the command; ``beside`` names the other judge.
        judge: the one that was asked, as the second of the two.
        data: the questions.
        verdicts: its verdicts.
        start: of the run, by :func:`time.perf_counter`.

    Raises:
        InputError: there is not enough to fit on.
        JudgeError, MissingDependency: the other judge cannot be made.
    """
    from posh_lite.commands.calibrate import ask_labelled
    from posh_lite.evaluation.combine import fit_weights
    from posh_lite.judge.registry import make_judge

    first = make_judge(options.beside)
    said = (ask_labelled(first, data), verdicts)
    fitted = fit_weights(first, judge, data, said, criterion=options.criterion)
    fitted.save(options.output)
    if not options.quiet:
        for name, value in rows(fitted, judge, time.perf_counter() - start):
            print(f"{name:<18}  {value}")
        for line in advice(fitted, options):
            print(f"posh-lite: note: {line}", file=sys.stderr)
    return 0


def rows(fitted: Weights, judge: Any, seconds: float) -> list[tuple[str, str]]:
    """The lines of the table."""
    accuracy = fitted.accuracy
    whom = "entities" if fitted.threshold_from == "entity" else "all questions, too few on entities"
    asked = f"{fitted.n:,} of {fitted.data}, {fitted.n_missing:,} not read by both"
    lines = [("first judge", fitted.first), ("second judge", fitted.second), ("questions", asked)]
    head = ("first", "second", "both", "both - first", "both - second")
    lines.append(("AUC", "".join(f"{name:<24}" for name in head).rstrip()))
    for kind, found in fitted.auc.items():
        lines.append((f"  {kind}", "".join(f"{interval(found[name]):<24}" for name in head).rstrip()))
    lines.append(("", '"both" is of works left out of the fit; differences are paired over works'))
    for kind, line in fitted.lines["both"].items():
        slopes = f"first {line.first:.2f}, second {line.second:.2f} a standard deviation, height {line.height:.2f}"
        lines.append(("weights" if kind == "entity" else "", f"{kind}: {slopes}"))
    lines.append(("", f'slopes {"by" if fitted.by_kind else "alike for every"} kind, by the loss on works left out'))
    lines.append(("threshold", f"{fitted.threshold:.2f} (fitted on {whom})"))
    for name, figures in (
        ("called rightly", (accuracy.share_at_two, accuracy.share, accuracy.share_held_out)),
        ("balanced accuracy", (accuracy.balanced_at_two, accuracy.balanced, accuracy.balanced_held_out)),
    ):
        lines.append((name, "{:.2f} at 2, {:.2f} at the fitted threshold, {:.2f} on works left out".format(*figures)))
    return [*lines, *took(judge, seconds)]


def interval(estimate: Estimate) -> str:
    """``0.940 [0.910, 0.970]``; a dash where it is undefined."""
    if estimate.value != estimate.value:
        return "-"
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"


def took(judge: Any, seconds: float) -> list[tuple[str, str]]:
    """What came from the verdict log, and the time."""
    lines = []
    if hasattr(judge, "n_known"):
        lines.append(("verdict log", f"{judge.n_known:,} answered from it, {judge.n_asked:,} newly asked"))
    return [*lines, ("time", f"{seconds:.1f} s")]


def advice(fitted: Weights, options: argparse.Namespace) -> list[str]:
    """What is odd about the two, and what to do next."""
    found = []
    gain = fitted.auc["all"]
    for name, other in (("first", fitted.first), ("second", fitted.second)):
        if not gain[f"both - {name}"].low > 0:
            found.append(f"both together are not shown to rank better than the {name} judge alone ({other})")
    for kind, line in fitted.lines["both"].items():
        for name in ("first", "second"):
            if getattr(line, name) == 0:
                found.append(f"the {name} judge counts for nothing on a question of kind {kind}")
    if fitted.data.startswith("mini") and "lexical" in fitted.first:
        found.append("all works of mini were read while the rules of the lexical judge were made, so that its figures"
                     " and those of both are too good there; the comparison with the second judge alone is affected,"
                     " too")
    log = f" --log {shlex.quote(options.log)}" if options.log else ""
    first = "" if options.beside == "lexical" else f" --judge-option first={options.beside}"
    both = shlex.quote(f"combined:{options.judge}")
    found.append(f"to score with both: posh-lite score PAIRS.jsonl --judge {both}{first}{log}"
                 f" --judge-option weights={shlex.quote(options.output)}")
    return found
