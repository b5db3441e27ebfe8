"""The figures of the chapters: each function draws one, saves it and returns it for display."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from posh_lite.plot import MARKERS, MEANING, Figure, canvas, colour, save

if TYPE_CHECKING:
    import pandas as pd

    from posh_lite.evaluation.bootstrap import Estimate


def _jitter(n: int, spread: float) -> list[float]:
    """Offsets that spread points evenly and in a fixed order, so that equal values stay visible."""
    return [spread * (((k * 7) % 11) / 10 - 0.5) for k in range(n)]


def graph_sizes(sizes: Mapping[str, Sequence[int]], name: str = "graph-sizes") -> Figure:
    """Components of each text's graph as dots, one row a group, with the median marked."""
    said = []
    with canvas(0.9 + 0.75 * len(sizes)) as (fig, ax):
        for row, ((group, values), mark) in enumerate(zip(sizes.items(), MARKERS, strict=False)):
            hue = colour(("blue", "orange", "purple", "green")[row % 4])
            heights = [row + offset for offset in _jitter(len(values), 0.5)]
            ax.plot(values, heights, mark, color=hue, alpha=0.55, markeredgewidth=0)
            middle = median(values)
            ax.plot([middle, middle], [row - 0.36, row + 0.36], color=colour("text"), linewidth=2)
            ax.annotate(f"median {middle:.0f}", (middle, row + 0.36), (4, -2), textcoords="offset points", fontsize=9)
            said.append(f"{group} from {min(values)} to {max(values)}, median {middle:.0f}")
        ax.set_yticks(range(len(sizes)), list(sizes))
        ax.set_ylim(len(sizes) - 0.45, -0.6)
        ax.grid(axis="y", visible=False)
        ax.set_xlim(left=0)
        ax.set_xlabel("components of the scene graph")
        return save(
            fig, name, alt=f"Dots of the number of components in each scene graph: {'; '.join(said)}.",
            caption="Components of the scene graph of each text of the known-answer corpus; a line marks the median.",
        )


def _interval(low: float, high: float) -> str:
    return "no interval" if math.isnan(low) else f"interval {low:.2f} to {high:.2f}"


def _whisker(ax: Any, estimate: Estimate, row: float, hue: str, mark: str, label: str | None = None) -> None:
    """One estimate as a mark with its interval as a line."""
    if not math.isnan(estimate.low):
        ax.plot([estimate.low, estimate.high], [row, row], color=hue, linewidth=2.2, solid_capstyle="butt", alpha=0.75)
    if not math.isnan(estimate.value):
        ax.plot([estimate.value], [row], mark, color=hue, markersize=7, label=label, linestyle="none")


def forest(
    rows: Mapping[str, Mapping[str, Estimate | None]], *, name: str, xlabel: str, title: str, caption: str,
    zero: float = 0.0, limits: tuple[float, float] | None = None,
) -> Figure:
    """Estimates with their intervals, one line each, several series a row told apart by colour and shape.

    Args:
        rows: label of the row, then name of the series, then the estimate (None leaves a gap).
        name: of the figure.
        xlabel: of the horizontal axis.
        title: begins the alt text.
        caption: printed below.
        zero: where the line of no effect stands.
        limits: of the horizontal axis.
    """
    series = list(dict.fromkeys(key for row in rows.values() for key in row))
    hues = ("blue", "orange", "purple", "green")
    step = 0.62 / max(len(series), 1)
    said = []
    with canvas(1.15 + 0.2 * len(rows) + 0.16 * len(rows) * len(series)) as (fig, ax):
        ax.axvline(zero, color=colour("muted"), linewidth=1)
        for place, (label, row) in enumerate(rows.items()):
            for index, key in enumerate(series):
                estimate = row.get(key)
                if estimate is None:
                    continue
                at = place + (index - (len(series) - 1) / 2) * step
                _whisker(ax, estimate, at, colour(hues[index % 4]), MARKERS[index])
                said.append(f"{label}, {key}: {estimate.value:.2f}, {_interval(estimate.low, estimate.high)}")
        for index, key in enumerate(series):
            ax.plot([], [], MARKERS[index], color=colour(hues[index % 4]), label=key, linestyle="none")
        ax.set_yticks(range(len(rows)), list(rows))
        ax.set_ylim(len(rows) - 0.4, -0.6)
        ax.grid(axis="y", visible=False)
        if limits:
            ax.set_xlim(*limits)
        ax.set_xlabel(xlabel)
        if len(series) > 1:
            fig.legend(loc="outside upper left", ncols=min(len(series), 3))
        return save(fig, name, alt=f"{title}. {'; '.join(said)}.", caption=caption)


def bars(estimates: Mapping[str, Estimate], *, name: str, xlabel: str, title: str, caption: str) -> Figure:
    """Shares from 0 to 1 as bars with their intervals; the number of cases stands beside each name."""
    said = []
    with canvas(0.9 + 0.36 * len(estimates)) as (fig, ax):
        for row, (label, estimate) in enumerate(estimates.items()):
            value = 0.0 if math.isnan(estimate.value) else estimate.value
            ax.barh(row, value, height=0.62, color=colour("mistakes"), alpha=0.85)
            if not math.isnan(estimate.low):
                ax.plot([estimate.low, estimate.high], [row, row], color=colour("text"), linewidth=1.4)
            said.append(f"{label} {value:.2f} of {estimate.n}")
        ax.set_yticks(range(len(estimates)), [f"{label} ({e.n})" for label, e in estimates.items()])
        ax.set_ylim(len(estimates) - 0.4, -0.6)
        ax.grid(axis="y", visible=False)
        ax.set_xlim(0, 1.02)
        ax.set_xlabel(xlabel)
        return save(fig, name, alt=f"{title}: {'; '.join(said)}.", caption=caption)


