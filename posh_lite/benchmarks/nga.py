"""The open-data tables of the National Gallery of Art that DOCENT is built from, read row by row.

``objects.csv`` and ``published_images.csv`` are public (CC0), tens of megabytes each, UTF-8 with a header, and their
quoted fields hold commas, quotes and line breaks. They are streamed, so that a laptop needs no more memory for them
than for the rows that are kept. Columns are found by name: older and newer copies differ in which they have.
"""

from __future__ import annotations

import csv
import gzip
import io
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import IO, Any

from posh_lite.errors import InputError

OBJECTS, IMAGES = "objects.csv", "published_images.csv"
#: Columns that are needed, and those that an older copy may lack.
OBJECT_COLUMNS = ("objectid", "title")
OBJECT_OPTIONAL = (
    "accessionnum", "displaydate", "beginyear", "endyear", "medium", "attribution", "classification", "parentid",
    "portfolio", "series",
)
IMAGE_COLUMNS = ("uuid", "iiifurl", "viewtype", "depictstmsobjectid", "assistivetext", "maxpixels")
IMAGE_OPTIONAL = ("openaccess", "sequence", "width", "height")
_FIELD = 8 << 20  # characters in one field: more means that a quotation mark was never closed
_POINTER = "version https://git-lfs"


@dataclass(frozen=True, slots=True)
class NgaImage:
    """One published image with its description; ``open_access`` is already decided (:func:`is_open`)."""

    uuid: str
    iiifurl: str
    objectid: int | None
    view: str
    sequence: str
    width: int | None  # pixels
    height: int | None
    open_access: bool
    text: str  # as in the table


@dataclass(frozen=True, slots=True)
class NgaObject:
    """What is known of a work. Years are None where the table has none or no number."""

    objectid: int
    title: str
    attribution: str
    date: str
    begin: int | None
    end: int | None
    medium: str
    classification: str
    accession: str
    parent: int | None
    portfolio: str
    series: str


@dataclass(slots=True)
class Faults:
    """What was odd in a table: how often, and the line of the first case."""

    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)

    def note(self, what: str, where: str) -> None:
        """Count one case of ``what``."""
        self.counts[what] += 1
        self.first.setdefault(what, where)

    def lines(self) -> list[str]:
        """One sentence a kind of fault, in the order met."""
        return [f"{what}: {count:,} (first at {self.first[what]})" for what, count in self.counts.items()]


def find_table(folder: str | Path, name: str) -> Path:
    """The table in a folder, plain or compressed with gzip.

    Raises:
        InputError: it is not there.
    """
    for file in (Path(folder) / name, Path(folder) / f"{name}.gz"):
        if file.is_file():
            return file
    raise InputError(
        f"no {name} in this folder; run `posh-lite data fetch nga_objects nga_images`, or copy the table from"
        " github.com/NationalGalleryOfArt/opendata, folder data", path=folder,
    )


@contextmanager
def _opened(path: Path) -> Iterator[IO[str]]:
    try:
        raw = path.open("rb")
    except FileNotFoundError:
        raise InputError("no such file", path=path) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    with raw:
        inner: Any = gzip.GzipFile(fileobj=raw) if path.suffix == ".gz" else raw
        with io.TextIOWrapper(inner, encoding="utf-8-sig", newline="") as handle:
            yield handle


