"""The figures of the position lens: what captions consist of by their place, and the effects beside their floors."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.plot import Figure, canvas, colour, save
from posh_lite.position.effects import SHOWN
from posh_lite.position.types import LABELS, Label

if TYPE_CHECKING:
    from posh_lite.evaluation.bootstrap import Estimate
    from posh_lite.position.curve import Curve
    from posh_lite.position.simulate import Coverage

#: Colour, mark and line of each label, so that colour is never the only difference.
LOOKS: dict[Label, tuple[str, str, Any]] = {
    "Supported": ("blue", "o", "-"), "Contradicted": ("orange", "s", (0, (5, 2))),
    "Generic": ("purple", "D", (0, (1, 1.4))),
}
#: Of the floors in a forest plot, in the order in which they are given.
_FLOORS: tuple[tuple[str, Any], ...] = (("green", "-"), ("gold", (0, (5, 2))), ("grey", (0, (1, 1.4))))
_COLUMNS = 2


def _number(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value + 0.0:.2f}".replace("-0.00", "0.00")


def _said(estimate: Estimate) -> str:
    """An estimate in an alt text."""
    if math.isnan(estimate.value) or math.isnan(estimate.low):
        return _number(estimate.value)
    return f"{_number(estimate.value)} ({_number(estimate.low)} to {_number(estimate.high)})"


def _grid(n: int) -> tuple[int, int]:
    return math.ceil(n / _COLUMNS), min(n, _COLUMNS)


@contextmanager
def _panels(n: int, margin: float) -> Iterator[tuple[Any, Any]]:
    """A grid of ``n`` panels of shares with one scale; ``margin`` in inches beside the panels.

    Raises:
        ValueError: no panels.
    """
    if not n:
        raise ValueError("no models to draw")
    rows, columns = _grid(n)
    with canvas(margin + 1.55 * rows, rows=rows, columns=columns, sharex=True, sharey=True, squeeze=False) as drawn:
        yield drawn


def _legend(fig: Any, axes: Any) -> None:
    handles, labels = axes.flat[0].get_legend_handles_labels()
    fig.legend(handles, [text.lower() for text in labels], loc="outside upper left", ncols=3, fontsize=9.5,
               handlelength=2.6)


def profiles(panels: Mapping[str, Sequence[Mapping[Label, Estimate]]], *, name: str, caption: str,
             folder: str | Path | None = None) -> Figure:
    """Supported, contradicted and generic share by quartile, a panel a model (Figure 1 of the paper).

    Args:
        panels: model -> for each bin the share of every label, as of ``Diagnosis.profile`` or ``printed_profiles``;
            intervals are drawn where there are any.
        name: of the figure.
        caption: printed below.
        folder: default ``figures/`` of the checkout.

    Raises:
        ValueError: no panels.
    """
    said = []
    with _panels(len(panels), 0.75) as (fig, axes):
        for ax, (model, profile) in zip(axes.flat, panels.items(), strict=False):
            at = list(range(1, len(profile) + 1))
            for shift, label in zip((-0.06, 0.0, 0.06), LABELS, strict=True):
                hue, mark, line = LOOKS[label]
                own = [part[label] for part in profile]
                places = [x + shift for x in at]
                ax.plot(places, [e.value for e in own], color=colour(hue), marker=mark, linestyle=line, label=label,
                        markersize=5)
                for x, e in zip(places, own, strict=True):
                    if not math.isnan(e.low):
                        ax.plot([x, x], [e.low, e.high], color=colour(hue), linewidth=1.2)
            ax.set_title(model, fontsize=10)
            ax.set_xticks(at, [f"Q{k}" for k in at] if len(at) == 4 else [str(k) for k in at])
            said.append(f"{model}: {'; '.join(_course(label, profile) for label in LABELS)}")
        _tidy(axes, len(panels))
        axes[0, 0].set(ylim=(-0.06, 1.06), yticks=[0, 0.5, 1])
        _legend(fig, axes)
        fig.supylabel("share of the sentences", fontsize=10)
        kind = "quartile" if len(next(iter(panels.values()))) == 4 else "part"
        alt = f"Shares of sentences by {kind} of the caption, a panel a model. {'. '.join(said)}."
        return save(fig, name, alt=alt, caption=caption, folder=folder)


def _course(label: Label, profile: Sequence[Mapping[Label, Estimate]]) -> str:
    """A label from the first bin to the last, with its peak where that is in between."""
    values = [part[label].value for part in profile]
    text = f"{label.lower()} {_number(values[0])} to {_number(values[-1])}"
    known = [(v, k) for k, v in enumerate(values, start=1) if not math.isnan(v)]
    if not known:
        return text
    top, place = max(known, key=lambda pair: (pair[0], -pair[1]))
    inner = 1 < place < len(values) and top > max(v for v, k in known if k in (1, len(values), known[0][1]))
    return f"{text}, most in {place} with {_number(top)}" if inner else text


def _tidy(axes: Any, n: int) -> None:
    """Hide the panels that are left over, and show places below the lowest of each column."""
    for place, ax in enumerate(axes.flat):
        ax.grid(axis="x", visible=False)
        if place >= n:
            ax.set_visible(False)
            if place >= axes.shape[1]:
                axes.flat[place - axes.shape[1]].tick_params(labelbottom=True)


def forest(
    models: Mapping[str, Mapping[str, Estimate]], *, name: str, caption: str,
    floors: Mapping[str, Mapping[str, Estimate]] | None = None, quantities: Sequence[str] = ("d_mid", "d_tail"),
    folder: str | Path | None = None,
) -> Figure:
    """Effects of models with intervals, over the effects that honest texts have too.

    Args:
        models: model -> effect -> estimate.
        name: of the figure.
        caption: printed below.
        floors: name, such as "person, same text" or "another writer" -> effect -> estimate; drawn as a line with its
            interval as a band, at most three.
        quantities: a panel each.
        folder: default ``figures/`` of the checkout.

    Raises:
        ValueError: no models, or more than three floors.
    """
    floors = floors or {}
    if not models or len(floors) > len(_FLOORS):
        raise ValueError(f"{len(models)} models and {len(floors)} floors: at least one and at most {len(_FLOORS)}")
    said = []
    names = [textwrap.fill(model, 18) for model in models]
    extra = 0.22 * math.ceil(len(floors) / 2)
    size: dict[str, Any] = {"columns": len(quantities), "sharey": True, "squeeze": False}
    with canvas(0.9 + 0.3 * len(models) + extra, **size) as (fig, axes):
        for ax, quantity in zip(axes[0], quantities, strict=True):
            ax.axvline(0, color=colour("muted"), linewidth=1)
            for (floor, own), (hue, line) in zip(floors.items(), _FLOORS, strict=False):
                e = own[quantity]
                if math.isnan(e.value):
                    continue
                if not math.isnan(e.low):
                    ax.axvspan(e.low, e.high, color=colour(hue), alpha=0.18, linewidth=0)
                ax.axvline(e.value, color=colour(hue), linestyle=line, label=floor)
                said.append(f"floor {SHOWN.get(quantity, quantity)} of {floor}: {_said(e)}")
            for row, (model, effects) in enumerate(models.items()):
                e = effects[quantity]
                if not math.isnan(e.low):
                    ax.plot([e.low, e.high], [row, row], color=colour("blue"), linewidth=2)
                if not math.isnan(e.value):
                    ax.plot([e.value], [row], "o", color=colour("blue"), markersize=6)
                else:
                    ax.annotate("undefined", (0, row), (4, 0), textcoords="offset points", va="center", fontsize=8.5)
                said.append(f"{SHOWN.get(quantity, quantity)} of {model}: {_said(e)}")
            ax.set_title(SHOWN.get(quantity, quantity))
            ax.grid(axis="y", visible=False)
        axes[0, 0].set_yticks(range(len(names)), names)
        axes[0, 0].set_ylim(len(names) - 0.4, -0.6)
        handles, labels = axes[0, 0].get_legend_handles_labels()
        if handles:
            fig.legend(handles, labels, loc="outside upper left", ncols=2, fontsize=9.5, handlelength=2.6)
        fig.supxlabel("difference of shares", fontsize=10)
        alt = f"Position effects of models with intervals{' and floors' if floors else ''}. {'; '.join(said)}."
        return save(fig, name, alt=alt, caption=caption, folder=folder)


def curves(panels: Mapping[str, Curve], *, name: str, caption: str) -> Figure:
    """Composition as smooth functions of the place, with simultaneous bands, a panel a model.

    Args:
        panels: of :func:`posh_lite.position.curve.smooth`.
        name: of the figure.
        caption: printed below.

    Raises:
        ValueError: no panels.
    """
    said = []
    with _panels(len(panels), 0.95) as (fig, axes):
        for ax, (model, curve) in zip(axes.flat, panels.items(), strict=False):
            for edge in (0.25, 0.5, 0.75):
                ax.axvline(edge, color=colour("grid"), linewidth=0.8)
            every = max(1, len(curve.at) // 5)
            for code, label in enumerate(LABELS):
                hue, mark, line = LOOKS[label]
                share = curve.shares[:, code]
                ax.fill_between(curve.at, curve.low[:, code], curve.high[:, code], color=colour(hue), alpha=0.2,
                                linewidth=0)
                ax.plot(curve.at, share, color=colour(hue), linestyle=line, marker=mark, markevery=(every // 2, every),
                        markersize=4.5, label=label)
            ax.set_title(model, fontsize=10)
            said.append(f"{model}: {'; '.join(_along(label, curve) for label in LABELS)}")
        _tidy(axes, len(panels))
        axes[0, 0].set(ylim=(-0.06, 1.06), yticks=[0, 0.5, 1], xlim=(0, 1))
        axes[0, 0].set_xticks([0, 0.5, 1], ["start", "middle", "end"])
        _legend(fig, axes)
        fig.supylabel("share of the sentences", fontsize=10)
        first = next(iter(panels.values()))
        alt = (f"Shares of sentences along the caption, smoothed, with simultaneous {first.level:.0%} bands, a panel a "
               f"model. {'. '.join(said)}.")
        return save(fig, name, alt=alt, caption=caption)


def _along(label: Label, curve: Curve) -> str:
    share = curve.shares[:, LABELS.index(label)]
    text = f"{label.lower()} {_number(float(share[0]))} at the start, {_number(float(share[-1]))} at the end"
    peak = curve.peak[label]
    if not math.isnan(peak.value) and 0 < peak.value < 1:
        text += f", most at {_said(peak)} of the way"
    return text


def coverage(rows: Sequence[Coverage], *, name: str, caption: str) -> Figure:
    """How often intervals contained the planted effects, over drawn corpora.

    Args:
        rows: of :func:`posh_lite.position.simulate.coverage` or ``resampled_coverage``.
        name: of the figure.
        caption: printed below.

    Raises:
        ValueError: no rows.
    """
    if not rows:
        raise ValueError("no coverage to draw")
    models = list(dict.fromkeys(r.model for r in rows))
    effects = list(dict.fromkeys(r.quantity for r in rows))
    marks = ("o", "s", "D", "^")
    hues = ("blue", "orange", "purple", "green")
    said = []
    with canvas(1.0 + 0.26 * len(rows) * 0.75) as (fig, ax):
        level = rows[0].level
        ax.axvline(level, color=colour("muted"), linewidth=1.4)
        ax.annotate(f"promised {level:.0%}", (level, 1.0), (-4, 3), xycoords=("data", "axes fraction"),
                    textcoords="offset points", ha="right", fontsize=9)
        for row in rows:
            place = effects.index(row.quantity)
            y = models.index(row.model) + (place - (len(effects) - 1) / 2) * 0.18
            e, hue = row.covered, colour(hues[place % 4])
            if not math.isnan(e.value):
                ax.plot([e.low, e.high], [y, y], color=hue, linewidth=1.6)
                ax.plot([e.value], [y], marks[place % 4], color=hue, markersize=5.5, linestyle="none",
                        label=SHOWN.get(row.quantity, row.quantity) if row.model == models[0] else None)
            said.append(f"{row.model}, {SHOWN.get(row.quantity, row.quantity)} {_number(row.truth)}: {_said(e)}")
        lows = [r.covered.low for r in rows if not math.isnan(r.covered.low)]
        ax.set_xlim(min([level - 0.1, *(v - 0.02 for v in lows)]), 1.01)
        ax.set_yticks(range(len(models)), [textwrap.fill(m, 18) for m in models])
        ax.set_ylim(len(models) - 0.45, -0.55)
        ax.grid(axis="y", visible=False)
        ax.set_xlabel("share of the corpora whose interval contains the truth")
        fig.legend(loc="outside upper left", ncols=4, fontsize=9.5)
        alt = f"Coverage of intervals that promise {level:.0%}, over drawn corpora. {'; '.join(said)}."
        return save(fig, name, alt=alt, caption=caption)
