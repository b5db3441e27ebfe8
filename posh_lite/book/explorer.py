"""The data of the explorer page: every component of the known-answer corpus, at every threshold that matters.

A threshold decides which entities count as present, and with that how their parts are named and which attributes and
relations are asked about at all (PoSh paper, section "Granular Scoring"). So a score at another threshold cannot be
had from the verdicts of one run. But nothing changes between two neighbouring scores of entities: the metric is run
once for each of them, until no new one turns up, and every threshold from 1 to 5 is then answered exactly.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from posh_lite.book.cache import digest, file_digest, package_versions, tree_digest
from posh_lite.book.layout import BookError, Layout

if TYPE_CHECKING:
    from posh_lite.benchmarks.mini import Gold, MiniCorpus
    from posh_lite.metric.posh import PoSh
    from posh_lite.metric.score import Component, Score

T = TypeVar("T", bound=Hashable)
FILE = "explorer-data.js"
#: What the page's slider offers.
LOWEST, HIGHEST, STEP = 1.0, 5.0, 0.05
#: What of the package can change a verdict, a question or a text.
PATTERNS = (
    "graph/**/*", "judge/**/*", "metric/**/*", "benchmarks/mini.py", "text*.py", "records.py", "language.py",
)
_KINDS = ("entity", "attribute", "relation")
_SIDES = ("generation", "reference")


@dataclass(slots=True)
class Numbered(Generic[T]):
    """Values that are numbered at their first use: questions on a reference come back with each of its captions."""

    numbers: dict[T, int] = field(default_factory=dict)

    def number(self, value: T) -> int:
        """The number of a value."""
        return self.numbers.setdefault(value, len(self.numbers))


def score_levels(metric: PoSh, pairs: Sequence[Any]) -> tuple[list[float], list[list[Score]]]:
    """All scores at which an entity turns absent, and the corpus scored for each stretch between them.

    Args:
        metric: its threshold is changed and set back.
        pairs: what is scored.

    Returns:
        ``levels``, ascending, and one more list of scores than levels: run ``i`` holds for thresholds above
        ``levels[i - 1]`` up to and with ``levels[i]``, the last one for those above all levels.
    """
    own = metric.threshold
    runs: dict[float, list[Score]] = {}
    levels = {HIGHEST}
    try:
        while missing := sorted(levels - set(runs)):
            for level in missing:
                metric.threshold = level
                runs[level] = metric.score_many(pairs)
            levels |= {
                c.score for scores in runs.values() for s in scores for c in s.components
                if c.kind == "entity" and c.score is not None
            }
    finally:
        metric.threshold = own
    found = sorted(levels)
    # no score is above the highest level: where a threshold were, all would be absent, as no reader can ask for
    return found[:-1], [runs[level] for level in found]


def explorer_data(corpus: MiniCorpus, metric: PoSh) -> dict[str, Any]:
    """The whole page's data, JSON-ready; ``book/_static/explorer-core.js`` reads it.

    A component is ``[side, kind, text, versions]``; a version is ``[from, score, question, reason, inherited, spans]``
    and holds from run number ``from`` until the next one does. Texts of a component are numbers of ``strings``; its
    spans are a number of ``places``, each flat offsets in Unicode characters; a missing score is null.

    Raises:
        BookError: two thresholds disagree on what the components are.
    """
    from posh_lite.metric.report import LEVELS

    levels, runs = score_levels(metric, corpus.pairs)
    strings: Numbered[str] = Numbered()
    places: Numbered[tuple[int, ...]] = Numbered()
    slugs = [work.slug for work in corpus.works]
    captions = []
    for place, (pair, gold) in enumerate(zip(corpus.pairs, corpus.gold, strict=True)):
        scores = [run[place] for run in runs]
        if len({_shape(score) for score in scores}) != 1:
            raise BookError(f"explorer: the components of {pair.id} are not the same at every threshold")
        slug, _, style = pair.id.partition("/")
        captions.append({
            "work": slugs.index(slug), "style": style, "text": pair.generation, "gold": _gold(gold),
            "components": [
                _component(versions, strings, places) for versions in zip(*(s.components for s in scores), strict=True)
            ],
        })
    return {
        "judge": metric.judge.signature, "threshold": metric.threshold, "signature": metric.signature,
        "lowest": LOWEST, "highest": HIGHEST, "step": STEP, "levels": levels,
        "kinds": _KINDS, "sides": _SIDES, "words": LEVELS[1:],
        "strings": list(strings.numbers), "places": list(places.numbers),
        "works": [
            {"slug": w.slug, "title": w.title, "artist": w.artist, "date": w.date, "reference": w.reference}
            for w in corpus.works
        ],
        "captions": captions,
    }


def _shape(score: Score) -> tuple[tuple[str, str, str, int, bool], ...]:
    return tuple((c.side, c.kind, c.text, c.entity, c.negated) for c in score.components)


def _component(
    versions: Sequence[Component], strings: Numbered[str], places: Numbered[tuple[int, ...]]
) -> list[Any]:
    first = versions[0]
    told: list[list[Any]] = []
    for number, c in enumerate(versions):
        now = [
            c.score, strings.number(c.question), strings.number(c.reason), int(c.inherited),
            places.number(tuple(offset for span in c.spans for offset in span)),
        ]
        if not told or told[-1][1:] != now:
            told.append([number, *now])
    return [_SIDES.index(first.side), _KINDS.index(first.kind), strings.number(first.text), told]


def _gold(gold: Gold) -> dict[str, list[list[Any]]]:
    """The planted faults: mistakes with their kind, omitted facts, and facts that a mistake misstates."""
    return {
        "mistakes": [[m.start, m.end, m.type] for m in gold.mistakes],
        "omissions": [[m.start, m.end] for m in gold.omissions],
        "misstated": [[m.start, m.end] for m in gold.misstated],
    }


def explorer_key(layout: Layout) -> str:
    """Hash over all that can change the data: the corpus, the metric with its parser and judge, and this file."""
    return digest({
        "package": tree_digest(layout.root / "posh_lite", PATTERNS), "data": tree_digest(layout.root / "data" / "mini"),
        "versions": package_versions(), "maker": file_digest(Path(__file__)),
    })


def explorer_script(layout: Layout) -> Path:
    """The data as a script that a page opened from disk can load, made anew only where its inputs changed."""
    target = layout.root / ".cache" / "explorer" / FILE
    first = f"// {explorer_key(layout)}\n"
    if target.is_file():
        with target.open(encoding="utf-8") as handle:
            if handle.readline() == first:
                return target
    from posh_lite.benchmarks.mini import load_mini
    from posh_lite.metric.posh import PoSh

    text = json.dumps(explorer_data(load_mini(), PoSh(progress=False)), ensure_ascii=False, separators=(",", ":"))
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(".partial")
    # the two separators are line ends to older readers of JavaScript
    text = text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    partial.write_text(f"{first}globalThis.poshExplorer = {text};\n", "utf-8")
    partial.replace(target)
    return target
