"""``posh-lite calibrate``: fit a judge's presence threshold and map on questions whose answers are known."""

from __future__ import annotations

import argparse
import sys
import time
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.commands.calibrate_two import took, weigh
from posh_lite.commands.files import check_target
from posh_lite.commands.judges import add_judge_options, judge_options, own_judges
from posh_lite.errors import InputError
from posh_lite.judge.calibration import CRITERIA, METHODS

if TYPE_CHECKING:
    from posh_lite.evaluation.labelled import LabelledSet
    from posh_lite.judge.calibration import Calibration, Method
    from posh_lite.judge.contract import Judge, Verdict
    from posh_lite.judge.prompts import Prompts

_EPILOG = """what it does:
  The paper calls an entity present from a score of 2 on, for its own judge. Another model uses the scale otherwise: a
  small one may rank statements well and still give none of them less than 2. The command asks the judge questions
  whose answers are known, finds the threshold that calls most of them rightly, and a map from its scores to the
  share of such questions that are true (isotonic: a rising curve of any form; platt: a logistic one, for few
  questions; threshold: no map). The file names the judge, the data and how well it does on works left out.

data:
  mini is the embedded corpus: captions with planted mistakes and omissions. Labels of your own come as JSON Lines:
    {"id": "7", "generation": "A red cat.", "reference": "A black cat.",
     "side": "generation", "span": [2, 5], "label": 0}          (on one line)
  side says which text the span lies in, label whether the other text bears it out (1) or not (0). Everything with
  words of its own in the span is labelled; lines of one pair repeat its id and texts; "image" names what is left out
  together.

two judges:
  --with lexical weighs the judge's answers against those of another, which is asked the same questions, and writes
  weights for --judge combined:JUDGE --judge-option weights=FILE. The table compares both together, always on works
  left out, with each alone. All works of mini were read while the rules of the lexical judge were made: its figures
  there flatter it.

examples:
  posh-lite calibrate --judge gguf:model.gguf --log model.sqlite -o model.calibration.json
  posh-lite calibrate --judge gguf:model.gguf --scale yes-no --log model.sqlite --method platt -o yes.calibration.json
  posh-lite calibrate --judge replay --log model.sqlite --method threshold -o plain.calibration.json
  posh-lite calibrate --judge gguf:model.gguf --with lexical --log model.sqlite -o model.weights.json
  posh-lite score pairs.jsonl --judge gguf:model.gguf --calibration model.calibration.json -o scores.jsonl
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    command = commands.add_parser(
        "calibrate", help="fit a judge's threshold and calibration on questions with known answers", epilog=_EPILOG,
        description="Fit the presence threshold of a judge, and a map of its scores, on labelled questions.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_judge_options(command)
    command.add_argument("-o", "--output", required=True, metavar="FILE.json", help="where the calibration goes")
    command.add_argument("--log", metavar="FILE", help="verdict log (SQLite): a run that was cut off goes on from it,"
                         " and another method asks nothing anew")
    command.add_argument("--data", default="mini", metavar="mini|FILE.jsonl", help="labelled questions (default: mini)")
    command.add_argument("--with", metavar="NAME", dest="beside",
                         help="weigh the judge against this one (lexical) instead: weights for the judge combined")
    command.add_argument("--method", choices=METHODS, help="of the map (default: isotonic)")
    command.add_argument("--criterion", choices=CRITERIA, default="share",
                         help="of the threshold: the share of entities called rightly as true and false ones come"
                         " (default), or balanced accuracy, which counts the rare false ones as much as the true")
    command.add_argument("--pairs-per-work", type=int, default=3, metavar="N", dest="pairs",
                         help="captions of each work of mini; questions on few captions are cheaper, since they share"
                         " texts (default: 3; 6 is all)")
    command.add_argument("-n", type=int, default=600, metavar="N", dest="number",
                         help="about how many questions, true and false ones evenly (default: 600; 0 is all)")
    command.add_argument("--seed", type=int, default=0, help="of the draw (default: 0)")
    command.add_argument("--prompts", metavar="FILE", help="a prompt file that replaces the package's")
    command.add_argument("--quiet", action="store_true", help="no progress and no table")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Ask, fit, save and print a table. See :func:`add_parser` for the options."""
    for name, value, least in (("--pairs-per-work", options.pairs, 1), ("-n", options.number, 0),
                               ("--seed", options.seed, 0)):
        if value < least:
            raise InputError(f"{name} must be at least {least}, got {value}")
    if options.beside is not None and options.method is not None:
        raise InputError("--with weighs two judges by a logistic model; --method is of the map of one")
    if options.output == "-":
        raise InputError("-o needs a file name")
    if options.data != "mini" and not Path(options.data).is_file():
        raise InputError('no such file; give "mini" or labelled spans as JSON Lines', path=options.data)
    check_target(options.output, options.data, replaced=True)
    if options.log is not None:
        check_target(options.log, options.data, changed=options.judge.partition(":")[0] != "replay")
        if Path(options.log).absolute() == Path(options.output).absolute():
            raise InputError("calibration and log need names of their own")
    settings = judge_options(options)
    own_judges(options.judge)
    own_judges(options.beside or "")
    from posh_lite.evaluation.calibrate import calibrate
    from posh_lite.metric.posh import PoSh

    posh = PoSh(options.judge, log=options.log, prompts=options.prompts, progress=False, judge_options=settings)
    data = _data(options, posh.prompts, bool(getattr(posh.judge, "structural", True)))
    if not options.quiet:
        print(f"posh-lite: {data}", file=sys.stderr)
    start = time.perf_counter()
    verdicts = ask_labelled(posh.judge, data, shown=sys.stderr.isatty() and not options.quiet)
    if options.beside is not None:
        return weigh(options, posh.judge, data, verdicts, start)
    method: Method = options.method or "isotonic"
    fitted = calibrate(posh.judge, data, verdicts, method=method, criterion=options.criterion)
    fitted.save(options.output)
    if not options.quiet:
        for name, value in rows(fitted, posh.judge, time.perf_counter() - start):
            print(f"{name:<18}  {value}")
        for line in advice(fitted, options):
            print(f"posh-lite: note: {line}", file=sys.stderr)
    return 0


