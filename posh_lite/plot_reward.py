"""What edits do to rewards as heat maps: rows are edits, and every cell says its number, with a sign where it is one.

Orange is less, blue is more, as in the challenge matrix; cells keep their colours on a dark page.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.plot import WIDTH, Figure, canvas, colour, save
from posh_lite.plot_challenge import ink, shade

if TYPE_CHECKING:
    from posh_lite.reward.microscope_effects import Effect

#: A mean change of a reward from which on a cell has its full colour.
LIMIT = 0.1


def shown(change: float) -> str:
    """A change for a cell: a sign, and thousandths where they say something.

    >>> shown(0.0214), shown(-0.2), shown(0.0), shown(-0.0002)
    ('+.021', '−.200', '0', '−.000')
    """
    if math.isnan(change):
        return "–"
    if change == 0:
        return "0"
    text = f"{abs(change):.3f}"
    return ("+" if change > 0 else "−") + (text[1:] if text.startswith("0") else text)


def changes(
    effects: Sequence[Effect], titles: Mapping[str, str], *, name: str, caption: str, folder: str | Path | None = None
) -> Figure:
    """Mean change of each part of a reward under each edit.

    Args:
        effects: of one reward, a row each, in order.
        titles: of the edits.
        name: of the figure.
        caption: printed below.
        folder: see :func:`posh_lite.plot.save`.
    """
    parts = list(effects[0].parts)
    labels = _labels(effects, titles)
    said = []
    with _map(len(effects), len(parts)) as (fig, ax):
        for y, e in enumerate(effects):
            for x, part in enumerate(parts):
                value = e.parts[part]
                sure = part == parts[-1] and not math.isnan(e.change.low) and not e.change.low <= 0 <= e.change.high
                _cell(ax, x, y, 0.5 + 0.5 * max(-1.0, min(1.0, value / LIMIT)), shown(value), bold=sure)
            said.append(f"{labels[y]} {shown(e.parts[parts[-1]])}")
        _axes(ax, labels, [p if p != parts[-1] else "reward" for p in parts], gap=len(parts) - 1.5)
        alt = f"Heat map of the mean change of each term under {len(effects)} edits. Whole reward: {'; '.join(said)}."
        return save(fig, name, alt=alt, caption=caption, folder=folder)


def gains(
    effects: Mapping[str, Sequence[Effect]], titles: Mapping[str, str], *, name: str, caption: str,
    folder: str | Path | None = None,
) -> Figure:
    """Share of the captions in which each edit raises each reward.

    Args:
        effects: by heading of the column, the same edits in the same order.
        titles: of the edits.
        name: of the figure.
        caption: printed below.
        folder: see :func:`posh_lite.plot.save`.

    Raises:
        ValueError: the columns have not the same edits.
    """
    columns = list(effects)
    rows = effects[columns[0]]
    keys = [[(e.edit, e.should) for e in own] for own in effects.values()]
    if any(k != keys[0] for k in keys):
        raise ValueError("the rewards were looked at under different edits")
    labels = _labels(rows, titles)
    said = []
    with _map(len(rows), len(columns)) as (fig, ax):
        for x, column in enumerate(columns):
            for y, e in enumerate(effects[column]):
                share = e.raised.value
                # white is none, so that the eye finds what pays
                _cell(ax, x, y, 0.5 + 0.5 * share, "–" if math.isnan(share) else f"{100 * share:.0f}",
                      bold=not math.isnan(e.change.low) and e.change.low > 0)
            mean = sum(e.raised.value for e in effects[column]) / len(rows)
            said.append(f"{column.replace(chr(10), ' ')} {100 * mean:.0f} per cent")
        _axes(ax, labels, columns)
        alt = (f"Heat map of the share of captions in which each of {len(rows)} edits raises a reward. Mean over the"
               f" edits: {'; '.join(said)}.")  # fmt: skip
        return save(fig, name, alt=alt, caption=caption, folder=folder)


def _labels(effects: Sequence[Effect], titles: Mapping[str, str]) -> list[str]:
    often = Counter(e.edit for e in effects)
    return [titles[e.edit] + (f" ({e.should})" if often[e.edit] > 1 else "") for e in effects]


def _map(rows: int, columns: int) -> Any:
    return canvas(0.75 + 0.3 * rows, width=WIDTH + max(0, columns - 5) * 0.35)


def _cell(ax: Any, x: int, y: int, value: float, text: str, *, bold: bool) -> None:
    from matplotlib.patches import Rectangle

    fill = shade(value)
    ax.add_patch(Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, facecolor=fill, edgecolor="none"))
    ax.text(x, y, text, ha="center", va="center_baseline", fontsize=9.5, color=ink(fill),
            fontweight="bold" if bold else "normal")  # fmt: skip


def _axes(ax: Any, labels: Sequence[str], columns: Sequence[str], gap: float | None = None) -> None:
    ax.xaxis.tick_top()
    ax.set_xticks(range(len(columns)), columns, fontsize=8.5)
    ax.set_yticks(range(len(labels)), labels, fontsize=9)
    ax.tick_params(length=0)
    ax.set_xlim(-0.5, len(columns) - 0.5)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.grid(visible=False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    if gap is not None:
        ax.axvline(gap, color=colour("muted"), linewidth=1)
