"""Label Studio's JSON export read back into judgments.

The export (format "JSON") has tasks with ``data`` and ``annotations``; each annotation has ``completed_by``,
``was_cancelled`` and a ``result`` with one entry a mark or answer. Offsets of marks are characters in today's
versions and UTF-16 code units in old ones, in which an emoji counts as two; the words that come with a mark decide.
A submitted annotation without a mark says that there is nothing to mark; a skipped one says nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from posh_lite.benchmarks.contract import Dimension, Gold
from posh_lite.benchmarks.docent_schema import LABELS, label
from posh_lite.benchmarks.docent_spans import SpanError, from_utf16, merged, read_spans
from posh_lite.benchmarks.label_studio import ANSWERS, MARKED, QUESTIONS
from posh_lite.benchmarks.label_studio_study import CoarseJudgment, SpanJudgment, Study
from posh_lite.benchmarks.nga import Faults
from posh_lite.errors import InputError
from posh_lite.records import Pair, Span, pair_from_dict

Offsets = Literal["auto", "characters", "utf16"]
_SHOWN = {shown: name for name, shown in ANSWERS.items()}


@dataclass(frozen=True, slots=True)
class _Annotation:
    """One annotation of a task, with what is needed to place and to read it."""

    where: str
    data: Mapping[str, Any]
    annotator: str
    result: Sequence[Any]
    updated: str


def read_export(
    paths: str | Path | Sequence[str | Path], *, names: Mapping[str, str] | None = None, offsets: Offsets = "auto",
    gold: Gold = "people",
) -> Study:
    """Read one or more exports as one study.

    Args:
        paths: files of the format "JSON", or a folder with them.
        names: of annotators, by what ``completed_by`` says: a number or an address of e-mail. Without a name the
            annotator is the one for whom the task was exported, if only one person answered it, and else what
            ``completed_by`` says.
        offsets: how marks are counted; "auto" finds out from the marks that bring their words along.
        gold: "constructed" where nobody was asked.

    Raises:
        InputError: a file cannot be read, or is no export of tasks that this package made.
    """
    faults = Faults()
    files = _files(paths)
    pairs: dict[str, Pair] = {}
    kept: dict[tuple[str, str], _Annotation] = {}
    skipped = still_open = 0
    for file in files:
        for number, task in enumerate(_tasks(file), start=1):
            where = f"{file.name}, task {number}"
            data = _data(task, file, number)
            for pair in _pairs(data, file, number):
                if pairs.setdefault(pair.id, pair) != pair:
                    raise InputError(f'task {number}: the pair "{pair.id}" has other texts than before', path=file)
            answered = [a for a in _annotations(task, file, number) if isinstance(a, dict)]
            given = [a for a in answered if not (a.get("was_cancelled") or a.get("skipped"))]
            skipped += len(answered) - len(given)
            still_open += not answered
            alone = len({_who(a) for a in given}) == 1
            for annotation in given:
                one = _Annotation(where, data, _name(annotation, data, names or {}, alone),
                                  _result(annotation, file, number), str(annotation.get("updated_at") or ""))
                key = (one.annotator, str(data["task"]))
                if key in kept:
                    faults.note("a task answered twice by one person, the later answer taken", where)
                    if kept[key].updated > one.updated:
                        continue
                kept[key] = one
    units = _units(kept.values()) if offsets == "auto" else offsets
    spans, coarse = [], []
    for one in kept.values():
        if one.data["kind"] == "granular":
            spans.append(_spans(one, units, faults))
        elif (judged := _coarse(one, faults)) is not None:
            coarse.append(judged)
    return Study(
        tuple(pairs.values()), tuple(sorted(spans, key=lambda j: (j.id, j.annotator))),
        tuple(sorted(coarse, key=lambda j: (j.a, j.b, j.annotator))), skipped, still_open, tuple(faults.lines()), gold,
    )


def _files(paths: str | Path | Sequence[str | Path]) -> list[Path]:
    given = [paths] if isinstance(paths, (str, Path)) else list(paths)
    files: list[Path] = []
    for path in map(Path, given):
        found = sorted(path.glob("*.json")) if path.is_dir() else [path]
        if not found:
            raise InputError("no .json file in this folder", path=path)
        files += found
    if not files:
        raise InputError("name at least one export of Label Studio")
    return files


def _tasks(file: Path) -> list[Any]:
    try:
        tasks = json.loads(file.read_text("utf-8-sig"))
    except FileNotFoundError:
        raise InputError("no such file", path=file) from None
    except (OSError, ValueError) as error:
        raise InputError(f"not readable as JSON: {error}", path=file) from None
    if not isinstance(tasks, list):
        raise InputError("expected a list of tasks; export from Label Studio in the format JSON", path=file)
    return tasks


def _data(task: Any, file: Path, number: int) -> Mapping[str, Any]:
    data = task.get("data") if isinstance(task, dict) else None
    if not isinstance(data, dict):
        flat = isinstance(task, dict) and "task" in task
        hint = "; this looks like JSON-MIN: export in the format JSON" if flat else ""
        raise InputError(f'task {number} has no "data"{hint}', path=file)
    wanted = {"granular": ("task", "unit", "pair", "generation", "reference"),
              "coarse": ("task", "unit", "pair1", "pair2", "generation1", "generation2", "reference")}
    kind = data.get("kind")
    if kind not in wanted:
        raise InputError(f'task {number}: "kind" is {kind!r}, expected granular or coarse; were the tasks made by'
                         " `posh-lite docent tasks`?", path=file, field="kind")  # fmt: skip
    for name in wanted[kind]:
        if not isinstance(data.get(name), str):
            raise InputError(f'task {number}: field "{name}" is missing or not a string', path=file, field=name)
    return data


def _pairs(data: Mapping[str, Any], file: Path, number: int) -> Iterator[Pair]:
    for end in ("",) if data["kind"] == "granular" else ("1", "2"):
        row = {"id": data[f"pair{end}"], "generation": data[f"generation{end}"], "reference": data["reference"],
               "model": data.get(f"model{end}") or None, "image": data["unit"]}  # fmt: skip
        try:
            yield pair_from_dict(row)
        except InputError as error:
            raise InputError(f"task {number}: {error}", path=file) from None


def _annotations(task: Mapping[str, Any], file: Path, number: int) -> list[Any]:
    found = task.get("annotations", task.get("completions"))  # as versions before 1.0 call them
    if found is None:
        raise InputError(f'task {number} has no "annotations": a file of tasks, and not an export?', path=file)
    if not isinstance(found, list):
        raise InputError(f'task {number}: "annotations" is no list', path=file)
    return found


def _result(annotation: Mapping[str, Any], file: Path, number: int) -> list[Any]:
    found = annotation.get("result")
    if found is None:
        return []
    if not isinstance(found, list):
        raise InputError(f'task {number}: "result" is {found!r:.80}, expected a list of marks or answers', path=file,
                         field="result")  # fmt: skip
    return found


def _who(annotation: Mapping[str, Any]) -> str:
    who = annotation.get("completed_by")
    if isinstance(who, dict):
        who = who.get("email") or who.get("id")
    return "" if who is None else str(who)


def _name(annotation: Mapping[str, Any], data: Mapping[str, Any], names: Mapping[str, str], alone: bool) -> str:
    who, meant = _who(annotation), data.get("annotator")
    if who in names:
        return names[who]
    if isinstance(meant, str) and meant and alone:
        return meant
    return who or "unnamed"


def _marks(one: _Annotation, side: str) -> Iterator[dict[str, Any]]:
    """The marks on one side: start, end, and the words where they are given."""
    word, text = MARKED[side]
    for entry in one.result:
        value = entry.get("value") if isinstance(entry, dict) else None
        if not isinstance(value, dict) or entry.get("type") not in ("labels", "hypertextlabels"):
            continue
        said = value.get("labels") or value.get("hypertextlabels")
        said = said if isinstance(said, list) else []
        if entry.get("from_name") == side or (entry.get("to_name") == text and word in said):
            offsets = value.get("globalOffsets")
            place: dict[str, Any] = offsets if isinstance(offsets, dict) else value
            yield {name: found[name] for name, found in
                   (("start", place), ("end", place), ("text", value)) if found.get(name) is not None}  # fmt: skip


def _units(annotations: Iterable[_Annotation]) -> Offsets:
    """How the export counts, by the marks whose words are at only one of the two places."""
    votes = {"characters": 0, "utf16": 0}
    for one in annotations:
        if one.data["kind"] != "granular":
            continue
        for side, (_, name) in MARKED.items():
            text = str(one.data[name])
            if text.isascii() or max(text, default="") <= "\uffff":
                continue
            for mark in _marks(one, side):
                start, end, said = mark.get("start"), mark.get("end"), mark.get("text")
                if isinstance(start, int) and isinstance(end, int) and said:
                    plain = text[start:end].split() == str(said).split()
                    other = text[from_utf16(text, start) : from_utf16(text, end)].split() == str(said).split()
                    if plain != other:
                        votes["characters" if plain else "utf16"] += 1
    return "utf16" if votes["utf16"] > votes["characters"] else "characters"


def _spans(one: _Annotation, units: Offsets, faults: Faults) -> SpanJudgment:
    sides: dict[str, tuple[Span, ...]] = {}
    for side, (_, name) in MARKED.items():
        text = str(one.data[name])
        found: list[Span] = []
        for mark in _marks(one, side):
            if units == "utf16" and all(isinstance(mark.get(end), int) for end in ("start", "end")):
                mark |= {end: from_utf16(text, mark[end]) for end in ("start", "end")}
            try:
                found += read_spans([mark], text, _noting(faults, side, one)) or ()
            except SpanError as error:
                faults.note(f"{side}: {error}, left out", one.where)
        sides[side] = merged(found, _noting(faults, side, one))
    return SpanJudgment(one.annotator, str(one.data["unit"]), str(one.data["pair"]), sides["mistakes"],
                        sides["omissions"])


def _noting(faults: Faults, side: str, one: _Annotation) -> Callable[[str], None]:
    return lambda what: faults.note(f"{side}: {what}", one.where)


def _coarse(one: _Annotation, faults: Faults) -> CoarseJudgment | None:
    labels: dict[Dimension, int] = {}
    for entry in one.result:
        name = str(entry.get("from_name")) if isinstance(entry, dict) else ""
        if name not in QUESTIONS or entry.get("type") != "choices":
            continue
        dimension = QUESTIONS[name][0]
        value = entry.get("value")
        chosen = value.get("choices") if isinstance(value, dict) else None
        try:
            if not isinstance(chosen, list) or len(chosen) != 1 or not isinstance(chosen[0], str):
                raise ValueError(f"expected one answer, got {chosen!r}")
            labels[dimension] = label(_SHOWN.get(chosen[0], chosen[0]))
        except ValueError as error:
            faults.note(f"{dimension}: {error}, left out", one.where)
    if len(labels) < len(QUESTIONS):
        faults.note("comparisons with an open question", one.where)
    if not labels:
        return None
    a, b = str(one.data["pair1"]), str(one.data["pair2"])
    if a > b:
        a, b, labels = b, a, {dimension: -code for dimension, code in labels.items()}
    return CoarseJudgment(one.annotator, str(one.data["unit"]), a, b, labels)


def answer_of(code: int) -> str:
    """The answer that stands for a code, as the export has it."""
    return next(name for name, value in LABELS.items() if value == code)
