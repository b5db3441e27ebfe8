"""The contrast set as a benchmark: one changed fact to be found, and rewordings in which nothing is wrong.

It is held out, and nobody tunes on it (``data/contrast/README.md``): it is run to report a figure.
"""

from __future__ import annotations

from pathlib import Path

from posh_lite.benchmarks.contract import Benchmark, Comparison, Dimension, Marks
from posh_lite.errors import InputError
from posh_lite.records import Pair

_NOTE = (
    "Written for this project; no person judged it, and nobody tunes on it. While the lexical judge was built, some of"
    " its failures here were read, so that the figures of that judge are somewhat too good."
)


def contrast_path() -> Path:
    """The file of the set in a checkout.

    Raises:
        InputError: it is not there, as in an installed package without the repository.
    """
    path = Path(__file__).parents[2] / "data" / "contrast" / "heldout.jsonl"
    if not path.is_file():
        raise InputError("the contrast set is part of the repository, not of the installed package: run in a checkout")
    return path


def load_contrast_benchmark(path: str | Path | None = None) -> Benchmark:
    """Changed texts as generations, their original as the reference.

    Marks are the changed words, and in the original the words that were replaced; a paraphrase has none of either.
    Comparisons hold each paraphrase against each change of the same original: the paraphrase makes fewer mistakes
    and is better, and leaves out less where the change took words away. They are tagged with the kind of change.

    Args:
        path: of another set of the same form; by default ``data/contrast/heldout.jsonl``.

    Raises:
        InputError: the file is not there, or a line of it cannot be used.
    """
    from posh_lite.judge.lexical.report import PARAPHRASE, read_contrast

    rows = read_contrast(contrast_path() if path is None else path)
    bases: dict[str, str] = {}
    for row in rows:
        bases.setdefault(row.original, row.id[:-1] or row.id)  # "h001c" is of the base "h001"
    pairs = tuple(Pair(row.id, row.changed, row.original, source="contrast") for row in rows)
    marks = tuple(Marks(bases[row.original], row.id, row.changed_spans, row.original_spans) for row in rows)
    found: list[Comparison] = []
    for reworded in (row for row in rows if row.kind == PARAPHRASE):
        for changed in (row for row in rows if row.kind != PARAPHRASE and row.original == reworded.original):
            labels: dict[Dimension, int] = {"overall": 1}
            if changed.changed_spans:
                labels["mistakes"] = 1
            if changed.original_spans:
                labels["omissions"] = 1
            # sides alternate, so that a metric that always prefers the first text gains nothing by it
            first = len(found) % 2 == 0
            a, b = (reworded, changed) if first else (changed, reworded)
            signed = {name: value if first else -value for name, value in labels.items()}
            kind = frozenset({changed.kind.replace("_", " ")})
            found.append(Comparison(bases[reworded.original], a.id, b.id, signed, kind))
    return Benchmark("contrast", "contrast set", "constructed", pairs, tuple(found), marks, note=_NOTE)
