"""The record of :mod:`posh_lite.evaluation.variants`: a JSON file that every finished variant is put into."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from posh_lite.errors import InputError
from posh_lite.judge.contract import Kind

RECORD = "variants.json"


def save(path: Path, data: dict[str, Any], row: dict[str, Any]) -> None:
    """Put an outcome into the record, in the place of an earlier one of that name.

    Costs of a run that asked more of the questions itself are kept. A text is not in it.

    Raises:
        InputError: the record is of other questions.
    """
    record: dict[str, Any] = {**data, "variants": []}
    if path.exists():
        try:
            record = json.loads(path.read_text("utf-8"))
            same = all(record[name] == value for name, value in data.items())
        except (ValueError, KeyError, TypeError):
            raise InputError("not a record of variants", path=path) from None
        if not same:
            raise InputError("a record of other questions; name another file with -o", path=path)
    for at, old in enumerate(record["variants"]):
        if old["name"] == row["name"]:
            if old["signature"] == row["signature"] and old["n_measured"] > row["n_measured"]:
                row["costs"], row["n_measured"] = old["costs"], old["n_measured"]
            record["variants"][at] = row
            break
    else:
        record["variants"].append(row)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")
    part.replace(path)


def table(rows: Sequence[dict[str, Any]]) -> str:
    """A table for a reader."""
    head = ("variant", "AUC", "entity", "attribute", "relation", "at 2", "other works", "tokens", "computed", "seconds")
    lines = [f"{head[0]:<36}{head[1]:>22}" + "".join(f"{h:>12}" for h in head[2:])]
    for row in rows:
        a = row["auc"]
        figures = [row["auc_by_kind"][k]["value"] for k in get_args(Kind)]
        figures += [row["balanced_at_2"]["value"], row["balanced"]["value"]]
        spent = [row["costs"].get(name) for name in ("tokens", "computed", "seconds")]
        ranked = f"{_number(a['value'], 3)} [{_number(a['low'], 3)}, {_number(a['high'], 3)}]"
        lines.append(
            f"{row['name']:<36}{ranked:>22}" + "".join(_number(v, 3).rjust(12) for v in figures)
            + "".join(_number(v, d).rjust(12) for v, d in zip(spent, (0, 1, 3), strict=True))
        )
    return "\n".join(lines)


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None or value != value else f"{value:.{digits}f}"
