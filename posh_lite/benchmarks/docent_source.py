"""Rows of the published sets of DOCENT from a file or folder: JSON Lines, JSON, CSV or Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posh_lite.benchmarks.catalog import SETTING, folders
from posh_lite.benchmarks.docent_schema import REPOS, SCHEMAS, Problem, Published, check_columns, check_row
from posh_lite.errors import InputError
from posh_lite.records import read_jsonl

ENDINGS = (".jsonl", ".parquet", ".csv", ".json")
#: Folder below a data folder in which the published sets are looked for.
PLACE = "docent"
_NO_ROWS = "has no rows; was a download broken off?"


@dataclass(frozen=True, slots=True)
class Row:
    """One row and where it stands."""

    path: Path
    line: int  # of the file; for Parquet the number of the row from 1
    values: dict[str, Any]


def locate_published(name: Published, path: str | Path | None = None) -> list[Path]:
    """The files of a published set.

    Args:
        name: which.
        path: a file, or a folder that holds the set, maybe with the others; by default ``docent`` under
            ``POSH_LITE_DATA`` or in the cache folder, which ``posh-lite docent fetch`` fills.

    Raises:
        InputError: nothing is there; the message says how to get it.
    """
    short = REPOS[name].split("/")[1]
    if path is None:
        for folder in folders():
            if (folder / PLACE).is_dir() and (files := _below(folder / PLACE, name)):
                return files
        raise InputError(
            f"the published set {REPOS[name]} is not here: run `posh-lite docent fetch {name}` (extra docent, network),"
            f" or put its files under {SETTING} as {PLACE}/{short}.jsonl (or .parquet, .csv)"
        )
    place = Path(path)
    if place.is_dir():
        files = _below(place, name)
        if not files:
            raise InputError(f"no {', '.join(ENDINGS)} file of {short} in this folder", path=path)
        return files
    if not place.exists():
        raise InputError("no such file or folder", path=path)
    if place.suffix.lower() not in ENDINGS:
        raise InputError(f"expected a file that ends in {', '.join(ENDINGS)}, or a folder", path=path)
    return [place]


def _below(folder: Path, name: Published) -> list[Path]:
    """Files of the set in a folder: those whose path names it, or all where no path names any set."""
    found = sorted(
        p for p in folder.rglob("*")
        if p.suffix.lower() in ENDINGS and p.is_file() and not p.name.endswith((".pin.json", "dataset_infos.json"))
        and p.name not in ("build.json", "dataset_dict.json", "state.json", "dataset_info.json")
    )
    shorts = {key: repo.split("/")[1] for key, repo in REPOS.items()}

    def named(path: Path) -> set[str]:
        parts = [part.split(".")[0] for part in path.relative_to(folder).parts]
        return {key for key, short in shorts.items()
                if any(part == short or (key != "works" and key in part.lower()) for part in parts)}

    by_name = [p for p in found if name in named(p)]
    return by_name or [p for p in found if not named(p)]


def read_rows(name: Published, path: str | Path | None = None) -> Iterator[Row]:
    """Every row of a published set, its columns and values checked.

    Raises:
        InputError: nothing is there, or no row; a column is missing (the nearest is named), or a value cannot be used.
    """
    files, n = locate_published(name, path), 0
    for file in files:
        for row in raw_rows(file, name):
            n += 1
            problems = check_columns(list(row.values), name) or check_row(row.values, name)
            if problems:
                first = problems[0]
                raise InputError(first.message, path=file, line=row.line, field=first.column)
            yield row
    if not n:
        raise InputError(_NO_ROWS, path=files[0])


def problems_of(
    name: Published, path: str | Path | None = None, *, most: int = 20
) -> tuple[int, list[str], list[Problem]]:
    """Check a copy as a whole: number of rows, columns of the first file, and the first problems with their lines.

    Raises:
        InputError: nothing is there, or a file cannot be read at all.
    """
    n, columns, found = 0, list[str](), list[Problem]()
    for file in locate_published(name, path):
        for row in raw_rows(file, name):
            columns = columns or list(row.values)
            n += 1
            missing = check_columns(list(row.values), name) if len(found) < most else []
            for problem in missing or (check_row(row.values, name) if len(found) < most else []):
                found.append(Problem(problem.column, f"{file.name}: {problem.message}", row.line))
            if missing:
                break  # every row of the file would say the same
    if not n:
        found.append(Problem("", _NO_ROWS))
    return n, columns, found[:most]


def raw_rows(file: Path, name: Published) -> Iterator[Row]:
    """Rows of one file as they stand; of Parquet only the columns of the schema, so that no image is decoded."""
    ending = file.suffix.lower()
    if ending == ".jsonl":
        for line, value in read_jsonl(file):
            yield Row(file, line, _object(value, file, line))
    elif ending == ".json":
        yield from _json(file)
    elif ending == ".csv":
        yield from _csv(file)
    else:
        yield from _parquet(file, name)


def _object(value: Any, file: Path, line: int) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"expected a JSON object, got {type(value).__name__}", path=file, line=line)
    return value


def _json(file: Path) -> Iterator[Row]:
    try:
        values = json.loads(file.read_text("utf-8-sig"))
    except (OSError, ValueError) as error:
        raise InputError(f"not readable as JSON: {error}", path=file) from None
    if isinstance(values, dict) and isinstance(values.get("rows"), list):  # as the hub's viewer answers
        values = [item.get("row", item) if isinstance(item, dict) else item for item in values["rows"]]
    if not isinstance(values, list):
        raise InputError("expected a list of rows", path=file)
    for line, value in enumerate(values, start=1):
        yield Row(file, line, _object(value, file, line))


def _csv(file: Path) -> Iterator[Row]:
    limit = csv.field_size_limit()
    csv.field_size_limit(max(limit, 8 << 20))
    try:
        with file.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.DictReader(handle)
            for row in reader:
                if None in row or None in row.values():
                    raise InputError("another number of fields than the header", path=file, line=reader.line_num)
                yield Row(file, reader.line_num, dict(row))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"not readable as CSV: {error}", path=file) from None
    finally:
        csv.field_size_limit(limit)


def _parquet(file: Path, name: Published) -> Iterator[Row]:
    from posh_lite.benchmarks.docent_layout import parquet_columns, read_frame

    there = parquet_columns(file)
    columns = [column for column in there if column in SCHEMAS[name]]
    rows = read_frame(file, columns).to_dict("records")
    for line, values in enumerate(rows, start=1):
        # what is not read is still named, so that a missing column can be explained
        yield Row(file, line, {**dict.fromkeys(there), **values})
