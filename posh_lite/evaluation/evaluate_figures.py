"""Figures of an evaluation: one panel a dimension, metrics below each other, each with its interval."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.plot import MARKERS, WIDTH, Figure, canvas, colour, save

if TYPE_CHECKING:
    from posh_lite.evaluation.evaluate import Evaluation

#: Protocol, statistic, name of the figure, what its axis says, the value of no skill.
FIGURES = (
    ("coarse", "accuracy", "accuracy", "pairwise accuracy", None),
    ("coarse", "spearman", "correlation", "Spearman's ρ of differences with judgments", 0.0),
    ("ratings", "spearman", "ratings", "Spearman's ρ of scores with ratings", 0.0),
    ("granular", "f1", "localisation", "macro F1 over words, best threshold", None),
    ("arena", "model_spearman", "model-ranking", "Spearman's ρ of the rankings of models", 0.0),
)  # fmt: skip


def draw(evaluation: Evaluation, folder: str | Path) -> list[Figure]:
    """Draw what was measured, as SVG, PNG and alt text; a statistic without figures has no figure.

    Args:
        evaluation: of any benchmark.
        folder: where the files go.

    Raises:
        ImportError: matplotlib is not installed.
    """
    found = []
    for protocol, statistic, name, axis, nothing in FIGURES:
        rows = _rows(evaluation, protocol, statistic)
        if rows:
            found.append(_intervals(evaluation, name, axis, nothing, rows, folder))
    return found


def _rows(evaluation: Evaluation, protocol: str, statistic: str) -> dict[str, list[tuple[str, float, float, float]]]:
    """By dimension: title, value, low and high of each metric in order."""
    e = evaluation.estimates
    found: dict[str, list[tuple[str, float, float, float]]] = {}
    if not len(e):
        return found
    titles = {run.name: run.title for run in evaluation.runs}
    wanted = (e["protocol"] == protocol) & (e["statistic"] == statistic) & (e["subset"] == "")
    for row in e[wanted].itertuples():
        value, low, high = (float(v) for v in (row.value, row.low, row.high))  # type: ignore[arg-type]
        if not math.isnan(value):
            found.setdefault(str(row.dimension), []).append((titles[str(row.metric)], value, low, high))
    return found


def _intervals(
    evaluation: Evaluation, name: str, axis: str, nothing: float | None,
    rows: dict[str, list[tuple[str, float, float, float]]], folder: str | Path,
) -> Figure:
    titles = list(dict.fromkeys(title for part in rows.values() for title, *_ in part))
    height = 1.1 + 0.3 * len(titles)
    with canvas(height * len(rows), rows=len(rows), squeeze=False, sharex=True) as (fig, axes):
        for place, (dimension, part) in enumerate(rows.items()):
            ax: Any = axes[place][0]
            for title, value, low, high in part:
                y = titles.index(title)
                tone = colour(dimension if dimension in ("mistakes", "omissions") else "overall")
                if not math.isnan(low):
                    ax.plot([low, high], [y, y], color=tone)
                ax.plot([value], [y], MARKERS[place % len(MARKERS)], color=tone)
            if nothing is not None:
                ax.axvline(nothing, color=colour("muted"), linewidth=0.8)
            ax.set_yticks(range(len(titles)), titles)
            ax.set_ylim(len(titles) - 0.5, -0.5)
            ax.set_title(dimension)
        axes[-1][0].set_xlabel(axis)
        fig.set_size_inches(WIDTH, height * len(rows))
        about = evaluation.about
        alt = f"{axis} on {about['title']}, with 95% intervals over images. " + " ".join(
            f"{dimension.capitalize()}: " + ", ".join(f"{title} {value:.2f}" for title, value, _, _ in part) + "."
            for dimension, part in rows.items()
        )
        gold = "people's judgments" if about["gold"] == "people" else "constructed gold"
        caption = f"{axis[0].upper()}{axis[1:]} on {about['title']} ({gold}), with 95% intervals over images."
        slug = "".join(c if c.isalnum() else "-" for c in str(about["name"]).lower()).strip("-")
        return save(fig, f"{slug}-{name}", alt=alt, caption=caption, folder=folder)
