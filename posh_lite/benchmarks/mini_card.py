"""The tables of the known-answer corpus's data card, computed from the corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from posh_lite.benchmarks.mini import LABELS, MISTAKE_TYPES, STYLES, MiniCorpus

BEGIN = "<!-- tables: written by mini_build, do not edit below -->"
END = "<!-- end of tables -->"


def fill_card(card: str, corpus: MiniCorpus, quartiles: Mapping[str, list[int]]) -> str:
    """Put the tables between the two markers of a data card (appended where the markers are missing).

    Args:
        card: the card as it stands.
        corpus: the compiled corpus.
        quartiles: for each pair id the sentence quartile (1 to 4) of each mistake.
    """
    before, _, rest = card.partition(BEGIN)
    after = rest.partition(END)[2] or "\n"
    tables = "\n\n".join(_tables(corpus, quartiles))
    return f"{before}{BEGIN}\n\n{tables}\n\n{END}{after}"


def _tables(corpus: MiniCorpus, quartiles: Mapping[str, list[int]]) -> Iterable[str]:
    if not corpus.works:
        return
    yield "### Works\n\n" + _table(
        ["id", "work", "artist, date", "words", "facts"],
        [
            [w.slug, w.title, f"{w.artist}, {w.date}", len(w.reference.split()), len(w.facts)]
            for w in corpus.works
        ],
    )
    by_style = {s: [(p, g) for p, g in zip(corpus.pairs, corpus.gold, strict=True) if p.model == s] for s in STYLES}
    facts = {work.slug: len(work.facts) for work in corpus.works}
    rows: list[list[object]] = []
    for style, items in by_style.items():
        words = [len(p.generation.split()) for p, _ in items]
        mistakes = sum(len(g.mistakes) for _, g in items)
        total = sum(facts[g.id.split("/")[0]] for _, g in items)
        rows.append([
            style, len(items), f"{_mean(words):.0f} ({min(words)} to {max(words)})",
            f"{_mean([len(g.sentences) for _, g in items]):.1f}", mistakes, f"{100 * mistakes / sum(words):.2f}",
            *(f"{sum(n) / total:.0%}" for n in (
                [len(g.omissions) for _, g in items], [len(g.misstated) for _, g in items],
            )),
        ])
    yield "### Captions by style\n\n" + _table(
        ["style", "captions", "words, mean (range)", "sentences, mean", "mistakes", "mistakes per 100 words",
         "facts omitted", "facts misstated"], rows,
    )
    kinds = {s: Counter(m.type for _, g in items for m in g.mistakes) for s, items in by_style.items()}
    yield "### Planted mistakes by type\n\n" + _table(
        ["style", *MISTAKE_TYPES, "all"],
        [[s, *(c[kind] for kind in MISTAKE_TYPES), c.total()] for s, c in kinds.items()]
        + [["all", *(sum(c[kind] for c in kinds.values()) for kind in MISTAKE_TYPES),
            sum(c.total() for c in kinds.values())]],
    )
    places = {s: Counter(q for _, g in items for q in quartiles[g.id]) for s, items in by_style.items()}
    yield "### Planted mistakes by quartile of the sentences\n\n" + _table(
        ["style", "Q1", "Q2", "Q3", "Q4"], [[s, *(c[q] for q in (1, 2, 3, 4))] for s, c in places.items()]
    )
    rows = []
    for style, items in by_style.items():
        cells = {(q, label): 0 for q in (1, 2, 3, 4) for label in LABELS}
        for _, g in items:
            for k, sentence in enumerate(g.sentences):
                cells[4 * k // len(g.sentences) + 1, sentence.label] += 1
        rows.append([style, *(" / ".join(str(cells[q, label]) for label in LABELS) for q in (1, 2, 3, 4))])
    yield f"### Sentences by label ({' / '.join(LABELS)}) and quartile\n\n" + _table(
        ["style", "Q1", "Q2", "Q3", "Q4"], rows
    )
    values = (-2, -1, 0, 1, 2)
    yield "### Preferences (positive: `a` is better)\n\n" + _table(
        ["", *(f"{v:+d}" if v else "0" for v in values)],
        [
            [name, *(sum(getattr(p, name) == v for p in corpus.preferences) for v in values)]
            for name in ("mistakes", "omissions", "overall")
        ],
    )


def _mean(values: list[int]) -> float:
    return sum(values) / len(values)


def _table(head: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    lines: list[Sequence[object]] = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)
