"""The figures of the chapters: each function draws one, saves it and returns it for display."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from posh_lite.plot import MARKERS, Figure, canvas, colour, save


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
