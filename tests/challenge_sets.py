"""A challenge small enough to be worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from posh_lite.benchmarks.contract import Benchmark
from posh_lite.evaluation.challenge_trials import Trial, TrialSet
from posh_lite.metric.protocol import Located
from posh_lite.records import Pair

REFERENCE = "a white room with blue towels"


def tiny() -> TrialSet:
    """Two works: a wrong colour and two exchanges, copies with paraphrases, and a right text against a wrong one."""
    texts = {
        "u1": REFERENCE, "u1-swap": "a blue room with white towels", "u1-colour": "a green room with blue towels",
        "u1-para": "blue towels hang in a room that is white",
        "u2": REFERENCE, "u2-swap": "blue white a room with towels", "u2-para": "in a white room there are blue towels",
    }
    pairs = tuple(Pair(i, text, REFERENCE) for i, text in texts.items())
    trials = (
        Trial("planted", "colour", "u1", "u1", "u1-colour", "mistakes", ((2, 7),)),
        Trial("planted", "swap", "u1", "u1", "u1-swap", "mistakes", ((2, 6), (17, 22))),
        Trial("planted", "swap", "u2", "u2", "u2-swap", "mistakes", ((0, 4), (5, 10))),
        Trial("copy", "colour", "u1", "u1", "u1-colour", "mistakes", ((2, 7),)),
        Trial("copy", "attribute swap", "u1", "u1", "u1-swap", "mistakes", ((2, 6), (17, 22))),
        Trial("copy", "paraphrase", "u1", "u1", "u1-para", "mistakes"),
        Trial("copy", "paraphrase", "u2", "u2", "u2-para", "mistakes"),
        Trial("reworded", "colour", "u1", "u1-para", "u1-colour", "mistakes", ((2, 7),)),
    )
    benchmark = Benchmark("tiny", "tiny set", "constructed", pairs, note="Made for tests.")
    return TrialSet(benchmark, trials, ("u1", "u1-colour"), ("u1", "u2"))


#: Scores of the pairs of :func:`tiny`.
FIGURES = {"u1": 1.0, "u1-swap": 1.0, "u1-colour": 0.5, "u1-para": 0.6, "u2": 1.0, "u2-swap": 0.9, "u2-para": 0.8}


class Table:
    """A metric that reads its scores from a table, and points at the words "blue" and "green"."""

    needs = frozenset({"reference"})
    uncovered = 5.0
    sides = ("generation",)

    def __init__(self, figures: dict[str, float] = FIGURES, name: str = "table") -> None:
        self.figures, self.name = figures, name

    def score(self, pairs: Sequence[Pair]) -> pd.DataFrame:
        rows = [self.figures[p.id] for p in pairs]
        return pd.DataFrame({"id": [p.id for p in pairs], "mistakes": rows, "omissions": rows, "overall": rows})

    def locate(self, pairs: Sequence[Pair]) -> list[Located]:
        def spans(text: str) -> tuple[tuple[int, int, float], ...]:
            return tuple((text.index(w), text.index(w) + len(w), 2.0) for w in ("blue", "green") if w in text)

        return [Located(p.id, spans(p.generation), ()) for p in pairs]
