"""The published tables of both papers as data frames, to stand beside one's own figures.

Every table of the PoSh paper and of "Where Do Long Captions Fail?" that can be read, from ``data/paper``::

    from posh_lite import paper

    paper.tables()                                       # what there is
    paper.table("coarse_results")                        # by label, or "posh:3"
    paper.value("coarse_results", "PoSh", "docent_mistakes_rho")
    paper.long("position:18")                            # a row a figure
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from posh_lite.paper_figures import Printed, Published, Sheet, is_figure, published

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["beside", "long", "lost", "printed", "statement", "statements", "table", "tables", "value"]


def _table(name: str, source: Published | None) -> Sheet:
    return (source or published()).sheet(name)


def tables() -> pd.DataFrame:
    """What there is: a row a table, with paper, number, label, title, numbers of rows and figures, and file."""
    import pandas as pd

    rows = [
        {
            "paper": s.info.paper, "number": s.info.number, "label": s.info.label, "title": s.info.title,
            "rows": len(s.cells), "figures": sum(1 for _ in s.figures()), "file": s.info.file,
        }
        for s in published().sheets.values()
    ]
    return pd.DataFrame(rows)


def lost() -> pd.DataFrame:
    """What of the papers was lost when their text was extracted: paper, number, and what is known of it."""
    import pandas as pd

    return pd.DataFrame([dict(entry) for entry in published().lost])


def table(name: str, *, source: Published | None = None) -> pd.DataFrame:
    """A table of a paper.

    Args:
        name: its label, as :func:`tables` lists it, or paper and number: "posh:3", "position:18".
        source: where it is taken from, by default the files of the package.

    Returns:
        The cells; a column is numeric where every cell of it is a figure or empty (then NaN). ``attrs`` has paper,
        number, label, title, key, units and about by column, notes, citation and file.

    Raises:
        InputError: no such table, or it is lost; the message has near names.
    """
    import pandas as pd

    sheet = _table(name, source)
    frame = pd.DataFrame(list(sheet.cells.values()), columns=list(sheet.columns))
    for column in sheet.columns:
        filled = [text for text in frame[column] if text]
        if filled and all(is_figure(text) for text in filled):
            frame[column] = pd.to_numeric(frame[column].replace("", None))
    info = sheet.info
    frame.attrs = {
        "paper": info.paper, "number": info.number, "label": info.label, "title": info.title, "key": info.key,
        "units": dict(info.units), "about": dict(info.about), "notes": list(info.notes), "citation": info.citation,
        "file": info.file,
    }
    return frame


def printed(name: str, row: str, column: str) -> Printed:
    """A figure with its printed digits and the interval that they leave open.

    Args:
        name: of the table, as for :func:`table`.
        row: its name; where several columns name a row, they are joined by commas ("IIW-400,PAGER").
        column: as in the file.

    Raises:
        InputError: no such table, row or column, or the cell is no figure; the message has near names.
    """
    return published().printed(name, row, column)


def value(name: str, row: str, column: str) -> float:
    """A published figure as a number; arguments and errors as for :func:`printed`."""
    return float(printed(name, row, column).value)


def long(name: str, *, source: Published | None = None) -> pd.DataFrame:
    """A row a figure: paper, number, label, row, column, value, printed and unit, to be joined with one's own."""
    import pandas as pd

    sheet = _table(name, source)
    info = sheet.info
    names = ["paper", "number", "label", "row", "column", "value", "printed", "unit"]
    rows = [
        (info.paper, info.number, info.label, row, column, float(text), text, info.units[column])
        for row, column, text in sheet.figures()
    ]
    return pd.DataFrame(rows, columns=names)


def beside(
    ours: pd.DataFrame, name: str, columns: Mapping[str, str], *, rows: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """One's own figures with the published ones beside them.

    Args:
        ours: indexed by the name of the row.
        name: of the published table.
        columns: a column of ``ours`` -> the column of the table that answers the same question.
        rows: a row of ``ours`` -> the row of the table, where the names differ.

    Returns:
        A row for each row and column of ``ours``: row, column, ours, published (NaN where the paper has none).

    Raises:
        InputError: the table has no such column.
        KeyError: ``ours`` has no such column.
    """
    import pandas as pd

    sheet, known = _table(name, None), rows or {}
    for column in columns.values():
        published().text(name, next(iter(sheet.cells)), column)
    found = []
    for row in ours.index:
        cells = sheet.cells.get(known.get(row, row), {})
        for mine, theirs in columns.items():
            text = cells.get(theirs, "")
            figure = float(text) if is_figure(text) else float("nan")
            found.append({"row": row, "column": mine, "ours": ours.loc[row, mine], "published": figure})
    return pd.DataFrame(found, columns=["row", "column", "ours", "published"])


def statements() -> pd.DataFrame:
    """Figures that stand in running text: id, paper, location, description, value, unit and more.

    Values stay text, since a few are names.
    """
    return table("statements")


def statement(name: str) -> float:
    """A figure of the running text by its id.

    Raises:
        InputError: no such statement, or it is no figure.
    """
    return value("statements", name, "value")
