"""The challenge matrix as a heat map: rows are metrics, columns kinds of error, and every cell says its number.

The scale runs from orange over a light middle at guessing to blue, which people with the common forms of colour
blindness can tell apart. Cells keep their colours on a dark page, and with them the ink of their numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.evaluation.challenge_trials import ATTACHMENT, PARAPHRASE
from posh_lite.plot import WIDTH, Figure, canvas, colour, save

if TYPE_CHECKING:
    from posh_lite.evaluation.bootstrap import Estimate
    from posh_lite.evaluation.challenge import Matrix

_LOW, _MIDDLE, _HIGH = (186, 75, 6), (238, 239, 241), (4, 92, 148)
_NOTHING = "#8c949e"
_INK, _PAPER = "#000000", "#ffffff"  # in no palette, so that they stay on a dark page
#: More columns are split into panels, so that numbers stay legible on a phone.
COLUMNS = 6
TITLES = {
    "planted": "One planted mistake, all else equal", "copy": "One change in a copy of the reference",
    "reworded": "One wrong fact against a right paraphrase",
}  # fmt: skip
SAID = {
    "share": "how often the worse text gets the lower score",
    "place": "how often a changed word scores below an unchanged one",
}
_SHORT = {"all": "all\nmistakes", "attribute swap": "attribute\nswap", "role swap": "role\nswap",
          "paraphrase": "control:\nparaphrase"}  # fmt: skip


def shade(value: float) -> str:
    """Colour of a share from 0 over 0.5 (guessing, light) to 1; grey where it is undefined.

    >>> shade(0.5), shade(1.0)
    ('#eeeff1', '#045c94')
    """
    if math.isnan(value):
        return _NOTHING
    end, weight = (_HIGH, 2 * value - 1) if value >= 0.5 else (_LOW, 1 - 2 * value)
    weight = min(1.0, max(0.0, weight))
    mixed = (round(m + (e - m) * weight) for m, e in zip(_MIDDLE, end, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def ink(fill: str) -> str:
    """Dark or light ink, whichever has the higher contrast on a fill (WCAG 2, relative luminance)."""
    light = _luminance(fill)
    against = [(max(light, other) + 0.05) / (min(light, other) + 0.05) for other in map(_luminance, (_INK, _PAPER))]
    return _INK if against[0] >= against[1] else _PAPER


def _luminance(fill: str) -> float:
    parts = [int(fill[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def heat_map(
    matrix: Matrix, condition: str, *, statistic: str = "share", name: str = "", folder: str | Path | None = None,
    metrics: Sequence[str] | None = None,
) -> Figure:
    """Draw one condition of the matrix.

    Args:
        matrix: of :func:`posh_lite.evaluation.challenge.challenge`, or a record of it.
        condition: "planted", "copy" or "reworded".
        statistic: "share" or "place".
        name: of the figure; by default "challenge-" and the condition.
        folder: where the files go.
        metrics: names of the rows; by default all that ran and have such a figure, best on top.

    Raises:
        ValueError: no metric has such a figure.
    """
    kinds = [k for k in matrix.kinds(condition) if not (statistic == "place" and k == "omission")]
    kinds = [k for k in kinds if k != "attachment"]  # its parts have columns of their own
    titles = {run.name: run.title for run in matrix.ran}
    rows = list(metrics) if metrics is not None else _ranked(matrix, condition, statistic)
    if not rows or not kinds:
        raise ValueError(f"no metric has figures of {statistic} under {condition}")
    cells = {(m, k): matrix.cell(m, condition, k, statistic) for m in rows for k in kinds}
    parts = _panels(kinds)
    wide = max(map(len, parts))
    height = len(parts) * (0.95 + 0.265 * len(rows)) + 0.55
    ratios = [*([0.95 + 0.265 * len(rows)] * len(parts)), 0.2]
    with canvas(height, width=WIDTH, rows=len(parts) + 1, gridspec_kw={"height_ratios": ratios}) as (fig, axes):
        for ax, part in zip(axes, parts, strict=False):
            _panel(ax, part, rows, titles, cells, wide)
        _scale(axes[-1], SAID[statistic])
        heading = TITLES[condition] + (": is it pointed at?" if statistic == "place" else "")
        fig.suptitle(heading, x=0.01, ha="left", fontsize=11, color=colour("text"))
        numbers = _counts(cells, rows, kinds)
        closing = [k for k in kinds if k in ATTACHMENT or k in ("all", PARAPHRASE)]
        alt = (
            f"{heading.rstrip('?')}: {len(rows)} metrics by {len(kinds)} kinds of error, each cell {SAID[statistic]},"
            f" in per cent; guessing gives 50. " + " ".join(
                f"{_plain(kind).capitalize()}: "
                + ", ".join(f"{titles[m]} {_shown(cells[m, kind].value)}" for m in rows) + "."
                for kind in closing
            )
        )  # fmt: skip
        caption = (
            f"{TITLES[condition]}: {SAID[statistic]}, in per cent, ties half. Light is guessing, blue better, orange"
            " worse than guessing, gray without a figure; bold where the 95% interval leaves out 50. Bold"
            " headings are kinds of attachment: a true thing is given to the wrong owner. Below each kind stands the"
            f" number of {'trials' if statistic == 'share' else 'texts'} ({numbers} in all)."
        )
        if "paraphrase" in kinds:
            caption += " The paraphrase is a control: nothing is wrong in it, so a high number is a false alarm."
        return save(fig, name or f"challenge-{condition}", alt=alt, caption=caption, folder=folder)


def _ranked(matrix: Matrix, condition: str, statistic: str) -> list[str]:
    """Metrics with such a figure, the best over all mistakes on top."""
    values = {run.name: matrix.cell(run.name, condition, "all", statistic).value for run in matrix.ran}
    return sorted((n for n, v in values.items() if not math.isnan(v)), key=lambda n: -values[n])


def _panels(kinds: Sequence[str]) -> list[list[str]]:
    """Columns in panels of nearly the same number, at most :data:`COLUMNS`."""
    number = math.ceil(len(kinds) / COLUMNS)
    size = math.ceil(len(kinds) / number)
    return [list(kinds[i : i + size]) for i in range(0, len(kinds), size)]


def _panel(
    ax: Any, kinds: Sequence[str], rows: Sequence[str], titles: dict[str, str],
    cells: dict[tuple[str, str], Estimate], wide: int,
) -> None:
    from matplotlib.patches import Rectangle

    for y, metric in enumerate(rows):
        for x, kind in enumerate(kinds):
            one = cells[metric, kind]
            fill = shade(math.nan if kind == PARAPHRASE else one.value)  # a control is neither right nor wrong
            ax.add_patch(Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, facecolor=fill, edgecolor="none"))
            sure = not math.isnan(one.low) and not one.low <= 0.5 <= one.high
            ax.text(x, y, _shown(one.value), ha="center", va="center_baseline", fontsize=10, color=ink(fill),
                    fontweight="bold" if sure else "normal")  # fmt: skip
    counts = [max(cells[m, k].n for m in rows) for k in kinds]
    ax.xaxis.tick_top()
    ax.set_xticks(range(len(kinds)), [f"{_SHORT.get(k, k)}\n{n}" for k, n in zip(kinds, counts, strict=True)],
                  fontsize=8.5)  # fmt: skip
    for label, kind in zip(ax.get_xticklabels(), kinds, strict=True):
        label.set_fontweight("bold" if kind in ATTACHMENT else "normal")
    ax.set_yticks(range(len(rows)), [wrapped(titles[m]) for m in rows], fontsize=9.5, linespacing=0.95)
    for label in ax.get_yticklabels():
        label.set_fontsize(8 if "\n" in label.get_text() else 9.5)
    ax.tick_params(length=0)
    ax.set_xlim(-0.5, wide - 0.5)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.grid(visible=False)
    for spine in ax.spines.values():
        spine.set_visible(False)


def _scale(ax: Any, what: str) -> None:
    from matplotlib.patches import Rectangle

    steps = 40
    for i in range(steps):
        ax.add_patch(Rectangle((i / steps, 0), 1 / steps + 0.002, 1, facecolor=shade((i + 0.5) / steps),
                               edgecolor="none"))  # fmt: skip
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    ax.set_yticks([])
    ax.set_xticks([0, 0.5, 1], ["0", "50: guessing", "100%"], fontsize=9)
    ax.set_xlabel(what, fontsize=9)
    ax.tick_params(length=0)
    ax.grid(visible=False)
    for spine in ax.spines.values():
        spine.set_visible(False)


def wrapped(title: str, longest: int = 15) -> str:
    r"""A title that leaves room for the cells: in two lines where it is long, cut where that is not enough.

    >>> wrapped("SGEmbed, spelling only").split("\n"), wrapped("BLEU-4")
    (['SGEmbed,', 'spelling only'], 'BLEU-4')
    """
    if len(title) <= longest:
        return title
    places = [i for i, c in enumerate(title) if c == " "]
    middle = min(places, key=lambda i: abs(i - len(title) / 2), default=0)
    lines = (title[:middle], title[middle + 1 :]) if middle else (title,)
    longest += 4  # the letters are smaller
    return "\n".join(line if len(line) <= longest else line[: longest - 1].rstrip(" ,(") + "…" for line in lines)


def _plain(kind: str) -> str:
    return _SHORT.get(kind, kind).replace("\n", " ")


def _shown(value: float) -> str:
    return "–" if math.isnan(value) else f"{100 * value:.0f}"


def _counts(cells: dict[tuple[str, str], Estimate], rows: Sequence[str], kinds: Sequence[str]) -> int:
    return sum(max(cells[m, k].n for m in rows) for k in kinds if k != "all")
