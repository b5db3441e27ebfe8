"""CapArena: battles between the captions of vision-language models, decided by people (Cheng et al. 2025).

The published annotation (``caparena_annots_eval.json`` of github.com/njucckevin/CapArena) is one JSON list of
battles with the fields ``img``, ``source1``, ``source2`` (models, or "human"), ``caption1``, ``caption2``, ``ref``
(the human description that serves as reference), ``winner`` (one of the two sources, or "equal" or a "tie"), and
optionally ``cluster`` ("level 1" to "level 4": how far apart the models are) and ``in-400``. The PoSh paper leaves out
the battles of human-written captions (5,599 of 6,523 remain) and looks at images with three or more people apart;
how many people there are is not in the annotation and is read from a file of one's own, if there is one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from posh_lite.benchmarks.contract import Benchmark, Comparison
from posh_lite.errors import InputError
from posh_lite.records import Pair

HUMAN = "human"
MANY_PEOPLE = "three or more people"
_TEXTS = ("img", "source1", "source2", "caption1", "caption2", "ref", "winner")
_TIES = frozenset({"equal", "tie", "tie (bothbad)"})
_NOTE = (
    "Web photographs that DOCCI describes. People chose between two captions or called a tie; captions written by"
    " people are left out. A caption's reference is the human description of the image."
)


def load_caparena(
    path: str | Path | None = None, *, people: str | Path | None = None, keep_human: bool = False
) -> Benchmark:
    """Read the battles: one pair for each caption, one comparison for each battle.

    Args:
        path: of the annotation; by default found as :func:`posh_lite.benchmarks.catalog.data_path` says.
        people: of a JSON object that gives the number of people in each image (the paper counted them with
            OneFormer); by default ``people.json`` beside the annotation, where there is one. It makes the subset
            "three or more people".
        keep_human: keep the battles of captions written by people, as one more "model".

    Raises:
        InputError: a file is not there or not of that form; file, battle and field are named.
    """
    if path is None:
        from posh_lite.benchmarks.catalog import data_path

        path = data_path("caparena")
    rows = _read(path)
    counted = _people(people, Path(path).parent / "people.json")
    pairs: dict[tuple[str, str], dict[str, Pair]] = {}
    battles = []
    for number, row in enumerate(rows, start=1):
        checked = _check(row, path, number)
        if not keep_human and HUMAN in (checked["source1"], checked["source2"]):
            continue
        sides = [_pair(pairs, checked, side) for side in ("1", "2")]
        won = checked["winner"]
        label = 0 if won in _TIES else 1 if won == checked["source1"] else -1
        tags = {"arena"}
        if isinstance(level := row.get("cluster"), str) and level:
            tags.add(level)
        if row.get("in-400") is True:
            tags.add("in 400")
        if counted.get(checked["img"], 0) >= 3:
            tags.add(MANY_PEOPLE)
        battles.append(Comparison(checked["img"], sides[0].id, sides[1].id, {"overall": label}, frozenset(tags)))
    if not battles:
        raise InputError("no battle is left once those of human-written captions are taken out", path=path)
    every = tuple(pair for captions in pairs.values() for pair in captions.values())
    return Benchmark("caparena", "CapArena", "people", every, tuple(battles), note=_NOTE,
                     citation="cheng2025caparena")  # fmt: skip


def _read(path: str | Path) -> list[Any]:
    try:
        rows = json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise InputError(error.strerror or str(error), path=path) from None
    except ValueError as error:
        raise InputError(f"not JSON: {error}", path=path) from None
    if not isinstance(rows, list):
        raise InputError(f"expected a list of battles, got {type(rows).__name__}", path=path)
    return rows


def _check(row: Any, path: object, number: int) -> dict[str, str]:
    """The texts of a battle, if it has the fields of the published file."""
    where = f"battle {number}"
    if not isinstance(row, Mapping):
        raise InputError(f"{where}: expected an object, got {type(row).__name__}", path=path)
    for field in _TEXTS:
        value = row.get(field)
        if not isinstance(value, str) or not value.strip():
            said = "is missing" if field not in row else f"must be a text that is not empty, got {value!r}"
            raise InputError(
                f'{where}: field "{field}" {said}; expected {", ".join(_TEXTS)} as in caparena_annots_eval.json',
                path=path, field=field,
            )
    if row["source1"] == row["source2"]:
        raise InputError(f'{where}: "{row["source1"]}" battles with itself', path=path, field="source2")
    if row["winner"] not in {row["source1"], row["source2"], *_TIES}:
        raise InputError(
            f'{where}: the winner "{row["winner"]}" is neither source1, source2 nor one of {", ".join(sorted(_TIES))}',
            path=path, field="winner",
        )
    return {field: row[field] for field in _TEXTS}


def _pair(pairs: dict[tuple[str, str], dict[str, Pair]], row: Mapping[str, str], side: str) -> Pair:
    """The pair of one side; a model whose caption of an image differs between battles has a pair for each."""
    image, model, caption = row["img"], row[f"source{side}"], row[f"caption{side}"]
    known = pairs.setdefault((image, model), {})
    if caption not in known:
        name = f"{image}/{model}" + (f"#{len(known) + 1}" if known else "")
        known[caption] = Pair(name, caption, row["ref"], model=model, image=image, source="caparena")
    return known[caption]


def _people(given: str | Path | None, beside: Path) -> dict[str, float]:
    if given is None and not beside.is_file():
        return {}
    path = beside if given is None else Path(given)
    try:
        counted = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(error.strerror or str(error), path=path) from None
    except ValueError as error:
        raise InputError(f"not JSON: {error}", path=path) from None
    if not isinstance(counted, dict):
        raise InputError("expected an object: image, then number of people", path=path)
    for image, number in counted.items():
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise InputError(f'image "{image}": expected a number of people, got {number!r}', path=path, field=image)
    return counted
