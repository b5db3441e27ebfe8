"""Figures of the chapters on DOCENT: what is left after each step of its selection, and how long the texts are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING

from posh_lite.plot import MARKERS, Figure, canvas, colour, save

if TYPE_CHECKING:
    from posh_lite.benchmarks.docent_build import Step


def funnel(steps: Sequence[Step], *, name: str, caption: str) -> Figure:
    """How many works are left after each step, as bars under each other; the number stands beside each bar."""
    largest = max((step.left for step in steps), default=1)
    with canvas(0.6 + 0.3 * len(steps)) as (fig, ax):
        for row, step in enumerate(steps):
            ax.barh(row, step.left, height=0.62, color=colour("overall"), alpha=0.85)
            ax.text(step.left + largest * 0.015, row, f"{step.left:,}", va="center", color=colour("text"), fontsize=9)
        ax.set_yticks(range(len(steps)), [step.name for step in steps], fontsize=9)
        ax.set_ylim(len(steps) - 0.4, -0.6)
        ax.set_xlim(0, largest * 1.14)
        ax.set_xlabel("left")
        ax.grid(axis="y", visible=False)
        said = "; ".join(f"{step.name}: {step.left}" for step in steps)
        return save(fig, name, alt=f"Bars of what is left after each step of the selection. {said}.", caption=caption)


def lengths(values: Mapping[str, Sequence[int]], *, name: str, xlabel: str, caption: str,
            published: float | None = None) -> Figure:  # fmt: skip
    """A dot a text by its length, a row a group, a bar at the median; ``published`` draws an upright line."""
    said = []
    with canvas(0.9 + 0.5 * len(values)) as (fig, ax):
        for row, (label, numbers) in enumerate(values.items()):
            ordered = sorted(numbers)
            shifts = [((at * 7) % 11 - 5) / 22 for at in range(len(ordered))]
            ax.plot(ordered, [row + shift for shift in shifts], MARKERS[row % len(MARKERS)], color=colour("overall"),
                    alpha=0.55, markersize=5, linestyle="none")
            if ordered:
                middle = median(ordered)
                ax.plot([middle, middle], [row - 0.33, row + 0.33], color=colour("text"), linewidth=2)
                said.append(f"{label}: {len(ordered)} texts, median {middle:.0f}, from {ordered[0]} to {ordered[-1]}")
        if published is not None:
            ax.axvline(published, color=colour("muted"), linewidth=1.2, linestyle=(0, (4, 3)))
            said.append(f"a dashed line at the published mean of {published:.0f}")
        ax.set_yticks(range(len(values)), list(values))
        ax.set_ylim(len(values) - 0.4, -0.6)
        ax.grid(axis="y", visible=False)
        ax.set_xlabel(xlabel)
        return save(fig, name, alt=f"Dots of {xlabel} by group. {'; '.join(said)}.", caption=caption)
