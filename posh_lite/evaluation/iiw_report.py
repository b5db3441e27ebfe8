"""PoSh and simple yardsticks against people on 100 real captions, and the record of that run.

``python -m posh_lite.evaluation.iiw_report`` scores the captions of IIW-400 and writes what the book shows where
the data is not at hand: figures, identifiers of images, signature and date, but no text of other people. A language
model takes hours: ``--judge gguf:FILE --log FILE --work FILE --output FOLDER`` scores pair by pair, says how far it is,
and adds what each pair took to a file; stopped at any moment, the same command goes on from the log.

The labels compare the human text with the caption of the same image, so a metric that takes the human text as its
reference should rise with them: omissions with Comprehensiveness and Specificity, mistakes with Hallucination,
overall with the mean of the five judgments.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.benchmarks.contract import DIMENSIONS
from posh_lite.errors import InputError, PoshLiteError
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.evaluation.correlation import correlate
from posh_lite.metric.score import Aggregation

if TYPE_CHECKING:
    import pandas as pd

    from posh_lite.benchmarks.iiw import SideBySide
    from posh_lite.metric.posh import PoSh
    from posh_lite.metric.score import Score
    from posh_lite.records import Pair

#: Which score is held against which judgment.
HYPOTHESES = (
    ("omissions", "Comprehensiveness"), ("omissions", "Specificity"), ("mistakes", "Hallucination"),
    ("overall", "mean of the five"),
)
MEAN = "mean of the five"
#: Columns ``mistakes_objects`` and so on: the same verdicts, put together otherwise.
OTHER_AGGREGATIONS: tuple[Aggregation, ...] = ("objects", "present")
RECORD = "report.json"


@dataclass(frozen=True, slots=True)
class Report:
    """One run: per-image figures, how it was made, and how long it took."""

    frame: pd.DataFrame  # one row an image: scores, yardsticks, labels
    signature: str
    judge: str
    made: str  # date, UTC
    seconds: dict[str, float]  # by part of the metric
    recorded: bool  # read from a file, not computed just now

    @property
    def n(self) -> int:
        return len(self.frame)


def measure(
    metric: PoSh, *, limit: int | None = None, work: str | Path | None = None, shown: bool = False
) -> tuple[Report, list[Score]]:
    """Score the captions with PoSh and with the yardsticks.

    Args:
        metric: PoSh with any judge.
        limit: only the first so many captions.
        work: file for what each pair takes a language model, see
            :func:`~posh_lite.evaluation.pair_work.score_measured`; then pairs are scored one at a time.
        shown: whether to print a line a pair to stderr where a language model judges; likewise.

    Raises:
        InputError: the data is not at hand, or ``work`` is given for a judge without a model.
    """
    from posh_lite.benchmarks.iiw import load_iiw400

    data = load_iiw400()
    rows, pairs = data.rows[:limit], data.pairs[:limit]
    before = dict(metric.timings.seconds)
    measured = work is not None or (shown and metric.usage is not None)
    scores = _one_by_one(metric, pairs, work, shown) if measured else metric.score_many(pairs)
    seconds = {name: value - before.get(name, 0.0) for name, value in metric.timings.seconds.items()}
    frame = frame_of(rows, pairs, scores)
    today = datetime.now(UTC).date().isoformat()
    return Report(frame, metric.signature, metric.judge.signature, today, seconds, False), scores


def _one_by_one(metric: PoSh, pairs: Sequence[Pair], work: str | Path | None, shown: bool) -> list[Score]:
    from posh_lite.evaluation.pair_work import score_measured

    scores = []
    for score, took, _ in score_measured(metric, pairs, work):
        scores.append(score)
        if shown:
            said = took.describe(1) if took.prompts else "all from the log"
            print(f"{len(scores)}/{len(pairs)} {score.id}: {said}", file=sys.stderr, flush=True)
    return scores


def frame_of(rows: Sequence[SideBySide], pairs: Sequence[Pair], scores: Sequence[Score]) -> pd.DataFrame:
    """Scores beside judgments and yardsticks, one row an image; the three belong together in order."""
    import pandas as pd

    from posh_lite.evaluation.yardsticks import yardsticks
    from posh_lite.metric.score import coarse

    made = []
    for row, score in zip(rows, scores, strict=True):
        sides = {side: len(score.of(side)) for side in ("generation", "reference")}
        others = {f"{name}_{how}": value for how in OTHER_AGGREGATIONS
                  for name, value in zip(DIMENSIONS, coarse(score.components, how), strict=False)}
        made.append({
            "id": score.id, "mistakes": score.mistakes, "omissions": score.omissions, "overall": score.overall,
            **others,
            "n_generation": sides["generation"], "n_reference": sides["reference"], "n_missing": score.n_missing,
            "component_ratio": sides["generation"] / max(sides["reference"], 1),
            **row.labels, MEAN: row.mean,
        })  # fmt: skip
    return pd.DataFrame(made).merge(yardsticks(pairs), on="id", validate="one_to_one")


def correlations(
    frame: pd.DataFrame, measures: Sequence[tuple[str, str]], *, length: str = "length_ratio",
    n_resamples: int = 2000, seed: int = 0,
) -> pd.DataFrame:
    """Spearman correlations of measures with labels, raw and with the length ratio partialled out.

    Args:
        frame: of a :class:`Report`.
        measures: pairs of columns, the measure and the label.
        length: the covariate; where it is the measure itself, the partial correlation is left out.
        n_resamples: draws of the bootstrap over images.
        seed: of these draws.

    Returns:
        Columns ``measure``, ``label``, ``raw`` and ``partial``, the last two of :class:`Estimate` or None.
    """
    import pandas as pd

    settings: dict[str, Any] = {"units": frame["id"].tolist(), "n_resamples": n_resamples, "seed": seed}
    rows = []
    for measure_name, label in measures:
        x, y = frame[measure_name].to_numpy(), frame[label].to_numpy()
        raw = correlate(x, y, **settings)
        partial: Estimate | None = None
        if measure_name != length:
            partial = correlate(x, y, "partial_spearman", given=[frame[length].to_numpy()], **settings)
        rows.append({"measure": measure_name, "label": label, "raw": raw, "partial": partial})
    return pd.DataFrame(rows)


def write_report(report: Report, folder: str | Path) -> Path:
    """Write figures, signature and date as JSON; returns the path. No text of a caption or description is in it."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    record = {
        "what": "PoSh and yardsticks on the captions of IIW-400 (CC BY 4.0, google/imageinwords); no texts",
        "made": report.made, "signature": report.signature, "judge": report.judge, "n": report.n,
        "seconds": {name: round(value, 2) for name, value in report.seconds.items()},
        # full precision: rounded values tie where the run's own do not, and the figures would differ
        "rows": json.loads(report.frame.to_json(orient="records", double_precision=15)),
    }  # fmt: skip
    path = place / RECORD
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return path


