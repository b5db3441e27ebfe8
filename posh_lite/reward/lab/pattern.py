"""Table 5 as claims with a direction, each held against the laboratory: agrees, does not, undecided."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from posh_lite import paper
from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.position.robust import t_interval

Direction = Literal["up", "down", "same", "most", "least"]
Verdict = Literal["agrees", "does not", "undecided"]
#: Half of the paper's largest effect on D_mid: a difference within this either way counts as none.
MARGIN = 0.0335
#: Arm -> its row in Table 5.
ROWS = {
    "full": "PAGER full", "no-mid": "w/o R_mid", "no-tail": "w/o R_tail", "no-len": "w/o R_len",
    "no-filter": "w/o filtering", "holistic": "Holistic checklist", "monotone": "Monotone weight",
}
SHOWN = {"d_mid": "D_mid", "h_q2": "H in Q2", "h_q3": "H in Q3", "s_q4": "S in Q4", "h_q4": "H in Q4",
         "g_q4": "G in Q4", "delta_s": "ΔS", "delta_h": "ΔH"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that Table 5 (or Table 3, for "base") shows.

    Attributes:
        arm: what is compared with "full"; for "base", full with base.
        quantity: as of the position lens.
        direction: "up" and "down" against the full reward, "same" within :data:`MARGIN`, "most" and "least" of all
            variants of the table.
    """

    arm: str
    quantity: str
    direction: Direction

    @property
    def words(self) -> str:
        """For a reader."""
        name = {"base": "training with all terms"}.get(self.arm, self.arm)
        verb = {"same": "leaves", "up": "raises", "most": "raises"}.get(self.direction, "lowers")
        last = " most of all" if self.direction in ("most", "least") else ""
        return f"{name} {verb} {SHOWN[self.quantity]}{last}"


STATEMENTS = (
    Statement("base", "d_mid", "down"), Statement("base", "s_q4", "up"), Statement("base", "h_q4", "down"),
    Statement("base", "g_q4", "down"),
    Statement("no-mid", "d_mid", "up"), Statement("no-mid", "h_q2", "up"), Statement("no-mid", "h_q3", "up"),
    Statement("no-mid", "d_mid", "most"),
    Statement("no-tail", "g_q4", "up"), Statement("no-tail", "g_q4", "most"), Statement("no-tail", "s_q4", "down"),
    Statement("no-tail", "d_mid", "same"),
    Statement("no-len", "d_mid", "up"), Statement("no-len", "s_q4", "down"),
    Statement("no-filter", "d_mid", "up"), Statement("no-filter", "s_q4", "down"),
    Statement("holistic", "d_mid", "up"), Statement("holistic", "s_q4", "down"),
    Statement("monotone", "d_mid", "same"), Statement("monotone", "g_q4", "down"), Statement("monotone", "h_q4", "up"),
    Statement("monotone", "h_q4", "most"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Held:
    """A statement with the paper's difference and the laboratory's."""

    statement: Statement
    paper: float
    lab: Estimate  # for "most" and "least": the smallest lead over another variant
    verdict: Verdict


def values_of(scene: Mapping[str, Any], arm: str, quantity: str) -> dict[int, float]:
    """A quantity of an arm by seed; undefined ones are NaN."""
    return {r["seed"]: math.nan if r["values"][quantity] is None else float(r["values"][quantity])
            for r in scene["rows"] if r["arm"] == arm}


def level(scene: Mapping[str, Any], arm: str, quantity: str) -> Estimate:
    """Mean over seeds with Student's interval."""
    return t_interval(list(values_of(scene, arm, quantity).values()), method=quantity)


def difference(scene: Mapping[str, Any], arm: str, other: str, quantity: str) -> Estimate:
    """``arm`` minus ``other``, paired by seed."""
    one, two = values_of(scene, arm, quantity), values_of(scene, other, quantity)
    return t_interval([one[s] - two[s] for s in one if s in two], method=f"{quantity}: {arm} - {other}")


def printed_difference(statement: Statement) -> float:
    """What the paper prints: against the full reward; for "most" and "least" the lead over the next variant."""
    q = statement.quantity
    if statement.arm == "base":
        return paper.value("position:3", "PAGER", q) - paper.value("position:3", "Base", q)
    own = paper.value("position:5", ROWS[statement.arm], q)
    if statement.direction in ("most", "least"):
        others = [paper.value("position:5", row, q) for arm, row in ROWS.items() if arm != statement.arm]
        return own - (max(others) if statement.direction == "most" else min(others))
    return own - paper.value("position:5", ROWS["full"], q)


def hold(scene: Mapping[str, Any], statements: Sequence[Statement] = STATEMENTS, *, suffix: str = "") -> list[Held]:
    """Hold statements against a scene of a study.

    Args:
        scene: of the record.
        statements: those whose arms the scene does not have are left out.
        suffix: of the arms, such as ", guarded".
    """
    present = {r["arm"] for r in scene["rows"]}
    found = []
    for s in statements:
        full, arm = f"full{suffix}", f"{s.arm}{suffix}"
        if s.arm == "base":
            estimates = [difference(scene, full, "base", s.quantity)] if full in present else []
        elif arm not in present or full not in present:
            continue
        elif s.direction in ("most", "least"):
            others = [f"{o}{suffix}" for o in ROWS if o != s.arm and f"{o}{suffix}" in present]
            estimates = [difference(scene, arm, o, s.quantity) for o in others]
        else:
            estimates = [difference(scene, arm, full, s.quantity)]
        if estimates:
            found.append(Held(s, printed_difference(s), *_judged(s.direction, estimates)))
    return found


def _judged(direction: Direction, estimates: Sequence[Estimate]) -> tuple[Estimate, Verdict]:
    if direction == "same":
        return estimates[0], within(estimates[0], MARGIN)
    sign = 1 if direction in ("up", "most") else -1
    least = min(estimates, key=lambda e: sign * e.value)
    each = [_sided(e, sign) for e in estimates]
    if "does not" in each:
        return least, "does not"
    return least, "undecided" if "undecided" in each else "agrees"


def _sided(e: Estimate, sign: int) -> Verdict:
    """Whether an interval lies on the side of a sign; an effect of exactly nothing is no agreement."""
    low, high = (e.low, e.high) if sign > 0 else (-e.high, -e.low)
    if math.isnan(low):
        return "undecided"
    return "agrees" if low > 0 else "does not" if high < 0 or low == high == 0 else "undecided"


def within(e: Estimate, margin: float) -> Verdict:
    """Whether an interval lies within a margin of 0, or outside of it."""
    if math.isnan(e.low):
        return "undecided"
    if -margin < e.low and e.high < margin:
        return "agrees"
    return "does not" if e.low > margin or e.high < -margin else "undecided"
