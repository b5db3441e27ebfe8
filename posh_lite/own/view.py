"""What the chapter on one's own model shows: an example of a captions file, and tables of rows and tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from posh_lite.own.compare import Comparison
from posh_lite.own.compare_page import said_p
from posh_lite.own.draw import LOOKS
from posh_lite.own.frame import between, minus, signed
from posh_lite.own.record import SCORES, ModelRecord
from posh_lite.position.effects import SHOWN
from posh_lite.position.report import figure
from posh_lite.position.types import LABELS
from posh_lite.records import write_jsonl

if TYPE_CHECKING:
    import pandas as pd

    from posh_lite.evaluation.bootstrap import Estimate
    from posh_lite.position.types import Label


def write_example(path: str | Path) -> Path:
    """Write a captions file as a model would give it: image and caption, without references.

    Constructed of ``data/mini``: the first half of the sentences is that of the faithful captioner, the second half
    that of the drifter, who ends in talk.

    Returns:
        The file.
    """
    from posh_lite.benchmarks.mini import load_mini
    from posh_lite.position.label import content_sentences

    corpus = load_mini()
    by_id = {p.id: p.generation for p in corpus.pairs}
    rows = []
    for work in corpus.works:
        halves = []
        for style, end in (("faithful", False), ("drifter", True)):
            text = by_id[f"{work.slug}/{style}"]
            spans = content_sentences(text)
            own = spans[len(spans) // 2 :] if end else spans[: (len(spans) + 1) // 2]
            halves += [" ".join(text[a:b].split()) for a, b in own]
        rows.append({"image": work.slug, "generation": " ".join(halves), "source": "constructed"})
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    write_jsonl(place, rows)
    return place


def profile_of(record: ModelRecord) -> tuple[dict[Label, Estimate], ...]:
    """For each quarter the share of every label, each sentence counted once, as figures of the book take them."""
    return tuple({label: record.figures[f"{LOOKS[label][0]}_q{k}"] for label in LABELS} for k in (1, 2, 3, 4))


def said(estimate: Estimate, digits: int = 2, *, sign: bool = False) -> str:
    """A value with its interval in words."""
    if math.isnan(estimate.value):
        return f"– ({estimate.reason})" if estimate.reason else "–"
    value = signed(estimate.value, digits) if sign else minus(figure(estimate.value, digits))
    return value if math.isnan(estimate.low) else f"{value} ({between(estimate, digits)})"


def leaderboard_table(records: Sequence[ModelRecord]) -> pd.DataFrame:
    """A row a model, in order: scores, effects, and the generic share of the last quarter."""
    import pandas as pd

    return pd.DataFrame([
        {"model": r.name, **{name: said(r.figures[name]) for name in SCORES},
         **{SHOWN[q]: said(r.figures[q], sign=True) for q in ("d_mid", "d_tail")},
         "Q4 generic": said(r.figures["g_q4"])}
        for r in records
    ])


def tests_table(found: Comparison) -> pd.DataFrame:
    """A row a quantity: both models, their difference, and the p values."""
    import pandas as pd

    a, b = found.first.record.name, found.second.record.name
    return pd.DataFrame([
        {"": SHOWN.get(t.quantity, t.quantity), a: minus(figure(t.first, 3)), b: minus(figure(t.second, 3)),
         "difference": said(t.difference, 3, sign=True), "permutation": said_p(t.p_permutation),
         "Wilcoxon": said_p(t.p_wilcoxon), "Holm": said_p(t.p_holm)}
        for t in found.tests
    ])
