"""The figures of the reward results: where a training moved a quantity, and how dense and long captions are."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from posh_lite.plot import MARKERS, Figure, canvas, colour, save

#: A start and an end by name of the row.
Moves = Mapping[str, tuple[float, float]]


def dumbbells(
    panels: Mapping[str, Moves], *, name: str, caption: str, start: str, end: str, title: str,
    better: Mapping[str, str], bands: Mapping[str, tuple[float, float]] | None = None, columns: int = 2,
) -> Figure:
    """Two values a row, joined by a line, a panel a quantity; an open circle is the start, a full mark the end.

    Args:
        panels: quantity -> row -> (start, end). All panels have the same rows.
        name: of the figure.
        caption: printed below.
        start: what the open circle is.
        end: what the full mark is.
        title: begins the alt text.
        better: quantity -> "lower" or "higher", said beside its name.
        bands: quantity -> (low, high), shaded: within it two values are not told apart.
        columns: panels side by side.

    Raises:
        ValueError: no panels, or panels with other rows.
    """
    rows = list(next(iter(panels.values()), {}))
    if not rows or any(list(own) != rows for own in panels.values()):
        raise ValueError("there are no panels, or their rows differ")
    labels = [textwrap.fill(row, 16) for row in rows]
    deep, said = -(-len(panels) // columns), []
    size: dict[str, Any] = {"rows": deep, "columns": columns, "sharey": True, "squeeze": False}
    with canvas(0.6 + deep * (0.75 + 0.3 * len(rows)), **size) as (fig, axes):
        for ax, (quantity, own) in zip(axes.flat, panels.items(), strict=False):
            band = (bands or {}).get(quantity)
            if band:
                ax.axvspan(*band, color=colour("grey"), alpha=0.22, linewidth=0)
            for at, (first, last) in enumerate(own.values()):
                good = (last < first) == (better[quantity] == "lower") or last == first
                hue = colour("blue" if good else "orange")
                ax.plot([first, last], [at, at], color=hue, linewidth=2.2, solid_capstyle="butt")
                ax.plot([first], [at], "o", markersize=6.5, markerfacecolor="none", markeredgecolor=colour("muted"))
                ax.plot([last], [at], "o" if good else "s", color=hue, markersize=6.5)
            ax.set_title(f"{quantity} ({better[quantity]} is better)", fontsize=9.5)
            ax.set_yticks(range(len(rows)), labels, fontsize=9)
            ax.set_ylim(len(rows) - 0.5, -0.5)
            ax.tick_params(axis="x", labelsize=8.5)
            ax.locator_params(axis="x", nbins=4)
            ax.margins(x=0.12)
            ax.grid(axis="y", visible=False)
            said.append(f"{quantity}: " + ", ".join(f"{row} {a:.3f} to {b:.3f}" for row, (a, b) in own.items()))
        for ax in axes.flat[len(panels):]:
            ax.set_visible(False)
        ax = axes.flat[0]
        ax.plot([], [], "o", markerfacecolor="none", markeredgecolor=colour("muted"), label=start)
        ax.plot([], [], "o", color=colour("blue"), label=f"{end}, better or equal")
        ax.plot([], [], "s", color=colour("orange"), label=f"{end}, worse")
        fig.legend(loc="outside upper left", ncols=2, fontsize=9)
        return save(fig, name, alt=f"{title}: from {start} to {end}. {'; '.join(said)}.", caption=caption)


def density(
    points: Mapping[str, Mapping[str, tuple[float, float]]], *, name: str, caption: str,
    curves: Sequence[float] = (8, 12, 16),
) -> Figure:
    """Facts per 100 tokens over length, with curves along which a caption has equally many facts.

    Args:
        points: data set -> method -> (length in tokens, facts per 100 tokens).
        name: of the figure.
        caption: printed below.
        curves: facts of a caption.
    """
    said = []
    with canvas(3.3) as (fig, ax):
        longest = max(length for own in points.values() for length, _ in own.values())
        densest = max(dense for own in points.values() for _, dense in own.values())
        ends = [longest * 0.2 + longest * 0.95 * k / 60 for k in range(61)]
        for total in curves:
            own = [(x, 100 * total / x) for x in ends if 100 * total / x <= densest * 1.15]
            ax.plot([x for x, _ in own], [y for _, y in own], color=colour("grid"), linewidth=1.4)
            ax.annotate(f"{total:g} facts", own[-1], (-2, 3), textcoords="offset points", ha="right", fontsize=8.5,
                        color=colour("muted"))
        for (dataset, methods), mark, hue in zip(points.items(), MARKERS, ("blue", "orange", "purple"), strict=False):
            for method, (x, y) in methods.items():
                ax.plot([x], [y], mark, color=colour(hue), label=dataset if method == next(iter(methods)) else None)
                above = dataset == next(iter(points))
                ax.annotate(method, (x, y), (0, 7 if above else -14), textcoords="offset points", ha="center",
                            fontsize=8.5)
                said.append(f"{dataset} {method}: {x:.0f} tokens, {y:.2f} per 100, so about {x * y / 100:.1f} facts")
        ax.set(xlabel="mean length in tokens", ylabel="facts per 100 tokens", xlim=(longest * 0.15, longest * 1.15),
               ylim=(0, densest * 1.2))
        fig.legend(loc="outside upper left", ncols=3, fontsize=9.5)
        alt = f"Density over length of captions, with curves of equally many facts. {'; '.join(said)}."
        return save(fig, name, alt=alt, caption=caption)
