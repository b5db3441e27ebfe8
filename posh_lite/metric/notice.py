"""Signs that a judge does not judge: a threshold that never fires, scores that hardly vary, answers not read."""

from __future__ import annotations

import statistics
from collections.abc import Iterable

from posh_lite.metric.score import Score

_ENOUGH = 30  # entities below which nothing can be said
_FLAT = 0.25  # standard deviation on the scale of 1 to 5


class Observer:
    """Watches scores as they come, and says what is odd about them."""

    def __init__(self) -> None:
        self.pairs = self.components = self.missing = self.asked = self.unread = self.undefined = 0
        self.figures: dict[str, list[float]] = {"mistakes": [], "omissions": [], "overall": []}
        self._present = self._entities = 0
        self._counts: dict[float, int] = {}

    def see(self, score: Score) -> None:
        """Take one score into account."""
        self.pairs += 1
        self.components += score.n_components
        self.missing += score.n_missing
        self.asked += score.n_asked
        self.unread += score.n_unread
        self.undefined += score.overall != score.overall
        for name, values in self.figures.items():
            value = getattr(score, name)
            if value == value:
                values.append(value)
        for component in score.components:
            if component.score is None or component.inherited:
                continue
            key = round(component.score, 3)
            self._counts[key] = self._counts.get(key, 0) + 1
            if component.kind == "entity" and not component.negated:
                self._entities += 1
                self._present += bool(component.present)

    def warnings(self, threshold: float) -> list[str]:
        """One line for every oddity; empty where all looks well."""
        found = []
        if self._entities >= _ENOUGH and self._present == self._entities:
            found.append(
                f"every one of {self._entities:,} entities was called present: the threshold {threshold:g} never fires"
                " with this judge; a small model needs its own"
            )
        if self._entities >= _ENOUGH and self._present == 0:
            found.append(f"none of {self._entities:,} entities was called present: check the judge and its threshold")
        spread = statistics.pstdev(v for k, n in self._counts.items() for v in [k] * n) if self._counts else 0.0
        if sum(self._counts.values()) >= _ENOUGH and spread < _FLAT:
            found.append(f"the judge's scores hardly vary (standard deviation {spread:.2f} on 1 to 5)")
        if self.unread:
            found.append(f"{self.unread:,} of {self.asked:,} verdicts could not be read; they enter no mean")
        if self.undefined:
            found.append(f"{self.undefined} of {self.pairs} pairs have no overall score; see their reasons")
        return found


def warnings(scores: Iterable[Score], threshold: float = 2.0) -> list[str]:
    """What is odd about the scores of a judge, one line each."""
    observer = Observer()
    for score in scores:
        observer.see(score)
    return observer.warnings(threshold)
