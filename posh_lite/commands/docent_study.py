"""The actions of ``posh-lite docent`` for a study of one's own: tasks out, annotations in, agreement."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError

if TYPE_CHECKING:
    from posh_lite.benchmarks.contract import Gold
    from posh_lite.benchmarks.label_studio_study import Study

_TASKS = """what it does:
  Pairs come as JSON Lines with id, generation and reference; "model" names what wrote the generation, and "image"
  which pairs belong together (default: the part of the id before the last slash). Two kinds of tasks are made:
    granular  mark what is wrong in a generation, and what it leaves out in the reference
    coarse    compare two generations of an image in five steps: mistakes, omissions, overall quality
  There is one file of tasks for each annotator and kind, and one configuration for each kind. In Label Studio make a
  project for each annotator and kind (the free edition cannot assign tasks), paste the configuration into
  Settings > Labeling Interface > Code, and import the file. Everybody gets the images in an order of their own; nobody
  sees a generation twice in comparisons where there are enough people. A share of the tasks goes to several, so that
  agreement can be computed. When all is done: Export > JSON, and `posh-lite docent agreement *.json`.

examples:
  posh-lite docent tasks pairs.jsonl -o study --annotators ann,ben,cleo
  posh-lite docent tasks pairs.jsonl -o study --annotators ann,ben,cleo --kind coarse --overlap 0.3 --seed 1
"""
_AGREEMENT = """what the figures are:
  F1, F1@50     marks of two people that find each other: one word in common, or half of a mark's words
  R, R@50       share of the expert's marks that the others found
  alpha         Krippendorff's: 1 is agreement, 0 what chance would give; ratings as names, ranks or distances
  Fleiss' kappa of several people on the tasks that most have judged equally often
  r, difference Pearson's r with the expert, and the mean absolute difference in steps
  kappa         Cohen's, with the expert; quadratic counts a difference by its square
  Intervals draw images anew. A figure that is not defined says why.

examples:
  posh-lite docent agreement granular.json coarse.json --expert cleo
  posh-lite docent agreement data/annotation --names data/annotation/names.txt --expert expert
