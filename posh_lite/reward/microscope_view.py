"""What the chapter on rewards shows: the terms of one caption, silent choices side by side, and edits by verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from posh_lite.reward.edits import Edited, kinds
from posh_lite.reward.microscope import LETTER
from posh_lite.reward.microscope_effects import Effect, binding, effects
from posh_lite.reward.microscope_page import SHOULD, title_of
from posh_lite.reward.microscope_record import Record
from posh_lite.reward.microscope_style import fragment_style
from posh_lite.reward.settings import VARIANTS, PagerSettings, variant

if TYPE_CHECKING:
    import pandas as pd

    from posh_lite.records import Pair

#: Columns of the comparison of rewards, short enough for a figure.
COLUMNS = {
    LETTER: "paper's\nletter", "full": "with\nguards", "coverage-only": "coverage\nalone", "holistic": "one\nmark",
    "monotone": "rising\nweight", "posh-unguarded": "PoSh", "posh": "PoSh\nguarded",
}  # fmt: skip
#: What the paper leaves open, each against the letter with our defaults.
CHOICES: dict[str, dict[str, Any]] = {
    "as in this book": {},
    "a claim counts 1, whatever its kind": {"weighted": False},
    "tail: sentences without a claim": {"tail": "residual"},
    "length in words": {"length_unit": "words"},
    "length in characters": {"length_unit": "characters"},
    "length in characters, log(1 + excess)": {"length_unit": "characters", "length_form": "log_excess"},
    "no budget for claims, in tokens": {"claim_length": 0.0},
    "no budget for claims, in characters": {"claim_length": 0.0, "length_unit": "characters"},
}


def settings_table(settings: PagerSettings = VARIANTS[LETTER]) -> pd.DataFrame:
    """The numbers of Table 11 as the package has them."""
    import pandas as pd

    rows = (
        ("α", settings.alpha, "credit of a supported claim"),
        ("β", settings.beta, "charge of a contradicted claim"),
        ("λ mid", settings.lambda_mid, "weight of the middle term"),
        ("λ tail", settings.lambda_tail, "weight of the tail term"),
        ("λ len", settings.lambda_len, "weight of the length term"),
        ("L₀", settings.base_length, "length that is always free"),
        ("c", settings.claim_length, "further free length for each claim of the reference"),
    )
    return pd.DataFrame([{"name": n, "value": f"{v:g}", "what": w} for n, v, w in rows])


def kinds_table() -> pd.DataFrame:
    """The edits with what an honest reward should do."""
    import pandas as pd

    return pd.DataFrame([{"edit": k.title, "what it does": k.about, "the reward": SHOULD[k.should]}
                         for k in kinds().values()])


def choices_table(pairs: Sequence[Pair], choices: Mapping[str, Mapping[str, Any]] = CHOICES) -> pd.DataFrame:
    """Mean terms of captions under each silent choice, and whether the captions keep their order.

    Returns:
        Columns ``choice``, the four terms, ``reward`` and ``order`` (Kendall tau-b with the first choice).
    """
    import pandas as pd
    from scipy.stats import kendalltau

    from posh_lite.reward.microscope import TERMS, lengths
    from posh_lite.reward.pager import PagerReward

    rows, first = [], None
    for name, changes in choices.items():
        columns: dict[str, list[float]] = {}
        values = PagerReward(variant(LETTER, **changes), name="pager")(
            completions=[p.generation for p in pairs], reference=[p.reference for p in pairs],
            completion_ids=[range(lengths(p.generation)["tokens"]) for p in pairs],
            log_extra=columns.__setitem__,
        )
        told = [float("nan") if v is None else v for v in values]
        first = told if first is None else first
        rows.append({
            "choice": name, **{t: sum(columns[f"pager/{t}"]) / len(pairs) for t in TERMS},
            "reward": sum(told) / len(told), "order": float(kendalltau(first, told).statistic),
        })
    return pd.DataFrame(rows)


def budget_table(records: Mapping[str, Record], settings: PagerSettings = VARIANTS[LETTER]) -> pd.DataFrame:
    """How often the budget binds, by corpus and unit, as printed and without its part for claims."""
    from dataclasses import replace

    import pandas as pd

    rows = []
    bare = replace(settings, claim_length=0.0)
    for name, record in records.items():
        for whole, alone in zip(binding(record, settings), binding(record, bare), strict=True):
            rows.append({
                "captions": name, "unit": whole["unit"], "mean length": round(whole["mean_length"]),
                "mean budget": round(whole["mean_budget"]), "beyond it": f"{whole['bound']} of {whole['n']}",
                "longest, of its budget": f"{whole['longest']:.0%}",
                "beyond L₀ alone": f"{alone['bound']} of {alone['n']}",
            })
    return pd.DataFrame(rows)


def compared(record: Record, rewards: Sequence[str], **settings: Any) -> dict[str, list[Effect]]:
    """The effects of every edit under several rewards, in one order; those of few captions are left out."""
    found = {r: effects(record, r, **settings) for r in rewards if r in record.signatures}
    least = max(2, len(record.rows) // 10)
    return {r: [e for e in own if e.n >= least] for r, own in found.items()}


def verdict_table(found: Mapping[str, Sequence[Effect]]) -> pd.DataFrame:
    """Gamed or not: a row an edit, a column a reward; mean change and verdict."""
    import pandas as pd

    from posh_lite.book.show import number

    every = kinds()
    rewards = list(found)
    rows = []
    for own in zip(*found.values(), strict=True):
        row: dict[str, Any] = {"edit": every[own[0].edit].title, "the reward": SHOULD[own[0].should],
                               "n": own[0].n}
        for reward, e in zip(rewards, own, strict=True):
            row[title_of(reward)] = f"{number(e.change.value, 3)} {e.verdict}"
        rows.append(row)
    return pd.DataFrame(rows)


def with_verdict(found: Sequence[Effect], *said: str) -> list[str]:
    """Titles of the edits with one of these verdicts."""
    every = kinds()
    return list(dict.fromkeys(every[e.edit].title for e in found if e.verdict in said))


def in_words(names: Sequence[str]) -> str:
    """A list for prose; "none" where it is empty."""
    if not names:
        return "none"
    return names[0] if len(names) == 1 else f"{'; '.join(names[:-1])}; and {names[-1]}"


def diff_html(made: Edited) -> str:
    """A caption with what an edit took out and put in, for a chapter."""
    parts, at = [f'{fragment_style()}<div class="worked"><p>'], 0
    for c in made.changes:
        parts.append(escape(made.original[at : c.start]))
        parts += [f"<del>{escape(c.old)}</del>"] if c.old else []
        parts += [f"<ins><strong>{escape(c.new)}</strong></ins>"] if c.new else []
        at = c.end
    return "".join([*parts, escape(made.original[at:]), "</p></div>"])


def found_total(found: Mapping[str, Sequence[Effect]], reward: str, edit: str) -> float:
    """Mean change of a reward under an edit, over all captions to which it applies."""
    own = [e for e in found[reward] if e.edit == edit]
    return sum(e.change.value * e.n for e in own) / max(1, sum(e.n for e in own))


__all__ = [
    "CHOICES", "COLUMNS", "budget_table", "choices_table", "compared", "diff_html", "found_total", "in_words",
    "kinds_table", "settings_table", "verdict_table", "with_verdict",
]
