"""The six constructed captioners of the known-answer corpus, to hold a model beside: rows for free."""

from __future__ import annotations

from dataclasses import replace

from posh_lite.own.captions import Captions
from posh_lite.own.references import load_references


def example() -> Captions:
    """All 72 captions of ``data/mini``, each named after its style; no model wrote them."""
    from posh_lite.benchmarks.mini import load_mini

    pairs = tuple(replace(p, image=p.id.partition("/")[0]) for p in load_mini().pairs)
    note = load_references("mini").note
    return Captions(pairs, "mini", note=note, constructed=True)
