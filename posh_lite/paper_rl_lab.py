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
        """Whether the laboratory agrees on the direction: its interval has to leave zero out.

        "moves nothing" where every seed gives exactly the same with and without it.
        """
        if self.lab.low == self.lab.high == 0 and self.printed:
            return "moves nothing"
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
    from posh_lite.reward.lab.pattern import ROWS, difference

    try:
        scene = study["scenes"][SCENE]
        present = {r["arm"] for r in scene["rows"]}
    except (KeyError, TypeError):
        raise InputError(f'the record has no scene "{SCENE}"; renew it with posh-lite lab') from None
    if "full" not in present:
        raise InputError('the record has no arm "full"; renew it with posh-lite lab')
    made = paper_rl.ablation_differences()
    return [Beside(variant, q, made[variant][q][0], difference(scene, arm, "full", q))
            for arm, variant in ROWS.items() if variant in made and arm in present for q in QUANTITIES]


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
    count = {word: sum(b.says == word for b in rows) for word in ("agrees", "does not", "undecided", "moves nothing")}
    return [
        show.table(frame, name="rl-laboratory", digits=3,
                   caption=f"Differences to the full reward: Table 5 (one run), and the laboratory (a simulation, {n}"
                   " seeds, t intervals of paired differences)."),
        show.text(f"The laboratory agrees on the direction of {count['agrees']} of {len(rows)} differences, has the "
                  f"other direction in {count['does not']}, cannot tell {count['undecided']} from zero, and moves"
                  f" nothing at all in {count['moves nothing']}. Sizes are not to be compared: its captions are"
                  " composed of ready sentences."),
    ]  # fmt: skip
