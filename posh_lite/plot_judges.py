"""The figures of the chapter on language models as judges; each is drawn from recorded runs, saved and returned."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from posh_lite.plot import MARKERS, Figure, canvas, colour, save

if TYPE_CHECKING:
    import pandas as pd

    from posh_lite.evaluation.bootstrap import Estimate
    from posh_lite.evaluation.judges_view import CurvePoint
    from posh_lite.evaluation.token_count import Cost
    from posh_lite.judge.calibration import Calibration
    from posh_lite.judge.contract import Verdict

_HUES = ("blue", "orange", "green", "purple", "gold", "grey")


def _said(estimate: Estimate) -> str:
    """An estimate in an alt text."""
    if math.isnan(estimate.value):
        return "undefined"
    interval = "no interval" if math.isnan(estimate.low) else f"interval {estimate.low:.2f} to {estimate.high:.2f}"
    return f"{estimate.value:.2f}, {interval}"


def _value(estimate: Estimate) -> str:
    return "undefined" if math.isnan(estimate.value) else f"{estimate.value:.2f}"


def _legend_rows(labels: Sequence[object], columns: int) -> float:
    """Inches that a legend above takes."""
    return 0.22 * math.ceil(len(labels) / columns)


def answers(panels: Mapping[str, Verdict], *, name: str, caption: str) -> Figure:
    """Probability of each answer from 1 to 5, a panel for each verdict, with its mean (the score) as a line.

    Args:
        panels: title -> verdict with probabilities.
        name: of the figure.
        caption: printed below.
    """
    titles = {key: textwrap.fill(key, 62) for key in panels}
    height = 0.5 + sum(1.15 + 0.17 * title.count("\n") for title in titles.values())
    said = []
    with canvas(height, rows=len(panels), sharex=True, squeeze=False) as (fig, axes):
        for ax, (key, verdict) in zip(axes[:, 0], panels.items(), strict=True):
            shares = verdict.probabilities or (0.0,) * 5
            ax.bar(range(1, 6), shares, width=0.62, color=colour("blue"), alpha=0.85)
            if verdict.score is not None:
                ax.axvline(verdict.score, color=colour("text"), linewidth=1.6)
                ax.annotate(f"score {verdict.score:.2f}", (verdict.score, 1.0), (4, -9), fontsize=9,
                            textcoords="offset points", xycoords=("data", "axes fraction"))
            ax.set_title(titles[key], fontsize=9.5)
            ax.set_ylim(0, max(*shares, 0.5) * 1.15)
            ax.set_xlim(0.4, 5.9)
            ax.grid(axis="x", visible=False)
            parts = ", ".join(f"{n} {p:.0%}" for n, p in enumerate(shares, start=1))
            score = "missing" if verdict.score is None else f"{verdict.score:.2f}"
            said.append(f"{key}: {parts}; score {score}")
        axes[-1, 0].set_xticks(range(1, 6))
        axes[-1, 0].set_xlabel("answer")
        fig.supylabel("probability", fontsize=10)
        return save(fig, name, alt=f"Bars of the probability of each answer. {'. '.join(said)}.", caption=caption)


def quality_and_cost(rows: Sequence[Mapping[str, Any]], *, name: str, caption: str) -> Figure:
    """AUC of ways of asking, with intervals, over the tokens that a question takes the model to compute.

    Args:
        rows: each with ``name``, ``auc`` (an :class:`~posh_lite.evaluation.bootstrap.Estimate`) and ``computed``,
            tokens (0 for a judge without a model); rows without a cost are left out.
        name: of the figure.
        caption: printed below.
    """
    drawn = [r for r in rows if not math.isnan(r["computed"])]
    said = []
    with canvas(3.1 + _legend_rows(drawn, 2)) as (fig, ax):
        ax.axhline(0.5, color=colour("muted"), linewidth=1)
        ax.annotate("guessing", (1, 0.5), (-2, 3), xycoords=("axes fraction", "data"), textcoords="offset points",
                    ha="right", fontsize=9)
        for place, row in enumerate(drawn):
            hue, mark, auc = colour(_HUES[place % 6]), MARKERS[(place + place // 6) % 6], row["auc"]
            if not math.isnan(auc.low):
                ax.plot([row["computed"]] * 2, [auc.low, auc.high], color=hue, linewidth=1.8, alpha=0.6)
            ax.plot([row["computed"]], [auc.value], mark, color=hue, markersize=8, label=row["name"], linestyle="none")
            said.append(f"{row['name']}: {row['computed']:.0f} tokens, AUC {_said(auc)}")
        ax.set_xlim(-0.04 * max([1.0, *(r["computed"] for r in drawn)]), None)
        lows = [r["auc"].low for r in drawn if not math.isnan(r["auc"].low)]
        ax.set_ylim(min([0.45, *(v - 0.03 for v in lows)]), 1.0)
        ax.set_xlabel("computed tokens per question")
        ax.set_ylabel("AUC, true above false questions")
        fig.legend(loc="outside upper left", ncols=2, fontsize=9.5)
        return save(fig, name, alt=f"Quality against cost of ways of asking. {'; '.join(said)}.", caption=caption)


def calibration_maps(calibrations: Mapping[str, Calibration], *, name: str, caption: str) -> Figure:
    """From a raw score to the share of true questions, as fitted, a panel for each calibration.

    Args:
        calibrations: by title.
        name: of the figure.
        caption: printed below.
    """
    grid = [1 + k / 50 for k in range(201)]
    said = []
    with canvas(0.6 + 2.1 * len(calibrations), rows=len(calibrations), sharex=True, squeeze=False) as (fig, axes):
        for ax, (title, fitted) in zip(axes[:, 0], calibrations.items(), strict=True):
            for place, (kind, curve) in enumerate(fitted.curves.items()):
                values = [curve.probability(x) for x in grid]
                style = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 2, 1, 2)))[place % 4]
                ax.plot(grid, values, color=colour(_HUES[place % 6]), linestyle=style, label=kind)
                said.append(f"{title}, {kind}: {values[0]:.2f} at 1, {values[100]:.2f} at 3, {values[-1]:.2f} at 5")
            for at, hue, word in ((2.0, "muted", "2"), (fitted.raw_threshold, "text", "fitted")):
                ax.axvline(at, color=colour(hue), linewidth=1.2, linestyle="--")
                ax.annotate(word, (at, 0.02), (3, 0), xycoords=("data", "axes fraction"), textcoords="offset points",
                            fontsize=9)
            said.append(f"{title}: fitted threshold {fitted.raw_threshold:.2f}")
            ax.set_title(title)
            ax.set(ylim=(-0.03, 1.03), ylabel="share true")
            if fitted.curves:
                ax.legend(loc="lower right", fontsize=9)
        axes[-1, 0].set(xlim=(0.95, 5.05), xlabel="raw score of the judge")
        return save(fig, name, alt=f"Fitted maps from raw score to share true. {'; '.join(said)}.", caption=caption)


def by_judge(frame: pd.DataFrame, judges: Sequence[str], *, name: str, caption: str) -> Figure:
    """Scores of the pairs by judge: a dot a pair, a bar at the median.

    Args:
        frame: with columns ``JUDGE/mistakes`` and ``JUDGE/omissions``.
        judges: in order.
        name: of the figure.
        caption: printed below.
    """
    said = []
    with canvas(0.9 + 0.62 * len(judges)) as (fig, ax):
        for row, judge in enumerate(judges):
            for offset, (score, mark) in zip((-0.19, 0.19), (("mistakes", "o"), ("omissions", "s")), strict=True):
                values = frame[f"{judge}/{score}"].dropna().tolist()
                if not values:
                    continue
                at = [row + offset + 0.2 * (((k * 7) % 11) / 10 - 0.5) for k in range(len(values))]
                ax.plot(values, at, mark, color=colour(score), alpha=0.45, markersize=5, markeredgewidth=0)
                middle = median(values)
                ax.plot([middle] * 2, [row + offset - 0.16, row + offset + 0.16], color=colour(score), linewidth=3)
                said.append(f"{judge} {score} from {min(values):.2f} to {max(values):.2f}, median {middle:.2f}")
        for score, mark in (("mistakes", "o"), ("omissions", "s")):
            ax.plot([], [], mark, color=colour(score), label=score, linestyle="none")
        ax.set_yticks(range(len(judges)), [textwrap.fill(j, 18) for j in judges])
        ax.set_ylim(len(judges) - 0.4, -0.6)
        ax.grid(axis="y", visible=False)
        ax.set_xlabel("score of a pair, higher is better")
        fig.legend(loc="outside upper left", ncols=2)
        return save(fig, name, alt=f"Scores of the pairs by judge: {'; '.join(said)}.", caption=caption)


def side_by_side(
    panels: Mapping[str, Mapping[str, Mapping[str, Estimate]]], *, name: str, xlabel: str, caption: str
) -> Figure:
    """Small multiples: a panel for each hypothesis, a row for each rater, several estimates a row.

    Args:
        panels: title -> rater -> series -> estimate; the same raters and series everywhere.
        name: of the figure.
        xlabel: of every panel.
        caption: printed below.
    """
    names = list(next(iter(panels.values())))
    series = list(next(iter(next(iter(panels.values())).values())))
    rows = math.ceil(len(panels) / 2)
    said = []
    height = 0.6 + rows * (0.6 + 0.3 * len(names))
    with canvas(height, rows=rows, columns=2, sharex=True, sharey=True, squeeze=False) as (fig, axes):
        for ax in axes.flat[len(panels):]:
            ax.set_visible(False)
        for ax, (title, group) in zip(axes.flat, panels.items(), strict=False):
            ax.axvline(0, color=colour("muted"), linewidth=1)
            for place, rater in enumerate(names):
                for index, key in enumerate(series):
                    one, at = group[rater][key], place + (index - (len(series) - 1) / 2) * 0.34
                    hue = colour(_HUES[index])
                    if not math.isnan(one.low):
                        ax.plot([one.low, one.high], [at, at], color=hue, linewidth=1.8, alpha=0.75)
                    if not math.isnan(one.value):
                        ax.plot([one.value], [at], MARKERS[index], color=hue, markersize=5)
                values = ", ".join(f"{key} {_value(group[rater][key])}" for key in series)
                said.append(f"{title}, {rater}: {values}")
            ax.set_title(textwrap.fill(title, 24), fontsize=9.5)
            ax.grid(axis="y", visible=False)
        axes[0, 0].set_yticks(range(len(names)), [textwrap.fill(n, 16) for n in names], fontsize=9)
        axes[0, 0].set_ylim(len(names) - 0.4, -0.6)
        axes[0, 0].set_xlim(-1.02, 1.02)
        fig.supxlabel(xlabel, fontsize=10)
        for index, key in enumerate(series):
            axes[0, 0].plot([], [], MARKERS[index], color=colour(_HUES[index]), label=key, linestyle="none")
        fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper left", ncols=len(series))
        return save(fig, name, alt=f"{xlabel}, by panel and row. {'; '.join(said)}.", caption=caption)


def cascade(
    ways: Mapping[str, Sequence[CurvePoint]], *, name: str, caption: str, fewer: float = 3.0, keep: float = 0.97
) -> Figure:
    """How far a cascade's scores follow those of its full run, over the share of questions that it asks.

    Args:
        ways: title -> points.
        name: of the figure.
        caption: printed below.
        fewer: marked: this many times fewer questions.
        keep: marked: this correlation.
    """
    said = []
    everything = [e for points in ways.values() for p in points for e in p.pearson.values()]
    known = [v for e in everything for v in (e.value, e.low) if not math.isnan(v)]
    floor = max(-0.25, min([0.5, *known]) - 0.04)
    with canvas(0.9 + 2.2 * len(ways), rows=len(ways), sharex=True, squeeze=False) as (fig, axes):
        for ax, (title, points) in zip(axes[:, 0], ways.items(), strict=True):
            ax.axvline(1 / fewer, color=colour("muted"), linewidth=1, linestyle=(0, (4, 3)))
            ax.axhline(keep, color=colour("muted"), linewidth=1, linestyle=(0, (4, 3)))
            for index, figure in enumerate(("mistakes", "omissions", "overall")):
                found = [(p.asked + (index - 1) * 0.008, p.pearson[figure]) for p in points]
                found = [(x, e) for x, e in found if not math.isnan(e.value)]
                hue = colour(figure)
                for x, one in found:
                    if not math.isnan(one.low):
                        ax.plot([x, x], [one.low, one.high], color=hue, linewidth=1.2, alpha=0.45)
                ax.plot([x for x, _ in found], [e.value for _, e in found], marker=MARKERS[index], color=hue,
                        label=figure, markersize=5)
            for point in points:
                parts = ", ".join(f"{f} {_value(e)}" for f, e in point.pearson.items())
                said.append(f"{title}, {point.asked:.0%} asked: {parts}")
            ax.set(ylim=(floor, 1.03), ylabel="Pearson's r")
            ax.set_title(title)
        axes[0, 0].annotate(f"{fewer:g} times fewer", (1 / fewer, 0), (4, 4), fontsize=9, textcoords="offset points",
                            xycoords=("data", "axes fraction"))
        axes[-1, 0].set_xlabel("questions put to the model, over those of the full run")
        fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper left", ncols=3)
        return save(fig, name, alt=f"Correlation of a cascade with its full run. {'; '.join(said)}.", caption=caption)


def work(ways: Mapping[str, Cost], *, name: str, caption: str) -> Figure:
    """Prompts and computed tokens a pair of each way of asking, as bars with their numbers.

    Args:
        ways: title -> mean cost of a pair.
        name: of the figure.
        caption: printed below.
    """
    panels = (("prompts", "prompts a pair", "blue"), ("computed", "computed tokens a pair", "green"))
    with canvas(0.8 + 0.72 * len(ways), rows=2, squeeze=False) as (fig, axes):
        for ax, (field, label, hue) in zip(axes[:, 0], panels, strict=True):
            values = [getattr(cost, field) for cost in ways.values()]
            ax.barh(range(len(ways)), values, height=0.62, color=colour(hue), alpha=0.85)
            for row, value in enumerate(values):
                ax.annotate(f"{value:,.0f}", (value, row), (4, -3.5), textcoords="offset points", fontsize=9)
            ax.set_yticks(range(len(ways)), list(ways))
            ax.set_ylim(len(ways) - 0.4, -0.6)
            ax.set_xlim(0, max(values) * 1.14)
            ax.grid(axis="y", visible=False)
            ax.set_xlabel(label)
            ax.locator_params(axis="x", nbins=5)
            ax.xaxis.set_major_formatter("{x:,.0f}")
        said = "; ".join(f"{w}: {c.prompts:.0f} prompts, {c.computed:,.0f} tokens computed" for w, c in ways.items())
        return save(fig, name, alt=f"Bars of the work for a pair by way of asking. {said}.", caption=caption)
