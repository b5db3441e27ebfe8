"""What is said of a set of DOCENT: statistics as in the paper's Table 1, and the data card in Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from posh_lite.benchmarks.docent_build import SPLITS, Build
from posh_lite.benchmarks.nga_clean import words
from posh_lite.errors import InputError
from posh_lite.evaluation.bootstrap import Estimate, ratio

#: Column of the paper's Table 1, as in :mod:`posh_lite.paper`, for each of our figures.
PUBLISHED = {"words": "reference_words", "components": "reference_components"}


@dataclass(frozen=True, slots=True)
class ReferenceStatistics:
    """Means over the references with their intervals, and the parts of the scene graphs.

    Attributes:
        words: as split by white space.
        components: entities, attributes and relations of our scene graph of each reference; None where no graphs
            were made.
        parts: means of the three by name; empty where no graphs were made.
        signature: of the graphs.
        shortest, longest: words of a reference.
    """

    words: Estimate
    components: Estimate | None
    parts: dict[str, float]
    signature: str
    shortest: int
    longest: int


def reference_statistics(
    texts: Sequence[str], *, graphs: bool = True, progress: bool = False, **settings: Any
) -> ReferenceStatistics:
    """Length and size of the scene graphs of references (PoSh paper, Table 1).

    Args:
        texts: one a work.
        graphs: whether to make scene graphs, which takes about a tenth of a second each.
        progress: whether to show a bar on stderr.
        settings: of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.
    """
    lengths = [len(words(text)) for text in texts]
    ones = [1.0] * len(texts)
    by_words = ratio([float(n) for n in lengths], ones, method="mean words", **settings)
    shortest, longest = min(lengths, default=0), max(lengths, default=0)
    if not graphs:
        return ReferenceStatistics(by_words, None, {}, "", shortest, longest)
    from tqdm import tqdm

    from posh_lite.graph import extract_graph

    sizes: dict[str, list[int]] = {"entities": [], "attributes": [], "relations": []}
    signature = ""
    for text in tqdm(texts, unit=" text", desc="scene graphs", disable=not progress):
        graph = extract_graph(text)
        signature = graph.signature
        for name, counts in sizes.items():
            counts.append(len(getattr(graph, name)))
    totals = [float(sum(row)) for row in zip(*sizes.values(), strict=True)]
    return ReferenceStatistics(
        by_words, ratio(totals, ones, method="mean components", **settings),
        {name: sum(counts) / len(counts) if counts else math.nan for name, counts in sizes.items()}, signature,
        shortest, longest,
    )


def published_statistics(name: str = "DOCENT") -> dict[str, float]:
    """What the paper's Table 1 says of a benchmark, by the names of :data:`PUBLISHED`.

    Empty where the published tables are not at hand, or do not have it.
    """
    from posh_lite import paper

    try:
        table = paper.table("benchmark_comp")
    except InputError:
        return {}
    rows = table[table["benchmark"] == name]
    return {ours: float(rows[theirs].iloc[0]) for ours, theirs in PUBLISHED.items()} if len(rows) else {}


def _table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    def line(cells: Sequence[object]) -> str:
        return "| " + " | ".join(str(c).replace("|", "\\|").replace("\n", " ") for c in cells) + " |"

    right = [all(not isinstance(row[at], str) for row in rows) for at in range(len(header))]
    return [line(header), line(["---:" if r else "---" for r in right]), *(line(row) for row in rows)]


def _interval(estimate: Estimate | None) -> str:
    if estimate is None:
        return "not computed"
    if math.isnan(estimate.low):
        return f"{estimate.value:.1f}" if not math.isnan(estimate.value) else "–"
    return f"{estimate.value:.1f} [{estimate.low:.1f}, {estimate.high:.1f}]"


def data_card(build: Build, statistics: ReferenceStatistics, *, constructed: bool = False) -> str:
    """The data card of a build, in Markdown.

    Args:
        build: what was built.
        statistics: of its references.
        constructed: whether the tables are the example tables of this project, which the card then says.
    """
    settings, published = build.settings, published_statistics()
    where = (
        "**Constructed example.** The tables are those of `data/nga`, written for this project: the descriptions are"
        " ours, identifiers and addresses lead nowhere, and every figure below is about them alone."
        if constructed
        else "The tables are the open data of the National Gallery of Art, Washington"
        " (github.com/NationalGalleryOfArt/opendata, CC0). The works are in the public domain."
    )
    shown = [
        ["words", _interval(statistics.words), published.get("words", "–")],
        ["entities + attributes + relations", _interval(statistics.components), published.get("components", "–")],
    ]
    lines = [
        "# DOCENT, rebuilt", "", where, "",
        f"{len(build.works):,} works of art with a description written for people who use assistive technology, which"
        " serves as reference. Built by `posh-lite docent build`, after the section \"DOCENT\" of the PoSh paper"
        " (arXiv 2510.19060). It is a rebuild and not the published set: the tables change, and the paper does not"
        " state every setting.", "",
        "## Splits", "",
        *_table(["split", "works"], [[split, len(build.of(split))] for split in SPLITS]), "",
        "By the SHA-256 of the image's identifier, so that the order of the tables does not matter; works of one"
        " series, portfolio or parent stay together.", "",
        "## Selection", "",
        *_table(["step", "left"], [[step.name, step.left] for step in build.funnel]), "",
        "Cleaning changed " + (", ".join(f"{what} in {n:,}" for what, n in build.cleaned.items()) or "nothing")
        + " of the texts that were long enough.", "",
        "## Statistics", "",
        "Mean of each reference with its 95% bootstrap interval over works, beside Table 1 of the paper for its"
        " DOCENT. The paper's graphs come from another parser, so the counts need not agree.", "",
        *_table(["per reference", "here", "published"], shown), "",
        f"References have {statistics.shortest:,} to {statistics.longest:,} words"
        + (f". Graphs: `{statistics.signature}`" if statistics.signature else "") + ".", "",
        "## Settings", "",
        *_table(["setting", "value"], [[name, getattr(settings, name)] for name in settings.__dataclass_fields__]), "",
        "The paper states the number of works and of those for training; the other settings are choices of this"
        " project.", "",
        "## Source", "",
        *_table(["table", "SHA-256"], list(build.source.items())), "",
    ]
    if build.faults:
        lines += ["Odd in the tables, and left out or left empty:", "", *(f"- {fault}" for fault in build.faults), ""]
    lines += [
        "## Columns", "",
        "`uuid`, `reference`, `split`, `iiifurl`, `width`, `height` (pixels of the image), `objectid`, `title`,"
        " `attribution`, `date`, `beginyear`, `endyear`, `medium`, `classification`, `series`. An image has the address"
        " `{iiifurl}/full/!{w},{h}/0/default.jpg`; `posh-lite docent images` fetches them one at a time.", "",
    ]
    return "\n".join(lines)
