"""Extracted graphs against human spans: precision, recall and F1.

Run ``python -m posh_lite.graph.gold FILE...`` on files of the form of the gold scene graphs published with the
PoSh paper: ``text``, ``entities``, ``attributes``, ``relations`` (lists of ``[start, end, words]``) and
``coreference`` (lists of such lists). Entities are complete, the rest is a sample and gives recall alone.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from posh_lite.errors import InputError
from posh_lite.graph.extract import extract_graph
from posh_lite.graph.types import SceneGraph
from posh_lite.records import Span


@dataclass(frozen=True, slots=True)
class Agreement:
    """Counts of one comparison; ``nan`` where a ratio is undefined."""

    hits: int  # in both
    predicted: int
    gold: int

    @property
    def precision(self) -> float:
        return self.hits / self.predicted if self.predicted else float("nan")

    @property
    def recall(self) -> float:
        return self.hits / self.gold if self.gold else float("nan")

    @property
    def f1(self) -> float:
        total = self.predicted + self.gold
        return 2 * self.hits / total if total else float("nan")


@dataclass(frozen=True, slots=True)
class GoldReport:
    """How one graph agrees with its human spans, and what it missed."""

    entities: Agreement  # head spans, exact
    attributes: Agreement  # gold spans touched by an attribute; recall alone means something
    relations: Agreement  # the same for relations
    coreference: Agreement  # pairs of mentions in one entity, among mentions of gold clusters
    missed_entities: tuple[Span, ...]
    extra_entities: tuple[Span, ...]
    missed_attributes: tuple[Span, ...]
    missed_relations: tuple[Span, ...]


def compare(graph: SceneGraph, gold: dict[str, Any]) -> GoldReport:
    """Hold a graph of ``gold["text"]`` against the human spans.

    Raises:
        InputError: the graph is of another text, or a span does not lie inside it.
    """
    if graph.text != gold["text"]:
        raise InputError("the graph was made from another text than the gold spans")
    for name in ("entities", "attributes", "relations"):
        for start, end, words in gold.get(name, ()):
            if graph.text[start:end] != words:
                raise InputError(f"gold span {start}-{end} reads {graph.text[start:end]!r}, not {words!r}", field=name)
    want = {(s, e) for s, e, _ in gold["entities"]}
    have = {span for entity in graph.entities for span in entity.spans}
    attributes = [(s, e) for s, e, _ in gold.get("attributes", ())]
    relations = [(s, e) for s, e, _ in gold.get("relations", ())]
    attribute_spans = [s for a in graph.attributes for s in a.spans]
    relation_spans = [s for r in graph.relations for s in r.spans]
    missed_attributes = _untouched(attributes, attribute_spans)
    missed_relations = _untouched(relations, relation_spans)
    return GoldReport(
        entities=Agreement(len(want & have), len(have), len(want)),
        attributes=Agreement(len(attributes) - len(missed_attributes), len(attribute_spans), len(attributes)),
        relations=Agreement(len(relations) - len(missed_relations), len(relation_spans), len(relations)),
        coreference=_pairs(graph, gold.get("coreference", ())),
        missed_entities=tuple(sorted(want - have)),
        extra_entities=tuple(sorted(have - want)),
        missed_attributes=tuple(missed_attributes),
        missed_relations=tuple(missed_relations),
    )


def _untouched(wanted: Sequence[Span], found: Sequence[Span]) -> list[Span]:
    return [(a, b) for a, b in wanted if not any(x < b and a < y for x, y in found)]


def _pairs(graph: SceneGraph, clusters: Iterable[Iterable[Sequence[Any]]]) -> Agreement:
    gold_clusters = [[(m[0], m[1]) for m in cluster] for cluster in clusters]
    mentions = {span for cluster in gold_clusters for span in cluster}
    gold = {pair for cluster in gold_clusters for pair in combinations(sorted(cluster), 2)}
    have = {
        pair
        for entity in graph.entities
        for pair in combinations(sorted({s for s in entity.spans if s in mentions}), 2)
    }
    return Agreement(len(gold & have), len(have), len(gold))


def read_gold(path: str | Path) -> dict[str, Any]:
    """Load one gold file.

    Raises:
        InputError: no such file, not JSON, or a field is missing.
    """
    try:
        gold: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("no such file", path=path) from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"not a JSON file: {error}", path=path) from None
    for name in ("text", "entities"):
        if not isinstance(gold, dict) or name not in gold:
            raise InputError(f'field "{name}" is missing', path=path, field=name)
    return gold


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the agreement for each file."""
    parser = argparse.ArgumentParser(prog="python -m posh_lite.graph.gold", description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("-v", "--verbose", action="store_true", help="list what was missed")
    options = parser.parse_args(arguments)
    for file in options.files:
        try:
            gold = read_gold(file)
            graph = extract_graph(gold["text"])
            report = compare(graph, gold)
        except InputError as error:
            print(error, file=sys.stderr)
            return 2
        print(f"{file}  {graph.signature}")
        for name, agreement in (("entity heads", report.entities), ("coreference pairs", report.coreference)):
            print(
                f"  {name:18} P {agreement.precision:.3f}  R {agreement.recall:.3f}  F1 {agreement.f1:.3f}"
                f"  (gold {agreement.gold})"
            )
        for name, agreement in (("attributes", report.attributes), ("relations", report.relations)):
            print(f"  {name:18} recall {agreement.recall:.3f}  (gold {agreement.gold})")
        if options.verbose:
            for name in ("missed_entities", "extra_entities", "missed_attributes", "missed_relations"):
                words = "; ".join(f"{graph.text[a:b]} [{a}]" for a, b in getattr(report, name))
                print(f"  {name.replace('_', ' ')}: {words or '-'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