def _data(options: argparse.Namespace, prompts: Prompts, structural: bool) -> LabelledSet:
    from posh_lite.evaluation.labelled import labelled_questions, read_labelled

    number = options.number or None
    if options.data != "mini":
        return read_labelled(options.data, n=number, seed=options.seed, prompts=prompts, structural=structural)
    from posh_lite.benchmarks.mini import load_mini

    return labelled_questions(
        load_mini(), n=number, pairs=options.pairs, seed=options.seed, prompts=prompts, structural=structural
    )


def ask_labelled(judge: Judge, data: LabelledSet, *, shown: bool = False) -> list[Verdict]:
    """The judge's verdicts on labelled questions, in order; those about the same texts are asked together.

    Args:
        judge: with a log around it, a run that was cut off goes on where it was.
        data: the questions.
        shown: whether to show a bar on stderr.
    """
    from tqdm import tqdm

    from posh_lite.judge.check import ask
    from posh_lite.judge.nested import prime_all

    questions = [item.question for item in data.items]
    prime_all((judge,), {id(q.source): q.source for q in questions if q.source is not None}.values())
    verdicts: list[Verdict] = []
    with tqdm(total=len(questions), unit=" question", desc="asking", disable=not shown, file=sys.stderr,
              dynamic_ncols=True) as bar:  # fmt: skip
        for _, group in groupby(questions, key=lambda q: (q.pair_id, q.side)):
            part = list(group)
            verdicts += ask(judge, part)
            bar.update(len(part))
    return verdicts


def rows(fitted: Calibration, judge: Any, seconds: float) -> list[tuple[str, str]]:
    """The lines of the table."""
    accuracy = fitted.accuracy
    whom = "entities" if fitted.threshold_from == "entity" else "all questions, too few on entities"
    lines = [("judge", fitted.judge), ("questions", f"{fitted.n:,} of {fitted.data}, {fitted.n_missing:,} not read")]
    for kind, estimate in fitted.auc.items():
        lines.append(("AUC" if kind == "all" else f"  {kind}", str(estimate)))
    lines.append(("raw scores", f"standard deviation {fitted.spread:.2f} on 1 to 5"))
    mapped = "" if fitted.method == "threshold" else f" on the raw scale, {fitted.threshold:.2f} on the calibrated one"
    lines.append(("threshold", f"{fitted.raw_threshold:.2f}{mapped} (fitted on {whom})"))
    for name, figures in (
        ("called rightly", (accuracy.share_at_two, accuracy.share, accuracy.share_held_out)),
        ("balanced accuracy", (accuracy.balanced_at_two, accuracy.balanced, accuracy.balanced_held_out)),
    ):
        lines.append((name, "{:.2f} at 2, {:.2f} at the fitted threshold, {:.2f} on works left out".format(*figures)))
    if fitted.curves:
        own = [k for k in fitted.curves if k != "all"]
        lines.append(("map", f"{fitted.method}, " + (f'own ones for {", ".join(own)}' if own else "one for all kinds")))
    return [*lines, *took(judge, seconds)]


def advice(fitted: Calibration, options: argparse.Namespace) -> list[str]:
    """What is odd about the judge, and what to do next."""
    from posh_lite.evaluation.calibrate import is_flat

    found = []
    if is_flat(fitted):
        found.append(f"the scores hardly vary (standard deviation {fitted.spread:.2f} on 1 to 5): the judge hardly"
                     " judges; try another scale (--scale yes-no) or model")
    if fitted.auc["all"].low <= 0.5:
        found.append("the interval of the AUC reaches 0.50: the judge may be guessing, and no threshold helps that")
    if fitted.n_missing * 20 > fitted.n:
        found.append(f"{fitted.n_missing:,} verdicts could not be read: does the model follow the prompt?")
    if fitted.accuracy.balanced <= 0.5:
        found.append("the threshold calls every entity present: as true and false ones come, that is right most often"
                     " with this judge")
    log = f" --log {options.log}" if options.log else ""
    found.append(f"to score with it: posh-lite score PAIRS.jsonl --judge {options.judge}{log}"
                 f" --calibration {options.output}")
    return found
