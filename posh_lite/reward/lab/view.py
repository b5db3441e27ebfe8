"""Tables of the laboratory's record, for the chapter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

from posh_lite.evaluation.bootstrap import Estimate
from posh_lite.reward.lab.base import targets
from posh_lite.reward.lab.pattern import STATEMENTS, Held, Verdict, difference, hold, level
from posh_lite.reward.lab.world import TRUTHS, World
from posh_lite.reward.settings import VARIANTS, PagerSettings
from posh_lite.reward.terms import FINE

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS = {
    "d_mid": "D_mid", "s_q4": "S in Q4", "h_q4": "H in Q4", "g_q4": "G in Q4", "wrong_q4": "wrong in Q4",
}
_HABITS = {
    "sentences": "sentences", "covered": "covered", "refuted": "contradicted", "empty": "says nothing new",
    "verbatim": "copies", "full": "full reward",
}


def said(e: Estimate, digits: int = 2, *, sign: bool = False) -> str:
    """An estimate with its interval, unbroken."""
    mark = "+" if sign else ""
    if math.isnan(e.value):
        return "–"
    value, low, high = (f"{v:{mark}.{digits}f}".replace("-", "\N{MINUS SIGN}") for v in (e.value, e.low, e.high))
    return f"{value} [{low}, {high}]".replace(" ", "\N{NO-BREAK SPACE}")


def pattern_table(scene: Mapping[str, Any], *, suffix: str = "") -> pd.DataFrame:
    """Claims of Table 5 with the paper's difference, the simulation's and the verdict."""
    import pandas as pd

    return pd.DataFrame([
        {"the paper's table says": h.statement.words, "paper": f"{h.paper:+.3f}".replace("-", "\N{MINUS SIGN}"),
         "simulation": said(h.lab, 3, sign=True), "verdict": h.verdict}
        for h in hold(scene, suffix=suffix)
    ])


def counts(held: Sequence[Held]) -> dict[Verdict, int]:
    """How many claims have each verdict."""
    return {v: sum(h.verdict == v for h in held) for v in get_args(Verdict)}


def levels_table(scene: Mapping[str, Any], arms: Sequence[str], *, habits: bool = False) -> pd.DataFrame:
    """What captions of each arm are like on held-out works; with ``habits``, how they come to their reward."""
    import pandas as pd

    columns = _HABITS if habits else _COLUMNS
    return pd.DataFrame([
        {"reward": arm, **{shown: said(level(scene, arm, q), 1 if q == "sentences" else 2)
                           for q, shown in columns.items()}}
        for arm in arms
    ])


def base_table(scene: Mapping[str, Any]) -> pd.DataFrame:
    """Composition before training beside that of the paper's base model (Table 7)."""
    import pandas as pd

    rows = []
    for q, (s, h, g) in enumerate(targets(), start=1):
        own = [said(level(scene, "base", f"{letter}_q{q}")) for letter in "shg"]
        rows.append({"quarter": q, "supported, paper": s, "simulation": own[0], "contradicted, paper": h,
                     "simulation ": own[1], "generic, paper": g, "simulation  ": own[2]})
    return pd.DataFrame(rows)


def robustness_table(study: Mapping[str, Any], *, suffix: str = "") -> pd.DataFrame:
    """The verdict on each claim under every set of assumptions; a dash where the scene does not have the variant.

    Args:
        study: of the record.
        suffix: of the arms, such as ", guarded".
    """
    import pandas as pd

    marks = {"agrees": "✓", "does not": "✗", "undecided": "?"}
    rows = []
    for s in STATEMENTS:
        row = {"the paper's table says": s.words}
        for name, scene in study["scenes"].items():
            held = hold(scene, [s], suffix=suffix)
            row[name] = marks[held[0].verdict] if held else "–"
        if any(row[name] != "–" for name in study["scenes"] if name != "default"):
            rows.append(row)
    return pd.DataFrame(rows)


def everywhere(study: Mapping[str, Any], verdict: Verdict, *, suffix: str = "", least: float = 1.0) -> list[str]:
    """Claims that have a verdict in every scene that can judge them, or in a share of those and its opposite in none.

    Args:
        study: of the record.
        verdict: "agrees" or "does not".
        suffix: of the arms.
        least: the share.
    """
    found = []
    against: Verdict = "agrees" if verdict == "does not" else "does not"
    for s in STATEMENTS:
        own = [h.verdict for scene in study["scenes"].values() for h in hold(scene, [s], suffix=suffix)]
        if len(own) > 1 and own.count(verdict) >= least * len(own) and against not in own:
            found.append(s.words)
    return found


def budget_table(scene: Mapping[str, Any], world: World, arms: Sequence[str]) -> pd.DataFrame:
    """The length budget of Table 11 in tokens and in characters, beside how long captions are."""
    import pandas as pd

    full = VARIANTS["full"]
    claims = sum(len(p.rubric.claims) for p in world.pools) / len(world.pools)
    budget = full.budget(round(claims))
    lines = [line for p in world.pools for line in p.lines]
    each = {"tokens": sum(line.tokens for line in lines) / len(lines),
            "characters": sum(len(line.text) + 1 for line in lines) / len(lines)}
    return pd.DataFrame([
        {"counted in": unit, "budget": round(budget), "sentences that fill it": round(budget / per),
         **{arm: round(level(scene, arm, unit).value) for arm in arms}}
        for unit, per in each.items()
    ])


def apart(scene: Mapping[str, Any], arm: str, other: str, quantity: str, digits: int = 3) -> str:
    """A paired difference in words."""
    return said(difference(scene, arm, other, quantity), digits, sign=True)


def moves(e: Estimate) -> str:
    """What an interval of a difference allows to be said, with the difference."""
    word = "rises" if e.low > 0 else "falls" if e.high < 0 else "does not move clearly"
    return f"{word} ({said(e, 3, sign=True)})"


def term_course(scene: Mapping[str, Any], arm: str, term: str) -> tuple[float, float]:
    """A term of the reward in the first and in the last tenth of training, mean over seeds."""
    rows = [r["steps"] for r in scene["rows"] if r["arm"] == arm]
    first, last = (sum(r[k][term] for r in rows) / len(rows) for k in (0, -1))
    return first, last


def worth(world: World, settings: PagerSettings) -> pd.DataFrame:
    """What one more sentence earns or costs on average, by what it is in truth, if none of its claims was told.

    The tail column is for one of three sentences of the last quarter, by the paper's letter.
    """
    import pandas as pd

    rows = []
    for truth in TRUTHS:
        coverage, middle, tail, n = 0.0, 0.0, 0.0, 0
        for pool in world.pools:
            weight = {c.id: c.weight for c in pool.rubric.claims}
            total = sum(weight.values())
            fine = {c.id for c in pool.rubric.claims if c.kind in FINE}
            for line in (pool.lines[i] for i in pool.of(truth)):
                coverage += (settings.alpha * sum(weight[c] for c in line.supported)
                             - settings.beta * sum(weight[c] for c in line.contradicted)) / total
                middle += settings.lambda_mid * sum(weight[c] for c in line.supported & fine) / total
                tail -= settings.lambda_tail * line.genericity / 3
                n += 1
        rows.append({"sentence": truth, "coverage": coverage / n, "in the middle": middle / n, "in the tail": tail / n})
    return pd.DataFrame(rows)