def read_report(folder: str | Path) -> Report:
    """Read what :func:`write_report` wrote.

    Raises:
        InputError: it is not there or not of the expected form.
    """
    import pandas as pd

    path = Path(folder) / RECORD
    try:
        record = json.loads(path.read_text("utf-8"))
        frame = pd.DataFrame(record["rows"])
        return Report(frame, record["signature"], record["judge"], record["made"], record["seconds"], True)
    except FileNotFoundError:
        how = "python -m posh_lite.evaluation.iiw_report"
        raise InputError(f"no recorded run; make one with {how}", path=path) from None
    except (KeyError, json.JSONDecodeError) as error:
        raise InputError(f"not a recorded run: {error}", path=path) from None


def live_or_recorded(metric: PoSh, folder: str | Path, *, limit: int | None = None) -> tuple[Report, list[Score]]:
    """The run of just now where the data is at hand, otherwise the recorded one, without scores to open."""
    from posh_lite.benchmarks.catalog import data_path

    try:
        data_path("iiw400")
    except InputError:
        return read_report(folder), []
    return measure(metric, limit=limit)


def main(argv: Sequence[str] | None = None) -> int:
    """Score, print the correlations and write the record; returns the exit status."""
    from posh_lite.commands.judges import add_judge_options

    parser = argparse.ArgumentParser(prog="python -m posh_lite.evaluation.iiw_report", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add_judge_options(parser)
    parser.add_argument("--calibration", metavar="FILE", help="of posh-lite calibrate for this judge")
    parser.add_argument("--prompts", metavar="FILE", help="a prompt file that replaces the package's")
    parser.add_argument("--identifiers", choices=("all", "lazy"), default="all", help="as for posh-lite score")
    parser.add_argument("--log", metavar="FILE", help="verdict log: what it holds is not asked again")
    parser.add_argument("--work", metavar="FILE", help="JSON lines of what each pair takes the model; added to")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N captions")
    parser.add_argument("--output", metavar="FOLDER", help="default: data/results/iiw400-JUDGE")
    parser.add_argument("--dry-run", action="store_true", help="print only")
    args = parser.parse_args(argv)
    try:
        return _run(args)
    except PoshLiteError as error:
        print(f"iiw_report: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        how = "the same command goes on from the log" if args.log else "with --log FILE it could go on from there"
        print(f"iiw_report: stopped; {how}", file=sys.stderr)
        return 130


def _run(args: argparse.Namespace) -> int:
    from posh_lite.commands.judges import judge_options, own_judges
    from posh_lite.metric.posh import PoSh

    plain = args.judge.isidentifier() and not (args.limit or args.calibration or args.prompts)
    if not (args.output or args.dry_run or plain):
        raise InputError("name a folder for this run: --output data/results/NAME, or print only: --dry-run")
    if args.limit is not None and args.limit < 1:
        raise InputError(f"--limit must be at least 1, got {args.limit}")
    own_judges(args.judge)
    metric = PoSh(
        args.judge, judge_options=judge_options(args), calibration=args.calibration, prompts=args.prompts,
        log=args.log, identifiers=args.identifiers, progress=False,
    )
    started = time.perf_counter()
    report, _ = measure(metric, limit=args.limit, work=args.work, shown=True)
    print(f"{report.n} captions in {time.perf_counter() - started:.1f} s, signature {report.signature}")
    for row in correlations(report.frame, HYPOTHESES).itertuples():
        print(f"{row.measure:10s} {row.label:18s} raw {row.raw}   given length {row.partial}")
    for note in metric.notes():
        print(f"note: {note}")
    if not args.dry_run:
        print(f"wrote {write_report(report, args.output or Path('data') / 'results' / f'iiw400-{args.judge}')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
