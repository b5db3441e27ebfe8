"""Audits beside a report: sheets for people who see the images, and what they answered.

Three of the audits of "Where Do Long Captions Fail?" (appendices J.2 and J.4): supported claims, contradicted
sentences, and generic sentences of the last quarter. A label follows from a text; only somebody who looks at the image
can say whether it is right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from posh_lite.errors import InputError
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.position.audits import Answered, corrected, join, read_sheet, sheet_kappa, tally
from posh_lite.position.effects import EFFECTS, SHOWN, diagnose
from posh_lite.position.report import plain, said
from posh_lite.position.sheets import (
    IMAGE_ANSWERS,
    KEY,
    RESIDUAL_ANSWERS,
    AuditItem,
    NothingToDraw,
    read_key,
    sample_claims,
    sample_sentences,
    write_sheet,
)
from posh_lite.position.types import CaptionProfile, Label

CLAIMS, SENTENCES, TAIL = "audit-claims", "audit-sentences", "audit-tail"


@dataclass(frozen=True, slots=True)
class Audit:
    """One kind of audit.

    Attributes:
        folder: under that of the report.
        about: what its lines are, for a heading.
        question: above the sheet.
        answers: that may be given.
        labels: an answer -> the label that a sentence with it gets; empty where no label is at stake.
    """

    folder: str
    about: str
    question: str
    answers: tuple[str, ...]
    labels: dict[str, Label]

    def sample(self, profiles: Sequence[CaptionProfile], n: int, seed: int) -> list[AuditItem]:
        """Lines of a sheet; none where there is nothing to draw from.

        Raises:
            ValueError: ``n`` is below 1.
        """
        draw: dict[str, Callable[[], list[AuditItem]]] = {
            CLAIMS: lambda: sample_claims(profiles, n, seed=seed),
            SENTENCES: lambda: sample_sentences(profiles, "Contradicted", n, seed=seed),
            TAIL: lambda: sample_sentences(profiles, "Generic", n, quartiles=(4,), seed=seed),
        }
        try:
            return draw[self.folder]()
        except NothingToDraw:
            return []


AUDITS = (
    Audit(CLAIMS, "Supported claims", "Does the image show this?", IMAGE_ANSWERS, {}),
    Audit(SENTENCES, "Contradicted sentences", "Is this true of the image?", IMAGE_ANSWERS, {"confirmed": "Supported"}),
    Audit(TAIL, "Generic sentences of the last quarter", "What is this sentence?", RESIDUAL_ANSWERS,
          {"correct, not in the reference": "Supported", "visually incorrect": "Contradicted"}),
)


def write_audits(profiles: Sequence[CaptionProfile], folder: Path, n: int, *, seed: int = 0) -> list[Path]:
    """Write the sheets, each into a folder of its own.

    Args:
        profiles: of the report.
        folder: of the report.
        n: lines of a sheet at most.
        seed: of the draws.

    Returns:
        The folders; an audit that has nothing to draw from has none.

    Raises:
        InputError: a sheet is there already: it may be filled in.
    """
    for audit in AUDITS:
        if (folder / audit.folder).exists():
            raise InputError("is there already, perhaps filled in; move it, or leave out --sheet",
                             path=folder / audit.folder)
    written = []
    for audit in AUDITS:
        items = audit.sample(profiles, n, seed)
        if items:
            write_sheet(items, folder / audit.folder, answers=audit.answers, question=audit.question)
            written.append(folder / audit.folder)
    return written


def read_audits(
    profiles: Sequence[CaptionProfile], sheets: Sequence[str | Path], *, n_resamples: int = 2000, seed: int = 0
) -> str:
    """What filled sheets say, as Markdown: shares of answers, agreement, and effects with the labels they correct.

    Args:
        profiles: that the sheets were drawn from.
        sheets: files named as they like, each in the folder of its key; several of one folder are annotators.
        n_resamples: of each bootstrap.
        seed: of the draws.

    Raises:
        InputError: a file is missing, is no sheet, or is in no folder of an audit.
    """
    by_folder: dict[Path, list[Path]] = {}
    for sheet in map(Path, sheets):
        if not sheet.is_file():
            raise InputError("no such sheet", path=sheet)
        by_folder.setdefault(sheet.resolve().parent, []).append(sheet)
    known = {a.folder: a for a in AUDITS}
    parts = ["# Audits\n"]
    for place, own in by_folder.items():
        audit = known.get(place.name)
        if audit is None or not (place / KEY).is_file():
            raise InputError(f"a sheet lies in its folder, one of {', '.join(known)}, with {KEY} beside it",
                             path=own[0])
        parts += _of_one(audit, profiles, read_key(place / KEY), own, {"n_resamples": n_resamples, "seed": seed})
    return "\n".join(parts)


def _of_one(
    audit: Audit, profiles: Sequence[CaptionProfile], key: Sequence[AuditItem], sheets: Sequence[Path],
    settings: dict[str, Any],
) -> list[str]:
    told = [read_sheet(path, audit.answers) for path in sheets]
    try:
        rows = join(key, told)
    except ValueError as error:
        raise InputError(str(error), path=sheets[0]) from None
    open_ = sum(r.answer is None for r in rows)
    parts = [f"## {audit.about}\n",
             f"{len(rows)} lines, {len(sheets)} sheet{'s' if len(sheets) > 1 else ''}; {open_} without an answer, or"
             " with answers that differ.\n"]
    parts += [f"- {answer}: {said(share)}" for answer, share in tally(rows, audit.answers).items()]
    for (a, one), (b, two) in combinations(zip(sheets, told, strict=True), 2):
        parts.append(f"- kappa of {plain(a.name)} and {plain(b.name)}: {said(sheet_kappa(one, two, key, **settings))}")
    parts.append("")
    changed = sum(r.answer in audit.labels for r in rows)
    if changed:
        parts.append(f"Labels that the answers correct: {changed}. Effects, weighted, before and after; sentences"
                     " outside the sample keep their labels:\n")
        parts += [f"- {plain(model)}: " + "; ".join(f"{SHOWN[e]} {said(x)} / {said(y)}" for e, x, y in cells)
                  for model, cells in _before_and_after(profiles, rows, audit.labels, settings)]
        parts.append("")
    return parts


def _before_and_after(
    profiles: Sequence[CaptionProfile], rows: Sequence[Answered], labels: dict[str, Label], settings: dict[str, Any]
) -> list[tuple[str, list[tuple[str, Estimate, Estimate]]]]:
    before = diagnose(profiles, **settings)
    after = diagnose(profiles, reading=corrected(rows, labels), **settings)
    return [(m, [(e, before.estimate(m, e), after.estimate(m, e)) for e in EFFECTS]) for m in before.models]

