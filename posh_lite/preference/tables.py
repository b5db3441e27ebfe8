"""The analysis of a preference study as tables, for the terminal, a file and the book."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from posh_lite.book.show import interval, number
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.preference.analysis import PreferenceReport

if TYPE_CHECKING:
    import pandas as pd

    from posh_lite.preference.answers import Answers


def said(estimate: Estimate) -> str:
    """``0.62 (0.50 to 0.73)``, or a dash with the reason; none where all images say the same."""
    if math.isnan(estimate.value):
        return f"– ({estimate.reason})" if estimate.reason else "–"
    if estimate.low == estimate.high:
        return f"{number(estimate.value)} (no spread: no interval)"
    return number(estimate.value) + ("" if math.isnan(estimate.low) else f" ({interval(estimate)})")


def wins_table(report: PreferenceReport) -> pd.DataFrame:
    """Win rates without ties and with them."""
    import pandas as pd

    return pd.DataFrame([
        {"model": w.model, "against": w.against or "all others", "won": w.wins, "lost": w.losses, "ties": w.ties,
         "of decided, Wilson": said(w.decided), "of decided, over images": said(w.over_images),
         "ties half, over images": said(w.with_ties)}
        for w in report.wins
    ])  # fmt: skip


def first_table(report: PreferenceReport) -> pd.DataFrame:
    """First places as Table 15 has them, with intervals."""
    import pandas as pd

    return pd.DataFrame(
        [{"model": f.model, "first places": f.votes, "share, over images": said(f.share),
          "by rater": f"{number(f.rater_low)} to {number(f.rater_high)}"} for f in report.first],
        columns=["model", "first places", "share, over images", "by rater"],
    )  # fmt: skip


def agreement_table(report: PreferenceReport) -> pd.DataFrame:
    """Kappa and alpha."""
    import pandas as pd

    return pd.DataFrame([
        {"among": ", ".join(a.among), "measure": a.measure, "value": said(a.estimate), "items": a.estimate.n}
        for a in report.agreement
    ])  # fmt: skip


def checks_table(report: PreferenceReport) -> pd.DataFrame:
    """Position, repeats and attention over all raters."""
    import pandas as pd

    even = f"{1 / max(len(report.positions), 1):.2f} if the position did not matter"
    names = ("left", "right") if len(report.positions) == 2 else ("left", "middle", "right")
    rows = [(f"first places of the {name} caption", e, even)
            for name, e in zip(names, report.positions, strict=True)]  # fmt: skip
    rows += [("repeated items with the same first caption", report.repeats, ""),
             ("attention checks passed", report.checks, "")]  # fmt: skip
    return pd.DataFrame([{"what": what, "share": said(e), "of": e.n, "note": note} for what, e, note in rows])


def raters_table(report: PreferenceReport) -> pd.DataFrame:
    """Raters one by one."""
    import pandas as pd

    return pd.DataFrame([
        {"rater": r.name, "answered": r.answered, "open": r.open, "repeats alike": f"{r.repeats_same} of {r.repeats}",
         "checks passed": f"{r.checks_passed} of {r.checks}", "left first": number(r.leftmost),
         "median seconds": r.seconds}
        for r in report.raters
    ])  # fmt: skip


def tables(report: PreferenceReport) -> dict[str, pd.DataFrame]:
    """All of them by their titles."""
    return {
        "Win rates": wins_table(report), "First places": first_table(report), "Agreement": agreement_table(report),
        "Position, repeats, attention": checks_table(report), "Raters": raters_table(report),
    }


def to_dict(report: PreferenceReport, answers: Answers) -> dict[str, Any]:
    """The figures, ready for JSON."""
    def plain(value: Any) -> Any:
        if isinstance(value, Estimate):
            return value.to_dict()
        if hasattr(value, "__dataclass_fields__"):
            return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
        if isinstance(value, tuple):
            return [plain(v) for v in value]
        return None if isinstance(value, float) and math.isnan(value) else value

    row: dict[str, Any] = plain(report)
    return {"study": answers.study.id, "absent": list(answers.absent), "simulated": list(answers.simulated), **row}
