"""DOCENT's judgments as a benchmark: which of two descriptions is better, and which spans are wrong or left out.

The published sets (PoSh paper, section "DOCENT") hold 600 coarse judgments of pairs and 300 granular ones. They are
read from a copy; ``posh-lite docent fetch`` makes one. A description that several judgments are about is one pair,
whose id holds the image, the model and the start of a hash of its texts, so that it is the same in every set.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from posh_lite.benchmarks.contract import Benchmark, Comparison, Dimension, Marks
from posh_lite.benchmarks.docent_schema import DIMENSION_OF, label
from posh_lite.benchmarks.docent_source import Row, read_rows
from posh_lite.benchmarks.docent_spans import read_spans
from posh_lite.benchmarks.nga import Faults
from posh_lite.errors import InputError
from posh_lite.records import Pair

SOURCE = "docent"
#: Columns of a study of one's own (``posh-lite docent annotations``), which the published sets do not have.
ANNOTATOR, GOLD = "annotator", "gold"
CITATION = "ananthram2026posh"
_NOTE = (
    "Descriptions of art by four models of 2024 and 2025, judged by students of art history who saw the work and an"
    " expert's description of it."
)


def pair_id(uuid: str, model: str, generation: str, reference: str) -> str:
    """Id of a description: image, model, and eight digits of the SHA-256 of its two texts."""
    digest = hashlib.sha256(f"{generation}\0{reference}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"{uuid}/{model}/{digest[:8]}"


def _pair(uuid: str, model: str, generation: str, reference: str) -> Pair:
    return Pair(pair_id(uuid, model, generation, reference), generation, reference, model, uuid, SOURCE)


def _once(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    return tuple({pair.id: pair for pair in pairs}.values())


def _benchmark(
    name: str, title: str, rows: Iterable[Row], pairs: Iterable[Pair], comparisons: Sequence[Comparison] = (),
    marks: Sequence[Marks] = (),
) -> Benchmark:
    """DOCENT, or a study of one's own that has its columns and must not pass for it."""
    own = [row.values for row in rows if ANNOTATOR in row.values]
    if not own:
        return Benchmark(name, title, "people", _once(pairs), tuple(comparisons), tuple(marks), note=_NOTE,
                         citation=CITATION)  # fmt: skip
    made = any(values.get(GOLD) == "constructed" for values in own)
    n = len({str(values[ANNOTATOR]) for values in own})
    note = "A study of one's own in the columns of DOCENT: other texts, other people."
    if made:
        note = "Constructed annotations in the columns of DOCENT: nobody was asked."
    title = f"study of {n} annotator{'s' if n > 1 else ''}"
    return Benchmark(name.replace("docent", "study"), title, "constructed" if made else "people", _once(pairs),
                     tuple(comparisons), tuple(marks), note=note)


def load_docent_coarse(path: str | Path | None = None, *, faults: Faults | None = None) -> Benchmark:
    """The coarse judgments: labels from -2 (second much better) to 2 (first much better).

    Here and in the other loaders rows of a study of one's own make a benchmark that says so, and is not called DOCENT.

    Args:
        path: a file or folder with a copy of ``amitha/docent-eval-coarse``; by default as
            :func:`~posh_lite.benchmarks.docent_source.locate_published` finds it.
        faults: told of rows that are left out.

    Raises:
        InputError: it is not there, or not of the expected form; file, line and column are named.
    """
    rows, pairs, comparisons = _coarse(path, faults if faults is not None else Faults())
    return _benchmark("docent-coarse", "DOCENT, coarse", rows, pairs, comparisons)


def _coarse(path: str | Path | None, found: Faults) -> tuple[list[Row], list[Pair], list[Comparison]]:
    rows = list(read_rows("coarse", path))
    pairs: list[Pair] = []
    comparisons: list[Comparison] = []
    for row in rows:
        values = row.values
        first, second = (
            _pair(values["uuid"], values[model], values[f"{model}_generation"], values["reference"])
            for model in ("model1", "model2")
        )
        if first.id == second.id:
            found.note("a description compared with itself", _where(row))
            continue
        pairs += [first, second]
        labels: dict[Dimension, int] = {ours: label(values[theirs]) for theirs, ours in DIMENSION_OF.items()}
        comparisons.append(Comparison(values["uuid"], first.id, second.id, labels))
    return rows, pairs, comparisons


def load_docent_granular(path: str | Path | None = None, *, faults: Faults | None = None) -> Benchmark:
    """The granular judgments: spans of mistakes in generations and of omissions in references.

    Args:
        path: a file or folder with a copy of ``amitha/docent-eval-granular``; by default as
            :func:`~posh_lite.benchmarks.docent_source.locate_published` finds it.
        faults: told of spans that were repaired or left out (:func:`~posh_lite.benchmarks.docent_spans.read_spans`).

    Raises:
        InputError: it is not there, or not of the expected form; file, line and column are named.
    """
    rows, pairs, marks = _granular(path, faults if faults is not None else Faults())
    return _benchmark("docent-granular", "DOCENT, granular", rows, pairs, marks=marks)


def _granular(path: str | Path | None, found: Faults) -> tuple[list[Row], list[Pair], list[Marks]]:
    rows = list(read_rows("granular", path))
    pairs: list[Pair] = []
    marks: list[Marks] = []
    for row in rows:
        values = row.values
        pair = _pair(values["uuid"], values["model"], values["generation"], values["reference"])
        mistakes = read_spans(values["mistakes"], pair.generation, _noting(found, "mistakes", row))
        omissions = read_spans(values["omissions"], pair.reference, _noting(found, "omissions", row))
        pairs.append(pair)
        marks.append(Marks(values["uuid"], pair.id, mistakes, omissions))
    return rows, pairs, marks


def load_docent(path: str | Path | None = None, *, faults: Faults | None = None) -> Benchmark:
    """Both sets as one benchmark; ``path`` is a folder with both.

    Raises:
        InputError: either is not there, or not of the expected form.
    """
    if path is not None and not Path(path).is_dir():
        raise InputError("expected a folder with the coarse and the granular set", path=path)
    found = faults if faults is not None else Faults()
    rows, pairs, comparisons = _coarse(path, found)
    marked_rows, marked_pairs, marks = _granular(path, found)
    return _benchmark("docent", "DOCENT", (*rows, *marked_rows), (*pairs, *marked_pairs), comparisons, marks)


def load_docent_references(path: str | Path | None = None) -> dict[str, str]:
    """The references of ``amitha/docent`` by image.

    Raises:
        InputError: it is not there or not of the expected form, or an image has two different references.
    """
    found: dict[str, str] = {}
    for row in read_rows("works", path):
        uuid, text = row.values["uuid"], row.values["reference"]
        if found.setdefault(uuid, text) != text:
            raise InputError(f"the image {uuid} has another reference further up", path=row.path, line=row.line,
                             field="reference")
    return found


def _noting(found: Faults, side: str, row: Row) -> Callable[[str], None]:
    return lambda what: found.note(f"{side}: {what}", _where(row))


def _where(row: Row) -> str:
    return f"{row.path.name}:{row.line}"
