"""Detection and false-alarm rates of a judge on a contrast set: ``python -m posh_lite.judge.lexical.report SET.jsonl``.

A contrast pair holds an original, a changed version of it, the kind of the change and where it is. The changed
text is scored as the generation with the original as the reference. A change counts as flagged where a component
of the generation below the threshold overlaps the changed words; a paraphrase is a false alarm where any
component of the generation is below it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError
from posh_lite.evaluation.localisation import overlaps
from posh_lite.records import Pair, Span, read_jsonl

if TYPE_CHECKING:
    from posh_lite.metric.score import Component, Score

PARAPHRASE = "paraphrase"


@dataclass(frozen=True, slots=True)
class Contrast:
    """One pair of a contrast set. Spans are characters into ``changed`` and ``original``."""

    id: str
    kind: str
    original: str
    changed: str
    changed_spans: tuple[Span, ...] = ()
    original_spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """A scored pair: its lowest score on the changed words, and over all components of the generation."""

    contrast: Contrast
    on_span: float
    lowest: float
    score: Score

    def caught(self, threshold: float) -> bool:
        """Flagged on the right words, or for a paraphrase, flagged at all."""
        return (self.lowest if self.contrast.kind == PARAPHRASE else self.on_span) < threshold


def read_contrast(path: str | Path) -> list[Contrast]:
    """Read a contrast set.

    Raises:
        InputError: a line lacks a field or a span does not lie in its text.
    """
    found = []
    for line, row in read_jsonl(path):
        try:
            item = Contrast(
                str(row["id"]), row["kind"], row["original"], row["changed"],
                tuple((a, b) for a, b in row.get("changed_spans", row.get("spans", ()))),
                tuple((a, b) for a, b in row.get("original_spans", ())),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"not a contrast pair: {error}", path=path, line=line) from None
        for text, spans in ((item.changed, item.changed_spans), (item.original, item.original_spans)):
            if any(not 0 <= a < b <= len(text) for a, b in spans):
                raise InputError("a span does not lie in its text", path=path, line=line)
        found.append(item)
    return found


def run(contrasts: Sequence[Contrast], judge: Any = "lexical") -> list[Outcome]:
    """Score every pair with the changed text as the generation."""
    from posh_lite import PoSh

    metric = PoSh(judge=judge, progress=False)
    scores = metric.score_many([Pair(c.id, c.changed, c.original) for c in contrasts])
    return [_outcome(c, s) for c, s in zip(contrasts, scores, strict=True)]


def _outcome(contrast: Contrast, score: Score) -> Outcome:
    mine = [c for c in score.components if c.side == "generation" and c.score is not None]
    hit = [c.score for c in mine if any(overlaps(s, contrast.changed_spans) for s in c.spans)]
    if not contrast.changed_spans:  # a deletion: look at what the original says there
        theirs = [c for c in score.components if c.side == "reference" and c.score is not None]
        hit = [c.score for c in theirs if any(overlaps(s, contrast.original_spans) for s in c.spans)]
    scores = [s for s in (c.score for c in mine) if s is not None]
    return Outcome(contrast, min((s for s in hit if s is not None), default=5.0), min(scores, default=5.0), score)


def rates(outcomes: Sequence[Outcome], thresholds: Sequence[float] = (3.0, 2.0)) -> list[dict[str, Any]]:
    """One row a kind: number of pairs and the share caught at each threshold; then changes and paraphrases overall."""
    kinds = list(dict.fromkeys(o.contrast.kind for o in outcomes))
    groups = [(k, [o for o in outcomes if o.contrast.kind == k]) for k in kinds if k != PARAPHRASE]
    groups.append(("all changes", [o for o in outcomes if o.contrast.kind != PARAPHRASE]))
    groups.append((PARAPHRASE, [o for o in outcomes if o.contrast.kind == PARAPHRASE]))
    found = []
    for kind, rows in groups:
        if rows:
            shares = {f"< {t:g}": sum(o.caught(t) for o in rows) / len(rows) for t in thresholds}
            found.append({"kind": kind, "pairs": len(rows), **shares})
    return found


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The rates as a Markdown table."""
    names = list(rows[0]) if rows else ["kind", "pairs"]
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    for row in rows:
        cells = [f"{v:.1%}" if isinstance(v, float) else str(v) for v in row.values()]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _describe(outcome: Outcome, threshold: float) -> str:
    c = outcome.contrast
    mine: list[Component] = [k for k in outcome.score.components if k.side == "generation"]
    if c.kind == PARAPHRASE:
        mine = [k for k in mine if k.score is not None and k.score < threshold]
    lines = [f"{c.id}", f"  original: {c.original}", f"  changed:  {c.changed}"]
    for k in mine:
        other = f" / {k.object}" if k.object else ""
        score = "missing" if k.score is None else f"{k.score:.1f}"
        lines.append(f"    {score} {k.kind} {k.text!r} of {k.identifier!r}{other}: {k.reason}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; with ``--misses`` also every missed change and false alarm."""
    parser = argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0] if __doc__ else None)
    parser.add_argument("path", help="contrast set, JSON Lines")
    parser.add_argument("--judge", default="lexical")
    parser.add_argument("--threshold", type=float, default=3.0, help="below it a component is flagged")
    parser.add_argument("--misses", action="store_true", help="print what was missed and what was flagged wrongly")
    options = parser.parse_args(arguments)
    try:
        outcomes = run(read_contrast(options.path), options.judge)
    except InputError as error:
        print(error, file=sys.stderr)
        return 1
    if options.misses:
        for outcome in outcomes:
            if outcome.caught(options.threshold) == (outcome.contrast.kind == PARAPHRASE):
                print(_describe(outcome, options.threshold))
    print(table(rates(outcomes, (options.threshold, 2.0))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
