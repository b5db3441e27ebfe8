"""The figure of a calibration: what the judge's scores are worth, and how they lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from posh_lite.plot import Figure, canvas, colour, save

if TYPE_CHECKING:
    from posh_lite.evaluation.labelled import LabelledSet
    from posh_lite.judge.calibration import Calibration
    from posh_lite.judge.contract import Verdict

_BINS = 8


def reliability(
    calibration: Calibration, data: LabelledSet, verdicts: Sequence[Verdict], *, name: str = "calibration",
    folder: str | None = None,
) -> Figure:
    """Share of true questions by raw score beside the fitted map, above the scores of true and false questions.

    Args:
        calibration: fitted on these questions.
        data: the labelled questions, with their weights.
        verdicts: raw verdicts of the judge on them, in order.
        name: of the figure's files.
        folder: where they go; by default the figures of the book.
    """
    import numpy as np

    rows = [(v.score, i.label, i.weight) for i, v in zip(data.items, verdicts, strict=True) if v.score is not None]
    scores, labels, weights = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    edges = np.unique(np.quantile(scores, np.linspace(0, 1, _BINS + 1)))
    bins = np.clip(np.searchsorted(edges, scores, side="right") - 1, 0, max(len(edges) - 2, 0))
    xs, ys = [], []
    for number in np.unique(bins):
        inside = bins == number
        xs.append(float(np.average(scores[inside], weights=weights[inside])))
        ys.append(float(np.average(labels[inside], weights=weights[inside])))
    grid = np.linspace(1, 5, 201)
    with canvas(4.2, rows=2, sharex=True, height_ratios=[3, 2]) as (figure, (top, bottom)):
        top.plot(xs, ys, "o", color=colour("blue"), label="questions, in groups of equal number")
        curve = calibration.curves.get("all")
        if curve is not None:
            fitted = [curve.probability(x) for x in grid]
            top.plot(grid, fitted, color=colour("grey"), label=f"map ({calibration.method})")
        for axis in (top, bottom):
            axis.axvline(calibration.raw_threshold, color=colour("green"), linestyle="--", linewidth=1.2)
        top.set(ylabel="share true", ylim=(-0.03, 1.03))
        figure.legend(*top.get_legend_handles_labels(), loc="outside upper left", ncols=2, fontsize=9)
        for label, hue, hatch, text in ((1, "blue", "", "true"), (0, "orange", "///", "false")):
            chosen = labels == label
            bottom.hist(
                scores[chosen], bins=np.linspace(1, 5, 17).tolist(), weights=weights[chosen] / weights[chosen].sum(),
                histtype="stepfilled", alpha=0.5, color=colour(hue), hatch=hatch, label=text,
            )
        bottom.set(xlabel="raw score of the judge", ylabel="share of label", xlim=(0.95, 5.05))
        bottom.legend(loc="upper left")
        area = calibration.auc["all"]
        alt = (
            f"Two panels over the raw score from 1 to 5. Above, the share of true questions: {ys[0]:.0%} around"
            f" {xs[0]:.1f}, {ys[-1]:.0%} around {xs[-1]:.1f}, with the fitted map and a dashed line at the presence"
            f" threshold {calibration.raw_threshold:.2f}. Below, histograms of the scores of true and of false"
            f" questions; their AUC is {area.value:.2f}."
        )
        caption = (
            f"Calibration of {calibration.judge} on {calibration.data}: {calibration.n:,} questions, AUC {area}."
            " The dashed line is the fitted presence threshold."
        )
        return save(figure, name, alt=alt, caption=caption, folder=folder)
