"""DOCENT on disk in the layout of the Hugging Face hub, which the library ``datasets`` loads, and read back.

A folder with ``README.md`` (the card, whose head names the files and the types of the columns) and one file a
split under ``data/``. JSON Lines needs nothing; Parquet needs pyarrow, which the extra ``docent`` brings.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, get_args

from posh_lite.benchmarks.docent_build import SPLITS, Build, Settings, Split, Step, Work
from posh_lite.errors import InputError, MissingDependency
from posh_lite.judge.registry import install_command
from posh_lite.records import read_jsonl, write_jsonl

Format = Literal["jsonl", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)
#: Columns with their types, as ``datasets`` names these.
COLUMNS: dict[str, Literal["string", "int64"]] = {
    "uuid": "string", "reference": "string", "iiifurl": "string", "width": "int64", "height": "int64",
    "objectid": "int64", "title": "string", "attribution": "string", "date": "string", "beginyear": "int64",
    "endyear": "int64", "medium": "string", "classification": "string", "series": "string",
}
RECORD = "build.json"  # settings, funnel and source of the build, beside the card


def head(form: Format, splits: Sequence[Split], *, licence: str, pretty: str) -> str:
    """The YAML head of the card, by which ``datasets`` finds files and types."""
    lines = ["---", f"pretty_name: {json.dumps(pretty)}", f"license: {licence}", "language:", "- en"]
    lines += ["task_categories:", "- image-to-text", "configs:", "- config_name: default", "  data_files:"]
    for split in splits:
        lines += [f"  - split: {split}", f"    path: data/{split}.{form}"]
    lines += ["dataset_info:", "  features:"]
    for name, kind in COLUMNS.items():
        lines += [f"  - name: {name}", f"    dtype: {kind}"]
    return "\n".join([*lines, "---", "", ""])


def write_layout(
    build: Build, card: str, folder: str | Path, form: Format = "jsonl", *, constructed: bool = False
) -> list[Path]:
    """Write a build as a folder that ``datasets.load_dataset(folder)`` reads.

    Args:
        build: the works; a split without any gets no file, since the library cannot read an empty one.
        card: Markdown of :func:`posh_lite.benchmarks.docent_card.data_card`.
        folder: made where it is not there; files of the same names are replaced.
        form: of the files.
        constructed: whether this is the example of the project, which has another licence.

    Returns:
        The files written.

    Raises:
        InputError: there is nothing to write.
        MissingDependency: Parquet without pyarrow.
    """
    if not build.works:
        raise InputError("no work is left after the selection; is the least length too high, or the table a part?")
    if form == "parquet" and importlib.util.find_spec("pyarrow") is None:  # before an earlier build is touched
        raise MissingDependency(f"Parquet needs pyarrow: {install_command('docent')}, or use --format jsonl")
    place = Path(folder)
    (place / "data").mkdir(parents=True, exist_ok=True)
    filled = [split for split in SPLITS if build.of(split)]
    written = []
    for split in SPLITS:
        for other in FORMATS:  # a file of an earlier build would be read along
            (place / "data" / f"{split}.{other}").unlink(missing_ok=True)
    for split in filled:
        path = place / "data" / f"{split}.{form}"
        rows = [{name: getattr(work, name) for name in COLUMNS} for work in build.of(split)]
        _write(path, rows, form)
        written.append(path)
    pretty = "DOCENT, rebuilt (constructed example)" if constructed else "DOCENT, rebuilt"
    licence = "cc-by-4.0" if constructed else "cc0-1.0"
    for name, text in (("README.md", head(form, filled, licence=licence, pretty=pretty) + card),
                       (RECORD, json.dumps(_record(build, constructed), indent=1, ensure_ascii=False) + "\n")):
        (place / name).write_text(text, "utf-8", newline="\n")
        written.append(place / name)
    return written


def _write(path: Path, rows: Sequence[Mapping[str, Any]], form: Format) -> None:
    if form == "jsonl":
        write_jsonl(path, rows)
        return
    import pandas as pd

    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    frame = frame.astype({name: "Int64" if kind == "int64" else "string" for name, kind in COLUMNS.items()})
    frame.to_parquet(path, index=False)


def _record(build: Build, constructed: bool) -> dict[str, Any]:
    return {
        "constructed": constructed, "settings": asdict(build.settings), "funnel": [asdict(s) for s in build.funnel],
        "cleaned": dict(build.cleaned), "faults": list(build.faults), "source": dict(build.source),
    }


def parquet_columns(path: Path) -> list[str]:
    """Names of the columns of a Parquet file, read from its end alone; errors as :func:`read_frame`."""
    try:
        from pyarrow.parquet import read_schema

        return list(read_schema(path).names)
    except ImportError:
        raise MissingDependency(f"reading Parquet needs pyarrow: {install_command('docent')}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"not readable as Parquet: {error}", path=path) from None


def read_frame(path: Path, columns: Sequence[str] | None = None) -> Any:
    """A Parquet file, or some of its columns, as a data frame.

    Raises:
        MissingDependency: pyarrow is not there.
        InputError: not a Parquet file.
    """
    import pandas as pd

    try:
        return pd.read_parquet(path, columns=None if columns is None else list(columns))
    except ImportError:
        raise MissingDependency(f"reading Parquet needs pyarrow: {install_command('docent')}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"not readable as Parquet: {error}", path=path) from None


def read_layout(folder: str | Path) -> tuple[Build, bool]:
    """Read back what :func:`write_layout` wrote: the build, and whether it is the constructed example.

    Raises:
        InputError: the folder is no such layout.
    """
    place = Path(folder)
    try:
        record = json.loads((place / RECORD).read_text("utf-8"))
        settings = Settings(**record["settings"])
        funnel = tuple(Step(**step) for step in record["funnel"])
        cleaned, faults, source = record["cleaned"], tuple(record["faults"]), record["source"]
    except FileNotFoundError:
        raise InputError(f"no {RECORD} here; name a folder that `posh-lite docent build` wrote", path=folder) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"not a record of a build: {error}", path=place / RECORD) from None
    works = [_work(row, split, file, line) for split in SPLITS for file in _files(place, split)
             for line, row in _rows(file)]
    return Build(tuple(works), funnel, cleaned, faults, settings, source), bool(record.get("constructed"))


def _files(place: Path, split: Split) -> list[Path]:
    return [file for form in FORMATS if (file := place / "data" / f"{split}.{form}").is_file()]


def _rows(file: Path) -> list[tuple[int, Any]]:
    if file.suffix == ".jsonl":
        return list(read_jsonl(file))
    frame = read_frame(file).astype(object)
    rows = frame.where(frame.notna(), None).to_dict("records")
    return list(enumerate(rows, start=1))


def _work(row: Any, split: Split, file: Path, line: int) -> Work:
    try:
        values = {name: row[name] for name in COLUMNS}
    except (KeyError, TypeError) as error:
        raise InputError(f"not a row of DOCENT: {error} is missing", path=file, line=line) from None
    for name, kind in COLUMNS.items():
        value = values[name]
        if kind == "int64" and value is not None and not isinstance(value, int):
            try:
                values[name] = int(value)
            except (TypeError, ValueError):
                raise InputError(f'field "{name}" must be a whole number, got {value!r}', path=file, line=line,
                                 field=name) from None  # fmt: skip
        elif kind == "string" and not isinstance(value, str):
            raise InputError(f'field "{name}" must be a string, got {value!r}', path=file, line=line, field=name)
    return Work(split=split, **values)
