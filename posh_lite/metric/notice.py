"""Signs that a judge does not judge: a threshold that never fires, scores that hardly vary, answers not read."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from typing import Any

from posh_lite.metric.score import Score

_ENOUGH = 30  # entities below which nothing can be said
_FLAT = 0.25  # standard deviation on the scale of 1 to 5
_MANY = 20  # pairs below which nothing can be said of how scores vary over them
_ALIKE = 0.02  # standard deviation over pairs, on the scale of 0.2 to 1
_FIT = "`posh-lite calibrate` fits one to a judge"


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

    def state(self) -> dict[str, Any]:
        """All that was seen, as JSON values; :meth:`merge` takes it."""
        names = ("pairs", "components", "missing", "asked", "unread", "undefined")
        return {
            **{name: getattr(self, name) for name in names}, "figures": self.figures, "present": self._present,
            "entities": self._entities, "counts": [[key, n] for key, n in self._counts.items()],
        }

    def merge(self, state: Mapping[str, Any]) -> None:
        """Add what another observer saw elsewhere."""
        for name in ("pairs", "components", "missing", "asked", "unread", "undefined"):
            setattr(self, name, getattr(self, name) + state[name])
        for name, values in self.figures.items():
            values += state["figures"][name]
        self._present += state["present"]
        self._entities += state["entities"]
        for key, n in state["counts"]:
            self._counts[key] = self._counts.get(key, 0) + n

    def warnings(self, threshold: float) -> list[str]:
        """One line for every oddity; empty where all looks well."""
        found = []
        if self._entities >= _ENOUGH and self._present == self._entities:
            found.append(
                f"every one of {self._entities:,} entities was called present: the threshold {threshold:g} never fires"
                f" with this judge; a small model needs its own: {_FIT}"
            )
        if self._entities >= _ENOUGH and self._present == 0:
            found.append(
                f"none of {self._entities:,} entities was called present: check the judge and its threshold"
                f" {threshold:g}; {_FIT}"
            )
        spread = statistics.pstdev(v for k, n in self._counts.items() for v in [k] * n) if self._counts else 0.0
        if sum(self._counts.values()) >= _ENOUGH and spread < _FLAT:
            found.append(
                f"the judge's scores hardly vary (standard deviation {spread:.2f} on 1 to 5): it tells little apart;"
                " `posh-lite calibrate` shows what its scores are worth; try another scale or model"
            )
        coarse = [self.figures[name] for name in ("mistakes", "omissions")]
        varied = [statistics.pstdev(values) for values in coarse if len(values) >= _MANY]
        if varied and max(varied) < _ALIKE:
            found.append(
                f"pairs hardly differ in their scores (standard deviations of at most {max(varied):.3f}): the judge may"
                " not tell good from bad here; see `posh-lite calibrate`"
            )
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
