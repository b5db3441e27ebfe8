"""The figures of the laboratory: courses of training, composition by quarter, and Table 5 beside its simulation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from posh_lite import paper
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.plot import MARKERS, Figure, canvas, colour, save
from posh_lite.plot_position import profiles
from posh_lite.position.robust import t_interval
from posh_lite.position.types import LABELS, Label
from posh_lite.reward.lab.pattern import ROWS, SHOWN, difference, level

_HUES = ("blue", "orange", "green", "purple", "gold", "grey")
_LETTERS = dict(zip(LABELS, "shg", strict=True))
#: What a course shows.
COURSE = {"d_mid": "D_mid", "g_q4": "G in Q4", "h_q4": "H in Q4", "full": "full reward"}


def course(scene: Mapping[str, Any], arms: Sequence[str], quantity: str) -> dict[str, list[tuple[float, Estimate]]]:
    """A quantity on held-out works at stages of training and at its end, mean and t interval over seeds.

    Args:
        scene: of a study.
        arms: some of its.
        quantity: one of those that the record keeps by stage.
    """
    found = {}
    for arm in arms:
        rows = [r for r in scene["rows"] if r["arm"] == arm and r.get("course")]
        stages = [c["step"] for c in rows[0]["course"]] if rows else []
        points = [(float(step), t_interval([_value(r["course"][k][quantity]) for r in rows]))
                  for k, step in enumerate(stages)]
        if rows:
            points.append((float(scene["learning"]["steps"]), level(scene, arm, quantity)))
        found[arm] = points
    return found


def _value(value: float | None) -> float:
    return math.nan if value is None else float(value)


def courses(
    scene: Mapping[str, Any], arms: Sequence[str], *, name: str, caption: str,
    quantities: Sequence[str] = ("d_mid", "h_q4", "g_q4", "full"),
) -> Figure:
    """Learning curves with bands, a panel a quantity.

    Args:
        scene: of a study, with stages.
        arms: a line each, at most six.
        name: of the figure.
        caption: printed below.
        quantities: a panel each, two a row.

    Raises:
        ValueError: too many arms, or none.
    """
    if not 1 <= len(arms) <= len(_HUES):
        raise ValueError(f"{len(arms)} arms: at least one and at most {len(_HUES)}")
    said = []
    rows = math.ceil(len(quantities) / 2)
    with canvas(0.9 + 1.7 * rows, rows=rows, columns=2, sharex=True, squeeze=False) as (fig, axes):
        for ax, quantity in zip(axes.flat, quantities, strict=False):
            for (arm, points), hue, mark in zip(course(scene, arms, quantity).items(), _HUES, MARKERS, strict=False):
                at = [step for step, _ in points]
                own = [e for _, e in points]
                ax.fill_between(at, [e.low for e in own], [e.high for e in own], color=colour(hue), alpha=0.15,
                                linewidth=0)
                ax.plot(at, [e.value for e in own], color=colour(hue), marker=mark, markersize=4, label=arm)
                said.append(f"{COURSE.get(quantity, quantity)} of {arm}: {own[0].value:.2f} to {own[-1].value:.2f}")
            ax.set_title(COURSE.get(quantity, quantity), fontsize=10)
        fig.supxlabel("steps of training", fontsize=10)
        handles, labels = axes.flat[0].get_legend_handles_labels()
        fig.legend(handles, labels, loc="outside upper left", ncols=3, fontsize=9)
        alt = f"Simulated training on held-out works, mean and 95 per cent band over seeds. {'; '.join(said)}."
        return save(fig, name, alt=alt, caption=caption)


def by_quarter(scene: Mapping[str, Any], arms: Sequence[str], *, name: str, caption: str) -> Figure:
    """Supported, contradicted and generic share by quarter, a panel an arm ("base": before training)."""
    panels: dict[str, list[dict[Label, Estimate]]] = {
        arm: [{label: level(scene, arm, f"{_LETTERS[label]}_q{q}") for label in LABELS} for q in (1, 2, 3, 4)]
        for arm in arms
    }
    return profiles(panels, name=name, caption=caption)


def table5(
    scene: Mapping[str, Any], *, name: str, caption: str,
    quantities: Sequence[str] = ("d_mid", "s_q4", "h_q4", "g_q4"), suffix: str = "",
) -> Figure:
    """Each variant minus the full reward: the laboratory with intervals, the paper as a hollow mark.

    Args:
        scene: of a study.
        name: of the figure.
        caption: printed below.
        quantities: a panel each, two a row.
        suffix: of the arms, such as ", guarded".
    """
    present = {r["arm"] for r in scene["rows"]}
    arms = [a for a in ROWS if a != "full" and f"{a}{suffix}" in present]
    said = []
    rows = math.ceil(len(quantities) / 2)
    with canvas(0.8 + rows * (0.5 + 0.24 * len(arms)), rows=rows, columns=2, sharey=True, squeeze=False) as (fig, axes):
        for ax, quantity in zip(axes.flat, quantities, strict=False):
            ax.axvline(0, color=colour("muted"), linewidth=1)
            for row, arm in enumerate(arms):
                e = difference(scene, f"{arm}{suffix}", f"full{suffix}", quantity)
                printed = paper.value("position:5", ROWS[arm], quantity) - paper.value(
                    "position:5", ROWS["full"], quantity
                )
                first = row == 0
                ax.plot([e.low, e.high], [row - 0.14] * 2, color=colour("blue"), linewidth=2)
                ax.plot([e.value], [row - 0.14], "o", color=colour("blue"), markersize=5.5, linestyle="none",
                        label="simulation, 95 % interval" if first else None)
                ax.plot([printed], [row + 0.18], "D", markerfacecolor="none", markeredgecolor=colour("orange"),
                        markersize=5.5, linestyle="none", label="paper, Table 5" if first else None)
                said.append(f"{SHOWN[quantity]}, {arm}: {e.value:+.2f} ({e.low:+.2f} to {e.high:+.2f}), paper "
                            f"{printed:+.2f}")
            ax.set_title(SHOWN[quantity], fontsize=10)
            ax.grid(axis="y", visible=False)
        axes[0, 0].set_yticks(range(len(arms)), arms)
        axes[0, 0].set_ylim(len(arms) - 0.4, -0.6)
        handles, labels = axes[0, 0].get_legend_handles_labels()
        fig.legend(handles, labels, loc="outside upper left", ncols=2, fontsize=9)
        fig.supxlabel("difference from the full reward", fontsize=10)
        return save(fig, name, alt=f"Variants of the reward against the full one. {'; '.join(said)}.", caption=caption)