"""


def add_study_parsers(actions: Any) -> None:
    """Declare the actions and their options."""
    raw = argparse.RawDescriptionHelpFormatter
    tasks = actions.add_parser("tasks", help="make annotation tasks for Label Studio", epilog=_TASKS,
                               description="Make tasks for Label Studio, and say who judges what.",
                               formatter_class=raw)  # fmt: skip
    tasks.add_argument("pairs", metavar="PAIRS.jsonl", help="what is to be judged")
    tasks.add_argument("-o", "--output", required=True, metavar="DIR", help="where tasks and configurations go")
    tasks.add_argument("--annotators", required=True, metavar="A,B,...", help="names, joined by commas")
    tasks.add_argument("--kind", choices=("granular", "coarse", "both"), default="both", help="(default: both)")
    tasks.add_argument("--overlap", type=float, default=0.15, metavar="SHARE",
                       help="of the tasks that several judge (default: 0.15, as in the paper)")
    tasks.add_argument("--extra", type=int, metavar="N",
                       help="further judgments of these (default: 1 for granular, 2 for coarse, as in the paper)")
    tasks.add_argument("--images", metavar="FILE.json", help="addresses of the pictures, by image")
    tasks.add_argument("--seed", type=int, default=0, help="of every draw (default: 0)")
    tasks.set_defaults(run=_tasks)
    annotations = actions.add_parser(
        "annotations", help="read Label Studio's export into the columns of the published sets",
        description="Read exports of Label Studio (format JSON), write granular.jsonl and coarse.jsonl in the columns"
        " of the published sets, with the annotator as one more column.",
    )
    _add_exports(annotations)
    annotations.add_argument("-o", "--output", required=True, metavar="DIR", help="where the files go")
    annotations.set_defaults(run=_annotations)
    agreement = actions.add_parser("agreement", help="how far the annotators of a study agree", epilog=_AGREEMENT,
                                   description="Agreement of a study's annotators, with intervals over images.",
                                   formatter_class=raw)  # fmt: skip
    _add_exports(agreement)
    agreement.add_argument("--expert", metavar="NAME", help="held against all others, and left out of their agreement")
    agreement.add_argument("-n", type=int, default=2000, metavar="N", dest="resamples",
                           help="draws of the bootstrap over images (default: 2000)")
    agreement.add_argument("-o", "--output", metavar="FILE.csv", help="write the table, too")
    agreement.set_defaults(run=_agreement)


def _add_exports(action: argparse.ArgumentParser) -> None:
    action.add_argument("exports", nargs="+", metavar="EXPORT.json", help="files of the format JSON, or a folder")
    action.add_argument("--names", metavar="FILE", help="lines NUMBER=NAME (or E-MAIL=NAME) of the annotators")
    action.add_argument("--offsets", choices=("auto", "characters", "utf16"), default="auto",
                        help="how marks are counted (default: auto, by the words that come with them)")


def read_names(path: str | None) -> dict[str, str]:
    """Names of annotators by what an export calls them, from lines ``NUMBER=NAME``.

    Raises:
        InputError: no such file, or a line of another form.
    """
    if path is None:
        return {}
    try:
        lines = Path(path).read_text("utf-8-sig").splitlines()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    found = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        who, equals, name = (part.strip() for part in line.partition("="))
        if not (equals and who and name):
            raise InputError("expected NUMBER=NAME", path=path, line=number)
        found[who] = name
    return found


def _study(options: argparse.Namespace) -> Study:
    from posh_lite.benchmarks.label_studio_import import read_export

    gold: Gold = "constructed" if all(map(_is_example, options.exports)) else "people"
    study = read_export(options.exports, names=read_names(options.names), offsets=options.offsets, gold=gold)
    if not (study.annotators or study.skipped or study.open):
        raise InputError("holds no task", path=", ".join(map(str, options.exports)))
    said = f"{len(study.spans):,} granular and {len(study.coarse):,} coarse judgments by {', '.join(study.annotators)}"
    print(f"{said}; {study.skipped:,} skipped, {study.open:,} tasks not answered")
    if study.gold == "constructed":
        print("note: constructed annotations, nobody was asked")
    for note in study.notes:
        print(f"note: {note}")
    return study


def _is_example(path: str) -> bool:
    """Whether an export is of the constructed study of the checkout."""
    from posh_lite.benchmarks.docent_example import find_study

    try:
        example = find_study().resolve()
    except InputError:
        return False
    return example in (place := Path(path).resolve(), *place.parents)


def _tasks(options: argparse.Namespace) -> int:
    from posh_lite.benchmarks.label_studio import KINDS, coarse_tasks, config, export, granular_tasks
    from posh_lite.benchmarks.label_studio_assign import assign
    from posh_lite.records import read_pairs

    pairs = list(read_pairs(options.pairs))
    if not pairs:
        raise InputError("holds no pair", path=options.pairs)
    images = _addresses(options.images)
    annotators = [name.strip() for name in options.annotators.split(",") if name.strip()]
    place = Path(options.output)
    for name in annotators:
        if any(c in name for c in '/\\:*?"<>|') or name.startswith("."):
            raise InputError(f'the annotator "{name}" cannot be part of a file name')
    for kind in KINDS if options.kind == "both" else (options.kind,):
        made = granular_tasks(pairs) if kind == "granular" else coarse_tasks(pairs, seed=options.seed)
        if not made:
            raise InputError(f"there is nothing to compare: no image has two generations (--kind {kind})",
                             path=options.pairs)  # fmt: skip
        given = assign(made, annotators, overlap=options.overlap, extra=options.extra, seed=options.seed)
        place.mkdir(parents=True, exist_ok=True)
        (place / f"config-{kind}.xml").write_text(config(kind, images=images is not None), "utf-8")
        for name, mine in given.tasks.items():
            rows = export(mine, annotator=name, images=images)
            target = place / f"{kind}-{name}.json"
            target.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", "utf-8")
            print(f"{target}: {_count(len(mine))}")
        print(f"{kind}: {_count(len(made))}, {given.overlapping:,} of them for several annotators"
              + (f"; {given.repeats:,} times somebody sees a generation again: name more annotators"
                 if given.repeats else ""))  # fmt: skip
    return 0


def _count(tasks: int) -> str:
    return f"{tasks:,} task{'' if tasks == 1 else 's'}"


def _addresses(path: str | None) -> dict[str, str] | None:
    if path is None:
        return None
    try:
        found = json.loads(Path(path).read_text("utf-8-sig"))
    except (OSError, ValueError) as error:
        raise InputError(f"not readable as JSON: {error}", path=path) from None
    if not isinstance(found, dict) or not all(isinstance(v, str) for v in found.values()):
        raise InputError("expected an object with an address for each image", path=path)
    return found


def _annotations(options: argparse.Namespace) -> int:
    from posh_lite.benchmarks.label_studio_study import write_study

    for path in write_study(_study(options), options.output):
        print(path)
    return 0


def _agreement(options: argparse.Namespace) -> int:
    from posh_lite.evaluation.annotators_report import agreement, agreement_frame

    if options.resamples < 1:
        raise InputError(f"-n must be at least 1, got {options.resamples}")
    if options.output and not (folder := Path(options.output).resolve().parent).is_dir():
        raise InputError(f"the folder {folder} does not exist", path=options.output)
    if options.output and Path(options.output).is_dir():
        raise InputError("is a folder, expected a file", path=options.output)
    figures = agreement(_study(options), expert=options.expert, n_resamples=options.resamples)
    print(f"{'among':<11} {'dimension':<10} {'measure':<17} {'value':>6}  {'95% interval':<14} {'n':>4} images")
    for one in figures:
        e = one.estimate
        interval = "" if math.isnan(e.low) else f"{e.low:.2f} to {e.high:.2f}"
        value = "–" if math.isnan(e.value) else f"{e.value:.3f}"
        why = f"  {e.reason}" if e.reason else ""
        shown = f"{one.among:<11} {one.dimension:<10} {one.measure:<17} {value:>6}  {interval:<14}"
        print(f"{shown} {e.n:>4} {e.n_units:>6}{why}")
    if options.output:
        agreement_frame(figures).to_csv(options.output, index=False)
    return 0
