"""Where the checks of the consistency audit are entered: what is stated, what comes out, and what rounding explains.

A printed figure stands for every number that rounds to it. A recomputation from such figures is therefore an interval,
and there are three outcomes: it *agrees* (the recomputed figure rounds to the stated one), *rounding* explains the
difference (some numbers behind the printed digits give the stated figure), or it *differs*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, get_args

from posh_lite.paper_figures import Printed, Published, bounds

Outcome = Literal["agrees", "rounding", "differs"]
Severity = Literal["", "note", "minor", "major"]
Kind = Literal[
    "sums", "copies", "text", "claims", "marks", "counts", "intervals", "plausible", "definitions", "versions"
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
KINDS: tuple[Kind, ...] = get_args(Kind)
#: What each kind of check compares.
ABOUT: dict[Kind, str] = {
    "sums": "rates and effects that follow from other cells",
    "copies": "the same figure in two tables",
    "text": "figures of the text against tables or other text",
    "claims": "sentences about who is best, or what rises",
    "marks": "bold, underlined and grey cells against the figures",
    "counts": "counts, shares and means that a sample size allows",
    "intervals": "intervals against their means and against other runs",
    "plausible": "figures against what they would have to be",
    "definitions": "formula, text and pseudocode",
    "versions": "an earlier version against the later one",
}
ROUNDED = "The printed digits leave it open."
UNKNOWN = "We have no explanation."


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was recomputed.

    Attributes:
        kind: what is compared.
        paper: "posh" or "position".
        where: place in the paper.
        what: the rule, in a few words.
        stated: what the paper says.
        recomputed: what comes out.
        difference: recomputed less stated where both are numbers, else empty.
        outcome: whether both agree.
        severity: of a difference: "note" (a name, a convention), "minor" (no conclusion hangs on it), "major" (a
            reader would conclude something else); empty where it is explained.
        reading: ours, of what does not agree.
        uses: references of the cells that went in.
    """

    kind: Kind
    paper: str
    where: str
    what: str
    stated: str
    recomputed: str
    difference: str
    outcome: Outcome
    severity: Severity
    reading: str
    uses: tuple[str, ...]

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What tells it from every other check."""
        return self.kind, self.paper, self.where, self.what


def shown(number: Decimal, like: Decimal) -> str:
    """A recomputed number with one digit more than the stated one, without a nought in that place."""
    text = f"{number.quantize(like / 10):f}"
    return text[:-1].rstrip(".") if text.endswith("0") and "." in text else text


def total(numbers: Iterable[Decimal]) -> Decimal:
    """Their sum, a decimal even where there are none."""
    return sum(numbers, Decimal(0))


class Ledger:
    """The checks in the order in which they are entered."""

    def __init__(self, published: Published) -> None:
        self.published = published
        self.checks: list[Check] = []

    def at(self, reference: str) -> Printed:
        return self.published.at(reference)

    def _enter(
        self, kind: Kind, paper: str, where: str, what: str, stated: str, recomputed: str, difference: str,
        outcome: Outcome, severity: Severity, reading: str, uses: Sequence[str],
    ) -> None:
        if outcome == "agrees":
            severity, reading = "", ""
        elif outcome == "rounding":
            severity, reading = "", ROUNDED
        self.checks.append(Check(
            kind, paper, where, what, stated, recomputed, difference, outcome, severity,
            reading or (UNKNOWN if outcome == "differs" else ""), tuple(uses),
        ))

    def equals(
        self, kind: Kind, paper: str, where: str, what: str, stated: str | Printed, rule: Callable[..., Decimal],
        *references: str, severity: Severity = "minor", reading: str = "", strict: bool = False,
    ) -> None:
        """A stated figure against a rule of other cells, with what rounding leaves open on both sides.

        Args:
            kind: of the check.
            paper: it is in.
            where: it stands.
            what: the rule in words.
            stated: reference of the figure, or the figure itself.
            rule: of the values of ``references``; it has to rise or fall with each (see
                :func:`posh_lite.paper_figures.bounds`).
            references: cells.
            severity: if it differs.
            reading: if it differs.
            strict: two prints of one number are compared, so that rounding cannot tell them apart.
        """
        figure = self.at(stated) if isinstance(stated, str) else stated
        given = [self.at(reference) for reference in references]
        middle = rule(*(g.value for g in given))
        low, high = bounds(rule, *given)
        difference = middle - figure.value
        if abs(difference) <= figure.step / 2 and not (strict and difference):
            outcome: Outcome = "agrees"
        elif not strict and low <= figure.high and high >= figure.low:
            outcome = "rounding"
        else:
            outcome = "differs"
        uses = (*((stated,) if isinstance(stated, str) else ()), *references)
        said = "" if not difference else shown(difference, figure.step)
        self._enter(
            kind, paper, where, what, figure.text, shown(middle, figure.step), said, outcome, severity, reading, uses
        )

    def same(
        self, kind: Kind, paper: str, where: str, what: str, stated: str, other: str, *, factor: Decimal | None = None,
        severity: Severity = "minor", reading: str = "",
    ) -> None:
        """A figure against another print of it; ``factor`` where the units differ."""
        times = Decimal(1) if factor is None else factor
        strict = factor is None and self.at(stated).step == self.at(other).step
        self.equals(kind, paper, where, what, stated, lambda x: x * times, other, severity=severity, reading=reading,
                    strict=strict)

    def more(
        self, kind: Kind, paper: str, where: str, what: str, greater: str, less: str, *,
        severity: Severity = "minor", reading: str = "",
    ) -> None:
        """A claim that one figure is greater than another; equal prints count as rounding."""
        a, b = self.at(greater), self.at(less)
        outcome: Outcome = "agrees" if a.value > b.value else "rounding" if a.high >= b.low else "differs"
        self._enter(kind, paper, where, what, f"{a.text} > {b.text}", "yes" if a.value > b.value else "no", "", outcome,
                    severity, reading, (greater, less))

    def claim(
        self, kind: Kind, paper: str, where: str, what: str, holds: bool, *, stated: str, found: str,
        uses: Sequence[str], severity: Severity = "minor", reading: str = "", rounding: bool = False,
    ) -> None:
        """Anything else that holds or does not; ``rounding`` where the printed digits would let it hold."""
        outcome: Outcome = "agrees" if holds else "rounding" if rounding else "differs"
        self._enter(kind, paper, where, what, stated, found, "", outcome, severity, reading, uses)
