"""Keys and answers in: checked against each other, and joined into judgments with names."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from posh_lite.errors import InputError
from posh_lite.preference.study import FORMAT, KINDS, Item, Kind, PreferenceStudy, Settings, Trial

ANSWERS = "posh-lite preference answers 1"


@dataclass(frozen=True, slots=True)
class Judgment:
    """One answer, with the names that its rater did not see.

    Attributes:
        rater: who gave it.
        item: place in ``PreferenceStudy.items``.
        image: what was described.
        kind: an item, a repeated one, or an attention check.
        models: from the left, as shown.
        places: of each, from 1; equal places are ties.
        expected: the position that an attention check asks for.
        reason: in the rater's words.
        seconds: that the captions were open, or None.
    """

    rater: str
    item: int
    image: str
    kind: Kind
    models: tuple[str, ...]
    places: tuple[int, ...]
    expected: int | None = None
    reason: str = ""
    seconds: float | None = None

    @property
    def first(self) -> str | None:
        """The model that was put first alone, or None."""
        return self.models[self.places.index(1)] if self.places.count(1) == 1 else None

    @property
    def passed(self) -> bool | None:
        """Whether the caption that an attention check asks for was put first alone; None where this is no check."""
        return None if self.expected is None else self.first is not None and self.places[self.expected] == 1

    def place(self, model: str) -> int:
        """The place of a model."""
        return self.places[self.models.index(model)]


def _json(path: str | Path) -> Any:
    try:
        return json.loads(Path(path).read_text("utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"is no JSON, as keys and answers of a preference study are: {error}", path=path) from None


def read_key(path: str | Path) -> PreferenceStudy:
    """The study that a key describes, without its texts.

    Raises:
        InputError: it is no such file, or not whole; the message names file and field.
    """
    row = _json(path)
    if not isinstance(row, dict) or row.get("format") != FORMAT:
        raise InputError(f'is no key of a preference study (no "format": "{FORMAT}")', path=path, field="format")
    at = "settings"
    try:
        settings = Settings(**{f.name: row["settings"][f.name] for f in fields(Settings)})
        at = "models"
        models = tuple(_text(m) for m in row["models"])
        items = []
        for n, one in enumerate(row["items"]):
            at = f"items[{n}]"
            names, ids = tuple(map(_text, one["models"])), tuple(map(_text, one["ids"]))
            if len(names) != settings.at_once or len(ids) != len(names) or not set(names) <= set(models):
                raise ValueError
            items.append(Item(_text(one["image"]), names, ids))
        trials = {}
        for rater, own in row["trials"].items():
            trials[rater] = tuple(_trial(t, items, at := f"trials.{rater}[{n}]") for n, t in enumerate(own))
        at = "study"
        return PreferenceStudy(settings, models, tuple(items), trials, _text(row["study"]))
    except InputError as error:
        raise InputError(str(error), path=path, field=error.field) from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(f'field "{at}" is missing or damaged', path=path, field=at) from None


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError
    return value


def _trial(row: Mapping[str, Any], items: Sequence[Item], at: str) -> Trial:
    made = Trial(_text(row["code"]), row["item"], tuple(row["order"]), row["kind"], row["expected"])
    fits = type(made.item) is int and 0 <= made.item < len(items)
    positions = list(range(len(items[made.item].models))) if fits else []
    fits = fits and sorted(made.order) == positions
    fits = fits and (made.expected is None or (type(made.expected) is int and made.expected in positions))
    if not fits or made.kind not in KINDS or (made.expected is None) == (made.kind == "attention"):
        raise InputError(f'field "{at}" is damaged', field=at)
    return made


@dataclass(frozen=True, slots=True)
class Answers:
    """What came back.

    Attributes:
        study: of the key.
        judgments: by rater in the order of the files, then as they were shown.
        open: rater -> trials without an answer; raters of the key whose file is missing are in ``absent``.
        absent: raters of the key without a file.
        simulated: raters whose file says that no person gave the answers.
    """

    study: PreferenceStudy
    judgments: tuple[Judgment, ...]
    open: Mapping[str, int]
    absent: tuple[str, ...]
    simulated: tuple[str, ...] = ()


def read_answers(paths: Sequence[str | Path], study: PreferenceStudy, *, without: Sequence[str] = ()) -> Answers:
    """Read the files of raters and say whose caption stood where.

    Args:
        paths: one a rater.
        study: of :func:`read_key`.
        without: raters to be left out, such as those who failed the checks.

    Raises:
        InputError: a file is of another study, of a rater whom the key does not know, the second of a rater, or holds
            an answer that was not asked; the message names file and field.
    """
    if strange := [r for r in without if r not in study.trials]:
        raise InputError(f'the study has no rater "{strange[0]}"; there are {", ".join(study.raters)}', field="without")
    found: dict[str, tuple[str | Path, list[Judgment]]] = {}
    simulated = []
    for path in paths:
        rater, judgments, made = _file(path, study)
        if made == "simulated":
            simulated.append(rater)
        if rater in found:
            raise InputError(f'holds answers of rater "{rater}", as {found[rater][0]} does; keep the fuller one',
                             path=path, field="rater")
        found[rater] = (path, judgments)
    kept = {r: own for r, (_, own) in found.items() if r not in without}
    every = tuple(j for own in kept.values() for j in own)
    if not every:
        raise InputError("no answers are left", path=", ".join(map(str, paths)), field="answers")
    return Answers(study, every, {r: len(study.trials[r]) - len(own) for r, own in kept.items()},
                   tuple(r for r in study.raters if r not in found), tuple(r for r in simulated if r in kept))


def _file(path: str | Path, study: PreferenceStudy) -> tuple[str, list[Judgment], object]:
    row = _json(path)
    if not isinstance(row, dict) or row.get("format") != ANSWERS:
        hint = "; this is the key" if isinstance(row, dict) and row.get("format") == FORMAT else ""
        raise InputError(f'is no file of answers (no "format": "{ANSWERS}"){hint}', path=path, field="format")
    if row.get("study") != study.id:
        raise InputError(f'belongs to study "{row.get("study")}", and the key to "{study.id}"; give the key that was '
                         "made with the page", path=path, field="study")  # fmt: skip
    rater = row.get("rater")
    if not isinstance(rater, str) or rater not in study.trials:
        raise InputError(f'the key has no rater {rater!r}; there are {", ".join(study.raters)}', path=path,
                         field="rater")
    if not isinstance(row.get("answers"), list):
        raise InputError('field "answers" must be a list', path=path, field="answers")
    trials = {t.code: t for t in study.trials[rater]}
    said: dict[str, Judgment] = {}
    for n, one in enumerate(row["answers"]):
        at = f"answers[{n}]"
        code = one.get("trial") if isinstance(one, dict) else None
        if not isinstance(code, str) or code not in trials:
            raise InputError(f"{at}: the key has no comparison {code!r} for this rater", path=path, field=f"{at}.trial")
        if code in said:
            raise InputError(f'{at}: comparison "{code}" is answered twice', path=path, field=f"{at}.trial")
        said[code] = _judgment(one, rater, trials[code], study, path, at)
    return rater, [said[t.code] for t in study.trials[rater] if t.code in said], row.get("made")


def _judgment(
    row: Mapping[str, Any], rater: str, trial: Trial, study: PreferenceStudy, path: object, at: str
) -> Judgment:
    item, places = study.items[trial.item], row.get("places")
    n = len(item.models)
    if not isinstance(places, list) or len(places) != n or any(type(p) is not int for p in places):
        raise InputError(f"{at}: {n} places are expected, got {places!r}", path=path, field=f"{at}.places")
    if set(places) != set(range(1, len(set(places)) + 1)):
        raise InputError(f"{at}: places go from 1 without a gap, got {places!r}", path=path, field=f"{at}.places")
    tied = len(set(places)) < n if study.settings.task == "rank" else places.count(1) > 1
    if tied and not study.settings.ties:
        raise InputError(f"{at}: a tie, and the study allows none: {places!r}", path=path, field=f"{at}.places")
    if study.settings.task == "choose" and places.count(1) not in (1, n):
        raise InputError(f"{at}: one is chosen, or none before the others, got {places!r}", path=path,
                         field=f"{at}.places")
    reason, seconds = row.get("reason") or "", row.get("seconds")
    if not isinstance(reason, str):
        raise InputError(f"{at}: the reason must be a text", path=path, field=f"{at}.reason")
    timed = isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 <= seconds < math.inf
    if seconds is not None and not timed:
        raise InputError(f"{at}: seconds must be a number from 0, got {seconds!r}", path=path, field=f"{at}.seconds")
    return Judgment(rater, trial.item, item.image, trial.kind, tuple(item.models[k] for k in trial.order),
                    tuple(places), trial.expected, _whole(reason), seconds)


def _whole(text: str) -> str:
    """A text without halves of surrogate pairs, which a browser saves and no file can hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