def lines(
    x: Sequence[float], series: Mapping[str, Sequence[float]], *, name: str, xlabel: str, ylabel: str, title: str,
    caption: str, marked: float | None = None,
) -> Figure:
    """Curves over a common axis, each named at its end; ``marked`` draws an upright line."""
    hues = {key: MEANING.get(key, ("blue", "orange", "purple", "green")[i % 4]) for i, key in enumerate(series)}
    said = []
    with canvas(2.9) as (fig, ax):
        if marked is not None:
            ax.axvline(marked, color=colour("muted"), linewidth=1, linestyle=(0, (4, 3)))
        for (key, values), mark in zip(series.items(), MARKERS, strict=False):
            ax.plot(x, values, marker=mark, color=colour(hues[key]), label=key, markersize=5)
            said.append(f"{key} goes from {values[0]:.2f} to {values[-1]:.2f}")
        ax.set_xlabel(xlabel)
        ax.set_ylabel(ylabel)
        fig.legend(loc="outside upper left", ncols=3)
        alt = f"{title}, {xlabel} from {x[0]:g} to {x[-1]:g}: {'; '.join(said)}."
        return save(fig, name, alt=alt, caption=caption)


def by_style(frame: pd.DataFrame, *, name: str = "scores-by-style") -> Figure:
    """Mistakes and omissions of each caption by style: a dot a caption, a bar at the median."""
    styles = list(dict.fromkeys(frame["style"]))
    said = []
    with canvas(0.5 + 0.62 * len(styles)) as (fig, ax):
        for row, style in enumerate(styles):
            for offset, (score, mark) in zip((-0.19, 0.19), (("mistakes", "o"), ("omissions", "s")), strict=True):
                values = frame.loc[frame["style"] == style, score].tolist()
                at = [row + offset + k for k in _jitter(len(values), 0.2)]
                ax.plot(values, at, mark, color=colour(score), alpha=0.4, markersize=5, markeredgewidth=0)
                middle = median(values)
                ax.plot([middle] * 2, [row + offset - 0.16, row + offset + 0.16], color=colour(score), linewidth=3)
                said.append(f"{style} {score} {middle:.2f}")
        for score, mark in (("mistakes", "o"), ("omissions", "s")):
            ax.plot([], [], mark, color=colour(score), label=score, linestyle="none")
        ax.set_yticks(range(len(styles)), styles)
        ax.set_ylim(len(styles) - 0.4, -0.6)
        ax.grid(axis="y", visible=False)
        ax.set_xlabel("score, higher is better")
        fig.legend(loc="outside upper left", ncols=2)
        return save(
            fig, name, alt=f"Scores of the captions by style. Medians: {'; '.join(said)}.",
            caption="Scores of each caption of the known-answer corpus by style: dots are captions, bars medians.",
        )


def distributions(frame: pd.DataFrame, columns: Sequence[str], *, name: str, xlabel: str, caption: str) -> Figure:
    """Histograms of several columns above each other, on one axis, with the median marked."""
    import numpy as np

    low, high = float(frame[list(columns)].min().min()), float(frame[list(columns)].max().max())
    edges = np.linspace(math.floor(low * 20) / 20, math.ceil(high * 20) / 20, 25)
    said = []
    with canvas(0.6 + 0.95 * len(columns), rows=len(columns), sharex=True, squeeze=False) as (fig, axes):
        for ax, column in zip(axes[:, 0], columns, strict=True):
            values = frame[column].dropna().tolist()
            ax.hist(values, bins=edges, color=colour(column), alpha=0.8)
            ax.axvline(median(values), color=colour("text"), linewidth=2)
            ax.set_ylabel(column, rotation=0, ha="right", va="center")
            ax.set_yticks([])
            ax.grid(visible=False)
            said.append(f"{column} median {median(values):.2f}, from {min(values):.2f} to {max(values):.2f}")
        axes[-1, 0].set_xlabel(xlabel)
        return save(fig, name, alt=f"Histograms of {xlabel}: {'; '.join(said)}.", caption=caption)


def judged_scatter(
    frame: pd.DataFrame, panels: Sequence[tuple[str, str]], *, name: str, caption: str, codes: str
) -> Figure:
    """Score against judgment, a panel each: a dot a caption, a bar at the median of each judgment."""
    said = []
    height = 0.55 + 1.75 * len(panels)
    with canvas(height, rows=len(panels), squeeze=False) as (fig, axes):
        for ax, (score, label) in zip(axes[:, 0], panels, strict=True):
            for code in sorted(set(frame[label].tolist())):
                values = frame.loc[frame[label] == code, score].tolist()
                at = [code + k for k in _jitter(len(values), 0.5)]
                ax.plot(values, at, "o", color=colour(score), alpha=0.4, markersize=5, markeredgewidth=0)
                ax.plot([median(values)] * 2, [code - 0.32, code + 0.32], color=colour("text"), linewidth=2)
                said.append(f"{label} {code:g}: {len(values)} captions, median {score} {median(values):.2f}")
            ax.set_yticks(sorted(frame[label].unique()))
            ax.set_ylabel(label)
            ax.set_xlabel(f"{score} score")
            ax.grid(axis="y", visible=False)
        return save(fig, name, alt=f"Scores by human judgment ({codes}). {'; '.join(said)}.", caption=caption)
