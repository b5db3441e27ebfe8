"""Figures of the chapters on baselines and arenas."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.plot import MARKERS, MEANING, WIDTH, Figure, canvas, colour, save
from posh_lite.plot_challenge import ink, shade, wrapped

if TYPE_CHECKING:
    import pandas as pd

    from posh_lite.evaluation.bootstrap import Estimate


def differences(
    rows: Mapping[str, Mapping[str, Estimate]], *, name: str, xlabel: str, base: str, caption: str,
    folder: str | Path | None = None,
) -> Figure:
    """Differences of one metric from each other one, a panel a dimension, the panels side by side.

    Args:
        rows: title of the other metric, then dimension, then the difference; above zero the base is better.
        name: of the figure.
        xlabel: below the panels.
        base: title of the metric that the others are taken from.
        caption: printed below.
        folder: where the files go.

    Raises:
        ValueError: there is no difference to draw.
    """
    panels = list(dict.fromkeys(dimension for row in rows.values() for dimension in row))
    if not panels:
        raise ValueError(f"{name}: no differences")
    said = []
    known = [v for row in rows.values() for e in row.values() for v in (e.low, e.value, e.high) if not math.isnan(v)]
    ends = (min(0.0, *known), max(0.0, *known))
    room = 0.06 * (ends[1] - ends[0])
    with canvas(1.05 + 0.26 * len(rows), width=WIDTH, columns=len(panels), squeeze=False, sharey=True) as (fig, axes):
        for place, (ax, dimension) in enumerate(zip(axes[0], panels, strict=True)):
            hue = colour(dimension if dimension in MEANING else "text")
            ax.axvline(0, color=colour("muted"), linewidth=1)
            told = []
            for y, (title, row) in enumerate(rows.items()):
                one = row.get(dimension)
                if one is None or math.isnan(one.value):
                    continue
                if not math.isnan(one.low):
                    ax.plot([one.low, one.high], [y, y], color=hue, linewidth=2)
                ax.plot([one.value], [y], MARKERS[place % len(MARKERS)], color=hue, markersize=5.5)
                told.append(f"{title} {one.value:+.2f}")
            said.append(f"{dimension}: {', '.join(told)}")
            ax.set_title(dimension, fontsize=10)
            ax.set_xlim(ends[0] - room, ends[1] + room)
            ax.tick_params(axis="x", labelsize=8.5)
        axes[0][0].set_yticks(range(len(rows)), [wrapped(title) for title in rows], fontsize=8.5, linespacing=0.95)
        axes[0][0].set_ylim(len(rows) - 0.4, -0.6)
        fig.supxlabel(xlabel, fontsize=9.5, color=colour("text"))
        alt = f"{base} less each other metric, {xlabel}, with 95% intervals. {'; '.join(said)}."
        return save(fig, name, alt=alt, caption=caption, folder=folder)


def ranks(table: pd.DataFrame, *, name: str, caption: str, folder: str | Path | None = None) -> Figure:
    """Ranks of models by the gold and by metrics as a grid of numbers, shaded by how far a metric is off.

    Args:
        table: of :func:`posh_lite.evaluation.arena_view.rank_table`.
        name: of the figure.
        caption: printed below.
        folder: where the files go.
    """
    from matplotlib.patches import Rectangle

    models, columns = list(table["model"]), list(table.columns[1:])
    gold, said = table[columns[0]], []
    with canvas(0.6 + 0.27 * len(columns), width=WIDTH) as (fig, ax):
        for y, column in enumerate(columns):
            for x, (rank, true) in enumerate(zip(table[column], gold, strict=True)):
                off = abs(rank - true) / max(1, len(models) - 1)
                fill = shade(0.5 - off / 2)
                ax.add_patch(Rectangle((x - 0.47, y - 0.45), 0.94, 0.9, facecolor=fill, edgecolor="none"))
                ax.text(x, y, f"{rank:.0f}", ha="center", va="center_baseline", fontsize=10, color=ink(fill))
            said.append(f"{column} {', '.join(f'{r:.0f}' for r in table[column])}")
        _grid(ax, models, columns)
        alt = f"Ranks of {', '.join(models)}, in the order of the gold: {'; '.join(said)}."
        return save(fig, name, alt=alt, caption=caption, folder=folder)


def _grid(ax: Any, models: list[str], columns: list[str]) -> None:
    ax.xaxis.tick_top()
    ax.set_xticks(range(len(models)), models, fontsize=8.5, rotation=0 if len(models) <= 6 else 60,
                  ha="center" if len(models) <= 6 else "left")  # fmt: skip
    ax.set_yticks(range(len(columns)), [wrapped(c) for c in columns], fontsize=8.5, linespacing=0.95)
    ax.set_xlim(-0.5, len(models) - 0.5)
    ax.set_ylim(len(columns) - 0.5, -0.5)
    ax.tick_params(length=0)
    ax.grid(visible=False)
    for spine in ax.spines.values():
        spine.set_visible(False)
