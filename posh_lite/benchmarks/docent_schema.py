"""What columns the published sets of DOCENT have, and what is wrong with a copy that does not have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, get_args

from posh_lite.benchmarks.contract import Dimension
from posh_lite.benchmarks.docent_spans import SpanError, read_spans

Published = Literal["coarse", "granular", "works"]
PUBLISHED: tuple[Published, ...] = get_args(Published)
Kind = Literal["text", "label", "spans"]
#: Where each set is published on the Hugging Face hub.
REPOS: dict[Published, str] = {
    "coarse": "amitha/docent-eval-coarse", "granular": "amitha/docent-eval-granular", "works": "amitha/docent",
}
#: Columns of each set and what they hold. Further columns (images, titles) are left alone.
SCHEMAS: dict[Published, dict[str, Kind]] = {
    "coarse": {
        "uuid": "text", "reference": "text", "model1": "text", "model2": "text", "model1_generation": "text",
        "model2_generation": "text", "mistakes": "label", "omissions": "label", "overall_quality": "label",
    },
    "granular": {
        "uuid": "text", "model": "text", "reference": "text", "generation": "text", "mistakes": "spans",
        "omissions": "spans",
    },
    "works": {"uuid": "text", "reference": "text"},
}
#: The five answers (PoSh paper, paragraph "Coarse Judgments") by the sign of its appendix on evaluation metrics:
#: positive where the first generation is better.
LABELS: dict[str, int] = {
    "1_much_better": 2, "1_slightly_better": 1, "equal": 0, "2_slightly_better": -1, "2_much_better": -2,
}
DIMENSION_OF: dict[str, Dimension] = {"mistakes": "mistakes", "omissions": "omissions", "overall_quality": "overall"}


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that keeps a row, or the whole file, from being read."""

    column: str
    message: str
    line: int | None = None


def label(value: Any) -> int:
    """Code of an answer, from -2 (second much better) to 2 (first much better).

    >>> label("1_much_better"), label("equal"), label(" 2_Slightly_Better ")
    (2, 0, -1)

    Raises:
        ValueError: none of the five, with the nearest.
    """
    if isinstance(value, str):
        name = "_".join(value.strip().lower().replace("#", "").split())
        if name in LABELS:
            return LABELS[name]
        near = get_close_matches(name, LABELS, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise ValueError(f"{value!r} is none of {', '.join(LABELS)}{hint}")
    raise ValueError(f"expected one of {', '.join(LABELS)}, got {value!r}")


def check_columns(found: Sequence[str], name: Published) -> list[Problem]:
    """Columns that are missing, each with the nearest name that is there and not one of the others."""
    wanted = SCHEMAS[name]
    spare = [column for column in found if column not in wanted]
    problems = []
    for column in wanted:
        if column in found:
            continue
        near = get_close_matches(column, spare, n=1, cutoff=0.55)
        hint = f'; the nearest is "{near[0]}"' if near else ""
        other = [n for n in PUBLISHED if n != name and set(SCHEMAS[n]) <= set(found) and n != "works"]
        hint += f"; this looks like the {other[0]} set" if other else ""
        problems.append(Problem(column, f'no column "{column}"{hint} (found: {", ".join(found[:20]) or "none"})'))
    return problems


def check_row(row: Mapping[str, Any], name: Published) -> list[Problem]:
    """What is wrong with the values of one row."""
    problems = []
    for column, kind in SCHEMAS[name].items():
        value = row.get(column)
        if kind == "text" and not (isinstance(value, str) and value.strip()):
            said = "is empty" if isinstance(value, str) or value is None else f"must be a string, got {value!r}"
            problems.append(Problem(column, f'field "{column}" {said}'))
        elif kind == "label":
            try:
                label(value)
            except ValueError as error:
                problems.append(Problem(column, f'field "{column}": {error}'))
        elif kind == "spans":
            text = row.get("generation" if column == "mistakes" else "reference")
            try:
                read_spans(value, text if isinstance(text, str) else "", lambda _: None)
            except SpanError as error:
                problems.append(Problem(column, f'field "{column}": {error}'))
    return problems
