r"""The table of an evaluation in LaTeX: ``\bfseries`` for the best, ``\cellcolor`` for what is not significant."""

from __future__ import annotations

import re
from itertools import groupby

from posh_lite.evaluation.tables import Cell, Table

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "ρ": r"$\rho$", "τ": r"$\tau$", "–": "--", "\n": " ",
}  # fmt: skip
_ANY = re.compile("|".join(map(re.escape, _SPECIAL)))


def escaped(text: str) -> str:
    """A text as LaTeX prints it, character for character."""
    return _ANY.sub(lambda m: _SPECIAL[m.group()], text)


def latex(table: Table, label: str = "evaluation") -> str:
    r"""Two ``table`` environments, the figures and their intervals, with the notes in the caption.

    They need ``booktabs`` and ``xcolor`` with its option ``table``.

    Args:
        table: to be written.
        label: of the first table, after ``tab:``; the second has ``-intervals`` added.
    """
    label = re.sub(r"[^A-Za-z0-9:.-]+", "-", label)  # a name may have what LaTeX reads otherwise
    head = "% \\usepackage{booktabs} and \\usepackage[table]{xcolor}; written by posh-lite evaluate\n"
    notes = list(table.notes)
    if table.skipped:
        notes.append("Not run: " + "; ".join(f"{title} ({why})" for title, why in table.skipped) + ".")
    figures = [(title, [_figure(cell) for cell in cells]) for title, cells in table.rows]
    intervals = [(title, [_minus(escaped(cell.interval)) for cell in cells]) for title, cells in table.rows]
    caption = f"{escaped(table.title)}. \\textbf{{Bold}}: best of the column. " + " ".join(map(escaped, notes))
    second = f"{escaped(table.title)}: intervals of Table~\\ref{{tab:{label}}}."
    return head + _environment(table, figures, caption, label) + "\n" + _environment(
        table, intervals, second, f"{label}-intervals"
    )


def _minus(text: str) -> str:
    """A hyphen before a figure as a minus sign; the dash of an empty cell stays."""
    return re.sub(r"(?<![-\w])-(?=\d)", "$-$", text)


def _figure(cell: Cell) -> str:
    text = _minus(escaped(cell.text))
    text = f"\\textbf{{{text}}}" if cell.best else text
    return f"\\cellcolor{{gray!25}}{text}" if cell.grey else text


def _environment(table: Table, rows: list[tuple[str, list[str]]], caption: str, label: str) -> str:
    groups = [(name, len(list(members))) for name, members in groupby(group for group, _ in table.columns)]
    spans, rules, place = [], [], 2
    for name, width in groups:
        spans.append(f"\\multicolumn{{{width}}}{{c}}{{{escaped(name)}}}")
        rules.append(f"\\cmidrule(lr){{{place}-{place + width - 1}}}")
        place += width
    lines = [
        "\\begin{table*}[t]", "\\centering", f"\\caption{{{caption}}}", f"\\label{{tab:{label}}}",
        f"\\begin{{tabular}}{{l{'r' * len(table.columns)}}}", "\\toprule",
        " & ".join(["", *spans]) + " \\\\", "".join(rules),
        " & ".join(["Metric", *(escaped(name) for _, name in table.columns)]) + " \\\\", "\\midrule",
        *(" & ".join([escaped(title), *cells]) + " \\\\" for title, cells in rows),
        "\\bottomrule", "\\end{tabular}", "\\end{table*}", "",
    ]  # fmt: skip
    return "\n".join(lines)
