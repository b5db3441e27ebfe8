"""Two drawings for pages: the composition of captions by quarter, and scores with their intervals.

Inline SVG in the colours of the page, so that they follow light and dark and need no plotting library. The figures of
the book are those of :mod:`posh_lite.plot_position`; colours, marks and lines are the same here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.position.report import figure
from posh_lite.position.types import LABELS

#: Of each label: letter of its quantities, colour, dashes.
LOOKS = {"Supported": ("s", "blue", ""), "Contradicted": ("h", "orange", "7 3"), "Generic": ("g", "purple", "2 3")}


def profile_svg(figures: Mapping[str, Estimate]) -> tuple[str, str]:
    """Supported, contradicted and generic share in the four quarters.

    Args:
        figures: with ``s_q1`` to ``g_q4``.

    Returns:
        The drawing, and its alt text, which is in it too.
    """
    width, height, left, top, bottom = 400, 250, 46, 34, 34
    tall = height - top - bottom

    def y(share: float) -> float:
        return top + tall * (1 - share)

    parts = [f'<line class="{"axis" if not s else "rule"}" x1="{left}" x2="{width - 8}" y1="{y(s):.1f}"'
             f' y2="{y(s):.1f}"/><text class="muted" x="{left - 8}" y="{y(s) + 4:.1f}" text-anchor="end">{s:.0%}'
             "</text>" for s in (0.0, 0.5, 1.0)]
    step = (width - left - 8) / 4
    parts += [f'<text x="{left + step * (k - 0.5):.1f}" y="{height - 12}" text-anchor="middle">Q{k}</text>'
              for k in (1, 2, 3, 4)]
    said = []
    for place, label in enumerate(LABELS):
        letter, hue, dashes = LOOKS[label]
        own = [figures.get(f"{letter}_q{k}") for k in (1, 2, 3, 4)]
        points = [(left + step * (k + 0.5) + 9 * (place - 1), e) for k, e in enumerate(own)
                  if e is not None and not math.isnan(e.value)]
        ink = f'stroke="var(--{hue})"'
        if points:
            line = " ".join(f"{x:.1f},{y(e.value):.1f}" for x, e in points)
            dash = f' stroke-dasharray="{dashes}"' if dashes else ""
            parts.append(f'<polyline points="{line}" fill="none" {ink} stroke-width="2"{dash}/>')
        for x, e in points:
            if not math.isnan(e.low):
                parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y(e.low):.1f}" y2="{y(e.high):.1f}" {ink}'
                             ' stroke-width="1.5"/>')
            parts.append(_mark(label, x, y(e.value), hue))
        at = left + 4 + place * 118
        parts.append(f'{_mark(label, at, 14, hue)}<text x="{at + 12}" y="18">{label.lower()}</text>')
        said.append(f"{label.lower()} {', '.join('undefined' if e is None else _said(e) for e in own)}")
    alt = f"Share of sentences by quarter of the caption, first to last, with intervals: {'; '.join(said)}."
    return _svg(width, height, alt, parts), alt


def forest_svg(rows: Sequence[tuple[str, Estimate]], *, axis: str) -> tuple[str, str]:
    """Estimates with intervals, one below another.

    Args:
        rows: name and estimate, in order.
        axis: what the values are.

    Returns:
        The drawing, and its alt text.
    """
    known = [v for _, e in rows for v in (e.value, e.low, e.high) if not math.isnan(v)] or [0.0, 1.0]
    low, high = min(known), max(known)
    room = max(0.01, (high - low) * 0.08)
    low, high = low - room, high + room
    left, width, row = 126, 400, 26
    height = row * len(rows) + 44

    def x(value: float) -> float:
        return left + (width - left - 14) * (value - low) / (high - low)

    parts = []
    for tick in _ticks(low, high):
        parts.append(f'<line class="rule" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="4" y2="{height - 38}"/>'
                     f'<text class="muted" x="{x(tick):.1f}" y="{height - 22}" text-anchor="middle">'
                     f"{figure(tick)}</text>")
    said = []
    for place, (name, e) in enumerate(rows):
        at = place * row + 18
        short = name if len(name) <= 16 else f"{name[:15]}…"
        parts.append(f'<text x="{left - 12}" y="{at + 4}" text-anchor="end">{escape(short)}</text>')
        said.append(f"{name} {_said(e)}")
        if math.isnan(e.value):
            continue
        if not math.isnan(e.low):
            parts.append(f'<line x1="{x(e.low):.1f}" x2="{x(e.high):.1f}" y1="{at}" y2="{at}"'
                         ' stroke="var(--blue)" stroke-width="2.5"/>')
        parts.append(f'<circle cx="{x(e.value):.1f}" cy="{at}" r="5" fill="var(--blue)"/>')
    parts.append(f'<text x="{(left + width - 14) / 2:.0f}" y="{height - 4}" text-anchor="middle">{escape(axis)}</text>')
    alt = f"{axis}, with intervals: {'; '.join(said)}."
    return _svg(width, height, alt, parts), alt


def _svg(width: int, height: int, alt: str, parts: Sequence[str]) -> str:
    return (f'<svg class="plot" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(alt)}">'
            f"{''.join(parts)}</svg>")


def _mark(label: str, x: float, y: float, hue: str) -> str:
    fill = f'fill="var(--{hue})"'
    if label == "Supported":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" {fill}/>'
    turn = f' transform="rotate(45 {x:.1f} {y:.1f})"' if label == "Generic" else ""
    return f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" {fill}{turn}/>'


def _said(e: Estimate) -> str:
    if math.isnan(e.value):
        return "undefined"
    return figure(e.value) + ("" if math.isnan(e.low) else f" ({figure(e.low)} to {figure(e.high)})")


def _ticks(low: float, high: float) -> list[float]:
    """Round values between two bounds, about four of them."""
    rough = (high - low) / 4
    size = 10 ** math.floor(math.log10(rough))
    step = next(size * m for m in (1, 2, 5, 10) if size * m >= rough)
    first = math.ceil(low / step) * step
    return [round(first + i * step, 10) for i in range(int((high - first) / step + 1e-9) + 1)]
