"""The laboratory's ablations beside Table 5: differences to the full reward, paired by seed, with t intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posh_lite import paper_rl
from posh_lite.book import show
from posh_lite.errors import InputError
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.position.robust import t_interval

QUANTITIES = ("d_mid", "s_q4", "h_q4", "g_q4")
SCENE = "default"


@dataclass(frozen=True, slots=True)
class Beside:
    """One difference to the full reward in both.

    Attributes:
        variant: row of Table 5.
        quantity: of :data:`QUANTITIES`.
        printed: Table 5's difference.
        lab: that of the laboratory, its interval over seeds.
    """

    variant: str
    quantity: str
    printed: float
    lab: Estimate

    @property
    def says(self) -> str:
        """Whether the laboratory agrees on the direction: its interval has to leave zero out."""
        if math.isnan(self.lab.low) or self.lab.low <= 0 <= self.lab.high or not self.printed:
            return "undecided"
        return "agrees" if (self.lab.value > 0) == (self.printed > 0) else "does not"


def beside(study: dict[str, Any]) -> list[Beside]:
    """Every variant that both have.

    Args:
        study: of :func:`posh_lite.reward.lab.store.read_study`.

    Raises:
        InputError: the study lacks its main scene or the full reward.
    """
    from posh_lite.reward.lab.pattern import ROWS

    try:
        rows = study["scenes"][SCENE]["rows"]
        of = {(r["arm"], r["seed"]): r["values"] for r in rows}
    except (KeyError, TypeError):
        raise InputError(f'the record has no scene "{SCENE}"; renew it with posh-lite lab') from None
    seeds = sorted(seed for arm, seed in of if arm == "full")
    if not seeds:
        raise InputError('the record has no arm "full"; renew it with posh-lite lab')
    made = paper_rl.ablation_differences()
    found = []
    for arm, variant in ROWS.items():
        own = [s for s in seeds if (arm, s) in of]
        if variant not in made or not own:
            continue
        for quantity in QUANTITIES:
            gaps = [_value(of[arm, s], quantity) - _value(of["full", s], quantity) for s in own]
            found.append(Beside(variant, quantity, made[variant][quantity][0], t_interval(gaps)))
    return found


def _value(values: dict[str, Any], quantity: str) -> float:
    value = values.get(quantity)
    return math.nan if value is None else float(value)


def shown(record: str | Path) -> list[show.Block]:
    """The table and a sentence about it, or one that says that there is no record."""
    import pandas as pd

    from posh_lite.paper_rl_view import SHOWN

    path = Path(record) / "study.json"
    if not path.is_file():
        return [show.text(f"There is no record of the laboratory at `{record}`, so nothing stands beside Table 5 here. "
                          "`posh-lite lab` makes one.")]  # fmt: skip
    from posh_lite.reward.lab.store import read_study

    rows = beside(read_study(path))
    frame = pd.DataFrame([
        {"variant": b.variant, "quantity": SHOWN[b.quantity], "Table 5": b.printed, "laboratory": b.lab.value,
         "interval": show.interval(b.lab, 3), "direction": b.says} for b in rows
    ])  # fmt: skip
    n = max((b.lab.n for b in rows), default=0)
    count = {word: sum(b.says == word for b in rows) for word in ("agrees", "does not", "undecided")}
    return [
        show.table(frame, name="rl-laboratory", digits=3,
                   caption=f"Differences to the full reward: Table 5 (one run), and the laboratory (a simulation, {n}"
                   " seeds, t intervals of paired differences)."),
        show.text(f"The laboratory agrees on the direction of {count['agrees']} of {len(rows)} differences, has the "
                  f"other direction in {count['does not']}, and cannot tell {count['undecided']} from zero. Sizes are "
                  "not to be compared: its captions are composed of ready sentences."),
    ]  # fmt: skip
