"""What filled audit sheets say: shares of answers, agreement of annotators, differences between systems.

"Where Do Long Captions Fail?", Table 14 (image audits) and Table 16 (residual labels of the last quartile).
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posh_lite.errors import InputError
from posh_lite.evaluation.annotators import cohen_kappa
from posh_lite.evaluation.bootstrap import Estimate, bootstrap, ratio
from posh_lite.position.composition import Reading
from posh_lite.position.sheets import IMAGE_ANSWERS, AuditItem
from posh_lite.position.types import CaptionProfile, Label, SentenceLabel
from posh_lite.position.winrate import wilson


@dataclass(frozen=True, slots=True)
class Answered:
    """A line of a sheet with the answer that counts.

    Attributes:
        item: from the key.
        answer: None where none was given or the annotators differ and nobody decided.
    """

    item: AuditItem
    answer: str | None


def read_sheet(path: str | Path, answers: Sequence[str] = IMAGE_ANSWERS) -> dict[str, str | None]:
    """Answers by code from a filled ``sheet.csv``; an empty cell is None. Case and outer spaces do not matter.

    Raises:
        InputError: a column is missing, a code comes twice, or an answer is none of ``answers``; file, line and field
            are named.
    """
    known = {a.casefold(): a for a in answers}
    found: dict[str, str | None] = {}
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        for name in ("code", "answer"):
            if name not in (reader.fieldnames or ()):
                raise InputError(f'no column "{name}"; the first line must be that of the sheet', path=path, line=1)
        for row in reader:
            code, said = row["code"].strip(), " ".join((row["answer"] or "").split())
            if code in found:
                raise InputError(f'code "{code}" comes twice', path=path, line=reader.line_num, field="code")
            if said and said.casefold() not in known:
                raise InputError(
                    f'answer "{said}" is none of {", ".join(answers)}', path=path, line=reader.line_num, field="answer"
                )
            found[code] = known[said.casefold()] if said else None
    return found


def join(
    key: Sequence[AuditItem], sheets: Sequence[dict[str, str | None]], decided: dict[str, str | None] | None = None
) -> list[Answered]:
    """The answers that count: where all annotators agree theirs, else the one decided afterwards.

    Args:
        key: of :func:`~posh_lite.position.sheets.read_key`.
        sheets: one an annotator, at least one.
        decided: answers by code for lines on which they differ.

    Raises:
        ValueError: no sheets, or a sheet has a code that the key lacks: it belongs to another sheet.
    """
    if not sheets:
        raise ValueError("no sheets")
    codes = {i.code for i in key}
    for place, sheet in enumerate(sheets, start=1):
        strange = [code for code in sheet if code not in codes]
        if strange:
            raise ValueError(f'sheet {place} has the code "{strange[0]}", which the key lacks: is it another sheet?')
    rows = []
    for item in key:
        said = {sheet.get(item.code) for sheet in sheets}
        own = said.pop() if len(said) == 1 else None
        rows.append(Answered(item, own or (decided or {}).get(item.code)))
    return rows


def sheet_kappa(
    first: dict[str, str | None], second: dict[str, str | None], key: Sequence[AuditItem], **settings: Any
) -> Estimate:
    """Cohen's kappa of two annotators' sheets, with its interval over images (Table 14: .88 and .87).

    Args:
        first: of :func:`read_sheet`.
        second: of the other; lines that either left empty are left out and counted.
        key: the items, for their images.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.
    """
    names = sorted({a for sheet in (first, second) for a in sheet.values() if a is not None})
    codes = {name: float(place) for place, name in enumerate(names)}

    def column(sheet: dict[str, str | None]) -> list[float]:
        said = (sheet.get(item.code) for item in key)
        return [math.nan if a is None else codes[a] for a in said]

    return cohen_kappa(column(first), column(second), units=[i.image for i in key], **settings)


def tally(rows: Sequence[Answered], answers: Sequence[str] = IMAGE_ANSWERS) -> dict[str, Estimate]:
    """Share of each answer with its Wilson interval, lines without an answer left out and counted (Table 14)."""
    given = [r.answer for r in rows if r.answer is not None]
    lost = len(rows) - len(given)
    return {a: wilson(given.count(a), len(given), n_dropped=lost, method=a) for a in answers}


@dataclass(frozen=True, slots=True)
class ResidualRow:
    """One category in two systems (a row of Table 16): shares from 0 to 1 and their difference."""

    category: str
    first: Estimate
    second: Estimate
    difference: Estimate  # second minus first


def residual_audit(
    rows: Sequence[Answered], first: str, second: str, categories: Sequence[str], **settings: Any
) -> list[ResidualRow]:
    """How two systems' audited sentences are composed, and the differences with bootstrap intervals over images.

    Both systems are resampled together: lines on one image are drawn together, whatever their system.

    Args:
        rows: of :func:`join`; those without an answer are left out and counted.
        first: name of a model, such as the one before training.
        second: of the other.
        categories: the answers, in order.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.

    Raises:
        ValueError: a model has no line in the audit.
    """
    import numpy as np

    own = [r for r in rows if r.item.model in (first, second)]
    for model in (first, second):
        if not any(r.item.model == model for r in own):
            raise ValueError(f'no line of model "{model}" in the audit')
    kept = [r for r in own if r.answer is not None]
    units = [r.item.image for r in kept]
    of_first = np.array([r.item.model == first for r in kept], dtype=np.float64)
    made = []
    for category in categories:
        hit = np.array([r.answer == category for r in kept], dtype=np.float64)

        def statistic(weights: Any, hit: Any = hit) -> Any:
            with np.errstate(invalid="ignore", divide="ignore"):
                shares = [weights @ (hit * side) / (weights @ side) for side in (1 - of_first, of_first)]
                return shares[0] - shares[1]

        one, two = (
            ratio(hit[side], np.ones(int(side.sum())), units=[u for u, ok in zip(units, side, strict=True) if ok],
                  method=category, **settings)
            for side in (of_first == 1, of_first == 0)
        )
        gap = bootstrap(statistic, len(kept), units=units, method=f"{category}: {second} - {first}",
                        n_dropped=len(own) - len(kept), reason="a model has no answered line", **settings)
        made.append(ResidualRow(category, one, two, gap))
    return made


def corrected(rows: Sequence[Answered], labels: Mapping[str, Label]) -> Reading:
    """A reading of captions in which audited sentences take the label that people's answers give them (J.2).

    Relabelling three false contradictions moved the paper's mean D_mid from .101 to .099. Only the audited sentences
    change, so the effect of a sample is a lower bound of that of all.

    Args:
        rows: of :func:`join`, from a sheet of sentences.
        labels: an answer -> the label of a sentence that got it; sentences with other answers keep theirs.

    Returns:
        For :func:`~posh_lite.position.effects.diagnose`; the weight stays, but is 1 for a sentence made generic.
    """
    changed = {
        (r.item.model, r.item.caption, r.item.statement): labels[r.answer]
        for r in rows if r.answer is not None and r.answer in labels
    }

    def reading(profile: CaptionProfile, sentence: SentenceLabel) -> tuple[Label, float]:
        text = profile.caption[sentence.start:sentence.end]
        label = changed.get((profile.model, profile.id, text), sentence.label)
        return label, 1.0 if label == "Generic" else sentence.weight

    return reading
