"""The audit as the book shows it: the figure of outcomes by kind, and narrow tables of what does not agree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from posh_lite.audit import summary
from posh_lite.audit_ledger import Check
from posh_lite.plot import Figure, canvas, colour, save

if TYPE_CHECKING:
    import pandas as pd

#: Outcome, colour, hatch: told apart without colour too.
_LOOKS = (("agrees", "blue", ""), ("rounding", "gold", "...."), ("differs", "orange", "////"))
_PAPERS = {"posh": "PoSh", "position": "Long Captions"}


def outcomes(checks: Sequence[Check], *, name: str, caption: str) -> Figure:
    """Bars of the share of each outcome by kind of check, with the counts beside them.

    Args:
        checks: all that were made.
        name: of the figure.
        caption: printed below.
    """
    table = summary(checks)
    table = table[table[["agrees", "rounding", "differs"]].sum(axis=1) > 0]
    said = []
    with canvas(1.0 + 0.36 * len(table)) as (fig, ax):
        for row, cells in enumerate(table.to_dict("records")):
            counts = [int(cells[outcome]) for outcome, _, _ in _LOOKS]
            total, left = sum(counts), 0.0
            for (outcome, hue, hatch), count in zip(_LOOKS, counts, strict=True):
                ax.barh(row, count / total, left=left, height=0.66, color=colour(hue), alpha=0.85, hatch=hatch,
                        edgecolor=colour("text"), linewidth=0.4, label=outcome if row == 0 else None)
                left += count / total
            ax.annotate(f"{counts[2]} of {total}", (1.015, row), va="center", fontsize=9, annotation_clip=False)
            parts = ", ".join(f"{count} {outcome}" for (outcome, _, _), count in zip(_LOOKS, counts, strict=True))
            said.append(f"{cells['kind']}: {parts}")
        ax.set_yticks(range(len(table)), list(table["kind"]))
        ax.set_ylim(len(table) - 0.4, -0.6)
        ax.set_xlim(0, 1.2)
        ax.set_xticks([0, 0.5, 1], ["0", "half", "all"])
        ax.grid(axis="y", visible=False)
        ax.set_xlabel("share of the checks; beside it, how many differ")
        fig.legend(loc="outside upper left", ncols=3)
        return save(fig, name, alt=f"Outcomes of the audit by kind of check. {'; '.join(said)}.", caption=caption)


def _words(text: str) -> str:
    """Text of a check as MyST that takes no sign of it for markup; names of columns may break."""
    spaced = re.sub(r"\b(?:docent|caparena)_\w+", lambda m: m.group().replace("_", " "), text)
    return re.sub(r"([*_`{}$<>~^\[\]])", r"\\\1", spaced)


def listing(checks: Iterable[Check]) -> pd.DataFrame:
    """Three columns for a narrow page: what was checked with our reading, what is stated, what was found."""
    import pandas as pd

    rows = [
        {
            "where and what": f"**{_PAPERS[c.paper]}, {_words(c.where)}.** {_words(_plain(c))}. "
            + (f"*{_words(c.reading)}*" if c.reading else ""),
            "stated": _words(c.stated),
            "found": _words(c.recomputed),
        }
        for c in checks
    ]
    return pd.DataFrame(rows, columns=["where and what", "stated", "found"])


def _plain(check: Check) -> str:
    """The rule without the short name of a statement, which only tells checks apart; with a capital."""
    text = re.sub(r" \([a-z0-9_]+\)$", "", check.what) if check.kind == "text" else check.what
    return text[:1].upper() + text[1:]


def versions(checks: Iterable[Check]) -> pd.DataFrame:
    """Earlier figures beside the later ones, where they differ."""
    import pandas as pd

    rows = [(c.what, c.recomputed, c.stated) for c in checks if c.kind == "versions" and c.outcome != "agrees"]
    return pd.DataFrame(
        [{"figure": what.replace("_", " "), "earlier": float(a), "later": float(b)} for what, a, b in rows],
        columns=["figure", "earlier", "later"],
    )
