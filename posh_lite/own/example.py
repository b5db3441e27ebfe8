"""The six constructed captioners of the known-answer corpus, to hold a model beside: rows for free."""

from __future__ import annotations

from posh_lite.own.captions import Captions
from posh_lite.own.references import load_references


def example() -> Captions:
    """All 72 captions of ``data/mini``, each named after its style; no model wrote them."""
    from posh_lite.benchmarks.mini import load_mini

    note = load_references("mini").note
    return Captions(load_mini().pairs, "mini", note=note, constructed=True)