def table_rows(
    path: str | Path, needed: Collection[str], optional: Collection[str], faults: Faults
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield ``(line, values)`` of each row of a CSV table with a header, by column name.

    Args:
        path: the table; ``.gz`` is read through gzip.
        needed: columns that must be there.
        optional: columns that are read where they are; absent ones are left out of the values.
        faults: told of rows with too few or too many fields, which are left out.

    Raises:
        InputError: not a table of this form; a missing column is named with the nearest that is there.
    """
    file = Path(path)
    limit = csv.field_size_limit()
    csv.field_size_limit(max(limit, _FIELD))
    line = 1
    try:
        with _opened(file) as handle:
            reader = csv.reader(handle)
            header = [name.strip().lower() for name in next(reader, [])]
            if header and header[0].startswith(_POINTER):
                raise InputError("is a pointer of Git LFS, not the table; fetch the file itself", path=file)
            _check_header(file, header, needed)
            places = {name: header.index(name) for name in (*needed, *optional) if name in header}
            line = reader.line_num + 1
            for row in reader:
                if len(row) == len(header):
                    yield line, {name: row[place] for name, place in places.items()}
                elif row:
                    faults.note(f"rows of {file.name} with another number of fields than the header", f"line {line}")
                line = reader.line_num + 1
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text: {error.reason}", path=file, line=line) from None
    except csv.Error as error:
        raise InputError(f"not readable as CSV ({error}); is a quotation mark not closed?", path=file, line=line
                         ) from None  # fmt: skip
    except (EOFError, gzip.BadGzipFile) as error:
        raise InputError(f"the compressed file is damaged ({error}); fetch it again", path=file) from None
    finally:
        csv.field_size_limit(limit)


def _check_header(path: Path, header: list[str], needed: Collection[str]) -> None:
    missing = [name for name in needed if name not in header]
    if not missing:
        return
    if not header:
        raise InputError("is empty, expected a table with a header", path=path)
    near = get_close_matches(missing[0], header, n=1)
    hint = f'; the nearest is "{near[0]}"' if near else ""
    raise InputError(
        f'no column "{missing[0]}"{hint} (found: {", ".join(name or "(no name)" for name in header[:20])})',
        path=path, line=1, field=missing[0],
    )


def number(text: str) -> int | None:
    """A whole number as tables write it (``1889``, ``1889.0``, ``-30``), or None.

    >>> number(" 12 "), number("12.0"), number("12.5"), number("about 1900")
    (12, 12, None, None)
    """
    try:
        value = float(text) if text.isascii() and "_" not in text else float("nan")
    except ValueError:
        return None
    return int(value) if abs(value) < 1e12 and value == int(value) else None


def is_open(openaccess: str | None, maxpixels: str) -> bool:
    """Whether an image may be used freely: marked as open, or, in copies without that mark, of unlimited size.

    >>> is_open("1", ""), is_open("0", ""), is_open(None, ""), is_open(None, "640")
    (True, False, True, False)
    """
    if openaccess is not None and openaccess.strip():
        return openaccess.strip().lower() in ("1", "true", "t", "yes")
    return openaccess is None and not maxpixels.strip()


def read_images(path: str | Path, faults: Faults) -> Iterator[NgaImage]:
    """Every image of ``published_images.csv``, in the order of the table; see :func:`table_rows`."""
    for line, row in table_rows(path, IMAGE_COLUMNS, IMAGE_OPTIONAL, faults):
        objectid = number(row["depictstmsobjectid"])
        if objectid is None and row["depictstmsobjectid"].strip():
            faults.note("depictstmsobjectid is no number", f"line {line}")
        sizes: list[int | None] = []
        for name in ("width", "height"):
            text = row.get(name, "")
            value = number(text)
            if text.strip() and (value is None or value <= 0):
                faults.note(f"{name} is no positive number", f"line {line}")
                value = None
            sizes.append(value)
        yield NgaImage(
            uuid=row["uuid"].strip().lower(), iiifurl=row["iiifurl"].strip().rstrip("/"), objectid=objectid,
            view=row["viewtype"].strip().lower(), sequence=row.get("sequence", "").strip(), width=sizes[0],
            height=sizes[1], open_access=is_open(row.get("openaccess"), row["maxpixels"]), text=row["assistivetext"],
        )


def read_objects(path: str | Path, wanted: Collection[int], faults: Faults) -> dict[int, NgaObject]:
    """The objects of ``objects.csv`` whose numbers are wanted, by number; see :func:`table_rows`."""
    found: dict[int, NgaObject] = {}
    for line, row in table_rows(path, OBJECT_COLUMNS, OBJECT_OPTIONAL, faults):
        objectid = number(row["objectid"])
        if objectid is None:
            faults.note("objectid is no number", f"line {line}")
            continue
        if objectid not in wanted:
            continue
        years = []
        for name in ("beginyear", "endyear"):
            year = number(row.get(name, ""))
            if row.get(name, "").strip() and (year is None or not -6000 <= year <= 2200):
                faults.note(f"{name} is no year", f"line {line}")
                year = None
            years.append(year)
        made = NgaObject(
            objectid, _plain(row["title"]), _plain(row.get("attribution", "")), _plain(row.get("displaydate", "")),
            years[0], years[1], _plain(row.get("medium", "")), _plain(row.get("classification", "")),
            _plain(row.get("accessionnum", "")), number(row.get("parentid", "")), _plain(row.get("portfolio", "")),
            _plain(row.get("series", "")),
        )
        if objectid in found:  # the one that comes first in the order of its values, so that no order of rows matters
            faults.note("objectid occurs again", f"line {line}")
            made = min(made, found[objectid], key=repr)
        found[objectid] = made
    return found


def _plain(text: str) -> str:
    return " ".join(text.split())


def find_fixture() -> Path:
    """``data/nga`` of the checkout: constructed tables with the columns of the real ones.

    Raises:
        InputError: this is an installed package without it.
    """
    folder = Path(__file__).parent.parent.parent / "data" / "nga"
    if not (folder / OBJECTS).is_file():
        raise InputError("the example tables data/nga are only in a checkout of the project; name a folder with"
                         f" {OBJECTS} and {IMAGES}")
    return folder
