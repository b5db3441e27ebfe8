"""What a record of the microscope says: every edit under one reward, with a verdict, and how often the budget binds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError
from posh_lite.reward.edits import kinds
from posh_lite.reward.microscope import SAME
from posh_lite.reward.microscope_record import Record, parts_of
from posh_lite.reward.settings import PagerSettings

if TYPE_CHECKING:
    import pandas as pd

    from posh_lite.evaluation.bootstrap import Estimate


@dataclass(frozen=True, slots=True)
class Effect:
    """One edit under one reward, over many captions.

    Attributes:
        edit, reward: names.
        should: what an honest reward does; captions for which it is something else are left out.
        n: captions to which the edit applies.
        raised, fell: shares of them.
        change: mean change of the reward, with an interval over works.
        parts: mean change of each part.
    """

    edit: str
    reward: str
    should: str
    n: int
    raised: Estimate
    fell: Estimate
    change: Estimate
    parts: Mapping[str, float]

    @property
    def verdict(self) -> str:
        """In a few words, from the interval of the mean change and the share of captions that gain."""
        if math.isnan(self.change.low):
            return "too few works"
        up, down = self.change.low > SAME, self.change.high < -SAME
        if self.should in ("fall", "not rise") and up:
            return "gamed"
        if self.should == "fall" and not down:
            return "not punished"
        if self.should == "not fall":
            return "charged" if down else "as it should"
        if self.should == "stay":
            return "pays" if up else "costs" if down else "no effect on average"
        if self.should == "no matter":
            return "rises" if up else "falls" if down else "no effect on average"
        return "gains at times" if self.raised.value > 0.05 else "as it should"


def effects(
    record: Record, reward: str, *, names: Sequence[str] | None = None, models: Sequence[str] | None = None,
    **settings: Any,
) -> list[Effect]:
    """Every edit under one reward.

    Args:
        record: of :func:`load_record`.
        reward: a name of its rewards.
        names: of edits (default: all, in the order of tables). One whose honest outcome hangs on the caption gives
            an effect for each outcome.
        models: of the captions that count (default: all).
        settings: further keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.

    Raises:
        InputError: the record has no such reward.
    """
    from posh_lite.evaluation.bootstrap import ratio

    if reward not in record.signatures:
        raise InputError(f"the record has no reward {reward!r}; it has {', '.join(record.rewards)}")
    parts = parts_of(reward)
    groups: dict[tuple[str, str], list[tuple[str, list[float]]]] = {}
    for row in record.rows:
        if models is None or row["model"] in models:
            for t in row["trials"]:
                values = [float("nan") if v is None else v for v in t["change"][reward]]
                groups.setdefault((t["edit"], t["should"]), []).append((row["unit"], values))
    found = []
    for name in names if names is not None else kinds():
        for (edit, should), rows in groups.items():
            if edit != name:
                continue
            units, ones = [u for u, _ in rows], [1.0] * len(rows)
            totals = [v[-1] for _, v in rows]
            told = {"units": units, **settings}
            found.append(Effect(
                edit, reward, should, len(rows),
                ratio([float(v > SAME) for v in totals], ones, **told),
                ratio([float(v < -SAME) for v in totals], ones, **told),
                ratio(totals, ones, **told),
                {p: ratio([v[i] for _, v in rows], ones, n_resamples=1).value for i, p in enumerate(parts)},
            ))
    return found


def table(record: Record, reward: str, **settings: Any) -> pd.DataFrame:
    """Edits under one reward, to be read: one row an effect, numbers as text."""
    import pandas as pd

    from posh_lite.book.show import interval, number

    every = kinds()
    rows = []
    for e in effects(record, reward, **settings):
        rows.append({
            "edit": every[e.edit].title, "should": e.should, "n": e.n, "gains": f"{e.raised.value:.0%}",
            "loses": f"{e.fell.value:.0%}", "mean change": number(e.change.value, 3),
            "95 %": interval(e.change, 3), "so": e.verdict,
        })
    return pd.DataFrame(rows)


def binding(record: Record, settings: PagerSettings, units: Sequence[str] = ("tokens", "words", "characters"),
            ) -> list[dict[str, Any]]:
    """How often the length budget binds, for each unit that it may be meant in.

    Returns:
        A row a unit: ``unit``, ``bound`` (captions beyond the budget), ``n``, ``longest`` (largest length over
        budget), ``mean_length`` and ``mean_budget``.
    """
    found = []
    for unit in units:
        used = [(row["lengths"][unit], settings.budget(row["claims"])) for row in record.rows]
        found.append({
            "unit": unit, "bound": sum(length > budget for length, budget in used), "n": len(used),
            "longest": max(length / budget for length, budget in used),
            "mean_length": sum(length for length, _ in used) / len(used),
            "mean_budget": sum(budget for _, budget in used) / len(used),
        })
    return found
