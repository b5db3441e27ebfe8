"""The curves of a training as one small SVG: text stays text, light and dark follow the reader, the alt text is inside.

Written by hand, since the environment that trains need not have a plotting library.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from posh_lite.graph.draw_ink import prefers_dark
from posh_lite.plot import PALETTE


def series(rows: Sequence[Mapping[str, Any]], name: str) -> list[tuple[int, float]]:
    """(step, value) of a logged figure, without those that are no number."""
    return [(int(r["step"]), float(r[name])) for r in rows
            if isinstance(r.get(name), int | float) and math.isfinite(r[name])]


def curves(rows: Sequence[Mapping[str, Any]], title: str) -> str:
    """Loss, and where there are validation loss, reward and length over the steps, as one SVG with its alt text."""
    panels = [(label, found) for name, label in (("loss", "loss"), ("eval_loss", "validation loss"),
                                                 ("reward", "mean reward of a caption"),
                                                 ("completions/mean_length", "mean length, tokens"))
              if (found := series(rows, name))]
    told = [f"{label} from {points[0][1]:.3g} at step {points[0][0]} to {points[-1][1]:.3g} at step {points[-1][0]}"
            for label, points in panels]
    alt = f"{title}: " + ("; ".join(told) if told else "nothing was logged") + "."
    height, width = 132, 520
    light, dark = (";".join(f"--{n}:{PALETTE[n][i]}" for n in ("text", "muted", "grid", "blue")) for i in (0, 1))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="pl-curves" role="img" viewBox="0 0 {width}'
        f' {30 + height * max(1, len(panels))}" font-family="DejaVu Sans,Verdana,sans-serif" font-size="11">',
        f"<title>{escape(title)}</title><desc>{escape(alt)}</desc>",
        f"<style>{prefers_dark('.pl-curves', light, dark)}.pl-curves text{{fill:var(--text)}}"
        ".pl-curves .soft{fill:var(--muted)}.pl-curves .grid{stroke:var(--grid)}"
        ".pl-curves polyline{fill:none;stroke:var(--blue);stroke-width:1.8}.pl-curves circle{fill:var(--blue)}</style>",
        f'<text x="8" y="18" font-size="13">{escape(title)}</text>',
    ]
    last = max((points[-1][0] for _, points in panels), default=1)
    first = min((points[0][0] for _, points in panels), default=0)
    for number, (label, points) in enumerate(panels):
        parts += _panel(label, points, 30 + number * height, width, height, first, max(last, first + 1))
    return "\n".join([*parts, "</svg>", ""])


def _panel(
    label: str, points: Sequence[tuple[int, float]], top: int, width: int, height: int, first: int, last: int
) -> list[str]:
    low, high = min(v for _, v in points), max(v for _, v in points)
    pad = (high - low) * 0.08 or abs(high) * 0.1 or 1.0
    low, high = low - pad, high + pad
    left, right, above, below = 62, width - 14, top + 22, top + height - 24

    def at(step: int, value: float) -> tuple[float, float]:
        x = left + (step - first) / (last - first) * (right - left)
        return x, below - (value - low) / (high - low) * (below - above)

    found = [f'<text class="soft" x="{left}" y="{top + 13}">{escape(label)}</text>']
    for value in (low + pad, high - pad):
        y, shown = at(first, value)[1], value if abs(value) > (high - low) / 1e4 else 0.0
        found.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        found.append(f'<text class="soft" x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{shown:.3g}</text>')
    for step, anchor in ((first, "start"), (last, "end")):
        found.append(f'<text class="soft" x="{at(step, low)[0]:.1f}" y="{below + 15}" text-anchor="{anchor}">'
                     f"step {step}</text>")
    placed = [at(*point) for point in points]
    if len(placed) > 1:
        found.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in placed)}"/>')
    if len(placed) <= 40:
        found += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6"/>' for x, y in placed]
    return found
