"""The genericity judge against people: ``python -m posh_lite.position.generic_report``.

FaithScore's annotators marked each part of a vision-language model's answers as descriptive of the image or as
analytical. A generic sentence is what they call analytical, so g should rank analytical parts above descriptive ones.
In the file the value 1 stands for descriptive and 0 for analytical (checked by eye; the readme beside it words it the
other way round). Weights and word lists were made on the first 45 answers of the file; the rest is reported apart.

The record holds figures and identifiers of images, and no text of others.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posh_lite.benchmarks.catalog import data_path
from posh_lite.errors import InputError, PoshLiteError
from posh_lite.position.generic import LexicalGenericity
from posh_lite.records import read_jsonl

#: Answers at the start of the file that the judge was made on.
DEVELOPED_ON = 45
RECORD = Path("data/results/faithscore/genericity.json")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an answer as people labelled it."""

    image: str
    answer: int  # number of the answer in the file, from 0
    text: str
    analytical: bool


def read_parts(path: str | Path) -> list[Part]:
    """The labelled parts of FaithScore's annotation file, in its order.

    Raises:
        InputError: a line lacks a field, or a label is not 0 or 1.
    """
    found = []
    for number, (line, row) in enumerate(read_jsonl(path)):
        try:
            image, labels = str(row["id"]), dict(row["stage 1"])
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"no annotated answer: {error!r}", path=path, line=line) from None
        for text, label in labels.items():
            if label not in (0, 1):
                raise InputError(f"label {label!r} is not 0 or 1", path=path, line=line, field="stage 1")
            found.append(Part(image, number, text, label == 0))
    return found


def report(parts: Sequence[Part], judge: LexicalGenericity | None = None, *, n_resamples: int = 2000) -> dict[str, Any]:
    """ROC AUC of g for "analytical", by half of the answers, with intervals over images and over answers.

    Args:
        parts: in the order of the file.
        judge: the embedded one by default.
        n_resamples: of each bootstrap.
    """
    from posh_lite.evaluation.bootstrap import ratio
    from posh_lite.evaluation.calibrate import auc

    judge = judge or LexicalGenericity()
    judged = [judge.judge(p.text) for p in parts]
    halves = {
        "developed on": [k for k, p in enumerate(parts) if p.answer < DEVELOPED_ON],
        "held out": [k for k, p in enumerate(parts) if p.answer >= DEVELOPED_ON],
        "all": list(range(len(parts))),
    }
    rows: dict[str, Any] = {}
    for name, at in halves.items():
        scores = [judged[k].score for k in at]
        labels = [int(parts[k].analytical) for k in at]
        images, answers = [parts[k].image for k in at], [parts[k].answer for k in at]
        right = [float(judged[k].generic == parts[k].analytical) for k in at]
        rows[name] = {
            "parts": len(at),
            "analytical": sum(labels),
            "images": len(set(images)),
            "answers": len(set(answers)),
            "auc_over_images": auc(scores, labels, units=images, n_resamples=n_resamples).to_dict(),
            "auc_over_answers": auc(scores, labels, units=answers, n_resamples=n_resamples).to_dict(),
            "accuracy_over_images": ratio(
                right, [1.0] * len(right), units=images, method="accuracy", n_resamples=n_resamples
            ).to_dict(),
        }
    return {
        "dataset": "faithscore", "label": "analytical (0 in the file)",
        "developed_on": f"the first {DEVELOPED_ON} answers",
        "judge": judge.signature, "threshold": judge.threshold, "halves": rows,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the record and print its figures."""
    parser = argparse.ArgumentParser(
        prog="python -m posh_lite.position.generic_report",
        description="Hold the embedded genericity judge against FaithScore's labels: descriptive or analytical.",
        epilog="The file is found under POSH_LITE_DATA or after `posh-lite data fetch faithscore`.",
    )
    parser.add_argument("-o", "--output", type=Path, default=RECORD, help=f"record to write (default: {RECORD})")
    parser.add_argument("--boot", type=int, default=2000, metavar="B", help="resamples (default: 2000)")
    options = parser.parse_args(arguments)
    try:
        found = report(read_parts(data_path("faithscore")), n_resamples=options.boot)
    except PoshLiteError as error:
        print(error, file=sys.stderr)
        return 1
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for name, row in found["halves"].items():
        area = row["auc_over_images"]
        print(
            f"{name}: AUC {area['value']:.3f} [{area['low']:.3f}, {area['high']:.3f}],"
            f" {row['parts']} parts of {row['answers']} answers on {row['images']} images"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
